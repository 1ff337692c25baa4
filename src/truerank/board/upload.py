"""A file on its way in: written, hashed and measured as it arrives, and refused as soon as it is too much."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truerank.board.logs import tell
from truerank.board.refusals import Refusal
from truerank.board.settings import BoardSettings
from truerank.board.storage import Storage
from truerank.formats.compression import Codec, codec_of

STEP = 1 << 20
"""Bytes that are decompressed at once, where the library can be told."""

SLICE = 1 << 10
"""zstd cannot be told: so few bytes go in that what comes out fits in memory (128 KiB for 4 bytes at worst)."""

RATIO = 250
"""No run compresses better than this."""

FREE = 1 << 20
"""Below so many decompressed bytes nobody asks for the ratio."""


@dataclass(frozen=True)
class Received:
    """A file that has arrived.

    Attributes:
        size: its bytes as sent.
        unpacked: its bytes decompressed.
    """

    path: Path
    sha256: str
    size: int
    unpacked: int


class Receiver:
    """Takes a file in pieces.

    Args:
        most, most_unpacked: the largest sizes allowed, as sent and decompressed.
        watch: called when a piece was written.

    Raises:
        Refusal: the disk is full.
    """

    def __init__(
        self, path: Path, most: int, most_unpacked: int, watch: Callable[[Receiver], None] = lambda receiver: None
    ):
        self.path, self.most, self.most_unpacked, self.watch = path, most, most_unpacked, watch
        self.size = 0
        self.unpacked = 0
        self._hash = hashlib.sha256()
        with _room():
            self._file = path.open("xb", buffering=0)
        self._head: bytes | None = b""
        self._codec: Codec | None = None
        self._unpacker: Any = None

    def feed(self, data: bytes) -> None:
        """The next piece.

        Raises:
            Refusal: the file is too large, here or decompressed, or damaged; or the disk is full.
        """
        self.size += len(data)
        if self.size > self.most:
            raise _too_large("the file", self.most)
        self._hash.update(data)
        self._write(data)
        self._measure(data)
        self.watch(self)

    def finish(self) -> Received:
        """The end of the file: it is on disk now."""
        if self._head is not None:
            self._begin(self._head)
        if self._unpacker is not None:
            raise _damaged("the compressed data ends too early: the file was cut short")
        with _room():
            os.fsync(self._file.fileno())
        self._file.close()
        return Received(self.path, self._hash.hexdigest(), self.size, self.unpacked)

    def drop(self) -> None:
        """Forget it."""
        self._file.close()
        self.path.unlink(missing_ok=True)

    def _write(self, data: bytes) -> None:
        left = memoryview(data)
        with _room():
            while left:
                left = left[self._file.write(left) :]

    def _measure(self, data: bytes) -> None:
        if self._head is None:
            self._count(data)
        elif len(self._head) + len(data) < 16:
            self._head += data
        else:
            self._begin(self._head + data)

    def _begin(self, data: bytes) -> None:
        self._head, self._codec = None, codec_of(data)
        self._count(data)

    def _count(self, data: bytes) -> None:
        if self._codec is None:
            self.unpacked += len(data)
            return
        step = SLICE if self._codec.name == "zstd" else len(data)
        pieces = (data[at : at + step] for at in range(0, len(data), step or 1))
        for size in (size for piece in pieces for size in self._sizes(self._codec, piece)):
            self.unpacked += size
            if self.unpacked > self.most_unpacked:
                raise _too_large("decompressed, the file", self.most_unpacked)
            if self.unpacked > FREE + RATIO * self.size:
                raise Refusal(413, "too-dense", f"the file grows more than {RATIO}-fold when it is decompressed")

    def _sizes(self, codec: Codec, data: bytes) -> Iterator[int]:
        """How long each piece of what the data stands for is; never much of it in memory."""
        while data:
            if self._unpacker is None:
                data = data.lstrip(b"\0") if codec.name == "gzip" else data
                self._unpacker = codec.unpacker() if data else None
                continue
            try:
                yield from _STEPS[codec.name](self._unpacker, data)
            except Exception as error:  # each library has its own
                raise _damaged(f"the {codec.name} data is damaged") from error
            if self._unpacker.eof:
                data, self._unpacker = self._unpacker.unused_data, None
            else:
                data = b""


Feed = Callable[[Receiver], Awaitable[None]]
"""Gives a receiver the pieces of a file."""


@asynccontextmanager
async def arrived(
    storage: Storage, board: BoardSettings, feed: Feed, watch: Callable[[Receiver], None] = lambda receiver: None
) -> AsyncIterator[Received]:
    """A whole file, within the board's limits; in the end it is forgotten, unless somebody moved it."""
    receiver = Receiver(storage.incoming(), board.upload, board.unpacked, watch)
    try:
        await feed(receiver)
        yield await asyncio.to_thread(receiver.finish)
    finally:
        receiver.drop()


def _gzip_steps(unpacker: Any, data: bytes) -> Iterator[int]:
    while data and not unpacker.eof:
        yield len(unpacker.decompress(data, STEP))
        data = unpacker.unconsumed_tail


def _bzip2_steps(unpacker: Any, data: bytes) -> Iterator[int]:
    yield len(unpacker.decompress(data, STEP))
    while not unpacker.eof and not unpacker.needs_input:
        yield len(unpacker.decompress(b"", STEP))


def _zstd_steps(unpacker: Any, data: bytes) -> Iterator[int]:
    yield len(unpacker.decompress(data))


@contextmanager
def _room() -> Iterator[None]:
    """Say it when the disk is full or fails: the host will see why in the log."""
    try:
        yield
    except OSError as error:
        tell("cannot write", logging.ERROR, error=error)
        raise Refusal(503, "no-room", "the service cannot keep files now; its host sees why", after=60) from None


_STEPS = {"gzip": _gzip_steps, "bzip2": _bzip2_steps, "zstd": _zstd_steps}


def _too_large(what: str, most: int) -> Refusal:
    return Refusal(413, "too-large", f"{what} is larger than {shown_size(most)}, the most that is taken")


def _damaged(message: str) -> Refusal:
    finding = {"kind": "unreadable", "refuses": True, "message": message, "count": 1, "lines": []}
    return Refusal(422, "invalid", f"the submission is invalid and costs nothing: {message}", findings=[finding])


def shown_size(size: int) -> str:
    """Bytes as people read them.

    >>> shown_size(256_000_000), shown_size(2_247), shown_size(900)
    ('256 MB', '2.2 KB', '900 B')
    """
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("KB", 10**3)):
        if size >= factor:
            return f"{round(size / factor, 1):.4g} {unit}"
    return f"{size} B"
