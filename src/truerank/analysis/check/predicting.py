"""Gates on what people judged of some queries and a model of all."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from truerank.analysis.check.figures import Figures
from truerank.analysis.check.result import Verdict
from truerank.core.errors import InputError
from truerank.core.messages import Message, joined, message

if TYPE_CHECKING:
    from truerank.stats import Interval, PredictedMean


def of_mean(figures: Figures, name: str, confidence: float) -> tuple[Interval | None, str] | None:
    """Where the mean of such an estimate may lie, and how it was made; None where it is of plain scores."""
    if figures.predicted is None:
        return None
    mean = replace(figures.predicted, confidence=confidence)[name]
    return mean.interval, _made(mean)


def of_difference(blank: Verdict, one: Figures, other: Figures, confidence: float) -> Verdict | None:
    """What is known of the difference to a baseline, yet to be decided; None where both are plain scores.

    Raises:
        InputError: only one of them is such an estimate; or they are not of the same judgements.
    """
    if one.predicted is None and other.predicted is None:
        return None
    if one.predicted is None or other.predicted is None:
        alone = one if one.predicted is None else other
        raise InputError(
            "one side is estimated from people's and a model's judgements, and this one is not: estimate both",
            alone.name,
        )
    differences = replace(one.predicted, confidence=confidence).against(other.predicted)
    mean = differences[one.predicted.heading(blank.name)]
    interval = mean.interval
    return replace(blank, value=interval.estimate, interval=interval, queries=mean.n, note=_made(mean))


def _made(mean: PredictedMean) -> Message:
    """Who judged how many queries, and whether that is enough to say where it may lie."""
    made = message("people judged {n:,} of {all:,} queries, and the model all", n=mean.n, all=mean.of)
    few = message("too few to say where it may lie")
    return joined(", ", [made, few]) if mean.interval.method == "none" else made
