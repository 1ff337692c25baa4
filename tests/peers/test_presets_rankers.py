"""The presets of tools that learn to rank, and of metric learning, equal the tools, or differ as the docs say."""

from __future__ import annotations

import random
from typing import Any

import pytest
from peer_asking import ask, assert_equal, assert_near, assert_plainly, ours
from peer_cases import Case, Kind, cases, together
from test_presets_recommenders import GRADES, at_each

import truerank as tr

SCORED = {"missing": 0.0, "empty": 0.0, "extra": 0.0, "all_returned": True}
"""Every judged document has a score."""

XGBOOST = {"nDCG(gain='exp')@{}": "ndcg@{}", "AP(divisor='capped')@{}": "map@{}"}
XGBOOST_P = {"P(divisor='returned')@{}": "pre@{}"}
LINEAR = {"nDCG(gain='linear')@{}": "ndcg@{}"}


@GRADES
def test_xgboost_is_its_preset(grades: tuple[int, ...]) -> None:
    asked = [together(cases(Kind(grades=grades, barren=0, **SCORED, more=at_each({**XGBOOST, **XGBOOST_P})), 500))]
    assert_equal("xgboost", asked)


@GRADES
def test_xgboost_scores_1_where_nothing_is_relevant_but_0_with_a_minus_and_in_precision(
    grades: tuple[int, ...],
) -> None:
    plain = together(cases(Kind(grades=grades, **SCORED, more=at_each(XGBOOST)), 500))
    minus = {name: f"{theirs}-" for name, theirs in plain.more["measures"].items()}
    others = {**minus, **at_each(XGBOOST_P)["measures"]}
    one, zero = ask("xgboost", [plain, Case(plain.qrels, plain.run, more={"measures": others})])
    assert_plainly("xgboost", plain, one["mean"])
    assert_plainly("xgboost", plain, zero["mean"], without_relevant="zero")


def test_xgboost_cuts_lists_at_32_where_no_cutoff_is_asked_for() -> None:
    judged = {f"d{rank}": int(rank % 7 == 3) for rank in range(60)}
    run = {"q": [(doc, -float(rank)) for rank, doc in enumerate(judged)]}
    case = Case({"q": judged}, run, more={"measures": {name: name for name in ("ndcg", "map", "pre")}})
    (theirs,) = ask("xgboost", [case])
    scores = ours("xgboost", case, ["ndcg", "map", "pre"])
    assert {name: scores.mean[name] for name in theirs["mean"]} == pytest.approx(theirs["mean"], rel=0, abs=1e-12)
    assert scores.ledger.foreign == ()


def test_xgboost_s_linear_gains_are_a_parameter() -> None:
    case = together(cases(Kind(**SCORED, more={**at_each(LINEAR), "exp": False}), 500))
    (theirs,) = ask("xgboost", [case])
    assert ours("xgboost", case, list(theirs["mean"])).mean == pytest.approx(theirs["mean"], rel=0, abs=1e-12)


LIGHTGBM = {"nDCG(gain='exp')@{}": "ndcg@{}", "AP(divisor='capped')@{}": "map@{}"}


@GRADES
def test_lightgbm_is_its_preset(grades: tuple[int, ...]) -> None:
    case = together(cases(Kind(grades=grades, **SCORED, more=at_each(LIGHTGBM)), 500))
    assert_plainly("lightgbm", case, ask("lightgbm", [case])[0]["mean"])


CATBOOST = {"nDCG@{}": "NDCG:top={}", "R@{}": "RecallAt:top={}"}
CATBOOST_0 = {
    "AP(divisor='capped')@{}": "MAP:top={}",
    "P(divisor='returned')@{}": "PrecisionAt:top={}",
    "RR@{}": "MRR:top={}",
    "DCG@{}": "DCG:top={}",
}


@GRADES
def test_catboost_is_its_preset_without_ties(grades: tuple[int, ...]) -> None:
    kind = Kind(grades=grades, tied=False, **SCORED, more=at_each(CATBOOST))
    one = together(cases(kind, 500))
    assert_plainly("catboost", one, ask("catboost", [one])[0]["mean"])
    zero = Case(one.qrels, one.run, more=at_each(CATBOOST_0))
    assert_plainly("catboost", one, ask("catboost", [zero])[0]["mean"], without_relevant="zero")


def test_catboost_s_names_are_read_as_it_writes_them() -> None:
    names = [theirs.format(3) for theirs in {**CATBOOST, **CATBOOST_0}.values()]
    names += ["NDCG", "NDCG:type=Exp", "NDCG:top=4;type=Exp;denominator=Position", "DCG:denominator=Position"]
    names += ["MAP", "PrecisionAt", "RecallAt:top=1", "MRR", "PFound:top=2"]
    kind = Kind(tied=False, barren=0, **SCORED, more={"measures": dict(zip(names, names, strict=True)), "best": 3})
    case = together(cases(kind, 300))
    (theirs,) = ask("catboost", [case])
    scores = ours("catboost", case, names)
    assert {name: scores.mean[name] for name in names} == pytest.approx(theirs["mean"], rel=0, abs=1e-6)


def test_catboost_s_pfound_is_its_preset_s_to_32_bits() -> None:
    more = {**at_each({"PFound@{}": "PFound:top={}"}), "best": 3}
    case = together(cases(Kind(tied=False, **SCORED, more=more), 500))
    (theirs,) = ask("catboost", [case])
    assert_plainly("catboost", case, theirs["mean"], 1e-6, without_relevant="zero")


