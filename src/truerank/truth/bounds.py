"""The bounds of tiles, in degrees on the globe or in metres on a plane: their sizes and their middles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def sizes(bounds: Floats, is_globe: bool) -> Floats:
    """(tiles, 2) width and height; on the globe the width is counted eastwards."""
    wide: Floats = bounds[:, 2:] - bounds[:, :2]
    if is_globe:
        wide[:, 0] = np.where(wide[:, 0] >= 360, 360.0, wide[:, 0] % 360)
    return wide


def middles(bounds: Floats, is_globe: bool) -> Floats:
    """(tiles, 2) the x or longitude and the y or latitude of each tile's middle; longitudes up to 360 more."""
    return np.asarray(bounds[:, :2] + sizes(bounds, is_globe) / 2, np.float64)
