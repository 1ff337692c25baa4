"""What columns of engines hold: bytes that are no text, numbers as ids, decimals; lazy frames."""

from __future__ import annotations

import datetime
import json
import random
import sqlite3
from collections.abc import Callable
from contextlib import ExitStack, closing
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import dataset
from pyarrow import parquet as pq

import truerank as tr

Form = Callable[[pa.Table, Path], Any]


def stored(table: pa.Table, folder: Path) -> str:
    pq.write_table(table, folder / "a.parquet")
    return str(folder / "a.parquet")


def in_duckdb(table: pa.Table, folder: Path) -> Any:
    return pytest.importorskip("duckdb").from_arrow(table)


def in_dask(table: pa.Table, folder: Path) -> Any:
    frames = pytest.importorskip("dask.dataframe")
    return frames.from_pandas(table.to_pandas(), npartitions=3)


def in_ray(table: pa.Table, folder: Path) -> Any:
    return pytest.importorskip("ray.data").from_arrow(table)


FORMS: dict[str, Form] = {
    "a table": lambda table, folder: table,
    "Parquet": stored,
    "a dataset": lambda table, folder: dataset.dataset(stored(table, folder)),
    "a dataset in memory": lambda table, folder: dataset.dataset(table),
    "a query of polars": lambda table, folder: pl.scan_parquet(stored(table, folder)),
    "a relation of DuckDB": in_duckdb,
    "a frame of Dask": in_dask,
    "a dataset of Ray": in_ray,
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Ray's own
@pytest.mark.parametrize("form", FORMS)
def test_what_holds_rows_is_taken_as_it_is(form, run, qrels, bits, expected, tmp_path):
    rows = [("other", s, d, q) for q, answer in run.items() for d, s in answer.items()]
    table = pa.table(dict(zip(("junk", "score", "doc_id", "query_id"), zip(*rows, strict=True), strict=True)))
    frame = FORMS[form](table, tmp_path)
    assert bits(qrels, frame) == expected
    assert bits(qrels, frame) == expected  # again


@pytest.mark.parametrize("form", ["a table", "Parquet", "a dataset"])
@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary(), pa.binary_view()])
def test_ids_that_are_no_utf8_keep_their_bytes(kind, form, tmp_path):
    if form != "a table" and kind == pa.binary_view():
        kind = pa.binary()
    ids = [pa.array(values, pa.binary()).cast(kind) for values in ([b"\xff", b"\xfe"], [b"d\xe9", b"d\xe8"])]
    frame = FORMS[form](pa.table({"query_id": ids[0], "doc_id": ids[1], "score": [1.0, 2.0]}), tmp_path)
    (tmp_path / "qrels").write_bytes(b"\xff 0 d\xe9 1\n\xfe 0 d\xe8 1\n\xfd 0 d\xe8 1\n")
    assert tr.evaluate(tmp_path / "qrels", frame, "RR")["RR"].tolist() == [0.0, 1.0, 1.0]


@pytest.mark.parametrize("form", ["a table", "Parquet"])
@pytest.mark.parametrize("place", ["query_id", "doc_id"])
@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1.0, 2.0], "double"),
        ([Decimal("1.0"), Decimal("2.0")], r"decimal128\(2, 1\)"),
        ([datetime.datetime(2026, 1, 1), datetime.datetime(2026, 1, 2)], "timestamp"),
        ([datetime.date(2026, 1, 1), datetime.date(2026, 1, 2)], "date32"),
    ],
)
def test_ids_that_print_in_several_ways_are_refused(values, kind, place, form, tmp_path):
    columns = {"query_id": ["1", "1"], "doc_id": ["1", "2"], "score": [1.0, 2.0], place: values}
    frame = FORMS[form](pa.table(columns), tmp_path)
    with pytest.raises(tr.InputError, match=rf"'{place}' holds {kind}.*: cast it to text, or 1.0 to the"):
        tr.evaluate({"1": ["1"]}, frame, "RR")


