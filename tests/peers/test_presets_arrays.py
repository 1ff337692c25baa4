"""The presets of tools that take arrays are equal to the tools on random runs, or differ as docs/tools.md says."""

from __future__ import annotations

import random

import pytest
from peer_asking import ask, assert_equal, ours
from peer_cases import Case, Kind, cases

import truerank as tr

GRADES = pytest.mark.parametrize("grades", [(0, 1), (0, 1, 1, 2, 3)], ids=["binary", "graded"])


@GRADES
def test_scikit_learn_is_its_preset_where_every_judged_document_has_a_score(grades: tuple[int, ...]) -> None:
    dcg = ["DCG(ties='averaged')", "DCG(ties='averaged')@10"]
    named = {"measures": [*tr.Rules.named("sklearn").measures, *dcg]}
    assert_equal("sklearn", cases(Kind(grades=grades, missing=0, empty=0, all_returned=True, more=named)))


@GRADES
def test_scikit_learn_is_its_preset_at_a_cutoff_above_what_did_not_come_back(grades: tuple[int, ...]) -> None:
    asked = cases(Kind(grades=grades, missing=0, empty=0, more={"measures": ["nDCG(ties='averaged')@10"]}))
    for case, theirs in zip(asked, ask("sklearn", asked), strict=True):
        scores = ours("sklearn", case, list(theirs["mean"]))
        assert scores.mean == pytest.approx(theirs["mean"], rel=0, abs=1e-12)


def test_scikit_learn_knows_no_document_that_did_not_come_back() -> None:
    from sklearn.metrics import average_precision_score

    case = Case({"q": {"a": 1, "b": 1}}, {"q": [("a", 2.0), ("x", 1.0)]})
    assert ours("sklearn", case, ["AP(ties='together')"]).mean == {"AP(ties='together')": 0.5}
    assert average_precision_score([1, 0, 1], [2.0, 1.0, 0.0]) == pytest.approx(5 / 6)


def test_scikit_learn_s_label_ranking_gives_1_to_a_row_without_relevant_documents() -> None:
    from sklearn.metrics import label_ranking_average_precision_score as ranking

    case = Case({"q": {"a": 1, "b": 0}, "r": {"a": 0, "b": 0}}, {q: [("b", 1.0), ("a", 1.0)] for q in "qr"})
    assert ranking([[1, 0], [0, 0]], [[1.0, 1.0], [1.0, 1.0]]) == 0.75
    measure = "AP(ties='together')"
    assert ours("sklearn", case, [measure]).mean == {measure: 0.25}
    assert ours("sklearn", case, [measure], without_relevant="skip").mean == {measure: 0.5}


def test_scikit_learn_s_other_names_are_measures_with_its_numbers() -> None:
    from sklearn import metrics

    chance = random.Random(5)
    for _ in range(200):
        labels = [1, 0, *(chance.randint(0, 1) for _ in range(6))]
        for tied in (False, True):
            scores = [float(chance.randint(0, 3)) if tied else chance.random() for _ in labels]
            wanted = {
                "roc_auc_score": metrics.roc_auc_score(labels, scores),
                "label_ranking_average_precision_score": metrics.label_ranking_average_precision_score(
                    [labels], [scores]
                ),
            }
            qrels, run = ({"q": {str(i): x for i, x in enumerate(row)}} for row in (labels, scores))
            found = tr.evaluate(qrels, run, list(wanted), rules="sklearn", as_written=True).mean
            assert found == pytest.approx(wanted, rel=0, abs=1e-12)
            if not tied:
                one = {"q": {str(chance.randrange(8)): 1}}
                theirs = metrics.top_k_accuracy_score([*map(int, one["q"])], [scores], labels=range(8))
                assert tr.evaluate(one, run, "top_k_accuracy_score", as_written=True).mean == {
                    "top_k_accuracy_score": theirs
                }


@GRADES
def test_torchmetrics_is_its_preset_without_ties(grades: tuple[int, ...]) -> None:
    assert_equal("torchmetrics", cases(Kind(grades=grades, extra=0, tied=False)), digits=1e-6)


def test_torchmetrics_ndcg_is_the_mean_over_the_orders_of_ties() -> None:
    asked = cases(Kind(extra=0))
    for case, theirs in zip(asked, ask("torchmetrics", asked), strict=True):
        name = "nDCG(ties='averaged')@10"
        assert ours("torchmetrics", case, [name]).mean[name] == pytest.approx(theirs["mean"][name], abs=1e-6)


def test_torchmetrics_does_not_see_hits_whose_score_is_not_above_0() -> None:
    case = Case({"q": {"a": 1}}, {"q": [("a", -1.0), ("x", -2.0)]})
    theirs = ask("torchmetrics", [case])[0]["mean"]
    assert (theirs["RR@10"], theirs["Success@10"]) == (0.0, 1.0)
    assert ours("torchmetrics", case, ["RR@10", "Success@10"]).mean == {"RR@10": 1.0, "Success@10": 1.0}
