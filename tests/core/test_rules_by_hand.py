"""Every measure under every reading of the rules, against oracles that apply the rules by hand."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import truerank as tr
from oracles import OF_JUDGEMENTS, TAKES_UNJUDGED_GRADES, Listing, valued
from test_laws import MEASURES
from truerank.core.evaluate import seen_by
from truerank.measures import Measure
from worlds import World, worlds

RULES = st.fixed_dictionaries(
    {},
    optional={
        "without_relevant": st.sampled_from(["zero", "one", "undefined", "empty-is-right"]),
        "unjudged": st.sampled_from(["not-relevant", "removed", "graded"]),
        "unjudged_grade": st.sampled_from([0, 0.5, 1, 2]),
        "depth": st.integers(1, 6),
        "depth_of": st.sampled_from(["left", "returned"]),
        "self_match": st.sampled_from(["keep", "remove", "remove-from-answers"]),
    },
)


def with_self(world: World, name: str) -> World:
    """The same with a document of each query called like the query."""
    rename = lambda query, docs: {query if doc == name else doc: value for doc, value in docs.items()}  # noqa: E731
    return World(
        {query: rename(query, docs) for query, docs in world.qrels.items()},
        {query: rename(query, docs) for query, docs in world.run.items()},
        aspects={query: rename(query, docs) for query, docs in world.judged.items()},
    )


def listing(world: World, query: str, self_match: str) -> Listing:
    kept = {
        q: {d: g for d, g in docs.items() if d != q or self_match != "remove"} for q, docs in world.qrels.items()
    }
    highest = max([0.0, *(grade for docs in kept.values() for grade in docs.values())])
    docs = world.ranked(query)
    scores = [world.run[query][doc] for doc in docs]
    return Listing(query, world.qrels[query], docs, scores, highest, world.judged[query])


def full(rules: dict[str, Any]) -> dict[str, Any]:
    return {"unjudged_grade": 0, **rules}


def expected(m: Measure, rules: dict[str, Any], listings: list[Listing]) -> list[float]:
    params = dict(m.params)
    if params.get("gain") == "binary" and "gain_from" in m.definition.parameters:
        params.setdefault("gain_from", rules.get("level", 1))
    values = [valued(m.name, each, full(rules), params) for each in listings]
    return [math.nan if value is None else value for value in values]


def refusal(m: Measure, rules: dict[str, Any]) -> str:
    """Why a measure cannot be had under the rules; nothing where it can."""
    if rules.get("unjudged") == "graded" and m.name not in TAKES_UNJUDGED_GRADES | OF_JUDGEMENTS:
        return "cannot be had under unjudged = 'graded'"
    cut_first = rules.get("unjudged") == "removed" and rules.get("depth_of") == "returned" and "depth" in rules
    asks = dict(m.params).get("ties") in ("averaged", "together")  # a mean over orders is one over what is removed
    return "cannot be had where the depth" if cut_first and asks else ""


@settings(max_examples=150)
@given(worlds(st.sampled_from([-1, 0, 1, 2, 3])), RULES)
def test_every_measure_under_any_rules_is_that_of_its_oracle(world: World, rules: dict[str, Any]) -> None:
    world = with_self(world, "d3")
    refused = {str(m): why for m in MEASURES if (why := refusal(m, rules))}
    allowed = [m for m in MEASURES if str(m) not in refused]
    scores = tr.evaluate(world.judged, world.run, allowed, rules=rules)
    listings = [listing(world, query, rules.get("self_match", "keep")) for query in scores.queries]
    right = np.array([expected(m, rules, listings) for m in allowed])
    found = np.array([scores[m] for m in allowed])
    same = np.isclose(found, right, rtol=1e-12, atol=1e-12, equal_nan=True).all(axis=1)
    wrong = [(str(m), *values) for m, *values, ok in zip(allowed, found, right, same, strict=True) if not ok]
    assert wrong == []
    hits, under = tr.rank(world.judged, world.run, rules=rules), tr.Rules.of(rules)
    for name, why in refused.items():
        with pytest.raises(tr.MeasureError, match=why):
            seen_by(tr.parse_measure(name), hits, under)
    for name, why in list(refused.items())[:1]:
        with pytest.raises(tr.MeasureError, match=why):
            tr.evaluate(world.judged, world.run, [name], rules=rules)


@settings(max_examples=60)
@given(worlds(st.sampled_from([0, 1, 2, 3]), st.sampled_from([1.0, 2.0])), st.integers(1, 8))
def test_a_depth_is_a_cutoff_to_measures_that_ask_about_ties(world: World, depth: int) -> None:
    names = ["DCG(ties='averaged')", "DCG(ties='averaged', gain='exp')", "AP(ties='together')"]
    cut = tr.evaluate(world.qrels, world.run, names, rules={"depth": depth})
    at = tr.evaluate(world.qrels, world.run, [f"{name}@{depth}" for name in names])
    for one, other in zip(cut.columns.values(), at.columns.values(), strict=True):
        assert one == pytest.approx(other, rel=1e-12, abs=1e-12)


@settings(max_examples=40)
@given(worlds(st.sampled_from([0, 1, 2]), st.sampled_from([1.0, 2.0]), queries=2), st.integers(1, 4))
def test_the_mean_over_orders_is_what_bounds_say_it_is(world: World, depth: int) -> None:
    assume(all(len(docs) <= 6 for docs in world.run.values()))
    averaged = tr.evaluate(world.qrels, world.run, "nDCG(ties='averaged')", rules={"depth": depth})
    found = tr.bounds(world.qrels, world.run, "nDCG", "ties", rules={"depth": depth}).ties["nDCG"]
    assert averaged["nDCG(ties='averaged')"] == pytest.approx(found.expected, abs=1e-12)


def test_a_tie_that_the_depth_cuts_is_averaged_over_all_orders() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": dict.fromkeys(["a", "x", "y"], 1.0)}
    value = tr.evaluate(qrels, run, "nDCG(ties='averaged')", rules={"depth": 1}).mean
    assert value == {"nDCG(ties='averaged')": pytest.approx(1 / 3)}
    assert tr.evaluate(qrels, run, "nDCG", rules={"depth": 1}).mean == {"nDCG": 0.0}
    why = tr.explain(qrels, run, "q", "nDCG(ties='averaged')", rules={"depth": 1})
    assert why.worked.lines[-1].value == why.value == pytest.approx(1 / 3)


def test_what_is_nothing_to_find_scores_1_whatever_is_returned() -> None:
    qrels, run = {"q": {"a": 0}, "r": {"b": 1}}, {"q": ["a", "x"], "r": ["y"]}
    scores = tr.evaluate(qrels, run, "nDCG AP Judged@2 Unjudged@2 NumRet", rules={"without_relevant": "one"})
    assert {name: values.tolist() for name, values in scores.columns.items()} == {
        "nDCG": [1.0, 0.0],
        "AP": [1.0, 0.0],
        "Judged@2": [0.5, 0.0],
        "Unjudged@2": [0.5, 0.5],
        "NumRet": [2.0, 1.0],
    }
    why = tr.explain(qrels, run, "q", "AP", rules={"without_relevant": "one"})
    assert (why.value, why.ruling and why.ruling.text()) == (1.0, "1: nothing is relevant, whatever was returned")


def test_what_a_measure_can_find_decides_whether_there_is_nothing_to_find() -> None:
    """nDCG and PFound know no level: where the best grade is 0.5 there is something to gain, and nothing for AP."""
    qrels, run = {"q": {"a": 0.5, "b": 0.25}, "r": {"a": 1}}, {"q": ["b", "a"], "r": ["a"]}
    names, rules = "nDCG PFound AP AP(level=0.5) RR P@1 P(level=2)@1", {"without_relevant": "one"}
    scores = tr.evaluate(qrels, run, names, rules=rules)
    plainly = tr.evaluate(qrels, run, names)
    for name in ("nDCG", "PFound", "AP(level=0.5)"):
        assert scores[name].tolist() == plainly[name].tolist()
        assert scores[name][0] < 1
        why = tr.explain(qrels, run, "q", name, rules=rules)
        assert (why.value, why.ruling) == (scores[name][0], None)
    for name in ("AP", "RR", "P@1"):
        assert (scores[name].tolist(), plainly[name].tolist()) == ([1.0, 1.0], [0.0, 1.0])
    assert scores["P(level=2)@1"].tolist() == [1.0, 1.0]
    notes = {note.rule: note.text for note in tr.explain(qrels, run, "q", "nDCG", rules=rules).notes}
    assert notes["without_relevant"].endswith("nDCG has a value all the same.")


def test_a_reader_who_gains_by_the_grade_finds_what_no_level_calls_relevant() -> None:
    qrels, run = {"q": {"a": 0.5, "b": 0.25}, "r": {"a": 1}}, {"q": ["b", "a"], "r": ["a"]}
    graded = ["SDCG@2", "INST", "BPM", "RBP(gain='graded')", "RBP(gain='scaled')"]
    binary = ["SDCG(gain='binary')@2", "RBP", "Rndcg"]
    scores = tr.evaluate(qrels, run, graded + binary, rules={"without_relevant": "one"})
    plainly = tr.evaluate(qrels, run, graded + binary)
    for name in graded:
        assert scores[name].tolist() == plainly[name].tolist()
        assert 0 < scores[name][0] < 1
    for name in binary:
        assert (scores[name][0], plainly[name][0]) == (1, 0)


def test_an_empty_answer_that_is_right_has_nothing_unjudged() -> None:
    rules = {"without_relevant": "empty-is-right"}
    scores = tr.evaluate({"q": {"a": 0}}, {"q": {}}, "Unjudged@2 RBPResidual AP", rules=rules)
    assert scores.mean == {"Unjudged@2": 0.0, "RBPResidual": 1.0, "AP": 1.0}


def test_less_is_better_turns_round_what_is_right() -> None:
    @tr.measure("Missed", lower_is_better=True)
    def missed(hits: tr.Hits, *, level: float = 1) -> Any:
        """The share of relevant documents that were not returned; less is better."""
        total = hits.relevant_total(level)
        return np.where(total > 0, (total - hits.relevant(level).count) / np.maximum(total, 1), 0.0)

    try:
        for rules, values in (("empty-is-right", [0.0, 1.0]), ("one", [0.0, 0.0])):
            run = {"q": {}, "r": ["x"]}
            scores = tr.evaluate({"q": {"a": 0}, "r": {"a": 0}}, run, "Missed", rules={"without_relevant": rules})
            assert scores["Missed"].tolist() == values
    finally:
        tr.unregister("Missed")


def test_a_measure_without_a_value_is_left_out_of_its_own_mean_alone() -> None:
    qrels, run = {"q": {"a": 0}, "r": {"b": 1}, "s": {"c": 1}}, {"q": ["a"], "r": ["b"], "s": ["x", "c"]}
    scores = tr.evaluate(qrels, run, "AP P@1 RR AP(level=0)", rules={"without_relevant": "undefined"})
    assert scores.mean == {"AP": 0.75, "P@1": 1 / 3, "RR": 0.5, "AP(level=0)": pytest.approx(2.5 / 3)}
    assert (scores.ledger.evaluated, dict(scores.ledger.undefined)) == (3, {"AP": 1})
    assert scores.to_dict(per_query=True)["queries"]["q"] == {"AP": None, "P@1": 0.0, "RR": 0.0, "AP(level=0)": 1.0}
    assert json.dumps(scores.to_dict(per_query=True), allow_nan=False)
    why = tr.explain(qrels, run, "q", "AP", rules={"without_relevant": "undefined"})
    assert (why.is_counted, math.isnan(why.value), why.shares) == (False, True, {})
    assert json.dumps(why.to_dict(), allow_nan=False)
    assert "none, by the rules" in str(why)
    assert "nan" not in str(why).split()
    moved = tr.diff(qrels, run, {**run, "s": ["c"]}, "AP", rules={"without_relevant": "undefined"}, query="q")
    assert json.dumps(moved.to_dict(), allow_nan=False)
    assert (moved.better, moved.worse, moved.same) == (1, 0, 1)  # q has no value to stay the same
    assert "has no value, and its mean leaves the query out" in " ".join(note.text for note in why.notes)


def test_pairs_and_gates_are_of_queries_that_have_a_value() -> None:
    qrels = {f"q{n}": {"a": int(n > 3)} for n in range(14)}
    one, other = {q: ["a"] for q in qrels}, {q: ["x", "a"] for q in qrels}
    rules = {"without_relevant": "undefined"}
    outcomes = tr.compare(qrels, {"one": one, "two": other}, "RR AP", rules=rules).outcomes
    assert [(outcome.queries, outcome.left_out) for outcome in outcomes] == [(14, 0), (10, 4)]
    scores = [tr.evaluate(qrels, run, "AP", rules=rules) for run in (one, other)]
    verdicts = tr.check(scores[1], no_worse_than=scores[0], min={"AP": 0.5}).verdicts
    assert [(verdict.outcome, verdict.value) for verdict in verdicts] == [("pass", 0.5), ("fail", -0.5)]
    assert tr.bounds(qrels, one, "AP", "ties", rules=rules).ties["AP"].expected_mean == 1.0
    with pytest.raises(tr.RulesError, match="no bounds of its mean"):
        tr.bounds(qrels, one, "AP", "unjudged", rules=rules)


def test_unjudged_documents_can_be_given_a_grade() -> None:
    """Elasticsearch's unknown_doc_rating: what is unjudged gains, and the best list is of what was judged."""
    qrels, run = {"q": {"a": 3, "b": 1}}, {"q": ["a", "x", "b", "y"]}
    rules = {"unjudged": "graded", "unjudged_grade": 1}
    scores = tr.evaluate(qrels, run, "DCG@3 nDCG@3 P@4 P@2 RR(level=2) ERR@3 Judged@4", rules=rules)
    dcg, ideal = 3 + 1 / math.log2(3) + 1 / 2, 3 + 1 / math.log2(3)
    assert scores.mean == {
        "DCG@3": pytest.approx(dcg),
        "nDCG@3": pytest.approx(dcg / ideal),
        "P@4": 1.0,
        "P@2": 1.0,
        "RR(level=2)": 1.0,
        "ERR@3": pytest.approx(7 / 8 + 1 / 8 / 8 / 2 + 1 / 8 * 7 / 8 / 8 / 3),
        "Judged@4": 0.5,
    }
    why = tr.explain(qrels, run, "q", "DCG@3", rules=rules)
    assert why.worked.lines[-1].value == pytest.approx(dcg)
    for name in ("AP", "R@10", "Bpref"):
        with pytest.raises(tr.MeasureError, match="cannot be had under unjudged = 'graded'"):
            tr.evaluate(qrels, run, name, rules=rules)
    with pytest.raises(tr.RulesError, match="do not go together"):
        tr.Rules(unjudged="graded", duplicates="once")


