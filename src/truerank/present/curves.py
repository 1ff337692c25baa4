"""Precision-recall curves as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from truerank.analysis.curve import Area, Curve
from truerank.core.errors import printable
from truerank.core.messages import Message, joined, message
from truerank.present import charts, few, ledger
from truerank.present.document import Document, Figure
from truerank.present.names import labels
from truerank.present.palette import MARKS
from truerank.present.table import Cell, Table, as_text, drawn_digits

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
    """The whole document; for people, a single query's raw curve comes first, then the interpolated points."""
    drawn = drawn_digits(digits)
    raw = [raw_table(curves, drawn)] if curves[0].sawtooth else []
    plain = [{**curve.to_dict(), "remarks": remarks(curve)} for curve in curves]
    return Document(
        [*raw, points_table(curves, drawn)],
        flat_table(curves, digits),
        plain[0] if len(plain) == 1 else plain,
        [*ledger.named_remarks(curves, labels([curve.run for curve in curves])), *remarks(_least(curves))],
    )


def document_of(curve: Curve, digits: int | None = None) -> Document:
    """The document of one curve."""
    laid = document([curve], digits)
    return replace(laid, blocks=[*laid.blocks, figure([curve])])


def remarks_of(curve: Curve) -> list[str]:
    """What the mean hides, and whether there are enough queries."""
    return [*ledger.remarks(curve), *remarks(curve)]


def figure(curves: Sequence[Curve]) -> Figure:
    """The curves of several runs in one picture; for a single query the raw ones behind the interpolated ones."""
    names, first = labels([curve.run for curve in curves]), curves[0]
    what = message("the mean of {queries}", queries=_counted(curves))
    if first.query is not None:
        what = message(
            "query {query}: the raw curve dashed, the interpolated one solid", query=printable(first.query)
        )
    rules = message("rules {rules}", rules=printable(first.rules.name))
    of = joined("; ", [*(names if len(names) == 1 else []), what, rules])
    called = {"recall": message("Recall"), "precision": message("Precision")}
    spec = (chart if first.query is None else query_chart)(curves, names, **called)
    alt = message("One line per run: {what}. Higher is better.", what=what)
    return Figure("precision-recall", message("Precision against recall"), alt, spec, subtitle=of)


def chart(curves: Sequence[Curve], names: Sequence[str], *, recall: str, precision: str) -> charts.Spec:
    """One line per run between the points at which precision was read.

    Args:
        recall, precision: what these are called.
    """
    rows = [
        {"who": name, "recall": r, "precision": height}
        for name, curve in zip(names, curves, strict=True)
        for r, height in zip(curve.recalls, curve.precision, strict=True)
    ]
    x, y = charts.shares("recall", recall), charts.shares("precision", precision)
    at = (recall, charts.NUMBER["format"])  # the points may be any
    hints: charts.Hints = {"who": message("run"), "recall": at, "precision": (precision, ".4f")}
    return charts.lines(rows, x, y, names, hints)


def query_chart(curves: Sequence[Curve], names: Sequence[str], *, recall: str, precision: str) -> charts.Spec:
    """The raw sawtooth as a thin line with one point per result, the interpolated curve as steps."""
    x, y = charts.shares("recall", recall), charts.shares("precision", precision)
    raw, steps = (
        {"values": [row for name, curve in zip(names, curves, strict=True) for row in rows_of(name, curve)]}
        for rows_of in (_raw_rows, _step_rows)
    )
    hints: charts.Hints = {
        "who": message("run"),
        "rank": message("rank"),
        "relevant": message("relevant"),
        "recall": recall,
        "precision": (precision, ".4f"),
    }
    key = charts.legend(names)
    dots = {"shape": charts.series(names, list(MARKS), key), "tooltip": charts.tooltip(hints)}
    ordered = [{"order": {"field": field, "type": "quantitative"}} for field in ("rank", "place")]
    point = {"type": "point", "filled": True, "size": 28}
    teeth: list[charts.Spec] = [
        {"mark": {"type": "line", "strokeWidth": 1, "strokeDash": [4, 2]}, "encoding": ordered[0]},
        {"mark": point, "params": [charts.chosen(), charts.zoom()], "encoding": dots},
    ]
    upper = {"data": steps, "mark": {"type": "line", "interpolate": "step-before"}, "encoding": ordered[1]}
    return {**charts.frame([], x, y, names, key), "layer": [{"data": raw, "layer": teeth}, upper]}


