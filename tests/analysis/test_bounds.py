"""Bounds against brute force: every order of equal scores, every grade of every unjudged document."""

from __future__ import annotations

import importlib
import itertools
import math
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import truerank as tr
from oracles import ORACLES, Answer
from test_laws import MEASURES as ALL
from truerank.analysis.bounds import ways
from truerank.measures import Measure
from truerank.present import bounds as report

MEASURES = tuple(m for m in ALL if not m.definition.needs)
"""Those that bounds cover."""

TIES = importlib.import_module("truerank.analysis.bounds.ties")
UNJUDGED = importlib.import_module("truerank.analysis.bounds.unjudged")

DOCS = tuple("abcdefgh")
SMALL = settings(max_examples=40)

Grades = dict[str, float]
Scores = dict[str, float]


def queries(grades: tuple[float, ...], scores: tuple[float, ...]) -> st.SearchStrategy[tuple[Grades, Scores]]:
    """Judgements and answers of one query; five documents at most are returned."""
    doc = st.sampled_from(DOCS)
    judged = st.dictionaries(doc, st.sampled_from(grades), min_size=1, max_size=6)
    return st.tuples(judged, st.dictionaries(doc, st.sampled_from(scores), min_size=1, max_size=5))


TIED = queries((-1, 0, 1, 2, 3), (3.0, 2.0, 1.0))
OPEN = queries((-1, 0, 1, 2), (5.0, 4.5, 4.0, 3.0, 2.0, 1.0, 0.5))


def ranked(run: Scores) -> list[str]:
    return sorted(sorted(run, reverse=True), key=run.__getitem__, reverse=True)


def answer(judged: Grades, docs: list[str] | tuple[str, ...], run: Scores, highest: float) -> Answer:
    return Answer([judged.get(d) for d in docs], list(judged.values()), highest, [run[d] for d in docs])


def orders(judged: Grades, run: Scores, highest: float) -> Iterator[Answer]:
    """The answer in every order of equal scores; orders of the same grades are one answer."""
    known: dict[tuple[float | None, ...], Answer] = {}
    for docs in itertools.permutations(ranked(run)):
        if all(run[one] >= run[other] for one, other in itertools.pairwise(docs)):
            found = answer(judged, docs, run, highest)
            yield known.setdefault(tuple(found.ranked), found)


def judgements(judged: Grades, run: Scores, grades: tuple[float, ...]) -> Iterator[Answer]:
    """The answer when the unjudged documents in it get every grade, or none."""
    docs = ranked(run)
    open_docs = [d for d in docs if judged.get(d, -1) < 0]
    highest = max(
        [*(grades if open_docs else [0.0]), *judged.values()]
    )  # one that no document can get scales nothing
    for given_grades in itertools.product([None, *grades], repeat=len(open_docs)):
        told = {d: g for d, g in zip(open_docs, given_grades, strict=True) if g is not None}
        yield answer({**judged, **told}, docs, run, highest)


def by_oracle(measure: Measure, answers: list[Answer]) -> list[float]:
    """The value of each answer; of one that comes again it is not worked out again."""
    params, distinct = dict(measure.params), {id(each): each for each in answers}
    values = {key: ORACLES[measure.name](each, **params) for key, each in distinct.items()}
    return [values[id(each)] for each in answers]


@settings(max_examples=12)
@given(st.lists(TIED, min_size=4, max_size=4))
def test_best_worst_and_expected_of_every_measure_are_those_of_all_orders(
    worlds: list[tuple[Grades, Scores]],
) -> None:
    """Four queries at a time, as one costs nearly as much as four."""
    names = [f"q{number}" for number in range(len(worlds))]
    highest = max([0.0, *(grade for judged, _ in worlds for grade in judged.values())])
    answers = [list(orders(judged, run, highest)) for judged, run in worlds]
    qrels, runs = (dict(zip(names, each, strict=True)) for each in zip(*worlds, strict=True))
    found = tr.bounds(qrels, runs, MEASURES, "ties").ties
    for measure in MEASURES:
        got = found[str(measure)]
        for query, each in enumerate(answers):
            values = by_oracle(measure, each)
            limits = (got.low[query], got.high[query], got.expected[query])
            right = (min(values), max(values), sum(values) / len(values))
            assert limits == pytest.approx(right, abs=1e-12), str(measure)
        assert not got.error.any()
        assert got.sure.all()


