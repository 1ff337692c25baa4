"""The pytest plugin, in real runs of pytest."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import truerank as tr
from truerank.pytest_plugin import Gates

pytest_plugins = ["pytester"]

GATES = """
import pytest
import truerank as tr

QUERIES = [f"q{n}" for n in range(60)]

def scores(found):
    qrels = {q: {"a": 1, "b": 1} for q in QUERIES}
    run = {q: ["a", "b"] if n < found else ["x", "a"] for n, q in enumerate(QUERIES)}
    return tr.evaluate(qrels, run, "AP nDCG@10")

def test_holds(truerank):
    found = truerank.check(scores(50), min={"AP": 0.8, "ndcg_cut_10": 0.8}, no_worse_than=scores(50), margin=0.01)
    assert found.outcome == "pass"

def test_fails(truerank):
    truerank.check(scores(20), min={"AP": 0.9}, max={"nDCG@10": 1}, no_worse_than=scores(50), margin={"AP": 0.01})

def test_undecided(truerank):
    assert truerank.check(scores(29), no_worse_than=scores(30), measures=["AP"]).outcome == "undecided"

def test_strict(truerank):
    truerank.check(scores(29), no_worse_than=scores(30), measures=["AP"], strict=True)

def test_wrong(truerank):
    with pytest.raises(tr.MeasureError, match="Did you mean nDCG"):
        truerank.check(scores(20), min={"NDGC@10": 0.4})
"""


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch):
    """Run a test file in a pytest of its own, which loads no other plugin: they take long."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def go(body: str, *options: str) -> pytest.RunResult:
        pytester.makepyfile(body)
        return pytester.runpytest_subprocess("-p", "truerank.pytest_plugin", *options)

    return go


def test_failing_is_an_assertion_with_a_line_a_gate_and_undecided_a_warning_or_where_strict_a_failure(run):
    result = run(GATES)
    result.assert_outcomes(passed=3, failed=2, warnings=1)
    result.stdout.fnmatch_lines_random(
        [
            "E  *AssertionError: AP >= 0.9: FAIL, it is 0.* [[]0.*, 0.*[]]",
            "E  *AP no worse than run by more than 0.01: FAIL, the difference is -0.* [[]-0.*, -0.*[]]",
            "E  *AssertionError: AP no worse than run: undecided, the difference is -0.*",
            "*UndecidedWarning: AP no worse than run: undecided, the difference is -0.*",
        ]
    )
    assert "nDCG@10 <= 1" not in result.stdout.str()
    assert "pytest_plugin.py" not in result.stdout.str()


def test_the_fixture_takes_all_that_check_takes(run):
    assert inspect.signature(tr.check).parameters.keys() <= inspect.signature(Gates.check).parameters.keys()
    scores = "tr.evaluate({'p': {'a': 1}, 'q': {'a': 1}}, {'p': ['a'], 'q': ['x', 'a']}, 'RR')"
    sliced = "by={'p': 'en', 'q': 'de'}, by_name='language', slices={'de': {'min': {'RR': 0.9}}}"
    result = run(f"""
import truerank as tr

def test_sliced(truerank):
    truerank.check({scores}, min={{"RR": 0.5}}, {sliced})
""")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*de: RR >= 0.9: FAIL*"])


def test_the_fixture_is_listed_with_what_it_does(run):
    result = run("", "--fixtures")
    result.stdout.fnmatch_lines(["truerank [[]session scope[]]*", "*Gates on scores: truerank.check(scores,*"])


def test_loading_the_plugin_imports_neither_numpy_nor_the_engine():
    code = (
        "import sys, truerank.pytest_plugin; print(*(m for m in sys.modules if m.startswith(('numpy', 'truer'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert sorted(done.stdout.split()) == ["truerank", "truerank.pytest_plugin"]


def test_a_file_of_looks_is_kept_as_the_command_keeps_it(run):
    text = """
import truerank as tr

def test_watched(truerank):
    for found in (range(40), range(30)):
        qrels = {f"q{n}": {"a": 1} for n in range(40)}
        scores = tr.evaluate(qrels, {f"q{n}": ["a"] for n in found}, "RR")
        check = truerank.check(scores, min={"RR": 0.3}, watch="looks.jsonl", looks="same")
    assert len(check.watch.looks) == 2 == len(tr.Watch.read("looks.jsonl").looks)
    assert tr.Watch.read("looks.jsonl").looks_at == "same"
    assert check.verdicts[0].interval.method == "betting"
    truerank.check(scores, min={"RR": 0.999}, watch="looks.jsonl")
"""
    result = run(text)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E  *AssertionError: RR >= 0.999*"])


def test_wrong_input_is_shown_at_the_line_of_the_test_alone(run):
    result = run("def test_wrong(truerank):\n    truerank.check({'AP': 0.5}, min={'APP': 0.4})\n")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([">*truerank.check({'AP': 0.5}, min={'APP': 0.4})", "E  *Error: *APP*"])
    assert not [name for name in ("pytest_plugin.py", "deciding.py", "figures.py") if name in result.stdout.str()]


def plugins() -> set[str]:
    """The modules that pytest finds by the metadata of what is installed here."""
    return {found.value for found in metadata.entry_points(group="pytest11")}


def test_a_plain_pytest_finds_the_fixture_by_its_entry_point(tmp_path):
    if "truerank.pytest_plugin" not in plugins():
        said = "what is installed here is older than pyproject.toml: pip install --editable ."
        assert os.environ.get("CI") != "true", said
        pytest.skip(said)
    (tmp_path / "test_it.py").write_text(
        "def test_quality(truerank):\n    assert truerank.check({'AP': 0.5}, min={'AP': 0.4}).outcome == 'pass'\n"
    )
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=tmp_path, env=kept, capture_output=True, text=True, check=False)
    assert (done.returncode, "1 passed" in done.stdout) == (0, True), done.stdout + done.stderr


def test_the_entry_point_is_asked_for():
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8")
    assert '[project.entry-points.pytest11]\ntruerank = "truerank.pytest_plugin"\n' in text
