"""The presets of tools that evaluate retrievers equal the tools on random lists, or differ as the docs say."""

from __future__ import annotations

import math

import pytest
from peer_asking import ask, assert_equal, ours
from peer_cases import Case, Kind, cases, together

import truerank as tr

GRADES = pytest.mark.parametrize("grades", [(0, 1), (0, 1, 1, 2, 3)], ids=["binary", "graded"])
SCORES = pytest.mark.parametrize(
    "grades", [(0, 1), (0, 1, 1, 2, 3), (0, 0.2, 0.9)], ids=["binary", "graded", "below 1"]
)
TWICE = {"q": [("a", 3.0), ("a", 2.0), ("b", 1.0)]}


@GRADES
def test_llama_index_is_its_preset(grades: tuple[int, ...]) -> None:
    kind = Kind(grades=grades, barren=0, missing=0, empty=0, lists=True)
    assert_equal("llama-index", cases(kind))


@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        ({"q": {"a": 1}, "r": {"a": 1}}, {"q": [("a", 1.0)]}, "query r is judged but not answered"),
        ({"q": {"a": 1}, "r": {"a": 1}}, {"q": [("a", 1.0)], "r": []}, "query r is judged but not answered"),
        ({"q": {"a": 1}, "r": {"a": 0}}, {"q": [("a", 1.0)], "r": [("a", 1.0)]}, "query r has no relevant doc"),
    ],
)
def test_llama_index_and_its_preset_refuse_the_same(qrels: dict, run: dict, message: str) -> None:
    case = Case(qrels, run, lists=True)
    assert ask("llama-index", [case])[0]["error"].startswith("ValueError")
    with pytest.raises(tr.InputError, match=message):
        ours("llama-index", case)


def test_llama_index_counts_repeated_documents_again_but_not_in_recall_and_precision() -> None:
    asked = cases(Kind(barren=0, missing=0, empty=0, extra=0, lists=True, repeated=True))
    for case, theirs in zip(asked, ask("llama-index", asked), strict=True):
        mine = ours("llama-index", case).mean
        same = ["AP", "RR", "nDCG(gain='binary')", "SetSuccess"]
        assert [mine[name] for name in same] == pytest.approx([theirs["mean"][name] for name in same], abs=1e-12)
        once = ours("llama-index", case, ["SetR"], duplicates="first").mean["SetR"]
        assert once == pytest.approx(theirs["mean"]["SetR"], abs=1e-12)


@SCORES
def test_haystack_is_its_preset(grades: tuple[float, ...]) -> None:
    assert_equal("haystack", cases(Kind(grades=grades, lists=True, repeated=False)))


@SCORES
def test_haystack_is_its_preset_on_lists_that_repeat_documents(grades: tuple[float, ...]) -> None:
    assert_equal("haystack", cases(Kind(grades=grades, lists=True, repeated=True)))


@SCORES
def test_haystack_before_august_2026_is_its_preset(grades: tuple[float, ...]) -> None:
    assert_equal("haystack-2026-07", cases(Kind(grades=grades, lists=True)))


def test_haystack_before_august_2026_counted_repeated_documents_again_but_not_in_recall() -> None:
    asked = cases(Kind(lists=True, repeated=True))
    for case, theirs in zip(asked, ask("haystack-2026-07", asked), strict=True):
        mine = ours("haystack-2026-07", case).mean
        same = ["AP(divisor='hits')", "RR", "nDCG", "SetSuccess"]
        assert [mine[name] for name in same] == pytest.approx([theirs["mean"][name] for name in same], abs=1e-12)
        once = ours("haystack-2026-07", case, ["SetR"], duplicates="once").mean["SetR"]
        assert once == pytest.approx(theirs["mean"]["SetR"], abs=1e-12)


@GRADES
def test_autorag_is_its_preset(grades: tuple[int, ...]) -> None:
    assert_equal("autorag", cases(Kind(grades=grades, lists=True)))


def test_autorag_asked_for_all_relevant_documents_has_recall_and_a_mean_of_reciprocal_ranks() -> None:
    case = Case({"q": {"a": 1, "b": 1}}, {"q": [("a", 2.0), ("x", 1.0)]}, lists=True, more={"all_needed": True})
    theirs = ask("autorag", [case])[0]["mean"]
    assert (theirs["SetSuccess"], theirs["RR"], theirs["AP(divisor='hits')"]) == (0.5, 0.5, 0.5)
    assert ours("autorag", case, ["SetR", "RR"]).mean == {"SetR": 0.5, "RR": 1.0}


