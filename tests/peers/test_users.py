"""The readers of measures equal cwl-eval's, column by column, and NTCIR's measures those of pyNTCIREVAL."""

from __future__ import annotations

import random

import pytest
from peer_asking import ask, assert_near
from peer_cases import Case, Kind, cases, together

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
    if n >= 1000:  # RBP@n has a reader who reads on
        measures[f"RBP(p=0.7, gain='graded', max_grade={BEST})"] = ["RBPCWLMetric", 0.7]
    if n >= 30:  # else it may end the list before the reader does
        measures |= {
            f"BPM(T=2, K=7.5, {given})": ["BPMCWLMetric", 2, 7.5],
            f"BPMD(T=2, K=6, {given})": ["BPMDCWLMetric", 2, 6],
            f"BPM(T=1.5, K=7, hb=0.5, median=0.25, {given})": ["BPMDCWLMetric", 1.5, 7, 0.5, 1.0, 0.25],
        }
    return measures


def asked(n: int, number: int) -> list[Case]:
    """The lists of this many cases, those of the same costs together."""
    chance = random.Random(n)
    found: dict[int, list[Case]] = {}
    for case in cases(Kind(grades=(0, 1, 2, 4), tied=False, extra=0, empty=0), number):
        place = chance.randrange(len(COSTS))
        cost = COSTS[place]
        run = {q: [(doc, -float(rank)) for rank, (doc, _) in enumerate(docs)] for q, docs in case.run.items()}
        more = {"measures": readers(n, cost), "costs": cost, "n": n, "best": BEST}
        found.setdefault(place, []).append(Case(case.qrels, run, more=more))
    return list(map(together, found.values()))


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
            assert_near({query: mine[query] for query in expected}, expected, name, 1e-9, rel=1e-9)


BINARY = {"P@5": ["PrecisionCWLMetric", 5], "RBP(p=0.8)": ["RBPCWLMetric", 0.8], "RR@1000": ["RRCWLMetric"]}


def test_p_rbp_and_rr_are_readers_too() -> None:
    more = {"costs": {0: 1, 1: 1}, "n": 1000, "best": 1}
    every = cases(Kind(grades=(0, 1), tied=False, extra=0, empty=0, more=more), 20)
    every = [Case(case.qrels, case.run, more={**case.more, "measures": BINARY}) for case in every]
    for case, theirs in zip(every, ask("cwl", every), strict=True):
        scores = tr.evaluate(case.qrels, case.given(), list(theirs["values"]), as_written=True)
        for name, column in theirs["values"].items():
            mine = dict(zip(scores.queries, scores[name].tolist(), strict=True))
            assert_near({query: mine[query] for query in column}, column, name, 1e-9, rel=1e-9)


GAINS = [[1, 2, 3], [1, 3, 7], [2, 4, 4]]


def ntcir(gains: list[int]) -> dict[str, list[object]]:
    """What each is called here and there, with the parameters there."""
    gain = dict(enumerate(gains, 1))
    by, best = f"gain={gain}", f"max_grade=3, gain={gain}"
    stops, weights = [1, 5, 9], "stops={1: 1, 2: 5, 3: 9}"
    return {
        "RR": ["RR", {}],
        f"O({by}, beta=2)": ["OMeasure", {"beta": 2}],
        f"PMeasure({by})": ["PMeasure", {"beta": 1}],
        f"P-plus({by}, beta=0.5)": ["PPlusMeasure", {"beta": 0.5}],
        "AP": ["AP", {}],
        f"Q-measure({by}, beta=3)": ["QMeasure", {"beta": 3}],
        f"NCUguP({by})": ["NCUguP", {"stops": gains}],
        f"NCUguBR({by}, beta=2, {weights})": ["NCUguBR", {"stops": stops, "beta": 2}],
        f"NCUrbP({by}, gamma=0.8)": ["NCUrbP", {"gamma": 0.8}],
        f"NCUrbBR({by})": ["NCUrbBR", {"gamma": 0.95, "beta": 1}],
        f"ERR({best})": ["ERR", {}],
        "AP(divisor='capped')@5": ["AP", {"cutoff": 5}],
        f"Q({by})@5": ["QMeasure", {"beta": 1, "cutoff": 5}],
        f"nDCG({by}, discount='jk')@5": ["nDCG", {"logb": 2, "cutoff": 5}],
        f"nDCG({by})@5": ["MSnDCG", {"cutoff": 5}],
        f"nERR({best})@5": ["nERR", {"cutoff": 5}],
    }


@pytest.mark.parametrize("gains", GAINS, ids=str)
def test_ntcireval_s_measures_are_ours(gains: list[int]) -> None:
    """Some 1,000 lists."""
    more = {"measures": ntcir(gains), "gains": gains}
    every = cases(Kind(grades=(0, 1, 1, 2, 3), extra=0, tied=False, more=more), 80)
    for case, theirs in zip(every, ask("ntcireval", every), strict=True):
        assert "error" not in theirs, theirs["error"]
        scores = tr.evaluate(case.qrels, case.given(), list(theirs["values"]), as_written=True)
        for name, expected in theirs["values"].items():
            mine = dict(zip(scores.queries, scores[name].tolist(), strict=True))
            assert_near({query: mine[query] for query in expected}, expected, name)


PUBLISHED = {
    "RR": 0.5, "O": 0.5, "PMeasure": 0.5, "P+": 0.5, "AP": 0.1, "Q": 0.0967,
    "NCUguP": 0.1316, "NCUguBR": 0.1281, "NCUrbP": 0.1215, "NCUrbBR": 0.1175,
    "RBP(p=0.95, gain='graded')": 0.0761, "ERR(gain='linear')": 0.4062, "Q@1000": 0.0967,
    "nDCG(discount='jk')@1000": 0.3380, "nDCG@1000": 0.2760, "P@1000": 0.002, "nERR(gain='linear')@1000": 0.4710,
}  # fmt: skip
"""What NTCIREVAL's manual prints of its sample, with -g 1:2:3."""


def test_ntcireval_s_own_sample_prints_as_in_its_manual() -> None:
    levels = {"11": 0, "01": 3, "02": 3, "03": 3, "04": 2, "05": 2, "06": 2, "07": 1, "08": 1, "09": 1, "10": 1}
    scores = tr.evaluate({"q": levels}, {"q": ["11", "01", "12", "04"]}, list(PUBLISHED), as_written=True)
    assert {name: round(value, 4) for name, value in scores.mean.items()} == PUBLISHED
