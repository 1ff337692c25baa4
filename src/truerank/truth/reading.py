"""Items out of files, folders, DataFrames, lists and dicts."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from truerank.core.errors import InputError, printable
from truerank.core.messages import message
from truerank.formats.frames import is_frame
from truerank.formats.lines import json_or_lines, text_lines
from truerank.formats.names import FILE, few, folded
from truerank.formats.source import Source, as_source
from truerank.formats.stored import is_stored
from truerank.truth import filenames, nested, tabular
from truerank.truth.items import Floats, Items, Texts
from truerank.truth.keys import SIDES, chosen, open_pairs
from truerank.truth.nested import Columns
from truerank.truth.values import codes, numbers, texts, vectors

T = TypeVar("T")

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


def name_of(source: Any, role: str) -> str | None:
    """What messages call items that came in memory; None for others, which have names."""
    return None if isinstance(source, str | os.PathLike | Items) else role


def _of_path(path: str | os.PathLike[str], pattern: str | None, inside: str | None) -> Columns:
    name = os.fspath(path)
    if name and Path(name).is_dir():
        return filenames.columns(filenames.files(name), pattern, name)
    source = as_source(path)
    source.refuse_empty()
    if is_stored(source):
        return nested.expanded(tabular.from_stored(source))
    head = source.head.lstrip()
    if head.startswith((b"{", b"[")):
        return _of_object(json_or_lines(source.text(), name), name, pattern, inside)
    if head.startswith(b"<"):
        raise InputError(
            "this is XML, as KML and GPX are, which is not read: make GeoJSON, JSON or CSV of it", name
        )
    first = head.split(b"\n", 1)[0]
    if not pattern and filenames.GPS.fullmatch(first.decode("utf-8", "replace").strip()):
        return filenames.gps_columns(_lines(source), name)
    if pattern or b"@" in first or not any(mark in first for mark in b"\t,;|"):
        return filenames.columns(_lines(source), pattern, name)
    return tabular.from_csv(source)


def _lines(source: Source) -> list[str]:
    lines = text_lines(source.text().decode("utf-8", "surrogateescape"))
    return [line.strip() for line in lines if line.strip()]


def _of_object(thing: Any, name: str, pattern: str | None, inside: str | None) -> Columns:
    if is_frame(thing):
        return nested.expanded(tabular.from_frame(thing, name))
    if isinstance(thing, np.ndarray):
        thing = thing.tolist()
    elif isinstance(thing, Sequence) and not isinstance(thing, str | bytes):
        thing = list(thing)
    elif isinstance(thing, Mapping):
        thing = dict(thing)
    if not thing:
        raise InputError("there are no items in it", name)
    listing = nested.listing(thing, name, inside)
    if isinstance(listing.records[0], str):
        return filenames.columns(listing.records, pattern, name)
    keys = {} if listing.keys is None else {KEY: list(listing.keys)}
    return {**keys, **nested.columns(listing, name)}


def _items(columns: Columns, keys: Mapping[str, str], name: str) -> Items:
    paths = [path for path in columns if path != KEY]
    roles = chosen(paths, keys, name)
    order = _order(columns, paths, name) if not {"lat", "lon"} & roles.keys() else None
    roles = {**roles, **(order.roles if order else {})}
    named = _id_path(columns, roles, "id" in keys, name)
    table = _Table(columns, roles, keys, _ids(columns, named, name), name)
    sides = [side for role in SIDES if (side := table.needed(role)) is not None]
    return Items(
        table.ids,
        name,
        lat=_signed(table, "lat"),
        lon=_signed(table, "lon"),
        x=table.needed("x"),
        y=table.needed("y"),
        zone=_zones(table),
        label=table.useful("label", codes),
        camera=table.useful("camera", codes),
        vector=table.useful("vector", vectors),
        bounds=np.column_stack(sides) if sides else None,
        aliases=_aliases(columns, named, roles),
        others=tuple(path for path in paths if path not in roles.values()),
        remarks=(order.remark,) if order else (),
    )


class _Order(NamedTuple):
    """Which of two numbers is the latitude, and what decided that."""

    roles: dict[str, str]
    remark: str


def _order(columns: Columns, paths: Sequence[str], name: str) -> _Order | None:
    """The order of two numbers whose name does not say it, where the numbers do: beyond 90 there is no latitude."""
    pairs = open_pairs(paths)
    if len(pairs) != 1:
        return None
    halves = [f"{pairs[0]}.{i}" for i in (0, 1)]
    try:
        wide = [bool((np.abs(numbers(columns[path], path, (), name)) > 90).any()) for path in halves]
    except (InputError, IndexError):  # no coordinates
        return None
    if wide[0] == wide[1]:
        return None
    lon, lat = halves if wide[0] else halves[::-1]
    said = {"column": pairs[0], "name": printable(name)}
    remark = (
        message(
            "{column!r} of {name} is read as longitude, latitude: "
            "the first numbers go beyond 90 degrees, the others do not.",
            **said,
        )
        if wide[0]
        else message(
            "{column!r} of {name} is read as latitude, longitude: "
            "the second numbers go beyond 90 degrees, the others do not.",
            **said,
        )
    )
    return _Order({"lat": lat, "lon": lon}, remark)


@dataclass(frozen=True)
class _Table:
    """The columns, and which of them holds what."""

    columns: Columns
    roles: Mapping[str, str]
    given: Mapping[str, str]
    ids: tuple[str, ...]
    name: str

    def needed(self, role: str) -> Floats | None:
        """Coordinates; they must be numbers."""
        return self._read(role, numbers) if role in self.roles else None

    def useful(self, role: str, read: Callable[..., T]) -> T | None:
        """What else a column holds; one that was not named and holds something else is passed over."""
        if role not in self.roles:
            return None
        try:
            return self._read(role, read)
        except InputError:
            if role in self.given:
                raise
            return None

    def _read(self, role: str, read: Callable[..., T]) -> T:
        path = self.roles[role]
        return read(self.columns[path], path, self.ids, self.name)


def _id_path(columns: Columns, roles: Mapping[str, str], is_given: bool, name: str) -> str:
    """The column of the ids: the keys of an object, unless they only count the items that have ids themselves."""
    if KEY in columns and not is_given and ("id" not in roles or not all(key.isdecimal() for key in columns[KEY])):
        return KEY
    if "id" not in roles:
        raise InputError(
            "no column holds the ids (there is {known}); name it id=…, or id='#' for their places",
            name,
            known=few(columns),
        )
    return roles["id"]


def _ids(columns: Columns, path: str, name: str) -> tuple[str, ...]:
    if path == "#":
        return tuple(map(str, range(len(next(iter(columns.values()))))))
    ids = texts(columns[path], path, (), name)
    for row, text in enumerate(ids, 1):
        if not text:
            raise InputError("item {row} has no {column}", name, row=row, column=path)
    return tuple(text or "" for text in ids)


def _aliases(columns: Columns, named: str, roles: Mapping[str, str]) -> dict[str, Texts]:
    """Other columns that tell the items apart: file names beside numbers, keys beside names."""
    paths = [
        path for path in columns if path == KEY or path == roles.get("id") or folded(path.split(".")[-1]) in FILE
    ]
    aliases = {}
    for path in paths:
        values = columns[path]
        if (
            path != named
            and all(isinstance(value, str) and value for value in values)
            and len(set(values)) == len(values)
        ):
            aliases[path] = tuple(values)
    return aliases


def _signed(table: _Table, role: str) -> Floats | None:
    """Degrees, less than 0 where a column beside them says south or west, as EXIF has it."""
    degrees, halves = table.needed(role), table.useful(f"{role}_ref", texts)
    if degrees is None or halves is None:
        return degrees
    is_less = [(half or "").strip().upper() in ("S", "SOUTH", "W", "WEST") for half in halves]
    return np.where(is_less, -np.abs(degrees), degrees)


def _zones(table: _Table) -> Texts | None:
    """The plane of each item's x and y: a zone with its half of the globe (bands C to M lie south), or a code."""
    zones, letters = table.useful("zone", codes), table.useful("letter", texts)
    if zones is None or letters is None:
        return zones
    south = "S" if folded(table.roles["letter"]) == "hemisphere" else "CDEFGHJKLM"
    halves = ("" if not letter else "S" if letter[0].upper() in south else "N" for letter in letters)
    return tuple(zone and zone + half for zone, half in zip(zones, halves, strict=True))
