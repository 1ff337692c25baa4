"""A reader who walks down a list, by the chance of going on after each document: C/W/L.

From that chance follow how likely each rank is seen, and from this what is found, what it costs and how far the
reader gets. Between two judged documents all are alike, so a continuation answers for a stretch of them at once,
and for the endless one below the list: no rank is walked by itself.

Moffat, Bailey, Scholer and Thomas, Incorporating user expectations and behavior into the measurement of search
effectiveness, TOIS 2017; Azzopardi, Thomas and Moffat, cwl_eval, SIGIR 2019.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from truerank.core.errors import MeasureError
from truerank.core.hits import Hits
from truerank.measures.parameters import Cost
from truerank.measures.sums import Floats, Ints, PerQuery


@dataclass(frozen=True, eq=False)
class Stretch:
    """Documents in a row that all have one gain and one cost; a stretch an element.

    Attributes:
        rank: of its first document.
        length: how many they are, 0 to infinitely many.
        gain, cost: what each of them brings and takes; of more than one the gain is 0 or 1.
        before, spent: what those above it brought and took, together.
    """

    rank: Floats
    length: Floats
    gain: Floats
    before: Floats
    cost: Floats
    spent: Floats


Continuation = Callable[[Stretch], tuple[Floats, Floats]]
"""Of a reader who sees the first of each stretch: the chance to get past its end, and how many of it are seen."""


@dataclass(frozen=True, eq=False)
class Reader:
    """How somebody reads.

    Attributes:
        goes_on: the continuation.
        worth: (hits,) what each document brings, from 0 to 1.
        k: the last rank that is read; None: nothing ends the list.
        cost: what a document takes: a number, or by grade.
        best: the grade of a document that brings 1; None: the highest of the collection.
        depth: how many results there are to this reader; None: all.
    """

    goes_on: Continuation
    worth: Callable[[Hits], Floats]
    k: int | None = None
    cost: Cost = 1.0
    best: float | None = None
    depth: int | None = None

    def walk(self, hits: Hits, *, hopeful: bool = False) -> Walk:
        """The walk down each list; a hopeful one takes all that is not judged to bring 1, and else nothing."""
        shown = hits.cut(self.depth).top(self.k)
        worth = self.worth(shown)
        judged = (shown.grade >= 0) | (worth > 0)
        best = hits.max_grade if self.best is None else self.best
        rows, other = shown.where(judged), np.array([best if hopeful else 0.0])
        price, other_price = costs(rows.grade, self.cost), float(costs(other, self.cost)[0])
        return Walk(self, rows, worth[judged], price, float(hopeful), other_price)


@dataclass(frozen=True, eq=False)
class Walk:
    """A reader's way down the list of each query.

    Attributes:
        rows: the judged documents that may be read.
        gain, cost: (rows,)
        other_gain, other_cost: of each of the others.
    """

    reader: Reader
    rows: Hits
    gain: Floats
    cost: Floats
    other_gain: float
    other_cost: float

    @cached_property
    def _above(self) -> tuple[Floats, Floats]:
        """(rows,) what all above brought and took."""
        skipped = self.rows.rank - self.rows.ordinal
        before, spent = (self._one_above(self.rows.running_sum(each), 0.0) for each in (self.gain, self.cost))
        return before + self.other_gain * skipped, spent + self.other_cost * skipped

    def _one_above(self, values: Floats, first: float) -> Floats:
        """(rows,) the value of the row above in the same list."""
        return np.where(self.rows.ordinal == 1, first, np.roll(values, 1))

    @cached_property
    def _gaps(self) -> tuple[Floats, Floats]:
        """(rows,) of the others above it: the chance to get past them, and how many are seen."""
        n = self.rows.rank - 1.0 - self._one_above(self.rows.rank.astype(np.float64), 0.0)
        before, spent = self._above
        gain, cost = self.other_gain, self.other_cost
        return self._on(self.rows.rank - n, n, gain, before - gain * n, cost, spent - cost * n)

    @cached_property
    def _past(self) -> Floats:
        """(rows,) the chance to go on from it."""
        return self._on(self.rows.rank, 1.0, self.gain, self._above[0], self.cost, self._above[1])[0]

    def _on(self, rank: Floats | Ints, length: Floats | float, *given: Floats | float) -> tuple[Floats, Floats]:
        full = [np.broadcast_to(np.asarray(each, np.float64), np.shape(rank)) for each in (rank, length, *given)]
        gain, before, cost, spent = full[2:]
        return self.reader.goes_on(Stretch(full[0], full[1], gain, before, cost, spent))

    @cached_property
    def reaching(self) -> Floats:
        """(rows,) how likely the document is seen."""
        return self.rows.running_product(self._one_above(self._past, 1.0) * self._gaps[0])

    @cached_property
    def others(self) -> PerQuery:
        """(queries,) how many documents that are not judged are seen, on average."""
        leaving = self.reaching * self._past
        between = self.rows.sum(self._one_above(leaving, 1.0) * self._gaps[1])
        return between + self._below(leaving)

    def _below(self, leaving: Floats) -> PerQuery:
        """(queries,) how many are seen below the last judged one."""
        rows, (before, spent) = self.rows, self._above
        last = rows.last_value(rows.rank).astype(np.float64)
        k = np.inf if self.reader.k is None else float(self.reader.k)
        still = rows.last_value(leaving, 1.0)
        gained, took = rows.last_value(before + self.gain), rows.last_value(spent + self.cost)
        seen = self._on(last + 1.0, k - last, self.other_gain, gained, self.other_cost, took)[1]
        if np.isinf(seen[still > 0]).any():
            raise MeasureError("this reader never stops; end the list at a rank, as in RBP(p=0.9) or INST@1000")
        return np.where(still > 0, still * np.where(np.isinf(seen), 0.0, seen), 0.0)

    @cached_property
    def items(self) -> PerQuery:
        """(queries,) how many documents are seen, on average."""
        return self.rows.sum(self.reaching) + self.others

    @property
    def utility(self) -> PerQuery:
        """(queries,) what is found in all."""
        return self.rows.sum(self.reaching * self.gain) + self.other_gain * self.others

    @property
    def price(self) -> PerQuery:
        """(queries,) what it takes in all."""
        return self.rows.sum(self.reaching * self.cost) + self.other_cost * self.others


def costs(grade: Floats, cost: Cost) -> Floats:
    """(hits,) what each document takes: one number, or by its grade, from each that is named on, and 1 below."""
    if not isinstance(cost, Mapping):
        return np.full(len(grade), float(cost))
    steps = np.array([1.0, *(cost[known] for known in sorted(cost))])
    return steps[np.searchsorted(sorted(cost), np.maximum(grade, 0.0), side="right")]
