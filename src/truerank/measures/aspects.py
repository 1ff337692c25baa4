"""Measures of all that a question asks for: its aspects, hops or nuggets, and how many of them were answered."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truerank.core.hits import Bools, ByAspect, Hits
from truerank.core.messages import message
from truerank.measures.novelty import asked, novelty
from truerank.measures.registry import measure
from truerank.measures.sums import Floats, PerQuery, ratio
from truerank.measures.terms import Quantity, Terms, Words

FULL = 1.0
"""The grade of a document that answers an aspect in full; a lower one above 0 answers a part of it."""


@measure(
    "StRecall",
    "strec",
    "subtopic_recall",
    "S_recall",
    "I_rec",
    "AspectRecall",
    formula="Σ_a w_a [a relevant document of a at rank ≤ k] / Σ_a w_a",
    source="Zhai, Cohen and Lafferty, Beyond independent relevance, SIGIR 2003; ndeval",
    divides_by="relevant",
    monotone="no",
    sees_judged=False,
    needs="aspects",
)
def subtopic_recall(hits: Hits, *, k: int | None = None, level: float = 1) -> Terms:
    """The share of a query's aspects that some document returned answers.

    Aspects without a relevant document do not count; with weights it is the share of the weight.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}}}, {"q": ["a", "b"]}, "StRecall@1 StRecall").mean
    {'StRecall@1': 0.5, 'StRecall': 1.0}
    """
    top, weight = hits.top(k), asked(hits, level)
    added = novelty(top, level, 1.0)
    of = message("weight of newly answered aspects")
    return Terms(top, added, weight, lambda: Words(of, divisor=weight_asked(weight), name="Σ", listed=added))


def weight_asked(weight: PerQuery) -> Quantity:
    """What a document would add that answers every aspect, in words."""
    return Quantity("W", message("the weight of aspects with a relevant document"), weight)


@measure(
    "Complete",
    "all_found",
    "full_coverage",
    formula="1 if every aspect has a relevant document at rank ≤ k, else 0",
    source="multi-hop question answering: all of the evidence; Yang et al., HotpotQA, EMNLP 2018",
    monotone="no",
    sees_judged=False,
    needs="aspects",
)
def complete(hits: Hits, *, k: int | None = None, level: float = 1) -> PerQuery:
    """Whether every aspect of a query is answered by some document returned: all of the evidence, or none.

    Aspects without a relevant document do not count; a query that has no others scores 0.

    >>> import truerank as tr
    >>> hops = {"q": [["bio", "obituary"], ["birthplace"]]}  # any of a list answers it
    >>> tr.evaluate(hops, {"q": ["obituary", "x", "birthplace"]}, "Complete@2 Complete@3").mean
    {'Complete@2': 0.0, 'Complete@3': 1.0}
    """
    by_aspect = hits.top(k).by_aspect
    asked_for = is_asked(by_aspect, level)
    lacking = by_aspect.sum(asked_for & ~is_answered(by_aspect, level))
    return np.where((lacking == 0) & (by_aspect.sum(asked_for) > 0), 1.0, 0.0)


@measure(
    "Chain",
    formula="the aspects before the first that has no relevant document at rank ≤ k / all aspects",
    source="multi-hop question answering: each hop needs those before it",
    divides_by="relevant",
    monotone="no",
    sees_judged=False,
    needs="aspects",
)
def chain(hits: Hits, *, k: int | None = None, level: float = 1) -> PerQuery:
    """How far a reader comes who needs the answer to each aspect before the next: the share of them in order.

    The order is that of their names, 2 before 10. Aspects without a relevant document do not count.

    >>> import truerank as tr
    >>> hops = {"q": [["a"], ["b"], ["c"]]}
    >>> tr.evaluate(hops, {"q": ["a", "c", "b"]}, "Chain@2 Chain@3").mean
    {'Chain@2': 0.3333333333333333, 'Chain@3': 1.0}
    """
    by_aspect = hits.top(k).by_aspect
    asked_for = is_asked(by_aspect, level)
    broken = np.cumsum(asked_for & ~is_answered(by_aspect, level))
    first = np.searchsorted(by_aspect.query, np.arange(by_aspect.size))  # the first aspect of each query
    before = np.concatenate([[0], broken])[first]
    return ratio(by_aspect.sum(asked_for & (broken == before[by_aspect.query])), by_aspect.sum(asked_for))


@measure(
    "NuggetRecall",
    vital_score={"vital": True},
    all_score={},
    strict_vital_score={"vital": True, "strict": True},
    strict_all_score={"strict": True},
    formula="Σ_a min(best grade of a at rank ≤ k, 1) / all aspects; strict: 1 for a grade of 1, else 0",
    source="Pradeep et al., Initial nugget evaluation results for the TREC 2024 RAG Track, 2024; nuggetizer",
    meanings={
        "strict=True": "The share of the nuggets asked for that what was returned supports in full.",
        "vital=True": "The share of the vital nuggets that what was returned supports; one in part counts a half.",
    },
    monotone="no",
    sees_judged=False,
    needs="aspects",
)
def nugget_recall(hits: Hits, *, k: int | None = None, vital: bool = False, strict: bool = False) -> PerQuery:
    """The share of a query's nuggets that what was returned supports; a nugget supported in part counts a half.

    A grade of 1 is full support, one below it that part. `strict` counts full support alone; `vital` only nuggets
    of the weight 1 (okay ones have less). A query without any scores 0.

    >>> import truerank as tr
    >>> support = {"q": {"answer": {"born in 1867": 1, "in Warsaw": 0.5, "two prizes": 0}}}
    >>> tr.evaluate(support, {"q": ["answer"]}, "NuggetRecall NuggetRecall(strict=True)").mean
    {'NuggetRecall': 0.5, 'NuggetRecall(strict=True)': 0.3333333333333333}
    """
    nuggets = Nuggets.of(hits, k, vital, strict)
    return ratio(nuggets.by_aspect.sum(nuggets.support * nuggets.is_asked), nuggets.by_aspect.sum(nuggets.is_asked))


@dataclass(frozen=True, eq=False)
class Nuggets:
    """The nuggets of queries.

    Attributes:
        support: (nuggets,) that of each, from 0 to 1.
        is_asked: (nuggets,) which count.
    """

    by_aspect: ByAspect
    support: Floats
    is_asked: Bools

    @classmethod
    def of(cls, hits: Hits, k: int | None, vital: bool, strict: bool) -> Nuggets:
        """The nuggets, supported by the first k results; arguments as for `nugget_recall`."""
        by_aspect = hits.top(k).by_aspect
        best = np.zeros(len(by_aspect.query))
        np.maximum.at(best, by_aspect.hits.query, np.minimum(by_aspect.hits.grade, FULL))
        support = (best >= FULL).astype(np.float64) if strict else best
        return cls(by_aspect, support, by_aspect.weight >= FULL if vital else np.ones(len(best), bool))


def is_asked(by_aspect: ByAspect, level: float) -> Bools:
    """(aspects,) whether some document is relevant to each, found or not; no other counts."""
    return by_aspect.hits.relevant_total(level) > 0


def is_answered(by_aspect: ByAspect, level: float) -> Bools:
    """(aspects,) whether some document that was returned is relevant to each."""
    return by_aspect.hits.relevant(level).count > 0
