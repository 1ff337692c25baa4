"""`truerank compare`: the table, the formats, the options, and what is told of wrong ones."""

from __future__ import annotations

import csv
import io
import json
import os
import threading
from pathlib import Path

import pytest

import truerank as tr

TWO = ("compare", "qrels.txt", "first.run", "second.run")
EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "compare"
THREE = ("compare", EXAMPLES / "qrels.txt", *(EXAMPLES / f"{name}.run" for name in ("bm25", "dense", "hybrid")))


def test_the_table_has_a_row_a_system_and_says_how_it_was_made(invoke):
    result = invoke(*TWO, "-m", "AP", "--seed", 4)
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    scores = [tr.evaluate("qrels.txt", name, "AP").mean["AP"] for name in ("first.run", "second.run")]
    assert " ".join(lines[0].split()) == "run AP 95 % interval difference 95 % interval effect p W/T/L beats"
    rows = {line.split()[1]: line.split() for line in lines[1:3]}
    assert {name: row[2] for name, row in rows.items()} == {
        "first.run": f"{scores[0]:.4f}",
        "second.run": f"{scores[1]:.4f}",
    }
    assert rows["first.run"][-1] == "baseline"
    assert any(line.startswith("p: paired randomization test, every pattern of signs counted;") for line in lines)
    few = "Intervals: unknown, 3 queries being too few"
    assert any(line.startswith(few) and line.endswith(". Seed 4.") for line in lines)
    assert "Warning: 3 queries are too few to rely on; take at least 30, better 50." in lines
    assert "Warning: with so few queries p cannot be below 0.25: no difference can be significant." in lines


def test_three_systems_have_their_pairs_and_groups_too(invoke):
    lines = invoke(*THREE, "-m", "nDCG@5").stdout.splitlines()
    assert lines[0].split()[-2:] == ["beats", "group"]
    assert lines[5].split()[:2] == ["run", "against"]
    assert [line.split()[:2] for line in lines[6:9]] == [
        ["hybrid.run", "dense.run"],
        ["hybrid.run", "bm25.run"],
        ["dense.run", "bm25.run"],
    ]


def test_json_is_the_comparison_with_its_remarks(invoke):
    paths = list(map(str, THREE[1:]))
    found = json.loads(invoke(*THREE, "-m", "AP P@5", "-f", "json").stdout)
    remarks = found.pop("remarks")
    assert found == json.loads(json.dumps(tr.compare(paths[0], paths[1:], "AP P@5").to_dict()))
    assert remarks[0] == "Remark: 40 queries; 50 or more are usual."


def test_csv_is_a_row_a_system_and_a_row_a_pair_and_remarks_go_to_standard_error(invoke):
    result = invoke(*THREE, "-m", "AP", "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [(row["system"], row["against"]) for row in rows] == [
        ("bm25.run", ""),
        ("dense.run", ""),
        ("hybrid.run", ""),
        ("dense.run", "bm25.run"),
        ("hybrid.run", "bm25.run"),
        ("hybrid.run", "dense.run"),
    ]
    mean = tr.evaluate(str(THREE[1]), str(THREE[2]), "AP").mean["AP"]
    assert float(rows[0]["value"]) == mean
    assert result.stderr.startswith("Remark: 40 queries; 50 or more are usual.\n")


@pytest.mark.parametrize(
    ("ending", "begins"), [(".tex", "\\begin{table}"), (".md", "|  | run | AP |"), (".json", "{")]
)
def test_output_goes_to_a_file_whose_ending_chooses_the_format(invoke, here, ending, begins):
    assert invoke(*TWO, "-m", "AP", "-o", f"out{ending}").stdout == ""
    assert (here / f"out{ending}").read_text().startswith(begins)


@pytest.mark.parametrize("baseline", ["dense.run", "2", str(THREE[3])])
def test_a_baseline_is_a_file_or_its_number(invoke, baseline):
    found = json.loads(invoke(*THREE, "-m", "AP", "--baseline", baseline, "-f", "json").stdout)
    pairs = [(pair["system"], pair["against"]) for pair in found["outcomes"][0]["pairs"]]
    assert pairs == [("bm25.run", "dense.run"), ("hybrid.run", "dense.run")]
    assert found["procedure"]["baseline"] == "dense.run"
    every = json.loads(invoke(*THREE, "-m", "AP", "--baseline", baseline, "--all-pairs", "-f", "json").stdout)
    assert len(every["outcomes"][0]["pairs"]) == 3


def test_slices_have_the_same_table_each(invoke):
    asked = (*THREE, "-m", "nDCG@5", "--baseline", 1, "--by", f"{EXAMPLES / 'topics.csv'}:language")
    text = invoke(*asked).stdout
    assert text.count("% interval   difference") == 3
    assert "nDCG@5, language = de (16 queries)" in text
    found = json.loads(invoke(*asked, "-f", "json").stdout)
    assert {value: part["query_count"] for value, part in found["slices"].items()} == {"de": 16, "en": 24}
    rows = list(csv.DictReader(io.StringIO(invoke(*asked, "-f", "csv").stdout)))
    assert [row["slice"] for row in rows] == [""] * 5 + ["de"] * 5 + ["en"] * 5


