"""Runs on Spark give one machine's numbers, to the bit: values, means and the ledger."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import truerank as tr
from truerank.formats import convert

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


def same(found: tr.Scores, wanted: tr.Scores) -> None:
    assert list(found.queries) == list(wanted.queries)
    assert {name: column.tobytes() for name, column in found.columns.items()} == {
        name: column.tobytes() for name, column in wanted.columns.items()
    }
    assert found.mean == wanted.mean
    assert found.ledger == wanted.ledger


@pytest.fixture(scope="module")
def clustered(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(RUN, SCHEMA).coalesce(1).cache()


ONE = tr.evaluate(QRELS, as_dict(RUN), MEASURES)


@pytest.mark.parametrize(("parts", "plan"), [(1, None), (4, None), (4, "partitions"), (4, "shuffle")])
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
    return [rows[a:b] for a, b in zip(edges, edges[1:], strict=False)]


@pytest.mark.parametrize("ending", [".run", ".parquet", ".jsonl", ".run.gz"])
def test_tasks_read_files_themselves(spark: SparkSession, tmp_path: Path, ending: str) -> None:
    turns = [i for i in range(1, len(RUN)) if RUN[i][0] != RUN[i - 1][0]]
    write(tmp_path, in_parts(RUN, turns[5], turns[20]), ending)
    same(tr.spark.evaluate(QRELS, tmp_path, MEASURES), ONE)
    same(tr.spark.evaluate(QRELS, f"{tmp_path}/part-*{ending}", MEASURES), ONE)


def test_queries_cut_by_files_are_read_again_together(spark: SparkSession, tmp_path: Path) -> None:
    write(tmp_path, in_parts(RUN, 100, 101, 300), ".run")
    same(tr.spark.evaluate(QRELS, tmp_path, MEASURES), ONE)
