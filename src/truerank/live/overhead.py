"""What the measuring itself costs: the same loops around a callable that does nothing."""

from __future__ import annotations

import numpy as np

from truerank.live.clock import WallClock
from truerank.live.plan import Load, plan
from truerank.live.record import Tally, gathered
from truerank.live.retriever import Answer, Retriever
from truerank.live.samples import Harness
from truerank.live.threads import Threads
from truerank.live.workers import WorkerPool

CALLS = 1_000


def harness(is_async: bool = False) -> Harness:
    """The overhead of a closed loop with one worker."""
    planned = plan(Load(warmup=0), [(_nothing_async if is_async else _nothing, "")] * CALLS, CALLS)
    idle = Retriever("nothing", _nothing, lambda result: Answer((), ()))
    tally = Tally(planned, [idle], CALLS)
    pool = pool_of(is_async)(planned, tally, WallClock())
    pool.run()
    samples = gathered(pool.records, planned, tally, pool.started).samples
    service = float(np.median(samples.service))
    return Harness(float(np.median(np.diff(samples.begin))) - service, service)


def pool_of(is_async: bool) -> type[WorkerPool]:
    """Who makes the calls."""
    if not is_async:
        return Threads
    from truerank.live.coroutines import Coroutines

    return Coroutines


def _nothing(query: str, k: int) -> list[str]:
    """The answer of a retriever that does nothing."""
    return []


async def _nothing_async(query: str, k: int) -> list[str]:
    return []
