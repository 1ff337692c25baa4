"""What the benchmark of a retriever itself costs: time between two calls, and starts that come late.

    python benchmarks/harness.py

The retriever is a function that does nothing, or sleeps for a millisecond: what is left is the harness.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import truerank as tr
from truerank.live.overhead import harness

CALLS = 20_000
RATE = 200
SECONDS = 2
SERVICE = 0.001
"""Seconds that each call of the open loop takes."""

MOST_MICROSECONDS = 3.0
MOST_LAG = 1.0
"""Milliseconds at p99."""


@dataclass(frozen=True)
class Cost:
    """What was measured, and whether it is little enough."""

    what: str
    value: float
    most: float
    unit: str

    @property
    def is_met(self) -> bool:
        return self.value < self.most

    def __str__(self) -> str:
        return f"{self.what}: {self.value:.3g} {self.unit} (target: below {self.most:g} {self.unit})"


def nothing(query: str, k: int) -> list[str]:
    """An answer at once."""
    return []


def nap(query: str, k: int) -> list[str]:
    """An answer after a sleep."""
    time.sleep(SERVICE)
    return []


def between_calls(runs: int) -> Cost:
    """Microseconds of a call in a closed loop, all told: the whole window over its calls, the best run of all."""
    queries = [f"query {i}" for i in range(1_000)]
    found = [tr.bench(nothing, queries, repeats=CALLS // len(queries)) for _ in range(runs)]
    best = min(one.window / len(one.measured) for one in found)
    return Cost("a call in a closed loop", best * 1e6, MOST_MICROSECONDS, "µs")


def between_coroutines(runs: int) -> float:
    """The same of a coroutine, in microseconds beside the call's own time."""
    return min(harness(is_async=True).call for _ in range(runs)) / 1_000


def lag(runs: int) -> Cost:
    """Milliseconds by which starts of an open loop are late at p99, the best run of all."""
    queries = [f"query {i}" for i in range(RATE * SECONDS)]
    found = [tr.bench(nap, queries, rate=RATE) for _ in range(runs)]
    best = min(one.lag["p99"] for one in found)
    return Cost(f"the lag of starts at {RATE} a second, p99", best, MOST_LAG, "ms")


if __name__ == "__main__":
    print(between_calls(5))
    print(f"a coroutine in a closed loop: {between_coroutines(5):.3g} µs")
    print(lag(5))
