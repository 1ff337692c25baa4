"""Gates: what passes, what fails, what cannot be decided, and what is told."""

from __future__ import annotations

import json
import math
import re
import sys
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import truerank as tr
from truerank import stats
from truerank.analysis.check import limit_of, read_settings
from truerank.analysis.check.deciding import _by_interval
from truerank.analysis.check.figures import Figures
from truerank.analysis.saved_scores import is_saved
from truerank.cli.tables import by_ending
from truerank.live import SimulatedClock
from truerank.live.censored import Bounded
from truerank.present import check as report
from truerank.stats import Interval


def scores(found: int, queries: int = 60, measures: str = "AP nDCG@10", start: int = 0) -> tr.Scores:
    """Queries of which this many are answered perfectly, the others at half."""
    names = [f"q{n:03}" for n in range(start, start + queries)]
    run = {q: ["a", "b"] if n < found else ["x", "a"] for n, q in enumerate(names)}
    return tr.evaluate({q: {"a": 1, "b": 1} for q in names}, run, measures)


@dataclass(frozen=True)
class Timings:
    """A benchmark with chosen figures."""

    name: str = "search"
    latency: Mapping[str, float] = field(default_factory=lambda: {"p95": 180.0, "p99": 400.0, "max": 900.0})
    intervals: Mapping[str, Interval | None] = field(
        default_factory=lambda: {"p95": Interval(180.0, 150.0, 230.0, 0.95, "order statistics"), "p99": None}
    )
    throughput: float = 50.0
    failed: int = 0
    scores: tr.Scores | None = None
    measured: range = range(100)
    stopped: str = ""

    @property
    def outcomes(self) -> dict[str, int]:
        return {"error": self.failed, "timeout": 0, "dropped": 0, "late": 0}

    def of_all_calls(self, confidence: float | None) -> dict[str, Bounded]:
        return {name: Bounded(ms, ms, self.intervals.get(name)) for name, ms in self.latency.items()}


def outcomes(found: tr.Check) -> list[str]:
    return [verdict.outcome for verdict in found.verdicts]


@pytest.mark.parametrize(("seconds", "is_said"), [(0.015, True), (0.005, False)])
def test_a_gate_says_that_calls_which_waited_together_make_the_interval_too_narrow(
    seconds: float, is_said: bool
) -> None:
    clock = SimulatedClock()

    def search(query: str) -> list[str]:
        clock.sleep(seconds)
        return ["a"]

    found = tr.bench(search, [f"q{n}" for n in range(80)], rate=100, warmup=0, clock=clock)
    (verdict,) = tr.check(bench=found, max={"p95": "60s"}, sure=True).verdicts
    assert (verdict.outcome, "calls that waited together are alike" in verdict.note) == ("pass", is_said)


def test_a_benchmark_that_ended_early_is_said_to_have() -> None:
    answers = iter(["a"] * 40)

    def search(query: str) -> list[str]:
        found = next(answers, None)
        if found is None:
            raise KeyboardInterrupt
        return [found]

    bench = tr.bench(search, [f"q{n}" for n in range(100)], warmup=0)
    check = tr.check(bench=bench, max={"errors": 0})
    said = "The benchmark ended early (interrupted); 60 of 100 queries were never asked."
    assert (check.outcome, said in report.document_of(check).render()) == ("pass", True)
    assert said in report.junit(check)
    assert not tr.check(bench=Timings(), max={"errors": 0}).ended


@pytest.mark.parametrize("measures", ["AP, ndcg_cut_3", ["AP", "nDCG@3"], [tr.AP, tr.nDCG @ 3]])
def test_what_is_compared_is_named_as_measures_are_elsewhere(measures: Any) -> None:
    scores = tr.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "AP nDCG@3 RR")
    found = tr.check(scores, no_worse_than=scores, measures=measures)
    assert [(verdict.name, str(verdict.limit)) for verdict in found.verdicts] == [("AP", "0.0"), ("nDCG@3", "0.0")]
    assert [verdict.name for verdict in tr.check(scores, no_worse_than=scores, measures=tr.AP).verdicts] == ["AP"]


def test_saved_scores_may_be_of_measures_of_the_whole_run_too(tmp_path: Path) -> None:
    qrels, run = {f"q{n}": {"a": 1} for n in range(9)}, {f"q{n}": ["a"] for n in range(9)}
    now = tr.evaluate(qrels, run, "AP Coverage(docs=2)")
    path = tmp_path / "main.json"
    path.write_text(json.dumps({**now.to_dict(), "queries": now.per_query()}))
    assert [verdict.name for verdict in tr.check(now, no_worse_than=path).verdicts] == ["AP"]
    assert tr.check(path, min={"Coverage(docs=2)": 0.5}).outcome == "pass"


def test_a_limit_is_decided_by_the_value_which_may_reach_it() -> None:
    mean = scores(30).mean["AP"]
    just_above = mean + 1e-9
    found = tr.check(scores(30), min={"AP": mean}, max={"AP": mean})
    assert outcomes(found) == ["pass", "pass"]
    assert outcomes(tr.check(scores(30), min={"AP": just_above})) == ["fail"]
    assert {verdict.decider for verdict in found.verdicts} == {"value"}


