"""Intervals that are looked at again and again: how often one of them ever excludes the truth."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from calibration.lines import Line, Section, batches, rng_of
from calibration.populations import HARDEST, POPULATIONS, Floats, Population
from truerank import stats

LOOKS = 1000
FIXED = tuple(range(50, LOOKS + 1, 50))
"""When the interval for a fixed number of queries is looked at: twenty times."""

RESAMPLES = 1000
SAME, CHANGES = 50, 100
"""Queries that a hundred versions of a system are looked at with."""

EVER = (0.0, 0.055)
FAILS = (0.1, 1.0)

Intervals = Callable[..., list[stats.Interval]]


def of_new_queries(population: Population, is_paired: bool, collections: int) -> Line:
    """A thousand looks, each after one more query; of two systems alike in quality the difference is watched."""
    shares = dict.fromkeys(("betting", "bernstein", "fixed n, 20 looks"), 0.0)
    limits = (-1.0, 1.0) if is_paired else (0.0, 1.0)
    truth = 0.0 if is_paired else population.truth
    for seed, many in batches(collections):
        a, b = population.collections(rng_of(population.name, LOOKS, seed), LOOKS, 2, many)
        values = a - b if is_paired else a
        for method in ("betting", "bernstein"):
            watched = partial(stats.mean_sequence, limits=limits, method=method)
            shares[method] += sum(map(partial(excludes, watched, truth), values.T)) / collections
        method = "percentile" if is_paired else "bca"
        shares["fixed n, 20 looks"] += ever(values, truth, method, seed).sum() / collections
    what = f"{population.name}; difference" if is_paired else population.name
    return Line(what, LOOKS, shares, dict.fromkeys(shares, EVER) | {"fixed n, 20 looks": FAILS})


def excludes(watched: Intervals, truth: float, values: Floats) -> bool:
    """Whether any look did: the last interval is within all before it."""
    last = watched(values)[-1]
    return not last.low <= truth <= last.high


def ever(values: Floats, truth: float, method: str, seed: int) -> Floats:
    """Whether the intervals for a fixed number of queries did at one of their looks."""
    missed = np.zeros(values.shape[1], bool)
    for look in FIXED:
        found = stats.mean_intervals(values[:look], method=method, resamples=RESAMPLES, seed=seed)
        missed |= [not each.low <= truth <= each.high for each in found]
    return missed


def of_same_queries(population: Population, collections: int) -> Line:
    """A hundred versions of a system, each looked at with the same queries."""
    shares = dict.fromkeys(("betting", "bernstein", "fixed n, 20 looks"), 0.0)
    few = collections // 4
    for number in range(few):
        versions = population.collections(rng_of(population.name, SAME, number), SAME, CHANGES, 1)[:, :, 0]
        for method in ("betting", "bernstein"):
            missed = (
                excludes(
                    partial(stats.mean_sequence, confidence=stats.confidence_of_look(0.95, look), method=method),
                    population.truth,
                    values,
                )
                for look, values in enumerate(versions, 1)
            )
            shares[method] += any(missed) / few
        found = stats.mean_intervals(versions[:20].T, method="bca", resamples=RESAMPLES, seed=number)
        is_missed = any(not each.low <= population.truth <= each.high for each in found)
        shares["fixed n, 20 looks"] += is_missed / few
    return Line(population.name, SAME, shares, dict.fromkeys(shares, EVER) | {"fixed n, 20 looks": FAILS})


SECTIONS = (
    Section(
        "Watching new queries: how often an interval ever excludes the truth",
        f"""\
{LOOKS:,} looks, each after one more query that was not seen before. In the last four lines the difference of two
equally good systems is watched. Allowed are 5 %, over all looks together.""",
        (
            *(partial(of_new_queries, each, False) for each in (*POPULATIONS, HARDEST)),
            *(partial(of_new_queries, each, True) for each in POPULATIONS),
        ),
        """\
Confidence sequences keep their promise at all looks together, whatever the distribution. The interval for
a fixed number of queries (BCa of means, percentile of differences) is looked at only twenty times, after 50
queries, 100, …, and fails: its 95 % are those of one look that was chosen before.""",
    ),
    Section(
        "Watching the same queries: how often an interval ever excludes the truth",
        f"""\
{CHANGES} versions of a system, all equally good, each looked at with the same {SAME} queries. Look k may be wrong
with a probability of 5 % / (k (k + 1)); a quarter of the collections, for each has {CHANGES} looks.""",
        tuple(partial(of_same_queries, each) for each in POPULATIONS),
        """\
The levels of all looks add up to 5 %, and each interval holds for any number of queries, so that nothing is assumed
of how looks depend on one another, except that no version was chosen by how it scored on these queries. That is
paid for with width. The interval for a fixed number of queries is looked at for the first twenty versions.""",
    ),
)
