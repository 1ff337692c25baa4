"""The names that recommenders and RecTools give measures are read as measures with their numbers."""

from __future__ import annotations

import pytest
from peer_asking import ask
from peer_cases import DOCS, Kind, cases, together

import truerank as tr

RECOMMENDERS = [
    *("precision_at_k(k=3)", "precision_at_k", "recall_at_k(k=5)", "map_at_k(k=3)", "map(k=3)", "ndcg_at_k(k=4)"),
    *("ndcg_at_k(k=4, score_type='raw')", "ndcg_at_k(k=4, score_type='exp', discfun_type='log2')"),
]

RECTOOLS = [
    *("Precision(k=3)", "Precision(k=3, r_precision=True)", "Recall(k=5)", "HitRate(k=2)", "F1Beta(k=3, beta=2)"),
    *("MAP(k=3)", "MAP(k=3, divide_by_k=True)", "MRR(k=4)", "NDCG(k=3, divide_by_achievable=True)"),
    "NDCG(k=5, divide_by_achievable=True, log_base=3)",
]

EVERY = {"barren": 0, "missing": 0, "empty": 0, "extra": 0, "tied": False}
"""What each tool leaves out of its means, or what it takes equal scores for, is a rule, and not in a name."""


@pytest.mark.parametrize("grades", [(0, 1), (0, 1, 2, 3)], ids=["binary", "graded"])
def test_those_of_recommenders(grades: tuple[int, ...]) -> None:
    asked = cases(Kind(grades=grades, **EVERY, more={"measures": RECOMMENDERS}), 60)
    for case, theirs in zip(asked, ask("recommenders", asked), strict=True):
        ours = tr.evaluate(case.qrels, case.given(), RECOMMENDERS)
        found = {name: ours.mean[str(tr.parse_measure(name))] for name in RECOMMENDERS}
        assert found == pytest.approx(theirs["mean"], rel=0, abs=1e-12), case


def test_those_of_rectools() -> None:
    more = {"measures": [*RECTOOLS, "MCC(k=3)"], "catalog": DOCS}
    case = together(cases(Kind(grades=(0, 1), **EVERY, more=more), 60))
    (theirs,) = ask("rectools", [case])
    ours = tr.evaluate(case.qrels, case.given(), RECTOOLS)
    for name in RECTOOLS:
        found = dict(zip(ours.queries, ours[str(tr.parse_measure(name))].tolist(), strict=True))
        assert found == pytest.approx(theirs["values"][name], rel=0, abs=1e-12), name
    long = [query for query, docs in case.run.items() if len(docs) >= 3]  # it takes every list to have k
    mcc = tr.evaluate(case.qrels, case.given(), f"MCC(docs={len(DOCS)})@3").per_query()
    for query in long:
        value = theirs["values"]["MCC(k=3)"][query]
        assert next(iter(mcc[query].values())) == pytest.approx(value, abs=1e-12), query
