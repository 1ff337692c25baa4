"""Contradictions in the judgements of a group, reported with their lines."""

from __future__ import annotations

from collections import deque
from itertools import pairwise

import numpy as np

from truerank.core.errors import InputError
from truerank.core.hits import Bools
from truerank.core.messages import Message, joined, message
from truerank.core.qrels import Ints
from truerank.interop.trec_eval.ranked import Ranked


def refuse_two_grades(ranked: Ranked) -> None:
    """Raise where a group without subgroups gives a document two grades, or subgroups give it both 0 and more.

    Raises:
        InputError: a document has such grades.
    """
    groups = ranked.groups
    one, two = groups.twice
    partial = ranked.is_partial[groups.group[one]]
    lower, higher = np.sort([groups.grade[one], groups.grade[two]], axis=0)
    wrong = np.flatnonzero(np.where(partial, (lower == 0) & (higher > 0), lower < higher))
    if len(wrong):
        first, second = int(one[wrong[0]]), int(two[wrong[0]])
        said = message(
            "document {doc} has two grades in group {group} of topic {topic} (first in line {first}); "
            "keep one of them",
            first=int(groups.lines[first]),
            **groups.named(second),
        )
        raise InputError(said, groups.pool.name, int(groups.lines[second]))


def refuse_circle(ranked: Ranked, group: int, direct: Bools) -> None:
    """Raise for a group whose preferences form a circle.

    Args:
        direct: (documents, documents) whether it prefers the first to the second.

    Raises:
        InputError: always.
    """
    rows = np.flatnonzero(ranked.group == group)
    ring = _ring(direct)
    steps = [_step(ranked, rows, *pair) for pair in pairwise(ring)]
    names = ranked.named(int(rows[0]))
    said = message(
        "group {group} of topic {topic} prefers in a circle: {steps}; take one of these preferences out",
        steps=joined(", ", steps),
        group=names["group"],
        topic=names["topic"],
    )
    raise InputError(said, ranked.groups.pool.name)


def _ring(direct: Bools) -> list[int]:
    """A shortest circle of preferences."""
    rings = (_way_back(direct, start) for start in range(len(direct)))
    return min(filter(None, rings), key=len)


def _way_back(direct: Bools, start: int) -> list[int]:
    """The shortest way from a document back to itself; empty where there is none."""
    before: dict[int, int] = {}
    waiting = deque([start])
    while waiting:
        one = waiting.popleft()
        for other in np.flatnonzero(direct[one]).tolist():
            if other not in before:
                before[other] = one
                waiting.append(other)
    if start not in before:
        return []
    way = [start]
    while len(way) < 2 or way[-1] != start:
        way.append(before[way[-1]])
    return way[::-1]


def _step(ranked: Ranked, rows: Ints, better: int, worse: int) -> Message:
    """One preference, with the lines that express it."""
    ones, others = (rows[ranked.place[rows] == place] for place in (better, worse))
    one, other = next(
        (one, other)
        for one in ones.tolist()
        for other in others.tolist()
        if ranked.part[one] == ranked.part[other] and ranked.cls[one] < ranked.cls[other]
    )
    return message(
        "{better} to {worse} (lines {first} and {second})",
        better=ranked.named(one)["doc"],
        worse=ranked.named(other)["doc"],
        first=ranked.line(one),
        second=ranked.line(other),
    )
