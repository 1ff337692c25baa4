"""Ids: a growing list of byte strings that knows which it holds. Compiled into the kernel."""

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memset

cdef extern from "bytes.h":
    enum:
        PAD
        OK
        MEMORY
    void copy_id(char*, const char*, uint64_t) nogil
    bint same_id(const char*, const char*, uint64_t) nogil
    uint64_t hash_id(const char*, uint64_t) nogil


cdef enum: MANY = 1 << 20      # of this many ids the table is half full: its memory counts more than a longer walk


cdef struct Ids:               # a growing list of byte strings that can know which it holds
    int64_t n, room            # invariant: end[i] is the end of id i in text; id i starts where i - 1 ended
    uint64_t* end
    char* text
    uint64_t text_room
    bint plain                 # without a table: append and read only
    bint roomy                 # with a table that is mostly empty: fewer branches that no processor foresees
    uint32_t* table            # birth + row; a slot is live when its row is < n
    uint64_t mask
    uint32_t birth             # moves on at a reset, which thereby empties the table without touching it


cdef inline uint64_t id_start(const Ids* ids, int64_t i) noexcept nogil:
    return ids.end[i - 1] if i else 0


cdef inline uint64_t id_length(const Ids* ids, int64_t i) noexcept nogil:
    return ids.end[i] - id_start(ids, i)


cdef inline bint id_equals(const Ids* ids, int64_t i, const char* p, uint64_t n) noexcept nogil:
    return id_length(ids, i) == n and same_id(ids.text + id_start(ids, i), p, n)


cdef inline void ids_reset(Ids* ids) noexcept nogil:
    """Forget all ids. A table is wiped only when births run out: no slot of it may come to life again."""
    ids.birth += <uint32_t>ids.n
    ids.n = 0
    if ids.birth >> 31 and ids.table != NULL:
        memset(ids.table, 0, (ids.mask + 1) * sizeof(uint32_t))
        ids.birth = 1


cdef inline void ids_free(Ids* ids) noexcept nogil:
    free(ids.end)
    free(ids.text)
    free(ids.table)
    ids.end, ids.text, ids.table = NULL, NULL, NULL


cdef inline int64_t ids_find(const Ids* ids, const char* p, uint64_t n, uint64_t h, uint64_t* free_slot) noexcept nogil:
    """The row that holds this id, or -1 and the slot for it. The table is at most half full: the walk ends."""
    cdef uint64_t slot = h & ids.mask
    cdef uint32_t row
    if ids.room == 0:
        return -1
    while True:
        row = ids.table[slot] - ids.birth
        if row >= ids.n:
            if free_slot != NULL:
                free_slot[0] = slot
            return -1
        if id_equals(ids, row, p, n):
            return row
        slot = (slot + 1) & ids.mask


cdef inline void table_put(Ids* ids, uint64_t h, int64_t row) noexcept nogil:
    cdef uint64_t slot = h & ids.mask
    while ids.table[slot] - ids.birth < row:     # live: rows below this one
        slot = (slot + 1) & ids.mask
    ids.table[slot] = ids.birth + <uint32_t>row


cdef inline int table_grow(Ids* ids) noexcept nogil:
    cdef uint64_t slots = (16 if ids.roomy and ids.room <= 1 << 13 else 4 if ids.room < MANY else 2) * ids.room
    cdef uint32_t* table = <uint32_t*>calloc(slots, sizeof(uint32_t))
    cdef const char* p
    cdef uint64_t n, slot = 0
    cdef int64_t i
    if table == NULL:
        return MEMORY
    free(ids.table)
    ids.table, ids.mask, ids.birth = table, slots - 1, 1
    for i in range(ids.n):
        p, n = ids.text + id_start(ids, i), id_length(ids, i)
        if ids_find(ids, p, n, hash_id(p, n), &slot) < 0:      # of an id that is there twice, the first row
            ids.table[slot] = ids.birth + <uint32_t>i
    return OK


cdef inline int ids_grow(Ids* ids, int64_t more, uint64_t more_text) noexcept nogil:
    """Room for so many more ids, together this long; far fewer than there may be."""
    cdef uint64_t used = ids.end[ids.n - 1] if ids.n else 0
    cdef int64_t room = ids.room
    cdef void* p
    if ids.n + more > room:
        if room >= 1 << 30:
            return MEMORY
        room = room if room else 16
        while room < ids.n + more:
            room *= 2
        p = realloc(ids.end, room * sizeof(uint64_t))
        if p == NULL:
            return MEMORY
        ids.end = <uint64_t*>p
        ids.room = room
        if not ids.plain and table_grow(ids):
            return MEMORY
    if used + more_text + PAD > ids.text_room:
        p = realloc(ids.text, 2 * (used + more_text + PAD))
        if p == NULL:
            return MEMORY
        ids.text, ids.text_room = <char*>p, 2 * (used + more_text + PAD)
    return OK


cdef inline void ids_append(Ids* ids, const char* p, uint64_t n, uint64_t h, uint64_t slot) noexcept nogil:
    """Append a new id for which there is room, at the slot that `ids_find` gave."""
    cdef uint64_t start = ids.end[ids.n - 1] if ids.n else 0
    copy_id(ids.text + start, p, n)
    ids.end[ids.n] = start + n
    ids.table[slot] = ids.birth + <uint32_t>ids.n
    ids.n += 1


cdef inline int ids_add(Ids* ids, const char* p, uint64_t n, uint64_t h, bint again=False) noexcept nogil:
    """Append an id; the table goes on finding the first row of one that is there already."""
    cdef uint64_t start = ids.end[ids.n - 1] if ids.n else 0
    if ids.n == ids.room or start + n + PAD > ids.text_room:
        if ids_grow(ids, 1, n):
            return MEMORY
    copy_id(ids.text + start, p, n)
    ids.end[ids.n] = start + n
    if not ids.plain and not again:
        table_put(ids, h, ids.n)
    ids.n += 1
    return OK
