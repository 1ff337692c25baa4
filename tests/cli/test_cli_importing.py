"""--import: measures of one's own, in every command that takes measures."""

from __future__ import annotations

import json
import sys

import pytest

import truerank as tr
from truerank.cli import COMMANDS
from truerank.cli import truerank as group

OWN = """
import truerank as tr
import sizes

print("imported")

@tr.measure("Depth", average="mean", unit=False)
def depth(hits: tr.Hits, *, level: float = 1):
    "How far a reader must go."
    found = hits.relevant(level)
    return found.last_value(found.rank) * sizes.ONE
"""


@pytest.fixture
def own(here):
    """A measure in a folder of its own, which imports what lies beside it."""
    (here / "mine").mkdir()
    (here / "mine" / "own_depth.py").write_text(OWN)
    (here / "mine" / "sizes.py").write_text("ONE = 1\n")
    (here / "mine" / "__init__.py").write_text("")
    return here


def test_a_measure_in_a_file_is_evaluated_and_what_the_file_prints_is_talk(shell, own):
    done = shell("truerank eval qrels.txt first.run --import mine/own_depth.py -m 'Depth RR' -f json")
    assert json.loads(done.stdout)["mean"] == {"Depth": 4 / 3, "RR": 0.5}
    assert (done.returncode, done.stderr) == (0, b"imported\n")


def test_a_module_is_imported_from_the_current_directory(shell, own):
    (own / "mine" / "own_depth.py").write_text(OWN.replace("import sizes", "from mine import sizes"))
    done = shell("truerank measures depth --import mine.own_depth")
    assert done.stdout.startswith(b"Depth: How far a reader must go.\n")


def test_a_report_says_what_it_imported(shell, own):
    done = shell("truerank report qrels.txt first.run --import mine/own_depth.py -m Depth -o page.json")
    assert done.returncode == 0
    assert "--import own_depth.py" in (own / "page.json").read_text()


def test_every_command_that_takes_measures_can_import_some():
    commands = {name: group.get_command(None, name) for name in COMMANDS}
    options = {
        name: {word for param in command.params for word in param.opts}
        for name, command in commands.items()
        if command
    }
    takers = {name for name, words in options.items() if "--measures" in words} | {"measures"}
    takers -= {"audit-table", "ips"}  # columns of a published table; the few measures that clicks estimate
    assert takers == {name for name, words in options.items() if "--import" in words}
    assert {"eval", "compare", "explain", "check", "report", "bench", "lint", "bounds", "vectors", "geo"} < takers


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("gone.py", None, "gone.py: there is no such file to import\n"),
        ("", None, "an empty name is that of no module\n"),
        ("gone.by", None, "there is no module 'gone', neither installed nor in the current directory\n"),
        ("raises_here.py", "1 / 0", "importing raises_here failed: ZeroDivisionError: division by zero\n"),
        ("raises_now.py", "exit('no GPU')", "importing raises_now failed: SystemExit: no GPU\n"),
        ("json.py", "", "json.py: another module is called 'json' already: rename the file\n"),
        ("pytest.py", "", "pytest.py: another module is called 'pytest' already: rename the file\n"),
        (
            "again_ap.py",
            "import truerank as tr\ntr.measure('AP')(lambda hits: None)",
            "importing again_ap failed: MeasureError: the measure name 'AP' is taken by AP\n",
        ),
    ],
)
def test_what_cannot_be_imported_is_told_in_one_line(invoke, here, monkeypatch, name, text, said):
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    if text is not None:
        (here / name).write_text(text)
    result = invoke("eval", "qrels.txt", "first.run", "--import", name)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"truerank: {said}")
    assert "Depth" not in tr.measures()
