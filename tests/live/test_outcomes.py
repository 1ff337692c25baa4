"""Whatever a retriever does: a counted outcome, or a clear error."""

from __future__ import annotations

import gc
import json
import operator
import os
import signal
import subprocess
import sys
import threading

import pytest

import truerank as tr
import truerank.live.overhead
from truerank.live import SimulatedClock
from truerank.live.collector import IMMORTAL, Collector, Pause, overlap
from truerank.live.retriever import Answer, Retriever
from truerank.present.bench_notes import warnings

QUERIES = {"q1": "one", "q2": "two", "q3": "three", "q4": "four"}
QRELS = {query: {"d1": 1} for query in QUERIES}


def per_query(**answers):
    """A function that does what is said for a query's text: returns it, or raises it."""

    def retrieve(query):
        found = answers.get(query, ["d1"])
        if isinstance(found, BaseException):
            raise found
        return found

    return retrieve


def bench(retriever, **how):
    return tr.bench(retriever, QUERIES, QRELS, **{"warmup": 0, "measures": "RR", **how})


def test_an_error_is_counted_and_scores_zero():
    found = bench(per_query(two=ValueError("no such index")))
    assert (found.outcomes["error"], found.outcomes["ok"]) == (1, 3)
    assert (found.faults, found.scores.mean) == ({"ValueError: no such index": 1}, {"RR": 0.75})
    assert found.scores.ledger.missing == 0  # it was asked, and brought nothing


def test_an_error_without_a_message_is_told_by_its_kind():
    assert bench(per_query(two=TimeoutError())).faults == {"TimeoutError": 1}


def test_failed_calls_are_said_to_score_zero_only_where_no_other_call_answered():
    asked = {"one": 0, "two": 0}

    def retrieve(query):
        if query in asked:
            asked[query] += 1
            if query == "two" or asked[query] == 1:
                raise OSError("busy")
        return ["d1"]

    found = bench(retrieve, repeats=2)
    assert (found.scores.mean, found.outcomes["error"]) == ({"RR": 0.75}, 3)
    assert [str(one) for one in warnings(found) if "score" in str(one) or "failed" in str(one)] == [
        "Warning: of 8 calls 3 failed. They are not in the latencies.",
        "Warning: 1 query has no answer of any call, and scores 0.",
    ]
    once = bench(per_query(two=OSError("down")))
    assert "of 4 calls 1 failed. They are not in the latencies, and score 0." in str(warnings(once)[0])


def test_the_zero_of_a_failed_query_is_told_where_less_is_better():
    found = bench(per_query(two=OSError("down")), measures="RR FallOut@2 FirstRank@5")
    assert [str(one) for one in warnings(found)][2:] == [
        "FirstRank@5: a missing query does not score 0, but as an empty list does.",
        "Warning: FallOut@2: less is better, so that the 0 of a missing query counts as the best score.",
    ]


def test_a_query_that_failed_in_the_warm_up_of_a_plain_loop_is_told():
    found = bench(per_query(one=OSError("down")), plain=True, warmup=2)
    assert "Warning: 1 query has no answer of any call, and scores 0." in map(str, warnings(found))


def test_figures_that_no_call_gives_are_null():
    figures = bench(per_query(**dict.fromkeys(QUERIES.values(), OSError("down")))).to_dict()
    assert set(figures["latency_ms"].values()) == set(figures["service_ms"].values()) == {None}
    json.dumps(figures, allow_nan=False)


def test_an_error_is_not_in_the_latencies():
    clock = SimulatedClock()

    def retrieve(query):
        clock.sleep(9 if query == "two" else 0.001)
        if query == "two":
            raise ValueError
        return ["d1"]

    assert bench(retrieve, clock=clock).latency["max"] == 1.0


def test_a_function_that_exits_does_not_end_the_program():
    assert bench(per_query(two=SystemExit(3))).faults == {"SystemExit: 3": 1}


def test_an_empty_answer_is_an_answer():
    found = bench(per_query(two=[]))
    assert (found.outcomes["empty"], found.scores.mean["RR"]) == (1, 0.75)
    assert len(found.measured.answered) == 4


def test_nothing_at_all_is_a_clear_error_at_the_first_call():
    asked = []

    def nothing(query):
        asked.append(query)
        return [None]

    with pytest.raises(tr.InputError, match="has no id"):
        bench(nothing, warmup=2)
    assert len(asked) == 1


