"""Tiles: which of them hold a point, on the globe (longitudes go round, meridians meet) or on a plane."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from truerank.core.errors import InputError, printable
from truerank.core.messages import Message, message, plural
from truerank.truth.items import Bools, Floats, Ints, Items, middles, sizes
from truerank.truth.search import tree_of

CHUNK = 1 << 12
"""Points that are looked up at once."""

SLACK = 1e-9
"""What rounding may add to a scaled coordinate; the bounds themselves decide."""


def checked_bounds(items: Items, is_globe: bool) -> Floats:
    """(tiles, 4) west, south, east, north.

    Raises:
        InputError: the items have none, or they are none.
    """
    bounds = items.bounds
    if bounds is None:
        raise InputError("the references have no bounds; {hint}", items.name, hint=_naming(items.others))
    west, south, east, north = bounds.T
    bad = ~np.isfinite(bounds).all(axis=1) | (south > north)
    if is_globe:
        bad |= (np.abs(bounds[:, 1::2]) > 90).any(axis=1) | (np.abs(bounds[:, ::2]) > 360).any(axis=1)
    else:
        bad |= west > east
    if bad.any():
        row = int(np.argmax(bad))
        others = int(np.isfinite(bounds).all(axis=1).sum())
        if others and np.isnan(bounds[row]).all():
            said = plural(
                "{item} has no whole bounds where {n:,} other has them; all items of a file name their bounds "
                "alike",
                "{item} has no whole bounds where {n:,} others have them; all items of a file name their bounds "
                "alike",
                n=others,
                item=printable(items.ids[row]),
            )
            raise InputError(said, items.name)
        wrong = {"item": printable(items.ids[row]), "bounds": ", ".join(f"{edge:g}" for edge in bounds[row])}
        if is_globe:
            said = message(
                "the bounds of {item} are {bounds}: that is no west, south, east, north in degrees "
                "(for metres on a plane: distance='xy')",
                **wrong,
            )
            raise InputError(said, items.name)
        said = message(
            "the bounds of {item} are {bounds}: that is no west, south, east, north in metres on a plane", **wrong
        )
        raise InputError(said, items.name)
    return bounds


def _naming(columns: Sequence[str]) -> Message:
    """How to say which columns the bounds are."""
    corners = next((name.removesuffix(".0.0") for name in columns if name.endswith(".0.0")), None)
    if corners is None:
        return message("name them: west=…, south=…, east=…, north=…")
    sides = {"west": "0.0", "south": "0.1", "east": "1.0", "north": "1.1"}
    named = ", ".join(f"{side}='{corners}.{place}'" for side, place in sides.items())
    return message(
        "{column!r} holds two corners: say which number is which, e.g. {named}", column=corners, named=named
    )


def holding(points: Floats, bounds: Floats, is_globe: bool) -> tuple[Ints, Ints]:
    """(point, tile) of every tile that holds a point, edges included.

    Args:
        points: x and y, or longitude and latitude.
    """
    at_pole = is_globe & (np.abs(points[:, 1]) == 90)
    pairs = [_near(points, np.flatnonzero(~at_pole), bounds, is_globe)]
    for row in np.flatnonzero(at_pole).tolist():  # whatever its longitude, it is on every meridian
        tiles = np.flatnonzero((bounds[:, 1] <= points[row, 1]) & (points[row, 1] <= bounds[:, 3]))
        pairs.append((np.full(len(tiles), row), tiles))
    point, tile = (np.concatenate(part) for part in zip(*pairs, strict=True))
    return point, tile


def _near(points: Floats, rows: Ints, bounds: Floats, is_globe: bool) -> tuple[Ints, Ints]:
    """A tree finds tiles whose middle is no further than half the widest is wide and half the highest is high."""
    half = np.maximum(sizes(bounds, is_globe).max(axis=0) / 2, SLACK)
    origin = np.array([0.0, -90.0]) if is_globe else bounds[:, :2].min(axis=0)
    turn = 360.0 / half[0] if is_globe else 0.0

    def scaled(places: Floats) -> Floats:
        units: Floats = (places - origin) / half
        if is_globe:
            units[:, 0] = np.minimum(units[:, 0] % turn, np.nextafter(turn, 0))
        return units

    tree = tree_of(scaled(middles(bounds, is_globe)), [turn, 0.0] if is_globe else None)
    pairs = [(np.empty(0, np.int64), np.empty(0, np.int64))]
    for start in range(0, len(rows), CHUNK):
        chunk = rows[start : start + CHUNK]
        lists = tree.query_ball_point(scaled(points[chunk]), 1 + SLACK, p=np.inf)
        point = np.repeat(chunk, [len(each) for each in lists])
        tile = np.concatenate([np.asarray(each, np.int64) for each in lists])
        held = _holds(points[point], bounds[tile], is_globe)
        pairs.append((point[held], tile[held]))
    point, tile = (np.concatenate(part) for part in zip(*pairs, strict=True))
    return point, tile


def _holds(points: Floats, bounds: Floats, is_globe: bool) -> Bools:
    """(pairs,) whether the bounds hold the point."""
    (x, y), (west, south, east, north) = points.T, bounds.T
    if is_globe:
        is_all_round = east - west >= 360
        is_usual = np.abs([x, west, east]).max(axis=0, initial=0) <= 180
        start = np.where(is_usual, -180.0, 0.0)
        x, west, east = (_turned(lon, start) for lon in (x, west, east))
        wide = np.where(west > east, (x >= west) | (x <= east), (x >= west) & (x <= east)) | is_all_round
    else:
        wide = (x >= west) & (x <= east)
    return np.asarray(wide & (south <= y) & (y <= north), bool)


def _turned(lon: Floats, start: Floats) -> Floats:
    """The longitudes turned into the 360 degrees that begin at `start`; unchanged to the bit where they lie there.

    Degrees near 0 have more bits than those near 360: where one is beyond 180, all are counted from 0, as there
    -100.1 and 259.9 are the same.
    """
    return np.where((lon >= start) & (lon < start + 360), lon, (lon - start) % 360 + start)
