"""Resampling the queries: what the means would have been with other queries of the same kind."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from truerank.core.kernel.drawing import count_draws
from truerank.stats.distributions import normal_below, normal_quantile, t_quantile
from truerank.stats.values import Floats, on_grid, scale

BLOCK = 1 << 18
"""How many numbers a block of resamples has at most, where there is more than one resample in it."""


def resampled_means(values: Floats, resamples: int, seed: int) -> Floats:
    """(resamples, c) the means of as many rows drawn with replacement, the same rows for every column.

    A row of `default_rng(seed).integers(n, size=(resamples, n))` is one draw. The bits do not depend on
    threads or on the size of blocks.

    Args:
        values: (n, c).
    """
    grid, unit = on_grid(values, scale(values))
    means = resampled_sums(grid, resamples, seed)
    means *= unit
    means /= len(values)
    return means


def resampled_sums(grid: Floats, resamples: int, seed: int) -> Floats:
    """(resamples, c) the sums of the same rows.

    Args:
        grid: (n, c) whole numbers, by `on_grid`.
    """
    sums = np.empty((resamples, grid.shape[1]))
    start = 0
    for times in drawn(len(grid), resamples, seed, max(1, BLOCK // len(grid))):
        np.matmul(times, grid, out=sums[start : start + len(times)])
        start += len(times)
    return sums


def drawn(n: int, resamples: int, seed: int, rows: int) -> Iterator[Floats]:
    """(rows, n) how often each of n queries is in a resample, by blocks of so many, each over the last."""
    bits, block = np.random.default_rng(seed).bit_generator, np.empty((min(rows, resamples), n))
    for start in range(0, resamples, rows):
        times = block[: resamples - start]
        count_draws(bits, times)
        yield times


def reach(confidence: float, n: int) -> float:
    """How many standard deviations an interval reaches to either side.

    Resamples of n values vary less than new samples do, by √(n / (n − 1)), and their spread is itself an estimate.
    So the tails are those of Student's t: 2.03 at 95 % and 50 values, 1.96 for very many. Hesterberg, What
    teachers should know about the bootstrap (2015), section 3.2.

    >>> round(reach(0.95, 50), 3)
    2.03
    """
    return float(t_quantile((1 + confidence) / 2, n - 1) * np.sqrt(n / (n - 1)))


def percentile_limits(means: Floats, reach: float) -> tuple[float, float]:
    """What lies between the tails of the resampled means (Efron 1979)."""
    low, high = np.quantile(means, normal_below([-reach, reach]))
    return float(low), float(high)


def bca_limits(means: Floats, reach: float, values: Floats) -> tuple[float, float]:
    """The same with tails that are corrected for bias and for skewness (BCa; Efron 1987).

    Means that are within a unit of the grid that the values were put on are equal: so far rounding moves them.

    Args:
        means: (resamples,) of the values.
        values: (n,), not all equal.
    """
    grid, unit = on_grid(values, scale(values))
    observed = grid.sum() * unit / len(values)  # as `resampled_means` comes to it, if it draws each of them once
    below = (np.count_nonzero(means < observed - unit) + np.count_nonzero(means <= observed + unit)) / 2
    least = 0.5 / len(means)
    bias = normal_quantile(min(max(below / len(means), least), 1 - least))
    away = values - values.mean()
    away /= np.abs(away).max()  # powers of what is very small would vanish
    acceleration = (away**3).sum() / (6 * (away**2).sum() ** 1.5)
    moved = bias + np.array([-reach, reach])
    room = 1 - acceleration * moved
    with np.errstate(divide="ignore"):
        tails = normal_below(np.where(room > 0, bias + moved / np.maximum(room, 0), np.copysign(np.inf, moved)))
    low, high = np.quantile(means, tails)
    return float(low), float(high)
