"""Places: the flow from index files and a folder of FAISS results to numbers, against a slow oracle."""

from __future__ import annotations

import json
import math
import random
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyproj import Geod, Transformer

import truerank as tr
from truerank import geo, truth
from truerank.core.mappings import IGNORED
from truerank.core.rules import CHOICES, Rules
from truerank.core.run import Ranked
from truerank.formats.neighbours import folder_run
from truerank.geo import accuracy
from truerank.geo.evaluation import RULES
from truerank.geo.landings import first, leaving
from truerank.geo.names import Names
from truerank.geo.packing import packed, unpacked

GEOD = Geod(ellps="WGS84")
TO_PLANE = Transformer.from_crs(4326, 32652, always_xy=True)

Place = dict[str, float]

HERE = {"lat": 37.5, "lon": 127.0}


@dataclass
class World:
    root: Path
    flight: dict[str, Place]
    references: dict[str, Place]
    lists: dict[str, list[str]]

    def evaluate(self, **options: Any) -> geo.Places:
        return geo.evaluate(
            self.root / "flight.json", self.root / "references.json", self.root / "faiss", **options
        )


def place(rng: random.Random) -> Place:
    lat, lon = 37.55 + rng.random() * 0.004, 127.0 + rng.random() * 0.005
    x, y = TO_PLANE.transform(lon, lat)
    return {"lat": lat, "lon": lon, "x": x, "y": y}


def as_objects(names: list[str], values: list[float], ids: list[str]) -> Any:
    rows = zip(names, values, strict=True)
    return {"results": [{"rank": r, "id": n, "distance": v} for r, (n, v) in enumerate(rows, 1)]}


def as_arrays(names: list[str], values: list[float], ids: list[str]) -> Any:
    return {"names": names, "scores": [-value for value in values], "took": 0.5}


def as_indices(names: list[str], values: list[float], ids: list[str]) -> Any:
    filled = [ids.index(name) for name in names] + [-1, -1]
    return {"indices": [filled], "distances": [[*values, 3.4e38, 3.4e38]]}


def as_paths(names: list[str], values: list[float], ids: list[str]) -> Any:
    return [{"path": f"/data/map/{name}", "l2": value} for name, value in zip(names, values, strict=True)]


SHAPES = [as_objects, as_arrays, as_indices, as_paths]


def make(
    root: Path, seed: int, shape: Any = as_objects, queries: int = 25, references: int = 120, k: int = 12
) -> World:
    rng = random.Random(seed)
    flight = {f"251124160703_{n:05d}.jpg": place(rng) for n in range(queries + 3)}
    there = {f"ref {n:04d}.jpg": place(rng) for n in range(references)}
    ids = list(there)
    lists: dict[str, list[str]] = {}
    (root / "faiss").mkdir(parents=True)
    for query in list(flight)[:queries]:
        near = {i: math.hypot(there[i]["x"] - flight[query]["x"], there[i]["y"] - flight[query]["y"]) for i in ids}
        noisy = sorted((distance + rng.gauss(0, 12) + 200, i) for i, distance in near.items())[:k]
        lists[query] = [i for _, i in noisy]
        value = shape(lists[query], [distance for distance, _ in noisy], ids)
        (root / "faiss" / f"top{k}_{query[:-4]}_faiss.json").write_text(json.dumps(value))
    (root / "flight.json").write_text(json.dumps({"images": {q: {"gps": p} for q, p in flight.items()}}))
    (root / "references.json").write_text(json.dumps([{"image": i, **p} for i, p in there.items()]))
    return World(root, flight, there, lists)


def metres(how: str, one: Place, other: Place) -> float:
    if how == "xy":
        return math.hypot(one["x"] - other["x"], one["y"] - other["y"])
    if how == "geodesic":
        return float(GEOD.inv(one["lon"], one["lat"], other["lon"], other["lat"])[2])
    lat, lat2 = math.radians(one["lat"]), math.radians(other["lat"])
    half = math.sin((lat2 - lat) / 2) ** 2
    half += math.cos(lat) * math.cos(lat2) * math.sin(math.radians(other["lon"] - one["lon"]) / 2) ** 2
    return 2 * 6371008.8 * math.asin(math.sqrt(half))


def right_ones(world: World, how: str, query: str, n: int | None, radius: float | None) -> list[tuple[float, str]]:
    measured = [(metres(how, world.flight[query], p), name) for name, p in world.references.items()]
    if radius is not None:
        return sorted(pair for pair in measured if pair[0] <= radius)
    return sorted(measured, key=lambda pair: pair[0])[:n]


def oracle(
    world: World, how: str, ks: list[int], n: int | None = 1, radius: float | None = None
) -> dict[str, float]:
    """The means over the files in the folder."""
    sums: dict[str, float] = {}
    files = sorted((world.root / "faiss").iterdir())
    for file in files:
        match = re.search(r"_(\d{12}_\d{5})_", file.name)
        assert match
        query = match[1] + ".jpg"
        truths = {name for _, name in right_ones(world, how, query, n, radius)}
        for k in ks:
            hits = len(truths & set(world.lists[query][:k]))
            for name, value in (
                ("R", hits / len(truths) if truths else 0.0),
                ("P", hits / k),
                ("Success", float(hits > 0)),
            ):
                sums[f"{name}@{k}"] = sums.get(f"{name}@{k}", 0.0) + value
    return {name: total / len(files) for name, total in sums.items()}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("how", ["geodesic", "haversine", "xy"])
