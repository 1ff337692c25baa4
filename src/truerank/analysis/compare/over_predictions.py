"""Comparisons of systems for which people judged some queries and a model all."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from truerank import stats
from truerank.analysis.compare.naming import by_name
from truerank.analysis.compare.outcome import CORRECTIONS, TESTS, concluded, direction, pairs_of
from truerank.analysis.compare.prediction_powered import Predicted
from truerank.analysis.compare.result import Outcome, Pair, Procedure
from truerank.core.equal import are_equal, difference, is_equal
from truerank.core.errors import InputError
from truerank.core.messages import alternatives
from truerank.measures import Measure
from truerank.stats import PredictedMean
from truerank.stats.predicted import POWERED


def predictions(runs: Any) -> dict[str, Predicted]:
    """{name: estimate} where the systems are estimates of people's and a model's judgements; else nothing.

    Raises:
        TruerankError: only some of them are; or they are not of the same queries, judged alike.
    """
    things = by_name(runs)
    estimates = {name: thing for name, thing in things.items() if isinstance(thing, Predicted)}
    if estimates and len(estimates) < len(things):
        other = next(name for name in things if name not in estimates)
        raise InputError(
            "some systems are estimated from people's and a model's judgements, and this one is not: "
            "estimate all of them (tr.predicted)",
            other,
        )
    first, *others = estimates.values() or [None]
    for one in others:
        cast("Predicted", first).refuse_other(cast("Predicted", one))
    return estimates


def under_prediction(procedure: Procedure, is_sliced: bool) -> Procedure:
    """The procedure with the test that such systems have.

    Raises:
        InputError: another test or correction is asked for, or slices.
    """
    if is_sliced:
        raise InputError("slices of a few judged queries say too little: leave out by")
    if procedure.test != TESTS[0]:
        raise InputError(
            "where people judged some queries and a model all, the test is prediction-powered: leave out "
            "test = {test}",
            test=procedure.test,
        )
    if procedure.correction not in CORRECTIONS[:-1]:
        raise InputError(
            "p of people's and a model's judgements are corrected by {corrections}, not by {correction}",
            corrections=alternatives(CORRECTIONS[:-1]),
            correction=procedure.correction,
        )
    return replace(procedure, test=POWERED)


def outcome_predicted(measure: Measure, systems: Mapping[str, Predicted], procedure: Procedure) -> Outcome:
    """The outcome of a measure: means and differences over all queries, wins and losses on the judged ones."""
    names, name = list(systems), str(measure)
    first = replace(next(iter(systems.values())), confidence=procedure.confidence)
    people = np.column_stack([one.people.columns[name] for one in systems.values()])
    model = np.column_stack([one.model.columns[name] for one in systems.values()])
    means = [estimates.interval for estimates in first.powered(people, model, "skewed-t", [measure] * len(names))]
    places = pairs_of(names, procedure)
    pairs: Sequence[Pair] = ()
    if places:
        a, b = (list(side) for side in zip(*places, strict=True))
        between, by_model = difference(people[:, a], people[:, b]), difference(model[:, a], model[:, b])
        estimates = first.powered(between, by_model, "t", [measure] * len(places))
        p = np.array([one.p for one in estimates])
        adjusted = stats.adjust(p, cast("stats.Correction", procedure.correction)).tolist()
        alpha = procedure.level(len(places))
        sign = direction(measure) or 1
        pairs = [
            _pair((names[i], names[j]), one, adjusted[at], between[:, at] * sign, alpha)
            for at, ((i, j), one) in enumerate(zip(places, estimates, strict=True))
        ]
    return concluded(measure, len(people), 0, dict(zip(names, means, strict=True)), pairs, procedure)


def _pair(who: tuple[str, str], mean: PredictedMean, adjusted: float, gained: Any, alpha: float) -> Pair:
    """One system against another; effect, wins and losses are of the judged queries."""
    won, tied, lost = (int(np.count_nonzero(each)) for each in (gained > 0, are_equal(gained, 0), gained < 0))
    least = math.nan
    if mean.freedom >= 1 and mean.error:
        queries = round(mean.freedom) + 1
        least = stats.smallest_detectable(mean.error * queries**0.5, queries, alpha=alpha)
    return Pair(*who, mean.interval, mean.p, adjusted, _effect(mean), won, tied, lost, least)


def _effect(mean: PredictedMean) -> float:
    """The difference on the judged queries in units of its spread; without spread, as in `stats.effect`."""
    if mean.n == 1:
        return math.nan
    if is_equal(mean.judged.estimate, 0.0):
        return 0.0
    spread = mean.alone**0.5
    return mean.judged.estimate / spread if spread else math.copysign(math.inf, mean.judged.estimate)
