"""Is one system better than the other on the same queries, and by how much, or could it be chance?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from truerank.core.equal import is_equal
from truerank.stats.binomial import sign_p, unanimous_p
from truerank.stats.distributions import normal_below, t_above
from truerank.stats.flips import flipped_sums, share_at_least
from truerank.stats.values import (
    TINY,
    Floats,
    Ints,
    column,
    count,
    deviation,
    differences,
    mean,
    on_grid,
    rounding,
    scale,
    table,
)

EXACT_UP_TO = 32
"""With this many differences that are not 0, or fewer, every sign pattern is counted."""

EXACT_RANKS_UP_TO = 100
"""With this many differences that are not 0, or fewer, all sums of ranks are counted."""


@dataclass(frozen=True)
class Paired:
    """The outcome of a test of two systems on the same queries; two-sided.

    Attributes:
        difference: the mean of a − b.
        p: how often a difference at least as clear comes by chance when there is none; above 0, at most 1.
        method: randomization, t, wilcoxon or sign.
        n: how many queries.
        exact: p is counted or a distribution's own, not simulated or approximated.
        constant: of t, whether all differences are the same and not 0: no spread to judge them by, and p is
            that of the sign test.
        against_mean: of wilcoxon and sign, which are not about means: whether the ranks, or the queries that went
            up or down, speak for one whose mean is no higher.
    """

    difference: float
    p: float
    method: str
    n: int
    exact: bool
    constant: bool = field(default=False, repr=False)
    against_mean: bool = field(default=False, repr=False)


def randomization(a: ArrayLike, b: ArrayLike, *, samples: int = 10_000, seed: int = 0) -> Paired:
    """Swap the two systems' values at random, query by query: how often is the mean difference as large?

    It assumes nothing about how values are distributed. With up to 32 differences that are not 0 all patterns are
    counted, with more this many samples are drawn and p is (hits + 1) / (samples + 1). Means that differ by less
    than 1e-12 of the largest value count as equal. Fisher (1935); Smucker, Allan and Carterette (2007).

    >>> randomization([0.5, 0.75, 1.0, 0.5], [0.25, 0.5, 0.5, 0.25])
    Paired(difference=0.3125, p=0.125, method='randomization', n=4, exact=True)
    """
    first, second = column(a, "a")[:, None], column(b, "b")[:, None]
    return randomizations(first, second, samples=samples, seed=seed)[0]


def randomizations(a: ArrayLike, b: ArrayLike, *, samples: int = 10_000, seed: int = 0) -> list[Paired]:
    """`randomization` for each column of (n, c) values; the same swaps serve all columns that need samples."""
    between = differences(table(a, "a"), table(b, "b"))
    n = len(between)
    count(samples, "samples")
    grid, _ = on_grid(between, scale(a, b))
    least = np.maximum(np.abs(grid.sum(axis=0)) - n, 0)
    known = {
        i: share_at_least(each[each != 0], least[i]) if least[i] else 1.0
        for i, each in enumerate(grid.T)
        if not least[i] or np.count_nonzero(each) <= EXACT_UP_TO
    }
    drawn = [i for i in range(grid.shape[1]) if i not in known]
    hits = np.zeros(len(drawn), np.int64)
    if drawn:
        for sums in flipped_sums(grid[:, drawn], samples, seed):
            hits += np.count_nonzero(np.abs(sums) >= least[drawn], axis=0)
    p = known | {i: (int(hit) + 1) / (samples + 1) for i, hit in zip(drawn, hits, strict=True)}
    return [Paired(float(mean(each)), p[i], "randomization", n, i in known) for i, each in enumerate(between.T)]


def paired_t(a: ArrayLike, b: ArrayLike) -> Paired:
    """Student's paired t-test: the mean difference against its standard error.

    One query alone gives p = 1, and so do equal means. The same difference at every query has no spread, of which
    t knows nothing: then `constant` is true, and p is that of the sign test. Student (1908).

    >>> round(paired_t([0.5, 0.75, 1.0, 0.5], [0.25, 0.5, 0.5, 0.25]).p, 4)
    0.0154
    """
    between = differences(column(a, "a"), column(b, "b"))
    p, is_flat = _t_p(between, scale(a, b))
    return Paired(float(mean(between)), p, "t", len(between), True, is_flat)


def wilcoxon(a: ArrayLike, b: ArrayLike) -> Paired:
    """Wilcoxon's signed-rank test: the ranks of the differences' sizes, for and against.

    Differences of 0 are left out before ranking; equal sizes share their mean rank. With up to 100 differences the
    distribution of the rank sum is counted, equal sizes included; with more it is the normal one, corrected
    for equal sizes, without a continuity correction. Wilcoxon (1945).

    >>> wilcoxon([0.5, 0.75, 1.0, 0.5], [0.25, 0.5, 0.5, 0.25]).p
    0.125
    """
    between = differences(column(a, "a"), column(b, "b"))
    difference, n = float(mean(between)), len(between)
    used = between[between != 0]
    largest = scale(np.stack([column(a, "a"), column(b, "b")]))
    if not len(used):
        return Paired(difference, 1.0, "wilcoxon", n, True)
    doubled, sizes = _doubled_ranks(_order(np.abs(used), largest[between != 0]))
    up, down = int(doubled[used > 0].sum()), int(doubled[used < 0].sum())
    exact, against = len(used) <= EXACT_RANKS_UP_TO, min(up, down)
    p = _rank_sum_p(doubled, against) if exact else _rank_sum_normal_p(len(used), sizes, against)
    return Paired(difference, p, "wilcoxon", n, exact, against_mean=_is_against(difference, up - down))


def sign(a: ArrayLike, b: ArrayLike) -> Paired:
    """The sign test: how many queries went up, how many down; by how much does not matter.

    Queries without a difference are left out. Arbuthnot (1710).

    >>> sign([0.5, 0.75, 1.0, 0.5], [0.25, 0.5, 0.5, 0.25]).p
    0.125
    """
    between = differences(column(a, "a"), column(b, "b"))
    difference, up, down = float(mean(between)), int((between > 0).sum()), int((between < 0).sum())
    is_against = _is_against(difference, up - down)
    return Paired(difference, sign_p(up, down), "sign", len(between), True, against_mean=is_against)


TESTS: dict[str, Callable[..., Paired]] = {
    "randomization": randomization,
    "t": paired_t,
    "wilcoxon": wilcoxon,
    "sign": sign,
}


def effect(a: ArrayLike, b: ArrayLike) -> float:
    """The mean difference in units of the spread of the differences: 0.2 is small, 0.5 medium, 0.8 large.

    The same difference at every query is ±inf, none at all 0; one query alone has no spread: ±inf or 0.
    Cohen's d of paired values (d_z), Cohen (1988).

    >>> effect([0.5, 0.75, 1.0, 0.5], [0.25, 0.5, 0.5, 0.25])
    2.5
    """
    between = differences(column(a, "a"), column(b, "b"))
    difference = float(mean(between))
    if is_equal(difference, 0.0):
        return 0.0
    spread = float(deviation(between, scale(a, b)))
    return difference / spread if spread else float(np.sign(difference)) * np.inf


def _is_against(difference: float, up: int) -> bool:
    """Whether the sign of `up` (more goes up than down, or less) disagrees with that of the mean difference."""
    return bool(up) and (is_equal(difference, 0.0) or (up > 0) != (difference > 0))


def _t_p(between: Floats, largest: Floats) -> tuple[float, bool]:
    """p of Student's t, and whether there is no spread to judge by."""
    n = len(between)
    difference = abs(float(between.mean()))
    if n == 1 or difference <= rounding(largest) or is_equal(difference, 0.0):
        return 1.0, False
    spread = float(deviation(between, largest))
    if not spread:
        return unanimous_p(n), True
    return min(1.0, 2 * t_above(difference / (spread / n**0.5), n - 1)), False


