"""The loops over coroutines: N tasks on one event loop, which runs in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from typing import cast

from truerank.live.clock import Clock
from truerank.live.plan import Plan
from truerank.live.record import NEVER_STARTED, TIMED_OUT, Tally, failure
from truerank.live.workers import GONE, INTERRUPTED, Worker, WorkerPool

BLOCKED = "the retriever blocks its event loop"

FAREWELL = 5.0
"""Seconds that the retriever's connections may take to close."""

Ask = Callable[[str, int], Awaitable[object]]


class Coroutines(WorkerPool):
    """One run of a plan by tasks. The caller's thread watches: it can be interrupted, and sees a blocked loop."""

    def __init__(self, plan: Plan, tally: Tally, clock: Clock, ready: Callable[[], None] = lambda: None):
        super().__init__(plan, tally, clock, ready)
        self._over = threading.Event()
        self._beats = 0

    def run(self) -> None:
        """Make all calls; returns when they are over, hang, or were interrupted."""
        thread = threading.Thread(target=self._live, daemon=True, name="truerank bench")
        thread.start()
        try:
            self._watch()
        except KeyboardInterrupt:
            self._stop(INTERRUPTED)
        if not self.stopped:
            thread.join(FAREWELL)

    def _live(self) -> None:
        try:
            asyncio.run(self._work())
        except BaseException as error:  # it would be lost in this thread
            self.fault = error
            self._stop("failed")
        finally:
            self._over.set()

    def _watch(self) -> None:
        """Wait for the end, or for a loop that has long stood still.

        Its own waits are added up, not what a clock says: where the whole process stands still, so does the loop.
        """
        limit = self.plan.load.timeout or 0
        seen, waited = self._beats, 0.0
        while not self._over.wait(self.plan.load.timeout):
            waited = waited + limit if self._beats == seen else 0.0
            seen = self._beats
            if waited > 2 * limit + 1:
                self._stop(BLOCKED)
                return

    async def _work(self) -> None:
        """All stages; the tasks of each begin together."""
        pulse = asyncio.create_task(self._pulse())
        workers = [self._worker(number) for number in range(self.plan.load.concurrency)]
        for stage, (calls, count) in enumerate(self._stages):
            work = self._on_schedule if self._is_scheduled(stage) else self._one_after_another
            await asyncio.gather(*(work(worker, calls) for worker in workers[:count]))
            if self.stopped:
                break
            self._after[stage]()
        pulse.cancel()
        self._over.set()

    async def _pulse(self) -> None:
        """Show that the loop turns."""
        while True:
            self._beats += 1
            await asyncio.sleep(0.25)

    async def _one_after_another(self, worker: Worker, calls: Iterator[int]) -> None:
        """A closed loop."""
        for call in calls:
            if self.stopped or (end := await self._ask(worker, call, None)) == GONE or end >= self._last:
                return

    async def _on_schedule(self, worker: Worker, calls: Iterator[int]) -> None:
        """An open loop."""
        schedule, first = self.plan.due or (), len(self.plan.before)
        for call in calls:
            taken, due = self._now(), self.started + schedule[call - first]
            if self._is_too_late(due, taken):
                worker.record.add(call, taken, taken, taken, NEVER_STARTED)
                continue
            await self.clock.sleep_until(due)
            if self.stopped or await self._ask(worker, call, taken) == GONE:
                return

    async def _ask(self, worker: Worker, call: int, taken: int | None) -> int:
        """One call; the time of its end, or `GONE` when the worker is not to go on."""
        limit, begin = self._limit, self._now()
        end, result = await (self._answer(call) if limit is None else self._limited(call, begin, limit))
        if end != GONE:
            worker.record.add(call, begin if taken is None else taken, begin, end, result)
        return end

    async def _limited(self, call: int, begin: int, limit: int) -> tuple[int, object]:
        """What is returned by a task of its own, and when; it is cancelled when it takes too long."""
        task = asyncio.create_task(self._answer(call))
        if await self.clock.finished(task, begin + limit):
            return task.result()
        task.cancel()
        return begin + limit, TIMED_OUT

    async def _answer(self, call: int) -> tuple[int, object]:
        """What is returned, and when."""
        ask, query = self._job(call)
        try:
            result = await cast(Ask, ask)(query, self._k)
            return self._now(), result
        except KeyboardInterrupt:
            self._stop(INTERRUPTED)
            return GONE, None
        except BaseException as error:
            return self._now(), failure(error)
