"""A document in GitHub's Markdown."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

from truerank.present.document import Block, Caution, Command, Document, Figure, Heading, Prose, Queries, written
from truerank.present.table import Table

_SPECIAL = re.compile(r"[\\`*|<\[~$&]|\b_|_\b|(?<!\w)#|^[>+=-]")
_NUMBERED = re.compile(r"^(\d+)([.)])(?= |$)")

_LINKED = re.compile(
    r"(?<![\w)])@(?=\w)"  # @user
    r"|@(?=[\w-]+\.\w)"  # user@example.org
    r"|#(?=\d)"  # an issue
    r"|:(?=//)"  # an address
    r"|(?<=www)\.(?=\w)"
    r"|:(?=\w+:)"  # a picture such as :smile:
)
"""Where GitHub makes a link or a picture of plain text, which no backslash forbids."""

NOTHING = "<!-- -->"
"""A comment, which parts a word without being seen."""


def render(document: Document, folder: str = "") -> str:
    """Markdown; pictures are linked if there is a folder of them, and described in words if not."""
    title = [f"# {escape(document.title)}"] if document.title else []
    return written(document, lambda block: _parts(block, folder), *title)


def _parts(block: Block, folder: str) -> Iterator[str]:
    if isinstance(block, Heading):
        yield f"## {escape(block.text)}"
    elif isinstance(block, Prose):
        yield from map(escape, block.paragraphs)
    elif isinstance(block, Caution):
        yield f"> {escape(block.text)}"
    elif isinstance(block, Command):
        yield f"    {block.text}"
    elif isinstance(block, Table):
        yield draw(block)
    elif isinstance(block, Queries):
        yield draw(block.differing)  # its notes are about pages of results, which Markdown lacks
    elif isinstance(block, Figure):
        yield from _figure(block, folder)


def _figure(figure: Figure, folder: str) -> Iterator[str]:
    yield f"### {escape(figure.title)}"
    if folder:
        path = posixpath.join(folder.replace("\\", "/"), f"{figure.name}.svg")
        yield f"![{escape(figure.alt)}](<{path}>)"
    else:
        yield escape(figure.alt)
    if figure.numbers:
        yield draw(figure.numbers)


def draw(table: Table) -> str:
    """The table with its title above and its notes below.

    >>> print(draw(Table(("run", "AP"), (("a|b", 0.25),))), end="")
    | run | AP |
    |:--|--:|
    | a\\|b | 0.2500 |
    >>> print(draw(Table(("score",), ((" 5.90",),), best=frozenset({(0, 0)}))).splitlines()[-1])
    | **5.90** |
    """
    rule = ["--:" if table.is_numeric(i) else ":--" for i in range(len(table.columns))]
    lines = [_line(map(escape, table.columns)), f"|{'|'.join(rule)}|"]
    for r, row in enumerate(table.texts):
        cells = enumerate(map(escape, row))
        stressed = [f"**{cell.strip()}**" if (r, c) in table.best else cell for c, cell in cells]
        marks = [table.raised.get((r, c)) for c in range(len(row))]
        both = zip(stressed, marks, strict=True)
        lines.append(_line(f"{cell}<sup>{up}</sup>" if up else cell for cell, up in both))
    title = [f"**{escape(table.title)}**"] if table.title else []
    notes = [escape(note.replace("\n", " ")) for note in table.notes]
    return "\n\n".join([*title, "\n".join(lines), *notes]) + "\n"


def escape(text: str) -> str:
    r"""The text with everything escaped that Markdown, or GitHub's dialect, would take for markup.

    >>> print(escape("a*b ~~x~~ $y$ nDCG@10 @user"))
    a\*b \~\~x\~\~ \$y\$ nDCG@10 @<!-- -->user
    """
    marked = _NUMBERED.sub(r"\1\\\2", _SPECIAL.sub(lambda match: "\\" + match[0], text))
    return _LINKED.sub(lambda match: match[0] + NOTHING, marked)


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
