"""`truerank vectors`: the library's numbers out of every kind of file, and one line for whatever is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from truerank.cli import truerank
from truerank.cli.progress import Counting
from truerank.core.rules import Rules
from truerank.vectors import evaluate_vectors

Invoke = Any


@pytest.fixture(scope="module")
def given() -> dict[str, Any]:
    """60 queries and 300 entries of 20 identities."""
    rng = np.random.default_rng(3)
    labels = rng.integers(1, 21, 60), rng.integers(-1, 21, 300)
    centres = 2 * rng.standard_normal((22, 8))
    return {
        "query_vectors": centres[labels[0]] + rng.standard_normal((60, 8)),
        "gallery_vectors": centres[labels[1]] + rng.standard_normal((300, 8)),
        "query_labels": labels[0],
        "gallery_labels": labels[1],
        "query_cameras": rng.integers(1, 7, 60),
        "gallery_cameras": rng.integers(1, 7, 300),
    }


@pytest.fixture
def folder(given: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder, which we are in, with the same in one file and in several."""
    short = {"vectors": "f", "labels": "label", "cameras": "cam"}
    named = {f"{side}_{short[kind]}": x for name, x in given.items() for side, kind in [name.split("_")]}
    np.savez(tmp_path / "both.npz", **named)
    for name, values in given.items():
        np.save(tmp_path / f"{name}.npy", values)
        if values.ndim == 1:
            (tmp_path / f"{name}.txt").write_text("".join(f"{value}\n" for value in values))
    for side in ("query", "gallery"):
        part = {name.removeprefix(f"{side}_"): x for name, x in given.items() if name.startswith(side)}
        np.savez(tmp_path / f"{side}.npz", **part)
    np.save(tmp_path / "matrix.npy", given["query_vectors"] @ given["gallery_vectors"].T)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def invoke(folder: Path) -> Invoke:
    """Run the command in this process."""

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(truerank, ["vectors", *arguments])

    return run


LISTS = [
    *("--labels", "query_labels.txt", "--labels", "gallery_labels.npy"),
    *("--cameras", "query_cameras.npy", "--cameras", "gallery_cameras.txt"),
]


def test_the_table_shows_the_means_the_rules_and_how_the_scores_were_made(invoke, given):
    lines = invoke("both.npz").stdout.splitlines()
    mean = evaluate_vectors(**given).mean
    assert lines[0].split() == ["run", *mean]
    assert lines[1].split() == ["both.npz", "(cosine,", "float64)", *(f"{value:.4f}" for value in mean.values())]
    assert lines[3] == "Rules: market1501. 60 queries judged, 60 answered."


def test_measures_are_called_and_shown_as_papers_print_them(invoke, given):
    asked = "Rank-1 mAP R@1%"
    lines = invoke("both.npz", "-m", asked, "--as-written", "--percent").stdout.splitlines()
    mean = evaluate_vectors(**given, measures=asked, as_written=True).mean
    assert lines[0].split() == ["run", *mean] == ["run", "Rank-1", "mAP", "R@1%"]
    assert lines[1].split()[-3:] == [f"{100 * value:.2f}" for value in mean.values()]
    matrix = json.loads(invoke("matrix.npy", "--holds", "similarities", "-m", asked, *LISTS, "-f", "json").stdout)
    assert list(matrix["mean"]) == ["Success@1", "AP", "Success@4"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["both.npz"],
        ["query.npz", "gallery.npz"],
        ["query_vectors.npy", "gallery_vectors.npy", *LISTS],
        ["query_vectors.npy", "gallery_vectors.npy", "--labels", "both.npz", "--cameras", "both.npz"],
        ["both.npz", "--metric", "cosine", "--rules", "market1501", *LISTS],
    ],
)
def test_every_layout_of_the_files_gives_the_same_numbers(invoke, given, arguments):
    answer = json.loads(invoke(*arguments, "--format", "json", "--per-query").stdout)
    scores = evaluate_vectors(**given)
    assert answer == {**scores.to_dict(per_query=True), "run": f"{arguments[0]} (cosine, float64)"}


@pytest.mark.parametrize(
    ("arguments", "how"),
    [
        (["-m", "cmc@1 mAP mINP"], {"measures": "cmc@1 mAP mINP"}),
        (["--metric", "euclidean", "-m", "mAP", "-m", "R@1%"], {"metric": "euclidean", "measures": "mAP R@1%"}),
        (["--rules", "university1652"], {"rules": "university1652"}),
        (
            ["--rules", "cuhk03", "--seed", "5"],
            {"rules": Rules.named("cuhk03").replace(name="cuhk03 with gallery_seed=5", gallery_seed=5)},
        ),
        (
            ["--galleries", "3", "--distractor", "99"],
            {
                "rules": Rules.named("market1501").replace(
                    name="market1501 with distractor_identities=99, single_shot_galleries=3",
                    distractor_identities=[99],
                    single_shot_galleries=3,
                )
            },
        ),
        (
            ["--rules", "truerank", "--junk", "4", "--junk", "5"],
            {"rules": Rules(name="truerank with junk_identities=4,5", junk_identities=(4, 5))},
        ),
    ],
)
def test_options_are_the_librarys(invoke, given, arguments, how):
    if "--junk" in arguments:
        given = {
            **given,
            "query_labels": np.where(np.isin(given["query_labels"], [4, 5]), 6, given["query_labels"]),
        }
        np.save("changed.npy", given["query_labels"])
        arguments = [*arguments, "--labels", "changed.npy", "--labels", "gallery_labels.npy"]
    answer = json.loads(invoke("both.npz", *arguments, "--format", "json").stdout)
    scores = evaluate_vectors(**given, **how, name="both.npz")
    assert answer == scores.to_dict()


