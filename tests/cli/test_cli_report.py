"""`truerank report` from the command line."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest

import truerank as tr
from truerank.present.build import write_report

ASKED = ("report", "qrels.txt", "first.run", "second.run")


def test_it_writes_the_kind_of_file_that_its_ending_asks_for(invoke, here):
    begins = {".html": "<!DOCTYPE html>", ".md": "# ", ".tex": r"\documentclass", ".json": "{", ".txt": "Retrieval"}
    for ending, beginning in begins.items():
        result = invoke(*ASKED, "--lang", "en", "-o", f"report{ending}")
        assert (result.exit_code, result.output) == (0, ""), result.output
        assert (here / f"report{ending}").read_text("utf-8").startswith(beginning)


def test_without_a_file_it_is_printed(invoke):
    result = invoke(*ASKED, "--lang", "en")
    assert result.exit_code == 0
    assert result.stdout.startswith("Retrieval report\n================\n")
    assert "3 queries judged, 2 answered. 1 missing (scored 0): q3." in result.stdout


def test_the_numbers_are_those_of_eval(invoke, here):
    invoke(*ASKED, "-m", "nDCG@10 AP", "-o", "report.json")
    found = json.loads((here / "report.json").read_text())
    for scores in found["results"]["scores"]:
        assert scores["mean"] == tr.evaluate("qrels.txt", scores["run"], "nDCG@10 AP").mean


def test_the_foot_says_what_was_read_and_how_to_make_it_again(invoke, here):
    asked = (*ASKED, "-m", "AP", "--set", "level=2", "--baseline", "2", "--title", "Ours & theirs", "--lang", "ko")
    assert invoke(*asked, "-o", "report.json").exit_code == 0
    plain = json.loads((here / "report.json").read_text())
    digests = {one["name"]: one["digest"] for one in plain["results"]["inputs"]}
    assert digests == {
        name: hashlib.sha256((here / name).read_bytes()).hexdigest()
        for name in ("qrels.txt", "first.run", "second.run")
    }
    [command] = [block["text"] for block in plain["blocks"] if block["kind"] == "command"]
    assert command == (
        "truerank report qrels.txt first.run second.run --measures AP --set level=2 --baseline 2 "
        "--title 'Ours & theirs' --lang ko -o report.html"
    )
    assert plain["title"] == "Ours & theirs"


def test_what_the_foot_says_makes_the_same_bytes(shell, here):
    assert (
        shell("truerank report qrels.txt first.run second.run --lang en -m 'AP RR' -o report.json").returncode == 0
    )
    first = (here / "report.json").read_bytes()
    [command] = [block["text"] for block in json.loads(first)["blocks"] if block["kind"] == "command"]
    again = shell(f"PYTHONHASHSEED=7 {command}".replace("report.html", "again.json"))
    assert again.returncode == 0, again.stderr
    assert (here / "again.json").read_bytes() == first


def test_rules_of_a_file_are_among_what_was_read(invoke, here):
    (here / "ours.toml").write_text('level = 2\nmeasures = ["AP"]\n')
    assert invoke(*ASKED, "--rules", "ours.toml", "-o", "report.json").exit_code == 0
    found = json.loads((here / "report.json").read_text())["results"]
    assert "ours.toml" in [one["name"] for one in found["inputs"]]
    assert found["comparison"]["rules"]["level"] == 2


def test_figures_are_written_too_and_linked(invoke, here):
    result = invoke(*ASKED, "-m", "AP", "--figures", "figs", "-o", "report.md")
    assert result.exit_code == 0, result.output
    assert "(<figs/precision-recall.svg>)" in (here / "report.md").read_text("utf-8")
    names = sorted(path.name for path in (here / "figs").iterdir())
    assert {"precision-recall.svg", "precision-recall.png", "cmc.svg"} <= set(names)


def test_figures_are_linked_from_where_the_report_is(invoke, here):
    (here / "sub").mkdir()
    assert invoke(*ASKED, "-m", "AP", "--figures", "sub/figs", "-o", "sub/report.md").exit_code == 0
    assert "(<figs/precision-recall.svg>)" in (here / "sub" / "report.md").read_text("utf-8")


def test_a_report_may_be_without_result_lists(invoke, here):
    result = invoke(*ASKED, "-m", "AP", "--results", "0", "-o", "report.md")
    assert result.exit_code == 0, result.output


def test_a_benchmark_is_reported_alone(invoke, here):
    tr.bench(lambda query: ["a"], {"q1": "one", "q2": "two"}, "qrels.txt", measures="RR").save("bench.json")
    result = invoke("report", "--bench", "bench.json", "--lang", "en")
    assert result.exit_code == 0, result.output
    assert "Latency" in result.stdout or "Speed" in result.stdout


def test_places_are_reported_as_a_run_like_any_other(invoke, here):
    (here / "queries.json").write_text(
        '[{"id": "q", "lat": 37.5, "lon": 127}, {"id": "p", "lat": 37.6, "lon": 127}]'
    )
    (here / "there.json").write_text('[{"id": "a", "lat": 37.5, "lon": 127}, {"id": "b", "lat": 37.6, "lon": 127}]')
    (here / "found.json").write_text('{"q": ["a", "b"], "p": ["a", "b"]}')
    result = invoke("report", "--geo", "queries.json", "there.json", "found.json", "-o", "places.json")
    assert result.exit_code == 0, result.output
    plain = json.loads((here / "places.json").read_text())
    figures = [block["name"] for block in plain["blocks"] if block["kind"] == "figure"]
    assert {"geo-error", "map-geo", "cmc"} <= set(figures)
    assert plain["results"]["places"]["geo"]["mean"]["R@1"] == 0.5


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("report",), "needs QRELS and RUNs, or --geo, or --bench"),
        (("report",), "needs QRELS and RUNs"),
        (("report", "qrels.txt", "--bench", "bench.json"), "no RUNs: give both, or neither with --geo or --bench"),
        ((*ASKED, "-o", "report.docx"), "a report is a file that ends in .txt"),
        ((*ASKED, "--lang", "xx"), "'xx' is not one of 'en'"),
        ((*ASKED, "--baseline", "9"), "there are 2 runs"),
        ((*ASKED, "--baseline", "third.run"), "there is no system 'third.run'"),
        ((*ASKED, "--bench", "qrels.txt"), "qrels.txt"),
        (("report", "qrels.txt", "none.run"), "there is no such file"),
        ((*ASKED, "-o", "nowhere/report.md"), "cannot be written"),
        (("report", "-", "-", "-o", "report.md"), "can be only one"),
    ],
    ids=lambda value: " ".join(value[1:]) if isinstance(value, tuple) else "",
)
def test_what_cannot_be_done_is_said_in_a_line(invoke, arguments, said):
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert said in result.stderr
    assert "Traceback" not in result.stderr


def test_inputs_are_not_written_over(invoke, here):
    (here / "first.txt").write_bytes((here / "first.run").read_bytes())
    result = invoke("report", "qrels.txt", "first.txt", "-o", "first.txt")
    assert result.exit_code == 2
    assert "write to another file" in result.stderr


@pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no chromium, which prints the PDF")
def test_a_pdf_is_printed_and_is_the_same_each_time(invoke, here):
    for name in ("one.pdf", "two.pdf"):
        result = invoke(*ASKED, "-m", "AP", "-o", name)
        assert result.exit_code == 0, result.output
    assert (here / "one.pdf").read_bytes().startswith(b"%PDF-")
    assert (here / "one.pdf").read_bytes() == (here / "two.pdf").read_bytes()


def test_a_report_is_written_by_one_call(here: Path):
    document = write_report("qrels.txt", ["first.run", "second.run"], "report.md", "AP", lang="en", title="Ours")
    assert (here / "report.md").read_text("utf-8").startswith("# Ours\n")
    assert [one["name"] for one in document.results["inputs"]] == ["qrels.txt", "first.run", "second.run"]


def test_texts_stand_in_every_kind_of_report_and_in_what_it_was_made_of(invoke, here):
    (here / "queries.tsv").write_text("q1\twhat_is <red>?\nq2\tsecond\n")
    (here / "docs.jsonl").write_text('{"_id": "a", "title": "A", "text": "alpha"}\n{"_id": "z", "text": "z"}\n')
    asked = (*ASKED, "--queries", "queries.tsv", "--docs", "docs.jsonl", "--lang", "en")
    said = {
        ".html": "what_is &lt;red&gt;?",
        ".md": r"what_is \<red>?",
        ".tex": r"what\_is",
        ".txt": "what_is <red>?",
    }
    for ending, text in said.items():
        assert invoke(*asked, "-o", f"report{ending}").exit_code == 0
        assert text in (here / f"report{ending}").read_text("utf-8"), ending
    assert invoke(*asked, "-o", "report.json").exit_code == 0
    plain = json.loads((here / "report.json").read_text())
    queries = next(block for block in plain["blocks"] if block["kind"] == "queries")
    assert dict(zip(queries["queries"], queries["texts"], strict=True)) == {
        "q1": "what_is <red>?",
        "q2": "second",
        "q3": "",
    }
    texts = dict(zip(queries["answers"]["docs"], queries["answers"]["texts"], strict=True))
    assert (texts["a"], texts["z"], texts["b"]) == ("A — alpha", "z", "")
    assert "Texts: 1 of 3 queries has none." in queries["notes"]
    assert {"queries.tsv", "docs.jsonl"} <= {one["name"] for one in plain["results"]["inputs"]}
    [command] = [block["text"] for block in plain["blocks"] if block["kind"] == "command"]
    assert "--queries queries.tsv --docs docs.jsonl" in command


def test_without_texts_a_report_has_none(invoke, here):
    assert invoke(*ASKED, "-o", "report.json").exit_code == 0
    queries = next(b for b in json.loads((here / "report.json").read_text())["blocks"] if b["kind"] == "queries")
    assert "texts" not in queries
    assert "texts" not in queries["answers"]
    assert "ids" not in queries["answers"]


def test_python_takes_texts_too(here):
    document = write_report("qrels.txt", ["first.run"], here / "r.json", queries={"q1": "red"}, docs={"a": "alpha"})
    block = next(block for block in document.blocks if type(block).__name__ == "Queries")
    assert (block.texts[0], block.answers.texts[block.answers.ids.index("a")]) == ("red", "alpha")


def test_a_report_of_benchmarks_alone_has_no_texts(invoke, here):
    tr.bench(lambda query: ["a"], {"q1": "red"}, warmup=0).save(here / "bench.json")
    refused = invoke("report", "--bench", "bench.json", "--docs", "qrels.txt")
    assert (refused.exit_code, "--docs needs QRELS and RUNs" in refused.output) == (2, True)
    assert "--percentiles needs --bench" in invoke(*ASKED, "--percentiles", "linear").output


def test_a_run_with_calls_has_a_report_without_curves_and_shares_by_depth(invoke, here):
    (here / "calls.json").write_text('{"q1": [["a"], ["b", "x"]], "q2": [["a"]]}')
    result = invoke("report", "qrels.txt", "calls.json", "-m", "CallRecall@2", "-o", "report.json")
    assert (result.exit_code, result.output) == (0, "")
    report = json.loads((here / "report.json").read_text())
    assert report["results"]["curves"] == []
    assert not {"Curves", "Unjudged documents"} & {block.get("text") for block in report["blocks"]}
    one = invoke("report", "qrels.txt", "calls.json", "-m", "AP", "--set", "calls=concatenated", "-o", "one.json")
    assert (one.exit_code, one.output) == (0, "")
    one_list = json.loads((here / "one.json").read_text())
    assert len(one_list["results"]["curves"]) == 1
    assert {"Curves", "Unjudged documents"} <= {block.get("text") for block in one_list["blocks"]}
    assert invoke("report", "qrels.txt", "calls.json", "-m", "AP").exit_code == 2


def test_a_run_that_answers_no_judged_query_is_refused(invoke, here):
    (here / "none.run").write_text("other Q0 a 1 1 t\n")
    refused = invoke("report", "qrels.txt", "none.run", "-o", "none.html")
    assert (refused.exit_code, "no query of the run is judged" in refused.output) == (2, True)
    assert not (here / "none.html").exists()


def test_intervals_are_as_sure_and_drawn_as_often_as_is_asked(invoke, here):
    drawn = {"confidence": 0.9, "samples": 700, "seed": 3}
    options = [word for name, value in drawn.items() for word in (f"--{name}", str(value))]
    assert invoke(*ASKED, "-m", "AP", *options, "-o", "report.json").exit_code == 0
    plain = json.loads((here / "report.json").read_text())
    runs = ["first.run", "second.run"]
    wanted = json.loads(json.dumps(tr.compare("qrels.txt", runs, "AP", **drawn).to_dict()))
    assert plain["results"]["comparison"] == wanted
    [command] = [block["text"] for block in plain["blocks"] if block["kind"] == "command"]
    assert "--confidence 0.9 --seed 3 --samples 700" in command
    document = write_report("qrels.txt", runs, here / "again.json", "AP", **drawn)
    assert json.loads(json.dumps(document.results["comparison"])) == wanted
