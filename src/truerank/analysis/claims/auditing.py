"""A table of means in; which of its pairs the queries could have told apart, out."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from truerank import stats
from truerank.analysis.claims.asked import check_level, check_queries, check_sd
from truerank.analysis.claims.published import Mean, Published, no_column, published
from truerank.analysis.claims.result import Claim, TableAudit, Told, Verdict
from truerank.analysis.claims.spreads import Spread, is_less_better, measure_of, usual
from truerank.core.equal import CLOSE, as_one
from truerank.core.errors import InputError, needs
from truerank.core.messages import did_you_mean, listed
from truerank.core.schema import is_real, plain
from truerank.stats.binomial import sign_p

BINARY = ("accuracy", "acc", "em", "exact match")
"""Headings of columns whose values are 0 or 1 at each query, besides Success; with or without a cutoff."""

ROUNDING = 1e-9
"""Tolerance at a published digit: 0.4125 may be written as 0.412 or 0.413."""


def audit_table(
    table: Any,
    queries: int,
    *,
    sd: float | None = None,
    measures: Sequence[str] | str | None = None,
    binary: Sequence[str] = (),
    baseline: str | None = None,
    alpha: float = 0.05,
) -> TableAudit:
    """What a published table of means could ever have shown with so many queries.

    Means alone do not say how much a difference varies from query to query. So each pair is asked at which
    standard deviation it would be significant, by the two-sided paired t-test with alpha divided by the number of
    pairs, and that is held against what is given or usual. Of values that are 0 or 1, means and n say how often two
    systems can have disagreed, and the sign test (McNemar 1947, exact) gives the best and the worst p. Published
    digits are rounded; each pair gets the benefit of that doubt.

    Args:
        table: a path (CSV, TSV, Markdown, LaTeX; "-" is standard input) or {system: {measure: mean}}.
        queries: how many the means are of.
        sd: the standard deviation of differences; by default what is usual of each measure.
        measures: the columns that matter; by default all that hold numbers.
        binary: columns whose values are 0 or 1, besides Success and accuracy.
        baseline: the system that all others are compared to; by default every two.

    Raises:
        TruerankError: no table, one system, a number that is none of its kind.
    """
    check_queries(queries)
    if sd is not None:
        check_sd(sd)
    if not is_real(alpha) or not 0 < alpha < 1:
        raise InputError("alpha is between 0 and 1, not {given!r}", given=alpha)
    check_level(alpha, 1)
    queries, sd, alpha = plain(queries), plain(sd), plain(alpha)
    names = measures.split() if isinstance(measures, str) else measures
    means = published(table, names)
    _refuse_unknown(means, binary, baseline)
    columns = [_Column(means, name, queries, sd, alpha, name in binary, baseline) for name in means.columns]
    with needs("audit_table", "stats"):
        claims = tuple(claim for column in columns for claim in column.claims())
        told = tuple(column.told() for column in columns)
    return TableAudit(means.name, queries, alpha, baseline, told, claims, sd is not None, means.left_out)


def _refuse_unknown(published: Published, binary: Sequence[str], baseline: str | None) -> None:
    for name in set(binary) - set(published.columns):
        raise no_column(name, list(published.columns), published.name)
    if baseline is not None and baseline not in published.systems:
        raise InputError(
            "it has no system {name!r}.{hint} It has {known}",
            published.name,
            name=baseline,
            hint=did_you_mean(baseline, published.systems),
            known=listed(published.systems, 12),
        )


@dataclass(frozen=True)
class _Column:
    """One measure of a table."""

    table: Published
    measure: str
    queries: int
    sd: float | None
    alpha: float
    is_said_binary: bool
    baseline: str | None

    @cached_property
    def means(self) -> dict[str, Mean]:
        return dict(self.table.columns[self.measure])

    @cached_property
    def is_binary(self) -> bool:
        """Whether values are 0 or 1, by the column's name or by `binary`."""
        named = measure_of(self.measure)
        is_success = named is not None and named.definition.name == "Success"
        return self.is_said_binary or is_success or self.measure.lower().partition("@")[0] in BINARY

    @cached_property
    def spread(self) -> Spread:
        return usual(self.measure) if self.sd is None else Spread(self.sd, self.sd, self.sd)

    @cached_property
    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of systems, the better one first."""
        means, sign = self.means, 1 if is_less_better(self.measure) else -1
        ordered = sorted(means, key=lambda system: sign * means[system].value)
        pairs = itertools.combinations(ordered, 2)
        return [pair for pair in pairs if self.baseline is None or self.baseline in pair]

    @cached_property
    def level(self) -> float:
        return self.alpha / max(1, len(self.pairs))

    def claims(self) -> list[Claim]:
        """Each pair, the largest difference first."""
        claims = [self._claim(*pair) for pair in self.pairs]
        sizes = as_one([claim.difference for claim in claims])
        return [claims[place] for place in np.argsort(-sizes, kind="stable").tolist()]

    def _claim(self, better: str, worse: str) -> Claim:
        b, a = sorted((self.means[better], self.means[worse]), key=lambda mean: mean.value)
        apart, slack = a.value - b.value, (a.unit + b.unit) / 2
        low, high = max(0.0, apart - slack), min(1.0, apart + slack)
        critical = stats.critical_sd(high, self.queries, alpha=self.level)
        if self.is_binary and self.sd is None:
            best, worst = self._by_sign(a, b)
            told = _told(worst <= self.level, best <= self.level)
            return Claim(self.measure, better, worse, apart, low, high, critical, told, best, worst)
        surely = stats.critical_sd(low, self.queries, alpha=self.level) >= self.spread.high
        told = _told(surely, critical >= self.spread.low)
        return Claim(self.measure, better, worse, apart, low, high, critical, told)

    def _by_sign(self, a: Mean, b: Mean) -> tuple[float, float]:
        """p if the two disagree on as few, and on as many queries as possible."""
        first, second = self._counts(a), self._counts(b)
        best = sign_p(max(0, first[1] - second[0]), 0)
        ways = [(one, min(one, other)) for one in first for other in second]
        return best, max(sign_p(*self._most(one, other)) for one, other in ways)

    def _most(self, one: int, other: int) -> tuple[int, int]:
        """How many queries only the first, and only the second, may find at most."""
        both = max(0, one + other - self.queries)
        return one - both, other - both

    def _counts(self, mean: Mean) -> tuple[int, int]:
        """The fewest and the most ones with which the rounded mean is this; the nearest number if there is none."""
        low, high = self._between(mean)
        least, most = math.ceil(low), math.floor(high)
        nearest = round(mean.value * self.queries)
        return (least, most) if least <= most else (nearest, nearest)

    def _between(self, mean: Mean) -> tuple[float, float]:
        slack = mean.unit * (0.5 + ROUNDING) + CLOSE
        return max(0.0, mean.value - slack) * self.queries, min(1.0, mean.value + slack) * self.queries

    def _impossible(self) -> tuple[str, ...]:
        """Systems whose mean cannot be that of so many zeros and ones (Brown and Heathers 2017)."""
        if not self.is_binary:
            return ()
        between = {system: self._between(mean) for system, mean in self.means.items()}
        return tuple(system for system, (low, high) in between.items() if math.ceil(low) > math.floor(high))

    def told(self) -> Told:
        """The summary of the column."""
        ends, n, level = (self.spread.low, self.spread.high), self.queries, self.level
        least, most = (stats.critical_difference(sd, n, alpha=level) for sd in ends)
        first, last = (stats.smallest_detectable(sd, n, alpha=level) for sd in ends)
        return Told(
            self.measure,
            len(self.means),
            self.is_binary,
            self.measure in self.table.percent,
            max((mean.unit for mean in self.means.values()), default=0.0),
            *ends,
            level,
            (least, most),
            (first, last),
            self._impossible(),
            tuple(system for system in self.table.systems if system not in self.means),
        )


def _told(surely: bool, possibly: bool) -> Verdict:
    return "yes" if surely else "depends" if possibly else "no"
