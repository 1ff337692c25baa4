"""Scores of one or several runs as a table, and as text in every format."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from truerank.core.equal import is_equal
from truerank.core.errors import printable
from truerank.core.languages import SOURCE
from truerank.core.messages import joined, message
from truerank.core.scores import Scores
from truerank.measures import Measure
from truerank.present import audit, ledger, lines
from truerank.present.document import Document, Figure
from truerank.present.names import labels
from truerank.present.percent import DIGITS, HUNDRED, is_share, note
from truerank.present.renderers import FORMATS as TABLES
from truerank.present.table import Cell, Table, drawn_digits

if TYPE_CHECKING:
    from truerank.present.score_slices import Slices

FORMATS = {
    "table": TABLES["table"],
    "json": TABLES["json"],
    "jsonl": (".jsonl", ".ndjson"),
    **TABLES,
    "trec": (".eval",),
}
"""The formats by name, and the file endings that suggest them."""

READ = ("table", "markdown", "latex", "html")
"""The formats for people, which may have percentages."""

LAYOUTS = ("wide", "long")
"""One column per measure, or one row per run and measure."""

WIDE = 10
"""With more measures than this, and than runs, they are listed down the page."""


@dataclass(frozen=True)
class Shape:
    """What of the scores is shown, and how.

    Attributes:
        per_query: whether each query's values are shown too.
        digits: after the point; by default 4 in formats for people and in trec, all in csv. JSON has all.
        percent: whether formats for people (`READ`) show percentages, by default with 2 digits; not the others.
        layout: of tables and csv, one of `LAYOUTS`; by default wide, but turned if there are many measures.
        slices: means of slices of the queries, for all formats but jsonl and trec.
    """

    per_query: bool = False
    digits: int | None = None
    percent: bool = False
    layout: str | None = None
    slices: Slices | None = None

    @property
    def read_digits(self) -> int:
        """The number of digits in formats for people."""
        return drawn_digits(self.digits, DIGITS[self.percent])


def render(
    scores: Sequence[Scores], format: str, shape: Shape, *, styled: bool = False, language: str = SOURCE
) -> str:
    """The scores as text.

    Args:
        format: one of `FORMATS`.
        styled: whether the table has bold and lines, for a terminal.
    """
    if format == "jsonl":
        return lines.jsonl(scores, shape.per_query)
    if format == "trec":
        return lines.trec(scores, shape.per_query, drawn_digits(shape.digits))
    # only what the format needs, as one row per query of a long run is slow to make
    if format == "json":
        return Document((), results=_plain(scores, shape)).render(format)
    if format == "csv":
        return Document((), _flat(scores, shape)).render(format)
    tables = [_for_people(scores, shape)]
    if shape.slices:
        names = labels([one.run for one in scores])
        each = shape.slices.table(names, digits=shape.read_digits, percent=shape.percent)
        tables.append(_laid_out(each, scores, shape))
    return Document(tables).render(format, styled=styled, language=language)


def _plain(scores: Sequence[Scores], shape: Shape) -> Any:
    objects = [one.to_dict(shape.per_query) for one in scores]
    if shape.slices:
        objects = [one | shape.slices.to_dict(place) for place, one in enumerate(objects)]
    return objects[0] if len(objects) == 1 else objects


def _flat(scores: Sequence[Scores], shape: Shape) -> Table:
    if shape.slices:
        rows = [(*row[:2], None, *row[2:]) for row in flat_table(scores).rows]
        columns = ("run", "rules", "slice", *scores[0].headings)
        return _laid_out(Table(columns, (*rows, *shape.slices.rows()), digits=shape.digits), scores, shape)
    return _laid_out(flat_table(scores, per_query=shape.per_query, digits=shape.digits), scores, shape)


def _for_people(scores: Sequence[Scores], shape: Shape) -> Table:
    return _laid_out(score_table(scores, shape), scores, shape)


def _laid_out(table: Table, scores: Sequence[Scores], shape: Shape) -> Table:
    """The table in the layout asked for; the columns before the measures say whose the numbers are."""
    return table.melted(len(table.columns) - len(scores[0].headings)) if shape.layout == "long" else table


def document_of(
    scores: Scores, digits: int | None = None, *, per_query: bool = False, percent: bool = False
) -> Document:
    """The document of one run's scores."""
    one, shape = [scores], Shape(per_query, digits, percent)
    return Document([_for_people(one, shape)], _flat(one, shape), _plain(one, shape), remarks_of(scores))


