"""Parts of a run: whole queries or scattered rows, in any order, merged to the bits of the run read at once."""

from __future__ import annotations

import pickle
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import truerank as tr
from core.test_reading import same
from truerank.core.ledger import added

QUERIES = ["q1", "q2", "q3", "é", "x"]
DOCS = ["d1", "d2", "d3", "q1", "u1", "u2", "ü"]
SCORES = [0.0, -0.0, 1.0, 1.0 + 1e-9, 2.0, -3.5]
QRELS = {
    "q1": {"d1": 2, "d2": 0, "q1": 1, "d3": -1},
    "q2": {"d1": 1},
    "q3": {"d2": 1, "ü": 3, "d1": 1},
    "é": {},
    "z": {"d1": 1},
}
ROW = st.tuples(st.sampled_from(QUERIES), st.sampled_from(DOCS), st.sampled_from(SCORES))
ROWS = st.lists(ROW, max_size=40)
DISTINCT = st.lists(ROW, max_size=40, unique_by=lambda row: row[:2])
TIES = st.sampled_from(["doc-descending", "doc-ascending"])
OTHER = st.sampled_from(
    [
        {},
        {"score_precision": "single"},
        {"self_match": "remove"},
        {"self_match": "remove-from-answers"},
        {"unjudged": "removed"},
        {"unjudged": "removed", "depth": 2, "depth_of": "returned"},
        {"depth": 2},
        {"missing": "skip"},
        {"empty": "missing"},
    ]
)
KEEP = st.sampled_from(["judged", "all", 1, 3])
MEASURES = "nDCG@3 AP RR P@2 R@5 Bpref NumRet"


def table(rows):
    pa = pytest.importorskip("pyarrow")
    columns = list(zip(*rows, strict=True)) or [(), (), ()]
    names = ("query_id", "doc_id", "score")
    kinds = (pa.string(), pa.string(), pa.float64())
    return pa.table({n: pa.array(c, k) for n, c, k in zip(names, columns, kinds, strict=True)})


def cut(rows, places):
    return [table([row for row, place in zip(rows, places, strict=True) if place == part]) for part in range(3)]


def over_the_wire(thing, draw):
    """The same, as it arrives from another process."""
    if draw(st.booleans()):
        return pickle.loads(pickle.dumps(thing))
    return type(thing).from_arrow(thing.to_arrow()) if hasattr(thing, "to_arrow") else thing


def alike(one, other):
    """Whether readings and what they score are the same, but for the order of the input."""
    first, second = (tr.evaluate(reading, measures=MEASURES) for reading in (one, other))
    assert same(one, other)
    assert one.repeated == other.repeated
    of_order = {"interleaved": False} | ({"rising": False} if one.interleaved or other.interleaved else {})
    assert replace(first.ledger, **of_order) == replace(second.ledger, **of_order)
    assert all(np.array_equal(first[m], second[m]) for m in first)
    return True


@given(DISTINCT, TIES, OTHER, KEEP, st.data())
def test_scattered_rows_are_counted_to_the_same_bits(rows, ties, other, keep, data):
    repeats = ["error", "count", "once"] if keep in ("judged", "all") else ["error"]
    rules = {"ties": ties, "duplicates": data.draw(st.sampled_from(repeats)), **other}
    whole = tr.read(QRELS, table(rows), rules=rules, keep=keep)
    places = data.draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
    parts = [tr.read(QRELS, part, rules=rules, keep=keep) for part in cut(rows, places)]
    parts = data.draw(st.permutations([over_the_wire(part, data.draw) for part in parts]))
    split = over_the_wire(tr.scattered(parts), data.draw)
    again = data.draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))  # cut otherwise
    distinct = data.draw(st.booleans())
    counts = [tr.count_ranks(split, part, distinct=distinct) for part in cut(rows, again)]
    counts = data.draw(st.permutations([over_the_wire(one, data.draw) for one in counts]))
    assert alike(tr.merge(parts, counts), whole)
    assert alike(tr.merge(parts, tr.merge([tr.merge(counts[:2]), counts[2]])), whole)


def test_where_the_own_document_leaves_a_scattered_list_as_many_unjudged_ones_are_kept():
    rules, rows = {"self_match": "remove-from-answers"}, [("q1", "q1", 0.0), ("q1", "d3", 0.0), ("q1", "ü", -3.5)]
    whole = tr.read(QRELS, table(rows), rules=rules, keep=1)
    parts = [tr.read(QRELS, table(part), rules=rules, keep=1) for part in (rows[:1], rows[1:])]
    split = tr.scattered(parts)
    assert alike(tr.merge(parts, [tr.count_ranks(split, table(part)) for part in (rows[:2], rows[2:])]), whole)


