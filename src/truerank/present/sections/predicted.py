"""What runs would score if people had judged all queries, by their judgements of some and a model's of all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from truerank.core.messages import Warned, message
from truerank.present.cautions import made
from truerank.present.data import ReportData
from truerank.present.document import Block, Caution, Heading, Prose
from truerank.present.predicted import estimates, remarks_of_systems
from truerank.present.sections.result import of_measure


def blocks(data: ReportData) -> Iterator[Block]:
    """The estimate of each run, then the differences; all other sections are on the judged queries only."""
    if data.predicted is None:
        return
    comparison, digits = data.predicted, 4
    yield Heading(message("Estimates for all queries"), "predicted")
    yield from (Caution(said) for said in remarks_of_systems(comparison.predictions) if isinstance(said, Warned))
    yield Prose((message("All other sections are of the queries that people judged, each counted once."),))
    yield from estimates(list(comparison.predictions.values()), digits)
    if len(comparison.systems) > 1:
        for outcome in comparison.outcomes:
            for table in of_measure(comparison, outcome, digits):
                yield replace(table, title=message("{title}, all queries", title=table.title))
        yield Prose(tuple(made(comparison)[1:]))  # who judged what is said under the estimates
