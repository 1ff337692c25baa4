"""How likely a reader goes on: after how many documents, by what was found, or by what it took.

A continuation is C, the chance to go on from a rank to the next, over a stretch of documents that are alike.
"""

from __future__ import annotations

import math

import numpy as np

from truerank.measures.cwl.walks import Continuation, Stretch
from truerank.measures.sums import Floats, by_value, log2

NEAR = 1e-12
"""Values that differ by less are one."""

TERMS = 20
"""Of a series that are added one by one; for the rest of it five of Bernoulli's numbers are exact."""


def always(stretch: Stretch) -> tuple[Floats, Floats]:
    """C = 1: to the end of what there is."""
    return np.ones(len(stretch.length)), stretch.length


def steadily(p: float) -> Continuation:
    """C = p."""

    def goes_on(stretch: Stretch) -> tuple[Floats, Floats]:
        if p == 1:
            return always(stretch)
        past = raised(np.full(len(stretch.length), p), stretch.length)
        return past, (1.0 - past) / (1.0 - p)

    return goes_on


def by_square(shift: float) -> Continuation:
    """C = ((i + shift − 1) / (i + shift))²: the more that was read, the more likely more is."""

    def goes_on(stretch: Stretch) -> tuple[Floats, Floats]:
        return _square(stretch.rank + shift - 1.0, stretch.length)

    return goes_on


def _square(start: Floats, length: Floats) -> tuple[Floats, Floats]:
    """Along ((x − 1) / x)², where x − 1 begins at `start` and rises by 1."""
    end = start + length
    return (start / end) ** 2, start**2 * (trigamma(start) - trigamma(end))


def towards(target: float) -> Continuation:
    """INST: C = ((x − 1) / x)² with x = i + 2T − found by i; so the more found, the less likely to go on."""

    def goes_on(stretch: Stretch) -> tuple[Floats, Floats]:
        start = stretch.rank + 2.0 * target - stretch.before - 1.0
        past, seen = _square(start, stretch.length)
        x = start + 1.0 - stretch.gain  # stays as it is where each document brings 1
        chance = ((x - 1.0) / x) ** 2
        all_past = raised(chance, stretch.length)
        all_seen = (1.0 - all_past) * x**2 / (2.0 * x - 1.0)
        brings = stretch.gain > 0
        one = stretch.length == 1
        return np.where(brings, all_past, past), np.where(one, 1.0, np.where(brings, all_seen, seen))

    return goes_on


def until_satisfied(otherwise: Continuation) -> Continuation:
    """C = (1 − gain) times the C of another reader."""

    def goes_on(stretch: Stretch) -> tuple[Floats, Floats]:
        past, seen = otherwise(stretch)
        one = np.where(stretch.length > 0, 1.0 - stretch.gain, 1.0)
        brings = stretch.gain > 0
        return past * one, np.where(brings, np.minimum(stretch.length, 1.0), seen)

    return goes_on


def until_found(stretch: Stretch) -> tuple[Floats, Floats]:
    """C = 1 until something was found."""
    brings = (stretch.gain > 0) & (stretch.length > 0)
    return np.where(brings, 0.0, 1.0), np.where(brings, 1.0, stretch.length)


def by_table(weight: Floats) -> Continuation:
    """C as it makes rank i be seen weight[i − 1] times as often as rank 1; nothing below its end."""
    table = np.concatenate([weight, [0.0]])
    below = np.add.accumulate(np.concatenate([[0.0], weight]))

    def goes_on(stretch: Stretch) -> tuple[Floats, Floats]:
        ends = stretch.rank, stretch.rank + stretch.length
        first, end = (np.minimum(each - 1.0, len(weight)).astype(np.int64) for each in ends)
        there = table[first] > 0
        scale = np.where(there, table[first], 1.0)
        return np.where(there, table[end] / scale, 1.0), np.where(there, (below[end] - below[first]) / scale, 0.0)

    return goes_on


