"""Mappings other than {query: documents}, in Python and JSON: {column: values}, forms of pandas and other tools."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from numbers import Integral
from typing import Any, TypeGuard

from truerank.core.errors import InputError, quoted
from truerank.core.mappings import by_document
from truerank.formats.answers import is_answer, split
from truerank.formats.contexts import questions_of
from truerank.formats.names import (
    ANSWERS,
    DOC,
    GRADE,
    QUERY,
    QUERY_OF_TEXT,
    RANK,
    RELEVANT,
    SCORE,
    WIDEST,
    few,
    find,
    find_query,
    folded,
)
from truerank.formats.rank_eval import queries_of
from truerank.formats.records import list_places
from truerank.formats.rows import checked_ids

_QUERY = frozenset(QUERY)

_MODEL = "mteb_model_meta"

_BEGINS = frozenset(("ids", "columns", "index", "schema"))
"""With which Chroma's answer begins, and what pandas calls "split", "tight" and "table"."""

_PAIR = re.compile(r"""\(('.*'|".*"), ('.*'|".*"|-?\d+)\)|\(-?\d+, ('.*'|".*")\)""")
"""How JSON has the index of a row whose query and document pandas keeps there; two numbers may be an id."""

_SURE = re.compile(".+(id|no)")
"""Names of documents' ids, such as docid and docno, that are no words; item and id are."""

PREDICTIONS = re.compile(rb'\s*\{\s*"mteb_model_meta"\s*:\s*\{')
"""How MTEB's predictions begin."""

Rows = Callable[[], Iterator[Any]]
"""Goes through the rows of a table, a record a row."""


def rows_of(table: Mapping[Any, Any], what: str, name: str) -> Rows | None:
    """The rows of {column: values}, pandas' {column: {row: value}} and {row: {column: value}}, or other tools'.

    None for other mappings, such as {query: documents}. The record of one query is one row.

    Args:
        what: "qrels" or "run".
        name: for errors.

    Raises:
        InputError: the columns are not of one length, or the ids stand in an index.
    """
    _refuse_pairs(table, name)
    if queries := queries_of(table, what, name) or questions_of(table) or _batch_of(table, what, name):
        return queries
    if records := _of_pandas(table, what) or listed_in(table, what):
        return partial(iter, records)
    first = next(iter(table.values()), None)
    if type(first) is dict and _are_columns(first, what):
        rows = list(table.values())
        are_alike = all(type(row) is dict and row.keys() == first.keys() for row in rows)
        return partial(iter, _by_query(table, what)) if are_alike else None
    if not _are_columns(table, what):
        return None
    if _is_record(table):
        return partial(iter, [{key: _plain(value) for key, value in table.items()}])
    values = list(table.values())
    if type(first) is dict:
        if any(type(column) is not dict or column.keys() != first.keys() for column in values):
            return None
        if list_places(list(table), what) and not _are_numbers(first):
            by_row = {row: {name: column[row] for name, column in table.items()} for row in first}
            return partial(iter, _by_query(by_row, what))
        values = [list(column.values()) for column in values]
    if any(map(_is_answer, values)):
        return None
    if len(set(map(len, values))) > 1:
        raise InputError("the columns {names} are not of one length", name, names=", ".join(map(quoted, table)))
    return partial(_records, list(table), [list(_plain(value)) for value in values])


def _of_pandas(table: Mapping[Any, Any], what: str) -> list[Any] | None:
    """The rows of what pandas' `to_dict` and `to_json` call "split", "tight" and "table"; None for other mappings.

    >>> _of_pandas({"columns": ["q", "doc", "score"], "index": [0], "data": [["1", "d", 0.5]]}, "run")
    [{'q': '1', 'doc': 'd', 'score': 0.5}]
    """
    columns, index, data = (table.get(key) for key in ("columns", "index", "data"))
    if not isinstance(data, list) or not data:
        return None
    if table.keys() == {"schema", "data"} and all(isinstance(row, Mapping) for row in data):
        return data
    if not isinstance(columns, list) or not isinstance(index, list) or len(index) != len(data):
        return None
    if not all(isinstance(row, list) and len(row) == len(columns) for row in data):
        return None
    rows = [dict(zip(columns, row, strict=True)) for row in data]
    by_row = dict(zip(map(str, index), rows, strict=True))
    return rows if len(by_row) < len(rows) or _are_numbers(index) else _by_query(by_row, what)


def _by_query(rows: Mapping[Any, dict[str, Any]], what: str) -> list[dict[str, Any]]:
    """The rows; where a record has a query's list and text but not its id, the key of the record is the id."""
    keys = list(next(iter(rows.values())))
    places = list_places(keys, what)
    query = keys[places[0]] if places else ""
    if not places or folded(query) in QUERY_OF_TEXT or _are_rows(rows, query):
        return list(rows.values())
    return [{**record, query: row} for row, record in rows.items()]


def _are_numbers(index: Iterable[Any]) -> bool:
    """Whether all are whole numbers, as row numbers of a frame are, also after filtering."""
    return all(str(each).isdecimal() for each in index)


