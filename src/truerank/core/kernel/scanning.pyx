# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Bytes, columns and dicts in; hits out. The kernel itself.

A `Scanner` is fed what a system answered, by one of four methods (`feed`, `columns`, `mapping`,
`ranked`), and keeps one row a judged document that was returned. It holds one query's ids and scores
at a time. Untrusted bytes end here: every load stays inside its buffer by the argument beside it.
"""

cimport cython
from cpython.dict cimport PyDict_GetItem, PyDict_Next
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_Check, PyFloat_CheckExact
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_CheckExact
from cython cimport view
from libc.math cimport INFINITY, isfinite
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, qsort, realloc
from libc.string cimport memchr, memcmp, memcpy, memset

from truerank.core.kernel.ids cimport Ids, id_equals, id_length, id_start, ids_add, ids_append, ids_find, ids_free, ids_reset
from truerank.core.kernel.names cimport Names
from truerank.core.kernel.ranking cimport Answer, Found, Order, answer_add, answer_found, answer_free, answer_room, as_given, by_score, down, find_unjudged, rank, rank_alone, rising_steps, sort_found, up

import os

import numpy as np

from truerank.core.errors import NoId, Refused

cdef extern from "Python.h":
    double PyOS_string_to_double(const char*, char**, PyObject*) except? -1.0
    const char* PyUnicode_AsUTF8AndSize(object, Py_ssize_t*) except NULL
    bint PyUnicode_IS_ASCII(object)

cdef extern from "bytes.h":
    ctypedef struct Fields:
        const char* start[6]
        const char* end[6]
    ctypedef struct Cut:
        const char* id
        uint64_t n, hash
        double score
    void fetch(const void*) nogil
    enum: PAD, BLOCK, OK, FIELDS, CONTROL, NUMBER, NOT_FINITE, LONG, DUPLICATE, INTERLEAVED, MEMORY, HARD
    uint64_t SALT
    const char* split(const char*, Fields*, int, int*) nogil
    const char* cut_alike(const char*, const char*, const char*, uint64_t, Cut*, int*) nogil
    int decimal "number"(const char*, const char*, double*) nogil
    void copy_id(char*, const char*, uint64_t) nogil
    bint same_id(const char*, const char*, uint64_t) nogil
    uint64_t hash_id(const char*, uint64_t) nogil
    uint64_t keyed_id(const char*, uint64_t, uint64_t) nogil
    int compare_ids(const char*, uint64_t, const char*, uint64_t) nogil

cdef enum: LONGEST_LINE = 1 << 20
cdef enum: REFUSE, FIRST, LAST, COUNT      # Rules.duplicates

KINDS = ("ok", "fields", "control", "number", "not finite", "long", "duplicate", "interleaved", "memory")
DUPLICATES = {"error": REFUSE, "first": FIRST, "last": LAST, "count": COUNT}

SALT = int.from_bytes(os.urandom(8), "little")


cdef int slow_number(const char* p, const char* end, double* out) noexcept with gil:
    cdef bytes text = p[:end - p]
    try:
        out[0] = PyOS_string_to_double(text, NULL, NULL)
    except ValueError:
        return NUMBER
    return OK if isfinite(out[0]) else NOT_FINITE


cdef inline int number(const char* p, const char* end, double* out) noexcept nogil:
    cdef int error = decimal(p, end, out)
    return slow_number(p, end, out) if error == HARD else error


cdef bytes id_bytes(const Ids* ids, int64_t i):
    return (ids.text + id_start(ids, i))[:id_length(ids, i)]


cpdef bytes as_bytes(object name):
    """An id as bytes: text in UTF-8 (with the odd byte that a file held), anything else as it prints."""
    if isinstance(name, bytes):
        return name if type(name) is bytes else bytes(name)
    return (name if isinstance(name, str) else str(name)).encode("utf-8", "surrogateescape")


def as_text(bytes name):
    """The inverse of `as_bytes`."""
    return name.decode("utf-8", "surrogateescape")


include "lines.pxi"
include "qrels.pxi"


JUDGEMENT = np.dtype([("of", "u4"), ("second", "u4"), ("grade", "f8")])


cdef object copied(const int64_t* numbers, int64_t n):
    """A copy of n numbers as an array."""
    return np.array(<const int64_t[:n]>numbers) if n else np.empty(0, np.int64)


cdef object table(void** rows, int64_t n, dtype):
    """n rows as an array, which has the memory from now on."""
    cdef view.array memory
    cdef Py_ssize_t size = n * dtype.itemsize
    cdef void* p
    if n == 0:
        return np.empty(0, dtype)
    p = realloc(rows[0], size)                           # gives back the spare room
    rows[0] = NULL
    if p == NULL:
        raise MemoryError
    memory = <char[:size]>p
    memory.free_data = True
    return np.frombuffer(memory, dtype)


cdef enum: FEW = 2                                      # comparing with so many documents is as fast as a look-up


include "hits.pxi"
include "judged.pxi"
include "thresholds.pxi"
include "aside.pxi"


cdef enum: ROOM = 1 << 20                                # rows at first, if this many can be found: growing leaves holes


@cython.final
cdef class Scanner(Lines):
    """Reads one run and keeps a row for each judged document in it.

    Args:
        judged: what to look for.
        ties: order among equal scores: doc-descending, doc-ascending or input.
        duplicates: error, first, last or count.
        single: compare scores as 32-bit floats.
        interleaved: the rows of a query may be scattered; puts them aside, and reads them query by query at the end.
        keep: unjudged documents up to this rank become rows too.
        every: queries that are not judged are read too, numbered after the judged ones as they come.
        counting: rows are counted there, and none is kept.
    """

    cdef Judged judged
    cdef Order order
    cdef int duplicates
    cdef bint single, interleaved, every
    cdef Answer now                  # the query being read
    cdef Aside aside                 # the rows, when queries are interleaved, until they are read
    cdef int64_t fault_line, fault_query   # the first row put aside that repeats a document
    cdef Ids fault                   # that document
    cdef Docs docs                   # the judged ones of the query being read
    cdef Ids extra, current          # queries without judgements; `current` holds the query's own name
    cdef Hit* hit
    cdef int64_t n, room
    cdef int64_t* returned           # of each query that is read
    cdef int64_t* again              # rows of each query that repeat a document
    cdef int64_t reads, reads_room   # how many queries are read
    cdef int64_t likely              # the judged query that a run in their order answers next
    cdef int64_t twin                # the row that a refused duplicate repeats
    cdef Thresholds counting
    cdef int64_t keep                # up to which rank unjudged documents become rows
    cdef Ids unjudged                # their ids; they are numbered after the judged documents
    cdef public bint are_ranks       # whether scores are negated ranks somewhere, as who gives them says
    cdef readonly int64_t rows, repeated, rising, steps  # lists along which scores rise, -1 if some do not; their steps

    def __init__(self, Judged judged, str ties="doc-descending", str duplicates="error", bint single=False,
                 bint interleaved=False, int64_t keep=0, bint every=False, Thresholds counting=None):
        self.counting, self.judged, self.single, self.interleaved, self.want = counting, judged, single, interleaved, 6
        self.keep, self.every, self.unjudged.plain = keep, every, True
        self.order = down if ties == "doc-descending" else up if ties == "doc-ascending" else as_given
        self.duplicates = DUPLICATES[duplicates]
        self.now.query, self.now.ids.roomy = -1, True
        self.fault.plain = True
        self.aside = Aside() if interleaved else None
        if self.make_room(judged.n_queries + 1):
            raise MemoryError
        self.reads = judged.n_queries

    def __dealloc__(self):
        answer_free(&self.now)
        ids_free(&self.fault)
        free(self.returned)
        free(self.again)
        ids_free(&self.extra)
        ids_free(&self.current)
        ids_free(&self.unjudged)
        free(self.hit)

    cdef int make_room(self, int64_t queries) noexcept nogil:
        """Room to read this many queries."""
        cdef int64_t q
        cdef void* p = realloc(self.returned, queries * sizeof(int64_t))
        if p == NULL:
            return MEMORY
        self.returned = <int64_t*>p
        p = calloc(queries, sizeof(int64_t))             # pages that are touched only where something repeats
        if p == NULL:
            return MEMORY
        if self.repeated:
            memcpy(p, self.again, self.reads_room * sizeof(int64_t))
        free(self.again)
        self.again = <int64_t*>p
        for q in range(self.reads_room, queries):
            self.returned[q] = -1
        self.reads_room = queries
        return OK

    cdef int64_t unjudged_query(self, const char* p, uint64_t n, uint64_t h) noexcept nogil:
        """The number of a query without judgements: -1 where it is not read, -2 without memory."""
        cdef int64_t i = ids_find(&self.extra, p, n, h, NULL)
        if i < 0:
            i = self.extra.n
            if ids_add(&self.extra, p, n, h):
                return -2
            if self.every:
                self.reads += 1
                if self.reads > self.reads_room and self.make_room(2 * self.reads):
                    return -2
        return self.judged.n_queries + i if self.every else -1

    cdef int turn(self, const char* p, uint64_t n) noexcept nogil:
        """Leave the query being read and begin the one with this name."""
        cdef uint64_t h = hash_id(p, n)
        cdef int64_t q = self.judged.queries.find_from(self.likely, p, n)
        cdef int error = OK if self.interleaved else self.close()
        self.likely = q + 1 if q >= 0 else self.likely
        if error:
            return error
        ids_reset(&self.current)
        if ids_add(&self.current, p, n, h):
            return MEMORY
        if q < 0 and self.counting is None:
            q = self.unjudged_query(p, n, h)
            if q < -1:
                return MEMORY
        if q >= 0 and not self.interleaved and self.returned[q] >= 0 and self.counting is None:
            return INTERLEAVED
        if self.interleaved and q >= 0:                  # its rows are put aside
            self.now.query, self.returned[q] = q, max(self.returned[q], 0)
        else:
            self.begin(q)
        return OK

    cdef inline void begin(self, int64_t q) noexcept nogil:
        """Begin to read a query."""
        self.now.query, self.now.falling, self.now.m = q, True, 0
        ids_reset(&self.now.ids)
        if q >= 0:
            self.returned[q] = max(self.returned[q], 0)
        self.docs = self.judged.docs_of(q) if 0 <= q < self.judged.n_queries else NO_DOCS

    cdef inline int push(self, const char* p, uint64_t n, double score) noexcept nogil:
        """Add a row to the query being read, or put it aside."""
        cdef Row row
        if not self.interleaved or self.now.query < 0:
            return self.take_row(p, n, score)
        self.rows += 1
        row.line, row.score = self.line, score
        row.query, row.n = <uint32_t>self.now.query, <uint32_t>n
        return self.aside.put(&row, p) if n == row.n else MEMORY

    cdef inline int take_row(self, const char* p, uint64_t n, double score) noexcept nogil:
        """Add a row to the query being read."""
        cdef Answer* a = &self.now
        cdef uint64_t h = hash_id(p, n), slot = 0
        cdef int64_t twin, doc
        self.rows += 1
        if self.single:
            score = <double><float>score
        if self.counting is not None:
            return self.counting.place(a.query, &self.docs, p, n, score) if a.query >= 0 else OK
        twin = ids_find(&a.ids, p, n, h, &slot)
        if twin >= 0:
            self.repeated += 1
            if a.query >= 0:
                self.again[a.query] += 1
            if self.duplicates == REFUSE:
                self.twin = twin
                return DUPLICATE
            if self.duplicates == LAST:          # perhaps still falling, but no longer known
                a.score[twin], a.falling = score, False
            if self.duplicates != COUNT:
                return OK
        if answer_add(a, p, n, h, slot, twin >= 0, score):
            return MEMORY
        if a.query < 0:
            return OK
        doc = self.judged.find(&self.docs, p, n, h)
        return OK if doc < 0 else answer_found(a, a.ids.n - 1, doc)

    cdef int take_rows(self, const Cut* cut, int n, uint64_t text) noexcept nogil:
        """Add rows, whose ids are together no longer than `text`, to the query being read, or put them aside."""
        cdef int i = 0, error = OK
        cdef bint plain = self.counting is None and (not self.interleaved or self.now.query < 0)
        if plain and answer_room(&self.now, n, text):
            return MEMORY
        while i < n and not error:
            if plain:
                error = self.take_new(cut, n, &i)
            if i < n and not error:
                self.line += 1
                error = self.push(cut[i].id, cut[i].n, cut[i].score)
                i += 1
        return error

    cdef int take_new(self, const Cut* cut, int n, int* done) noexcept nogil:
        """Add the rows from `done` on, up to the first that repeats a document; there is room for them."""
        cdef Answer* a = &self.now
        cdef uint64_t slot, h
        cdef uint64_t at = a.ids.end[a.ids.n - 1] if a.ids.n else 0
        cdef double score, last = a.score[a.ids.n - 1] if a.ids.n else INFINITY
        cdef bint falling = a.falling, single = self.single
        cdef int64_t row = a.ids.n, doc
        cdef int i = done[0], error = OK
        while i < n and not error:
            h, score = cut[i].hash, cut[i].score
            slot = h & a.ids.mask
            if a.ids.table[slot] - a.ids.birth < row and ids_find(&a.ids, cut[i].id, cut[i].n, h, &slot) >= 0:
                break
            if single:
                score = <double><float>score
            ids_append(&a.ids, cut[i].id, cut[i].n, h, slot)
            a.score[row] = score
            falling = falling and score <= last
            last = score
            if perhaps(&self.docs, h):
                doc = self.judged.find(&self.docs, cut[i].id, cut[i].n, h)
                if doc >= 0 and a.query >= 0:
                    error = answer_found(a, row, doc)
            row += 1
            i += 1
        a.falling = falling
        self.line += i - done[0]
        self.rows += i - done[0]
        done[0] = i
        return error

    cdef int close(self) noexcept nogil:
        """Rank what was found in the query being read and keep it."""
        cdef Answer* a = &self.now
        self.note_order(a.score, a.ids.n)
        if a.query < 0:
            return OK
        if self.keep and find_unjudged(a, self.keep) or rank(a, self.order) or self.keep_found(a):
            return MEMORY
        self.returned[a.query] = a.ids.n
        a.query = -1
        return OK

    cdef inline void note_order(self, const double* score, int64_t n) noexcept nogil:
        cdef int64_t steps
        if self.rising >= 0 and n > 1:
            steps = rising_steps(score, n)
            self.rising = -1 if steps < 0 else self.rising + 1
            self.steps += steps

    cdef read_aside(self):
        """Read the rows that were put aside, query by query; of repeated documents the first is the error."""
        cdef Aside aside = self.aside
        cdef uint64_t size
        cdef char* rows
        cdef int error = OK, i
        self.aside, self.interleaved, self.now.query = None, False, -1
        for i in range(BUCKETS):
            rows = aside.load(i, &size)
            with nogil:
                error = error or self.read_bucket(rows, size)
                free(rows)
        if self.fault.n and (self.error == OK or self.fault_line < self.line):
            self.error, self.line = DUPLICATE, self.fault_line
        self.error = error or self.error

    cdef int read_bucket(self, char* rows, uint64_t size) noexcept nogil:
        cdef int64_t i = 0, n, query
        cdef int error = OK
        cdef Row** row = by_query(rows, size, self.reads, &n)
        if row == NULL:
            return MEMORY
        self.rows -= n                                   # `take_row` counts them
        while i < n and error != MEMORY:
            query, error = row[i].query, OK
            self.begin(query)
            while i < n and row[i].query == query:
                if not error:
                    error = self.take_row(<char*>(row[i] + 1), row[i].n, row[i].score)
                    if error == DUPLICATE and (self.fault.n == 0 or row[i].line < self.fault_line):
                        self.fault_line, self.fault_query, self.fault.n = row[i].line, query, 0
                        error = error if ids_add(&self.fault, <char*>(row[i] + 1), row[i].n, 0) == OK else MEMORY
                i += 1
            error = error or self.close()
        self.now.query = -1
        free(row)
        return MEMORY if error == MEMORY else OK

    cdef int keep_found(self, const Answer* a) noexcept nogil:
        cdef void* q
        cdef Hit* hit
        cdef const Found* f
        cdef int64_t i, room
        cdef int64_t* number = NULL                      # of each unjudged document, by its first row
        if self.keep:
            number = <int64_t*>calloc(a.ids.n + 1, sizeof(int64_t))
            if number == NULL:
                return MEMORY
        if self.n + a.m > self.room:
            room = max(2 * (self.n + a.m), min(self.judged.n_docs, ROOM))
            q = realloc(self.hit, room * sizeof(Hit))
            if q == NULL:
                free(number)
                return MEMORY
            self.hit, self.room = <Hit*>q, room
        for i in range(a.m):
            hit, f = &self.hit[self.n], &a.found[i]
            hit.query, hit.doc, hit.score = a.query, f.doc, f.score
            hit.rank, hit.first, hit.last = f.rank, f.first, f.last
            if f.doc < 0:
                if f.rank > self.keep:
                    continue
                hit.doc = self.numbered(f, &number[-1 - f.doc])
                if hit.doc < 0:
                    free(number)
                    return MEMORY
            self.n += 1
        free(number)
        return OK

    cdef inline int64_t numbered(self, const Found* f, int64_t* known) noexcept nogil:
        """The number of an unjudged document, which each of its rows has; -1 without memory."""
        if known[0] == 0:
            if ids_add(&self.unjudged, f.id, f.id_n, 0):
                return -1
            known[0] = self.unjudged.n
        return self.judged.n_docs + known[0] - 1

    cdef inline bint turned(self, const char* p, uint64_t n) noexcept nogil:
        return self.current.n == 0 or not id_equals(&self.current, 0, p, n)

    cdef int row(self, const Fields* f) noexcept nogil:
        """Door 1: `query iteration document rank score tag` lines."""
        cdef double score
        cdef int error = number(f.start[4], f.end[4], &score)
        if not error and self.turned(f.start[0], f.end[0] - f.start[0]):
            error = self.turn(f.start[0], f.end[0] - f.start[0])
        return error if error else self.push(f.start[2], f.end[2] - f.start[2], score)

    cdef const char* alike(self, const char* p, const char* end, const Fields* f) noexcept nogil:
        """Lines of the same query and iteration: only the other columns need be found. Most of a run is such."""
        cdef Cut cut[BLOCK]
        cdef int cuts = BLOCK
        cdef const char* start
        if f.start[2] - f.start[0] > PAD or f.start[0][0] == c"#":
            return p
        while cuts == BLOCK and not self.error:
            start, p = p, cut_alike(p, end, f.start[0], f.start[2] - f.start[0], cut, &cuts)
            self.error = self.take_rows(cut, cuts, p - start)
        return p

    def columns(self, const int64_t[::1] query_ends, const unsigned char[::1] query_text, const int64_t[::1] doc_ends,
                const unsigned char[::1] doc_text, const double[::1] scores, const int64_t[::1] runs=None):
        """Door 2: columns of text, each given as its n + 1 ends and its bytes, and a column of scores.

        runs: the first row of each query id, and the number of rows; without it each row has a query id.
        """
        cdef Cut cut[BLOCK]
        cdef int64_t i, start, end, length, r = 0, n = query_ends.shape[0] - 1
        cdef const int64_t* first = NULL if runs is None else &runs[0]
        cdef int error = OK, cuts
        cdef const char* query
        cdef const char* queries = b""
        cdef const char* docs = b""
        cdef bint fits = doc_ends.shape[0] == scores.shape[0] + 1
        fits = fits and (n == scores.shape[0] if runs is None else runs.shape[0] == n + 1)
        for r in range(n if fits and runs is not None else 0):
            fits = fits and 0 <= runs[r] <= runs[r + 1] <= scores.shape[0]
        if not fits:
            raise ValueError("the columns do not fit together")
        r = 0
        if query_text.shape[0]:
            queries = <const char*>&query_text[0]
        if doc_text.shape[0]:
            docs = <const char*>&doc_text[0]
        with nogil:
            while r < n and not error:
                query, length = queries + query_ends[r], query_ends[r + 1] - query_ends[r]
                i, r = r if first == NULL else first[r], r + 1
                while first == NULL and r < n and query_ends[r + 1] - query_ends[r] == length \
                        and same_id(query, queries + query_ends[r], length):
                    r += 1
                end = r if first == NULL else first[r]
                if not isfinite(scores[i]):
                    error = NOT_FINITE
                elif self.turned(query, length):
                    error = self.turn(query, length)
                self.line += error != OK
                while i < end and not error:
                    start, cuts = i, 0
                    while i < end and cuts < BLOCK and isfinite(scores[i]):
                        cut[cuts].id, cut[cuts].n = docs + doc_ends[i], doc_ends[i + 1] - doc_ends[i]
                        cut[cuts].hash, cut[cuts].score = hash_id(cut[cuts].id, cut[cuts].n), scores[i]
                        i, cuts = i + 1, cuts + 1
                    error = self.take_rows(cut, cuts, doc_ends[i] - doc_ends[start])
                    if not error and i < end and cuts < BLOCK:
                        error = NOT_FINITE
                        self.line += 1
        self.error = error
        self.check()

    def mapping(self, dict run):
        """Door 3: {query: {document: score}}."""
        cdef Py_ssize_t size
        for key, docs in run.items():
            self.open(as_bytes(key))
            if not self.locate(docs):
                size = len(docs)
                self.ranked_rows(docs.keys(), docs.values())
                if len(docs) != size:                    # another's __float__ changed it
                    raise RuntimeError("dictionary changed size during iteration")

    def ranked(self, object query, object docs, object scores=None):
        """Door 4: one query's documents, best first, or with their scores."""
        self.open(as_bytes(query))
        self.ranked_rows(docs, scores)

    cdef open(self, bytes name):
        self.error = self.turn(name, len(name))
        self.check()

    cdef ranked_rows(self, docs, scores):
        cdef Cut cut[BLOCK]
        cdef bint is_own = self.interleaved or type(docs) is not list or scores is not None and type(scores) is not list
        cdef list names = list(docs) if is_own else docs
        cdef list values = list(scores) if is_own and scores is not None else scores
        cdef Py_ssize_t i = 0, size, n = len(names)
        cdef int cuts = BLOCK
        cdef uint64_t text
        if values is not None and len(values) != n:
            raise ValueError(f"there are {n} documents, but {len(values)} scores")
        while i < n:
            cuts = text = 0
            while i < n and cuts < BLOCK and PyUnicode_CheckExact(names[i]) and PyUnicode_IS_ASCII(names[i]):
                if values is None:
                    cut[cuts].score = -i
                elif not PyFloat_CheckExact(values[i]) or not isfinite(PyFloat_AS_DOUBLE(values[i])):
                    break
                else:
                    cut[cuts].score = PyFloat_AS_DOUBLE(values[i])
                cut[cuts].id = PyUnicode_AsUTF8AndSize(names[i], &size)
                cut[cuts].n, cut[cuts].hash = size, hash_id(cut[cuts].id, size)
                text += size
                i, cuts = i + 1, cuts + 1
            self.error = self.take_rows(cut, cuts, text)
            if not self.error and i < n and cuts < BLOCK:
                if not is_own:                               # code of others may run now, and change the lists
                    is_own, names, values = True, list(names), None if values is None else list(values)
                self.error = self.ranked_row(names[i], -i if values is None else values[i])
                i += 1
            if self.error:
                self.check()

    cdef int ranked_row(self, object doc, object value) except? -1:
        """Add a row whose document or score is something else than plain text or a plain number."""
        cdef double score = value
        cdef bytes name = doc_bytes(doc)
        self.line += 1
        return self.push(name, len(name), score) if isfinite(score) else NOT_FINITE

    cdef bint locate(self, dict docs):
        """Find the judged documents in a dict by looking each up, which reads no other key.

        False when the dict must be walked: a key that is no text, a score that is no number, a judged document
        that ties with another, or few documents.
        """
        cdef int64_t q = self.now.query, n = 0, i
        cdef Py_ssize_t position = 0, ahead = BLOCK
        cdef PyObject* key[BLOCK]
        cdef PyObject* value[BLOCK]
        cdef double score, last = INFINITY
        cdef double* scores
        cdef bint falling = True
        if self.interleaved or self.keep or self.every or self.counting is not None or self.order == as_given:
            return False
        if q >= 0 and len(docs) < self.judged.start[q + 1] - self.judged.start[q]:
            return False
        if answer_room(&self.now, len(docs), 0):
            raise MemoryError
        scores = self.now.score
        while ahead == BLOCK:                                # they lie anywhere in memory: fetch many at a time
            ahead = 0
            while ahead < BLOCK and PyDict_Next(docs, &position, &key[ahead], &value[ahead]):
                fetch(key[ahead])
                fetch(value[ahead])
                ahead += 1
            for i in range(ahead):
                if not PyUnicode_CheckExact(<object>key[i]) or not (PyFloat_Check(<object>value[i])
                                                                    or type(<object>value[i]) is int):
                    return False                             # another's __float__ might change the dict
                score = <object>value[i]
                if self.single:
                    score = <double><float>score
                if not isfinite(score):
                    return False
                falling = falling and score <= last
                scores[n] = last = score
                n += 1
        if q >= 0 and not self.look_up_each(docs, self.judged.docs(q), scores, n, falling):
            return False
        self.note_order(scores, n)
        self.line += n
        self.rows += n
        return True

    cdef bint look_up_each(self, dict docs, tuple names, const double* scores, int64_t n, bint falling):
        cdef Answer* a = &self.now
        cdef PyObject* value
        cdef Found* f
        cdef int64_t i, query = a.query
        cdef double score
        if not falling and len(names) > 256:                     # each would be compared with all
            return False
        for i in range(len(names)):
            value = PyDict_GetItem(docs, names[i])
            if value == NULL:
                continue
            score = <object>value
            if answer_found(a, 0, self.judged.start[query] + i):
                raise MemoryError
            f = &a.found[a.m - 1]
            f.score = <double><float>score if self.single else score
            if not rank_alone(scores, n, falling, f):
                a.m = 0
                return False
        sort_found(a.found, a.m, by_score)
        if self.keep_found(a):
            raise MemoryError
        self.returned[query] = n
        a.query = -1
        return True

    cdef check(self):
        if self.aside is not None and self.aside.failure is not None:
            raise self.aside.failure
        if self.error and self.error != MEMORY and self.interleaved:
            self.read_aside()                            # an earlier row may be wrong too
        Lines.check(self)

    def finish(self):
        """(query, document, rank, first, last, score) of each hit, and what was returned for each query, or -1."""
        cdef int64_t n
        with nogil:
            self.end_lines()
            if not self.error and not self.interleaved:
                self.error = self.close()
        if self.interleaved:
            self.read_aside()
        self.check()
        n, self.n = self.n, 0
        return table(<void**>&self.hit, n, HIT), table(<void**>&self.returned, self.reads, np.dtype(np.int64))

    def taken(self):
        """(rows, `unjudged_ids`) of the queries that are read to their ends; these rows are forgotten."""
        cdef int64_t n = self.n
        ids = self.unjudged_ids
        self.n = self.room = self.unjudged.n = 0
        return table(<void**>&self.hit, n, HIT), ids

    @property
    def repeats(self):
        """(queries,) how many rows of each repeat a document; None where no row of the run does."""
        return copied(self.again, self.reads) if self.repeated else None

    @property
    def unjudged_ids(self):
        """(ends, text) of the ids of the unjudged documents that became rows."""
        cdef int64_t n = self.unjudged.n
        return copied(<int64_t*>self.unjudged.end, n), self.unjudged.text[:self.unjudged.end[n - 1]] if n else b""

    @property
    def extra_queries(self):
        """The names of the answered queries that are unjudged."""
        return self.extra_from(0)

    def extra_from(self, int64_t first):
        """The names of the answered queries that are unjudged, from the place `first` on."""
        return [id_bytes(&self.extra, i) for i in range(first, self.extra.n)]

    @property
    def here(self):
        """(query, document) names where reading stopped, for an error message."""
        if self.fault.n and self.line == self.fault_line:
            name = self.fault_query - self.judged.n_queries
            return (id_bytes(&self.extra, name) if name >= 0 else self.judged.queries.at(self.fault_query),
                    id_bytes(&self.fault, 0))
        return (id_bytes(&self.current, 0) if self.current.n else b"",
                id_bytes(&self.now.ids, self.twin) if self.now.ids.n else b"")