def test_the_whole_flow_gives_the_oracles_numbers(shape, how, tmp_path):
    world = make(tmp_path, seed=len(how) + SHAPES.index(shape), shape=shape)
    places = world.evaluate(metric=how, k=[1, 5, 10])
    view = places["xy" if how == "xy" else "geo"]
    assert view.mean == oracle(world, how, [1, 5, 10])
    assert 0.15 < view.mean["R@1"] < 0.95


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("how", ["geodesic", "haversine", "xy"])
def test_several_right_references_give_the_oracles_numbers(seed, how, tmp_path):
    world = make(tmp_path, seed)
    name = "xy" if how == "xy" else "geo"
    for rule, asked in (("nearest(n=4)", {"n": 4}), ("within(metres=30)", {"radius": 30.0})):
        view = world.evaluate(metric=how, k=[1, 3, 12], truth=rule)[name]
        wanted = oracle(world, how, [1, 3, 12], **asked)
        assert view.mean == pytest.approx(wanted, abs=1e-15)


def test_each_query_is_told_as_the_seed_tells_it(tmp_path):
    world = make(tmp_path, seed=3)
    for how in ("haversine", "xy"):
        view = world.evaluate(metric=how)["xy" if how == "xy" else "geo"]
        found = {one.query: one for one in view.found()}
        assert list(found) == sorted(world.lists)
        for query, listed in world.lists.items():
            ((distance, right),) = right_ones(world, how, query, 1, None)
            one = found[query]
            assert (one.truth, one.truths, one.top1) == (right, (right,), listed[0])
            assert one.distance == pytest.approx(distance, abs=1e-6)
            assert one.error == pytest.approx(
                metres(how, world.flight[query], world.references[listed[0]]), abs=1e-6
            )
            assert one.rank == (listed.index(right) + 1 if right in listed else None)
            assert one.recall == float(right in listed)


def test_queries_without_results_are_counted_and_left_out_unless_they_score_nothing(tmp_path):
    world = make(tmp_path, seed=4)
    view = world.evaluate()["geo"]
    assert (view.scores.ledger.judged, view.scores.ledger.evaluated, view.scores.ledger.missing) == (28, 25, 3)
    strict = world.evaluate(rules=geo.evaluation.RULES.replace(missing="zero"))["geo"]
    assert strict.mean["R@1"] == pytest.approx(view.mean["R@1"] * 25 / 28)
    assert [one.top1 for one in strict.found()][-3:] == [None] * 3
    assert np.isinf(strict.errors[-3:]).all()
    assert strict.error_curve["within"]["50"] == pytest.approx(view.error_curve["within"]["50"] * 25 / 28)


def test_queries_without_anything_right_are_counted_named_and_told_apart(tmp_path):
    world = make(tmp_path, seed=5)
    view = world.evaluate(truth="within(metres=12)")["geo"]
    without_relevant = {q for q in world.lists if not right_ones(world, "geodesic", q, None, 12)}
    assert set(view.truth.without_relevant) & set(world.lists) == without_relevant
    assert 0 < len(without_relevant) < 25
    assert view.scores.ledger.without_relevant == len(without_relevant)
    answerable = view.to_dict()["answerable"]
    assert answerable["queries"] == 25 - len(without_relevant)
    assert answerable["mean"]["R@10"] == pytest.approx(view.mean["R@10"] * 25 / answerable["queries"])


def test_both_views_stand_in_one_object_with_plain_values(tmp_path):
    world = make(tmp_path, seed=6)
    told = world.evaluate(k=[1, 5]).to_dict(per_query=True)
    assert list(told) == ["geo", "xy", "notes"]
    assert told["geo"]["mean"] == oracle(world, "geodesic", [1, 5])
    assert told["xy"]["mean"] == oracle(world, "xy", [1, 5])
    assert told["geo"]["rules"]["name"] == "geo"
    assert told["geo"]["queries"]["251124160703_00000.jpg"].keys() >= {"truth", "distance", "rank", "recall", "R@1"}
    assert json.loads(json.dumps(told)) == told


def oracle_errors(world: World, how: str, k: int) -> list[list[float]]:
    return [
        [metres(how, world.flight[query], world.references[name]) for name in listed[:k]]
        for query, listed in sorted(world.lists.items())
    ]


def test_the_surface_the_curve_and_sdm_are_what_loops_say(tmp_path):
    world = make(tmp_path, seed=7)
    for how in ("geodesic", "xy"):
        view = world.evaluate(metric=how, k=[1, 5, 10], within=[10, 25.5, 60])["xy" if how == "xy" else "geo"]
        errors = oracle_errors(world, how, 10)
        for k in (1, 5, 10):
            for t, key in ((10, "10"), (25.5, "25.5"), (60, "60")):
                near = [any(e <= t for e in row[:k]) for row in errors]
                assert view.surface[f"R@{k}"][key] == sum(near) / 25
            total = sum(range(1, k + 1))
            sdm = [sum((k - i) * math.exp(-0.001 * e) for i, e in enumerate(row[:k])) / total for row in errors]
            assert view.sdm[f"SDM@{k}"] == pytest.approx(sum(sdm) / 25, abs=1e-12)
        firsts = sorted(row[0] for row in errors)
        curve = view.error_curve
        assert curve["median"] == pytest.approx(firsts[12], abs=1e-6)
        assert curve["quantiles"]["0.25"] == pytest.approx(firsts[6], abs=1e-6)
        for t, key in ((10, "10"), (60, "60")):
            assert curve["within"][key] == view.ma[f"MA@{key}"] == sum(e <= t for e in firsts) / 25
            steps = np.linspace(0, t, 200_001)
            curve_by_integral = np.searchsorted(firsts, steps, side="right").mean() / 25
            assert curve["auc"][key] == pytest.approx(curve_by_integral, abs=1e-4)


def test_sdm_by_the_degree_is_denseuavs_own():
    """Its paper's form over plain degrees: 20 m to the east cost more than 20 m to the north."""
    flight = [{"id": "q", "lon": 120.0, "lat": 30.0}]
    north, east = 20 / 110_852, 20 / 96_486
    there = [{"id": "n", "lon": 120.0, "lat": 30 + north}, {"id": "e", "lon": 120 + east, "lat": 30.0}]
    asked, references = (truth.read_items(items, x="lon", y="lat") for items in (flight, there))
    for name, expected in (("n", 0.406), ("e", 0.355)):
        places = geo.evaluate(asked, references, {"q": [name]}, metric="xy", k=[1], steepness=5000)
        assert places["xy"].sdm["SDM@1"] == pytest.approx(expected, abs=5e-4)
        assert places["xy"].to_dict()["sdm"]["steepness"] == 5000