def test_catboost_takes_the_worst_order_of_equal_scores_which_is_the_lowest_bound() -> None:
    case = together(cases(Kind(barren=0, **SCORED, more=at_each({**CATBOOST, **CATBOOST_0})), 60))
    (theirs,) = ask("catboost", [case])
    found = tr.bounds(case.qrels, case.given(), list(theirs["mean"]), "ties", rules="catboost").ties
    lowest = {name: found[name].lowest for name in theirs["mean"]}
    assert lowest == pytest.approx(theirs["mean"], rel=0, abs=1e-12)


@pytest.mark.parametrize(
    ("tool", "names", "rules"),
    [
        ("lightgbm", {"AP(divisor='capped')@{}": "map@{}"}, {}),
        ("catboost", CATBOOST, {}),
        ("catboost", CATBOOST_0, {"without_relevant": "zero"}),
        ("catboost", {"PFound@{}": "PFound:top={}"}, {"without_relevant": "zero"}),
    ],
    ids=["lightgbm", "catboost", "catboost-0", "catboost-pfound"],
)
def test_labels_may_be_fractions_of_which_those_above_a_half_are_relevant(
    tool: str, names: dict[str, str], rules: dict[str, str]
) -> None:
    chance, shares = random.Random(3), (0, 0.125, 0.25, 0.5, 0.75, 1)
    qrels: dict[str, dict[str, float]] = {}
    for query in map(str, range(300)):
        highest = chance.choice(shares)
        qrels[query] = {f"d{n}": highest * chance.choice(shares) for n in range(chance.randint(1, 9))}
    run = {
        query: list(zip(docs, map(float, range(len(docs), 0, -1)), strict=True)) for query, docs in qrels.items()
    }
    more = {**at_each(names), "as they are": True, "best": 1}
    case = Case(qrels, run, more=more)  # type: ignore[arg-type]  # grades are whole numbers elsewhere
    digits = 1e-6 if "PFound@{}" in names else 1e-12
    assert_plainly(tool, case, ask(tool, [case])[0]["mean"], digits, **rules)


def test_xgboost_s_linear_gains_may_be_fractions() -> None:
    qrels: Any = {"q": {"a": 0.5, "b": 0.25}, "r": {"a": 0.125, "b": 0.75}, "s": {"a": 0}}
    run = {query: [(doc, float(place)) for doc, place in zip("ba", (2, 1), strict=True)] for query in "qr"}
    case = Case(qrels, {**run, "s": [("a", 1.0)]}, more={**at_each(LINEAR), "exp": False})
    (theirs,) = ask("xgboost", [case])
    assert ours("xgboost", case, list(theirs["mean"])).mean == pytest.approx(theirs["mean"], rel=0, abs=1e-12)


TF_RANKING = {
    "nDCG(gain='exp')@{}": "NDCG@{}",
    "RR@{}": "MRR@{}",
    "P(divisor='returned')@{}": "Precision@{}",
    "R@{}": "Recall@{}",
    "AP@{}": "MeanAveragePrecision@{}",
}
TF_RANKING_SEEN = {"SetSuccess(depth={})": "Hits@{}", "Bpref(depth={})": "BPref@{}"}


@GRADES
def test_tf_ranking_is_its_preset_without_ties_of_which_it_draws_the_order(grades: tuple[int, ...]) -> None:
    kind = Kind(grades=grades, tied=False, **SCORED, more=at_each(TF_RANKING))
    assert_equal("tf-ranking", [together(cases(kind, 60))], digits=1e-6)


@GRADES
def test_tf_ranking_s_hits_and_bpref_see_the_first_k_alone(grades: tuple[int, ...]) -> None:
    """All that is returned has a label there."""
    case = together(cases(Kind(grades=grades, tied=False, **SCORED), 20))
    run = {query: [row for row in docs if row[0] in case.qrels[query]] for query, docs in case.run.items()}
    case = Case(case.qrels, run, more=at_each(TF_RANKING_SEEN))
    (theirs,) = ask("tf-ranking", [case])
    scores = ours("tf-ranking", case, list(theirs["mean"]))
    assert scores.ledger.foreign == ()
    assert_near(dict(scores.mean), theirs["mean"], "means", 1e-6)


LEARNING = {
    "P@1": "precision_at_1",
    "Rprec": "r_precision",
    "APatR": "mean_average_precision_at_r",
    "AP": "mean_average_precision",
    "RR": "mean_reciprocal_rank",
}


@pytest.mark.parametrize("seed", range(20))
def test_pytorch_metric_learning_is_its_preset(seed: int) -> None:
    chance = random.Random(seed)
    classes, there = chance.randint(2, 8), chance.randint(3, 30)
    labels = {
        "references": [chance.randrange(classes) for _ in range(there)],
        "queries": [chance.randrange(classes + 1) for _ in range(25)],
    }
    rankings = [chance.sample(range(there), there) for _ in range(25)]
    more = {"rankings": rankings, "labels": labels, "measures": LEARNING}
    qrels = {
        f"q{n}": {str(doc): int(own == label) for doc, own in enumerate(labels["references"])}
        for n, label in enumerate(labels["queries"])
    }
    run = {f"q{n}": [(str(doc), -float(rank)) for rank, doc in enumerate(o)] for n, o in enumerate(rankings)}
    case = Case(qrels, run, more=more)
    means = ask("pytorch-metric-learning", [case])[0]["mean"]
    assert_plainly("pytorch-metric-learning", case, {"RR": means.pop("RR")}, 1e-7)  # it has 32 bits
    assert_plainly("pytorch-metric-learning", case, means)
