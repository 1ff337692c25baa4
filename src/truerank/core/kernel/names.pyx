# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Names: ids in order, as one text, and where each stands; and judgements out of dicts, which are such texts too.

A million ids take 31 bytes each beside their own letters as Python's objects, and a look-up as much again: here all
of it is 30. A `Scanner` looks up queries in them.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.dict cimport PyDict_Next
from cpython.float cimport PyFloat_CheckExact
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_CheckExact
from libc.math cimport isfinite
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memcmp, memcpy, memset

from truerank.core.kernel.ids cimport Ids, id_equals, id_length, id_start, ids_add, ids_find, ids_free, ids_reset

import os
from collections.abc import Sequence

import numpy as np

from truerank.core.errors import Refused

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object, Py_ssize_t*) except NULL
    Py_ssize_t PyUnicode_GET_LENGTH(object)

cdef extern from "bytes.h":
    enum: OK, MEMORY
    uint64_t SALT
    uint64_t hash_id(const char*, uint64_t) nogil
    int compare_ids(const char*, uint64_t, const char*, uint64_t) nogil
    int write_number(char*, uint64_t) nogil

SALT = int.from_bytes(os.urandom(8), "little")


cdef struct Placed:
    const char* id
    uint64_t n
    int64_t row


cdef int by_id(const void* a, const void* b) noexcept nogil:
    cdef const Placed* x = <const Placed*>a
    cdef const Placed* y = <const Placed*>b
    cdef int c = compare_ids(x.id, x.n, y.id, y.n)
    return c if c else (x.row > y.row) - (x.row < y.row)


cdef class Names:
    """Ids as bytes, in order: a sequence that knows where an id stands. It looks and compares like a tuple.

    >>> names = Names([b"b", b"a"])
    >>> names, len(names), names[0], names.index(b"a"), b"c" in names
    ((b'b', b'a'), 2, b'b', 1, False)
    """

    def __init__(self, names=()):
        cdef bytes name
        for name in names:
            if self.add(name, len(name)):
                raise MemoryError

    def __dealloc__(self):
        ids_free(&self.ids)

    cdef int add(self, const char* p, uint64_t n) noexcept nogil:
        """Append an id; `find` gives the first place of one that is there twice."""
        cdef uint64_t h = hash_id(p, n)
        return ids_add(&self.ids, p, n, h, ids_find(&self.ids, p, n, h, NULL) >= 0)

    cdef int64_t find(self, const char* p, uint64_t n) noexcept nogil:
        """Where an id stands, or -1."""
        return ids_find(&self.ids, p, n, hash_id(p, n), NULL)

    cdef int64_t find_from(self, int64_t likely, const char* p, uint64_t n) noexcept nogil:
        """As `find`, trying the place `likely` first, which saves a look-up that reads other parts of memory."""
        return likely if likely < self.ids.n and id_equals(&self.ids, likely, p, n) else self.find(p, n)

    cdef bytes at(self, int64_t i):
        return (self.ids.text + id_start(&self.ids, i))[:id_length(&self.ids, i)]

    def __len__(self):
        return self.ids.n

    def __getitem__(self, place):
        cdef int64_t i
        if isinstance(place, slice):
            return tuple([self.at(i) for i in range(*place.indices(self.ids.n))])
        i = place
        i += self.ids.n if i < 0 else 0
        if not 0 <= i < self.ids.n:
            raise IndexError(f"there are {self.ids.n} names")
        return self.at(i)

    def __iter__(self):
        cdef int64_t i
        for i in range(self.ids.n):
            yield self.at(i)

    def __contains__(self, name):
        return isinstance(name, bytes) and self.find(name, len(name)) >= 0

    def index(self, bytes name not None):
        """Where an id stands."""
        cdef int64_t i = self.find(name, len(name))
        if i < 0:
            raise ValueError(f"{name!r} is none of the names")
        return i

    def count(self, name):
        """How often an id is there."""
        return sum(1 for other in self if other == name)

    def __eq__(self, other):
        if other is self:
            return True
        if isinstance(other, Names):
            return self.same(other)
        if not isinstance(other, tuple):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other))

    cdef bint same(self, Names other):
        cdef int64_t n = self.ids.n
        if n != other.ids.n or n and memcmp(self.ids.end, other.ids.end, n * sizeof(uint64_t)):
            return False
        return not n or memcmp(self.ids.text, other.ids.text, self.ids.end[n - 1]) == 0

    def __hash__(self):
        return hash(tuple(self))

    def __repr__(self):
        return repr(tuple(self))

    def __reduce__(self):
        return Names, (list(self),)

    def in_order(self):
        """(the same sorted, the place of each among them); the place is None where they are sorted already."""
        cdef int64_t i, n = self.ids.n
        cdef Names names = Names()
        cdef int64_t[::1] place
        cdef Placed* rows
        for i in range(1, n):
            if compare_ids(self.ids.text + id_start(&self.ids, i - 1), id_length(&self.ids, i - 1),
                           self.ids.text + id_start(&self.ids, i), id_length(&self.ids, i)) > 0:
                break
        else:
            return self, None
        where = np.empty(n, np.int64)
        place = where
        rows = <Placed*>malloc(n * sizeof(Placed))
        if rows == NULL:
            raise MemoryError
        for i in range(n):
            rows[i].id, rows[i].n, rows[i].row = self.ids.text + id_start(&self.ids, i), id_length(&self.ids, i), i
        qsort(rows, n, sizeof(Placed), by_id)
        for i in range(n):
            place[rows[i].row] = i
            if names.add(rows[i].id, rows[i].n):
                free(rows)
                raise MemoryError
        free(rows)
        return names, where


