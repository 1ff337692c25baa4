"""Bad input: each a clear error of one line that says what and where, or a documented acceptance."""

from __future__ import annotations

import gzip
import os
import random
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import truerank as tr
from truerank.formats import convert, formats

QRELS = {"q": {"a": 1}}
GOOD = b"q Q0 a 1 2.5 t\n"
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x00\x00\x00\x01\x00\x08\x06\x00\x00\x00"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "input"


def run_error(path: object) -> str:
    """What is said about a run, after the path."""
    with pytest.raises(tr.InputError) as caught:
        tr.evaluate(QRELS, path, "RR")
    return said(caught.value, path)


def qrels_error(path: object) -> str:
    """What is said about judgements, after the path."""
    with pytest.raises(tr.InputError) as caught:
        tr.read_qrels(path)
    return said(caught.value, path)


def said(error: tr.InputError, path: object) -> str:
    message = str(error)
    assert "\n" not in message
    assert message.isprintable()
    assert len(message) < len(str(path)) + 300
    assert message.startswith(str(path))
    return message.removeprefix(str(path)).removeprefix(":").lstrip()


def test_a_missing_file(file):
    assert run_error(file) == qrels_error(file) == "there is no such file"


def test_a_missing_file_at_a_url():
    pytest.importorskip("fsspec")
    assert run_error("memory://nowhere/a.run") == qrels_error("memory://nowhere/a.run") == "there is no such file"
    assert run_error("nothing://a").startswith("cannot be opened: Protocol not known")


def test_a_directory(tmp_path):
    assert run_error(tmp_path) == qrels_error(tmp_path) == "this is a directory, not a file"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_one_may_not_read(file):
    file.write_bytes(GOOD)
    file.chmod(0)
    assert run_error(file) == "cannot be opened: Permission denied"


def test_a_name_that_no_file_can_have():
    assert run_error("x" * 300) == "cannot be opened: File name too long"
    with pytest.raises(tr.InputError, match="cannot be opened: embedded null byte"):
        tr.evaluate(QRELS, "a\0b", "RR")


@pytest.mark.parametrize("text", [b"", b"\n", b" \t\r\n\n", b"\xef\xbb\xbf", gzip.compress(b"", mtime=0)])
def test_an_empty_file(text, file):
    file.write_bytes(text)
    assert run_error(file) == qrels_error(file) == "the file is empty"


def test_an_empty_file_in_a_forced_format(file):
    file.write_bytes(b"")
    for name in formats():
        with pytest.raises(tr.InputError, match=r"the file is empty|cannot hold|is a folder, not a file"):
            tr.evaluate(QRELS, tr.open_run(file, format=name))


def test_qrels_without_a_judgement(file):
    for text in (b"# only a comment\n", b"{}", b"[]", b"query_id,doc_id,grade\n"):
        file.write_bytes(text)
        assert qrels_error(file) == "there are no judgements in it"


@pytest.mark.parametrize("text", [b"# only a comment\n", b"{}", b"[]", b"query_id,doc_id,score\n"])
def test_a_run_without_an_answer_is_accepted_and_all_queries_are_missing(text, file):
    file.write_bytes(text)
    scores = tr.evaluate(QRELS, file, "RR")
    assert (scores.mean, scores.ledger.missing) == ({"RR": 0.0}, 1)


def test_binary_rubbish(file):
    file.write_bytes(PNG)
    assert run_error(file).startswith("3: this line holds a NUL byte: the file is binary or damaged")
    assert qrels_error(file) == run_error(file)
    rng = random.Random(1)
    for _ in range(100):
        file.write_bytes(bytes(rng.randrange(1, 256) for _ in range(rng.randrange(1, 2000))))
        assert run_error(file)
        assert qrels_error(file)


@pytest.mark.parametrize("bits", [16, 32])
@pytest.mark.parametrize("ends", ["le", "be"])
def test_text_in_utf16_and_utf32(file, bits, ends):
    file.write_bytes(f"\ufeff{GOOD.decode()}".encode(f"utf-{bits}-{ends}"))
    assert run_error(file).startswith(f"this is UTF-{bits} text; save it as UTF-8")


