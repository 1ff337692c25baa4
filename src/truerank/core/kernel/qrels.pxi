# Reading judgements. A part of the kernel.

cdef struct Judgement:
    uint32_t of, second            # the query, or, once the second column varies, the document; and that column
    double grade


cdef struct Step:                  # from this row on, which stands in this line, each row stands in the next line
    int64_t row, line


cdef struct JudgedDoc:
    int64_t query, line            # line: the first that judges it


cdef struct Answered:
    int64_t aspect
    double grade


STEP = np.dtype([("row", "i8"), ("line", "i8")])
JUDGED_DOC = np.dtype([("query", "i8"), ("line", "i8")])
ANSWERED = np.dtype([("aspect", "i8"), ("grade", "f8")])


@cython.final
cdef class QrelsParser(Lines):
    """Reads `query iteration document grade` lines into columns.

    Once the second column is not the same throughout, a document of a query is kept once, however many lines it has.
    """

    cdef Names queries, iterations
    cdef Ids docs
    cdef Judgement* rows
    cdef Step* steps
    cdef JudgedDoc* judged         # of each document, once the second column is not the same throughout
    cdef uint64_t* slots           # (high half of the hash, document + 1), free where that is before `since`; half free
    cdef uint64_t mask
    cdef int64_t since             # the documents that are looked up: of the last query, or all, once one is scattered
    cdef bint is_scattered
    cdef int64_t n, room, judged_room      # of the rows; room for documents
    cdef int64_t n_steps, step_room, next  # of the steps; the line of the next row where it is no step
    cdef int64_t last, second, doc # the query, the second column and the document of the row before
    cdef int64_t first             # a document of its query: the first, unless its rows are scattered

    def __cinit__(self):
        self.want, self.docs.plain, self.queries, self.iterations = 4, True, Names(), Names()

    def __dealloc__(self):
        ids_free(&self.docs)
        free(self.rows)
        free(self.steps)
        free(self.judged)
        free(self.slots)

    cdef int row(self, const Fields* f) noexcept nogil:
        cdef uint64_t n = f.end[0] - f.start[0]
        cdef int error = self.grow() if self.n == self.room else OK
        error = error or (self.step() if self.line != self.next else OK)
        if error:
            return error
        error = number(f.start[3], f.end[3], &self.rows[self.n].grade)
        if error:
            return error
        if self.queries.ids.n == 0 or not id_equals(&self.queries.ids, self.last, f.start[0], n):
            error = self.turn(f.start[0], n)
            if error:
                return error
        n = f.end[1] - f.start[1]
        if self.n == 0 or not id_equals(&self.iterations.ids, self.second, f.start[1], n):
            error = self.find_second(f.start[1], n)
            if error:
                return error
        n = f.end[2] - f.start[2]
        error = ids_add(&self.docs, f.start[2], n, 0) if self.slots == NULL else self.find_doc(f.start[2], n)
        self.rows[self.n].of, self.rows[self.n].second = self.last if self.slots == NULL else self.doc, self.second
        self.n, self.next = self.n + 1, self.line + 1
        return error

    cdef int turn(self, const char* p, uint64_t n) noexcept nogil:
        """Go on to the query with this id; all documents are looked up from the first that comes again on."""
        self.last, self.first = self.queries.find(p, n), self.docs.n
        if self.last < 0:
            self.last = self.queries.ids.n
            if not self.is_scattered:
                self.since = self.docs.n
            return self.queries.add(p, n)
        if self.is_scattered:
            return OK
        self.is_scattered, self.since = True, 0
        return OK if self.slots == NULL else self.fill(self.docs.n)

    @property
    def one_second(self):
        """The value of the second column, where it is the same throughout; None where it is not."""
        return self.iterations.at(0) if self.iterations.ids.n == 1 else None

    def expect(self, double times):
        """Make room for this many times the rows so far, as the first piece of a file tells: rows then stay in place."""
        cdef int64_t room = <int64_t>(times * self.n) + 1024
        cdef void* p = realloc(self.rows, room * sizeof(Judgement)) if room > self.room else NULL
        if p != NULL:
            self.rows, self.room = <Judgement*>p, room

    cdef int grow(self) noexcept nogil:
        cdef int64_t room = 2 * self.room + 1024
        cdef void* p = realloc(self.rows, room * sizeof(Judgement))
        if p == NULL:
            return MEMORY
        self.rows, self.room = <Judgement*>p, room
        return OK

    cdef int step(self) noexcept nogil:
        """Note that the next row does not stand in the next line."""
        cdef void* p
        if self.n_steps == self.step_room:
            p = realloc(self.steps, (2 * self.step_room + 16) * sizeof(Step))
            if p == NULL:
                return MEMORY
            self.steps, self.step_room = <Step*>p, 2 * self.step_room + 16
        self.steps[self.n_steps].row, self.steps[self.n_steps].line = self.n, self.line
        self.n_steps += 1
        return OK

    cdef int find_second(self, const char* p, uint64_t n) noexcept nogil:
        """Which of the values of the second column this is; with the second of them, documents are looked up."""
        self.second = self.iterations.find(p, n)
        if self.second < 0:
            self.second = self.iterations.ids.n
            if self.iterations.add(p, n):
                return MEMORY
        return self.locate() if self.slots == NULL and self.n else OK

    cdef int locate(self) noexcept nogil:
        """Make the table of the documents so far, which have a row each; a repeated one is refused later."""
        cdef int64_t d, step = 0, since = self.since
        self.since = 0
        for d in range(self.docs.n):
            if self.make_room(d):
                return MEMORY
            step += step + 1 < self.n_steps and self.steps[step + 1].row == d
            self.judged[d].query, self.judged[d].line = self.rows[d].of, self.steps[step].line + d - self.steps[step].row
            self.rows[d].of = self.doc = self.found(self.rows[d].of, self.docs.text + id_start(&self.docs, d),
                                                    id_length(&self.docs, d), d)
        self.since = since
        return OK

    cdef int make_room(self, int64_t d) noexcept nogil:
        """Room for document d; a table that it would fill by half is made anew."""
        cdef void* p
        if d >= self.judged_room:
            p = realloc(self.judged, 2 * (d + 1024) * sizeof(JudgedDoc))
            if p == NULL:
                return MEMORY
            self.judged, self.judged_room = <JudgedDoc*>p, 2 * (d + 1024)
        return OK if <uint64_t>(2 * (d + 1 - self.since)) <= self.mask else self.fill(d)

    cdef int fill(self, int64_t n) noexcept nogil:
        """Make the table anew, of documents that are looked up and among the first n; a quarter of it at most is full."""
        cdef uint64_t room = self.mask + 1 if self.mask else 1 << 10
        cdef int64_t d
        while room < 4 * <uint64_t>(n + 1 - self.since):
            room *= 2
        free(self.slots)
        self.slots, self.mask = <uint64_t*>calloc(room, sizeof(uint64_t)), room - 1
        if self.slots == NULL:
            return MEMORY
        for d in range(self.since, n):
            self.found(self.judged[d].query, self.docs.text + id_start(&self.docs, d), id_length(&self.docs, d), d)
        return OK

    cdef int64_t found(self, int64_t query, const char* p, uint64_t n, int64_t d) noexcept nogil:
        """The document of a query with this id; where there is none, it is d from now on, for which there is room."""
        cdef uint64_t h = hash_id(p, n) + <uint64_t>query * <uint64_t>0x9E3779B97F4A7C15
        cdef uint64_t slot = h & self.mask, v
        while <int64_t><uint32_t>self.slots[slot] > self.since:
            v = self.slots[slot]
            if v >> 32 == h >> 32 and self.is_doc(<int64_t><uint32_t>v - 1, query, p, n):
                return <int64_t><uint32_t>v - 1
            slot = (slot + 1) & self.mask
        self.slots[slot] = (h >> 32 << 32) | <uint32_t>(d + 1)
        return d

    cdef inline bint is_doc(self, int64_t d, int64_t query, const char* p, uint64_t n) noexcept nogil:
        """Whether d, which is a document or the number of the next one, is that of the query with this id."""
        return d < self.docs.n and self.judged[d].query == query and id_equals(&self.docs, d, p, n)

    cdef int find_doc(self, const char* p, uint64_t n) noexcept nogil:
        """Which document of the query this is: likely that of the row before, or the next, or the first."""
        if self.is_doc(self.doc, self.last, p, n):
            return OK
        if self.is_doc(self.doc + 1, self.last, p, n):
            self.doc += 1
            return OK
        if self.is_doc(self.first, self.last, p, n):
            self.doc = self.first
            return OK
        if self.make_room(self.docs.n):
            return MEMORY
        self.doc = self.found(self.last, p, n, self.docs.n)
        if self.doc < self.docs.n:
            return OK
        self.judged[self.doc].query, self.judged[self.doc].line = self.last, self.line
        return ids_add(&self.docs, p, n, 0)

    cdef const char* alike(self, const char* p, const char* end, const Fields* f) noexcept nogil:
        """Lines of the same query and second column that judge the next document again, by one digit."""
        cdef uint64_t n, m = f.start[2] - f.start[0]
        cdef const char* id
        if self.slots == NULL or f.start[0][0] == c"#":  # what a comment begins with too
            return p
        while not self.error and self.doc + 1 < self.docs.n and self.judged[self.doc + 1].query == self.last:
            n = id_length(&self.docs, self.doc + 1)
            id = p + m
            if <uint64_t>(end - p) < m + n + 3 or not same_id(p, f.start[0], m) or not same_id(
                    self.docs.text + id_start(&self.docs, self.doc + 1), id, n):
                return p
            if id[n] != c" " or not c"0" <= id[n + 1] <= c"9" or id[n + 2] != c"\n":
                return p
            if self.n == self.room:
                self.error = self.grow()
                continue
            self.doc, self.line = self.doc + 1, self.line + 1
            self.rows[self.n].of, self.rows[self.n].second = self.doc, self.second
            self.rows[self.n].grade = id[n + 1] - c"0"
            self.n, self.next = self.n + 1, self.next + 1
            p = id + n + 3
        return p

    def finish(self):
        """(query names, query of each row, end of each document id in the text, text, grades, lines, answered).

        Where the second column differs, the rows are distinct documents, each with its first line and no grade, and
        `answered` is (distinct values of the column, and of each line which it has, its document, grade and number).
        It is None where all are the same.
        """
        with nogil:
            self.end_lines()
        self.check()
        cdef int64_t docs = self.docs.n
        text = self.docs.text[:self.docs.end[docs - 1]] if docs else b""
        ends = table(<void**>&self.docs.end, docs, np.dtype(np.int64))
        rows, steps = table(<void**>&self.rows, self.n, JUDGEMENT), table(<void**>&self.steps, self.n_steps, STEP)
        ids_free(&self.docs)
        if self.slots == NULL:
            query, grade = rows["of"].astype(np.int64), np.ascontiguousarray(rows["grade"])
            return self.queries, query, ends, text, grade, lines_of(steps, self.n), None
        judged = table(<void**>&self.judged, docs, JUDGED_DOC)
        query, line = (np.ascontiguousarray(judged[name]) for name in judged.dtype.names)
        free(self.slots)
        self.slots = NULL
        return self.queries, query, ends, text, None, line, (
            self.iterations, rows["second"], rows["of"], rows["grade"],
            range(steps["line"][0], steps["line"][0] + self.n) if len(steps) == 1 else lines_of(steps, self.n))