@pytest.mark.parametrize(("place", "outcome"), [("below", "pass"), ("inside", "undecided"), ("above", "fail")])
def test_sure_asks_the_interval_to_lie_on_one_side(place: str, outcome: str) -> None:
    one = scores(30)
    interval = stats.mean_interval(one["AP"])
    limit = {"below": interval.low, "inside": interval.estimate, "above": interval.high + 1e-9}[place]
    found = tr.check(one, min={"AP": limit}, sure=True)
    assert (found.outcome, found.verdicts[0].decider) == (outcome, "interval")
    assert found.verdicts[0].interval == replace(interval, estimate=one.mean["AP"])
    opposite = {"below": "fail", "inside": "undecided", "above": "pass"}[place]
    limit = {"below": interval.low - 1e-9, "above": interval.high}.get(place, limit)
    assert tr.check(one, max={"AP": limit}, sure=True).outcome == opposite


def test_failing_wins_over_undecided_and_that_over_passing() -> None:
    one = scores(30)
    inside, sure_to_fail, sure_to_pass = {"AP": one.mean["AP"]}, {"nDCG@10": 0.99}, {"nDCG@10": 0.1}
    statuses = [
        tr.check(one, min={**inside, **sure_to_fail}, sure=True).status,
        tr.check(one, min={**inside, **sure_to_pass}, sure=True).status,
        tr.check(one, min=sure_to_pass, sure=True).status,
    ]
    assert statuses == [1, 3, 0]


def test_counts_have_the_interval_of_their_sum_and_geometric_means_their_own() -> None:
    one = scores(30, measures="NumRelRet GMAP")
    count, geometric = tr.check(one, min={"NumRelRet": 80, "GMAP": 0.5}).verdicts
    per_query = stats.mean_interval(one["NumRelRet"], method="bca")
    assert count.interval is not None
    assert (count.value, count.interval.low, count.interval.high) == (90.0, per_query.low * 60, per_query.high * 60)
    logs = stats.mean_interval(np.array([math.log(value) for value in one["GMAP"]]), method="bca")
    assert geometric.interval is not None
    assert (geometric.interval.low, geometric.interval.high) == (math.exp(logs.low), math.exp(logs.high))


@pytest.mark.parametrize(
    ("name", "value", "limit"),
    [
        ("AP", 0.4, 0.4),
        ("AP", "0.40", 0.4),
        ("AP", "-1e-3", -0.001),
        ("p95", "200ms", 200.0),
        ("p99.9", "0.5 s", 500.0),
        ("max", "1500us", 1.5),
        ("p50", "20000 ns", 0.02),
        ("throughput", "50", 50.0),
        ("errors", 0, 0.0),
    ],
)
def test_limits_are_numbers_and_times_have_units(name: str, value: Any, limit: float) -> None:
    assert limit_of(name, value).value == pytest.approx(limit, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("AP", "much", "the limit of AP is a number, e.g. 0.40"),
        ("AP", True, "the limit of AP is a number"),
        ("AP", math.nan, "the limit of AP is a number"),
        ("AP", "1.2.3", "the limit of AP is a number"),
        ("AP", "40ms", "AP has no unit"),
        ("p95", 200, "needs a unit: p95=200ms"),
        ("p95", "3 parsecs", "the limit of p95 is '3 parsecs'"),
    ],
)
def test_what_is_no_limit_is_told(name: str, value: Any, message: str) -> None:
    with pytest.raises(tr.InputError, match=re.escape(message)):
        limit_of(name, value)


def test_a_regression_fails_only_when_the_interval_shows_it() -> None:
    one, other = scores(20), scores(50)
    interval = stats.difference_interval(one["AP"], other["AP"])
    for margin, outcome in ((0.0, "fail"), (-interval.high / 2, "fail"), (-interval.estimate, "undecided")):
        found = tr.check(one, no_worse_than=other, margin=margin, measures=["AP"])
        assert (found.outcome, found.verdicts[0].interval) == (outcome, interval)
    assert tr.check(one, no_worse_than=other, margin=-interval.low, measures=["AP"]).outcome == "pass"
    assert tr.check(other, no_worse_than=one).outcome == "pass"


def test_the_same_scores_again_pass_without_a_margin() -> None:
    found = tr.check(scores(40), no_worse_than=scores(40))
    assert outcomes(found) == ["pass", "pass"]
    assert found.verdicts[0].value == 0


def test_where_less_is_better_more_is_worse() -> None:
    few, many = (tr.evaluate({f"q{n}": {"a": 1} for n in range(40)}, run, "Unjudged@2") for run in _holes())
    assert tr.check(many, no_worse_than=few).outcome == "fail"
    assert tr.check(few, no_worse_than=many).outcome == "pass"


def _holes() -> list[dict[str, list[str]]]:
    return [{f"q{n}": ["a", *(["x"] if n < holes else [])] for n in range(40)} for holes in (5, 30)]


def test_margins_may_differ_by_measure_and_name_what_is_compared() -> None:
    found = tr.check(scores(20), no_worse_than=scores(50), margin={"ndcg_cut_10": 0.9})
    assert [(v.name, v.outcome, v.limit) for v in found.verdicts] == [("nDCG@10", "pass", -0.9)]


def test_only_queries_that_both_have_are_compared_and_that_is_said() -> None:
    found = tr.check(scores(40), no_worse_than=scores(40, start=10), measures=["AP"])
    assert found.verdicts[0].queries == 50
    assert "AP: 20 queries that only one of the two has were left out." in report.remarks_of(found)


