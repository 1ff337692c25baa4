"""The ledger as plain sentences."""

from __future__ import annotations

from collections.abc import Iterator

from truerank.core.errors import printable
from truerank.core.messages import message
from truerank.present import ledger
from truerank.present.data import ReportData
from truerank.present.document import Block, Heading, Prose


def blocks(data: ReportData) -> Iterator[Block]:
    """A paragraph for the systems that share a ledger."""
    if data.runs is None:
        return
    yield Heading(message("Coverage"), "ledger")
    yield Prose(tuple(ledger.paragraphs(data.runs.scores, list(map(printable, data.runs.names)))))
