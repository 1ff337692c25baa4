"""How far the numbers can be trusted: the test, the remarks, and what this many queries could have shown."""

from __future__ import annotations

from collections.abc import Iterator

from truerank import stats
from truerank.analysis.compare import Comparison, Outcome
from truerank.core.messages import Warned, message
from truerank.present import cautions
from truerank.present.comparison_cells import span
from truerank.present.data import ReportData, Runs
from truerank.present.document import Block, Caution, Heading, Prose
from truerank.present.percent import HUNDRED, is_share
from truerank.present.sample_size import detectable, difference
from truerank.present.table import Cell, Table, three_digits

DIFFERENCE = 0.02
"""A difference that papers call an improvement."""


def blocks(data: ReportData) -> Iterator[Block]:
    """The warnings first, then how the comparison was made, further remarks, and what could be detected."""
    if data.runs is None:
        return
    yield Heading(message("Reliability"), "trust")
    remarks = cautions.remarks(data.runs.shown)
    yield from (Caution(text) for text in remarks if isinstance(text, Warned))
    others = (text for text in remarks if not isinstance(text, Warned))
    yield Prose((*cautions.made(data.runs.shown), *others))
    if len(data.runs.systems) > 1:
        yield from _detectable(data.runs)


def _detectable(runs: Runs) -> Iterator[Block]:
    """A row per measure: the detectable difference, and the queries that a small one takes; none without spread."""
    scale = HUNDRED if runs.percent else 1
    rows = [row for outcome in runs.comparison.outcomes if (row := _row(runs.comparison, outcome, scale))]
    if not rows:
        return
    columns = (
        message("measure"),
        message("sd of differences"),
        message("detected difference"),
        message("queries for a difference of {difference:g}", difference=DIFFERENCE * scale),
    )
    note = message(
        "Detected: in four of five samples of as many queries, by the paired t-test at the level of one of the "
        "pairs compared; of the pairs the lowest to the highest."
    )
    yield Table(columns, tuple(rows), message("What these queries can show"))
    yield Prose((note,))


def _row(comparison: Comparison, outcome: Outcome, scale: int) -> tuple[Cell, ...] | None:
    known = detectable(outcome)
    if not known or not is_share(outcome.measure) or outcome.measure.definition.average != "mean":
        return None
    shared = comparison.procedure.correction not in ("none", "bh")
    level = comparison.procedure.alpha / (len(outcome.pairs) if shared else 1)
    of_one = stats.smallest_detectable(1.0, outcome.queries, alpha=level)
    sds = [least / of_one for least in (known[0], known[-1])]
    needed = [stats.queries_needed(sd, DIFFERENCE, alpha=level) for sd in sds]
    return (
        outcome.name,
        span(*(three_digits(sd * scale) for sd in sds)),
        span(*(difference(each, outcome, scale) for each in (known[0], known[-1]))),
        span(*(f"{n:,}" for n in needed)),
    )
