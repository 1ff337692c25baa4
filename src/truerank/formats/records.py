"""JSON objects, one per answer or judgement: a query with all its documents, or one row per document."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from truerank.core.errors import InputError, quoted, truncated
from truerank.core.kernel.scanning import as_bytes
from truerank.core.mappings import are_numbers, by_aspect, distinct_ids, has_aspects
from truerank.core.qrels import Qrels
from truerank.core.run import Batch
from truerank.formats import names
from truerank.formats.answers import (
    LISTS,
    answer,
    are_none,
    first_keys,
    is_answer,
    list_in,
    list_keys,
    no_list,
    ranked,
    split,
)
from truerank.formats.names import GRADE, RANK, RELEVANT, SCORE, Layout
from truerank.formats.rows import (
    Numbered,
    Thing,
    checked_ids,
    checked_numbers,
    columns,
    keys_of,
    peeked,
    weights_of,
    whole_calls,
)

ROWS = 1 << 15

_JOINED = r"[,;|\n]"

LONGEST = 1 << 26
"""Bytes that a line may have."""


def parsed(text: bytes | bytearray | memoryview, name: str, line: int = 1) -> Any:
    """The value of a JSON text, which begins in this line of its file."""
    import orjson

    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InputError("this is no JSON: {error}", name, line + error.lineno - 1, error=error.msg) from None


def written(value: Any, *, indent: bool = False) -> bytes:
    """The value as JSON text with a line end.

    An id that is not UTF-8 is written with escapes, from which Python's `json` makes the same id again.
    """
    import orjson

    try:
        return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE | (orjson.OPT_INDENT_2 if indent else 0))
    except orjson.JSONEncodeError:
        import json

        layout: dict[str, Any] = {"indent": 2} if indent else {"separators": (",", ":")}
        return (json.dumps(value, **layout) + "\n").encode()


def kind(
    keys: Iterable[str],
    of_run: Iterable[str] = (*SCORE, *RANK, *names.ANSWERS, *names.SCORES, names.CONTEXTS),
    of_qrels: Iterable[str] = (*GRADE, *RELEVANT),
) -> str | None:
    """Whether records with these keys are a "run" or "qrels"; None where they may be either."""
    there = set(map(names.folded, keys))
    run, qrels = (not there.isdisjoint(wanted) for wanted in (of_run, of_qrels))
    return None if run == qrels else "run" if run else "qrels"


def held(columns: list[str], by_scores: Callable[[int], str | None] = lambda column: None) -> str | None:
    """What a table with these columns holds; a column named score may hold grades, but beside a rank it is a run's.

    Args:
        by_scores: says, from the place of a column named score, what its values are; without it they may be either.
    """
    if any(list_places(columns, what) for what in ("run", "qrels")):
        return kind(columns)
    held, column = kind(columns, (*SCORE, *RANK), GRADE), names.find(columns, SCORE)
    if held != "run" or column is None or names.find(columns, RANK) is not None:
        return held
    return by_scores(column)


def run_parts(records: Iterable[Numbered], name: str) -> Iterator[Batch]:
    """The parts of a run."""
    falling: bool | None = None
    for keys, group in itertools.groupby(records, key=lambda numbered: keys_of(numbered, name)):
        if names.CONTEXTS in keys:
            from truerank.formats import contexts

            yield from (answer(*contexts.returned(one, name, line), name, line) for line, one in group)
            continue
        if names.NUGGETS in keys and names.find(keys, (*SCORE, *RANK, *names.ANSWERS)) is None:
            from truerank.formats import assignments

            yield from assignments.run_of(group, name)
            continue
        lists = list_keys(keys, names.ANSWERS, (*SCORE, *RANK))
        if lists:
            for line, record in group:
                yield from ranked(record[lists.query], record, lists, name, line)
            continue
        while part := list(itertools.islice(group, ROWS)):
            if names.find_query(keys) is None and is_answer(part[0][1]):
                raise InputError(
                    "no column holds the query ids; name it query_id (there is {known}), or write "
                    "{{query: answer}}",
                    name,
                    part[0][0],
                    known=names.few(keys),
                )
            where = names.layout(keys, "run", name, part[0][0])
            if falling not in (None, where.falling):
                raise InputError("some rows have a score, and others only a rank", name, part[0][0])
            falling = where.falling
            yield _columns(part, keys, where, name)


def qrels_of_records(records: Iterable[Numbered], name: str) -> Qrels:
    """Judgements; a query may have none."""
    first, records = peeked(records)
    keys = () if first is None else keys_of(first, name)
    if names.NUGGETS in keys and names.find(keys, (*GRADE, *RELEVANT)) is None:
        from truerank.formats import assignments

        return assignments.qrels_of(records, name)
    index: dict[bytes, int] = {}
    columns: list[list[Any]] = [[] for _ in range(7)]
    for keys, group in itertools.groupby(records, key=lambda numbered: keys_of(numbered, name)):
        layout = None if names.CONTEXTS in keys or list_keys(keys, RELEVANT, GRADE) else _row_keys(keys)
        while part := list(itertools.islice(group, ROWS)):
            tables = (
                [_of_rows(part, keys, layout, index, name)]
                if layout is not None and layout.aspect is None
                else (_of_record(each, keys, index, name) for each in part)
            )
            for table in tables:
                for column, more in zip(columns, table, strict=True):
                    column.extend(more)
    queries, docs, kinds, grades, lines, parts, weights = columns
    if parts.count(None) not in (0, len(parts)):
        other = next(row for row, part in enumerate(parts) if (part is None) is not (parts[0] is None))
        raise InputError(
            "some judgements have an aspect and others none: give each its own", name, lines[other] or None
        )
    where = np.array(lines) if any(lines) else None
    aspects = None if None in parts or not parts else distinct_ids(parts)
    known = are_numbers(kinds)
    ids = list(index)
    qrels = Qrels.from_rows(ids, queries, docs, grades, name=name, lines=where, is_number=known, aspects=aspects)
    if aspects is None or all(weight is None for weight in weights):
        return qrels
    if None in weights:
        row = weights.index(None)
        raise InputError(
            "aspect {aspect} of query {query} has no weight",
            name,
            lines[row] or None,
            aspect=truncated(parts[row]),
            query=truncated(ids[queries[row]]),
        )
    owners = map(ids.__getitem__, queries)
    own, places = weights_of(owners, aspects, weights, name, where)
    return qrels.weighted(own, name, places)


def _of_record(
    numbered: Numbered, keys: tuple[str, ...], index: dict[bytes, int], name: str
) -> Iterator[Iterable[Any]]:
    """The columns of the judgements in a record of any layout; its query gets a number, also without judgements."""
    line, record = numbered
    query, judged = _judged(record, keys, name, line)
    rows = list(judged)
    docs, grades, aspects, weights = map(list, zip(*rows, strict=True)) if rows else ([], [], [], [])
    yield [index.setdefault(_id(query, name, line), len(index))] * len(rows)
    yield _ids(docs, name, line)
    yield map(type, docs)
    yield _finite(grades, name, line)
    yield [line or 0] * len(rows)
    yield [None if each is None else _id(each, name, line) for each in aspects]
    yield [
        None if aspect is None or weight is None else _number(weight, name, line)
        for aspect, weight in zip(aspects, weights, strict=True)
    ]


def _of_rows(
    part: list[Numbered], keys: tuple[str, ...], where: Layout, index: dict[bytes, int], name: str
) -> Iterator[Iterable[Any]]:
    """The same of records with one judgement each and no aspects."""
    lines = [line or 0 for line, _ in part]
    query, docs, grades = ([record[keys[i]] for _, record in part] for i in (where.query, where.doc, where.value))
    if where.unsure:
        _each(_refuse_fractions, grades, lines, name)
    yield [index.setdefault(each, len(index)) for each in _each(_ids, query, lines, name)]
    yield _each(_ids, docs, lines, name)
    yield map(type, docs)
    yield _each(_finite, grades, lines, name)
    yield lines
    yield from (itertools.repeat(None, len(part)) for _ in ("aspect", "weight"))


def list_places(keys: list[str], what: str) -> tuple[int, ...]:
    """The columns of a table with one row per query; none where there is one row per document.

    >>> list_places(["retrieved_ids", "text", "query_id"], "run"), list_places(["doc_id", "query_id"], "qrels")
    ((2, 0), ())
    """
    wanted = (names.ANSWERS, (*SCORE, *RANK)) if what == "run" else (RELEVANT, GRADE)
    lists = list_keys(tuple(keys), *wanted)
    if lists is None:
        return ()
    more = [names.find(keys, names.WEIGHTS), _beside(tuple(keys))] if what == "qrels" else []
    own = [keys.index(key) for key in (lists if what == "run" else lists[:2]) if key is not None]
    return tuple(dict.fromkeys([*own, *(place for place in more if place is not None)]))


@lru_cache(maxsize=64)
def _beside(keys: tuple[str, ...]) -> int | None:
    """The key of a list of grades beside that of the documents."""
    has_answers = names.find(keys, names.ANSWERS) is not None
    own = () if has_answers else (*names.OWN_GRADES, *names.UNSURE_GRADES)
    return names.find(keys, (*names.GRADES, *own))


@lru_cache(maxsize=64)
def _row_keys(keys: tuple[str, ...]) -> Layout | None:
    """The keys of a row with one judgement; None where they are unknown or ambiguous."""
    try:
        return names.layout(keys, "qrels", None)
    except InputError:
        return None


def _columns(part: list[Numbered], keys: tuple[str, ...], where: Layout, name: str) -> Batch:
    """Columns with one row per record."""
    lines = [line or 0 for line, _ in part]
    query, doc, value = ([record[keys[i]] for _, record in part] for i in (where.query, where.doc, where.value))
    queries, docs = (_each(_ids, ids, lines, name) for ids in (query, doc))
    scores = np.array(_each(checked_numbers, value, lines, name), np.float64)
    places = lines if any(lines) else None
    calls = None
    if where.call is not None:
        numbers = _each(checked_numbers, [record[keys[where.call]] for _, record in part], lines, name)
        calls = whole_calls(np.array(numbers, np.float64), name, lines=places)
    rows = columns(queries, docs, -scores if where.falling else scores, places, calls)
    return rows._replace(are_ranks=where.falling)


def _each(
    check: Callable[[list[Any], str, int | None], Thing], values: list[Any], lines: list[int], name: str
) -> Thing:
    """The values, checked all at once; after an error one by one, to name the line."""
    try:
        return check(values, name, None)
    except InputError:
        for value, line in zip(values, lines, strict=True):
            check([value], name, line or None)
        raise


def _judged(
    record: Any, keys: tuple[str, ...], name: str, line: int | None
) -> tuple[Any, Iterable[tuple[Any, Any, Any, Any]]]:
    """A query's id and its documents with grade, aspect and weight; missing aspects and weights are None."""
    if names.CONTEXTS in keys:
        from truerank.formats import contexts

        query, rows = contexts.judged(record, name, line)
        return query, ((*row, None, None) for row in rows)
    lists = list_keys(keys, RELEVANT, GRADE)
    if lists:
        listed = list_in(record[lists.docs], name, line)
        if not isinstance(listed, list) and (key := names.folded(lists.docs)) in names.RELEVANT_ONE:
            listed = _only(listed, key, name, line)
        query = checked_ids([record[lists.query]], name, line)[0]
        if isinstance(listed, list) and list in map(type, listed) and has_aspects(listed):
            beside = _beside(keys)
            if beside is not None and isinstance(list_in(record[keys[beside]], name, line), LISTS):
                raise InputError("the documents of this query are not all written in one way", name, line)
            graded = [(doc, {aspect: grade}) for _, doc, aspect, grade in by_aspect({query: listed}, name)]
        else:
            graded = _graded(listed, record, keys, name, line)
        weights = names.find(keys, names.WEIGHTS)
        return query, _by_aspect(graded, {} if weights is None else record[keys[weights]], name, line)
    where = _row_keys(keys) or names.layout(keys, "qrels", name, line)
    grade = record[keys[where.value]]
    if where.unsure:
        _refuse_fractions([grade], name, line)
    more = (None if place is None else record[keys[place]] for place in (where.aspect, where.weight))
    return record[keys[where.query]], [(record[keys[where.doc]], grade, *more)]


