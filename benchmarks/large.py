"""Big data on one machine: Parquet and Arrow, scattered queries, 100 million rows."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import data
from subjects import MEASURES, TREC_EVAL_MEASURES, Bench, Subject, at_most, faster, python, reference
from tables import Line
from timing import MEGABYTE, TRUERANK, Done, process

TEN = 10_000
"""Queries of 10 million rows; ten times as many have 100 million."""


SHUFFLE = """
import random, sys
lines = open(sys.argv[1], "rb").read().splitlines(keepends=True)
random.Random(0).shuffle(lines)
open(sys.argv[2], "wb").writelines(lines)
"""
"""In a process of its own: a child's peak of memory begins with its parent's."""


def evaluated(qrels: Path, run: Path) -> Done:
    return process(TRUERANK, "eval", qrels, run, "-m", MEASURES)


DECODE = """
import sys, threading
from pyarrow.parquet import ParquetFile

def decode(part):
    with ParquetFile(sys.argv[1], read_dictionary=["query_id"], pre_buffer=False, buffer_size=1 << 20) as table:
        n = table.num_row_groups
        for _ in table.iter_batches(1 << 16, range(n * part // parts, n * (part + 1) // parts), use_threads=False):
            pass

parts = os.cpu_count()
threads = [threading.Thread(target=decode, args=[part]) for part in range(parts)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""
"""What reading Parquet takes without truerank: its columns decoded by as many threads as there are processors."""


def parquet(bench: Bench) -> Line:
    """The whole process on Parquet as `truerank convert` writes it, against the TREC text of the same rows."""
    qrels, run = bench.files
    path = data.converted(run, ".parquet")
    others = data.by_pyarrow(path)
    peaks: list[float] = []

    def ours() -> float:
        done = evaluated(qrels, path)
        peaks.append(done.peak / MEGABYTE)
        return done.seconds

    def packed() -> float:
        return evaluated(qrels, others).seconds

    whole, text, snappy, alone = bench.turns(
        ours, lambda: evaluated(qrels, run).seconds, packed, python(DECODE, path)
    )
    less = evaluated(qrels, run).peak / MEGABYTE
    memory = f"peak memory {max(peaks):.0f} MB, of the text {less:.0f} MB"
    theirs = f"as pandas and Spark write it, with Snappy, it takes {snappy}"
    remark = f"{theirs}; importing pyarrow and decoding the columns by it alone takes {alone}; {memory}"
    return at_most(whole, text, 1, "TREC text", remark)


def arrow(bench: Bench) -> Line:
    """An Arrow table in memory against the text of the same rows in the page cache, one thread each."""
    import pyarrow as pa
    from pyarrow import csv

    import truerank as tr

    names = ["query_id", "q0", "doc_id", "rank", "score", "tag"]
    types = {"query_id": pa.string(), "doc_id": pa.string()}
    kept = csv.ConvertOptions(column_types=types, include_columns=["query_id", "doc_id", "score"])
    table = csv.read_csv(bench.files[1], csv.ReadOptions(column_names=names), csv.ParseOptions(delimiter=" "), kept)
    qrels = tr.read_qrels(bench.files[0])

    def seconds(run: object) -> float:
        start = time.perf_counter()
        tr.evaluate(qrels, run, MEASURES, threads=1)  # type: ignore[arg-type]
        return time.perf_counter() - start

    return at_most(*bench.turns(lambda: seconds(table), lambda: seconds(str(bench.files[1]))), 1, "TREC text")


def scattered(bench: Bench) -> Line:
    """The same rows in any order against those in order."""
    qrels, run = bench.files
    path = run.with_name("scattered.run")
    if not path.exists():
        data.say(f"writing {path}")
        subprocess.run([sys.executable, "-c", SHUFFLE, run, path], check=True)
    peaks: list[float] = []

    def ours() -> float:
        done = evaluated(qrels, path)
        peaks.append(done.peak / MEGABYTE)
        return done.seconds

    line = at_most(*bench.turns(ours, lambda: evaluated(qrels, run).seconds), 8, "in order")
    return Line(*line.cells[1:5], is_met=bool(line.is_met) and max(peaks) < 300, runs=line.runs,
                remark=f"peak memory {max(peaks):.0f} MB; under 300 MB is wanted")  # fmt: skip


def tenfold(bench: Bench) -> Line:
    """Ten times the queries of the big file, against trec_eval."""
    command = reference(), *TREC_EVAL_MEASURES
    if not bench.full:
        return Line(target="at least 80 times as fast", remark="2.6 GB are written and read with --full only")
    peaks: list[float] = []
    with data.for_once(bench.directory / "tenfold", 10 * bench.queries) as files:

        def ours() -> float:
            done = evaluated(*files)
            peaks.append(done.peak / MEGABYTE)
            return done.seconds

        times = bench.turns(ours, lambda: process(*command, *files).seconds)
    return faster("trec_eval", times, 80, f"peak memory {max(peaks):.0f} MB")


def hundred(bench: Bench) -> Line:
    """100 million rows against 10 million: the time of a row, and memory."""
    if not bench.full:
        return Line(target="at most 1.2 times", remark="4 GB are written and read with --full only")
    done: dict[int, list[Done]] = {}
    for queries in (TEN, 10 * TEN):
        with data.for_once(bench.directory / f"rows-{queries}", queries) as files:
            done[queries] = [evaluated(*files) for _ in range(bench.few_runs)]
    ten, whole = (min(one.seconds for one in done[queries]) for queries in done)
    ratio, peak = whole / ten / 10, max(one.peak for one in done[10 * TEN]) / MEGABYTE
    cells = (f"{whole:.2f} s", f"10 million rows {ten:.2f} s", f"{ratio:.2f} times a row", "at most 1.2 times")
    return Line(*cells, ratio <= 1.2 and peak < 300, str(bench.few_runs), f"peak memory {peak:.0f} MB (under 300)")


SUBJECTS = (
    Subject("tenfold", "whole process on 2.6 GB (ten times the queries), against trec_eval", tenfold),
    Subject("parquet", "Parquet, whole process, against TREC text of the same rows", parquet),
    Subject("arrow", "an Arrow table, against TREC text of the same rows, one thread", arrow),
    Subject("scattered", "rows in any order, whole process, against rows in order", scattered),
    Subject("hundred", "100 million rows, whole process, against 10 million", hundred),
)
