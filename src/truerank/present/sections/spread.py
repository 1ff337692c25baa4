"""How scores are spread over the queries, and one measure against another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from truerank.core.errors import shown
from truerank.present import charts
from truerank.present.document import Block, Figure, Heading
from truerank.present.material import Material, Runs
from truerank.present.texts import Texts

MARKS = 1_500
"""With more marks than this they are counted in squares."""

LOOK = {"scale": {"padding": charts.PADDING}, "axis": charts.FEW_TICKS}

CELLS = 20
"""Squares along each axis."""


def blocks(material: Material, texts: Texts) -> Iterator[Block]:
    """The distribution of the first measure, and another one against it."""
    if material.runs is None:
        return
    yield Heading(texts("spread"), "spread")
    yield distribution(material.runs, texts)
    if other := _another(material.runs):
        yield scatter(material.runs, material.runs.leading, other, texts)


def _another(runs: Runs) -> str | None:
    """The first measure that says something else than the very first one."""
    values = runs.fractions(runs.first)
    others = (name for name, m in runs.called.items() if not np.array_equal(runs.fractions(m), values))
    return next(others, None)


def distribution(runs: Runs, texts: Texts) -> Figure:
    """The share of queries that score at least so much."""
    names, values, measure = list(map(shown, runs.names)), runs.values(runs.first), runs.leading
    rows = [
        {"who": name, "value": value, "share": share}
        for name, column in zip(names, values.T, strict=True)
        for value, share in _at_least(np.sort(column))
    ]
    x, y = charts.axis("value", measure, **LOOK), charts.shares("share", texts("share of queries"))
    shares = f"{texts('share of queries')}:.4f"
    hints = {"who": texts.column("run"), "value": f"{measure}:.{runs.digits}f", "share": shares}
    alt = texts("distribution alt", queries=texts(runs.counted, n=len(values)), measure=measure)
    spec = charts.lines(rows, x, y, names, hints, interpolate="step-before")
    return Figure("distribution", texts("distribution"), alt, spec)


def _at_least(rising: np.ndarray) -> list[tuple[float, float]]:
    """Corners of the curve, thinned out: the values, and the share of queries with as much or more."""
    values, first = np.unique(rising, return_index=True)
    corners = [(float(values[i]), float(1 - first[i] / len(rising))) for i in charts.thinned(len(values))]
    return corners if not corners or corners[0][0] <= 0 else [(0.0, 1.0), *corners]


def scatter(runs: Runs, across: str, up: str, texts: Texts) -> Figure:
    """A mark a query and system; or squares, the larger the more queries."""
    names, xs, ys = list(map(shown, runs.names)), runs.values(runs.called[across]), runs.values(runs.called[up])
    is_binned = xs.size > MARKS
    rows = _squares(names, xs, ys) if is_binned else _marks(names, runs.comparison.queries, xs, ys)
    hints = {"who": texts.column("run"), "x": f"{across}:.{runs.digits}f", "y": f"{up}:.{runs.digits}f"}
    hints |= {"n": f"{texts('queries of many')}:d"} if is_binned else {"query": texts("query")}
    alt = texts("scatter binned" if is_binned else "scatter alt", x=across, y=up, cells=CELLS)
    x, y = charts.axis("x", across, **LOOK), charts.axis("y", up, **LOOK)
    spec = charts.marks(rows, x, y, names, hints)
    return Figure("measures", texts("scatter", x=across, y=up), alt, spec)


def _marks(names: list[str], queries: tuple[str, ...], xs: np.ndarray, ys: np.ndarray) -> charts.Rows:
    return [
        {"who": name, "query": shown(query), "x": float(xs[q, s]), "y": float(ys[q, s])}
        for s, name in enumerate(names)
        for q, query in enumerate(queries)
    ]


def _squares(names: list[str], xs: np.ndarray, ys: np.ndarray) -> charts.Rows:
    """The middle of each square, and how many queries are in it."""
    (column, left, wide), (row, low, high) = _binned(xs), _binned(ys)
    rows = []
    for s, name in enumerate(names):
        counts = Counter(zip(column[:, s].tolist(), row[:, s].tolist(), strict=True))
        rows += [
            {"who": name, "x": left + (c + 0.5) * wide, "y": low + (r + 0.5) * high, "n": n}
            for (c, r), n in sorted(counts.items())
        ]
    return rows


def _binned(values: np.ndarray) -> tuple[np.ndarray, float, float]:
    """The square of each value along one axis, where the first one begins, and how wide each is."""
    low, high = float(values.min()), float(values.max())
    width = (high - low) / CELLS or 1.0
    return np.minimum(((values - low) / width).astype(int), CELLS - 1), low, width
