"""What runs would score, by clicks, as tables: IPS and SNIPS with intervals, and differences to the first run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from truerank.analysis.clicks import Estimate, Ips
from truerank.core.errors import printable
from truerank.core.messages import message, plural, warned
from truerank.present import few
from truerank.present.comparison_cells import between, interval_heading
from truerank.present.document import Document
from truerank.present.interleaving import counted
from truerank.present.names import labels
from truerank.present.table import Cell, Table, drawn_digits
from truerank.stats import Interval

ENOUGH = 100
"""With fewer effective clicks, intervals of SNIPS hold the truth too seldom (docs/calibration.md)."""

UNSEEN = 0.1
"""A larger share of documents that were never shown is warned of."""

FLAT = ("run", "measure", "against", "ips", "ips_low", "ips_high", "snips", "snips_low", "snips_high")


def document_of(estimate: Ips, digits: int | None = None) -> Document:
    """One row per run and measure, then the differences."""
    drawn = drawn_digits(digits)
    names = dict(zip(estimate.runs, labels(estimate.runs), strict=True))
    tables = [_table(estimate, estimate.estimates, names, drawn, "")]
    if estimate.differences:
        title = message("differences to {run}", run=names[estimate.runs[0]])
        tables.append(_table(estimate, estimate.differences, names, drawn, title))
    notes = (*_notes(estimate), *remarks_of(estimate))
    tables[-1] = replace(tables[-1], notes=notes)
    rows = tuple(_flat(one) for one in (*estimate.estimates, *estimate.differences))
    plain = {**estimate.to_dict(), "remarks": remarks_of(estimate)}
    return Document(tables, Table(FLAT, rows, digits=digits), plain, remarks_of(estimate))


def _table(estimate: Ips, estimates: Sequence[Estimate], names: dict[str, str], digits: int, title: str) -> Table:
    level = interval_heading(estimate.confidence)
    columns = (message("run"), message("measure"), "IPS", level, "SNIPS", level)
    rows = tuple(
        (names[one.run], one.measure, *_cells(one.ips, digits), *_cells(one.snips, digits)) for one in estimates
    )
    return Table(columns, rows, title, digits=digits)


def _cells(one: Interval, digits: int) -> tuple[Cell, Cell]:
    return one.estimate, between(one, digits)


def _flat(one: Estimate) -> tuple[Cell, ...]:
    plain = one.to_dict()
    both = [plain[way][key] for way in ("ips", "snips") for key in ("estimate", "low", "high")]
    return printable(one.run), one.measure, printable(one.against), *both


def _notes(estimate: Ips) -> list[str]:
    clip = (
        message("no weight is clipped")
        if estimate.clip is None
        else plural(
            "{n:,} weight above {clip:g} is clipped",
            "{n:,} weights above {clip:g} are clipped",
            n=estimate.clipped,
            clip=estimate.clip,
        )
    )
    return [
        message("IPS: the sum over an impression's relevant documents; SNIPS: the mean per relevant document."),
        counted(estimate.impressions, estimate.clusters, estimate.cluster),
        message("Propensities: {origin}.", origin=estimate.propensities),
        plural(
            "{n:,} click weighs as {effective:.1f} of equal weight; the largest weighs {largest:.4g}; {clip}.",
            "{n:,} clicks weigh as {effective:.1f} of equal weight; the largest weighs {largest:.4g}; {clip}.",
            n=estimate.clicks,
            effective=estimate.effective,
            largest=estimate.largest,
            clip=clip,
        ),
    ]


def remarks_of(estimate: Ips) -> list[str]:
    """What the log cannot say."""
    said = few.resampled(estimate.samples, estimate.confidence)
    if estimate.effective < ENOUGH:
        said.append(
            warned(
                message(
                    "fewer than {enough} effective clicks: intervals, of SNIPS above all, hold too seldom.",
                    enough=ENOUGH,
                )
            )
        )
    names = dict(zip(estimate.runs, labels(estimate.runs), strict=True))
    for run, share in estimate.unseen.items():
        if share:
            unseen = message(
                "{share:.1%} of the first {k} documents of {run} were never shown for their queries, "
                "and count as not relevant.",
                share=share,
                k=estimate.depth,
                run=names[run],
            )
            said.append(warned(unseen) if share > UNSEEN else unseen)
    for run, n in estimate.unanswered.items():
        if n:
            said.append(
                plural(
                    "{n:,} impression is of a query that {run} does not answer: nothing counts as returned.",
                    "{n:,} impressions are of queries that {run} does not answer: nothing counts as returned.",
                    n=n,
                    run=names[run],
                )
            )
    return said
