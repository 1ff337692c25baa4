"""Blocks: the scores of some queries at a time against the whole gallery, out of vectors or a ready matrix."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from truerank.core.errors import InputError
from truerank.core.messages import Message, did_you_mean, message
from truerank.core.qrels import Floats, Ints
from truerank.core.scan import processors
from truerank.vectors.sides import plain
from truerank.vectors.source import PRODUCT, READY, BlockSource, Scorer

Metric = Literal["cosine", "dot", "euclidean"]
Holds = Literal["distances", "similarities"]


def vectors(queries: Any, gallery: Any, metric: str = "cosine", *, single: bool = False) -> BlockSource:
    """The products of vectors; more is better. Euclidean: minus the squared distance.

    Args:
        single: in 32 bits whatever the vectors have; otherwise in 64 bits where either side has them.

    Raises:
        InputError: vectors that cannot be compared; the message names the row.
    """
    if metric not in get_args(Metric):
        known = get_args(Metric)
        raise InputError(
            "there is no metric {metric!r}.{hint} Metrics: {known}",
            metric=metric,
            hint=did_you_mean(metric, known),
            known=", ".join(known),
        )
    if all(hasattr(side, "detach") for side in (queries, gallery)):
        from truerank.vectors import tensors

        return tensors.vectors(queries, gallery, metric, single)
    queries, gallery = _table(queries, message("query vectors")), _table(gallery, message("gallery vectors"))
    if queries.shape[1] != gallery.shape[1]:
        raise InputError(
            "query vectors have {n:,} numbers and gallery vectors {others:,}; both must come from the same model",
            n=queries.shape[1],
            others=gallery.shape[1],
        )
    real = _precision(queries.dtype, gallery.dtype, single=single)
    squares = _squares(queries, metric, message("query")), _squares(gallery, metric, message("gallery"))
    _refuse_overflow(*squares, metric, real)
    return BlockSource(
        (len(queries), len(gallery)),
        f"{metric}, {real}",
        real.itemsize,
        PRODUCT,
        lambda columns: _products((queries, gallery), squares, columns, metric, real),
        lambda score, rows: _told(score, squares[0][rows], metric),
    )


def matrix(values: Any, holds: Holds, *, single: bool = False) -> BlockSource:
    """A ready matrix (queries, gallery), read a few rows at a time.

    Raises:
        InputError: it is no matrix of numbers, or, when it is read, holds one that is not finite.
    """
    if holds not in get_args(Holds):
        raise InputError("a matrix holds {known}, not {holds!r}", known=" or ".join(get_args(Holds)), holds=holds)
    if hasattr(values, "detach") and values.device.type != "cpu":
        from truerank.vectors import tensors

        return tensors.matrix(values, holds, single)
    table = _table(values, message("the matrix"))
    real = _precision(table.dtype, single=single)
    return BlockSource(
        (table.shape[0], table.shape[1]),
        f"{holds}, {real}",
        real.itemsize,
        READY,
        lambda columns: _rows(table, columns, holds, real),
        scorers=processors(),
    )


def _products(
    sides: tuple[NDArray[Any], NDArray[Any]],
    squares: tuple[Floats, Floats],
    columns: Ints | None,
    metric: str,
    real: np.dtype[Any],
) -> Scorer:
    queries, gallery = sides
    every = np.arange(len(gallery)) if columns is None else columns
    right = _prepared(gallery, None if columns is None else every, squares[1], metric, real)
    half = (squares[1][every] / 2).astype(real) if metric == "euclidean" else None
    buffer = np.empty((0, len(every)), real)

    def score(rows: Ints) -> NDArray[Any]:
        nonlocal buffer
        # The product of a single row may round otherwise than that of many, and equal vectors score unequal.
        left = _prepared(queries, rows if len(rows) > 1 else np.repeat(rows, 2), squares[0], metric, real)
        if len(buffer) < len(left):
            buffer = np.empty((len(left), len(every)), real)
        block = np.matmul(left, right.T, out=buffer[: len(left)])
        if half is not None:
            block -= half  # the order of -|q - g|² without the part that is the query's alone
        return block[: len(rows)]

    return score


def _prepared(
    table: NDArray[Any], rows: Ints | None, squares: Floats, metric: str, real: np.dtype[Any]
) -> NDArray[Any]:
    """These vectors in the precision of the product, of length 1 for the cosine; not copied without need."""
    if metric != "cosine" and rows is None:
        return np.ascontiguousarray(table, real)
    every = np.arange(len(table)) if rows is None else rows
    out = np.empty((len(every), table.shape[1]), real)
    for part in _few(len(every)):
        chunk = table[every[part]].astype(np.float64)
        out[part] = chunk / np.sqrt(squares[every[part]])[:, None] if metric == "cosine" else chunk
    return out


def _few(count: int) -> list[slice]:
    step = 1 << 11
    return [slice(start, start + step) for start in range(0, count, step)]


def _squares(table: NDArray[Any], metric: str, side: Message) -> Floats:
    """(vectors,) the squared length of each, which shows what is wrong with one."""
    with np.errstate(over="ignore", invalid="ignore"):
        parts = [np.square(table[part].astype(np.float64)).sum(axis=1) for part in _few(len(table))]
    squares = np.concatenate([np.empty(0), *parts])
    bad = ~np.isfinite(squares)
    if bad.any():
        raise InputError(
            "{side} vector {row} (from 0) holds a number that is not finite, or is too large",
            side=side,
            row=int(np.argmax(bad)),
        )
    if metric == "cosine" and not squares.all():
        raise InputError(
            "{side} vector {row} (from 0) is all zeros, which has no cosine; leave it out or use dot",
            side=side,
            row=int(np.argmin(squares)),
        )
    return squares


def _refuse_overflow(queries: Floats, gallery: Floats, metric: str, real: np.dtype[Any]) -> None:
    """No product may come near what the precision can hold."""
    longest = np.sqrt(queries.max(initial=0)) + np.sqrt(gallery.max(initial=0))
    if metric != "cosine" and longest > np.sqrt(float(np.finfo(real).max)) / 4:
        raise InputError(
            "the vectors are too long for products in {dtype}; scale them, or give them as float64", dtype=real
        )


def _told(score: NDArray[Any], squares: Floats, metric: str) -> Floats:
    wide = score.astype(np.float64)
    return 2 * wide - squares if metric == "euclidean" else wide


def _rows(table: NDArray[Any], columns: Ints | None, holds: str, real: np.dtype[Any]) -> Scorer:
    width = table.shape[1] if columns is None else len(columns)
    buffer = np.empty((0, width), real)

    def score(rows: Ints) -> NDArray[Any]:
        nonlocal buffer
        if len(buffer) < len(rows):
            buffer = np.empty((len(rows), width), real)
        is_run = rows[-1] - rows[0] + 1 == len(rows) and (np.diff(rows) == 1).all()
        part = table[rows[0] : rows[-1] + 1] if is_run else table[rows]
        block = buffer[: len(rows)]
        block[...] = part if columns is None else np.take(part, columns, axis=1)
        _refuse_unfinished(block, rows)
        return np.negative(block, out=block) if holds == "distances" else block

    return score


def _refuse_unfinished(block: NDArray[Any], rows: Ints) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(block.sum()):
            return
    bad = ~np.isfinite(block)
    if bad.any():
        row, column = (int(i) for i in np.argwhere(bad)[0])
        value = float(block[row, column])
        raise InputError(
            "row {row} of the matrix (from 0) holds {value}, which is no finite number",
            row=int(rows[row]),
            value=value,
        )


def _table(values: Any, what: Message) -> NDArray[Any]:
    table = plain(values)
    if table.ndim != 2 or table.dtype.kind not in "biuf":
        raise InputError(
            "{what}: a table of numbers is needed, not {dtype} of shape {shape}",
            what=what,
            dtype=table.dtype,
            shape=table.shape,
        )
    if 0 in table.shape:
        raise InputError("{what}: there is nothing in them (shape {shape})", what=what, shape=table.shape)
    return table


def _precision(*kinds: np.dtype[Any], single: bool) -> np.dtype[Any]:
    """32 bits, or 64 where a number needs more."""
    wide = np.result_type(*kinds, np.float32)
    return np.dtype(np.float32) if single or wide.itemsize <= 4 else np.dtype(np.float64)
