"""Pooled: what several runs return for some queries, a row for each document of a list; and fused lists of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from truerank.core.equal import CLOSE
from truerank.core.ids import Ids, ascending, stretches
from truerank.core.kernel.names import best_first, gathered, numbered_within
from truerank.core.lists import List
from truerank.core.run import Batch, Columns, Ranked
from truerank.formats.rows import text_column

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

ROWS = 1 << 17
"""Rows that are fused at once: enough for NumPy, few enough for the processor's cache."""

FEW = 7
"""Runs up to which comparing them pair by pair is the faster way to sort what they add."""


@dataclass(frozen=True, eq=False)
class Pooled:
    """What some runs return for some queries: rows by query, then run, then rank.

    Attributes:
        queries: the ids of the queries.
        query: (documents,) which query each document was returned for; not falling.
        docs: (documents) their ids.
        returned: (queries, runs) the length of each list.
        doc: (rows,) which document each row is.
        of: (rows,) which list each row stands in, of `returned` row by row.
        score: (rows,) the scores.
        rank: (rows,) from 1; 0 where a norm gave a score to a document that the run does not return.
    """

    queries: Sequence[bytes]
    query: Ints
    docs: Ids
    returned: Ints
    doc: Ints
    of: Ints
    score: Floats
    rank: Ints

    @property
    def runs(self) -> int:
        """How many runs there are."""
        return int(self.returned.shape[1])

    @cached_property
    def run(self) -> Ints:
        """(rows,) the number of the run that each row is from."""
        return self.of % self.runs

    @cached_property
    def count(self) -> Ints:
        """(documents,) how many rows each has."""
        return np.bincount(self.doc, minlength=len(self.query))

    @cached_property
    def length(self) -> Ints:
        """(rows,) how long each row's list is."""
        return self.returned.ravel()[self.of]

    @cached_property
    def candidates(self) -> Ints:
        """(queries,) how many documents any run returns for each."""
        return np.bincount(self.query, minlength=len(self.queries))

    def added(self, values: Floats) -> Floats:
        """(documents,) the sums of values of rows, to the same bits in any order of the runs.

        What adds up to 0 but for rounding is 0.
        """
        sums = self._added(values)
        return sums if (values >= 0).all() else settled(sums, self._added(np.abs(values)))

    def _added(self, values: Floats) -> Floats:
        if self.runs == 2:  # a + b is b + a
            return np.asarray(np.bincount(self.doc, values, len(self.query)), np.float64)
        return summed(self.table(values, 0.0))

    def table(self, values: Floats, otherwise: float | Floats) -> Floats:
        """(runs, documents) the values of rows, or something else where there is no row."""
        table = np.full((self.runs, len(self.query)), otherwise)
        table.ravel()[self.run * len(self.query) + self.doc] = values
        return table

    def only(self, some: Bools) -> Pooled:
        """The pool of those queries alone for which `some`, (queries,), is true."""
        docs, rows = some[self.query], some[self.of // self.runs]
        query, doc = np.cumsum(some) - 1, np.cumsum(docs) - 1
        return Pooled(
            list(compress(self.queries, some.tolist())),
            query[self.query[docs]],
            _some(self.docs, np.flatnonzero(docs)),
            self.returned[some],
            doc[self.doc[rows]],
            query[self.of[rows] // self.runs] * self.runs + self.run[rows],
            self.score[rows],
            self.rank[rows],
        )

    def per_query(self) -> Iterator[slice]:
        """The documents of each query that has some."""
        begins = np.flatnonzero(np.diff(self.query, prepend=-1)).tolist()
        return map(slice, begins, [*begins[1:], len(self.query)])


def settled(values: Floats, sizes: Floats) -> Floats:
    """The values, 0 where rounding alone keeps them from it.

    Args:
        sizes: of what was added and taken away; infinite where that says nothing.
    """
    return np.where((np.abs(values) <= CLOSE * sizes) & (sizes < np.inf), 0.0, values)


def of_runs(pool: Pooled, values: Sequence[float]) -> Floats:
    """(rows,) the value of each row's run."""
    return np.array(values, np.float64)[pool.run]


def summed(terms: Floats) -> Floats:
    """(documents,) the sums of (runs, documents), the lowest first: the order of the runs changes no bit."""
    rows: list[Floats] = list(terms)
    if len(rows) > FEW:
        rows = list(np.sort(np.ascontiguousarray(terms.T)).T)
    else:
        for last in range(len(rows) - 1, 0, -1):  # column by column NumPy sorts few numbers slowly
            for i in range(last):
                rows[i], rows[i + 1] = np.minimum(rows[i], rows[i + 1]), np.maximum(rows[i], rows[i + 1])
    total = np.zeros(terms.shape[1])
    for row in rows:
        total += row
    return total


def pooled(queries: Iterable[tuple[bytes, list[List]]], rows: int = ROWS) -> Iterator[Pooled]:
    """Queries with the list of each run, as many at once as have so many rows."""
    names: list[bytes] = []
    waiting: list[list[List]] = []
    size = 0
    for query, each in queries:
        names.append(query)
        waiting.append(each)
        size += sum(map(len, each))
        if size >= rows:
            yield _pooled(names, waiting)
            names, waiting, size = [], [], 0
    if names:
        yield _pooled(names, waiting)


def _pooled(queries: Sequence[bytes], lists: Sequence[Sequence[List]]) -> Pooled:
    flat = [one for each in lists for one in each]
    runs = len(lists[0])
    size = np.array([len(one) for one in flat])
    rank, of = stretches(np.ones_like(size), size)
    query = of // runs
    letters = np.array([len(one.docs.text) for one in flat])
    ends = np.concatenate([one.docs.ends for one in flat]) + np.repeat(np.cumsum(letters) - letters, size)
    text = b"".join([one.docs.text for one in flat])
    first, doc = numbered_within(query, text, ends)
    score = np.concatenate([one.scores for one in flat])
    return Pooled(
        queries, query[first], _some(Ids(ends, text), first), size.reshape(-1, runs), doc, of, score, rank
    )


def _some(docs: Ids, rows: Ints) -> Ids:
    """The ids of these rows."""
    return Ids(*gathered(docs.text, docs.ends, rows))


def in_order(pool: Pooled, scores: Floats, ties: str, close: float) -> tuple[Ints, Floats]:
    """The documents, each query's together and best first, equal scores in the order of the rule; and their scores.

    NumPy sorts numbers faster than anything that may look at ids, which only equal scores need.

    Args:
        close: scores that lie no further apart, as a part of their size, are equal, and become the highest of them.
    """
    rows = np.argsort(-scores)
    rows = rows[ascending(pool.query[rows], len(pool.queries))]
    query, score = pool.query[rows], scores[rows]
    with np.errstate(over="ignore"):
        is_near = score[:-1] - score[1:] <= close * np.abs(score[:-1])
    same = np.concatenate([[False], (query[1:] == query[:-1]) & is_near, [False]])
    tied = np.flatnonzero(same[1:] | same[:-1])
    if len(tied):
        group = np.cumsum(~same[:-1])[tied]
        score[tied] = score[~same[:-1]][group - 1]
        equal = rows[tied][np.lexsort((rows[tied], group))]
        docs = _some(pool.docs, equal)
        rows[tied] = equal[best_first(group, score[tied], docs.text, docs.ends, ties)]
    return rows, score


def ranked(pool: Pooled, scores: Floats, ties: str, depth: int | None, *, close: float = CLOSE) -> Iterator[Batch]:
    """The fused lists, best first, equal scores in the order of the rule; at most so many documents of each.

    Args:
        scores: (documents,) the fused scores.
        close: what lies no further apart, as a part of its size, is equal: sums that only rounding tells apart.
    """
    rows, score = in_order(pool, scores, ties, close)
    if depth is not None:
        first = np.cumsum(pool.candidates) - pool.candidates
        kept = np.arange(len(rows)) - first[pool.query] < depth
        rows, score = rows[kept], score[kept]
    if len(rows):
        query = pool.query[rows]
        begins = np.flatnonzero(np.diff(query, prepend=-1))
        names = [pool.queries[number] for number in query[begins].tolist()]
        docs = _some(pool.docs, rows)
        ends = np.concatenate([[0], docs.ends])
        yield Columns(*text_column(names), ends, docs.text, score, runs=np.append(begins, len(rows)))
    yield from (Ranked(pool.queries[query], (), ()) for query in np.flatnonzero(pool.candidates == 0).tolist())
