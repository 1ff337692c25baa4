"""Measures of a reader who walks down the list and stops."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from truerank.analysis.explain.worked.case import Case, Hit
from truerank.analysis.explain.worked.form import Line, Step, Worked, added, quotient, whole
from truerank.analysis.explain.worked.registry import works
from truerank.core.messages import message
from truerank.measures.sums import powers


def patience(p: float, rank: int) -> float:
    """p to the power of the ranks before this one, as the engine multiplies it."""
    return float(powers(p, np.array([rank - 1]))[0])


@works("RBP")
def rank_biased_precision(case: Case, *, k: int | None, p: float, level: float, gain: str) -> Worked:
    """What a reader finds who goes on with probability p."""
    gains = [(hit, *_gain(case, hit, gain, level)) for hit in case.top(k)]
    steps = (
        Step(hit, f"{how} × {p}^{hit.rank - 1}", numbers, value * patience(p, hit.rank))
        for hit, how, numbers, value in gains
        if value > 0
    )
    read = added("Σ", message("gain × p^(rank − 1)"), steps).shared(lambda value: (1.0 - p) * value)
    lines = (
        Line("p", message("the chance that the reader goes on"), p),
        *_highest(case, gain),
        Line("Σ", message("the sum"), read.value),
        Line(case.measure, f"(1 − {p}) × {{}}", (1.0 - p) * read.value, (read.value,)),
    )
    return Worked((read,), lines)


def _gain(case: Case, hit: Hit, gain: str, level: float) -> tuple[str, tuple[float, ...], float]:
    """What a document is worth, between 0 and 1: how, its numbers, and what it comes to."""
    if gain == "binary":
        return "1", (), float(hit.grade >= level)
    highest = case.max_grade if gain == "graded" else _best(case)
    return "{} / {}", (whole(hit.grade), whole(highest)), quotient(max(hit.grade, 0.0), highest)


def _best(case: Case) -> float:
    """The highest grade of the query, at least 1."""
    return max(case.judged[0].grade if case.judged else 0.0, 1.0)


def _highest(case: Case, gain: str) -> list[Line]:
    if gain == "binary":
        return []
    if gain == "graded":
        return [Line(message("max"), message("the highest grade of the collection"), whole(case.max_grade))]
    return [Line(message("max"), message("the highest grade of the query, at least 1"), whole(_best(case)))]


@works("RBPResidual")
def rank_biased_residual(case: Case, *, k: int | None, p: float) -> Worked:
    """What RBP could still gain."""
    seen = [hit for hit in case.top(k) if hit.grade >= 0]
    weights = (Step(hit, f"{p}^{hit.rank - 1}", (), patience(p, hit.rank)) for hit in seen)
    known = added("Σ", message("p^(rank − 1) of what was judged"), weights)
    value = max(1.0 - (1.0 - p) * known.value, 0.0)
    lines = (
        Line("p", message("the chance that the reader goes on"), p),
        Line("Σ", message("the sum"), known.value),
        Line(case.measure, f"1 − (1 − {p}) × {{}}", value, (known.value,)),
    )
    return Worked((known,), lines)


@works("ERR")
def expected_reciprocal_rank(case: Case, *, k: int | None, max_grade: float | None) -> Worked:
    """Where the reader is satisfied."""
    highest = case.max_grade if max_grade is None else max_grade
    stops = added("Σ", message("R × (nobody stopped before) / rank"), _stops(case.top(k), float(highest))).over(1)
    lines = (
        Line(message("max"), message("the highest grade there could be"), whole(highest)),
        Line("R", message("(2^grade − 1) / 2^{a}, at most"), _chance(highest, highest), (whole(highest),)),
        Line(case.measure, message("the sum"), stops.value),
    )
    return Worked((stops,), lines)


def _stops(hits: list[Hit], highest: float) -> Iterator[Step]:
    reaching, above = 1.0, 0.0
    for n, hit in enumerate(hits):
        reaching = 1.0 - above if n == 0 else reaching * (1.0 - above)
        above = _chance(hit.grade, highest)
        if above > 0:
            yield Step(hit, "{} × {} / {}", (above, reaching, hit.rank), above * reaching / hit.rank)


def _chance(grade: float, highest: float) -> float:
    """(2^g − 1) / 2^highest."""
    return float(2.0 ** (min(max(float(grade), 0.0), highest) - highest) - 2.0**-highest)


@works("PFound")
def probability_found(
    case: Case, *, k: int | None, decay: float, chance: Mapping[float, float] | None, max_grade: float | None
) -> Worked:
    """Where the reader finds it."""
    highest = max(float(case.max_grade if max_grade is None else max_grade), 1.0)
    known = (
        message("the chance that is given for its grade")
        if chance is not None
        else message("grade / {a}, at most 1")
    )
    steps = _findings(case.top(k), chance, highest, decay)
    found = added("Σ", message("c × (nobody stopped before) × decay^(rank − 1)"), steps).over(1)
    lines = (
        Line(message("decay"), message("the chance that the reader goes on"), decay),
        Line("c", known, 1.0, () if chance is not None else (whole(highest),)),
        Line(case.measure, message("the sum"), found.value),
    )
    return Worked((found,), lines)


def _findings(
    hits: list[Hit], chance: Mapping[float, float] | None, highest: float, decay: float
) -> Iterator[Step]:
    reaching, above = 1.0, 0.0
    for n, hit in enumerate(hits):
        reaching = 1.0 - above if n == 0 else reaching * (1.0 - above)
        above = min(max(hit.grade / highest, 0.0), 1.0) if chance is None else _step(chance, hit.grade)
        if above > 0:
            value = above * reaching * patience(decay, hit.rank)
            yield Step(hit, f"{{}} × {{}} × {decay}^{hit.rank - 1}", (whole(above), reaching), value)


def _step(chance: Mapping[float, float], grade: float) -> float:
    """The chance of the highest grade that is given and not above this one."""
    return float(chance[max(reached)]) if (reached := [known for known in chance if known <= grade]) else 0.0
