"""A document as aligned text, with lines and bold on a terminal."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from truerank.core.errors import printable
from truerank.present.document import Block, Caution, Command, Document, Figure, Heading, Prose, Queries, written
from truerank.present.table import Table

if TYPE_CHECKING:
    from rich.table import Table as Grid


FOLDABLE = 20
"""Cells that a column of texts keeps where there is no room."""

FIRST_STRONG, POP = "\u2068", "\u2069"
"""The beginning and the end of what keeps its own direction (Unicode Standard Annex 9)."""

_LETTER = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]"
LEFTWARD = rf"{_LETTER}+(?:\W+{_LETTER}+)*"
"""Words in Hebrew, Arabic and their neighbours."""

GAP = 3
"""Cells between two columns on a terminal."""

WIDTH = 100
"""Cells of a line of sentences."""


def render(document: Document, *, styled: bool = False) -> str:
    """The blocks one below another, with bold and lines where a terminal shows them."""
    title = [_title(isolated(document.title), "=")] if document.title else []
    return written(document, lambda block: _parts(block, styled), *title)


def _parts(block: Block, styled: bool) -> Iterator[str]:
    if isinstance(block, Heading):
        yield _title(block.text, "-")
    elif isinstance(block, Prose):
        yield from map(_sentences, block.paragraphs)
    elif isinstance(block, Caution):
        yield _sentences(block.text)
    elif isinstance(block, Command):
        yield f"  {printable(block.text)}"
    elif isinstance(block, Table):
        yield draw(block, styled=styled)
    elif isinstance(block, Queries):
        yield draw(block.differing, styled=styled)
    elif isinstance(block, Figure) and block.numbers:
        yield draw(block.numbers, styled=styled)


def _title(text: str, mark: str) -> str:
    from rich.cells import cell_len

    return f"{text}\n{mark * cell_len(text)}"


def _sentences(paragraph: str) -> str:
    """The paragraph in lines of limited width, in terminal cells; Hangul takes two."""
    from rich.console import Console
    from rich.text import Text

    console = Console(width=WIDTH, legacy_windows=False)
    return "\n".join(line.plain.rstrip() for line in Text(isolated_words(paragraph)).wrap(console, WIDTH))


def draw(table: Table, *, styled: bool = False, width: int | None = None) -> str:
    """The table as text.

    Args:
        styled: whether to use a terminal's bold and lines, folded to its width.
        width: the width to use instead of the terminal's.
    """
    return _styled(table, width) if styled else _plain(table)


def fits(table: Table, width: int | None) -> bool:
    """Whether no row has to fold or wrap in this many cells; None means no limit."""
    return width is None or sum(_widths(table)) + GAP * (len(table.columns) - 1) <= width


def _plain(table: Table) -> str:
    """Columns with two blanks between them and nothing else: easy to read, also for `awk`.

    >>> print(_plain(Table(("run", "AP"), (("bm25", 0.25),))), end="")
    run       AP
    bm25  0.2500
    """
    rows, widths = [list(table.columns), *_texts(table)], _widths(table)
    right = [table.is_numeric(i) for i in range(len(widths))]
    lines = [_padded(row, widths, right) for row in rows]
    title = [isolated_words(table.title), ""] if table.title else []
    return "\n".join([*title, *lines, *([""] if table.notes else []), *_notes(table)]) + "\n"


def _notes(table: Table) -> list[str]:
    """Each note with its continuation lines indented."""
    return [isolated_words(note).replace("\n", "\n  ") for note in table.notes]


def _widths(table: Table) -> list[int]:
    """The width of each column, its heading included."""
    return [max(map(_cells, column)) for column in zip(table.columns, *_texts(table), strict=True)]


def _texts(table: Table) -> list[list[str]]:
    """The rows with letters after their cells, such that numbers stay aligned.

    >>> _texts(Table(("AP", "P"), ((0.5, 1), (0.25, 2)), raised={(0, 0): "b"}, digits=2))
    [['0.50 b', '1'], ['0.25  ', '2']]
    """
    widths = [table.mark_width(i) for i in range(len(table.columns))]
    return [
        [
            cell + (" " + table.marks.get((r, c), "").ljust(widths[c]) if widths[c] else "")
            for c, cell in enumerate(row)
        ]
        for r, row in enumerate(table.texts)
    ]


def _padded(row: list[str], widths: list[int], right: list[bool]) -> str:
    gaps = [" " * (width - _cells(text)) for text, width in zip(row, widths, strict=True)]
    cells = zip(map(isolated, row), gaps, right, strict=True)
    return "  ".join(gap + text if is_right else text + gap for text, gap, is_right in cells).rstrip()


def isolated(text: str) -> str:
    """A text; if it has right-to-left letters, it is isolated so that the text beside it keeps its direction.

    >>> isolated("bm25"), isolated("שלום") == "\u2068שלום\u2069"
    ('bm25', True)
    """
    return text if text.isascii() or not re.search(LEFTWARD, text) else f"{FIRST_STRONG}{text}{POP}"


def isolated_words(text: str) -> str:
    """A sentence with each run of right-to-left words isolated."""
    return text if text.isascii() else re.sub(LEFTWARD, lambda words: f"{FIRST_STRONG}{words[0]}{POP}", text)


def _cells(text: str) -> int:
    """The width of a text on a terminal: Chinese characters take two cells, accents none."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _styled(table: Table, width: int | None) -> str:
    from shutil import get_terminal_size

    from rich.console import Console
    from rich.text import Text

    out, wide = io.StringIO(), width or get_terminal_size().columns or 80  # Rich prints nothing if it is 0
    console = Console(file=out, force_terminal=True, width=wide, highlight=False)
    notes = Console(file=out, force_terminal=True, width=wide, highlight=False)
    fitting = _fitting(table, wide)
    console.width = max(console.width, _least(fitting))
    console.print(_grid(fitting), *([""] if table.notes else []))
    for note in _notes(table):
        notes.print(Text(note, "dim"))
    return out.getvalue()


def _needs(table: Table) -> list[int]:
    """The smallest width of each column: numbers and their headings never fold, texts may."""
    return [w if table.is_numeric(i) else min(w, FOLDABLE) for i, w in enumerate(_widths(table))]


def _least(table: Table) -> int:
    """The smallest width of the whole table; a narrower terminal wraps its lines, and nothing is lost."""
    return sum(_needs(table)) + GAP * (len(table.columns) - 1)


def _fitting(table: Table, width: int) -> Table:
    """The table, with rows and columns exchanged if it is too wide and allows that."""
    return table.turned() if table.across and not fits(table, width) else table


def _grid(table: Table) -> Grid:
    """A grid in which texts fold if there is no room; numbers and their headings never do.

    Columns of one blank separate the others: Rich before 14.3 counts too few cells where it pads them.
    """
    from rich import box
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid(box=box.SIMPLE_HEAD, title=isolated_words(table.title) or None, show_edge=False, padding=0)
    for i, (heading, need) in enumerate(zip(table.columns, _needs(table), strict=True)):
        if i:
            grid.add_column(width=GAP - 2)  # in addition to the blanks of the box
        if table.is_numeric(i):
            grid.add_column(Text(isolated(heading)), justify="right", no_wrap=True, min_width=need)
        else:
            grid.add_column(Text(isolated(heading)), overflow="fold", min_width=need)
    for r, row in enumerate(_texts(table)):
        cells = [Text(isolated(text), "bold" if (r, c) in table.best else "") for c, text in enumerate(row)]
        grid.add_row(*[each for cell in cells for each in ("", cell)][1:])
    return grid
