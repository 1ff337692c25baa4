"""Several judges as tables: how much they agree, grade against grade, and what systems score by each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from truerank.analysis.judges.result import Flip, Judges, Order, Standing, TwoJudges
from truerank.core.errors import printable
from truerank.core.messages import Message, joined, message, plural
from truerank.core.presented import finite
from truerank.present import charts, ledger
from truerank.present.comparison_cells import (
    Column,
    ends,
    interval_heading,
    limits,
    mean_cell,
    percent,
    ranked,
    table_of,
    winners,
)
from truerank.present.document import Block, Document, Figure
from truerank.present.judges_notes import COEFFICIENTS, notes_of, remarks_of, told_of
from truerank.present.table import Cell, Table, drawn_digits, fixed, p_cell
from truerank.stats import Interval

__all__ = ["agreement_tables", "document_of", "figures", "pictures", "remarks_of", "system_tables"]

MOST_PAIRS = 3
"""Of more pairs of judges than those of three there is no table of grades for each, nor a picture."""

MOST_FLIPS = 20
"""Pairs of systems that a table names."""


def document_of(judges: Judges, digits: int | None = None, *, per_query: bool = False) -> Document:
    """The tables; for programs one row per coefficient, or one row per query.

    Args:
        per_query: whether to list each query for each two judges too.
    """
    drawn = drawn_digits(digits)
    tables = [*agreement_tables(judges, drawn), *(_per_query(judges, drawn) if per_query else ())]
    remarks = remarks_of(judges)
    systems = list(system_tables(judges, drawn))
    notes = (*notes_of(judges), *remarks)
    last = systems or tables
    last[-1] = replace(last[-1], notes=(*last[-1].notes, *notes))
    blocks: list[Block] = [*tables, *systems, *figures(judges, drawn)]
    return Document(blocks, _flat(judges, digits, per_query), {**judges.to_dict(), "remarks": remarks}, remarks)


def _flat(judges: Judges, digits: int | None, per_query: bool) -> Table:
    rows = judges.rows("queries" if per_query else "coefficients")
    columns = tuple(rows[0]) if rows else ("first", "second")
    cells = tuple(tuple(printable(v) if isinstance(v, str) else v for v in row.values()) for row in rows)
    return Table(columns, cells, digits=digits)


def agreement_tables(judges: Judges, digits: int) -> Iterator[Table]:
    """Who judged what, the coefficients, and grade against grade."""
    yield _judges(judges)
    if judges.together:
        title = message(
            "All judges, on {documents} that two or more have judged", documents=_documents(judges.together_on)
        )
        yield _coefficients(judges, judges.together, title, digits)
        yield _pairs(judges, digits)
    else:
        pair = judges.pairs[0]
        title = message("Agreement on the {documents} that both have judged", documents=_documents(pair.both))
        yield _coefficients(judges, pair.coefficients, title, digits)
    if len(judges.pairs) <= MOST_PAIRS:
        yield from (_confusion(judges, pair) for pair in judges.pairs if pair.both)


def _judges(judges: Judges) -> Table:
    """One row per judge."""
    rows = tuple(
        (printable(name), judges.judged[name], ", ".join(f"{grade:g}" for grade in judges.grades[name]))
        for name in judges.names
    )
    return Table((message("judge"), message("documents"), message("grades")), rows, title=message("Judges"))


def _coefficients(judges: Judges, of: Mapping[str, Interval], title: str, digits: int) -> Table:
    rows = tuple((COEFFICIENTS[name], finite(each.estimate), limits(each, digits)) for name, each in of.items())
    return Table(
        (message("coefficient"), message("value"), interval_heading(judges.confidence)),
        rows,
        title=title,
        digits=digits,
    )


def _pairs(judges: Judges, digits: int) -> Table:
    """One row per pair of judges, with the coefficients that most people ask for."""
    rows: list[tuple[Cell, ...]] = []
    for pair in judges.pairs:
        shown = [pair.coefficients[name] for name in ("kappa", "kappa_quadratic")]
        cells = [cell for each in shown for cell in (finite(each.estimate), limits(each, digits))]
        rows.append((printable(pair.first), printable(pair.second), pair.both, *cells))
    columns = (
        message("judge"),
        message("and"),
        message("both"),
        message("kappa"),
        interval_heading(judges.confidence),
        message("quadratic"),
        interval_heading(judges.confidence),
    )
    return Table(columns, tuple(rows), title=message("Pairs of judges"), digits=digits)


def _confusion(judges: Judges, pair: TwoJudges) -> Table:
    """How many documents have each grade by the first judge and each grade by the second."""
    grades = [f"{grade:g}" for grade in judges.scale]
    rows: list[tuple[Cell, ...]] = [(g, *counts) for g, counts in zip(grades, pair.confusion, strict=True)]
    title = message(
        "Grades by {first} (rows) and {second} (columns)",
        first=printable(pair.first),
        second=printable(pair.second),
    )
    return Table((message("grade"), *grades), tuple(rows), title=title)


def _per_query(judges: Judges, digits: int) -> Iterator[Table]:
    columns = (
        message("query"),
        message("both"),
        message("same grade"),
        message("kappa"),
        message("mean, first"),
        message("mean, second"),
    )
    for pair in judges.pairs:
        keys = ("query", "shared", "equal", "kappa", "mean_first", "mean_second")
        rows = tuple((printable(row["query"]), *(row[key] for key in keys[1:])) for row in pair.rows())
        title = joined(", ", [printable(pair.first), printable(pair.second)])
        yield Table(columns, rows, title=title, digits=digits)


def system_tables(judges: Judges, digits: int) -> Iterator[Table]:
    """What systems score by each judge, whether they keep their order, and which pairs do not."""
    for standing in judges.standings:
        yield _means(judges, standing, digits)
    if any(standing.orders for standing in judges.standings):
        yield _orders(judges, digits)
    for standing in judges.standings:
        yield from (_flips(standing, order, digits) for order in standing.orders if order.flips)


def _means(judges: Judges, standing: Standing, digits: int) -> Table:
    """One row per system; for two judges with intervals beside the means."""
    names = ranked(next(iter(standing.outcomes.values())))
    columns: list[Column] = [(message("run"), [printable(name) for name in names])]
    best = set()
    for judge, outcome in standing.outcomes.items():
        best |= {(names.index(name), len(columns)) for name in winners(outcome)} if standing.queries else set()
        columns.append((printable(judge), [mean_cell(outcome, outcome.means[name]) for name in names]))
        if len(judges.names) == 2:
            intervals: list[Cell] = [ends(outcome, outcome.means[name], digits) for name in names]
            columns.append((interval_heading(judges.confidence), intervals))
    title = message(
        "{measure} by each judge, {queries}", measure=standing.name, queries=ledger.queries(standing.queries)
    )
    return replace(table_of(columns, digits), title=title, best=frozenset(best))


def _orders(judges: Judges, digits: int) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for standing in judges.standings:
        for order in standing.orders:
            who = () if len(judges.names) == 2 else (f"{printable(order.first)}, {printable(order.second)}",)
            taus = [cell for each in (order.tau, order.tau_ap) for cell in _tau_cells(each, digits)]
            rows.append((standing.name, *who, *taus, order.pairs, len(order.flips)))
    who = () if len(judges.names) == 2 else (message("judges"),)
    between = interval_heading(judges.confidence)
    columns = (message("measure"), *who, "tau", between, "tau-AP", between, message("pairs"), message("flips"))
    return Table(columns, tuple(rows), title=message("Order of the runs from judge to judge"), digits=digits)


def _tau_cells(interval: Interval | None, digits: int) -> tuple[Cell, Cell]:
    return (None, "") if interval is None else (finite(interval.estimate), limits(interval, digits))


def _flips(standing: Standing, order: Order, digits: int) -> Table:
    """The pairs of systems that the two judges put in opposite orders, with notes."""
    title = message(
        "{measure}: {first} prefers the first run, {second} the second",
        measure=standing.name,
        first=printable(order.first),
        second=printable(order.second),
    )
    columns = (
        message("first run"),
        message("second run"),
        message("by the first judge"),
        "p",
        message("by the second"),
        "p",
    )
    more = len(order.flips) - MOST_FLIPS
    left = (plural("{n:,} more pair.", "{n:,} more pairs.", n=more),) if more > 0 else ()
    rows = tuple(_flip_row(flip, digits) for flip in order.flips[:MOST_FLIPS])
    return Table(columns, rows, title=title, notes=(*left, *told_of(standing.name, order)), digits=digits)


def _flip_row(flip: Flip, digits: int) -> tuple[Cell, ...]:
    sides = [
        (fixed(one.difference.estimate, digits, "+"), p_cell(one.adjusted, flip.alpha))
        for one in (flip.by_first, flip.by_second)
    ]
    return (printable(flip.by_first.system), printable(flip.by_first.against), *sides[0], *sides[1])


def figures(judges: Judges, digits: int = 4) -> list[Figure]:
    """The systems' means by one judge against another, by the first measure; none for counts or many judges."""
    if not judges.standings or not judges.standings[0].orders or len(judges.pairs) > MOST_PAIRS:
        return []
    standing = judges.standings[0]
    return [_figure(judges, standing, order, place, digits) for place, order in enumerate(standing.orders, 1)]


