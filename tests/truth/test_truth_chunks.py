"""Chunks become documents: by which rule, with which scores, in any order of the rows."""

from __future__ import annotations

import json
import pickle
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import truerank as tr
from truerank.core.rankings import rankings
from truerank.truth.chunks import parts_by
from truerank.truth.collapsing import WAYS, collapsed

CHUNKED = {"q": {"b#1": 5.0, "a#2": 4.0, "a#1": 3.0, "a#3": -1.5, "c": 1.0}}


def lists(run: tr.Run) -> dict[bytes, dict[bytes, float]]:
    """What a run holds."""
    return {part.query: dict(zip(part.docs, part.numbers(), strict=True)) for part in rankings(run.batches())}


def refused(*args, **options) -> str:
    with pytest.raises(tr.InputError) as error:
        lists(tr.collapse(*args, **options))
    return str(error.value)


@pytest.mark.parametrize(
    ("how", "score"), [("max", 4.0), ("maxP", 4.0), ("MaxP", 4.0), ("first", 3.0), ("sum", 5.5), ("SUMP", 5.5)]
)
def test_a_document_scores_as_its_best_its_first_or_all_of_its_chunks(how, score):
    assert lists(tr.collapse(CHUNKED, how)) == {b"q": {b"b": 5.0, b"a": score, b"c": 1.0}}


@pytest.mark.parametrize("ids", [None, r"(.+)#\d+", {"b#1": "b", "a#2": "a", "a#1": "a"}, str, "id"])
def test_a_collapsed_run_goes_to_another_process(ids):
    run = {"q": {"b#1": 5.0, "a#2": 4.0, "a#1": 3.0}}
    collapsed_run = tr.collapse(run, ids=ids)
    assert lists(pickle.loads(pickle.dumps(collapsed_run))) == lists(collapsed_run)


@pytest.mark.parametrize(
    ("ids", "chunks"),
    [
        (None, ["d7#1", "d7_chunk_2", "d7%p3", "d7-passage4", "d7::chunk5", "d7##6", "d7__p7"]),
        (r"(.+)-\d+", ["d7-1", "d7-2"]),
        (r"(?P<part>\d+)/(?P<doc>.+)", ["3/d7", "4/d7"]),
        ({"x": "d7", "y": "d7"}, ["x", "y"]),
        (lambda name: name[:2], ["d7a", "d7b"]),
        ("id", ["d7", "d7"]),
    ],
)
def test_a_rule_says_which_document_a_chunk_is_of(ids, chunks):
    pairs = [("q", chunks)]
    assert lists(tr.collapse(pairs, ids=ids)) == {b"q": {b"d7": len(chunks)}}


@pytest.mark.parametrize("name", [b"https://x.org/a/", b"Apple Inc.", b"d7_chunk_2"])
def test_what_stands_before_the_mark_of_a_chunk_is_all_of_its_document(name):
    assert parts_by(None)(name + b"_chunk_3").doc == name


@pytest.mark.parametrize("name", [b"FT921-7107", b"msmarco_passage_12_345678", b"2301.00234", b"a.jpg", b"Q42"])
def test_no_id_of_a_document_is_taken_for_a_chunks(name):
    assert parts_by(None)(name) is None


@pytest.mark.parametrize("column", ["", ":metadata.source", ":metadata[source]", ":metadata['source']"])
def test_a_table_says_it_with_a_column_of_metadata_too(tmp_path, column):
    rows = [{"id": "x", "metadata": {"source": "a.pdf"}}, {"id": "y", "metadata": {"source": "a.pdf"}}]
    table = tmp_path / "chunks.jsonl"
    table.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = {"q": {"x": 1.0, "y": 2.0}}
    assert lists(tr.collapse(run, ids=f"{table}{column}")) == {b"q": {b"a.pdf": 2.0}}
    assert lists(tr.collapse(run, "first", ids=f"{table}{column}")) == {b"q": {b"a.pdf": 1.0}}


@pytest.mark.parametrize("column", ["", ":doc_id"])
def test_a_table_may_have_parentheses_in_its_path(tmp_path, column):
    path = tmp_path / "docs (1).csv"
    path.write_text("chunk_id,doc_id\na-1,a\n")
    assert parts_by(f"{path}{column}")(b"a-1").doc == b"a"


