"""Compression, recognised by the first bytes when reading and by the file's ending when writing."""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from types import ModuleType
from typing import Any, BinaryIO, NamedTuple

from truerank.core.errors import needs
from truerank.core.messages import message

CHUNK = 1 << 18
"""Bytes read at once: small enough to stay in the processor's cache."""

MOST = 4 << 20
"""Bytes that are unpacked at once, so that a small file which grows without end fills no memory."""

WINDOW = 1 << 8
"""Bytes of a member that are looked at first."""

SLICE = 1 << 10
"""Bytes of zstd that are unpacked at once: its library knows no bound, and four of them may stand for 128 KiB."""

DICTIONARY = 1 << 27
"""Memory that unpacking .xz may take: twice what xz -9 asks for."""

ISAL_FLAGS = (b"\x00", b"\x04", b"\x08", b"\x10")
"""The flags of gzip headers with one field at most: none, bgzip's extra field, a name, a comment (RFC 1952)."""


class Damaged(Exception):
    """Compressed data that cannot be unpacked; the message says why."""


class Codec(NamedTuple):
    """A kind of compression.

    Attributes:
        suffix: the ending that files of this kind have.
        magic: a pattern of the bytes that they begin with.
        unpacker: makes, from a member's first four bytes, an object with decompress(bytes), eof and unused_data.
        steps: unpacks bytes with such an object, about so many at a time; returns the bytes after the member.
        packer: wraps a file; what is written to the wrapper arrives compressed. Closing it leaves the file open.
    """

    name: str
    suffix: str
    magic: bytes
    unpacker: Callable[[bytes], Any]
    steps: Callable[[Any, bytes, int], Generator[bytes, None, bytes]]
    packer: Callable[[BinaryIO], Any]


def _gzip_packer(file: BinaryIO) -> Any:
    import gzip

    return gzip.GzipFile("", "wb", 6, file, mtime=0)  # without name and time: the same bytes every time


@lru_cache(maxsize=1)
def _inflating() -> ModuleType:
    """zlib, or isal_zlib where that is installed, which takes half of the time."""
    try:
        return import_module("isal.isal_zlib")
    except ModuleNotFoundError:
        return zlib


def _gzip_unpacker(start: bytes) -> Any:
    """isal's unpacker where it works: it loses its place in a header of several fields that comes in pieces."""
    return (_inflating() if start[3:4] in ISAL_FLAGS else zlib).decompressobj(31)


def _bzip2_unpacker(_: bytes) -> Any:
    import bz2

    return bz2.BZ2Decompressor()


def _bzip2_packer(file: BinaryIO) -> Any:
    import bz2

    return bz2.BZ2File(file, "wb")


def _lzma() -> Any:
    try:
        import lzma
    except ModuleNotFoundError:
        raise Damaged(
            message("this Python was built without lzma, which reads .xz: unpack the file first")
        ) from None
    return lzma


def zstd_library() -> Any:
    """The package zstandard.

    Raises:
        MissingPackage: it is not installed.
    """
    with needs(message("zstd compression"), "zstd"):
        import zstandard
    return zstandard


def _inflated(unpacker: Any, chunk: bytes, most: int) -> Generator[bytes, None, bytes]:
    while chunk and not unpacker.eof:
        yield unpacker.decompress(chunk, most)
        chunk = unpacker.unconsumed_tail
    return bytes(unpacker.unused_data)


def _by_need(unpacker: Any, chunk: bytes, most: int) -> Generator[bytes, None, bytes]:
    yield unpacker.decompress(chunk, most)
    while not (unpacker.eof or unpacker.needs_input):
        yield unpacker.decompress(b"", most)
    return bytes(unpacker.unused_data)


def _in_slices(unpacker: Any, chunk: bytes, most: int) -> Generator[bytes, None, bytes]:
    end = 0
    while end < len(chunk) and not unpacker.eof:
        start, end = end, end + SLICE
        yield unpacker.decompress(chunk[start:end])
    return bytes(unpacker.unused_data) + chunk[end:]


CODECS = (
    Codec("gzip", ".gz", rb"\x1f\x8b\x08", _gzip_unpacker, _inflated, _gzip_packer),
    Codec("bzip2", ".bz2", rb"BZh[1-9](1AY&SY|\x17rE8P\x90)", _bzip2_unpacker, _by_need, _bzip2_packer),
    Codec(
        "zstd",
        ".zst",
        rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18",  # a frame, or a skippable one, with which pzstd begins
        lambda _: zstd_library().ZstdDecompressor().decompressobj(),
        _in_slices,
        lambda file: zstd_library().ZstdCompressor(write_checksum=True).stream_writer(file, closefd=False),
    ),
    Codec(
        "xz",
        ".xz",
        rb"\xfd7zXZ\x00",
        lambda _: _lzma().LZMADecompressor(_lzma().FORMAT_XZ, memlimit=DICTIONARY),
        _by_need,
        lambda file: _lzma().LZMAFile(file, "wb"),
    ),
)