def test_a_result_that_is_not_there_is_infinitely_far():
    errors = np.array([[5.0, np.inf], [np.inf, np.inf]])
    assert accuracy.recall_within(errors, 2, 1e9) == 0.5
    assert accuracy.area(errors[:, 0], 10) == 0.25
    assert accuracy.quantile(errors[:, 0], 0.75) == math.inf
    assert accuracy.sdm(errors, 2) == pytest.approx(2 / 3 * math.exp(-0.005) / 2)
    assert accuracy.recall_within(np.empty((0, 1)), 1, 10) == 0.0
    assert accuracy.quantile(np.empty(0), 0.5) == math.inf


def test_one_percent_is_university_1652s_count(tmp_path):
    world = make(tmp_path, seed=8, references=951)
    percent = world.evaluate()["geo"].one_percent
    assert (percent["k"], percent["complete"]) == (11, True)
    assert percent["R@1%"] == oracle(world, "geodesic", [11])["Success@11"]


@pytest.mark.parametrize(("references", "listed", "expected"), [(951, 11, True), (951, 10, False), (1, 0, False)])
def test_one_percent_is_complete_where_some_list_is_so_long(references, listed, expected):
    there = {f"r{n}": {"lat": 37.5, "lon": 127.0 + n / 1e4} for n in range(references)}
    view = geo.evaluate({"q": HERE}, there, {"q": list(there)[:listed]})["geo"]
    assert view.one_percent["complete"] is expected


@pytest.mark.parametrize("bad", [[0], [-1], ["far"], [math.inf], [math.nan], [True]])
def test_distances_that_cannot_be_are_refused(bad):
    with pytest.raises(tr.RulesError, match="a distance is a positive number of metres"):
        accuracy.distances(bad)


DOCS = st.lists(
    st.tuples(st.sampled_from(["a", "b", "c", "q", "é", "10", "9"]), st.sampled_from([1.0, 1.0 + 1e-9, 2.0, -1.0])),
    max_size=9,
)


def test_errors_that_are_infinite_are_none_in_json():
    here = [{"id": "q", "lat": 0, "lon": 0}]
    found = geo.evaluate(here, [{"id": "a", "lat": 0, "lon": 0}], {"q": ["unknown", "a"]}, k=1)
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert (plain["geo"]["error"]["median"], found["geo"].error_curve["median"]) == (None, math.inf)


def test_distances_that_begin_with_the_same_digits_are_told_apart():
    here = [{"id": "q", "x": 0, "y": 0}]
    found = geo.evaluate(here, [{"id": "a", "x": 12345.675, "y": 0}], {"q": ["a"]}, within=[12345.67, 12345.68])
    assert found["xy"].to_dict()["ma"] == {"MA@12345.67": 0.0, "MA@12345.68": 1.0}


@settings(max_examples=300)
@given(
    DOCS,
    st.booleans(),
    st.fixed_dictionaries(
        {
            **{
                name: st.sampled_from(CHOICES[name])
                for name in ("ties", "score_precision", "self_match", "depth_of")
            },
            "duplicates": st.sampled_from(["first", "last", "count", "once"]),
            "unjudged": st.sampled_from(["not-relevant", "removed"]),
            "depth": st.sampled_from([None, 1, 3]),
        }
    ),
    st.dictionaries(st.sampled_from(["a", "c", "10"]), st.sampled_from([IGNORED, 0, -1, None])),
)
def test_the_first_results_are_those_of_the_kernel(docs, is_scored, decided, others):
    rules = Rules(**decided)
    names, scores = [doc for doc, _ in docs], [score for _, score in docs]
    ranked = Ranked("q", names, scores if is_scored else None)
    every = ["a", "b", "c", "q", "é", "10", "9"]
    grades = {name: others.get(name, place) for place, name in enumerate(every, 1)}
    judged = tr.read_qrels({"q": {name: grade for name, grade in grades.items() if grade is not None}})
    hits = tr.rank(judged, tr.Run("run", lambda: iter([ranked])), rules=rules)
    by_kernel = [(int(rank), judged.doc(int(row)).decode()) for rank, row in zip(hits.rank, hits.doc, strict=True)]
    found = first(ranked, rules, 99, leaving(judged, rules))
    known = grades.keys() - {name for name, grade in grades.items() if grade is None}
    assert [(rank, name) for rank, name in enumerate(found, 1) if name in known] == by_kernel


@pytest.mark.parametrize(
    ("unjudged", "duplicates", "errors"),
    [
        ("not-relevant", "first", [2, 1, math.inf]),
        ("removed", "first", [1, math.inf, math.inf]),
        ("not-relevant", "once", [2, math.inf, 1]),
    ],
)
def test_errors_are_of_the_ranks_that_recall_is_of(unjudged, duplicates, errors):
    here, there = [{"id": "q", "x": 0, "y": 0}], [{"id": "a", "x": 2, "y": 0}, {"id": "b", "x": 1, "y": 0}]
    rules = RULES.replace(unjudged=unjudged, duplicates=duplicates)
    view = geo.evaluate(here, there, {"q": ["a", "a", "b"]}, k=[1, 2, 3], rules=rules)["xy"]
    assert view.errors.tolist() == [errors]
    assert [view.surface[f"R@{k}"]["10"] for k in (1, 2, 3)] == [1, 1, 1]
    assert [view.mean[f"R@{k}"] for k in (1, 2, 3)] == [float(1 in errors[:k]) for k in (1, 2, 3)]
    assert next(view.found()).top1 == ("b" if unjudged == "removed" else "a")


