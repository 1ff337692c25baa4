"""A document: a result's few tables or a whole report as a value, made once for every renderer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from truerank.core.errors import pluralize
from truerank.core.languages import SOURCE, in_language
from truerank.core.presented import Printable
from truerank.core.scores import distinct
from truerank.measures.sums import PerQuery
from truerank.present.table import Cell, Table

if TYPE_CHECKING:
    from truerank.present.answers import ShownAnswers


class Heading(NamedTuple):
    """Where a section begins.

    Attributes:
        text: its title.
        anchor: the target of links; the same in every language.
    """

    text: str
    anchor: str


class Prose(NamedTuple):
    """Paragraphs.

    Attributes:
        language: of these paragraphs, where it is not the document's.
        is_for_page: whether they say how to use the page; other formats leave them out.
    """

    paragraphs: tuple[str, ...]
    language: str = ""
    is_for_page: bool = False


class Caution(NamedTuple):
    """A warning that a reader must not overlook."""

    text: str
    language: str = ""


class Command(NamedTuple):
    """A line to type."""

    text: str


class Figure(NamedTuple):
    """A picture.

    Attributes:
        name: the name of its file, without an ending.
        title: what it shows.
        alt: what it shows and how to read it, for those who cannot see it.
        specification: in Vega-Lite, with its data and without colours, which renderers choose.
        numbers: the numbers that are drawn, where they are few enough to read.
        subtitle: what it is of, where no text around it says so.
    """

    name: str
    title: str
    alt: str
    specification: Mapping[str, Any]
    numbers: Table | None = None
    subtitle: str = ""


class Queries(NamedTuple):
    """Every query with what each system scores on it, to sort, filter and open.

    Attributes:
        title: what it shows.
        queries: the ids as they are shown.
        systems: their names.
        reference: the place of the system that others are compared to.
        values: {measure: (queries, systems)}.
        directions: {measure: 1 where more is better, -1 where less is, 0 for counts}.
        answers: what each system answers; None where that is not shown.
        differing: a few queries as a table, for renderers without pages to turn.
        notes: what was left out.
        texts: the beginning of each query's text; empty where there are none.
        digits: of the values, after the point.
    """

    title: str
    queries: tuple[str, ...]
    systems: tuple[str, ...]
    reference: int
    values: Mapping[str, PerQuery]
    directions: Mapping[str, int]
    answers: ShownAnswers | None
    differing: Table
    notes: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    digits: int = 4

    def to_dict(self) -> dict[str, Any]:
        """Plain columns: values[measure][system][query]."""
        return {
            "digits": self.digits,
            "queries": list(self.queries),
            **({"texts": list(self.texts)} if self.texts else {}),
            "systems": list(self.systems),
            "reference": self.reference,
            "directions": dict(self.directions),
            "values": {name: rows.T.tolist() for name, rows in self.values.items()},
            "answers": self.answers.to_dict() if self.answers else None,
        }


Block = Heading | Prose | Caution | Command | Table | Figure | Queries


EMPTY = Table((), ())

DATA = ("json", "csv")
"""Formats that programs read."""


@dataclass(frozen=True, eq=False, repr=False)
class Document(Printable):
    """One thing to show, in the shapes that the formats need.

    With a title it is a whole document, such as a report; without one it is tables to put into something else.

    Attributes:
        blocks: for people, in order.
        flat: the table for programs, such as CSV.
        results: the underlying results as plain values, for JSON.
        remarks: what a reader should know; also among the blocks and in JSON.
        title: of the whole document.
        language: of its messages.
    """

    blocks: Sequence[Block]
    flat: Table = EMPTY
    results: Any = None
    remarks: Sequence[str] = ()
    title: str = ""
    language: str = SOURCE

    def __repr__(self) -> str:
        sections = pluralize(sum(isinstance(block, Heading) for block in self.blocks), "section")
        figures = pluralize(len(self.figures), "figure")
        return f"{type(self).__name__}({self.title!r}, {self.language}, {sections}, {figures})"

    def render(self, format: str = "table", *, language: str = SOURCE, **how: Any) -> str:
        """The text in a format; see `renderers.render`. Formats for programs are not translated."""
        if language != SOURCE and format not in DATA:
            return replace(self, blocks=in_language(self.blocks, language)).render(format, **how)
        # renderers import this module, so it finds them by name, as results find their builders
        text: str = import_module("truerank.present.renderers").render(self, format, **how)
        return text

    def to_columns(self) -> dict[str, list[Any]]:
        """The flat table by its headings; a column with both texts and numbers becomes texts."""
        names = distinct(self.flat.columns)
        return {name: _alike([row[i] for row in self.flat.rows]) for i, name in enumerate(names)}

    @property
    def tables(self) -> list[Table]:
        """The tables in it."""
        return [block for block in self.blocks if isinstance(block, Table)]

    @property
    def figures(self) -> list[Figure]:
        """The pictures in it."""
        return [block for block in self.blocks if isinstance(block, Figure)]

    def _laid(self, **options: Any) -> Document:
        return self


def _alike(cells: list[Cell]) -> list[Cell]:
    kinds = {isinstance(cell, str) for cell in cells if cell is not None}
    return [None if cell is None else str(cell) for cell in cells] if len(kinds) > 1 else cells


def written(document: Document, parts: Callable[[Block], Iterable[str]], *first: str) -> str:
    """The parts of each block as text, with empty lines between them, without what is for the page only.

    Pictures without numbers beside tables are for notebooks, so text has them only in whole documents.

    Args:
        first: parts that come before them.
    """
    blocks = [block for block in document.blocks if document.title or not isinstance(block, Figure)]
    return "\n\n".join([*first, *(part.rstrip("\n") for part in _without_idle_headings(blocks, parts))]) + "\n"


def _without_idle_headings(blocks: Iterable[Block], parts: Callable[[Block], Iterable[str]]) -> Iterator[str]:
    """The parts, without headings that have nothing below."""
    heading: list[str] = []
    for block in blocks:
        if isinstance(block, Heading):
            heading = list(parts(block))
        elif not (isinstance(block, Prose) and block.is_for_page):
            own = list(filter(None, parts(block)))
            yield from [*heading, *own] if own else []
            heading = [] if own else heading
