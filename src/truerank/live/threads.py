"""The loops over callables: N workers that take one call after the other, each in its thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial

from truerank.core.errors import InputError
from truerank.live.clock import Clock, Event
from truerank.live.plan import Plan
from truerank.live.record import NEVER_STARTED, TIMED_OUT, Tally, failure
from truerank.live.workers import GONE, INTERRUPTED, Worker, WorkerPool

HUNG = 100
"""Calls that may hang at a time; with more the run ends, since each holds a thread."""


class Barrier:
    """Where workers wait for each other; the last one does something before all go on."""

    def __init__(self, clock: Clock, parties: int, then: Callable[[], None]):
        self._left = parties
        self._then = then
        self._lock = threading.Lock()
        self.open: Event = clock.event()

    def wait(self) -> None:
        """Wait until all are here."""
        with self._lock:
            self._left -= 1
            is_last = not self._left
        if not is_last:
            self.open.wait()
            return
        self._then()
        self.open.set()


class Threads(WorkerPool):
    """One run of a plan by threads; by the caller's own where one worker does and no call is limited in time."""

    def __init__(self, plan: Plan, tally: Tally, clock: Clock, ready: Callable[[], None] = lambda: None):
        super().__init__(plan, tally, clock, ready)
        self._under_way: dict[Worker, tuple[int, int, int]] = {}
        self._hung: list[Worker] = []
        self._barriers = [Barrier(clock, plan.load.concurrency, then) for then in self._after]

    def run(self) -> None:
        """Make all calls; returns when they are over, hang, or were interrupted."""
        workers = [self._worker(number) for number in range(self.plan.load.concurrency)]
        try:
            if len(workers) == 1 and self._limit is None:
                self._work(workers[0])
                return
            for worker in workers:
                if not self.stopped:
                    self._start(worker)
            if not self.stopped:
                self._watch()
        except KeyboardInterrupt:
            self._stop(INTERRUPTED)

    def _stop(self, why: str) -> None:
        """No call starts any more."""
        super()._stop(why)
        for barrier in self._barriers:
            barrier.open.set()

    def _start(self, worker: Worker) -> None:
        """A worker in a thread of its own."""
        try:
            self.clock.start(partial(self._live, worker))
        except RuntimeError as error:
            self.fault = InputError(
                "the system gives no thread to worker {number}: {error}", number=worker.number + 1, error=error
            )
            self._stop("failed")

    def _live(self, worker: Worker) -> None:
        try:
            self._work(worker)
        except BaseException as error:  # in a thread of its own, where it would be lost
            self.fault = error
            self._stop("failed")

    def _work(self, worker: Worker) -> None:
        """All stages of a worker, each of which all workers begin together."""
        while worker.stage < len(self._stages) and not self.stopped:
            calls, workers = self._stages[worker.stage]
            work = self._on_schedule if self._is_scheduled(worker.stage) else self._one_after_another
            if worker.number < workers and not work(worker, calls):
                return
            worker.stage += 1
            self._barriers[worker.stage - 1].wait()

    def _one_after_another(self, worker: Worker, calls: Iterator[int]) -> bool:
        """A closed loop; False when the worker is not to go on."""
        ask, last = self._ask, self._last
        if worker.free >= last:
            return True
        for call in calls:
            if self.stopped or (end := ask(worker, call, None)) == GONE:
                return False
            if end >= last:
                break
        return True

    def _on_schedule(self, worker: Worker, calls: Iterator[int]) -> bool:
        """An open loop; False when the worker is not to go on."""
        now, schedule, first = self.clock.now, self.plan.due or (), len(self.plan.before)
        for call in calls:
            taken, due = now(), self.started + schedule[call - first]
            if self._is_too_late(due, taken):
                worker.record.add(call, taken, taken, taken, NEVER_STARTED)
                continue
            self.clock.wait_until(due)
            if self.stopped or self._ask(worker, call, taken) == GONE:
                return False
        return True

    def _ask(self, worker: Worker, call: int, taken: int | None) -> int:
        """One call; the time of its end, or `GONE` when the worker is not to go on."""
        ask, query = self._job(call)
        now, k, is_limited = self._now, self._k, self._limit is not None
        result: object
        begin = now()
        if taken is None:
            taken = begin
        if is_limited:
            self._under_way[worker] = call, taken, begin
        try:
            result = ask(query, k)
            end = now()
        except KeyboardInterrupt:
            self._stop(INTERRUPTED)
            return GONE
        except BaseException as error:
            end = now()
            result = failure(error)
        if is_limited and self._under_way.pop(worker, None) is None:
            worker.is_back = True
            return GONE  # given up on, and another worker has its place
        worker.record.add(call, taken, begin, end, result)
        return end

    def _watch(self) -> None:
        """Wait for the end; a call that takes too long is given up, and its worker replaced."""
        over = self._barriers[-1].open
        while not over.wait(self._next_look()):
            for worker, (call, taken, begin) in list(self._under_way.items()):
                hangs = self.clock.now() > begin + (self._limit or 0)
                if hangs and self._under_way.pop(worker, None) is not None:
                    self._replace(worker, call, taken, begin)

    def _next_look(self) -> int | None:
        """When the first call that is under way will have taken too long."""
        if self._limit is None:
            return None
        begins = [begin for _, _, begin in list(self._under_way.values())]
        return min(begins, default=self.clock.now()) + self._limit + 1

    def _replace(self, worker: Worker, call: int, taken: int, begin: int) -> None:
        """A new worker for one whose call hangs."""
        new = self._worker(worker.number)
        new.stage, new.free = worker.stage, begin + (self._limit or 0)
        new.record.add(call, taken, begin, new.free, TIMED_OUT)
        self._hung = [one for one in (*self._hung, worker) if not one.is_back]
        if len(self._hung) >= HUNG:
            self._stop(f"{HUNG} calls hang")
        else:
            self._start(new)
