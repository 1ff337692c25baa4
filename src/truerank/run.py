"""Run: what a system answered, as a source that is not yet read; `scan` reads it through the kernel."""

from __future__ import annotations

import itertools
import math
import os
import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank._kernel import Judged, Scanner, as_bytes
from truerank.errors import InputError, Refused, brief
from truerank.rules import Rules

CHUNK = 1 << 18
"""Bytes read at once: small enough to stay in the processor's cache."""

PIECE = 1 << 24
"""A plain file at least this long is read by several threads."""


@dataclass(frozen=True)
class Columns:
    """Rows as columns: text as (rows + 1,) ends and its bytes, scores as (rows,) float64.

    Attributes:
        lines: (rows,) the line of each row in its file; None where rows are counted.
    """

    query_ends: NDArray[np.int64]
    query_text: NDArray[np.uint8] | bytes
    doc_ends: NDArray[np.int64]
    doc_text: NDArray[np.uint8] | bytes
    scores: NDArray[np.float64]
    lines: NDArray[np.int64] | None = None


@dataclass(frozen=True)
class Ranked:
    """One query's documents, best first, or with a score each; and the line they stand in, if in one."""

    query: Any
    docs: Sequence[Any]
    scores: Sequence[float] | None = None
    line: int | None = None

    def numbers(self) -> list[float]:
        """A score for each document; without scores the last one gets 1, the one before it 2, …"""
        try:  # as the kernel reads them: text is no number
            return array("d", range(len(self.docs), 0, -1) if self.scores is None else self.scores).tolist()
        except (TypeError, OverflowError) as error:
            raise InputError(_unreadable(as_bytes(self.query), error), None, self.line) from None


Batch = bytes | Columns | Ranked | dict[Any, Any]
"""What the kernel has a door for: TREC lines, columns, one ranking, a dict of dicts."""


@dataclass(frozen=True, eq=False)
class Run:
    """What a system answered.

    Attributes:
        name: what to call it in tables and messages: a path or a given name.
        batches: opens the source anew and yields its parts.
        path: the plain TREC file behind it, if that is what it is, which threads may read.
        watch: told how many bytes more were read, for a progress bar.
    """

    name: str
    batches: Callable[[], Iterator[Batch]] = field(repr=False)
    path: Path | None = None
    watch: Callable[[int], None] = field(default=lambda size: None, repr=False)


@dataclass(frozen=True, eq=False)
class Scan:
    """What the kernel found in a run.

    Attributes:
        table: one row a judged document that came back (fields query, doc, rank, first, last, score).
        returned: (queries,) how many documents came back, -1 where the query was not answered.
        extra: ids of answered queries that nobody judged.
        rows: how many rows the run has.
        repeated: how many rows repeated a document of their query.
        interleaved: whether the rows of some query were scattered.
    """

    table: NDArray[Any]
    returned: NDArray[np.int64]
    extra: tuple[bytes, ...]
    rows: int
    repeated: int
    interleaved: bool = False

    def crediting_once(self) -> Scan:
        """The same without the later rows of a repeated document, whose ranks stay taken."""
        _, first = np.unique(self.table["doc"], return_index=True)
        return replace(self, table=self.table[np.sort(first)])


def scan(run: Run, judged: Judged, rules: Rules, threads: int | None = None) -> Scan:
    """Read a run once (twice when its queries turn out to be interleaved).

    Args:
        threads: how many may read a large plain file; as many as there are processors by default.

    Raises:
        InputError: a line, a score or a repeated document that the rules refuse.
    """
    pieces = _pieces(run.path, threads or processors())
    try:
        found = _scan_pieces(run, judged, rules, pieces)
    except Refused as refused:
        if refused.kind != "interleaved":  # `explain` made errors of the others
            raise
        found = _scan_whole(run, judged, rules, interleaved=True)
    return found.crediting_once() if rules.duplicates == "once" else found


def _scanner(judged: Judged, rules: Rules, interleaved: bool = False) -> Scanner:
    single = rules.score_precision == "single"
    duplicates = "count" if rules.duplicates == "once" else rules.duplicates
    return Scanner(judged, rules.ties, duplicates, single, interleaved)


def _scan_whole(run: Run, judged: Judged, rules: Rules, interleaved: bool = False) -> Scan:
    scanner = _scanner(judged, rules, interleaved)
    batch: Batch = b""
    before = 0
    try:
        for batch in each_once(run.batches(), run.name):
            before = scanner.line
            _push(scanner, batch)
            run.watch(len(batch) if isinstance(batch, bytes) else 0)
        table, returned = scanner.finish()
    except Refused as refused:
        raise explain(refused, scanner, run, _line(refused, before, batch)) from None
    except (TypeError, ValueError, OverflowError, RuntimeError) as error:
        raise InputError(_unreadable(scanner.here[0], error), run.name) from None
    return Scan(table, returned, tuple(scanner.extra_queries), scanner.rows, scanner.repeated, interleaved)


