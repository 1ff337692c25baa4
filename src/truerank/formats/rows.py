"""Rows, one per judgement or returned document, as columns; and judgements from them."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from truerank.core.errors import InputError, quoted, truncated
from truerank.core.ids import starts_of
from truerank.core.kernel.names import all_floats, all_ids, digits, first_empty
from truerank.core.kernel.scanning import as_bytes
from truerank.core.mappings import are_no_ids, distinct_ids, refuse_no_ids
from truerank.core.messages import message
from truerank.core.qrels import Qrels
from truerank.core.rankings import columns_ids, cut
from truerank.core.run import Columns
from truerank.core.schema import is_missing

Thing = TypeVar("Thing")
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

Numbered = tuple[int | None, Any]
"""A record and the line that it stands in, if in one."""


def unnumbered(records: Iterable[Any]) -> Iterator[Numbered]:
    """Records without line numbers."""
    return ((None, record) for record in records)


FILL = -1
"""The id with which FAISS fills short rows."""


def is_id(ids: NDArray[Any]) -> Bools:
    """Where there is an id: not the -1 with which FAISS fills short rows, nor what that is as an unsigned number.

    That is the largest one; in 8 or 16 bits it counts as an id, since it may well be a document's.
    """
    if ids.dtype.kind == "O":
        there = [not isinstance(each, int | float | np.number) or each != FILL for each in ids.flat]
        return np.array(there, bool).reshape(ids.shape)
    if ids.dtype.kind == "i":
        return np.asarray(ids != FILL, bool)
    if ids.dtype.kind == "u" and ids.dtype.itemsize >= 4:
        return np.asarray(ids != np.iinfo(ids.dtype).max, bool)
    return np.ones(ids.shape, bool)


def text_column(names: Sequence[bytes]) -> tuple[Ints, bytes]:
    """Ids as the kernel's columns hold them: (ids + 1,) ends and the bytes."""
    return starts_of(np.fromiter(map(len, names), np.int64, len(names))), b"".join(names)


def numbers_column(numbers: NDArray[Any]) -> tuple[Ints, NDArray[np.uint8] | bytes]:
    """Whole numbers as the kernel's columns hold ids."""
    if numbers.dtype != np.uint64 and numbers.min(initial=0) >= 0:
        return digits(np.ascontiguousarray(numbers, np.int64))
    return text_column([b"%d" % number for number in numbers.tolist()])


def columns(
    queries: Sequence[bytes], docs: Sequence[bytes], values: Any, lines: Any = None, calls: Any = None
) -> Columns:
    """Columns from a query, a document and a score per row; also lines and calls, if there are any."""
    numbers = np.asarray(values, np.float64)
    where = None if lines is None else np.asarray(lines, np.int64)
    return Columns(*text_column(queries), *text_column(docs), numbers, where, calls=calls)


def by_aspect(qrels: Qrels) -> Iterator[tuple[Any, ...]]:
    """The id of each query, then the documents, grades, aspects and weights of its judgements."""
    for number, query in enumerate(qrels.queries):
        rows = qrels.rows_of(number)
        docs, aspects, grades, weights = zip(*rows, strict=True) if rows else ((),) * 4
        yield query, docs, grades, aspects, weights


def peeked(things: Iterable[Thing]) -> tuple[Thing | None, Iterator[Thing]]:
    """The first of some things, which tells what they are, and an iterator over all of them."""
    rest = iter(things)
    first = next(rest, None)
    return first, rest if first is None else itertools.chain([first], rest)


def whole_calls(numbers: NDArray[np.float64], name: str | None, row: int = 1, lines: Any = None) -> Ints:
    """The numbers of calls, if they are whole; `row` is the number of the first row where they have no lines."""
    wrong = ~(np.abs(numbers) < 2**53)
    wrong |= np.where(wrong, 0.0, numbers) % 1 != 0
    if wrong.any():
        first = int(wrong.argmax())
        said = message("{call} is no number of a call; calls are numbered from 1", call=f"{numbers[first]:g}")
        raise InputError(said, name, row + first if lines is None else int(lines[first]))
    return numbers.astype(np.int64)


def complete(part: Columns, name: str | None, row: int = 1) -> Columns:
    """The columns, if no id is empty; `row` is the number of the first row where they have no lines."""
    query, doc = message("the query id is empty"), message("the document id is empty")
    texts = [(query, part.query_ends, part.runs), (doc, part.doc_ends, None)]
    if part.aspects is not None:
        texts.append((message("the aspect is empty"), part.aspects[0], None))
    for said, ends, runs in texts:
        first = first_empty(ends)
        if first >= 0:
            place = first if runs is None else int(runs[first])
            raise InputError(said, name, _line(part, place, row))
    return part