def test_a_truncated_gzip(file):
    file.write_bytes(gzip.compress(GOOD * 1000)[:-3])
    assert run_error(file) == qrels_error(file) == "the gzip data ends too early: the file was cut short"


def test_a_run_given_as_qrels(file):
    file.write_bytes(GOOD)
    assert qrels_error(file) == "this holds a run, not qrels: are the two files swapped?"
    with pytest.raises(tr.InputError, match=r"input:1: a qrels line has 4 columns .* are the two files swapped\?"):
        tr.read_qrels(file, format="trec")
    file.write_bytes(b"q 0 a 2 1\n")
    with pytest.raises(tr.InputError, match="this one has 5, as qrels with a stratum do, which `truerank eval`"):
        tr.read_qrels(file, format="trec")


def test_qrels_given_as_a_run(file):
    file.write_bytes(b"q 0 a 1\n")
    assert run_error(file) == "this holds qrels, not a run: are the two files swapped?"
    with pytest.raises(tr.InputError, match=r"input:1: a run line has 6 columns .* are the two files swapped\?"):
        tr.evaluate(QRELS, tr.open_run(file, format="trec"), "RR")


@pytest.mark.parametrize("before", [b"", GOOD, GOOD + GOOD.replace(b"q", b"r")])
def test_five_columns(before, file):
    file.write_bytes(before + b"q Q0 b 1 2.5\n")
    line = 1 + before.count(b"\n")
    assert run_error(file) == f"{line}: a run line has 6 columns (query Q0 document rank score tag); this one has 5"
    file.write_bytes(b"q 0 a 1 x\n")
    assert qrels_error(file).startswith(
        "1: a qrels line has 4 columns (query iteration document grade); this one has"
    )


def test_a_line_of_a_megabyte(file):
    for inside in (b"x" * (1 << 20), b"x " * (1 << 20)):
        file.write_bytes(GOOD.replace(b"a", b"b") + inside + b"\n")
        assert run_error(file).startswith("2: ")
        file.write_bytes(b"q 0 a 1\n" + inside)
        assert qrels_error(file).startswith("2: ")
        file.write_bytes(b"query_id,doc_id,score\n" + inside * 3)
        assert run_error(file).startswith("2: ")


def test_a_line_of_a_megabyte_that_is_whole_is_accepted(file):
    name = b"x" * ((1 << 20) - 100)
    file.write_bytes(b"q Q0 %b 1 2.5 t\n" % name)
    assert tr.evaluate({"q": [name]}, file, "RR").mean == {"RR": 1.0}


def test_a_nul_byte(file):
    file.write_bytes(GOOD + b"q Q0 b\0c 2 1.5 t\n")
    assert run_error(file).startswith("2: this line holds a NUL byte: the file is binary or damaged")
    late = b"".join(b"q%d Q0 a 1 2.5 t\n" % i for i in range(50_000))
    file.write_bytes(late + b"q Q0 b\0c 2 1.5 t\n")
    assert run_error(file).startswith("50001: this line holds a control character: the file is binary, damaged")
    file.write_bytes(b"".join(b"q%d 0 a 1\n" % i for i in range(50_000)) + b"q 0 b\0c 2\n")
    assert qrels_error(file).startswith("50001: this line holds a control character")


def test_invalid_utf8_in_ids_is_kept_and_shown_escaped(file):
    file.write_bytes(b"q\xff Q0 d\xfe 1 2.5 t\n")
    assert tr.evaluate({b"q\xff": {b"d\xfe": 1}}, file, "RR").mean == {"RR": 1.0}
    assert tr.evaluate({"q": ["a"]}, file, "RR").ledger.examples["extra"] == ("q\udcff",)
    file.write_bytes(b"q\xff Q0 d\xfe 1 2.5 t\nq\xff Q0 d\xfe 1 1.5 t\n")
    with pytest.raises(
        tr.InputError, match=r"document d\\xfe is returned twice for query q\\xff \(first in line 1\)"
    ):
        tr.evaluate({b"q\xff": {b"d\xfe": 1}}, file, "RR")


