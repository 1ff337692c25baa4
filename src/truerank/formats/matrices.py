"""Tables of numbers in memory, a row per query: arrays or tensors of ids and scores, SciPy's sparse matrices."""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from truerank.core.errors import InputError, quoted
from truerank.core.ids import starts_of
from truerank.core.kernel.scanning import as_bytes, as_text
from truerank.core.qrels import Qrels
from truerank.core.run import Batch, Columns, Piece, Ranked, Run
from truerank.formats.rows import (
    FILL,
    Bools,
    Ints,
    check_distinct,
    complete,
    is_id,
    numbers_column,
    plain_ids,
    qrels_of_lists,
    text_column,
)

ROWS = 1 << 16
"""Ids of an array that are written out at once, about."""


def run_of_arrays(arrays: tuple[Any, ...], name: str) -> Run:
    """A run from (ids, scores) or (ids, scores, ids of queries)."""
    return Run(name, partial(batches_of_arrays, *arrays, name=name), pieces=partial(_pieces, arrays, name))


class _Table(NamedTuple):
    """Rows of document ids and scores, one per query.

    Attributes:
        has_numbers: whether all documents are numbers that fit into the kernel's columns.
    """

    ids: NDArray[Any]
    scores: NDArray[Any]
    queries: NDArray[Any] | list[Any]
    are_ranks: bool
    are_rows: bool
    has_numbers: bool


def batches_of_arrays(ids: Any, scores: Any = None, queries: Any = None, *, name: str) -> Iterator[Batch]:
    """Rows of document ids and scores, one per query; see `is_id` for short rows.

    For FAISS's (D, I) that is (I, D) if D holds inner products, and (I, -D) if it holds distances. Without scores
    the documents stand best first.
    """
    yield from _batches(_checked(ids, scores, queries, name), slice(None), name)


