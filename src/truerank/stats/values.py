"""The arrays that come in: checked once, so that no result is ever NaN."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truerank.core.equal import difference

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FINEST = 40
"""Bits behind the largest value that are kept when values are put on a grid: about 1e-12 of it."""

EXACT = 53
"""Bits of a whole number that a float64 holds exactly."""

TINY = float(np.finfo(np.float64).tiny)
"""The smallest p that is told; a p of 0 would claim what no sample can show."""


def column(values: ArrayLike, what: str = "values") -> Floats:
    """(n,) finite numbers, one or more.

    Raises:
        ValueError: there are none, they are not in one row, or one is not a finite number.
    """
    return _finite(values, what, 1)


def table(values: ArrayLike, what: str = "values") -> Floats:
    """(n, c) finite numbers: one row per query, one column per system or measure."""
    return _finite(values, what, 2)


def differences(a: ArrayLike, b: ArrayLike) -> Floats:
    """(n,) or (n, c) a − b, after both were checked; exactly 0 where they are equal (`truerank.equal`)."""
    dimensions = np.ndim(a)
    first, second = _finite(a, "a", dimensions), _finite(b, "b", dimensions)
    if first.shape != second.shape:
        raise ValueError(f"a and b are not pairs: they have {_size(first)} and {_size(second)} values")
    between = difference(first, second)
    wrong = np.flatnonzero(~np.isfinite(between))
    if len(wrong):
        row = int(wrong[0]) // (between.size // len(between))
        raise ValueError(f"a − b at row {row} (from 0) is too large for a number: divide both by the same number")
    return between


def scale(*arrays: ArrayLike) -> Floats:
    """(c,) the largest absolute value of each column in any of the tables; of (n,) values one number."""
    largest: Floats = np.max([np.abs(np.asarray(array, np.float64)).max(axis=0) for array in arrays], axis=0)
    return largest


def mean(values: Floats) -> Floats:
    """The mean of the rows, added from first to last, as means of measures are."""
    total: Floats = np.add.accumulate(values, axis=0)[-1] / len(values)
    return total


def deviation(between: Floats, largest: ArrayLike) -> Floats:
    """(c,) the standard deviation of each column of differences, by n − 1; of (n,) differences one number.

    Exactly 0 where the differences are equal but for rounding. A column has the same bits as by itself.

    Args:
        largest: by `scale`, the largest value that each column was computed from.
    """
    rows = np.ascontiguousarray(between.T)
    unit = unit_of(np.abs(rows).max(axis=-1), 1)  # squares of the largest numbers overflow
    spread = (rows / unit[..., None]).std(axis=-1, ddof=min(1, len(between) - 1)) * unit
    return np.where(np.ptp(rows, axis=-1) <= np.asarray(largest) * rounding(1.0), 0.0, spread)


def share(value: float, what: str) -> float:
    """A number between 0 and 1, both excluded."""
    if not 0 < value < 1:
        raise ValueError(f"{what} is a number between 0 and 1, not {value!r}")
    return float(value)


def one_of(value: object, known: Collection[str], what: str) -> None:
    """Raise a ValueError for a value that is not among the known ones."""
    if value not in known:
        raise ValueError(f"{what} is one of {', '.join(known)}, not {value!r}")


def count(value: int, what: str) -> int:
    """A whole number of 1 or more."""
    if not 1 <= value < np.inf or value != int(value):
        raise ValueError(f"{what} is a whole number of 1 or more, not {value!r}")
    return int(value)


def is_constant(values: Floats, largest: ArrayLike) -> bool:
    """Whether the values are equal but for rounding, given the largest value that they were computed from."""
    return bool(np.ptp(values) <= rounding(largest))


def rounding(largest: ArrayLike) -> float:
    """How large differences of values up to `largest` may be by rounding alone."""
    return float(np.max(largest) * 2.0**-FINEST)


def on_grid(values: Floats, largest: ArrayLike) -> tuple[Floats, Floats]:
    """The values as whole multiples of a unit, and the unit of each column.

    Sums in which each of them is taken at most as often as there are rows are then exact: a matrix product has the
    same bits in any order, in any blocks, on any number of threads. Two sums that only the rounding of decimals
    sets apart differ by no more units than there are rows.

    Args:
        values: (n, …).
        largest: an upper bound of what the values were computed from, for all columns or for each.
    """
    bits = min(FINEST, EXACT - len(values).bit_length())
    unit = unit_of(largest, bits)
    return np.rint(values / unit), unit


def unit_of(largest: ArrayLike, bits: int) -> Floats:
    """The power of two in which values up to `largest` are whole numbers of this many bits."""
    unit: Floats = np.ldexp(1.0, np.maximum(np.frexp(largest)[1] - bits, -1000))
    return unit


def _finite(values: ArrayLike, what: str, dimensions: int) -> Floats:
    array = np.asarray(values, np.float64)
    if array.ndim != dimensions:
        shape = {1: "one row", 2: "a table with one row per query"}.get(dimensions, "one row or a table")
        raise ValueError(f"{what} must be {shape}, not an array of {array.ndim} dimensions")
    if not array.size:
        raise ValueError(f"{what} has no numbers; at least one is needed")
    wrong = np.flatnonzero(~np.isfinite(array))
    if len(wrong):
        row = int(wrong[0]) // (array.size // len(array))
        raise ValueError(f"{what} is {array.flat[wrong[0]]} at row {row} (from 0); only finite numbers have a mean")
    return array


def _size(array: Floats) -> str:
    rows, *columns = array.shape
    return " × ".join(map(str, [rows] if columns in ([], [1]) else [rows, *columns]))
