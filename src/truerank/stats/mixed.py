"""Where scores differ from: between collections, queries and systems. A model to hold resampling against."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from truerank.stats.values import Floats

POINTS = 33
"""Of the grid that looks for the likeliest ratio of two variances; it is refined until nothing changes."""

REFINED = 24

WIDEST = 30.0
"""The largest logarithm of such a ratio."""


@dataclass(frozen=True)
class Variances:
    """The variances of a score of one query: what makes scores differ.

    Attributes:
        collections: between collections, the same for all systems.
        queries: between the queries of a collection, the same for all systems.
        systems: how differently systems take collections (system × collection).
        rest: how differently systems take the queries of a collection, and everything else.
    """

    collections: float
    queries: float
    systems: float
    rest: float

    def error(self, sizes: Sequence[int], *, drawn: bool) -> float:
        """The standard error of the difference of two systems' means over collections.

        Args:
            sizes: how many queries each collection has.
            drawn: whether collections are drawn from a population, too.
        """
        of_queries = self.rest * float(np.mean(1 / np.asarray(sizes)))
        return float(np.sqrt(2 * (self.systems * drawn + of_queries) / len(sizes)))


def mixed_model(values: Sequence[Floats]) -> Variances | None:
    """The variance components of collections × systems × queries within collections; None where they are unknown.

    Restricted maximum likelihood of a linear mixed model with fixed systems (Patterson and Thompson 1971). As
    every system answers the same queries, the mean over systems and their contrasts part into two one-way models.
    Of collections of one size it is the analysis of variance of Tague-Sutcliffe and Blustein (1995).

    Args:
        values: of each collection (queries, m).

    >>> mixed_model([np.array([[0.5, 0.5]]), np.array([[0.5, 0.5]])]) is None
    True
    """
    m = values[0].shape[1]
    if len(values) < 2 or sum(map(len, values)) == len(values):
        return None
    shared = _one_way([each.mean(axis=1, keepdims=True) for each in values], 1)
    apart = _one_way([each - each.mean(axis=1, keepdims=True) for each in values], m - 1) if m > 1 else (0.0, 0.0)
    own = [max(0.0, one - other / m) for one, other in zip(shared, apart, strict=True)]
    return Variances(own[0], own[1], apart[0], apart[1])


def _one_way(values: Sequence[Floats], columns: int) -> tuple[float, float]:
    """The variances between and within collections, of so many independent columns with a mean each."""
    sizes = np.array([len(each) for each in values], np.float64)
    means = np.array([each.mean(axis=0) for each in values])
    inside = float(sum(((each - mean) ** 2).sum() for each, mean in zip(values, means, strict=True)))
    freedom = (sizes.sum() - 1) * columns

    def spread(ratio: Floats) -> Floats:
        """(ratios,) the sum of squares, with means weighted as a ratio of the variances asks for."""
        weights = sizes / (1 + ratio[:, None] * sizes)
        centre = weights @ means / weights.sum(axis=1, keepdims=True)
        total: Floats = inside + weights @ (means**2).sum(axis=1) - weights.sum(axis=1) * (centre**2).sum(axis=1)
        return total

    def unlikely(ratio: Floats) -> Floats:
        """(ratios,) −2 × the restricted log-likelihood, but for a constant."""
        scale = 1 + ratio[:, None] * sizes
        fit = np.log(np.maximum(spread(ratio), np.finfo(float).tiny))
        deviance: Floats = freedom * fit + columns * (
            np.log(scale).sum(axis=1) + np.log((sizes / scale).sum(axis=1))
        )
        return deviance

    ratio = _lowest(unlikely)
    within = float(spread(np.array([ratio]))[0] / freedom)
    return ratio * within, within


def _lowest(of: Callable[[Floats], Floats]) -> float:
    """The ratio, from 0 on, at which a function is lowest."""
    low, high = -WIDEST, WIDEST
    for _ in range(REFINED):
        grid = np.linspace(low, high, POINTS)
        at = int(of(np.exp(grid)).argmin())
        low, high = grid[max(at - 1, 0)], grid[min(at + 1, POINTS - 1)]
    best = np.array([0.0, np.exp((low + high) / 2)])
    return float(best[of(best).argmin()])
