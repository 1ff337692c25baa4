# The rows that were found, of the run's judged documents. A part of the kernel: `scanning.pyx` includes it.

HIT = np.dtype([("query", "i8"), ("doc", "i8"), ("rank", "i8"), ("first", "i8"), ("last", "i8"), ("score", "f8")])


cdef struct Hit:
    int64_t query, doc, rank, first, last
    double score


def in_columns(list tables, int64_t queries):
    """The rows of tables as columns, by name, in the order of the queries; those of one query stay as they come.

    queries: how many there are; a row of none of them is an error.

    >>> in_columns([np.array([(1, 5, 1, 1, 1, 9.0), (0, 2, 1, 1, 1, 8.0), (1, 4, 2, 2, 2, 7.0)], HIT)], 2)["doc"]
    array([2, 5, 4])
    """
    cdef int64_t i, at, n = sum(map(len, tables))
    cdef const Hit[::1] rows
    cdef const Hit* row
    block = np.empty((len(HIT.names), n), np.int64)          # one, as pages of six cost more than filling them
    columns = {name: column.view(HIT[name]) for name, column in zip(HIT.names, block)}
    cdef int64_t[::1] query = columns["query"], doc = columns["doc"], rank = columns["rank"]
    cdef int64_t[::1] first = columns["first"], last = columns["last"]
    cdef double[::1] score = columns["score"]
    cdef int64_t* place = <int64_t*>calloc(queries + 1, sizeof(int64_t))    # of the next row of each query
    if place == NULL:
        raise MemoryError
    try:
        for rows in tables:
            for i in range(rows.shape[0]):
                if not 0 <= rows[i].query < queries:
                    raise IndexError("there is no such query")
                place[rows[i].query + 1] += 1
        for i in range(queries):
            place[i + 1] += place[i]
        for rows in tables:
            for i in range(rows.shape[0]):
                row = &rows[i]
                at = place[row.query]
                place[row.query] += 1
                query[at], doc[at], rank[at] = row.query, row.doc, row.rank
                first[at], last[at], score[at] = row.first, row.last, row.score
    finally:
        free(place)
    return columns
