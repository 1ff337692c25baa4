"""The presets of recommenders' tools equal the tools on random lists, or differ as docs/tools.md says."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import Any

import pytest
from peer_asking import ask, assert_equal, assert_plainly, ours
from peer_cases import Case, Kind, cases, together

import truerank as tr

GRADES = pytest.mark.parametrize("grades", [(0, 1), (0, 1, 1, 2, 3)], ids=["binary", "graded"])

RATED = pytest.mark.parametrize(
    "grades", [(0, 1), (0, 1, 1, 2, 3), (0, 0.5, 3.5)], ids=["binary", "graded", "stars"]
)
"""Of tools that take a table of ratings, each row of which is relevant, half a star too."""

KS = (1, 3, 10)


def at_each(names: dict[str, str]) -> dict[str, Any]:
    """What is asked, at each cutoff: {our name: theirs}."""
    return {"measures": {ours.format(k): theirs.format(k) for k in KS for ours, theirs in names.items()}}


SPARK = {"P@{}": "precisionAt {}", "R@{}": "recallAt {}", "AP(divisor='capped')@{}": "meanAveragePrecisionAt {}"}
WHOLE = {"AP(divisor='capped')": "meanAveragePrecision"}
EVALUATOR = {
    "P@{}": "precisionAtK {}",
    "R@{}": "recallAtK {}",
    "AP(divisor='capped')@{}": "meanAveragePrecisionAtK {}",
    "nDCG(gain='binary')@{}": "ndcgAtK {}",
    **WHOLE,
}

needs_java = pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java")


@needs_java
@GRADES
@pytest.mark.parametrize("repeated", [False, True], ids=["once", "repeated"])
def test_spark_s_ranking_metrics_are_their_preset(grades: tuple[int, ...], repeated: bool) -> None:
    kind = Kind(grades=grades, lists=True, repeated=repeated)
    asked = at_each({**SPARK, **WHOLE, "nDCG(gain='binary')@{}": "ndcgAt {}"})
    assert_equal("spark", [together(cases(replace(kind, more=asked), 500))])


@needs_java
@GRADES
def test_spark_s_ranking_evaluator_is_the_preset_of_its_metrics(grades: tuple[int, ...]) -> None:
    asked = {**at_each(EVALUATOR), "evaluator": True}
    case = together(cases(Kind(grades=grades, lists=True, more=asked), 500))
    (theirs,) = ask("spark", [case])
    assert ours("spark", case, list(theirs["mean"])).mean == pytest.approx(theirs["mean"], rel=0, abs=1e-12)


@needs_java
def test_pyspark_takes_grades_and_does_not_use_them() -> None:
    more = {"measures": {"nDCG@10": "ndcgAt 10"}, "graded": True}
    case = Case({"q": {"a": 3, "b": 1}}, {"q": [("b", 2.0), ("a", 1.0)]}, lists=True, more=more)
    assert ask("spark", [case])[0]["mean"] == {"nDCG@10": pytest.approx(1.0)}
    assert ours("spark-graded", case, ["nDCG@10"]).mean["nDCG@10"] == pytest.approx(0.7098, abs=1e-4)


RECOMMENDERS = {
    "P@{}": "precision_at_k(k={})",
    "R@{}": "recall_at_k(k={})",
    "AP(divisor='capped')@{}": "map_at_k(k={})",
}
RECOMMENDERS_NDCG = {"nDCG(gain='binary')@{}": "ndcg_at_k(k={})"}


@RATED
def test_recommenders_is_its_preset(grades: tuple[float, ...]) -> None:
    asked = [together(cases(Kind(grades=grades, more=at_each(RECOMMENDERS)), 500))]
    for case, theirs in zip(asked, ask("recommenders", asked), strict=True):
        scores = ours("recommenders", case, list(theirs["mean"]))
        assert scores.mean == pytest.approx(theirs["mean"], rel=0, abs=1e-12)
        assert_plainly("recommenders", case, theirs["mean"])


@RATED
def test_recommenders_ndcg_alone_counts_users_without_an_answer(grades: tuple[float, ...]) -> None:
    asked = [together(cases(Kind(grades=grades, more=at_each(RECOMMENDERS_NDCG)), 500))]
    for case, theirs in zip(asked, ask("recommenders", asked), strict=True):
        scores = ours("recommenders", case, list(theirs["mean"]), missing="zero")
        assert scores.mean == pytest.approx(theirs["mean"], rel=0, abs=1e-12)
    all_answered = [together(cases(Kind(grades=grades, missing=0, empty=0, more=at_each(RECOMMENDERS_NDCG)), 500))]
    for case, theirs in zip(all_answered, ask("recommenders", all_answered), strict=True):
        assert_plainly("recommenders", case, theirs["mean"])


RECTOOLS = {
    "P@{}": "Precision(k={})",
    "R@{}": "Recall(k={})",
    "Success@{}": "HitRate(k={})",
    "F@{}": "F1Beta(k={})",
    "AP@{}": "MAP(k={})",
    "RR@{}": "MRR(k={})",
    "SDCG(gain='binary')@{}": "NDCG(k={})",
}


@RATED
def test_rectools_is_its_preset(grades: tuple[float, ...]) -> None:
    assert_equal("rectools", [together(cases(Kind(grades=grades, more=at_each(RECTOOLS)), 500))])


def test_rectools_calls_its_own_scaled_dcg_ndcg() -> None:
    case = Case({"q": {"a": 1}}, {"q": [("a", 1.0)]}, more={"measures": {"nDCG@3": "NDCG(k=3)"}})
    theirs = ask("rectools", [case])[0]["mean"]["nDCG@3"]
    assert theirs == pytest.approx(0.4693, abs=1e-4)
    assert ours("rectools", case, ["nDCG@3"]).mean["nDCG@3"] == pytest.approx(theirs, abs=1e-12)


REPLAY = {
    "P@{}": "Precision {}",
    "R@{}": "Recall {}",
    "Success@{}": "HitRate {}",
    "AP(divisor='capped')@{}": "MAP {}",
    "RR@{}": "MRR {}",
    "nDCG(gain='binary')@{}": "NDCG {}",
}


@RATED
def test_replay_is_its_preset(grades: tuple[float, ...]) -> None:
    assert_equal("replay", [together(cases(Kind(grades=grades, more=at_each(REPLAY)), 500))])


def test_replay_s_area_is_the_share_of_pairs_in_order_among_the_first_k() -> None:
    case = together(cases(Kind(more=at_each({"AUROC@{}": "RocAuc {}"})), 500))
    (theirs,) = ask("replay", [case])
    scores = ours("replay", case, list(theirs["mean"]))
    assert [scores.mean[name] for name in theirs["mean"]] == pytest.approx(list(theirs["mean"].values()), abs=1e-12)
    assert (scores.columns.keys(), scores.ledger.foreign) == ({f"Accuracy(depth={k})" for k in KS}, ())


LENSKIT = {
    "P(divisor='returned')@{}": "Precision({})",
    "R(capped=True)@{}": "Recall({})",
    "Success@{}": "Hit({})",
    "RR@{}": "RecipRank({})",
    "AP(divisor='returned')@{}": "AveragePrecision({})",
    "nDCG(gain='binary', discount='jk')@{}": "NDCG({})",
    "DCG(gain='binary', discount='jk')@{}": "DCG({})",
    "RBP(p=0.85)@{}": "RBP({})",
}
GAINS = {"nDCG(discount='jk')@{}": "NDCG({}, gain='rating')", "DCG(discount='jk')@{}": "DCG({}, gain='rating')"}


@RATED
def test_lenskit_is_its_preset(grades: tuple[float, ...]) -> None:
    assert_equal("lenskit", [together(cases(Kind(grades=grades, extra=0, barren=0, more=at_each(LENSKIT)), 500))])


def test_lenskit_scores_0_where_nothing_is_relevant_or_divides_by_it() -> None:
    case = Case({"q": {"a": 0}}, {"q": [("a", 1.0)]}, more={"measures": {"RR@10": "RecipRank(10)"}})
    assert ask("lenskit", [case])[0]["mean"] == ours("lenskit", case, ["RR@10"]).mean == {"RR@10": 0.0}
    case.more["measures"] = {"AP@10": "AveragePrecision(10)"}
    assert "ZeroDivisionError" in ask("lenskit", [case])[0]["error"]


def test_lenskit_s_gains_are_a_parameter() -> None:
    asked = [together(cases(Kind(extra=0, barren=0, more=at_each(GAINS)), 500))]
    for case, theirs in zip(asked, ask("lenskit", asked), strict=True):
        mine = ours("lenskit", case, list(theirs["mean"])).mean
        assert mine == pytest.approx(theirs["mean"], rel=0, abs=1e-12)


def test_lenskit_counts_lists_that_nothing_is_known_of_and_the_preset_leaves_them_out() -> None:
    more = {"measures": {"RR@10": "RecipRank(10)"}}
    case = Case({"q": {"a": 1}}, {"q": [("a", 1.0)], "r": [("a", 1.0)]}, more=more)
    assert ask("lenskit", [case])[0]["mean"] == {"RR@10": 0.5}
    assert ours("lenskit", case, ["RR@10"]).mean == {"RR@10": 1.0}


RECBOLE = {
    "R@{}": "Recall {}",
    "RR@{}": "MRR {}",
    "nDCG(gain='binary')@{}": "NDCG {}",
    "Success@{}": "Hit {}",
    "P@{}": "Precision {}",
    "AP(divisor='capped')@{}": "MAP {}",
}


@RATED
def test_recbole_is_its_preset(grades: tuple[float, ...]) -> None:
    kind = Kind(grades=grades, barren=0, missing=0, more={**at_each(RECBOLE), "width": 20})
    assert_equal("recbole", [together(cases(kind, 500))])


@RATED
def test_implicit_is_its_preset(grades: tuple[float, ...]) -> None:
    names = {"AP(divisor='capped')@{}": "map {}", "nDCG(gain='binary')@{}": "ndcg {}"}
    kind = Kind(grades=grades, missing=0, more={**at_each(names), "width": 20})
    assert_equal("implicit", [together(cases(kind, 500))])


CORNAC = {
    "P@{}": "Precision {}",
    "R@{}": "Recall {}",
    "F@{}": "FMeasure {}",
    "Success@{}": "HitRatio {}",
    "nDCG(gain='binary')@{}": "NDCG {}",
    "NCRR@{}": "NCRR {}",
}
CORNAC_WHOLE = {"RR": "MRR", "AP(ties='together')": "MAP", "nDCG(gain='binary')": "NDCG", "SetF": "FMeasure"}


@GRADES
def test_cornac_s_metrics_are_measures_here(grades: tuple[float, ...]) -> None:
    more = {"measures": at_each(CORNAC)["measures"] | CORNAC_WHOLE}
    case = together(cases(Kind(grades, 0, 0, 0, 0, all_returned=True, more=more), 500))
    (theirs,) = ask("cornac", [case])
    found = tr.evaluate(case.qrels, case.given(), list(theirs["mean"]), rules={"ties": "input"}).mean
    assert found == pytest.approx(theirs["mean"], rel=0, abs=1e-12)
