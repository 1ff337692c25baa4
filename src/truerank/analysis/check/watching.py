"""Gates that are checked repeatedly: what was seen at each look, and intervals that hold at all looks together.

There are two honest ways to look twice. Either each look brings queries that were not seen before, and one quantity
is followed ever more closely: a confidence sequence over all queries so far. Or the queries are the same and what
changes is the system: then each look asks a new question, and gets a share of the error that all may make together.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from functools import cached_property
from numbers import Real
from typing import Any, Literal, get_args

import numpy as np

from truerank import stats
from truerank.analysis.check.figures import Figures
from truerank.analysis.drawing import check_confidence
from truerank.core.equal import CLOSE, are_equal
from truerank.core.errors import InputError, MeasureError, RulesError, truncated
from truerank.core.messages import message
from truerank.core.presented import finite
from truerank.core.rules import Rules
from truerank.formats.records import parsed, written
from truerank.formats.source import as_source
from truerank.formats.target import writing
from truerank.measures import Measure
from truerank.measures.sums import PerQuery
from truerank.stats import Interval
from truerank.stats.values import mean

LooksAt = Literal["new", "same"]
Columns = Mapping[str, Sequence[float | None]]

VERSION = 1
MOVED = "moved"
"""The method of an interval where no single mean fits what was seen."""

FEW = message("too few queries to say where it may lie")

UNKNOWN = {"none": FEW, MOVED: message("no single mean fits all looks: what is watched has changed")}
"""Why there are no limits, by the method of the interval."""


SHOWN = {"name", "value", "low", "high", "against", "queries"}
"""What is shown of a gate at an earlier look."""


@dataclass(frozen=True)
class Look:
    """What one check saw.

    Attributes:
        number: from 1; where looks are at the same queries, one that saw the same as an earlier one has its number.
        at: when, in UTC.
        run, against: the names of what was checked and of the baseline.
        queries: those that were not seen before; none where looks are at the same queries.
        values, baseline: their values by measure, None for no number.
        digest: a fingerprint of everything seen, to tell whether anything changed.
        gates: what was found, as `Verdict.to_dict` has it.
    """

    number: int
    at: str
    run: str
    against: str
    queries: tuple[str, ...]
    values: Columns
    baseline: Columns
    digest: str
    gates: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class Watch:
    """The looks so far, and what is assumed of them.

    Attributes:
        looks_at: "new": each look brings queries that were not seen before, drawn as the earlier ones were, and
            neither system nor baseline changes; "same": the queries may be the same, and the system changes.
        confidence: of all intervals at all looks together.
        ranges: {measure: (low, high)} of measures that can lie outside of 0 to 1.
        rules: under which all was scored, as `Rules.to_dict` has them; None before the first look.
        looks: in order.
    """

    looks_at: LooksAt
    confidence: float = 0.95
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    rules: Mapping[str, Any] | None = None
    looks: tuple[Look, ...] = ()

    def __post_init__(self) -> None:
        if self.looks_at not in get_args(LooksAt):
            raise InputError("looks are at new or at the same queries, not {given!r}", given=self.looks_at)
        check_confidence(self.confidence)
        for name, limits in self.ranges.items():
            _check_range(name, limits)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Watch:
        """The watch in a file that `write` wrote.

        Raises:
            InputError: the file cannot be read, or holds something else.
        """
        source = as_source(path)
        first, *rest = [parsed(line, source.name, n) for n, line in enumerate(source.read().splitlines(), 1)] or [0]
        if not isinstance(first, dict) or first.get("truerank") != "watch":
            raise InputError("this is no file of looks; `truerank check --watch FILE` begins one", source.name)
        if first.get("version") != VERSION:
            raise InputError("another version of truerank wrote these looks: begin another file", source.name)
        try:
            looks = tuple(_look(one) for one in rest)
            ranges = {name: (float(low), float(high)) for name, (low, high) in first["ranges"].items()}
            if not isinstance(first["rules"], dict | None):
                raise TypeError("rules")
            return cls(first["looks_at"], float(first["confidence"]), ranges, first["rules"], looks)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise InputError(
                "the looks are damaged: {kind} {error}", source.name, kind=type(error).__name__, error=error
            ) from None

    def write(self, path: str | os.PathLike[str]) -> None:
        """A line that says what is assumed, then one line per look (JSON lines): all or nothing."""
        head = {
            "truerank": "watch",
            "version": VERSION,
            **{name: getattr(self, name) for name in ("looks_at", "confidence", "ranges", "rules")},
        }
        with writing(path) as file:
            file.writelines(map(written, [head, *map(vars, self.looks)]))

    def to_dict(self) -> dict[str, Any]:
        """What was found at each look as plain values, without those of queries."""
        left = ("queries", "values", "baseline", "digest")
        looks = [{key: value for key, value in vars(one).items() if key not in left} for one in self.looks]
        return {"looks_at": self.looks_at, "confidence": self.confidence, "looks": looks}

    def with_gates(self, gates: Sequence[Mapping[str, Any]]) -> Watch:
        """The watch with what the last look found."""
        last = replace(self.looks[-1], gates=tuple(gates))
        return replace(self, looks=(*self.looks[:-1], last))

    def seeing(self, figures: Figures | None, baseline: Figures | None) -> Seen:
        """One more look, together with those before.

        Raises:
            TruerankError: there are no values of queries, other rules, or values that contradict earlier ones.
        """
        if figures is None or not figures.values or (baseline and not baseline.values):
            raise InputError("to be watched, scores need the values of queries: save them with --per-query")
        if any(one and (one.system or one.predicted) for one in (figures, baseline)):
            raise InputError("only scores of one run can be watched, neither systems of several runs nor estimates")
        self._refuse_other_rules(figures.rules)
        watch = replace(self, rules=self.rules or (figures.rules.to_dict() if figures.rules else None))
        look = _seen(figures, baseline)
        if self.looks_at == "same":
            return Seen(watch._with(replace(look, queries=(), values={}, baseline={})), figures, baseline)
        after = watch._with(self._new(look))
        return Seen(after, *after._all(figures, baseline))._refusing_nothing()

    def _with(self, look: Look) -> Watch:
        known = {one.digest: one.number for one in reversed(self.looks)}
        number = known.get(look.digest, max(known.values(), default=0) + 1)
        if self.looks_at == "new":
            number = len(self.looks) + 1
        return replace(self, looks=(*self.looks, replace(look, number=number)))

    def _refuse_other_rules(self, rules: Rules | None) -> None:
        if self.rules and rules and not rules.is_like(Rules.from_dict(dict(self.rules))):
            raise RulesError(
                "the earlier looks are scored under the rules {rules}, this one under {others}: begin another file",
                rules=self.rules.get("name"),
                others=rules.name,
            )

    def _new(self, look: Look) -> Look:
        """The look with only those queries that no earlier look had."""
        places = {query: (one, place) for one in self.looks for place, query in enumerate(one.queries)}
        for here, query in enumerate(look.queries):
            if query in places:
                self._refuse_other_values(query, look, here, *places[query])
        kept = [i for i, query in enumerate(look.queries) if query not in places]
        values, before = (
            {name: [column[i] for i in kept] for name, column in columns.items()}
            for columns in (look.values, look.baseline)
        )
        queries = tuple(look.queries[i] for i in kept)
        return replace(look, queries=queries, values=values, baseline=before)

    def _refuse_other_values(self, query: str, look: Look, here: int, earlier: Look, there: int) -> None:
        for now, before in ((look.values, earlier.values), (look.baseline, earlier.baseline)):
            changed = [
                name
                for name in now
                if name in before and not are_equal(*_numbers([now[name][here], before[name][there]]))
            ]
            if changed:
                raise InputError(
                    "query {query} was seen at look {number} with another {measure}: looks are at new queries only "
                    "as long as the systems stay as they are. Begin another file, with --looks same if the queries "
                    "are the same and the system changes",
                    query=truncated(query),
                    number=earlier.number,
                    measure=changed[0],
                )

    def _all(self, figures: Figures, baseline: Figures | None) -> tuple[Figures, Figures | None]:
        """The figures of all looks, and the baseline's."""
        first = self._joined(figures, [one.values for one in self.looks])
        return first, self._joined(baseline, [one.baseline for one in self.looks]) if baseline else None

    def _joined(self, figures: Figures, parts: Sequence[Columns]) -> Figures:
        queries = [query for one in self.looks for query in one.queries]
        pieces = [(part, [None] * len(one.queries)) for part, one in zip(parts, self.looks, strict=True)]
        columns = {
            name: np.concatenate([_numbers(part.get(name, nothing)) for part, nothing in pieces])
            for name in figures.values
        }
        has_any = [any(map(math.isfinite, row)) for row in zip(*columns.values(), strict=True)]
        kept = {name: column[has_any] for name, column in columns.items()}
        means = {name: _mean(column) for name, column in kept.items()}
        return replace(figures, mean=means, queries=tuple(itertools.compress(queries, has_any)), values=kept)


