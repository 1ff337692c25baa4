"""How far documents are, by the vectors that stand beside the exact neighbours, and not by what a search says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank.core.errors import InputError
from truerank.formats.exact import Neighbours
from truerank.formats.rows import is_id
from truerank.truth.items import Floats

Array = NDArray[Any]

TRIED = 20
"""Queries that the kind of distance is found out from."""

CLOSE = 1e-3
"""A computed distance differs from a listed one by at most this share."""

MOST = 0.9
"""More than this share of the listed distances are given by the right one."""

BLOCK = 1 << 22
"""Numbers of vectors that are worked on at once."""


def _euclidean(queries: Floats, documents: Floats) -> Floats:
    return np.sqrt(_squared(queries, documents))


def _squared(queries: Floats, documents: Floats) -> Floats:
    return np.asarray(((documents - queries[:, None]) ** 2).sum(axis=2), np.float64)


def _angular(queries: Floats, documents: Floats) -> Floats:
    lengths = np.linalg.norm(queries, axis=1)[:, None] * np.linalg.norm(documents, axis=2)
    return np.asarray(1 + _product(queries, documents) / np.where(lengths, lengths, 1), np.float64)


def _product(queries: Floats, documents: Floats) -> Floats:
    return np.asarray(-np.einsum("qd,qnd->qn", queries, documents), np.float64)


KINDS: tuple[Callable[[Floats, Floats], Floats], ...] = (_euclidean, _angular, _squared, _product)
"""Of (queries, dimensions) and (queries, n, dimensions): (queries, n), the lower the nearer."""


def measured(exact: Neighbours, ids: Array) -> Floats | None:
    """(queries, n) how far documents are, by the distance that gives what the exact neighbours list.

    Args:
        ids: (queries, n) of documents; -1: none, which is infinitely far.

    Returns:
        None where there are no vectors, ids are text, or no distance that is known here gives what is listed.

    Raises:
        InputError: an id is none of a document.
    """
    if exact.vectors is None or exact.far is None or not {exact.ids.dtype.kind, ids.dtype.kind} <= {"i", "u"}:
        return None
    some = slice(0, TRIED)
    there = is_id(exact.ids[some])
    listed = exact.far[some]
    tried = ((kind, _distances(kind, exact, exact.ids[some], some)) for kind in KINDS)
    kind = next((kind for kind, far in tried if _are_close(far[there], listed[there])), None)
    if kind is None:
        return None
    step = max(1, BLOCK // max(1, ids.shape[1] * exact.vectors[1].shape[1]))
    blocks = (slice(start, start + step) for start in range(0, len(ids), step))
    return np.concatenate([_distances(kind, exact, ids[rows], rows) for rows in blocks])


def _are_close(computed: Floats, listed: Floats) -> bool:
    """Whether nearly all are: lists that are made in 32 bits are wrong where vectors are nearly the same."""
    return bool(np.isclose(computed, listed, rtol=CLOSE, atol=CLOSE * CLOSE).mean() > MOST)


def _distances(kind: Callable[[Floats, Floats], Floats], exact: Neighbours, ids: Array, rows: slice) -> Floats:
    assert exact.vectors is not None
    queries, documents = exact.vectors
    named = np.where(is_id(ids), ids, 0)
    beyond = named[(named < 0) | (named >= len(documents))]
    if len(beyond):
        raise InputError(
            "there is a document {id}, but there are only {n:,}", exact.name, id=int(beyond[0]), n=len(documents)
        )
    asked, there = np.asarray(queries[rows], np.float64), np.asarray(documents[named], np.float64)
    return np.where(is_id(ids), kind(asked, there), np.inf)
