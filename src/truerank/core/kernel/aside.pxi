# Rows put aside: those of scattered queries, in buckets by query, on disk where they are many. A part of the kernel.

cdef enum: BUCKETS = 256
cdef enum: FULL = 1 << 18          # bytes of a bucket that stay in memory


cdef struct Row:                   # and the bytes of its document, up to the next multiple of 8
    int64_t line
    double score
    uint32_t query, n


cdef struct Bucket:
    char* rows
    uint64_t n, room, written      # bytes that are here, the room for them, bytes that are in the file


cdef inline uint64_t row_size(uint64_t n) noexcept nogil:
    return sizeof(Row) + (n + 7) // 8 * 8


@cython.final
cdef class Aside:
    """Rows in the order in which they come, bucket by bucket."""

    cdef Bucket buckets[BUCKETS]
    cdef object file, written
    cdef readonly object failure   # what was raised while rows were written, if anything

    def __cinit__(self):
        memset(self.buckets, 0, sizeof(self.buckets))
        self.written = [[] for _ in range(BUCKETS)]

    def __del__(self):
        if self.file is not None:
            self.file.close()

    def __dealloc__(self):
        for i in range(BUCKETS):
            free(self.buckets[i].rows)

    cdef inline int put(self, const Row* row, const char* p) noexcept nogil:
        cdef Bucket* b = &self.buckets[row.query % BUCKETS]
        cdef uint64_t size = row_size(row.n)
        if b.n + size > b.room and self.make_room(b, row.query % BUCKETS, size):
            return MEMORY
        memcpy(b.rows + b.n, row, sizeof(Row))
        copy_id(b.rows + b.n + sizeof(Row), p, row.n)
        b.n += size
        return OK

    cdef int make_room(self, Bucket* b, int i, uint64_t size) noexcept nogil:
        cdef uint64_t room
        cdef void* q
        if b.n + size > FULL and b.n and self.write(b, i):
            return MEMORY
        if b.n + size > b.room:
            room = max(size, min(2 * (b.n + size), FULL))
            q = realloc(b.rows, room)
            if q == NULL:
                return MEMORY
            b.rows, b.room = <char*>q, room
        return OK

    cdef int write(self, Bucket* b, int i) noexcept with gil:
        cdef uint64_t done = 0
        try:
            if self.file is None:
                from tempfile import TemporaryFile
                self.file = TemporaryFile(buffering=0)
            self.written[i].append((self.file.tell(), b.n))
            while done < b.n:                    # a disk that is nearly full takes a part
                done += self.file.write(<char[:b.n - done]>(b.rows + done))
        except BaseException as error:           # an interrupt too, or the rows would be written over
            self.failure = error
            return MEMORY
        b.written += b.n
        b.n = 0
        return OK

    cdef char* load(self, int i, uint64_t* size) except NULL:
        """All rows of a bucket, which the caller frees; it is empty then."""
        cdef Bucket* b = &self.buckets[i]
        cdef uint64_t at = 0
        cdef char* rows = <char*>malloc(b.written + b.n + 1)
        if rows == NULL:
            raise MemoryError
        try:
            for start, n in self.written[i]:
                self.file.seek(start)
                if self.file.readinto(<char[:n]>(rows + at)) != n:
                    raise OSError("the temporary file was cut short")
                at += n
        except OSError:
            free(rows)
            raise
        memcpy(rows + at, b.rows, b.n) if b.n else NULL
        size[0] = at + b.n
        free(b.rows)
        memset(b, 0, sizeof(Bucket))
        return rows


cdef Row** by_query(char* rows, uint64_t size, int64_t queries, int64_t* n) noexcept nogil:
    """The rows of a bucket sorted by query, and in their order within each; NULL without memory."""
    cdef uint64_t at = 0
    cdef int64_t i, total = 0
    cdef Row* row
    cdef Row** sorted
    cdef int64_t* start = <int64_t*>calloc(queries // BUCKETS + 2, sizeof(int64_t))
    if start == NULL:
        return NULL
    while at < size:
        row = <Row*>(rows + at)
        start[row.query // BUCKETS + 1] += 1
        at += row_size(row.n)
        total += 1
    sorted = <Row**>malloc((total + 1) * sizeof(Row*))
    if sorted != NULL:
        for i in range(queries // BUCKETS + 1):
            start[i + 1] += start[i]
        at = 0
        while at < size:
            row = <Row*>(rows + at)
            sorted[start[row.query // BUCKETS]] = row
            start[row.query // BUCKETS] += 1
            at += row_size(row.n)
    free(start)
    n[0] = total
    return sorted
