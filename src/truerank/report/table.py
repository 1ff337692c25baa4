"""The one thing that renderers draw: a table of names and numbers with notes under it."""

from __future__ import annotations

from dataclasses import dataclass, replace

Cell = str | int | float | None


@dataclass(frozen=True)
class Table:
    """Rows under named columns.

    Attributes:
        columns: their headings.
        rows: as many cells each as there are columns; floats are rounded when drawn, None is left empty.
        title: what the table shows.
        notes: what belongs under it, a sentence a line.
        best: (row, column) of the cells to stress.
        across: what stands in the columns after the first, where rows and columns may change places.
        digits: after the point; None for as many as say the number exactly.

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

    @property
    def texts(self) -> list[list[str]]:
        """The rows as they are drawn."""
        return [[as_text(cell, self.digits) for cell in row] for row in self.rows]

    def is_numeric(self, column: int) -> bool:
        """Whether a column holds numbers, which are aligned at the right."""
        cells = [row[column] for row in self.rows if row[column] is not None]
        return bool(cells) and not any(isinstance(cell, str) for cell in cells)

    def turned(self) -> Table:
        """Rows for columns, where the table would be too wide."""
        columns = (self.across, *(as_text(row[0], self.digits) for row in self.rows))
        rows = [(name, *(row[i] for row in self.rows)) for i, name in enumerate(self.columns[1:], 1)]
        best = frozenset((column - 1, row + 1) for row, column in self.best)
        return replace(self, columns=columns, rows=tuple(rows), best=best, across=self.columns[0])

    def without_first_column(self) -> Table:
        """The same, where the first column says nothing."""
        rows = tuple(row[1:] for row in self.rows)
        return replace(self, columns=self.columns[1:], rows=rows, best=frozenset())


def as_text(cell: Cell, digits: int | None) -> str:
    """A cell as it is drawn.

    >>> as_text(0.12345678, 4), as_text(0.1, None), as_text(7, 4)
    ('0.1235', '0.1', '7')
    """
    if cell is None:
        return ""
    if isinstance(cell, float):
        return repr(cell) if digits is None else f"{cell:.{digits}f}"
    return str(cell)
