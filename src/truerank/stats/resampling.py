"""Any statistic of queries that is no mean of their values, such as average precision of all answers together."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from truerank.stats.binomial import unanimous_p
from truerank.stats.bootstrap import percentile_limits, reach
from truerank.stats.intervals import Interval, is_too_few
from truerank.stats.values import Floats, Ints

Statistic = Callable[[Ints], Floats]
"""How often each query is there in, (c,) numbers out."""


def resampled(statistic: Statistic, n: int, *, resamples: int = 1000, seed: int = 0) -> Floats:
    """(resamples, c) the statistic of as many draws of n queries with replacement (Efron 1979).

    >>> resampled(lambda times: np.array([float(times.sum())]), 3, resamples=2).tolist()
    [[3.0], [3.0]]
    """
    rng = np.random.default_rng(seed)
    return np.array([statistic(np.bincount(rng.integers(n, size=n), minlength=n)) for _ in range(resamples)])


def percentile_interval(estimate: float, drawn: Floats, n: int, *, confidence: float = 0.95) -> Interval:
    """What lies between the tails of resamples of a statistic; nothing known of too few queries.

    >>> [percentile_interval(1.0, np.array([1.0, 1.0]), n).method for n in (9, 2)]
    ['constant', 'none']
    """
    if is_too_few(n, confidence):
        return Interval.unknown(estimate, confidence)
    if (drawn == drawn[0]).all() and drawn[0] == estimate:
        return Interval.constant(estimate, confidence)
    return Interval(estimate, *percentile_limits(drawn, reach(confidence, n)), confidence, "percentile")


def p_of(drawn: Floats, n: int) -> float:
    """How often resamples of a difference lie on the far side of 0, both ways: where 0 leaves the interval.

    It is not below the p of n queries that all go the same way, of which no resample shows anything else.

    >>> p_of(np.array([0.5] * 99), 50), p_of(np.array([0.5] * 99), 4), p_of(np.zeros(99), 50)
    (0.02, 0.125, 1.0)
    """
    least = min(int(np.count_nonzero(drawn <= 0)), int(np.count_nonzero(drawn >= 0)))
    return min(1.0, max(2 * (least + 1) / (len(drawn) + 1), unanimous_p(n)))
