"""DataFrames and Parquet: every kind of column that ids and numbers come in."""

from __future__ import annotations

import uuid

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet as pq

import truerank as tr
from truerank import truth
from truerank.formats import convert, frames, open_run
from truerank.truth.tabular import as_table


@pytest.fixture(scope="module")
def table(run) -> pa.Table:
    rows = [(q, d, s) for q, answer in run.items() for d, s in answer.items()]
    return pa.table(dict(zip(["query_id", "doc_id", "score"], map(list, zip(*rows, strict=True)), strict=True)))


@pytest.fixture(scope="module")
def judged(qrels) -> pa.Table:
    rows = [(q, d, g) for q, grades in qrels.items() for d, g in grades.items()]
    return pa.table(dict(zip(["qid", "docno", "relevance"], map(list, zip(*rows, strict=True)), strict=True)))


def text_as(kind: pa.DataType, table: pa.Table) -> pa.Table:
    return table.cast(pa.schema([("query_id", kind), ("doc_id", kind), ("score", pa.float64())]))


def shuffled(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.sample(fraction=1, shuffle=True, seed=4)


KINDS = {
    "arrow": lambda t: t,
    "arrow batch": lambda t: t.combine_chunks().to_batches()[0],
    "arrow reader": lambda t: t.to_reader(max_chunksize=7),
    "arrow chunks": lambda t: pa.concat_tables([t.slice(0, 5), t.slice(5, 0), t.slice(5)]),
    "arrow slice": lambda t: pa.concat_tables([t.slice(0, 3), t]).slice(3),
    "large strings": lambda t: text_as(pa.large_string(), t),
    "string views": lambda t: text_as(pa.string_view(), t),
    "bytes": lambda t: text_as(pa.binary(), t),
    "large bytes": lambda t: text_as(pa.large_binary(), t),
    "dictionary": lambda t: text_as(pa.dictionary(pa.int32(), pa.string()), t),
    "polars": pl.DataFrame,
    "polars categories": lambda t: pl.DataFrame(t).cast({"query_id": pl.Categorical, "doc_id": pl.Categorical}),
    "polars shuffled": lambda t: shuffled(pl.DataFrame(t)),
    "pandas": lambda t: t.to_pandas(),
    "pandas objects": lambda t: t.to_pandas().astype({"query_id": object, "doc_id": object}),
    "pandas categories": lambda t: t.to_pandas().astype({"query_id": "category", "doc_id": "category"}),
    "other columns": lambda t: t.to_pandas().assign(junk=[object()] * len(t))[
        ["junk", "score", "doc_id", "query_id"]
    ],
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_frame_of_any_kind_gives_the_bits_of_the_dict(kind, table, judged, qrels, bits, expected):
    assert bits(qrels, KINDS[kind](table)) == expected
    assert bits(judged, KINDS[kind](table)) == expected


@pytest.mark.parametrize("kind", [pa.Table.to_pandas, pl.DataFrame, lambda t: t])
def test_a_list_of_frames_is_none_of_rows(kind):
    frame = kind(pa.table({"query_id": ["q", "q"], "doc_id": ["a", "b"], "grade": [1, 0]}))
    with pytest.raises(tr.InputError, match="qrels are a path"):
        tr.evaluate([frame], {"q": ["a"]}, "RR")


@pytest.mark.parametrize("kind", [pa.Table.to_pandas, pl.DataFrame, lambda t: t])
def test_judgements_from_a_frame_are_those_of_the_dict(kind, judged, qrels):
    assert tr.read_qrels(kind(judged)).to_dict() == tr.read_qrels(qrels).to_dict()


def test_many_windows_give_the_bits_of_one(table, qrels, bits, expected, monkeypatch):
    monkeypatch.setattr(frames, "ROWS", 7)
    for kind in ("arrow slice", "string views", "dictionary", "polars shuffled"):
        assert bits(qrels, KINDS[kind](table)) == expected


@pytest.mark.parametrize("number", [pa.int8(), pa.uint16(), pa.int64(), pa.float32(), pa.decimal128(9, 2)])
def test_ids_and_scores_may_be_numbers_of_any_kind(number, bits):
    whole = number if pa.types.is_integer(number) else pa.int32()
    frame = pa.table({"qid": pa.array([1, 1, 2], whole), "pid": pa.array([5, 6, 5], whole),
                      "score": pa.array([3, 2, 1], pa.int8()).cast(number)})  # fmt: skip
    assert bits({1: [6], 2: [5]}, frame) == bits({"1": ["6"], "2": ["5"]}, {"1": {"5": 3, "6": 2}, "2": {"5": 1}})


def test_a_rank_column_serves_where_there_is_no_score():
    frame = pl.DataFrame({"qid": ["q", "q"], "docno": ["a", "b"], "rank": [1, 0]})
    assert tr.evaluate({"q": ["b"]}, frame, "RR").mean == {"RR": 1.0}


@pytest.mark.parametrize("names", [("userId", "movieId"), ("user_id", "item_id"), ("query_id", "product_id")])
def test_ratings_are_qrels(names, tmp_path):
    columns = {"id": [7, 8], names[0]: [1, 1], names[1]: [10, 20], "rating": [4.5, 2.0], "timestamp": [964, 981]}
    frame = pl.DataFrame(columns)
    frame.write_csv(tmp_path / "ratings.csv")
    frame.write_ndjson(tmp_path / "ratings.jsonl")
    for qrels in (frame, frame.to_dicts(), frame.to_dict(as_series=False), *tmp_path.iterdir()):
        assert tr.read_qrels(qrels).to_dict() == {"1": {"10": 4.5, "20": 2.0}}
    assert tr.evaluate(frame, {1: [20, 10]}, "RR(level=4)").mean == {"RR(level=4)": 0.5}
    found = frame.with_columns(prediction=pl.Series([0.1, 0.9]))
    assert tr.evaluate(frame, found, "RR(level=4)").mean == {"RR(level=4)": 0.5}


def test_chunk_id_names_the_document_of_a_table_where_nothing_else_does(tmp_path):
    columns = {"query_id": [1, 1], "chunk_id": ["a", "b"], "score": [1, 2]}
    frame = pl.DataFrame(columns)
    frame.write_csv(tmp_path / "run.csv")
    frame.write_parquet(tmp_path / "run.parquet")
    for run in (frame, columns, *tmp_path.iterdir()):
        assert tr.evaluate({1: ["b"]}, run, "RR").mean == {"RR": 1.0}
        assert tr.read_qrels(run).to_dict() == {"1": {"a": 1.0, "b": 2.0}}
    both = frame.with_columns(doc_id=pl.Series(["b", "c"]))
    assert tr.evaluate({1: ["b"]}, both, "RR").mean == {"RR": 0.5}


def test_a_table_without_grades_says_what_to_add(tmp_path):
    frame = pl.DataFrame({"user_id": [1, 2], "item_id": [10, 20]})
    frame.write_csv(tmp_path / "clicks.csv")
    for qrels in (frame, tmp_path / "clicks.csv"):
        with pytest.raises(tr.InputError, match="where every row is relevant add a column relevance of 1"):
            tr.read_qrels(qrels)
    assert tr.read_qrels(frame.with_columns(relevance=1)).to_dict() == {"1": {"10": 1.0}, "2": {"20": 1.0}}


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"query_id": ["q", None], "doc_id": ["a", "b"], "score": [1.0, 2.0]}, "'query_id' has no value in row 2"),
        ({"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [None, 2.0]}, "'score' has no value in row 1"),
        ({"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [1.0, np.nan]}, "run:2: the score is not"),
        ({"query_id": ["q", "q"], "doc_id": ["a", ""], "score": [1.0, 2.0]}, "run:2: the document id is empty"),
        ({"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": ["1", "2"]}, "'score' holds string; it should"),
        ({"query_id": ["q", "q"], "doc_id": [1.0, 2.0], "score": [1.0, 2.0]}, "'doc_id' holds double; ids are"),
        ({"query_id": [True, False], "doc_id": [1, 2], "score": [1.0, 2.0]}, "'query_id' holds bool; ids are"),
        ({"query_id": [[1], [2]], "doc_id": [1, 2], "score": [1.0, 2.0]}, "'query_id' holds list"),
        ({"query_id": ["q", "q"], "doc_id": ["a", "a"], "score": [1.0, 2.0]}, r"run:2: .*twice.*first in line 1"),
        ({"x": ["q"], "doc_id": ["a"], "score": [1.0]}, "no column holds the query ids"),
        ({}, "^run: the table has no columns$"),
        ({"query_id": ["q"], "doc_id": ["a"], "relevance": [1]}, "these look like qrels: are the two"),
        ({"query_id": ["q"], "doc_id": ["a"], "distance": [1.0]}, "is better, give its negative"),
        ({"query_id": ["q"], "doc_id": ["a"], "cosine_distance": [1.0]}, "is better, give its negative"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_frame_is_said_with_column_and_row(columns, message, monkeypatch):
    for windows in (1 << 16, 1):
        monkeypatch.setattr(frames, "ROWS", windows)
        with pytest.raises(tr.InputError, match=message) as caught:
            tr.evaluate({"q": ["a"]}, pa.table(columns), "RR")
        assert "\n" not in str(caught.value)


def test_two_columns_of_one_name_are_refused_where_that_name_is_needed(tmp_path):
    table = pa.table([["q"], ["a"], [1.0], [2.0]], ["query_id", "doc_id", "score", "score"])
    pq.write_table(table, tmp_path / "a.parquet")
    for run in (table, table.to_pandas(), tmp_path / "a.parquet"):
        with pytest.raises(tr.InputError, match="2 columns have one name, 'score', 'score': keep one of them"):
            tr.evaluate({"q": ["a"]}, run, "RR")
    other = pa.table([["q"], ["a"], [1.0], [2], [3]], ["query_id", "doc_id", "score", "x", "x"])
    assert tr.evaluate({"q": ["a"]}, other, "RR").mean == {"RR": 1.0}


def test_a_dictionary_that_holds_nothing_for_a_row_is_refused():
    frame = pa.table(
        {"query_id": pa.array(["q", None, "q"]).dictionary_encode(), "doc_id": [1, 2, 3], "score": [1.0] * 3}
    )
    with pytest.raises(tr.InputError, match="'query_id' has no value in row 2"):
        tr.evaluate({"q": [1]}, frame, "RR")


def test_a_column_of_text_and_numbers_together_is_refused():
    frame = pd.DataFrame({"query_id": ["q", 1], "doc_id": ["a", "b"], "score": [1.0, 2.0]}, dtype=object)
    with pytest.raises(tr.InputError, match="Arrow cannot hold this table"):
        tr.evaluate({"q": ["a"]}, frame, "RR")


@pytest.mark.parametrize("read", [tr.read_qrels, lambda frame: as_table(frame, "items")])
def test_a_column_of_text_that_is_no_unicode_is_refused(read):
    frame = pd.DataFrame({"query_id": ["q"], "doc_id": pd.Series(["\ud800"], dtype=object), "relevance": [1]})
    with pytest.raises(tr.InputError, match="Arrow cannot hold this table: 'utf-8' codec can't encode"):
        read(frame)


def test_ids_that_are_numbers_longer_than_64_bits_are_refused_as_such():
    frame = pd.DataFrame({"query_id": ["q"], "doc_id": pd.Series([2**70], dtype=object), "score": [1.0]})
    with pytest.raises(tr.InputError, match="Arrow cannot hold this table: Python int too large"):
        tr.evaluate({"q": [2**70]}, frame, "RR")


def test_grades_in_a_column_named_score_must_be_whole():
    frame = pl.DataFrame({"query-id": ["q", "q"], "corpus-id": ["a", "b"], "score": [1, 2]})
    assert tr.read_qrels(frame).to_dict() == {"q": {"a": 1.0, "b": 2.0}}
    with pytest.raises(tr.InputError, match="qrels:2: this score is a fraction, as in a run"):
        tr.read_qrels(frame.with_columns(score=pl.Series([1.0, 0.5])))


def test_judgements_with_missing_or_repeated_values_are_refused():
    frame = pl.DataFrame({"qid": ["q", "q"], "docno": ["a", "b"], "relevance": [1.0, float("inf")]})
    with pytest.raises(tr.InputError, match="qrels:2: the grade is not a finite number"):
        tr.read_qrels(frame)
    with pytest.raises(tr.InputError, match=r"qrels:2: document a .*\(first in line 1\)"):
        tr.read_qrels(frame.with_columns(docno=pl.lit("a"), relevance=1))


def test_without_pyarrow_a_frame_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(tr.MissingPackage, match=r'pip install "truerank\[frames\]"'):
        tr.evaluate({"q": ["a"]}, pl.DataFrame({"qid": ["q"], "docid": ["a"], "score": [1.0]}), "RR")


def test_a_run_goes_through_parquet_unchanged(round_trip):
    round_trip("parquet")


def test_qrels_go_through_parquet_sorted_by_query(qrels_round_trip):
    qrels_round_trip("parquet")


def test_what_is_written_is_what_other_readers_read(run_file, run, tmp_path, monkeypatch):
    monkeypatch.setattr("truerank.formats.parquet.ROWS", 100)
    convert(run_file, tmp_path / "a.parquet")
    rows = [(q, d, s) for q, answer in run.items() for d, s in answer.items()]
    assert pl.read_parquet(tmp_path / "a.parquet").rows() == rows
    assert list(pd.read_parquet(tmp_path / "a.parquet").itertuples(index=False, name=None)) == rows
    assert pq.ParquetFile(tmp_path / "a.parquet").num_row_groups > 5


@pytest.mark.parametrize("kind", ["arrow", "large strings", "dictionary", "bytes"])
def test_parquet_written_by_others_gives_the_bits_of_the_dict(kind, table, qrels, tmp_path, bits, expected):
    other = KINDS[kind](table)
    other = other.append_column("text", pa.array(["long text"] * len(other)))
    pq.write_table(other, tmp_path / "a.bin", row_group_size=50)
    assert bits(qrels, tmp_path / "a.bin") == expected


def test_interleaved_rows_of_a_parquet_file_give_the_bits_of_the_dict(table, qrels, tmp_path, bits, expected):
    pq.write_table(shuffled(pl.DataFrame(table)).to_arrow(), tmp_path / "a.parquet", row_group_size=11)
    assert bits(qrels, tmp_path / "a.parquet") == expected


def test_damaged_parquet_is_refused(table, tmp_path):
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=50)
    whole = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(tr.InputError, match=r"cut\.parquet: the Parquet data is damaged or cut short"):
        tr.evaluate({"q": ["a"]}, tmp_path / "cut.parquet", "RR")
    (tmp_path / "bad.parquet").write_bytes(whole[:200] + bytes(300) + whole[500:])
    with pytest.raises(tr.InputError, match=r"bad\.parquet: "):
        tr.evaluate({"q": ["a"]}, tmp_path / "bad.parquet", "RR")


def test_parquet_says_when_the_two_files_are_swapped(judged, table, tmp_path):
    pq.write_table(judged, tmp_path / "judged.parquet")
    pq.write_table(table, tmp_path / "run.parquet")
    with pytest.raises(tr.InputError, match="this holds qrels, not a run: are the two files swapped"):
        open_run(tmp_path / "judged.parquet")
    with pytest.raises(tr.InputError, match="fraction, as in a run, and no grade: are the two files swapped"):
        tr.read_qrels(tmp_path / "run.parquet")


def test_a_query_of_polars_that_is_not_yet_asked_is_asked():
    qrels = pl.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "relevance": [0, 1]})
    run = pl.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [2.0, 1.0]})
    assert tr.evaluate(qrels.lazy(), run.lazy(), "RR").mean == {"RR": 0.5}
    places = pl.DataFrame({"id": ["a", "b"], "lat": [40.0, 41.0], "lon": [2.0, 2.5]})
    assert truth.nearest(places.lazy(), places.lazy()).to_dict() == {"a": {"a": 1.0}, "b": {"b": 1.0}}
    log = pl.DataFrame({"query": ["q"], "docs": [["a", "b"]], "clicks": [["b"]]})
    assert truth.coec(log.lazy(), impressions=1).to_dict() == truth.coec(log, impressions=1).to_dict()