@dataclass(frozen=True, eq=False)
class Seen:
    """One look together with those before: the figures to decide on, and intervals that hold at all looks together.

    Attributes:
        watch: with this look.
        figures, baseline: over all queries so far; or, where looks are at the same queries, of this look.
    """

    watch: Watch
    figures: Figures
    baseline: Figures | None

    def _refusing_nothing(self) -> Seen:
        """The look itself; raise where looks at new queries brought none for some measure."""
        for name, values in self.figures.values.items():
            if not np.isfinite(values).any():
                raise InputError(
                    "{measure} was not looked at when these queries were new, and none of them is new now: begin "
                    "another file for it, or look at new queries",
                    measure=name,
                )
        return self

    def mean(self, measure: Measure, values: PerQuery) -> Interval:
        """Where a mean may lie."""
        return self._watched(values, *self._limits(measure))

    def difference(self, measure: Measure, differences: PerQuery) -> Interval:
        """Where a mean difference, query by query, may lie."""
        low, high = self._limits(measure)
        return self._watched(differences, low - high, high - low)

    def _watched(self, values: PerQuery, low: float, high: float) -> Interval:
        near = CLOSE * max(1.0, abs(low), abs(high))
        outside = values[(values < low - near) | (values > high + near)].tolist()
        if outside:
            raise InputError(
                "a value is {value:g}, outside of what was said to be possible, {low:g} to {high:g}",
                value=outside[0],
                low=low,
                high=high,
            )
        within = np.clip(values, low, high)
        interval = stats.mean_sequence(within, confidence=self._confidence, limits=(low, high))[-1]
        interval = replace(interval, confidence=self.watch.confidence)
        if interval.low > interval.high:
            return replace(interval, low=-math.inf, high=math.inf, method=MOVED)
        return interval

    @cached_property
    def _confidence(self) -> float:
        if self.watch.looks_at == "new":
            return self.watch.confidence
        return stats.confidence_of_look(self.watch.confidence, self.watch.looks[-1].number)

    def _limits(self, measure: Measure) -> tuple[float, float]:
        """The lowest and the highest value that a measure can have."""
        name = str(measure)
        if measure.definition.average != "mean":
            raise MeasureError("{name} is no plain mean of queries: only such means can be watched", name=name)
        ranges = {self.figures.resolve(key): limits for key, limits in self.watch.ranges.items()}
        if name in ranges:
            return ranges[name]
        if not measure.definition.unit:
            raise MeasureError(
                "{name} has no limits that are known, without which no interval holds at all looks: say between "
                "which two numbers every value lies, e.g. --range {example}",
                name=name,
                example=f'"{name}=0:100"',
            )
        return 0.0, 1.0


