"""Where bytes come from: a file (plain or compressed), standard input, a URL. Opened anew each time it is read."""

from __future__ import annotations

import io
import itertools
import os
import stat
import sys
import weakref
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import IO, Any

from truerank.core.errors import InputError, MissingPackage, quoted
from truerank.core.kernel.names import line_ends
from truerank.core.messages import message
from truerank.core.run import Progress, unreported, unwatched, watching
from truerank.formats.compression import CHUNK, Codec, Damaged, ahead, codec_of, unpacked

MARK = b"\xef\xbb\xbf"
"""What some editors put before UTF-8 text."""

HEAD = 1 << 16
"""Bytes that a format is sniffed from."""

BLOCK = 1 << 20
"""Bytes of whole lines that are worked on at once."""

METADATA = ".metadata.json"
"""How the names of files end that describe a table of Iceberg."""

PATIENCE = 300
"""Seconds that a web server may take to answer, and be silent; all of a file takes as long as it takes."""

IN_MEMORY = 1 << 26
"""A copy of a pipe up to this long stays in memory."""


@dataclass(frozen=True)
class Source:
    """A file, "-" for standard input, or a URL that fsspec knows.

    Attributes:
        name: as it was given; for messages.
        watch: called with the number of (compressed) bytes that `chunks` has just read, for a progress bar.
    """

    name: str
    watch: Callable[[int], None] = field(default=unwatched, repr=False, compare=False, kw_only=True)

    def __fspath__(self) -> str:
        return self.name

    @property
    def path(self) -> str | None:
        """The local plain file behind this, which may be read in pieces; None for anything else."""
        return self.name if self.is_local and os.path.isfile(self.name) and not self.is_compressed else None

    @property
    def is_folder(self) -> bool:
        """Whether this is a local folder, a glob of local files, or a table's metadata that names them."""
        if not self.is_local:
            return False
        if self.name.endswith(METADATA):
            return True
        if os.path.exists(self.name):
            return os.path.isdir(self.name)
        from glob import has_magic  # most files exist, so this is rarely needed

        return has_magic(self.name)

    @property
    def is_local(self) -> bool:
        """Whether the name is a path: neither standard input nor a URL."""
        return self.name != "-" and not self.is_remote

    @property
    def is_remote(self) -> bool:
        """Whether the name is a URL."""
        return "://" in self.name

    @cached_property
    def is_ranged(self) -> bool:
        """Whether this is a URL from which any part can be requested; some web servers only send the whole."""
        if not is_http(self.name):
            return self.is_remote
        with self._open(anywhere=True) as file:
            try:
                file.seek(-1, os.SEEK_END)
                return len(file.read(1)) == 1
            except self._faults:
                return False

    @cached_property
    def is_compressed(self) -> bool:
        """Whether the first bytes are those of gzip, zstd, bzip2 or xz."""
        with self.raw() as file:
            return codec_of(file.read(16)) is not None

    @property
    def _faults(self) -> tuple[type[Exception], ...]:
        """The errors that opening and reading may raise; for a URL, any."""
        return (Exception,) if self.is_remote else (OSError, ValueError)

    @cached_property
    def head(self) -> bytes:
        """The first bytes, decompressed, without a byte order mark."""
        head = b""
        with closing(self._chunks(in_background=False)) as chunks:
            for chunk in chunks:
                head += chunk
                if len(head) >= HEAD:
                    break
        return head[:HEAD].removeprefix(MARK)

    def refuse_empty(self) -> None:
        """Raise for a file with only white space in its first bytes.

        Raises:
            InputError: it is such a file.
        """
        if not self.head.strip():
            raise InputError("the file is empty", self.name)

    def chunks(self) -> Iterator[bytes]:
        """The bytes, decompressed (by another thread), one piece at a time."""
        return self._chunks(in_background=True)

    def read(self) -> bytes:
        """All bytes, decompressed."""
        return b"".join(self.chunks())

    def text(self) -> bytes:
        """All bytes, decompressed, without a byte order mark.

        Raises:
            InputError: there is a NUL byte in it.
        """
        text = self.read().removeprefix(MARK)
        self._refuse_binary(text, 1)
        return text

    def blocks(self, longest: int = 1 << 20) -> Iterator[tuple[int, bytes]]:
        """Whole lines, many at a time, with the number of the first line; without a byte order mark.

        Raises:
            InputError: a line is longer than `longest` bytes, or holds a NUL byte.
        """
        for line, block in self._blocks(longest):
            self._refuse_binary(block, line)
            yield line, block

    def _refuse_binary(self, text: bytes, line: int) -> None:
        """Raise where a text that begins in this line holds a NUL byte."""
        if (zero := text.find(b"\0")) >= 0:
            where = line + text.count(b"\n", 0, zero)
            raise InputError("this line holds a NUL byte: the file is binary or damaged", self.name, where)

    def _blocks(self, longest: int) -> Iterator[tuple[int, bytes]]:
        line, size = 1, 0
        whole, rest = list[bytes | memoryview](), list[bytes]()  # lines, and the beginning of the next one
        for chunk in self.chunks():
            piece = chunk if size or line > 1 else chunk.removeprefix(MARK)
            size += len(piece)
            if cut := piece.rfind(b"\n") + 1:
                whole += [*rest, memoryview(piece)[:cut]]
                rest.clear()
            rest.append(piece[cut:])
            if whole and size >= BLOCK:
                block = b"".join(whole)
                yield line, block
                line, size = line + line_ends(block), size - len(block)
                whole.clear()
            elif sum(map(len, rest)) > longest:
                start = line + sum(map(line_ends, whole))
                raise InputError(
                    "this line is too long: the file is binary, or not in this format", self.name, start
                )
        if block := b"".join([*whole, *rest]):
            yield line, block if block.endswith(b"\n") else block + b"\n"

    @contextmanager
    def raw(self) -> Iterator[IO[bytes]]:
        """The file as it is, compressed or not, at its start; from a web server it can only be read in order."""
        if self.name == "-":
            if sys.stdin is None:  # the shell's <&-
                raise InputError("standard input is closed")
            file = _seekable(sys.stdin.buffer)
            file.seek(0)
            yield file
        elif self._is_pipe:
            self._copy.seek(0)
            yield self._copy
        else:
            with self._opened() as file:
                yield file

    @contextmanager
    def anywhere(self) -> Iterator[IO[bytes]]:
        """The file as it is, seekable; a copy where a web server only sends the whole."""
        if not self.is_remote:
            with self.raw() as file:
                yield file
        elif self.is_ranged:
            with self._open(anywhere=True) as file:
                yield file
        else:
            self._copy.seek(0)
            yield self._copy

    def _chunks(self, in_background: bool) -> Generator[bytes, None, None]:
        with self.raw() as file:
            data = self._all(file, self._watched if in_background else self._read)
            first = next(data, b"")
            data = itertools.chain([first] if first else [], data)
            codec = codec_of(first)
            if codec is None:
                yield from data
                return
            try:
                yield from _begun(_by_threads(codec, data) if in_background else unpacked(codec, data))
            except Damaged as error:
                raise InputError(error.args[0], self.name) from None

    def part(self, start: int, end: int, length: int) -> Iterator[bytes]:
        """The bytes of a plain file from one offset to another.

        Args:
            length: of the whole file, in bytes, when the offsets were found.

        Raises:
            InputError: it is longer or shorter now.
        """
        with self._opened() as file:
            file.seek(start)
            while start < end and (chunk := self._read(file, min(CHUNK, end - start))):
                yield chunk
                start += len(chunk)
            self._refuse_changed(length, _length(file), start == end)

    def _all(self, file: IO[bytes], read: Callable[[IO[bytes]], bytes]) -> Iterator[bytes]:
        """The bytes of a file; raise where its length changes meanwhile."""
        length, size = _length(file), 0
        while chunk := read(file):
            yield chunk
            size += len(chunk)
        self._refuse_changed(length, _length(file), size >= length)

    def _refuse_changed(self, before: int, after: int, is_whole: bool) -> None:
        if before != after or not is_whole:
            raise InputError(
                "the file changed while it was read ({before:,} bytes, then {after:,}): read it when it is "
                "complete, or read a copy",
                self.name,
                before=before,
                after=after,
            )

    def _read(self, file: IO[bytes], most: int | None = None) -> bytes:
        try:
            return file.read(most or CHUNK)
        except self._faults as error:
            raise InputError("cannot be read: {why}", self.name, why=_why(error)) from None

    def _watched(self, file: IO[bytes]) -> bytes:
        chunk = self._read(file)
        self.watch(len(chunk))
        return chunk

    def _opened(self) -> IO[bytes]:
        return self._open(anywhere=False)

    def _open(self, anywhere: bool) -> IO[bytes]:
        try:
            return _remote(self.name, anywhere) if self.is_remote else open(self.name, "rb", buffering=0)
        except FileNotFoundError:
            if is_http(self.name):
                raise InputError("there is no such file, or nobody answers", self.name) from None
            self._refuse_text()
            raise InputError("there is no such file", self.name) from None
        except IsADirectoryError:
            raise InputError("this is a directory, not a file", self.name) from None
        except MissingPackage:
            raise
        except self._faults as error:
            self._refuse_text()
            raise InputError("cannot be opened: {why}", self.name, why=_why(error)) from None

    def _refuse_text(self) -> None:
        """Raise where a text of lines, maybe millions, was given in place of a path."""
        if "\n" in self.name:
            raise InputError("this is the text of a file: give its path, not {text}", text=quoted(self.name))

    @cached_property
    def _is_pipe(self) -> bool:
        """Whether this is a named pipe, such as the shell's <(command), which can be read only once."""
        try:
            mode = 0 if self.is_remote else os.stat(self.name).st_mode
        except (OSError, ValueError):
            return False
        return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)

    @cached_property
    def _copy(self) -> IO[bytes]:
        with self._opened() as pipe:
            return self.spooled(pipe, self)

    def spooled(self, pipe: IO[bytes], owner: object) -> IO[bytes]:
        """A copy of a pipe that can be read again; it is closed when its owner is garbage-collected.

        Raises:
            InputError: the pipe cannot be read, or there is no room for the copy.
        """
        import tempfile

        copy = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115
        weakref.finalize(owner, copy.close)
        try:
            for chunk in iter(lambda: self._read(pipe), b""):
                copy.write(chunk)
        except OSError as error:
            raise InputError(
                "it comes only once, and there is no room on disk for a copy that is read again ({why}); set "
                "TMPDIR to a folder with as much room, or give a file",
                self.name,
                why=_why(error),
            ) from None
        return copy


