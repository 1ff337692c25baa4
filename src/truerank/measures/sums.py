"""The arithmetic that is not `Hits.sum`: the same bits on every machine, and never NaN.

NumPy's own sum adds in pairs, and its logarithms and powers may differ in the last bit between processors.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

PerQuery = NDArray[np.float64]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FLOOR = 1e-5
"""What a geometric mean raises values to at least, lest one 0 make it 0."""


DIGITS = 53
"""Binary digits of a double-precision number."""

HALF = 27
"""How many of these digits the lower half gets; sums of halves fit 64 bits."""

UNIT = 1074
"""The smallest number above 0 is 2 to the power of minus this; all numbers are its multiples."""


def ratio(numerator: ArrayLike, denominator: ArrayLike) -> PerQuery:
    """Quotients, element by element; 0 where the denominator is 0."""
    n, d = np.asarray(numerator, np.float64), np.asarray(denominator, np.float64)
    out = np.zeros(n.shape if n.shape == d.shape else np.broadcast_shapes(n.shape, d.shape))
    np.divide(n, d, out=out, where=d != 0)
    return out


def quotient(numerator: float, denominator: float) -> float:
    """A number divided by another; 0 where that is 0."""
    return numerator / denominator if denominator else 0.0


def total(values: PerQuery) -> float:
    """The sum from left to right."""
    return float(np.add.accumulate(values)[-1]) if len(values) else 0.0


def mean(values: PerQuery) -> float:
    """The arithmetic mean; 0 of nothing."""
    return total(values) / len(values) if len(values) else 0.0


def exact_total(values: PerQuery) -> int:
    """The sum without any rounding, in units of 2⁻¹⁰⁷⁴: totals of parts add up to that of all, in any order.

    Raises:
        OverflowError: a value is not finite.

    >>> values = np.array([0.1] * 10)
    >>> total(values), rounded(exact_total(values)), rounded(exact_total(values[:3]) + exact_total(values[3:]))
    (0.9999999999999999, 1.0, 1.0)
    """
    if not np.isfinite(values).all():
        raise OverflowError
    fraction, exponent = np.frexp(values)
    order = np.argsort(exponent, kind="stable")
    whole = np.ldexp(fraction[order], DIGITS).astype(np.int64)
    exponents, first = np.unique(exponent[order], return_index=True)
    sums = (np.add.reduceat(half, first).tolist() for half in (whole >> HALF, whole & (1 << HALF) - 1))
    return sum(
        ((high << HALF) + low << power + UNIT) >> DIGITS
        for power, high, low in zip(exponents.tolist(), *sums, strict=True)
    )


def rounded(total: int) -> float:
    """The number nearest to a total without rounding, as `math.fsum` has it.

    Raises:
        OverflowError: it is too large.
    """
    return total / (1 << UNIT)  # Python's division of whole numbers is rounded correctly


def geometric_mean(values: PerQuery) -> float:
    """The geometric mean, each value raised to at least `FLOOR`; 0 of nothing."""
    return math.exp(mean(logarithm(np.maximum(values, FLOOR)))) if len(values) else 0.0


def logarithm(values: ArrayLike) -> Floats:
    """Natural logarithms by the C library."""
    return np.array([math.log(value) for value in np.asarray(values, np.float64).tolist()])


def by_value(function: Callable[[float], float], values: ArrayLike) -> Floats:
    """A function of Python's of each value, asked once for equal ones."""
    unique, inverse = np.unique(np.asarray(values, np.float64), return_inverse=True)
    return np.array([function(value) for value in unique.tolist()])[inverse]


def log2(values: ArrayLike) -> Floats:
    """Base-2 logarithms by the C library."""
    return by_value(math.log2, values)


def powers(base: float, exponent: Ints) -> Floats:
    """The powers of a number from 0 to 1, each the one before times the base, as one walks down a list."""
    deepest = int(exponent.max(initial=0))
    if 0 < base < 1:
        deepest = min(deepest, math.ceil(-740 / math.log(base)))  # what comes below is less than 1e-320
    table = np.multiply.accumulate(np.concatenate([[1.0], np.full(deepest, base, np.float64)]))
    return table[np.minimum(exponent, deepest)]


@lru_cache(maxsize=1)
def _table_of_log2(size: int) -> Floats:
    return np.array([0.0, *map(math.log2, range(1, size))])


def log2_of_whole(x: Ints) -> Floats:
    """log2 of positive whole numbers by the C library; NumPy's own differs in the last bit between machines."""
    top = int(x.max(initial=1))
    if top < 1 << 16:
        return _table_of_log2(1 << max(12, top.bit_length()))[x]
    return log2(x)
