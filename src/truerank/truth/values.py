"""Columns as ids and labels, numbers, or vectors; whatever is something else is refused with its item."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank.core.errors import InputError, printable
from truerank.truth.items import Floats, Texts

TEXTS = {str, int, type(None)}
"""What ids, labels and cameras may be."""


def texts(values: Sequence[Any], path: str, ids: Sequence[str], name: str) -> Texts:
    """Ids, labels and cameras: text or whole numbers; None where there is none, and for an empty text."""
    values = values.tolist() if isinstance(values, np.ndarray) else values
    if not set(map(type, values)) <= TEXTS:
        row, bad = next((row, value) for row, value in enumerate(values, 1) if type(value) not in TEXTS)
        fractions = [value for value in values if isinstance(value, float)]
        if fractions and all(value != value or value % 1 == 0 for value in fractions):
            return texts(list(map(_whole, values)), path, ids, name)
        raise InputError(
            "{column} of item {row} is text or a whole number, not {value!r:.60}",
            name,
            column=path,
            row=row,
            value=bad,
        )
    return tuple(None if value is None or value == "" else str(value) for value in values)


_FLOAT = re.compile(r"-?[0-9]+\.0")


def codes(values: Sequence[Any], path: str, ids: Sequence[str], name: str) -> Texts:
    """Labels, cameras and zones: as `texts`; where all are written 1.0, as by pandas, they are whole numbers."""
    column = texts(values, path, ids, name)
    if not all(text is None or _FLOAT.fullmatch(text) for text in column):
        return column
    return tuple(None if text is None else text[:-2] for text in column)


def _whole(value: Any) -> Any:
    """What pandas makes 1.0 and NaN, where numbers are missing in a column, as it was."""
    if isinstance(value, float):
        return None if value != value else int(value)
    return value


def numbers(values: Sequence[Any], path: str, ids: Sequence[str], name: str) -> Floats:
    """Coordinates; NaN where there is none."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "fiu":
        return values.astype(np.float64)
    try:
        return np.array([np.nan if value is None else number(value) for value in values])
    except (TypeError, ValueError, OverflowError):
        row = next(row for row, value in enumerate(values) if value is not None and not _is_number(value))
        raise InputError(
            "{column} of {item} is no number: {value!r:.60}",
            name,
            column=path,
            item=printable(ids[row]),
            value=values[row],
        ) from None


def number(value: Any) -> float:
    """The number; a text is written as other programs write one, not as Python takes it too: 1_000, ١.

    Raises:
        TypeError, ValueError, OverflowError: it is none.
    """
    if isinstance(value, bool | np.bool_) or (isinstance(value, str) and ("_" in value or not value.isascii())):
        raise ValueError(value)
    return float(value)


def _is_number(value: Any) -> bool:
    try:
        number(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def vectors(values: Sequence[Any], path: str, ids: Sequence[str], name: str) -> NDArray[Any]:
    """Embeddings, in the precision that they come in."""
    try:
        vectors = np.array(list(values))
    except ValueError:
        vectors = np.empty(0)
    if vectors.ndim != 2 or vectors.dtype.kind not in "fiu":
        raise InputError("{column} should hold vectors of numbers, all of one length", name, column=path)
    return vectors
