"""Lists whose unjudged documents can be given grades in many ways, of which some are looked at together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from truerank.analysis.bounds import ways as counting
from truerank.analysis.bounds.pool import Pool
from truerank.analysis.bounds.ways import copied, values_of
from truerank.core.hits import COLUMNS, UNJUDGED, Bools, Hits, Judgements
from truerank.core.rules import Rules
from truerank.measures import Measure
from truerank.measures.sums import Floats, Ints, PerQuery


@dataclass(frozen=True, eq=False)
class Ways:
    """In which ways open documents are given grades.

    Attributes:
        of: (ways,) the query of each; they do not fall.
        given: for rows, by their way and their place among the open documents of the query: the grade; NaN: none.
    """

    of: Ints
    given: Callable[[Ints, Ints], Floats]

    @classmethod
    def cuts(cls, of: Ints, cut: Ints, above: Any, below: Any) -> Ways:
        """So many documents of each get the first grade, and those below them the second: one, or one a way."""
        first, second = (np.broadcast_to(np.asarray(each, np.float64), of.shape) for each in (above, below))
        return cls(of, lambda way, place: np.where(place < cut[way], first[way], second[way]))

    @classmethod
    def product(cls, queries: Ints, sizes: Ints, classes: Sequence[float]) -> Ways:
        """Every document of some queries is given each of these."""
        grades, times = np.array(classes, np.float64), len(classes) ** sizes
        number = np.arange(int(times.sum())) - np.repeat(np.cumsum(times) - times, times)
        powers = len(classes) ** np.arange(int(sizes.max(initial=0)) + 1)
        return cls(np.repeat(queries, times), lambda way, place: grades[number[way] // powers[place] % len(grades)])


@dataclass(frozen=True, eq=False)
class Settled:
    """The lists of a run: what is judged, and what is open.

    Attributes:
        hits: of both; the judgements are those of documents that are not open.
        place: (hits,) the number among the open documents of its query; -1 where it is judged.
        rules: under which measures look at it.
    """

    hits: Hits
    place: Ints
    rules: Rules

    @classmethod
    def of(cls, pool: Pool, rules: Rules, is_seeing: bool) -> Settled:
        """Those of a run."""
        rows = pool.told(is_seeing) | pool.open
        hits, is_open = pool.settled(is_seeing), pool.open[rows]
        number = np.cumsum(is_open) - 1
        before = np.concatenate([[0], np.cumsum(np.bincount(hits.query[is_open], minlength=len(hits.queries)))])
        return cls(hits, np.where(is_open, number - before[hits.query], -1), rules)

    @cached_property
    def start(self) -> Ints:
        """(queries + 1,) where the rows of each begin."""
        return np.concatenate([[0], np.cumsum(self.hits.count)])

    def values(
        self, measures: tuple[Measure, ...], ways: Ways, highest: float, reach: int | None
    ) -> Iterator[tuple[Ints, dict[str, PerQuery]]]:
        """For some ways at a time the query of each, and what it scores.

        Args:
            highest: the best grade that is given.
            reach: the rank below which the measures see no rows; None for all.
        """
        hits = self.hits
        rows = hits.count[ways.of] + 1
        for part in counting.chunks(rows):
            yield ways.of[part], values_of(measures, self._given(ways, part, highest, reach), self.rules)

    def _given(self, ways: Ways, part: slice, highest: float, reach: int | None) -> Hits:
        """The lists, one a way, when open documents got these grades."""
        hits, of = self.hits, ways.of[part]
        rows, way = copied(self.start[:-1][of], hits.count[of])
        place, grade = self.place[rows], hits.grade[rows]
        is_open = place >= 0
        given = ways.given(way[is_open] + part.start, place[is_open])
        grade[is_open] = np.where(np.isnan(given), grade[is_open], given)
        judged = is_open & (grade > UNJUDGED)
        judgements = self._judgements(of, way[judged], grade[judged])
        seen = self._seen(rows, grade, reach)
        rows, way, grade = rows[seen], way[seen], grade[seen]
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

    @cached_property
    def _kinds(self) -> Floats:
        """The grades of the judgements."""
        return np.unique(self.hits.judgements.grade)

    def _seen(self, rows: Ints, grade: Floats, reach: int | None) -> Bools:
        """(rows,) whether it is judged now, and can stand among the first results in some order of ties."""
        seen: Bools = grade > UNJUDGED
        return seen if reach is None else seen & (self.hits.first[rows] <= reach)

    def _judgements(self, of: Ints, way: Ints, grade: Floats) -> Judgements:
        """Those that each way begins with, and the new ones, best first."""
        known = self.hits.judgements
        count = np.bincount(known.query, minlength=len(self.hits.queries))
        old, old_way = copied((np.cumsum(count) - count)[of], count[of])
        query, grades = np.concatenate([old_way, way]), np.concatenate([known.grade[old], grade])
        kinds = np.unique(np.concatenate([self._kinds, np.unique(grade)]))[::-1]
        if len(kinds) * len(of) > 4 * len(grades):
            order = np.lexsort((-grades, query))
            return Judgements(query[order], grades[order])
        kind = np.searchsorted(-kinds, -grades)  # counted, as there are few grades: much faster than to sort
        times = np.bincount(query * len(kinds) + kind, minlength=len(of) * len(kinds))
        per_way = times.reshape(len(of), len(kinds)).sum(axis=1)
        return Judgements(np.repeat(np.arange(len(of)), per_way), np.repeat(np.tile(kinds, len(of)), times))
