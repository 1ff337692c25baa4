"""One run under the rules of many tools, and why their numbers differ: each difference switched by itself."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from truerank.errors import InputError
from truerank.evaluate import look_up, score
from truerank.formats import open_run, read_qrels
from truerank.measures import Measure, parse_measures
from truerank.measures.sums import PerQuery
from truerank.qrels import Qrels
from truerank.rules import Rules, presets
from truerank.run import Run, Scan

COMPLETE = ("truerank", "trec_eval-10", "trec_eval-9")
"""Presets whose tools have every measure, as truerank reads it, whether or not they name it."""

FAMILIES = {
    "R": ("R", "SetR", "Success", "SetSuccess"),
    "Success": ("Success", "SetSuccess"),
    "P": ("P", "SetP"),
}
"""What tools take for a measure; of these, the one that a preset names first is what the tool calls by the name."""


@dataclass(frozen=True)
class Reading:
    """What a tool takes a measure to be: a measure, of whole lists cut at a depth if the tool knows no cutoffs."""

    measure: Measure
    depth: int | None = None

    def __str__(self) -> str:
        return str(self.measure) + (f" of the first {self.depth}" if self.depth else "")


@dataclass(frozen=True)
class Change:
    """What one difference does to one number: by how much the mean moves, and how many queries it touches."""

    mean: float
    queries: int


@dataclass(frozen=True)
class Reason:
    """A difference between a tool and the default, switched by itself.

    Attributes:
        about: whether it is a rule, the reading of a measure, or all of them together.
        what: "ties = input", "AP@10 is AP(divisor='hits')@10", or "all of these together".
        changes: one a measure; None where the difference says nothing about it.
        refused: why there is no number any more, if that is what it does.
    """

    about: Literal["rule", "reading", "all"]
    what: str
    changes: tuple[Change | None, ...]
    refused: str = ""

    @property
    def moves(self) -> bool:
        """Whether it makes any difference to this run."""
        return bool(self.refused) or any(map(_touches, self.changes))


@dataclass(frozen=True)
class ToolRow:
    """A run under one tool's rules.

    Attributes:
        name: the preset or rules file.
        readings: one a measure; None where the tool has no such measure.
        values: one a measure; None without a reading, or if the tool refuses the run.
        queries: how many are in the mean.
        refused: why there are no values.
        reasons: every difference to the default rules, those too that move nothing here.
    """

    name: str
    readings: tuple[Reading | None, ...]
    values: tuple[float | None, ...]
    queries: int
    refused: str
    reasons: tuple[Reason, ...]


@dataclass(frozen=True)
class ToolComparison:
    """One run under many tools' rules.

    Attributes:
        run: its name.
        measures: as asked.
        rows: one a tool, in the order they were named.
        base: what they are compared with: the default, or the nearest that takes the run.
        note: why it is not the default.
        values, queries: one value a measure under `base`, and how many queries are in the mean.
    """

    run: str
    measures: tuple[str, ...]
    rows: tuple[ToolRow, ...]
    base: Rules
    note: str = ""
    values: tuple[float | None, ...] = ()
    queries: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "run": self.run,
            "measures": list(self.measures),
            "compared with": self.base.to_dict(),
            "note": self.note,
            "base": {"mean": dict(zip(self.measures, self.values, strict=True)), "queries": self.queries},
            "tools": {row.name: self._row(row) for row in self.rows},
        }

    def _row(self, row: ToolRow) -> dict[str, Any]:
        readings = [None if reading is None else str(reading) for reading in row.readings]
        return {
            "mean": dict(zip(self.measures, row.values, strict=True)),
            "readings": dict(zip(self.measures, readings, strict=True)),
            "queries": row.queries,
            "refused": row.refused or None,
            "differences": [self._reason(reason) for reason in row.reasons],
        }

    def _reason(self, reason: Reason) -> dict[str, Any]:
        pairs = zip(self.measures, reason.changes, strict=True)
        changes = {name: dataclasses.asdict(change) for name, change in pairs if change is not None}
        return {"about": reason.about, "what": reason.what, "changes": changes, "refused": reason.refused or None}


def under_rules(
    qrels: Any, run: Any, measures: str | Measure | Iterable[str | Measure], names: Sequence[str]
) -> ToolComparison:
    """One run under the rules of many tools, and what of their rules and measures moves the numbers.

    Args:
        qrels, run: as for `evaluate`.
        measures: which families, and at which cutoffs; each tool reads them its own way.
        names: presets or rules files.

    Raises:
        TruerankError: wrong input; but what a tool's rules refuse is told in its row.

    >>> found = under_rules({"q": {"a": 1, "b": 1}}, {"q": ["a", "x"]}, "AP@10", ["truerank", "autorag"])
    >>> [(row.name, row.values) for row in found.rows]
    [('truerank', (0.5,)), ('autorag', (1.0,))]
    >>> [reason.what for reason in found.rows[1].reasons if reason.moves]
    ["AP@10 is AP(divisor='hits') of the first 10"]
    """
    asked = parse_measures(measures)
    numbers = _Numbers(read_qrels(qrels), open_run(run))
    base, note = _base(numbers, asked)
    rows = [_row(numbers, name, asked, base) for name in names]
    columns = [column for column in numbers.under(base, list(map(Reading, asked))) if column]
    values, queries = tuple(column.mean for column in columns), max(len(column.queries) for column in columns)
    return ToolComparison(numbers.run.name, tuple(map(str, asked)), tuple(rows), base, note, values, queries)


@dataclass(frozen=True)
class _Column:
    """A measure's values by query, and their mean."""

    mean: float
    queries: tuple[str, ...]
    values: PerQuery

    def change(self, other: _Column) -> Change:
        """What is different in the other: values, and queries that only one of the means is over."""
        if self.queries == other.queries:
            return Change(other.mean - self.mean, int(np.count_nonzero(self.values != other.values)))
        mine, theirs = (dict(zip(one.queries, one.values.tolist(), strict=True)) for one in (self, other))
        touched = sum(mine.get(query) != theirs.get(query) for query in mine.keys() | theirs.keys())
        return Change(other.mean - self.mean, touched)


