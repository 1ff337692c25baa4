"""Judgements and answers out of any source, for the checks: whole queries, each row with its number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, compress, count, groupby, islice, pairwise
from math import isfinite
from operator import attrgetter, ne
from typing import Any

import numpy as np

from truerank.analysis.lint.checks import Answer, Judgements, first_line
from truerank.analysis.lint.findings import Log, printed
from truerank.analysis.lint.text import QRELS, RUN, columns, is_number
from truerank.core.kernel.rows import Rows, columns_of, rows_of
from truerank.core.kernel.rows import joined as joined_rows
from truerank.core.messages import Message, message
from truerank.core.qrels import Qrels
from truerank.core.rankings import rankings
from truerank.core.run import Batch, Columns, Ranked


class ScatteredError(Exception):
    """The rows of some query do not stand together."""


def judgements_from_text(chunks: Iterable[bytes], log: Log) -> Iterator[Judgements]:
    """The judgements of TREC text; those without a readable grade go to the log."""
    for block in columns(chunks, QRELS, log):
        *_, texts, lines = block
        grades: Sequence[Any] | None = _finite(texts)
        if grades is None:
            grades = [_number(text, "grade", line, log) for text, line in zip(texts, lines, strict=True)]
            good = [grade is not None for grade in grades]
            *block, grades = (list(compress(column, good)) for column in (*block, grades))
        queries, aspects, docs, _, lines = block
        for a, b in _stretches(queries):
            yield Judgements(queries[a], docs[a:b], grades[a:b], lines[a:b], aspects[a:b])


def _stretches(queries: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    """Where each stretch of rows of one query begins and ends."""
    turns = compress(count(1), map(ne, queries, islice(queries, 1, None)))
    return pairwise([0, *turns, len(queries)] if queries else [])


def judgements_of(qrels: Qrels) -> Iterator[Judgements]:
    """The judgements of qrels that were read already, in the order of their lines where these are known."""
    grades, query, lines = qrels.grades.tolist(), qrels.query.tolist(), qrels.lines
    order = range(len(grades)) if lines is None else lines.argsort(kind="stable").tolist()
    for number, group in groupby(order, key=query.__getitem__):
        rows = list(group)
        nothing = [None] * len(rows)
        places = nothing if lines is None else lines[rows].tolist()
        docs = list(map(qrels.doc, rows))
        yield Judgements(qrels.queries[number], docs, [grades[row] for row in rows], places, nothing)
    for number in np.flatnonzero(np.diff(qrels.start) == 0).tolist():
        yield Judgements(qrels.queries[number], [], [], [], [])


def answers_from_text(chunks: Iterable[bytes], log: Log) -> Iterator[Answer | Rows]:
    """An answer for each stretch of lines of one query; those without a readable score go to the log."""
    for answer in _joined(chain.from_iterable(_cut(block, log) for block in columns(chunks, RUN, log, rows_of))):
        if answer.size:
            yield answer


def _cut(block: Any, log: Log) -> Iterator[Answer | Rows]:
    """An answer for each stretch of rows of one query, of columns too; it is empty where no score can be read."""
    if isinstance(block[0], Rows):
        yield from block
        return
    queries, _, docs, ranks, scores, tags, lines = block
    for a, b in _stretches(queries):
        answer = Answer(queries[a], docs[a:b], None, lines[a:b], ranks[a:b], tags[a:b])
        yield _scored(answer, scores[a:b], log)


def answers_from_batches(batches: Iterator[Batch], log: Log) -> Iterator[Answer | Rows]:
    """An answer for each stretch of rows of one query in any other source."""
    return _joined(_lists(batches, log))


def _joined(parts: Iterator[Answer | Rows]) -> Iterator[Answer | Rows]:
    for _, stretch in groupby(parts, key=attrgetter("query")):
        yield joined(list(stretch))


def _lists(batches: Iterator[Batch], log: Log) -> Iterator[Answer]:
    row, first = 1, dict[bytes, dict[bytes, int]]()
    for batch in batches:
        start = row
        lines = batch_lines(batch)
        for ranked in rankings(iter([batch])):
            places = range(row, row + len(ranked.docs))
            row += len(ranked.docs)
            numbers = places if lines is None else [lines[place - start] for place in places]
            answer = Answer(ranked.query, ranked.docs, None, numbers)
            if ranked.call is not None:
                yield _fresh(answer, ranked.call, first.setdefault(ranked.query, {}))
                continue
            if ranked.scores is None:
                yield answer
            elif (scored := _scored(answer, ranked.scores, log)).size or not answer.size:
                yield scored


def _fresh(answer: Answer, call: int, first: dict[bytes, int]) -> Answer:
    """The answer of a call without what other calls returned; scores of several calls are not compared."""
    return _picked(answer, [i for i, doc in enumerate(answer.docs) if first.setdefault(doc, call) == call])


def batch_lines(batch: Batch | None) -> Sequence[int] | None:
    """The line of each row of a batch, where its source has lines."""
    if isinstance(batch, Columns) and batch.lines is not None:
        return batch.lines.tolist()  # type: ignore[no-any-return]
    if isinstance(batch, Ranked) and batch.line is not None:
        return [batch.line] * len(batch.docs)
    return None


def _scored(answer: Answer, scores: Sequence[Any], log: Log) -> Answer:
    """The answer with its scores as numbers, without the rows whose score is none."""
    if values := _finite(scores):
        return answer._replace(scores=values)
    numbers = [_number(score, "score", line, log) for score, line in zip(scores, answer.lines, strict=True)]
    good = [i for i, number in enumerate(numbers) if number is not None]
    return _picked(answer._replace(scores=numbers), good)  # type: ignore[arg-type]


def _finite(texts: Sequence[Any]) -> list[float] | None:
    """All of them as numbers; None where not all are finite numbers, or there is none."""
    try:
        values = list(map(float, texts))
        if isfinite(sum(values)) and not (isinstance(texts[0], bytes) and b"_" in b"".join(texts)):
            return values
    except (TypeError, ValueError, IndexError):
        pass
    return None


def _picked(answer: Answer, rows: Sequence[int]) -> Answer:
    columns: list[Any] = [column and [column[i] for i in rows] for column in answer[1:]]
    return Answer(answer.query, *columns)


NO_NUMBER: dict[str, Callable[[bytes], Message]] = {
    "score": lambda text: message("the score {text} is no number", text=printed(text)),
    "grade": lambda text: message("the grade {text} is no number", text=printed(text)),
}

NOT_FINITE: dict[str, Callable[[bytes], Message]] = {
    "score": lambda text: message("the score {text} is not a finite number", text=printed(text)),
    "grade": lambda text: message("the grade {text} is not a finite number", text=printed(text)),
}


def _number(value: Any, what: str, line: int | None, log: Log) -> float | None:
    """A finite number, or None and a line in the log."""
    text = value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogateescape")
    if not is_number(text):
        log.add("error", f"{what}-no-number", line, NO_NUMBER[what], text)
        return None
    if not isfinite(number := float(text)):
        log.add("error", f"{what}-not-finite", line, NOT_FINITE[what], text)
        return None
    return number


MANY = 1 << 13
"""So many rows are handed to the engine at once."""


def batches_of(answers: Iterable[Answer | Rows]) -> Iterator[Batch]:
    """The answers as the engine takes them."""
    held: list[Rows] = []
    rows = 0
    for answer in answers:
        if isinstance(answer, Rows):
            held.append(answer)
            rows += answer.size
            if rows < MANY:
                continue
        if held:
            yield _columns(held)
            held, rows = [], 0
        if isinstance(answer, Answer):
            yield Ranked(answer.query, answer.docs, answer.scores)
    if held:
        yield _columns(held)


def _columns(parts: list[Rows]) -> Columns:
    query_ends, query_text, doc_ends, doc_text, scores, runs = columns_of(parts)
    return Columns(query_ends, query_text, doc_ends, doc_text, scores, runs=runs)


def whole(stretches: Iterator[Answer | Rows], scattered: Iterable[bytes]) -> Iterator[Answer | Rows]:
    """One answer per query: those known to be scattered at the end, when all their rows have been seen.

    Raises:
        ScatteredError: a query that was thought to be whole comes again.
    """
    seen: set[bytes] = set()
    held: dict[bytes, list[Answer | Rows]] = {query: [] for query in scattered}
    for part in stretches:
        if part.query in held:
            held[part.query].append(part)
        elif part.query in seen:
            raise ScatteredError
        else:
            seen.add(part.query)
            yield part
    for parts in held.values():
        yield joined(parts)


def joined(parts: list[Answer | Rows]) -> Answer | Rows:
    """The answer whose parts these are."""
    if len(parts) == 1:
        return parts[0]
    plain = [part for part in parts if isinstance(part, Rows)]
    if len(plain) == len(parts) and (rows := joined_rows(plain)):
        return rows
    columns: list[Any] = [
        None if None in column else [value for part in column for value in part]
        for column in zip(*map(_COLUMNS, parts), strict=True)
    ]
    return Answer(parts[0].query, *columns)


_COLUMNS = attrgetter(*Answer._fields[1:])


def scattered_queries(stretches: Iterator[Answer | Rows]) -> dict[bytes, int | None]:
    """The queries that come again after others, and the line where each first does."""
    seen: set[bytes] = set()
    again: dict[bytes, int | None] = {}
    for part in stretches:
        if part.query in seen:
            again.setdefault(part.query, first_line(part))
        seen.add(part.query)
    return again
