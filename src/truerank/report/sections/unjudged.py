"""How much of what came back nobody judged, by depth."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from truerank.errors import shown
from truerank.report import charts
from truerank.report.document import Block, Figure, Heading, Prose
from truerank.report.material import Material, Runs
from truerank.report.sections.curves import COUNTS, depths
from truerank.report.table import Table
from truerank.report.texts import Texts

TOLD = 10
"""The depth of which the share is said in words."""


def blocks(material: Material, texts: Texts) -> Iterator[Block]:
    """The shares in words, then as a picture; nothing where everything was judged."""
    runs = material.runs
    if runs is None:
        return
    shares = unjudged(runs)
    if not any(map(any, shares)):
        return
    names, reached = list(map(shown, runs.names)), depths(runs)
    at = sum(k <= TOLD for k in reached) - 1
    yield Heading(texts("unjudged"), "unjudged")
    told = [
        texts("unjudged lead", who=name, share=f"{column[at]:.1%}", k=reached[at])
        for name, column in zip(names, shares, strict=True)
    ]
    yield Prose((" ".join(told),))
    yield figure(names, shares, reached, texts)


def figure(names: list[str], shares: list[list[float]], reached: tuple[int, ...], texts: Texts) -> Figure:
    """A line a system."""
    rows = [
        {"who": name, "k": k, "share": share}
        for name, column in zip(names, shares, strict=True)
        for k, share in zip(reached, column, strict=True)
    ]
    scale = {"domain": [1, reached[-1]], "padding": charts.PADDING}
    x = charts.axis("k", texts("first k"), scale=scale, axis=COUNTS)
    y = charts.shares("share", texts("share unjudged"))
    hints = {"who": texts.column("run"), "k": "k", "share": f"{texts('share unjudged')}:.4f"}
    cells = tuple((k, *(column[i] for column in shares)) for i, k in enumerate(reached))
    numbers = Table(("k", *names), cells, title=texts("unjudged figure"))
    spec = charts.lines(rows, x, y, names, hints)
    return Figure("unjudged", texts("unjudged figure"), texts("unjudged alt"), spec, numbers)


def unjudged(runs: Runs) -> list[list[float]]:
    """[system][depth] the share of the first k results of all queries that have no grade of 0 or more."""
    found, reached = [], depths(runs)
    for system in runs.systems:
        hits = system.hits.where(system.hits.grade >= 0)
        column = []
        for k in reached:
            listed = int(np.minimum(system.hits.returned, k).sum())
            judged = int((hits.rank <= k).sum())
            column.append((listed - judged) / listed if listed else 0.0)
        found.append(column)
    return found