def each_once(batches: Iterator[Batch], name: str | None) -> Iterator[Batch]:
    """The same batches; a query that two lists answer is refused, since their documents would tie."""
    first: dict[bytes, int] = {}
    for number, batch in enumerate(batches, 1):
        if isinstance(batch, Ranked):
            query = as_bytes(batch.query)
            place = batch.line or number
            if (before := first.setdefault(query, place)) != place:
                where = f"first in line {before}" if batch.line else f"lists {before} and {place}"
                raise InputError(f"query {brief(query)} comes twice ({where}); keep one of them", name, batch.line)
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


def _scan_pieces(run: Run, judged: Judged, rules: Rules, pieces: list[tuple[int, int]]) -> Scan:
    if len(pieces) < 2:
        return _scan_whole(run, judged, rules)
    assert run.path is not None
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(len(pieces)) as pool:
        tasks = [pool.submit(_scan_piece, run, judged, rules, piece) for piece in pieces]
        scanners, found = zip(*(task.result() for task in tasks), strict=True)
    tables, returned = zip(*found, strict=True)
    if (np.sum([part >= 0 for part in returned], axis=0) > 1).any():
        raise Refused("interleaved", 0)
    extra = dict.fromkeys(name for scanner in scanners for name in scanner.extra_queries)
    rows, repeated = sum(scanner.rows for scanner in scanners), sum(scanner.repeated for scanner in scanners)
    return Scan(np.concatenate(tables), np.max(returned, axis=0), tuple(extra), rows, repeated)


def _scan_piece(
    run: Run, judged: Judged, rules: Rules, piece: tuple[int, int]
) -> tuple[Scanner, tuple[NDArray[Any], NDArray[np.int64]]]:
    scanner = _scanner(judged, rules)
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


def _unreadable(query: bytes, error: Exception) -> str:
    why = str(error).replace("must be real number, not", "a score is a number, not")
    return f"the answer to query {brief(query)} cannot be read: {why}"


def explain(refused: Refused, scanner: Scanner, run: Run, line: int | None) -> Exception:
    """The error to raise for a row that the kernel refused; `line` is where it stands, if in a line."""
    if refused.kind == "interleaved":
        return refused
    if refused.kind == "duplicate":
        return _duplicate(scanner, run, line)
    who = "" if line else f"query {brief(scanner.here[0])}: "
    return InputError(who + run_fault(refused) + header_hint(refused.kind, line), run.name, line)


def header_hint(kind: str, line: int | None) -> str:
    """What to do about a first line without a number: it may name the columns."""
    return "; if this line names the columns, remove it" if kind == "number" and line == 1 else ""


def _line(refused: Refused, before: int, batch: Batch) -> int | None:
    """The line that was refused in a batch; the scanner had read `before` of them when it came to the batch."""
    if isinstance(batch, Columns) and batch.lines is not None:
        return int(batch.lines[refused.line - before - 1])
    if isinstance(batch, Ranked):
        return batch.line
    return None if isinstance(batch, dict) else refused.line


_FAULTS = {
    "control": "this line holds a control character: the file is binary, damaged, or not in this format",
    "long": "this line is longer than 1 MiB: the file is binary, or not in this format",
}


def run_fault(refused: Refused) -> str:
    """What is wrong with a line of a run."""
    if refused.kind == "fields":
        found = "more" if refused.columns > 6 else refused.columns
        swapped = ", as qrels do: are the two files swapped?" if found == 4 else ""
        return f"a run line has 6 columns (query Q0 document rank score tag); this one has {found}{swapped}"
    return {"number": "the score is no number", "not finite": "the score is not a finite number", **_FAULTS}[
        refused.kind
    ]


def qrels_fault(refused: Refused) -> str:
    """What is wrong with a line of qrels."""
    if refused.kind == "fields":
        found = "more, as a run does: are the two files swapped?" if refused.columns > 4 else refused.columns
        return f"a qrels line has 4 columns (query iteration document grade); this one has {found}"
    return {"number": "the grade is no number", "not finite": "the grade is not a finite number", **_FAULTS}[
        refused.kind
    ]


def _duplicate(scanner: Scanner, run: Run, line: int | None) -> InputError:
    query, doc = scanner.here
    who = f"document {brief(doc)} comes back twice for query {brief(query)}"
    lines = list(itertools.islice(_lines_of(run, query, doc), 2))
    first, second = lines if len(lines) == 2 else (None, line)
    where = f" (first in line {first})" if first and first != second else ""
    mend = "mend the run, or say which one counts: duplicates = first or last (--set duplicates=first)"
    return InputError(f"{who}{where}; {mend}", run.name, second)


def _lines_of(run: Run, query: bytes, doc: bytes) -> Iterator[int]:
    """The lines (or rows) that name a query and a document, found by reading the run again."""
    text: Any = run.batches()
    if isinstance(next(run.batches(), None), bytes):
        pattern = re.compile(rb"[ \t]*%b[ \t]+[^ \t]+[ \t]+%b[ \t]" % (re.escape(query), re.escape(doc)))
        yield from (number for number, line in enumerate(_lines(text), 1) if pattern.match(line))
        return
    rows = 0
    for batch in run.batches():
        if isinstance(batch, Columns):
            lines = range(rows + 1, rows + 1 + len(batch.scores)) if batch.lines is None else batch.lines.tolist()
            yield from (line for line, *names in zip(lines, *_ids(batch), strict=True) if names == [query, doc])
            rows += len(batch.scores)
        elif isinstance(batch, Ranked) and batch.line and as_bytes(batch.query) == query:
            yield from (batch.line for other in batch.docs if as_bytes(other) == doc)


