"""Rules of truth: contains, identity, listed, one's own; how they are written, and what comes of them."""

from __future__ import annotations

import doctest
import importlib
import math
import pkgutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import truerank as tr
from truerank import truth
from truerank.truth import Items

EDGES = [-180.0, -179.5, -90.0, 0.0, 0.1, 10.0, 90.0, 179.5, 180.0]


def tiles(bounds: list[list[float]]) -> Items:
    return Items(tuple(f"t{i}" for i in range(len(bounds))), "tiles", bounds=np.array(bounds))


def holds(lon: float, lat: float, bounds: list[float]) -> bool:
    """One tile at a time: go east from its west edge."""
    west, south, east, north = bounds
    if not south <= lat <= north:
        return False
    if abs(lat) == 90 or east - west >= 360:
        return True
    return (lon - west) % 360 <= (east - west) % 360


@settings(max_examples=150)
@given(
    st.lists(
        st.tuples(st.sampled_from(EDGES), st.sampled_from([-90.0, -5.0, 0.0, 89.0, 90.0])), min_size=1, max_size=6
    ),
    st.lists(
        st.tuples(
            st.sampled_from(EDGES),
            st.sampled_from([-90.0, -5.0, 0.0]),
            st.sampled_from(EDGES),
            st.sampled_from([0.0, 5.0, 90.0]),
        ),
        min_size=1,
        max_size=8,
    ),
)
def test_a_tile_holds_a_point_inside_it_or_on_its_edge_wherever_on_the_globe(points, bounds):
    bounds = [list(edges) for edges in bounds]
    queries = [{"id": f"q{i}", "lon": lon, "lat": lat} for i, (lon, lat) in enumerate(points)]
    right = truth.contains(queries, tiles(bounds)).to_dict()
    for i, (lon, lat) in enumerate(points):
        wanted = {f"t{t}" for t, edges in enumerate(bounds) if holds(lon, lat, edges)}
        assert right[f"q{i}"].keys() == wanted, (lon, lat)


@pytest.mark.parametrize("turn", [0, 360])
def test_an_edge_is_an_edge_whichever_way_round_its_degrees_are_counted(turn):
    here = [round(-180 + step / 10, 1) for step in range(1800)]
    around = [round(lon + 360, 1) for lon in here]
    points, edges = (around, here) if turn else (here, around)
    queries = [{"id": f"q{row}", "lat": 0, "lon": lon} for row, lon in enumerate(points)]
    right = truth.contains(queries, tiles([[west, -1, west + 0.05, 1] for west in edges])).to_dict()
    assert right == {f"q{row}": {f"t{row}": 1.0} for row in range(len(here))}


def test_thousands_of_tiles_and_points_on_the_globe_and_on_a_plane():
    rng = np.random.default_rng(1)
    west, south = rng.uniform(-180, 180, 2000), rng.uniform(-85, 80, 2000)
    east = (west + rng.uniform(0, 5, 2000) + 180) % 360 - 180
    bounds = np.column_stack([west, south, east, south + rng.uniform(0, 5, 2000)])
    lon, lat = rng.uniform(-180, 180, 6000), rng.uniform(-90, 90, 6000)
    queries = Items(tuple(f"q{i}" for i in range(6000)), "points", lat=lat, lon=lon, x=lon, y=lat)
    inside = ((lon[:, None] - west) % 360 <= (east - west) % 360) & (bounds[:, 1] <= lat[:, None])
    inside &= lat[:, None] <= bounds[:, 3]
    right = truth.contains(queries, tiles(bounds.tolist()))
    assert right.to_dict() == _as_dict(inside)
    flat = bounds[west <= east]
    held = (lon[:, None] >= flat[:, 0]) & (lon[:, None] <= flat[:, 2])
    held &= (lat[:, None] >= flat[:, 1]) & (lat[:, None] <= flat[:, 3])
    right = truth.contains(queries, tiles(flat.tolist()), distance="xy")
    assert right.to_dict() == _as_dict(held)


def _as_dict(inside: np.ndarray) -> dict[str, dict[str, float]]:
    return {f"q{q}": {f"t{t}": 1.0 for t in np.flatnonzero(row)} for q, row in enumerate(inside)}


