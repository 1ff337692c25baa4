"""DataFrames of any kind (pandas, polars, Arrow, …), through Arrow."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from truerank.core.errors import InputError, MissingPackage, quoted
from truerank.core.qrels import Qrels
from truerank.core.run import Batch, Columns, Run
from truerank.formats.names import Layout, layout
from truerank.formats.rows import Ints, complete, qrels_of

if TYPE_CHECKING:
    import pyarrow

ROWS = 1 << 16


def run_from_frame(frame: Any, name: str) -> Run:
    """A run from a DataFrame with columns for the query, the document and the score."""
    if hasattr(frame, "read_all"):  # a stream of batches can be read only once
        frame = frame.read_all()
    return Run(name, lambda: run_parts(frame, name))


def run_from_frames(frames: Sequence[Any], name: str) -> Run:
    """A run from several tables or batches of it, as an engine hands them over."""
    runs = [run_from_frame(frame, name) for frame in frames]
    return Run(name, lambda: itertools.chain.from_iterable(run.batches() for run in runs))


def run_parts(frame: Any, name: str) -> Iterator[Batch]:
    """The rows of a run, many at a time."""
    where, batches = _read(frame, "run", name)
    return parts(batches, where, name)


def qrels_from_frame(frame: Any, name: str = "qrels") -> Qrels:
    """Judgements from a DataFrame with columns for the query, the document and the grade."""
    where, batches = _read(frame, "qrels", name)
    return qrels_of(parts(batches, where, name), name, where.unsure)


def arrow(what: str, extra: str) -> Any:
    """The package pyarrow, which this needs."""
    try:
        import pyarrow
    except ModuleNotFoundError:
        raise MissingPackage(what, extra) from None
    return pyarrow


def _read(frame: Any, what: str, name: str) -> tuple[Layout, Iterable[pyarrow.RecordBatch]]:
    if hasattr(frame, "iterrows"):  # pandas: the other columns need not be converted
        found = layout(list(map(str, frame.columns)), what, name)
        frame = frame.iloc[:, [found.query, found.doc, found.value]]
        where = Layout(0, 1, 2, found.falling, found.unsure)
        return where, _stream(frame, name)
    stream = _stream(frame, name)
    return layout(stream.schema.names, what, name), stream


def _stream(frame: Any, name: str) -> pyarrow.RecordBatchReader:
    pyarrow = arrow("a DataFrame", "frames")
    try:
        if hasattr(frame, "__arrow_c_stream__"):
            return pyarrow.RecordBatchReader.from_stream(frame)
        return pyarrow.Table.from_pandas(frame, preserve_index=False).to_reader()  # before pandas 2.2
    except (pyarrow.ArrowException, TypeError) as error:
        raise InputError(f"Arrow cannot hold this table: {first_line(error)}", name) from None


def parts(batches: Iterable[pyarrow.RecordBatch], where: Layout, name: str) -> Iterator[Columns]:
    """The rows of Arrow batches, as the kernel takes them."""
    row = 1
    for batch in batches:
        for start in range(0, batch.num_rows, ROWS):
            part = _converted(batch.slice(start, ROWS), where, name, row)
            row += len(part.scores)
            yield part


def _converted(batch: pyarrow.RecordBatch, where: Layout, name: str, row: int) -> Columns:
    pyarrow = arrow("a DataFrame", "frames")
    try:
        return _columns(batch, where, name, row)
    except pyarrow.ArrowException as error:
        raise InputError(f"Arrow cannot convert this table: {first_line(error)}", name) from None


def _columns(batch: pyarrow.RecordBatch, where: Layout, name: str, row: int) -> Columns:
    fields = batch.schema.names
    query, doc, value = (
        _plain(batch.column(i), fields[i], name, row) for i in (where.query, where.doc, where.value)
    )
    scores = _numbers(value, fields[where.value], name)
    text = *_text(query, fields[where.query], name), *_text(doc, fields[where.doc], name)
    return complete(Columns(*text, -scores if where.falling else scores), name, row)


def _plain(array: Any, field: str, name: str, row: int) -> pyarrow.Array:
    """The column without a dictionary; every row has a value."""
    if hasattr(array, "dictionary"):
        values = array.dictionary
        array = (values.cast("large_string") if is_text(values.type) else values).take(array.indices)
    if array.null_count:
        first = row + int(array.is_null().to_numpy(zero_copy_only=False).argmax())
        raise InputError(f"column {quoted(field)} has no value in row {first}", name)
    return array


def _text(array: Any, field: str, name: str) -> tuple[Ints, NDArray[np.uint8]]:
    """The ids: where each ends, and their bytes; not copied where Arrow keeps large strings."""
    pyarrow = arrow("a DataFrame", "frames")
    if pyarrow.types.is_binary(array.type) or pyarrow.types.is_large_binary(array.type):
        array = array.cast("large_binary")
    elif pyarrow.types.is_integer(array.type) or is_text(array.type):
        array = array.cast("large_string")
    else:
        raise InputError(f"column {quoted(field)} holds {array.type}; ids are text or whole numbers", name)
    _, offsets, data = array.buffers()
    ends = np.frombuffer(offsets, np.int64, len(array) + 1, 8 * array.offset)
    text = np.frombuffer(data, np.uint8) if data else np.empty(0, np.uint8)
    return ends - ends[0], text[ends[0] : ends[-1]]


def is_text(kind: Any) -> bool:
    """Whether this Arrow type is text in any of its layouts."""
    return str(kind) in ("string", "large_string", "string_view")


def _numbers(array: Any, field: str, name: str) -> NDArray[np.float64]:
    pyarrow = arrow("a DataFrame", "frames")
    kinds = pyarrow.types
    if not (kinds.is_integer(array.type) or kinds.is_floating(array.type) or kinds.is_decimal(array.type)):
        raise InputError(f"column {quoted(field)} holds {array.type}; it should hold numbers", name)
    numbers = array.cast(pyarrow.float64(), safe=False).to_numpy(zero_copy_only=False)
    return cast("NDArray[np.float64]", numbers)


def first_line(error: Exception) -> str:
    """What an error of Arrow says, which may go on for lines."""
    return str(error).split("\n", 1)[0]
