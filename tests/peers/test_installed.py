"""What computes by truerank computes what it did: ir_measures by the provider; BEIR, MTEB and PyTerrier too."""

from __future__ import annotations

import random
from typing import Any

import pytest
from peer_asking import ask
from peer_cases import Case, Kind, by_id, cases

PLAIN = [
    *("nDCG", "nDCG@10", "nDCG(gains={0:0,1:3})@10", "AP", "AP(rel=2)@7", "RR", "RR@3", "RR(rel=2)@10", "P@5"),
    *("P(rel=2)@5", "R@5", "R(rel=2)@10", "Rprec", "Rprec(rel=2)", "Bpref", "Bpref(rel=2)", "infAP"),
    *("infAP(rel=2)", "NumQ", "NumRel", "NumRet", "NumRet(rel=2)", "SetP", "SetP(relative=True,rel=2)"),
    *("SetR(rel=2)", "SetAP", "SetF", "SetF(beta=2.0)", "Success@3", "Success(rel=2)@10", "IPrec@0.1"),
    *("IPrec(rel=2)@0.35", "Judged", "Judged@10", "AP(judged_only=True)", "nDCG(judged_only=True)@5"),
    *("SetP(judged_only=True)", "P(judged_only=True,rel=2)@5", "RBP(rel=1)", "RBP(rel=2,p=0.5)"),
    *("BPM(max_rel=4)@10", "SDCG(max_rel=4)@10", "BPM(T=2.0,max_rel=4)@10", "NERR8(max_rel=4)@10"),
    *("NERR9(max_rel=4)@10", "NERR10(max_rel=4)", "NERR11(max_rel=4)", "NERR11(T=2.0,max_rel=4)"),
    *("INST(max_rel=4)", "INST(max_rel=5,min_rel=1)", "INSQ(T=2.0,max_rel=4)"),
]
"""Of one judgement a document. The highest grade is a power of 2: sums of gains are exact in any order."""

ASPECTS = [
    *("ERR_IA@5", "ERR_IA(rel=2)@10", "nERR_IA(rel=2)@5", "alpha_DCG(alpha=0.3)@5", "alpha_nDCG@5"),
    *("alpha_nDCG@10", "NRBP", "NRBP(alpha=0.4,beta=0.6)", "nNRBP", "AP_IA", "AP_IA(rel=2)", "P_IA@5"),
    *("StRecall@5", "StRecall(rel=2)@9", "ERR_IA@1", "alpha_DCG@1", "alpha_DCG(rel=2,alpha=0.3)@1"),
]

ANY = Kind(grades=(-1, 0, 0, 1, 1, 2, 4), empty=0, more={"measures": PLAIN})
"""An empty answer is memory that nobody set to pytrec_eval, and a division by 0 to others."""


def rated(theirs: dict[str, Any]) -> dict[str, dict[str, float]]:
    assert "error" not in theirs, theirs["error"]
    return {**theirs.get("values", {}), "mean": theirs["mean"]}


def assert_same(tool: str, asked: list[Case], by: str, digits: float = 0.0) -> None:
    for case, ours, theirs in zip(asked, ask(tool, asked, by), ask(tool, asked), strict=True):
        mine, wanted = rated(ours), rated(theirs)
        assert mine.keys() == wanted.keys()
        for name, column in wanted.items():
            assert mine[name] == pytest.approx(column, rel=0, abs=digits, nan_ok=True), (name, case)


def real() -> Case:
    """The Lee corpus, which people judged, and BM25."""
    pytest.importorskip("gensim", reason="the Lee corpus is in gensim's test data")
    pytest.importorskip("bm25s")
    from truerank.cli.demo.lee import lee

    corpus, qrels, run = lee(), {}, {}
    for query, docs in corpus.qrels.to_dict().items():
        qrels[query] = {doc: round(5 * grade) for doc, grade in docs.items()}
    for each in corpus.retrievers["bm25"].search():
        docs = map(bytes.decode, each.docs)
        run[each.query.decode()] = list(zip(docs, each.numbers(), strict=True))
    return Case(qrels, run, more={"measures": [name.replace("max_rel=4", "max_rel=8") for name in PLAIN]})


