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
from truerank.measures.gains import from_grade_on
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
    """How a user reads.

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
        """The walk down each list; a hopeful one takes unjudged documents to have a gain of 1, else of 0."""
        shown = hits.cut(self.depth).top(self.k)
        worth = self.worth(shown)
        judged = (shown.grade >= 0) | (worth > 0)
        best = hits.max_grade if self.best is None else self.best
        # most readers read the same; a copy, as what is kept of hits must not keep them in memory
        rows = shown.once(("rows", judged.tobytes()), lambda: shown.where(judged).changed({}))
        other = np.array([best if hopeful else 0.0])
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
    def _stretches(self) -> Stretch:
        """The others above each row, each row by itself, and the others below the last one of each query."""
        rows, (before, spent) = self.rows, self._above
        n, last, rank = rows.once("stretches", self._between)  # the same to every reader
        to_the_end = (np.inf if self.reader.k is None else self.reader.k) - last
        found, cost = rows.last_value(before + self.gain), rows.last_value(spent + self.cost)
        return Stretch(
            rank,
            np.concatenate([n, np.ones(len(rows)), to_the_end]),
            _laid(self.other_gain, self.gain, self.other_gain, len(last)),
            np.concatenate([before - self.other_gain * n, before, found]),
            _laid(self.other_cost, self.cost, self.other_cost, len(last)),
            np.concatenate([spent - self.other_cost * n, spent, cost]),
        )

    def _between(self) -> tuple[Floats, Floats, Floats]:
        """(rows,) how many others stand above each; (queries,) the last rank; (stretches,) the first rank."""
        rows = self.rows
        n, last = rows.rank - 1.0 - self._one_above(rows.rank, 0.0), rows.last_value(rows.rank)
        return n, last, np.concatenate([rows.rank - n, rows.rank, last + 1.0])

    @property
    def _above(self) -> tuple[Floats, Floats]:
        """(rows,) what all above brought and took."""
        skipped = self.rows.once("skipped", lambda: self.rows.rank - self.rows.ordinal)
        before, spent = (self._one_above(self.rows.running_sum(each), 0.0) for each in (self.gain, self.cost))
        return before + self.other_gain * skipped, spent + self.other_cost * skipped

    def _one_above(self, values: Floats | Ints, first: float) -> Floats:
        """(rows,) the value of the row above in the same list."""
        above = np.empty(len(values))
        above[1:] = values[:-1]
        above[self.rows.once("tops", lambda: np.flatnonzero(self.rows.ordinal == 1))] = first
        return above

    @cached_property
    def _on(self) -> tuple[Floats, Floats]:
        """(stretches,) the chance to get past each, and how many of it are seen."""
        return self.reader.goes_on(self._stretches)

    @cached_property
    def reaching(self) -> Floats:
        """(rows,) how likely the document is seen."""
        past, n = self._on[0], len(self.rows)
        return self.rows.running_product(self._one_above(past[n : 2 * n], 1.0) * past[:n])

    @cached_property
    def others(self) -> PerQuery:
        """(queries,) how many unjudged documents are seen, on average."""
        (past, seen), n = self._on, len(self.rows)
        leaving = self.reaching * past[n : 2 * n]
        still, below = self.rows.last_value(leaving, 1.0), seen[2 * n :]
        endless = np.isinf(below)
        if (endless & (still > 0)).any():
            raise MeasureError(
                "the reader of this measure never stops; end the list at a rank, as in RBP(p=0.9) or INST@1000"
            )
        between = self.rows.sum(self._one_above(leaving, 1.0) * seen[:n])
        return between + still * np.where(endless, 0.0, below)

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


def _laid(between: float, rows: Floats, below: float, queries: int) -> Floats:
    """(stretches,) a value for those between rows, for the rows, and for those below the last of each query."""
    n = len(rows)
    out = np.empty(2 * n + queries)
    out[:n], out[n : 2 * n], out[2 * n :] = between, rows, below
    return out


def costs(grade: Floats, cost: Cost) -> Floats:
    """(hits,) what each document takes: one number, or by its grade, from each that is named on, and 1 below."""
    if not isinstance(cost, Mapping):
        return np.full(len(grade), float(cost))
    return from_grade_on(cost, np.maximum(grade, 0.0), 1.0)
