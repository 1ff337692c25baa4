"""Tests of two systems, and of all pairs of many."""

from __future__ import annotations

import itertools
from functools import partial

import numpy as np

from calibration.lines import HOLDS, LEVEL, NO_MORE, QUERIES, Line, Section, batches, rng_of
from calibration.populations import BINARY, HARDEST, POPULATIONS, Floats, Population
from truerank import stats

SYSTEMS = 6

FLIPS = 999
"""Sign patterns of a test with many systems: (hits + 1) / 1,000 can be exactly 0.05."""

AHEAD = 0.2
"""How much better some systems are, where some are."""

EACH = tuple(itertools.product(POPULATIONS, QUERIES))


def of_two_systems(population: Population, n: int, collections: int) -> Line:
    """Two systems that are equally good: how often is a difference found?"""
    shares = dict.fromkeys(stats.TESTS, 0.0)
    for seed, many in batches(collections):
        a, b = population.collections(rng_of(population.name, n, seed), n, 2, many)
        for name, test in stats.TESTS.items():
            found = (
                stats.randomizations(a, b, seed=seed)
                if name == "randomization"
                else [test(one, other) for one, other in zip(a.T, b.T, strict=True)]
            )
            shares[name] += sum(each.p <= LEVEL for each in found) / collections
    bands = dict.fromkeys(shares, HOLDS if population.is_judged else NO_MORE)
    return Line(population.name, n, shares, bands | {"sign": NO_MORE})


def of_many_systems(population: Population, n: int, better: int, collections: int) -> Line:
    """Six systems: how often is any difference found between two that are equally good?"""
    shares = dict.fromkeys(("max-T", "Tukey", "t with Holm"), 0.0)
    for number in range(collections):
        values = population.collections(rng_of(population.name, n, number), n, SYSTEMS, 1)[:, :, 0].T
        values[:, :better] += AHEAD
        found = false_alarms(values, better, number)
        shares = {name: share + found[name] / collections for name, share in shares.items()}
    band = NO_MORE if better or population.name == HARDEST.name else HOLDS
    bands = dict.fromkeys(shares, band) | {"t with Holm": NO_MORE}
    return Line(f"{population.name}; {better or 'none'} ahead", n, shares, bands)


def false_alarms(values: Floats, better: int, seed: int) -> dict[str, bool]:
    """Whether a pair of equally good systems was told apart, by each way to look at all pairs."""
    pairs = list(itertools.combinations(range(SYSTEMS), 2))
    is_equal = np.array([(one < better) == (other < better) for one, other in pairs])
    rows, columns = np.array(pairs).T
    p = {
        "max-T": stats.max_t(values, samples=FLIPS, seed=seed),
        "Tukey": stats.tukey_hsd(values).p[rows, columns],
        "t with Holm": stats.adjust([stats.paired_t(values[:, i], values[:, j]).p for i, j in pairs]),
    }
    return {name: bool((each[is_equal] <= LEVEL).any()) for name, each in p.items()}


SECTIONS = (
    Section(
        "Tests of two systems: how often they find a difference that is not there",
        "Both systems are equally good, and what is hard for one is hard for the other.",
        (*(partial(of_two_systems, *each) for each in (*EACH, *itertools.product([BINARY], QUERIES))),),
        """\
The sign test, and of values that are 0 or 1 also the randomization and Wilcoxon tests, know only a few outcomes:
one gives a p above 5 %, the next one a p well below it. They raise fewer false alarms than allowed, never more.""",
    ),
    Section(
        f"Tests of all pairs of {SYSTEMS} systems: how often any two equal ones are told apart",
        "",
        (
            *(partial(of_many_systems, *each, better=0) for each in EACH[:6]),
            *(partial(of_many_systems, *each, better=3) for each in EACH[:6:2]),
            *(partial(of_many_systems, HARDEST, 50, better=better) for better in (0, 3)),
        ),
        """\
Where no system is ahead, max-T and Tukey's test use up what is allowed. Where three are ahead of the other
three, nine of the fifteen pairs do differ, and only the others can raise a false alarm. Where 85 % of the queries
score 0, no test raises more false alarms than allowed, and t with Holm next to none.""",
    ),
)
