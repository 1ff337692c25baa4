"""The ledger as plain sentences."""

from __future__ import annotations

from collections.abc import Iterator

from truerank.core.errors import printable
from truerank.core.messages import joined, message
from truerank.present import ledger
from truerank.present.data import ReportData, Runs
from truerank.present.document import Block, Heading, Prose


def blocks(data: ReportData) -> Iterator[Block]:
    """A paragraph for the systems that share a ledger."""
    if data.runs is None:
        return
    yield Heading(message("Coverage"), "ledger")
    yield Prose(tuple(notes(data.runs)))


def notes(runs: Runs) -> list[str]:
    """A paragraph for all systems with the same ledger."""
    by_sentences = ledger.shared(runs.scores, list(map(printable, runs.names)))
    return [joined(": ", [", ".join(names), joined(" ", sentences)]) for sentences, names in by_sentences.items()]
