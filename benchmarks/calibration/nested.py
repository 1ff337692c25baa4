"""Systems over several collections: intervals of their means, and of their ranks."""

from __future__ import annotations

import itertools
from functools import partial

import numpy as np

from calibration.lines import COVERS, Line, Section, contained, rng_of
from calibration.populations import ALIKE, GRID, POPULATIONS, Floats
from truerank import stats

ABILITY = np.array([0.0, 0.0, 0.1, 0.1, 0.2, 0.3, 0.3, 0.6])
"""Of eight systems, in standard deviations of a query's difficulty; some are equally good."""

TASKS, TASTE = 0.5, 0.15
"""How far collections differ in difficulty, and in how they suit each system."""

RESAMPLES = 499

MANY = 10
"""Of more collections a quarter as many worlds are drawn."""

ALL = (0.945, 1.0)
"""At least 95 %, but for the noise of the simulation."""


def of_collections(kind: str, many: int, n: int, ability: Floats, collections: int) -> Line:
    """How often the truth lies in the intervals of the means, and all true ranks in theirs at once."""
    worlds = max(1, collections // (4 if many > MANY else 1))
    what = f"{many} collections, {kind}" + ("" if ability.any() else "; none ahead")
    rng = rng_of(what, n, 0)
    shares = dict.fromkeys(("mean", "all ranks", "ranks, of all"), 0.0)
    fixed = _shifts(rng, ability, many, TASTE * bool(ability.any()))
    for seed in range(worlds):
        if kind == "fixed":
            shifts, tasks = fixed, np.arange(many) % len(POPULATIONS)
            truth = np.mean([_means(task, shift) for task, shift in zip(tasks, shifts, strict=True)], axis=0)
        else:
            shifts, tasks = _shifts(rng, ability, many, TASTE), rng.integers(len(POPULATIONS), size=many)
            truth = _of_all(ability)
        values = [_scores(rng, task, shift, n) for task, shift in zip(tasks, shifts, strict=True)]
        found = stats.nested(values, collections=kind, resamples=RESAMPLES, seed=seed)
        for name, share in zip(shares, _right(found, truth), strict=True):
            shares[name] += share / worlds
    return Line(what, n, shares, {"mean": COVERS, "all ranks": ALL})


def _right(found: stats.Nested, truth: Floats) -> tuple[float, float, float]:
    """The share of means in their intervals, whether all ranks are, and how many of all ranks an interval has."""
    m, (first, last) = len(truth), found.ranks.T
    means = sum(contained([mean], float(at)) for mean, at in zip(found.overall, truth, strict=True)) / m
    rank = 1 + (truth > truth[:, None] + 1e-9).sum(axis=1)
    return means, float(((first <= rank) & (rank <= last)).all()), float((last - first + 1).mean() / m)


def _shifts(rng: np.random.Generator, ability: Floats, many: int, taste: float) -> Floats:
    """(collections, systems) how good each system is in each collection."""
    return ability + rng.normal(0, TASKS, (many, 1)) + rng.normal(0, taste, (many, len(ability)))


def _scores(rng: np.random.Generator, task: int, shift: Floats, n: int) -> Floats:
    """(n, systems) the scores of queries of a collection."""
    shared = np.sqrt(ALIKE) * rng.standard_normal((n, 1))
    return _of(task, shared + np.sqrt(1 - ALIKE) * rng.standard_normal((n, len(shift))) + shift)


def _of(task: int, normal: Floats) -> Floats:
    from scipy.special import ndtr

    scores = POPULATIONS[task].scores
    return scores[np.minimum((ndtr(normal) * len(scores)).astype(int), len(scores) - 1)]


def _means(task: int, shift: Floats, spread: float = 1.0) -> Floats:
    """(systems,) the mean scores of all queries."""
    from scipy.special import ndtri

    return _of(task, spread * ndtri(GRID[::10])[:, None] + shift).mean(axis=0)


def _of_all(ability: Floats) -> Floats:
    """(systems,) the mean scores of all queries of all collections."""
    spread = float(np.sqrt(1 + TASKS**2 + TASTE**2))
    return np.mean([_means(task, ability, spread) for task in range(len(POPULATIONS))], axis=0)


SECTIONS = (
    Section(
        "Several collections: means over them, and ranks of eight systems",
        """\
Eight systems, some of them equally good, on collections of the four kinds above, which also differ in difficulty
and in how they suit each system. `mean`: how often the interval of a system's mean over collections contains the
truth. `all ranks`: how often all eight rank intervals contain the true ranks, which is to be at least 95 %.
`ranks, of all`: how many of the eight ranks an interval has on average; one of them is 12.5 %. Random collections
are drawn anew, of random kinds. Of 50 collections a quarter as many worlds are drawn.""",
        (
            *(
                partial(of_collections, kind, many, 50, ABILITY)
                for kind, many in itertools.product(("fixed", "random"), (5, 10, 50))
            ),
            partial(of_collections, "random", 3, 50, ABILITY),
            partial(of_collections, "fixed", 5, 10, ABILITY),
            *(partial(of_collections, kind, 10, 50, 0 * ABILITY) for kind in ("fixed", "random")),
        ),
        """\
The intervals of means keep their promise, with fixed collections of ten queries and with three random ones too;
but with five random collections or fewer, of such different kinds, they lie at the lower end of what is
allowed. Where no system is ahead, rank intervals use up the 5 %; where systems differ a little they are right
nearly always. They narrow with the number of collections: of five random ones they exclude next to nothing.""",
    ),
)
