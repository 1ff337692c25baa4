"""How a file to numbers scales: by as many threads as there are processors, further by pieces timed one by one."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from subjects import MEASURES, Bench, Subject, counted
from tables import Line

import truerank as tr
from truerank.core.qrels import Qrels
from truerank.core.scan import processors
from truerank.formats.source import as_source
from truerank.formats.trec import cut_run

THREADS = (2, 4, 8, 16)


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def pieces(run: Path, n: int) -> list[Path]:
    """The file in n pieces of whole queries, each of which a thread would read."""
    paths = []
    for i, piece in enumerate(cut_run(as_source(run), n)):
        paths.append(run.with_name(f"{run.stem}-{i}-of-{n}.run"))
        if not paths[-1].exists():
            paths[-1].write_bytes(b"".join(piece()))
    return paths


def simulated(qrels: Qrels, paths: Sequence[Path]) -> float:
    """The seconds of the slowest piece alone, of merging all, and of the measures."""
    readings, each = [], []
    for path in paths:
        start = time.perf_counter()
        readings.append(tr.read(qrels, str(path), threads=1))
        each.append(time.perf_counter() - start)
    return max(each) + seconds(lambda: tr.evaluate(tr.merge(readings), measures=MEASURES))


def scaling(n: int, bench: Bench) -> Line:
    """The big file by n threads, against one."""
    path, run = bench.files
    qrels = tr.read_qrels(str(path))
    is_measured = n <= processors()
    if is_measured:
        work = partial(seconds, lambda: tr.evaluate(qrels, str(run), MEASURES, threads=n))
    else:
        work = partial(simulated, qrels, pieces(run, n))
    ours, alone = bench.turns(work, partial(seconds, lambda: tr.evaluate(qrels, str(run), MEASURES, threads=1)))
    how = "measured" if is_measured else "simulated: the slowest piece alone, merging and measures"
    ratio = f"{alone.median / ours.median:.2f} times as fast"
    return Line(str(ours), f"1 thread {alone}", ratio, "", None, counted(ours, alone), how)


SUBJECTS = tuple(
    Subject(f"threads-{n}", f"file to numbers by {n} threads, the qrels read before", partial(scaling, n))
    for n in THREADS
)
