"""Judgements as Python's mappings and lists: their ids, their grades, and what may be wrong with them."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank.core.errors import InputError, quoted, truncated
from truerank.core.kernel.names import all_ids
from truerank.core.kernel.names import judgements as columns_of
from truerank.core.kernel.scanning import as_bytes, is_no_id

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

IGNORED = float("nan")
"""The grade of a document that leaves a query's list before ranks exist; another NaN is a mistake."""

FLOATS = {float, np.float64, np.float32, np.float16}


def are_numbers(kinds: Sequence[type]) -> NDArray[np.bool_] | None:
    """Which ids, of these types, are numbers; None where one is neither a whole number nor text.

    >>> are_numbers([int, str]), are_numbers([str, bytes])
    (array([ True, False]), None)
    """
    there = set(kinds)
    if not there <= {int, str}:
        return None
    return np.array([kind is int for kind in kinds], bool) if int in there else np.zeros(len(kinds), bool)


def graded(judged: Any, query: object, name: str) -> Mapping[Any, Any]:
    """A query's judgements as {document: grade}; documents of a list have grade 1."""
    if isinstance(judged, Mapping):
        return judged
    if isinstance(judged, np.ndarray):
        judged = judged.tolist()  # None where it is masked
    if are_labelled_numbers(judged):
        raise InputError(
            "query {query} has a Series of numbers: its to_dict() is {{document: grade}} where its index holds the "
            "documents, its tolist() the documents where they are these numbers",
            name,
            query=quoted(query),
        )
    if isinstance(judged, str | bytes) or not isinstance(judged, Iterable):
        raise no_documents(query, judged, name)
    docs = list(judged)
    if are_pairs(docs):
        return by_document(docs, query, name)
    if are_no_ids(docs):
        raise _no_ids(query, docs, name)
    return dict.fromkeys(docs, 1.0)


def plain_judgements(judgements: Mapping[Any, Any]) -> tuple[Any, ...] | None:
    """The kernel's columns of {query: {document: grade}} or {query: documents} of text; None for anything else."""
    if type(judgements) is not dict:
        return None
    if list in set(map(type, judgements.values())):
        judgements = {
            query: dict.fromkeys(docs, 1.0) if type(docs) is list and all_ids(docs) else docs
            for query, docs in judgements.items()
        }
    return columns_of(judgements)


def by_document(pairs: Sequence[tuple[Any, Any]], query: object, name: str) -> dict[Any, Any]:
    """{document: grade} of pairs, in which no document may come twice."""
    grades = dict(pairs)
    if len(grades) < len(pairs):
        twice = next(doc for place, (doc, _) in enumerate(pairs) if doc in dict(pairs[:place]))
        raise InputError(
            "document {doc} of query {query} is judged twice; keep one of them", name, doc=twice, query=query
        )
    return grades


def no_documents(query: object, thing: object, name: str) -> InputError:
    """The error for what is no collection of documents, such as one id as text."""
    return InputError(
        'query {query} has {docs} where its documents should stand: write ids as ["d1", "d2"]',
        name,
        query=quoted(query),
        docs=quoted(thing),
    )


def _no_ids(query: object, docs: object, name: str) -> InputError:
    return InputError(
        "query {query} has {docs}: documents are ids, or {{id: grade}}",
        name,
        query=quoted(query),
        docs=quoted(docs),
    )


def are_labelled_numbers(thing: Any) -> bool:
    """Whether this is a Series of numbers: they may be ids, or grades of the ids in its index."""
    return hasattr(thing, "items") and getattr(getattr(thing, "dtype", None), "kind", "O") in "biuf"


def are_no_ids(docs: Iterable[Any]) -> bool:
    """Whether some are not ids: None, lists, and objects that cannot be keys or have no text of their own.

    A Document of LangChain or of Haystack cannot be a key, nor can a node of LlamaIndex.
    """
    return any(
        kind in (type(None), tuple)
        or kind.__hash__ is None
        or all(getattr(kind, name) is getattr(object, name) for name in ("__repr__", "__str__"))
        for kind in set(map(type, docs))
    )


def has_aspects(judged: Any) -> bool:
    """Whether a query's documents have one grade per aspect, or stand in several lists."""
    if isinstance(judged, Mapping):
        return any(isinstance(grade, Mapping) for grade in judged.values())
    is_nested = isinstance(judged, list | tuple) and any(isinstance(part, list | tuple | set) for part in judged)
    return is_nested and not are_pairs(judged)


def are_pairs(judged: Sequence[Any]) -> bool:
    """Whether these are pairs (document, grade), and not lists of alternatives: each is a text and a number."""
    return bool(judged) and all(may_be_pair(part) and _is_text(type(part[0])) for part in judged)


def may_be_pair(part: Any) -> bool:
    """Whether this may be a document and its grade; where the document is a number, also two alternatives."""
    is_two = isinstance(part, list | tuple) and len(part) == 2
    return is_two and type(part[0]) not in FLOATS and isinstance(part[1], int | float | np.number)


