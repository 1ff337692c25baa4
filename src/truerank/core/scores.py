"""Scores: a value for each query and measure, the rules they were made under, and the ledger."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from truerank.core.errors import MeasureError
from truerank.core.messages import Message, did_you_mean, message
from truerank.core.presented import Presented
from truerank.core.rules import Rules
from truerank.core.vocabulary import under
from truerank.measures import Measure
from truerank.measures.parsing import spelled
from truerank.measures.sums import FLOOR, PerQuery, logarithm
from truerank.measures.whole import OfRun

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from truerank.stats import Interval

Value = TypeVar("Value")


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
        returned: documents returned for the evaluated queries.
        unjudged: how many of those are unjudged.
        duplicates: rows that repeated a document.
        tied: evaluated queries on which some measure depends on the order of equal scores.
        interleaved: whether the run's rows of one query were scattered.
        swapped: whether the grades look like scores and the scores like grades; in JSON only where they do.
        rising: whether the run is arrays along whose rows the scores rise, as distances do; in JSON only then.
        foreign: measures that the rules do not have, as truerank reads them; in JSON only where there are any.
        calls: lists that were returned for the evaluated queries, where a query has several; in JSON only there.
        again: documents that left the list of a call because an earlier one had returned them; in JSON only if any.
        undefined: on how many queries a measure has no value, by measure; in JSON only where there are some.
        iterations: how many different values the second column of the qrels has, where it is not used; in JSON only
            where it has several.
        unasked: judged queries that an experiment did not ask, and so are among the extra ones where a run answers
            them; in JSON only where there are any.
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
    rising: bool = False
    foreign: tuple[str, ...] = ()
    calls: int = 0
    again: int = 0
    undefined: Mapping[str, int] = field(default_factory=dict)
    iterations: int = 0
    unasked: int = 0
    examples: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        plain = {**dataclasses.asdict(self), "examples": {key: list(ids) for key, ids in self.examples.items()}}
        plain["foreign"] = list(self.foreign)
        optional = ("swapped", "rising", "foreign", "calls", "again", "undefined", "iterations", "unasked")
        return {key: value for key, value in plain.items() if value or key not in optional}


class AnySpelling(dict[str, Value]):
    """A value a measure by the name that heads its column; other spellings of the measure find it too."""

    __slots__ = ("scores",)
    scores: Scores

    def __missing__(self, name: str | Measure) -> Value:
        heading = self.scores.heading(name)
        if dict.__contains__(self, heading):
            return self[heading]
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return self.get(name, self) is not self  # type: ignore[arg-type]

    def get(self, name: str | Measure, default: Any = None) -> Any:
        """What there is for a measure, however it is spelled."""
        try:
            return self[name]  # type: ignore[index]
        except (KeyError, MeasureError):
            return default


class ByMeasure(Mapping[str, Value]):
    """A mapping from the names of measures: a measure is found however it is spelled."""

    done: ClassVar[Message]
    """What was done with the measures: in errors."""

    @property
    def _named(self) -> Mapping[str, Value]:
        raise NotImplementedError

    def __getitem__(self, measure: str | Measure) -> Value:
        """What there is of a measure, however it is spelled; a plain name as the rules read it."""
        named, name = self._named, self.heading(measure)
        if name not in named:
            raise MeasureError(
                "{name} was not {done}.{hint} There is {known}",
                name=name,
                done=self.done,
                hint=did_you_mean(name, named),
                known=", ".join(named),
            )
        return named[name]

    def heading(self, measure: str | Measure) -> str:
        """What a measure is called here, however it is spelled."""
        raise NotImplementedError

    def __contains__(self, measure: object) -> bool:
        return self.get(measure) is not None  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[str]:
        return iter(self._named)

    def __len__(self) -> int:
        """The number of measures."""
        return len(self._named)

    def get(self, measure: str | Measure, default: Any = None) -> Any:
        """The same, or the default where the measure is not there."""
        try:
            return self[measure]
        except MeasureError:
            return default

    __eq__ = object.__eq__  # arrays are not compared as a whole
    __hash__ = object.__hash__


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Presented, ByMeasure[PerQuery]):
    """A value for each query and measure: a mapping {measure: (queries,) float64}; means are views.

    Attributes:
        queries: the query ids, in the order of the value arrays.
        measures: what was evaluated.
        columns: {measure: (queries,) float64}; NaN where the rules say that the measure has no value.
        rules: under whose rules.
        ledger: what the means hide.
        run: the name of the run.
        asked: {a measure as it was asked for: what it became under the rules}.
        as_written: whether columns are headed by what was asked for.
        of_run: {a measure of the whole run, which has no column: its number}.
        runs: of a system with several runs, of which the values are means, the scores of each.

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

    built_by = "scores"
    done = message("evaluated")

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

    def __getitem__(self, measure: str | Measure) -> PerQuery:
        """(queries,) the values of a measure, however it is spelled; a plain name as the rules read it."""
        if self.of_run and (name := self.called(measure)) in self.of_run:
            raise MeasureError(
                "{name} is one number of the whole run and has no value for a query; it is among the means",
                name=name,
            )
        return super().__getitem__(measure)

    def _summary(self) -> str:
        means = ", ".join(f"{name}: {mean:.4f}" for name, mean in self.mean.items())
        return f"Scores({self.run!r}, rules {self.rules.name!r}, {len(self.queries):,} queries, {means})"

    @cached_property
    def _named(self) -> Mapping[str, PerQuery]:
        named = ((heading, str(measure)) for heading, measure in self.headings.items())
        return {heading: self.columns[name] for heading, name in named if name in self.columns}

    def called(self, measure: str | Measure) -> str:
        """What a measure is called among the columns, however it is spelled; a plain name as the rules read it."""
        name = measure.written if isinstance(measure, Measure) else spelled(measure)
        if isinstance(name, str) and name in self.columns:
            return name
        return (isinstance(name, str) and self.asked.get(name)) or str(under(measure, self.rules))

    @cached_property
    def headings(self) -> dict[str, Measure]:
        """The measures by what heads their columns."""
        own = {str(measure): measure for measure in self.measures}
        if not self.as_written:
            return own
        return {asked: own[name] for asked, name in self.asked.items() if name in own} or own

    def heading(self, measure: str | Measure) -> str:
        """What heads a measure's column, however it is spelled."""
        name = self.called(measure)
        return self._heading_of.get(name, name)

    @cached_property
    def _heading_of(self) -> dict[str, str]:
        """The first heading of each measure's name."""
        return {str(measure): heading for heading, measure in reversed(self.headings.items())}

    @cached_property
    def mean(self) -> dict[str, float]:
        """One number a measure: the mean over queries (the sum for counts), or that of the whole run."""
        return self._by_heading((name, self.number(m)) for name, m in self.headings.items())

    def number(self, measure: Measure) -> float:
        """The one number of a measure that was evaluated."""
        whole = self.of_run.get(str(measure))
        return measure.mean(self.columns[str(measure)]) if whole is None else whole.value

    def per_query(self) -> dict[str, dict[str, float]]:
        """{query: {measure: value}}; under rules that count lines, a query's second line is "id #2"."""
        names, columns = list(self._named), [values.tolist() for values in self._named.values()]
        rows = [self._by_heading(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]
        return dict(zip(distinct(self.queries), rows, strict=True))

    def _by_heading(self, pairs: Iterable[tuple[str, float]]) -> dict[str, float]:
        row: AnySpelling[float] = AnySpelling(pairs)
        row.scores = self
        return row

    def to_dict(self, per_query: bool = False) -> dict[str, Any]:
        """Plain values, for JSON: rules, run, mean, ledger and, if asked, queries.

        Where a name became another under the rules, `asked` says which: {as it was asked for: what it became}.
        """
        out = {
            "rules": self.rules.to_dict(),
            "run": self.run,
            **({"asked": became} if (became := self._became()) else {}),
            "mean": self.mean,
            **({"runs": {one.run: one.mean for one in self.runs}} if self.runs else {}),
            "ledger": self.ledger.to_dict(),
        }
        return {**out, "queries": self._plain()} if per_query else out

    def _plain(self) -> dict[str, dict[str, float | None]]:
        """The values of each query as JSON has them: None where there is none."""
        queries = self.per_query()
        if not self.ledger.undefined:
            return {query: {**row} for query, row in queries.items()}
        return {q: {m: None if math.isnan(v) else v for m, v in row.items()} for q, row in queries.items()}

    def _became(self) -> dict[str, str]:
        """What was asked for and is called otherwise."""
        return {asked: name for asked, name in self.asked.items() if asked != name}

    def to_arrow(self) -> pyarrow.Table:
        """One row a query: the id, then a column a measure."""
        try:
            import pyarrow
        except ModuleNotFoundError:
            raise self._missing("to_arrow", "parquet") from None
        return pyarrow.table({"query": list(self.queries), **self._named})

    def to_polars(self) -> polars.DataFrame:
        """One row a query: the id, then a column a measure."""
        try:
            import polars
        except ModuleNotFoundError:
            raise self._missing("to_polars", "frames") from None
        return polars.DataFrame({"query": list(self.queries), **self._named})

    def to_pandas(self) -> pandas.DataFrame:
        """One row a query, which is the index; a column a measure."""
        try:
            import pandas
        except ModuleNotFoundError:
            raise self._missing("to_pandas", "frames") from None
        return pandas.DataFrame(self._named, index=pandas.Index(self.queries, name="query"))

    def to_ir_measures(self) -> list[Any]:
        """The values as ir_measures and PyTerrier have them: a `Metric(query_id, measure, value)` each.

        Raises:
            MissingPackage: ir_measures is not installed.
            MeasureError: it has no such measure.
        """
        metrics: list[Any] = import_module("truerank.interop.ir_measures").metrics(self)  # which stands above
        return metrics


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

    >>> from truerank.measures import parse_measure
    >>> found = intervals([parse_measure("GMAP")], np.array([[0.25], [0.25], [1.0], [1.0]]), seed=1)[0]
    >>> round(found.estimate, 12), found.low <= 0.5 <= found.high
    (0.5, True)
    """
    from truerank.stats import mean_intervals

    found: dict[int, Interval] = {}
    kinds = list(map(_is_share, measures))
    for shares in set(kinds):
        at = [i for i, each in enumerate(kinds) if each == shares]
        table = np.column_stack([averaged(measures[i], values[:, i]) for i in at])
        drawn = mean_intervals(table, confidence=confidence, resamples=samples, seed=seed, shares=shares)
        found |= zip(at, drawn, strict=True)
    return [_of_mean(measure, values[:, i], found[i]) for i, measure in enumerate(measures)]


def _is_share(measure: Measure) -> bool:
    """Whether values that are all 0 or 1 are those of a share; a count of 1 or a logarithm of 0 is none."""
    return bool(measure.definition.unit and measure.definition.average != "geometric")


def _of_mean(measure: Measure, values: PerQuery, interval: Interval) -> Interval:
    """The interval of what the measure shows, from that of the plain mean."""
    low, high = interval.low, interval.high
    if measure.definition.average == "sum":
        low, high = low * len(values), high * len(values)
    elif measure.definition.average == "geometric":
        low, high = math.exp(low), math.exp(high)
    return dataclasses.replace(interval, estimate=measure.mean(values), low=low, high=high)
