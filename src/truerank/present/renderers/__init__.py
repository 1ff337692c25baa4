"""Documents in each format: one file per renderer, imported when used. A new one is a file and a line here."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from truerank.core.errors import InputError
from truerank.present.document import Document

FORMATS = {
    "table": (".txt",),
    "json": (".json",),
    "csv": (".csv",),
    "markdown": (".md", ".markdown"),
    "latex": (".tex",),
    "html": (".html", ".htm"),
}
"""The formats of results by name, and the file endings that suggest them."""

REPORTS = {ending: name for name in FORMATS if name != "csv" for ending in FORMATS[name]} | {".pdf": "pdf"}
"""The formats of whole documents by the endings of files."""

TAKEN = {"table": "styled", "markdown": "folder", "latex": "folder", "html": "figures"}
"""What each renderer is told beside the document."""


def render(
    document: Document, format: str = "table", *, styled: bool = False, folder: str = "", figures: bool = False
) -> str:
    """The text in one of `FORMATS`.

    Args:
        styled: whether to use bold and lines, for a terminal.
        folder: where the pictures of Markdown and LaTeX are.
        figures: whether a piece of HTML has pictures too.
    """
    given: dict[str, Any] = {"styled": styled, "folder": folder, "figures": figures}
    text: str = _renderer(format).render(document, **{name: given[name] for name in TAKEN.get(format, "").split()})
    return text


def to_bytes(document: Document, format: str, folder: str = "") -> bytes:
    """The content of a file, in one of `FORMATS` or as PDF."""
    if format == "pdf":
        data: bytes = _renderer(format).render(document)
        return data
    return render(document, format, folder=folder).encode("utf-8", "backslashreplace")


def _renderer(format: str) -> Any:
    return import_module(f"{__name__}.{'terminal' if format == 'table' else format}")


def of_report(path: str | os.PathLike[str]) -> str:
    """The format of a whole document, by the ending of a file's name.

    Raises:
        InputError: the name ends in something else.
    """
    ending = os.path.splitext(os.fspath(path))[1].lower()
    if ending not in REPORTS:
        raise InputError("a report is a file that ends in {endings}", path, endings=", ".join(REPORTS))
    return REPORTS[ending]