def test_a_run_in_any_format_gives_the_same_numbers(tmp_path):
    world = make(tmp_path, seed=9)
    wanted = oracle(world, "geodesic", [1, 5, 10])
    run = {q: dict(zip(names, range(99, 0, -1), strict=False)) for q, names in world.lists.items()}
    lines = "".join(f"{q}\t{d}\t{s}\n" for q, docs in run.items() for d, s in docs.items())
    (tmp_path / "run.tsv").write_text("query_id\tdoc_id\tscore\n" + lines)
    for results in (run, world.lists, tmp_path / "run.tsv", tr.open_run(run)):
        view = geo.evaluate(tmp_path / "flight.json", tmp_path / "references.json", results)["geo"]
        assert view.mean == wanted


def test_queries_may_be_called_by_paths_or_without_endings(tmp_path):
    world = make(tmp_path, seed=10)
    wanted = oracle(world, "geodesic", [1, 5, 10])
    for change in (lambda name: f"/flight/{name}", lambda name: name[:-4], lambda name: name[:-4] + ".png"):
        flight = {change(q): p for q, p in world.flight.items()}
        assert geo.evaluate(flight, tmp_path / "references.json", tmp_path / "faiss")["geo"].mean == wanted
    listed = [{"id": n, "filename": q, **p} for n, (q, p) in enumerate(world.flight.items())]
    assert geo.evaluate(listed, tmp_path / "references.json", tmp_path / "faiss")["geo"].mean == wanted


def test_references_are_printed_by_their_own_ids_whatever_the_results_call_them(tmp_path):
    world = make(tmp_path, seed=11, shape=as_paths)
    places = world.evaluate()
    assert [note.kind for note in places.notes] == ["reference names"]
    assert "name without folders" in places.notes[0].message
    one = next(iter(places["geo"].found()))
    assert {one.truth, one.top1} <= set(world.references)
    numbered = [{"id": n, "filename": name, **p} for n, (name, p) in enumerate(world.references.items())]
    places = geo.evaluate(tmp_path / "flight.json", numbered, tmp_path / "faiss")
    assert places["geo"].mean == oracle(world, "geodesic", [1, 5, 10])
    assert next(iter(places["geo"].found())).truth == str(list(world.references).index(one.truth))


def test_numbers_are_the_references_own_before_they_are_places_in_the_list(tmp_path):
    flight = {"q.jpg": HERE}
    far = {"lat": 37.6, "lon": 127.0}
    references = {"0001.jpg": far, "0002.jpg": HERE, "0003.jpg": far}
    (tmp_path / "q.json").write_text("[2, 1]")
    places = geo.evaluate(flight, references, tmp_path, k=[1])
    assert places["geo"].mean["R@1"] == 1.0
    assert "by their number" in places.notes[-1].message
    (tmp_path / "q.json").write_text("[1, 0]")
    places = geo.evaluate(flight, references, tmp_path, k=[1])
    assert places["geo"].mean["R@1"] == 1.0
    assert "by their place in the list, from 0" in places.notes[-1].message


def test_results_of_queries_that_the_index_does_not_have_are_counted_and_named(tmp_path):
    world = make(tmp_path, seed=21)
    missing = "251124160703_00004.jpg"
    flight = {q: p for q, p in world.flight.items() if q != missing}
    ledger = geo.evaluate(flight, tmp_path / "references.json", tmp_path / "faiss")["geo"].scores.ledger
    assert (ledger.extra, ledger.examples["extra"], ledger.evaluated) == (1, (missing,), 24)


def test_files_may_be_named_otherwise(tmp_path):
    world = make(tmp_path, seed=12)
    wanted = oracle(world, "geodesic", [1, 5, 10])
    for file in list((tmp_path / "faiss").iterdir()):
        day = re.search(r"\d{12}_\d{5}", file.name)
        assert day
        file.rename(file.with_name(f"result.{day[0]}.json"))
    (tmp_path / "faiss" / "summary.json").write_text("{}")
    places = world.evaluate()
    assert places["geo"].mean == wanted
    assert [note.kind for note in places.notes] == ["query names", "skipped"]
    named = world.evaluate(pattern=r"result\.(.*)\.json", name="{}.jpg")
    assert named["geo"].mean == wanted
    with pytest.raises(tr.InputError, match="no file's name has a query's id"):
        world.evaluate(pattern=r"query(\d+)")


def test_a_querys_name_is_only_found_as_a_word_of_its_own(tmp_path):
    flight = {name: {"lat": 1.0, "lon": n} for n, name in enumerate(["img_1.jpg", "img_12.jpg"])}
    references = {f"r{n}": {"lat": 1.0, "lon": n} for n in range(2)}
    for number, first_one in ((1, "r0"), (12, "r1")):
        (tmp_path / f"faiss-img_{number}.json").write_text(json.dumps([first_one]))
    assert geo.evaluate(flight, references, tmp_path, k=[1])["geo"].mean["R@1"] == 1.0


def test_the_longest_of_the_names_in_a_files_name_is_its_querys(tmp_path):
    flight = {"1.jpg": {"lat": 1.0, "lon": 0.0}, "flight-1.jpg": {"lat": 1.0, "lon": 1.0}}
    references = {"r0": flight["1.jpg"], "r1": flight["flight-1.jpg"]}
    (tmp_path / "top_flight-1_faiss.json").write_text(json.dumps(["r1", "r0"]))
    assert list(geo.evaluate(flight, references, tmp_path)["geo"].scores.queries) == ["flight-1.jpg"]


def test_values_that_all_run_against_their_name_are_turned_with_a_note(tmp_path):
    world = make(tmp_path, seed=13, shape=lambda names, values, ids: as_objects(names, [-v for v in values], ids))
    places = world.evaluate()
    assert places["geo"].mean == oracle(world, "geodesic", [1, 5, 10])
    assert [note.kind for note in places.notes] == ["direction"]
    assert places.threshold(0.5) == 0.5
    forced = world.evaluate(better="lower")
    assert forced.notes == ()
    assert forced["geo"].mean != places["geo"].mean


