"""Readers: what follows from one chance of going on agrees; names are understood, wrong parameters refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import truerank as tr
from truerank.measures import parse_measure
from truerank.measures.cwl.continuations import raised, trigamma
from worlds import World, worlds

READERS = (
    *("P@3", "RR@5", "RBP(p=0.7)", "RBP(gain='graded')", "RBP(gain='graded', max_grade=2)"),
    *("SDCG@4", "INSQ(T=2)", "INST(T=2)", "INST@7"),
    *("BPM(T=2)", "BPMD@4", "TBG@20", "U(cost={1: 100})", "NERR8@4", "NERR9@4", "NERR10", "NERR11"),
)


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=15)
@given(world=worlds(st.integers(-1, 3)))
def test_what_is_found_in_all_is_the_measure_times_the_depth(name: str, world: World) -> None:
    names = [name, *(f"{column}(of={name!r})" for column in ("ETU", "ED", "EC", "ETC"))]
    scores = tr.evaluate(world.qrels, world.run, names)
    measure, utility, depth, cost, price = (scores[column] for column in scores.columns)
    assert utility == pytest.approx(measure * depth, rel=1e-12, abs=1e-12)
    assert price == pytest.approx(cost * depth, rel=1e-12)
    assert (depth >= 1 - 1e-12).all()


@settings(max_examples=40)
@given(worlds(st.integers(-1, 1)), st.sampled_from(["", "p=0.5", "p=0"]), st.sampled_from(["", "@3"]))
def test_the_residual_of_rbp_is_rbp_s_own(world: World, p: str, cut: str) -> None:
    own, general = f"RBPResidual({p}){cut}", f"ResEU(of='RBP({p}){cut}')"
    scores = tr.evaluate(world.qrels, world.run, [own, general], as_written=True)
    assert scores[general] == pytest.approx(scores[own], rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("NERR-EQ10@0.7", "NERR10@0.7"),
        ("NERReq8@5", "NERR8@5"),
        ("U-L@50", "U@50"),
        ("UMeasure", "U"),
        ("TBG-H@22", "TBG@22"),
        ("NDCG-k@10", "SDCG@10"),
        ("BPM-Static@7", "BPM@7"),
        ("BPM-Dynamic@7", "BPM(hb=1)@7"),
        ("INST(T=2, max_rel=3)", "INST(T=2, max_grade=3)"),
        ("Q-measure@10", "Q@10"),
        ("O-measure", "O"),
        ("P-measure", "PMeasure"),
        ("P+", "Pplus"),
        ("P-plus(beta=2)", "Pplus(beta=2)"),
        ("NCUrbP", "NCU(stop='rank-biased', beta=0)"),
    ],
)
def test_names_of_cwl_eval_ir_measures_and_ntcireval_are_understood(written: str, read: str) -> None:
    assert str(parse_measure(written)) == read


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("INST(T=0.4)", "T is a number from 0.5 up to 1e15"),
        ("INSQ(T=0)", "T is a number above 0"),
        ("BPM(T=-1)", "T is a number above 0 and up to 1e15"),
        ("TBG(halflife=1e300)", "halflife is a number above 0 and up to 1e15"),
        ("BPM@0", "K is a number above 0"),
        ("TBG(cost=0)", "cost is a number above 0 and up to 1e15, or a mapping"),
        ("U(cost={1: -1})", "cost is a number above 0 and up to 1e15, or a mapping"),
        ("U(cost={1: {2: 3}})", "cost is a number above 0 and up to 1e15, or a mapping"),
        ("EC(cost={})", "cost is a number above 0 and up to 1e15, or a mapping"),
        ("SDCG@10000000", "k is a whole number from 1 to 1,000,000"),
        ("Q(beta=-1)", "beta is a number from 0 up"),
        ("ED(of='AP')", "of is a measure with a reader"),
        ("ED(of='INSQ(T=0)')", "T is a number above 0"),
        ("ED(of='P')", "P needs k"),
        ("ED(of='NDGC')", "Did you mean nDCG"),
        ("""ED(of="P(divisor='returned')@3")""", "no model of a reader"),
        ("NCUgu,P", "write NCUguP and NCUguBR"),
    ],
)
def test_wrong_parameters_are_said_to_be_wrong(text: str, said: str) -> None:
    with pytest.raises(tr.MeasureError, match=said):
        tr.evaluate({"q": {"a": 1}}, {"q": ["a"]}, text)


@pytest.mark.parametrize("text", ["ED(of='RBP(p=1)')", "ED(of='RR')", "ResED(of='BPM(T=2, hb=4, hc=4)')"])
def test_a_reader_who_never_stops_is_refused_and_no_infinity(text: str) -> None:
    with pytest.raises(tr.MeasureError, match="never stops; end the list at a rank"):
        tr.evaluate({"q": {"a": 1}}, {"q": ["x"]}, text)


EXTREME = (1e-15, 1e-3, 1e3, 1e15)


@pytest.mark.parametrize("value", EXTREME)
def test_extreme_parameters_give_numbers(value: float) -> None:
    names = [f"INSQ(T={value})", f"TBG(halflife={value})", f"U(L={value})", f"BPM(T={value}, K={1 / value})"]
    names += [f"TBG(cost={value})", f"U(cost={value})", f"BPM(cost={value})", f"INST(T={max(value, 0.5)})"]
    names += [f"{column}(of={name!r})" for name in names for column in ("ED", "ResEU", "ResETC")]
    scores = tr.evaluate({"q": {"a": 1, "b": 2, "c": 0}}, {"q": ["a", "x", "c", "b"]}, names)
    assert all(np.isfinite(scores[name]).all() for name in scores.columns)


def test_the_least_highest_grade_gives_numbers_and_no_warning() -> None:
    names = ["INSQ(max_grade=5e-324)", "INSQ(max_grade=0.5)", "INSQ(gain='binary')"]
    scores = tr.evaluate({"q": {"a": 1e308, "b": 2, "c": -1}}, {"q": ["x", "a", "c", "b"]}, names)
    assert len({scores.mean[name] for name in names}) == 1


def test_what_is_exactly_reached_is_reached() -> None:
    """Ten documents of 0.1 are 1."""
    qrels, run = {"q": {"a": 1}}, {"q": [f"x{n}" for n in range(20)]}
    assert tr.evaluate(qrels, run, "ED(of='BPM(T=1, K=1, cost=0.1)')").mean.popitem()[1] == 10


def test_the_series_and_powers_are_those_of_scipy() -> None:
    from scipy.special import polygamma

    x = np.concatenate([np.geomspace(1e-8, 1e8, 400), np.arange(1.0, 60.0)])
    assert trigamma(x) == pytest.approx(polygamma(1, x), rel=1e-14)
    assert trigamma(np.array([np.inf])).tolist() == [0.0]
    base, exponent = np.array([0.0, 0.5, 0.9, 1.0, 0.5]), np.array([0.0, 3.0, 1000.0, np.inf, np.inf])
    assert raised(base, exponent) == pytest.approx([1, 0.125, 0.9**1000, 1, 0])
