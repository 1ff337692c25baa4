"""No command writes over what it reads, nor two of its outputs into one file; closed streams are told of."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from truerank.cli import COMMANDS, truerank


@pytest.fixture
def files(here: Path) -> Path:
    """A file for everything that the commands below read."""
    places = {"q1": {"lat": 37.5, "lon": 127.0}}
    (here / "asked.json").write_text(json.dumps(places))
    (here / "there.json").write_text(json.dumps({"a": {"lat": 37.5, "lon": 127.0}}))
    (here / "places.run").write_text("q1 Q0 a 1 2.0 t\n")
    (here / "found").mkdir()
    (here / "found" / "top_1.json").write_text("{}")
    (here / "pairs.csv").write_text("query_id,doc_id\nq1,a\n")
    (here / "mine.toml").write_text('base = "truerank"\n')
    (here / "gates.toml").write_text('qrels = "qrels.txt"\nrun = "first.run"\nrules = "mine.toml"\nmin.AP = 0.1\n')
    (here / "saved.json").write_text("{}")
    (here / "other.json").write_text("{}")
    (here / "queries.tsv").write_text("q1\tword\n")
    (here / "linked.run").symlink_to("first.run")
    (here / "drawn.svg").symlink_to("first.run")
    np.save(here / "asked.npy", np.eye(2))
    np.save(here / "there.npy", np.eye(2))
    (here / "asked.txt").write_text("1\n2\n")
    (here / "there.txt").write_text("1\n2\n")
    return here


GEO = "geo --queries asked.json --references there.json --results places.run"
TRUTH = "truth nearest asked.json there.json"
VECTORS = "vectors asked.npy there.npy --labels asked.txt --labels there.txt"
BENCH = "bench none:such --queries queries.tsv --qrels qrels.txt"
WRITTEN_OVER = [
    "curve qrels.txt first.run -o first.run",
    "curve qrels.txt first.run -o qrels.txt",
    "curve qrels.txt linked.run -o first.run",
    "curve qrels.txt first.run --plot drawn.svg",
    "confusion qrels.txt first.run -k 2 -o first.run",
    f"{GEO} -o asked.json",
    f"{GEO} -o there.json",
    f"{GEO} -o places.run",
    "geo --queries asked.json --references there.json --results found -o found/top_1.json",
    f"{GEO} --truth listed('pairs.csv') -o pairs.csv",
    f"{TRUTH} -o asked.json",
    f"{TRUTH} -o there.json",
    f"{TRUTH} -o new.qrels --distances there.json",
    "truth listed('pairs.csv') asked.json there.json -o pairs.csv",
    *(f"{VECTORS} -o {name}" for name in ("asked.npy", "there.npy", "asked.txt", "there.txt")),
    f"{BENCH} -o queries.tsv",
    f"{BENCH} --save-run qrels.txt",
    "bench --show saved.json -o saved.json",
    "bench --compare saved.json other.json -o other.json",
    "explain qrels.txt first.run --rules trec_eval-9,mine.toml -o mine.toml",
    "check gates.toml -o gates.toml",
    "check gates.toml -o mine.toml",
    "merge first.run second.run -o second.run",
    "fuse first.run second.run -o second.run",
    "fuse first.run second.run --tune qrels.txt -o qrels.txt",
    "convert first.run --collapse max --ids pairs.csv:doc_id pairs.csv",
    "convert qrels.txt --aspect-weights pairs.csv pairs.csv",
]
UNDER_RULES = {
    "eval": "eval qrels.txt first.run",
    "compare": "compare qrels.txt first.run second.run",
    "collections": "collections --collection web qrels.txt first.run second.run",
    "explain": "explain qrels.txt first.run q1",
    "report": "report qrels.txt first.run",
    "agreement": "agreement second.run first.run",
    "interleaving": "interleaving qrels.txt",
    "judges": "judges qrels.txt mine.qrels",
    "power": "power --queries 50 --like qrels.txt first.run",
    "ips": "ips qrels.txt first.run --eta 1",
    "bounds": "bounds qrels.txt first.run",
    "check": "check qrels.txt first.run --min AP=0.1",
    "curve": "curve qrels.txt first.run",
    "confusion": "confusion qrels.txt first.run",
    "bench": BENCH,
    "geo": GEO,
    "vectors": VECTORS,
    "read": "read qrels.txt first.run",
    "fuse": "fuse first.run second.run",
}
"""A call of each command that takes rules and writes files."""

OF_CHUNKS = [
    command for name, command in UNDER_RULES.items() if name not in ("interleaving", "ips", "geo", "vectors")
]
"""Those whose runs may be of chunks."""


def test_every_command_that_takes_rules_and_writes_files_is_tried():
    takes = {name: {o for p in truerank.get_command(None, name).params for o in p.opts} for name in COMMANDS}
    assert {name for name, options in takes.items() if {"--rules", "--output"} <= options} == set(UNDER_RULES)


@pytest.mark.parametrize(
    "command",
    [
        *WRITTEN_OVER,
        *(f"{command} --rules mine.toml -o mine.toml" for command in UNDER_RULES.values()),
        *(f"{command} --collapse max --ids pairs.csv:doc_id -o pairs.csv" for command in OF_CHUNKS),
    ],
)
def test_what_is_read_is_not_written_over(invoke, files, command):
    before = {path: path.read_bytes() for path in files.rglob("*") if path.is_file()}
    result = invoke(*command.split())
    assert result.exit_code == 2
    assert result.stderr == f"truerank: {command.split()[-1]}: this is what is read: write to another file\n"
    assert {path: path.read_bytes() for path in files.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("command", UNDER_RULES.values())
def test_a_compression_that_is_not_written_is_told_before_anything_is_read(invoke, files, command):
    (files / "qrels.txt").unlink()
    result = invoke(*command.split(), "-o", "new.lz4")
    assert result.exit_code == 2
    assert result.stderr.startswith("truerank: new.lz4: .lz4 is not written")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (f"{TRUTH} -o new.csv --distances ./new.csv", "--output and --distances would be written to one file"),
        ("curve qrels.txt first.run -o new.svg -f json --plot new.svg", "--output and --plot would be written to"),
        (f"{BENCH} -o new.json --save-run ./new.json", "--output and --save-run would be written to one file"),
        (f"{BENCH} --sweep n=1,2 --save-run new.svg --plot new.svg", "--save-run and --plot would be written to"),
        (f"{TRUTH} --distances -", "--distances would both go to standard output"),
        ("judges qrels.txt qrels.txt --consensus -", "--consensus would both go to standard output"),
        (f"{BENCH} --save-run -", "--save-run would both go to standard output"),
        (f"{BENCH} -o -", "--output would both go to standard output"),
    ],
)
def test_two_outputs_do_not_go_to_one_place(invoke, files, command, said):
    result = invoke(*command.split())
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert not [*files.glob("new.*")]


def test_two_outputs_may_go_nowhere(invoke, files):
    assert invoke(*TRUTH.split(), "-o", os.devnull, "--distances", os.devnull).exit_code == 0


def test_other_files_may_be_written_over(invoke, files):
    (files / "old.qrels").write_text("old\n")
    (files / "old.csv").write_text("old\n")
    assert invoke(*TRUTH.split(), "-o", "old.qrels", "--distances", "old.csv").exit_code == 0
    assert (files / "old.qrels").read_text() == "q1 0 a 1\n"


@pytest.mark.parametrize(
    "command",
    [
        "vectors - -",
        "vectors asked.npy there.npy --labels - --labels -",
        "check qrels.txt - --min AP=0.1 --bench -",
        "check - --no-worse-than -",
    ],
)
def test_standard_input_is_one_file_only(invoke, files, command):
    result = invoke(*command.split())
    assert result.exit_code == 2
    assert "Standard input (-) can be only one of the files" in result.stderr


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("truerank eval qrels.txt - <&-", b"truerank: standard input is closed\n"),
        ("truerank eval qrels.txt first.run >&-", b"truerank: standard output is closed\n"),
        ("truerank convert first.run - --to json >&-", b"truerank: standard output is closed\n"),
        ("truerank eval qrels.txt none.run 2>&-", b""),
    ],
)
def test_a_closed_stream_is_one_line_and_status_2(shell, line, why):
    done = shell(line)
    assert (done.returncode, done.stdout, done.stderr) == (2, b"", why)


def test_nobody_need_listen_to_standard_error(shell):
    heard, unheard = (shell(f"truerank eval qrels.txt first.run {end}") for end in ("", "2>&-"))
    assert (unheard.returncode, unheard.stdout) == (0, heard.stdout)
    assert b"nDCG@10" in unheard.stdout


def test_a_closed_stream_that_is_not_needed_is_not_missed(shell):
    done = shell("truerank eval qrels.txt first.run -o scores.json <&- >&- && cat scores.json")
    assert done.returncode == 0
    assert b"nDCG@10" in done.stdout


def test_a_url_that_can_only_be_read_is_one_line(invoke):
    result = invoke("eval", "qrels.txt", "first.run", "-f", "json", "-o", "http://localhost:1/scores.json")
    assert result.exit_code == 2
    assert result.stderr.endswith("scores.json: cannot be written: http URLs can only be read\n")


@pytest.mark.parametrize(("made", "ending"), [("cat", "json"), ("gzip -c", "run"), ("cat", "csv")])
def test_a_run_that_comes_through_a_named_pipe_is_converted(shell, here, made, ending):
    done = shell(f"truerank convert <({made} first.run) piped.{ending} --as run")
    assert (done.returncode, done.stderr) == (0, b"")
    assert shell(f"truerank convert first.run plain.{ending}").returncode == 0
    assert (here / f"piped.{ending}").read_bytes() == (here / f"plain.{ending}").read_bytes()


def test_qrels_that_come_through_a_named_pipe_are_converted(shell, here):
    assert shell("truerank convert <(cat qrels.txt) piped.json").returncode == 0
    assert json.loads((here / "piped.json").read_text())["q1"] == {"a": 1, "b": 2}