def _are_rows(rows: Mapping[Any, dict[str, Any]], query: str) -> bool:
    """Whether the keys are row numbers, as pandas writes them with orient="index"; some may be missing."""
    numbers = list(map(str, rows))
    if not _are_numbers(numbers):
        return False
    are_texts = any(" " in str(record[query]) for record in rows.values())  # ids would have no blanks
    return not are_texts or numbers == list(map(str, range(len(rows))))


def listed_in(whole: Mapping[Any, Any], what: str) -> list[Any] | None:
    """The records, one per query, that an object has under one key, beside facts about all of them; else None.

    >>> listed_in({"version": 2, "examples": [{"query": "red shoes", "expected_ids": ["d"]}]}, "qrels")
    [{'query': 'red shoes', 'expected_ids': ['d']}]
    """
    if what == "run" and (answered := _answered_in(whole)):
        return answered
    lists = [each for each in whole.values() if isinstance(each, list)]
    if not all(lists) or len(whole) > WIDEST or _are_columns(whole, what):  # an empty list is a query's
        return None
    objects = [each for each in lists if isinstance(each[0], Mapping)]
    held = [each for each in objects if _has_list(each[0], what)]
    held = held or [each for each in objects if len(lists) == 1 and _is_of_query(each[0], what)]
    return held[0] if len(held) == 1 else None


def _answered_in(whole: Mapping[Any, Any]) -> list[Any] | None:
    """One record per query from Elasticsearch's and Qdrant's answers to several, numbered if without ids."""
    if len(whole) > WIDEST:
        return None
    keys, values = list(map(str, whole)), list(whole.values())
    place, beside = (find(keys, wanted) for wanted in (("responses", "result"), ("queryids",)))
    answered = [] if place is None else values[place]
    if not _are_answers(answered) or find_query(keys) is not None:
        return None
    if isinstance(answered[0], list) and not any(isinstance(each, str | int | float) for each in values):
        return None  # without a status or a time, this is a query of this name with several calls
    queries = list(range(len(answered))) if beside is None else values[beside]
    if not isinstance(queries, list) or len(queries) != len(answered):
        raise InputError("the columns {names} are not of one length", names=", ".join(map(quoted, keys)))
    return [{"query_id": query, "response": each} for query, each in zip(queries, answered, strict=True)]


def _are_answers(values: Any) -> TypeGuard[list[Any]]:
    """Whether each is the answer to a query, and not a document: a list of objects, or an object that holds one."""
    if not isinstance(values, list) or not values:
        return False
    if all(isinstance(each, list) for each in values):
        return any(values) and all(isinstance(doc, Mapping) for each in values for doc in each)
    are_no_docs = all(isinstance(each, Mapping) and find(list(map(str, each)), DOC) is None for each in values)
    return are_no_docs and any(map(is_answer, values))


def _has_list(record: Mapping[Any, Any], what: str) -> bool:
    """Whether a record names its query and has a list of documents, unlike a document that was returned."""
    return _are_columns(record, what) and bool(list_places(list(record), what))


def _is_of_query(record: Mapping[Any, Any], what: str) -> bool:
    """Whether an id in a record is a query's: beside it there is a list, but no score, rank or grade."""
    keys = list(map(str, record))
    docs = find(keys, ANSWERS if what == "run" else RELEVANT)
    if docs is None or find(keys, ("id",)) is None or not isinstance(record.get(keys[docs]), list):
        return False
    return find(keys, (*SCORE, *RANK, *GRADE)) in (None, docs)


def judged_in(whole: Mapping[Any, Any], name: str) -> Mapping[Any, Any]:
    """{query: documents}; documents that are objects with a grade become {id: grade}.

    From a data set that has relevant documents beside its queries, as LlamaIndex does, these are taken.

    >>> judged_in({"queries": {"q": "red"}, "corpus": {"d": "Shoes."}, "relevant_docs": {"q": ["d"]}}, "qrels")
    {'q': ['d']}
    >>> judged_in({"q": [{"doc_id": "d", "relevance": 2}]}, "qrels")
    {'q': {'d': 2}}
    """
    relevant, queries = whole.get("relevant_docs"), whole.get("queries")
    judged = relevant if isinstance(relevant, Mapping) and isinstance(queries, Mapping) else whole
    if list not in set(map(type, judged.values())):
        return judged
    return {query: _graded(query, docs, name) if _are_graded(docs) else docs for query, docs in judged.items()}


def _are_graded(docs: Any) -> bool:
    """Whether these are objects that each have a grade."""
    return type(docs) is list and bool(docs) and type(docs[0]) is dict and find(list(docs[0]), GRADE) is not None


def _graded(query: Any, docs: list[dict[str, Any]], name: str) -> dict[Any, Any]:
    ids, grades = split(docs, GRADE, name, None)
    return by_document(list(zip(checked_ids(ids, name, None), grades or (), strict=True)), query, name)


