"""A run as whole rankings in Python, for code that looks at every row: writers, lint, a contest's audit."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from truerank.core.errors import InputError, Refused, truncated
from truerank.core.faults import run_fault
from truerank.core.kernel.scanning import as_bytes
from truerank.core.run import Batch, Columns, Ranked


def rankings(batches: Iterator[Batch], name: str | None = None) -> Iterator[Ranked]:
    """One `Ranked` for each run of rows of one list, all ids as bytes. Slower than the kernel.

    Args:
        name: the run's name, for messages.
    """
    for (kind, *negated), group in itertools.groupby(batches, key=_kind):
        parts: Iterator[Any] = group
        if kind is dict:
            yield from (_ranked(Ranked(q, list(d), list(d.values()))) for part in parts for q, d in part.items())
        elif kind is Ranked:
            yield from map(_ranked, parts)
        else:
            stretches = map(_column_stretches, parts) if kind is Columns else _text_stretches(parts, name)
            yield from _joined(itertools.chain.from_iterable(stretches), *negated)


def _kind(batch: Batch) -> tuple[type[Batch], bool, bool]:
    return (
        (Columns, batch.are_ranks, batch.are_distances)
        if isinstance(batch, Columns)
        else (type(batch), False, False)
    )


def _ranked(part: Ranked) -> Ranked:
    return part._replace(query=as_bytes(part.query), docs=list(map(as_bytes, part.docs)))


Stretch = tuple[bytes, int | None, list[bytes], list[float]]
"""Rows of one list: the id of its query, its call where there are several lists, documents and scores."""


def _joined(stretches: Iterator[Stretch], are_ranks: bool, are_distances: bool) -> Iterator[Ranked]:
    """The stretches, with those of one list joined where they follow each other."""
    for (query, call), group in itertools.groupby(stretches, key=itemgetter(0, 1)):
        _, _, docs, scores = zip(*group, strict=True)
        rows = [doc for part in docs for doc in part], [score for part in scores for score in part]
        yield Ranked(query, *rows, call=call, are_ranks=are_ranks, are_distances=are_distances)


def _column_stretches(part: Columns) -> Iterator[Stretch]:
    queries, docs = columns_ids(part)
    if part.calls is None:
        yield from _stretches(list(queries), list(docs), part.scores.tolist())
        return
    lists = list(zip(queries, part.calls.tolist(), strict=True))
    for (query, call), rows, scores in _turns(lists, list(docs), part.scores.tolist()):
        yield query, call, rows, scores


def _stretches(queries: list[bytes], docs: list[bytes], scores: list[float]) -> Iterator[Stretch]:
    return ((query, None, *rows) for query, *rows in _turns(queries, docs, scores))


def _turns(
    keys: list[Any], docs: list[bytes], scores: list[float]
) -> Iterator[tuple[Any, list[bytes], list[float]]]:
    """Each stretch of rows with the same key."""
    turns = [i for i, (one, next) in enumerate(itertools.pairwise(keys), 1) if one != next]
    for a, b in itertools.pairwise([0, *turns, len(keys)]):
        if b > a:
            yield keys[a], docs[a:b], scores[a:b]


def columns_ids(part: Columns) -> tuple[Iterator[bytes], Iterator[bytes]]:
    """The query and the document of each row."""
    queries, docs = cut(part.query_ends, part.query_text), cut(part.doc_ends, part.doc_text)
    return queries if part.runs is None else map(list(queries).__getitem__, part.queries.tolist()), docs


def are_ranks(batch: Batch) -> TypeGuard[Columns | Ranked]:
    """Whether documents of a batch have an order and no scores: the kernel then numbers them."""
    if isinstance(batch, Ranked):
        return (batch.are_ranks or batch.scores is None) and len(batch.docs) > 0
    return isinstance(batch, Columns) and batch.are_ranks and len(batch.scores) > 0


def without_scores(batch: Batch) -> Iterable[bytes]:
    """The queries of a batch whose documents have an order but no scores."""
    if not are_ranks(batch):
        return ()
    return (as_bytes(batch.query),) if isinstance(batch, Ranked) else columns_ids(batch)[0]


def cut(ends: NDArray[np.int64], text: NDArray[np.uint8] | bytes) -> Iterator[bytes]:
    """The ids in a text, cut at their ends."""
    raw = bytes(text)
    return (raw[a:b] for a, b in itertools.pairwise(ends.tolist()))


def _text_stretches(parts: Iterator[bytes], name: str | None) -> Iterator[Iterator[Stretch]]:
    lines_before = 0
    for block in _blocks(parts):
        cells = block.replace(b"\n", b" \0 ").split()
        n = block.count(b"\n")
        if len(cells) == 7 * n and cells[6::7].count(b"\0") == n and b"\n#" not in b"\n" + block:
            yield _stretches(cells[::7], cells[2::7], _scores(cells[4::7], name, lines_before + 1))
        else:
            rows = _text_rows(block.split(b"\n"), name, lines_before)
            yield ((query, None, [doc], [score]) for query, doc, score in rows)
        lines_before += n


def _text_rows(lines: list[bytes], name: str | None, before: int) -> Iterator[tuple[bytes, bytes, float]]:
    for number, line in enumerate(lines, before + 1):
        fields = line.split()
        if len(fields) == 6 and not line.startswith(b"#"):
            yield fields[0], fields[2], score_of(fields[4], name, number)
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
    return [score_of(text, name, number) for number, text in enumerate(texts, line)]


def score_of(text: bytes, name: str | None, line: int) -> float:
    """The score of a line, from its text."""
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if not math.isfinite(score) or b"_" in text:
        raise InputError("'{text}' is no score: it should be a finite number", name, line, text=truncated(text))
    return score


def with_lines(batches: Iterator[Batch], lines: list[int | None]) -> Iterator[Batch]:
    """The batches; after each, `lines` holds the line of each of its rows, or None where it has no lines."""
    for kind, group in itertools.groupby(batches, key=type):
        parts: Iterator[Any] = group
        before = 0
        wholes: Iterator[Any] = _blocks(parts) if kind is bytes else parts
        for part in wholes:
            if kind is bytes:
                numbered = enumerate(part.split(b"\n"), before + 1)
                lines += [number for number, line in numbered if line.split() and not line.startswith(b"#")]
                before += part.count(b"\n")
            elif kind is Columns:
                lines += [None] * len(part.scores) if part.lines is None else part.lines.tolist()
            else:
                lines += [part.line if kind is Ranked else None] * _rows(part)
            yield part


def _rows(part: Any) -> int:
    return len(part.docs) if isinstance(part, Ranked) else sum(map(len, part.values()))


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
