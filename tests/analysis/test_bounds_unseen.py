"""Bounds of measures that do not see all that is judged, of what could be reranked, and under rules."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

import truerank as tr


@pytest.mark.parametrize("wrong", [-1, 0])
def test_documents_that_a_measure_takes_for_unjudged_keep_no_query_from_being_counted_out(wrong: int) -> None:
    run = dict.fromkeys((f"d{n}" for n in range(23)), 1.0)
    judged = {"d3": 1.0, "d7": 1.0}
    seen = {**judged, "d11": float(wrong), **{f"d{n}": float(wrong) for n in range(13, 20)}}
    measures = "AP nDCG P@10 infAP"
    without, found = (tr.bounds({"q": grades}, {"q": run}, measures, "ties").ties for grades in (judged, seen))
    for name in ("AP", "nDCG", "P@10"):
        one, other = without[name], found[name]
        assert (one.low, one.high, one.expected) == (other.low, other.high, pytest.approx(other.expected))
        assert (other.expected_error, other.searched) == (0.0, 0)
    assert found["infAP"].expected_error != 0.0


def test_the_grades_of_documents_that_a_measure_does_not_see_make_nothing_searched() -> None:
    grades = (-2, -1, 0, 1, 2, 3)
    judged = {f"d{n}": grades[n % 6] for n in range(48)}
    found = tr.bounds({"q": judged}, {"q": dict.fromkeys(judged, 1.0)}, "nDCG P@10 Judged@10", "ties").ties
    assert (found["nDCG"].searched, found["P@10"].searched) == (0, 0)
    assert (found["P@10"].lowest, found["P@10"].highest) == (0.0, 1.0)
    assert found["Judged@10"].searched == 1


def test_the_expected_value_is_that_of_all_places_of_the_relevant_documents() -> None:
    run = dict.fromkeys((f"d{n}" for n in range(23)), 1.0)
    judged = {"d3": 1, "d7": 1, "d11": -1}
    found = tr.bounds({"q": judged}, {"q": run}, "AP", "ties").ties["AP"]
    places = [(i, j) for j in range(1, 24) for i in range(1, j)]
    assert found.expected_mean == pytest.approx(sum((1 / i + 2 / j) / 2 for i, j in places) / len(places))
    assert found.expected_error == 0


def test_what_judgements_of_one_query_do_alone_is_said_to_be_added_up() -> None:
    judged, ahead, behind = {"q": {"a": 1, "u": 0}}, {"q": ["a"]}, {"q": ["u", "x", "y", "z"]}
    found = tr.judge_next(judged, ahead, behind, "RR")
    assert found.turning == 3
    every = {"q": {**judged["q"], "x": 1, "y": 1, "z": 1}}
    assert tr.evaluate(every, ahead, "RR").mean["RR"] > tr.evaluate(every, behind, "RR").mean["RR"]
    assert "could turn the order of the two runs, if what each does alone adds up" in str(found)
    assert "One of these judgements could turn the order" in str(tr.judge_next(judged, ahead, {"q": ["x"]}, "RR"))


def test_other_measures_have_the_same_bounds_whether_or_not_documents_answer_aspects() -> None:
    judged = {"q": {"a": 1, "b": 2, "c": 1}}
    aspects = {"q": {doc: {"1": grade, "2": grade} for doc, grade in judged["q"].items()}}
    run = {"q": {"u": 3.0, "a": 2.0, "v": 2.0, "b": 1.0}}
    for rules in ({}, {"unreturned": "ignore"}, {"unreturned": "ignore", "depth": 2}):
        found, wanted = (tr.bounds(qrels, run, "AP nDCG@2", rules=rules) for qrels in (aspects, judged))
        assert found.to_dict() == wanted.to_dict()


@pytest.mark.parametrize("rules", [{}, {"depth": 3}, {"unjudged": "removed"}, {"level": 2}])
def test_what_a_reranker_could_reach_is_found_among_all_orders_of_its_candidates(rules: dict[str, Any]) -> None:
    measures, rng = "nDCG@3 AP RR P@2 R@3 ERR Bpref infAP", random.Random(0)
    for rerank in (1, 2, 3, 4, 4, 5, 9):
        run = {doc: float(rng.randint(1, 4)) for doc in "abcde"}
        qrels = {"q": {doc: rng.choice([-1, 0, 1, 2]) for doc in "abdfg"}}
        order = sorted(run, key=lambda doc: (run[doc], doc), reverse=True)
        found = tr.bounds(qrels, {"q": run}, measures, "ties", rules=rules, rerank=rerank).ties
        ways = [[*first, *order[rerank:]] for first in itertools.permutations(order[:rerank])]
        every = [tr.evaluate(qrels, {"q": way}, measures, rules=rules).mean for way in ways]
        now = tr.evaluate(qrels, {"q": run}, measures, rules=rules).mean
        for name, each in found.items():
            values = [one[name] for one in every]
            assert each.mean == now[name]
            assert (each.lowest, each.highest) == pytest.approx((min(values), max(values)))
            assert each.expected_mean == pytest.approx(sum(values) / len(values))


def test_an_oracle_reranks_the_first_results_alone() -> None:
    run = {"q": [f"d{n}" for n in range(500)], "r": ["x"]}
    qrels = {"q": {"d400": 2, "d90": 1, "d50": 3, "d7": 0, "missed": 1}, "r": {"y": 1}}
    oracle = {"q": ["d50", "d90", *(doc for doc in run["q"] if doc not in ("d50", "d90"))], "r": ["x"]}
    found = tr.bounds(qrels, run, "nDCG AP RR R@100 ERR", "ties", rerank=100)
    assert {name: each.best for name, each in found.ties.items()} == pytest.approx(
        tr.evaluate(qrels, oracle, "nDCG AP RR R@100 ERR").mean
    )
    assert found.ties["nDCG"].searched == 0
    assert (found.rerank, found.to_dict()["rerank"]) == (100, 100)
    assert "1 query would score otherwise in another order." in found.to_text()


def test_nothing_is_tied_in_a_list_that_was_reranked() -> None:
    measures = "AP(ties='together') AUROC"
    found = tr.bounds({"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}}, measures, "ties", rerank=2)
    for name, limits in {"AP(ties='together')": (0.5, 0.5, 1), "AUROC": (0.5, 0, 1)}.items():
        assert (found.ties[name].mean, found.ties[name].worst, found.ties[name].best) == limits


@pytest.mark.parametrize("how", [{"rerank": 0}, {"rerank": 1.5}, {"rerank": 3, "of": "unjudged"}])
def test_a_reranker_has_candidates_and_orders_them(how: dict[str, Any]) -> None:
    with pytest.raises(tr.InputError, match="rerank is 1 or more, and about bounds of ties"):
        tr.bounds({"q": {"a": 1}}, {"q": ["a"]}, "RR", **how)


def test_lists_of_several_calls_are_reranked_where_the_rules_make_them_one() -> None:
    qrels, run = {"q": {"a": 1, "b": 1}}, {"q": [["x", "a"], ["b"]]}
    with pytest.raises(tr.MeasureError, match="what a reranker could change is about one list per query"):
        tr.bounds(qrels, run, "AP", "ties", rerank=3)
    assert tr.bounds(qrels, run, "AP", "ties", rerank=3, rules={"calls": "concatenated"}).ties["AP"].best == 1


MEASURES = "AP nDCG@3 P@2 R@3 RR ERR Bpref infAP nDCG(gain={0:1,1:2,2:3})@3"
RULES: list[dict[str, Any]] = [
    {},
    {"level": 2},
    {"level": 0},
    {"depth": 3},
    {"missing": "skip"},
    {"without_relevant": "one"},
    {"self_match": "remove"},
    {"unreturned": "ignore"},
    {"unjudged": "removed", "depth": 2},
    {"unjudged": "removed", "depth": 3, "depth_of": "returned"},
]


def world(rng: random.Random) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Judgements of three queries, of which a run does not answer the first; the second may be judged itself."""
    judged = {doc: rng.choice([-1, 0, 1, 2]) for doc in rng.sample("abcdefghq", 5)}
    run = {doc: float(rank) for rank, doc in enumerate(rng.sample("abcdefq", 5))}
    return {"o": {"a": 2, "b": 1}, "q": judged, "r": {"b": 2, "c": 0}}, {"q": run, "r": {"b": 2.0, "c": 1.0}}