def test_values_decide_where_lists_are_not_in_order(tmp_path):
    def shuffled(names: list[str], values: list[float], ids: list[str]) -> Any:
        value = as_objects(names, values, ids)
        random.Random(1).shuffle(value["results"])
        return value

    world = make(tmp_path, seed=14, shape=shuffled)
    places = world.evaluate()
    assert places["geo"].mean == oracle(world, "geodesic", [1, 5, 10])
    assert [note.kind for note in places.notes] == ["order"]
    assert places.threshold(0.5) == -0.5


def test_values_decide_beside_answers_that_are_empty_and_before_strangers_are_named(tmp_path):
    flight, references = dict.fromkeys("pqr", HERE), {"a": HERE, "b": {"lat": 37.6, "lon": 127.0}}
    answers = {"p": [["b", 0.5]], "q": [["b", 0.25], ["a", 0.75], ["s", 0.5]], "r": []}
    for query, found in answers.items():
        (tmp_path / f"{query}.json").write_text(json.dumps([{"id": doc, "score": value} for doc, value in found]))
    places = geo.evaluate(flight, references, tmp_path, k=[1, 2])
    assert places["geo"].scores["R@1"].tolist() == [0, 1, 0]
    assert [str(note.message) for note in places.notes if note.kind == "strangers"] == [
        "1 result among the first 2 of a query names no reference: s."
    ]


@pytest.mark.parametrize(("names", "said"), [("uvwxy", "u, v, w, x, y."), ("uvwxyz", "u, v, w, x, y, ….")])
def test_the_first_strangers_are_named_and_that_there_are_more(names, said):
    places = geo.evaluate({"q": HERE}, {"a": HERE}, {"q": [*names, "a"]})
    assert [str(note.message).partition(": ")[2] for note in places.notes] == [said]


def test_where_a_pattern_says_the_querys_name_no_other_is_looked_for(tmp_path):
    (tmp_path / "top_q_7.json").write_text(json.dumps(["a"]))
    with pytest.raises(tr.InputError, match="no query is known by the results' names: the results have 7"):
        geo.evaluate({"q": HERE}, {"a": HERE}, tmp_path, pattern=r"_(\d+)\.json", name="{}")
    assert geo.evaluate({"q": HERE}, {"a": HERE}, tmp_path)["geo"].mean["R@1"] == 1.0


@pytest.mark.parametrize("value", ["0.5", True, None])
def test_what_orders_answers_is_a_number_at_every_door(value, tmp_path):
    for query, highest in (("p", 0.75), ("q", value)):
        answer = [{"id": "a", "score": highest}, {"id": "b", "score": 0.25}]
        (tmp_path / f"{query}.json").write_text(json.dumps(answer))
    said = rf"q\.json: a score or a distance is a number, not {value!r}$"
    with pytest.raises(tr.InputError, match=said):
        geo.evaluate(dict.fromkeys("pq", HERE), {"a": HERE, "b": HERE}, tmp_path)
    with pytest.raises(tr.InputError, match=said):
        tr.evaluate({"p": ["a"]}, folder_run(tmp_path, "(.)"), "RR")


NORTH = {"a": {"lat": 37.5001, "lon": 127.0}, "b": {"lat": 37.6, "lon": 127.0}}
LINES = "q\tQ0\ta\t1\t0.1\tt\nq\tQ0\tb\t2\t0.9\tt\n"


@pytest.mark.parametrize("is_file", [False, True])
@pytest.mark.parametrize(
    ("better", "recall", "errors"),
    [
        (None, 0.0, [11098.8, 11.1]),
        ("higher", 0.0, [11098.8, 11.1]),
        ("lower", 1.0, [11.1, 11098.8]),
        ("order", 1.0, [11.1, 11098.8]),
    ],
)
def test_which_value_of_a_run_is_better_is_as_said(better, recall, errors, is_file, tmp_path):
    (tmp_path / "run.txt").write_text(LINES)
    run = tmp_path / "run.txt" if is_file else {"q": {"a": 0.1, "b": 0.9}}
    places = geo.evaluate({"q": HERE}, NORTH, run, k=[1, 2], better=better)
    assert (places["geo"].mean["R@1"], places["geo"].errors.round(2).tolist()) == (recall, [errors])
    if better in ("lower", "higher"):
        assert places.threshold(0.5) == (0.5 if better == "higher" else -0.5)


@pytest.mark.parametrize(
    ("results", "how", "said"),
    [
        ({"q": {"a": 0.1}}, {"better": "x"}, "better is lower, higher or order, not 'x'"),
        ({"q": ["a"]}, {"better": "lower"}, "query q has no scores for better = lower to compare"),
        ({"q": ["a"]}, {"pattern": "(.)"}, "a pattern and a name are for the files of a folder"),
        ({"q": ["a"]}, {"name": "{}.jpg"}, "a pattern and a name are for the files of a folder"),
        ({"q": [["b"], ["a"]]}, {}, "query q has several lists, one per call"),
        (
            [{"query_id": "q", "call": call, "doc_id": doc, "score": 1} for call, doc in enumerate("ba")],
            {},
            "query q has several lists, one per call",
        ),
    ],
)
def test_what_is_said_of_results_in_vain_is_refused(results, how, said):
    with pytest.raises(tr.InputError, match=said):
        geo.evaluate({"q": HERE}, NORTH, results, **how)


def test_what_is_said_of_results_that_are_read_already_is_refused():
    results = geo.read_results({"q": ["a"]}, truth.read_items({"q": HERE}), truth.read_items(NORTH))
    with pytest.raises(tr.InputError, match=r"read already, so pattern, better would be of no use"):
        geo.evaluate({"q": HERE}, NORTH, results, pattern="(.)", better="lower")


def test_what_a_query_is_called_is_not_forgotten_where_nothing_is_called_so(tmp_path):
    world = make(tmp_path, seed=12)
    with pytest.raises(tr.InputError, match="no query is known by the results' names"):
        world.evaluate(name="x{}.jpg")