def test_an_id_of_none_later_on_is_a_counted_error():
    found = bench(per_query(two=["d1", None]))
    assert (found.outcomes["error"], found.scores.mean["RR"]) == (1, 0.75)
    assert "no id" in next(iter(found.faults))


def test_a_score_of_nan_is_a_counted_error():
    found = bench(per_query(two=[("d1", float("nan"))]))
    assert found.outcomes["error"] == 1
    assert "finite" in next(iter(found.faults))


@pytest.mark.parametrize("answer", [[], ValueError("no")])
def test_where_rules_refuse_empty_answers_these_score_zero_and_the_rules_say_so(answer):
    found = bench(per_query(two=answer), rules="llama-index")
    scores = found.scores
    assert (scores.mean["RR"], scores.rules.name) == (0.75, "llama-index with missing=zero")
    assert (scores.ledger.judged, scores.ledger.answered, scores.ledger.missing) == (4, 3, 1)
    assert bench(per_query(), rules="llama-index").scores.rules.name == "llama-index"


@pytest.mark.parametrize("rules", ["autorag", "torchmetrics"])
def test_a_failed_query_is_answered_once_less_where_empty_answers_count_as_missing(rules):
    ledger = bench(per_query(two=ValueError("no")), rules=rules).scores.ledger
    assert (ledger.judged, ledger.answered, ledger.missing) == (4, 3, 1)


def test_repeated_documents_count_once_and_the_rules_say_so():
    found = bench(per_query(two=["d2", "d2", "d1"]))
    assert (found.answers.repeated, found.scores.rules.name) == (1, "truerank with duplicates=first")
    assert found.scores.rules.duplicates == "first"
    assert found.outcomes["ok"] == 4


def test_of_ten_thousand_results_the_first_k_count():
    found = bench(lambda query, k: [f"d{i}" for i in range(10_000)], k=5)
    assert found.answers.overlong == 4
    assert {len(answer.docs) for answer in found.answers.by_query.values()} == {5}
    assert found.measured.returned.tolist() == [10_000] * 4


def test_answers_that_change_are_counted_and_the_first_one_is_kept():
    count = iter(range(100))
    found = bench(lambda query: [f"d{next(count) // 4 + 1}"], repeats=2)
    assert found.answers.changing == 4
    assert found.scores.mean == {"RR": 1.0}


def test_dicts_that_a_retriever_fills_again_count_as_they_were_returned():
    documents = [{"id": doc, "score": 0.0} for doc in ("d1", "d2", "d3")]

    def search(query):
        for doc in documents:
            doc["score"] = len(query) * (doc["id"] == "d1")  # of the last one, and in the end of all
        return documents

    found = bench(search, plain=True)
    assert {query: answer.scores[0] for query, answer in found.answers.by_query.items()} == {
        "q1": 3.0,
        "q2": 3.0,
        "q3": 5.0,
        "q4": 4.0,
    }


def test_scores_that_do_not_fall_leave_the_order_as_it_is():
    odd = Retriever("odd", lambda query, k: None, lambda raw: Answer(("d1", "d2"), (1.0, 3.0)))
    found = bench(odd)
    assert (found.answers.unordered, found.scores.mean) == (4, {"RR": 1.0})


def test_a_failed_query_is_never_right_where_an_empty_answer_is():
    qrels = {"q1": {"d1": 1}, "q2": {}, "q3": {}, "q4": {}}
    rules = {"without_relevant": "empty-is-right"}
    found = tr.bench(per_query(two=ValueError(), three=[]), QUERIES, qrels, warmup=0, measures="RR", rules=rules)
    assert dict(zip(found.scores.queries, found.scores["RR"].tolist(), strict=True)) == {
        "q1": 1.0,
        "q2": 0.0,
        "q3": 1.0,
        "q4": 0.0,
    }


def test_a_failed_query_is_no_better_by_a_measure_that_less_is_better_of():
    qrels, rules = {"q1": {"d1": 0}, "q2": {"d1": 0}}, {"without_relevant": "empty-is-right"}
    search = per_query(one=[], two=ValueError())
    found = tr.bench(search, {"q1": "one", "q2": "two"}, qrels, warmup=0, measures="FallOut", rules=rules)
    assert found.scores["FallOut"].tolist() == [0.0, 1.0]


def test_failed_queries_stay_in_the_mean_under_rules_that_skip_missing_ones():
    found = bench(per_query(two=ValueError()), rules={"missing": "skip"})
    assert (found.scores.mean, found.scores.ledger.evaluated) == ({"RR": 0.75}, 4)