def test_tables_that_cannot_be_used_are_refused_with_their_lines(tmp_path):
    table = tmp_path / "chunks.csv"
    table.write_text("chunk_id,doc_id\nx,a\nx,b\n")
    assert refused(CHUNKED, ids=str(table)) == (
        f"{table}:3: chunk x is a part of a and of b: ids of chunks must differ"
    )
    table.write_text("chunk_id,doc_id\nx,a\ny,\n")
    assert refused(CHUNKED, ids=f"{table}:doc_id") == f"{table}:3: there is no doc_id here"
    assert "there is no column 'doc'. Did you mean doc_id?" in refused(CHUNKED, ids=f"{table}:doc")


@pytest.mark.parametrize(
    ("run", "options", "fault"),
    [
        (CHUNKED, {"how": "mean"}, "chunks are collapsed by max, first or sum, not 'mean'."),
        (CHUNKED, {"ids": "(.+"}, "'(.+' is no regular expression: missing )"),
        ({"q": ["FT-1", "FT-2"]}, {}, "run: no id looks like a chunk's (such as d7#2"),
        ({"q": ["b#1", "a#1", "a#1"]}, {}, "run: chunk a#1 is returned twice for query q; mend the run"),
        ({"q": ["a-1", "b"]}, {"ids": r"(.+)-\d"}, "run: chunk b of query q: the rule of ids does not say"),
        ({"q": ["a-1"]}, {"how": "first", "ids": r"(.+)-\d"}, "run: where does chunk a-1 stand in its document?"),
        ({"q": ["b#1", "a#1", "a#2"]}, {"how": "sum"}, "run: there are ranks or distances here and no scores"),
        ({"q": {"a#1": float("nan")}}, {}, "run: document a#1 of query q has the score nan, which is not finite"),
    ],
)
def test_what_cannot_be_collapsed_is_refused(run, options, fault):
    assert refused(run, **options).startswith(fault)


def test_ranks_are_not_summed(tmp_path):
    ranked = tmp_path / "ranked.csv"
    ranked.write_text("query_id,doc_id,rank\nq,b#1,1\nq,a#1,2\nq,a#2,3\nq,c#1,4\n")
    assert refused(str(ranked), how="sum").startswith(f"{ranked}: there are ranks or distances here and no scores")
    assert tr.evaluate({"q": ["a"]}, tr.collapse(str(ranked), "first"), "RR").mean == {"RR": 0.5}


GAPS = [(None, "None"), (float("nan"), "nan"), ("", "''"), (np.datetime64("NaT", "s"), "NaT")]


@pytest.mark.parametrize(("gap", "shown"), GAPS)
def test_a_chunk_whose_document_is_a_gap_is_refused(gap, shown):
    run = {"q": {"c1": 1.0, "c2": 2.0, "c3": 3.0}}
    said = refused(run, how="sum", ids={"c3": "d", "c1": gap})
    assert said.startswith("chunk c1 has no document, but ")
    assert shown in said
    if gap is not None:  # a function says so that it does not know the id
        assert "chunk c1 has no document, but " in refused(run, ids={"c2": "d", "c3": "e", "c1": gap}.get)
    assert "no id of a chunk; document 'd' has it" in refused(run, ids={gap: "d"})


def test_numbers_name_documents_too():
    assert lists(tr.collapse({"q": {"1": 1.0, "2": 3.0}}, ids={1: 7, 2: np.int64(7)})) == {b"q": {b"7": 3.0}}


def test_a_table_of_whole_numbers_that_pandas_made_fractions_names_the_same_documents(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"chunk_id": ["x", "y", "z"], "doc_id": [7, 8, None]})
    frame.to_parquet(tmp_path / "gap.parquet")
    frame[:2].to_parquet(tmp_path / "whole.parquet")
    run = {"q": {"x": 2.0, "y": 1.0}}
    found = tr.collapse(run, ids=f"{tmp_path / 'whole.parquet'}:doc_id")
    assert tr.evaluate({"q": {"8": 1}}, found, "RR").mean == {"RR": 0.5}
    with pytest.raises(tr.InputError, match=r"gap.parquet: there is no doc_id here"):
        tr.collapse(run, ids=f"{tmp_path / 'gap.parquet'}:doc_id")


