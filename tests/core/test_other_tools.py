"""Measures as other tools spell and define them: what is understood, what is refused, and the same numbers."""

from __future__ import annotations

import importlib
import math
import random
import re
import warnings
from typing import Any

import numpy as np
import pytest

import truerank as tr
from truerank import MeasureError, parse_measure
from truerank.core.hits import Hits
from truerank.measures import parse_measures
from truerank.measures.sums import PerQuery

READ = {
    "rbp.95": "RBP(p=0.95)",
    "rbp.50": "RBP(p=0.5)",
    "RBP.5": "RBP(p=0.5)",
    "rbp_0.95": "RBP(p=0.95)",
    "rbp_at_95": "RBP@95",
    "RBP@95": "RBP@95",
    "rbp.95-l2": "RBP(p=0.95, level=2)",
    "hits": "Hits",
    "hits@5": "Hits@5",
    "HR@10": "Success@10",
    "map-l2": "AP(level=2)",
    "map@100-l3": "AP(level=3)@100",
    "nDCG@10-l2": "nDCG(gain_from=2)@10",
    "ndcg_burges": "nDCG(gain='exp')",
    "ndcg_burges@10-l2": "nDCG(gain='exp', gain_from=2)@10",
    "dcg_burges@3": "DCG(gain='exp')@3",
    "r-precision-l2": "Rprec(level=2)",
    "f1@5": "F@5",
    "F1@5-l2": "F(level=2)@5",
    "f1": "SetF",
    "recall_cap@10": "R(capped=True)@10",
    "R_cap@10": "R(capped=True)@10",
    "hole@10": "Unjudged@10",
    "NCG@100": "nDCG(discount='none')@100",
    "CG@10": "DCG(discount='none')@10",
    "nDCG(discount=none)": "nDCG(discount='none')",
    "Novelty(users=none)": "Novelty",
    "context_precision": "SetP",
    "id_based_context_precision": "SetP",
    "context_recall": "SetR",
    "id_based_context_recall": "SetR",
    "GAUC@10": "AUROC@10",
    "first_relevant_rank@10": "FirstRank@10",
    "NDCG:top=5;type=Exp": "nDCG(gain='exp')@5",
    "DCG:type=Base;denominator=Position": "DCG(discount='reciprocal')",
    "PrecisionAt:top=3": "P(divisor='returned')@3",
    "RecallAt": "SetR",
}

REFUSED = {
    "rbp_95": "'rbp_95' could be RBP(p=0.95) or RBP@95; write the one that you mean",
    "rbp.100": "'rbp.100' could be RBP(p=0.1) or RBP@100",
    "rbp_resid_50": "'rbp_resid_50' could be RBPResidual(p=0.5) or RBPResidual@50",
    "Judged@5-l2": "Judged has no level; it takes k",
    "AP(level=1)-l2": "'AP(level=1)-l2' says level twice: 1 and 2",
    "ERR(max_grade=-1)": "ERR: max_grade is a number from 0 up, not -1",
    "nDCG(gain={1: 2, 1: 3})": "says twice what a grade is worth",
    "nDCG(gain={1: 2, 1.0: 3})": "says twice what a grade is worth",
    "nDCG(discount=[0.5, 1])": "one per rank, none above the one before, not (0.5, 1)",
    "nDCG(discount=[])": "none above the one before, not ()",
    "nDCG(discount=(0, 0))": "none above the one before, not (0, 0)",
    "nDCG(discount='ln')": "discount is 'log2', 'jk', 'reciprocal', 'none' or a list of weights",
    "PFound(chance={1: 2})": "a mapping {grade: chance} of grades from 0 up and chances from 0 to 1",
    "FirstRank": "FirstRank needs k: write FirstRank@10",
}


def mean(qrels: Any, run: Any, measure: str) -> float:
    return next(iter(tr.evaluate(qrels, run, [measure]).mean.values()))


@pytest.mark.parametrize(("text", "printed"), READ.items())
def test_other_tools_spellings_are_read_as_they_mean_them(text: str, printed: str) -> None:
    assert str(parse_measure(text)) == printed


@pytest.mark.parametrize("text", REFUSED)
def test_what_could_mean_two_things_or_nothing_is_refused(text: str) -> None:
    with pytest.raises(MeasureError, match=re.escape(REFUSED[text])):
        parse_measure(text)


