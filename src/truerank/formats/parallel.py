"""Compressed members whose ends are known before they are unpacked: frames of zstd, the gzip of bgzip.

Threads unpack them a few ahead, and the results are given in order. From the first faulty member on, `unpacked`
takes over, so that errors are the same.
"""

from __future__ import annotations

import itertools
import struct
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from truerank.core.scan import processors
from truerank.formats.compression import CHUNK, Codec, Damaged, joined, unpacked, zstd_library

if TYPE_CHECKING:
    from concurrent.futures import Future

THREADS = 8
"""More would wait for the one that reads what they unpack."""

AHEAD = 1 << 26
"""Bytes, packed and unpacked, that are in work when no more is begun."""

LONGEST = 1 << 25
"""A member that stands for more bytes is unpacked while it is read; those of pzstd -19 are so long."""

TOGETHER = 1 << 20
"""Bytes, packed and unpacked, from which on short members are enough work for a thread."""

BLOCKS = 1 << 10
"""A frame of more blocks is unpacked while it is read; one of LONGEST bytes has a quarter as many."""

BLOCK = 1 << 17
"""Bytes that a block of zstd stands for at most."""

BGZIP = 1 << 16
"""Bytes that a member of bgzip stands for at most."""

STEP = 1 << 16
"""Bytes of a frame that are unpacked at once."""


@dataclass(frozen=True)
class Extent:
    """The length of a member, and the most bytes that it may unpack to."""

    length: int
    most: int

    @property
    def size(self) -> int:
        """Bytes of memory, before it is unpacked and after."""
        return self.length + self.most


UNSEEN = Extent(0, 0)
"""Of a member whose end is not to be seen, or too far away."""

Measure = Callable[[bytearray, int], Extent | None]
"""The extent of the member that begins at an offset; None where more bytes are needed."""


@dataclass(frozen=True)
class Work:
    """Whole members, one after another."""

    data: bytes
    extents: tuple[Extent, ...]

    @property
    def size(self) -> int:
        """Bytes of memory, before they are unpacked and after."""
        return sum(extent.size for extent in self.extents)

    def members(self) -> Iterator[tuple[memoryview, Extent]]:
        """The bytes and the extent of each member."""
        ends = itertools.accumulate(extent.length for extent in self.extents)
        for end, extent in zip(ends, self.extents, strict=True):
            yield memoryview(self.data)[end - extent.length : end], extent


def bgzip_extent(data: bytearray, at: int) -> Extent | None:
    """The extent of a member of bgzip, whose header says its length (SAM specification, 4.1); None if cut short."""
    if len(data) - at < 12:
        return None
    flags, extra = data[at + 3], at + 12
    end = extra + struct.unpack_from("<H", data, at + 10)[0]
    if not data.startswith(b"\x1f\x8b\x08", at) or not flags & 4:
        return UNSEEN
    if len(data) < end:
        return None
    while extra + 4 <= end:
        size = struct.unpack_from("<H", data, extra + 2)[0]
        if data.startswith(b"BC\2\0", extra) and extra + 6 <= end:
            length = struct.unpack_from("<H", data, extra + 4)[0] + 1
            if length <= end - at:
                return UNSEEN
            return Extent(length, BGZIP) if at + length <= len(data) else None
        extra += 4 + size
    return UNSEEN


def zstd_extent(data: bytearray, at: int) -> Extent | None:
    """The extent of a frame of zstd, whose blocks say their lengths (RFC 8878, 3.1); None if cut short."""
    zstandard = zstd_library()
    if len(data) - at < 18:  # the longest header
        return None
    if _is_skipped(data, at):
        length = 8 + struct.unpack_from("<I", data, at + 4)[0]
        return UNSEEN if length > LONGEST else Extent(length, 0) if at + length <= len(data) else None
    head = data[at : at + 18]
    try:
        frame, end = zstandard.get_frame_parameters(head), at + zstandard.frame_header_size(head)
    except zstandard.ZstdError:
        return UNSEEN
    is_stated = frame.content_size != zstandard.CONTENTSIZE_UNKNOWN
    if frame.window_size > LONGEST or (is_stated and frame.content_size > LONGEST):
        return UNSEEN
    extent = _blocks(data, end, min(frame.window_size, BLOCK))
    if extent is None or extent is UNSEEN:
        return extent
    length = end - at + extent.length + 4 * frame.has_checksum
    return Extent(length, extent.most) if at + length <= len(data) else None


