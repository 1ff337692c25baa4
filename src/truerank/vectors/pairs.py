"""Pairs: which entries of the gallery are right for a query and which leave its list, as judgements with places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from truerank.core.errors import InputError, printable
from truerank.core.hits import Bools
from truerank.core.ids import chunks, starts_of, stretches
from truerank.core.mappings import IGNORED
from truerank.core.qrels import Floats, Ints, Qrels
from truerank.formats.rows import text_column
from truerank.vectors.sides import Side

AT_ONCE = 1 << 20
"""Judgements that are in memory together, where there are more."""


@dataclass(frozen=True, eq=False)
class JudgedPairs:
    """The judgements of some queries.

    Attributes:
        qrels: the judgements; those graded `IGNORED` leave the query's list.
        row: (queries of the qrels,) where the scores of each stand, -1 without any.
        column: (judgements,) the entry of the gallery, -1 for one that is not there.
        extra: queries that are unjudged.
        own_camera: queries whose right entries, but for themselves, were all seen by their own camera.
    """

    qrels: Qrels
    row: Ints
    column: Ints
    extra: tuple[bytes, ...] = ()
    own_camera: int = 0

    @property
    def ignored(self) -> Bools:
        """(judgements,) which leave their query's list."""
        return np.isnan(self.qrels.grades)


def by_qrels(qrels: Qrels, queries: Side, gallery: Side) -> Iterator[JudgedPairs]:
    """All judgements, found by the ids."""
    row = np.array([queries.place.get(name, -1) for name in qrels.queries], np.int64)
    column = np.array([gallery.place.get(doc, -1) for doc in qrels.docs()], np.int64)
    judged = set(qrels.queries)
    yield JudgedPairs(qrels, row, column, tuple(name for name in queries.ids if name not in judged))


@dataclass(frozen=True)
class Ignored:
    """Which right entries leave a query's list before there are ranks: its own camera's, or the query itself."""

    camera: bool = True
    itself: bool = False


def by_label(queries: Side, gallery: Side, leave: Ignored) -> Iterator[JudgedPairs]:
    """A part of the queries at a time: an entry is right that shows the same identity."""
    assert queries.labels is not None
    assert gallery.labels is not None
    order = np.argsort(gallery.labels, kind="stable")
    in_order = gallery.labels[order]
    low = np.searchsorted(in_order, queries.labels, side="left")
    size = np.searchsorted(in_order, queries.labels, side="right") - low
    judge = _Judge(queries, gallery, leave)
    for rows in _parts(queries, size):
        column = order[stretches(low[rows], size[rows])[0]]
        yield judge.pairs(rows, starts_of(size[rows]), column, np.ones(len(column)))


def by_classes(queries: Side, gallery: Side, leave: Ignored) -> Iterator[JudgedPairs]:
    """A part of the queries at a time: an entry is right that shares a label; its grade is how many it shares."""
    assert queries.classes is not None
    assert gallery.classes is not None
    judge, of_queries, of_gallery = _Judge(queries, gallery, leave), queries.classes, gallery.classes

    def pairs(rows: Ints, highest: float = 0.0) -> JudgedPairs:
        shared = of_queries[rows] @ of_gallery.T  # whole numbers, exact in 32 bits
        place, column = np.nonzero((shared > 0) | judge.is_own(rows))
        start = np.searchsorted(place, np.arange(len(rows) + 1))
        return judge.pairs(rows, start, column, shared[place, column].astype(np.float64), highest)

    parts = _parts(queries, np.full(len(queries), len(gallery)))
    highest = max(pairs(rows).qrels.max_grade for rows in parts) if len(parts) > 1 else 0.0
    for rows in parts:
        yield pairs(rows, highest)


class _Judge:
    """What is the same for all parts of the queries."""

    def __init__(self, queries: Side, gallery: Side, leave: Ignored):
        self._queries, self._gallery, self._leave = queries, gallery, leave
        self._own = _own(queries, gallery) if leave.itself else None
        self._ends, self._text = text_column(gallery.ids)

    def pairs(self, rows: Ints, start: Ints, column: Ints, grades: Floats, highest: float = 0.0) -> JudgedPairs:
        """The judgements of these queries; query i's are start[i] to start[i + 1].

        Args:
            highest: the highest grade of all queries, if these are only a part of them.
        """
        place, row = np.repeat(np.arange(len(rows)), np.diff(start)), np.repeat(rows, np.diff(start))
        own, seen = self._is_itself(row, column), self._is_seen(row, column)
        names = tuple(self._queries.ids[row] for row in rows.tolist())
        grades = np.where(own | seen, IGNORED, grades)
        ids = self._ends[column], self._ends[column + 1], self._text
        judged = Qrels(names, start, *ids, grades, "labels", highest=highest)
        only_seen = np.zeros(len(rows), bool)
        only_seen[place[seen & ~own]] = True
        only_seen[place[~(seen | own)]] = False
        return JudgedPairs(judged, rows, column, own_camera=int(only_seen.sum()))

    def is_own(self, rows: Ints) -> Bools:
        """(rows, gallery) which entries are the query itself and leave its list."""
        own = np.zeros((len(rows), len(self._gallery)), bool)
        if self._own is not None:
            there = np.flatnonzero(self._own[rows] >= 0)
            own[there, self._own[rows[there]]] = True
        return own

    def _is_seen(self, row: Ints, column: Ints) -> Bools:
        """(pairs,) which the query's own camera saw, so that they are no test of the system."""
        one, other = self._queries.cameras, self._gallery.cameras
        if not self._leave.camera or one is None or other is None:
            return np.zeros(len(row), bool)
        return np.equal(one[row], other[column])

    def _is_itself(self, row: Ints, column: Ints) -> Bools:
        """(pairs,) which are the query itself, where it leaves its list."""
        return np.zeros(len(row), bool) if self._own is None else self._own[row] == column


def _parts(queries: Side, size: Ints) -> list[Ints]:
    """The rows of the queries by id, cut where there are enough judgements to keep at once."""
    rows = np.array(sorted(range(len(queries)), key=queries.ids.__getitem__), np.int64)
    return [rows[part] for part in chunks(size[rows], AT_ONCE)]


def _own(queries: Side, gallery: Side) -> Ints:
    """(queries,) the entry of the gallery that is the query itself, by its id; -1 without one."""
    own = np.array([gallery.place.get(name, -1) for name in queries.ids], np.int64)
    if queries.labels is not None and gallery.labels is not None:
        differ = (own >= 0) & (gallery.labels[own] != queries.labels)
    else:
        assert queries.classes is not None
        assert gallery.classes is not None
        differ = (own >= 0) & (gallery.classes[own] != queries.classes).any(axis=1)
    if differ.any():
        name = printable(queries.ids[int(np.argmax(differ))])
        raise InputError(
            "{name} has one label as a query and another in the gallery, though one id means one entry", name=name
        )
    return own
