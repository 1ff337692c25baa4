"""Benchmarks as tables: latencies and scores with their intervals, and below what a reader should know."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from truerank.core.errors import MissingPackage, printable
from truerank.core.messages import Message, joined, message, plural
from truerank.core.presented import finite
from truerank.live.censored import times
from truerank.live.indexing import Indexing
from truerank.live.latency import PERCENTILES
from truerank.live.paired import BenchComparison
from truerank.live.result import Bench
from truerank.live.samples import OUTCOMES
from truerank.live.sweep import THROUGHPUT, front, quality, speed
from truerank.present import bench_notes, charts, few, ledger
from truerank.present.comparison_cells import limits
from truerank.present.document import Document, Figure
from truerank.present.table import Cell, Table, drawn_digits, p_cell
from truerank.stats import Interval

DIGITS = 3
"""After the point of milliseconds: microseconds."""

FIGURES = ("mean", *PERCENTILES, "min", "max")

INDEXED = (
    message("documents"),
    message("seconds"),
    message("documents a second"),
    message("ms a document"),
)

SHORT = ("mean", "p50", "p95", "p99")
"""What a row has room for."""

TURNS = message("They took turns at each query. So answers a second were not measured.")


def document(bench: Bench, digits: int | None = None) -> Document:
    """All there is to show of one benchmark."""
    intervals = _intervals(bench)
    timed = latency_table(bench, intervals, drawn_digits(digits, DIGITS))
    tables = [timed if bench.answered else outcome_table(bench)]
    if bench.scores:
        tables.append(score_table(bench, intervals, drawn_digits(digits)))
    if bench.indexing:
        tables.append(index_table([bench.indexing], digits=drawn_digits(digits, DIGITS)))
    plain = {**bench.to_dict(), "intervals": {name: _limits(each) for name, each in intervals.items()}}
    return Document(tables, flat_table([bench], digits), plain, bench_notes.warnings(bench))


def document_of(benchmark: Bench | BenchComparison, digits: int | None = None) -> Document:
    """What a benchmark, or two beside each other, show of themselves."""
    if isinstance(benchmark, Bench):
        return _drawn(document(benchmark, digits), [benchmark], [printable(benchmark.name)])
    return _drawn(comparison_document(benchmark, digits), [benchmark.a, benchmark.b], _names(benchmark))


def _drawn(laid: Document, benches: Sequence[Bench], names: Sequence[str]) -> Document:
    """The document with the picture of the latencies, if every benchmark has some."""
    if not all(one.answered for one in benches):
        return laid
    return replace(laid, blocks=[*laid.blocks, latency_figure(benches, names)])


def remarks_of(benchmark: Bench | BenchComparison) -> list[str]:
    """What speaks against the figures, and what the means of the scores hide."""
    if isinstance(benchmark, Bench):
        return [*bench_notes.warnings(benchmark), *(ledger.remarks(benchmark.scores) if benchmark.scores else [])]
    both = benchmark.a, benchmark.b
    return [*benchmark.remarks, *bench_notes.named_warnings(both, [printable(one.name) for one in both])]


def latency_figure(benches: Sequence[Bench], names: Sequence[str]) -> Figure:
    """How the latencies of benchmarks are spread."""
    alt = message("The share of calls answered within a given time in milliseconds. Further left is faster.")
    return Figure("latency", message("Latency"), alt, latency_chart(benches, names))


def latency_chart(benches: Sequence[Bench], names: Sequence[str]) -> charts.Spec:
    """One line per benchmark: the share of its calls that were answered within this many milliseconds."""
    share = message("share of calls")
    rows = [
        {"who": name, "ms": took, "share": part}
        for name, one in zip(names, benches, strict=True)
        for took, part in charts.distribution(times(one.measured, math.inf)[1])
    ]
    x = charts.axis("ms", message("milliseconds"), scale={"type": "log", "nice": False}, axis=charts.FEW_TICKS)
    hints: charts.Hints = {"who": message("retriever"), "ms": ("ms", ".3f"), "share": (share, ".4f")}
    return charts.lines(rows, x, charts.shares("share", share), names, hints, interpolate="step-after")


def latency_table(bench: Bench, intervals: dict[str, Interval | None], digits: int) -> Table:
    """One row per figure: milliseconds, where they may lie, and in an open loop the time of the call alone."""
    rows: list[tuple[Cell, ...]] = []
    for name in FIGURES:
        limits = _limit_cells(intervals.get(name))
        alone = (finite(bench.service[name]),) if bench.load.is_open else ()
        rows.append((marked(name, [bench]), finite(bench.latency[name]), *limits, *alone))
    columns = (
        message("latency"),
        "ms",
        message("95 % from"),
        message("to"),
        *((message("call alone"),) if bench.load.is_open else ()),
    )
    return Table(columns, tuple(rows), notes=tuple(bench_notes.notes(bench)), digits=digits)


def outcome_table(bench: Bench) -> Table:
    """One row per outcome of the calls, where there was no answer to time."""
    rows = tuple((name, bench.outcomes[name]) for name in OUTCOMES if bench.outcomes[name])
    return Table(
        (message("outcome"), message("calls")),
        rows or ((message("asked"), 0),),
        notes=tuple(bench_notes.notes(bench)),
    )


def score_table(bench: Bench, intervals: dict[str, Interval | None], digits: int) -> Table:
    """One row per measure: its mean and where that may lie."""
    assert bench.scores is not None
    rows: list[tuple[Cell, ...]] = []
    for name, mean in bench.scores.mean.items():
        rows.append((name, mean, *_limit_cells(intervals.get(name))))
    notes = ledger.notes([bench.scores], [printable(bench.name)])
    notes += few.doubts((name, intervals.get(name)) for name in bench.scores.mean)
    return Table(
        (message("measure"), message("mean"), message("95 % from"), message("to")),
        tuple(rows),
        notes=tuple(notes),
        digits=digits,
    )


def index_table(
    indexings: Sequence[Indexing], names: Sequence[str] = (), digits: int = DIGITS, title: str = ""
) -> Table:
    """One row per indexing: how many documents, how long all of them and one of them took."""
    rows = [
        (name, one.documents, one.seconds, _rate(one.per_second), one.per_document)
        for name, one in zip(names or [printable(one.name) for one in indexings], indexings, strict=True)
    ]
    return Table((message("indexing"), *INDEXED), tuple(rows), title=title, digits=digits)


def flat_table(benches: Sequence[Bench], digits: int | None = None) -> Table:
    """For programs: one row per benchmark."""
    load = ("k", "concurrency", "rate", "duration", "repeats", "seed")
    measures = measured_by(benches)
    outcomes = benches[0].outcomes
    settings = [name for name in dict.fromkeys(key for one in benches for key in one.settings) if name not in load]
    built = ("documents", "index_seconds") if any(one.indexing for one in benches) else ()
    columns = ("name", *settings, *load, *FIGURES, "throughput", *outcomes, *built, *measures)
    rows = []
    for one in benches:
        means = one.scores.mean if one.scores else {}
        rate = one.throughput if len(one.measured) else None
        figures = (*(finite(one.latency[name]) for name in FIGURES), rate, *one.outcomes.values())
        asked = (one.settings.get(name, getattr(one.load, name)) for name in load)
        swept = (_cell(one.settings.get(name)) for name in settings)
        index = (one.indexing.documents, one.indexing.seconds) if one.indexing else (None, None)
        values = (means.get(name) for name in measures)
        rows.append((printable(one.name), *swept, *asked, *figures, *index[: len(built)], *values))
    return Table(columns, tuple(rows), digits=digits)


def measured_by(benches: Sequence[Bench]) -> list[str]:
    """The measures of which any of the benchmarks has a mean."""
    return list(dict.fromkeys(name for one in benches if one.scores for name in one.scores.mean))


def marked(name: str, benches: Sequence[Bench], unit: str = "") -> str:
    """A latency's name, marked where it is a percentile with too few queries in any benchmark."""
    is_unsure = any(name in bench_notes.unresolved(one) for one in benches)
    heading = joined("", [_figure(name), unit])
    return message("{heading} (unresolved)", heading=heading) if is_unsure else heading


