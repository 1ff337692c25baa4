"""The smallest number that is enough, where all smaller ones fall short: found by doubling and bisection."""

from __future__ import annotations

import math
from collections.abc import Callable


def enough(falls_short: Callable[[float], bool], halvings: int = 60) -> float:
    """The least number above 0 that does not fall short; `halvings` says how often the range around it is halved.

    >>> enough(lambda number: number * number < 2)
    1.4142135623730951
    """
    low, high = 0.0, 1.0
    while falls_short(high):
        low, high = high, 2 * high
    for _ in range(halvings):
        middle = (low + high) / 2
        low, high = (middle, high) if falls_short(middle) else (low, middle)
    return high


def enough_whole(falls_short: Callable[[int], bool], most: float = math.inf) -> int | None:
    """The least whole number from 2 on that does not fall short; None where none is found up to about `most`.

    >>> enough_whole(lambda n: n * n < 50), enough_whole(lambda n: n * n < 50, most=6)
    (8, None)
    """
    low, high = 1, 2
    while falls_short(high):
        low, high = high, 2 * high
        if high > most:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if falls_short(middle) else (low, middle)
    return high