def test_a_single_list_a_query_may_be_the_list_of_its_only_call():
    places = geo.evaluate({"q": HERE}, NORTH, {"q": [["b", "a"]]}, k=[1, 2])
    assert places["geo"].mean["R@2"] == 1.0


@pytest.mark.parametrize("k", [3, 10**9])
def test_ranks_that_no_list_has_take_no_room(k):
    view = geo.evaluate({"q": HERE, "r": HERE}, NORTH, {"q": ["b", "a"], "r": []}, k=[1, k])["geo"]
    assert view.errors.shape == (2, 2)
    weights = [k, k - 1], [math.exp(-0.001 * metres) for metres in view.errors[0]]
    one = sum(weight * near for weight, near in zip(*weights, strict=True)) / (k * (k + 1) / 2)
    assert view.sdm[f"SDM@{k}"] == pytest.approx(one / 2)
    assert view.surface[f"R@{k}"]["25"] == 0.5


@pytest.mark.parametrize("more", [{}, HERE])
def test_how_far_the_nearest_reference_is_is_told_by_the_distance_that_was_asked_for(more):
    asked, there = {"q": {"x": 0.0, "y": 0.0, **more}}, {"a": {"x": 50.0, "y": 0.0, **more}}
    with pytest.raises(tr.InputError, match=r"no reference is nearer to a query than 50\.00 m"):
        geo.evaluate(asked, there, {"q": ["a"]}, metric="xy", truth="within(metres=1)")


def test_of_several_queries_the_nearest_reference_of_all_is_told():
    asked = {"q": {"x": 0.0, "y": 0.0}, "r": {"x": 20.0, "y": 0.0}}
    with pytest.raises(tr.InputError, match=r"no reference is nearer to a query than 30\.00 m"):
        geo.evaluate(asked, {"a": {"x": 50.0, "y": 0.0}}, {"q": ["a"], "r": ["a"]}, truth="within(metres=1)")


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_the_query_of_a_score_that_is_not_finite_is_named(value):
    asked, there = {"p": HERE, "q": HERE, "r": HERE}, {"a": HERE, "b": HERE}
    with pytest.raises(tr.InputError, match="query q has a score or a distance that is not finite"):
        geo.evaluate(asked, there, {"p": {"a": 2.0, "b": 1.0}, "q": {"a": value}, "r": {"a": 1.0}})


def test_queries_are_told_one_by_one_only_where_that_is_asked_for():
    places = geo.evaluate({"q": HERE}, {"a": HERE}, {"q": ["a"]})
    assert ["queries" in places.to_dict(per_query=asked)["geo"] for asked in (False, True)] == [False, True]


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ({"lat": 10**400, "lon": 127.0}, "lat of q is no number: 1000"),
        ({"x": -1e200, "y": 0.0}, r"q is at x = -1e\+200, y = 0: too far to be measured"),
    ],
)
def test_a_place_beyond_all_numbers_is_refused(place, said):
    there = {"a": {"lat": 37.5, "lon": 127.0}} if "lat" in place else {"a": {"x": 1e200, "y": 0.0}}
    with pytest.raises(tr.InputError, match=said):
        geo.evaluate({"q": place}, there, {"q": ["a"]})


@pytest.mark.parametrize("kind", [int, np.int64, float, np.float32])
def test_a_lone_number_is_a_list_of_it(kind):
    places = geo.evaluate({"q": HERE}, NORTH, {"q": ["a"]}, k=np.int64(2), within=kind(25))
    assert places["geo"].surface == {"R@2": {"25": 1.0}}


def test_names_that_nothing_has_are_refused_with_an_example(tmp_path):
    world = make(tmp_path, seed=15)
    with pytest.raises(tr.InputError, match=r"no query is known by the results' names: .* has other"):
        geo.evaluate(
            {"other": world.flight["251124160703_00000.jpg"]}, tmp_path / "references.json", tmp_path / "faiss"
        )
    with pytest.raises(tr.InputError, match=r"no reference is known by the results' names: .* has other"):
        geo.evaluate(tmp_path / "flight.json", {"other": HERE, "more": HERE}, tmp_path / "faiss")


def test_results_that_are_no_reference_keep_their_rank_and_are_counted(tmp_path):
    flight, references = {"q.jpg": HERE}, {"a": HERE, "b": {"lat": 37.6, "lon": 127.0}}
    places = geo.evaluate(flight, references, {"q.jpg": ["stranger", "a"]}, k=[1, 2])
    view = places["geo"]
    assert (view.mean["R@1"], view.mean["R@2"], view.errors.tolist()) == (0.0, 1.0, [[math.inf, 0.0]])
    assert (view.notes, [note.kind for note in places.notes]) == ((), ["strangers"])
    assert "1 result among the first 2 of a query names no reference: stranger." in places.notes[0].message
    assert next(view.found()).top1 is None


def test_a_query_with_an_empty_list_is_answered_with_nothing(tmp_path):
    world = make(tmp_path, seed=16)
    file = next(iter(sorted((tmp_path / "faiss").iterdir())))
    file.write_text('{"results": []}')
    world.lists["251124160703_00000.jpg"] = []
    view = world.evaluate()["geo"]
    assert view.mean == oracle(world, "geodesic", [1, 5, 10])
    assert next(view.found()).top1 is None


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"id": None, "distance": 1.0}, "an id is text or a whole number, not None"),
        ({"id": "ref 0001.jpg", "distance": "near"}, "a number, not 'near'"),
        ({"id": "ref 0001.jpg", "distance": None}, "a number, not None"),
        ({"id": "ref 0001.jpg"}, "no neighbours are where other files have them"),
    ],
)
def test_a_damaged_entry_is_refused_with_its_file(entry, said, tmp_path):
    world = make(tmp_path, seed=17)
    file = sorted((tmp_path / "faiss").iterdir())[7]
    value = json.loads(file.read_text())
    value["results"].append(entry)
    file.write_text(json.dumps(value))
    with pytest.raises(tr.InputError, match=said) as caught:
        world.evaluate()
    assert file.name in str(caught.value)


