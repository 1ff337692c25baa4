"""Hits: the table that every measure reads.

Every measure in this field depends only on where the judged documents came back. So a ranking is its hits: one row
a judged document that the run returned, and one row a query. A run of 7 million rows becomes 6 thousand hits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from truerank import _kernel
from truerank.qrels import Floats, Ints, Qrels
from truerank.rules import Rules
from truerank.run import Scan

Bools = NDArray[np.bool_]
T = TypeVar("T")

COLUMNS = ("query", "rank", "grade", "score", "first", "last")
"""What there is of each hit."""


@dataclass(frozen=True, eq=False)
class Judgements:
    """All judged grades, best first within each query; two arrays of the same length."""

    query: Ints
    grade: Floats

    def select(self, keep: Bools) -> Judgements:
        """Those of the kept queries, which are numbered anew."""
        rows = keep[self.query]
        return Judgements((np.cumsum(keep) - 1)[self.query[rows]], self.grade[rows])


@dataclass(frozen=True, eq=False)
class Hits:
    """Where the judged documents came back: rows ordered by query, then rank.

    Attributes:
        queries: the query ids, in the order of the per-query arrays.
        returned: (queries,) how many documents came back.
        judgements: every judged grade, found or not, best first.
        max_grade: the highest grade of the whole collection, or 0.
        query: (hits,) index into queries.
        rank: (hits,) 1-based, after the tie rule.
        grade: (hits,) the judged grade; below 0: pooled, not judged.
        score: (hits,) the system's score.
        first, last: (hits,) the ranks that its group of equal scores takes up.
    """

    queries: tuple[bytes, ...] = field(repr=False)
    returned: Ints
    judgements: Judgements = field(repr=False)
    max_grade: float
    query: Ints
    rank: Ints
    grade: Floats
    score: Floats
    first: Ints
    last: Ints
    _views: dict[Any, Any] = field(default_factory=dict, repr=False, init=False)  # what was worked out before

    def __len__(self) -> int:
        """The number of hits."""
        return len(self.query)

    def where(self, rows: Bools | Ints) -> Hits:
        """Only these rows, or the rows in this order; the queries stay."""
        return replace(self, **{name: getattr(self, name)[rows] for name in COLUMNS})

    def relevant(self, level: float) -> Hits:
        """The hits of at least this grade."""
        return self._once(("relevant", level), lambda: self.where(self.grade >= level))

    def top(self, k: int | None) -> Hits:
        """The hits among the first k results; all of them for None."""
        return self if k is None else self._once(("top", k), lambda: self.where(self.rank <= k))

    @cached_property
    def ordinal(self) -> Ints:
        """(hits,) 1 for the first row of each query, 2 for the next, …"""
        ends = np.cumsum(self.count)
        return np.arange(1, len(self) + 1) - (ends - self.count)[self.query]

    @cached_property
    def discount(self) -> Floats:
        """(hits,) log2(rank + 1), by the C library: the same bits everywhere."""
        return _log2(self.rank + 1)

    @cached_property
    def ideal(self) -> Hits:
        """The best possible ranking: every judged document, best grade first."""
        query, grade = self.judgements.query, self.judgements.grade
        ones = np.zeros(len(query), np.int64)
        ideal = replace(
            self, query=query, grade=grade, rank=ones, first=ones, last=ones, score=-ones.astype(np.float64)
        )
        rank = ideal.ordinal
        return replace(
            ideal, rank=rank, first=rank, last=rank, score=-rank.astype(np.float64), returned=ideal.count
        )

    @cached_property
    def count(self) -> Ints:
        """(queries,) how many rows each has."""
        return np.bincount(self.query, minlength=len(self.queries))

    def sum(self, values: Floats | Ints) -> Floats:
        """(queries,) the sum of a value a row, left to right: the same bits for any partition of the queries."""
        if not len(self):
            return np.zeros(len(self.queries))
        weights = np.asarray(values, np.float64)
        sums: Floats = np.bincount(self.query, weights, len(self.queries))  # type: ignore[assignment]
        return sums

    def last_value(self, values: Floats | Ints, empty: float = 0.0) -> Floats:
        """(queries,) the value of each query's last row."""
        out = np.full(len(self.queries), empty)
        out[self.query] = values
        return out

    def relevant_total(self, level: float) -> Ints:
        """(queries,) how many documents are judged with at least this grade, found or not."""
        return self._once(("total", level), lambda: self.ideal.relevant(level).count)

    def select(self, keep: Bools) -> Hits:
        """Only these queries, which are numbered anew."""
        rows = keep[self.query]
        part = self.where(rows)
        return replace(
            part,
            queries=tuple(name for name, kept in zip(self.queries, keep, strict=True) if kept),
            returned=self.returned[keep],
            judgements=self.judgements.select(keep),
            query=(np.cumsum(keep) - 1)[part.query],
        )

    def running_sum(self, values: Floats) -> Floats:
        """(hits,) the sum of the values of this row and those before it in its query."""
        return _kernel.running_sum(np.asarray(values, np.float64), self.query)

    def running_product(self, values: Floats) -> Floats:
        """(hits,) the product of the values of this row and those before it in its query."""
        return _kernel.running_product(np.asarray(values, np.float64), self.query)

    def best_from_here(self, values: Floats) -> Floats:
        """(hits,) the largest value of this row and those after it in its query."""
        backwards = np.ascontiguousarray(np.asarray(values, np.float64)[::-1])
        return _kernel.running_max(backwards, np.ascontiguousarray(self.query[::-1]))[::-1]

    def before(self, rows: Bools) -> Floats:
        """(hits,) how many of these rows stand before this one in its query."""
        return self.running_sum(rows.astype(np.float64)) - rows

    def running_at(self, running: Floats, query: Ints, rank: Ints) -> Floats:
        """(asked,) a running value as it stands at a rank of a query; 0 before the query's first row."""
        width = int(max(self.rank.max(initial=0), rank.max(initial=0))) + 1
        row = np.searchsorted(self.query * width + self.rank, query * width + rank, side="right")
        first = (np.cumsum(self.count) - self.count)[query]
        return np.where(row > first, np.concatenate([[0.0], running])[row], 0.0)

    @cached_property
    def tied(self) -> Bools:
        """(hits,) whether other documents have the same score."""
        return self.first < self.last

    def reordered(self, best: bool) -> Hits:
        """The same with every group of ties in its best, or worst, order for the system."""
        if not self.tied.any():
            return self
        value = -self.grade if best else self.grade
        order = np.lexsort((value, self.first, self.query))
        rows = self.where(order)
        group = np.cumsum((np.diff(rows.first, prepend=0) != 0) | (np.diff(rows.query, prepend=-1) != 0)) - 1
        ahead = (rows.grade > 0) if best else (rows.grade <= 0)
        front = _ordinal(group)
        back = rows.last - (_ordinal(group[::-1])[::-1] - 1)
        rank = np.where(ahead, rows.first + front - 1, back)
        moved = replace(rows, rank=np.where(rows.tied, rank, rows.rank))
        return moved.where(np.lexsort((moved.rank, moved.query)))

    def under(self, rules: Rules) -> Hits:
        """What is left when the rules for depth, unjudged and unreturned documents are applied."""
        hits = self.knowing_only_returned() if rules.unreturned == "ignore" else self
        if rules.unjudged == "removed":
            hits = hits.where(hits.grade >= 0)
            hits = replace(hits, rank=hits.ordinal, returned=hits.count)._retied()
        if rules.depth is not None:
            hits = replace(hits.top(rules.depth), returned=np.minimum(hits.returned, rules.depth))
        return hits

    def knowing_only_returned(self) -> Hits:
        """The same, as if only the documents that came back had been judged."""
        best_first = np.lexsort((-self.grade, self.query))
        return replace(self, judgements=Judgements(self.query[best_first], self.grade[best_first]))

    def _retied(self) -> Hits:
        """The same with tie groups of these rows alone."""
        if not len(self):
            return self
        new = (np.diff(self.query, prepend=-1) != 0) | (np.diff(self.score, prepend=np.inf) != 0)
        group = np.cumsum(new) - 1
        first = self.rank[new][group]
        return replace(self, first=first, last=first + np.bincount(group)[group] - 1)

    def _once(self, key: object, make: Callable[[], T]) -> T:
        if key not in self._views:
            self._views[key] = make()
        return self._views[key]  # type: ignore[no-any-return]


