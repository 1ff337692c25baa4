"""What a reader of a benchmark should know, as plain sentences: how it was made, and what speaks against it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from truerank.core.errors import counted, shown
from truerank.live.latency import MILLION, NEEDED, PERCENTILES
from truerank.live.quality import MEND
from truerank.live.result import Bench
from truerank.stats.quantiles import LINEAR

SERIAL = 1.5
"""Calls served at a time below which several workers are no faster than one."""

FEW_FAULTS = 3
"""Kinds of errors that are told."""


def loop(found: Bench) -> str:
    """In a few words how the retriever was asked."""
    load = found.load
    workers = counted(load.concurrency, "worker")
    if load.plain:
        return f"plain loop, k {load.k}"
    if load.is_open:
        return f"open loop, {load.rate:g} starts a second ({load.arrivals}), {workers}, k {load.k}"
    return f"closed loop, {workers}, k {load.k}"


def asked(found: Bench) -> str:
    """How often and how long."""
    calls, queries = len(found.measured), len(np.unique(found.measured.query))
    again = "" if calls == queries else f", {counted(queries, 'query', 'queries')}"
    if found.throughput is None:
        turns = f"It took turns with {shown(found.beside)}, so answers a second were not measured."
        return f"{counted(calls, 'call')}{again}. {turns}"
    return f"{counted(calls, 'call')}{again} in {found.window:.2f} s: {found.throughput:,.1f} answers a second."


def unresolved(found: Bench) -> list[str]:
    """The percentiles that too few queries stand behind; none where nothing was answered."""
    return [name for name in PERCENTILES if 0 < found.answered < NEEDED[name]]


def needed(found: Sequence[Bench]) -> Iterable[str]:
    """How many queries the unresolved percentiles would need."""
    unsure = [name for name in PERCENTILES if any(name in unresolved(one) for one in found)]
    if unsure:
        fewest = min(one.answered for one in found if one.answered)
        needs = ", ".join(f"{name} {NEEDED[name]:,}" for name in unsure)
        yield f"Unresolved with {counted(fewest, 'query', 'queries')}; needed: {needs}."


def made(found: Sequence[Bench]) -> Iterable[str]:
    """How percentiles are made that are not values that were measured, and what a plain loop leaves out."""
    if any(one.percentiles == LINEAR for one in found):
        yield "Percentiles are linear: between two measured values, as NumPy has them."
    if plain := next((one for one in found if one.load.plain and one.load.warmup), None):
        were = counted(plain.load.warmup, "query", "queries")
        yield f"The first {were} warmed up: in no latency{', but in the scores' if plain.scores else ''}."


def notes(found: Bench) -> list[str]:
    """All that there is to say, what speaks against the figures first."""
    head = f"{shown(found.name)}: {loop(found)}; {asked(found)}"
    told = [head, *warnings(found), *_before(found), *made([found]), *_intervals(found)]
    return [*told, *_machinery(found), _machine(found)]


def warnings(found: Bench) -> list[str]:
    """What speaks against the figures; none when all is as it should be."""
    sentences = [_stopped(found), *_failures(found), _unasked(found), _waiting(found), _concurrency(found)]
    return [sentence for sentence in (*sentences, *_answers(found)) if sentence]


def shared(found: Sequence[Bench]) -> list[str]:
    """The warnings of several benchmarks, each with the settings that it concerns."""
    told: dict[str, list[str]] = {}
    for one in found:
        for warning in warnings(one):
            setting = ", ".join(f"{key} {value}" for key, value in one.settings.items())
            told.setdefault(warning, []).append(setting)
    return [f"{'; '.join(who)}: {warning}" for warning, who in told.items()]


def _stopped(found: Bench) -> str:
    if not found.stopped:
        return ""
    missing = len(found.queries) - len(found.asked)
    never = f" {missing:,} of {len(found.queries):,} queries were never asked." if missing else ""
    return f"Warning: ended early ({found.stopped}); this is what was measured until then.{never}"


def _failures(found: Bench) -> Iterable[str]:
    """Errors, time-outs and starts that never came; and what the errors were."""
    counts = found.outcomes
    names = {"error": "failed", "timeout": "timed out", "dropped": "never started (too late)"}
    told = [f"{counts[key]:,} {name}" for key, name in names.items() if counts[key]]
    if told:
        calls, score = counted(len(found.measured), "call"), ", and score 0" if found.scores else ""
        yield f"Warning: of {calls} {', '.join(told)}. They are not in the latencies{score}."
    faults = list(found.faults.items())
    yield from (f"  {count:,} × {fault}" for fault, count in faults[:FEW_FAULTS])
    if len(faults) > FEW_FAULTS:
        yield f"  and {len(faults) - FEW_FAULTS:,} other kinds of errors"
    if counts["empty"]:
        were = counted(counts["empty"], "answer was empty; it is", "answers were empty; they are")
        yield f"{were} in the latencies."
    yield _skipping(found)


def _skipping(found: Bench) -> str:
    """Where the saved run would score otherwise: a TREC run has no line for a query without documents."""
    if not found.scores or found.scores.rules.missing != "skip":
        return ""
    kept = found.answers.by_query
    bare = sum(1 for query in found.asked if query not in kept or not kept[query].docs)
    if not bare:
        return ""
    told = counted(bare, "query without documents counts", "queries without documents count")
    return f"{told} here; `truerank eval` of the saved run leaves them out under {shown(found.scores.rules.name)}."


def _unasked(found: Bench) -> str:
    """Judged queries that the means are not over, though those of the saved run may be."""
    if not found.unasked or not found.scores:
        return ""
    told = counted(found.unasked, "judged query was not asked, and is", "judged queries were not asked, and are")
    again = {"zero": "scores such queries 0", "error": "refuses a run without them"}
    what = again.get(found.scores.rules.missing)
    return f"{told} in no mean{f'; `truerank eval` of the saved run {what}' if what else ''}."


def _waiting(found: Bench) -> str:
    """Starts that found all workers busy."""
    late = found.outcomes["late"]
    if not late:
        return ""
    share = late / len(found.measured.started)
    workers = "the one worker" if found.load.concurrency == 1 else f"all {found.load.concurrency} workers"
    told = f"Warning: {late:,} starts ({share:.0%}) were late, {workers} being busy."
    return f"{told} Latency counts from the intended start."


def _concurrency(found: Bench) -> str:
    """Whether several at a time are served as such."""
    wanted, served = found.load.concurrency, found.at_a_time
    if wanted == 1 or found.load.is_open:
        return ""
    if found.under_way is None:
        return ""
    if found.under_way < wanted / 2:
        return f"Warning: {wanted} workers, but only {found.under_way:.1f} calls were under way at a time."
    if served is None or served >= wanted / 2:
        return ""
    how = "the retriever is serial" if served < SERIAL else "the retriever serves fewer"
    return f"Warning: {wanted} calls were under way, but {served:.1f} served at a time: {how}, the others wait."


def _answers(found: Bench) -> Iterable[str]:
    """What is odd about the answers."""
    odd, k = found.answers, found.load.k
    is_mended = found.scores and found.scores.rules.name.endswith(MEND)
    mend = f"; `truerank eval` of the saved run needs `--set {MEND}`" if is_mended else ""
    told = [
        (odd.repeated, "answer names", "answers name", f"a document more than once{mend}"),
        (odd.overlong, "answer", "answers", f"had more than {k} documents; the first {k} count"),
        (odd.unordered, "answer has", "answers have", "scores that do not fall; the order counts"),
        (odd.changing, "query was", "queries were", "not answered the same each time; the first answer counts"),
    ]
    return [f"{counted(count, one, many)} {text}." for count, one, many, text in told if count]


def _before(found: Bench) -> Iterable[str]:
    """The cold call, the warm-up, and what a cache could know."""
    again, calls = found.asked_before, len(found.measured)
    if found.cold is not None:
        warm = len(found.samples) - calls
        yield f"First call {found.cold:.3f} ms (cold); it and {warm - 1:,} more for warming up are not counted."
    if again:
        yield f"{again:,} of {calls:,} calls asked what had been asked before: a cache could answer them."
    if found.load.concurrency > 1 and found.under_way is not None:
        served = "" if found.at_a_time is None else f", {found.at_a_time:.1f} served"
        yield f"At a time: {found.under_way:.1f} calls under way (Little's law){served}."


def _intervals(found: Bench) -> Iterable[str]:
    """What the intervals are, and what there is too little for."""
    queries, calls = found.answered, len(found.measured.answered)
    if not calls:
        return
    if calls > queries:
        several = counted(queries, "query", "queries")
        yield f"Calls of one query are alike: intervals count {several}, not {calls:,} calls."
    yield from needed([found])


def _machinery(found: Bench) -> Iterable[str]:
    """What Python and the measuring itself took."""
    lengths = [pause.end - pause.begin for pause in found.pauses]
    struck = int((found.measured.paused > 0).sum())
    if struck:
        total, longest = sum(lengths) / MILLION, max(lengths) / MILLION
        yield (
            f"Garbage collector: {counted(len(lengths), 'pause')}, {total:.3f} ms together, "
            f"the longest {longest:.3f} ms; {counted(struck, 'call')} met one."
        )
    if found.harness.call:
        lag = f" Starts were {found.lag['p99']:.3f} ms late at p99." if found.load.is_open else ""
        took, clock = found.harness.call / 1000, found.harness.clock / 1000
        yield f"The measuring takes {took:.2f} µs between two calls, and {clock:.2f} µs of each call's time.{lag}"


def _machine(found: Bench) -> str:
    told = found.machine
    cores = f"{told['processors']} processor{'' if told['processors'] == '1' else 's'}"
    return f"{told['python']}, {told['system']}, {cores} ({told['processor']}); {found.begun}."
