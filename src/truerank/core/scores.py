"""Scores: a value for each query and measure, the rules they were made under, and the ledger."""

from __future__ import annotations

import dataclasses
import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truerank.core.errors import MeasureError, in_utf8
from truerank.core.ledger import Ledger
from truerank.core.means import Means
from truerank.core.rules import Rules
from truerank.measures import Measure
from truerank.measures.of_run import OfRun
from truerank.measures.sums import FLOOR, PerQuery, logarithm

if TYPE_CHECKING:
    import pandas

    from truerank.stats import Interval


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Means[PerQuery]):
    """A value for each query and measure: a mapping {measure: (queries,) float64}; means are views.

    As a frame one row per query: the id, then one column per measure.

    Attributes:
        queries: the query ids, in the order of the value arrays.
        measures: what was evaluated.
        columns: {measure: (queries,) float64}, not to be written into; NaN where the rules say that the measure has
            no value.
        rules: under whose rules.
        ledger: what the means hide.
        run: the name of the run.
        asked: {a measure as it was asked for: what it became under the rules}.
        as_written: whether columns are headed by what was asked for.
        of_run: {a measure of the whole run, which has no column: its number}.
        runs: the scores of each run, where the values are means over several runs of a system.

    >>> import truerank as tr
    >>> scores = tr.evaluate({"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": {"a": 2.0}}, ["RR"])
    >>> scores.mean, scores["mrr"].tolist(), scores.ledger.missing
    ({'RR': 0.5}, [1.0, 0.0], 1)
    >>> scores
    Scores('run', rules 'truerank', 2 queries, RR: 0.5000)
      1 missing (scored 0): q2.
    >>> list(scores), "mrr" in scores, len(scores)
    (['RR'], True, 1)
    """

    queries: Sequence[str]
    measures: tuple[Measure, ...]
    columns: dict[str, PerQuery]
    rules: Rules
    ledger: Ledger
    run: str = "run"
    asked: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    as_written: bool = field(default=False, kw_only=True)
    of_run: Mapping[str, OfRun] = field(default_factory=dict, kw_only=True)
    runs: tuple[Scores, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", {name: _read_only(column) for name, column in self.columns.items()})

    def __getitem__(self, measure: str | Measure) -> PerQuery:
        """(queries,) the values of a measure, however it is spelled; a plain name as the rules read it."""
        if self.of_run and (name := self.called(measure)) in self.of_run:
            raise MeasureError(
                "{name} is one number of the whole run and has no value for a query; it is among the means",
                name=name,
            )
        try:
            return super().__getitem__(measure)
        except MeasureError:
            if measure not in self.queries:
                raise
        raise MeasureError(
            "{query} is a query, not a measure: its values are per_query()[{query}]", query=repr(measure)
        )

    @property
    def evaluated(self) -> int:
        """How many queries have values."""
        return len(self.queries)

    @property
    def _columns(self) -> Iterable[str]:
        return self.columns

    @cached_property
    def _named(self) -> Mapping[str, PerQuery]:
        named = ((heading, str(measure)) for heading, measure in self.headings.items())
        return {heading: self.columns[name] for heading, name in named if name in self.columns}

    def is_drawn(self, measure: Measure) -> bool:
        """Whether the interval of a measure's number comes from resampling the queries: see `OfRun.is_drawn`."""
        whole = self.of_run.get(str(measure))
        return whole is None or whole.is_drawn

    def number(self, measure: Measure) -> float:
        """The one number of a measure that was evaluated."""
        whole = self.of_run.get(str(measure))
        return measure.mean(self.columns[str(measure)]) if whole is None else whole.value

    def per_query(self) -> dict[str, dict[str, float]]:
        """{query: {measure: value}}; under rules that count lines, a query's second line is "id #2"."""
        names, columns = list(self._named), [values.tolist() for values in self._named.values()]
        rows = zip(distinct(self.queries), *columns, strict=True)
        return {query: self._by_heading(zip(names, values, strict=True)) for query, *values in rows}

    def _plain(self) -> dict[str, dict[str, float | None]]:
        queries = self.per_query()
        if not self.ledger.undefined:
            return {query: {**row} for query, row in queries.items()}
        return {q: {m: None if math.isnan(v) else v for m, v in row.items()} for q, row in queries.items()}

    def _flat_columns(self) -> dict[str, Any]:
        """The ids of the queries, then one column per measure."""
        return {"query": in_utf8(self.queries), **self._named}

    def to_pandas(self) -> pandas.DataFrame:
        """One row per query, which is the index; one column per measure."""
        library = self._library("pandas")
        index = library.Index(in_utf8(self.queries), name="query")
        frame: pandas.DataFrame = library.DataFrame(self._named, index=index)
        return frame

    def to_ir_measures(self) -> list[Any]:
        """The values as ir_measures and PyTerrier have them: a `Metric(query_id, measure, value)` each.

        Raises:
            MissingPackage: ir_measures is not installed.
            MeasureError: it has no such measure.
        """
        metrics: list[Any] = import_module("truerank.interop.ir_measures").metrics(self)  # a layer above this one
        return metrics


def _read_only(values: PerQuery) -> PerQuery:
    """The values as a read-only array: sorted in place, they would no longer belong to their queries."""
    view = values.view()
    view.setflags(write=False)
    return view


def distinct(names: Sequence[str]) -> list[str]:
    """The names, with a number added to those that come again.

    >>> distinct(["a", "b", "a"])
    ['a', 'b', 'a #2']
    >>> distinct(["a", "a #2", "a"])
    ['a', 'a #2', 'a #3']
    >>> distinct(["a", "a #1", "a"])
    ['a', 'a #1', 'a #2']
    """
    if len(set(names)) == len(names):
        return list(names)
    seen: Counter[str] = Counter()
    given = set(names)
    out = []
    for name in names:
        seen[name] += 1
        while seen[name] > 1 and f"{name} #{seen[name]}" in given:
            seen[name] += 1
        out.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return out


def short(names: Sequence[str]) -> list[str]:
    """The names, with paths cut to their last parts where these are as distinct.

    >>> short(["runs/bm25.run", "dense.run"]), short(["a/bm25.run", "b/bm25.run"])
    (['bm25.run', 'dense.run'], ['a/bm25.run', 'b/bm25.run'])
    """
    files = [os.path.basename(name) or name for name in names]
    return files if len(set(files)) == len(set(names)) else list(names)


def shared(one: Sequence[str], other: Sequence[str]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The places, in each of the two, of the queries that both have, in the order of the first.

    >>> [places.tolist() for places in shared(["q1", "q2", "q3"], ["q3", "q1"])]
    [[0, 2], [1, 0]]
    """
    place = {query: there for there, query in enumerate(other)}
    rows = [(here, place[query]) for here, query in enumerate(one) if query in place]
    here, there = np.array(rows, np.intp).reshape(-1, 2).T
    return here, there


def averaged(measure: Measure, values: PerQuery) -> PerQuery:
    """The values that are averaged: the values themselves, or for a geometric mean their logarithms."""
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
    """Where the mean of each column may lie; of counts the sum, of a geometric mean this mean.

    Args:
        measures: what each column holds.
        values: (queries, columns) finite numbers.
        samples, seed: of the bootstrap; its resamples of the queries serve all columns.

    Raises:
        ModuleNotFoundError: SciPy is not installed.

    >>> from truerank.measures import parse_measure
    >>> found = intervals([parse_measure("GMAP")], np.array([[0.25], [0.25], [1.0], [1.0]]), seed=1)[0]
    >>> round(found.estimate, 12), found.low <= 0.5 <= found.high
    (0.5, True)
    """
    found, _ = intervals_and_differences(measures, values, (), confidence=confidence, samples=samples, seed=seed)
    return found


def intervals_and_differences(
    measures: Sequence[Measure],
    values: PerQuery,
    pairs: Sequence[tuple[int, int]],
    *,
    confidence: float = 0.95,
    samples: int = 10_000,
    seed: int = 0,
) -> tuple[list[Interval], list[Interval]]:
    """`intervals`, and where the mean difference of each pair of columns may lie, from the same resamples.

    Args:
        pairs: of columns of one measure; the difference is the first less the second, of the `averaged` values.
    """
    from truerank.stats import mean_and_pair_intervals

    table = np.column_stack([averaged(measure, values[:, i]) for i, measure in enumerate(measures)])
    shares = list(map(_is_share, measures))
    drawn, apart = mean_and_pair_intervals(
        table, pairs, confidence=confidence, resamples=samples, seed=seed, shares=shares
    )
    return [
        of_mean(measure, drawn[i], measure.mean(values[:, i]), len(values)) for i, measure in enumerate(measures)
    ], apart


def _is_share(measure: Measure) -> bool:
    """Whether values that are all 0 or 1 make a share; counts and logarithms do not."""
    return bool(measure.definition.unit and measure.definition.average != "geometric")


def of_mean(measure: Measure, interval: Interval, estimate: float, n: int) -> Interval:
    """The interval of the measure's number for n queries, from that of the plain mean."""
    low, high = interval.low, interval.high
    if measure.definition.average == "sum":
        low, high = low * n, high * n
    elif measure.definition.average == "geometric":
        low, high = math.exp(low), math.exp(high)
    return dataclasses.replace(interval, estimate=estimate, low=low, high=high)