def fields(const unsigned char[::1] text not None, int columns):
    """Where each field of each line of a text begins and ends, (rows, columns) twice, and (rows,) which line it is.

    Any white space separates fields; empty lines and those whose first field begins with # are passed over.

    Raises:
        Refused: a line has another number of fields.

    >>> fields(b"a 1\\n\\n# no row\\nbc  2", 2)
    (array([[ 0,  2],
           [14, 18]]), array([[ 1,  3],
           [16, 19]]), array([1, 4]))
    """
    cdef int64_t p, start, n = 0, line = 0, room = 1, size = text.shape[0]
    cdef int found
    for p in range(size):
        room += text[p] == c"\n"
    begins, ends = np.empty((2, room, columns), np.int64)
    numbers = np.empty(room, np.int64)
    cdef int64_t[:, ::1] begin = begins, end = ends
    cdef int64_t[::1] number = numbers
    p = 0
    while p < size:
        found, line = 0, line + 1
        while p < size and text[p] != c"\n":
            if is_white(text[p]):
                p += 1
                continue
            start = p
            while p < size and not is_white(text[p]):
                p += 1
            if not found and text[start] == c"#":
                while p < size and text[p] != c"\n":
                    p += 1
                break
            if found < columns:
                begin[n, found], end[n, found] = start, p
            found += 1
        p += 1
        if found and found != columns:
            raise Refused("fields", line, found)
        if found:
            number[n] = line
            n += 1
    return begins[:n], ends[:n], numbers[:n]


cdef inline bint is_white(unsigned char c) noexcept nogil:
    return c == c" " or c"\t" <= c <= c"\r"


def numbered(const unsigned char[::1] text not None, const int64_t[::1] begin not None,
             const int64_t[::1] end not None):
    """(the different ids, which of them each is) of ids that stand in a text.

    >>> numbered(b"b a b", np.array([0, 2, 4]), np.array([1, 3, 5]))
    ((b'b', b'a'), array([0, 1, 0]))
    """
    cdef int64_t i, size = text.shape[0], n = min(begin.shape[0], end.shape[0])
    cdef Names names = Names()
    found = np.empty(n, np.int64)
    cdef int64_t[::1] place = found
    for i in range(n):
        if not 0 <= begin[i] < end[i] <= size:
            raise IndexError("an id is outside of the text, or empty")
        place[i] = names.find(<const char*>&text[begin[i]], end[i] - begin[i])
        if place[i] < 0:
            place[i] = names.ids.n
            if names.add(<const char*>&text[begin[i]], end[i] - begin[i]):
                raise MemoryError
    return names, found


