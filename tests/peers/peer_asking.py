"""Other tools' numbers, by a process each: of this interpreter, or of the one in .peers (`make peers`)."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from peer_cases import Case

import truerank as tr

ORACLE = Path(__file__).parent / "peer_oracle.py"
PEERS = Path(__file__).parent.parent.parent / ".peers" / "bin" / "python"

PACKAGES = {
    "ir_measures": "ir_measures cwl pyndeval",
    "ir_measures-command": "ir_measures cwl pyndeval",
    "ndeval": "pyndeval",
    "numpy": "numpy",
    "pyterrier": "pyterrier",
    "pytrec_eval": "pytrec_eval",
    "ragas": "ragas",
    "ranx": "ranx",
    "rbo": "rbo",
    "beir": "beir",
    "beir-custom": "beir",
    "mteb": "mteb",
    "sentence-transformers": "sentence_transformers",
    "transformers": "sentence_transformers transformers torch",
    "sklearn": "sklearn",
    "torchmetrics": "torch",
    "llama-index": "llama_index",
    "haystack": "haystack",
    "haystack-2026-07": "haystack",
    "autorag": "autorag",
    "mlflow": "mlflow",
    "cwl": "cwl",
    "ntcireval": "pyNTCIREVAL",
    "krippendorff": "krippendorff",
    "irrCAC": "irrCAC",
    "catboost": "catboost",
    "cornac": "cornac",
    "implicit": "implicit",
    "deepeval": "deepeval",
    "lenskit": "lenskit",
    "lightgbm": "lightgbm",
    "pytorch-metric-learning": "pytorch_metric_learning",
    "recbole": "recbole",
    "recommenders": "recommenders",
    "rectools": "rectools",
    "replay": "replay",
    "tf-ranking": "tensorflow_ranking",
    "xgboost": "xgboost",
    "spark": "pyspark",
    "recmetrics": "recmetrics",
    "ppi_py": "ppi_py",
    "pytorch_metric_learning": "pytorch_metric_learning",
}
"""What each tool needs."""

OLD = {"haystack-2026-07"}
"""Tools of which this environment may have a newer version."""


PROCESSES: dict[tuple[str, ...], subprocess.Popen[str]] = {}
"""By their commands."""


def ask(tool: str, cases: list[Case], by: str = "") -> list[dict[str, Any]]:
    """What the tool answers to each case; the test is skipped where the tool is not installed.

    Args:
        by: by which module of `truerank.interop` truerank computes for it; else it computes itself.
    """
    return answered([interpreter(tool), str(ORACLE), tool, *by.split()], [case.to_dict() for case in cases])


def answered(command: list[str], asked: Any) -> Any:
    """What a program that answers a line of JSON by another says; what takes time is what it imports, once."""
    process = started(*command)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(asked) + "\n")
    process.stdin.flush()
    answer = process.stdout.readline()
    assert answer, f"{command} ended with status {process.wait()}"
    return json.loads(answer)


def started(*command: str) -> subprocess.Popen[str]:
    if command not in PROCESSES:
        quiet = {**os.environ, "PYTHONWARNINGS": "ignore", "HAYSTACK_TELEMETRY_ENABLED": "false"}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        PROCESSES[command] = subprocess.Popen(command, env=quiet, text=True, **pipes)
    return PROCESSES[command]


def end() -> None:
    """Let all tools go."""
    for process in PROCESSES.values():
        process.stdin.close()  # type: ignore[union-attr]
    while PROCESSES:
        with PROCESSES.popitem()[1]:
            pass  # until it has ended


@lru_cache
def interpreter(tool: str) -> str:
    packages = PACKAGES[tool].split()
    if tool not in OLD and all(map(importlib.util.find_spec, packages)):
        return sys.executable
    if not PEERS.exists():
        pytest.skip(f"needs {PACKAGES[tool]} in .peers (make peers)")
    look = f"import importlib.util, sys; sys.exit(not all(map(importlib.util.find_spec, {packages!r})))"
    if subprocess.run([str(PEERS), "-c", look], check=False).returncode:
        pytest.skip(f"needs {PACKAGES[tool]}, which .peers does not have")
    return str(PEERS)


def ours(tool: str, case: Case, measures: list[str] | None = None, **rules: Any) -> tr.Scores:
    """The same case by the tool's preset, some rules changed."""
    return tr.evaluate(case.qrels, case.given(), measures, rules=tr.Rules.named(tool).replace(**rules))


def assert_plainly(tool: str, case: Case, means: dict[str, float], digits: float = 1e-12, **rules: Any) -> None:
    """What the tool calls by a measure's plain name is what the preset takes that name for."""
    plain = {_plain(name): mean for name, mean in means.items()}
    assert len(plain) == len(means)
    scores = ours(tool, case, list(plain), **rules)
    assert scores.ledger.foreign == ()
    assert {name: scores.mean[name] for name in plain} == pytest.approx(plain, rel=0, abs=digits)


def assert_near(
    mine: dict[str, float], theirs: dict[str, float], what: object, digits: float = 1e-12, rel: float = 0.0
) -> None:
    """As pytest.approx has it, which makes an object of each number, and is asked only where some are apart."""
    if mine.keys() == theirs.keys():
        one, other = (np.array([column[key] for key in mine], float) for column in (mine, theirs))
        if (np.abs(one - other) <= np.maximum(rel * np.abs(other), digits)).all():
            return
    assert mine == pytest.approx(theirs, rel=rel, abs=digits), what


def _plain(name: str) -> str:
    """The name without its parameters."""
    return re.sub(r"\(.*\)", "", name)


def assert_equal(tool: str, cases: list[Case], *, digits: float = 1e-12, **rules: Any) -> None:
    """Every mean, and every value of every query where the tool has them, is the preset's."""
    for case, theirs in zip(cases, ask(tool, cases), strict=True):
        assert "error" not in theirs, theirs["error"]
        scores = ours(tool, case, list(theirs["mean"]), **rules)
        assert scores.mean == pytest.approx(theirs["mean"], rel=0, abs=digits)
        assert_plainly(tool, case, theirs["mean"], digits, **rules)
        for name, column in theirs.get("values", {}).items():
            assert_near(dict(zip(scores.queries, scores[name].tolist(), strict=True)), column, name, digits)
    names = set(theirs["mean"])
    assert set(tr.Rules.named(tool).measures) <= names, "the preset names a measure that was not compared"
