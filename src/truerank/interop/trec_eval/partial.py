"""Partial orders: groups with several subgroups, whose preferences imply others by transitivity.

A group's preferences are a matrix over the documents that are judged for its topic, in the order of their places.
Topics of about the same size are processed together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truerank.core.hits import Bools
from truerank.core.ids import chunks, stretches
from truerank.core.qrels import Ints
from truerank.interop.trec_eval.contradictions import refuse_circle
from truerank.interop.trec_eval.ranked import Ranked
from truerank.measures.preferences import Pairs

CELLS = 1 << 22
"""Of the matrices that are in memory at once, where not a single topic needs more."""

Matrices = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Batch:
    """Some topics with their groups.

    Attributes:
        topics: their numbers.
        groups: the groups of the matrices, by topic.
        times: (groups, documents, documents) how often a group prefers one document to another.
    """

    topics: Ints
    groups: Ints
    times: Matrices

    @property
    def size(self) -> int:
        """The size of the matrices in documents; topics may have fewer."""
        return int(self.times.shape[1])

    def summed(self, topic: Ints) -> Matrices:
        """(topics, documents, documents) how often a topic's groups together prefer one document to another.

        Args:
            topic: (groups of the run,) the topic of each.
        """
        running = np.cumsum(self.times, axis=0, dtype=np.int32)
        last = np.searchsorted(topic[self.groups], self.topics, side="right") - 1
        sums = running[last]
        sums[1:] -= running[last[:-1]]
        return sums


def batches(ranked: Ranked, chosen: Bools) -> Iterator[Batch]:
    """The matrices of the chosen groups, with groups of a topic together.

    Raises:
        InputError: a group contradicts itself.
    """
    topic = ranked.groups.topic
    worse = _worse(ranked)
    many = np.bincount(topic[chosen], minlength=len(ranked.judged))
    width = np.array([int(n - 1).bit_length() for n in ranked.judged.tolist()], np.int64)
    for bits in np.flatnonzero(np.bincount(width[many > 0])).tolist():  # np.unique imports masked arrays
        topics = np.flatnonzero((width == bits) & (many > 0))
        size = int(ranked.judged[topics].max())
        step = max(1, CELLS // (size * size * int(many[topics].max())))
        for start in range(0, len(topics), step):
            some = topics[start : start + step]
            groups = np.flatnonzero(chosen & np.isin(topic, some))
            times = _times(ranked, worse, groups, size)
            partial = np.flatnonzero(ranked.is_partial[groups])
            times[partial] = _followed(ranked, groups[partial], times[partial] > 0)
            yield Batch(some, groups, times)


def _worse(ranked: Ranked) -> tuple[Ints, Ints]:
    """(rows,) where the rows with lower grades in the same subgroup begin, and how many there are."""
    rows = np.arange(len(ranked.part))
    is_new = np.diff(ranked.part, prepend=-1) != 0
    is_lower = is_new | (np.diff(ranked.cls, prepend=-1) != 0)
    end, lower = (_next(starts, rows) for starts in (is_new, is_lower))
    return lower, end - lower


def _next(starts: Bools, rows: Ints) -> Ints:
    """(rows,) the next start after each row."""
    first = np.append(rows[starts], len(rows))
    return first[np.cumsum(starts)]


def _times(ranked: Ranked, worse: tuple[Ints, Ints], groups: Ints, size: int) -> Matrices:
    """(groups, size, size) how often the subgroups of each group put one document above another."""
    local, rows = ranked.among(groups)
    rows = rows[worse[1][rows] > 0]
    times = np.zeros(len(groups) * size * size, np.int32)
    for some in (rows[part] for part in chunks(worse[1][rows], CELLS)):
        lower, place = stretches(worse[0][some], worse[1][some])
        better = some[place]
        cell = (local[ranked.group[better]] * size + ranked.place[better]) * size + ranked.place[lower]
        times += np.bincount(cell, minlength=len(times)).astype(np.int32)
    return times.reshape(len(groups), size, size)


def _followed(ranked: Ranked, groups: Ints, direct: Bools) -> Bools:
    """The preferences with all that follow from them; raise where these form a circle."""
    alone = ~np.eye(direct.shape[1], dtype=bool)
    preferred = closed(direct) & alone
    circles = (preferred & preferred.transpose(0, 2, 1)).any((1, 2))
    if circles.any():
        first = int(np.argmax(circles))
        refuse_circle(ranked, int(groups[first]), direct[first] & alone)
    return preferred


def closed(direct: Bools) -> Bools:
    """(orders, n, n) the transitive closure of preferences, by Warshall's algorithm on packed bits."""
    packed = np.packbits(direct, axis=2)
    for through in range(direct.shape[1]):
        is_above = packed[:, :, through >> 3] >> (7 - (through & 7)) & 1
        packed |= packed[:, through, None, :] * is_above[:, :, None]
    return np.unpackbits(packed, axis=2, count=direct.shape[2]).astype(bool)


def areas(preferred: Bools, returned: Ints) -> Pairs:
    """The preferences of each matrix, counted by whether both, one or none of the two documents were returned.

    Args:
        returned: (matrices,) how many of its documents were returned; these come first.
    """
    n = preferred.shape[1]
    above = np.arange(n) < returned[:, None]
    better, worse = above[:, :, None], above[:, None, :]

    def count(cells: Bools) -> Ints:
        return np.asarray(np.count_nonzero(cells, axis=(1, 2)), np.int64)

    both = preferred & better & worse
    kept, among = count(both & np.triu(np.ones((n, n), bool))), count(both)
    implied = count(preferred & better & ~worse)
    halved = implied + count(preferred & ~better & worse)
    return Pairs(kept, among, implied, halved, count(preferred) - among - halved)
