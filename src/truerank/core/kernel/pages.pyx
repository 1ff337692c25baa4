# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Pages: what a file of Parquet is made of, decoded (Apache Parquet's format, version 2.10).

Bytes may be anything: what does not fit into them raises ValueError, and every load stays inside by the check before it.
Numbers are little-endian in the file, as they are in memory.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport UINT32_MAX, int64_t, uint32_t, uint64_t
from libc.string cimport memcpy

import numpy as np

cdef enum:
    DEEPEST = 64                   # structs in structs
    MOST_ITEMS = 1 << 20           # of a list: each may take a hundred times its bytes in memory
    LONGEST_BLOCK = 1 << 20        # lengths that are packed together
    MOST = 64                      # bytes of a copy in Snappy
    WIDE = 16                      # bytes that are copied at once where there is room for them

cdef enum: STOP, TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT    # of Thrift


@cython.final
cdef class Thrift:
    """Reads Thrift's compact protocol."""

    cdef const unsigned char[::1] data
    cdef int64_t at

    def __init__(self, const unsigned char[::1] data not None):
        self.data = data

    cdef int64_t byte(self) except -1:
        if self.at >= self.data.shape[0]:
            raise EOFError
        self.at += 1
        return self.data[self.at - 1]

    cdef uint64_t varint(self) except? 0:
        cdef uint64_t number = 0, byte
        cdef int shift
        for shift in range(0, 64, 7):
            byte = self.byte()
            number |= (byte & 0x7F) << shift
            if byte < 0x80:
                return number
        raise ValueError("a number is too long")

    cdef int64_t whole(self) except? 0:
        cdef uint64_t number = self.varint()
        return <int64_t>(number >> 1) ^ -<int64_t>(number & 1)

    cdef bytes text(self, uint64_t size):
        if size > <uint64_t>(self.data.shape[0] - self.at):
            raise EOFError
        self.at += size
        return bytes(self.data[self.at - <int64_t>size:self.at])

    cdef object value(self, int64_t kind, int depth):
        if kind == TRUE or kind == FALSE:
            return kind == TRUE
        if kind == BYTE:
            return self.byte()
        if kind == I16 or kind == I32 or kind == I64:
            return self.whole()
        if kind == DOUBLE:
            return self.text(8)
        if kind == BINARY:
            return self.text(self.varint())
        if (kind == LIST or kind == SET) and depth < DEEPEST:
            return self.items(depth + 1)
        if kind == STRUCT and depth < DEEPEST:
            return self.struct(depth + 1)
        raise ValueError("a value is of no known kind")

    cdef list items(self, int depth):
        cdef int64_t head = self.byte()
        cdef uint64_t i, size = head >> 4 if head >> 4 < 15 else self.varint()
        cdef list found = []
        if size > MOST_ITEMS:
            raise ValueError("a list is too long")
        if size > <uint64_t>(self.data.shape[0] - self.at):      # each takes a byte or more
            raise EOFError
        for i in range(size):
            found.append(self.byte() == TRUE if head & 15 <= FALSE else self.value(head & 15, depth))
        return found

    cdef dict struct(self, int depth):
        cdef int64_t head, field = 0
        cdef dict found = {}
        while True:
            head = self.byte()
            if head & 15 == STOP:
                return found
            field = field + (head >> 4) if head >> 4 else self.whole()
            found[field] = self.value(head & 15, depth)


def struct(const unsigned char[::1] data not None):
    """({number of a field: its value}, how many bytes it takes) of the struct with which Thrift's bytes begin.

    Raises:
        EOFError: it goes on behind the data.
        ValueError: this is no such struct.

    >>> struct(b"\\x15\\x06\\x18\\x02hi\\x00")
    ({1: 3, 2: b'hi'}, 7)
    """
    cdef Thrift thrift = Thrift(data)
    return thrift.struct(0), thrift.at


cdef int64_t number_at(const unsigned char[::1] page, int64_t* at, int64_t end) except? -1 nogil:
    """The number at an offset, seven bits a byte and the lowest first; move on to what follows."""
    cdef uint64_t found = 0, byte = 0x80
    cdef int shift = 0
    while byte >= 0x80:
        if at[0] >= end or shift > 63:
            raise ValueError("a number is cut short")
        byte = page[at[0]]
        found |= (byte & 0x7F) << shift
        at[0] += 1
        shift += 7
    return <int64_t>found


