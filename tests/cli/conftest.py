"""Three judged queries and two runs, and the command run in this process or in one of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from truerank.cli import truerank

QRELS = "q1 0 a 1\nq1 0 b 2\nq2 0 c 1\nq3 0 z 0\n"
FIRST = "q1 Q0 x 1 3.0 t\nq1 Q0 a 2 2.0 t\nq1 Q0 b 3 2.0 t\nq2 Q0 c 1 1.0 t\nq9 Q0 c 1 1.0 t\n"
SECOND = "q1 Q0 b 1 3.0 t\nq1 Q0 a 2 2.0 t\nq2 Q0 x 1 1.0 t\nq3 Q0 z 1 1.0 t\n"

Invoke = Callable[..., Result]
Shell = Callable[..., subprocess.CompletedProcess[bytes]]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder, which we are in, with qrels.txt, first.run and second.run."""
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "first.run").write_text(FIRST)
    (tmp_path / "second.run").write_text(SECOND)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def invoke(here: Path) -> Invoke:
    """Run the command in this process."""
    return lambda *arguments, **options: CliRunner().invoke(truerank, list(map(str, arguments)), **options)


@pytest.fixture
def shell(here: Path) -> Shell:
    """Run a line of bash in which `truerank` is the command."""
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
    }
    environment |= {"COLUMNS": "100", "LC_ALL": "C.UTF-8"}

    def run(line: str, **options: object) -> subprocess.CompletedProcess[bytes]:
        given = {"cwd": here, "env": environment, "capture_output": True, "timeout": 60} | options
        return subprocess.run(["bash", "-c", line], check=False, **given)

    return run
