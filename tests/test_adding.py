"""CONTRIBUTING's table "To add X, touch Y" is true: a copy of the source gets one of each, in those files."""

from __future__ import annotations

import fnmatch
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent


class Edit(NamedTuple):
    """A text for a file: at its end, or before a text that stands in it once; a new file has only the text."""

    path: str
    text: str
    before: str = ""


ADDED: dict[str, list[Edit]] = {
    "a measure": [
        Edit(
            "src/truerank/measures/binary.py",
            '''

@measure(
    "Promptness",
    formula="Σ over relevant found of q^(rank − 1) / R",
    source="this test",
    divides_by="relevant",
    monotone="stepped",
)
def promptness(hits: Hits, *, k: int | None = None, level: float = 1, q: float = 0.5) -> Terms:
    """How soon the relevant documents come, each worth less by a factor for each rank further down.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 1}}, {"q": ["x", "a"]}, "Promptness").mean
    {'Promptness': 0.25}
    """
    found = hits.relevant(level).top(k)
    return Terms(found, q ** (found.rank - 1.0), hits.relevant_total(level))
''',
        ),
        Edit(
            "tests/oracles.py",
            """

@oracle("Promptness", divides_by="relevant")
def promptness(answer: Answer, k: int | None = None, level: float = 1, q: float = 0.5) -> float:
    return over(sum(q ** (rank - 1) for rank in answer.ranks(level, k)), answer.relevant(level))
""",
        ),
    ],
    "a value of a rule": [
        Edit("src/truerank/core/rules.py", ', "down"', before='),\n    "vocabulary": ('),
        Edit(
            "src/truerank/core/rules.py",
            'down: floor(x R); "\n    "',
            before="definition: the first at a recall of",
        ),
        Edit("src/truerank/measures/curves.py", ', "down"', before=']\n"""Which relevant document stands for'),
        Edit(
            "src/truerank/measures/curves.py",
            '    if rounding == "down":\n        return np.maximum(whole.astype(np.int64), 1)\n',
            before='    if rounding == "up":\n',
        ),
        Edit(
            "src/truerank/analysis/explain/worked/curves.py",
            '    if rounding == "down":\n'
            '        return message("{recall} × {a}, rounded down, at least 1", **values)\n',
            before='    return message("{recall} × {a}, rounded up',
        ),
        Edit(
            "src/truerank/analysis/explain/notes.py",
            '    "down": "r R rounded down",\n',
            before='    "definition": ',
        ),
    ],
    "a statistic": [
        Edit(
            "src/truerank/stats/middle.py",
            '''"""The middle of a sample."""

import numpy as np
from numpy.typing import ArrayLike

from truerank.stats.values import column


def middle(values: ArrayLike) -> float:
    """The median.

    >>> middle([1.0, 5.0, 2.0])
    2.0
    """
    return float(np.median(column(values, "values")))
''',
        ),
        Edit(
            "src/truerank/stats/__init__.py",
            "from truerank.stats.middle import middle\n",
            before="from truerank.stats.paired import",
        ),
        Edit("src/truerank/stats/__init__.py", '    "middle",\n', before='    "non_inferiority",'),
    ],
    "a preset": [
        Edit(
            "src/truerank/core/presets/shallow.toml",
            '# A tool that looks at ten results.\nextends = "trec_eval-10"\ndepth = 10\nmeasures = ["AP"]\n',
        ),
    ],
    "a format": [
        Edit(
            "src/truerank/formats/plainlists.py",
            '''"""A query and its documents a line."""

from __future__ import annotations

from collections.abc import Iterator

from truerank.core.run import Batch, Ranked
from truerank.formats.registry import Format, register
from truerank.formats.source import Source


def sniff(head: bytes, name: str) -> float:
    """A first line that says so."""
    return 1.0 if head.startswith(b"#lists\\n") else 0.0


def read_run(source: Source) -> Iterator[Batch]:
    """A list a line."""
    for line in source.read().splitlines()[1:]:
        query, *docs = line.split()
        yield Ranked(query, docs)


register(Format("plainlists", "a query and its documents a line", sniff, lambda source: "run", read_run=read_run))
''',
        ),
    ],
    "a rule of truth": [
        Edit(
            "src/truerank/truth/initial.py",
            '''"""The references whose ids begin as the query's does."""

from __future__ import annotations

import numpy as np

from truerank.truth.items import Items
from truerank.truth.registry import rule
from truerank.truth.result import Pairs


@rule("initial")
def initial(queries: Items, references: Items, *, letters: int = 1) -> Pairs:
    """The references whose ids begin with the same letters are right.

    >>> from truerank import truth
    >>> truth.build("initial", [{"id": "ab"}], [{"id": "ac"}, {"id": "bc"}]).to_dict()
    {'ab': {'ac': 1.0}}
    """
    asked, there = (np.array([name[:letters] for name in items.ids]) for items in (queries, references))
    query, reference = np.nonzero(asked[:, None] == there[None, :])
    return Pairs(query, reference, np.full(len(query), np.nan))
''',
        ),
    ],
    "an adapter of retrievers": [
        Edit(
            "src/truerank/live/adapters/fixed.py",
            '''"""A list of ids that is the answer to everything."""

from __future__ import annotations

from truerank.live.adapters.ids import IdReader
from truerank.live.adapters.registry import adapter
from truerank.live.retriever import Answer, Retriever


def sure(target: object) -> float:
    """A tuple of texts."""
    return float(isinstance(target, tuple) and all(isinstance(one, str) for one in target))


@adapter("a fixed list", sure)
def build(target: tuple[str, ...], *, ids: IdReader, asynchronous: bool | None) -> Retriever:
    """The first of the list, whatever is asked."""
    scores = [-float(rank) for rank in range(len(target))]

    def read(k: object) -> Answer:
        return Answer(target[: int(str(k))], tuple(scores[: int(str(k))]))

    return Retriever("fixed", lambda query, k: k, read)
''',
        ),
    ],
    "a result": [
        Edit(
            "src/truerank/analysis/depths.py",
            '''"""How deep runs go."""

from __future__ import annotations

from dataclasses import dataclass

from truerank.core.presented import Presented


@dataclass(frozen=True, repr=False)
class Depths(Presented):
    """How many documents the queries of a run returned."""

    built_by = "depths"

    returned: dict[str, int]

    def _summary(self) -> str:
        return f"Depths({len(self.returned)} queries)"

    def to_dict(self) -> dict[str, dict[str, int]]:
        """Plain values, for JSON."""
        return {"returned": self.returned}
''',
        ),
        Edit(
            "src/truerank/present/depths.py",
            '''"""Depths as a table."""

from __future__ import annotations

from truerank.analysis.depths import Depths
from truerank.core.messages import message
from truerank.present.document import Document
from truerank.present.table import Table


def document_of(depths: Depths) -> Document:
    """A row a query."""
    table = Table((message("query"), message("returned")), tuple(depths.returned.items()), digits=None)
    return Document([table], table, depths.to_dict(), remarks_of(depths))


def remarks_of(depths: Depths) -> list[str]:
    """What a reader should know."""
    return [message("Nothing was returned.")] if not any(depths.returned.values()) else []
''',
        ),
    ],
    "a section of the report": [
        Edit(
            "src/truerank/present/sections/thanks.py",
            '''"""The last word."""

from __future__ import annotations

from collections.abc import Iterator

from truerank.core.messages import message
from truerank.present.data import ReportData
from truerank.present.document import Block, Heading, Prose


def blocks(data: ReportData) -> Iterator[Block]:
    """One sentence."""
    yield Heading(message("Thanks"), "thanks")
    yield Prose((message("This was a report."),))
''',
        ),
        Edit("src/truerank/present/sections/__init__.py", "    thanks,\n", before="    unjudged,\n"),
        Edit("src/truerank/present/sections/__init__.py", "    thanks.blocks,\n", before="    reproduce.blocks,"),
    ],
    "a renderer": [
        Edit(
            "src/truerank/present/renderers/outline.py",
            '''"""A document as its headings."""

from __future__ import annotations

from truerank.present.document import Document, Heading


def render(document: Document) -> str:
    """A line a heading."""
    lines = [f"* {block.text}" for block in document.blocks if isinstance(block, Heading)]
    return "\\n".join([document.title, *lines, ""])
''',
        ),
        Edit("src/truerank/present/renderers/__init__.py", '    "outline": (".org",),\n', before='    "latex": '),
    ],
    "a command": [
        Edit(
            "src/truerank/cli/depths.py",
            '''"""`truerank depths`: how many documents a run returned."""

from __future__ import annotations

import click

from truerank.analysis.depths import Depths
from truerank.cli.output import write
from truerank.core.reading import read


@click.command("depths")
@click.argument("run")
def command(run: str) -> None:
    """Tell how many documents the queries of a run got."""
    reading = read(None, run)
    names = [query.decode() for query in reading.hits.queries]
    write(Depths(dict(zip(names, reading.hits.returned.tolist(), strict=True))).to_text())
''',
        ),
        Edit(
            "src/truerank/cli/__init__.py",
            '    "depths": "Tell how many documents the queries of a run got.",\n',
            before='    "serve": ',
        ),
    ],
}
"""One of each, as a person would write it."""

