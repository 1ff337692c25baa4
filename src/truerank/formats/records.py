"""JSON objects, one an answer or a judgement: a query with all its documents, or a row a document."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from truerank.core.errors import InputError, quoted, truncated
from truerank.core.kernel.names import all_floats, all_ids
from truerank.core.kernel.scanning import as_bytes
from truerank.core.mappings import are_numbers, distinct_ids
from truerank.core.messages import plural
from truerank.core.qrels import Qrels
from truerank.core.run import Batch, Ranked
from truerank.formats import names
from truerank.formats.names import DOC, GRADE, RANK, RELEVANT, SCORE, Layout
from truerank.formats.rows import columns, weights_of, whole_calls

Numbered = tuple[int | None, Any]
"""A record and the line that it stands in, if in one."""

ROWS = 1 << 15

LONGEST = 1 << 26
"""Bytes that a line may have."""

LISTS = (list, np.ndarray)
"""What the list of a call may be: a tuple is a pair (id, score)."""

NUMBERS = (int, float, np.number)

_ROW = tuple(name for name in DOC if name != "id")
"""What names the document of a row; an id may be that of a query."""


def parsed(text: bytes | bytearray | memoryview, name: str, line: int = 1) -> Any:
    """The value of a JSON text that begins in this line."""
    import orjson

    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InputError("this is no JSON: {error}", name, line + error.lineno - 1, error=error.msg) from None


def written(value: Any, *, indent: bool = False) -> bytes:
    """The value as JSON text with a line's end.

    An id that is no UTF-8 is written in escapes, of which Python's `json` makes the same id again.
    """
    import orjson

    try:
        return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE | (orjson.OPT_INDENT_2 if indent else 0))
    except orjson.JSONEncodeError:
        import json

        layout: dict[str, Any] = {"indent": 2} if indent else {"separators": (",", ":")}
        return (json.dumps(value, **layout) + "\n").encode()


def kind(keys: Iterable[str]) -> str | None:
    """Whether records with these keys are a "run" or "qrels"; None when they may be either."""
    there = set(map(names.folded, keys))
    run = not there.isdisjoint([*SCORE, *RANK, *names.ANSWERS, *names.SCORES, names.CONTEXTS])
    qrels = not there.isdisjoint([*GRADE, *RELEVANT])
    return None if run == qrels else "run" if run else "qrels"


def held(columns: list[str]) -> str | None:
    """What a table with these columns holds; a column named score may hold grades, and is a run's beside a rank."""
    if any(list_places(columns, what) for what in ("run", "qrels")):
        return kind(columns)
    held = names.kind(columns)
    return None if held == "run" and names.find(columns, names.RANK) is None else held


def run_parts(records: Iterable[Numbered], name: str) -> Iterator[Batch]:
    """The parts of a run."""
    falling: bool | None = None
    for keys, group in itertools.groupby(records, key=lambda numbered: keys_of(numbered, name)):
        if names.CONTEXTS in keys:
            from truerank.formats import contexts

            yield from (answer(*contexts.returned(one, name, line), name, line) for line, one in group)
            continue
        lists = _list_keys(keys, names.ANSWERS, (*SCORE, *RANK))
        if lists:
            for line, record in group:
                yield from _ranked(record, lists, name, line)
            continue
        while part := list(itertools.islice(group, ROWS)):
            where = names.layout(keys, "run", name, part[0][0])
            if falling not in (None, where.falling):
                raise InputError("some rows have a score, and others only a rank", name, part[0][0])
            falling = where.falling
            yield _columns(part, keys, where, name)


def qrels_of_records(records: Iterable[Numbered], name: str) -> Qrels:
    """Judgements; a query may have none."""
    index: dict[bytes, int] = {}
    rows: list[tuple[int, bytes, type, float, int, bytes | None, float | None]] = []
    is_whole = True
    for line, record in records:
        query, judged = _judged(record, keys_of((line, record), name), name, line)
        q = index.setdefault(_id(query, name, line), len(index))
        for doc, grade, aspect, weight in judged:
            part = worth = None
            if aspect is not None:
                part, worth = _id(aspect, name, line), None if weight is None else _number(weight, name, line)
            if is_whole is not (aspect is None) and rows:
                raise InputError("some judgements have an aspect and others none: give each its own", name, line)
            is_whole = aspect is None
            number = _number(grade, name, line)
            if not math.isfinite(number):
                raise InputError("the grade is not a finite number", name, line)
            rows.append((q, _id(doc, name, line), type(doc), number, line or 0, part, worth))
    queries, docs, kinds, grades, lines, parts, weights = zip(*rows, strict=True) if rows else ((),) * 7
    where = np.array(lines) if any(lines) else None
    aspects = distinct_ids(parts) if rows and parts[0] is not None else None
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


class _Lists(NamedTuple):
    """The keys of a query's id, its documents and, beside them, their scores and the call that returned them."""

    query: str
    docs: str
    scores: str | None
    call: str | None