def by_aspect(judgements: Mapping[Any, Any], name: str) -> list[tuple[Any, Any, Any, Any]]:
    """Query, document, aspect and grade of each judgement.

    Raises:
        InputError: no aspects can be made of this, or numbers in lists may be grades.
    """
    lists = {key: judged for key, judged in judgements.items() if isinstance(judged, list | tuple)}
    may_be_pairs = all(may_be_pair(part) for judged in lists.values() for part in judged)
    is_unsure = has_aspects if may_be_pairs and len(lists) == len(judgements) else _are_ids_and_grades
    if (query := next((key for key, judged in lists.items() if is_unsure(judged)), None)) is not None:
        raise InputError(
            "query {query} has {docs}: these may be documents and their grades, or lists of documents, one "
            "list per aspect; give {{document: grade}}, or the ids of documents as text",
            name,
            query=quoted(query),
            docs=quoted(lists[query]),
        )
    return [(key, *row) for key, judged in judgements.items() for row in _by_aspect(judged, key, name)]


def _are_ids_and_grades(judged: Sequence[Any]) -> bool:
    """Whether these may be a list of ids beside one of their grades; where all are numbers, only a tuple may be."""
    if len(judged) != 2 or not all(isinstance(part, list | tuple) for part in judged):
        return False
    ids, grades = judged
    are_numbers = all(isinstance(grade, int | float | np.number) for grade in grades)
    are_texts = any(_is_text(type(doc)) for doc in ids)
    return 0 < len(ids) == len(grades) and are_numbers and (are_texts or isinstance(judged, tuple))


def _by_aspect(judged: Any, query: object, name: str) -> Iterator[tuple[Any, Any, Any]]:
    """Document, aspect and grade of each judgement of a query."""
    if isinstance(judged, Mapping):
        for doc, aspects in judged.items():
            if not isinstance(aspects, Mapping) or not aspects:
                raise InputError(
                    "document {doc} of query {query} has {grade} where others have {{aspect: grade}}",
                    name,
                    doc=quoted(doc),
                    query=quoted(query),
                    grade=quoted(aspects),
                )
            yield from ((doc, aspect, grade) for aspect, grade in aspects.items())
        return
    for number, group in enumerate(judged if isinstance(judged, list | tuple) else [judged], 1):
        if group is judged or not isinstance(group, list | tuple | set):
            raise InputError(
                "query {query} has {group} where others have lists of documents, one list per aspect",
                name,
                query=quoted(query),
                group=quoted(group),
            )
        if are_no_ids(group):
            raise _no_ids(query, group, name)
        yield from ((doc, str(number), 1.0) for doc in dict.fromkeys(group))


def refuse_no_ids(names: Iterable[Any], name: str) -> None:
    """Raise where a name is not an id."""
    others = set(filter(is_no_id, set(map(type, names))))
    if others:
        bad = next(one for one in names if type(one) in others)
        raise InputError("an id is text or a whole number, not {value}", name, value=quoted(bad))


def ids(names: Collection[Any], name: str) -> list[bytes]:
    """Ids as bytes."""
    refuse_no_ids(names, name)
    try:
        return list(map(as_bytes, names))
    except ValueError as error:
        raise InputError("an id cannot be written as text: {error}", name, error=error) from None


def query_ids(judgements: Mapping[Any, Any], name: str) -> list[bytes]:
    """The ids of the queries as bytes; raise where two are the same."""
    queries = ids(judgements, name)
    if len(set(queries)) < len(queries):
        raise InputError("two query ids print the same (1 and '1'?)", name)
    return queries


def numbers(grades: list[Any], queries: list[bytes], query: Ints, docs: list[bytes], name: str) -> Floats:
    """The grades as numbers; only `IGNORED` itself may be NaN."""
    try:
        numbers = np.array(grades, np.float64)
    except (TypeError, ValueError, OverflowError):
        numbers = np.empty(())
    if numbers.ndim != 1 or any(map(_is_no_number, set(map(type, grades)))):
        numbers = np.full(len(grades), np.inf)
    for row in np.flatnonzero(~np.isfinite(numbers)).tolist():
        if grades[row] is not IGNORED and not _is_finite(grades[row]):
            raise InputError(
                "document {doc} of query {query} has the grade {grade}, which is no finite number",
                name,
                doc=truncated(docs[row]),
                query=truncated(queries[query[row]]),
                grade=quoted(grades[row]),
            )
    return numbers


def _is_finite(grade: Any) -> bool:
    try:
        return not _is_no_number(type(grade)) and getattr(grade, "shape", ()) == () and math.isfinite(float(grade))
    except (TypeError, ValueError, OverflowError):
        return False


def is_length(value: Any) -> bool:
    """Whether a value is a number from 0 on."""
    return isinstance(value, int | float | np.number) and not isinstance(value, bool) and bool(value >= 0)


def _is_no_number(kind: type) -> bool:
    """Whether values of this type are text or times, which NumPy would turn into numbers in its own way."""
    return issubclass(kind, str | bytes | np.datetime64 | np.timedelta64)


def _is_text(kind: type) -> bool:
    return issubclass(kind, str | bytes)


def distinct_ids(ids: Iterable[bytes]) -> tuple[list[bytes], Ints]:
    """The distinct ids in the order in which they first occur, and for each id its number among them."""
    index: dict[bytes, int] = {}
    rows = [index.setdefault(name, len(index)) for name in ids]
    return list(index), np.array(rows, np.int64)