def _check_range(name: str, limits: Any) -> None:
    is_pair = isinstance(limits, tuple | list) and len(limits) == 2 and all(isinstance(end, Real) for end in limits)
    if not is_pair or not -math.inf < limits[0] < limits[1] < math.inf:
        raise InputError(
            "the range of {name} is two finite numbers, the lower one first; not {limits!r}",
            name=name,
            limits=limits,
        )


def _seen(figures: Figures, baseline: Figures | None) -> Look:
    """The look at the queries that the run or the baseline has."""
    queries = tuple(dict.fromkeys([*figures.queries, *(baseline.queries if baseline else ())]))
    values = _columns(figures, {name: name for name in figures.values}, queries)
    before = {}
    if baseline:
        shared = {name: baseline.resolve(name) for name in figures.values if name in baseline.mean}
        before = _columns(baseline, shared, queries)
    digest = hashlib.sha256(written([queries, values, before])).hexdigest()
    now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return Look(0, now, figures.name, baseline.name if baseline else "", queries, values, before, digest)


def _columns(figures: Figures, names: Mapping[str, str], queries: Sequence[str]) -> dict[str, list[float | None]]:
    """The values of each measure; `names` is {its name here: its name in the figures}."""
    place = {query: i for i, query in enumerate(figures.queries)}
    columns = {}
    for name, own in names.items():
        column = list(map(finite, figures.values[own].tolist()))
        columns[name] = [column[place[query]] if query in place else None for query in queries]
    return columns


def _look(plain: Mapping[str, Any]) -> Look:
    look = Look(**{**plain, "queries": tuple(plain["queries"]), "gates": tuple(plain["gates"])})
    if not isinstance(look.number, int) or not isinstance(look.at, str):
        raise TypeError("number, at")
    if not all(isinstance(text, str) for text in (look.digest, *look.queries)):
        raise TypeError("digest, queries")
    if not all(isinstance(gate, dict) and gate.keys() >= SHOWN for gate in look.gates):
        raise TypeError("gates")
    for name, column in [*look.values.items(), *look.baseline.items()]:
        if len(_numbers(column)) != len(look.queries):
            raise ValueError(name)
    return look


def _numbers(column: Sequence[float | None]) -> PerQuery:
    return np.array([math.nan if value is None else value for value in column], np.float64)


def _mean(column: PerQuery) -> float:
    kept = column[np.isfinite(column)]
    return float(mean(kept)) if len(kept) else math.nan
