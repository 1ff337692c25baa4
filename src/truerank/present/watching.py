"""Several looks at the same gates over time: what they assume, and how each gate developed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from truerank.analysis.check import Check, Watch
from truerank.core.errors import printable
from truerank.core.messages import joined, message, plural
from truerank.present import charts
from truerank.present.comparison_cells import interval_heading, percent
from truerank.present.document import Block, Figure
from truerank.present.table import Cell, Table, fixed
from truerank.stats import confidence_of_look

SHOWN = 10
"""The last looks that the table has; JSON has all."""


def notes(check: Check) -> list[str]:
    """Which intervals these are, and what they assume."""
    watch = check.watch
    if watch is None:
        return []
    sure = percent(watch.confidence)
    if watch.looks_at == "same":
        of_one = percent(confidence_of_look(watch.confidence, watch.looks[-1].number))
        how = message(
            "Look {n}, at queries that may be the same as before: its intervals are of {one} %, so that those of "
            "all looks together are of {all} % (betting, union bound).",
            n=watch.looks[-1].number,
            one=of_one,
            all=sure,
        )
        assumed = message("Assumed: no version of the system was chosen by how it scored at these queries.")
        return [joined(" ", [how, assumed])]
    new = len(watch.looks[-1].queries)
    how = plural(
        "Look {look}, at {n:,} new query: the intervals of all looks together are of {all} % (betting confidence "
        "sequence).",
        "Look {look}, at {n:,} new queries: the intervals of all looks together are of {all} % (betting confidence "
        "sequence).",
        n=new,
        look=watch.looks[-1].number,
        all=sure,
    )
    assumed = message(
        "Assumed: each look's queries are drawn as the earlier ones were, and the systems stay as they are."
    )
    again = message("Queries that were seen before count once.")
    return [joined(" ", [how, assumed, again])]


def blocks(watch: Watch | None, digits: int) -> Iterator[Block]:
    """One row per look and gate, and a picture; none at the first look."""
    if watch is None or len(watch.looks) < 2:
        return
    rows = tuple(_row(number, one.at, gate, digits) for number, one, gate in _last(watch))
    columns = (message("look"), message("date"), message("queries"), message("gate"), message("value"))
    yield Table((*columns, interval_heading(watch.confidence)), rows, message("Looks"), digits=digits)
    if figure := _figure(watch, digits):
        yield figure


def _last(watch: Watch) -> Iterator[tuple[int, Any, Mapping[str, Any]]]:
    for number, one in list(enumerate(watch.looks, 1))[-SHOWN:]:
        for gate in one.gates:
            yield number, one, gate


def _row(number: int, at: str, gate: Mapping[str, Any], digits: int) -> tuple[Cell, ...]:
    value, low, high = (gate[key] for key in ("value", "low", "high"))
    interval = "" if low is None else f"[{fixed(low, digits)}, {fixed(high, digits)}]"
    sign = "+" if gate["against"] else ""
    shown = "-" if value is None else fixed(value, digits, sign)
    return number, at[:10], gate["queries"], _called(gate), shown, interval


def _called(gate: Mapping[str, Any]) -> str:
    """The name of a gate: the measure, or its difference from the baseline."""
    name, against = printable(gate["name"]), printable(os.path.basename(gate["against"]))
    return f"{name} − {against}" if against else name


def _figure(watch: Watch, digits: int) -> Figure | None:
    """Each gate's value and interval at each look."""
    rows = [
        {"who": _called(gate), "look": number, **{key: gate[key] for key in ("value", "low", "high")}}
        for number, one in enumerate(watch.looks, 1)
        for gate in one.gates
        if gate["low"] is not None
    ]
    if not rows:
        return None
    names = list(dict.fromkeys(row["who"] for row in rows))
    scale = {"zero": False, "nice": False, "padding": charts.PADDING}
    x = charts.axis("look", message("look"), axis=charts.WHOLE, scale=scale)
    free = {"zero": False, "padding": charts.PADDING}
    y = charts.axis("value", message("value"), scale=free, axis=charts.NUMBER)
    hints: charts.Hints = {
        "who": message("gate"),
        "look": message("look"),
        "value": (message("value"), f".{digits}f"),
        "low": (message("low"), f".{digits}f"),
        "high": (message("high"), f".{digits}f"),
    }
    spec = charts.lines(rows, x, y, names, hints)
    band = {
        "mark": {"type": "rule", "strokeWidth": 1},
        "encoding": {
            "x": x,
            "y": {**y, "field": "low"},
            "y2": {"field": "high"},
            "color": spec["encoding"]["color"],
        },
    }
    alt = message("One line per gate: its value at each look; the bars span the intervals.")
    return Figure("looks", message("Gates over all looks"), alt, charts.behind(spec, band))
