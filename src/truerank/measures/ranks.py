"""Measures that are ranks: where the relevant documents stand.

What is not among the first k counts as rank k + 1, so that an answer without a hit is the worst and not the best.
"""

from __future__ import annotations

import numpy as np

from truerank.core.hits import Hits
from truerank.measures.gains import gains, ideal_ranking
from truerank.measures.registry import measure
from truerank.measures.sums import PerQuery
from truerank.measures.terms import once_each


@measure(
    "FirstRank",
    "first_rank",
    "first_relevant_rank",
    unit=False,
    formula="the rank of the first relevant document; k + 1 without one in the first k",
    source="the rank whose reciprocal is RR@k: Kantor and Voorhees, The TREC-5 confusion track, 1996",
    takes_unjudged_grades=True,
    monotone="rising",
    lower_is_better=True,
)
def first_rank(hits: Hits, *, k: int, level: float = 1) -> PerQuery:
    """The rank of the first relevant document, k + 1 if none is among the first k results; less is better.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1}, "r": {"b": 1}}, {"q": ["x", "a"], "r": ["x"]}, "FirstRank@10").mean
    {'FirstRank@10': 6.5}
    """
    relevant = hits.relevant(level).top(k)
    first = relevant.where(relevant.ordinal == 1)
    return first.last_value(first.rank, k + 1.0)


@measure(
    "MeanRank",
    "mean_rank",
    unit=False,
    formula="Σ over relevant of min(rank, k + 1) / R; k + 1 where R is 0",
    source="Bordes et al., Translating embeddings for modeling multi-relational data, NIPS 2013",
    divides_by="relevant",
    monotone="stepped",
    lower_is_better=True,
)
def mean_rank(hits: Hits, *, k: int, level: float = 1) -> PerQuery:
    """The mean rank of the relevant documents, k + 1 for each not among the first k results; less is better.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 1}}, {"q": ["x", "a"]}, "MeanRank@3").mean
    {'MeanRank@3': 3.0}
    """
    relevant, total = once_each(hits.relevant(level).top(k)), hits.relevant_total(level)
    ranks = relevant.sum(relevant.rank) + (total - relevant.count) * (k + 1.0)
    return np.where(total > 0, ranks / np.maximum(total, 1), k + 1.0)


@measure(
    "ARP",
    unit=False,
    formula="Σ over judged of grade × min(rank, k + 1) / Σ grade; k + 1 where that is 0",
    source="Average Relevance Position, TensorFlow Ranking ARPMetric",
    divides_by="gain",
    monotone="ordered",
    sees_judged=False,
    lower_is_better=True,
)
def average_relevance_position(hits: Hits, *, k: int) -> PerQuery:
    """The mean rank of the judged documents weighted by grade, k + 1 for those not in the first k; less is better.

    TensorFlow Ranking weighs the queries by their grades in the mean; here each weighs the same.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 3, "b": 1}}, {"q": ["a", "x", "b"]}, "ARP@10").mean
    {'ARP@10': 1.5}
    """
    top, ideal = once_each(hits.top(k)), ideal_ranking(hits, "linear")
    worth = gains(top.grade, "linear")
    weight = ideal.sum(ideal.grade)
    ranks = top.sum(worth * top.rank) + np.maximum(weight - top.sum(worth), 0.0) * (k + 1.0)
    return np.where(weight > 0, ranks / np.where(weight > 0, weight, 1.0), k + 1.0)
