"""Which format a file is in: the content decides, the name only breaks ties."""

from __future__ import annotations

import gzip
import pickle
import sqlite3
import tarfile
import zipfile
from contextlib import closing

import pytest

import truerank as tr
from truerank.formats import formats, names
from truerank.formats.registry import sniffed
from truerank.formats.source import as_source
from truerank.present.ledger import remarks

SIX, FOUR = "q Q0 d 1 2.5 t\n", "q 0 d 1\n"


@pytest.mark.parametrize(
    ("text", "what", "found"),
    [
        (SIX, "run", "trec"),
        (FOUR, "qrels", "trec"),
        ("# c\n\n" + SIX.replace(" ", "\t"), "run", "trec"),
        ("query_id,doc_id,score\nq,d,1\n", "run", "csv"),
        ("qid;docid;score\nq;d;1\n", "run", "csv"),
        ("qid\tdocno\tsim\nq\td\t1\n", "run", "tsv"),
        ("query-id\tcorpus-id\tscore\nq\td\t1\n", "qrels", "beir"),
        ("q\td\t1\nq\te\t2\n", "run", "msmarco"),
        ("q\td\t1\t25.5\nq\te\t2\t24.0\n", "run", "msmarco"),
        ("q\t0\t1\t1\nq\t0\t2\t0\n", "qrels", "trec"),
        ("q\t0\t1\t0.5\nq\t0\t2\t1.0\nr\t0\t1\t0.25\n", "qrels", "trec"),
        ("q\td\t1\t1.0\nr\te\t1\t0.0\n", "qrels", "trec"),
        ("q 0 d 2 1\nq 0 e 1 -1\n", "qrels", "strata"),
        ('{"q": {"d": 1.5}}', "run", "json"),
        ('\n {\n "q": ["d"]}', "run", "json"),
        ("{}", "run", "json"),
        ('{"query_id": ["q", "q"], "doc_id": ["doc", "item"], "score": [2, 1]}', "run", "json"),
        ('[{"qid": 1, "docs": []}]', "run", "json"),
        ('{"qid": 1, "docs": []}\n{"qid": 2, "docs": []}', "run", "jsonl"),
        ('{"docs": [], "qid": 1}', "run", "jsonl"),
        ('{"eval_id": 1, "relevant": []}', "qrels", "jsonl"),
        ("{q Q0 d 1 2.5 t\n", "run", "trec"),
        ("[q] Q0 d 1 2.5 t\n", "run", "trec"),
        ("{} Q0 d 1 2.5 t\n", "run", "trec"),
        ("[] 0 d 1\n", "qrels", "trec"),
        ("[ ]\n", "run", "json"),
    ],
)
@pytest.mark.parametrize("name", ["a.run", "a.csv", "a.tsv", "a.json", "a.jsonl", "a.parquet", "a"])
def test_the_content_decides(text, what, found, name, tmp_path):
    (tmp_path / name).write_text(text)
    assert sniffed(as_source(tmp_path / name), what).name == found


def test_a_long_first_line_is_enough(tmp_path):
    (tmp_path / "a").write_text('{"q": {' + ", ".join(f'"d{i}": {i}.5' for i in range(20_000)) + "}}")
    assert sniffed(as_source(tmp_path / "a"), "run").name == "json"
    (tmp_path / "a").write_text('{"query_id": 1, "docs": [' + ", ".join(f'"d{i}"' for i in range(20_000)) + "]}")
    assert sniffed(as_source(tmp_path / "a"), "run").name == "jsonl"


RUNS = {
    "trec": SIX,
    "csv": "query_id,doc_id,score\nq,d,1.5\n",
    "ranked csv": "query_id,doc_id,rank\nq,d,1\n",
    "jsonl": '{"query_id": 1, "topk": ["d"]}\n',
    "jsonl rows": '{"query_id": 1, "doc_id": 2, "score": 1.5}\n',
    "json": '{"q": {' + ", ".join(f'"d{i}": {99.5 - i}' for i in range(30)) + "}}",
    "json list": '[{"query_id": 1, "topk": ["d"]}]',
    "msmarco": "q\td\t1\n",
}
QRELS = {
    "trec": FOUR,
    "csv": "query_id,doc_id,relevance\nq,d,1\n",
    "beir": "query-id\tcorpus-id\tscore\nq\td\t1\n",
    "jsonl": '{"query_id": 1, "relevant": ["d"]}\n',
    "jsonl rows": '{"query_id": 1, "doc_id": 2, "grade": 1}\n',
    "json list": '[{"query_id": 1, "relevant": ["d"]}]',
}


