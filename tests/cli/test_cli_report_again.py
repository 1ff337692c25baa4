"""`truerank report`: what it takes to make it again, options that would change nothing, contests and places."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

import truerank as tr

ASKED = ("report", "qrels.txt", "first.run", "second.run")
EXAMPLES = Path(__file__).parents[2] / "examples"
SENT = EXAMPLES / "contest"
CONTEST = ("report", SENT / "truth.json", SENT / "submission.jsonl", "--rules", "science-qa")
PLACES = tuple(EXAMPLES / "places" / name for name in ("flight.json", "map.json", "faiss"))


def read(here: Path) -> dict[str, Any]:
    return json.loads((here / "report.json").read_text("utf-8"))


def command(here: Path) -> str:
    [told] = [block["text"] for block in read(here)["blocks"] if block["kind"] == "command"]
    return str(told)


@pytest.fixture
def again(shell, here):
    """Runs a line that makes report.json, then the command that the report tells; whether both are the same."""

    def same(line: str, **how: Any) -> bool:
        first = shell(line.replace("truerank report", "truerank report -o report.json"), **how)
        assert first.returncode == 0, first.stderr
        before = (here / "report.json").read_bytes()
        told = command(here).replace("report.html", "again.json")
        second = shell(f"LC_ALL=ko_KR.UTF-8 {told}", **how)
        assert second.returncode == 0, second.stderr
        return (here / "again.json").read_bytes() == before

    return same


def test_a_contest_is_reported_as_eval_tells_it(invoke, here):
    told = " ".join(invoke(*CONTEST, "--lang", "en").stdout.split())
    for line in invoke("eval", *CONTEST[1:]).stdout.splitlines()[3:]:
        assert line.removeprefix("Rules: science-qa. ").strip() in told
    for text in ("3 answered", "1 judged id missing", "official 0.8958333333333333, strict 0.375"):
        assert text in told
    assert "Unjudged documents" not in told


def test_several_submissions_are_audited_each(invoke, here):
    lines = (SENT / "submission.jsonl").read_text().splitlines()
    (here / "fair.jsonl").write_text("\n".join(lines[1:3]) + "\n")
    result = invoke(*CONTEST[:3], "fair.jsonl", *CONTEST[3:], "-o", "report.json")
    assert result.exit_code == 0, result.output
    scores = read(here)["results"]["scores"]
    assert [one["run"] for one in scores] == ["submission.jsonl", "fair.jsonl"]
    assert [bool(one["audit"]) for one in scores] == [True, True]
    assert scores[0]["strict"] == {"AP(divisor='hits')@3": 0.375}


def test_a_submission_at_which_the_official_code_stops_is_refused_as_by_eval(invoke):
    asked = (*CONTEST[1:2], SENT / "stopped.jsonl", *CONTEST[3:])
    results = [invoke(name, *asked) for name in ("report", "eval")]
    assert [result.exit_code for result in results] == [2, 2]
    assert results[0].stderr == results[1].stderr


def test_runs_of_one_name_are_told_apart_by_their_folders(again, here):
    for folder, name in (("s1", "first.run"), ("s2", "second.run")):
        (here / folder).mkdir()
        (here / name).rename(here / folder / "run.txt")
    assert again("truerank report qrels.txt ./s1/run.txt $PWD/s2/run.txt --baseline ./s1/run.txt -m AP")
    assert shlex.split(command(here))[2:5] == ["qrels.txt", "s1/run.txt", "s2/run.txt"]
    assert [one["name"] for one in read(here)["results"]["inputs"]] == ["qrels.txt", "s1/run.txt", "s2/run.txt"]


def test_a_name_like_an_option_stays_a_name(again, here):
    (here / "first.run").rename(here / "-x.run")
    assert again("truerank report -m AP -- qrels.txt -x.run")
    assert command(here).endswith("-o report.html -- qrels.txt -x.run")


def test_a_name_that_turns_the_line_around_is_written_in_ascii(again, here):
    (here / "first.run").rename(here / "a\u202eb'c.run")
    assert again("truerank report qrels.txt a* -m AP --title 'What \\ is' --lang en")
    assert command(here).isascii()


def test_standard_input_is_named_with_its_hash(shell, here):
    assert shell("truerank report qrels.txt - --lang en -o report.json < first.run").returncode == 0
    [table] = [block for block in read(here)["blocks"] if block.get("title") == "Input files"]
    assert table["notes"] == ["- was read from standard input."]
    before = read(here)["results"]["inputs"][1]["digest"]
    assert shell("truerank report qrels.txt first.run -o report.json").returncode == 0
    assert read(here)["results"]["inputs"][1]["digest"] == before


def test_a_module_of_ones_own_is_among_what_was_read(again, here):
    (here / "mine.py").write_text("")
    assert again("truerank report qrels.txt first.run --import ./mine.py -m AP --results 3")
    assert "--import mine.py --" in command(here)
    assert "mine.py" in [one["name"] for one in read(here)["results"]["inputs"]]


def test_places_are_evaluated_as_is_asked_for(invoke, here):
    asked = ("--truth", "within(metres=25)", "-k", "1,3", "--metric", "xy", "--within", "5", "-m", "RR")
    result = invoke("report", "--geo", *PLACES, *asked, "--set", "missing=zero", "-o", "report.json")
    assert result.exit_code == 0, result.output
    pairs = zip(("--queries", "--references", "--results"), PLACES, strict=True)
    named = [word for pair in pairs for word in pair]
    alone = json.loads(invoke("geo", *named, *asked, "--set", "missing=zero", "-f", "json").stdout)
    found = read(here)["results"]
    assert found["places"]["xy"]["mean"] == alone["xy"]["mean"]
    assert found["comparison"]["rules"]["missing"] == "zero"
    told = shlex.split(command(here))
    values = [told[told.index(option) + 1] for option in ("--truth", "-k", "--metric")]
    assert values == ["within(metres=25)", "1,3", "xy"]


def test_places_leave_nothing_unjudged(invoke):
    assert "Unjudged documents" not in invoke("report", "--geo", *PLACES, "--lang", "en").stdout


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--bench", "b.json", "-m", "AP"), "--measures needs QRELS and RUNs, or --geo"),
        (("--bench", "b.json", "--rules", "geo"), "--rules needs QRELS and RUNs, or --geo"),
        (("--bench", "b.json", "--set", "level=2"), "--set needs QRELS and RUNs, or --geo"),
        (("--bench", "b.json", "--baseline", "1"), "--baseline needs QRELS and RUNs"),
        (("--geo", *PLACES, "--baseline", "1"), "--baseline needs QRELS and RUNs"),
        (("--geo", *PLACES, "--qrels-format", "trec"), "--qrels-format needs QRELS and RUNs"),
        ((*ASKED[1:], "--truth", "nearest"), "--truth needs --geo"),
        ((*ASKED[1:], "-k", "3"), "-k needs --geo"),
        ((*ASKED[1:], "--key", "lat=phi"), "--key needs --geo"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_option_that_would_change_nothing_is_refused(invoke, given, said):
    result = invoke("report", *given)
    assert result.exit_code == 2
    assert said in result.stderr


def test_figures_are_written_where_the_report_is_printed(invoke, here):
    result = invoke(*ASKED, "-m", "AP", "--lang", "en", "--figures", "figs")
    assert result.stdout.startswith("Retrieval report\n")
    assert (here / "figs" / "cmc.svg").exists()


def test_what_is_printed_has_no_empty_section_and_nothing_to_click(invoke):
    lines = invoke(*ASKED, "-m", "AP", "--lang", "en").stdout.splitlines()
    assert "Click" not in " ".join(lines)
    heads = [place for place, line in enumerate(lines) if line and set(line) == {"-"}]
    assert len(heads) > 5
    assert all(lines[place + 2] for place in heads)
    assert not any(place + 3 in heads for place in heads)


def test_measures_of_all_that_is_listed_are_reported_as_eval_has_them(invoke, here):
    docs = "abcdefxyz"
    (here / "items").mkdir()
    table = "".join(f"{doc},{number + 1}\n" for number, doc in enumerate(docs))
    (here / "items" / "items.csv").write_text(f"id,popularity\n{table}")
    wanted = ("-m", "RR Novelty@2 Novelty", "--items", "items/items.csv")
    scored = json.loads(invoke("eval", *ASKED[1:], *wanted, "--format", "json").stdout)
    assert invoke(*ASKED, *wanted, "--results", "1", "-o", "report.json").exit_code == 0
    assert [one["mean"] for one in read(here)["results"]["scores"]] == [one["mean"] for one in scored]
    assert {one["name"] for one in read(here)["results"]["inputs"]} == {*ASKED[1:], "items.csv"}
    assert "--items items.csv" in command(here)
    written = tr.write_report(*ASKED[1:2], ASKED[2:], here / "by-python.json", wanted[1], items="items/items.csv")
    assert [one["mean"] for one in written.results["scores"]] == [one["mean"] for one in scored]
    refused = invoke(*ASKED, *wanted, "--judges", "qrels.txt")
    assert refused.exit_code == 2
    assert "--items is for one set of judgements" in " ".join(refused.stderr.split())


def test_numbers_of_the_whole_run_stand_among_the_means(invoke, here):
    (here / "items.txt").write_text("\n".join("abcdefxyz"))
    wanted = ("-m", "RR Coverage@2 Gini", "--items", "items.txt")
    scored = json.loads(invoke("eval", *ASKED[1:], *wanted, "--format", "json").stdout)
    for runs in (ASKED[2:], ASKED[2:3]):
        assert invoke(*ASKED[:2], *runs, *wanted, "-o", "report.json").exit_code == 0
        assert [one["mean"] for one in read(here)["results"]["scores"]] == [one["mean"] for one in scored][
            : len(runs)
        ]
    assert invoke(*ASKED, *wanted, "--percent", "-o", "report.html").exit_code == 0
    first = invoke(*ASKED, "-m", "Coverage@2 RR", "--items", "items.txt")
    assert (first.exit_code, "one number of the whole run" in first.stderr) == (2, True)
