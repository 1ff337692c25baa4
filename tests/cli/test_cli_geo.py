"""`truerank geo` and `truerank truth`: files in, tables, JSON and qrels out; one line for what is wrong."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path

import pytest
from pyproj import Geod

import truerank as tr
from truerank import geo, truth

LAT = {"q1": 37.5, "q2": 37.51, "q3": 37.52}
LISTS = {"q1": ["a", "b", "c"], "q2": ["a", "c", "b"], "q3": ["b", "a"]}
FILES = {"q1": "251124160703_00001", "q2": "251124160703_00002", "q3": "251124160703_00003"}


@pytest.fixture
def places(here: Path) -> Path:
    """flight.json, map.csv, a folder of results and a run; each of a, b and c is 1 m north of a query."""
    flight = {f"{FILES[q]}.jpg": {"lat": lat, "lon": 127.0, "x": 0.0, "y": lat * 1e5} for q, lat in LAT.items()}
    (here / "flight.json").write_text(json.dumps(flight))
    rows = [(ref, LAT[q] + 9e-6, 127.0, 0.0, LAT[q] * 1e5 + 1) for q, ref in zip(LAT, "abc", strict=True)]
    lines = ["id,lat,lon,x,y", *(",".join(map(str, row)) for row in rows)]
    (here / "map.csv").write_text("\n".join(lines) + "\n")
    (here / "faiss").mkdir()
    for q, listed in LISTS.items():
        value = {"results": [{"id": name, "distance": place} for place, name in enumerate(listed)]}
        (here / "faiss" / f"top_{FILES[q]}_faiss.json").write_text(json.dumps(value))
    run = [f"{FILES[q]}.jpg Q0 {name} 1 {-i} t" for q, listed in LISTS.items() for i, name in enumerate(listed)]
    (here / "model.run").write_text("\n".join(run) + "\n")
    return here


SEED = ("geo", "--queries", "flight.json", "--references", "map.csv", "--results", "faiss")
MEANS = {"R@1": 1 / 3, "P@1": 1 / 3, "Success@1": 1 / 3, "R@3": 2 / 3, "P@3": 2 / 9, "Success@3": 2 / 3}


def test_the_seeds_numbers_come_as_json(invoke, places):
    result = invoke(*SEED, "-k", "1,3", "--format", "json")
    assert (result.exit_code, result.stderr) == (0, "")
    told = json.loads(result.stdout)
    assert list(told) == ["geo", "xy", "notes"]
    assert told["geo"]["mean"] == pytest.approx(MEANS)
    assert told["xy"]["mean"] == pytest.approx(MEANS)
    assert told["geo"]["distance"] == "geodesic"
    assert told["geo"]["ledger"]["answered"] == 3
    assert told["geo"] == json.loads(
        json.dumps(geo.evaluate("flight.json", "map.csv", "faiss", k=[1, 3])["geo"].to_dict())
    )


@pytest.mark.parametrize(
    ("options", "views"),
    [
        ((), {"geo": "geodesic", "xy": "xy"}),
        (("--metric", "both"), {"geo": "geodesic", "xy": "xy"}),
        (("--metric", "haversine"), {"geo": "haversine"}),
        (("--metric", "haversine", "--metric", "xy"), {"geo": "haversine", "xy": "xy"}),
        (("--metric", "xy"), {"xy": "xy"}),
    ],
)
def test_what_is_measured_can_be_chosen(invoke, places, options, views):
    told = json.loads(invoke(*SEED, *options, "--format", "json").stdout)
    assert {name: view["distance"] for name, view in told.items() if name != "notes"} == views


def test_the_table_has_a_row_a_view_and_says_what_a_reader_should_know(invoke, places):
    lines = invoke(*SEED, "-k", "1", "-k", "3").stdout.splitlines()
    assert lines[0].split() == ["by", "R@1", "P@1", "Success@1", "R@3", "P@3", "Success@3"]
    assert lines[1].split() == ["geo", "0.3333", "0.3333", "0.3333", "0.6667", "0.2222", "0.6667"]
    assert lines[2].split() == ["xy", *lines[1].split()[1:]]
    assert "Rules: geo. 3 queries judged, 3 answered." in lines
    at = lines.index("geo: truth is nearest(n=1, distance='geodesic').")
    off = min(Geod(ellps="WGS84").inv(127, LAT[q], 127, LAT[q] - 0.01 + 9e-6)[2] for q in ("q2", "q3"))
    assert lines[at + 1] == f"  The median error of the first result is {off:,.2f} m."


def test_how_far_off_results_are_stands_below_the_means_and_beside_them_in_csv(invoke, places):
    asked = (*SEED, "-k", "1,3", "--metric", "xy")
    lines = invoke(*asked, "--steepness", "0.01").stdout.splitlines()
    told = json.loads(invoke(*asked, "--steepness", "0.01", "-f", "json").stdout)["xy"]
    names = ["SDM@1", "SDM@3", "MA@10", "MA@25", "MA@50"]
    values = {**told["sdm"], **told["ma"]}
    at = lines.index("") + 1
    assert lines[at].split() == ["by", *names]
    assert lines[at + 1].split() == ["xy", *(f"{values[name]:.4f}" for name in names)]
    assert "SDM@k counts a result d metres off as exp(-0.01 d), " in "\n".join(lines)
    (row,) = csv.DictReader(io.StringIO(invoke(*asked, "-f", "csv").stdout))
    assert {name: float(row[name]) for name in names[2:]} == told["ma"]
    assert {"R@1", "SDM@3"} < row.keys()


def test_a_remark_stands_with_the_view_that_it_is_about(invoke, places):
    (places / "pairs.csv").write_text("query_id,doc_id\n251124160703_00003.jpg,b\n")
    text = invoke(*SEED, "--truth", "listed('pairs.csv')").stdout
    geo_part, xy_part = text.split("geo: truth is ")[1].split("xy: truth is ")
    assert "without anything right" in geo_part
    assert "without anything right" in xy_part


def test_recall_within_metres_is_a_table_of_its_own(invoke, places):
    lines = invoke(*SEED, "-k", "1,3", "--within", "2,1200").stdout.splitlines()
    assert lines[0].split() == ["by", "within", "2", "m", "1200", "m"]
    assert lines[1].split() == ["geo", "R@1", "0.3333", "1.0000"]
    assert lines[2].split() == ["geo", "R@3", "0.6667", "1.0000"]


def test_each_query_is_told(invoke, places):
    told = json.loads(invoke(*SEED, "--per-query", "--format", "json").stdout)["xy"]["queries"]
    one = told["251124160703_00002.jpg"]
    assert one.items() >= {"truth": "b", "rank": 3, "recall": 1.0, "top1": "a", "R@1": 0.0, "R@5": 1.0}.items()
    assert one["distance"] == pytest.approx(1)
    assert one["error"] == pytest.approx(999)
    assert told["251124160703_00003.jpg"]["rank"] is None
    rows = list(csv.DictReader(io.StringIO(invoke(*SEED, "-q", "-f", "csv").stdout)))
    assert [row["by"] for row in rows] == ["geo"] * 3 + ["xy"] * 3
    assert (rows[4]["query"], rows[4]["rank"], float(rows[4]["error"])) == (
        "251124160703_00002.jpg",
        "3",
        one["error"],
    )
    assert rows[5]["rank"] == ""
    table = invoke(*SEED, "-q", "--metric", "xy").stdout.splitlines()
    assert table[2].split() == ["251124160703_00002.jpg", "b", "1.00", "3", "1.00", "a", "999.00"]
    assert invoke(*SEED, "-q", "-f", "markdown").stdout.startswith("| by | query | truth |")


def test_a_run_and_other_measures_and_rules(invoke, places):
    arguments = (
        "--queries",
        "flight.json",
        "--references",
        "map.csv",
        "--results",
        "model.run",
        "--format",
        "json",
    )
    told = json.loads(invoke("geo", *arguments, "-k", "1,3", "-m", "RR", "--set", "depth=2").stdout)
    assert told["geo"]["mean"]["RR"] == pytest.approx(1 / 3)
    assert told["geo"]["rules"]["name"] == "geo with depth=2"
    strict = json.loads(invoke("geo", *arguments, "--rules", "truerank").stdout)
    assert strict["geo"]["rules"]["missing"] == "zero"


def test_which_score_of_a_run_is_better_can_be_said(invoke, places):
    for better, ranks in (("higher", [1, 3, None]), ("lower", [3, 1, None]), ("order", [1, 3, None])):
        result = invoke(*SEED[:-1], "model.run", "--better", better, "-q", "--format", "json")
        found = json.loads(result.stdout)["geo"]["queries"]
        assert [found[f"{FILES[q]}.jpg"]["rank"] for q in LAT] == ranks
    result = invoke(*SEED[:-1], "model.run", "--pattern", "(.)")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "model.run: a pattern and a name are for the files of a folder" in result.stderr


def test_a_file_gets_what_its_ending_says(invoke, places):
    for ending, format in {"json": "json", "csv": "csv", "md": "markdown", "tex": "latex"}.items():
        invoke(*SEED, "-o", f"out.{ending}")
        assert (places / f"out.{ending}").read_text() == invoke(*SEED, "--format", format).stdout


def test_columns_can_be_named_for_one_file_or_both(invoke, places):
    flight = json.loads((places / "flight.json").read_text())
    other = {"runs": [], "all": [{"shot": q, "phi": p["lat"], "lam": p["lon"]} for q, p in flight.items()]}
    (places / "other.json").write_text(json.dumps(other))
    arguments = ("geo", "--queries", "other.json", *SEED[3:], "--format", "json", "-k", "1,3")
    keys = (
        "--key",
        "queries.id=shot",
        "--key",
        "queries.lat=phi",
        "--key",
        "queries.lon=lam",
        "--key",
        "queries.inside=all",
    )
    assert json.loads(invoke(*arguments, *keys).stdout)["geo"]["mean"] == pytest.approx(MEANS)
    result = invoke(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "no column holds the ids" in result.stderr


def test_files_and_queries_can_be_named_otherwise(invoke, places):
    for file in list((places / "faiss").iterdir()):
        file.rename(file.with_name(file.name.replace("top_251124160703_", "neighbours-of-")))
    told = json.loads(
        invoke(*SEED, "--pattern", r"of-(\d+)_", "--name", "251124160703_{}.jpg", "-f", "json").stdout
    )
    assert told["geo"]["mean"]["R@1"] == pytest.approx(1 / 3)
    assert told["notes"] == []


def test_a_truth_of_several_names_queries_that_have_none(invoke, places):
    result = invoke(*SEED, "--truth", "within(metres=1200)", "--metric", "geodesic", "-k", "1", "--set", "level=1")
    assert "geo: truth is within(metres=1200" in result.stdout
    (places / "pairs.csv").write_text("query_id,doc_id\n251124160703_00003.jpg,b\n")
    result = invoke(*SEED, "--truth", "listed('pairs.csv')", "--metric", "geodesic", "-k", "1")
    assert "2 without a relevant document (scored 0): 251124160703_00001.jpg" in result.stdout
    assert "Over the 1 query that has something right: R@1 1.0000" in result.stdout


def test_a_truth_in_which_nothing_is_right_is_refused_with_how_far_the_nearest_is(invoke, places):
    result = invoke(*SEED, "--truth", "within(metres=0.5)", "--metric", "geodesic", "-k", "1")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "no query has anything right by within(metres=0.5" in result.stderr
    assert "no reference is nearer to a query than 1.00 m: is the rule too strict" in result.stderr


def test_a_truth_of_queries_without_results_is_refused(invoke, places):
    (places / "pairs.csv").write_text("query_id,doc_id\n251124160703_00003.jpg,b\n")
    (places / "faiss" / "top_251124160703_00003_faiss.json").unlink()
    result = invoke(*SEED, "--truth", "listed('pairs.csv')", "--metric", "geodesic")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "only queries without results have anything right by listed" in result.stderr


def test_output_goes_to_a_file(invoke, places):
    result = invoke(*SEED, "-f", "csv", "-o", "out.csv")
    assert (result.exit_code, result.stdout) == (0, "")
    assert (places / "out.csv").read_text().startswith("by,R@1,P@1,Success@1")
    assert "Rules: geo." in result.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-k", "one"), "-k takes numbers with commas between them, not 'one'"),
        (("-m", ""), "no measure is named; name some"),
        (("--within", "10,far"), "--within takes numbers"),
        (("--within", "-5"), "a distance is a positive number of metres"),
        (("--key", "lat"), "--key takes FIELD=COLUMN"),
        (("--key", "flight.lat=x"), "--key takes FIELD=COLUMN"),
        (("--key", "lat=latt"), "there is no 'latt' for lat. Did you mean lat?"),
        (("--truth", "neares"), "Did you mean nearest?"),
        (("--metric", "geodesic", "--metric", "haversine"), "take one of them"),
        (("--pattern", "("), "no regular expression"),
        (("--results", "nowhere"), "--results is given twice; it takes one value"),
        (("-m", "nDGC"), "Did you mean nDCG?"),
    ],
)
def test_what_is_wrong_is_told_in_one_line_with_status_2(invoke, places, arguments, said):
    result = invoke(*SEED, *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(("file", "other"), [("faiss", "nowhere"), ("flight.json", "nowhere.json")])
def test_a_file_that_is_not_there_is_named(invoke, places, file, other):
    result = invoke(*(other if argument == file else argument for argument in SEED))
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"{other}: there is no such file" in result.stderr


def test_suspicious_coordinates_are_named_below_the_table(invoke, places):
    flight = {
        name: {"lat": math.radians(37.5), "lon": math.radians(127)}
        for name in json.loads((places / "flight.json").read_text())
    }
    (places / "radians.json").write_text(json.dumps(flight))
    result = invoke("geo", "--queries", "radians.json", *SEED[3:])
    assert "No coordinate of radians.json is beyond pi: are they radians, not degrees?" in result.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("identity", "--distance", "xy"), "--distance is not for identity, which does not measure (see"),
        (("nearest(distance='xy')", "--distance", "xy"), "says its distance itself: leave out --distance (see"),
        (("nearest", "--key", "name=id"), "--key has no field 'name' for flight.json (see"),
    ],
)
def test_what_a_truth_has_no_use_for_is_refused(words, said, invoke, places):
    rule, *others = words
    result = invoke("truth", rule, "flight.json", "map.csv", *others)
    assert result.exit_code == 2
    assert said in result.stderr


@pytest.mark.parametrize("rule", ["coec", "neighbours"])
def test_a_log_or_exact_neighbours_take_no_key(rule, invoke, tmp_path):
    (tmp_path / "log.jsonl").write_text('{"query": "q", "docs": ["a"], "clicks": ["a"]}')
    result = invoke("truth", rule, str(tmp_path / "log.jsonl"), "--key", "query=q")
    assert result.exit_code == 2
    assert "log.jsonl: its columns are found by their usual names alone (see" in result.stderr


def test_a_list_of_things_without_places_is_a_truth(invoke, tmp_path):
    (tmp_path / "items.csv").write_text("id,label\na,1\n")
    (tmp_path / "pairs.csv").write_text("query_id,doc_id\na,a\n")
    items = str(tmp_path / "items.csv")
    result = invoke("truth", f"listed('{tmp_path / 'pairs.csv'}')", items, items)
    assert (result.exit_code, result.stdout) == (0, "a 0 a 1\n")


@pytest.mark.parametrize(("file", "said"), [("right.qrels", "2 queries have no document"), ("right.json", "")])
def test_truth_says_how_many_queries_the_format_leaves_out(file, said, invoke, tmp_path):
    (tmp_path / "queries.csv").write_text("id,x,y\nq1,1,1\nq2,50,50\nq3,70,70\n")
    (tmp_path / "references.csv").write_text("id,x,y\na,1,2\n")
    files = (str(tmp_path / "queries.csv"), str(tmp_path / "references.csv"))
    result = invoke("truth", "within(metres=5)", *files, "--distance", "xy", "-o", str(tmp_path / file))
    assert "2 of 3 queries without anything right: q2, q3." in result.stderr
    assert ("which this format cannot say" in result.stderr) is bool(said)
    assert said in result.stderr


def test_truth_is_written_in_any_format_with_distances_beside(invoke, places):
    result = invoke(
        "truth", "nearest(n=2)", "flight.json", "map.csv", "-o", "truth.qrels", "--distances", "pairs.csv"
    )
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    right = truth.nearest("flight.json", "map.csv", n=2)
    assert tr.read_qrels("truth.qrels").to_dict() == right.to_dict()
    rows = list(csv.DictReader((places / "pairs.csv").read_text().splitlines()))
    assert [(row["query_id"], row["doc_id"], float(row["metres"])) for row in rows] == [
        (q, d, m) for q, d, _, m in right.pairs()
    ]
    assert invoke("truth", "nearest", "flight.json", "map.csv", "-o", "truth.jsonl").exit_code == 0
    assert tr.read_qrels("truth.jsonl").to_dict() == truth.nearest("flight.json", "map.csv").to_dict()
    assert invoke("truth", "nearest", "flight.json", "map.csv", "--to", "csv").stdout.startswith(
        "query_id,doc_id,relevance\n"
    )
    evaluated = json.loads(invoke("eval", "truth.qrels", "model.run", "-m", "R@1", "--format", "json").stdout)
    assert evaluated["mean"]["R@1"] == pytest.approx(1 / 2)


def test_what_is_remarkable_about_truth_goes_to_standard_error(invoke, places):
    result = invoke("truth", "within(metres=0.5)", "flight.json", "map.csv", "--distance", "xy")
    assert result.exit_code == 0
    assert "3 of 3 queries without anything right" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nearst", "flight.json", "map.csv"), "Did you mean nearest?"),
        (("nearest", "flight.json", "nowhere.csv"), "nowhere.csv: there is no such file"),
        (("identity", "people.json", "people.json"), "1 pair is ignored, which trec cannot say; json can"),
        (("contains", "flight.json", "map.csv"), "the references have no bounds"),
        (("nearest", "flight.json", "map.csv", "-o", "x.csv", "--to", "cvs"), "Did you mean csv?"),
    ],
)
def test_truth_that_cannot_be_is_refused_in_one_line(invoke, places, arguments, said):
    (places / "people.json").write_text(json.dumps([{"id": "a", "label": 1, "camera": 1}]))
    result = invoke("truth", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr


def test_the_first_results_are_accepted_by_their_distance_and_counted_by_each_way_to_measure(places, invoke):
    for name, listed in zip(FILES.values(), (["a", "b"], ["a", "b"], ["c", "b"]), strict=True):
        rows = [{"id": ref, "distance": 0.2 + 0.1 * int(name[-1]) + i} for i, ref in enumerate(listed)]
        (places / "faiss" / f"top_{name}_faiss.json").write_text(json.dumps(rows))
    told = json.loads(invoke(*SEED, "-k", "1", "--accept", "0.45", "-f", "json").stdout)
    for by in ("geo", "xy"):
        counts = told[by]["decisions"]
        assert [counts[name] for name in ("tp", "fp", "fn", "tn")] == [1, 1, 1, 0]
    lines = invoke(*SEED, "-k", "1", "--accept", "0.45").stdout
    assert "First results accepted (a distance of at most 0.45; TP right, FP wrong)" in lines


def test_a_saved_run_has_the_references_ids(places, invoke):
    for file in (places / "faiss").iterdir():
        file.write_text(file.read_text().replace('"id": "', '"path": "tiles/'))
    invoke(*SEED, "--save-run", "saved.run")
    invoke("truth", "nearest", "flight.json", "map.csv", "-o", "truth.qrels")
    means = json.loads(invoke(*SEED, "-k", "1,3", "-f", "json").stdout)["geo"]["mean"]
    assert tr.evaluate("truth.qrels", "saved.run", "R@1 R@3").mean == {name: means[name] for name in ("R@1", "R@3")}


def test_the_seeds_haversine_is_one_switch(places, invoke):
    told = json.loads(invoke(*SEED, "--earth-radius", "6371000", "-f", "json").stdout)
    assert told["geo"]["truth"]["rule"] == "nearest(n=1, distance='haversine(6371000)')"
    assert told["xy"]["distance"] == "xy"
    mean = json.loads(invoke(*SEED, "--metric", "haversine", "-f", "json").stdout)["geo"]["error"]["median"]
    assert told["geo"]["error"]["median"] == pytest.approx(mean * 6371000 / 6371008.8, rel=1e-12)
    for wrong, message in (
        (("--earth-radius", "6371"), "the radius of the earth is 6300000 to 6400000 metres"),
        (("--earth-radius", "6371000", "--metric", "geodesic"), "geodesic is measured on the ellipsoid"),
    ):
        assert message in invoke(*SEED, *wrong).stderr


def test_what_was_saved_of_places_is_gated(places, invoke):
    saved = invoke(*SEED, "--metric", "xy", "-q", "-o", "xy.json")
    assert (saved.exit_code, saved.stdout) == (0, "")
    view = json.loads((places / "xy.json").read_text())["xy"]
    gates = ("--min", "R@1=0.9", "--min", "SDM@1=0", "--min", "MA@25=0")
    found = json.loads(invoke("check", "xy.json", *gates, "--no-worse-than", "xy.json", "-f", "json").stdout)
    values = {gate["name"]: gate["value"] for gate in found["gates"][:3]}
    assert values == {"R@1": view["mean"]["R@1"], "SDM@1": view["sdm"]["SDM@1"], "MA@25": view["ma"]["MA@25"]}
    assert [gate["outcome"] for gate in found["gates"]] == ["fail", *["pass"] * 5]
    near = [one["error"] is not None and one["error"] <= 25 for one in view["queries"].values()]
    exact = tr.stats.mean_interval(near)
    assert (found["gates"][2]["low"], found["gates"][2]["high"]) == (exact.low, exact.high)
    assert [one["MA@25"] for one in view["queries"].values()] == near
    each = [one["SDM@5"] for one in view["queries"].values()]
    assert sum(each) / len(each) == pytest.approx(view["sdm"]["SDM@5"])


def test_saved_places_are_compared_by_how_far_off_they_are_too(places, invoke):
    for name, better in (("one", "lower"), ("other", "higher")):
        invoke(*SEED, "--metric", "xy", "--better", better, "-q", "-o", f"{name}.json")
    off = [json.loads((places / f"{name}.json").read_text())["xy"] for name in ("one", "other")]
    rows = list(csv.DictReader(io.StringIO(invoke("compare", "one.json", "other.json", "-f", "csv").stdout)))
    for name, part in (("MA@25", "ma"), ("SDM@5", "sdm")):
        means = [float(row["value"]) for row in rows if row["measure"] == name and not row["against"]]
        assert means == pytest.approx([view[part][name] for view in off])


def test_what_was_saved_by_several_distances_is_not_gated(places, invoke):
    gates = ("--min", "R@1=0.9")
    invoke(*SEED, "-o", "both.json")
    refused = invoke("check", "both.json", *gates)
    assert refused.exit_code == 2
    assert "both.json: it holds what is right by several distances, geo and xy: write one" in refused.stderr
