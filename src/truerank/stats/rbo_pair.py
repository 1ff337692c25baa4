"""How much two ranked lists overlap, the top counting most, ties and unseen ends included: rank-biased overlap."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from truerank.stats.values import Floats, Ints, one_of, share

Ties = Literal["w", "a", "b"]
"""Equals: "w", all at the first of their ranks; "a", in any order, on average; "b", that, corrected as tau-b is."""

Unseen = Literal["ext", "min", "max", "res"]
"""The rest of both lists: as the seen part, all different, all the same; or the gap of these two."""


@dataclass(frozen=True, eq=False)
class _Seen:
    """What two lists have in common at each depth down to the end of the longer one, and what there could be.

    Attributes:
        short: the length of the shorter list.
        shared: how many things both hold.
        depth: (length,) 1, 2, …
        overlap: (length,) how much both have in common.
        size: (length,) what the overlap is divided by.
        mean: (length,) what a result counts, on average, that only the longer list holds.
        most: (length,) what the first of these count, as many as the shorter list lacks.
    """

    short: int
    shared: int
    depth: Ints
    overlap: Floats
    size: Floats | Ints
    mean: Floats | float
    most: Floats | Ints

    @property
    def beyond(self) -> Ints:
        """(length,) how many results the shorter list lacks at each depth."""
        return np.maximum(self.depth - self.short, 0)


def rbo(
    list_a: Sequence[Hashable | Set[Hashable]],
    list_b: Sequence[Hashable | Set[Hashable]],
    p: float = 0.9,
    *,
    ties: Ties = "a",
    unseen: Unseen = "ext",
) -> float:
    """How much two lists overlap, the top counting most: 1 for the same list, 0 for nothing in common.

    Lists may differ in length and in what they hold; a set in a list is a group of equals. Two empty lists are the
    same; an empty one has nothing in common with another. Webber, Moffat and Zobel (2010), equation 32; with ties,
    Corsi and Urbano, "The treatment of ties in rank-biased overlap", SIGIR 2024.

    Args:
        p: how likely a reader goes on to the next rank.
        ties: equals share their first rank ("w"), count as the mean over all their orders ("a"), or as that,
            corrected so that a list agrees wholly with itself ("b").
        unseen: both go on agreeing as they do to their end ("ext"), have nothing more in common ("min"), have all
            that they can ("max"); or the residual, from "min" to "max" ("res").

    Raises:
        ValueError: a list that holds something twice.

    >>> rbo("abc", "abc"), rbo("abc", "xyz"), round(rbo("abcd", "bacd"), 4)
    (1.0, 0.0, 0.9)
    >>> [round(rbo(["a", {"b", "c"}], ["a", "b", "c"], ties=ties), 4) for ties in ("w", "a", "b")]
    [0.982, 0.9775, 0.9879]
    """
    one_of(ties, get_args(Ties), "ties")
    one_of(unseen, get_args(Unseen), "unseen")
    share(p, "p")
    one, first_a = _flat(list_a)
    other, first_b = _flat(list_b)
    place = {thing: i for i, thing in enumerate(other)}
    if len(place) < len(other) or len(set(one)) < len(one):
        raise ValueError("a ranked list holds each thing once, but one of these does not")
    shared = [(i, place[thing]) for i, thing in enumerate(one) if thing in place]
    in_a, in_b = np.array(shared, np.int64).reshape(-1, 2).T
    is_tied = any((np.diff(first) == 0).any() for first in (first_a, first_b))
    first = (first_a, first_b) if is_tied else None
    return rbo_of_shared((in_a, in_b), (len(one), len(other)), p, first=first, ties=ties, unseen=unseen)


def _flat(ranked: Sequence[Hashable | Set[Hashable]]) -> tuple[list[Hashable], Ints]:
    """The things of a list one by one, and for each the rank, from 0, at which its group of equals begins."""
    groups = [tuple(thing) if isinstance(thing, set | frozenset) else (thing,) for thing in ranked]
    sizes = np.array([len(group) for group in groups], np.int64)
    return [thing for group in groups for thing in group], np.repeat(np.cumsum(sizes) - sizes, sizes)


def rbo_of_shared(
    places: tuple[Ints, Ints],
    lengths: tuple[int, int],
    p: float,
    *,
    first: tuple[Ints, Ints] | None = None,
    ties: Ties = "a",
    unseen: Unseen = "ext",
) -> float:
    """`rbo` of two lists, from the ranks of what both hold.

    Args:
        places: (shared,) the ranks, from 0, of each thing in both lists.
        first: for each list (length,) the first rank of the group of equals at each rank; None: no equals.
    """
    seen = _untied(places, *sorted(lengths)) if first is None else _tied(places, first, ties)
    if unseen == "res":
        return max(0.0, _at_most(seen, p) - _at_least(seen, p))
    return {"ext": _extrapolated, "min": _at_least, "max": _at_most}[unseen](seen, p)


def _untied(places: tuple[Ints, Ints], short: int, long: int) -> _Seen:
    """Lists without equals: a result counts fully from its rank on."""
    depth = np.arange(1, long + 1)
    met = np.maximum(*places)
    overlap = np.bincount(met, minlength=long).cumsum().astype(np.float64)
    return _Seen(short, len(met), depth, overlap, depth, 1.0, np.maximum(depth - short, 0))


def _tied(places: tuple[Ints, Ints], first: tuple[Ints, Ints], ties: Ties) -> _Seen:
    in_order = len(first[0]) <= len(first[1])
    short, long = (_Groups.of(each) for each in (first if in_order else first[::-1]))
    in_short, in_long = places if in_order else places[::-1]
    if ties == "w":
        return _of_w(short, long, in_short, in_long)
    return _of_orders(short, long, in_short, in_long, ties)


@dataclass(frozen=True, eq=False)
class _Groups:
    """A list by its groups of equals; all ranks are from 0.

    Attributes:
        first, last: (length,) the first and the last rank of the group at each rank.
    """

    first: Ints
    last: Ints

    @classmethod
    def of(cls, first: Ints) -> _Groups:
        """The groups, from the first rank of the group at each rank."""
        ends = np.append(np.flatnonzero(np.diff(first)), len(first) - 1)
        return cls(first, np.repeat(ends, np.diff(ends, prepend=-1)) if len(first) else first)

    @cached_property
    def share(self) -> Floats:
        """(length,) how much of the group at a rank counts down to there, on average over its orders."""
        share: Floats = (np.arange(len(self.first)) - self.first + 1) / (self.last - self.first + 1)
        return share

    def down_to(self, depth: Ints) -> Floats:
        """(depth,) how many results there are at each depth when equals all stand at their first rank."""
        return _extended(self.last + 1, depth)

    def squares(self, depth: Ints) -> Floats:
        """(depth,) the sum of the squares of what each result counts at each depth, on average over the orders."""
        return _extended(self.first + self.share**2 * (self.last - self.first + 1), depth)


def _extended(values: Floats | Ints, depth: Ints) -> Floats:
    """The values, continued beyond the end of a list by the depth: results there are taken not to be tied."""
    return np.concatenate([values, depth[len(values) :]]).astype(np.float64)


def _of_w(short: _Groups, long: _Groups, in_short: Ints, in_long: Ints) -> _Seen:
    """Ties "w": equals share their first rank, and count from there on."""
    depth = np.arange(1, len(long.first) + 1)
    met = np.maximum(short.first[in_short], long.first[in_long])
    overlap = np.bincount(met, minlength=len(depth)).cumsum().astype(np.float64)
    size = (short.down_to(depth) + long.down_to(depth)) / 2
    return _Seen(len(short.first), len(met), depth, overlap, size, 1.0, np.maximum(depth - len(short.first), 0))


def _of_orders(short: _Groups, long: _Groups, in_short: Ints, in_long: Ints, ties: Ties) -> _Seen:
    """Ties "a" and "b": equals count by the share of their orders in which they are above a depth."""
    depth = np.arange(1, len(long.first) + 1)
    s_first, s_last, l_first, l_last = (
        each[at] for at, groups in ((in_short, short), (in_long, long)) for each in (groups.first, groups.last)
    )
    share_s, share_l = np.zeros(len(depth)), long.share
    share_s[: len(short.first)] = short.share
    above = _between(np.maximum(s_last, l_last), None, len(depth))
    open_s = _between(np.maximum(s_first, l_last), s_last, len(depth))
    open_l = _between(np.maximum(l_first, s_last), l_last, len(depth))
    open_both = _between(np.maximum(s_first, l_first), np.minimum(s_last, l_last), len(depth))
    overlap = above + (share_s * open_s + share_l * open_l) + share_s * share_l * open_both
    is_b = ties == "b"
    size = np.sqrt(short.squares(depth) * long.squares(depth)) if is_b else depth.astype(np.float64)
    mean, most = _of_longer(long, in_long, np.maximum(depth - len(short.first), 0))
    return _Seen(len(short.first), len(in_long), depth, overlap, size, mean, most)


def _of_longer(long: _Groups, shared: Ints, lacking: Ints) -> tuple[Floats, Floats]:
    """(length,) what results count that only the longer list holds: on average, and the first `lacking` of them."""
    only = np.ones(len(lacking), bool)
    only[shared] = False
    whole = _between(long.last[only], None, len(lacking))
    begun = _between(long.first[only], long.last[only], len(lacking))
    first = np.minimum(lacking, whole)
    return (whole + long.share * begun) / np.maximum(whole + begun, 1), first + long.share * (lacking - first)


def _between(start: Ints, end: Ints | None, ranks: int) -> Ints:
    """(ranks,) how many spans hold each rank: from `start` to the rank before `end`, or to the last rank."""
    change = np.bincount(start if end is None else start[start < end], minlength=ranks)
    if end is not None:
        change = change - np.bincount(end[start < end], minlength=ranks)
    there: Ints = np.cumsum(change)
    return there


def _extrapolated(seen: _Seen, p: float) -> float:
    """Both lists go on to agree as they do down to their ends."""
    long = len(seen.depth)
    if not seen.short:
        return 1.0 if not long else 0.0
    at_s, at_l, size = seen.overlap[seen.short - 1], seen.overlap[-1], seen.size[seen.short - 1]
    assumed = seen.overlap + at_s * seen.beyond / size * seen.mean
    inside = (1 - p) / p * float((assumed / seen.size * p**seen.depth).sum())
    return float(min(1.0, inside + ((at_l - at_s * seen.short / size) / long + at_s / size) * p**long))


def _at_least(seen: _Seen, p: float) -> float:
    """The lower limit: the lists have nothing more in common, at whatever depth."""
    weight = p**seen.depth
    rest = max(0.0, -math.log1p(-p) - float((weight / seen.depth).sum()))
    inside = float((seen.overlap / seen.size * weight).sum())
    return min(1.0, (1 - p) / p * (inside + seen.shared * rest))


def _at_most(seen: _Seen, p: float) -> float:
    """The upper limit: each list goes on with what only the other holds, then both with the same results."""
    long, missing = len(seen.depth), seen.short - seen.shared
    inside = float(((seen.overlap + seen.most) / seen.size * p**seen.depth).sum())
    depth = np.arange(long + 1, long + missing + 1)
    below = float(((2 * depth - long - missing) / depth * p**depth).sum())
    return min(1.0, (1 - p) / p * (inside + below) + p ** (long + missing))