@pytest.mark.parametrize("threads", [1, 2, 3, 4])
@settings(max_examples=30)
@given(rows=DISTINCT, data=st.data())
def test_files_are_cut_to_the_same_bits_by_any_number_of_threads(threads, rows, data):
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr("truerank.formats.trec.PIECE", 1)
        files = [Path(folder, f"{part}.run") for part in range(4)]
        pieces = [[] for _ in files[1:]]
        for row in rows:
            data.draw(st.sampled_from(pieces)).append(row)
        for file, piece in zip(files, [sorted(rows), *pieces], strict=True):
            file.write_text("".join(f"{q} Q0 {d} 0 {s!r} t\n" for q, d, s in piece) or "# empty\n", "utf-8")
        whole = tr.read(QRELS, files[0], name="run", threads=threads)
        parts = [tr.read(QRELS, file, name="run", threads=threads) for file in files[1:]]
        split = tr.scattered(parts)
        counts = [tr.count_ranks(split, file) for file in files[1:]]
        assert alike(tr.merge(parts, counts), whole)
        assert alike(tr.merge(parts, tr.read_together(split, files[1:], threads=threads)), whole)


def test_parts_without_a_last_line_end_or_with_a_byte_order_mark_are_read_again(tmp_path):
    files = [tmp_path / name for name in "abc"]
    for file, doc in zip(files, ["d1", "d2", "u1"], strict=True):
        file.write_text(f"q1 Q0 {doc} 1 {len(doc)} t", encoding="utf-8-sig")
    parts = [tr.read(QRELS, file) for file in files]
    whole = tr.merge(parts, tr.read_together(tr.scattered(parts), files))
    expected = tr.read(QRELS, {"q1": {"d1": 2.0, "d2": 2.0, "u1": 2.0}})
    assert whole.hits.rank.tolist() == expected.hits.rank.tolist()
    assert whole.hits.returned.tolist() == expected.hits.returned.tolist()
    for file in files[:2]:
        file.write_text("q1 Q0 d1\n")
        with pytest.raises(tr.InputError, match=f"{file.name}:1: a run line has 6 columns"):
            tr.read_together(tr.scattered(parts), [files[2], file])


@given(ROWS, TIES, OTHER, st.sampled_from(["count", "once"]), st.data())
def test_repeated_documents_over_parts_are_counted_to_the_same_bits(rows, ties, other, duplicates, data):
    rules = {"ties": ties, "duplicates": duplicates, **other}
    rows = [row for row in rows if row[0] in QRELS]
    keep = data.draw(st.sampled_from(["judged", "all"]))
    whole = tr.read(QRELS, table(rows), rules=rules, keep=keep)
    places = data.draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
    parts = [tr.read(QRELS, part, rules=rules, keep=keep) for part in cut(rows, places)]
    split = tr.scattered(parts)
    counts = [tr.count_ranks(split, part) for part in cut(rows, places)]
    assert alike(tr.merge(parts, counts), whole)


ORDERED = st.tuples(
    st.sampled_from(["doc-descending", "input"]), st.sampled_from(["first", "last", "count", "once"])
)


@given(ROWS, ORDERED, OTHER, st.data())
def test_scattered_queries_read_again_together_are_the_same_bits(rows, ordered, other, data):
    rules = dict(zip(("ties", "duplicates"), ordered, strict=True)) | other
    places = sorted(data.draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows))))
    rows = [row for row in rows if row[0] in QRELS]
    sources = cut(rows, places[: len(rows)])
    whole = tr.read(QRELS, table(rows), rules=rules)
    parts = [tr.read(QRELS, part, rules=rules) for part in sources]
    split = tr.scattered(parts)
    again = tr.read_together(split, sources)
    assert alike(tr.merge(data.draw(st.permutations(parts)), again), whole)


