"""Systems with several runs: values are means over runs, and intervals and p count runs beside queries."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest

import truerank as tr
from truerank import stats
from truerank.analysis.compare.several import are_several, several
from truerank.present.check import remarks_of as check_remarks
from truerank.present.comparison import document, document_of
from truerank.present.renderers import FORMATS

QUERIES = [f"q{number:02}" for number in range(40)]
QRELS = {query: {"a": 1, "b": 2, "c": 0, "d": 1} for query in QUERIES}
MEASURES = "nDCG@3 AP"


def run(seed: int, tilt: float = 0.0, noise: float = 0.7) -> dict[str, dict[str, float]]:
    """A system's run: what it is good at stays the same, a seed moves some documents."""
    stable, own = np.random.default_rng(1), np.random.default_rng(seed)
    shift = own.normal(0, 0.3)
    found = {}
    for query in QUERIES:
        good, moved = stable.normal(size=6), own.normal(0, noise, 6)
        scores = good + moved + (tilt + shift) * np.array([1, 1, 0, 1, 0, 0])
        found[query] = dict(zip("abcdxy", scores.tolist(), strict=True))
    return found


def of_seeds(first: int, runs: int, tilt: float = 0.0, noise: float = 0.7) -> list[dict[str, dict[str, float]]]:
    return [run(first + number, tilt, noise) for number in range(runs)]


SYSTEMS = {"plain": run(1), "old": of_seeds(10, 3), "new": of_seeds(20, 5, 0.8)}


def tables(name: str, measure: str) -> np.ndarray:
    runs = SYSTEMS[name] if isinstance(SYSTEMS[name], list) else [SYSTEMS[name]]
    return np.column_stack([tr.evaluate(QRELS, one, measure)[measure] for one in runs])


def test_values_of_a_system_are_means_over_its_runs():
    found = tr.compare(QRELS, SYSTEMS, MEASURES)
    for measure in ("nDCG@3", "AP"):
        old = tables("old", measure)
        assert found.scores["old"][measure] == pytest.approx(old.mean(axis=1), abs=1e-15)
        assert found[measure].means["old"].estimate == pytest.approx(old.mean())
        assert [one.mean[measure] for one in found.scores["old"].runs] == pytest.approx(old.mean(axis=0))
    assert not found.scores["plain"].runs
    assert [one.run for one in found.scores["new"].runs] == ["run", "run #2", "run #3", "run #4", "run #5"]


def test_intervals_and_p_are_those_of_stats():
    found = tr.compare(QRELS, SYSTEMS, "AP", seed=3, correction="none")["AP"]
    of_new = stats.mean_over_runs(tables("new", "AP"), seed=3)
    assert (found.means["new"].low, found.means["new"].high) == pytest.approx(
        (of_new.interval.low, of_new.interval.high)
    )
    for name in ("old", "plain"):
        pair = found.pair("new", name)
        alone = stats.difference_over_runs(tables("new", "AP"), tables(name, "AP"), seed=3)
        ends = (pair.difference.low, pair.difference.high, pair.p)
        assert ends == pytest.approx((alone.interval.low, alone.interval.high, alone.p))
        assert pair.detectable == pytest.approx(alone.spread.detectable())
        spread = found.spreads["new", name]
        assert (spread.of_queries, spread.of_runs) == pytest.approx((alone.spread.of_queries, alone.spread.of_runs))
    assert set(found.spreads) == {("old",), ("new",), ("old", "plain"), ("new", "plain"), ("new", "old")}


def test_a_system_without_runs_keeps_its_interval():
    alone = tr.compare(QRELS, {"plain": SYSTEMS["plain"]}, "AP")["AP"].means["plain"]
    assert tr.compare(QRELS, SYSTEMS, "AP")["AP"].means["plain"] == alone


def test_p_are_corrected_and_decide_who_beats_whom():
    found = tr.compare(QRELS, SYSTEMS, "AP")
    pairs = found["AP"].pairs
    assert [pair.adjusted for pair in pairs] == stats.adjust([pair.p for pair in pairs], "holm").tolist()
    assert found.procedure.test == "satterthwaite"
    beaten = {(p.system, p.against) for p in pairs if p.adjusted <= 0.05 and p.difference.estimate > 0}
    assert {(a, b) for a, others in found["AP"].beaten.items() for b in others if (a, b) != (b, a)} >= beaten


def test_runs_that_are_the_same_count_as_one_and_that_is_said():
    once = tr.compare(QRELS, {"plain": SYSTEMS["plain"], "other": run(2)}, MEASURES)
    thrice = tr.compare(QRELS, {"plain": SYSTEMS["plain"], "other": [run(2)] * 3}, MEASURES)
    assert thrice.outcomes == once.outcomes
    assert thrice.procedure == once.procedure
    assert any("its 3 runs score the same on every query" in remark for remark in document(thrice).remarks)


