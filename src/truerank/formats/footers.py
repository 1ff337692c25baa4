"""The footer of a Parquet file: its columns, and where the pages of each are.

Numbers of fields, types and encodings are those of parquet.thrift (Apache Parquet's format, version 2.10).
"""

from __future__ import annotations

from functools import lru_cache
from operator import index
from typing import IO, Any, NamedTuple

from truerank.core.kernel.pages import struct

MAGIC = b"PAR1"

TAIL = 1 << 16
"""Bytes at the end of a file that are read first: they hold the description of most."""

FLOAT, DOUBLE, TEXT = 4, 5, 6
UTF8 = 0
"""How a column of text was marked before there were logical types, of which text is the first."""


class Field(NamedTuple):
    """A column: its name, its type, whether values may be missing, and whether its type has no further meaning."""

    name: str
    kind: int
    optional: bool
    plain: bool


class Chunk(NamedTuple):
    """A column's pages in a group of rows: where in the file they are, and how they are written."""

    start: int
    size: int
    codec: int
    encodings: frozenset[int]


class Description(NamedTuple):
    """The footer of a file: its columns, the writer's own metadata, and the rows and columns of each group."""

    fields: tuple[Field, ...]
    said: dict[bytes, bytes]
    rows: tuple[int, ...]
    chunks: tuple[tuple[Chunk, ...], ...]


def description(file: IO[bytes]) -> Description | None:
    """The footer of a file; None where it is not whole, or columns are nested."""
    size = file.seek(0, 2)
    tail = _last(file, size, TAIL)
    if len(tail) < 8 or not tail.endswith(MAGIC):
        return None
    length = int.from_bytes(tail[-8:-4], "little") + 8
    if length > len(tail):
        tail = _last(file, size, length)
    return _description(tail[-length:])


@lru_cache(maxsize=2)
def _description(footer: bytes) -> Description | None:
    """The footer in these bytes; cached, as the same file is opened a few times."""
    try:
        about = struct(footer)[0]
        fields = tuple(_field(element) for element in about[2][1:])
        chunks = tuple(tuple(_chunk(column) for column in group[1]) for group in about[4])
        said = {pair[1]: pair.get(2, b"") for pair in about.get(5, ())}
        is_flat = all(len(group) == len(fields) == about[2][0][5] for group in chunks)
        return Description(fields, said, tuple(index(group[3]) for group in about[4]), chunks) if is_flat else None
    except (EOFError, ValueError, LookupError, TypeError, AttributeError, MemoryError):
        return None


def _field(element: dict[int, Any]) -> Field:
    """A column, from its element of the schema."""
    kind, repeated, marked, logical = element[1], element.get(3), element.get(6, UTF8), element.get(10, {1: {}})
    is_text = kind == TEXT and marked == UTF8 and 1 in logical
    is_number = kind in (FLOAT, DOUBLE) and 6 not in element and 10 not in element
    is_plain = (is_text or is_number) and repeated in (0, 1) and 5 not in element
    return Field(element[4].decode(), index(kind), repeated == 1, is_plain)


def _chunk(column: dict[int, Any]) -> Chunk:
    """A column's pages in a group; an empty chunk where they are in another file, or encrypted."""
    if not column.keys().isdisjoint((1, 8, 9)) or 3 not in column:
        return Chunk(0, 0, -1, frozenset())
    about = column[3]
    start = min(about[9], about.get(11) or about[9])  # some write 0 where there is no codebook
    return Chunk(index(start), index(about[7]), index(about[4]), frozenset(about[2]))


def _last(file: IO[bytes], size: int, n: int) -> bytes:
    """The last n bytes."""
    file.seek(max(0, size - n))
    found = bytearray()
    while len(found) < min(n, size) and (piece := file.read(min(n, size) - len(found))):
        found += piece
    return bytes(found)