def test_a_repeated_reference_is_refused_unless_the_rules_say_which_counts(tmp_path):
    world = make(tmp_path, seed=18, shape=lambda names, values, ids: [*names, names[0]])
    with pytest.raises(tr.InputError, match="is returned twice for query"):
        world.evaluate()
    once = world.evaluate(rules=geo.evaluation.RULES.replace(duplicates="first"))["geo"]
    assert once.mean == oracle(world, "geodesic", [1, 5, 10])


def test_xy_is_evaluated_where_there_are_x_and_y_and_left_out_where_not(tmp_path):
    world = make(tmp_path, seed=19)
    globe = {q: {"lat": p["lat"], "lon": p["lon"]} for q, p in world.flight.items()}
    assert list(geo.evaluate(globe, tmp_path / "references.json", tmp_path / "faiss").views) == ["geo"]
    plane = {q: {"x": p["x"], "y": p["y"]} for q, p in world.flight.items()}
    assert list(geo.evaluate(plane, tmp_path / "references.json", tmp_path / "faiss").views) == ["xy"]
    with pytest.raises(tr.InputError, match="the items have no x and y"):
        geo.evaluate(globe, tmp_path / "references.json", tmp_path / "faiss", metric="xy")
    with pytest.raises(tr.InputError, match="no latitude and longitude"):
        geo.evaluate([{"id": q} for q in globe], tmp_path / "references.json", tmp_path / "faiss")
    zoned = {q: {**p, "zone": str(51 + n % 2)} for n, (q, p) in enumerate(world.flight.items())}
    places = geo.evaluate(zoned, tmp_path / "references.json", tmp_path / "faiss")
    assert list(places.views) == ["geo"]
    both = geo.evaluate(zoned, tmp_path / "references.json", tmp_path / "faiss", metric=["both"])
    assert list(both.views) == ["geo"]
    assert "xy is left out: references.json" in places.notes[0].message.replace(str(tmp_path) + "/", "")


def test_queries_without_a_place_matter_only_if_they_have_results(tmp_path):
    world = make(tmp_path, seed=22)
    flight = {q: dict(p) for q, p in world.flight.items()}
    flight["251124160703_00026.jpg"] |= {"lat": None}
    places = geo.evaluate(flight, tmp_path / "references.json", tmp_path / "faiss")
    assert places["geo"].mean == oracle(world, "geodesic", [1, 5, 10])
    (note,) = places["geo"].notes
    assert (note.kind, note.message) == (
        "unplaced",
        "1 query has neither a place nor results: 251124160703_00026.jpg.",
    )
    flight["251124160703_00003.jpg"] |= {"lat": None}
    with pytest.raises(tr.InputError, match=r"251124160703_00003\.jpg has no latitude and longitude"):
        geo.evaluate(flight, tmp_path / "references.json", tmp_path / "faiss")


def test_what_a_query_lacks_leaves_it_out_only_of_what_is_measured_by_that():
    flight = [{"id": "a", "lat": 37.5, "lon": 127, "x": 0, "y": 0}, {"id": "b", "lat": 37.5, "lon": 127, "x": None}]
    flight[1] |= {"y": None}
    rules = RULES.replace(missing="zero")
    places = geo.evaluate(flight, flight[:1], {"a": ["a"]}, k=1, rules=rules)
    assert {name: view.mean["R@1"] for name, view in places.views.items()} == {"geo": 0.5, "xy": 1.0}
    assert {name: [note.kind for note in view.notes] for name, view in places.views.items()} == {
        "geo": [],
        "xy": ["unplaced"],
    }


def test_where_labels_are_right_a_place_that_is_not_known_is_infinitely_far_and_its_query_counts():
    queries = [
        {"id": q, "label": "gate", "lat": lat, "lon": 127} for q, lat in (("a", 37.5), ("b", None), ("c", None))
    ]
    rules = RULES.replace(missing="zero")
    view = geo.evaluate(queries, queries[:1], {"a": ["a"], "b": ["a"]}, k=1, truth="identity", rules=rules)["geo"]
    assert view.error.tolist() == [0, math.inf, math.inf]
    assert (view.mean["R@1"], view.sdm["SDM@1"], view.ma["MA@10"]) == (2 / 3, 1 / 3, 1 / 3)
    assert view.error_curve["auc"]["10"] == 1 / 3


def test_labels_that_nothing_shares_are_refused_though_a_place_is_not_known():
    queries = [{"id": "a", "label": "gate", "lat": 37.5, "lon": 127}, {"id": "b", "label": "gate", "lat": None}]
    queries[1] |= {"lon": None}
    there = [{"id": "r", "label": "tower", "lat": 37.5, "lon": 127}]
    with pytest.raises(tr.InputError, match="are these the references of other queries"):
        geo.evaluate(queries, there, {"a": ["r"], "b": ["r"]}, truth="identity")


def test_what_is_answerable_is_of_the_level_of_the_rules(tmp_path):
    queries = [{"id": q, "lat": 37.5, "lon": 127} for q in "ab"]
    (tmp_path / "pairs.qrels").write_text("a 0 a 2\nb 0 a 1\n")
    how = {"truth": f"listed('{tmp_path}/pairs.qrels')", "rules": RULES.replace(level=2)}
    view = geo.evaluate(queries, queries[:1], {"a": ["a"], "b": ["a"]}, k=1, **how)["geo"]
    assert view.answerable.tolist() == [True, False]
    assert (view.mean["R@1"], view.answerable_mean["R@1"]) == (0.5, 1.0)


