"""The tiles that hold the query's place are right."""

from __future__ import annotations

from truerank.truth.checks import checked, one_plane
from truerank.truth.distances import distance_named
from truerank.truth.items import Items, middles
from truerank.truth.registry import rule
from truerank.truth.result import Pairs
from truerank.truth.tiles import checked_bounds, holding


@rule("contains")
def contains(queries: Items, references: Items, *, distance: str = "geodesic") -> Pairs:
    """The references whose bounds hold the query's place are right; a point on an edge is inside.

    A tile whose west is greater than its east crosses the antimeridian. The distance of a pair is the one to the
    tile's middle.

    Args:
        distance: geodesic or haversine for bounds in degrees, xy for bounds on the plane.

    >>> from truerank import truth
    >>> tiles = [{"id": "a", "bounds": [179, -1, -179, 1]}, {"id": "b", "bounds": [0, -1, 1, 1]}]
    >>> truth.contains([{"id": "q", "lat": 0.5, "lon": -179.5}], tiles).to_dict()
    {'q': {'a': 1.0}}
    """
    measured = distance_named(distance)
    is_globe = distance != "xy"
    if not is_globe:
        one_plane(queries, references)
    bounds = checked_bounds(references, is_globe)
    places = measured.places(checked(queries, distance))
    axes = slice(None, None, -1 if is_globe else 1)  # bounds begin with the longitude, places with the latitude
    query, tile = holding(places[:, axes], bounds, is_globe)
    return Pairs(query, tile, measured.metres(places[query], middles(bounds, is_globe)[tile][:, axes]))
