"""Queries that stand in the gallery themselves, though nobody said that they do: each would find itself first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truerank.core.hits import Bools
from truerank.core.qrels import Floats, Ints
from truerank.vectors.sides import Side

TELLING = 5
"""Among fewer queries equal vectors may be chance."""

SAMPLE = 64
"""So many rows of a matrix tell whether it is that of a set with itself."""

ROUNDED = 1e-4
"""By this share of the largest number of a matrix two may differ that are the same, but for rounding."""


def equal_vectors(
    queries: NDArray[np.generic], gallery: NDArray[np.generic], squares: tuple[Floats, Floats]
) -> Ints:
    """(queries,) an entry of the gallery with the very same vector; -1 without one.

    Of gallery vectors of one length the first is compared, which may miss one, and finds none that is not there.

    Args:
        squares: the squared lengths on both sides; those of equal vectors are equal.
    """
    own = np.full(len(queries), -1, np.int64)
    lengths, first = np.unique(squares[1], return_index=True)
    place = np.minimum(np.searchsorted(lengths, squares[0]), len(lengths) - 1)
    alike = np.flatnonzero(lengths[place] == squares[0])
    entry = first[place[alike]]
    for start in range(0, len(alike), SAMPLE):
        some = slice(start, start + SAMPLE)
        equal = (queries[alike[some]] == gallery[entry[some]]).all(axis=1)
        own[alike[some][equal]] = entry[some][equal]
    return own


def mirrored(table: NDArray[np.generic], holds: str) -> Ints:
    """(queries,) each its own place, where a matrix is that of a set with itself, as its first rows tell; else -1.

    Such a matrix is its own mirror, and nothing is nearer to an entry than that entry is.
    """
    rows, columns = table.shape
    none = np.full(rows, -1, np.int64)
    if rows != columns or rows < TELLING:
        return none
    some = np.asarray(table[:SAMPLE], np.float64)
    near = some if holds == "similarities" else -some
    block = near[:, : len(near)]
    if not np.isfinite(near).all():  # refused when it is read
        return none
    slack = ROUNDED * float(np.abs(near).max())
    is_mirror = bool((np.abs(block - block.T) <= slack).all())
    is_nearest = bool((block.diagonal() + slack >= near.max(axis=1)).all())
    return np.arange(rows) if is_mirror and is_nearest and float(np.ptp(near)) > slack else none


def found(own: Ints, queries: Side, gallery: Side, *, without_camera: bool) -> Bools:
    """(queries,) whether each finds itself: the entry that it is itself shows what it shows, and stays in its list.

    Args:
        own: (queries,) the entry of the gallery that each is itself; -1 without one.
        without_camera: whether what the same camera saw leaves the list.
    """
    is_there = own >= 0
    for one, other in ((queries.labels, gallery.labels), (queries.classes, gallery.classes)):
        if one is not None and other is not None:
            same = one == other[own]
            is_there &= same if same.ndim == 1 else same.all(axis=1)
    if without_camera and queries.cameras is not None and gallery.cameras is not None:
        is_there &= queries.cameras != gallery.cameras[own]
    return is_there
