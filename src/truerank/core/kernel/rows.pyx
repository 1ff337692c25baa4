# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Rows: the lines of a run that answer one query, cut into columns that become objects when they are asked for.

What looks at every row of a run and nearly always finds nothing asks first, here, whether there is anything to find:
a document that comes twice, a rank that contradicts its score.

Text may hold anything: lines that are not plain are not cut, and every load stays inside by the argument beside it.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.object cimport PyObject
from libc.math cimport INFINITY, isfinite
from libc.stdint cimport INT64_MAX, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from truerank.core.kernel.ids cimport Ids, ids_add, ids_find, ids_free
from truerank.core.kernel.spelling cimport LONGEST_ID, folded, is_digit

import os
from itertools import chain

import numpy as np

cdef extern from "Python.h":
    double PyOS_string_to_double(const char*, char**, PyObject*) except? -1.0

cdef extern from "bytes.h":
    ctypedef struct Fields:
        const char* start[6]
        const char* end[6]
    enum: PAD, OK, HARD
    uint64_t SALT
    const char* split(const char*, Fields*, int, int*) nogil
    const char* split_any(const char*, Fields*, int, int*) nogil
    int number(const char*, const char*, double*) nogil
    int short_number(const char*, const char*, double*) nogil
    void copy_id(char*, const char*, uint64_t) nogil
    bint same_id(const char*, const char*, uint64_t) nogil
    uint64_t hash_id(const char*, uint64_t) nogil

SALT = int.from_bytes(os.urandom(8), "little")

cdef enum:
    COLUMNS = 6
    SHORTEST_LINE = 12             # of six columns
    LONGEST_LINE = 1 << 20
    LONGEST_RANK = 18              # digits, which 64 bits hold


cdef struct Cell:                  # where it stands in the text
    uint32_t at, n


cdef struct Row:
    double score
    uint64_t hash                  # of the document
    Cell doc, rank, tag


cdef const char* cut_line(const char* p, bint safe, Fields* f, double* score, int* found) except? NULL:
    """Cut the plain line at p, which ends in LF; where the next one begins, or NULL where it is not plain.

    safe: PAD bytes are readable behind it.
    found: how many columns it has; 0 where it is empty or a comment.
    """
    cdef int error
    cdef const char* start = p
    found[0] = 0
    if p[0] == c"#":
        while p[0] != c"\n":
            p += 1
        return p + 1
    p = split(p, f, COLUMNS, found) if safe else split_any(p, f, COLUMNS, found)
    if found[0] != COLUMNS and found[0] != 0 or p - start > LONGEST_LINE or p - start > 1 and (p - 2)[0] == c"\r":
        return NULL
    if found[0] == 0:
        return p
    if not short_number(f.start[4], f.end[4], score):    # four columns and their blanks are 8 bytes before it
        error = number(f.start[4], f.end[4], score)
        if error == HARD:
            score[0] = PyOS_string_to_double(f.start[4][:f.end[4] - f.start[4]], NULL, NULL)
        elif error != OK:
            return NULL
    return p if isfinite(score[0]) else NULL


