"""Coordinates that cannot be measured are refused, each with its item and its file."""

from __future__ import annotations

import numpy as np

from truerank.core.errors import InputError, printable
from truerank.core.messages import message
from truerank.truth.items import Floats, Items


def checked(items: Items, distance: str) -> Items:
    """The items, if all have coordinates that this distance can measure.

    Raises:
        InputError: a coordinate is missing, not finite, or no degree; or the planes differ.
    """
    if distance == "xy":
        _refuse_unplaced(items, items.plane, "x and y")
        return items
    places = items.places
    _refuse_unplaced(items, places, "latitude and longitude")
    lat, lon = places.T
    if (high := np.abs(lat) > 90).any():
        row = int(np.argmax(high))
        swapped = " Latitude and longitude look swapped." if (np.abs(lon) <= 90).all() else ""
        what = message(
            "the latitude of {ids} is {lat:g}: no latitude is beyond 90.{swapped}",
            ids=printable(items.ids[row]),
            lat=lat[row],
            swapped=swapped,
        )
        raise InputError(what, items.name)
    if (wide := (lon < -180) | (lon > 360)).any():
        row = int(np.argmax(wide))
        what = message(
            "the longitude of {ids} is {lon:g}, not between -180 and 360",
            ids=printable(items.ids[row]),
            lon=lon[row],
        )
        raise InputError(what, items.name)
    return items


def one_plane(queries: Items, references: Items) -> None:
    """Refuse x and y of different planes.

    Raises:
        InputError: there are several zones.
    """
    zones = {zone for items in (queries, references) for zone in items.zone or () if zone}
    if len(zones) > 1:
        planes = message(
            "x and y are measured on several planes (zones {zones})", zones=", ".join(sorted(zones)[:4])
        )
        why = message("distances between them mean nothing; measure by latitude and longitude")
        raise InputError("{planes}: {why}", references.name, planes=planes, why=why)


def _refuse_unplaced(items: Items, coordinates: Floats, spoken: str) -> None:
    bad = ~np.isfinite(coordinates).all(axis=1)
    if bad.any():
        first, count = printable(items.ids[int(np.argmax(bad))]), int(bad.sum())
        more = message(", and {count:,} more have none", count=count - 1) if count > 1 else ""
        raise InputError(
            "{first} has no {spoken}{more}; give them a place or leave them out",
            items.name,
            first=first,
            spoken=spoken,
            more=more,
        )
