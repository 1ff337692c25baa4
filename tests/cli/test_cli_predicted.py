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
    several = invoke("eval", *JUDGED, BM25, DENSE, *words[1:5]).stdout.partition("For intervals")[2]
    assert [line.split()[:2] for line in several.splitlines()[2:5]] == [
        ["run", "measure"],
        ["bm25.run", "AP"],
        ["dense.run", "AP"],
    ]


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


def test_a_file_of_gates_names_the_judgements_too(invoke, tmp_path):
    gates = tmp_path / "gates.toml"
    text = f"""judged_by = "{PEOPLE}"
predicted_by = "{MODEL}"
sample = "random"
run = "{DENSE}"
no_worse_than = "{BM25}"
[min]
AP = 0.2
"""
    gates.write_text(text)
    said = invoke("check", gates).stdout
    asked = invoke("check", *JUDGED, DENSE, "--min", "AP=0.2", "--no-worse-than", BM25)
    assert said == asked.stdout
    assert invoke("check", gates, BM25).stdout.startswith("bm25.run: pass")
    rows = [f"t{n:03},0.25" for n in range(1, 121)]
    (tmp_path / "chances.csv").write_text("\n".join(["query_id,probability", *rows]) + "\n")
    gates.write_text(text.replace('"random"', '"chances.csv"'))
    assert invoke("check", gates).stdout == said
    for change, wrong in (('sample = "random"', "how were the queries chosen"), ("run =", "give one RUN")):
        gates.write_text(text.replace(change, "qrels =" if change == "run =" else ""))
        result = invoke("check", gates)
        assert (result.exit_code, wrong in result.stderr) == (2, True)


def test_a_sample_that_is_not_random_is_said_on_standard_error_too(invoke, tmp_path):
    queries = [f"t{n:03}" for n in range(1, 26)]
    rows = [row for row in MODEL.read_text().splitlines() if row.split()[0] in queries]
    (tmp_path / "first.qrels").write_text("\n".join(rows) + "\n")
    how = ("--judged-by", "first.qrels", "--predicted-by", MODEL, "--sample", "random", BM25)
    assert "the first 25 queries in the order of their ids" in invoke("eval", *how, "-m", "AP").stdout
    assert "the first 25 queries" in invoke("eval", *how, "-m", "AP", "-f", "csv").stderr
    assert "the first 25 queries" in invoke("check", *how, "--min", "AP=0.1").stdout
    assert "the first 25 queries" in invoke("check", *how, "--min", "AP=0.1", "-f", "json").stdout
    assert "the first 25 queries" in invoke("check", *how, "--min", "AP=0.1", "-f", "csv").stderr


def test_a_report_begins_with_the_estimates(invoke, tmp_path):
    page = tmp_path / "report.md"
    result = invoke("report", *JUDGED, BM25, DENSE, "-m", "nDCG@5 AP", "--lang", "en", "-o", page)
    assert (result.exit_code, result.stderr) == (0, "")
    text = page.read_text()
    assert text.index("## Estimates for all queries") < text.index("## Result")
    assert "[0.612, 0.719]" in text.replace("\\", "")
    assert "+0.0824" in text
    titles = [line for line in text.splitlines() if "Systems by" in line]
    assert len(titles) == len(set(titles)) == 4
    again = next(line for line in text.splitlines() if "truerank report bm25.run" in line)
    assert "--judged-by people.qrels --predicted-by model.qrels --sample random" in again
    plain = tmp_path / "report.json"
    assert invoke("report", *JUDGED, BM25, "-m", "AP", "-o", plain).exit_code == 0
    assert json.loads(plain.read_text())["results"]["predicted"]["predictions"]["bm25.run"]["judged"] == 30


def test_remarks_on_one_of_several_runs_name_it(invoke, tmp_path):
    (tmp_path / "wrong.run").write_text(
        "".join(f"t{n:03} 0 nothing {1} 1.0 x\n" for n in range(1, 121)), encoding="utf-8"
    )
    said = invoke("eval", *JUDGED, BM25, tmp_path / "wrong.run", "-m", "AP").stdout
    assert "wrong.run AP: all values are equal" in said
    alone = invoke("compare", *JUDGED, BM25, "-m", "AP").stdout
    assert "People judged 30 of 120" in alone
    assert "it need not be that of the means" not in alone
    both = invoke("compare", *JUDGED, BM25, DENSE, "-m", "AP").stdout
    assert "it need not be that of the means" in both
    assert "Weight: how far" not in both, "the table has no such column"


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
        (("report", *JUDGED), "There are judgements and no RUNs"),
        (("report", *BOTH, BM25), "how were the queries chosen"),
        (("report", *JUDGED, BM25, "--percent"), "estimates are fractions"),
        (("eval", PEOPLE), "Missing argument 'RUN...'"),
        (("eval", *JUDGED, "-"), "read twice"),
        (("eval", *JUDGED, BM25, "--per-query"), "leave out --per-query"),
        (("eval", *JUDGED, BM25, "--layout", "long"), "leave out --per-query, --percent, --layout"),
        (("eval", *JUDGED, BM25, "--ids", "(.+)"), "--collapse and --ids"),
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
