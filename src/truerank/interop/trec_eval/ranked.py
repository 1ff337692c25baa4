"""Judgements of groups, with the places that a run gives to their documents."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from truerank.core.hits import Bools, Hits
from truerank.core.qrels import Floats, Ints
from truerank.interop.trec_eval.groups import Groups


@dataclass(frozen=True, eq=False)
class Ranked:
    """The judgements, one row each, ordered by group, subgroup, class and place.

    Attributes:
        groups: the groups, of the topics that are evaluated.
        row: the number of each judgement in `groups`.
        group, part, grade: as in `groups`.
        cls: 0 for the best grade of all, 1 for the next …
        place: the place of its document among those judged for the topic, from 0: first the returned ones in the
            order of the run, then the others by id.
        judged, returned: (topics,) how many documents are judged, and how many of these were returned.
    """

    groups: Groups
    row: Ints
    group: Ints
    part: Ints
    grade: Floats
    cls: Ints
    place: Ints
    judged: Ints
    returned: Ints

    @classmethod
    def under(cls, groups: Groups, hits: Hits) -> Ranked:
        """The judgements beside the hits of the groups' pool; both of the same topics."""
        place, judged = _places(groups, hits)
        places, classes = place[groups.doc], np.unique(-groups.grade, return_inverse=True)[1]
        row = np.lexsort((places, classes, groups.part))
        group, part, grade = groups.group[row], groups.part[row], groups.grade[row]
        return cls(groups, row, group, part, grade, classes[row], places[row], judged, hits.count)

    @property
    def n_groups(self) -> int:
        """The number of groups."""
        return len(self.groups.topic)

    def count(self, rows: Ints) -> Ints:
        """(groups,) how many of some rows each group has."""
        return np.bincount(self.group[rows], minlength=self.n_groups)

    @cached_property
    def topic(self) -> Ints:
        """(rows,) the topic of each."""
        return self.groups.topic[self.group]

    @cached_property
    def is_returned(self) -> Bools:
        """(rows,) whether the run has the document."""
        return self.place < self.returned[self.topic]

    @cached_property
    def document(self) -> Ints:
        """(rows,) a number that is the same for the same document of the same group."""
        return self.group * (int(self.place.max(initial=0)) + 1) + self.place

    @cached_property
    def is_partial(self) -> Bools:
        """(groups,) whether each has several subgroups."""
        first = np.full(self.n_groups, -1)
        first[self.group[::-1]] = self.part[::-1]
        partial = np.zeros(self.n_groups, bool)
        partial[self.group[self.part != first[self.group]]] = True
        return partial

    def among(self, groups: Ints) -> tuple[Ints, Ints]:
        """(groups,) the place of each among some groups, or -1; and the rows of these groups."""
        place = np.full(self.n_groups, -1)
        place[groups] = np.arange(len(groups))
        return place, np.flatnonzero(place[self.group] >= 0)

    def line(self, row: int) -> int:
        """The line of a row in its file."""
        return int(self.groups.lines[self.row[row]])

    def named(self, row: int) -> dict[str, str]:
        """The document, the group and the topic of a row, as messages name them."""
        return self.groups.named(int(self.row[row]))


def _places(groups: Groups, hits: Hits) -> tuple[Ints, Ints]:
    """(judgements of the pool,) the place of each document; (topics,) how many documents are judged for each."""
    pool = groups.pool
    rank = np.full(len(pool.grades), np.iinfo(np.int64).max)
    rank[hits.doc] = hits.rank
    order = np.lexsort((rank, pool.query))
    place = np.empty(len(rank), np.int64)
    place[order] = np.arange(len(rank)) - pool.start[pool.query]
    return place, np.diff(pool.start)[groups.topics]
