"""The same bits from every door."""

from __future__ import annotations

import io
import json
import pickle
import re
import subprocess
import sys
import tarfile
import zipfile
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

import truerank as tr
from truerank.formats import convert

ENDINGS = ["run", "json", "jsonl", "csv", "tsv", "parquet"]


@pytest.mark.parametrize("packed", ["", ".gz", ".zst", ".bz2"])
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_in_any_format_and_compression_gives_the_bits_of_the_dict(
    ending, packed, run_file, qrels_file, tmp_path, bits, expected
):
    run, qrels = tmp_path / f"a.{ending}{packed}", tmp_path / f"a.qrels.{ending}{packed}"
    convert(run_file, run)
    convert(qrels_file, qrels)
    assert bits(qrels, run) == expected


@pytest.mark.parametrize("ending", ["run", "run.gz", "parquet", "csv.zst"])
def test_a_url_gives_the_bits_of_the_dict(ending, run_file, qrels, tmp_path, bits, expected):
    convert(run_file, f"memory://folder/a.{ending}")
    assert bits(qrels, f"memory://folder/a.{ending}") == expected
    convert(run_file, tmp_path / f"a.{ending}")
    assert bits(qrels, f"file://{tmp_path}/a.{ending}") == expected


@pytest.mark.parametrize("ending", ["run", "run.gz", "parquet"])
def test_a_file_within_an_archive_gives_the_bits_of_the_dict(ending, run_file, qrels, tmp_path, bits, expected):
    path = tmp_path / f"a.{ending}"
    convert(run_file, path)
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.write(path, f"runs/{path.name}")
    with tarfile.open(tmp_path / "all.tar", "w") as tape:
        tape.add(path, path.name)
    assert bits(qrels, f"zip://runs/{path.name}::{tmp_path}/all.zip") == expected
    assert bits(qrels, f"tar://{path.name}::{tmp_path}/all.tar") == expected


@pytest.mark.parametrize("ending", ["run", "run.gz", "json", "parquet"])
@pytest.mark.parametrize("is_pipe", [True, False])
def test_standard_input_gives_the_bits_of_the_dict(ending, is_pipe, run_file, qrels_file, tmp_path, qrels, run):
    path = tmp_path / f"a.{ending}"
    convert(run_file, path)
    code = (
        "import sys, truerank as tr; print(tr.evaluate(sys.argv[1], '-', 'AP nDCG').columns['AP'].tobytes().hex())"
    )
    with path.open("rb") as file:
        given = {"input": file.read()} if is_pipe else {"stdin": file}
        command = [sys.executable, "-c", code, str(qrels_file)]
        done = subprocess.run(command, capture_output=True, check=True, text=False, **given)
    assert bytes.fromhex(done.stdout.decode()) == tr.evaluate(qrels, run, "AP").columns["AP"].tobytes()


def test_a_pipe_of_the_shell_is_read_like_a_file(run_file, qrels_file, qrels, run):
    code = "import sys, truerank as tr; print(tr.evaluate(sys.argv[1], sys.argv[2], 'AP').mean['AP'].hex())"
    script = f'{sys.executable} -c "{code}" <(cat {qrels_file}) <(sort -R {run_file})'
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=True, text=True)
    assert float.fromhex(done.stdout) == tr.evaluate(qrels, run, "AP").mean["AP"]


def test_standard_input_without_a_file_behind_it_can_be_read_twice(run_file, qrels, bits, expected, monkeypatch):
    lines = run_file.read_bytes().splitlines(keepends=True)

    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=Pipe(b"".join(lines[::2] + lines[1::2]))))
    assert bits(qrels, "-") == expected
    assert bits(qrels, "-") == expected


def test_pairs_lists_and_records_give_the_bits_of_the_dict(qrels, run, bits, expected):
    assert bits(qrels, list(run.items())) == expected
    assert bits(qrels, {q: list(answer.items()) for q, answer in run.items()}) == expected
    records = [{"qid": q, "docno": d, "score": s} for q, answer in run.items() for d, s in answer.items()]
    judged = [{"query_id": q, "doc_id": d, "relevance": g} for q, j in qrels.items() for d, g in j.items()]
    assert bits(judged, records) == expected


def test_a_list_of_documents_best_first_ranks_like_falling_scores(qrels, run, bits):
    scored = {q: {d: float(-i) for i, d in enumerate(answer)} for q, answer in run.items()}
    assert bits(qrels, {q: list(answer) for q, answer in run.items()}) == bits(qrels, scored)