@SMALL
@given(TIED)
def test_what_the_search_calls_sure_are_the_extremes_of_all_orders(world: tuple[Grades, Scores]) -> None:
    judged, run = world
    answers = list(orders(judged, run, max([0.0, *judged.values()])))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TIES, "LIMIT", -1)
        found = tr.bounds({"q": judged}, {"q": run}, MEASURES, "ties", samples=5).ties
    for measure in MEASURES:
        values, got = by_oracle(measure, answers), found[str(measure)]
        assert min(values) - 1e-12 <= got.low[0] <= got.values[0] <= got.high[0] <= max(values) + 1e-12
        if got.sure[0]:
            assert (got.low[0], got.high[0]) == pytest.approx((min(values), max(values)), abs=1e-12), str(measure)


def test_random_orders_come_near_the_expected_value_and_say_how_near() -> None:
    judged = {"a": 2, "b": 1, "c": 0, "d": 1}
    run = {**dict.fromkeys("abcdxyz", 1.0), "w": 2.0}
    exact = tr.bounds({"q": judged}, {"q": run}, "AP nDCG@3 RR", "ties").ties
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TIES, "LIMIT", -1)
        drawn = tr.bounds({"q": judged}, {"q": run}, "AP nDCG@3 RR", "ties", samples=2_000).ties
    for name in exact:
        error = drawn[name].expected_error
        assert error is not None
        assert 0 < error < 0.01
        assert abs(drawn[name].expected_mean - exact[name].expected_mean) < 4 * error


def test_a_large_group_of_ties_is_drawn_from_without_listing_it() -> None:
    run = {**{f"x{i}": 1.0 for i in range(3_000)}, "a": 1.0, "b": 1.0}
    found = tr.bounds({"q": {"a": 1, "b": 1}}, {"q": run}, "RR P@10", "ties", samples=400)
    rr, p = found.ties["RR"], found.ties["P@10"]
    assert (rr.low[0], rr.high[0], rr.searched) == (1 / 3001, 1.0, 0)
    assert (p.low[0], p.high[0]) == (0.0, 0.2)
    assert abs(p.expected[0] - 2 / 3002) < 5 * max(p.error[0], 2e-4)


@pytest.mark.parametrize(("size", "judged"), [(5, 2), (4, 3)])
def test_drawn_orders_are_uniform_in_sparse_and_dense_groups(size: int, judged: int) -> None:
    rng = np.random.default_rng(5)
    groups = 40_000
    drawn = TIES._drawn(np.full(groups, size), np.full(groups, judged), rng).reshape(groups, judged)
    choices, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(choices) == math.perm(size, judged)
    assert all(len(set(choice)) == judged for choice in choices.tolist())
    assert np.abs(counts * len(choices) / groups - 1).max() < 0.12


def test_groups_of_many_sizes_are_drawn_from_together() -> None:
    """The cost is that of the rows, not of the square of the largest group."""
    size, judged = np.array([2, 900, 7, 1000, 1]), np.array([1, 400, 7, 999, 1])
    drawn = TIES._drawn(size, judged, np.random.default_rng(1))
    for part, n in zip(np.split(drawn, np.cumsum(judged)[:-1]), size.tolist(), strict=True):
        assert len(set(part.tolist())) == len(part)
        assert 0 <= part.min() <= part.max() < n


def test_the_same_seed_draws_the_same_orders() -> None:
    run = {f"d{i}": 1.0 for i in range(40)}
    judged = {f"d{i}": i % 3 for i in range(30)}
    one, same, other = (
        tr.bounds({"q": judged}, {"q": run}, "AP", "ties", seed=seed).ties["AP"].expected_mean for seed in (1, 1, 2)
    )
    assert one == same != other


