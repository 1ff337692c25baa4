"""How scores are spread over the queries, and one measure against another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np

from truerank.analysis.compare.outcome import direction
from truerank.core.equal import are_equal
from truerank.core.errors import printable
from truerank.core.messages import joined, message
from truerank.present import charts
from truerank.present.data import ReportData, Runs
from truerank.present.document import Block, Figure, Heading

MARKS = 1_500
"""With more marks than this they are counted in squares."""

LOOK = {"scale": {"padding": charts.PADDING}, "axis": charts.FEW_TICKS}

CELLS = 20
"""Squares along each axis."""


HEIGHTS: Mapping[int, list[str]] = {
    1: [message("Higher is better.")],
    0: [],
    -1: [message("Lower is better.")],
}
"""Which of two curves is that of the better system."""


def blocks(data: ReportData) -> Iterator[Block]:
    """The distribution of the first measure, and another one against it."""
    if data.runs is None or not data.runs.comparison.outcomes[0].queries:
        return
    yield Heading(message("Score distribution"), "spread")
    yield distribution(data.runs)
    if other := _another(data.runs):
        yield scatter(data.runs, data.runs.leading, other)


def _another(runs: Runs) -> str | None:
    """The first measure that differs from the leading one in what it says."""
    values = runs.fractions(runs.first)
    others = (name for name, m in runs.of_queries.items() if not are_equal(runs.fractions(m), values).all())
    return next(others, None)


def distribution(runs: Runs) -> Figure:
    """The share of queries that score at least each value."""
    names, values, measure = list(map(printable, runs.names)), runs.values(runs.first), runs.leading
    values = values[np.isfinite(values).all(axis=1)]  # the queries that the means are over
    rows = [
        {"who": name, "value": value, "share": share}
        for name, column in zip(names, values.T, strict=True)
        for value, share in _at_least(np.sort(column))
    ]
    x, y = charts.axis("value", measure, **LOOK), charts.shares("share", message("share of queries"))
    hints: charts.Hints = {
        "who": message("run"),
        "value": (measure, f".{runs.digits}f"),
        "share": (message("share of queries"), ".4f"),
    }
    said = message(
        "One line per system: the share of {queries} whose {measure} is at least the value on the horizontal axis.",
        queries=runs.counted(len(values)),
        measure=measure,
    )
    alt = joined(" ", [said, *HEIGHTS[direction(runs.first)]])
    spec = charts.lines(rows, x, y, names, hints, interpolate="step-before")
    return Figure("distribution", message("Share of queries with at least a given score"), alt, spec)


def _at_least(rising: np.ndarray) -> list[tuple[float, float]]:
    """Corners of the curve, thinned out: the values, and the share of queries with at least these."""
    values, first = np.unique(rising, return_index=True)
    corners = [(float(values[i]), float(1 - first[i] / len(rising))) for i in charts.thinned(len(values))]
    return corners if not corners or corners[0][0] <= 0 else [(0.0, 1.0), *corners]


def scatter(runs: Runs, across: str, up: str) -> Figure:
    """One mark per query and system; or, for many, squares that are larger the more queries they hold."""
    names, xs, ys = list(map(printable, runs.names)), runs.values(runs.called[across]), runs.values(runs.called[up])
    is_binned = xs.size > MARKS
    rows = _squares(names, xs, ys) if is_binned else _marks(names, runs.comparison.queries, xs, ys)
    hints: charts.Hints = {"who": message("run"), "x": (across, f".{runs.digits}f"), "y": (up, f".{runs.digits}f")}
    hints |= {"n": (message("queries"), "d")} if is_binned else {"query": message("query")}
    alt = (
        message(
            "There are too many queries to draw one mark each, so {x} (horizontal) and {y} "
            "(vertical) are divided into {cells} equal steps each: a mark stands for the queries of "
            "one system whose two values fall into the same steps, and a larger mark for more "
            "queries.",
            x=across,
            y=up,
            cells=CELLS,
        )
        if is_binned
        else message(
            "One mark per query and system: {x} on the horizontal axis, {y} on the vertical axis.",
            x=across,
            y=up,
        )
    )
    x, y = charts.axis("x", across, **LOOK), charts.axis("y", up, **LOOK)
    spec = charts.marks(rows, x, y, names, hints)
    return Figure("measures", message("{y} against {x}", x=across, y=up), alt, spec)


def _marks(names: list[str], queries: tuple[str, ...], xs: np.ndarray, ys: np.ndarray) -> charts.Rows:
    return [
        {"who": name, "query": printable(query), "x": float(xs[q, s]), "y": float(ys[q, s])}
        for s, name in enumerate(names)
        for q, query in enumerate(queries)
        if np.isfinite(xs[q, s]) and np.isfinite(ys[q, s])
    ]


def _squares(names: list[str], xs: np.ndarray, ys: np.ndarray) -> charts.Rows:
    """The middle of each square, and how many queries are in it."""
    (column, left, wide), (row, low, high) = _binned(xs), _binned(ys)
    rows = []
    for s, name in enumerate(names):
        known = np.isfinite(xs[:, s]) & np.isfinite(ys[:, s])
        counts = Counter(zip(column[known, s].tolist(), row[known, s].tolist(), strict=True))
        rows += [
            {"who": name, "x": left + (c + 0.5) * wide, "y": low + (r + 0.5) * high, "n": n}
            for (c, r), n in sorted(counts.items())
        ]
    return rows


def _binned(values: np.ndarray) -> tuple[np.ndarray, float, float]:
    """The square of each value along one axis, where the first one begins, and how wide each is."""
    known = np.isfinite(values)
    low, high = float(values.min(where=known, initial=np.inf)), float(values.max(where=known, initial=-np.inf))
    width = (high - low) / CELLS
    square = np.where(known, values - low, 0.0) / (width or 1.0)
    return np.minimum(square.astype(int), CELLS - 1), low, width
