"""Runs on Spark give one machine's numbers, to the bit: values, means and the ledger."""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow
import pytest

import truerank as tr
from truerank.formats import convert
from truerank.interop.spark import evaluation, reading

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")

MEASURES = "nDCG@10 nDCG AP RR P@5 R@100 ERR Bpref NumRet"
SCHEMA = "query string, doc string, score double"

Rows = list[tuple[str, str, float]]


def world(queries: int = 40, docs: int = 60, seed: int = 7) -> tuple[dict[str, dict[str, int]], Rows]:
    """Judgements, and a run with ties, unjudged queries and missing ones."""
    draw = random.Random(seed)
    qrels = {f"q{i}": {f"d{draw.randrange(docs)}": draw.randrange(-1, 4) for _ in range(6)} for i in range(queries)}
    run = [
        (f"q{i}", f"d{doc}", float(draw.randrange(15)))
        for i in range(3, queries + 4)
        for doc in draw.sample(range(docs), draw.randrange(1, 30))
    ]
    return qrels, run


QRELS, RUN = world()


def as_dict(rows: Rows) -> dict[str, dict[str, float]]:
    run: dict[str, dict[str, float]] = {}
    for query, doc, score in rows:
        run.setdefault(query, {})[doc] = score
    return run


def same(found: tr.Scores, wanted: tr.Scores, *, interleaved: bool = False) -> None:
    """To the bit, and the ledger with its examples; a query that is in two files is scattered in these."""
    assert list(found.queries) == list(wanted.queries)
    assert {name: column.tobytes() for name, column in found.columns.items()} == {
        name: column.tobytes() for name, column in wanted.columns.items()
    }
    assert found.mean == wanted.mean
    assert found.ledger == replace(wanted.ledger, interleaved=interleaved)


