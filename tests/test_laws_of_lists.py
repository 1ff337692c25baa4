"""Laws of the measures that see whole lists, unjudged documents and all: of a run, or of what its documents are."""

from __future__ import annotations

import math
import pickle
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import truerank as tr
from oracles_lists import LISTS, Known, Listed
from test_laws import bits
from truerank.core.evaluate import ranked, read_catalogue, score
from truerank.measures import Measure, parse_measure
from worlds import DOCS, World, worlds

VARIANTS = {
    "GAP": ["GAP@2", "GAP(divisor='relevant')", "GAP(ties='worst')@3", "GAP(level=2, divisor='relevant')@4"],
    "microAP": ["microAP(ties='worst')", "microAP(ties='worst')@2", "microAP(level=2)"],
    "Coverage": ["Coverage(docs=40)", "Coverage(docs=40)@2"],
    "Gini": ["Gini(docs=40)", "Gini(docs=40)@2"],
    "Novelty": ["Novelty(users=50)", "Novelty(users=50)@2"],
    "ILD": ["ILD(distance='hamming')", "ILD(distance='jaccard')@3", "ILD(distance='jaccard')"],
    "AWRF": [
        *("AWRF(target='equal', relevant=0)", "AWRF(relevant=1)@3", "AWRF(bits=True)", "AWRF(attention='log2')"),
        *("AWRF(target={'x': 1, 'z': 2.5})@4", "AWRF(attention=(1, 0.5), target={'w': 1}, bits=True, level=2)"),
    ],
}

NAMES = tuple(name for name, definition in tr.measures().items() if definition.sees_lists)

MEASURES: tuple[Measure, ...] = tuple(
    dict.fromkeys(
        parse_measure(text) for name in NAMES for text in (name, f"{name}@1", f"{name}@3", *VARIANTS[name])
    )
)
SINGLE = tuple(m for m in MEASURES if not m.definition.is_of_run)
OF_RUN = tuple(m for m in MEASURES if m.definition.is_of_run)

CHEAP = settings(max_examples=50)

GROUPS = st.lists(st.sampled_from("wxyz"), unique=True, max_size=2).map(tuple)

KNOWN = st.builds(
    Known,
    st.fixed_dictionaries(dict.fromkeys(DOCS[:10], st.integers(0, 40))),
    st.fixed_dictionaries(dict.fromkeys(DOCS[:8], GROUPS)),
    st.fixed_dictionaries(dict.fromkeys(DOCS[2:10], st.tuples(*[st.integers(-1, 2)] * 3))),
)
"""What is known of some documents; others are in no table."""


def items(known: Known) -> dict[str, dict[str, Any]]:
    """The table as it is given."""
    columns = {"popularity": known.popularity, "groups": known.groups, "vector": known.vectors}
    return {doc: {name: column.get(doc) for name, column in columns.items()} for doc in known.popularity}


def scored(qrels: Any, run: Any, known: Known, measures: tuple[Measure, ...] = MEASURES, **rules: Any) -> tr.Scores:
    return tr.evaluate(qrels, run, measures, items=items(known), rules=rules)


def listed(world: World) -> list[Listed]:
    rows = {q: [(doc, world.run[q][doc], world.qrels[q].get(doc)) for doc in world.ranked(q)] for q in world.qrels}
    return [Listed(rows[query], world.qrels[query]) for query in sorted(world.qrels)]


def numbers(scores: tr.Scores) -> dict[str, bytes]:
    """Every value, to the bit."""
    return {name: bits(np.asarray(each)) for name, each in (*scores.columns.items(), *scores.mean.items())}


def test_every_measure_of_lists_is_tried_with_every_parameter() -> None:
    assert set(NAMES) == set(LISTS) == set(VARIANTS)
    for name in NAMES:
        tried = {key for m in MEASURES if m.name == name for key, _ in m.params}
        assert set(tr.measures()[name].parameters) - {"level"} <= tried, name


@settings(max_examples=150)
@given(worlds(st.sampled_from([-2, -1, 0, 0.5, 1, 2, 3])), KNOWN)
def test_every_measure_of_lists_equals_its_oracle(world: World, known: Known) -> None:
    scores, answers = scored(world.qrels, world.run, known), listed(world)
    for m in MEASURES:
        params = dict(m.params)
        expected = LISTS[m.name](answers, known, **params)
        got = scores.mean[m] if m.definition.is_of_run else scores[m].tolist()
        assert got == pytest.approx(expected, rel=1e-12, abs=1e-12), str(m)
        assert np.isfinite(got).all()
        if m.definition.unit:
            assert np.min(got) >= 0
            assert np.max(got) <= 1 + 1e-12


@CHEAP
@given(worlds(queries=5), KNOWN, st.lists(st.booleans(), min_size=5, max_size=5))
def test_a_partition_of_the_queries_is_that_run_by_itself(world: World, known: Known, side: list[bool]) -> None:
    whole = scored(world.qrels, world.run, known)
    keep = np.array(side[: len(whole.queries)])
    names = [query for query, kept in zip(whole.queries, keep, strict=True) if kept]
    if not names:
        return
    own = scored({q: world.qrels[q] for q in names}, {q: world.run[q] for q in names}, known)
    for m in SINGLE:
        assert bits(whole[m][keep]) == bits(own[m]), str(m)
    for m in OF_RUN:
        assert whole.of_run[str(m)].at(keep.astype(np.int64)) == own.mean[m], str(m)


