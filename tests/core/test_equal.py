"""One idea of equal values: rounding noise is no miss, no win, no loss, no move and no dependence on ties."""

from __future__ import annotations

import math

import numpy as np
import pytest

import truerank as tr
from truerank import stats
from truerank.core.equal import are_equal, as_one, difference, is_equal

ORDER = ["a", "x", "b"]


def noisy() -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    """Twelve queries whose AP is the same sum, added in another order: lists that swap which hit is where."""
    one = {f"q{n}": 0.1 + 0.2 for n in range(12)}
    other = dict.fromkeys(one, 0.3)
    return {q: {"AP": v} for q, v in one.items()}, {q: {"AP": v} for q, v in other.items()}


def saved(values: dict[str, dict[str, float]], run: str) -> dict[str, object]:
    mean = sum(row["AP"] for row in values.values()) / len(values)
    return {"rules": {}, "run": run, "mean": {"AP": mean}, "queries": values}


def test_equal_is_within_1e_12_and_relative_above_1() -> None:
    assert are_equal(
        [0.3, 0.3, 1e6, -math.inf, math.nan], [0.3 + 9e-13, 0.3 + 2e-12, 1e6 + 9e-7, -math.inf, 1]
    ).tolist() == [*(True, False, True, True, False)]
    assert not is_equal(math.inf, 1.0)
    assert difference([0.1 + 0.2, 1.0], [0.3, 0.5]).tolist() == [0.0, 0.5]


@pytest.mark.parametrize("values", [[], [0.3], [0.5, 0.1 + 0.2, 0.3], [1e9 + 1e-4, -1.0, 1e9, -1.0]])
def test_what_is_equal_becomes_one_number_in_its_place(values: list[float]) -> None:
    found = as_one(values)
    assert are_equal(found, values).all()
    assert len(set(found)) == len({round(value, 3) for value in values})


@pytest.mark.parametrize("n", range(1, 12))
@pytest.mark.parametrize("hits", range(1, 10))
def test_a_gate_that_is_exactly_met_passes(n: int, hits: int) -> None:
    qrels = {f"q{i}": {f"d{j}": 1 for j in range(hits)} for i in range(n)}
    run = {q: [f"d{j}" for j in range(10)] for q in qrels}
    scores = tr.evaluate(qrels, run, "P@10")
    limit = hits / 10
    assert tr.check(scores, min={"P@10": limit}, max={"P@10": limit}).outcome == "pass"


def test_rounding_noise_does_not_fail_a_baseline_gate() -> None:
    one, other = noisy()
    verdict = tr.check(saved(other, "new"), no_worse_than=saved(one, "old")).verdicts[0]
    assert (verdict.outcome, verdict.value) == ("pass", 0.0)
    assert tr.check({"AP": 0.3}, min={"AP": 0.1 + 0.2}).outcome == "pass"


def test_a_drop_of_exactly_the_margin_passes() -> None:
    one = {f"q{n}": {"AP": 0.51} for n in range(12)}
    other = {q: {"AP": 0.5} for q in one}
    assert tr.check(saved(other, "new"), no_worse_than=saved(one, "old"), margin=0.01).outcome == "pass"


def test_rounding_noise_is_no_effect_and_no_p() -> None:
    assert stats.effect([0.1 + 0.2] * 3, [0.3] * 3) == 0
    assert stats.effect([0.5, 0.1 + 0.2], [0.25, 0.3]) > 0
    for test in stats.TESTS.values():
        assert test([0.1 + 0.2] * 9, [0.3] * 9).p == 1
    assert stats.tukey_hsd([[0.1 + 0.2, 0.3]] * 9).p[0, 1] == 1


def test_a_comparison_of_values_that_are_equal_has_ties_alone() -> None:
    qrels = {f"q{n}": {f"d{i}": 1 for i in range(12)} for n in range(12)}
    scores = tr.evaluate(qrels, {q: [f"d{i}" for i in range(6)] for q in qrels}, "AP")
    other = type(scores)(
        scores.queries, scores.measures, {"AP": scores["AP"] + 1e-16 * 7}, scores.rules, scores.ledger, "other"
    )
    assert (other["AP"] != scores["AP"]).all()
    for test in ("randomization", "t", "tukey"):
        pair = tr.compare(None, {"one": scores, "other": other}, "AP", test=test)["AP"].pairs[0]
        assert (pair.wins, pair.ties, pair.losses, pair.effect, pair.p) == (0, 12, 0, 0.0, 1.0)
        assert pair.difference.estimate == 0


def test_tests_without_spread_say_so() -> None:
    a, b = np.linspace(0.3, 0.7, 9), np.linspace(0.2, 0.6, 9)
    found = stats.paired_t(a, b)
    assert (found.constant, found.p) == (True, 2 * 0.5**9)
    assert not stats.paired_t([0.1, 0.5, 0.2], [0.2, 0.1, 0.6]).constant
    at_margin = stats.tost([0.3] * 9, [0.2] * 9, 0.3 - 0.2)
    assert (at_margin.p, at_margin.equivalent, at_margin.constant) == (1, False, True)
    within = stats.tost([0.3] * 9, [0.2] * 9, 0.2)
    assert (within.p, within.equivalent) == (0.5**9, True)


def test_a_comparison_without_spread_is_warned_of() -> None:
    from truerank.present.cautions import remarks

    qrels = {f"q{n}": {"a": 1} for n in range(8)}
    found = tr.compare(
        qrels, {"one": {q: ["x", "a"] for q in qrels}, "two": {q: ["a"] for q in qrels}}, "RR", test="t"
    )
    assert found["RR"].pairs[0].p == 2 * 0.5**8
    assert any("no spread; p is that of the sign test" in text for text in remarks(found))