def test_control_characters_in_ids_are_shown_escaped():
    with pytest.raises(tr.InputError, match=r"document a\\x1bb is returned twice"):
        tr.evaluate(QRELS, {"q": [b"a\x1bb", "a\x1bb"]}, "RR")


def test_many_queries_with_one_row_each_are_accepted(file):
    n = 200_000
    file.write_bytes(b"".join(b"q%d Q0 d%d 1 2.5 t\n" % (i, i) for i in range(n)))
    began = time.perf_counter()
    extra = tr.evaluate({"q5": {"d5": 1}}, file, "RR")
    assert (extra.mean["RR"], extra.ledger.extra) == (1.0, n - 1)
    judged = tr.Qrels.from_dict({f"q{i}": {f"d{i}": 1} for i in range(n)})
    scores = tr.evaluate(judged, file, "RR")
    assert (scores.mean["RR"], scores.ledger.answered) == (1.0, n)
    assert time.perf_counter() - began < 30


def test_a_grade_of_a_milliard_is_accepted(file):
    file.write_bytes(b"q 0 a 1000000000\nq 0 b 1\n")
    scores = tr.evaluate(file, {"q": ["b", "a"]}, ["RR", "nDCG", "AP"])
    assert scores.mean["RR"] == 1.0
    assert 0.63 < scores.mean["nDCG"] < 0.64


@pytest.mark.parametrize("number", ["1e400", "-1e400", "nan", "NaN", "inf", "-Infinity"])
def test_numbers_that_are_not_finite(number, file):
    file.write_text(GOOD.decode() + f"q Q0 b 2 {number} t\n")
    assert run_error(file) == "2: the score is not a finite number"
    file.write_text(f"q 0 a 1\nq 0 b {number}\n")
    assert qrels_error(file) == "2: the grade is not a finite number"
    with pytest.raises(tr.InputError, match="the score is not a finite number"):
        tr.evaluate(QRELS, {"q": {"b": float(number)}}, "RR")
    with pytest.raises(tr.InputError, match="no finite number"):
        tr.read_qrels({"q": {"b": float(number)}})


@pytest.mark.parametrize("number", ["high", "1,5", "1_0", "--1", "0x10", "1e", "."])
def test_what_is_no_number(number, file):
    file.write_text(GOOD.decode() + f"q Q0 b 2 {number} t\n")
    assert run_error(file) == "2: the score is no number"
    file.write_text(f"q 0 a 1\nq 0 b {number}\n")
    assert qrels_error(file) == "2: the grade is no number"


def test_a_header_row_read_as_data(file):
    file.write_bytes(b"query_id Q0 doc_id rank score tag\n" + GOOD)
    assert run_error(file) == "1: the score is no number; if this line names the columns, remove it"
    file.write_bytes(b"query_id 0 doc_id grade\nq 0 a 1\n")
    assert qrels_error(file) == "1: the grade is no number; if this line names the columns, remove it"


def test_duplicate_rows_are_named_with_both_lines(file):
    file.write_bytes(
        b"# comment\n" + GOOD + b"q Q0 b 2 2 t\nx Q0 a 1 1 t\n".replace(b"x", b"q") + b"r Q0 a 1 1 t\n"
    )
    assert run_error(file).startswith("4: document a is returned twice for query q (first in line 2); mend the run")
    file.write_bytes(b"q 0 a 1\nr 0 a 1\n\nq 0 a 2\n")
    assert qrels_error(file) == "4: document a of query q is judged twice (first in line 1); keep one of them"


