"""What is made of the samples: figures, intervals, files, comparisons and sweeps."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import truerank as tr
from truerank.live import SimulatedClock, alternate, compare, front, sweep
from truerank.live.latency import MILLION, NEEDED, PERCENTILES, intervals, percentiles, summary
from truerank.present import bench as report
from truerank.present.bench_notes import notes
from truerank.present.data import ReportData
from truerank.present.document import Caution
from truerank.present.sections import speed
from truerank.stats import mean_interval, quantile_interval

QUERIES = {f"q{i}": f"text {i}" for i in range(100)}
QRELS = {query: {"d2": 1} for query in QUERIES}


def taking(clock, seconds, docs=("d1", "d2")):
    def retrieve(query, k):
        clock.sleep(seconds(query) if callable(seconds) else seconds)
        return list(docs)[:k]

    return retrieve


def by_number(query):
    """Query i takes i + 1 ms."""
    return (int(query.split()[1]) + 1) / 1000


def test_percentiles_are_measured_values_at_their_ranks():
    times = np.random.default_rng(0).permutation(np.arange(1, 1001)) * MILLION
    found = summary(times)
    assert [found[name] for name in PERCENTILES] == [500.0, 900.0, 950.0, 990.0, 999.0]
    assert (found["mean"], found["min"], found["max"]) == (500.5, 1.0, 1000.0)


def test_without_times_there_are_no_figures():
    assert all(map(math.isnan, summary(np.array([], np.int64)).values()))
    assert set(intervals(np.array([], np.int64), np.array([], np.int64)).values()) == {None}


@pytest.mark.parametrize(("name", "q"), PERCENTILES.items())
def test_a_percentile_is_resolved_from_the_stated_number_of_queries_on(name, q):
    assert quantile_interval(np.arange(NEEDED[name]), q) is not None
    assert quantile_interval(np.arange(NEEDED[name] - 1), q) is None


def test_the_intervals_of_single_calls_are_order_statistics():
    times = np.arange(1, 101) * MILLION
    found = intervals(times, np.arange(100))
    assert found["p50"] == quantile_interval(np.arange(1, 101), 0.5)
    assert (found["p99"], found["p99.9"]) == (None, None)
    assert found["mean"].low < 50.5 < found["mean"].high


def test_repeats_of_a_query_do_not_make_an_interval_narrower():
    times, query = np.arange(1, 101) * MILLION, np.arange(100)
    once, often = intervals(times, query), intervals(np.repeat(times, 50), np.repeat(query, 50))
    widths = [one["mean"].high - one["mean"].low for one in (once, often)]
    assert widths[1] == pytest.approx(widths[0], rel=0.1)
    assert often["p99"] is None  # 5,000 calls, but 100 queries
    assert often["p50"].high - often["p50"].low == pytest.approx(once["p50"].high - once["p50"].low, abs=5)


def test_the_mean_of_queries_asked_twice_is_resampled_with_all_their_calls():
    rng = np.random.default_rng(3)
    query = np.repeat(np.arange(40), 3)
    times = (rng.random(40)[query] * 10 * MILLION).astype(np.int64) + rng.integers(0, MILLION, 120)
    found = intervals(times, query)["mean"]
    chosen = (rng.integers(40, size=40) for _ in range(2000))
    drawn = [np.concatenate([times[query == q] for q in each]).mean() / MILLION for each in chosen]
    assert (found.low, found.high) == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=0.15)
    assert found.estimate == pytest.approx(times.mean() / MILLION)


def test_a_percentile_of_queries_asked_twice_is_no_surer_than_of_queries_asked_once():
    rng, query = np.random.default_rng(5), np.repeat(np.arange(72), 2)
    true, too_low = math.exp(0.7 * 1.6448536) * MILLION, 0  # the p95 of all queries
    for _ in range(300):
        times = np.exp(rng.normal(0, 0.7, 72)) * MILLION
        too_low += intervals(times[query].astype(np.int64), query)["p95"].high * MILLION < true
    assert too_low <= 15  # a half of 5 %, and what chance adds


def test_quality_has_intervals_beside_latency():
    found = tr.bench(lambda query: ["d1", "d2"], QUERIES, QRELS, measures="RR Success@1")
    assert found.intervals["RR"].method == "constant"
    assert (found.intervals["Success@1"].method, found.intervals["Success@1"].low) == ("binomial", 0.0)


def test_a_geometric_mean_has_its_own_interval():
    found = tr.bench(lambda query: ["d2"] if query < "text 5" else ["d1", "d2"], QUERIES, QRELS, measures="GMAP AP")
    interval, plain = (found.intervals[name] for name in ("GMAP", "AP"))
    assert interval.estimate == found.scores.mean["GMAP"] < found.scores.mean["AP"]
    logs = mean_interval(np.array([math.log(value) for value in found.scores["GMAP"]]), method="bca")
    assert (interval.low, interval.high) == (math.exp(logs.low), math.exp(logs.high)) != (plain.low, plain.high)


def test_a_query_without_a_value_is_in_no_interval_and_in_no_difference():
    judged = {query: {"d2": 1 if at % 3 else 0} for at, query in enumerate(QUERIES)}
    how = {"rules": {"without_relevant": "undefined"}, "measures": "RR AP", "clock": SimulatedClock()}
    both = alternate(lambda query: ["d1", "d2"], lambda query: ["d2"], QUERIES, judged, **how)
    known = [0.5] * 66
    assert both.a.scores.mean["AP"] == 0.5
    assert both.a.intervals["AP"] == mean_interval(known)
    assert both.a.intervals["RR"].estimate == 0.33
    assert (both.differences["AP"].estimate, both.difference_tests["AP"].n) == (0.5, 66)
    assert both.difference_tests["RR"].n == 100
    assert "AP" in report.comparison_document(both).render()


def test_means_and_limits_that_are_not_known_are_none_in_json():
    nothing, rules = {"1": {"d2": 0}, "2": {"d2": 0}}, {"without_relevant": "undefined"}
    judged = {query: {"d2": 1} for query in nothing}
    how = {"measures": "AP", "clock": SimulatedClock()}
    undefined = tr.bench(lambda query: ["d2"], ["tea", "ink"], nothing, rules=rules, **how)
    assert json.loads(json.dumps(undefined.to_dict(), allow_nan=False))["mean"] == {"AP": None}
    few = alternate(lambda query: ["d1"], lambda query: ["d2"], ["tea", "ink"], judged, **how).to_dict()
    assert [few["differences"]["AP"][name] for name in ("estimate", "low", "high")] == [1, None, None]


def test_geometric_means_differ_by_logarithms_as_in_every_comparison():
    both = alternate(lambda query: ["d1", "d2"], lambda query: ["d2"], QUERIES, QRELS, measures="GMAP")
    compared = tr.compare(None, {"a": both.a.scores, "b": both.b.scores}, "GMAP")["GMAP"].pair("b", "a")
    assert both.differences["GMAP"].estimate == pytest.approx(math.log(2))
    assert both.differences["GMAP"].estimate == compared.difference.estimate


def test_calls_of_a_millisecond_are_no_share_of_calls():
    found = tr.bench(taking(clock := SimulatedClock(), 0.001), QUERIES, clock=clock)
    interval = found.intervals["mean"]
    assert (interval.estimate, interval.low, interval.high, interval.method) == (1, 1, 1, "constant")


def test_the_intervals_of_geometric_means_of_perfect_answers_are_not_above_1():
    found = tr.bench(lambda query: ["d2"], QUERIES, QRELS, measures="GMAP")
    assert (found.intervals["GMAP"].low, found.intervals["GMAP"].high) == (1.0, 1.0)


def test_values_that_are_no_shares_are_not_counted_as_successes():
    found = tr.bench(lambda query: ["d2"] if query < "text 5" else ["d1"], QUERIES, QRELS, measures="DCG@1 P@1")
    assert set(found.scores["DCG@1"]) == {0.0, 1.0}
    assert [found.intervals[name].method for name in ("DCG@1", "P@1")] == ["bca", "binomial"]


def benched(clock=None, **how):
    clock = clock or SimulatedClock()
    return tr.bench(taking(clock, by_number), QUERIES, QRELS, measures="RR nDCG@10", clock=clock, **how)


def test_a_saved_benchmark_shows_the_same_without_asking_again(tmp_path):
    found = benched(rate=50, concurrency=8, arrivals="poisson")
    found.save(tmp_path / "bench.json")
    again = tr.Bench.read(tmp_path / "bench.json")
    assert report.document(again).render() == report.document(found).render()
    assert (again.latency, again.outcomes, again.load) == (found.latency, found.outcomes, found.load)
    assert again.scores.per_query() == found.scores.per_query()
    again.save(tmp_path / "again.json.gz")
    assert (
        report.document(tr.Bench.read_all(tmp_path / "again.json.gz")[0]).results == report.document(found).results
    )


def test_the_answers_are_a_run_that_scores_the_same(tmp_path):
    found = benched()
    found.save_run(tmp_path / "answers.run")
    for run in (found.run, tmp_path / "answers.run"):
        assert tr.evaluate(QRELS, run, "RR nDCG@10").mean == found.scores.mean


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{}", "this is no benchmark"),
        ("[]", "no benchmarks"),
        ("not json", "this is no JSON"),
        ('{"format": "truerank bench 1", "name": "x"}', "damaged: KeyError"),
    ],
)
def test_other_files_are_refused(tmp_path, text, says):
    path = tmp_path / "other.json"
    path.write_text(text, "utf-8")
    with pytest.raises(tr.InputError, match=says):
        tr.Bench.read(path)


def test_values_that_a_measure_has_not_are_kept(tmp_path):
    qrels, rules = {"q1": {"a": 0}, "q2": {"a": 1}}, {"without_relevant": "undefined"}
    found = tr.bench(lambda query: ["a"], {"q1": "x", "q2": "y"}, qrels, measures="AP RR", rules=rules)
    found.save(tmp_path / "bench.json")
    again = tr.Bench.read(tmp_path / "bench.json").scores
    assert (again.mean, again.ledger) == (found.scores.mean, found.scores.ledger)
    assert np.isnan(again["AP"]).tolist() == [True, False]


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("missing", None, "count of the ledger"),
        ("undefined", {"AP": "1"}, "count of the ledger"),
        ("examples", {"extra": [None]}, "name of the ledger"),
        ("foreign", [1], "name of the ledger"),
        ("other", 1, "unexpected keyword"),
    ],
)
def test_a_damaged_ledger_is_refused(tmp_path, field, value, says):
    benched().save(tmp_path / "bench.json")
    plain = json.loads((tmp_path / "bench.json").read_text("utf-8"))
    plain["scores"]["ledger"][field] = value
    (tmp_path / "bench.json").write_text(json.dumps(plain), "utf-8")
    with pytest.raises(tr.InputError, match=says):
        tr.Bench.read(tmp_path / "bench.json")


def test_the_ratio_of_latencies_has_the_interval_of_the_logarithms():
    clock, turns = SimulatedClock(), iter(range(1000))
    factors: dict[str, float] = {}

    def slower(query):
        return by_number(query) * factors.setdefault(query, 1.5 + next(turns) % 3)

    both = alternate(taking(clock, by_number), taking(clock, slower), QUERIES, clock=clock)
    wanted = mean_interval(np.log(list(factors.values())), method="bca")
    assert both.ratio.low == pytest.approx(math.exp(wanted.low), rel=0.02)
    assert both.ratio.high == pytest.approx(math.exp(wanted.high), rel=0.02)
    assert both.ratio.low < both.ratio.estimate < both.ratio.high


def test_a_file_in_which_one_call_ends_before_it_begins_is_refused(tmp_path):
    benched().save(tmp_path / "bench.json")
    plain = json.loads((tmp_path / "bench.json").read_text("utf-8"))
    plain["samples_ns"]["end"][-1] = plain["samples_ns"]["begin"][-1] - 1
    (tmp_path / "bench.json").write_text(json.dumps(plain), "utf-8")
    with pytest.raises(tr.InputError, match="a call ends before it begins"):
        tr.Bench.read(tmp_path / "bench.json")


def test_retrievers_that_take_turns_are_compared_query_by_query():
    clock = SimulatedClock()
    a, b = taking(clock, by_number), taking(clock, lambda query: 1.5 * by_number(query), ("d2", "d1"))
    both = alternate(a, b, QUERIES, QRELS, measures="RR", clock=clock)
    assert both.ratio.estimate == pytest.approx(1.5, rel=1e-12)
    assert (both.alternated, both.shared) == (True, 100)
    assert not any("ran at different times" in remark for remark in both.remarks)
    assert both.differences["RR"].estimate == 0.5
    assert both.ratio_test.p < 0.001
    assert both.b.latency["p50"] == 75.0


def test_the_tables_of_two_show_their_times_beside_each_other_and_the_differences_of_their_scores():
    clock, some = SimulatedClock(), dict(list(QUERIES.items())[:8])
    both = alternate(taking(clock, 0.002), taking(clock, 0.003, ("d2",)), some, QRELS, measures="RR", clock=clock)
    shown = report.comparison_document(both)
    times, scores = shown.blocks
    a, b = "retrieve 1", "retrieve 2"
    assert (times.columns, times.digits) == (("latency, ms", a, b, "ratio"), 3)
    unsure = [f"{name} (unresolved)" for name in ("p90", "p95", "p99", "p99.9")]
    assert [row[0] for row in times.rows] == ["mean", "p50", *unsure, "min", "max", "failed calls"]
    assert {row[1:] for row in times.rows[:-1]} == {(2.0, 3.0, 1.5)}
    assert times.rows[-1][1:] == (0, 0, None)
    assert times.notes[:2] == (
        f"{b} takes 1.500 times as long as {a} (95 % interval 1.500 to 1.500, p = 0.0078; 8 queries, paired).",
        "They took turns at each query. So answers a second were not measured.",
    )
    assert (scores.columns, scores.digits) == (("measure", a, b, "difference", "95 % from", "to", "p"), 4)
    assert scores.rows == (("RR", 0.5, 1.0, 0.5, 0.5, 0.5, "0.0078"),)
    figures = dict.fromkeys(report.FIGURES, 3.0) | {"throughput": None, "ok": 8, "empty": 0, "late": 0, "RR": 1.0}
    without = alternate(taking(clock, 0.002), taking(clock, 0.003), some, clock=clock)
    assert [table.columns[0] for table in report.comparison_document(without).blocks] == ["latency, ms"]
    flat = dict(zip(shown.flat.columns, shown.flat.rows[1], strict=True))
    assert figures.items() <= flat.items()
    assert {"name": b, "k": 10, "concurrency": 1, "rate": None, "repeats": None, "seed": 0}.items() <= flat.items()


def test_the_tables_of_an_open_loop_show_the_time_of_the_call_alone_too():
    clock, some = SimulatedClock(), dict(list(QUERIES.items())[:8])
    judged = {query: QRELS[query] for query in some}
    found = tr.bench(taking(clock, 0.02, ("d2",)), some, judged, measures="RR", clock=clock, rate=100)
    shown = report.document(found)
    times, scores = shown.blocks
    assert (times.columns, times.digits) == (("latency", "ms", "95 % from", "to", "call alone"), 3)
    waits = {
        "mean": 55.0,
        "p50": 50.0,
        "p90": 90.0,
        "p95": 90.0,
        "p99": 90.0,
        "p99.9": 90.0,
        "min": 20.0,
        "max": 90.0,
    }
    assert {row[0].split()[0]: row[1] for row in times.rows} == waits  # each query waits 10 ms more than the last
    assert {row[4] for row in times.rows} == {20.0}
    assert times.rows[1][2:4] == (20.0, 90.0)
    assert [row[2] for row in times.rows[2:]] == [None] * 6
    assert scores.columns == ("measure", "mean", "95 % from", "to")
    assert scores.rows == (("RR", 1.0, pytest.approx(0.025 ** (1 / 8)), 1.0),)
    assert "Rules: truerank. 8 queries judged, 8 answered." in scores.notes
    assert dict(zip(shown.flat.columns, shown.flat.rows[0], strict=True))["throughput"] == pytest.approx(50.0)
    closed = tr.bench(taking(clock, by_number), QUERIES, QRELS, measures="RR", clock=clock)
    assert report.document(closed).blocks[0].columns == times.columns[:4]
    for against, within in (("p50", closed.intervals["p50"]), ("throughput", closed.throughput_interval)):
        place = report.standing(closed, "RR", against)
        assert (place["left"], place["speed"], place["right"]) == (within.low, within.estimate, within.high)


def test_queries_that_only_one_answered_are_said_to_be_in_no_ratio():
    clock = SimulatedClock()
    slow = taking(clock, lambda query: 9.0 if by_number(query) > 0.095 else 0.001)
    both = alternate(taking(clock, 0.001), slow, QUERIES, timeout=1, clock=clock)
    assert (both.shared, both.unpaired, both.ratio.estimate) == (95, 5, 1.0)
    assert "5 queries that only one of them answered are not in that ratio." in both.to_text()
    whole = alternate(taking(clock, 0.001), taking(clock, 0.002), QUERIES, clock=clock)
    assert (whole.unpaired, "not in that ratio" in whole.to_text()) == (0, False)


def test_queries_that_only_one_has_scores_of_are_said_to_be_in_no_difference():
    few = {query: QUERIES[query] for query in list(QUERIES)[:40]}
    whole, part = benched(), tr.bench(lambda query: ["d1"], few, QRELS, measures="RR")
    found = compare(whole, part)
    assert (found.unscored, compare(whole, whole).unscored) == (60, 0)
    assert "60 queries that only one of them has scores of are not in the differences." in found.to_text()
    without = tr.bench(lambda query: ["d1"], few)
    assert (compare(whole, without).unscored, "differences" in compare(whole, whole).to_text()) == (0, False)
    empty = tr.bench(
        lambda query: [] if query == "text 0" else ["d2"], few, QRELS, measures="RR", rules="torchmetrics"
    )
    full = tr.bench(lambda query: ["d2"], few, QRELS, measures="RR", rules="torchmetrics")
    assert (compare(full, empty).unscored, compare(empty, full).unscored) == (1, 1)


@pytest.mark.parametrize("plain", [False, True])
def test_they_come_after_each_other_at_each_query_in_random_order(plain):
    clock = SimulatedClock()
    asked = []

    def noting(name):
        def retrieve(query):
            asked.append((name, query))
            clock.sleep(0.001)
            return ["d1"]

        return retrieve

    alternate(noting("a"), noting("b"), QUERIES, warmup=0, plain=plain, clock=clock)
    pairs = list(zip(asked[::2], asked[1::2], strict=True))
    assert all(first[1] == second[1] and first[0] != second[0] for first, second in pairs)
    assert 20 < sum(first[0] == "a" for first, _ in pairs) < 80
    assert ([query for _, query in asked[::2]] == list(QUERIES.values())) is plain


def test_each_of_two_has_its_own_cold_call():
    clock = SimulatedClock()
    both = alternate(taking(clock, 0.001), taking(clock, 0.003), QUERIES, clock=clock)
    assert (both.a.cold, both.b.cold) == (1.0, 3.0)


def test_two_of_one_name_get_numbers():
    both = alternate(lambda query: ["d1"], lambda query: ["d1"], ["tea", "ink"])
    assert [both.a.name, both.b.name, both.a.beside] == ["function 1", "function 2", "function 2"]


def test_saved_benchmarks_are_compared_with_what_speaks_against_it():
    one, other = benched(), benched(k=5, timeout=9)
    found = compare(one, other)
    assert (found.alternated, found.ratio.estimate, found.ratio.method) == (False, 1.0, "constant")
    assert "k 10 and 5, timeout none and 9" in " ".join(found.remarks)
    assert "different times" in found.remarks[0]


def test_benchmarks_without_a_common_query_are_not_compared():
    other = tr.bench(lambda query: ["d1"], {"x": "tea"})
    with pytest.raises(tr.InputError, match="no query in common"):
        compare(benched(), other)


def test_scores_under_different_rules_are_not_compared():
    clock = SimulatedClock()
    other = tr.bench(taking(clock, 0.001), QUERIES, QRELS, measures="RR", rules="trec_eval-10", clock=clock)
    found = compare(benched(), other)
    assert found.differences == {}
    assert "different rules" in " ".join(found.remarks)


def test_scores_under_the_same_rules_by_another_name_are_compared():
    named = {**tr.Rules().to_dict(), "name": "ours", "measures": ["RR"]}
    other = tr.bench(taking(SimulatedClock(), 0.001), QUERIES, QRELS, measures="RR", rules=named)
    found = compare(benched(), other)
    assert set(found.differences) == {"RR"}
    assert "different rules" not in " ".join(found.remarks)


def test_one_of_two_that_took_turns_has_no_throughput_of_its_own():
    clock = SimulatedClock()
    both = alternate(taking(clock, 0.001), taking(clock, 0.003), QUERIES, concurrency=4, clock=clock)
    for one, other in ((both.a, both.b), (both.b, both.a)):
        assert (one.throughput, one.under_way, one.at_a_time) == (None, None, None)
        text = report.document(one).render()
        assert f"100 calls. It took turns with {other.name}, so answers a second were not measured." in text
        assert "under way" not in text
        assert one.to_dict()["throughput"] is None
    assert "answers a second were not measured" in report.comparison_document(both).render()


def test_a_gate_on_the_throughput_of_one_that_took_turns_is_undecided():
    both = alternate(lambda query: ["d1"], lambda query: ["d2"], ["tea", "ink"])
    found = tr.check(bench=both.a, min={"throughput": 1}, max={"throughput": 2})
    assert [verdict.outcome for verdict in found.verdicts] == ["undecided", "undecided"]
    assert "took turns" in found.verdicts[0].note


def test_a_setting_without_a_value_of_the_measure_is_not_among_the_best():
    clock, qrels = SimulatedClock(), {"q1": {"d1": 1}, "q2": {"d1": 0}}

    def make(cost):
        return taking(clock, lambda query: stop_at_second() if cost == 2 else cost / 1000)

    def stop_at_second():
        if next(asked):
            raise KeyboardInterrupt
        return 0.002

    asked = iter((0, 1))
    first = {"rules": {"without_relevant": "undefined"}, "measures": "AP", "clock": clock, "warmup": 0, "seed": 3}
    found = sweep(make, {"q1": "tea", "q2": "ink"}, qrels, over={"cost": [1, 2]}, **first)
    assert (found[1].asked, math.isnan(found[1].scores.mean["AP"])) == (("q2",), True)
    assert front(found, "AP") == {0}


def test_a_sweep_over_load_and_parameters_finds_the_front():
    clock = SimulatedClock()

    def make(probes):
        return taking(clock, probes / 1000, ("d2",) if probes > 2 else ("d1", "d2"))

    found = sweep(make, QUERIES, QRELS, over={"probes": [1, 2, 4], "k": [1, 5]}, measures="RR", clock=clock)
    assert [tuple(one.settings.values()) for one in found] == [(1, 1), (1, 5), (2, 1), (2, 5), (4, 1), (4, 5)]
    assert [one.scores.mean["RR"] for one in found] == [0.0, 0.5, 0.0, 0.5, 1.0, 1.0]
    assert front(found, "RR") == {1, 4, 5}
    drawn = report.sweep_document(found).render()
    assert drawn.count("*") == 3 + 1
    assert "*: by RR and p50, no other setting is as good and faster, or as fast and better." in drawn


def test_a_lambda_that_was_made_for_a_sweep_goes_by_its_maker_s_name():
    def index(probes):
        return lambda query, k: ["d1", "d2"][:k]

    found = sweep(index, QUERIES, QRELS, over={"probes": [1, 2]}, measures="RR")
    assert [(one.name, one.scores.run, one.run.name) for one in found] == [("index", "index", "index")] * 2
    assert "index: " in report.sweep_document(found).render()
    alone = sweep(index(1), QUERIES, over={"k": [1, 2]})
    assert [(one.name, one.scores) for one in alone] == [("function", None)] * 2


def test_who_never_answers_the_slow_queries_is_not_the_faster_for_it():
    clock = SimulatedClock()
    slow = set(list(QUERIES.values())[:3])

    def make(patient):
        def search(query):
            clock.sleep(0.05 if patient else 2 if query in slow else 0.01)
            return ("d1", "d2") if patient else ("d2",)

        return search

    found = sweep(make, QUERIES, QRELS, over={"patient": [0, 1]}, measures="RR", clock=clock, timeout=1)
    assert [one.failed for one in found] == [3, 0]
    assert [one.latency["p99"] for one in found] == [10, 50]
    assert found[0].scores.mean["RR"] > found[1].scores.mean["RR"]
    assert front(found, "RR", "p99") == {0, 1}
    assert front(found, "RR", "p50") == {0}
    assert "For this, calls without an answer are endless." in report.sweep_document(found, "p99").render()


def test_equal_quality_is_equal_at_the_front_whatever_its_last_bits():
    clock = SimulatedClock()
    queries, right = ["first", "second", "third"], [f"d{i}" for i in range(10)]
    found_of = {1: [1, 4, 1], 2: [1, 1, 4]}

    def make(probes):
        def search(query):
            clock.sleep(probes / 1000)
            return right[: found_of[probes][queries.index(query)]]

        return search

    qrels = {str(i): dict.fromkeys(right, 1) for i in (1, 2, 3)}
    found = sweep(make, queries, qrels, over={"probes": [1, 2]}, measures="R@10", clock=clock)
    faster, slower = (one.scores.mean["R@10"] for one in found)
    assert 0 < slower - faster < 1e-15
    assert front(found, "R@10") == {0}


def test_a_setting_that_ended_early_is_in_no_comparison():
    clock = SimulatedClock()
    whole = sweep(taking(clock, 0.001, ["d1", "d2"]), QUERIES, QRELS, over={"k": [2]}, measures="RR", clock=clock)
    early = sweep(taking(clock, 0.001, ["d2"]), QUERIES, QRELS, over={"k": [2]}, measures="RR", clock=clock)
    assert front([*whole, *early], "RR") == {1}
    assert front([*whole, replace(early[0], stopped="interrupted")], "RR") == {0}


def test_a_sweep_says_how_many_queries_stand_behind_its_rows():
    clock = SimulatedClock()

    def make(cost):
        return taking(clock, cost / 1000)

    how = {"measures": "RR", "clock": clock, "warmup": 0}
    found = sweep(make, QUERIES, QRELS, over={"cost": [1, 10]}, duration=0.2, **how)
    assert [len(one.asked) for one in found] == [100, 20]
    assert "retrieve: from 20 to 100 queries a row." in report.sweep_document(found).render()
    early = [found[0], replace(found[1], stopped="interrupted")]
    assert "retrieve: 100 queries a row." in report.sweep_document(early).render()


def test_the_front_of_a_measure_that_less_is_better_of_has_the_least():
    clock = SimulatedClock()

    def make(probes):
        return taking(clock, probes / 1000, ("d2", "d1") if probes > 2 else ("d1", "d2"))

    found = sweep(make, QUERIES, QRELS, over={"probes": [1, 2, 4]}, measures="FirstRank@5", clock=clock)
    assert [one.scores.mean["FirstRank@5"] for one in found] == [2.0, 2.0, 1.0]
    assert front(found, "FirstRank@5") == {0, 2}
    assert front(found, "first_rank@5", "throughput") == {0, 2}


@pytest.mark.parametrize(
    ("measure", "against", "says"),
    [
        ("AP", "p50", r"AP was not measured\. There is RR"),
        ("RR", "p59", r"p59 was not measured\. Did you mean p95\? There is mean, min, max, p50"),
        (None, "p50", "None was not measured"),
    ],
)
def test_a_front_of_what_was_not_measured_is_refused(measure, against, says):
    found = sweep(taking(SimulatedClock(), 0.001), QUERIES, QRELS, over={"k": 5}, measures="RR")
    with pytest.raises(tr.InputError, match=says):
        front(found, measure, against)


def test_without_judgements_there_is_no_front():
    found = sweep(taking(SimulatedClock(), 0.001), QUERIES, over={"k": 5})
    with pytest.raises(tr.InputError, match="without qrels there is no quality to set against latency"):
        front(found, "RR")


def test_a_setting_that_cannot_be_has_its_own_load_and_no_calls():
    clock, made = SimulatedClock(), []

    def make(cost):
        made.append(cost)
        if len(made) > 1:
            raise ValueError("no memory")
        return taking(clock, cost / 1000)

    found = sweep(make, QUERIES, over={"k": [5, 7], "cost": [1]}, clock=clock)
    one, other = found
    assert (one.load.k, one.stopped) == (5, "")
    assert (other.load.k, other.settings["k"], len(other.samples)) == (7, 7, 0)
    assert "the retriever cannot be made with {'cost': 1}: ValueError: no memory" in other.stopped


def test_a_lone_value_is_swept_as_a_list_of_it():
    for value in (2, [2], "both"):
        found = sweep(lambda n: lambda query: [str(n)], QUERIES, over={"n": value})
        assert [one.settings for one in found] == [{"n": value if value != [2] else 2}]
    with pytest.raises(tr.InputError, match="a sweep needs settings with values"):
        sweep(lambda query: ["d1"], QUERIES, over=5)


def test_a_setting_that_cannot_be_measured_stands_under_its_own_values():
    def index(n):
        if n == 2:
            raise RuntimeError("no such index")
        return lambda query, k: ["d1"]

    found = sweep(index, QUERIES, over={"k": [5, 7], "n": [1, 2], "concurrency": [1, 20_000]})
    table = report.sweep_document(found).flat
    columns = [table.columns.index(name) for name in ("k", "n", "concurrency")]
    assert [tuple(row[at] for at in columns) for row in table.rows] == [
        (k, n, workers) for k in (5, 7) for n in (1, 2) for workers in (1, 20_000)
    ]
    assert [one.load.k for one in found if one.settings["concurrency"] == 1] == [5, 5, 7, 7]


def test_the_row_of_a_setting_that_cannot_be_measured_is_empty():
    def index(n):
        if n == 2:
            raise RuntimeError("no such index")
        return lambda query, k: ["d1"]

    page = report.sweep_document(sweep(index, QUERIES, QRELS, over={"n": [1, 2]}, measures="RR"))
    assert page.blocks[0].rows[1] == (2, *[None] * 7, "")
    assert page.flat.rows[1][page.flat.columns.index("throughput")] is None
    assert [remark.partition(" (")[0] for remark in page.remarks] == ["n 2: Warning: ended early"]


def test_a_warning_of_benchmarks_in_one_file_names_them():
    def failing(query):
        raise RuntimeError("no index")

    page = report.sweep_document([benched(), tr.bench(failing, QUERIES)])
    assert "failing: Warning: of 100 calls 100 failed. They are not in the latencies." in page.render().splitlines()
    assert page.remarks[0].startswith("failing: Warning: ")


def test_a_name_is_swept_as_what_it_means(tmp_path, monkeypatch):
    (tmp_path / "swept_by_name.py").write_text("def index(n):\n    return lambda query: [str(n)]\n")
    monkeypatch.chdir(tmp_path)
    found = sweep("swept_by_name:index", QUERIES, over={"n": [3, 4]})
    assert [one.answers.by_query["q1"].docs for one in found] == [("3",), ("4",)]
    with pytest.raises(tr.InputError, match="takes no parameters; give a function that returns the retriever"):
        sweep("http://localhost/?q={query}", QUERIES, over={"n": [3, 4]})


def test_a_parameter_that_a_retriever_does_not_take_is_told():
    with pytest.raises(tr.InputError, match="cannot be made with"):
        sweep(lambda probes: None, ["tea"], over={"nprobe": [1]})


def test_a_search_function_that_is_swept_is_told_what_is_swept():
    with pytest.raises(tr.InputError, match="a sweep needs a function of nprobe and ef that returns the retriever"):
        sweep(lambda query, k, nprobe, ef: [], ["tea"], over={"nprobe": [1], "ef": [2]})


def test_a_warning_of_several_benchmarks_stands_once_in_a_report():
    clock = SimulatedClock()
    one = tr.bench(taking(clock, 0.001), QUERIES, QRELS, k=2, measures="R@100", clock=clock)
    data = ReportData(benches=(replace(one, name="one"), replace(one, name="other")))
    cautions = [block.text for block in speed.blocks(data) if isinstance(block, Caution)]
    assert cautions == ["one; other: Warning: R@100: of the first 2 documents of each answer, as k is 2."]


def test_a_sweep_is_drawn(tmp_path):
    from truerank.present.pareto import figure
    from truerank.present.renderers import figures

    clock = SimulatedClock()
    found = sweep(taking(clock, 0.001), QUERIES, QRELS, over={"k": [1, 2]}, measures="RR", clock=clock)
    for ending in ("svg", "html"):
        figures.draw(figure(found), str(tmp_path / f"front.{ending}"))
    assert "Quality against latency" in (tmp_path / "front.svg").read_text("utf-8")


def test_the_table_says_what_is_unresolved_and_what_a_cache_could_know():
    text = report.document(benched(repeats=2)).render()
    assert "p99 (unresolved)" in text
    assert "needed: p99 368, p99.9 3,688" in text
    assert "102 of 200 calls asked what had been asked before" in text
    assert "may be alike, which the intervals allow for: 200 calls, 100 queries" in text


def test_unresolved_percentiles_are_marked_beside_each_other_too():
    clock = SimulatedClock()
    found = sweep(taking(clock, 0.001), QUERIES, over={"k": [1, 2]}, clock=clock)
    table = report.sweep_table(found)
    assert table.columns == ("k", "mean ms", "p50 ms", "p95 ms", "p99 ms (unresolved)", "a second", "failed")
    assert "Unresolved with 100 queries; needed: p99 368, p99.9 3,688." in table.notes
    pages = report.comparison_document(compare(*found))
    names = [row[0] for row in pages.tables[0].rows]
    assert names[:6] == ["mean", "p50", "p90", "p95", "p99 (unresolved)", "p99.9 (unresolved)"]
    assert speed.table(found, ["one", "other"]).columns[5] == "p99 ms (unresolved)"


def test_large_throughputs_have_no_fractions():
    clock = SimulatedClock()
    fast, slow = (tr.bench(taking(clock, time), QUERIES, clock=clock) for time in (0.00003, 0.016))
    assert [report.per_second(fast), report.per_second(slow)] == [33_333, 62.5]


def test_what_was_never_answered_is_a_table_of_outcomes():
    def broken(query):
        raise OSError("down")

    (table,) = report.document(tr.bench(broken, QUERIES)).tables
    assert (table.columns, table.rows) == (("outcome", "calls"), (("error", 100),))
    assert "  100 × OSError: down" in table.notes


@pytest.mark.parametrize(("rules", "says"), [("trec_eval-9", True), ("truerank", False)])
def test_failed_calls_score_but_are_not_called_answered(rules, says, tmp_path):
    def failing(query):
        if query == "text 3":
            raise ValueError("no such index")
        return ["d2"]

    found = tr.bench(failing, QUERIES, QRELS, measures="RR", rules=rules)
    assert (found.scores.mean["RR"], found.scores.ledger.answered) == (0.99, 99)
    text = report.document(found).render()
    assert "100 queries judged, 99 answered" in text
    assert ("1 query without documents counts here; `truerank eval` of the saved run leaves" in text) == says
    found.save_run(tmp_path / "answers.run")
    saved = tr.evaluate(QRELS, tmp_path / "answers.run", "RR", rules=rules)
    assert saved.mean["RR"] == (1.0 if says else 0.99)


def test_a_query_that_is_in_no_mean_is_not_said_to_count(tmp_path):
    qrels = {"q0": {"d2": 1}, "q1": {"d2": 1}}
    how = {"measures": "RR", "clock": SimulatedClock()}
    unjudged = tr.bench(
        lambda query: [] if query > "text 1" else ["d2"], QUERIES, qrels, rules="trec_eval-9", **how
    )
    assert "without documents" not in report.document(unjudged).render()
    failing = tr.bench(lambda query: 1 / 0, QUERIES, qrels, rules="recommenders", **how)
    assert "count here" not in report.document(failing).render()
    assert "The mean is over 0 queries." in report.document(failing).render()
    assert (failing.intervals["RR"], tr.check(bench=failing, min={"RR": 0.1}).outcome) == (None, "undecided")
    failing.save(tmp_path / "failing.json")
    assert tr.Bench.read(tmp_path / "failing.json").to_dict() == failing.to_dict()


def test_sweeps_and_comparisons_say_under_which_rules_and_over_which_queries_their_means_are():
    clock, how = SimulatedClock(), {"measures": "RR", "rules": "torchmetrics"}  # which leave out empty answers

    def index(n):
        return lambda query: ["d2"] if query == "text 0" else ["d1", "d2"] if n > 1 else []

    found = sweep(index, QUERIES, QRELS, over={"n": [1, 2]}, clock=clock, **how)
    assert [one.scores.mean["RR"] for one in found] == [1.0, 0.505]
    both = alternate(index(1), index(2), QUERIES, QRELS, clock=clock, **how)
    pages = (
        (report.sweep_document(found), ("n 1", "n 2")),
        (report.comparison_document(both), ("function 1", "function 2")),
    )
    for page, names in pages:
        notes = page.render().splitlines()
        assert "Rules: torchmetrics." in notes
        assert f"{names[0]}: 100 queries judged, 1 answered. The mean is over 1 query." in notes
        assert f"{names[1]}: 100 queries judged, 100 answered." in notes


def test_false_concurrency_is_warned_of():
    clock = SimulatedClock()

    async def blocking(query):
        clock.sleep(0.002)
        return ["d1"]

    text = report.document(tr.bench(blocking, QUERIES, concurrency=8, clock=clock)).render()
    assert "Warning: 8 workers, but only 1.0 calls were under way at a time." in text


def test_an_interrupted_run_says_so_and_how_much_is_missing():
    count = iter(range(1000))

    def interrupted(query):
        if next(count) == 30:
            raise KeyboardInterrupt
        return ["d1"]

    text = report.document(tr.bench(interrupted, QUERIES, warmup=0)).render()
    assert "ended early (interrupted)" in text
    assert "70 of 100 queries were never asked" in text


def test_notes_tell_how_it_was_asked_what_speaks_against_it_and_what_is_not_counted():
    some = dict(list(QUERIES.items())[:40])
    judged, bad = {query: QRELS[query] for query in some}, {f"text {i}" for i in range(5)}

    def noted(seconds, fails=(), **how):
        def ask(query, k):
            clock.sleep(seconds)
            if query in fails:
                raise ValueError(query)
            return ["d1", "d2"]

        clock = SimulatedClock()
        return notes(tr.bench(ask, some, judged, measures="RR", clock=clock, **how))[:-1]  # the machine

    cold = "First call {} ms (cold); it and {} more for warming up are not counted."
    cached = "{} of {} calls asked what had been asked before: a cache could answer them."
    needed = "Unresolved with 40 queries; needed: p95 72, p99 368, p99.9 3,688."
    alike = "Calls of one query may be alike, which the intervals allow for: {} calls, {} queries."
    unanswered = "Unresolved with 35 queries; needed: p90 36, p95 72, p99 368, p99.9 3,688."
    late = (
        "Latency counts from the intended start. Calls that waited together are alike, and the intervals of "
        "latencies are too narrow."
    )
    assert noted(0.002) == [
        "ask: closed loop, 1 worker, k 10; 40 calls in 0.08 s: 500.0 answers a second.",
        cold.format("2.000", 1),
        cached.format(2, 40),
        needed,
    ]
    assert noted(0.002, repeats=2)[:1] + noted(0.002, repeats=2)[-3:] == [
        "ask: closed loop, 1 worker, k 10; 80 calls, 40 queries in 0.16 s: 500.0 answers a second.",
        cached.format(42, 80),
        alike.format(80, 40),
        needed,
    ]
    assert noted(0.02, rate=100)[:2] == [
        "ask: open loop, 100 starts a second (constant), 1 worker, k 10; "
        "40 calls in 0.80 s: 50.0 answers a second.",
        f"Warning: 39 starts (98%) were late, the one worker being busy. {late}",
    ]
    assert noted(0.04, rate=100, concurrency=2) == [
        "ask: open loop, 100 starts a second (constant), 2 workers, k 10; "
        "40 calls in 0.81 s: 49.4 answers a second.",
        f"Warning: 38 starts (95%) were late, all 2 workers being busy. {late}",
        cold.format("40.000", 8),
        cached.format(9, 40),
        "At a time: 2.0 calls under way (Little's law).",
        needed,
    ]
    assert "At a time: 2.0 calls under way (Little's law), 2.0 served." in noted(0.04, concurrency=2)
    once, twice = noted(0.002, bad), noted(0.002, bad, repeats=2)
    assert once[1] == "Warning: of 40 calls 5 failed. They are not in the latencies, and score 0."
    assert {line[:18] for line in once[2:5]} == {"  1 × ValueError: "}
    assert once[5] == "  and 2 other kinds of errors"
    assert once[-1] == unanswered
    assert twice[1] == "Warning: of 80 calls 10 failed. They are not in the latencies."
    assert twice[6] == "Warning: 5 queries have no answer of any call, and score 0."
    assert twice[-2:] == [alike.format(70, 35), unanswered]


@pytest.mark.parametrize(
    ("rules", "says", "again"),
    [
        ("truerank", "; `truerank eval` of the saved run scores such queries 0.", 50 / 52),
        ("trec_eval-9", ".", 1.0),
        ("trec_eval-10", "; `truerank eval` of the saved run refuses a run without them.", None),
    ],
)
def test_judged_queries_that_were_not_asked_are_counted_with_what_the_saved_run_makes_of_them(
    rules, says, again, tmp_path
):
    asked = {query: QUERIES[query] for query in list(QUERIES)[:50]}
    judged = {query: QRELS[query] for query in list(QRELS)[:52]}
    found = tr.bench(lambda query: ["d2"], asked, judged, measures="RR", rules=rules)
    assert (found.scores.mean["RR"], found.unasked) == (1.0, 2)
    assert f"2 judged queries were not asked, and are in no mean{says}" in report.document(found).remarks
    found.save(tmp_path / "bench.json")
    assert tr.Bench.read(tmp_path / "bench.json").unasked == 2
    found.save_run(tmp_path / "answers.run")
    if again is None:
        with pytest.raises(tr.InputError, match="judged but not answered"):
            tr.evaluate(judged, tmp_path / "answers.run", "RR", rules=rules)
    else:
        assert tr.evaluate(judged, tmp_path / "answers.run", "RR", rules=rules).mean["RR"] == again
    assert tr.bench(lambda query: ["d2"], asked, {"q0": {"d2": 1}}, measures="RR").unasked == 0


@pytest.mark.parametrize(("k", "returned", "is_said"), [(5, 9, True), (5, 4, False), (10, 10, False)])
def test_measures_that_look_deeper_than_k_are_warned_of_where_an_answer_has_k_documents(k, returned, is_said):
    found = tr.bench(lambda query: [f"d{n}" for n in range(returned)], QUERIES, QRELS, k=k, measures="R@10 P@5 AP")
    said = "Warning: R@10: of the first 5 documents of each answer, as k is 5."
    assert (said in report.document(found).render()) is is_said
    assert (f"found: {said}" in tr.experiment({"found": found}, None, QRELS, "R@10 AP").to_text()) is is_said


def test_a_saved_run_with_repeated_documents_is_said_to_need_the_rule_that_scored_it(tmp_path):
    def repeating(query):
        return ["d1", "d1", "d2"] if query in ("text 1", "text 2") else ["d2", "d1"]

    found = tr.bench(repeating, QUERIES, QRELS, measures="RR")
    assert report.document(found).remarks == [
        "2 answers name a document more than once; `truerank eval` of the saved run needs `--set duplicates=first`."
    ]
    found.save_run(tmp_path / "answers.run")
    with pytest.raises(tr.InputError, match="is returned twice"):
        tr.evaluate(QRELS, tmp_path / "answers.run", "RR")
    again = tr.evaluate(QRELS, tmp_path / "answers.run", "RR", rules={"duplicates": "first"})
    assert again.mean == found.scores.mean


def test_two_oddities_of_as_many_answers_are_both_told():
    found = tr.bench(lambda query: [("d1", 2.0), ("d1", 1.0), ("d2", 3.0)], {"q0": "text 0"})
    assert report.document(found).remarks == [
        "1 answer names a document more than once.",
        "1 answer has scores that do not fall; the order counts.",
    ]


def test_few_queries_have_no_interval_of_means_ratios_or_differences():
    three = {query: QUERIES[query] for query in list(QUERIES)[:3]}
    clock = SimulatedClock()
    found = tr.bench(taking(clock, by_number), three, QRELS, measures="RR", clock=clock)
    assert (found.intervals["mean"].method, found.intervals["RR"].method) == ("none", "none")
    again = tr.bench(taking(clock, by_number), three, repeats=4, clock=clock)
    assert again.intervals["mean"].method == "none"
    both = alternate(taking(clock, 0.002), taking(clock, 0.003, ["d2"]), three, QRELS, measures="RR", clock=clock)
    one, two = report.document(found).render(), report.comparison_document(both).render()
    assert ("unknown" in one, "unknown" in two, "inf" in one + two) == (True, True, False)
    assert "takes 1.500 times as long as retrieve 1 (95 % interval unknown" in two


def test_intervals_of_equal_values_are_said_to_tell_nothing():
    clock = SimulatedClock()
    how = {"measures": "RR", "clock": clock}
    one = tr.bench(taking(clock, 0.002), QUERIES, QRELS, **how)
    both = alternate(taking(clock, 0.002), taking(clock, 0.003, ["d2"]), QUERIES, QRELS, **how)
    for pages in (report.document(one), report.comparison_document(both)):
        assert pages.tables[-1].notes[-1].startswith("RR: all values are equal, so that the interval has no width")


@pytest.mark.parametrize("format", ["table", "json", "csv", "markdown", "latex"])
def test_every_format_holds_the_figures(format):
    clock = SimulatedClock()
    found = tr.bench(taking(clock, 0.002), QUERIES, QRELS, measures="RR", clock=clock)
    for pages in (
        report.document(found),
        report.sweep_document([found]),
        report.comparison_document(compare(found, found)),
    ):
        text = pages.render(format)
        assert "2.0" in text
        assert "RR" in text


def seed_004(retriever, queries, warmup=2):
    """The loop that seed 004 has, on any clock."""
    now, invoke = retriever
    for query in queries[:warmup]:
        invoke(query)
    latencies = []
    for query in queries[warmup:]:
        start = now()
        invoke(query)
        latencies.append((now() - start) / 1e6)
    return {"mean": np.mean(latencies), **{f"p{q}": np.percentile(latencies, q) for q in (50, 95, 99)}}


@pytest.mark.parametrize("warmup", [0, 1, 2, 5])
def test_a_plain_loop_gives_the_figures_of_seed_004(warmup):
    texts = [f"text {i}" for i in np.random.default_rng(4).permutation(60)]
    theirs = SimulatedClock()
    expected = seed_004((theirs.now, lambda query: taking(theirs, by_number)(query, 10)), texts, warmup)
    clock = SimulatedClock()
    found = tr.bench(taking(clock, by_number), texts, warmup=warmup, plain=True, clock=clock)
    assert {name: found.latency[name] for name in expected} == pytest.approx(expected, rel=1e-12)
    assert [found.queries[q] for q in found.measured.query] == [str(i) for i in range(warmup + 1, 61)]


@pytest.mark.parametrize("failed", range(12))
@pytest.mark.parametrize("calls", [2, 3, 5, 11, 21, 101])
def test_a_linear_percentile_is_endless_only_where_it_lies_above_a_call_that_ended(calls, failed):
    ended = max(0, calls - failed)
    times = np.array([*range(ended), *[np.inf] * (calls - ended)])
    for name, value in percentiles(times, "linear").items():
        place = Fraction(name[1:]) / 100 * (calls - 1)
        assert value == (pytest.approx(float(place)) if place <= ended - 1 else np.inf)


def test_ten_samples_have_the_percentiles_that_numpy_has_only_where_that_is_asked_for():
    times = np.array([1, 2, 3, 4, 5, 6, 7, 8, 9, 100]) * MILLION
    assert [summary(times)[name] for name in ("p50", "p95", "p99")] == [5.0, 100.0, 100.0]
    linear = summary(times, "linear")
    assert [linear[name] for name in PERCENTILES] == [
        np.percentile(times / MILLION, 100 * q) for q in (0.5, 0.9, 0.95, 0.99, 0.999)
    ]
    assert [round(linear[name], 9) for name in ("p50", "p95", "p99")] == [5.5, 59.05, 91.81]


def test_the_queries_that_warm_up_a_plain_loop_are_scored_and_not_timed():
    def search(query):
        if query == "text 1":
            raise OSError("down")
        return ["d2"]

    found = tr.bench(search, {f"q{i}": f"text {i}" for i in range(8)}, QRELS, plain=True, measures="RR")
    assert (len(found.measured), len(found.asked), found.asked_before) == (6, 8, 0)
    assert found.scores.mean["RR"] == 7 / 8
    text = report.document(found).render()
    assert "plain loop, k 10; 6 calls in" in text
    assert "The first 2 queries warmed up: in no latency, but in the scores." in text
    assert "Percentiles are linear" in text


@pytest.mark.parametrize("how", [{"concurrency": 2}, {"rate": 10}, {"duration": 1}, {"repeats": 2}, {"warmup": 8}])
def test_what_a_plain_loop_cannot_have_is_refused(how):
    with pytest.raises(tr.InputError, match="a plain loop"):
        tr.bench(lambda query: ["d2"], [f"text {i}" for i in range(8)], plain=True, **how)


def test_two_plain_loops_take_turns():
    clock = SimulatedClock()
    both = alternate(taking(clock, 0.002), taking(clock, 0.003), list("abcd"), plain=True, clock=clock)
    assert [len(one.measured) for one in (both.a, both.b)] == [2, 2]
    assert (both.a.latency["mean"], both.b.latency["mean"], both.a.percentiles) == (2.0, 3.0, "linear")


@pytest.mark.parametrize("rules", ["sklearn", "beir", "mteb", None])
def test_a_benchmark_that_was_read_is_the_one_that_was_saved(tmp_path, rules):
    found = tr.bench(lambda query: ["d1", "d2"], QUERIES, QRELS, measures="AP RR@5", rules=rules)
    found.save(tmp_path / "bench.json")
    read = tr.Bench.read(tmp_path / "bench.json")
    assert (read.to_dict(), read.scores.asked) == (found.to_dict(), found.scores.asked)


def test_percentiles_are_saved_with_their_kind(tmp_path):
    found = tr.bench(lambda query: ["d2"], QUERIES, percentiles="linear")
    found.save(tmp_path / "bench.json")
    [again] = tr.Bench.read_all(tmp_path / "bench.json")
    assert (again.percentiles, again.latency) == ("linear", found.latency)
    assert {name: again.intervals[name].estimate for name in ("p50", "p90")} == {
        name: found.latency[name] for name in ("p50", "p90")
    }
    with pytest.raises(tr.InputError, match=r"percentiles are nearest-rank or linear, not 'linaer'\. Did you mean"):
        tr.bench(lambda query: ["d2"], QUERIES, percentiles="linaer")
    other = compare(found, tr.bench(lambda query: ["d2"], QUERIES))
    assert any("percentiles of A are linear, those of B nearest-rank" in text for text in other.remarks)


def built(clock, what):
    def build():
        clock.sleep(2)
        return what

    return build


@pytest.mark.parametrize("what", [500, [""] * 500, (f"d{i}" for i in range(500)), np.int64(500)], ids=type)
def test_the_indexing_is_timed_and_its_documents_are_counted(what, tmp_path):
    clock = SimulatedClock()
    found = tr.bench(taking(clock, 0.002), QUERIES, index=built(clock, what), clock=clock)
    one = found.indexing
    assert (one.name, one.documents, one.seconds, one.per_second, one.per_document) == (
        "build",
        500,
        2.0,
        250.0,
        4.0,
    )
    assert found.latency["mean"] == pytest.approx(2)
    found.save(tmp_path / "bench.json")
    [again] = tr.Bench.read_all(tmp_path / "bench.json")
    assert again.indexing == one
    pages = report.document(again)
    assert pages.results["indexing"]["ms_per_document"] == 4.0
    assert pages.tables[-1].rows == (("build", 500, 2.0, 250, 4.0),)
    assert dict(zip(pages.flat.columns, pages.flat.rows[0], strict=True))["index_seconds"] == 2.0
    table = speed.index_table([one], ["search"])
    assert table.columns[1:] == ("documents", "seconds", "documents a second", "ms a document")


def test_an_indexing_may_be_a_coroutine_and_is_timed_once_in_a_sweep():
    clock, times = SimulatedClock(), []

    async def build():
        times.append(1)
        clock.sleep(6.0)
        return 3

    found = sweep(taking(clock, 0.002), QUERIES, over={"k": [1, 2]}, index=build, clock=clock)
    assert ([one.indexing.documents for one in found], times) == ([3, 3], [1])
    indexed = report.sweep_document(found).blocks[1]
    assert indexed.columns == ("indexing", "documents", "seconds", "documents a second", "ms a document")
    assert indexed.rows == (("build", 3, 6.0, 0.5, 2000.0),)
    flat = report.sweep_document(found).flat
    assert [
        (row[flat.columns.index("documents")], row[flat.columns.index("index_seconds")]) for row in flat.rows
    ] == [(3, 6.0)] * 2


@pytest.mark.parametrize(
    ("index", "says"),
    [
        (lambda: None, "should return how many documents it indexed"),
        (lambda: "500", "should return how many documents it indexed"),
        (lambda: -1, "should return how many documents it indexed"),
        (lambda: True, "should return how many documents it indexed"),
        (lambda: 1 / 0, "the indexing failed: ZeroDivisionError"),
        (5, "cannot be called"),
        ("nothing.here:build", "there is no module"),
    ],
)
def test_an_indexing_that_says_nothing_of_use_is_told_before_anything_is_asked(index, says):
    asked = []
    with pytest.raises(tr.InputError, match=says):
        tr.bench(asked.append, QUERIES, index=index)
    assert asked == []


def test_two_that_take_turns_have_no_indexing():
    with pytest.raises(tr.InputError, match="indexing of one retriever can be timed"):
        alternate(lambda q: ["d1"], lambda q: ["d1"], QUERIES, index=lambda: 1)


def test_a_small_p_of_a_difference_is_never_shown_as_0():
    queries = dict(list(QUERIES.items())[:32])
    both = alternate(
        lambda query: ["d1", "d2"], lambda query: ["d2"], queries, QRELS, measures="RR", clock=SimulatedClock()
    )
    assert both.difference_tests["RR"].p == 2.0**-31
    row = next(line for line in both.to_text().splitlines() if line.startswith("RR "))
    assert row.endswith("  <.0001")