def numbered_within(const int64_t[::1] group not None, const unsigned char[::1] text not None,
                    const int64_t[::1] ends not None):
    """(the first row of each different id of a group, which of these each row is) of ids one after another in a text.

    The rows of a group stand together; groups share no id.

    >>> numbered_within(np.array([0, 0, 0, 1]), b"abab", np.array([1, 2, 3, 4]))
    (array([0, 1, 3]), array([0, 1, 0, 2]))
    """
    cdef int64_t i, begin, row, before = 0, n = ends.shape[0], different = 0
    cdef uint64_t h, slot = 0
    cdef Ids ids
    cdef const char* letters = <const char*>&text[0] if text.shape[0] else NULL
    if group.shape[0] != n or n and ends[n - 1] > text.shape[0]:
        raise IndexError("an id is outside of the text")
    firsts, places = np.empty(n, np.int64), np.empty(n, np.int64)
    cdef int64_t[::1] first = firsts, place = places
    memset(&ids, 0, sizeof(Ids))
    for i in range(n):
        begin = ends[i - 1] if i else 0
        if not 0 <= begin <= ends[i]:
            ids_free(&ids)
            raise IndexError("an id ends before it begins")
        if i and group[i] != group[i - 1]:
            before = different
            ids_reset(&ids)
        h = hash_id(letters + begin, ends[i] - begin)
        row = ids_find(&ids, letters + begin, ends[i] - begin, h, &slot)
        if row < 0:
            row, first[different] = ids.n, i
            different += 1
            if ids_add(&ids, letters + begin, ends[i] - begin, h):
                ids_free(&ids)
                raise MemoryError
        place[i] = before + row
    ids_free(&ids)
    return firsts[:different], places


def all_ids(list ids not None):
    """Whether all are text, and none is empty."""
    for each in ids:
        if not PyUnicode_CheckExact(each) or PyUnicode_GET_LENGTH(each) == 0:
            return False
    return True


def all_floats(list values not None):
    """Whether all are floats."""
    for each in values:
        if not PyFloat_CheckExact(each):
            return False
    return True


def line_ends(const unsigned char[::1] text not None):
    """How many line ends there are; `bytes.count` looks at one byte after another.

    >>> line_ends(b"a\\n\\nb")
    2
    """
    cdef int64_t i, end, at = 0, n = text.shape[0], total = 0
    cdef const unsigned char* p = &text[0] if n else NULL
    cdef unsigned char some                              # of a stretch: as many bytes at once as a register has
    while at < n:
        some, end = 0, min(n, at + 255)
        for i in range(at, end):
            some += p[i] == c"\n"
        total, at = total + some, end
    return total


def first_empty(const int64_t[::1] ends not None):
    """The first id that is empty, of those with these n + 1 ends; -1 where none is.

    >>> first_empty(np.array([0, 2, 2, 3])), first_empty(np.array([0, 2, 3]))
    (1, -1)
    """
    cdef int64_t i, n = ends.shape[0] - 1
    cdef const int64_t* end = &ends[0] if n > 0 else NULL
    for i in range(n):                                   # too short for another thread to have its turn
        if end[i + 1] <= end[i]:
            return i
    return -1


def gathered(const unsigned char[::1] text not None, const int64_t[::1] ends not None,
             const int64_t[::1] rows not None):
    """(the ends, the text) of some of the ids that stand one after another in a text.

    >>> gathered(b"abbc", np.array([1, 3, 4]), np.array([2, 1]))
    (array([1, 3]), b'cbb')
    """
    cdef int64_t i, row, begin, at = 0, n = ends.shape[0]
    afters = np.empty(rows.shape[0], np.int64)
    cdef int64_t[::1] after = afters
    for i in range(rows.shape[0]):
        row = rows[i]
        if not 0 <= row < n:
            raise IndexError("there is no such id")
        begin = ends[row - 1] if row else 0
        if not 0 <= begin <= ends[row] <= text.shape[0]:
            raise IndexError("an id is outside of the text")
        at += ends[row] - begin
        after[i] = at
    cdef bytes found = PyBytes_FromStringAndSize(NULL, at)
    cdef char* letters = found
    at = 0
    for i in range(rows.shape[0]):
        row = rows[i]
        begin = ends[row - 1] if row else 0
        if ends[row] > begin:
            memcpy(letters + at, &text[begin], ends[row] - begin)
        at = after[i]
    return afters, found


