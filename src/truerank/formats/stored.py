"""Tables with typed columns: Parquet files, Arrow files and streams."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from truerank.formats import parquet, saved
from truerank.formats.source import Source

if TYPE_CHECKING:
    import pyarrow


def is_stored(source: Source) -> bool:
    """Whether this is such a table."""
    return _is_arrow(source) or parquet.sniff(source.head, source.name) > 0


def _is_arrow(source: Source) -> bool:
    return saved.sniff_table(source.head, source.name) > 0


def batches(
    source: Source, choose: Callable[[Sequence[str]], Sequence[str]], size: int
) -> Iterator[pyarrow.RecordBatch]:
    """The rows of some columns: from Parquet this many at a time, from Arrow in the batches of the file.

    Args:
        choose: picks, from the names of all columns, those to read.

    Raises:
        InputError: the table is damaged.
    """
    if not _is_arrow(source):
        yield from parquet.batches(source, choose, size)
        return
    with saved.opened(source) as table:
        wanted = list(choose(table.schema.names))
        yield from (batch.select(wanted) for batch in table)


def whole(source: Source) -> pyarrow.Table:
    """The whole table.

    Raises:
        InputError: it is damaged.
    """
    if _is_arrow(source):
        with saved.opened(source) as table:
            return table.read_all()
    with parquet.opened(source) as file:
        table = file.read()
        table.validate(full=True)  # text that is no UTF-8
        return table
