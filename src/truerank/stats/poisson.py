"""The Poisson bootstrap: each query is drawn on its own, so that queries need not be in one place.

A query's times in a resample follow the Poisson distribution of mean 1 and come from a hash of its id, and sums are
of whole numbers: so any cut of the queries, in any order, gives the same bits (Hanley and MacGibbon 2006; Chamandy
and others, Estimating uncertainty for massive data streams, 2012).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truerank.stats.values import Floats, Ints, unit_of

GRID = 30
"""Values are multiples of the largest one in so many twos, and sums of 2³⁰ of them fit 64 bits."""

BLOCK = 1 << 12
"""Queries whose times are in memory at once."""

OUTCOMES = 1 << 16
"""So many outcomes of a throw are as likely."""

GOLDEN = 0x9E3779B97F4A7C15
"""Steps of SplitMix64 (Steele, Lea and Flood 2014), whose outcomes are thrown."""

MIXED = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))


@dataclass(frozen=True, eq=False)
class Drawn:
    """Sums of resamples; the sums of parts add up.

    Attributes:
        sums: (resamples, c) of the values, on the grid.
        times: (resamples, c) how many values were drawn.
    """

    sums: Ints
    times: Ints

    @classmethod
    def of(cls, keys: NDArray[np.uint64], values: Floats, largest: Floats, resamples: int) -> Drawn:
        """The sums of some queries.

        Args:
            keys: (n,) one number per query, such as a hash of its id and of a seed.
            values: (n, c), NaN where a query has none.
            largest: (c,) the largest distance from 0 of the values of all queries.
        """
        known = ~np.isnan(values)
        grid = np.rint(np.where(known, values, 0.0) / unit_of(largest, GRID))
        both, sums = np.concatenate([grid, known], axis=1), np.zeros((resamples, 2 * len(largest)), np.int64)
        for start in range(0, len(keys), BLOCK):
            some = slice(start, start + BLOCK)
            sums += (times(keys[some], resamples).T @ both[some]).astype(np.int64)
        return cls(*np.split(sums, 2, axis=1))

    def __add__(self, other: Drawn) -> Drawn:
        return Drawn(self.sums + other.sums, self.times + other.times)

    def means(self, largest: Floats) -> Floats:
        """(resamples, c) the means of the values that were drawn."""
        means: Floats = self.sums * unit_of(largest, GRID) / np.maximum(self.times, 1)
        return means


def times(keys: NDArray[np.uint64], resamples: int) -> Floats:
    """(n, resamples) how often each query is in each resample.

    >>> drawn = times(np.arange(100_000, dtype=np.uint64), 9)
    >>> round(float(drawn.mean()), 2), round(float(drawn.var()), 2)
    (1.0, 1.0)
    """
    steps = np.arange(1, -(-resamples // 4) + 1, dtype=np.uint64) * np.uint64(GOLDEN)
    bits = keys[:, None] + steps
    for shift, factor in MIXED:
        bits = (bits ^ bits >> np.uint64(shift)) * np.uint64(factor)
    throws = (bits ^ bits >> np.uint64(31)).astype("<u8").view("<u2")[:, :resamples]
    drawn: Floats = _table()[throws]
    return drawn


def _table() -> Floats:
    """How often a query is drawn for each outcome of its hash, such that this is a Poisson variable of mean 1."""
    likely = [math.exp(-1) / math.factorial(k) for k in range(9)]
    ends = np.rint(np.cumsum(likely) * OUTCOMES)
    numbers: Floats = np.searchsorted(ends, np.arange(OUTCOMES), side="right").astype(np.float64)
    return numbers