def build(qrels: Qrels, scan: Scan) -> Hits:
    """The hits of a run, over all judged queries; an unanswered one has -1 documents returned."""
    table = scan.table
    if (np.diff(table["query"]) < 0).any():
        table = table[np.argsort(table["query"], kind="stable")]
    grades = qrels.grades
    kept = ~np.isnan(grades)
    query, judged = qrels.query[kept], grades[kept]
    order = np.lexsort((-judged, query))
    hits = Hits(
        queries=qrels.queries,
        returned=scan.returned,
        judgements=Judgements(query[order], judged[order]),
        max_grade=max(0.0, float(judged.max(initial=0))),
        grade=grades[table["doc"]],
        **{name: np.ascontiguousarray(table[name]) for name in ("query", "rank", "score", "first", "last")},
    )
    return hits if kept.all() else _without_ignored(hits)


def _without_ignored(hits: Hits) -> Hits:
    """The hits when the documents graded NaN had never been in the lists."""
    ignored = np.isnan(hits.grade)
    width = int(hits.last.max(initial=0)) + 2
    gone = hits.query[ignored] * width + hits.rank[ignored]
    tied_gone = np.sort(hits.query[ignored] * width + hits.first[ignored])
    base = np.searchsorted(gone, hits.query * width)

    def before(rank: Ints, keys: Ints) -> Ints:
        return np.searchsorted(keys, hits.query * width + rank, side="left") - base

    moved = replace(
        hits,
        rank=hits.rank - before(hits.rank, gone),
        first=hits.first - before(hits.first, tied_gone),
        last=hits.last - before(hits.last + 1, tied_gone),
        returned=hits.returned - np.bincount(hits.query[ignored], minlength=len(hits.queries)),
    )
    return moved.where(~ignored)


