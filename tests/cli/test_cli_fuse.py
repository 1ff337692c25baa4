"""`truerank fuse`: runs in, one run out; with --tune also what held-out queries score."""

from __future__ import annotations

import gzip
import json
import random
import shlex

import pytest
from click.shell_completion import ShellComplete

import truerank as tr
from truerank.cli import truerank


@pytest.fixture(name="runs")
def fixture_runs(here):
    """Two runs, qrels of their queries, and what was written."""
    rng = random.Random(2)
    qrels = {f"q{i}": {f"d{j}": 1 for j in rng.sample(range(12), 3)} for i in range(8)}
    for name in ("lexical", "dense"):
        rows = [f"{q} Q0 d{j} 1 {rng.random():.4f} t\n" for q in qrels for j in range(12)]
        (here / f"{name}.run").write_text("".join(rows))
    (here / "truth.qrels").write_text("".join(f"{q} 0 {d} 1\n" for q, docs in qrels.items() for d in docs))
    return here


def read(text: str) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for line in text.splitlines():
        query, _, doc, _, score, _ = line.split()
        found.setdefault(query, {})[doc] = float(score)
    return found


def test_what_is_printed_is_the_fused_run(invoke, runs):
    files = ["lexical.run", "dense.run"]
    done = invoke("fuse", *files)
    assert (done.exit_code, done.stderr) == (0, "")
    assert read(done.stdout) == tr.fuse(files, "rrf").to_dict()
    weighed = invoke("fuse", *files, "--method", "wsum", "--weights", "0.3,0.7", "--norm", "zmuv", "--depth", "2")
    assert read(weighed.stdout) == tr.fuse(files, "wsum", norm="zmuv", weights=[0.3, 0.7], depth=2).to_dict()
    plain = invoke("fuse", *files, "--method", "sum", "--norm", "none", "--set", "depth=3")
    assert read(plain.stdout) == tr.fuse(files, "sum", norm=None, rules={"depth": 3}).to_dict()


def test_a_file_is_compressed_and_in_the_format_of_its_name(invoke, runs):
    assert invoke("fuse", "lexical.run", "dense.run", "-o", "fused.run.gz").exit_code == 0
    with gzip.open("fused.run.gz", "rt") as file:
        assert read(file.read()) == tr.fuse(["lexical.run", "dense.run"]).to_dict()
    assert invoke("fuse", "lexical.run", "dense.run", "-o", "fused.json").exit_code == 0
    assert tr.open_run("fused.json").to_dict() == tr.fuse(["lexical.run", "dense.run"]).to_dict()


def test_queries_that_no_run_answers_are_told_where_the_format_has_no_place_for_them(invoke, runs):
    lists = {"q1": ["a", "b"], "q2": []}
    (runs / "lists.json").write_text(json.dumps(lists))
    done = invoke("fuse", "lists.json", "lists.json", "-o", "fused.run")
    assert done.stderr.startswith("truerank: 1 query has no document, which this format cannot say")
    assert invoke("fuse", "lists.json", "lists.json", "-o", "fused.json").stderr == ""
    assert list(tr.open_run("fused.json").to_dict()) == ["q1", "q2"]


def test_nothing_is_written_of_a_run_that_fails_late(invoke, runs):
    with (runs / "dense.run").open("a") as file:
        file.write("q9 Q0 d1 1 word t\n")
    for output in ([], ["-o", "fused.run"]):
        done = invoke("fuse", "lexical.run", "dense.run", *output)
        assert (done.exit_code, done.stdout) == (2, "")
        assert done.stderr == "truerank: dense.run:97: the score is no number\n"
    assert not (runs / "fused.run").exists()


def test_a_tuned_run_is_written_and_its_held_out_scores_are_printed(invoke, runs):
    how = ["--tune", "truth.qrels", "-m", "AP", "--folds", "2", "--step", "0.5"]
    command = ["fuse", "lexical.run", "dense.run", *how]
    done = invoke(*command, "-o", "fused.run")
    assert done.exit_code == 0
    tuned = tr.tune_fusion("truth.qrels", ["lexical.run", "dense.run"], "wsum", "AP", folds=2, step=0.5)
    assert done.stdout.splitlines()[0].split() == ["run", "AP"]
    assert f"wsum, each query held out  {tuned.mean:.4f}\n" in done.stdout
    assert "none had a part in its own (nested cross-validation, 2 folds, seed 0)." in done.stdout
    assert tr.open_run("fused.run").to_dict() == tuned.run.to_dict()
    assert json.loads(invoke(*command, "-f", "json").stdout)["mean"] == tuned.mean
    columns = invoke(*command, "-f", "csv").stdout.splitlines()
    assert columns[0] == "fold,queries,params,tuned,held_out"
    assert len(columns) == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("fuse lexical.run", "fusion takes a list of at least two runs"),
        ("fuse lexical.run dense.run --method rff", "Did you mean rrf?"),
        ("fuse lexical.run dense.run --method wsum", "wsum needs weights"),
        (
            "fuse lexical.run dense.run --method wsum --weights 1,2,3",
            "weights has one value per run; give 2, not 3",
        ),
        ("fuse lexical.run dense.run --method wsum --weights 1;2", "--weights takes numbers with commas between"),
        ("fuse lexical.run dense.run --weights 1,2", "rrf takes k, not weights"),
        ("fuse lexical.run dense.run --norm minmax", "'minmax' is not one of"),
        (
            "fuse lexical.run dense.run --norm max",
            "--norm is for methods of scores, such as wsum or mnz; rrf looks",
        ),
        ("fuse lexical.run dense.run --tune truth.qrels --method w_rrf --norm max", "w_rrf looks at ranks"),
        ("fuse lexical.run dense.run --tune truth.qrels --to jsonl", "--to is the format of the fused run"),
        ("fuse lexical.run truth.qrels", "this holds qrels, not a run"),
        ("fuse lexical.run absent.run", "absent.run"),
        ("fuse lexical.run dense.run -m AP", "--measure is for --tune"),
        ("fuse lexical.run dense.run -f json", "--format is for --tune"),
        ("fuse lexical.run dense.run --step 0.5", "--step is for --tune"),
        ("fuse lexical.run dense.run --folds 3", "--folds is for --tune"),
        ("fuse lexical.run dense.run --seed 3", "--seed is for --tune"),
        (
            "fuse lexical.run dense.run --tune truth.qrels --step 0.3",
            "step 0.3 does not divide 1: take 0.25, or 0.33",
        ),
        (
            "fuse lexical.run dense.run --tune truth.qrels --weights 0.3,0.7",
            "nothing left to tune, as weights is given",
        ),
        ("fuse lexical.run dense.run --tune truth.qrels -m 'AP RR'", "tuned for one measure"),
        ("fuse lexical.run - --tune truth.qrels", "a run is read more than once to be tuned"),
        ("fuse lexical.run dense.run --tune truth.qrels -o -", "with --tune the table goes to standard output"),
        ("fuse - -", "Standard input (-) can be only one of the files"),
        ("fuse lexical.run dense.run -o fused.lz4", ".lz4 is not written"),
    ],
)
def test_what_cannot_be_is_refused_in_words(invoke, runs, words, message):
    done = invoke(*shlex.split(words))
    assert (done.exit_code, done.stdout) == (2, "")
    assert message in done.stderr


def test_the_shell_completes_methods():
    found = ShellComplete(truerank, {}, "truerank", "_X").get_completions(["fuse", "--method"], "w_")
    assert [item.value for item in found] == ["w_rrf", "w_bordafuse", "w_condorcet"]
