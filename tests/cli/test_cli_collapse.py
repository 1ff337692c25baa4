"""`--collapse`: chunks become documents in the commands that read runs."""

from __future__ import annotations

import json
import os

import pytest

CHUNKS = "q1 Q0 x#1 1 5 t\nq1 Q0 a#2 2 4 t\nq1 Q0 a#1 3 2.5 t\nq1 Q0 b#1 4 2 t\nq2 Q0 c#4 1 1 t\n"


@pytest.fixture
def chunks(here):
    (here / "chunks.run").write_text(CHUNKS)
    return "chunks.run"


def test_a_run_of_chunks_is_evaluated_as_one_of_documents(invoke, chunks):
    result = invoke("eval", "qrels.txt", chunks, "-m", "RR R@10", "--collapse", "max")
    assert result.stdout.splitlines()[1].split() == [chunks, "0.5000", "0.6667"]
    assert result.stderr == ""
    summed = invoke("eval", "qrels.txt", chunks, "-m", "RR R@10", "--collapse", "sumP", "--ids", r"(.+)#\d")
    assert summed.stdout.splitlines()[1].split() == [chunks, "0.6667", "0.6667"]


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("bounds", ("qrels.txt", "RUN", "second.run", "-m", "RR R@3", "--judge-next", "2")),
        ("agreement", ("RUN", "second.run")),
        ("fuse", ("RUN", "second.run")),
        ("fuse", ("RUN", "second.run", "--tune", "qrels.txt", "--folds", "2")),
        ("power", ("--queries", "2", "--like", "qrels.txt", "RUN", "second.run", "-m", "RR")),
        ("curve", ("qrels.txt", "RUN")),
        ("confusion", ("qrels.txt", "RUN", "-k", "2")),
        ("judges", ("qrels.txt", "qrels.txt", "--run", "RUN", "second.run", "-m", "RR")),
    ],
)
def test_every_command_says_of_chunks_what_it_says_of_their_documents(invoke, chunks, here, command, arguments):
    how = ("--collapse", "max", "--ids", r"(\w+).*")
    assert invoke("convert", chunks, "documents.run", *how).exit_code == 0
    (here / "documents").mkdir()
    (here / "documents.run").rename(here / "documents" / chunks)
    asked, told = ([at if word == "RUN" else word for word in arguments] for at in (chunks, f"documents/{chunks}"))
    of_chunks, of_documents = invoke(command, *asked, *how), invoke(command, *told)
    assert of_chunks.exit_code == of_documents.exit_code == 0, of_chunks.stderr
    assert of_chunks.stdout == of_documents.stdout


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("judges", ("qrels.txt", "qrels.txt")),
        ("power", ("--queries", "50", "--sd", "0.2")),
        ("confusion", ("--counts", "7,13,58,922")),
    ],
)
def test_where_there_is_no_run_nothing_is_collapsed(invoke, command, arguments):
    refused = invoke(command, *arguments, "--collapse", "max")
    assert (refused.exit_code, "--collapse" in refused.stderr) == (2, True)


def test_without_it_the_warning_says_what_to_do(invoke, chunks):
    stderr = " ".join(invoke("eval", "qrels.txt", chunks, "-m", "R@10").stderr.split())
    assert "a#2 is a part of a, which is: score each document by its best part (--collapse max" in stderr


def test_documents_of_which_parts_are_judged_are_named_with_them(invoke, here):
    (here / "parts.qrels").write_text("q1 0 a#2 1\nq1 0 b#1 1\n")
    (here / "whole.run").write_text("q1 Q0 b 1 2 t\nq1 Q0 a 2 1 t\n")
    stderr = " ".join(invoke("eval", "parts.qrels", "whole.run", "-m", "R@10").stderr.split())
    assert "no document of whole.run is judged; judged is a#2, a part of a: return parts as they are" in stderr
    linted = invoke("lint", "parts.qrels", "whole.run")
    assert linted.exit_code == 1
    assert "only parts of returned documents are judged (2 documents in all), as a#2 of a: return" in linted.stdout


