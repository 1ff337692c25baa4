"""Novelty: what documents add to those above them, and the list that adds most at each rank."""

from __future__ import annotations

import numpy as np

from truerank.core.aspects import Aspects, Floats, Ints
from truerank.core.hits import UNJUDGED, Hits
from truerank.core.kernel import counting

SHARED = 20
"""Cutoffs up to here share one greedy ranking."""


def novelty(hits: Hits, level: float, alpha: float) -> Floats:
    """(hits,) what each adds: the weights of the aspects that it is relevant to, each times (1 − alpha) for every
    relevant document of the aspect above it."""
    aspects, judged = hits.aspects, np.where(hits.grade > UNJUDGED, hits.doc, -1)
    if aspects is None:
        return np.zeros(len(hits))
    return counting.novelty(judged, aspects.start, aspects.aspect, aspects.grade, level, alpha, aspects.weight)


def asked(hits: Hits, level: float) -> Floats:
    """(queries,) the weight of the aspects that have a relevant document: what a perfect document adds."""
    aspects = hits.aspects
    if aspects is None:
        return np.zeros(len(hits.queries))
    weight = np.where(aspects.is_answered(level), aspects.weight, 0.0)
    own = aspects.owner >= 0
    sums: Floats = np.bincount(aspects.owner[own], weight[own], len(hits.queries))  # type: ignore[assignment]
    return sums


def greedy(hits: Hits, level: float, alpha: float, k: int | None) -> Hits:
    """The ranking that at each rank has the document that adds most; of several, the one whose id sorts last.

    The best possible ranking is NP-hard to find; this one is what ndeval and the papers compare with, and what it
    gains is at least 1 − 1/e of the best. Its rows are the first k documents that are relevant to some aspect.
    """
    aspects, size = hits.aspects, SHARED if k is not None and k <= SHARED else -1
    if aspects is None or aspects.ids is None:
        none = np.zeros(0, np.int64)
        return hits.listed(none, none, np.zeros(0))
    query, doc = aspects.once(("greedy", level, alpha, size), lambda: _picks(aspects, level, alpha, size))
    return hits.listed(query, doc, np.zeros(len(doc))).top(k)


def _picks(aspects: Aspects, level: float, alpha: float, k: int) -> tuple[Ints, Ints]:
    """The query and the document of each pick, k a query; all of them for -1."""
    begin, end, text = aspects.ids or (aspects.start, aspects.start, b"")
    return counting.Greedy(
        aspects.start, aspects.aspect, aspects.grade, aspects.weight, level, alpha, begin, end, text
    ).order(aspects.owner, k)


def best_by(hits: Hits, worth: Floats) -> Hits:
    """The ranking by a worth of each document, of those that have one above 0.

    Args:
        worth: (judgements or more,) of each.
    """
    aspects = hits.aspects
    doc = np.flatnonzero(worth > 0)
    if aspects is None:
        return hits.listed(doc[:0], doc[:0], np.zeros(0))
    query = aspects.owner[aspects.aspect[aspects.start[doc]]]
    order = np.lexsort((-worth[doc], query))
    order = order[query[order] >= 0]
    return hits.listed(query[order], doc[order], np.zeros(len(order)))
