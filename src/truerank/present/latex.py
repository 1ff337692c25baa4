"""Tables for papers, with the lines of the booktabs package."""

from __future__ import annotations

import re
from collections.abc import Iterable

from truerank.present.table import Table

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

_BREAKS = re.compile(r"(?<=[/,])")
"""Where a command that is too long for the line may be broken, beside its blanks."""


def render(table: Table) -> str:
    r"""The table in a `table` environment; its title and notes are the caption.

    >>> print(render(Table(("run", "P@5"), (("my_run", 0.25),))), end="")
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
        cells = enumerate(map(escape, row))
        stressed = [rf"\textbf{{{cell}}}" if (r, c) in table.best else cell for c, cell in cells]
        marks = [table.raised.get((r, c)) for c in range(len(row))]
        body.append(_line(f"{cell}$^{{{up}}}$" if up else cell for cell, up in zip(stressed, marks, strict=True)))
    said = escape(" ".join([*([table.title] if table.title else []), *table.notes]).replace("\n", " "))
    lines = [r"\begin{table}", r"\centering", rf"\begin{{tabular}}{{{kinds}}}", r"\toprule"]
    lines += [_line(map(escape, table.columns)), r"\midrule", *body, r"\bottomrule", r"\end{tabular}"]
    return "\n".join([*lines, *([rf"\caption{{{said}}}"] if said else []), r"\end{table}"]) + "\n"


def escape(text: str) -> str:
    r"""The text, with nothing in it that LaTeX would take for a command.

    >>> print(escape("50 % of a--b"))
    50 \% of a-{}-b
    """
    return _JOINED.sub(r"\1{}", "".join(_SPECIAL.get(letter, letter) for letter in text))


def typed(text: str) -> str:
    r"""What is to be typed: in a typewriter's letters, with straight quotes, in as many lines as it takes.

    >>> print(typed("eval -t 'a b' runs/one"))
    {\raggedright\noindent\ttfamily eval -t \textquotesingle{}a b\textquotesingle{} runs/\allowbreak{}one\par}
    """
    straight = escape(text).replace("'{}", "'").replace("'", r"\textquotesingle{}").replace("  ", r" \ ")
    return r"{\raggedright\noindent\ttfamily " + _BREAKS.sub(r"\\allowbreak{}", straight) + r"\par}"


def _line(cells: Iterable[str]) -> str:
    """A row; what begins with a bracket or a star would be an argument of the line above it."""
    text = " & ".join(cells)
    return ("{}" if text.lstrip().startswith(("[", "*")) else "") + text + r" \\"
