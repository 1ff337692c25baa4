"""Coordinates that cannot be measured are refused, each with its item and its file."""

from __future__ import annotations

import numpy as np

from truerank.core.errors import InputError, printable
from truerank.core.messages import Message, message
from truerank.truth.distances import Distance, distance_named
from truerank.truth.items import Floats, Items

FARTHEST = 1e150
"""The greatest x or y: the squares of the distances between greater ones are no numbers any more."""


def checked(items: Items, distance: str) -> Items:
    """The items, if all have coordinates that this distance can measure.

    Raises:
        InputError: a coordinate is missing, not finite, too large, or no degree; or the planes differ.
    """
    if distance == "xy":
        _refuse_unplaced(items, items.plane, message("x and y"))
        _refuse_far(items, items.plane)
        return items
    places = items.places
    _refuse_unplaced(items, places, message("latitude and longitude"))
    lat, lon = places.T
    if (high := np.abs(lat) > 90).any():
        row = int(np.argmax(high))
        beyond = {"item": printable(items.ids[row]), "lat": lat[row]}
        if (np.abs(lon) <= 90).all():
            said = message(
                "the latitude of {item} is {lat:g}: no latitude is beyond 90. Latitude and longitude look swapped.",
                **beyond,
            )
            raise InputError(said, items.name)
        raise InputError(
            message("the latitude of {item} is {lat:g}: no latitude is beyond 90.", **beyond), items.name
        )
    if (wide := (lon < -180) | (lon > 360)).any():
        row = int(np.argmax(wide))
        raise InputError(
            "the longitude of {item} is {lon:g}, not between -180 and 360",
            items.name,
            item=printable(items.ids[row]),
            lon=lon[row],
        )
    return items


def _refuse_far(items: Items, plane: Floats) -> None:
    far = (np.abs(plane) > FARTHEST).any(axis=1)
    if far.any():
        row = int(np.argmax(far))
        raise InputError(
            "{item} is at x = {x:g}, y = {y:g}: too far to be measured",
            items.name,
            item=printable(items.ids[row]),
            x=plane[row, 0],
            y=plane[row, 1],
        )


def placed(queries: Items, references: Items, distance: str) -> tuple[Distance, Floats, Floats]:
    """The distance of this name, and the coordinates of both sides as it takes them.

    Raises:
        RulesError: there is no such distance.
        InputError: as for `checked` and `one_plane`.
    """
    measured = distance_named(distance)
    if distance == "xy":
        one_plane(queries, references)
    asked, there = (measured.places(checked(items, distance)) for items in (queries, references))
    return measured, asked, there


def one_plane(queries: Items, references: Items) -> None:
    """Refuse x and y of different planes.

    Raises:
        InputError: there are several zones.
    """
    zones = {zone for items in (queries, references) for zone in items.zone or () if zone}
    if len(zones) > 1:
        raise InputError(
            "x and y are measured on several planes (zones {zones}): "
            "distances between them mean nothing; measure by latitude and longitude",
            references.name,
            zones=", ".join(sorted(zones)[:4]),
        )


def _refuse_unplaced(items: Items, coordinates: Floats, what: Message) -> None:
    bad = ~np.isfinite(coordinates).all(axis=1)
    if bad.any():
        lacking = {"item": printable(items.ids[int(np.argmax(bad))]), "what": what}
        if more := int(bad.sum()) - 1:
            said = message(
                "{item} has no {what}, and {n:,} more have none; give them a place or leave them out",
                n=more,
                **lacking,
            )
            raise InputError(said, items.name)
        raise InputError(
            message("{item} has no {what}; give them a place or leave them out", **lacking), items.name
        )