def test_a_reading_has_no_chunks_any_more(tmp_path):
    tr.read({"q": {"a": 1}}, {"q": {"a#1": 1.0}}).save(tmp_path / "run.arrow")
    assert "collapse the run, then read it" in refused(tmp_path / "run.arrow")


def scores(run: object, how: str) -> bytes:
    qrels = {"q": {"a": 1, "b": 2, "e": 1}, "r": {"c": 1}}
    return tr.evaluate(qrels, tr.collapse(run, how), "nDCG AP R@2")["nDCG"].tobytes()


def test_queries_whose_rows_are_scattered_are_put_together(tmp_path):
    rows = [f"{q} Q0 {d}#{n} 1 {(5 * ord(d) + 3 * n) % 7 / 3} t" for q in "qr" for d in "abc" for n in range(3)]
    for how in WAYS:
        found = set()
        for seed in range(4):
            random.Random(seed).shuffle(rows)
            path = tmp_path / f"{seed}.run"
            path.write_text("\n".join(rows) + "\n")
            found.add(scores(path, how))
        assert len(found) == 1
    scored = tr.evaluate({"q": {"a": 1}}, tr.collapse(path))
    assert scored.ledger.interleaved
    with pytest.raises(tr.InputError, match=r"the rows of query \w are scattered over the run"):
        list(tr.collapse(path).batches())


CHUNKS = st.dictionaries(
    st.tuples(st.sampled_from("abcdef"), st.integers(0, 4)), st.floats(-1e9, 1e9), min_size=1, max_size=20
)


@given(CHUNKS, st.randoms())
def test_the_order_of_the_chunks_changes_no_bit(chunks, order):
    rows = [(f"{doc}#{place}", score) for (doc, place), score in chunks.items()]
    runs = [{"q": dict(rows)}, {"q": dict(order.sample(rows, len(rows)))}]
    for how in WAYS[:3]:
        one, other = (lists(tr.collapse(run, how))[b"q"] for run in runs)
        assert one == other, how


@given(CHUNKS)
def test_scores_are_those_of_a_loop(chunks):
    docs = {doc for doc, _ in chunks}
    of = {doc: {place: score for (name, place), score in chunks.items() if name == doc} for doc in docs}
    total = {}
    for doc, scored in of.items():
        total[doc] = 0.0
        for score in sorted(scored.values(), reverse=True):
            total[doc] += score
    loops = {
        "max": {doc: max(scored.values()) for doc, scored in of.items()},
        "first": {doc: scored[min(scored)] for doc, scored in of.items()},
        "sum": total,
    }
    run = {"q": {f"{doc}#{place}": score for (doc, place), score in chunks.items()}}
    for how, expected in loops.items():
        assert lists(tr.collapse(run, how))[b"q"] == {doc.encode(): score for doc, score in expected.items()}
    assert collapsed([doc for doc, _ in chunks], chunks.values(), "max") == loops["max"]


def test_ids_with_a_number_sign_are_read_as_quickly_as_others_and_comments_left_out(tmp_path: Path):
    path = tmp_path / "x.run"
    path.write_text("# a comment\nq Q0 a#1 1 2 t\n# b#2 another\nq Q0 b#2 2 1 t\n")
    assert lists(tr.collapse(path)) == {b"q": {b"a": 2.0, b"b": 1.0}}


@pytest.mark.parametrize("queries", [["1", "1", "1", "2"], ["1", "1", "2", "1"]])
def test_what_becomes_of_ranks_has_no_scores_either(queries):
    qrels = {"1": {"10": 1, "30": 1}}
    rows = zip(queries, ["10#1", "10#2", "30#1", "30#2"], range(1, 5), strict=True)
    run = tr.open_run([{"query_id": query, "doc_id": doc, "rank": rank} for query, doc, rank in rows])
    for made in (tr.collapse(run), tr.collapse(run, "first"), tr.collapse(run).cut(2), run.cut(3), run.head(1)):
        tr.evaluate(qrels, made, "AP")
        with pytest.raises(tr.MeasureError, match="ranks in place of scores"):
            tr.evaluate(qrels, made, "GAP")