def _figure(name: str) -> str:
    """The name of a latency; percentiles have the same name in every language."""
    return {"mean": message("mean"), "min": message("min"), "max": message("max")}.get(name, name)


def per_second(bench: Bench) -> float | int | None:
    """Answers per second, large numbers without fractions; None where nothing was called."""
    return _rate(bench.throughput) if len(bench.measured) else None


def _rate(rate: float | None) -> float | int | None:
    return rate if rate is None or rate < 100 else round(rate)


def _intervals(bench: Bench) -> dict[str, Interval | None]:
    """The intervals by latency; none where SciPy is not installed."""
    try:
        return bench.intervals
    except MissingPackage:
        return {}


def _limits(interval: Interval | None) -> tuple[float, float] | None:
    return None if interval is None else (interval.low, interval.high)


def _limit_cells(interval: Interval | None) -> tuple[Cell, Cell]:
    """The limits as cells: empty without an interval, and a word where the interval is unbounded."""
    if interval and interval.method == "none":
        return message("unknown"), None
    return _limits(interval) or (None, None)


def standing(bench: Bench, measure: str, against: str = "p50") -> dict[str, float | str]:
    """The row of a benchmark in a plot of quality (upwards) against speed (to the right).

    The intervals are there as text too, "across" and "up".
    """
    fast, good = speed(bench, against), quality(bench, measure)
    times, means = _interval(bench, against), _interval(bench, measure)
    left, right = charts.ends(times, fast)
    low, high = charts.ends(means, good)
    across, up = limits(times, DIGITS), limits(means, 4)
    return {
        "speed": fast,
        "left": left,
        "right": right,
        "across": across,
        "quality": good,
        "low": low,
        "high": high,
        "up": up,
    }


