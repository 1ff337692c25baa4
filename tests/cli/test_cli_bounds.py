"""`truerank bounds`: the table, the formats, what to judge next, and what is told of wrong calls."""

from __future__ import annotations

import csv
import io
import json

import pytest

import truerank as tr

ONE = ("bounds", "qrels.txt", "first.run")
TWO = (*ONE, "second.run")


def test_the_table_has_a_row_a_measure_and_says_how_to_read_it(invoke):
    result = invoke(*ONE, "-m", "RR nDCG@2")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    found = tr.bounds("qrels.txt", "first.run", "RR nDCG@2")
    ties, unjudged = found.ties["nDCG@2"], found.unjudged["nDCG@2"]
    numbers = (ties.mean, ties.worst, ties.expected_mean, ties.best, unjudged.lowest, unjudged.highest)
    assert lines[0].split("  ")[0] == "measure"
    assert lines[2].split() == ["nDCG@2", *(f"{number:.4f}" for number in numbers)]
    assert ties.worst < ties.best
    assert "1 query depends on the order of equal scores." in lines
    assert "1 returned document is unjudged." in lines
    assert any("each gets one of the grades 0, 1, 2, or stays unjudged" in line for line in lines)


@pytest.mark.parametrize("of", ["ties", "unjudged"])
def test_a_run_of_other_queries_is_refused_and_one_of_other_documents_is_warned_of(invoke, here, of):
    (here / "stranger.run").write_text("other Q0 a 1 1.0 r\n", "utf-8")
    result = invoke("bounds", "qrels.txt", "stranger.run", "-m", "RR", "--of", of)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "stranger.run: no query of the run is judged: it answers other" in result.stderr
    query = next(line.split()[0] for line in (here / "qrels.txt").read_text("utf-8").splitlines())
    (here / "stranger.run").write_text(f"{query} Q0 nothing-of-it 1 1.0 r\n", "utf-8")
    result = invoke("bounds", "qrels.txt", "stranger.run", "-m", "RR", "--of", of)
    assert result.exit_code == 0
    assert "no document of stranger.run is judged" in result.stderr


def test_only_what_is_asked_for_is_shown(invoke):
    by_ties, by_judgement = (invoke(*ONE, "-m", "RR", "--of", of).stdout for of in ("ties", "unjudged"))
    assert by_ties.split("\n")[0].split() == ["measure", "value", "worst", "tied", "expected", "best", "tied"]
    assert by_judgement.split("\n")[0].split() == ["measure", "value", "lowest", "highest"]


def test_two_runs_are_named_and_what_to_judge_next_is_listed(invoke):
    result = invoke(*TWO, "-m", "AP", "--judge-next", 5)
    assert result.exit_code == 0
    assert "What to judge next, by AP" in result.stdout
    found = tr.judge_next("qrels.txt", "first.run", "second.run", "AP", 5)
    first = found.candidates[0]
    row = next(line.split() for line in result.stdout.splitlines() if line.startswith(f"{first.query}  "))
    assert row[:4] == [first.query, first.doc, str(first.rank_a or "-"), str(first.rank_b or "-")]
    assert row[4:] == [f"{number:.6f}" for number in (first.low, first.high, first.swing)]


def test_json_has_all_digits_and_the_candidates(invoke):
    found = json.loads(invoke(*TWO, "-m", "AP", "--judge-next", 5, "-f", "json").stdout)
    assert [one["run"] for one in found["bounds"]] == ["first.run", "second.run"]
    assert found["bounds"][0]["ties"]["AP"] == tr.bounds("qrels.txt", "first.run", "AP").ties["AP"].to_dict()
    assert found["judge_next"] == json.loads(
        json.dumps(tr.judge_next("qrels.txt", "first.run", "second.run", "AP", 5).to_dict())
    )


def test_csv_is_a_row_a_run_and_measure_or_a_row_a_document_and_remarks_go_to_standard_error(invoke):
    result = invoke(*TWO, "-m", "AP RR", "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [(row["run"], row["measure"]) for row in rows] == [
        ("first.run", "AP"),
        ("first.run", "RR"),
        ("second.run", "AP"),
        ("second.run", "RR"),
    ]
    assert "first.run: 1 returned document is unjudged.\n" in result.stderr
    listed = list(csv.DictReader(io.StringIO(invoke(*TWO, "-m", "AP", "--judge-next", 1, "-f", "csv").stdout)))
    frame = tr.judge_next("qrels.txt", "first.run", "second.run", "AP", n=1).to_pandas()
    assert [list(row) for row in listed] == [list(frame.columns)]
    assert [row["document"] for row in listed] == frame["document"].tolist() == ["x"]


def test_depth_and_other_rules_apply(invoke):
    found = json.loads(invoke(*ONE, "-m", "RR", "--set", "depth=1", "-f", "json").stdout)["bounds"][0]
    assert found["rules"]["depth"] == 1
    assert found["open"] == 1


def test_the_seed_of_drawn_orders_is_told(invoke, here):
    rows = [f"q1 Q0 {'abx'[n % 3]}{n} 1 1.0 t\n" for n in range(40)]
    (here / "tied.run").write_text("".join(rows))
    (here / "tied.qrels").write_text("".join(f"q1 0 a{n} 1\n" for n in range(0, 40, 3)))
    text = invoke("bounds", "tied.qrels", "tied.run", "-m", "AP", "--of", "ties", "--seed", 7).stdout
    assert "means of 200 random orders (seed 7); the largest standard error is 0.0" in text


def test_what_a_reranker_could_reach_is_what_python_finds(invoke):
    (found,) = json.loads(invoke(*ONE, "-m", "RR AP", "--rerank", 2, "-f", "json").stdout)["bounds"]
    expected = tr.bounds("qrels.txt", "first.run", "RR AP", rerank=2)
    assert {**found, "remarks": None} == {**json.loads(json.dumps(expected.to_dict())), "remarks": None}
    assert "over all orders of the first 2 results" in invoke(*ONE, "-m", "RR", "--rerank", 2).stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*ONE, "--of", "unjudged", "--rerank", 3), "truerank: --rerank is about ties: leave out --of unjudged"),
        ((*ONE, "--judge-next", 3), "truerank: --judge-next needs a second run"),
        ((*ONE, "--of", "holes"), "truerank: Invalid value for '--of'"),
        ((*ONE, "-m", "NDGC"), "truerank: unknown measure 'NDGC'"),
        ((*ONE, "-o", "first.run"), "truerank: first.run: this is what is read"),
        ((*ONE, "-r", "science-qa"), "truerank: bounds are of judged queries"),
        (("bounds", "qrels.txt", "none.run"), "truerank: none.run: there is no such file"),
        (("bounds", "-", "-"), "truerank: Standard input (-) can be only one"),
        ((*TWO, "-m", "GMAP", "--judge-next", 3), "truerank: the mean of GMAP is geometric"),
    ],
)
def test_what_is_wrong_is_told_in_one_line_with_status_2(invoke, arguments, message):
    result = invoke(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(message)
    assert result.stderr.count("\n") == 1