CHECK = """
import os, sys
import truerank as tr
from oracles import ORACLES, Answer

assert tr.__file__.startswith(os.getcwd()), tr.__file__
qrels, run = {"q": {"a": 1, "b": 1}}, {"q": ["x", "a", "b"]}

measure = tr.Promptness(q=0.25)
answer = Answer([None, 1, 1], [1, 1], 1, [3.0, 2.0, 1.0])
assert tr.evaluate(qrels, run, [measure]).mean == {"Promptness(q=0.25)": ORACLES["Promptness"](answer, q=0.25)}
why = tr.explain(qrels, run, "q", "Promptness")
assert why.worked.is_derived and why.worked.lines[-1].value == why.value == 0.375
assert [(t.doc, t.value, t.share) for t in why.worked.sums[0].terms] == [("a", 0.5, 0.25), ("b", 0.25, 0.125)]
assert tr.bounds(qrels, run, "Promptness", "unjudged").unjudged["Promptness"].sure.all()  # it declares how it moves

rules = {"recall_points": "down"}
three = {"q": {"a": 1, "b": 1, "c": 1}}, {"q": ["a", "x", "b"]}
assert tr.evaluate(*three, "IPrec@0.5", rules=rules).mean == {"IPrec@0.5": 1}
why = tr.explain(*three, "q", "IPrec@0.5", rules=rules)
assert why.value == 1 and "rounded down, at least 1" in str(why)
assert "down: floor(x R)" in tr.Rules().to_toml()

from truerank import stats
assert stats.middle([3.0, 1.0, 2.0]) == 2.0

assert tr.Rules.of("shallow").depth == 10
assert tr.evaluate(qrels, run, rules="shallow").rules.name == "shallow"

with open("lists.txt", "w") as file:
    file.write("#lists\\nq x a b\\n")
assert tr.evaluate(qrels, "lists.txt", "RR").mean == {"RR": 0.5}

from truerank import truth
right = truth.build("initial(2)", [{"id": "abc"}], [{"id": "abd"}, {"id": "acd"}])
assert right.to_dict() == {"abc": {"abd": 1.0}}

from truerank.live.adapters import adapt
retriever = adapt(("a", "b"))
assert retriever.read(retriever.call("tea", 1)).docs == ("a",)

from truerank.analysis.depths import Depths
found = Depths({"q": 0})
assert repr(found) == "Depths(1 queries)\\n  Nothing was returned."
assert found._repr_html_().count("<tr") == 2 and "returned" in found.to_latex()

from click.testing import CliRunner
from truerank.cli import truerank
printed = CliRunner().invoke(truerank, ["depths", "lists.txt"])
assert printed.exit_code == 0 and printed.output.split() == ["query", "returned", "q", "3"], printed.output

tr.write_report(qrels, [run], "report.org", "AP", lang="en")
with open("report.org") as file:
    assert "* Thanks" in file.read().splitlines()
"""
"""What each of them does, once it is there."""


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with one of each."""
    copy = tmp_path_factory.mktemp("grown")
    for folder in ("src", "tests", "docs"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__", "*.c"))
    for edit in (edit for edits in ADDED.values() for edit in edits):
        path = copy / edit.path
        text = path.read_text("utf-8") if path.exists() else ""
        assert text.count(edit.before) == 1 or not edit.before, f"{edit.path}: {edit.before!r}"
        at = text.index(edit.before) if edit.before else len(text)
        path.write_text(text[:at] + edit.text + text[at:], "utf-8")
    return copy


def ran(copy: Path, *command: str) -> str:
    """What Python prints in the copy."""
    path = os.pathsep.join(str(copy / folder) for folder in ("src", "tests"))
    environment = {**os.environ, "PYTHONPATH": path, "LC_ALL": "C.UTF-8", "PYTEST_ADDOPTS": ""}
    done = subprocess.run(
        [sys.executable, *command],
        cwd=copy,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_one_of_each_works(grown: Path) -> None:
    ran(grown, "-c", CHECK)


def test_lists_and_generated_pages_have_the_new_ones(grown: Path) -> None:
    ran(grown, "docs/generate.py")
    measures, commands = ((grown / "docs" / name).read_text("utf-8") for name in ("measures.md", "cli.md"))
    assert "### Promptness\n\nHow soon the relevant documents come" in measures
    assert "plainlists" in commands
    assert "A tool that looks at ten results." in commands
    assert "Promptness: Measure" in (grown / "src" / "truerank" / "__init__.pyi").read_text("utf-8")
    told = ran(grown, "-m", "truerank", "measures", "Promptness")
    assert "How soon the relevant documents come" in told


def test_the_laws_find_the_new_measure_and_the_layers_the_new_files(grown: Path) -> None:
    laws = "every_measure_is_tried or has_an_oracle or every_parameter or Promptness"
    new = {Path(edit.path).name for edits in ADDED.values() for edit in edits if not edit.before} - {"oracles.py"}
    wanted = f"{laws} or {' or '.join(sorted(name for name in new if name.endswith('.py')))}"
    quiet = ("-q", "-x", "-p", "no:cacheprovider", "-p", "no:truerank", "--rootdir", str(grown))
    printed = ran(grown, "-m", "pytest", *quiet, "-k", wanted, "tests/test_laws.py", "tests/test_layers.py")
    assert "passed" in printed


TABLE = re.compile(r"^\| (.+?) \| (.+?) \|", re.MULTILINE)


def touched() -> dict[str, set[str]]:
    """What CONTRIBUTING's table says: a thing, and the files up to the semicolon, capitals standing for a name."""
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## To add X, touch Y")[2].partition("\n## ")[0]
    rows = TABLE.findall(page)[1:]
    return {thing: set(re.findall(r"`([^`]+)`", files.partition(";")[0])) for thing, files in rows}


