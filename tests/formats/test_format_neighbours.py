"""Folders of nearest neighbours: every shape of JSON that scripts around FAISS write, and what is refused."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import truerank as tr
from truerank.cli import truerank
from truerank.core.rankings import rankings
from truerank.formats import convert, open_run
from truerank.formats.neighbours import folder_run, open_folder, queries, trend
from truerank.formats.shapes import is_empty, shapes

IDS = ["b.jpg", "a.jpg", "c.jpg"]
NEAR = [0.5, 0.75, 2.0]
LIKE = [0.9, 0.8, 0.1]
FILE = "top3_251124160703_00031_faiss.json"
QUERY = "251124160703_00031.jpg"


def objects(**columns: list[object]) -> list[dict[str, object]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


SHAPES = {
    "objects with distances": objects(rank=[1, 2, 3], id=IDS, distance=NEAR),
    "objects with scores": objects(path=IDS, score=LIKE),
    "objects with similarities": {"query": "q.jpg", "top_k": objects(filename=IDS, similarity=LIKE)},
    "both: the distance is surer": {"results": objects(id=IDS, score=[1, 2, 3], distance=NEAR)},
    "objects with ranks": {"matches": objects(name=IDS, rank=[1, 2, 3])},
    "objects without anything": {"k": 3, "neighbors": objects(image=IDS, lat=[1.5, 2.5, 3.5])},
    "objects inside objects": {
        "matches": [{"score": s, "metadata": {"file": i}} for i, s in zip(IDS, LIKE, strict=True)]
    },
    "deep": {"hits": {"total": 3, "hits": [{"_id": i, "_score": s} for i, s in zip(IDS, LIKE, strict=True)]}},
    "arrays": {"ids": IDS, "distances": NEAR},
    "arrays of one row": {"ids": [IDS], "distances": [NEAR], "took": 3},
    "FAISS's letters": {"D": NEAR, "labels": IDS},
    "arrays of scores": {"query_id": "q", "result": {"paths": IDS, "scores": LIKE}},
    "ids": IDS,
    "ids inside": {"251124160703_00031.jpg": IDS},
    "pairs": {"topk": [list(pair) for pair in zip(IDS, LIKE, strict=True)]},
    "a mapping": {"results": dict(zip(IDS, LIKE, strict=True))},
}


def write(folder: Path, value: object, file: str = FILE) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / file).write_text(json.dumps(value))
    return folder


def ranking(folder: Path) -> dict[bytes, list[bytes]]:
    """The documents of each query, best first."""
    found = {}
    for ranked in rankings(folder_run(folder).batches()):
        scores = ranked.numbers()
        found[ranked.query] = [ranked.docs[i] for i in sorted(range(len(scores)), key=lambda i: -scores[i])]
    return found


@pytest.mark.parametrize("shape", SHAPES)
def test_neighbours_of_every_shape_are_read_best_first(shape, tmp_path):
    folder = write(tmp_path / "faiss", SHAPES[shape])
    assert ranking(folder) == {QUERY.encode(): [name.encode() for name in IDS]}


@pytest.mark.parametrize("key", ["distance", "dist", "L2", "score", "similarity", "cosine", "rank"])
def test_the_value_decides_not_the_order_in_the_file(key, tmp_path):
    falls = key in ("score", "similarity", "cosine")
    values = [0.9, 0.8, 0.1] if falls else [1, 2, 3]
    rows = objects(id=IDS, **{key: values})
    folder = write(tmp_path / "faiss", [rows[1], rows[2], rows[0]])
    assert ranking(folder) == {QUERY.encode(): [name.encode() for name in IDS]}


@pytest.mark.parametrize(
    ("better", "first"), [("lower", b"c.jpg"), ("higher", b"b.jpg"), ("order", b"b.jpg"), (None, b"b.jpg")]
)
def test_which_value_is_better_can_be_said(better, first, tmp_path):
    folder = write(tmp_path / "faiss", objects(id=IDS, score=LIKE))
    opened = open_folder(folder).better(better)
    assert opened.shape is not None
    (found,) = opened.read()
    order = [opened.shape.sign * value for value in found.values] if found.values else [3, 2, 1]
    assert found.ids[order.index(max(order))].encode() == first
    with pytest.raises(tr.InputError, match="better is lower, higher or order, not 'up'"):
        opened.better("up")


@pytest.mark.parametrize("make", [dict, lambda pairs: [list(pair) for pair in pairs]], ids=["a mapping", "pairs"])
def test_numbers_without_a_name_decide_as_is_said_and_are_asked_after_where_they_are_in_no_order(make, tmp_path):
    folder = write(tmp_path / "faiss", make([("b.jpg", 0.9), ("c.jpg", 0.1), ("a.jpg", 0.5)]))
    for better, best_first in (("lower", "cab"), ("higher", "bac"), ("order", "bca")):
        (found,) = rankings(folder_run(folder, better=better).batches())
        order = sorted(range(3), key=lambda i: -found.numbers()[i])
        assert [found.docs[i].decode() for i in order] == [f"{letter}.jpg" for letter in best_first]
    with pytest.raises(tr.InputError, match=r"faiss.*\.json: the numbers beside the ids are in no order"):
        ranking(folder)
    rising = write(tmp_path / "rising", make([("b.jpg", 0.1), ("c.jpg", 0.1), ("a.jpg", 0.5)]))
    assert ranking(rising) == {QUERY.encode(): [b"b.jpg", b"c.jpg", b"a.jpg"]}


@pytest.mark.parametrize("shape", ["ids", "objects without anything"])
def test_that_lower_values_are_better_is_refused_where_there_are_none(shape, tmp_path):
    opened = open_folder(write(tmp_path / "faiss", SHAPES[shape]))
    with pytest.raises(tr.InputError, match="better = lower compares values, and nothing beside the ids"):
        opened.better("lower")


def test_the_filling_of_faiss_is_left_out(tmp_path):
    value = {"I": [[4, 2, -1, -1]], "D": [[0.5, 0.75, 3.4e38, 3.4e38]]}
    assert ranking(write(tmp_path / "faiss", value)) == {QUERY.encode(): [b"4", b"2"]}
    rows = objects(index=[4, -1], distance=[0.5, None])
    assert ranking(write(tmp_path / "more", rows)) == {QUERY.encode(): [b"4"]}


@pytest.mark.parametrize(
    "value", [[], {"results": []}, {"query": "q", "n": 0, "results": []}, {"ids": [[]], "distances": [[]]}]
)
def test_a_query_may_have_no_neighbours(value, tmp_path):
    folder = write(tmp_path / "faiss", value)
    assert ranking(folder) == {QUERY.encode(): []}
    write(folder, SHAPES["objects with distances"], "x_251124160703_00032_.json")
    assert sorted(map(len, ranking(folder).values())) == [0, 3]


def test_what_is_known_decides_which_of_several_ids_is_meant(tmp_path):
    rows = objects(id=[7, 8, 9], slug=IDS, distance=NEAR)
    folder = write(tmp_path / "faiss", rows)
    assert str(open_folder(folder).shape) == "[].id"
    known = open_folder(folder, lambda ids: sum(name in IDS for name in ids) / len(ids))
    assert str(known.shape) == "[].slug"


def test_packed_files_and_a_byte_order_mark_are_read(tmp_path):
    text = json.dumps(SHAPES["arrays"]).encode()
    (tmp_path / "x_251124160703_00031_.json.gz").write_bytes(gzip.compress(text))
    (tmp_path / "x_251124160703_00032_.json").write_bytes(b"\xef\xbb\xbf" + text)
    (tmp_path / "README.txt").touch()
    (tmp_path / ".hidden_251124160703_00033_.json").touch()
    assert list(ranking(tmp_path)) == [b"251124160703_00031.jpg", b"251124160703_00032.jpg"]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("{oops", r"00031_faiss.json:1: this is no JSON"),
        ('{"a": 1.5, "b": "x"}', "no list of neighbours is in it"),
        ('[{"distance": 0.5}]', "no list of neighbours is in it"),
        ('["a", null]', "an id is text or a whole number, not None"),
        ('{"ids": ["a", "b"], "distances": [0.5]}', "there are 2 ids, but 1 values of distances"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_by_name(value, said, tmp_path):
    (tmp_path / FILE).write_text(value)
    with pytest.raises(tr.InputError, match=said):
        ranking(tmp_path)


@pytest.mark.parametrize("other", [{"error": "timeout"}, [{"name": "a"}], {"results": objects(id=IDS)}])
def test_a_file_of_another_shape_than_the_rest_is_refused_by_name(other, tmp_path):
    for number in range(9):
        write(tmp_path, {"results": objects(id=IDS, distance=NEAR)}, f"x_251124160703_0000{number}_.json")
    write(tmp_path, other, "x_251124160703_00005_.json")
    with pytest.raises(
        tr.InputError, match=r"00005_\.json: no neighbours are where other files have them \(results\[\].id"
    ):
        ranking(tmp_path)


@pytest.mark.parametrize("first", [["r1", "r2"], [["r1", 0.1], ["r2", 0.2]]], ids=["ids", "pairs"])
@pytest.mark.parametrize(
    "other",
    [{"id": 0.1, "ok": 0.2}, {"ids": ["r1"]}, [["r1", 0.1, 1]], [{"id": "r1"}], "r1", [["r1"], []]],
)
def test_neither_keys_nor_letters_nor_lists_are_taken_for_ids(first, other, tmp_path):
    write(tmp_path, first, "x_251124160703_00001_.json")
    write(tmp_path, other, "x_251124160703_00002_.json")
    with pytest.raises(tr.InputError, match=r"00002_\.json: no neighbours are where other files have them"):
        ranking(tmp_path)


def test_two_files_of_one_query_are_refused(tmp_path):
    write(tmp_path, IDS)
    write(tmp_path, IDS, "top5_251124160703_00031_faiss.json")
    with pytest.raises(tr.InputError, match=r"top3_.* and top5_.* are both query 251124160703_00031\.jpg"):
        ranking(tmp_path)


def test_a_folder_without_json_is_refused(tmp_path):
    with pytest.raises(tr.InputError, match=r"there are no \.json files in this folder"):
        open_folder(tmp_path)


@pytest.mark.parametrize(
    ("pattern", "name", "query"),
    [
        (r"_(\d{12}_\d{5})_", "{}.jpg", "251124160703_00031.jpg"),
        (r"(\d{12})_(\d{5})", "{0}-{1}.png", "251124160703-00031.png"),
        (r"(?P<day>\d{6})(?P<time>\d{6})", "{day}T{time}", "251124T160703"),
        (r"\d{5}", "{}", "25112"),
    ],
)
def test_a_pattern_finds_the_querys_id_in_a_files_name(pattern, name, query):
    assert queries([FILE, "summary.json"], pattern, name) == {FILE: query}


def test_a_pattern_that_cannot_be_is_refused(tmp_path):
    with pytest.raises(tr.InputError, match="no regular expression"):
        queries([FILE], "(")
    with pytest.raises(tr.InputError, match="asks for more than the pattern"):
        queries([FILE], r"\d+", "{}{}")
    with pytest.raises(tr.InputError, match="no query's id is in a file's name"):
        folder_run(write(tmp_path / "faiss", IDS, "one.json"))


@pytest.mark.parametrize("value", [1, "text", None, True, {}, {"a": None}, {"a": {"b": 1.5}}])
def test_values_without_neighbours_have_no_shape(value):
    assert [shape for shape in shapes(value) if shape.kind != "mapping"] == []
    assert is_empty({}) is True
    assert is_empty({"a": 1.5, "b": "x"}) is False


def folder(root, values, **files):
    """A folder with a file a query; `values` names what is in them."""
    root.mkdir()
    for query, listed in files.items():
        rows = [{"id": doc, values: value} for doc, value in listed]
        (root / f"top_251124160703_0000{query[1]}_faiss.json").write_text(json.dumps(rows))
    return root


AWAY = {f"q{q}": [(f"d{d}", d / 10) for d in range(1, 6)] for q in range(1, 5)}
RIGHT = {f"251124160703_0000{q}.jpg": [f"d{q}"] for q in range(1, 5)}


def test_a_folder_of_results_is_a_run_for_everything_that_takes_one(tmp_path):
    near = folder(tmp_path / "faiss", "distance", **AWAY)
    ready = {
        query: {doc: -value for doc, value in listed} for query, listed in zip(RIGHT, AWAY.values(), strict=True)
    }
    assert tr.evaluate(RIGHT, near, "RR").mean == tr.evaluate(RIGHT, ready, "RR").mean
    convert(near, tmp_path / "near.run")
    assert tr.evaluate(RIGHT, tmp_path / "near.run", "RR").mean == tr.evaluate(RIGHT, near, "RR").mean


@pytest.mark.parametrize(
    "words",
    [
        ("eval",), ("compare",), ("explain", "251124160703_00001.jpg"), ("bounds",), ("lint",), ("curve",),
        ("confusion", "-k", "1"), ("check", "--min", "RR=0.1"),
    ],
    ids=lambda words: words[0],
)  # fmt: skip
def test_every_command_reads_a_folder_of_results_as_it_reads_the_run_that_convert_makes_of_it(words, tmp_path):
    near = folder(tmp_path / "faiss", "distance", **AWAY)
    qrels, run = tmp_path / "right.qrels", tmp_path / "faiss.run"
    convert(RIGHT, qrels, what="qrels")
    assert CliRunner().invoke(truerank, ["convert", str(near), str(run)]).exit_code == 0
    printed = []
    for one in (near, run):
        done = CliRunner().invoke(
            truerank, [words[0], str(qrels), str(one), *([str(one)] * (words[0] == "compare")), *words[1:]]
        )
        assert done.exit_code == 0, done.output
        printed.append(done.stdout.replace(str(tmp_path), "").replace("faiss.run", "faiss").split())
    assert [word.strip("─-") for word in printed[0]] == [word.strip("─-") for word in printed[1]]


def test_the_options_of_the_folder_say_how_it_is_read(tmp_path):
    near = folder(tmp_path / "faiss", "similarity", **{q: listed[::-1] for q, listed in AWAY.items()})
    bare = {query.removesuffix(".jpg"): docs for query, docs in RIGHT.items()}
    named = open_run(near, r"faiss-folder(pattern='_(\d+_\d+)_', name='{}', better='lower')")
    assert (
        tr.evaluate(bare, named, "RR").mean == tr.evaluate(RIGHT, folder(tmp_path / "f", "l2", **AWAY), "RR").mean
    )
    for format, message in (
        ("faiss-folder(names='{}')", "has no option 'names'. Did you mean name"),
        ("faiss-folder('{}')", "cannot read the options"),
        ("faiss-folder(name=3)", "name of faiss-folder is text, not 3"),
        ("faiss-folder(others='some')", "others of faiss-folder is refuse or skip"),
        ("csv(name='')", "the format csv has no options"),
        ("trec(second='aspect')", "second is 'call'"),
    ):
        with pytest.raises(tr.InputError, match=re.escape(message)):
            list(open_run(near, format).batches())


def test_files_without_a_querys_id_are_refused_or_skipped_as_is_said(tmp_path):
    near = folder(tmp_path / "faiss", "distance", **AWAY)
    (near / "summary.json").write_text("[]")
    with pytest.raises(tr.InputError, match=r"no query's id is in a file's name \(summary.json\)"):
        tr.evaluate(RIGHT, near, "RR")
    skipping = open_run(near, "faiss-folder(others='skip')")
    assert tr.evaluate(RIGHT, skipping, "RR").ledger.answered == 4


def test_values_that_all_run_against_their_name_are_refused_until_it_is_said_which_is_better(tmp_path):
    inner = folder(tmp_path / "faiss", "distance", **{q: [(d, 1 - v) for d, v in rows] for q, rows in AWAY.items()})
    with pytest.raises(tr.InputError, match=r"the lower 'distance' is better, but it runs the other way in every"):
        tr.evaluate(RIGHT, inner, "RR")
    assert tr.evaluate(RIGHT, open_run(inner, "faiss-folder(better='higher')"), "RR").mean["RR"] == pytest.approx(
        25 / 48
    )


def test_a_step_is_between_two_scores_of_one_list():
    assert trend(np.array([3.0, 2, 5, 1, 4, 4]), np.array([0, 2, 2, 3, 6])) == (1, 1)


def test_a_folder_is_a_run_and_no_qrels(tmp_path):
    near = folder(tmp_path / "faiss", "distance", **AWAY)
    with pytest.raises(tr.InputError, match="read as a run alone, not as qrels: are the two swapped"):
        tr.evaluate(near, near, "RR")
    with pytest.raises(tr.InputError, match="the format faiss-folder is a folder, not a file"):
        open_run(near / "top_251124160703_00001_faiss.json", "faiss-folder")
