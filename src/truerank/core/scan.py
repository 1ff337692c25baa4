"""Scan: a run read once through the kernel."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank.core._kernel import Judged, Scanner, Thresholds, as_bytes
from truerank.core.errors import InputError, Refused, truncated
from truerank.core.faults import repeated, run_fault, unreadable
from truerank.core.ids import NO_IDS, Ids, joined
from truerank.core.messages import message
from truerank.core.rankings import columns_ids, lines
from truerank.core.rules import Rules
from truerank.core.run import Batch, Columns, Ranked, Run

CHUNK = 1 << 18
"""Bytes read at once: small enough to stay in the processor's cache."""

PIECE = 1 << 24
"""A plain file at least this long is read by several threads."""


@dataclass(frozen=True, eq=False)
class Scan:
    """What the kernel found in a run.

    Attributes:
        table: one row a judged document that was returned (fields query, doc, rank, first, last, score); with
            `keep` also one for each unjudged document of the first ranks, numbered after the judged ones.
        returned: (queries,) how many documents were returned, -1 where the query was not answered.
        extra: ids of answered queries that are unjudged.
        rows: how many rows the run has.
        repeated: how many rows repeated a document of their query.
        interleaved: whether the rows of some query were scattered.
        unjudged: the ids of the unjudged documents that became rows.
        repeats: (queries,) how many rows of each repeat a document; None where no row of the run does.
    """

    table: NDArray[Any]
    returned: NDArray[np.int64]
    extra: tuple[bytes, ...]
    rows: int
    repeated: int
    interleaved: bool = False
    unjudged: Ids = NO_IDS
    repeats: NDArray[np.int64] | None = None


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
    """Read a run once (twice when its queries turn out to be interleaved).

    Args:
        threads: how many may read a large plain file; as many as there are processors by default.
        keep: unjudged documents up to this rank become rows too.
        every: queries that are not judged are read too, numbered after the judged ones, as `extra` names them.
        interleaved: whether the rows of a query are known to be scattered.

    Raises:
        InputError: a line, a score or a repeated document that the rules refuse.
    """
    if interleaved:
        return _scan_whole(run, Look(judged, rules, keep, every), interleaved=True)
    pieces = [] if every else _pieces(run.path, threads or processors())
    look = Look(judged, rules, keep, every)
    try:
        return _scan_pieces(run, look, pieces)
    except Refused as refused:
        if refused.kind != "interleaved":  # `explain` made errors of the others
            raise
        return _scan_whole(run, look, interleaved=True)


@dataclass(frozen=True)
class Look:
    """What a run is read for; the attributes are the arguments of `scan`."""

    judged: Judged
    rules: Rules
    keep: int
    every: bool

    def scanner(self, interleaved: bool = False) -> Scanner:
        """A scanner that looks for it."""
        rules = self.rules
        single = rules.score_precision == "single"
        duplicates = "count" if rules.duplicates == "once" else rules.duplicates
        return Scanner(self.judged, rules.ties, duplicates, single, interleaved, self.keep, self.every)


def count(run: Run, judged: Judged, thresholds: Thresholds, rules: Rules) -> None:
    """Count the rows of a run, in any order and without keeping any, between those that were found.

    Raises:
        InputError: a line or a score that cannot be read.
    """
    single = rules.score_precision == "single"
    _finished(run, Scanner(judged, duplicates="count", single=single, counting=thresholds))


def _scan_whole(run: Run, look: Look, interleaved: bool = False) -> Scan:
    scanner = look.scanner(interleaved)
    table, returned = _finished(run, scanner)
    extra, unjudged = tuple(scanner.extra_queries), Ids(*scanner.unjudged_ids)
    repeats = scanner.repeats
    return Scan(table, returned, extra, scanner.rows, scanner.repeated, interleaved, unjudged, repeats)


def _finished(run: Run, scanner: Scanner) -> Found:
    """What a scanner finds in all of a run."""
    batch: Batch = b""
    before = 0
    try:
        for batch in each_once(run.batches(), run.name):
            before = scanner.line
            _push(scanner, batch)
            run.watch(len(batch) if isinstance(batch, bytes) else 0)
        return scanner.finish()
    except Refused as refused:
        raise explain(refused, scanner, run, _line(refused, before, batch)) from None
    except (TypeError, ValueError, OverflowError, RuntimeError) as error:
        raise InputError(unreadable(scanner.here[0], error), run.name) from None


def each_once(batches: Iterator[Batch], name: str | None) -> Iterator[Batch]:
    """The same batches; a query that two lists answer is refused, since their documents would tie."""
    first: dict[bytes, int] = {}
    for number, batch in enumerate(batches, 1):
        if isinstance(batch, Ranked):
            query = as_bytes(batch.query)
            place = batch.line or number
            if (before := first.setdefault(query, place)) != place:
                where = f"first in line {before}" if batch.line else f"lists {before} and {place}"
                raise InputError(
                    f"query {truncated(query)} comes twice ({where}); keep one of them", name, batch.line
                )
        yield batch


def _push(scanner: Scanner, batch: Batch) -> None:
    if isinstance(batch, dict):
        scanner.mapping(batch)
    elif isinstance(batch, Ranked):
        scanner.ranked(batch.query, batch.docs, batch.scores)
    elif isinstance(batch, Columns):
        scanner.columns(batch.query_ends, batch.query_text, batch.doc_ends, batch.doc_text, batch.scores)
    else:
        scanner.feed(batch)