def test_duplicate_rows_of_interleaved_queries_are_named_with_both_lines(file):
    qrels = {"q": ["a"], "r": ["a"]}
    file.write_bytes(b"q Q0 a 1 2.5 t\nr Q0 a 1 2.5 t\nq Q0 a 2 1.5 t\n")
    with pytest.raises(tr.InputError, match=r"input:3: document a .* query q \(first in line 1\)"):
        tr.evaluate(qrels, file, "RR")


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_lines_are_counted_through_the_pieces_of_threads(threads, file, monkeypatch):
    monkeypatch.setattr("truerank.formats.trec.PIECE", 1)
    rows = [b"q%d Q0 d%d 1 2.5 t\n" % (i // 10, i % 10) for i in range(5000)]
    rows[4321] = b"q432 Q0 d1 1 high t\n"
    file.write_bytes(b"".join(rows))
    with pytest.raises(tr.InputError, match="input:4322: the score is no number"):
        tr.evaluate({"q1": ["d1"]}, file, "RR", threads=threads)
    rows[4321] = rows[4320]
    file.write_bytes(b"".join(rows))
    with pytest.raises(tr.InputError, match=r"input:4322: document .* \(first in line 4321\)"):
        tr.evaluate({"q1": ["d1"]}, file, "RR", threads=threads)


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (5, "a run is a path, .*, not 5"),
        ({"q": "a"}, r"query 'q' has 'a' where its documents should stand: write ids as \["),
        ({"q": 5}, "query 'q' has 5 where its documents should stand"),
        ({"q": {"a": "x"}}, "answer to query q cannot be read"),
        ({"q": {"a": None}}, "answer to query q cannot be read: a score is a number, not NoneType: leave out the"),
        ({"q": {"b": 3.0, 7.0: 2.0}}, "run: the answer to query q cannot be read: an id is text or .*, not 7.0$"),
        ({"q": {8: 3, 7.5: 2}}, "an id is text or a whole number, not 7.5"),
        ({"q": {"b": 3.0}, "unjudged": {"b": 3.0, np.float32(2): 2.0}}, "an id is text or a whole number, not "),
        ({"q": {"b": 3.0, pandas.NA: 2.0}}, "an id is text or a whole number, not <NA>"),
        ({"score": {("q", "a"): 2.0}}, r"index of this table has query and document, \('q', 'a'\)"),
        ({"q": [None]}, "documents are ids, or pairs"),
        ({"q": [("a", 1.0), "b"]}, "documents are ids, or pairs"),
        ({"q": {"a": float("nan")}}, "run: query q: the score is not a finite number"),
        ({"q": ["a", "b", "a"]}, "document a is returned twice for query q; mend the run"),
        ({"q": {1: 2.0, "1": 1.0}}, "document 1 is returned twice for query q"),
        (["q"], "pairs .query, documents., or rows .* not 'q'"),
        (
            [["a", "b", "c"]],
            r"not \['a', 'b', 'c'\]; lists of ids, one per query, become dicts: dict.enumerate.lists",
        ),
        ([["a", "b"]], r"not \['a', 'b'\]; lists of ids, one per query"),
        (([1, 2], [1.0, 2.0]), "two arrays of one shape"),
        (([[1, 2]], [[1.0]]), "two arrays of one shape"),
        (([[1.5]], [[1.0]]), "the ids are float64, not whole numbers or text"),
        (([[1]], [["x"]]), "two arrays of one shape"),
        (([[1]], [[1.0]], ["q", "r"]), "2 query ids for 1 rows"),
        (([[1]], [[float("nan")]]), "not a finite number"),
        ((np.ma.masked_less([[-1, 5]], 0), [[2.0, 1.0]]), "run: some ids are masked; where no document stands"),
        (([np.ma.masked_less([-1, 5], 0)], [[2.0, 1.0]]), "run: some ids are masked"),
        (([[1, 5]], np.ma.masked_less([[-2.0, 1.0]], 0)), "run: some scores are masked"),
        ({"q": np.ma.masked_less([-1, 5], 0)}, "documents are ids, or pairs"),
        ((np.array([["a", None]], object), [[2.0, 1.0]]), "documents are ids, or pairs"),
    ],
)
def test_objects_that_are_no_run(run, message):
    with pytest.raises(tr.InputError, match=message) as caught:
        tr.evaluate(QRELS, run, "RR")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("qrels", "message"),
    [
        (5, "qrels are a path, .*, not 5"),
        ([], "^qrels: there are no judgements in it$"),
        ([("q", "a")], r"qrels are a path, .*, not \[\('q', 'a'\)\]$"),
        ([["a"], ["b"]], r"not \[\['a'\], \['b'\]\]; lists of ids, one per query, become dicts"),
        (iter(()), "^qrels: there are no judgements in it$"),
        ({"q": "a"}, r"query 'q' has 'a' where its documents should stand: write ids as \["),
        ({"q": {"a": "x"}}, "document a of query q has the grade 'x', which is no finite number"),
        ({"q": {"a": None}}, "document a of query q has the grade None, which is no finite number"),
        ({"q": {"a": "1"}}, "document a of query q has the grade '1', which is no finite number"),
        ({"q": {"a": 1, "b": "2"}}, "document b of query q has the grade '2', which is no finite number"),
        ({"q": {"a": np.datetime64("2026-01-05")}}, "a of query q has the grade .*2026-01-05.*, which is no"),
        ({"q": {"b": 1.0, "a": np.timedelta64(3, "s")}}, "document a of query q has the grade .*, which is no"),
        ({"q": {"a": {"x": np.datetime64("2026-01-05")}}}, "document a of query q has the grade .*2026-01-05"),
        ({"q": np.ma.masked_less([-1, 5], 0)}, "documents are ids, or"),
        ({"q": np.array(5)}, "query 'q' has 5 where its documents should stand"),
        ({"q": np.int64(5)}, "query 'q' has .*5.* where its documents should stand"),
        ({"q": {"b": 1, ("a", "b"): 2}}, r"an id is text or a whole number, not \('a', 'b'\)"),
        ({1: ["a"], "1": ["b"]}, "two query ids print the same"),
        ({"q": {1: 1, "1": 2}}, "document 1 of query q is judged twice"),
    ],
)
def test_objects_that_are_no_qrels(qrels, message):
    with pytest.raises(tr.InputError, match=message) as caught:
        tr.read_qrels(qrels)
    assert "\n" not in str(caught.value)