def test_the_same_run_twice_among_others_is_warned_of():
    found = tr.compare(QRELS, {"old": [run(10), run(11), run(10)], "plain": run(1)}, "AP")
    assert any(
        "old: run = run #3 score the same on every query, as the same file twice would" in remark
        for remark in document(found).remarks
    )


def test_what_is_known_of_few_or_single_runs_is_said():
    remarks = document(tr.compare(QRELS, {"plain": run(1), "old": of_seeds(10, 2)}, "AP")).remarks
    assert any(remark.startswith("Warning: old: 2 runs show little of how much runs vary.") for remark in remarks)
    assert any(remark.startswith("plain: one run, so that nothing is known") for remark in remarks)


def test_gates_say_what_is_known_of_few_or_single_runs_too():
    scores = tr.compare(QRELS, {**SYSTEMS, "old": of_seeds(10, 2)}, "AP").scores
    remarks = check_remarks(tr.check(scores["plain"], no_worse_than=scores["old"], margin=0.5))
    assert any(remark.startswith("Warning: old: 2 runs show little of how much runs vary.") for remark in remarks)
    assert any(remark.startswith("plain: one run, so that nothing is known") for remark in remarks)
    same = tr.compare(QRELS, {"same": [run(1)] * 3}, "AP").scores["same"]
    said = [remark for remark in check_remarks(tr.check(scores["plain"], no_worse_than=same)) if "run" in remark]
    assert said == [
        "same: its 3 runs score the same on every query, as one file given 3 times would: nothing varies between "
        "runs, and they count as one."
    ]


def test_a_negative_variance_is_said_to_be_0():
    noisy = [{q: dict(zip("abcdxy", np.random.default_rng([n, s]).normal(size=6).tolist(), strict=True))
              for n, q in enumerate(QUERIES)} for s in range(2)]  # fmt: skip
    found = tr.compare(QRELS, {"noisy": noisy, "plain": run(1)}, "AP RR nDCG@3")
    cut = [o.name for o in found.outcomes if o.spreads["noisy",].systems[0].negative]
    said = [remark for remark in document(found).remarks if "is negative, and set to 0" in remark]
    assert bool(cut) == bool(said)
    assert all(name in said[0] for name in cut)


def test_runs_that_answer_other_queries_are_scored_0_there_and_said():
    part = {query: docs for query, docs in run(11).items() if query not in QUERIES[:4]}
    found = tr.compare(QRELS, {"old": [run(10), part, run(12)], "plain": run(1)}, "AP")
    assert len(found.queries) == 40
    assert found.scores["old"].ledger.missing == 4
    assert any(
        "old: its runs do not answer the same queries (36 to 40 of them)" in one for one in document(found).remarks
    )


def test_where_rules_skip_what_is_missing_only_common_queries_are_compared():
    part = {query: docs for query, docs in run(11).items() if query not in QUERIES[:4]}
    found = tr.compare(
        QRELS, {"old": [run(10), part], "plain": run(1)}, "AP", rules=tr.Rules(name="skip", missing="skip")
    )
    assert (found.queries, found.dropped) == (tuple(QUERIES[4:]), 4)
    assert found["AP"].means["old"].estimate == pytest.approx(tables_of([run(10), part])[0])


def tables_of(runs: list[dict[str, dict[str, float]]]) -> tuple[float, ...]:
    each = [tr.evaluate(QRELS, one, "AP") for one in runs]
    kept = [[dict(zip(one.queries, one["AP"], strict=True))[query] for query in QUERIES[4:]] for one in each]
    return (float(np.mean(kept)),)


def test_runs_without_a_common_query_are_refused():
    first = {query: run(1)[query] for query in QUERIES[:3]}
    last = {query: run(1)[query] for query in QUERIES[3:]}
    with pytest.raises(tr.TruerankError, match="all runs of old: are their query ids of one collection"):
        tr.compare(QRELS, {"old": [first, last]}, "AP", rules=tr.Rules(name="skip", missing="skip"))


@pytest.mark.parametrize(("how", "said"), [
    ({"test": "wilcoxon"}, "the test wilcoxon knows queries alone, and there are several runs of old and new"),
    ({"test": "tukey"}, "the test tukey knows queries alone"),
    ({"correction": "max-t"}, "max-t knows queries alone"),
])  # fmt: skip
def test_what_knows_queries_alone_is_refused(how, said):
    with pytest.raises(tr.TruerankError, match=said):
        tr.compare(QRELS, SYSTEMS, "AP", **how)


