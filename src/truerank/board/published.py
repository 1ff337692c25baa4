"""The published queries of a board: their ids, out of any file in which the field keeps queries."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from truerank.core.errors import InputError, quoted
from truerank.core.kernel.scanning import as_bytes
from truerank.formats import names
from truerank.formats.cells import cells_of
from truerank.formats.records import parsed
from truerank.formats.source import MARK, as_source

ID = names.QUERY_OR_ID
"""The names under which a query's id stands, the surest first; a query's text may be called "query"."""

TEXTS = ("query", "topic", "q", "uid")
"""Names of the id only where no other one is there."""


def published_ids(path: Path) -> tuple[bytes, ...]:
    """The ids of the queries in a file, sorted: JSON lines, JSON, a table with a header, or one id per line.

    Raises:
        InputError: it cannot be read, or a query in it has no id.
    """
    source = as_source(path)
    data = source.read().removeprefix(MARK)
    start = data.lstrip()[:1]
    ids: Iterable[Any]
    if start == b"[" or (start == b"{" and not _are_lines(data)):
        ids = _of_json(parsed(data, source.name), source.name)
    elif start == b"{":
        lines = ((number, line) for number, line in enumerate(data.split(b"\n"), 1) if line.strip())
        ids = (_id(parsed(line, source.name, number), source.name, number) for number, line in lines)
    else:
        ids = _of_text(data)
    return tuple(sorted({as_bytes(one) for one in ids} - {b""}))


def _are_lines(data: bytes) -> bool:
    """Whether the first line is an object by itself that has a query's id."""
    try:
        first = parsed(data.lstrip().split(b"\n", 1)[0], "")
    except InputError:
        return False
    return isinstance(first, dict) and _key(tuple(first)) is not None


def _of_json(value: Any, name: str) -> Iterable[Any]:
    """The keys of {id: text}; or a list of ids or of objects with ids."""
    if isinstance(value, dict):
        return list(value)
    return [_id(one, name, None) if isinstance(one, dict) else _checked(one, name, None) for one in value]


def _of_text(data: bytes) -> Iterable[bytes]:
    """The first column of a table, or the one that its header calls the id; or one id per line."""
    lines = [line for line in data.split(b"\n") if line.strip()]
    first = lines[0].strip() if lines else b""
    delimiter = b"\t" if b"\t" in first else b","
    header = [column.decode("utf-8", "replace").strip('" ') for column in first.split(delimiter)]
    place = _key(tuple(header))
    if place is None:
        return [line.split(b"\t")[0].strip() for line in lines]
    text = data.decode("utf-8", "surrogateescape")
    rows = cells_of(io.StringIO(text), delimiter.decode())
    at = header.index(place)
    columns = (row[at].strip() for row in list(rows)[1:] if len(row) > at)
    return list(map(as_bytes, columns))


def _key(keys: tuple[str, ...]) -> str | None:
    """Which of these names is the id's."""
    surest = [name for name in ID if name not in TEXTS]
    place = names.find(keys, (*surest, *TEXTS))
    return None if place is None else keys[place]


def _id(record: Any, name: str, line: int | None) -> Any:
    key = _key(tuple(record)) if isinstance(record, dict) else None
    if key is None:
        raise InputError(
            "no key holds the id of this query; name it query_id: {record}", name, line, record=quoted(record)
        )
    return _checked(record[key], name, line)


def _checked(value: Any, name: str, line: int | None) -> Any:
    if type(value) not in (str, int):
        raise InputError(
            "the id of a query is text or a whole number, not {value}", name, line, value=quoted(value)
        )
    return value