def test_a_graded_top_k_needs_no_more_rows_than_k() -> None:
    rules = tr.Rules(unjudged="graded", unjudged_grade=1)
    hits = tr.rank({"q": {"a": 1}}, {"q": [f"x{n}" for n in range(10_000)]}, rules=rules)
    assert len(seen_by(tr.parse_measure("DCG@10"), hits, rules)) == 10


def test_a_document_that_leaves_the_answers_alone_is_still_among_the_relevant_ones_whose_groups_count() -> None:
    qrels, items = {"q": {"q": 1, "a": 1}}, {"q": {"group": "x"}, "a": {"group": "y"}}
    asked, rules = "AWRF(relevant=1)", {"self_match": "remove-from-answers"}
    scores = tr.evaluate(qrels, {"q": {"q": 2.0, "a": 1.0}}, asked, rules=rules, items=items)
    assert scores.mean == tr.evaluate(qrels, {"q": ["a"]}, asked, items=items).mean
    assert scores.mean[asked] < 1


@pytest.mark.parametrize("how", ["keep", "remove", "remove-from-answers"])
def test_the_query_itself_can_leave_the_answers_alone(how: str) -> None:
    qrels, run = {"q": {"q": 1, "a": 1, "b": 1}}, {"q": {"q": 0.9, "x": 0.5, "a": 0.4}}
    scores = tr.evaluate(qrels, run, ["nDCG@2", "R@5"], rules={"self_match": how})
    dcg = {"keep": 1.0, "remove": 1 / math.log2(3), "remove-from-answers": 1 / math.log2(3)}[how]
    assert scores.mean["nDCG@2"] == pytest.approx(dcg / (1 + 1 / math.log2(3)))
    assert scores.mean["R@5"] == pytest.approx({"keep": 2 / 3, "remove": 0.5, "remove-from-answers": 1 / 3}[how])
    why = tr.explain(qrels, run, "q", "R@5", rules={"self_match": how})
    assert why.worked.lines[-1].value == why.value == scores.mean["R@5"]


