"""The table that every renderer draws: names and numbers with notes under them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from truerank.core.equal import is_equal
from truerank.core.messages import message
from truerank.core.presented import told_apart

Cell = str | int | float | None

SMALL = 1e-4
"""Smaller p are told apart by programs only."""


@dataclass(frozen=True)
class Table:
    """Rows under named columns.

    Attributes:
        columns: their headings.
        rows: as many cells each as there are columns; floats are rounded when drawn, None is left empty.
        title: what the table shows.
        notes: the sentences under it, one per line.
        best: (row, column) of the cells in bold.
        raised: {(row, column): letters} that papers print as superscripts of the cell.
        is_spelled: whether a column has these letters as well, so that only papers print superscripts.
        across: what the columns after the first hold, if rows and columns may be exchanged.
        digits: after the point; None for as many as the exact number has.

    >>> Table(("run", "AP"), (("bm25", 0.25),)).texts
    [['bm25', '0.2500']]
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""
    notes: tuple[str, ...] = ()
    best: frozenset[tuple[int, int]] = frozenset()
    across: str = ""
    digits: int | None = 4
    raised: Mapping[tuple[int, int], str] = field(default_factory=dict)
    is_spelled: bool = False

    @property
    def texts(self) -> list[list[str]]:
        """The rows as they are drawn."""
        return [[as_text(cell, self.digits) for cell in row] for row in self.rows]

    @property
    def marks(self) -> Mapping[tuple[int, int], str]:
        """The letters that pages and terminals print after cells."""
        return {} if self.is_spelled else self.raised

    def mark_width(self, column: int) -> int:
        """The length of the longest mark in a column."""
        return max((len(text) for (_, c), text in self.marks.items() if c == column), default=0)

    def is_numeric(self, column: int) -> bool:
        """Whether a column holds numbers, which are aligned at the right."""
        cells = [row[column] for row in self.rows if row[column] is not None]
        return bool(cells) and not any(isinstance(cell, str) for cell in cells)

    def turned(self) -> Table:
        """The table with rows and columns exchanged, for where it would be too wide."""
        columns = (self.across, *(as_text(row[0], self.digits) for row in self.rows))
        rows = [(name, *(row[i] for row in self.rows)) for i, name in enumerate(self.columns[1:], 1)]
        best = frozenset((column - 1, row + 1) for row, column in self.best)
        raised = {(column - 1, row + 1): letters for (row, column), letters in self.raised.items()}
        return replace(self, columns=columns, rows=tuple(rows), best=best, raised=raised, across=self.columns[0])

    def only(self, places: Sequence[int]) -> Table:
        """Some of the columns, in this order.

        >>> Table(("run", "AP", "P@5"), (("bm25", 0.25, 0.4),)).only((2, 0)).rows
        ((0.4, 'bm25'),)
        """
        rows = tuple(tuple(row[i] for i in places) for row in self.rows)
        best = frozenset((row, at) for at, i in enumerate(places) for row, column in self.best if column == i)
        marks = self.raised.items()
        raised = {(row, at): text for at, i in enumerate(places) for (row, column), text in marks if column == i}
        return replace(self, columns=tuple(self.columns[i] for i in places), rows=rows, best=best, raised=raised)

    def melted(self, keys: int) -> Table:
        """The table in long form: one row for each cell after the key columns, which say whose it is.

        >>> Table(("run", "AP", "P@5"), (("bm25", 0.25, 0.4),)).melted(1).rows
        (('bm25', 'AP', 0.25), ('bm25', 'P@5', 0.4))
        """
        places = [(r, c) for r in range(len(self.rows)) for c in range(keys, len(self.columns))]
        rows = tuple((*self.rows[r][:keys], self.columns[c], self.rows[r][c]) for r, c in places)
        best = frozenset((at, keys + 1) for at, place in enumerate(places) if place in self.best)
        raised = {(at, keys + 1): self.raised[place] for at, place in enumerate(places) if place in self.raised}
        columns = (*self.columns[:keys], "measure", "value")
        return replace(self, columns=columns, rows=rows, best=best, raised=raised, across="")

    def without_first_column(self) -> Table:
        """The table without its first column, where that says nothing."""
        return self.only(range(1, len(self.columns)))


def as_text(cell: Cell, digits: int | None) -> str:
    """A cell as it is drawn: nothing for None and NaN.

    >>> as_text(0.12345678, 4), as_text(-1e-9, 4), as_text(0.1, None), as_text(7, 4), as_text(float("nan"), 4)
    ('0.1235', '0.0000', '0.1', '7', '')
    """
    if cell is None or cell != cell:
        return ""
    if isinstance(cell, float):
        return repr(cell) if digits is None else fixed(cell, digits)
    return str(cell)


def drawn_digits(digits: int | None, otherwise: int = 4) -> int:
    """The digits after the point in formats for people: those asked for, or else `otherwise`."""
    return otherwise if digits is None else digits


def number(value: float, *, is_count: bool) -> Cell:
    """A value of a measure as a cell: counts are whole numbers; empty where there is no value.

    >>> number(3.0, is_count=True), number(3.0, is_count=False), number(float("nan"), is_count=True)
    (3, 3.0, None)
    """
    if value != value:
        return None
    return round(value) if is_count and is_whole(value) else value


def is_whole(value: float) -> bool:
    """Whether a number is whole, up to the rounding in a sum of means.

    >>> is_whole(3.0), is_whole(3 - 4e-16), is_whole(8 / 3), is_whole(float("inf"))
    (True, True, False, False)
    """
    return value.is_integer() or (math.isfinite(value) and is_equal(value, round(value)))


def fixed(number: float, digits: int, sign: str = "") -> str:
    """A number with this many digits after the point; 0 has no minus.

    Args:
        sign: "+" for a sign before positive numbers too.

    >>> fixed(-0.00001, 4), fixed(-0.00001, 4, "+"), fixed(-0.0001, 4)
    ('0.0000', '+0.0000', '-0.0001')
    """
    text = f"{number:{sign}.{digits}f}"
    return text if float(text) else f"{0.0:{sign}.{digits}f}"


def three_digits(number: float) -> str:
    """A number with three significant digits, zeros at its end among them.

    >>> three_digits(0.17), three_digits(0.0999), three_digits(33.0), three_digits(123.0)
    ('0.170', '0.0999', '33.0', '123')
    """
    return f"{number:#.3g}".rstrip(".")


def p_cell(p: float, alpha: float) -> str:
    """p as a cell; a small one only as "below", and one near the level with enough digits to tell them apart.

    >>> p_cell(0.03125, 0.05), p_cell(2.0**-30, 0.05), p_cell(0.05003, 0.05), p_cell(0.00003, 0.00001)
    ('0.0312', '<.0001', '0.05003', '0.00003')
    """
    if math.isnan(p):
        return message("unknown")
    return "<.0001" if p < SMALL and p <= alpha else told_apart(p, alpha)[0]
