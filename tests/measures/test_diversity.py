"""Diversity: the greedy ideal and what it is far from, weights of intents, and the names that people write."""

from __future__ import annotations

import itertools
import math
import random

import pytest

import truerank as tr
from oracles import Answer
from oracles_diversity import discounted, log2, novel
from truerank.core.qrels import Qrels
from truerank.measures.novelty import greedy

Judged = dict[str, dict[str, dict[str, float]]]


def dcg(judged: dict[str, dict[str, float]], docs: tuple[str, ...], alpha: float) -> float:
    """α-DCG of a list, undivided, by the oracle."""
    return discounted(novel([judged[doc] for doc in docs], Answer([], [], 1, []), 1, alpha), log2, None)


def best_of_all(judged: dict[str, dict[str, float]], alpha: float) -> float:
    """The highest α-DCG of any order, by trying them all."""
    return max(dcg(judged, order, alpha) for order in itertools.permutations(judged))


def greedily(judged: dict[str, dict[str, float]], alpha: float, size: int) -> tuple[str, ...]:
    """The greedy order of the first documents."""
    hits = greedy(tr.rank({"q": judged}, {"q": []}), 1, alpha, size)
    assert hits.aspects is not None
    assert hits.aspects.ids is not None
    begin, end, text = hits.aspects.ids
    return tuple(text[begin[doc] : end[doc]].decode() for doc in hits.doc.tolist())


def judgements(seed: int) -> dict[str, dict[str, float]]:
    """Five documents, each relevant to some of four aspects."""
    chance = random.Random(seed)
    names = [str(number) for number in range(1, 5)]
    return {doc: dict.fromkeys(chance.sample(names, chance.randint(1, 3)), 1.0) for doc in "abcde"}


def test_the_greedy_list_is_nearly_the_best_one_and_never_below_its_bound() -> None:
    shares = []
    for seed in range(40):
        judged, alpha = judgements(seed), random.Random(seed).choice([0.5, 0.9, 1])
        shares.append(dcg(judged, greedily(judged, alpha, 5), alpha) / best_of_all(judged, alpha))
    assert max(shares) <= 1 + 1e-12
    assert min(shares) > 0.97
    assert sum(share > 1 - 1e-9 for share in shares) >= 30


def test_a_list_that_gives_up_a_little_at_the_top_for_more_below_can_score_above_1() -> None:
    judged = {
        "a": dict.fromkeys("135", 1.0),
        "b": dict.fromkeys("12", 1.0),
        "c": dict.fromkeys("34", 1.0),
        "d": dict.fromkeys("56", 1.0),
    }
    found = max(
        tr.evaluate({"q": judged}, {"q": list(order)}, "alpha_nDCG(alpha=1)@3").mean["alpha_nDCG(alpha=1)@3"]
        for order in itertools.permutations("abcd", 3)
    )
    assert greedily(judged, 1, 1) == ("a",)
    assert found == pytest.approx(1.0317, abs=1e-4)


@pytest.mark.parametrize("seed", range(20))
def test_the_greedy_list_is_the_one_that_a_loop_makes(seed: int) -> None:
    judged, alpha = judgements(seed), random.Random(seed).choice([0, 0.5, 1])
    order: list[str] = []
    while len(order) < 5:
        left = sorted(set(judged) - set(order))
        order.append(max(left, key=lambda doc: (dcg(judged, (*order, doc), alpha), doc)))
    assert greedily(judged, alpha, 5) == tuple(order)


def test_of_documents_that_add_as_much_the_one_whose_id_sorts_last_comes_first() -> None:
    judged = {"d10": {"1": 1.0}, "d9": {"2": 1.0}, "d1": {"3": 1.0}, "d": {"4": 1.0}}
    assert greedily(judged, 0.5, 4) == ("d9", "d10", "d1", "d")


def test_intents_weigh_as_much_as_they_are_likely() -> None:
    qrels = Qrels.from_dict({"q": {"a": {"1": 1}, "b": {"2": 1}}}).weighted({"q": {"1": 3, "2": 1}})
    names = ["alpha_nDCG@2", "alpha_DCG(best='none')@1", "ERR_IA(best='intents')@1", "NRBP(beta=0)", "D_nDCG@1"]
    found = tr.evaluate(qrels, {"q": ["b", "a"]}, [*names, "nDCG_IA@1", "D#-nDCG@1"]).mean
    log3 = math.log2(3)
    assert list(found.values()) == pytest.approx(
        [(1 + 3 / log3) / (3 + 1 / log3), 1, 0.25, 0.25, 1 / 3, 0.25, (0.5 + 1 / 3) / 2]
    )


NAMES = {
    "strec@10": "StRecall@10",
    "alpha-nDCG@5": "alpha_nDCG@5",
    "alpha-DCG@20": "alpha_DCG@20",
    "MAP-IA": "AP_IA",
    "P-IA@5": "P_IA@5",
    "ERR-IA@20": "ERR_IA@20",
    "nERR-IA@20": "nERR_IA@20",
    "alpha_nDCG(alpha=0.9, rel=2)@20": "alpha_nDCG(alpha=0.9, level=2)@20",
    "NRBP(alpha=0.3, beta=0.7)": "NRBP(alpha=0.3, beta=0.7)",
    "nnrbp": "nNRBP",
    "D#-nDCG@10": "Dsharp_nDCG@10",
    "D♯-nDCG@10": "Dsharp_nDCG@10",
    "D-nDCG": "D_nDCG",
    "nDCG-IA@3": "nDCG_IA@3",
}


@pytest.mark.parametrize(("written", "name"), NAMES.items())
def test_the_names_of_ndeval_ir_measures_and_ntcir_are_understood(written: str, name: str) -> None:
    assert str(tr.parse_measure(written)) == name


def test_equal_scores_of_documents_with_other_aspects_are_in_the_ledger() -> None:
    judged: Judged = {"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}}}
    assert tr.evaluate(judged, {"q": {"a": 1.0, "b": 1.0}}, "alpha_nDCG@1").ledger.tied == 1


@pytest.mark.parametrize(
    "name", ["alpha_nDCG@3", "ERR_IA@3", "NRBP", "nDCG_IA@3", "D_nDCG@3", "Dsharp_nDCG@3", "P_IA@2"]
)
def test_each_is_worked_out_to_its_value(name: str) -> None:
    judged: Judged = {"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}, "c": {"3": 2}}, "r": {"a": {"1": 1}}}
    run = {"q": ["a", "x", "b"], "r": ["a"]}
    worked = tr.explain(judged, run, "q", name)
    scores = tr.evaluate(judged, run, name)
    assert worked.worked.is_derived
    assert worked.worked.value == pytest.approx(scores[name][0], abs=1e-12)
