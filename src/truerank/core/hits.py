"""Hits: the table that every measure reads.

Measures depend only on the ranks of the judged documents. So a ranking is its hits: one row per judged document
that the run returned, and one row per query. A run of 7 million rows becomes 6 thousand hits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from truerank.core.ids import ascending
from truerank.core.kernel import counting
from truerank.core.kernel.scanning import as_text
from truerank.core.presented import Presented
from truerank.core.qrels import Floats, Ints
from truerank.core.rules import Rules

if TYPE_CHECKING:
    from truerank.core.aspects import Aspects
    from truerank.core.calls import Calls
    from truerank.core.catalogue import Located

Bools = NDArray[np.bool_]
T = TypeVar("T")

PART = 1 << 14
"""Queries whose values are worked out together."""

EXACT = 2.0**52

COLUMNS = ("query", "rank", "grade", "score", "doc", "first", "last")
"""What there is of each hit."""

UNJUDGED = -math.inf
"""The grade of a returned document that has none, where such documents are rows too: below all others."""


class Judgements(NamedTuple):
    """All judged grades, best first within each query; two arrays of the same length."""

    query: Ints
    grade: Floats

    def select(self, keep: Bools) -> Judgements:
        """The judgements of the kept queries, which are numbered anew."""
        rows = keep[self.query]
        return Judgements((np.cumsum(keep) - 1)[self.query[rows]], self.grade[rows])


@dataclass(frozen=True, eq=False, repr=False)
class Hits(Presented):
    """Where the judged documents were returned: rows ordered by query, then rank.

    Attributes:
        queries: the query ids, in the order of the per-query arrays.
        returned: (queries,) how many documents were returned; in a reading's hits -1 for an unanswered query.
        judgements: every judged grade, found or not, best first.
        max_grade: the highest grade of the whole collection, or 0.
        query: (hits,) index into queries.
        rank: (hits,) 1-based, after the tie rule.
        grade: (hits,) the judged grade; below 0: pooled, but not judged.
        score: (hits,) the system's score.
        doc: (hits,) the document: the number of its judgement in the qrels; unjudged ones are numbered after those.
        first, last: (hits,) the ranks that its group of equal scores takes up; some may lie below the depth.
        depth: only the ranks up to this one count; None: all.
        beyond: rows below the depth, of groups of ties that it cuts: in another order they might be above it.
        items: which items the documents are; then unjudged documents have rows too.
        aspects: which parts of their questions the judged documents answer; None where that is not known.
        calls: where each of a query's several lists ends; None where queries have one list.
    """

    built_by = "hits"

    queries: Sequence[bytes]
    returned: Ints
    judgements: Judgements = field(repr=False)
    max_grade: float
    query: Ints
    rank: Ints
    grade: Floats
    score: Floats
    doc: Ints
    first: Ints
    last: Ints
    depth: int | None = None
    beyond: Hits | None = field(default=None, repr=False)
    items: Located | None = field(default=None, repr=False)
    aspects: Aspects | None = field(default=None, repr=False)
    calls: Calls | None = field(default=None, repr=False)
    _views: dict[Any, Any] = field(default_factory=dict, repr=False, init=False)  # what was worked out before

    def __len__(self) -> int:
        """The number of hits."""
        return len(self.query)

    def _summary(self) -> str:
        returned = f"{int(self.returned.clip(0).sum()):,} documents returned"
        return f"Hits({len(self.queries):,} queries, {returned}, {len(self):,} of them judged)"

    def to_dict(self) -> dict[str, list[Any]]:
        """Plain columns with one row per hit, for JSON."""
        names = [as_text(self.queries[place]) for place in self.query.tolist()]
        columns = ("rank", "grade", "score", "first", "last", *(["call"] if self.calls is not None else []))
        return {"query": names, **{name: getattr(self, name).tolist() for name in columns}}

    def where(self, rows: Bools | Ints) -> Hits:
        """Only these rows, or the rows in this order; the queries stay."""
        if rows.dtype == bool:
            if np.count_nonzero(rows) == len(rows):  # .all() takes far longer on few rows
                return self
            rows = rows.nonzero()[0]  # found once, not for each column
        own = vars(self)
        return self.changed({name: own[name][rows] for name in COLUMNS})

    def changed(self, others: dict[str, Any]) -> Hits:
        """The hits with other columns, by name; `dataclasses.replace` takes several times as long."""
        own, made = vars(self), object.__new__(Hits)
        vars(made).update({name: own[name] for name in FIELDS} | others, _views={})
        return made

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: the columns, without cached views, which are large and may hold functions."""
        return vars(self.changed({}))

    def relevant(self, level: float) -> Hits:
        """The hits of at least this grade."""
        return self.once(("relevant", level), lambda: self.where(self.grade >= level))

    def top(self, k: int | None) -> Hits:
        """The hits among the first k results; all of them for None."""
        return self if k is None else self.once(("top", k), lambda: self.where(self.rank <= k))

    def limit(self, k: int | None) -> int | None:
        """The last rank that counts: k or the depth, whichever comes first; None for neither."""
        return min((each for each in (k, self.depth) if each is not None), default=None)

    @property
    def with_beyond(self) -> Hits:
        """The hits with all rows of every group of ties, including those that the depth cuts off."""
        return self.once("with_beyond", lambda: self if self.beyond is None else merged(self, self.beyond))

    @cached_property
    def call(self) -> Ints:
        """(hits,) which call returned each, from 1; 1 where a query has one list."""
        if self.calls is None:
            return np.ones(len(self), np.int64)
        return self.calls.number[self.calls.of(self.query, self.rank)]

    @cached_property
    def ordinal(self) -> Ints:
        """(hits,) 1 for the first row of each query, 2 for the next, …"""
        ends = self.count.cumsum()
        return np.arange(1, len(self) + 1) - (ends - self.count)[self.query]

    @cached_property
    def ideal(self) -> Hits:
        """The best possible ranking: every judged document, best grade first; `doc` is the row of the judgement."""
        judged = self.judgements
        return self.listed(judged.query, np.arange(len(judged.query)), judged.grade)

    def listed(self, query: Ints, doc: Ints, grade: Floats) -> Hits:
        """The ranking that lists these documents, given query by query and best first."""
        rank, count = _ordinal(query), np.bincount(query, minlength=len(self.queries))
        columns = {"query": query, "rank": rank, "grade": grade, "score": -rank.astype(np.float64)}
        return self.changed({**columns, "doc": doc, "first": rank, "last": rank, "returned": count})

    @cached_property
    def by_aspect(self) -> ByAspect:
        """The hits with one row per aspect that a hit answers."""
        return _by_aspect(self)

    @cached_property
    def count(self) -> Ints:
        """(queries,) how many rows each query has."""
        return np.bincount(self.query, minlength=len(self.queries))

    def sum(self, values: Floats | Ints) -> Floats:
        """(queries,) the sum of one value per row, left to right: the same bits for any partition of queries."""
        if not len(self):
            return np.zeros(len(self.queries))
        weights = np.asarray(values, np.float64)
        return np.bincount(self.query, weights, len(self.queries))  # type: ignore[return-value]

    def last_value(self, values: Floats | Ints, empty: float = 0.0) -> Floats:
        """(queries,) the value of each query's last row."""
        out = np.full(len(self.queries), empty)
        out[self.query] = values
        return out

    def relevant_total(self, level: float) -> Ints:
        """(queries,) how many documents are judged with at least this grade, found or not."""
        query, grade = self.judgements
        return self.once(("total", level), lambda: np.bincount(query[grade >= level], minlength=len(self.queries)))

    def select(self, keep: Bools) -> Hits:
        """Only these queries, which are numbered anew."""
        if np.count_nonzero(keep) == len(keep):
            return self
        rows = keep[self.query]
        part = self.where(rows)
        return replace(
            part,
            queries=tuple(compress(self.queries, keep.tolist())),
            returned=self.returned[keep],
            judgements=self.judgements.select(keep),
            query=(np.cumsum(keep) - 1)[part.query],
            beyond=None if self.beyond is None else self.beyond.select(keep),
            aspects=None if self.aspects is None else self.aspects.of_queries(keep),
            calls=None if self.calls is None else self.calls.select(keep),
        )

    def within(self, start: int, stop: int) -> Hits:
        """Only the queries from `start` to before `stop`, which are numbered anew."""
        (a, b), (c, d) = (np.searchsorted(each, [start, stop]) for each in (self.query, self.judgements.query))
        columns: dict[str, Any] = {name: np.ascontiguousarray(getattr(self, name)[a:b]) for name in COLUMNS}
        return replace(
            self,
            **{**columns, "query": columns["query"] - start},
            queries=self.queries[start:stop],
            returned=self.returned[start:stop],
            judgements=Judgements(self.judgements.query[c:d] - start, self.judgements.grade[c:d]),
            beyond=None if self.beyond is None else self.beyond.within(start, stop),
            aspects=None if self.aspects is None else self.aspects.of_queries(slice(start, stop)),
            calls=None if self.calls is None else self.calls.within(start, stop),
        )

    def parts(self) -> Iterator[Hits]:
        """The hits, `PART` queries at a time: queries are independent, and cached views take memory."""
        if len(self.queries) <= PART:
            yield self
            return
        yield from (self.within(start, start + PART) for start in range(0, len(self.queries), PART))

    def running_sum(self, values: Floats) -> Floats:
        """(hits,) the sum of the values of this row and those before it in its query."""
        return counting.running_sum(np.asarray(values, np.float64), np.ascontiguousarray(self.query))

    def running_product(self, values: Floats) -> Floats:
        """(hits,) the product of the values of this row and those before it in its query."""
        return counting.running_product(np.asarray(values, np.float64), np.ascontiguousarray(self.query))

    def best_from_here(self, values: Floats) -> Floats:
        """(hits,) the largest value of this row and those after it in its query."""
        backwards = np.ascontiguousarray(np.asarray(values, np.float64)[::-1])
        return counting.running_max(backwards, np.ascontiguousarray(self.query[::-1]))[::-1]

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
        """The hits with every group of ties in its best, or worst, order."""
        if best:
            return self._regrouped(-self.grade, self.grade > 0)
        return self._regrouped(self.grade, self.grade <= 0, is_best=False)

    def judged_together(self, first: bool) -> Hits:
        """The hits with the judged documents of every group of ties before, or behind, the unjudged ones."""
        judged = self.grade >= 0
        if first:
            return self._regrouped(np.where(judged, self.grade, np.inf), judged)
        return self._regrouped(np.where(judged, -self.grade, -np.inf), ~judged)

    def _regrouped(self, value: Floats, is_ahead: Bools, is_best: bool = True) -> Hits:
        """The hits with each group of ties sorted by a value, and documents without rows in the middle.

        Args:
            value: (hits,) to sort by; lower for the rows that go ahead than for the others.
            is_ahead: (hits,) whether a row goes ahead of the documents without rows.
            is_best: whether rows of equal value keep their order; else it is reversed where there are aspects.
        """
        tied = np.flatnonzero(self.tied)  # a group's rows stand together, and keep their places among the others
        if not len(tied):
            return self
        place = tied if self.aspects is None or is_best else -tied
        order = np.arange(len(self))
        order[tied] = tied[np.lexsort((place, value[tied], self.first[tied], self.query[tied]))]
        first, last = self.first[tied], self.last[tied]
        group = np.cumsum((np.diff(first, prepend=0) != 0) | (np.diff(self.query[tied], prepend=-1) != 0)) - 1
        back = last - (_ordinal(group[::-1])[::-1] - 1)
        rank = self.rank.copy()
        rank[tied] = np.where(is_ahead[order[tied]], first + _ordinal(group) - 1, back)
        return self.where(order).changed({"rank": rank})

    def under(self, rules: Rules) -> Hits:
        """The hits under the rules for depth, unjudged and unreturned documents."""
        hits = self.judged_under(rules)
        if rules.unjudged == "removed":
            if rules.depth_of == "returned":
                return hits.cut(rules.depth)._judged_alone()
            hits = hits._judged_alone()
        return hits.cut(rules.depth)

    def cut(self, depth: int | None) -> Hits:
        """Only the first results; `beyond` remembers the documents that are tied with the last of them."""
        if depth is None or (self.depth is not None and self.depth <= depth):
            return self
        return self.once(("cut", depth), lambda: self.with_beyond._first(depth))

    def read_to(self, read: Bools) -> Hits:
        """Only the first rows of each query, as if no others had been returned; all documents must have rows."""
        depth = np.bincount(self.query[read], minlength=len(self.queries))
        calls = None if self.calls is None else self.calls.within_depth(depth)
        last = np.minimum(self.last, depth[self.query])
        return replace(self, returned=np.minimum(self.returned, depth), last=last, calls=calls).where(read)

    def _first(self, depth: int) -> Hits:
        """`cut` of whole lists."""
        below = (self.rank > depth) & (self.first <= depth)
        beyond = self.where(below) if below.any() else None
        returned = np.minimum(self.returned, depth)
        return replace(self.top(depth), returned=returned, depth=depth, beyond=beyond)

    def _judged_alone(self) -> Hits:
        """The hits without the unjudged documents; what is left moves up."""
        hits, calls = self.where(self.grade >= 0), self.calls
        calls = None if calls is None else replace(calls, end=calls.up_to(hits.query, hits.rank))
        return replace(hits, rank=hits.ordinal, returned=hits.count, depth=None, beyond=None, calls=calls)._retied()

    def judged_under(self, rules: Rules) -> Hits:
        """The hits with the judgements that count: all of them, or only those of returned documents."""
        if rules.unreturned == "count":
            return self
        best_first = np.lexsort((-self.grade, self.query))
        judgements = Judgements(self.query[best_first], self.grade[best_first])
        if self.aspects is None:
            return replace(self, judgements=judgements)
        returned = np.zeros(len(self.aspects.start) - 1, bool)
        returned[self.doc[self.doc < len(returned)]] = True
        return replace(self, judgements=judgements, aspects=self.aspects.of_docs(returned).judged())

    def _retied(self) -> Hits:
        """The hits with groups of ties among these rows only."""
        if not len(self):
            return self
        new = np.diff(self.query, prepend=-1) != 0
        new[1:] |= self.score[1:] != self.score[:-1]  # no differences: scores of 32 bits may be infinite
        if self.calls is not None:  # equal scores of two calls are no ties
            new |= np.diff(self.calls.of(self.query, self.rank), prepend=-1) != 0
        group = np.cumsum(new) - 1
        first = self.rank[new][group]
        return replace(self, first=first, last=first + np.bincount(group)[group] - 1)

    def once(self, key: object, make: Callable[[], T]) -> T:
        """The value of this key, made the first time and then kept."""
        made: T = self._views[key] if key in self._views else make()
        if made is not self:  # a reference to itself would keep it in memory
            self._views[key] = made
        return made


