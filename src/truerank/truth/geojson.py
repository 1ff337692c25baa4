"""GeoJSON features as plain records: a point's longitude and latitude, a rectangle's bounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from truerank.errors import InputError


def record(feature: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The properties of a feature with its id, and its place or bounds in WGS84 degrees.

    Raises:
        InputError: its geometry is neither a point nor a rectangle.
    """
    properties = feature.get("properties") or {}
    ids = {"id": feature["id"]} if "id" in feature else {}
    return {**properties, **ids, **_geometry(feature, name)}


def _geometry(feature: Mapping[str, Any], name: str) -> dict[str, Any]:
    geometry = feature.get("geometry") or {}
    kind, coordinates = geometry.get("type"), geometry.get("coordinates")
    if kind == "Point" and isinstance(coordinates, list) and len(coordinates) >= 2:
        return {"lon": coordinates[0], "lat": coordinates[1]}
    if kind == "Polygon" and coordinates:
        return {
            "bounds": feature.get("bbox") or geometry.get("bbox") or _rectangle(list(_corners(coordinates)), name)
        }
    if kind is None:
        return {}
    raise InputError(f"an item's geometry is a Point or a rectangular Polygon, not a {kind}", name)


def _corners(coordinates: Any) -> Iterator[tuple[float, float]]:
    for ring in coordinates[:1]:
        yield from ((corner[0], corner[1]) for corner in ring)


def _rectangle(corners: list[tuple[float, float]], name: str) -> list[float]:
    """West, south, east, north of a polygon with sides along the meridians and parallels."""
    lons, lats = zip(*corners, strict=True)
    west, east, south, north = min(lons), max(lons), min(lats), max(lats)
    if any(lon not in (west, east) or lat not in (south, north) for lon, lat in corners):
        raise InputError(
            "a polygon's sides must run along meridians and parallels: only rectangles hold points here", name
        )
    return [west, south, east, north]