@pytest.fixture(scope="module")
def clustered(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(RUN, SCHEMA).coalesce(1).cache()


ONE = tr.evaluate(QRELS, as_dict(RUN), MEASURES)


@pytest.mark.parametrize("plan", ["partitions", "shuffle"])
def test_measures_of_whole_lists_have_the_rows_that_they_see(spark: SparkSession, plan: str) -> None:
    run, one = spark.createDataFrame(RUN, SCHEMA).repartition(3, "query"), as_dict(RUN)
    measures = "Coverage(docs=60)@5 Gini(docs=60)@5 GAP Coverage(docs=60) nDCG@10"
    found = tr.spark.evaluate(QRELS, run, measures, plan=plan)
    assert isinstance(found, tr.Scores)
    same(found, tr.evaluate(QRELS, one, measures))
    compared = tr.spark.compare(QRELS, {"a": run, "b": run}, "GAP nDCG", plan=plan)
    assert compared.to_dict() == tr.compare(QRELS, {"a": one, "b": one}, "GAP nDCG").to_dict()


@pytest.mark.parametrize("plan", ["partitions", "shuffle"])
def test_scores_that_rise_along_every_list_are_told_of(spark: SparkSession, plan: str) -> None:
    far = [(f"q{i}", f"d{doc}", doc / 10) for i in range(9) for doc in range(5)]
    for rows, does_rise in ((far, True), (far[:-1], True), (far[::-1], False)):
        frame = spark.createDataFrame(rows, SCHEMA).coalesce(1)
        assert tr.spark.evaluate(QRELS, frame, "AP", plan=plan).ledger.rising == does_rise


@pytest.mark.parametrize("ending", [".run", ".parquet"])
def test_scores_that_rise_in_all_files_are_told_of(spark: SparkSession, tmp_path: Path, ending: str) -> None:
    far = [(f"q{i}", f"d{doc}", doc / 10) for i in range(9) for doc in range(5)]
    write(tmp_path, in_parts(far, 10, 25), ending)
    assert tr.spark.evaluate(QRELS, str(tmp_path), "AP").ledger.rising
    write(tmp_path, [*in_parts(far, 10, 25)[:2], far[:24:-1]], ending)
    assert not tr.spark.evaluate(QRELS, str(tmp_path), "AP").ledger.rising


@pytest.mark.parametrize(
    ("parts", "plan"), [(1, None), (4, None), (4, "partitions"), (4, "passes"), (4, "shuffle")]
)
def test_any_plan_gives_one_machines_bits(clustered: DataFrame, parts: int, plan: str | None) -> None:
    frame = clustered if parts == 1 else clustered.repartition(parts)
    same(tr.spark.evaluate(QRELS, frame, MEASURES, plan=plan), ONE)


def write(folder: Path, parts: list[Rows], ending: str) -> list[Path]:
    """The rows as files."""
    paths = []
    for number, rows in enumerate(parts):
        text = folder / f"part-{number}.run"
        text.write_text("".join(f"{q} Q0 {d} 1 {s!r} tag\n" for q, d, s in rows))
        paths.append(folder / f"part-{number}{ending}")
        if ending != ".run":
            convert(text, paths[-1], what="run")
            text.unlink()
    return paths


def in_parts(rows: Rows, *cuts: int) -> list[Rows]:
    edges = [0, *cuts, len(rows)]
    return [rows[a:b] for a, b in pairwise(edges)]


@pytest.mark.parametrize("ending", [".run", ".parquet", ".jsonl", ".run.gz"])
def test_tasks_read_files_themselves(spark: SparkSession, tmp_path: Path, ending: str) -> None:
    turns = [i for i in range(1, len(RUN)) if RUN[i][0] != RUN[i - 1][0]]
    write(tmp_path, in_parts(RUN, turns[5], turns[20]), ending)
    same(tr.spark.evaluate(QRELS, tmp_path, MEASURES), ONE)
    same(tr.spark.evaluate(QRELS, f"{tmp_path}/part-*{ending}", MEASURES), ONE)


def test_queries_cut_by_files_are_read_again_together(spark: SparkSession, tmp_path: Path) -> None:
    write(tmp_path, in_parts(RUN, 100, 101, 300), ".run")
    same(tr.spark.evaluate(QRELS, tmp_path, MEASURES), ONE, interleaved=True)


def test_queries_cut_by_files_keep_their_order_where_rules_ask_for_it(spark: SparkSession, tmp_path: Path) -> None:
    rules = {"ties": "input", "duplicates": "last"}
    rows = [*RUN, (*RUN[50][:2], 99.0)]
    whole = write(tmp_path, [rows], ".run")[0].rename(tmp_path / "whole.run")
    wanted = tr.evaluate(QRELS, whole, MEASURES, rules=rules)
    whole.unlink()
    write(tmp_path, in_parts(rows, 100, 300, len(rows) - 1), ".run")
    same(tr.spark.evaluate(QRELS, tmp_path, MEASURES, rules=rules), wanted, interleaved=True)


def test_a_frame_has_no_order_to_break_ties_by(clustered: DataFrame) -> None:
    for rules in ({"ties": "input"}, {"duplicates": "first"}):
        with pytest.raises(tr.RulesError, match="those of a DataFrame have none"):
            tr.spark.evaluate(QRELS, clustered, rules=rules)


@pytest.mark.parametrize("plan", ["partitions", "passes", "shuffle", "counted"])
@pytest.mark.parametrize(
    "rules",
    [
        {"duplicates": "count", "unjudged": "removed"},
        {"duplicates": "once", "depth": 7},
        {"duplicates": "count", "self_match": "remove", "missing": "skip", "score_precision": "single"},
    ],
    ids=lambda rules: rules["duplicates"],
)
def test_duplicates_in_two_partitions_count_as_on_one_machine(
    spark: SparkSession, rules: dict[str, Any], plan: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged = [row for row in RUN if row[0] in QRELS]  # of others, repeats count only where they follow each other
    rows = [*RUN, *((query, doc, score + 1) for query, doc, score in judged[::7]), *judged[::11], ("q5", "q5", 3.0)]
    columns = map(list, zip(*rows, strict=True))
    table = pyarrow.table(dict(zip(("qid", "docno", "score"), columns, strict=True)))
    wanted = tr.evaluate(QRELS, table, MEASURES, rules=rules)
    frame = spark.createDataFrame(table).repartition(3)
    if plan == "counted":  # in a frame that is read again, of which a query is in two partitions
        plan, _ = "partitions", monkeypatch.setattr(reading, "FEW", 0)
        frame = spark.createDataFrame(table.sort_by("qid"))
    same(tr.spark.evaluate(QRELS, frame, MEASURES, rules=rules, plan=plan), wanted)


def test_two_passes_move_rows_once(spark: SparkSession, tmp_path: Path) -> None:
    def noted(batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            if batch.num_rows:
                (tmp_path / uuid.uuid4().hex).touch()
            yield batch

    frame = spark.createDataFrame(sorted(RUN, key=lambda row: row[1]), SCHEMA).repartition(3)
    same(tr.spark.evaluate(QRELS, frame.mapInArrow(noted, SCHEMA), MEASURES, plan="passes"), ONE)
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize("plan", ["partitions", "passes", "shuffle"])
def test_a_duplicate_in_two_partitions_is_refused(clustered: DataFrame, plan: str) -> None:
    with pytest.raises(tr.InputError, match=r"returned (twice|in two parts).*duplicates = count or once"):
        tr.spark.evaluate(QRELS, clustered.union(clustered.limit(1)), plan=plan)


def test_more_judgements_than_every_executor_should_have(
    spark: SparkSession, clustered: DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [(query, doc, grade) for query, docs in QRELS.items() for doc, grade in docs.items()]
    qrels = spark.createDataFrame(rows, "query_id string, doc_id string, relevance int")
    same(tr.spark.evaluate(qrels, clustered, MEASURES), ONE)
    monkeypatch.setattr(evaluation, "SHARED", 10)
    assert tr.spark.explain(qrels, clustered).way == "shuffle"
    same(tr.spark.evaluate(qrels, clustered.repartition(2), MEASURES), ONE)
    for keep in (3, "all"):
        rules = {"self_match": "remove"}
        read = tr.spark.read(qrels, clustered, rules=rules, keep=keep)
        assert read.kept == tr.read(QRELS, as_dict(RUN), rules=rules, keep=keep).kept
    write(tmp_path, in_parts(RUN, 100), ".run")
    same(tr.spark.evaluate(qrels, tmp_path, MEASURES), ONE)


def test_ranks_in_place_of_scores_stay_ranks_whatever_the_way(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged = {"q": {"a": 1, "b": 2}, "r": {"a": 1}}
    rows = [("q", "a", 1), ("r", "a", 1), ("q", "x", 2), ("q", "b", 3)]
    frame = spark.createDataFrame(rows, "query string, doc string, rank int")
    (tmp_path / "run.jsonl").write_text(
        '{"query_id": "q", "docs": ["a", "x", "b"]}\n{"query_id": "r", "docs": ["a"]}\n'
    )
    grades = [(query, doc, grade) for query, docs in judged.items() for doc, grade in docs.items()]
    qrels = spark.createDataFrame(grades, "query string, doc string, relevance int")

    one = tr.evaluate(judged, {"q": ["a", "x", "b"], "r": ["a"]}, "AP nDCG@2")

    def is_refused(qrels: Any, run: Any, plan: str | None = None) -> None:
        same(tr.spark.evaluate(qrels, run, "AP nDCG@2", plan=plan), one)
        with pytest.raises(tr.MeasureError, match="ranks in place of scores"):
            tr.spark.evaluate(qrels, run, "GAP", plan=plan)

    for plan in ("partitions", "passes", "shuffle"):
        is_refused(judged, frame, plan)
    is_refused(judged, tmp_path)
    monkeypatch.setattr(evaluation, "SHARED", 1)
    is_refused(qrels, frame)
    is_refused(qrels, tmp_path)


def test_several_lists_a_query_are_refused_by_the_way_of_many_judgements_too(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{"query_id": "q", "doc_id": doc, "score": 1.0, "call": call} for doc, call in (("x", 1), ("a", 2))]
    (tmp_path / "run.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    qrels = spark.createDataFrame([("q", "a", 1), ("q", "b", 1)], "query string, doc string, relevance int")
    for shared in (10, 1):
        monkeypatch.setattr(evaluation, "SHARED", shared)
        with pytest.raises(tr.TruerankError, match="the run has several lists per query, one per call"):
            tr.spark.evaluate(qrels, tmp_path, "AP")


def test_aspects_of_a_frame_are_those_of_one_machine(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [("q", "a", 1, 1, 0.5), ("q", "a", 2, 2, 0.25), ("q", "b", 1, 1, 0.5), ("q", "c", 10, 1, 0.25)]
    qrels = spark.createDataFrame(
        rows, "query_id string, doc_id string, subtopic int, relevance int, weight double"
    )
    run = spark.createDataFrame([("q", "b", 3.0), ("q", "a", 2.0)], "query string, doc string, score double")
    measures = "alpha_nDCG@5 ERR_IA@5 AP"
    same(tr.spark.evaluate(qrels, run, measures), tr.evaluate(qrels.toArrow(), run.toArrow(), measures))
    monkeypatch.setattr(evaluation, "SHARED", 1)
    with pytest.raises(tr.InputError, match="judgements of aspects go to every executor"):
        tr.spark.evaluate(qrels, run, measures)


def test_groups_are_those_of_the_queries_alone(clustered: DataFrame) -> None:
    by = {query: int(query[1:]) % 3 for query in QRELS if query != "q9"}
    found = tr.spark.evaluate(QRELS, clustered, MEASURES, by=by)
    for value in range(3):
        qrels = {query: QRELS[query] for query, each in by.items() if each == value}
        wanted = tr.evaluate(qrels, as_dict(RUN), MEASURES)
        assert found[value].mean == wanted.mean
        assert found[value].ledger == replace(wanted.ledger, extra=0, examples=found[value].ledger.examples)


def test_runs_are_compared_as_on_one_machine(clustered: DataFrame, tmp_path: Path) -> None:
    better = [(query, doc, score + QRELS.get(query, {}).get(doc, 0)) for query, doc, score in RUN]
    write(tmp_path, in_parts(better, 200), ".run")
    runs = {"old": clustered, "new": tmp_path}
    found = tr.spark.compare(QRELS, runs, "nDCG@10 AP", "old", samples=200)
    wanted = tr.compare(QRELS, {"old": as_dict(RUN), "new": as_dict(better)}, "nDCG@10 AP", "old", samples=200)
    assert found.to_dict() == wanted.to_dict()


def test_partitions_without_rows_are_passed_over(spark: SparkSession, tmp_path: Path) -> None:
    write(tmp_path, [[], RUN, []], ".run")
    for paths in (tmp_path, tmp_path.as_uri(), sorted(tmp_path.iterdir())):
        same(tr.spark.evaluate(QRELS, paths, MEASURES), ONE)


def test_a_look_at_a_frame_chooses_the_way(clustered: DataFrame, spark: SparkSession) -> None:
    from pyspark.sql import functions

    scattered = spark.createDataFrame(sorted(RUN, key=lambda row: row[1]), SCHEMA)
    assert tr.spark.explain(QRELS, clustered).way == "partitions"
    assert tr.spark.explain(QRELS, clustered.repartition(3, "query")).way == "partitions"
    by_expression = scattered.repartition(3, functions.hash("query") % 8)
    assert tr.spark.explain(QRELS, by_expression).way in ("partitions", "shuffle")  # by its rows, as they come
    assert tr.spark.explain(QRELS, scattered).way == "shuffle"
    assert tr.spark.explain(QRELS, scattered, distinct=True).way == "passes"
    assert "judgements go to every executor" in repr(tr.spark.explain(QRELS, scattered))
    with pytest.raises(tr.InputError, match="not for this run: give paths"):
        tr.spark.explain(QRELS, clustered, plan="paths")
    with pytest.raises(tr.InputError, match=r"no plan shufle\. Did you mean shuffle\?"):
        tr.spark.explain(QRELS, clustered, plan="shufle")


@pytest.mark.parametrize("run", [{"q1": ["d1"]}, pyarrow.table({"query": ["q"]}).to_pandas(), [("q", "d", 1.0)], 7])
def test_a_run_in_memory_of_the_driver_is_refused(spark: SparkSession, run: Any) -> None:
    with pytest.raises(tr.InputError, match="a run on Spark is paths of files, or a DataFrame of Spark, not "):
        tr.spark.evaluate(QRELS, run, "AP")
