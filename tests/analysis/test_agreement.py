"""Whether two runs agree: against sorting by hand, under the rules that put lists in order."""

from __future__ import annotations

import dataclasses
import json
import math
import random
import re
from pathlib import Path
from typing import Any

import pytest
from scipy import stats as scipy_stats

import truerank as tr
from truerank import stats

World = dict[str, dict[str, float]]


def world(seed: int) -> World:
    """Answers with many equal scores; some empty, and not to all queries."""
    chance = random.Random(seed)
    docs = [f"d{number}" for number in range(15)]
    return {
        f"q{number}": {doc: chance.randint(0, 4) / 2 for doc in chance.sample(docs, chance.randint(0, 10))}
        for number in chance.sample(range(12), 9)
    }


def by_hand(answer: dict[str, float], ties: str, depth: int | None) -> list[str]:
    docs = list(answer) if ties == "input" else sorted(answer, reverse=ties == "doc-descending")
    return sorted(docs, key=lambda doc: -answer[doc])[:depth]


@pytest.mark.parametrize("ties", ["doc-descending", "doc-ascending", "input"])
@pytest.mark.parametrize("depth", [None, 3])
def test_lists_are_put_in_order_by_the_rules_and_compared_query_by_query(ties: str, depth: int | None) -> None:
    for seed in range(10):
        a, b = world(seed), world(seed + 100)
        found = tr.agreement(a, b, p=0.8, depth=depth, rules={"ties": ties})
        assert set(found.queries) == a.keys() & b.keys()
        assert (set(found.only_a), set(found.only_b)) == (a.keys() - b.keys(), b.keys() - a.keys())
        for query, rbo, tau, shared in zip(found.queries, found.rbo, found.tau, found.shared, strict=True):
            one, other = by_hand(a[query], ties, depth), by_hand(b[query], ties, depth)
            both = [doc for doc in one if doc in other]
            assert (rbo, shared) == (stats.rbo(one, other, 0.8), len(both))
            if len(both) < 2:
                assert math.isnan(tau)
            else:
                assert tau == stats.kendall_tau(range(len(both)), [other.index(doc) for doc in both])
                theirs = scipy_stats.kendalltau(range(len(both)), [other.index(doc) for doc in both])
                assert tau == pytest.approx(theirs.statistic)
        for query, tau_ap, overlap in zip(found.queries, found.tau_ap, found.overlap, strict=True):
            one, other = by_hand(a[query], ties, depth), by_hand(b[query], ties, depth)
            both = [doc for doc in one if doc in other]
            heights = [-i for i in range(len(both))], [-other.index(doc) for doc in both]
            ways = [stats.tau_ap(*heights), stats.tau_ap(*heights[::-1])] if len(both) > 1 else [math.nan]
            assert tau_ap == pytest.approx(sum(ways) / len(ways), nan_ok=True)
            size = min(10, max(len(one), len(other)))
            assert overlap == (len(set(one[:10]) & set(other[:10])) / size if size else 1)
        known = [tau for tau in found.tau.tolist() if not math.isnan(tau)]
        mean_tau = sum(known) / len(known) if known else math.nan
        assert found.mean_tau == pytest.approx(mean_tau, abs=1e-12, nan_ok=True)
        assert found.mean_rbo == pytest.approx(found.rbo.mean(), abs=1e-12)


def in_groups(answer: dict[str, float], depth: int | None) -> list[set[str]]:
    """The documents by score, those with equal ones together, as far as the depth goes."""
    docs = by_hand(answer, "doc-descending", depth)
    return [
        {doc for doc in docs if answer[doc] == score} for score in sorted({answer[d] for d in docs}, reverse=True)
    ]


@pytest.mark.parametrize("ties", ["w", "a", "b"])
@pytest.mark.parametrize("unseen", ["ext", "min", "max", "res"])
@pytest.mark.parametrize("depth", [None, 4])
def test_equal_scores_are_ties_of_rank_biased_overlap_where_that_is_asked(
    ties: str, unseen: str, depth: int | None
) -> None:
    for seed in range(5):
        a, b = world(seed), world(seed + 100)
        found = tr.agreement(a, b, p=0.8, depth=depth, ties=ties, unseen=unseen)
        expected = [
            stats.rbo(in_groups(a[q], depth), in_groups(b[q], depth), 0.8, ties=ties, unseen=unseen)
            for q in found.queries
        ]
        assert found.rbo.tolist() == expected
        assert found.tau.tolist() == pytest.approx(tr.agreement(a, b, depth=depth).tau.tolist(), nan_ok=True)
        plain = tr.agreement(a, b, p=0.8, depth=depth, unseen=unseen)
        lists = [[by_hand(x[q], "doc-descending", depth) for x in (a, b)] for q in plain.queries]
        assert plain.rbo.tolist() == [stats.rbo(*each, 0.8, unseen=unseen) for each in lists]


def test_it_says_which_rank_biased_overlap_it_is() -> None:
    run = {"q": {"a": 1.0, "b": 1.0, "c": 0.5}}
    found = tr.agreement(run, {"q": ["b", "a"]}, ties="b", unseen="min")
    assert repr(found).startswith("Agreement(1 queries; RBO-b min 0.")
    assert (found.to_dict()["ties"], found.to_dict()["unseen"]) == ("b", "min")
    assert "RBO-b min (p = 0.9)" in found.to_markdown()


