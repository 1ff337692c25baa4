"""Rows for unjudged documents, where rules give them a grade."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from truerank.core.hits import Hits, merged
from truerank.core.qrels import Ints


def with_unjudged(hits: Hits, grade: float, k: int | None) -> Hits:
    """The hits with a row of this grade for each unjudged document down to rank k, and for those tied with it.

    Ranks that no judged document has are those of unjudged ones. The judgements stay as they are.
    """
    made = ("unjudged", grade, k)
    return hits.once(made, lambda: _filled(hits.with_beyond, hits.limit(k), grade).cut(hits.depth))


def _filled(hits: Hits, deepest: int | None, grade: float) -> Hits:
    """The hits, with this grade in place of grades below 0, and with rows for the ranks between them."""
    listed = hits.returned if deepest is None else np.minimum(hits.returned, deepest)
    if deepest is not None:  # a group of ties that reaches further is taken whole
        reaching = hits.first <= deepest
        listed = listed.copy()
        np.maximum.at(listed, hits.query[reaching], hits.last[reaching])
    start = np.cumsum(listed) - listed
    query = np.repeat(np.arange(len(listed)), listed)
    rank = np.arange(len(query)) - start[query] + 1
    known = hits.rank <= listed[hits.query]
    free = np.ones(len(query), bool)
    free[(start[hits.query] + hits.rank - 1)[known]] = False
    query, rank = query[free], rank[free]
    unnamed = np.full(len(rank), -1)
    given = np.full(len(rank), float(grade))
    others = dict(query=query, rank=rank, grade=given, doc=unnamed, **_groups_at(hits, query, rank))
    graded = np.where(hits.grade < 0, float(grade), hits.grade)
    return merged(replace(hits, grade=graded), replace(hits, **others))


def _groups_at(hits: Hits, query: Ints, rank: Ints) -> dict[str, Any]:
    """The score and the group of ties at each rank, where a hit of its group tells; else a group of its own."""
    first, last, score = rank.copy(), rank.copy(), np.full(len(rank), math.nan)
    width = int(max(hits.last.max(initial=0), rank.max(initial=0))) + 2
    place = np.searchsorted(hits.query * width + hits.rank, query * width + rank)
    for row in (place - 1, place) if len(hits) else ():
        there = np.clip(row, 0, len(hits) - 1)
        same = (hits.query[there] == query) & (hits.first[there] <= rank) & (rank <= hits.last[there])
        for column, name in ((first, "first"), (last, "last"), (score, "score")):
            column[same] = getattr(hits, name)[there][same]
    return {"first": first, "last": last, "score": score}
