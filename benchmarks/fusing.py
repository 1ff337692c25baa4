"""Fusion against ranx: five runs to one, from files and from dicts, both in memory at the end."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import data
from subjects import Bench, Subject, faster
from tables import Line
from timing import Worker

RUNS, ROWS, POOL = 5, 1000, 3000
SHARE = 20
"""Of the big file's queries so much less: ranx takes a minute for what remains."""


def runs(directory: Path, queries: int) -> list[Path]:
    """Five runs of which each returns a third of the same documents."""
    paths = [directory / f"fuse-{queries}-{i}.run" for i in range(RUNS)]
    for i, path in enumerate(paths):
        if not path.exists():
            data.say(f"writing {path}: {queries:,} queries × {ROWS:,} rows")
            path.write_text("".join(_lists(random.Random(i), queries)))
    return paths


def _lists(chance: random.Random, queries: int) -> list[str]:
    lines = []
    for query in range(queries):
        scores = sorted((chance.gauss(20, 5) for _ in range(ROWS)), reverse=True)
        docs = chance.sample(range(POOL), ROWS)
        rows = enumerate(zip(docs, scores, strict=True), 1)
        lines += [f"{100_000 + query} Q0 D{query + doc:07} {rank} {score:.6f} t\n" for rank, (doc, score) in rows]
    return lines


def against_ranx(kind: str, target: float) -> Callable[[Bench], Line]:
    def measure(bench: Bench) -> Line:
        files = runs(bench.directory, max(bench.queries // SHARE, 10))
        with Worker(kind, "truerank", *files) as ours, Worker(kind, "ranx", *files) as theirs:
            times = bench.turns(ours, theirs)
            cold = f"importing and compiling took {theirs.warm_up:.1f} s, which does not count"
            return faster("ranx", times, target, cold)

    return measure


SUBJECTS = (
    Subject("fuse", "5 runs of 349 × 1,000 from files to a fused run, against ranx", against_ranx("fused", 10)),
    Subject("fuse-dicts", "the same from dicts of dicts", against_ranx("fused-dicts", 10)),
)
