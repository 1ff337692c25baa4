"""Pairs: which entries of the gallery are right for a query and which leave its list, as judgements with places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from truerank.errors import InputError, RulesError, shown
from truerank.hits import Bools
from truerank.qrels import IGNORED, Ints, Qrels
from truerank.vectors.sides import Side

AT_ONCE = 1 << 20
"""Judgements that are in memory together, where there are more."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """The judgements of some queries.

    Attributes:
        qrels: the judgements; those graded `IGNORED` leave the query's list.
        row: (queries of the qrels,) where the scores of each stand, -1 without any.
        column: (judgements,) the entry of the gallery, -1 for one that is not there.
        extra: queries that nobody judged.
    """

    qrels: Qrels
    row: Ints
    column: Ints
    extra: tuple[bytes, ...] = ()

    @property
    def ignored(self) -> Bools:
        """(judgements,) which leave their query's list."""
        return np.isnan(self.qrels.grades)


def by_qrels(qrels: Qrels, queries: Side, gallery: Side) -> Iterator[Pairs]:
    """All judgements, found by the ids."""
    row = np.array([queries.place.get(name, -1) for name in qrels.queries], np.int64)
    docs = (qrels.doc(i) for i in range(len(qrels.grades)))
    column = np.array([gallery.place.get(doc, -1) for doc in docs], np.int64)
    judged = set(qrels.queries)
    yield Pairs(qrels, row, column, tuple(name for name in queries.ids if name not in judged))


def by_label(queries: Side, gallery: Side, *, is_self_ignored: bool = False) -> Iterator[Pairs]:
    """A part of the queries at a time: an entry is right that shows the same identity.

    One that was seen by the same camera too, or is the query itself, is ignored.
    """
    if queries.labels is None or gallery.labels is None:
        raise RulesError("there are neither labels nor qrels to tell what is right; give one of them")
    order = np.argsort(gallery.labels, kind="stable")
    in_order = gallery.labels[order]
    low = np.searchsorted(in_order, queries.labels, side="left")
    size = np.searchsorted(in_order, queries.labels, side="right") - low
    own = _own(queries, gallery) if is_self_ignored else None
    text = b"".join(gallery.ids)
    end = np.cumsum([len(name) for name in gallery.ids])
    for rows in _parts(queries, size):
        start = np.concatenate([[0], np.cumsum(size[rows])])
        column = order[np.arange(start[-1]) + np.repeat(low[rows] - start[:-1], size[rows])]
        ignored = _ignored(queries, gallery, np.repeat(rows, size[rows]), column, own)
        grades = np.where(ignored, IGNORED, 1.0)
        names = tuple(queries.ids[row] for row in rows.tolist())
        begin = (end - np.diff(end, prepend=0))[column]
        yield Pairs(Qrels(names, start, begin, end[column], text, grades, "labels"), rows, column)


def _parts(queries: Side, size: Ints) -> list[Ints]:
    """The rows of the queries by id, cut where there are enough judgements to keep at once."""
    rows = np.array(sorted(range(len(queries)), key=queries.ids.__getitem__), np.int64)
    part = (np.cumsum(size[rows]) - size[rows]) // AT_ONCE
    return np.split(rows, np.flatnonzero(np.diff(part)) + 1)


def _ignored(queries: Side, gallery: Side, row: Ints, column: Ints, own: Ints | None) -> Bools:
    """(pairs,) which show the same identity, and yet are no test of the system."""
    ignored = np.zeros(len(row), bool)
    if queries.cameras is not None and gallery.cameras is not None:
        ignored |= queries.cameras[row] == gallery.cameras[column]
    if own is not None:
        ignored |= own[row] == column
    return ignored


def _own(queries: Side, gallery: Side) -> Ints:
    """(queries,) the entry of the gallery that is the query itself, by its id; -1 without one."""
    own = np.array([gallery.place.get(name, -1) for name in queries.ids], np.int64)
    assert queries.labels is not None
    assert gallery.labels is not None
    differ = (own >= 0) & (gallery.labels[own] != queries.labels)
    if differ.any():
        name = shown(queries.ids[int(np.argmax(differ))])
        raise InputError(f"{name} has one label as a query and another in the gallery, but is to be the same entry")
    return own
