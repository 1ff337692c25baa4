"""What moved between two runs, against the values of each: which queries, how far, and by which documents."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

import truerank as tr

RULES: list[dict[str, Any]] = [
    {},
    {"missing": "skip"},
    {"unjudged": "removed"},
    {"without_relevant": "skip"},
    {"without_relevant": "undefined"},
]


def world(rng: random.Random) -> tuple[dict[str, dict[str, int]], list[dict[str, list[str]]]]:
    """Judgements, of which some have nothing relevant, and two runs that do not answer every query."""
    queries = [f"q{n}" for n in range(6)]
    qrels = {query: {doc: rng.choice([0, 0, 1, 2]) for doc in rng.sample("abcde", 2)} for query in queries}
    return qrels, [{query: rng.sample("abcdefg", 4) for query in queries if rng.random() < 0.8} for _ in range(2)]


def values(scores: tr.Scores, measure: str) -> dict[str, float]:
    pairs = zip(scores.queries, scores[measure].tolist(), strict=True)
    return {query: value for query, value in pairs if not math.isnan(value)}


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("measure", ["AP", "nDCG@3", "R@2", "ERR", "Unjudged@3"])
def test_queries_moved_as_far_as_their_values_differ(measure: str, rules: dict[str, Any]) -> None:
    rng = random.Random(2)
    for only in (None, "worse", "better"):
        qrels, runs = world(rng)
        old, new = (values(tr.evaluate(qrels, run, measure, rules=rules), measure) for run in runs)
        rose = {query: new[query] - old[query] for query in old if query in new}
        is_better = {
            q: (change > 0) != (measure == "Unjudged@3") for q, change in rose.items() if abs(change) > 1e-12
        }
        found = tr.diff(qrels, *runs, measure, rules=rules, only=only, most=4)
        counts = sum(is_better.values()), len(is_better) - sum(is_better.values()), len(rose) - len(is_better)
        assert (found.better, found.worse, found.same, found.uncommon) == (*counts, len(old.keys() ^ new.keys()))
        assert found.means == pytest.approx([sum(each[q] for q in rose) / len(rose) for each in (old, new)])
        told = [q for q, better in is_better.items() if only in (None, "better" if better else "worse")]
        told.sort(key=lambda query: (-round(abs(rose[query]), 9), query))
        assert [move.query for move in found.queries] == told[:4]
        for move in found.queries:
            assert (move.before, move.after) == (old[move.query], new[move.query])
            assert move.change == pytest.approx(rose[move.query])
            assert move.answered == tuple(move.query in run for run in runs)


@pytest.mark.parametrize("measure", ["AP", "nDCG@3", "R@2"])
def test_the_documents_of_a_sum_add_up_to_what_moved_the_weightiest_first(measure: str) -> None:
    rng = random.Random(3)
    for _ in range(4):
        qrels, runs = world(rng)
        for move in tr.diff(qrels, *runs, measure).queries:
            lists = [run.get(move.query, []) for run in runs]
            changes = [shift.change or 0.0 for shift in move.documents]
            assert sum(changes) == pytest.approx(move.change)
            for shift in move.documents:
                assert shift.grade == qrels[move.query][shift.doc] > 0
                ranks = [each.index(shift.doc) + 1 if shift.doc in each else None for each in lists]
                assert [shift.before, shift.after] == ranks
            assert list(map(abs, changes)) == sorted(map(abs, changes), reverse=True)


def test_documents_of_a_measure_that_is_no_sum_stand_by_their_best_rank() -> None:
    lists = ["x", "b", "y", "a", "c"], ["a", "z", "b", "u", "w", "c"]
    judged = {"a": 1, "b": 1, "c": 1, "d": 1, "x": 0}
    [move] = tr.diff({"q": judged}, *({"q": docs} for docs in lists), "Success@1").queries
    shifts = [(shift.doc, shift.before, shift.after, shift.change) for shift in move.documents]
    assert (move.change, shifts) == (1.0, [("a", 4, 1, None), ("b", 2, 3, None), ("c", 5, 6, None)])


@pytest.mark.parametrize("given", [{"queries": {"q": "a question"}}, {"docs": {"a": "an answer"}}])
def test_texts_stand_beside_the_ids_that_have_one(given: dict[str, dict[str, str]]) -> None:
    found = tr.diff({"q": {"a": 1, "b": 1}}, {"q": ["x", "a", "b"]}, {"q": ["b", "a"]}, "AP", **given)
    plain = found.to_dict()["queries"][0]
    assert plain.get("text") == given.get("queries", {}).get("q")
    assert {one["doc"]: one.get("text") for one in plain["documents"]} == {
        "b": None,
        "a": given.get("docs", {}).get("a"),
    }
    assert "text" not in tr.diff({"q": {"a": 1}}, {"q": ["x", "a"]}, {"q": ["a"]}, "AP").to_dict()["queries"][0]


def test_several_measures_have_a_list_of_what_moved() -> None:
    runs = {"q": ["x", "a"]}, {"q": ["a", "x"]}
    for measures in ("AP P@1", ["AP", "P@1"]):
        found = tr.diff({"q": {"a": 1}}, *runs, measures)
        assert [(str(one.measure), one.queries[0].change) for one in found] == [("AP", 0.5), ("P@1", 1.0)]
    assert [one.means for one in tr.diff({"q": {"a": 1}}, *runs, ["AP"])] == [(0.5, 1.0)]
