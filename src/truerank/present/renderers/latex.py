"""A document for papers, with the lines of the booktabs package."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

from truerank.present.document import Block, Caution, Command, Document, Figure, Heading, Prose, Queries, written
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

_SPECIAL = {
    **{letter: "\\" + letter for letter in "{}$&#%_"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    "…": r"\ldots{}",
}

_JOINED = re.compile(r"([-',])(?=\1)")
"""Two of these would be drawn as one: a dash, a quotation mark."""

_MINUS = re.compile(r"(?<![^\s\[(,])-(?=\.?\d)")
"""The sign of a number, which text would show as a hyphen."""

_BREAKS = re.compile(r"(?<=[/,])")
"""Where a command that is too long for the line may be broken, beside its blanks."""


def render(document: Document, folder: str = "") -> str:
    """LaTeX: a whole document compiles as it is, and its tables can be copied; any other is only its tables."""
    if not document.title:
        return written(document, lambda block: [draw(block)] if isinstance(block, Table) else _parts(block, folder))
    title = rf"\section*{{{escape(document.title)}}}"
    body = written(document, lambda block: _parts(block, folder), r"\begin{document}", title)
    head = HEAD + (KOREAN if HANGUL.search(body) else "")
    return head + body + "\n" + r"\end{document}" + "\n"


def _parts(block: Block, folder: str) -> Iterator[str]:
    if isinstance(block, Heading):
        yield rf"\subsection*{{{escape(block.text)}}}"
    elif isinstance(block, Prose):
        yield from map(escape, block.paragraphs)
    elif isinstance(block, Caution):
        yield rf"\textbf{{{escape(block.text)}}}"
    elif isinstance(block, Command):
        yield typed(block.text)
    elif isinstance(block, Table):
        yield _fitted(block)
    elif isinstance(block, Queries):
        yield _fitted(block.differing)
    elif isinstance(block, Figure):
        yield from _figure(block, folder)


def _fitted(table: Table) -> str:
    """No wider than the page."""
    text = draw(table).replace(
        r"\begin{tabular}", r"\begin{adjustbox}{max width=\textwidth}" + "\n" + r"\begin{tabular}", 1
    )
    return text.replace(r"\end{tabular}", r"\end{tabular}" + "\n" + r"\end{adjustbox}", 1)


def _figure(figure: Figure, folder: str) -> Iterator[str]:
    """The picture, if there is a folder of pictures; else only its numbers."""
    if folder:
        path = posixpath.join(folder.replace("\\", "/"), f"{figure.name}.png")
        picture = rf"\includegraphics[width=\linewidth]{{\detokenize{{{path}}}}}"
        caption = rf"\caption{{{escape(f'{figure.title}. {figure.alt}')}}}"
        yield "\n".join([r"\begin{figure}", r"\centering", picture, caption, r"\end{figure}"])
    if figure.numbers:
        yield _fitted(figure.numbers)


def draw(table: Table) -> str:
    r"""The table in a `table` environment; its title and notes are the caption.

    >>> print(draw(Table(("run", "P@5"), (("my_run", 0.25),))), end="")
    \begin{table}
    \centering
    \begin{tabular}{lr}
    \toprule
    run & P@5 \\
    \midrule
    my\_run & 0.2500 \\
    \bottomrule
    \end{tabular}
    \end{table}
    """
    kinds = "".join("r" if table.is_numeric(i) else "l" for i in range(len(table.columns)))
    body = []
    for r, row in enumerate(table.texts):
        cells = enumerate(_MINUS.sub("$-$", escape(cell)) for cell in row)
        stressed = [rf"\textbf{{{cell.strip()}}}" if (r, c) in table.best else cell for c, cell in cells]
        marks = [table.raised.get((r, c)) for c in range(len(row))]
        body.append(_line(cell + _raised(up) if up else cell for cell, up in zip(stressed, marks, strict=True)))
    title = f"{table.title}." if table.notes and table.title[-1:].isalnum() else table.title
    said = escape(" ".join(filter(None, [title, *table.notes])).replace("\n", " "))
    lines = [r"\begin{table}", r"\centering", rf"\begin{{tabular}}{{{kinds}}}", r"\toprule"]
    lines += [_line(map(escape, table.columns)), r"\midrule", *body, r"\bottomrule", r"\end{tabular}"]
    return "\n".join([*lines, *([rf"\caption{{{said}}}"] if said else []), r"\end{table}"]) + "\n"


def _raised(mark: str) -> str:
    """Letters as papers raise them; others as text, for mathematics has no blanks and no dashes."""
    return f"$^{{{mark}}}$" if mark.isalpha() else rf"\textsuperscript{{{mark}}}"


def escape(text: str) -> str:
    r"""The text with everything escaped that LaTeX would take for a command.

    >>> print(escape("50 % of a--b"))
    50 \% of a-{}-b
    """
    return _JOINED.sub(r"\1{}", "".join(_SPECIAL.get(letter, letter) for letter in text))


def typed(text: str) -> str:
    r"""A command to type: in a typewriter font, with straight quotes, in as many lines as it takes.

    >>> print(typed("eval -t 'a b' runs/one"))
    {\raggedright\noindent\ttfamily eval -t \textquotesingle{}a b\textquotesingle{} runs/\allowbreak{}one\par}
    """
    straight = escape(text).replace("'{}", "'").replace("'", r"\textquotesingle{}").replace("  ", r" \ ")
    return r"{\raggedright\noindent\ttfamily " + _BREAKS.sub(r"\\allowbreak{}", straight) + r"\par}"


def _line(cells: Iterable[str]) -> str:
    """A row; one that began with a bracket or a star would be an argument of the line above it."""
    text = " & ".join(cells)
    return ("{}" if text.lstrip().startswith(("[", "*")) else "") + text + r" \\"
