"""Parquet read by threads, a stretch of rows each: the bits of one, and errors with their rows."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet as pq

import truerank as tr
from truerank.core.kernel.pages import unsnapped
from truerank.formats import frames, pages, parquet


@pytest.fixture
def rows(run) -> dict[str, list[object]]:
    found = [(q, d, s) for q, answer in run.items() for d, s in answer.items()]
    return dict(zip(["query_id", "doc_id", "score"], map(list, zip(*found, strict=True)), strict=True))


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(parquet, "PIECE", 1)
    monkeypatch.setattr(frames, "ROWS", 50)
    monkeypatch.setattr(pages, "ROWS", 50)


@pytest.mark.parametrize("threads", [1, 3, 16])
@pytest.mark.parametrize("group", [7, 400, 100_000])
@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.binary()])
def test_threads_over_row_groups_give_the_bits_of_the_dict(
    kind, group, threads, rows, qrels, bits, expected, tmp_path
):
    text = {"query_id": kind, "doc_id": kind, "score": pa.float64()}
    plain = pa.table({name: pa.array(rows[name]).cast(text[name]) for name in text})
    for dictionary in (True, False):
        how = {"row_group_size": group, "data_page_size": 64, "write_batch_size": 9}
        pq.write_table(plain, tmp_path / "a.parquet", use_dictionary=dictionary, **how)
        assert bits(qrels, tmp_path / "a.parquet", threads=threads) == expected


@pytest.mark.parametrize("group", [40, 100_000])
def test_pieces_begin_where_queries_begin(group, rows, tmp_path):
    pq.write_table(pa.table(rows), tmp_path / "a.parquet", row_group_size=group)
    pieces = tr.open_run(str(tmp_path / "a.parquet")).pieces(4)
    seen = [{name for part in piece() for name in ids(part)} for piece in pieces]
    assert len(pieces) == 4
    assert sum(map(len, seen)) == len(set().union(*seen)) == len(set(rows["query_id"]))


def ids(part) -> list[bytes]:
    return [bytes(part.query_text)[a:b] for a, b in zip(part.query_ends[:-1], part.query_ends[1:], strict=True)]


def test_pages_of_other_pieces_are_not_unpacked(rows, tmp_path, monkeypatch):
    how = {"compression": "snappy", "use_dictionary": False, "data_page_size": 64, "write_batch_size": 9}
    pq.write_table(pa.table(rows), tmp_path / "a.parquet", **how)
    unpacked = []
    monkeypatch.setattr(pages, "unsnapped", lambda data, size: unpacked.append(size) or unsnapped(data, size))
    last = tr.open_run(str(tmp_path / "a.parquet")).pieces(4)[-1]
    unpacked.clear()
    read = sum(len(part.scores) for part in last())
    rest, whole = len(unpacked), len(rows["score"])
    for _ in tr.open_run(str(tmp_path / "a.parquet")).batches():
        pass
    assert read < whole / 3
    assert rest < (len(unpacked) - rest) / 2


def test_a_dictionary_gives_each_run_of_a_query_once(rows, tmp_path):
    pq.write_table(pa.table(rows), tmp_path / "a.parquet")
    part = next(iter(tr.open_run(str(tmp_path / "a.parquet")).batches()))
    assert part.runs is not None
    assert part.runs[-1] == len(part.scores) == 50
    assert len(part.query_ends) == len(part.runs) < 10


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("score", np.nan, "a.parquet:{row}: the score is not a finite number"),
        ("score", None, "column 'score' has no value in row {row}"),
        ("query_id", None, "column 'query_id' has no value in row {row}"),
        ("query_id", "", "a.parquet:{row}: the query id is empty"),
        ("doc_id", "", "a.parquet:{row}: the document id is empty"),
    ],
)
@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("compression", ["snappy", "lz4"])  # which pyarrow reads
def test_an_error_in_a_later_piece_names_its_row(
    column, value, message, threads, compression, rows, qrels, tmp_path
):
    row = len(rows["score"]) * 3 // 4
    rows[column][row - 1] = value
    pq.write_table(pa.table(rows), tmp_path / "a.parquet", row_group_size=40, compression=compression)
    with pytest.raises(tr.InputError, match=message.format(row=row)):
        tr.evaluate(qrels, tmp_path / "a.parquet", "AP", threads=threads)


def test_a_document_returned_twice_in_a_later_piece_is_named_with_both_rows(rows, qrels, tmp_path):
    rows["query_id"] += ["z", "z"]
    rows["doc_id"] += ["a", "a"]
    rows["score"] += [2.0, 1.0]
    pq.write_table(pa.table(rows), tmp_path / "a.parquet", row_group_size=40)
    n = len(rows["score"])
    with pytest.raises(tr.InputError, match=rf"a.parquet:{n}: .*twice.*first in line {n - 1}"):
        tr.evaluate({**qrels, "z": {"a": 1}}, tmp_path / "a.parquet", "AP", threads=4)
