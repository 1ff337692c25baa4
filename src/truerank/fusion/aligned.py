"""Runs read side by side, query by query: lists that come before their turn wait, the many of them on disk."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from tempfile import TemporaryFile
from typing import BinaryIO

from truerank.core.errors import InputError
from truerank.core.lists import EMPTY, List, lists
from truerank.core.rules import Rules
from truerank.core.run import Run

MOST = 1 << 22
"""Rows of one run that wait in memory, some 25 bytes each beside their ids."""

Found = tuple[bytes, list[List]]
"""A query, and the list that each run has for it."""


def aligned(runs: Sequence[Run], rules: Rules, *, together: bool = False) -> Iterator[Found]:
    """Each query with the list of each run: the queries of the first run in its order, then those of the next.

    Raises:
        Interleaved: a run's rows of a query are scattered, and not `together`.
        InputError: the runs share no query, perhaps because one is empty.
    """
    waiting = [_Waiting(lists(run, rules, depth=rules.depth, together=together)) for run in runs]
    is_shared = False
    try:
        for place, first in enumerate(waiting):
            for query, own in first.rest():
                others = [later.of(query) for later in waiting[place + 1 :]]
                is_shared = is_shared or any(one is not None for one in others)
                yield query, [EMPTY] * place + [own, *(one or EMPTY for one in others)]
    finally:
        for one in waiting:
            one.close()
    if not is_shared:
        for run, one in zip(runs, waiting, strict=True):
            if one.is_empty:
                raise InputError("the run is empty: it answers no query", run.name)
        raise InputError(
            "no two of the runs answer a query in common ({runs}): are their query ids of one collection?",
            runs=", ".join(run.name for run in runs),
        )


class _Waiting:
    """The lists of a run, which are asked for in any order; those that were read on the way wait."""

    def __init__(self, lists: Iterator[tuple[bytes, List]]):
        self.is_empty = True
        self.lists = self._noting(lists)
        self.held: dict[bytes, List] = {}
        self.rows = 0
        self.places: dict[bytes, int] = {}  # where each of the lists on disk begins
        self.file: BinaryIO | None = None

    def of(self, query: bytes) -> List | None:
        """The list of a query, if the run has one."""
        if query in self.held or query in self.places:
            return self._released(query)
        for name, own in self.lists:
            if name == query:
                return own
            self._hold(name, own)
        return None

    def rest(self) -> Iterator[tuple[bytes, List]]:
        """All that were not asked for, in the order of the run."""
        for query in [*self.places, *self.held]:
            yield query, self._released(query)
        yield from self.lists

    def close(self) -> None:
        """Leave nothing on disk."""
        if self.file:
            self.file.close()

    def _noting(self, lists: Iterator[tuple[bytes, List]]) -> Iterator[tuple[bytes, List]]:
        for one in lists:
            self.is_empty = False
            yield one

    def _hold(self, query: bytes, own: List) -> None:
        self.held[query] = own
        self.rows += len(own)
        if self.rows > MOST:
            self._put_aside()

    def _put_aside(self) -> None:
        self.file = self.file or TemporaryFile()  # noqa: SIM115 - closed by `close`
        self.file.seek(0, 2)
        for query, own in self.held.items():
            self.places[query] = self.file.tell()
            pickle.dump(own, self.file, pickle.HIGHEST_PROTOCOL)
        self.held, self.rows = {}, 0

    def _released(self, query: bytes) -> List:
        if query in self.held:
            own = self.held.pop(query)
            self.rows -= len(own)
            return own
        assert self.file is not None
        self.file.seek(self.places.pop(query))
        return pickle.load(self.file)  # type: ignore[no-any-return]
