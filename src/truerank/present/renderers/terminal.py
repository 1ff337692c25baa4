"""A document for a terminal, or as plain text."""

from __future__ import annotations

from collections.abc import Iterator

from truerank.core.errors import shown
from truerank.present import terminal
from truerank.present.document import Block, Command, Document, Figure, Heading, Note, Prose, Queries, written
from truerank.present.table import Table

WIDTH = 100


def render(document: Document, folder: str = "") -> bytes:
    """Plain text."""
    return text(document).encode("utf-8", "backslashreplace")


def text(document: Document, *, styled: bool = False) -> str:
    """The blocks one below another, with bold and lines where a terminal shows them."""
    told = written(document.blocks, lambda block: _parts(block, styled))
    parts = [_title(terminal.isolated(document.title), "="), *told]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def _parts(block: Block, styled: bool) -> Iterator[str]:
    if isinstance(block, Heading):
        yield _title(block.text, "-")
    elif isinstance(block, Prose):
        yield from map(_sentences, block.paragraphs)
    elif isinstance(block, Note):
        yield _sentences(block.text)
    elif isinstance(block, Command):
        yield f"  {shown(block.text)}"
    elif isinstance(block, Table):
        yield terminal.render(block, styled=styled)
    elif isinstance(block, Queries):
        yield terminal.render(block.differing, styled=styled)
    elif isinstance(block, Figure) and block.numbers:
        yield terminal.render(block.numbers, styled=styled)


def _title(text: str, mark: str) -> str:
    from rich.cells import cell_len

    return f"{text}\n{mark * cell_len(text)}"


def _sentences(paragraph: str) -> str:
    return _folded(terminal.isolated_words(paragraph))


def _folded(paragraph: str) -> str:
    """Lines of at most so many cells; Hangul takes two."""
    from rich.console import Console
    from rich.text import Text

    console = Console(width=WIDTH, legacy_windows=False)
    return "\n".join(line.plain.rstrip() for line in Text(paragraph).wrap(console, WIDTH))