def test_arrays_give_the_bits_of_the_dict(bits):
    rng = np.random.default_rng(5)
    ids = np.array([rng.permutation(2000)[:50] for _ in range(300)])
    scores = rng.integers(0, 20, ids.shape) / 4
    ids[7, 30:] = -1
    qrels = {q: {str(d): int(rng.integers(0, 3)) for d in rng.permutation(2000)[:200]} for q in range(300)}
    run = {
        str(q): {str(d): s for d, s in zip(ids[q].tolist(), scores[q].tolist(), strict=True) if d >= 0}
        for q in range(300)
    }
    expected = bits(qrels, run)
    assert bits(qrels, (ids, scores)) == expected
    assert bits(qrels, (ids.astype(np.int32), scores, range(300))) == expected
    assert bits(qrels, (ids[:7].astype(str), scores[:7])) == bits(qrels, (ids[:7], scores[:7]))
    assert bits(qrels, (ids[:7].astype(object), scores[:7])) == bits(qrels, (ids[:7], scores[:7]))


@pytest.mark.parametrize("number", ["int32", "uint32", "uint64", "object"])
def test_minus_one_is_no_document_whatever_holds_the_ids(number, bits):
    ids, scores = np.array([[5, -1, 7], [7, 5, -1]]).astype(number), np.array([[3.0, 2.0, 1.0]] * 2)
    run = {"0": {"5": 3.0, "7": 1.0}, "1": {"7": 3.0, "5": 2.0}}
    qrels = {q: {"7": 1, "-1": 1, str(2**32 - 1): 1, str(2**64 - 1): 1} for q in "01"}
    assert bits(qrels, (ids, scores)) == bits(qrels, run)


@pytest.mark.parametrize("number", ["int8", "int64", "object"])
def test_other_numbers_below_zero_are_documents_as_hashes_are(number, bits):
    ids, scores = np.array([[-5, -1, 7], [7, -5, -128]]).astype(number), np.array([[3.0, 2.0, 1.0]] * 2)
    run = {"0": {"-5": 3.0, "7": 1.0}, "1": {"7": 3.0, "-5": 2.0, "-128": 1.0}}
    qrels = {q: {"7": 1, "-5": 1, "-128": 2} for q in "01"}
    assert bits(qrels, (ids, scores)) == bits(qrels, run)
    assert bits(qrels, {q: (docs, scores[0]) for q, docs in zip("01", ids, strict=True)}) == bits(qrels, run)
    rows = dict(zip("01", ids.astype(np.int64), strict=True))
    assert tr.evaluate(qrels, rows, "RR NumRet").mean == tr.evaluate(qrels, run, "RR NumRet").mean


@pytest.mark.parametrize("number", ["int64", "object"])
def test_minus_one_is_no_document_of_a_query_whose_list_is_an_array(number):
    run = {"0": np.array([-1, 7, -1, -5]).astype(number)}
    assert tr.evaluate({"0": {"7": 1}}, run, "RR NumRet").mean == {"RR": 1.0, "NumRet": 2.0}


def test_missing_ids_in_arrays_of_objects_are_refused():
    pandas = pytest.importorskip("pandas")
    docs, scores = np.array([pandas.NA, 7], object), np.array([0.2, 0.1])
    for run in ({"0": docs}, {"0": (docs, scores)}, ([docs], [scores])):
        with pytest.raises(tr.InputError, match="<NA>"):
            tr.evaluate({"0": {"7": 1}}, run, "RR")
    with pytest.raises(tr.InputError, match="an id is text or a whole number, not <NA>"):
        tr.read_qrels({"0": {pandas.NA: 1}})


def test_the_largest_number_of_a_byte_is_a_document():
    ids = np.array([[255, 7]], np.uint8)
    assert tr.evaluate({0: [255]}, (ids, np.array([[2.0, 1.0]])), "RR").mean == {"RR": 1.0}


def test_whole_numbers_and_their_text_are_the_same_id(bits):
    text = bits({"1": {"7": 1, "10": 0}}, {"1": {"10": 2.0, "7": 1.0}})
    assert bits({1: {7: 1, 10: 0}}, {1: {10: 2.0, 7: 1.0}}) == text
    assert bits({1: [7]}, {"1": [10, "7"]})["RR"] == text["RR"]


