"""What scores queries against a gallery, a block of queries at a time, whatever library computes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from truerank.core.qrels import Floats, Ints

Scorer = Callable[[Ints], Any]
"""The scores of the queries in these rows: a new block, or one that the next call overwrites."""

PRODUCT = 1 << 26
"""Bytes of a block of products: many rows, or the product wastes its time on the gallery."""

READY = 1 << 22
"""Bytes of a block of a ready matrix: few, so that they stay in the cache."""


@dataclass(frozen=True, eq=False)
class BlockSource:
    """What scores every query against every entry of the gallery.

    Attributes:
        shape: (queries, gallery).
        name: what it computes, and in which precision.
        size: bytes of a score.
        most: bytes of a block.
        over: a scorer over these entries of the gallery, in this order; over all for None.
        final: the scores of some rows as they are told to people.
        scorers: how many may work at the same time; a product uses all processors by itself.
    """

    shape: tuple[int, int]
    name: str
    size: int
    most: int
    over: Callable[[Ints | None], Scorer]
    final: Callable[[Any, Ints], Floats] = lambda score, rows: np.asarray(score, np.float64)
    scorers: int = 1
