"""Parquet: a table with columns for the query, the document, and the score or the grade."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from typing import IO, TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np

from truerank.core.errors import InputError, arrow, first_line
from truerank.core.messages import message
from truerank.core.qrels import Qrels
from truerank.core.rankings import cut
from truerank.core.run import Batch, Columns, Piece, Ranked
from truerank.formats import frames, names, records
from truerank.formats.jsonl import EXACT, utf8
from truerank.formats.records import list_places
from truerank.formats.registry import Format, register
from truerank.formats.rows import Numbered, by_aspect, peeked, qrels_of, text_column
from truerank.formats.source import Source

if TYPE_CHECKING:
    from truerank.formats.pages import Table

ROWS = 1 << 17
"""Rows that are written at once, where a query has no more: two pages."""

LISTS = 1 << 10
"""Rows that are read at once, of which each is a query with its documents."""

PAGE = 1 << 16
"""Rows of a page at most, which some versions of pyarrow would make shorter: threads meet at each."""

HOLDS = b"truerank.holds"
"""The key under which a file that was written here says whether it is a run or qrels."""

PIECE = 1 << 20
"""A file of at least this many rows is read by several threads."""

BUFFERED = {"pre_buffer": False, "buffer_size": 1 << 20}
"""How a file is read: little of it at a time."""

_Part = tuple[Any, ...]
"""A query's id, its documents and their scores or grades."""


def sniff(head: bytes, name: str) -> float:
    """The four letters at its beginning."""
    return 1.0 if head.startswith(b"PAR1") else 0.0


def holds(source: Source) -> str | None:
    """By the writer's own metadata, or else by the names of the columns."""
    with _described(source) as (columns, said):
        if said.get(HOLDS) in (b"run", b"qrels"):
            return said[HOLDS].decode()
        return records.held(columns)


def read_run(source: Source) -> Iterator[Batch]:
    """Many rows at a time."""
    if columns := _lists(source, "run"):
        yield from records.run_parts(_records(source, columns), source.name)
    else:
        yield from _rows(source)


def _lists(source: Source, what: str) -> list[str]:
    """The columns of a table with one row per query; none where there is one row per document."""
    with _described(source) as (columns, _):
        return [columns[place] for place in list_places(columns, what)]


def _records(source: Source, columns: Sequence[str]) -> Iterator[Numbered]:
    """The rows of some columns, as {column: value}."""
    some = batches(source, lambda _: columns, LISTS)
    return frames.records_of(some)


def cut_run(source: Source, threads: int) -> list[Piece]:
    """Stretches of rows, each of which begins where a query does."""
    if (source.path is None and (source.is_compressed or not source.is_ranged)) or _lists(source, "run"):
        return []
    with _run(source) as (table, layout):
        whole = sum(table.rows)
        starts = table.starts(threads) if whole >= PIECE else []
        cuts = {start + _to_next_query(table.queries(layout.query, start)) for start in starts}
    return (
        [partial(_rows, source, *piece) for piece in itertools.pairwise(sorted({0, *cuts, whole}))] if cuts else []
    )


def _to_next_query(stretches: Iterable[tuple[Any, int]]) -> int:
    """How many rows there are before the next query begins."""
    first, rows = None, 0
    for (ends, text, runs), n in stretches:
        ids = list(cut(ends, text))
        first = ids[0] if first is None else first
        turn = next((place for place, query in enumerate(ids) if query != first), None)
        if turn is not None:
            return rows + (turn if runs is None else int(runs[turn]))
        rows += n
    return rows


def _rows(source: Source, start: int = 0, end: int | None = None) -> Iterator[Batch]:
    """These rows, many at a time."""
    with _run(source) as (table, layout):
        yield from table.columns(layout, start, end)


def read_qrels(source: Source) -> Qrels:
    """All judgements."""
    if columns := _lists(source, "qrels"):
        return records.qrels_of_records(_records(source, columns), source.name)
    with opened(source) as table:
        layout = names.layout(table.schema_arrow.names, "qrels", source.name)
        return qrels_of(_parts(table, layout, source.name), source.name, layout.unsure)


def batches(source: Source, choose: Callable[[Sequence[str]], Sequence[str]], size: int) -> Iterator[Any]:
    """The rows of some columns, this many at a time, as Arrow's record batches.

    Args:
        choose: picks, from the names of all columns, those to read.
    """
    with opened(source) as table:
        for batch in table.iter_batches(size, columns=list(choose(table.schema_arrow.names))):
            batch.validate(full=True)  # text that is no UTF-8
            yield batch