def test_runs_are_compared_by_their_documents(invoke, chunks):
    how = ("--collapse", "max", "--ids", r"(\w+).*")
    output = invoke("compare", "qrels.txt", "second.run", chunks, "-m", "RR", *how).stdout
    rows = [line.split() for line in output.splitlines()]
    means = {row[1]: row[2] for row in rows if row[:1] in (["a"], ["b"])}
    assert means == {"second.run": "0.3333", chunks: "0.5000"}


def test_gates_are_those_of_documents(invoke, chunks):
    gate = ("qrels.txt", chunks, "--min", "RR=0.5", "--format", "json")
    assert invoke("check", *gate).exit_code == 1
    passed = invoke("check", *gate, "--collapse", "max")
    assert passed.exit_code == 0
    assert json.loads(passed.stdout)["gates"][0]["value"] == 0.5
    against = ("--no-worse-than", chunks, "--collapse", "sum", "--measures", "RR")
    assert invoke("check", "qrels.txt", chunks, *against).exit_code == 0


def test_a_file_of_gates_says_how_and_its_table_is_beside_it(invoke, chunks, here):
    (here / "ci").mkdir()
    (here / "ci" / "chunks.csv").write_text("chunk_id,source\nx#1,x\na#2,a\na#1,a\nb#1,b\nc#4,c\n")
    gates = 'qrels = "../qrels.txt"\nrun = "../chunks.run"\ncollapse = "max"\nids = "chunks.csv:source"\n'
    (here / "ci" / "gates.toml").write_text(f"{gates}min = {{ RR = 0.5 }}\n")
    assert invoke("check", "ci/gates.toml").exit_code == 0


def test_what_is_explained_and_reported_are_documents(invoke, chunks):
    explained = invoke("explain", "qrels.txt", chunks, "q1", "-m", "RR", "--collapse", "max").stdout
    assert ["2", "a", "4.00", "1", "relevant"] in map(str.split, explained.splitlines())
    how = ("--collapse", "max", "--ids", r"(\w+).*")
    moved = invoke("explain", "qrels.txt", chunks, "second.run", "-m", "RR", *how).stdout
    assert ["q1", "0.5000"] in (line.split()[:2] for line in moved.splitlines())
    report = invoke("report", "qrels.txt", chunks, "-m", "RR", "--collapse", "max").stdout
    assert "chunks.run: RR 0.5000" in " ".join(report.split())


@pytest.mark.skipif(not os.path.isdir("/dev/fd"), reason="pipes have no names")
def test_a_table_of_chunks_from_a_pipe_is_read_once_for_all_runs(invoke, chunks, here):
    pipe, end = os.pipe()
    os.write(end, b"chunk_id,source\nx#1,x\na#2,a\na#1,a\nb#1,b\nc#4,c\n")
    os.close(end)
    runs = ("qrels.txt", chunks, chunks, "-m", "RR R@10", "--collapse", "max")
    of_pipe = invoke("eval", *runs, "--ids", f"/dev/fd/{pipe}:source")
    os.close(pipe)
    assert of_pipe.stdout == invoke("eval", *runs).stdout


def test_a_report_tells_the_command_with_the_table_of_chunks(invoke, chunks, here):
    (here / "parts").mkdir()
    (here / "parts" / "map.csv").write_text("chunk_id,source\nx#1,x\na#2,a\na#1,a\nb#1,b\nc#4,c\n")
    rule = ("--collapse", "max", "--ids", "parts/map.csv:source")
    invoke("report", "qrels.txt", chunks, "-m", "RR", *rule, "-o", "report.json")
    text = (here / "report.json").read_text()
    assert "--collapse max --ids map.csv:source" in text
    assert '"map.csv"' in text