@pytest.mark.parametrize("thing", ADDED)
def test_the_table_names_the_files_that_were_touched(thing: str) -> None:
    said = {re.sub(r"[A-Z]{2,}", "*", path) for path in touched()[thing]}
    for path in {edit.path for edit in ADDED[thing]}:
        assert any(fnmatch.fnmatch(path, f"*{pattern}") for pattern in said), f"{path} is not in the table"
    for pattern in said:
        assert any(fnmatch.fnmatch(edit.path, f"*{pattern}") for edit in ADDED[thing]), f"{pattern} was not touched"


def test_the_table_has_nothing_that_is_not_tried() -> None:
    assert set(touched()) - {"a language"} == set(ADDED)


GLOSSARY = re.compile(r"^\* \*\*(.+?)\*\*: ", re.MULTILINE)


def test_every_word_of_the_glossary_occurs_in_the_source() -> None:
    words = GLOSSARY.findall((ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## Glossary")[2])
    files = [*(ROOT / "src").rglob("*.py"), ROOT / "tests" / "oracles.py", ROOT / "tests" / "test_laws.py"]
    source = "\n".join(path.read_text("utf-8") for path in files).lower()
    assert len(words) >= 30
    missing = [word for entry in words for word in entry.split(", ") if not re.search(rf"\b{word.lower()}", source)]
    assert missing == []
