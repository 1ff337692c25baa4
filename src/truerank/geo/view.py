"""The outcome of an evaluation of places: one view a distance, with everything that can be said of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from truerank.core.errors import InputError
from truerank.core.evaluate import ranked
from truerank.core.hits import Hits
from truerank.core.messages import message
from truerank.core.presented import Presented, finite
from truerank.core.reading import Reading
from truerank.core.run import Run
from truerank.core.scores import Scores
from truerank.geo import accuracy
from truerank.geo.results import Results
from truerank.measures import Measure
from truerank.truth import Items, Truth, TruthNote
from truerank.truth.items import Bools, Floats, Ints

QUANTILES = (0.25, 0.5, 0.75, 0.9, 0.95)


@dataclass(frozen=True)
class QueryView:
    """One query: what is right, where it was returned, and what came first instead.

    Attributes:
        query: its id.
        truth: the nearest right reference, None if there is none.
        distance: metres from the query to it.
        rank: where the first right reference was returned, None if nowhere.
        recall: the share of the right references that were returned at all.
        top1: the first result, None if there is none.
        error: metres from the query to that; None if that is not known.
        truths: all right references.
    """

    query: str
    truth: str | None
    distance: float | None
    rank: int | None
    recall: float
    top1: str | None
    error: float | None
    truths: tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class View(Presented):
    """One way to measure, and its numbers.

    Attributes:
        distance: geodesic, haversine or xy.
        truth: what is right, with distances.
        reading: what was returned, read against `truth`; references have their ids, whatever the results call them.
        scores: a value for each query and measure.
        measures: those that were asked for.
        errors: (queries of the scores, ranks) metres from the query to its first results, infinite where there is
            none: of max(k) ranks, or as many as the longest list has, but one at least.
        first: these first results, as rows of the references.
        references: the items.
        longest: the most results that a query has.
        k, within: cutoffs and metres.
        steepness: what one metre costs in SDM.
        notes: what a person should know.
    """

    built_by = "geo"

    distance: str
    truth: Truth
    reading: Reading = field(repr=False)
    scores: Scores
    measures: tuple[Measure, ...]
    errors: Floats = field(repr=False)
    first: Ints = field(repr=False)
    references: Items
    longest: int
    k: tuple[int, ...]
    within: tuple[float, ...]
    steepness: float = accuracy.STEEPNESS
    notes: tuple[TruthNote, ...] = ()

    def _summary(self) -> str:
        means = ", ".join(f"{name}: {mean:.4f}" for name, mean in self.mean.items())
        return f"View({self.reading.name!r}, {self.distance}, {len(self.scores.queries):,} queries, {means})"

    @property
    def mean(self) -> dict[str, float]:
        """The mean of each measure that was asked for."""
        return {str(m): self.scores.mean[str(m)] for m in self.measures}

    @cached_property
    def answerable(self) -> Bools:
        """(queries,) whether anything is right: of the level that the rules say, or above."""
        return np.asarray(self.hits.relevant_total(self.scores.rules.level) > 0, bool)

    @property
    def answerable_mean(self) -> dict[str, float]:
        """The mean of each measure over the queries for which something is right."""
        return {str(m): m.mean(self.scores[m][self.answerable]) for m in self.measures}

    @property
    def error(self) -> Floats:
        """(queries,) metres from each query to its first result, infinite where there is none."""
        return self.errors[:, 0]

    @property
    def surface(self) -> dict[str, dict[str, float]]:
        """R@k within t metres, for each k and t."""
        return accuracy.surface(self.errors, self.k, self.within)

    @property
    def error_curve(self) -> dict[str, Any]:
        """The first result's error: quantiles, its distribution at each distance, and the area under that."""
        return {
            "median": accuracy.median(self.error),
            "quantiles": {f"{share:g}": accuracy.quantile(self.error, share) for share in QUANTILES},
            "within": {accuracy.spelled(t): accuracy.share_within(self.error, t) for t in self.within},
            "auc": {accuracy.spelled(t): accuracy.area(self.error, t) for t in self.within},
        }

    @property
    def sdm(self) -> dict[str, float]:
        """The spatial distance metric at each k."""
        return {f"SDM@{k}": accuracy.sdm(self.errors, k, self.steepness) for k in self.k}

    @property
    def ma(self) -> dict[str, float]:
        """The share of the queries whose first result is at most this many metres off, at each distance."""
        return {f"MA@{accuracy.spelled(t)}": accuracy.share_within(self.error, t) for t in self.within}

    @cached_property
    def metre_scores(self) -> dict[str, Floats]:
        """{SDM@k or MA@t: (queries,)} what these are the means of."""
        near = {f"SDM@{k}": accuracy.nearness(self.errors, k, self.steepness) for k in self.k}
        return near | {f"MA@{accuracy.spelled(t)}": (self.error <= t).astype(np.float64) for t in self.within}

    @property
    def one_percent(self) -> dict[str, Any]:
        """R@1%: whether anything right is among the first 1 % of the references, how many that are, and whether
        any list is so long."""
        cut = accuracy.percent_cut(len(self.references))
        return {"k": cut, "R@1%": self.scores.mean[f"Success@{cut}"], "complete": self.longest >= cut}

    @cached_property
    def hits(self) -> Hits:
        """Where the right references were returned."""
        return ranked(self.reading)

    def found(self) -> Iterator[QueryView]:
        """Each evaluated query."""
        hits = self.hits.relevant(self.scores.rules.level)
        best = np.full(len(hits.queries), 0)
        best[hits.query[::-1]] = hits.rank[::-1]
        total = hits.relevant_total(self.scores.rules.level)
        rows = self._truth_rows()
        for q, query in enumerate(self.scores.queries):
            right = rows[query]
            truths = tuple(name for name, _ in right)
            yield QueryView(
                query,
                truths[0] if truths else None,
                finite(float(right[0][1])) if right else None,
                int(best[q]) or None,
                float(hits.count[q] / total[q]) if total[q] else 0.0,
                self._name(int(self.first[q, 0])),
                finite(float(self.error[q])),
                truths,
            )

    def _truth_rows(self) -> dict[str, list[tuple[str, float]]]:
        """The right references of each query with their distances, the nearest first."""
        level = self.scores.rules.level
        rows: dict[str, list[tuple[str, float]]] = {query: [] for query in self.scores.queries}
        for query, doc, grade, metres in self.truth.pairs():
            if grade >= level and query in rows:
                rows[query].append((doc, metres))
        return rows

    def _name(self, row: int) -> str | None:
        """The name of a reference; None where nothing was returned, or no reference."""
        return self.references.ids[row] if row >= 0 else None

    def to_dict(self, per_query: bool = False) -> dict[str, Any]:
        """Plain values, for JSON."""
        plain = self.scores.to_dict()
        return {
            "mean": finite(self.mean),
            "distance": self.distance,
            "truth": {
                "rule": self.truth.rule,
                "tied": len(self.truth.tied),
                "without_positives": len(self.truth.without_relevant),
            },
            **({} if self.answerable.all() else {"answerable": self._answerable()}),
            "error": finite(self.error_curve),
            "surface": self.surface,
            "sdm": {**self.sdm, "steepness": self.steepness},
            "ma": self.ma,
            "one_percent": self.one_percent,
            "rules": plain["rules"],
            "run": plain["run"],
            "ledger": plain["ledger"],
            "notes": [note.to_dict() for note in self.notes],
            **({"queries": self._queries()} if per_query else {}),
        }

    def _answerable(self) -> dict[str, Any]:
        return {"queries": int(self.answerable.sum()), "mean": finite(self.answerable_mean)}

    def _queries(self) -> dict[str, dict[str, Any]]:
        values = self.scores.per_query()
        wanted = [str(m) for m in self.measures]
        return {
            one.query: {
                "truth": one.truth,
                "distance": one.distance,
                "rank": one.rank,
                "recall": one.recall,
                "top1": one.top1,
                "error": one.error,
                "truths": list(one.truths),
                **{name: values[one.query][name] for name in wanted},
                **{name: float(each[row]) for name, each in self.metre_scores.items()},
            }
            for row, one in enumerate(self.found())
        }