def test_less_is_better_turns_best_and_worst() -> None:
    found = tr.bounds({"q": {"a": 1}}, {"q": {"a": 1.0, "x": 1.0}}, "Unjudged@1", "ties").ties["Unjudged@1"]
    assert (found.best, found.worst) == (0.0, 1.0)


@SMALL
@given(OPEN)
def test_lowest_and_highest_and_what_the_search_calls_sure_are_those_of_all_judgements(
    world: tuple[Grades, Scores],
) -> None:
    judged, run = world
    found = tr.bounds({"q": judged}, {"q": run}, MEASURES, "unjudged")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(UNJUDGED, "LIMIT", -1)
        searched = tr.bounds({"q": judged}, {"q": run}, MEASURES, "unjudged")
    assert searched.grades == found.grades
    answers = list(judgements(judged, run, found.grades))
    for measure in MEASURES:
        values = by_oracle(measure, answers)
        for got in (found.unjudged[str(measure)], searched.unjudged[str(measure)]):
            lowest, highest = min(*values, got.values[0]), max(*values, got.values[0])
            if got.sure[0]:
                assert (got.low[0], got.high[0]) == pytest.approx((lowest, highest), abs=1e-12), str(measure)
            assert lowest - 1e-12 <= got.low[0] <= got.values[0] <= got.high[0] <= highest + 1e-12, str(measure)


@pytest.mark.parametrize("grades", [(0, 1), (-1, 0, 1, 2, 3), (0.5, 1, 2)])
def test_what_is_screened_has_the_bits_of_what_is_tried_in_every_way(grades: tuple[float, ...]) -> None:
    rng = random.Random(7)
    docs = [f"d{i}" for i in range(80)]
    qrels = {f"q{n}": {d: rng.choice(grades) for d in rng.sample(docs, 12)} for n in range(8)}
    run = {q: {d: float(rng.randint(0, 60)) for d in rng.sample(docs, 9 * n)} for n, q in enumerate(qrels)}
    asked = (
        "AP AP@20 AP(divisor='capped')@20 AP(level=2) GMAP R@5 R(capped=True)@30 nDCG nDCG(gain='exp')@10 P@10 RR "
        "DCG@30 AP(divisor='hits')@20"
    )
    for rules in ({}, {"depth": 25}, {"level": 2, "without_relevant": "one"}, {"unreturned": "ignore"}):
        found = tr.bounds(qrels, run, asked, "unjudged", rules=rules).unjudged
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(UNJUDGED, "screen_of", lambda measure, rules: None)
            patch.setattr(UNJUDGED, "_is_rising", lambda measure, rules: False)
            patch.setattr(UNJUDGED._Search, "reach", lambda search, measure: None)
            whole = tr.bounds(qrels, run, asked, "unjudged", rules=rules).unjudged
        for name, one in found.items():
            assert (one.low.tolist(), one.high.tolist()) == (whole[name].low.tolist(), whole[name].high.tolist()), (
                name
            )


def test_only_the_first_k_of_the_ideal_ranking_count_where_ways_are_screened() -> None:
    """As the six judged documents and those that turn out relevant are more than k."""
    judged = {"d7": 2.0, "d6": 1.0, "d8": 1.0, "d2": 0.5, "d4": 0.5, "d11": 0.5}
    run = {"d7": 7.0, "d4": 7.0, "d10": 7.0, "d1": 5.0, "d3": 5.0, "d0": 2.0, "d9": 1.0, "d11": 1.0}
    measure = tr.parse_measure("nDCG(gain='exp')@3")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(UNJUDGED, "LIMIT", 1)
        found = tr.bounds({"q": judged}, {"q": run}, [measure], "unjudged")
    values = by_oracle(measure, list(judgements(judged, run, found.grades)))
    got = found.unjudged[str(measure)]
    assert (got.lowest, got.highest) == pytest.approx((min(values), max(values)), abs=1e-12)


