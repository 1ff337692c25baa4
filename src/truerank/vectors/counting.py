"""Ranks without sorting: how many scores of a row are better than a judged one, and how many equal it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from truerank.qrels import Ints

Block = NDArray[np.float32] | NDArray[np.float64]
"""(queries, gallery) scores, more is better; never NaN, and finite until something is ignored."""

SORTING = 50
"""Sorting costs about so many times what comparing each score with one other does."""


class Found(NamedTuple):
    """Where judged entries stand; a row a pair.

    Attributes:
        score: theirs.
        better: how many are better.
        tied: how many are equal, themselves included.
        before: how many of these stand further left.
    """

    score: Block
    better: Ints
    tied: Ints
    before: Ints


def find(block: Any, row: Ints, column: Ints, ignored: tuple[Ints, Ints]) -> Found:
    """Where the entries (row, column) stand when the ignored ones (rows, columns) are gone; rows ascending."""
    if not isinstance(block, np.ndarray):
        from truerank.vectors import tensors

        return tensors.find(block, row, column, ignored)
    block[ignored] = -np.inf
    score = block[row, column]
    better, tied = count_better(block, np.searchsorted(row, np.arange(len(block) + 1)), score)
    before = np.zeros_like(tied)
    for i in np.flatnonzero(tied > 1).tolist():
        before[i] = np.count_nonzero(block[row[i], : column[i]] == score[i])
    return Found(score, better, tied, before)


def count_better(block: Block, start: Ints, score: Block) -> tuple[Ints, Ints]:
    """(pairs,) how many scores of its row are better than each, and how many equal it.

    Args:
        start: (rows + 1,) the pairs of row r are start[r] to start[r + 1].
    """
    better, tied = np.empty(len(score), np.int64), np.empty(len(score), np.int64)
    for row, first, end in zip(block, start[:-1].tolist(), start[1:].tolist(), strict=True):
        if first < end:
            better[first:end], tied[first:end] = _count(row, score[first:end])
    return better, tied


def _count(row: Block, score: Block) -> tuple[Ints, Ints]:
    if len(score) == 1:
        return _by_comparing(row, score)
    near = row >= score.min()  # in a good system few
    if len(score) * len(row) < SORTING * np.count_nonzero(near):
        return _by_comparing(row, score)
    near = np.sort(row.compress(near))
    left, right = near.searchsorted(score, "left"), near.searchsorted(score, "right")
    return len(near) - right, right - left


def _by_comparing(row: Block, score: Block) -> tuple[Ints, Ints]:
    better = [np.count_nonzero(row > one) for one in score]
    tied = [np.count_nonzero(row == one) for one in score]
    return np.array(better, np.int64), np.array(tied, np.int64)
