"""Distances, and the points that a k-d tree is built of: close points for close places, by a proven bound."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np

from truerank.core.errors import RulesError, needs
from truerank.core.messages import did_you_mean, message
from truerank.core.schema import is_real
from truerank.truth.items import Floats, Items

RADIUS = 6371008.8
"""Metres: the mean radius of WGS84, which the haversine distance takes for all of the globe."""

EQUATOR, POLE = 6378137.0, 6356752.314245179
"""Metres: the largest and the smallest radius of the WGS84 ellipsoid."""

MARGIN = 1e-6
"""Metres added to every bound: a thousand times what rounding moves a point by (64-bit numbers of 6.4e6 m)."""


@dataclass(frozen=True)
class Distance:
    """A way to measure how far apart two places are.

    Attributes:
        name: what options call it.
        places: the coordinates of items as it takes them.
        metres: the distances between two arrays of coordinates, row by row.
        points: coordinates to points in space.
        reach: metres to the greatest distance, straight through space, of points that are so near.
    """

    name: str
    places: Callable[[Items], Floats]
    metres: Callable[[Floats, Floats], Floats]
    points: Callable[[Floats], Floats]
    reach: Callable[[Any], Any]


def geodesic(one: Floats, other: Floats) -> Floats:
    """The length of the shortest way over the ellipsoid, to 15 nanometres (Karney, 2013)."""
    columns = (one[:, 1], one[:, 0], other[:, 1], other[:, 0])
    return np.asarray(_ellipsoid().inv(*(array("d", column.tobytes()) for column in columns))[2], np.float64)


@lru_cache(maxsize=1)
def _ellipsoid() -> Any:
    with needs(message("geodesic distance"), "geo"):
        from pyproj import Geod
    return Geod(ellps="WGS84")


def earth_centred(places: Floats) -> Floats:
    """Places on the ellipsoid as x, y, z from the centre of the earth."""
    lat, lon = np.radians(places).T
    squeezed = (POLE / EQUATOR) ** 2
    radius = EQUATOR / np.sqrt(1 - (1 - squeezed) * np.sin(lat) ** 2)
    across = radius * np.cos(lat)
    return np.column_stack([across * np.cos(lon), across * np.sin(lon), squeezed * radius * np.sin(lat)])


def geodesic_reach(metres: Any) -> Any:
    """How far apart, straight through the earth, two places may be whose geodesic distance is at most so much.

    Two bounds, of which the smaller holds. A straight line is never longer than a way over the surface: chord <= s.
    And s >= POLE * angle between the directions from the centre, for pushing the way inwards onto the sphere of the
    polar radius, which the ellipsoid encloses, makes nothing longer. With radii r and r' of the two places,
    chord^2 = (r - r')^2 + 4 r r' sin^2(angle / 2), where |r - r'| <= EQUATOR - POLE and r r' <= EQUATOR^2.
    The first is the tighter one nearby (s / chord is 1 + s^2 / 24 R^2), the second on the other side of the globe.
    """
    half_angle = np.minimum(np.asarray(metres) / POLE, np.pi) / 2
    far = np.hypot(EQUATOR - POLE, 2 * EQUATOR * np.sin(half_angle))
    return np.minimum(metres, far) * (1 + 1e-12) + MARGIN


def haversine(one: Floats, other: Floats, radius: float = RADIUS) -> Floats:
    """The length of the great circle between them on a sphere; of `RADIUS`, off the geodesic by -0.45 to 0.56 %."""
    (lat, lon), (lat2, lon2) = np.radians(one).T, np.radians(other).T
    h = np.sin((lat2 - lat) / 2) ** 2 + np.cos(lat) * np.cos(lat2) * np.sin((lon2 - lon) / 2) ** 2
    return np.asarray(2 * radius * np.arcsin(np.sqrt(np.minimum(h, 1.0))), np.float64)


def on_sphere(places: Floats, radius: float = RADIUS) -> Floats:
    """Places on the sphere as x, y, z from its centre."""
    lat, lon = np.radians(places).T
    return radius * np.column_stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])


def sphere_reach(metres: Any, radius: float = RADIUS) -> Any:
    """How far apart, straight through the sphere, two places are whose great circle is so long.

    Near the antipode the great circle is known to 0.1 m only, but there the straight line hardly grows with it.
    """
    half_angle = np.minimum(np.asarray(metres) / radius, np.pi) / 2
    return 2 * radius * np.sin(half_angle) * (1 + 1e-12) + MARGIN


def planar(one: Floats, other: Floats) -> Floats:
    """The length of the straight line between them."""
    return np.hypot(other[:, 0] - one[:, 0], other[:, 1] - one[:, 1])


def planar_reach(metres: Any) -> Any:
    """These metres with a little to spare for rounding, so that a search within them misses nothing."""
    return np.asarray(metres) * (1 + 1e-12) + MARGIN


DISTANCES = {
    "geodesic": Distance("geodesic", lambda items: items.places, geodesic, earth_centred, geodesic_reach),
    "haversine": Distance("haversine", lambda items: items.places, haversine, on_sphere, sphere_reach),
    "xy": Distance("xy", lambda items: items.plane, planar, lambda plane: plane, planar_reach),
}


_SPHERE = re.compile(r"haversine\(([0-9][0-9.eE+]*)\)")


def on_earth(radius: float) -> str:
    """The name of the haversine distance on a sphere of this radius, in metres.

    Raises:
        RulesError: it is no radius of the earth: 6,300 to 6,400 km, in metres.

    >>> on_earth(6371000)
    'haversine(6371000)'
    """
    if not is_real(radius) or not 6.3e6 <= radius <= 6.4e6:
        raise RulesError("the radius of the earth is 6300000 to 6400000 metres, not {radius!r}", radius=radius)
    return f"haversine({int(radius) if radius == int(radius) else float(radius)!r})"


def _sphere(radius: float) -> Distance:
    return Distance(
        on_earth(radius),
        lambda items: items.places,
        partial(haversine, radius=radius),
        partial(on_sphere, radius=radius),
        partial(sphere_reach, radius=radius),
    )


def distance_named(name: str) -> Distance:
    """The distance that an option names; haversine(6371000) is on a sphere of this radius.

    Raises:
        RulesError: there is none of this name.
    """
    if sphere := _SPHERE.fullmatch(name):
        return _sphere(_number(sphere[1]))
    if name not in DISTANCES:
        raise RulesError(
            "no distance is called {name!r}.{hint} There is {known}",
            name=name,
            hint=did_you_mean(name, DISTANCES),
            known=", ".join(DISTANCES),
        )
    return DISTANCES[name]


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise RulesError("the radius of the earth is a number of metres, not {text!r}", text=text) from None
