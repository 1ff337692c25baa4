"""A catalogue is read from whatever holds it, and what is wrong with one is said."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from click.testing import CliRunner

import truerank as tr
from truerank.cli import truerank
from truerank.core.evaluate import read_catalogue

TABLE = {
    "a": {"popularity": 3, "genres": ["x", "y"], "vector": [1.0, 0.0]},
    "b": {"popularity": 0, "genres": [], "vector": [0.0, 2.0]},
}
RECORDS = [{"item_id": name, **row} for name, row in TABLE.items()]
CSV = "item_id,Popularity,genre,vector.0,vector.1\na,3,x|y,1,0\nb,0,,0,2\n"


def given(kind: str, folder: Path) -> Any:
    """The same table in another form."""
    file = folder / "items"
    if kind in ("csv", "tsv"):
        file.write_text(CSV if kind == "csv" else CSV.replace(",", "\t"))
    elif kind == "jsonl":
        file.write_text("\n".join(map(json.dumps, RECORDS)))
    elif kind == "json":
        file.write_text(json.dumps(TABLE))
    elif kind == "parquet":
        pytest.importorskip("polars").DataFrame(RECORDS).write_parquet(file)
    elif kind == "arrow":
        pytest.importorskip("polars").DataFrame(RECORDS).write_ipc(file, compression="zstd")
    elif kind == "stream":
        pytest.importorskip("polars").DataFrame(RECORDS).write_ipc_stream(file)
    elif kind == "columns":
        return {name: [record[name] for record in RECORDS] for name in RECORDS[0]}
    elif kind == "pandas":
        return pytest.importorskip("pandas").DataFrame(RECORDS)
    else:
        return {"dict": TABLE, "records": RECORDS}[kind]
    return file


KINDS = ("dict", "records", "columns", "pandas", "csv", "tsv", "json", "jsonl", "parquet", "arrow", "stream")


@pytest.mark.parametrize("kind", KINDS)
def test_a_catalogue_is_the_same_whatever_holds_it(kind: str, tmp_path: Path) -> None:
    found = read_catalogue(given(kind, tmp_path))
    assert found.ids == (b"a", b"b")
    assert found.popularity is not None
    assert found.popularity.tolist() == [3, 0]
    assert found.groups == (("x", "y"), ())
    assert found.vectors is not None
    assert found.vectors.tolist() == [[1, 0], [0, 2]]


def test_a_binary_file_is_no_list_of_ids(tmp_path: Path) -> None:
    np.save(tmp_path / "items.npy", np.arange(3))
    with pytest.raises(tr.InputError, match=r"items.npy:1: this line holds a NUL byte: the file is binary"):
        read_catalogue(tmp_path / "items.npy")
    pandas.DataFrame(RECORDS).to_feather(tmp_path / "cut")
    (tmp_path / "cut").write_bytes((tmp_path / "cut").read_bytes()[:-9])
    with pytest.raises(tr.InputError, match="cut: the Arrow data is damaged or cut short"):
        read_catalogue(tmp_path / "cut")


@pytest.mark.parametrize(
    ("groups", "vector"),
    [
        ('["x", "y"]', "[1.0, 0.5]"),
        ("['x', 'y']", "[1, 0.5]"),
        ("['x' 'y']", "[1.   0.5]"),
        ("[x, y]", "[ 1\n 0.5]"),
        ("x|y", ""),
    ],
    ids=["json", "python", "numpy", "bare", "plain"],
)
def test_a_list_may_be_a_text_in_csv(groups: str, vector: str, tmp_path: Path) -> None:
    with (tmp_path / "items.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("id", "genres", "vector"), ("a", groups, vector), ("b", "[]", "[0, -1]")])
    found = read_catalogue(tmp_path / "items.csv")
    assert found.groups == (("x", "y"), ())
    assert found.vectors is not None
    assert found.vectors[0].tolist() == [1, 0.5] or (not vector and np.isnan(found.vectors[0]).all())


@pytest.mark.parametrize("none", [None, float("nan"), pandas.NA], ids=str)
def test_groups_may_be_arrays_and_missing(none: Any) -> None:
    items = {"a": {"group": np.array(["x", "y"]), "vector": [1, 0]}, "b": {"group": none, "vector": none}}
    found = read_catalogue(items)
    assert found.groups == (("x", "y"), ())
    assert found.vectors is not None
    assert np.isnan(found.vectors[1]).all()


def test_a_column_of_a_frame_is_a_catalogue() -> None:
    pandas = pytest.importorskip("pandas")
    uses = pandas.Series(["b", "a", "b"], name="item_id")
    found = read_catalogue(uses.value_counts())
    assert (found.ids, found.popularity.tolist()) == ((b"b", b"a"), [2, 1])
    assert read_catalogue(uses[:2]).ids == (b"b", b"a")
    with pytest.raises(tr.InputError, match="no column holds the ids"):
        read_catalogue(pandas.Series([1, 2]))


@pytest.mark.parametrize(("width", "end"), [(12, "'c11')"), (13, "'c11', …)")])
def test_columns_that_are_not_named_are_told_of(width: int, end: str) -> None:
    with pytest.raises(tr.InputError) as raised:
        read_catalogue({f"c{place}": [1] for place in range(width)})
    assert end in str(raised.value)


def test_the_keys_of_objects_are_the_ids_whatever_the_objects_call_themselves() -> None:
    assert read_catalogue({"a": {"id": "x", "popularity": 1}}).ids == (b"a",)


USES = pandas.DataFrame({"movieId": [7, 7, 9], "userId": [1, 2, 1]})


@pytest.mark.parametrize(
    "uses",
    [
        USES.groupby("movieId").size(),
        USES.groupby("movieId").userId.nunique(),
        USES.groupby("movieId").movieId.count(),
        pandas.Series([7, 7, 9]).value_counts(),
        pandas.Series({7: 2, 9: 1}),
        USES.groupby("movieId").size().rename("count").rename_axis(None),
        pandas.Series({"7": 2, "9": 1}, name="n"),
    ],
)
def test_counts_by_item_are_popularities(uses: Any) -> None:
    found = read_catalogue(uses)
    assert (found.ids, found.popularity.tolist()) == ((b"7", b"9"), [2, 1])


def test_a_column_of_ids_is_a_catalogue_whatever_its_index() -> None:
    ids = pandas.DataFrame({"movieId": [7, 8, 9], "user": [1, 2, 3]})
    for column in (ids.movieId[1:], ids.set_index("user").movieId[1:]):
        found = read_catalogue(column)
        assert (found.ids, found.popularity) == ((b"8", b"9"), None)
    genres = read_catalogue(pandas.Series(["x|y", "y"], name="genres", index=["a", "b"]))
    assert (genres.ids, genres.groups) == ((b"a", b"b"), (("x", "y"), ("y",)))


def test_a_column_of_which_rows_are_left_out_is_no_popularity() -> None:
    tracks = pandas.Series([101, 101, 205, 333], name="track").drop_duplicates()
    with pytest.raises(tr.InputError, match="no column holds the ids"):
        read_catalogue(tracks)


@pytest.mark.parametrize("rows", [[[8, 27], [9]], [[9], [8, 27]]], ids=["long first", "short first"])
def test_groups_of_a_frame_may_be_numbers(rows: list[list[int]], tmp_path: Path) -> None:
    frame = pandas.DataFrame({"id": ["a", "b"], "genres": rows})
    frame.to_parquet(tmp_path / "items")
    for given in (frame, tmp_path / "items"):
        assert read_catalogue(given).groups == tuple(tuple(map(str, row)) for row in rows)


def test_vectors_of_a_frame_that_differ_in_length_are_refused(tmp_path: Path) -> None:
    frame = pandas.DataFrame({"id": ["a", "b"], "vector": [[1.0, 0.0], [0.0, 1.0, 5.0]]})
    frame.to_parquet(tmp_path / "items")
    for given in (frame, tmp_path / "items"):
        with pytest.raises(tr.InputError, match=r"the vector of item b is .* one length \(here 2\)"):
            read_catalogue(given)


def test_an_index_that_is_also_a_column_is_that_column() -> None:
    frame = pandas.DataFrame({"movieId": [7, 9], "popularity": [2, 1]})
    assert read_catalogue(frame.set_index("movieId", drop=False)).ids == (b"7", b"9")
    with pytest.raises(tr.InputError, match="2 columns have one name, 'movieId', 'movieId'"):
        read_catalogue(pandas.concat([frame, frame], axis=1))


@pytest.mark.parametrize(
    "given",
    [
        ["a", "b"],
        ("a", "b"),
        {"b", "a"},
        np.array(["a", "b"]),
        {"a": 3, "b": 1},
        pandas.Series(["a", "b", "a"], dtype="category").unique(),
        pandas.Series(["a", "b", "a"], dtype="string").unique(),
        pandas.Index(["a", "b"]),
        {"a": 3, "b": 1}.keys(),
    ],
    ids=["list", "tuple", "set", "array", "dict", "categories", "strings", "index", "keys"],
)
def test_ids_alone_or_with_a_popularity_are_a_catalogue(given: Any) -> None:
    found = read_catalogue(given)
    assert found.ids == (b"a", b"b")
    assert (found.popularity is None) == (not isinstance(given, dict))


def test_a_file_with_an_id_a_line_is_a_catalogue(tmp_path: Path) -> None:
    (tmp_path / "ids.txt").write_text("a\nb\n")
    assert read_catalogue(tmp_path / "ids.txt").ids == (b"a", b"b")
    (tmp_path / "ids.txt").write_text(" new york\r\n\n10\u00a0km\n", "utf-8", newline="")
    assert read_catalogue(tmp_path / "ids.txt").ids == (b"new york", "10\u00a0km".encode())


def test_the_name_of_a_column_above_ids_is_no_item(tmp_path: Path) -> None:
    pandas.DataFrame({"item_id": ["a", "b, c"]}).to_csv(tmp_path / "ids.csv", index=False)
    assert read_catalogue(tmp_path / "ids.csv").ids == (b"a", b"b, c")
    (tmp_path / "ids.csv").write_bytes(b'"movieId"\r\n1\r\n2\r\n')
    assert tr.evaluate({"u": {}}, {"u": ["1"]}, "Coverage", items=tmp_path / "ids.csv").mean == {"Coverage": 0.5}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "items are a path"),
        ({"id": ["a", "b"], "popularity": [1]}, "columns of a table are lists that are equally long"),
        ({"id": "ab", "group": "xy"}, "columns of a table are lists that are equally long"),
        ({"id": ["a"], "group": 5}, "columns of a table are lists that are equally long"),
        ({"a": None, "b": 2}, "columns of a table are lists that are equally long"),
        (
            ["a", "a"],
            "item a is there twice; a catalogue has each once: of a table of who used what, count the users",
        ),
        ([{"colour": 1}], "no column holds the ids"),
        ([{"id": None}], "item 1 has no id"),
        (["\ud800"], "an id cannot be written as text"),
        ({"a": {"popularity": -1}}, "from 0 up"),
        ({"a": {"popularity": 2}, "b": {"popularity": -1}}, "the popularity of item b is -1"),
        ({"a": {"popularity": 2}, "b": {"popularity": float("inf")}}, "the popularity of item b is inf"),
        ({"a": {"popularity": "many"}}, "is no number"),
        (
            {"a": {"vector": [1, 2]}, "b": {"vector": [1]}},
            r"the vector of item b is .* one length \(here 2\)",
        ),
        ({"a": {"vector": "north"}}, "the vector of item a is .*north.* all are of one length"),
        ({"a": 1.0, "b": float("nan")}, "the popularity of item 2, b, is NaN: write 0 where nobody"),
        ({"id": ["a", "b"], "popularity": np.array([np.nan, 2])}, "the popularity of item 1, a, is NaN"),
        ({"id": ["a", "b"], "popularity": ["1", "nan"]}, "the popularity of item 2, b, is NaN"),
        (pandas.DataFrame({"id": ["a", "b"], "popularity": [1, None]}), "the popularity of item 2, b, is NaN"),
        ({"a": {"vector": "[1_0, 2]"}}, "the vector of item a is"),
        ({"a": {"vector": [1, 2]}, "b": {"vector": ["1_0", "2"]}}, "the vector of item b is"),
        ({"a": {"vector": [1, 2]}, "b": {}, "c": {"vector": [1, "x"]}}, "the vector of item c is"),
        ({"a": {"vector": [1, float("nan")]}}, "item a holds nan as its number 2; its numbers are finite"),
        ({"a": {"vector": [float("-inf"), 1]}}, "item a holds -inf as its number 1"),
        ({"a": {"popularity": 0.25}, "b": {"popularity": 0.75}}, "not a share of them: the highest here is 0.75"),
        (3, "items are a path"),
    ],
)
def test_what_is_wrong_with_a_catalogue_is_said(given: Any, said: str) -> None:
    with pytest.raises(tr.InputError, match=said):
        read_catalogue(given)


def test_a_measure_says_what_it_lacks() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": ["a", "b"]}
    with pytest.raises(tr.InputError, match="the table of items has no popularity"):
        tr.evaluate(qrels, run, "Novelty", items=["a", "b"])
    with pytest.raises(tr.InputError, match="needs a table of the documents"):
        tr.evaluate(qrels, run, "ILD")
    with pytest.raises(tr.InputError, match=r"groups and no vectors: ILD\(distance='jaccard'\) compares groups"):
        tr.evaluate(qrels, run, "ILD(distance='hamming')@2", items={"a": {"group": "x"}})
    with pytest.raises(tr.MeasureError, match="needs the catalogue"):
        tr.evaluate(qrels, run, "Coverage")
    with pytest.raises(tr.MeasureError, match="docs=1 is too small"):
        tr.evaluate(qrels, run, "Gini(docs=1)")
    with pytest.raises(tr.MeasureError, match="users=2 is too small"):
        tr.evaluate(qrels, run, "Novelty(users=2)", items={"a": 3})


def test_what_needs_a_value_for_each_query_says_that_a_number_of_the_run_is_none() -> None:
    with pytest.raises(
        tr.MeasureError, match=r"Coverage@1: .* needs a value for each query, and this is one number"
    ):
        tr.explain({"q": {"a": 1}}, {"q": ["a"]}, "q", "Coverage@1", items=["a"])


def test_the_command_takes_a_file_of_items(tmp_path: Path) -> None:
    for name, text in {"items.csv": CSV, "qrels": "q 0 a 1\n", "run": "q Q0 a 1 2 t\nq Q0 b 2 1 t\n"}.items():
        (tmp_path / name).write_text(text)
    files = [str(tmp_path / name) for name in ("qrels", "run")]
    asked = ["-m", "Coverage ILD AP", "--items", str(tmp_path / "items.csv"), "--format", "json"]
    done = CliRunner().invoke(truerank, ["eval", *files, *asked])
    assert json.loads(done.stdout)["mean"] == {"Coverage": 1.0, "ILD": 1.0, "AP": 1.0}
    done = CliRunner().invoke(truerank, ["eval", *files, *asked, "--engine", "spark"])
    assert (done.exit_code, "one machine" in done.output) == (2, True)


@pytest.mark.parametrize("size", [1.0, 1e200, 1e-200])
def test_documents_differ_by_the_directions_of_their_vectors_alone(size: float) -> None:
    items = {"a": {"vector": [size, 0]}, "b": {"vector": [size, 0]}, "c": {"vector": [0, size]}}
    assert tr.evaluate({"q": {}}, {"q": ["a", "b", "c"]}, "ILD@2 ILD", items=items).mean == {
        "ILD@2": 0.0,
        "ILD": 2 / 3,
    }


@pytest.mark.parametrize(
    ("items", "counts", "said"),
    [
        ({"a": 4}, (3, 2), "2 of 3 listed documents are not in the table of items"),
        ({"ia": 4, "ib": 1}, (3, 3), "Warning: none of the listed documents is in the table of items"),
        ({"a": 4, "b": 1, "c": 2}, (0, 0), ""),
    ],
)
def test_listed_documents_that_are_not_in_the_table_are_counted_and_told(items, counts, said):
    run = {"q": ["a", "b"], "r": ["b"]}
    scores = tr.evaluate({"q": {"a": 1}, "r": {}}, run, "Novelty(users=9)@2 Gini@1 AP", items=items)
    assert (scores.ledger.listed, scores.ledger.unlisted) == counts
    assert (said in str(scores), "table of items" in str(scores)) == (True, bool(said))
    assert ("unlisted" in scores.to_dict()["ledger"]) == bool(said)
    assert type(scores.ledger).from_dict(scores.ledger.to_dict()) == scores.ledger


def test_listed_documents_are_counted_down_to_the_ranks_that_measures_of_items_look_at():
    qrels, run = {"q": {"c": 1}, "r": {"a": 1}}, {"q": {"x": 3.0, "a": 2.0, "c": 1.0}, "r": {"a": 2.0, "b": 1.0}}
    some = (
        ("Novelty(users=9)@2 AP", (4, 2)),
        ("Gini@1 AP", (2, 1)),
        ("Gini Gini@1", (5, 3)),
        ("Gini@1 GAP", (2, 1)),
    )
    for measures, counts in some:
        ledger = tr.evaluate(qrels, run, measures, items={"a": 4}).ledger
        assert (ledger.listed, ledger.unlisted) == counts


@pytest.mark.parametrize("is_file", [False, True])
@pytest.mark.parametrize(
    "columns",
    [
        {"item_id": {"0": "a", "1": "b"}, "popularity": {"0": 3, "1": 1}},
        {"popularity": {"a": 3, "b": 1}, "genres": {"a": "war", "b": None}},
    ],
)
def test_columns_of_pandas_by_their_rows_are_no_items(columns, is_file, tmp_path):
    path = tmp_path / "items.json"
    path.write_text(json.dumps(columns))
    items = read_catalogue(path if is_file else columns)
    assert (items.ids, items.popularity.tolist()) == ((b"a", b"b"), [3, 1])


def test_items_that_are_called_like_columns_are_items():
    items = read_catalogue({"popularity": {"popularity": 3}, "class": {"popularity": 1}})
    assert items.ids == (b"popularity", b"class")


def test_of_a_reading_of_some_queries_only_their_documents_are_looked_up() -> None:
    qrels = {f"q{n}": {f"a{n}": 1, f"b{n}": 1, "c": 0} for n in range(9)}
    reading = tr.read(qrels, {query: [f"x{query}", *docs] for query, docs in qrels.items()}, keep="all")
    items = read_catalogue({f"a{n}": {"popularity": n + 1} for n in range(9)} | {"c": {"popularity": 4}})
    part = reading.only(b"q3", b"q5")
    located = part.located(items).items
    found = reading.docs(np.flatnonzero(located.place >= 0))
    assert sorted(found) == sorted([b"xq3", b"a3", b"b3", b"c", b"xq5", b"a5", b"b5", b"c"])
    for measure in ("Novelty@4", "PSP@4", "Serendipity@4"):
        alone, all_of = (tr.evaluate(one, measures=measure, items=items) for one in (part, reading))
        assert alone.per_query() == {query: all_of.per_query()[query] for query in ("q3", "q5")}