@pytest.mark.parametrize("kind", RUNS)
def test_a_run_given_as_qrels_is_recognised(kind, tmp_path):
    (tmp_path / "a").write_text(RUNS[kind])
    with pytest.raises(tr.InputError, match=r"a: this holds a run, not qrels: are the two files swapped\?"):
        tr.read_qrels(tmp_path / "a")


@pytest.mark.parametrize("kind", QRELS)
def test_qrels_given_as_a_run_are_recognised(kind, tmp_path):
    (tmp_path / "a").write_text(QRELS[kind])
    with pytest.raises(tr.InputError, match=r"a: this holds qrels, not a run: are the two files swapped\?"):
        tr.open_run(tmp_path / "a")


def test_grades_that_are_fractions_are_no_run(tmp_path):
    (tmp_path / "a.json").write_text('{"q": {"a": 0.7, "b": 0.5, "c": 0.65, "d": 0.5}}')
    assert tr.read_qrels(tmp_path / "a.json").to_dict()["q"]["c"] == 0.65


def test_a_forced_format_is_not_second_guessed(tmp_path):
    (tmp_path / "a").write_text(RUNS["json"])
    assert len(tr.read_qrels(tmp_path / "a", format="json").grades) == 30
    with pytest.raises(tr.InputError, match=r"there is no format 'jason'\. Did you mean json\?"):
        tr.read_qrels(tmp_path / "a", format="jason")
    with pytest.raises(tr.InputError, match="the format msmarco cannot hold qrels"):
        tr.read_qrels(tmp_path / "a", format="msmarco")


def test_text_that_is_nothing_known_is_taken_for_columns_and_says_what_is_wrong(tmp_path):
    (tmp_path / "a").write_text("Dear all,\nplease find attached\n")
    with pytest.raises(tr.InputError, match=r"a:1: a run line has 6 columns .*; this one has 2"):
        tr.evaluate({"q": ["d"]}, tmp_path / "a", "RR")


def test_every_format_says_what_it_is_and_what_it_can_do():
    for name, format in formats().items():
        assert name == format.name
        assert len(format.meaning) > 20
        assert format.read_run or format.read_qrels
        assert format.read_run or not format.write_run
        assert format.read_qrels or not format.write_qrels


@pytest.mark.parametrize("name", ["query_id", "query-id", "queryId", "QUERY ID", "Query.Id"])
def test_names_are_known_in_any_spelling(name):
    assert names.find(["x", name], names.QUERY) == 1


def test_the_surest_name_wins():
    columns = ["query", "docid", "qid", "docno", "rank", "score", "label"]
    assert names.layout(columns, "run", None) == names.Layout(2, 3, 5)
    assert names.layout(columns, "qrels", None) == names.Layout(2, 3, 6)


def test_a_comment_line_with_commas_is_no_header(tmp_path):
    path = tmp_path / "qrels"
    path.write_text("# query, iteration, document, score\nq 0 d 1\n")
    assert tr.read_qrels(path).queries == (b"q",)


@pytest.mark.parametrize("name", ["a.tsv", "a.run"])
def test_three_columns_that_end_in_a_number_are_answered_with_the_format_of_ms_marco(name, tmp_path):
    (tmp_path / name).write_text("q\tx\t2\nq\ta\t1\n")
    with pytest.raises(tr.InputError, match=r"msmarco reads query, document and rank.*--run-format msmarco"):
        tr.evaluate({"q": ["a"]}, tmp_path / name, "RR")
    assert tr.evaluate({"q": ["a"]}, tr.open_run(tmp_path / name, "msmarco"), "RR").mean == {"RR": 1.0}


@pytest.mark.parametrize(("read", "columns"), [(tr.read_qrels, 4), (lambda path: tr.open_run(path).to_dict(), 6)])
def test_a_run_without_its_last_column_is_neither_a_run_nor_judgements_of_strata(read, columns, tmp_path):
    (tmp_path / "short.run").write_text("q Q0 d 1 5\nq Q0 e 2 4\n")
    with pytest.raises(tr.InputError, match=rf"line has {columns} columns"):
        read(tmp_path / "short.run")


def test_the_fourth_column_of_colbert_is_the_score(tmp_path):
    path = tmp_path / "msmarco.nbits=2.ranking.tsv"
    path.write_text("q\ta\t1\t25.5\nq\tb\t2\t25.5\nq\tc\t3\t24.25\nr\ta\t1\t3.0\n")
    assert tr.open_run(path).to_dict() == {"q": {"a": 25.5, "b": 25.5, "c": 24.25}, "r": {"a": 3.0}}
    assert tr.evaluate({"q": ["b"], "r": ["b"]}, path, "GAP RR").mean == {"GAP": 0.5, "RR": 0.5}
    with pytest.raises(tr.InputError, match="this holds a run, not qrels"):
        tr.read_qrels(path)