def _interval(bench: Bench, name: str) -> Interval | None:
    """The interval of a latency, a mean or the throughput; None where SciPy is not installed."""
    if name != THROUGHPUT:
        return _intervals(bench).get(name)
    try:
        return bench.throughput_interval
    except MissingPackage:
        return None


def sweep_document(benches: Sequence[Bench], against: str = "p50", digits: int | None = None) -> Document:
    """One row per setting; settings that no other one beats are marked."""
    plain = [one.to_dict() for one in benches]
    tables = [sweep_table(benches, against, digits)]
    if first := benches[0].indexing:
        tables.append(index_table([first], digits=drawn_digits(digits, DIGITS)))
    return Document(tables, flat_table(benches, digits), plain, bench_notes.shared(benches))


def sweep_table(benches: Sequence[Bench], against: str = "p50", digits: int | None = None) -> Table:
    """What quality costs in time; `against` and the first measure decide which setting beats which."""
    measures = next((list(one.scores.mean) for one in benches if one.scores), [])
    settings = list(dict.fromkeys(name for one in benches for name in one.settings)) or ["name"]
    best = front(benches, measures[0], against) if measures else frozenset()
    rows: list[tuple[Cell, ...]] = []
    for i, one in enumerate(benches):
        mark = ("*" if i in best else "",) if measures else ()
        means = one.scores.mean if one.scores else {}
        values = (means.get(name) for name in measures)
        rows.append((*(_setting(one, name) for name in settings), *timings(one), *values, *mark))
    columns = (
        *settings,
        *(marked(name, benches, " ms") for name in SHORT),
        message("a second"),
        message("failed"),
        *measures,
    )
    notes: list[str] = [_asked(benches)]
    notes += [*bench_notes.shared(benches), *bench_notes.made(benches), *bench_notes.needed(benches)]
    notes += judged(benches, [printable(bench_notes.setting(one) or one.name) for one in benches])
    if measures:
        columns = (*columns, message("best"))
        said = message(
            "*: by {measure} and {latency}, no other setting is as good and faster, or as fast and better.",
            measure=measures[0],
            latency=message("answers a second") if against == THROUGHPUT else against,
        )
        notes.insert(0, joined(" ", [said, *endless(benches, against)]))
    return Table(columns, tuple(rows), notes=tuple(notes), digits=drawn_digits(digits, DIGITS))


def endless(benches: Sequence[Bench], against: str = "p50") -> list[Message]:
    """A sentence on how calls without an answer count, where a latency decides which setting beats which."""
    is_asked = against != THROUGHPUT and any(one.failed for one in benches)
    return [message("For this, calls without an answer are endless.")] if is_asked else []


def judged(benches: Sequence[Bench], names: Sequence[str]) -> list[str]:
    """The rules of the scores, if there are any, and what each mean is over."""
    scored = [(one.scores, name) for one, name in zip(benches, names, strict=True) if one.scores]
    return ledger.notes(*map(list, zip(*scored, strict=True))) if scored else []


def _asked(benches: Sequence[Bench]) -> Message:
    """How many queries each row rests on, except rows of benchmarks that ended early."""
    first = benches[0]
    counts = [len(one.asked) for one in [each for each in benches if not each.stopped] or benches]
    most = ledger.queries(max(counts))
    if min(counts) == max(counts):
        return message("{name}: {queries} a row.", name=printable(first.name), queries=most)
    return message(
        "{name}: from {fewest:,} to {queries} a row.", name=printable(first.name), fewest=min(counts), queries=most
    )


def _setting(bench: Bench, name: str) -> Cell:
    """The settings; for benchmarks that are not of a sweep but stand in one file, their names."""
    return _cell(bench.settings.get(name)) if bench.settings else printable(bench.name)


def _cell(value: object) -> Cell:
    return value if value is None or isinstance(value, int | float) else printable(str(value))