@pytest.mark.parametrize("form", ["a table", "Parquet", "a dataset"])
def test_whole_numbers_as_ids_are_their_digits(form, tmp_path):
    ids = pa.array([-1, 10**18], pa.int64()), pa.array([0, 2**64 - 1], pa.uint64())
    frame = FORMS[form](pa.table({"query_id": ids[0], "doc_id": ids[1], "score": [1.0, 2.0]}), tmp_path)
    assert tr.evaluate({"-1": ["0"], str(10**18): [str(2**64 - 1)]}, frame, "RR").mean == {"RR": 1.0}


@pytest.mark.parametrize("form", ["a table", "Parquet", "a dataset"])
@pytest.mark.parametrize("place", ["query_id", "doc_id", "score"])
def test_a_row_without_a_value_is_refused(place, form, tmp_path):
    columns = {"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [1.0, 2.0]}
    columns[place][1] = None
    with pytest.raises(tr.InputError, match=f"'{place}' has no value in row 2"):
        tr.evaluate({"q": ["a"]}, FORMS[form](pa.table(columns), tmp_path), "RR")


def test_narrow_scores_are_widened_and_no_more(tmp_path):
    scores = np.random.default_rng(1).random(500).astype(np.float32)
    wide = scores.astype(np.float64)
    found = [tr.read({"q": ["d7"]}, table(values)).hits.score.tolist() for values in (scores, wide)]
    assert found[0] == found[1] == [float(scores[7])]


@pytest.mark.parametrize(("digits", "point"), [(9, 2), (15, 6), (38, 10)])
@pytest.mark.parametrize("form", ["a table", "Parquet"])
def test_a_decimal_is_the_nearest_number(form, digits, point, tmp_path):
    rng = random.Random(2)
    scores = [Decimal(f"{rng.choice(('', '-'))}{rng.randrange(10**digits)}E-{point}") for _ in range(500)]
    frame = FORMS[form](table(pa.array(scores, pa.decimal128(digits, point))), tmp_path)
    hits = tr.read({"q": [f"d{i}" for i in range(500)]}, frame).hits
    assert sorted(hits.score.tolist()) == sorted(map(float, scores))


def table(scores: Any) -> pa.Table:
    n = len(scores)
    return pa.table({"query_id": ["q"] * n, "doc_id": [f"d{i}" for i in range(n)], "score": pa.array(scores)})


def test_the_named_index_of_a_frame_is_columns_of_it():
    pandas = pytest.importorskip("pandas")
    judged = pandas.DataFrame({"userId": [1, 1, 2], "movieId": [7, 8, 7], "rating": [4, 0, 5]})
    found = pandas.DataFrame({"userId": [1, 1, 2], "movieId": [8, 7, 7], "score": [0.9, 0.8, 0.7]})
    expected = tr.evaluate(judged, found, "RR AP").mean
    for index in ("userId", ["userId", "movieId"]):
        assert tr.evaluate(judged.set_index(index), found.set_index(index), "RR AP").mean == expected
    assert tr.evaluate(judged.set_index("userId", drop=False), found, "RR AP").mean == expected


@pytest.mark.parametrize("orient", ["split", "tight", "table", "index", "columns"])
def test_all_ways_in_which_pandas_writes_a_frame_are_read(orient, tmp_path):
    """In the list a query the ids are the index, and the questions beside it texts."""
    rows = [(q, doc, value) for q, docs in {"q1": "xa", "q2": "b"}.items() for value, doc in enumerate(docs, 1)]
    texts = {"question": ["what is it", "who is it"]}
    judged = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"])
    found = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    frames = [(judged, found)]
    if orient not in ("table", "tight"):  # which name the index
        frames += [(pd.DataFrame({**texts, "gold_ids": [["x", "a"], ["b"]]}, ["q1", "q2"]), found)]
        frames += [(judged, pd.DataFrame({**texts, "retrieved_ids": [["a", "x"], ["b"]]}, ["q1", "q2"]))]
    for qrels, run in frames:
        if orient != "tight":
            qrels.to_json(tmp_path / "qrels.json", orient=orient)
            run.to_json(tmp_path / "run.json", orient=orient, indent=1)
            assert tr.evaluate(tmp_path / "qrels.json", tmp_path / "run.json", "P@2").mean == {"P@2": 0.75}
        if orient not in ("table", "columns"):
            given = qrels.to_dict(orient), run.to_dict(orient)
            assert tr.evaluate(*given, "P@2").mean == {"P@2": 0.75}


@pytest.mark.parametrize("orient", ["split", "columns"])
def test_numbers_of_the_rows_that_are_left_of_a_frame_are_no_queries(orient, tmp_path):
    frame = pd.DataFrame({"question": ["what is it", "who is it", "why"], "gold_ids": [["a"], ["b"], ["c"]]})
    frame[1:].to_json(tmp_path / "qrels.json", orient=orient)
    assert tr.read_qrels(tmp_path / "qrels.json").to_dict() == {"who is it": {"b": 1.0}, "why": {"c": 1.0}}


def test_a_long_frame_that_pandas_split_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr("truerank.formats.json.BLOCK", 1000)
    monkeypatch.setattr("truerank.formats.source.CHUNK", 100)
    found = pd.DataFrame({"query_id": [f"q{n}" for n in range(500)], "doc_id": "a", "score": 0.5})
    for orient in ("split", "table"):
        found.to_json(tmp_path / "run.json", orient=orient)
        assert len(tr.open_run(tmp_path / "run.json").to_dict()) == 500


class Prediction(NamedTuple):
    """As Surprise has it."""

    uid: str
    iid: str
    r_ui: float
    est: float
    details: dict[str, bool]


def test_predictions_of_surprise_are_a_run_and_its_judgements():
    rows = [("u", "a", 2.0, 4.5), ("u", "b", 5.0, 4.0), ("v", "a", 4.0, 3.5), ("v", "c", 1.0, 3.0)]
    predictions = [Prediction(*row, {"was_impossible": False}) for row in rows]
    for given in (predictions, pd.DataFrame(predictions), pd.DataFrame(predictions).drop(columns="details")):
        assert tr.read_qrels(given).to_dict() == {"u": {"a": 2, "b": 5}, "v": {"a": 4, "c": 1}}
        assert tr.evaluate(given, given, "RR(level=4)")["RR(level=4)"].tolist() == [0.5, 1.0]


@pytest.mark.parametrize("beside", [{"id": "q"}, {"question": "q"}, {"query": "q"}, {"user_input": "q"}])
def test_a_uid_and_an_object_s_id_say_nothing_of_a_query_that_is_named(beside):
    for about in ({"uid": 7}, {"objectId": "o1"}, {"uid": 7, "objectId": "o1"}):
        assert tr.open_run([{**about, **beside, "docs": ["b", "a"]}]).to_dict() == {"q": {"b": 0.0, "a": -1.0}}
        assert tr.read_qrels([{**about, **beside, "relevant": ["a"]}]).to_dict() == {"q": {"a": 1.0}}
    assert tr.open_run([{"uid": 7, "docs": ["b", "a"]}]).to_dict() == {"7": {"b": 0.0, "a": -1.0}}


def test_parquet_of_duckdb_has_a_dictionary_in_some_groups_alone(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    rows = "select 'a longer id ' || if(i < 2048, 0, i) as query_id, i as doc_id, -i::double as score"
    how = "format parquet, parquet_version v2, row_group_size 2048"
    duckdb.sql(f"copy ({rows} from range(6000) r(i)) to '{tmp_path}/a.parquet' ({how})")
    kept = [pq.ParquetFile(tmp_path / "a.parquet").metadata.row_group(i).column(0) for i in (0, 1)]
    assert [chunk.has_dictionary_page for chunk in kept] == [True, False]
    qrels = {"a longer id 0": {"3": 1}, "a longer id 5000": {"5000": 1}}
    assert tr.evaluate(qrels, tmp_path / "a.parquet", "RR")["RR"].tolist() == [0.25, 1.0]


def test_rows_of_databases_have_names_as_dicts_have():
    with closing(sqlite3.connect(":memory:")) as database:
        database.row_factory = sqlite3.Row
        rows = "values ('q', 'x', 3.0), ('q', 'a', 1.0)"
        sql = f"with t(query_id, doc_id, score) as ({rows}) select score, doc_id, query_id from t"
        for run in (database.execute(sql), database.execute(sql).fetchall()):
            assert tr.evaluate({"q": ["a"]}, run, "RR").mean == {"RR": 0.5}
    series = [row for _, row in pd.DataFrame({"query_id": [7], "doc_id": [3], "relevance": [1]}).iterrows()]
    for rows in (series, [MappingProxyType({"query_id": 7, "doc_id": 3, "relevance": 1})]):
        assert tr.read_qrels(rows).to_dict() == {"7": {"3": 1.0}}


def test_rows_and_lists_of_databases_may_have_decimals():
    rows = [("q", "x", Decimal("3.1")), ("q", "a", Decimal("1.1"))]
    records = [dict(zip(("query_id", "doc_id", "score"), row, strict=True)) for row in rows]
    lists = pa.table({"query_id": ["q"], "docs": [["x", "a"]], "scores": [[Decimal("3.1"), Decimal("1.1")]]})
    for run in (rows, records, lists, {"q": [{"id": doc, "score": score} for _, doc, score in rows]}):
        assert tr.rank({"q": {"a": Decimal(1)}}, run).score.tolist() == [1.1]
    assert tr.read_qrels([("q", "a", Decimal("2.0"))]).to_dict() == {"q": {"a": 2.0}}
    for bad in ("NaN", "sNaN", "Infinity"):
        with pytest.raises(tr.InputError, match="number"):
            tr.evaluate({"q": ["a"]}, [("q", "a", Decimal(bad))], "RR")
    with pytest.raises(tr.InputError, match="this score is a fraction, as in a run"):
        tr.read_qrels(records)


@pytest.mark.parametrize("form", [lambda table, folder: table, stored])
def test_a_map_in_a_column_is_documents_with_their_scores_or_grades(form, tmp_path):
    def table(name: str, number: pa.DataType, *pairs: tuple[str, float]) -> Any:
        return form(pa.table({"query_id": ["q"], name: pa.array([pairs], pa.map_(pa.string(), number))}), tmp_path)

    assert tr.evaluate({"q": ["a"]}, table("docs", pa.float64(), ("a", 1.0), ("x", 2.0)), "RR").mean == {"RR": 0.5}
    judged = tr.read_qrels(table("relevant", pa.int8(), ("a", 1), ("b", 0)))
    assert judged.to_dict() == {"q": {"a": 1.0, "b": 0.0}}
    with pytest.raises(tr.InputError, match="document a is returned twice"):
        tr.evaluate({"q": ["a"]}, table("docs", pa.float64(), ("a", 1.0), ("a", 2.0)), "RR")


@pytest.fixture(params=["sqlite3", "duckdb"])
def execute(request: pytest.FixtureRequest) -> Any:
    """What makes a cursor of a statement, in a database that is closed at the end."""
    with ExitStack() as databases:
        yield lambda statement: databases.enter_context(
            closing(pytest.importorskip(request.param).connect(":memory:"))
        ).execute(statement)


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        ("query_id, doc_id, score", 1.0),
        ("doc_id, query_id, score", 1.0),
        ("query_id, doc_id, place AS rank", 1.0),
        ("place, doc_id, score, query_id", 1.0),
        ("query_id AS a, doc_id AS b, score AS c", 1.0),
        ("query_id, doc_id, place AS bm25", "no column holds the scores; name it score"),
    ],
)
def test_what_a_cursor_answers_is_read_by_the_names_of_its_columns(execute, columns, found):
    rows = "SELECT 'q' AS query_id, 'a' AS doc_id, 2.5 AS score, 1 AS place UNION ALL SELECT 'q', 'b', 1.5, 2"
    cursor = execute(f"SELECT {columns} FROM ({rows}) AS run")
    if isinstance(found, str):
        with pytest.raises(tr.InputError, match=found):
            tr.evaluate({"q": ["a"]}, cursor, "RR")
    else:
        assert tr.evaluate({"q": ["a"]}, cursor, "RR").mean == {"RR": found}
    judged = execute("SELECT 'a' AS doc_id, 'q' AS query_id, 1 AS relevance")
    assert tr.read_qrels(judged).to_dict() == {"q": {"a": 1.0}}


