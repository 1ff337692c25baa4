"""Imports point down: each file may name only the layers below its own (and modules of its own part)."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "truerank"

LAYERS = [
    {"__main__"},
    {"cli", "pytest_plugin"},
    {"board"},
    {"demo"},
    {"report", "engines"},
    {"check"},
    {"compare", "explain", "lint", "trec", "bench", "geo", "contest", "curve", "confusion"},
    {"bounds", "vectors"},
    {"everything"},
    {"evaluate"},
    {"scores", "swapped"},
    {"readings"},
    {"measures"},
    {"truth"},
    {"hits", "formats"},
    {"qrels", "run"},
    {"rules", "_kernel", "_names", "_counting"},
    {"presented"},
    {"errors", "stats"},
    {"equal"},
]
HEIGHT = {part: len(LAYERS) - i for i, layer in enumerate(LAYERS) for part in layer}
FILES = sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py")


def part_of(path: Path) -> str:
    return path.relative_to(SOURCE).with_suffix("").parts[0]


def imports(path: Path) -> set[str]:
    """The full names of truerank's modules that a file imports, wherever in it."""
    tree = ast.parse(path.read_text("utf-8"))
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        assert not (isinstance(node, ast.ImportFrom) and node.level), f"{path}: a relative import"
    return {name for name in names if name.startswith("truerank.") or name == "truerank"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_file_names_only_what_is_below_it(path):
    part = part_of(path)
    assert part in HEIGHT, f"{part} has no layer yet"
    for name in imports(path):
        other = name.split(".")[1] if "." in name else "truerank"
        if other not in HEIGHT:  # a name re-exported by truerank/__init__.py: only the top may use those
            assert part in set().union(*LAYERS[1:4]) or other == "__version__", f"{path.name} imports {name}"
        else:
            assert other == part or HEIGHT[other] < HEIGHT[part], (
                f"{path.name} imports {name}, which is not below it"
            )


def test_measures_know_only_hits_their_sums_and_numpy():
    allowed = ("truerank.hits", "truerank.measures", "truerank.errors", "truerank._kernel")
    for path in (SOURCE / "measures").glob("*.py"):
        assert all(name.startswith(allowed) for name in imports(path)), path.name


def test_files_stay_short():
    assert {p.name: n for p in FILES if (n := len(p.read_text("utf-8").splitlines())) > 450} == {}
    assert len((SOURCE / "_kernel.pyx").read_text("utf-8").splitlines()) <= 700


def test_functions_stay_short():
    long = []
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                body = node.body[1:] if ast.get_docstring(node) else node.body
                lines = (node.end_lineno or 0) - body[0].lineno + 1 if body else 0
                long += [f"{path.name}:{node.name}"] if lines > 60 else []
    assert long == []


def test_nothing_is_called_a_drawer():
    drawers = {"utils", "util", "helpers", "helper", "base", "common", "misc"}
    assert [path for path in FILES if path.stem.lstrip("_") in drawers] == []
