"""Measures of each aspect by itself: what a reader with one intent gets, on average over intents."""

from __future__ import annotations

import numpy as np

from truerank.core.hits import Hits
from truerank.measures.binary import average_precision, precision
from truerank.measures.registry import measure
from truerank.measures.sums import PerQuery
from truerank.measures.terms import Terms


def _values(found: PerQuery | Terms) -> PerQuery:
    return found.result if isinstance(found, Terms) else found


@measure(
    "StRecall",
    "strec",
    "subtopic_recall",
    "S_recall",
    "I_rec",
    "AspectRecall",
    formula="Σ_a w_a [a relevant document of a at rank ≤ k] / Σ_a w_a",
    source="Zhai, Cohen and Lafferty, Beyond independent relevance, SIGIR 2003; ndeval",
    monotone="no",
    needs="aspects",
)
def subtopic_recall(hits: Hits, *, k: int | None = None, level: float = 1) -> PerQuery:
    """The share of a query's aspects that some document returned answers.

    Aspects without a relevant document do not count; with weights it is the share of the weight.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}}}, {"q": ["a", "b"]}, "StRecall@1 StRecall").mean
    {'StRecall@1': 0.5, 'StRecall': 1.0}
    """
    by_aspect = hits.top(k).by_aspect
    return by_aspect.mean(np.minimum(by_aspect.hits.relevant(level).count, 1.0), level)


@measure(
    "P_IA",
    formula="Σ_a w_a P_a@k / Σ_a w_a",
    source="Agrawal, Gollapudi, Halverson and Ieong, Diversifying search results, WSDM 2009; ndeval",
    monotone="no",
    needs="aspects",
)
def intent_aware_precision(hits: Hits, *, k: int, level: float = 1) -> PerQuery:
    """How likely one of the first k documents answers what a reader is after, with one aspect in mind.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}}}, {"q": ["a", "b"]}, "P_IA@2").mean
    {'P_IA@2': 0.75}
    """
    by_aspect = hits.by_aspect
    return by_aspect.mean(_values(precision(by_aspect.hits, k=k, level=level)), level)


@measure(
    "AP_IA",
    "MAP_IA",
    formula="Σ_a w_a AP_a / Σ_a w_a",
    source="Agrawal, Gollapudi, Halverson and Ieong, Diversifying search results, WSDM 2009; ndeval",
    monotone="no",
    needs="aspects",
)
def intent_aware_ap(hits: Hits, *, k: int | None = None, level: float = 1) -> PerQuery:
    """The average precision for a reader with one aspect in mind.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}}}, {"q": ["a", "b"]}, "AP_IA").mean
    {'AP_IA': 0.75}
    """
    by_aspect = hits.by_aspect
    return by_aspect.mean(_values(average_precision(by_aspect.hits, k=k, level=level)), level)
