"""The loops over callables: N workers that take one call after the other, each in its thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial

from truerank.core.errors import InputError
from truerank.live.clock import Clock, Event
from truerank.live.crew import GONE, INTERRUPTED, Crew, Seat
from truerank.live.plan import Plan
from truerank.live.record import NEVER_STARTED, TIMED_OUT, Tally, failure

HUNG = 100
"""Calls that may hang at a time; with more the run ends, since each holds a thread."""


class Meeting:
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


class Threads(Crew):
    """One run of a plan by threads; by the caller's own where one worker does and no call is limited in time."""

    def __init__(self, plan: Plan, tally: Tally, clock: Clock, ready: Callable[[], None] = lambda: None):
        super().__init__(plan, tally, clock, ready)
        self._under_way: dict[Seat, tuple[int, int, int]] = {}
        self._hung = 0
        self._meetings = [Meeting(clock, plan.load.concurrency, then) for then in self._after]

    def run(self) -> None:
        """Make all calls; returns when they are over, hang, or were interrupted."""
        seats = [self._seat(number) for number in range(self.plan.load.concurrency)]
        try:
            if len(seats) == 1 and self._limit is None:
                self._work(seats[0])
                return
            for seat in seats:
                if not self.stopped:
                    self._start(seat)
            if not self.stopped:
                self._watch()
        except KeyboardInterrupt:
            self._stop(INTERRUPTED)

    def _stop(self, why: str) -> None:
        """No call starts any more."""
        super()._stop(why)
        for meeting in self._meetings:
            meeting.open.set()

    def _start(self, seat: Seat) -> None:
        """A worker in a thread of its own."""
        try:
            self.clock.start(partial(self._live, seat))
        except RuntimeError as error:
            self.fault = InputError(f"the system gives no thread to worker {seat.number + 1}: {error}")
            self._stop("failed")

    def _live(self, seat: Seat) -> None:
        try:
            self._work(seat)
        except BaseException as error:  # in a thread of its own, where nobody would see it
            self.fault = error
            self._stop("failed")

    def _work(self, seat: Seat) -> None:
        """All stages of a worker, each of which all workers begin together."""
        while seat.stage < len(self._stages) and not self.stopped:
            calls, seats = self._stages[seat.stage]
            work = self._on_schedule if self._is_scheduled(seat.stage) else self._one_after_another
            if seat.number < seats and not work(seat, calls):
                return
            seat.stage += 1
            self._meetings[seat.stage - 1].wait()

    def _one_after_another(self, seat: Seat, calls: Iterator[int]) -> bool:
        """A closed loop; False when the worker is not to go on."""
        ask, last = self._ask, self._last
        for call in calls:
            if self.stopped or (end := ask(seat, call, None)) == GONE:
                return False
            if end >= last:
                break
        return True

    def _on_schedule(self, seat: Seat, calls: Iterator[int]) -> bool:
        """An open loop; False when the worker is not to go on."""
        now, schedule, first = self.clock.now, self.plan.due or (), len(self.plan.before)
        for call in calls:
            taken, due = now(), self.started + schedule[call - first]
            if self._is_too_late(due, taken):
                seat.record.add(call, taken, taken, taken, NEVER_STARTED)
                continue
            self.clock.wait_until(due)
            if self.stopped or self._ask(seat, call, taken) == GONE:
                return False
        return True

    def _ask(self, seat: Seat, call: int, taken: int | None) -> int:
        """One call; the time of its end, or `GONE` when the worker is not to go on."""
        ask, query = self._job(call)
        now, k, is_limited = self._now, self._k, self._limit is not None
        result: object
        begin = now()
        if taken is None:
            taken = begin
        if is_limited:
            self._under_way[seat] = call, taken, begin
        try:
            result = ask(query, k)
            end = now()
        except KeyboardInterrupt:
            self._stop(INTERRUPTED)
            return GONE
        except BaseException as error:
            end = now()
            result = failure(error)
        if is_limited and self._under_way.pop(seat, None) is None:
            return GONE  # given up on, and another worker sits here
        seat.record.add(call, taken, begin, end, result)
        return end

    def _watch(self) -> None:
        """Wait for the end; a call that takes too long is given up, and its worker replaced."""
        over = self._meetings[-1].open
        while not over.wait(self._next_look()):
            for seat, (call, taken, begin) in list(self._under_way.items()):
                hangs = self.clock.now() > begin + (self._limit or 0)
                if hangs and self._under_way.pop(seat, None) is not None:
                    self._replace(seat, call, taken, begin)

    def _next_look(self) -> int | None:
        """When the first call that is under way will have taken too long."""
        if self._limit is None:
            return None
        begins = [begin for _, _, begin in list(self._under_way.values())]
        return min(begins, default=self.clock.now()) + self._limit + 1

    def _replace(self, seat: Seat, call: int, taken: int, begin: int) -> None:
        """A new worker for one whose call hangs."""
        new = self._seat(seat.number)
        new.stage = seat.stage
        new.record.add(call, taken, begin, begin + (self._limit or 0), TIMED_OUT)
        self._hung += 1
        if self._hung >= HUNG:
            self._stop(f"{HUNG} calls hang")
        else:
            self._start(new)
