"""TREC's columns: what lines may look like, and what comes out."""

from __future__ import annotations

import itertools
import re

import pytest

import truerank as tr
from truerank.formats import convert, trec

PLAIN = b"q1 Q0 a 1 2.5 t\nq1 Q0 b 2 1.5 t\nq2 Q0 c 1 1 t\n"


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        PLAIN.replace(b" ", b"\t"),
        PLAIN.replace(b" ", b" \t "),
        PLAIN.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + PLAIN,
        b"# made by hand\n" + PLAIN + b"# the end",
        b"\n\n" + PLAIN + b"  \n",
        PLAIN.rstrip(b"\n"),
        b"\n".join(b"  " + line for line in PLAIN.split(b"\n")),
    ],
    ids=["plain", "tabs", "many blanks", "CRLF", "mark", "comments", "empty lines", "no end", "indented"],
)
def test_runs_may_have_blanks_comments_marks_and_line_ends_of_any_kind(text, tmp_path):
    path = tmp_path / "a.run"
    path.write_bytes(text)
    scores = tr.evaluate({"q1": {"b": 1}, "q2": {"c": 1}}, path, "RR")
    assert scores["RR"].tolist() == [0.5, 1.0]
    convert(path, tmp_path / "b.csv")
    assert (tmp_path / "b.csv").read_text() == "query_id,doc_id,score\nq1,a,2.5\nq1,b,1.5\nq2,c,1.0\n"


@pytest.mark.parametrize(
    "text", ["q 0 a 1\nq 0 b -1\n", "q\t0\ta\t1\r\nq\t0\tb\t-1\r\n", "# c\nq  0  a  1\nq 0 b -1"]
)
def test_qrels_may_have_them_too(text, tmp_path):
    (tmp_path / "qrels").write_text(text, newline="")
    assert tr.read_qrels(tmp_path / "qrels").to_dict() == {"q": {"a": 1.0, "b": -1.0}}


def test_a_run_goes_through_trec_unchanged(round_trip):
    round_trip("run")


def test_qrels_go_through_trec_sorted_by_query(qrels_round_trip):
    qrels_round_trip("qrels")


def test_the_tag_of_a_run_is_kept_and_a_run_without_one_is_tagged_with_its_name(tmp_path):
    (tmp_path / "a.run").write_bytes(PLAIN)
    convert(tmp_path / "a.run", tmp_path / "b.run")
    assert (tmp_path / "b.run").read_text().splitlines()[0] == "q1 Q0 a 1 2.5 t"
    (tmp_path / "bm25.json").write_text('{"q": {"a": 1.5}}')
    (tmp_path / "bm25.jsonl").write_text('{"query_id": "q", "doc_id": "a", "score": 1.5}\n')  # six words
    for source in ("bm25.json", "bm25.jsonl"):
        convert(tmp_path / source, tmp_path / "c.run")
        assert (tmp_path / "c.run").read_text() == "q Q0 a 1 1.5 bm25\n"


def test_ids_that_are_no_utf8_are_kept_as_they_are(tmp_path):
    (tmp_path / "a.run").write_bytes(b"q\xff Q0 d\xfe\x80 1 2.0 t\n")
    (tmp_path / "a.qrels").write_bytes(b"q\xff 0 d\xfe\x80 1\n")
    assert tr.evaluate(tmp_path / "a.qrels", tmp_path / "a.run", "RR").mean == {"RR": 1.0}
    for ending in ("csv", "tsv", "run"):
        convert(tmp_path / "a.run", tmp_path / f"b.{ending}")
        convert(tmp_path / f"b.{ending}", tmp_path / "c.run")
        assert (tmp_path / "c.run").read_bytes().split()[:3] == [b"q\xff", b"Q0", b"d\xfe\x80"]


def test_fractional_and_negative_grades_are_written_in_the_shortest_way(tmp_path):
    (tmp_path / "a.json").write_text('{"q": {"a": 2, "b": 0.1, "c": -1, "d": 1e300}}')
    convert(tmp_path / "a.json", tmp_path / "a.qrels")
    assert (tmp_path / "a.qrels").read_text() == "q 0 a 2\nq 0 b 0.1\nq 0 c -1\nq 0 d 1e+300\n"


@pytest.mark.parametrize("name", ["a b", "#a", "a\tb", "a\nb"])
def test_ids_that_columns_cannot_hold_are_refused(name, tmp_path):
    with pytest.raises(tr.InputError, match="cannot hold the id"):
        convert({name: {"d": 1.0}}, tmp_path / "a.run", what="run")
    assert list(tmp_path.iterdir()) == []


def test_a_document_may_begin_with_the_comment_sign(tmp_path):
    convert({"q": {"#d": 1.0}}, tmp_path / "a.run", what="run")
    assert tr.evaluate({"q": ["#d"]}, tmp_path / "a.run", "RR").mean == {"RR": 1.0}


