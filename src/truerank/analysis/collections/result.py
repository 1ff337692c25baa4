"""What several collections say of systems: a value that prints, and becomes JSON or a DataFrame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from truerank.core.errors import InputError, pluralize
from truerank.core.means import ByMeasure
from truerank.core.messages import listed, message
from truerank.core.presented import Presented, finite
from truerank.core.scores import Scores
from truerank.measures import Measure
from truerank.measures.sums import Floats
from truerank.stats import Interval, Nested
from truerank.stats.nested import Drawn


@dataclass(frozen=True, eq=False)
class Standings:
    """How systems stand over all collections by one measure.

    Attributes:
        measure: what was measured.
        heading: what it is called.
        means: (systems, collections) NaN where a system has no run.
        queries: (collections,) how many queries each mean is over.
        ranked: the systems that have a run on every collection, the best first.
        sample: what the collections say of these, in their order.
        partial: {system: the mean over the collections that it has}, of the others, where that was asked for.
    """

    measure: Measure
    heading: str
    means: Floats
    queries: tuple[int, ...]
    ranked: tuple[str, ...]
    sample: Nested
    partial: Mapping[str, float]

    @property
    def overall(self) -> dict[str, Interval]:
        """{system: its mean over collections, with its interval, which stays within what values can be}."""
        intervals = self.sample.overall
        if self.measure.definition.unit:
            intervals = tuple(one.within(0.0, 1.0) for one in intervals)
        return dict(zip(self.ranked, intervals, strict=True))

    @property
    def ranks(self) -> dict[str, tuple[int, int]]:
        """{system: the first and the last rank it may have}, for all systems at once."""
        return {name: (int(a), int(b)) for name, (a, b) in zip(self.ranked, self.sample.ranks, strict=True)}

    @property
    def borda(self) -> dict[str, float]:
        """{system: its votes}: of each collection one for every system below it, half for one beside it."""
        return dict(zip(self.ranked, self.sample.borda.tolist(), strict=True))

    @property
    def borda_ranks(self) -> dict[str, int]:
        """{system: its rank by votes}; those with equally many share the first, as in MTEB."""
        votes = self.sample.borda
        return {name: 1 + int((votes > own).sum()) for name, own in self.borda.items()}

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Runs of systems that cannot be told apart, the best first; a system may be in several."""
        return tuple(tuple(self.ranked[i] for i in group) for group in self.sample.groups)

    def better(self, system: str) -> tuple[str, ...]:
        """The systems that this one is surely better than.

        Raises:
            InputError: it has no rank.
        """
        if system not in self.ranked:
            raise InputError("{system!r} has no rank; ranked are {known}", system=system, known=listed(self.ranked))
        row = self.sample.better[self.ranked.index(system)]
        return tuple(name for name, is_better in zip(self.ranked, row, strict=True) if is_better)


@dataclass(frozen=True, eq=False, repr=False)
class Collections(Presented, ByMeasure[Standings]):
    """Systems over several collections: a mapping {measure: `Standings`}.

    Attributes:
        names: of the collections.
        systems: all there are, in the order in which they were met.
        standings: what each measure says.
        missing: {system: the collections that it has no run on}; these systems have no rank.
        dropped: {collection: queries that only some systems have scores for, which were left out}.
        drawn: whether collections are "fixed" or drawn from a population ("random"), as queries always are.
        confidence: of the intervals, and of all rank intervals together.
        samples, seed: of the resampling.
        scores: {collection: {system: its scores}}.

    >>> import truerank as tr
    >>> qrels = {f"q{n}": {"a": 1} for n in range(9)}
    >>> old, new = {q: ["x", "a"] for q in qrels}, {q: ["a"] for q in qrels}
    >>> found = tr.collections({name: (qrels, {"old": old, "new": new}) for name in ("web", "news")}, "RR")
    >>> found["RR"].ranks, found["RR"].borda
    ({'new': (1, 1), 'old': (2, 2)}, {'new': 2.0, 'old': 0.0})
    """

    built_by = "collections"
    done = message("compared")

    names: tuple[str, ...]
    systems: tuple[str, ...]
    standings: tuple[Standings, ...]
    missing: Mapping[str, tuple[str, ...]]
    dropped: Mapping[str, int]
    drawn: Drawn
    confidence: float
    samples: int
    seed: int
    scores: Mapping[str, Mapping[str, Scores]]

    def _summary(self) -> str:
        first = {one.heading: list(one.overall.items())[:3] for one in self.standings}
        means = "; ".join(
            f"{heading}: {', '.join(f'{name} {mean.estimate:.4f}' for name, mean in best)}"
            for heading, best in first.items()
        )
        counts = f"{pluralize(len(self.systems), 'system')}, {pluralize(len(self.names), 'collection')}"
        return f"Collections({counts}, {self.drawn}; {means})"

    @cached_property
    def _named(self) -> Mapping[str, Standings]:
        return {one.heading: one for one in self.standings}

    def heading(self, measure: str | Measure) -> str:
        """The name of a measure here, however it is spelled."""
        return self._any.heading(measure)

    @property
    def _any(self) -> Scores:
        """The scores of some system on some collection: rules and headings are the same for all."""
        return next(one for of in self.scores.values() for one in of.values())

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "rules": self._any.rules.to_dict(),
            "collections": list(self.names),
            "drawn": self.drawn,
            "confidence": self.confidence,
            "samples": self.samples,
            "seed": self.seed,
            "missing": {name: list(where) for name, where in self.missing.items()},
            "dropped": dict(self.dropped),
            "standings": [self._plain(one) for one in self.standings],
        }

    def _plain(self, one: Standings) -> dict[str, Any]:
        sample, ranks, borda_ranks = one.sample, one.ranks, one.borda_ranks
        systems = {
            name: {
                **interval.to_dict("mean"),
                "ranks": list(ranks[name]),
                "borda": one.borda[name],
                "borda_rank": borda_ranks[name],
                "better_than": list(one.better(name)),
            }
            for name, interval in one.overall.items()
        }
        means = dict(zip(self.systems, one.means.tolist(), strict=True))
        return {
            "measure": one.heading,
            "query_count": dict(zip(self.names, one.queries, strict=True)),
            "systems": systems,
            "groups": [list(group) for group in one.groups],
            "means": {name: dict(zip(self.names, map(finite, row), strict=True)) for name, row in means.items()},
            "partial": dict(one.partial),
            "variances": None if sample.variances is None else vars(sample.variances),
            "error": sample.error,
            "model_error": sample.model_error,
        }
