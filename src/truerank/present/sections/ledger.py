"""The ledger as plain sentences, and how far the numbers can be trusted."""

from __future__ import annotations

from collections.abc import Iterator

from truerank.core.errors import printable
from truerank.core.messages import Warned, joined, message
from truerank.present import cautions, ledger
from truerank.present.data import ReportData, Runs
from truerank.present.document import Block, Caution, Heading, Prose


def blocks(data: ReportData) -> Iterator[Block]:
    """A paragraph for the systems that share a ledger, then the test, then what is remarkable."""
    if data.runs is None:
        return
    yield Heading(message("Coverage"), "ledger")
    yield Prose(tuple(notes(data.runs)))
    yield Heading(message("Reliability"), "trust")
    yield from _trust(data.runs)


def notes(runs: Runs) -> list[str]:
    """A paragraph for all systems with the same ledger."""
    by_sentences = ledger.shared(runs.scores, list(map(printable, runs.names)))
    return [joined(": ", [", ".join(names), joined(" ", sentences)]) for sentences, names in by_sentences.items()]


def _trust(runs: Runs) -> Iterator[Block]:
    """The warnings first, then how the comparison was made and what else there is to say."""
    remarks = cautions.remarks(runs.comparison)
    yield from (Caution(text) for text in remarks if isinstance(text, Warned))
    yield Prose((*cautions.made(runs.comparison), *(text for text in remarks if not isinstance(text, Warned))))