def _pieces(arrays: tuple[Any, ...], name: str, threads: int) -> list[Piece]:
    """The rows of arrays for each thread; none where rows are few, or text, which threads do not read faster."""
    if not hasattr(arrays[0], "shape") or math.prod(arrays[0].shape) < ROWS * threads:
        return []
    ids, scores, queries = (*arrays, None)[:3]
    table = _checked(ids, scores, queries, name)
    n = len(table.ids)
    if not table.has_numbers or n < threads:
        return []
    ends = [n * place // threads for place in range(threads + 1)]
    return [partial(_batches, table, slice(*rows), name) for rows in itertools.pairwise(ends)]


def _checked(ids: Any, scores: Any, queries: Any, name: str) -> _Table:
    ids = plain_array(ids, "ids", name)
    are_ranks = scores is None
    scores = _falling(ids.shape) if scores is None else plain_array(scores, "scores", name)
    if ids.dtype.kind == "f" and ids.ndim == 2:
        raise InputError(
            "the ids are {kind}, not whole numbers or text; FAISS returns (D, I), and the ids come first: (I, D)",
            name,
            kind=ids.dtype,
        )
    if (
        ids.ndim != 2
        or ids.shape != scores.shape
        or ids.dtype.kind not in "iuUSO"
        or scores.dtype.kind not in "iuf"
    ):
        raise InputError(
            "(ids, scores) are two arrays of one shape (queries, k), not {ids} and {scores}",
            name,
            ids=f"{ids.dtype} {ids.shape}",
            scores=f"{scores.dtype} {scores.shape}",
        )
    kind = ids.dtype.kind
    has_numbers = (kind == "u" and ids.itemsize < 8) or (kind == "i" and bool(ids.min(initial=0) >= FILL))
    return _Table(ids, scores, _of_rows(queries, len(ids), name), are_ranks, queries is None, has_numbers)


def _of_rows(queries: Any, rows: int, name: str) -> NDArray[Any] | list[Any]:
    """The ids of the queries, one per row: the row numbers where none are given."""
    if queries is None:
        return np.arange(rows)
    unordered = isinstance(queries, str | bytes | set | frozenset) or not hasattr(queries, "__len__")
    if unordered or getattr(queries, "ndim", 1) != 1:
        raise InputError("the ids of queries are a list, one per row, not {queries}", name, queries=quoted(queries))
    if len(queries) != rows:
        raise InputError("there are {n} query ids for {rows} rows", name, n=len(queries), rows=rows)
    is_array = isinstance(queries, np.ndarray) or hasattr(queries, "detach")
    ids = plain_array(queries, "query ids", name) if is_array else list(queries)
    check_distinct(ids, name)
    return ids


def _batches(table: _Table, rows: slice, name: str) -> Iterator[Batch]:
    """Some rows of a table."""
    ids, scores, queries = table.ids[rows], table.scores[rows], table.queries[rows]
    if not table.has_numbers:
        for row, there in enumerate(is_id(ids)):
            if not there.any():  # as for numbers: the query is not answered
                continue
            query = as_bytes(queries[row])
            given = None if table.are_ranks else scores[row][there].tolist()
            yield Ranked(query, plain_ids(ids[row][there].tolist(), as_text(query), name), given)
        return
    step = max(1, ROWS // max(1, ids.shape[1]))
    for start in range(0, len(ids), step):
        few = slice(start, start + step)
        part = _numbered(queries[few], ids[few], scores[few], name)
        yield part._replace(are_ranks=table.are_ranks, are_rows=table.are_rows, are_places=True)


def _falling(shape: tuple[int, ...]) -> NDArray[Any]:
    return np.broadcast_to(0.0 - np.arange(shape[-1] if shape else 0), shape)


def plain_array(values: Any, what: str, name: str) -> NDArray[Any]:
    """An array from a list, an array or a tensor; raise where cells are masked, as what they hide is not meant.

    Raises:
        InputError: some cells are masked, or rows have several lengths.
    """
    values = without_torch(values)
    rows = values if isinstance(values, list | tuple) else [values]
    if any(type(row) not in (list, tuple, np.ndarray) and np.ma.is_masked(row) for row in rows):
        raise InputError(
            "some {what} are masked; where no document stands, give the id -1 and any score", name, what=what
        )
    try:
        return in_rows(values)
    except ValueError:
        raise InputError(
            "the rows of {what} are not of one length; where no document stands, give the id -1 and any score",
            name,
            what=what,
        ) from None


def without_torch(values: Any) -> Any:
    """A tensor, on any device and with or without gradients, as an array; anything else as it is."""
    if not hasattr(values, "detach"):
        return values
    values = values.detach().cpu()
    return (values.float() if "bfloat16" in str(values.dtype) else values).numpy()  # which NumPy lacks


def in_rows(values: Any) -> NDArray[Any]:
    """An array; a column of lists or arrays, as DataFrames hold vectors, becomes a table.

    Raises:
        ValueError: the rows have several lengths.
    """
    column = np.asarray(values)
    rows = column.tolist() if column.ndim == 1 and column.dtype.kind == "O" else []
    return np.array(rows) if rows and all(isinstance(row, list | tuple | np.ndarray) for row in rows) else column


def _numbered(queries: Any, ids: NDArray[Any], scores: NDArray[Any], name: str) -> Columns:
    """The rows of some queries whose documents are numbers."""
    there = is_id(ids)
    docs, values = (ids.ravel(), scores.ravel()) if there.all() else (ids[there], scores[there])
    return _columns(queries, there.sum(axis=1), docs, values, name)


def _columns(queries: Any, counts: Ints, docs: NDArray[Any], values: NDArray[Any], name: str) -> Columns:
    """The documents of some queries, one query's after another's.

    Args:
        counts: (queries,) how many documents each has; a query with none is not answered.
    """
    known = np.isfinite(values)
    if not known.all():
        cell = int(known.argmin())
        raise InputError(
            "query {query}: document {doc} has the score {score}, which is not a finite number; what was not "
            "returned has the id -1 in arrays, and is not stored in a sparse matrix",
            name,
            query=queries[int(np.searchsorted(np.cumsum(counts), cell, side="right"))],
            doc=docs[cell],
            score=values[cell],
        )
    answered = counts > 0
    runs = starts_of(counts[answered])
    columns = *_names(queries, answered), *numbers_column(docs)
    return complete(Columns(*columns, np.ascontiguousarray(values, np.float64), runs=runs), name)


def _names(queries: Any, answered: Bools) -> tuple[Ints, NDArray[np.uint8] | bytes]:
    """The ids of the queries that are answered."""
    if isinstance(queries, np.ndarray) and queries.dtype.kind == "i":
        return numbers_column(queries[answered])
    return text_column([as_bytes(query) for query in itertools.compress(queries, answered.tolist())])


def is_sparse(thing: Any) -> bool:
    """Whether this is a sparse matrix of SciPy."""
    return hasattr(thing, "tocsr") and hasattr(thing, "nnz")


def qrels_of_sparse(matrix: Any, name: str = "qrels") -> Qrels:
    """Judgements from a sparse matrix: one row per query, one column per document; stored values are grades.

    A row without stored values is no query.

    Raises:
        InputError: there is no grade, or one that is not finite; a document is stored twice for a query.
    """
    rows = _csr(matrix, name)
    counts = np.diff(rows.indptr)
    judged, grades = counts.nonzero()[0], rows.data[: rows.indptr[-1]].astype(np.float64)
    if not len(judged):
        raise InputError("there are no judgements in it", name)
    if not np.isfinite(grades).all():
        raise InputError("the grade is not a finite number", name)
    names = [b"%d" % number for number in judged.tolist()]
    return qrels_of_lists(names, counts[judged], rows.indices[: len(grades)], grades, name)


def run_of_sparse(matrix: Any, name: str) -> Run:
    """A run from a sparse matrix: one row per query, one column per document; stored values are scores."""
    return Run(name, partial(_stored_batches, matrix, name), pieces=partial(_stored_pieces, matrix, name))


def _csr(matrix: Any, name: str) -> Any:
    if len(matrix.shape) != 2 or matrix.dtype.kind not in "biuf":
        raise InputError(
            "a sparse matrix is a table of numbers, not {dtype} of shape {shape}",
            name,
            dtype=matrix.dtype,
            shape=matrix.shape,
        )
    try:
        if hasattr(matrix, "check_format"):  # SciPy lets anyone change a matrix's arrays
            matrix.check_format(full_check=True)
        if matrix.format == "coo":  # SciPy would add up values where a document is stored twice
            matrix = copy.copy(matrix)
            matrix.has_canonical_format = True
        rows = matrix.tocsr()
    except ValueError as error:
        raise InputError("the sparse matrix is damaged: {error}", name, error=error) from None
    if matrix.format == "bsr":  # blocks store zeros that nobody put there
        rows.eliminate_zeros()
    return rows


def _stored_batches(matrix: Any, name: str) -> Iterator[Columns]:
    rows = _csr(matrix, name)
    yield from compressed_rows(rows, 0, rows.shape[0], name)


def compressed_rows(rows: Any, start: int, stop: int, name: str) -> Iterator[Columns]:
    """The rows from `start` up to `stop`, not included, of a sparse matrix in CSR form, some at a time."""
    first, last = int(rows.indptr[start]), int(rows.indptr[stop])
    cuts = np.searchsorted(rows.indptr, np.arange(first + ROWS, last, ROWS))
    counts = np.diff(rows.indptr)
    for a, b in itertools.pairwise(np.unique([start, *cuts, stop]).tolist()):
        stored = slice(rows.indptr[a], rows.indptr[b])
        part = _columns(np.arange(a, b), counts[a:b], rows.indices[stored], rows.data[stored], name)
        yield part._replace(are_rows=True, are_places=True)


def _stored_pieces(matrix: Any, name: str, threads: int) -> list[Piece]:
    """The rows for each thread, about as many stored values for each; none where they are few."""
    if matrix.nnz < ROWS * threads:
        return []
    rows = _csr(matrix, name)
    stored = int(rows.indptr[-1])
    cuts = np.searchsorted(rows.indptr, [stored * place // threads for place in range(1, threads)])
    ends = np.unique([0, *cuts, rows.shape[0]]).tolist()
    return [partial(compressed_rows, rows, *pair, name) for pair in itertools.pairwise(ends)]