def test_a_run_agrees_with_itself_however_its_rows_are_mixed(tmp_path: Path) -> None:
    rows = [f"{q} Q0 {d} 0 {score} t\n" for q, docs in world(1).items() for d, score in docs.items()]
    random.Random(0).shuffle(rows)
    (tmp_path / "a.run").write_text("".join(rows))
    found = tr.agreement(tmp_path / "a.run", {q: docs for q, docs in world(1).items() if docs})
    assert (found.mean_rbo, found.mean_tau) == (pytest.approx(1), 1.0)
    assert (found.only_a, found.only_b) == ((), ())


def test_the_smaller_of_both_depths_counts() -> None:
    a, b = {"q": ["a", "b", "c"]}, {"q": ["a", "c", "b"]}
    assert [tr.agreement(a, b, depth=d, rules={"depth": 1}).depth for d in (None, 3)] == [1, 1]
    assert tr.agreement(a, b, depth=1, rules={"depth": 2}).mean_rbo == pytest.approx(1)


@pytest.mark.parametrize("depth", [None, 2])
def test_readings_of_all_rows_agree_as_their_runs_do(depth: int | None) -> None:
    for seed in range(5):
        a, b = world(seed), world(seed + 100)
        whole = tr.agreement(a, b, depth=depth)
        for qrels in (None, {query: {"d3": 1, "d7": 0} for query in a | b}):
            one, other = (tr.read(qrels, run, keep="all") for run in (a, b))
            assert tr.agreement(one, other, depth=depth).to_dict() == whole.to_dict()
        assert tr.agreement(one, b, depth=depth).to_dict() == whole.to_dict()


def test_a_reading_without_the_rows_is_refused() -> None:
    few = tr.read({"q": {"a": 1}}, {"q": ["a", "b"]})
    with pytest.raises(tr.InputError, match="lacks unjudged documents; read the run with keep='all'"):
        tr.agreement(few, few)
    with pytest.raises(tr.InputError, match="read the run with keep=3"):
        tr.agreement(few, few, depth=3)
    whole = tr.read(None, {"q": ["a", "b"]}, keep="all")
    with pytest.raises(tr.RulesError, match="read it again for 'input'"):
        tr.agreement(whole, whole, rules={"ties": "input"})


def test_repeated_documents_are_what_the_rules_make_of_them() -> None:
    a, b = {"q": ["a", "b", "a"]}, {"q": ["a", "b"]}
    with pytest.raises(tr.InputError, match="is returned twice"):
        tr.agreement(a, b)
    for duplicates in ("first", "count", "once"):
        assert tr.agreement(a, b, rules={"duplicates": duplicates}).mean_rbo == pytest.approx(1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"p": 1}, "p is a number between 0 and 1"),
        ({"ties": "c"}, "ties is w or a or b, not 'c'"),
        ({"ties": ""}, "ties is w or a or b, not ''"),
        ({"unseen": "mid"}, "unseen is ext or min or max or res, not 'mid'"),
        ({"depth": 0}, "depth is a positive whole number"),
        ({"run_b": {"other": ["a"]}}, "a and b answer no query in common: are their query ids of one"),
        ({"run_b": {}}, "a and b answer no query in common: are their query ids of one"),
        ({"rules": "ranks"}, "there are no rules named 'ranks'"),
        ({"run_b": "nowhere.run"}, "nowhere.run"),
    ],
)
def test_what_is_asked_wrongly_is_said(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(tr.TruerankError, match=re.escape(message)):
        tr.agreement(**{"run_a": {"q": ["a"]}, "run_b": {"q": ["b"]}, **arguments})


def test_an_agreement_is_frozen_prints_and_becomes_json() -> None:
    found = tr.agreement({"q": ["a", "b"], "r": ["x"]}, {"q": ["b"], "r": ["x"], "s": ["y"]})
    assert isinstance(found, tr.Agreement)
    assert repr(found).splitlines()[0].endswith("tau unknown)")
    assert "only in the second run, and in no mean: s" in repr(found)
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.p = 0.5  # type: ignore[misc]
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["queries"]["q"] == {
        "rbo": found.rbo[0],
        "tau": None,
        "tau_ap": None,
        "overlap": 0.5,
        "shared": 1,
    }
    assert plain["only_b"] == ["s"]


def test_the_overlap_of_more_documents_than_there_are_is_that_of_the_whole_lists() -> None:
    a, b = {"q": ["a", "b", "c"]}, {"q": ["a", "x"]}
    assert tr.agreement(a, b, k=10**30).overlap.tolist() == tr.agreement(a, b, k=3).overlap.tolist()


@pytest.mark.parametrize("self_match", ["remove", "remove-from-answers"])
@pytest.mark.parametrize("depth", [None, 2])
def test_a_document_with_the_id_of_the_query_leaves_the_lists_that_rules_take_it_from(
    self_match: str, depth: int | None
) -> None:
    one, other = {"q": ["q", "a", "x", "b"], "r": ["a", "q", "r"]}, {"q": ["a", "b", "q"], "r": ["r", "q", "a"]}
    without = [{q: [doc for doc in docs if doc != q] for q, docs in run.items()} for run in (one, other)]
    wanted = tr.agreement(*without, k=2, depth=depth).to_dict()
    assert tr.agreement(one, other, k=2, depth=depth, rules={"self_match": self_match}).to_dict() == wanted
    for qrels, keep in ((None, "all"), (None, 2), ({"q": {"a": 1}, "r": {"r": 1}}, "all")):
        if depth or keep == "all":
            read = [tr.read(qrels, run, rules={"self_match": self_match}, keep=keep) for run in (one, other)]
            assert tr.agreement(*read, k=2, depth=depth).to_dict() == wanted
            assert [each.rows.returned.tolist() for each in read] == [[3, 2], [2, 2]]
    few = tr.read(None, one, rules={"self_match": self_match})
    assert (len(few.rows), few.rows.returned.tolist()) == (0, [3, 2])
