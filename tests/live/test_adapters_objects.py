"""Retrievers by name: package.module:object, found in the current directory too."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from truerank.core.errors import InputError
from truerank.live.adapters import adapt

MODULE = """
from truerank.live.retriever import Retriever, Answer

def search(query, k):
    return [query] * k

class Index:
    def __call__(self, query, k):
        return ["called"] * k
    def search(self, query, k):
        return ["method"] * k

class Needs:
    def __init__(self, path):
        pass

index = Index()

def make():
    return Index()

def fail():
    raise OSError("no index on this disk")

made = Retriever("made", lambda query, k: None, lambda raw: Answer(("x",), (1.0,)))
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch):
    """A current directory with modules that are named after the test's directory, so that none is met twice."""
    name = "m" + tmp_path.name.replace("-", "_")
    (tmp_path / f"{name}.py").write_text(MODULE)
    (tmp_path / f"{name}_broken.py").write_text("import no_such_package")
    (tmp_path / f"{name}_raises.py").write_text("1 / 0")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry != ""])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return name


def asked(target):
    retriever = adapt(target)
    return retriever.read(retriever.call("tea", 2)).docs


@pytest.mark.parametrize(
    ("path", "docs"),
    [
        ("search", ("tea", "tea")),
        ("index", ("called", "called")),
        ("index.search", ("method", "method")),
        ("Index", ("called", "called")),
        ("Index()", ("called", "called")),
        ("make()", ("called", "called")),
        ("made", ("x",)),
    ],
)
def test_an_object_is_found_by_its_name(here, path, docs):
    assert asked(f"{here}:{path}") == docs


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("{m}:serch", "{m}:serch: {m} has no 'serch'. Did you mean search?"),
        ("{m}:index.serch", "{m}:index.serch: Index has no 'serch'. Did you mean search?"),
        ("{m}:zzz", "{m} has no 'zzz'. It has search, Index, Needs, index, make, fail, made"),
        ("{m}:index.zzz", "Index has no 'zzz'."),
        ("{m}:Needs", "{m}:Needs() failed: TypeError"),
        ("{m}:fail()", "{m}:fail() failed: OSError: no index on this disk"),
        ("{m}_missing:search", "there is no module '{m}_missing', neither installed nor in the current directory"),
        ("{m}.py:search", "Did you mean {m}, without .py?"),
        ("{m}_broken:search", "{m}_broken imports no_such_package, which is not installed"),
        ("{m}_raises:search", "importing {m}_raises failed: ZeroDivisionError"),
        ("{m}", "is no target: give 'package.module:object', a URL with {{query}}, or 'cmd: COMMAND'"),
        ("{m}:", "is no target"),
    ],
)
def test_what_is_not_there_is_named(here, target, said):
    with pytest.raises(InputError) as caught:
        adapt(target.format(m=here))
    assert said.format(m=here) in str(caught.value)


def test_the_current_directory_counts_for_the_installed_command_too(here, tmp_path):
    code = (
        "import sys; sys.path.remove('');"
        f"from truerank.live.adapters import adapt; print(adapt('{here}:search').name)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "search\n"
