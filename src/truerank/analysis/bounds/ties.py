"""Equal scores: the least, the most and the expected value of every measure over the orders of ties."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from truerank.analysis.bounds.result import Range
from truerank.analysis.bounds.unjudged import sees_judgements
from truerank.analysis.bounds.ways import LIMIT, ROWS, Repeated, is_declared, parts, values_of
from truerank.core.hits import Bools, Hits
from truerank.core.ids import chunks
from truerank.core.rules import Rules
from truerank.core.run import Progress
from truerank.measures import Measure
from truerank.measures.sums import Floats, Ints

GRADES = 4
"""With more different grades among the ties, not all priorities of grades are tried."""

ELSEWHERE = math.nan
"""The place of unjudged documents among the grades of a priority."""


def under_ties(
    hits: Hits,
    measures: tuple[Measure, ...],
    rules: Rules,
    *,
    rerank: int | None = None,
    samples: int,
    seed: int,
    progress: Progress,
) -> dict[str, Range]:
    """The range of each measure over the orders of equal scores; for the expected value, all are equally likely.

    Queries with at most `LIMIT` orders are tried in all of them, so that all three numbers are exact. Others are
    tried in every order that sorts all groups of ties by some priority of grades, and in random orders. For
    measures that do not see documents judged wrong, or only pooled, these are left out, as if unjudged.

    Args:
        hits: before any rule.
        rerank: this many first results of each query are tied, whatever their scores, and no others.
        progress: called with how many queries are done, and of how many.
    """
    now = values_of(measures, hits, rules)
    hits = hits if rerank is None else _tied_above(hits, rerank)
    limits = {name: _Limits.of(values) for name, values in now.items()}
    seeing = tuple(m for m in measures if m.definition.needs or sees_judgements(m, rules))
    others = tuple(m for m in measures if m not in seeing)
    looks = [look for look in ((seeing, hits), (others, hits.where(hits.grade > 0))) if look[0]]
    for (some, seen), part in zip(looks, parts(len(hits.queries), len(looks), progress), strict=True):
        _look(seen, limits, partial(_Search, some, rules, rerank, samples, seed, part))
    return {str(m): limits[str(m)].range(m, now[str(m)]) for m in measures}


def _tied_above(hits: Hits, rank: int) -> Hits:
    """The hits with the results down to this rank as one group of ties, and no other ties."""
    above, end = hits.rank <= rank, np.minimum(hits.returned[hits.query], rank)
    return replace(hits, first=np.where(above, 1, hits.rank), last=np.where(above, end, hits.rank))


def _look(seen: Hits, limits: dict[str, _Limits], search_of: Callable[[int, int], _Search]) -> None:
    """Search the limits among the orders of the documents that the measures see."""
    tied = np.bincount(seen.query[seen.tied], minlength=len(seen.queries)) > 0
    few = np.array([bool(is_tied) and _orders(seen, q) <= LIMIT for q, is_tied in enumerate(tied.tolist())], bool)
    search = search_of(int(few.sum()), int(tied.sum()))
    for which, look in ((few, search.through_all), (tied & ~few, search.through_some)):
        if which.any():
            look(seen.select(which), limits, np.flatnonzero(which))


@dataclass(frozen=True, eq=False)
class _Limits:
    """The limits found so far, arrays with one value per query."""

    low: Floats
    high: Floats
    expected: Floats
    error: Floats
    sure: Bools

    @classmethod
    def of(cls, values: Floats) -> _Limits:
        return cls(values.copy(), values.copy(), values.copy(), np.zeros(len(values)), np.ones(len(values), bool))

    def range(self, measure: Measure, values: Floats) -> Range:
        return Range(measure, values, self.low, self.high, self.sure, self.expected, self.error)


@dataclass(frozen=True, eq=False)
class _Search:
    """The search for extremes; its results are written into the limits."""

    measures: tuple[Measure, ...]
    rules: Rules
    rerank: int | None
    samples: int
    seed: int
    progress: Progress
    few: int
    of: int

    def through_all(self, hits: Hits, limits: dict[str, _Limits], at: Ints) -> None:
        """Try every order of each query."""
        times = np.array([_orders(hits, q) for q in range(len(at))])
        for part in chunks(times * hits.count, ROWS):
            chosen = np.zeros(len(at), bool)
            chosen[part] = True
            some = hits.select(chosen)
            ways = Repeated.of(some, times[part])
            rank = np.concatenate([_all_orders(some, q).ravel() for q in range(len(some.queries))])
            values = self._values(ways.hits, rank)
            for measure in self.measures:
                name = str(measure)
                own, of = limits[name], at[part]
                own.low[of] = np.minimum(own.low[of], ways.lowest(values[name]))  # sums without rows may round
                own.high[of] = np.maximum(own.high[of], ways.highest(values[name]))
                own.expected[of] = ways.mean(values[name])
                own.sure[of] = is_declared(measure)
            self.progress(part.stop, self.of)

    def through_some(self, hits: Hits, limits: dict[str, _Limits], at: Ints) -> None:
        """Try the orders by priorities of grades, and random ones."""
        names = list(map(str, self.measures))
        totals = {name: (np.zeros(len(at)), np.zeros(len(at))) for name in names}
        now = {name: limits[name].expected[at] for name in names}  # sums of differences lose no digits
        orders, complete = priorities(hits)
        drawn = _random_orders(hits, self.samples, np.random.default_rng(self.seed))
        for number, rank in enumerate(itertools.chain(orders, drawn)):
            for name, values in self._values(hits, rank).items():
                limits[name].low[at] = np.minimum(limits[name].low[at], values)
                limits[name].high[at] = np.maximum(limits[name].high[at], values)
                if number >= len(orders):
                    totals[name][0][:] += values - now[name]
                    totals[name][1][:] += (values - now[name]) ** 2
            self.progress(self.few + len(at) * (number + 1) // (len(orders) + self.samples), self.of)
        for measure in self.measures:
            name = str(measure)
            limits[name].expected[at] = now[name] + totals[name][0] / self.samples
            limits[name].error[at] = _deviation(*totals[name], self.samples)
            limits[name].sure[at] = complete and is_declared(measure) and measure.monotone != "no"

    def _values(self, hits: Hits, rank: Ints) -> dict[str, Floats]:
        """The values of each measure for the hits at other ranks; a reranked list has no ties."""
        order = np.lexsort((rank, hits.query))
        moved = replace(hits.where(order), rank=rank[order])
        if self.rerank is not None:
            moved = replace(moved, first=moved.rank, last=moved.rank, score=np.full(len(moved), math.nan))
        return values_of(self.measures, moved, self.rules)


def _deviation(total: Floats, squares: Floats, n: int) -> Floats:
    """The standard error of a mean of n values, from their sum and that of their squares."""
    variance = np.maximum(squares - total * total / n, 0.0) / max(n - 1, 1)
    error: Floats = np.sqrt(variance / n)
    return error


@dataclass(frozen=True)
class _Group:
    """A group of ties: its rows within the query's, grouped by grade, how many of each grade, and its ranks."""

    rows: tuple[int, ...]
    counts: tuple[int, ...]
    ranks: range

    @property
    def orders(self) -> int:
        """How many distinguishable orders there are; documents of the same grade are alike."""
        return math.perm(len(self.ranks), len(self.rows)) // math.prod(map(math.factorial, self.counts))