def test_autorag_s_ndcg_can_pass_1_on_repeated_documents_and_so_can_the_preset_s() -> None:
    case = Case({"q": {"a": 1}}, TWICE, lists=True)
    name = "nDCG(gain='binary', ideal='returned')"
    theirs = ask("autorag", [case])[0]["mean"][name]
    assert theirs > 1.6
    assert ours("autorag", case, [name], duplicates="count").mean[name] == pytest.approx(theirs, abs=1e-12)
    with pytest.raises(tr.InputError, match="is returned twice"):
        ours("autorag", case)


@GRADES
def test_mlflow_is_its_preset(grades: tuple[int, ...]) -> None:
    assert_equal("mlflow", [_never_both_empty(case) for case in cases(Kind(grades=grades, lists=True))])


def _never_both_empty(case: Case) -> Case:
    """The case without queries that nothing is relevant to and nothing was returned for; they are tested apart."""
    answered = {q for q in case.qrels if case.run.get(q)}
    keep = {q: judged for q, judged in case.qrels.items() if q in answered or any(g >= 1 for g in judged.values())}
    return Case(keep or {"q": {"a": 1}}, case.run, lists=True)


def test_mlflow_calls_an_empty_answer_to_nothing_right_but_not_precise() -> None:
    case = Case({"q": {"a": 0}}, {"q": []}, lists=True)
    theirs = ask("mlflow", [case])[0]["mean"]
    recall, precision, ndcg = theirs
    assert list(theirs.values()) == [1, 0, 1]
    assert ours("mlflow", case).mean == {recall: 1, precision: 1, ndcg: 1}
    assert ours("mlflow", case, without_relevant="zero").mean[precision] == 0


def test_mlflow_counts_a_repeated_document_once_in_recall_and_each_time_in_precision() -> None:
    case = Case({"q": {"a": 1, "b": 1}}, TWICE, lists=True)
    theirs = ask("mlflow", [case])[0]["mean"]
    recall, precision, _ = theirs
    assert (theirs[recall], theirs[precision]) == (1.0, 1.0)
    assert ours("mlflow", case, [recall]).mean == {recall: 1.0}
    assert ours("mlflow", case, [precision], duplicates="count").mean == {precision: 1.0}


@GRADES
def test_ragas_recall_by_ids_is_its_preset_s(grades: tuple[int, ...]) -> None:
    kind = Kind(grades=grades, lists=True, repeated=True)
    case = together(cases(kind, 60))
    (theirs,) = ask("ragas", [case])
    scores = ours("ragas", case, ["SetR"])
    columns = zip(scores.queries, scores["SetR"].tolist(), strict=True)
    mine = {query: value for query, value in columns if not math.isnan(value)}
    assert mine == pytest.approx(theirs["values"]["SetR"], abs=1e-12)
    assert scores.mean["SetR"] == pytest.approx(theirs["mean"]["SetR"], abs=1e-12)


@GRADES
def test_ragas_precision_by_ids_leaves_empty_answers_out_and_the_preset_s_scores_them_0(
    grades: tuple[int, ...],
) -> None:
    kind = Kind(grades=grades, missing=0, empty=0, lists=True, repeated=True)
    assert_equal("ragas", [without_barren(together(cases(kind, 60)))])
    with_empty = together(cases(Kind(grades=grades, lists=True), 60))
    (theirs,) = ask("ragas", [with_empty])
    for rules, agrees in ({"empty": "missing", "missing": "skip"}, True), ({}, False):
        mine = ours("ragas", with_empty, ["SetP"], **rules).mean["SetP"]
        assert (mine == pytest.approx(theirs["mean"]["SetP"], abs=1e-12)) is agrees


def without_barren(case: Case) -> Case:
    kept = {query: judged for query, judged in case.qrels.items() if max(judged.values()) >= 1}
    return Case(kept, case.run, case.lists)


@GRADES
def test_deepeval_s_contextual_precision_is_its_preset(grades: tuple[int, ...]) -> None:
    assert_equal("deepeval", [together(cases(Kind(grades=grades, lists=True), 500))])


def test_place_recognition_counts_queries_with_any_near_place_among_the_first_k_of_all_queries() -> None:
    for case in cases(Kind(grades=(0, 1), lists=True)):
        recalls = dict.fromkeys((1, 5, 10, 20), 0)
        for query, judged in case.qrels.items():
            near = [rank for rank, (doc, _) in enumerate(case.run.get(query, [])) if judged.get(doc, 0) > 0]
            for k in recalls:
                recalls[k] += any(rank < k for rank in near)
        expected = {f"Success@{k}": found / len(case.qrels) for k, found in recalls.items()}
        assert ours("vpr", case).mean == pytest.approx(expected, abs=1e-12)
