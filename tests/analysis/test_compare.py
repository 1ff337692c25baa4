"""Comparing systems: differences, tests, letters and groups, slices; and what is said when little can be."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import re
import statistics
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import truerank as tr
from truerank import stats
from truerank.analysis.compare import Comparison, Pair, compare, read_attribute
from truerank.analysis.compare.outcome import CORRECTIONS, TESTS
from truerank.present import cautions
from truerank.present.comparison import document
from truerank.present.many import alike
from truerank.present.renderers import FORMATS
from worlds import World, worlds

QUERIES = [f"q{number:02}" for number in range(40)]
QRELS = {query: {"a": 1, "b": 2, "c": 0} for query in QUERIES}
ROBUST = Path(__file__).parents[3] / "shared" / "data" / "robust03"


def run(seed: int, length: int = 4) -> dict[str, list[str]]:
    """Lists in a random order, the same for a seed."""
    rng = np.random.default_rng(seed)
    return {query: [str(doc) for doc in rng.permutation(list("abcxyz"))[:length]] for query in QUERIES}


def best() -> dict[str, list[str]]:
    return {query: ["b", "a"] for query in QUERIES}


RUNS = {"one": run(1), "two": run(2), "best": best()}


def told(found: Comparison) -> str:
    return document(found).render()


def test_means_are_those_of_evaluate_and_differences_those_of_the_values() -> None:
    found = compare(QRELS, RUNS, "AP nDCG@3")
    for name, answers in RUNS.items():
        scores = tr.evaluate(QRELS, answers, "AP nDCG@3")
        for measure in ("AP", "nDCG@3"):
            assert found[measure].means[name].estimate == scores.mean[measure]
            assert found[measure].means[name].low <= scores.mean[measure] <= found[measure].means[name].high
    for pair in found["AP"].pairs:
        ours = [a - b for a, b in zip(values(found, pair.system), values(found, pair.against), strict=True)]
        assert pair.difference.estimate == pytest.approx(statistics.fmean(ours), abs=1e-15)
        assert pair.effect == pytest.approx(statistics.fmean(ours) / statistics.stdev(ours), rel=1e-12)
        counts = [sum(d > 0 for d in ours), sum(d == 0 for d in ours), sum(d < 0 for d in ours)]
        assert [pair.wins, pair.ties, pair.losses] == counts


SEVERAL = "AP num_rel_ret P@1 GMAP judged@2 nDCG@3 RR"


@pytest.mark.parametrize("how", [{}, {"test": "t"}, {"test": "tukey"}, {"correction": "max-t", "baseline": "two"}])
@pytest.mark.parametrize("columns", [256, 6])
def test_a_measure_among_others_says_what_it_says_alone(
    how: dict[str, Any], columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truerank.analysis.compare.outcome.COLUMNS", columns)
    undefined = {**QRELS, QUERIES[3]: {"a": 0}}
    rules = tr.Rules(without_relevant="undefined")
    scores = {name: tr.evaluate(undefined, run, SEVERAL, rules=rules) for name, run in RUNS.items()}
    seen: list[int] = []
    together = compare(None, scores, SEVERAL, samples=300, progress=lambda done, of: seen.append(done), **how)
    assert seen == list(range(1, 8))
    assert [one.queries for one in together.values()] == [39, 40, 40, 39, 40, 39, 40]
    for name in together:
        alone = compare(None, scores, name, samples=300, **how)
        assert (list(alone), repr(alone[name])) == ([name], repr(together[name]))


def values(found: Comparison, system: str, measure: str = "AP") -> list[float]:
    listed: list[float] = found.scores[system][measure].tolist()
    return listed


def sign_patterns(differences: list[float]) -> float:
    """p by the definition: the share of all sign patterns whose sum is at least as far from 0."""
    observed = abs(math.fsum(differences))
    sums = [
        abs(math.fsum(s * d for s, d in zip(signs, differences, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(differences))
    ]
    return sum(total >= observed - 1e-12 for total in sums) / len(sums)


def holm(p: list[float]) -> list[float]:
    """Holm's correction, a step at a time."""
    adjusted, highest = [0.0] * len(p), 0.0
    for left, place in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        highest = max(highest, min(1.0, (len(p) - left) * p[place]))
        adjusted[place] = highest
    return adjusted


def test_p_is_that_of_all_sign_patterns_and_is_corrected_by_holm() -> None:
    few = {query: QRELS[query] for query in QUERIES[:9]}
    pairs = compare(few, RUNS, "AP")["AP"].pairs
    found = compare(few, RUNS, "AP")
    expected = [
        sign_patterns([a - b for a, b in zip(values(found, p.system), values(found, p.against), strict=True)])
        for p in pairs
    ]
    assert [pair.p for pair in pairs] == pytest.approx(expected, abs=1e-15)
    assert [pair.adjusted for pair in pairs] == pytest.approx(holm(expected), abs=1e-15)


@pytest.mark.parametrize("test", stats.TESTS)
def test_every_test_is_the_one_of_its_name(test: str) -> None:
    found = compare(QRELS, RUNS, "AP", test=test, correction="none")
    for pair in found["AP"].pairs:
        expected = stats.TESTS[test](np.array(values(found, pair.system)), np.array(values(found, pair.against)))
        assert pair.p == pair.adjusted == expected.p


def test_tukey_needs_no_correction_and_its_intervals_are_all_equally_wide() -> None:
    found = compare(QRELS, RUNS, "AP", test="tukey")
    table = np.column_stack([values(found, name) for name in RUNS])
    expected = stats.tukey_hsd(table)
    assert found.procedure.correction == "tukey"
    for pair in found["AP"].pairs:
        i, j = (list(RUNS).index(name) for name in (pair.system, pair.against))
        assert pair.p == pair.adjusted == expected.p[i, j]
        assert pair.difference.high - pair.difference.estimate == pytest.approx(expected.half_width)


