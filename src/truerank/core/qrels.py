"""Qrels: what is right. For each query, the judged documents and their grades."""

from __future__ import annotations

import itertools
import os
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truerank.core.errors import InputError, quoted, truncated
from truerank.core.ids import starts_of
from truerank.core.kernel.names import Names
from truerank.core.kernel.scanning import Judged, as_bytes, as_text
from truerank.core.mappings import (
    IGNORED,
    are_numbers,
    by_aspect,
    distinct_ids,
    graded,
    has_aspects,
    ids,
    numbers,
    plain_judgements,
    query_ids,
)
from truerank.core.messages import message

if TYPE_CHECKING:
    from truerank.core.aspects import Aspects

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Numbers = NDArray[np.uint32]
Lines = Ints | range | None
Answered = tuple[Sequence[bytes], Numbers, Numbers, Floats, Lines]


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
        apart: {query: grade} of ignored documents, with the query's own id, that still count as to be found.
        given: (queries,) the ids of each query's documents as text, where they came as such; else nothing.
        aspects: which parts of its question each document answers; its grade is the best of these. None: no parts.
        iterations: how many different values TREC's second column has, where it is not used.
        second: the value of that column, where it is the same throughout.
        highest: the highest grade of the qrels that these were selected from, or 0.
        self_match: the rule under which documents with the query's own id were ignored, if they were.
    """

    queries: Sequence[bytes] = field(repr=False)
    start: Ints = field(repr=False)
    begin: Ints = field(repr=False)
    end: Ints = field(repr=False)
    text: bytes = field(repr=False)
    grades: Floats = field(repr=False)
    name: str = "qrels"
    lines: Ints | None = field(default=None, repr=False)
    is_number: NDArray[np.bool_] | None = field(default=None, repr=False)
    apart: Mapping[bytes, float] = field(default_factory=dict, repr=False)
    given: Sequence[tuple[str, ...]] = field(default=(), repr=False)
    aspects: Aspects | None = field(default=None, repr=False)
    iterations: int = field(default=0, repr=False)
    second: bytes | None = field(default=None, repr=False)
    highest: float = field(default=0.0, repr=False)
    self_match: str = field(default="keep", repr=False)

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
        aspects: tuple[Sequence[bytes], Ints] | None = None,
        answered: Answered | None = None,
    ) -> Qrels:
        """Qrels from one row per judgement, in any order.

        Args:
            queries: distinct ids; `query` holds indices into them.
            lines: the line of each row.
            is_number: whether the document's id was a number, of each row.
            aspects: distinct ids, and which of them each row is about; a document may have a row for each aspect.
            answered: distinct ids of aspects, and for each judgement of an aspect its aspect, document, grade
                and line; the rows are then distinct documents, whose own grades are not used.

        Raises:
            InputError: a document is judged twice for a query, or for an aspect of it.
        """
        names, place = (queries if isinstance(queries, Names) else Names(queries)).in_order()
        query = query if place is None or not len(query) else place[query]
        start = starts_of(np.bincount(query, minlength=len(names)))
        rows: Any = slice(None) if not (query[1:] < query[:-1]).any() else np.argsort(query, kind="stable")
        placed = None if lines is None else np.asarray(lines)[rows]
        kinds = None if is_number is None else is_number[rows]
        qrels = cls(names, start, begin[rows], end[rows], text, grades[rows], name, placed, kinds)
        if answered is not None:
            where = np.empty(len(query), np.int64)
            where[rows] = np.arange(len(query))
            return qrels._answering(*answered, where)
        if aspects is not None:
            return qrels._of_aspects(aspects[0], aspects[1][rows])
        qrels._refuse_repeats()
        return qrels

    def _of_aspects(self, names: Sequence[bytes], aspect: Ints) -> Qrels:
        """The qrels where each row is about one aspect: the rows of a document become one, with the best grade.

        Args:
            aspect: (judgements,) an index into the ids of aspects.
        """
        places = np.arange(len(self.grades))
        first = places if self.judged.firsts is None else self.judged.firsts
        kept = first == places
        docs = replace(
            self,
            start=starts_of(np.bincount(self.query[kept], minlength=len(self))),
            begin=np.ascontiguousarray(self.begin[kept]),
            end=np.ascontiguousarray(self.end[kept]),
            lines=None if self.lines is None else self.lines[kept],
            is_number=None if self.is_number is None else self.is_number[kept],
        )
        numbers = aspect.astype(np.uint32), first.astype(np.uint32)
        return docs._answering(names, *numbers, self.grades, self.lines, np.cumsum(kept) - 1)

    def _answering(
        self, names: Sequence[bytes], aspect: Numbers, doc: Numbers, grade: Floats, lines: Lines, where: Ints
    ) -> Qrels:
        """The qrels with these judgements of aspects; the best grade of a document becomes its grade."""
        from truerank.core.aspects import Aspects  # rarely needed, so not at every start

        aspects, best, is_repeated = Aspects.of_rows(self.start, doc, aspect, grade, names, where)
        if not is_repeated:
            return replace(self, grades=best, aspects=aspects)
        _, first, place = np.unique(where[doc] * len(names) + aspect, return_index=True, return_inverse=True)
        two = int(np.argmax(first[place] != np.arange(len(doc))))
        judged = int(where[doc[two]])
        raise InputError(
            "document {doc} of query {query} is judged twice for aspect {aspect}; keep one of them",
            self.name,
            None if lines is None else int(lines[two]),
            doc=truncated(self.doc(judged)),
            query=truncated(self.queries[int(self.query[judged])]),
            aspect=truncated(names[int(aspect[two])]),
        )

    def of_one_aspect(self) -> Qrels:
        """The qrels where `second` is the aspect that all judgements are about."""
        from truerank.core.aspects import Aspects  # rarely needed

        return replace(self, aspects=Aspects.of_one(self.start, self.grades, self.second or b""))

    def without_aspects(self) -> Qrels:
        """The qrels with TREC's second column ignored, unless it is called aspects.

        Raises:
            InputError: without that column a document is judged twice for a query.
        """
        aspects = self.aspects
        if aspects is None or aspects.is_named:
            return self
        several = np.flatnonzero(np.diff(aspects.start) > 1)
        if len(several):
            row = int(several[0])
            raise InputError(
                "document {doc} of query {query} is judged twice, with different values in the second column; if "
                "these are aspects, say so: iteration = 'aspect' in the rules (--set iteration=aspect)",
                self.name,
                None if self.lines is None else int(self.lines[row]),
                doc=truncated(self.doc(row)),
                query=truncated(self.queries[int(self.query[row])]),
            )
        return replace(self, aspects=None, iterations=len(set(aspects.names)))

    def weighted(self, weights: Mapping[Any, Any], name: str = "weights", lines: Any = None) -> Qrels:
        """The qrels with these weights of aspects, such as the probabilities of intents.

        Args:
            weights: {query: {aspect: weight}}, of every aspect; and their lines, in the same form, for messages.

        Raises:
            InputError: there are no aspects; one has no weight, or one below 0; those of a query sum to 0.

        >>> qrels = Qrels.from_dict({"jaguar": {"d1": {"car": 1}, "d2": {"car": 1, "cat": 2}}})
        >>> qrels.weighted({"jaguar": {"car": 0.7, "cat": 0.3}}).aspects.weight.tolist()
        [0.7, 0.3]
        """
        if self.aspects is None:
            raise InputError("there are weights, but no aspects that could have them", self.name)
        for each in weights.values() if isinstance(weights, Mapping) else [weights]:
            if not isinstance(each, Mapping):
                raise InputError("{{aspect: weight}} should stand here, not {value}", name, value=quoted(each))
        own = {as_bytes(q): {as_bytes(a): weight for a, weight in each.items()} for q, each in weights.items()}
        return replace(self, aspects=self.aspects.weighted(self.queries, own, name, lines or {}))

    def _refuse_repeats(self) -> None:
        if (firsts := self.judged.firsts) is not None:
            two = int(np.argmax(firsts != np.arange(len(firsts))))
            pair = {"doc": truncated(self.doc(two)), "query": truncated(self.queries[int(self.query[two])])}
            if self.lines is None:
                said = message("document {doc} of query {query} is judged twice; keep one of them", **pair)
                raise InputError(said, self.name)
            said = message(
                "document {doc} of query {query} is judged twice (first in line {first}); keep one of them",
                first=int(self.lines[int(firsts[two])]),
                **pair,
            )
            raise InputError(said, self.name, int(self.lines[two]))

    @classmethod
    def from_dict(cls, judgements: Mapping[Any, Any], name: str = "qrels") -> Qrels:
        """Qrels from {query: {document: grade}} or {query: documents}, every listed one then of grade 1.

        Of aspects: {query: {document: {aspect: grade}}}; or {query: lists of documents}, each list an aspect that
        any of its documents answers, called 1, 2, ….

        >>> Qrels.from_dict({"q1": {"d1": 2, "d2": 0}, "q2": []}).queries
        (b'q1', b'q2')
        """
        if plain := plain_judgements(judgements):
            return cls._plain(name, *plain)
        if any(map(has_aspects, judgements.values())):
            return cls._from_aspects(judgements, name)
        docs: list[bytes] = []
        kinds: list[type] = []
        grades: list[Any] = []
        counts = []
        for key, judged in judgements.items():
            judged = graded(judged, key, name)
            docs.extend(ids(judged, name))
            kinds.extend(map(type, judged))
            grades.extend(judged.values())
            counts.append(len(judged))
        queries = query_ids(judgements, name)
        query = np.repeat(np.arange(len(counts)), counts)
        worth = numbers(grades, queries, query, docs, name)
        return cls.from_rows(queries, query, docs, worth, name=name, is_number=are_numbers(kinds))

    @classmethod
    def _from_aspects(cls, judgements: Mapping[Any, Any], name: str) -> Qrels:
        """Qrels from a dict whose documents have one grade per aspect, or whose lists are aspects."""
        rows = by_aspect(judgements, name)
        queries = query_ids(judgements, name)
        places = {key: place for place, key in enumerate(judgements)}
        query = np.array([places[key] for key, *_ in rows], np.int64)
        docs = ids([doc for _, doc, _, _ in rows], name)
        aspects = distinct_ids(ids([aspect for _, _, aspect, _ in rows], name))
        worth = numbers([grade for *_, grade in rows], queries, query, docs, name)
        kinds = are_numbers([type(doc) for _, doc, _, _ in rows])
        return cls.from_rows(queries, query, docs, worth, name=name, is_number=kinds, aspects=aspects)

    @classmethod
    def _plain(
        cls, name: str, names: Names, start: Ints, end: Ints, text: bytes, grades: Floats, docs: Sequence[Any]
    ) -> Qrels:
        """Qrels from what the kernel read; a dict has each document once, so that no hash table is needed yet."""
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
        aspects: tuple[Sequence[bytes], Ints] | None = None,
    ) -> Qrels:
        """Qrels from one judgement per row; the arguments are those of `build`."""
        ends = starts_of(np.fromiter(map(len, docs), np.int64, len(docs)))
        columns = np.asarray(query, np.int64), ends[:-1], ends[1:], b"".join(docs), np.asarray(grades, np.float64)
        return cls.build(queries, *columns, name=name, lines=lines, is_number=is_number, aspects=aspects)

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
        """What is pickled: everything except the look-up tables, which are made again when they are needed."""
        return {name: value for name, value in vars(self).items() if name not in ("judged", "to_find")}

    @cached_property
    def digest(self) -> str:
        """A fingerprint of the judgements and their order."""
        import hashlib  # loads OpenSSL, which few commands need

        sizes = self.end - self.begin
        is_plain = not len(sizes) or bool(self.begin[0] == 0 and (self.begin[1:] == self.end[:-1]).all())
        text = self.text[: self.end[-1]] if is_plain and len(sizes) else b"".join(self.docs())
        lengths = np.fromiter(map(len, self.queries), np.int64, len(self))
        apart = repr(sorted(self.apart.items())).encode()
        hashed = hashlib.blake2b(digest_size=16)
        aspects = () if self.aspects is None else self.aspects.told_apart_by()
        for part in (b"".join(self.queries), lengths, self.start, sizes, text, self.grades, apart, *aspects):
            hashed.update(part if isinstance(part, bytes) else np.ascontiguousarray(part).tobytes())
        return hashed.hexdigest()

    def docs(self, rows: Any = slice(None)) -> list[bytes]:
        """(judgements,) the document id of each, or of some of them."""
        text = self.text
        return [text[a:b] for a, b in zip(self.begin[rows].tolist(), self.end[rows].tolist(), strict=True)]

    def select(self, keep: NDArray[np.bool_]) -> Qrels:
        """Only the judgements of some queries; the highest grade stays that of all.

        Args:
            keep: (queries,) which.
        """
        rows, of = np.repeat(keep, np.diff(self.start)), self.aspects
        place = (np.cumsum(keep) - 1)[self.query[rows]]
        sizes = (self.end - self.begin)[rows]
        ends = np.cumsum(sizes, dtype=np.int64)
        queries = Names(itertools.compress(self.queries, keep.tolist()))
        return replace(
            self,
            queries=queries,
            start=starts_of(np.diff(self.start)[keep]),
            begin=ends - sizes,
            end=ends,
            text=b"".join(self.docs(rows)),
            grades=self.grades[rows],
            lines=None if self.lines is None else self.lines[rows],
            is_number=None if self.is_number is None else self.is_number[rows],
            apart={query: grade for query, grade in self.apart.items() if query in queries},
            given=(),
            aspects=None if of is None else of.take(np.flatnonzero(keep), np.flatnonzero(rows), place),
            highest=self.max_grade,
        )

    def only(self, queries: Container[bytes]) -> Qrels:
        """Only the judgements of these queries."""
        keep = np.array([query in queries for query in self.queries], bool)
        return self if keep.all() else self.select(keep)

    def rows_of(self, query: int) -> list[tuple[bytes, bytes | None, float, float]]:
        """Document, aspect (or None), grade and the aspect's weight (or 1) of each judgement of a query."""
        docs = range(int(self.start[query]), int(self.start[query + 1]))
        if self.aspects is None:
            return [(self.doc(doc), None, float(self.grades[doc]), 1.0) for doc in docs]
        known = self.aspects
        rows = slice(int(known.start[docs.start]), int(known.start[docs.stop]))
        of, aspects, grades = (each[rows].tolist() for each in (known.of, known.aspect, known.grade))
        return [
            (self.doc(doc), known.names[aspect], grade, float(known.weight[aspect]))
            for doc, aspect, grade in zip(of, aspects, grades, strict=True)
        ]

    def weights_of(self, query: int) -> dict[bytes, float]:
        """{aspect: weight} of a query; nothing without aspects."""
        if self.aspects is None:
            return {}
        places = range(int(self.aspects.begin[query]), int(self.aspects.end[query]))
        return {self.aspects.names[place]: float(self.aspects.weight[place]) for place in places}

    def by_aspect(self, query: int) -> dict[bytes, dict[bytes, float]]:
        """{document: {aspect: grade}} of a query; nothing without aspects."""
        nested: dict[bytes, dict[bytes, float]] = {}
        for doc, aspect, grade, _ in self.rows_of(query):
            if aspect is not None:
                nested.setdefault(doc, {})[aspect] = grade
        return nested

    def by_query(self) -> Iterator[tuple[bytes, dict[bytes, float]]]:
        """Each query and its {document: grade}, ids as bytes; the grade of an ignored document is `IGNORED`."""
        grades = [IGNORED if grade != grade else grade for grade in self.grades.tolist()]
        for q, query in enumerate(self.queries):
            yield query, {self.doc(row): grades[row] for row in range(self.start[q], self.start[q + 1])}

    def to_dict(self) -> dict[str, dict[str, float]]:
        """{query: {document: grade}}; the grade of an ignored document is `IGNORED`."""
        return {as_text(q): {as_text(doc): grade for doc, grade in docs.items()} for q, docs in self.by_query()}

    def ignoring_self(self, rule: str) -> Qrels:
        """The qrels with the document that has the query's own id ignored, as this rule for `self_match` says."""
        keeping = rule == "remove-from-answers"
        judged = dict(self.by_query())
        selves = ((query, grades.get(query, IGNORED)) for query, grades in judged.items())
        own = {**self.apart, **{query: grade for query, grade in selves if grade == grade}} if keeping else {}
        for query in self.queries:
            judged[query][query] = IGNORED
        aspects = self.aspects and self.aspects.with_selves(self.selves, self.query, keeping)
        left = Qrels.from_dict(judged, self.name)
        return replace(left, apart=own, aspects=aspects, highest=self.highest, self_match=rule)

    @property
    def selves(self) -> NDArray[np.bool_]:
        """(judgements,) whether each is of the document that has the query's own id."""
        return np.array([self.doc(row) == self.queries[q] for row, q in enumerate(self.query.tolist())], bool)

    @cached_property
    def to_find(self) -> tuple[Ints, Floats]:
        """The query and the grade of each judgement that counts, by ascending query."""
        kept = ~np.isnan(self.grades)
        if not self.apart:
            return (self.query, self.grades) if kept.all() else (self.query[kept], self.grades[kept])
        own = [number for number, query in enumerate(self.queries) if query in self.apart]
        query = np.array([*self.query[kept].tolist(), *own], np.int64)
        grades = np.array([*self.grades[kept].tolist(), *(self.apart[self.queries[q]] for q in own)], np.float64)
        order = np.argsort(query, kind="stable")
        return query[order], grades[order]

    @property
    def max_grade(self) -> float:
        """The highest grade of the whole collection, or 0."""
        return max(self.highest, float(self.to_find[1].max(initial=0)))


NO_QRELS = Qrels.from_dict({})

QrelsLike = Qrels | str | os.PathLike[str] | Mapping[Any, Any] | Iterable[Any]
"""Judgements, or what they are read from: a path, {query: {doc: grade}}, a frame, an Arrow table."""
