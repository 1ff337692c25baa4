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

from truerank.board.errors import ApiError, invalid
from truerank.board.logs import tell
from truerank.board.settings import BoardSettings
from truerank.board.storage import Storage
from truerank.core.messages import Message, message, plural
from truerank.formats.compression import Damaged, Members, codec_of

STEP = 1 << 20
"""Bytes that are decompressed at once."""

RATIO = 250
"""No run compresses better than this."""

FREE = 1 << 20
"""Up to this many decompressed bytes the ratio is not checked."""


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
        members: of how many members (gzip), streams (bzip2) or frames (zstd) it may consist.
        watch: called when a piece was written.

    Raises:
        ApiError: the disk is full.
    """

    def __init__(
        self,
        path: Path,
        most: int,
        most_unpacked: int,
        watch: Callable[[Receiver], None] = lambda receiver: None,
        *,
        members: int = BoardSettings.members,
    ):
        self.path, self.most, self.most_unpacked, self.watch = path, most, most_unpacked, watch
        self.members = members
        self.size = 0
        self.unpacked = 0
        self._hash = hashlib.sha256()
        with _room():
            self._file = path.open("xb", buffering=0)
        self._head: bytes | None = b""
        self._packed: Members | None = None

    def feed(self, data: bytes) -> None:
        """The next piece.

        Raises:
            ApiError: the file is too large, here or decompressed, or damaged; or the disk is full.
        """
        self.size += len(data)
        if self.size > self.most:
            size = shown_size(self.most)
            why = message("the file is larger than {size}, the most that is taken", size=size)
            raise ApiError(413, "too-large", why)
        self._hash.update(data)
        self._write(data)
        self._measure(data)
        self.watch(self)

    def finish(self) -> Received:
        """The end of the file: it is on disk now."""
        if self._head is not None:
            self._begin(self._head)
        try:
            if self._packed:
                self._packed.finish()
        except Damaged:
            raise _damaged(message("the compressed data ends too early: the file was cut short")) from None
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
        codec = codec_of(data)
        self._head, self._packed = None, Members(codec, STEP) if codec else None
        self._count(data)

    def _count(self, data: bytes) -> None:
        if self._packed is None:
            self.unpacked += len(data)
            return
        try:
            for piece in self._packed.feed(data):
                self.unpacked += len(piece)
                self._check(self._packed.count)
        except Damaged as error:
            raise _damaged(message("the {format} data is damaged", format=self._packed.codec.name)) from error

    def _check(self, members: int) -> None:
        if self.unpacked > self.most_unpacked:
            size = shown_size(self.most_unpacked)
            why = message("decompressed, the file is larger than {size}, the most that is taken", size=size)
            raise ApiError(413, "too-large", why)
        if self.unpacked > FREE + RATIO * self.size:
            why = message("the file grows more than {ratio}-fold when it is decompressed", ratio=RATIO)
            raise ApiError(413, "too-dense", why)
        if members > self.members:
            why = plural(
                "the file consists of more than {n:,} compressed piece; compress it as one",
                "the file consists of more than {n:,} compressed pieces; compress it as one",
                n=self.members,
            )
            raise ApiError(413, "too-many-members", why)


Feed = Callable[[Receiver], Awaitable[None]]
"""Gives a receiver the pieces of a file."""


@asynccontextmanager
async def arrived(
    storage: Storage, board: BoardSettings, feed: Feed, watch: Callable[[Receiver], None] = lambda receiver: None
) -> AsyncIterator[Received]:
    """A whole file, within the board's limits; in the end it is forgotten, unless it was moved."""
    receiver = Receiver(storage.incoming(), board.upload, board.unpacked, watch, members=board.members)
    try:
        await feed(receiver)
        yield await asyncio.to_thread(receiver.finish)
    finally:
        receiver.drop()


@contextmanager
def _room() -> Iterator[None]:
    """Say it when the disk is full or fails: the host will see why in the log."""
    try:
        yield
    except OSError as error:
        tell("cannot write", logging.ERROR, error=error)
        why = message("the service cannot keep files now; its host sees why")
        raise ApiError(503, "no-room", why, after=60) from None


def _damaged(why: Message) -> ApiError:
    finding = {"kind": "unreadable", "refuses": True, "message": why, "count": 1, "lines": []}
    return invalid([finding])


def shown_size(size: int) -> str:
    """Bytes as people read them.

    >>> shown_size(256_000_000), shown_size(2_247), shown_size(900)
    ('256 MB', '2.2 KB', '900 B')
    """
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("KB", 10**3)):
        if size >= factor:
            return f"{round(size / factor, 1):.4g} {unit}"
    return f"{size} B"
