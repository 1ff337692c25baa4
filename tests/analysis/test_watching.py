"""Gates that are looked at again and again: what counts as new, which intervals hold, and what is refused."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

import truerank as tr
from truerank import stats
from truerank.present.check import document_of

GATE = {"AP": 0.2}


def scores(queries, seed=0, measures="AP", lift=0):
    """Real scores: at each query one relevant document at a random rank."""
    qrels, run = {}, {}
    for q in queries:
        rank = int(np.random.default_rng([seed, q]).integers(1, 9))
        qrels[f"q{q}"] = {"d": 1}
        run[f"q{q}"] = [f"x{i}" for i in range(max(0, rank - 1 - lift))] + ["d"]
    return tr.evaluate(qrels, run, measures)


def looked(watch, *looks, **how):
    """The last check of these looks."""
    found = None
    for look in looks:
        found = tr.check(look, min=GATE, watch=watch, **how)
        watch = found.watch
    return found


def test_looks_at_new_queries_are_one_confidence_sequence():
    parts = [range(30), range(30, 45), range(45, 100)]
    found = looked(tr.Watch("new"), *(scores(part) for part in parts))
    values = np.concatenate([scores(part)["AP"] for part in parts])
    expected = stats.mean_sequence(values)[0]
    interval = found.verdicts[0].interval
    assert (interval.low, interval.high) == (expected.low, expected.high)
    assert (found.verdicts[0].queries, found.verdicts[0].value) == (100, pytest.approx(values.mean()))
    assert [len(look.queries) for look in found.watch.looks] == [30, 15, 55]


def test_a_difference_is_watched_query_by_query_over_all_looks():
    watch = tr.Watch("new")
    for part in (range(40), range(40, 90)):
        found = tr.check(scores(part, lift=3), no_worse_than=scores(part), watch=watch)
        watch = found.watch
    queries = range(90)
    order = [q for part in (range(40), range(40, 90)) for q in scores(part).queries]
    a, b = (dict(zip(one.queries, one["AP"], strict=True)) for one in (scores(queries, lift=3), scores(queries)))
    expected = stats.difference_sequence([a[q] for q in order], [b[q] for q in order])[0]
    interval = found.verdicts[0].interval
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert found.outcome == "pass"


def test_queries_that_come_again_with_the_same_values_count_once():
    once = looked(tr.Watch("new"), scores(range(40)))
    again = looked(tr.Watch("new"), scores(range(40)), scores(range(40)), scores(range(20)))
    assert again.verdicts[0].interval == once.verdicts[0].interval
    assert [len(look.queries) for look in again.watch.looks] == [40, 0, 0]


def test_new_queries_with_values_that_changed_are_refused():
    with pytest.raises(tr.InputError, match=r"query q0 was seen at look 1 with another AP.*--looks same"):
        looked(tr.Watch("new"), scores(range(40)), scores(range(40), lift=2))


def test_looks_at_the_same_queries_share_the_error_that_all_may_make():
    watch, widths = tr.Watch("same"), []
    for lift, number in ((0, 1), (1, 2), (2, 3), (1, 2)):
        found = looked(watch, scores(range(40), lift=lift))
        watch = found.watch
        expected = stats.mean_sequence(
            scores(range(40), lift=lift)["AP"], confidence=stats.confidence_of_look(0.95, number)
        )[0]
        interval = found.verdicts[0].interval
        assert (interval.low, interval.high, interval.confidence) == (expected.low, expected.high, 0.95)
        widths.append(watch.looks[-1].number)
    assert widths == [1, 2, 3, 2], "what was seen before is the same look again"


def test_what_moves_while_it_is_watched_is_undecided_and_says_so():
    found = looked(tr.Watch("new"), scores(range(300)), scores(range(300, 900), lift=7))
    assert (found.outcome, found.verdicts[0].interval.method) == ("undecided", "moved")
    assert "no single mean fits all looks" in found.to_text()


def test_a_file_of_looks_brings_back_what_was_written(tmp_path):
    path = tmp_path / "looks.jsonl"
    found = looked(tr.Watch("new", 0.9, {"AP": (0, 1)}), scores(range(20)), scores(range(20, 30)))
    found.watch.write(path)
    back = tr.Watch.read(path)
    assert back == found.watch
    assert looked(back, scores(range(30, 60))).verdicts == looked(found.watch, scores(range(30, 60))).verdicts


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        (0, "rules", 5),
        (1, "number", "x"),
        (1, "gates", [5]),
        (1, "gates", [{}]),
        (1, "at", 5),
        (1, "values", 5),
        (1, "queries", 5),
        (1, "queries", [["q000"]]),
        (1, "digest", ["x"]),
    ],
)
def test_a_file_of_looks_that_is_damaged_is_refused(line, name, value, tmp_path):
    path = tmp_path / "looks.jsonl"
    looked(tr.Watch("same"), scores(range(20))).watch.write(path)
    lines = [json.loads(text) for text in path.read_text().splitlines()]
    lines[line][name] = value
    path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    with pytest.raises(tr.InputError, match="the looks are damaged"):
        tr.Watch.read(path)


def test_queries_that_only_the_baseline_has_are_left_out_and_said():
    found = tr.check(scores(range(30)), no_worse_than=scores(range(40)), watch=tr.Watch("new"))
    assert found.verdicts[0].queries == 30
    assert "10 queries that only one of the two has were left out" in found.verdicts[0].note


@pytest.mark.parametrize("looks_at", ["new", "same"])
@pytest.mark.parametrize(
    ("measure", "limit", "words"),
    [
        ("AP", {"p95": "2s"}, "p95 cannot be watched"),
        ("NumRelRet", {"NumRelRet": 1}, "no plain mean"),
        ("DCG", {"DCG": 1}, '--range "DCG=0:100"'),
    ],
)
def test_what_cannot_be_watched_is_refused(looks_at, measure, limit, words):
    with pytest.raises(tr.TruerankError, match=words):
        tr.check(scores(range(9), measures=measure), min=limit, watch=tr.Watch(looks_at))


def test_means_without_values_of_queries_are_refused():
    with pytest.raises(tr.InputError, match="values of queries"):
        tr.check({"AP": 0.3}, min=GATE, watch=tr.Watch("new"))


def test_a_measure_with_a_range_is_watched_within_it():
    given = scores(range(40), measures="DCG")
    found = tr.check(given, min={"DCG": 0.1}, watch=tr.Watch("new", ranges={"DCG": (0, 5)}))
    assert found.verdicts[0].interval.low == stats.mean_sequence(given["DCG"], limits=(0, 5))[0].low
    before, watch = scores(range(40), 1, "DCG"), tr.Watch("new", ranges={"DCG": (-1, 5)})
    found = tr.check(given, no_worse_than=before, watch=watch).verdicts[0]
    expected = stats.difference_sequence(given["DCG"], before["DCG"], limits=(-1, 5))[0]
    assert (found.interval.low, found.interval.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
    with pytest.raises(tr.InputError, match=r"outside of what was said to be possible, 0 to 0.5"):
        tr.check(given, min={"DCG": 0.1}, watch=tr.Watch("new", ranges={"DCG": (0, 0.5)}))


def test_other_rules_are_refused():
    watch = looked(tr.Watch("new"), scores(range(9))).watch
    other = tr.evaluate({"q99": {"d": 1}}, {"q99": ["d"]}, "AP", rules={"level": 2})
    with pytest.raises(tr.RulesError, match="begin another file"):
        tr.check(other, min=GATE, watch=watch)


def test_all_looks_are_shown_with_their_gates():
    found = looked(tr.Watch("new"), *(scores(range(10 * n, 10 * n + 10)) for n in range(3)))
    text = found.to_text()
    assert text.count("AP  ") >= 3
    assert [look["gates"][0]["queries"] for look in found.to_dict()["watch"]["looks"]] == [10, 20, 30]
    lows = [look["gates"][0]["low"] for look in found.to_dict()["watch"]["looks"]]
    assert all(a <= b for a, b in itertools.pairwise(lows))
    assert "<img" in found.to_html()


def test_the_last_ten_looks_are_shown_and_json_has_all():
    found = looked(tr.Watch("new"), *(scores(range(3 * n, 3 * n + 3)) for n in range(12)))
    table = next(one for one in document_of(found).tables if one.title == "Looks")
    assert [row[0] for row in table.rows] == list(range(3, 13))
    assert len(found.to_dict()["watch"]["looks"]) == 12


@pytest.mark.parametrize("limits", [(1, 0), (0, float("inf")), 3, ("0", "1"), (0, 1, 2)])
def test_a_range_is_two_numbers_in_order(limits):
    with pytest.raises(tr.InputError, match="the range of AP is two finite numbers"):
        tr.Watch("new", ranges={"AP": limits})


def test_a_measure_that_comes_later_needs_new_queries():
    qrels = {f"q{n}": {"a": 1} for n in range(8)}
    run = {query: ["x", "a"] for query in qrels}
    first = tr.check(tr.evaluate(qrels, run, "AP"), min={"AP": 0.1}, watch=tr.Watch("new")).watch
    with pytest.raises(tr.InputError, match="RR was not looked at when these queries were new"):
        tr.check(tr.evaluate(qrels, run, "RR"), min={"RR": 0.1}, watch=first)
    more = {f"r{n}": {"a": 1} for n in range(8)}
    found = tr.check(tr.evaluate(more, {query: ["a"] for query in more}, "RR"), min={"RR": 0.1}, watch=first)
    assert found.verdicts[0].value == 1.0


@pytest.mark.parametrize("watch", ["new", 3])
def test_what_is_no_watch_is_said(watch):
    with pytest.raises(tr.InputError, match="is a Watch"):
        tr.check({"AP": 0.5}, min={"AP": 0.1}, watch=watch)


def test_the_confidence_of_a_watch_is_below_1():
    with pytest.raises(tr.InputError, match="confidence is at least 0\\.5 and below 1"):
        tr.Watch("new", 1.5)