def test_tiles_that_hold_the_query_are_right_and_errors_go_to_their_middles():
    flight = {"q": {"lat": 37.505, "lon": 127.015}, "off the map": {"lat": 38.0, "lon": 127.0}}
    tiles = [{"id": f"t{n}", "bounds": [127 + n / 100, 37.5, 127.01 + n / 100, 37.51]} for n in range(3)]
    places = geo.evaluate(flight, tiles, {"q": ["t0", "t1"], "off the map": ["t0"]}, truth="contains", k=[1, 2])
    view = places["geo"]
    assert (view.mean["R@1"], view.mean["R@2"], view.truth.without_relevant) == (0.0, 0.5, ("off the map",))
    one = next(one for one in view.found() if one.query == "q")
    assert (one.truth, one.distance, one.rank) == ("t1", pytest.approx(0, abs=1e-6), 2)
    assert one.error == pytest.approx(GEOD.inv(127.015, 37.505, 127.005, 37.505)[2])


def test_a_haversine_truth_that_differs_is_told():
    rng = np.random.default_rng(8)
    lat, lon = rng.uniform(-60, 60, (2, 1500))
    flight = {f"q{i}": {"lat": a, "lon": o} for i, (a, o) in enumerate(zip(lat[:700], lon[:700], strict=True))}
    references = {f"r{i}": {"lat": a, "lon": o} for i, (a, o) in enumerate(zip(lat[700:], lon[700:], strict=True))}
    run = {q: ["r0"] for q in flight}
    view = geo.evaluate(flight, references, run, k=[1])["geo"]
    by = {how: truth.nearest(truth.read_items(flight), truth.read_items(references), distance=how).to_dict()
          for how in ("geodesic", "haversine")}  # fmt: skip
    differ = sum(by["geodesic"][q] != by["haversine"][q] for q in by["geodesic"])
    assert differ > 0
    assert any(
        note.message.endswith(f"nearest for {differ} {'query' if differ == 1 else 'queries'}.")
        for note in view.notes
    )


def test_of_equally_near_references_the_sphere_chooses_no_other_one():
    there = [{"id": "a", "lat": 37.5, "lon": 126.5}, {"id": "b", "lat": 37.5, "lon": 127.5}]
    view = geo.evaluate([{"id": "q", "lat": 37.5, "lon": 127}], there, {"q": ["b", "a"]}, k=1)["geo"]
    assert [note.kind for note in view.notes] == ["ties"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"metric": "geodetic"}, "Did you mean geodesic?"),
        ({"metric": ["geodesic", "haversine"]}, "take one of them"),
        ({"k": [0]}, "k takes positive whole numbers, not 0"),
        ({"k": []}, "k takes at least one positive whole number"),
        ({"k": None}, "k takes positive whole numbers, not None"),
        ({"k": "5"}, "k takes positive whole numbers, not '5'"),
        ({"within": None}, "a positive number of metres, not None"),
        ({"within": [10**400]}, "a positive number of metres, not 1000"),
        ({"steepness": 10**400}, "the steepness of SDM is a positive number"),
        ({"metric": None}, "no metric is called None"),
        ({"metric": []}, "no metric is named; there is both, geodesic, haversine, xy"),
        ({"truth": None}, "cannot read the rule None"),
        ({"truth": "neares"}, "Did you mean nearest?"),
        ({"within": [-5]}, "a positive number of metres"),
        ({"measures": "R"}, "R needs k"),
        ({"rules": "science-qa"}, "places are evaluated query by query"),
    ],
)
def test_what_cannot_be_evaluated_is_refused(options, said):
    places = {"a": {"lat": 1.0, "lon": 1.0}}
    with pytest.raises(tr.TruerankError, match=said.replace("?", r"\?")):
        geo.evaluate(places, places, {"a": ["a"]}, **options)


KEYS = st.sampled_from(
    ["id", "image", "lat", "lon", "x", "results", "ids", "distances", "score", "gps", "features", "type"]
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-5, 400)
    | st.floats()
    | st.sampled_from(["a", "b", "Feature", "", "1e3"])
)
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=20
)


@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(JSON)
def test_any_json_is_items_or_refused(tmp_path, monkeypatch, value):
    monkeypatch.chdir(tmp_path)  # a text is the name of a file or folder: what is in ours
    for name in ("a.jpg", "b@1@2.jpg", "c.txt"):
        (tmp_path / name).touch()
    try:
        items = truth.read_items(value)
        for distance in ("geodesic", "xy"):
            truth.within(items, items, distance=distance)
    except tr.TruerankError:
        return
    assert len(items) > 0


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(JSON, min_size=3, max_size=3))
def test_any_json_is_neighbours_or_refused(tmp_path, values):
    folder = tmp_path
    for name, value in zip(("q1", "q2", "q3"), values, strict=True):
        (folder / f"{name}.json").write_text(json.dumps(value).replace("NaN", "null").replace("Infinity", "1e400"))
    items = truth.read_items([{"id": f"q{n}", **HERE} for n in (1, 2, 3)])
    references = truth.read_items([{"id": name, **HERE} for name in ("a", "b")])
    try:
        places = geo.evaluate(items, references, folder)
    except tr.TruerankError:
        return
    assert 0 <= places["geo"].mean["R@1"] <= 1


@pytest.mark.parametrize("package", ["pyproj", "scipy.spatial"])
def test_a_missing_package_is_named_with_the_extra_that_brings_it(package, monkeypatch):
    truth.distances._ellipsoid.cache_clear()
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(tr.MissingPackage, match=r'needs: pip install "truerank\[geo\]"'):
        truth.nearest([{"id": "q", **HERE}], [{"id": "r", **HERE}])


def test_a_name_with_a_line_end_in_it_is_one_name():
    for names in (["a\nb", "c"], ["a", "b"], [3, 1], [3, "x"], []):
        assert unpacked(packed(names)) == list(map(str, names) if "x" in names else names)


def test_a_name_in_a_longer_word_of_a_text_is_not_meant():
    names = Names(truth.read_items([{"id": "q1.jpg", "lat": 37.5, "lon": 127.0}], "queries"))
    assert [names.inside(text) for text in ("top5_q1_x", "topq1_x", "top5_q12")] == ["q1", None, None]