READS_ANEW = ("ties", "score_precision", "duplicates", "self_match", "extra", "empty")
"""Rules that decide what is seen while a run is read; so does missing = lines."""

Readings = Sequence[Reading | None]
Columns = Sequence[_Column | None]


@dataclass(frozen=True, eq=False)
class _Numbers:
    """A run's numbers under any rules; it is read anew only for rules that look at its rows."""

    qrels: Qrels
    run: Run
    scans: dict[Any, tuple[Qrels, Run, Scan]] = field(default_factory=dict)
    known: dict[Any, _Column] = field(default_factory=dict)

    def under(self, rules: Rules, readings: Readings) -> list[_Column | None]:
        """A column a reading."""
        plain = dataclasses.replace(rules, name="", measures=())
        wanted = [reading for reading in readings if reading and (plain, reading) not in self.known]
        for depth in dict.fromkeys(reading.depth for reading in wanted):
            self._learn(plain, depth, [reading.measure for reading in wanted if reading.depth == depth])
        return [None if reading is None else self.known[plain, reading] for reading in readings]

    def _learn(self, rules: Rules, depth: int | None, measures: list[Measure]) -> None:
        cut = rules if depth is None else rules.replace(depth=min(depth, rules.depth or depth))
        qrels, run, found = self._found(rules)
        scores = score(qrels, found, list(dict.fromkeys(measures)), cut, run.name)
        for m in scores.measures:
            column = _Column(scores.mean[str(m)], scores.queries, scores[m])
            self.known[rules, Reading(m, depth)] = column

    def _found(self, rules: Rules) -> tuple[Qrels, Run, Scan]:
        key = (*(getattr(rules, name) for name in READS_ANEW), rules.missing == "lines")
        if key not in self.scans:
            self.scans[key] = look_up(self.qrels, self.run, rules)
        return self.scans[key]


def _base(numbers: _Numbers, asked: list[Measure]) -> tuple[Rules, str]:
    """The default rules; if these refuse repeated documents, with the first of each."""
    try:
        numbers.under(Rules(), list(map(Reading, asked)))
    except InputError as refused:
        nearest = Rules(name="truerank, duplicates = first", duplicates="first")
        numbers.under(nearest, list(map(Reading, asked)))
        return nearest, f"The default rules refuse this run: {refused}"
    return Rules(), ""