def test_judged_queries_that_were_not_asked_are_not_in_the_mean():
    found = tr.bench(per_query(), {"q1": "one"}, QRELS, warmup=0, measures="RR")
    assert (found.scores.mean, found.scores.ledger.judged) == ({"RR": 1.0}, 1)


@pytest.mark.parametrize(
    ("queries", "how", "says"),
    [
        (["one"], {}, "none of the queries is judged"),
        (QUERIES, {"measures": "NDGC@10"}, "Did you mean nDCG"),
        ({**QUERIES, "q9": "nine"}, {"rules": {"extra": "error"}}, "query q9 is not judged"),
    ],
)
def test_judgements_that_do_not_fit_are_told_before_anything_is_asked(queries, how, says):
    def never(query):
        raise AssertionError

    with pytest.raises(tr.TruerankError, match=says):
        tr.bench(never, queries, QRELS, **how)


@pytest.mark.parametrize("how", [{}, {"concurrency": 2}, {"timeout": 5.0}])
def test_an_interrupt_keeps_what_was_measured(how):
    count = iter(range(100))
    lock = threading.Lock()

    def retrieve(query):
        with lock:
            if next(count) == 2:
                raise KeyboardInterrupt
        return ["d1"]

    found = bench(retrieve, repeats=5, **how)
    assert found.stopped == "interrupted"
    assert found.outcomes["ok"] >= 2
    assert found.scores is not None


class Interrupting:
    """Does what a function does, but is interrupted at one of its calls."""

    def __init__(self, function, at):
        self.function, self.left = function, at

    def __call__(self, *arguments, **named):
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt
        return self.function(*arguments, **named)


@pytest.mark.parametrize(
    ("name", "at", "is_scored"),
    [
        ("running.score", 2, False),  # the first is a rehearsal
        ("running.harness", 1, True),
        ("running.gathered", 1, True),
        ("overhead._returning", 1, True),
        ("record._finished", 3, True),
    ],
)
@pytest.mark.parametrize("concurrency", [1, 2])
def test_an_interrupt_after_the_last_call_keeps_what_was_measured(monkeypatch, name, at, is_scored, concurrency):
    called = Interrupting(operator.attrgetter(name)(truerank.live), at)
    asked = Interrupting(lambda query, k: ["d1"], 7)  # what is made is interrupted, and not the making
    made = (lambda answer: asked) if name == "overhead._returning" else called
    monkeypatch.setattr(f"truerank.live.{name}", made)
    answers = {"one": ["d1"], "two": [object()], "three": [object()], "four": ["d1"]}
    found = bench(lambda query: answers[query], concurrency=concurrency)
    assert found.stopped == "interrupted"
    assert (found.outcomes["ok"], found.outcomes["error"]) == (2, 2)
    assert found.harness.clock > 0
    assert (found.scores.mean if is_scored else found.scores) == ({"RR": 0.5} if is_scored else None)


PROGRAM = """
import os, signal, threading, time
import truerank as tr
signal.signal(signal.SIGINT, signal.default_int_handler)  # what is begun in the background ignores it
def retrieve(query):
    if query == "9":
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep({nap})
    return ["d1"]
found = tr.bench(retrieve, [str(i) for i in range(10)], warmup=0, concurrency={concurrency})
print(found.stopped, found.outcomes["ok"])
"""


@pytest.mark.parametrize("concurrency", [1, 3])
def test_control_c_keeps_what_was_measured(concurrency):
    program = PROGRAM.format(concurrency=concurrency, nap=60)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=True)
    stopped, ok = done.stdout.split()
    assert stopped == "interrupted"
    assert 0 <= int(ok) <= 9
    assert signal.SIGINT


@pytest.mark.parametrize("how", [{}, {"concurrency": 2}])
def test_an_interrupt_while_garbage_is_collected_is_heeded(how):
    def interrupted(phase, info):
        gc.callbacks.remove(interrupted)
        raise KeyboardInterrupt

    def retrieve(query):
        if query == "3":
            gc.callbacks.append(interrupted)
            gc.collect()
        return ["d1"]

    found = tr.bench(retrieve, [str(i) for i in range(100)], warmup=0, **how)
    assert found.stopped == "interrupted"
    assert 1 <= found.outcomes["ok"] < 100


