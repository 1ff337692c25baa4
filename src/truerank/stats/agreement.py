"""How much two rankings of systems agree, by their scores."""

from __future__ import annotations

import math
from bisect import bisect_right

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truerank.core.equal import as_one
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
    order = np.lexsort((second, first))
    first, second = first[order], second[order]
    pairs = len(first) * (len(first) - 1) // 2
    tied_first = _tied_pairs(first[1:] != first[:-1])
    tied_both = _tied_pairs((first[1:] != first[:-1]) | (second[1:] != second[:-1]))
    in_order = np.sort(second)
    tied_second = _tied_pairs(in_order[1:] != in_order[:-1])
    in_first, in_second = pairs - tied_first, pairs - tied_second
    both = pairs - tied_first - tied_second + tied_both - 2 * _inversions(second)
    return both / math.sqrt(in_first * in_second) if in_first and in_second else 0.0


def _tied_pairs(differs: NDArray[np.bool_]) -> int:
    """How many pairs are equal among ordered values, which differ from the one before where it says so."""
    sizes = np.diff(np.flatnonzero(np.concatenate([[True], differs, [True]])))
    return int((sizes * (sizes - 1) // 2).sum())


def _inversions(values: Floats) -> int:
    """How many pairs stand in the wrong order: Knight's algorithm (1966), with insertion in place of merging."""
    seen: list[float] = []
    inversions = 0
    for count, value in enumerate(values.tolist()):
        place = bisect_right(seen, value)
        inversions += count - place
        seen.insert(place, value)
    return inversions


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


def _same_systems(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    """Both, where scores that rounding alone parts are tied."""
    first, second = column(x, "the first ranking"), column(y, "the second ranking")
    if len(first) != len(second):
        raise ValueError(f"the rankings are of {len(first)} and {len(second)} systems; they must be of the same")
    if len(first) < 2:
        raise ValueError("an order needs at least two systems")
    return as_one(first), as_one(second)
