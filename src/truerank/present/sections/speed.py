"""How fast retrievers answer, and what quality costs in time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from truerank.analysis.compare.outcome import direction
from truerank.core.errors import printable
from truerank.core.messages import joined, listed, message, plural
from truerank.core.scores import distinct
from truerank.live.result import Bench
from truerank.live.sweep import front
from truerank.present import bench_notes, charts
from truerank.present.bench import (
    DIGITS,
    SHORT,
    endless,
    index_table,
    judged,
    latency_chart,
    marked,
    measured_by,
    timings,
)
from truerank.present.comparison_cells import interval_heading
from truerank.present.data import ReportData
from truerank.present.document import Block, Caution, Figure, Heading, Prose
from truerank.present.pareto import chart
from truerank.present.table import Cell, Table


def blocks(data: ReportData) -> Iterator[Block]:
    """One row per benchmark, its latencies as a curve, and quality against latency where both are known."""
    if not data.benches:
        return
    yield Heading(message("Speed"), "speed")
    names = called(data.benches)
    named = list(zip(data.benches, names, strict=True))
    yield from map(Caution, bench_notes.named_warnings(data.benches, names))
    yield table(data.benches, names)
    if built := [(name, one.indexing) for one, name in named if one.indexing]:
        of, indexings = zip(*built, strict=True)
        yield index_table(indexings, of, title=message("Indexing"))
    answered = [(one, name) for one, name in named if len(one.measured.answered)]
    if answered:
        yield latencies(*zip(*answered, strict=True))
    scored = [(one, name) for one, name in answered if one.scores]
    if len(scored) > 1 and len({_measure(one) for one, _ in scored}) == 1:
        yield pareto(*zip(*scored, strict=True))
    for one, name in named:
        yield Prose((joined(": ", [name, bench_notes.how(one)]),))
    sentences = (*bench_notes.made(data.benches), *bench_notes.needed(data.benches), *judged(data.benches, names))
    if sentences:
        yield Prose(sentences)


def called(benches: Sequence[Bench]) -> list[str]:
    """Names of benchmarks: name and settings, with a number where these are the same."""
    named = (f"{one.name} ({bench_notes.setting(one)})" if one.settings else one.name for one in benches)
    return distinct(list(map(printable, named)))


def table(benches: Sequence[Bench], names: Sequence[str]) -> Table:
    """Milliseconds, throughput, failures, and the means of measures."""
    measures = measured_by(benches)
    rows: list[tuple[Cell, ...]] = []
    for name, one in zip(names, benches, strict=True):
        means = one.scores.mean if one.scores else {}
        rows.append((name, len(one.measured), *timings(one), *(means.get(measure) for measure in measures)))
    times = (marked(name, benches, " ms") for name in SHORT)
    columns = (message("retriever"), message("calls"), *times, message("a second"), message("failed"), *measures)
    whole = Table(columns, tuple(rows), title=message("Benchmarks"), digits=DIGITS)
    return whole.only([place for place in range(len(columns)) if any(row[place] is not None for row in rows)])


def latencies(benches: Sequence[Bench], names: Sequence[str]) -> Figure:
    """The share of calls that are answered within this many milliseconds."""
    return Figure(
        "latency",
        message("Latency"),
        message(
            "One line per retriever: the share of calls answered within a given time in milliseconds "
            "(logarithmic axis). Further left is faster."
        ),
        latency_chart(benches, names),
    )


def pareto(benches: Sequence[Bench], names: Sequence[str], among: Sequence[str] = ()) -> Figure:
    """One mark per benchmark on its intervals, and a line through those that no other one beats; see `chart`."""
    measure = _measure(benches[0])
    best = front(benches, measure)
    spec = chart(benches, names, measure, title=message("median latency, ms"), hints=_hints(measure), among=among)
    what = message(
        "One mark per benchmark: median latency (horizontal) and {measure} (vertical), with 95 % intervals.",
        measure=measure,
    )
    winners = plural(
        "No other benchmark is faster or better than {best}.",
        "The line connects the benchmarks that no other one beats on both: {best}.",
        n=len(best),
        best=listed([names[i] for i in sorted(best)]),
    )
    said = [what, *_corner(benches[0], measure)]
    alt = joined(" ", [*said, winners, *endless(benches)] if best else said)
    return Figure("pareto", message("Quality against latency"), alt, spec)


def _corner(one: Bench, measure: str) -> list[str]:
    """In which corner the best would stand, with quality upwards; of counts in none."""
    sign = direction(one.scores.headings[one.scores.heading(measure)]) if one.scores else 0
    if not sign:
        return []
    return [message("Best is the upper left.") if sign > 0 else message("Best is the lower left.")]


def _hints(measure: str) -> charts.Hints:
    """The lines of a tooltip, each number with its interval; no two may have the same title."""
    interval = interval_heading(0.95)
    return {
        "who": message("retriever"),
        "speed": ("ms", ".3f"),
        "across": joined(", ", ["ms", interval]),
        "quality": (measure, ".4f"),
        "up": joined(", ", [measure, interval]),
    }


def _measure(one: Bench) -> str:
    return next(iter(one.scores.mean)) if one.scores else ""
