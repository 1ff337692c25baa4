# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Drawing: resamples of rows, and how often each row is in them, counted while they are drawn."""

cimport cython
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport calloc, free

import numpy as np


cdef struct Bits:                  # what NumPy promises of a generator of random bits: numpy/random/bitgen.h
    void* state
    uint64_t (*next_64)(void*) noexcept nogil
    uint32_t (*next_32)(void*) noexcept nogil
    double (*next_double)(void*) noexcept nogil
    uint64_t (*next_raw)(void*) noexcept nogil


@cython.final
cdef class Draws:
    """Draws of places, each as likely as any other, one after another.

    The same draws as of `Generator(PCG64(seed)).integers(n, size)`: a number of 32 bits is multiplied by n, and the upper
    half taken unless the lower one says that some would come more often than others (Lemire, Fast random integer
    generation in an interval, 2019). Of each 64 bits the lower half comes first.
    """

    cdef object generator
    cdef Bits* bits
    cdef uint32_t half                                   # the upper one of the last 64 bits
    cdef bint is_left                                    # whether it was not taken yet

    def __init__(self, seed):
        self.generator = np.random.PCG64(seed)
        self.bits = <Bits*>PyCapsule_GetPointer(self.generator.capsule, "BitGenerator")

    def count(self, double[:, ::1] times not None):
        """Fill each row of `times` with how often each of its places is drawn for it, in as many draws as it has places.

        >>> times = np.empty((1, 4))
        >>> Draws(0).count(times)
        >>> times, np.bincount(np.random.default_rng(0).integers(4, size=4), minlength=4)
        (array([[1., 0., 1., 2.]]), array([1, 0, 1, 2]))
        """
        cdef Py_ssize_t row, i, n = times.shape[1]
        cdef uint64_t m, size = n
        cdef uint32_t least = 0
        cdef uint32_t* count                             # of one row: whole numbers are added in fewer steps
        if size > 0xFFFFFFFF:
            raise OverflowError("so many rows are not drawn from")
        if size > 1:
            least = <uint32_t>((<uint64_t>1 << 32) % size)
        count = <uint32_t*>calloc(n + 1, sizeof(uint32_t))
        if count == NULL:
            raise MemoryError
        with nogil:
            for row in range(times.shape[0]):
                for i in range(n):
                    m = 0
                    if size > 1:                         # else there is nothing to draw
                        m = self.next() * size
                        while <uint32_t>m < least:
                            m = self.next() * size
                    count[m >> 32] += 1
                for i in range(n):
                    times[row, i] = count[i]
                    count[i] = 0
            free(count)

    cdef inline uint64_t next(self) noexcept nogil:
        """32 bits."""
        cdef uint64_t both
        if self.is_left:
            self.is_left = False
            return self.half
        both = self.bits.next_64(self.bits.state)
        self.half, self.is_left = <uint32_t>(both >> 32), True
        return <uint32_t>both
