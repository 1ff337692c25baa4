"""A document as JSON with all digits: the underlying results; for a whole document also the blocks, in order."""

from __future__ import annotations

from typing import Any

from truerank.formats.records import written
from truerank.present.document import Block, Document, Figure, Queries
from truerank.present.table import Table


def render(document: Document) -> str:
    """The results; for a whole document one object that holds them."""
    if not document.title:
        return dumps(document.results, indent=True)
    plain = {
        "title": document.title,
        "language": document.language,
        "blocks": [to_plain(block) for block in document.blocks],
        "results": document.results,
    }
    return dumps(plain, indent=True)


def dumps(thing: Any, indent: bool = False) -> str:
    """The thing as JSON text with a line end."""
    return written(thing, indent=indent).decode()


def to_plain(block: Block) -> dict[str, Any]:
    """A block as plain values; `kind` says which."""
    return {"kind": type(block).__name__.lower(), **_fields(block)}


def _fields(block: Block) -> dict[str, Any]:
    if isinstance(block, Table):
        return {"title": block.title, "columns": block.columns, "rows": block.rows, "notes": block.notes}
    if isinstance(block, Figure):
        numbers = _fields(block.numbers) if block.numbers else None
        return {**{f: getattr(block, f) for f in ("name", "title", "alt", "specification")}, "numbers": numbers}
    if isinstance(block, Queries):
        return {"title": block.title, "notes": block.notes, **block.to_dict()}
    return block._asdict()