def test_trec_eval_cuts_before_it_removes_and_its_presets_too() -> None:
    qrels, run = {"q": {"a": 1, "b": 1}}, {"q": ["a", "x", "b"]}
    rules = {"depth": 2, "unjudged": "removed"}
    assert tr.evaluate(qrels, run, "R@5", rules=rules).mean == {"R@5": 1.0}
    for preset in ("trec_eval-10", "trec_eval-9"):
        under = tr.Rules.named(preset).replace(**rules)
        assert tr.evaluate(qrels, run, "R@5", rules=under).mean == {"R@5": 0.5}
        assert [doc.place for doc in tr.explain(qrels, run, "q", "R@5", rules=under).documents] == [
            *("ranked", "removed", "below depth")
        ]


UNRETURNED = {"q": {"a": 1}, "r": {"b": 1, "c": 0}, "s": {"d": 0}, "t": {"e": 1}}
RETURNED = {"q": {"a": 1}, "r": {"c": 0}, "s": {"d": 0}, "t": {}}
CAME = {"q": ["a", "x"], "r": ["c", "x"], "s": ["d"]}


@pytest.mark.parametrize("missing", ["zero", "skip"])
@pytest.mark.parametrize("rule", ["zero", "skip", "one", "undefined", "empty-is-right"])
def test_what_did_not_come_back_is_not_relevant_to_rules_either(rule: str, missing: str) -> None:
    """torchmetrics' empty_target_action sees the rows of the run alone."""
    names, rules = "AP R@5 RR P@1", {"without_relevant": rule, "missing": missing}
    ours = tr.evaluate(UNRETURNED, CAME, names, rules={**rules, "unreturned": "ignore"})
    cut = tr.evaluate(RETURNED, CAME, names, rules=rules)
    assert (ours.mean, ours.queries, ours.ledger) == (cut.mean, cut.queries, cut.ledger)
    assert ours.ledger.without_relevant == (3 if missing == "zero" else 2)
    for query in UNRETURNED:
        why = tr.explain(UNRETURNED, CAME, query, "AP", rules={**rules, "unreturned": "ignore"})
        has_value = not math.isnan(dict(zip(ours.queries, ours["AP"], strict=True)).get(query, math.nan))
        assert why.is_counted == has_value
    bounds = tr.bounds(UNRETURNED, CAME, "AP", "ties", rules={**rules, "unreturned": "ignore"})
    assert bounds.queries == ours.queries