def _is_skipped(data: bytearray, at: int) -> bool:
    """Whether this is one of zstd's skippable frames, which unpack to nothing."""
    return 0x50 <= data[at] <= 0x5F and data[at + 1 : at + 4] == b"\x2a\x4d\x18"


def _blocks(data: bytearray, start: int, most: int) -> Extent | None:
    """The extent of a frame's blocks, each of which unpacks to `most` bytes or fewer; None if cut short."""
    at = start
    total = 0
    for _ in range(BLOCKS):
        if at + 3 > len(data):
            return None
        header = int.from_bytes(data[at : at + 3], "little")
        is_last, kind, size = header & 1, header >> 1 & 3, header >> 3
        total += most if kind == 2 else size
        at += 3 + (1 if kind == 1 else size)
        if kind == 3 or total > LONGEST:
            return UNSEEN
        if is_last:
            return Extent(at - start, total)
    return UNSEEN


def _inflated(unpacker: Any, member: memoryview, most: int) -> Iterator[bytes]:
    yield unpacker.decompress(member, most + 1)


def _frame(unpacker: Any, member: memoryview, most: int) -> Iterator[bytes]:
    for at in range(0, len(member), STEP):
        yield unpacker.decompress(member[at : at + STEP])


KINDS = {"gzip": (bgzip_extent, _inflated), "zstd": (zstd_extent, _frame)}


def done(codec: Codec, work: Work) -> deque[bytes] | None:
    """The members unpacked; None if they are not as their headers say."""
    try:
        return deque(joined(_members(codec, work), CHUNK))
    except Exception:  # each library has its own; `unpacked` will say what is wrong
        return None


def _members(codec: Codec, work: Work) -> Iterator[bytes]:
    unpack = KINDS[codec.name][1]
    for member, extent in work.members():
        unpacker = codec.unpacker(bytes(member[:4]))
        yield from unpack(unpacker, member, extent.most)
        if not unpacker.eof or unpacker.unused_data:
            raise Damaged


class Cutter:
    """Cuts compressed data into work for threads.

    Attributes:
        rest: the data that was read but not yet handed out.
    """

    def __init__(self, measure: Measure, chunks: Iterable[bytes]):
        self.measure, self.chunks = measure, iter(chunks)
        self.rest = bytearray()
        self._is_over = False

    def next(self) -> Work | None:
        """The next work; None at the end of the data, or at a member whose end is not known."""
        extents: list[Extent] = []
        at = size = 0
        while size < TOGETHER and not self._is_over:
            extent = self.measure(self.rest, at)
            if extent is None:
                chunk = next(self.chunks, b"")
                self.rest += chunk
                self._is_over = not chunk
            elif extent is UNSEEN:
                self._is_over = True
            else:
                extents.append(extent)
                at, size = at + extent.length, size + extent.size
        if not extents:
            return None
        work = Work(bytes(memoryview(self.rest)[:at]), tuple(extents))
        del self.rest[:at]
        return work


def unpacked_by_threads(
    codec: Codec, chunks: Iterable[bytes], threads: int | None = None
) -> Generator[bytes, None, None]:
    """`unpacked`, by several threads where the ends of members are known.

    Args:
        threads: how many; as many as there are processors by default, and THREADS at most.

    Raises:
        Damaged: the data is no such stream, or ends too early.
    """
    threads = min(threads or processors(), THREADS)
    if threads < 2 or codec.name not in KINDS:
        yield from unpacked(codec, chunks)
        return
    cutter = Cutter(KINDS[codec.name][0], chunks)
    left = yield from _in_order(codec, cutter, threads)
    left += cutter.rest
    again = (left[at : at + CHUNK] for at in range(0, len(left), CHUNK))
    yield from unpacked(codec, itertools.chain(again, cutter.chunks))


def _in_order(codec: Codec, cutter: Cutter, threads: int) -> Generator[bytes, None, bytes]:
    """All work unpacked, in order; returns the data from the first faulty work on."""
    from concurrent.futures import ThreadPoolExecutor

    waiting: deque[tuple[Work, Future[deque[bytes] | None]]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        while True:
            while len(waiting) <= threads and sum(work.size for work, _ in waiting) < AHEAD:
                if (work := cutter.next()) is None:
                    break
                waiting.append((work, pool.submit(done, codec, work)))
            pieces = waiting[0][1].result() if waiting else None
            if pieces is None:
                return b"".join(work.data for work, _ in waiting)
            while pieces:
                yield pieces.popleft()
            waiting.popleft()