def test_a_small_world_is_tried_in_every_way() -> None:
    found = tr.bounds({"q": {"a": 1, "b": 2}}, {"q": list("axbyz")}, MEASURES, "unjudged")
    assert all(each.searched == 0 for each in found.unjudged.values())
    assert found.open == 3


def test_the_number_of_relevant_documents_grows_with_what_turns_out_relevant() -> None:
    found = tr.bounds({"q": {"a": 1}}, {"q": ["a", "x", "y"]}, "R@1 P@3 AP", "unjudged").unjudged
    assert (found["R@1"].lowest, found["R@1"].highest) == (1 / 3, 1.0)
    assert (found["P@3"].lowest, found["P@3"].highest) == (1 / 3, 1.0)
    assert found["AP"].lowest == (1 + 2 / 3) / 2


def test_a_collection_without_a_relevant_grade_is_given_one() -> None:
    found = tr.bounds({"q": {"a": 0}}, {"q": ["a", "x"]}, "RR", "unjudged")
    assert found.grades == (0.0, 1.0)
    assert found.unjudged["RR"].highest == 0.5
    assert tr.bounds({"q": {"a": 2}}, {"q": ["a", "x"]}, "RR", "unjudged").grades == (0.0, 2.0)


def test_depth_leaves_documents_below_it_alone() -> None:
    run = {"q": ["a", *(f"x{i}" for i in range(20))]}
    found = tr.bounds({"q": {"a": 1}}, run, "R@5", "unjudged", rules={"depth": 3})
    assert (found.open, found.unjudged["R@5"].lowest) == (2, 1.0)


@pytest.mark.parametrize("rules", [{"unjudged": "removed"}, {"unreturned": "ignore"}, {"depth": 2}, {"level": 2}])
def test_under_any_rules_values_are_evaluate_s_and_lie_between_the_bounds(rules: dict[str, Any]) -> None:
    shuffled = random.Random(3)
    qrels = {f"q{n}": {d: shuffled.choice([-1, 0, 1, 2]) for d in DOCS[:5]} for n in range(6)}
    run = {q: {d: float(shuffled.randint(0, 2)) for d in shuffled.sample(DOCS, 5)} for q in qrels}
    scores = tr.evaluate(qrels, run, MEASURES, rules=rules)
    found = tr.bounds(qrels, run, MEASURES, rules=rules)
    for name, values in scores.columns.items():
        for each in (found.ties[name], found.unjudged[name]):
            assert each.values.tolist() == values.tolist(), name
            assert (each.low <= values).all()
            assert (values <= each.high).all()