cdef enum: LONGEST_NUMBER = 19                          # digits, which 63 bits hold


def digits(const int64_t[::1] numbers not None):
    """(the n + 1 ends, the text) of the decimal digits of numbers from 0 on.

    >>> ends, text = digits(np.array([0, 12, 7]))
    >>> ends, bytes(text)
    (array([0, 1, 3, 4]), b'0127')
    """
    cdef int64_t i, n = numbers.shape[0], least = 0, most = 0, at = 0
    cdef int longest = 1
    ends = np.zeros(n + 1, np.int64)
    cdef int64_t[::1] end = ends
    for i in range(n):
        least, most = min(least, numbers[i]), max(most, numbers[i])
    if least < 0:
        raise ValueError("a number is below 0")
    while most >= 10:
        most, longest = most // 10, longest + 1
    text = np.empty(n * longest + LONGEST_NUMBER, np.uint8)      # the last number is written with room behind it
    cdef unsigned char[::1] letters = text
    with nogil:
        for i in range(n):
            at += write_number(<char*>&letters[at], numbers[i])
            end[i + 1] = at
    return ends, text[:at]


cdef struct Scored:
    double score
    const char* id
    uint64_t n
    int64_t row


cdef int as_given(const void* a, const void* b) noexcept nogil:
    cdef const Scored* x = <const Scored*>a
    cdef const Scored* y = <const Scored*>b
    return (x.score < y.score) - (x.score > y.score) or (x.row > y.row) - (x.row < y.row)


cdef int up(const void* a, const void* b) noexcept nogil:
    cdef const Scored* x = <const Scored*>a
    cdef const Scored* y = <const Scored*>b
    return (x.score < y.score) - (x.score > y.score) or compare_ids(x.id, x.n, y.id, y.n)


cdef int down(const void* a, const void* b) noexcept nogil:
    cdef const Scored* x = <const Scored*>a
    cdef const Scored* y = <const Scored*>b
    return (x.score < y.score) - (x.score > y.score) or compare_ids(y.id, y.n, x.id, x.n)


ctypedef int (*By)(const void*, const void*) noexcept nogil


def best_first(const int64_t[::1] group not None, const double[::1] scores not None,
               const unsigned char[::1] text not None, const int64_t[::1] ends not None, str ties="doc-descending"):
    """(rows,) the rows of each group, which stand together, the highest score first; ids as in `numbered_within`.

    >>> best_first(np.array([0, 0, 0, 1]), np.array([1.0, 2.0, 2.0, 3.0]), b"abcd", np.array([1, 2, 3, 4]))
    array([2, 1, 0, 3])
    """
    cdef int64_t i, begin, first = 0, n = ends.shape[0]
    cdef const char* letters = <const char*>&text[0] if text.shape[0] else NULL
    cdef By by = down if ties == "doc-descending" else up if ties == "doc-ascending" else as_given
    cdef Scored* rows
    if group.shape[0] != n or scores.shape[0] != n or n and ends[n - 1] > text.shape[0]:
        raise IndexError("an id is outside of the text")
    order = np.empty(n, np.int64)
    cdef int64_t[::1] row = order
    rows = <Scored*>malloc((n + 1) * sizeof(Scored))
    if rows == NULL:
        raise MemoryError
    for i in range(n):
        begin = ends[i - 1] if i else 0
        if not 0 <= begin <= ends[i]:
            free(rows)
            raise IndexError("an id ends before it begins")
        rows[i].row, rows[i].score, rows[i].id, rows[i].n = i, scores[i], letters + begin, ends[i] - begin
    for i in range(1, n + 1):
        if i == n or group[i] != group[first]:
            qsort(rows + first, i - first, sizeof(Scored), by)
            first = i
    for i in range(n):
        row[i] = rows[i].row
    free(rows)
    return order


