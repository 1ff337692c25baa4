"""Several runs of one system on the same queries: what differs between queries, what between runs, and the rest.

Queries and runs are crossed random effects without replication: value = mean + query + run + rest, where the rest
is what a run does on a query beyond both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from numpy.typing import ArrayLike

from truerank.core.equal import are_equal
from truerank.stats.distributions import chi2_quantile, t_above, t_quantile
from truerank.stats.halving import enough_whole
from truerank.stats.intervals import Interval, mean_interval
from truerank.stats.paired import paired_t
from truerank.stats.power import shift_detected
from truerank.stats.values import Floats, count, differences, mean, share, table

GUARD = 0.3
"""Few runs mostly underestimate the variance between runs. So the degrees of freedom are computed with a variance
so large that only this share of its estimates would be as small as the observed one (see docs/calibration.md)."""


@dataclass(frozen=True)
class Components:
    """The variance components of the values of one system's runs.

    Attributes:
        queries, runs: how many of each.
        mean: of all values.
        between_queries: the variance of the queries' true means.
        between_runs: the variance of the runs' true means.
        rest: the variance of what a run does on a query beyond both.
        negative: which of the first two were estimated below 0, and set to 0.
    """

    queries: int
    runs: int
    mean: float
    between_queries: float
    between_runs: float
    rest: float
    negative: tuple[str, ...] = ()

    @property
    def of_runs(self) -> float:
        """The variance of the mean that comes from the choice of runs."""
        return self.between_runs / self.runs

    @property
    def reckoned(self) -> float:
        """`of_runs`, raised to an upper limit that allows for how few the runs are (`GUARD`)."""
        freedom = self.runs - 1
        return self.of_runs * freedom / chi2_quantile(GUARD, freedom)


def components(values: ArrayLike) -> Components:
    """The components of variance of a system's runs, by the expected mean squares of a two-way layout.

    Negative estimates are set to 0. Fisher (1925); Searle, Casella and McCulloch, Variance Components (1992).

    Args:
        values: (queries, runs), at least two of each.

    Raises:
        ValueError: fewer than two of either, or values that are not finite.

    >>> parts = components([[0.5, 0.75], [0.25, 0.25], [1.0, 1.0], [0.0, 0.25]])
    >>> parts.mean, round(parts.between_queries, 4), round(parts.between_runs, 4), round(parts.rest, 4)
    (0.5, 0.151, 0.0052, 0.0104)
    """
    rows = table(values)
    n, runs = rows.shape
    if n < 2 or runs < 2:
        raise ValueError(f"there must be two queries and two runs or more, not {n} and {runs}")
    of_all, of_query, of_run = float(mean(mean(rows.T))), mean(rows.T), mean(rows)
    queries = runs * float(((of_query - of_all) ** 2).sum()) / (n - 1)
    if are_equal(rows, rows[:, :1]).all():
        return Components(n, runs, of_all, queries / runs, 0.0, 0.0)
    rest = float(((rows - of_query[:, None] - of_run + of_all) ** 2).sum()) / ((n - 1) * (runs - 1))
    between_queries = (queries - rest) / runs
    between_runs = float(((of_run - of_all) ** 2).sum()) / (runs - 1) - rest / n
    named = {"between_queries": between_queries, "between_runs": between_runs}
    negative = tuple(name for name, estimate in named.items() if estimate < 0)
    return Components(n, runs, of_all, max(between_queries, 0.0), max(between_runs, 0.0), rest, negative)


@dataclass(frozen=True)
class Spread:
    """How far chance moves a mean, or a difference of two: by the choice of the queries, and of the runs.

    Attributes:
        queries: how many.
        of_queries: the variance from the choice of queries, with the rest that is left in their means over runs.
        systems: the components of each system with several runs; one run shows nothing of how runs vary.
    """

    queries: int
    of_queries: float
    systems: tuple[Components, ...]

    @property
    def of_runs(self) -> float:
        """The variance from the choice of runs."""
        return math.fsum(one.of_runs for one in self.systems)

    @property
    def share_of_runs(self) -> float:
        """The share of the variance that comes from runs; 0 where there is no variance."""
        whole = self.of_queries + self.of_runs
        return self.of_runs / whole if whole else 0.0

    @property
    def error(self) -> float:
        """The standard error: the root of the sum of both variances."""
        return math.sqrt(self.of_queries + self.of_runs)

    @property
    def freedom(self) -> float:
        """The degrees of freedom of the standard error (Satterthwaite 1946), guarded where there are few runs."""
        parts = [(self.of_queries, self.queries - 1), *((one.reckoned, one.runs - 1) for one in self.systems)]
        whole = math.fsum(part for part, _ in parts)
        if not whole:
            return float(self.queries - 1)
        return 1 / math.fsum((part / whole) ** 2 / freedom for part, freedom in parts)

    def half_width(self, confidence: float = 0.95) -> float:
        """How far an interval reaches to either side, by Student's t."""
        return t_quantile((1 + share(confidence, "confidence")) / 2, self.freedom) * self.error

    def p(self, estimate: float) -> float:
        """The two-sided p of an estimate: how often chance alone moves it as far from 0."""
        return min(1.0, 2 * t_above(abs(estimate) / self.error, self.freedom)) if self.error and estimate else 1.0

    def detectable(self, *, alpha: float = 0.05, power: float = 0.8) -> float:
        """The smallest true difference that is detected with this power."""
        return self.error * shift_detected(self.freedom, alpha=alpha, power=power)

    def widened(self, interval: Interval) -> Interval:
        """An interval that only allows for the choice of queries, widened by the variance between runs.

        Each half of it becomes a number of standard errors, so that its skewness stays, and is combined with the
        variance of runs (as in Zou and Donner 2008).
        """
        if not self.of_runs or not math.isfinite(interval.high - interval.low):
            return interval
        level = (1 + interval.confidence) / 2
        known, reach = t_quantile(level, self.queries - 1), t_quantile(level, self.freedom)
        down, up = (
            reach * math.hypot((end - interval.estimate) / known, math.sqrt(self.of_runs))
            for end in (interval.low, interval.high)
        )
        method = interval.method if interval.method != "constant" else "t"
        return replace(interval, low=interval.estimate - down, high=interval.estimate + up, method=method)

    def at(self, queries: int, runs: int) -> Spread:
        """The spread with this many queries, and this many runs of each system that has several."""
        return self._with(count(queries, "queries"), [count(runs, "runs")] * len(self.systems))

    def times(self, queries: int, runs: int) -> Spread:
        """The spread with this many times the queries, and this many times the runs of each system."""
        return self._with(queries * self.queries, [runs * one.runs for one in self.systems])

    def _with(self, queries: int, runs: Sequence[int]) -> Spread:
        systems = tuple(replace(one, queries=queries, runs=n) for one, n in zip(self.systems, runs, strict=True))
        rest = math.fsum(one.rest / one.runs for one in systems)
        return Spread(queries, (self._between_queries + rest) / queries, systems)

    @property
    def enough_runs(self) -> int | None:
        """The number of runs from which on twice the queries narrow the interval more than twice the runs.

        None where queries do not differ, so that only runs help; 1 where runs do not.

        >>> mean_over_runs([[0.5, 0.75], [0.25, 0.25], [1.0, 1.0], [0.0, 0.25]] * 5).spread.enough_runs
        4
        """
        if not self.of_runs:
            return 1
        if not self._between_queries:
            return None
        return enough_whole(self._runs_help)

    def _runs_help(self, runs: int) -> bool:
        """Whether twice as many runs narrow the interval more than twice as many queries."""
        more_runs, more_queries = self.at(self.queries, 2 * runs), self.at(2 * self.queries, runs)
        return more_runs.half_width() < more_queries.half_width()

    @property
    def _between_queries(self) -> float:
        """The variance of the queries' true values: that of their means over runs less what the rest adds to it."""
        return max(0.0, self.queries * self.of_queries - math.fsum(one.rest / one.runs for one in self.systems))