LISTS = {
    "query_id": ["q1", "q2", "q3"],
    "question": ["a", "b", "c"],
    "retrieved_ids": [["d1", "d2"], ["d3", "d4"], []],
    "scores": [[0.5, 0.75], [0.5, 0.25], []],
    "reference_ids": [["d1"], ["d3", "d5"], ["d6"]],
}


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table, lambda t: pa.table(t).to_reader()])
@pytest.mark.parametrize("without", [(), ("scores",)])
def test_a_row_may_be_a_query_with_its_documents(kind, without, tmp_path):
    columns = {name: column for name, column in LISTS.items() if name not in without}
    records = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    found = tr.evaluate(kind(columns), kind(columns), "RR R@2 nDCG")
    assert found.mean == tr.evaluate(records, records, "RR R@2 nDCG").mean
    assert found.mean["RR"] == pytest.approx(2 / 3 if without else 0.5)

    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    assert tr.evaluate(tmp_path / "a.parquet", tmp_path / "a.parquet", "RR R@2 nDCG").mean == found.mean


def test_parquet_with_a_list_a_query_says_which_it_holds(tmp_path):
    pq.write_table(pa.table({"qid": [1], "retrieved_ids": [["a"]]}), tmp_path / "a.parquet")
    assert tr.evaluate({1: ["a"]}, tmp_path / "a.parquet", "RR").mean == {"RR": 1.0}
    with pytest.raises(tr.InputError, match="this holds a run, not qrels"):
        tr.read_qrels(tmp_path / "a.parquet")