cdef inline int64_t signed_at(const unsigned char[::1] page, int64_t* at, int64_t end) except? -1 nogil:
    """As `number_at`, for a number whose lowest bit is its sign."""
    cdef int64_t found = number_at(page, at, end)
    return <int64_t>(<uint64_t>found >> 1) ^ -(found & 1)


cdef inline uint64_t bits_at(const unsigned char* page, int64_t size, int64_t bit, int width) noexcept nogil:
    """Up to 32 bits from one on; those behind the page are 0."""
    cdef uint64_t bits = 0
    cdef int64_t byte = bit >> 3
    if size - byte >= 8:
        memcpy(&bits, page + byte, 8)
    elif size > byte:
        memcpy(&bits, page + byte, size - byte)
    return bits >> (bit & 7) & ((<uint64_t>1 << width) - 1)


def plain_ids(const unsigned char[::1] page not None, int64_t at, int64_t n):
    """((n + 1,) ends and the text of the n ids that begin at an offset, each behind its length; where they end).

    >>> plain_ids(b"\\x01\\x00\\x00\\x00a\\x02\\x00\\x00\\x00bc", 0, 2)
    (array([0, 1, 3]), array([97, 98, 99], dtype=uint8), 11)
    """
    cdef int64_t size = page.shape[0], to = 0, i
    cdef uint32_t length
    if not 0 <= at <= size or not 0 <= n <= (size - at) // 4:
        raise ValueError("there are fewer ids than should be")
    ends, text = np.empty(n + 1, np.int64), np.empty(size - at + WIDE, np.uint8)
    cdef int64_t[::1] end = ends
    cdef unsigned char[::1] letters = text
    cdef const unsigned char* p = &page[0] if size else NULL
    cdef unsigned char* out = &letters[0]                # what is written is shorter than what was read
    end[0] = 0
    with nogil:
        for i in range(n):
            if size - at < 4:
                break
            memcpy(&length, p + at, 4)
            at += 4
            if length > size - at:
                at = size + 1
                break
            if length <= WIDE and size - at >= WIDE:
                memcpy(out + to, p + at, WIDE)
            else:
                memcpy(out + to, p + at, length)
            at += length
            to += length
            end[i + 1] = to
        else:
            i = n
    if i < n:
        raise ValueError("an id reaches beyond its page")
    return ends, text[:to], at


def split_ids(const unsigned char[::1] page not None, int64_t at, int64_t n):
    """((n + 1,) ends of the n ids whose lengths, as differences, begin at an offset; where the text of all follows).

    >>> split_ids(b"\\x80\\x01\\x04\\x02\\x02\\x02\\x00\\x00\\x00\\x00abc", 0, 2)          # 1, and 1 more
    (array([0, 1, 3]), 10)
    """
    cdef int64_t size = page.shape[0], i, block, parts, each, length, least, widths, part, bit, end, at_end
    cdef uint64_t bits
    cdef int width, some, place
    if not 0 <= at <= size or not 0 < n <= size - at:
        raise ValueError("there are fewer ids than should be")
    ends = np.empty(n + 1, np.int64)
    cdef int64_t[::1] room = ends
    cdef int64_t* after = &room[0]
    after[0] = 0
    cdef const unsigned char* p = &page[0]
    with nogil:
        block, parts = number_at(page, &at, size), number_at(page, &at, size)
        if number_at(page, &at, size) != n or not 0 < parts <= block <= LONGEST_BLOCK or block % (8 * parts):
            raise ValueError("the lengths are of another number of ids")
        length, each, i = signed_at(page, &at, size), block // parts, 1
        after[1] = length
        while i < n:
            least, widths = signed_at(page, &at, size), at
            at += parts
            for part in range(parts):
                if i >= n:
                    break
                width = page[widths + part] if at <= size else 64
                bit, end = at * 8, min(n, i + each)
                at += each // 8 * width
                if width > 32 or at > size:
                    raise ValueError("the lengths are cut short")
                at_end = after[i]
                while i < end:
                    if width <= 8 and i + 8 <= end and size - (bit >> 3) >= 8:    # eight, which take whole bytes
                        memcpy(&bits, p + (bit >> 3), 8)
                        some = 8
                    else:
                        bits, some = bits_at(p, size, bit, width), 1
                    for place in range(some):
                        length += least + <int64_t>(bits & ((<uint64_t>1 << width) - 1))
                        if not 0 <= length <= size:
                            raise ValueError("an id reaches beyond its page")
                        at_end += length
                        after[i + place + 1] = at_end
                        bits >>= width
                    bit += some * width
                    i += some
    if not 0 <= after[1] <= after[n] <= size - at:
        raise ValueError("an id reaches beyond its page")
    return ends, at


