"""Norms: scores of different systems made comparable, each list by itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from truerank.core.errors import InputError, quoted, truncated
from truerank.core.messages import did_you_mean, message
from truerank.fusion.pooled import Floats, Pooled, settled

LEAST = -1021
"""The least exponent whose power of 2 has a finite inverse."""

LOWEST = 0.001
"""What OpenSearch gives a list's lowest score, that it counts for more than no score."""


def _highest(pool: Pooled) -> Floats:
    """(rows,) the highest score of each row's list: it is the first."""
    highest: Floats = pool.score[np.arange(len(pool.rank)) - pool.rank + 1]
    return highest


def _lowest(pool: Pooled) -> Floats:
    """(rows,) the lowest score of each row's list: it is the last."""
    lowest: Floats = pool.score[np.arange(len(pool.rank)) - pool.rank + pool.length]
    return lowest


def _total(pool: Pooled, values: Floats) -> Floats:
    """(rows,) the sum of values over each row's list, from left to right."""
    return np.asarray(np.bincount(pool.of, values, pool.returned.size), np.float64)[pool.of]


def _scaled(pool: Pooled) -> Pooled:
    """Each list times a power of 2, between -1 and 1: sums, differences and squares are neither infinite nor 0."""
    _, exponent = np.frexp(np.maximum(abs(_highest(pool)), abs(_lowest(pool))))
    return replace(pool, score=pool.score * np.ldexp(1.0, -np.maximum(exponent, LEAST)))


def min_max(pool: Pooled) -> Pooled:
    """The lowest score of a list becomes 0, the highest 1; all become 0 where all are equal."""
    pool = _scaled(pool)
    low = _lowest(pool)
    return _divided(pool, pool.score - low, _highest(pool) - low)


def min_max_inverted(pool: Pooled) -> Pooled:
    """For distances, of which less is better: the lowest becomes 1, the highest 0; ranks are turned round too."""
    scaled = _scaled(pool)
    high = _highest(scaled)
    turned = _divided(pool, high - scaled.score, high - _lowest(scaled))
    order = np.lexsort((pool.rank, pool.score, pool.of))  # equal scores keep their order
    rank = np.empty_like(pool.rank)
    rank[order] = pool.rank  # those of each list, 1, 2, …, stand where they stood
    return replace(turned, rank=rank)


def min_max_opensearch(pool: Pooled) -> Pooled:
    """The lowest score of a list becomes 0.001, the highest 1; all become 1 where all are equal (OpenSearch)."""
    normed = min_max(pool)
    score = np.where(normed.score > 0, normed.score, LOWEST)
    return replace(normed, score=np.where(_highest(pool) > _lowest(pool), score, 1.0))


def by_max(pool: Pooled) -> Pooled:
    """Each score divided by the list's highest."""
    high = _highest(pool)
    wrong = (high < 0) | ((high == 0) & (pool.score < 0))
    if wrong.any():
        query = pool.queries[int(pool.of[wrong.argmax()]) // pool.runs]
        raise InputError(
            "no score of query {query} is above 0, and norm='max' divides by the highest one; "
            "take norm='min-max', or norm='zmuv'",
            query=truncated(query),
        )
    return _divided(pool, pool.score, high)


def by_sum(pool: Pooled) -> Pooled:
    """The lowest score becomes 0, and the sum of a list 1; all become 0 where all are equal."""
    pool = _scaled(pool)
    above = pool.score - _lowest(pool)
    return _divided(pool, above, _total(pool, above))


def zmuv(pool: Pooled) -> Pooled:
    """Zero mean, unit variance: all become 0 where all are equal."""
    pool = _scaled(pool)
    spread = _highest(pool) - _lowest(pool)
    centred = settled(pool.score - _total(pool, pool.score) / pool.length, spread)
    centred = np.where(spread > 0, centred, 0)
    return _divided(pool, centred, np.sqrt(_total(pool, centred**2) / pool.length))


def dbsf(pool: Pooled) -> Pooled:
    """Three standard deviations (of a sample) below the mean become 0, three above it 1; 1/2 where all are equal.

    Distribution-based score fusion (Mazzeschi, 2023), as Qdrant has it.
    """
    standard = zmuv(pool)
    return replace(standard, score=0.5 + standard.score * np.sqrt(1 - 1 / pool.length) / 6)


def l2(pool: Pooled) -> Pooled:
    """Each score divided by the root of the sum of the list's squares; all stay 0 where all are 0."""
    pool = _scaled(pool)
    return _divided(pool, pool.score, np.sqrt(_total(pool, pool.score**2)))


def by_rank(pool: Pooled) -> Pooled:
    """The first document gets 1, each next one 1 / the length of the list less."""
    return replace(pool, score=1 - (pool.rank - 1) / pool.length)


def borda(pool: Pooled) -> Pooled:
    """As votes: the first of c candidates gets 1, each next one 1/c less; those not returned share what is left.

    A run that does not answer a query has no vote there.
    """
    runs, documents = pool.runs, len(pool.query)
    rank = np.zeros((documents, runs), np.int64)
    rank[pool.doc, pool.run] = pool.rank
    candidates = pool.candidates[pool.query][:, None]
    unranked = 0.5 - (pool.returned[pool.query] - 1) / (2 * candidates)
    score = np.where(rank > 0, 1 - (rank - 1) / candidates, unranked)
    doc = np.repeat(np.arange(documents), runs)
    of = pool.query[doc] * runs + np.tile(np.arange(runs), documents)
    votes = (pool.returned[pool.query] > 0).ravel()
    return replace(pool, doc=doc[votes], of=of[votes], score=score.ravel()[votes], rank=rank.ravel()[votes])


def _divided(pool: Pooled, scores: Floats, by: Floats) -> Pooled:
    """The pool with these scores, each divided by its divisor; 0 where that is 0."""
    return replace(pool, score=np.divide(scores, by, out=np.zeros_like(scores), where=by > 0))


NORMS: dict[str, Callable[[Pooled], Pooled]] = {
    "min-max": min_max,
    "min-max-inverted": min_max_inverted,
    "min-max-opensearch": min_max_opensearch,
    "max": by_max,
    "sum": by_sum,
    "zmuv": zmuv,
    "dbsf": dbsf,
    "l2": l2,
    "rank": by_rank,
    "borda": borda,
}
"""By the names that ranx has for them, and those that it does not have by their services'."""


def norm_named(name: str | None) -> str | None:
    """The name of a norm as it stands in `NORMS`, however it was written; None and "none" are none.

    >>> norm_named("min_max")
    'min-max'
    """
    folded = name.lower().replace("_", "-") if isinstance(name, str) else name
    if folded is None or (isinstance(folded, str) and folded in ("none", *NORMS)):
        return None if folded == "none" else folded
    raise InputError(
        "there is no norm {norm}.{hint} There is {known}",
        norm=quoted(name),
        hint=did_you_mean(str(name), NORMS),
        known=message("{names}, or none", names=", ".join(NORMS)),
    )
