"""Preferences: of two documents with different grades the better one should stand first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from truerank.core.hits import Hits
from truerank.core.messages import message
from truerank.measures.registry import measure
from truerank.measures.sums import Ints
from truerank.measures.terms import Quantity, Terms, Words, per_row


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


def pairs_of(returned: tuple[Ints, Ints], unseen: tuple[Ints, Ints], lists: int) -> Pairs:
    """The pairs of lists, out of rows of (list, class), where class 0 is better than class 1.

    Args:
        returned: of the returned documents, ordered by list, then rank.
        unseen: of those that were not, in any order.
        lists: how many there are.
    """
    classes = int(max(returned[1].max(initial=0), unseen[1].max(initial=0))) + 1
    keys = [one * classes + cls for one, cls in (returned, unseen)]
    cells, cell = np.unique(np.concatenate(keys), return_inverse=True)
    above = np.bincount(cell[: len(keys[0])], minlength=len(cells))
    below = np.bincount(cell[len(keys[0]) :], minlength=len(cells))
    owner = cells // classes

    def total(values: Ints) -> Ints:
        return np.bincount(owner, values, lists).astype(np.int64)

    seen, lost = total(above), total(below)
    worse = lost[owner] - (np.cumsum(below) - (np.cumsum(lost) - lost)[owner])
    return Pairs(
        kept=np.bincount(returned[0], outranked(*returned), lists).astype(np.int64),
        returned=(seen * seen - total(above * above)) // 2,
        implied=total(above * worse),
        halved=seen * lost - total(above * below),
        unseen=(lost * lost - total(below * below)) // 2,
    )


def outranked(owner: Ints, cls: Ints) -> Ints:
    """(rows,) how many later rows of the same list have a higher class; rows of a list stand together.

    Two classes differ first in one bit. So, bit by bit: among rows that agree in all bits above, how many with a 1
    stand behind each one with a 0.
    """
    behind = np.zeros(len(owner), np.int64)
    highest = int(cls.max(initial=0))
    for bit in reversed(range(highest.bit_length())):
        block = owner * ((highest >> (bit + 1)) + 1) + (cls >> (bit + 1))
        order = np.argsort(block, kind="stable")
        is_one = (cls[order] >> bit) & 1 == 1
        ones = np.cumsum(is_one)
        ends = np.flatnonzero(np.diff(block[order], append=-1) != 0)
        end = np.repeat(ends, np.diff(ends, prepend=-1))
        behind[order] += np.where(is_one, 0, ones[end] - ones)
    return behind


@measure(
    "Prefs",
    "prefs_simp",
    prefs_simp_ret={"pairs": "returned"},
    prefs_simp_imp={"pairs": "seen"},
    formula="pairs of judged documents of different grades whose better one comes first, or alone / all such pairs",
    source="Carterette, Bennett, Chickering and Dumais, Here or there, ECIR 2008; trec_eval prefs_simp",
    meanings={
        "pairs=seen": "The share of pairs of different grades that are in order, of those not both unreturned.",
        "pairs=returned": "The share of pairs of different grades that are in order, of those both returned.",
    },
    sees_judged=True,
    monotone="ordered",
)
def preferences(hits: Hits, *, pairs: Literal["judged", "seen", "returned"] = "judged") -> Terms:
    """The share of pairs of judged documents with different grades that are in order: the better one comes first.

    An unreturned document stands behind all that were returned; two of them are not in order.
    `pairs="seen"` leaves such pairs out, `pairs="returned"` all unreturned documents.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 2, "b": 1, "c": 0, "d": 1}}, {"q": ["b", "a", "c"]}, "Prefs").mean
    {'Prefs': 0.6}
    """
    judged = hits.where(hits.grade >= 0)
    query, grade = hits.judgements.query, hits.judgements.grade
    query, grade = query[grade >= 0], grade[grade >= 0]
    classes, every = np.unique(-np.concatenate([judged.grade, grade]), return_inverse=True)
    returned = judged.query, every[: len(judged)]
    unseen = _left(returned, (query, every[len(judged) :]), len(classes))
    counts = pairs_of(returned, unseen, len(hits.queries))
    behind = outranked(*returned)
    lost = np.zeros(len(judged), np.int64) if pairs == "returned" else _worse(returned, unseen, len(classes))
    total = counts.returned
    if pairs != "returned":
        total = total + counts.halved + (counts.unseen if pairs == "judged" else 0)

    def words() -> Words:
        how = per_row("{} + {}", behind, lost)
        over = Quantity("N", message("pairs of different grades"), total)
        return Words(message("worse behind it + worse unreturned"), how, over)

    return Terms(judged, behind + lost, total, words)


def _left(returned: tuple[Ints, Ints], every: tuple[Ints, Ints], classes: int) -> tuple[Ints, Ints]:
    """The rows of (list, class) that are left of all when those that were returned are taken away."""
    keys, number = np.unique(every[0] * classes + every[1], return_counts=True)
    taken = np.searchsorted(keys, returned[0] * classes + returned[1])
    left = np.repeat(keys, np.maximum(number - np.bincount(taken, minlength=len(keys)), 0))
    return left // classes, left % classes


def _worse(returned: tuple[Ints, Ints], unseen: tuple[Ints, Ints], classes: int) -> Ints:
    """(rows,) how many of the rows that were not returned are of the same list and a higher class."""
    keys = np.sort(unseen[0] * classes + unseen[1])
    return np.searchsorted(keys, (returned[0] + 1) * classes) - np.searchsorted(
        keys, returned[0] * classes + returned[1], side="right"
    )