def split_floats(const unsigned char[::1] page not None, int64_t at, int64_t total, int64_t start, int64_t n, int width):
    """(n,) float64, from one on, of `total` numbers whose first bytes stand together at an offset, then their second …

    width: bytes of each: 4 or 8.

    >>> split_floats(np.array([1.5, -2.0]).view(np.uint8).reshape(2, 8).T.copy().ravel(), 0, 2, 1, 1, 8)
    array([-2.])
    """
    cdef int64_t i
    cdef int b
    cdef uint64_t bits
    cdef uint32_t half
    cdef float single
    if width != 4 and width != 8 or at < 0 or not 0 <= total <= (page.shape[0] - at) // width \
            or not 0 <= start <= total or not 0 <= n <= total - start:
        raise ValueError("there are fewer numbers than should be")
    found = np.empty(n, np.float64)
    cdef double[::1] out = found
    cdef const unsigned char* p = &page[at + start] if n else NULL
    with nogil:
        for i in range(n):
            bits = 0
            if width == 8:
                for b in range(8):
                    bits |= <uint64_t>p[b * total + i] << 8 * b
                memcpy(&out[i], &bits, 8)
            else:
                for b in range(4):
                    bits |= <uint64_t>p[b * total + i] << 8 * b
                half = <uint32_t>bits
                memcpy(&single, &half, 4)
                out[i] = single
    return found


