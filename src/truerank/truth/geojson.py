"""GeoJSON features as plain records: a point's longitude and latitude, a rectangle's bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from truerank.core.errors import InputError


def record(feature: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The properties of a feature with its id, and its place or bounds in WGS84 degrees.

    Raises:
        InputError: its geometry is neither a point nor a rectangle.
    """
    properties = _object(feature, "properties", name)
    ids = {"id": feature["id"]} if "id" in feature else {}
    return {**properties, **ids, **_geometry(feature, name)}


def _object(feature: Mapping[str, Any], key: str, name: str) -> Mapping[str, Any]:
    value = feature.get(key) or {}
    if not isinstance(value, Mapping):
        raise InputError(
            "the {key} of a feature should be an object, not {value!r:.60}", name, key=key, value=value
        )
    return value


def _geometry(feature: Mapping[str, Any], name: str) -> dict[str, Any]:
    geometry = _object(feature, "geometry", name)
    kind, coordinates = geometry.get("type"), geometry.get("coordinates")
    if kind == "Point" and isinstance(coordinates, list) and len(coordinates) >= 2:
        return {"lon": coordinates[0], "lat": coordinates[1]}
    if kind == "Polygon" and coordinates:
        around = _rectangle(_corners(coordinates, name), name)
        return {"bounds": _box(feature.get("bbox") or geometry.get("bbox")) or _one_way(around, name)}
    if kind is None:
        return {}
    raise InputError("an item's geometry is a Point or a rectangular Polygon, not a {kind}", name, kind=kind)


def _box(bbox: Any) -> list[Any] | None:
    """West, south, east, north of a bounding box, with or without heights; west > east: across the antimeridian.

    >>> _box([179, -1, 0, -179, 1, 50])
    [179, -1, -179, 1]
    """
    if not isinstance(bbox, list) or len(bbox) not in (4, 6):
        return None
    return bbox[:2] + bbox[len(bbox) // 2 :][:2]


def _one_way(bounds: list[float], name: str) -> list[float]:
    """The bounds, unless the way round the other side of the globe is shorter, and may be what is meant.

    RFC 7946 cuts what crosses the antimeridian in two; many write it whole, from 179 to -179.
    """
    west, south, east, north = bounds
    if west >= -180 and east <= 180 < east - west < 360:
        raise InputError(
            "a rectangle from longitude {west:g} to {east:g} is {wide:g} degrees wide, or crosses the antimeridian"
            '; its "bbox" says which: [{west:g}, {south:g}, {east:g}, {north:g}] or '
            "[{east:g}, {south:g}, {west:g}, {north:g}]",
            name,
            wide=east - west,
            west=west,
            south=south,
            east=east,
            north=north,
        )
    return bounds


def _corners(coordinates: Any, name: str) -> list[tuple[float, float]]:
    """The corners of the one ring."""
    if isinstance(coordinates, list) and len(coordinates) > 1:
        raise InputError("a polygon has a hole: only rectangles hold points here", name)
    ring = coordinates[0] if isinstance(coordinates, list) else None
    if isinstance(ring, list) and ring and all(isinstance(corner, list) and len(corner) > 1 for corner in ring):
        corners = [(corner[0], corner[1]) for corner in ring]
        if all(type(number) in (int, float) for corner in corners for number in corner):
            return corners
    raise InputError(
        "a polygon's coordinates are rings of [longitude, latitude], not {coordinates!r:.60}",
        name,
        coordinates=coordinates,
    )


def _rectangle(corners: list[tuple[float, float]], name: str) -> list[float]:
    """West, south, east, north of a polygon with sides along the meridians and parallels."""
    lons, lats = zip(*corners, strict=True)
    west, east, south, north = min(lons), max(lons), min(lats), max(lats)
    if set(corners) != {(lon, lat) for lon in (west, east) for lat in (south, north)}:
        raise InputError(
            "a polygon's sides must run along meridians and parallels: only rectangles hold points here", name
        )
    return [west, south, east, north]