def _groups(hits: Hits, query: int) -> list[_Group]:
    begin, end = np.searchsorted(hits.query, [query, query + 1]).tolist()
    groups: dict[int, list[int]] = {}
    for row in np.flatnonzero(hits.tied[begin:end]).tolist():
        groups.setdefault(int(hits.first[begin + row]), []).append(row)
    tied = []
    for first, rows in groups.items():
        rows.sort(key=lambda row: float(hits.grade[begin + row]))
        counts = Counter(hits.grade[begin + row] for row in rows)
        tied.append(_Group(tuple(rows), tuple(counts.values()), range(first, int(hits.last[begin + rows[0]]) + 1)))
    return tied


def _orders(hits: Hits, query: int) -> int:
    """The number of distinguishable orders of a query's ties."""
    return math.prod(group.orders for group in _groups(hits, query))


def _all_orders(hits: Hits, query: int) -> Ints:
    """(orders, rows of the query) the ranks."""
    groups = _groups(hits, query)
    begin, end = np.searchsorted(hits.query, [query, query + 1])
    placed = [list(_placements(tuple(group.ranks), group.counts)) for group in groups]
    chosen = list(itertools.product(*placed))
    ranks = np.tile(hits.rank[begin:end], (len(chosen), 1))
    rows = [row for group in groups for row in group.rows]
    ranks[:, rows] = [list(itertools.chain.from_iterable(each)) for each in chosen]
    return ranks