def test_the_distance_of_a_tile_is_the_one_to_its_middle_across_the_antimeridian_too():
    right = truth.contains([{"id": "q", "lat": 0, "lon": 179.5}], tiles([[179, -1, -179, 1]]))
    nearest = truth.nearest([{"id": "q", "lat": 0, "lon": 179.5}], [{"id": "m", "lat": 0, "lon": 180}])
    assert right.metres.tolist() == nearest.metres.tolist()


@pytest.mark.parametrize(
    ("bounds", "distance", "said"),
    [
        ([0, 10, 1, 5], "geodesic", "no west, south, east, north in degrees"),
        ([300000, 4000000, 300100, 4000100], "geodesic", "distance='xy'"),
        ([5, 0, 1, 1], "xy", "metres on a plane"),
        ([0, 0, math.nan, 1], "geodesic", "no west, south"),
        ([0, -90.5, 1, 1], "geodesic", "no west, south"),
        ([0, 0, 1, 90.5], "geodesic", "no west, south"),
        ([-360.5, 0, 1, 1], "geodesic", "no west, south"),
        ([0, 0, 360.5, 1], "geodesic", "no west, south"),
    ],
)
def test_bounds_that_are_none_are_refused(bounds, distance, said):
    with pytest.raises(tr.InputError, match=said):
        truth.contains([{"id": "q", "lat": 0, "lon": 0, "x": 0, "y": 0}], tiles([bounds]), distance=distance)


def test_bounds_under_several_names_in_one_file_are_refused():
    edges = {"min_lon": 0, "min_lat": 0, "max_lon": 1, "max_lat": 1}
    with pytest.raises(tr.InputError, match="one has no whole bounds where 1 other has them"):
        truth.contains(
            [{"id": "q", "lat": 0, "lon": 0}], [{"id": "one", "bounds": [0, 0, 1, 1]}, {"id": "two", **edges}]
        )


def test_two_corners_are_bounds_when_it_is_said_which_number_is_which():
    corners = [{"id": "t", "bounds": [[10, 20], [11, 22]]}]
    query = [{"id": "q", "lat": 10.5, "lon": 21}]
    with pytest.raises(tr.InputError, match=r"'bounds' holds two corners: .* west='bounds.0.0', south="):
        truth.contains(query, corners)
    sides = {"west": "bounds.0.1", "south": "bounds.0.0", "east": "bounds.1.1", "north": "bounds.1.0"}
    assert truth.contains(query, truth.read_items(corners, **sides)).to_dict() == {"q": {"t": 1.0}}


def test_references_without_bounds_are_refused():
    with pytest.raises(tr.InputError, match="the references have no bounds; name them: west=…"):
        truth.contains([{"id": "q", "lat": 0, "lon": 0}], [{"id": "t", "lat": 0, "lon": 0}])


PEOPLE = st.lists(st.tuples(st.sampled_from(["-1", "0", "7", "8"]), st.sampled_from(["1", "2", None])), max_size=9)


def person(i: int, label: str, camera: str | None, letter: str) -> dict[str, object]:
    return {"id": f"{letter}{i}", "label": label, "camera": camera}


@settings(max_examples=100)
@given(PEOPLE.filter(len), PEOPLE.filter(len), st.sampled_from(["camera", None]), st.sampled_from(["-1", None]))
def test_identity_is_what_two_loops_say(queries, gallery, ignore_same, ignore_label):
    asked = [person(i, *p, "q") for i, p in enumerate(queries)]
    there = [person(i, *p, "g") for i, p in enumerate(gallery)]
    right = truth.identity(asked, there, ignore_same=ignore_same, ignore_label=ignore_label)
    for i, (label, camera) in enumerate(queries):
        wanted = {}
        for j, (other, second) in enumerate(gallery):
            if ignore_label is not None and other == ignore_label:
                wanted[f"g{j}"] = "ignored"
            elif other == label:
                is_same = ignore_same is not None and camera is not None and camera == second
                wanted[f"g{j}"] = "ignored" if is_same else "right"
        found = {d: "ignored" if math.isnan(g) else "right" for d, g in right.to_dict()[f"q{i}"].items()}
        assert found == wanted


def test_numbers_that_pandas_wrote_as_fractions_since_some_were_missing_are_the_same_cameras(tmp_path):
    (tmp_path / "gallery.csv").write_text("id,label,camera\na,7.0,1.0\nb,7.0,2.0\nc,7.0,\nd,-1.0,1.0\n")
    right = truth.identity([{"id": "q", "label": 7, "camera": 1}], tmp_path / "gallery.csv")
    assert str(right.to_dict()["q"]) == "{'a': nan, 'b': 1.0, 'c': 1.0, 'd': nan}"
    named = [{"id": "a", "label": "1.0"}, {"id": "b", "label": "beta"}]
    assert truth.identity([{"id": "q", "label": "1"}], named).without_relevant == ("q",)


