"""What the measuring itself costs: the same loops around a callable that only returns an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from truerank.live.clock import WallClock
from truerank.live.plan import LONGEST, Load, plan
from truerank.live.record import Tally, gathered, room
from truerank.live.retriever import Answer, Retriever
from truerank.live.samples import Harness
from truerank.live.threads import Threads
from truerank.live.workers import WorkerPool

CALLS = 1_000
"""Calls that it is measured by; large answers take fewer, whose copies all stay in memory."""

FEW = 20

HELD = 200_000
"""Results that these answers hold together."""


def harness(is_async: bool = False, answer: object = (), is_limited: bool = False) -> Harness:
    """What a closed loop with one worker costs around a callable that only returns this answer, which it records.

    Args:
        is_limited: whether calls have a time-out: a coroutine is then a task of its own, which takes time to begin.

    Raises:
        KeyboardInterrupt: it was interrupted, and few calls tell little.
    """
    calls = max(FEW, min(CALLS, HELD // max(1, room(answer))))
    returning = _returning_async(answer) if is_async else _returning(answer)
    load = Load(warmup=0, timeout=LONGEST if is_limited else None)
    planned = plan(load, [(returning, "")] * calls, calls)
    idle = Retriever("nothing", returning, lambda result: Answer((), ()))
    tally = Tally(planned, [idle], calls)
    pool = pool_of(is_async)(planned, tally, WallClock())
    pool.run()
    if pool.stopped:
        raise KeyboardInterrupt
    samples = gathered(pool.records, planned, tally, pool.started).samples
    service = float(np.median(samples.service))
    return Harness(float(np.median(np.diff(samples.begin))) - service, service)


def pool_of(is_async: bool) -> type[WorkerPool]:
    """The kind of pool that makes the calls: threads, or the tasks of an event loop."""
    if not is_async:
        return Threads
    from truerank.live.coroutines import Coroutines

    return Coroutines


def _returning(answer: object) -> Callable[[Any, int], object]:
    """A retriever that does nothing but return this."""
    return lambda query, k: answer


def _returning_async(answer: object) -> Callable[[Any, int], object]:
    async def returning(query: str, k: int) -> object:
        return answer

    return returning