def test_max_t_corrects_all_pairs_together() -> None:
    found = compare(QRELS, RUNS, "AP", correction="max-t", seed=3)
    table = np.column_stack([values(found, name) for name in RUNS])
    expected = stats.max_t(table, pairs=[(1, 0), (2, 0), (2, 1)], seed=3)
    assert [pair.adjusted for pair in found["AP"].pairs] == expected.tolist()
    assert all(pair.adjusted >= pair.p for pair in found["AP"].pairs)


@pytest.mark.parametrize("arguments", [{}, {"correction": "max-t"}, {"test": "tukey"}, {"baseline": "two"}])
def test_the_same_seed_gives_the_same_bytes(arguments: dict[str, Any]) -> None:
    once, again = (document(compare(QRELS, RUNS, "AP P@2", seed=5, **arguments)) for _ in range(2))
    assert [once.render(format) for format in FORMATS] == [again.render(format) for format in FORMATS]


def test_another_seed_gives_other_intervals() -> None:
    low = [compare(QRELS, RUNS, "AP", seed=seed)["AP"].means["one"].low for seed in (0, 1)]
    assert low[0] != low[1]


def who(pairs: tuple[Pair, ...]) -> list[tuple[str, str]]:
    return [(pair.system, pair.against) for pair in pairs]


def test_without_a_baseline_every_two_are_compared_the_later_against_the_earlier() -> None:
    assert who(compare(QRELS, RUNS, "AP")["AP"].pairs) == [("two", "one"), ("best", "one"), ("best", "two")]


@pytest.mark.parametrize("baseline", ["two", 1, -2])
def test_with_a_baseline_the_others_are_compared_to_it_and_there_are_no_groups(baseline: str | int) -> None:
    found = compare(QRELS, RUNS, "AP", baseline)
    assert who(found["AP"].pairs) == [("one", "two"), ("best", "two")]
    assert (found.procedure.baseline, found["AP"].groups) == ("two", ())


def test_with_a_baseline_and_all_pairs_it_stands_on_the_right() -> None:
    found = compare(QRELS, RUNS, "AP", "two", all_pairs=True)
    assert who(found["AP"].pairs) == [("one", "two"), ("best", "two"), ("best", "one")]
    assert found["AP"].groups


def test_letters_groups_and_what_is_beaten_follow_from_the_adjusted_p() -> None:
    outcome = compare(QRELS, RUNS, "AP")["AP"]
    apart = {frozenset((p.system, p.against)) for p in outcome.pairs if p.adjusted <= 0.05}
    assert apart == {frozenset(("best", "one")), frozenset(("best", "two"))}
    assert outcome.beaten == {"one": (), "two": (), "best": ("one", "two")}
    assert [set(group) for group in outcome.groups] == [{"best"}, {"one", "two"}]
    assert compare(QRELS, RUNS, "AP").superscripts("map") == {"one": "", "two": "", "best": "ab"}


def test_a_pair_turned_round_says_the_same() -> None:
    pair = compare(QRELS, RUNS, "AP")["AP"].pairs[1]
    other = compare(QRELS, {"best": RUNS["best"], "one": RUNS["one"]}, "AP", correction="none")["AP"].pairs[0]
    turned = pair.turned()
    assert (turned.system, turned.against) == (other.system, other.against) == ("one", "best")
    assert (turned.wins, turned.ties, turned.losses) == (other.wins, other.ties, other.losses)
    assert turned.effect == pytest.approx(other.effect)
    assert turned.difference.estimate == other.difference.estimate
    assert turned.turned() == pair


def test_less_is_better_where_the_measure_says_so() -> None:
    runs = {"judged": {q: ["a", "b"] for q in QUERIES}, "unjudged": {q: ["x", "y"] for q in QUERIES}}
    found = compare(QRELS, runs, "Unjudged@2")["Unjudged@2"]
    assert found.beaten == {"judged": ("unjudged",), "unjudged": ()}
    assert (found.pairs[0].wins, found.pairs[0].losses) == (0, 40)
    assert found.groups == (("judged",), ("unjudged",))
    assert "less is better" in told(compare(QRELS, runs, "Unjudged@2"))


def test_runs_are_paths_objects_or_scores(tmp_path: Path) -> None:
    lines = [f"{q} Q0 {d} 1 {-rank} t\n" for q, docs in RUNS["one"].items() for rank, d in enumerate(docs)]
    path = tmp_path / "one.run"
    path.write_text("".join(lines))
    by_path = compare(QRELS, [path, RUNS["two"]], "AP")
    assert by_path.systems == ("one.run", "run")
    made = [tr.evaluate(QRELS, RUNS[name], "AP P@2") for name in ("one", "two")]
    by_scores = compare(None, {"one.run": made[0], "run": made[1]}, "AP")
    assert by_scores.to_dict() == by_path.to_dict()
    mixed = compare(QRELS, {"one.run": made[0], "run": RUNS["two"]}, "AP")
    assert mixed.to_dict() == by_path.to_dict()
    assert [str(o.measure) for o in compare(None, made).outcomes] == ["AP", "P@2"]


def test_names_that_come_again_are_numbered() -> None:
    assert compare(QRELS, [RUNS["one"], RUNS["two"]], "AP").systems == ("run", "run #2")
    named: dict[Any, Any] = {1: RUNS["one"], "1": RUNS["two"]}
    both = compare(QRELS, named, "AP")
    assert both.systems == ("1", "1 #2")
    assert [each.estimate for each in both["AP"].means.values()] == [
        tr.evaluate(QRELS, one, "AP").mean["AP"] for one in named.values()
    ]


def test_runs_may_come_one_after_another() -> None:
    one, other = (compare(QRELS, runs, "AP") for runs in (iter(RUNS.values()), list(RUNS.values())))
    assert one.to_dict() == other.to_dict()


def test_queries_that_not_all_answered_are_left_out_where_the_rules_skip_them() -> None:
    some = {query: RUNS["two"][query] for query in QUERIES[5:]}
    kept = compare(QRELS, {"one": RUNS["one"], "some": some}, "AP", rules={"missing": "skip"})
    assert (len(kept.queries), kept.dropped) == (35, 5)
    rest = {query: QRELS[query] for query in QUERIES[5:]}
    alone = compare(rest, {"one": RUNS["one"], "some": some}, "AP")
    assert kept["AP"].pairs == alone["AP"].pairs
    assert "Warning: 5 queries are not in the scores of every system" in told(kept)
    zero = compare(QRELS, {"one": RUNS["one"], "some": some}, "AP")
    assert (len(zero.queries), zero.dropped) == (40, 0)
    with pytest.raises(tr.InputError, match="judged but not answered"):
        compare(QRELS, {"one": RUNS["one"], "some": some}, "AP", rules={"missing": "error"})