def test_cameras_of_one_side_alone_are_refused():
    seen, unseen = [{"id": "a", "label": "7", "camera": "1"}], [{"id": "b", "label": "7"}]
    for sides, said in (
        ((seen, unseen), "references: there are cameras of queries"),
        ((unseen, seen), "queries: there are cameras of references"),
    ):
        with pytest.raises(tr.InputError, match=said):
            truth.identity(*sides)
        assert len(truth.identity(*sides, ignore_same=None).grades) == 1


def test_a_label_that_is_ignored_may_be_a_number():
    gallery = [{"id": "a", "label": 7}, {"id": "b", "label": -1}, {"id": "c", "label": 0}]
    for number in (-1, 0, np.int64(0)):
        found, of_text = (
            truth.identity([{"id": "q", "label": 7}], gallery, ignore_label=n) for n in (number, str(number))
        )
        assert repr(found.to_dict()) == repr(of_text.to_dict())
        assert np.isnan(found.grades).sum() == 1
    for wrong in (1.5, True, ["-1"]):
        with pytest.raises(tr.RulesError, match="ignore_label is text, a whole number or None"):
            truth.identity([{"id": "q", "label": 7}], gallery, ignore_label=wrong)


def test_ignored_people_leave_the_list_before_ranks_exist():
    queries = [{"id": "q", "pid": 7, "camid": 1}]
    gallery = [
        {"id": "same camera", "pid": 7, "camid": 1},
        {"id": "no one", "pid": -1, "camid": 3},
        {"id": "wrong", "pid": 8, "camid": 2},
        {"id": "right", "pid": 7, "camid": 2},
    ]
    run = {"q": ["same camera", "no one", "wrong", "right"]}
    assert tr.evaluate(truth.identity(queries, gallery), run, "RR").mean == {"RR": 0.5}


def test_no_label_is_ignored_where_none_is_said():
    queries, gallery = [{"id": "q", "label": "None"}], [{"id": "a", "label": "None"}]
    assert truth.identity(queries, gallery, ignore_label=None).to_dict() == {"q": {"a": 1.0}}


def test_one_item_too_far_to_be_measured_is_named():
    places = [{"id": "q", "x": 0, "y": 0}, {"id": "r", "x": 1e200, "y": 0}]
    with pytest.raises(tr.InputError, match=r"r is at x = 1e\+200, y = 0: too far to be measured"):
        truth.nearest(places, places[:1], distance="xy")


def test_items_without_labels_are_refused():
    with pytest.raises(tr.InputError, match="the items have no labels; name them: label=…"):
        truth.identity([{"id": "q"}], [{"id": "a", "label": 1}])
    with pytest.raises(tr.InputError, match="b has no label"):
        truth.identity([{"id": "q", "label": 1}], [{"id": "a", "label": 1}, {"id": "b"}])


def test_a_list_may_be_a_file_of_judgements_pairs_or_a_dict(tmp_path):
    queries, references = [{"id": "q"}, {"id": "r"}], [{"id": "a"}, {"id": "b"}]
    (tmp_path / "pairs.csv").write_text("query_id,doc_id,relevance\nq,b,2\n")
    for pairs in (tmp_path / "pairs.csv", str(tmp_path / "pairs.csv"), {"q": {"b": 2}}):
        right = truth.listed(queries, references, pairs=pairs)
        assert right.to_dict() == {"q": {"b": 2.0}, "r": {}}
        assert (right.without_relevant, right.distance) == (("r",), None)
    (tmp_path / "two.tsv").write_text("doc_id\tquery_id\nb\tq\na\tq\n")
    (tmp_path / "two.txt").write_text("q b\nq a\n")
    (tmp_path / "blank.txt").write_text("q b\n\nq a\n\n")
    for name in ("two.tsv", "two.txt", "blank.txt"):
        right = truth.listed(queries, references, pairs=tmp_path / name)
        assert right.to_dict() == {"q": {"a": 1, "b": 1}, "r": {}}
    assert truth.listed(queries, references, pairs=[("q", "a"), ("q", "b")]).to_dict()["q"] == {"a": 1, "b": 1}


