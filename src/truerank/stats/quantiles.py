"""How far a percentile can be trusted."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from truerank.stats.distributions import binomial_up_to
from truerank.stats.intervals import Interval
from truerank.stats.values import column, share

NEAREST, LINEAR = KINDS = ("nearest-rank", "linear")
"""What a percentile may be: a value of the sample, or one between two (definitions 1 and 7 of Hyndman and Fan)."""


def quantile_interval(values: ArrayLike, q: float, *, confidence: float = 0.95) -> Interval | None:
    """Where a percentile may lie, such as the p95 of latencies; None when there are too few values to say.

    The estimate and both limits are values of the sample: order statistics, chosen by the binomial distribution
    so that each side is wrong at most as often as allowed, whatever the values' distribution. At 95 % the
    median needs 6 values, p90 36, p95 72, p99 368, p99.9 3,688. Hahn and Meeker, Statistical Intervals (1991).

    Args:
        values: (n,).
        q: which quantile, between 0 and 1; the estimate is the value at rank ceil(q n).

    >>> quantile_interval(range(1, 101), 0.9)
    Interval(estimate=90.0, low=84.0, high=96.0, confidence=0.95, method='order statistics')
    >>> quantile_interval(range(35), 0.9) is None
    True
    """
    ordered = np.sort(column(values))
    n, tail = len(ordered), (1 - share(confidence, "confidence")) / 2
    up_to = binomial_up_to(np.arange(n + 1), n, share(q, "q"))
    low = int(np.searchsorted(up_to, tail, side="right"))  # as many values or fewer lie below too rarely
    high = int(np.searchsorted(up_to, 1 - tail, side="left")) + 1
    if low < 1 or high > n:
        return None
    limits = float(ordered[low - 1]), float(ordered[high - 1])
    return Interval(float(ordered[nearest_rank(n, q) - 1]), *limits, confidence, "order statistics")


def nearest_rank(n: int, q: float) -> int:
    """The rank of a quantile among n values in rising order: ceil(q n), whatever the rounding of q n.

    >>> nearest_rank(100, 0.07), math.ceil(0.07 * 100)
    (7, 8)
    """
    return math.ceil(round(q * n, 9))