def rows_of(bytes text not None, int64_t line):
    """The lines of a text as `Rows`, those of one query that follow each other together; None where one is not plain.

    A plain line has six columns, the fifth of which is a finite number, and no control character; it ends in LF alone.
    Empty lines and comments are passed over.

    Args:
        text: whole lines.
        line: the number of the first one.

    >>> [(rows.query, rows.docs, rows.lines) for rows in rows_of(b"1 Q0 a 1 2.5 t\\n1 Q0 b 2 .5 t\\n2 Q0 c 1 1 t\\n", 7)]
    [(b'1', [b'a', b'b'], range(7, 9)), (b'2', [b'c'], range(9, 10))]
    """
    cdef const char* p = PyBytes_AS_STRING(text)
    cdef const char* begin = p                           # of the stretch
    cdef const char* end = p + len(text)
    cdef const char* safe = end - PAD if end - p > PAD else p
    cdef const char* start
    cdef uint64_t size
    cdef int64_t n = 0
    cdef int columns = 0
    cdef Fields f
    cdef double score = 0
    cdef bytes query = b""
    cdef Row* rows
    if p == end or (end - 1)[0] != c"\n" or end - p > <int64_t>0xFFFFFFFF:
        return None
    while safe > p and (safe - 1)[0] != c"\n":           # lines that begin before it end before it
        safe -= 1
    rows = <Row*>malloc((end - p) / SHORTEST_LINE * sizeof(Row) + 1)
    if rows == NULL:
        raise MemoryError
    stretches = []
    f.start[0] = f.end[0] = p
    try:
        while p < end:
            start, p = p, cut_line(p, p < safe, &f, &score, &columns)
            if p == NULL:
                return None
            size = f.end[0] - f.start[0] if columns else 0
            if not columns or size != <uint64_t>len(query) or not same_id(PyBytes_AS_STRING(query), f.start[0], size):
                if n:
                    stretches.append(made(query, begin[:start - begin], rows, n, line))
                query, begin, line, n = f.start[0][:size], start, line + n, 0
            if not columns:
                line += 1
                continue
            rows[n].score, rows[n].hash = score, hash_id(f.start[2], f.end[2] - f.start[2])
            rows[n].doc, rows[n].rank, rows[n].tag = cell(begin, &f, 2), cell(begin, &f, 3), cell(begin, &f, 5)
            n += 1
        if n:
            stretches.append(made(query, begin[:end - begin], rows, n, line))
    finally:
        free(rows)
    return stretches or None


cdef Rows made(bytes query, bytes text, const Row* row, int64_t n, int64_t line):
    """The rows of a stretch whose first line has this number."""
    cdef Rows rows = room_for(n, query, text)
    memcpy(rows.row, row, n * sizeof(Row))
    rows.lines = range(line, line + n)
    return rows


cdef inline Cell cell(const char* text, const Fields* f, int column) noexcept nogil:
    return Cell(<uint32_t>(f.start[column] - text), <uint32_t>(f.end[column] - f.start[column]))


cdef Rows room_for(int64_t n, bytes query, bytes text):
    """n rows that are yet to be filled in."""
    cdef Rows rows = Rows.__new__(Rows)
    rows.row = <Row*>malloc(n * sizeof(Row))
    if rows.row == NULL:
        raise MemoryError
    rows.query, rows.text, rows.size = query, text, n
    return rows


def joined(list parts not None):
    """The rows of all parts, which answer one query, one after another; None where their text is too long."""
    cdef Rows part = parts[0]
    cdef bytes text = b"".join([(<Rows?>each).text for each in parts])
    cdef Rows rows
    cdef int64_t i, at = 0
    cdef uint32_t before = 0
    cdef Row* row
    if len(text) > <int64_t>0xFFFFFFFF:
        return None
    rows = room_for(sum([(<Rows>each).size for each in parts]), part.query, text)
    for part in parts:
        for i in range(part.size):
            row = &rows.row[at]
            row[0] = part.row[i]
            row.doc.at, row.rank.at, row.tag.at = row.doc.at + before, row.rank.at + before, row.tag.at + before
            at += 1
        before += <uint32_t>len(part.text)
    lines = list(chain.from_iterable([(<Rows>each).lines for each in parts]))
    rows.lines = range(lines[0], lines[0] + at) if lines == list(range(lines[0], lines[0] + at)) else lines
    return rows


