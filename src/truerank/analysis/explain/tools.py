"""One run under the rules of many tools, and why their numbers differ: each difference switched by itself."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from truerank.core.equal import are_equal, difference, is_equal
from truerank.core.errors import InputError
from truerank.core.evaluate import score
from truerank.core.messages import Message, joined, message
from truerank.core.presented import Presented
from truerank.core.qrels import Qrels, QrelsLike
from truerank.core.reading import READ_UNDER, Reading, reading_of
from truerank.core.rules import Rules
from truerank.core.run import Run, RunLike
from truerank.core.vocabulary import of_judged, resolve, under
from truerank.formats import open_run, read_qrels
from truerank.measures import Measure, MeasuresLike, parse_measures
from truerank.measures.sums import PerQuery


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
        readings: what the tool takes each measure to be; None where it has no such measure.
        values: one a measure; None without a reading, or if the tool refuses the run.
        queries: how many are in the mean.
        refused: why there are no values.
        reasons: every difference to the default rules, those too that move nothing here.
    """

    name: str
    readings: tuple[Measure | None, ...]
    values: tuple[float | None, ...]
    queries: int
    refused: str
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, repr=False)
class ToolComparison(Presented):
    """One run under many tools' rules.

    Attributes:
        run: its name.
        measures: as asked.
        rows: one a tool, in the order they were named.
        base: what they are compared with: the default, or the nearest that takes the run.
        note: why it is not the default.
        values, queries: one value per measure under `base`, and how many queries are in the mean.
    """

    built_by = "tools"

    run: str
    measures: tuple[str, ...]
    rows: tuple[ToolRow, ...]
    base: Rules
    note: str = ""
    values: tuple[float | None, ...] = ()
    queries: int = 0

    def _summary(self) -> str:
        names = ", ".join(row.name for row in self.rows)
        return f"ToolComparison({self.run!r}, {', '.join(self.measures)}; rules {names})"

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


def under_rules(qrels: QrelsLike, run: RunLike, measures: MeasuresLike, names: Sequence[str]) -> ToolComparison:
    """One run under the rules of many tools, and what of their rules and measures moves the numbers.

    Args:
        qrels, run: as for `evaluate`.
        measures: each tool reads plain names its own way; what has parameters means what it says.
        names: presets or rules files.

    Raises:
        TruerankError: wrong input; but what a tool's rules refuse is told in its row.

    >>> found = under_rules({"q": {"a": 1, "b": 1}}, {"q": ["a", "x"]}, "AP@10", ["truerank", "autorag"])
    >>> [(row.name, row.values) for row in found.rows]
    [('truerank', (0.5,)), ('autorag', (1.0,))]
    >>> [reason.what for reason in found.rows[1].reasons if reason.moves]
    ["AP@10 is AP(divisor='hits', depth=10)"]
    """
    asked = of_judged(parse_measures(measures))
    numbers = _Numbers(read_qrels(qrels), open_run(run))
    base, note = _base(numbers, asked)
    rows = [_row(numbers, name, asked, base) for name in names]
    columns = [column for column in numbers.under(base, _plainly(asked, base)) if column]
    values, queries = tuple(column.mean for column in columns), max(column.counted for column in columns)
    names = tuple(measure.written for measure in asked)
    return ToolComparison(numbers.run.name, names, tuple(rows), base, note, values, queries)


@dataclass(frozen=True)
class _Column:
    """A measure's values by query, and their mean."""

    mean: float
    queries: Sequence[str]
    values: PerQuery

    @property
    def counted(self) -> int:
        """How many queries the mean is over: those that have a value."""
        return int(np.count_nonzero(~np.isnan(self.values)))

    def change(self, other: _Column) -> Change:
        """What is different in the other: values, and queries that only one of the means is over."""
        moved = float(difference(other.mean, self.mean))
        if self.queries == other.queries:
            return Change(moved, int(np.count_nonzero(~are_equal(self.values, other.values))))
        mine, theirs = (dict(zip(one.queries, one.values.tolist(), strict=True)) for one in (self, other))
        both = mine.keys() & theirs.keys()
        touched = len(mine.keys() ^ theirs.keys()) + sum(not is_equal(mine[query], theirs[query]) for query in both)
        return Change(moved, touched)


NAMING = ("name", "measures", "vocabulary", "readings")
"""Rules that change what is evaluated, not the value of a measure."""

Readings = Sequence[Measure | None]
Columns = Sequence[_Column | None]