@pytest.mark.parametrize("duplicates", ["first", "count"])
def test_repeated_documents_of_queries_that_nobody_judged_are_counted_nowhere(duplicates):
    rows = [("x", "d1", 2.0), ("x", "d1", 1.0), ("q1", "d1", 3.0), ("q1", "d2", 2.0), ("q1", "d2", 1.0)]
    rules = {"duplicates": duplicates}
    for order in (rows, [rows[i] for i in (0, 2, 1, 3, 4)], [rows[i] for i in (2, 0, 3, 1, 4)]):
        assert tr.evaluate(QRELS, table(order), "AP", rules=rules).ledger.duplicates == 1
    parts = [tr.read(QRELS, table(part), rules=rules) for part in (rows[:2], rows[2:])]
    assert tr.evaluate(tr.merge(parts), measures="AP").ledger.duplicates == 1
    calls = table(rows).append_column("call", [[1] * len(rows)])
    of_calls = tr.evaluate(QRELS, calls, "AP", rules={**rules, "calls": "concatenated"})
    assert of_calls.ledger.duplicates == 1


@pytest.mark.parametrize("repeated", ["d1", "u1"])
def test_a_document_that_two_parts_return_is_refused(repeated):
    sources = [{"q1": {repeated: 2.0, "u2": 1.0}}, {"q1": {repeated: 1.0, "d2": 5.0}}]
    parts = [tr.read(QRELS, source) for source in sources]

    def merge():
        split = tr.scattered(parts)
        return tr.merge(parts, [tr.count_ranks(split, source) for source in sources])

    with pytest.raises(tr.InputError, match=r"document (d1 )?of query q1 is returned in two parts"):
        merge()


@pytest.mark.parametrize("rule", [{"ties": "input"}, {"duplicates": "first"}, {"duplicates": "last"}])
def test_rules_that_need_the_order_of_rows_are_refused_with_the_reason(rule):
    sources = [{"q1": {"d1": 2.0}}, {"q1": {"d2": 5.0}}]
    parts = [tr.read(QRELS, source, rules=rule) for source in sources]
    split = tr.scattered(parts)
    with pytest.raises(tr.RulesError, match=r"asks for the order of the rows.*read_together"):
        tr.count_ranks(split, sources[0])
    assert tr.merge(parts, tr.read_together(split, sources)).hits.rank.tolist() == [1, 2]


def test_repeated_documents_of_which_some_rows_were_kept_are_not_counted():
    sources = [{"q1": {"d1": 2.0}}, {"q1": {"d2": 5.0}}]
    parts = [tr.read(QRELS, source, rules={"duplicates": "once"}, keep=1) for source in sources]
    with pytest.raises(tr.RulesError, match="repeated documents were kept in part"):
        tr.count_ranks(tr.scattered(parts), sources[0])


def test_counts_of_other_rows_are_refused():
    sources = [{"q1": {"d1": 2.0}}, {"q1": {"d2": 5.0}}]
    parts = [tr.read(QRELS, source) for source in sources]
    split = tr.scattered(parts)
    counts = [tr.count_ranks(split, source) for source in sources]
    others = [tr.read(QRELS, source) for source in ({"q1": {"d1": 2.5}}, sources[1])]
    with pytest.raises(tr.InputError, match="other rows than those that were found"):
        tr.merge(others, counts)
    with pytest.raises(tr.InputError, match="were not found when the parts were read"):
        tr.count_ranks(split, {"q1": {"d1": 9.0}})
    with pytest.raises(tr.InputError, match="no counts"):
        tr.merge(parts, [])
    with pytest.raises(tr.InputError, match="2 queries are answered in several parts, such as q1"):
        tr.merge([tr.read(QRELS, {"q1": {"d1": 1.0}, "q2": {"d1": 1.0}})] * 2)


@pytest.mark.parametrize("rules", [{}, {"duplicates": "count"}, {"self_match": "remove"}])
def test_a_part_that_is_left_out_of_the_counts_or_counted_twice_is_refused(rules):
    sources = [{"q1": {"u1": 3.0, "q1": 1.0}}, {"q1": {"d1": 2.0}}, {"q1": {"u2": 2.5, "u3": 0.0}}]
    parts = [tr.read(QRELS, source, rules=rules) for source in sources]
    split = tr.scattered(parts)
    counts = [tr.count_ranks(split, source) for source in sources]
    whole = tr.read(
        QRELS, {"q1": {doc: score for source in sources for doc, score in source["q1"].items()}}, rules=rules
    )
    assert alike(replace(tr.merge(parts, counts), name=whole.name), whole)
    given = whole.rows.returned[0]
    for some in (counts[:2], [*counts, counts[2]]):
        others = given + 2 * (len(some) - 3)
        with pytest.raises(tr.InputError, match=f"return {others} documents for query q1, the parts {given}: give"):
            tr.merge(parts, some)