cdef object lines_of(steps, int64_t n):
    """(n,) the line of each row."""
    row, line = steps["row"], steps["line"]
    return np.arange(n) + np.repeat(line - row, np.diff(row, append=n))


def by_document(const int64_t[::1] start not None, const uint32_t[:] doc not None, const uint32_t[:] name not None,
                const double[:] grade not None, const int64_t[::1] place not None, const int64_t[::1] where=None):
    """Judgements of aspects, in any order, put in that of their documents, and of the aspects within each.

    Args:
        start: (queries + 1,) the documents of query q are start[q] to start[q + 1].
        doc, name, grade: of each judgement; `name` is a number below that of the names.
        place: (names,) where each stands in the order of all.
        where: the number of the document for each in `doc`, where it is another.

    Returns:
        (where those of each document begin, aspect, grade, the place of each aspect's name, where those of each
        query begin, the best grade of each document, whether a document has two judgements of one aspect); an
        aspect is one of one query: they are numbered query by query.
    """
    cdef int64_t i, j, d, q, n = doc.shape[0], queries = start.shape[0] - 1, aspects = 0
    if name.shape[0] != n or grade.shape[0] != n or queries < 0 or start[0] != 0:
        raise ValueError("a judgement has a document, an aspect and a grade")
    cdef int64_t docs = start[queries], names = place.shape[0]
    starts, bounds, best_of = np.zeros(docs + 1, np.int64), np.zeros(queries + 1, np.int64), np.full(docs, -np.inf)
    aspect_of, grade_of, own_of = np.empty(n, np.int64), np.empty(n), np.empty(n, np.int64)
    numbers, after = np.full(names, -1), np.empty(docs, np.int64)
    cdef int64_t[::1] begin = starts, bound = bounds, aspect = aspect_of, own = own_of, number = numbers, at = after
    cdef double[::1] worth = grade_of, best = best_of
    cdef const int64_t[::1] to = np.arange(docs) if where is None else where
    cdef bint is_repeated = False
    for i in range(n):
        if not (doc[i] < to.shape[0] and 0 <= to[doc[i]] < docs):
            raise IndexError("a judgement is of no document")
        if not (name[i] < names and 0 <= place[name[i]] < names):
            raise IndexError("a judgement is of no aspect")
        begin[to[doc[i]] + 1] += 1
    for d in range(docs):
        at[d] = begin[d]
        begin[d + 1] += begin[d]
    cdef Answered[::1] room = np.empty(np.diff(starts).max(initial=0), ANSWERED)
    for i in range(n):
        d = to[doc[i]]
        j, at[d] = at[d], at[d] + 1
        aspect[j], worth[j] = place[name[i]], grade[i]
    for q in range(queries):
        if not 0 <= start[q] <= start[q + 1] <= docs:
            raise IndexError("the documents of a query are none of those that are there")
        for d in range(start[q], start[q + 1]):
            is_repeated |= sort_rows(aspect, worth, room, begin[d], begin[d + 1])
        for i in range(begin[start[q]], begin[start[q + 1]]):
            if number[aspect[i]] < bound[q]:             # first of its query
                number[aspect[i]] = aspects
                own[aspects] = aspect[i]
                aspects += 1
        if aspects > bound[q]:
            qsort(&own[bound[q]], aspects - bound[q], sizeof(int64_t), by_number)
        for i in range(bound[q], aspects):
            number[own[i]] = i
        bound[q + 1] = aspects
        for d in range(start[q], start[q + 1]):
            for i in range(begin[d], begin[d + 1]):
                aspect[i] = number[aspect[i]]
                if best[d] == best[d] and not worth[i] <= best[d]:      # NaN, of an ignored one, stays
                    best[d] = worth[i]
    return starts, aspect_of, grade_of, own_of[:aspects].copy(), bounds, best_of, is_repeated


cdef bint sort_rows(int64_t[::1] aspect, double[::1] grade, Answered[::1] room, int64_t begin, int64_t end) noexcept:
    """Put one document's rows, for which there is room, in the order of their aspects; whether two have the same."""
    cdef int64_t i
    cdef bint is_repeated = False, is_sorted = True
    for i in range(begin + 1, end):
        is_sorted &= aspect[i - 1] <= aspect[i]
    if not is_sorted:
        for i in range(begin, end):
            room[i - begin].aspect, room[i - begin].grade = aspect[i], grade[i]
        qsort(&room[0], end - begin, sizeof(Answered), by_number)
        for i in range(begin, end):
            aspect[i], grade[i] = room[i - begin].aspect, room[i - begin].grade
    for i in range(begin + 1, end):
        is_repeated |= aspect[i] == aspect[i - 1]
    return is_repeated


cdef int by_number(const void* a, const void* b) noexcept nogil:
    """By the whole number that either begins with."""
    cdef int64_t x = (<const int64_t*>a)[0], y = (<const int64_t*>b)[0]
    return (x > y) - (x < y)
