"""Chunks that overlap the evidence are right: a truth that survives another way of chunking."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np

from truerank.core.errors import InputError, RulesError, truncated
from truerank.core.ids import stretches
from truerank.core.kernel.scanning import as_text
from truerank.core.messages import did_you_mean, message, plural
from truerank.core.qrels import Qrels
from truerank.core.rankings import rankings
from truerank.core.schema import is_real
from truerank.formats import open_run
from truerank.formats.rows import text_column
from truerank.truth.items import Bools, Ints
from truerank.truth.notes import TruthNote, notes_without
from truerank.truth.registry import rule
from truerank.truth.result import Truth, lacking
from truerank.truth.spans import Spans, lengths, read_spans

MOST = 1_000_000
"""Judgements of chunks that are made where no run says which are needed."""

LACKING = b"evidence:"
"""How the ids of evidence begin that no chunk has."""


@rule("overlaps", read=read_spans)
def overlaps(
    queries: Spans,
    references: Spans,
    *,
    characters: int = 1,
    share: float = 0.0,
    run: Any = None,
    documents: Any = None,
    segments: bool = True,
) -> Truth:
    """The chunks that overlap a query's evidence are right, each for the characters that it covers.

    Source documents are cut at all ends of evidence and chunks; each segment is an aspect, whose weight is its
    length. A chunk has grade 1 for segments of evidence and 0 for others, which `EvidenceRecall`,
    `EvidencePrecision` and `EvidenceIoU` read. Evidence that no chunk covers is judged as a document of its own,
    so that it counts as missed.

    Args:
        queries: evidence: one row per span, with query, document, start and end; see `read_spans`.
        references: all chunks, with ids; or a run whose ids have their spans.
        characters: a chunk is right for evidence of which it has at least so many characters (or pages), or all.
        share: and at least this share of the evidence.
        run: a run, or several, that the truth is for: judged are the chunks of documents that have evidence or
            are in the run's answer; by default those of all documents, for every query.
        documents: a table of the documents with their lengths or texts, or {document: length}, which spans must
            stay in.
        segments: False judges chunks as wholes, for any tool: no aspects, and no evidence that no chunk has.

    Raises:
        InputError: spans that leave their document, documents or chunks that nobody knows, with their lines.

    >>> from truerank import truth
    >>> evidence = [{"query_id": "q", "doc_id": "a", "start": 10, "end": 30}]
    >>> chunks = [{"chunk_id": "a-1", "doc_id": "a", "start": 0, "end": 20}]
    >>> qrels = truth.overlaps(evidence, [*chunks, {"chunk_id": "a-2", "doc_id": "a", "start": 20, "end": 40}])
    >>> qrels.by_aspect(0)[b"a-1"], qrels.aspects.weight.tolist()
    ({b'a:0-10': 0.0, b'a:10-20': 1.0}, [10.0, 10.0, 10.0, 10.0])
    """
    if not (is_real(characters) and characters >= 0 and is_real(share) and 0 <= share <= 1):
        raise RulesError("overlaps: characters is a number from 0 on, and share one from 0 to 1")
    _check(queries, references)
    _refuse_strangers(queries, references, None if documents is None else lengths(documents))
    chunks = _Chunks.of(references)
    judged = _Judged(chunks, characters, share)
    evidence = _by_query(queries)
    for query, docs in _wanted(evidence, references, chunks, run).items():
        judged.add(query, docs, evidence[query], queries)
    truth = judged.truth()
    return truth if segments else _wholes(truth, chunks)


def _wholes(truth: Truth, chunks: _Chunks) -> Truth:
    """The judgements of chunks alone, without aspects."""
    kept = np.array([doc in chunks.by_id for doc in truth.docs()], bool)
    columns = (truth.query[kept], truth.begin[kept], truth.end[kept], truth.text, truth.grades[kept])
    wholes = Truth.build(truth.queries, *columns)
    return _noted(wholes, ())


def _noted(qrels: Qrels, notes: Iterable[TruthNote]) -> Truth:
    """The truth with notes, and with the queries for which nothing is right."""
    assert isinstance(qrels, Truth)
    without, unknown = lacking(qrels), np.full(len(qrels.grades), np.nan)
    noted = (*notes, *notes_without(without, len(qrels)))
    return replace(qrels, metres=unknown, without_relevant=without, notes=noted)


def _by_query(evidence: Spans) -> dict[bytes, dict[bytes, Ints]]:
    """{query: {document: the rows of its spans}}, for queries without any too."""
    rows: dict[bytes, dict[bytes, list[int]]] = {}
    for row, (query, doc) in enumerate(zip(evidence.query or (), evidence.doc, strict=True)):
        rows.setdefault(query, {}).setdefault(doc, []).append(row)
    found = {query: {doc: np.array(each) for doc, each in docs.items()} for query, docs in rows.items()}
    return {**found, **{query: {} for query in evidence.lacking}}


def _check(evidence: Spans, chunks: Spans) -> None:
    if evidence.query is None:
        raise InputError("no column holds the queries of the evidence; name it query_id", evidence.name)
    if chunks.ids is None:
        raise InputError("no column holds the ids of the chunks; name it chunk_id", chunks.name)
    if evidence.unit != chunks.unit:
        raise InputError(
            "the evidence ({evidence}) is in {unit}, the chunks are in {other}: give both in one",
            chunks.name,
            evidence=evidence.name,
            unit=_UNITS[evidence.unit],
            other=_UNITS[chunks.unit],
        )


_UNITS = {"characters": message("characters"), "pages": message("pages")}


def _refuse_strangers(evidence: Spans, chunks: Spans, sizes: Mapping[bytes, int] | None) -> None:
    """Refuse spans outside of their documents, and documents that are nowhere else."""
    for spans in (evidence, chunks):
        if sizes is not None:
            _refuse_outside(spans, sizes)
    known = set(chunks.doc)
    for row, doc in enumerate(evidence.doc if not chunks.is_run else ()):
        if doc not in known:
            said = message(
                "no chunk is of document {doc}, which has evidence.{hint}",
                doc=truncated(doc),
                hint=_near(doc, known),
            )
            raise evidence.error(row, said)


def _refuse_outside(spans: Spans, sizes: Mapping[bytes, int]) -> None:
    for row, (doc, end) in enumerate(zip(spans.doc, spans.end.tolist(), strict=True)):
        named = {"doc": truncated(doc)}
        if doc not in sizes:
            raise spans.error(row, message("there is no document {doc}.{hint}", hint=_near(doc, sizes), **named))
        if end > sizes[doc]:
            said = message("the span ends at {end:,}, but {doc} has {size:,}", end=end, size=sizes[doc], **named)
            raise spans.error(row, said)


def _near(doc: bytes, known: Iterable[bytes]) -> str:
    return did_you_mean(as_text(doc), map(as_text, known))


@dataclass(frozen=True, eq=False)
class _Chunks:
    """The chunks by their documents.

    Attributes:
        spans: where each chunk lies, a row per chunk.
        ids: the id of each chunk.
        by_doc: {document: the rows of its chunks}.
        by_id: {chunk: its row}.
    """

    spans: Spans
    ids: Sequence[bytes]
    by_doc: Mapping[bytes, Ints]
    by_id: Mapping[bytes, int]

    @classmethod
    def of(cls, spans: Spans) -> _Chunks:
        """The chunks of a table or a run, by document and by id.

        Raises:
            InputError: two chunks have one id.
        """
        ids = spans.ids or ()
        rows: dict[bytes, list[int]] = {}
        by_id: dict[bytes, int] = {}
        for row, (chunk, doc) in enumerate(zip(ids, spans.doc, strict=True)):
            if by_id.setdefault(chunk, row) == row:
                rows.setdefault(doc, []).append(row)
            elif not spans.is_run:
                said = message("chunk {chunk} is there twice: ids of chunks must differ", chunk=truncated(chunk))
                raise spans.error(row, said)
        return cls(spans, ids, {doc: np.array(each, np.int64) for doc, each in rows.items()}, by_id)


def _wanted(
    evidence: Mapping[bytes, Iterable[bytes]], references: Spans, chunks: _Chunks, run: Any
) -> dict[bytes, dict[bytes, None]]:
    """{query: the documents whose chunks are judged for it}, those that have evidence first."""
    wanted = {query: dict.fromkeys(docs) for query, docs in evidence.items()}
    if run is None and not references.is_run:
        pairs = len(wanted) * len(chunks.by_id)
        if pairs > MOST:
            raise InputError(
                "{queries:,} queries and {chunks:,} chunks are {pairs:,} judgements: name the runs that they are "
                "for, overlaps(run='bm25.run')",
                references.name,
                queries=len(wanted),
                chunks=len(chunks.by_id),
                pairs=pairs,
            )
        every = dict.fromkeys(chunks.by_doc)
        return {query: {**docs, **every} for query, docs in wanted.items()}
    own = zip(references.query or (), references.doc, strict=True) if references.is_run else ()
    runs = run if isinstance(run, list | tuple) else [] if run is None else [run]
    for query, doc in chain(own, *(_returned(one, chunks) for one in runs)):
        wanted.get(query, {})[doc] = None
    return wanted


def _returned(run: Any, chunks: _Chunks) -> Iterator[tuple[bytes, bytes]]:
    """Queries and documents of the chunks that a run returned."""
    source = open_run(run)
    for part in rankings(source.batches(), source.name):
        for chunk in part.docs:
            if chunk not in chunks.by_id:
                raise InputError(
                    "chunk {chunk} of query {query} is not among the chunks of {chunks}.{hint}",
                    source.name,
                    part.line,
                    chunk=truncated(chunk),
                    query=truncated(part.query),
                    chunks=chunks.spans.name,
                    hint=_near(chunk, chunks.by_id),
                )
            yield part.query, chunks.spans.doc[chunks.by_id[chunk]]


@dataclass(frozen=True, eq=False)
class Segments:
    """A document, cut at all ends of spans: the pieces that each span covers whole or not at all.

    Attributes:
        cuts: (segments + 1,) segment i goes from cuts[i] to cuts[i + 1].
    """

    cuts: Ints

    @classmethod
    def of(cls, *ends: Ints) -> Segments:
        """The segments between any two neighbours among all of these places.

        >>> Segments.of(np.array([0, 5]), np.array([5, 9, 2])).cuts.tolist()
        [0, 2, 5, 9]
        """
        return cls(np.unique(np.concatenate(ends)))

    @property
    def length(self) -> Ints:
        """(segments,) the length of each."""
        return np.diff(self.cuts)

    def name(self, doc: bytes, place: int) -> bytes:
        """The id that a segment of a document gets."""
        return b"%b:%d-%d" % (doc, self.cuts[place], self.cuts[place + 1])

    def covered(self, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        """Two arrays with an entry for each time that a span covers a segment: the span, and the segment."""
        first, last = np.searchsorted(self.cuts, start), np.searchsorted(self.cuts, end)
        segment, span = stretches(first, last - first)
        return span, segment

    def mask(self, start: Ints, end: Ints) -> Bools:
        """(spans, segments) whether a span covers a segment."""
        mask = np.zeros((len(start), len(self.cuts) - 1), bool)
        mask[self.covered(start, end)] = True
        return mask


Rows = tuple[Ints, Ints, Bools]
"""The document of each row, the aspect, and whether it is evidence."""


@dataclass(eq=False)
class _Judged:
    """Judgements as they are made, with a row for each segment that a chunk covers.

    Attributes:
        rows: of each query so far.
        docs: {the id of a chunk, or of evidence that none covers: its number}.
        aspects: {a segment's name: its number}.
        lengths: (aspects,) of each.
        missed: how many characters of evidence no chunk covers.
    """

    chunks: _Chunks
    characters: int
    share: float
    rows: dict[bytes, list[Rows]] = field(default_factory=dict)
    docs: dict[bytes, int] = field(default_factory=dict)
    aspects: dict[bytes, int] = field(default_factory=dict)
    lengths: list[int] = field(default_factory=list)
    missed: int = 0
    _plain: dict[bytes, Rows] = field(default_factory=dict)

    def add(self, query: bytes, docs: Iterable[bytes], evidence: Mapping[bytes, Ints], spans: Spans) -> None:
        """Judge the chunks of these documents for a query.

        Args:
            evidence: {document: the rows of the query's spans in it}.
        """
        rows = self.rows.setdefault(query, [])
        for doc in docs:
            if doc in evidence:
                rows.append(self._of_evidence(doc, evidence[doc], spans))
            else:
                rows.append(self._plain.get(doc) or self._plain.setdefault(doc, self._of_others(doc)))

    def _of_others(self, doc: bytes) -> Rows:
        """The rows of a document without evidence."""
        own = self.chunks.by_doc[doc]
        start, end = self.chunks.spans.start[own], self.chunks.spans.end[own]
        segments = Segments.of(start, end)
        chunk, segment = segments.covered(start, end)
        return self._numbers(own)[chunk], self._named(doc, segments)[segment], np.zeros(len(chunk), bool)

    def _of_evidence(self, doc: bytes, rows: Ints, spans: Spans) -> Rows:
        """The rows of a document with evidence; what of it no chunk covers is a document of its own."""
        own = self.chunks.by_doc.get(doc, np.zeros(0, np.int64))
        start, end = self.chunks.spans.start[own], self.chunks.spans.end[own]
        first, last = spans.start[rows], spans.end[rows]
        segments = Segments.of(start, end, first, last)
        chunk, segment = segments.covered(start, end)
        is_right = self._is_right(start, end, first, last)
        inside = segments.mask(first, last)
        is_evidence = (is_right[chunk] & inside[:, segment].T).any(axis=1)
        lacking = np.asarray(inside.any(axis=0), bool)
        lacking[segment[is_evidence]] = False
        alone = np.flatnonzero(lacking)
        self.missed += int(segments.length[alone].sum())
        names = self._named(doc, segments)
        ids = [self._lacking(segments.name(doc, place)) for place in alone.tolist()]
        docs = [*self._numbers(own)[chunk].tolist(), *map(self._number, ids)]
        grades = np.concatenate([is_evidence, np.ones(len(alone), bool)])
        return np.array(docs, np.int64), names[np.concatenate([segment, alone])], grades

    def _is_right(self, start: Ints, end: Ints, first: Ints, last: Ints) -> Bools:
        """(chunks, evidence) whether a chunk has enough of a piece of evidence."""
        common = np.minimum(end[:, None], last) - np.maximum(start[:, None], first)
        length = last - first
        is_right = (common >= np.minimum(self.characters, length)) & (common / length >= self.share)
        return np.asarray(is_right & (common > 0), bool)

    def _lacking(self, segment: bytes) -> bytes:
        """What evidence is called that no chunk has; no chunk is called so."""
        name = LACKING + segment
        while name in self.chunks.by_id:
            name = LACKING + name
        return name

    def _number(self, doc: bytes) -> int:
        return self.docs.setdefault(doc, len(self.docs))

    def _numbers(self, chunks: Ints) -> Ints:
        return np.array([self._number(self.chunks.ids[row]) for row in chunks.tolist()], np.int64)

    def _named(self, doc: bytes, segments: Segments) -> Ints:
        """(segments,) the number of each as an aspect."""
        names = [segments.name(doc, place) for place in range(len(segments.length))]
        for name, length in zip(names, segments.length.tolist(), strict=True):
            if self.aspects.setdefault(name, len(self.lengths)) == len(self.lengths):
                self.lengths.append(length)
        return np.array([self.aspects[name] for name in names], np.int64)

    def truth(self) -> Truth:
        """The judgements, with each segment as an aspect, and its length as the weight of that."""
        queries = list(self.rows)
        rows = [row for each in self.rows.values() for row in each]
        doc, aspect, is_evidence = (np.concatenate(column) for column in zip(*rows, strict=True))
        sizes = [sum(len(docs) for docs, _, _ in each) for each in self.rows.values()]
        query = np.repeat(np.arange(len(queries)), sizes)
        ends, text = text_column(list(self.docs))
        grades = is_evidence.astype(np.float64)
        names = list(self.aspects)
        qrels = Truth.build(queries, query, ends[doc], ends[doc + 1], text, grades, aspects=(names, aspect))
        assert qrels.aspects is not None
        weight = np.array([self.lengths[self.aspects[name]] for name in qrels.aspects.names], np.float64)
        return _noted(replace(qrels, aspects=replace(qrels.aspects, weight=weight)), self._notes())

    def _notes(self) -> Iterator[TruthNote]:
        if self.missed:
            said = plural(
                "{n:,} character or page of evidence is in no chunk that is right; it counts as missed.",
                "{n:,} characters or pages of evidence are in no chunk that is right; they count as missed.",
                n=self.missed,
            )
            yield TruthNote("missed", said)