@pytest.mark.parametrize("text", ["# a\n", "#\n#\n", "# query,document,score\n", "#" * 100_000 + "\n", "\n# {\n\n"])
def test_a_run_of_comments_only_answers_nothing(tmp_path, text):
    (tmp_path / "a.run").write_text(text)
    scores = tr.evaluate({"q": {"a": 1}}, tmp_path / "a.run", "RR")
    assert (scores.mean, scores.ledger.missing) == ({"RR": 0.0}, 1)


def test_a_run_that_begins_with_a_mark_is_not_written(tmp_path):
    for query, docs, unfit in (
        ("\ufeffq", ["d"], "\ufeffq"),
        ("#q", ["d"], "#q"),
        ("q", ["#d", "a b"], "a b"),
        ("q", ["d", "a\x1bb"], "a\x1bb"),
    ):
        with pytest.raises(tr.InputError, match=re.escape(f"TREC's columns cannot hold the id {unfit!a}: ")):
            tr.formats.convert({query: dict.fromkeys(docs, 1.0)}, tmp_path / "a.run", what="run")


@pytest.fixture
def long(tmp_path):
    """A run of several chunks."""
    path = tmp_path / "long.run"
    path.write_text("".join(f"q{n // 100} Q0 d{n % 100} 1 {100 - n % 100} tag\n" for n in range(100_000)))
    return path


def emptied(path):
    path.write_bytes(b"")


def cut_at_a_line(path):
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-100]))


def longer(path):
    with path.open("a") as file:
        file.write("q1000 Q0 d1 1 1 tag\n")


@pytest.mark.parametrize("change", [emptied, cut_at_a_line, longer])
def test_a_file_that_changes_while_it_is_read_is_refused(change, long):
    batches = tr.open_run(long).batches()
    next(batches)
    change(long)
    with pytest.raises(tr.InputError, match=r"the file changed while it was read \([\d,]+ bytes, then [\d,]+\)"):
        list(batches)


@pytest.mark.parametrize("change", [emptied, cut_at_a_line, longer])
def test_a_file_that_changes_while_threads_read_it_is_refused(change, long, monkeypatch):
    monkeypatch.setattr(trec, "PIECE", 1)
    run = tr.open_run(long)
    assert sum(len(chunk) for piece in run.pieces(3) for chunk in piece()) == long.stat().st_size
    pieces = run.pieces(3)
    change(long)
    for piece in pieces:
        with pytest.raises(tr.InputError, match="the file changed while it was read"):
            list(piece())


@pytest.mark.parametrize("between", [b"", b"\n \t\n", b"# a comment\n"], ids=["", "blank", "comments"])
@pytest.mark.parametrize("threads", [2, 3, 7])
def test_threads_read_pieces_that_begin_where_queries_begin(threads, between, tmp_path, monkeypatch):
    monkeypatch.setattr(trec, "PIECE", 1)
    lines = [b"q%d Q0 d%d 1 %d t\n" % (n // 9, n % 9, -n) for n in range(900)]
    (tmp_path / "a.run").write_bytes(between.join(lines))
    pieces = [b"".join(piece()) for piece in tr.open_run(tmp_path / "a.run").pieces(threads)]
    assert (len(pieces), b"".join(pieces)) == (threads, between.join(lines))
    queries = [[line.split()[0] for line in piece.split(b"\n") if b"Q0" in line] for piece in pieces]
    assert all(before[-1] != after[0] for before, after in itertools.pairwise(queries))
    assert min(map(len, queries)) > 900 // threads - 20


def test_lines_far_down_a_file_of_judgements_are_named_as_they_are(tmp_path):
    for size in (200, 40_000):
        (tmp_path / "a").write_text("".join(f"q 0 d{n} 1\n" for n in range(size)) + f"q 0 d{size - 9} 2\n")
        with pytest.raises(tr.InputError, match=rf"a:{size + 1}: .* twice \(first in line {size - 8}\)"):
            tr.read_qrels(tmp_path / "a")


def test_a_file_that_vanishes_while_threads_read_it_is_named(long, monkeypatch):
    monkeypatch.setattr(trec, "PIECE", 1)
    pieces = tr.open_run(long).pieces(2)
    long.unlink()
    with pytest.raises(tr.InputError, match=r"long\.run: there is no such file"):
        list(pieces[1]())


def test_ratings_with_their_times_are_no_qrels(tmp_path):
    path = tmp_path / "u.data"
    path.write_text("1\t35\t4\t889669424\n2\t146\t3\t882400696\n")
    with pytest.raises(tr.InputError, match="no grades, but times such as 889669424: where the columns are user"):
        tr.read_qrels(path)
    path.write_text("user_id\titem_id\trating\ttimestamp\n" + path.read_text())
    assert tr.read_qrels(path).to_dict() == {"1": {"35": 4}, "2": {"146": 3}}
    path.write_text("q 0 a 889669424\nq 0 b 1\n")
    assert tr.read_qrels(path).to_dict() == {"q": {"a": 889669424, "b": 1}}
