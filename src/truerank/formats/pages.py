"""Parquet files as most runs are, with flat columns of text and of floats, read without pyarrow.

Importing pyarrow takes as long as reading millions of rows. Everything less plain (whole numbers as ids, decimals,
nested columns, other encodings and compression, encryption) is left to it.

Numbers of fields, types and encodings are those of parquet.thrift (Apache Parquet's format, version 2.10).
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from truerank.core.errors import InputError, MissingPackage, quoted
from truerank.core.kernel.names import gathered
from truerank.core.kernel.pages import Codes, plain_ids, split_floats, split_ids, struct, unsnapped
from truerank.core.run import Columns
from truerank.formats.compression import zstd_library
from truerank.formats.footers import DOUBLE, FLOAT, TEXT, Description, description
from truerank.formats.names import Layout
from truerank.formats.rows import Ints, complete

Bytes = bytes | memoryview

BLOCK = 1 << 20
"""Bytes of a column that are read at once, where its pages are not longer."""

HEADER = 1 << 12
"""Bytes that the header of most pages fits into."""

LONGEST = 1 << 24
"""Bytes that a header may have: there are statistics in it."""

ROWS = 1 << 16
"""Rows that are decoded at once, at most: they stay in the processor's cache."""

REUSED = 31 << 20
"""Once so much was freed, the C library of GNU keeps what is shorter for the next page, and gives none back."""

SNAPPY, GZIP, ZSTD = 1, 2, 6
PLAIN, LEVELS, LENGTHS, SPLIT = 0, 3, 6, 9
CODED = (2, 8)
BESIDE = {PLAIN, *CODED, LEVELS, 4}
"""Of columns of which pyarrow makes ids with a dictionary; 4 is how older writers say that no value is null."""
ENCODINGS = {*BESIDE, LENGTHS, SPLIT}
DATA, CODEBOOK, DATA_2 = 0, 2, 3
Unpack = Callable[[Bytes, int], Bytes]
"""Decompresses bytes that stand for so many."""


class Ids(NamedTuple):
    """Ids of rows, as `Columns` have them."""

    ends: Ints
    text: NDArray[np.uint8] | bytes
    runs: Ints | None = None


class Damaged(Exception):
    """The file is not valid Parquet."""