def concatenate(parts: list[Hits]) -> Hits:
    """The hits of parts whose queries differ, as one table."""
    sizes = np.cumsum([0] + [len(part.queries) for part in parts])
    rows = {name: np.concatenate([getattr(part, name) for part in parts]) for name in COLUMNS}
    rows["query"] = rows["query"] + np.repeat(sizes[:-1], list(map(len, parts)))
    judged = [p.judgements.query + shift for p, shift in zip(parts, sizes, strict=False)]
    return Hits(
        queries=tuple(name for part in parts for name in part.queries),
        returned=np.concatenate([part.returned for part in parts]),
        judgements=Judgements(np.concatenate(judged), np.concatenate([p.judgements.grade for p in parts])),
        max_grade=max(part.max_grade for part in parts),
        **rows,
    )


def _ordinal(group: Ints) -> Ints:
    """1, 2, … within each run of equal values."""
    if not len(group):
        return group
    new = np.diff(group, prepend=group[0] - 1) != 0
    starts = np.flatnonzero(new)
    return np.arange(len(group)) - np.repeat(starts, np.diff([*starts, len(group)])) + 1


@lru_cache(maxsize=1)
def _log2_table(size: int) -> Floats:
    return np.array([0.0, *map(math.log2, range(1, size))])


def _log2(x: Ints) -> Floats:
    """log2 of positive whole numbers by the C library; NumPy's own differs in the last bit between machines."""
    top = int(x.max(initial=1))
    if top < 1 << 16:
        return _log2_table(1 << max(12, top.bit_length()))[x]
    unique, inverse = np.unique(x, return_inverse=True)
    return np.array([math.log2(value) for value in unique.tolist()])[inverse]
