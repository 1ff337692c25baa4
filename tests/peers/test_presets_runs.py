"""The presets of tools that evaluate runs equal the tools on random runs, or differ as docs/tools.md says."""

from __future__ import annotations

import math

import numpy as np
import pytest
from peer_asking import ask, assert_equal, ours
from peer_cases import Case, Kind, cases

import truerank as tr

FIVE_DIGITS = 0.5e-5 + 1e-9
"""BEIR and MTEB round their means to five digits."""

GRADES = pytest.mark.parametrize("grades", [(0, 1), (0, 1, 1, 2, 3)], ids=["binary", "graded"])


MORE = {"ir_measures": ["nDCG", "AP@10", "R@5", "SetP", "SetR", "SetAP", "IPrec@0.1", "infAP"]}
"""What is asked besides what the preset evaluates when nothing is named: all of its readings are asked."""


def measured(tool: str) -> dict[str, list[str]]:
    return {"measures": [*tr.Rules.named(tool).measures, *MORE.get(tool, [])]}


@GRADES
@pytest.mark.parametrize("tool", ["ir_measures", "ir_measures-msmarco"])
def test_ir_measures_is_its_two_presets(tool: str, grades: tuple[int, ...]) -> None:
    asked = cases(Kind(grades=grades, more=measured(tool)))
    for case, theirs in zip(asked, ask("ir_measures", asked), strict=True):
        scores = ours(tool, case, measured(tool)["measures"])
        assert scores.ledger.foreign == ()
        assert scores.mean == pytest.approx(theirs["mean"], rel=0, abs=1e-12)
        for name in scores.columns:
            mine = dict(zip(scores.queries, scores[name].tolist(), strict=True))
            assert mine == pytest.approx(theirs["values"][name], rel=0, abs=1e-12)


def test_of_a_repeated_document_ir_measures_takes_the_last_score() -> None:
    rows = [("a", 3.0), ("x", 2.0), ("a", 1.0)]
    case = Case({"q": {"a": 1}}, {"q": rows}, more={"measures": ["RR"]})
    assert ask("ir_measures", [case])[0]["mean"] == {"RR": 0.5}
    run = tr.Run("rows", lambda: iter([b"".join(b"q 0 %b 0 %g t\n" % (d.encode(), s) for d, s in rows)]))
    assert tr.evaluate(case.qrels, run, "RR", rules="ir_measures").mean == {"RR": 0.5}


@GRADES
def test_ranx_is_its_preset(grades: tuple[int, ...]) -> None:
    assert_equal("ranx", cases(Kind(grades=grades, empty=0, longest=15), 30))


def test_ranx_refuses_an_empty_answer() -> None:
    assert ask("ranx", [Case({"q": {"a": 1}}, {"q": []})])[0]["error"].startswith("ValueError")


@GRADES
def test_beir_is_its_preset(grades: tuple[int, ...]) -> None:
    assert_equal("beir", cases(Kind(grades=grades, itself=0.5)), digits=FIVE_DIGITS)


@pytest.mark.parametrize("grades", [(0, 1), (0, 1, 1, 2, 3), (0, 0.2, 0.9)], ids=["binary", "graded", "below 1"])
def test_beir_s_own_measures_are_their_preset(grades: tuple[float, ...]) -> None:
    asked = cases(Kind(grades=grades, barren=0, extra=0))
    assert_equal("beir-custom", asked, digits=FIVE_DIGITS)


def test_beir_s_own_measures_end_at_what_the_preset_refuses_or_scores_0() -> None:
    extra = Case({"q": {"a": 1}}, {"q": [("a", 1.0)], "r": [("a", 1.0)]})
    barren = Case({"q": {"a": 0}}, {"q": [("a", 1.0)]})
    errors = [found["error"].partition(":")[0] for found in ask("beir-custom", [extra, barren])]
    assert errors == ["KeyError", "ZeroDivisionError"]
    with pytest.raises(tr.InputError, match="query r is not judged"):
        ours("beir-custom", extra)
    assert ours("beir-custom", barren).mean["R(capped=True)@100"] == 0


def test_beir_keeps_the_query_itself_among_the_relevant_documents_that_it_cannot_find() -> None:
    case = Case({"q": {"q": 1, "a": 1}}, {"q": [("q", 2.0), ("a", 1.0)]})
    assert ask("beir", [case])[0]["mean"]["R@10"] == ours("beir", case, ["R@10"]).mean["R@10"] == 0.5


@GRADES
def test_mteb_s_naucs_are_nauc_where_no_two_lists_are_as_sure(grades: tuple[int, ...]) -> None:
    asked = [_spread(case) for case in cases(Kind(grades=grades, extra=0, empty=0, tied=False))]
    for case, theirs in zip(asked, ask("mteb", asked), strict=True):
        found = ours("mteb", case, [*theirs["mean"], *theirs["abstention"]])
        for name, value in theirs["abstention"].items():
            of = dict(tr.parse_measure(name).params).get("of", "nDCG@10")
            varies = np.ptp(found[of]) > 1e-9  # else MTEB has NaN, or what rounding makes of it
            assert found.mean[name] == pytest.approx(value if varies else 0, rel=0, abs=1e-9)


@GRADES
def test_mteb_is_its_preset(grades: tuple[int, ...]) -> None:
    asked = [_as_32_bits(case) for case in cases(Kind(grades=grades, extra=0))]
    assert_equal("mteb", asked, digits=FIVE_DIGITS)


def _spread(case: Case) -> Case:
    """Lists of two documents and more whose scores are spread as those of no other are."""
    factors = {query: 1 + place / (10 * math.pi) for place, query in enumerate(case.run)}
    run = {q: [(doc, score * factors[q]) for doc, score in docs] for q, docs in case.run.items() if len(docs) > 1}
    return Case(case.qrels, run)


def _as_32_bits(case: Case) -> Case:
    """As MTEB has scores: they come out of a 32-bit tensor."""
    run = {q: [(doc, 1.0 if score < 1.1 else score) for doc, score in docs] for q, docs in case.run.items()}
    return Case(case.qrels, run)


def test_mteb_s_mrr_alone_tells_scores_apart_that_are_one_as_32_bit_numbers() -> None:
    case = Case({"q": {"a": 1}}, {"q": [("a", 1.0 + 1e-9), ("b", 1.0)]})
    assert ask("mteb", [case])[0]["mean"]["RR@10"] == 1.0
    assert ours("mteb", case, ["RR@10", "AP@10"]).mean == {"RR@10": 0.5, "AP@10": 0.5}
    assert ours("mteb", case, ["RR@10"], score_precision="double").mean == {"RR@10": 1.0}


@GRADES
def test_sentence_transformers_is_its_preset(grades: tuple[int, ...]) -> None:
    assert_equal("sentence-transformers", cases(Kind(grades=grades)))