class Table:
    """A file that was opened.

    Attributes:
        names: of the columns.
        said: the writer's own metadata, by its keys.
        rows: the number of rows of each group.
    """

    def __init__(self, file: IO[bytes], name: str, about: Description):
        self.file: Any = file  # with readinto, which IO's type lacks
        self.name = name
        self.fields, self.said, self.rows, self.chunks = about
        self.names = [field.name for field in self.fields]
        self._unpackers: dict[int, Unpack] = {}

    def can_read(self, layout: Layout) -> bool:
        """Whether these columns can be read here."""
        kinds = (layout.query, {TEXT}), (layout.doc, {TEXT}), (layout.value, {FLOAT, DOUBLE})
        return layout.places == layout.places[:3] and all(self._is_plain(place, wanted) for place, wanted in kinds)

    def _is_plain(self, place: int, kinds: set[int]) -> bool:
        field, chunks = self.fields[place], [group[place] for group in self.chunks]
        known = field.plain and field.kind in kinds and all(chunk.encodings <= ENCODINGS for chunk in chunks)
        try:
            return known and all(self.unpacker(codec) for codec in {chunk.codec for chunk in chunks})
        except MissingPackage:
            return False

    def has_codebook(self, place: int) -> bool:
        """Whether a column of text has a dictionary, and otherwise only pages that pyarrow can read beside one."""
        chunks = [group[place] for group in self.chunks]
        is_coded = any(not chunk.encodings.isdisjoint(CODED) for chunk in chunks)
        return self.fields[place].kind == TEXT and is_coded and all(chunk.encodings <= BESIDE for chunk in chunks)

    def unpacker(self, codec: int) -> Unpack | None:
        """The function that decompresses; None where the codec is not known here."""
        if codec not in self._unpackers:
            makers: dict[int, Callable[[], Unpack]] = {
                0: lambda: _same,
                SNAPPY: lambda: unsnapped,
                GZIP: lambda: _inflated,
                ZSTD: lambda: _zstd(zstd_library()),
            }
            if codec not in makers:
                return None
            self._unpackers[codec] = makers[codec]()
        return self._unpackers[codec]

    def columns(self, layout: Layout, start: int = 0, end: int | None = None) -> Iterator[Columns]:
        """The rows from a start to an end, many at a time."""
        np.empty(REUSED, np.uint8)  # and is freed
        last, first = sum(self.rows) if end is None else end, 0
        for group, rows in enumerate(self.rows):
            if first + rows > start and first < last:
                yield from self._group(group, layout, max(0, start - first), min(rows, last - first), first)
            first += rows

    def _group(self, group: int, layout: Layout, start: int, end: int, first: int) -> Iterator[Columns]:
        query, doc = Text(self, group, layout.query, first), Text(self, group, layout.doc, first)
        value = Numbers(self, group, layout.value, first)
        for column in (query, doc, value):
            column.skip(start)
        row = start
        while row < end:
            n = min(ROWS, end - row)
            ids, docs, scores = query.take(n), doc.take(n), value.take(n)
            each = docs if docs.runs is None else _spread(docs)
            scores = -scores if layout.falling else scores
            text = ids.ends, ids.text, each.ends, each.text
            part = Columns(*text, scores, runs=ids.runs, are_ranks=layout.falling)
            yield complete(part, self.name, first + row + 1)
            row += n

    def starts(self, n: int) -> list[int]:
        """The rows at which n stretches of about the same length begin, without the first."""
        return [sum(self.rows) * part // n for part in range(1, n)]

    def queries(self, place: int, row: int) -> Iterator[tuple[Ids, int]]:
        """The ids of queries from a row on, and how many rows they stand for, many at a time."""
        first = 0
        for group, rows in enumerate(self.rows):
            if first + rows > row:
                column, passed = Text(self, group, place, first), max(0, row - first)
                column.skip(passed)
                left = rows - passed
                while left:
                    n = min(ROWS, left)
                    yield column.take(n), n
                    left -= n
            first += rows


class Column:
    """The values of a column in a group of rows, page after page."""

    def __init__(self, table: Table, group: int, place: int, first: int):
        self.table, self.chunk, self.field = table, table.chunks[group][place], table.fields[place]
        self.first = first  # row of the file
        self.at, self.end = self.chunk.start, self.chunk.start + self.chunk.size  # of the bytes not yet read
        self.bytes: memoryview = memoryview(b"")
        self.left = self.done = self.position = self.total = 0
        self.page: Bytes = b""
        self.encoding = PLAIN
        self.codes: Codes | None = None
        self.unpack = table.unpacker(self.chunk.codec) or _same

    def _guarded(self, work: Callable[..., Any], *args: Any) -> Any:
        """The result of work on untrusted bytes; any error becomes `Damaged`."""
        try:
            return work(*args)
        except (InputError, OSError):
            raise
        except Exception:  # each library for decompression has its own
            raise InputError(
                "the Parquet data is damaged or cut short: the page of column {column} that ends at byte {at}",
                self.table.name,
                column=quoted(self.field.name),
                at=self.at - len(self.bytes),
            ) from None

    def skip(self, n: int) -> None:
        """Skip the next n values; pages that hold no others are not unpacked."""
        while n > 0:
            passed = 0 if self.left else self._guarded(self._turn, n)
            if self.left:
                passed = min(self.left, ROWS, n)
                self.take(passed)
            else:
                self.done += passed
            n -= passed

    def _turn(self, passing: int = 0) -> int:
        """Read the next page, or skip it if it has at most `passing` values; return how many were skipped."""
        header, length = self._header()
        self.bytes = self.bytes[length:]
        if header[3] < 0:
            raise Damaged
        values = header[{DATA: 5, DATA_2: 8}[header[1]]][1] if header[1] in (DATA, DATA_2) else 0
        if 0 < values <= passing:
            near = min(header[3], len(self.bytes))
            self.bytes, self.at = self.bytes[near:], self.at + header[3] - near
            if self.at > self.end:
                raise Damaged
            return int(values)
        self._fill(header[3])
        body, self.bytes = self.bytes[: header[3]], self.bytes[header[3] :]
        if header[1] == CODEBOOK:
            self.codebook(self._unpacked(body, header[2]), header[7][1])
        elif header[1] == DATA:
            self._begin(self._unpacked(body, header[2]), header[5])
        elif header[1] == DATA_2:
            self._begin_2(body, header[2], header[8])
        return 0

    def _header(self) -> tuple[dict[int, Any], int]:
        """The header of the next page, and how long it is."""
        room = HEADER
        while True:
            self._fill(min(room, len(self.bytes) + self.end - self.at))
            try:
                return struct(self.bytes)
            except EOFError:
                if self.at >= self.end or room > LONGEST:
                    raise
                room *= 16

    def _fill(self, size: int) -> None:
        """Read on until there are this many bytes."""
        if len(self.bytes) >= size:
            return
        if size > len(self.bytes) + self.end - self.at:
            raise Damaged
        have, room = len(self.bytes), max(size, len(self.bytes) + min(BLOCK, self.end - self.at))
        whole = np.empty(room, np.uint8).data
        whole[:have] = self.bytes
        self.table.file.seek(self.at)
        while have < size:
            n = self.table.file.readinto(whole[have:])
            if not n:
                raise Damaged
            have, self.at = have + n, self.at + n
        self.bytes = whole[:have]

    def _unpacked(self, data: Bytes, size: int) -> Bytes:
        if not size:
            return b""
        page = self.unpack(data, size)
        if len(page) != size:
            raise Damaged
        return page

    def _begin(self, page: Bytes, about: dict[int, Any]) -> None:
        """Begin a page of version 1; where values may be missing, it starts with which ones are."""
        at = 0
        if self.field.optional:
            at = 4 + int.from_bytes(page[:4], "little")
            if about[3] != LEVELS:
                raise Damaged
            self._refuse_missing(Codes(page, 4, at, 1), about[1])
        self._values(page, at, about[1], about[2])

    def _begin_2(self, body: memoryview, size: int, about: dict[int, Any]) -> None:
        """Begin a page of version 2, in which the record of missing values is not compressed."""
        at = about[5] + about[6]
        if not 0 <= about[6] <= at <= min(size, len(body)):
            raise Damaged
        if self.field.optional:
            self._refuse_missing(Codes(body, about[6], at, 1), about[1])
        page = self._unpacked(body[at:], size - at) if about.get(7, True) else body[at:]
        self._values(page, 0, about[1], about[4])

    def _refuse_missing(self, levels: Codes, n: int) -> None:
        there = levels.same(n, 1)
        if there < n:
            raise InputError(
                "column {column} has no value in row {row}",
                self.table.name,
                column=quoted(self.field.name),
                row=self.first + self.done + there + 1,
            )

    def _values(self, page: Bytes, at: int, n: int, encoding: int) -> None:
        """Take up the values of a page, which begin at an offset."""
        if n < 0 or encoding not in (PLAIN, LENGTHS, SPLIT, *CODED):
            raise Damaged
        self.page, self.position, self.left, self.total, self.codes = page, at, n, n, None
        self.encoding = encoding
        if encoding in CODED and n:
            self.codes = Codes(page, at + 1, len(page), page[at])

    def codebook(self, page: Bytes, n: int) -> None:
        """The values that others are numbers of."""
        raise NotImplementedError

    def take(self, n: int) -> Any:
        """The next n values, at least one, from as many pages as needed."""
        parts = []
        while n:
            while not self.left:
                self._guarded(self._turn)
            some = min(self.left, n)
            parts.append(self._guarded(self._take, some))
            self.left, self.done, n = self.left - some, self.done + some, n - some
        return parts[0] if len(parts) == 1 else self.joined(parts)

    def _take(self, n: int) -> Any:
        """The next n values of this page."""
        raise NotImplementedError

    def joined(self, parts: Sequence[Any]) -> Any:
        """The values of several pages, joined."""
        raise NotImplementedError


class Text(Column):
    """A column of text."""

    known = Ids(np.zeros(1, np.int64), b"")
    ends = np.zeros(1, np.int64)

    def codebook(self, page: Bytes, n: int) -> None:
        """The ids that others are numbers of."""
        ends, text, _ = plain_ids(page, 0, n)
        self.known = Ids(ends, text)

    def _take(self, n: int) -> Ids:
        if self.codes is None:
            return self._stretch(n)
        runs, numbers = self.codes.take(n)
        bounds, letters = gathered(self.known.text, self.known.ends[1:], numbers)
        return Ids(np.concatenate([[0], bounds]), letters, runs)

    def joined(self, parts: Sequence[Ids]) -> Ids:
        """The ids of several pages, joined; where some pages have runs, all get runs."""
        ends = _joined_ends([part.ends for part in parts])
        text = np.concatenate([np.frombuffer(part.text, np.uint8) for part in parts])
        if all(part.runs is None for part in parts):
            return Ids(ends, text)
        runs = [np.arange(len(part.ends)) if part.runs is None else part.runs for part in parts]
        return Ids(ends, text, _joined_ends(runs))

    def _stretch(self, n: int) -> Ids:
        """Ids that are stored as such, not as numbers of a dictionary."""
        if self.encoding == PLAIN:
            ends, text, self.position = plain_ids(self.page, self.position, n)
            return Ids(ends, text)
        if self.encoding != LENGTHS:
            raise Damaged
        if self.left == self.total:
            self.ends, self.position = split_ids(self.page, self.position, self.total)
        ends = self.ends[self.total - self.left :][: n + 1]
        text = np.frombuffer(self.page, np.uint8, ends[-1] - ends[0], self.position + ends[0])
        return Ids(ends - ends[0], text)


class Numbers(Column):
    """A column of floats."""

    known: NDArray[np.float64] = np.empty(0)

    @property
    def width(self) -> int:
        """The bytes of each number."""
        return 4 if self.field.kind == FLOAT else 8

    def codebook(self, page: Bytes, n: int) -> None:
        """The numbers that others are numbers of."""
        self.known = self._plain(page, 0, n)

    def _take(self, n: int) -> NDArray[np.float64]:
        if self.codes is not None:
            runs, numbers = self.codes.take(n)
            return np.repeat(self.known[numbers], np.diff(runs))
        done = self.total - self.left
        if self.encoding == SPLIT:
            return split_floats(self.page, self.position, self.total, done, n, self.width)
        if self.encoding != PLAIN:
            raise Damaged
        return self._plain(self.page, self.position + done * self.width, n)

    def joined(self, parts: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
        """The numbers of several pages, joined."""
        return np.concatenate(parts)

    def _plain(self, page: Bytes, at: int, n: int) -> NDArray[np.float64]:
        numbers = np.frombuffer(page, f"<f{self.width}", n, at)
        with np.errstate(invalid="ignore"):  # a signalling NaN, which is refused later
            return np.require(numbers, np.float64, "A")


def _joined_ends(counts: Sequence[Ints]) -> Ints:
    """The ends of concatenated parts, from the ends in each part, which count from 0."""
    befores = itertools.accumulate((int(part[-1]) for part in counts), initial=0)
    parts = (part[1:] + before for part, before in zip(counts, befores, strict=False))
    return np.concatenate([[0], *parts])


def _spread(ids: Ids) -> Ids:
    """The ids one per row, from ids that stand for runs of rows."""
    assert ids.runs is not None
    each = np.repeat(np.arange(len(ids.ends) - 1), np.diff(ids.runs))
    bounds, letters = gathered(ids.text, ids.ends[1:], each)
    return Ids(np.concatenate([[0], bounds]), letters)


def _same(data: Bytes, size: int) -> Bytes:
    return data


def _inflated(data: Bytes, size: int) -> bytes:
    """Unpacked gzip, which may have several members, or zlib; no more than `size` bytes."""
    whole = b""
    while data:
        member = zlib.decompressobj(47)
        whole += member.decompress(data, size - len(whole) + 1)
        if not member.eof or len(whole) > size:  # that is after the checksum
            raise Damaged
        data = member.unused_data
    return whole


def _zstd(library: Any) -> Unpack:
    """Unpacks frames of zstd; no more than the given size, whatever a frame says of itself."""

    decompressor = library.ZstdDecompressor()  # otherwise made anew for each page

    def unpack(data: Bytes, size: int) -> bytes:
        if library.frame_content_size(data) == size:  # which nearly all have
            whole: bytes = decompressor.decompress(data, allow_extra_data=False)
            return whole
        stream = decompressor.stream_reader(data, read_across_frames=True)
        found: bytes = stream.read(size + 1)
        return found

    return unpack


def opened(file: IO[bytes], name: str) -> Table | None:
    """The table in a file; None where its footer is not whole, or columns are nested: that is left to pyarrow."""
    about = description(file)
    return None if about is None else Table(file, name, about)
