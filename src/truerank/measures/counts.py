"""Counts, which are summed over the queries and not averaged."""

from __future__ import annotations

import functools

import numpy as np

from truerank.core.hits import Hits
from truerank.core.messages import message
from truerank.measures.binary import found_within
from truerank.measures.registry import measure
from truerank.measures.sums import PerQuery
from truerank.measures.terms import Terms, count_of

count = functools.partial(measure, average="sum", unit=False, source="trec_eval")


@count("NumQ", "num_q", formula="1 a query", takes_unjudged_grades=True, monotone="ordered", sees_judged=False)
def queries(hits: Hits) -> PerQuery:
    """How many queries were evaluated.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1}, "r": {"b": 1}}, {"q": ["a"]}, "NumQ").mean
    {'NumQ': 2.0}
    """
    return np.ones(len(hits.queries))


@count(
    "NumRet",
    "num_ret",
    formula="n; with rel: Σ [r_i ≥ rel]",
    takes_unjudged_grades=True,
    monotone="ordered",
    sees_judged=False,
)
def returned(hits: Hits, *, rel: float | None = None) -> PerQuery:
    """How many documents were returned; with `rel`, how many of at least that grade.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 1}}, {"q": ["a", "x"]}, "NumRet NumRet(rel=1)").mean
    {'NumRet': 2.0, 'NumRet(rel=1)': 1.0}
    """
    return (hits.returned if rel is None else hits.relevant(rel).count).astype(np.float64)


@count("NumRel", "num_rel", formula="R", takes_unjudged_grades=True, monotone="rising")
def relevant(hits: Hits, *, level: float = 1) -> PerQuery:
    """How many relevant documents there are, found or not.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 1}}, {"q": ["a", "x"]}, "NumRel").mean
    {'NumRel': 2.0}
    """
    return hits.relevant_total(level).astype(np.float64)


@count("NumRelRet", "num_rel_ret", formula="N = Σ rel_i", takes_unjudged_grades=True, monotone="rising")
def relevant_returned(hits: Hits, *, level: float = 1) -> Terms:
    """How many relevant documents were returned.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 1}}, {"q": ["a", "x"]}, "NumRelRet").mean
    {'NumRelRet': 1.0}
    """
    return found_within(hits, level=level)


@count(
    "NumNonrelJudgedRet",
    "num_nonrel_judged_ret",
    formula="Σ [0 ≤ r_i < level]",
    sees_judged=True,
    monotone="ordered",
)
def nonrelevant_judged_returned(hits: Hits, *, level: float = 1) -> Terms:
    """How many documents were returned that were judged not relevant.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 0}}, {"q": ["a", "b", "x"]}, "NumNonrelJudgedRet").mean
    {'NumNonrelJudgedRet': 1.0}
    """
    wrong = hits.where((hits.grade >= 0) & (hits.grade < level))
    return Terms(wrong, words=lambda: count_of(message("was returned, judged and not relevant")))
