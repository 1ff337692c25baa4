"""The mean of values of which nearly all are the same, such as 0: a weighted count of the others."""

from __future__ import annotations

import numpy as np

from truerank.stats.distributions import gamma_quantile, gamma_quantile_above, normal_below, t_quantile
from truerank.stats.values import Floats


def commonest(values: Floats) -> float:
    """The value that more than half of them have, where there is one."""
    return float(np.sort(values)[len(values) // 2])


def is_one_sided(values: Floats) -> bool:
    """Whether none is less than the commonest one, or none more."""
    away = values - commonest(values)
    return bool((away >= 0).all() or (away <= 0).all())


def gamma_limits(values: Floats, confidence: float) -> tuple[float, float]:
    """Where the mean may lie, if the values that differ come as rarely as they did here (Fay and Feuer 1997).

    How often something rare occurs is a Poisson count. Each value counts with its distance to the commonest one.
    The sum of these is taken for a gamma variable of the same mean and variance; for the far limit, the largest of
    them is counted once more. As k values show little of what else might occur, the far tail is that of Student's
    t with k degrees of freedom. For equal distances the near limit is the exact one of a Poisson count.

    Args:
        values: (n,) on one side of the commonest one, not all equal.

    Returns:
        The low and the high limit, within the range of the values.

    >>> [round(end, 4) for end in gamma_limits(np.array([0.0] * 46 + [1.0, 0.5, 0.2, 0.4]), 0.95)]
    [0.0088, 0.1839]
    """
    usual = commonest(values)
    away = values - usual
    side = 1.0 if (away >= 0).all() else -1.0
    largest = np.abs(away).max()
    weights = np.abs(away) / largest  # squares of what is very small would vanish
    tail, total, square = (1 - confidence) / 2, float(weights.sum()), float((weights**2).sum())
    near = square / total * gamma_quantile(total**2 / square, tail)
    rare = float(normal_below(-t_quantile(1 - tail, int(np.count_nonzero(away)))))
    far = (square + 1) / (total + 1) * gamma_quantile_above((total + 1) ** 2 / (square + 1), rare)
    low, high = sorted(usual + side * largest * end / len(values) for end in (near, min(far, len(values))))
    return float(low), float(high)
