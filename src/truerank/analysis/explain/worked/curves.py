"""On paper: precision against recall: points, eleven points, the area below."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from truerank.analysis.explain.worked.binary import precisions, ranks, relevant_total
from truerank.analysis.explain.worked.case import Case, Hit
from truerank.analysis.explain.worked.form import Line, Worked
from truerank.analysis.explain.worked.registry import works
from truerank.core.messages import Message, message
from truerank.measures.curves import Rounding, nth_for


def reading(recall: float, rounding: Rounding) -> Message:
    """Which relevant document stands for a recall, by each rounding."""
    values = {"recall": recall, "a": "{a}"}
    if rounding == "round":
        return message("{recall} × {a}, rounded, at least 1", **values)
    if rounding == "up":
        return message("{recall} × {a} + 0.9, rounded down, at least 1", **values)
    return message("{recall} × {a}, rounded up, at least 1", **values)


def best_from(found: list[Hit]) -> list[float]:
    """At each relevant document the highest precision there or further down."""
    best, heights = 0.0, []
    for nth in range(len(found), 0, -1):
        best = max(best, nth / found[nth - 1].rank)
        heights.append(best)
    return heights[::-1]


def _point(name: str, recall: float, total: int, rounding: Rounding, found: list[Hit], result: str) -> list[Line]:
    """Two lines: which relevant document stands for a recall, and the highest precision from there on."""
    nth, heights = int(nth_for(recall, np.array([total]), rounding)[0]), best_from(found)
    first = Line(name, reading(recall, rounding), nth, (total,))
    if nth > len(found):
        return [first, Line(result, message("0, as only {a} relevant documents were returned"), 0.0, (len(found),))]
    at = max(range(nth, len(found) + 1), key=lambda n: n / found[n - 1].rank)
    how = message("the highest from relevant document {a} on: {b} / {c}")
    return [first, Line(result, how, heights[nth - 1], (nth, at, found[at - 1].rank))]


@works("IPrec")
def interpolated_precision(case: Case, *, recall: float, level: float, rounding: Rounding) -> Worked:
    """Interpolated precision at a recall."""
    found, total = case.relevant(level), case.total(level)
    point = _point("c", recall, total, rounding, found, case.measure)
    heights = replace(precisions(ranks(found), ()), name=message("precision"), is_added=False)
    return Worked((heights,), (relevant_total(total), *point))


@works("AP11")
def eleven_point_precision(case: Case, *, level: float, recalls: Sequence[float], rounding: Rounding) -> Worked:
    """The mean height at eleven recalls."""
    found, total = case.relevant(level), case.total(level)
    points = [_point("", r, total, rounding, found, message("at {recall:g}", recall=r))[1] for r in sorted(recalls)]
    height = functools.reduce(operator.add, [point.value for point in points[::-1]])
    summed = Line("Σ", message("the heights, from the highest recall down"), height)
    result = Line(case.measure, "{} / {}", height / len(points), (height, len(points)))
    return Worked((), (relevant_total(total), *points, summed, result))
