"""Shares as percentages, in what people read; data keeps fractions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from truerank.core.messages import message
from truerank.measures import Measure

if TYPE_CHECKING:  # `eval` also imports this, and starts without statistics
    from truerank.analysis.compare import Comparison, Outcome, Pair

HUNDRED = 100
"""A share times this is a percentage."""

DIGITS = {False: 4, True: 2}
"""Digits after the point of fractions, and of percentages, unless another number is asked for."""


def is_share(measure: Measure) -> bool:
    """Whether its values lie between 0 and 1, so that they can be percentages."""
    return measure.definition.unit and measure.definition.average != "sum"


def in_percent(comparison: Comparison) -> Comparison:
    """The comparison with the means of shares, and their differences, times 100; its `scores` keep fractions."""
    slices = {value: in_percent(part) for value, part in comparison.slices.items()}
    return replace(comparison, outcomes=tuple(map(_outcome, comparison.outcomes)), slices=slices)


def note(measures: Mapping[str, Measure]) -> str:
    """What is in percent, and what cannot be."""
    others = no_shares(measures)
    if not others:
        return message("In percent.")
    return message("In percent, except {measures}.", measures=", ".join(others))


def no_shares(measures: Mapping[str, Measure]) -> list[str]:
    """The names of the measures that cannot be in percent."""
    return [name for name, measure in measures.items() if not is_share(measure)]


def named(outcomes: Iterable[Outcome]) -> dict[str, Measure]:
    """The measures of a comparison by their names in it."""
    return {outcome.name: outcome.measure for outcome in outcomes}


def _outcome(outcome: Outcome) -> Outcome:
    if not is_share(outcome.measure):
        return outcome
    means = {name: mean.times(HUNDRED) for name, mean in outcome.means.items()}
    is_log = outcome.measure.definition.average == "geometric"  # its differences are of logarithms, not shares
    pairs = outcome.pairs if is_log else tuple(map(_pair, outcome.pairs))
    return replace(outcome, means=means, pairs=pairs, widest=float(HUNDRED))


def _pair(pair: Pair) -> Pair:
    return replace(pair, difference=pair.difference.times(HUNDRED), detectable=pair.detectable * HUNDRED)