def keys_of(numbered: Numbered, name: str) -> tuple[str, ...]:
    """The keys of a record, which is an object."""
    line, record = numbered
    if not isinstance(record, dict):
        raise InputError("a JSON object should stand here, not {value}", name, line, value=quoted(record))
    return tuple(record)


@lru_cache(maxsize=64)
def _list_keys(keys: tuple[str, ...], wanted: tuple[str, ...], values: tuple[str, ...]) -> _Lists | None:
    """The keys of a record with a list; None for a record that is a row, with one document and its value."""
    if names.find(keys, _ROW) is not None and names.find(keys, values) is not None:
        return None
    groups = ((*names.QUERY_OR_ID, *names.QUESTION), wanted, names.SCORES, names.CALL)
    query, docs, scores, call = (names.find(keys, group) for group in groups)
    if query is None or docs is None:
        return None
    more = (None if place is None else keys[place] for place in (scores, call))
    return _Lists(keys[query], keys[docs], *more)


def list_places(keys: list[str], what: str) -> tuple[int, ...]:
    """The columns of a table of which a row is a query with its documents; none where a row is a document.

    >>> list_places(["retrieved_ids", "text", "query_id"], "run"), list_places(["doc_id", "query_id"], "qrels")
    ((2, 0), ())
    """
    wanted = (names.ANSWERS, (*SCORE, *RANK)) if what == "run" else (RELEVANT, GRADE)
    lists = _list_keys(tuple(keys), *wanted)
    if lists is None:
        return ()
    more = [names.find(keys, names.WEIGHTS), _beside(tuple(keys))] if what == "qrels" else []
    own = [keys.index(key) for key in lists if key is not None]
    return tuple(dict.fromkeys([*own, *(place for place in more if place is not None)]))


@lru_cache(maxsize=64)
def _beside(keys: tuple[str, ...]) -> int | None:
    """The key of the grades that may stand in a list beside that of the documents."""
    has_answers = names.find(keys, names.ANSWERS) is not None
    return names.find(keys, names.GRADES if has_answers else (*names.GRADES, *names.OWN_GRADES))


@lru_cache(maxsize=64)
def _row_keys(keys: tuple[str, ...]) -> Layout | None:
    """Which keys of a row with one judgement are read; None where they are not known, or not clear."""
    try:
        return names.layout(keys, "qrels", None)
    except InputError:
        return None


def _ranked(record: dict[str, Any], keys: _Lists, name: str, line: int | None) -> Iterator[Ranked]:
    query = checked_ids([record[keys.query]], name, line)[0]
    scores = record[keys.scores] if keys.scores else None
    if keys.call is None:
        yield from answers(query, record[keys.docs], scores, name, line)
        return
    calls = whole_calls(np.array(_numbers([record[keys.call]], name, line), np.float64), name, lines=[line or 0])
    yield answer(query, record[keys.docs], scores, name, line)._replace(call=int(calls[0]))


def answers(query: Any, docs: Any, scores: Any, name: str, line: int | None = None) -> Iterator[Ranked]:
    """One query's list, or its lists, one a call."""
    if not are_lists(docs):
        yield answer(query, docs, scores, name, line)
        return
    beside = itertools.repeat(None) if scores is None else scores
    if scores is not None and not (isinstance(scores, list) and len(scores) == len(docs)):
        raise InputError(
            plural(
                "there is {n} list of documents, but other scores",
                "there are {n} lists of documents, but other scores",
                n=len(docs),
            ),
            name,
            line,
        )
    for call, (each, own) in enumerate(zip(docs, beside, strict=False), 1):
        yield answer(query, each, own, name, line)._replace(call=call)


def are_lists(docs: Any) -> bool:
    """Whether these are lists of documents, one a call, and no pairs (id, score)."""
    if not isinstance(docs, list | tuple) or not docs or not all(isinstance(each, LISTS) for each in docs):
        return False
    return not all(len(each) == 2 and isinstance(each[1], NUMBERS) for each in docs)


def answer(query: Any, docs: Any, scores: Any, name: str, line: int | None = None) -> Ranked:
    """One query's documents and, beside them or among them, their scores."""
    if scores is None:
        docs, scores = _split(_best_first(docs, name, line), SCORE, name, line)
    if not isinstance(docs, list) or not isinstance(scores, list | None):
        raise InputError("a list of documents should stand here, not {value}", name, line, value=quoted(docs))
    if scores is not None and len(docs) != len(scores):
        raise InputError(
            "there are {n} documents, but {scores} scores", name, line, n=len(docs), scores=len(scores)
        )
    return Ranked(
        query, checked_ids(docs, name, line), None if scores is None else _numbers(scores, name, line), line
    )


def _best_first(docs: Any, name: str, line: int | None) -> Any:
    """The documents of a query; objects that have a rank and no score are put in the order of the ranks."""
    if not isinstance(docs, list) or not docs or not isinstance(docs[0], dict):
        return docs
    keys = tuple(docs[0])
    rank = names.find(keys, RANK)
    if rank is None or names.find(keys, SCORE) is not None:
        return docs
    if not all(isinstance(item, dict) and keys[rank] in item for item in docs):
        raise _unlike(name, line)
    ranks = _numbers([item[keys[rank]] for item in docs], name, line)
    if not all(map(math.isfinite, ranks)):
        raise InputError("a number should stand here, not {value}", name, line, value=quoted(ranks))
    return [docs[place] for place in sorted(range(len(docs)), key=ranks.__getitem__)]


