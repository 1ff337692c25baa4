"""Comparisons of systems with several runs, which count beside queries in intervals and in p."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from truerank import stats
from truerank.analysis.compare.outcome import MAX_T, concluded
from truerank.analysis.compare.result import OVER_RUNS, Outcome, Pair, Procedure
from truerank.core.equal import difference
from truerank.core.errors import InputError
from truerank.core.messages import listed
from truerank.core.scores import averaged
from truerank.measures import Measure
from truerank.measures.sums import PerQuery
from truerank.stats import Correction, Interval, Spread

Runs = Mapping[str, PerQuery]
"""{system: (queries, runs)}, of the systems whose runs vary."""


def with_runs(procedure: Procedure, varying: Sequence[str]) -> Procedure:
    """The procedure, where these systems have several runs that vary: a t-test that counts queries and runs.

    Raises:
        InputError: a test or a correction is asked for that knows queries alone.
    """
    if not varying:
        return procedure
    if procedure.test not in ("randomization", "t"):
        raise InputError(
            "the test {test} knows queries alone, and there are several runs of {systems}: leave the test out, or "
            "compare one run of each system",
            test=procedure.test,
            systems=listed(varying),
        )
    if procedure.correction == MAX_T:
        raise InputError(
            "max-t knows queries alone, and there are several runs of {systems}: correct by holm, or compare one "
            "run of each system",
            systems=listed(varying),
        )
    return replace(procedure, test=OVER_RUNS)


def over_runs(over_queries: Outcome, values: PerQuery, runs: Runs, procedure: Procedure) -> Outcome:
    """The outcome of a measure where systems have several runs, from the outcome that only counts queries.

    Args:
        over_queries: by t-tests.
        values: (queries, systems) of those with several runs, the means over runs.
        runs: (queries, runs) of these.
    """
    measure, names = over_queries.measure, list(over_queries.means)
    kept = np.isfinite(values).all(axis=1)
    if kept.sum() < 2:
        return over_queries
    known = {name: stats.components(averaged(measure, table[kept])) for name, table in runs.items()}
    plain = dict(zip(names, averaged(measure, values[kept]).T, strict=True))
    spreads: dict[tuple[str, ...], Spread] = {(name,): stats.spread(plain[name], known[name]) for name in known}
    for pair in over_queries.pairs:
        own = [known[name] for name in (pair.system, pair.against) if name in known]
        apart = difference(plain[pair.system], plain[pair.against])
        spreads[pair.system, pair.against] = stats.spread(apart, *own)
    means = {
        name: widened(measure, mean, spreads[name,]) if name in known else mean
        for name, mean in over_queries.means.items()
    }
    pairs = _pairs(measure, over_queries, spreads, procedure)
    over_both = concluded(measure, over_queries.queries, over_queries.left_out, means, pairs, procedure)
    return replace(over_both, spreads={who: spread for who, spread in spreads.items() if spread.systems})


def _pairs(
    measure: Measure, outcome: Outcome, spreads: Mapping[tuple[str, ...], Spread], procedure: Procedure
) -> tuple[Pair, ...]:
    """The pairs with p, intervals and the least difference detected, by queries and runs."""
    many = outcome.queries if measure.definition.average == "sum" else 1
    pairs = []
    for pair in outcome.pairs:
        spread = spreads[pair.system, pair.against]
        if spread.of_runs:
            pair = replace(
                pair,
                p=spread.p(pair.difference.estimate / many),
                difference=spread.widened(pair.difference.times(1 / many)).times(many),
                detectable=many * spread.detectable(alpha=procedure.level(len(outcome.pairs))),
            )
        pairs.append(pair)
    p = stats.adjust([pair.p for pair in pairs], cast("Correction", procedure.correction)) if pairs else ()
    return tuple(replace(pair, adjusted=float(each)) for pair, each in zip(pairs, p, strict=True))


def widened(measure: Measure, mean: Interval, spread: Spread) -> Interval:
    """The interval of the measure's number, widened by way of the plain mean behind it, such as of logarithms."""
    average = measure.definition.average
    if not spread.of_runs or not math.isfinite(mean.high - mean.low):
        return mean
    if average == "sum":
        return spread.widened(mean.times(1 / spread.queries)).times(spread.queries)
    if average == "geometric":
        middle, low, high = (
            math.log(end) if end > 0 else -math.inf for end in (mean.estimate, mean.low, mean.high)
        )
        wide = spread.widened(replace(mean, estimate=middle, low=low, high=high))
        return replace(wide, estimate=mean.estimate, low=math.exp(wide.low), high=math.exp(wide.high))
    wide = spread.widened(mean)
    return wide.within(0.0, 1.0) if measure.definition.unit else wide
