"""Items out of nested lists and objects, as columns whose names are the ways to them: "gps.lat"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from truerank.core.errors import InputError
from truerank.formats.names import ITEM, folded
from truerank.truth import geojson

Columns = dict[str, Sequence[Any]]

CONTAINERS = {
    *("images", "items", "data", "references", "refs", "queries", "records", "entries", "frames", "tiles"),
    *("places", "gallery", "features", "index", "list", "photos", "metadata", "meta", "rows", "flight", "map"),
    "points",
}
"""Keys under which all items stand; one item is never called so."""

DEEPEST = 4
"""How many keys down the items may stand."""

WIDEST = 1000
"""An object with more values in it is no item."""

SHORT = 4
"""A list of up to this many numbers is a pair or bounds, a longer one a vector."""

_TELLING = ("lat", "x", "label", "vector", "west")


@dataclass(frozen=True)
class Listing:
    """A list of items: where it stands, its records, and the key of each if they stand in an object."""

    where: str
    records: Sequence[Any]
    keys: Sequence[str] | None = None

    @property
    def is_placed(self) -> bool:
        """Whether the first item has a place, a label, a vector or bounds."""
        first = self.records[0]
        return isinstance(first, dict) and (first.get("type") == "Feature" or _tells(first))


def listing(value: Any, name: str, inside: str | None = None) -> Listing:
    """The list of items in a JSON value.

    Args:
        inside: the key that it stands under, if there are several lists; dots lead further in.

    Raises:
        InputError: there is none, or there are several.
    """
    for key in inside.split(".") if inside else ():
        if not isinstance(value, dict) or key not in value:
            raise InputError("there is no {inside!r} in it", name, inside=inside)
        value = value[key]
    listings = list(_listings(value, inside or "", DEEPEST))
    placed = [each for each in listings if each.is_placed] or listings
    if not placed:
        raise InputError(
            "no list of items is in it: a list of objects, or an object of objects, was looked for", name
        )
    if len(placed) > 1:
        raise InputError(
            "several lists of items are in it: {names}; say which: inside={first!r}",
            name,
            names=", ".join(repr(each.where) for each in placed[:6]),
            first=placed[0].where,
        )
    return placed[0]


def _listings(value: Any, where: str, depth: int) -> Iterator[Listing]:
    if isinstance(value, list):
        if value and (
            all(isinstance(item, dict) for item in value) or all(isinstance(item, str) for item in value)
        ):
            yield Listing(where, value)
    elif isinstance(value, dict):
        if _is_columns(value):
            yield Listing(where, [dict(zip(value, row, strict=True)) for row in zip(*value.values(), strict=True)])
        elif _is_items(value):
            yield Listing(where, list(value.values()), list(value))
        elif depth:
            for key, inner in value.items():
                yield from _listings(inner, f"{where}.{key}" if where else str(key), depth - 1)


def _is_columns(value: dict[str, Any]) -> bool:
    """{"id": [...], "lat": [...], ...}"""
    columns = list(value.values())
    if not all(isinstance(column, list) and column and not isinstance(column[0], dict) for column in columns):
        return False
    words = {word for role in _TELLING for word in ITEM[role]}
    return len(set(map(len, columns))) == 1 and any(folded(key) in words for key in value)


def _is_items(value: dict[str, Any]) -> bool:
    """{"a.jpg": {...}, "b.jpg": {...}}, but not {"images": {...}}."""
    if not value or not all(isinstance(item, dict) for item in value.values()):
        return False
    key, first = next(iter(value.items()))
    return _tells(first) and not (len(value) == 1 and folded(key) in CONTAINERS)


def _tells(record: Mapping[str, Any]) -> bool:
    """Whether this is one item: it has one place (or label, or vector), not many."""
    leaves = list(islice(flat(record), WIDEST + 1))
    if len(leaves) > WIDEST:
        return False
    depths: dict[str, list[int]] = {}
    for path, _ in leaves:
        depths.setdefault(folded(path.split(".")[-1]), []).append(path.count("."))
    for role in _TELLING:
        at = sorted(depth for word in ITEM[role] for depth in depths.get(word, ()))
        if at:
            return len(at) == 1 or at[0] < at[1]
    return any(isinstance(inner, list) and (_is_short(inner) or _are_corners(inner)) for _, inner in leaves)


def flat(record: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """The values of an object and of the objects inside it, each with the way to it."""
    for key, value in record.items():
        path = f"{before}{key}"
        if isinstance(value, Mapping):
            yield from flat(value, f"{path}.")
        else:
            yield path, value


def columns(listing: Listing, name: str) -> Columns:
    """A column for each way to a value; None where an item has no such value."""
    records = [_record(record, name) for record in listing.records]
    flats = [dict(flat(record)) for record in records]
    paths = dict.fromkeys(path for record in flats for path in record)
    return expanded({path: [record.get(path) for record in flats] for path in paths})


def _record(record: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(record, Mapping):
        raise InputError("an item is an object, not {value!r:.60}", name, value=record)
    return geojson.record(record, name) if record.get("type") == "Feature" else record


def expanded(columns: Columns) -> Columns:
    """The columns with each short list split into a column for each of its numbers: "gps.0", "gps.1"."""
    wide: Columns = {}
    for path, values in columns.items():
        first = next((value for value in values if value is not None), None)
        if isinstance(first, list | tuple) and (_is_short(first) or _are_corners(first)):
            wide |= expanded({f"{path}.{i}": [_at(value, i) for value in values] for i in range(len(first))})
        else:
            wide[path] = values
    return wide


def _are_corners(value: Sequence[Any]) -> bool:
    """[[0, 0], [1, 1]]: which number is which, the user has to say."""
    return len(value) == 2 and all(isinstance(corner, list | tuple) and _is_short(corner) for corner in value)


def _is_short(value: Sequence[Any]) -> bool:
    return 2 <= len(value) <= SHORT and all(isinstance(number, int | float) for number in value)


def _at(value: Any, place: int) -> Any:
    return value[place] if isinstance(value, list | tuple) and len(value) > place else None