def qrels_of(parts: Iterable[Columns], name: str, unsure: bool = False) -> Qrels:
    """Judgements from columns whose scores are the grades.

    Args:
        unsure: whether the grades are from a column named score, and so may be a run's scores.
    """
    index: dict[bytes, int] = {}
    query: list[int] = []
    begins, ends, texts, grades, lines = [], [], [], [], []
    names: list[bytes] = []
    weights: list[NDArray[np.float64]] = []
    used = 0
    for part in parts:
        _check_grades(part, name, len(query) + 1, unsure)
        query += [index.setdefault(q, len(index)) for q in columns_ids(part)[0]]
        text = bytes(part.doc_text)
        begins.append(part.doc_ends[:-1] + used)
        ends.append(part.doc_ends[1:] + used)
        texts.append(text)
        grades.append(part.scores)
        rows = np.arange(len(query) - len(part.scores), len(query))
        lines.append(rows + 1 if part.lines is None else part.lines)
        used += len(text)
        names += [] if part.aspects is None else cut(*part.aspects)
        weights += [] if part.weights is None else [part.weights]
    if not query:
        raise InputError("there are no judgements in it", name)
    begin, end, line = (np.concatenate(each) for each in (begins, ends, lines))
    grade = np.concatenate(grades)
    aspects = distinct_ids(names) if names else None
    judged = np.array(query), begin, end, b"".join(texts), grade
    qrels = Qrels.build(list(index), *judged, name=name, lines=line, aspects=aspects)
    if aspects is None or not weights:
        return qrels
    owners = map(list(index).__getitem__, query)
    own, where = weights_of(owners, aspects, np.concatenate(weights).tolist(), name, line)
    return qrels.weighted(own, name, where)


def qrels_of_lists(
    queries: Sequence[bytes], counts: Ints, docs: NDArray[Any], grades: NDArray[np.float64], name: str
) -> Qrels:
    """Judgements from the concatenated documents of the queries, given as whole numbers or text.

    Args:
        counts: (queries,) how many documents each has.
    """
    are_numbers = docs.dtype.kind in "iu"
    ends, text = numbers_column(docs) if are_numbers else text_column(list(map(as_bytes, docs.tolist())))
    query = np.repeat(np.arange(len(queries)), counts)
    return Qrels.build(queries, query, ends[:-1], ends[1:], bytes(text), grades, name=name)


def weights_of(
    queries: Iterable[bytes],
    aspects: tuple[Sequence[bytes], Ints],
    weights: Iterable[float],
    name: str,
    lines: Any,
) -> tuple[dict[bytes, dict[bytes, float]], dict[bytes, dict[bytes, int]]]:
    """{query: {aspect: weight}} and {query: {aspect: its first line}} from one row per judgement.

    Args:
        queries, weights: of each row.
        aspects: distinct ids, and which of them each row is about.
        lines: of each row, or None.

    Raises:
        InputError: an aspect has two weights.
    """
    by_query: dict[bytes, dict[bytes, float]] = {}
    where: dict[bytes, dict[bytes, int]] = {}
    names = map(aspects[0].__getitem__, aspects[1].tolist())
    for row, (query, aspect, weight) in enumerate(zip(queries, names, weights, strict=True)):
        first = by_query.setdefault(query, {}).setdefault(aspect, weight)
        if first != weight == weight:
            raise InputError(
                "aspect {aspect} of query {query} has two weights, {first} and {weight}",
                name,
                None if lines is None else int(lines[row]),
                aspect=truncated(aspect),
                query=truncated(query),
                first=first,
                weight=weight,
            )
        if lines is not None:
            where.setdefault(query, {}).setdefault(aspect, int(lines[row]))
    return by_query, where


def _check_grades(part: Columns, name: str, row: int, unsure: bool) -> None:
    bad = ~np.isfinite(part.scores)
    if bad.any():
        raise InputError("the grade is not a finite number", name, _line(part, int(bad.argmax()), row))
    fraction = part.scores % 1 != 0
    if unsure and fraction.any():
        raise InputError(
            "this score is a fraction, as in a run, and no grade: are the two files swapped?",
            name,
            _line(part, int(fraction.argmax()), row),
        )


def _line(part: Columns, i: int, row: int) -> int:
    return row + i if part.lines is None else int(part.lines[i])


