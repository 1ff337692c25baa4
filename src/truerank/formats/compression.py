"""Compression, told by the first bytes when reading and by the file's ending when writing."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any, BinaryIO

from truerank.errors import MissingPackage

MOST = 4 << 20
"""Bytes that are unpacked at once, so that a small file which grows without end fills no memory."""

SLICE = 1 << 10
"""Bytes of zstd that are unpacked at once: its library knows no bound, and four of them may stand for 128 KiB."""


class Damaged(Exception):
    """Compressed data that cannot be unpacked; the message says why."""


@dataclass(frozen=True)
class Codec:
    """A kind of compression.

    Attributes:
        suffix: the ending that files of this kind have.
        magic: a pattern of the bytes that they begin with.
        unpacker: makes an object with decompress(bytes), eof and unused_data, for one member of a file.
        packer: wraps a file; what is written to the wrapper arrives compressed. Closing it leaves the file open.
    """

    name: str
    suffix: str
    magic: bytes
    unpacker: Callable[[], Any]
    packer: Callable[[BinaryIO], Any]


def _gzip_packer(file: BinaryIO) -> Any:
    import gzip

    return gzip.GzipFile("", "wb", 6, file, mtime=0)  # without name and time: the same bytes every time


def _bzip2_unpacker() -> Any:
    import bz2

    return bz2.BZ2Decompressor()


def _bzip2_packer(file: BinaryIO) -> Any:
    import bz2

    return bz2.BZ2File(file, "wb")


def _zstandard() -> Any:
    try:
        import zstandard
    except ModuleNotFoundError:
        raise MissingPackage("zstd compression", "zstd") from None
    return zstandard


CODECS = (
    Codec("gzip", ".gz", rb"\x1f\x8b\x08", lambda: zlib.decompressobj(31), _gzip_packer),
    Codec("bzip2", ".bz2", rb"BZh[1-9](1AY&SY|\x17rE8P\x90)", _bzip2_unpacker, _bzip2_packer),
    Codec(
        "zstd",
        ".zst",
        rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18",  # a frame, or one to skip, as pzstd writes first
        lambda: _zstandard().ZstdDecompressor().decompressobj(),
        lambda file: _zstandard().ZstdCompressor().stream_writer(file, closefd=False),
    ),
)


def codec_of(start: bytes) -> Codec | None:
    """The compression of a file that begins with these bytes."""
    return next((codec for codec in CODECS if re.match(codec.magic, start)), None)


def codec_for(name: str) -> Codec | None:
    """The compression that a file's ending asks for."""
    return next((codec for codec in CODECS if name.lower().endswith(codec.suffix)), None)


def unpacked(codec: Codec, chunks: Iterable[bytes]) -> Generator[bytes, None, None]:
    """The bytes that a compressed stream stands for; its members (gzip) or frames (zstd) one after another.

    Raises:
        Damaged: the data is no such stream, or ends too early.
    """
    unpacker = None
    for chunk in chunks:
        while chunk:
            if unpacker is None:
                unpacker = codec.unpacker()
            chunk = yield from _pieces(codec, unpacker, chunk)
            unpacker = None if unpacker.eof else unpacker
            if codec.name == "gzip" and unpacker is None:
                chunk = chunk.lstrip(b"\0")  # members may be padded
    if unpacker is not None:
        raise Damaged(f"the {codec.name} data ends too early: the file was cut short")


def _pieces(codec: Codec, unpacker: Any, chunk: bytes) -> Generator[bytes, None, bytes]:
    """What a chunk stands for, about MOST bytes at a time; returns what follows the end of the member."""
    steps = {"gzip": _inflated, "bzip2": _bunzipped, "zstd": _in_slices}[codec.name](unpacker, chunk)
    try:
        return (yield from steps)
    except Exception as error:  # each library has its own: zlib.error, OSError, ZstdError
        raise Damaged(f"the {codec.name} data is damaged ({error})") from None


def _inflated(unpacker: Any, chunk: bytes) -> Generator[bytes, None, bytes]:
    while chunk and not unpacker.eof:
        yield unpacker.decompress(chunk, MOST)
        chunk = unpacker.unconsumed_tail
    return bytes(unpacker.unused_data)


def _bunzipped(unpacker: Any, chunk: bytes) -> Generator[bytes, None, bytes]:
    yield unpacker.decompress(chunk, MOST)
    while not (unpacker.eof or unpacker.needs_input):
        yield unpacker.decompress(b"", MOST)
    return bytes(unpacker.unused_data)


def _in_slices(unpacker: Any, chunk: bytes) -> Generator[bytes, None, bytes]:
    """Short slices make one piece together, since every piece is handed from thread to thread."""
    made, size, end = [], 0, 0
    while end < len(chunk) and not unpacker.eof:
        start, end = end, end + SLICE
        made.append(unpacker.decompress(chunk[start:end]))
        size += len(made[-1])
        if size >= MOST:
            yield b"".join(made)
            made, size = [], 0
    yield b"".join(made)
    return bytes(unpacker.unused_data) + chunk[end:]


def ahead(chunks: Generator[bytes, None, None]) -> Iterator[bytes]:
    """The same, each made by another thread while the one before it is worked on."""
    from concurrent.futures import ThreadPoolExecutor

    with closing(chunks), ThreadPoolExecutor(1) as pool:
        coming = pool.submit(next, chunks, None)
        while (chunk := coming.result()) is not None:
            coming = pool.submit(next, chunks, None)
            yield chunk
