"""Vectors and ids in plain binary files: .fvecs, .ivecs, .bvecs, and .fbin, .ibin, .u8bin, .i8bin of big-ann.

In the first kind each row begins with the number of its values, in 32 bits (TEXMEX: SIFT1M, GIST1M). A file of the
second kind begins with the number of rows and the number of values in each. A ground truth of big-ann is like the
second kind, with any ending: the ids, 32 bits each, then as many distances. That of a range search begins with the
numbers of queries and of ids, then the number of ids of each query.
"""

from __future__ import annotations

import os
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank.core.errors import InputError
from truerank.core.ids import starts_of
from truerank.formats.compression import suffix_of
from truerank.formats.source import Source

Array = NDArray[Any]

LED: dict[str, np.dtype[Any]] = {".ivecs": np.dtype("<i4"), ".fvecs": np.dtype("<f4"), ".bvecs": np.dtype("u1")}
"""The numbers of files in which each row begins with its length."""

HEADED: dict[str, np.dtype[Any]] = {
    ".ibin": np.dtype("<i4"),
    ".fbin": np.dtype("<f4"),
    ".u8bin": np.dtype("u1"),
    ".i8bin": np.dtype("i1"),
}
"""The numbers of files that begin with their shape."""

WIDEST = 1 << 20
"""Numbers that a row may have: a file that claims more is another one."""

SHAPE = struct.Struct("<ii")


def has_suffix(name: str) -> bool:
    """Whether the ending is one of these formats'."""
    return suffix_of(name) in (*LED, *HEADED)


def is_truth(head: bytes, name: str) -> bool:
    """Whether this is a ground truth of big-ann, which may have any ending: the size tells."""
    if len(head) < SHAPE.size or not os.path.isfile(name):
        return False
    rows, width = SHAPE.unpack_from(head)
    size = os.path.getsize(name) - SHAPE.size
    return rows > 0 and width > 0 and size in (8 * rows * width if width <= WIDEST else None, 4 * rows + 8 * width)


def read(source: Source) -> dict[str, Array]:
    """The arrays of a file, memory-mapped if it is local and plain: whole "ids", "distances", "lims", or "vectors".

    Raises:
        InputError: its size is not what it says, or its rows are not of one length.
    """
    path = source.path
    data: Array = np.memmap(path, np.uint8, "r") if path else np.frombuffer(source.read(), np.uint8)
    suffix = suffix_of(source.name)
    if suffix in LED:
        return _named(_led(data, LED[suffix], source.name), suffix)
    return _headed(data, HEADED.get(suffix, HEADED[".ibin"]), suffix, source.name)


def _named(table: Array, suffix: str) -> dict[str, Array]:
    """The table by its name: "ids" for whole numbers of 32 bits, "vectors" for all others."""
    return {"ids" if suffix in (".ivecs", ".ibin") else "vectors": table}


def _led(data: Array, kind: np.dtype[Any], name: str) -> Array:
    """The table in rows that each begin with the number of their values."""
    width = int(data[:4].view("<i4")[0]) if len(data) >= 4 else 0
    if not 0 < width <= WIDEST:
        raise InputError("its rows would have {width:,} numbers by its first bytes", name, width=width)
    size = 4 + width * kind.itemsize
    if len(data) % size:
        raise InputError(
            "it is cut short, or of another kind: {size:,} bytes are no whole number of rows of {row:,} "
            "({width:,} numbers each)",
            name,
            size=len(data),
            row=size,
            width=width,
        )
    rows = data.reshape(-1, size)
    widths = rows[:, :4].view("<i4")[:, 0]
    if (widths != width).any():
        row = int((widths != width).argmax())
        raise InputError(
            "row {row:,} has {others:,} numbers, and the first one {width:,}",
            name,
            row=row + 1,
            others=int(widths[row]),
            width=width,
        )
    return rows[:, 4:].view(kind)


def _headed(data: Array, kind: np.dtype[Any], suffix: str, name: str) -> dict[str, Array]:
    """The table after a header with its shape; or a table of ids and one of distances."""
    rows, width = SHAPE.unpack(data[: SHAPE.size].tobytes()) if len(data) >= SHAPE.size else (0, 0)
    body, numbers = data[SHAPE.size :], rows * width
    if suffix not in HEADED and (ranges := _ranges(body, rows, width)):
        return ranges
    if not (0 < width <= WIDEST and rows > 0):
        raise InputError(
            "it begins with no shape: it would have {rows:,} rows of {width:,} numbers by its first 8 bytes",
            name,
            rows=rows,
            width=width,
        )
    if len(body) == numbers * kind.itemsize:
        return _named(body.view(kind).reshape(rows, width), suffix or ".ibin")
    if len(body) == 8 * numbers:
        ids, distances = body[: 4 * numbers].view("<i4"), body[4 * numbers :].view("<f4")
        return {"ids": ids.reshape(rows, width), "distances": distances.reshape(rows, width)}
    raise InputError(
        "it is cut short, or of another kind: it says that it has {rows:,} rows of {width:,} numbers, which take "
        "{wanted:,} bytes, or {pairs:,} with distances; there are {size:,}",
        name,
        rows=rows,
        width=width,
        wanted=SHAPE.size + numbers * kind.itemsize,
        pairs=SHAPE.size + 8 * numbers,
        size=len(data),
    )


def _ranges(body: Array, rows: int, total: int) -> dict[str, Array] | None:
    """The number of ids of each row, all ids, and their distances; None where the file is not of this kind."""
    if rows <= 0 or total <= 0 or len(body) != 4 * rows + 8 * total:
        return None
    counts, ids, distances = np.split(body, [4 * rows, 4 * (rows + total)])
    lims = starts_of(counts.view("<i4"))
    return {"lims": lims, "ids": ids.view("<i4"), "distances": distances.view("<f4")} if lims[-1] == total else None
