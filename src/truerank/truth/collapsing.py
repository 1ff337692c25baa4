"""Chunks to documents: a run of chunks as a run of the documents that they are parts of."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from typing import TypeVar, cast

from truerank.core.errors import InputError, quoted, truncated
from truerank.core.faults import Interleaved
from truerank.core.messages import Message, did_you_mean, message
from truerank.core.rankings import are_ranks
from truerank.core.run import Batch, Columns, Ranked, Run, RunLike
from truerank.formats import open_run
from truerank.formats.converting import sound
from truerank.truth.chunks import CHOICES, ChunkIds, Part, Parts, parts_by

Doc = TypeVar("Doc")

WAYS = ("max", "first", "sum", "maxP", "firstP", "sumP")
"""What a document's score may be made of, and the papers' names of it."""


MOST = 1 << 20
"""Ids that are in memory at once."""

UNSUMMED = message(
    "there are ranks or distances here and no scores, and their sum says nothing of a document: collapse by max"
)
"""Why chunks without scores are not collapsed by sum."""

WHOLE = -1
"""The place of what is a whole document, and no chunk."""


def way_of(how: str) -> str:
    """ "max", "first" or "sum", however it was written.

    >>> way_of("maxP")
    'max'
    """
    folded = how.lower().removesuffix("p") if isinstance(how, str) else ""
    if folded not in WAYS:
        raise InputError(
            "chunks are collapsed by max, first or sum, not {how}.{hint}",
            how=quoted(how),
            hint=did_you_mean(str(how), WAYS),
        )
    return folded


def collapse(run: RunLike, how: str = "max", *, ids: ChunkIds = None, name: str | None = None) -> Run:
    """A run of documents out of one of chunks (passages, parts of documents), which any function takes as its run.

    The scores of the documents, after Dai and Callan (2019), depend on no order of the rows; the sum adds the
    scores best first. Documents of equal scores are tied, as any are.

    Args:
        run: as for `evaluate`; it is read when the new one is.
        how: "max" (maxP: the score of the best chunk that was returned), "sum" (sumP: the sum of the scores of
            all), or "first" (firstP: the score of the chunk that stands first in the document, of those that were
            returned).
        ids: which document a chunk is of: a pattern such as "(.+)-\\d+", FILE:COLUMN of a table of chunks,
            {chunk: document}, a function of the chunk's id, or "id" where rows have the documents' ids already and
            repeat them; by default what ids such as d7#2 and d7_chunk_2 say. "first" needs a number in it too:
            the group after the document's, or the one named part; or a table, which has the chunks in order.
        name: what to call it; the run's name otherwise.

    Raises:
        InputError: an unknown way or rule; later, when it is read: an id that the rule does not know, a chunk
            returned twice, a sum where there are ranks or distances in place of scores.

    >>> import truerank as tr
    >>> run = {"q": {"b#1": 5.0, "a#2": 4.0, "a#1": 3.0}}
    >>> tr.evaluate({"q": {"a": 1}}, tr.collapse(run), "RR R@10").mean
    {'RR': 0.5, 'R@10': 1.0}
    >>> tr.evaluate({"q": {"a": 1}}, tr.collapse(run, "sumP"), "RR R@10").mean
    {'RR': 1.0, 'R@10': 1.0}
    """
    way, parts, source = way_of(how), parts_by(ids), open_run(run)
    if source.saved:
        raise InputError(
            "this is a reading, which has no chunks any more: collapse the run, then read it", source.name
        )
    form = _Form(way, _Known(parts), name or source.name, is_guess=ids is None, is_own=ids == "id")
    return Run.of_lists(form.run, partial(_documents, form, source))


def _documents(form: _Form, source: Run, together: bool) -> Iterator[Ranked]:
    lists = _lists(source.whole() if together else source, form.way)
    return form.documents(_together(lists) if together else lists)


def collapsed(docs: Iterable[Doc], scores: Iterable[float], way: str) -> dict[Doc, float]:
    """The score of each document, in the order in which they come first; "max" or "sum".

    >>> collapsed(["a", "b", "a"], [3.0, 2.0, 1.5], "sum")
    {'a': 4.5, 'b': 2.0}
    """
    if way == "max":
        best: dict[Doc, float] = {}
        for doc, score in zip(docs, scores, strict=True):
            if doc not in best or score > best[doc]:
                best[doc] = score
        return best
    several: dict[Doc, list[float]] = {}
    for doc, score in zip(docs, scores, strict=True):
        several.setdefault(doc, []).append(score)
    return {doc: _sum(each) for doc, each in several.items()}


def _sum(scores: list[float]) -> float:
    """The sum from left to right, the best first: the same bits in whichever order they come."""
    return reduce(add, sorted(scores, reverse=True))


def _lists(run: Run, way: str) -> Iterator[Ranked]:
    """The run's lists, one for each stretch of rows of a query, with what was read reported."""

    def watched(batches: Iterator[Batch]) -> Iterator[Batch]:
        for batch in batches:
            if way == "sum" and (are_ranks(batch) or (isinstance(batch, Columns | Ranked) and batch.are_distances)):
                raise InputError(UNSUMMED, run.name)
            yield batch
            run.watch(len(batch) if isinstance(batch, bytes) else 0)

    return sound(run.through(watched))


