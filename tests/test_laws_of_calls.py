"""Laws of runs with several lists per query: of the measures of calls, and of all others under rules for calls."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import truerank as tr
from oracles import ORACLES, Answer
from test_laws import MEASURES as OF_ONE_LIST
from test_laws import TRIED, bits
from truerank.measures import parse_measure
from worlds import DOCS, QUERIES, SCORES, falling

MEASURES = tuple(m for m in OF_ONE_LIST if not m.definition.needs)

OF_CALLS = tuple(m for m in TRIED if m.definition.needs == "calls")

CHEAP = settings(max_examples=25)

Lists = list[dict[str, float]]


@dataclass(frozen=True)
class Sessions:
    """Judgements, several lists per query, and a seed for whatever is shuffled."""

    qrels: dict[str, dict[str, float]]
    run: dict[str, Lists]
    seed: int = 0

    @property
    def nested(self) -> dict[str, list[list[tuple[str, float]]]]:
        """As Python has such runs."""
        return {query: [list(docs.items()) for docs in lists] for query, lists in self.run.items()}

    def ranked(self, query: str) -> list[list[str]]:
        """The documents of each call, best first, ties by document descending."""
        lists = self.run.get(query, [])
        return [sorted(sorted(docs, reverse=True), key=docs.__getitem__, reverse=True) for docs in lists]

    def one_list(self, query: str) -> list[str]:
        """The lists one after another, each document where it came first."""
        return list(dict.fromkeys(doc for docs in self.ranked(query) for doc in docs))

    def answer(self, query: str) -> Answer:
        grades = self.qrels[query]
        lists = tuple(tuple((doc, grades.get(doc)) for doc in docs) for docs in self.ranked(query))
        highest = max([0.0, *(grade for judged in self.qrels.values() for grade in judged.values())])
        return Answer([], list(grades.values()), highest, [], lists=lists)


def sessions(
    grades: st.SearchStrategy[float] = st.integers(-2, 4),  # noqa: B008
    *,
    ties: bool = True,
    queries: int = 4,
) -> st.SearchStrategy[Sessions]:
    doc = st.sampled_from(DOCS)
    scored = st.dictionaries(doc, st.sampled_from(SCORES), max_size=7)
    one = scored if ties else st.lists(doc, unique=True, max_size=7).map(falling)
    both = st.tuples(st.dictionaries(doc, grades, max_size=8), st.lists(one, min_size=1, max_size=4))
    pairs = st.dictionaries(st.sampled_from(QUERIES), both, min_size=1, max_size=queries)
    return st.builds(_sessions, pairs, st.integers(0, 2**16))


def _sessions(pairs: dict[str, tuple[dict[str, float], Lists]], seed: int) -> Sessions:
    qrels = {query: judged for query, (judged, _) in pairs.items()}
    return Sessions(qrels, {query: lists for query, (_, lists) in pairs.items()}, seed)


def values(reading: tr.Reading) -> dict[str, bytes]:
    scores = tr.evaluate(reading, measures=OF_CALLS)
    return {str(m): bits(scores[m]) for m in OF_CALLS}


@settings(max_examples=150)
@given(sessions(st.sampled_from([-2, -1, 0, 1, 2, 3, 0.5, 2.25])), st.sampled_from([1, 2, 0.5]))
def test_every_measure_of_calls_equals_its_oracle(world: Sessions, level: float) -> None:
    scores = tr.evaluate(world.qrels, world.nested, OF_CALLS, rules={"level": level})
    for m in OF_CALLS:
        params = dict(m.params)
        if "level" in m.definition.parameters:
            params.setdefault("level", level)
        if params.get("gain") == "binary" and "gain_from" in m.definition.parameters:
            params.setdefault("gain_from", level)
        expected = [ORACLES[m.name](world.answer(query), **params) for query in scores.queries]
        assert scores[m] == pytest.approx(expected, rel=1e-12, abs=1e-12), str(m)
        assert not m.definition.unit or (scores[m] <= 1 + 1e-12).all(), str(m)


@CHEAP
@given(sessions(queries=5), st.lists(st.booleans(), min_size=5, max_size=5))
def test_a_partition_of_the_queries_changes_no_bit(world: Sessions, side: list[bool]) -> None:
    whole = tr.read(world.qrels, world.nested)
    keep = np.array(side[: len(whole)])
    for m in OF_CALLS:
        own = m.values(whole.hits)
        for kept in (keep, ~keep):
            assert bits(own[kept]) == bits(m.values(whole.hits.select(kept))), str(m)


@CHEAP
@given(sessions())
def test_parts_merge_and_readings_travel_without_changing_a_bit(world: Sessions) -> None:
    whole = tr.read(world.qrels, world.nested)
    parts = [tr.read(world.qrels, {query: lists}) for query, lists in world.nested.items()]
    shuffled = random.Random(world.seed).sample(parts, len(parts))
    assert values(tr.merge(shuffled)) == values(whole)
    assert values(tr.Reading.from_arrow(whole.to_arrow())) == values(whole)
    assert values(tr.Reading.from_arrow(whole.to_arrow(judgements=False), whole.qrels)) == values(whole)


def rows(world: Sessions) -> list[tuple[str, int, str, float]]:
    return [
        (query, call, doc, score)
        for query, lists in world.run.items()
        for call, docs in enumerate(lists, 1)
        for doc, score in docs.items()
    ]


def columns(some: list[tuple[str, int, str, float]]) -> dict[str, list[Any]]:
    names = ("query_id", "call", "doc_id", "score")
    return dict(zip(names, map(list, zip(*some, strict=True)), strict=True))


@CHEAP
@given(sessions())
def test_the_order_of_input_rows_changes_no_bit(world: Sessions) -> None:
    there = rows(world)
    if there:
        shuffled = random.Random(world.seed).sample(there, len(there))
        assert values(tr.read(world.qrels, columns(shuffled))) == values(tr.read(world.qrels, columns(there)))


@CHEAP
@given(sessions(ties=False))
def test_concatenated_is_the_one_list_that_the_calls_make(world: Sessions) -> None:
    one = {query: falling(world.one_list(query)) for query in world.run}
    plain = tr.evaluate(world.qrels, one, MEASURES)
    joined = tr.evaluate(world.qrels, world.nested, MEASURES, rules={"calls": "concatenated"})
    assert [str(m) for m in MEASURES if bits(plain[m]) != bits(joined[m])] == []
    assert joined.ledger.calls == sum(map(len, world.run.values()))
    returned = sum(len(docs) for lists in world.run.values() for docs in lists)
    assert joined.ledger.again == returned - joined.ledger.returned


@CHEAP
@given(sessions())
def test_last_is_the_list_of_the_last_call(world: Sessions) -> None:
    plain = tr.evaluate(world.qrels, {query: lists[-1] for query, lists in world.run.items()}, MEASURES)
    last = tr.evaluate(world.qrels, world.nested, MEASURES, rules={"calls": "last"})
    assert [str(m) for m in MEASURES if bits(plain[m]) != bits(last[m])] == []


@CHEAP
@given(sessions(), st.sampled_from(["removed", "ignored"]))
def test_what_leaves_the_lists_leaves_each_call(world: Sessions, how: str) -> None:
    judged = {query: {doc for doc, grade in docs.items() if grade >= 0} for query, docs in world.qrels.items()}
    gone = {query: {d for d in DOCS if (how == "removed") == (d not in judged[query])} for query in judged}
    left = {
        query: [[(d, s) for d, s in docs.items() if d not in gone[query]] for docs in lists]
        for query, lists in world.run.items()
    }
    qrels, rules = world.qrels, {"unjudged": "removed"}
    if how == "ignored":
        some = {q: {d: g for d, g in docs.items() if d not in gone[q]} for q, docs in qrels.items()}
        qrels = {q: {**docs, **dict.fromkeys(gone[q], tr.core.qrels.IGNORED)} for q, docs in some.items()}
        rules = {}
        expected = tr.evaluate(some, left, OF_CALLS)
    else:
        expected = tr.evaluate(qrels, left, OF_CALLS)
    found = tr.evaluate(qrels, world.nested, OF_CALLS, rules=rules)
    assert [str(m) for m in OF_CALLS if bits(found[m]) != bits(expected[m])] == []


@CHEAP
@given(sessions(ties=False), st.integers(1, 5))
def test_a_depth_is_a_budget_of_documents_over_all_calls(world: Sessions, depth: int) -> None:
    cut: dict[str, Any] = {}
    for query in world.run:
        read = set(world.one_list(query)[:depth])
        cut[query] = [[(doc, -i) for i, doc in enumerate(docs) if doc in read] for docs in world.ranked(query)]
    found = tr.evaluate(world.qrels, world.nested, "CallRecall@2 FirstComplete@3", rules={"depth": depth})
    expected = tr.evaluate(world.qrels, cut, "CallRecall@2 FirstComplete@3")
    assert found.mean == expected.mean


@CHEAP
@given(sessions(ties=False), st.integers(0, 30))
def test_a_budget_cuts_each_query_where_it_is_spent(world: Sessions, budget: int) -> None:
    lengths = {doc: float(place) for place, doc in enumerate(DOCS)}
    cut: dict[str, Any] = {}
    for query in world.run:
        docs = world.one_list(query)
        read = {doc for n, doc in enumerate(docs, 1) if sum(lengths[d] for d in docs[:n]) <= budget}
        cut[query] = [[(doc, -i) for i, doc in enumerate(docs) if doc in read] for docs in world.ranked(query)]
    reading = tr.read(world.qrels, world.nested, keep="all").within(budget, lengths)
    expected = tr.evaluate(world.qrels, cut, OF_CALLS)
    found = tr.evaluate(reading, measures=OF_CALLS)
    assert [str(m) for m in OF_CALLS if bits(found[m]) != bits(expected[m])] == []
    rules = {"calls": "concatenated"}
    reading = tr.read(world.qrels, world.nested, keep="all", rules=rules).within(budget, lengths)
    plain = tr.evaluate(world.qrels, cut, MEASURES, rules=rules)
    joined = tr.evaluate(reading, measures=MEASURES)
    assert [str(m) for m in MEASURES if bits(plain[m]) != bits(joined[m])] == []


def test_a_budget_needs_every_length_and_every_row() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": ["x", "a"]}
    with pytest.raises(tr.InputError, match="keep='all'"):
        tr.read(qrels, run).within(9, {"x": 1, "a": 1})
    reading = tr.read(qrels, run, keep="all")
    for lengths in ({"x": 1}, {"x": -1, "a": 1}, {"x": float("nan"), "a": 1}):
        with pytest.raises(tr.InputError, match="has no length"):
            reading.within(9, lengths)


@CHEAP
@given(sessions(st.integers(0, 3), ties=False), st.integers(1, 3))
def test_a_relevant_document_in_an_earlier_call_never_makes_it_worse(world: Sessions, call: int) -> None:
    query = next(iter(world.qrels))
    lists = world.ranked(query)
    if len(lists) <= call or not lists[call]:
        return
    doc = random.Random(world.seed).choice(lists[call])
    moved = [[d for d in docs if d != doc] if i == call else docs for i, docs in enumerate(lists)]
    moved[call - 1] = [*[d for d in moved[call - 1] if d != doc], doc]
    before, after = (
        tr.evaluate({query: world.qrels[query]}, {query: each}, "CallRecall@1,2,3 FirstComplete@9").mean
        for each in ([*lists, ["x"]], [*moved, ["x"]])
    )
    assert all(after[name] >= before[name] for name in before if name.startswith("CallRecall"))
    assert after["FirstComplete@9"] <= before["FirstComplete@9"]


@CHEAP
@given(sessions(ties=False))
def test_one_call_is_a_plain_list(world: Sessions) -> None:
    one = {query: [lists[0]] for query, lists in world.run.items()}
    nested = {query: [list(docs.items()) for docs in lists] for query, lists in one.items()}
    plain = tr.evaluate(world.qrels, {query: lists[0] for query, lists in one.items()}, "SetR DCG@3 nDCG@3")
    found = tr.evaluate(world.qrels, nested, "CallRecall@1 SessionDCG@3 nSessionDCG(calls=1)@3")
    for one_name, other in zip(plain.columns.values(), found.columns.values(), strict=True):
        assert one_name == pytest.approx(other, abs=1e-12)


@CHEAP
@given(st.lists(st.integers(1, 4), min_size=1, max_size=8))
def test_the_best_session_scores_1(grades: list[int]) -> None:
    qrels = dict(zip(DOCS, sorted(grades, reverse=True), strict=False))
    one_a_call = {"q": [[doc] for doc in qrels]}
    assert tr.evaluate({"q": qrels}, one_a_call, "nSessionDCG@1").mean == {"nSessionDCG@1": 1.0}
    names = "CallRecall@9 FirstComplete@9"
    assert list(tr.evaluate({"q": qrels}, one_a_call, names).mean.values()) == [1.0, float(len(grades))]


@CHEAP
@given(sessions(ties=False))
def test_repeats_keep_their_ranks_or_gain_again_where_rules_say_so(world: Sessions) -> None:
    for how in ("once", "count"):
        found = tr.evaluate(world.qrels, world.nested, "SessionDCG", rules={"duplicates": how})["SessionDCG"]
        for value, query in zip(found, sorted(world.run), strict=True):
            total, seen = 0.0, set[str]()
            for call, docs in enumerate(world.ranked(query), 1):
                for rank, doc in enumerate(docs, 1):
                    gain = max(world.qrels[query].get(doc, 0), 0)
                    total += (
                        0 if how == "once" and doc in seen else gain / np.log2(rank + 1) / (1 + np.log2(call) / 2)
                    )
                    seen.add(doc)
            assert value == pytest.approx(total, abs=1e-12)


@CHEAP
@given(sessions())
def test_explanations_say_what_evaluation_says(world: Sessions) -> None:
    scores = tr.evaluate(world.qrels, world.nested, OF_CALLS)
    query = scores.queries[0]
    for m in OF_CALLS:
        why = tr.explain(world.qrels, world.nested, query, m)
        assert why.value == scores[m][0]
        assert why.worked.value == pytest.approx(why.value, abs=1e-12), str(m)


@CHEAP
@given(sessions(st.integers(0, 2), queries=2))
@example(Sessions({"q0": {"d0": 0, "d1": 1}}, {"q0": [{"d0": 0.0, "d1": 0.0}]}, 0))
def test_bounds_of_ties_are_those_of_all_orders(world: Sessions) -> None:
    names = ["SessionDCG@2", "nSessionDCG(calls=2)", "CallRecall@2"]
    found = tr.bounds(world.qrels, world.nested, names, "ties")
    for place, query in enumerate(found.queries):
        orders = [
            list(itertools.chain.from_iterable(groups))
            for groups in itertools.product(*(itertools.permutations(group) for group in tied(world.run[query])))
        ]
        if len(orders) > 200:
            continue
        answers = []
        for order in orders:
            lists = [
                [(doc, -order.index((call, doc))) for doc in docs] for call, docs in enumerate(world.run[query])
            ]
            answers.append(tr.evaluate({query: world.qrels[query]}, {query: lists}, names).mean)
        for name in names:
            values = [each[name] for each in answers]
            assert found.ties[name].low[place] == pytest.approx(min(values), abs=1e-12)
            assert found.ties[name].high[place] == pytest.approx(max(values), abs=1e-12)


def tied(lists: Lists) -> list[list[tuple[int, str]]]:
    """The documents of each call, those of one score together, best first."""
    return [
        [(call, doc) for doc, score in docs.items() if score == value]
        for call, docs in enumerate(lists)
        for value in sorted(set(docs.values()), reverse=True)
    ]


def test_an_explanation_shows_the_call_of_each_document() -> None:
    qrels, run = {"q": {"b": 1}}, {"q": [["a"], ["a", "b"]]}
    why = tr.explain(qrels, run, "q", "SessionDCG")
    assert [(listed.doc, listed.rank, listed.call) for listed in why.documents] == [("a", 1, 1), ("b", 2, 2)]
    assert "rank  call  document" in str(why)
    why = tr.explain(qrels, run, "q", "RR", rules={"calls": "concatenated"})
    assert why.value == 0.5
    assert "The query has 2 lists, one per call; a document counts where it came first." in str(why)


def test_a_measure_of_calls_says_what_a_plain_run_lacks() -> None:
    for m in OF_CALLS:
        with pytest.raises(tr.MeasureError, match="is about several lists per query, and the run has one"):
            tr.evaluate({"q": {"a": 1}}, {"q": ["a"]}, [m])


def test_a_measure_of_one_list_says_what_to_do_about_several() -> None:
    for m in MEASURES:
        with pytest.raises(tr.MeasureError, match="say calls = 'concatenated'"):
            tr.evaluate({"q": {"a": 1}}, {"q": [["a"], ["b", "c"]]}, [m])
    assert parse_measure("SessionDCG@3").definition.needs == "calls"
