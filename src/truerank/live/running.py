"""A benchmark from its arguments to its result."""

from __future__ import annotations

import gc
import platform
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields, replace
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from truerank import __version__
from truerank.core.errors import InputError
from truerank.core.evaluate import read_catalogue
from truerank.core.qrels import QrelsLike
from truerank.core.rules import Rules, RulesLike
from truerank.core.run import Progress
from truerank.core.scan import processors
from truerank.formats import read_qrels
from truerank.live.adapters import adapt
from truerank.live.clock import Clock, WallClock
from truerank.live.collector import Collector, overlap
from truerank.live.indexing import timed
from truerank.live.latency import checked
from truerank.live.overhead import harness, pool_of
from truerank.live.plan import Load, plan
from truerank.live.quality import AnswerKinds, as_run, lenient, need_calls, score, unasked
from truerank.live.queries import read_queries
from truerank.live.record import Calls, Tally, gathered, returned
from truerank.live.result import Bench
from truerank.live.retriever import FirstAnswers, Retriever
from truerank.live.samples import MEASURED, Harness
from truerank.live.storage import ODD
from truerank.live.workers import INTERRUPTED, WorkerPool
from truerank.measures import MeasuresLike
from truerank.stats.quantiles import LINEAR, NEAREST

EVERY = 1.0
"""Seconds between two reports of how far a run is."""


@dataclass(frozen=True)
class Judging:
    """What answers are judged by."""

    qrels: QrelsLike | None = None
    measures: MeasuresLike | None = None
    rules: RulesLike | None = None
    items: Any = None


