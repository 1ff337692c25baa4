"""The files of a run: a file, a folder, a pattern, or several of these, local or anywhere that fsspec reads."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from glob import has_magic
from typing import Any

from truerank.core.errors import InputError, needs, quoted
from truerank.core.messages import message
from truerank.core.run import Piece, Run
from truerank.formats import formats, open_run
from truerank.formats.files import NAME as FILES
from truerank.formats.files import data_files, is_data, is_empty
from truerank.formats.source import METADATA, Source, is_http, local

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


@dataclass(frozen=True)
class Stretch:
    """What a task reads: a file, or a piece of one.

    Attributes:
        batches: opens the piece; None for the whole file.
    """

    path: str
    batches: Piece | None = None

    def run(self, format: str | None) -> Run:
        """The run in it."""
        return open_run(self.path, format) if self.batches is None else Run(self.path, self.batches)


def stretches(file: str, format: str | None, size: int) -> list[Stretch]:
    """A file; or, if it is long and can be cut, its pieces of about `size` bytes, each beginning with a query."""
    pieces = -(-_size(file) // size)
    cut = open_run(file, format).pieces(pieces) if pieces > 1 else ()
    return [Stretch(file, piece) for piece in cut] if len(cut) > 1 else [Stretch(file)]


def _size(file: str) -> int:
    """The size of a file in bytes; 0 where it is not known."""
    if "://" not in file:
        return os.path.getsize(file) if os.path.isfile(file) else 0
    import fsspec

    with suppress(OSError, ValueError):  # the task that reads it says what is wrong
        system, path = fsspec.core.url_to_fs(file)
        return system.size(path) or 0
    return 0


def files(paths: Paths) -> list[str]:
    """The files that paths name, in order; in folders, files whose names begin with _ or . are skipped.

    Raises:
        InputError: there is no file, something other than paths is given, or a folder is a table with a log, which
            is not read here.
    """
    given: list[Any] = [paths]
    if isinstance(paths, Iterable) and not (isinstance(paths, str | Mapping) or hasattr(paths, "columns")):
        given = list(paths)
    if not all(isinstance(path, str | os.PathLike) for path in given):
        raise InputError("a run on Spark is paths of files, or a DataFrame of Spark, not {run}", run=quoted(paths))
    files = [file for path in given for file in _of(os.fspath(path))]
    if not files:
        raise InputError("there is no run in it")
    return [file for file in files if not is_empty(Source(file))] or files[:1]


def _of(name: str) -> list[str]:
    path = local(name)
    if "://" in path:
        return _remote(path)
    source = Source(os.path.abspath(path))  # executors have other working folders
    if not source.is_folder or _is_whole(source.name):
        return [source.name]
    return [file.name for file in data_files(source)]


def _is_whole(folder: str) -> bool:
    """Whether a folder is, as a whole, in some format."""
    whole = (format for format in formats().values() if format.is_folder and format.name != FILES)
    return any(format.sniff(b"", folder) > 0 for format in whole)


def _remote(url: str) -> list[str]:
    with needs(message("reading {url}", url=url), "remote"):
        import fsspec
    if is_http(url):
        return [url]
    system: Any
    system, path = fsspec.core.url_to_fs(url)
    if has_magic(path):
        inside = sorted(system.glob(path))
    else:
        inside = _data(system.find(path), path) if system.isdir(path) else [path]
    if not inside:
        raise InputError("there is no file in it", url)
    return [system.unstrip_protocol(name) for name in inside]


def _data(files: Iterable[str], folder: str) -> list[str]:
    """The data files below a remote folder, in order."""
    parts = {file: os.path.relpath(file, folder).split(os.sep) for file in files}
    if kind := next(filter(None, map(_table, parts.values())), None):
        raise InputError(
            "this is a table of {kind}, whose files may hold rows that no longer count: give the DataFrame "
            "that Spark reads of it",
            folder,
            kind=kind,
        )
    return sorted(file for file, inside in parts.items() if all(map(is_data, inside)))


def _table(inside: list[str]) -> str | None:
    """The kind of table that a file in a folder is the log of."""
    if inside[0] == "_delta_log":
        return "Delta Lake"
    return "Iceberg" if inside[0] == "metadata" and inside[-1].endswith(METADATA) else None
