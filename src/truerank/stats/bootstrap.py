"""Resampling the queries: what the means would have been with other queries of the same kind."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from truerank.core.kernel.drawing import Draws
from truerank.stats.distributions import normal_below, normal_quantile, t_quantile
from truerank.stats.values import Floats, on_grid, scale

BLOCK, LARGEST = 1 << 18, 1 << 22
"""How many numbers a block has at most: of more than `ROWS` resamples, and of so many or fewer."""

ROWS = 8
"""With fewer resamples in a block, a product spends its time on reading the values again."""


def resampled_means(values: Floats, resamples: int, seed: int) -> Floats:
    """(resamples, c) the means of as many rows drawn with replacement, the same rows for every column.

    A row of `default_rng(seed).integers(n, size=(resamples, n))` is one draw. The bits do not depend on
    threads or on the size of blocks.

    Args:
        values: (n, c).
    """
    grid, unit = on_grid(values, scale(values))
    (means,) = resampled_sums([grid], resamples, seed)
    means *= unit
    means /= len(values)
    return means


def resampled_sums(grids: Sequence[Floats], resamples: int, seed: int) -> list[Floats]:
    """(resamples, c) for each table the sums of its resampled rows; the same rows are drawn from every table.

    Args:
        grids: (n, c) whole numbers, by `on_grid`; one without columns takes no time.
    """
    grid, ends = np.hstack(grids), np.cumsum([each.shape[1] for each in grids])
    n, columns = grid.shape
    sums = np.empty((resamples, columns))
    start = 0
    for times in drawn(n, resamples, seed, at_once(n)) if columns else ():
        np.dot(times, grid, out=sums[start : start + len(times)])  # which, unlike matmul, lets the next be drawn
        start += len(times)
    return np.split(sums, ends[:-1], axis=1)


def at_once(n: int) -> int:
    """How many resamples of n queries, or sign patterns, a block has, so that its memory stays bounded.

    >>> at_once(1_000), at_once(100_000), at_once(10_000_000)
    (262, 8, 1)
    """
    return max(1, BLOCK // n, min(ROWS, LARGEST // n))


def drawn(n: int, resamples: int, seed: int, rows: int) -> Iterator[Floats]:
    """(rows, n) how often each of n queries is in a resample, by blocks of so many.

    While a block is looked at, the next one is drawn; so each stays as it is until the next one is asked for.
    """
    draws = Draws(seed)
    blocks = np.empty((2 if rows < resamples else 1, min(rows, resamples), n))
    turns = [blocks[i % 2, : resamples - start] for i, start in enumerate(range(0, resamples, rows))]
    if len(turns) == 1:
        draws.count(turns[0])
        yield turns[0]
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as ahead:
        task = ahead.submit(draws.count, turns[0])
        for times, following in itertools.zip_longest(turns, turns[1:]):
            task.result()
            if following is not None:
                task = ahead.submit(draws.count, following)
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
    """The percentile interval: the quantiles of the resampled means (Efron 1979)."""
    low, high = np.quantile(means, normal_below([-reach, reach]))
    return float(low), float(high)


def bca_limits(means: Floats, reach: float, values: Floats) -> tuple[float, float]:
    """The percentile interval with tails corrected for bias and for skewness (BCa; Efron 1987).

    Means that differ by less than a unit of the grid of the values count as equal: rounding moves them that far.

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