cdef class Texts:
    """The ids of `Names` as text, each decoded when it is asked for; it looks and compares like a tuple.

    >>> texts = Texts(Names([b"b", b"a"]))
    >>> texts, len(texts), texts[0], texts.index("a"), "c" in texts, texts == ("b", "a")
    (('b', 'a'), 2, 'b', 1, False, True)
    """

    cdef Names names

    def __init__(self, Names names not None):
        self.names = names

    cdef str at(self, int64_t i):
        return self.names.at(i).decode("utf-8", "surrogateescape")

    def __len__(self):
        return self.names.ids.n

    def __getitem__(self, place):
        if isinstance(place, slice):
            return tuple([self.at(i) for i in range(*place.indices(self.names.ids.n))])
        return self.names[place].decode("utf-8", "surrogateescape")

    def __iter__(self):
        cdef int64_t i
        for i in range(self.names.ids.n):
            yield self.at(i)

    def __contains__(self, name):
        return isinstance(name, str) and name.encode("utf-8", "surrogateescape") in self.names

    def index(self, str name not None):
        """Where an id stands."""
        return self.names.index(name.encode("utf-8", "surrogateescape"))

    def count(self, name):
        """How often an id is there."""
        return sum(1 for other in self if other == name)

    def __eq__(self, other):
        if isinstance(other, Texts):
            return self.names == (<Texts>other).names
        if not isinstance(other, tuple):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other))

    def __hash__(self):
        return hash(tuple(self))

    def __repr__(self):
        return repr(tuple(self))

    def __reduce__(self):
        return Texts, (self.names,)


Sequence.register(Names)
Sequence.register(Texts)


cdef int add_text(Ids* ids, PyObject* key) except -1:
    """Append a str's UTF-8."""
    cdef Py_ssize_t n
    cdef const char* p = PyUnicode_AsUTF8AndSize(<object>key, &n)
    if ids_add(ids, p, n, 0):
        raise MemoryError
    return 0


cdef bint plain_number(PyObject* value, double* number) except -1:
    """Whether a value is a float or an int, and a finite one."""
    if not (PyFloat_CheckExact(<object>value) or type(<object>value) is int):
        return False
    number[0] = <object>value
    return isfinite(number[0])


def judgements(dict queries not None):
    """{query: {document: grade}} as columns, sorted by query, if all ids are text and all grades numbers; else None.

    (names, (queries + 1,) where each query's documents begin, (documents,) where each ends, text, grades,
    (queries,) each query's documents as they were given)
    """
    cdef Py_ssize_t position, total = sum([len(each) if type(each) is dict else 0 for each in queries.values()])
    cdef int64_t q = 0, n = 0
    cdef Names names = Names()
    cdef Names docs = Names()
    cdef PyObject* key
    cdef PyObject* value
    cdef Py_ssize_t size
    cdef const char* p
    starts, ends, grades = np.zeros(len(queries) + 1, np.int64), np.empty(total, np.int64), np.empty(total)
    cdef int64_t[::1] start = starts, end = ends
    cdef double[::1] grade = grades
    docs.ids.plain = True
    given = []
    try:
        for query in sorted(queries):                        # text sorts as its UTF-8 does
            judged = queries[query]
            if type(query) is not str or type(judged) is not dict:
                return None
            p = PyUnicode_AsUTF8AndSize(query, &size)
            if names.add(p, size):
                raise MemoryError
            position = 0
            while PyDict_Next(judged, &position, &key, &value):
                if n == total or not PyUnicode_CheckExact(<object>key) or not plain_number(value, &grade[n]):
                    return None
                add_text(&docs.ids, key)
                n += 1
            q += 1
            start[q] = n
            given.append(tuple(judged))
    except (OverflowError, TypeError, UnicodeEncodeError):
        return None
    for q in range(n):
        end[q] = docs.ids.end[q]
    return names, starts, ends, docs.ids.text[:end[n - 1]] if n else b"", grades, given
