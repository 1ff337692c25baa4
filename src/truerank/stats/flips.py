"""Sums of differences with random signs: what would be seen if it did not matter which system is which."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from truerank.stats.bootstrap import at_once
from truerank.stats.values import Floats

WORD = 64

ALL_FLIPS_UP_TO = 12
"""Of this many rows or fewer every pattern of signs is counted."""


def flipped_sums(grid: Floats, samples: int, seed: int) -> Iterator[Floats]:
    """Blocks of (rows, c) sums of the rows under random signs, the same signs for every column.

    Bit q of a row of `default_rng(seed).integers(1 << 64, …)` is the sign of query q in one sample. The sums do not
    depend on threads or on the size of blocks.

    Args:
        grid: (n, c) whole numbers, by `on_grid`.
    """
    n = len(grid)
    rng = np.random.default_rng(seed)
    rows = at_once(max(grid.shape))
    total = grid.sum(axis=0)
    for start in range(0, samples, rows):
        size = (min(rows, samples - start), -(-n // WORD))
        words = rng.integers(0, 1 << WORD, size, dtype=np.uint64)
        bits = np.unpackbits(words.astype("<u8", copy=False).view(np.uint8), axis=1, count=n, bitorder="little")
        yield 2 * (bits.astype(np.float64) @ grid) - total


def all_flipped_sums(grid: Floats) -> Floats:
    """(2ⁿ, c) the sums of the rows under every pattern of signs."""
    sums = np.zeros((1, grid.shape[1]))
    for row in grid:
        sums = np.concatenate([sums + row, sums - row])
    return sums


def share_at_least(grid: Floats, least: float) -> float:
    """The share of all sign patterns under which the sum is at least so far from 0.

    The patterns of either half are counted against each other, so that 2³² patterns take two lists of 2¹⁶.

    Args:
        grid: (n,) whole numbers.
        least: above 0.
    """
    middle = len(grid) // 2
    left, right = (all_flipped_sums(half[:, None])[:, 0] for half in (grid[:middle], grid[middle:]))
    above = len(right) - np.searchsorted(np.sort(right), least - left)
    return 2.0 * int(above.sum()) / 2.0 ** len(grid)  # as many are as far below 0