def test_counts_and_geometric_means_are_widened_where_their_mean_is_taken():
    found = tr.compare(QRELS, SYSTEMS, "NumRelRet GMAP")
    logs = np.log(np.maximum(tables("new", "AP"), 1e-5))
    assert found["GMAP"].means["new"].estimate == pytest.approx(math.exp(logs.mean()))
    over = stats.mean_over_runs(logs).interval
    mean = found["GMAP"].means["new"]
    assert (mean.low, mean.high) == pytest.approx((math.exp(over.low), math.exp(over.high)))
    assert found["NumRelRet"].means["new"].estimate == 120
    assert found["NumRelRet"].spreads["new",].of_runs == 0


def test_slices_have_their_own_variances():
    by = {query: "even" if number % 2 else "odd" for number, query in enumerate(QUERIES)}
    found = tr.compare(QRELS, SYSTEMS, "AP", by=by)
    half = np.array([value == "even" for value in by.values()])
    known = stats.components(tables("old", "AP")[half])
    assert found.slices["even"]["AP"].spreads["old",].systems[0].between_runs == pytest.approx(known.between_runs)


def test_scores_and_readings_of_runs_are_taken_too():
    scores = [tr.evaluate(QRELS, one, "AP") for one in SYSTEMS["old"]]
    readings = [tr.read(QRELS, one) for one in SYSTEMS["old"]]
    first, second = (
        tr.compare(None, {"old": runs, "new": scores[0]}, "AP")["AP"].means["old"] for runs in (scores, readings)
    )
    assert first == second == tr.compare(QRELS, SYSTEMS, "AP")["AP"].means["old"]


def test_a_list_is_several_runs_where_each_of_its_things_is_one(tmp_path):
    assert are_several([run(1), run(2)])
    assert are_several([tmp_path / "a.run", "b.run"])
    assert not are_several([("q1", "a", 1.0), ("q1", "b", 0.5)])
    assert not are_several([{"query": "q1", "doc": "a", "score": 1.0}])
    assert not are_several([])
    assert not are_several(run(1))
    rows = [{"query": query, "doc": "b", "score": 1.0} for query in QUERIES]
    assert tr.compare(QRELS, {"rows": rows, "old": SYSTEMS["old"]}, "RR")["RR"].means["rows"].estimate == 1.0


def test_one_run_in_a_list_is_a_plain_system():
    found = tr.compare(QRELS, {"old": [run(10)], "plain": run(1)}, "AP")
    assert found.outcomes == tr.compare(QRELS, {"old": run(10), "plain": run(1)}, "AP").outcomes


def test_the_ledger_of_a_system_has_its_worst_run():
    scores = [tr.evaluate(QRELS, {q: docs for q, docs in run(n).items() if q >= f"q{n:02}"}, "AP") for n in (2, 5)]
    found = several("old", scores)
    assert (found.ledger.missing, found.ledger.answered, found.ledger.evaluated) == (5, 35, 40)
    assert found.ledger.examples["missing"] == ("q00", "q01", "q02", "q03", "q04")
    assert found.to_dict()["runs"] == {"run": scores[0].mean, "run #2": scores[1].mean}


def test_the_queries_that_are_named_beside_a_count_are_those_of_the_run_that_is_counted():
    """Seeds leave out other queries each: of three times one or two, two are named and none is left over."""
    missing = [("q03",), ("q01", "q02"), ("q04",)]
    scores = [tr.evaluate(QRELS, {q: ds for q, ds in run(1).items() if q not in some}, "AP") for some in missing]
    found = several("old", scores)
    assert (found.ledger.missing, found.ledger.examples["missing"]) == (2, ("q01", "q02"))
    assert "2 missing (scored 0): q01, q02." in found.to_text()


def test_a_measure_of_the_whole_run_is_the_mean_over_runs_and_knows_queries_only():
    found = tr.compare(QRELS, SYSTEMS, "microAP")
    alone = [tr.evaluate(QRELS, one, "microAP").mean["microAP"] for one in SYSTEMS["old"]]
    assert found["microAP"].means["old"].estimate == pytest.approx(np.mean(alone))
    said = document(found).remarks
    assert any("intervals and p know queries only" in remark for remark in said)
    assert not any("score the same on every query" in remark for remark in said)


@pytest.mark.parametrize("layout", ["long", "wide"])
def test_tables_show_both_variances_and_what_more_would_do(layout):
    text = tr.compare(QRELS, SYSTEMS, "AP").to_text(layout=layout)
    assert "AP: where its variance comes from" in text
    assert "AP: half of the interval, now and with more" in text
    rows = [line.split() for line in text.splitlines() if line.startswith("new ")]
    spread = tr.compare(QRELS, SYSTEMS, "AP")["AP"].spreads["new",]
    assert any(row[:2] == ["new", "5"] and f"{100 * spread.share_of_runs:.0f}" in row for row in rows)
    assert "Enough runs: from this many of each system on" in text


