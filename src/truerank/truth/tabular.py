"""Items out of CSV, Parquet and DataFrames, as columns."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from truerank.core.errors import InputError
from truerank.core.messages import message
from truerank.formats.delimited import header
from truerank.formats.frames import arrow
from truerank.formats.source import MARK, Source
from truerank.truth.nested import Columns, expanded

if TYPE_CHECKING:
    import pyarrow


def from_csv(source: Source) -> Columns:
    """The columns under the names in the first line; what stands between them is found out."""
    delimiter = header(source.head).delimiter
    text = source.read().removeprefix(MARK).decode("utf-8", "surrogateescape")
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        names, *cells = [row for row in rows if row]
    except csv.Error as error:
        raise InputError("this is no CSV: {error}", source.name, rows.line_num, error=error) from None
    for row in cells:
        if len(row) != len(names):
            raise InputError(
                "there are {wanted} columns, but a row has {n}: {row!r:.60}",
                source.name,
                wanted=len(names),
                n=len(row),
                row=row,
            )
    columns = list(zip(*cells, strict=True)) or [()] * len(names)
    return {name.strip(): [cell or None for cell in column] for name, column in zip(names, columns, strict=True)}


def from_parquet(source: Source) -> Columns:
    """The columns; those inside others with a dot before their names."""
    pyarrow = arrow(message("reading Parquet"), "parquet")
    from pyarrow.parquet import read_table

    try:
        return _columns(read_table(io.BytesIO(source.read())))
    except pyarrow.ArrowException as error:
        raise InputError("the Parquet data is damaged or cut short ({error})", source.name, error=error) from None


def from_frame(frame: Any, name: str) -> Columns:
    """The columns of a DataFrame of any kind; an index of pandas that has a name is one of them."""
    pyarrow = arrow(message("a DataFrame"), "frames")
    if hasattr(frame, "iterrows") and any(frame.index.names):
        frame = frame.reset_index()
    try:
        if hasattr(frame, "iterrows"):
            return _columns(pyarrow.Table.from_pandas(frame, preserve_index=False))
        if hasattr(frame, "__arrow_c_stream__"):
            return _columns(pyarrow.table(frame))
        from pyarrow.interchange import from_dataframe

        return _columns(from_dataframe(frame))
    except (pyarrow.ArrowException, TypeError) as error:
        raise InputError("Arrow cannot hold this table: {error}", name, error=str(error).splitlines()[0]) from None


def _columns(table: pyarrow.Table) -> Columns:
    pyarrow = arrow(message("a table"), "parquet")
    while any(pyarrow.types.is_struct(kind) for kind in table.schema.types):
        table = table.flatten()
    return expanded({name: _values(table.column(i)) for i, name in enumerate(table.column_names)})


def _values(column: Any) -> Any:
    """Numbers as an array, everything else as a list."""
    kinds = arrow(message("a table"), "parquet").types
    if kinds.is_floating(column.type) or (kinds.is_integer(column.type) and not column.null_count):
        return column.to_numpy()
    return column.to_pylist()
