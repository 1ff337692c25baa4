"""Hits: what leaves a list before ranks exist, ties in their best and worst order, parts and wholes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import truerank as tr
from truerank.core.mappings import IGNORED
from truerank.core.qrels import Qrels
from truerank.core.rules import Rules
from truerank.core.unjudged import with_unjudged
from truerank.measures.discounts import log2_discount
from truerank.vectors.retrieval import concatenate

DOCS = st.sampled_from("abcdefgh")
ANSWER = st.dictionaries(DOCS, st.integers(0, 3).map(float), max_size=8)
GRADES = st.dictionaries(DOCS, st.integers(-1, 2), max_size=8)


def rows(hits: tr.Hits) -> list[tuple]:
    columns = (hits.query, hits.rank, hits.grade, hits.score, hits.first, hits.last)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def same(one: tr.Hits, other: tr.Hits) -> bool:
    per_query = one.queries == other.queries and one.returned.tolist() == other.returned.tolist()
    return (
        per_query and rows(one) == rows(other) and one.judgements.grade.tolist() == other.judgements.grade.tolist()
    )


@given(st.lists(st.tuples(GRADES, ANSWER, st.sets(DOCS)), min_size=1, max_size=3))
def test_ignored_documents_are_as_if_they_had_never_been_there(queries):
    run, with_ignored, without, shorter = {}, {}, {}, {}
    for i, (grades, answer, ignored) in enumerate(queries):
        run[i], with_ignored[i] = answer, {**grades, **dict.fromkeys(ignored, IGNORED)}
        without[i], shorter[i] = ({d: x for d, x in each.items() if d not in ignored} for each in (grades, answer))
    assert same(tr.rank(with_ignored, run), tr.rank(without, shorter))


@given(GRADES, ANSWER)
def test_self_match_removed_is_as_if_the_query_had_not_found_itself(grades, answer):
    hits = tr.rank({"a": grades}, {"a": answer}, rules={"self_match": "remove"})
    grades, answer = ({doc: x for doc, x in part.items() if doc != "a"} for part in (grades, answer))
    assert same(hits, tr.rank({"a": grades}, {"a": answer}))


@given(GRADES, ANSWER)
def test_removing_unjudged_documents_ranks_the_judged_ones_alone(grades, answer):
    hits = tr.rank({"q": grades}, {"q": answer}, rules={"unjudged": "removed"})
    judged = {doc: score for doc, score in answer.items() if grades.get(doc, -1) >= 0}
    assert same(hits, tr.rank({"q": grades}, {"q": judged}))


@given(GRADES, ANSWER, st.integers(1, 5))
def test_depth_cuts_the_list_after_ranking(grades, answer, depth):
    hits, whole = (
        tr.rank({"q": grades}, {"q": answer}, rules={"depth": depth}),
        tr.rank({"q": grades}, {"q": answer}),
    )
    assert rows(hits) == [row for row in rows(whole) if row[1] <= depth]
    assert hits.returned.tolist() == [min(len(answer), depth)]


@given(GRADES.filter(bool), st.dictionaries(DOCS, st.integers(0, 3).map(float), max_size=5))
def test_the_best_and_worst_order_of_ties_bound_every_order(grades, answer):
    hits = tr.rank({"q": grades}, {"q": answer})
    measure = tr.parse_measure("nDCG")
    every = [measure.values(ordered(grades, order))[0] for order in orders(answer)]
    best, worst = (measure.values(hits.reordered(best))[0] for best in (True, False))
    assert (best, worst) == (pytest.approx(max(every)), pytest.approx(min(every)))


def orders(answer: dict[str, float]) -> list[list[str]]:
    """Every ranking that the scores allow."""
    groups = [[d for d in answer if answer[d] == score] for score in sorted(set(answer.values()), reverse=True)]
    choices = itertools.product(*(itertools.permutations(group) for group in groups))
    return [list(itertools.chain(*choice)) for choice in choices]


def ordered(grades: dict[str, int], order: list[str]) -> tr.Hits:
    return tr.rank({"q": grades}, {"q": order}, rules={"ties": "input"})


def test_reordering_moves_only_ties():
    hits = tr.rank({"q": {"a": 1, "b": 0, "c": 2}}, {"q": {"x": 3.0, "a": 2.0, "b": 2.0, "y": 2.0, "c": 1.0}})
    assert hits.reordered(best=True).rank.tolist() == [2, 4, 5]
    assert hits.reordered(best=False).rank.tolist() == [2, 4, 5]
    assert hits.reordered(best=True).grade.tolist() == [1, 0, 2]
    assert hits.reordered(best=False).grade.tolist() == [0, 1, 2]


@given(st.lists(st.tuples(GRADES, ANSWER), min_size=2, max_size=6), st.integers(1, 5))
def test_parts_put_together_are_the_whole(queries, cut):
    qrels = {str(i): grades for i, (grades, _) in enumerate(queries)}
    run = {str(i): answer for i, (_, answer) in enumerate(queries)}
    whole = tr.rank(qrels, run)
    keep = np.arange(len(queries)) < cut
    if keep.all():
        return
    parts = [whole.select(keep), whole.select(~keep)]
    assert same(concatenate(parts), whole)


@settings(max_examples=25)
@given(st.lists(st.tuples(GRADES, ANSWER), min_size=1, max_size=6), st.integers(0, 6), st.integers(1, 5))
def test_some_queries_of_a_cut_ranking_are_those_queries_alone(queries, cut, depth):
    def ranked(some):
        return tr.rank(*({i: queries[i][side] for i in some} for side in (0, 1)), rules={"depth": depth})

    whole, cut = ranked(range(len(queries))), min(cut, len(queries))
    is_first = np.arange(len(queries)) < cut
    for some, parts in (
        (range(cut), (whole.select(is_first), whole.within(0, cut))),
        (range(cut, len(queries)), (whole.select(~is_first), whole.within(cut, len(queries)))),
    ):
        for part in parts:
            assert same(part, ranked(some))
            assert same(part.with_beyond, ranked(some).with_beyond)


@settings(max_examples=25)
@given(st.lists(st.tuples(GRADES, ANSWER), min_size=1, max_size=3))
def test_a_running_value_at_a_rank_is_that_of_the_last_hit_down_to_it(queries):
    hits = tr.rank(*({i: query[side] for i, query in enumerate(queries)} for side in (0, 1)))
    running = np.arange(10.0, 10.0 + len(hits))
    query, rank = np.repeat(np.arange(len(queries)), 10), np.tile(np.arange(10), len(queries))
    rows = list(zip(hits.query.tolist(), hits.rank.tolist(), running.tolist(), strict=True))
    values = [
        max((value for q, at, value in rows if q == i and at <= k), default=0.0)
        for i in range(len(queries))
        for k in range(10)
    ]
    assert hits.running_at(running, query, rank).tolist() == values


@pytest.mark.parametrize(("grade", "tied"), [(1, 1), (0, 1), (-1, 0)])
def test_judged_documents_that_tie_with_unjudged_ones_matter_to_a_measure_that_tells_them_apart(grade, tied):
    assert tr.evaluate({"q": {"a": grade}}, {"q": {"a": 1.0, "x": 1.0}}, "Judged@1").ledger.tied == tied


def test_the_ideal_ranking_has_the_best_grades_first():
    hits = tr.rank({"q": {"a": 1, "b": 3, "c": -1}, "r": {"d": 2}}, {"q": ["a"]})
    assert hits.ideal.grade.tolist() == [3, 1, -1, 2]
    assert hits.ideal.rank.tolist() == [1, 2, 3, 1]


@given(st.lists(st.tuples(GRADES, ANSWER), min_size=1, max_size=4), *[st.none() | st.integers(1, 6)] * 2)
def test_unjudged_documents_are_rows_of_a_grade_down_to_a_rank_and_those_tied_with_a_hit_there(queries, k, depth):
    qrels, run = ({str(i): query[side] for i, query in enumerate(queries)} for side in (0, 1))
    hits = tr.rank(qrels, run, rules={"depth": depth})
    deepest = min((each for each in (k, depth) if each), default=99)
    expected = []
    for i, (grades, answer) in enumerate(queries):
        order = sorted(sorted(answer, reverse=True), key=lambda doc: -answer[doc])
        for rank, doc in enumerate(order, 1):
            group = [place for place, other in enumerate(order, 1) if answer[other] == answer[doc]]
            is_told = any(order[place - 1] in grades for place in group)
            first, last = (group[0], group[-1]) if is_told else (rank, rank)
            if first <= (depth or 99) and (doc in grades or first <= deepest):
                grade = grades.get(doc, -1)
                expected.append(
                    (i, rank, 1.5 if grade < 0 else grade, answer[doc] if is_told else None, first, last)
                )
    made = with_unjudged(hits, 1.5, k)
    whole = [(*row[:3], None if np.isnan(row[3]) else row[3], *row[4:]) for row in rows(made.with_beyond)]
    assert (whole, made.rank.max(initial=0) <= (depth or 99)) == (expected, True)


@pytest.mark.parametrize("worth", [1.0, 0.1, -3.0, 2.0**44, 2.0**43 + 1, 2.0**51, 1e300])
@pytest.mark.parametrize("queries", [1, 3, 600])
def test_many_grades_are_sorted_to_the_bit_whatever_they_are(worth, queries):
    rng = np.random.default_rng(queries)
    judged = {f"{q:03}": (rng.integers(-1, 4, 1300 // queries) * worth).tolist() for q in range(queries)}
    qrels = {query: {f"d{i}": grade for i, grade in enumerate(grades)} for query, grades in judged.items()}
    best_first = [grade for grades in judged.values() for grade in sorted(grades, reverse=True)]
    worst_first = {query: dict(sorted(grades.items(), key=lambda pair: pair[1])) for query, grades in qrels.items()}
    for each in (qrels, worst_first):
        assert tr.rank(each, {}).judgements.grade.tolist() == best_first


def test_logarithms_are_the_c_librarys_for_any_rank():
    import math

    qrels = Qrels.from_dict({"q": {f"d{i}": 1 for i in (0, 5, 99_999)}})
    hits = tr.rank(qrels, {"q": [f"d{i}" for i in range(100_000)]})
    assert log2_discount(hits).tolist() == [math.log2(rank + 1) for rank in (1, 6, 100_000)]


def test_qrels_keep_queries_without_judgements():
    qrels = Qrels.from_dict({"b": {}, "a": {"x": 1}})
    assert (qrels.queries, tr.rank(qrels, {}).relevant_total(1).tolist()) == ((b"a", b"b"), [1, 0])


def test_rules_reach_the_hits_by_name():
    assert tr.rank({"q": {"a": 1}}, {"q": {"a": 1.0}}, rules=Rules(depth=1)).returned.tolist() == [1]


def test_a_summary_counts_no_document_of_a_query_that_was_not_answered():
    hits = tr.read({"a": {"x": 1}, "b": {"y": 1}}, {"a": {"x": 1.0, "z": 2.0}}).hits
    assert hits.returned.tolist() == [2, -1]
    assert "2 documents returned" in repr(hits)