def _together(lists: Iterable[Ranked]) -> Iterable[Ranked]:
    """One list per query, or per call of it, where its rows are scattered; all rows are in memory."""
    whole: dict[tuple[bytes, int | None], tuple[list[bytes], array[float]]] = {}
    ordered = distant = False
    for chunks in lists:
        docs, scores = whole.setdefault((chunks.query, chunks.call), ([], array("d")))
        docs.extend(chunks.docs)
        scores.extend(chunks.numbers())
        ordered, distant = ordered or are_ranks(chunks), distant or chunks.are_distances
    return (Ranked(query, *each, None, call, ordered, distant) for (query, call), each in whole.items())


class _Known(dict[bytes, Part | None]):
    """What ids are parts of, each looked at once: a run returns the same chunks for many queries."""

    def __init__(self, parts: Parts):
        self.parts = parts

    def __missing__(self, chunk: bytes) -> Part | None:
        if len(self) > MOST:
            self.clear()
        part = self[chunk] = self.parts(chunk)
        return part


@dataclass(frozen=True)
class _Form:
    """How lists of chunks become lists of documents.

    Attributes:
        way: max, first or sum.
        known: what ids are parts of.
        run: for messages.
        is_guess: an id that says nothing is a document's own, if others say something.
        is_own: the ids are the documents', and repeat.
    """

    way: str
    known: _Known
    run: str
    is_guess: bool
    is_own: bool

    def documents(self, lists: Iterable[Ranked]) -> Iterator[Ranked]:
        """A list of documents for each list of chunks.

        Raises:
            Interleaved: two are of one query, and of one call.
        """
        seen: set[tuple[bytes, int | None]] = set()
        plain: bytes | None = None
        for chunks in lists:
            if (chunks.query, chunks.call) in seen:
                raise Interleaved(chunks.query, self.run)
            seen.add((chunks.query, chunks.call))
            parts = self._parts(chunks)
            is_plain = self.is_guess and all(part.place == WHOLE for part in parts)
            plain = plain if not parts else b"" if plain == b"" or not is_plain else parts[0].doc
            yield self._collapsed(chunks, parts)
        if plain:
            raise InputError(_plain(plain), self.run)

    def _parts(self, chunks: Ranked) -> list[Part]:
        """What each chunk is a part of, if that is known and none is there twice."""
        if not self.is_own and len(set(chunks.docs)) < len(chunks.docs):
            raise self._repeated(chunks)
        parts = list(map(self.known.__getitem__, chunks.docs))
        if None not in parts:
            return cast("list[Part]", parts)
        if not self.is_guess:
            unknown = chunks.docs[parts.index(None)]
            raise InputError(
                "chunk {chunk} of query {query}: the rule of ids does not say which document it is of",
                self.run,
                chunks.line,
                chunk=truncated(unknown),
                query=truncated(chunks.query),
            )
        return [part or Part(doc, WHOLE) for doc, part in zip(chunks.docs, parts, strict=True)]

    def _repeated(self, chunks: Ranked) -> InputError:
        chunk = next(doc for place, doc in enumerate(chunks.docs) if doc in chunks.docs[:place])
        return InputError(
            "chunk {chunk} is returned twice for query {query}; mend the run, or where these are the documents' "
            "ids: --ids id (in Python ids='id')",
            self.run,
            chunks.line,
            chunk=truncated(chunk),
            query=truncated(chunks.query),
        )

    def _collapsed(self, chunks: Ranked, parts: list[Part]) -> Ranked:
        numbers = chunks.numbers()
        if self.way == "first":
            scores = self._first(chunks, parts, numbers)
        else:
            scores = collapsed((part.doc for part in parts), numbers, self.way)
        best = list(scores), list(scores.values())
        return Ranked(chunks.query, *best, chunks.line, chunks.call, are_ranks(chunks), chunks.are_distances)

    def _first(self, chunks: Ranked, parts: list[Part], scores: list[float]) -> dict[bytes, float]:
        """The score of the chunk of each document that stands first in it; in the same place the better one."""
        first: dict[bytes, tuple[int, float]] = {}
        for chunk, (doc, place), score in zip(chunks.docs, parts, scores, strict=True):
            if place is None:
                raise InputError(
                    "where does chunk {chunk} stand in its document? For first, the ids need a number: a second "
                    "group in the pattern, '(.+)#(\\d+)', or a table that has the chunks in order",
                    self.run,
                    chunks.line,
                    chunk=truncated(chunk),
                )
            mine = (place, -score)
            first[doc] = min(first.get(doc, mine), mine)
        return {doc: -score for doc, (_, score) in first.items()}


def _plain(doc: bytes) -> Message:
    return message(
        "no id looks like a chunk's (such as d7#2 or d7_chunk_2), but like {doc}: say which document an id is a "
        "part of, {choices} (--ids; in Python ids=)",
        doc=truncated(doc),
        choices=CHOICES,
    )
