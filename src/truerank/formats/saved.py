"""Files in Arrow's format: readings, as `truerank read` writes them, and any other tables (Feather, IPC).

Commands that evaluate take a reading in place of a run.
"""

from __future__ import annotations

import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO

from truerank.core.errors import InputError, arrow, first_line
from truerank.core.messages import message
from truerank.core.qrels import Qrels
from truerank.core.rules import Rules
from truerank.core.run import Batch
from truerank.core.saved import KEY, facts_of, qrels_of, undamaged
from truerank.formats import frames, records
from truerank.formats.registry import Format, register
from truerank.formats.source import Source
from truerank.formats.target import writing

if TYPE_CHECKING:
    import pyarrow


MAGIC = b"ARROW1"
"""How a file of Arrow begins."""

STREAM = b"\xff\xff\xff\xff"
"""How a stream of Arrow begins; then comes the length of its schema, a multiple of 8."""

LONGEST = 1 << 24
"""Bytes that a schema may have."""


def sniff(head: bytes, name: str) -> float:
    """Arrow's six letters, and a schema that says it is a reading."""
    return 1.0 if head.startswith(MAGIC) and KEY in head else 0.0


def sniff_table(head: bytes, name: str) -> float:
    """Arrow's six letters, or how its streams begin."""
    length = int.from_bytes(head[4:8], "little") if head.startswith(STREAM) else 0
    return 0.9 if head.startswith(MAGIC) or (0 < length < LONGEST and length % 8 == 0) else 0.0


def read_table(source: Source) -> pyarrow.Table:
    """The table of the reading in a file.

    Raises:
        InputError: it is not an Arrow file, or is damaged.
    """
    pa = arrow(message("reading {source}", source=source.name))
    with undamaged(source.name):
        data = pa.memory_map(os.fsencode(source.path)).read_buffer() if source.path else pa.py_buffer(source.read())
        start = pa.BufferReader(data)
        start.seek(8)  # Arrow's letters; what follows, up to the footer, is a stream
        with pa.ipc.open_stream(start) as stream:
            *batches, (_, seal) = stream.iter_batches_with_custom_metadata()
        if seal is None:
            facts_of(stream.schema, source.name)  # written by a version without checksums
        _refuse_damaged(data, start.tell(), seal)
        table = pa.Table.from_batches([batch for batch, _ in batches], stream.schema)
        table.validate(full=True)  # an offset outside of the file would crash the process
        return table


def _refuse_damaged(data: Any, end: int, seal: Any) -> None:
    """Raise where bytes are not those that were written.

    Args:
        end: where the footer begins.
        seal: what `write_reading` says of the bytes before it.
    """
    if seal is None:
        raise ValueError("there is no checksum, as Reading.save writes one")
    if zlib.crc32(data[: int(seal["bytes"])]) != int(seal["crc32"]):
        raise ValueError("the checksum is another")
    tail = bytes(data[-4 - len(MAGIC) :])
    if not tail.endswith(MAGIC) or end + int.from_bytes(tail[:4], "little") + len(tail) != len(data):
        raise ValueError("the end is another")


def rules_of(source: Source) -> Rules | None:
    """The rules of the reading in a source; None for anything else, or where there is nothing."""
    is_missing = source.is_local and not os.path.exists(source.name)
    if is_missing or source.is_folder or sniff(source.head, source.name) <= 0:
        return None
    rules: Rules = facts_of(read_table(source).schema, source.name)["rules"]
    return rules


def write_reading(table: pyarrow.Table, path: str | os.PathLike[str]) -> None:
    """Write the table of a reading."""
    pa = arrow(message("writing a reading"))
    with writing(path) as file, pa.ipc.new_file(counted := _Counted(file), table.schema) as out:
        out.write_table(table)
        seal = {"bytes": str(counted.bytes), "crc32": str(counted.crc32)}
        out.write_batch(pa.RecordBatch.from_pylist([], table.schema), custom_metadata=seal)


class _Counted(io.RawIOBase):
    """A file that counts the bytes written to it and computes their CRC-32."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__()
        self.file, self.bytes, self.crc32 = file, 0, 0

    def writable(self) -> bool:
        """Always; pyarrow asks before it writes."""
        return True

    def write(self, data: Any) -> int:
        """Write the bytes, and take them into the count and the checksum."""
        self.bytes, self.crc32 = self.bytes + len(data), zlib.crc32(data, self.crc32)
        return self.file.write(data)


def read_run(source: Source) -> Iterator[Batch]:
    """Raise: a reading is not a run any more, even if it kept all rows."""
    raise InputError(
        "this is a reading, which is no run any more; give the run that it was made of",
        source.name,
    )


def read_qrels(source: Source) -> Qrels:
    """The judgements that the run was read with.

    Raises:
        InputError: the judgements are of submitted lines.
    """
    table = read_table(source)
    if facts_of(table.schema, source.name)["rules"].unit == "line":
        raise InputError(
            "this reading has the judgements of the lines that were submitted, and of no other query: give the "
            "qrels that it was read with",
            source.name,
        )
    return qrels_of(table, source.name)


@contextmanager
def opened(source: Source) -> Iterator[pyarrow.RecordBatchReader]:
    """The batches of a table that another program wrote.

    Raises:
        InputError: it is damaged; also raised while the batches are read.
    """
    pa = arrow(message("reading {source}", source=source.name))
    reader = pa.ipc.open_file if source.head.startswith(MAGIC) else pa.ipc.open_stream
    try:
        # not memory-mapped: a file that is cut while it is read would crash the process
        with reader(pa.OSFile(os.fsencode(source.path)) if source.path else io.BytesIO(source.read())) as data:
            tuple(data.schema.names)  # a name may not be UTF-8
            yield pa.RecordBatchReader.from_batches(data.schema, _sound(data))
    except (pa.ArrowException, OSError, ValueError, LookupError) as error:  # bytes may be anything
        said = message("the Arrow data is damaged or cut short ({error})", error=first_line(error))
        raise InputError(said, source.name) from None


def _sound(data: Any) -> Iterator[pyarrow.RecordBatch]:
    """The batches, each checked: offsets outside of its bytes would crash the process."""
    many = getattr(data, "num_record_batches", None)
    for batch in data if many is None else map(data.get_batch, range(many)):
        batch.validate(full=True)
        yield batch


def table_holds(source: Source) -> str | None:
    """What a table holds, as the names of its columns tell."""
    with opened(source) as table:
        return records.held(table.schema.names)


def read_table_run(source: Source) -> Iterator[Batch]:
    """Many rows at a time."""
    with opened(source) as table:
        yield from frames.run_parts(table, source.name)


def read_table_qrels(source: Source) -> Qrels:
    """All judgements."""
    with opened(source) as table:
        return frames.qrels_from_frame(table, source.name)


register(
    Format(
        "arrow",
        message("Arrow's files and streams, which are Feather too: columns as of parquet"),
        sniff_table,
        table_holds,
        read_run=read_table_run,
        read_qrels=read_table_qrels,
    )
)
register(
    Format(
        "reading",
        message("a run, read once against its qrels: what `truerank read` and `truerank merge` write"),
        sniff,
        suffixes=(".arrow",),
        read_run=read_run,
        read_qrels=read_qrels,
        read_saved=read_table,
    )
)
