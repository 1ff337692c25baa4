"""Scan: a run read once through the kernel."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from truerank.core.errors import InputError, Refused, SeveralCalls, printable, truncated
from truerank.core.faults import Interleaved, not_put_aside, refused_row, repeated_document, unreadable
from truerank.core.ids import NO_IDS, Ids, joined
from truerank.core.kernel.scanning import HIT, Judged, Scanner, Thresholds, as_bytes, as_text
from truerank.core.messages import message
from truerank.core.rankings import are_ranks, columns_ids, lines
from truerank.core.rules import Rules
from truerank.core.run import Batch, Columns, Piece, Ranked, Run, has_calls
from truerank.core.schema import POSITIVE

if TYPE_CHECKING:
    from truerank.core.calls import Calls

EVERY_RANK = 2**62
"""The `keep` that makes rows of all unjudged documents."""

LISTS_THAT_TELL, STEPS_THAT_TELL = 3, 10
"""In fewer lists scores may rise by chance, and so may they by fewer steps from a document to the next."""


class Scoring(NamedTuple):
    """How lists are scored; the counts of several parts add up.

    Attributes:
        lists, steps: how many lists of two or more documents have scores that rise along the list, as distances
            do, and how many steps from one document to the next these lists have.
        falls: whether scores do not rise along some list; nothing more is counted then.
        are_ranks: whether some lists have an order and no scores; negated ranks stand for these.
    """

    lists: int = 0
    steps: int = 0
    falls: bool = False
    are_ranks: bool = False

    @classmethod
    def of(cls, scanner: Scanner) -> Scoring:
        """The scoring of the lists that a scanner read."""
        falls = scanner.rising < 0
        lists, steps = (0, 0) if falls else (scanner.rising, scanner.steps)
        return cls(lists, steps, falls, scanner.are_ranks)

    def __add__(self, other: Scoring) -> Scoring:  # type: ignore[override]
        falls, are_ranks = self.falls or other.falls, self.are_ranks or other.are_ranks
        lists, steps = (0, 0) if falls else (self.lists + other.lists, self.steps + other.steps)
        return Scoring(lists, steps, falls, are_ranks)

    @property
    def rises(self) -> bool:
        """Whether scores rise along every list, in more lists than chance would explain."""
        return not self.falls and self.lists >= LISTS_THAT_TELL and self.steps >= STEPS_THAT_TELL


NO_LISTS = Scoring()


class Scan(NamedTuple):
    """What the kernel found in a run.

    Attributes:
        tables: one per piece, with a row for each judged document that was returned (fields query, doc, rank,
            first, last, score); with `keep` also for each unjudged document in the first ranks, numbered after
            the judged ones.
        returned: (queries,) how many documents were returned, -1 where the query was not answered.
        extra: ids of answered queries that are unjudged.
        rows: how many rows the run has.
        interleaved: whether the rows of some query were scattered.
        unjudged: the ids of the unjudged documents that became rows.
        repeats: (queries,) how many rows of each repeat a document; None where no row of the run does.
        calls: where each of several lists of a query ends; None where a query has one.
        scoring: how its lists are scored.
    """

    tables: list[NDArray[Any]]
    returned: NDArray[np.int64]
    extra: tuple[bytes, ...]
    rows: int
    interleaved: bool = False
    unjudged: Ids = NO_IDS
    repeats: NDArray[np.int64] | None = None
    calls: Calls | None = None
    scoring: Scoring = NO_LISTS

    @classmethod
    def of(cls, scanner: Scanner, found: Found) -> Scan:
        """What one scanner found."""
        extra, unjudged = tuple(scanner.extra_queries), Ids(*scanner.unjudged_ids)
        repeats = _counted([scanner.repeats])
        table, returned = found
        return cls([table], returned, extra, scanner.rows, False, unjudged, repeats, scoring=Scoring.of(scanner))

    @property
    def table(self) -> NDArray[Any]:
        """The rows of all pieces."""
        return self.tables[0] if len(self.tables) == 1 else np.concatenate([np.empty(0, HIT), *self.tables])


Found = tuple[NDArray[Any], NDArray[np.int64]]
"""The table of a scan, and how many documents each query returned."""


def scan(
    run: Run,
    judged: Judged,
    rules: Rules,
    threads: int | None = None,
    keep: int = 0,
    *,
    every: bool = False,
    interleaved: bool = False,
) -> Scan:
    """Read a run once (again when its queries turn out to be interleaved, whose rows are put aside on disk then).

    Args:
        threads: how many may read a large plain file; as many as there are processors by default.
        keep: unjudged documents up to this rank become rows too.
        every: queries that are not judged are read too, numbered after the judged ones, as `extra` names them.
        interleaved: whether the rows of a query are known to be scattered.

    Raises:
        InputError: a line, a score or a repeated document that the rules refuse.
    """
    if threads is not None:
        threads = POSITIVE.checked("threads", threads, InputError)
    threads = 1 if every or interleaved else threads or processors()
    look = Look(judged, rules, keep, every, interleaved)
    try:
        return _scan_pieces(run, look, run.pieces(threads) if threads > 1 else ())
    except (Refused, Interleaved):  # `feed` makes errors of what else is refused
        return _scan_whole(run, look._replace(interleaved=True))


class Look(NamedTuple):
    """What to look for in a run; the attributes are the arguments of `scan`."""

    judged: Judged
    rules: Rules
    keep: int
    every: bool
    interleaved: bool

    def scanner(self) -> Scanner:
        """A scanner that looks for it."""
        rules = self.rules
        single = rules.score_precision == "single"
        duplicates = "count" if rules.duplicates == "once" else rules.duplicates
        return Scanner(self.judged, rules.ties, duplicates, single, self.interleaved, self.keep, self.every)


def count(run: Run, judged: Judged, thresholds: Thresholds, rules: Rules) -> None:
    """Count the rows of a run that stand before those in `thresholds`, in any order and without keeping any.

    Raises:
        InputError: a line or a score that cannot be read.
    """
    single = rules.score_precision == "single"
    _finished(run.whole(), Scanner(judged, duplicates="count", single=single, counting=thresholds))


def _scan_whole(run: Run, look: Look) -> Scan:
    scanner = look.scanner()
    source = run.whole() if look.interleaved else run
    try:
        found = _finished(source, scanner)
    except InputError:
        for one in run.files():
            with suppress(Refused):  # only a single file can name its line
                _scan_whole(one, look)
        raise
    return Scan.of(scanner, found)._replace(interleaved=look.interleaved)


def _finished(run: Run, scanner: Scanner) -> Found:
    """What a scanner finds in all of a run."""
    *_, finished = feed(run, scanner)
    assert finished is not None
    return finished


def feed(run: Run, scanner: Scanner) -> Iterator[Found | None]:
    """Give a scanner a run, batch by batch: yield None after each, and at last what it found."""
    batch: Batch = b""
    before = 0
    try:
        for batch in each_once(run.batches(), run.name):
            before = scanner.line
            push(scanner, batch)
            run.watch(_size(batch))
            yield None
        yield scanner.finish()
    except Refused as refused:
        raise _error(refused, scanner, run, _line(refused, before, batch)) from None
    except (TypeError, ValueError, OverflowError, RuntimeError) as error:
        raise InputError(unreadable(scanner.here[0], error), run.name) from None
    except OSError as error:
        raise InputError(not_put_aside(error), run.name) from None


def each_once(batches: Iterator[Batch], name: str | None) -> Iterator[Batch]:
    """The batches; raise where two lists answer the same query (or call of it): their documents would be tied."""
    first: dict[tuple[bytes, int | None], int] = {}
    for number, batch in enumerate(batches, 1):
        if isinstance(batch, Ranked):
            query = as_bytes(batch.query)
            place = batch.line or number
            if (before := first.setdefault((query, batch.call), place)) != place:
                where = {"query": truncated(query), "first": before, "second": place}
                said = (
                    message("query {query} comes twice (first in line {first}); keep one of them", **where)
                    if batch.line
                    else message(
                        "query {query} comes twice (lists {first} and {second}); keep one of them", **where
                    )
                )
                raise InputError(said, name, batch.line)
        yield batch


def one_list(batch: Batch) -> Batch:
    """The batch, if its run has one list per query.

    Raises:
        SeveralCalls: it has several.
    """
    if has_calls(batch):
        raise SeveralCalls(
            message("the run has several lists per query, one per call, and here one list is needed")
        )
    return batch


def push(scanner: Scanner, batch: Batch) -> None:
    """Give a scanner a batch.

    Raises:
        SeveralCalls: it is of a run with several lists per query.
    """
    batch = one_list(batch)
    if isinstance(batch, dict):
        scanner.mapping(batch)
    elif isinstance(batch, Ranked):
        scanner.ranked(batch.query, batch.docs, batch.scores)
    elif isinstance(batch, Columns):
        queries, docs = (batch.query_ends, batch.query_text), (batch.doc_ends, batch.doc_text)
        scanner.columns(*queries, *docs, batch.scores, batch.runs)
    else:
        scanner.feed(batch)
    scanner.are_ranks |= are_ranks(batch)


def _size(batch: Batch) -> int:
    """How many bytes of a file the batch is; 0 where it is not text."""
    return len(batch) if isinstance(batch, bytes) else 0


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _scan_pieces(run: Run, look: Look, pieces: Sequence[Piece]) -> Scan:
    if len(pieces) < 2:
        return _scan_whole(run, look)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(len(pieces)) as pool:
        tasks = [pool.submit(_scan_piece, run, look, piece) for piece in pieces]
        try:
            scanners, finished = zip(*(task.result() for task in tasks), strict=True)
            tables, parts = map(list, zip(*finished, strict=True))
            del tasks, finished
            returned = _together(parts)
        except Refused:  # a query may just go on in the next piece; or a line is wrong, and this names it
            return _scan_whole(run, look)
    extra = dict.fromkeys(name for scanner in scanners for name in scanner.extra_queries)
    rows = sum(scanner.rows for scanner in scanners)
    unjudged = [Ids(*scanner.unjudged_ids) for scanner in scanners]
    number_on(tables, unjudged, look.judged.n_docs)
    facts = rows, False, joined(unjudged), _counted([scanner.repeats for scanner in scanners])
    return Scan(tables, returned, tuple(extra), *facts, scoring=sum(map(Scoring.of, scanners), NO_LISTS))


def _counted(parts: Sequence[NDArray[np.int64] | None]) -> NDArray[np.int64] | None:
    """(queries,) how many rows of each judged query repeat a document.

    Unjudged queries are not counted: where their rows are scattered these are not kept, and the count must not
    depend on that.
    """
    there = [part for part in parts if part is not None]
    repeats: NDArray[np.int64] | None = np.sum(there, axis=0) if there else None
    return None if repeats is None or not repeats.any() else repeats


def _scan_piece(run: Run, look: Look, piece: Piece) -> tuple[Scanner, Found]:
    scanner = look.scanner()
    try:
        for batch in each_once(piece(), run.name):
            push(scanner, batch)
            run.watch(_size(batch))
        return scanner, scanner.finish()
    except (TypeError, ValueError, OverflowError, RuntimeError) as error:
        raise InputError(unreadable(scanner.here[0], error), run.name) from None


def _together(parts: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """How many documents were returned for each query, from parts that answer different queries; empties the list.

    Raises:
        Refused: two parts answer the same query.
    """
    whole = parts.pop()
    while parts:
        part = parts.pop()
        if ((part >= 0) & (whole >= 0)).any():
            raise Refused("interleaved", 0)
        np.maximum(whole, part, out=whole)
    return whole


def number_on(tables: Sequence[NDArray[Any]], unjudged: Sequence[Ids], judged: int) -> None:
    """Number the unjudged documents of each table after those of the tables before it, in place."""
    before = 0
    for table, ids in zip(tables, unjudged, strict=True):
        if before and len(ids):
            docs = table["doc"]
            docs += before * (docs >= judged)
        before += len(ids)


def _error(refused: Refused, scanner: Scanner, run: Run, line: int | None) -> Exception:
    """The error to raise for a row that the kernel refused; `line` is where it stands, if in a line."""
    if refused.kind == "interleaved":
        return refused
    if refused.kind == "duplicate":
        return _duplicate(scanner, run, line)
    return refused_row(refused, scanner.here[0], run.name, line)


def _line(refused: Refused, before: int, batch: Batch) -> int | None:
    """The line of a batch that was refused; the scanner had read `before` lines when it came to the batch."""
    if isinstance(batch, Columns) and batch.lines is not None:
        place = refused.line - before - 1
        return int(batch.lines[place]) if place >= 0 else None  # of rows put aside, an earlier one may be refused
    if isinstance(batch, Ranked):
        return batch.line
    return None if isinstance(batch, dict) else refused.line


def _duplicate(scanner: Scanner, run: Run, line: int | None) -> InputError:
    query, doc = scanner.here
    if there := [(one.name, line) for one in run.files() for line in _lines_of(one, query, doc)]:
        (file, _), (name, again) = there[:2]
        return repeated_document(query, doc, None, name, again, apart=file != name)
    lines = list(itertools.islice(_lines_of(run, query, doc), 2))
    first, second = lines if len(lines) == 2 else (None, line)
    are_files = len(run.files()) > 1
    return repeated_document(query, doc, first if first != second else None, run.name, second, apart=are_files)


def _lines_of(run: Run, query: bytes, doc: bytes) -> Iterator[int]:
    """The lines (or rows) that name a query and a document, found by reading the run again."""
    text: Any = run.batches()
    if isinstance(next(iter(run.batches()), None), bytes):
        pattern = re.compile(rb"[ \t]*%b[ \t]+[^ \t]+[ \t]+%b[ \t]" % (re.escape(query), re.escape(doc)))
        yield from (number for number, line in enumerate(lines(text), 1) if pattern.match(line))
        return
    rows = 0
    for batch in run.batches():
        if isinstance(batch, Columns):
            numbers = range(rows + 1, rows + 1 + len(batch.scores)) if batch.lines is None else batch.lines.tolist()
            rows_of = zip(numbers, *columns_ids(batch), strict=True)
            yield from (line for line, *names in rows_of if names == [query, doc])
            rows += len(batch.scores)
        elif isinstance(batch, Ranked) and batch.line and as_bytes(batch.query) == query:
            yield from (batch.line for other in batch.docs if as_bytes(other) == doc)


def refuse_extra(extra: Sequence[bytes], rules: Rules, name: str) -> None:
    """Raise where the rules refuse unjudged queries and some are answered."""
    if extra and rules.extra == "error":
        raise InputError(
            "query {query} is not judged; extra = 'skip' in the rules leaves it out (for a command: "
            "--set extra=skip)",
            name,
            query=printable(as_text(extra[0])),
        )


def answered(scan: Scan, rules: Rules) -> Scan:
    """The scan, with answers without a document treated as the rules say."""
    if rules.empty != "missing":
        return scan
    return scan._replace(returned=np.where(scan.returned == 0, -1, scan.returned))