def figures_of(scores: Scores) -> list[Figure]:
    """What one run's queries score, drawn only on request: intervals of many queries take a moment."""
    from truerank.present import strip  # imports charts, which printing scores does not need

    return list(strip.figures(scores))


def remarks_of(scores: Scores) -> list[str]:
    """What the means hide."""
    return [*ledger.remarks(scores), *over_runs([scores], Shape())]


def over_runs(scores: Sequence[Scores], shape: Shape) -> list[str]:
    """For systems with several runs, how far apart the means of the runs lie."""
    return [
        message(
            "{system}: means over {n} runs; those of the runs lie between: {spans}.",
            system=printable(one.run),
            n=len(one.runs),
            spans=joined(", ", [_span(name, measure, one, shape) for name, measure in one.headings.items()]),
        )
        for one in scores
        if one.runs
    ]


def _span(name: str, measure: Measure, system: Scores, shape: Shape) -> str:
    in_percent = shape.percent and is_share(measure)
    times, digits = HUNDRED if in_percent else 1, drawn_digits(shape.digits, DIGITS[in_percent])
    means = [times * run.number(measure) for run in system.runs]
    low, high, sd = (f"{value:.{digits}f}" for value in (min(means), max(means), np.std(means, ddof=1)))
    return message("{name} {low} to {high} (sd {sd})", name=name, low=low, high=high, sd=sd)


def score_table(scores: Sequence[Scores], shape: Shape) -> Table:
    """For people: a row per run or query, a column per measure with its best run marked, the ledger below."""
    names = labels([one.run for one in scores])
    notes = (
        *ledger.notes(scores, names),
        *over_runs(scores, shape),
        *((note(scores[0].headings),) if shape.percent else ()),
    )
    measures, digits = tuple(scores[0].headings), shape.read_digits
    if shape.per_query:
        each = zip(scores, names, strict=True)
        rows = tuple(row for one, name in each for row in _query_rows(one, name, shape.percent))
        table = Table((message("run"), message("query"), *measures), rows, notes=notes, digits=digits)
        return table if len(scores) > 1 else table.without_first_column()
    rows = tuple((name, *lines.means(one, shape.percent)) for one, name in zip(scores, names, strict=True))
    best = _best(scores)
    table = Table(
        (message("run"), *measures), rows, notes=notes, best=best, across=message("measure"), digits=digits
    )
    return table.turned() if shape.layout is None and len(measures) > max(WIDE, len(scores)) else table


def flat_table(scores: Sequence[Scores], *, per_query: bool = False, digits: int | None = None) -> Table:
    """For programs: a row per run, or per run and query, with the run and the rules; also strict scores."""
    head = ("run", "rules", "query") if per_query else ("run", "rules")
    rows: list[tuple[Cell, ...]] = []
    for one in itertools.chain.from_iterable(map(audit.with_strict, scores)):
        who = (printable(one.run), printable(one.rules.name))
        rows += [(*who, *row) for row in (lines.query_rows(one) if per_query else [lines.means(one)])]
    return Table((*head, *scores[0].headings), tuple(rows), digits=digits)


def _query_rows(scores: Scores, name: str, percent: bool) -> list[tuple[Cell, ...]]:
    rows = [*lines.query_rows(scores, percent), (message("all"), *lines.means(scores, percent))]
    return [(name, *row) for row in rows]


def _best(scores: Sequence[Scores]) -> frozenset[tuple[int, int]]:
    """The cells with the best mean of several runs; counts have no best."""
    places = set()
    for column, measure in enumerate(scores[0].headings.values(), 1):
        means = [one.mean[str(measure)] for one in scores]
        best = min(means) if measure.definition.lower_is_better else max(means)
        if not is_equal(min(means), max(means)) and measure.definition.average != "sum":
            places |= {(row, column) for row, mean in enumerate(means) if is_equal(mean, best)}
    return frozenset(places)