LONG = "x" * 10**6


@pytest.mark.parametrize(
    "read",
    [
        lambda path: tr.evaluate(QRELS, {"q": LONG}, "RR"),
        lambda path: tr.evaluate(QRELS, {LONG: [LONG, LONG]}, "RR"),
        lambda path: tr.evaluate(QRELS, {LONG: {"a": float("nan")}}, "RR"),
        lambda path: tr.evaluate(QRELS, {LONG: {LONG: LONG}}, "RR"),
        lambda path: tr.read_qrels({LONG: {LONG: LONG}}),
        lambda path: tr.read_qrels({LONG: LONG}),
        lambda path: tr.read_qrels(written(path, f'{{"{LONG}": {{"a": 1}}, "{LONG}": {{"a": 1}}}}')),
        lambda path: tr.read_qrels(written(path, f'{{"{LONG}": {{"a": true}}}}')),
        lambda path: tr.read_qrels(written(path, f"query_id,doc_id,grade\nq,a,{LONG[:1000]}\n")),
        lambda path: tr.read_qrels(written(path, f"query_id,{LONG[:1000]},grade\nq,a,1\n"), "csv"),
        lambda path: tr.read_qrels(written(path, f"q 0 a 1\nq 0 {LONG[:1000]} 1\nq 0 {LONG[:1000]} 1\n")),
        lambda path: tr.read_qrels(path, format=LONG),
    ],
)
def test_a_long_id_or_value_is_cut_in_a_message(read, file):
    with pytest.raises(tr.InputError, match=r"x{70}|a score is a number") as caught:
        read(file)
    assert "x" * 81 not in str(caught.value)
    assert len(str(caught.value)) < len(str(file)) + 300


