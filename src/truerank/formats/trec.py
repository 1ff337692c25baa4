"""TREC's own: `query iteration document grade` and `query Q0 document rank score tag` lines."""

from __future__ import annotations

import itertools
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, BinaryIO

import numpy as np

from truerank.core.errors import InputError, Refused, quoted, truncated
from truerank.core.faults import qrels_fault, run_fault
from truerank.core.kernel.scanning import QrelsParser
from truerank.core.messages import message
from truerank.core.qrels import Qrels
from truerank.core.rankings import score_of
from truerank.core.run import Batch, Piece, Ranked
from truerank.formats.compression import CHUNK
from truerank.formats.registry import Format, register
from truerank.formats.rows import columns
from truerank.formats.source import MARK, Source

PIECE = 1 << 24
"""A plain file at least this long is read by several threads: on a shorter one they save less than they cost."""

TIME = 1e8
"""Seconds since 1970, in 1973: a grade that no scale of relevance has, and a time that logs of ratings do."""

_WIDTHS = {4: "qrels", 6: "run"}
_WHOLE = re.compile(rb"[-+]?\d+")
_UNFIT = re.compile(rb"[\0- ]")  # a blank or control character
_UNFIT_START = (b"#", MARK)  # of a line: of a comment, and of a byte order mark


def sniff(head: bytes, name: str) -> float:
    """Lines of four or six columns between blanks; with little confidence any text, for want of a better reader."""
    if b"\0" in head:
        return 0.0
    return 0.6 if _widths(head) <= {4, 6} else 0.1


def holds(source: Source) -> str | None:
    """What a file holds, a run or judgements, as the number of its columns tells."""
    widths = _widths(source.head)
    return _WIDTHS.get(widths.pop()) if len(widths) == 1 else None


def _widths(head: bytes) -> set[int]:
    """How many columns the first lines have."""
    return set(map(len, _first(head)))


def _first(head: bytes) -> list[list[bytes]]:
    """The cells of the first lines."""
    lines = [line for line in head.split(b"\n")[:6] if line.strip() and not line.startswith(b"#")]
    return [line.split() for line in lines[:5]]


def read_run(source: Source) -> Iterator[Batch]:
    """The text as it is, for the kernel."""
    return source.chunks()


def sniff_strata(head: bytes, name: str) -> float:
    """Lines of five columns; the second is an iteration, where a run has Q0, and the last is a grade."""
    lines = _first(head)
    if set(map(len, lines)) != {5}:
        return 0.0
    return 0.7 if all(_WHOLE.fullmatch(cell) for line in lines for cell in (line[1], line[4])) else 0.0


def read_strata(source: Source) -> Qrels:
    """Judgements of samples of strata; the strata stand in place of aspects."""
    qrels = _judgements(source, _without_dummies(source))
    qrels = qrels if qrels.aspects else qrels.of_one_aspect()
    assert qrels.aspects is not None
    return replace(qrels, aspects=replace(qrels.aspects, is_named=True))


def _without_dummies(source: Source) -> Iterator[bytes]:
    """Lines of query, stratum, document and grade."""
    for first, block in source.blocks():
        lines = block.split(b"\n")
        for number, line in enumerate(lines):
            cells = line.split()
            if not cells or line.startswith(b"#"):
                continue
            if len(cells) != 5:
                raise InputError(
                    "a line of strata has 5 columns (query 0 document stratum grade); this one has {n}",
                    source.name,
                    first + number,
                    n=len(cells),
                )
            lines[number] = b" ".join((cells[0], cells[3], cells[2], cells[4]))
        yield b"\n".join(lines)


def read_qrels(source: Source) -> Qrels:
    """Judgements, by the kernel's parser.

    Raises:
        InputError: a line is not a judgement; all grades are times.
    """
    qrels = _judgements(source, source.chunks())
    if qrels.grades.min(initial=TIME) >= TIME and len(qrels.grades):
        raise InputError(
            "the fourth column holds no grades, but times such as {grade:.0f}: where the columns are user, item, "
            "rating and time, as in MovieLens, name them in a first line (user_id item_id rating timestamp, with "
            "tabs between)",
            source.name,
            grade=qrels.grades[0],
        )
    return qrels


def _judgements(source: Source, chunks: Iterable[bytes]) -> Qrels:
    parser = QrelsParser()
    try:
        for number, chunk in enumerate(chunks):
            parser.feed(chunk)
            if number == 0 and len(chunk) == CHUNK and source.path:
                parser.expect(os.path.getsize(source.path) / CHUNK)
        queries, query, ends, text, grades, lines, answered = parser.finish()
        second = parser.one_second
    except Refused as refused:
        raise InputError(qrels_fault(refused, refused.line), source.name, refused.line) from None
    del parser  # and its memory
    bounds = np.concatenate([np.zeros(1, np.int64), ends])  # one array for the begins and ends of ids
    del ends
    lines = lines.astype(np.min_scalar_type(-lines.max(initial=0)))  # half the memory
    rows = query, bounds[:-1], bounds[1:], text, np.zeros(len(query)) if grades is None else grades
    qrels = Qrels.build(queries, *rows, name=source.name, lines=lines, answered=answered)
    if qrels.aspects is None:
        return replace(qrels, second=second)
    return replace(qrels, aspects=replace(qrels.aspects, is_named=False))  # the rules say what it means


