"""Comparing where there is next to nothing to go by: constant differences, few samples, no difference at all."""

from __future__ import annotations

import dataclasses
import math
import statistics
from typing import Any

import numpy as np
import pytest

import truerank as tr
from truerank import stats
from truerank.present import cautions

FIRST, SECOND = ["a"], ["x", "a"]


def judged(queries: int) -> dict[str, dict[str, int]]:
    return {f"q{n}": {"a": 1} for n in range(queries)}


def told(found: tr.Comparison) -> str:
    return "\n".join([*cautions.made(found), *cautions.remarks(found)])


def two(queries: int) -> dict[str, dict[str, list[str]]]:
    """A system that is better by a half at every query."""
    return {name: dict.fromkeys(judged(queries), docs) for name, docs in (("A", FIRST), ("B", SECOND))}


@pytest.mark.parametrize(("queries", "width"), [(2, math.inf), (5, math.inf), (6, 0.0), (12, 0.0)])
def test_tukeys_interval_without_noise_excludes_0_only_where_its_p_does(queries: int, width: float) -> None:
    pair = tr.compare(judged(queries), two(queries), "RR", test="tukey")["RR"].pairs[0]
    assert (pair.difference.low, pair.difference.high) == (-0.5 - width, -0.5 + width)
    assert (pair.adjusted <= 0.05) == (width == 0)


def test_tukeys_p_is_said_to_be_a_sign_tests_only_where_no_pair_has_a_spread() -> None:
    runs = two(12)
    said = "p is that of the sign test"
    assert said in str(tr.compare(judged(12), runs, "RR", test="tukey"))
    mixed = {**runs, "C": {q: FIRST if n % 3 else SECOND for n, q in enumerate(judged(12))}}
    assert said not in str(tr.compare(judged(12), mixed, "RR", test="tukey"))
    assert said in str(tr.compare(judged(12), mixed, "RR", test="t"))


def test_what_rounding_alone_parts_has_no_spread_however_large_the_values_are() -> None:
    qrels = {f"q{n}": {"a": 1e5 * (n + 1 / 7), "b": 0.3} for n in range(12)}
    runs = {name: dict.fromkeys(qrels, docs) for name, docs in (("with", ("b", "a")), ("without", ("x", "a")))}
    found = tr.compare(qrels, runs, "DCG", test="t")
    pair = found["DCG"].pairs[0]
    assert (pair.effect, math.isnan(pair.detectable)) == (-math.inf, True)
    assert "DCG: some systems differ by the same at every query" in told(found)


def test_samples_are_too_few_only_where_some_are_drawn() -> None:
    half = {q: FIRST if n % 2 else SECOND for n, q in enumerate(judged(40))}  # 20 differences: each pattern counted
    found = tr.compare(judged(40), {"A": two(40)["A"], "half": half}, "RR", samples=10)
    assert found.superscripts("RR")["A"] == "b"
    assert "10 samples are too few" not in str(found)
    assert "10 samples are too few" in str(tr.compare(judged(40), two(40), "RR", samples=10))
    for samples, are_too_few in ((14, True), (15, False)):
        found = tr.compare(judged(40), two(40), "RR", samples=samples, confidence=1 - 1 / 16)
        assert ("samples are too few: no difference" in str(found)) == are_too_few


def test_max_t_counts_the_patterns_of_up_to_12_queries_and_says_so() -> None:
    few, more = (str(tr.compare(judged(n), two(n), "RR", correction="max-t")) for n in (12, 13))
    assert "every pattern of signs counted" in few
    assert "10,000 samples" in more


def test_the_same_queries_in_another_order_are_no_missing_ones() -> None:
    scores = tr.evaluate(judged(3), {"q0": FIRST, "q1": SECOND, "q2": FIRST}, "RR", rules="trec_eval-10")
    turned = dataclasses.replace(
        scores, queries=scores.queries[::-1], columns={name: v[::-1] for name, v in scores.columns.items()}
    )
    found = tr.compare(None, {"A": scores, "B": turned}, "RR")
    assert (found["RR"].pairs[0].ties, found.dropped) == (3, 0)


def test_a_pair_without_a_difference_has_none_either_way_round() -> None:
    same = tr.compare(judged(8), {"A": two(8)["A"], "B": two(8)["A"]}, "RR")["RR"]
    for pair in (same.pair("A", "B"), same.pair("B", "A")):
        numbers = (pair.difference.estimate, pair.difference.low, pair.difference.high, pair.effect)
        assert not np.signbit(numbers).any()


def test_a_confidence_next_to_1_finds_nothing() -> None:
    found = tr.compare(judged(8), two(8), "RR", confidence=1 - 1e-14)
    assert found["RR"].beaten == {"A": (), "B": ()}


def test_the_number_of_queries_that_is_judged_is_that_of_queries_with_a_value() -> None:
    qrels = {f"q{n:02}": {"a": int(n < 5)} for n in range(40)}
    runs = {"one": {q: ["a"] for q in qrels}, "two": {q: ["b", "a"] for q in qrels}}
    found = tr.compare(qrels, runs, "AP", rules={"without_relevant": "undefined"})
    said = told(found)
    assert "5 queries are too few to rely on" in said
    assert "every pattern of signs counted" in said
    assert "Intervals: unknown, 5 queries being too few" in said


