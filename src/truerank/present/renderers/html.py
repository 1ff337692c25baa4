"""A document as one page that needs no network: styles, scripts, Vega and all data are inside."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

from truerank import __version__
from truerank.core.errors import MissingPackage
from truerank.present.charts import THEMES
from truerank.present.document import Block, Document, Heading, Queries
from truerank.present.renderers import fragment
from truerank.present.renderers.figures import vl_convert
from truerank.present.renderers.json import dumps
from truerank.present.table import Cell, Table
from truerank.present.words import TEXTS

SPOKEN = (
    "adds all_queries also_found and_more at_rank close dark document filter filter_hint grade light "
    "measure next no_list none not_found not_judged not_relevant of previous query rank relevant unjudged_mark "
    "relevant_of returned save_png save_svg score show show_judged show_all show_better show_differ "
    "show_worse show_zero sort_by spread_column tied to_scroll too_old unanswered worked"
)
"""What the page itself says, by the keys of the catalogue with blanks for underscores."""

ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
"""What could end a script, or is no JavaScript."""


@dataclass(frozen=True)
class Section:
    """A heading and the blocks below it."""

    heading: Heading | None
    blocks: Sequence[Block]


def render(document: Document, *, figures: bool = False) -> str:
    """The page of a whole document; another as a piece of one.

    Args:
        figures: in the piece too; the page has them always.

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
            sections=sections(document.blocks),
            kind=lambda block: type(block).__name__.lower(),
            cells=cells,
            texts=document.texts,
            version=__version__,
            style=_file("page.css"),
            script=_file("page.js"),
            libraries=_libraries(),
            data=_data(document),
            packed=_packed,
        )
    )


def sections(blocks: Sequence[Block]) -> list[Section]:
    """The blocks by the headings that they stand under."""
    found: list[Section] = []
    for block in blocks:
        if isinstance(block, Heading):
            found.append(Section(block, []))
        else:
            last = found.pop() if found else Section(None, [])
            found.append(Section(last.heading, [*last.blocks, block]))
    return found


def cells(table: Table) -> list[list[dict[str, Any]]]:
    """Each cell as text, with the whole number beside it where it is one."""
    naming = 1 if len(table.columns) > 1 and not table.columns[0] else 0
    return [
        [
            {
                "text": text,
                "value": _value(cell),
                "best": (r, c) in table.best,
                "letters": table.marks.get((r, c), ""),
                "room": table.room(c),
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
    """What the script needs at once, as JSON that HTML cannot take for its own."""
    plain = {
        "language": document.language,
        "figures": {figure.name: figure.specification for figure in document.figures},
        "alts": {figure.name: f"{figure.title}. {figure.alt}" for figure in document.figures},
        "themes": THEMES,
        "texts": {key: _spoken(document, key.replace("_", " ")) for key in SPOKEN.split()},
    }
    return "".join(ESCAPES.get(letter, letter) for letter in dumps(plain))


def _spoken(document: Document, key: str) -> str:
    return TEXTS[key][0 if document.language == "en" else 1]


def _packed(block: Queries) -> str:
    """The columns as JSON, deflated, in letters that mean nothing to HTML."""
    return base64.b64encode(zlib.compress(dumps(block.to_dict()).encode(), 9)).decode()


@lru_cache(maxsize=1)
def _libraries() -> str:
    """Vega, Vega-Lite and vega-embed, which vl-convert carries."""
    return str(vl_convert().javascript_bundle()).replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _file(name: str) -> str:
    return resources.files("truerank.present").joinpath("html", name).read_text("utf-8")


def _environment() -> Any:
    try:
        import jinja2
    except ModuleNotFoundError:
        raise MissingPackage("a report as a page", "report") from None
    loader = jinja2.FunctionLoader(_file)
    return jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
