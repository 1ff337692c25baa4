"""Retrievers that ask several times a query: each call's list is kept, and the latency is that of all of them."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import truerank as tr
from truerank.core.errors import InputError
from truerank.live.adapters import adapt
from truerank.live.record import kept, room
from truerank.live.result import Bench
from truerank.live.retriever import Answer

QUERIES = {"q": "two hops", "r": "one hop"}

QRELS = {"q": {"a": 1, "b": 1}, "r": {"c": 1}}

LISTS = {"two hops": [["a", "x"], ["x", "b"]], "one hop": [["c"]]}


def agent(query: str, k: int) -> list[list[str]]:
    time.sleep(0.002 * len(LISTS[query]))
    return LISTS[query]


def read(returned: Any, k: int = 10, takes_k: bool = True) -> Answer:
    retriever = adapt((lambda query, k: returned) if takes_k else (lambda query: returned))
    return retriever.read(retriever.call("tea", k))


@pytest.mark.parametrize(
    "returned",
    [
        [["a", "b"], ["c"]],
        (["a", "b"], ["c"]),
        [[("a", 2.0), ("b", 1.0)], [("c", 1.0)]],
        [[{"id": "a"}, {"id": "b"}], [{"id": "c"}]],
        iter([["a", "b"], ["c"]]),
    ],
)
def test_a_list_of_lists_is_a_list_a_call(returned: Any) -> None:
    answer = read(returned, k=2)
    assert answer.ends == (2, 3)
    assert [one.docs for one in answer.lists] == [("a", "b"), ("c",)]


def test_pairs_and_arrays_stay_one_list() -> None:
    for returned in ([["a", 2.0], ["b", 1.0]], [("a", None), ("b", None)], ["a", "b"]):
        assert read(returned).ends is None


def test_k_is_how_many_documents_each_call_has() -> None:
    assert read([["a", "b", "c"], ["d", "e"], []], k=2, takes_k=False).ends == (2, 4, 4)
    found = tr.bench(lambda query, k: [["a", "b", "c"], ["d"]], QUERIES, k=2)
    assert found.answers.by_query["q"].ends == (2, 3)
    assert found.answers.overlong == 2


def test_what_is_kept_is_a_copy_of_every_list() -> None:
    buffer = [["a"], ["b", "c"]]
    mine = kept(buffer)
    buffer[0][0] = "z"
    assert mine == [["a"], ["b", "c"]]
    assert room(buffer) == 3


def test_an_array_holds_as_much_as_it_has_numbers() -> None:
    distances, ids = np.zeros((1, 7)), np.zeros((1, 7), int)
    assert (room(ids), room((distances, ids)), room((10, ids))) == (7, 7, 7)


def test_calls_are_measured_with_the_answers_that_were_timed() -> None:
    found = tr.bench(agent, QUERIES, QRELS, measures="CallRecall@1 CallRecall@2 FirstComplete@5 R@3")
    assert found.scores is not None
    assert found.scores.mean == {"CallRecall@1": 0.75, "CallRecall@2": 1.0, "FirstComplete@5": 1.5, "R@3": 1.0}
    assert found.scores.rules.name == "truerank with calls=concatenated"
    assert found.calls == 1.5
    assert found.latency["max"] >= 4
    assert "1.50 lists per query, one per call; a latency is that of all calls." in str(found)
    assert found.answers.repeated == 0


def test_one_list_is_that_of_one_call_where_measures_ask_for_calls() -> None:
    found = tr.bench(lambda query, k: ["a", "c"], QUERIES, QRELS, measures="CallRecall@1 FirstComplete@3 P@1")
    assert found.scores is not None
    assert found.scores.mean == {"CallRecall@1": 0.75, "FirstComplete@3": 2.5, "P@1": 0.5}
    assert found.calls is None


def test_an_agent_and_a_search_that_take_turns_are_scored_under_the_same_rules() -> None:
    found = tr.alternate(agent, lambda query, k: ["a", "c"], QUERIES, QRELS, measures="P@1 R@3")
    one, other = found.a, found.b
    assert one.scores is not None
    assert other.scores is not None
    assert one.scores.rules == other.scores.rules
    assert one.scores.rules.calls == "concatenated"
    assert other.scores.mean == {"P@1": 0.5, "R@3": 0.75}


def test_some_queries_may_have_one_list_and_others_none() -> None:
    answers = {"two hops": [["a"], ["b"]], "one hop": []}
    found = tr.bench(lambda query, k: answers[query], QUERIES, QRELS, measures="CallRecall@2")
    assert found.scores is not None
    assert found.scores["CallRecall@2"].tolist() == [1.0, 0.0]
    answers["one hop"] = ["c"]
    found = tr.bench(lambda query, k: answers[query], QUERIES, QRELS, measures="CallRecall@2")
    assert found.scores is not None
    assert found.scores["CallRecall@2"].tolist() == [1.0, 1.0]


def test_a_query_that_fails_is_never_complete() -> None:
    def failing(query: str, k: int) -> Any:
        if query == "one hop":
            raise OSError
        return LISTS[query]

    found = tr.bench(failing, {"q": "two hops", "r": "one hop"}, QRELS, measures="FirstComplete@4", warmup=0)
    assert found.scores is not None
    assert found.scores["FirstComplete@4"].tolist() == [2.0, 5.0]


def test_a_saved_benchmark_has_its_calls(tmp_path: Path) -> None:
    found = tr.bench(agent, QUERIES, QRELS, measures="CallRecall@2")
    found.save(tmp_path / "bench.json")
    again = Bench.read(tmp_path / "bench.json")
    assert again.answers.by_query["q"].lists == found.answers.by_query["q"].lists
    assert (again.calls, again.scores.mean) == (found.calls, found.scores.mean)
    assert tr.evaluate(QRELS, again.run, "CallRecall@1").mean == {"CallRecall@1": 0.75}
    found.save_run(tmp_path / "agent.run")
    run = tr.formats.open_run(tmp_path / "agent.run", "trec(second='call')")
    assert tr.evaluate(QRELS, run, "CallRecall@1").mean == {"CallRecall@1": 0.75}
    for ends in ([3, 2, 4], [1], ["4"]):
        value = json.loads((tmp_path / "bench.json").read_text())
        value["answers"]["q"]["ends"] = ends
        (tmp_path / "wrong.json").write_text(json.dumps(value))
        with pytest.raises(InputError, match="damaged"):
            Bench.read(tmp_path / "wrong.json")


@pytest.mark.parametrize("name", ["agent.jsonl", "agent.jsonl.gz", "agent.json"])
def test_a_run_in_json_keeps_a_last_call_that_returned_nothing(tmp_path: Path, name: str) -> None:
    found = tr.bench(lambda query, k: [["a"], ["b"], []], {"q": "tea"}, {"q": {"a": 1}}, warmup=0)
    found.save_run(tmp_path / name)
    found.save_run(tmp_path / "agent.run")
    by_rows = tr.formats.open_run(tmp_path / "agent.run", "trec(second='call')")
    runs = found.run, tr.formats.open_run(tmp_path / name), by_rows
    assert [tr.rank({"q": {"a": 1}}, run).calls.number.tolist() for run in runs] == [[1, 2, 3], [1, 2, 3], [1, 2]]
