"""Unjudged documents: the lowest and the highest value of every measure, whatever the returned ones may be.

Each may get any grade of the collection, or stay without one. One that is relevant was always there to be found:
the number of relevant documents and the ideal list grow with it. Documents that were not returned stay as they are.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial

import numpy as np

from truerank.analysis.bounds.pool import Pool
from truerank.analysis.bounds.result import Range
from truerank.analysis.bounds.screening import SCREENS, Screen, screen_of
from truerank.analysis.bounds.settled import Part, Settled, Ways
from truerank.analysis.bounds.ways import LIMIT, is_declared, values_of
from truerank.core.evaluate import is_ruled
from truerank.core.hits import Bools
from truerank.core.rules import Rules
from truerank.core.run import Progress
from truerank.core.scan import processors
from truerank.measures import Measure
from truerank.measures.sums import Ints, PerQuery

EVERY = 24
"""This many documents from either end of a list are tried one by one; those between in growing steps."""

STEPS = 12


def grades_to_give(pool: Pool) -> tuple[float, ...]:
    """The grades of the collection from 0 on; always with 0 and a relevant grade."""
    given, level = set(pool.qrels.grades[pool.qrels.grades >= 0].tolist()) | {0.0}, pool.rules.level
    return tuple(sorted(given if max(given) >= level else given | {float(level)}))


def under_judgement(
    pool: Pool,
    measures: tuple[Measure, ...],
    threads: int | None,
    progress: Progress,
) -> dict[str, Range]:
    """The range of each measure over what unjudged documents could be.

    Where no grade of the collection reaches the level, one that does is added, and measures whose scale is the
    highest grade have two scales: each query is looked at on both, whatever others are given.

    Queries with at most `LIMIT` possibilities are tried in all of them. In others the documents above some rank
    get one grade and those below it another, or none, for many ranks and pairs of grades. What cannot be an extreme
    is left out: of a measure that is rising all but the best grade for all and none; of one that can be screened
    all but those that come near the extremes.

    Args:
        threads: how many look at parts of the queries; None: as many as there are processors.
        progress: called with how many queries are done, and of how many.
    """
    now = values_of(measures, pool.as_is(), pool.rules)
    if not pool.open.any():  # nor can a grade that no document has change the scale
        everywhere = np.ones(len(pool.hits.queries), bool)
        return {str(m): Range(m, now[str(m)], now[str(m)], now[str(m)], everywhere) for m in measures}
    grades = grades_to_give(pool)
    searches = [_Search(pool, grades)]
    if is_rescaled := 0 < pool.hits.max_grade < grades[-1]:
        searches.append(_Search(pool, grades[:-1]))
    limits = {name: (values.copy(), values.copy()) for name, values in now.items()}
    passes = [list(search.passes(measures)) for search in searches]

    def searched(part: Part) -> None:  # each query is in one part, so no two threads write to the same place
        for search, ways in zip(searches, passes, strict=True):
            for of, values in search.through(part, ways):
                for name, value in values.items():
                    np.minimum.at(limits[name][0], of, value)
                    np.maximum.at(limits[name][1], of, value)

    for part in _through(searched, list(Part.of(pool)), threads or processors()):
        progress(part.queries.stop, len(pool.hits.queries))
    sure = {m: searches[0].is_sure(m) & (not is_rescaled) for m in measures}
    return {str(m): Range(m, now[str(m)], *limits[str(m)], sure[m]) for m in measures}


def _through(work: Callable[[Part], None], parts: Sequence[Part], threads: int) -> Iterator[Part]:
    """Each part when it is done, in order."""
    if len(parts) < 2 or threads < 2:
        for part in parts:
            work(part)
            yield part
        return
    from concurrent.futures import ThreadPoolExecutor  # not needed at every start

    with ThreadPoolExecutor(threads) as pool:
        for part, _ in zip(parts, pool.map(work, parts), strict=True):
            yield part


def sees_judgements(measure: Measure, rules: Rules) -> bool:
    """Whether a measure may depend on documents judged not relevant."""
    params = {"level": rules.level, **dict(measure.params)}
    gain = params.get("chance", params.get("gain"))
    worth_something = min(params["level"], params.get("rel", 1)) <= 0 or (isinstance(gain, Mapping) and 0 in gain)
    return (
        measure.definition.sees_judged is not False  # a measure that does not declare it may do anything
        or worth_something
        or rules.unjudged != "not-relevant"
    )


def _is_rising(measure: Measure, rules: Rules) -> bool:
    """Whether the best grade for all and none for any are the extremes."""
    is_mapped = any(isinstance(value, Mapping) for _, value in measure.params)  # a better grade may be worth less
    return measure.monotone == "rising" and not is_mapped and not sees_judgements(measure, rules)


Enumeration = Callable[[Settled], Iterator[Ways]]

Pass = tuple[tuple[Measure, ...], bool, Enumeration]
"""Measures that are looked at together, whether they see what is judged wrong, and in which ways."""


@dataclass(frozen=True, eq=False)
class _Search:
    """What was returned, and the grades that it could have."""

    pool: Pool
    grades: tuple[float, ...]

    @cached_property
    def size(self) -> Ints:
        """(queries,) how many documents are open."""
        return np.bincount(self.pool.hits.query[self.pool.open], minlength=len(self.pool.hits.queries))

    def through(self, part: Part, passes: Sequence[Pass]) -> Iterator[tuple[Ints, dict[str, PerQuery]]]:
        """In batches of ways: the query of each way, and its values."""
        lists = {is_seeing: Settled.of(part, is_seeing) for is_seeing in {each[1] for each in passes}}
        for some, is_seeing, ways in passes:
            near = lists[is_seeing].within(self.reach(some[0]))
            for each in ways(near):
                seen = lists[is_seeing] if each.cut is None else near
                for of, values in seen.values(some, each, self.grades[-1]):
                    yield of + part.queries.start, values

    def passes(self, measures: Sequence[Measure]) -> Iterator[Pass]:
        """All passes that are needed."""
        seeing = [m for m in measures if sees_judgements(m, self.pool.rules)]
        rising = [m for m in measures if _is_rising(m, self.pool.rules) and not is_ruled(m, self.pool.rules)]
        apart = {*seeing, *rising}
        rest = [m for m in measures if m not in apart]
        screens = {m: screen_of(m, self.pool.rules) for m in rest}
        searched = [m for m in rest if screens[m] is None]
        for some, is_seeing, ways in (
            (rising, False, self._ends),
            (searched, False, partial(self._every, is_seeing=False)),
            (seeing, True, partial(self._every, is_seeing=True)),
        ):
            for reach in dict.fromkeys(map(self.reach, some)):
                yield tuple(m for m in some if self.reach(m) == reach), is_seeing, ways
        for m, screen in screens.items():
            if screen:
                yield (m,), False, partial(self._every, is_seeing=False, screen=screen)

    def reach(self, measure: Measure) -> int | None:
        """The last rank whose rows a measure sees, besides judgements; None where it may see them all."""
        sees_few = measure.definition.takes_unjudged_grades or measure.name in SCREENS
        rules = self.pool.rules
        is_plain = rules.unreturned == "count" and rules.unjudged == "not-relevant"  # else ranks move
        return measure.cutoff if sees_few and is_plain else None

    def is_sure(self, measure: Measure) -> Bools:
        """(queries,) whether the extremes are among what was tried."""
        is_seeing = sees_judgements(measure, self.pool.rules)
        every: Bools = self._is_few(self.size, is_seeing) & (is_declared(measure) | (self.size == 0))
        if is_seeing:
            return every
        if _is_rising(measure, self.pool.rules):
            return np.ones(len(every), bool)
        return every | (self.size <= 2 * EVERY) if measure.monotone == "stepped" else every

    def _classes(self, is_seeing: bool) -> tuple[float, ...]:
        """The grades that a document can get; NaN: none."""
        return (np.nan, *(self.grades if is_seeing else self.grades[1:]))

    def _is_few(self, size: Ints, is_seeing: bool) -> Bools:
        """(queries,) whether all possibilities are tried."""
        classes = len(self._classes(is_seeing))
        return np.array([classes**n <= LIMIT for n in size.tolist()], bool)

    def _ends(self, settled: Settled) -> Iterator[Ways]:
        """The best grade for all; and no grades at all, where a new best grade would change the scale."""
        is_new = self.grades[-1] > self.pool.hits.max_grade
        for given in (np.nan, self.grades[-1]) if is_new else self.grades[-1:]:
            yield Ways.cuts(np.arange(len(settled.size)), settled.size, given, given)

    def _every(self, settled: Settled, is_seeing: bool, screen: Screen | None = None) -> Iterator[Ways]:
        """All possibilities of queries that have few; else each pair of grades above and below many ranks.

        Args:
            screen: chooses the pairs and ranks that come near the extremes.
        """
        few = self._is_few(settled.size, is_seeing)
        if few.any():
            yield Ways.product(np.flatnonzero(few), settled.size[few], self._classes(is_seeing))
        of, cut = self._cuts(settled, np.flatnonzero(~few))
        if screen is None:
            for above, below in self._pairs(is_seeing):
                yield Ways.cuts(of, cut, above, below)
        elif len(of):
            yield screen.nearest(settled, of, cut, self._pairs(is_seeing))

    def _cuts(self, settled: Settled, queries: Ints) -> tuple[Ints, Ints]:
        """Many cuts: the query of each, and the open document before which it is."""
        numbers = [_numbers(n) for n in settled.size[queries].tolist()]
        of = np.repeat(queries, list(map(len, numbers)))
        return of, np.fromiter(itertools.chain.from_iterable(numbers), np.int64, len(of))

    def _pairs(self, is_seeing: bool) -> list[tuple[float, float]]:
        """The pairs of grades for documents above a rank and below it."""
        good = [grade for grade in self.grades if grade > 0] if len(self.grades) < 4 else self._telling()
        wrong = [np.nan, 0.0] if is_seeing else [np.nan]
        pairs = [pair for g in good for w in wrong for pair in ((g, w), (w, g))]
        return [*pairs, (np.nan, 0.0), (0.0, np.nan)] if is_seeing else pairs or [(np.nan, np.nan)]

    def _telling(self) -> list[float]:
        """The lowest grade that is relevant, and the highest."""
        relevant = (grade for grade in self.grades if grade >= self.pool.rules.level)
        return sorted({min(relevant, default=self.grades[-1]), self.grades[-1]})


@lru_cache(maxsize=1 << 12)
def _numbers(n: int) -> Sequence[int]:
    """Numbers from 0 to n: all of them at both ends, and growing steps between."""
    if n <= 2 * EVERY:
        return range(n + 1)
    middle = np.geomspace(EVERY, n - EVERY, STEPS).astype(int).tolist()
    return sorted({*range(EVERY + 1), *middle, *range(n - EVERY, n + 1)})