@pytest.mark.parametrize(("queries", "confidence"), [(1, 0.95), (3, 0.95), (5, 0.95), (7, 0.99)])
def test_too_few_queries_neither_fail_nor_pass_a_build(queries: int, confidence: float) -> None:
    bad, good = scores(0, queries), scores(queries, queries)
    for one, other in ((bad, good), (good, bad)):
        found = tr.check(one, no_worse_than=other, margin=0.1, confidence=confidence, measures=["AP"])
        assert (found.outcome, found.verdicts[0].note) == ("undecided", "too few queries to say where it may lie")
    assert tr.check(bad, no_worse_than=good, margin=0.1, measures=["AP"], confidence=0.8).outcome == (
        "fail" if queries > 3 else "undecided"
    )


def test_few_queries_leave_a_mean_undecided_where_the_interval_has_to_decide() -> None:
    found = tr.check(scores(2, 4), min={"AP": 0.1}, sure=True)
    assert (found.outcome, found.verdicts[0].note) == ("undecided", "too few queries to say where it may lie")
    assert tr.check(scores(4, 4), min={"AP": 0.1}, sure=True).outcome == "pass"  # 0 and 1 have an exact interval


def test_too_few_resamples_for_an_interval_that_decides_are_warned_of() -> None:
    values = np.random.default_rng(1).random((2, 60))
    drawn, base = (replace(scores(1), columns={"AP": each, "nDCG@10": each}) for each in values)
    said = "Warning: 20 resamples are too few for intervals of 95 %; take 39 or more, better 10,000."
    how = {"margin": 0.1, "measures": ["AP"]}
    assert said in report.remarks_of(tr.check(drawn, no_worse_than=base, samples=20, **how))
    assert not any("resamples" in each for each in report.remarks_of(tr.check(drawn, no_worse_than=base, **how)))
    exact = replace(drawn, columns={"AP": values[0] > 0.5, "nDCG@10": values[0] > 0.5})
    assert not any("resamples" in each for each in report.remarks_of(tr.check(exact, min={"AP": 0.1}, samples=20)))
    by = {query: f"{n % 40:02}" if n < 40 else "rest" for n, query in enumerate(drawn.queries)}
    sliced = tr.check(drawn, no_worse_than=base, samples=1_000, by=by, **how)
    said = "1,000 resamples are too few for intervals of 99.878 %; take 1,639 or more, better 10,000."
    assert any(said in each for each in report.remarks_of(sliced))


@pytest.mark.parametrize("queries", [1, 3, 60])
def test_a_run_that_changed_no_value_passes_and_it_is_said(queries: int) -> None:
    found = tr.check(scores(1, queries), no_worse_than=scores(1, queries))
    assert outcomes(found) == ["pass", "pass"]
    assert "AP, nDCG@10: no query's value changed, so that nothing got worse." in report.remarks_of(found)


def test_a_query_that_only_one_of_the_two_answers_lets_no_gate_pass_under_rules_that_skip_it() -> None:
    qrels = {f"q{n:03}": {"a": 1} for n in range(40)}
    whole = {query: ["x", "a"] if n % 2 else ["a"] for n, query in enumerate(qrels)}
    part = {query: ["a"] for query in list(qrels)[1:]}
    for one, other in ((part, whole), (part, {**part, "q000": ["x", "a"]})):
        new, old = (tr.evaluate(qrels, run, "RR", rules="trec_eval-9") for run in (one, other))
        found = tr.check(new, no_worse_than=old, margin=0.05)
        assert found.outcome == "undecided"
        assert found.verdicts[0].note.startswith("1 query that only one of the two has was left out")
        assert found.verdicts[0].note.endswith("the rules skip what a run does not answer, so that it cannot pass")
    new, old = (tr.evaluate(qrels, run, "RR", rules="trec_eval-9") for run in ({"q001": ["a"]}, whole))
    assert tr.check(new, no_worse_than=old, margin=0.05).outcome == "undecided"
    bad = {query: ["x", "y", "a"] for query in part}
    new = tr.evaluate(qrels, bad, "RR", rules="trec_eval-9")
    assert tr.check(new, no_worse_than=old, margin=0.05).outcome == "fail"


def test_one_query_decides_nothing_about_a_baseline() -> None:
    found = tr.check(scores(0, 1), no_worse_than=scores(1, 1))
    assert found.outcome == "undecided"
    assert report.document_of(found).render().splitlines()[3].split()[-2:] == ["-0.7500", "undecided"]
    assert any("1 query is too few to rely on" in remark for remark in report.remarks_of(found))


def test_values_that_are_not_finite_are_left_out_and_no_values_decide_nothing() -> None:
    values = {"q1": {"Mine": math.nan}, "q2": {"Mine": 0.5}, "q3": {"Mine": 0.25}}
    saved = {"mean": {"Mine": 0.375}, "queries": values, "run": "mine"}
    found = tr.check(saved, no_worse_than=saved)
    assert (found.outcome, found.verdicts[0].queries) == ("pass", 2)
    assert found.verdicts[0].note.startswith("1 query without a finite value left out; no query's value changed")
    one = {**saved, "queries": {**values, "q1": {"Mine": 0.75}}}
    for here, there in ((one, saved), (saved, one)):
        verdict = tr.check(here, no_worse_than=there).verdicts[0]
        assert (verdict.outcome, verdict.value, verdict.queries) == ("pass", 0, 2)
    nothing = {"mean": {"Mine": math.nan}, "queries": {"q1": {"Mine": math.nan}}}
    assert tr.check(nothing, no_worse_than=nothing, min={"Mine": 0.1}).outcome == "undecided"
    nobody = tr.evaluate({"q": ["a"]}, {}, "AP", rules={"missing": "skip"})
    for scored in (nobody, nobody.to_dict(), nobody.to_dict(per_query=True)):
        assert tr.check(scored, min={"AP": 0.3}).outcome == "undecided"
        assert tr.check(scored, min={"AP": 0.0}).outcome == "undecided"


