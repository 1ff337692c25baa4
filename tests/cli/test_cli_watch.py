"""`truerank check --watch`: the file of looks, what has to be said, and what is told of wrong calls."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import truerank as tr

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "compare"
QRELS, BM25, DENSE, HYBRID = (str(EXAMPLES / name) for name in ("qrels.txt", "bm25.run", "dense.run", "hybrid.run"))
GATE = ("--min", "nDCG@5=0.3")


def test_each_check_adds_a_look_and_decides_by_the_interval_of_all(invoke, here):
    for run, number in ((BM25, 1), (DENSE, 2), (BM25, 1), (HYBRID, 3)):
        result = invoke("check", QRELS, run, *GATE, "--watch", "looks.jsonl", "--looks", "same", "-f", "json")
        assert result.exit_code in (0, 3)
        plain = json.loads(result.stdout)
        assert plain["gates"][0]["decider"] == "interval"
        assert plain["watch"]["looks"][-1]["number"] == number
    lines = (here / "looks.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line).get("number") for line in lines] == [None, 1, 2, 1, 3]
    assert tr.Watch.read("looks.jsonl").looks_at == "same"


def test_the_table_says_what_is_assumed_and_how_the_gates_went(invoke, here):
    options = ("--no-worse-than", BM25, "-m", "nDCG@5", "--watch", "looks.jsonl")
    first = invoke("check", QRELS, DENSE, *options, "--looks", "new")
    assert "Look 1, at 40 new queries" in first.stdout
    assert "Assumed: each look's queries are drawn as the earlier ones were" in first.stdout
    again = invoke("check", QRELS, DENSE, *options)
    assert "Look 2, at 0 new queries" in again.stdout
    assert again.stdout.count("nDCG@5 − bm25.run") == 2
    changed = invoke("check", QRELS, HYBRID, *options)
    assert (changed.exit_code, changed.stdout) == (2, "")
    assert "was seen at look 1 with another nDCG@5" in changed.stderr
    assert len(tr.Watch.read("looks.jsonl").looks) == 2, "a look that is refused is not added"


def test_a_file_of_gates_may_name_the_file_of_looks(invoke, here):
    (here / "ci").mkdir()
    gates = f'qrels = "{QRELS}"\nrun = "{BM25}"\nwatch = "looks.jsonl"\nlooks = "new"\n'
    (here / "ci" / "gates.toml").write_text(gates + '[min]\n"DCG@5" = 0.3\n[range]\n"DCG@5" = "0:10"\n', "utf-8")
    result = invoke("check", "ci/gates.toml")
    assert result.exit_code == 0, result.stderr
    assert tr.Watch.read(here / "ci" / "looks.jsonl").ranges == {"DCG@5": (0.0, 10.0)}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--watch", "looks.jsonl"), "looks.jsonl: this file of looks is not there yet: say what each look brings"),
        (("--looks", "new"), "--looks and --range are for --watch"),
        (
            ("--watch", "a.jsonl", "--looks", "new", "--range", "AP=1:0"),
            "a range is a measure and two numbers, the lower one first",
        ),
        (("--watch", "a.jsonl", "--looks", "new", "--range", "AP"), "DCG@10=0:100; not 'AP'"),
        (("--watch", "a.jsonl", "--looks", "new", "--min", "DCG@5=1"), "DCG@5 has no limits that are known"),
        (("--watch", "bad.jsonl"), "bad.jsonl: this is no file of looks"),
        (("--watch", "cut.jsonl"), "cut.jsonl:2: this is no JSON"),
        (("--watch", "odd.jsonl"), "odd.jsonl: the looks are damaged"),
        (("--watch", "short.jsonl"), "short.jsonl: the looks are damaged: ValueError nDCG@5"),
        (("--watch", "empty.jsonl"), "empty.jsonl: this is no file of looks"),
        (("--watch", "kept.jsonl", "--looks", "same"), "kept.jsonl: its first look has looks_at = new"),
        (("--watch", "kept.jsonl", "--confidence", "0.9"), "its first look has confidence = 0.95"),
        (("--watch", "kept.jsonl", "--set", "level=2"), "begin another file"),
        (("--watch", "kept.jsonl", "--bench", "none.json", "--max", "p95=1s"), "none.json"),
        (("--watch", "."), "."),
    ],
)
def test_what_is_asked_wrongly_is_told_in_one_line(invoke, here, options, words):
    kept = invoke("check", QRELS, BM25, *GATE, "--watch", "kept.jsonl", "--looks", "new")
    assert kept.exit_code == 3
    head = (here / "kept.jsonl").read_text("utf-8").splitlines()[0]
    texts = {"bad": '{"a": 1}\n', "cut": head + '\n{"look": \n', "odd": head + '\n{"look": 1}\n', "empty": ""}
    look = json.loads((here / "kept.jsonl").read_text("utf-8").splitlines()[1])
    look["values"]["nDCG@5"].pop()
    texts["short"] = f"{head}\n{json.dumps(look)}\n"
    for name, text in texts.items():
        (here / f"{name}.jsonl").write_text(text, "utf-8")
    result = invoke("check", QRELS, BM25, *GATE, *options)
    assert result.exit_code == 2, result.stdout
    assert words in result.stderr
    assert result.stderr.count("\n") == 1