@pytest.mark.parametrize(
    "options",
    [
        ("--test", "t"),
        ("--test", "wilcoxon", "--correction", "bh"),
        ("--test", "sign", "--correction", "bonferroni"),
        ("--test", "tukey"),
        ("--correction", "max-t", "--samples", 500),
        ("--correction", "none", "--confidence", 0.9),
        ("--set", "level=2"),
    ],
)
def test_every_option_is_told_and_the_same_bytes_come_again(invoke, options):
    once, again = (invoke(*THREE, "-m", "AP", *options) for _ in range(2))
    assert once.exit_code == 0
    assert once.stdout == again.stdout
    assert once.stdout != invoke(*THREE, "-m", "AP").stdout


def test_digits_are_chosen(invoke):
    assert " 0.64  [0.56, 0.70] " in invoke(*THREE, "-m", "nDCG@5", "--digits", 2).stdout


def test_the_same_run_twice_is_compared_with_itself(invoke):
    result = invoke("compare", "qrels.txt", "first.run", "first.run", "-m", "AP")
    assert result.exit_code == 0
    assert "first.run and first.run #2 score the same on every query." in result.stdout


def test_one_run_is_no_error(invoke):
    result = invoke("compare", "qrels.txt", "first.run", "-m", "AP")
    assert result.exit_code == 0
    assert "One system: there is nothing to compare it with." in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*TWO, "--baseline", "third.run"), "truerank: there is no system 'third.run' for a baseline."),
        ((*TWO, "--baseline", "3"), "truerank: --baseline 3: there are 2 runs"),
        ((*TWO, "--baseline", "3" * 5000), f"truerank: --baseline {'3' * 5000}: there are 2 runs"),
        ((*TWO, "--by", "topics.csv"), "truerank: queries are cut by FILE:COLUMN"),
        ((*TWO, "--by", "none.csv:x"), "truerank: none.csv: there is no such file"),
        ((*TWO, "--by", "qrels.txt:x"), "truerank: qrels.txt: "),
        ((*TWO, "--test", "t", "--correction", "max-t"), "truerank: max-t corrects the randomization test"),
        ((*TWO, "-o", "first.run"), "truerank: first.run: this is what is read"),
        (("compare", "qrels.txt", "first.run", "none.run"), "truerank: none.run: there is no such file"),
        ((*TWO, "-m", "NDGC"), "truerank: unknown measure 'NDGC'"),
        ((*TWO, "--test", "f"), "truerank: Invalid value for '--test'"),
        ((*TWO, "--confidence", "1"), "truerank: Invalid value for '--confidence'"),
        ((*TWO, "--confidence", "95%"), "truerank: Invalid value for '--confidence': '95%' is a percentage; give"),
        (
            (*TWO, "-o", "x.pdf"),
            "truerank: x.pdf: no format of results ends in .pdf: say which",
        ),
        (
            ("compare", "no.qrels", "first.run", "-o", "x.Parquet.gz"),
            "truerank: x.Parquet.gz: no format of results",
        ),
        (("compare", "qrels.txt"), "truerank: Missing argument"),
        (("compare", "-", "-", "first.run"), "truerank: Standard input (-) can be only one"),
    ],
)
def test_what_is_wrong_is_told_in_one_line_with_status_2(invoke, arguments, message):
    result = invoke(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(message)
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "start"),
    [
        (("-o", "x.JSON"), "{"),
        (("-o", "x.Html"), "<"),
        (("-o", "x.pdf", "-f", "csv"), "measure,"),
        (("-o", "x.out"), "nDCG@10"),
    ],
)
def test_a_file_is_written_as_its_ending_or_the_format_says(invoke, arguments, start):
    assert invoke(*TWO, *arguments).exit_code == 0
    assert Path(arguments[1]).read_text().startswith(start)


def test_what_is_listed_is_compared_and_checked_with_a_table_of_the_documents(invoke, here):
    (here / "items.csv").write_text("id,popularity,group\na,3,g\nb,1,h\nx,4,g\n")
    names = ("first.run", "second.run")
    scores = {name: tr.evaluate("qrels.txt", name, "Novelty AWRF", items="items.csv") for name in names}
    found = json.loads(invoke(*TWO, "-m", "Novelty AWRF", "--items", "items.csv", "-f", "json").stdout)
    for one in found["outcomes"]:
        assert one["systems"]["first.run"]["mean"] == scores["first.run"].mean[one["measure"]]
    again = tr.compare("qrels.txt", list(names), "Novelty AWRF", items="items.csv")
    assert repr(again["AWRF"]) == repr(tr.compare(None, scores, "AWRF")["AWRF"])
    (here / "gates.toml").write_text(
        'qrels = "qrels.txt"\nrun = "first.run"\nitems = "items.csv"\nmin = {AWRF = 0}\n'
    )
    by_option = ("qrels.txt", "first.run", "--min", "AWRF=0", "--items", "items.csv")
    for given in (("gates.toml",), by_option):
        checked = json.loads(invoke("check", *given, "-f", "json").stdout)
        assert checked["gates"][0]["value"] == scores["first.run"].mean["AWRF"]
    assert "table of the documents" in invoke(*TWO, "-m", "AWRF").stderr
    estimated = ("--judged-by", "qrels.txt", "--predicted-by", "qrels.txt", "--sample", "random")
    for command in (("compare", "first.run", "second.run"), ("check", "first.run", "--min", "AWRF=0")):
        assert "leave out --judged-by" in invoke(*command, *estimated, "--items", "items.csv").stderr
    assert "this is what is read" in invoke(*TWO, "-m", "AWRF", "--items", "items.csv", "-o", "items.csv").stderr


