"""Time, and the threads that live in it: the machine's own, or a simulated one that is exact.

Every loop asks a clock for the time, for a wait and for its threads, and nothing else. So the same loop runs on a
`SimulatedClock`, where a second takes no time and every figure is the same each time.
"""

from __future__ import annotations

import heapq
import itertools
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import asyncio

NEAR = 150_000
"""Nanoseconds before a start at which sleeping ends and polling begins: most sleeps overrun by less than this.

More would not help: a thread that polls long uses up its time slice on a busy processor, and is made to wait just
when it matters.
"""

NEAR_ON_LOOP = 1_500_000
"""`NEAR` on an event loop, which sleeps in whole milliseconds."""

NANO = 1_000_000_000


class Event(Protocol):
    """Something that threads wait for."""

    def set(self) -> None:
        """Note that the event has happened."""

    def wait(self, until: int | None = None) -> bool:
        """Wait for the event, but no longer than until that time; whether it has happened."""


class Clock(Protocol):
    """What a loop needs of time: nanoseconds from any beginning."""

    def now(self) -> int:
        """The time."""

    def wait_until(self, due: int) -> None:
        """Return at that time, or at once when it is past."""

    async def sleep_until(self, due: int) -> None:
        """`wait_until` in a coroutine."""

    async def finished(self, task: asyncio.Task[Any], until: int) -> bool:
        """Wait for a task, but no longer than until that time; whether the task is over."""

    def start(self, work: Callable[[], None]) -> None:
        """Do that in a thread of its own, which does not keep the process alive."""

    def event(self) -> Event:
        """An event that has not yet happened."""


class _WallEvent:
    """An event of the machine's clock."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        """Note that the event has happened."""
        self._event.set()

    def wait(self, until: int | None = None) -> bool:
        """Wait for the event, but no longer than until that time; whether it has happened."""
        left = None if until is None else max(0.0, (until - time.perf_counter_ns()) / NANO)
        return self._event.wait(left)


class WallClock:
    """The machine's monotonic clock in nanoseconds.

    A wait sleeps until shortly before its end and then polls: a sleep alone ends a tenth of a millisecond late.
    """

    now = staticmethod(time.perf_counter_ns)

    def wait_until(self, due: int) -> None:
        """Return at that time, or at once when it is past."""
        left = due - time.perf_counter_ns()
        if left > NEAR:
            time.sleep((left - NEAR) / NANO)
        while time.perf_counter_ns() < due:
            pass

    async def sleep_until(self, due: int) -> None:
        """`wait_until` in a coroutine: the event loop's other tasks go on meanwhile."""
        import asyncio

        left = due - time.perf_counter_ns()
        if left > NEAR_ON_LOOP:
            await asyncio.sleep((left - NEAR_ON_LOOP) / NANO)
        while time.perf_counter_ns() < due:
            await asyncio.sleep(0)

    async def finished(self, task: asyncio.Task[Any], until: int) -> bool:
        """Wait for a task, but no longer than until that time; whether the task is over."""
        import asyncio

        await asyncio.wait((task,), timeout=max(0, until - time.perf_counter_ns()) / NANO)
        return task.done()

    def start(self, work: Callable[[], None]) -> None:
        """Do that in a thread of its own, which does not keep the process alive."""
        threading.Thread(target=work, daemon=True, name="truerank bench").start()

    def event(self) -> Event:
        """An event that has not yet happened."""
        return _WallEvent()


@dataclass(eq=False)
class _Parked:
    """A thread that waits for its turn."""

    turn: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    woken: bool = False


