"""Comparing by a measure of the whole run: queries are drawn anew, for all systems alike."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

import truerank as tr

QRELS = {f"q{n:02}": {f"d{n}": 1} for n in range(40)}


def answers(right: float, seed: int) -> dict[str, dict[str, float]]:
    """A run whose first answers are right so often."""
    drawn = random.Random(seed)
    return {q: {(next(iter(docs)) if drawn.random() < right else "x"): drawn.random()} for q, docs in QRELS.items()}


ONE, OTHER = answers(0.5, 1), answers(0.9, 2)


def test_a_better_run_is_better_by_average_precision_of_all_its_answers() -> None:
    found = tr.compare(QRELS, {"one": ONE, "other": OTHER}, "GAP AP")["GAP"]
    scores = tr.evaluate(QRELS, ONE, "GAP"), tr.evaluate(QRELS, OTHER, "GAP")
    pair = found.pairs[0]
    assert pair.difference.estimate == pytest.approx(scores[1].mean["GAP"] - scores[0].mean["GAP"], abs=1e-15)
    assert pair.difference.low < pair.difference.estimate < pair.difference.high
    assert pair.p < 0.01
    assert found.beaten == {"one": (), "other": ("one",)}
    assert (pair.wins, pair.ties, pair.losses) == (0, 0, 0)


def test_queries_that_cannot_be_counted_are_none_and_not_0_in_what_is_saved() -> None:
    found = tr.compare(QRELS, {"one": ONE, "other": OTHER}, "GAP AP", samples=50)
    counts = [[row[key] for key in ("wins", "ties", "losses")] for row in found.rows() if row["against"]]
    assert (counts[0], sum(counts[1])) == ([None] * 3, 40)
    saved = [outcome["pairs"][0] for outcome in found.to_dict()["outcomes"]]
    assert [[pair[key] for key in ("wins", "ties", "losses")] for pair in saved] == counts


def test_the_resamples_are_those_of_the_runs_worked_out_anew() -> None:
    found = tr.compare(QRELS, {"one": ONE, "other": OTHER}, "GAP", samples=50, seed=7)["GAP"]
    drawn, differences = np.random.default_rng(7), []
    for _ in range(50):
        rows = [sorted(QRELS)[i] for i in drawn.integers(40, size=40)]
        copies = {f"{n}": q for n, q in enumerate(rows)}
        qrels = {copy: QRELS[q] for copy, q in copies.items()}
        values = [
            tr.evaluate(qrels, {c: run[q] for c, q in copies.items()}, "GAP").mean["GAP"] for run in (ONE, OTHER)
        ]
        differences.append(values[1] - values[0])
    interval = tr.stats.percentile_interval(found.pairs[0].difference.estimate, np.array(differences), 40)
    own = found.pairs[0].difference
    assert (own.low, own.high) == pytest.approx((interval.low, interval.high), abs=1e-12)


def test_the_same_seed_gives_the_same_comparison() -> None:
    runs = {"one": ONE, "other": OTHER}
    one, again = (tr.compare(QRELS, runs, "GAP", samples=40).to_dict() for _ in range(2))
    assert one == again


def test_a_run_is_no_better_than_itself() -> None:
    pair = tr.compare(QRELS, {"a": ONE, "b": ONE}, "microAP", samples=40)["microAP"].pairs[0]
    assert (pair.difference.estimate, pair.difference.low, pair.difference.high, pair.p) == (0, 0, 0, 1)


def test_slices_are_compared_on_their_queries_alone() -> None:
    even = {q: n % 2 == 0 for n, q in enumerate(QRELS)}
    found = tr.compare(QRELS, {"one": ONE, "other": OTHER}, "GAP", by=even, samples=30)
    some = {q: docs for q, docs in QRELS.items() if even[q]}
    assert found.slices["True"]["GAP"].means["one"].estimate == tr.evaluate(some, ONE, "GAP").mean["GAP"]


def test_what_the_page_says_of_it() -> None:
    text = str(tr.compare(QRELS, {"one": ONE, "other": OTHER}, "GAP AP"))
    assert "GAP: one number of the whole run" in text
    assert "1,000 resamples of the queries" in text


def test_coverage_has_its_numbers_and_no_interval_or_test() -> None:
    runs, even = {"one": ONE, "other": OTHER}, {q: n % 2 == 0 for n, q in enumerate(QRELS)}
    found = tr.compare(QRELS, runs, "AP Coverage(docs=100)", by=even)
    covered, [pair] = found["Coverage(docs=100)"], found["Coverage(docs=100)"].pairs
    numbers = {
        name: tr.evaluate(QRELS, run, "Coverage(docs=100)").mean["Coverage(docs=100)"] for name, run in runs.items()
    }
    assert {name: mean.estimate for name, mean in covered.means.items()} == numbers
    assert {mean.method for mean in covered.means.values()} == {pair.difference.method} == {"none"}
    assert pair.difference.estimate == pytest.approx(numbers[pair.system] - numbers[pair.against])
    assert math.isnan(pair.p)
    assert covered.beaten == dict.fromkeys(runs, ())
    assert covered.groups == ()
    some = {q: docs for q, docs in QRELS.items() if even[q]}
    half = tr.evaluate(some, ONE, "Coverage(docs=100)").mean["Coverage(docs=100)"]
    assert found.slices["True"]["Coverage(docs=100)"].means["one"].estimate == half
    assert found["AP"].pairs[0].p == tr.compare(QRELS, runs, "AP")["AP"].pairs[0].p
    assert "lists nothing new, so that no resample shows how sure it is" in str(found)
    assert "nan" not in str(found).lower()
    assert "queries being too few" not in found.to_text(layout="long")
    assert "Intervals: unknown. Seed" in tr.compare(QRELS, runs, "Coverage(docs=100)").to_text(layout="long")


def test_power_needs_an_interval() -> None:
    with pytest.raises(tr.MeasureError, match="has no interval: a query that is drawn twice lists nothing new"):
        tr.power(50, qrels=QRELS, runs={"one": ONE, "other": OTHER}, measures="Coverage(docs=100)")


def test_a_gate_takes_the_number_of_the_run() -> None:
    scores = tr.evaluate(QRELS, OTHER, "GAP")
    found = tr.check(scores, min={"GAP": 0.2})
    assert found.verdicts[0].outcome == "pass"
    assert "one number of the whole run" in found.verdicts[0].note


@pytest.mark.parametrize("queries", [1, 2, 5])
def test_few_queries_show_no_difference_whatever_their_resamples_do(queries: int) -> None:
    qrels = {f"q{n}": {"d": 1} for n in range(queries)}
    right, wrong = ({q: {"d": score, "x": 0.5} for q in qrels} for score in (1.0, 0.1))
    found = tr.compare(qrels, {"right": right, "wrong": wrong}, "GAP")["GAP"]
    assert found.pairs[0].p == 2 * 0.5**queries
    assert found.pairs[0].difference.method == "none"
    assert found.beaten == {"right": (), "wrong": ()}


@pytest.mark.parametrize("queries", [6, 10, 40])
def test_no_p_is_significant_where_0_lies_in_the_interval(queries: int) -> None:
    """Equal systems: resamples of few queries show too little spread, and p knows that as the interval does."""
    drawn, alarms = np.random.default_rng(0), []
    for seed in range(300):
        top, bottom = drawn.beta(1, 1, (queries, 2)) * 10, drawn.integers(5, 15, (queries, 2))

        def apart(times: np.ndarray, top: np.ndarray = top, bottom: np.ndarray = bottom) -> np.ndarray:
            shares = (times @ top) / (times @ bottom)
            return np.array([shares[0] - shares[1]])

        resamples = tr.stats.resampled(apart, queries, resamples=499, seed=seed)[:, 0]
        interval = tr.stats.percentile_interval(float(apart(np.ones(queries))[0]), resamples, queries)
        p = tr.stats.p_of(resamples, queries)
        assert p > 0.05 or not interval.low < 0 < interval.high
        alarms.append(p <= 0.05)
    assert np.mean(alarms) < 0.075


def test_many_pairs_take_as_many_resamples_as_their_correction_needs() -> None:
    runs = {f"s{n}": answers(n / 8, n) for n in range(9)}
    found = tr.compare(QRELS, runs, "GAP")
    assert found["GAP"].beaten["s8"][:4] == ("s0", "s1", "s2", "s3")
    assert "4,089 resamples" in str(found)
    few = tr.compare(QRELS, runs, "GAP", samples=1_200)
    assert not any(few["GAP"].beaten.values())
    assert "Warning: 1,000 resamples are too few for 36 pairs" in str(few)
    assert "take 4,089 or more. With a baseline there are fewer pairs." in str(few)


def test_a_correction_of_values_of_queries_is_holms_for_one_number_and_that_is_said() -> None:
    runs = {"one": ONE, "other": OTHER, "third": answers(0.1, 3)}
    tested = [tr.compare(QRELS, runs, "GAP", test=test) for test in ("t", "tukey")]
    assert [pair.adjusted for pair in tested[0]["GAP"].pairs] == [pair.adjusted for pair in tested[1]["GAP"].pairs]
    assert ["Their p are corrected by Holm." in str(found) for found in tested] == [False, True]


def test_nothing_is_counted_that_queries_have_no_value_of() -> None:
    text = tr.compare(QRELS, {"one": ONE, "other": OTHER}, "GAP").to_text(layout="long")
    assert "0/0/0" not in text
