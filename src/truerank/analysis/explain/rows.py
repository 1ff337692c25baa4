"""The rows of a few queries, out of a run of millions: a run of these alone, which keeps its line numbers."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator

import numpy as np
from numpy.typing import NDArray

from truerank.core.faults import Interleaved
from truerank.core.kernel.scanning import as_bytes
from truerank.core.rankings import rankings
from truerank.core.run import Batch, Columns, Ranked, Run, has_calls
from truerank.formats.rows import text_column
from truerank.formats.source import MARK
from truerank.measures.sums import Ints

NO_CALLS = Columns(*text_column([]), *text_column([]), np.zeros(0), calls=np.zeros(0, np.int64))
"""No row, of a run that has several lists per query: a query that it does not answer has none of them."""


def only(run: Run, queries: Collection[bytes]) -> Run:
    """This run as if it answered only these queries; read once, and kept."""
    chosen = frozenset(queries)
    try:
        kept = list(_kept(run, chosen)) if queries else []
    except Interleaved:
        kept = list(_kept(run.whole(), chosen))
    return Run(run.name, lambda: iter(kept), files=lambda: [only(each, queries) for each in run.files()])


def answers(run: Run) -> Iterator[Ranked]:
    """What a run of few queries answers, ids as bytes; the empty lines cost nothing."""
    batches = (re.sub(rb"\n+", b"\n", batch) if isinstance(batch, bytes) else batch for batch in run.batches())
    return rankings(batches, run.name)


def _kept(run: Run, queries: frozenset[bytes]) -> Iterator[Batch]:
    is_of_calls = False
    for kind, batches in itertools.groupby(run.batches(), key=type):
        if kind is bytes:
            yield from _lines(batches, queries, run)  # type: ignore[arg-type]
            continue
        for batch in batches:
            is_of_calls = is_of_calls or has_calls(batch)
            if part := _part(batch, queries):
                yield part
    if is_of_calls:
        yield NO_CALLS


def _part(batch: Batch, queries: frozenset[bytes]) -> Batch | None:
    """What of a batch answers these queries."""
    if isinstance(batch, dict):
        return {query: docs for query, docs in batch.items() if as_bytes(query) in queries} or None
    if isinstance(batch, Ranked):
        return batch if as_bytes(batch.query) in queries else None
    assert isinstance(batch, Columns)
    return _rows(batch, queries)


def _lines(parts: Iterator[bytes], queries: frozenset[bytes], run: Run) -> Iterator[bytes]:
    """The lines of these queries; all others are empty."""
    line = re.compile(rb"\n[ \t]*(?:%b)[ \t][^\n]*" % b"|".join(map(re.escape, queries)))
    pieces = (_emptied(piece, line, queries) for piece in _pieces(parts, run))
    yield next(pieces)[1:]  # not the newline that was put before the first line
    yield from pieces
    yield b"\n"


def _pieces(parts: Iterator[bytes], run: Run) -> Iterator[bytes]:
    """Whole lines, each of which begins with its newline, many at a time."""
    rest = b"\n"
    for number, part in enumerate(parts):
        run.watch(len(part))
        rest += part if number else part.removeprefix(MARK)
        if cut := rest.rfind(b"\n"):
            yield rest[:cut]
            rest = rest[cut:]
    yield rest


def _emptied(text: bytes, line: re.Pattern[bytes], queries: frozenset[bytes]) -> bytes:
    """The text without what stands in the lines of other queries."""
    kept, end = [], 0
    is_there = any(query in text for query in queries)  # much faster than to look at every line
    for found in line.finditer(text) if is_there else ():
        kept += [b"\n" * text.count(b"\n", end, found.start()), found[0]]
        end = found.end()
    return b"".join([*kept, b"\n" * text.count(b"\n", end)])


def _rows(part: Columns, queries: frozenset[bytes]) -> Columns | None:
    rows = _of(part, queries)
    if not len(rows):
        return None
    query_ends, query_text = _picked(part.query_ends, part.query_text, part.queries[rows])
    doc_ends, doc_text = _picked(part.doc_ends, part.doc_text, rows)
    lines = None if part.lines is None else part.lines[rows]
    calls = None if part.calls is None else part.calls[rows]
    return Columns(
        query_ends, query_text, doc_ends, doc_text, part.scores[rows], lines, calls=calls, are_ranks=part.are_ranks
    )


def _of(part: Columns, queries: frozenset[bytes]) -> Ints:
    """The rows of these queries; only ids of the right length are looked at."""
    starts, lengths = part.query_ends[:-1], np.diff(part.query_ends)
    text = np.frombuffer(part.query_text, np.uint8)
    same = [np.empty(0, np.int64)]
    for query in queries:
        ids = np.flatnonzero(lengths == len(query))
        for place, letter in enumerate(query):
            ids = ids[text[starts[ids] + place] == letter]
        same.append(ids)
    return np.flatnonzero(np.isin(part.queries, np.concatenate(same)))


def _picked(ends: Ints, text: NDArray[np.uint8] | bytes, rows: Ints) -> tuple[Ints, bytes]:
    """The cells of these rows, as ends and text."""
    raw = bytes(text)
    return text_column([raw[a:b] for a, b in zip(ends[rows].tolist(), ends[rows + 1].tolist(), strict=True)])
