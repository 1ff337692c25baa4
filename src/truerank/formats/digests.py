"""Files as they can be identified later: a name, a size and the SHA-256 of each."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from truerank.formats.files import data_files
from truerank.formats.source import as_source


@dataclass(frozen=True)
class Input:
    """A file that was read.

    Attributes:
        name: as much of its path as tells it apart from the others.
        bytes: its size; None for a pipe, which is gone once it was read.
        digest: its SHA-256.
    """

    name: str
    bytes: int | None
    digest: str | None


def told_apart(paths: Sequence[str]) -> list[str]:
    """For each path as few of its last parts as tell it apart from the others.

    >>> told_apart(["runs/a/one.run", "runs/b/one.run", "two.run", "-"])
    ['a/one.run', 'b/one.run', 'two.run', '-']
    """
    parts = {path: _parts(path) for path in paths}
    return [_least(parts[path], [other for other in parts.values() if other != parts[path]]) for path in paths]


def _parts(path: str) -> list[str]:
    """The parts of a path; standard input and a URL stay whole."""
    if path == "-" or "://" in path:
        return [path]
    return [part for part in os.path.abspath(path).split(os.sep) if part]


def _least(parts: list[str], others: list[list[str]]) -> str:
    counts = range(1, len(parts) + 1)
    enough = (n for n in counts if all(other[-n:] != parts[-n:] for other in others))
    return "/".join(parts[-next(enough, len(parts)) :])


def inputs(paths: Iterable[str | os.PathLike[str]]) -> tuple[Input, ...]:
    """The files with their SHA-256; that of a folder is of its files' sorted names and hashes."""
    files = list(dict.fromkeys(os.fspath(path) for path in paths))
    return tuple(_input(path, name) for path, name in zip(files, told_apart(files), strict=True))


def _input(path: str, name: str) -> Input:
    if os.path.exists(path) and stat.S_ISFIFO(os.stat(path).st_mode):
        return Input(name, None, None)
    source = as_source(path)
    if not source.is_folder:
        size, digest = _digest(path)
        return Input(name, size, digest)
    is_directory = os.path.isdir(path)
    files = Path(path).rglob("*") if is_directory else (Path(each.name) for each in data_files(source))
    whole, total = hashlib.sha256(), 0
    for file in sorted(part for part in files if part.is_file()):
        size, digest = _digest(os.fspath(file))
        total += size
        called = file.relative_to(path) if is_directory else file
        whole.update(f"{digest}  {called.as_posix()}\n".encode("utf-8", "surrogateescape"))
    return Input(name + "/" if is_directory else name, total, whole.hexdigest())


def _digest(path: str) -> tuple[int, str]:
    state, size = hashlib.sha256(), 0
    with as_source(path).raw() as file:
        while chunk := file.read(1 << 20):
            state.update(chunk)
            size += len(chunk)
    return size, state.hexdigest()
