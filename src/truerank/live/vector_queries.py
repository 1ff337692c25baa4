"""Queries that are vectors: the rows of a table, out of memory or a file."""

from __future__ import annotations

import itertools
from collections.abc import Container, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank.core.errors import InputError, quoted
from truerank.formats.names import QUERY_VECTORS, find
from truerank.formats.source import Source

Array = NDArray[Any]

HEADS = (b"\x93NUMPY", b"PK\3\4", b"\x89HDF")
"""What files of arrays begin with."""


def are_vectors(queries: Any) -> bool:
    """Whether these are rows of numbers: an array, a list of such, or {id: row}."""
    if isinstance(queries, Mapping):
        queries = list(itertools.islice(queries.values(), 1))
    first = queries[0] if isinstance(queries, list | tuple) and queries else None
    is_row = isinstance(first, list) and bool(first) and all(isinstance(value, int | float) for value in first)
    return hasattr(queries, "ndim") or hasattr(first, "ndim") or is_row


def holds_vectors(source: Source) -> bool:
    """Whether a file holds arrays, told by its first bytes, or by its name (.fvecs, .fbin and the like)."""
    from truerank.formats.vector_files import has_suffix

    return source.head.startswith(HEADS) or has_suffix(source.name)


def read_vectors(queries: Any) -> dict[str, Array]:
    """{id: vector}; ids are the numbers of the rows, from 0, as those of exact neighbours are.

    Args:
        queries: (queries, dimensions) numbers; {id: vector}; or a file: .npy, .npz, HDF5, .fvecs, .bvecs, .fbin,
            .u8bin or .i8bin.

    Raises:
        InputError: they are no table of finite numbers.

    >>> read_vectors([[0.5, 1.0], [0.0, 2.0]])["1"].tolist()
    [0.0, 2.0]
    """
    name = queries.name if isinstance(queries, Source) else "queries"
    ids: dict[str, None] = {}
    for number, key in enumerate(queries if isinstance(queries, Mapping) else (), 1):
        ids[id_of(key, number, name, ids)] = None
    rows = list(queries.values()) if isinstance(queries, Mapping) else queries
    if any(map(np.ma.is_masked, rows if isinstance(rows, list | tuple) else [rows])):
        raise InputError("there are masked values in an array; leave these entries out, or say what they are", name)
    try:
        table = _of_file(rows) if isinstance(rows, Source) else np.asarray(rows)
    except ValueError:
        raise InputError("the vectors of queries are not of one length", name) from None
    if table.ndim != 2 or not table.size or table.dtype.kind not in "iuf":
        raise InputError(
            "vectors of queries are a table of numbers, one row per query, not {kind} of shape {shape}",
            name,
            kind=table.dtype,
            shape=table.shape,
        )
    if (wrong := ~np.isfinite(table).all(axis=1)).any():
        raise InputError("query {query} has a number that is not finite", name, query=int(wrong.argmax()))
    return dict(zip(ids or map(str, range(len(table))), np.ascontiguousarray(table), strict=True))


def id_of(key: Any, number: int, name: str, known: Container[str]) -> str:
    """The id of a query as text.

    Raises:
        InputError: it has none, or one of which no bytes can be made, or one that is known already.
    """
    text = "" if key is None else str(key)
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise InputError(
            "the id of query number {number} is {key!a}, which is no text", name, number=number, key=text[:80]
        ) from None
    if not text:
        raise InputError("query number {number} has no id", name, number=number)
    if text in known:
        raise InputError(
            "query {key} comes twice (the second time as number {number})", name, key=key, number=number
        )
    return text


def _of_file(source: Source) -> Array:
    from truerank.formats.arrays import read_arrays

    arrays = read_arrays(source)
    keys = list(arrays)
    place = find(keys, QUERY_VECTORS)
    if place is not None:
        return arrays[keys[place]]
    fitting = [key for key in keys if len(keys) == 1 or (arrays[key].ndim == 2 and arrays[key].dtype.kind in "iuf")]
    if len(fitting) != 1:
        known = ", ".join(map(quoted, keys))
        raise InputError(
            "none of the arrays is called queries or test (there is {known})", source.name, known=known
        )
    return arrays[fitting[0]]
