"""Laws of the measures that see whole lists, unjudged documents and all: of a run, or of what its documents are."""

from __future__ import annotations

import json
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
from truerank.analysis.explain import explain_each
from truerank.core.evaluate import ranked, read_catalogue, score
from truerank.measures import Measure, parse_measure
from worlds import DOCS, World, run_of, worlds

VARIANTS = {
    "GAP": ["GAP@2", "GAP(divisor='relevant')", "GAP(ties='worst')@3", "GAP(level=2, divisor='relevant')@4"],
    "microAP": ["microAP(ties='worst')", "microAP(ties='worst')@2", "microAP(level=2)"],
    "TPIR": ["TPIR(fpir=0)@2", "TPIR(fpir=0.4)", "TPIR(fpir=0.5, level=2)@3", "TPIR(fpir=1)"],
    "TPR": ["TPR(fpr=0)", "TPR(fpr=0.3)", "TPR(fpr=0.5, level=2)", "TPR(docs=40, fpr=0.02)", "TPR(fpr=1)"],
    "nAUC": [
        *(
            "nAUC(of='AP')",
            "nAUC(of='P@2', confidence='std')",
            "nAUC(of='RR', confidence='diff1')",
            "nAUC(depth=2)",
        ),
        "nAUC(of='R@3', level=2, confidence='std')",
    ],
    "Coverage": ["Coverage(docs=40)", "Coverage(docs=40)@2"],
    "Gini": ["Gini(docs=40)", "Gini(docs=40)@2"],
    "Novelty": ["Novelty(users=50)", "Novelty(users=50)@2"],
    "Entropy": [],
    "Popularity": [],
    "Serendipity": ["Serendipity(level=2)@2"],
    "PSnDCG": ["PSnDCG(users=500)@2", "PSnDCG(users=2)", "PSnDCG(a=0.5, b=0.4)", "PSnDCG(level=2, a=0)@4"],
    "PSP": ["PSP(users=500)@2", "PSP(users=2)", "PSP(a=0.5, b=0.4)", "PSP(level=2, a=0)@4"],
    "ILD": ["ILD(distance='hamming')", "ILD(distance='jaccard')@3", "ILD(distance='jaccard')"],
    "Exposure": [
        *("Exposure(attention='jk')", "Exposure(merit='relevant')", "Exposure(merit='relevant', level=2)@2"),
        "Exposure(attention=(1, 0.5), merit='relevant')",
    ],
    "AWRF": [
        *("AWRF(target='equal', relevant=0)", "AWRF(relevant=1)@3", "AWRF(bits=True)", "AWRF(attention='log2')"),
        *("AWRF(target={'x': 1, 'z': 2.5})@4", "AWRF(attention=(1, 0.5), target={'w': 1}, bits=True, level=2)"),
    ],
}

NAMES = tuple(name for name, definition in tr.measures().items() if definition.sees_lists)