def _reading(asked: Measure, name: str, rules: Rules) -> Reading | None:
    """What a tool takes a measure to be: of its family the one that its preset names first, cut where asked.

    A tool with cutoffs that has the family for whole lists alone has no such measure.
    """
    named = parse_measures(rules.measures)
    family = [m for m in named if m.name in FAMILIES.get(asked.name, (asked.name,))]
    if not family or name in COMPLETE:
        return Reading(asked) if name in COMPLETE or name not in presets() else None
    first, k = family[0], dict(asked.params).get("k")
    if k is None:
        return Reading(first)
    if not any("k" in dict(m.params) for m in named):
        return Reading(first, k)
    is_cut = any(m.name == first.name and "k" in dict(m.params) for m in family)
    return Reading(_cut(first, k)) if is_cut else None


def _cut(measure: Measure, k: int) -> Measure:
    """The measure at another cutoff."""
    params = {**dict(measure.params), "k": k}
    return dataclasses.replace(
        measure, params=tuple((key, params[key]) for key in measure.definition.parameters if key in params)
    )


def _row(numbers: _Numbers, name: str, asked: list[Measure], base: Rules) -> ToolRow:
    rules = Rules.of(name)
    readings = [_reading(measure, name, rules) for measure in asked]
    plain = [reading and Reading(measure) for reading, measure in zip(readings, asked, strict=True)]
    reasons = [*_of_rules(numbers, rules, plain, base), *_of_readings(numbers, readings, plain, base)]
    try:
        columns = numbers.under(rules, readings)
    except InputError as refused:
        return ToolRow(name, tuple(readings), (None,) * len(asked), 0, str(refused), tuple(reasons))
    reasons += _together(numbers.under(base, plain), columns, reasons)
    values = tuple(None if column is None else column.mean for column in columns)
    queries = max((len(column.queries) for column in columns if column), default=0)
    return ToolRow(name, tuple(readings), values, queries, "", tuple(reasons))


def _of_rules(numbers: _Numbers, rules: Rules, plain: Readings, base: Rules) -> list[Reason]:
    """A reason for each rule in which the tool differs."""
    fields = [rule.name for rule in dataclasses.fields(Rules) if rule.name not in ("name", "measures")]
    values = {name: getattr(rules, name) for name in fields if getattr(rules, name) != getattr(base, name)}
    before = numbers.under(base, plain)
    switched = {f"{name} = {value}": dataclasses.replace(base, **{name: value}) for name, value in values.items()}
    return [Reason("rule", what, *_switched(numbers, before, one, plain)) for what, one in switched.items()]


def _of_readings(numbers: _Numbers, readings: Readings, plain: Readings, base: Rules) -> list[Reason]:
    """A reason for each measure that the tool reads in another way."""
    before = numbers.under(base, plain)
    reasons = []
    for place, (one, other) in enumerate(zip(plain, readings, strict=True)):
        if one != other:
            alone = [reading if i == place else None for i, reading in enumerate(readings)]
            reasons.append(Reason("reading", f"{one} is {other}", *_switched(numbers, before, base, alone)))
    return reasons


def _switched(
    numbers: _Numbers, before: Columns, rules: Rules, readings: Readings
) -> tuple[tuple[Change | None, ...], str]:
    """What one difference does, all else as in the default; or why it leaves no number."""
    try:
        after = numbers.under(rules, readings)
    except InputError as refused:
        return (None,) * len(readings), str(refused)
    return tuple(map(_change, before, after)), ""


def _together(before: Columns, after: Columns, reasons: list[Reason]) -> list[Reason]:
    """What no difference does by itself."""
    moved = [any(reason.refused or _touches(reason.changes[i]) for reason in reasons) for i in range(len(before))]
    changes = [None if alone else _change(*pair) for alone, *pair in zip(moved, before, after, strict=True)]
    return [Reason("all", "all of these together", tuple(changes))] if any(map(_touches, changes)) else []


def _change(before: _Column | None, after: _Column | None) -> Change | None:
    return before.change(after) if before and after else None


def _touches(change: Change | None) -> bool:
    return change is not None and change.queries > 0
