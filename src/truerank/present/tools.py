"""One run under the rules of many tools, and the reasons, as tables in every format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from truerank.analysis.explain.tools import Change, Reason, ToolComparison, ToolRow
from truerank.core.errors import printable
from truerank.core.messages import joined, message
from truerank.present.document import Document
from truerank.present.renderers.terminal import fits
from truerank.present.table import Cell, Table, as_text, drawn_digits


def document_of(tools: ToolComparison, digits: int | None = None, width: int | None = None) -> Document:
    """The numbers, then the reasons.

    Args:
        digits: after the point; by default 4 in formats for people, all in csv. JSON has all.
        width: of the terminal; a wider table of reasons is split.
    """
    drawn = drawn_digits(digits)
    tables = [value_table(tools, drawn)]
    reasons = reason_table(tools, drawn)
    if reasons.rows:
        tables += _narrowed(reasons, width)
    flat = value_table(tools, digits, noted=False)
    return Document(tables, flat, tools.to_dict())


def remarks_of(tools: ToolComparison) -> list[str]:
    """Which tools refuse the run, and what the others are compared with."""
    refused = _refusals(tools)
    return [*filter(None, [tools.note]), *refused]


def _refusals(comparison: ToolComparison) -> list[str]:
    refused = ((row.name, row.refused) for row in comparison.rows if row.refused)
    return [message("{tool} refuses: {why}", tool=printable(name), why=why) for name, why in refused]


def value_table(comparison: ToolComparison, digits: int | None, *, noted: bool = True) -> Table:
    """A row per tool, a column per measure; empty where a tool lacks the measure. With notes that name the base."""
    rows: list[tuple[Cell, ...]] = [_values(row) for row in comparison.rows]
    base = comparison.base.name
    if noted and base not in {row.name for row in comparison.rows}:
        rows.insert(0, (base, *comparison.values, comparison.queries))
    notes = _refusals(comparison)
    gaps = any(value is None for row in comparison.rows for value in row.values)
    empty = [message("An empty cell: the tool has no such measure, or refuses the run.")] if gaps else []
    if not any(reason.moves for row in comparison.rows for reason in row.reasons):
        notes.append(
            message("Nothing in which these rules differ from the rules {rules} moves a number here.", rules=base)
        )
    run = joined(" ", [message("Run: {run}.", run=printable(comparison.run)), *empty])
    sentences = (run, *filter(None, [comparison.note]), *notes) if noted else ()
    return Table(
        (message("rules"), *comparison.measures, message("queries")), tuple(rows), notes=sentences, digits=digits
    )


def reason_table(comparison: ToolComparison, digits: int) -> Table:
    """One row per difference that matters here: how far it alone moves each mean, and for how many queries."""
    rows: list[tuple[Cell, ...]] = []
    for row in comparison.rows:
        reasons = [reason for reason in row.reasons if reason.moves]
        rows += [(row.name, *_reason(reason, digits)) for reason in reasons]
    base = comparison.base.name
    notes = (
        message(
            "How each mean moves from that of the rules {rules} when this alone is switched, and in brackets "
            "for how many queries.",
            rules=base,
        ),
        *_idle(comparison),
    )
    return Table((message("rules"), message("difference"), *comparison.measures), tuple(rows), notes=notes)


def _narrowed(table: Table, width: int | None) -> Iterator[Table]:
    """The table, or where it is too wide, several with as many of its measures as fit."""
    parts, places = [], list(range(2, len(table.columns)))
    while places:
        count = next((n for n in range(len(places), 1, -1) if fits(_part(table, places[:n]), width)), 1)
        parts.append(_part(table, places[:count]))
        places = places[count:]
    parts = [part for part in parts if part.rows]
    yield from parts[:-1]
    yield replace(parts[-1], notes=table.notes)


def _part(table: Table, places: Sequence[int]) -> Table:
    """The table for some of the measures, with the rows that say something about them."""
    rows = tuple(row for row in table.rows if any(row[i] for i in places))
    return replace(table, rows=rows, notes=()).only((0, 1, *places))


def _values(row: ToolRow) -> tuple[Cell, ...]:
    return (row.name, *row.values, None if row.refused else row.queries)


def _reason(reason: Reason, digits: int) -> tuple[Cell, ...]:
    if reason.refused:
        return (reason.what, *(message("refused") for _ in reason.changes))
    return (reason.what, *(_change(change, digits) for change in reason.changes))


def _change(change: Change | None, digits: int) -> str:
    if change is None or not change.queries:
        return ""
    sign = "+" if change.mean >= 0 else ""
    return f"{sign}{as_text(change.mean, digits)} ({change.queries:,})"


def _idle(comparison: ToolComparison) -> list[str]:
    """The rules that make no difference to this run."""
    reasons = [reason for row in comparison.rows for reason in row.reasons if reason.about == "rule"]
    idle = dict.fromkeys(reason.what for reason in reasons if not reason.moves)
    return [message("Rules without any effect here: {rules}.", rules=joined("; ", idle))] if idle else []
