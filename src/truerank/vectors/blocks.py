"""Blocks: the scores of some queries at a time against the whole gallery, out of vectors or a ready matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from truerank.core.errors import InputError
from truerank.core.messages import Message, did_you_mean, message
from truerank.core.qrels import Floats, Ints
from truerank.core.scan import processors
from truerank.vectors.itself import equal_vectors, mirrored
from truerank.vectors.sides import array_of
from truerank.vectors.source import ONE_THREAD_EACH, PRODUCT, READY, BlockSource, Buffer, Scorer

Metric = Literal["cosine", "dot", "euclidean"]
Holds = Literal["distances", "similarities"]

SAMPLE = 1 << 10
"""Vectors of the gallery of which the middle is taken."""

EXACT = 2**53
"""All whole numbers up to here are 64-bit floats."""

FAR = 16
"""So many times the squared distance from the middle is that of the middle from 0, where it is subtracted."""


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
    if all(hasattr(side, "detach") for side in (queries, gallery)) and (_is_apart(queries) or _is_apart(gallery)):
        from truerank.vectors import tensors

        return tensors.vectors(queries, gallery, metric, single)
    queries, gallery = _table(queries, message("query vectors")), _table(gallery, message("gallery vectors"))
    if queries.shape[1] != gallery.shape[1]:
        raise InputError(
            "query vectors have {n:,} numbers and gallery vectors {others:,}; both must come from the same model",
            n=queries.shape[1],
            others=gallery.shape[1],
        )
    centre = _centre(gallery) if metric == "euclidean" else None
    sides = (
        _Side.of(queries, metric, message("query"), centre),
        _Side.of(gallery, metric, message("gallery"), centre),
    )
    is_wide = not single and _are_whole(queries, gallery) and not _fit(sides, metric)
    real = np.dtype(np.float64) if is_wide else _precision(queries.dtype, gallery.dtype, single=single)
    _refuse_overflow(sides, metric, real)
    threads = processors()
    return BlockSource(
        (len(queries), len(gallery)),
        f"{metric}, {real}",
        real.itemsize,
        PRODUCT // min(4, max(1, threads // 2)),  # of many threads each has a smaller block
        lambda columns: _products(*sides, columns, metric, real),
        lambda score, rows: _told(score, sides[0].squares[rows], metric),
        threads,
        ONE_THREAD_EACH,
        lambda: equal_vectors(queries, gallery, (sides[0].squares, sides[1].squares)),
    )


def matrix(values: Any, holds: Holds, *, single: bool = False) -> BlockSource:
    """A ready matrix (queries, gallery), read a few rows at a time.

    Raises:
        InputError: it is no matrix of numbers, or, when it is read, holds one that is not finite.
    """
    if holds not in get_args(Holds):
        raise InputError("a matrix holds {known}, not {holds!r}", known=" or ".join(get_args(Holds)), holds=holds)
    if _is_apart(values):
        from truerank.vectors import tensors

        return tensors.matrix(values, holds, single)
    table = _table(values, message("the matrix"))
    real = _precision(table.dtype, single=single)
    if table.dtype.kind in "iu" and table.size and max(abs(int(table.min())), abs(int(table.max()))) > EXACT:
        raise InputError(
            "the matrix holds whole numbers above 2^53, which 64-bit floats cannot tell apart; scale them"
        )
    return BlockSource(
        (table.shape[0], table.shape[1]),
        f"{holds}, {real}",
        real.itemsize,
        READY,
        lambda columns: _rows(table, columns, holds, real),
        threads=processors(),
        own=lambda: mirrored(table, holds),
    )


@dataclass(frozen=True, eq=False)
class _Side:
    """The vectors of one side.

    Attributes:
        table: (vectors, numbers).
        squares: (vectors,) the squared length of each, from the centre.
        centre: (numbers,) what is subtracted from each; None for nothing.
        is_cosine: whether they are compared at length 1.
    """

    table: NDArray[Any]
    squares: Floats
    centre: Floats | None
    is_cosine: bool

    @classmethod
    def of(cls, table: NDArray[Any], metric: str, side: Message, centre: Floats | None) -> _Side:
        """The vectors of one side, checked: a message names a row that cannot be compared."""
        return cls(table, _squares(table, metric, side, centre), centre, metric == "cosine")

    def prepared(self, rows: Ints | None, real: np.dtype[Any]) -> NDArray[Any]:
        """These vectors in the precision of the product; not copied without need."""
        if rows is None and self.centre is None and not self.is_cosine:
            return np.ascontiguousarray(self.table, real)
        every = np.arange(len(self.table)) if rows is None else rows
        out = np.empty((len(every), self.table.shape[1]), real)
        for part in _few(len(every)):
            chunk = _moved(self.table[every[part]], self.centre)
            out[part] = chunk / np.sqrt(self.squares[every[part]])[:, None] if self.is_cosine else chunk
        return out

    def first_equals(self, every: Ints) -> Ints:
        """(every,) for each of these vectors where the first one that equals it stands among them."""
        first = np.arange(len(every))
        squares = self.squares[every]
        order = np.argsort(squares, kind="stable")
        is_new = np.diff(squares[order], prepend=-1.0) != 0
        alike = np.flatnonzero(~(is_new & np.append(is_new[1:], True)))  # equal vectors have equal squares
        seen: dict[bytes, int] = {}
        for at, place in zip(alike.tolist(), order[alike].tolist(), strict=True):
            if is_new[at]:
                seen.clear()
            values = self.table[every[place]] + 0  # -0.0 equals 0.0
            first[place] = seen.setdefault(values.tobytes(), place)
        return first


def _centre(gallery: NDArray[Any]) -> Floats | None:
    """(numbers,) the middle of vectors that lie close together and far from 0, where lengths drown distances.

    None where they do not, and for whole numbers, whose products are exact.
    """
    if _are_whole(gallery):
        return None
    some = gallery[:: -(-len(gallery) // SAMPLE)].astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        centre = np.asarray(np.median(some, axis=0))
        spread = np.median(np.square(some - centre).sum(axis=1))
        return centre if np.square(centre).sum() > FAR * spread else None


def _moved(table: NDArray[Any], centre: Floats | None) -> Floats:
    wide = table.astype(np.float64, order="C")  # the sum over a row adds in an order that depends on the layout
    return wide if centre is None else wide - centre


def _are_whole(*tables: NDArray[Any]) -> bool:
    return all(table.dtype.kind in "biu" for table in tables)


def _fit(sides: tuple[_Side, _Side], metric: str) -> bool:
    """Whether products of whole numbers are exact in 32 bits; a cosine never is."""
    return metric == "cosine" or bool(_longest(sides) ** 2 < 2.0 ** np.finfo(np.float32).nmant)


def _products(queries: _Side, gallery: _Side, columns: Ints | None, metric: str, real: np.dtype[Any]) -> Scorer:
    every = np.arange(len(gallery.table)) if columns is None else columns
    # A product rounds by where a column stands: equal vectors have one column, or they would not tie.
    kept, own = np.unique(gallery.first_equals(every), return_inverse=True)
    is_each = len(kept) == len(every)
    right = gallery.prepared(None if columns is None and is_each else every[kept], real)
    half = (gallery.squares[every[kept]] / 2).astype(real) if metric == "euclidean" else None
    products, whole = Buffer(len(kept), real), Buffer(len(every), real)

    def score(rows: Ints) -> NDArray[Any]:
        # That of a single row may round otherwise than that of many.
        left = queries.prepared(rows if len(rows) > 1 else np.repeat(rows, 2), real)
        block = np.matmul(left, right.T, out=products.rows(len(left)))
        if half is not None:
            block -= half  # the order of -|q - g|² without the part that is the query's alone
        if is_each:
            return block[: len(rows)]
        return np.take(block[: len(rows)], own, axis=1, out=whole.rows(len(rows)), mode="clip")

    return score


def _few(count: int) -> list[slice]:
    step = 1 << 11
    return [slice(start, start + step) for start in range(0, count, step)]


def _squares(table: NDArray[Any], metric: str, side: Message, centre: Floats | None) -> Floats:
    """(vectors,) the squared length of each, which shows what is wrong with one."""
    with np.errstate(over="ignore", invalid="ignore"):
        parts = [np.square(_moved(table[part], centre)).sum(axis=1) for part in _few(len(table))]
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


def _longest(sides: tuple[_Side, _Side]) -> float:
    """The longest vectors of both sides, one behind the other."""
    return float(sum(np.sqrt(side.squares.max(initial=0)) for side in sides))


def _refuse_overflow(sides: tuple[_Side, _Side], metric: str, real: np.dtype[Any]) -> None:
    """No product may come near what the precision can hold."""
    if metric != "cosine" and _longest(sides) > np.sqrt(float(np.finfo(real).max)) / 4:
        raise InputError(
            "the vectors are too long for products in {dtype}; scale them, or give them as float64", dtype=real
        )


def _told(score: NDArray[Any], squares: Floats, metric: str) -> Floats:
    wide = score.astype(np.float64)
    return 2 * wide - squares if metric == "euclidean" else wide


def _rows(table: NDArray[Any], columns: Ints | None, holds: str, real: np.dtype[Any]) -> Scorer:
    width = table.shape[1] if columns is None else len(columns)
    buffer = Buffer(width, real)

    def score(rows: Ints) -> NDArray[Any]:
        is_run = rows[-1] - rows[0] + 1 == len(rows) and (np.diff(rows) == 1).all()
        part = table[rows[0] : rows[-1] + 1] if is_run else table[rows]
        block = buffer.rows(len(rows))
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


def _is_apart(values: Any) -> bool:
    """Whether they are a tensor on a device whose memory NumPy does not share."""
    return hasattr(values, "detach") and values.device.type != "cpu"


def _table(values: Any, what: Message) -> NDArray[Any]:
    table = array_of(values)
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