def test_without_values_of_the_queries_the_mean_decides_limits_and_nothing_decides_more(tmp_path: Path) -> None:
    (tmp_path / "mean.json").write_text(json.dumps(scores(40).to_dict()))
    path = str(tmp_path / "mean.json")
    assert tr.check(path, min={"AP": 0.5}).outcome == "pass"
    assert tr.check(path, min={"AP": 0.5}, sure=True).outcome == "undecided"
    found = tr.check(path, no_worse_than=scores(40), measures=["AP"])
    assert found.outcome == "undecided"
    assert found.verdicts[0].note.startswith("only the mean was saved (save with --per-query)")
    assert tr.check({"AP": 0.3}, no_worse_than={"AP": 0.5}).verdicts[0].value == pytest.approx(-0.2)


def test_saved_scores_are_checked_as_those_in_memory(tmp_path: Path) -> None:
    one, other = scores(30), scores(45)
    for name, each in (("one", one), ("other", other)):
        (tmp_path / f"{name}.json").write_text(json.dumps([each.to_dict(per_query=True)]))
    gates: dict[str, Any] = {"min": {"AP": 0.6}, "margin": 0.01, "sure": True}
    paths = [str(tmp_path / f"{name}.json") for name in ("one", "other")]
    assert tr.check(paths[0], no_worse_than=paths[1], **gates) == tr.check(one, no_worse_than=other, **gates)
    assert all(map(is_saved, paths))


def test_a_run_is_not_taken_for_saved_scores(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text("q Q0 a 1 1.0 t\n")
    (tmp_path / "a.json").write_text('{"q": {"a": 1.0}}')
    assert not any(is_saved(tmp_path / name) for name in ("a.run", "a.json"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"q1": {"a": 1}}', "these are no saved scores; `truerank eval --per-query --format json` writes them"),
        ('[{"mean": {}}, {"mean": {}}]', "it holds the scores of 2 runs"),
        ("[]", "it holds the scores of 0 runs"),
        ("q1 Q0 a 1 9.5 bm25", "these are no saved scores"),
        ('{"query": "q", "docs": ["a"]}\n{"query": "r", "docs": ["b"]}\n', "these are no saved scores"),
        ("{", "this is no JSON"),
        ('{"mean": {"AP": "high"}}', "the means are no numbers"),
        ('{"mean": 3}', "the means are no numbers"),
        ('{"mean": {"AP": 0.5}, "queries": {"q": {}}}', "the values of the queries are damaged"),
        ('{"mean": {"AP": 0.5}, "queries": 3}', "the values of the queries are damaged"),
        ('{"mean": {"AP": 0.5}, "asked": 5}', "asked is what each measure was called, not 5"),
        ('{"format": "truerank bench 1", "scores": null}', "these are no saved scores"),
    ],
)
def test_what_is_wrong_with_a_file_is_told(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "scores.json").write_text(text)
    with pytest.raises(tr.InputError, match=re.escape(message)) as error:
        tr.check(str(tmp_path / "scores.json"), min={"AP": 0.1})
    assert "scores.json" in str(error.value)


@pytest.mark.parametrize(
    ("gates", "error", "message"),
    [
        ({}, tr.InputError, "there is no gate"),
        ({"min": {"AP": 0.1}, "margin": 0.1}, tr.InputError, "a margin is of a baseline"),
        ({"min": {"AP": 0.1}, "margin": {"AP": 0.1}}, tr.InputError, "a margin is of a baseline"),
        ({"min": {"AP": 0.1}, "measures": "nDCG@10"}, tr.InputError, "measures are those that are compared to a"),
        ({"min": {"NDGC@10": 0.4}}, tr.MeasureError, "Did you mean nDCG"),
        ({"min": {"P@5": 0.4}}, tr.MeasureError, "run has no P@5. It has AP, nDCG@10"),
        ({"max": {"p95": "2s"}}, tr.InputError, "p95 is a figure of a benchmark"),
        ({"no_worse_than": {"RR": 0.5}}, tr.MeasureError, "have no measure in common"),
        ({"no_worse_than": {"RR": 0.5}, "measures": ["AP"]}, tr.MeasureError, "scores has no AP"),
        ({"no_worse_than": {"AP": 0.5}, "margin": -1}, tr.InputError, "the margin of AP is a number from 0 on"),
        ({"no_worse_than": 3}, tr.InputError, "scores are Scores, a saved file"),
        ({"no_worse_than": {"AP": math.nan}}, tr.InputError, "AP is nan: a mean is a finite number"),
        ({"min": {"AP": 0.4}, "confidence": 1}, tr.InputError, "confidence is at least 0.5"),
    ],
)
def test_what_cannot_be_checked_is_told(gates: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=re.escape(message)):
        tr.check(scores(30), **gates)


