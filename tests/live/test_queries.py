"""Queries out of whatever holds them."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import truerank as tr
from truerank.live.queries import read_queries

WANTED = {"q1": "red shoes", "q2": 'a "quoted" hat'}


def test_a_dict_is_taken_as_it_is_and_a_list_is_numbered():
    assert read_queries({7: "tea"}) == {"7": "tea"}
    assert read_queries(("tea", "ink")) == {"1": "tea", "2": "ink"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "beir.jsonl",
            '{"_id": "q1", "text": "red shoes", "metadata": {}}\n{"_id": "q2", "text": "a \\"quoted\\" hat"}\n',
        ),
        ("object.json", json.dumps(WANTED)),
        ("records.json", json.dumps([{"id": key, "query": text} for key, text in WANTED.items()])),
        ("pairs.json", json.dumps(list(WANTED.items()), indent=1)),
        ("inside.json", json.dumps({"queries": WANTED})),
        ("broken.json", json.dumps({"queries": WANTED})[:-1] + "\n}"),
        ("plain.tsv", 'q1\tred shoes\nq2\ta "quoted" hat\n'),
        ("header.tsv", 'query_id\tlang\ttext\nq1\ten\tred shoes\nq2\ten\ta "quoted" hat\n'),
        ("blank.tsv", '\n \nq1\tred shoes\n\nq2\ta "quoted" hat\n'),
        ("blank.csv", '\r\nqid,query\r\n\r\nq1,red shoes\r\nq2,"a ""quoted"" hat"\r\n'),
        ("header.csv", 'qid,query\nq1,red shoes\nq2,"a ""quoted"" hat"\n'),
    ],
)
def test_files_in_every_usual_shape_hold_the_same_queries(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, "utf-8")
    assert read_queries(path) == WANTED


@pytest.mark.parametrize("key", ["query", "question", "user_input", "input", "request"])
@pytest.mark.parametrize("ending", ["json", "jsonl", "csv", "semicolons", "tsv", "examples", ""])
def test_a_question_without_an_id_is_its_own_as_in_judgements(key, ending, tmp_path):
    """A line of such a table as a query would ask for the answer, too."""
    rows = [{key: text, "expected_source": "a.pdf"} for text in ("Is it, really?", "Who is it?")]
    path = tmp_path / f"set.{ending}"
    if ending in ("json", "examples"):
        path.write_text(json.dumps(rows if ending == "json" else {"examples": rows}))
    elif ending == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        between = {"semicolons": ";", "tsv": "\t"}.get(ending, ",")
        cells = [rows[0].keys(), *([f'"{q}"' if between != "\t" else q, doc] for q, doc in map(dict.values, rows))]
        path.write_text("".join(between.join(row) + "\n" for row in cells))
    queries = path if ending else rows
    assert read_queries(queries) == {text: text for text in ("Is it, really?", "Who is it?")}
    found = tr.experiment({"mine": lambda query, k: ["x", "a.pdf"]}, queries, rows, "RR")
    assert found.mean == {"mine": {"RR": 0.5}}


def test_an_id_may_be_called_as_a_question_is(tmp_path):
    (tmp_path / "a.json").write_text('{"question": "red shoes", "b": "hat"}')
    assert read_queries(tmp_path / "a.json") == {"question": "red shoes", "b": "hat"}


@pytest.mark.parametrize("mark", "\u2028\u0085\x0b\x0c\x1e")
def test_nothing_but_a_line_end_ends_a_query(mark, tmp_path):
    (tmp_path / "queries.txt").write_text(f"red{mark}shoes\r\nblue hats\n", "utf-8", newline="")
    assert read_queries(tmp_path / "queries.txt") == {"1": f"red{mark}shoes", "2": "blue hats"}
    (tmp_path / "queries.tsv").write_text(f"7\tred{mark}shoes\r\n8\tblue hats\r\n", "utf-8", newline="")
    assert read_queries(tmp_path / "queries.tsv") == {"7": f"red{mark}shoes", "8": "blue hats"}


def test_a_text_a_line_is_numbered(tmp_path):
    path = tmp_path / "queries.txt"
    path.write_text("red shoes, size 9\n\nblue hats\n", "utf-8")
    assert read_queries(str(path)) == {"1": "red shoes, size 9", "2": "blue hats"}


@pytest.mark.parametrize(
    ("queries", "says"),
    [
        ({}, "no queries"),
        ([], "no queries"),
        ({"a": ""}, "query a .* has no text"),
        ({"a": None}, "has no text"),
        ({1: "x", "1": "y"}, "comes twice"),
        ({"\ud800": "x"}, r"the id of query number 1 is '\\ud800', which is no text"),
        ({"a": [0.5, 1.0], "\udfff": [1.0, 0.5]}, "the id of query number 2 is .*, which is no text"),
        ({None: [0.5, 1.0]}, "query number 1 has no id"),
        ([{"id": 1, "text": "x"}, 7], "number 2 is 7"),
        ([{"id": 1, "txet": "x"}], "Did you mean text"),
        (7, "not int"),
    ],
)
def test_what_is_no_query_is_told(queries, says):
    with pytest.raises(tr.InputError, match=says):
        read_queries(queries)


def test_a_column_of_texts_is_refused_as_it_does_not_say_what_its_queries_are_called():
    for column in (pd.Series(["tea"]), pd.Index(["tea"]), pl.Series(["tea"]), np.array(["tea"])):
        with pytest.raises(tr.InputError, match=f"a list of texts, .* or a file; not {type(column).__name__}"):
            read_queries(column)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"", "the file is empty"),
        (b"PAR1\0\0", "binary"),
        (b"q1\tred\nq2 hat\n", ":2: .* no tab"),
        (b"q1\tred\n\nq2 hat\n", ":3: .* no tab"),
        (b"id\ttext\nq1\n", ":2: there are 2 columns"),
        (b"\nid\ttext\nq1\n", ":3: there are 2 columns"),
        (b'{"_id": "q1", "text": "x"}\n{"_id": \n', ":2: this is no JSON"),
        (b"q\t\xff\xfe\n", "not UTF-8"),
    ],
)
def test_damaged_files_are_told_with_the_line(tmp_path, text, says):
    path = tmp_path / "queries"
    path.write_bytes(text)
    with pytest.raises(tr.InputError, match=says):
        read_queries(path)
