"""All pairs of many systems: sums are drawn for each system, and those of a pair are their differences.

100 systems make 4,950 pairs: that takes 100 columns of sums and one subtraction per pair, not 4,950 columns.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from truerank.core.equal import are_equal, difference
from truerank.stats.bootstrap import reach, resampled_sums
from truerank.stats.distributions import normal_below
from truerank.stats.flips import ALL_FLIPS_UP_TO, all_flipped_sums, flipped_sums
from truerank.stats.intervals import Interval, Means, differing, is_too_few
from truerank.stats.paired import EXACT_UP_TO, randomizations
from truerank.stats.values import Floats, Ints, count, deviation, mean, on_grid, rounding, scale, share, table

Pairs = Sequence[tuple[int, int]]
"""Pairs of columns, of which the second is subtracted from the first."""

AT_ONCE = 1 << 21
"""How many sums of systems are held at once, where one sign pattern has no more."""


def paired_differences(values: Floats, pairs: Pairs) -> Floats:
    """(n, pairs) exactly 0 where two values are equal."""
    first, second = _columns(pairs, values.shape[1])
    return difference(values[:, first], values[:, second])


def pair_effects(values: ArrayLike, pairs: Pairs) -> Floats:
    """(pairs,) how large each difference is in units of its spread: `effect` of each.

    >>> pair_effects([[0.5, 0.25], [0.75, 0.5], [1.0, 0.5], [0.5, 0.25]], [(0, 1)]).tolist()
    [2.5]
    """
    checked = table(values)
    between = paired_differences(checked, pairs)
    means = mean(between)
    with np.errstate(divide="ignore", invalid="ignore"):
        sizes = means / pair_deviations(between, checked, pairs)
    return np.where(are_equal(means, 0.0), 0.0, sizes)


def pair_deviations(between: Floats, values: Floats, pairs: Pairs) -> Floats:
    """(pairs,) the standard deviation of each difference, exactly 0 where it is the same but for rounding.

    Args:
        between: (n, pairs) the differences of the values.
    """
    first, second = _columns(pairs, values.shape[1])
    most = scale(values)
    return deviation(between, np.maximum(most[first], most[second]))


def mean_and_pair_intervals(
    values: ArrayLike,
    pairs: Pairs,
    *,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
    shares: bool | Sequence[bool] = True,
) -> tuple[list[Interval], list[Interval]]:
    """`mean_intervals` of the columns, and the percentile interval of each pair's mean difference.

    One resampling of the queries serves all of them. The intervals of pairs are those of `difference_intervals`,
    but for rounding.

    Args:
        values: (n, m) a row per query, a column per system. Several measures may stand side by side, as long as no
            pair is of two measures.

    >>> means, apart = mean_and_pair_intervals(np.arange(24.0).reshape(8, 3) ** 2, [(2, 0)], resamples=200)
    >>> [each.method for each in means], apart[0].estimate, apart[0].method
    (['bca', 'bca', 'bca'], 46.0, 'percentile')
    """
    means, apart = Means.of(values, confidence, None, shares), _Apart.of(values, pairs, confidence)
    of_means, of_apart = resampled_sums([means.grid, apart.grid], count(resamples, "resamples"), seed)
    return means.intervals(of_means), apart.intervals(of_apart)


@dataclass(frozen=True, eq=False)
class _Apart:
    """The mean differences of pairs of columns.

    Attributes:
        between: (n, pairs) the differences.
        grid: (n, m) the columns whose resampled sums are subtracted; none without pairs, or with too few queries.
        unit: (m,) the units of the grid.
    """

    between: Floats
    grid: Floats
    unit: Floats
    pairs: Pairs
    confidence: float

    @classmethod
    def of(cls, values: ArrayLike, pairs: Pairs, confidence: float) -> _Apart:
        checked = table(values)
        share(confidence, "confidence")
        between = paired_differences(checked, pairs)
        grid, unit = on_grid(checked, 2 * _compared_scale(checked, pairs))
        is_drawn = bool(pairs) and not is_too_few(len(checked), confidence)
        return cls(between, grid if is_drawn else grid[:, :0], unit, pairs, confidence)

    def intervals(self, sums: Floats) -> list[Interval]:
        """The interval of each pair.

        Args:
            sums: (resamples, columns of the grid) the sums of resampled rows of the grid.
        """
        n, between, confidence = len(self.between), self.between, self.confidence
        estimates = mean(between).tolist()
        if is_too_few(n, confidence):
            return [Interval.unknown(estimate, confidence) for estimate in estimates]
        of_column, far, last = np.ascontiguousarray(sums.T), reach(confidence, n), len(sums) - 1
        low_at, high_at = (normal_below([-far, far]) * last).tolist()
        least, most = between.min(axis=0), between.max(axis=0)
        is_flat, scarce, found = most - least <= scale(between) * rounding(1.0), differing(between), []
        for at, (i, j) in enumerate(self.pairs):
            if is_flat[at]:
                found.append(Interval.constant(float(between[0, at]), confidence))
                continue
            ends = _ends(of_column[i] - of_column[j], low_at, high_at)
            low, high = (end * float(self.unit[i]) / n for end in ends)
            within = max(low, float(least[at])), min(high, float(most[at]))
            found.append(Interval(estimates[at], *within, confidence, "percentile", scarce[at]))
        return found


def pair_randomizations(values: ArrayLike, pairs: Pairs, *, samples: int = 10_000, seed: int = 0) -> Floats:
    """(pairs,) the p of each pair's randomization test, as `randomizations` has it; one set of samples serves all.

    Args:
        values: (n, m) as for `mean_and_pair_intervals`.

    >>> pair_randomizations([[0.5, 0.25], [0.75, 0.5], [1.0, 0.5], [0.5, 0.25]], [(0, 1)]).tolist()
    [0.125]
    """
    checked = table(values)
    count(samples, "samples")
    grid, _ = on_grid(checked, 2 * _compared_scale(checked, pairs))
    drawn = np.count_nonzero(paired_differences(checked, pairs), axis=0) > EXACT_UP_TO
    p, hits = np.ones(len(pairs)), np.zeros(len(pairs), np.int64)
    counted = [pairs[at] for at in np.flatnonzero(~drawn).tolist()]
    if counted:
        first, second = _columns(counted, checked.shape[1])
        p[~drawn] = [each.p for each in randomizations(checked[:, first], checked[:, second])]
    first, second = _columns(pairs, checked.shape[1])
    least = np.abs((grid[:, first] - grid[:, second]).sum(axis=0)) - len(grid)
    for sums in _by_system(flipped_sums(grid, samples, seed)) if drawn.any() else ():
        for at in np.flatnonzero(drawn).tolist():
            hits[at] += np.count_nonzero(np.abs(sums[first[at]] - sums[second[at]]) >= least[at])
    p[drawn] = (hits[drawn] + 1) / (samples + 1)
    return p


def max_t(values: ArrayLike, *, pairs: Pairs | None = None, samples: int = 10_000, seed: int = 0) -> Floats:
    """The p of each pair of systems, such that any false find among them all is as rare as promised.

    The signs of a query's differences are flipped together, so that what the systems have in common stays. Each
    pair is held against the largest |t| among all pairs that are not clearer than it (step-down max-T). Nothing
    is assumed of how values are distributed but that chance favours no side. Westfall and Young (1993).

    Args:
        values: (n, m) one row per query, one column per system.
        pairs: of columns; all by default, in the order (0, 1), (0, 2), …, (1, 2), ….

    Returns:
        (pairs,) adjusted p; with up to 12 queries counted over all sign patterns.

    >>> max_t([[0.5, 0.25, 0.25], [0.75, 0.5, 0.5], [1.0, 0.5, 0.5], [0.5, 0.25, 0.25]]).tolist()
    [0.125, 0.125, 1.0]
    """
    checked = table(values)
    count(samples, "samples")
    m = checked.shape[1]
    first, second = _columns(list(itertools.combinations(range(m), 2)) if pairs is None else pairs, m)
    grid, _ = on_grid(checked, 2 * scale(checked).max())
    spread, apart = _sizes(grid, first, second)
    spread[spread == 0] = np.inf  # identical systems never differ
    observed = np.maximum(apart - len(grid), 0) / spread
    order = np.argsort(-observed, kind="stable")
    hits, of = np.zeros(len(order), np.int64), 0
    exact = len(grid) <= ALL_FLIPS_UP_TO
    blocks = iter([all_flipped_sums(grid)]) if exact else flipped_sums(grid, samples, seed)
    for sums in _by_system(blocks):
        largest = np.zeros(sums.shape[1])
        for at in order[::-1].tolist():
            np.maximum(largest, np.abs(sums[first[at]] - sums[second[at]]) / spread[at], out=largest)
            hits[at] += np.count_nonzero(largest >= observed[at])
        of += sums.shape[1]
    p = np.empty(len(order))
    p[order] = np.maximum.accumulate((hits[order] if exact else hits[order] + 1) / (of if exact else of + 1))
    return p


def _sizes(grid: Floats, first: Ints, second: Ints) -> tuple[Floats, Floats]:
    """(pairs,) the root of the sum of squares of each pair's differences, and the absolute value of their sum."""
    spread, apart = np.empty(len(first)), np.empty(len(first))
    width = max(1, AT_ONCE // len(grid))
    for start in range(0, len(first), width):
        part = slice(start, start + width)
        between = np.asfortranarray(grid[:, first[part]] - grid[:, second[part]])  # so that no sum depends on width
        spread[part], apart[part] = np.sqrt((between**2).sum(axis=0)), np.abs(between.sum(axis=0))
    return spread, apart


def _columns(pairs: Pairs, m: int) -> tuple[Ints, Ints]:
    """(pairs,) the first columns, and the second ones."""
    if wrong := [pair for pair in pairs if not all(0 <= i < m for i in pair)]:
        raise ValueError(f"there is no pair {wrong[0]} among {m} systems")
    first, second = np.array(pairs, np.int64).reshape(-1, 2).T
    return first, second


def _compared_scale(values: Floats, pairs: Pairs) -> Floats:
    """(m,) the largest absolute value of each column and of all columns that pairs connect it with."""
    first, second = _columns(pairs, values.shape[1])
    largest, before = scale(values), None
    while before is None or (largest != before).any():
        before, of_both = largest.copy(), np.maximum(largest[first], largest[second])
        np.maximum.at(largest, first, of_both)
        np.maximum.at(largest, second, of_both)
    return largest


def _by_system(blocks: Iterator[Floats]) -> Iterator[Floats]:
    """(m, samples) the sums, one row per system, in blocks large enough that the calls for each pair pay."""
    held: list[Floats] = []
    size = 0
    for block in blocks:
        held.append(block)
        size += block.size
        if size >= AT_ONCE:
            yield np.ascontiguousarray(np.concatenate(held).T)
            held, size = [], 0
    if held:
        yield np.ascontiguousarray(np.concatenate(held).T)


def _ends(values: Floats, low: float, high: float) -> tuple[float, float]:
    """What `numpy.quantile` gives at two places of the sorted values, from 0, by one selection of all places.

    NumPy selects a single place with vector instructions, which take five times as long on AMD's processors with
    AVX-512.
    """
    below, above, last = int(low), int(high), len(values) - 1
    if above <= below + 1 or below == last:
        low_end, high_end = np.quantile(values, np.array([low, high]) / max(1, last))
        return float(low_end), float(high_end)
    beyond = min(above + 1, last)
    ordered = np.partition(values, (below, below + 1, above, beyond))
    start, after, end, farther = ordered[[below, below + 1, above, beyond]]
    return float(start + (after - start) * (low - below)), float(end + (farther - end) * (high - above))
