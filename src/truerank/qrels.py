"""Qrels: what is right. For each query, the judged documents and their grades."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank._kernel import Judged, as_bytes
from truerank.errors import InputError, shown

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
    """

    queries: tuple[bytes, ...]
    start: Ints
    begin: Ints
    end: Ints
    text: bytes = field(repr=False)
    grades: Floats
    name: str = "qrels"

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
    ) -> Qrels:
        """Qrels from one row a judgement, in any order.

        Args:
            queries: distinct ids; `query` holds indices into them.
            lines: the line of each row, for messages.

        Raises:
            InputError: a document is judged twice for a query.
        """
        order = sorted(range(len(queries)), key=queries.__getitem__)
        new = np.empty(len(queries), np.int64)
        new[order] = np.arange(len(queries))
        query = new[query] if len(query) else query
        rows = np.argsort(query, kind="stable")
        start = np.concatenate([[0], np.cumsum(np.bincount(query, minlength=len(queries)))]).astype(np.int64)
        names = tuple(queries[i] for i in order)
        qrels = cls(names, start, begin[rows], end[rows], text, grades[rows], name)
        if qrels.judged.duplicates:
            one, two = qrels.judged.duplicates[0]
            at = None if lines is None else (int(lines[rows[one]]), int(lines[rows[two]]))
            who = f"document {shown(qrels.doc(two))} of query {shown(names[int(query[rows[two]])])}"
            where = f" (first in line {at[0]})" if at else ""
            raise InputError(f"{who} is judged twice{where}; keep one of them", name, at[1] if at else None)
        return qrels

    @classmethod
    def from_dict(cls, judgements: Mapping[Any, Any], name: str = "qrels") -> Qrels:
        """Qrels from {query: {document: grade}} or {query: documents}, every listed one then of grade 1.

        >>> Qrels.from_dict({"q1": {"d1": 2, "d2": 0}, "q2": []}).queries
        (b'q1', b'q2')
        """
        docs: list[bytes] = []
        grades: list[Any] = []
        counts = []
        for key, judged in judgements.items():
            judged = _graded(judged, key, name)
            docs.extend(_ids(judged, name))
            grades.extend(judged.values())
            counts.append(len(judged))
        queries = _ids(judgements, name)
        if len(set(queries)) < len(queries):
            raise InputError("two query ids print the same (1 and '1'?)", name)
        query = np.repeat(np.arange(len(counts)), counts)
        return cls.from_rows(queries, query, docs, _numbers(grades, queries, query, docs, name), name=name)

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
        return Judged(list(self.queries), self.start, self.begin, self.end, self.text)

    def to_dict(self) -> dict[bytes, dict[bytes, float]]:
        """{query: {document: grade}}."""
        return {
            query: {self.doc(row): float(self.grades[row]) for row in range(self.start[q], self.start[q + 1])}
            for q, query in enumerate(self.queries)
        }

    def ignoring_self(self) -> Qrels:
        """The same, with the document that has the query's own id ignored."""
        judged = self.to_dict()
        for query in self.queries:
            judged[query][query] = IGNORED
        return Qrels.from_dict(judged, self.name)


def _graded(judged: Any, query: object, name: str) -> Mapping[Any, Any]:
    if isinstance(judged, Mapping):
        return judged
    if isinstance(judged, str | bytes) or not isinstance(judged, Iterable):
        raise InputError(f"query {query!r} has {judged!r} where its documents should stand", name)
    docs = list(judged)
    if not {type(None), dict, list, tuple, set}.isdisjoint(map(type, docs)):
        raise InputError(f"query {query!r} has {docs!r:.60}: documents are ids, or {{id: grade}}", name)
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
    if numbers.ndim != 1:
        numbers = np.full(len(grades), np.inf)
    for row in np.flatnonzero(~np.isfinite(numbers)).tolist():
        if grades[row] is not IGNORED and not _is_finite(grades[row]):
            who = f"document {shown(docs[row])} of query {shown(queries[query[row]])}"
            raise InputError(f"{who} has the grade {_short(grades[row])}, which is no finite number", name)
    return numbers


def _is_finite(grade: Any) -> bool:
    try:
        return getattr(grade, "shape", ()) == () and math.isfinite(float(grade))
    except (TypeError, ValueError, OverflowError):
        return False


def _short(grade: Any) -> str:
    try:
        text = repr(grade)
    except ValueError:  # Python writes no number of more than some thousand digits
        return "of thousands of digits"
    return text if len(text) < 60 else text[:57] + "…"
