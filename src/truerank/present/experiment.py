"""An experiment as tables: means with letters and timings, then each system's difference from the baseline."""

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
from truerank.present.bench import marked, timings
from truerank.present.comparison_cells import pair_cells, pair_headings, ranked
from truerank.present.document import Document, Figure
from truerank.present.percent import DIGITS, in_percent, named, note
from truerank.present.sections import speed
from truerank.present.table import Cell, Table, drawn_digits


def document_of(
    experiment: Experiment, digits: int | None = None, *, intervals: bool = False, percent: bool = False
) -> Document:
    """The document of an experiment.

    Args:
        intervals: whether they stand beside the means.
        percent: percentages in what people read, with 2 digits unless said otherwise.
    """
    fine = drawn_digits(digits, DIGITS[percent])
    read = in_percent(experiment.comparison) if percent else experiment.comparison
    tables = [_with_times(wide.wide_table(read, fine, intervals=intervals), read, experiment.benches)]
    if read.reference and len(read.systems) > 1:
        tables = [replace(tables[0], title=message("means of each system")), _differences(read, fine)]
    notes = cautions.notes(read, is_wide=True, intervals=intervals, differences=len(tables) > 1)
    notes += [
        *_of_queries(experiment),
        *_of_benches(experiment),
        *([note(named(read.outcomes))] if percent else []),
    ]
    tables[-1] = replace(tables[-1], notes=tuple(notes))
    remarks = remarks_of(experiment)
    plain = {**experiment.to_dict(), "remarks": remarks}
    return Document([*tables, *_figures(experiment, fine, percent)], flat_table(experiment, digits), plain, remarks)


def remarks_of(experiment: Experiment) -> list[str]:
    """What the means hide, how far the comparison can be trusted, and what speaks against the timings."""
    return [*_warnings(experiment), *comparison.remarks_of(experiment.comparison), *_of_queries(experiment)]


def flat_table(experiment: Experiment, digits: int | None = None) -> Table:
    """For programs: a row per system, with its mean and difference from the baseline by each measure, and timings.

    The columns of a measure are its name for the mean, and then, where there is a baseline, its name with + and -
    (queries on which the system is better and worse), difference, low, high and p-value (corrected).
    """
    rows: list[dict[str, Cell]] = []
    for name in experiment.comparison.systems:
        row: dict[str, Cell] = {"system": printable(name)}
        for outcome in experiment.comparison.outcomes:
            row[outcome.name] = outcome.means[name].estimate
            row |= {f"{outcome.name} {what}": cell for what, cell in _parted(experiment.comparison, outcome, name)}
        if experiment.benches:
            row |= {key: experiment.timings.get(name, {}).get(key) for key in (*TIMES, "per_second", "failed")}
        rows.append(row)
    return Table(tuple(rows[0]), tuple(tuple(row.values()) for row in rows), digits=digits)


def _parted(compared: Comparison, outcome: Outcome, name: str) -> Iterator[tuple[str, Cell]]:
    """A system's difference from the baseline, by the names of the columns; empty cells for the baseline itself."""
    if compared.reference is None or len(compared.systems) < 2:
        return
    pair = outcome.compared(name, compared.reference)
    known = pair.to_dict() if pair else {}
    columns = {"+": "wins", "-": "losses", "difference": "difference", "low": "low", "high": "high"}
    for heading, key in {**columns, "p-value": "adjusted"}.items():
        yield heading, known.get(key)


def _with_times(table: Table, compared: Comparison, benches: Mapping[str, Bench]) -> Table:
    """The table with, beside the means, latencies in ms and answers per second of the systems that were asked."""
    if not benches:
        return table
    every = list(benches.values())
    heads = (*(marked(time, every, " ms") for time in TIMES), message("a second"))
    heads += (message("failed"),) if any(one.failed for one in every) else ()
    rows = tuple(
        (*row, *_times(benches.get(name))[: len(heads)])
        for name, row in zip(ranked(compared.outcomes[0]), table.rows, strict=True)
    )
    return replace(table, columns=(*table.columns, *heads), rows=rows)


def _times(bench: Bench | None) -> tuple[Cell, ...]:
    """Latencies, answers per second and failed calls; empty for a system that was not asked."""
    return timings(bench, TIMES) if bench else (None,) * (len(TIMES) + 2)


def _differences(compared: Comparison, digits: int) -> Table:
    """One row per measure and system: its difference to the baseline, and whether that may be chance."""
    base, alpha = compared.reference or "", compared.procedure.alpha
    rows: list[tuple[Cell, ...]] = [
        (outcome.name, printable(name), *pair_cells(outcome, outcome.compared(name, base), digits, alpha))
        for outcome in compared.outcomes
        for name in ranked(outcome)
        if name != base
    ]
    head = (message("measure"), message("run"), *pair_headings(compared.procedure.confidence))
    title = message("differences to {run}", run=printable(base))
    return Table(head, tuple(rows), title=title, digits=digits)


def _of_queries(experiment: Experiment) -> list[str]:
    if not experiment.unasked:
        return []
    return [
        plural(
            "{n:,} judged query is not among the queries, and is in no mean.",
            "{n:,} judged queries are not among the queries, and are in no mean.",
            n=experiment.unasked,
        )
    ]


def _of_benches(experiment: Experiment) -> list[str]:
    """How each system was asked, and what speaks against its timings."""
    every = list(experiment.benches.values())
    how = [joined(": ", [printable(name), bench_notes.how(one)]) for name, one in experiment.benches.items()]
    return [*how, *_warnings(experiment), *bench_notes.made(every), *(bench_notes.needed(every) if every else [])]


def _warnings(experiment: Experiment) -> list[str]:
    return bench_notes.named_warnings(experiment.benches.values(), map(printable, experiment.benches))


def _figures(experiment: Experiment, digits: int, percent: bool) -> list[Figure]:
    """The means on their intervals, and, if several systems were asked, what quality costs in time."""
    drawn = comparison.document_of(experiment.comparison, digits, percent=percent).figures
    asked = {printable(name): one for name, one in experiment.benches.items() if one.answered}
    if len(asked) < 2:
        return drawn
    every = list(map(printable, experiment.comparison.systems))
    return [*drawn, speed.pareto(list(asked.values()), list(asked), every)]
