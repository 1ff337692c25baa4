"""Where bytes come from: a file (plain or compressed), standard input, a URL. Opened anew for every reading."""

from __future__ import annotations

import io
import os
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

from truerank.errors import InputError, MissingPackage
from truerank.run import CHUNK

HEAD = 1 << 16

MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bzip2"}


@dataclass(frozen=True)
class Source:
    """A file, "-" for standard input, or a URL that fsspec knows.

    Attributes:
        name: as it was given; for messages.
    """

    name: str

    @property
    def path(self) -> Path | None:
        """The local plain file behind this, which may be read in pieces; None for anything else."""
        if self.is_remote or self.name == "-" or self.compression:
            return None
        path = Path(self.name)
        return path if path.is_file() else None

    @property
    def is_remote(self) -> bool:
        """Whether the name is a URL."""
        return "://" in self.name

    @property
    def compression(self) -> str | None:
        """gzip, zstd, bzip2 or None, by the first bytes."""
        with self._raw() as file:
            start = file.read(4)
        return next((kind for magic, kind in MAGIC.items() if start.startswith(magic)), None)

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """The bytes, decompressed."""
        kind = self.compression
        with self._raw() as raw, _decompressed(raw, kind) as file:
            try:
                yield file
            except (EOFError, OSError, zlib.error) as error:
                raise self._damaged(kind, error) from None
            except Exception as error:
                if type(error).__name__ != "ZstdError":
                    raise
                raise self._damaged(kind, error) from None

    def chunks(self) -> Iterator[bytes]:
        """The bytes, decompressed, a piece at a time."""
        with self.open() as file:
            while chunk := file.read(CHUNK):
                yield chunk

    def head(self) -> bytes:
        """The first bytes, decompressed."""
        with self.open() as file:
            return file.read(HEAD)

    def read(self) -> bytes:
        """All bytes, decompressed."""
        return b"".join(self.chunks())

    def _damaged(self, kind: str | None, error: Exception) -> InputError:
        why = f"the {kind} data is damaged or cut short" if kind else f"cannot be read: {error}"
        return InputError(why, self.name)

    @contextmanager
    def _raw(self) -> Iterator[IO[bytes]]:
        if self.name == "-":
            file = _standard_input()
            file.seek(0)
            yield file
        elif self.is_remote:
            with _remote(self.name) as file:
                yield file
        else:
            with self._local() as file:
                yield file

    def _local(self) -> IO[bytes]:
        try:
            return open(self.name, "rb", buffering=CHUNK)
        except FileNotFoundError:
            raise InputError("there is no such file", self.name) from None
        except IsADirectoryError:
            raise InputError("this is a directory, not a file", self.name) from None
        except (OSError, ValueError) as error:
            raise InputError(f"cannot be opened: {getattr(error, 'strerror', None) or error}", self.name) from None


@lru_cache(maxsize=1)
def _standard_input() -> IO[bytes]:
    """Standard input as a file that can be read again: itself, or a temporary copy of a pipe."""
    if sys.stdin.buffer.seekable():
        return sys.stdin.buffer
    copy = tempfile.SpooledTemporaryFile(max_size=1 << 26)  # noqa: SIM115 (lives as long as the process)
    shutil.copyfileobj(sys.stdin.buffer, copy, CHUNK)
    return copy


def _remote(url: str) -> Any:
    try:
        import fsspec
    except ModuleNotFoundError:
        raise MissingPackage(f"reading {url}", "remote") from None
    try:
        return fsspec.open(url, "rb").open()
    except (OSError, ValueError, ImportError) as error:
        raise InputError(f"cannot be opened: {error}", url) from None


@contextmanager
def _decompressed(raw: IO[bytes], kind: str | None) -> Iterator[IO[bytes]]:
    if kind is None:
        yield raw
    elif kind == "gzip":
        import gzip

        with gzip.GzipFile(fileobj=raw) as file:
            yield file  # type: ignore[misc]
    elif kind == "bzip2":
        import bz2

        with bz2.BZ2File(raw) as file:
            yield file
    else:
        with _zstd(raw) as file:
            yield file


def _zstd(raw: IO[bytes]) -> Any:
    try:
        import zstandard
    except ModuleNotFoundError:
        raise MissingPackage("reading .zst files", "zstd") from None
    return io.BufferedReader(zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True), CHUNK)


def as_source(path: str | os.PathLike[str]) -> Source:
    """The source that a path or URL names."""
    return Source(os.fspath(path))
