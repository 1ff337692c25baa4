"""An experiment as tables: means with letters and timings, then what parts each system from the baseline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from truerank.analysis.compare import Comparison, Outcome
from truerank.analysis.experiment import Experiment
from truerank.analysis.experiment.result import TIMES
from truerank.core.errors import printable
from truerank.core.messages import joined, message, plural
from truerank.live.result import Bench
from truerank.present import bench_notes, cautions, comparison, wide
from truerank.present.bench import marked, per_second
from truerank.present.comparison_cells import interval_heading, pair_cells, ranked
from truerank.present.document import Document, Figure
from truerank.present.percent import DIGITS, in_percent, named, note
from truerank.present.sections import speed
from truerank.present.table import Cell, Table


def document_of(
    found: Experiment, digits: int | None = None, *, intervals: bool = False, percent: bool = False
) -> Document:
    """What an experiment shows of itself.

    Args:
        intervals: beside the means.
        percent: percentages in what people read, with 2 digits unless said otherwise.
    """
    fine = DIGITS[percent] if digits is None else digits
    read = in_percent(found.comparison) if percent else found.comparison
    tables = [_with_times(wide.wide_table(read, fine, intervals=intervals), read, found.benches)]
    if read.reference and len(read.systems) > 1:
        tables = [replace(tables[0], title=message("means of each system")), _differences(read, fine)]
    notes = cautions.notes(read, is_wide=True, intervals=intervals, differences=len(tables) > 1)
    notes += [*_of_queries(found), *_of_benches(found), *([note(named(read.outcomes))] if percent else [])]
    tables[-1] = replace(tables[-1], notes=tuple(notes))
    remarks = remarks_of(found)
    plain = {**found.to_dict(), "remarks": remarks}
    return Document([*tables, *_figures(found, fine, percent)], flat_table(found, digits), plain, remarks)


def remarks_of(found: Experiment) -> list[str]:
    """What the means hide, how far the comparison can be trusted, and what speaks against the timings."""
    return [*_warnings(found), *comparison.remarks_of(found.comparison), *_of_queries(found)]


def flat_table(found: Experiment, digits: int | None = None) -> Table:
    """For programs: a row a system, by each measure its mean and what parts it from the baseline, then its timings.

    The columns of a measure are its name for the mean, and then, where there is a baseline, its name with + and -
    (queries on which the system is better and worse), difference, low, high and p-value (corrected).
    """
    rows: list[dict[str, Cell]] = []
    for name in found.comparison.systems:
        row: dict[str, Cell] = {"system": printable(name)}
        for outcome in found.comparison.outcomes:
            row[outcome.name] = outcome.means[name].estimate
            row |= {f"{outcome.name} {what}": cell for what, cell in _parted(found.comparison, outcome, name)}
        if found.benches:
            row |= {key: found.timings.get(name, {}).get(key) for key in (*TIMES, "per_second", "failed")}
        rows.append(row)
    return Table(tuple(rows[0]), tuple(tuple(row.values()) for row in rows), digits=digits)


def _parted(found: Comparison, outcome: Outcome, name: str) -> Iterator[tuple[str, Cell]]:
    """What parts a system from the baseline, by the names of its columns; empty cells for the baseline itself."""
    if found.reference is None or len(found.systems) < 2:
        return
    pair = outcome.compared(name, found.reference)
    known = pair.to_dict() if pair else {}
    columns = {"+": "wins", "-": "losses", "difference": "difference", "low": "low", "high": "high"}
    for heading, key in {**columns, "p-value": "adjusted"}.items():
        yield heading, known.get(key)


def _with_times(table: Table, found: Comparison, benches: Mapping[str, Bench]) -> Table:
    """The table, beside the means the latencies in ms and answers a second of systems that were asked."""
    if not benches:
        return table
    every = list(benches.values())
    heads = (*(marked(time, every, " ms") for time in TIMES), message("a second"))
    heads += (message("failed"),) if any(one.failed for one in every) else ()
    rows = tuple(
        (*row, *_times(benches.get(name))[: len(heads)])
        for name, row in zip(ranked(found.outcomes[0]), table.rows, strict=True)
    )
    return replace(table, columns=(*table.columns, *heads), rows=rows)


def _times(found: Bench | None) -> tuple[Cell, ...]:
    """Latencies, answers a second and failed calls; nothing of what was not asked."""
    if found is None:
        return (None,) * (len(TIMES) + 2)
    latencies = (found.latency[time] if found.answered else None for time in TIMES)
    return (*latencies, per_second(found), found.failed)


def _differences(found: Comparison, digits: int) -> Table:
    """A row a measure and system: its difference to the baseline, and whether that may be chance."""
    base = found.reference or ""
    rows: list[tuple[Cell, ...]] = [
        (outcome.name, printable(name), *pair_cells(outcome, outcome.compared(name, base), digits))
        for outcome in found.outcomes
        for name in ranked(outcome)
        if name != base
    ]
    head = (message("measure"), message("run"), message("difference"), interval_heading(found))
    title = message("differences to {run}", run=printable(base))
    return Table((*head, message("effect"), "p", message("W/T/L")), tuple(rows), title=title, digits=digits)


def _of_queries(found: Experiment) -> list[str]:
    if not found.unasked:
        return []
    return [
        plural(
            "{n:,} judged query is not among the queries, and is in no mean.",
            "{n:,} judged queries are not among the queries, and are in no mean.",
            n=found.unasked,
        )
    ]


def _of_benches(found: Experiment) -> list[str]:
    """How each was asked, and what speaks against its timings."""
    every = list(found.benches.values())
    how = [
        joined(": ", [printable(name), joined("; ", [bench_notes.loop(one), bench_notes.asked(one)])])
        for name, one in found.benches.items()
    ]
    return [*how, *_warnings(found), *bench_notes.made(every), *(bench_notes.needed(every) if every else [])]


def _warnings(found: Experiment) -> list[str]:
    return [
        joined(": ", [printable(name), said])
        for name, one in found.benches.items()
        for said in bench_notes.warnings(one)
    ]


def _figures(found: Experiment, digits: int, percent: bool) -> list[Figure]:
    """The means on their intervals, and of several systems that were asked what quality costs in time."""
    drawn = comparison.document_of(found.comparison, digits, percent=percent).figures
    asked = {printable(name): one for name, one in found.benches.items() if one.answered}
    if len(asked) < 2:
        return drawn
    every = list(map(printable, found.comparison.systems))
    return [*drawn, speed.pareto(list(asked.values()), list(asked), every)]
