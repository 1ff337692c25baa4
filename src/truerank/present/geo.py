"""Evaluated places as tables: the means, recall within metres, and one row per query."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from truerank.analysis.confusion import Counts
from truerank.core.errors import printable
from truerank.core.messages import Message, joined, message, plural
from truerank.geo import Places, View
from truerank.geo.accuracy import spelled
from truerank.present import charts, ledger
from truerank.present.document import Document, Figure
from truerank.present.scores import WIDE
from truerank.present.table import Cell, Table, drawn_digits
from truerank.truth import TruthNote


def document(
    places: Places,
    digits: int | None = None,
    *,
    per_query: bool = False,
    surface: bool = False,
    decisions: Mapping[str, Counts] = MappingProxyType({}),
) -> Document:
    """The means or, if asked, one row per query.

    Args:
        digits: after the point; by default 4, of each query 2, and all in csv.
        surface: whether recall within metres stands above the means.
        decisions: whether first results are counted as accepted or rejected.
    """
    results = places.to_dict(per_query)
    for name, counts in decisions.items():
        results[name]["decisions"] = {"threshold": counts.threshold, **counts.micro.to_dict()}
    if per_query:
        rows = queries(places, digits)
        shown_rows = replace(rows, digits=drawn_digits(digits, 2))
        return Document(
            [*_decided(places, decisions, drawn_digits(digits)), shown_rows],
            rows,
            results,
            notes(places),
        )
    rounded = drawn_digits(digits)
    above = [within(places, rounded)] if surface else []
    tables = [
        *above,
        means(places, rounded),
        *_decided(places, decisions, rounded),
        metres(places, rounded),
    ]
    return Document(tables, _a_row_a_view(places, _numbers, digits, decisions), results, notes(places))


def _decided(places: Places, decisions: Mapping[str, Counts], digits: int) -> list[Table]:
    """One row per view: first results accepted or rejected, and right or wrong."""
    if not decisions:
        return []
    rows = tuple((name, *_counts(counts).values()) for name, counts in decisions.items())
    threshold = next(iter(decisions.values())).threshold or 0.0
    is_distance = places.results is not None and places.results.sign < 0
    limit = (
        message("a distance of at most {metres!r}", metres=-threshold)
        if is_distance
        else message("a score of at least {score!r}", score=threshold)
    )
    said = message(
        "First results accepted ({limit}; TP right, FP wrong) or rejected (FN right, TN wrong).", limit=limit
    )
    shares = message("precision"), message("recall"), message("accuracy"), "f1"
    return [Table((message("by"), "TP", "FP", "FN", "TN", *shares), rows, notes=(said,), digits=digits)]


def _counts(counts: Counts) -> dict[str, Cell]:
    names = ("tp", "fp", "fn", "tn", "precision", "recall", "accuracy", "f1")
    return {name: getattr(counts.micro, name) for name in names}


def document_of(
    result: Places | View, digits: int | None = None, *, per_query: bool = False, surface: bool = False
) -> Document:
    """The document of evaluated places, or of one view of them."""
    places = result if isinstance(result, Places) else Places({result.distance: result})
    laid = document(places, digits, per_query=per_query, surface=surface)
    return replace(laid, blocks=[*laid.blocks, error_figure(places)])


def error_figure(places: Places) -> Figure:
    """How far off first results are."""
    alt = message("The share of queries whose first result lies within this many metres. Further left is better.")
    return Figure("geo-error", message("Error of the first result"), alt, error_chart(places))


def error_chart(places: Places) -> charts.Spec:
    """One line per view: the share of queries whose first result lies within this many metres."""
    metres, share = message("metres"), message("share of queries")
    rows = [
        {"who": name, "metres": off, "share": part}
        for name, view in places.views.items()
        for off, part in charts.distribution(view.error)
    ]
    x = charts.axis("metres", metres, scale={"type": "symlog", "constant": 1}, axis=charts.FEW_TICKS)
    hints: charts.Hints = {"who": message("by"), "metres": (metres, ",.1f"), "share": (share, ".4f")}
    return charts.lines(rows, x, charts.shares("share", share), list(places.views), hints, interpolate="step-after")


def remarks_of(result: Places | View) -> list[str]:
    """What the means hide, and what is remarkable about the files."""
    views = list(result.views.values()) if isinstance(result, Places) else [result]
    sentences = [text for view in views for text in ledger.remarks(view.scores)]
    notes = [note for view in views for note in (*view.notes, *_answerable(view))]
    files = result.notes if isinstance(result, Places) else ()
    return list(dict.fromkeys([*sentences, *(note.message for note in (*notes, *files))]))


def means(places: Places, digits: int | None = 4) -> Table:
    """One row per view, one column per measure."""
    return _narrow(_a_row_a_view(places, lambda view: view.mean, digits))


def metres(places: Places, digits: int | None = 4) -> Table:
    """How far off the results are: SDM at each cutoff, MA at each distance; remarks below."""
    table = _a_row_a_view(places, lambda view: {**view.sdm, **view.ma}, digits)
    return replace(_narrow(table), notes=tuple(notes(places)))


def _numbers(view: View) -> dict[str, float]:
    return {**view.mean, **view.sdm, **view.ma}


def _a_row_a_view(
    places: Places,
    numbers: Callable[[View], dict[str, float]],
    digits: int | None,
    decisions: Mapping[str, Counts] = MappingProxyType({}),
) -> Table:
    counts = {name: _counts(one) for name, one in decisions.items()}
    by_view: dict[str, dict[str, Cell]] = {
        name: {**numbers(view), **counts.get(name, {})} for name, view in places.views.items()
    }
    names = next(iter(by_view.values()))
    rows: list[tuple[Cell, ...]] = [(view, *values.values()) for view, values in by_view.items()]
    return Table((message("by"), *names), tuple(rows), across=message("measure"), digits=digits)


def _narrow(table: Table) -> Table:
    return table.turned() if len(table.columns) > WIDE + 1 else table


def within(places: Places, digits: int | None = 4) -> Table:
    """R@k for a first result within this many metres of the query's own place."""
    metres = [spelled(t) for t in next(iter(places.views.values())).within]
    rows: list[tuple[Cell, ...]] = []
    for name, view in places.views.items():
        rows += [(name, cut, *(row[t] for t in metres)) for cut, row in view.surface.items()]
    return Table((message("by"), message("within"), *(f"{t} m" for t in metres)), tuple(rows), digits=digits)