def test_what_is_looked_at_together_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    qrels = {f"q{n}": {"a": 1, "b": 2, "c": n % 2} for n in range(3)}
    run = {q: {d: float(i // 2) for i, d in enumerate(["x", "a", "y", "b", "c"])} for q in qrels}
    whole = tr.bounds(qrels, run, MEASURES)
    asked = tr.judge_next(qrels, run, {q: ["y", "a"] for q in qrels}, "AP", 50)
    monkeypatch.setattr(ways, "ROWS", 1)
    assert asked == tr.judge_next(qrels, run, {q: ["y", "a"] for q in qrels}, "AP", 50)
    for threads in (1, 3):
        parts = tr.bounds(qrels, run, MEASURES, threads=threads)
        for name in whole.ties:
            for one, other in ((whole.ties[name], parts.ties[name]), (whole.unjudged[name], parts.unjudged[name])):
                assert (one.low.tolist(), one.high.tolist()) == (other.low.tolist(), other.high.tolist()), name


@SMALL
@given(OPEN, OPEN, st.sampled_from([m for m in MEASURES if m.definition.average != "geometric"]))
def test_candidates_are_those_that_judging_one_document_moves(
    one: tuple[Grades, Scores], other: tuple[Grades, Scores], measure: Measure
) -> None:
    qrels = {"q": one[0], "p": other[0]}
    a, b = {"q": one[1], "p": other[1]}, {"p": one[1], "q": other[1]}
    found = tr.judge_next(qrels, a, b, measure, 100)

    def difference(judged: dict[str, Grades]) -> float:
        means = [tr.evaluate(judged, run, [measure]).mean[str(measure)] for run in (a, b)]
        return means[0] - means[1]

    now = difference(qrels)
    assert found.difference == pytest.approx(now, abs=1e-12)
    grades = tr.bounds(qrels, a, measure, "unjudged").grades
    if max(grades) > max([0.0, *one[0].values(), *other[0].values()]):
        return  # then a relevant grade raises the scale of measures that know the highest grade
    expected = {}
    for query in qrels:
        for doc in sorted({*a[query], *b[query]}):
            if qrels[query].get(doc, -1) < 0:
                could = [difference({**qrels, query: {**qrels[query], doc: grade}}) for grade in grades]
                expected[query, doc] = (min(now, *could), max(now, *could))
    assert found.open == len(expected)
    for candidate in found.candidates:
        limits = expected.pop((candidate.query, candidate.doc))
        assert (candidate.low, candidate.high) == pytest.approx(limits, abs=1e-12)
    assert all(high - low < 1e-12 for low, high in expected.values())
    swings = [candidate.swing for candidate in found.candidates]
    assert all(after < before + 1e-12 for before, after in itertools.pairwise(swings))


@pytest.mark.parametrize("measure", ["AP", "nDCG@10"])
def test_candidates_that_could_move_as_much_stand_by_query_and_then_by_rank(measure: str) -> None:
    chance = random.Random(0)
    qrels = {f"q{n}": {f"d{doc}": chance.randrange(2) for doc in chance.sample(range(40), 5)} for n in range(9)}
    a, b = ({query: [f"d{doc}" for doc in chance.sample(range(40), 20)] for query in qrels} for _ in range(2))
    found = tr.judge_next(qrels, a, b, measure, 100).candidates
    ranks = [(one.query, one.rank_a or 99, one.rank_b or 99) for one in found]
    ties = [i for i, (one, other) in enumerate(itertools.pairwise(found)) if abs(one.swing - other.swing) < 1e-12]
    assert len(ties) > 5
    assert all(ranks[i] < ranks[i + 1] for i in ties)


@pytest.mark.parametrize("seed", range(50))
def test_as_many_judgements_turn_the_order_as_make_the_difference_up_exactly(seed: int) -> None:
    chance = random.Random(seed)
    docs, queries = [f"d{n}" for n in range(8)], range(chance.choice([1, 3, 5, 6, 7, 10]))
    qrels = {f"q{n}": {doc: chance.randrange(2) for doc in chance.sample(docs, 3)} for n in queries}
    a, b = ({query: chance.sample(docs, 4)[:3] for query in qrels} for _ in range(2))
    of_both = [sum(qrels[q].get(doc, 0) for doc in run[q]) for run in (a, b) for q in qrels]
    now = sum(of_both[: len(qrels)]) - sum(of_both[len(qrels) :])  # in thirds of a query
    found = tr.judge_next(qrels, a, b, "P@3", 1000)
    behind = b if now >= 0 else a
    helping = sum(one.doc in behind[one.query] for one in found.candidates)
    assert found.turning == (max(1, abs(now)) if found.candidates and abs(now) <= helping else 0)


def test_a_repeated_document_is_judged_once_where_it_came_first() -> None:
    found = tr.bounds({"q": {"a": 1}}, {"q": ["x", "a", "x"]}, "P@3 AP", "unjudged", rules={"duplicates": "once"})
    limits = {name: (one.low.tolist(), one.high.tolist()) for name, one in found.unjudged.items()}
    assert limits == {"P@3": ([1 / 3], [2 / 3]), "AP": ([0.5], [1.0])}


def test_a_document_that_one_run_alone_returned_counts_against_the_other() -> None:
    found = tr.judge_next({"q": {"a": 1}}, {"q": ["a", "x"]}, {"q": ["a"]}, "R@5")
    assert [(c.doc, c.rank_a, c.rank_b, c.low, c.high) for c in found.candidates] == [("x", 2, None, 0.0, 0.5)]
    assert "1 of 1 unjudged documents." in report.candidate_table(found).notes[0]


def test_runs_that_agree_have_nothing_to_judge() -> None:
    found = tr.judge_next({"q": {"a": 1}}, {"q": ["a", "x"]}, {"q": ["a", "x"]}, "AP")
    assert (found.candidates, found.open) == ((), 1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda q, r: tr.bounds(q, r, "RR", "holes"), "bounds are of ties or unjudged"),
        (lambda q, r: tr.bounds(q, r, "RR", 5), "bounds are of ties or unjudged, not of 5"),
        (lambda q, r: tr.bounds(q, r, "RR", ()), "of names ties, unjudged or both"),
        (lambda q, r: tr.bounds(q, r, "RR", samples=1), "samples is 2 or more"),
        (lambda q, r: tr.bounds(q, r, "RR", samples="9"), "samples is 2 or more"),
        (lambda q, r: tr.bounds(q, r, []), "no measure is named"),
        (lambda q, r: tr.bounds(q, r, "RR", rules="science-qa"), "bounds are of judged queries"),
        (
            lambda q, r: tr.bounds(q, {"q": ["x", "x"]}, "RR", rules={"duplicates": "count"}),
            "could not be judged twice",
        ),
        (lambda q, r: tr.judge_next(q, r, r, "GMAP"), "the mean of GMAP is geometric"),
        (lambda q, r: tr.judge_next(q, r, r, "AP", 0), "how many to judge is 1 or more"),
        (lambda q, r: tr.judge_next(q, r, r, "AP", 1.5), "how many to judge is 1 or more"),
        (lambda q, r: tr.judge_next(q, r, {}, "AP", rules={"missing": "skip"}), "scored on different queries"),
    ],
)
def test_what_cannot_be_bounded_is_told(call: Any, message: str) -> None:
    with pytest.raises(tr.TruerankError, match=message):
        call({"q": {"a": 1}}, {"q": ["a", "x"]})


def test_nothing_answered_and_nothing_judged_are_bounds_too() -> None:
    for run in ({}, {"q": {}}, {"p": ["x"]}):
        found = tr.bounds({"q": {"a": 1}}, run, MEASURES)
        assert all(math.isfinite(each.lowest) and each.lowest == each.highest for each in found.ties.values())
        assert found.open == 0
    empty = tr.bounds({}, {"q": ["a"]}, "AP")
    assert (empty.unjudged["AP"].lowest, empty.ties["AP"].expected_mean) == (0.0, 0.0)


def test_a_measure_of_one_s_own_is_bounded_and_never_called_sure_by_search() -> None:
    @tr.measure("Odd", unit=False)
    def odd(hits: tr.Hits) -> Any:
        """The sum of the ranks."""
        return hits.sum(hits.rank)

    try:
        run = {"q": {**{f"x{i}": 1.0 for i in range(60)}, "a": 1.0}}
        found = tr.bounds({"q": {"a": 1}}, run, ["Odd"])
        assert (found.ties["Odd"].lowest, found.ties["Odd"].highest) == (1, 61)
        assert found.unjudged["Odd"].searched == 1
    finally:
        tr.unregister("Odd")


@pytest.mark.parametrize(
    ("declared", "tied", "open_"),
    [
        ({}, [1, 1], [1, 1]),
        ({"monotone": "no"}, [0, 1], [0, 1]),
        ({"monotone": "ordered", "sees_judged": False}, [0, 0], [0, 1]),
        ({"monotone": "rising"}, [0, 0], [0, 0]),
    ],
)
def test_bounds_of_a_measure_of_one_s_own_are_exact_only_as_far_as_it_declares(
    declared: Any, tied: list[int], open_: list[int]
) -> None:
    @tr.measure("Mine", unit=False, **declared)
    def mine(hits: tr.Hits, *, level: float = 1) -> Any:
        """How many relevant documents were returned."""
        return hits.sum(hits.grade >= level)

    few: dict[str, float] = {"x": 1.0, "a": 1.0}
    try:
        for n, run in enumerate((few, {f"d{i}": 1.0 for i in range(60)})):
            found = tr.bounds({"q": {"a": 1, "d1": 1, "d2": 2}}, {"q": run}, "Mine")
            assert (found.ties["Mine"].searched, found.unjudged["Mine"].searched) == (tied[n], open_[n])
        assert tr.bounds({"q": {"a": 1}}, {"q": ["a"]}, "Mine").unjudged["Mine"].searched == 0  # nothing is open
    finally:
        tr.unregister("Mine")


@pytest.mark.parametrize("name", tr.measures())
def test_every_measure_declares_how_it_follows_its_documents(name: str) -> None:
    definition = tr.measures()[name]
    assert definition.monotone is not None
    assert definition.sees_judged is not None


def test_geometric_means_and_counts_have_their_own_errors() -> None:
    judged = {f"q{n}": {f"d{i}": 1 for i in range(12)} for n in range(3)}
    run = {q: {f"d{i}": 1.0 for i in range(9, 40)} for q in judged}
    found = tr.bounds(judged, run, "GMAP AP NumRelRet", "ties", rules={"depth": 5}).ties
    gm, ap, count = (found[name].expected_error for name in ("GMAP", "AP", "NumRelRet"))
    assert gm == pytest.approx(ap, rel=0.5)
    assert count == pytest.approx(math.sqrt(float((found["NumRelRet"].error ** 2).sum())))


def test_measures_of_aspects_are_not_covered():
    judged = {"q": {"a": {"1": 1}}}
    with pytest.raises(tr.MeasureError, match="bounds do not cover StRecall: documents of one grade differ"):
        tr.bounds(judged, {"q": ["a"]}, "StRecall")
    with pytest.raises(tr.MeasureError, match="bounds do not cover StRecall: documents of one grade differ"):
        tr.judge_next(judged, {"q": ["a"]}, {"q": []}, "StRecall")


def test_unjudged_documents_that_decide_which_queries_count_are_refused():
    qrels, rules = {"q": {"a": 1}, "r": {"b": 0}}, {"without_relevant": "skip"}
    with pytest.raises(tr.RulesError, match=r"decide whether query r is in the mean.* 'zero' has some"):
        tr.bounds(qrels, {"q": ["a"], "r": ["b", "u"]}, "P@1", rules=rules)
    settled = tr.bounds(qrels, {"q": ["a", "u"], "r": ["b"]}, "P@2", rules=rules).unjudged["P@2"]
    assert (settled.lowest, settled.highest) == (0.5, 1.0)


@pytest.mark.parametrize("measure", ["INST", "ERR", "BPM", "nERR", "iRBU", "P@2", "nDCG"])
def test_no_judgement_leaves_the_limits_where_no_grade_was_relevant(measure):
    run = {"q": ["a", "u"], "r": ["v", "b"]}
    found = tr.bounds({"q": {"a": 0.5}, "r": {"b": 0.25}}, run, measure).unjudged[measure]
    for u, v in itertools.product((None, 0, 0.25, 0.5, 1), repeat=2):
        given = {"q": {"a": 0.5, "u": u}, "r": {"b": 0.25, "v": v}}
        qrels = {q: {doc: grade for doc, grade in own.items() if grade is not None} for q, own in given.items()}
        value = tr.evaluate(qrels, run, measure).mean[measure]
        assert found.lowest - 1e-12 <= value <= found.highest + 1e-12


def test_without_an_unjudged_document_the_limits_are_the_values() -> None:
    """Also of measures that are scaled by the highest grade, where none reaches the level."""
    for measure, found in tr.bounds(
        {"q": {"a": 1, "b": 1}}, {"q": ["a", "b"]}, MEASURES, rules={"level": 2}
    ).unjudged.items():
        assert found.low.tolist() == found.values.tolist() == found.high.tolist(), measure
