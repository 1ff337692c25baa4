"""DataFrames of any kind (pandas, polars, Arrow, …), read through Arrow."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truerank.core.errors import InputError, arrow, first_line, quoted
from truerank.core.kernel.names import gathered
from truerank.core.messages import message
from truerank.core.qrels import Qrels
from truerank.core.run import Batch, Columns, Run
from truerank.formats.names import Layout, layout
from truerank.formats.records import list_places, qrels_of_records
from truerank.formats.records import run_parts as lists_of_records
from truerank.formats.rows import Ints, Numbered, complete, qrels_of, unnumbered, whole_calls

if TYPE_CHECKING:
    import pyarrow

ROWS = 1 << 16


def run_from_frame(frame: Any, name: str) -> Run:
    """A run from a DataFrame with columns for the query, the document and the score, or for lists of these."""
    if hasattr(frame, "read_all"):  # a stream of batches can be read only once
        frame = frame.read_all()
    return Run(name, partial(run_parts, frame, name))


def run_from_frames(frames: Sequence[Any], name: str) -> Run:
    """A run from several tables or batches of it, as an engine hands them over."""
    runs = [run_from_frame(frame, name) for frame in frames]
    return Run(name, lambda: itertools.chain.from_iterable(run.batches() for run in runs))


def run_parts(frame: Any, name: str) -> Iterator[Batch]:
    """The rows of a run, many at a time."""
    names, read = _opened(frame, name)
    if places := list_places(names, "run"):
        return lists_of_records(_records(names, read, places), name)
    where = layout(names, "run", name)
    return parts(_some(names, read, where.places), where.packed, name)


def qrels_from_frame(frame: Any, name: str = "qrels") -> Qrels:
    """Judgements from a DataFrame with columns for the query, the document and the grade, or for lists of these."""
    names, read = _opened(frame, name)
    if places := list_places(names, "qrels"):
        return qrels_of_records(_records(names, read, places), name)
    where = layout(names, "qrels", name)
    return qrels_of(parts(_some(names, read, where.places), where.packed, name), name, where.unsure)


def _opened(frame: Any, name: str) -> _Read:
    for method, read in _READERS.items():
        if hasattr(frame, method):
            return read(frame, name)
    batches = stream(frame, name)
    return batches.schema.names, lambda _, places: (batch.select(places) for batch in batches)


def _some(names: Sequence[str], read: _Batches, places: Sequence[int]) -> Iterable[pyarrow.RecordBatch]:
    """Some columns."""
    return read([names[i] for i in places], tuple(places))


def _records(names: Sequence[str], read: _Batches, places: Sequence[int]) -> Iterator[Numbered]:
    """The rows of some columns, as {column: value}."""
    return records_of(_some(names, read, places))


def records_of(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[Numbered]:
    """The rows of Arrow batches, as {column: value}."""
    rows = (record for batch in batches for record in batch.to_pylist())
    return unnumbered({column: _own(cell) for column, cell in record.items()} for record in rows)


def _own(cell: Any) -> Any:
    """An object without the keys of other rows, which Arrow adds for a whole column; other cells as they are."""
    return {key: value for key, value in cell.items() if value is not None} if isinstance(cell, dict) else cell


_Batches = Callable[[list[str], tuple[int, ...]], Iterable[Any]]
"""Reads some columns, by their names or places."""

_Read = tuple[list[str], _Batches]
"""The names of all columns, and what reads some of them."""


def _of_dask(frame: Any, name: str) -> _Read:
    """A frame of Dask, read one partition at a time."""

    def read(_: list[str], places: tuple[int, ...]) -> Iterable[Any]:
        for i in range(frame.npartitions):
            yield from stream(frame.get_partition(i).compute().iloc[:, list(places)], name)

    return list(map(str, frame.columns)), read


def _of_pandas(frame: Any, name: str) -> _Read:
    """A frame of pandas, of which only the columns that are needed are converted."""
    frame = indexed(frame)
    return list(map(str, frame.columns)), lambda _, places: stream(frame.iloc[:, list(places)], name)


def indexed(frame: Any) -> Any:
    """A DataFrame of pandas with its index as columns, where the index has names that no column has."""
    levels = [place for place, name in enumerate(frame.index.names) if name not in (None, *frame.columns)]
    return frame.reset_index(level=levels) if levels else frame


def _of_dataset(dataset: Any, name: str) -> _Read:
    """A dataset of pyarrow."""
    return dataset.schema.names, lambda names, _: dataset.to_batches(columns=names)


def _of_ray(dataset: Any, name: str) -> _Read:
    """A dataset of Ray."""

    def read(names: list[str], _: tuple[int, ...]) -> Iterable[Any]:
        blocks = dataset.select_columns(names).iter_batches(batch_format="pyarrow", batch_size=None)
        return (batch for block in blocks for batch in block.select(names).to_batches())

    return list(dataset.columns()), read


_READERS = {"get_partition": _of_dask, "iterrows": _of_pandas, "scanner": _of_dataset, "iter_batches": _of_ray}
"""By the method that tells such a frame: what reads it otherwise than as one stream of Arrow."""


def is_frame(thing: Any) -> bool:
    """Whether this is a DataFrame of any kind, or a dataset of such rows."""
    return any(hasattr(thing, name) for name in ("__arrow_c_stream__", *_READERS)) or is_lazy(thing)


def is_lazy(thing: Any) -> bool:
    """Whether this is a lazy frame of polars or narwhals, which has rows once it is collected."""
    return hasattr(thing, "collect") and hasattr(thing, "collect_schema")


def records(frame: Any, name: str) -> list[dict[str, Any]]:
    """The rows of a small table, as {column: value}."""
    rows: list[dict[str, Any]] = stream(frame, name).read_all().to_pylist()
    return rows


def stream(frame: Any, name: str) -> pyarrow.RecordBatchReader:
    """The rows of a DataFrame, as Arrow's batches."""
    pyarrow = arrow(message("a DataFrame"), "frames")
    frame = frame.collect() if is_lazy(frame) else frame
    try:
        if isinstance(frame, pyarrow.RecordBatch):
            frame = pyarrow.Table.from_batches([frame])
        if isinstance(frame, pyarrow.Table):  # pyarrow crashes when it exports string views that a cast made
            return frame.to_reader()
        if hasattr(frame, "__arrow_c_stream__"):
            return pyarrow.RecordBatchReader.from_stream(frame)
        return pyarrow.Table.from_pandas(frame, preserve_index=False).to_reader()  # before pandas 2.2
    except (pyarrow.ArrowException, TypeError, OverflowError, UnicodeEncodeError) as error:
        raise InputError("Arrow cannot hold this table: {error}", name, error=first_line(error)) from None


