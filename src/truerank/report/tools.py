"""One run under many tools' rules, and the reasons, as text in every format that there is for tables."""

from __future__ import annotations

from truerank.errors import shown
from truerank.explain.tools import Change, Reason, ToolComparison, ToolRow
from truerank.report.table import Cell, Table, as_text
from truerank.report.tables import Pages


def render(
    comparison: ToolComparison, format: str = "table", *, digits: int | None = None, styled: bool = False
) -> str:
    """The comparison as text in one of `tables.FORMATS`.

    Args:
        digits: after the point; by default 4 in what people read, all in csv. JSON has all.
        styled: with bold and lines, for a terminal.
    """
    return pages(comparison, digits).render(format, styled=styled)


def pages(comparison: ToolComparison, digits: int | None = None) -> Pages:
    """The numbers, then the reasons."""
    shown_digits = 4 if digits is None else digits
    tables = [value_table(comparison, shown_digits), reason_table(comparison, shown_digits)]
    flat = value_table(comparison, digits, noted=False)
    return Pages([table for table in tables if table.rows], flat, comparison.to_dict())


def value_table(comparison: ToolComparison, digits: int | None, *, noted: bool = True) -> Table:
    """A row a tool, a column a measure; what a tool does not have is left empty."""
    rows: list[tuple[Cell, ...]] = [_values(row) for row in comparison.rows]
    notes = [f"{shown(row.name)} refuses: {row.refused}" for row in comparison.rows if row.refused]
    gaps = any(value is None for row in comparison.rows for value in row.values)
    empty = " An empty cell: the tool has no such measure, or refuses the run." if gaps else ""
    told = (f"Run: {shown(comparison.run)}.{empty}", *filter(None, [comparison.note]), *notes) if noted else ()
    return Table(("rules", *comparison.measures, "queries"), tuple(rows), notes=told, digits=digits)


def reason_table(comparison: ToolComparison, digits: int) -> Table:
    """A row a difference that matters here: by how much it alone moves each mean, and for how many queries."""
    rows: list[tuple[Cell, ...]] = []
    for row in comparison.rows:
        reasons = [reason for reason in row.reasons if reason.moves]
        rows += [(row.name, *_reason(reason, digits)) for reason in reasons]
    base = comparison.base.name
    notes = (
        f"How each mean moves from that of the rules {base} when this alone is switched, and in brackets for how "
        "many queries.",
        *_idle(comparison),
    )
    return Table(("rules", "difference", *comparison.measures), tuple(rows), notes=notes)


def _values(row: ToolRow) -> tuple[Cell, ...]:
    return (row.name, *row.values, None if row.refused else row.queries)


def _reason(reason: Reason, digits: int) -> tuple[Cell, ...]:
    if reason.refused:
        return (reason.what, *("refused" for _ in reason.changes))
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
    return [f"Rules without any effect here: {'; '.join(idle)}."] if idle else []
