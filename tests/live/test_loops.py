"""The loops on a simulated clock: every figure exact."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter

import numpy as np
import pytest

import truerank as tr
from truerank.live import SimulatedClock
from truerank.live.plan import GRACE, Load, plan
from truerank.present.bench_notes import warnings

QUERIES = {f"q{i}": f"text {i}" for i in range(100)}


def steady(clock, seconds=0.002):
    def retrieve(query, k):
        clock.sleep(seconds)
        return ["d1", "d2"]

    return retrieve


def stalling(clock, at, stall=1.0, seconds=0.002):
    """Every call takes `seconds`; the one with this number a stall more."""
    count = iter(range(10**9))

    def retrieve(query, k):
        clock.sleep(seconds + (stall if next(count) == at else 0))
        return ["d1"]

    return retrieve


def test_a_closed_loop_hides_a_stall_of_a_second():
    clock = SimulatedClock()
    found = tr.bench(stalling(clock, 1500), [f"t{i}" for i in range(3000)], warmup=0, clock=clock)
    assert (found.latency["p99"], found.latency["max"]) == (2.0, 1002.0)


def test_an_open_loop_charges_a_stall_to_all_who_waited():
    clock = SimulatedClock()
    queries = [f"t{i}" for i in range(3000)]
    found = tr.bench(stalling(clock, 1500), queries, rate=100, duration=30, warmup=0, clock=clock)
    assert found.latency["p99"] == 762.0
    assert found.service["p99"] == 2.0
    assert (len(found.measured), found.outcomes["late"]) == (3000, 124)  # call j after it: 1000 > 8 j ms


def test_late_starts_are_said_to_make_the_intervals_too_narrow():
    clock = SimulatedClock()
    late = tr.bench(stalling(clock, 10), QUERIES, rate=100, warmup=0, clock=clock)
    assert any("the intervals of latencies are too narrow" in str(one) for one in warnings(late))
    clock = SimulatedClock()
    punctual = tr.bench(steady(clock), QUERIES, rate=100, warmup=0, clock=clock)
    assert (punctual.outcomes["late"], warnings(punctual)) == (0, [])


def test_a_second_worker_takes_what_a_stall_leaves():
    clock = SimulatedClock()
    queries = [f"t{i}" for i in range(3000)]
    found = tr.bench(stalling(clock, 1500), queries, rate=100, warmup=0, concurrency=2, clock=clock)
    assert (found.latency["p99"], found.latency["max"], found.outcomes["late"]) == (2.0, 1002.0, 0)


def test_every_figure_of_a_closed_loop_is_exact():
    clock = SimulatedClock()
    found = tr.bench(steady(clock), QUERIES, clock=clock)
    assert found.latency == dict.fromkeys(("mean", "min", "max", "p50", "p90", "p95", "p99", "p99.9"), 2.0)
    assert all(type(value) is float for value in found.latency.values())
    assert (found.window, found.throughput, found.under_way) == (0.2, 500.0, 1.0)
    assert found.cold == 2.0


def test_the_window_begins_with_the_schedule_though_the_first_call_is_late():
    class Late(SimulatedClock):
        def wait_until(self, due):
            super().wait_until(due + 1_000_000)

    clock = Late()
    found = tr.bench(lambda query: ["d1"], ["tea", "ink"], rate=100, warmup=0, clock=clock)
    assert (found.lag["min"], found.window) == (1.0, 0.011)


def test_the_cold_call_and_the_warm_up_are_not_measured():
    clock = SimulatedClock()
    found = tr.bench(stalling(clock, 0, stall=0.5), QUERIES, warmup=3, clock=clock)
    assert (found.cold, found.latency["max"]) == (502.0, 2.0)
    phases = np.bincount(found.samples.phase).tolist()
    assert phases == [1, 0, 2, 100]


def test_workers_overlap_in_time():
    clock = SimulatedClock()
    found = tr.bench(steady(clock), QUERIES, concurrency=4, clock=clock)
    assert (found.window, found.throughput, found.under_way, found.at_a_time) == (0.05, 2000.0, 4.0, 4.0)


def counting(clock):
    """A retriever whose answer says how often the query was asked."""
    times = Counter()

    def search(query):
        times[query] += 1
        clock.sleep(0.001)
        return [f"d{times[query]}"]

    return search


def test_of_all_workers_answers_the_first_counts():
    clock = SimulatedClock()
    found = tr.bench(counting(clock), QUERIES, repeats=3, concurrency=3, warmup=0, clock=clock)
    assert {answer.docs for answer in found.answers.by_query.values()} == {("d1",)}
    assert found.answers.changing == 100


def test_an_answer_of_the_warm_up_does_not_count():
    clock = SimulatedClock()
    found = tr.bench(counting(clock), QUERIES, warmup=3, clock=clock)
    docs = Counter(answer.docs for answer in found.answers.by_query.values())
    assert (docs, found.answers.changing) == ({("d1",): 97, ("d2",): 3}, 0)


def test_a_retriever_with_a_lock_serves_one_at_a_time_whatever_is_under_way():
    clock = SimulatedClock()
    free = [0]

    def locked(query):
        begin = max(clock.now(), free[0])
        free[0] = begin + 2_000_000
        clock.wait_until(free[0])
        return ["d1"]

    found = tr.bench(locked, QUERIES, concurrency=4, clock=clock)
    assert found.at_a_time == pytest.approx(1.0, abs=0.02)
    assert found.is_crowded
    assert found.under_way == pytest.approx(3.94)  # all four but in the last three calls


def test_a_retriever_that_answers_most_queries_from_a_cache_is_not_called_serial():
    clock = SimulatedClock()

    def cached(query):
        clock.sleep(0.05 if int(query.split()[1]) % 5 == 0 else 0.001)
        return ["d1"]

    found = tr.bench(cached, QUERIES, concurrency=4, clock=clock)
    assert (found.at_a_time, found.is_crowded) == (pytest.approx(found.under_way), False)
    assert not any("served at a time" in str(one) for one in warnings(found))


def test_no_more_calls_are_served_at_a_time_than_are_under_way():
    clock, took = SimulatedClock(), iter([0.001, *[0.005] * 5, *[0.001] * 100])  # slow while it warms up

    def warming(query):
        clock.sleep(next(took))
        return ["d1"]

    found = tr.bench(warming, QUERIES, concurrency=4, clock=clock)
    assert found.at_a_time == found.under_way


@pytest.mark.parametrize("asynchronous", [False, True])
def test_what_the_measuring_takes_is_told_of_answers_as_they_were_returned(asynchronous):
    def returning(answer):
        async def awaited(query, k):
            return answer

        return awaited if asynchronous else lambda query, k: answer

    small, large = ([{"id": str(at), "score": -at} for at in range(count)] for count in (1, 1000))
    quick, slow = (tr.bench(returning(answer), ["a", "b"]).harness.call for answer in (small, large))
    assert slow > 3 * quick


def test_a_closed_loop_ends_with_its_duration():
    clock = SimulatedClock()
    found = tr.bench(steady(clock), QUERIES, duration=0.5, clock=clock)
    assert (len(found.measured), found.window, found.asked_before) == (250, 0.5, 152)


@pytest.mark.parametrize(
    ("rate", "duration", "calls"), [(100, 1.1, 110), (50, 2.2, 110), (100, 0.07, 7), (3, 0.5, 2)]
)
def test_no_call_starts_when_the_duration_is_over(rate, duration, calls):
    due = plan(Load(rate=rate, duration=duration), [(None, "a")], 1).due
    assert (len(due), due[-1] < duration * 1e9) == (calls, True)


def test_a_duration_and_repeats_both_end_a_run():
    clock = SimulatedClock()
    assert len(tr.bench(steady(clock), QUERIES, duration=9, repeats=2, clock=clock).measured) == 200
    assert len(tr.bench(steady(clock), QUERIES, duration=0.1, repeats=2, clock=clock).measured) == 50
    assert len(tr.bench(steady(clock), QUERIES, duration=1, rate=50, repeats=1, clock=clock).measured) == 50


def test_each_query_is_asked_as_often_as_said():
    clock = SimulatedClock()
    found = tr.bench(steady(clock), QUERIES, repeats=3, concurrency=2, clock=clock)
    assert np.bincount(found.measured.query).tolist() == [3] * 100


def test_the_same_seed_gives_the_same_samples_and_another_gives_another_order():
    runs = []
    for seed in (1, 1, 2):
        clock = SimulatedClock()
        how = {"rate": 300, "arrivals": "poisson", "concurrency": 2, "seed": seed, "clock": clock}
        runs.append(tr.bench(steady(clock), QUERIES, **how).samples.to_dict())
    assert runs[0] == runs[1]
    assert runs[0]["query"] != runs[2]["query"]
    assert runs[0]["due"] != runs[2]["due"]


def test_poisson_arrivals_are_independent_and_come_at_their_rate():
    due = plan(Load(rate=100, arrivals="poisson", duration=100), [(print, "")], 1).due
    gaps = np.diff(due) / 1e9
    assert (due[0], due[-1] < 100e9) == (0, True)
    assert abs(len(due) - 10_000) < 4 * 100
    assert gaps.std() == pytest.approx(gaps.mean(), rel=0.05)  # of exponential gaps


def test_a_schedule_ends_where_its_duration_ends():
    due = plan(Load(rate=10, duration=2), [(print, "")], 1).due
    assert (len(due), due[0], due[-1]) == (20, 0, 1_900_000_000)


def test_starts_that_waited_longer_than_a_call_may_take_are_dropped():
    clock = SimulatedClock()
    found = tr.bench(steady(clock, 0.1), QUERIES, rate=100, timeout=0.25, warmup=0, clock=clock)
    counts = found.outcomes
    assert counts["ok"] + counts["dropped"] == 100
    assert counts["dropped"] > 80
    assert found.latency["max"] <= 350.0


def test_an_overloaded_open_loop_ends_soon_after_its_schedule():
    clock = SimulatedClock()
    found = tr.bench(steady(clock, 1.0), QUERIES, rate=100, warmup=0, clock=clock)
    assert clock.now() / 1e9 <= 1 + GRACE + 1.1
    assert found.outcomes["dropped"] == 94  # 6 fit into 0.99 s and the grace


def test_a_call_that_never_started_has_asked_nothing_again():
    clock = SimulatedClock()
    found = tr.bench(steady(clock, 1.0), QUERIES, rate=100, repeats=2, warmup=0, clock=clock)
    assert (found.outcomes["dropped"], found.asked_before) == (193, 0)


def test_dropped_queries_score_zero_and_are_not_forgotten():
    clock = SimulatedClock()
    qrels = {query: {"d1": 1} for query in QUERIES}
    found = tr.bench(steady(clock, 1.0), QUERIES, qrels, rate=100, warmup=0, measures="RR", clock=clock)
    assert found.scores.mean == {"RR": 0.06}


def test_a_call_that_takes_too_long_is_a_time_out_and_another_worker_goes_on():
    clock = SimulatedClock()
    found = tr.bench(stalling(clock, 50, stall=10), QUERIES, timeout=0.5, warmup=0, clock=clock)
    assert (found.outcomes["timeout"], found.outcomes["ok"], found.latency["max"]) == (1, 99, 2.0)
    late = found.measured[found.measured.outcome == 3]
    assert late.service.tolist() == [500_000_000]


@pytest.mark.parametrize(("workers", "calls"), [(1, 4), (3, 12)])
def test_a_duration_ends_a_run_whose_calls_all_hang(workers, calls):
    clock = SimulatedClock()
    how = {"duration": 1.0, "timeout": 0.3, "concurrency": workers}
    found = tr.bench(steady(clock, 60), QUERIES, warmup=0, clock=clock, **how)
    assert (len(found.measured), found.outcomes["timeout"], found.stopped) == (calls, calls, "")


def test_a_call_that_hangs_before_the_measuring_takes_nothing_from_the_duration():
    clock = SimulatedClock()
    found = tr.bench(stalling(clock, 2, stall=10), QUERIES, warmup=3, duration=0.1, timeout=0.5, clock=clock)
    assert (len(found.measured), found.outcomes["ok"]) == (50, 50)


def test_an_answer_after_the_time_out_is_none_even_if_nobody_watched():
    def slow(query):
        time.sleep(0.05)
        return ["d1"]

    found = tr.bench(slow, ["a", "b"], timeout=0.01, warmup=0)
    assert (found.outcomes["timeout"], dict(found.answers.by_query)) == (2, {})


def test_hung_threads_do_not_keep_the_run():
    never = threading.Event()
    found = tr.bench(lambda query: never.wait(), ["a", "b", "c"], timeout=0.02, concurrency=2)
    assert (found.outcomes["timeout"], found.stopped) == (3, "")
    never.set()


def test_a_run_ends_when_too_many_calls_hang():
    never = threading.Event()
    found = tr.bench(lambda query: never.wait(), QUERIES, timeout=0.002, repeats=2, warmup=0)
    assert found.stopped == "100 calls hang"
    assert found.outcomes["timeout"] == 100
    never.set()


def test_calls_that_come_back_after_their_time_out_do_not_end_a_run():
    def slow(query):
        time.sleep(0.004)
        return ["d1"]

    found = tr.bench(slow, QUERIES, timeout=0.002, repeats=2, warmup=0)
    assert (found.stopped, found.outcomes["timeout"]) == ("", 200)


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"k": 0}, "k is a whole number of 1 or more, not 0"),
        ({"concurrency": 1.5}, "concurrency is a whole number"),
        ({"k": None}, "k is a whole number of 1 or more, not None"),
        ({"concurrency": None}, "concurrency is a whole number of 1 or more, not None"),
        ({"warmup": None}, "warmup is a whole number of 0 or more, not None"),
        ({"seed": None}, "seed is a whole number of 0 or more, not None"),
        ({"rate": 10**400}, "rate is a number above 0, not 1000"),
        ({"timeout": 10**400}, "timeout is a number above 0, not 1000"),
        ({"rate": -1}, "rate is a number above 0"),
        ({"duration": float("nan")}, "duration is a number above 0"),
        ({"arrivals": "poisson"}, "poisson arrivals are those of an open loop: give its rate"),
        ({"arrivals": "random", "rate": 1}, "arrivals are constant or poisson"),
        ({"repeats": 10**7}, "10,000,000 are the most"),
        ({"rules": "nowhere"}, "no rules named"),
    ],
)
def test_what_cannot_be_done_is_told_before_anything_is_asked(how, says):
    def never(query):
        raise AssertionError

    with pytest.raises(tr.TruerankError, match=says):
        tr.bench(never, QUERIES, **how)


@pytest.mark.parametrize("asynchronous", [False, True])
def test_how_far_a_run_is_is_reported_while_it_goes_on(monkeypatch, asynchronous):
    monkeypatch.setattr("truerank.live.running.EVERY", 0.05)

    def slow(query: str, k: int) -> list[str]:
        time.sleep(0.04)
        return ["a"]

    async def slowly(query: str, k: int) -> list[str]:
        await asyncio.sleep(0.04)
        return ["a"]

    told: list[tuple[int, int]] = []
    queries = [f"q{n}" for n in range(10)]
    tr.bench(slowly if asynchronous else slow, queries, warmup=0, progress=lambda *far: told.append(far))
    assert len(told) >= 2
    assert told == sorted(told)
    assert {total for _, total in told} == {10}
