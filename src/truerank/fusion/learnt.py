"""Methods of fusion that learn from judgements what a place in each run's list is worth."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from truerank.fusion.learning import SEGMENTS, by_doubling, by_rank, by_share, mean_precision, odds
from truerank.fusion.pooled import Floats, Ints, Pooled, of_runs, settled
from truerank.fusion.ranks import ASLAM
from truerank.fusion.registry import Count, Scores, Tables, method

LILLIS = (
    "Lillis, Zhang, Toolan, Collier, Leonard and Dunnion, Estimating probabilities for effective data fusion, "
    "SIGIR 2010"
)
SLIDING = (
    "Lillis, Toolan, Collier and Dunnion, Extending probabilistic data fusion using sliding windows, ECIR 2008"
)
LEAST_ODDS = float(np.log(0.001 / 0.999))
"""The log odds of relevance of a document that a run does not return."""


def _at(pool: Pooled, tables: Sequence[Sequence[float] | Floats], places: Ints, beyond: float = 0.0) -> Floats:
    """(rows,) what the table of each row's run has at a place, from 0 on; `beyond` after its end."""
    length = np.array([len(table) for table in tables])
    values = np.concatenate([*(np.asarray(table, np.float64) for table in tables), [beyond]])
    place = (np.cumsum(length) - length)[pool.run] + places
    return values[np.where((places >= 0) & (places < length[pool.run]), place, -1)]


@method("bayesfuse", source=ASLAM, reads="ranks", learns={"log_odds": odds})
def bayesfuse(pool: Pooled, *, log_odds: Tables) -> Floats:
    """The sum of the log odds of relevance at the document's ranks."""
    more = pool.added(_at(pool, log_odds, pool.rank - 1, LEAST_ODDS) - LEAST_ODDS)
    return settled(more + pool.runs * LEAST_ODDS, more)


@method("mapfuse", source=LILLIS, reads="ranks", learns={"map_scores": mean_precision})
def mapfuse(pool: Pooled, *, map_scores: Scores) -> Floats:
    """The sum of the run's mean average precision / rank."""
    return pool.added(of_runs(pool, map_scores) / pool.rank)


@method("posfuse", source=LILLIS, reads="ranks", learns={"probs": by_rank})
def posfuse(pool: Pooled, *, probs: Tables) -> Floats:
    """The sum of the probabilities of relevance at the document's ranks."""
    return pool.added(_at(pool, probs, pool.rank - 1))


@method(
    "probfuse",
    source="Lillis, Toolan, Collier and Dunnion, ProbFuse: a probabilistic approach to data fusion, SIGIR 2006",
    reads="ranks",
    learns={"probs": by_share},
    segments=(1, 2, 3, 5, 10, 15, 20, 25, 30, 40, 50, 75, 100),
)
def probfuse(pool: Pooled, *, probs: Tables) -> Floats:
    """The sum of P(relevant in the k-th segment of the list) / k."""
    segments = np.array([max(1, len(table)) for table in probs])[pool.run]
    segment = (pool.rank - 1) // -(-pool.length // segments)
    return pool.added(_at(pool, probs, segment) / (segment + 1))


@method(
    "segfuse",
    source="Shokouhi, Segmentation of search results for effective data-fusion, ECIR 2007",
    reads="scores",
    adds=True,
    learns={"probs": by_doubling},
)
def segfuse(pool: Pooled, *, probs: Tables) -> Floats:
    """The sum of P(relevant in a segment) times the score + 1; segments double in length down the list."""
    segment = np.searchsorted(SEGMENTS, pool.rank - 1, side="right") - 1
    return pool.added(_at(pool, probs, segment) * (pool.score + 1))


@method(
    "slidefuse",
    source=SLIDING,
    reads="ranks",
    learns={"probs": by_rank},
    w=(1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 75, 100),
)
def slidefuse(pool: Pooled, *, probs: Tables, w: Count) -> Floats:
    """The sum of the mean probabilities of relevance from w ranks above to w ranks below the document's."""
    summed = [np.concatenate([[0.0], np.cumsum(table)]) for table in probs]
    place, length = pool.rank - 1, np.array([len(table) for table in probs])[pool.run]
    begin, end = np.maximum(place - w, 0), np.minimum(place + w, pool.length - 1) + 1
    upper, lower = (_at(pool, summed, np.minimum(at, length)) for at in (end, begin))
    return pool.added((upper - lower) / (end - begin))