MEASURES: tuple[Measure, ...] = tuple(
    dict.fromkeys(
        parse_measure(text)
        for name, definition in tr.measures().items()
        if definition.sees_lists
        for text in (name, *(f"{name}@{k}" for k in (1, 3) if "k" in definition.parameters), *VARIANTS[name])
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
    runs = [run_of(rows), *map(run_of, parts)]
    whole, *readings = [tr.read(world.qrels, run, keep="all") for run in runs]
    shuffled = random.Random(world.seed).sample(readings, len(readings))
    assert numbers(score(whole, chosen, table)) == numbers(score(tr.merge(shuffled), chosen, table))


def test_in_whichever_order_parts_are_merged_the_entropy_of_many_documents_has_the_same_bits() -> None:
    qrels = {f"q{n}": {"none": 1} for n in range(20)}
    lists = [{f"q{n}": [f"d{doc}" for doc in range(n, 20)]} for n in range(20)]
    parts = [tr.read(qrels, each, keep="all") for each in lists]
    merged = [tr.merge(random.Random(seed).sample(parts, len(parts))) for seed in range(9)]
    assert len({tr.evaluate(each, measures="Entropy").mean["Entropy"] for each in merged}) == 1


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


def test_a_catalogue_of_a_million_million_documents_is_counted_without_a_row_for_each() -> None:
    run, docs = {"q": ["a", "b"], "r": ["b"]}, 10**12
    found = tr.evaluate({"q": {}, "r": {}}, run, f"Coverage(docs={docs}) Gini(docs={docs})").mean
    gini = ((2 * (docs - 1) - docs - 1) * 1 + (2 * docs - docs - 1) * 2) / (docs * 3)
    assert list(found.values()) == [2 / docs, gini]


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
    with pytest.raises(tr.MeasureError, match="all that a run lists"):
        tr.bounds(qrels, run, name)
    with pytest.raises(tr.InputError, match=r"keep='all'|keep=1"):
        tr.evaluate(tr.read(qrels, run), measures=name)


@pytest.mark.parametrize("name", NAMES)
def test_a_measure_of_the_run_has_no_query_to_explain_and_others_need_their_table(name: str) -> None:
    of_run = tr.measures()[name].is_of_run
    error, said = (
        (tr.MeasureError, "one number of the whole run") if of_run else (tr.InputError, "table of the documents")
    )
    for ask in (tr.explain, tr.diff):
        given = ({"q": ["a", "x"]}, "q") if ask is tr.explain else ({"q": ["a", "x"]}, {"q": ["x"]})
        with pytest.raises(error, match=said):
            ask({"q": {"a": 1}}, *given, name)


RULES: dict[str, dict[str, Any]] = {
    "default": {},
    "removed": {"unjudged": "removed", "depth": 3},
    "depth": {"ties": "doc-ascending", "depth": 4, "without_relevant": "empty-is-right"},
    "graded": {"unjudged": "graded", "unjudged_grade": 1, "missing": "skip", "without_relevant": "undefined"},
    "returned": {"unreturned": "ignore", "ties": "input", "without_relevant": "skip"},
}


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
@settings(max_examples=10)
@given(worlds(st.sampled_from([-2, -1, 0, 0.5, 1, 2, 3]), queries=3), KNOWN)
def test_what_is_worked_out_is_what_evaluate_gives_to_the_bit(
    rules: dict[str, Any], world: World, known: Known
) -> None:
    scores, table = scored(world.qrels, world.run, known, SINGLE, **rules), items(known)
    for query in world.qrels:
        for why in explain_each(world.qrels, world.run, query, SINGLE, rules=rules, items=table):
            assert why.worked.is_derived
            assert why.worked.value.hex() == why.value.hex(), (why.measure, why.worked)
            assert why.is_counted == (query in scores.queries)
            if why.is_counted:
                assert why.value.hex() == float(scores[why.measure][scores.queries.index(query)]).hex(), why.measure
            if why.measure.name != "AWRF":
                assert sum(why.shares.values()) == pytest.approx(why.value, abs=1e-12)
            json.dumps(why.to_dict(), allow_nan=False)


@CHEAP
@given(worlds(), worlds(), KNOWN)
def test_what_moved_between_two_runs_is_the_difference_of_the_values(one: World, two: World, known: Known) -> None:
    both = [scored(one.qrels, run, known, SINGLE) for run in (one.run, two.run)]
    for found in tr.diff(one.qrels, one.run, two.run, list(SINGLE), items=items(known)):
        assert (found.better + found.worse + found.same, found.uncommon) == (len(one.qrels), 0)
        for move in found.queries:
            place = both[0].queries.index(move.query)
            assert [move.before, move.after] == [each[found.measure][place] for each in both]
            adding = [shift.change for shift in move.documents if shift.change is not None]
            if found.measure.name != "AWRF":
                assert sum(adding) == pytest.approx(move.change, abs=1e-9)


def test_the_documents_are_shown_as_what_they_add_judged_or_not() -> None:
    table = {
        "a": {"popularity": 4, "group": "x", "vector": [1, 0]},
        "b": {"popularity": 1, "group": ["x", "{y}"], "vector": [0, 2]},
        "c": {"popularity": 0, "vector": [3, 0]},
    }
    run = {"q": ["a", "u", "b", "c"]}
    novelty, ild, awrf = tr.explain({"q": {"a": 1}}, run, "q", "Novelty(users=4) ILD AWRF(relevant=0)", items=table)
    rows = [(term.doc, term.grade, term.text(), term.value) for term in novelty.worked.sums[0].terms]
    assert rows == [
        ("a", 1, "−log2(4 / 4)", 0.0),
        *((doc, None, "−log2(1 / 4)", 2.0) for doc in ("u", "b", "c")),
    ]
    rows = [(term.doc, term.text(0), term.value) for term in ild.worked.sums[0].terms]
    assert rows == [("a", "1 + 0", 1.0), ("b", "1", 1.0)]
    assert [(line.name, line.value) for line in ild.worked.lines[1:]] == [("n", 3), ("pairs", 3), ("ILD", 2 / 3)]
    rows = [(term.doc, term.text(), term.value) for term in awrf.worked.sums[0].terms]
    assert rows == [("a", "x", 1.0), ("b", "x, {y}", 1 / math.log2(3))]
    got = 1 / math.log2(3)
    of_x, of_y = (line.numbers for line in awrf.worked.lines[:2])
    assert of_x == pytest.approx(((1 + got) / (1 + 2 * got), 2 / 3))
    assert of_y == pytest.approx((got / (1 + 2 * got), 1 / 3))
    assert [line.name for line in awrf.worked.lines[2:]] == ["JS", "AWRF(relevant=0)"]


@pytest.mark.parametrize("score", [0.1, 0.7, -0.3, 1e39])
def test_lists_of_equal_scores_are_equally_sure_by_their_spread(score: float) -> None:
    qrels, docs = {query: {"b": 1} for query in "qrst"}, {"q": "ba", "r": "abc", "s": "b", "t": "abcdef"}
    run = {query: dict.fromkeys(own, score) for query, own in docs.items()} | {"t": {"b": 2.0, "a": 1.0}}
    plain = {query: dict.fromkeys(own, 0.5) for query, own in docs.items()} | {"t": {"b": 2.0, "a": 1.0}}
    measure, rules = "nAUC(of='P@1', confidence='std')", {"ties": "doc-ascending"}
    assert (
        tr.evaluate(qrels, run, measure, rules=rules).mean == tr.evaluate(qrels, plain, measure, rules=rules).mean
    )


def test_of_many_pairs_the_first_are_told() -> None:
    table = {f"d{n}": {"vector": [n]} for n in range(8)}
    why = tr.explain({"q": {}}, {"q": [f"d{n}" for n in range(8)]}, "q", "ILD(distance='hamming')", items=table)
    texts = [term.text(0) for term in why.worked.sums[0].terms]
    assert texts == [*["1 + 1 + 1 + 1 + …"] * 3, "1 + 1 + 1 + 1", "1 + 1 + 1", "1 + 1", "1"]


def test_the_notes_say_what_ties_and_unjudged_documents_are_to_such_a_measure() -> None:
    run = {"q": {"x": 2.0, "y": 2.0, "a": 1.0}}
    table = {"x": {"popularity": 1}, "y": {"popularity": 3}, "a": {"popularity": 4}}
    for k, said in (
        (1, "This order and its reverse give Novelty@1 from 1.4150 to 3.0000."),
        (2, "the same Novelty@2"),
    ):
        why = tr.explain({"q": {"a": 0}}, run, "q", f"Novelty@{k}", items=table)
        notes = {note.rule: note.text for note in why.notes}
        assert said in notes["ties"]
        assert "count as any other" in notes["unjudged"]
        assert f"Novelty@{k} has a value all the same" in notes["without_relevant"]


@CHEAP
@given(worlds(), KNOWN)
def test_scores_with_a_measure_of_the_run_survive_pickling(world: World, known: Known) -> None:
    scores = scored(world.qrels, world.run, known)
    assert numbers(pickle.loads(pickle.dumps(scores))) == numbers(scores)
    assert math.isfinite(sum(scores.mean.values()))
