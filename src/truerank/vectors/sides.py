"""The two sides: queries and gallery, with their ids, identities and cameras."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank.core.errors import InputError, printable
from truerank.core.kernel.scanning import as_bytes
from truerank.core.messages import listed
from truerank.core.qrels import Ints
from truerank.core.schema import is_missing, is_number
from truerank.formats.matrices import in_rows, without_torch


@dataclass(frozen=True, eq=False)
class Side:
    """The queries, or the gallery.

    Attributes:
        ids: distinct.
        labels: (entries,) who is on each, as numbers that mean the same on both sides; None without labels.
        cameras: (entries,) which camera saw it, likewise.
        classes: (entries, labels) 1 for each label that an entry has, where it may have several; else None.
    """

    ids: tuple[bytes, ...]
    labels: Ints | None = None
    cameras: Ints | None = None
    classes: NDArray[np.float32] | None = None

    def __len__(self) -> int:
        """The number of entries."""
        return len(self.ids)

    @property
    def is_labelled(self) -> bool:
        """Whether labels say what is on the entries."""
        return self.labels is not None or self.classes is not None

    @cached_property
    def place(self) -> dict[bytes, int]:
        """Where each id stands."""
        return dict(zip(self.ids, range(len(self)), strict=True))

    def take(self, places: Ints) -> Side:
        """Only these, in this order."""
        labels, cameras = (None if x is None else x[places] for x in (self.labels, self.cameras))
        classes = None if self.classes is None else self.classes[places]
        return Side(tuple(self.ids[place] for place in places.tolist()), labels, cameras, classes)


@dataclass(frozen=True)
class Given:
    """What a caller knows of the two sides, as it came."""

    query_labels: Any = None
    gallery_labels: Any = None
    query_cameras: Any = None
    gallery_cameras: Any = None
    query_ids: Any = None
    gallery_ids: Any = None


@dataclass(frozen=True, eq=False)
class Sides:
    """Both sides.

    Attributes:
        names: the identities as they were given; a label is an index into them.
    """

    queries: Side
    gallery: Side
    names: NDArray[Any]

    def named(self, numbers: tuple[int, ...]) -> Ints:
        """The labels of the identities that are these numbers, however they are written: 0, "0" or "0000"."""
        return np.flatnonzero([_number(name) in numbers for name in self.names.tolist()]).astype(np.int64)


def sides(given: Given, queries: int, gallery: int) -> Sides:
    """What was given, checked and made comparable.

    Raises:
        InputError: too few or too many of something, an id twice, labels or cameras on one side only.
    """
    width = len(str(max(queries, gallery) - 1))
    ids = [_ids(given.query_ids, queries, width, "query"), _ids(given.gallery_ids, gallery, width, "gallery")]
    q_cameras, g_cameras, _ = _codes(given.query_cameras, given.gallery_cameras, queries, gallery, "cameras")
    labels = given.query_labels, given.gallery_labels
    if (classes := _classes(*labels, queries, gallery)) is not None:
        one, other = (Side(i, None, c, k) for i, c, k in zip(ids, (q_cameras, g_cameras), classes, strict=True))
        return Sides(one, other, np.empty(0))
    q_labels, g_labels, names = _codes(*labels, queries, gallery, "labels")
    return Sides(Side(ids[0], q_labels, q_cameras), Side(ids[1], g_labels, g_cameras), names)


def _ids(values: Any, count: int, width: int, side: str) -> tuple[bytes, ...]:
    """The ids as bytes; by default the places, of one width so that they sort as numbers do."""
    if values is None:
        return tuple(b"%0*d" % (width, place) for place in range(count))
    ids = tuple(_id(value, side) for value in array_of(values).ravel().tolist())
    _same_length(len(ids), count, f"{side}_ids")
    if len(set(ids)) < count:
        (most, times), *_ = Counter(ids).most_common(1)
        raise InputError(
            "the id {id} stands {n} times in {side}_ids; each must name one entry",
            id=printable(most),
            n=times,
            side=side,
        )
    return ids


def _id(value: Any, side: str) -> bytes:
    """An id as bytes."""
    try:
        if not is_missing(value):
            return as_bytes(value)
    except UnicodeEncodeError:
        pass
    raise InputError("{side}_ids holds {value!a}, which is no name of an entry", side=side, value=value)


def _codes(
    one: Any, other: Any, queries: int, gallery: int, what: str
) -> tuple[Ints | None, Ints | None, NDArray[Any]]:
    """Both columns as numbers from 0 on, equal where the values are, and the values."""
    if one is None and other is None:
        return None, None, np.empty(0)
    if one is None or other is None:
        given, lacking = ("gallery", "query") if one is None else ("query", "gallery")
        raise InputError(
            "there are {given} but no {lacking}; give both", given=f"{given}_{what}", lacking=f"{lacking}_{what}"
        )
    first, second = _column(one, queries, f"query_{what}"), _column(other, gallery, f"gallery_{what}")
    if (first.dtype.kind == "U") != (second.dtype.kind == "U"):
        raise InputError(
            "query_{what} and gallery_{what} cannot be compared: only one of them holds text", what=what
        )
    names, codes = np.unique(np.concatenate([first, second]), return_inverse=True)
    codes = codes.astype(np.int64)
    return codes[:queries], codes[queries:], names


def _classes(
    one: Any, other: Any, queries: int, gallery: int
) -> tuple[NDArray[np.float32], NDArray[np.float32]] | None:
    """Both matrices of labels, (entries, labels) of 0 and 1; None where there is one label an entry."""
    if one is None or other is None:
        return None
    tables = [array_of(one), array_of(other)]
    is_table = [
        t.ndim == 2 and t.shape[1] > 1 and len(t) == n for t, n in zip(tables, (queries, gallery), strict=True)
    ]
    if not any(is_table):
        return None
    if not all(is_table) or tables[0].shape[1] != tables[1].shape[1]:
        raise InputError(
            "matrices of labels have one row per entry and the same labels on both sides, not {shapes}",
            shapes=listed([str(table.shape) for table in tables]),
        )
    for table, what in zip(tables, ("query_labels", "gallery_labels"), strict=True):
        bad = ~np.isin(table, (0, 1))
        if table.dtype.kind not in "biuf" or bad.any():
            value = table[bad][0].item() if bad.any() else table.dtype
            raise InputError("{what}: a matrix of labels holds 0 and 1, not {value!r}", what=what, value=value)
    return tables[0].astype(np.float32), tables[1].astype(np.float32)


def _column(values: Any, count: int, what: str) -> NDArray[Any]:
    """One label or camera an entry: int64, or text."""
    column = array_of(values)
    if column.ndim == 2 and 1 in column.shape:  # as MATLAB keeps a list
        column = column.ravel()
    if column.ndim != 1:
        raise InputError(
            "{what} is a list with one for each entry, not an array of shape {shape}", what=what, shape=column.shape
        )
    _same_length(len(column), count, what)
    kind = column.dtype.kind
    values = np.unique(column) if kind in "uf" else column
    if kind in "bi" or (kind in "ufO" and all(map(_is_number, values.tolist()))):
        return column.astype(np.int64)
    if kind in "OSU" and all(isinstance(value, str | bytes) for value in column.tolist()):
        return np.array([printable(value) for value in column.tolist()], dtype=np.str_)
    raise InputError(
        "{what} holds {value!r}; it should hold whole numbers of 64 bits or text, one kind of the two",
        what=what,
        value=_odd(column),
    )


def _odd(column: NDArray[Any]) -> Any:
    """A value that is neither text nor a whole number, or the first one."""
    values = column.tolist()
    odd = (value for value in values if not _is_number(value) and not isinstance(value, str | bytes))
    return next(odd, values[0] if values else None)


def _is_number(value: Any) -> bool:
    """Whether a value is a whole number of 64 bits, or true or false."""
    return isinstance(value, bool) or (is_number(value) and -(1 << 63) <= value < 1 << 63 and value == int(value))


def _same_length(length: int, wanted: int, what: str) -> None:
    if length != wanted:
        raise InputError(
            "{what} has {n:,} values where there are {wanted:,} entries", what=what, n=length, wanted=wanted
        )


def _number(name: Any) -> int | None:
    if isinstance(name, str) and "_" in name:  # which Python reads in numbers
        return None
    try:
        return int(name)
    except ValueError:
        return None


def array_of(values: Any) -> NDArray[Any]:
    """A NumPy array of a list, a column of a frame, a tensor on any device.

    Raises:
        InputError: rows of several lengths, or an array with masked values.
    """
    values = without_torch(values)
    if isinstance(values, Sequence) and not isinstance(values, str) and _is_mixed(values):
        return np.array(values, dtype=object)  # NumPy would make text of the numbers
    if np.ma.is_masked(values):
        raise InputError("there are masked values in an array; leave these entries out, or say what they are")
    try:
        return in_rows(values)
    except ValueError:
        raise InputError("no array can be made of rows that have several lengths") from None


def _is_mixed(values: Sequence[Any]) -> bool:
    return len({isinstance(value, str | bytes) for value in values}) > 1
