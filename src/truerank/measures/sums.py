"""The two sums that are not `Hits.sum`: a quotient that is never NaN, and a mean that is always the same."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

PerQuery = NDArray[np.float64]


def ratio(numerator: ArrayLike, denominator: ArrayLike) -> PerQuery:
    """Element by element; 0 where the denominator is 0."""
    n, d = np.broadcast_arrays(np.asarray(numerator, np.float64), np.asarray(denominator, np.float64))
    return np.divide(n, d, out=np.zeros(n.shape), where=d != 0)


def total(values: PerQuery) -> float:
    """The sum from left to right; NumPy's own adds in pairs, which depends on the length."""
    return float(np.add.accumulate(values)[-1]) if len(values) else 0.0


def mean(values: PerQuery) -> float:
    """The arithmetic mean; 0 of nothing."""
    return total(values) / len(values) if len(values) else 0.0


def logarithm(values: Iterable[float]) -> PerQuery:
    """Natural logarithms by the C library; NumPy's own may differ in the last bit between machines."""
    return np.array([math.log(value) for value in np.asarray(values, np.float64).tolist()])


def log2(values: Iterable[float]) -> PerQuery:
    """Base-2 logarithms by the C library."""
    return np.array([math.log2(value) for value in np.asarray(values, np.float64).tolist()])


def geometric_mean(values: PerQuery, floor: float = 1e-5) -> float:
    """The geometric mean, each value raised to at least `floor`; 0 of nothing."""
    return math.exp(mean(logarithm(np.maximum(values, floor)))) if len(values) else 0.0
