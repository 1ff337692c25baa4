"""Scores: a value for each query and measure, the rules they were made under, and the ledger."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

from truerank.errors import MeasureError, MissingPackage, did_you_mean
from truerank.measures import Measure, parse_measure
from truerank.measures.sums import PerQuery
from truerank.rules import Rules

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


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
    examples: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            **dataclasses.asdict(self),
            "examples": {key: list(names) for key, names in self.examples.items()},
        }


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
        return dict(zip(_distinct(self.queries), rows, strict=True))

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


def _distinct(names: tuple[str, ...]) -> list[str]:
    """The names, those that come again with a number."""
    if len(set(names)) == len(names):
        return list(names)
    seen: Counter[str] = Counter()
    out = []
    for name in names:
        seen[name] += 1
        out.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return out
