"""How large a difference is, apart from how sure it is."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from truerank.core.equal import is_equal
from truerank.stats.values import column, differences, is_constant, mean, scale


def effect(a: ArrayLike, b: ArrayLike) -> float:
    """The mean difference in units of the spread of the differences: 0.2 is small, 0.5 middling, 0.8 large.

    The same difference at every query is ±inf, none at all 0; one query alone has no spread: ±inf or 0.
    Cohen's d of paired values (d_z), Cohen (1988).

    >>> effect([0.5, 0.75, 1.0, 0.5], [0.25, 0.5, 0.5, 0.25])
    2.5
    """
    between = differences(column(a, "a"), column(b, "b"))
    difference = float(mean(between))
    if is_equal(difference, 0.0):
        return 0.0
    spread = 0.0 if is_constant(between, scale(a, b)) else float(between.std(ddof=1))
    return difference / spread if spread else float(np.sign(difference)) * np.inf
