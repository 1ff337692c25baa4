"""Any statistic of queries that is no mean of their values, such as average precision of all answers together."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from truerank.stats.binomial import unanimous_p
from truerank.stats.bootstrap import percentile_limits, reach
from truerank.stats.distributions import normal_below, normal_quantile, t_above
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
    """The percentile interval of a statistic from its resamples; unknown for too few queries.

    >>> [percentile_interval(1.0, np.array([1.0, 1.0]), n).method for n in (9, 2)]
    ['constant', 'none']
    """
    if is_too_few(n, confidence):
        return Interval.unknown(estimate, confidence)
    if (drawn == drawn[0]).all() and drawn[0] == estimate:
        return Interval.constant(estimate, confidence)
    return Interval(estimate, *percentile_limits(drawn, reach(confidence, n)), confidence, "percentile")


def p_of(drawn: Floats, n: int) -> float:
    """The p of a difference by its resamples: at most 1 − confidence where `percentile_interval` excludes 0.

    As many resamples lie on the far side of 0 as of a normal deviate, which is held against Student's t. It is not
    below the p of n queries that all go the same way, of which no resample shows anything else.

    >>> [round(p_of(np.array([0.5] * 99), n), 3) for n in (1000, 50, 10, 4)], p_of(np.zeros(99), 50)
    ([0.02, 0.026, 0.055, 0.137], 1.0)
    """
    far = 1 + min(int(np.count_nonzero(drawn <= 0)), int(np.count_nonzero(drawn >= 0)))
    deviate = -float(normal_quantile(min(far / (len(drawn) + 1), 0.5)))
    p = 2 * t_above(deviate * math.sqrt((n - 1) / n), n - 1) if n > 1 else 1.0
    return min(1.0, max(p, unanimous_p(n)))


def resamples_needed(level: float, n: int) -> int | None:
    """With how many resamples the clearest difference has a p up to this level; None where n queries never have.

    >>> resamples_needed(0.05, 1000), resamples_needed(0.05, 10), resamples_needed(0.05, 5)
    (41, 117, None)
    """
    if is_too_few(n, 1 - level):
        return None
    return math.ceil(1 / float(normal_below(-reach(1 - level, n))))
