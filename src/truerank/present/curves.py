"""Precision-recall curves as numbers."""

from __future__ import annotations

from collections.abc import Sequence

from truerank.analysis.curve import Area, Curve
from truerank.core.errors import shown
from truerank.core.messages import joined, message
from truerank.present import few, ledger
from truerank.present.document import Document
from truerank.present.names import labels
from truerank.present.table import Cell, Table, as_text

READINGS = {
    "definition": message("Precision at a recall is the highest at that recall or any higher one."),
    "round": message("Precision at a recall is the highest from relevant document round(r R) on."),
    "up": message("Precision at a recall is the highest from relevant document floor(r R + 0.9) on."),
}
"""What precision at a recall r is, by each reading of the points."""

RAW = (
    message("rank"),
    message("relevant"),
    message("recall"),
    message("precision"),
    message("interpolated"),
)

AREAS: dict[Area, str] = {
    "step": "AUPRC",
    "trapezoid": message("AUPRC, trapezoid"),
    "interpolated": message("AUPRC, interpolated"),
}


def document(curves: Sequence[Curve], digits: int | None = None) -> Document:
    """All there is to show; for people of one query its raw curve first, then the interpolated points."""
    shown_digits = 4 if digits is None else digits
    raw = [raw_table(curves, shown_digits)] if curves[0].sawtooth else []
    plain = [{**curve.to_dict(), "remarks": remarks(curve)} for curve in curves]
    return Document(
        [*raw, points_table(curves, shown_digits)],
        flat_table(curves, digits),
        plain[0] if len(plain) == 1 else plain,
        [*ledger.named_remarks(curves, labels([curve.run for curve in curves])), *remarks(curves[0])],
    )


def document_of(curve: Curve, digits: int | None = None) -> Document:
    """What a curve shows of itself."""
    return document([curve], digits)


def remarks_of(curve: Curve) -> list[str]:
    """What the mean hides, and whether there are enough queries."""
    return [*ledger.remarks(curve), *remarks(curve)]


def points_table(curves: Sequence[Curve], digits: int = 4) -> Table:
    """A column a run: precision at each recall, its mean, and the area below."""
    names = labels([curve.run for curve in curves])
    columns = list(map(_summary, curves))
    rows: list[tuple[Cell, ...]] = [(name, *(column[name] for column in columns)) for name in columns[0]]
    return Table((message("recall"), *names), tuple(rows), notes=tuple(notes(curves)), digits=digits)


def raw_table(curves: Sequence[Curve], digits: int | None = 4, *, named: bool = False) -> Table:
    """A row a result of the one query, of each run in turn; `named`: with the run even if there is but one."""
    names = labels([curve.run for curve in curves])
    rows: list[tuple[Cell, ...]] = []
    for name, curve in zip(names, curves, strict=True):
        rows += [(name, *row) for row in _raw(curve)]
    table = Table((message("run"), *RAW), tuple(rows), digits=digits)
    return table if named or len(curves) > 1 else table.without_first_column()


def flat_table(curves: Sequence[Curve], digits: int | None = None) -> Table:
    """For programs: a row a run; or, of one query, a row a run and result."""
    if curves[0].sawtooth:
        return raw_table(curves, digits, named=True)
    columns = ("run", "rules", "queries", *_summary(curves[0]))
    who: list[tuple[Cell, ...]] = [(shown(c.run), shown(c.rules.name), c.queries) for c in curves]
    rows = tuple((*cells, *_summary(c).values()) for cells, c in zip(who, curves, strict=True))
    return Table(columns, rows, digits=digits)


def notes(curves: Sequence[Curve]) -> list[str]:
    """Under whose rules, what the means hide, of what, and whether it is enough."""
    first = curves[0]
    of = (
        message("The mean of {queries}.", queries=ledger.queries(first.queries))
        if first.query is None
        else message("Query {query}.", query=shown(first.query))
    )
    told = ledger.notes(curves, labels([curve.run for curve in curves]))
    return [*told, joined(" ", [of, READINGS[first.points]]), *remarks(first)]


def remarks(curve: Curve) -> list[str]:
    """What to think of the number of queries; nothing where one was asked for."""
    return few.remarks(curve.queries) if curve.query is None else []


def _summary(curve: Curve) -> dict[str, float]:
    """All numbers of the interpolated curve by their names."""
    heights = {as_text(recall, None): height for recall, height in zip(curve.recalls, curve.precision, strict=True)}
    return {**heights, message("mean"): curve.mean, **{name: curve.areas[area] for area, name in AREAS.items()}}


def _raw(curve: Curve) -> list[tuple[Cell, ...]]:
    raw = curve.sawtooth
    if raw is None:
        return []
    marks = [message("yes") if relevant else "" for relevant in raw.relevant]
    return list(zip(range(1, len(marks) + 1), marks, raw.recall, raw.precision, raw.interpolated, strict=True))