def predicted_in(whole: Mapping[Any, Any], name: str) -> dict[Any, Any] | None:
    """The answers in MTEB's predictions, {subset: {split: {query: documents}}}; None for other mappings.

    Args:
        name: for errors.

    Raises:
        InputError: they are of several subsets or splits.
    """
    if not isinstance(whole.get(_MODEL), Mapping):
        return None
    splits = {subset: each for subset, each in whole.items() if subset != _MODEL and isinstance(each, Mapping)}
    sets = [
        (subset, split) for subset, each in splits.items() for split in each if isinstance(each[split], Mapping)
    ]
    if len(sets) != 1:
        raise InputError(
            "MTEB's predictions of one subset and split are a run; here there are {n}: {names}. Write the answers "
            "of each, {{query: {{document: score}}}}, to a file of its own",
            name,
            n=len(sets),
            names=few([f"{subset}/{split}" for subset, split in sets]),
        )
    ((subset, split),) = sets
    return dict(splits[subset][split])


def _refuse_pairs(table: Mapping[Any, Any], name: str) -> None:
    """Raise where a pair of ids is a key, as pandas writes an index: {pair: value}, {pair: {column: value}} …"""
    if (key := _pair_in(table)) is not None:
        raise InputError(
            "the index of this table has query and document, {pair}: make columns of them, by reset_index()",
            name,
            pair=quoted(key),
        )


def _pair_in(table: Mapping[Any, Any]) -> Any:
    """The first key, or the first one of the only column, if it is a pair; else None."""
    key, value = next(iter(table.items()), (None, None))
    if isinstance(value, Mapping) and len(table) == 1 and not _is_pair(key):
        key = next(iter(value), None)
    return key if _is_pair(key) else None


def _is_pair(key: Any) -> bool:
    return (type(key) is tuple and len(key) == 2) or (isinstance(key, str) and _PAIR.fullmatch(key) is not None)


def may_be_table(part: Mapping[str, Any]) -> bool:
    """Whether an object that begins like this may be {column: values}, {row: {column: value}} or hold rows."""
    first = next(iter(part.values()), None)
    return (
        _pair_in(part) is not None
        or not _BEGINS.isdisjoint(part)
        or listed_in(part, "run") is not None
        or any(
            len(keys) <= WIDEST and find(list(keys), (*QUERY, *DOC)) is not None
            for keys in (part, first if type(first) is dict else {})
        )
    )


def _batch_of(table: Mapping[Any, Any], what: str, name: str) -> Rows | None:
    """One record per query from Chroma's answer to several queries, numbered from 0 where these have no ids.

    Raises:
        InputError: there are not as many lists of distances, or ids of queries, as lists of documents.
    """
    ids, distances = table.get("ids"), table.get("distances")
    if what != "run" or not _are_lists(ids) or not ("distances" in table or "documents" in table):
        return None
    place = find(list(map(str, table)), ("queryids", *QUERY))
    queries = list(map(str, range(len(ids)))) if place is None else list(table.values())[place]
    if isinstance(queries, str | Integral):  # a record of one query
        return None
    beside = [None] * len(ids) if distances is None else distances
    if not isinstance(queries, list) or not isinstance(beside, list) or {len(queries), len(beside)} != {len(ids)}:
        raise InputError("the columns {names} are not of one length", name, names=", ".join(map(quoted, table)))
    return partial(_records, ["query_id", "ids", "distances"], [queries, ids, beside])


def _are_lists(values: Any) -> TypeGuard[list[list[Any]]]:
    return isinstance(values, list) and bool(values) and all(isinstance(each, list) for each in values)


def _are_columns(keys: Mapping[Any, Any], what: str) -> bool:
    """Whether these keys name columns: a query, and a document with its value or a list of documents.

    No value is needed beside a name such as doc_id, which no query has: what lacks it is refused as a table.
    """
    if len(keys) > WIDEST or set(map(type, keys)) != {str} or _QUERY.isdisjoint(map(folded, keys)):
        return False
    names = list(keys)
    if list_places(names, what):
        return True
    doc = find(names, DOC)
    if doc is None or find(names, (*SCORE, *RANK, *GRADE)) is not None:
        return doc is not None
    return bool(_SURE.fullmatch(folded(names[doc])))


def _records(names: Sequence[str], values: Sequence[Sequence[Any]]) -> Iterator[dict[str, Any]]:
    return (dict(zip(names, row, strict=True)) for row in zip(*values, strict=True))


def _plain(value: Any) -> Any:
    """An array or a number of NumPy's as Python's own; other values as they are."""
    return value.tolist() if hasattr(value, "tolist") else value


def _is_record(table: Mapping[str, Any]) -> bool:
    """Whether this is not a table but the record of one query, whose id stands there or in an object."""
    place = find_query(list(table))
    query = None if place is None else list(table.values())[place]
    if isinstance(query, Mapping) and sum(isinstance(value, Mapping) for value in table.values()) == 1:
        return find_query(list(map(str, query))) is not None
    return isinstance(query, str | Integral)


def _is_answer(value: Any) -> bool:
    """Whether this is not a column but an object that holds a query's documents."""
    return (
        isinstance(value, Mapping | str | bytes) or not hasattr(value, "__len__") or getattr(value, "ndim", 1) == 0
    )
