"""Ranks without sorting: how many scores of a row are better than a judged one, and how many equal it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from truerank.core.ids import ascending
from truerank.core.kernel import counting
from truerank.core.qrels import Ints

Block = NDArray[np.float32] | NDArray[np.float64]
"""(queries, gallery) scores, more is better; never NaN, and finite until something is ignored."""


class Placed(NamedTuple):
    """Where judged entries stand; one row per pair.

    Attributes:
        score: the score of each pair.
        better: how many are better.
        tied: how many are equal, themselves included.
        before: how many of these stand further left.
    """

    score: Block
    better: Ints
    tied: Ints
    before: Ints


def find(block: Block, row: Ints, column: Ints, ignored: tuple[Ints, Ints]) -> Placed:
    """Where the entries (row, column) stand when the ignored ones (rows, columns) are gone; rows ascending."""
    block[ignored] = -np.inf
    score = block[row, column]
    better, tied = count_better(block, np.searchsorted(row, np.arange(len(block) + 1)), score)
    before = np.zeros_like(tied)
    again = np.flatnonzero(tied > 1)
    before[again] = counting.count_before(np.ascontiguousarray(block), row[again], column[again])
    return Placed(score, better, tied, before)


def count_better(block: Block, start: Ints, score: Block) -> tuple[Ints, Ints]:
    """(pairs,) how many scores of its row are better than each, and how many equal it.

    Args:
        start: (rows + 1,) the pairs of row r are start[r] to start[r + 1].
    """
    order = _ascending(score, np.repeat(np.arange(len(start) - 1), np.diff(start)))
    better, tied = counts = np.empty((2, len(score)), np.int64)
    counts[:, order] = counting.count_better(np.ascontiguousarray(block), start, score[order])
    return better, tied


def _ascending(own: Block, row: Ints) -> Ints:
    """(pairs,) the pairs row by row, the lowest score first; equal ones, which are counted alike, in any order."""
    by_score = np.argsort(own)  # by NumPy's fastest, which keeps no order
    order: Ints = by_score[ascending(row[by_score], int(row.max(initial=0)))]
    return order