def _graded(
    listed: Any, record: dict[str, Any], keys: tuple[str, ...], name: str, line: int | None
) -> list[tuple[Any, Any]]:
    """The documents of a list with their grades, which stand in it or in a list beside it."""
    docs, grades = split(listed, (*GRADE, "score"), name, line)
    if not isinstance(docs, list):
        raise no_list(docs, name, line)
    if grades and (own := first_keys(listed)) and names.find(own, GRADE) is None:
        grades = None if are_none(listed, grades) else grades
        _refuse_fractions(grades or (), name, line)
    if grades is None and (place := _beside(keys)) is not None:
        grades = _grades_beside(docs, list_in(record[keys[place]], name, line), name, line)
        if names.folded(keys[place]) in names.UNSURE_GRADES:
            _refuse_fractions(grades or (), name, line)
    return list(zip(docs, itertools.repeat(1) if grades is None else grades, strict=False))


def _only(doc: Any, key: str, name: str, line: int | None) -> Any:
    """The only relevant document; raise for several ids in a cell, which would make one id that nothing returns.

    An object without an id is {document: grade}.
    """
    if isinstance(doc, dict) and names.find(list(doc), names.LISTED_DOC) is None:
        return doc
    if isinstance(doc, str) and (re.search(_JOINED, doc) or (key.endswith("id") and " " in doc)):
        raise no_list(doc, name, line)
    return [doc]