def test_a_number_after_a_comma_goes_on_with_such_a_spelling() -> None:
    found = [str(measure) for measure in parse_measures("rbp.90,95 P@5-l2,10 map-l2")]
    assert found == ["RBP(p=0.9)", "RBP(p=0.95)", "P(level=2)@5", "P(level=2)@10", "AP(level=2)"]


def drawn(rng: random.Random, grades: tuple[int, ...]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Judgements of four queries and answers without equal scores."""
    docs = [f"d{number}" for number in range(30)]
    queries = [f"q{number}" for number in range(4)]
    qrels = {q: {doc: rng.choice(grades) for doc in rng.sample(docs, rng.randint(1, 8))} for q in queries}
    scores = [float(score) for score in rng.sample(range(99), 15)]
    return qrels, {q: dict(zip(rng.sample(docs, 15), scores, strict=True)) for q in queries}


def worlds(grades: tuple[int, ...], number: int) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    rng = random.Random(7)
    return [drawn(rng, grades) for _ in range(number)]


@pytest.mark.parametrize("grades", [(1,), (1, 2, 3)], ids=["binary", "graded"])
def test_the_numbers_are_those_of_ranx(grades: tuple[int, ...]) -> None:
    pytest.importorskip("ranx")
    names = ["hits@5", "hits", "hit_rate@5", "f1@5", "f1", "f1@5-l2", "map-l2", "ndcg@10-l2", "ndcg_burges@10"]
    names += ["ndcg_burges@10-l3", "dcg_burges@5-l2", "precision@5-l2", "mrr@5-l2", "r-precision-l2"]
    names += ["rbp.95", "rbp.5"] if grades == (1,) else []  # ranx takes grades above 1 as they are
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ranx = importlib.import_module("ranx")
        for qrels, run in worlds(grades, 6):
            theirs = ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), names)
            ours = tr.evaluate(qrels, run, names)
            for name in names:
                assert ours.mean[str(parse_measure(name))] == pytest.approx(theirs[name], abs=1e-12), name


def test_areas_and_correlations_are_those_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = random.Random(3)
    for _ in range(60):
        n = rng.randint(3, 15)
        truth, scores = [rng.randint(0, 1) for _ in range(n)], [rng.randint(0, 4) for _ in range(n)]
        qrels, run = ({"q": {f"d{i}": value for i, value in enumerate(each)}} for each in (truth, scores))
        k = rng.randint(1, n)
        first = sorted(range(n), key=lambda i: (scores[i], f"d{i}"), reverse=True)[:k]
        correlation = metrics.matthews_corrcoef(truth, [int(i in first) for i in range(n)])
        assert mean(qrels, run, f"MCC@{k}") == pytest.approx(correlation, abs=1e-12)
        if 0 < sum(truth) < n:
            assert mean(qrels, run, "AUROC") == pytest.approx(metrics.roc_auc_score(truth, scores), abs=1e-12)


def test_the_printed_example_of_jarvelin_and_kekalainen_comes_out() -> None:
    """TOIS 2002, section 2: G' and the ideal vector I', b = 2."""
    gains, ideal = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0], [3, 3, 3, 2, 2, 2, 1, 1, 1, 1]
    missed = list(ideal)
    for gain in filter(None, gains):
        missed.remove(gain)
    qrels = {f"d{rank}": gain for rank, gain in enumerate(gains) if gain}
    qrels |= {f"m{number}": gain for number, gain in enumerate(missed)}
    run = [f"d{rank}" for rank in range(len(gains))]

    def printed(name: str) -> list[float]:
        asked = [f"{name}(discount='jk')@{k}" for k in range(1, 11)]
        return [round(value, 2) for value in tr.evaluate({"q": qrels}, {"q": run}, asked).mean.values()]

    assert printed("DCG") == [3, 5, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61]
    assert printed("nDCG") == [1, 0.83, 0.87, 0.78, 0.71, 0.69, 0.73, 0.77, 0.83, 0.81]
    assert printed("IDCG")[:5] == [3, 6, 7.89, 8.89, 9.75]


def test_whose_discount_it_is_shows_in_one_hit_at_rank_1() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": ["a"]}
    assert mean(qrels, run, "DCG(log_base=10)") == math.log2(10)
    assert mean(qrels, run, "DCG(discount='jk', log_base=10)") == 1


def test_a_base_without_a_logarithm_is_refused() -> None:
    for measure in ("DCG(discount='reciprocal', log_base=10)", "nDCG(discount=(1,), log_base=3)"):
        with pytest.raises(MeasureError, match="log_base is for discount='log2' or 'jk'"):
            mean({"q": {"a": 1}}, {"q": ["a"]}, measure)


def test_below_the_end_of_a_table_of_weights_nothing_counts() -> None:
    run = {"q": ["x", "a", "b"]}
    assert mean({"q": {"a": 2, "b": 1}}, run, "DCG(discount=(1, 0.5))") == 1
    assert mean({"q": {"a": 2, "b": 1}}, run, "nDCG(discount=(1, 0.5))") == 1 / 2.5


@pytest.mark.parametrize(("qrels", "run"), worlds((0, 1), 5))
def test_ncrr_is_ndcg_with_the_reciprocal_discount(qrels: Any, run: Any) -> None:
    for k in ("", "@3"):
        expected = mean(qrels, run, f"nDCG(gain='binary', discount='reciprocal'){k}")
        assert mean(qrels, run, f"NCRR{k}") == pytest.approx(expected, abs=1e-12)


def test_the_example_of_tensorflow_ranking_comes_out() -> None:
    assert mean({"q": {"a": 0, "b": 1, "c": 1}}, {"q": {"a": 3.0, "b": 1.0, "c": 2.0}}, "ARP@3") == 2.5


def test_pfound_is_what_its_paper_says_of_yandex_grades() -> None:
    chances = {4: 0.61, 3: 0.41, 2: 0.14, 1: 0.07}
    found = mean({"q": {"a": 4, "b": 2}}, {"q": ["a", "x", "b"]}, f"PFound(chance={chances})")
    assert found == pytest.approx(0.61 + 0.39 * 0.85 * 0.85 * 0.14)


def test_an_answer_without_a_hit_has_the_worst_rank_and_not_the_best() -> None:
    for name in ("FirstRank", "MeanRank", "ARP"):
        assert parse_measure(f"{name}@5").definition.lower_is_better
        assert mean({"q": {"a": 1}}, {"q": []}, f"{name}@5") == 6
        assert mean({"q": {"a": 0}}, {"q": ["a"]}, f"{name}@5") == 6


def test_average_precision_by_the_cutoff_needs_one() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": ["a", "x"]}
    assert mean(qrels, run, "AP(divisor='k')@2") == 0.5
    with pytest.raises(MeasureError, match=re.escape("write AP(divisor='k')@10")):
        mean(qrels, run, "AP(divisor='k')")


def test_a_collection_smaller_than_what_came_back_is_refused() -> None:
    for measure in ("FallOut(docs=2)@1", "MCC(docs=2)@1"):
        with pytest.raises(MeasureError, match="docs=2 is too small: there are 3 relevant or returned"):
            mean({"q": {"a": 1}}, {"q": ["x", "y"]}, measure)


def test_the_formula_of_accuracy_says_what_queries_without_a_hit_score() -> None:
    formula = tr.measures()["Accuracy"].formula
    assert formula.endswith("only relevant: 1; none: 0")
    assert mean({"q": {"a": 1}}, {"q": ["a"]}, "Accuracy") == 1
    assert mean({"q": {"a": 1}}, {"q": ["x"]}, "Accuracy") == 0


@pytest.mark.parametrize("measure", ["DCG", "nDCG", "IDCG", "G", "nDCGrel", "Rndcg", "ARP@5"])
def test_gains_whose_sum_would_overflow_are_refused(measure: str) -> None:
    qrels = {"q": {"a": 1.0, "b": 1.5e308, "c": 1.5e308}}
    with pytest.raises(MeasureError, match=r"a gain of 1.5e\+308 is too large to be summed"):
        mean(qrels, {"q": ["b", "a"]}, measure)


def test_values_whose_mean_would_overflow_are_refused() -> None:
    @tr.measure("Huge", unit=False)
    def huge(hits: Hits) -> PerQuery:
        """Very much."""
        return np.full(len(hits.queries), 1e308)

    try:
        with pytest.raises(MeasureError, match="the values of Huge are too large to be summed over 2 queries"):
            _ = tr.evaluate({"q": {"a": 1}, "r": {"a": 1}}, {"q": ["a"]}, "Huge").mean
    finally:
        tr.unregister("Huge")


def test_a_large_parameter_is_a_decimal_and_no_crash() -> None:
    assert mean({"q": {"a": 1}}, {"q": ["a"]}, "Utility(a=1e100)") == 1e100
    assert str(parse_measure("Utility(a=1e20)")) == str(parse_measure(f"Utility(a={10**20})")) == "Utility(a=1e+20)"