def test_binary_ids_and_uuids_of_rows_that_a_database_answered_are_read_as_they_are():
    one = UUID(int=1)
    judged = [(b"q", b"\xff0", 2), (b"q", one, 1)]
    assert tr.read_qrels(judged).to_dict() == {"q": {"\udcff0": 2.0, str(one): 1.0}}
    run = [(b"q", b"a", 2.5), (b"q", one, 1.5), (b"q", b"\xff0", 0.5)]
    assert tr.evaluate(judged, run, "RR R@2").mean == {"RR": 0.5, "R@2": 0.5}
    with pytest.raises(tr.InputError, match="an id is text or a whole number, not b''"):
        tr.read_qrels([(b"q", b"", 2)])


JUDGED = {"q1": {"a": 1.0}, "q2": {"b": 1.0, "c": 1.0}}
RETURNED = {"q1": ["x", "a"], "q2": ["c", "y"]}
WHICH = (
    "relevant",
    "gold",
    "golden",
    "reference",
    "expected",
    "ground_truth",
    "gt",
    "correct",
    "positive",
    "target",
)
LISTED = (
    "doc_ids",
    "document_ids",
    "chunk_ids",
    "passage_ids",
    "context_ids",
    "node_ids",
    "item_ids",
    "ids",
    "pids",
)
TEXTS = ("docs", "documents", "chunks", "passages", "nodes", "items", "sources", "files", "pages", "titles", "urls")


