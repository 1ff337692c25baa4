"""Tables as text in every format that there is for them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from truerank.core.errors import shown
from truerank.core.scores import distinct
from truerank.formats.compression import codec_for
from truerank.present import latex, markdown, terminal
from truerank.present.json import dumps
from truerank.present.renderers import csv, fragment
from truerank.present.table import Cell, Table

FORMATS = {
    "table": (".txt",),
    "json": (".json",),
    "csv": (".csv",),
    "markdown": (".md", ".markdown"),
    "latex": (".tex",),
    "html": (".html", ".htm"),
}
"""The formats by name, and the file endings that suggest them."""


def by_ending(path: str) -> str:
    """The format that a file's name asks for; a table for want of a better one."""
    codec = codec_for(path)
    ending = os.path.splitext(path.removesuffix(codec.suffix) if codec else path)[1]
    return next((name for name, endings in FORMATS.items() if ending in endings), "table")


@dataclass(frozen=True)
class Pages:
    """One thing to show, in the shapes that the formats need.

    Attributes:
        tables: for people, one after another, with notes.
        flat: for programs, a row a thing.
        plain: for JSON.
        remarks: what a reader should know; among the notes and in JSON already.
    """

    tables: Sequence[Table]
    flat: Table
    plain: Any
    remarks: Sequence[str] = ()

    def render(self, format: str = "table", *, styled: bool = False) -> str:
        """The text in one of `FORMATS`."""
        if format == "json":
            return dumps(self.plain, indent=True)
        if format == "csv":
            return csv.render(self.flat)
        return drawn(self.tables, format, styled=styled)

    def to_columns(self) -> dict[str, list[Any]]:
        """The flat table by its headings; a column of both texts and numbers is one of texts."""
        names = distinct(self.flat.columns)
        return {name: _alike([row[i] for row in self.flat.rows]) for i, name in enumerate(names)}


def _alike(cells: list[Cell]) -> list[Cell]:
    kinds = {isinstance(cell, str) for cell in cells if cell is not None}
    return [None if cell is None else str(cell) for cell in cells] if len(kinds) > 1 else cells


def drawn(tables: Sequence[Table], format: str, *, styled: bool = False) -> str:
    """Tables for people, one below another: as "table", "markdown", "latex" or "html"."""
    if format == "table":
        return "\n".join(terminal.render(table, styled=styled) for table in tables)
    return "\n".join(map(PRINTED[format], tables))


PRINTED = {"markdown": markdown.render, "latex": latex.render, "html": fragment.render}
"""How each format draws a table that is read on a page."""


def labels(runs: Sequence[str]) -> list[str]:
    """What to call runs: their files' names where these differ, else as they were given."""
    full = list(map(shown, runs))
    short = [os.path.basename(name) or name for name in full]
    return short if len(set(short)) == len(short) else full