def pictures(judges: Judges) -> dict[str, Figure]:
    """A picture of each measure, by its name; where there are more than two judges, of each two of them."""
    few = len(judges.pairs) == 1
    return {
        standing.name if few else f"{standing.name}-{order.first}-{order.second}": _figure(
            judges, standing, order, place, 4
        )
        for standing in judges.standings
        for place, order in enumerate(standing.orders, 1)
    }


def _figure(judges: Judges, standing: Standing, order: Order, place: int, digits: int) -> Figure:
    across, up = (printable(name) for name in (order.first, order.second))
    means = [standing.outcomes[name].means for name in (order.first, order.second)]
    rows: list[dict[str, Any]] = [
        {
            "who": printable(name),
            **_place(means[0][name], "x", "left", "right"),
            **_place(means[1][name], "y", "low", "high"),
        }
        for name in judges.systems
    ]
    names = [printable(name) for name in judges.systems]
    low, high = charts.span([row[key] for row in rows for key in row if key != "who"], 0.1)
    scale = {"domain": [low, high], "zero": False, "nice": True, "padding": charts.PADDING}
    x, y = (
        charts.axis(key, joined(", ", [standing.name, who]), scale=scale, axis=charts.FEW_TICKS)
        for key, who in (("x", across), ("y", up))
    )
    hints: charts.Hints = {"who": message("run"), "x": (across, f".{digits}f"), "y": (up, f".{digits}f")}
    spec = charts.marks(rows, x, y, names, hints)
    spec["layer"] = [*charts.whiskers(x, y), *spec["layer"]]
    line = {
        "data": {"values": [{"x": low, "y": low, "right": high, "high": high}]},
        "mark": {"type": "rule", "strokeDash": [4, 3]},
        "encoding": {"x": x, "y": y, "x2": {"field": "right"}, "y2": {"field": "high"}},
    }
    alt = message(
        "One mark per run: its mean {measure} by {first} (horizontal) and by {second} (vertical), with "
        "{confidence} % intervals. On the dashed line both judges score it alike; runs keep their order where "
        "marks rise from left to right.",
        measure=standing.name,
        first=across,
        second=up,
        confidence=percent(judges.confidence),
    )
    title = message("{measure} by {first} and by {second}", measure=standing.name, first=across, second=up)
    return Figure(f"judges-{place}", title, alt, charts.behind(spec, line))


def _place(mean: Interval, at: str, low: str, high: str) -> dict[str, float]:
    """The mean and the ends of its interval, if it is known."""
    return dict(zip((at, low, high), (mean.estimate, *charts.ends(mean, mean.estimate)), strict=True))


def _documents(n: int) -> Message:
    return plural("{n:,} document", "{n:,} documents", n=n)