cdef class Rows:
    """The lines of one query: its documents, their scores, ranks and tags, and in which lines they stand."""

    cdef readonly bytes query
    cdef readonly int64_t size
    cdef readonly object lines
    cdef bytes text
    cdef Row* row
    cdef uint32_t* table               # the first row of each document, and 1; 0 where a slot is free
    cdef uint64_t mask
    cdef bint again
    cdef list ids, values

    def __dealloc__(self):
        free(self.row)
        free(self.table)

    @property
    def docs(self):
        """The ids of the documents."""
        cdef int64_t i
        if self.ids is None:
            self.ids = [self.cut(self.row[i].doc) for i in range(self.size)]
        return self.ids

    @property
    def scores(self):
        """The scores, as Python reads them."""
        cdef int64_t i
        if self.values is None:
            self.values = [self.row[i].score for i in range(self.size)]
        return self.values

    @property
    def ranks(self):
        """The ranks as they stand there."""
        cdef int64_t i
        return [self.cut(self.row[i].rank) for i in range(self.size)]

    @property
    def tags(self):
        """The tags."""
        cdef int64_t i
        return [self.cut(self.row[i].tag) for i in range(self.size)]

    cdef inline bytes cut(self, Cell cell):
        return self.start(cell)[:cell.n]

    cdef inline const char* start(self, Cell cell) noexcept:
        return PyBytes_AS_STRING(self.text) + cell.at

    cdef inline bint holds(self, Cell cell, const char* p, uint64_t n) noexcept:
        return cell.n == n and same_id(self.start(cell), p, n)

    cdef int number(self) except -1:
        """Put the documents into the table, which is at most half full: a walk along it ends."""
        cdef uint64_t slots = 16, slot
        cdef int64_t i
        if self.table != NULL:
            return 0
        while slots < <uint64_t>(2 * self.size):
            slots *= 2
        self.table = <uint32_t*>calloc(slots, sizeof(uint32_t))
        if self.table == NULL:
            raise MemoryError
        self.mask = slots - 1
        for i in range(self.size):
            slot = self.slot(self.start(self.row[i].doc), self.row[i].doc.n, self.row[i].hash)
            if self.table[slot]:
                self.again = True
            else:
                self.table[slot] = <uint32_t>(i + 1)
        return 0

    cdef inline uint64_t slot(self, const char* p, uint64_t n, uint64_t h) noexcept:
        """The slot of a document, or the free one where it belongs."""
        cdef uint64_t slot = h & self.mask
        cdef const Row* row
        while self.table[slot]:
            row = &self.row[self.table[slot] - 1]
            if row.hash == h and self.holds(row.doc, p, n):
                break
            slot = (slot + 1) & self.mask
        return slot

    def find(self, bytes doc not None):
        """The first row of a document, or -1."""
        return self.place(doc)

    cdef int64_t place(self, bytes doc) except -2:
        cdef const char* p = PyBytes_AS_STRING(doc)
        self.number()
        return <int64_t>self.table[self.slot(p, len(doc), hash_id(p, len(doc)))] - 1

    def has_repeated(self):
        """Whether a document comes twice."""
        self.number()
        return self.again

    def found_of(self, dict docs not None):
        """The set of those documents that are there."""
        cdef bytes doc
        return {doc for doc in docs if self.place(doc) >= 0}

    def is_in_order(self):
        """Whether ranks all differ and scores never rise along them; False where that is not seen at once."""
        cdef int64_t i, rank, last = -1
        for i in range(self.size):
            rank = self.rank(i)
            if rank <= last or i and self.row[i].score > self.row[i - 1].score:
                return self.is_in_order_of_ranks()
            last = rank
        return True

    cdef inline int64_t rank(self, int64_t i) noexcept:
        return whole(self.start(self.row[i].rank), self.row[i].rank.n)

    cdef bint is_in_order_of_ranks(self) except -1:
        """Whether scores fall with ranks, where lines are in another order and ranks lie close together."""
        cdef int64_t i, rank, first = INT64_MAX, last = -1
        cdef double before = INFINITY
        cdef uint32_t* place                           # the row of each rank from the first on, and 1
        cdef bint falls = True
        for i in range(self.size):
            rank = self.rank(i)
            if rank < 0:
                return False
            first, last = min(first, rank), max(last, rank)
        if last - first >= 2 * self.size:
            return False
        place = <uint32_t*>calloc(last - first + 1, sizeof(uint32_t))
        if place == NULL:
            raise MemoryError
        for i in range(self.size):
            rank = self.rank(i) - first
            falls = falls and place[rank] == 0
            place[rank] = <uint32_t>(i + 1)
        for rank in range(last - first + 1 if falls else 0):
            if place[rank]:
                falls = falls and self.row[place[rank] - 1].score <= before
                before = self.row[place[rank] - 1].score
        free(place)
        return falls

    def is_tied(self):
        """Whether all scores are equal."""
        cdef int64_t i
        for i in range(1, self.size):
            if self.row[i].score != self.row[0].score:
                return False
        return True

    def other_tag(self, bytes tag not None):
        """The first row with another tag than this; -1 where there is none."""
        cdef int64_t i, n = len(tag)
        for i in range(self.size):
            if not self.holds(self.row[i].tag, PyBytes_AS_STRING(tag), n):
                return i
        return -1

    def may_hold_parts(self, dict docs not None):
        """Whether some document that ends in a digit may be a part of one of these: what stands before # _ : or - is."""
        cdef Ids ids
        cdef int64_t i
        cdef uint64_t n, k
        cdef const char* p
        cdef bytes doc
        memset(&ids, 0, sizeof(Ids))
        try:
            for i in range(self.size):
                p, n = self.start(self.row[i].doc), self.row[i].doc.n
                if n > LONGEST_ID:
                    return True
                for k in range(1, n - 1 if is_digit(p[n - 1]) else 0):
                    if p[k] != c"-" and p[k] != c"_" and p[k] != c"#" and p[k] != c":":
                        continue
                    if ids.n == 0:
                        for doc in docs:
                            add(&ids, PyBytes_AS_STRING(doc), len(doc))
                    if ids_find(&ids, p, k, hash_id(p, k), NULL) >= 0:
                        return True
        finally:
            ids_free(&ids)
        return False

    def may_hold_spellings(self, list docs not None):
        """Whether some document may be one of these written otherwise."""
        cdef char[LONGEST_ID] letters
        cdef Ids ids
        cdef int64_t i, n
        cdef bytes doc
        memset(&ids, 0, sizeof(Ids))
        try:
            for doc in docs:
                n = folded(PyBytes_AS_STRING(doc), len(doc), letters)
                if n < 0:
                    return True
                add(&ids, letters, n)
            for i in range(self.size):
                n = folded(self.start(self.row[i].doc), self.row[i].doc.n, letters)
                if n < 0 or ids_find(&ids, letters, n, hash_id(letters, n), NULL) >= 0:
                    return True
        finally:
            ids_free(&ids)
        return False


