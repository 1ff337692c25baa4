"""Documents that nobody judged: the least and the most of every measure, whatever those that came back may be.

Each may get any grade that the collection has, or stay without one. If it is relevant it was always there to be
found: the number of relevant documents and the ideal list grow with it. What did not come back stays as it is.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from truerank.analysis.bounds.pool import Pool, is_open
from truerank.analysis.bounds.result import Range
from truerank.analysis.bounds.ways import LIMIT, Repeated, Watch, chunks, is_declared, values_of
from truerank.core.hits import UNJUDGED, Bools, Hits, Judgements
from truerank.core.rules import Rules
from truerank.measures import Measure
from truerank.measures.sums import Floats, Ints, PerQuery

EVERY = 24
"""So many documents from either end of a list are tried one by one; those between in growing steps."""

STEPS = 12


def grades_to_give(pool: Pool, level: float) -> tuple[float, ...]:
    """The grades of the collection from 0 on; among them 0, and one that is relevant."""
    given = set(pool.qrels.grades[pool.qrels.grades >= 0].tolist()) | {0.0}
    return tuple(sorted(given if max(given) >= level else given | {float(level)}))


def under_judgement(
    pool: Pool, measures: tuple[Measure, ...], rules: Rules, watch: Watch = lambda done, of: None
) -> dict[str, Range]:
    """The range of each measure over what unjudged documents could be.

    Queries with at most `LIMIT` possibilities are tried in all of them. In others the documents above some rank
    get one grade and those below it another, or none, for many ranks and pairs of grades.

    Args:
        watch: told how many queries are done, and of how many.
    """
    search = _Search(pool, rules, grades_to_give(pool, rules.level))
    seeing = tuple(m for m in measures if sees_judgements(m, rules))
    blind = tuple(m for m in measures if m not in seeing)
    now = values_of(measures, pool.as_is(), rules)
    found = {name: (values.copy(), values.copy()) for name, values in now.items()}
    sure = {name: np.ones(len(values), bool) for name, values in now.items()}
    size = np.bincount(pool.hits.query[pool.open], minlength=len(pool.hits.queries))
    passes = [(some, is_seeing) for some, is_seeing in ((blind, False), (seeing, True)) if some]
    for number, (some, is_seeing) in enumerate(passes):
        for at, low, high, is_all in search.through(some, is_seeing):
            watch((number * len(size) + int(at[-1]) + 1) // len(passes), len(size))
            for measure in some:
                name = str(measure)
                found[name][0][at] = np.minimum(found[name][0][at], low[name])
                found[name][1][at] = np.maximum(found[name][1][at], high[name])
                is_tried = is_all & (is_declared(measure) | (size[at] == 0))
                sure[name][at] = is_tried | _is_known(measure, rules, size[at])
    return {str(m): Range(m, now[str(m)], *found[str(m)], sure[str(m)]) for m in measures}


def sees_judgements(measure: Measure, rules: Rules) -> bool:
    """Whether it may matter that a document was judged and found wanting."""
    params = {"level": rules.level, **dict(measure.params)}
    gain = params.get("chance", params.get("gain"))
    worth_something = min(params["level"], params.get("rel", 1)) <= 0 or (isinstance(gain, Mapping) and 0 in gain)
    return (
        measure.definition.sees_judged is not False  # unsafe to assume of a measure that does not say so
        or worth_something
        or rules.unjudged != "not-relevant"
    )


def _is_known(measure: Measure, rules: Rules, n: Ints) -> Bools:
    """(queries,) whether the extremes are among what was tried, given how many documents are open."""
    if sees_judgements(measure, rules):
        return np.zeros(len(n), bool)
    is_mapped = any(isinstance(value, Mapping) for _, value in measure.params)  # a better grade may be worth less
    if measure.monotone == "rising" and not is_mapped:
        return np.ones(len(n), bool)
    return (n <= 2 * EVERY) & (measure.monotone == "stepped")


Found = tuple[Ints, dict[str, PerQuery], dict[str, PerQuery], Bools]


@dataclass(frozen=True, eq=False)
class _Search:
    """What came back, and what it could be."""

    pool: Pool
    rules: Rules
    grades: tuple[float, ...]

    def through(self, measures: tuple[Measure, ...], is_seeing: bool) -> Iterator[Found]:
        """For some queries at a time: which, their extremes by each measure, and whether these are sure."""
        table = self.pool.settled(is_seeing)
        size = np.bincount(self.pool.hits.query[self.pool.open], minlength=len(table.queries))
        ways = [self._ways(n, is_seeing) for n in size.tolist()]
        times = np.array([len(each) for each, _ in ways], np.int64)
        is_all = np.array([every for _, every in ways], bool)
        for part in chunks(times * table.count):
            chosen = np.zeros(len(size), bool)
            chosen[part] = True
            given = np.concatenate([each.ravel() for each, _ in ways[part]])
            copies = Repeated.of(table.select(chosen), times[part])
            values = values_of(measures, self._judged(copies.hits, given), self.rules)
            low = {name: copies.lowest(each) for name, each in values.items()}
            high = {name: copies.highest(each) for name, each in values.items()}
            yield np.flatnonzero(chosen), low, high, is_all[part]

    def _judged(self, hits: Hits, given: Floats) -> Hits:
        """The hits when the open documents got these grades; NaN: none."""
        open_rows = is_open(hits, self.rules)
        grade = hits.grade.copy()
        grade[open_rows] = np.where(np.isnan(given), grade[open_rows], given)
        judged = open_rows & (grade > UNJUDGED)
        query = np.concatenate([hits.judgements.query, hits.query[judged]])
        grades = np.concatenate([hits.judgements.grade, grade[judged]])
        order = np.lexsort((-grades, query))
        known = Judgements(query[order], grades[order])
        highest = max(hits.max_grade, *self.grades)
        return replace(hits, grade=grade, judgements=known, max_grade=highest).where(grade > UNJUDGED)

    def _ways(self, n: int, is_seeing: bool) -> tuple[Floats, bool]:
        """(ways, n) what n documents, best rank first, could be given; and whether these are all ways."""
        classes = [np.nan, *(self.grades if is_seeing else self.grades[1:])]
        if len(classes) ** n <= LIMIT:
            return np.array(list(itertools.product(classes, repeat=n)), np.float64), True
        return np.array([way for pair in self._pairs(is_seeing) for way in _cuts(n, *pair)]), False

    def _pairs(self, is_seeing: bool) -> list[tuple[float, float]]:
        """What those above a rank are given, and those below it."""
        good = [grade for grade in self.grades if grade > 0] if len(self.grades) < 4 else self._telling()
        wrong = [np.nan, 0.0] if is_seeing else [np.nan]
        pairs = [pair for g in good for w in wrong for pair in ((g, w), (w, g))]
        return [*pairs, (np.nan, 0.0), (0.0, np.nan)] if is_seeing else pairs or [(np.nan, np.nan)]

    def _telling(self) -> list[float]:
        """The lowest grade that is relevant, and the highest."""
        return sorted({min(grade for grade in self.grades if grade >= self.rules.level), self.grades[-1]})


def _cuts(n: int, above: float, below: float) -> Iterator[Floats]:
    """Both grades, for many numbers of documents that get the first."""
    for cut in _numbers(n):
        yield np.where(np.arange(n) < cut, above, below)


def _numbers(n: int) -> Sequence[int]:
    """Numbers from 0 to n: all of them at both ends, and growing steps between."""
    if n <= 2 * EVERY:
        return range(n + 1)
    middle = np.geomspace(EVERY, n - EVERY, STEPS).astype(int).tolist()
    return sorted({*range(EVERY + 1), *middle, *range(n - EVERY, n + 1)})
