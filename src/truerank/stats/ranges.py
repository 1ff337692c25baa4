"""The Studentized range: how far apart chance puts the best and the worst of several equal systems.

By sums over an even grid, which for such smooth functions is as exact as floating point. SciPy has the
distribution too; it takes ten times as long or more, and tells small probabilities as 0.
"""

from __future__ import annotations

import functools

import numpy as np

from truerank.stats.distributions import estimated_spread, normal_below
from truerank.stats.halving import enough
from truerank.stats.values import Floats

STEP = 0.125
"""Of the grid of the best system's place, in standard deviations."""

FAR = 8.0
"""Where a normal distribution ends, in standard deviations."""

FARTHEST = 76.0
"""Ranges beyond this many known standard deviations have a probability of 0."""

NOTHING = 1e-20
"""The part of a sum that changes none of its digits."""


def range_above(ranges: Floats, systems: int, freedom: float) -> Floats:
    """The probability of a Studentized range above each of these.

    >>> range_above(np.array([3.88]), 3, 10).round(2).tolist()
    [0.05]
    """
    spread, weights = estimated_spread(freedom)
    return np.array([float(np.sum(_known_above(at * spread, systems) * weights)) for at in ranges.tolist()])


@functools.lru_cache
def range_quantile(level: float, systems: int, freedom: float) -> float:
    """The Studentized range below which one lies with probability `level`."""
    return enough(lambda far: bool(range_above(np.array([far]), systems, freedom)[0] > 1 - level), 52)


def _known_above(ranges: Floats, systems: int) -> Floats:
    """The probability of a range above each of these when the noise is known."""
    near = np.minimum(ranges, FARTHEST)[:, None]
    best = np.arange(-FAR, float(near.max()) / 2 + FAR, STEP)
    density = systems * np.exp(-(best**2) / 2) / np.sqrt(2 * np.pi) * STEP
    below = normal_below(best)
    weights = density * below ** (systems - 1)
    first = np.argmax(weights > weights.max() * NOTHING)  # the lower the best, the nearer are all others
    best, below, weights = best[first:], below[first:], weights[first:]
    beyond = np.minimum(normal_below(best - near) / below, 1.0)
    with np.errstate(divide="ignore"):  # at no distance all others are beyond it
        all_near = (systems - 1) * np.log1p(-beyond)
    above: Floats = -np.expm1(all_near) @ weights
    return above
