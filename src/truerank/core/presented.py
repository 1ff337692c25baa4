"""What every result has in common: it prints with what a reader must know, and becomes text, HTML or a frame.

How a result looks is decided by its builder in `present`, a layer far above; a result only names that file.
"""

from __future__ import annotations

import inspect
import math
import os
from collections.abc import Callable, Collection, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from truerank.core.errors import needs, truncated
from truerank.core.messages import did_you_mean

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

FEW = 3
"""Remarks that a `repr` shows; the others are counted."""


def told_apart(one: float, other: float) -> tuple[str, str]:
    """Both numbers with as many digits, at least four, as it takes to see the difference.

    >>> told_apart(0.5, 1.0), told_apart(0.41231, 0.41234)
    (('0.5000', '1.0000'), ('0.41231', '0.41234'))
    """
    texts = next((pair for pair in _with_digits(one, other) if pair[0] != pair[1]), None)
    return texts or (f"{one:.4f}", f"{other:.4f}")


def _with_digits(one: float, other: float) -> Iterator[tuple[str, str]]:
    return ((f"{one:.{digits}f}", f"{other:.{digits}f}") for digits in range(4, 17))


def significant(value: float, digits: int) -> str:
    """A time or a rate with this many significant digits, and all digits before the point.

    >>> significant(0.0132449, 4), significant(300.0, 4), significant(12345.6, 4)
    ('0.01324', '300', '12346')
    """
    short = f"{value:.{digits}g}"
    return f"{value:.0f}" if "e+" in short else short


class Laid(Protocol):
    """A result as its builder lays it out: `present.document.Document`."""

    def render(self, format: str = "table", **how: Any) -> str:
        """The text in a format."""

    def to_columns(self) -> dict[str, list[Any]]:
        """The flat table by its headings."""


class Drawn(Protocol):
    """The pictures of a result: `present.plot.Plot`."""

    def to_html(self) -> str:
        """The pictures as a piece of a page."""

    def to_svg(self) -> str:
        """One picture on white."""

    def to_dict(self) -> dict[str, Any]:
        """One picture in Vega-Lite."""

    def __getitem__(self, place: int) -> Drawn:
        """One of the pictures."""

    def __len__(self) -> int:
        """How many pictures there are."""

    def save(self, path: str | os.PathLike[str]) -> list[str]:
        """Write .svg, .png or .html; the paths."""


class Printable:
    """A result with a document, which every renderer prints."""

    def __str__(self) -> str:
        """The tables and all remarks as plain text."""
        return self.to_text().rstrip("\n")

    def to_text(self, **options: Any) -> str:
        """The tables as plain text; the options are those of the result's tables, such as digits."""
        return self._laid(**options).render("table")

    def to_markdown(self, **options: Any) -> str:
        """The tables as GitHub writes them."""
        return self._laid(**options).render("markdown")

    def to_latex(self, **options: Any) -> str:
        """The tables for a paper, with the lines of the booktabs package."""
        return self._laid(**options).render("latex")

    def to_html(self, **options: Any) -> str:
        """The tables as a piece of a page, with the picture if there is one; of a report the page."""
        return self._laid(**options).render("html", figures=True)

    def _laid(self, **options: Any) -> Laid:
        raise NotImplementedError


FRAMES = {"pyarrow": ("to_arrow", "parquet"), "polars": ("to_polars", "frames"), "pandas": ("to_pandas", "frames")}
"""The libraries of frames: what makes one, and the extra that brings the library."""


class Framed:
    """A result with rows, which become a frame."""

    def to_arrow(self) -> pyarrow.Table:
        """The rows as a table of Arrow, with all digits."""
        table: pyarrow.Table = self._library("pyarrow").table(self._flat_columns())
        return table

    def to_polars(self) -> polars.DataFrame:
        """The rows as a frame of Polars, with all digits."""
        frame: polars.DataFrame = self._library("polars").DataFrame(self._flat_columns(), strict=False)
        return frame

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a frame of pandas, with all digits."""
        frame: pandas.DataFrame = self._library("pandas").DataFrame(self._flat_columns())
        return frame

    def _library(self, name: str) -> Any:
        """The library that makes the frame."""
        method, extra = FRAMES[name]
        with needs(f"{type(self).__name__}.{method}", extra):
            return import_module(name)

    def _flat_columns(self) -> dict[str, Any]:
        """The columns by their headings, each a list or an array."""
        raise NotImplementedError


class Presented(Printable, Framed):
    """A result that shows itself, with the remarks of its ledger.

    A class names its builder's file in `present` by `built_by`, says in `_summary` what its `repr` begins with, and
    in `to_dict` what JSON has. The builder's file has two functions: `document_of(result, digits=None)` makes the
    `Document` of it, whose rows for programs are those that the command writes as CSV, and `remarks_of(result)`
    gives what a reader should know, a message each. Pictures are `Figure`s among the document's blocks; a file that
    draws them only for `plot` has `figures_of(result)` too.
    """

    built_by: ClassVar[str]

    def __repr__(self) -> str:
        """One line, and a line for each of the first few remarks."""
        remarks = import_module(f"truerank.present.{self.built_by}").remarks_of(self)
        more = [f"and {len(remarks) - FEW:,} more: print it"] if len(remarks) > FEW else []
        lines = [truncated(line) for remark in remarks[:FEW] for line in remark.splitlines()[:1]]
        return "\n  ".join([self._summary(), *lines, *more])

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return self.to_html()

    def _summary(self) -> str:
        """The line that a `repr` begins with."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        raise NotImplementedError

    def plot(self, **options: Any) -> Drawn:
        """The pictures of the result, which a notebook shows and `save` writes.

        Args:
            options: those of the result's tables.

        Raises:
            InputError: it has no picture.
        """
        drawn: Drawn = import_module("truerank.present.plot").plot_of(self, **options)
        return drawn

    def _flat_columns(self) -> dict[str, Any]:
        """The columns that the command writes as CSV."""
        return self._laid().to_columns()

    def _laid(self, **options: Any) -> Laid:
        build = import_module(f"truerank.present.{self.built_by}").document_of
        refuse_other(f"{type(self).__name__}: to_text, to_markdown, to_latex and to_html", build, options)
        laid: Laid = build(self, **options)
        return laid


def finite(value: Any) -> Any:
    """A value, or those of a dict or a tuple, as JSON has it: None for a number that is not finite."""
    if isinstance(value, dict):
        return {key: finite(each) for key, each in value.items()}
    if isinstance(value, tuple):
        return list(map(finite, value))
    return None if isinstance(value, float) and not math.isfinite(value) else value


def refuse_other(who: str, build: Callable[..., Any], options: Collection[str]) -> None:
    """Raise where a builder lacks an option.

    Raises:
        TypeError: with the names of the options that it has.
    """
    known = list(inspect.signature(build).parameters)[1:] if options else []
    for option in options:
        if option not in known:
            near = did_you_mean(option, known)
            raise TypeError(f"{who} have no option {option!r}.{near} Options: {', '.join(known) or 'none'}")
