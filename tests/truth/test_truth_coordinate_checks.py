"""Coordinates that are wrong are refused; those that look wrong are named, and others are not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyproj import Transformer

import truerank as tr
from truerank import truth
from truerank.truth import Items

RNG = np.random.default_rng(3)
LAT, LON = 37.55 + RNG.random(300) * 0.02, 127.0 + RNG.random(300) * 0.02


def items(lat: np.ndarray, lon: np.ndarray, name: str = "queries", **more: object) -> Items:
    return Items(tuple(f"{name}{i}" for i in range(len(lat))), name, lat=lat, lon=lon, **more)


def kinds(queries: Items, references: Items, distance: str = "geodesic") -> list[str]:
    return [note.kind for note in truth.nearest(queries, references, distance=distance).notes]


GOOD = items(LAT, LON, "references")


def test_nothing_is_said_of_good_coordinates():
    assert kinds(items(LAT[:50], LON[:50]), GOOD) == []


@pytest.mark.parametrize(
    "places", [(-33.9, 18.4), (64.1, -21.9), (0.3, 32.6), (0.35, 6.73), (51.5, -0.1), (-1.3, 36.8)]
)
def test_nothing_is_said_of_real_towns(places):
    lat, lon = places[0] + RNG.random(40) / 100, places[1] + RNG.random(40) / 100
    assert kinds(items(lat, lon), items(lat, lon, "references")) == []


@pytest.mark.parametrize(("lat", "lon"), [(90.0, 0.0), (-90.0, 0.0), (37.0, 360.0), (37.0, -180.0)])
def test_the_ends_of_latitude_and_longitude_are_coordinates(lat, lon):
    right = truth.nearest(items(np.array([lat]), np.array([lon])), GOOD)
    assert len(right.grades) == 1


def test_places_on_the_equator_or_the_meridian_are_not_at_nought_and_those_there_are_no_radians():
    for lat, lon in ((np.zeros(3), LON[:3]), (LAT[:3], np.zeros(3))):
        assert kinds(items(lat, lon), items(lat, lon, "references")) == []
    nought = items(np.zeros(3), np.zeros(3))
    assert "radians" not in kinds(nought, nought)


@pytest.mark.parametrize(
    ("place", "region"),
    [((15, 50), ((10, 10), (60, 20))), ((50, 15), ((10, 40), (60, 60)))],
)
def test_axes_are_swapped_where_one_alone_is_outside_of_the_region(place, region):
    asked = items(*np.array([place], float).T)
    assert "swapped" in kinds(asked, items(*np.array(region, float).T, "references"))


@pytest.mark.parametrize(
    ("lat", "lon", "said"),
    [
        (
            127.0,
            37.5,
            "the latitude of queries1 is 127: no latitude is beyond 90. Latitude and longitude look swapped.",
        ),
        (90.5, 100.0, "the latitude of queries1 is 90.5: no latitude is beyond 90."),
        (-90.5, 100.0, "the latitude of queries1 is -90.5: no latitude is beyond 90."),
        (37.0, 360.5, "the longitude of queries1 is 360.5, not between -180 and 360"),
        (37.0, -180.5, "the longitude of queries1 is -180.5"),
        (np.nan, 37.5, "queries1 has no latitude and longitude; give them a place or leave them out"),
        (37.5, np.inf, "queries1 has no latitude and longitude"),
    ],
)
def test_coordinates_that_cannot_be_are_refused_with_the_item_and_its_file(lat, lon, said):
    bad = items(np.array([37.0, lat]), np.array([37.0, lon]))
    for distance in ("geodesic", "haversine"):
        with pytest.raises(tr.InputError) as caught:
            truth.nearest(bad, GOOD, distance=distance)
        assert str(caught.value).startswith(f"queries: {said}")
        with pytest.raises(tr.InputError):
            truth.within(GOOD, bad, distance=distance)


def test_several_items_without_a_place_are_counted():
    bad = items(np.array([np.nan, 37, np.nan]), np.array([127.0, 127, 127]))
    with pytest.raises(tr.InputError, match="queries0 has no latitude and longitude, and 1 more have none"):
        truth.nearest(bad, GOOD)


def test_items_without_coordinates_are_refused_with_what_they_have():
    labelled = Items(("a",), "people", label=("7",), others=("latt", "lonn"))
    with pytest.raises(
        tr.InputError, match="people: the items have no latitude and longitude, only id, label; name it"
    ):
        truth.nearest(labelled, GOOD)
    with pytest.raises(tr.InputError, match="no x and y"):
        truth.nearest(GOOD, GOOD, distance="xy")


def test_longitudes_up_to_360_are_the_same_meridians():
    west = items(LAT[:20], -LON[:20])
    turned = items(LAT[:20], 360 - LON[:20])
    references = items(LAT, -LON, "references")
    assert truth.nearest(west, references).to_dict() == truth.nearest(turned, references).to_dict()


def test_swapped_axes_are_named_where_the_regions_tell():
    lat, lon = 48.8 + RNG.random(50) / 10, 2.3 + RNG.random(50) / 10
    swapped = kinds(items(lon, lat), items(lat, lon, "references"))
    assert swapped[0] == "swapped"
    assert "swapped" not in kinds(items(lat, lon), items(lat, lon, "references"))


def test_radians_are_named():
    notes = truth.nearest(items(np.radians(LAT), np.radians(LON)), GOOD).notes
    assert [note.kind for note in notes] == ["radians", "far"]
    assert "queries" in notes[0].message


def test_degrees_of_32_bits_are_named_with_what_they_cost():
    cut = items(LAT.astype(np.float32).astype(np.float64), LON.astype(np.float32).astype(np.float64))
    (note,) = truth.nearest(cut, GOOD).notes
    assert note.kind == "float32"
    assert "by up to 0.3" in note.message  # half of 2^-17 degrees of longitude at 37.5 degrees north


@pytest.mark.parametrize("digits", [2, 3, 4])
def test_short_degrees_are_not_taken_for_32_bits(digits):
    rounded = items(LAT.round(digits), LON.round(digits))
    assert "float32" not in kinds(rounded, GOOD)
    halves = items(np.full(9, 37.5), np.full(9, 127.25))
    assert "float32" not in kinds(halves, GOOD)


def test_items_at_zero_are_named():
    lat, lon = LAT[:9].copy(), LON[:9].copy()
    lat[[2, 5]], lon[[2, 5]] = 0, 0
    (note,) = truth.nearest(items(lat, lon), GOOD).notes
    assert (note.kind, note.message) == (
        "zero",
        "2 of 9 in queries stand at latitude and longitude (0, 0), where things without a place are put: "
        "queries2, queries5.",
    )


def test_files_that_do_not_belong_together_are_named():
    assert kinds(items(LAT - 20, LON), GOOD) == ["far"]


def projected(lat: np.ndarray, lon: np.ndarray, code: int) -> dict[str, np.ndarray]:
    x, y = Transformer.from_crs(4326, code, always_xy=True).transform(lon, lat)
    return {"x": np.array(x), "y": np.array(y)}


def on_plane(lat: np.ndarray, lon: np.ndarray, code: int = 32652, name: str = "queries", **more: object) -> Items:
    return items(lat, lon, name, **projected(lat, lon, code), **more)


def test_nothing_is_said_of_a_plane_that_fits():
    assert kinds(on_plane(LAT[:50], LON[:50]), on_plane(LAT, LON, name="references"), "xy") == []


def test_a_web_maps_plane_is_no_metres():
    (note,) = truth.nearest(on_plane(LAT, LON, 3857), on_plane(LAT, LON, 3857, "references"), distance="xy").notes
    assert note.kind == "scale"
    assert "1.26" in note.message  # 1 / cos 37.56 degrees


def test_two_zones_are_refused_where_they_are_told():
    here, there = ({"zone": (zone,) * 300} for zone in ("51N", "52N"))
    queries, references = on_plane(LAT, LON, **here), on_plane(LAT, LON, name="references", **there)
    with pytest.raises(
        tr.InputError, match=r"several planes \(zones 51N, 52N\).*measure by latitude and longitude"
    ):
        truth.nearest(queries, references, distance="xy")
    with pytest.raises(tr.InputError, match="several planes"):
        truth.within(references, queries, distance="xy")
    assert kinds(queries, references) == []


def test_a_zone_that_pandas_wrote_as_a_fraction_is_the_same_one(tmp_path):
    (tmp_path / "queries.csv").write_text("id,x,y,zone\nq,1,2,52.0\nr,1,3,\n")
    right = truth.nearest(tmp_path / "queries.csv", [{"id": "a", "x": 1, "y": 2, "zone": 52}], distance="xy")
    assert right.metres.tolist() == [0, 1]


def test_two_zones_are_named_where_latitude_and_longitude_tell():
    lat, lon = 37 + RNG.random(200) / 10, 126 + (RNG.random(200) - 0.5) / 10  # on the border of zones 51 and 52
    one, other = projected(lat, lon, 32651), projected(lat, lon, 32652)
    mixed = {axis: np.where(lon < 126, one[axis], other[axis]) for axis in ("x", "y")}
    both = items(lat, lon, "references", **mixed)
    assert kinds(both, both, "xy")[0] == "planes"


def test_positions_at_zero_on_a_plane_are_named():
    queries = Items(("a", "b"), "queries", x=[0, 300000.0], y=[0, 4e6])
    references = Items(("r",), "references", x=[300001.0], y=[4e6])
    assert kinds(queries, references, "xy") == ["zero"]


@settings(max_examples=50)
@given(st.lists(st.tuples(st.floats(-90, 90), st.floats(-180, 180)), min_size=1, max_size=5))
def test_no_check_fails_whatever_the_places(places):
    lat, lon = np.array(places).T
    some = items(lat, lon, x=lat * 1e5, y=lon * 1e5)
    for distance in ("geodesic", "haversine", "xy"):
        assert len(truth.nearest(some, some, distance=distance)) == len(places)


def test_longitudes_beyond_180_are_told_and_mean_what_they_mean_west_of_greenwich():
    there = [{"id": "r", "lat": 0.0, "lon": -179.0}]
    right = truth.nearest([{"id": "q", "lat": 0.0, "lon": 181.5}], there)
    (note,) = (note.message for note in right.notes if note.kind == "beyond 180")
    assert note.startswith("1 longitude is beyond 180 in queries (the first is 181.5 of q): read as degrees east")
    assert right.metres.round(0).tolist() == [55660.0]


def test_a_tile_without_a_place_is_where_its_middle_is_also_across_the_date_line() -> None:
    tiles = np.array([[126.0, 37, 128, 39], [175, -2, -165, 4], [170, 0, -170, 2], [-180, -90, 180, 90]])
    found = Items(("seoul", "fiji", "line", "world"), bounds=tiles)
    assert found.places.tolist() == [[38, 127], [1, -175], [1, 180], [0, 0]]
    assert Items(("a", "b"), bounds=[[0, 0, 4, 2], [-3, 5, 1, 6]]).plane.tolist() == [[2, 1], [-1, 5.5]]