def bench(
    retriever: object,
    queries: Any,
    qrels: QrelsLike | None = None,
    *,
    k: int = 10,
    warmup: int = 2,
    concurrency: int = 1,
    rate: float | None = None,
    arrivals: str = "constant",
    duration: float | None = None,
    repeats: int | None = None,
    timeout: float | None = None,
    seed: int = 0,
    plain: bool = False,
    percentiles: str | None = None,
    index: object = None,
    rules: RulesLike | None = None,
    measures: MeasuresLike | None = None,
    items: Any = None,
    ids: str | Callable[..., Any] | None = None,
    clock: Clock | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Bench:
    """How fast a retriever answers, and how well, from the same calls.

    Args:
        retriever: a callable or coroutine function, a retriever of LangChain or LlamaIndex, a component or pipeline
            of Haystack, or what `adapt` makes of "module:object", a URL or a command.
        queries: {id: text}, a list of texts, a table of vectors, or a file: see `read_queries`.
        qrels: as for `evaluate`; with them the answers are scored.
        k: how many documents each query asks for; of more, the first k count.
        warmup: calls of each worker before the measuring. The very first is reported alone, as `cold`.
        concurrency: how many calls may be under way: threads, or tasks for coroutines.
        rate: starts a second, whatever becomes of them (an open loop); latencies then count from the intended
            start. None: an end brings the next start (a closed loop).
        arrivals: of an open loop: "constant" or "poisson".
        duration: seconds in which calls may start; the queries come again and again, each time in a new order.
        repeats: how often each query is asked; by default once, or as often as the duration allows.
        timeout: seconds that a call may take; by default any.
        seed: of the orders of the queries and of Poisson arrivals.
        plain: ask as a plain loop in a program does: the queries in the order in which they were given, the first
            `warmup` of them before the measuring, the others once each; and linear percentiles.
        percentiles: "nearest-rank" (the default): values that were measured; "linear": as NumPy has them.
        index: what indexes the documents, timed before anything is asked: a function without arguments that returns
            how many there are, or the documents.
        rules, measures, items: as for `evaluate`.
        ids: what a document's id is: "id", "metadata[key]", "hash", a field or a callable; see `adapt`.
        clock: another clock than the machine's, such as a `SimulatedClock`.
        progress: told once a second how many calls are done, and how many there are at most; from another thread.
        options: what `adapt` takes.

    Raises:
        TruerankError: wrong input, or a first answer that cannot be read.

    >>> import truerank as tr
    >>> measured = tr.bench(lambda query: ["d1", "d2"], {"q": "red shoes"}, {"q": {"d2": 1}}, measures="RR")
    >>> sorted(measured.latency)
    ['max', 'mean', 'min', 'p50', 'p90', 'p95', 'p99', 'p99.9']
    >>> measured.scores.mean, measured.outcomes["ok"]
    ({'RR': 0.5}, 1)
    """
    load = Load(k, warmup, concurrency, rate, arrivals, duration, repeats, timeout, seed, plain)
    judging = Judging(qrels, measures, rules, items)
    return measure([retriever], queries, load, judging, clock, progress, percentiles, index, ids=ids, **options)[0]


def run(retrievers: Sequence[object], queries: Any, qrels: QrelsLike | None = None, **how: Any) -> list[Bench]:
    """Several retrievers that take turns at each query; `how` is what else `bench` takes."""
    if how.pop("index", None) is not None:
        raise InputError("the indexing of one retriever can be timed, not where two take turns: leave it out")
    loads = {field.name: how.pop(field.name) for field in fields(Load) if field.name in how}
    judging = Judging(qrels, *(how.pop(name, None) for name in ("measures", "rules", "items")))
    return measure(retrievers, queries, Load(**loads), judging, **how)


def measure(
    targets: Sequence[object],
    queries: Any,
    load: Load,
    judging: Judging,
    clock: Clock | None = None,
    progress: Progress | None = None,
    percentiles: str | None = None,
    index: object = None,
    **options: Any,
) -> list[Bench]:
    """One run over retrievers, which are closed at its end; what it found of each.

    An interrupt keeps what was measured: one that comes after the last call leaves out the scores at most.

    Args:
        options: what `adapt` takes.
    """
    kind = checked(percentiles or (LINEAR if load.plain else NEAREST))
    texts = read_queries(queries)
    judging = rehearsed(judging, list(texts))
    indexed = None if index is None else timed(index, clock or WallClock())
    benches: list[Bench] = []
    try:
        with ExitStack() as closing:
            retrievers = []
            for target in targets:
                retrievers.append(adapt(target, **options))
                closing.callback(retrievers[-1].close)
            found = _measured(_distinct(retrievers), texts, load, clock, progress)
            benches = [replace(one, percentiles=kind, indexing=indexed) for one in found]
        return judged(benches, judging)
    except KeyboardInterrupt:
        if not benches:
            raise
        return [replace(one, stopped=one.stopped or INTERRUPTED) for one in benches]


def judged(benches: Sequence[Bench], judging: Judging) -> list[Bench]:
    """The benches with the scores of their answers, all under the same rules, where there are judgements."""
    found = [(one, one.answers.by_query) for one in benches]
    among = AnswerKinds(
        repeats=any(one.answers.repeated for one in benches),
        calls=any(one.calls is not None for one in benches),
        empty=any(query not in answers or not answers[query].docs for one, answers in found for query in one.asked),
    )
    return [_scored(one, judging, among) for one in benches]


def rehearsed(judging: Judging, queries: list[str]) -> Judging:
    """The judging with its files read, and tried on empty answers: mistakes in it show before anything is asked."""
    rules = Rules.of(judging.rules)
    if judging.qrels is None:
        return judging
    qrels, of_calls = read_qrels(judging.qrels), need_calls(judging.measures, rules)
    items = read_catalogue(judging.items)
    under = lenient(rules, AnswerKinds(calls=of_calls, empty=True))
    nothing = as_run("queries", queries, {}, of_calls)
    score(qrels, nothing, queries, queries, judging.measures, under, items)
    return replace(judging, qrels=qrels, items=items)


def _distinct(retrievers: list[Retriever]) -> list[Retriever]:
    """The retrievers, all with a number where two have one name."""
    names = [retriever.name for retriever in retrievers]
    if len(set(names)) == len(names):
        return retrievers
    return [replace(retriever, name=f"{retriever.name} {i}") for i, retriever in enumerate(retrievers, 1)]


def _measured(
    retrievers: Sequence[Retriever],
    texts: dict[str, Any],
    load: Load,
    clock: Clock | None,
    progress: Progress | None,
) -> list[Bench]:
    """The benches of a run, complete but for the scores."""
    _check_kinds(retrievers, texts)
    if len({retriever.is_async for retriever in retrievers}) > 1:
        raise InputError("one of these retrievers is a coroutine and the other is not: they cannot take turns")
    time = clock or WallClock()
    jobs = [(r.call_of(key) if r.call_of else r.call, text) for r in retrievers for key, text in texts.items()]
    planned = plan(load, jobs, len(texts))
    tally = Tally(planned, retrievers, len(texts))
    begun = datetime.now(timezone.utc).isoformat(timespec="seconds")
    with Collector(time.now) as collector:
        pool = pool_of(retrievers[0].is_async)(planned, tally, time, collector.freeze)
        with _reported(progress, pool, len(planned.before) + planned.total), pool.heeding():
            pool.run()
    if pool.fault:
        raise pool.fault
    found = partial(_found, pool, collector, tuple(texts), begun, is_real=clock is None)
    try:
        return found()
    except KeyboardInterrupt:  # all is measured: the answers are read to the end, unless another one comes
        pool.stopped = pool.stopped or INTERRUPTED
        return found()


def _found(
    pool: WorkerPool, collector: Collector, queries: tuple[str, ...], begun: str, *, is_real: bool
) -> list[Bench]:
    """What a run found of each retriever, when its calls are over.

    Args:
        is_real: whether its times are those of the machine's clock.
    """
    tally, retrievers = pool.tally, pool.tally.retrievers
    some, is_limited = returned(pool.records), pool.plan.load.timeout is not None
    calls = gathered(pool.records, pool.plan, tally, pool.started)
    pauses = collector.pauses(pool.started)
    paused = overlap(pauses, calls.samples.due, calls.samples.end)
    calls = replace(calls, samples=replace(calls.samples, paused=paused))
    blank = Bench(
        name="",
        load=pool.plan.load,
        queries=queries,
        samples=calls.samples,
        answers=FirstAnswers({}),
        faults={},
        scores=None,
        pauses=pauses,
        harness=harness(retrievers[0].is_async, some, is_limited) if is_real else Harness(0.0, 0.0),
        describe={},
        machine=_machine(),
        begun=begun,
        stopped=pool.stopped,
    )
    return [_of_one(blank, calls, tally, who) for who in range(len(retrievers))]


def _check_kinds(retrievers: Sequence[Retriever], queries: dict[str, Any]) -> None:
    """Raise where a retriever does not take what the queries are."""
    are_texts = isinstance(next(iter(queries.values())), str)
    for one in retrievers:
        if one.takes == "vectors" and are_texts:
            raise InputError("{name} takes vectors, and the queries are texts", name=one.name)
        if one.takes == "texts" and not are_texts:
            raise InputError(
                "{name} takes texts, and the queries are vectors: functions and indexes take those", name=one.name
            )


@contextmanager
def _reported(progress: Progress | None, pool: WorkerPool, total: int) -> Iterator[None]:
    """Report how far it is from a thread that only looks: calls that are timed must not wait for it."""
    over = threading.Event()

    def report(progress: Progress) -> None:
        while not over.wait(EVERY):
            progress(pool.done, total)

    thread = threading.Thread(target=report, args=(progress,), daemon=True)
    if progress:
        thread.start()
    try:
        yield
    finally:
        over.set()
        if progress:
            thread.join()


def _of_one(blank: Bench, calls: Calls, tally: Tally, who: int) -> Bench:
    """What a run found out about one of its retrievers."""
    count = len(blank.queries)
    mine = calls.job // count == who
    samples = calls.samples[mine]
    rows = np.flatnonzero(mine & (calls.samples.phase == MEASURED))
    retriever = tally.retrievers[who]
    return replace(
        blank,
        name=retriever.name,
        samples=replace(samples, query=samples.query - who * count),
        answers=_answers(tally, blank.queries, who),
        faults=dict(Counter(calls.faults[row] for row in rows.tolist() if row in calls.faults).most_common()),
        describe=dict(retriever.describe),
        beside=", ".join(other.name for other in tally.retrievers if other is not retriever),
    )


def _answers(tally: Tally, queries: tuple[str, ...], who: int) -> FirstAnswers:
    """What one retriever returned."""
    count = len(queries)
    mine = range(who * count, (who + 1) * count)
    odd = {name: sum(job in mine for job in getattr(tally, name)) for name in ODD}
    kept = {queries[job - mine.start]: answer for job, (_, answer) in tally.answers.items() if job in mine}
    return FirstAnswers({query: kept[query] for query in queries if query in kept}, **odd)


def _scored(bench: Bench, judging: Judging, among: AnswerKinds) -> Bench:
    """The bench with the scores of its answers, where there are judgements.

    Args:
        among: the kinds of answers that the whole run had, so that all retrievers get the same rules.
    """
    if judging.qrels is None or not bench.asked:
        return bench
    rules = Rules.of(judging.rules)
    of_calls = among.calls or need_calls(judging.measures, rules)
    rules = lenient(rules, among._replace(calls=of_calls))
    run = as_run(bench.name, bench.asked, bench.answers.by_query, of_calls)
    failed = [query for query in bench.asked if query not in bench.answers.by_query]
    qrels = read_qrels(judging.qrels)
    scores = score(qrels, run, bench.asked, failed, judging.measures, rules, judging.items)
    return replace(bench, scores=scores, unasked=unasked(qrels, bench.asked))


def _machine() -> dict[str, str]:
    """Where it ran: what a reader needs to compare its figures, and nothing that names a person or a host."""
    return {
        "processor": _processor(),
        "processors": str(processors()),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "truerank": __version__,
        "collector": " ".join(map(str, gc.get_threshold())) if gc.isenabled() else "off",
        "switch interval": f"{sys.getswitchinterval() * 1000:g} ms",
    }


def _processor() -> str:
    """The processor's own name, where the system tells it."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text("utf-8", "replace").splitlines() if cpuinfo.exists() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())
