# Bytes in, lines out, cut into columns. A part of the kernel.

cdef class Lines:
    """Cuts pushed bytes into lines and columns and hands them to `row`. Holds at most one chunk's rest."""

    cdef char* rest
    cdef uint64_t rest_n, rest_room
    cdef int error
    cdef readonly int64_t line     # the line that was read last, 1-based
    cdef int want, width           # how many columns a line has; how many the one read last had

    def __dealloc__(self):
        free(self.rest)

    cdef int row(self, const Fields* f) noexcept nogil:
        """Read one line, cut into `want` columns."""
        return OK

    cdef const char* alike(self, const char* p, const char* end, const Fields* f) noexcept nogil:
        """Read the lines from p on that begin as the last one did; where they end."""
        return p

    cdef void parse(self, const char* p, const char* end) noexcept nogil:
        """Read the whole lines in [p, end), which are followed by PAD readable bytes."""
        cdef Fields f
        cdef int found
        if self.line == 0 and memcmp(p, b"\xef\xbb\xbf", 3) == 0:
            p += 3                                       # a byte order mark
        while p < end:
            self.line += 1
            if p[0] == c"#":
                p = <const char*>memchr(p, c"\n", end - p) + 1
                continue
            p = split(p, &f, self.want, &found)
            if found:
                self.width = found
                self.error = CONTROL if found < 0 else FIELDS if found != self.want else self.row(&f)
                if not self.error:
                    p = self.alike(p, end, &f)
                if self.error:
                    return

    cdef int keep(self, const char* p, uint64_t n) noexcept nogil:
        cdef void* q
        if self.rest_n + n + PAD + 1 > self.rest_room:
            q = realloc(self.rest, 2 * (self.rest_n + n + PAD + 1))
            if q == NULL:
                return MEMORY
            self.rest, self.rest_room = <char*>q, 2 * (self.rest_n + n + PAD + 1)
        memcpy(self.rest + self.rest_n, p, n)
        self.rest_n += n
        return OK

    cdef void flush(self) noexcept nogil:
        memset(self.rest + self.rest_n, c"\n", PAD)
        self.parse(self.rest, self.rest + self.rest_n)
        self.rest_n = 0

    cdef void take(self, const char* p, uint64_t n) noexcept nogil:
        cdef const char* end = p + n
        cdef const char* cut
        if self.rest_n:                                  # complete the line that the last chunk began
            cut = <const char*>memchr(p, c"\n", n)
            cut = end if cut == NULL else cut + 1
            if self.rest_n + <uint64_t>(cut - p) > LONGEST_LINE + (1 << 12):
                self.error = LONG
                self.line += 1
                return
            self.error = self.keep(p, cut - p)
            if self.error or cut == end and (cut == p or (cut - 1)[0] != c"\n"):
                return
            p = cut
            self.flush()
        if end - p > PAD and not self.error:
            cut = end - PAD                              # what is read in place has PAD bytes behind it
            while cut > p and (cut - 1)[0] != c"\n":
                cut -= 1
            if cut > p:
                self.parse(p, cut)
                p = cut
        if not self.error and p < end:
            self.error = self.keep(p, end - p)

    cpdef feed(self, const unsigned char[::1] data):
        """Read the next bytes. Releases the GIL.

        Raises:
            Refused: a line cannot be read; its kind and line say why and where.
        """
        cdef const char* p
        cdef uint64_t n = data.shape[0]
        self.check()
        if n == 0:
            return
        p = <const char*>&data[0]
        with nogil:
            self.take(p, n)
        self.check()

    cdef check(self):
        if self.error == MEMORY:
            raise MemoryError("the scanner ran out of memory")
        if self.error:
            raise Refused(KINDS[self.error], self.line, self.width)

    cdef void end_lines(self) noexcept nogil:
        if self.rest_n and not self.error:               # the rest may lack its newline
            self.rest[self.rest_n] = c"\n"               # keep() left room for it
            self.rest_n += self.rest[self.rest_n - 1] != c"\n"
            self.flush()
