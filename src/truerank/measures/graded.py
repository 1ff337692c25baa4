"""Measures that know how relevant a document is."""

from __future__ import annotations

from truerank.hits import Hits
from truerank.measures.gains import Gain, gains
from truerank.measures.registry import measure
from truerank.measures.sums import PerQuery, ratio


def dcg(hits: Hits, gain: Gain) -> PerQuery:
    """The sum of the gains, each divided by the logarithm of its rank."""
    return hits.sum(gains(hits.grade, gain) / hits.discount)


@measure("nDCG", "ndcg", "ndcg_cut", formula="DCG@k / DCG@k of the ideal ranking")
def ndcg(hits: Hits, *, k: int | None = None, gain: Gain = "linear") -> PerQuery:
    """How close the list comes to the best possible one, the top counting most and better grades more.

    Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", 2002.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 2}}, {"q": {"a": 3.0, "b": 2.0}}, "nDCG@10")["nDCG@10"].round(4).tolist()
    [0.8597]
    """
    return ratio(dcg(hits.top(k), gain), dcg(hits.ideal.top(k), gain))
