"""How long work takes, and how much memory: of whole processes, and of workers that repeat their work."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any

HERE = Path(__file__).parent
TRUERANK = str(Path(sys.executable).parent / "truerank")

PEERS = HERE.parent / ".peers" / "bin" / "python"
"""The interpreter of `make peers`, which has packages that are built on others."""

MEGABYTE = 1 << 20

KILOBYTE = 1 if sys.platform == "darwin" else 1024
"""What ru_maxrss counts in."""


class Skipped(Exception):
    """This line cannot be measured here; the message says why."""


class FailedError(Exception):
    """A program did not do its work; the message says which and how."""


@dataclass
class Times:
    """The seconds of each run of one piece of work."""

    seconds: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    def __str__(self) -> str:
        return f"{self.median:.2f} s" if self.median >= 1 else f"{1000 * self.median:.3g} ms"


@dataclass(frozen=True)
class Done:
    """A finished process."""

    seconds: float
    peak: int
    """Bytes of memory that it had at most at one time."""


@cache
def _runner() -> subprocess.Popen[str]:
    command = [sys.executable, str(HERE / "runner.py")]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def into_cache(path: Path) -> None:
    """Read a file once: what a system keeps of files goes with time, and when others need the memory."""
    with path.open("rb") as file:
        while file.read(MEGABYTE):
            pass


def process(*command: str | Path) -> Done:
    """Run a command to its end, its output thrown away; the files that it is given are in the cache before."""
    for part in command:
        if isinstance(part, Path) and part.is_file():
            into_cache(part)
    runner, said = _runner(), [str(part) for part in command]
    assert runner.stdin
    assert runner.stdout
    runner.stdin.write(json.dumps(said) + "\n")
    runner.stdin.flush()
    done = json.loads(runner.stdout.readline())
    if done["status"]:
        raise FailedError(f"{' '.join(said)} ended with {done['status']}: {done['said']}")
    return Done(done["seconds"], done["peak"] * KILOBYTE)


class Worker:
    """A process that has imported one library, and does the same work again each time it is called.

    Args:
        python: the interpreter, which need not have truerank installed.

    Raises:
        Skipped: the library is not installed.
    """

    def __init__(self, *arguments: str | Path, python: str | Path = sys.executable):
        command = [str(python), "-W", "ignore", str(HERE / "peers.py"), *map(str, arguments)]
        where = {**os.environ, "PYTHONPATH": str(HERE.parent / "src")}
        self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=where, text=True)
        self.mean: dict[str, float] = {}
        try:
            ready = self._answer()
        except FailedError:
            self.close()
            raise
        if "missing" in ready:
            self.close()
            raise Skipped(f"{ready['missing']} is not installed")
        self.warm_up = float(ready["ready"])

    def __call__(self) -> float:
        """The seconds that the work took."""
        assert self._child.stdin
        self._child.stdin.write("again\n")
        self._child.stdin.flush()
        answer = self._answer()
        self.mean = answer["mean"]
        return float(answer["seconds"])

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        assert self._child.stdin
        self._child.stdin.close()
        self._child.wait()

    def _answer(self) -> dict[str, Any]:
        assert self._child.stdout
        line = self._child.stdout.readline()
        if not line:
            raise FailedError("its process ended before it answered")
        return dict(json.loads(line))


SLOW = 20.0
"""Work that takes longer than this many seconds is not repeated as often."""

SLOW_RUNS = 2


def alternate(runs: int, *works: Callable[[], float], patient: bool = False) -> tuple[Times, ...]:
    """Do each work in turn, this many times over, so that whatever else the machine does falls on all of them.

    Args:
        patient: repeat slow work as often as the rest.
    """
    times = tuple(Times() for _ in works)
    for _ in range(runs):
        for work, taken in zip(works, times, strict=True):
            slow = taken.seconds and taken.median > SLOW
            if not slow or patient or len(taken.seconds) < SLOW_RUNS:
                taken.seconds.append(work())
    return times