def test_documents_are_written_down(invoke, chunks, here):
    (here / "chunks.csv").write_text("chunk_id,source\nx#1,X\na#2,A\na#1,A\nb#1,B\nc#4,C\n")
    invoke("convert", chunks, "docs.run", "--collapse", "first", "--ids", "chunks.csv:source")
    assert (here / "docs.run").read_text().splitlines() == [
        "q1 Q0 X 1 5.0 t",
        "q1 Q0 A 2 4.0 t",
        "q1 Q0 B 3 2.0 t",
        "q2 Q0 C 1 1.0 t",
    ]


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (("eval", "qrels.txt", "first.run", "--collapse", "max"), "no id looks like a chunk's"),
        (("eval", "qrels.txt", "first.run", "--ids", "(.)"), "--ids is for --collapse: say how"),
        (("eval", "qrels.txt", "first.run", "--collapse", "max", "--rules", "science-qa"), "truerank convert"),
        (("report", "qrels.txt", "first.run", "--collapse", "max", "--rules", "science-qa"), "truerank convert"),
        (("convert", "qrels.txt", "x.qrels", "--collapse", "max"), "judgements are not collapsed, runs are"),
    ],
)
def test_what_cannot_be_collapsed_is_refused(invoke, arguments, fault):
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert fault in " ".join(result.stderr.split())


def test_repeated_documents_are_refused_with_what_to_do_about_chunks(invoke, here):
    (here / "repeats.run").write_text("q1 Q0 a 1 2 t\nq1 Q0 a 2 1 t\n")
    refused = invoke("eval", "qrels.txt", "repeats.run", "-m", "R@10")
    assert refused.exit_code == 2
    said = "chunks of one document: truerank convert --collapse max --ids id"
    assert said in " ".join(refused.stderr.split())
    collapsed = invoke("eval", "qrels.txt", "repeats.run", "-m", "R@10", "--collapse", "max", "--ids", "id")
    assert collapsed.stdout.splitlines()[1].split() == ["repeats.run", "0.1667"]


def test_a_comparison_warns_of_chunks_too(invoke, chunks):
    stderr = " ".join(invoke("compare", "qrels.txt", "second.run", chunks, "-m", "RR").stderr.split())
    assert "no document of chunks.run is judged; a#2 is a part of a" in stderr


def test_calls_stay_apart(invoke, here):
    (here / "calls.json").write_text('{"q1": [["a#1", "a#2"], ["b#1"]]}')
    output = invoke("convert", "calls.json", "-", "--as", "run", "--to", "trec", "--collapse", "max").stdout
    assert output.splitlines() == ["q1 1 a 1 2.0 calls", "q1 2 b 1 1.0 calls"]


def test_nothing_is_printed_of_a_run_that_is_refused_late(invoke, here):
    (here / "late.run").write_text("q Q0 a#1 1 2 t\nr Q0 b 1 1 t\nr Q0 b 2 1 t\n")
    result = invoke("convert", "late.run", "-", "--to", "trec", "--collapse", "max")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "late.run: chunk b is returned twice for query r" in result.stderr


def test_a_pattern_without_a_group_is_no_file(invoke, chunks):
    result = invoke("eval", "qrels.txt", chunks, "-m", "RR", "--collapse", "max", "--ids", ".+-.")
    assert result.exit_code == 2
    assert "the pattern '.+-.' has no group for the document: (.+)" in result.stderr


def test_a_chunk_is_a_part_of_a_document_with_an_id(invoke, chunks, here):
    (here / "chunks.jsonl").write_text('{"chunk_id": "x#1", "source": ""}\n')
    result = invoke("eval", "qrels.txt", chunks, "-m", "RR", "--collapse", "max", "--ids", "chunks.jsonl:source")
    assert "chunks.jsonl:1: there is no source here" in result.stderr


def test_a_reading_may_be_of_documents_out_of_chunks(invoke, chunks, here):
    assert invoke("read", "qrels.txt", chunks, "--collapse", "max", "-o", "docs.arrow").exit_code == 0
    wanted = invoke("eval", "qrels.txt", chunks, "-m", "RR R@10", "--collapse", "max", "-f", "csv").stdout
    assert invoke("eval", "qrels.txt", "docs.arrow", "-m", "RR R@10", "-f", "csv").stdout == wanted
    parts = invoke("read", "qrels.txt", chunks, "second.run", "--collapse", "max", "-o", "parts.arrow")
    assert (parts.exit_code, (here / "parts.arrow").exists()) == (2, False)
    assert "--collapse takes one RUN" in parts.stderr