def test_other_rules_other_queries_and_other_kinds_of_means_are_not_compared() -> None:
    one = scores(30)
    with pytest.raises(tr.RulesError, match="under the same rules"):
        tr.check(one, no_worse_than=replace(one, rules=tr.Rules(level=2, name="strict")))
    with pytest.raises(tr.InputError, match="have no query in common"):
        tr.check(one, no_worse_than=scores(30, start=900))
    counts = scores(30, measures="NumRelRet GMAP")
    for measure, why in (("NumRelRet", "is a count"), ("GMAP", "has a geometric mean")):
        with pytest.raises(tr.MeasureError, match=why):
            tr.check(counts, no_worse_than=counts, measures=[measure])
    assert tr.check(one, no_worse_than=replace(one, rules=tr.Rules(name="the same"))).outcome == "pass"


def test_latencies_are_decided_by_the_value_or_surely_by_the_interval() -> None:
    gates = {"p95": "200ms", "p99": "1s", "max": "1 s", "errors": 5}
    assert outcomes(tr.check(bench=Timings(), max=gates)) == ["pass"] * 4
    found = tr.check(bench=Timings(), max=gates, min={"throughput": 60}, sure=True)
    assert outcomes(found) == ["fail", "undecided", "undecided", "undecided", "pass"]
    assert [verdict.note for verdict in found.verdicts] == [
        "",
        "",
        "too few queries to say where it may lie",
        "an extreme has no interval",
        "",
    ]
    assert [found.verdicts[1].gate, found.verdicts[0].gate] == ["p95 <= 200 ms", "throughput >= 60/s"]


def test_a_benchmark_without_answers_decides_nothing() -> None:
    empty = Timings(latency={"p95": math.nan}, intervals={"p95": None})
    assert tr.check(bench=empty, max={"p95": "200ms"}).outcome == "undecided"


def test_a_benchmark_brings_its_scores() -> None:
    found = tr.check(bench=Timings(scores=scores(30)), min={"AP": 0.5}, max={"p95": "200ms"})
    assert (found.outcome, found.rules) == ("pass", "truerank")
    with pytest.raises(tr.InputError, match="AP is a measure: scores are needed"):
        tr.check(bench=Timings(), min={"AP": 0.5})


def test_a_real_benchmark_is_checked() -> None:
    found = tr.bench(lambda query: ["a"], [f"q{n}" for n in range(80)])
    check = tr.check(bench=found, max={"p95": "1000 s", "errors": 0})
    assert check.outcome == "pass"
    assert check.verdicts[0].interval == found.intervals["p95"]


def test_a_time_is_shown_with_all_digits_before_the_point_and_those_that_tell_it_from_its_limit() -> None:
    slow = Timings(latency={"p95": 12345.6, "p50": 200.004}, throughput=81234.7)
    text = tr.check(bench=slow, max={"p95": "1s", "p50": "200ms"}, min={"throughput": 81235}).to_text()
    assert [text.count(shown) for shown in (" 12346 ms ", " 200.004 ms ", " 81234.7/s ")] == [1, 1, 1]


def failing(every: int, how: str, timeout: float | None = None, queries: int = 150, repeats: int = 1) -> tr.Bench:
    """A retriever of 50 ms, one call in this many of which takes a second or raises."""
    clock, calls = SimulatedClock(), iter(range(10**6))

    def search(query: str) -> list[str]:
        is_bad = next(calls) % every == every - 1
        clock.sleep(1.0 if is_bad and how == "slow" else 0.05)
        if is_bad and how == "raises":
            raise OSError("down")
        return ["a"]

    return tr.bench(
        search, [f"q{n}" for n in range(queries)], warmup=0, timeout=timeout, clock=clock, repeats=repeats
    )


def test_a_latency_gate_does_not_pass_over_calls_that_timed_out() -> None:
    found = failing(18, "slow", timeout=0.5)  # 8 of 150, 5.3 %
    assert (found.failed, found.latency["p95"]) == (8, 50.0)
    check = tr.check(bench=found, max={"p95": "200ms"})
    assert (check.outcome, check.verdicts[0].value, check.verdicts[0].is_least) == ("fail", 500.0, True)
    assert tr.check(bench=found, max={"p95": "800ms"}).outcome == "undecided"  # it may take 0.5 s or for ever
    assert tr.check(bench=found, max={"p95": "200ms"}, sure=True).outcome != "pass"
    text = report.document_of(check).render()
    assert "≥ 500 ms" in text
    assert "of 150 calls 8 timed out" in text


@pytest.mark.parametrize("gate", ["mean", "p50", "p95", "p99", "max", "throughput"])
def test_calls_that_failed_are_told_of_whatever_the_verdict(gate: str) -> None:
    found = failing(40, "raises")  # 3 of 150
    limit = {"throughput": 1000} if gate == "throughput" else {gate: "60ms"}
    check = tr.check(bench=found, max=limit)
    expected = {"p50": "pass", "p95": "pass", "throughput": "pass"}.get(gate, "fail")
    assert (check.outcome, "of 150 calls 3 failed" in check.verdicts[0].note) == (expected, True)
    if expected == "fail":
        assert "endless" in report.sentence(check.verdicts[0])
        assert check.to_dict()["gates"][0]["value"] is None