def parts(batches: Iterable[pyarrow.RecordBatch], where: Layout, name: str, row: int = 1) -> Iterator[Columns]:
    """The rows of Arrow batches, as the kernel takes them; `row` is the number of the first."""
    for batch in batches:
        for start in range(0, batch.num_rows, ROWS):
            part = _converted(batch.slice(start, ROWS), where, name, row)
            row += len(part.scores)
            yield part


def _converted(batch: pyarrow.RecordBatch, where: Layout, name: str, row: int) -> Columns:
    pyarrow = arrow(message("a DataFrame"), "frames")
    try:
        return _columns(batch, where, name, row)
    except pyarrow.ArrowException as error:
        raise InputError("Arrow cannot convert this table: {error}", name, error=first_line(error)) from None


def _columns(batch: pyarrow.RecordBatch, where: Layout, name: str, row: int) -> Columns:
    fields = batch.schema.names
    ends, letters, runs = queries(batch.column(where.query), fields[where.query], name, row)
    doc, value = (_plain(batch.column(i), fields[i], name, row) for i in (where.doc, where.value))
    scores = _numbers(value, fields[where.value], name)
    text = ends, letters, *_text(doc, fields[where.doc], name)
    more: dict[str, Any] = {} if where.aspect is None else _aspects(batch, where.aspect, where.weight, name, row)
    more["are_ranks"] = where.falling
    if where.call is not None:
        more["calls"] = _calls(batch.column(where.call), fields[where.call], name, row)
    return complete(Columns(*text, -scores if where.falling else scores, runs=runs, **more), name, row)


def _aspects(batch: pyarrow.RecordBatch, aspect: int, weight: int | None, name: str, row: int) -> dict[str, Any]:
    """The aspects and weights of judgements, as fields of `Columns`."""
    fields = batch.schema.names
    names = _text(_plain(batch.column(aspect), fields[aspect], name, row), fields[aspect], name)
    if weight is None:
        return {"aspects": names}
    numbers = _numbers(_plain(batch.column(weight), fields[weight], name, row), fields[weight], name)
    return {"aspects": names, "weights": numbers}


