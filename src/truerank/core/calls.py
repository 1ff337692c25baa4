"""Calls: where each of a query's several lists ends, in the one list that they make when joined in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Calls:
    """The lists that a system returned for each query, one per call: a call is a stretch of the query's ranks.

    A document that an earlier call returned leaves the lists of later ones before ranks exist, unless the rules
    let repeated documents count or keep their ranks.

    Attributes:
        query: (calls,) the query of each, in ascending order; within a query, calls come in their order.
        number: (calls,) which call of its query it is, from 1; a call whose number is left out returned nothing.
        end: (calls,) the rank of its last document in the joined list; that of the call before if it has none.
        again: (calls,) how many documents left its list because an earlier call had returned them.
    """

    query: Ints
    number: Ints
    end: Ints
    again: Ints

    def __len__(self) -> int:
        """The number of calls."""
        return len(self.query)

    @property
    def made(self) -> int:
        """How many calls there were, with those whose number is left out: the numbers of the last ones, summed."""
        return int(self.number[np.diff(self.query, append=-1) != 0].sum())

    def of(self, query: Ints, rank: Ints) -> Ints:
        """(rows,) the place here of the call that returned what stands at this rank of this query's joined list."""
        width = int(self.end.max(initial=0)) + 1
        return np.searchsorted(self.query * width + self.end, query * width + rank)

    def up_to(self, query: Ints, rank: Ints) -> Ints:
        """(calls,) how many of these rows stand, in the query's joined list, at or before the end of each call."""
        width = int(self.end.max(initial=0)) + 1
        rows = np.sort(query * width + rank)
        begin = np.searchsorted(rows, self.query * width)
        return np.searchsorted(rows, self.query * width + self.end, side="right") - begin

    def before(self, place: Ints) -> Ints:
        """(asked,) how many documents stand in the query's joined list before each of these calls."""
        is_first = np.diff(self.query, prepend=-1) != 0
        return np.where(is_first, 0, np.roll(self.end, 1))[place]

    def moved(self, place: Ints) -> Calls:
        """The calls with their queries renumbered: query q becomes place[q]; the order stays."""
        return replace(self, query=place[self.query])

    @classmethod
    def joined(cls, parts: Sequence[Calls]) -> Calls:
        """The calls of parts that have different queries."""
        columns = [np.concatenate([getattr(part, name) for part in parts]) for name in cls.__dataclass_fields__]
        order = np.argsort(columns[0], kind="stable")
        return cls(*(column[order] for column in columns))

    def within_depth(self, depth: Ints) -> Calls:
        """The calls where only the first `depth` documents of each query count."""
        return replace(self, end=np.minimum(self.end, depth[self.query]))

    def select(self, keep: Bools) -> Calls:
        """The calls of the kept queries, which are numbered anew."""
        rows = keep[self.query]
        return self.chosen(rows, (np.cumsum(keep) - 1)[self.query[rows]])

    def within(self, start: int, stop: int) -> Calls:
        """The calls of the queries from `start` to before `stop`, which are numbered anew."""
        rows = slice(*np.searchsorted(self.query, [start, stop]).tolist())
        return self.chosen(rows, self.query[rows] - start)

    def chosen(self, rows: Bools | Ints | slice, query: Ints) -> Calls:
        """Only these calls, with these numbers for their queries."""
        return replace(self, query=query, number=self.number[rows], end=self.end[rows], again=self.again[rows])