@pytest.mark.parametrize("held", [*LISTED, *TEXTS])
def test_a_list_is_known_by_which_documents_it_has_and_what_stands_in_it(held):
    for which in WHICH:
        truth = [{"query": q, f"{which}_{held}": list(docs)} for q, docs in JUDGED.items()]
        assert tr.evaluate(truth, RETURNED, "RR").mean == {"RR": 0.75}
    for which in ("retrieved", "ranked", "predicted", "recommended", "returned"):
        run = [{"question": q, f"{which}_{held}": docs} for q, docs in RETURNED.items()]
        assert tr.evaluate(JUDGED, run, "RR").mean == {"RR": 0.75}


@pytest.mark.parametrize("held", [each.removesuffix("s") for each in (*LISTED, *TEXTS) if each != "pages"])
def test_one_document_that_is_right_needs_no_list(held, tmp_path):
    for which in WHICH:
        rows = [
            {"query": q, "answer": "It is.", f"{which}_{held}": doc} for q, docs in JUDGED.items() for doc in docs
        ]
        pl.DataFrame(rows).write_csv(tmp_path / "a.csv")
        for truth in (rows, pl.DataFrame(rows), tmp_path / "a.csv"):
            assert tr.evaluate(truth, RETURNED, "RR").mean == {"RR": 0.75}


