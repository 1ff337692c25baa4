"""Scores: a value for each query and measure, the rules they were made under, and the ledger."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from truerank.errors import MeasureError, MissingPackage, did_you_mean
from truerank.measures import Measure, parse_measure
from truerank.measures.sums import FLOOR, PerQuery, logarithm
from truerank.rules import Rules

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from truerank.stats import Interval


@dataclass(frozen=True)
class Ledger:
    """What the mean hides. Counts of queries unless said otherwise.

    Attributes:
        judged: in the qrels.
        evaluated: in the mean.
        answered: judged, and in the run.
        missing: judged, but not in the run.
        extra: in the run, but not judged.
        without_relevant: judged, but no document reaches the relevance level.
        returned: documents that came back for the evaluated queries.
        unjudged: how many of those nobody judged.
        duplicates: rows that repeated a document.
        tied: evaluated queries on which some measure depends on the order of equal scores.
        interleaved: whether the run's rows of one query were scattered.
        swapped: whether the grades look like scores and the scores like grades; in JSON only where they do.
        examples: up to five ids each of missing, extra and tied queries, and those without_relevant.
    """

    judged: int
    evaluated: int
    answered: int
    missing: int
    extra: int
    without_relevant: int
    returned: int
    unjudged: int
    duplicates: int
    tied: int
    interleaved: bool = False
    swapped: bool = False
    examples: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        told = {**dataclasses.asdict(self), "examples": {key: list(ids) for key, ids in self.examples.items()}}
        return told if self.swapped else {key: value for key, value in told.items() if key != "swapped"}


@dataclass(frozen=True, eq=False)
class Scores:
    """A value for each query and measure; means are views.

    Attributes:
        queries: the query ids, in the order of the value arrays.
        measures: what was evaluated.
        values: {measure: (queries,) float64}.
        rules: under whose rules.
        ledger: what the means hide.
        run: the name of the run.

    >>> import truerank as tr
    >>> scores = tr.evaluate({"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": {"a": 2.0}}, ["RR"])
    >>> scores.mean, scores["mrr"].tolist(), scores.ledger.missing
    ({'RR': 0.5}, [1.0, 0.0], 1)
    """

    queries: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: dict[str, PerQuery]
    rules: Rules
    ledger: Ledger
    run: str = "run"

    def __repr__(self) -> str:
        means = ", ".join(f"{name}: {mean:.4f}" for name, mean in self.mean.items())
        return f"Scores({self.run!r}, rules {self.rules.name!r}, {len(self.queries):,} queries, {means})"

    def _repr_html_(self) -> str:
        """What a notebook shows: the means as a table."""
        names = "".join(f"<th>{escape(name)}</th>" for name in self.mean)
        means = "".join(f"<td>{mean:.4f}</td>" for mean in self.mean.values())
        about = escape(f"{self.run}, {len(self.queries):,} queries, rules {self.rules.name}")
        return f"<table><caption>{about}</caption><tr>{names}</tr><tr>{means}</tr></table>"

    def __getitem__(self, measure: str | Measure) -> PerQuery:
        """The values of a measure, however it is spelled."""
        name = str(measure)
        if name not in self.values:
            name = str(parse_measure(measure))
        if name not in self.values:
            hint = did_you_mean(name, self.values)
            raise MeasureError(f"{name} was not evaluated.{hint} There is {', '.join(self.values)}")
        return self.values[name]

    @cached_property
    def mean(self) -> dict[str, float]:
        """One number a measure: the mean over queries (the sum for counts)."""
        return {str(m): m.mean(self.values[str(m)]) for m in self.measures}

    def per_query(self) -> dict[str, dict[str, float]]:
        """{query: {measure: value}}; under rules that count lines, a query's second line is "id #2"."""
        columns = [(name, values.tolist()) for name, values in self.values.items()]
        rows = [{name: column[i] for name, column in columns} for i in range(len(self.queries))]
        return dict(zip(distinct(self.queries), rows, strict=True))

    def to_dict(self, per_query: bool = False) -> dict[str, Any]:
        """Plain values, for JSON: rules, run, mean, ledger and, if asked, queries."""
        out = {
            "rules": self.rules.to_dict(),
            "run": self.run,
            "mean": self.mean,
            "ledger": self.ledger.to_dict(),
        }
        return {**out, "queries": self.per_query()} if per_query else out

    def to_arrow(self) -> pyarrow.Table:
        """One row a query: the id, then a column a measure."""
        try:
            import pyarrow
        except ModuleNotFoundError:
            raise MissingPackage("Scores.to_arrow", "parquet") from None
        return pyarrow.table({"query": list(self.queries), **self.values})

    def to_polars(self) -> polars.DataFrame:
        """One row a query: the id, then a column a measure."""
        try:
            import polars
        except ModuleNotFoundError:
            raise MissingPackage("Scores.to_polars", "frames") from None
        return polars.DataFrame({"query": list(self.queries), **self.values})

    def to_pandas(self) -> pandas.DataFrame:
        """One row a query, which is the index; a column a measure."""
        try:
            import pandas
        except ModuleNotFoundError:
            raise MissingPackage("Scores.to_pandas", "frames") from None
        return pandas.DataFrame(self.values, index=pandas.Index(self.queries, name="query"))


