"""Spellings: what two ids have in common that only are written otherwise. Compiled into the rows."""

from libc.stdint cimport int64_t, uint64_t

cdef enum:
    LONGEST_ID = 255               # longer ones are looked at closely
    LONGEST_ENDING = 5             # of a file's name: none that is known is longer


cdef inline bint is_digit(char c) noexcept nogil:
    return c"0" <= c <= c"9"


cdef inline int64_t folded(const char* p, uint64_t n, char* to) noexcept nogil:
    """Write what is left of an id without case, folders, zeros before digits, quotes and short endings; how much.

    Ids that differ only in how they are written leave the same; others may. -1 for a long id, and one that has other
    signs than those of ASCII that print.
    """
    cdef uint64_t i, start = 0
    cdef int64_t size = 0, dot
    cdef char c
    cdef bint in_number = False
    if n > LONGEST_ID:
        return -1
    for i in range(n):
        if not 32 < p[i] < 127:
            return -1
        if p[i] == c"/" or p[i] == c"\\":
            start = i + 1
    for i in range(start, n):
        c = p[i]
        if c == c"0" and not in_number and i + 1 < n and is_digit(p[i + 1]):
            continue
        in_number = is_digit(c)
        if c != c'"' and c != c"'" and c != c"`":
            to[size] = c + 32 if c"A" <= c <= c"Z" else c
            size += 1
    while True:
        dot = size - 1
        while dot >= 0 and to[dot] != c".":
            dot -= 1
        if dot < 0 or size - dot - 1 > LONGEST_ENDING:
            return size
        size = dot
