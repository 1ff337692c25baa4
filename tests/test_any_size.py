"""What docs/any-size.md shows for the shell, and for engines where they are installed, on parts of a run."""

from __future__ import annotations

import os
import random
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import truerank as tr
from test_docs import ROOT, blocks
from truerank.formats import convert

PAGE = ROOT / "docs" / "any-size.md"
ENGINES = {"pyspark": "Spark", "ray": "Ray", "dask": "Dask"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Qrels, and a run whose lines are drawn into three parts; as a Parquet file too, in groups of a few rows."""
    from pyarrow import parquet

    rows = (ROOT / "examples" / "compare" / "bm25.run").read_text("utf-8").splitlines(keepends=True)
    random.Random(3).shuffle(rows)
    (tmp_path / "qrels.txt").write_text((ROOT / "examples" / "compare" / "qrels.txt").read_text("utf-8"), "utf-8")
    for part in range(3):
        (tmp_path / f"part-{part + 1}.run").write_text("".join(rows[part::3]), "utf-8")
    (tmp_path / "run.run").write_text("".join(rows), "utf-8")
    monkeypatch.chdir(tmp_path)
    convert("run.run", "run.parquet")
    parquet.write_table(parquet.read_table("run.parquet"), "run.parquet", row_group_size=100)
    return tmp_path


def means(qrels, run=None):
    return tr.evaluate(qrels, run, "nDCG@10 AP").mean


QUICK = (
    *("spark.ui.enabled=false", "spark.driver.host=127.0.0.1", "spark.driver.bindAddress=127.0.0.1"),
    "spark.sql.codegen.wholeStage=false",
    "spark.driver.extraJavaOptions=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
)
"""What lets Spark start fast and spares it compiling what a few rows go through."""


def activated() -> dict[str, str]:
    """The environment of a shell in which this Python's is activated: Spark's workers are the first python3."""
    submit = shlex.join([word for each in QUICK for word in ("--conf", each)] + ["pyspark-shell"])
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return {**os.environ, "PATH": path, "PYSPARK_SUBMIT_ARGS": submit}


def test_the_shell_loop_gives_the_numbers_of_the_run_read_at_once(folder):
    (script,) = blocks(PAGE, "sh")
    done = subprocess.run(
        ["sh", "-ec", script], cwd=folder, env=activated(), capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    expected = [f"{mean:.4f}" for mean in means("qrels.txt", "run.run").values()]
    assert done.stdout.splitlines()[1].split() == ["bm25", *expected]
    assert means(tr.Reading.load("bm25.arrow")) == means("qrels.txt", "run.run")


@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_gives_the_numbers_of_the_run_read_at_once(folder, engine):
    if not find_spec(engine):
        pytest.skip(f"{engine} is not installed")
    (block,) = [text for text in blocks(PAGE, "py") if f"import {engine}" in text or f"from {engine}" in text]
    (folder / "engine.py").write_text(f"{block}\nwhole.save('whole.arrow')\n", "utf-8")
    command = [sys.executable, "engine.py"]
    done = subprocess.run(
        command, cwd=folder, env=activated(), capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert means(tr.Reading.load("whole.arrow")) == means("qrels.txt", "run.run")


def test_every_engine_is_shown():
    text = PAGE.read_text("utf-8")
    assert len(blocks(PAGE, "py")) == len(ENGINES)
    assert all(f"\n### {name}\n" in text for name in ENGINES.values())