def numbered(case: Case) -> Case:
    """The same with queries whose ids are numbers, which gdeval needs."""
    qrels, run = ({q.removeprefix("q"): docs for q, docs in each.items()} for each in (case.qrels, case.run))
    return Case(qrels, run, more=case.more)


def test_ir_measures_by_the_provider_is_ir_measures() -> None:
    assert_same("ir_measures", cases(ANY), "ir_measures", 1e-12)


def test_so_it_is_of_a_real_collection() -> None:
    assert_same("ir_measures", [real()], "ir_measures", 1e-12)


def of_aspects(case: Case, chance: random.Random) -> Case:
    """The same, each document judged for some of three subtopics."""
    qrels = {
        query: {doc: dict.fromkeys(chance.sample("123", chance.randint(1, 3)), g) for doc, g in docs.items()}
        for query, docs in case.qrels.items()
    }
    return Case(qrels, case.run, more={"measures": ASPECTS})  # type: ignore[arg-type]


def test_so_it_is_of_aspects() -> None:
    """Of a query without anything relevant pyndeval's nNRBP is no number."""
    plain = cases(Kind(grades=(0, 1, 1, 2, 3), empty=0, barren=0))
    asked = [of_aspects(case, random.Random(number)) for number, case in enumerate(plain)]
    assert_same("ir_measures", asked, "ir_measures", 1e-12)


def test_so_is_compat_where_judgements_stand_by_id() -> None:
    kind = Kind(grades=(0, 1, 2), empty=0, more={"measures": ["Compat", "Compat(p=0.8,normalize=False)"]})
    assert_same("ir_measures", list(map(by_id, cases(kind))), "ir_measures", 1e-12)


def test_so_is_accuracy_where_something_irrelevant_is_returned() -> None:
    """Else it divides by 0."""
    kind = Kind(empty=0, more={"measures": ["Accuracy", "Accuracy(rel=2)", "Accuracy@30"]})
    runs = [{q: [*docs, ("never judged", 0.5)] for q, docs in case.run.items()} for case in cases(kind)]
    asked = [Case(case.qrels, run, more=case.more) for case, run in zip(cases(kind), runs, strict=True)]
    assert_same("ir_measures", asked, "ir_measures", 1e-12)


def test_gdeval_rounds_to_five_digits() -> None:
    measures = {"measures": ["nDCG(dcg='exp-log2')@10", "ERR@5"]}
    kind = Kind(grades=(0, 1, 2, 4), barren=0, empty=0, extra=0, more=measures)
    assert_same("ir_measures", list(map(numbered, cases(kind, 6))), "ir_measures", 0.5e-5 + 1e-9)


def test_its_command_prints_the_same_and_knows_the_provider() -> None:
    measures = {"measures": ["nDCG@10", "AP", "RR@10", "Judged@10", "RBP(rel=1)"]}
    named = {"provider": ["--provider", "truerank"], **measures}
    asked, told = (cases(Kind(empty=0, extra=0, more=more), 10) for more in (measures, named))
    assert_same("ir_measures-command", asked, "ir_measures", 1e-12)
    assert ask("ir_measures-command", told, "ir_measures") == ask("ir_measures-command", asked, "ir_measures")


TO_THE_BIT = pytest.mark.parametrize("tool", ["beir", "mteb"])


@TO_THE_BIT
def test_beir_and_mteb_on_truerank_give_their_own_numbers(tool: str) -> None:
    assert_same(tool, cases(Kind(empty=0, extra=0)), "pytrec_eval")


@TO_THE_BIT
def test_so_they_do_of_a_real_collection(tool: str) -> None:
    assert_same(tool, [real()], "pytrec_eval")


EXPERIMENT = {"measures": ["nDCG@10", "AP", "AP(rel=2)@100", "RR", "RR@10", "P@5", "R@100", "Judged@10", "SetF"]}


@pytest.mark.parametrize("by", ["pytrec_eval", "ir_measures", "pytrec_eval ir_measures"])
def test_an_experiment_of_pyterrier_on_truerank_gives_its_own_numbers(by: str) -> None:
    lee = real()
    asked = [*cases(Kind(empty=0, extra=0, more=EXPERIMENT), 10), Case(lee.qrels, lee.run, more=EXPERIMENT)]
    assert_same("pyterrier", asked, by, 1e-12)
