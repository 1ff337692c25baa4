"""The measures beside the first one, each with its systems and pairs."""

from __future__ import annotations

from collections.abc import Iterator

from truerank.core.messages import message
from truerank.present.data import ReportData
from truerank.present.document import Block, Heading
from truerank.present.sections.result import of_measure


def blocks(data: ReportData) -> Iterator[Block]:
    """Tables as for the first measure, which is at the top; for a single system all measures are there."""
    if data.runs is None or min(len(data.runs.measures), len(data.runs.systems)) < 2:
        return
    yield Heading(message("Other measures"), "measures")
    for outcome in data.runs.shown.outcomes[1:]:
        yield from of_measure(data.runs.shown, outcome, data.runs.digits)
