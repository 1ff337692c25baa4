"""`--judged-by` and `--predicted-by` of eval, compare and check: what is printed, and what is refused."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import truerank as tr

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "predicted"
PEOPLE, MODEL, BM25, DENSE = (EXAMPLES / name for name in ("people.qrels", "model.qrels", "bm25.run", "dense.run"))
BOTH = ("--judged-by", PEOPLE, "--predicted-by", MODEL)
JUDGED = (*BOTH, "--sample", "random")


def test_eval_prints_what_python_finds(invoke):
    result = invoke("eval", *JUDGED, BM25, DENSE, "-m", "AP")
    assert (result.exit_code, result.stderr) == (0, "")
    for run in (BM25, DENSE):
        found = tr.predicted(PEOPLE, MODEL, run, "AP", sample="random")["AP"].interval
        assert f"{found.estimate:.4f}  [{found.low:.3f}, {found.high:.3f}]" in result.stdout
    assert max(len(line) for line in result.stdout.splitlines() if "AP" in line) <= 80


def test_json_and_csv_have_all_digits(invoke):
    found = tr.predicted(str(PEOPLE), str(MODEL), str(BM25), "AP", sample="random")
    plain = json.loads(invoke("eval", *JUDGED, BM25, "-m", "AP", "-f", "json").stdout)["predicted"][0]
    plain.pop("remarks")
    assert plain == json.loads(json.dumps(found.to_dict()))
    row = next(csv.DictReader(io.StringIO(invoke("eval", *JUDGED, BM25, "-m", "AP", "-f", "csv").stdout)))
    assert float(row["low"]) == found["AP"].interval.low


def test_a_width_asks_how_many_and_judge_next_which_queries(invoke):
    words = (BM25, "-m", "AP", "--width", 0.15, "--judge-next", 4, "-f", "json")
    plain = json.loads(invoke("eval", *JUDGED, *words).stdout)
    found = tr.predicted(PEOPLE, MODEL, BM25, "AP", sample="random")
    assert plain["needed"]["estimates"][0]["judged"] == found["AP"].needed(0.15)
    assert plain["judge_next"] == list(found.next_to_judge(4))
    text = invoke("eval", *JUDGED, *words[:-2]).stdout
    assert "For intervals of a width of 0.15" in text
    assert "To judge next" in text


def test_probabilities_are_read_from_a_table(invoke, tmp_path):
    rows = [f"t{n:03},0.25" for n in range(1, 121)]
    (tmp_path / "chances.csv").write_text("\n".join(["query_id,probability", *rows]) + "\n")
    plain = json.loads(invoke("eval", *BOTH, "--sample", "chances.csv", BM25, "-m", "AP", "-f", "json").stdout)[
        "predicted"
    ][0]
    random = tr.predicted(PEOPLE, MODEL, BM25, "AP", sample="random")
    assert plain["sample"] == "probability"
    assert plain["estimates"]["AP"]["low"] == random["AP"].interval.low
    result = invoke("eval", *BOTH, "--sample", "chances.csv", BM25, "--judge-next", 3)
    assert (result.exit_code, "p + (1 - p) q" in result.stderr) == (2, True)


def test_compare_prints_the_prediction_powered_difference(invoke):
    result = invoke("compare", *JUDGED, BM25, DENSE, "-m", "AP")
    assert (result.exit_code, result.stderr) == (0, "")
    one, other = (tr.predicted(PEOPLE, MODEL, run, "AP", sample="random") for run in (DENSE, BM25))
    assert f"{one.against(other)['AP'].interval.estimate:+.4f}" in result.stdout
    assert "People judged 30 of 120 queries" in result.stdout


def test_check_is_decided_by_the_estimate(invoke):
    result = invoke("check", *JUDGED, DENSE, "--min", "AP=0.2", "--sure", "--no-worse-than", BM25, "--margin", 0.05)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "people judged 30 of 120 queries, and the model all" in result.stdout
    assert invoke("check", *JUDGED, DENSE, "--min", "AP=0.99", "--sure").exit_code == 1


def test_a_sample_that_is_not_random_is_said_on_standard_error_too(invoke, tmp_path):
    queries = [f"t{n:03}" for n in range(1, 26)]
    rows = [row for row in MODEL.read_text().splitlines() if row.split()[0] in queries]
    (tmp_path / "first.qrels").write_text("\n".join(rows) + "\n")
    how = ("--judged-by", "first.qrels", "--predicted-by", MODEL, "--sample", "random", BM25, "-m", "AP")
    assert "the first 25 queries in the order of their ids" in invoke("eval", *how).stdout
    assert "the first 25 queries" in invoke("eval", *how, "-f", "csv").stderr
    assert "the first 25 queries" in invoke("check", *how, "--min", "AP=0.1").stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("eval", *BOTH, BM25), "how were the queries chosen"),
        (("compare", *BOTH, BM25), "how were the queries chosen"),
        (("check", *BOTH, BM25, "--min", "AP=0.1"), "how were the queries chosen"),
        (("eval", "--judged-by", PEOPLE, BM25), "give all three"),
        (("eval", "--sample", "random", PEOPLE, BM25), "give all three"),
        (("eval", PEOPLE, BM25, "--width", 0.1), "--width and --judge-next are for"),
        (("eval", *JUDGED), "Missing argument"),
        (("eval", PEOPLE), "Missing argument 'RUN...'"),
        (("eval", *JUDGED, "-"), "read twice"),
        (("eval", *JUDGED, BM25, "--per-query"), "leave out --per-query"),
        (("eval", *JUDGED, BM25, "-m", "NumRel"), "no plain mean"),
        (("eval", *JUDGED, BM25, "--judge-next", 91), "90 queries left"),
        (("eval", *BOTH, "--sample", "nowhere.csv", BM25), "nowhere.csv"),
        (("eval", "--judged-by", "qrels.txt", "--predicted-by", MODEL, "--sample", "random", BM25), "in common"),
        (("eval", "--judged-by", MODEL, "--predicted-by", PEOPLE, "--sample", "random", BM25), "did not (t0"),
        (("compare", *JUDGED, BM25, DENSE, "--test", "t"), "test is prediction-powered"),
        (("check", *JUDGED, PEOPLE, BM25, "--min", "AP=0.1"), "no QRELS"),
    ],
    ids=lambda value: " ".join(map(str, value))[-60:] if isinstance(value, tuple) else "",
)
def test_what_is_asked_wrongly_is_told_in_one_line(invoke, words, said):
    result = invoke(*words)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


def test_one_judged_query_is_an_estimate_without_an_interval(invoke, tmp_path):
    (tmp_path / "one.qrels").write_text("t007 0 p1 1\nt007 0 p2 0\n")
    result = invoke("eval", "--judged-by", "one.qrels", "--predicted-by", MODEL, "--sample", "random", BM25)
    assert result.exit_code == 0
    assert "unknown" in result.stdout
    assert "Warning: people judged 1 query; below 20 nothing is promised of the intervals." in result.stdout
