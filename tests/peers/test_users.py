"""The readers of measures equal cwl-eval's, column by column, and NTCIR's measures those of pyNTCIREVAL."""

from __future__ import annotations

import random

import pytest
from peer_asking import ask
from peer_cases import Case, Kind, cases

import truerank as tr

BEST = 4
"""Grades by it are exact in binary, so that sums of gains are the same in any order."""

COSTS = [{0: 1, 1: 1, 2: 1, 4: 1}, {0: 1, 1: 2, 2: 2.5, 4: 4}, {0: 3, 1: 0.5, 2: 0.25, 4: 0.25}]


def readers(n: int, cost: dict[int, float]) -> dict[str, list[object]]:
    """What each is called here and there, where lists end at rank n; one that has costs continues by them."""
    k, given = min(n, 3), f"cost={cost}, max_grade={BEST}"
    measures = {
        f"SDCG(max_grade={BEST})@{k}": ["NDCGCWLMetric", k],
        f"INSQ(T=1.5, max_grade={BEST})@{n}": ["INSQCWLMetric", 1.5],
        f"NERR8(max_grade={BEST})@{k}": ["NERReq8CWLMetric", k],
        f"NERR9(max_grade={BEST})@{k}": ["NERReq9CWLMetric", k],
        f"NERR10(p=0.7, k={n}, max_grade={BEST})": ["NERReq10CWLMetric", 0.7],
        f"NERR11(T=2, k={n}, max_grade={BEST})": ["NERReq11CWLMetric", 2],
        f"TBG(halflife=9, k={n}, {given})": ["TBGCWLMetric", 9],
        f"U(L=12.5, k={n - 1}, {given})": ["UMeasureCWLMetric", 12.5],
        **{f"INST(T={t}, max_grade={BEST})@{n}": ["INSTCWLMetric", t] for t in (0.5, 1, 3)},
    }
    if n >= 30:  # else it may end the list before the reader does
        measures |= {
            f"BPM(T=2, K=7.5, {given})": ["BPMCWLMetric", 2, 7.5],
            f"BPMD(T=2, K=6, {given})": ["BPMDCWLMetric", 2, 6],
            f"BPM(T=1.5, K=7, hb=0.5, median=0.25, {given})": ["BPMDCWLMetric", 1.5, 7, 0.5, 1.0, 0.25],
        }
    return measures


def asked(n: int, number: int) -> list[Case]:
    chance = random.Random(n)
    found = []
    for case in cases(Kind(grades=(0, 1, 2, 4), tied=False, extra=0, empty=0), number):
        cost = chance.choice(COSTS)
        run = {q: [(doc, -float(rank)) for rank, (doc, _) in enumerate(docs)] for q, docs in case.run.items()}
        more = {"measures": readers(n, cost), "costs": cost, "n": n, "best": BEST}
        found.append(Case(case.qrels, run, more=more))
    return found


@pytest.mark.parametrize(("n", "number"), [(4, 60), (30, 110), (1000, 5)])
def test_cwl_eval_s_columns_and_residuals_are_those_of_the_readers(n: int, number: int) -> None:
    """Some 1,000 lists."""
    every = asked(n, number)
    for case, theirs in zip(every, ask("cwl", every), strict=True):
        assert "error" not in theirs, theirs["error"]
        names = list(theirs["values"])
        assert len(names) >= 100
        scores = tr.evaluate(case.qrels, case.given(), names, as_written=True)
        for name in names:
            mine = dict(zip(scores.queries, scores[name].tolist(), strict=True))
            expected = theirs["values"][name]
            assert {query: mine[query] for query in expected} == pytest.approx(expected, rel=1e-9, abs=1e-9), name


BINARY = {"P@5": ["PrecisionCWLMetric", 5], "RBP(p=0.8)": ["RBPCWLMetric", 0.8], "RR@1000": ["RRCWLMetric"]}


def test_p_rbp_and_rr_are_readers_too() -> None:
    more = {"costs": {0: 1, 1: 1}, "n": 1000, "best": 1}
    every = cases(Kind(grades=(0, 1), tied=False, extra=0, empty=0, more=more), 20)
    every = [Case(case.qrels, case.run, more={**case.more, "measures": BINARY}) for case in every]
    for case, theirs in zip(every, ask("cwl", every), strict=True):
        scores = tr.evaluate(case.qrels, case.given(), list(theirs["values"]), as_written=True)
        for name, column in theirs["values"].items():
            mine = dict(zip(scores.queries, scores[name].tolist(), strict=True))
            assert {query: mine[query] for query in column} == pytest.approx(column, rel=1e-9, abs=1e-9), name
