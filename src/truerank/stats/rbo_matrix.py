"""Rank-biased overlap of many lists at once, every two of them, and an order that puts like ones side by side."""

from __future__ import annotations

import math

import numpy as np

from truerank.stats.rbo_pair import Unseen
from truerank.stats.values import Floats, Ints


def rbo_of_ranks(ranks: Ints, lengths: Ints, p: float, unseen: Unseen = "ext") -> Floats:
    """(m, m) rank-biased overlap of every two of m lists without ties: what `rbo_of_shared` says of each pair.

    A thing that both lists hold counts at each depth from the lower of its two ranks on. What these depths weigh
    falls with the rank, so that the overlap of two lists is a sum of the lesser of two weights of each thing.

    Args:
        ranks: (m, things) the rank of each thing in each list, from 0; below 0: it is not there.
        lengths: (m,) of the lists.

    >>> rbo_of_ranks(np.array([[0, 1], [1, 0], [0, -1]]), np.array([2, 2, 1]), 0.9).round(4).tolist()
    [[1.0, 0.9, 1.0], [0.9, 1.0, 0.45], [1.0, 0.45, 1.0]]
    """
    held, below = ranks >= 0, _weights(2 * int(lengths.max(initial=0)) + 1, p)
    weight = np.where(held, below[ranks], 0.0)
    total = _of_pairs([np.minimum(one, weight[i:]).sum(axis=1) for i, one in enumerate(weight)])
    shared = held.astype(np.float64) @ held.T.astype(np.float64)
    short, long = (take.outer(lengths, lengths) for take in (np.minimum, np.maximum))
    if unseen == "min":
        return np.minimum(1.0, (1 - p) / p * total)
    inside = total - shared * below[long]
    more = (p ** (short + 1.0) - p ** (long + 1.0)) / (1 - p) - short * (below[short] - below[long])
    if unseen == "ext":
        return _extrapolated(inside, more, shared, _at_short(ranks, short, shared), short, long, p)
    whole = (long + short - shared).astype(np.int64)
    rest = 2 * (p ** (long + 1.0) - p ** (whole + 1.0)) / (1 - p) - whole * (below[long] - below[whole])
    most = np.minimum(1.0, (1 - p) / p * (inside + more + rest) + p ** whole.astype(np.float64))
    return most if unseen == "max" else np.maximum(0.0, most - np.minimum(1.0, (1 - p) / p * total))


def alike_together(similarity: Floats) -> Ints:
    """(m,) an order of m things in which those that are alike stand near one another.

    By the second eigenvector of the similarities, each divided by how much its two things are like all others, so
    that what is like nothing else does not lead: Ding and He, Linearized cluster assignment via spectral ordering
    (2004). Of both directions that in which thing 0 comes sooner.

    Args:
        similarity: (m, m) symmetric; none below 0, above 0 on the diagonal.

    >>> alike_together(np.array([[1, 0.1, 0.8], [0.1, 1, 0.3], [0.8, 0.3, 1]])).tolist()
    [0, 2, 1]
    """
    if len(similarity) < 3:
        return np.arange(len(similarity))
    joined = similarity + similarity.mean() / 1000  # parts with nothing in common would have no order among them
    root = np.sqrt(joined.sum(axis=1))
    places = (np.linalg.eigh(joined / np.outer(root, root))[1][:, -2] / root).round(9)
    return np.argsort(places * (-1 if places[0] > 0 else 1), kind="stable")


def _weights(most: int, p: float) -> Floats:
    """(most + 1,) the weight of all depths beyond each number of results: the sum of p^d / d."""
    depth = np.arange(1, most + 1)
    return np.maximum(-math.log1p(-p) - np.append(0.0, np.cumsum(p**depth / depth)), 0.0)


def _extrapolated(
    inside: Floats, more: Floats, shared: Floats, at_short: Floats, short: Ints, long: Ints, p: float
) -> Floats:
    """Both go on agreeing as the shorter list does to its end, and the longer one to its own."""
    share = at_short / np.maximum(short, 1)
    overlap = (1 - p) / p * (inside + share * more) + ((shared - at_short) / np.maximum(long, 1) + share) * p**long
    return np.where(short > 0, np.minimum(1.0, overlap), np.where(long > 0, 0.0, 1.0))


def _at_short(ranks: Ints, short: Ints, shared: Floats) -> Floats:
    """(m, m) how many things both hold down to the end of the shorter list."""
    if (short == short[0, 0]).all():
        return shared
    rows = enumerate(ranks)
    return _of_pairs(
        [
            ((one >= 0) & (ranks[i:] >= 0) & (np.maximum(one, ranks[i:]) < short[i, i:, None])).sum(axis=1)
            for i, one in rows
        ]
    )


def _of_pairs(rows: list[Floats]) -> Floats:
    """(m, m) the symmetric matrix, from the values of each list with itself and those after it."""
    matrix = np.zeros((len(rows), len(rows)))
    for i, row in enumerate(rows):
        matrix[i, i:] = matrix[i:, i] = row
    return matrix