@pytest.mark.parametrize("score", ["80.5", "-3"])
def test_scores_are_no_ranks_of_ms_marco_s(score, tmp_path):
    path = tmp_path / "a.run"
    path.write_text(rows := f"q\ta\t81\nq\tx\t{score}\n")
    with pytest.raises(tr.InputError, match=rf"a\.run:2: the third column is a rank, .* not {score}"):
        tr.evaluate({"q": ["a"]}, tr.open_run(path, "msmarco"), "RR")
    path.write_text("query_id\tdoc_id\tscore\n" + rows)
    assert tr.evaluate({"q": ["a"]}, path, "RR").mean == {"RR": 1.0}


def test_whole_scores_that_are_read_as_ranks_are_asked_after(tmp_path):
    path = tmp_path / "a.run"
    path.write_text("".join(f"{q}\td{i}\t{90 - i}\n" for q in "abc" for i in range(9)))
    scores = tr.evaluate({q: ["d0"] for q in "abc"}, tr.open_run(path, "msmarco"), "RR")
    assert "if the ranks are scores, name their column score" in remarks(scores)[0]


@pytest.mark.parametrize("splits", [["dev.tsv", "test.tsv"], ["train.tsv"]])
def test_of_the_folder_of_a_data_set_the_file_of_judgements_is_named(splits, tmp_path):
    (tmp_path / "qrels").mkdir()
    for split in splits:
        (tmp_path / "qrels" / split).write_text("query-id\tcorpus-id\tscore\nq\td\t1\n")
    with pytest.raises(tr.InputError, match=rf"name the file of its judgements, such as .*qrels.{splits[-1]}"):
        tr.read_qrels(tmp_path)


def _tar(folder):
    with tarfile.open(folder / "a.tar.gz", "w:gz") as archive:
        archive.addfile(tarfile.TarInfo("a.run"))
    return gzip.decompress((folder / "a.tar.gz").read_bytes())


def _sqlite(folder):
    with closing(sqlite3.connect(folder / "a.db")) as database:
        database.execute("CREATE TABLE run (query_id, doc_id, score)")
    return (folder / "a.db").read_bytes()


def _orc(folder):
    pyarrow = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.orc").write_table(pyarrow.table({"query_id": ["q"]}), folder / "a.orc")
    return (folder / "a.orc").read_bytes()


def _duckdb(folder):
    pytest.importorskip("duckdb").connect(folder / "a.duckdb").close()
    return (folder / "a.duckdb").read_bytes()


def _workbook(folder):
    with zipfile.ZipFile(folder / "a.xlsx", "w") as book:
        book.writestr("[Content_Types].xml", "<Types/>")
    return (folder / "a.xlsx").read_bytes()


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (_tar, r"a \.tar archive, .* unpack it \(tar -xf\)"),
        (_sqlite, r"a database of SQLite; write rows of it to a file: sqlite3 -header -csv FILE"),
        (_duckdb, r"a database of DuckDB; write rows of it to a file: duckdb -csv FILE"),
        (lambda folder: bytes(8) + b"DUCK\xe7\x03" + bytes(38) + b"v2.0.1", "a database of DuckDB"),
        (_orc, r"a table in ORC, .* what pyarrow\.orc\.read_table returns"),
        (_workbook, "an Excel workbook; save its sheet as CSV"),
        (
            lambda folder: b"7z\xbc\xaf\x27\x1c\0\4" + bytes(24),
            "packed by 7-Zip; unpack it: gzip, bzip2, xz and zstd",
        ),
        (lambda folder: pickle.dumps({"q": {"d": 1.0}}) + bytes(1), "Python's pickle, which is not read"),
    ],
)
def test_of_a_file_that_is_not_read_it_is_said_what_it_is(made, says, tmp_path):
    (tmp_path / "a.run").write_bytes(made(tmp_path))
    with pytest.raises(tr.InputError, match=rf"a\.run: this is {says}"):
        tr.evaluate({"q": ["d"]}, tmp_path / "a.run", "RR")


def test_a_rank_longer_than_python_s_numbers_is_none_of_msmarco(tmp_path):
    (tmp_path / "a.tsv").write_text("q\td\t" + "9" * 5000 + "\n")
    with pytest.raises(tr.InputError, match=r"a\.tsv:1: no column holds the document ids"):
        tr.evaluate({"q": ["d"]}, tmp_path / "a.tsv", "RR")
