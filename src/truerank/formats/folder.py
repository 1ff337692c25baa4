"""A folder with one JSON file per query as a run, as scripts around FAISS write: its neighbours, best first."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from typing import Any

from truerank.core.errors import InputError, quoted
from truerank.core.messages import message
from truerank.core.run import Batch
from truerank.formats import names
from truerank.formats.registry import Format, register
from truerank.formats.source import Source

NAME = "faiss-folder"


def sniff(head: bytes, name: str) -> float:
    """A folder that has JSON files."""
    if not os.path.isdir(name):
        return 0.0
    from truerank.formats import neighbours

    return 0.5 * neighbours.has_lists(name)


def read_run(source: Source, **options: Any) -> Iterator[Batch]:
    """The neighbours in each file; the file's name has the query's id."""
    from truerank.formats import neighbours

    yield from neighbours.folder_run(source.name, watch=source.watch, **options).batches()


def configured(
    *,
    pattern: str = names.PATTERN,
    name: str = names.NAME,
    better: str | None = None,
    others: str = "refuse",
) -> Format:
    """The format with options.

    Args:
        pattern, name: where a file's name has the query's id, and what the query is then called.
        better: "lower", "higher" or "order", instead of what the value's key says.
        others: "skip" files whose names have no query's id; by default they are refused.
    """
    for option, value in {"pattern": pattern, "name": name, "better": better or ""}.items():
        if not isinstance(value, str):
            raise InputError(
                "{option} of {name} is text, not {value}", option=option, name=NAME, value=quoted(value)
            )
    if others not in ("refuse", "skip"):
        raise InputError("others of {name} is refuse or skip, not {others}", name=NAME, others=quoted(others))
    read = partial(read_run, pattern=pattern, name=name, better=better, is_skipping=others == "skip")
    return Format(
        NAME,
        message(
            "a folder with a JSON file of neighbours a query, whose name has the query's id; "
            "otherwise faiss-folder(pattern='q(\\d+)', name='{}', better='higher')"
        ),
        sniff,
        holds=lambda source: "run",
        read_run=read,
        is_folder=True,
        options=configured,
    )


register(configured())