def test_one_document_that_is_right_may_be_an_object():
    for doc in ({"id": "a", "text": "t"}, {"doc_id": "a", "grade": 1}, {"a": 1}):
        assert tr.read_qrels([{"query": "q1", "gold_doc": doc}]).to_dict() == {"q1": {"a": 1.0}}


@pytest.mark.parametrize("doc", [7.0, None, True, ""])
def test_one_document_that_has_no_id_is_refused(doc):
    with pytest.raises(tr.InputError, match=f"an id is text or a whole number, not {doc!r}"):
        tr.read_qrels([{"query": "q1", "gold_id": doc}])


def test_what_stands_beside_the_document_of_a_row_is_no_other_document():
    row = {"query_id": "q1", "doc_id": "a", "relevant_doc": 1}
    assert tr.read_qrels([{**row, "score": 2}]).to_dict() == {"q1": {"a": 2.0}}
    with pytest.raises(tr.InputError, match="no column holds the grades; name it relevance"):
        tr.read_qrels([row])


@pytest.mark.parametrize("joined", ["a,b", "a; b", "a|b", "a\nb", "a b"])
@pytest.mark.parametrize("key", ["gold_ids", "gold_id", "expected_source", "retrieved_ids"])
def test_ids_that_are_joined_in_one_cell_are_refused_and_it_is_said_how_to_write_them(key, joined):
    row = [{"query": "q1", key: joined}]
    if (key, joined) == ("expected_source", "a b"):  # a file may be called so
        assert tr.read_qrels(row).to_dict() == {"q1": {"a b": 1.0}}
        return
    with pytest.raises(
        tr.InputError, match=r'a list of documents should stand here, .*: write ids as \["d1", "d2"\]'
    ):
        tr.evaluate(*((JUDGED, row) if key == "retrieved_ids" else (row, RETURNED)), "RR")


