"""Scores that queries may get: populations whose means are known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Floats = np.ndarray

ALIKE = 0.6
"""How much of a score is the query's own difficulty, the same for all systems (a correlation of normals)."""

GRID = (np.arange(20_000) + 0.5) / 20_000


@dataclass(frozen=True)
class Population:
    """Scores that a query may get.

    Attributes:
        name: the measure that they are like.
        scores: equally likely ones, in rising order; their mean is the truth.
        is_judged: whether the bands are demanded of it.
    """

    name: str
    scores: Floats
    is_judged: bool = True

    @property
    def truth(self) -> float:
        return float(self.scores.mean())

    def collections(self, rng: np.random.Generator, n: int, systems: int, many: int) -> Floats:
        """(systems, n, many) scores; a query is as hard for every system."""
        shared = np.sqrt(ALIKE) * rng.standard_normal((1, n, many))
        normal = shared + np.sqrt(1 - ALIKE) * rng.standard_normal((systems, n, many))
        return self.scores[np.minimum((_below(normal) * len(self.scores)).astype(int), len(self.scores) - 1)]


def _below(normal: Floats) -> Floats:
    from scipy.special import ndtr

    return ndtr(normal)


def mixed(name: str, zero: float, one: float, a: float, b: float, is_judged: bool = True) -> Population:
    """Some queries score 0, some 1, the others between (a beta distribution)."""
    from scipy.special import betaincinv

    between = betaincinv(a, b, np.clip((GRID - zero) / (1 - zero - one), 0, 1))
    return Population(name, np.where(zero > GRID, 0.0, np.where(1 - one < GRID, 1.0, between)), is_judged)


def reciprocal_ranks(name: str, zero: float, stop: float) -> Population:
    """1 over the rank of the first relevant document, which each rank is with the same chance."""
    ranks = np.floor(np.log1p(-np.minimum(GRID[::-1] / (1 - zero), 1 - 1e-12)) / np.log1p(-stop)) + 1
    return Population(name, np.where(zero > GRID, 0.0, 1 / ranks))


def binary(share: float) -> Population:
    return Population(f"0 or 1: {share:.0%} are 1", (1 - share < GRID).astype(float), is_judged=False)


POPULATIONS = (
    mixed("like AP: 5 % are 0, 2 % are 1, skewed", 0.05, 0.02, 0.7, 1.6),
    mixed("like nDCG@10: 15 % are 0, 8 % are 1", 0.15, 0.08, 1.6, 1.3),
    reciprocal_ranks("like RR: 10 % are 0, 36 % are 1", 0.1, 0.4),
    mixed("a hard task: 60 % are 0", 0.6, 0.02, 0.6, 2.0),
)
HARDEST = mixed("nearly nothing found: 85 % are 0", 0.85, 0.01, 0.6, 2.0)
RARE = mixed("beyond what is asked: 94 % are 0", 0.94, 0.005, 0.6, 2.0, is_judged=False)
BINARY = binary(0.7)
PLACES = Population("where in a population a score is", GRID)
