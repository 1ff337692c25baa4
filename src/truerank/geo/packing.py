"""Many short lists of names in little memory: one text or one array each, and one array for all scores."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Any, Union

import numpy as np

from truerank.core.errors import InputError, printable
from truerank.core.ids import starts_of
from truerank.truth.items import Floats, Ints

Packed = Union[str, "array[int]", list[Any]]


def packed(names: list[Any]) -> Packed:
    """Names, which are texts and whole numbers, as one thing.

    >>> packed(["a", "b"]), unpacked(packed([3, 1]))
    ('a\\nb', [3, 1])
    """
    if not names:
        return []
    try:
        text = "\n".join(names)
    except TypeError:
        return _numbers(names)
    return text if text.count("\n") == len(names) - 1 else names


def _numbers(names: list[Any]) -> Packed:
    try:
        return array("q", names) if set(map(type, names)) == {int} else list(map(str, names))
    except OverflowError:
        return list(map(str, names))


def unpacked(names: Packed) -> list[Any]:
    """The names again."""
    if isinstance(names, str):
        return names.split("\n")
    return names.tolist() if isinstance(names, array) else names


class PackedAnswers:
    """The answers to one query after another.

    Attributes:
        source: where they come from, for messages.
        queries: whose they are.
        docs: the packed names.
        counts: how many each has.
    """

    def __init__(self, source: str):
        self.source = source
        self.queries: list[str] = []
        self.docs: list[Packed] = []
        self.counts: list[int] = []
        self._values = array("d")

    def add(self, query: str, names: list[Any], values: list[Any] | None) -> None:
        """One answer: names, and a number to each where answers have these."""
        self.docs.append(packed(names))
        self.queries.append(query)
        self.counts.append(len(names))
        self._values.fromlist(values or [])

    @property
    def start(self) -> Ints:
        """(queries + 1,) where the answers begin and end in the scores."""
        return starts_of(self.counts)

    def scores(self, sign: int) -> Floats | None:
        """The values, the higher the better; None if there are none.

        Raises:
            InputError: one is not finite.
        """
        if not self._values:
            return None
        values = np.frombuffer(self._values)
        if not np.isfinite(values).all():
            row = int(np.argmin(np.isfinite(values)))
            query = self.queries[int(np.searchsorted(self.start, row, side="right")) - 1]
            raise InputError(
                "query {query} has a score or a distance that is not finite", self.source, query=printable(query)
            )
        return sign * values

    def __iter__(self) -> Iterator[tuple[str, list[Any]]]:
        """Each query with its names."""
        return zip(self.queries, map(unpacked, self.docs), strict=True)