def spread(values: Floats, *systems: Components) -> Spread:
    """The spread of the mean of (n,) values: a system's means over its runs, or the differences of two systems'."""
    variance = float(values.var(ddof=1)) if len(values) > 1 else 0.0
    return Spread(len(values), variance / len(values), systems)


@dataclass(frozen=True)
class OverRuns:
    """A mean over queries and runs, or the difference of two such means.

    Attributes:
        interval: allows for other queries and for other runs.
        p: of a difference, how often chance sets two equal systems as far apart; NaN for a mean.
        spread: where its uncertainty comes from, and what more queries and runs would do.
    """

    interval: Interval
    p: float
    spread: Spread


def mean_over_runs(
    values: ArrayLike, *, confidence: float = 0.95, resamples: int = 10_000, seed: int = 0
) -> OverRuns:
    """Where the mean of a system may lie, over all its queries and over all its runs.

    The bootstrap interval of the queries' means (`mean_interval`), widened by the variance between runs.

    Args:
        values: (queries, runs).

    >>> over = mean_over_runs([[0.5, 0.75], [0.25, 0.25], [1.0, 1.0], [0.0, 0.25]] * 5)
    >>> over.interval.estimate, round(over.spread.share_of_runs, 3)
    (0.5, 0.375)
    """
    known = components(values)
    rows = mean(table(values).T)
    uncertainty = spread(rows, known)
    return OverRuns(
        uncertainty.widened(mean_interval(rows, confidence=confidence, resamples=resamples, seed=seed)),
        math.nan,
        uncertainty,
    )


def difference_over_runs(
    a: ArrayLike, b: ArrayLike, *, confidence: float = 0.95, resamples: int = 10_000, seed: int = 0
) -> OverRuns:
    """Where the difference of two systems may lie, and whether it may be chance, over other queries and other runs.

    Both have the same queries. Each has its own runs, any number of them, with their own variance (as in Welch
    1947). One run shows nothing of the variance between runs: such a system is taken as it is.

    Args:
        a, b: (queries, runs) each.

    >>> a, b = [[0.5, 0.75], [0.25, 0.25], [1.0, 1.0], [0.0, 0.25]], [[0.25], [0.0], [1.0], [0.0]]
    >>> over = difference_over_runs(a * 5, b * 5)
    >>> round(over.interval.estimate, 4), over.p < 0.05
    (0.1875, False)
    """
    first, second = table(a, "a"), table(b, "b")
    one, other = mean(first.T), mean(second.T)
    rows = differences(one, other)
    uncertainty = spread(rows, *(components(each) for each in (first, second) if each.shape[1] > 1))
    drawn = mean_interval(rows, confidence=confidence, method="percentile", resamples=resamples, seed=seed)
    p = uncertainty.p(drawn.estimate) if uncertainty.of_runs else paired_t(one, other).p
    return OverRuns(uncertainty.widened(drawn), p, uncertainty)
