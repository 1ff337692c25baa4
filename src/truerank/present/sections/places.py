"""How far off recognised places are, and where the misses lie."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from truerank.core.errors import printable
from truerank.core.messages import listed, message
from truerank.geo import View
from truerank.present import charts, geo, ledger
from truerank.present.data import Located, ReportData
from truerank.present.document import Block, Figure, Heading, Prose
from truerank.present.table import Table
from truerank.truth import Items

MISSES = 1_000
"""Misses on the map at most: those that are furthest off."""

HALF = 30
"""Points that half of a coordinate takes, by which it must not stand out of the map."""

WEST = {"labelExpr": "datum.value > 180 ? format(datum.value - 360, '~g') : datum.label"}
"""Longitudes beyond the 180th meridian are called what they are."""


def blocks(data: ReportData) -> Iterator[Block]:
    """The means, recall within metres, the error's distribution, the map, and what is remarkable."""
    located = data.located
    if located is None:
        return
    yield Heading(message("Places"), "places")
    yield _titled(geo.means(located.places), message("Places, all measures"))
    yield _titled(geo.within(located.places), message("Recall by distance in metres"))
    yield errors(located)
    views = located.places.views
    for name, view in views.items():
        if figure := misses(located.queries, view, name):
            yield figure
    counted = ledger.paragraphs([view.scores for view in views.values()], list(views))
    yield Prose((*counted, *geo.paragraphs(located.places, between=" ")))


def _titled(table: Table, title: str) -> Table:
    return Table(table.columns, table.rows, title=title, digits=table.digits)


def errors(located: Located) -> Figure:
    """The share of queries whose first result lies within this many metres."""
    names, views = list(located.places.views), list(located.places.views.values())
    medians = [f"{view.error_curve['median']:,.1f} m ({name})" for name, view in zip(names, views, strict=True)]
    alt = message(
        "One line per distance: the share of queries whose first result lies within a given "
        "number of metres (logarithmic axis). Median: {median}.",
        median=listed(medians),
    )
    return Figure("geo-error", message("Error of the first result"), alt, geo.error_chart(located.places))


def misses(queries: Items, view: View, name: str) -> Figure | None:
    """The queries whose first result is wrong, each joined to that result; None where all are right."""
    is_globe = view.distance != "xy"
    rows = _misses(queries, view)
    if not rows:
        return None
    rows = _eastward(rows) if is_globe else rows
    across, up = (message("longitude"), message("latitude")) if is_globe else ("x, m", "y, m")
    scale = {"zero": False, "nice": False, "padding": 20}
    look = {**charts.FEW_TICKS, "labelFlush": HALF, **(WEST if is_globe else {})}
    x, y = (charts.axis(at, name, scale=scale, axis=look) for at, name in (("x", across), ("y", up)))
    hints: charts.Hints = {
        "query": message("query"),
        "top1": message("first result"),
        "error": (message("metres"), ",.1f"),
    }
    hints |= {"truth": message("right one")}
    ends = {"x": x, "y": y, "x2": {"field": "x1"}, "y2": {"field": "y1"}, "tooltip": charts.tooltip(hints)}
    line = {
        "mark": {"type": "rule", "opacity": 0.8, "strokeWidth": 1.5},
        "encoding": ends,
        "params": [charts.zoom()],
    }
    asked = _marks("x", "y", x, y, 0, hints, {"shape": "circle", "filled": False, "strokeWidth": 2})
    came = _marks("x1", "y1", x, y, 1, hints, {"shape": "square", "filled": True})
    spec = {
        **charts.canvas(_height(rows, is_globe)),
        "data": {"values": rows},
        "layer": [line, asked, came],
    }
    total = len(view.scores.queries)
    alt = message(
        "Each query whose first result is wrong ({shown} of {queries}), connected to that "
        "result. Rings are queries, squares are returned results.",
        shown=len(rows),
        queries=ledger.queries(total),
    )
    title = (
        message("Map of misses")
        if name == "geo"
        else message("{title} ({name})", title=message("Map of misses"), name=name)
    )
    return Figure(f"map-{name}", title, alt, spec)


def _marks(
    x: str, y: str, across: charts.Spec, up: charts.Spec, colour: int, hints: charts.Hints, mark: charts.Spec
) -> charts.Spec:
    place = {"x": {**across, "field": x}, "y": {**up, "field": y}, "tooltip": charts.tooltip(hints)}
    who = {"datum": colour, "type": "nominal", "scale": {"domain": [0, 1]}, "legend": None}
    return {"mark": {"type": "point", "size": 60, "opacity": 1, **mark}, "encoding": {**place, "color": who}}


def _misses(queries: Items, view: View) -> list[dict[str, object]]:
    """One row per miss, the furthest first."""
    is_globe = view.distance != "xy"
    asked = queries.places[:, ::-1] if is_globe else queries.plane
    there = view.references.places[:, ::-1] if is_globe else view.references.plane
    rows = []
    for one, top in zip(view.found(), view.first[:, 0].tolist(), strict=True):
        if one.top1 is None or one.rank == 1 or one.error is None:
            continue
        (x, y), (x1, y1) = asked[queries.rows[one.query]].tolist(), there[top].tolist()
        if all(map(math.isfinite, (x, y, x1, y1))):
            said = {
                "query": printable(one.query),
                "top1": printable(one.top1),
                "truth": printable(one.truth or "–"),
            }
            rows.append({**said, "error": one.error, "x": x, "y": y, "x1": x1, "y1": y1})
    rows.sort(key=lambda row: -float(str(row["error"])))
    return rows[:MISSES]


def _eastward(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """The rows with longitudes from 0 to 360, where that makes the map narrower, as around the 180th meridian."""
    ends = np.array([[row["x"], row["x1"]] for row in rows], float)
    east = ends % 360
    if np.ptp(east) >= np.ptp(ends):
        return rows
    return [{**row, "x": x, "x1": x1} for row, (x, x1) in zip(rows, east.tolist(), strict=True)]


def _height(rows: list[dict[str, object]], is_globe: bool) -> int:
    """The height of the map that gives a metre the same length both ways, within limits."""
    xs = np.array([[row["x"], row["x1"]] for row in rows], float)
    ys = np.array([[row["y"], row["y1"]] for row in rows], float)
    shrink = math.cos(math.radians(float(ys.mean()))) if is_globe else 1.0
    wide, high = float(np.ptp(xs)) * shrink, float(np.ptp(ys))
    return int(min(640, max(240, 700 * high / wide))) if wide else 400
