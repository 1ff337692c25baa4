"""What a reader of a benchmark should know, as plain sentences: how it was made, and what speaks against it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from truerank.core.errors import printable
from truerank.core.messages import Message, joined, listed, message, plural, warned
from truerank.live.latency import MILLION, NEEDED, PERCENTILES
from truerank.live.quality import MEND
from truerank.live.result import Bench
from truerank.present import ledger
from truerank.stats.quantiles import LINEAR

SERIAL = 1.5
"""Calls served at a time below which several workers are no faster than one."""

FEW_FAULTS = 3
"""Kinds of errors that are told."""


def loop(bench: Bench) -> Message:
    """In a few words how the retriever was asked."""
    load = bench.load
    if load.plain:
        return message("plain loop, k {k}", k=load.k)
    workers = plural("{n:,} worker", "{n:,} workers", n=load.concurrency)
    if not load.is_open:
        return message("closed loop, {workers}, k {k}", workers=workers, k=load.k)
    return message(
        "open loop, {rate:g} starts a second ({arrivals}), {workers}, k {k}",
        rate=load.rate,
        arrivals=load.arrivals,
        workers=workers,
        k=load.k,
    )


def asked(bench: Bench) -> Message:
    """How often queries were asked, and for how long."""
    calls, queries = len(bench.measured), len(np.unique(bench.measured.query))
    parts = [plural("{n:,} call", "{n:,} calls", n=calls)]
    if calls != queries:
        parts.append(ledger.queries(queries))
    much = joined(", ", parts)
    if bench.throughput is None:
        return message(
            "{calls}. It took turns with {other}, so answers a second were not measured.",
            calls=much,
            other=printable(bench.beside),
        )
    return message(
        "{calls} in {seconds:.2f} s: {rate:,.1f} answers a second.",
        calls=much,
        seconds=bench.window,
        rate=bench.throughput,
    )


def how(bench: Bench) -> Message:
    """How the retriever was asked, how often and for how long."""
    return joined("; ", [loop(bench), asked(bench)])


def setting(bench: Bench) -> str:
    """The settings that a sweep changes."""
    return ", ".join(f"{key} {value}" for key, value in bench.settings.items())


def unresolved(bench: Bench) -> list[str]:
    """The percentiles for which there are too few queries; none where nothing was answered."""
    return [name for name in PERCENTILES if 0 < bench.answered < NEEDED[name]]


def needed(benches: Sequence[Bench]) -> Iterable[str]:
    """How many queries the percentiles with too few of them would need."""
    unsure = [name for name in PERCENTILES if any(name in unresolved(one) for one in benches)]
    if unsure:
        fewest = min(one.answered for one in benches if one.answered)
        yield plural(
            "Unresolved with {n:,} query; needed: {needs}.",
            "Unresolved with {n:,} queries; needed: {needs}.",
            n=fewest,
            needs=", ".join(f"{name} {NEEDED[name]:,}" for name in unsure),
        )


def made(benches: Sequence[Bench]) -> Iterable[str]:
    """How percentiles are made that are not measured values, and what a closed loop leaves out."""
    if any(one.percentiles == LINEAR for one in benches):
        yield message("Percentiles are linear: between two measured values, as NumPy has them.")
    if plain := next((one for one in benches if one.load.plain and one.load.warmup), None):
        first = plain.load.warmup
        if plain.scores:
            yield plural(
                "The first {n:,} query warmed up: in no latency, but in the scores.",
                "The first {n:,} queries warmed up: in no latency, but in the scores.",
                n=first,
            )
        else:
            yield plural(
                "The first {n:,} query warmed up: in no latency.",
                "The first {n:,} queries warmed up: in no latency.",
                n=first,
            )


def notes(bench: Bench) -> list[str]:
    """All remarks, those that speak against the figures first."""
    head = joined(": ", [printable(bench.name), how(bench)])
    sentences = [head, *warnings(bench), *_several(bench), *_before(bench), *made([bench]), *_intervals(bench)]
    return [*sentences, *_machinery(bench), _machine(bench)]


def warnings(bench: Bench) -> list[str]:
    """What speaks against the figures; empty when all is well."""
    parts = (_stopped, _failures, _skipping, _unasked, _waiting, _concurrency, _answers, _shallow)
    return [sentence for part in parts for sentence in part(bench)]


def named_warnings(benches: Iterable[Bench], names: Iterable[str]) -> list[str]:
    """The warnings of several benchmarks, each once with the names of those that it concerns."""
    sentences: dict[str, list[str]] = {}
    for name, one in zip(names, benches, strict=True):
        for warning in warnings(one):
            sentences.setdefault(warning, []).append(name)
    return [joined(": ", ["; ".join(who), warning]) for warning, who in sentences.items()]


def shared(benches: Sequence[Bench]) -> list[str]:
    """The warnings of several benchmarks, named by their settings, or else by their names."""
    return named_warnings(benches, [printable(setting(one) or one.name) for one in benches])


def _stopped(bench: Bench) -> Iterator[Message]:
    if not bench.stopped:
        return
    sentences = [message("ended early ({why}); this is what was measured until then.", why=bench.stopped)]
    if missing := len(bench.queries) - len(bench.asked):
        sentences.append(message("{n:,} of {all:,} queries were never asked.", n=missing, all=len(bench.queries)))
    yield warned(joined(" ", sentences))


def _failures(bench: Bench) -> Iterator[Message]:
    """Errors, time-outs and calls that never started; what the errors were, and what their queries score."""
    counts = bench.outcomes
    scored = bench.scores.queries if bench.scores else ()
    lost = [query for query in scored if query not in bench.answers.by_query]
    is_each = bool(lost) and len(lost) == bench.failed
    if sentences := list(_outcomes(counts)):
        much = plural(
            "of {n:,} call {outcomes}.",
            "of {n:,} calls {outcomes}.",
            n=len(bench.measured),
            outcomes=joined(", ", sentences),
        )
        kept = message("They are not in the latencies, and score 0.")
        yield warned(joined(" ", [much, kept if is_each else message("They are not in the latencies.")]))
    faults = list(bench.faults.items())
    yield from (joined("", [f"  {count:,} × ", fault]) for fault, count in faults[:FEW_FAULTS])
    if len(faults) > FEW_FAULTS:
        yield joined("", ["  ", message("and {n:,} other kinds of errors", n=len(faults) - FEW_FAULTS)])
    if lost and not is_each:
        yield warned(
            plural(
                "{n:,} query has no answer of any call, and scores 0.",
                "{n:,} queries have no answer of any call, and score 0.",
                n=len(lost),
            )
        )
    if counts["empty"]:
        yield plural(
            "{n:,} answer was empty; it is in the latencies.",
            "{n:,} answers were empty; they are in the latencies.",
            n=counts["empty"],
        )
    if bench.scores:
        yield from ledger.of_missing(bench.scores, lost)


def _outcomes(counts: Mapping[str, int]) -> Iterator[Message]:
    if counts["error"]:
        yield message("{n:,} failed", n=counts["error"])
    if counts["timeout"]:
        yield message("{n:,} timed out", n=counts["timeout"])
    if counts["dropped"]:
        yield message("{n:,} never started (too late)", n=counts["dropped"])


def _skipping(bench: Bench) -> Iterator[Message]:
    """Where the saved run would score differently: a TREC run has no line for a query without documents."""
    if not bench.scores or bench.scores.rules.missing != "skip":
        return
    kept = bench.answers.by_query
    if bare := sum(1 for query in bench.scores.queries if query not in kept or not kept[query].docs):
        yield plural(
            "{n:,} query without documents counts here; "
            "`truerank eval` of the saved run leaves them out under {rules}.",
            "{n:,} queries without documents count here; "
            "`truerank eval` of the saved run leaves them out under {rules}.",
            n=bare,
            rules=printable(bench.scores.rules.name),
        )


def _unasked(bench: Bench) -> Iterator[Message]:
    """Judged queries that are not in these means, but may be in those of the saved run."""
    if not bench.unasked or not bench.scores:
        return
    sentences = plural(
        "{n:,} judged query was not asked, and is in no mean",
        "{n:,} judged queries were not asked, and are in no mean",
        n=bench.unasked,
    )
    again = {
        "zero": message("`truerank eval` of the saved run scores such queries 0"),
        "error": message("`truerank eval` of the saved run refuses a run without them"),
    }
    what = again.get(bench.scores.rules.missing)
    yield joined("", [joined("; ", [sentences, what] if what else [sentences]), "."])


def _waiting(bench: Bench) -> Iterator[Message]:
    """Starts that found all workers busy."""
    late = bench.outcomes["late"]
    if not late:
        return
    share, workers = late / len(bench.measured.started), bench.load.concurrency
    sentences = (
        message("{late:,} starts ({share:.0%}) were late, the one worker being busy.", late=late, share=share)
        if workers == 1
        else message(
            "{late:,} starts ({share:.0%}) were late, all {workers} workers being busy.",
            late=late,
            share=share,
            workers=workers,
        )
    )
    counted = message("Latency counts from the intended start.")
    alike = message("Calls that waited together are alike, and the intervals of latencies are too narrow.")
    yield warned(joined(" ", [sentences, counted, alike]))


def _concurrency(bench: Bench) -> Iterator[Message]:
    """Whether concurrent calls are really served concurrently."""
    wanted, served, under_way = bench.load.concurrency, bench.at_a_time, bench.under_way
    if wanted == 1 or bench.load.is_open or under_way is None:
        return
    if under_way < wanted / 2:
        yield warned(
            message(
                "{wanted} workers, but only {n:.1f} calls were under way at a time.", wanted=wanted, n=under_way
            )
        )
    elif served is not None and served < wanted / 2 and bench.is_crowded:
        yield warned(_crowded(wanted, served))


def _crowded(wanted: int, served: float) -> Message:
    if served < SERIAL:
        return message(
            "{wanted} calls were under way, but {n:.1f} served at a time: the retriever is serial, "
            "the others wait.",
            wanted=wanted,
            n=served,
        )
    return message(
        "{wanted} calls were under way, but {n:.1f} served at a time: the retriever serves fewer, the others wait.",
        wanted=wanted,
        n=served,
    )


def _answers(bench: Bench) -> Iterator[Message]:
    """What is odd about the answers."""
    odd, k = bench.answers, bench.load.k
    if odd.repeated:
        yield from _repeated(bench)
    if odd.overlong:
        yield plural(
            "{n:,} answer had more than {k} documents; the first {k} count.",
            "{n:,} answers had more than {k} documents; the first {k} count.",
            n=odd.overlong,
            k=k,
        )
    if odd.unordered:
        yield plural(
            "{n:,} answer has scores that do not fall; the order counts.",
            "{n:,} answers have scores that do not fall; the order counts.",
            n=odd.unordered,
        )
    if odd.changing:
        yield plural(
            "{n:,} query was not answered the same each time; the first answer counts.",
            "{n:,} queries were not answered the same each time; the first answer counts.",
            n=odd.changing,
        )


def _shallow(bench: Bench) -> Iterator[Message]:
    """Measures that look deeper than k documents, where some answer may have been longer."""
    k, answers = bench.load.k, bench.answers.by_query.values()
    if not bench.scores or not any(one.ends is None and len(one.docs) >= k for one in answers):
        return
    if deeper := [name for name, measure in bench.scores.headings.items() if (measure.cutoff or 0) > k]:
        yield warned(
            message(
                "{measures}: of the first {k:,} documents of each answer, as k is {k:,}.",
                measures=listed(deeper),
                k=k,
            )
        )


def _repeated(bench: Bench) -> Iterator[Message]:
    sentences = plural(
        "{n:,} answer names a document more than once",
        "{n:,} answers name a document more than once",
        n=bench.answers.repeated,
    )
    is_mended = bench.scores and MEND in bench.scores.rules.name
    mend = [message("`truerank eval` of the saved run needs `--set {mend}`", mend=MEND)] if is_mended else []
    yield joined("", [joined("; ", [sentences, *mend]), "."])


def _several(bench: Bench) -> Iterator[Message]:
    """What several lists per query mean for the figures."""
    if bench.calls is not None:
        yield message("{n:.2f} lists per query, one per call; a latency is that of all calls.", n=bench.calls)


def _before(bench: Bench) -> Iterable[str]:
    """The cold call, the warm-up, and what a cache could know."""
    again, calls = bench.asked_before, len(bench.measured)
    if bench.cold is not None:
        warm = len(bench.samples) - calls
        yield message(
            "First call {cold:.3f} ms (cold); it and {n:,} more for warming up are not counted.",
            cold=bench.cold,
            n=warm - 1,
        )
    if again:
        yield message(
            "{n:,} of {calls:,} calls asked what had been asked before: a cache could answer them.",
            n=again,
            calls=calls,
        )
    if bench.load.concurrency > 1 and bench.under_way is not None:
        if bench.at_a_time is None:
            yield message("At a time: {n:.1f} calls under way (Little's law).", n=bench.under_way)
        else:
            yield message(
                "At a time: {n:.1f} calls under way (Little's law), {served:.1f} served.",
                n=bench.under_way,
                served=bench.at_a_time,
            )


def _intervals(bench: Bench) -> Iterable[str]:
    """What the intervals are, and for which figures there are too few queries."""
    queries, calls = bench.answered, len(bench.measured.answered)
    if not calls:
        return
    if calls > queries:
        yield plural(
            "Calls of one query may be alike, which the intervals allow for: {calls:,} calls, {n:,} query.",
            "Calls of one query may be alike, which the intervals allow for: {calls:,} calls, {n:,} queries.",
            n=queries,
            calls=calls,
        )
    yield from needed([bench])


def _machinery(bench: Bench) -> Iterable[str]:
    """What Python and the measuring itself took."""
    lengths = [pause.end - pause.begin for pause in bench.pauses]
    struck = int((bench.measured.paused > 0).sum())
    if struck:
        yield message(
            "Garbage collector: {pauses}, {total:.3f} ms together, the longest {longest:.3f} ms; {calls}.",
            pauses=plural("{n:,} pause", "{n:,} pauses", n=len(lengths)),
            total=sum(lengths) / MILLION,
            longest=max(lengths) / MILLION,
            calls=plural("{n:,} call met one", "{n:,} calls met one", n=struck),
        )
    if bench.harness.call:
        took = message(
            "The measuring takes {call:.2f} µs between two calls, and {clock:.2f} µs of each call's time.",
            call=bench.harness.call / 1000,
            clock=bench.harness.clock / 1000,
        )
        lag = message("Starts were {ms:.3f} ms late at p99.", ms=bench.lag["p99"]) if bench.load.is_open else None
        yield joined(" ", [took, lag] if lag else [took])


def _machine(bench: Bench) -> str:
    sentences = bench.machine
    count = sentences["processors"]
    many = message("{n} processors", n=count)  # a saved benchmark may say anything
    return message(
        "{python}, {system}, {processors} ({processor}); {begun}.",
        python=sentences["python"],
        system=sentences["system"],
        processors=plural("{n:,} processor", "{n:,} processors", n=int(count)) if count.isdecimal() else many,
        processor=sentences["processor"],
        begun=bench.begun,
    )