def test_a_query_whose_relevant_documents_did_not_come_back_can_be_an_error() -> None:
    rules = {"without_relevant": "error", "unreturned": "ignore"}
    with pytest.raises(tr.InputError, match="query r has no relevant document"):
        tr.evaluate(UNRETURNED, CAME, "AP", rules=rules)
    with pytest.raises(tr.RulesError, match="unjudged documents decide whether query r"):
        tr.bounds(UNRETURNED, CAME, "AP", "unjudged", rules={**rules, "without_relevant": "skip"})


def test_repeats_that_count_are_found_once_where_a_measure_is_of_documents():
    """Random lists with repeats: each relevant document stands where it comes first, and its repeats are others."""
    rng = random.Random(8)
    for _ in range(200):
        docs = "abcdefgh"
        judged = {doc: rng.choice([0, 1, 2]) for doc in rng.sample(docs, 5)}
        listed, k = [rng.choice(docs) for _ in range(rng.randint(1, 12))], rng.randint(1, 6)
        relevant = [doc for doc in judged if judged[doc]]
        first = {doc: listed.index(doc) + 1 for doc in listed}
        ranks = [first.get(doc, math.inf) for doc in relevant]
        mean = sum(min(rank, k + 1) for rank in ranks) / len(ranks) if ranks else k + 1
        total = sum(judged.values())
        worth = sum(grade * min(first.get(doc, math.inf), k + 1) for doc, grade in judged.items())
        tp, n = sum(rank <= k for rank in ranks), min(k, len(listed))
        fp, fn = n - tp, len(relevant) - tp
        tn = len(listed) - sum(rank < math.inf for rank in ranks) - fp
        scale = math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
        expected = {
            f"MeanRank@{k}": mean,
            f"ARP@{k}": worth / total if total else k + 1,
            "mINP": len(ranks) / max(ranks) if ranks else 0.0,
            f"MCC@{k}": (tp * tn - fp * fn) / scale if scale else 0.0,
        }
        scores = tr.evaluate({"q": judged}, {"q": listed}, list(expected), rules={"duplicates": "count"})
        assert scores.mean == pytest.approx(expected)


@pytest.mark.parametrize("name", ["haystack", "haystack-2026-07", "beir-custom"])
def test_what_is_graded_above_0_is_relevant_to_haystack_and_beir_s_own_measures(name: str) -> None:
    qrels, run = {"q": {"a": 0.2, "b": 0.9, "c": 0, "d": -1}}, {"q": ["c", "d", "a", "b"]}
    found = {measure.partition("@")[0]: mean for measure, mean in tr.evaluate(qrels, run, rules=name).mean.items()}
    assert found["RR"] == 1 / 3
    whole = {"SetR", "SetSuccess", "Success", "R(capped=True)"} & found.keys()
    assert [found[measure] for measure in whole] == [1.0, 1.0]
