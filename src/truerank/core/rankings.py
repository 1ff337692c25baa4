"""A run as whole rankings in Python, for what looks at every row: writers, lint, a contest's audit."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank.core._kernel import as_bytes
from truerank.core.errors import InputError, Refused, truncated
from truerank.core.faults import run_fault
from truerank.core.run import Batch, Columns, Ranked


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
    queries, docs = columns_ids(part)
    return _stretches(list(queries), list(docs), part.scores.tolist())


def _stretches(queries: list[bytes], docs: list[bytes], scores: list[float]) -> Iterator[Stretch]:
    turns = [i for i, (one, next) in enumerate(itertools.pairwise(queries), 1) if one != next]
    for a, b in itertools.pairwise([0, *turns, len(queries)]):
        if b > a:
            yield queries[a], docs[a:b], scores[a:b]


def columns_ids(part: Columns) -> tuple[Iterator[bytes], Iterator[bytes]]:
    """The query and the document of each row."""
    queries, docs = cut(part.query_ends, part.query_text), cut(part.doc_ends, part.doc_text)
    return queries if part.runs is None else map(list(queries).__getitem__, part.queries.tolist()), docs


def cut(ends: NDArray[np.int64], text: NDArray[np.uint8] | bytes) -> Iterator[bytes]:
    """The ids in a text, by their ends."""
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
        raise InputError("'{text}' is no score: it should be a finite number", name, line, text=truncated(text))
    return score


def lines(parts: Iterator[bytes]) -> Iterator[bytes]:
    """The lines of a text, without their newlines."""
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