FIELDS = tuple(each.name for each in fields(Hits) if each.init)


class ByAspect(NamedTuple):
    """Hits, one row per aspect that a document answers.

    Attributes:
        hits: whose `queries` are the aspects, one query's after another's.
        query: (aspects,) the query of each.
        weight: (aspects,) the weight of each.
        row: (rows,) the row of the original hits that each one comes from.
        size: how many queries there are.
    """

    hits: Hits
    query: Ints
    weight: Floats
    row: Ints
    size: int

    def sum(self, values: Floats | Ints | Bools) -> Floats:
        """(queries,) the sum of one value per aspect, left to right."""
        weights = np.asarray(values, np.float64)
        return np.bincount(self.query, weights, self.size)  # type: ignore[return-value]

    def mean(self, values: Floats, level: float) -> Floats:
        """(queries,) the mean of one value per aspect by their weights, over those with a relevant document."""
        return self.over(values, self.hits.relevant_total(level) > 0)

    def over(self, values: Floats, is_asked: Bools) -> Floats:
        """(queries,) the mean of one value per aspect by their weights, over some of them."""
        weight = np.where(is_asked, self.weight, 0.0)
        whole = self.sum(weight)
        return np.divide(self.sum(values * weight), whole, out=np.zeros(self.size), where=whole > 0)