@contextmanager
def _described(source: Source) -> Iterator[tuple[list[str], dict[bytes, bytes]]]:
    """The names of the columns, and the writer's own metadata."""
    from truerank.formats import pages  # not needed at every start

    with _file(source) as file:
        table = pages.opened(file, source.name)
    if table is not None:
        yield table.names, table.said
        return
    with opened(source) as other:
        yield other.schema_arrow.names, other.schema_arrow.metadata or {}


@contextmanager
def _run(source: Source) -> Iterator[tuple[Table | _Arrow, names.Layout]]:
    """The reader of a run, and the places of its columns."""
    from truerank.formats import pages

    query = None
    with _file(source) as file:
        table = pages.opened(file, source.name)
        if table is not None:
            layout = names.layout(table.names, "run", source.name)
            if table.can_read(layout):
                yield table, layout
                return
            query = table.names[layout.query] if table.has_codebook(layout.query) else None
    with opened(source, query) as other:
        yield _Arrow(other, source.name), names.layout(other.schema_arrow.names, "run", source.name)


@contextmanager
def _file(source: Source) -> Iterator[IO[bytes]]:
    """The bytes as a seekable file."""
    with source.anywhere() as raw:
        try:
            has_all = not source.is_compressed and hasattr(raw, "readinto")  # a pipe's copy since Python 3.11
            yield raw if has_all else BytesIO(source.read())
        except OSError as error:
            raise _damaged(source, error) from None


def _damaged(source: Source, error: Exception) -> InputError:
    return InputError("the Parquet data is damaged or cut short ({error})", source.name, error=first_line(error))


@contextmanager
def opened(source: Source, query: str | None = None) -> Iterator[Any]:
    """The table by pyarrow; the queries' column keeps the dictionary that it has in the file."""
    pyarrow = arrow(message("reading Parquet"))
    from pyarrow.parquet import ParquetFile

    with source.anywhere() as raw:
        file = raw if source.is_remote and not source.is_compressed else source.path or BytesIO(source.read())
        try:
            with ParquetFile(file, read_dictionary=[query] if query else None, **BUFFERED) as table:
                yield table
        except (pyarrow.ArrowException, OSError, ValueError, LookupError) as error:  # bytes may be anything
            raise _damaged(source, error) from None


