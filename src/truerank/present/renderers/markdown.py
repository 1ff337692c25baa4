"""A document as GitHub writes it."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from truerank.present import markdown
from truerank.present.document import Block, Command, Document, Figure, Heading, Note, Prose, Queries, written
from truerank.present.table import Table


def render(document: Document, folder: str = "") -> bytes:
    """Markdown; pictures are linked where a folder has them, and told in words where none does."""
    parts = [
        f"# {markdown.escape(document.title)}",
        *written(document.blocks, lambda block: _parts(block, folder)),
    ]
    return ("\n\n".join(part.rstrip("\n") for part in parts) + "\n").encode("utf-8", "backslashreplace")


def _parts(block: Block, folder: str) -> Iterator[str]:
    if isinstance(block, Heading):
        yield f"## {markdown.escape(block.text)}"
    elif isinstance(block, Prose):
        yield from map(markdown.escape, block.paragraphs)
    elif isinstance(block, Note):
        yield f"> {markdown.escape(block.text)}"
    elif isinstance(block, Command):
        yield f"    {block.text}"
    elif isinstance(block, Table):
        yield markdown.render(block)
    elif isinstance(block, Queries):
        yield markdown.render(block.differing)
        yield from map(markdown.escape, block.notes)
    elif isinstance(block, Figure):
        yield from _figure(block, folder)


def _figure(figure: Figure, folder: str) -> Iterator[str]:
    yield f"### {markdown.escape(figure.title)}"
    if folder:
        path = posixpath.join(folder.replace("\\", "/"), f"{figure.name}.svg")
        yield f"![{markdown.escape(figure.alt)}](<{path}>)"
    else:
        yield markdown.escape(figure.alt)
    if figure.numbers:
        yield markdown.render(figure.numbers)