def processors() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _pieces(path: Path | None, threads: int) -> list[tuple[int, int]]:
    """Byte ranges that begin where a query begins; one for each thread."""
    if path is None or threads < 2 or (size := path.stat().st_size) < PIECE:
        return []
    cuts = [0]
    with path.open("rb") as file:
        for i in range(1, threads):
            cut = _next_query(file, size * i // threads)
            if cut > cuts[-1]:
                cuts.append(cut)
    return list(zip(cuts, [*cuts[1:], size], strict=True))


def _next_query(file: Any, offset: int) -> int:
    """Where the first query after an offset begins."""
    file.seek(offset)
    file.readline()
    query: bytes | None = None
    while line := file.readline():
        fields = line.split(None, 1)
        if not fields or line.startswith(b"#"):
            continue
        if query is not None and fields[0] != query:
            return int(file.tell()) - len(line)
        query = fields[0]
    return int(file.tell())


def _scan_pieces(run: Run, look: Look, pieces: list[tuple[int, int]]) -> Scan:
    if len(pieces) < 2:
        return _scan_whole(run, look)
    assert run.path is not None
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(len(pieces)) as pool:
        tasks = [pool.submit(_scan_piece, run, look, piece) for piece in pieces]
        scanners, found = zip(*(task.result() for task in tasks), strict=True)
    del tasks
    tables, parts = map(list, zip(*found, strict=True))
    del found
    returned = _together(parts)
    extra = dict.fromkeys(name for scanner in scanners for name in scanner.extra_queries)
    rows, repeated = sum(scanner.rows for scanner in scanners), sum(scanner.repeated for scanner in scanners)
    unjudged = [Ids(*scanner.unjudged_ids) for scanner in scanners]
    table = _joined(tables, unjudged, look.judged.n_docs)
    repeats = _sum([scanner.repeats for scanner in scanners])
    return Scan(table, returned, tuple(extra), rows, repeated, unjudged=joined(unjudged), repeats=repeats)


def _sum(parts: Sequence[NDArray[np.int64] | None]) -> NDArray[np.int64] | None:
    """The sum of those that there are."""
    there = [part for part in parts if part is not None]
    return np.sum(there, axis=0) if there else None


def _together(parts: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """How many documents each query returned, of parts that answer different queries; the list is emptied.

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


def _joined(tables: list[NDArray[Any]], unjudged: Sequence[Ids], judged: int) -> NDArray[Any]:
    """The tables one after another, unjudged documents numbered on; each is freed when it is copied."""
    whole = np.empty(sum(map(len, tables)), tables[0].dtype)
    at = before = 0
    for ids in unjudged:
        table = tables.pop(0)
        whole[at : at + len(table)] = table
        if before and len(ids):
            docs = whole["doc"][at : at + len(table)]
            docs += before * (docs >= judged)
        at, before = at + len(table), before + len(ids)
    return whole


def _scan_piece(run: Run, look: Look, piece: tuple[int, int]) -> tuple[Scanner, Found]:
    scanner = look.scanner()
    buffer = bytearray(CHUNK)
    view = memoryview(buffer)
    offset, end = piece
    assert run.path is not None
    with run.path.open("rb", buffering=0) as file:
        file.seek(offset)
        try:
            while offset < end and (n := file.readinto(view[: min(CHUNK, end - offset)])):
                scanner.feed(view[:n])
                run.watch(n)
                offset += n
            found = scanner.finish()
        except Refused as refused:
            raise explain(refused, scanner, run, refused.line + _lines_before(run.path, piece[0])) from None
    return scanner, found


def _lines_before(path: Path, offset: int) -> int:
    lines = 0
    with path.open("rb") as file:
        while offset and (chunk := file.read(min(CHUNK, offset))):
            lines += chunk.count(b"\n")
            offset -= len(chunk)
    return lines


def explain(refused: Refused, scanner: Scanner, run: Run, line: int | None) -> Exception:
    """The error to raise for a row that the kernel refused; `line` is where it stands, if in a line."""
    if refused.kind == "interleaved":
        return refused
    if refused.kind == "duplicate":
        return _duplicate(scanner, run, line)
    fault = run_fault(refused, line)
    who = message("query {query}: {fault}", query=truncated(scanner.here[0]), fault=fault)
    return InputError(fault if line else who, run.name, line)


def _line(refused: Refused, before: int, batch: Batch) -> int | None:
    """The line that was refused in a batch; the scanner had read `before` of them when it came to the batch."""
    if isinstance(batch, Columns) and batch.lines is not None:
        return int(batch.lines[refused.line - before - 1])
    if isinstance(batch, Ranked):
        return batch.line
    return None if isinstance(batch, dict) else refused.line


def _duplicate(scanner: Scanner, run: Run, line: int | None) -> InputError:
    query, doc = scanner.here
    lines = list(itertools.islice(_lines_of(run, query, doc), 2))
    first, second = lines if len(lines) == 2 else (None, line)
    return repeated(query, doc, first if first != second else None, run.name, second)


def _lines_of(run: Run, query: bytes, doc: bytes) -> Iterator[int]:
    """The lines (or rows) that name a query and a document, found by reading the run again."""
    text: Any = run.batches()
    if isinstance(next(run.batches(), None), bytes):
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
