"""Nearest and within find exactly what a comparison of all pairs finds, wherever on the globe."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyproj import Geod

from truerank import truth
from truerank.truth import DISTANCES, Items
from truerank.truth.distances import distance_named

GEOD = Geod(ellps="WGS84")
RADIUS = 6371008.8


def brute(distance: str, queries: np.ndarray, references: np.ndarray) -> np.ndarray:
    """(queries, references) metres of every pair."""
    q, r = np.repeat(queries, len(references), axis=0), np.tile(references, (len(queries), 1))
    if distance == "geodesic":
        metres = np.array(GEOD.inv(*(column.tolist() for column in (q[:, 1], q[:, 0], r[:, 1], r[:, 0])))[2])
    elif distance == "xy":
        metres = np.hypot(r[:, 0] - q[:, 0], r[:, 1] - q[:, 1])
    else:
        metres = DISTANCES[distance].metres(q, r)
    return metres.reshape(len(queries), len(references))


def items(places: np.ndarray, letter: str, plane: bool = False) -> Items:
    ids = tuple(f"{letter}{i:05d}" for i in range(len(places)))
    return Items(ids, letter, **dict(zip(("x", "y") if plane else ("lat", "lon"), places.T, strict=True)))


def expected_nearest(metres: np.ndarray, n: int) -> dict[bytes, list[tuple[str, float]]]:
    """Sorted by distance, then by place in the list."""
    order = np.argsort(metres, axis=1, kind="stable")[:, :n]
    return {b"q%05d" % q: [(f"r{r:05d}", metres[q, r]) for r in row] for q, row in enumerate(order.tolist())}


def pairs_of(right: truth.Truth) -> dict[bytes, list[tuple[str, float]]]:
    found: dict[bytes, list[tuple[str, float]]] = {query: [] for query in right.queries}
    for query, doc, grade, metres in right.pairs():
        assert grade == 1
        found[query.encode()].append((doc, metres))
    return found


def check(distance: str, queries: np.ndarray, references: np.ndarray, n: int, radius: float) -> None:
    plane = distance == "xy"
    asked, there = items(queries, "q", plane), items(references, "r", plane)
    metres = brute(distance, queries, references)
    nearest = truth.nearest(asked, there, n=n, distance=distance)
    assert pairs_of(nearest) == expected_nearest(metres, n)
    ordered = np.sort(metres, axis=1)
    tied = [] if n >= len(references) else np.flatnonzero(ordered[:, n - 1] == ordered[:, n]).tolist()
    assert nearest.tied == tuple(asked.ids[q] for q in tied)
    within = truth.within(asked, there, metres=radius, distance=distance)
    wanted = {
        name.encode(): sorted(((m, f"r{r:05d}") for r, m in enumerate(row) if m <= radius))
        for name, row in zip(asked.ids, metres.tolist(), strict=True)
    }
    assert {q: sorted((m, d) for d, m in docs) for q, docs in pairs_of(within).items()} == wanted
    assert within.without_relevant == tuple(name for name in asked.ids if not wanted[name.encode()])


LATS = st.sampled_from([90.0, -90.0, 89.9999999, 0.0, 1e-9, 45.0, 45.0000001, -45.0]) | st.floats(-90, 90)
LONS = st.sampled_from([180.0, -180.0, 179.9999999, -179.9999999, 0.0, -1e-9, 360.0, 270.0]) | st.floats(-180, 180)
PLACES = st.lists(st.tuples(LATS, LONS), min_size=1, max_size=12).map(np.array)


@settings(max_examples=60)
@given(PLACES, PLACES, st.integers(1, 4), st.sampled_from([0.0, 1e-6, 25.0, 2e4, 1e7, 2.1e7]))
@pytest.mark.parametrize("distance", ["geodesic", "haversine"])
def test_any_places_at_all(distance, queries, references, n, radius):
    check(distance, queries, references, n, radius)


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.sampled_from([1e-7, 1e-3, 1.0, 60.0]), st.integers(1, 5))
@pytest.mark.parametrize("distance", ["geodesic", "haversine", "xy"])
def test_clusters_around_the_worst_places(distance, seed, spread, n):
    rng = np.random.default_rng(seed)
    centre = [(90, 0), (-90, 77), (0, 180), (0, -180), (37.5, 127), (0, 0), (-45, 179.99999)][seed % 7]
    places = np.array(centre) + rng.normal(0, spread, (90, 2))
    places = np.column_stack([np.clip(places[:, 0], -90, 90), (places[:, 1] + 180) % 360 - 180])
    places[60:75] = places[:15]  # duplicates
    check(distance, places[:30], places[30:], n, spread * 50_000)


@pytest.mark.parametrize("distance", ["geodesic", "haversine", "xy"])
def test_thousands_of_queries(distance):
    rng = np.random.default_rng(5)
    lat, lon = np.degrees(np.arcsin(rng.uniform(-1, 1, 3000))), rng.uniform(-180, 180, 3000)
    places = np.column_stack([lat, lon])
    check(distance, places[:2400], places[2400:], 3, 300_000 if distance != "xy" else 5.0)


@pytest.mark.parametrize("distance", ["geodesic", "haversine", "xy"])
def test_one_reference_is_the_nearest_of_all(distance):
    rng = np.random.default_rng(6)
    check(distance, rng.uniform(-80, 80, (50, 2)), np.array([[12.0, 34.0]]), 1, 1e6)
    check(distance, rng.uniform(-80, 80, (50, 2)), np.array([[12.0, 34.0]]), 7, 1e6)


def test_everything_at_one_place_is_taken_in_the_references_order():
    places = np.tile([[37.5, 127.0]], (3000, 1))
    check("geodesic", places[:5], places, 2, 0.0)
    right = truth.nearest(items(places[:2], "q"), items(places, "r"), n=2)
    assert right.to_dict() == {f"q{q:05}": {"r00000": 1, "r00001": 1} for q in range(2)}
    assert right.tied == ("q00000", "q00001")
    assert [note.kind for note in right.notes] == ["ties"]


def test_references_on_the_other_side_of_the_globe():
    rng = np.random.default_rng(7)
    queries = np.array([[37.5, 127.0]]) + rng.normal(0, 0.5, (40, 2))
    antipodes = np.array([[-37.5, -53.0]]) + rng.normal(0, 0.5, (300, 2))
    for distance in ("geodesic", "haversine"):
        check(distance, queries, antipodes, 3, 1.99e7)


def test_geodesic_and_sphere_choose_differently_and_each_exactly():
    rng = np.random.default_rng(8)
    queries, references = rng.uniform(-60, 60, (1200, 2)), rng.uniform(-60, 60, (1200, 2))
    chosen = {
        d: truth.nearest(items(queries, "q"), items(references, "r"), distance=d) for d in DISTANCES if d != "xy"
    }
    one, other = (right.to_dict() for right in chosen.values())
    differ = [one[query] != other[query] for query in one]
    assert 0 < sum(differ) < 40
    for distance, right in chosen.items():
        assert pairs_of(right) == expected_nearest(brute(distance, queries, references), 1)


def test_distances_are_the_known_ones():
    quarter = truth.nearest([{"id": "q", "lat": 0, "lon": 10}], [{"id": "pole", "lat": 90, "lon": 77}])
    assert quarter.metres[0] == pytest.approx(10_001_965.729, abs=1e-3)  # a quarter of a meridian
    degree = truth.nearest([{"id": "q", "lat": 0, "lon": 179.5}], [{"id": "r", "lat": 0, "lon": -179.5}])
    assert degree.metres[0] == pytest.approx(6378137 * math.radians(1), abs=1e-6)
    sphere = truth.nearest(
        [{"id": "q", "lat": 0, "lon": 0}], [{"id": "r", "lat": 0, "lon": 180}], distance="haversine"
    )
    assert sphere.metres[0] == pytest.approx(math.pi * RADIUS, abs=1e-6)


@settings(max_examples=100)
@given(st.tuples(LATS, LONS), st.tuples(LATS, LONS))
@pytest.mark.parametrize("distance", ["geodesic", "haversine", "haversine(6400000)"])
def test_the_bound_behind_the_search_holds(distance, one, other):
    measured = distance_named(distance)
    one, other = np.array([one]), np.array([other])
    straight = np.linalg.norm(measured.points(one) - measured.points(other))
    assert straight <= measured.reach(measured.metres(one, other)[0])


def test_the_bound_is_tight_enough_to_be_of_use():
    rng = np.random.default_rng(9)
    one, other = rng.uniform(-60, 60, (5000, 2)), rng.uniform(-60, 60, (5000, 2))
    for distance in ("geodesic", "haversine"):
        measured = DISTANCES[distance]
        straight = np.linalg.norm(measured.points(one) - measured.points(other), axis=1)
        assert (measured.reach(measured.metres(one, other)) < 1.01 * straight).all()


def test_a_radius_is_inclusive_unless_it_is_not():
    queries, references = [{"id": "q", "x": 0, "y": 0}], [{"id": "a", "x": 3, "y": 4}]
    assert truth.within(queries, references, metres=5, distance="xy").to_dict() == {"q": {"a": 1}}
    strict = truth.within(queries, references, metres=5, distance="xy", inclusive=False)
    assert strict.to_dict() == {"q": {}}
    assert strict.without_relevant == ("q",)
    assert "1 of 1 query without anything right: q." in [note.message for note in strict.notes]