def test_ids_of_one_to_nineteen_digits_come_out_of_an_array_as_they_print():
    ids = np.array([[0, 9, 10, 99, 100, 12345678, 10**18, 9 * 10**18]])
    hits = tr.rank({0: {int(d): 1 for d in ids[0]}}, (ids, np.arange(8.0)[None]))
    assert sorted(hits.rank.tolist()) == list(range(1, 9))


class Judged(NamedTuple):
    """As ir_measures names them."""

    query_id: str
    doc_id: str
    relevance: int
    iteration: str = "0"


class Scored(NamedTuple):
    query_id: str
    doc_id: str
    score: float


@pytest.mark.parametrize("kind", [list, iter])
def test_rows_may_be_tuples_or_named_tuples(kind):
    judged, scored = [("q", "a", 1), ("q", "b", np.int64(2))], [("q", "b", np.float32(0.5)), ("q", "a", 1.5)]
    expected = tr.evaluate({"q": {"a": 1, "b": 2}}, {"q": {"a": 1.5, "b": 0.5}}, "nDCG RR").mean
    assert tr.evaluate(kind(judged), kind(scored), "nDCG RR").mean == expected
    named = [Judged(*row) for row in judged], [Scored(*row) for row in scored]
    assert tr.evaluate(kind(named[0]), kind(named[1]), "nDCG RR").mean == expected


@pytest.mark.parametrize("qrels", [[1, 2], [("q", "a")], 5])
def test_what_is_no_qrels_is_shown_beside_what_is(qrels):
    said = f"a sparse matrix, or of arrays of exact neighbours truth.neighbours(ids, k=10), not {qrels!r}"
    with pytest.raises(tr.InputError, match=re.escape(said)):
        tr.evaluate(qrels, {"q": ["a"]}, "RR")


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_run_of_a_file_goes_to_another_process(ending, run_file, tmp_path):
    convert(run_file, tmp_path / f"a.{ending}")
    opened = tr.open_run(tmp_path / f"a.{ending}")
    assert pickle.loads(pickle.dumps(opened)).to_dict() == opened.to_dict()


@pytest.mark.parametrize(
    "run",
    [
        {"q": {"a": 2.0, "b": 1.0}},
        {"q": ["a", "b"]},
        [("q", ["a", "b"])],
        [("q", "a", 2.0), ("q", "b", 1.0)],
        [{"query_id": "q", "doc_id": "a", "score": 2.0}],
        {"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [2.0, 1.0]},
        (np.array([["a", "b"]]), np.array([[2.0, 1.0]]), ["q"]),
    ],
    ids=["dict", "lists", "pairs", "rows", "records", "columns", "arrays"],
)
def test_a_run_of_objects_goes_to_another_process(run):
    opened = tr.open_run(run)
    assert pickle.loads(pickle.dumps(opened)).to_dict() == opened.to_dict()


@pytest.mark.parametrize("made", [dict, lambda run: [*run.items()], "json"], ids=["dict", "pairs", "json"])
@pytest.mark.parametrize("ids", [("", "a"), ("q", "")])
def test_an_empty_id_is_refused_in_objects_as_in_files(made, ids, tmp_path):
    query, doc = ids
    scored = {query: {doc: 1.0, "b": 0.5}}
    path = tmp_path / "a.json"
    path.write_text(json.dumps(scored))
    with pytest.raises(tr.InputError, match="is empty"):
        tr.evaluate({"q": {"b": 1}}, path if made == "json" else made(scored), "RR")
    for judged in ({query: {doc: 1}}, {query: [doc]}, {query: {doc: {"x": 1}}}, path):
        with pytest.raises(tr.InputError, match="is empty"):
            tr.read_qrels(judged)


@pytest.mark.parametrize("ids", [np.array([["b", ""]]), np.array([[5, 6]])], ids=["document", "query"])
def test_an_empty_id_in_arrays_is_refused(ids):
    queries = [""] if ids.dtype.kind == "i" else ["q"]
    with pytest.raises(tr.InputError, match="is empty"):
        tr.evaluate({"q": {"b": 1}}, (ids, np.array([[2.0, 1.0]]), queries), "RR")


def test_rows_of_several_lengths_are_told_how_short_rows_are_given():
    with pytest.raises(tr.InputError, match=r"the rows of ids are not of one length; .* give the id -1"):
        tr.evaluate({"q": {"b": 1}}, ([["a", "b"], ["c"]], [[2.0, 1.0], [1.0]], ["q", "r"]), "RR")
