"""Intervals of the agreement of judges, on documents and on the order of systems."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from calibration.lines import COVERS, QUERIES, Line, Section, rng_of
from calibration.populations import Floats
from truerank import stats
from truerank.stats.bootstrap import percentile_limits, reach, resampled_means

FEWER = 4
"""Each collection has documents, or systems, to be drawn anew: there is one for this many of other lines."""

MANY = 200_000
"""Queries that stand for all."""

RESAMPLES = 1_000

SHOWN = {
    "same grade": "equal",
    "kappa": "kappa",
    "kappa, quadratic": "kappa_quadratic",
    "alpha, ordinal": "alpha_ordinal",
    "AC1": "ac1",
    "AC2, quadratic": "ac2_quadratic",
}

AT_LEAST = (0.93, 1.0)
"""A tau of few systems has few values: an interval cannot contain the truth just as often as promised."""


@dataclass(frozen=True)
class Kind:
    """Judges of documents with four grades.

    Attributes:
        name: what a line calls them.
        relevance: how relevant documents are on average; fewer than 0 have a grade above 0.
        noise, leniency: how much a judge errs on each document, and on all of a query alike.
    """

    name: str
    relevance: float
    noise: float
    leniency: float

    def drawn(self, rng: np.random.Generator, n: int) -> tuple[Floats, np.ndarray]:
        """The grades of both judges on 4 to 20 documents of each of n queries, and the query of each."""
        query = np.repeat(np.arange(n), rng.integers(4, 21, size=n))
        true = rng.normal(self.relevance, 0.7, n)[query] + rng.normal(0, 1, len(query))
        own = rng.normal(0, self.leniency, (n, 2))[query] + rng.normal(0, self.noise, (len(query), 2))
        return np.digitize(true[:, None] + own + [0, 0.3], [0, 0.8, 1.6]).astype(float), query


KINDS = (
    Kind("people and a crowd", -0.8, 0.8, 0.5),
    Kind("careful people", -0.8, 0.3, 0.2),
    Kind("few relevant documents", -1.6, 0.8, 0.5),
)


@lru_cache
def truth(kind: Kind) -> dict[str, float]:
    """Each coefficient of all queries."""
    grades, query = kind.drawn(rng_of(kind.name, MANY, 0), MANY)
    whole = stats.Tallies.of(grades, query, MANY).whole
    return {shown: float(stats.OF_TWO[name](whole)) for shown, name in SHOWN.items()}


def of_judges(kind: Kind, n: int, collections: int) -> Line:
    """The coefficients of two judges."""
    chosen = {shown: stats.OF_TWO[name] for shown, name in SHOWN.items()}
    held, of_all, many = dict.fromkeys(SHOWN, 0), truth(kind), collections // FEWER
    for seed in range(many):
        grades, query = kind.drawn(rng_of(kind.name, n, seed + 1), n)
        tallies = stats.Tallies.of(grades, query, n, scale=range(4))
        for name, each in stats.coefficient_intervals(tallies, chosen, resamples=RESAMPLES, seed=seed).items():
            held[name] += each.low <= of_all[name] <= each.high
    return Line(kind.name, n, shares_of(held, many), dict.fromkeys(SHOWN, COVERS))


def of_an_order(systems: int, is_close: bool, n: int, collections: int) -> Line:
    """Tau and tau-AP of systems by two judges, whose population means are drawn too."""
    held, many = dict.fromkeys(("tau", "tau-AP", "tau, resampled"), 0), collections // FEWER
    spread, apart = (0.03, 0.03) if is_close else (0.05, 0.01)
    for seed in range(many):
        rng = rng_of(f"order {systems} {is_close}", n, seed)
        own, bias = rng.normal(0, spread, systems), rng.normal(0, apart, systems)
        true = np.stack([own + bias, own - bias])
        noise = rng.normal(0, 0.25, (n, 1)) + rng.normal(0, 0.12, (n, systems))
        values = np.concatenate([mean + noise + rng.normal(0, 0.06, noise.shape) for mean in true], axis=1)
        drawn = resampled_means(values, RESAMPLES, seed).reshape(-1, 2, systems)
        means = values.mean(axis=0).reshape(2, systems)
        tau, by_top = stats.order_intervals(means[0], means[1], drawn, n, seed=seed)
        low, high = percentile_limits(stats.kendall_taus(drawn[:, 0], drawn[:, 1]), reach(0.95, n))
        right = stats.kendall_tau(*true)
        held["tau"] += _holds(tau.low, right, tau.high)
        held["tau-AP"] += _holds(by_top.low, stats.tau_ap(*true), by_top.high)
        held["tau, resampled"] += _holds(low, right, high)
    what = f"{systems} systems, {'close' if is_close else 'apart'}"
    return Line(what, n, shares_of(held, many), {"tau": AT_LEAST, "tau-AP": AT_LEAST})


def shares_of(held: dict[str, int], many: int) -> dict[str, float]:
    return {name: count / many for name, count in held.items()}


def _holds(low: float, value: float, high: float) -> bool:
    return low - 1e-9 <= value <= high + 1e-9


SECTIONS = (
    Section(
        "Agreement of judges",
        """\
Two judges with grades 0 to 3 on 4 to 20 documents of each query; a judge errs on documents, and is lenient or
strict on whole queries. A quarter as many collections as elsewhere, so that chance moves each number by ±1.4.""",
        (*(partial(of_judges, *each) for each in itertools.product(KINDS, QUERIES)),),
        """\
Queries are drawn anew with all their documents. Where the highest grades are rare, a few documents decide the
coefficients that square distances, and fifty queries hold too few of them: those intervals are then a little
short.""",
    ),
    Section(
        "Order of systems by two judges",
        """\
The means of systems by each judge are drawn from a population; `apart` and `close` are systems that differ by 0.05
or 0.03, while the judges' means of one system differ by 0.02 or 0.06. A quarter as many collections again.""",
        (
            *(partial(of_an_order, *each) for each in itertools.product((5, 20), (False, True), QUERIES)),
            partial(of_an_order, 50, True, 50),
        ),
        """\
Both judges see the same queries, and chance moves systems alike under both: the two orders agree more closely than
those of all queries would, and what lies between the tails of resamples misses the truth the oftener the closer and
the more the systems are. Empirical Bayes takes this out (Laird and Louis 1987). A tau of five systems has few
values, so that its interval contains the truth more often than promised.""",
    ),
)