def test_a_gate_in_words_has_what_is_known_of_its_value() -> None:
    def said(every: int, how: str, timeout: float | None, gate: str, limit: str) -> str:
        found = tr.check(bench=failing(every, how, timeout), max={gate: limit}, sure=True)
        return report.sentence(found.verdicts[0])

    assert ": undecided, it is ≥ 500 ms [50, ∞) (of 150 calls 8 timed out" in said(18, "slow", 0.5, "p95", "800ms")
    assert ": undecided, it is endless (too few queries" in said(40, "raises", None, "p99", "60ms")
    better = tr.check({"AP": 0.40001}, min={"AP": 0.4})
    assert report.sentence(better.verdicts[0]).startswith("AP >= 0.4: pass, it is 0.4000 (")
    worse = tr.check({"AP": 0.39999}, min={"AP": 0.4})
    assert report.sentence(worse.verdicts[0]).startswith("AP >= 0.4: FAIL, it is 0.39999 (")
    slow = tr.check(bench=failing(40, "raises"), max={"p50": "40ms"})
    assert report.document_of(slow, digits=1).tables[0].rows[0][1] == "50 ms"


@pytest.mark.parametrize("repeats", [1, 3])
def test_the_intervals_of_all_calls_lie_between_those_of_the_shortest_and_the_longest(repeats: int) -> None:
    found = failing(12, "slow", timeout=0.5, queries=100, repeats=repeats)
    every = found.of_all_calls(0.95)
    assert (every["p50"].low, every["p50"].high) == (50.0, 50.0)
    assert (every["p95"].low, every["p95"].high) == (500.0, math.inf)
    p90 = every["p90"].interval
    assert p90 is not None
    assert (p90.low, p90.estimate, p90.high) == (50.0, 50.0, math.inf)
    mean = every["mean"].interval
    assert mean is not None
    assert mean.low < every["mean"].low < mean.high == math.inf


@pytest.mark.parametrize("kind", ["nearest-rank", "linear"])
def test_without_failures_a_gate_sees_the_latencies_that_are_shown(kind: str) -> None:
    found = replace(tr.bench(lambda query: ["a"], [f"q{n}" for n in range(80)]), percentiles=kind)
    every = found.of_all_calls(None)
    assert {name: each.low for name, each in every.items()} == found.latency
    assert all(each.low == each.high for each in every.values())


def test_a_gate_takes_the_percentiles_that_are_asked_for() -> None:
    clock = SimulatedClock()
    took = iter([1, 2, 3, 4, 5, 6, 7, 8, 9, 100])

    def search(query: str) -> list[str]:
        clock.sleep(next(took) / 1000)
        return ["a"]

    found = tr.bench(search, [f"q{n}" for n in range(10)], warmup=0, clock=clock)
    assert tr.check(bench=found, max={"p95": "60ms"}).verdicts[0].value == 100.0
    linear = tr.check(bench=found, max={"p95": "60ms"}, percentiles="linear").verdicts[0]
    assert (linear.outcome, round(linear.value, 9)) == ("pass", 59.05)


@given(st.floats(-2, 2), st.floats(0, 2), st.floats(-3, 3), st.booleans())
def test_pass_and_fail_are_what_all_values_of_the_interval_say(
    low: float, width: float, limit: float, is_upper: bool
) -> None:
    interval = Interval(low, low, low + width, 0.95, "bca")
    near = 1e-12 * max(1.0, abs(limit))
    assume(
        all(abs(abs(value - limit) - near) > 1e-15 for value in (interval.low, interval.high))
    )  # but for rounding
    kept = [value <= limit + near if is_upper else value >= limit - near for value in (interval.low, interval.high)]
    expected = "pass" if all(kept) else "undecided" if any(kept) else "fail"
    assert _by_interval(interval, limit, is_upper) == expected


def test_the_same_seed_gives_the_same_check() -> None:
    rows = {f"q{n}": {"Mine": (n * 37 % 101) / 101} for n in range(60)}
    saved = {"mean": {"Mine": 0.5}, "queries": rows}
    one, same, other = (tr.check(saved, min={"Mine": 0.4}, seed=seed) for seed in (3, 3, 4))
    assert one == same != other


def test_without_scipy_limits_are_decided_by_the_value_and_the_rest_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    one = scores(30)
    install = re.escape('pip install "truerank[stats]"')
    found = tr.check(one, min={"AP": 0.5})
    assert (found.outcome, found.verdicts[0].interval) == ("pass", None)
    assert re.search(install, found.verdicts[0].note)
    for gates in ({"min": {"AP": 0.5}, "sure": True}, {"no_worse_than": scores(20)}):
        with pytest.raises(tr.MissingPackage, match=install):
            tr.check(one, **gates)


def test_a_file_of_gates_names_files_from_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "gates.toml").write_text(
        'qrels = "qrels.txt"\nrun = "/abs/new.run"\nno_worse_than = "main.json"\nmargin = 0.01\nsure = true\n'
        'rules = "own.toml"\n[min]\n"nDCG@10" = 0.4\n[max]\np95 = "200ms"\n'
    )
    found = read_settings(tmp_path / "gates.toml")
    assert (found.qrels, found.run) == (str(tmp_path / "qrels.txt"), "/abs/new.run")
    assert (found.no_worse_than, found.rules) == (str(tmp_path / "main.json"), str(tmp_path / "own.toml"))
    assert (found.margin, found.sure, found.min, found.max) == (0.01, True, {"nDCG@10": 0.4}, {"p95": "200ms"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("minn = 3", "a file of gates has no 'minn'. Did you mean min?"),
        ("min = 3", "min is a table, not 3"),
        ("sure = 1", "sure is true or false, not 1"),
        ("margin = true", "margin is a number or a table, not True"),
        ("min = ", "this is no TOML"),
    ],
)
def test_what_a_file_of_gates_cannot_say_is_told(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "gates.toml").write_text(text)
    with pytest.raises(tr.InputError, match=re.escape(message)) as error:
        read_settings(tmp_path / "gates.toml")
    assert "gates.toml" in str(error.value)


