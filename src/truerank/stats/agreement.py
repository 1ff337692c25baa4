"""How much two rankings agree: of systems by their scores, or of documents in two lists."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from truerank.stats.values import Floats, column


def kendall_tau(x: ArrayLike, y: ArrayLike) -> float:
    """Do two ways of scoring put the same systems in the same order? 1 the same, −1 the reverse, 0 no relation.

    Tau-b: pairs that are tied on one side count for neither. 0 when all are tied on one side. Kendall (1945).

    Args:
        x, y: (n,) scores of the same systems.

    >>> round(kendall_tau([0.1, 0.2, 0.3, 0.4], [0.1, 0.3, 0.2, 0.4]), 4)
    0.6667
    """
    first, second = _same_systems(x, y)
    both = in_first = in_second = 0
    for i in range(1, len(first)):
        up, over = np.sign(first[:i] - first[i]), np.sign(second[:i] - second[i])
        both += int(up @ over)
        in_first += int(np.count_nonzero(up))
        in_second += int(np.count_nonzero(over))
    return both / math.sqrt(in_first * in_second) if in_first and in_second else 0.0


def tau_ap(truth: ArrayLike, estimate: ArrayLike) -> float:
    """Kendall's tau in which a swap near the top costs more than one near the bottom.

    Ties count as the mean over all ways to break them. Yilmaz, Aslam and Robertson (2008).

    Args:
        truth: (n,) the scores that decide what is right; higher is better.
        estimate: (n,) the scores whose ranking is judged.

    >>> tau_ap([4, 3, 2, 1], [4, 3, 1, 2]), tau_ap([4, 3, 2, 1], [3, 4, 2, 1])
    (0.7777777777777777, 0.33333333333333326)
    """
    right, judged = _same_systems(truth, estimate)
    total, above = 0.0, 0
    for value in np.unique(judged)[::-1]:
        tied = right[judged == value]
        higher = right[judged > value]
        correct = (np.sign(higher[:, None] - tied) + 1).sum() / 2 / len(tied)
        within = np.arange(len(tied))  # of those tied with it, half of the ones before are right
        ranks = above + within
        total += float(((correct + within / 2)[ranks > 0] / ranks[ranks > 0]).sum())
        above += len(tied)
    return 2 * total / (len(right) - 1) - 1


def rbo(list_a: Sequence[Hashable], list_b: Sequence[Hashable], p: float = 0.9) -> float:
    """How much two lists overlap, the top counting most: 1 for the same list, 0 for nothing in common.

    Extrapolated: as if both went on agreeing as they do to their end. Lists may differ in length and in what
    they hold. Two empty lists are the same; an empty one has nothing in common with another. Rank-biased overlap,
    Webber, Moffat and Zobel (2010), equation 32.

    Args:
        p: how likely a reader goes on to the next rank.

    Raises:
        ValueError: a list that holds something twice.

    >>> rbo("abc", "abc"), rbo("abc", "xyz"), round(rbo("abcd", "bacd"), 4)
    (1.0, 0.0, 0.9)
    """
    if not 0 < p < 1:
        raise ValueError(f"p is a number between 0 and 1, not {p!r}")
    short, long = sorted((list(list_a), list(list_b)), key=len)
    for each in (short, long):
        if len(set(each)) < len(each):
            raise ValueError("a ranked list holds each thing once, but one of these does not")
    if not short:
        return 1.0 if not long else 0.0
    overlap = _overlap(short, long)
    depth = np.arange(1, len(long) + 1)
    s, at_s, at_l = len(short), overlap[len(short) - 1], overlap[-1]
    assumed = overlap + np.where(depth > s, at_s * (depth - s) / s, 0)
    seen = (1 - p) / p * float((assumed / depth * p**depth).sum())
    return float(min(1.0, seen + ((at_l - at_s) / len(long) + at_s / s) * p ** len(long)))


def _overlap(short: list[Hashable], long: list[Hashable]) -> Floats:
    """How many things both lists have down to each depth of the longer one."""
    place = {thing: i for i, thing in enumerate(short)}
    met = [max(i, place[thing]) for i, thing in enumerate(long) if thing in place]
    return np.bincount(met, minlength=len(long)).cumsum().astype(np.float64)


def _same_systems(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    first, second = column(x, "the first ranking"), column(y, "the second ranking")
    if len(first) != len(second):
        raise ValueError(f"the rankings are of {len(first)} and {len(second)} systems; they must be of the same")
    if len(first) < 2:
        raise ValueError("an order needs at least two systems")
    return first, second
