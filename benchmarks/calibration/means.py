"""Intervals of a mean, of a difference and of a share."""

from __future__ import annotations

import itertools
from functools import partial

import numpy as np

from calibration.lines import COVERS, QUERIES, Line, Section, batches, contained, rng_of
from calibration.populations import GRID, HARDEST, PLACES, POPULATIONS, RARE, Floats, Population
from truerank import stats

SHARES = (0.05, 0.1, 0.3, 0.5, 0.8)


def of_a_mean(population: Population, n: int, collections: int) -> Line:
    """Bootstrap intervals of a mean."""
    ways: dict[str, stats.Method | None] = {"default": None, "bca": "bca", "percentile": "percentile"}
    shares = dict.fromkeys(ways, 0.0)
    for seed, many in batches(collections):
        values = population.collections(rng_of(population.name, n, seed), n, 1, many)[0]
        for name, method in ways.items():
            found = stats.mean_intervals(values, method=method, seed=seed)
            shares[name] += contained(found, population.truth) / collections
    return Line(population.name, n, shares, {"default": COVERS} if population.is_judged else {})


def of_a_difference(population: Population, n: int, collections: int) -> Line:
    """Bootstrap intervals of the difference of two systems, one better than the other."""
    better = Population("", np.minimum(1.2 * population.scores, 1.0))
    shares = dict.fromkeys(("percentile", "bca"), 0.0)
    for seed, many in batches(collections):
        places = PLACES.collections(rng_of(population.name, n, seed), n, 2, many)
        a, b = (
            each.scores[(at * len(GRID)).astype(int)] for each, at in zip((better, population), places, strict=True)
        )
        for method in shares:
            found = stats.difference_intervals(a, b, method=method, seed=seed)
            shares[method] += contained(found, better.truth - population.truth) / collections
    return Line(population.name, n, shares, {"percentile": COVERS})


def of_a_share(share: float | None, n: int, collections: int) -> Line:
    """Exact intervals of a share: of one, or in each collection of its own."""
    many = 20 * collections
    rng = rng_of(f"share {share}", n, 0)
    if share is not None:
        return Line(f"{share:.0%}", n, covered(np.full(many, share), n, rng), {})
    bands = dict.fromkeys(stats.BINOMIAL, COVERS)
    return Line("any from 5 % to 95 %", n, covered(0.05 + 0.9 * rng.random(many), n, rng), bands)


def covered(truths: Floats, n: int, rng: np.random.Generator) -> dict[str, float]:
    """How many of the shares lie in the intervals around what was drawn from them."""
    ones = rng.binomial(n, truths)
    shares = {}
    for method in stats.BINOMIAL:
        found = [stats.mean_interval(np.arange(n) < k, method=method) for k in range(n + 1)]
        low, high = (np.array([getattr(each, side) for each in found])[ones] for side in ("low", "high"))
        shares[method] = float(((low <= truths) & (truths <= high)).mean())
    return shares


SECTIONS = (
    Section(
        "Intervals of a mean: how often they contain the truth",
        "",
        (
            *(partial(of_a_mean, *each) for each in itertools.product((*POPULATIONS, HARDEST), QUERIES)),
            *(partial(of_a_mean, *each) for each in ((RARE, 50), (RARE, 200))),
        ),
        """\
BCa repairs most of what skewed scores do to the percentile interval, which is shown beside it. Where 85 % of
the queries score 0, fifty queries hold about eight values that say anything, and no bootstrap keeps its promise.
So the default is BCa but where fewer than 10 values, and fewer than half, differ from the commonest one, all to
the same side: there it is the gamma interval of a weighted count (Fay and Feuer 1997), with the far tail of
Student's t. The last two lines are beyond what is asked: of fifty queries about three score at all. Intervals
of one or two such values are marked as unreliable all the same, and every command that shows them says so.""",
    ),
    Section(
        "Intervals of a difference",
        "Two systems on the same queries, one scoring up to a fifth higher.",
        (*(partial(of_a_difference, *each) for each in itertools.product(POPULATIONS, QUERIES)),),
        """\
Differences seldom lean to one side, and BCa corrects them by what is mostly noise: in the hard task with fifty
queries it falls below its band. So the percentile interval is the default here; BCa is shown beside it.""",
    ),
    Section(
        "Intervals of a share",
        """\
For measures that are 0 or 1, such as Success@k; twenty times as many collections. In the first two lines each
collection has a share of its own.""",
        (*(partial(of_a_share, *each) for each in itertools.product((None, *SHARES), QUERIES)),),
        """\
Successes are whole numbers, so no interval is right just as often as promised for every share. `binomial`
(Clopper and Pearson's) is never right less often than promised; it pays for that by being too wide near
either end. `mid-p` comes nearer to what is promised, and falls a little below it for some shares. truerank takes
`binomial`, since its promise holds for the very share at hand; `method="mid-p"` gives the other.""",
    ),
)