def _raw_rows(name: str, curve: Curve) -> list[dict[str, Any]]:
    raw = curve.sawtooth
    columns = () if raw is None else zip(raw.relevant, raw.recall, raw.precision, strict=True)
    return [
        {"who": name, "rank": rank, "relevant": "yes" if relevant else "no", "recall": recall, "precision": height}
        for rank, (relevant, recall, height) in enumerate(columns, 1)
    ]


def _step_rows(name: str, curve: Curve) -> list[dict[str, Any]]:
    """The corners of the interpolated curve: from recall 0 to what was reached, and from there on at 0."""
    raw = curve.sawtooth
    if raw is None or not any(raw.relevant):
        corners = [(0.0, 0.0), (1.0, 0.0)]
    else:
        corners = [(r, p) for r, p, hit in zip(raw.recall, raw.interpolated, raw.relevant, strict=True) if hit]
        corners = [(0.0, corners[0][1]), *corners, (1.0, corners[-1][1] if corners[-1][0] >= 1 else 0.0)]
    return [
        {"who": name, "place": place, "recall": recall, "precision": height}
        for place, (recall, height) in enumerate(corners)
    ]


def points_table(curves: Sequence[Curve], digits: int = 4) -> Table:
    """One column per run: precision at each recall, its mean, and the area below."""
    names = labels([curve.run for curve in curves])
    columns = list(map(_summary, curves))
    rows: list[tuple[Cell, ...]] = [(name, *(column[name] for column in columns)) for name in columns[0]]
    return Table((message("recall"), *names), tuple(rows), notes=tuple(notes(curves)), digits=digits)


def raw_table(curves: Sequence[Curve], digits: int | None, *, named: bool = False) -> Table:
    """One row per result of the one query, of each run in turn; `named`: with the run even if there is but one."""
    names = labels([curve.run for curve in curves])
    rows: list[tuple[Cell, ...]] = []
    for name, curve in zip(names, curves, strict=True):
        rows += [(name, *row) for row in _raw(curve)]
    table = Table((message("run"), *RAW), tuple(rows), digits=digits)
    return table if named or len(curves) > 1 else table.without_first_column()


def flat_table(curves: Sequence[Curve], digits: int | None = None) -> Table:
    """For programs: one row per run; or, of one query, one row per run and result."""
    if curves[0].sawtooth:
        return raw_table(curves, digits, named=True)
    columns = ("run", "rules", "queries", *_summary(curves[0]))
    who: list[tuple[Cell, ...]] = [(printable(c.run), printable(c.rules.name), c.queries) for c in curves]
    rows = tuple((*cells, *_summary(c).values()) for cells, c in zip(who, curves, strict=True))
    return Table(columns, rows, digits=digits)


def notes(curves: Sequence[Curve]) -> list[str]:
    """The rules, what the means hide and are over, and whether there are enough queries."""
    first = curves[0]
    of = (
        message("The mean of {queries}.", queries=_counted(curves))
        if first.query is None
        else message("Query {query}.", query=printable(first.query))
    )
    sentences = ledger.notes(curves, labels([curve.run for curve in curves]))
    return [*sentences, joined(" ", [of, READINGS[first.points]]), *remarks(_least(curves))]


def _least(curves: Sequence[Curve]) -> Curve:
    """The curve with the fewest queries."""
    return min(curves, key=lambda curve: curve.queries)


def _counted(curves: Sequence[Curve]) -> Message:
    """How many queries each curve is the mean of: rules may leave out those that a run does not answer."""
    low, high = _least(curves).queries, max(curve.queries for curve in curves)
    if low == high:
        return ledger.queries(low)
    return message("{low:,} to {high:,} queries", low=low, high=high)


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