@given(worlds())
def test_any_runs_compare_without_a_failure_and_every_p_is_a_probability(world: World) -> None:
    last_first = {query: {doc: -score for doc, score in docs.items()} for query, docs in world.run.items()}
    runs = {"as it is": world.lines(), "last first": last_first, "again": world.lines()}
    found = compare(world.qrels, runs, "AP NumRet GMAP", samples=50)
    for outcome in found.outcomes:
        assert all(0 < pair.p <= pair.adjusted <= 1 for pair in outcome.pairs)
        assert outcome.pairs[1].adjusted == 1.0
        assert all(pair.wins + pair.ties + pair.losses == len(world.qrels) for pair in outcome.pairs)
    assert json.dumps(found.to_dict(), allow_nan=False)
    assert all(document(found).render(format) for format in FORMATS)


def test_identical_systems_differ_by_nothing_and_that_is_said() -> None:
    for test in TESTS:
        found = compare(QRELS, {"one": RUNS["one"], "copy": RUNS["one"]}, "AP", test=test)
        pair = found["AP"].pairs[0]
        assert (pair.difference.estimate, pair.p, pair.adjusted, pair.effect) == (0.0, 1.0, 1.0, 0.0)
        assert (pair.wins, pair.ties, pair.losses) == (0, 40, 0)
        assert "one and copy score the same on every query." in told(found)


@pytest.mark.parametrize("test", TESTS)
def test_one_query_shows_nothing_and_that_is_said(test: str) -> None:
    found = compare({"q00": {"a": 1}}, {"good": {"q00": ["a"]}, "bad": {"q00": ["x", "a"]}}, "AP", test=test)
    assert found["AP"].pairs[0].p == 1.0
    text = told(found)
    assert "Warning: 1 query is too few to rely on" in text
    assert "p cannot be below 1: no difference can be significant" in text
    assert json.loads(document(found).render("json"))["outcomes"][0]["pairs"][0]["low"] is None


@pytest.mark.parametrize("test", TESTS)
def test_one_query_has_no_effect_size_and_that_is_told_as_unknown(test: str) -> None:
    for bad in (["x", "a"], ["a"]):
        found = compare({"q00": {"a": 1}}, {"good": {"q00": ["a"]}, "bad": {"q00": bad}}, "RR", test=test)
        assert math.isnan(found["RR"].pairs[0].effect)
        row = next(line for line in told(found).splitlines() if "/" in line and line.startswith("b  bad"))
        assert "unknown" in row
        assert "inf" not in row
        assert "nan" not in row
        assert found.to_dict()["outcomes"][0]["pairs"][0]["effect"] is None


def test_few_queries_have_unknown_intervals() -> None:
    few = {query: QRELS[query] for query in QUERIES[:5]}
    found = compare(few, {"one": RUNS["one"], "two": RUNS["two"]}, "nDCG")["nDCG"]
    intervals = [*found.means.values(), found.pairs[0].difference]
    assert {(each.low, each.high, each.method) for each in intervals} == {(-math.inf, math.inf, "none")}
    assert "unknown" in told(compare(few, {"one": RUNS["one"], "two": RUNS["two"]}, "nDCG"))


def test_measures_agree_as_far_as_they_put_the_systems_in_the_same_order() -> None:
    found = compare(QRELS, RUNS, "nDCG@2 Unjudged@2 NumRet P@1")
    means = {m: [found[m].means[name].estimate for name in found.systems] for m in ("nDCG@2", "Unjudged@2", "P@1")}
    assert set(found.agreement) == set(itertools.permutations(means, 2))
    turned = [-mean for mean in means["Unjudged@2"]]
    for pair, ours, theirs in (
        (("nDCG@2", "P@1"), means["nDCG@2"], means["P@1"]),
        (("P@1", "Unjudged@2"), means["P@1"], turned),
        (("Unjudged@2", "P@1"), turned, means["P@1"]),
    ):
        assert found.agreement[pair] == (stats.kendall_tau(ours, theirs), stats.tau_ap(ours, theirs))
    assert found.to_dict()["agreement"][0].keys() == {"measure", "other", "tau", "tau_ap"}
    assert compare(QRELS, {"one": RUNS["one"], "two": RUNS["two"]}, "AP RR").agreement == {}


def test_who_is_beaten_stands_above_the_means_of_papers_and_pages() -> None:
    found = compare(QRELS, RUNS, "nDCG")
    letters = found.superscripts("nDCG")["best"]
    mean = f"{found['nDCG'].means['best'].estimate:.4f}"
    assert letters == "ab"
    assert f"\\textbf{{{mean}}}$^{{ab}}$" in document(found).render("latex")
    assert f"**{mean}**<sup>ab</sup>" in document(found).render("markdown")


def test_one_system_has_a_mean_and_nothing_to_compare_with() -> None:
    found = compare(QRELS, {"one": RUNS["one"]}, "AP")
    assert found["AP"].pairs == ()
    assert "One system: there is nothing to compare it with." in told(found)


def test_a_system_without_answers_scores_0_and_is_warned_of() -> None:
    found = compare(QRELS, {"one": RUNS["one"], "mute": {}, "lost": {"elsewhere": ["a"]}}, "AP")
    assert [found["AP"].means[name].estimate for name in ("mute", "lost")] == [0.0, 0.0]
    assert "Warning: mute answers none of the judged queries: is the run complete?" in told(found)
    assert "Warning: no query of the run is judged" in told(found)
    assert told(found).count("Warning: ") == 2