def test_what_a_finalizer_raises_is_told_as_ever(monkeypatch):
    class Broken:
        def __del__(self):
            raise ValueError("no end")

    def retrieve(query):
        Broken()
        return ["d1"]

    told = []
    monkeypatch.setattr(sys, "unraisablehook", lambda lost: told.append(str(lost.exc_value)))
    assert tr.bench(retrieve, ["a"], warmup=0).stopped == ""
    assert set(told) == {"no end"}


def test_a_hung_callable_does_not_hang_the_program_at_its_end():
    program = (
        "import threading, truerank as tr\n"
        "found = tr.bench(lambda query: threading.Event().wait(), ['a', 'b'], timeout=0.02)\n"
        "print(found.outcomes['timeout'])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=True)
    assert done.stdout == "2\n"
    assert os.path.exists(sys.executable)


def test_a_collection_is_attributed_to_the_calls_that_met_it():
    pauses = (Pause(100, 200, 2), Pause(300, 310, 0))
    begin, end = [0, 150, 200, 0, 305], [50, 400, 300, 1000, 306]
    import numpy as np

    assert overlap(pauses, np.array(begin), np.array(end)).tolist() == [0, 60, 0, 110, 1]


def test_pauses_during_a_run_are_written_down():
    def collecting(query):
        gc.collect()
        return ["d1"]

    found = bench(collecting)
    assert len([pause for pause in found.pauses if pause.generation == 2]) >= 4
    assert (found.measured.paused > 0).all()
    assert (found.measured.paused <= found.measured.service).all()


@pytest.fixture
def thawed():
    """Nothing is frozen yet, as in a program that never heard of it."""
    gc.unfreeze()
    yield
    gc.freeze()


@pytest.mark.usefixtures("thawed")
def test_what_was_frozen_is_let_go_and_nobody_listens_any_more():
    before, seen = list(gc.callbacks), []

    def retrieve(query):
        seen.append(gc.get_freeze_count())
        return ["d1"]

    bench(retrieve, warmup=1)
    assert gc.callbacks == before
    assert max(seen[0], gc.get_freeze_count()) < IMMORTAL < min(seen[1:])


@pytest.mark.usefixtures("thawed")
def test_what_somebody_else_froze_stays_frozen():
    gc.freeze()
    count = gc.get_freeze_count()
    with Collector(lambda: 0) as collector:
        collector.freeze()
    assert gc.get_freeze_count() > count // 2 > 0  # some of it may be let go by those who have it


def test_a_retriever_that_wants_ids_is_asked_with_them():
    asked = []
    looked_up = Retriever(
        "replay",
        lambda query, k: ["d2"],
        lambda raw: Answer(tuple(raw), (1.0,)),
        call_of=lambda query_id: lambda query, k: asked.append(query_id) or ["d1"],
    )
    bench(looked_up)
    assert sorted(asked) == list(QUERIES)


def test_a_retriever_is_closed_even_if_the_run_fails():
    closed = []
    broken = Retriever("broken", lambda query, k: 1, _refused, close=lambda: closed.append(1))
    with pytest.raises(tr.InputError, match="unusable"):
        bench(broken, warmup=1)
    assert closed == [1]


def _refused(raw):
    raise tr.InputError("unusable")


def test_judgements_of_aspects_stay_so_where_not_every_judged_query_is_asked():
    qrels = {"1": {"a": {"x": 1, "y": 1}, "b": {"y": 1}}, "2": {"a": {"x": 1}}, "3": {"c": {"x": 1}}}
    some = tr.bench(lambda query, k: ["b", "a"], {"1": "one", "2": "two"}, qrels, measures="alpha_nDCG@5")
    wanted = tr.evaluate({q: qrels[q] for q in "12"}, {q: ["b", "a"] for q in "12"}, "alpha_nDCG@5")
    assert some.scores.mean == wanted.mean


def test_the_highest_grade_is_that_of_all_judged_queries_also_where_some_are_asked():
    qrels, docs = {"q1": {"a": 1}, "q2": {"b": 2}, "q3": {"c": 4}}, ["a", "x", "b"]
    queries = {"q1": "one", "q2": "two"}
    asked = tr.bench(lambda query: docs, queries, qrels, measures="ERR INSQ", warmup=0).scores
    saved = tr.evaluate(qrels, dict.fromkeys(qrels, docs), "ERR INSQ")
    assert {m: asked[m].tolist() for m in asked} == {m: saved[m][:2].tolist() for m in saved}
    both = tr.experiment({"saved": saved, "live": lambda query: docs}, queries, qrels, "ERR").comparison["ERR"]
    assert both.means["saved"].estimate == both.means["live"].estimate
