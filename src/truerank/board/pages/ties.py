"""Who cannot be told apart from whom, as the board page draws it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from truerank.core.equal import as_one

SLOTS = 8
"""More groups than these are written in one column, not drawn in one column each."""


@dataclass(frozen=True)
class Slot:
    """A group's place in a team's row.

    Attributes:
        letter: empty where the team is not of the group.
        is_first, is_last: whether the row above or below is not of the group.
    """

    letter: str
    is_first: bool
    is_last: bool


def letters(groups: str | None) -> tuple[str, ...]:
    """The groups of a team.

    >>> letters("abaʹ"), letters(None)
    (('a', 'b', 'aʹ'), ())
    """
    return tuple(re.findall("[a-z]ʹ*", groups or ""))


def slots(rows: Sequence[Mapping[str, Any]]) -> list[list[Slot]]:
    """Of each row a slot for each group; none where there are too many groups to draw.

    >>> [[slot.letter for slot in row] for row in slots([{"groups": "a"}, {"groups": "ab"}, {"groups": "b"}])]
    [['a', ''], ['a', 'b'], ['', 'b']]
    """
    groups = [letters(row["groups"]) for row in rows]
    names = sorted({letter for mine in groups for letter in mine}, key=lambda letter: (len(letter), letter))
    if len(names) > SLOTS:
        return [[] for _ in rows]
    around = [(), *groups, ()]
    return [
        [Slot(name if name in mine else "", name not in above, name not in below) for name in names]
        for above, mine, below in zip(around, groups, around[2:], strict=False)
    ]


def first_place(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The teams that share the first rank.

    >>> first_place([{"team": "A", "rank": 1}, {"team": "B", "rank": 1}, {"team": "C", "rank": 3}])
    ['A', 'B']
    """
    return [row["team"] for row in rows if row["rank"] == 1]


def rivals(rows: Sequence[Mapping[str, Any]]) -> list[str] | None:
    """The teams that cannot be told apart from the first one; None where that is not known, or not yet.

    >>> rivals([{"team": "A", "groups": "a"}, {"team": "B", "groups": "ab"}, {"team": "C", "groups": "b"}])
    ['B']
    >>> rivals([{"team": "A", "groups": "a"}, {"team": "B", "groups": "b"}, {"team": "C", "groups": ""}])
    """
    if len(rows) < 2 or not rows[0]["groups"]:
        return None
    first = set(letters(rows[0]["groups"]))
    tied = [row["team"] for row in rows[1:] if first & set(letters(row["groups"]))]
    return tied if tied or all(row["groups"] for row in rows) else None


def moves(rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """How many ranks each team rose from the public to the private score.

    >>> moves([{"rank": 1, "public": 0.3}, {"rank": 2, "public": 0.5}, {"rank": 3, "public": 0.3}])
    [1, -1, -1]
    >>> moves([{"rank": 1, "public": 0.1 + 0.2}, {"rank": 1, "public": 0.3}])
    [0, 0]
    """
    public = as_one([row["public"] for row in rows])
    before = [1 + int((public > mine).sum()) for mine in public]
    return [was - row["rank"] for was, row in zip(before, rows, strict=True)]
