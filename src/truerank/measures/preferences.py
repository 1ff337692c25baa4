"""Preferences: of two documents with different grades the better one should stand first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truerank.measures.sums import Ints


@dataclass(frozen=True, eq=False)
class Pairs:
    """How many pairs of documents with different grades there are, (lists,) each.

    Attributes:
        kept, returned: pairs of returned documents: those whose better one stands first, and all.
        implied, halved: pairs of which one was returned: those whose better one was, and all.
        unseen: pairs of which none was returned.
    """

    kept: Ints
    returned: Ints
    implied: Ints
    halved: Ints
    unseen: Ints


def pairs_of(found: tuple[Ints, Ints], unseen: tuple[Ints, Ints], lists: int) -> Pairs:
    """The pairs of lists, out of rows of (list, class), where class 0 is better than class 1.

    Args:
        found: of the returned documents, ordered by list, then rank.
        unseen: of those that were not, in any order.
        lists: how many there are.
    """
    classes = int(max(found[1].max(initial=0), unseen[1].max(initial=0))) + 1
    keys = [one * classes + cls for one, cls in (found, unseen)]
    cells, cell = np.unique(np.concatenate(keys), return_inverse=True)
    above = np.bincount(cell[: len(keys[0])], minlength=len(cells))
    below = np.bincount(cell[len(keys[0]) :], minlength=len(cells))
    owner = cells // classes

    def total(values: Ints) -> Ints:
        return np.bincount(owner, values, lists).astype(np.int64)

    seen, lost = total(above), total(below)
    worse = lost[owner] - (np.cumsum(below) - (np.cumsum(lost) - lost)[owner])
    return Pairs(
        kept=in_order(*found, lists),
        returned=(seen * seen - total(above * above)) // 2,
        implied=total(above * worse),
        halved=seen * lost - total(above * below),
        unseen=(lost * lost - total(below * below)) // 2,
    )


def in_order(owner: Ints, cls: Ints, lists: int) -> Ints:
    """(lists,) how many pairs of rows of one list have the lower class first.

    Two classes differ first in one bit. So, bit by bit: among rows that agree in all bits above, how many with a 0
    stand before each one with a 1.
    """
    kept = np.zeros(lists, np.int64)
    for bit in reversed(range(int(cls.max(initial=0)).bit_length())):
        above = owner * ((int(cls.max()) >> (bit + 1)) + 1) + (cls >> (bit + 1))
        order = np.argsort(above, kind="stable")
        is_zero = (cls[order] >> bit) & 1 == 0
        zeros = np.cumsum(is_zero) - is_zero
        starts = np.diff(above[order], prepend=-1) != 0
        before = zeros - zeros[starts][np.cumsum(starts) - 1]
        kept += np.bincount(owner[order], np.where(is_zero, 0, before), lists).astype(np.int64)
    return kept
