"""Readings as files: what `truerank read` writes, in Arrow's format. Commands that evaluate take them as runs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING

from truerank.core.errors import InputError
from truerank.core.qrels import Qrels
from truerank.core.rules import Rules
from truerank.core.run import Batch
from truerank.core.saved import KEY, arrow, facts_of, qrels_of, undamaged
from truerank.formats.registry import Format, register
from truerank.formats.source import Source, as_source
from truerank.formats.target import writing

if TYPE_CHECKING:
    import pyarrow


def sniff(head: bytes, name: str) -> float:
    """Arrow's six letters, and a schema that says so."""
    return 1.0 if head.startswith(b"ARROW1") and KEY in head else 0.0


def read_table(source: Source) -> pyarrow.Table:
    """The table in a file.

    Raises:
        InputError: it is no file of Arrow, or is damaged.
    """
    pa = arrow(f"reading {source.name}")
    with undamaged(source.name):
        with pa.ipc.open_file(pa.memory_map(str(source.path)) if source.path else BytesIO(source.read())) as file:
            table = file.read_all()
        table.validate(full=True)  # what points outside of the file would end the process
        return table


def rules_of(path: str) -> Rules | None:
    """Under which rules the reading in a local file was made; None for any other file."""
    source = Source(path)
    if not os.path.isfile(path) or sniff(source.head, path) <= 0:
        return None
    rules: Rules = facts_of(read_table(source).schema, path)["rules"]
    return rules


def open_reading(path: str | os.PathLike[str]) -> pyarrow.Table:
    """The table of the reading in a file."""
    return read_table(as_source(path))


def write_reading(table: pyarrow.Table, path: str | os.PathLike[str]) -> None:
    """Write the table of a reading."""
    pa = arrow("writing a reading")
    with writing(path) as file, pa.ipc.new_file(file, table.schema) as out:
        out.write_table(table)


def read_run(source: Source) -> Iterator[Batch]:
    """Nothing: a reading is no run any more, even if it kept all rows."""
    raise InputError(
        "this is a reading, which is no run any more; give the run that it was made of",
        source.name,
    )


def read_qrels(source: Source) -> Qrels:
    """The judgements that the run was read with."""
    return qrels_of(read_table(source), source.name)


register(
    Format(
        "reading",
        "a run, read once against its qrels: what `truerank read` and `truerank merge` write",
        sniff,
        suffixes=(".arrow",),
        read_run=read_run,
        read_qrels=read_qrels,
        read_saved=read_table,
    )
)
