"""Ranking: what a system answered to one query, and the ranks of the judged documents in it.

A rank is 1 + the number of rows before: no list is ever sorted. Compiled into the kernel.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, qsort, realloc
from libc.string cimport memcpy, memset

from truerank.core.kernel.ids cimport Ids, id_length, id_start, ids_add, ids_append, ids_find, ids_free, ids_grow

cdef extern from "bytes.h":
    enum:
        PAD
        OK
        MEMORY
    int compare_ids(const char*, uint64_t, const char*, uint64_t) nogil
    uint64_t hash_id(const char*, uint64_t) nogil


cdef struct Found:             # a judged document among the answers
    double score
    const char* id
    uint64_t id_n
    int64_t row, doc, rank, first, last


cdef struct Answer:
    int64_t query              # index into the judged queries, or -1
    Ids ids
    double* score              # as long as ids.room
    int64_t score_room, m, found_room
    Found* found
    bint falling               # no score is better than the one before it


cdef inline void answer_free(Answer* a) noexcept nogil:
    ids_free(&a.ids)
    free(a.score)
    free(a.found)


cdef inline int answer_room(Answer* a, int64_t more, uint64_t more_text) noexcept nogil:
    """Room for so many more rows, whose ids are together this long."""
    cdef void* q
    if ids_grow(&a.ids, more, more_text):
        return MEMORY
    if a.score_room < a.ids.room:
        q = realloc(a.score, a.ids.room * sizeof(double))
        if q == NULL:
            return MEMORY
        a.score, a.score_room = <double*>q, a.ids.room
    return OK


cdef inline int answer_add(Answer* a, const char* p, uint64_t n, uint64_t h, uint64_t slot, bint again,
                           double score) noexcept nogil:
    """Append a row, at the slot that `ids_find` gave for its id, or again where the answer has it already."""
    cdef int64_t row = a.ids.n
    if row == a.ids.room or (a.ids.end[row - 1] if row else 0) + n + PAD > a.ids.text_room or again:
        if answer_room(a, 1, n) or ids_add(&a.ids, p, n, h, again):
            return MEMORY
    else:
        ids_append(&a.ids, p, n, h, slot)
    a.score[row] = score
    if row and score > a.score[row - 1]:
        a.falling = False
    return OK


cdef inline int answer_found(Answer* a, int64_t row, int64_t doc) noexcept nogil:
    """Note that a row is a judged document."""
    cdef void* q
    if a.m == a.found_room:
        q = realloc(a.found, (2 * a.m + 64) * sizeof(Found))
        if q == NULL:
            return MEMORY
        a.found, a.found_room = <Found*>q, 2 * a.m + 64
    a.found[a.m].row, a.found[a.m].doc = row, doc
    a.m += 1
    return OK


cdef inline int by_score(const void* a, const void* b) noexcept nogil:
    cdef const Found* x = <const Found*>a
    cdef const Found* y = <const Found*>b
    return (x.score < y.score) - (x.score > y.score)


cdef inline int down(const void* a, const void* b) noexcept nogil:
    cdef const Found* x = <const Found*>a
    cdef const Found* y = <const Found*>b
    cdef int c = by_score(a, b)
    if c == 0:
        c = compare_ids(y.id, y.id_n, x.id, x.id_n)
    return c if c else (x.row > y.row) - (x.row < y.row)


cdef inline int up(const void* a, const void* b) noexcept nogil:
    cdef const Found* x = <const Found*>a
    cdef const Found* y = <const Found*>b
    cdef int c = by_score(a, b)
    if c == 0:
        c = compare_ids(x.id, x.id_n, y.id, y.id_n)
    return c if c else (x.row > y.row) - (x.row < y.row)


cdef inline int as_given(const void* a, const void* b) noexcept nogil:
    cdef const Found* x = <const Found*>a
    cdef const Found* y = <const Found*>b
    cdef int c = by_score(a, b)
    return c if c else (x.row > y.row) - (x.row < y.row)


ctypedef int (*Order)(const void*, const void*) noexcept nogil


cdef struct Key:
    uint64_t bits
    const Found* found


cdef inline uint64_t falling_bits(double score) noexcept nogil:
    """A number that is the larger the lower the score."""
    cdef uint64_t bits
    score += 0.0                                 # -0.0 is no lower than 0.0
    memcpy(&bits, &score, sizeof(double))
    return bits if bits >> 63 else ~bits & (<uint64_t>-1 >> 1)


cdef inline Key* sorted_keys(Key* keys, Key* room, int64_t n) noexcept nogil:
    """Radix sort by the bits, lowest byte first, stable; the result is in `keys` or in `room`."""
    cdef int64_t[8][256] place
    cdef int64_t i, byte, value, before, count
    memset(place, 0, sizeof(place))
    for i in range(n):
        for byte in range(8):
            place[byte][keys[i].bits >> 8 * byte & 255] += 1
    for byte in range(8):
        if place[byte][keys[0].bits >> 8 * byte & 255] == n:
            continue
        before = 0
        for value in range(256):
            count = place[byte][value]
            place[byte][value] = before
            before += count
        for i in range(n):
            value = keys[i].bits >> 8 * byte & 255
            room[place[byte][value]] = keys[i]
            place[byte][value] += 1
        keys, room = room, keys
    return keys


cdef inline int sort_many(Found* found, int64_t n, Order order) noexcept nogil:
    """Sort by the scores alone, and then within groups of equal ones."""
    cdef Key* keys = <Key*>malloc(2 * n * sizeof(Key))
    cdef Found* sorted = <Found*>malloc(n * sizeof(Found))
    cdef const Key* falling
    cdef int64_t i, j = 0
    if keys != NULL and sorted != NULL:
        for i in range(n):
            keys[i].bits, keys[i].found = falling_bits(found[i].score), &found[i]
        falling = sorted_keys(keys, keys + n, n)
        for i in range(n):
            sorted[i] = falling[i].found[0]
        memcpy(found, sorted, n * sizeof(Found))
        for i in range(1, n + 1):
            if i == n or found[i].score != found[j].score:
                if i - j > 1:
                    qsort(found + j, i - j, sizeof(Found), order)
                j = i
    free(keys)
    free(sorted)
    return OK if keys != NULL and sorted != NULL else MEMORY


cdef enum: FEW_FOUND = 64      # up to so many are sorted faster by insertion


cdef inline void sort_found(Found* found, int64_t n, Order order) noexcept nogil:
    """Sort found rows that have ids and scores."""
    cdef Found[FEW_FOUND] sorted
    cdef Found* at[FEW_FOUND]
    cdef int64_t i, j
    if n < 2:
        return
    if n > FEW_FOUND:
        if sort_many(found, n, order):           # no memory beside them
            qsort(found, n, sizeof(Found), order)
        return
    for i in range(n):
        j = i
        while j > 0 and (found[i].score > at[j - 1].score
                         or found[i].score == at[j - 1].score and order(&found[i], at[j - 1]) < 0):
            at[j] = at[j - 1]
            j -= 1
        at[j] = &found[i]
    for i in range(n):
        sorted[i] = at[i][0]
    memcpy(found, sorted, n * sizeof(Found))


cdef inline int64_t tie_end(const Answer* a, int64_t i) noexcept nogil:
    """The end of the group of equal scores that begins at found row i."""
    cdef double score = a.found[i].score
    while i < a.m and a.found[i].score == score:
        i += 1
    return i


cdef inline Found row_of(const Answer* a, int64_t i) noexcept nogil:
    cdef Found row
    row.score, row.row = a.score[i], i
    row.id, row.id_n = a.ids.text + id_start(&a.ids, i), id_length(&a.ids, i)
    return row


cdef inline int64_t place(const Answer* a, int64_t low, int64_t high, const Found* row, Order order) noexcept nogil:
    """The first of the sorted found rows [low, high) that does not come before this row."""
    cdef int64_t middle
    while low < high:
        middle = (low + high) // 2
        if order(&a.found[middle], row) < 0:
            low = middle + 1
        else:
            high = middle
    return low


cdef inline void settle(Answer* a, int64_t i, int64_t j, int64_t first, int64_t last, const int64_t* inside) noexcept nogil:
    """Give the found rows [i, j), tied from rank first to last, their ranks."""
    cdef int64_t t, seen = 0
    for t in range(i, j):
        seen += inside[t]
        a.found[t].first, a.found[t].last = first, last
        a.found[t].rank = first if first == last else first + seen - 1


cdef inline void rank_falling(Answer* a, Order order, int64_t* inside) noexcept nogil:
    cdef int64_t i = 0, j, low, high, r, t
    cdef Found row
    while i < a.m:
        j = tie_end(a, i)
        low, high = a.found[i].row, a.found[j - 1].row + 1
        while low > 0 and a.score[low - 1] == a.found[i].score:
            low -= 1
        while high < a.ids.n and a.score[high] == a.found[i].score:
            high += 1
        if high - low > 1:
            sort_found(&a.found[i], j - i, order)
            for r in range(low, high):
                row = row_of(a, r)
                t = place(a, i, j, &row, order)
                inside[t] += t < j
        settle(a, i, j, low + 1, high, inside)
        i = j


cdef inline int64_t not_better(const double* falling, int64_t n, double score) noexcept nogil:
    """The first of n falling scores, one at least, that is not better than this one."""
    cdef int64_t first = 0, half
    while n > 1:                             # without a branch, which could not be foretold
        half = n >> 1
        first += half if falling[first + half - 1] > score else 0
        n -= half
    return first + (falling[first] > score)


cdef inline void rank_any(Answer* a, Order order, int64_t* inside, int64_t* above, int64_t* equal,
                          double* falling) noexcept nogil:
    cdef int64_t i = 0, j, r, t, seen = 0
    cdef Found row
    sort_found(a.found, a.m, order)
    for t in range(a.m):
        falling[t] = a.found[t].score
    for r in range(a.ids.n if a.m < a.ids.n else 0):
        if a.score[r] < falling[a.m - 1]:
            continue
        t = not_better(falling, a.m, a.score[r])
        if falling[t] != a.score[r]:
            above[t] += 1
            continue
        equal[t] += 1
        row = row_of(a, r)
        j = place(a, t, a.m if falling[t + 1] == a.score[r] else t + 1, &row, order)
        inside[j] += falling[j] == a.score[r]
    while i < a.m:
        j = tie_end(a, i)
        if a.m == a.ids.n:                   # nothing stands between the found rows
            equal[i] = j - i
            for t in range(i, j):
                inside[t] = 1
        seen += above[i]
        settle(a, i, j, seen + 1, seen + equal[i], inside)
        seen += equal[i]
        i = j


cdef inline int rank(Answer* a, Order order) noexcept nogil:
    """Rank the found rows: 1 + the number of rows before each, without sorting the list.

    Every row is dropped into a bucket between the sorted found rows; ranks are sums of buckets. A list that
    came in falling order needs that only among the rows that tie with a found one.
    """
    cdef int64_t i
    cdef int64_t* buckets
    if a.m == 0:
        return OK
    for i in range(a.m):
        a.found[i].id = a.ids.text + id_start(&a.ids, a.found[i].row)
        a.found[i].id_n = id_length(&a.ids, a.found[i].row)
        a.found[i].score = a.score[a.found[i].row]
    buckets = <int64_t*>calloc(4 * (a.m + 1), sizeof(int64_t))
    if buckets == NULL:
        return MEMORY
    if a.falling:
        rank_falling(a, order, buckets)
    else:
        rank_any(a, order, buckets, buckets + a.m + 1, buckets + 2 * (a.m + 1), <double*>(buckets + 3 * (a.m + 1)))
    free(buckets)
    return OK


cdef inline bint rank_alone(const double* scores, int64_t n, bint falling, Found* f) noexcept nogil:
    """Rank a document by its score alone; False when it ties with another."""
    cdef int64_t low = 0, high = n, middle, better = 0, equal = 0
    if falling:
        while low < high:
            middle = (low + high) // 2
            if scores[middle] > f.score:
                low = middle + 1
            else:
                high = middle
        better, equal = low, 1 + (low + 1 < n and scores[low + 1] == f.score)
    else:
        for low in range(n):
            better += scores[low] > f.score
            equal += scores[low] == f.score
    f.rank = f.first = f.last = better + 1
    return equal == 1


cdef inline int64_t rising_steps(const double* score, int64_t n) noexcept nogil:
    """How many steps from one of n rows to the next there are, if scores rise along them; -1 if they do not."""
    cdef int64_t i = 1
    while i < n and score[i - 1] <= score[i]:
        i += 1
    return n - 1 if i == n and score[0] < score[n - 1] else -1


cdef inline int falling_scores(const void* a, const void* b) noexcept nogil:
    cdef double x = (<const double*>a)[0], y = (<const double*>b)[0]
    return (x < y) - (x > y)


cdef inline int lowest_of(const Answer* a, int64_t k, double* lowest) noexcept nogil:
    """The k-th best score of more than k rows."""
    cdef double* sorted
    if a.falling:
        lowest[0] = a.score[k - 1]
        return OK
    sorted = <double*>malloc(a.ids.n * sizeof(double))
    if sorted == NULL:
        return MEMORY
    memcpy(sorted, a.score, a.ids.n * sizeof(double))
    qsort(sorted, a.ids.n, sizeof(double), falling_scores)
    lowest[0] = sorted[k - 1]
    free(sorted)
    return OK


cdef inline int find_unjudged(Answer* a, int64_t k) noexcept nogil:
    """Let the unjudged rows that may stand among the first k be found too, as document -1 - their id's first row."""
    cdef int64_t row, first, n = a.ids.n
    cdef const char* p
    cdef double lowest = -INFINITY
    cdef int64_t* doc
    if n > k and lowest_of(a, k, &lowest):
        return MEMORY
    doc = <int64_t*>malloc((n + 1) * sizeof(int64_t))
    if doc == NULL:
        return MEMORY
    for row in range(n):
        doc[row] = -1
    for row in range(a.m):
        doc[a.found[row].row] = a.found[row].doc
    a.m = 0
    for row in range(n):                # in the order of the rows, as `rank_falling` needs them
        if doc[row] < 0 and a.score[row] >= lowest:
            p = a.ids.text + id_start(&a.ids, row)
            first = ids_find(&a.ids, p, id_length(&a.ids, row), hash_id(p, id_length(&a.ids, row)), NULL)
            doc[row] = -1 - first
        elif doc[row] < 0:
            continue
        if answer_found(a, row, doc[row]):
            free(doc)
            return MEMORY
    free(doc)
    return OK
