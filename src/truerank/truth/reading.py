"""Items out of files, folders, DataFrames, lists and dicts."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank.errors import InputError, shown
from truerank.formats.names import folded
from truerank.formats.objects import is_frame
from truerank.formats.records import parsed
from truerank.formats.source import MARK, Source, as_source
from truerank.truth import filenames, nested, tabular
from truerank.truth.items import Floats, Items, Texts
from truerank.truth.keys import PATHS, SIDES, chosen
from truerank.truth.nested import Columns

TEXTS = {str, int, type(None)}
"""What ids, labels and cameras may be."""

KEY = "(key)"
"""The column of the keys under which items stand in an object."""


def read_items(
    source: Any, name: str | None = None, *, inside: str | None = None, pattern: str | None = None, **keys: str
) -> Items:
    """Queries or references from wherever they are kept.

    Args:
        source: a path (JSON, GeoJSON, JSON lines, CSV, Parquet, a list of file names, a folder of files), a
            DataFrame, a list of dicts, a dict of dicts, a list of file names, or `Items`.
        name: what to call them in messages; the path by default.
        inside: the key under which they stand in a JSON file that has several lists.
        pattern: what file names look like, with named groups such as (?P<lat>…); by default @easting@northing@….
        keys: what a column is called where it is not found by itself, e.g. lat="gps.phi"; id="#": their places
            in the list, from 0.

    Raises:
        InputError: no items, no ids, half a place, or a value that is no number.

    >>> items = read_items([{"image": "a.jpg", "gps": {"lat": 37.5, "lng": 127}}])
    >>> items.ids, items.places.tolist()
    (('a.jpg',), [[37.5, 127.0]])
    """
    if isinstance(source, Items):
        return source
    is_path = isinstance(source, str | os.PathLike)
    name = name or (os.fspath(source) if is_path else "items")
    columns = _of_path(source, pattern, inside) if is_path else _of_object(source, name, pattern, inside)
    if not columns or not len(next(iter(columns.values()))):
        raise InputError("there are no items in it", name)
    return _items(columns, keys, name)


# --- columns ------------------------------------------------------------------------------------------


def _of_path(path: str | os.PathLike[str], pattern: str | None, inside: str | None) -> Columns:
    name = os.fspath(path)
    if Path(name).is_dir():
        return filenames.columns(filenames.files(name), pattern, name)
    source = as_source(path)
    head = source.head.lstrip()
    if head.startswith(b"PAR1"):
        return tabular.from_parquet(source)
    if head.startswith((b"{", b"[")):
        return _of_object(_json(source), name, pattern, inside)
    if not head:
        raise InputError("the file is empty", name)
    first = head.split(b"\n", 1)[0]
    if pattern or b"@" in first or not any(mark in first for mark in b"\t,;|"):
        return filenames.columns(_lines(source), pattern, name)
    return tabular.from_csv(source)


def _json(source: Source) -> Any:
    """The value of a JSON text, or the values of JSON lines as a list."""
    text = source.read().removeprefix(MARK)
    try:
        return parsed(text, source.name)
    except InputError as fault:
        lines = [(number, line) for number, line in enumerate(text.split(b"\n"), 1) if line.strip()]
        if len(lines) < 2 or not lines[0][1].rstrip().endswith((b"}", b'"')):
            raise fault from None
        return [parsed(line, source.name, number) for number, line in lines]


def _lines(source: Source) -> list[str]:
    lines = source.read().removeprefix(MARK).decode("utf-8", "surrogateescape").splitlines()
    return [line.strip() for line in lines if line.strip()]


def _of_object(thing: Any, name: str, pattern: str | None, inside: str | None) -> Columns:
    if is_frame(thing):
        return tabular.from_frame(thing, name)
    if isinstance(thing, Sequence) and not isinstance(thing, str | bytes):
        thing = list(thing)
    elif isinstance(thing, Mapping):
        thing = dict(thing)
    if not thing:
        raise InputError("there are no items in it", name)
    found = nested.listing(thing, name, inside)
    if isinstance(found.records[0], str):
        return filenames.columns(found.records, pattern, name)
    keys = {} if found.keys is None else {KEY: list(found.keys)}
    return {**keys, **nested.columns(found, name)}


# --- columns to items ---------------------------------------------------------------------------------


def _items(columns: Columns, keys: Mapping[str, str], name: str) -> Items:
    paths = [path for path in columns if path != KEY]
    roles = chosen(paths, keys, name)
    named = _id_path(columns, roles, "id" in keys, name)
    ids = _ids(columns, named, name)

    def column(role: str, read: Callable[..., Any]) -> Any:
        return read(columns[roles[role]], roles[role], ids, name) if role in roles else None

    values = {role: column(role, _numbers) for role in ("lat", "lon", "x", "y")}
    texts = {role: column(role, _texts) for role in ("label", "camera")}
    sides = [column(side, _numbers) for side in SIDES if side in roles]
    return Items(
        ids,
        name,
        **values,
        **texts,
        zone=_zones(columns, roles),
        bounds=np.column_stack(sides) if sides else None,
        vector=column("vector", _vectors),
        aliases=_aliases(columns, named, roles),
        others=tuple(path for path in paths if path not in roles.values()),
    )


def _id_path(columns: Columns, roles: Mapping[str, str], is_given: bool, name: str) -> str:
    """The column of the ids: the keys of an object, unless they only count the items that have ids themselves."""
    if KEY in columns and not is_given and ("id" not in roles or not all(key.isdecimal() for key in columns[KEY])):
        return KEY
    if "id" not in roles:
        there = ", ".join(map(repr, list(columns)[:12]))
        raise InputError(
            f"no column holds the ids (there is {there}); name it id=…, or id='#' for their places", name
        )
    return roles["id"]


def _ids(columns: Columns, path: str, name: str) -> tuple[str, ...]:
    if path == "#":
        return tuple(map(str, range(len(next(iter(columns.values()))))))
    ids = tuple(_texts(columns[path], path, (), name))
    for row, text in enumerate(ids, 1):
        if not text:
            raise InputError(f"item {row} has no {path}", name)
    return tuple(text or "" for text in ids)


def _aliases(columns: Columns, named: str, roles: Mapping[str, str]) -> dict[str, Texts]:
    """Other columns that tell the items apart: file names beside numbers, keys beside names."""
    paths = [
        path for path in columns if path == KEY or path == roles.get("id") or folded(path.split(".")[-1]) in PATHS
    ]
    found = {}
    for path in paths:
        values = columns[path]
        if (
            path != named
            and all(isinstance(value, str) and value for value in values)
            and len(set(values)) == len(values)
        ):
            found[path] = tuple(values)
    return found


def _texts(values: Sequence[Any], path: str, ids: Sequence[str], name: str) -> Texts:
    """Ids, labels and cameras: text or whole numbers."""
    values = values.tolist() if isinstance(values, np.ndarray) else values
    if not set(map(type, values)) <= TEXTS:
        row, bad = next((row, value) for row, value in enumerate(values, 1) if type(value) not in TEXTS)
        fractions = [value for value in values if isinstance(value, float)]
        if fractions and all(value != value or value % 1 == 0 for value in fractions):
            return _texts(list(map(_whole, values)), path, ids, name)
        raise InputError(f"{path} of item {row} is text or a whole number, not {bad!r:.60}", name)
    return tuple(None if value is None else str(value) for value in values)


def _whole(value: Any) -> Any:
    """What pandas makes 1.0 and NaN, where numbers are missing in a column, as it was."""
    if isinstance(value, float):
        return None if value != value else int(value)
    return value


def _numbers(values: Sequence[Any], path: str, ids: Sequence[str], name: str) -> Floats:
    """Coordinates; NaN where there is none."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "fiu":
        return values.astype(np.float64)
    try:
        return np.array([np.nan if value is None else _number(value) for value in values])
    except (TypeError, ValueError):
        row = next(row for row, value in enumerate(values) if value is not None and not _is_number(value))
        raise InputError(f"{path} of {shown(ids[row])} is no number: {values[row]!r:.60}", name) from None