class SimulatedClock:
    """A clock that stands still while anything works, and jumps when everyone waits.

    Of all threads that were started here one runs at a time, and the one that waits for the earliest moment comes
    next. A retriever that is to take time calls `sleep`.

    >>> clock = SimulatedClock()
    >>> clock.sleep(0.002)
    >>> clock.now()
    2000000
    """

    def __init__(self) -> None:
        self._time = 0
        self._order = itertools.count()
        self._waiting: list[tuple[int, int, _Parked]] = []
        self._futures: list[tuple[int, int, asyncio.Future[None]]] = []
        self._settling = False

    def now(self) -> int:
        """The time."""
        return self._time

    def sleep(self, seconds: float) -> None:
        """Let so much time pass."""
        self.wait_until(self._time + round(seconds * NANO))

    def wait_until(self, due: int) -> None:
        """Return at that time, or at once when it is past."""
        if due > self._time:
            self._park(due, [])

    def start(self, work: Callable[[], None]) -> None:
        """Do that in a thread of its own, from its first turn on."""
        parked = _Parked()
        self._enqueue(self._time, parked)

        def live() -> None:
            parked.turn.acquire()
            try:
                work()
            finally:
                self._hand_over()

        threading.Thread(target=live, daemon=True, name="truerank bench").start()

    def event(self) -> Event:
        """An event that has not yet happened."""
        return _SimulatedEvent(self)

    def _enqueue(self, due: int, parked: _Parked) -> None:
        heapq.heappush(self._waiting, (due, next(self._order), parked))

    def _park(self, due: int | None, waiters: list[_Parked]) -> None:
        """Give the turn away until that time, or until one of the waiters' list is enqueued."""
        parked = _Parked()
        waiters.append(parked)
        if due is not None:
            self._enqueue(due, parked)
        self._hand_over()
        parked.turn.acquire()

    def _hand_over(self) -> None:
        """The turn to whoever waits for the earliest moment."""
        while self._waiting:
            due, _, parked = heapq.heappop(self._waiting)
            if not parked.woken:
                parked.woken = True
                self._time = max(self._time, due)
                parked.turn.release()
                return

    async def asleep(self, seconds: float) -> None:
        """Let so much time pass in a coroutine."""
        await self.sleep_until(self._time + round(seconds * NANO))

    async def sleep_until(self, due: int) -> None:
        """Return at that time; it comes when no other coroutine has anything to do."""
        import asyncio

        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()
        heapq.heappush(self._futures, (due, next(self._order), future))
        if not self._settling:
            self._settling = True
            loop.call_soon(self._settle, loop, IDLE)
        await future

    async def finished(self, task: asyncio.Task[Any], until: int) -> bool:
        """Wait for a task, but no longer than until that time; whether the task is over."""
        import asyncio

        timer = asyncio.create_task(self.sleep_until(until))
        await asyncio.wait((task, timer), return_when=asyncio.FIRST_COMPLETED)
        timer.cancel()
        return task.done()

    def _settle(self, loop: asyncio.AbstractEventLoop, rounds: int) -> None:
        """Jump to the earliest moment that is waited for, after some rounds in which the others could go on."""
        if rounds:
            loop.call_soon(self._settle, loop, rounds - 1)
            return
        due, _, future = heapq.heappop(self._futures)
        if not future.done():
            self._time = max(self._time, due)
            future.set_result(None)
        self._settling = bool(self._futures)
        if self._settling:
            loop.call_soon(self._settle, loop, IDLE)


IDLE = 20
"""Rounds of an event loop after which a simulated clock takes it that everyone waits."""


class _SimulatedEvent:
    """An event of a simulated clock."""

    def __init__(self, clock: SimulatedClock):
        self._clock = clock
        self._happened = False
        self._waiters: list[_Parked] = []

    def set(self) -> None:
        """Note that the event has happened; those who wait for it come after those whose moment is now."""
        self._happened = True
        for parked in self._waiters:
            self._clock._enqueue(self._clock.now(), parked)
        self._waiters.clear()

    def wait(self, until: int | None = None) -> bool:
        """Wait for the event, but no longer than until that time; whether it has happened."""
        if not self._happened:
            self._clock._park(until, self._waiters)
        return self._happened
