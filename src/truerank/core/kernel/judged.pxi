# Looking up judged documents. A part of the kernel: `scanning.pyx` includes it, so that look-ups are inlined.

cdef struct Docs:              # of one query
    int64_t begin, end
    uint64_t* slots            # NULL where they are few
    uint64_t mask
    uint64_t hash[FEW]         # of each document, where they are few


def is_no_id(kind):
    """Whether what is of this type has a text, as all objects have, and is no id.

    None, pandas' NA, tensors, tuples; and floats: 7.0 would be no document 7, and where pandas made it of 7, NaN is
    near.
    """
    return (issubclass(kind, (float, np.floating, tuple, type(None))) or kind.__name__ in ("NAType", "NaTType")
            or hasattr(kind, "detach"))


cdef bytes doc_bytes(object doc):
    """The id of a document, which may be any key of a dict."""
    if not isinstance(doc, (str, int, bytes, np.integer)) and is_no_id(type(doc)):
        raise NoId(doc)
    return as_bytes(doc)


cdef Docs NO_DOCS                  # of a query that is not judged


cdef inline bint perhaps(const Docs* docs, uint64_t h) noexcept nogil:
    """Whether an id with this hash may be among the documents; False for nearly all that are not among them."""
    return h == docs.hash[0] or h == docs.hash[1] if docs.slots == NULL else docs.slots[h & docs.mask] != 0


@cython.final
cdef class Judged:
    """Which documents are judged for which query, laid out for looking up: a small table per query."""

    cdef Names queries
    cdef const char* text
    cdef const int64_t* begin
    cdef const int64_t* end
    cdef const int64_t* start
    cdef uint64_t* slots           # (high half of the hash, document + 1); 0 is empty
    cdef int64_t* slot_start
    cdef object keep_alive, names
    cdef readonly int64_t n_queries, n_docs
    cdef readonly object firsts    # (documents,) the first document with the same id as each; None where all differ
    cdef int64_t[::1] first

    def __init__(self, queries, const int64_t[::1] start, const int64_t[::1] begin, const int64_t[::1] end,
                 const unsigned char[::1] text, given=()):
        """queries: names; documents start[q] to start[q + 1] are query q's; begin, end: of each in text.

        given: each query's documents as Python text, where these are at hand.
        """
        cdef int64_t q, room, d, total = 0
        cdef Docs docs
        self.queries = queries if isinstance(queries, Names) else Names(queries)
        self.n_queries, self.n_docs = self.queries.ids.n, begin.shape[0]
        if start.shape[0] != self.n_queries + 1 or not start[self.n_queries] == self.n_docs == end.shape[0]:
            raise ValueError("the queries of judgements, where their ids begin and where they end are not as many")
        self.keep_alive, self.names, self.firsts = (start, begin, end, text), dict(enumerate(given)), None
        self.start, self.text = &start[0], b""
        if begin.shape[0]:
            self.begin, self.end = &begin[0], &end[0]
        if text.shape[0]:
            self.text = <const char*>&text[0]
        self.slot_start = <int64_t*>calloc(self.n_queries + 1, sizeof(int64_t))
        if self.slot_start == NULL:
            raise MemoryError
        for q in range(self.n_queries):
            room = 16 if start[q + 1] - start[q] > FEW else 0    # mostly empty: most look-ups end at the first slot
            while room and room < 2 * (start[q + 1] - start[q]):
                room *= 2
            total += room
            self.slot_start[q + 1] = total
        self.slots = <uint64_t*>calloc(total + 1, sizeof(uint64_t))
        if self.slots == NULL:
            raise MemoryError
        for q in range(self.n_queries):
            docs = self.docs_of(q)
            for d in range(start[q], start[q + 1]):
                docs.end = d                             # those that are there
                self.put(&docs, d)

    def __dealloc__(self):
        free(self.slots)
        free(self.slot_start)

    cdef inline Docs docs_of(self, int64_t q) noexcept nogil:
        cdef Docs docs
        cdef int64_t d
        cdef int i
        docs.begin, docs.end, docs.mask = self.start[q], self.start[q + 1], self.slot_start[q + 1] - self.slot_start[q] - 1
        docs.slots = self.slots + self.slot_start[q] if docs.mask + 1 else NULL
        for i in range(FEW if docs.slots == NULL else 0):
            d = docs.begin + i
            docs.hash[i] = hash_id(self.text + self.begin[d], self.end[d] - self.begin[d]) if d < docs.end else 0
        return docs

    cdef put(self, const Docs* docs, int64_t d):
        cdef const char* p = self.text + self.begin[d]
        cdef uint64_t n = self.end[d] - self.begin[d], h = hash_id(p, n), slot = h & docs.mask
        cdef int64_t twin = self.find(docs, p, n, h)
        if twin >= 0:
            if self.firsts is None:
                self.firsts = np.arange(self.n_docs)
                self.first = self.firsts
            self.first[d] = twin
            return
        while docs.slots and docs.slots[slot]:
            slot = (slot + 1) & docs.mask
        if docs.slots:
            docs.slots[slot] = (h >> 32 << 32) | <uint32_t>(d + 1)

    cdef inline int64_t find(self, const Docs* docs, const char* p, uint64_t n, uint64_t h) noexcept nogil:
        """The document with this id among those of one query, or -1. Tables are at most half full."""
        cdef uint64_t slot = h & docs.mask, v
        cdef int64_t d
        if docs.slots == NULL:
            for d in range(docs.begin, docs.end):
                if <uint64_t>(self.end[d] - self.begin[d]) == n and same_id(self.text + self.begin[d], p, n):
                    return d
            return -1
        while True:
            v = docs.slots[slot]
            if v == 0:
                return -1
            d = <int64_t><uint32_t>v - 1
            if v >> 32 == h >> 32 and <uint64_t>(self.end[d] - self.begin[d]) == n \
                    and same_id(self.text + self.begin[d], p, n):
                return d
            slot = (slot + 1) & docs.mask

    def find_each(self, const int64_t[::1] query, const int64_t[::1] begin, const int64_t[::1] end,
                  const unsigned char[::1] text):
        """(ids,) the document of each query with this id, or -1; also for a query below 0.

        begin, end: of each id in the text.
        """
        cdef int64_t i, q, n = query.shape[0]
        cdef Docs docs
        cdef const char* ids = b""
        found = np.full(n, -1, np.int64)
        cdef int64_t[::1] out = found
        if begin.shape[0] != n or end.shape[0] != n:
            raise ValueError("an id has a query, a beginning and an end")
        if text.shape[0]:
            ids = <const char*>&text[0]
        for i in range(n):
            q = query[i]
            if 0 <= q < self.n_queries and 0 <= begin[i] <= end[i] <= text.shape[0]:
                docs = self.docs_of(q)
                out[i] = self.find(&docs, ids + begin[i], end[i] - begin[i], hash_id(ids + begin[i], end[i] - begin[i]))
        return found

    cdef tuple docs(self, int64_t q):
        """The ids of query q's documents as Python text, made once."""
        if q not in self.names:
            self.names[q] = tuple([as_text(self.text[self.begin[d]:self.end[d]])
                                   for d in range(self.start[q], self.start[q + 1])])
        return self.names[q]
