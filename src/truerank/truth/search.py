"""Exact search for what is near: a k-d tree for candidates, the stated distance to decide."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from truerank.core.errors import needs
from truerank.core.ids import chunks
from truerank.core.messages import message
from truerank.truth.distances import Distance
from truerank.truth.items import Bools, Floats, Ints

BLOCK = 1 << 21
"""About this many candidates are measured at once."""


def nearest(distance: Distance, queries: Floats, references: Floats, n: int) -> tuple[Ints, Floats, Bools]:
    """The n nearest references of each query, nearest first, equal distances in the references' order.

    The tree gives the n nearest by the straight line through space, and how far the next one is. Nothing that is
    nearer than the worst of the n by the true distance can be further through space than `reach` of that
    distance; so if the next one is further, the n are the true ones. Else all within reach are measured:
    duplicates, and pairs that the two distances order differently.

    Returns:
        (queries, n) index into the references, (queries, n) metres, and (queries,) whether others are as near as
        the last of them and were left out for coming later.
    """
    n, more = min(n, len(references)), min(n + 1, len(references))
    points = distance.points(queries)
    tree = tree_of(distance.points(references))
    straight, near = tree.query(points, k=list(range(1, more + 1)), workers=-1)
    index = near[:, :n].astype(np.int64)
    metres = _metres(distance, queries, references, index)
    tied = np.zeros(len(queries), bool)
    reach = distance.reach(metres.max(axis=1, initial=0.0))
    unsure = np.flatnonzero(straight[:, n] <= reach if more > n else tied)
    order = np.lexsort((index, metres), axis=-1)
    index, metres = np.take_along_axis(index, order, 1), np.take_along_axis(metres, order, 1)
    for rows, refs in _balls(tree, points[unsure], reach[unsure]):
        query = unsure[rows]
        best = _best(query, refs, distance.metres(queries[query], references[refs]), n)
        index[best[0]], metres[best[0]], tied[best[0]] = best[1:]
    return index, metres, tied


def within(
    distance: Distance, queries: Floats, references: Floats, metres: float, inclusive: bool = True
) -> tuple[Ints, Ints, Floats]:
    """All pairs that are at most so far apart: the query's row, the reference's row, the distance."""
    tree = tree_of(distance.points(references))
    reach = np.full(len(queries), distance.reach(metres))
    parts = []
    for rows, refs in _balls(tree, distance.points(queries), reach):
        apart = distance.metres(queries[rows], references[refs])
        near = apart <= metres if inclusive else apart < metres
        parts.append((rows[near], refs[near], apart[near]))
    if not parts:
        return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)
    query, reference, apart = (np.concatenate(part) for part in zip(*parts, strict=True))
    return query, reference, apart


def _best(query: Ints, refs: Ints, metres: Floats, n: int) -> tuple[Ints, Ints, Floats, Bools]:
    """The n nearest of each query's candidates, as rows of a table; every query has at least n candidates."""
    order = np.lexsort((refs, metres, query))
    query, refs, metres = query[order], refs[order], metres[order]
    first = np.flatnonzero(np.diff(query, prepend=-1))
    places = first[:, None] + np.arange(n)
    last, following = first + n - 1, np.minimum(first + n, len(query) - 1)
    is_tied = (following > last) & (query[following] == query[first]) & (metres[following] == metres[last])
    return query[first], refs[places], metres[places], is_tied


def _metres(distance: Distance, queries: Floats, references: Floats, index: Ints) -> Floats:
    pairs = distance.metres(np.repeat(queries, index.shape[1], axis=0), references[index.ravel()])
    return pairs.reshape(index.shape)


def tree_of(points: Floats, round_the_globe: list[float] | None = None) -> Any:
    """A k-d tree, built by halving space, not the points: faster, and not slow for many equal points.

    Args:
        round_the_globe: for each dimension where it begins again, 0 where it does not.
    """
    with needs(message("search by place"), "geo"):
        from scipy.spatial import cKDTree  # type: ignore[import-untyped]
    return cKDTree(points, balanced_tree=False, compact_nodes=False, boxsize=round_the_globe)


def _balls(tree: Any, points: Floats, radius: Floats) -> Iterator[tuple[Ints, Ints]]:
    """(row, reference) of all references within the radius of each point, many rows at a time."""
    if not len(points):
        return
    counts = tree.query_ball_point(points, radius, workers=-1, return_length=True)
    for block in chunks(counts, BLOCK):
        lists = tree.query_ball_point(points[block], radius[block], workers=-1)
        refs = np.concatenate([np.asarray(each, np.int64) for each in lists])
        yield np.repeat(np.arange(block.start, block.stop), counts[block]), refs