def rankings(batches: Iterator[Batch], name: str | None = None) -> Iterator[Ranked]:
    """One `Ranked` for each stretch of rows of one query, all ids as bytes. Slower than the kernel's doors.

    Args:
        name: the run's name, for messages.
    """
    for kind, group in itertools.groupby(batches, key=type):
        parts: Iterator[Any] = group
        if kind is dict:
            yield from (_ranked(Ranked(q, list(d), list(d.values()))) for part in parts for q, d in part.items())
        elif kind is Ranked:
            yield from map(_ranked, parts)
        else:
            stretches = map(_column_stretches, parts) if kind is Columns else _text_stretches(parts, name)
            yield from _joined(itertools.chain.from_iterable(stretches))


def _ranked(part: Ranked) -> Ranked:
    return Ranked(as_bytes(part.query), list(map(as_bytes, part.docs)), part.scores, part.line)


Stretch = tuple[bytes, list[bytes], list[float]]
"""Rows of one query: its id, documents and scores."""


def _joined(stretches: Iterator[Stretch]) -> Iterator[Ranked]:
    """Stretches of one query that follow each other as one."""
    for query, group in itertools.groupby(stretches, key=itemgetter(0)):
        _, docs, scores = zip(*group, strict=True)
        yield Ranked(query, [doc for part in docs for doc in part], [score for part in scores for score in part])


def _column_stretches(part: Columns) -> Iterator[Stretch]:
    queries, docs = _ids(part)
    return _stretches(list(queries), list(docs), part.scores.tolist())


def _stretches(queries: list[bytes], docs: list[bytes], scores: list[float]) -> Iterator[Stretch]:
    turns = [i for i, (one, next) in enumerate(itertools.pairwise(queries), 1) if one != next]
    for a, b in itertools.pairwise([0, *turns, len(queries)]):
        if b > a:
            yield queries[a], docs[a:b], scores[a:b]


def _ids(part: Columns) -> tuple[Iterator[bytes], Iterator[bytes]]:
    """The query and the document of each row."""
    return _cut(part.query_ends, part.query_text), _cut(part.doc_ends, part.doc_text)


def _cut(ends: NDArray[np.int64], text: NDArray[np.uint8] | bytes) -> Iterator[bytes]:
    raw = bytes(text)
    return (raw[a:b] for a, b in itertools.pairwise(ends.tolist()))


def _text_stretches(parts: Iterator[bytes], name: str | None) -> Iterator[Iterator[Stretch]]:
    lines_before = 0
    for block in _blocks(parts):
        cells = block.replace(b"\n", b" \0 ").split()
        n = block.count(b"\n")
        if len(cells) == 7 * n and cells[6::7].count(b"\0") == n and b"#" not in block:
            yield _stretches(cells[::7], cells[2::7], _scores(cells[4::7], name, lines_before + 1))
        else:
            rows = _text_rows(block.split(b"\n"), name, lines_before)
            yield ((query, [doc], [score]) for query, doc, score in rows)
        lines_before += n


def _text_rows(lines: list[bytes], name: str | None, before: int) -> Iterator[tuple[bytes, bytes, float]]:
    for number, line in enumerate(lines, before + 1):
        fields = line.split()
        if len(fields) == 6 and not line.startswith(b"#"):
            yield fields[0], fields[2], _score(fields[4], name, number)
        elif fields and not line.startswith(b"#"):
            raise InputError(run_fault(Refused("fields", number, len(fields))), name, number)


def _scores(texts: list[bytes], name: str | None, line: int) -> list[float]:
    """The scores of lines from this one on."""
    try:
        scores = list(map(float, texts))
    except ValueError:
        scores = [math.nan]
    if math.isfinite(sum(scores)) and b"_" not in b"".join(texts):
        return scores
    return [_score(text, name, number) for number, text in enumerate(texts, line)]


def _score(text: bytes, name: str | None, line: int) -> float:
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if not math.isfinite(score) or b"_" in text:
        raise InputError(f"'{brief(text)}' is no score: it should be a finite number", name, line)
    return score


def _lines(parts: Iterator[bytes]) -> Iterator[bytes]:
    for block in _blocks(parts):
        yield from block[:-1].split(b"\n")


def _blocks(parts: Iterator[bytes]) -> Iterator[bytes]:
    """Whole lines, many at a time, without a byte order mark."""
    rest = next(parts, b"").removeprefix(b"\xef\xbb\xbf")
    for part in parts:
        cut = part.rfind(b"\n") + 1
        if cut:
            yield rest + part[:cut]
        rest = part[cut:] if cut else rest + part
    if rest:
        yield rest if rest.endswith(b"\n") else rest + b"\n"