def test_the_row_of_a_system_has_its_components_and_what_each_contributes():
    found = tr.compare(QRELS, {name: SYSTEMS[name] for name in ("old", "new")}, "AP")
    parts = document(found).tables[1]
    for row in parts.rows:
        values = tables(row[0], "AP")
        known = stats.components(values)
        means = values.mean(axis=0)
        share = 100 * found["AP"].spreads[row[0],].share_of_runs
        sds = [part**0.5 for part in (known.between_queries, known.between_runs, known.rest)]
        assert row[1:3] == (len(means), f"{means.min():.3f} to {means.max():.3f}")
        assert row[3:6] == pytest.approx(sds)
        assert row[6:] == (f"{100 - share:.0f} %", f"{share:.0f} %")
    assert len(parts.rows) == 2
    assert not re.search("one run|2 runs show little", found.to_text())
    shown = document(found, percent=True).tables[1]
    for row, other in zip(parts.rows, shown.rows, strict=True):
        assert other[3:6] == pytest.approx([100 * sd for sd in row[3:6]])
        assert other[6:] == row[6:]
    alone = document(tr.compare(QRELS, {"old": SYSTEMS["old"]}, "AP")).tables[-1]
    assert alone.columns == ("run", "now", "queries × 2", "runs × 2", "enough runs")
    assert [len(row) for row in alone.rows] == [5]


def test_twice_the_runs_are_twice_those_of_each_system():
    found = tr.compare(QRELS, {"old": SYSTEMS["old"], "new": SYSTEMS["new"]}, "AP")
    spread = found["AP"].spreads["new", "old"]
    assert [one.runs for one in spread.systems] == [5, 3]
    (row,) = document(found).tables[2].rows
    halves = [one.half_width() for one in (spread, spread.times(2, 1), spread.times(1, 2))]
    assert row == ("new", "old", *halves, str(spread.enough_runs))


@pytest.mark.parametrize("format", [name for name in FORMATS if name != "pdf"])
def test_every_format_has_them(format):
    found = document(tr.compare(QRELS, SYSTEMS, "AP"))
    assert found.render(format)


def test_json_has_the_components_of_each_system_and_pair():
    plain = json.loads(document(tr.compare(QRELS, SYSTEMS, "AP")).render("json"))
    spreads = {(row["system"], row["against"]): row for row in plain["outcomes"][0]["spreads"]}
    known = stats.components(tables("old", "AP"))
    assert spreads["old", None]["components"][0]["between_runs"] == pytest.approx(known.between_runs)
    assert spreads["new", "old"]["enough_runs"] >= 1
    assert [one["runs"] for one in spreads["new", "old"]["components"]] == [5, 3]


def test_percentages_are_of_means_of_runs_too():
    text = tr.compare(QRELS, SYSTEMS, "AP").to_text(layout="long", percent=True)
    low = 100 * tables("old", "AP").mean(axis=0).min()
    assert f"{low:.2f} to" in text


def test_the_picture_has_a_tick_for_each_run():
    figure = document_of(tr.compare(QRELS, SYSTEMS, "AP")).blocks[-1]
    ticks = next(layer for layer in figure.specification["layer"] if "data" in layer)
    assert len(ticks["data"]["values"]) == 8
    assert "A tick is the mean of one run." in figure.alt


def test_systems_without_runs_have_none_of_it():
    found = tr.compare(QRELS, {"plain": run(1), "other": run(2)}, "AP")
    assert "spreads" not in found.to_dict()["outcomes"][0]
    assert "runs" not in found.scores["plain"].to_dict()
    assert "Enough runs" not in found.to_text()


def test_check_counts_runs_as_compare_does():
    compared = tr.compare(QRELS, SYSTEMS, "AP")
    new, old = compared.scores["new"], compared.scores["old"]
    found = tr.check(new, min={"AP": 0.1}, no_worse_than=old, sure=True)
    of_mean, of_difference = (verdict.interval for verdict in found.verdicts)
    assert (of_mean.low, of_mean.high) == pytest.approx(
        (compared["AP"].means["new"].low, compared["AP"].means["new"].high)
    )
    pair = compared["AP"].pair("new", "old").difference
    assert (of_difference.low, of_difference.high) == pytest.approx((pair.low, pair.high))


def test_check_of_one_query_knows_nothing_of_runs():
    one = {"q00": QRELS["q00"]}
    scores = tr.compare(one, {"old": [run(1), run(2)]}, "AP").scores["old"]
    assert tr.check(scores, min={"AP": 0.1}, sure=True).outcome == "undecided"


def test_check_on_a_single_common_query_is_undecided():
    new = tr.compare(QRELS, SYSTEMS, "AP").scores["new"]
    one = tr.evaluate({"q00": QRELS["q00"]}, run(1), "AP")
    assert tr.check(new, no_worse_than=one).outcome == "undecided"