def _number(value: Any) -> float:
    if isinstance(value, bool) or (isinstance(value, str) and "_" in value):
        raise ValueError(value)
    return float(value)


def _is_number(value: Any) -> bool:
    try:
        _number(value)
    except (TypeError, ValueError):
        return False
    return True


def _vectors(values: Sequence[Any], path: str, ids: Sequence[str], name: str) -> NDArray[Any]:
    lengths = {len(value) if isinstance(value, Sequence | np.ndarray) else None for value in values}
    if len(lengths) != 1 or None in lengths:
        raise InputError(f"{path} should hold vectors of one length", name)
    return np.array(values)


def _zones(columns: Columns, roles: Mapping[str, str]) -> Texts | None:
    """The plane of each item's x and y: a zone with its half of the globe (bands C to M lie south), or a code."""
    if "zone" not in roles:
        return None
    zones = _texts(columns[roles["zone"]], roles["zone"], (), "")
    if "letter" not in roles:
        return zones
    letters = _texts(columns[roles["letter"]], roles["letter"], (), "")
    south = "S" if folded(roles["letter"]) == "hemisphere" else "CDEFGHJKLM"
    halves = ("" if not letter else "S" if letter.upper() in south else "N" for letter in letters)
    return tuple(zone and zone + half for zone, half in zip(zones, halves, strict=True))