def test_a_part_without_judgements_travels_to_where_the_qrels_are():
    pytest.importorskip("pyarrow")
    qrels = tr.read_qrels(QRELS)
    part = tr.read(qrels, {"q2": {"d1": 1.0, "u1": 2.0}, "x": {"u1": 1.0}}, rules={"self_match": "remove"})
    small = part.to_arrow(judgements=False)
    assert small["query"].to_pylist() == [b"q2", b"x"]
    assert "judgements" not in small.schema.names
    assert same(tr.Reading.from_arrow(small, qrels), part)
    with pytest.raises(tr.InputError, match="saved without its judgements"):
        tr.Reading.from_arrow(small)
    with pytest.raises(tr.InputError, match="other judgements than qrels"):
        tr.Reading.from_arrow(small, tr.read_qrels({"q2": {"d1": 2}}))


def test_a_part_is_what_an_engine_hands_over():
    rows = [("q1", "d1", 1.0), ("q1", "u1", 2.0), ("q2", "d1", 1.0)]
    whole = tr.read(QRELS, table(rows))
    batches = table(rows).to_batches(max_chunksize=1)
    for part in (batches[0], batches, iter(batches), [table(rows)], table(rows).to_reader()):
        found = tr.read(QRELS, part)
        assert len(found.rows) == (1 if part is batches[0] else len(whole.rows))
    assert len(tr.read(QRELS, iter([])).rows) == 0
    assert same(tr.read(QRELS, iter(batches)), whole)
    parts = [tr.read(QRELS, batch) for batch in batches]
    counts = tr.count_ranks(tr.scattered(parts), iter(batches))
    assert tr.merge(parts, counts).hits.rank.tolist() == whole.hits.rank.tolist()
    assert tr.count_ranks(tr.scattered(parts), iter([])).better.tolist() == [0]


def test_scattered_scores_that_are_too_large_for_32_bits_are_counted_too():
    rules, rows = {"score_precision": "single"}, [("q1", "d1", 1e300), ("q1", "d3", -1e39), ("q1", "u1", 1e40)]
    parts = [tr.read(QRELS, table([row]), rules=rules) for row in rows]
    split = tr.scattered(parts)
    whole = tr.read(QRELS, table(rows), rules=rules)
    assert alike(tr.merge(parts, [tr.count_ranks(split, table([row])) for row in rows]), whole)
    assert alike(tr.merge(parts, tr.read_together(split, [table(rows)])), whole)


def test_many_scattered_queries_are_counted_too():
    qrels = tr.read_qrels({f"q{i:05}": {"a": 1, "b": 2} for i in range(17_000)})
    one = {query: {"a": i % 5, "x": 2.0} for i, query in enumerate(map(bytes.decode, qrels.queries))}
    other = {query: {"b": i % 3, "y": 1.0} for i, query in enumerate(one)}
    parts = [tr.read(qrels, part) for part in (one, other)]
    found = tr.scattered(parts)
    whole = tr.merge(parts, [tr.count_ranks(found, part) for part in (one, other)])
    wanted = tr.read(qrels, {query: {**docs, **other[query]} for query, docs in one.items()})
    assert whole.rows.rank.tolist() == wanted.rows.rank.tolist()
    assert tr.evaluate(whole).mean == tr.evaluate(wanted).mean


@settings(max_examples=100, deadline=None)
@given(DISTINCT, st.lists(st.booleans(), min_size=5, max_size=5))
def test_ledgers_of_parts_add_up_to_that_of_all(rows, which):
    run: dict[str, dict[str, float]] = {}
    for query, doc, score in rows:
        run.setdefault(query, {})[doc] = score
    mine = dict(zip([*QUERIES, "z"], [*which, True], strict=True))
    parts = []
    for side in (True, False):
        judged, answered = ({q: docs for q, docs in each.items() if mine[q] == side} for each in (QRELS, run))
        if judged:
            parts.append(tr.evaluate(judged, answered, "AP nDCG@2").ledger)
    if {mine[query] for query in QRELS} == {*mine.values()}:
        assert added(parts) == added(parts[::-1]) == tr.evaluate(QRELS, run, "AP nDCG@2").ledger


