"""Evaluated places as tables: the means, recall within metres, and a row a query."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from truerank.errors import shown
from truerank.geo import Places, View
from truerank.geo.accuracy import spelled
from truerank.report import ledger
from truerank.report.scores import WIDE
from truerank.report.table import Cell, Table
from truerank.truth import Note


def means(places: Places, digits: int | None = 4) -> Table:
    """A row a view, a column a measure; what a reader should know below."""
    measures = [str(m) for m in next(iter(places.views.values())).measures]
    rows: list[tuple[Cell, ...]] = [
        (name, *(view.mean[m] for m in measures)) for name, view in places.views.items()
    ]
    table = Table(("by", *measures), tuple(rows), notes=tuple(notes(places)), across="measure", digits=digits)
    return table.turned() if len(measures) > WIDE else table


def within(places: Places, digits: int | None = 4) -> Table:
    """R@k for a first result within so many metres of the query's own place."""
    metres = [spelled(t) for t in next(iter(places.views.values())).within]
    rows: list[tuple[Cell, ...]] = []
    for name, view in places.views.items():
        rows += [(name, cut, *(row[t] for t in metres)) for cut, row in view.surface.items()]
    return Table(("by", "within", *(f"{t} m" for t in metres)), tuple(rows), digits=digits)


def queries(places: Places, digits: int | None = 2) -> Table:
    """A row a query and view: what is right, where it came back, and what came first instead."""
    head = ("by", "query", "truth", "distance", "rank", "recall", "top1", "error")
    rows = tuple(row for name, view in places.views.items() for row in _rows(name, view))
    table = Table(head, rows, notes=tuple(notes(places)), digits=digits)
    return table if len(places.views) > 1 else table.without_first_column()


def _rows(name: str, view: View) -> Iterator[tuple[Cell, ...]]:
    for one in view.found():
        truth, top1 = (None if each is None else shown(each) for each in (one.truth, one.top1))
        yield name, shown(one.query), truth, one.distance, one.rank, one.recall, top1, one.error


def notes(places: Places) -> list[str]:
    """The rules, the truth, the errors, and what is remarkable about the files."""
    views = places.views
    told = ledger.notes([view.scores for view in views.values()], list(views))
    truths = [f"{name}: truth is {view.truth.rule}.\n{_errors(view)}" for name, view in views.items()]
    remarks = {note.message: None for note in places.notes}
    for view in views.values():
        remarks |= {note.message: None for note in (*view.notes, *_answerable(view))}
    return [*told, *truths, *map(shown, remarks)]


def _errors(view: View) -> str:
    """The error of the first result, in sentences a line."""
    curve: dict[str, Any] = view.error_curve
    areas = ", ".join(f"{area:.4f} to {t} m" for t, area in curve["auc"].items())
    lines = [f"The first result is off by {_metres(curve['median'])} in the median."]
    lines += [f"The area under the curve of its error is {areas}."] if areas else []
    percent = view.one_percent
    if percent["complete"] and percent["k"] > 1:
        lines.append(f"R@1% is {percent['R@1%']:.4f}, k = {percent['k']}.")
    return "\n".join(lines)


def _metres(number: float) -> str:
    return f"{number:,.2f} m" if math.isfinite(number) else "an unknown length"


def _answerable(view: View) -> Iterator[Note]:
    """The means over the queries for which something is right, where that is not all of them."""
    if not view.answerable.all():
        text = ", ".join(f"{name} {mean:.4f}" for name, mean in view.answerable_mean.items())
        many = f"{int(view.answerable.sum()):,} queries that have something right"
        yield Note("answerable", f"Over the {many}: {text}.")