def _unlike(name: str, line: int | None) -> InputError:
    return InputError("the documents of this query are not all written in one way", name, line)


def _split(docs: Any, value_names: tuple[str, ...], name: str, line: int | None) -> tuple[Any, list[Any] | None]:
    """Ids and values out of {id: value}, [[id, value], …], [{"id": id, "score": value}, …] or [id, …].

    What is a map in Arrow is a list of pairs (id, value).
    """
    if isinstance(docs, dict):
        return list(docs), list(docs.values())
    if not isinstance(docs, list) or not docs or not isinstance(docs[0], dict | list | tuple):
        return docs, None
    try:
        if isinstance(docs[0], list | tuple):
            return [doc for doc, _ in docs], [value for _, value in docs]
        keys = tuple(docs[0])
        doc, value = names.find(keys, DOC), names.find(keys, value_names)
        if doc is None:
            raise InputError(
                "no key holds the document ids; name it doc_id, not {keys}", name, line, keys=quoted(keys)
            )
        return [item[keys[doc]] for item in docs], None if value is None else [item[keys[value]] for item in docs]
    except (KeyError, TypeError, ValueError):
        raise _unlike(name, line) from None


def _columns(part: list[Numbered], keys: tuple[str, ...], where: Layout, name: str) -> Batch:
    """A row a record."""
    lines = [line or 0 for line, _ in part]
    query, doc, value = ([record[keys[i]] for _, record in part] for i in (where.query, where.doc, where.value))
    queries, docs = (_each(_ids, ids, lines, name) for ids in (query, doc))
    scores = np.array(_each(_numbers, value, lines, name), np.float64)
    places = lines if any(lines) else None
    calls = None
    if where.call is not None:
        numbers = _each(_numbers, [record[keys[where.call]] for _, record in part], lines, name)
        calls = whole_calls(np.array(numbers, np.float64), name, lines=places)
    rows = columns(queries, docs, -scores if where.falling else scores, places, calls)
    return rows._replace(are_ranks=where.falling)


def _each(check: Callable[..., list[Any]], values: list[Any], lines: list[int], name: str) -> list[Any]:
    """The values, checked all at once; one by one to name the line at fault."""
    try:
        return check(values, name, None)
    except InputError:
        for value, line in zip(values, lines, strict=True):
            check([value], name, line or None)
        raise


def _judged(
    record: Any, keys: tuple[str, ...], name: str, line: int | None
) -> tuple[Any, Iterable[tuple[Any, Any, Any, Any]]]:
    """A query's id and its documents with grade, aspect and weight; the latter are None where there are none."""
    if names.CONTEXTS in keys:
        from truerank.formats import contexts

        query, rows = contexts.judged(record, name, line)
        return query, ((*row, None, None) for row in rows)
    lists = _list_keys(keys, RELEVANT, GRADE)
    if lists:
        docs, grades = _split(record[lists.docs], (*GRADE, "score"), name, line)
        if not isinstance(docs, list):
            raise InputError("a list of documents should stand here, not {value}", name, line, value=quoted(docs))
        if grades is None and (place := _beside(keys)) is not None:
            grades = _grades_beside(docs, record[keys[place]], name, line)
        graded = zip(docs, itertools.repeat(1) if grades is None else grades, strict=False)
        weights = names.find(keys, names.WEIGHTS)
        return record[lists.query], _by_aspect(graded, {} if weights is None else record[keys[weights]], name, line)
    where = _row_keys(keys) or names.layout(keys, "qrels", name, line)
    grade = record[keys[where.value]]
    if where.unsure and type(grade) is not int and _number(grade, name, line) % 1:
        raise InputError(
            "this score is a fraction, as in a run, and no grade: are the two files swapped?", name, line
        )
    more = (None if place is None else record[keys[place]] for place in (where.aspect, where.weight))
    return record[keys[where.query]], [(record[keys[where.doc]], grade, *more)]


def _grades_beside(docs: list[Any], grades: Any, name: str, line: int | None) -> list[Any] | None:
    """The grades of documents, one each; None where what stands there is no list."""
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
    """Document, grade, aspect and weight, out of documents with a grade, or with one an aspect."""
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


def checked_ids(ids: list[Any], name: str, line: int | None) -> list[Any]:
    """The ids, if all of them are text or whole numbers."""
    if not all_ids(ids) and (not set(map(type, ids)) <= {str, int} or "" in ids):
        bad = next(i for i in ids if type(i) not in (str, int) or i == "")
        raise InputError("an id is text or a whole number, not {value}", name, line, value=quoted(bad))
    return ids


def _number(value: Any, name: str, line: int | None) -> float:
    return float(_numbers([value], name, line)[0])


def _numbers(values: list[Any], name: str, line: int | None) -> list[Any]:
    if all_floats(values):
        return values
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
