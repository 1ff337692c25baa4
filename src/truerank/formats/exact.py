"""Exact nearest neighbours as judgements: which neighbours of a list count as right, with which tolerance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank.core.errors import InputError
from truerank.core.kernel.scanning import as_bytes
from truerank.core.messages import message
from truerank.core.qrels import Floats, Qrels
from truerank.core.schema import POSITIVE, number, optional
from truerank.formats.rows import Bools, is_id, qrels_of_lists

Array = NDArray[Any]


ROUNDED = 1e-5
"""How far two distances may be out of order by rounding in 32 bits, as a share of the largest in the row."""

BELOW = 1e-6
"""How far 1 - cosine of equal vectors may lie below 0, in 32 bits."""

NOT_NEGATIVE = number(message("a number from 0 on"), 0)


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The neighbours of each query, one row per query, the nearest first.

    Attributes:
        ids: (queries, n) the ids of documents; -1 where a row is short.
        far: (queries, n) the distance of each, the lower the nearer; similarities are negated. None where that is
            not known.
        queries: the ids of the queries; None: the numbers of the rows, from 0.
        grades: (queries, n) the grades; None where all are 1.
        name: where they came from.
        vectors: the vectors of the queries and of the documents, where the source has them; else None.
        similar: whether `far` holds negated similarities.
    """

    ids: Array
    far: Floats | None = None
    queries: Sequence[Any] | None = None
    grades: Array | None = None
    name: str = "neighbours"
    vectors: tuple[Array, Array] | None = None
    similar: bool = False

    @property
    def names(self) -> list[bytes]:
        """The queries' ids."""
        return [as_bytes(query) for query in (range(len(self.ids)) if self.queries is None else self.queries)]

    def qrels(self, right: Bools, name: str | None = None) -> Qrels:
        """Judgements from the neighbours that are right.

        Args:
            right: (queries, n) whether each is right.

        Raises:
            InputError: a document occurs twice in a row.
        """
        ids = self.ids[right]
        grades = np.ones(len(ids)) if self.grades is None else self.grades[right].astype(np.float64)
        return qrels_of_lists(self.names, right.sum(axis=1), ids, grades, name or self.name)


@dataclass(frozen=True)
class Tolerance:
    """Which neighbours of a list are right: the first k, and those that are no farther than the k-th.

    Attributes:
        k: how many neighbours are right; None: all that are listed.
        tie: documents whose distances differ from the k-th one's by less than this are right too (big-ann: 1e-6);
            0: those at an equal distance; None: only the first k are right.
        epsilon: documents are right up to the distance of the k-th plus this (ann-benchmarks: 1e-3).
        relative: whether epsilon is a share of that distance.
    """

    k: int | None = None
    tie: float | None = 0.0
    epsilon: float = 0.0
    relative: bool = False

    def __post_init__(self) -> None:
        if self.k is not None:
            POSITIVE.checked("k", self.k, InputError)
        optional(NOT_NEGATIVE).checked("tie", self.tie, InputError)
        NOT_NEGATIVE.checked("epsilon", self.epsilon, InputError)
        if self.k is None and (self.tie or self.epsilon):
            raise InputError("tie and epsilon are about the k-th neighbour: say which, k=10")

    @property
    def is_plain(self) -> bool:
        """Whether the first k are right, however far others are."""
        return self.tie is None and not self.epsilon

    def right(self, neighbours: Neighbours) -> Bools:
        """(queries, n) whether each neighbour is right.

        Raises:
            InputError: fewer than k are listed, a row is not best first, a tolerance is asked for where distances
                are not known, or a share of them where these are similarities.
        """
        listed, k = is_id(neighbours.ids), self.k
        if k is None:
            return listed
        if k > neighbours.ids.shape[1]:
            raise InputError(
                "k is {k}, but only {n} neighbours of each query are listed",
                neighbours.name,
                k=k,
                n=neighbours.ids.shape[1],
            )
        first = np.arange(neighbours.ids.shape[1]) < k
        if neighbours.far is None and (self.tie or self.epsilon):
            raise InputError("tie and epsilon need distances, and there are only ids", neighbours.name)
        if neighbours.far is not None:
            _check_order(neighbours, neighbours.far)
            if self.relative:
                _check_sign(neighbours, neighbours.far)
        if neighbours.far is None or self.is_plain:
            return listed & first
        return listed & (first | self.near(neighbours.far, self.kth(neighbours)))

    def kth(self, neighbours: Neighbours) -> Floats:
        """(queries, 1) the distance of the k-th neighbour; -infinity where there are fewer."""
        assert neighbours.far is not None
        assert self.k is not None
        column = slice(self.k - 1, self.k)
        return np.where(is_id(neighbours.ids[:, column]), neighbours.far[:, column], -np.inf)

    def near(self, far: Floats, kth: Floats) -> Bools:
        """Whether each is no farther than the k-th neighbour, or tied with it; never where `tie` is None."""
        if self.is_plain:
            return np.zeros(far.shape, bool)
        limit = kth * (1 + self.epsilon) if self.relative else kth + self.epsilon
        with np.errstate(invalid="ignore"):
            return np.asarray((far <= limit) | (np.abs(far - kth) < (self.tie or 0.0)), bool)


def _check_order(neighbours: Neighbours, far: Floats) -> None:
    """Raise where a row is not best first; rounding may put two distances out of order."""
    here = is_id(neighbours.ids) & np.isfinite(far)
    known = np.where(here, far, 0)
    noise, steps = ROUNDED * np.abs(known).max(axis=1, keepdims=True), np.diff(known, axis=1)
    pairs = here[:, 1:] & here[:, :-1]
    falls, rises = pairs & (steps < -noise), pairs & (steps > noise)
    if not falls.any():
        return
    is_rising, is_falling = rises.any(axis=1), falls.any(axis=1)
    are_turned = (is_falling & ~is_rising).sum() > (is_rising & ~is_falling).sum() and is_rising.any()
    wrong = rises if are_turned else falls
    row = int(wrong.any(axis=1).argmax())
    column = int(wrong[row].argmax())
    sign = -1 if neighbours.similar else 1
    raise InputError(
        "row {row:,} is not best first, as exact neighbours are: {a:g} stands before {b:g}; distances rise along "
        "every row, and similarities fall",
        neighbours.name,
        row=row + 1,
        a=sign * float(far[row, column]),
        b=sign * float(far[row, column + 1]),
    )


def _check_sign(neighbours: Neighbours, far: Floats) -> None:
    """Raise where these are no distances, so that a share of them means nothing."""
    if neighbours.similar or (is_id(neighbours.ids) & (far < -BELOW)).any():
        raise InputError("a relative epsilon is of distances from 0 on: these are similarities, or below 0")
