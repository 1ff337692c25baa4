"""The share of returned unjudged documents, by depth."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from truerank.core.errors import printable
from truerank.core.messages import Message, listed, message
from truerank.present.data import ReportData, Runs
from truerank.present.document import Block, Heading, Prose
from truerank.present.sections.curves import by_depth, depths
from truerank.present.sections.result import NAMED

TOLD = 10
"""The depth of which the share is said in words."""


def blocks(data: ReportData) -> Iterator[Block]:
    """The shares in words, then as a picture; none where everything was judged, or queries have several lists."""
    runs = data.runs
    if runs is None or runs.is_complete or runs.has_calls:
        return
    shares = unjudged(runs)
    if not any(map(any, shares)):
        return
    names, reached = list(map(printable, runs.names)), depths(runs)
    at = sum(k <= TOLD for k in reached) - 1
    yield Heading(message("Unjudged documents"), "unjudged")
    yield Prose(
        (
            message(
                "Unjudged among the first {k} returned results: {shares}.",
                k=reached[at],
                shares=_told(names, [c[at] for c in shares]),
            ),
        )
    )
    alt = message(
        "One line per system: the share of its first k results that are unjudged. A large share "
        "makes a mean uncertain."
    )
    title, share = message("Unjudged results by depth"), message("share unjudged")
    yield by_depth("unjudged", title, alt, share, shares, runs)


def _told(names: list[str], shares: list[float]) -> Message:
    """The share of each system; where there are many, the lowest and the highest."""
    percents = [f"{share:.1%}".replace("%", " %") for share in shares]
    each = [f"{share} ({name})" for name, share in zip(names, percents, strict=True)]
    if len(names) <= NAMED:
        return listed(each)
    low, high = (each[shares.index(end(shares))] for end in (min, max))
    return message("{low} to {high}", low=low, high=high)


def unjudged(runs: Runs) -> list[list[float]]:
    """[system][depth] the share of the first k results of all queries that have no grade of 0 or more."""
    shares, reached = [], depths(runs)
    for system in runs.systems:
        hits = system.hits.where(system.hits.grade >= 0)
        column = []
        for k in reached:
            listed = int(np.minimum(system.hits.returned, k).sum())
            judged = int((hits.rank <= k).sum())
            column.append((listed - judged) / listed if listed else 0.0)
        shares.append(column)
    return shares