@pytest.mark.parametrize("texts", [f"{which}_{held}" for which in WHICH for held in ("docs", "chunks", "contexts")])
def test_ids_are_taken_and_not_the_texts_beside_them(texts):
    truth = [
        {"query": q, texts: [f"text of {d}" for d in docs], "gold_ids": list(docs)} for q, docs in JUDGED.items()
    ]
    assert tr.evaluate(truth, RETURNED, "RR").mean == {"RR": 0.75}


@pytest.mark.parametrize(
    "texts", ["docs", "documents", "retrieved", "retrieved_docs", "retrieved_contexts", "items"]
)
def test_ids_that_were_returned_are_taken_and_not_the_texts_beside_them(texts):
    for ids in ("retrieved_ids", "doc_ids", "ids"):
        run = [{"query": q, texts: [f"text of {d}" for d in docs], ids: docs} for q, docs in RETURNED.items()]
        assert tr.evaluate(JUDGED, run, "RR").mean == {"RR": 0.75}


WRAPPED: dict[str, Callable[[Any], Any]] = {
    "alone": lambda rows: {"queries": rows},
    "beside what is said of it": lambda rows: {"version": 2, "name": "tea", "tags": ["a"], "examples": rows},
    "beside a corpus": lambda rows: {
        "id": "s",
        "corpus": [{"id": "a", "text": "t"}],
        "meta": {"k": 5},
        "results": rows,
    },
}


@pytest.mark.parametrize("wrap", WRAPPED)
@pytest.mark.parametrize("indent", [None, 2])
def test_records_may_stand_in_a_list_of_an_object(wrap, indent, tmp_path):
    truth = WRAPPED[wrap]([{"query_id": q, "relevant_chunks": list(docs)} for q, docs in JUDGED.items()])
    found = WRAPPED[wrap]([{"query_id": q, "retrieved_chunks": docs} for q, docs in RETURNED.items()])
    assert tr.evaluate(truth, found, "RR").mean == {"RR": 0.75}
    for name, whole in (("truth.json", truth), ("found.json", found)):
        (tmp_path / name).write_text(json.dumps(whole, indent=indent))
    assert tr.evaluate(tmp_path / "truth.json", tmp_path / "found.json", "RR").mean == {"RR": 0.75}


