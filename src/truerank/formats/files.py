"""Several files as one run: a folder, a glob, a list of paths, a table with a log; in the order of their names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

import numpy as np

from truerank.core.errors import InputError, truncated
from truerank.core.faults import TOGETHER
from truerank.core.kernel.scanning import as_bytes
from truerank.core.messages import message
from truerank.core.run import Batch, Piece, Ranked, Run
from truerank.formats.registry import Format, chosen, register, run_of
from truerank.formats.source import MARK, Source

NAME = "files"

PACKED = 1 << 10
"""Bytes that nothing takes up at most, compressed and with a name; longer files need not be looked into."""


def sniff(head: bytes, name: str) -> float:
    """A folder with any file, or a glob; a folder of JSON files may also be one of neighbours."""
    source = Source(name)
    if not source.is_folder:
        return 0.0
    from truerank.formats.neighbours import has_lists

    return 0.4 if not has_lists(name) and next(_found(name), None) else 0.0


def data_files(source: Source) -> list[Source]:
    """The files of a folder or a glob; for a table of Delta or Iceberg its current files.

    Raises:
        InputError: there are none, or a table's files do not hold its rows unchanged.
    """
    from truerank.formats import lakes

    logged = lakes.files(source.name)
    names = _found(source.name) if logged is None else logged
    files = [Source(name, watch=source.watch) for name in sorted(set(names))]  # ** finds folders too
    if not files:
        raise InputError("there is no file in it", source.name)
    return files


def _found(name: str) -> Iterator[str]:
    """The files of data below a folder, or that a glob matches."""
    import glob

    for root in [name] if os.path.isdir(name) else glob.glob(name, recursive=True):
        if not os.path.isdir(root):
            yield root
        for folder, folders, files in os.walk(root):
            folders[:] = filter(is_data, folders)
            yield from (os.path.join(folder, part) for part in filter(is_data, files))


def matching(pattern: str) -> list[str]:
    """The files that a pattern matches, in order; a file, or a name that is no pattern, stands for itself."""
    import glob

    return [pattern] if os.path.exists(pattern) or not glob.has_magic(pattern) else sorted(glob.glob(pattern))


def is_data(name: str) -> bool:
    """Whether a file or folder of this name is data: not hidden, and not an engine's own, such as _SUCCESS."""
    return not name.startswith((".", "_"))


def runs(source: Source, format: str | None = None) -> list[Run]:
    """The run in each file; all are in the format of the first."""
    return runs_of(data_files(source), format)


def runs_of(sources: Sequence[Source], format: str | None) -> list[Run]:
    """The run in each of these files, except empty ones, which engines write for partitions without rows."""
    filled = [source for source in sources if not is_empty(source)] or sources[:1]
    reader = chosen(filled[0], "run", format)
    return [run_of(source, reader) for source in filled]


def is_empty(source: Source) -> bool:
    """Whether a local file is empty, or compressed and unpacks to nothing."""
    return os.path.isfile(source.name) and os.path.getsize(source.name) < PACKED and not source.head


def joined(parts: Sequence[Run], name: str) -> Run:
    """Files as one run."""
    return Run(name, lambda: _batches(parts), pieces=partial(_cut, parts), files=lambda: parts)


def _batches(parts: Iterable[Run]) -> Iterator[Batch]:
    """The batches of the files in turn, text with a final line end; raise where two files list a query."""
    listed: dict[tuple[bytes, int | None], str] = {}
    for part in parts:
        end = b"\n"
        for number, batch in enumerate(part.batches()):
            if isinstance(batch, bytes):
                batch = batch if number else batch.removeprefix(MARK)
                end = batch[-1:] or end
            elif isinstance(batch, Ranked):
                key = as_bytes(batch.query), batch.call
                _refuse_second(batch, part.name, listed.setdefault(key, part.name))
            yield batch
        if end != b"\n":
            yield b"\n"


def _refuse_second(list: Ranked, path: str, first: str) -> None:
    if first != path:
        query = truncated(as_bytes(list.query))
        said = message(
            "query {query} comes twice, in {path} too ({together}); keep one of them",
            query=query,
            path=first,
            together=TOGETHER,
        )
        raise InputError(said, path, list.line)


def _cut(parts: Sequence[Run], threads: int) -> list[Piece]:
    """Groups of files, about as many bytes for each thread; where there are few, the files themselves are cut."""
    cuts = [part.pieces(-(-threads // len(parts))) or (part.batches,) for part in parts]
    weights = [_size(part) / len(cut) for part, cut in zip(parts, cuts, strict=True) for _ in cut]
    pieces = [Run(part.name, piece) for part, cut in zip(parts, cuts, strict=True) for piece in cut]
    middle = np.cumsum(weights) - np.array(weights) / 2
    group = np.minimum(middle * threads // max(sum(weights), 1), threads - 1).astype(int).tolist()
    groups = [[piece for piece, of in zip(pieces, group, strict=True) if of == i] for i in range(threads)]
    return [partial(_batches, each) for each in groups if each]


def _size(part: Run) -> int:
    """The size of a file; 1 for one that is not local."""
    return os.path.getsize(part.name) if os.path.isfile(part.name) else 1


def configured(*, format: str | None = None) -> Format:
    """The format for files in the format of this name."""

    def read_run(source: Source) -> Iterator[Batch]:
        return joined(runs(source, format), source.name).batches()

    return Format(
        NAME,
        message("a folder of files, or what a glob matches, as one run; files(format='jsonl') says what they are"),
        sniff,
        lambda source: "run",
        read_run=read_run,
        is_folder=True,
        options=configured,
        cut_run=lambda source, threads: _cut(runs(source, format), threads),
        files=partial(runs, format=format),
    )


register(configured())
