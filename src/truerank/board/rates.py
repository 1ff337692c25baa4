"""Limits on the rate of requests: buckets that fill slowly."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable

from truerank.board.errors import ApiError
from truerank.core.messages import plural

REMEMBERED = 10_000
"""This many askers are remembered; those who asked longest ago are forgotten first."""


class Rate:
    """A limit on how often each asker may ask: a token bucket for each.

    Args:
        burst: how often at once.
        per_second: how often in the long run.
        clock: seconds, rising.

    >>> rate = Rate(2, 0.5, clock=lambda: 0.0)
    >>> rate.wait("a"), rate.wait("a"), rate.wait("a"), rate.wait("b")
    (0, 0, 2, 0)
    """

    def __init__(self, burst: float, per_second: float, clock: Callable[[], float]):
        self.burst, self.per_second, self.clock = burst, per_second, clock
        self._left: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def wait(self, who: Hashable, cost: float = 1) -> int:
        """Take a token; return 0 if there was one, else in how many whole seconds there will be."""
        with self._lock:
            now = self.clock()
            left, at = self._left.pop(who, (self.burst, now))
            left = min(self.burst, left + (now - at) * self.per_second)
            is_enough = left >= max(cost, 1)
            self._left[who] = (left - cost if is_enough else left, now)
            while len(self._left) > REMEMBERED:
                self._left.popitem(last=False)
            return 0 if is_enough else math.ceil((max(cost, 1) - left) / self.per_second)

    def charge(self, who: Hashable, cost: float) -> None:
        """Take tokens for what was used already, even if that leaves fewer than none."""
        with self._lock:
            now = self.clock()
            left, at = self._left.pop(who, (self.burst, now))
            self._left[who] = (min(self.burst, left + (now - at) * self.per_second) - cost, now)

    def check(self, who: Hashable, cost: float = 1) -> None:
        """Take a token, or refuse. A cost of 0 only looks whether there is one."""
        after = self.wait(who, cost)
        if after:
            why = plural(
                "too many requests; try again in {n} second", "too many requests; try again in {n} seconds", n=after
            )
            raise ApiError(429, "too-often", why, after=after)
