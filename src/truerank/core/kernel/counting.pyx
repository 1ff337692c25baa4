# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Counting: how many scores of a row are better than some of them, and how many equal these. Ranks without sorting.

And sums, products and maxima that run from left to right, pairs in the same order, and what documents add to those
above them, at the end.

It knows no text and no ids, only blocks of scores, in 32 or 64 bits. A few of a row are compared with all of it. Of
many, a score is placed by the bin that it falls into, which knows how many of our own lie in lower ones; or it is
searched for among them, where the processor does that for several at once. All go over a row a tile at a time, which
stays in the first cache. A NaN is neither better than anything nor equal to it.

Scores may be anything and own may not ascend: the counts are wrong then, but every load and store stays inside.
"""

from libc.math cimport INFINITY, NAN, isfinite
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcmp, memset

import numpy as np
cimport cython

cdef extern from "placing.h":
    enum: MOST_PLACED
    bint HAS_WIDE
    void place_row(const float*, int64_t, const float*, int64_t, int64_t*, int64_t*) nogil

ctypedef fused real:
    float
    double

cdef enum:
    TILE = 1024
    BINS = 8192
    FEW = 8  # this many comparisons, a vector at a time, cost about as much as a bin
    EACH = 16  # so many bins for each of our own, as far as the first cache has room: most have one to themselves
    SEARCHED = 1 << 30


def count_better(const real[:, ::1] block, const int64_t[::1] start, const real[::1] own):
    """(pairs,) how many scores of its row are better than each of `own`, and (pairs,) how many equal it.

    Args:
        block: (rows, width) scores, more is better.
        start: (rows + 1,) the own of row r are start[r] to start[r + 1].
        own: (pairs,) ascending within a row.

    Raises:
        ValueError: start does not cut own into the rows of the block.
    """
    cdef Py_ssize_t r, rows = block.shape[0], width = block.shape[1], pairs = own.shape[0]
    better, equal = np.zeros(pairs, np.int64), np.zeros(pairs, np.int64)
    cdef int64_t[::1] above = better, same = equal, placed
    if start.shape[0] != rows + 1 or start[0] != 0 or start[rows] != pairs or (np.diff(start) < 0).any():
        raise ValueError("start does not cut own into the rows of the block")
    placed = np.empty(np.diff(start).max(initial=0) + 1, np.int64)
    with nogil:
        for r in range(rows if width else 0):
            if start[r] < start[r + 1]:  # so start[r] is less than pairs, and there is an own to point at
                count_row(&block[r, 0], width, &own[start[r]], start[r + 1] - start[r],
                          &above[start[r]], &same[start[r]], &placed[0])
    return better, equal


def count_before(const real[:, ::1] block, const int64_t[::1] row, const int64_t[::1] column):
    """(pairs,) how many scores that equal that of an entry (row, column) stand further left in its row.

    Raises:
        IndexError: there is no such entry.
    """
    cdef Py_ssize_t i, j, pairs = row.shape[0]
    cdef int32_t same
    cdef real own
    if column.shape[0] != pairs:
        raise IndexError("a row and a column are needed of each entry")
    before = np.zeros(pairs, np.int64)
    cdef int64_t[::1] out = before
    for i in range(pairs):
        if not (0 <= row[i] < block.shape[0] and 0 <= column[i] < block.shape[1]):
            raise IndexError("an entry lies outside of the block")
    with nogil:
        for i in range(pairs):
            own, same = block[row[i], column[i]], 0
            for j in range(column[i]):
                same += block[row[i], j] == own
            out[i] = same
    return before


cdef void count_row(const real* row, Py_ssize_t width, const real* own, Py_ssize_t n,
                    int64_t* better, int64_t* equal, int64_t* placed) noexcept nogil:
    """Count for the n of our own into better and equal, which hold n zeros; placed has room for n + 1 numbers."""
    cdef int32_t top = 511
    cdef Py_ssize_t j
    cdef real scale
    while top < BINS - 1 and top < EACH * n:
        top = 2 * top + 1
    scale = top / (own[n - 1] - own[0])  # 0, infinite or NaN where that is no range to divide
    if real is float and HAS_WIDE and FEW < n <= MOST_PLACED:
        place_row(<const float*>row, width, <const float*>own, n, better, equal)
    elif FEW < n < SEARCHED and scale > 0 and isfinite(scale):
        by_bins(row, width, own, n, top, scale, better, equal, placed)
    else:
        by_comparing(row, width, own, n, better, equal)
    for j in range(1, n):  # all count for the first of equal ones only
        if own[j] == own[j - 1]:
            better[j], equal[j] = better[j - 1], equal[j - 1]


cdef void by_comparing(const real* row, Py_ssize_t width, const real* own, Py_ssize_t n,
                       int64_t* better, int64_t* equal) noexcept nogil:
    cdef Py_ssize_t begin, i, j, length
    cdef int above, same
    cdef const real* tile
    for begin from 0 <= begin < width by TILE:
        tile, length = row + begin, min(width - begin, <Py_ssize_t>TILE)
        for j in range(n):
            above = same = 0
            for i in range(length):
                above += tile[i] > own[j]
                same += tile[i] == own[j]
            better[j] += above
            equal[j] += same
            if not above:  # than what is better still, nothing here is better either
                break


cdef void by_bins(const real* row, Py_ssize_t width, const real* own, Py_ssize_t n, int32_t top, real scale,
                  int64_t* better, int64_t* equal, int64_t* placed) noexcept nogil:
    # Of each bin how many of our own lie in lower ones, at most n, and where it holds one of them, that one: at most
    # n - 1 are lower then. A score that equals it, or falls into a bin that holds several, is searched for.
    cdef int32_t lower[BINS]
    cdef real limit[BINS]
    cdef real above[TILE]
    cdef int32_t place[TILE]
    cdef Py_ssize_t begin, i, j, length, before = 0
    cdef int count
    cdef bint is_packed = False
    cdef const real* tile
    memset(lower, 0, (top + 1) * sizeof(int32_t))
    memset(placed, 0, (n + 1) * sizeof(int64_t))
    for j in range(n):
        lower[bin_of(own[j], own[0], scale, top)] += 1
    for i in range(top + 1):
        count = lower[i]
        limit[i] = own[before] if count == 1 else INFINITY if count == 0 else NAN
        lower[i] = <int32_t>(before + (SEARCHED if count > 1 else 0))
        before += count
    for begin from 0 <= begin < width by TILE:
        tile, length = row + begin, min(width - begin, <Py_ssize_t>TILE)
        if not begin:
            is_packed = 2 * pack(tile, length, own[0], above) < length
        if is_packed:  # what is below all of our own is neither better nor equal: in good systems, most
            length = pack(tile, length, own[0], above)
            tile = above
        for i in range(length):
            place[i] = bin_of(tile[i], own[0], scale, top)
        for i in range(length):  # at most n, or so much and SEARCHED: nothing equals NaN, so never twice that
            j = place[i]
            place[i] = lower[j] + (tile[i] > limit[j]) + SEARCHED * (tile[i] == limit[j])
        for i in range(length):
            j = place[i]
            if j >= SEARCHED:  # rarely
                j = below(tile[i], own, j - SEARCHED, n)
                if j < n and own[j] == tile[i]:
                    equal[j] += 1
            placed[j] += 1  # of our own, j <= n are less
    for j in range(n - 1, -1, -1):  # what is better than one is better than the one before
        better[j] = placed[j + 1] + (better[j + 1] if j + 1 < n else 0)


cdef inline Py_ssize_t pack(const real* tile, Py_ssize_t length, real low, real* kept) noexcept nogil:
    """Keep the values of a tile that are not below `low`; returns how many."""
    cdef Py_ssize_t i, count = 0
    for i in range(length):
        kept[count] = tile[i]  # count <= i < TILE
        count += tile[i] >= low
    return count


cdef inline int32_t bin_of(real score, real low, real scale, int32_t top) noexcept nogil:
    """From 0 to top. Never falls as the score grows, so that a score in a higher bin is a better one."""
    cdef real at = (score - low) * scale
    at = at if at > 0 else 0  # also of NaN, which no integer is
    return <int32_t>(at if at < top else top)


cdef inline Py_ssize_t below(real score, const real* own, Py_ssize_t low, Py_ssize_t high) noexcept nogil:
    """How many of our own are less; at least `low`, at most `high`."""
    cdef Py_ssize_t middle
    while low < high:
        middle = low + (high - low) // 2
        if own[middle] < score:
            low = middle + 1
        else:
            high = middle
    return low

cdef enum: SUM, PRODUCT, MAXIMUM


cdef running(int what, const double[::1] values, const int64_t[::1] query):
    """From left to right, so the same bits for every partition of the queries."""
    cdef int64_t i
    cdef double before
    out = np.empty(values.shape[0])
    cdef double[::1] o = out
    for i in range(values.shape[0]):
        o[i] = values[i]
        if i and query[i] == query[i - 1]:
            before = o[i - 1]
            o[i] = before + o[i] if what == SUM else before * o[i] if what == PRODUCT else max(before, o[i])
    return out


def running_sum(values, query):
    """The sum up to and including each row, begun anew at each query."""
    return running(SUM, values, query)


def running_product(values, query):
    """The product up to and including each row, begun anew at each query."""
    return running(PRODUCT, values, query)


def running_max(values, query):
    """The largest value up to and including each row, begun anew at each query."""
    return running(MAXIMUM, values, query)


def concordance(place, const int64_t[::1] start):
    """How far two lists put what both hold in the same order, for many pairs of lists.

    Two things are concordant where one stands above the other in both lists. Of each thing that both hold is counted
    how many concordant ones stand above it: by a tree of counts (Fenwick 1994), as of n things n log n steps.

    Args:
        place: (rows,) of each thing of the first list, from the top, its rank in the second, from 0, which no other
            thing of the list has; below 0: it is not there.
        start: (lists + 1,) the things of list i are start[i] to start[i + 1].

    Returns:
        (lists,) how many things both hold, (lists,) the sum of what was counted, and (lists,) the sums of it over how
        many shared things stand above in the first list, and in the second, which tau-AP is the mean of.

    Raises:
        ValueError: start does not cut the places into lists.
    """
    cdef int64_t[::1] at = np.array(place, np.int64)
    cdef Py_ssize_t i, n = at.shape[0], lists = start.shape[0] - 1
    if lists < 0 or start[0] != 0 or start[lists] != n or (np.diff(start) < 0).any():
        raise ValueError("start does not cut the places into lists")
    cdef int64_t width = max(np.max(place, initial=0), 0) + 2, longest = np.max(np.diff(start), initial=0) + 2
    counts, sums, by = np.zeros(lists, np.int64), np.zeros(lists, np.int64), np.zeros((lists, 2))
    cdef int64_t[::1] both = counts, above = sums
    cdef double[:, ::1] over = by
    cdef int64_t[::1] order = np.empty(width, np.int64), tree = np.empty(longest, np.int64)
    with nogil:
        for i in range(lists if n else 0):
            if start[i] < start[i + 1]:  # so start[i] is less than n, and there is a place to point at
                both[i] = concordant(&at[start[i]], start[i + 1] - start[i], order, tree, &above[i], &over[i, 0])
    return counts, sums, by[:, 0].copy(), by[:, 1].copy()


cdef int64_t concordant(int64_t* place, Py_ssize_t n, int64_t[::1] order, int64_t[::1] tree,
                        int64_t* above, double* over) noexcept nogil:
    """Of one list; order has room for every place, tree for n + 2 counts."""
    cdef Py_ssize_t i, shared = 0, rank, node
    cdef int64_t count
    order[:] = 0
    for i in range(n):
        if place[i] >= 0:
            place[shared] = place[i]  # shared <= i
            order[place[i]] += 1
            shared += 1
    for i in range(1, order.shape[0]):  # how many shared ones stand down to each place: at most shared
        order[i] += order[i - 1]
    tree[: shared + 1] = 0
    for i in range(shared):
        rank = order[place[i]]  # from 1 to shared
        count, node = 0, rank - 1
        while node > 0:
            count += tree[node]
            node -= node & -node
        node = rank
        while node <= shared:
            tree[node] += 1
            node += node & -node
        above[0] += count
        if i:
            over[0] += count / <double>i
        if rank > 1:
            over[1] += count / <double>(rank - 1)
    return shared


def answered(const int64_t[::1] aspect, const double[::1] grade, double level, Py_ssize_t aspects):
    """(aspects,) whether a row of each has a grade of at least `level`."""
    is_answered = np.zeros(aspects, np.bool_)
    cdef unsigned char[::1] out = is_answered.view(np.uint8)
    cdef Py_ssize_t r
    for r in range(min(aspect.shape[0], grade.shape[0])):
        if grade[r] >= level and 0 <= aspect[r] < aspects:
            out[aspect[r]] = True
    return is_answered


def novelty(const int64_t[::1] doc, const int64_t[::1] start, const int64_t[::1] aspect, const double[::1] grade,
            double level, double alpha, weight):
    """(rows,) what each document of a list adds: the weight of each aspect that it is relevant to, (1 - alpha) of it
    for the second such document, and so on.

    Args:
        doc: of each row, those of a query from the top; below 0: one that is not judged.
        start: (documents + 1,) start[d] to start[d + 1] are the rows of document d in `aspect` and `grade`.
        weight: (aspects,) of each; none is of two queries.
    """
    cdef double[::1] left = np.array(weight, np.float64)
    cdef Py_ssize_t i, r, docs = start.shape[0] - 1, rows = min(aspect.shape[0], grade.shape[0])
    added = np.zeros(doc.shape[0])
    cdef double[::1] out = added
    for i in range(doc.shape[0]):
        if 0 <= doc[i] < docs:
            for r in range(max(start[doc[i]], 0), min(start[doc[i] + 1], rows)):
                if grade[r] >= level and 0 <= aspect[r] < left.shape[0]:
                    out[i] += left[aspect[r]]
                    left[aspect[r]] *= 1 - alpha
    return added


cdef struct Candidate:
    double gain                # at least what it adds now: that can only fall
    int64_t first, last        # what it is relevant to: these of the aspects that are answered
    int64_t doc, begin, length # of the document, and of its id
    Py_ssize_t place           # among those of its query, by their ids; 0 until it is known


@cython.final
cdef class Greedy:
    """Picks documents, each time the one that adds most, of equal ones that with the last id."""

    cdef const int64_t[::1] start, aspect, begin, end
    cdef const double[::1] grade
    cdef const unsigned char[::1] text
    cdef double[::1] left
    cdef int64_t[::1] relevant     # the aspects that the candidates are relevant to
    cdef double level, alpha
    cdef Candidate* heap

    def __init__(self, start, aspect, grade, weight, double level, double alpha, begin, end, text):
        """As for `novelty`; begin, end: (documents,) where each id stands in the text."""
        self.start, self.aspect, self.grade, self.begin, self.end, self.text = start, aspect, grade, begin, end, text
        self.left, self.level, self.alpha = np.array(weight, np.float64), level, alpha
        self.relevant = np.empty(min(self.aspect.shape[0], self.grade.shape[0]), np.int64)

    def __dealloc__(self):
        free(self.heap)

    def order(self, const int64_t[::1] owner, int64_t k):
        """The query and the document of each pick: k a query, of those that are relevant to some aspect.

        Args:
            owner: (aspects,) the query of each, below 0 for none; the documents of a query are together.
        """
        cdef Py_ssize_t d, docs = min(self.start.shape[0] - 1, min(self.begin.shape[0], self.end.shape[0])), n = 0, m = 0
        cdef int64_t q = -1, own, first = 0, last = 0
        self.heap = <Candidate*>realloc(self.heap, (docs + 1) * sizeof(Candidate))
        if self.heap == NULL:
            raise MemoryError
        query, doc = np.empty(docs, np.int64), np.empty(docs, np.int64)
        cdef int64_t[::1] queries = query, picks = doc
        for d in range(docs):
            first = last
            own = self.take(d, owner, &last)
            if own < 0:
                continue
            if own != q and n:
                m = self.pick(n, k, q, queries, picks, m)
                n = 0
            q = own
            self.heap[n].doc, self.heap[n].begin, self.heap[n].place = d, self.begin[d], 0
            self.heap[n].first, self.heap[n].last, self.heap[n].gain = first, last, 0
            self.heap[n].length = self.end[d] - self.begin[d]
            if not 0 <= self.begin[d] <= self.end[d] <= self.text.shape[0]:
                self.heap[n].begin = self.heap[n].length = 0
            n += 1
        m = self.pick(n, k, q, queries, picks, m)
        return query[:m].copy(), doc[:m].copy()

    cdef int64_t take(self, Py_ssize_t d, const int64_t[::1] owner, int64_t* last) noexcept:
        """Note the aspects that a document is relevant to, from `last` on; the query of one of them, or -1."""
        cdef int64_t aspect, query = -1
        cdef Py_ssize_t r, rows = self.relevant.shape[0]
        for r in range(max(self.start[d], 0), min(self.start[d + 1], rows)):
            aspect = self.aspect[r]
            if self.grade[r] >= self.level and 0 <= aspect < min(owner.shape[0], self.left.shape[0]) and last[0] < rows:
                self.relevant[last[0]] = aspect
                last[0] += 1
                query = owner[aspect] if query < 0 else query
        return query

    cdef double gain(self, const Candidate* one) noexcept:
        cdef int64_t r
        cdef double gain = 0
        for r in range(one.first, one.last):
            gain += self.left[self.relevant[r]]
        return gain

    cdef Py_ssize_t pick(self, Py_ssize_t n, int64_t k, int64_t q, int64_t[::1] queries, int64_t[::1] picks,
                         Py_ssize_t m) noexcept:
        """The first k of the n documents in the heap, written behind the m that are there: m + n <= documents."""
        cdef Py_ssize_t i
        cdef int64_t r
        cdef bint is_few = 0 <= k < n // 8               # then the ids of ties alone are compared, and there is no heap
        if not is_few:
            self.sort(n)
        for i in range(n):
            self.heap[i].place = 0 if is_few else i
            self.heap[i].gain = self.gain(&self.heap[i])
        if not is_few:
            for i in range(n // 2 - 1, -1, -1):
                self.sink(i, n)
        while n and k:
            if is_few:
                self.lead(n)
            elif self.gain(&self.heap[0]) < self.heap[0].gain:
                self.heap[0].gain = self.gain(&self.heap[0])
                self.sink(0, n)
                continue
            queries[m], picks[m] = q, self.heap[0].doc
            m, k, n = m + 1, k - 1, n - 1
            for r in range(self.heap[0].first, self.heap[0].last):
                self.left[self.relevant[r]] *= 1 - self.alpha
            self.heap[0] = self.heap[n]
            if not is_few:
                self.sink(0, n)
        return m

    cdef void lead(self, Py_ssize_t n) noexcept:
        """Put first what goes before all others."""
        cdef Py_ssize_t i, best = 0
        self.heap[0].gain = self.gain(&self.heap[0])
        for i in range(1, n):
            if self.heap[i].gain >= self.heap[best].gain:
                self.heap[i].gain = self.gain(&self.heap[i])
                best = i if self.is_ahead(&self.heap[i], &self.heap[best]) else best
        self.heap[0], self.heap[best] = self.heap[best], self.heap[0]

    cdef void sort(self, Py_ssize_t n) noexcept:
        """By what goes first, the last first: of equal gains, by id."""
        cdef Py_ssize_t i
        for i in range(n // 2 - 1, -1, -1):
            self.sink(i, n)
        for i in range(n - 1, 0, -1):
            self.heap[0], self.heap[i] = self.heap[i], self.heap[0]
            self.sink(0, i)

    cdef void sink(self, Py_ssize_t i, Py_ssize_t n) noexcept:
        """Put what stands at i below all that goes before it."""
        cdef Candidate moved = self.heap[i]
        cdef Py_ssize_t below = 2 * i + 1
        while below < n:
            if below + 1 < n and self.is_ahead(&self.heap[below + 1], &self.heap[below]):
                below += 1
            if not self.is_ahead(&self.heap[below], &moved):
                break
            self.heap[i] = self.heap[below]
            i, below = below, 2 * below + 1
        self.heap[i] = moved

    cdef bint is_ahead(self, const Candidate* one, const Candidate* other) noexcept:
        cdef int64_t shorter = min(one.length, other.length)
        cdef int order = 0
        if one.gain != other.gain:
            return one.gain > other.gain
        if one.place != other.place:
            return one.place > other.place
        if shorter:
            order = memcmp(&self.text[one.begin], &self.text[other.begin], shorter)
        return order > 0 if order else one.length > other.length
