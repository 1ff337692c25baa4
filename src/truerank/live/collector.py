"""Python's garbage collector: put in order before the measuring, left on, and its pauses written down."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from truerank.live.samples import Ints

IMMORTAL = 1_000
"""Objects below which nobody has frozen any: Python 3.12 counts some 400 of its own, which never die, as frozen."""


@dataclass(frozen=True)
class Pause:
    """One garbage collection, in nanoseconds.

    Attributes:
        begin, end: from the first measured start.
        generation: 2 for a collection of everything.
    """

    begin: int
    end: int
    generation: int


class Collector:
    """Watches the garbage collector while a block runs. To switch it off would hide a cost that production has."""

    def __init__(self, now: Callable[[], int]):
        self._now = now
        self._begin = 0
        self._seen: list[tuple[int, int, int]] = []
        self._frozen = False

    def __enter__(self) -> Collector:
        gc.callbacks.append(self._note)
        return self

    def __exit__(self, *error: object) -> None:
        gc.callbacks.remove(self._note)
        if self._frozen:
            gc.unfreeze()

    def freeze(self) -> None:
        """Collect once, and spare what lives now from later collections, as a service does after its start."""
        gc.collect()
        if gc.get_freeze_count() < IMMORTAL:
            gc.freeze()
            self._frozen = True

    def _note(self, phase: str, info: dict[str, Any]) -> None:
        if phase == "start":
            self._begin = self._now()
        elif (end := self._now()) > self._begin:
            self._seen.append((self._begin, end, info["generation"]))

    def pauses(self, started: int) -> tuple[Pause, ...]:
        """The pauses that began after the first measured start, in nanoseconds after it."""
        return tuple(Pause(b - started, e - started, g) for b, e, g in self._seen if b >= started)


def overlap(pauses: tuple[Pause, ...], begin: Ints, end: Ints) -> Ints:
    """(n,) nanoseconds of collection between each begin and end.

    >>> overlap((Pause(10, 20, 2),), np.array([0, 15]), np.array([12, 30])).tolist()
    [2, 5]
    """
    if not pauses:
        return np.zeros(len(begin), np.int64)
    edges = np.array([edge for pause in pauses for edge in (pause.begin, pause.end)], np.float64)
    lengths = [length for pause in pauses for length in (0, pause.end - pause.begin)]
    until = np.cumsum(lengths)
    spent = np.interp(end, edges, until) - np.interp(begin, edges, until)
    whole: Ints = np.rint(spent).astype(np.int64)
    return whole