def holed(name: str, holes: int) -> tr.Scores:
    """Scores made elsewhere: no number on the first query, infinite on the second."""
    scores = tr.evaluate(QRELS, RUNS[name], "NumRel RR")
    values = scores["RR"].copy()
    values[:holes] = np.resize([np.nan, np.inf], holes)
    return dataclasses.replace(scores, run=name, columns={**scores.columns, "RR": values})


def test_values_that_are_no_numbers_are_left_out_and_counted() -> None:
    found = compare(QRELS, [holed("one", 2), holed("best", 1)], "RR")
    assert (found["RR"].queries, found["RR"].left_out) == (38, 2)
    assert "RR is no finite number on 2 queries for some system; left out for all." in told(found)


def test_a_measure_without_any_number_has_an_unknown_mean_and_no_pairs() -> None:
    found = compare(QRELS, [holed("one", 40), holed("best", 40)], "RR")
    assert (found["RR"].queries, found["RR"].pairs) == (0, ())
    for format in FORMATS:
        assert "one" in document(found).render(format)
    assert json.loads(document(found).render("json"))["outcomes"][0]["systems"]["one"]["mean"] is None


def test_counts_are_summed_and_nobody_wins() -> None:
    found = compare(QRELS, {"long": run(1, 6), "short": run(1, 2)}, "NumRet")["NumRet"]
    assert (found.means["long"].estimate, found.means["short"].estimate) == (240, 80)
    assert (found.pairs[0].difference.estimate, found.pairs[0].wins) == (-160, 0)
    assert found.beaten == {"long": (), "short": ()}
    text = told(compare(QRELS, {"long": run(1, 6), "short": run(1, 2)}, "NumRet"))
    assert "NumRet: sums over the queries; more is not better" in text
    assert "-160" in text


def test_counts_of_0_and_1_are_no_shares() -> None:
    found = compare(QRELS, {"one": RUNS["one"]}, "NumQ")["NumQ"].means["one"]
    assert (found.low, found.high, found.method) == (40.0, 40.0, "constant")


def test_a_geometric_mean_is_compared_on_its_logarithms() -> None:
    found = compare(QRELS, {"one": RUNS["one"], "best": RUNS["best"]}, "GMAP")
    means = {name: tr.evaluate(QRELS, RUNS[name], "GMAP").mean["GMAP"] for name in found.systems}
    assert {name: mean.estimate for name, mean in found["GMAP"].means.items()} == means
    difference = found["GMAP"].pairs[0].difference.estimate
    assert difference == pytest.approx(math.log(means["best"] / means["one"]))
    assert found["GMAP"].means["one"].low < means["one"] < found["GMAP"].means["one"].high
    assert "differences and effects are those of the means of natural logarithms" in told(found)


@pytest.mark.parametrize(
    ("queries", "begins"), [(29, "Warning: 29 queries are too few"), (30, "Remark: 30 queries"), (40, "Remark: 40")]
)
def test_few_queries_are_said_with_the_smallest_difference_they_could_have_shown(queries: int, begins: str) -> None:
    found = compare({q: QRELS[q] for q in QUERIES[:queries]}, {"one": RUNS["one"], "two": RUNS["two"]}, "AP")
    pair = found["AP"].pairs[0]
    spread = statistics.stdev(np.subtract(values(found, "two"), values(found, "one")).tolist())
    assert pair.detectable == pytest.approx(stats.smallest_detectable(spread, queries, alpha=0.05), rel=1e-12)
    text = told(found)
    assert begins in text
    assert f"detected in four of five samples of this size: {pair.detectable:.3g} in AP." in text
    by_sign = compare(
        {q: QRELS[q] for q in QUERIES[:queries]}, {"one": RUNS["one"], "two": RUNS["two"]}, "AP", test="sign"
    )
    assert "Smallest true difference that the paired t-test detects in four of five samples" in told(by_sign)


def test_of_many_pairs_each_has_its_share_of_the_level() -> None:
    found = compare(QRELS, RUNS, "AP")["AP"].pairs[0]
    alone = compare(QRELS, RUNS, "AP", correction="none")["AP"].pairs[0]
    assert found.detectable > alone.detectable


def test_too_few_samples_for_so_many_pairs_are_warned_of() -> None:
    found = compare(QRELS, RUNS, "AP", samples=20)
    assert "Warning: 20 samples are too few for 3 pairs" in told(found)


def test_fifty_queries_are_not_remarked_on() -> None:
    qrels = {f"q{n}": {"a": 1} for n in range(50)}
    runs = {"x": {q: ["a"] for q in qrels}, "y": {q: ["b", "a"][n % 2 :] for n, q in enumerate(qrels)}}
    assert document(compare(qrels, runs, "RR")).remarks == []


def test_an_interval_without_width_is_told_but_not_that_of_systems_that_do_not_differ() -> None:
    qrels = {f"q{n}": {"a": 1} for n in range(50)}
    x, y = (dict.fromkeys(qrels, docs) for docs in (["a"], ["b", "a"]))
    said = "all values are equal, so that the interval has no width; it says nothing about other queries."
    assert document(compare(qrels, {"x": x, "y": y}, "RR")).remarks == [f"RR of y and y − x: {said}"]
    assert document(compare(qrels, {"y": y}, "RR")).remarks == [f"RR: {said}"]
    assert said not in told(compare(qrels, {"x": x, "same": x}, "RR"))


def test_a_slice_is_the_comparison_on_its_queries() -> None:
    by = {query: "even" if int(query[1:]) % 2 == 0 else "odd" for query in QUERIES[1:]}
    found = compare(QRELS, RUNS, "AP", by=by, by_name="parity")
    assert (list(found.slices), found.unsliced, found.by) == (["even", "odd"], 1, "parity")
    for value, part in found.slices.items():
        alone = compare({q: QRELS[q] for q, v in by.items() if v == value}, RUNS, "AP")
        assert part.queries == alone.queries
        assert [dataclasses.asdict(o) for o in part.outcomes] == [dataclasses.asdict(o) for o in alone.outcomes]
    assert found.outcomes == compare(QRELS, RUNS, "AP").outcomes
    assert "AP, parity = odd (20 queries)" in told(found)
    assert "1 query has no parity: in no slice." in told(found)
    assert set(found.to_dict()["slices"]) == {"even", "odd"}