def timings(bench: Bench, latencies: Sequence[str] = SHORT) -> tuple[Cell, ...]:
    """Some latencies, answers per second, and failed calls; empty cells for what is not known."""
    failed = bench.failed if len(bench.measured) else None
    return (*(finite(bench.latency[name]) for name in latencies), per_second(bench), failed)


def comparison_document(comparison: BenchComparison, digits: int | None = None) -> Document:
    """Two benchmarks side by side: their times, and the differences of their scores."""
    tables = [times_table(comparison, drawn_digits(digits, DIGITS))]
    quality = differences_table(comparison, drawn_digits(digits))
    if quality.rows:
        tables.append(quality)
    return Document(
        tables, flat_table([comparison.a, comparison.b], digits), comparison.to_dict(), comparison.remarks
    )


def times_table(comparison: BenchComparison, digits: int) -> Table:
    """One row per figure of both; the paired ratio is in the notes, since percentiles cannot be paired."""
    (a, b), both = _names(comparison), (comparison.a, comparison.b)
    rows: list[tuple[Cell, ...]] = [
        (
            marked(name, both),
            finite(comparison.a.latency[name]),
            finite(comparison.b.latency[name]),
            _ratio(comparison, name),
        )
        for name in FIGURES
    ]
    if not comparison.alternated:
        rows.append((message("answers a second"), *map(per_second, both), None))
    rows.append((message("failed calls"), *(one.failed for one in both), None))
    if any(one.indexing for one in both):
        rows.append(
            (message("indexing, s"), *(one.indexing.seconds if one.indexing else None for one in both), None)
        )
    notes = [*_verdict(comparison, a, b), *([TURNS] if comparison.alternated else comparison.remarks)]
    notes += [*bench_notes.named_warnings(both, (a, b)), *bench_notes.made(both), *bench_notes.needed(both)]
    columns = (message("latency, ms"), a, b, message("ratio"))
    return Table(columns, tuple(rows), notes=tuple(notes), digits=digits)


def differences_table(comparison: BenchComparison, digits: int) -> Table:
    """One row per measure: both means, the difference, where it may lie and whether it may be chance."""
    a, b = _names(comparison)
    rows: list[tuple[Cell, ...]] = []
    for name, between in comparison.differences.items():
        a_mean, b_mean = (one.scores.mean[name] for one in (comparison.a, comparison.b) if one.scores)
        p = p_cell(comparison.difference_tests[name].p, 0.05)
        rows.append((name, a_mean, b_mean, between.estimate, *_limit_cells(between), p))
    columns = (message("measure"), a, b, message("difference"), message("95 % from"), message("to"), "p")
    notes: list[str] = [message("p: a randomization test over the queries, each measure by itself.")]
    if comparison.unscored:
        notes.append(
            plural(
                "{n:,} query that only one of them has a score of is not in the differences.",
                "{n:,} queries that only one of them has scores of are not in the differences.",
                n=comparison.unscored,
            )
        )
    notes += judged((comparison.a, comparison.b), (a, b))
    notes += few.doubts((name, between) for name, between in comparison.differences.items() if between.estimate)
    return Table(columns, tuple(rows), notes=tuple(notes), digits=digits)


def _verdict(comparison: BenchComparison, a: str, b: str) -> Iterator[str]:
    """The paired ratio in a sentence, and how many queries are not in it."""
    ratio = comparison.ratio
    if ratio is None or comparison.ratio_test is None:
        yield message("No query was answered by both: there is no ratio.")
        return
    limits = message("{low} to {high}", low=f"{ratio.low:.3f}", high=f"{ratio.high:.3f}")
    yield message(
        "{b} takes {times:.3f} times as long as {a} (95 % interval {limits}, p = {p:.2g}; {queries}, paired).",
        a=a,
        b=b,
        times=ratio.estimate,
        limits=message("unknown") if ratio.method == "none" else limits,
        p=comparison.ratio_test.p,
        queries=ledger.queries(comparison.shared),
    )
    if comparison.unpaired:
        yield plural(
            "{n:,} query that only one of them answered is not in that ratio.",
            "{n:,} queries that only one of them answered are not in that ratio.",
            n=comparison.unpaired,
        )


def _ratio(comparison: BenchComparison, name: str) -> float | None:
    below = comparison.a.latency[name]
    ratio: float | None = finite(comparison.b.latency[name] / below) if below else None
    return ratio


def _names(comparison: BenchComparison) -> tuple[str, str]:
    names = printable(comparison.a.name), printable(comparison.b.name)
    return names if names[0] != names[1] else (f"{names[0]} (A)", f"{names[1]} (B)")