def test_rows_of_documents_stay_rows_of_documents_beside_lists():
    frame = pd.DataFrame(
        {"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [2.0, 1.0], "hits": [["x"], ["y"]]}
    )
    assert tr.evaluate({"q": ["b"]}, frame, "RR").mean == {"RR": 0.5}
    with pytest.raises(tr.InputError, match="a list of documents should stand here, not 'a b'"):
        tr.evaluate({"q": ["b"]}, pd.DataFrame({"query_id": ["q"], "hits": ["a b"]}), "RR")


@pytest.mark.parametrize("first", [0, 1])
def test_uuids_are_their_text(first, tmp_path):
    ids = [uuid.UUID(int=i) for i in range(3)]
    column = pa.ExtensionArray.from_storage(pa.uuid(), pa.array([each.bytes for each in ids], pa.binary(16)))
    rows = pa.table({"query_id": ["q"] * 3, "doc_id": column, "score": [1.0] * 3}).slice(first)
    pq.write_table(rows, tmp_path / "run.parquet")
    expected = {"q": dict.fromkeys(map(str, ids[first:]), 1.0)}
    objects = pd.DataFrame({"query_id": "q", "doc_id": ids[first:], "score": 1.0})
    for run in (rows, tmp_path / "run.parquet", objects):
        assert open_run(run).to_dict() == expected


KINDS_OF_FRAMES = [pd.DataFrame, lambda columns: pl.DataFrame(pa.table(columns)), pa.table]


@pytest.mark.parametrize("kind", KINDS_OF_FRAMES)
def test_objects_in_cells_have_the_documents_of_their_own_row_alone(kind, tmp_path):
    cells = [{"a": 1.0, "x": 2.0}, {"b": 3.0}, {}]
    frame = kind({"query_id": ["1", "2", "3"], "docs": cells})
    pq.write_table(frames.stream(frame, "run").read_all(), tmp_path / "run.parquet")
    for run in (frame, tmp_path / "run.parquet"):
        assert open_run(run).to_dict() == dict(zip("123", cells, strict=True))
    judged = tr.read_qrels(kind({"query_id": ["1", "2", "3"], "relevant": cells}))
    assert judged.to_dict() == {"1": {"a": 1.0, "x": 2.0}, "2": {"b": 3.0}, "3": {}}


@pytest.mark.parametrize("kind", KINDS_OF_FRAMES)
def test_lists_in_columns_of_single_values_are_refused_with_what_to_call_them(kind):
    frame = kind(
        {"user_id": ["1", "2"], "item_id": [["a", "x"], ["b"]], "rating": [[1, 2], [3]], "score": [2.0, 1.0]}
    )
    for read in (tr.read_qrels, lambda run: open_run(run).to_dict()):
        with pytest.raises(tr.InputError, match="column 'item_id' holds lists: where a row is a query, call"):
            read(frame)
