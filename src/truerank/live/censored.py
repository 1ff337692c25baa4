"""Latencies over every measured call: one without an answer is at least as long as it was waited for.

The latencies that a benchmark shows are of the calls that were answered. A limit on them alone would be kept by a
retriever that never answers its slowest calls, so that a gate counts all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from truerank.core.qrels import Floats
from truerank.live import latency
from truerank.live.samples import EMPTY, ERROR, Samples
from truerank.stats import Interval

FAR = 1e15
"""Milliseconds that stand for no end where numbers are averaged: thirty thousand years."""


@dataclass(frozen=True)
class Bounded:
    """A figure over all calls, in milliseconds; both ends are the same where it does not depend on a failed call.

    Attributes:
        low: with each failed call as short as it may be.
        high: with each failed call as long as it may be: infinite where that decides.
        interval: from the lower end of the one to the upper end of the other; None where that cannot be said.
    """

    low: float
    high: float
    interval: Interval | None


def bounded(measured: Samples, kind: str, confidence: float | None) -> dict[str, Bounded]:
    """Each figure over all measured calls (order statistics of right-censored times).

    A call that timed out or never started took at least as long as it was waited for. One that failed has no
    answer however long one waits.

    Args:
        kind: of the percentiles.
        confidence: of the intervals; None for none.

    Raises:
        MissingPackage: SciPy is not installed.
    """
    short, long = times(measured, math.inf)
    if len(measured.answered) == len(measured):
        below = above = latency.summary(measured.latency, kind)
    else:
        below, above = figures(short, kind), figures(long, kind)
    limits = {} if confidence is None else _intervals(measured, confidence)
    return {name: _joined(below[name], above[name], limits.get(name)) for name in below}


def figures(values: Floats, kind: str) -> dict[str, float]:
    """The mean, the extremes and the percentiles; infinite ones where the values are."""
    if not len(values):
        return dict.fromkeys(latency.FIGURES, math.nan)
    ordered = np.sort(values)
    ends = {"mean": float(values.sum()) / len(values), "min": float(ordered[0]), "max": float(ordered[-1])}
    return {**ends, **latency.percentiles(ordered, kind)}


def times(measured: Samples, never: float) -> tuple[Floats, Floats]:
    """(n,) the least and the most that each call may have taken, in milliseconds."""
    waited = measured.latency / latency.MILLION
    return (
        np.where(measured.outcome == ERROR, never, waited),
        np.where(measured.outcome > EMPTY, never, waited),
    )


def _intervals(measured: Samples, confidence: float) -> dict[str, tuple[Interval, Interval] | None]:
    """The interval of each figure with failed calls as short, and as long, as they may be."""
    short, long = times(measured, FAR)
    below = latency.value_intervals(short, measured.query, confidence)
    above = below if np.array_equal(short, long) else latency.value_intervals(long, measured.query, confidence)
    return {
        name: (low, high) if low is not None and (high := above[name]) is not None else None
        for name, low in below.items()
    }


def _joined(low: float, high: float, limits: tuple[Interval, Interval] | None) -> Bounded:
    """A figure with its interval; where the figure is infinite either way, no interval can be said."""
    if limits is None or math.isinf(low):
        return Bounded(low, high, None)
    below, above = limits
    end = math.inf if math.isinf(high) or above.high >= FAR else above.high
    return Bounded(low, high, Interval(low, below.low, end, below.confidence, below.method))