def test_a_changed_rule_keeps_its_protocol(invoke, given):
    answer = json.loads(invoke("both.npz", "--set", "depth=5", "--format", "json").stdout)
    assert answer["rules"]["name"] == "market1501 with depth=5"
    assert answer["ledger"]["returned"] == 5 * 60
    assert answer["mean"]["Success@5"] == evaluate_vectors(**given).mean["Success@5"]


def test_a_ready_matrix_gives_the_numbers_of_its_vectors(invoke, given):
    answer = json.loads(invoke("matrix.npy", "--holds", "similarities", *LISTS, "-f", "json").stdout)
    scores = evaluate_vectors(**given, metric="dot")
    assert (answer["mean"], answer["ledger"]) == (scores.mean, scores.ledger.to_dict())
    assert answer["run"] == "matrix.npy (similarities, float64)"


def test_a_file_alone_is_its_own_gallery(invoke, given):
    answer = json.loads(invoke("query.npz", "-f", "json").stdout)
    alone = {name.replace("gallery", "query"): x for name, x in given.items() if name.startswith("query")}
    assert answer["mean"] == evaluate_vectors(**alone).mean
    assert answer["rules"]["self_match"] == "remove"


def test_qrels_and_ids_take_the_place_of_labels(invoke, folder):
    (folder / "qrels.txt").write_text("q0 0 g7 1\nq1 0 g9 2\n")
    (folder / "q.txt").write_text("".join(f"q{i}\n" for i in range(60)))
    (folder / "g.txt").write_text("".join(f"g{i}\n" for i in range(300)))
    arguments = [
        "query_vectors.npy",
        "gallery_vectors.npy",
        "--ids",
        "q.txt",
        "--ids",
        "g.txt",
        "--qrels",
        "qrels.txt",
    ]
    answer = json.loads(invoke(*arguments, "--rules", "truerank", "-m", "RR", "-q", "-f", "json").stdout)
    assert list(answer["queries"]) == ["q0", "q1"]
    assert answer["ledger"]["extra"] == 58


def test_the_scores_go_to_a_file_in_the_format_of_its_name(invoke, folder):
    result = invoke("both.npz", "-o", "scores.csv", "--per-query")
    assert (result.exit_code, result.stdout) == (0, "")
    lines = (folder / "scores.csv").read_text().splitlines()
    assert lines[0].startswith("run,rules,query,Success@1")
    assert len(lines) == 61


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.npz"], "nothing.npz: there is no such file"),
        (["query_labels.txt"], "query_labels.txt: this is no .npy, .npz, .mat, HDF5, Parquet or .fvecs file"),
        (["query_vectors.npy", *LISTS[:4]], "gallery_labels are given, but no gallery"),
        (["query_labels.npy"], "query vectors: a table of numbers is needed, not int64 of shape (60,)"),
        (["query_vectors.npy", "gallery_vectors.npy"], "there are neither labels nor qrels to tell what is right"),
        (["query_vectors.npy", "gallery_vectors.npy", *LISTS[:2]], "there are query_labels but no gallery_labels"),
        (["both.npz", *["--labels", "query_labels.txt"] * 3], "labels come from a file of the queries and one"),
        (["matrix.npy", "gallery.npz", "--holds", "distances"], "a matrix holds the gallery's columns itself"),
        (
            ["matrix.npy", "--holds", "distances", "--metric", "dot"],
            "--metric is for vectors, not for a matrix",
        ),
        (["matrix.npy", "--holds", "distances", "--pool", "max"], "--pool is for vectors, not for a matrix"),
        (["both.npz", "--save-depth", "5"], "--save-depth needs --save-run"),
        (["both.npz", "--rules", "market"], "there are no rules named 'market'. Did you mean market1501?"),
        (["both.npz", "-m", "mAPP"], "unknown measure 'mAPP'. Did you mean"),
        (
            ["both.npz", *LISTS[2:4], "--labels", "query_labels.txt"],
            "query_labels has 300 values where there are 60",
        ),
    ],
)
def test_what_is_wrong_is_told_in_one_line(invoke, arguments, message):
    result = invoke(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("truerank: ")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_the_bar_shows_how_many_queries_are_ranked(monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    ranking = Counting("ranking queries")
    ranking.reach(10, 60)
    ranking._draw()
    ranking.reach(30, 60)
    ranking.__exit__()
    assert "ranking queries" in capsys.readouterr().err


def test_nothing_is_drawn_where_there_is_no_terminal(invoke):
    assert invoke("both.npz").stderr == ""