def test_intervals_that_are_known_are_described_where_those_of_another_measure_are_not() -> None:
    qrels = {f"q{n:02}": {"a": 0} for n in range(40)}
    runs = {"one": {q: ["a", "b", "c"][: 1 + n % 3] for n, q in enumerate(qrels)}, "two": {q: ["a"] for q in qrels}}
    said = told(tr.compare(qrels, runs, "AP NumRet", rules={"without_relevant": "undefined"}))
    assert "Intervals: BCa bootstrap; of differences, percentile bootstrap; 10,000 resamples." in said


def test_every_pattern_is_said_to_be_counted_where_systems_differ_on_few_of_many_queries() -> None:
    some = {q: FIRST if n % 2 else SECOND for n, q in enumerate(judged(64))}  # 32 differences
    more = {**some, "q1": SECOND}
    for runs, said in ((some, "every pattern of signs counted"), (more, "10,000 samples")):
        assert f"randomization test, {said};" in told(tr.compare(judged(64), {"A": two(64)["A"], "B": runs}, "RR"))
    both = told(tr.compare(judged(64), {"A": two(64)["A"], "B": some, "C": more}, "RR", baseline="A"))
    assert "10,000 samples (every pattern of signs counted where systems differ on 32 queries or fewer)," in both


@pytest.mark.parametrize(("queries", "begins"), [(5, ""), (6, "that the paired t-test detects"), (9, "that is")])
def test_no_difference_is_said_to_be_detected_where_none_can_be_significant(queries: int, begins: str) -> None:
    mixed = {q: FIRST if n else SECOND for n, q in enumerate(judged(queries))}
    text = told(tr.compare(judged(queries), {"A": two(queries)["A"], "mixed": mixed}, "RR"))
    assert ("no difference can be significant" in text) == (not begins)
    assert (f"Smallest true difference {begins}" in text) == bool(begins)
    assert ("Smallest true difference" in text) == bool(begins)


def test_a_measure_with_few_values_detects_nothing_beside_others_with_many() -> None:
    mixed = {q: FIRST if n % 2 else SECOND for n, q in enumerate(judged(40))}
    scores = [tr.evaluate(judged(40), run, "AP RR") for run in (two(40)["A"], mixed)]
    for one in scores:
        one.columns["RR"] = np.where(np.arange(40) < 4, one.columns["RR"], np.nan)
    text = told(tr.compare(None, {"A": scores[0], "mixed": scores[1]}))
    assert "of this size: 0.115 in AP." in text


def test_no_p_of_max_t_is_below_that_of_its_pair_alone() -> None:
    rng = np.random.default_rng(0)
    lists = [FIRST, SECOND, ["x", "y", "a"], ["x"]]
    for n in (13, 20, 32):
        runs = {name: {q: lists[rng.integers(low, 4)] for q in judged(n)} for low, name in enumerate("AB")}
        for seed in range(9):
            pair = tr.compare(judged(n), runs, "RR", correction="max-t", samples=200, seed=seed)["RR"].pairs[0]
            assert pair.adjusted >= pair.p


def test_the_smallest_p_of_few_queries_counts_the_pairs_and_may_be_at_the_level() -> None:
    firsts = {"A": 0, "B": 1, "C": 2}  # how many of the first queries a system answers worse

    def compared(queries: int, systems: str, **how: Any) -> str:
        qrels = judged(queries)
        runs = {s: {q: SECOND if n < firsts[s] else FIRST for n, q in enumerate(qrels)} for s in systems}
        return told(tr.compare(qrels, runs, "RR", **how))

    never, least = "p cannot be below {}: no difference can be significant.", "Smallest true difference that the"
    for correction in ("holm", "bonferroni"):
        assert never.format("0.0938") in compared(6, "ABC", correction=correction)
        assert least in compared(7, "ABC", correction=correction)  # 3 · 2 / 2⁷ < 0.05
    assert least in compared(6, "ABC", correction="bh")
    at_level = compared(6, "AB", confidence=1 - 2 / 2**6)
    assert least in at_level
    assert "can be significant" not in at_level
    assert never.format("0.0312") in compared(6, "AB", confidence=1 - 1.9 / 2**6)


def test_no_smallest_difference_is_told_where_there_is_no_spread_or_none_is_large_enough() -> None:
    same = {name: dict.fromkeys(judged(12), FIRST) for name in "AB"}
    for test in ("sign", "t"):
        assert "true difference" not in told(tr.compare(judged(12), same, "RR", test=test))
    far = {"A": dict.fromkeys(judged(3), FIRST), "B": {"q0": ["x", "y", "a"], "q1": FIRST, "q2": FIRST}}
    said = told(tr.compare({q: {"a": 9} for q in judged(3)}, far, "RR GMAP DCG", test="t"))
    logs, gains = (stats.smallest_detectable(statistics.stdev([d, 0, 0]), 3) for d in (math.log(3), 9 / 2))
    assert f"of this size: {logs:.3g} in the logarithm of GMAP, {gains:.3g} in DCG.\n" in said
    assert "With so few queries no difference, however large, is detected in four of five samples: RR." in said
