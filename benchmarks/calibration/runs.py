"""Intervals and tests of systems with several runs: on other queries, and by other runs."""

from __future__ import annotations

import itertools
from functools import partial

import numpy as np
from scipy.special import ndtr

from calibration.lines import COVERS, LEVEL, NO_MORE, QUERIES, Line, Section, batches, contained, rng_of
from calibration.populations import ALIKE, POPULATIONS, Floats, Population
from truerank import stats

RUNS = (2, 3, 5, 10)

MOST = 2000
"""Collections of a line, as each is drawn anew for each ratio."""

OWN = 0.2
"""How much of a score is a system's own with a query, and how much a run's own with it, beside what is shared."""

RATIOS = {"nothing between runs": 0.0, "a fifth": 0.25, "half": 1.0, "three quarters": 3.0}
"""By what part of the variance of a mean is between runs: how that part is to the part between queries."""

MIXED = tuple(itertools.product((POPULATIONS[1], POPULATIONS[3]), RUNS, QUERIES))


def values_of(
    population: Population, rng: np.random.Generator, n: int, runs: int, between: float, many: int
) -> Floats:
    """(2 systems, many, n, runs) scores of equally good systems; each value by itself is one of the population.

    Args:
        between: the variance between runs, where that of queries is `ALIKE` + `OWN`.
    """
    queries = np.sqrt(ALIKE) * rng.standard_normal((1, many, n, 1))
    of_system = np.sqrt(OWN) * rng.standard_normal((2, many, n, 1))
    rest = np.sqrt(OWN) * rng.standard_normal((2, many, n, runs))
    of_run = np.sqrt(between) * rng.standard_normal((2, many, 1, runs))
    normal = (queries + of_system + rest + of_run) / np.sqrt(1 + between)
    last = len(population.scores) - 1
    return population.scores[np.minimum((ndtr(normal) * (last + 1)).astype(int), last)]


def of_a_mean(population: Population, runs: int, n: int, collections: int) -> Line:
    """The interval of a mean, and what knows queries alone or runs alone."""
    collections = min(collections, MOST)
    shares: dict[str, float] = {}
    for (name, ratio), (seed, many) in itertools.product(RATIOS.items(), batches(collections)):
        rng, between = rng_of(f"{population.name}{runs}{name}", n, seed), ratio * (runs * (ALIKE + OWN) + OWN) / n
        values = values_of(population, rng, n, runs, between, many)[0]
        of_queries = stats.mean_intervals(values.mean(axis=2).T, seed=seed)
        spreads = [stats.spread(each.mean(axis=1), stats.components(each)) for each in values]
        both = [one.widened(known) for one, known in zip(spreads, of_queries, strict=True)]
        of_runs = [stats.spread(each.mean(axis=0)) for each in values]
        found = {name: contained(both, population.truth)}
        if name == "half":
            found["half: queries only"] = contained(of_queries, population.truth)
        if name == "a fifth":
            means = zip(values.mean(axis=(1, 2)), of_runs, strict=True)
            found["a fifth: runs only"] = sum(
                abs(mean - population.truth) <= one.half_width() for mean, one in means
            )
        for column, hits in found.items():
            shares[column] = shares.get(column, 0.0) + hits / collections
    return Line(f"{population.name}; {runs} runs", n, shares, _bands(runs))


def of_a_difference(population: Population, runs: int, n: int, collections: int) -> Line:
    """The interval of the difference of two equally good systems; how often p says that they differ."""
    collections = min(collections, MOST)
    shares: dict[str, float] = {}
    for (name, ratio), (seed, many) in itertools.product(RATIOS.items(), batches(collections)):
        rng, between = rng_of(f"{population.name}{runs}{name} −", n, seed), ratio * (runs * OWN + OWN) / n
        a, b = values_of(population, rng, n, runs, between, many)
        one, other = a.mean(axis=2), b.mean(axis=2)
        of_queries = stats.difference_intervals(one.T, other.T, seed=seed)
        spreads = [
            stats.spread(first - second, stats.components(x), stats.components(y))
            for first, second, x, y in zip(one, other, a, b, strict=True)
        ]
        both = [each.widened(known) for each, known in zip(spreads, of_queries, strict=True)]
        found = {name: contained(both, 0.0)}
        if name == "half":
            found["half: queries only"] = contained(of_queries, 0.0)
            found["half: p ≤ 5 %"] = sum(
                each.p(known.estimate) <= LEVEL for each, known in zip(spreads, of_queries, strict=True)
            )
        for column, hits in found.items():
            shares[column] = shares.get(column, 0.0) + hits / collections
    return Line(f"{population.name}; {runs} runs each", n, shares, _bands(runs, "half: p ≤ 5 %"))


def _bands(runs: int, *more: str) -> dict[str, tuple[float, float]]:
    """Two runs, and runs that make most of the variance, are told only."""
    judged = list(RATIOS)[:3]
    return {} if runs == 2 else dict.fromkeys(judged, COVERS) | dict.fromkeys(more, NO_MORE)


SECTIONS = (
    Section(
        "Intervals of a mean over several runs",
        """\
A system has several runs, such as those of other seeds, on the same queries. The columns tell how much of the
variance of the mean is between runs: nothing, a fifth, half, three quarters. Up to 2,000 collections a line. Beside
them stand the naive intervals: one that knows queries only, and Student's of the means of the runs.""",
        (*(partial(of_a_mean, *each) for each in MIXED),),
        """\
An interval that knows queries only, or runs only, is wrong as soon as the other part counts. Two runs have a
single degree of freedom between them: their lines are shown without being judged, as is the last column, and
`compare` warns of two runs. Where runs make up most of the variance, take three or more. The degrees of freedom are
Satterthwaite's with a variance between runs that is larger than its estimate where runs are few; with the estimate
itself, intervals of two or three runs are too short.""",
    ),
    Section(
        "Intervals of a difference of systems with several runs",
        """\
Two systems that are equally good, each with as many runs of its own, on the same queries; the columns are as above.
Up to 2,000 collections a line.""",
        (*(partial(of_a_difference, *each) for each in MIXED),),
        """\
The t-test that counts queries and runs finds a difference where there is none as seldom as its level says.
What knows queries only finds one in up to 17 % where half of the variance is between runs.""",
    ),
)
