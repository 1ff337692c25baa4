"""A document as one page that needs no network: styles, scripts, Vega and all data are inside."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from truerank import __version__
from truerank.core.errors import needs
from truerank.core.languages import in_language, translated
from truerank.core.messages import Message, message
from truerank.present import palette
from truerank.present.charts import THEMES, has_legend, is_movable
from truerank.present.document import Block, Document, Heading, Queries
from truerank.present.renderers import fragment
from truerank.present.renderers.figures import drawing
from truerank.present.renderers.json import dumps
from truerank.present.renderers.terminal import isolated_words
from truerank.present.table import Cell, Table

SPOKEN: dict[str, Message] = {
    "adds": message("adds"),
    "all_queries": message("All queries"),
    "also_found": message("Relevant, ranked lower"),
    "and_more": message("and {n} more"),
    "at_rank": message("{doc} at rank {rank}"),
    "call": message("call"),
    "close": message("Close"),
    "dark": message("Dark"),
    "document": message("document"),
    "filter": message("Filter"),
    "filter_hint": message("part of a query's id"),
    "grade": message("grade"),
    "light": message("Light"),
    "measure": message("Measure"),
    "next": message("Next"),
    "no_list": message("This page has no list for this query."),
    "none": message("no such query"),
    "not_found": message("Relevant, not returned"),
    "not_judged": message("pooled, unjudged"),
    "not_relevant": message("not relevant"),
    "of": message("{from}–{to} of {total}"),
    "previous": message("Previous"),
    "query": message("query"),
    "rank": message("rank"),
    "relevant": message("relevant"),
    "unjudged_mark": message("unjudged"),
    "relevant_of": message("{found} of {all} relevant documents returned, {top} of them among the first {k}."),
    "returned": message("{n} results returned."),
    "returned_one": message("1 result returned."),
    "save_png": message("Save as PNG"),
    "save_svg": message("Save as SVG"),
    "score": message("score"),
    "show": message("Show"),
    "show_judged": message("judged"),
    "show_all": message("all queries"),
    "show_better": message("better than {reference}"),
    "show_differ": message("where systems differ"),
    "show_worse": message("worse than {reference}"),
    "show_zero": message("where a system scores 0"),
    "sort_by": message("Sort by {column}"),
    "spread_column": message("spread"),
    "tied": message("tied"),
    "to_scroll": message("{title} (scrolls sideways)"),
    "too_old": message("This browser is too old to open the per-query data; use one from 2023 or later."),
    "unanswered": message("The run does not answer this query."),
    "worked": message("How {measure} is computed"),
}
"""What the script of the page says; it fills in the values itself."""

ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
"""What could end a script, or is no JavaScript."""


@dataclass(frozen=True)
class Section:
    """A heading and the blocks below it."""

    heading: Heading | None
    blocks: Sequence[Block]


def render(document: Document, *, figures: bool = False) -> str:
    """A page for a whole document; a piece of HTML for any other.

    Args:
        figures: whether a piece has them too; the page always has.

    Raises:
        MissingPackage: Jinja2 or vl-convert is not installed.
    """
    if not document.title:
        return fragment.render(document, figures=figures)
    return str(
        _environment()
        .get_template("page.html")
        .render(
            document=document,
            hinted=next((one for one in document.figures if is_movable(one.specification)), None),
            has_legend=any(has_legend(one.specification) for one in document.figures),
            sections=sections(document.blocks),
            kind=lambda block: type(block).__name__.lower(),
            cells=cells,
            isolated=isolated_words,
            _=lambda text, **values: translated(Message(text, "", values), document.language),
            version=__version__,
            style=palette.css() + _file("page.css"),
            script=_file("page.js"),
            drawing=drawing(),
            data=_data(document),
            packed=_packed,
        )
    )


def sections(blocks: Sequence[Block]) -> list[Section]:
    """The blocks, grouped by their headings."""
    parts: list[Section] = []
    for block in blocks:
        if isinstance(block, Heading):
            parts.append(Section(block, []))
        else:
            last = parts.pop() if parts else Section(None, [])
            parts.append(Section(last.heading, [*last.blocks, block]))
    return parts


def cells(table: Table) -> list[list[dict[str, Any]]]:
    """Each cell as text, and a number also unrounded."""
    naming = 1 if len(table.columns) > 1 and not table.columns[0] else 0
    return [
        [
            {
                "text": text,
                "value": _value(cell),
                "best": (r, c) in table.best,
                "letters": table.marks.get((r, c), ""),
                "mark_width": table.mark_width(c),
                "number": table.is_numeric(c),
                "names": c == naming,
            }
            for c, (text, cell) in enumerate(zip(texts, row, strict=True))
        ]
        for r, (texts, row) in enumerate(zip(table.texts, table.rows, strict=True))
    ]


def _value(cell: Cell) -> str | None:
    return None if cell is None or isinstance(cell, str) else repr(cell)


def _data(document: Document) -> str:
    """What the script needs at once, as JSON that HTML cannot take for markup."""
    plain = {
        "language": document.language,
        "figures": {figure.name: figure.specification for figure in document.figures},
        "alts": {figure.name: f"{figure.title}. {figure.alt}" for figure in document.figures},
        "themes": THEMES,
        "texts": in_language(SPOKEN, document.language),
    }
    return "".join(ESCAPES.get(letter, letter) for letter in dumps(plain))


def _packed(block: Queries) -> str:
    """The columns as JSON, deflated, in letters without a meaning in HTML."""
    return base64.b64encode(zlib.compress(dumps(block.to_dict()).encode(), 9)).decode()


def _file(name: str) -> str:
    return resources.files("truerank.present").joinpath("html", name).read_text("utf-8")


def _environment() -> Any:
    with needs(message("a report as a page"), "report"):
        import jinja2
    loader = jinja2.FunctionLoader(_file)
    return jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