def queries(places: Places, digits: int | None = 2) -> Table:
    """One row per query and view: what is right, where it was returned, and what came first instead."""
    rows = tuple(row for name, view in places.views.items() for row in _rows(name, view))
    table = Table(QUERIES, rows, notes=tuple(notes(places)), digits=digits)
    return table if len(places.views) > 1 else table.without_first_column()


QUERIES = (
    message("by"),
    message("query"),
    message("truth"),
    message("distance"),
    message("rank"),
    message("recall"),
    "top1",
    "error",
)


def _rows(name: str, view: View) -> Iterator[tuple[Cell, ...]]:
    for one in view.found():
        truth, top1 = (None if each is None else printable(each) for each in (one.truth, one.top1))
        yield name, printable(one.query), truth, one.distance, one.rank, one.recall, top1, one.error


def notes(places: Places) -> list[str]:
    """The rules and the ledgers, then all the rest."""
    views = places.views
    return [*ledger.notes([view.scores for view in views.values()], list(views)), *remarks(places)]


def remarks(places: Places) -> list[str]:
    """The truth, the errors, and what is remarkable about the files."""
    return paragraphs(places, between="\n")


def paragraphs(places: Places, *, between: str) -> list[str]:
    """The remarks as paragraphs; `between` separates the sentences about one view."""
    views = places.views
    truths = [joined(between, [_truth(name, view), *_of_view(view)]) for name, view in views.items()]
    stated = message(
        "SDM@k counts a result d metres off as exp(-{steepness:g} d), MA@t the first results up to t metres off.",
        steepness=next(iter(views.values())).steepness,
    )
    return [*truths, stated, *(note.message for note in places.notes)]


def _truth(name: str, view: View) -> Message:
    return message("{name}: truth is {rule}.", name=name, rule=view.truth.rule)


def _of_view(view: View) -> list[str]:
    """The errors and the remarks for one view, a sentence each."""
    return [*_errors(view), *(note.message for note in (*view.notes, *_answerable(view)))]


def _errors(view: View) -> list[str]:
    """The error of the first result."""
    curve: dict[str, Any] = view.error_curve
    lines: list[str] = [
        message("The median error of the first result is {metres}.", metres=_metres(curve["median"]))
    ]
    areas = [message("{area:.4f} to {metres} m", area=area, metres=t) for t, area in curve["auc"].items()]
    if areas:
        lines.append(message("The area under its error curve is {areas}.", areas=joined(", ", areas)))
    percent = view.one_percent
    if percent["complete"] and percent["k"] > 1:
        lines.append(message("R@1% is {value:.4f}, k = {k}.", value=percent["R@1%"], k=percent["k"]))
    return lines


def _metres(number: float) -> str:
    return f"{number:,.2f} m" if math.isfinite(number) else message("an unknown length")


def _answerable(view: View) -> Iterator[TruthNote]:
    """The means over the queries for which some place is right, where these are not all queries."""
    if not view.answerable.all():
        said = plural(
            "Over the {n:,} query that has something right: {means}.",
            "Over the {n:,} queries that have something right: {means}.",
            n=int(view.answerable.sum()),
            means=", ".join(f"{name} {mean:.4f}" for name, mean in view.answerable_mean.items()),
        )
        yield TruthNote("answerable", said)
