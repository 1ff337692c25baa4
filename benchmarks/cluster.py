"""Spark on this machine, with executors that are processes of their own, and how much memory all of it takes."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psutil

LOOPBACK = "127.0.0.1"

EVERY = 0.2
"""Seconds between two looks at the memory of processes."""

EXECUTOR = "CoarseGrainedExecutorBackend"


def session(folder: Path, cores: int, memory: int) -> Any:
    """A session with an executor a core.

    Args:
        folder: where executors work.
        memory: MB of each executor's virtual machine.
    """
    os.environ |= {"SPARK_LOCAL_IP": LOOPBACK, "SPARK_WORKER_DIR": str(folder / "work")}
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import SparkSession

    settings = {
        "spark.driver.host": LOOPBACK,
        "spark.driver.bindAddress": LOOPBACK,
        "spark.driver.memory": "2g",
        "spark.executor.memory": f"{memory}m",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.ui.liveUpdate.period": "0",  # else what is asked of executors is that of a moment ago
        "spark.log.level": "ERROR",
        "spark.sql.shuffle.partitions": str(8 * cores),
    }
    return SparkSession.builder.master(f"local-cluster[{cores},1,{memory}]").config(map=settings).getOrCreate()


def of_executors(session: Any, figure: str) -> int:
    """The sum of a figure of all executors, by its name in Spark's `ExecutorSummary`, so far."""
    context = session.sparkContext._jsc.sc()
    context.listenerBus().waitUntilEmpty()
    listed = context.statusStore().executorList(False)
    executors = [listed.apply(i) for i in range(listed.size())]
    return sum(getattr(executor, figure)() for executor in executors if executor.id() != "driver")


def moved(session: Any) -> int:
    """Bytes that were shuffled so far."""
    return of_executors(session, "totalShuffleWrite")


def descendants(process: psutil.Process) -> list[psutil.Process]:
    """What a process started, and what that did; nothing of one that has ended."""
    with suppress(psutil.Error):
        return list(process.children(recursive=True))
    return []


def machines() -> Iterator[tuple[psutil.Process, bool]]:
    """The virtual machines of this process, and whether each is an executor's."""
    for child in descendants(psutil.Process()):
        with suppress(psutil.Error):
            if child.name() == "java":
                yield child, EXECUTOR in " ".join(child.cmdline())


def processor_seconds() -> float:
    """What executors and their Python took of the processors so far."""
    total = 0.0
    for java, is_executor in machines():
        for process in (java, *descendants(java)) if is_executor else ():
            with suppress(psutil.Error):
                times = process.cpu_times()
                total += times.user + times.system + times.children_user + times.children_system
    return total


@dataclass
class Memory:
    """MB in memory at most: of this process, of the driver's virtual machine, and of one executor, both kinds."""

    driver_python: float = 0
    driver_java: float = 0
    executor_java: float = 0
    executor_python: float = 0

    def look(self) -> None:
        """Raise to what the processes have now."""
        sizes = {"driver_python": _size(psutil.Process())}
        for java, is_executor in machines():
            if is_executor:
                sizes["executor_java"] = max(sizes.get("executor_java", 0), _size(java))
                python = sum(map(_size, descendants(java)))
                sizes["executor_python"] = max(sizes.get("executor_python", 0), python)
            else:
                sizes["driver_java"] = max(sizes.get("driver_java", 0), _size(java))
        for name, size in sizes.items():
            setattr(self, name, max(getattr(self, name), size))

    def __str__(self) -> str:
        driver = f"driver {self.driver_python:,.0f} MB of Python + {self.driver_java:,.0f} of Java"
        return f"{driver}, an executor {self.executor_python:,.0f} + {self.executor_java:,.0f}"


def _size(process: psutil.Process) -> float:
    try:
        return process.memory_info().rss / 2**20
    except psutil.Error:  # it has ended
        return 0


@contextmanager
def watched() -> Iterator[Memory]:
    """The most memory that processes have meanwhile."""
    memory, done = Memory(), threading.Event()

    def look() -> None:
        while not done.wait(EVERY):
            memory.look()

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield memory
    finally:
        done.set()
        thread.join()
        memory.look()


@dataclass(frozen=True)
class Taken:
    """What work took, and what came out."""

    seconds: float
    moved: float
    memory: str
    means: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def timed(session: Any, work: Callable[[], dict[str, float]]) -> Taken:
    """Do the work once; MB moved are those that were shuffled."""
    before = moved(session)
    with watched() as memory:
        start = time.perf_counter()
        means = work()
        seconds = time.perf_counter() - start
    return Taken(seconds, (moved(session) - before) / 2**20, str(memory), means)
