"""Arrow's files and streams, as others write them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import truerank as tr
from truerank import truth

pa = pytest.importorskip("pyarrow")


def of_rows(run: dict[str, dict[str, float]]) -> Any:
    """A row a document, with the queries in a dictionary."""
    rows = [(query, doc, score) for query, answer in run.items() for doc, score in answer.items()]
    queries, docs, scores = zip(*rows, strict=True)
    return pa.table({"query_id": pa.array(queries).dictionary_encode(), "doc_id": docs, "score": scores})


def of_lists(run: dict[str, dict[str, float]]) -> Any:
    """A row a query."""
    columns = {"query_id": run, "docs": map(list, run.values())}
    return pa.table({**{name: list(each) for name, each in columns.items()}, "scores": lists(run)})


def lists(run: dict[str, dict[str, float]]) -> list[list[float]]:
    """The scores of each query."""
    return [list(answer.values()) for answer in run.values()]


def written(table: Any, path: Path, is_stream: bool, packed: str | None = None, rows: int = 100) -> Path:
    """The table as a file or stream of batches."""
    write = pa.ipc.new_stream if is_stream else pa.ipc.new_file
    with write(path, table.schema, options=pa.ipc.IpcWriteOptions(compression=packed)) as file:
        file.write_table(table, max_chunksize=rows)
    return path


@pytest.mark.parametrize("is_stream", [True, False])
@pytest.mark.parametrize("packed", [None, "lz4", "zstd"])
@pytest.mark.parametrize("table", [of_rows, of_lists])
def test_a_table_of_arrow_gives_the_bits_of_the_dict(
    table, packed, is_stream, run, qrels, bits, expected, tmp_path
):
    path = written(table(run), tmp_path / "a.arrow", is_stream, packed)
    assert bits(qrels, path) == bits(qrels, f"file://{path}") == bits(qrels, [path]) == expected


@pytest.mark.parametrize("is_stream", [True, False])
def test_judgements_of_arrow_are_those_of_the_dict(is_stream, run, qrels, bits, expected, tmp_path):
    rows = [(query, doc, grade) for query, judged in qrels.items() for doc, grade in judged.items()]
    table = pa.table(
        dict(zip(["query_id", "doc_id", "relevance"], map(list, zip(*rows, strict=True)), strict=True))
    )
    path = written(table, tmp_path / "a.feather", is_stream)
    assert bits(path, run) == expected
    with pytest.raises(tr.InputError, match=r"a\.feather: this holds qrels, not a run: are the two files swapped"):
        tr.evaluate(qrels, path, "AP")


@pytest.mark.parametrize("is_stream", [True, False])
def test_arrow_that_is_cut_short_is_refused(is_stream, run, qrels, tmp_path):
    path = written(of_rows(run), tmp_path / "a.arrow", is_stream)
    path.write_bytes(path.read_bytes()[:-1000])
    with pytest.raises(tr.InputError, match=r"a\.arrow: the Arrow data is damaged or cut short"):
        tr.evaluate(qrels, path, "AP")


@pytest.mark.parametrize("read", [tr.read_qrels, truth.read_items])
def test_a_column_of_arrow_whose_name_is_no_text_is_refused(read, tmp_path):
    path = written(pa.table({"query_id": ["q"], "doc_id": ["a"], "relevance": [1]}), tmp_path / "a.arrow", True)
    path.write_bytes(path.read_bytes().replace(b"doc_id", b"doc\xff\x83d"))
    with pytest.raises(tr.InputError, match=r"a\.arrow: the Arrow data is damaged or cut short"):
        read(path)


@pytest.mark.parametrize("is_stream", [True, False])
def test_a_row_without_a_value_is_named(is_stream, qrels, tmp_path):
    table = pa.table({"query_id": ["q", "q"], "doc_id": ["a", None], "score": [2.0, 1.0]})
    path = written(table, tmp_path / "a.arrow", is_stream)
    with pytest.raises(tr.InputError, match=r"a\.arrow: column 'doc_id' has no value in row 2"):
        tr.evaluate(qrels, path, "AP")


def test_a_file_of_arrow_may_have_a_name_that_is_not_utf8(tmp_path):
    """Such as all names beyond ASCII where the locale is ASCII alone."""
    here, named = tmp_path / "a.arrow", tmp_path / os.fsdecode(b"\xff.arrow")
    written(of_rows({"q": {"a": 2.0, "b": 1.0}}), here, is_stream=False).rename(named)
    assert tr.evaluate({"q": {"b": 1}}, named, "RR").mean == {"RR": 0.5}
    tr.read({"q": {"b": 1}}, {"q": ["a", "b"]}).save(here)
    here.rename(named)
    assert tr.evaluate(tr.Reading.load(named), measures="RR").mean == {"RR": 0.5}
