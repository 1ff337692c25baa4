"""Methods of fusion that look at ranks, and at votes."""

from __future__ import annotations

import numpy as np

from truerank.core.equal import CLOSE
from truerank.fusion.pooled import Floats, Pooled, of_runs, summed
from truerank.fusion.registry import Amount, Persistence, Share, Weights, method

MOURAO = (
    "Mourão, Martins and Magalhães, Multimodal medical information retrieval with unsupervised rank fusion, "
    "Computerized Medical Imaging and Graphics 2015"
)
ASLAM = "Aslam and Montague, Models for metasearch, SIGIR 2001"
MONTAGUE = "Montague and Aslam, Condorcet fusion for improved retrieval, CIKM 2002"
CORMACK = (
    "Cormack, Clarke and Büttcher, Reciprocal rank fusion outperforms Condorcet and individual rank learning "
    "methods, SIGIR 2009"
)
BAILEY = "Bailey, Moffat, Scholer and Thomas, Retrieval consistency in the presence of query variations, SIGIR 2017"
PHI = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99)
SIGMA = np.arange(0.01, 1.001, 0.03).round(2).tolist()
PAIRS = 1 << 22
"""Pairs of documents that are compared at once."""


@method("rrf", source=CORMACK, reads="ranks", k=range(10, 101, 10))
def rrf(pool: Pooled, *, k: Amount = 60) -> Floats:
    """The sum of 1 / (k + rank)."""
    return weighted_rrf(pool, weights=[1.0] * pool.runs, k=k)


@method(
    "w_rrf",
    source="Cormack, Clarke and Büttcher, SIGIR 2009, with the weights of Elasticsearch, LangChain and others",
    reads="ranks",
)
def weighted_rrf(pool: Pooled, *, weights: Weights, k: Amount = 60) -> Floats:
    """The sum of the run's weight / (k + rank)."""
    return pool.added(of_runs(pool, weights) / (k + pool.rank))


@method("isr", source=MOURAO, reads="ranks")
def isr(pool: Pooled) -> Floats:
    """The sum of 1 / rank², times the number of runs that return the document."""
    return _inverse_squares(pool) * pool.count


@method("log_isr", source=MOURAO, reads="ranks")
def log_isr(pool: Pooled) -> Floats:
    """The sum of 1 / rank², times the logarithm of the number of runs that return the document."""
    return np.asarray(_inverse_squares(pool) * np.log(pool.count))


@method("logn_isr", source=MOURAO, reads="ranks", sigma=SIGMA)
def logn_isr(pool: Pooled, *, sigma: Share = 0.01) -> Floats:
    """The sum of 1 / rank², times the logarithm of sigma + the number of runs that return the document."""
    return np.asarray(_inverse_squares(pool) * np.log(pool.count + sigma))


def _inverse_squares(pool: Pooled) -> Floats:
    return pool.added(np.asarray(1 / pool.rank.astype(np.float64) ** 2))


@method("rbc", source=BAILEY, reads="ranks", phi=PHI)
def rbc(pool: Pooled, *, phi: Persistence) -> Floats:
    """Rank-biased centroid: the sum of (1 - phi) phi^(rank - 1)."""
    return pool.added(np.asarray((1 - phi) * np.power(float(phi), pool.rank - 1), np.float64))


@method("bordafuse", source=ASLAM, reads="ranks")
def bordafuse(pool: Pooled) -> Floats:
    """Points as in an election: c for the first of c candidates, 1 less for each next; others share the rest."""
    return weighted_bordafuse(pool, weights=[1.0] * pool.runs)


@method("w_bordafuse", source=ASLAM, reads="ranks")
def weighted_bordafuse(pool: Pooled, *, weights: Weights) -> Floats:
    """The weighted sum of an election's points."""
    unranked = (pool.candidates[:, None] - pool.returned + 1) / 2
    ranked = pool.candidates[pool.of // pool.runs] - pool.rank + 1
    unranked = unranked * np.array(weights, np.float64)
    return summed(pool.table(of_runs(pool, weights) * ranked, unranked[pool.query].T))


@method("condorcet", source=MONTAGUE, reads="ranks")
def condorcet(pool: Pooled) -> Floats:
    """How many documents a majority of the runs ranks below it, less how many above it, counted as places."""
    return weighted_condorcet(pool, weights=[1.0] * pool.runs)


@method("w_condorcet", source=MONTAGUE, reads="ranks")
def weighted_condorcet(pool: Pooled, *, weights: Weights) -> Floats:
    """How many documents a majority by weight ranks below it, less how many above it, counted as places."""
    places = np.zeros(len(pool.query))
    votes = np.array(weights, np.float64) / max(weights)
    ranks = pool.table(pool.rank.astype(np.float64), np.inf)
    for rows in pool.per_query():
        places[rows] = _duels(ranks[:, rows], votes)
    return places


def _duels(ranks: Floats, weights: Floats) -> Floats:
    """(documents,) from 1 to their number: (duels won - lost + documents + 1) / 2.

    Where the majority puts all documents in one order, these are the places in it, the last one first.
    """
    documents = ranks.shape[1]
    balance = np.zeros(documents)
    step = max(1, PAIRS // max(1, documents))
    for begin in range(0, documents, step):
        some = slice(begin, begin + step)
        votes = np.zeros((len(balance[some]), documents))
        for weight, column in zip(weights, ranks, strict=True):
            above = column[some, None] < column
            below = column[some, None] > column
            votes += weight * (above.astype(np.int8) - below.astype(np.int8))
        balance[some] = (votes > CLOSE).sum(1) - (votes < -CLOSE).sum(1)
    return np.asarray((balance + documents + 1) / 2)
