"""Tables for papers, with the lines of the booktabs package."""

from __future__ import annotations

from collections.abc import Iterable

from truerank.report.table import Table

_SPECIAL = {
    **{letter: "\\" + letter for letter in "{}$&#%_"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "…": r"\ldots{}",
}


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
        body.append(_line(rf"\textbf{{{cell}}}" if (r, c) in table.best else cell for c, cell in cells))
    said = escape(" ".join([*([table.title] if table.title else []), *table.notes]).replace("\n", " "))
    lines = [r"\begin{table}", r"\centering", rf"\begin{{tabular}}{{{kinds}}}", r"\toprule"]
    lines += [_line(map(escape, table.columns)), r"\midrule", *body, r"\bottomrule", r"\end{tabular}"]
    return "\n".join([*lines, *([rf"\caption{{{said}}}"] if said else []), r"\end{table}"]) + "\n"


def escape(text: str) -> str:
    """The text, with nothing in it that LaTeX would take for a command."""
    return "".join(_SPECIAL.get(letter, letter) for letter in text)


def _line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"
