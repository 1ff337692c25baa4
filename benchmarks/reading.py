"""What one core reads: text against its bytes alone, JSON lines against bare parsing."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import data
import orjson
from subjects import MEASURES, Bench, Subject, at_most, counted
from tables import Line
from timing import MEGABYTE, TRUERANK, process

import truerank as tr

CHUNK = 1 << 18
"""Bytes that are read at once, as by truerank."""

WANTED = 2.0
"""Gigabytes a second."""


def taken(work: Callable[[], object]) -> float:
    """The seconds that a processor worked; what else the machine does is not among them."""
    start = time.process_time()
    work()
    return time.process_time() - start


def evaluated(qrels: Path, run: Path) -> float:
    return taken(lambda: tr.evaluate(str(qrels), str(run), MEASURES, threads=1))


def bytes_alone(path: Path) -> None:
    with path.open("rb", buffering=0) as file:
        while file.read(CHUNK):
            pass


def parsed(path: Path) -> None:
    with path.open("rb") as file:
        for line in file:
            orjson.loads(line)


def core(bench: Bench) -> Line:
    """The big file to numbers on one thread, against copying it out of the page cache."""
    qrels, run = bench.files
    ours, alone = bench.turns(lambda: evaluated(qrels, run), lambda: taken(lambda: bytes_alone(run)))
    speed = run.stat().st_size / min(ours.seconds) / 1e9
    share = min(alone.seconds) / min(ours.seconds)
    cells = (str(ours), f"its bytes alone {alone}", f"{speed:.2f} GB/s", f"at least {WANTED:g} GB/s")
    return Line(*cells, speed >= WANTED, counted(ours, alone), f"{share:.0%} of the time is reading the bytes")


def json_lines(bench: Bench) -> Line:
    """The same rows, a query a line: {"query_id": …, "docs": […], "scores": […]}."""
    qrels, run = bench.files
    path = data.converted(run, ".jsonl")
    times = bench.turns(lambda: evaluated(qrels, path), lambda: taken(lambda: parsed(path)))
    peak = process(TRUERANK, "eval", qrels, path, "-m", MEASURES).peak / MEGABYTE
    return at_most(*times, 1.5, "orjson", f"peak memory, whole process, {peak:.0f} MB")


SUBJECTS = (
    Subject("core", "file to numbers on one thread, seconds of the processor", core),
    Subject("json-lines", "JSON lines to numbers, seconds of the processor, against parsing them", json_lines),
)