def test_slices_by_numbers_stand_in_their_order() -> None:
    found = compare(QRELS, RUNS, "P@1", by={q: (10, 9, 2)[i % 3] for i, q in enumerate(QUERIES)})
    assert list(found.slices) == ["2", "9", "10"]


@pytest.mark.parametrize("several", [list, np.array])
def test_several_values_of_a_query_are_a_slice_of_their_own(several: Any) -> None:
    found = compare(QRELS, RUNS, "P@1", by={q: several([i % 2, 3]) for i, q in enumerate(QUERIES)})
    assert len(found.slices) == 2


def test_a_series_by_query_makes_the_slices_of_a_dict() -> None:
    pandas = pytest.importorskip("pandas", reason="the extra frames is not installed")
    by: dict[str, Any] = {query: ("even", "odd", None)[n % 3] for n, query in enumerate(QUERIES)}
    for values in (
        by,
        {query: value == "odd" for query, value in by.items()},
        dict(zip(by, range(2), strict=False)),
    ):
        found = compare(QRELS, RUNS, "AP", by=pandas.Series(values))
        assert found.to_dict() == compare(QRELS, RUNS, "AP", by=values).to_dict()
    topics = pandas.DataFrame({"query_id": QUERIES, "parity": by.values()})
    assert set(compare(QRELS, RUNS, "AP", by=topics.set_index("query_id")["parity"]).slices) == {"even", "odd"}
    with pytest.raises(tr.InputError, match=r"an attribute is \{query: value\} or FILE:COLUMN, not .{1,80}$"):
        compare(QRELS, RUNS, "AP", by=topics)
    with pytest.raises(tr.InputError, match="query q00 has two values, 1 and 2"):
        compare(QRELS, RUNS, "AP", by=pandas.Series([1, 2], ["q00", "q00"]))


