"""Whose job is next: owners take turns, so that one with many jobs does not delay another with one."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Hashable
from typing import Generic, TypeVar

Job = TypeVar("Job")


class Turns(Generic[Job]):
    """A queue of jobs for several threads, served round robin over those who wait.

    Args:
        at_once: how many jobs of one may be under way at once.

    >>> turns = Turns[str](at_once=2)
    >>> for who, job in (("a", "a1"), ("a", "a2"), ("a", "a3"), ("b", "b1")):
    ...     turns.put(who, job)
    >>> [turns.take(), turns.take(), turns.take()]
    [('a', 'a1'), ('b', 'b1'), ('a', 'a2')]
    """

    def __init__(self, at_once: int):
        self.at_once = at_once
        self._waiting: OrderedDict[Hashable, deque[Job]] = OrderedDict()
        self._under_way: Counter[Hashable] = Counter()
        self._changed = threading.Condition()
        self._is_closed = False

    def put(self, who: Hashable, job: Job) -> None:
        """Let a job wait for its turn."""
        with self._changed:
            self._waiting.setdefault(who, deque()).append(job)
            self._changed.notify_all()

    def take(self) -> tuple[Hashable, Job] | None:
        """The next job and whose it is, as soon as there is one; None once the queue is closed."""
        with self._changed:
            while not self._is_closed:
                if (who := self._next()) is not None:
                    return who, self._taken(who)
                self._changed.wait()
            return None

    def done(self, who: Hashable) -> None:
        """A job of theirs is over."""
        with self._changed:
            self._under_way[who] -= 1
            if not self._under_way[who]:
                del self._under_way[who]
            self._changed.notify_all()

    def close(self) -> list[Job]:
        """Stop all waiting; the jobs that will not be done."""
        with self._changed:
            self._is_closed = True
            left = [job for jobs in self._waiting.values() for job in jobs]
            self._waiting.clear()
            self._changed.notify_all()
            return left

    def _next(self) -> Hashable | None:
        free = (who for who in self._waiting if self._under_way[who] < self.at_once)
        return next(free, None)

    def _taken(self, who: Hashable) -> Job:
        jobs = self._waiting.pop(who)
        job = jobs.popleft()
        if jobs:
            self._waiting[who] = jobs
        self._under_way[who] += 1
        return job