def check_distinct(queries: Sequence[Any] | NDArray[Any], name: str) -> None:
    """Raise where an id of a query, one per row, is missing, is a fraction or a tensor, or stands in two rows."""
    is_numbered = isinstance(queries, np.ndarray) and queries.dtype.kind in "iu"
    if is_numbered and len(np.unique(queries)) == len(queries):
        return
    places: dict[bytes, int] = {}
    for row, query in enumerate(queries.tolist() if isinstance(queries, np.ndarray) else queries):
        if is_missing(query):
            raise InputError("row {row:,} of the arrays has no query id", name, row=row + 1)
        if isinstance(query, float | np.floating) or hasattr(query, "detach"):
            raise InputError(
                "row {row:,} of the arrays has the query id {query}: ids are text or whole numbers",
                name,
                row=row + 1,
                query=quoted(query),
            )
        first = places.setdefault(as_bytes(query), row)
        if first != row:
            raise InputError(
                "query {query} stands twice, in rows {first:,} and {row:,} of the arrays; a row is a query: "
                "give each its own id, or put them together as {{query: documents}}",
                name,
                query=quoted(query),
                first=first + 1,
                row=row + 1,
            )


def plain_ids(docs: Sequence[Any], query: Any, name: str) -> Sequence[Any]:
    """The documents, if all are ids."""
    if are_no_ids(docs):
        raise no_ids(query, docs, name)
    refuse_no_ids(docs, name)
    refuse_empty(query, docs, name)
    return docs


def no_ids(query: Any, docs: Any, name: str) -> InputError:
    """The error for something in place of document ids; for objects it says how to get these."""
    first = next(iter(docs), None) if isinstance(docs, list | tuple) else None
    first = first[0] if isinstance(first, list | tuple) and first else first
    if hasattr(first, "__dict__"):  # a document of LangChain, a node of LlamaIndex, or an object of the user's
        return InputError(
            "query {query} has objects ({kind}): documents are ids, or pairs (id, score); take them out of each, "
            "as in [(doc.id, doc.score) for doc in docs], or give the retriever itself to tr.experiment",
            name,
            query=quoted(query),
            kind=type(first).__name__,
        )
    return InputError(
        "query {query} has {docs}: documents are ids, or pairs (id, score)",
        name,
        query=quoted(query),
        docs=quoted(docs),
    )


def refuse_empty(query: Any, docs: Collection[Any], name: str, line: int | None = None) -> None:
    """Raise where the id of a query or of a document is empty."""
    is_full = type(docs) is list and all_ids(docs)
    if query in ("", b"") or (not is_full and ("" in docs or b"" in docs)):
        raise InputError("an id of query '{query}' is empty", name, line, query=truncated(as_bytes(query)))


def complete_answers(run: Mapping[Any, Collection[Any]], name: str) -> Any:
    """{query: documents}, if no id is empty."""
    for query, docs in run.items():
        refuse_empty(query, docs, name)
    return run


def complete_judgements(qrels: Qrels) -> Qrels:
    """The judgements, if no id is empty."""
    empty = (qrels.begin == qrels.end).nonzero()[0]
    if len(empty):
        query = qrels.queries[int(qrels.query[empty[0]])]
        raise InputError("an id of query '{query}' is empty", qrels.name, query=truncated(query))
    if b"" in qrels.queries:
        raise InputError("the query id is empty", qrels.name)
    return qrels


def checked_ids(ids: list[Any], name: str, line: int | None) -> list[Any]:
    """The ids, if all of them are text, bytes or whole numbers; a UUID is its text."""
    if all_ids(ids):
        return ids
    ids = _plain(ids)
    if not set(map(type, ids)) <= {str, int, bytes}:
        from uuid import UUID  # which databases answer with; files have none

        ids = [str(each) if type(each) is UUID else each for each in ids]
    bad = [each for each in ids if type(each) not in (str, int, bytes) or each in ("", b"")]
    if bad:
        raise InputError("an id is text or a whole number, not {value}", name, line, value=quoted(bad[0]))
    return ids


def checked_numbers(values: list[Any], name: str, line: int | None) -> list[Any]:
    """The numbers, if a float can hold each of them."""
    if all_floats(values):
        return values
    values = _plain(values)
    kinds = set(map(type, values))
    if not kinds <= {int, float}:
        from decimal import Decimal  # which databases answer with; files have none

        values = [float(each) if type(each) is Decimal and not each.is_snan() else each for each in values]
        kinds = set(map(type, values))
    if not kinds <= {int, float}:
        bad = next(value for value in values if type(value) not in (int, float))
        raise InputError("a number should stand here, not {value}", name, line, value=quoted(bad))
    if int in kinds and max(map(abs, (max(values), min(values)))) > sys.float_info.max:
        raise InputError("a number here is too large", name, line)
    return values


def _plain(values: list[Any]) -> list[Any]:
    """The values, with NumPy's scalars as Python's own."""
    return [each.tolist() if isinstance(each, np.generic) else each for each in values]


def keys_of(numbered: Numbered, name: str) -> tuple[str, ...]:
    """The keys of a record; raise where it is not an object."""
    line, record = numbered
    if not isinstance(record, dict):
        raise InputError("a JSON object should stand here, not {value}", name, line, value=quoted(record))
    return tuple(record)
