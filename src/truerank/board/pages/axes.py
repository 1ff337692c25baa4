"""Where values stand on an axis: round ends and ticks, places in per cent, which a page may stretch."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

EPOCH = datetime(2000, 1, 3, tzinfo=timezone.utc)
"""A Monday, at which every step of time begins."""

STEPS = tuple(
    timedelta(minutes=minutes)
    for longer in (
        (1, 2, 5, 10, 30, 60, 120, 360, 720),
        (1440, 2880, 7200, 10080, 20160, 40320, 120960, 262080, 524160, 1048320, 2620800),
    )
    for minutes in longer
)


@dataclass(frozen=True)
class Axis:
    """From a low to a high end.

    Attributes:
        ticks: (value, words) of the lines that are drawn.
    """

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]

    def share(self, value: float) -> float:
        """How far along the value is: 0 at the low end, 1 at the high one; what is beyond an end stands on it.

        >>> numbers([0, 1]).share(0.5)
        0.5
        """
        return min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))

    def at(self, value: float) -> str:
        """The place as SVG takes it.

        >>> numbers([0.2, 0.4]).at(0.25)
        '25%'
        """
        return f"{round(100 * self.share(value), 2):g}%"


def numbers(values: Iterable[float], most: int = 5) -> Axis:
    """An axis with round ends around the values, and at most `most` steps; one value stands in its middle.

    >>> [words for _, words in numbers([0.412, 0.583]).ticks]
    ['0.40', '0.45', '0.50', '0.55', '0.60']
    >>> [words for _, words in numbers([0.5]).ticks]
    ['0.4', '0.5', '0.6']
    >>> [words for _, words in numbers([0.1 + 0.2, 0.3]).ticks]
    ['0.2', '0.3', '0.4']
    """
    finite = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
    low, high = min(finite), max(finite)
    one = max(1.0, abs(low), abs(high)) / 10
    step = _round_step((high - low) / most if high - low > one / 1e6 else one)
    while (first := math.floor(low / step + 1e-9)) + most < (last := math.ceil(high / step - 1e-9)):
        step = _round_step(step * 1.01)
    if first == last:
        first, last = first - (first != 0), last + 1
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    ticks = tuple((place * step, f"{place * step:.{digits}f}") for place in range(first, last + 1))
    return Axis(first * step, last * step, ticks)


def _round_step(least: float) -> float:
    """The next of …, 0.1, 0.2, 0.5, 1, ….

    >>> _round_step(0.034), _round_step(1.2)
    (0.05, 2.0)
    """
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9))


def moments(times: Iterable[datetime]) -> Axis:
    """An axis over all of the times, with a tick at each whole hour, day or week, as they fit; it ends at the last.

    >>> times = [datetime(2030, 1, day, tzinfo=timezone.utc) for day in (1, 4)]
    >>> [words for _, words in moments(times).ticks]
    ['01-01', '01-02', '01-03', '01-04']
    """
    ordered = sorted(times)
    low, high = ordered[0], ordered[-1]
    if high - low < timedelta(minutes=2):
        low = high - timedelta(minutes=2)
    step = next((step for step in STEPS if (high - low) / step <= 4), STEPS[-1])
    words = "%H:%M" if low.date() == high.date() else "%m-%d %H:%M"
    if step >= timedelta(days=1):
        words = "%m-%d" if low.year == high.year else "%Y-%m-%d" if step < timedelta(days=84) else "%Y-%m"
    at = EPOCH + math.ceil((low - EPOCH) / step) * step
    ticks = []
    while at <= high:
        ticks.append((at.timestamp(), at.strftime(words)))
        at += step
    return Axis(low.timestamp(), high.timestamp(), tuple(ticks))
