# Reading judgements. A part of the kernel.

cdef struct Judgement:
    int64_t query, line
    double grade


@cython.final
cdef class QrelsParser(Lines):
    """Reads `query iteration document grade` lines into columns."""

    cdef Names queries, iterations
    cdef Ids docs
    cdef Judgement* rows
    cdef int64_t* iteration        # of each row, once the second column is not the same throughout
    cdef int64_t room, last

    def __cinit__(self):
        self.want, self.docs.plain, self.queries, self.iterations = 4, True, Names(), Names()

    def __dealloc__(self):
        ids_free(&self.docs)
        free(self.rows)
        free(self.iteration)

    cdef int row(self, const Fields* f) noexcept nogil:
        cdef uint64_t n = f.end[0] - f.start[0]
        cdef int64_t i = self.docs.n
        cdef void* q
        cdef int error
        if i == self.room:
            q = realloc(self.rows, (2 * i + 1024) * sizeof(Judgement))
            if q == NULL:
                return MEMORY
            self.rows = <Judgement*>q
            if self.iteration != NULL:
                q = realloc(self.iteration, (2 * i + 1024) * sizeof(int64_t))
                if q == NULL:
                    return MEMORY
                self.iteration = <int64_t*>q
            self.room = 2 * i + 1024
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
        n = f.end[1] - f.start[1]
        if self.iteration != NULL or i == 0 or not id_equals(&self.iterations.ids, 0, f.start[1], n):
            error = self.second(i, f.start[1], n)
            if error:
                return error
        return ids_add(&self.docs, f.start[2], f.end[2] - f.start[2], 0)

    cdef int second(self, int64_t i, const char* p, uint64_t n) noexcept nogil:
        """Note what stands in row i's second column; of those before it, that it was the same as in the first."""
        cdef int64_t place = self.iterations.find(p, n)
        if place < 0:
            place = self.iterations.ids.n
            if self.iterations.add(p, n):
                return MEMORY
        if self.iteration == NULL and i:
            self.iteration = <int64_t*>calloc(self.room, sizeof(int64_t))
            if self.iteration == NULL:
                return MEMORY
        if i:
            self.iteration[i] = place
        return OK

    def finish(self):
        """(query names, query of each row, end of each document id in the text, text, grades, lines, second column).

        Of the second column: its distinct values, and which of them each row has; None where all are the same.
        """
        with nogil:
            self.end_lines()
        self.check()
        cdef int64_t n = self.docs.n
        text = self.docs.text[:self.docs.end[n - 1]] if n else b""
        ends, rows = table(<void**>&self.docs.end, n, np.dtype(np.int64)), table(<void**>&self.rows, n, JUDGEMENT)
        query, line, grade = (np.ascontiguousarray(rows[name]) for name in rows.dtype.names)
        ids_free(&self.docs)
        second = None
        if self.iteration != NULL:
            second = self.iterations, table(<void**>&self.iteration, n, np.dtype(np.int64))
        return self.queries, query, ends, text, grade, line, second
