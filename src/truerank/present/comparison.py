"""A comparison as tables: one row per system, one row per pair, and what a reader should know below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from truerank.analysis.compare import Comparison, Outcome
from truerank.analysis.compare.outcome import direction
from truerank.core.errors import InputError, printable, quoted
from truerank.core.messages import alternatives, message
from truerank.present import cautions, forest, ledger, many, runs, sample_size, wide
from truerank.present.comparison_cells import (
    Column,
    ends,
    interval_heading,
    mean_cell,
    pair_cells,
    pair_headings,
    ranked,
    table_of,
    winners,
)
from truerank.present.document import Document
from truerank.present.many import MOST_PAIRS, shows_pairs
from truerank.present.percent import DIGITS, in_percent, named, note
from truerank.present.renderers.terminal import fits
from truerank.present.table import Table, drawn_digits

LAYOUTS = ("long", "wide")
"""One table per measure, with differences and pairs; or one table with one column per measure."""


def document(
    comparison: Comparison,
    digits: int | None = None,
    width: int | None = None,
    *,
    layout: str = "long",
    intervals: bool = False,
    percent: bool = False,
) -> Document:
    """The whole comparison: each measure's systems and pairs, then its systems on each slice; or the wide table.

    Args:
        width: of the terminal; a wider table is split in two.
        layout: one of `LAYOUTS`.
        intervals: whether they stand beside the means of the wide table.
        percent: percentages in what people read, with 2 digits unless said otherwise; data stays as it is.
    """
    drawn, remarks = drawn_digits(digits, DIGITS[percent]), cautions.remarks(comparison)
    read = in_percent(comparison) if percent else comparison
    plain = {**comparison.to_dict(), "remarks": remarks}
    if layout == "wide":
        tables = [
            *wide.wide_tables(read, drawn, intervals=intervals),
            *(table for outcome in read.outcomes for table in runs.tables(read, outcome, drawn, MOST_PAIRS)),
        ]
        return Document(_noted(tables, comparison, percent), wide.wide_flat(comparison, digits), plain, remarks)
    if layout != "long":
        raise InputError(
            "a layout is {layouts}, not {layout}", layouts=alternatives(LAYOUTS), layout=quoted(layout)
        )
    tables = list(_tables(read, drawn, width))
    tables[-1] = replace(tables[-1], notes=tuple(cautions.notes(read)))
    tables += _slices(read, drawn, width)
    return Document(_noted(tables, comparison, percent), flat_table(comparison, digits), plain, remarks)


def _noted(tables: list[Table], comparison: Comparison, percent: bool) -> list[Table]:
    """The tables, with a note under the last one that says what is in percent."""
    if not percent:
        return tables
    last = tables[-1]
    return [*tables[:-1], replace(last, notes=(*last.notes, note(named(comparison.outcomes))))]


def document_of(
    comparison: Comparison,
    digits: int | None = None,
    *,
    layout: str = "wide",
    intervals: bool = False,
    percent: bool = False,
) -> Document:
    """What a comparison shows of itself: the wide table, unless the long one is asked for."""
    laid = document(comparison, digits, layout=layout, intervals=intervals, percent=percent)
    drawn = in_percent(comparison) if percent else comparison
    spec = forest.chart(drawn, comparison.systems, drawn_digits(digits, DIGITS[percent]))
    if many.is_many(comparison):
        return replace(laid, blocks=[*laid.blocks, *many.figures(drawn)])
    if spec is None:
        return laid
    of_runs = [message("A tick is the mean of one run.")]
    has_runs = any(scores.runs for scores in comparison.scores.values())
    figure = forest.figure(comparison, spec, *(of_runs if has_runs else []))
    return replace(laid, blocks=[*laid.blocks, figure])


def remarks_of(comparison: Comparison) -> list[str]:
    """What the means hide, then how far the comparison can be trusted."""
    return [
        *ledger.named_remarks(list(comparison.on_all.values()), list(map(printable, comparison.scores))),
        *cautions.remarks(comparison),
    ]


def _tables(comparison: Comparison, digits: int, width: int | None) -> Iterator[Table]:
    several = len(comparison.outcomes) > 1 or bool(comparison.slices)
    for outcome in comparison.outcomes:
        title = _title(outcome, message("all queries") if comparison.slices else "") if several else ""
        yield from _of_systems(comparison, outcome, digits, title, width)
        if outcome.pairs and shows_pairs(comparison):
            table = pair_table(comparison, outcome, digits)
            yield table if fits(table, width) else pair_table(comparison, outcome, digits, by_letter=True)
        yield from runs.tables(comparison, outcome, digits, MOST_PAIRS)


def _slices(comparison: Comparison, digits: int, width: int | None) -> Iterator[Table]:
    """The systems on each slice, with a note on whether it is large enough."""
    for value, part in comparison.slices.items():
        where = f"{printable(comparison.by)} = {printable(value)}"
        own = [t for o in part.outcomes for t in _of_systems(part, o, digits, _title(o, where), width)]
        yield from own[:-1]
        yield replace(own[-1], notes=tuple(sample_size.remarks(part)))


def _of_systems(
    comparison: Comparison, outcome: Outcome, digits: int, title: str, width: int | None
) -> Iterator[Table]:
    """One row per system; if that is too wide, the differences are in a separate table."""
    whole = SideBySide(comparison, outcome, digits)
    table = whole.table(title)
    if fits(table, width) or not comparison.reference:
        yield table
    else:
        yield whole.means(title)
        yield whole.differences()


def _title(outcome: Outcome, where: str) -> str:
    if not where:
        return outcome.name
    queries = ledger.queries(outcome.queries)
    return message("{measure}, {where} ({queries})", measure=outcome.name, where=where, queries=queries)


@dataclass(frozen=True)
class SideBySide:
    """The systems by one measure, the best first."""

    comparison: Comparison
    outcome: Outcome
    digits: int

    def table(self, title: str = "") -> Table:
        """One row per system with everything about it."""
        return self._drawn([*self._means(), *self._against(self._names), *self._standing()], title)

    def means(self, title: str = "") -> Table:
        """The table without the differences from the baseline."""
        return self._drawn([*self._means(), *self._standing()], title)

    def differences(self) -> Table:
        """Only the differences from the baseline."""
        base = self.comparison.reference or ""
        others = [name for name in self._names if name != base]
        named: Column = (message("against {letter}", letter=self._mark(base)), list(map(printable, others)))
        return table_of([named, *self._against(others)], self.digits)

    def _drawn(self, columns: list[Column], title: str) -> Table:
        letters = {} if many.is_many(self.comparison) else self.comparison.superscripts(self.outcome.measure)
        raised = {(row, 2): letters[name] for row, name in enumerate(self._names) if letters.get(name)}
        return replace(
            table_of(columns, self.digits), title=title, best=self._best(), raised=raised, is_spelled=True
        )

    @property
    def _names(self) -> list[str]:
        return ranked(self.outcome)

    def _means(self) -> list[Column]:
        means = [self.outcome.means[name] for name in self._names]
        return [
            ("", [self._mark(name) for name in self._names]),
            (message("run"), [printable(name) for name in self._names]),
            (self.outcome.name, [mean_cell(self.outcome, mean) for mean in means]),
            (
                interval_heading(self.comparison.procedure.confidence),
                [ends(self.outcome, mean, self.digits) for mean in means],
            ),
        ]

    def _mark(self, name: str) -> str:
        """The sign of a system: its letter, or, where there are many, its rank."""
        return str(self._names.index(name) + 1) if many.is_many(self.comparison) else self.comparison.letters[name]

    def _against(self, names: Sequence[str]) -> list[Column]:
        """Columns with the difference of each system from the baseline; none without a baseline."""
        base = self.comparison.reference
        if base is None or len(self.comparison.systems) < 2:
            return []
        pairs = [self.outcome.compared(name, base) for name in names]
        alpha = self.comparison.procedure.alpha
        cells = [pair_cells(self.outcome, pair, self.digits, alpha) for pair in pairs]
        rows = [
            (message("baseline"), *own[1:]) if name == base else own for name, own in zip(names, cells, strict=True)
        ]
        headings = pair_headings(self.comparison.procedure.confidence)
        return [(heading, [*column]) for heading, *column in zip(headings, *rows, strict=True)]

    def _standing(self) -> list[Column]:
        """Columns with the systems that each one beats, and those that it cannot be told apart from."""
        if many.is_many(self.comparison):
            return many.standing(self.outcome)
        columns: list[Column] = []
        if len(self._names) > 1 and direction(self.outcome.measure):
            letters = self.comparison.superscripts(self.outcome.measure)
            columns.append((message("beats"), [letters[name] for name in self._names]))
        if len(self._names) > 2 and self.outcome.groups:
            columns.append((message("group"), [self.outcome.groups_of(name) for name in self._names]))
        return columns

    def _best(self) -> frozenset[tuple[int, int]]:
        best = winners(self.outcome)
        return frozenset((row, 2) for row, name in enumerate(self._names) if name in best)


def pair_table(comparison: Comparison, outcome: Outcome, digits: int, *, by_letter: bool = False) -> Table:
    """One row per pair, the better system first; `by_letter` names them by letters, which takes less room."""
    place = {name: i for i, name in enumerate(ranked(outcome))}
    pairs = [pair if place[pair.system] < place[pair.against] else pair.turned() for pair in outcome.pairs]
    pairs.sort(key=lambda pair: (place[pair.system], place[pair.against]))
    letters = comparison.letters if by_letter else {name: printable(name) for name in comparison.systems}
    columns = (message("run"), message("against"), *pair_headings(comparison.procedure.confidence))
    who = [(letters[pair.system], letters[pair.against]) for pair in pairs]
    alpha = comparison.procedure.alpha
    rows = tuple((*two, *pair_cells(outcome, pair, digits, alpha)) for two, pair in zip(who, pairs, strict=True))
    return Table(columns, rows, digits=digits)


def flat_table(comparison: Comparison, digits: int | None = None) -> Table:
    """For programs: the rows of `Comparison.rows`."""
    rows = [dict(row) for row in comparison.rows()]
    for row in rows:
        row |= {key: printable(row[key]) for key in ("slice", "system", "against") if row[key] is not None}
    columns = [column for column in rows[0] if column != "slice" or comparison.slices]
    return Table(tuple(columns), tuple(tuple(row[column] for column in columns) for row in rows), digits=digits)
