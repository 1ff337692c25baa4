"""Ids as one text with their ends; offsets of concatenated lists, repeated numbers, the order people sort by."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Ids:
    """Ids, one after another in a text: id i ends at ends[i], where the next one begins."""

    ends: Ints
    text: bytes = field(repr=False)

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, i: int) -> bytes:
        return self.text[self.ends[i - 1] if i else 0 : self.ends[i]]

    def some(self, numbers: Ints) -> list[bytes]:
        """(numbers,) the ids with these numbers."""
        starts = np.where(numbers > 0, self.ends[numbers - 1], 0)
        return [self.text[a:b] for a, b in zip(starts.tolist(), self.ends[numbers].tolist(), strict=True)]

    def __iter__(self) -> Iterator[bytes]:
        ends = self.ends.tolist()
        return (self.text[a:b] for a, b in zip([0, *ends], ends, strict=False))


def starts_of(sizes: Sequence[int] | NDArray[np.integer] | NDArray[np.bool_]) -> Ints:
    """(sizes + 1,) where each of several concatenated lists begins, and where the last one ends."""
    starts = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, dtype=np.int64, out=starts[1:])
    return starts


def stretches(begin: Ints, size: Ints) -> tuple[Ints, Ints]:
    """The numbers of stretches, `size` of them from each `begin` on, and which stretch each number is of.

    >>> [each.tolist() for each in stretches(np.array([7, 0]), np.array([2, 3]))]
    [[7, 8, 0, 1, 2], [0, 0, 1, 1, 1]]
    """
    stretch = np.repeat(np.arange(len(size)), size)
    return np.arange(len(stretch)) + np.repeat(begin - (np.cumsum(size) - size), size), stretch


def chunks(sizes: Ints, most: int) -> Iterator[slice]:
    """Slices of concatenated things whose sizes add up to `most` or less; a single larger one has its own slice.

    >>> [(part.start, part.stop) for part in chunks(np.array([2, 3, 1, 9, 1]), 5)]
    [(0, 2), (2, 3), (3, 4), (4, 5)]
    """
    ends, start = np.cumsum(sizes), 0
    while start < len(sizes):
        done = int(ends[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, done + most, side="right")))
        yield slice(start, stop)
        start = stop


def is_later(numbers: NDArray[np.integer]) -> NDArray[np.bool_]:
    """(numbers,) whether the same number occurs earlier.

    >>> is_later(np.array([7, 5, 7])).tolist()
    [False, False, True]
    """
    later = np.ones(len(numbers), bool)
    later[np.unique(numbers, return_index=True)[1]] = False
    return later


def ascending(numbers: Ints, end: int) -> Ints:
    """(numbers,) the order that sorts these numbers, all from 0 to `end`; equal ones keep their order.

    >>> ascending(np.array([1, 0, 1, 0]), 2).tolist()
    [1, 3, 0, 2]
    """
    small = numbers.astype(np.uint16) if end < 1 << 16 else numbers  # which NumPy sorts by counting
    return np.argsort(small, kind="stable")


def natural(name: bytes) -> tuple[tuple[int, int, bytes, bytes], ...]:
    """The key that sorts ids so that 2 comes before 10: numbers by value, everything else as it is written.

    >>> sorted([b"hop10", b"hop2", b"10", b"2", b"hop"], key=natural)
    [b'2', b'10', b'hop', b'hop2', b'hop10']
    """
    parts = (part for part in re.split(rb"(\d+)", name) if part)
    numbers = ((part.lstrip(b"0"), part) for part in parts)  # the longer, the larger: Python's own int has a limit
    keys = ((0, len(number), number, part) if part.isdigit() else (1, 0, part, b"") for number, part in numbers)
    return *keys, (-1, 0, name, b"")


NO_IDS = Ids(np.empty(0, np.int64), b"")


def joined(parts: Sequence[Ids]) -> Ids:
    """The ids of all parts, in order."""
    before = itertools.accumulate((len(part.text) for part in parts), initial=0)
    ends = [part.ends + shift for part, shift in zip(parts, before, strict=False)]
    return Ids(np.concatenate(ends), b"".join(part.text for part in parts))
