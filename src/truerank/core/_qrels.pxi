# Reading judgements. A part of the kernel.

cdef struct Judgement:
    int64_t query, line
    double grade


@cython.final
cdef class QrelsParser(Lines):
    """Reads `query iteration document grade` lines into columns."""

    cdef Names queries
    cdef Ids docs
    cdef Judgement* rows
    cdef int64_t room, last

    def __cinit__(self):
        self.want, self.docs.plain, self.queries = 4, True, Names()

    def __dealloc__(self):
        ids_free(&self.docs)
        free(self.rows)

    cdef int row(self, const Fields* f) noexcept nogil:
        cdef uint64_t n = f.end[0] - f.start[0]
        cdef int64_t i = self.docs.n
        cdef void* q
        cdef int error
        if i == self.room:
            q = realloc(self.rows, (2 * i + 1024) * sizeof(Judgement))
            if q == NULL:
                return MEMORY
            self.rows, self.room = <Judgement*>q, 2 * i + 1024
        error = number(f.start[3], f.end[3], &self.rows[i].grade)
        if error:
            return error
        if self.queries.ids.n == 0 or not id_equals(&self.queries.ids, self.last, f.start[0], n):
            self.last = self.queries.find(f.start[0], n)
            if self.last < 0:
                self.last = self.queries.ids.n
                if self.queries.add(f.start[0], n):
                    return MEMORY
        self.rows[i].query, self.rows[i].line = self.last, self.line
        return ids_add(&self.docs, f.start[2], f.end[2] - f.start[2], 0)

    def finish(self):
        """(query names, query of each row, end of each document id in the text, text, grades, lines)."""
        with nogil:
            self.end_lines()
        self.check()
        cdef int64_t n = self.docs.n
        text = self.docs.text[:self.docs.end[n - 1]] if n else b""
        ends, rows = table(<void**>&self.docs.end, n, np.dtype(np.int64)), table(<void**>&self.rows, n, JUDGEMENT)
        query, line, grade = (np.ascontiguousarray(rows[name]) for name in rows.dtype.names)
        ids_free(&self.docs)
        return self.queries, query, ends, text, grade, line
