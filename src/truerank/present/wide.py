"""The table of papers: a row per system, a column per measure, the best in bold, letters for what each beats."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from truerank.analysis.compare import Comparison
from truerank.core.errors import printable
from truerank.core.messages import message
from truerank.present import cautions, ledger, many, sample_size
from truerank.present.comparison_cells import Column, ends, interval_heading, mean_cell, ranked, table_of, winners
from truerank.present.table import Cell, Table


def wide_tables(comparison: Comparison, digits: int, *, intervals: bool) -> list[Table]:
    """The systems by all measures, on all queries and then on each slice."""
    whole = wide_table(comparison, digits, intervals=intervals)
    notes = tuple(cautions.notes(comparison, is_wide=True, intervals=intervals))
    if not comparison.slices:
        return [replace(whole, notes=notes)]
    title = message(
        "{where} ({queries})", where=message("all queries"), queries=ledger.queries(len(comparison.queries))
    )
    return [replace(whole, title=title, notes=notes), *_slices(comparison, digits, intervals)]


def _slices(comparison: Comparison, digits: int, intervals: bool) -> Iterator[Table]:
    for value, part in comparison.slices.items():
        where = f"{printable(comparison.by)} = {printable(value)}"
        table = wide_table(part, digits, intervals=intervals)
        title = message("{where} ({queries})", where=where, queries=ledger.queries(len(part.queries)))
        yield replace(table, title=title, notes=tuple(sample_size.remarks(part)))


def wide_table(comparison: Comparison, digits: int, *, intervals: bool = False) -> Table:
    """The means, systems ordered by the first measure; if asked, each with its interval in the next column.

    Rows of many systems are numbered, and these numbers stand in place of letters.
    """
    order, is_many = ranked(comparison.outcomes[0]), many.is_many(comparison)
    columns: list[Column] = [(message("run"), list(map(printable, order)))]
    if len(order) > 1:
        rows = [str(at) for at in range(1, len(order) + 1)]
        columns.insert(0, ("", [*(rows if is_many else [comparison.letters[name] for name in order])]))
    heading = interval_heading(comparison.procedure.confidence)
    best: set[tuple[int, int]] = set()
    raised: dict[tuple[int, int], str] = {}
    for outcome in comparison.outcomes:
        at, letters, won = len(columns), comparison.superscripts(outcome.measure), winners(outcome)
        marks = many.rows_of(order, outcome.beaten) if is_many else [letters[name] for name in order]
        best |= {(row, at) for row, name in enumerate(order) if name in won}
        raised |= {(row, at): mark for row, mark in enumerate(marks) if mark}
        means = [outcome.means[name] for name in order]
        columns.append((outcome.name, [mean_cell(outcome, mean) for mean in means]))
        if intervals:
            columns.append((heading, [ends(outcome, mean, digits) for mean in means]))
    return replace(table_of(columns, digits), best=frozenset(best), raised=raised)


def wide_flat(comparison: Comparison, digits: int | None) -> Table:
    """For programs: one row per slice and system, with only the means of the measures."""
    measures = [outcome.name for outcome in comparison.outcomes]
    head = (*(("slice",) if comparison.slices else ()), "system", *measures)
    parts: list[tuple[str | None, Comparison]] = [(None, comparison), *comparison.slices.items()]
    rows: list[tuple[Cell, ...]] = []
    for value, part in parts:
        where = ((None if value is None else printable(value)),) if comparison.slices else ()
        rows += [
            (*where, printable(name), *(mean_cell(one, one.means[name]) for one in part.outcomes))
            for name in comparison.systems
        ]
    return Table(head, tuple(rows), digits=digits)
