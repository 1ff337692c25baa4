"""Precision against recall: points, the eleven points, and the area below."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import Literal

import numpy as np

from truerank.core.hits import Hits
from truerank.core.messages import message
from truerank.measures.binary import average_precision
from truerank.measures.parameters import Points, Share
from truerank.measures.registry import measure
from truerank.measures.sums import Floats, Ints, PerQuery, ratio
from truerank.measures.terms import Terms, Words, relevant

Rounding = Literal["round", "up", "definition"]
"""Which relevant document stands for recall x of R: x R rounded, ⌊x R + 0.9⌋, or the first with a recall >= x."""

ELEVEN = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def sawtooth(hits: Hits, query: int, *, level: float = 1) -> tuple[Floats, Floats]:
    """Recall and precision of one query after each of its results.

    >>> import truerank as tr
    >>> hits = tr.rank({"q": {"a": 1, "b": 1}}, {"q": ["a", "x", "b"]})
    >>> recall, precision = sawtooth(hits, 0)
    >>> recall.tolist(), precision.round(3).tolist()
    ([0.5, 0.5, 1.0], [1.0, 0.5, 0.667])
    """
    found = hits.relevant(level)
    ranks = np.arange(1, hits.returned[query] + 1)
    so_far = np.searchsorted(found.rank[found.query == query], ranks, side="right")
    return ratio(so_far, hits.relevant_total(level)[query]), ratio(so_far, ranks)


def interpolated(hits: Hits, recalls: Sequence[float], *, level: float = 1, rounding: Rounding = "round") -> Floats:
    """(recalls, queries) the highest precision at each recall or any higher one.

    >>> import truerank as tr
    >>> hits = tr.rank({"q": {"a": 1, "b": 1}}, {"q": ["a", "x", "b"]})
    >>> interpolated(hits, [0, 0.5, 1]).round(3).tolist()
    [[1.0], [1.0], [0.667]]
    """
    found = hits.relevant(level)
    best = found.best_from_here(found.ordinal / found.rank)
    start = np.cumsum(found.count) - found.count
    out = np.zeros((len(recalls), len(hits.queries)))
    for row, recall in zip(out, recalls, strict=True):
        nth = nth_for(recall, hits.relevant_total(level), rounding)
        reached = nth <= found.count
        row[reached] = best[(start + nth - 1)[reached]]
    return out


def nth_for(recall: float, total: Ints, rounding: Rounding) -> Ints:
    """Which relevant document stands for a recall, at least the first; halves are rounded up, as C does.

    By definition the first with n / R >= recall. The product may err: 0.7 × 3 is 2.0999999999999996. The quotient
    is rounded as the recall was when it was read, so that comparing them decides rightly.
    """
    exact = recall * total
    whole = np.floor(exact)
    if rounding == "up":
        return np.asarray(np.maximum(np.floor(exact + 0.9), 1), np.int64)
    is_short = exact - whole >= 0.5 if rounding == "round" else ratio(whole, total) < recall
    return np.asarray(np.maximum(whole + is_short, 1), np.int64)


@measure(
    "IPrec",
    "iprec_at_recall",
    at="recall",
    formula="max precision from relevant document c on; c = round(r R), up: ⌊r R + 0.9⌋, definition: ⌈r R⌉",
    source="van Rijsbergen, Information Retrieval, 1979; trec_eval iprec_at_recall",
    divides_by="relevant",
    monotone="stepped",
)
def interpolated_precision(
    hits: Hits, *, recall: Share, level: float = 1, rounding: Rounding = "round"
) -> PerQuery:
    """Interpolated precision: the best precision from the rank on at which this recall is reached.

    The textbook's "highest precision at any recall ≥ r" is rounding="definition".

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 1}}, {"q": ["a", "x", "y", "b"]}, "IPrec@0.5 IPrec@1").mean
    {'IPrec@0.5': 1.0, 'IPrec@1': 0.5}
    """
    return np.asarray(interpolated(hits, [recall], level=level, rounding=rounding)[0])


@measure(
    "AP11",
    "11pt_avg",
    "11pt",
    formula="mean of IPrec at recall 0.0, 0.1 … 1.0",
    source="Salton and McGill, Introduction to Modern Information Retrieval, 1983; trec_eval 11pt_avg",
    divides_by="relevant",
    monotone="stepped",
)
def eleven_point_precision(
    hits: Hits, *, level: float = 1, recalls: Points = ELEVEN, rounding: Rounding = "round"
) -> PerQuery:
    """The mean height of the interpolated precision-recall curve at eleven recalls, or at those given.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 1}}, {"q": ["a", "x", "y", "b"]}, "AP11(recalls=(0.5, 1))").mean
    {'AP11(recalls=(0.5, 1))': 0.75}
    """
    points = interpolated(hits, sorted(recalls), level=level, rounding=rounding)
    return np.asarray(functools.reduce(operator.add, points[::-1]) / len(points))


@measure(
    "AUPRC",
    formula="step: AP; trapezoid: Σ (precision before + at hit) / 2R; interpolated: Σ max from hit on / R",
    source="Davis and Goadrich, The relationship between precision-recall and ROC curves, ICML 2006",
    divides_by="relevant",
    monotone="stepped",
)
def area_under_curve(
    hits: Hits, *, level: float = 1, area: Literal["step", "trapezoid", "interpolated"] = "step"
) -> Terms:
    """The area under the precision-recall curve; as steps it is AP.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1}}, {"q": ["x", "a"]}, "AUPRC AUPRC(area='trapezoid')").mean
    {'AUPRC': 0.5, "AUPRC(area='trapezoid')": 0.25}
    """
    if area != "interpolated":
        return average_precision(hits, level=level, area=area)
    found = hits.relevant(level)
    highest, total = found.best_from_here(found.ordinal / found.rank), hits.relevant_total(level)

    def words() -> Words:
        return Words(message("highest precision from it on"), None, relevant(total), lost_from=level)

    return Terms(found, highest, total, words)
