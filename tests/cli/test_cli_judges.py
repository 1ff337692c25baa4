"""`truerank judges`: what it prints is what Python finds; its words, its picture, and what it refuses."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import truerank as tr

COMPARE = Path(__file__).parents[2] / "examples" / "compare"
RUNS = [str(COMPARE / f"{name}.run") for name in ("bm25", "dense", "hybrid")]


@pytest.fixture
def judged(tmp_path: Path) -> tuple[str, str]:
    """The qrels of the example, and those of somebody who is one grade stricter and left some out."""
    other = tmp_path / "strict.qrels"
    lines = [line.split() for line in (COMPARE / "qrels.txt").read_text().splitlines()]
    kept = [(q, i, d, max(0, int(g) - 1)) for n, (q, i, d, g) in enumerate(lines) if n % 7]
    other.write_text("".join(f"{q} {i} {d} {g}\n" for q, i, d, g in kept))
    return str(COMPARE / "qrels.txt"), str(other)


def test_it_prints_what_python_finds(invoke, judged):
    printed = invoke("judges", *judged, "--run", *RUNS, "-m", "nDCG@10 AP", "--samples", 300)
    assert (printed.exit_code, printed.stderr) == (0, "")
    found = tr.judges(list(judged), RUNS, "nDCG@10 AP", samples=300)
    assert f"{found.pairs[0].coefficients['kappa'].estimate:.4f}" in printed.stdout
    assert f"{found.standings[1].outcomes['strict.qrels'].means['dense.run'].estimate:.4f}" in printed.stdout
    plain = json.loads(
        invoke("judges", *judged, "--run", *RUNS, "-m", "nDCG@10 AP", "--samples", 300, "-f", "json").stdout
    )
    plain.pop("remarks")
    assert plain == json.loads(json.dumps(found.to_dict()))


def test_the_table_of_queries_is_printed_and_written_as_csv_when_asked_for(invoke, judged):
    assert "t01" in invoke("judges", *judged, "--per-query", "--samples", 50).stdout
    assert "t01" not in invoke("judges", *judged, "--samples", 50).stdout
    rows = list(csv.DictReader(io.StringIO(invoke("judges", *judged, "--per-query", "-f", "csv").stdout)))
    assert len(rows) == 40
    assert set(rows[0]) == {"first", "second", "query", "shared", "equal", "kappa", "mean_first", "mean_second"}


def test_runs_follow_one_option_or_one_each(invoke, judged):
    asked = ("judges", *judged, "-m", "AP", "--samples", 50)
    together = invoke(*asked, "--run", *RUNS, "--seed", 1)
    apart = invoke(*asked, *(word for run in RUNS for word in ("--run", run)), "--seed", 1)
    assert together.exit_code == 0
    assert together.stdout == apart.stdout


def test_it_draws_the_means_by_one_judge_against_the_other(invoke, judged, tmp_path):
    plot = tmp_path / "judges.svg"
    asked = ("judges", *judged, "--run", *RUNS, "--samples", 50, "--plot", plot)
    assert invoke(*asked, "-m", "AP").exit_code == 0
    assert "dense.run" in plot.read_text()
    assert invoke(*asked, "-m", "RR P@5").exit_code == 0
    assert {path.name for path in tmp_path.glob("*.svg")} == {"judges.svg", "judges-RR.svg", "judges-P@5.svg"}
    assert invoke("judges", *judged, "--run", RUNS[0], "--samples", 50, "--plot", plot).exit_code == 2


def test_a_report_has_a_section_of_judges(invoke, judged, tmp_path):
    page = tmp_path / "report.md"
    result = invoke("report", judged[0], *RUNS, "--judges", judged[1], "-o", page)
    assert (result.exit_code, result.stderr) == (0, "")
    text = page.read_text()
    assert "## Judges" in text
    assert "--judges strict.qrels" in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("{a}",), "two or more"),
        (("{a}", "{none}"), "judged by two"),
        (("{a}", "{b}", "--binary", "one"), "--binary takes numbers with commas between them"),
        (("{a}", "{b}", "--binary", "1,2,3"), "2 judges and 3 levels"),
        (("{a}", "{b}", "--common"), "--common needs --run"),
        (("{a}", "{b}", "-m", "AP"), "--measures needs --run"),
        (("{a}", "{b}", "--rules", "trec_eval-9"), "--rules needs --run"),
        (("{a}", "{b}", "--set", "level=2"), "--set needs --run"),
        (("{a}", "{b}", "--run-format", "trec"), "--run-format needs --run"),
        (("{a}", "{b}", "--run", "-"), "read only once"),
        (("{a}", "{b}", "--vote", "mean"), "--vote needs --consensus"),
        (("{a}", "{b}", "--consensus", "{b}"), "this is what is read"),
        (("{a}", "{missing}"), "missing.qrels"),
        (("{a}", "{b}", "-m", "AB", "--run", RUNS[0]), "AB"),
    ],
)
def test_what_is_asked_wrongly_is_said_in_one_line(invoke, judged, tmp_path, words, said):
    (tmp_path / "none.qrels").write_text("x 0 y 1\n")
    files = {"a": judged[0], "b": judged[1], "none": tmp_path / "none.qrels", "missing": tmp_path / "missing.qrels"}
    result = invoke("judges", *(word.format(**files) for word in words))
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stderr.startswith("truerank: ")
    assert result.stderr.count("\n") == 1


def test_the_second_column_of_trec_qrels_is_an_aspect_where_it_is_said(invoke, tmp_path):
    one, other = tmp_path / "one.qrels", tmp_path / "other.qrels"
    one.write_text("q 1 a 1\nq 2 a 0\nq 1 b 0\n")
    other.write_text("q 1 a 1\nq 2 a 1\nq 1 b 0\n")
    said = invoke("judges", one, other, "--set", "iteration=aspect", "-f", "json")
    found = json.loads(said.stdout)
    assert (found["by_aspect"], found["pairs"][0]["confusion"]) == (True, [[1, 1], [0, 1]])
    refused = invoke("judges", one, other)
    assert refused.exit_code == 2
    assert "if these are aspects, say so" in refused.stderr


def test_what_judges_vote_is_written_as_qrels(invoke, judged, tmp_path):
    panel, asked = tmp_path / "panel.jsonl", ("judges", *judged, "--samples", 50)
    for words, vote in (((), "majority"), (("--vote", "mean"), "mean")):
        told = invoke(*asked, "--consensus", panel, *words)
        assert (told.exit_code, told.stdout) == (0, invoke(*asked).stdout)
        voted = tr.judges(list(judged), samples=50).consensus(vote)
        assert tr.evaluate(panel, RUNS[0], "AP nDCG").mean == tr.evaluate(voted, RUNS[0], "AP nDCG").mean