def _placements(ranks: tuple[int, ...], counts: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The ranks of this many documents of each grade, in all distinguishable ways."""
    if not counts:
        yield ()
        return
    for taken in itertools.combinations(ranks, counts[0]):
        rest = tuple(rank for rank in ranks if rank not in taken)
        for others in _placements(rest, counts[1:]):
            yield (*taken, *others)


def priorities(hits: Hits) -> tuple[list[Ints], bool]:
    """The ranks when each group of ties is sorted by grade, for many priorities; and whether these are all."""
    grades = np.unique(hits.grade[hits.tied]).tolist()
    if len(grades) <= GRADES:
        orders = list(itertools.permutations([*grades, ELSEWHERE]))
        return [_sorted_by(hits, order) for order in orders], True
    both = (grades, grades[::-1])
    orders = [(*way[:cut], ELSEWHERE, *way[cut:]) for way in both for cut in range(len(grades) + 1)]
    return [_sorted_by(hits, order) for order in orders], False


def _sorted_by(hits: Hits, priority: tuple[float, ...]) -> Ints:
    """(hits,) the ranks when the documents of a group come in this order of their grades."""
    place = {grade: number for number, grade in enumerate(priority)}
    others = priority.index(ELSEWHERE)
    key = np.array([place.get(grade, 0) for grade in hits.grade.tolist()])
    order = np.lexsort((key, hits.first, hits.query))
    first, query = hits.first[order], hits.query[order]
    starts = np.flatnonzero((np.diff(first, prepend=-1) != 0) | (np.diff(query, prepend=-1) != 0))
    sizes = np.diff([*starts, len(order)])
    ordinal = np.arange(len(order)) - np.repeat(starts, sizes)
    unjudged = hits.last[order] - first + 1 - np.repeat(sizes, sizes)
    rank = np.empty(len(order), np.int64)
    rank[order] = first + ordinal + np.where(key[order] > others, unjudged, 0)
    return np.where(hits.tied, rank, hits.rank)


def _random_orders(hits: Hits, samples: int, rng: np.random.Generator) -> Iterator[Ints]:
    """The ranks in this many orders of the ties, drawn at random."""
    tied = np.flatnonzero(hits.tied)
    key = np.stack([hits.query[tied], hits.first[tied]])
    group = np.cumsum((np.diff(key, prepend=-1) != 0).any(axis=0)) - 1
    judged = np.bincount(group)
    first = hits.first[tied]
    size = (hits.last[tied] - first + 1)[np.cumsum(judged) - judged]
    for _ in range(samples):
        rank = hits.rank.copy()
        rank[tied] = first + _drawn(size, judged, rng)
        yield rank


def _drawn(size: Ints, judged: Ints, rng: np.random.Generator) -> Ints:
    """(rows,) for each of some groups this many different numbers below its size, in random order."""
    drawn = np.empty(int(judged.sum()), np.int64)
    is_dense = 2 * judged > size
    row_dense = np.repeat(is_dense, judged)
    drawn[row_dense] = _shuffled(size[is_dense], judged[is_dense], rng)
    drawn[~row_dense] = _rejected(size[~is_dense], judged[~is_dense], rng)
    return drawn


def _shuffled(size: Ints, judged: Ints, rng: np.random.Generator) -> Ints:
    """(rows,) as `_drawn`: the first of all numbers below the size of each group in random order."""
    group = np.repeat(np.arange(len(size)), size)
    order = np.lexsort((rng.random(len(group)), group))
    start = np.cumsum(size) - size
    place = np.arange(len(group)) - start[group]
    return (order - start[group])[place < judged[group]]


def _rejected(size: Ints, judged: Ints, rng: np.random.Generator) -> Ints:
    """(rows,) as `_drawn`: random numbers, redrawn where they are taken, which at most half ever are.

    No step prefers one number to another, so that every choice and order is equally likely.
    """
    group = np.repeat(np.arange(len(size)), judged)
    start = (np.cumsum(size) - size)[group]
    drawn = start + rng.integers(0, size[group])
    while True:
        order = np.argsort(drawn, kind="stable")
        again = order[1:][np.diff(drawn[order]) == 0]
        if not len(again):
            return drawn - start
        drawn[again] = start[again] + rng.integers(0, size[group[again]])
