"""Which columns hold an item's id, place, plane position, identity, vector and bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from truerank.core.errors import InputError
from truerank.core.messages import Message, did_you_mean, joined, message
from truerank.formats.names import ITEM, few, folded

SIDES = ("west", "south", "east", "north")

_PAIRS = {"gps", "location", "position", "pos", "coords", "coord", "coordgeo", "geocoord", "geo", "point", "loc"}
"""Two numbers under one of these may stand in either order."""

_DECIDED = {"coordgeo", "geocoord"}
"""Under these the numbers themselves tell the order, where one of the two goes beyond 90: no latitude does."""


def chosen(paths: Sequence[str], given: Mapping[str, str], name: str) -> dict[str, str]:
    """Which of the columns holds what: {"lat": "gps.latitude"}. What is there twice must be named.

    Args:
        paths: the names of the columns; a dot stands between a key and a key inside it.
        given: what the user says of some.

    Raises:
        InputError: a given name is not there, or several columns could be meant.
    """
    for role, path in given.items():
        if role not in ITEM:
            raise InputError(
                "nothing of an item is called {role!r}.{hint} It has {known}",
                role=role,
                hint=did_you_mean(role, ITEM),
                known=few(ITEM),
            )
        if path not in paths and path != "#":
            raise InputError(
                "there is no {column!r} for {role}.{hint} There is {known}",
                name,
                column=path,
                role=role,
                hint=did_you_mean(path, paths),
                known=few(paths),
            )
    either = {role: given.get(role) or _found(paths, role, given, name) for role in ITEM}
    held = {role: path for role, path in either.items() if path}
    return _without_halves(held, paths, name)


def _found(paths: Sequence[str], role: str, given: Mapping[str, str], name: str) -> str | None:
    """The column that is meant; None if there is none, or several, of which one may be named when it is needed."""
    likely = _likely([path for path in paths if path not in given.values()], role)
    if len(likely) > 1 and role == "id":
        raise InputError(_open(likely, role), name)
    return likely[0] if len(likely) == 1 else None


def _likely(paths: Sequence[str], role: str) -> list[str]:
    """The columns that are not deep inside others, and of those the ones with the surest name."""
    order = {wanted: place for place, wanted in enumerate(ITEM[role])}
    known = {path: words for path in paths if (words := _readings(path) & order.keys())}
    sure = {path: (path.count("."), min(order[word] for word in words)) for path, words in known.items()}
    return sorted(path for path in sure if sure[path] == min(sure.values()))


def _open(likely: Sequence[str], role: str) -> Message:
    one, other = likely[:2]
    return message("{one!r} and {other!r} may both be {role}; say which: {role}=…", one=one, other=other, role=role)


def _readings(path: str) -> set[str]:
    """What a column's name may be looked up as: its last part, its last two, or all of it."""
    parts = path.split(".")
    return {folded(parts[-1]), folded("".join(parts[-2:])), folded(path)}


def _without_halves(held: dict[str, str], paths: Sequence[str], name: str) -> dict[str, str]:
    """East and north alone are a position, west, south, east and north are bounds; half a place is an error."""
    if not all(side in held for side in SIDES):
        held = {role: path for role, path in held.items() if role not in SIDES}
    else:
        sides = {held[side] for side in SIDES}
        held = {role: path for role, path in held.items() if role in SIDES or path not in sides}
    for one, other in (("lat", "lon"), ("lon", "lat"), ("x", "y"), ("y", "x")):
        if one in held and other not in held:
            path = held.pop(one)
            if len(path.split(".")[-1]) > 1:  # a lone x or n may be anything
                raise InputError(
                    "{column!r} is {one}, but what is {other}? Name it: {other}=… ({hint})",
                    name,
                    column=path,
                    one=one,
                    other=other,
                    hint=_hint(paths),
                )
    return held


def open_pairs(paths: Sequence[str]) -> list[str]:
    """The columns of two numbers, a latitude and a longitude, whose order the numbers may decide."""
    bases = [path[:-2] for path in paths if path.endswith(".0") and _readings(path[:-2]) & _DECIDED]
    return [base for base in bases if f"{base}.1" in paths and f"{base}.2" not in paths]


def unread(paths: Sequence[str]) -> Message:
    """What to say when something is not found: which columns were not read, and what is too open to guess."""
    pair = next((path[:-2] for path in paths if path.endswith(".0") and _readings(path[:-2]) & _PAIRS), None)
    if pair is not None:
        return message(
            "{column!r} holds two numbers: say which is which, e.g. lat='{column}.0', lon='{column}.1'", column=pair
        )
    several = ((role, _likely(paths, role)) for role in ("lat", "lon", "x", "y"))
    return next((_open(likely, role) for role, likely in several if len(likely) > 1), _hint(paths))


def _hint(paths: Sequence[str]) -> Message:
    near = (did_you_mean(path.split(".")[-1], ("latitude", "longitude", "easting", "northing")) for path in paths)
    return message("there is {known}.{hint}", known=few(paths), hint=joined("", dict.fromkeys(near)))
