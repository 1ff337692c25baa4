"""The sections of a report, one file each: data in, blocks out. A new one is a file and a line here."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from truerank.present.data import ReportData
from truerank.present.document import Block
from truerank.present.sections import (
    curves,
    distribution,
    judges,
    ledger,
    measures,
    places,
    predicted,
    queries,
    reliability,
    reproduce,
    result,
    speed,
    unjudged,
)

SECTIONS: tuple[Callable[[ReportData], Iterator[Block]], ...] = (
    predicted.blocks,
    result.blocks,
    ledger.blocks,
    reliability.blocks,
    curves.blocks,
    queries.blocks,
    distribution.blocks,
    unjudged.blocks,
    judges.blocks,
    speed.blocks,
    places.blocks,
    measures.blocks,
    reproduce.blocks,
)
"""In the order in which they are read."""
