"""Precision against recall, and how many queries are answered within the first k results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from truerank.core.errors import printable
from truerank.core.messages import message
from truerank.present import charts, ledger
from truerank.present.curves import READINGS, chart, points_table
from truerank.present.data import ReportData, Runs
from truerank.present.document import Block, Figure, Heading
from truerank.present.table import Table

DEPTHS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 25, 30, 40, 50)
"""Cutoffs at which shares of queries or results are drawn, as far as lists go."""

COUNTS = {"grid": False, "tickCount": charts.ticks(40, 10), "labelSeparation": 6, **charts.WHOLE}


def depths(runs: Runs) -> tuple[int, ...]:
    """The `DEPTHS` that lists reach, and the end of the longest list; at least two, to draw a line."""
    deepest = max(int(system.hits.returned.max(initial=2)) for system in runs.systems)
    end = min(deepest, DEPTHS[-1])
    return (*(k for k in DEPTHS if k < end), end)


def blocks(data: ReportData) -> Iterator[Block]:
    """Both curves, with their numbers; none where queries have several lists."""
    if data.runs is None or data.runs.has_calls:
        return
    yield Heading(message("Curves"), "curves")
    if any(curve.queries for curve in data.runs.curves):
        yield precision_recall(data.runs)
    yield cumulative(data.runs)


def precision_recall(runs: Runs) -> Figure:
    """The interpolated curves."""
    names = list(map(printable, runs.names))
    spec = chart(runs.curves, names, recall=message("recall"), precision=message("precision"))
    title, notes = message("Precision against recall"), (READINGS[runs.curves[0].points],)
    numbers = replace(points_table(runs.curves), columns=(message("recall"), *names), title=title, notes=notes)
    alt = message(
        "One line per system: interpolated precision at eleven recall levels, the mean of "
        "{queries}. Higher is better.",
        queries=ledger.queries(runs.curves[0].queries),
    )
    return Figure("precision-recall", title, alt, spec, numbers)


def cumulative(runs: Runs) -> Figure:
    """The share of queries whose first relevant document is among the first k."""
    alt = message(
        "One line per system: the share of {queries} with a relevant document among the first k "
        "results. Higher is better.",
        queries=runs.counted(len(runs.comparison.queries)),
    )
    return by_depth(
        "cmc",
        message("Queries with a relevant document in the first k (CMC)"),
        alt,
        message("share of queries"),
        answered_within(runs),
        runs,
    )


def by_depth(name: str, title: str, alt: str, share: str, shares: Sequence[Sequence[float]], runs: Runs) -> Figure:
    """One line per system: a share at each of the `depths`, with its numbers.

    Args:
        share: what the share is of.
        shares: [system][depth].
    """
    names, reached = list(map(printable, runs.names)), depths(runs)
    rows = [
        {"who": who, "k": k, "share": height}
        for who, column in zip(names, shares, strict=True)
        for k, height in zip(reached, column, strict=True)
    ]
    scale = {"domain": [1, reached[-1]], "padding": charts.PADDING}
    x = charts.axis("k", message("first k results"), scale=scale, axis=COUNTS)
    hints: charts.Hints = {"who": message("run"), "k": "k", "share": (share, ".4f")}
    cells = tuple((k, *(column[i] for column in shares)) for i, k in enumerate(reached))
    spec = charts.lines(rows, x, charts.shares("share", share), names, hints)
    return Figure(name, title, alt, spec, Table(("k", *names), cells, title=title))


def answered_within(runs: Runs) -> list[list[float]]:
    """[system][cutoff] the share of its queries with something relevant among the first k: Success@k."""
    shares, reached = [], depths(runs)
    for system in runs.systems:
        hits = system.hits.relevant(runs.rules.level)
        first = np.full(len(hits.queries), np.inf)
        np.minimum.at(first, hits.query, hits.rank)
        shares.append([float((first <= k).sum()) / max(1, len(first)) for k in reached])
    return shares