def write(path: Path, name: str, rows: list[dict[str, Any]]) -> Path:
    import polars

    frame, file = polars.DataFrame(rows), path / name
    if name.endswith(".csv"):
        frame.write_csv(file)
    elif name.endswith(".tsv"):
        frame.write_csv(file, separator="\t")
    elif name.endswith(".jsonl"):
        frame.write_ndjson(file)
    elif name.endswith(".json"):
        file.write_text(json.dumps(rows))
    else:
        frame.write_parquet(file)
    return file


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.jsonl", "t.json", "t.parquet"])
def test_an_attribute_is_read_from_any_table(name: str, tmp_path: Path) -> None:
    pytest.importorskip("polars", reason="the extra frames is not installed")
    rows: list[dict[str, Any]] = [{"qid": "301", "kind": "fact", "x": 1}, {"qid": "302", "kind": None, "x": 2}]
    assert read_attribute(write(tmp_path, name, rows), "kind") == {"301": "fact"}
    assert read_attribute(write(tmp_path, name, rows), "x") == {"301": "1", "302": "2"}


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("qid,kind\n1,a\n", "kinds", "there is no column 'kinds'. Did you mean kind? There is 'qid', 'kind'"),
        ("name,kind\n1,a\n", "kind", "no column holds the query ids; name it query_id"),
        ("qid,kind\n1,a\n1,b\n", "kind", "query 1 has two values, a and b"),
        ("", "kind", "the file is empty"),
        ('{"qid": 1\n', "kind", "this is no JSON"),
        ("qid,kind\n1,a,b\n", "kind", "there are 2 columns, but a row has 3"),
    ],
)
def test_what_is_wrong_with_an_attribute_is_said(text: str, column: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "topics").write_text(text)
    with pytest.raises(tr.InputError, match=re.escape(message)):
        read_attribute(tmp_path / "topics", column)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"test": "tuckey"}, "there is no test 'tuckey'. Did you mean tukey?"),
        ({"test": "ttest"}, "there is no test 'ttest'. Did you mean t?"),
        ({"correction": "fdr_bh"}, "there is no correction 'fdr_bh'. Did you mean bh?"),
        ({"correction": "hulm"}, "there is no correction 'hulm'. Did you mean holm?"),
        ({"test": "t", "correction": "max-t"}, "max-t corrects the randomization test; with t take holm"),
        ({"correction": "tukey"}, "tukey is a test that needs no correction"),
        ({"test": "tukey", "correction": "bh"}, "tukey tests all pairs together, bh has nothing to correct"),
        ({"test": None}, "there is no test None. There is randomization"),
        ({"test": ["t"]}, "there is no test ['t']. There is randomization"),
        ({"correction": None}, "there is no correction None. There is holm"),
        ({"confidence": 95}, "confidence is at least 0.5 and below 1"),
        ({"samples": 0}, "samples is a positive whole number"),
        ({"seed": -1}, "seed is not negative"),
        ({"baseline": "on"}, "there is no system 'on' for a baseline. Did you mean one?"),
        ({"baseline": 1.5}, "there is no system 1.5 for a baseline. There is one"),
        ({"baseline": True}, "there is no system True for a baseline. There is one"),
        ({"baseline": ["one"]}, "there is no system ['one'] for a baseline. There is one"),
        ({"baseline": np.zeros((2, 60))}, "there is no system array([[0., 0.,"),
        ({"runs": None}, "runs are {name: run} or a list of runs, not None"),
        ({"runs": 5}, "runs are {name: run} or a list of runs, not 5"),
        ({"baseline": 3}, "there are 3 systems, none at place 3"),
        ({"runs": {}}, "there is no run to compare"),
        ({"runs": {"q1": {"d1": 0.5}}}, "this is one run, {query: {document: score}}: give [run], or {name: run}"),
        ({"qrels": None}, "one: qrels are needed"),
        ({"measures": []}, "no measure is named"),
        ({"measures": "NDGC"}, "unknown measure 'NDGC'. Did you mean nDCG?"),
        ({"by": {}}, "the attribute has a value for none of the queries"),
        ({"by": {"301": "x"}}, "it has values for queries like '301', these are like 'q00'"),
        ({"qrels": {f"q{n}": {"a": 1} for n in range(60)}, "by": {f"q{n}": n for n in range(60)}}, "too many"),
    ],
)
def test_what_is_asked_wrongly_is_said(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(tr.TruerankError, match=re.escape(message)):
        compare(**{"qrels": QRELS, "runs": RUNS, "measures": "AP", **arguments})


def test_readings_of_other_rules_are_compared_only_under_rules_that_are_given() -> None:
    qrels = {"q": {"a": 1}, "r": {"a": 1}}
    readings = {f"depth {n}": tr.read(qrels, {"q": ["x", "a"], "r": ["a"]}, rules={"depth": n}) for n in (1, 2)}
    with pytest.raises(tr.RulesError, match=r"depth 2 was made under .* only under the same rules"):
        tr.compare(None, readings, "RR")
    assert tr.compare(None, readings, "RR", rules={"depth": 2})["RR"].pairs[0].difference.estimate == 0


def test_scores_must_be_of_the_same_rules_measures_and_queries() -> None:
    one = tr.evaluate(QRELS, RUNS["one"], "AP")
    with pytest.raises(tr.RulesError, match="only under the same rules"):
        compare(None, {"a": one, "b": tr.evaluate(QRELS, RUNS["one"], "AP", rules={"level": 2})})
    with pytest.raises(tr.MeasureError, match=re.escape("b has no scores for AP; it has P@1")):
        compare(None, {"a": one, "b": tr.evaluate(QRELS, RUNS["one"], "P@1")})
    with pytest.raises(tr.InputError, match="no query is in the scores of all of a, b: are their query ids of"):
        compare(None, {"a": one, "b": tr.evaluate({"other": {"a": 1}}, {}, "AP")})


def test_a_missing_package_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(tr.MissingPackage, match=re.escape('pip install "truerank[stats]"')):
        compare(QRELS, RUNS, "AP")


def test_a_comparison_is_frozen_prints_and_becomes_tables() -> None:
    found = tr.compare(QRELS, RUNS, "AP P@1")
    assert isinstance(found, tr.Comparison)
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.dropped = 1  # type: ignore[misc]
    assert repr(found).startswith("Comparison(one, two, best; 40 queries; AP: one 0.")
    rows = found.rows()
    assert len(rows) == 2 * (3 + 3)
    assert {tuple(row) for row in rows} == {tuple(rows[0])}
    assert found.to_polars().shape == found.to_pandas().shape == (12, 17)
    with pytest.raises(tr.MeasureError, match=re.escape("P@2 was not compared. Did you mean P@1?")):
        found["P@2"]


def test_names_that_are_no_utf8_are_escaped_in_tables() -> None:
    found = tr.compare({"q\udcff": {"a": 1}}, {"o\udcff": {"q\udcff": ["b", "a"]}, "n": {"q\udcff": ["a"]}}, "RR")
    for name in ("to_arrow", "to_polars", "to_pandas"):
        made = getattr(found, name)
        assert [len(made()), len(made("wide"))] == [3, 2]
    assert found.to_pandas("wide").to_dict() == {"RR": {r"o\xff": 0.5, "n": 1.0}}
    assert found.to_pandas("queries").to_dict() == {r"o\xff": {r"q\xff": 0.5}, "n": {r"q\xff": 1.0}}


def test_more_systems_than_letters_go_on_with_two() -> None:
    found = compare({"q": {"a": 1}}, {f"s{n}": {"q": ["a"]} for n in range(28)}, "RR", samples=10)
    assert [found.letters[f"s{n}"] for n in (0, 25, 26, 27)] == ["a", "z", "aa", "ab"]
    assert len(document(found).tables) == 1  # 378 pairs are for programs


def test_a_narrow_terminal_gets_two_narrow_tables() -> None:
    found = compare(QRELS, {f"a system called {name}": each for name, each in RUNS.items()}, "AP", 0)
    wide, narrow = document(found), document(found, width=80)
    assert [len(wide.tables), len(narrow.tables)] == [1, 2]
    lines = [line for table in narrow.tables for line in dataclasses.replace(table, notes=()).texts]
    assert all(sum(map(len, cells)) + 3 * (len(cells) - 1) <= 80 for cells in lines)
    assert narrow.render("json") == wide.render("json")
    letters = {f"a system called {name}": letter for name, letter in zip(RUNS, "abc", strict=True)}
    paired = compare(QRELS, {f"a system called {name}": each for name, each in RUNS.items()}, "AP")
    named, short = (document(paired, width=width).tables[1].rows for width in (None, 90))
    assert [(letters[row[0]], letters[row[1]], *row[2:]) for row in named] == list(short)


@pytest.mark.skipif(not ROBUST.is_dir(), reason="../shared/data/robust03 is not here")
def test_six_runs_of_a_real_track_are_told_apart() -> None:
    runs = sorted(ROBUST.glob("*.run.gz"))
    found = compare(ROBUST / "qrels.txt.gz", runs, "AP nDCG@10 P@10 RR")
    assert len(found.systems) == 6
    assert [len(outcome.pairs) for outcome in found.outcomes] == [15] * 4
    assert found["AP"].groups[0] == ("pircRBa1.run.gz",)
    assert found.superscripts("AP")["pircRBa1.run.gz"] == "abcef"
    for run, mean in found["AP"].means.items():
        assert mean.estimate == tr.evaluate(ROBUST / "qrels.txt.gz", ROBUST / run, "AP").mean["AP"]
    by_t = compare(None, list(found.scores.values()), "AP", test="t")
    near = [abs(a.p - b.p) for a, b in zip(found["AP"].pairs, by_t["AP"].pairs, strict=True)]
    assert max(near) < 0.02  # on 100 queries the t-test is a good approximation
    for correction in CORRECTIONS:
        again = compare(None, list(found.scores.values()), "AP", correction=correction)
        assert again["AP"].groups[0] == ("pircRBa1.run.gz",)


def test_a_difference_larger_than_there_can_be_is_not_promised() -> None:
    qrels = {f"q{n}": {"a": 1} for n in range(3)}
    one, two = {"q0": ["a"], "q1": ["x", "a"], "q2": []}, {"q0": [], "q1": ["a"], "q2": ["a"]}
    found = compare(qrels, {"one": one, "two": two}, "RR")
    assert found["RR"].pairs[0].detectable > 1
    text = told(found)
    assert "With so few queries no difference, however large, is detected in four of five samples: RR." in text
    assert "smallest real difference" not in text


def test_an_interval_that_a_handful_of_queries_decides_is_marked_from_either_side() -> None:
    values = {f"q{n}": {"a": 1} for n in range(50)}
    runs = {"one": {q: ["a"] if n < 4 else ["x"] for n, q in enumerate(values)}, "two": {q: ["x"] for q in values}}
    runs["one"] |= {f"q{n}": ["x", "a"] for n in range(4, 8)}
    found = tr.compare(values, runs, "RR")
    pair = found["RR"].pairs[0]
    assert (found["RR"].means["one"].differing, pair.difference.differing) == (None, 8)
    assert pair.turned().difference.differing == 8
    told = "Warning: RR of two − one: only 8 queries differ from all the others; the interval may be too short."
    assert told in str(found)
    assert told in found.to_latex().replace("\\_", "_")


def test_a_pair_is_found_either_way_round_and_one_that_was_not_compared_says_why():
    runs = {
        name: {"q1": ["a"], "q2": ["x", "b"][place % 2 :]} for place, name in enumerate(("bm25", "dense", "hybrid"))
    }
    outcome = tr.compare({"q1": {"a": 1}, "q2": {"b": 1}}, runs, "RR", "bm25")["RR"]
    found, turned = outcome.pair("dense", "bm25"), outcome.pair("bm25", "dense")
    assert (turned.system, turned.difference.estimate) == ("bm25", -found.difference.estimate)
    for pair, said in (
        (("hybrd", "bm25"), "there is no system 'hybrd'. Did you mean hybrid?"),
        (("hybrid", "dense"), "hybrid was not compared with dense, but each system with the baseline bm25"),
        (("bm25", "bm25"), "bm25 is not compared with itself"),
    ):
        with pytest.raises(tr.InputError, match=re.escape(said)):
            outcome.pair(*pair)


def test_submitted_lines_are_compared_where_all_answer_a_query_by_as_many() -> None:
    twice = [("q00", ["a"]), ("q00", ["x"]), ("q01", ["b"]), ("q02", ["x"])]
    once = [("q00", ["x"]), ("q01", ["x"]), ("q02", ["x"])]
    found = compare({**QRELS, "q02": ["a"]}, {"twice": twice, "once": once}, "RR", rules="science-qa")
    assert (found.queries, found.dropped) == (("q01", "q02"), 2)
    assert (found["RR"].pairs[0].wins, found["RR"].pairs[0].losses) == (0, 1)
    with pytest.raises(tr.InputError, match="no query is in the scores of all of"):
        compare(QRELS, {"twice": twice[:2], "once": once[:1]}, "RR", rules="science-qa")


def test_doubts_about_slices_name_them_and_are_none_about_all_queries() -> None:
    qrels = {f"q{n}": {"a": 1} for n in range(60)}
    rng = np.random.default_rng(0)
    one, two = ({q: rng.permutation(["a", "b", "c"]).tolist() for q in qrels} for _ in range(2))
    two |= {f"q{n}": one[f"q{n}"] for n in range(20)} | {"q2": ["z"], "q3": ["z"], "q12": ["z"]}
    ages = {f"q{n}": "young" if n < 10 else "old" if n < 20 else "other" for n in range(60)}
    found = compare(qrels, {"one": one, "two": two}, "RR", by=ages, by_name="age", samples=500)
    doubts = [line for line in told(found).splitlines() if "too short" in line]
    assert doubts == [
        "Warning: RR of two − one, age = old and young: only 1 query differs from all the others; the interval may "
        "be too short."
    ]
    assert "too short" not in told(compare(qrels, {"one": one, "two": two}, "RR", samples=500))


@pytest.mark.parametrize("test", ["sign", "wilcoxon"])
def test_a_test_that_speaks_against_the_means_calls_neither_system_better(test: str) -> None:
    """One system is a little better on most queries, the other far better on a few, and by the mean."""
    at = {rank: [f"x{number}" for number in range(1, rank)] + ["a"] for rank in (1, 9, 10)}
    judged, few = {query: {"a": 1} for query in QUERIES}, set(QUERIES[:7])
    often = {query: at[10] if query in few else at[9] for query in QUERIES}
    runs = {"often": often, "rarely": {query: at[1] if query in few else at[10] for query in QUERIES}}
    found = compare(judged, runs, "RR MeanRank@20", test=test)
    for outcome in found.outcomes:
        assert outcome.pairs[0].adjusted <= 0.05
        assert outcome.pairs[0].against_mean
        assert outcome.beaten == {"often": (), "rarely": ()}
    assert "speaks for the system whose mean is no better; neither is called better: rarely / often." in told(found)
    by_means = compare(judged, runs, "RR")
    assert by_means["RR"].beaten["rarely"] == ("often",)
    assert "no better" not in told(by_means)
    parts = {query: "rest" if query in QUERIES[:3] else "most" for query in QUERIES}
    of_slices = told(compare(judged, runs, "RR", test=test, by=parts, by_name="part"))
    assert "RR, part = most: the" in of_slices
    assert "RR, part = rest: the" not in of_slices
    assert alike(found["RR"]) == {"often": {"often"}, "rarely": {"rarely"}}


@pytest.mark.parametrize(
    ("measures", "rules"),
    [("AP(divisor='relevant') AP RR", "beir"), ("AP P(divisor='returned')@5 R@10", "sklearn"), ("map mrr", None)],
)
def test_saved_scores_are_those_that_were_saved(tmp_path, measures, rules):
    qrels = {f"q{n}": {"a": 1, "b": n % 2} for n in range(8)}
    run = {f"q{n}": ["x", "a"][n % 2 :] for n in range(8)}
    scores = tr.evaluate(qrels, run, measures, rules=rules)
    (tmp_path / "run.json").write_text(json.dumps(scores.to_dict(per_query=True)))
    read = compare(None, tmp_path / "run.json", samples=50)
    made = compare(None, scores, samples=50)
    assert read.to_dict() == made.to_dict()
    assert [one.to_dict(per_query=True) for one in read.scores.values()] == [scores.to_dict(per_query=True)]
    assert list(compare(None, tmp_path / "run.json", samples=50, as_written=True)) == measures.split()


def test_what_was_made_of_one_run_is_compared_with_nothing():
    qrels = {f"q{n}": {"a": 1} for n in range(12)}
    run = {f"q{n}": ["x", "a"][n % 2 :] for n in range(12)}
    made = tr.predicted(dict(list(qrels.items())[:8]), qrels, run, "RR", sample="random")
    for one in (tr.evaluate(qrels, run, "RR"), tr.read(qrels, run), made):
        assert [mean.estimate for mean in compare(None, one, "RR", samples=50)["RR"].means.values()] == [0.75]


BCA = "BCa bootstrap, exact binomial where all values are 0 or 1"
DRAWN = f"{BCA}; of differences, percentile bootstrap; 10,000 resamples"
TUKEY = "Tukey's HSD on queries and systems, of all pairs of systems together"


@pytest.mark.parametrize(
    ("systems", "measures", "how", "tested", "drawn"),
    [
        ("AB", "RR", {}, "10,000 samples", DRAWN),
        ("ABC", "RR", {}, "10,000 samples, corrected by Holm over 3 pairs of each measure", DRAWN),
        ("ABC", "RR", {"correction": "none"}, "10,000 samples, not corrected", DRAWN),
        (
            "ABC",
            "Success@1",
            {"correction": "max-t", "baseline": "A"},
            "10,000 samples, corrected by max-T over 2 pairs of each measure",
            "exact binomial; of differences, percentile bootstrap; 10,000 resamples",
        ),
        ("AB", "RR", {"test": "tukey"}, TUKEY, f"{BCA}; 10,000 resamples"),
        ("ABC", "Success@1", {"test": "tukey"}, TUKEY, "exact binomial"),
        ("A", "Success@1", {}, None, "exact binomial"),
        ("B", "RR", {}, None, "BCa bootstrap; 10,000 resamples"),
    ],
)
def test_how_a_comparison_was_made_is_said(
    systems: str, measures: str, how: dict[str, Any], tested: str | None, drawn: str
) -> None:
    lists = {"A": [["a"]], "B": [["x", "a"], ["x", "y", "a"]], "C": [["y", "x", "a"], ["x", "a"]]}
    runs = {s: {q: lists[s][n % len(lists[s])] for n, q in enumerate(QUERIES)} for s in systems}
    if "C" in runs:
        runs["C"] |= {q: runs["A"][q] for q in QUERIES[: 10 if "baseline" in how else 1]}
    found = compare({query: {"a": 1} for query in QUERIES}, runs, f"{measures} NumRet", **how)
    one, *_ = said = cautions.made(dataclasses.replace(found, outcomes=found.outcomes[:1]))
    end = ""
    if how.get("test") == "tukey":
        end = "; those of differences are Tukey's, for all pairs together"
    elif len(systems) > 2:
        end = "; not corrected for the number of pairs"
    intervals = f"Intervals: {drawn}{end}. Seed 0."
    if tested is None:
        assert said == [f"One system: there is nothing to compare it with. {intervals}"]
        return
    way = tested if tested == TUKEY else f"paired randomization test, {tested}"
    assert one == f"p: {way}; significant up to 0.05."
    counts = "W/T/L: queries that the {}system wins, ties and loses{}. Beats: those it is significantly better than"
    groups = " Systems that share a group do not differ significantly." * (
        systems == "ABC" and "baseline" not in how
    )
    assert said[1:] == [intervals, f"{counts.format('', '')}, by letter.{groups}"]
    more = counts.format("first ", " (for counts: more, as many, fewer)")
    assert cautions.made(found)[-1] == f"{more}, by letter.{groups}"


@pytest.mark.parametrize(
    ("queries", "lists", "how", "said"),
    [
        (4, [["a"], ["x", "a"]], {"test": "tukey"}, "4 queries being too few; those of differences are Tukey's"),
        (1, [["x", "a"]], {"test": "tukey"}, "1 query being too few"),
        (4, [["a"]], {}, "4 queries being too few; exact binomial where all values are 0 or 1"),
    ],
)
def test_intervals_of_few_queries_are_said_to_be_unknown(
    queries: int, lists: list[list[str]], how: dict[str, Any], said: str
) -> None:
    qrels = {query: {"a": 1} for query in QUERIES[:queries]}
    one = {q: lists[n % len(lists)] for n, q in enumerate(qrels)}
    found = compare(qrels, {"one": one, "two": {q: ["y", "z", *one[q]] for q in qrels}}, "RR", **how)
    assert f"Intervals: unknown, {said}. Seed 0." in cautions.made(found)


def test_remarks_name_only_what_they_concern() -> None:
    first, turned = (dict.fromkeys(QUERIES, docs) for docs in (["a"], ["x"]))
    halves = [{q: (first, turned)[(n + at) % 2][q] for n, q in enumerate(QUERIES)} for at in (0, 1, 0)]
    runs = {**dict(zip("ABC", halves, strict=True)), "other": {"q": ["a"]}, "none": {}}
    said = cautions.remarks(compare({q: {"a": 1} for q in QUERIES}, runs, "RR GMAP NumRet", samples=500))
    assert [one for one in said if "sums" in one or "geometric" in one] == [
        "NumRet: sums over the queries; more is not better, so nothing beats another.",
        "GMAP: geometric means, of values raised to 1e-05 at least; differences and effects are those of the means "
        "of natural logarithms.",
    ]
    assert [one for one in said if "score the same" in one] == [
        "A and C score the same on every query.",
        "other and none score the same on every query.",
    ]
    assert not [one for one in said if "less is better" in one]
    silent = [one for one in said if "answers none" in one]
    assert silent == ["Warning: none answers none of the judged queries: is the run complete?"]