@dataclass(frozen=True, eq=False, repr=False)
class Places(Presented):
    """The views of one evaluation: "geo" by latitude and longitude, "xy" by x and y.

    Attributes:
        views: what there is of the two.
        notes: how the results were read.
        results: what was returned.
    """

    built_by = "geo"

    views: dict[str, View]
    notes: tuple[TruthNote, ...] = ()
    results: Results | None = field(default=None, repr=False)

    def _summary(self) -> str:
        return f"Places({', '.join(f'{name}: {view._summary()}' for name, view in self.views.items())})"

    def __getitem__(self, name: str) -> View:
        """The view "geo" or "xy"."""
        return self.views[name]

    def run(self) -> Run:
        """What was returned, with the references called by their ids, such as the qrels of a truth have."""
        assert self.results is not None
        return self.results.run()

    def threshold(self, value: float) -> float:
        """The score of a result with this value in the files: minus it where the lower value is better.

        Raises:
            InputError: the results have no scores.
        """
        if self.results is None:
            return value
        if self.results.scores is None:
            why = message("this run has no scores to compare with a threshold; say by k what is retrieved")
            raise InputError(why, self.results.name)
        return self.results.sign * value

    def to_dict(self, per_query: bool = False) -> dict[str, Any]:
        """Plain values, for JSON."""
        views = {name: view.to_dict(per_query) for name, view in self.views.items()}
        return {**views, "notes": [note.to_dict() for note in self.notes]}