def codec_of(start: bytes) -> Codec | None:
    """The compression of a file that begins with these bytes."""
    return next((codec for codec in CODECS if re.match(codec.magic, start)), None)


def codec_for(name: str) -> Codec | None:
    """The compression that a file's ending asks for."""
    return next((codec for codec in CODECS if name.lower().endswith(codec.suffix)), None)


def unpacked_name(name: str) -> str:
    """A file's name without the ending of a compression.

    >>> unpacked_name("A.run.GZ"), unpacked_name("b.jsonl")
    ('A.run', 'b.jsonl')
    """
    codec = codec_for(name)
    return name[: -len(codec.suffix)] if codec else name


def suffix_of(name: str) -> str:
    """The ending that says what a file holds, without that of a compression."""
    return os.path.splitext(unpacked_name(name))[1].lower()


def unpacked(codec: Codec, chunks: Iterable[bytes]) -> Generator[bytes, None, None]:
    """The unpacked bytes of a compressed stream; its members (gzip) or frames (zstd) one after another.

    Raises:
        Damaged: the data is no such stream, or ends too early.
    """
    members = Members(codec)
    for chunk in chunks:
        yield from joined(members.feed(chunk), MOST)
    members.finish()


def joined(pieces: Iterable[bytes], most: int) -> Generator[bytes, None, None]:
    """Join short pieces to ones of up to `most` bytes, since every piece is handed from thread to thread."""
    made: list[bytes] = []
    size = 0
    for piece in pieces:
        if made and (size + len(piece) > most or len(made) >= SLICE):
            yield b"".join(made)
            made, size = [], 0
        made.append(piece)
        size += len(piece)
    yield b"".join(made)


class Members:
    """Unpacks the members (gzip), streams (bzip2, xz) or frames (zstd) of compressed data, one after another.

    The libraries copy what follows a member. So data is passed in windows that grow as a member goes on: the work
    is linear in the number of bytes and of members, however short these are.

    Args:
        most: about this many bytes are unpacked at once.

    Attributes:
        count: how many members have begun.
    """

    def __init__(self, codec: Codec, most: int = MOST):
        self.codec, self.most = codec, most
        self.count = 0
        self._unpacker: Any = None
        self._window = WINDOW

    def feed(self, data: bytes) -> Generator[bytes, None, None]:
        """The next bytes unpacked; b"" for a member that unpacks to nothing.

        Raises:
            Damaged: the data is no such stream.
        """
        at = self._begin(data, 0)
        while at < len(data):
            window = data[at : at + self._window]
            rest = yield from self._pieces(window)
            at += len(window) - len(rest)
            self._window *= 2
            if self._unpacker.eof:
                self._unpacker = None
                at = self._begin(data, at)

    def finish(self) -> None:
        """Say that the data ends here.

        Raises:
            Damaged: the last member is not whole.
        """
        if self._unpacker is not None:
            raise Damaged(message("the {codec} data ends too early: the file was cut short", codec=self.codec.name))

    def _begin(self, data: bytes, at: int) -> int:
        """Where the next member's bytes begin; those of gzip and xz may be padded."""
        if self._unpacker is None:
            if self.codec.name in ("gzip", "xz") and data[at : at + 1] == b"\0":
                at = _after_padding(data, at)
            if at < len(data):
                self._unpacker, self._window = self.codec.unpacker(data[at : at + 4]), WINDOW
                self.count += 1
        return at

    def _pieces(self, window: bytes) -> Generator[bytes, None, bytes]:
        """A window unpacked, about `most` bytes at a time; returns what follows the end of the member."""
        try:
            return (yield from self.codec.steps(self._unpacker, window, self.most))
        except Exception:  # each library has its own errors, whose text depends on how the data was cut
            raise Damaged(message("the {format} data is damaged", format=self.codec.name)) from None


def _after_padding(data: bytes, at: int) -> int:
    match = re.compile(rb"[^\0]").search(data, at)
    return match.start() if match else len(data)


def ahead(chunks: Generator[bytes, None, None]) -> Iterator[bytes]:
    """The chunks, each made by another thread while the one before it is used."""
    from concurrent.futures import ThreadPoolExecutor

    try:
        with ThreadPoolExecutor(1) as pool:
            coming = pool.submit(next, chunks, None)
            while (chunk := coming.result()) is not None:
                coming = pool.submit(next, chunks, None)
                yield chunk
    finally:
        with suppress(ValueError):  # interrupted while it begins, the thread is not waited for: it may be in there
            chunks.close()