cdef int add(Ids* ids, const char* p, uint64_t n) except -1:
    """Append an id that may be there already."""
    cdef uint64_t h = hash_id(p, n)
    if ids_find(ids, p, n, h, NULL) < 0 and ids_add(ids, p, n, h):
        raise MemoryError
    return 0


cdef int64_t whole(const char* p, uint64_t n) noexcept nogil:
    """A whole number of digits alone, or -1 for anything else."""
    cdef int64_t number = 0
    cdef uint64_t i
    if not 1 <= n <= LONGEST_RANK:
        return -1
    for i in range(n):
        if not is_digit(p[i]):
            return -1
        number = 10 * number + (p[i] - c"0")
    return number


def columns_of(list parts not None):
    """The rows of queries, all apart, as the columns of a `Columns`, with `runs` last.

    >>> ends, text, *_, runs = columns_of(rows_of(b"1 Q0 a 1 2.5 t\\n1 Q0 b 2 .5 t\\n2 Q0 c 1 1 t\\n", 1))
    >>> ends, text, runs
    (array([0, 1, 2]), b'12', array([0, 2, 3]))
    """
    cdef Rows part
    cdef int64_t i, at = 0, row = 0, n = sum([(<Rows?>each).size for each in parts])
    query_ends, runs = np.zeros(len(parts) + 1, np.int64), np.zeros(len(parts) + 1, np.int64)
    doc_ends, scores = np.zeros(n + 1, np.int64), np.empty(n)
    cdef int64_t[::1] end = doc_ends
    cdef double[::1] score = scores
    np.cumsum([len((<Rows>each).query) for each in parts], out=query_ends[1:])
    np.cumsum([(<Rows>each).size for each in parts], out=runs[1:])
    for part in parts:
        for i in range(part.size):
            at += part.row[i].doc.n
            score[row] = part.row[i].score
            row += 1
            end[row] = at
    cdef bytes docs = PyBytes_FromStringAndSize(NULL, at)
    cdef char* letters = PyBytes_AS_STRING(docs)
    for part in parts:
        for i in range(part.size):
            copy_id(letters, part.start(part.row[i].doc), part.row[i].doc.n)
            letters += part.row[i].doc.n
    return query_ends, b"".join([(<Rows>each).query for each in parts]), doc_ends, docs, scores, runs
