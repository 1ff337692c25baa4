"""What a grade is worth."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from truerank.hits import Floats

Gain = str | Mapping[float, float]
"""'linear': the grade; 'exp': 2^grade - 1; or a mapping {grade: gain}."""


def gains(grade: Floats, gain: Gain) -> Floats:
    """The gain of each grade; nothing below grade 0 gains."""
    worth = np.maximum(grade, 0.0)
    if gain == "linear":
        return worth
    unique, inverse = np.unique(worth, return_inverse=True)
    return np.array([2.0**g - 1 for g in unique.tolist()])[inverse]