def test_saved_scores_are_compared_as_the_runs_that_they_are_of(invoke):
    for name in ("first", "second"):
        invoke("eval", "qrels.txt", f"{name}.run", "-m", "AP mrr", "--per-query", "-o", f"{name}.json")
    invoke("eval", "qrels.txt", "first.run", "second.run", "-m", "AP mrr", "--per-query", "-o", "both.json")
    wanted = invoke(*TWO, "-m", "AP mrr", "-f", "json").stdout
    both = ("qrels.txt", "first.json", "second.run"), ("first.json", "second.json"), ("both.json",)
    for given in both:
        assert invoke("compare", *given, "-f", "json").stdout == wanted
        assert (
            json.loads(invoke("compare", *given, "-m", "RR", "-f", "json").stdout)["outcomes"][0]["measure"] == "RR"
        )
    for baseline in ("first.json", "first.run", 1):
        found = json.loads(
            invoke("compare", "second.json", "first.json", "--baseline", baseline, "-f", "json").stdout
        )
        assert found["procedure"]["baseline"] == ("second.run" if baseline == 1 else "first.run")
    system = invoke("compare", "first.json", "--system", "both=first.json,second.json", "-f", "json")
    assert list(json.loads(system.stdout)["systems"]) == ["first.run", "both"]
    assert tr.compare(None, ["first.json", "second.json"]).to_dict() == tr.compare(None, "both.json").to_dict()


def test_saved_scores_under_other_rules_keep_them(invoke):
    invoke("eval", "qrels.txt", "first.run", "-m", "AP", "--set", "level=2", "--per-query", "-o", "first.json")
    found = json.loads(invoke("compare", "qrels.txt", "first.json", "second.run", "-f", "json").stdout)
    assert found["rules"]["name"] == "truerank with level=2"
    assert "can be compared only under" in invoke("compare", "qrels.txt", "first.json", "-r", "beir").stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("first.json", "second.run"), "second.run: qrels are needed where a system is not scored yet"),
        (("first.json", "--rules", "beir"), "--rules needs QRELS and RUNs"),
        (("first.json", "means.json"), "means.json: only the means were saved"),
        (("first.json", "-m", "RR"), "first.run has no scores for RR; it has AP"),
        (("whole.json",), "first.run has no scores for microAP; it has AP"),
        (
            ("first.json", "--system", "x=both.json"),
            "both.json: it holds the scores of 2 runs, where one is needed",
        ),
    ],
)
def test_what_saved_scores_lack_is_told(invoke, arguments, message):
    invoke("eval", "qrels.txt", "first.run", "-m", "AP", "--per-query", "-o", "first.json")
    invoke("eval", "qrels.txt", "first.run", "-m", "AP", "-o", "means.json")
    invoke("eval", "qrels.txt", "first.run", "-m", "AP microAP", "--per-query", "-o", "whole.json")
    assert invoke("compare", "whole.json", "-m", "AP").exit_code == 0
    invoke("eval", "qrels.txt", "first.run", "second.run", "-m", "AP", "--per-query", "-o", "both.json")
    result = invoke("compare", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


def test_a_run_out_of_a_pipe_is_read_once(here):
    os.mkfifo(here / "pipe")
    text = (here / "second.run").read_text()
    writer = threading.Thread(target=lambda: (here / "pipe").write_text(text), daemon=True)
    writer.start()
    found = tr.compare("qrels.txt", {"one": "first.run", "other": "pipe"}, "AP")
    writer.join(5)
    assert found.scores["other"].mean == tr.evaluate("qrels.txt", "second.run", "AP").mean


def test_the_runs_of_a_system_may_be_saved_scores(invoke):
    for name in ("first", "second"):
        invoke("eval", "qrels.txt", f"{name}.run", "-m", "AP", "--per-query", "-o", f"{name}.json")
    found, wanted = (
        tr.compare("qrels.txt", {"one": [f"first.{end}", f"second.{end}"], "other": f"second.{end}"}, "AP")
        for end in ("json", "run")
    )
    assert {name: one.mean for name, one in found.scores.items()} == {
        name: one.mean for name, one in wanted.scores.items()
    }
