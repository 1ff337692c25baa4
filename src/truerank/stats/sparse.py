"""The mean of values of which nearly all are the same, such as 0: a weighted count of the others."""

from __future__ import annotations

import numpy as np

from truerank.stats.distributions import gamma_quantile
from truerank.stats.values import Floats


def commonest(values: Floats) -> float:
    """The value that more than half of them are, where there is one."""
    return float(np.sort(values)[len(values) // 2])


def is_one_sided(values: Floats) -> bool:
    """Whether none is less than the commonest one, or none more."""
    away = values - commonest(values)
    return bool((away >= 0).all() or (away <= 0).all())


def gamma_limits(values: Floats, confidence: float) -> tuple[float, float]:
    """Where the mean may lie, if the values that differ come as rarely as they did here (Fay and Feuer 1997).

    How often something rare comes is a Poisson count. Each value counts with its distance to the commonest one; the
    sum of these is taken to be a gamma variable with its own mean and variance, and at the upper end as if the
    largest of them had come once more. Of equal distances these are the exact limits of a Poisson count.

    Args:
        values: (n,) on one side of the commonest one, not all equal.

    Returns:
        Within the smallest and the largest of the values.

    >>> [round(end, 4) for end in gamma_limits(np.array([0.0] * 46 + [1.0, 0.5, 0.2, 0.4]), 0.95)]
    [0.0096, 0.1306]
    """
    usual = commonest(values)
    away = values - usual
    side = 1.0 if (away >= 0).all() else -1.0
    largest = np.abs(away).max()
    weights = np.abs(away) / largest  # squares of what is very small would vanish
    tail, total, square = (1 - confidence) / 2, float(weights.sum()), float((weights**2).sum())
    near = _quantile(total, square, tail)
    far = min(_quantile(total + 1, square + 1, 1 - tail), len(values))
    low, high = sorted(usual + side * largest * end / len(values) for end in (near, far))
    return float(low), float(high)


def _quantile(mean: float, variance: float, level: float) -> float:
    """Of the gamma variable with this mean and variance."""
    return float(variance / mean * gamma_quantile(mean**2 / variance, level))
