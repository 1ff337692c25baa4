"""When two values of a measure are equal: one idea for gates, effects, wins, moves, bounds and the ledger.

A value is a sum of quotients, and rounding alone moves it by a few units of its last digit. So values are equal
within 1e-12, and within 1e-12 of the larger one above 1. Nothing that a person could have measured lies that near.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

CLOSE = 1e-12
"""Values that lie no further apart are equal."""


def are_equal(a: ArrayLike, b: ArrayLike) -> NDArray[np.bool_]:
    """Element by element, whether two values are equal; a value that is missing (NaN) on both sides is.

    >>> are_equal([0.1 + 0.2, 0.3, 1e9], [0.3, 0.3001, 1e9 + 1e-4]).tolist()
    [True, False, True]
    """
    one, other = np.asarray(a, np.float64), np.asarray(b, np.float64)
    with np.errstate(invalid="ignore", over="ignore"):  # infinities
        apart = np.abs(one - other)
    near = apart <= CLOSE * np.maximum(1.0, np.maximum(np.abs(one), np.abs(other)))
    same: NDArray[np.bool_] = np.asarray(
        (one == other) | (near & np.isfinite(apart)) | (np.isnan(one) & np.isnan(other))
    )
    return same


def is_equal(a: float, b: float) -> bool:
    """Whether two numbers are equal.

    >>> is_equal(sum([0.3] * 10) / 10, 0.3), is_equal(0.3, 0.3 + 1e-9)
    (True, False)
    """
    return bool(are_equal(a, b))


def difference(a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
    """Element by element a − b, and exactly 0 where they are equal.

    >>> difference([0.1 + 0.2, 0.5], [0.3, 0.25]).tolist()
    [0.0, 0.25]
    """
    one, other = np.asarray(a, np.float64), np.asarray(b, np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        return np.where(are_equal(one, other), 0.0, one - other)


def as_one(values: ArrayLike) -> NDArray[np.float64]:
    """(n,) the values for ranking: those that are equal are replaced by the least of them.

    >>> as_one([0.5, 0.1 + 0.2, 0.3]).tolist()
    [0.5, 0.3, 0.3]
    """
    given = np.asarray(values, np.float64)
    order = np.argsort(given, kind="stable")
    rising = given[order]
    first = np.append(True, ~are_equal(rising[1:], rising[:-1]))[: len(given)]
    ranked = np.empty_like(given)
    ranked[order] = rising[first][np.cumsum(first) - 1]
    return ranked