def logarithmic(k: int) -> Continuation:
    """Rank i is seen 1 / log2(i + 1) times as often as the first."""
    return by_table(1.0 / log2(np.arange(2, k + 2)))


def reciprocal(k: int) -> Continuation:
    """C = i / (i + 1)."""
    return by_table(1.0 / np.arange(1, k + 1))


def half_life(halflife: float) -> Continuation:
    """C = 2^(−cost / h)."""

    def goes_on(stretch: Stretch) -> tuple[Floats, Floats]:
        rate = stretch.cost / halflife
        lost_once, lost = _lost(rate), _lost(rate * stretch.length)
        return 1.0 - lost, lost / lost_once

    return goes_on


def _lost(halvings: Floats) -> Floats:
    """1 − 2^−x, by the C library."""
    return by_value(lambda x: -math.expm1(-math.log(2) * x), halvings)


def while_left(budget: float) -> Continuation:
    """Seen in proportion to what is left of a budget when a document begins."""

    def goes_on(stretch: Stretch) -> tuple[Floats, Floats]:
        left = np.maximum(budget - stretch.spent, 0.0)
        there = left > 0
        scale = np.where(there, left, 1.0)
        n = np.minimum(stretch.length, np.ceil(left / stretch.cost))
        past = np.maximum(left - stretch.cost * np.minimum(stretch.length, n), 0.0) / scale
        return past, np.where(there, n - stretch.cost / scale * (n * (n - 1.0) / 2.0), 0.0)

    return goes_on


def within(target: float, budget: float, hb: float = 0.0, hc: float = 0.0, median: float = 0.5) -> Continuation:
    """BPM: C = 1 until the target was found, or the budget spent.

    A document moves the target by hb · (gain − median), and the budget by hc times as much, for those below it.
    """

    def goes_on(stretch: Stretch) -> tuple[Floats, Floats]:
        gain, moved = stretch.gain, stretch.before - median * (stretch.rank - 1.0)
        enough = _first(stretch.before, gain, target + hb * moved, hb * (gain - median))
        spent = _first(stretch.spent, stretch.cost, budget + hc * moved, hc * (gain - median))
        stop = np.minimum(enough, spent)
        return (stretch.length < stop).astype(np.float64), np.minimum(stretch.length, stop)

    return goes_on


def _first(before: Floats, step: Floats, limit: Floats, moves: Floats) -> Floats:
    """The first n from 1 on at which before + n · step reaches limit + (n − 1) · moves; infinite where none does.

    What is exactly reached counts, whatever its rounding: ten times 0.1 is 1.
    """
    limit = limit - NEAR * np.maximum(np.abs(limit), 1.0)
    slope = step - moves
    rises = slope > 0
    n = np.ceil((limit - before - moves) / np.where(rises, slope, 1.0))
    return np.where(before + step >= limit, 1.0, np.where(rises, np.maximum(n, 2.0), np.inf))


def raised(base: Floats, exponent: Floats) -> Floats:
    """Powers of numbers from 0 to 1, by multiplication alone: the same bits on every machine."""
    endless = np.isinf(exponent)
    left = np.where(endless, 0.0, exponent).astype(np.int64)
    out, square = np.ones(len(base)), base.copy()
    while left.any():
        out = np.where(left & 1, out * square, out)
        square, left = square * square, left >> 1
    return np.where(endless, (base == 1).astype(np.float64), out)


def trigamma(x: Floats) -> Floats:
    """The sum of 1 / (x + n)² for n = 0, 1, …, for x above 0; 0 for an infinite x."""
    first: Floats = np.add.accumulate((1.0 / (x[:, None] + np.arange(TERMS))) ** 2, axis=1)[:, -1]
    z = x + TERMS
    y = 1.0 / z / z
    series = y * (1 / 6 - y * (1 / 30 - y * (1 / 42 - y * (1 / 30 - y * (5 / 66)))))
    return first + (1.0 + 0.5 / z + series) / z
