"""Qrels: what is right. For each query, the judged documents and their grades."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank.core._kernel import Judged, as_bytes
from truerank.core._names import Names
from truerank.core._names import judgements as plain_judgements
from truerank.core.errors import InputError, quoted, truncated

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

IGNORED = math.nan
"""The grade of a document that leaves a query's list before ranks exist."""


@dataclass(frozen=True, eq=False)
class Qrels:
    """Graded judgements, sorted by query id (as bytes); a query may have none.

    Attributes:
        queries: the query ids as bytes, sorted, without repeats.
        start: (queries + 1,) query q's judgements are start[q] to start[q + 1].
        begin, end: (judgements,) where each document id stands in `text`.
        text: the document ids, one after another.
        grades: (judgements,) below 0: pooled, not judged; NaN: ignored.
        name: where they came from.
        lines: (judgements,) the line of each in its file; None where that is not known.
        is_number: (judgements,) whether the document's id was a number, not text; None where that is not known.
        apart: {query: grade} of an ignored document that is still to be found, with the query's own id.
        given: (queries,) the ids of each one's documents as text, where they came as such; else nothing.
    """

    queries: Sequence[bytes]
    start: Ints
    begin: Ints
    end: Ints
    text: bytes = field(repr=False)
    grades: Floats
    name: str = "qrels"
    lines: Ints | None = field(default=None, repr=False)
    is_number: NDArray[np.bool_] | None = field(default=None, repr=False)
    apart: Mapping[bytes, float] = field(default_factory=dict, repr=False)
    given: Sequence[tuple[str, ...]] = field(default=(), repr=False)

    @classmethod
    def build(
        cls,
        queries: Sequence[bytes],
        query: Ints,
        begin: Ints,
        end: Ints,
        text: bytes,
        grades: Floats,
        *,
        name: str = "qrels",
        lines: Ints | None = None,
        is_number: NDArray[np.bool_] | None = None,
    ) -> Qrels:
        """Qrels from one row a judgement, in any order.

        Args:
            queries: distinct ids; `query` holds indices into them.
            lines: the line of each row.
            is_number: whether the document's id was a number, of each row.

        Raises:
            InputError: a document is judged twice for a query.
        """
        names, place = (queries if isinstance(queries, Names) else Names(queries)).in_order()
        query = query if place is None or not len(query) else place[query]
        start = np.concatenate([[0], np.cumsum(np.bincount(query, minlength=len(queries)))]).astype(np.int64)
        rows: Any = slice(None) if not (query[1:] < query[:-1]).any() else np.argsort(query, kind="stable")
        placed = None if lines is None else np.asarray(lines)[rows]
        kinds = None if is_number is None else is_number[rows]
        qrels = cls(names, start, begin[rows], end[rows], text, grades[rows], name, placed, kinds)
        qrels._refuse_repeats()
        return qrels

    def _refuse_repeats(self) -> None:
        if self.judged.duplicates:
            one, two = self.judged.duplicates[0]
            at = None if self.lines is None else (int(self.lines[one]), int(self.lines[two]))
            who = f"document {truncated(self.doc(two))} of query {truncated(self.queries[int(self.query[two])])}"
            where = f" (first in line {at[0]})" if at else ""
            raise InputError(f"{who} is judged twice{where}; keep one of them", self.name, at[1] if at else None)

    @classmethod
    def from_dict(cls, judgements: Mapping[Any, Any], name: str = "qrels") -> Qrels:
        """Qrels from {query: {document: grade}} or {query: documents}, every listed one then of grade 1.

        >>> Qrels.from_dict({"q1": {"d1": 2, "d2": 0}, "q2": []}).queries
        (b'q1', b'q2')
        """
        if type(judgements) is dict and (plain := plain_judgements(judgements)):
            return cls._plain(name, *plain)
        docs: list[bytes] = []
        kinds: list[type] = []
        grades: list[Any] = []
        counts = []
        for key, judged in judgements.items():
            judged = _graded(judged, key, name)
            docs.extend(_ids(judged, name))
            kinds.extend(map(type, judged))
            grades.extend(judged.values())
            counts.append(len(judged))
        queries = _ids(judgements, name)
        if len(set(queries)) < len(queries):
            raise InputError("two query ids print the same (1 and '1'?)", name)
        query = np.repeat(np.arange(len(counts)), counts)
        numbers = _numbers(grades, queries, query, docs, name)
        return cls.from_rows(queries, query, docs, numbers, name=name, is_number=are_numbers(kinds))

    @classmethod
    def _plain(
        cls, name: str, names: Names, start: Ints, end: Ints, text: bytes, grades: Floats, docs: Sequence[Any]
    ) -> Qrels:
        """Qrels of what the kernel read; a dict has each document once, so that no table of them is needed yet."""
        begin = np.concatenate([[0], end[:-1]]).astype(np.int64) if len(end) else end
        return cls(names, start, begin, end, text, grades, name, None, np.zeros(len(end), bool), given=docs)

    @classmethod
    def from_rows(
        cls,
        queries: Sequence[bytes],
        query: Sequence[int] | Ints,
        docs: Sequence[bytes],
        grades: Sequence[float] | Floats,
        *,
        name: str = "qrels",
        lines: Ints | None = None,
        is_number: NDArray[np.bool_] | None = None,
    ) -> Qrels:
        """Qrels from one judgement a row; the arguments as for `build`."""
        ends = np.cumsum(np.fromiter(map(len, docs), np.int64, len(docs)), dtype=np.int64)
        begins = np.concatenate([[0], ends[:-1]]).astype(np.int64) if len(docs) else ends
        rows = np.asarray(query, np.int64)
        return cls.build(
            queries,
            rows,
            begins,
            ends,
            b"".join(docs),
            np.asarray(grades, np.float64),
            name=name,
            lines=lines,
            is_number=is_number,
        )

    def __len__(self) -> int:
        """The number of queries."""
        return len(self.queries)

    def doc(self, row: int) -> bytes:
        """The document id of a judgement."""
        return self.text[self.begin[row] : self.end[row]]

    @cached_property
    def query(self) -> Ints:
        """(judgements,) the query of each."""
        return np.repeat(np.arange(len(self)), np.diff(self.start))

    @cached_property
    def judged(self) -> Judged:
        """The kernel's look-up tables."""
        return Judged(self.queries, self.start, self.begin, self.end, self.text, self.given)

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: all but the look-up tables, which are made again when they are needed."""
        return {name: value for name, value in vars(self).items() if name != "judged"}

    @cached_property
    def digest(self) -> str:
        """A fingerprint of the judgements, as they stand: of others, or in another order, it is another."""
        import hashlib  # loads OpenSSL, which few commands need

        sizes = self.end - self.begin
        is_plain = not len(sizes) or bool(self.begin[0] == 0 and (self.begin[1:] == self.end[:-1]).all())
        text = self.text[: self.end[-1]] if is_plain and len(sizes) else b"".join(self.docs())
        lengths = np.fromiter(map(len, self.queries), np.int64, len(self))
        apart = repr(sorted(self.apart.items())).encode()
        found = hashlib.blake2b(digest_size=16)
        for part in (b"".join(self.queries), lengths, self.start, sizes, text, self.grades, apart):
            found.update(part if isinstance(part, bytes) else np.ascontiguousarray(part).tobytes())
        return found.hexdigest()

    def docs(self) -> list[bytes]:
        """(judgements,) the document id of each."""
        text = self.text
        return [text[a:b] for a, b in zip(self.begin.tolist(), self.end.tolist(), strict=True)]

    def select(self, keep: NDArray[np.bool_]) -> Qrels:
        """The judgements of some queries alone.

        Args:
            keep: (queries,) which.
        """
        rows = np.repeat(keep, np.diff(self.start))
        sizes = (self.end - self.begin)[rows]
        ends = np.cumsum(sizes, dtype=np.int64)
        queries = Names(itertools.compress(self.queries, keep.tolist()))
        return replace(
            self,
            queries=queries,
            start=np.concatenate([[0], np.cumsum(np.diff(self.start)[keep])]).astype(np.int64),
            begin=ends - sizes,
            end=ends,
            text=b"".join(itertools.compress(self.docs(), rows.tolist())),
            grades=self.grades[rows],
            lines=None if self.lines is None else self.lines[rows],
            is_number=None if self.is_number is None else self.is_number[rows],
            apart={query: grade for query, grade in self.apart.items() if query in queries},
            given=(),
        )

    def to_dict(self) -> dict[bytes, dict[bytes, float]]:
        """{query: {document: grade}}, all ids as bytes; the grade of an ignored document is `IGNORED`."""
        grades = [IGNORED if grade != grade else grade for grade in self.grades.tolist()]
        return {
            query: {self.doc(row): grades[row] for row in range(self.start[q], self.start[q + 1])}
            for q, query in enumerate(self.queries)
        }

    def ignoring_self(self, *, keeping: bool = False) -> Qrels:
        """The same, with the document that has the query's own id ignored.

        Args:
            keeping: it leaves the answers alone; where it is judged, its judgement stays.
        """
        judged = self.to_dict()
        own = {query: grades[query] for query, grades in judged.items() if query in grades} if keeping else {}
        for query in self.queries:
            judged[query][query] = IGNORED
        return replace(Qrels.from_dict(judged, self.name), apart=own)

    @property
    def to_find(self) -> tuple[Ints, Floats]:
        """Of each judgement that counts, the query and the grade; queries do not fall."""
        kept = ~np.isnan(self.grades)
        if not self.apart:
            return (self.query, self.grades) if kept.all() else (self.query[kept], self.grades[kept])
        own = [number for number, query in enumerate(self.queries) if query in self.apart]
        query = np.array([*self.query[kept].tolist(), *own], np.int64)
        grades = np.array([*self.grades[kept].tolist(), *(self.apart[self.queries[q]] for q in own)], np.float64)
        order = np.argsort(query, kind="stable")
        return query[order], grades[order]


def are_numbers(kinds: Sequence[type]) -> NDArray[np.bool_] | None:
    """Which ids, of these types, are numbers; None where one is neither a whole number nor text.

    >>> are_numbers([int, str]), are_numbers([str, bytes])
    (array([ True, False]), None)
    """
    there = set(kinds)
    if not there <= {int, str}:
        return None
    return np.array([kind is int for kind in kinds], bool) if int in there else np.zeros(len(kinds), bool)


def _graded(judged: Any, query: object, name: str) -> Mapping[Any, Any]:
    if isinstance(judged, Mapping):
        return judged
    if isinstance(judged, np.ndarray):
        judged = judged.tolist()  # None where it is masked
    if isinstance(judged, str | bytes) or not isinstance(judged, Iterable):
        raise InputError(f"query {quoted(query)} has {quoted(judged)} where its documents should stand", name)
    docs = list(judged)
    if not {type(None), dict, list, tuple, set}.isdisjoint(map(type, docs)):
        raise InputError(f"query {quoted(query)} has {quoted(docs)}: documents are ids, or {{id: grade}}", name)
    return dict.fromkeys(docs, 1.0)


def _ids(names: Iterable[Any], name: str) -> list[bytes]:
    try:
        return list(map(as_bytes, names))
    except ValueError as error:
        raise InputError(f"an id cannot be written as text: {error}", name) from None


def _numbers(grades: list[Any], queries: list[bytes], query: Ints, docs: list[bytes], name: str) -> Floats:
    """The grades as numbers; only `IGNORED` itself may be NaN."""
    try:
        numbers = np.array(grades, np.float64)
    except (TypeError, ValueError, OverflowError):
        numbers = np.empty(())
    if numbers.ndim != 1 or any(map(_is_text, set(map(type, grades)))):
        numbers = np.full(len(grades), np.inf)
    for row in np.flatnonzero(~np.isfinite(numbers)).tolist():
        if grades[row] is not IGNORED and not _is_finite(grades[row]):
            who = f"document {truncated(docs[row])} of query {truncated(queries[query[row]])}"
            raise InputError(f"{who} has the grade {quoted(grades[row])}, which is no finite number", name)
    return numbers


def _is_finite(grade: Any) -> bool:
    try:
        return not _is_text(type(grade)) and getattr(grade, "shape", ()) == () and math.isfinite(float(grade))
    except (TypeError, ValueError, OverflowError):
        return False


def _is_text(kind: type) -> bool:
    """Whether values of this type are text, which NumPy would read as numbers, by rules of its own."""
    return issubclass(kind, str | bytes)


QrelsLike = Qrels | str | os.PathLike[str] | Mapping[Any, Any] | Iterable[Any]
"""Judgements, or what they are read from: a path, {query: {doc: grade}}, a frame, an Arrow table."""