def test_no_query_is_said_to_move_by_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib

    moves = importlib.import_module("truerank.analysis.explain.moves")
    plain = moves.evaluate
    calls = iter([0.0, 7e-17])

    def nudged(*args: object, **kwargs: object) -> tr.Scores:
        scores = plain(*args, **kwargs)
        shift = next(calls)
        return type(scores)(
            *(scores.queries, scores.measures, {name: v + shift for name, v in scores.columns.items()}),
            *(scores.rules, scores.ledger, scores.run),
        )

    monkeypatch.setattr(moves, "evaluate", nudged)
    qrels = {"q": {"a": 1, "b": 1, "c": 1}}
    found = tr.diff(qrels, {"q": ["a", "x", "b"]}, {"q": ["a", "x", "b"]}, "AP")
    assert (found.queries, found.better, found.worse, found.same) == ((), 0, 0, 1)


def test_a_measure_that_does_not_depend_on_order_is_not_called_so() -> None:
    """DCG of the same documents added in another order is the same sum but for its last digit."""
    run = {"q": {f"d{i}": 1.0 for i in range(9)}}
    for grades in ([3, 1, 2], [1, 3, 2, 3], [2, 1, 1, 3, 3]):
        qrels = {"q": {f"d{i}": grade for i, grade in enumerate(grades)}}
        assert tr.evaluate(qrels, run, "nDCG(ties='averaged') DCG(ties='averaged')").ledger.tied == 0
        assert tr.bounds(qrels, run, "nDCG(ties='averaged')", "ties").tied == 0
        note = [n.text for n in tr.explain(qrels, run, "q", "nDCG(ties='averaged')").notes if n.rule == "ties"]
        assert "does not matter" in note[0]


@pytest.mark.parametrize("measure", ["Judged@2", "Unjudged@2", "RBPResidual", "NumNonrelJudgedRet"])
def test_the_ledger_counts_ties_that_only_measures_of_judgements_mind(measure: str) -> None:
    rules = {"depth": 2} if measure.startswith("Num") else None
    scores = tr.evaluate({"q": {"a": 0}}, {"q": {"a": 1.0, "x": 1.0, "y": 1.0, "z": 1.0}}, measure, rules=rules)
    assert scores.ledger.tied == 1
    assert (
        scores.ledger.tied
        == tr.bounds(
            {"q": {"a": 0}}, {"q": {"a": 1.0, "x": 1.0, "y": 1.0, "z": 1.0}}, measure, "ties", rules=rules
        ).tied
    )


@pytest.mark.parametrize(("successes", "n"), [(5, 3), (-1, 3), (1.5, 3), (0, 0)])
def test_counts_that_cannot_be_have_no_interval(successes: float, n: int) -> None:
    for interval in stats.BINOMIAL.values():
        with pytest.raises(ValueError, match="whole number"):
            interval(successes, n)  # type: ignore[arg-type]


def test_an_interval_that_a_handful_of_queries_decides_says_so() -> None:
    rng = np.random.default_rng(3)
    rare = np.where(np.arange(50) < 7, rng.random(50), 0.0)
    assert stats.mean_interval(rare, method="bca").differing == 7
    assert stats.mean_interval(rare).differing is None, "the gamma interval is right here"
    assert stats.mean_interval(rare * (np.arange(50) < 2)).differing == 2
    assert stats.mean_interval(np.where(np.arange(50) < 15, rng.random(50), 0.0)).differing is None
    assert stats.mean_interval(rng.random(8)).differing is None
    qrels = {f"q{n}": {"a": 1} for n in range(50)}
    run = {q: ["x", "y", "a"] if n < 2 else ["x"] for n, q in enumerate(qrels)} | {"q0": ["x", "a"]}
    from truerank.present.cautions import remarks

    assert any(
        "only 2 queries differ from all the others" in text for text in remarks(tr.compare(qrels, [run], "RR"))
    )


def lists(hits: list[int], size: int) -> dict[str, list[str]]:
    """Answers with so many relevant documents on top."""
    return {f"q{i}": [f"r{n}" for n in range(h)] + [f"x{n}" for n in range(size - h)] for i, h in enumerate(hits)}


RELEVANT = {f"q{i}": {"r0": 1, "r1": 1, "r2": 1} for i in range(6)}
EVEN = {"x": lists([1, 1, 2, 2, 3, 0], 3), "y": lists([1, 1, 2, 3, 2, 0], 3)}


def test_rounding_noise_is_no_vote() -> None:
    found = tr.collections({"A": (RELEVANT, EVEN), "B": (RELEVANT, EVEN)}, "P@3", samples=50)
    assert found["P@3"].borda == {"x": 1, "y": 1}


def test_rounding_noise_is_no_order_and_no_flip() -> None:
    other = {**RELEVANT, "q0": {**RELEVANT["q0"], "x0": 1}}
    runs = {**EVEN, "z": lists([0] * 6, 3)}
    order = tr.judges({"1": RELEVANT, "2": other}, runs, "P@3", samples=50).standings[0].orders[0]
    assert order.tau is not None
    assert order.tau.estimate == 1.0
    a = {f"q{i}": RELEVANT["q0"] for i in range(3)}
    b = {**a, "q0": {"r0": 0, "r1": 1, "r2": 1}}
    two = {"x": lists([1, 2, 0], 10), "y": lists([0, 0, 3], 10)}
    assert tr.judges({"1": a, "2": b}, two, "P@10", samples=50).standings[0].orders[0].flips == ()
    assert stats.tau_ap([0.1 + 0.2, 0.3, 0.1], [2, 1, 0]) == stats.tau_ap([0.3, 0.3, 0.1], [2, 1, 0])
