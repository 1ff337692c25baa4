"""Means and differences of which people judged a few queries, and a model all."""

from __future__ import annotations

import itertools
from functools import partial

import numpy as np

from calibration.lines import COVERS, Line, Section, batches, contained, rng_of
from calibration.populations import GRID, HARDEST, PLACES, POPULATIONS, Floats, Population
from truerank import stats

ALL = 300
"""Queries that the model judges."""

JUDGED = (20, 50)

JUDGES = ("good", "noisy", "biased", "right on 4 of 5")

PLAIN, OURS = "the model's as truth", "prediction-powered"


def seen(population: Population, places: Floats, judge: str, rng: np.random.Generator) -> Floats:
    """What a model makes of queries that score as they do at these places of the population."""
    if judge == "right on 4 of 5":
        return at(population, np.where(rng.random(places.shape) < 0.2, rng.random(places.shape), places))
    alike = {"good": 0.9, "noisy": 0.3, "biased": 0.8}[judge]
    found = at(population, _mixed(places, alike, rng))
    return np.minimum(0.6 * found + 0.3, 1.0) if judge == "biased" else found


def _mixed(places: Floats, alike: float, rng: np.random.Generator) -> Floats:
    """Other places, correlated with these."""
    from scipy.special import ndtr, ndtri

    noise = np.sqrt(1 - alike) * rng.standard_normal(places.shape)
    return ndtr(np.sqrt(alike) * ndtri(np.clip(places, 1e-12, 1 - 1e-12)) + noise)


def at(population: Population, places: Floats) -> Floats:
    return population.scores[np.minimum((places * len(GRID)).astype(int), len(GRID) - 1)]


def told(
    what: str, judge: str, n: int, collections: int, draw: partial[tuple[Floats, Floats, float]], *methods: str
) -> Line:
    """How often each interval contains the truth; the first of the methods is judged."""
    columns = (PLAIN, "people alone", OURS, "PPI++ as published")
    shares = dict.fromkeys(columns, 0.0)
    for seed, many in batches(collections):
        people, model, truth = draw(rng_of(f"{what} {judge}", n, seed), many)
        found = stats.predicted_means(people[:n], model, np.arange(n), method=methods[0])  # type: ignore[arg-type]
        published = stats.predicted_means(people[:n], model, np.arange(n), method="normal")
        naive = stats.predicted_means(model, model, np.arange(len(model)), method="t")
        for name, intervals in zip(
            columns,
            (
                [f.interval for f in naive],
                [f.judged for f in found],
                *([f.interval for f in g] for g in (found, published)),
            ),
            strict=True,
        ):
            shares[name] += contained(intervals, truth) / collections
    return Line(f"{what}: {judge}", n, shares, {OURS: COVERS})


def of_a_mean(population: Population, judge: str, n: int, collections: int) -> Line:
    """Intervals of a mean."""

    def draw(rng: np.random.Generator, many: int) -> tuple[Floats, Floats, float]:
        places = rng.random((ALL, many))
        return at(population, places), seen(population, places, judge, rng), population.truth

    return told(short(population), judge, n, collections, partial(draw), "skewed-t")


def of_a_difference(population: Population, judge: str, n: int, collections: int) -> Line:
    """Intervals of the difference of two systems, one better than the other."""
    better = Population("", np.minimum(1.2 * population.scores, 1.0))

    def draw(rng: np.random.Generator, many: int) -> tuple[Floats, Floats, float]:
        of_both = list(zip((better, population), PLACES.collections(rng, ALL, 2, many), strict=True))
        people, model = (
            one - other
            for one, other in (
                [at(each, places) for each, places in of_both],
                [seen(each, places, judge, rng) for each, places in of_both],
            )
        )
        return people, model, better.truth - population.truth

    return told(short(population), judge, n, collections, partial(draw), "t")


def of_a_choice(population: Population, how: str, n: int, collections: int) -> Line:
    """Intervals of a mean where people judged rather what the model finds good."""
    shares = dict.fromkeys(("taken for random", OURS), 0.0)
    for seed, many in batches(collections):
        rng = rng_of(f"{population.name} {how}", n, seed)
        for _ in range(many):
            places = rng.random((ALL, 1))
            people, model = at(population, places), seen(population, places, "biased", rng)
            likely = 0.2 + model[:, 0] if how == "by its score" else 1.0 + (model[:, 0] > np.median(model))
            likely = np.minimum(likely * n / likely.sum(), 1.0)
            drawn = np.flatnonzero(rng.random(ALL) < likely)
            for name, probability in (("taken for random", None), (OURS, likely)):
                found = stats.predicted_means(people[drawn], model, drawn, probability=probability)
                shares[name] += contained([found[0].interval], population.truth) / collections
    return Line(f"{short(population)}: {how}", n, shares, {OURS: COVERS})


def short(population: Population) -> str:
    return population.name.partition(":")[0]


HOW = ("by its score", "twice as often above the median")

SECTIONS = (
    Section(
        "Few human judgements, many by a model: a mean",
        f"""\
A model judges {ALL} queries, people some of them. A good judge's scores correlate with people's at 0.9 (as
normals), a noisy one's at 0.3, a biased one's at 0.8, and are then 0.3 + 0.6 times what they were; the last is
right on four of five queries, and says anything on the others.""",
        tuple(partial(of_a_mean, *each) for each in itertools.product(POPULATIONS, JUDGES, JUDGED)),
        """\
The model's scores taken for the truth have an interval that is right only where the model has no bias, which
nothing but people's judgements can show; with bias it never is. Prediction-powered intervals hold whatever the
judge. As published (PPI++ with the normal distribution) they are too short with few judged queries; truerank counts
what the tuning costs, takes Student's t, and reaches further on the side where the scores are skewed. Below 20
judged queries nothing is promised.""",
    ),
    Section(
        "Few human judgements, many by a model: a difference",
        "Two systems on the same queries, one scoring up to a fifth higher; the judges as before.",
        tuple(partial(of_a_difference, *each) for each in itertools.product(POPULATIONS, JUDGES, JUDGED)),
        """\
A bias that both systems share leaves their difference, so that the model's word for it may be right by luck. The
weight is tuned to the differences, and without a correction for skewness, of which they have little.""",
    ),
    Section(
        "Few human judgements, many by a model: a sample that is not random",
        "The biased judge; people judged about so many queries, rather those that the model finds good.",
        tuple(partial(of_a_choice, *each) for each in itertools.product((*POPULATIONS, HARDEST), HOW, (50,))),
        """\
Taken for random, such a sample misleads wherever the model and people part in another way among good queries than
among bad ones. With the probabilities the interval holds again.""",
    ),
)