def _refuse_fractions(scores: Iterable[Any], name: str, line: int | None) -> None:
    """Raise where a value named score, as BEIR calls grades, is not a whole number."""
    if any(type(score) is not int and _number(score, name, line) % 1 for score in scores):
        raise InputError(
            "this score is a fraction, as in a run, and no grade: are the two files swapped?", name, line
        )


def _grades_beside(docs: list[Any], grades: Any, name: str, line: int | None) -> list[Any] | None:
    """The grades of documents, one each; None where they are not a list."""
    if not isinstance(grades, list | tuple | np.ndarray):
        return None
    if len(grades) != len(docs):
        raise InputError(
            "{docs:,} documents and {grades:,} grades stand beside each other: give each document its grade",
            name,
            line,
            docs=len(docs),
            grades=len(grades),
        )
    return grades.tolist() if isinstance(grades, np.ndarray) else list(grades)


def _by_aspect(
    judged: Iterable[tuple[Any, Any]], weights: Any, name: str, line: int | None
) -> list[tuple[Any, Any, Any, Any]]:
    """Document, grade, aspect and weight, from documents with one grade or with one per aspect."""
    if not isinstance(weights, dict):
        raise InputError("{{aspect: weight}} should stand here, not {value}", name, line, value=quoted(weights))
    rows: list[tuple[Any, Any, Any, Any]] = []
    for doc, grade in judged:
        if isinstance(grade, dict):
            rows += [(doc, each, aspect, weights.get(aspect)) for aspect, each in grade.items()]
        else:
            rows.append((doc, grade, None, None))
    return rows


def _id(value: Any, name: str, line: int | None) -> bytes:
    return _ids([value], name, line)[0]


def _ids(ids: list[Any], name: str, line: int | None) -> list[bytes]:
    try:
        return list(map(as_bytes, checked_ids(ids, name, line)))
    except ValueError as error:
        raise InputError("an id cannot be written as text: {error}", name, line, error=error) from None


def _finite(grades: list[Any], name: str, line: int | None) -> list[float]:
    numbers = list(map(float, checked_numbers(grades, name, line)))
    if not all(map(math.isfinite, numbers)):
        raise InputError("the grade is not a finite number", name, line)
    return numbers


def _number(value: Any, name: str, line: int | None) -> float:
    return float(checked_numbers([value], name, line)[0])
