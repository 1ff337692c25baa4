"""The documents are true: every block in them runs and prints what they show."""

from __future__ import annotations

import dataclasses
import doctest
import inspect
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import truerank as tr
from truerank.cli import truerank
from truerank.core.rules import presets
from truerank.formats import formats
from truerank.present.sections import SECTIONS

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
PLAIN = re.compile(r"truerank [^|&;<>$`*?#~\n]*")
"""A call of the command that means the same to every shell, and to none."""
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path, language: str) -> list[str]:
    return [text for kind, text in BLOCK.findall(page.read_text("utf-8")) if kind == language]


def printed_by(command: str) -> str:
    """What a command prints in the root of the project, errors too; in this process where it needs no shell."""
    here = {"COLUMNS": "110", "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}
    if PLAIN.fullmatch(command):
        result = CliRunner(env=here).invoke(truerank, shlex.split(command)[1:], prog_name="truerank")
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.stdout + result.stderr
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, **here, "PATH": path}
    done = subprocess.run(
        command,
        shell=True,
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_in_the_documents_runs_and_prints_what_they_show(page):
    names: dict[str, object] = {}
    for number, block in enumerate(blocks(page, "python")):
        if block.lstrip().startswith(">>>"):
            test = doctest.DocTestParser().get_doctest(block, names, f"{page.name}-{number}", str(page), 0)
            runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
            runner.run(test, clear_globs=False)
            assert runner.failures == 0, f"{page.name}, python block {number + 1}"
            names |= test.globs
        else:
            exec(compile(block, f"{page.name}-{number}", "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_in_the_documents_print_what_they_show(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    for block in blocks(page, "console"):
        for example in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = example.partition("\n")
            shown = "\n".join(line.rstrip() for line in output.strip("\n").split("\n"))
            printed = "\n".join(line.rstrip() for line in printed_by(command).strip("\n").split("\n"))
            assert printed == shown, f"{page.name}: $ {command}"


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name)
def test_examples_run(path):
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


def test_generated_pages_are_up_to_date():
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "generate.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_measure_format_and_rule_is_in_the_documents():
    text = "\n".join(page.read_text("utf-8") for page in PAGES)
    missing = [name for name in (*tr.measures(), *formats(), *presets()) if name not in text]
    assert missing == []


def test_how_it_works_says_where_each_rule_is_applied():
    page = (ROOT / "docs" / "how-it-works.md").read_text("utf-8")
    table = page.partition("## Where rules are applied")[2].partition("\n## ")[0]
    said = {
        name
        for row in table.splitlines()
        if row.startswith("|")
        for name in re.findall(r"`(\w+)", row.split(" | ")[0])
    }
    assert said == {field.name for field in dataclasses.fields(tr.Rules)} - {"name"}


def test_how_it_works_names_functions_where_they_are_defined():
    page = (ROOT / "docs" / "how-it-works.md").read_text("utf-8")
    named = re.findall(r"((?:`\w+`(?: and )?)+) of `(core/\w+\.py)`", page)
    assert len(named) > 3
    for names, file in named:
        source = (ROOT / "src" / "truerank" / file).read_text("utf-8")
        assert [name for name in re.findall(r"`(\w+)`", names) if f"def {name}(" not in source] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_headings_stand_apart_from_what_is_above_them(page):
    text = BLOCK.sub("", page.read_text("utf-8"))
    assert re.findall(r"(?<!\n)\n(#+ .*)", text) == []


def test_links_between_documents_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text("utf-8")):
            assert "://" in target or (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_public_names_are_documented_and_sorted():
    assert sorted(tr.__all__) == list(tr.__all__)
    assert [name for name in tr.__all__ if not getattr(tr, name).__doc__] == []


def test_the_page_on_python_has_every_public_function():
    page = (ROOT / "docs" / "python.md").read_text("utf-8").partition("| name | what it gives |")[2]
    table = set(re.findall(r"`(\w+)", page.partition("\n\n")[0]))
    assert {name for name in tr.__all__ if name.islower()} - table == set()


def test_the_page_on_the_report_tells_its_sections_in_their_order():
    """By their headings, of which each section's file has one."""
    page = (ROOT / "docs" / "report.md").read_text("utf-8").partition("| section | says |")[2].partition("\n\n")[0]
    files = [Path(inspect.getfile(section)).read_text("utf-8") for section in SECTIONS]
    headings = [name for text in files for name in re.findall(r'Heading\(message\("(.+?)"\)', text)]
    assert re.findall(r"^\| (\w.*?) \|", page, re.MULTILINE) == headings
