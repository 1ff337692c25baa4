"""Precision against recall, and how many queries are answered within the first k results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from truerank.errors import shown
from truerank.report import charts
from truerank.report.curves import points_table
from truerank.report.document import Block, Figure, Heading
from truerank.report.material import Material, Runs
from truerank.report.table import Table
from truerank.report.texts import Texts

DEPTHS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 25, 30, 40, 50)
"""Cutoffs at which shares of queries or results are drawn, as far as lists go."""

COUNTS = {"grid": False, "format": "d", "tickCount": 10, "tickMinStep": 1}


def depths(runs: Runs) -> tuple[int, ...]:
    """Those of `DEPTHS` that lists reach, and the end of the deepest list; two at the least, for a line."""
    deepest = max(int(system.hits.returned.max(initial=2)) for system in runs.systems)
    end = min(deepest, DEPTHS[-1])
    return (*(k for k in DEPTHS if k < end), end)


def blocks(material: Material, texts: Texts) -> Iterator[Block]:
    """Both curves, with their numbers."""
    if material.runs is None:
        return
    yield Heading(texts("curves"), "curves")
    if material.runs.curves:
        yield precision_recall(material.runs, texts)
    yield cumulative(material.runs, texts)


def precision_recall(runs: Runs, texts: Texts) -> Figure:
    """The interpolated curves."""
    names = list(map(shown, runs.names))
    rows = [
        {"who": name, "recall": recall, "precision": height}
        for name, curve in zip(names, runs.curves, strict=True)
        for recall, height in zip(curve.recalls, curve.precision, strict=True)
    ]
    x, y = charts.shares("recall", texts("recall")), charts.shares("precision", texts("precision"))
    hints = {
        "who": texts.column("run"),
        "recall": f"{texts('recall')}:.1f",
        "precision": f"{texts('precision')}:.4f",
    }
    table = points_table(runs.curves)
    numbers = texts.table(replace(table, columns=("recall", *names), title=texts("pr"), notes=()))
    alt = texts("pr alt", queries=texts("queries", n=runs.curves[0].queries))
    return Figure("precision-recall", texts("pr"), alt, charts.lines(rows, x, y, names, hints), numbers)


def cumulative(runs: Runs, texts: Texts) -> Figure:
    """The share of queries whose first relevant document is among the first k."""
    names, shares, reached = list(map(shown, runs.names)), answered_within(runs), depths(runs)
    rows = [
        {"who": name, "k": k, "share": share}
        for name, column in zip(names, shares, strict=True)
        for k, share in zip(reached, column, strict=True)
    ]
    scale = {"domain": [1, reached[-1]], "padding": charts.PADDING}
    x = charts.axis("k", texts("first k"), scale=scale, axis=COUNTS)
    y = charts.shares("share", texts("share of queries"))
    hints = {"who": texts.column("run"), "k": "k", "share": f"{texts('share of queries')}:.4f"}
    cells = tuple((k, *(column[i] for column in shares)) for i, k in enumerate(reached))
    numbers = Table(("k", *names), cells, title=texts("cmc"))
    alt = texts("cmc alt", queries=texts("queries", n=len(runs.scores[0].queries)))
    return Figure("cmc", texts("cmc"), alt, charts.lines(rows, x, y, names, hints), numbers)


def answered_within(runs: Runs) -> list[list[float]]:
    """[system][cutoff] the share of its queries with something relevant among the first k: Success@k."""
    found, reached = [], depths(runs)
    for system in runs.systems:
        hits = system.hits.relevant(runs.rules.level)
        first = np.full(len(hits.queries), np.inf)
        np.minimum.at(first, hits.query, hits.rank)
        found.append([float((first <= k).sum()) / max(1, len(first)) for k in reached])
    return found