def read_calls(source: Source) -> Iterator[Batch]:
    """A run whose second column is the call that returned a document."""
    for first, block in source.blocks():
        cells = [(line, text.split()) for line, text in enumerate(block.split(b"\n"), first)]
        rows = [(line, fields) for line, fields in cells if fields and not fields[0].startswith(b"#")]
        for line, fields in rows:
            if len(fields) != 6:
                raise InputError(run_fault(Refused("fields", line, len(fields))), source.name, line)
        calls = np.array([_call(fields[1], source.name, line) for line, fields in rows], np.int64)
        scores = [score_of(fields[4], source.name, line) for line, fields in rows]
        queries, docs = ([fields[place] for _, fields in rows] for place in (0, 2))
        yield columns(queries, docs, scores, [line for line, _ in rows], calls)


def _call(text: bytes, name: str, line: int) -> int:
    if not text.isdigit() or len(text) > 15:
        raise InputError(
            "the second column holds '{text}', which is no number of a call; calls are numbered from 1",
            name,
            line,
            text=truncated(text),
        )
    return int(text)


def write_run(run: Iterable[Ranked], file: BinaryIO, tag: str) -> None:
    """Six columns, scores with all their digits; the second one is the call where there are calls.

    The ranks of a query whose rows are scattered are continued.
    """
    end = tag.encode("utf-8", "surrogateescape")
    ranks: Counter[tuple[bytes, int | None]] = Counter()
    for part in run:
        _check_ids(part.query, part.docs)
        before = ranks[part.query, part.call]
        ranks[part.query, part.call] += len(part.docs)
        rows = enumerate(zip(part.docs, part.numbers(), strict=True), before + 1)
        start = b"%b Q0" % part.query if part.call is None else b"%b %d" % (part.query, part.call)
        file.write(b"".join([b"%b %b %d %a %b\n" % (start, doc, i, score, end) for i, (doc, score) in rows]))


def write_qrels(qrels: Qrels, file: BinaryIO) -> None:
    """Four columns, the second of which is the aspect; whole grades without a point."""
    for number, query in enumerate(qrels.queries):
        rows = [(doc, b"0" if aspect is None else aspect, grade) for doc, aspect, grade, _ in qrels.rows_of(number)]
        _check_ids(query, [name for doc, aspect, _ in rows for name in (doc, aspect)])
        lines = ((query, aspect, doc, decimal(grade).encode()) for doc, aspect, grade in rows)
        file.write(b"".join([b"%b %b %b %b\n" % line for line in lines]))


def decimal(grade: float) -> str:
    """The shortest text that reads back as the same number; whole ones without a point."""
    return str(int(grade)) if grade.is_integer() and abs(grade) < 1e16 else repr(grade)


def _check_ids(query: bytes, docs: Iterable[bytes]) -> None:
    """Raise where ids cannot stand in columns."""
    names = [query, *docs]
    if b"" in names or query.startswith(_UNFIT_START) or _UNFIT.search(b"!".join(names)):
        unfit = next((name for name in names if not name or _UNFIT.search(name)), query)
        raise InputError(
            "TREC's columns cannot hold the id '{id}': it is empty, has a blank or begins with # or U+FEFF",
            id=truncated(unfit),
        )


def cut_run(source: Source, threads: int) -> list[Piece]:
    """Pieces of a plain file, each from where a query begins."""
    path = source.path
    if path is None or (size := os.path.getsize(path)) < PIECE:
        return []
    cuts = [0]
    with open(path, "rb") as file:
        for i in range(1, threads):
            cut = _next_query(file, size * i // threads)
            if cut > cuts[-1]:
                cuts.append(cut)
    return [partial(Source(path).part, *piece, size) for piece in itertools.pairwise([*cuts, size])]


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


TREC = Format(
    "trec",
    message("columns with blanks between: query Q0 document rank score tag; query 0 document grade"),
    sniff,
    holds,
    (".run", ".qrels", ".trec", ".txt"),
    read_run,
    read_qrels,
    write_run,
    write_qrels,
    holds_aspects=True,
    cut_run=cut_run,
    options=lambda *, second="": configured(second),
)


def configured(second: str) -> Format:
    """The format for runs whose second column is the "call"."""
    if second != "call":
        raise InputError("second is 'call', not {value}", value=quoted(second))
    return TREC._replace(name="trec(second='call')", read_run=read_calls, cut_run=None)


register(TREC)
register(
    Format(
        "strata",
        message("qrels with blanks between: query 0 document stratum grade; below 0: in the pool, not judged"),
        sniff_strata,
        lambda source: "qrels",
        read_qrels=read_strata,
    )
)