@cython.final
cdef class Codes:
    """Numbers of some bits each, as Parquet packs them: a number with how often it comes, or eight and eight as bits.

    >>> codes = Codes(b"\\x06\\x05\\x03\\x88\\xc6\\xfa", 0, 6, 3)        # three times 5, then 0 to 7
    >>> [part.tolist() for part in codes.take(5)], codes.same(2, 2)
    ([[0, 3, 4, 5], [5, 0, 1]], 1)
    """

    cdef const unsigned char[::1] page
    cdef int64_t at, end, left, bit          # left: of the present run
    cdef int width
    cdef bint packed
    cdef uint64_t number

    def __init__(self, const unsigned char[::1] page not None, int64_t at, int64_t end, int width):
        if not 0 <= at <= end <= page.shape[0] or not 0 <= width <= 32:
            raise ValueError("there are fewer codes than should be")
        self.page, self.at, self.end, self.width = page, at, end, width

    cdef int begin(self) except -1 nogil:
        """Begin the next run."""
        cdef int64_t head = number_at(self.page, &self.at, self.end), most
        cdef int b
        if not 0 <= head <= UINT32_MAX:
            raise ValueError("there are fewer codes than should be")
        self.packed = head & 1
        if self.packed:
            self.left, self.bit = (head >> 1) * 8, self.at * 8
            if self.width:                               # the last eight may be cut short
                most = (self.end - self.at) * 8 // self.width
                if self.left >= most + 8:
                    raise ValueError("there are fewer codes than should be")
                self.left = min(self.left, most)
            self.at += min((head >> 1) * self.width, self.end - self.at)
            return 0
        self.left, self.number = head >> 1, 0
        for b in range((self.width + 7) // 8):
            if self.at >= self.end:
                raise ValueError("there are fewer codes than should be")
            self.number |= <uint64_t>self.page[self.at] << 8 * b
            self.at += 1
        return 0

    cdef inline uint64_t packed_number(self) noexcept nogil:
        """The next one of a packed run, whose bits all lie in the page."""
        cdef uint64_t bits = bits_at(&self.page[0], self.page.shape[0], self.bit, self.width)
        self.bit += self.width
        return bits

    def take(self, int64_t n):
        """The next n: (runs + 1,) where each run of one number begins, and the end; (runs,) the numbers."""
        cdef int64_t done = 0, runs = 0, some, i
        cdef uint64_t number
        firsts, numbers = np.empty(n + 1, np.int64), np.empty(n, np.int64)
        cdef int64_t[::1] first = firsts, of = numbers
        with nogil:
            while done < n:
                if self.left == 0:
                    self.begin()
                    continue
                some = min(self.left, n - done)
                for i in range(some if self.packed else 1):
                    number = self.packed_number() if self.packed else self.number
                    if runs == 0 or of[runs - 1] != <int64_t>number:
                        first[runs], of[runs] = done + i, number
                        runs += 1
                done += some
                self.left -= some
        first[runs] = n
        return firsts[:runs + 1], numbers[:runs]

    def same(self, int64_t n, uint64_t number):
        """How many of the next n are this number, up to the first that is another."""
        cdef int64_t done = 0, some, i
        while done < n:
            if self.left == 0:
                self.begin()
                continue
            some = min(self.left, n - done)
            for i in range(some if self.packed else 1):
                if (self.packed_number() if self.packed else self.number) != number:
                    return done + i
            done += some
            self.left -= some
        return n


cdef inline bint copy_within(char* out, int64_t to, int64_t back, int64_t length, int64_t size) noexcept nogil:
    """Copy what stands so far back, which may reach into what is written; whether it fits."""
    cdef int64_t i
    if back <= 0 or back > to or length > size - to:
        return False
    if back < 8 or size - to < MOST or length > MOST:
        for i in range(length):
            out[to + i] = out[to + i - back]
    elif back < WIDE:
        for i in range(0, length, 8):
            memcpy(out + to + i, out + to + i - back, 8)
    else:
        memcpy(out + to, out + to - back, WIDE)
        if length > WIDE:
            for i in range(1, MOST // WIDE):
                memcpy(out + to + i * WIDE, out + to + i * WIDE - back, WIDE)
    return True


def unsnapped(const unsigned char[::1] data not None, int64_t size):
    """The bytes that data compressed by Snappy stands for (its format description of 2011), which are `size` bytes.

    >>> unsnapped(b"\\x0a\\x04ab\\x1e\\x02\\x00", 10)
    b'ababababab'
    """
    cdef int64_t n = data.shape[0], at = 0, to = 0, length, back
    cdef int tag, more
    cdef const unsigned char* p = &data[0] if n else NULL
    if size < 0 or number_at(data, &at, n) != size:
        raise ValueError("it stands for another number of bytes")
    cdef bytes found = PyBytes_FromStringAndSize(NULL, size)
    cdef char* out = PyBytes_AS_STRING(found)
    with nogil:
        while at < n:
            tag = p[at]
            at += 1
            if tag & 3 == 0:
                length = (tag >> 2) + 1
                if length <= WIDE and n - at >= WIDE and size - to >= WIDE:      # so are nearly all
                    memcpy(out + to, p + at, WIDE)
                else:
                    if length > 60:
                        more = <int>length - 60
                        if n - at < more:
                            break
                        length = 0
                        memcpy(&length, p + at, more)
                        length, at = length + 1, at + more
                    if length > n - at or length > size - to:
                        break
                    memcpy(out + to, p + at, length)
                at += length
            else:
                more = 1 if tag & 3 == 1 else 2 if tag & 3 == 2 else 4
                if n - at < more:
                    break
                back = 0
                if n - at >= 4:
                    memcpy(&back, p + at, 4)
                    back &= (<int64_t>1 << 8 * more) - 1
                else:
                    memcpy(&back, p + at, more)
                at += more
                length = (tag >> 2) + 1
                if more == 1:
                    length, back = 4 + (tag >> 2 & 7), back | tag >> 5 << 8
                if not copy_within(out, to, back, length, size):
                    break
            to += length
        else:
            tag = -1
    if tag != -1 or to != size:
        raise ValueError("a piece reaches beyond the others")
    return found