@pytest.mark.parametrize("indent", [None, 2])
def test_a_long_list_of_records_with_lists_in_them_is_read_whole(indent, tmp_path, monkeypatch):
    monkeypatch.setattr("truerank.formats.json.BLOCK", 1000)
    monkeypatch.setattr("truerank.formats.source.CHUNK", 100)
    rows = [{"query": f"q{n}", "retrieved_ids": ["x", f"d{n}"], "tags": ["a", "b"]} for n in range(500)]
    (tmp_path / "found.json").write_text(json.dumps({"examples": rows}, indent=indent))
    scores = tr.evaluate({f"q{n}": [f"d{n}"] for n in range(500)}, tmp_path / "found.json", "RR")
    assert (scores.mean, scores.ledger.missing) == ({"RR": 0.5}, 0)


@pytest.mark.parametrize("documents", ["documents", "retrieved_ids", "results"])
def test_an_id_beside_a_list_of_documents_in_a_list_of_an_object_is_that_of_a_query(documents, tmp_path):
    """So a system answers in BioASQ, whose questions have their text as `body`."""
    rows = [{"id": q, "body": "Is it?", documents: docs, "snippets": []} for q, docs in RETURNED.items()]
    (tmp_path / "found.json").write_text(json.dumps({"questions": rows}, indent=1))
    truth = {"questions": [{"id": q, "body": "Is it?", "relevant": list(docs)} for q, docs in JUDGED.items()]}
    for run in ({"questions": rows}, tmp_path / "found.json"):
        assert tr.evaluate(truth, run, "RR").mean == {"RR": 0.75}


@pytest.mark.parametrize(
    "beside", [{"score": 2.0}, {"rank": 1}, {"relevant": True}], ids=["score", "rank", "relevant"]
)
def test_an_id_with_a_value_of_its_own_is_that_of_a_document(beside):
    row = {"id": "a", "items": ["part"], **beside}
    run, judged = ({"q1": [row]}, {"q1": ["a"]}) if "relevant" not in beside else ({"q1": ["a"]}, {"q1": [row]})
    assert tr.evaluate(judged, run, "RR").mean == {"RR": 1.0}


def test_what_a_query_returned_is_no_list_of_records():
    hits = [
        {"query": "red shoes", "doc_id": "x", "score": 2.0},
        {"query": "red shoes", "doc_id": "a", "score": 1.0},
    ]
    assert tr.evaluate({"q1": ["a"]}, {"q1": hits}, "RR").mean == {"RR": 0.5}
    assert tr.evaluate(JUDGED, {"q1": hits, "q2": []}, "RR").ledger.missing == 0


@pytest.mark.parametrize("start", ['{"version": 1, "queries"', '{\n"queries"'])
def test_a_key_that_comes_twice_in_such_a_list_is_refused(start, tmp_path):
    text = start + ': [{"query_id": "q1", "gold_docs": [{"id": "a", "grade": 1, "grade": 0}]}]}'
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(tr.InputError, match="'grade' comes 2 times in one object"):
        tr.read_qrels(tmp_path / "a.json")


def test_records_without_a_query_are_no_list_of_runs():
    records = [
        {"relevant_ids": ["a"], "retrieved_ids": ["x", "a"]},
        {"relevant_ids": ["b"], "retrieved_ids": ["b"]},
    ]
    for qrels, run in ((records, RETURNED), (JUDGED, records)):
        with pytest.raises(tr.InputError, match="no column holds the query ids; name it query_id"):
            tr.evaluate(qrels, run, "RR")


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.jsonl", '{"query": "q", "must_have": ["a"]}', "name it doc_id, or docs where it has lists"),
        ("a.tsv", "q1\ta\t0.5\nq1\tb\t0.4\n", "put a first line before it .* as query_id, doc_id, score"),
    ],
)
def test_of_names_that_are_not_known_it_is_said_what_to_write(name, text, says, tmp_path):
    (tmp_path / name).write_text(text)
    with pytest.raises(tr.InputError, match=says):
        tr.evaluate({"q": ["a"]}, tmp_path / name, "RR")


