"""How far a percentile can be trusted."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truerank.stats.distributions import binomial_up_to, t_quantile
from truerank.stats.intervals import Interval
from truerank.stats.values import Floats, column, share

NEAREST, LINEAR = KINDS = ("nearest-rank", "linear")
"""What a percentile may be: a value of the sample, or one between two (definitions 1 and 7 of Hyndman and Fan)."""


def quantile_interval(
    values: ArrayLike, q: float, *, confidence: float = 0.95, groups: ArrayLike | None = None
) -> Interval | None:
    """Where a percentile may lie, such as the p95 of latencies; None when there are too few values to say.

    The estimate and both limits are values of the sample: order statistics, chosen by the binomial distribution
    so that each side is wrong at most as often as allowed, whatever the values' distribution. At 95 % the
    median needs 6 values, p90 36, p95 72, p99 368, p99.9 3,688. Hahn and Meeker, Statistical Intervals (1991).

    Values of one group may be alike. They then count as their effective sample size, which is that of the share
    below the percentile: from one a group, where all of a group are equal, to all of them (Woodruff, 1952; Korn
    and Graubard, 1998). It is groups that must be enough.

    Args:
        values: (n,).
        q: which quantile, between 0 and 1; the estimate is the value at rank ceil(q n).
        groups: (n,) whole numbers from 0 on: which group each value is of; by default each is one of its own.

    >>> quantile_interval(range(1, 101), 0.9)
    Interval(estimate=90.0, low=84.0, high=96.0, confidence=0.95, method='order statistics')
    >>> quantile_interval(range(35), 0.9) is None
    True
    """
    known, tail = column(values), (1 - share(confidence, "confidence")) / 2
    ordered, n = np.sort(known), len(known)
    estimate = float(ordered[nearest_rank(n, share(q, "q")) - 1])
    counts = np.ones(n) if groups is None else _counts(groups, n)
    if _ranks(int(np.count_nonzero(counts)), q, tail) is None:
        return None
    size = n if groups is None else _effective_size(known <= estimate, groups, counts, tail)
    found = _ranks(size, q, tail)
    if found is None:
        return None
    low, high = found  # among `size` values, of which each stands for n / size of the sample
    limits = float(ordered[(low - 1) * n // size]), float(ordered[-(-high * n // size) - 1])
    return Interval(estimate, *limits, confidence, "order statistics")


def _ranks(n: int, q: float, tail: float) -> tuple[int, int] | None:
    """The ranks of the two limits among n values; None where there is no value for one of them."""
    up_to = binomial_up_to(np.arange(n + 1), n, q)
    low = int(np.searchsorted(up_to, tail, side="right"))  # as many values or fewer lie below too rarely
    high = int(np.searchsorted(up_to, 1 - tail, side="left")) + 1
    return None if low < 1 or high > n else (low, high)


def _counts(groups: ArrayLike, n: int) -> Floats:
    """(groups,) how many values each has."""
    if np.shape(groups) != (n,):
        raise ValueError(f"there are {n} values, but groups of shape {np.shape(groups)}")
    return np.bincount(groups).astype(np.float64)


def _effective_size(below: NDArray[np.bool_], groups: ArrayLike, counts: Floats, tail: float) -> int:
    """How many independent values tell as much of a share as these do.

    Args:
        below: (n,) whether each value is in the share.
        groups: (n,) which group each value is of.
        counts: (groups,) how many values each has.
    """
    n, known = len(below), int(np.count_nonzero(counts))
    part = float(below.mean())
    apart = np.bincount(groups, below, len(counts)) - part * counts
    spread = float((apart**2).sum()) * known / (known - 1) / n**2
    if not spread:
        return n if part < 1 else known
    few = (t_quantile(tail, n - 1) / t_quantile(tail, known - 1)) ** 2  # the spread is only estimated
    return int(min(max(part * (1 - part) / spread * few, known), n))


def nearest_rank(n: int, q: float) -> int:
    """The rank of a quantile among n values in rising order: ceil(q n), whatever the rounding of q n.

    >>> nearest_rank(100, 0.07), math.ceil(0.07 * 100)
    (7, 8)
    """
    return math.ceil(round(q * n, 9))