@pytest.mark.parametrize("duplicates", ["error", "count", "first"])
def test_sources_with_other_rows_than_the_parts_are_refused(duplicates):
    qrels = tr.read_qrels({"q": {"a": 1, "b": 1}})
    sources = [[("q", "a", 9.0)], [("q", "b", 8.0)]]
    found = tr.scattered([tr.read(qrels, rows, rules={"duplicates": duplicates}) for rows in sources])
    with pytest.raises(tr.InputError, match="return 1 documents for query q, the parts 2"):
        tr.read_together(found, sources[1:])
    if duplicates != "first":
        with pytest.raises(tr.InputError, match="return 3 documents for query q, the parts 2"):
            tr.read_together(found, [*sources, [("q", "c", 7.0)]])
    assert tr.read_together(found, sources).hits.rank.tolist() == [1, 2]


def test_a_part_that_answers_what_only_another_had_judgements_of_is_refused():
    parts = [tr.read({"q": {"a": 1}}, {"q": ["a"], "r": ["b"]}), tr.read({"q": {"a": 1}, "r": {"b": 1}}, {})]
    for some in (parts, parts[::-1]):
        with pytest.raises(tr.InputError, match="query r is answered here, but was not judged"):
            tr.merge(some)


def test_parts_with_another_grade_of_the_query_itself_are_refused():
    rules = {"self_match": "remove-from-answers"}
    parts = [tr.read({"q": {"q": own, "a": 1}}, {"q": ["a"]} if own == 1 else {}, rules=rules) for own in (1, 2)]
    for some in (parts, parts[::-1]):
        with pytest.raises(
            tr.InputError, match=r"query q is judged differently.*: read all of them against the same qrels"
        ):
            tr.merge(some)


@pytest.mark.parametrize("made", [lambda run: run.cut(9), lambda run: tr.collapse(run.cut(9), ids="id")])
def test_scattered_lists_that_are_put_together_are_parts_too(made):
    qrels, run = {"q1": ["c"], "q2": ["b"]}, tr.open_run([("q1", "a", 3.0), ("q2", "b", 3.0), ("q1", "c", 2.0)])
    assert tr.evaluate(qrels, made(run), "RR").mean == {"RR": 0.75}
    assert made(run).to_dict() == {"q1": {"a": 3.0, "c": 2.0}, "q2": {"b": 3.0}}
    parts = [tr.read(qrels, {"q1": {"a": 3.0}}), tr.read(qrels, {"q1": {"c": 2.0}, "q2": {"b": 3.0}})]
    assert tr.read_together(tr.scattered(parts), [made(run)]).hits.rank.tolist() == [2]
    assert tr.merge(parts, tr.count_ranks(tr.scattered(parts), made(run))).hits.rank.tolist() == [2, 1]


@pytest.mark.parametrize("own", ["remove", "remove-from-answers"])
def test_parts_with_judgements_of_their_own_keep_as_many_ranks_whatever_is_ignored(own):
    """In some queries an ignored document leaves the list, in others none; each keeps the ranks asked for."""
    qrels = {"q1": {"q1": 1, "b": 1}, "q2": {"b": 1}}
    run = {"q1": ["q1", *"xyzb"], "q2": [*"xyzbw"], "q3": ["x"]}
    for rules in ({"self_match": own}, {}):
        whole = tr.read(qrels, run, rules=rules, keep=2)
        judged = [(one, {query: docs for query, docs in qrels.items() if query == one}) for one in run]
        parts = [tr.read(some, {one: run[one]}, rules=rules, keep=2) for one, some in judged]
        assert same(tr.merge(parts), whole)
        assert {part.kept for part in parts} == {whole.kept} == {2}
        assert whole.rows.rank[whole.rows.grade < 0].max() == 2
        with pytest.raises(tr.InputError, match="lacks unjudged documents; read the run with keep=3"):
            tr.evaluate(whole, measures="Coverage@3", items=list("bwxyz"))


def test_repeated_documents_of_a_query_whose_last_list_is_empty_are_known_of_all_parts_too():
    rules = {"calls": "last", "empty": "missing", "duplicates": "first"}
    qrels = {"q": {"a": 1}, "r": {"c": 1}}
    one = [{"query": "q", "call": 1, "docs": ["a", "a", "b"]}, {"query": "q", "call": 2, "docs": []}]
    other = [{"query": "r", "call": 1, "docs": ["c", "c"]}]
    merged = tr.merge([tr.read(qrels, rows, rules=rules) for rows in (one, other)])
    assert same(merged, replace(tr.read(qrels, one + other, rules=rules), name=merged.name))
    assert merged.repeats.tolist() == [1, 1]
