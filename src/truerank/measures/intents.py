"""Measures of each aspect by itself: what a reader with one intent gets, on average over intents."""

from __future__ import annotations

from truerank.core.hits import Hits
from truerank.measures.binary import average_precision, precision
from truerank.measures.gains import ideal_ranking
from truerank.measures.graded import ndcg
from truerank.measures.parameters import Worth
from truerank.measures.registry import measure
from truerank.measures.sums import PerQuery


@measure(
    "P_IA",
    formula="Σ_a w_a P_a@k / Σ_a w_a",
    source="Agrawal, Gollapudi, Halverson and Ieong, Diversifying search results, WSDM 2009; ndeval",
    monotone="no",
    sees_judged=False,
    needs="aspects",
)
def intent_aware_precision(hits: Hits, *, k: int, level: float = 1) -> PerQuery:
    """How likely one of the first k documents answers what a reader is after, with one aspect in mind.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}}}, {"q": ["a", "b"]}, "P_IA@2").mean
    {'P_IA@2': 0.75}
    """
    by_aspect = hits.by_aspect
    return by_aspect.mean(precision(by_aspect.hits, k=k, level=level).result, level)


@measure(
    "AP_IA",
    "MAP_IA",
    formula="Σ_a w_a AP_a / Σ_a w_a",
    source="Agrawal, Gollapudi, Halverson and Ieong, Diversifying search results, WSDM 2009; ndeval",
    divides_by="relevant",
    monotone="no",
    sees_judged=False,
    needs="aspects",
)
def intent_aware_ap(hits: Hits, *, k: int | None = None, level: float = 1) -> PerQuery:
    """The average precision for a reader with one aspect in mind.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}}}, {"q": ["a", "b"]}, "AP_IA").mean
    {'AP_IA': 0.75}
    """
    by_aspect = hits.by_aspect
    return by_aspect.mean(average_precision(by_aspect.hits, k=k, level=level).result, level)


@measure(
    "nDCG_IA",
    formula="Σ_a w_a nDCG_a@k / Σ_a w_a",
    source="Agrawal, Gollapudi, Halverson and Ieong, Diversifying search results, WSDM 2009",
    divides_by="gain",
    monotone="no",
    sees_judged=False,
    needs="aspects",
)
def intent_aware_ndcg(hits: Hits, *, k: int | None = None, gain: Worth = "linear") -> PerQuery:
    """How close the list comes to the best one for a reader with one aspect in mind.

    Aspects without a document that gains do not count. No list is best for all of them: 1 is seldom within reach.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}}}, {"q": ["a", "b"]}, "nDCG_IA@1 nDCG_IA@2").mean
    {'nDCG_IA@1': 0.5, 'nDCG_IA@2': 0.8154648767857288}
    """
    by_aspect = hits.by_aspect
    values = ndcg(by_aspect.hits, k=k, gain=gain).result
    return by_aspect.over(values, ideal_ranking(by_aspect.hits, gain).count > 0)