@dataclass(frozen=True, eq=False)
class _Numbers:
    """A run's numbers under any rules; it is read anew only for rules that look at its rows."""

    qrels: Qrels
    run: Run
    readings: dict[Any, Reading] = field(default_factory=dict)
    known: dict[Any, _Column] = field(default_factory=dict)

    def under(self, rules: Rules, readings: Readings) -> list[_Column | None]:
        """One column for each reading of the measures."""
        plain = rules.nameless
        wanted = [reading for reading in readings if reading and (plain, reading) not in self.known]
        if wanted:
            self._learn(plain, list(dict.fromkeys(wanted)))
        return [None if reading is None else self.known[plain, reading] for reading in readings]

    def _learn(self, rules: Rules, measures: list[Measure]) -> None:
        scores = score(replace(self._reading(rules), rules=rules), measures)
        for m in measures:
            self.known[rules, m] = _Column(m.mean(scores.columns[str(m)]), scores.queries, scores.columns[str(m)])

    def _reading(self, rules: Rules) -> Reading:
        key = tuple(getattr(rules, name) for name in READ_UNDER)
        if key not in self.readings:
            self.readings[key] = reading_of(self.qrels, self.run, rules)
        return self.readings[key]


def _base(numbers: _Numbers, asked: list[Measure]) -> tuple[Rules, str]:
    """The default rules; if these refuse repeated documents, with the first of each."""
    try:
        numbers.under(Rules(), _plainly(asked, Rules()))
    except InputError as refused:
        nearest = Rules(name="truerank, duplicates = first", duplicates="first")
        numbers.under(nearest, _plainly(asked, nearest))
        return nearest, message("The default rules refuse this run: {why}", why=_said(refused))
    return Rules(), ""


def _plainly(asked: list[Measure], base: Rules) -> list[Measure]:
    """The measures as truerank reads them."""
    return [under(measure, base) for measure in asked]


def _row(numbers: _Numbers, name: str, asked: list[Measure], base: Rules) -> ToolRow:
    rules = Rules.of(name)
    resolveds = [resolve(measure, rules) for measure in asked]
    readings = [reading.measure if reading.is_known else None for reading in resolveds]
    plain = [reading and measure for reading, measure in zip(readings, _plainly(asked, base), strict=True)]
    reasons = [*_of_rules(numbers, rules, plain, base), *_of_readings(numbers, readings, plain, base)]
    try:
        columns = numbers.under(rules, readings)
    except InputError as refused:
        return ToolRow(name, tuple(readings), (None,) * len(asked), 0, _said(refused), tuple(reasons))
    reasons += _together(numbers.under(base, plain), columns, reasons)
    values = tuple(None if column is None else column.mean for column in columns)
    queries = max((column.counted for column in columns if column), default=0)
    return ToolRow(name, tuple(readings), values, queries, "", tuple(reasons))


def _of_rules(numbers: _Numbers, rules: Rules, plain: Readings, base: Rules) -> list[Reason]:
    """A reason for each rule in which the tool differs."""
    fields = [rule.name for rule in dataclasses.fields(Rules) if rule.name not in NAMING]
    values = {name: getattr(rules, name) for name in fields if getattr(rules, name) != getattr(base, name)}
    before = numbers.under(base, plain)
    reasons = []
    for name, value in values.items():
        switched = {name: value, **_needed(name, rules)}
        what = ", ".join(f"{rule} = {own}" for rule, own in switched.items())
        reasons.append(Reason("rule", what, *_switched(numbers, before, replace(base, **switched), plain)))
    return reasons


def _needed(name: str, rules: Rules) -> dict[str, Any]:
    """What a rule cannot be said without: a mean over lines has no queries without one."""
    return {"missing": rules.missing} if name == "unit" else {}


def _of_readings(numbers: _Numbers, readings: Readings, plain: Readings, base: Rules) -> list[Reason]:
    """A reason for each measure that the tool reads in another way."""
    before = numbers.under(base, plain)
    reasons = []
    for place, (one, other) in enumerate(zip(plain, readings, strict=True)):
        if one != other:
            alone = [reading if i == place else None for i, reading in enumerate(readings)]
            reasons.append(
                Reason(
                    "reading",
                    message("{one} is {other}", one=str(one), other=str(other)),
                    *_switched(numbers, before, base, alone),
                )
            )
    return reasons


def _switched(
    numbers: _Numbers, before: Columns, rules: Rules, readings: Readings
) -> tuple[tuple[Change | None, ...], str]:
    """What one difference does, all else as in the default; or why it leaves no number."""
    try:
        after = numbers.under(rules, readings)
    except InputError as refused:
        return (None,) * len(readings), _said(refused)
    return tuple(map(_change, before, after)), ""


def _said(refused: InputError) -> Message:
    """The place and the message of an error."""
    return joined("", [refused.where, refused.said])


def _together(before: Columns, after: Columns, reasons: list[Reason]) -> list[Reason]:
    """What the differences do only together: no single one of them does it."""
    moved = [any(reason.refused or _touches(reason.changes[i]) for reason in reasons) for i in range(len(before))]
    changes = [None if alone else _change(*pair) for alone, *pair in zip(moved, before, after, strict=True)]
    return [Reason("all", message("all of these together"), tuple(changes))] if any(map(_touches, changes)) else []


def _change(before: _Column | None, after: _Column | None) -> Change | None:
    return before.change(after) if before and after else None


def _touches(change: Change | None) -> bool:
    return change is not None and change.queries > 0
