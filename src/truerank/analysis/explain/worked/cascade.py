"""On paper: measures of a reader who walks down the list and stops."""

from __future__ import annotations

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
def rank_biased_precision(
    case: Case, *, k: int | None, p: float, level: float, gain: str, max_grade: float | None
) -> Worked:
    """What a reader finds who goes on with probability p."""
    most = _most(case, gain, max_grade)
    gains = [(hit, *_gain(hit, most, level)) for hit in case.top(k)]
    steps = (
        Step(hit, f"{how} × {p}^{hit.rank - 1}", numbers, value * patience(p, hit.rank))
        for hit, how, numbers, value in gains
        if value > 0
    )
    read = added("Σ", message("gain × p^(rank − 1)"), steps).shared(lambda value: (1.0 - p) * value)
    lines = (
        Line("p", message("the chance that the reader goes on"), p),
        *([] if most is None else [most]),
        Line("Σ", message("the sum"), read.value),
        Line(case.measure, f"(1 − {p}) × {{}}", (1.0 - p) * read.value, (read.value,)),
    )
    return Worked((read,), lines)


def _gain(hit: Hit, most: Line | None, level: float) -> tuple[str, tuple[float, ...], float]:
    """What a document is worth, between 0 and 1: how, its numbers, and what it comes to."""
    if most is None:
        return "1", (), float(hit.grade >= level)
    grade = min(max(hit.grade, 0.0), most.value)
    return "{} / {}", (whole(grade), most.value), quotient(grade, most.value)


def _most(case: Case, gain: str, max_grade: float | None) -> Line | None:
    """The grade that is worth 1; None where every relevant document is."""
    if gain == "binary":
        return None
    if gain == "scaled":
        best = max(case.judged[0].grade if case.judged else 0.0, 1.0)
        return Line(message("max"), message("the highest grade of the query, at least 1"), whole(best))
    if max_grade is None:
        return Line(message("max"), message("the highest grade of the collection"), whole(case.max_grade))
    return Line(message("max"), message("the highest grade there could be"), whole(max_grade))


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