def distinct(names: Sequence[str]) -> list[str]:
    """The names, those that come again with a number.

    >>> distinct(["a", "b", "a"])
    ['a', 'b', 'a #2']
    """
    if len(set(names)) == len(names):
        return list(names)
    seen: Counter[str] = Counter()
    out = []
    for name in names:
        seen[name] += 1
        out.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return out


def shared(one: Sequence[str], other: Sequence[str]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where each query that both have stands in either, in the order of the first.

    >>> [places.tolist() for places in shared(["q1", "q2", "q3"], ["q3", "q1"])]
    [[0, 2], [1, 0]]
    """
    place = {query: there for there, query in enumerate(other)}
    rows = [(here, place[query]) for here, query in enumerate(one) if query in place]
    here, there = np.array(rows, np.intp).reshape(-1, 2).T
    return here, there


def averaged(measure: Measure, values: PerQuery) -> PerQuery:
    """What the plain mean is taken of: the values, or for a geometric mean their logarithms."""
    if measure.definition.average != "geometric":
        return values
    return logarithm(np.maximum(values, FLOOR).ravel()).reshape(values.shape)


def intervals(
    measures: Sequence[Measure],
    values: PerQuery,
    *,
    confidence: float = 0.95,
    samples: int = 10_000,
    seed: int = 0,
) -> list[Interval]:
    """Where the mean of each column may lie: of counts the sum, of a geometric mean that one.

    Args:
        measures: what each column holds.
        values: (queries, columns) finite numbers.
        samples, seed: of the bootstrap; its resamples of the queries serve all columns.

    Raises:
        ModuleNotFoundError: SciPy is not installed.

    >>> found = intervals([parse_measure("GMAP")], np.array([[0.25], [0.25], [1.0], [1.0]]), seed=1)[0]
    >>> round(found.estimate, 12), found.low <= 0.5 <= found.high
    (0.5, True)
    """
    from truerank.stats import mean_intervals

    found: dict[int, Interval] = {}
    ways = list(map(_way, measures))
    for way in set(ways):
        at = [i for i, each in enumerate(ways) if each == way]
        table = np.column_stack([averaged(measures[i], values[:, i]) for i in at])
        drawn = mean_intervals(table, confidence=confidence, method=way, resamples=samples, seed=seed)
        found |= zip(at, drawn, strict=True)
    return [_of_mean(measure, values[:, i], found[i]) for i, measure in enumerate(measures)]


def _way(measure: Measure) -> Literal["bca"] | None:
    """None: the exact one of a share, where all values are 0 or 1; a count of 1 or a logarithm of 0 is no share."""
    return None if measure.definition.unit and measure.definition.average != "geometric" else "bca"


def _of_mean(measure: Measure, values: PerQuery, found: Interval) -> Interval:
    """The interval of what the measure shows, from that of the plain mean."""
    low, high = found.low, found.high
    if measure.definition.average == "sum":
        low, high = low * len(values), high * len(values)
    elif measure.definition.average == "geometric":
        low, high = math.exp(low), math.exp(high)
    return dataclasses.replace(found, estimate=measure.mean(values), low=low, high=high)