@CHEAP
@given(worlds(queries=4), KNOWN, st.lists(st.integers(0, 3), min_size=4, max_size=4))
def test_a_query_that_counts_n_times_is_as_n_queries_of_that_kind(world: World, known: Known, n: list[int]) -> None:
    whole = scored(world.qrels, world.run, known, OF_RUN)
    times = np.array(n[: len(whole.queries)])
    copies = {f"{q}-{copy}": q for q, many in zip(whole.queries, times, strict=True) for copy in range(many)}
    if not copies:
        return
    own = scored(
        {c: world.qrels[q] for c, q in copies.items()}, {c: world.run[q] for c, q in copies.items()}, known, OF_RUN
    )
    for m in OF_RUN:
        assert whole.of_run[str(m)].at(times) == pytest.approx(own.mean[m], abs=1e-12), str(m)


@CHEAP
@given(worlds(), KNOWN, st.data())
def test_neither_parts_nor_the_order_of_rows_change_a_bit(world: World, known: Known, data: st.DataObject) -> None:
    rows = [(query, doc, value) for query, docs in world.run.items() for doc, value in docs.items()]
    of_query = {query: data.draw(st.integers(0, 2)) for query in world.run}
    parts: list[list[tuple[str, str, float]]] = [[], [], []]
    for row in data.draw(st.permutations(rows)):
        parts[of_query[row[0]]].append(row)
    chosen, table = list(MEASURES), read_catalogue(items(known))
    runs = [text(rows), *map(text, parts)]
    whole, *readings = [tr.read(world.qrels, run, keep="all") for run in runs]
    shuffled = random.Random(world.seed).sample(readings, len(readings))
    assert numbers(score(whole, chosen, table)) == numbers(score(tr.merge(shuffled), chosen, table))


def text(rows: list[tuple[str, str, float]]) -> tr.Run:
    lines = "".join(f"{query} Q0 {doc} 1 {value!r} tag\n" for query, doc, value in rows).encode()
    return tr.Run("part", lambda: iter([lines]))


@CHEAP
@given(worlds(ties=False), KNOWN, st.permutations(DOCS))
def test_renaming_documents_changes_nothing_without_ties(world: World, known: Known, names: list[str]) -> None:
    new = dict(zip(DOCS, names, strict=True))

    def renamed(docs: dict[str, Any]) -> dict[str, Any]:
        return {new[doc]: value for doc, value in docs.items()}

    qrels, run = ({q: renamed(docs) for q, docs in each.items()} for each in (world.qrels, world.run))
    other = Known(renamed(known.popularity), renamed(known.groups), renamed(known.vectors))
    one, two = scored(world.qrels, world.run, known), scored(qrels, run, other)
    for m in MEASURES:
        assert one.mean[m] == pytest.approx(two.mean[m], abs=1e-12), str(m)


@CHEAP
@given(worlds(), KNOWN)
def test_a_reading_of_the_first_ranks_is_enough_for_a_cutoff(world: World, known: Known) -> None:
    cut = tuple(m for m in MEASURES if m.cutoff)
    whole = score(tr.read(world.qrels, world.run, keep="all"), list(cut), read_catalogue(items(known)))
    assert numbers(whole) == numbers(scored(world.qrels, world.run, known, cut))


@CHEAP
@given(worlds(st.integers(0, 2), ties=False), KNOWN)
def test_a_right_answer_with_a_better_score_never_lowers_it_where_the_wrong_come_first(
    world: World, known: Known
) -> None:
    found = [(q, doc) for q, docs in world.run.items() for doc in docs if world.qrels[q].get(doc, 0) >= 1]
    measures = (parse_measure("microAP(ties='worst')"),)
    before = scored(world.qrels, world.run, known, measures)
    for query, doc in found:
        raised = {**world.run[query], doc: world.run[query][doc] + 0.5}
        after = scored(world.qrels, {**world.run, query: raised}, known, measures)
        assert after.mean[measures[0]] >= before.mean[measures[0]] - 1e-12


@pytest.mark.parametrize("m", MEASURES, ids=str)
def test_it_prints_as_it_parses_and_survives_pickling(m: Measure) -> None:
    assert parse_measure(str(m)) == m
    copy = pickle.loads(pickle.dumps(m))
    assert (copy, hash(copy), copy.definition) == (m, hash(m), m.definition)


@pytest.mark.parametrize("name", NAMES)
def test_a_measure_of_lists_is_refused_where_only_judged_documents_are_seen(name: str) -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 2.0, "x": 1.0}}
    with pytest.raises(tr.MeasureError, match=r"whole run|all that is listed"):
        parse_measure(name).values(ranked(tr.read(qrels, run)))
    for ask in (tr.bounds, lambda *given: tr.explain(*given[:2], "q", given[2])):
        with pytest.raises(tr.MeasureError, match="all that a run lists"):
            ask(qrels, run, name)
    with pytest.raises(tr.InputError, match=r"keep='all'|keep=1"):
        tr.evaluate(tr.read(qrels, run), measures=name)


@CHEAP
@given(worlds(), KNOWN)
def test_scores_with_a_measure_of_the_run_survive_pickling(world: World, known: Known) -> None:
    scores = scored(world.qrels, world.run, known)
    assert numbers(pickle.loads(pickle.dumps(scores))) == numbers(scores)
    assert math.isfinite(sum(scores.mean.values()))
