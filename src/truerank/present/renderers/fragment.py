"""A document as a piece of HTML, for notebooks and one's own pages: no scripts, few styles, plain ASCII."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from truerank.present.document import Block, Caution, Command, Document, Figure, Heading, Prose, Queries, written
from truerank.present.renderers import figures as pictures
from truerank.present.renderers.terminal import isolated_words
from truerank.present.table import Table

CAPTION = "text-align: left; white-space: nowrap"


def render(document: Document, *, figures: bool = False) -> str:
    """The blocks one below another.

    Args:
        figures: the pictures too, where the package that draws them is installed.
    """
    text = written(document, _parts)
    drawn = map(figure, document.figures) if figures and pictures.is_drawing() else ()
    return "\n".join([text, *drawn])


def figure(drawn: Figure) -> str:
    """The picture as an image, no wider than the page."""
    said = escape(f"{drawn.title}. {drawn.alt}")
    return _ascii(f'<p><img alt="{said}" src="{pictures.inline(drawn)}" style="max-width: 100%"></p>\n')


def _parts(block: Block) -> Iterator[str]:
    if isinstance(block, Heading):
        yield _ascii(f"<h3>{escape(block.text)}</h3>")
    elif isinstance(block, Prose):
        yield from (_ascii(f"<p>{escape(isolated_words(paragraph))}</p>") for paragraph in block.paragraphs)
    elif isinstance(block, Caution):
        yield _ascii(f"<p><b>{escape(isolated_words(block.text))}</b></p>")
    elif isinstance(block, Command):
        yield _ascii(f"<pre>{escape(block.text)}</pre>")
    elif isinstance(block, Table):
        yield draw(block)
    elif isinstance(block, Queries):
        yield draw(block.differing)


def _ascii(text: str) -> str:
    return text.encode("ascii", "xmlcharrefreplace").decode()


def draw(table: Table) -> str:
    """The table with its title as the caption and its notes below.

    >>> print(draw(Table(("run", "AP"), (("a<b", 0.25),), notes=("1 query.",))), end="")
    <table>
    <thead><tr><th style="text-align: left">run</th><th style="text-align: right">AP</th></tr></thead>
    <tbody>
    <tr><td style="text-align: left">a&lt;b</td><td style="text-align: right">0.2500</td></tr>
    </tbody>
    </table>
    <p style="font-size: 90%; line-height: 1.4">1 query.</p>
    """
    title = [f'<caption style="{CAPTION}">{escape(table.title)}</caption>'] if table.title else []
    heads = (_cell("th", table, i, escape(heading)) for i, heading in enumerate(table.columns))
    head, notes = f"<thead><tr>{''.join(heads)}</tr></thead>", _notes(table)
    lines = ["<table>", *title, head, "<tbody>", *_rows(table), "</tbody>", "</table>", *notes]
    return _ascii("\n".join(lines) + "\n")


def _rows(table: Table) -> Iterator[str]:
    for r, row in enumerate(table.texts):
        cells = []
        for c, text in enumerate(map(escape, row)):
            stressed = f"<b>{text}</b>" if (r, c) in table.best else text
            letters = table.marks.get((r, c))
            cells.append(_cell("td", table, c, stressed + (f"<sup>{escape(letters)}</sup>" if letters else "")))
        yield f"<tr>{''.join(cells)}</tr>"


def _cell(kind: str, table: Table, column: int, inner: str) -> str:
    side = "right" if table.is_numeric(column) else "left"
    return f'<{kind} style="text-align: {side}">{inner}</{kind}>'


def _notes(table: Table) -> Iterator[str]:
    """The notes without space between them, with continuation lines indented."""
    if table.notes:
        lines = escape("\n".join(isolated_words(note).replace("\n", "\n\u2003") for note in table.notes))
        yield f'<p style="font-size: 90%; line-height: 1.4">{lines.replace(chr(10), "<br>")}</p>'
