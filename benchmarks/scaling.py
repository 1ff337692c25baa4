"""What a cluster takes: a model from the parts that one executor shows, and its check on more executors.

    python benchmarks/scaling.py [--rows 20000000] [--executors 1 2 4] [--memory 2048]

On one executor tasks follow one another, so what is left of the whole time is the driver's: planning, handing out
judgements, merging what tasks found, measures. N executors take that, and the time of the tasks divided by N; on
one machine no less than executors take of its processors, divided by how many there are. Each executor more takes
some of them to start with: its virtual machine compiles what it runs.
"""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import cluster
from spark import EACH, FILES, WORKS, Cluster, Rows, lacking, warm_up
from timing import HERE, PEERS

WAYS = ("paths", "partitions", "shuffle")


@dataclass(frozen=True)
class Parts:
    """Seconds of one way: all of it, the sum of its tasks, and what executors took of the processors."""

    whole: float
    tasks: float
    processors: float

    def on(self, executors: int, processors: float) -> float:
        """What this many on this machine take, by what one took, and this of the processors."""
        return self.whole - self.tasks + max(self.tasks / executors, processors / (os.cpu_count() or 1))


def in_tasks(session: Any) -> float:
    """The seconds that tasks took so far."""
    return cluster.of_executors(session, "totalDuration") / 1000


def measured(at: Cluster, way: str) -> Parts:
    """One way on all rows, done once before on few."""
    work = WORKS[way].do
    assert work is not None
    before = in_tasks(at.session), cluster.processor_seconds()
    start = time.perf_counter()
    work(at)
    whole = time.perf_counter() - start
    return Parts(whole, in_tasks(at.session) - before[0], cluster.processor_seconds() - before[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20_000_000, help="how many (20,000,000)")
    parser.add_argument(
        "--executors", type=int, nargs="+", default=[1, 2, 4], help="how many, each with a core (1 2 4)"
    )
    parser.add_argument("--memory", type=int, default=2048, help="MB of each executor's virtual machine (2048)")
    chosen = parser.parse_args()
    if missing := lacking():
        print(f"Spark: skipped, as {missing} is missing")
        return
    folder = HERE / "data" / "spark"
    rows = Rows((folder / str(chosen.rows)).absolute(), max(1, chosen.rows // EACH))
    for each in (rows, Rows((folder / "few").absolute(), 2 * FILES)):
        each.make()
    of_one: dict[str, Parts] = {}
    print(f"{os.cpu_count()} processors; seconds of {chosen.rows:,} rows")
    print("| way | executors | measured | of tasks | of processors | model | measured / model |")
    print("|:--|--:|--:|--:|--:|--:|--:|")
    for executors in sorted({1, *chosen.executors}):
        at = Cluster(rows, executors, chosen.memory, Path(PEERS))
        warm_up(at, list(WAYS))
        for way, found in zip(WAYS, map(partial(measured, at), WAYS), strict=True):
            model = of_one.setdefault(way, found).on(executors, found.processors)
            cells = (
                f"{found.whole:.1f}",
                f"{found.tasks:.1f}",
                f"{found.processors:.1f}",
                f"{model:.1f}",
                f"{found.whole / model:.2f}",
            )
            print("|", " | ".join((f"`{way}`", str(executors), *cells)), "|", flush=True)
        at.session.stop()


if __name__ == "__main__":
    main()
