"""`truerank bench`."""

from __future__ import annotations

import itertools
import json
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

import truerank as tr
from truerank.cli import truerank
from truerank.cli.asking import interrupted_once
from truerank.cli.bench import seconds

COUNT = itertools.count()

SEARCH = """
def lexical(query, k):
    return ["d1", "d2"][:k]

def dense(query, k):
    if query == "text 3":
        raise ValueError("no such index")
    return ["d2", "d1"][:k]

def index(probes):
    return lambda query: ["d1", "d2"][-probes:]

async def coroutine(query):
    return ["d2"]

def chunks(query, k):
    return ["d1#1", "d2#4", "d2#1"][:k]

def broken(query):
    raise OSError("down")

def build():
    return [1, 2, 3]

def interrupted_twice(query):
    import os, signal, time

    if query == "text 3":
        for _ in range(2):  # as `timeout` does, of a process and of its group
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.001)
        time.sleep(0.3)  # else all may be over before a busy machine delivers them
    return ["d1"]

def never(query):
    __import__("threading").Event().wait()

def now_and_then(query):
    return never(query) if int(query[5:]) % 2 else ["d1"]

def stopped(query):
    if query == "text 3":
        raise KeyboardInterrupt
    return ["d1"]
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    module = f"searching_{next(COUNT)}"
    (tmp_path / f"{module}.py").write_text(SEARCH, "utf-8")
    (tmp_path / "q.tsv").write_text("".join(f"q{i}\ttext {i}\n" for i in range(40)), "utf-8")
    (tmp_path / "qrels.txt").write_text("".join(f"q{i} 0 d2 1\n" for i in range(40)), "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return module


def run(*arguments, status=0):
    done = CliRunner().invoke(truerank, ["bench", *arguments])
    assert done.exit_code == status, done.output
    return done.output


ASK = ("--queries", "q.tsv", "--qrels", "qrels.txt", "-m", "RR")


def test_a_function_is_timed_scored_saved_and_shown_again(here, tmp_path):
    text = run(f"{here}:lexical", *ASK, "-o", "bench.json", "--save-run", "answers.run")
    assert "lexical: closed loop, 1 worker, k 10; 40 calls" in text
    assert "RR" in text
    assert "0.5000" in text
    assert run("--show", "bench.json") == text
    saved = json.loads((tmp_path / "bench.json").read_text("utf-8"))
    assert saved["mean"] == {"RR": 0.5}
    assert set(saved["latency_ms"]) >= {"mean", "p50", "p95", "p99"}
    assert (tmp_path / "answers.run").read_text("utf-8").startswith("q0 Q0 d1 1 2.0 lexical\n")


def test_two_take_turns_and_are_compared(here):
    text = run(f"{here}:lexical", f"{here}:dense", "--alternate", *ASK, "-o", "both.json")
    assert "They took turns at each query." in text
    assert "dense takes" in text
    assert "ValueError: no such index" in text
    assert run("--show", "both.json") == text


def test_two_files_are_compared(here):
    run(f"{here}:lexical", *ASK, "-o", "a.json")
    run(f"{here}:dense", *ASK, "-o", "b.json")
    text = run("--compare", "a.json", "b.json")
    assert "They ran at different times" in text
    assert json.loads(run("--compare", "a.json", "b.json", "-f", "json"))["differences"]["RR"]["estimate"] > 0.4


def test_several_settings_make_a_row_each_and_a_picture(here, tmp_path):
    text = run(f"{here}:index", "--sweep", "probes=1,2", "-c", "1,2", *ASK, "--plot", "front.svg", "-o", "all.json")
    assert [line.split()[:2] for line in text.splitlines()[1:5]] == [["1", "1"], ["1", "2"], ["2", "1"], ["2", "2"]]
    assert "<svg" in (tmp_path / "front.svg").read_text("utf-8")
    assert run("--show", "all.json") == text


def test_an_open_loop_with_units_of_time(here):
    text = run(f"{here}:coroutine", *ASK, "--rate", "400", "--duration", "100ms", "--timeout", "2s", "-c", "4")
    assert "open loop, 400 starts a second (constant), 4 workers, k 10; 40 calls" in text
    assert "call alone" in text


def test_a_retriever_that_never_answers_ends_with_status_1(here):
    text = run(f"{here}:broken", *ASK, status=1)
    assert "of 40 calls 40 failed" in text
    assert "40 × OSError: down" in text


def test_the_runs_of_two_are_numbered_as_the_help_says(here, tmp_path):
    run(f"{here}:lexical", f"{here}:dense", "--alternate", *ASK, "--save-run", "x.run")
    assert sorted(path.name for path in tmp_path.glob("x*.run")) == ["x.1.run", "x.2.run"]
    text = " ".join(run("--help").split())
    assert "FILE.1.run" not in text
    assert "x.1.run, x.2.run" in text
    assert "1 when nothing was answered" in text


def test_an_interrupt_keeps_and_saves_what_was_measured(here):
    text = run(f"{here}:stopped", *ASK, "-o", "part.json", status=130)
    assert "ended early (interrupted)" in text
    assert text.endswith(run("--show", "part.json"))


def test_a_run_that_ends_itself_early_is_no_success(here):
    call = [sys.executable, "-m", "truerank", "bench", f"{here}:now_and_then", *ASK, "--repeats", "6"]
    done = subprocess.run([*call, "--timeout", "5ms"], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, "ended early (100 calls hang)" in done.stdout) == (1, True)


def test_an_interrupt_that_comes_twice_at_once_is_one(here):
    call = [sys.executable, "-m", "truerank", "bench", f"{here}:interrupted_twice", *ASK, "-c", "2"]
    done = subprocess.run([*call, "-o", "part.json"], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, "ended early (interrupted)" in done.stdout) == (130, True)
    assert done.stdout == run("--show", "part.json")


def test_who_goes_on_interrupting_is_heeded(monkeypatch):
    times, heard = [0.0, 0.01, 0.3, 0.6, 0.61, 0.9, 1.2], list[float]()
    monkeypatch.setattr("truerank.cli.asking.time", SimpleNamespace(monotonic=lambda: times[0]))
    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(times[0]))
    try:
        with interrupted_once():
            while times:
                signal.raise_signal(signal.SIGINT)
                times.pop(0)
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == [0.0, 0.6, 1.2]


def test_chunks_are_collapsed_as_by_the_other_commands(here):
    asked = (f"{here}:chunks", *ASK, "-m", "RR", "-f", "json")
    (warning, plain), (silence, collapsed) = (
        run(*asked, *how).split("{", 1) for how in ((), ("--collapse", "maxP"))
    )
    assert [json.loads("{" + found)["mean"]["RR"] for found in (plain, collapsed)] == [0, 0.5]
    assert all(said in warning for said in ("no document of", "is a part of d2", "--collapse"))
    assert silence == ""
    assert "collapse twice" in run(*asked, "--collapse", "max", "--option", "collapse=sum", status=2)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "Give one TARGET, not 0"),
        (("a:b", "c:d", "--queries", "q.tsv"), "two take turns with --alternate"),
        (("a:b",), "--queries FILE"),
        (("nowhere_at_all:x", "--queries", "q.tsv"), "there is no module"),
        (("--show", "q.tsv"), "no JSON"),
        (("--show", "a", "--compare", "a", "b"), "--show reads what is saved"),
        (("--show", "a", "-m", "AP"), "--show shows the scores that are saved: it takes no --measures"),
        (("--show", "a", "--qrels-format", "beir"), "it takes no --qrels-format"),
        (("--show", "a", "-k", "3"), "--show shows what is saved: it asks nothing, and takes no --k"),
        (("--show", "a", "--alternate"), "it asks nothing, and takes no --alternate"),
        (
            ("--compare", "a", "b", "--ids", "id"),
            "--compare shows what is saved: it asks nothing, and takes no",
        ),
        (("a:b", "--queries", "q.tsv", "--rules", "beir"), "--rules needs to know what is right: --qrels FILE"),
        (("a:b", "--queries", "q.tsv", "--items", "q.tsv"), "--items needs to know what is right: --qrels FILE"),
        (
            ("--compare", "a", "b", "--rules", "beir"),
            "--compare shows the scores that are saved: it takes no --rules",
        ),
        (("a:b", "--queries", "q.tsv", "--duration", "soon"), "give 30s, 500ms or 2m"),
        (("a:b", "--queries", "q.tsv", "--duration", "3 days"), "give 30s, 500ms or 2m"),
        (("a:b", "--queries", "q.tsv", "-k", "0"), "whole numbers of 1 or more"),
        (("a:b", "--queries", "q.tsv", "--plot", "x.gif"), "ends in .svg"),
        (("a:b", "--queries", "q.tsv", "--option", "x"), "NAME=VALUE"),
        (("a:b", "--queries", "q.tsv", "-o", "x.md"), "-o saves all calls as JSON, for --show: end x.md"),
        (("a:b", "--queries", "q.tsv", "-o", "x.pdf"), "-o saves all calls as JSON, for --show: end x.pdf"),
        (("--show", "a", "-o", "x.svg"), "`--show FILE.json -f FORMAT` prints the table"),
        (("--show", "a", "-o", "x.csv.gz"), "`--show FILE.json -f csv` prints the table"),
        (("a:b", "--queries", "q.tsv", "-o", "nowhere/x.json"), "cannot be written: No such file"),
    ],
)
def test_wrong_calls_are_told_in_a_line(here, arguments, says):
    text = run(*arguments, status=2)
    assert says in text
    assert text.count("\n") == 1


def test_a_time_may_have_a_unit():
    times = {"500ms": 0.5, "1.5s": 1.5, ".5": 0.5, "2m": 120, "2 min": 120, "1h": 3600}
    assert {text: seconds(text) for text in times} == times


def test_one_setting_of_the_load_may_be_swept_where_another_is_given(here):
    benches = json.loads(run(f"{here}:lexical", "-k", "3", "--sweep", "concurrency=1,2", *ASK, "-f", "json"))
    assert [one["settings"] for one in benches] == [{"concurrency": 1}, {"concurrency": 2}]


def test_a_plain_loop_and_an_indexing_are_saved_and_percentiles_chosen_again(here, tmp_path):
    text = run(f"{here}:lexical", *ASK, "--plain-loop", "--index", f"{here}:build", "-o", "bench.json")
    assert "plain loop" in text
    assert "ms a document" in text
    saved = json.loads((tmp_path / "bench.json").read_text("utf-8"))
    assert (saved["percentiles"], saved["indexing"]["documents"]) == ("linear", 3)
    shown = json.loads(run("--show", "bench.json", "-f", "json"))
    again = json.loads(run("--show", "bench.json", "--percentiles", "nearest-rank", "-f", "json"))
    assert shown["latency_ms"] == saved["latency_ms"] != again["latency_ms"]
    milliseconds = sorted(
        (end - due) / 1e6
        for end, due, phase in zip(*(saved["samples_ns"][name] for name in ("end", "due", "phase")), strict=True)
        if phase == 3
    )
    assert again["latency_ms"]["p50"] in milliseconds
    done = CliRunner().invoke(
        truerank,
        ["check", "--bench", "bench.json", "--max", "p50=10s", "--percentiles", "nearest-rank", "-f", "json"],
    )
    assert json.loads(done.output)["gates"][0]["value"] == again["latency_ms"]["p50"]


def test_measures_of_all_that_is_listed_know_the_items(here, tmp_path):
    (tmp_path / "items.csv").write_text("id,popularity\nd1,30\nd2,10\n", "utf-8")
    asked = ("--queries", "q.tsv", "--qrels", "qrels.txt", "-m", "Novelty@10", "--items", "items.csv")
    run(f"{here}:lexical", *asked, "-o", "bench.json", "--save-run", "answers.run")
    shown = run("--show", "bench.json", "--format", "json")
    expected = tr.evaluate("qrels.txt", "answers.run", "Novelty@10", items="items.csv").mean["Novelty@10"]
    assert json.loads(shown)["scores"]["mean"]["Novelty@10"] == expected