class _Arrow(NamedTuple):
    """A file that is read by pyarrow, as `pages.Table` reads others."""

    table: Any
    name: str

    @property
    def rows(self) -> Sequence[int]:
        """The number of rows of each group."""
        return [self.table.metadata.row_group(i).num_rows for i in range(self.table.num_row_groups)]

    def columns(self, layout: names.Layout, start: int = 0, end: int | None = None) -> Iterator[Columns]:
        """The rows from a start to an end."""
        return _parts(self.table, layout, self.name, start, end)

    def starts(self, n: int) -> list[int]:
        """The rows at which n stretches of about the same length begin, each with a group, without the first."""
        starts = np.cumsum([0, *self.rows])
        return (
            starts[np.searchsorted(starts, starts[-1] * np.arange(1, n) // n)].tolist() if len(starts) > 2 else []
        )

    def queries(self, place: int, start: int) -> Iterator[tuple[Any, int]]:
        """The ids of queries from the start of a group on, and how many rows they stand for."""
        column, row = self.table.schema_arrow.names[place], start + 1
        groups = range(int(np.searchsorted(np.cumsum([0, *self.rows]), start)), self.table.num_row_groups)
        for batch in self.table.iter_batches(1 << 12, groups, [column], use_threads=False):
            yield frames.queries(batch[0], column, self.name, row), batch.num_rows
            row += batch.num_rows


def _parts(
    table: Any, layout: names.Layout, name: str, start: int = 0, end: int | None = None
) -> Iterator[Columns]:
    """The rows from a start to an end."""
    columns = [table.schema_arrow.names[i] for i in layout.places]
    batches = (batch.select(columns) for batch in _stretch(table, columns, start, end))
    return frames.parts(batches, layout.packed, name, start + 1)


def _stretch(table: Any, columns: list[str], start: int, end: int | None) -> Iterator[Any]:
    """The record batches of these rows."""
    row, groups = 0, list(range(table.num_row_groups))
    while groups and row + table.metadata.row_group(groups[0]).num_rows <= start:
        row += table.metadata.row_group(groups.pop(0)).num_rows
    for batch in table.iter_batches(frames.ROWS, groups, columns, use_threads=end is None):
        part = batch.slice(max(0, start - row), None if end is None else end - max(start, row))
        row += batch.num_rows
        if part.num_rows:
            yield part
        if end is not None and row >= end:
            return


def write_run(run: Iterable[Ranked], file: BinaryIO, tag: str) -> None:
    """query_id, doc_id, score."""
    first, rest = peeked(run)
    if first is None or first.call is None:
        _write(file, "run", {"score": np.float64}, ((part.query, part.docs, part.numbers()) for part in rest))
        return
    parts = ((part.query, part.docs, part.numbers(), [part.call or 0] * len(part.docs)) for part in rest)
    _write(file, "run", {"score": np.float64, "call": np.int64}, parts)


def write_qrels(qrels: Qrels, file: BinaryIO) -> None:
    """query_id, doc_id, relevance; with aspects also aspect and weight."""
    if qrels.aspects is not None:
        _write(file, "qrels", {"relevance": np.float64, "aspect": bytes, "weight": np.float64}, by_aspect(qrels))
        return
    is_whole = not (qrels.grades % 1).any() and (np.abs(qrels.grades) < EXACT).all()
    parts = ((query, list(judged), list(judged.values())) for query, judged in qrels.by_query())
    _write(file, "qrels", {"relevance": np.int64 if is_whole else np.float64}, parts)


def _write(file: BinaryIO, what: str, values: dict[str, type], parts: Iterable[_Part]) -> None:
    """Write a table of queries, documents and these columns, which hold numbers (of a NumPy type) or ids (bytes).

    Documents and scores hardly repeat: a dictionary does not make them smaller, and unpacking takes longer than
    reading. The lengths of ids are stored apart, so that the file is as small as others' with Snappy.
    """
    pyarrow = arrow(message("writing Parquet"))
    from inspect import signature

    from pyarrow.parquet import ParquetWriter

    text = pyarrow.large_string()
    types = {name: text if kind is bytes else pyarrow.from_numpy_dtype(kind) for name, kind in values.items()}
    columns = {"query_id": text, "doc_id": text, **types}
    fields = [pyarrow.field(name, kind, nullable=False) for name, kind in columns.items()]
    schema = pyarrow.schema(fields, metadata={HOLDS: what})
    repeating = [name for name in schema.names if name not in ("doc_id", "score")]
    lengths = {"doc_id": "DELTA_LENGTH_BYTE_ARRAY"}
    how: dict[str, Any] = {"compression": "none", "use_dictionary": repeating, "column_encoding": lengths}
    how |= {name: PAGE for name in signature(ParquetWriter).parameters if name == "max_rows_per_page"}
    with ParquetWriter(file, schema, **how) as table:
        for group in _grouped(parts):
            queries, docs, *rest = zip(*group, strict=True)
            query = np.repeat(np.arange(len(queries)), list(map(len, docs)))
            flat = [list(itertools.chain.from_iterable(column)) for column in (docs, *rest)]
            numbers = zip(values.values(), flat[1:], strict=True)
            more = [_ids(each) if kind is bytes else np.array(each, kind) for kind, each in numbers]
            rows = [_ids(queries).take(query), _ids(flat[0]), *more]
            table.write_batch(pyarrow.record_batch(rows, schema=schema))


def _grouped(parts: Iterable[_Part]) -> Iterator[list[_Part]]:
    """Groups of queries with up to `ROWS` rows together, or of one query with more."""
    group: list[_Part] = []
    rows = 0
    for part in parts:
        if group and rows + len(part[1]) > ROWS:
            yield group
            group, rows = [], 0
        group.append(part)
        rows += len(part[1])
    if group:
        yield group


def _ids(names: Sequence[bytes]) -> Any:
    """The ids as an Arrow column."""
    import pyarrow

    ends, text = text_column(names)
    column = pyarrow.LargeStringArray.from_buffers(len(names), pyarrow.py_buffer(ends), pyarrow.py_buffer(text))
    try:
        column.validate(full=True)
    except pyarrow.ArrowInvalid:
        for name in names:
            utf8(name)
    return column


register(
    Format(
        "parquet",
        message("columns query_id, doc_id and score or relevance; or one row per query, with lists as in jsonl"),
        sniff,
        holds,
        (".parquet", ".pq"),
        read_run,
        read_qrels,
        write_run,
        write_qrels,
        cut_run=cut_run,
        holds_aspects="weights",
    )
)