def _calls(array: Any, field: str, name: str, row: int) -> Ints:
    """The call of each row."""
    return whole_calls(_numbers(_plain(array, field, name, row), field, name), name, row)


def queries(array: Any, field: str, name: str, row: int) -> tuple[Ints, NDArray[np.uint8], Ints | None]:
    """The ids of queries; for a dictionary column one per run of equal ids, and where the runs begin.

    Here and below NumPy does what pyarrow could do: pyarrow would have to load its `compute` module, and pandas.
    """
    if not hasattr(array, "dictionary") or array.null_count or array.dictionary.null_count:
        return *_text(_plain(array, field, name, row), field, name), None
    indices = np.from_dlpack(array.indices)
    runs = np.concatenate([[0], np.flatnonzero(indices[1:] != indices[:-1]) + 1, [len(indices)]])
    ends, text = _text(array.dictionary, field, name)
    bounds, letters = gathered(text, ends[1:], indices[runs[:-1]].astype(np.int64))
    return np.concatenate([[0], bounds]), np.frombuffer(letters, np.uint8), runs


def _plain(array: Any, field: str, name: str, row: int) -> pyarrow.Array:
    """The column without a dictionary; raise where a row has no value, or a list of values."""
    if str(array.type).partition("<")[0].endswith("list"):
        raise InputError(
            "column {column} holds lists: where a row is a query, call the lists of documents docs and those "
            "beside them scores, in judgements relevant and grades",
            name,
            column=quoted(field),
        )
    if hasattr(array, "dictionary"):
        values = array.dictionary
        array = (values.cast("large_string") if is_text(values.type) else values).take(array.indices)
    if array.null_count:
        row += int(array.is_null().to_numpy(zero_copy_only=False).argmax())
        raise InputError("column {column} has no value in row {row}", name, column=quoted(field), row=row)
    return array


OFFSETS = {"string": np.int32, "binary": np.int32, "large_string": np.int64, "large_binary": np.int64}
"""How wide Arrow's offsets into text are."""


def _text(array: Any, field: str, name: str) -> tuple[Ints, NDArray[np.uint8]]:
    """The ends of the ids and their bytes, which are not copied where Arrow has plain strings."""
    if str(array.type) not in OFFSETS:
        array = _as_text(array, field, name)
    if not len(array):
        return np.zeros(1, np.int64), np.empty(0, np.uint8)
    _, offsets, data = array.buffers()
    width = np.dtype(OFFSETS[str(array.type)])
    ends = np.frombuffer(offsets, width, len(array) + 1, width.itemsize * array.offset)
    text = np.frombuffer(data, np.uint8) if data else np.empty(0, np.uint8)
    return np.subtract(ends, ends[0], dtype=np.int64), text[ends[0] : ends[-1]]


def _as_text(array: Any, field: str, name: str) -> pyarrow.Array:
    """String views, whole numbers and UUIDs as plain strings."""
    pyarrow = arrow(message("a DataFrame"), "frames")
    if str(array.type) == "binary_view":
        return array.cast("large_binary")
    if pyarrow.types.is_integer(array.type) or is_text(array.type):
        return array.cast("large_string")
    if str(array.type) == "extension<arrow.uuid>":
        return pyarrow.array(map(str, array.to_pylist()), "large_string")
    raise InputError(
        "column {column} holds {type}; ids are text or whole numbers: cast it to text, or 1.0 to the whole number "
        "1, as in the judgements",
        name,
        column=quoted(field),
        type=array.type,
    )


def is_text(kind: Any) -> bool:
    """Whether this Arrow type is text in any of its layouts."""
    return str(kind) in ("string", "large_string", "string_view")


def _numbers(array: Any, field: str, name: str) -> NDArray[np.float64]:
    pyarrow = arrow(message("a DataFrame"), "frames")
    kinds = pyarrow.types
    if not (kinds.is_integer(array.type) or kinds.is_floating(array.type) or kinds.is_decimal(array.type)):
        raise InputError(
            "column {column} holds {type}; it should hold numbers", name, column=quoted(field), type=array.type
        )
    if kinds.is_decimal(array.type):  # Arrow's own cast misses the nearest float of many
        array = array.cast(pyarrow.string())
        array = array.cast(pyarrow.float64(), safe=False)
    numbers: NDArray[np.float64] = np.from_dlpack(array).astype(np.float64, copy=False)
    return numbers
