"""What was found of several judges: a value that prints, and becomes JSON or a DataFrame."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from truerank.analysis.compare.result import Outcome, Pair
from truerank.analysis.judges.judgements import Judgements
from truerank.core.errors import InputError, quoted
from truerank.core.presented import Presented, finite
from truerank.core.qrels import Qrels
from truerank.core.rules import Rules
from truerank.measures.sums import Ints, PerQuery
from truerank.stats import Interval

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

Layout = Literal["coefficients", "queries", "systems", "orders"]


@dataclass(frozen=True, eq=False)
class TwoJudges:
    """Two judges on the documents that both have judged.

    Attributes:
        first, second: their names.
        both, only_first, only_second: how many documents.
        confusion: [grade by the first][grade by the second] how many documents; over the grades of `Judges.scale`.
        coefficients: {name: its interval}, those of `stats.OF_TWO`; NaN where it has no value.
        queries: those with a document that both have judged.
        shared: (queries,) how many these are.
        equal: (queries,) the share of them with the same grade.
        kappa: (queries,) Cohen's kappa; NaN where there is none.
        mean_first, mean_second: (queries,) the mean grade of each judge.
    """

    first: str
    second: str
    both: int
    only_first: int
    only_second: int
    confusion: tuple[tuple[int, ...], ...]
    coefficients: Mapping[str, Interval]
    queries: tuple[str, ...]
    shared: Ints
    equal: PerQuery
    kappa: PerQuery
    mean_first: PerQuery
    mean_second: PerQuery

    @property
    def means(self) -> tuple[float, float]:
        """The mean grade of each judge over all documents that both have judged; NaN where there is none."""
        if not self.both:
            return math.nan, math.nan
        first, second = (
            float((own * self.shared).sum()) / self.both for own in (self.mean_first, self.mean_second)
        )
        return first, second

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "first": self.first,
            "second": self.second,
            "both": self.both,
            "only_first": self.only_first,
            "only_second": self.only_second,
            "mean_grades": list(map(finite, self.means)),
            "confusion": [list(row) for row in self.confusion],
            "coefficients": {name: value.to_dict("value") for name, value in self.coefficients.items()},
            "queries": {row["query"]: {key: row[key] for key in OF_QUERIES} for row in self.rows()},
        }

    def rows(self) -> list[dict[str, Any]]:
        """One row per query."""
        columns = [getattr(self, name).tolist() for name in OF_QUERIES]
        return [
            {
                "first": self.first,
                "second": self.second,
                "query": query,
                **dict(zip(OF_QUERIES, map(finite, values), strict=True)),
            }
            for query, *values in zip(self.queries, *columns, strict=True)
        ]


@dataclass(frozen=True)
class Flip:
    """Two systems of which one judge prefers the first, and another judge the second.

    Attributes:
        by_first, by_second: how they compare by each judge; the first judge prefers `by_first.system`.
        alpha: the level of the tests.
    """

    by_first: Pair
    by_second: Pair
    alpha: float

    @property
    def significant(self) -> tuple[bool, bool]:
        """Whether the difference is significant by each judge."""
        return self.by_first.adjusted <= self.alpha, self.by_second.adjusted <= self.alpha

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "system": self.by_first.system,
            "against": self.by_first.against,
            "differences": [self.by_first.difference.estimate, self.by_second.difference.estimate],
            "adjusted": [self.by_first.adjusted, self.by_second.adjusted],
            "significant": list(self.significant),
        }


@dataclass(frozen=True)
class Order:
    """Whether systems keep their order from one judge to another, by one measure.

    Attributes:
        first, second: the judges; the first is right to tau-AP.
        tau, tau_ap: of three systems or more, else None.
        pairs: of systems.
        significant: how many of these differ significantly by the first judge.
        kept: how many of those differ significantly by the second too, and in the same direction.
        flips: pairs that differ in the other direction, the clearest by the first judge before the others.
    """

    first: str
    second: str
    tau: Interval | None
    tau_ap: Interval | None
    pairs: int
    significant: int
    kept: int
    flips: tuple[Flip, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "first": self.first,
            "second": self.second,
            "tau": None if self.tau is None else self.tau.to_dict("value"),
            "tau_ap": None if self.tau_ap is None else self.tau_ap.to_dict("value"),
            "pairs": self.pairs,
            "significant": self.significant,
            "kept": self.kept,
            "flips": [flip.to_dict() for flip in self.flips],
        }

    def row(self, measure: str) -> dict[str, Any]:
        """What `to_dict` gives, as one row of a table; of the flips only their number."""
        row: dict[str, Any] = {"measure": measure, "first": self.first, "second": self.second}
        for name, tau in (("tau", self.tau), ("tau_ap", self.tau_ap)):
            ends = tau.to_dict("value") if tau else dict.fromkeys(("value", "low", "high"))
            row |= {name: ends["value"], f"{name}_low": ends["low"], f"{name}_high": ends["high"]}
        counts = {"pairs": self.pairs, "flips": len(self.flips), "significant": self.significant, "kept": self.kept}
        return {**row, **counts}


@dataclass(frozen=True)
class Standing:
    """What systems score by each judge, by one measure.

    Attributes:
        name: what the measure is called.
        queries: how many are in the means: the same for all judges and systems.
        outcomes: {judge: how the systems compare}.
        orders: of each two judges; none of one system, and none where nothing is better: counts.
    """

    name: str
    queries: int
    outcomes: Mapping[str, Outcome]
    orders: tuple[Order, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "measure": self.name,
            "query_count": self.queries,
            "judges": {judge: outcome.to_dict() for judge, outcome in self.outcomes.items()},
            "orders": [order.to_dict() for order in self.orders],
        }


@dataclass(frozen=True, eq=False, repr=False)
class Judges(Presented):
    """How much judges agree on documents, and whether systems keep their order under each.

    Attributes:
        names: of the judges.
        judgements: what each of them says of each document.
        judged: {judge: how many documents}.
        grades: {judge: the different grades that were given}.
        scale: all grades that were given.
        pairs: each two judges.
        together: {name: its interval} of all judges, those of `stats.OF_ALL`; nothing of two, who are a pair.
        together_on: on how many documents that two judges or more have judged.
        queries: how many have such a document.
        systems: the names of the systems.
        standings: what systems score, a measure each; none without runs.
        dropped: queries that not all judges and systems have, which are in no mean.
        rules: under which systems were scored; None without runs.
        is_common: whether systems were scored with the documents alone that all judges have judged.
        is_by_aspect: whether "documents" are aspects of documents, such as nuggets, as all judges judged these.
        confidence, samples, seed: of the intervals.
    """

    built_by = "judges"

    names: tuple[str, ...]
    judgements: Judgements
    judged: Mapping[str, int]
    grades: Mapping[str, tuple[float, ...]]
    scale: tuple[float, ...]
    pairs: tuple[TwoJudges, ...]
    together: Mapping[str, Interval]
    together_on: int
    queries: int
    systems: tuple[str, ...] = ()
    standings: tuple[Standing, ...] = ()
    dropped: int = 0
    rules: Rules | None = None
    is_common: bool = False
    is_by_aspect: bool = False
    confidence: float = 0.95
    samples: int = 10_000
    seed: int = 0

    def _summary(self) -> str:
        intervals = self.together or self.pairs[0].coefficients
        alpha = intervals["alpha_ordinal"].estimate
        told = "unknown" if math.isnan(alpha) else f"{alpha:.4f}"
        return f"Judges({', '.join(self.names)}; {self.together_on:,} documents; ordinal alpha {told})"

    def pair(self, first: str, second: str) -> TwoJudges:
        """Two of the judges, as they are ordered.

        Raises:
            InputError: there is no such judge, or they are in the other order.
        """
        for one in self.pairs:
            if (one.first, one.second) == (first, second):
                return one
        raise InputError(
            "there is no pair of {first}, {second}: {names} is their order",
            first=quoted(first),
            second=quoted(second),
            names=", ".join(self.names),
        )

    def consensus(self, vote: str = "majority") -> Qrels:
        """Qrels in which those who judged a document have voted on its grade.

        Args:
            vote: "majority", the grade that most of them gave, the lowest where several were given equally often;
                "median", the middle one, the mean of two middle ones; "mean", "max" or "min".

        Raises:
            InputError: there is no such vote.

        >>> import truerank as tr
        >>> found = tr.judges([{"q": {"a": 1, "b": 0}}, {"q": {"a": 2, "b": 0}}, {"q": {"a": 2, "b": 1, "c": 1}}])
        >>> found.consensus().to_dict(), found.consensus("mean").to_dict()["q"]["b"]
        ({'q': {'a': 2.0, 'b': 0.0, 'c': 1.0}}, 0.3333333333333333)
        """
        return self.judgements.consensus(vote)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "judges": {
                name: {"judged": self.judged[name], "grades": list(self.grades[name])} for name in self.names
            },
            "scale": list(self.scale),
            "by_aspect": self.is_by_aspect,
            "procedure": {"confidence": self.confidence, "samples": self.samples, "seed": self.seed},
            "query_count": self.queries,
            "pairs": [pair.to_dict() for pair in self.pairs],
            "together": {name: value.to_dict("value") for name, value in self.together.items()},
            **(
                {
                    "rules": self.rules.to_dict(),
                    "systems": list(self.systems),
                    "dropped": self.dropped,
                    "common": self.is_common,
                    "standings": [standing.to_dict() for standing in self.standings],
                }
                if self.rules
                else {}
            ),
        }

    def rows(self, layout: Layout = "coefficients") -> list[dict[str, Any]]:
        """Rows for programs.

        Args:
            layout: "coefficients", a row each of each two judges, and of all where both names are None; "queries",
                a row per query of each two judges; "systems", a row per system, judge and measure; "orders", a
                row per measure and two judges.

        >>> import truerank as tr
        >>> found = tr.judges([{"q": {"a": 1, "b": 0, "c": 2}}, {"q": {"a": 1, "b": 1, "c": 2}}])
        >>> found.rows("queries")[0]["shared"], found.rows()[0]["coefficient"], found.rows()[1]["value"]
        (3, 'equal', 0.5)
        """
        if layout == "queries":
            return [row for pair in self.pairs for row in pair.rows()]
        if layout == "systems":
            return [
                {
                    "measure": one.name,
                    "judge": judge,
                    "system": name,
                    **mean.to_dict("value"),
                    "queries": one.queries,
                }
                for one in self.standings
                for judge, outcome in one.outcomes.items()
                for name, mean in outcome.means.items()
            ]
        if layout == "orders":
            return [order.row(one.name) for one in self.standings for order in one.orders]
        if layout != "coefficients":
            raise InputError(
                "a layout is coefficients, queries, systems or orders, not {layout}", layout=quoted(layout)
            )
        of_pairs = [(pair.first, pair.second, pair.both, pair.coefficients) for pair in self.pairs]
        everything = [*of_pairs, (None, None, self.together_on, self.together)]
        return [
            {"first": first, "second": second, "coefficient": name, **value.to_dict("value"), "documents": n}
            for first, second, n, coefficients in everything
            for name, value in coefficients.items()
        ]

    def columns(self, layout: Layout = "coefficients") -> dict[str, list[Any]]:
        """What `rows` gives, as columns."""
        rows = self.rows(layout)
        return {key: [row[key] for row in rows] for key in (rows[0] if rows else ())}

    def to_arrow(self, layout: Layout = "coefficients") -> pyarrow.Table:
        """The numbers as a table: see `rows`."""
        table: pyarrow.Table = self._library("pyarrow").table(self.columns(layout))
        return table

    def to_polars(self, layout: Layout = "coefficients") -> polars.DataFrame:
        """The numbers as a table: see `rows`."""
        frame: polars.DataFrame = self._library("polars").DataFrame(self.columns(layout), strict=False)
        return frame

    def to_pandas(self, layout: Layout = "coefficients") -> pandas.DataFrame:
        """The numbers as a table: see `rows`."""
        frame: pandas.DataFrame = self._library("pandas").DataFrame(self.columns(layout))
        return frame


OF_QUERIES = ("shared", "equal", "kappa", "mean_first", "mean_second")
