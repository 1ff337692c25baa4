"""The scripts in examples/retrievers run as they stand, warnings being errors, and find what is right."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

SCRIPTS = sorted((Path(__file__).parents[2] / "examples" / "retrievers").glob("with_*.py"))
NEEDS = {"with_langchain": "langchain_core", "with_llamaindex": "llama_index", "with_haystack": "haystack"}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_an_example_runs_and_finds_what_is_right(script):
    if find_spec(NEEDS.get(script.stem, "httpx")) is None:
        pytest.skip(f"needs {NEEDS.get(script.stem, 'httpx')}")
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script)], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    figures = [line for line in done.stdout.splitlines() if "nDCG@3" in line]
    assert figures
    assert all(float(line.split("nDCG@3 ")[1].split(",")[0]) > 0.8 for line in figures)


def test_there_is_an_example_of_each_kind():
    kinds = {script.stem.removeprefix("with_") for script in SCRIPTS}
    assert kinds == {"command", "functions", "haystack", "http", "langchain", "llamaindex"}
