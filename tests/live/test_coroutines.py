"""The loops over coroutines."""

from __future__ import annotations

import asyncio
import itertools
import threading
import time
from contextlib import suppress

import pytest

import truerank as tr
from truerank.live import SimulatedClock

QUERIES = [f"text {i}" for i in range(100)]


def steady(clock, seconds=0.002):
    async def retrieve(query, k):
        await clock.asleep(seconds)
        return ["d1"]

    return retrieve


def test_what_is_iterated_over_asynchronously_is_made_as_far_as_it_is_asked_for_and_timed():
    clock, closed = SimulatedClock(), []

    async def endless(query):
        try:
            for number in itertools.count():
                await clock.asleep(0.002)
                yield f"d{number}"
        finally:
            closed.append(query)

    async def cursor(query):
        return endless(query)

    for retriever in (endless, cursor):
        found = tr.bench(retriever, QUERIES[:20], k=3, warmup=0, clock=clock)
        assert (found.latency["min"], found.latency["max"], found.outcomes["ok"]) == (6.0, 6.0, 20)
        assert found.answers.by_query["1"].docs == ("d0", "d1", "d2")
    assert len(closed) == 40
    with pytest.raises(tr.InputError, match="asynchronous=True does so"):
        tr.bench(lambda query: endless(query), QUERIES)


def test_calls_that_are_yielded_asynchronously_are_lists_of_one_answer():
    async def agent(query, k):
        for _ in range(4):
            yield ["a", "b", "c"]

    found = tr.bench(agent, QUERIES[:3], k=2)
    assert [one.docs for one in found.answers.by_query["1"].lists] == [("a", "b")] * 4


@pytest.mark.parametrize(("concurrency", "rate"), [(1, None), (4, None), (4, 1)])
def test_a_time_out_is_measured_by_the_clock_in_coroutines_as_in_threads(concurrency, rate):
    clock, other = SimulatedClock(), SimulatedClock()
    seconds = {query: 5 if number % 10 == 3 else 0.25 for number, query in enumerate(QUERIES)}

    async def task(query):
        await clock.asleep(seconds[query])
        return ["d1"]

    def thread(query):
        other.sleep(seconds[query])
        return ["d1"]

    how = {"warmup": 0, "timeout": 1, "concurrency": concurrency, "rate": rate}
    found, wanted = tr.bench(task, QUERIES, clock=clock, **how), tr.bench(thread, QUERIES, clock=other, **how)
    assert (found.outcomes, found.latency) == (wanted.outcomes, wanted.latency)
    assert found.outcomes["timeout"] == 10


def test_tasks_overlap_in_time():
    clock = SimulatedClock()
    found = tr.bench(steady(clock), QUERIES, concurrency=4, clock=clock)
    assert (found.latency["p99"], found.window, found.throughput) == (2.0, 0.05, 2000.0)
    assert (found.under_way, found.at_a_time) == (4.0, 4.0)


def test_an_open_loop_charges_a_stall_to_all_who_waited():
    clock = SimulatedClock()
    count = iter(range(3000))

    async def stalling(query):
        await clock.asleep(1.002 if next(count) == 1500 else 0.002)
        return ["d1"]

    found = tr.bench(stalling, [f"t{i}" for i in range(3000)], rate=100, warmup=0, clock=clock)
    assert (found.latency["p99"], found.service["p99"]) == (762.0, 2.0)


def test_a_coroutine_that_blocks_its_loop_is_serial_and_that_is_seen():
    clock = SimulatedClock()

    async def blocking(query):
        clock.sleep(0.002)
        return ["d1"]

    found = tr.bench(blocking, QUERIES, concurrency=8, clock=clock)
    assert (found.under_way, found.at_a_time) == (1.0, 1.0)


def test_the_run_ends_where_the_caller_has_an_event_loop_already():
    async def instant(query):
        return ["d1"]

    async def outer():
        return tr.bench(instant, QUERIES[:3])

    assert asyncio.run(outer()).outcomes["ok"] == 3


def test_a_coroutine_that_takes_too_long_is_cancelled():
    cancelled = []

    async def hanging(query):
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(query)
            raise

    found = tr.bench(hanging, QUERIES[:3], timeout=0.02, warmup=0)
    assert (found.outcomes["timeout"], sorted(cancelled)) == (3, QUERIES[:3])
    assert found.measured.service.tolist() == [20_000_000] * 3


def test_a_coroutine_that_will_not_be_cancelled_is_left_behind():
    async def stubborn(query):
        for _ in range(3):
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(0.05)
        return ["d1"]

    found = tr.bench(stubborn, QUERIES[:2], timeout=0.01, warmup=0)
    assert found.outcomes["timeout"] == 2


def test_a_loop_that_stands_still_ends_the_run():
    never = threading.Event()

    async def blocking(query):
        never.wait(5)

    began = time.monotonic()
    found = tr.bench(blocking, QUERIES[:3], timeout=0.05, warmup=0)
    assert found.stopped == "the retriever blocks its event loop"
    assert time.monotonic() - began < 4
    never.set()


def test_what_a_coroutine_raises_is_counted():
    async def failing(query):
        if query == "text 1":
            raise ValueError("no such index")
        return ["d1"]

    found = tr.bench(failing, QUERIES[:4], warmup=0, concurrency=2)
    assert (found.outcomes["error"], found.outcomes["ok"]) == (1, 3)
    assert found.faults == {"ValueError: no such index": 1}


def test_an_interrupt_keeps_what_was_measured():
    count = iter(range(100))

    async def interrupted(query):
        if next(count) == 5:
            raise KeyboardInterrupt
        return ["d1"]

    found = tr.bench(interrupted, QUERIES, warmup=0)
    assert (found.stopped, found.outcomes["ok"]) == ("interrupted", 5)


def test_a_coroutine_and_a_function_cannot_take_turns():
    async def slow(query):
        return ["d1"]

    from truerank.live import alternate

    with pytest.raises(tr.InputError, match="cannot take turns"):
        alternate(slow, lambda query: ["d1"], QUERIES)


def test_what_the_measuring_takes_of_a_call_counts_the_task_that_a_time_out_needs():
    async def returning(query):
        return ["d1"]

    plain, limited = (tr.bench(returning, QUERIES, timeout=timeout).harness.clock for timeout in (None, 60))
    assert limited > 3 * plain