@pytest.mark.parametrize(
    "ask",
    [
        lambda word: tr.evaluate(QRELS, {}, "RR", rules=word),
        lambda word: tr.evaluate(QRELS, {}, "RR", rules={word: 1}),
        lambda word: tr.evaluate(QRELS, {}, "RR", rules=[word]),
        lambda word: tr.evaluate(QRELS, {}, word),
        lambda word: tr.evaluate(QRELS, {}, f"RR({word}=1)"),
        lambda word: tr.read(QRELS, {}, keep=word),
        lambda word: tr.compare(QRELS, {"a": {}, "b": {}}, "RR", test=word),
        lambda word: tr.compare(QRELS, {"a": {}, "b": {}}, "RR", correction=word),
        lambda word: tr.explain(QRELS, {}, word, "RR"),
    ],
)
def test_a_long_word_that_is_asked_for_is_cut_in_a_message(ask):
    with pytest.raises(tr.TruerankError, match=r"x{70}") as caught:
        ask(LONG[:5000])
    assert "x" * 81 not in str(caught.value)


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    "ending", ["run", "csv", "tsv", "json", "jsonl", "parquet", "run.gz", "csv.zst", "json.bz2"]
)
def test_a_damaged_file_in_any_format_never_raises_anything_else(ending, tmp_path):
    if ending in ("parquet", "csv.zst"):
        pytest.importorskip({"parquet": "pyarrow", "csv.zst": "zstandard"}[ending])
    rng = random.Random(ending)
    run = {f"q{i}": {f"d{rng.randrange(50)}": rng.random() for _ in range(8)} for i in range(8)}
    judged = {q: dict.fromkeys(docs, 1) for q, docs in run.items()}
    for what, thing in (("run", run), ("qrels", judged)):
        convert(thing, tmp_path / f"whole.{ending}", what=what)
        whole = (tmp_path / f"whole.{ending}").read_bytes()
        for _ in range(150):
            data = bytearray(whole)
            for _ in range(rng.randrange(1, 4)):
                start, size = rng.randrange(len(data)), rng.randrange(12)
                data[start : start + size] = rng.choices(b'\0\n\r\t ,;"{}[]:0a-.eE\xff', k=rng.randrange(12))
            (tmp_path / f"bad.{ending}").write_bytes(data)
            for read in (lambda path: tr.evaluate(judged, path, "RR"), tr.read_qrels):
                try:
                    read(tmp_path / f"bad.{ending}")
                except tr.TruerankError as error:  # noqa: PERF203
                    assert "\n" not in str(error)  # noqa: PT017 (most of them are no error at all)


def _arrays(path: Path, run: Any, judged: Any) -> None:
    ids, scores = np.arange(40, dtype=np.int64).reshape(4, 10), np.linspace(9, 1, 40).reshape(4, 10)
    if path.suffix == ".npy":
        np.save(path, ids)
    elif path.suffix == ".npz":
        np.savez_compressed(path, I=ids, D=scores)
    else:
        h5py = pytest.importorskip("h5py")
        with h5py.File(path, "w") as file:
            file["neighbors"], file["distances"] = ids, -scores


def _reading(path: Path, run: Any, judged: Any) -> None:
    pytest.importorskip("pyarrow")
    tr.read(judged, run, keep="all").save(path)


@pytest.mark.parametrize(
    ("ending", "write"), [("npy", _arrays), ("npz", _arrays), ("hdf5", _arrays), ("arrow", _reading)]
)
def test_damaged_arrays_and_readings_never_raise_anything_else(ending, write, tmp_path):
    rng = random.Random(ending)
    run = {str(q): {str(rng.randrange(50)): rng.random() for _ in range(8)} for q in range(4)}
    judged = {q: dict.fromkeys(docs, 1) for q, docs in run.items()}
    write(tmp_path / f"whole.{ending}", run, judged)
    whole = (tmp_path / f"whole.{ending}").read_bytes()
    for attempt in range(300):
        data = bytearray(whole[: rng.randrange(len(whole))] if attempt % 4 == 0 else whole)
        for _ in range(attempt % 4):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        bad = tmp_path / f"{attempt}.{ending}"
        bad.write_bytes(data)
        for read in (lambda path: tr.evaluate(judged, path, "RR"), tr.read_qrels):
            with suppress(tr.TruerankError):
                read(bad)