def open_docs(judged: dict[str, int], run: dict[str, float], rules: dict[str, Any]) -> list[str]:
    """What of the answer to q could still be judged: what stands below the depth is as if it were not returned."""
    order = [doc for doc in sorted(run, key=lambda doc: -run[doc]) if doc != "q" or "self_match" not in rules]
    counts_all = "unjudged" not in rules or "depth_of" in rules
    return [doc for doc in order[: rules.get("depth") if counts_all else None] if judged.get(doc, -1) < 0]


@pytest.mark.parametrize("rules", RULES)
def test_under_any_rules_the_limits_are_those_of_all_judgements(rules: dict[str, Any]) -> None:
    rng = random.Random(0)
    for _ in range(3):
        qrels, run = world(rng)
        told = open_docs(qrels["q"], run["q"], rules)
        found = tr.bounds(qrels, run, MEASURES, "unjudged", rules=rules)
        assert (found.open, found.grades) == (len(told), (0, 1, 2))
        every = []
        for grades in itertools.product([None, 0, 1, 2], repeat=len(told)):
            given = {doc: grade for doc, grade in zip(told, grades, strict=True) if grade is not None}
            every.append(tr.evaluate({**qrels, "q": {**qrels["q"], **given}}, run, MEASURES, rules=rules).mean)
        for name, limits in found.unjudged.items():
            values = [each[name] for each in every]
            assert (limits.lowest, limits.highest) == pytest.approx((min(values), max(values))), name


@pytest.mark.parametrize("rules", RULES)
def test_under_any_rules_candidates_are_those_that_judging_one_document_moves(rules: dict[str, Any]) -> None:
    rng = random.Random(1)
    for measure in MEASURES.split():
        (qrels, a), (_, b) = world(rng), world(rng)

        def difference(
            judged: dict[str, int], *, name: str = measure, qrels: Any = qrels, runs: Any = (a, b)
        ) -> float:
            means = [tr.evaluate({**qrels, "q": judged}, run, name, rules=rules).mean[name] for run in runs]
            return means[0] - means[1]

        found = tr.judge_next(qrels, a, b, measure, 100, rules=rules)
        now = difference(qrels["q"])
        told = {doc for run in (a, b) for doc in open_docs(qrels["q"], run["q"], rules)}
        could = {doc: [now, *(difference({**qrels["q"], doc: grade}) for grade in (0, 1, 2))] for doc in told}
        limits = {doc: (min(values), max(values)) for doc, values in could.items()}
        moving = {doc for doc, (low, high) in limits.items() if high - low > 1e-12}
        assert (found.open, {each.doc for each in found.candidates}) == (len(told), moving)
        assert found.difference == pytest.approx(now)
        for each in found.candidates:
            assert (each.low, each.high) == pytest.approx(limits[each.doc])
