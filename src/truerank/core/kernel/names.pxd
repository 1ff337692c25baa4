"""What the kernel may ask of names without Python."""

from libc.stdint cimport int64_t, uint64_t

from truerank.core.kernel.ids cimport Ids


cdef class Names:
    cdef Ids ids

    cdef int add(self, const char* p, uint64_t n) noexcept nogil
    cdef int64_t find(self, const char* p, uint64_t n) noexcept nogil
    cdef int64_t find_from(self, int64_t likely, const char* p, uint64_t n) noexcept nogil
    cdef bytes at(self, int64_t i)
    cdef bint same(self, Names other)