def test_a_file_of_gates_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(tr.InputError, match="cannot read the gates: No such file"):
        read_settings(tmp_path / "gates.toml")


def test_junit_has_a_case_a_gate_and_counts_them() -> None:
    found = tr.check(scores(20), min={"AP": 0.9, "nDCG@10": 0.1}, no_worse_than=scores(21), measures=["AP"])
    root = ET.fromstring(report.junit(found))
    suite = root[0]
    assert [suite.get(key) for key in ("tests", "failures", "skipped", "errors")] == ["3", "1", "1", "0"]
    assert [[child.tag for child in case] for case in suite[:3]] == [["failure"], ["system-out"], ["skipped"]]
    assert (suite[3].tag, (suite[3].text or "").splitlines()) == ("system-err", report.remarks_of(found))
    assert suite[0].get("name") == "AP >= 0.9"
    message = suite[0][0].get("message") or ""
    assert scores(20).mean["AP"] == 0.5
    assert message.startswith("AP >= 0.9: FAIL, it is 0.5000 [")


QRELS = {query: {"a": 1, "b": 1} for query in scores(0).queries}


def unjudged(doc: str = "z") -> tr.Scores:
    return tr.evaluate(QRELS, {query: [doc] for query in QRELS}, "AP nDCG@10")


@pytest.mark.parametrize("is_saved", [False, True])
def test_a_run_of_which_nothing_is_judged_does_not_pass(tmp_path: Path, is_saved: bool) -> None:
    checked, baseline = unjudged(), unjudged("y")
    if is_saved:
        for name, one in (("new.json", checked), ("old.json", baseline)):
            (tmp_path / name).write_text(json.dumps({**one.to_dict(), "queries": one.per_query()}))
    both = (str(tmp_path / "new.json"), str(tmp_path / "old.json")) if is_saved else (checked, baseline)
    found = tr.check(both[0], no_worse_than=both[1])
    assert (found.outcome, found.verdicts[0].note) == (
        "undecided",
        "none of the returned documents is judged, so that it cannot pass",
    )
    assert "Warning: none of the returned documents is judged" in report.render(found, "markdown")
    assert tr.check(checked, no_worse_than=scores(20)).outcome == "fail"
    assert tr.check(scores(20), no_worse_than=baseline).outcome == "pass"


@pytest.mark.parametrize("is_saved", [False, True])
def test_a_limit_on_a_mean_of_no_value_is_undecided(tmp_path: Path, is_saved: bool) -> None:
    nothing = tr.evaluate({"q1": {"a": 0}}, {"q1": ["a"]}, "MeanRank@10", rules={"without_relevant": "undefined"})
    assert math.isnan(nothing.mean["MeanRank@10"])
    assert nothing.to_dict()["mean"] == {"MeanRank@10": None}
    (tmp_path / "saved.json").write_text(json.dumps(nothing.to_dict(per_query=True), allow_nan=False))
    found = tr.check(tmp_path / "saved.json" if is_saved else nothing, max={"MeanRank@10": 3})
    assert (found.outcome, found.verdicts[0].queries) == ("undecided", 0)


@pytest.mark.parametrize("limits", [0.5, "AP=0.5", ["AP"]])
@pytest.mark.parametrize("side", ["min", "max"])
def test_limits_that_are_no_mapping_are_refused(side: str, limits: Any) -> None:
    with pytest.raises(tr.InputError, match=rf"^{side} is {{measure: limit}}, not "):
        tr.check(scores(20), **{side: limits})


def test_what_the_means_hide_is_said_of_the_run_and_of_the_baseline() -> None:
    some = tr.evaluate(QRELS, {query: ["a"] for query in list(QRELS)[:-2]}, "AP")
    said = report.remarks_of(tr.check(replace(some, run="new"), no_worse_than=scores(20)))
    assert said[0].startswith("new: 2 missing (scored 0): ")
    hand_made = {**some.to_dict(), "ledger": {"missing": 2}}
    assert not any("missing" in each for each in report.remarks_of(tr.check(hand_made, min={"AP": 0.1})))


def test_junit_is_sound_whatever_a_run_is_called() -> None:
    found = tr.check({"mean": {"A<P>\x00\x1b&": 0.5}, "run": 'x\x01"<&>\udcff'}, min={"A<P>\x00\x1b&": 0.4})
    assert ET.fromstring(report.junit(found))[0].get("name") == 'x\\x01"<&>\\xff'


def test_json_has_no_number_that_json_does_not_know() -> None:
    found = tr.check({"mean": {"Mine": math.nan}}, min={"Mine": 0.1})
    plain = json.loads(report.render(found, "json"))
    assert (plain["outcome"], plain["gates"][0]["value"], plain["gates"][0]["low"]) == ("undecided", None, None)
    assert [*json.loads(json.dumps(found.to_dict(), allow_nan=False))] == [k for k in plain if k != "remarks"]


