"""The first picture in the section of queries: how much systems differ on each."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from truerank.analysis.compare.outcome import direction
from truerank.core.errors import printable
from truerank.core.messages import joined, message
from truerank.present import charts
from truerank.present.data import Runs
from truerank.present.document import Figure
from truerank.present.sections.curves import COUNTS

SIDES: Mapping[int, list[str]] = {
    1: [message("Above 0 is better.")],
    0: [],
    -1: [message("Below 0 is better.")],
}
"""On which side of nothing a system gains."""


def figure(runs: Runs) -> Figure:
    """One line per system: its differences to the reference, the greatest gain first."""
    values, reference = runs.values(runs.first), runs.reference
    everyone = [printable(name) for name in runs.names]  # each keeps its colour
    names = [name for place, name in enumerate(everyone) if place != reference]
    sign = direction(runs.first) or 1
    columns = [values[:, place] - values[:, reference] for place in range(len(runs.names)) if place != reference]
    rows = [
        {"who": name, "at": at + 1, "query": printable(runs.comparison.queries[q]), "difference": float(column[q])}
        for name, column in zip(names, columns, strict=True)
        for at, q in _ordered(column * sign)
    ]
    x = charts.axis(
        "at", message("queries, largest gain first"), axis=COUNTS, scale={"nice": False, "padding": charts.PADDING}
    )
    y = charts.axis(
        "difference", joined(", ", [message("difference"), runs.leading]), scale={"padding": charts.PADDING}
    )
    hints: charts.Hints = {
        "who": message("run"),
        "query": message("query"),
        "difference": (message("difference"), f"+.{runs.digits}f"),
    }
    said = message(
        "One line per system: its {measure} minus that of {reference} on each query, from the "
        "largest gain to the largest loss.",
        measure=runs.leading,
        reference=printable(runs.names[reference]),
    )
    alt = joined(" ", [said, *SIDES[direction(runs.first)]])
    spec = charts.lines(rows, x, y, everyone, hints, names, interpolate="step")
    zero = {"mark": {"type": "rule"}, "data": {"values": [{}]}, "encoding": {"y": {"datum": 0}}}
    return Figure("differences", message("Per-query differences"), alt, charts.behind(spec, zero))


def _ordered(gains: np.ndarray) -> list[tuple[int, int]]:
    """Place and query of each gain in order, thinned out where there are many."""
    known = np.flatnonzero(np.isfinite(gains))
    order = known[np.argsort(-gains[known], kind="stable")].tolist()
    return [(at, order[at]) for at in charts.thinned(len(order))]