def test_judgements_may_be_objects_with_a_grade_each(tmp_path):
    judged = {"q1": {"a": 2, "x": 0}, "q2": {"c": 1}, "q3": {}}
    listed: dict[str, list[Any]] = {
        query: [{"item_id": doc, "relevance": grade, "violation": True} for doc, grade in docs.items()]
        for query, docs in judged.items()
    }
    (tmp_path / "a.json").write_text(json.dumps(listed))
    for qrels in (listed, tmp_path / "a.json"):
        assert tr.read_qrels(qrels).to_dict() == tr.read_qrels(judged).to_dict()
    refused = {
        "judged twice": [*listed["q1"], {"item_id": "a", "relevance": 1}],
        "the grade 'high', which is no finite number": [{"item_id": "a", "relevance": "high"}],
        "not all written in one way": [*listed["q1"], "c"],
        "an id is text or a whole number": [{"item_id": ["a"], "relevance": 1}],
        r"documents are ids, or \{id: grade\}": [{"item_id": "a", "score": 0.5}],
    }
    for says, docs in refused.items():
        with pytest.raises(tr.InputError, match=says):
            tr.read_qrels({"q1": docs})


@pytest.mark.parametrize("is_file", [True, False])
@pytest.mark.parametrize("orient", ["index", "columns"])
@pytest.mark.parametrize("what", ["qrels", "run"])
def test_an_index_of_query_and_document_in_json_is_refused(what, orient, is_file, tmp_path):
    column = "score" if what == "run" else "relevance"
    table = pd.DataFrame({"qid": ["q1", "q1"], "docno": ["d1", "d2"], column: [2, 1]}).set_index(["qid", "docno"])
    text = table.to_json(orient=orient)
    (tmp_path / "a.json").write_text(text)
    given = tmp_path / "a.json" if is_file else json.loads(text)
    pair = (given, {"q1": ["d1"]}) if what == "qrels" else ({"q1": ["d1"]}, given)
    with pytest.raises(tr.InputError, match=r"index of this table has query and document, .*'d1'\).*reset_index"):
        tr.evaluate(*pair, "RR")
    for whole in (table[column].to_dict(), table.to_dict(orient="index")):
        with pytest.raises(tr.InputError, match=r"index of this table .*\('q1', 'd1'\): .*reset_index"):
            tr.evaluate({"q1": ["d1"]}, whole, "RR")
    assert tr.evaluate({"q1": ["d1"]}, table.rename(columns={column: "score"}), "RR").mean == {"RR": 1.0}


def test_ids_that_print_as_two_numbers_are_ids():
    assert tr.evaluate({"(3, 4)": {"(1, 2)": 1}}, {"(3, 4)": {"(1, 2)": 0.5}}, "RR").mean == {"RR": 1.0}


@pytest.mark.parametrize("orient", ["dict", "list", "index", "records"])
def test_columns_without_a_value_are_refused_as_a_table_in_every_form(orient: Any, tmp_path: Path) -> None:
    table = pd.DataFrame({"query_id": [1, 1, 2], "doc_id": [5, 6, 7]})
    forms = [table.to_dict(orient), tmp_path / "table.json"]
    forms[1].write_text(json.dumps(forms[0]))
    for form in forms:
        with pytest.raises(tr.InputError, match="no column holds the grades; name it relevance"):
            tr.read_qrels(form)
        with pytest.raises(tr.InputError, match="no column holds the scores; name it score"):
            tr.evaluate({"1": {"5": 1}}, form)
    far = {"query_id": ["q"], "doc_id": ["d"], "distance": [0.5]}
    with pytest.raises(tr.InputError, match="if a lower 'distance' is better, give its negative"):
        tr.evaluate({"q": {"d": 1}}, far)


def test_words_that_may_name_columns_are_queries_where_they_have_documents() -> None:
    qrels, run = {"user": ["a"], "item": ["b"]}, {"user": ["a"], "item": ["c"]}
    assert tr.evaluate(qrels, run, "RR").per_query() == {"item": {"RR": 0.0}, "user": {"RR": 1.0}}