def test_every_format_names_every_gate() -> None:
    found = tr.check(scores(20), min={"AP": 0.9}, no_worse_than=scores(30), bench=Timings(), max={"p95": "200ms"})
    for format in report.FORMATS:
        text = report.render(found, format)
        assert "AP" in text, format
        assert "p95" in text, format
    assert by_ending("a.xml", report.FORMATS) == "junit"
    assert by_ending("a.md", report.FORMATS) == "markdown"


def test_figures_of_figures_are_themselves() -> None:
    one = Figures.of(scores(3))
    assert Figures.of(one) is one


def test_a_baseline_gates_only_what_has_a_limit_or_a_margin_where_something_has(tmp_path: Path) -> None:
    saved = tmp_path / "saved.json"
    saved.write_text(json.dumps(scores(30, measures="AP nDCG@10 RR NumQ").to_dict(per_query=True)))
    for one in (scores(30, measures="AP nDCG@10 RR NumQ"), str(saved)):
        gated = [
            [verdict.name for verdict in tr.check(one, no_worse_than=one, **gates).verdicts if verdict.against]
            for gates in (
                {"min": {"AP": 0.1}},
                {"min": {"map": 0.1, "NumQ": 1}, "margin": {"RR": 0.1, "AP": 0.1}},
                {"min": {"AP": 0.1}, "measures": ["RR"]},
                {"margin": 0.1},
            )
        ]
        assert gated == [["AP"], ["AP", "RR"], ["RR"], ["AP", "nDCG@10", "RR"]]
    timed = tr.check(bench=Timings(scores=scores(30)), max={"p95": "2s"}, no_worse_than=scores(30))
    assert [verdict.name for verdict in timed.verdicts] == ["p95", "AP", "nDCG@10"]


def test_a_benchmark_may_be_the_path_of_a_saved_one(tmp_path: Path) -> None:
    tr.bench(lambda query: ["d"], {str(i): "tea" for i in range(80)}).save(tmp_path / "bench.json")
    assert tr.check(bench=tmp_path / "bench.json", max={"p95": "60s"}).outcome == "pass"
    with pytest.raises(tr.InputError, match="bench is a Bench, or the path of a saved one, not 5"):
        tr.check(bench=5, max={"p95": "200ms"})


def test_a_percentile_that_there_is_not_is_told_with_those_that_there_are() -> None:
    with pytest.raises(tr.InputError, match=r"there is no p97; a benchmark has .*p95, p99"):
        tr.check(bench=Timings(), max={"p97": "200ms"})


def test_a_check_is_shown_in_a_line() -> None:
    shown = repr(tr.check({"AP": 0.3}, min={"AP": 0.4}))
    assert shown.splitlines()[0] == "Check('scores', fail; AP >= 0.4: fail)"


@pytest.mark.parametrize("mean", [math.nan, math.inf, -math.inf])
def test_a_mean_that_is_no_finite_number_is_refused(mean: float) -> None:
    with pytest.raises(tr.InputError, match=f"AP is {mean}: a mean is a finite number"):
        tr.check({"AP": mean}, min={"AP": 0.4})


def test_an_interval_without_width_is_told_but_not_that_of_what_did_not_change() -> None:
    said = "AP: all values are equal, so that the interval has no width; it says nothing about other queries."
    half, whole = scores(0), scores(60)
    assert report.remarks_of(tr.check(half, min={"AP": 0.1})) == [said]
    assert report.remarks_of(tr.check(half, no_worse_than=whole, measures=["AP"])) == [said]
    assert said not in report.remarks_of(tr.check(half, no_worse_than=half, measures=["AP"]))
    assert said not in report.remarks_of(tr.check(scores(20), min={"AP": 0.1}))


def test_errors_are_counted_in_whole_numbers() -> None:
    text = report.document_of(tr.check(bench=Timings(failed=3), max={"errors": 0})).render()
    assert text.splitlines()[3].split() == ["errors", "<=", "0", "3", "FAIL"]


def test_a_value_that_misses_its_limit_by_less_than_it_shows_has_the_digits_that_tell() -> None:
    found = tr.check({"AP": 0.42958618}, min={"AP": 0.4296})
    assert found.outcome == "fail"
    assert "AP >= 0.4296  0.42959" in str(found)
    assert "it is 0.42959" in report.junit(found)
    assert "0.4296 " in str(tr.check({"AP": 0.42961}, min={"AP": 0.4296}))


def test_gates_name_measures_as_values_too() -> None:
    scored = scores(20)
    by_name, by_value = (tr.check(scored, min={name: 0.1}, max={name: 0.2}) for name in ("AP", tr.AP))
    assert by_value.to_dict() == by_name.to_dict()
    by = dict.fromkeys(scored.queries, "de")
    found = tr.check(scored, min={"AP": 0.1}, by=by, slices={"de": {"min": {tr.AP: 0.9}}})
    assert [(verdict.gate, verdict.outcome) for verdict in found.verdicts] == [
        ("AP >= 0.1", "pass"),
        ("de: AP >= 0.9", "fail"),
    ]


def test_a_gate_shows_its_limit_with_all_of_its_digits() -> None:
    found = tr.check({"AP": 0.41756321}, min={"AP": 0.41756344})
    assert "AP >= 0.41756344  0.4175632" in str(found)
    margin = tr.check(scores(20), no_worse_than=scores(20), margin=0.0012345678).verdicts[0]
    assert margin.gate.endswith("by more than 0.0012345678")
