"""The files of a run: a file, a folder, a pattern or several, here or wherever fsspec reads."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from typing import Any

from truerank.core.errors import InputError, MissingPackage
from truerank.core.messages import message
from truerank.formats import formats
from truerank.formats.files import NAME as FILES

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


def files(paths: Paths) -> list[str]:
    """The files that paths name, in order; those in a folder whose names begin with _ or . are no data.

    Raises:
        InputError: there is none, or a folder is a table with a log, which says what files count.
    """
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    found = [file for path in given for file in _of(os.fspath(path))]
    if not found:
        raise InputError("there is no run in it")
    return found


def _of(path: str) -> list[str]:
    if "://" in path:
        return _remote(path)
    path = os.path.abspath(path)  # executors work in folders of their own
    if os.path.isdir(path):
        return _folder(path)
    if not glob.has_magic(path) or os.path.exists(path):
        return [path]
    return _some(sorted(glob.glob(path, recursive=True)), path)


def _folder(path: str) -> list[str]:
    """The files in a folder; itself, if it is a format of its own."""
    whole = (format for format in formats().values() if format.is_folder and format.name != FILES)
    if any(format.sniff(b"", path) > 0 for format in whole):
        return [path]
    inside = [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]
    return _some(_data(inside, path), path)


def _remote(url: str) -> list[str]:
    try:
        import fsspec
    except ModuleNotFoundError:
        raise MissingPackage(message("reading {url}", url=url), "remote") from None
    if url.startswith(("http://", "https://")):
        return [url]
    system: Any
    system, path = fsspec.core.url_to_fs(url)
    if glob.has_magic(path):
        inside = sorted(system.glob(path))
    else:
        inside = _data(system.find(path), path) if system.isdir(path) else [path]
    return _some([system.unstrip_protocol(name) for name in inside], url)


def _data(files: Iterable[str], folder: str) -> list[str]:
    """The files that are data, in order."""
    parts = {file: os.path.relpath(file, folder).split(os.sep) for file in files}
    if kind := next(filter(None, map(_table, parts.values())), None):
        raise InputError(
            "this is a table of {kind}, whose files may hold rows that no longer count: give the DataFrame "
            "that Spark reads of it",
            folder,
            kind=kind,
        )
    return sorted(file for file, inside in parts.items() if not any(name.startswith(("_", ".")) for name in inside))


def _some(found: list[str], path: str) -> list[str]:
    if not found:
        raise InputError("there is no file in it, or none that is called so", path)
    return found


def _table(inside: list[str]) -> str | None:
    """The kind of table that a file in a folder is the log of."""
    if inside[0] == "_delta_log":
        return "Delta Lake"
    return "Iceberg" if inside[0] == "metadata" and inside[-1].endswith(".metadata.json") else None
