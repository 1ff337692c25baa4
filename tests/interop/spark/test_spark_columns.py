"""What Spark would do to ids and scores, and does not: collations, padding, session settings, lenient casts."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow
import pytest

import truerank as tr

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")


def found(frame: DataFrame, qrels: Any, rules: Any = None, plan: str = "partitions") -> tr.Reading:
    return tr.spark.read(qrels, frame, rules=rules, plan=plan)


@pytest.mark.parametrize("plan", ["partitions", "shuffle"])
def test_ids_that_a_collation_takes_for_one_stay_two(spark: SparkSession, plan: str) -> None:
    rows = [("q1", "a", 1.0), ("Q1", "A", 2.0), ("q1", "A", 3.0)]
    frame = spark.createDataFrame(
        rows, "query string collate UTF8_LCASE, doc string collate UTF8_LCASE, score double"
    )
    reading = found(frame, {"q1": {"a": 1}, "Q1": {"a": 1}}, plan=plan)
    assert reading.rows.returned.tolist() == [1, 2]
    assert reading.hits.rank.tolist() == [2]


@pytest.mark.parametrize("plan", ["partitions", "passes", "shuffle"])
def test_ids_that_are_no_text_are_kept(spark: SparkSession, plan: str) -> None:
    rows = {"query": [b"\xff", b"\xff", b"\xfe\x00"], "doc": [b"\x80", b"d", b"d"], "score": [1.0, 2.0, 3.0]}
    frame = spark.createDataFrame(pyarrow.table(rows)).repartition(2)
    reading = found(frame, {b"\xff": {b"\x80": 1}, b"\xfe\x00": {b"d": 2}}, plan=plan)
    assert reading.rows.queries == (b"\xfe\x00", b"\xff")
    assert reading.hits.rank.tolist() == [1, 2]


def test_whole_numbers_are_ids_by_their_digits(spark: SparkSession) -> None:
    rows = [(7, 2**62, 5), (-1, 0, 4)]
    frame = spark.createDataFrame(rows, "query_id int, doc_id bigint, score smallint")
    reading = found(frame, {"7": {str(2**62): 1}, "-1": {"0": 1}})
    assert reading.hits.score.tolist() == [4.0, 5.0]


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("double", 1.0),
        ("float", 1.0),
        ("boolean", True),
        ("date", datetime.date(2026, 1, 1)),
        ("timestamp", datetime.datetime(2026, 1, 1)),
        ("decimal(5,1)", Decimal("1.0")),
        ("array<string>", ["a"]),
    ],
)
def test_ids_that_print_by_settings_are_refused(spark: SparkSession, kind: str, value: Any) -> None:
    frame = spark.createDataFrame([("q", value, 1.0)], f"query string, doc {kind}, score double")
    with pytest.raises(tr.InputError, match=r"'doc' holds .*ids are text, bytes or whole numbers; cast them"):
        found(frame, {"q": {"1.0": 1}})


def test_padded_ids_are_refused(spark: SparkSession) -> None:
    spark.sql("create or replace temporary view padded as select 'q' as query, 'a' as doc, 1.0d as score")
    spark.sql("create table if not exists kept (query string, doc char(4), score double) using parquet")
    spark.sql("insert overwrite kept select * from padded")
    frame = spark.table("kept")
    with pytest.raises(tr.InputError, match=r"'doc' holds char\(n\): .*rtrim"):
        found(frame.select("query", "doc", "score"), {"q": {"a": 1}})
    trimmed = frame.selectExpr("query", "rtrim(doc) as doc", "score")
    assert found(trimmed, {"q": {"a": 1}}).hits.rank.tolist() == [1]


@pytest.mark.parametrize("score", [" 1.5 ", "1d", "1e400", "3"])
def test_scores_that_are_text_are_refused(spark: SparkSession, score: str) -> None:
    frame = spark.createDataFrame([("q", "a", score)], "query string, doc string, score string")
    with pytest.raises(tr.InputError, match="'score' holds string: it should hold numbers; cast it"):
        found(frame, {"q": {"a": 1}})


@pytest.mark.parametrize("ansi", ["true", "false"])
@pytest.mark.parametrize(
    ("row", "said"),
    [
        (("q", "a", math.nan), "query q: the score is not a finite number"),
        (("q", "a", math.inf), "query q: the score is not a finite number"),
        (("q", "a", None), "query q: a row has no score"),
        (("q", None, 1.0), "query q: a row has no document"),
        ((None, "a", 1.0), "a row has no query"),
        (("q", "", 1.0), "the document id is empty"),
    ],
)
def test_rows_without_a_value_are_refused(
    spark: SparkSession, row: tuple[Any, ...], said: str, ansi: str, request: pytest.FixtureRequest
) -> None:
    before = spark.conf.get("spark.sql.ansi.enabled")
    spark.conf.set("spark.sql.ansi.enabled", ansi)
    request.addfinalizer(lambda: spark.conf.set("spark.sql.ansi.enabled", before))
    frame = spark.createDataFrame([("p", "a", 1.0), row], "query string, doc string, score double").coalesce(1)
    with pytest.raises(tr.InputError, match=said):
        found(frame, {"q": {"a": 1}})


def test_numbers_of_every_kind_are_widened_as_they_are(spark: SparkSession) -> None:
    decimals = ["0.1", "0.30000000000000004441", "123456789012345.67890123456789", "7.0E-20"]
    rows = [("q", f"d{i}", Decimal(text)) for i, text in enumerate(decimals)]
    frame = spark.createDataFrame(rows, "query string, doc string, score decimal(38,20)")
    reading = found(frame, {"q": dict.fromkeys(("d0", "d1", "d2", "d3"), 1)})
    assert sorted(reading.hits.score.tolist()) == sorted(map(float, decimals))
    narrow = frame.selectExpr("query", "doc", "cast(score as float) as score")
    wide = pyarrow.array([float(text) for text in decimals], pyarrow.float32()).to_pylist()
    assert sorted(found(narrow, {"q": {"d0": 1}}).hits.score.tolist()) == [wide[0]]


def test_a_rank_falls(spark: SparkSession) -> None:
    rows = [("q", "a", 2), ("q", "b", 1)]
    assert found(spark.createDataFrame(rows, "qid string, docno string, rank int"), {"q": {"a": 1}}).hits.rank == [
        2
    ]


def test_columns_are_found_however_they_are_called(spark: SparkSession) -> None:
    frame = spark.createDataFrame([("q", "a", 1.0)], "`query.id` string, `doc id` string, `sc``ore` double")
    assert found(frame, {"q": {"a": 1}}).hits.rank.tolist() == [1]
    with pytest.raises(tr.InputError, match="no column holds the query ids"):
        found(frame.drop("query.id"), {"q": {"a": 1}})


@pytest.mark.parametrize("plan", ["partitions", "passes", "shuffle"])
def test_small_batches_and_empty_partitions_change_nothing(
    spark: SparkSession, plan: str, request: pytest.FixtureRequest
) -> None:
    setting = "spark.sql.execution.arrow.maxRecordsPerBatch"
    before = spark.conf.get(setting)
    spark.conf.set(setting, "3")
    request.addfinalizer(lambda: spark.conf.set(setting, before))
    run = {f"q{i}": {f"d{j}": float(j % 3) for j in range(5)} for i in range(4)}
    rows = [(query, doc, score) for query, docs in run.items() for doc, score in docs.items()]
    frame = spark.createDataFrame(rows, "query string, doc string, score double").repartition(9, "query")
    qrels = {f"q{i}": {"d1": 1, "d4": 2} for i in range(5)}
    reading, wanted = found(frame, qrels, plan=plan), tr.read(qrels, run)
    for name in ("rank", "first", "last", "score", "query", "doc"):
        assert getattr(reading.rows, name).tolist() == getattr(wanted.rows, name).tolist()
    assert reading.rows.returned.tolist() == wanted.rows.returned.tolist()


def test_no_rows_at_all(spark: SparkSession) -> None:
    frame = spark.createDataFrame([], "query string, doc string, score double")
    for rows in (frame, frame.repartition(3, "query"), frame.limit(0)):
        assert tr.spark.evaluate({"q": {"a": 1}}, rows, "RR").mean == {"RR": 0.0}


def test_one_query_with_most_of_the_rows(spark: SparkSession) -> None:
    tail = spark.range(20_000).selectExpr(
        "'big' as query", "concat('d', id) as doc", "cast(-id as double) as score"
    )
    frame = tail.union(spark.createDataFrame([("small", "d7", 1.0)], tail.schema)).repartition(4)
    for plan in ("partitions", "shuffle"):
        reading = found(frame, {"big": {"d19999": 1, "d3": 1}, "small": {"d7": 1}}, plan=plan)
        assert reading.hits.rank.tolist() == [4, 20_000, 1]
