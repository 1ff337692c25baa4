"""What all workers share, whether they are threads or coroutines: the stages of a run, its beginning, its end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from truerank.core.errors import InputError
from truerank.live.clock import NANO, Clock
from truerank.live.plan import Job, Plan
from truerank.live.record import Record, Tally

LEAD = 50_000_000
"""Nanoseconds before the first start of a schedule, for all workers to be ready, on a busy machine too."""

FOREVER = 1 << 62

INTERRUPTED = "interrupted"

GONE = -1
"""Instead of a time: the worker is not to go on."""


@dataclass(eq=False)
class Worker:
    """A worker's place: in which stage it is, what it wrote down, when a call that hung was given up, and whether
    that call has come back since.
    """

    number: int
    record: Record
    stage: int = 0
    free: int = 0
    is_back: bool = False


class WorkerPool:
    """One run of a plan.

    Each worker takes the next call when it is free; in an open loop it then waits for the moment at which that call
    is due. So the calls form one queue before N servers, and nothing stands between the schedule and the worker.

    Args:
        ready: what is done between the warm-up and the first measured start.

    Attributes:
        started: the time of the first measured start.
        stopped: why the run ended before its end; empty if it did not.
        fault: what is to be raised.
        records: what each worker has written down.
    """

    def __init__(self, plan: Plan, tally: Tally, clock: Clock, ready: Callable[[], None] = lambda: None):
        self.plan, self.tally, self.clock = plan, tally, clock
        self.started = clock.now()
        self.stopped = ""
        self.fault: BaseException | None = None
        self.records: list[Record] = []
        self._ready = ready
        self._now, self._k = clock.now, plan.load.k
        self._limit = None if plan.load.timeout is None else round(plan.load.timeout * NANO)
        self._turns = [plan.jobs[job] for job in (*plan.before, *plan.order)]
        self._last = FOREVER
        count = plan.load.concurrency
        stages = ((plan.cold, 1), (plan.alone, 1), (plan.warmup, count), (plan.measured, count))
        self._stages: list[tuple[Iterator[int], int]] = [(iter(calls), count) for calls, count in stages]
        self._after = (self._look, _nothing, self._begin, _nothing)

    @property
    def done(self) -> int:
        """Calls that are over."""
        return sum(record.done for record in list(self.records))

    def run(self) -> None:
        """Make all calls; returns when they are over, hang, or were interrupted."""
        raise NotImplementedError

    @contextmanager
    def heeding(self) -> Iterator[None]:
        """Let an interrupt end the run even where a finalizer or a garbage collection would swallow it."""
        before = sys.unraisablehook

        def heed(lost: Any) -> None:
            if issubclass(lost.exc_type, KeyboardInterrupt):
                self._stop(INTERRUPTED)
            else:
                before(lost)

        sys.unraisablehook = heed
        try:
            yield
        finally:
            sys.unraisablehook = before

    def _worker(self, number: int) -> Worker:
        record = Record(self.tally.finish)
        self.records.append(record)
        return Worker(number, record)

    def _stop(self, why: str) -> None:
        """No call starts any more."""
        self.stopped = self.stopped or why

    def _look(self) -> None:
        """An answer that cannot be read is told at once, not after all queries were asked."""
        try:
            self.tally.look(self.records)
        except InputError as fault:
            self.fault = fault
            self._stop("unreadable")

    def _begin(self) -> None:
        """The warm-up is over: the measuring begins."""
        self._ready()
        load = self.plan.load
        self.started = self.clock.now() + (LEAD if load.is_open else 0)
        if self.plan.due is not None:
            self._last = self.started + self.plan.due[-1] + load.patience
        elif load.duration is not None:
            self._last = self.started + round(load.duration * NANO)

    def _is_scheduled(self, stage: int) -> bool:
        return self.plan.due is not None and stage == len(self._stages) - 1

    def _is_too_late(self, due: int, taken: int) -> bool:
        """Whether a start has waited longer for its turn than its timeout."""
        return taken > self._last or (self._limit is not None and taken > due + self._limit)

    def _job(self, call: int) -> Job:
        """What to call."""
        return self._turns[call] if call < len(self._turns) else self.plan.jobs[self.plan.job(call)]


def _nothing() -> None:
    """What most stages are followed by."""
