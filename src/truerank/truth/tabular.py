"""Items out of CSV, Parquet, Arrow and DataFrames, as columns."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from truerank.core.errors import InputError, arrow, first_line
from truerank.core.messages import Message, did_you_mean, message
from truerank.formats.cells import any_length, cells_of, header
from truerank.formats.frames import indexed, is_lazy, stream
from truerank.formats.lines import numbered_lines
from truerank.formats.names import few, find
from truerank.formats.records import parsed
from truerank.formats.source import Source
from truerank.formats.stored import is_stored, whole
from truerank.truth.nested import Columns, Listing, columns, expanded

if TYPE_CHECKING:
    import pyarrow


@dataclass(frozen=True)
class Table:
    """Rows of any table, as columns.

    Attributes:
        columns: the values by the way to them, of one length.
        name: where they came from.
        lines: (rows,) the line of each in its file; None where there are none.
    """

    columns: Mapping[str, Sequence[Any]]
    name: str
    lines: Sequence[int] | None = None

    def __len__(self) -> int:
        """The number of rows."""
        return len(next(iter(self.columns.values()), ()))

    def line(self, row: int) -> int | None:
        """The line of a row, if it stands in one."""
        return None if self.lines is None else self.lines[row]

    def find(self, wanted: Sequence[str], *, but: str | None = None) -> str | None:
        """The column with the first of these names, as `names.folded` spells them, or a part of its way has it."""
        there = [column for column in self.columns if column != but]
        place = find(there, wanted)
        place = find([column.rpartition(".")[2] for column in there], wanted) if place is None else place
        return None if place is None else there[place]

    def column(self, wanted: Sequence[str], what: Message, *, named: str = "", but: str | None = None) -> str:
        """The column of this name, or with the first of the names that it may have.

        Args:
            what: what it holds, and what to name it, for the error where there is none.

        Raises:
            InputError: there is none.
        """
        if named:
            return self.named(named)
        column = self.find(wanted, but=but)
        if column is None:
            raise InputError(
                "no column holds {what} (there is {known})", self.name, what=what, known=few(self.columns)
            )
        return column

    def named(self, column: str) -> str:
        """The column of this name.

        Raises:
            InputError: there is none; a near one is suggested.
        """
        if column not in self.columns:
            raise InputError(
                "there is no column {column!r}.{hint} There is {known}",
                self.name,
                column=column,
                hint=did_you_mean(column, self.columns),
                known=few(self.columns),
            )
        return column


def read_table(source: Source) -> Table:
    """A table: CSV, TSV, JSON lines, a JSON array of objects, Parquet, or Arrow."""
    source.refuse_empty()
    if is_stored(source):
        return Table(expanded(from_stored(source)), source.name)
    head = source.head.lstrip()
    if head.startswith((b"{", b"[")):
        records, lines = read_records(source)
        return Table(columns(Listing("", records), source.name), source.name, lines)
    cells, lines = _csv(source)
    return Table(cells, source.name, lines)


def read_records(source: Source) -> tuple[list[Any], list[int] | None]:
    """The objects of a JSON array, or of JSON lines, and the line of each of these."""
    text = source.text()
    if text.lstrip().startswith(b"["):
        whole = parsed(text, source.name)
        return (whole if isinstance(whole, list) else [whole]), None
    lines = numbered_lines(text)
    return [parsed(line, source.name, number) for number, line in lines], [number for number, _ in lines]


def from_csv(source: Source) -> Columns:
    """The columns under the names in the first line; what stands between them is found out."""
    return _csv(source)[0]


def _csv(source: Source) -> tuple[Columns, list[int]]:
    """The columns, and the line in which each row ends."""
    delimiter = header(source.head).delimiter
    text = source.text().decode("utf-8", "surrogateescape")
    rows = cells_of(io.StringIO(text, newline=""), delimiter)
    try:
        with any_length():
            numbered = [(rows.line_num, row) for row in rows if row]
    except csv.Error as error:
        raise InputError("this is no CSV: {error}", source.name, rows.line_num, error=error) from None
    (first, names), *cells = numbered
    names = list(map(str.strip, names))
    _refuse_same(names, source.name, first)
    for line, row in cells:
        if len(row) != len(names):
            raise InputError(
                "there are {wanted} columns, but a row has {n}: {row!r:.60}",
                source.name,
                line,
                wanted=len(names),
                n=len(row),
                row=row,
            )
    turned = list(zip(*(row for _, row in cells), strict=True)) or [()] * len(names)
    named = zip(names, turned, strict=True)
    return {name: [cell or None for cell in column] for name, column in named}, [line for line, _ in cells]


def _refuse_same(names: Sequence[str], name: str, line: int | None = None) -> None:
    """Refuse a name that several columns have."""
    same = next(([each] * n for each, n in Counter(names).items() if each and n > 1), [])
    if same:
        said = message("{n} columns have one name, {names}: keep one of them", n=len(same), names=few(same))
        raise InputError(said, name, line)


def from_mapping(table: Mapping[Any, Any], name: str) -> Columns:
    """The columns of {column: values}.

    Raises:
        InputError: they are no lists, or not equally long.
    """
    are_lists = all(hasattr(each, "__len__") and not isinstance(each, str | bytes) for each in table.values())
    if not are_lists or len(set(map(len, table.values()))) > 1:
        raise InputError("the columns of a table are lists that are equally long", name)
    return {str(key): list(column) for key, column in table.items()}


def from_stored(source: Source) -> Columns:
    """The columns; those inside others with a dot before their names, and lists as they are."""
    return _columns(stored(source))


def stored(source: Source) -> pyarrow.Table:
    """The table that a file of Parquet or Arrow holds, whose columns have names of their own."""
    table = whole(source)
    _refuse_same(table.column_names, source.name)
    return table


def from_frame(frame: Any, name: str) -> Columns:
    """The columns of a DataFrame of any kind, as `from_stored` has them."""
    return _columns(as_table(frame, name))


def as_table(frame: Any, name: str) -> pyarrow.Table:
    """A DataFrame of any kind as Arrow's table; an index of pandas that has a name is a column of it."""
    pyarrow = arrow(message("a DataFrame"), "frames")
    try:
        if hasattr(frame, "iterrows"):
            frame = indexed(frame)
            _refuse_same(list(map(str, frame.columns)), name)
            return pyarrow.Table.from_pandas(frame, preserve_index=False)
        if hasattr(frame, "__arrow_c_stream__") or is_lazy(frame):
            return stream(frame, name).read_all()
        from pyarrow.interchange import from_dataframe

        return from_dataframe(frame)
    except (pyarrow.ArrowException, TypeError, OverflowError, UnicodeEncodeError) as error:
        raise InputError("Arrow cannot hold this table: {error}", name, error=first_line(error)) from None


def _columns(table: pyarrow.Table) -> Columns:
    pyarrow = arrow(message("a table"))
    while any(pyarrow.types.is_struct(kind) for kind in table.schema.types):
        table = table.flatten()
    return {name: _values(table.column(i)) for i, name in enumerate(table.column_names)}


def _values(column: Any) -> Any:
    """Numbers as an array, everything else as a list."""
    kinds = arrow(message("a table")).types
    if kinds.is_floating(column.type) or (kinds.is_integer(column.type) and not column.null_count):
        return column.to_numpy()
    return column.to_pylist()