def _by_aspect(hits: Hits) -> ByAspect:
    """The hits by aspect; without aspects there are none."""
    from truerank.core.aspects import Aspects

    aspects = Aspects.none(len(hits.queries)) if hits.aspects is None else hits.aspects
    query, number = aspects.query, aspects.number
    unit = np.full(len(aspects.names), -1)  # the place of each aspect among those of these queries
    unit[number] = np.arange(len(number))
    row, place = aspects.answered(hits.doc)
    owner = unit[aspects.aspect[place]]
    order = ascending(owner, len(number))
    row, place, owner = row[order], place[order], owner[order]
    judged = unit[aspects.aspect]
    graded = np.lexsort((-aspects.grade, judged))
    graded = graded[np.searchsorted(judged[graded], 0) :]
    units = replace(
        hits.where(row),
        query=owner,
        grade=aspects.grade[place],
        queries=[aspects.names[each] for each in number.tolist()],
        returned=hits.returned[query],
        judgements=hits.judgements._replace(query=judged[graded], grade=aspects.grade[graded]),
        beyond=None,
        aspects=None,
    )
    return ByAspect(units, query, aspects.weight[number], row, len(aspects.begin))


def merged(one: Hits, other: Hits) -> Hits:
    """The rows of both, for the same queries."""
    rows: dict[str, Any] = {name: np.concatenate([getattr(one, name), getattr(other, name)]) for name in COLUMNS}
    both = replace(one, **rows, depth=None, beyond=None)
    return both.where(np.lexsort((both.rank, both.query)))


def _ordinal(group: Ints) -> Ints:
    """1, 2, … within each run of equal values."""
    place = np.arange(1, len(group) + 1)
    before = np.zeros(len(group), np.int64)  # how many places there are before the run
    before[1:] = np.where(group[1:] != group[:-1], place[:-1], 0)
    return place - np.maximum.accumulate(before)
