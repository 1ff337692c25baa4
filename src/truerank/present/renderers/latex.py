"""A document for papers, with the lines of the booktabs package."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from truerank.present import latex
from truerank.present.document import Block, Command, Document, Figure, Heading, Note, Prose, Queries, written
from truerank.present.table import Table

HEAD = r"""\documentclass{article}
\usepackage{iftex}
\ifpdftex
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\else
\usepackage{fontspec}
\fi
\usepackage{textcomp,booktabs,graphicx,adjustbox}
\usepackage[margin=2.5cm]{geometry}
"""

KOREAN = "\\usepackage{kotex}\n"
"""What draws Korean, and Chinese characters."""

HANGUL = re.compile("[\u1100-\u11ff\u3000-\u9fff\uac00-\ud7a3\uff00-\uffef]")


def render(document: Document, folder: str = "") -> bytes:
    """A document that compiles as it is, and whose tables can be taken out of it."""
    told = written(document.blocks, lambda block: _parts(block, folder))
    parts = [rf"\section*{{{latex.escape(document.title)}}}", *(part.rstrip("\n") for part in told)]
    body = "\n\n".join([r"\begin{document}", *parts, r"\end{document}"])
    head = HEAD + (KOREAN if HANGUL.search(body) else "")
    return f"{head}{body}\n".encode("utf-8", "backslashreplace")


def _parts(block: Block, folder: str) -> Iterator[str]:
    if isinstance(block, Heading):
        yield rf"\subsection*{{{latex.escape(block.text)}}}"
    elif isinstance(block, Prose):
        yield from map(latex.escape, block.paragraphs)
    elif isinstance(block, Note):
        yield rf"\textbf{{{latex.escape(block.text)}}}"
    elif isinstance(block, Command):
        yield latex.typed(block.text)
    elif isinstance(block, Table):
        yield _table(block)
    elif isinstance(block, Queries):
        yield _table(block.differing)
    elif isinstance(block, Figure):
        yield from _figure(block, folder)


def _table(table: Table) -> str:
    """No wider than the page."""
    text = latex.render(table).replace(
        r"\begin{tabular}", r"\begin{adjustbox}{max width=\textwidth}" + "\n" + r"\begin{tabular}", 1
    )
    return text.replace(r"\end{tabular}", r"\end{tabular}" + "\n" + r"\end{adjustbox}", 1)


def _figure(figure: Figure, folder: str) -> Iterator[str]:
    """The picture where a folder has it; else only its numbers."""
    if folder:
        path = posixpath.join(folder.replace("\\", "/"), f"{figure.name}.png")
        picture = rf"\includegraphics[width=\linewidth]{{\detokenize{{{path}}}}}"
        caption = rf"\caption{{{latex.escape(f'{figure.title}. {figure.alt}')}}}"
        yield "\n".join([r"\begin{figure}", r"\centering", picture, caption, r"\end{figure}"])
    if figure.numbers:
        yield _table(figure.numbers)