def test_a_tile_of_a_plane_holds_its_edges():
    tile = [{"id": "t", "bbox": [1, 2, 3, 4]}]
    for x, y, is_held in ((1, 2, True), (3, 4, True), (0.5, 2, False), (3, 4.5, False)):
        right = truth.contains([{"id": "q", "x": x, "y": y}], tile, distance="xy")
        assert right.to_dict() == {"q": {"t": 1.0} if is_held else {}}


def test_listed_pairs_are_measured_where_all_have_a_place():
    queries, references = [{"id": "q", "lat": 0, "lon": 0}], [{"id": "a", "lat": 0, "lon": 1}]
    right = truth.listed(queries, references, pairs=[("q", "a")])
    assert right.distance == "geodesic"
    assert right.metres.tolist() == truth.nearest(queries, references).metres.tolist()


@pytest.mark.parametrize(("pair", "said"), [(("qq", "abc"), "qq"), (("q1", "abd"), "Did you mean abc?")])
def test_a_listed_id_that_is_no_items_is_refused_with_a_suggestion(pair, said):
    with pytest.raises(tr.InputError, match="there is no item") as caught:
        truth.listed([{"id": "q1"}], [{"id": "abc"}], pairs=[pair])
    assert said in str(caught.value)


def test_a_listed_pair_that_lacks_an_id_is_named(tmp_path):
    (tmp_path / "pairs.csv").write_text("query_id,doc_id\nq,a\n,a\n")
    for pairs, said in (
        (tmp_path / "pairs.csv", r"pair 2 .*\(None, 'a'\)"),
        ([("q", None)], r"pair 1 .*\('q', None\)"),
        (["qa"], "pair 1 is no .*: 'qa'"),
    ):
        with pytest.raises(tr.InputError, match=said):
            truth.listed([{"id": "q"}], [{"id": "a"}], pairs=pairs)


PLACED = [{"id": "a", "lat": 0.0, "lon": 0.0}, {"id": "b", "lat": 0.0, "lon": 0.0001}]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("nearest", "nearest(n=1, distance='geodesic')"),
        ("nearest(2)", "nearest(n=2, distance='geodesic')"),
        (" within( metres=50 )", "within(metres=50, distance='geodesic', inclusive=True)"),
        ("within(50, 'haversine')", "within(metres=50, distance='haversine', inclusive=True)"),
    ],
)
def test_a_rule_is_written_as_it_is_called(text, rule):
    assert truth.build(text, PLACED, PLACED).rule == rule
    assert truth.build(rule, PLACED, PLACED).rule == rule


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nearst", "Did you mean nearest?"),
        ("nearest(m=2)", r"nearest takes n, distance, not 'nearest\(m=2\)'"),
        ("within(meters=2)", "Did you mean metres?"),
        ("nearest(1, 'xy', 3)", "nearest takes n, distance"),
        ("nearest(", "cannot read the rule"),
        ("nearest(n=open)", "cannot read the rule"),
        ("nearest(n=0)", "n is a positive whole number, not 0"),
        ("nearest(n=True)", "n is a positive whole number"),
        ("within(-1)", "metres is a number from 0 on"),
        ("within('far')", "metres is a number from 0 on"),
        ("nearest(distance='geodetic')", "Did you mean geodesic?"),
        ("identity(ignore_same='place')", "ignore_same is 'camera' or None"),
    ],
)
def test_a_rule_that_cannot_be_is_refused(text, said):
    with pytest.raises(tr.RulesError, match=said):
        truth.build(text, PLACED, PLACED)


def test_parameters_of_rules_may_be_numbers_of_numpy():
    queries, references = [{"id": "q", "x": 0, "y": 0}], [{"id": "a", "x": 3, "y": 4}]
    right = truth.within(queries, references, metres=np.int64(5), distance="xy")
    assert (right.to_dict(), right.rule) == ({"q": {"a": 1.0}}, "within(metres=5, distance='xy', inclusive=True)")
    assert truth.build("nearest", queries, references, n=np.int32(1), distance="xy").to_dict() == {"q": {"a": 1.0}}


