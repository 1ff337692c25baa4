"""The texts behind ids: found in whatever holds them, in one pass, and harmless whatever they are."""

from __future__ import annotations

import bz2
import gzip
import json
import tracemalloc
from pathlib import Path

import pyarrow
import pyarrow.feather
import pyarrow.parquet
import pytest

import truerank as tr
from truerank.formats.texts import DOCS, QUERIES, SNIPPET, locate, snippet, snippets
from truerank.live.queries import read_queries

RECORDS = [{"_id": f"d{n}", "title": f"Title {n}", "text": f"text {n}\tof  it", "metadata": {}} for n in range(5)]
WANTED = ["d3", "d1", "nowhere"]
FOUND = {"d3": "Title 3 — text 3 of it", "d1": "Title 1 — text 1 of it"}


def written(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


LINES = "".join(json.dumps(one) + "\n" for one in RECORDS)
TABLE = [
    ("docid", "title", "body"),
    *((one["_id"], one["title"], one["text"].replace("\t", " ")) for one in RECORDS),
]
FILES = {
    "lines.jsonl": LINES.encode(),
    "lines.jsonl.gz": gzip.compress(LINES.encode()),
    "lines.bz2": bz2.compress(LINES.encode()),
    "marked.jsonl": b"\xef\xbb\xbf" + LINES.encode(),
    "array.json": json.dumps(RECORDS, indent=1).encode(),
    "wrapped.json": json.dumps({"documents": RECORDS}).encode(),
    "dict.json": json.dumps({one["_id"]: {"title": one["title"], "text": one["text"]} for one in RECORDS}).encode(),
    "table.tsv": "".join("\t".join(row) + "\r\n" for row in TABLE).encode(),
    "table.csv": "".join(",".join(f'"{cell}"' for cell in row) + "\n" for row in TABLE).encode(),
    "bare.tsv": "".join(f"{d}\t{title} — {text}\n" for d, title, text in TABLE[1:]).encode(),
    "bare.csv": "".join(f"{d},{title} — {text}\n" for d, title, text in TABLE[1:]).encode(),
}


@pytest.mark.parametrize("name", FILES)
def test_texts_are_found_in_every_form(name, tmp_path):
    assert snippets(written(tmp_path, name, FILES[name]), WANTED, DOCS) == FOUND


def test_text_in_parquet_that_is_no_utf_8_is_refused(tmp_path):
    table = pyarrow.table({"_id": ["d1"], "text": ["found"]})
    pyarrow.parquet.write_table(table, tmp_path / "docs", compression="none", use_dictionary=False)
    (tmp_path / "docs").write_bytes((tmp_path / "docs").read_bytes().replace(b"found", b"\xffound"))
    with pytest.raises(tr.InputError, match="damaged or cut short"):
        snippets(tmp_path / "docs", WANTED, DOCS)


@pytest.mark.parametrize("write", [pyarrow.parquet.write_table, pyarrow.feather.write_feather])
def test_texts_are_found_in_parquet_and_arrow(write, tmp_path):
    columns = {key: [one[key] for one in RECORDS] for key in ("_id", "title", "text")}
    write(pyarrow.table({"n": range(5), **columns}), tmp_path / "docs")
    assert snippets(tmp_path / "docs", WANTED, DOCS) == FOUND
    write(pyarrow.table({"n": range(5)}), tmp_path / "none")
    with pytest.raises(tr.InputError, match="none of n is the id of a document; name it docno"):
        snippets(tmp_path / "none", WANTED, DOCS)


@pytest.mark.parametrize(
    "record", [{"qid": 7, "query": "red"}, {"query_id": "7", "text": "red"}, {"_id": "7", "title": "red"}]
)
def test_queries_are_found_by_what_they_are_called(record, tmp_path):
    assert snippets(written(tmp_path, "q.jsonl", json.dumps(record) + "\n"), ["7"], QUERIES) == {"7": "red"}


def test_a_passage_is_found_by_its_own_id_rather_than_its_document_s(tmp_path):
    line = json.dumps({"docid": "D1", "pid": "P1", "passage": "red"})
    assert snippets(written(tmp_path, "p.jsonl", line), ["P1", "D1"], DOCS) == {"P1": "red"}


def test_a_dict_may_have_texts_records_parts_and_whole_numbers_for_ids():
    docs = {1: "one", "2": {"title": "Two", "contents": "text"}, "3": ["a", "b"], "4": None, "5": ""}
    found = locate(None, docs, [], list("123456"))
    assert found.docs == {"1": "one", "2": "Two — text", "3": "a b"}
    assert found.notes == ("Texts: 3 of 6 documents have none.",)


def test_the_first_text_of_an_id_counts_and_reading_ends_when_all_are_found(tmp_path):
    lines = '{"id": "a", "text": "first"}\n{"id": "a", "text": "second"}\n' + '{"id": "b", "text": "x"}\n' * 200_000
    path = written(tmp_path, "docs.jsonl", lines + "no JSON\n")
    assert snippets(path, ["a", "b"], DOCS) == {"a": "first", "b": "x"}
    with pytest.raises(tr.InputError, match=r"docs.jsonl:200003: this is no JSON"):
        snippets(path, ["c"], DOCS)


@pytest.mark.parametrize("ending", ["jsonl", "tsv", "csv"])
def test_memory_does_not_grow_with_the_collection(ending, tmp_path):
    """Twenty times the documents, the same peak."""

    def peak(documents: int) -> int:
        path = tmp_path / f"docs.{ending}"
        text, row = (
            "word " * 200,
            {"jsonl": '{{"id": "d{}", "text": "{}"}}\n', "tsv": "d{}\t{}\n", "csv": "d{},{}\n"},
        )
        with path.open("w") as file:
            file.writelines(row[ending].format(n, text) for n in range(documents))
        tracemalloc.start()
        assert len(snippets(path, [f"d{documents - 1}", "d0", "none"], DOCS)) == 2
        top = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return top

    small = peak(4_000)
    assert peak(40_000) < 1.5 * small + 1_000_000


HOSTILE = {
    "huge": "x" * 5_000_000,
    "blank": " " * 100_000 + "end",
    "control": "\x1b[31mred\x07\x00\x7f",
    "leftward": "\u202eevil\u2066",
    "newlines": "a\r\nb\u2028c",
    "half": "\ud800",
    "markup": "</script><img onerror=alert(1) src=x>",
    "latex": r"\input{/etc/passwd} $x$ %",
    "markdown": "| a | [x](y) `z` <b>",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_snippet_is_one_printable_line_of_bounded_length(text):
    found = snippet(text)
    assert found.isprintable()
    assert len(found) <= SNIPPET
    found.encode()


def test_a_cell_may_be_as_long_as_a_line(tmp_path):
    path = written(tmp_path, "docs.csv", f'id,text\nd1,"{"long " * 100_000}\nand, more"\nd2,short\n')
    found = snippets(path, ["d1", "d2"], DOCS)
    assert found["d1"].startswith("long long")
    assert found["d2"] == "short"


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.jsonl", "", "the file is empty"),
        ("a.jsonl", '{"id": "a", "text": "x"}\n[1]\n', "a.jsonl:2: a JSON object should stand here"),
        ("a.json", '[{"text": "x"}]', "none of text is the id of a document"),
        ("a.json", '[{"docid": "x", "txet": "y"}]', "is the text of a document; name it text. Did you mean text"),
        ("a.json", "[1]", "a JSON object should stand here"),
        ("a.txt", "only words\n", "a text is found by its id"),
        ("a.tsv", "docid\ttitle\ttext\nd1\tTitle\n", "a.tsv:2: this line has fewer columns than the header"),
        ("a.tsv", "docid\ttext\nd0\ta\0b\n", "a.tsv:2: this line holds a NUL byte"),
    ],
)
def test_what_has_no_texts_is_told_with_its_place(name, text, says, tmp_path):
    with pytest.raises(tr.InputError) as error:
        snippets(written(tmp_path, name, text), ["d1"], DOCS)
    assert says in str(error.value)


