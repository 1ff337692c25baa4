"""Scattered queries, whose rows are in several parts of a run, and how to find their ranks.

Either their rows, and no others, are read again together; or no row is moved, and `count_ranks` counts in each part
how many rows stand before each judged document: the sums are the ranks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from truerank.core.errors import InputError, pluralize, printable, truncated
from truerank.core.found import ranks_read
from truerank.core.hits import Bools, Hits
from truerank.core.kernel.scanning import as_text
from truerank.core.mappings import IGNORED
from truerank.core.merge.parts import Parts
from truerank.core.qrels import Ints, Qrels
from truerank.core.reading import Reading
from truerank.core.run import Columns, Run, RunLike
from truerank.core.scan import EVERY_RANK, Scan, scan
from truerank.formats import open_run
from truerank.formats.files import joined
from truerank.formats.rows import columns

if TYPE_CHECKING:
    import pyarrow


@dataclass(frozen=True, eq=False, repr=False)
class Scattered:
    """The queries whose rows are in several parts, and what was found for them in all parts.

    Attributes:
        found: the rows that were found in all parts, ranked among themselves.

    >>> import truerank as tr
    >>> parts = [tr.read({"q": {"a": 1}}, {"q": docs}) for docs in ({"x": 2.0}, {"a": 1.0})]
    >>> tr.scattered(parts)
    Scattered(1 query, 1 row found)
    """

    found: Reading

    def __repr__(self) -> str:
        rows = pluralize(len(self.found.rows), "row")
        return f"Scattered({pluralize(len(self), 'query', 'queries')}, {rows} found)"

    def __len__(self) -> int:
        """How many queries are scattered; with 0 there is nothing more to do."""
        return len(self.found)

    def to_arrow(self) -> pyarrow.Table:
        """The rows found as a table, as `Reading.to_arrow` makes it."""
        return self.found.to_arrow()

    @classmethod
    def from_arrow(cls, table: pyarrow.Table) -> Scattered:
        """The scattered queries from a table of `to_arrow`."""
        return cls(Reading.from_arrow(table))

    @property
    def queries(self) -> tuple[str, ...]:
        """Their ids, sorted as bytes."""
        return tuple(map(as_text, self.found.rows.queries))

    @cached_property
    def is_new(self) -> Bools:
        """(rows found,) whether each is the first of its document with its score: others have the same counts."""
        rows = self.found.rows
        new = np.ones(len(rows), bool)
        new[1:] = (rows.doc[1:] != rows.doc[:-1]) | (rows.score[1:] != rows.score[:-1])
        return new

    @cached_property
    def watched(self) -> tuple[Qrels, Ints]:
        """The documents that parts are searched for (those found, with their grades, and the ignored ones).

        The second value says which of them each distinct row found has.
        """
        reading, qrels = self.found, self.found.qrels
        docs, row, place = np.unique(reading.rows.doc, return_index=True, return_inverse=True)
        gone = np.flatnonzero(np.isnan(qrels.grades))
        query = np.concatenate([reading.rows.query[row], qrels.query[gone]])
        ids = [*reading.docs(docs), *qrels.docs(gone)]
        grades = np.append(reading.rows.grade[row], np.full(len(gone), IGNORED))
        number = np.argsort(np.argsort(query, kind="stable"))
        watched = Qrels.from_rows(list(qrels.queries), query, ids, grades, name=qrels.name)
        return watched, number[place[self.is_new]]

    @cached_property
    def digest(self) -> str:
        """A fingerprint of the rows found, by which counts of other rows are refused."""
        rows = _as_rows(self.found, self.found.rows)
        digest = hashlib.blake2b(repr(self.found.rules.nameless).encode(), digest_size=16)
        for part in (rows.query_ends, rows.query_text, rows.doc_ends, rows.doc_text, rows.scores + 0.0):
            digest.update(part if isinstance(part, bytes) else part.tobytes())
        return digest.hexdigest()


def scattered(readings: Iterable[Reading] | Parts) -> Scattered:
    """The queries whose rows are in several parts of a run, from the readings of these parts; mostly none.

    `merge` takes what `read_together` or `count_ranks` makes of them.

    Raises:
        InputError: a judged document is returned in two parts, and the rules refuse that.
        TruerankError: the readings cannot be merged, as for `merge`.
    """
    parts = readings if isinstance(readings, Parts) else Parts.of(readings)
    several = parts.times > 1
    qrels, first = parts.qrels.select(several), parts.readings[0]
    scan = _rows_again(parts, several, qrels)
    crossing = repeated(scan.table["query"], scan.table["doc"], len(qrels)) - _within(parts, several)
    if crossing.any() and first.rules.duplicates == "error":
        _refuse(qrels, scan)
    repeats = parts.repeats[several] + crossing
    scan = scan._replace(repeats=repeats, returned=parts.returned[several])
    return Scattered(Reading.of(qrels, scan, first.rules, parts.name, first.kept))


def read_together(scattered: Scattered, sources: Iterable[RunLike], *, threads: int | None = None) -> Reading:
    """Read the scattered queries, and no others, from all sources of the run together.

    Args:
        sources: what the parts were read from, or the whole run; rows are taken in the order of the sources.

    Raises:
        InputError: the sources have other rows of a query than the parts had.
    """
    reading, runs = scattered.found, [open_run(source) for source in sources]
    whole = joined([run.whole() for run in runs], reading.name)
    keep = ranks_read(reading.qrels, reading.kept)
    again = scan(whole, reading.qrels.judged, reading.rules, threads, keep, interleaved=True)
    read_again = Reading.scanned(reading.qrels, again._replace(extra=()), reading.rules, reading.name, reading.kept)
    wanted, returned = reading.rows.returned, read_again.rows.returned.clip(0)
    if reading.rules.duplicates in ("first", "last"):
        refuse_others(reading, returned, returned + (0 if again.repeats is None else again.repeats) < wanted)
    else:
        refuse_others(reading, returned, returned != wanted)
    return read_again


def refuse_others(found: Reading, returned: Ints, wrong: Bools) -> None:
    """Raise where a query has other rows than its parts had.

    Args:
        returned: (queries,) how many rows each query has now.
        wrong: (queries,) whether its rows differ.
    """
    if wrong.any():
        place = int(np.argmax(wrong))
        raise InputError(
            "the sources return {n:,} documents for query {query}, the parts {wanted:,}: give all that the parts "
            "were read from",
            found.name,
            n=int(returned[place]),
            query=printable(found.rows.queries[place]),
            wanted=int(found.rows.returned[place]),
        )


def _as_rows(reading: Reading, rows: Hits) -> Columns:
    """Some rows of a reading as rows of a run."""
    names = reading.rows.queries
    scores = np.nan_to_num(np.ascontiguousarray(rows.score))  # in 32 bits, large scores are infinite
    return columns([names[query] for query in rows.query.tolist()], reading.docs(rows.doc), scores)


def _rows_again(parts: Parts, keep: Bools, qrels: Qrels) -> Scan:
    """The rows of some queries in all parts, ranked among themselves."""
    rows = [_kept(part, place, keep) for part, place in zip(parts.readings, parts.places, strict=True)]
    pieces = [_as_rows(part, some) for part, some in zip(parts.readings, rows, strict=True)]
    rules = parts.readings[0].rules.replace(duplicates="count")
    run = Run(parts.name, lambda: iter(pieces))
    return scan(run, qrels.judged, rules, keep=EVERY_RANK, interleaved=True)._replace(extra=())


def _kept(part: Reading, place: Ints, keep: Bools) -> Hits:
    return part.rows.where(keep[place[part.rows.query]])


def _within(parts: Parts, keep: Bools) -> Ints:
    """(kept queries,) how many of the rows found repeat a document within their part."""
    number = np.cumsum(keep) - 1
    total = np.zeros(int(keep.sum()), np.int64)
    for part, place in zip(parts.readings, parts.places, strict=True):
        rows = _kept(part, place, keep)
        if part.repeated:
            total += repeated(number[place[rows.query]], rows.doc, len(total))
    return total


def repeated(query: Ints, doc: Ints, queries: int) -> Ints:
    """(queries,) how many rows repeat the document of an earlier row."""
    _, first = np.unique(doc, return_index=True)
    return np.bincount(query, minlength=queries) - np.bincount(query[first], minlength=queries)


def _refuse(qrels: Qrels, scan: Scan) -> None:
    docs, first, count = np.unique(scan.table["doc"], return_index=True, return_counts=True)
    row = int(first[np.argmax(count > 1)])
    query, doc = int(scan.table["query"][row]), int(docs[np.argmax(count > 1)])
    judged = len(qrels.grades)
    name = qrels.doc(doc) if doc < judged else scan.unjudged[doc - judged]
    raise InputError(
        "document {doc} of query {query} is returned in two parts; mend the run, or say how it counts: "
        "duplicates = count or once (--set duplicates=once)",
        doc=truncated(name),
        query=truncated(qrels.queries[query]),
    )
