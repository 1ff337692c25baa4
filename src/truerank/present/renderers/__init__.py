"""A document as bytes: a renderer a file, which is told the folder of the pictures, if there is one."""

from __future__ import annotations

import os
from collections.abc import Callable

from truerank.core.errors import InputError
from truerank.present.document import Document
from truerank.present.renderers import html, json, latex, markdown, pdf, terminal

Renderer = Callable[[Document, str], bytes]

RENDERERS: dict[str, Renderer] = {
    ".html": html.render,
    ".htm": html.render,
    ".md": markdown.render,
    ".tex": latex.render,
    ".json": json.render,
    ".txt": terminal.render,
    ".pdf": pdf.render,
}
"""By the ending of a file's name."""


def by_ending(path: str | os.PathLike[str]) -> Renderer:
    """What writes the kind of file that a name asks for.

    Raises:
        InputError: the name ends in something else.
    """
    ending = os.path.splitext(os.fspath(path))[1].lower()
    if ending not in RENDERERS:
        raise InputError(f"a report is a file that ends in {', '.join(RENDERERS)}", path)
    return RENDERERS[ending]
