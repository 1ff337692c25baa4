"""Methods of fusion that look at scores."""

from __future__ import annotations

import numpy as np

from truerank.fusion.pooled import Floats, Pooled, of_runs, settled
from truerank.fusion.registry import Amount, Weights, method

FOX = "Fox and Shaw, Combination of multiple searches, TREC-2, 1993"
LEE = "Lee, Analyses of multiple evidence combination, SIGIR 1997"
VOGT = "Vogt and Cottrell, Fusion via a linear combination of scores, Information Retrieval 1999"
GAMMA = np.arange(0, 2.01, 0.1).round(1).tolist()
OPENSEARCH = "OpenSearch, Normalization processor, 2.10, 2023"
WU = "Wu and Crestani, Data fusion with estimated weights, CIKM 2002"


@method("sum", source=FOX, reads="scores", adds=True)
def comb_sum(pool: Pooled) -> Floats:
    """The sum of the scores."""
    return pool.added(pool.score)


@method("mnz", source=FOX, reads="scores", adds=True)
def comb_mnz(pool: Pooled) -> Floats:
    """The sum of the scores, times the number of runs that return the document."""
    return comb_sum(pool) * pool.count


@method("anz", source=FOX, reads="scores")
def comb_anz(pool: Pooled) -> Floats:
    """The mean score over the runs that return the document."""
    return comb_sum(pool) / pool.count


@method("gmnz", source=LEE, reads="scores", adds=True, gamma=GAMMA)
def comb_gmnz(pool: Pooled, *, gamma: Amount) -> Floats:
    """The sum of the scores, times a power (gamma) of the number of runs that return the document."""
    return comb_sum(pool) * pool.count.astype(np.float64) ** gamma


@method("min", source=FOX, reads="scores")
def comb_min(pool: Pooled) -> Floats:
    """The lowest score."""
    lowest = np.full(len(pool.query), np.inf)
    np.minimum.at(lowest, pool.doc, pool.score)
    return lowest


@method("max", source=FOX, reads="scores")
def comb_max(pool: Pooled) -> Floats:
    """The highest score."""
    highest = np.full(len(pool.query), -np.inf)
    np.maximum.at(highest, pool.doc, pool.score)
    return highest


@method("med", source=FOX, reads="scores")
def comb_med(pool: Pooled) -> Floats:
    """The median score over the runs that return the document."""
    rows, count, each = np.sort(pool.table(pool.score, np.nan), axis=0), pool.count, np.arange(len(pool.query))
    low, high = rows[(count - 1) // 2, each], rows[count // 2, each]
    return settled(low + high, np.abs(low) + np.abs(high)) / 2


@method("wsum", source=VOGT, reads="scores", adds=True)
def weighted_sum(pool: Pooled, *, weights: Weights) -> Floats:
    """The weighted sum of the scores."""
    return pool.added(of_runs(pool, weights) * pool.score)


@method("geometric_mean", source=OPENSEARCH, reads="scores")
def geometric_mean(pool: Pooled, *, weights: Weights) -> Floats:
    """The weighted geometric mean of the scores above 0; 0 where there is none."""
    counting = of_runs(pool, weights) * (pool.score > 0)
    logs = pool.added(counting * np.log(np.where(pool.score > 0, pool.score, 1)))
    total = pool.added(counting)
    return np.where(total > 0, np.exp(logs / np.where(total > 0, total, 1)), 0.0)


@method("harmonic_mean", source=OPENSEARCH, reads="scores")
def harmonic_mean(pool: Pooled, *, weights: Weights) -> Floats:
    """The weighted harmonic mean of the scores above 0; 0 where there is none."""
    counting = of_runs(pool, weights) * (pool.score > 0)
    inverse = pool.added(counting / np.where(pool.score > 0, pool.score, 1))
    return pool.added(counting) / np.where(inverse > 0, inverse, 1)


@method("wmnz", source=WU, reads="scores", adds=True)
def weighted_mnz(pool: Pooled, *, weights: Weights) -> Floats:
    """The sum of the scores, times the sum of the weights of the runs that return the document."""
    return comb_sum(pool) * pool.added(of_runs(pool, weights))


@method("mixed", source=WU, reads="scores", adds=True)
def mixed(pool: Pooled, *, weights: Weights) -> Floats:
    """The weighted sum of the scores, times the root of the number of runs that return the document."""
    return weighted_sum(pool, weights=weights) * np.sqrt(pool.count)
