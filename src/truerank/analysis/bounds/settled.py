"""Lists whose unjudged documents can be given grades in many ways, some of which are evaluated together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from truerank.analysis.bounds.pool import Pool
from truerank.analysis.bounds.ways import ROWS, values_of
from truerank.core.hits import COLUMNS, UNJUDGED, Hits, Judgements
from truerank.core.ids import chunks, starts_of, stretches
from truerank.core.rules import Rules
from truerank.measures import Measure
from truerank.measures.sums import Floats, Ints, PerQuery


@dataclass(frozen=True, eq=False)
class Ways:
    """Ways of giving grades to open documents.

    Attributes:
        of: (ways,) the query of each, in ascending order.
        given: maps rows, by their way and their place among the query's open documents, to grades; NaN: none.
        grades: the grades that are given in some way.
        cut: for ways that are cuts, how many documents are above each.
    """

    of: Ints
    given: Callable[[Ints, Ints], Floats]
    grades: Floats
    cut: Ints | None = None

    @classmethod
    def cuts(cls, of: Ints, cut: Ints, above: Any, below: Any) -> Ways:
        """Ways in which `cut` documents get the grade `above` and the rest `below`: one grade, or one per way."""
        first, second = (np.broadcast_to(np.asarray(each, np.float64), of.shape) for each in (above, below))
        return cls(
            of, lambda way, place: np.where(place < cut[way], first[way], second[way]), _some(above, below), cut
        )

    @classmethod
    def product(cls, queries: Ints, sizes: Ints, classes: Sequence[float]) -> Ways:
        """All ways in which the documents of some queries can get these grades."""
        grades, times = np.array(classes, np.float64), len(classes) ** sizes
        number, query = stretches(np.zeros_like(times), times)
        powers = len(classes) ** np.arange(int(sizes.max(initial=0)) + 1)
        return cls(
            queries[query],
            lambda way, place: grades[number[way] // powers[place] % len(grades)],
            _some(grades),
        )


def _some(*grades: Any) -> Floats:
    """The distinct values except NaN, in order; `np.unique` would import NumPy's masked arrays."""
    in_order = np.sort(np.concatenate([np.ravel(each) for each in grades]))
    is_new = np.ones(len(in_order), bool)
    is_new[1:] = in_order[1:] != in_order[:-1]
    there: Floats = in_order[is_new & ~np.isnan(in_order)]
    return there


@dataclass(frozen=True, eq=False)
class Part:
    """Some queries of a run that are processed together.

    Attributes:
        queries: the range of queries.
        rows: the range of their hits.
    """

    pool: Pool
    queries: slice
    rows: slice

    @classmethod
    def of(cls, pool: Pool) -> Iterator[Part]:
        """All parts of a run."""
        ends = starts_of(pool.hits.count)
        for part in chunks(pool.hits.count + 1, ROWS):
            yield cls(pool, part, slice(int(ends[part.start]), int(ends[part.stop])))


