"""Aspects: which part of its question each judged document answers.

A subtopic of a diversity task, an intent with its probability, a nugget, a hop of a question, a group of
alternatives, a span of evidence: each is a named part of a query, which documents answer with a grade of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from truerank.core.errors import InputError, quoted, truncated
from truerank.core.ids import natural, starts_of, stretches
from truerank.core.kernel.counting import answered
from truerank.core.kernel.scanning import by_document

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Numbers = NDArray[np.uint32]
Bools = NDArray[np.bool_]
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Aspects:
    """The aspects of queries, and which of them each judged document answers.

    Attributes:
        names: (aspects,) their ids, in the order of the queries, and within each so that 2 comes before 10.
        weight: (aspects,) of each, from 0 on; 1 where none was given.
        begin, end: (queries,) which aspects are a query's.
        start: (judgements + 1,) the rows of judgement j are start[j] to start[j + 1].
        aspect: (rows,) the aspect that the document answers.
        grade: (rows,) how well the document answers it.
        is_named: whether their source calls them aspects; TREC's second column does not.
        ids: where the id of each judgement's document begins and ends in a text, and that text; None until there
            are hits.
    """

    names: Sequence[bytes]
    weight: Floats
    begin: Ints
    end: Ints
    start: Ints
    aspect: Ints
    grade: Floats
    is_named: bool = True
    ids: tuple[Ints, Ints, bytes] | None = field(default=None, repr=False)
    _views: dict[Any, Any] = field(default_factory=dict, repr=False, init=False)

    @classmethod
    def of_rows(
        cls,
        start: Ints,
        doc: Numbers,
        name: Numbers,
        grade: Floats,
        names: Sequence[bytes],
        where: Ints | None = None,
    ) -> tuple[Aspects, Floats, bool]:
        """Aspects from one row per judgement of one aspect, in any order.

        Args:
            start: (queries + 1,) the documents of query q are start[q] to start[q + 1].
            doc: the judged document of each row.
            name: of each row, an index into `names`, which are distinct.
            where: the number of the document for each value of `doc`, if they differ.

        Returns:
            The aspects, the best grade of each document, and whether one is judged twice for an aspect.
        """
        order = sorted(range(len(names)), key=lambda place: natural(names[place]))
        place = np.argsort(order)
        rows, aspect, grades, own, bounds, best, is_repeated = by_document(start, doc, name, grade, place, where)
        known = [names[order[key]] for key in own.tolist()]
        return cls(known, np.ones(len(own)), bounds[:-1], bounds[1:], rows, aspect, grades), best, is_repeated

    @classmethod
    def of_one(cls, start: Ints, grades: Floats, name: bytes) -> Aspects:
        """The one aspect that all judgements are about, which their source does not call an aspect.

        Args:
            start: (queries + 1,) as for `of_rows`.
        """
        rows = np.arange(len(grades), dtype=np.uint32)
        return replace(cls.of_rows(start, rows, np.zeros_like(rows), grades, [name])[0], is_named=False)

    @classmethod
    def none(cls, queries: int) -> Aspects:
        """No aspects, for this many queries."""
        no, nothing = np.zeros(queries, np.int64), np.zeros(0, np.int64)
        return cls((), np.zeros(0), no, no, np.zeros(1, np.int64), nothing, np.zeros(0))

    def told_apart_by(self) -> list[Any]:
        """The values by which aspects differ from others."""
        lengths = np.fromiter(map(len, self.names), np.int64, len(self.names))
        return [b"".join(self.names), lengths, self.weight, self.start, self.aspect, self.grade]

    @cached_property
    def of(self) -> Ints:
        """(rows,) the judgement that each row is of."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    @cached_property
    def owner(self) -> Ints:
        """(all aspects,) the place of the query of each among those that are there, or -1."""
        owner = np.full(len(self.names), -1)
        owner[self.number] = self.query
        return owner

    def is_answered(self, level: float) -> Bools:
        """(aspects,) whether some document is relevant to each."""
        return self.once(("answered", level), lambda: answered(self.aspect, self.grade, level, len(self.names)))

    def once(self, key: object, make: Callable[[], T]) -> T:
        """The value of this key, made the first time and then kept."""
        if key not in self._views:
            self._views[key] = make()
        view: T = self._views[key]
        return view

    @property
    def query(self) -> Ints:
        """(aspects,) the query of each."""
        return np.repeat(np.arange(len(self.begin)), self.end - self.begin)

    @property
    def number(self) -> Ints:
        """(aspects,) the number of each aspect that belongs to a query, among all aspects."""
        return stretches(self.begin, self.end - self.begin)[0]

    def of_queries(self, keep: Bools | slice) -> Aspects:
        """Only the aspects of these queries; documents keep their numbers."""
        return replace(self, begin=self.begin[keep], end=self.end[keep])

    def of_docs(self, keep: Bools) -> Aspects:
        """Only what these documents answer; they keep their numbers.

        Args:
            keep: (judgements,) which.
        """
        rows = keep[self.of]
        counts = np.where(keep, np.diff(self.start), 0)
        start = starts_of(counts)
        return replace(self, start=start, aspect=self.aspect[rows], grade=self.grade[rows])

    def judged(self) -> Aspects:
        """Only the aspects that some document is judged for, numbered anew, as if there had been no others."""
        is_left = np.bincount(self.aspect, minlength=len(self.names)) > 0
        before = starts_of(is_left)
        return replace(
            self,
            names=[name for name, left in zip(self.names, is_left.tolist(), strict=True) if left],
            weight=self.weight[is_left],
            begin=before[self.begin],
            end=before[self.end],
            aspect=before[self.aspect],
        )

    def take(self, queries: Ints, docs: Ints, query: Ints) -> Aspects:
        """The aspects of some queries and documents, numbered anew; a query or a document may come several times.

        Args:
            queries: their numbers.
            docs: the judgements, those of each query together.
            query: for each judgement, the place of its query in `queries`.
        """
        begin, sizes = self.begin[queries], (self.end - self.begin)[queries]
        chosen, _ = stretches(begin, sizes)
        begins = starts_of(sizes)
        counts = np.diff(self.start)[docs]
        rows, _ = stretches(self.start[docs], counts)
        return replace(
            self,
            names=[self.names[number] for number in chosen.tolist()],
            weight=self.weight[chosen],
            begin=begins[:-1],
            end=begins[1:],
            start=starts_of(counts),
            aspect=self.aspect[rows] + np.repeat((begins[:-1] - begin)[query], counts),
            grade=self.grade[rows],
        )

    def answered(self, docs: Ints) -> tuple[Ints, Ints]:
        """For each aspect that one of these documents answers, the document's place in `docs`, and the row here.

        Args:
            docs: their judgements; -1 and the numbers of unjudged documents answer nothing.
        """
        known = len(self.start) - 1
        start = np.append(self.start, self.start[-1])
        doc = np.where((docs < 0) | (docs > known), known, docs)
        row, place = stretches(start[doc], start[doc + 1] - start[doc])
        return place, row

    def with_selves(self, selves: Bools, query: Ints, keeping: bool) -> Aspects:
        """The aspects where the document with the query's own id is judged too, after the others if it was not.

        Args:
            selves: (judgements,) whether it is of such a document.
            query: (judgements,) the query of each.
            keeping: whether it keeps what it answers.
        """
        left = self if keeping else self.of_docs(~selves).judged()
        added = np.ones(len(self.begin), np.int64)
        added[query[selves]] = 0
        counts = np.zeros(len(selves) + int(added.sum()), np.int64)
        counts[np.arange(len(selves)) + (np.cumsum(added) - added)[query]] = np.diff(left.start)
        return replace(left, start=starts_of(counts))

    def weighted(
        self,
        queries: Sequence[bytes],
        weights: Mapping[bytes, Mapping[bytes, float]],
        name: str,
        lines: Mapping[bytes, Mapping[bytes, int]],
    ) -> Aspects:
        """The aspects with these weights, {query: {aspect: weight}}; `lines` has the lines that they stand in.

        Raises:
            InputError: an aspect has none, or one below 0, or is not there; those of a query sum to 0.
        """
        if unknown := sorted(set(weights).difference(queries)):
            raise InputError(
                "query {query} has weights of aspects, but no judgement",
                name,
                _line(lines.get(unknown[0])),
                query=truncated(unknown[0]),
            )
        given = self.weight.copy()
        for number, query in enumerate(queries):
            places = range(int(self.begin[number]), int(self.end[number]))
            own, at = weights.get(query, {}), lines.get(query, {})
            if unknown := sorted(set(own).difference(self.names[place] for place in places)):
                raise InputError(
                    "aspect {aspect} of query {query} has a weight, but no document is judged for it",
                    name,
                    at.get(unknown[0]),
                    aspect=truncated(unknown[0]),
                    query=truncated(query),
                )
            for place in places:
                aspect = self.names[place]
                given[place] = _weight(query, aspect, own.get(aspect), name, at.get(aspect, _line(at)))
            total = sum(given[places.start : places.stop].tolist())
            if places and not 0 < total < math.inf:
                raise InputError(
                    "the weights of the aspects of query {query} sum to {total:g}; that is above 0, and finite",
                    name,
                    _line(at),
                    query=truncated(query),
                    total=total,
                )
        return replace(self, weight=given)


def _line(lines: Mapping[bytes, int] | None) -> int | None:
    """The first line of a query's weights."""
    return min(lines.values()) if lines else None


def _weight(query: bytes, aspect: bytes, weight: float | None, name: str, line: int | None) -> float:
    if weight is None:
        raise InputError(
            "aspect {aspect} of query {query} has no weight",
            name,
            line,
            aspect=truncated(aspect),
            query=truncated(query),
        )
    if not isinstance(weight, int | float | np.number) or not (math.isfinite(weight) and weight >= 0):
        raise InputError(
            "aspect {aspect} of query {query} has the weight {weight}; a weight is a number from 0 on",
            name,
            line,
            aspect=truncated(aspect),
            query=truncated(query),
            weight=quoted(weight),
        )
    return float(weight)
