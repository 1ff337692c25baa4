"""Runs on Spark: each way of truerank, Spark's own evaluators, RePlay, and one process of ours, on the same rows.

    python benchmarks/spark.py [--rows 20000000] [--cores 2] [--memory 2048] [--only WORD] [--replay PYTHON]

The executors are processes of their own on this machine. Ends with status 1 when a target is not met; does nothing,
and says so, where Java or PySpark is missing.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import cluster
import data
import numpy as np
import tables
from cluster import Taken
from tables import Line
from timing import HERE, PEERS

import truerank as tr

MEASURES = "nDCG@10 AP RR P@10 R@100"
EACH = 1000
"""Rows of a query."""

JUDGED = 40
FILES = 8
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
    replay: Path

    @cached_property
    def session(self) -> Any:
        return cluster.session(self.rows.folder, self.cores, self.memory)

    def frame(self, path: str) -> Any:
        return self.session.read.parquet(path)

    @cached_property
    def qrels(self) -> tr.Qrels:
        return tr.read_qrels(self.rows.qrels)


Means = dict[str, float]


def by_paths(at: Cluster) -> Means:
    return tr.spark.evaluate(at.qrels, at.rows.whole, MEASURES).mean


def by_frame(plan: str, kind: str, *, distinct: bool = False) -> Callable[[Cluster], Means]:
    def work(at: Cluster) -> Means:
        frame = at.frame(getattr(at.rows, kind))
        return tr.spark.evaluate(at.qrels, frame, MEASURES, plan=plan, distinct=distinct).mean

    return work


def by_query(at: Cluster) -> Means:
    frame, qrels = at.frame(at.rows.whole), at.frame(at.rows.qrels)
    found = tr.spark.evaluate(qrels, frame, MEASURES, held=0)
    found.unpersist()
    return found.mean


def one_process(at: Cluster) -> Means:
    files = sorted(Path(at.rows.whole).glob("*.parquet"))
    readings = [tr.read(at.qrels, file) for file in files]
    return tr.evaluate(tr.merge(readings), measures=MEASURES).mean


def lists(at: Cluster, kind: str) -> Any:
    """What Spark's evaluators take: a query's documents by score, and its relevant ones; ids as numbers."""
    from pyspark.sql import functions as f

    rows = at.frame(getattr(at.rows, kind))
    pair = f.struct((-f.col("score")).alias("by"), f.col("doc_id").cast("double").alias("doc"))
    answers = rows.groupBy("query_id").agg(f.sort_array(f.collect_list(pair)).alias("pairs"))
    answers = answers.select("query_id", f.col("pairs.doc").alias("prediction"))
    judged = at.frame(at.rows.qrels)
    labels = judged.groupBy("query_id").agg(f.collect_list(f.col("doc_id").cast("double")).alias("label"))
    return answers.join(labels, "query_id")


def ranking_evaluator(kind: str) -> Callable[[Cluster], Means]:
    def work(at: Cluster) -> Means:
        from pyspark.ml.evaluation import RankingEvaluator

        table = lists(at, kind).persist()
        try:
            return {
                name: RankingEvaluator(metricName=name, k=k or 10).evaluate(table)  # type: ignore[arg-type]
                for name, k in METRICS.items()
            }
        finally:
            table.unpersist()

    return work


def ranking_metrics(at: Cluster) -> Means:
    from pyspark.mllib.evaluation import RankingMetrics

    metrics = RankingMetrics(lists(at, "whole").select("prediction", "label").rdd.map(tuple))
    found = {name: getattr(metrics, name.removesuffix("K")) for name in METRICS}
    return {name: find(METRICS[name]) if METRICS[name] else find for name, find in found.items()}


def replay(at: Cluster) -> Taken | str:
    """RePlay in a process of its own; or what is missing there."""
    place = [str(HERE / "spark_replay.py"), str(at.rows.folder), str(at.cores), str(at.memory)]
    environment = {**os.environ, "PYSPARK_PYTHON": str(at.replay)}
    for name in ("PYTHONPATH", "SPARK_HOME"):
        environment.pop(name, None)
    if not Path(at.replay).exists():
        return f"there is no {at.replay}; make peers"
    done = subprocess.run(
        [str(at.replay), "-W", "ignore", *place], env=environment, stdout=subprocess.PIPE, text=True, check=False
    )
    said = json.loads(done.stdout.splitlines()[-1]) if done.stdout and not done.returncode else {}
    if not said:
        return f"it ended with status {done.returncode}"
    return f"{said['missing']} is not installed there" if "missing" in said else Taken(**said)


@dataclass(frozen=True)
class Work:
    """What is timed.

    Attributes:
        peers: how many times as fast as other work on the same rows it must be, by the key of that; 0: no target.
        apart: how far its means may lie from those of other work of ours, where they are summed otherwise.
    """

    what: str
    do: Callable[[Cluster], Means] | None
    peers: Mapping[str, float] = field(default_factory=dict)
    apart: float = 0


WORKS = {
    "replay": Work("RePlay's OfflineMetrics, five measures, whole queries", None),
    "evaluator": Work("Spark's RankingEvaluator, five measures, whole queries", ranking_evaluator("whole")),
    "metrics": Work("Spark's RankingMetrics, five measures, whole queries", ranking_metrics),
    "paths": Work("paths: tasks read the files", by_paths, {"evaluator": 5, "metrics": 0, "replay": 10}),
    "partitions": Work(
        "a DataFrame of whole queries",
        by_frame("partitions", "whole"),
        {"evaluator": 1, "metrics": 0, "replay": 0},
    ),
    "large": Work("a DataFrame, its values left on Spark", by_query, {"evaluator": 0}, 1e-12),
    "one": Work("one process of truerank, without Spark", one_process, {"evaluator": 0}),
    "scattered": Work("Spark's RankingEvaluator, five measures, scattered rows", ranking_evaluator("scattered")),
    "shuffle": Work("a DataFrame, shuffled", by_frame("shuffle", "scattered"), {"scattered": 1}),
    "passes": Work("a DataFrame, in two passes", by_frame("passes", "scattered", distinct=True), {"scattered": 1}),
}


def warm_up(at: Cluster, keys: list[str]) -> None:
    """Everything once on few rows: virtual machines have compiled it, and Python workers have imported it."""
    few = Rows(at.rows.folder.parent / "few", 2 * FILES)
    small = replace(at, rows=few)
    small.__dict__["session"] = at.session
    for key in keys:
        if (do := WORKS[key].do) is not None:
            do(small)


def measured(at: Cluster, keys: list[str]) -> Iterator[Line]:
    taken: dict[str, Taken] = {}
    wanted: Means = {}
    for key in keys:
        work = WORKS[key]
        data.say(work.what)
        if work.do is None:
            found = replay(at)  # before this process has executors
        else:
            if "session" not in at.__dict__:
                warm_up(at, keys)
            found = cluster.timed(at.session, partial(work.do, at))
        if isinstance(found, str):
            data.say(f"  skipped: {found}")
            continue
        taken[key] = found
        values = ", ".join(f"{name} {mean:.6f}" for name, mean in found.means.items())
        remark = f"{found.moved:,.0f} MB shuffled; {found.memory}; {values}"
        data.say(f"  {found.seconds:.1f} s; {remark}")
        if work.peers and are_others(wanted := wanted or found.means, found.means, work.apart):
            raise SystemExit(f"{work.what}: other numbers: {found.means}, not {wanted}")
        yield from lines(key, work, taken, remark)


def are_others(means: Means, others: Means, apart: float) -> bool:
    return any(abs(others[name] - mean) > apart for name, mean in means.items())


def lines(key: str, work: Work, taken: Mapping[str, Taken], remark: str) -> Iterator[Line]:
    seconds = taken[key].seconds
    peers = [peer for peer in work.peers if peer in taken]
    if not peers:
        yield Line(f"{seconds:.1f} s", runs="1", remark=remark, key=key, work=work.what, ratio="-")
    for number, peer in enumerate(peers):
        target, ratio = work.peers[peer], taken[peer].seconds / seconds
        wanted = f"at least {target:g} times as fast" if target else ""
        cells = (f"{seconds:.1f} s", f"{taken[peer].seconds:.1f} s", f"{ratio:.1f} times as fast", wanted)
        what = f"{work.what} (against {peer})"
        yield Line(*cells, ratio >= target if target else None, "1", "" if number else remark, key, what)


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20_000_000, help="how many (20,000,000)")
    parser.add_argument("--cores", type=int, default=2, help="executors with a core each (2)")
    parser.add_argument("--memory", type=int, default=2048, help="MB of each executor's virtual machine (2048)")
    parser.add_argument("--only", action="append", choices=WORKS, help="only this way, may be repeated")
    parser.add_argument("--replay", type=Path, default=PEERS, help="a Python that has RePlay and PySpark")
    parser.add_argument("--data", type=Path, default=HERE / "data" / "spark", help="where the files are")
    return parser.parse_args()


def main() -> None:
    if missing := lacking():
        print(f"Spark: skipped, as {missing} is missing")
        return
    chosen = options()
    rows = Rows((chosen.data / str(chosen.rows)).absolute(), max(1, chosen.rows // EACH))
    rows.make()
    Rows(rows.folder.parent / "few", 2 * FILES).make()
    at = Cluster(rows, chosen.cores, chosen.memory, chosen.replay)
    found = list(measured(at, [key for key in WORKS if key in (chosen.only or WORKS)]))
    print(tables.terminal(found))
    at.session.stop()
    sys.exit(any(line.is_met is False for line in found))


if __name__ == "__main__":
    main()
