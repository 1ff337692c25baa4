"""Runs on Spark: each way of truerank, Spark's own evaluators, and one process of ours, on the same rows.

    python benchmarks/spark.py [--rows 20000000] [--cores 2] [--memory 2048] [--only WORD] [--data DIRECTORY]

The executors are processes of their own on this machine. Ends with status 1 when a target is not met; does nothing,
and says so, where Java or PySpark is missing.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import data
import numpy as np
import tables
from tables import Line
from timing import HERE

import truerank as tr

MEASURES = "nDCG@10 AP RR P@10 R@100"
EACH = 1000
"""Rows of a query."""

JUDGED = 40
FILES = 8
LOOPBACK = "127.0.0.1"

METRICS = {
    "ndcgAtK": 10,
    "meanAveragePrecision": 0,
    "meanAveragePrecisionAtK": 10,
    "precisionAtK": 10,
    "recallAtK": 100,
}
"""Spark has no reciprocal rank: five measures are these."""


def lacking() -> str:
    """What is missing here."""
    there = {"Java": shutil.which("java"), "PySpark": importlib.util.find_spec("pyspark")}
    return " and ".join(name for name, found in there.items() if not found)


@dataclass(frozen=True)
class Rows:
    """Judgements and a run in Parquet: its queries whole, and scattered over the files.

    Attributes:
        folder: where they are, or are made.
        queries: how many.
    """

    folder: Path
    queries: int

    @property
    def qrels(self) -> str:
        return str(self.folder / "qrels.parquet")

    @property
    def whole(self) -> str:
        return str(self.folder / "whole")

    @property
    def scattered(self) -> str:
        return str(self.folder / "scattered")

    def make(self) -> None:
        if (self.folder / "done").exists():
            return
        data.say(f"writing {self.folder}: {self.queries:,} queries × {EACH:,} rows, twice")
        import pyarrow
        from pyarrow import parquet

        rng = np.random.default_rng(20)
        for name in ("whole", "scattered"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        names = np.array([f"q{i:07d}" for i in range(self.queries)], object)
        per = -(-self.queries // FILES)
        judged: list[Any] = []
        scattered: list[list[Any]] = [[] for _ in range(FILES)]
        for file in range(FILES):
            queries = names[file * per : (file + 1) * per]
            docs = rng.integers(0, 5_000_000, (len(queries), EACH)) * 2000 + np.arange(EACH)
            scores = -np.sort(-np.round(rng.normal(0, 1, docs.shape), 4), axis=1)
            columns = {
                "query_id": pyarrow.array(np.repeat(queries, EACH)),
                "doc_id": pyarrow.array(docs.ravel()).cast(pyarrow.string()),
                "score": pyarrow.array(scores.ravel()),
            }
            table = pyarrow.table(columns)
            parquet.write_table(table, f"{self.whole}/{file}.parquet", row_group_size=1 << 18)
            for part in range(FILES):
                scattered[part].append(table.take(np.arange(part, len(table), FILES)))
            picked = docs[:, np.unique(rng.geometric(0.02, JUDGED).clip(1, EACH) - 1)]
            judged.append(
                pyarrow.table(
                    {
                        "query_id": pyarrow.array(np.repeat(queries, picked.shape[1])),
                        "doc_id": pyarrow.array(picked.ravel()).cast(pyarrow.string()),
                        "relevance": pyarrow.array(rng.integers(1, 4, picked.size)),
                    }
                )
            )
        for part, pieces in enumerate(scattered):
            table = pyarrow.concat_tables(pieces)
            shuffled = table.take(rng.permutation(len(table)))
            parquet.write_table(shuffled, f"{self.scattered}/{part}.parquet", row_group_size=1 << 18)
        parquet.write_table(pyarrow.concat_tables(judged), self.qrels)
        (self.folder / "done").touch()


@dataclass(frozen=True)
class Cluster:
    """Spark on this machine, and the rows."""

    rows: Rows
    cores: int
    memory: int

    @cached_property
    def session(self) -> Any:
        os.environ |= {"SPARK_LOCAL_IP": LOOPBACK, "SPARK_WORKER_DIR": str(self.rows.folder / "work")}
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        from pyspark.sql import SparkSession

        settings = {
            "spark.driver.host": LOOPBACK,
            "spark.driver.bindAddress": LOOPBACK,
            "spark.driver.memory": "2g",
            "spark.executor.memory": f"{self.memory}m",
            "spark.executor.processTreeMetrics.enabled": "true",
            "spark.executor.metrics.pollingInterval": "500",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.log.level": "ERROR",
            "spark.sql.shuffle.partitions": str(8 * self.cores),
        }
        where = f"local-cluster[{self.cores},1,{self.memory}]"
        return SparkSession.builder.master(where).config(map=settings).getOrCreate()

    def frame(self, path: str) -> Any:
        return self.session.read.parquet(path)

    @cached_property
    def qrels(self) -> tr.Qrels:
        return tr.read_qrels(self.rows.qrels)

    def moved(self) -> int:
        """Bytes that were shuffled so far."""
        executors = self.session.sparkContext._jsc.sc().statusStore().executorList(False)
        return sum(executors.apply(i).totalShuffleWrite() for i in range(executors.size()))

    def peaks(self) -> tuple[float, float]:
        """MB of an executor at most: of its virtual machine, and of its Python processes."""
        store = self.session.sparkContext._jsc.sc().statusStore().executorList(False)
        found = [(0.0, 0.0)]
        for i in range(store.size()):
            peak = store.apply(i).peakMemoryMetrics()
            if peak.isDefined():
                value = peak.get().getMetricValue
                kinds = ("ProcessTreeJVMRSSMemory", "ProcessTreePythonRSSMemory")
                found.append(tuple(value(kind) / 2**20 for kind in kinds))
        return max(jvm for jvm, _ in found), max(python for _, python in found)


Means = dict[str, float]


def by_paths(cluster: Cluster) -> Means:
    return tr.spark.evaluate(cluster.qrels, cluster.rows.whole, MEASURES).mean


def by_frame(plan: str, kind: str, *, distinct: bool = False) -> Callable[[Cluster], Means]:
    def work(cluster: Cluster) -> Means:
        frame = cluster.frame(getattr(cluster.rows, kind))
        return tr.spark.evaluate(cluster.qrels, frame, MEASURES, plan=plan, distinct=distinct).mean

    return work


def one_process(cluster: Cluster) -> Means:
    files = sorted(Path(cluster.rows.whole).glob("*.parquet"))
    readings = [tr.read(cluster.qrels, file) for file in files]
    return tr.evaluate(tr.merge(readings), measures=MEASURES).mean


def lists(cluster: Cluster, kind: str) -> Any:
    """What Spark's evaluators take: a query's documents by score, and its relevant ones; ids as numbers."""
    from pyspark.sql import functions as f

    rows = cluster.frame(getattr(cluster.rows, kind))
    pair = f.struct((-f.col("score")).alias("by"), f.col("doc_id").cast("double").alias("doc"))
    answers = rows.groupBy("query_id").agg(f.sort_array(f.collect_list(pair)).alias("pairs"))
    answers = answers.select("query_id", f.col("pairs.doc").alias("prediction"))
    judged = cluster.frame(cluster.rows.qrels)
    labels = judged.groupBy("query_id").agg(f.collect_list(f.col("doc_id").cast("double")).alias("label"))
    return answers.join(labels, "query_id")


def ranking_evaluator(kind: str) -> Callable[[Cluster], Means]:
    def work(cluster: Cluster) -> Means:
        from pyspark.ml.evaluation import RankingEvaluator

        table = lists(cluster, kind).persist()
        try:
            return {
                name: RankingEvaluator(metricName=name, k=k or 10).evaluate(table)  # type: ignore[arg-type]
                for name, k in METRICS.items()
            }
        finally:
            table.unpersist()

    return work


def ranking_metrics(cluster: Cluster) -> Means:
    from pyspark.mllib.evaluation import RankingMetrics

    metrics = RankingMetrics(lists(cluster, "whole").select("prediction", "label").rdd.map(tuple))
    found = {name: getattr(metrics, name.removesuffix("K")) for name in METRICS}
    return {name: find(METRICS[name]) if METRICS[name] else find for name, find in found.items()}


@dataclass(frozen=True)
class Work:
    """What is timed.

    Attributes:
        peer: the key of the work that it is compared with, of the same rows; empty for peers.
        target: how many times as fast it must be; 0: no target.
    """

    what: str
    do: Callable[[Cluster], Means]
    peer: str = ""
    target: float = 0


WORKS = {
    "evaluator": Work("Spark's RankingEvaluator, five measures, whole queries", ranking_evaluator("whole")),
    "metrics": Work("Spark's RankingMetrics, five measures, whole queries", ranking_metrics),
    "paths": Work("paths: tasks read the files", by_paths, "evaluator", 5),
    "partitions": Work("a DataFrame of whole queries", by_frame("partitions", "whole"), "evaluator", 1),
    "one": Work("one process of truerank, without Spark", one_process, "evaluator"),
    "scattered": Work("Spark's RankingEvaluator, five measures, scattered rows", ranking_evaluator("scattered")),
    "shuffle": Work("a DataFrame, shuffled", by_frame("shuffle", "scattered"), "scattered", 1),
    "passes": Work("a DataFrame, in two passes", by_frame("passes", "scattered", distinct=True), "scattered", 1),
}


def warm_up(cluster: Cluster, keys: list[str]) -> None:
    """Everything once on few rows: virtual machines have compiled it, and Python workers have imported it."""
    few = Rows(cluster.rows.folder.parent / "few", 2 * FILES)
    few.make()
    small = Cluster(few, cluster.cores, cluster.memory)
    small.__dict__["session"] = cluster.session
    for key in keys:
        WORKS[key].do(small)


def measured(cluster: Cluster, keys: list[str]) -> Iterator[Line]:
    warm_up(cluster, keys)
    taken: dict[str, float] = {}
    wanted: Means = {}
    for key in keys:
        work = WORKS[key]
        data.say(work.what)
        before, start = cluster.moved(), time.perf_counter()
        means = work.do(cluster)
        seconds = taken[key] = time.perf_counter() - start
        moved = (cluster.moved() - before) / 2**20
        remark = f"{moved:,.0f} MB shuffled; " + ", ".join(f"{name} {mean:.6f}" for name, mean in means.items())
        data.say(f"  {seconds:.1f} s; {remark}")
        if work.peer and (wanted := wanted or means) != means:
            raise SystemExit(f"{work.what}: other numbers: {means}, not {wanted}")
        yield line(key, work, seconds, taken.get(work.peer), remark)


def line(key: str, work: Work, seconds: float, peer: float | None, remark: str) -> Line:
    if peer is None:
        return Line(f"{seconds:.1f} s", runs="1", remark=remark, key=key, work=work.what, ratio="-")
    ratio = peer / seconds
    target = f"at least {work.target:g} times as fast" if work.target else ""
    cells = (f"{seconds:.1f} s", f"{peer:.1f} s", f"{ratio:.1f} times as fast", target)
    return Line(*cells, ratio >= work.target if work.target else None, "1", remark, key, work.what)


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20_000_000, help="how many (20,000,000)")
    parser.add_argument("--cores", type=int, default=2, help="executors with a core each (2)")
    parser.add_argument("--memory", type=int, default=2048, help="MB of each executor's virtual machine (2048)")
    parser.add_argument("--only", action="append", choices=WORKS, help="only this way, may be repeated")
    parser.add_argument("--data", type=Path, default=HERE / "data" / "spark", help="where the files are")
    return parser.parse_args()


def main() -> None:
    if missing := lacking():
        print(f"Spark: skipped, as {missing} is missing")
        return
    chosen = options()
    rows = Rows((chosen.data / str(chosen.rows)).absolute(), max(1, chosen.rows // EACH))
    rows.make()
    cluster = Cluster(rows, chosen.cores, chosen.memory)
    lines = list(measured(cluster, chosen.only or list(WORKS)))
    jvm, python = cluster.peaks()
    print(tables.terminal(lines))
    print(f"peak memory of an executor: {jvm:,.0f} MB of Java, {python:,.0f} MB of Python")
    cluster.session.stop()
    sys.exit(any(line.is_met is False for line in lines))


if __name__ == "__main__":
    main()