def test_something_else_has_no_texts():
    with pytest.raises(tr.InputError, match=r"texts of queries are a file or \{id: text\}, not int"):
        locate(5, None, ["q"], [])


OPEN_TAGS = """<top>
<num> Number: 051
<title> Topic:  Airbus
 Subsidies

<desc> Description:
Who pays?
</top>

<top>
<num> Number: 301
<title> Crime < 5 &amp; Order
<narr> Narrative: <title> is no part of it
</top>
"""

XML = """<?xml version="1.0"?>
<topics task="web">
  <topic number="051" type="faceted"><query><![CDATA[Airbus <b> Subsidies]]></query><desc>?</desc></topic>
  <topic number="301"><title lang="en"></title><question>Crime &amp; Order</question></topic>
</topics>
"""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (OPEN_TAGS, {"51": "Airbus Subsidies", "301": "Crime < 5 & Order"}),
        (OPEN_TAGS.upper().replace("&AMP;", "&amp;"), {"51": "AIRBUS SUBSIDIES", "301": "CRIME < 5 & ORDER"}),
        (XML, {"051": "Airbus <b> Subsidies", "301": "Crime & Order"}),
        (OPEN_TAGS.replace("\n", "\r\n"), {"51": "Airbus Subsidies", "301": "Crime < 5 & Order"}),
    ],
)
def test_topics_of_trec_are_queries_with_their_titles(text, found, tmp_path):
    path = tmp_path / "topics.txt"
    path.write_bytes(text.encode())
    assert snippets(path, list(found), QUERIES) == found
    assert read_queries(path) == found


def test_a_topic_without_a_number_or_a_title_is_refused(tmp_path):
    path = tmp_path / "topics.txt"
    path.write_text("<top>\n<num> 1\n<title> a\n</top>\n<top>\n<title> b\n</top>\n")
    with pytest.raises(tr.InputError, match=r"topics.txt: topic 2 has no number"):
        read_queries(path)
    path.write_text("<top>\n<num> 1\n<narr> a\n</top>\n")
    with pytest.raises(tr.InputError, match=r"topics.txt: query 1 \(number 1\) has no text"):
        read_queries(path)
