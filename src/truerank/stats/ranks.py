"""Which ranks systems may have, and how they are ranked by many votes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truerank.core.equal import as_one
from truerank.stats.many import Groups
from truerank.stats.values import Floats, Ints, column, table

Sure = NDArray[np.bool_]

BLOCK = 1 << 15
"""How many numbers of systems and resamples are looked at together: as many as a processor keeps near."""

SLACK = 1e-9
"""A resample is as far as what was observed when it falls short by this share: rounding alone."""


def borda(means: ArrayLike) -> Floats:
    """(m,) the votes of each system: from each collection one for every system below it, half for one beside it.

    Borda (1781), with the tournament count of ties, as MTEB ranks models by it. Means that rounding
    alone parts are beside one another (`truerank.equal`).

    Args:
        means: (collections, m); more is better.

    >>> borda([[0.5, 0.4, 0.4], [0.9, 0.1, 0.2]]).tolist()
    [4.0, 0.5, 1.5]
    """
    rows = table(means, "means")
    votes = np.zeros(rows.shape[1])
    for row in map(as_one, rows):
        ordered = np.sort(row)
        below, up_to = (np.searchsorted(ordered, row, side=side) for side in ("left", "right"))
        votes += below + (up_to - below - 1) / 2
    return votes


def rank_intervals(better: ArrayLike) -> Ints:
    """(m, 2) the first and the last rank that each system may have, both included; for all systems at once.

    A system has one rank below every system that is surely better, and stands above every one that is surely
    worse. Where any false order is as rare as alpha, all true ranks lie in all intervals as often as 1 − alpha.
    Mogstad, Romano, Shaikh and Wilhelm, Inference for ranks (2024), section 3.

    Args:
        better: (m, m) whether the system of the row is surely better than that of the column.

    >>> rank_intervals([[False, False, True], [False] * 3, [False] * 3]).tolist()
    [[1, 2], [1, 3], [2, 3]]
    """
    sure = np.asarray(better, np.bool_)
    return np.column_stack([1 + sure.sum(axis=0), len(sure) - sure.sum(axis=1)])


def indistinct(better: ArrayLike, heights: ArrayLike) -> Groups:
    """The largest runs of systems, from the highest down, of which no two are told apart: Demšar's lines (2006).

    >>> indistinct([[False, False, True], [False] * 3, [False] * 3], [0.5, 0.4, 0.3])
    ((0, 1), (1, 2))
    """
    order = np.argsort(-column(heights, "heights"), kind="stable")
    sure = np.asarray(better, np.bool_)[np.ix_(order, order)]
    runs: list[tuple[int, int]] = []
    start = 0
    for end in range(len(order)):
        apart = np.flatnonzero(sure[start:end, end] | sure[end, start:end])
        start += int(apart[-1]) + 1 if len(apart) else 0
        if runs and runs[-1][0] == start:
            runs.pop()
        runs.append((start, end))
    return tuple(tuple(order[start : end + 1].tolist()) for start, end in runs)


def surely_better(drawn: Floats, spread: Floats, observed: Floats, alpha: float, *, exact: bool = False) -> Sure:
    """(m, m) whether the system of the row is better than that of the column; any false order is as rare as alpha.

    Each order is held against the largest statistic of all orders that are not decided yet; that of two systems
    is decided, the other way round remains. Step-down: Romano and Wolf (2005), as Mogstad and others (2024)
    take it for ranks, section 3.3.

    Args:
        drawn: (resamples, m) means where no system is better than another.
        spread: (m, m) what their differences are divided by; infinite where two systems never differ.
        observed: (m, m) the statistics themselves, of the row's system less the column's.
        exact: whether these are all resamples there are, with that which was observed among them.
    """
    weights, better = 1 / spread, np.zeros_like(spread, np.bool_)
    farther = int(alpha * len(drawn)) if exact else int(alpha * (len(drawn) + 1)) - 1
    if farther < 0:
        return better
    largest = np.full(len(drawn), np.inf)
    while True:
        critical = _lowered(largest, drawn, np.where(better, 0.0, weights), farther)
        more = ~better & (observed * (1 - SLACK) > critical)
        if not more.any():
            return better
        better |= more


def _lowered(largest: Floats, drawn: Floats, weights: Floats, farther: int) -> float:
    """The statistic that `farther` others lie above.

    `largest` holds upper bounds, which are replaced in place by the statistics, as far down as that takes.
    """
    order = np.argsort(-largest, kind="stable")
    size = len(order) if np.isinf(largest[0]) else 2 * (farther + 1)
    for start in range(0, len(order), size):
        rows = order[start : start + size]
        largest[rows] = _largest(np.ascontiguousarray(drawn[rows].T), weights)
        critical = np.sort(largest[order[: start + size]])[-1 - farther]
        if start + size >= len(order) or critical >= largest[order[start + size]]:
            break
    return float(critical)


def _largest(columns: Floats, weights: Floats) -> Floats:
    """(resamples,) the largest weighted difference of two systems.

    Args:
        columns: (m, resamples).
    """
    m, n = columns.shape
    largest, wide = np.zeros(n), max(1, BLOCK // m)
    for start in range(0, n, wide):
        block, best = columns[:, start : start + wide], largest[start : start + wide]
        apart = np.empty_like(block)
        for own, weight in zip(block, weights, strict=True):
            np.subtract(own, block, out=apart)
            apart *= weight[:, None]
            np.maximum(best, apart.max(axis=0), out=best)
    return largest
