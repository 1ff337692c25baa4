"""Long files are cut where queries begin, and tasks read the pieces: one machine's bits, ledger and errors."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow
import pytest
from pyarrow import parquet

import truerank as tr
from truerank.formats import parquet as parquet_format
from truerank.formats import trec

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")

MEASURES = "nDCG@10 AP RR P@10 R@100"
QRELS = {f"q{i}": {f"d{7 * i * j % 60}": j % 5 - 1 for j in range(7)} for i in range(40)}
ROWS = [(f"q{i}", f"d{j}", float(i * j % 15)) for i in range(3, 44) for j in range(i % 30 + 1)]


@pytest.fixture(autouse=True)
def small(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Pieces of some hundred bytes."""
    setting = "spark.sql.files.maxPartitionBytes"
    before = spark.conf.get(setting)
    spark.conf.set(setting, "500")
    monkeypatch.setattr(trec, "PIECE", 1)
    monkeypatch.setattr(parquet_format, "PIECE", 1)
    yield
    spark.conf.set(setting, before)


def text(path: Path, rows: list[tuple[str, str, float]]) -> Path:
    path.write_text("".join(f"{query} Q0 {doc} 1 {score} tag\n" for query, doc, score in rows))
    return path


def table(path: Path, rows: list[tuple[str, str, float]]) -> Path:
    columns = dict(zip(("query", "doc", "score"), map(list, zip(*rows, strict=True)), strict=True))
    parquet.write_table(pyarrow.table(columns), path, row_group_size=50)
    return path


def same(found: tr.Scores, wanted: tr.Scores) -> None:
    assert {name: column.tobytes() for name, column in found.columns.items()} == {
        name: column.tobytes() for name, column in wanted.columns.items()
    }
    assert found.ledger == wanted.ledger


@pytest.mark.parametrize("write", [text, table])
def test_pieces_of_a_file_are_one_run(write, tmp_path: Path) -> None:
    path = write(tmp_path / "run", ROWS)
    assert "the run is 1 file, cut into" in repr(tr.spark.explain(QRELS, path))
    same(tr.spark.evaluate(QRELS, path, MEASURES), tr.evaluate(QRELS, path, MEASURES))


@pytest.mark.parametrize("rules", ["truerank", {"ties": "input", "duplicates": "last"}], ids=str)
@pytest.mark.parametrize("write", [text, table])
def test_rows_of_a_query_in_several_pieces_are_counted_together(write, tmp_path: Path, rules) -> None:
    path = write(tmp_path / "run", random.Random(4).sample(ROWS, len(ROWS)))
    wanted = tr.evaluate(QRELS, path, MEASURES, rules=rules)
    assert wanted.ledger.interleaved
    same(tr.spark.evaluate(QRELS, path, MEASURES, rules=rules), wanted)


def test_pieces_behind_a_url(tmp_path: Path) -> None:
    path = table(tmp_path / "run.parquet", ROWS)
    assert "cut into" in repr(tr.spark.explain(QRELS, path.as_uri()))
    found = tr.spark.evaluate(QRELS, path.as_uri(), MEASURES)
    assert found.mean == tr.evaluate(QRELS, path, MEASURES).mean


def test_more_judgements_than_the_driver_holds_are_read_with_pieces(spark: SparkSession, tmp_path: Path) -> None:
    judged = [(query, doc, grade) for query, docs in QRELS.items() for doc, grade in docs.items()]
    qrels = spark.createDataFrame(judged, "query string, doc string, grade int")
    path = text(tmp_path / "run", ROWS)
    found = tr.spark.evaluate(qrels, path, MEASURES, held=0)
    assert found.ledger == tr.evaluate(QRELS, path, MEASURES).ledger


def test_an_error_in_a_piece_names_the_line_of_the_file(tmp_path: Path) -> None:
    path = text(tmp_path / "run", ROWS)
    lines = path.read_text().splitlines(keepends=True)
    lines[400] = "q9 Q0 d1 1 much tag\n"
    path.write_text("".join(lines))
    with pytest.raises(tr.InputError, match=r"run:401: ") as one:
        tr.evaluate(QRELS, path)
    with pytest.raises(tr.InputError) as other:
        tr.spark.evaluate(QRELS, path)
    assert str(other.value) == str(one.value)
