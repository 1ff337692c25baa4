# Placing rows among those that were found, without keeping any. A part of the kernel: `scanning.pyx` includes it.

cdef struct Mark:              # of a document that is not among those found
    int64_t query
    uint64_t mark


cdef enum: JUDGED, KEPT, GONE
cdef uint64_t ODD = 0x9E3779B97F4A7C15
MARK = np.dtype([("query", "i8"), ("mark", "u8")])


@cython.final
cdef class Thresholds:
    """The rows found for each query, best first, and how many other rows stand between them.

    Every other row is dropped into a bucket before a threshold; the sums of buckets are what is counted.

    Args:
        judged: the documents that the rows found have, and those that leave the list.
        start: (queries + 1,) query q's rows found are start[q] to start[q + 1].
        doc, score: (rows found,) of each, which document of `judged`, and the score.
        kind: (documents,) of each: JUDGED, with all its rows among those found; KEPT, perhaps with some of them;
            GONE, which leaves the list.
        up: whether equal scores are in the order of ids; else the other way round.
        marking: keep a mark of each other row.
        key: what marks depend on beside the id.
    """

    cdef Judged judged
    cdef const int64_t[::1] start, doc
    cdef const double[::1] score
    cdef const unsigned char[::1] kind
    cdef bint up, marking
    cdef uint64_t key
    cdef int64_t[::1] above, same, inside    # buckets: better, of the same score, of these before it
    cdef Mark* mark
    cdef int64_t marks, room
    cdef readonly bint is_strange            # a judged document has another score than any that it was found with

    def __init__(self, Judged judged, const int64_t[::1] start, const int64_t[::1] doc, const double[::1] score,
                 const unsigned char[::1] kind, bint up, bint marking, uint64_t key):
        n = len(doc)
        if len(start) != judged.n_queries + 1 or start[0] != 0 or start[judged.n_queries] != n or len(score) != n \
                or len(kind) != judged.n_docs or (np.diff(start) < 0).any() \
                or n and not 0 <= np.min(doc) <= np.max(doc) < judged.n_docs:
            raise ValueError("thresholds are not of these documents")
        self.judged, self.start, self.doc, self.score, self.kind = judged, start, doc, score, kind
        self.up, self.marking, self.key = up, marking, key
        self.above, self.same, self.inside = np.zeros((3, n), np.int64)

    def __dealloc__(self):
        free(self.mark)

    cdef inline int place(self, int64_t q, const Docs* docs, const char* p, uint64_t n, double score) noexcept nogil:
        """Count a row of query q."""
        cdef int64_t low = self.start[q], high = self.start[q + 1], end = high, middle
        cdef int64_t d = self.judged.find(docs, p, n, hash_id(p, n))
        if self.marking and (d < 0 or self.kind[d] != JUDGED) and self.keep_mark(q, keyed_id(p, n, self.key + <uint64_t>q * ODD)):
            return MEMORY
        if d >= 0 and self.kind[d] == GONE:
            return OK
        while low < high:                        # the first threshold that is not better
            middle = low + (high - low) // 2
            if self.score[middle] > score:
                low = middle + 1
            else:
                high = middle
        if d >= 0:
            middle = low
            while middle < end and self.score[middle] == score:
                if self.doc[middle] == d:        # it is one of those found
                    return OK
                middle += 1
            if self.kind[d] == JUDGED:
                self.is_strange = True
                return OK
        if low < end and self.score[low] < score:
            self.above[low] += 1
        elif low < end:
            self.same[low] += 1
            while low < end and self.score[low] == score and self.is_before(low, p, n):
                low += 1
            if low < end and self.score[low] == score:
                self.inside[low] += 1
        return OK

    cdef inline bint is_before(self, int64_t row, const char* p, uint64_t n) noexcept nogil:
        """Whether a threshold stands before a document with the same score."""
        cdef int64_t d = self.doc[row]
        cdef int c = compare_ids(self.judged.text + self.judged.begin[d], self.judged.end[d] - self.judged.begin[d], p, n)
        return c < 0 if self.up else c > 0

    cdef int keep_mark(self, int64_t q, uint64_t mark) noexcept nogil:
        cdef void* p
        if self.marks == self.room:
            p = realloc(self.mark, (2 * self.room + 1024) * sizeof(Mark))
            if p == NULL:
                return MEMORY
            self.mark, self.room = <Mark*>p, 2 * self.room + 1024
        self.mark[self.marks].query, self.mark[self.marks].mark = q, mark
        self.marks += 1
        return OK

    def counted(self):
        """(rows found,) of other rows: how many are better, have the same score, and stand before it with that."""
        cdef int64_t q, i, better, equal, before
        out = np.zeros((3, len(self.doc)), np.int64)
        cdef int64_t[:, ::1] o = out
        for q in range(self.judged.n_queries):
            better = equal = before = 0
            for i in range(self.start[q], self.start[q + 1]):
                if i == self.start[q] or self.score[i] != self.score[i - 1]:
                    better, equal, before = better + equal + self.above[i], self.same[i], 0
                before += self.inside[i]
                o[0, i], o[1, i], o[2, i] = better, equal, before
        return out

    def marked(self):
        """(query, mark) of each row that is not among those found, if that was asked for."""
        cdef int64_t n = self.marks
        self.marks = 0
        return table(<void**>&self.mark, n, MARK)
