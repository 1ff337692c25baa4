# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Drawing: resamples of rows, and how often each row is in them, counted while they are drawn."""

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


def count_draws(object generator, double[:, ::1] times not None):
    """Fill each row of `times` with how often each of its places is drawn for it, in as many draws as it has places.

    The same draws, and the same state afterwards, as of `Generator(generator).integers(n, size=(rows, n))`: a number
    of 32 bits is multiplied by n, and the upper half taken unless the lower one says that some would come more often
    than others (Lemire, Fast random integer generation in an interval, 2019).

    Args:
        generator: a bit generator of NumPy, which nobody else uses meanwhile.
        times: (rows, n)

    >>> times = np.empty((1, 4))
    >>> count_draws(np.random.default_rng(0).bit_generator, times)
    >>> times, np.bincount(np.random.default_rng(0).integers(4, size=4), minlength=4)
    (array([[1., 0., 1., 2.]]), array([1, 0, 1, 2]))
    """
    cdef Bits* bits = <Bits*>PyCapsule_GetPointer(generator.capsule, "BitGenerator")
    cdef Py_ssize_t row, i, n = times.shape[1]
    cdef uint64_t m, size = n
    cdef uint32_t least = 0
    cdef uint32_t* count                                 # of one row: whole numbers are added in fewer steps
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
                if size > 1:                             # else there is nothing to draw
                    m = bits.next_32(bits.state) * size
                    while <uint32_t>m < least:
                        m = bits.next_32(bits.state) * size
                count[m >> 32] += 1
            for i in range(n):
                times[row, i] = count[i]
                count[i] = 0
        free(count)
