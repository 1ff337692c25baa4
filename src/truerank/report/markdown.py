"""Tables as GitHub writes them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from truerank.report.table import Table

_SPECIAL = re.compile(r"[\\`*|<\[]|\b_|_\b")


def render(table: Table) -> str:
    """The table with its title above and its notes below.

    >>> print(render(Table(("run", "AP"), (("a|b", 0.25),))), end="")
    | run | AP |
    |:--|--:|
    | a\\|b | 0.2500 |
    """
    rule = ["--:" if table.is_numeric(i) else ":--" for i in range(len(table.columns))]
    lines = [_line(map(escape, table.columns)), f"|{'|'.join(rule)}|"]
    for r, row in enumerate(table.texts):
        cells = map(escape, row)
        lines.append(_line(f"**{cell}**" if (r, c) in table.best else cell for c, cell in enumerate(cells)))
    title = [f"**{escape(table.title)}**"] if table.title else []
    notes = [escape(note.replace("\n", " ")) for note in table.notes]
    return "\n\n".join([*title, "\n".join(lines), *notes]) + "\n"


def escape(text: str) -> str:
    """The text, with nothing in it that Markdown would take for a mark."""
    return _SPECIAL.sub(lambda match: "\\" + match[0], text)


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