def _order(sizes: Floats, largest: Floats) -> Ints:
    """(n,) the place of each size among the distinct ones; sizes that differ only by rounding share a place."""
    order = np.argsort(sizes, kind="stable")
    near = np.maximum(largest[order][1:], largest[order][:-1]) * rounding(1.0)
    places = np.zeros(len(sizes), np.int64)
    places[order[1:]] = np.cumsum(np.diff(sizes[order]) > near)
    return places


def _doubled_ranks(sizes: Ints) -> tuple[np.ndarray, np.ndarray]:
    """Twice the mean rank of each value, a whole number, and how many values there are of each size."""
    _, inverse, counts = np.unique(sizes, return_inverse=True, return_counts=True)
    last = counts.cumsum()
    return (2 * last - counts + 1)[inverse], counts


def _rank_sum_p(doubled: np.ndarray, against: int) -> float:
    ways = np.zeros(int(doubled.sum()) + 1)
    ways[0] = 1.0
    for rank in doubled.tolist():
        ways[rank:] += ways[:-rank].copy()
    return min(1.0, 2 * float(ways[: against + 1].sum()) / 2.0 ** len(doubled))


def _rank_sum_normal_p(n: int, sizes: np.ndarray, against: int) -> float:
    variance = n * (n + 1) * (2 * n + 1) / 24 - float((sizes**3 - sizes).sum()) / 48
    z = (against / 2 - n * (n + 1) / 4) / variance**0.5
    return max(min(1.0, 2 * float(normal_below(z))), TINY)