def test_a_rule_of_ones_own_is_one_function():
    @truth.rule("east")
    def east(queries: Items, references: Items, *, steps: int = 1) -> truth.Pairs:
        "The reference that comes next in the list is right."
        row = np.arange(len(queries))
        return truth.Pairs(row, (row + steps) % len(references), np.full(len(row), np.nan))

    try:
        right = truth.build("east(steps=2)", _letters(), _letters())
        assert right.rule == "east(steps=2)"
        assert right.to_dict() == {"a": {"c": 1}, "b": {"a": 1}, "c": {"b": 1}}
    finally:
        truth.unregister("east")
    assert "east" not in truth.rules()


def _letters() -> list[dict[str, str]]:
    return [{"id": letter} for letter in "abc"]


def test_every_rule_says_what_is_right():
    for rule in truth.rules().values():
        assert rule.meaning.endswith("."), rule.name


def test_truth_is_qrels_that_know_their_distances():
    right = truth.nearest([{"id": "q", "lat": 0, "lon": 0.00009}], PLACED, n=2)
    assert isinstance(right, tr.Qrels)
    assert [doc for _, doc, _, _ in right.pairs()] == ["b", "a"]
    assert (np.diff(right.metres) > 0).all()
    assert tr.evaluate(right, {"q": ["x", "a"]}, "R@2").mean == {"R@2": 0.5}


def test_queries_are_sorted_by_their_bytes_and_keep_their_own_pairs():
    names = ["é", "z", "10", "9", "Z"]
    queries = [{"id": name, "x": i, "y": 0} for i, name in enumerate(names)]
    references = [{"id": f"r{i}", "x": i, "y": 0} for i in range(5)]
    right = truth.nearest(queries, references, distance="xy")
    assert right.queries == tuple(sorted(name.encode() for name in names))
    assert {q: next(iter(d)) for q, d in right.to_dict().items()} == {name: f"r{i}" for i, name in enumerate(names)}
    assert right.metres.tolist() == [0] * 5


@pytest.mark.parametrize("package", ["truerank.truth", "truerank.geo"])
def test_examples_in_the_docstrings_are_true(package):
    modules = [
        package,
        *(f"{package}.{m.name}" for m in pkgutil.iter_modules(importlib.import_module(package).__path__)),
    ]
    results = [doctest.testmod(importlib.import_module(name)) for name in modules]
    assert sum(result.failed for result in results) == 0
    assert sum(result.attempted for result in results) > 10


@pytest.mark.parametrize("text", ["query,reference\nq,b\n", "reference\tquery\nb\tq\n", "qid,tile\nq,b\n"])
def test_two_columns_are_pairs_whatever_the_other_is_called(text, tmp_path):
    (tmp_path / "pairs.csv").write_text(text)
    right = truth.listed([{"id": "q"}], [{"id": "a"}, {"id": "b"}], pairs=tmp_path / "pairs.csv")
    assert right.to_dict() == {"q": {"b": 1.0}}


def test_a_list_of_pairs_is_not_measured_across_planes():
    one, other = [{"id": "q", "x": 0, "y": 0, "zone": "52N"}], [{"id": "a", "x": 3, "y": 4, "zone": "53N"}]
    with pytest.raises(tr.TruerankError, match="several planes"):
        truth.listed(one, other, pairs=[("q", "a")], distance="xy")


def test_empty_labels_and_cameras_are_none_whatever_holds_them(tmp_path):
    rows = [{"id": "a", "label": "7", "camera": ""}, {"id": "b", "label": "7", "camera": "2"}]
    (tmp_path / "rows.csv").write_text("id,label,camera\na,7,\nb,7,2\n")
    query = [{"id": "q", "label": "7", "camera": ""}]
    for gallery in (rows, tmp_path / "rows.csv"):
        assert truth.identity(query, gallery).to_dict() == {"q": {"a": 1.0, "b": 1.0}}
    with pytest.raises(tr.InputError, match="a has no label"):
        truth.identity([{"id": "q", "label": "7"}], [{"id": "a", "label": ""}])


def test_an_id_in_another_unicode_form_is_named_so():
    composed, decomposed = "\uac00.jpg", "\u1100\u1161.jpg"
    references = [{"id": "\ub098.jpg"}, {"id": decomposed}]
    with pytest.raises(tr.InputError, match=f"Did you mean {decomposed}, in another Unicode form"):
        truth.listed([{"id": "q"}], references, pairs=[("q", composed)])
    with pytest.raises(tr.InputError, match=f"Did you mean {composed}, in another Unicode form"):
        tr.explain({composed: ["d"]}, {composed: ["d"]}, decomposed, "RR")