@lru_cache(maxsize=1)
def _seekable(file: IO[bytes]) -> IO[bytes]:
    return file if file.seekable() else Source("-").spooled(file, file)


def _length(file: IO[bytes]) -> int:
    """The current length of an open file in bytes; 0 for a pipe, a URL or a copy of these, which have none."""
    return os.fstat(file.fileno()).st_size if isinstance(file, io.FileIO) else 0


def _by_threads(codec: Codec, data: Iterator[bytes]) -> Iterator[bytes]:
    from truerank.formats.parallel import unpacked_by_threads  # plain files do not need it

    return ahead(unpacked_by_threads(codec, data))


def _begun(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The same, whose first piece is long enough for a byte order mark, however short the first members are."""
    start = b""
    for chunk in chunks:
        start += chunk
        if len(start) >= len(MARK):
            break
    yield start
    yield from chunks


def _why(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error or type(error).__name__)


def _remote(url: str, anywhere: bool) -> Any:
    """A URL, opened; on a web server in one request unless it must be seekable, as not all servers send parts."""
    try:
        import fsspec

        if anywhere or not is_http(url):
            opened = fsspec.open(url, "rb")
            file: Any = opened.open()
            weakref.finalize(file, id, opened.fs)  # kept alive: zip:// and tar:// close their files when they go
            return file
        from aiohttp import ClientTimeout

        patience = {"timeout": ClientTimeout(total=None, sock_connect=PATIENCE, sock_read=PATIENCE)}
        file = fsspec.open(url, "rb", block_size=0, client_kwargs=patience).open()
        return io.BufferedReader(file, CHUNK)  # it returns as much as is asked for, however little arrives at once
    except ImportError as error:  # for other schemes, fsspec says which package is needed: s3fs, gcsfs, …
        if error.name == "fsspec" or is_http(url):
            raise MissingPackage(message("reading {url}", url=url), "remote") from None
        raise


def is_http(url: str) -> bool:
    """Whether this is a URL of a web server."""
    return url.startswith(("http://", "https://"))


def as_source(path: str | os.PathLike[str]) -> Source:
    """The source of a path or URL; a source is returned as it is, so that a pipe is read once."""
    return path if isinstance(path, Source) else Source(local(os.fspath(path)))


def local(name: str) -> str:
    """A local path, also as table catalogs and Hadoop write it: file:///a and file:/a are /a."""
    scheme = next((scheme for scheme in ("file://", "file:") if name.startswith(scheme + "/")), "")
    return name.removeprefix(scheme)


def watching_bytes(progress: Progress, *paths: Any, is_unpacked: bool = False) -> Callable[[int], None]:
    """A `watch` that reports how many bytes of some files, or of a folder's JSON files, were read so far.

    Args:
        is_unpacked: whether unpacked bytes are counted, so that the total of compressed files is not known.
    """
    if progress is unreported:  # getting the sizes of many files takes a while
        return watching(progress, 0)
    sizes = [_bytes(path, is_unpacked) for path in paths]
    return watching(progress, sum(sizes) if all(sizes) else 0)


def _bytes(path: Any, is_unpacked: bool) -> int:
    if not isinstance(path, str | os.PathLike):
        return 0
    name = os.fsdecode(path)
    if os.path.isdir(name):
        return sum(entry.stat().st_size for entry in os.scandir(name) if entry.name.endswith(".json"))
    return os.path.getsize(name) if os.path.isfile(name) and not (is_unpacked and Source(name).is_compressed) else 0
