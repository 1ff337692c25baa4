"""Systems over several collections of queries: their means, which differ, and which ranks they may have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from truerank.stats.binomial import unanimous_p
from truerank.stats.bootstrap import resampled_means
from truerank.stats.corrections import adjust
from truerank.stats.distributions import normal_quantile, t_beyond, t_quantile
from truerank.stats.flips import ALL_FLIPS_UP_TO, all_flipped_sums, flipped_sums
from truerank.stats.intervals import Interval, differing, is_too_few
from truerank.stats.many import Groups
from truerank.stats.mixed import Variances, mixed_model
from truerank.stats.ranks import Sure, borda, indistinct, rank_intervals, surely_better
from truerank.stats.values import Floats, Ints, count, mean, on_grid, rounding, scale, share, table

Drawn = Literal["fixed", "random"]
"""Collections are the ones that matter, or drawn from a population of collections."""


@dataclass(frozen=True, eq=False)
class Nested:
    """What several collections say of systems.

    Attributes:
        means: (collections, m).
        overall: the mean over collections of each system, with its interval: of Student's t.
        borda: (m,) votes.
        better: (m, m) whether the system of the row is surely better than that of the column.
        ranks: (m, 2) the first and the last that each may have, for all systems at once.
        groups: runs of systems that cannot be told apart, the best first.
        error: the standard error of the difference of two systems, the root mean square over pairs; None where
            it is unknown, or there is one system.
        variances: those of a linear mixed model; None where they are unknown.
        model_error: the standard error that this model gives.
    """

    means: Floats
    overall: tuple[Interval, ...]
    borda: Floats
    better: Sure
    ranks: Ints
    groups: Groups
    error: float | None
    variances: Variances | None
    model_error: float | None


def nested(
    values: Sequence[ArrayLike],
    *,
    collections: Drawn = "fixed",
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
    lower_is_better: bool = False,
) -> Nested:
    """How systems stand over several collections, each of which counts alike.

    Queries are drawn within collections. Fixed: intervals are Student's t over the queries' variances, with
    Welch and Satterthwaite's degrees of freedom (1947); pairs are held against the largest |t| when the queries of
    each collection are drawn again. Random: the means of collections are the sample, which contain what chance
    does to their queries; intervals are Student's t with collections − 1 degrees of freedom (Ibragimov and
    Müller 2010), and the signs of all differences on a collection are flipped together (the wild cluster
    bootstrap; Cameron, Gelbach and Miller 2008). Of collections so few that flips decide nothing, up to 5 at
    95 %, p are those of paired t-tests with Holm's correction.

    Args:
        values: of each collection (queries, m), one column per system.

    Raises:
        ValueError: no collection, other systems in some of them, or numbers that are not finite.

    >>> means = nested([[[0.5, 0.25], [0.75, 0.5]], [[0.5, 0.5], [1.0, 0.5]]])
    >>> [each.estimate for each in means.overall], means.borda.tolist(), means.ranks.tolist()
    ([0.6875, 0.4375], [2.0, 0.0], [[1, 2], [1, 2]])
    """
    checked = _checked(values)
    share(confidence, "confidence")
    count(resamples, "resamples")
    if collections not in get_args(Drawn):
        raise ValueError(f"collections are {' or '.join(get_args(Drawn))}, not {collections!r}")
    work = _Work(checked, confidence, resamples, seed)
    overall, error, higher = work.fixed() if collections == "fixed" else work.random()
    better = higher.T if lower_is_better else higher
    heights = work.means * (-1 if lower_is_better else 1)
    model, sizes, pairs = mixed_model(checked), [len(each) for each in checked], work.pairs
    is_known = error is not None and len(pairs[0]) > 0
    return Nested(
        work.means,
        overall,
        borda(heights),
        better,
        rank_intervals(better),
        indistinct(better, heights.mean(axis=0)),
        float(np.sqrt((error[pairs] ** 2).mean())) if error is not None and is_known else None,
        model,
        model.error(sizes, drawn=collections == "random") if model and is_known else None,
    )


def _checked(values: Sequence[ArrayLike]) -> list[Floats]:
    checked = [table(each) for each in values]
    if not checked:
        raise ValueError("there is no collection; at least one is needed")
    if len({each.shape[1] for each in checked}) > 1:
        raise ValueError("the collections have different numbers of systems")
    return checked


_Found = tuple[tuple[Interval, ...], Floats | None, Sure]
"""The intervals of systems; the standard errors of their differences, None where unknown; which is higher."""


@dataclass(frozen=True, eq=False)
class _Work:
    """The values of each collection, and how they are looked at."""

    values: Sequence[Floats]
    confidence: float
    resamples: int
    seed: int

    @property
    def alpha(self) -> float:
        """The probability that some order is wrong."""
        return round(1 - self.confidence, 12)

    def fixed(self) -> _Found:
        """The results where only queries are drawn."""
        total = sum(map(len, self.values))
        if min(map(len, self.values)) < 2 or is_too_few(total, self.confidence):
            return self._unknown()
        sizes = np.array([len(each) for each in self.values])
        apart = np.array([_variances(each) / len(each) for each in self.values])
        error, freedom = _welch(apart, sizes)
        # as far as a normal deviate that is as rare: with many queries and with few, resamples are nearly normal
        deviate = -normal_quantile(self._p(error, freedom, total) / 2) * np.sign(self.apart)
        spread = np.sqrt((apart * (1 - 1 / sizes)[:, None, None]).sum(axis=0)) / len(sizes)
        spread[error <= self._least] = np.inf
        own = np.array([each.var(axis=0, ddof=1) / len(each) for each in self.values])
        higher = surely_better(self._drawn(), spread, deviate, self.alpha)
        return self._intervals(*_welch(own, sizes), differing(np.concatenate(self.values))), error, higher

    def random(self) -> _Found:
        """The results where collections are drawn, with their queries."""
        n, m = self.means.shape
        if n < 2:
            return self._unknown()
        error = np.sqrt(_variances(self.means) / n)
        freedom = np.full((m, m), n - 1.0)
        intervals = self._intervals(np.sqrt(self.means.var(axis=0, ddof=1) / n), freedom[0], [None] * m)
        if is_too_few(n, self.confidence):
            higher = np.zeros((m, m), np.bool_)
            p = self._p(error, freedom, n)[self.pairs]
            if len(p):
                higher[self.pairs] = adjust(p, "holm") <= self.alpha
            return intervals, error, (higher | higher.T) & (self.apart > 0)
        grid, _ = on_grid(self.means, 2 * self._largest)
        spread = np.sqrt(np.array([((grid - each[:, None]) ** 2).sum(axis=0) for each in grid.T]))
        spread[spread <= n] = np.inf  # identical systems never differ
        total = grid.sum(axis=0)
        exact = n <= ALL_FLIPS_UP_TO
        drawn = all_flipped_sums(grid) if exact else np.vstack([*flipped_sums(grid, self.resamples, self.seed)])
        observed = (total[:, None] - total) / spread
        return intervals, error, surely_better(drawn, spread, observed, self.alpha, exact=exact)

    @cached_property
    def means(self) -> Floats:
        """(collections, m) of each."""
        return np.array([mean(each) for each in self.values])

    @cached_property
    def apart(self) -> Floats:
        """(m, m) the difference of the row's system and the column's over collections; 0 where that is rounding."""
        over = self.means.mean(axis=0)
        apart = over[:, None] - over
        return np.where(np.abs(apart) <= self._least, 0.0, apart)

    @property
    def pairs(self) -> tuple[Ints, Ints]:
        """The rows and columns of every two systems."""
        return np.triu_indices(self.means.shape[1], 1)

    @cached_property
    def _largest(self) -> float:
        return max(float(scale(each).max()) for each in self.values)

    @property
    def _least(self) -> float:
        return rounding(self._largest)

    def _drawn(self) -> Floats:
        """(resamples, m) how far the means over collections move where queries are drawn again."""
        moved = np.zeros((self.resamples, self.means.shape[1]))
        for place, (each, at) in enumerate(zip(self.values, self.means, strict=True)):
            seed = np.random.SeedSequence((self.seed, place)).generate_state(1, np.uint64)
            moved += resampled_means(each, self.resamples, int(seed[0])) - at
        moved /= len(self.means)
        return moved

    def _p(self, error: Floats, freedom: Floats, n: int) -> Floats:
        """(m, m) the two-sided p of each pair by itself; without any spread that of a sign test, for all pairs."""
        is_flat = error <= self._least
        p = t_beyond(self.apart / np.where(is_flat, 1.0, error), freedom)
        return np.where(self.apart == 0, 1.0, np.where(is_flat, min(1.0, len(self.pairs[0]) * unanimous_p(n)), p))

    def _intervals(self, error: Floats, freedom: Floats, few: Sequence[int | None]) -> tuple[Interval, ...]:
        """The intervals of the systems' means.

        Args:
            few: `Interval.differing` of each system.
        """
        intervals = []
        each = zip(self.means.mean(axis=0).tolist(), error.tolist(), freedom.tolist(), few, strict=True)
        for over, one, free, scarce in each:
            if one <= self._least:
                intervals.append(Interval.constant(over, self.confidence))
                continue
            far = t_quantile((1 + self.confidence) / 2, free) * one
            intervals.append(Interval(over, over - far, over + far, self.confidence, "t", scarce))
        return tuple(intervals)

    def _unknown(self) -> _Found:
        over = self.means.mean(axis=0).tolist()
        intervals = tuple(Interval.unknown(each, self.confidence) for each in over)
        return intervals, None, np.zeros((len(over), len(over)), np.bool_)


def _variances(values: Floats) -> Floats:
    """(m, m) the variances of the differences of each two columns."""
    columns = np.ascontiguousarray(values.T)
    variances = np.zeros((len(columns), len(columns)))
    for at, own in enumerate(columns[:-1]):
        variances[at, at + 1 :] = variances[at + 1 :, at] = (columns[at + 1 :] - own).var(axis=1, ddof=1)
    return variances


def _welch(variances: Floats, sizes: Ints) -> tuple[Floats, Floats]:
    """The standard errors of means over collections, and their degrees of freedom.

    Args:
        variances: (collections, …) of the mean of each.
        sizes: (collections,) queries.
    """
    total = variances.sum(axis=0)
    shares = np.divide(variances, total, out=np.zeros_like(variances), where=total > 0)
    parts = np.tensordot(1 / (sizes - 1), shares**2, axes=1)
    freedom = np.divide(1, parts, out=np.ones_like(total), where=parts > 0)
    return np.sqrt(total) / len(sizes), freedom
