"""A report as a value: blocks in order, made once, which each renderer writes in its own way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from truerank.core.errors import counted
from truerank.measures.sums import PerQuery
from truerank.present.answers import Answers
from truerank.present.table import Table
from truerank.present.texts import Texts


@dataclass(frozen=True)
class Heading:
    """Where a section begins.

    Attributes:
        text: what it is called.
        anchor: what links to it; the same in every language.
    """

    text: str
    anchor: str


@dataclass(frozen=True)
class Prose:
    """Sentences, a paragraph each.

    Attributes:
        language: of these sentences, where it is not the document's.
        is_for_page: whether they tell how to use the page: elsewhere they are left out.
    """

    paragraphs: tuple[str, ...]
    language: str = ""
    is_for_page: bool = False


@dataclass(frozen=True)
class Note:
    """What a reader must not overlook."""

    text: str
    language: str = ""


@dataclass(frozen=True)
class Command:
    """A line to type."""

    text: str


@dataclass(frozen=True)
class Figure:
    """A picture.

    Attributes:
        name: of its file, without an ending.
        title: what it shows.
        alt: the same for who cannot see it, and how to read it.
        specification: in Vega-Lite, with its data and without colours, which renderers choose.
        numbers: what it is drawn from, where that is short enough to read.
    """

    name: str
    title: str
    alt: str
    specification: Mapping[str, Any]
    numbers: Table | None = None


@dataclass(frozen=True, eq=False)
class Queries:
    """Every query with what each system scores on it, to sort, filter and open.

    Attributes:
        title: what it shows.
        queries: the ids as they are shown.
        systems: their names.
        reference: the place of the system that others are compared to.
        values: {measure: (queries, systems)}.
        answers: what each system answers; None where it is not shown.
        differing: a few queries as a table, for renderers that cannot page.
        notes: what was left out.
        texts: the beginning of each query's text; empty where there are none.
        digits: of the values, after the point.
    """

    title: str
    queries: tuple[str, ...]
    systems: tuple[str, ...]
    reference: int
    values: Mapping[str, PerQuery]
    answers: Answers | None
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
            "values": {name: rows.T.tolist() for name, rows in self.values.items()},
            "answers": self.answers.to_dict() if self.answers else None,
        }


Block = Heading | Prose | Note | Command | Table | Figure | Queries


@dataclass(frozen=True, eq=False, repr=False)
class Document:
    """The title, language and blocks of a report.

    Attributes:
        title: of the whole.
        language: en or ko.
        blocks: what it says, in order.
        results: what it is made of as plain values, for JSON.
    """

    title: str
    language: str
    blocks: Sequence[Block]
    results: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        sections = counted(sum(isinstance(block, Heading) for block in self.blocks), "section")
        figures = counted(len(self.figures), "figure")
        return f"{type(self).__name__}({self.title!r}, {self.language}, {sections}, {figures})"

    @property
    def texts(self) -> Texts:
        """The words of its language."""
        return Texts(self.language)

    @property
    def figures(self) -> list[Figure]:
        """The pictures in it."""
        return [block for block in self.blocks if isinstance(block, Figure)]


def written(blocks: Iterable[Block], parts: Callable[[Block], Iterable[str]]) -> Iterator[str]:
    """The parts of each block as text, without what is for the page alone and headings that nothing follows."""
    heading: list[str] = []
    for block in blocks:
        if isinstance(block, Heading):
            heading = list(parts(block))
        elif not (isinstance(block, Prose) and block.is_for_page):
            own = list(filter(None, parts(block)))
            yield from [*heading, *own] if own else []
            heading = [] if own else heading