@dataclass(frozen=True, eq=False)
class Settled:
    """The lists of a run: what is judged, and what is open.

    Attributes:
        hits: of judged and open documents; the judgements are those of documents that are not open.
        place: (hits,) the number of each among the open documents of its query; -1 where it is judged.
        size: (queries,) how many documents are open.
        rules: under which measures look at it.
    """

    hits: Hits
    place: Ints
    size: Ints
    rules: Rules

    @classmethod
    def of(cls, part: Part, is_seeing: bool) -> Settled:
        """The lists of some queries of a run."""
        pool, rows = part.pool, part.rows
        known = pool.hits.changed({"judgements": pool.judgements[is_seeing]})
        is_open, is_known = pool.open[rows], pool.known(is_seeing, rows)
        some = known.within(part.queries.start, part.queries.stop).where(is_known | is_open)
        is_open = is_open[is_known | is_open]
        number = np.cumsum(is_open) - 1
        size = np.bincount(some.query[is_open], minlength=len(some.queries))
        before = np.cumsum(size) - size
        return cls(some, np.where(is_open, number - before[some.query], -1), size, pool.rules)

    def within(self, reach: int | None) -> Settled:
        """Only rows that can be among the first results in some order of ties; other rows are just counted."""
        if reach is None or (near := self.hits.first <= reach).all():
            return self
        return replace(self, hits=self.hits.where(near), place=self.place[near])

    @cached_property
    def start(self) -> Ints:
        """(queries + 1,) where the rows of each query begin."""
        return starts_of(self.hits.count)

    def values(
        self, measures: tuple[Measure, ...], ways: Ways, highest: float
    ) -> Iterator[tuple[Ints, dict[str, PerQuery]]]:
        """In batches of ways: the query of each way, and its values.

        Args:
            highest: the best grade that is given.
        """
        for part in chunks(self.hits.count[ways.of] + 1, ROWS):
            yield ways.of[part], values_of(measures, self._given(ways, part, highest), self.rules)

    def _given(self, ways: Ways, part: slice, highest: float) -> Hits:
        """The lists with one query per way, in which open documents have their grades."""
        hits, of = self.hits, ways.of[part]
        rows, way = self._copied(of)
        place = self.place[rows]
        given = ways.given(way + part.start, place)
        grade = np.where((place < 0) | np.isnan(given), hits.grade[rows], given)
        if not (seen := grade > UNJUDGED).all():
            rows = np.arange(len(hits))[rows]
            rows, way, grade, place = (each[seen] for each in (rows, way, grade, place))
        judged = place >= 0
        judgements = self._judgements(of, way[judged], grade[judged], self._far(ways, part), ways.grades)
        columns = {name: getattr(hits, name)[rows] for name in COLUMNS if name not in ("query", "grade")}
        return replace(
            hits,
            queries=tuple(map(hits.queries.__getitem__, of.tolist())),
            returned=hits.returned[of],
            judgements=judgements,
            max_grade=max(hits.max_grade, highest),
            query=way,
            grade=grade,
            **columns,
        )

    def _copied(self, of: Ints) -> tuple[Ints | slice, Ints]:
        """The rows of each way, and the way of each row; rows of consecutive queries are not copied."""
        if len(of) and (of[1:] == of[:-1] + 1).all():
            rows = slice(int(self.start[of[0]]), int(self.start[of[-1] + 1]))
            return rows, self.hits.query[rows] - of[0]
        return stretches(self.start[:-1][of], self.hits.count[of])

    @cached_property
    def near(self) -> Ints:
        """(queries,) how many open documents have rows."""
        return np.bincount(self.hits.query[self.place >= 0], minlength=len(self.size))

    def _far(self, ways: Ways, part: slice) -> tuple[Ints, Floats, Ints]:
        """The ways and grades of open documents without rows, and how many there are of each."""
        way, of = np.arange(part.stop - part.start), ways.of[part]
        near, size = self.near[of], self.size[of]
        if ways.cut is None or (near == size).all():
            return way[:0], np.empty(0), way[:0]
        above = np.clip(ways.cut[part] - near, 0, size - near)
        ends = (np.zeros_like(way), above), (size, size - near - above)
        of_both = [(way, ways.given(way + part.start, place - at), n) for at, (place, n) in enumerate(ends)]
        number, grade, times = map(np.concatenate, zip(*of_both, strict=True))
        there = ~np.isnan(grade) & (times > 0)
        return number[there], grade[there], times[there]

    def _judgements(
        self, of: Ints, way: Ints, grade: Floats, far: tuple[Ints, Floats, Ints], given: Floats
    ) -> Judgements:
        """The judgements that each way begins with, and the new ones, best first."""
        known = self.hits.judgements
        count = np.bincount(known.query, minlength=len(self.hits.queries))
        old, old_way = stretches((np.cumsum(count) - count)[of], count[of])
        query, grades = np.concatenate([old_way, way, far[0]]), np.concatenate([known.grade[old], grade, far[1]])
        times = np.concatenate([np.ones(len(old) + len(way), np.int64), far[2]])
        kinds = _some(self._kinds, given)[::-1]
        if len(kinds) * len(of) > 4 * len(grades):
            order = np.lexsort((-grades, query))
            return Judgements(np.repeat(query[order], times[order]), np.repeat(grades[order], times[order]))
        kind = np.searchsorted(-kinds, -grades)  # by counting, as there are few grades: much faster than sorting
        of_kind = np.bincount(query * len(kinds) + kind, times, len(of) * len(kinds)).astype(np.int64)
        per_way = of_kind.reshape(len(of), len(kinds)).sum(axis=1)
        return Judgements(np.repeat(np.arange(len(of)), per_way), np.repeat(np.tile(kinds, len(of)), of_kind))

    @cached_property
    def _kinds(self) -> Floats:
        """The grades of judgements and of rows."""
        return _some(self.hits.judgements.grade, self.hits.grade)
