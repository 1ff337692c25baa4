"""Items are read from whatever they are kept in, and their columns are found by their usual names."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from pyarrow import parquet

import truerank as tr
from truerank import truth
from truerank.formats.names import ITEM
from truerank.truth import Items, read_items

PLACES = [[37.5, 127.0], [37.6, 127.25]]


def check(items: Items, ids: tuple[str, ...] = ("a.jpg", "b.jpg")) -> None:
    assert items.ids == ids
    assert items.places.tolist() == PLACES


RECORDS = [{"image": "a.jpg", "lat": 37.5, "lon": 127.0}, {"image": "b.jpg", "lat": 37.6, "lon": 127.25}]
KEYED = {
    "a.jpg": {"gps": {"latitude": 37.5, "longitude": 127}},
    "b.jpg": {"gps": {"latitude": 37.6, "longitude": 127.25}},
}
COLUMNS = {"filename": ["a.jpg", "b.jpg"], "Latitude": [37.5, 37.6], "LNG": [127, 127.25]}
POINT = {"type": "Feature", "id": "a", "geometry": {"type": "Point", "coordinates": [1, 2]}}

FEATURES = {
    "type": "FeatureCollection",
    "features": [
        {"type": "Feature", "id": name, "geometry": {"type": "Point", "coordinates": [lon, lat, 12.0]}}
        for name, (lat, lon) in zip(("a.jpg", "b.jpg"), PLACES, strict=True)
    ],
}
SHAPES = {
    "a list of objects": RECORDS,
    "an object of objects": KEYED,
    "under a key": {"images": RECORDS},
    "deep inside": {"version": 1, "data": {"map": {"images": KEYED, "cameras": []}}},
    "beside lists of other things": {"cameras": [{"id": 1, "model": "x"}], "images": RECORDS},
    "with corners beside the place": {
        name: {**inner, "box": {"from": {"x": 1, "y": 2}, "to": {"x": 3, "y": 4}}} for name, inner in KEYED.items()
    },
    "one container": {"references": KEYED},
    "columns": COLUMNS,
    "GeoJSON": FEATURES,
    "numbers as text": [{**record, "lat": str(record["lat"])} for record in RECORDS],
    "pairs of which the name tells the order": [
        {"id": name, "lonlat": [lon, lat]} for name, (lat, lon) in zip(("a.jpg", "b.jpg"), PLACES, strict=True)
    ],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_json_of_any_shape(shape, tmp_path):
    path = tmp_path / "items.json"
    path.write_text(json.dumps(SHAPES[shape]))
    check(read_items(path))
    check(read_items(SHAPES[shape]))
    packed = tmp_path / "items.json.gz"
    packed.write_bytes(gzip.compress(b"\xef\xbb\xbf" + path.read_bytes()))
    check(read_items(packed))


def test_json_lines(tmp_path):
    path = tmp_path / "items.jsonl"
    path.write_text("\n".join(map(json.dumps, RECORDS)) + "\n\n")
    check(read_items(path))
    path.write_text("\n".join(map(json.dumps, FEATURES["features"])))
    check(read_items(path))
    path.write_text(json.dumps(RECORDS[0]) + "\n{oops}\n")
    with pytest.raises(tr.InputError, match=r"items.jsonl:2: this is no JSON"):
        read_items(path)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_csv(delimiter, tmp_path):
    path = tmp_path / "items.csv"
    rows = [
        ["Name", "y_lat", "Latitude", "Longitude"],
        ["a.jpg", "?", "37.5", "127"],
        ["b.jpg", "", "37.6", "127.25"],
    ]
    path.write_text("".join(delimiter.join(row) + "\r\n" for row in rows))
    check(read_items(path))
    path.write_text("id,lat,lon\na,1\n")
    with pytest.raises(tr.InputError, match="there are 3 columns, but a row has 2"):
        read_items(path)


def test_tables_with_types_and_frames(tmp_path):
    frame = pandas.DataFrame(RECORDS)
    frame.to_feather(tmp_path / "items.feather")
    check(read_items(tmp_path / "items.feather"))
    path = tmp_path / "items.parquet"
    frame.to_parquet(path)
    check(read_items(path))
    check(read_items(frame))
    check(read_items(frame.set_index("image")))
    check(read_items(polars.DataFrame(RECORDS)))
    check(read_items(polars.DataFrame([{"image": n, **inner} for n, inner in KEYED.items()])))
    check(read_items(pyarrow.Table.from_pylist(RECORDS)))
    parquet.write_table(pyarrow.Table.from_pylist([{"id": n, **inner} for n, inner in KEYED.items()]), path)
    check(read_items(path))
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(tr.InputError, match="damaged or cut short"):
        read_items(path)


def test_parquet_that_is_damaged_within_is_refused(tmp_path):
    path = tmp_path / "items.parquet"
    parquet.write_table(pyarrow.Table.from_pylist(RECORDS), path, compression="none", use_dictionary=False)
    whole = path.read_bytes()
    for damaged in (whole.replace(b"a.jpg", b"\xff.jpg"), whole[:4] + b"\xff" * 8 + whole[12:]):
        path.write_bytes(damaged)
        with pytest.raises(tr.InputError, match="damaged or cut short"):
            read_items(path)


AT = [
    "@0548123.45@4150012.50@52@S@037.50000@127.00000@pano@@@@@@202401@@.jpg",
    "@0570000.00@4160000.00@52@S@037.60000@127.25000@pano@@@@@@202401@@.jpg",
]


def test_file_names_that_say_where_they_are(tmp_path):
    folder = tmp_path / "database"
    (folder / "night").mkdir(parents=True)
    for name in AT:
        (folder / "night" / name).touch()
    (folder / ".hidden").touch()
    listed = tmp_path / "names.txt"
    listed.write_text("\n".join(AT) + "\n")
    for source, ids in ((folder, tuple(f"night/{name}" for name in AT)), (listed, tuple(AT)), (AT, tuple(AT))):
        items = read_items(source)
        check(items, ids)
        assert items.plane.tolist() == [[548123.45, 4150012.5], [570000.0, 4160000.0]]
        assert items.zone == ("52N", "52N")


def test_items_on_a_plane_say_how_they_are_measured():
    items = read_items([{"id": "a", "x": 1.0, "y": 2.0}])
    with pytest.raises(tr.InputError, match=r"no latitude and longitude, .*; or measure by x and y: distance='xy'"):
        truth.within(items, items, metres=5)
    assert len(truth.within(items, items, metres=5, distance="xy")) == 1


def test_file_names_of_a_pattern():
    names = ["0002_c1s1_000451_03.jpg", "-1_c2s1_000001_00.jpg"]
    items = read_items(names, pattern=r"(?P<label>-?\d+)_c(?P<camera>\d)")
    assert (items.ids, items.label, items.camera) == (tuple(names), ("0002", "-1"), ("1", "2"))


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        (None, "'a.jpg' is not like @easting@northing@…"),
        (r"(?P<lat>\d+)_", "'a.jpg' is not like the pattern"),
        (r"(\d+)", "names nothing"),
        ("(", "no regular expression"),
    ],
)
def test_file_names_that_say_nothing_are_refused(pattern, said):
    with pytest.raises(tr.InputError, match=said.replace("(", r"\(") if said.startswith("(") else said):
        read_items(["a.jpg"], pattern=pattern)


ROLES = [role for role in ("lat", "lon", "x", "y") if role]


@pytest.mark.parametrize(
    ("role", "name"), [(role, name) for role in ROLES for name in ITEM[role] if name.isalpha()]
)
def test_every_usual_name_is_known(role, name):
    other = {"lat": "lon", "lon": "lat", "x": "y", "y": "x"}[role]
    items = read_items([{"id": "a", name.upper(): 1.5, other: 2.5}])
    assert getattr(items, role).tolist() == [1.5]
    assert getattr(items, other).tolist() == [2.5]


@pytest.mark.parametrize("name", ["id", "image", "image_id", "filename", "name", "path", "imagePath", "Key"])
def test_every_usual_name_of_an_id_is_known(name):
    assert read_items([{name: "a", "lat": 1, "lon": 2}]).ids == ("a",)


def test_utm_columns_of_the_usual_kinds():
    record = {
        "id": "a",
        "utm": {"easting": 548123.45, "northing": 4150012.5, "zone_number": 52, "zone_letter": "S"},
    }
    items = read_items([record])
    assert (items.plane.tolist(), items.zone) == ([[548123.45, 4150012.5]], ("52N",))
    assert read_items([{"id": "a", "utm_e": 1, "utm_n": 2, "epsg": 32652}]).zone == ("32652",)
    for half, zone in (("S", "18S"), ("south", "18S"), ("North", "18N")):
        assert read_items([{"id": "a", "x": 1, "y": 2, "zone": "18", "hemisphere": half}]).zone == (zone,)
    assert read_items([{"id": "a", "east": 1, "north": 2}]).plane.tolist() == [[1, 2]]


def test_bounds_of_the_usual_kinds():
    for record in (
        {"bbox": [1, 2, 3, 4]},
        {"bounds": {"west": 1, "south": 2, "east": 3, "north": 4}},
        {"min_lon": 1, "min_lat": 2, "max_lon": 3, "max_lat": 4},
    ):
        items = read_items([{"id": "t", **record}])
        assert items.bounds is not None
        assert (items.bounds.tolist(), items.x) == ([[1, 2, 3, 4]], None)


def test_rectangles_of_geojson_are_bounds():
    def polygon(*corners: list[float]) -> dict[str, object]:
        return {"type": "Feature", "id": "t", "geometry": {"type": "Polygon", "coordinates": [list(corners)]}}

    items = read_items([polygon([1, 2], [3, 2], [3, 4], [1, 4], [1, 2])])
    assert items.bounds is not None
    assert items.bounds.tolist() == [[1, 2, 3, 4]]
    around = polygon([179, 2], [-179, 2], [-179, 4], [179, 4], [179, 2])
    for bbox in ([179, 2, -179, 4], [179, 2, 0, -179, 4, 50]):
        crossing = read_items([{**around, "bbox": bbox}])
        assert crossing.bounds is not None
        assert crossing.bounds.tolist() == [[179, 2, -179, 4]]
    with pytest.raises(tr.InputError, match=r"from longitude -179 to 179 is 358 degrees wide, or crosses the anti"):
        read_items([around])
    with pytest.raises(tr.InputError, match=r"from longitude -90 to 90\.5 is 180\.5 degrees wide, or crosses"):
        read_items([polygon([-90, 2], [90.5, 2], [90.5, 4], [-90, 4], [-90, 2])])
    for west, east in ((-180, 180), (-180, 0), (300000, 300200)):  # all round, half of it, and metres
        wide = read_items([polygon([west, 2], [east, 2], [east, 4], [west, 4])])
        assert wide.bounds is not None
        assert wide.bounds.tolist() == [[west, 2, east, 4]]
    for corners in ([[1, 2], [3, 2], [2, 4], [1, 2]], [[1, 2], [3, 2], [1, 4], [1, 2]]):
        for more in ({}, {"bbox": [1, 2, 3, 4]}):
            with pytest.raises(tr.InputError, match="only rectangles"):
                read_items([{**polygon(*corners), **more}])
    holed = polygon([1, 2], [3, 2], [3, 4], [1, 4], [1, 2])
    holed["geometry"]["coordinates"] *= 2  # type: ignore[index]
    with pytest.raises(tr.InputError, match="has a hole"):
        read_items([holed])
    with pytest.raises(tr.InputError, match="not a LineString"):
        read_items(
            [{"type": "Feature", "id": 1, "geometry": {"type": "LineString", "coordinates": [[1, 2], [3, 4]]}}]
        )


def test_vectors_labels_and_cameras():
    items = read_items(
        [{"id": 1, "pid": 7, "camid": 0, "embedding": [0.1] * 8}, {"id": 2, "pid": "x", "embedding": [0.2] * 8}]
    )
    assert (items.ids, items.label, items.camera) == (("1", "2"), ("7", "x"), ("0", None))
    assert items.vector is not None
    assert items.vector.shape == (2, 8)
    uneven = [{"id": 1, "vector": [0.1] * 8}, {"id": 2, "vector": [0.1] * 7}]
    with pytest.raises(tr.InputError, match="vectors of numbers, all of one length"):
        read_items(uneven, vector="vector")
    assert (read_items(uneven).vector, read_items([{"id": 1, "class": [1.5]}]).label) == (None, None)


def test_pairs_of_numbers_are_found_where_the_first_items_have_none():
    items = read_items([{"id": "a"}, {"id": "b", "gps": [37.5, 127.0]}], lat="gps.0", lon="gps.1")
    assert items.places.tolist()[1] == [37.5, 127.0]
    assert np.isnan(items.places[0]).all()


def test_columns_can_be_named():
    records = [{"key": {"nr": 5}, "pos": [37.5, 127.0]}, {"key": {"nr": 6}, "pos": [37.6, 127.25]}]
    check(read_items(records, id="key.nr", lat="pos.0", lon="pos.1"), ("5", "6"))
    check(read_items([{"lat": lat, "lon": lon} for lat, lon in PLACES], id="#"), ("0", "1"))
    both = {"queries": RECORDS, "references": RECORDS}
    check(read_items(both, inside="references"))


def test_keys_that_only_count_give_way_to_names_but_may_still_be_used():
    items = read_items({"0": RECORDS[0], "1": RECORDS[1]})
    check(items)
    assert items.aliases == {"(key)": ("0", "1")}
    named = read_items({"x1": {**RECORDS[0], "path": "p/1"}, "x2": {**RECORDS[1], "path": "p/2"}})
    assert (named.ids, set(named.aliases)) == (("x1", "x2"), {"image", "path"})


def test_a_column_near_the_top_is_surer_than_one_deep_inside():
    record = {"id": "a", "camera": {"id": 9, "lat": 1, "lon": 2}, "lat": 37.5, "lon": 127}
    items = read_items([record])
    assert (items.ids, items.places.tolist()) == (("a",), [[37.5, 127.0]])


@pytest.mark.parametrize(
    ("source", "keys", "said"),
    [
        ([{"id": "a", "lat": 1}], {}, "'lat' is lat, but what is lon"),
        ([{"id": "a", "lat": 1, "longtitude": 2}], {}, "Did you mean longitude?"),
        ([{"lat": 1, "lon": 2}], {}, "no column holds the ids"),
        ([{"id": "a", "lat": 1, "lon": 2}], {"lat": "latt"}, "there is no 'latt' for lat. Did you mean lat?"),
        ([{"id": "a", "lat": 1, "lon": 2}], {"latt": "lat"}, "called 'latt'. Did you mean lat?"),
        ([{"a": {"id": 1}, "b": {"id": 1}, "lat": 1, "lon": 2}], {}, "'a.id' and 'b.id' may both be id; say which"),
        ([{"id": "a", "lat": "north", "lon": 2}], {}, "lat of a is no number: 'north'"),
        ([{"id": "a", "lat": True, "lon": 2}], {}, "lat of a is no number: True"),
        ({"id": ["a", "b", "c"], "lat": [None, 1, "x"], "lon": [2, 2, 2]}, {}, "lat of c is no number: 'x'"),
        ([{"id": "a"}, {"id": [1]}], {}, "id of item 2 is text or a whole number"),
        ([{**POINT, "properties": [1]}], {}, "the properties of a feature should be an object, not"),
        ([{**POINT, "geometry": [1]}], {}, "the geometry of a feature should be an object, not"),
        ([{"id": "a", "lat": "1_0", "lon": 2}], {}, "no number"),
        ([{"id": "a", "lat": 1, "lon": 2}, {"lat": 1, "lon": 2}], {}, "item 2 has no id"),
        ([{"id": [1], "lat": 1, "lon": 2}], {}, "id of item 1 is text or a whole number"),
        ([{"id": 1.5, "lat": 1, "lon": 2}], {}, "id of item 1 is text or a whole number, not 1.5"),
        ([{"id": "a"}, {"id": "b"}, {"id": "a"}], {}, "items 1 and 3 are both called 'a'"),
        (
            {"queries": RECORDS, "references": RECORDS},
            {},
            "several lists of items are in it: 'queries', 'references'",
        ),
        ({"queries": RECORDS}, {"inside": "reference"}, "there is no 'reference' in it"),
        ([1, 2], {}, "no list of items is in it"),
        ([], {}, "there are no items in it"),
        ({}, {}, "there are no items in it"),
        (7, {}, "there are no items|no list of items"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_hint(source, keys, said):
    with pytest.raises(tr.InputError, match=said.replace("?", r"\?")):
        read_items(source, **keys)


def test_two_numbers_in_an_open_order_are_not_guessed():
    items = read_items([{"id": "a", "location": [37.5, 127.0]}])
    with pytest.raises(
        tr.InputError, match=r"'location' holds two numbers: say which is which, e\.g\. lat='location\.0'"
    ):
        items.places  # noqa: B018


def test_half_a_position_under_one_letter_is_something_else():
    items = read_items([{"id": "a", "lat": 1, "lon": 2, "n": 5}])
    assert (items.y, items.others) == (None, ("n",))


def test_of_several_places_one_must_be_named_when_it_is_needed():
    records = [{"id": "a", "gps1": {"lat": 1, "lon": 2}, "gps2": {"lat": 1, "lon": 2}, "x": 1, "y": 2}]
    assert read_items(records).plane.tolist() == [[1, 2]]
    with pytest.raises(tr.InputError, match=r"'gps1\.lat' and 'gps2\.lat' may both be lat; say which: lat=…"):
        read_items(records).places  # noqa: B018
    assert read_items(records, lat="gps2.lat", lon="gps2.lon").places.tolist() == [[1, 2]]


def test_files_that_cannot_be_read_are_refused(tmp_path):
    with pytest.raises(tr.InputError, match="there is no such file"):
        read_items(tmp_path / "nowhere.json")
    with pytest.raises(tr.InputError, match="there is no such file"):
        read_items("")  # which is not the folder where we are
    (tmp_path / "empty.json").write_text(" \n")
    with pytest.raises(tr.InputError, match="the file is empty"):
        read_items(tmp_path / "empty.json")
    (tmp_path / "folder").mkdir()
    with pytest.raises(tr.InputError, match="there are no files in this folder"):
        read_items(tmp_path / "folder")
    (tmp_path / "bad.json").write_text('[{"id": 1,\n "lat": }]')
    with pytest.raises(tr.InputError, match=r"bad.json:2: this is no JSON"):
        read_items(tmp_path / "bad.json")
    (tmp_path / "flight.kml").write_text(
        '<?xml version="1.0"?>\n<kml><Placemark><name>a, b</name></Placemark></kml>\n'
    )
    with pytest.raises(tr.InputError, match=r"flight.kml: this is XML, as KML and GPX are"):
        read_items(tmp_path / "flight.kml")


def test_whole_numbers_that_pandas_made_fractions_are_ids_again():
    frame = pandas.DataFrame({"id": ["a", "b"], "label": [1.0, np.nan]})
    assert read_items(frame).label == ("1", None)
    assert read_items([{"id": "a", "label": 1.0}, {"id": 2.0, "label": "x"}]).ids == ("a", "2")


def test_a_name_that_two_columns_have_is_refused(tmp_path):
    said = "2 columns have one name, 'lat', 'lat': keep one of them"
    (tmp_path / "items.csv").write_text("id,lat, lat,lon,,\na,1,2,3,,\n")
    with pytest.raises(tr.InputError, match=f"items.csv:1: {said}"):
        read_items(tmp_path / "items.csv")
    (tmp_path / "items.csv").write_text("id,lat,lon,,\na,1,3,,\n")
    assert read_items(tmp_path / "items.csv").places.tolist() == [[1, 3]]
    table = pyarrow.table([["a"], [1.0], [2.0], [3.0]], names=["id", "lat", "lat", "lon"])
    parquet.write_table(table, tmp_path / "items.parquet")
    with pytest.raises(tr.InputError, match=said):
        read_items(tmp_path / "items.parquet")


def test_nothing_but_a_line_end_ends_a_name(tmp_path):
    (tmp_path / "names.txt").write_text("a\u2028b@1@2@.jpg\nc\x85@3@4@.jpg\n", "utf-8")
    assert read_items(tmp_path / "names.txt").ids == ("a\u2028b@1@2@.jpg", "c\x85@3@4@.jpg")


def test_ids_that_are_no_utf8_survive(tmp_path):
    path = tmp_path / "names.csv"
    path.write_bytes(b"id,lat,lon\n\xff\xfe,1,2\n")
    assert read_items(path).ids == (b"\xff\xfe".decode("utf-8", "surrogateescape"),)


def test_items_can_be_selected():
    items = read_items([{"id": i, "path": f"p{i}", "lat": i, "lon": 0, "label": i} for i in range(4)])
    part = items.select([2, 0])
    assert (part.ids, part.lat.tolist(), part.label, part.aliases) == (
        ("2", "0"),
        [2, 0],
        ("2", "0"),
        {"path": ("p2", "p0")},
    )
    assert items.select(np.array([False, True, False, True])).ids == ("1", "3")
    with pytest.raises(tr.InputError, match="there are 2 ids, but 1 values of lat"):
        Items(("a", "b"), lat=[1.0])


def test_items_are_read_again_as_they_are():
    items = read_items(RECORDS)
    assert read_items(items) is items


@pytest.mark.parametrize(
    ("pair", "order"), [([127.0, 37.5], "longitude, latitude"), ([37.5, 127.0], "latitude, longitude")]
)
def test_the_order_of_coord_geo_is_what_its_numbers_can_only_mean_and_is_said(pair, order):
    items = read_items([{"id": "a", "coord_geo": pair, "coord_xy": [1.0, 2.0]}])
    assert (items.places.tolist(), items.plane.tolist()) == ([[37.5, 127.0]], [[1.0, 2.0]])
    assert items.remarks[0].startswith(f"'coord_geo' of items is read as {order}: the ")
    notes = [note.message for note in truth.nearest(items, [{"id": "b", "lat": 37.5, "lon": 127.0}]).notes]
    assert items.remarks[0] in notes


def test_a_coord_geo_that_may_be_either_way_round_is_not_guessed():
    items = read_items([{"id": "a", "coord_geo": [8.5, 47.25]}])
    with pytest.raises(tr.InputError, match="'coord_geo' holds two numbers: say which is which"):
        items.places  # noqa: B018
    named = read_items([{"id": "a", "coord_geo": [8.5, 47.25]}], lat="coord_geo.1", lon="coord_geo.0")
    assert named.places.tolist() == [[47.25, 8.5]]


def test_lines_of_paths_and_degrees_are_items(tmp_path):
    path = tmp_path / "Dense_GPS_ALL.txt"
    path.write_text("test/drone/000001/H80.JPG E120.5 N30.25 94.0\ntest/satellite/000002/H 90.tif W10.5 S3.25\n")
    items = read_items(path)
    assert items.ids == ("test/drone/000001/H80.JPG", "test/satellite/000002/H 90.tif")
    assert (items.places.tolist(), items.label) == ([[30.25, 120.5], [-3.25, -10.5]], ("000001", "000002"))
    path.write_text("a/1.jpg E120.5 N30.25\nb/2.jpg E120.5\n")
    with pytest.raises(
        tr.InputError, match=r"Dense_GPS_ALL\.txt:2: 'b/2\.jpg E120\.5' is not like path E127\.0 N37\.5"
    ):
        read_items(path)


def test_a_quotation_mark_of_a_text_hides_no_rows_of_tsv(tmp_path):
    (tmp_path / "a.tsv").write_text('id\tlabel\na\t"two\nb\tx"\nc\t"y"\n')
    items = read_items(tmp_path / "a.tsv")
    assert (items.ids, items.label) == (("a", "b", "c"), ('"two', 'x"', "y"))


def test_degrees_are_south_or_west_where_exif_says_so_beside_them():
    """exiftool -json -n writes them so; with a sign in the number already, that stays."""
    names = "SourceFile", "GPSLatitude", "GPSLatitudeRef", "GPSLongitude", "GPSLongitudeRef"
    rows = [("a.jpg", 51.5, "N", 0.1, "W"), ("b.jpg", 51.5, "N", 0.1, "E"), ("c.jpg", 33.9, "South", -70.0, "West")]
    items = read_items([dict(zip(names, row, strict=True)) for row in rows])
    assert items.ids == ("a.jpg", "b.jpg", "c.jpg")
    assert items.places.tolist() == [[51.5, -0.1], [51.5, 0.1], [-33.9, -70.0]]
    odd = [{"id": "a", "lat": 1.0, "lon": 2.0, "ew": "W", "lat_ref": None}]
    assert read_items(odd, lon_ref="ew").places.tolist() == [[1.0, -2.0]]


def test_arrays_of_names_are_items_and_other_arrays_are_refused():
    assert read_items(np.array(["@1@2@.jpg", "@3@4@.jpg"])).plane.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    with pytest.raises(tr.InputError, match="no list of items is in it"):
        read_items(np.array([[37.5, 127.0], [37.6, 127.0]]))
