"""What was returned for one query: a list of documents, a list per call, or an object that holds them under a key.

Such objects are what Pinecone, Chroma, Qdrant, Elasticsearch and Solr answer, and the records of RankLLM, RAGAS and
others; documents may be nodes of LlamaIndex or hits of Typesense, and lists may be written as text in cells.
"""

from __future__ import annotations

import ast
import itertools
import math
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from truerank.core.errors import InputError, quoted, truncated
from truerank.core.kernel.scanning import as_bytes
from truerank.core.messages import plural
from truerank.core.run import Ranked
from truerank.formats import names
from truerank.formats.names import DISTANCE, DOC, LISTED_DOC, RANK, SCORE
from truerank.formats.rows import checked_ids, checked_numbers, whole_calls

LISTS = (list, np.ndarray)
"""What the list of a call may be: a tuple is a pair (id, score)."""

NUMBERS = (int, float, np.number)

_HOLDERS = {list, dict}
"""What a query's list may stand in."""

_ROW = tuple(name for name in DOC if name not in ("id", "objectid"))
"""What names the document of a row; an id may be that of a query."""

_ENTRY = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[-+]?\d[\w.+-]*)"""
_LIST = rf"(?s:\s*\[\s*(?:{_ENTRY}(?:\s*,\s*{_ENTRY})*\s*,?\s*)?\]\s*)"
"""A list as Python writes it; beside each other, as NumPy writes them, two texts would be one."""


class Lists(NamedTuple):
    """The keys of a query's id and of its documents; if any, of their scores, distances, ranks and call."""

    query: str
    docs: str
    scores: str | None
    distances: str | None
    ranks: str | None
    call: str | None


@lru_cache(maxsize=64)
def list_keys(keys: tuple[str, ...], wanted: tuple[str, ...], values: tuple[str, ...]) -> Lists | None:
    """The keys of a record with a list; None for a record that is a row, with one document and its value."""
    row, value = (names.find(keys, group) is not None for group in (_ROW, values))
    if row and value:
        return None
    if row:  # it may be the row's own document, or a text about it
        wanted = tuple(name for name in wanted if name not in names.RELEVANT_ONE)
    query = names.find_query(keys)
    if wanted == names.ANSWERS and not (row or value):
        wanted += names.RESPONSES
    docs, *more = (names.find(keys, group) for group in (wanted, *names.BESIDE, names.CALL))
    if query is None or docs is None:
        return None
    return Lists(keys[query], keys[docs], *(None if place is None else keys[place] for place in more))


def is_answer(docs: Any) -> bool:
    """Whether this is an object with a query's list under some key, and not {document: score}.

    Elasticsearch has it under `hits` of `hits`, Qdrant's REST interface under `points` of `result`, and Solr under
    `docs` of `response`.
    """
    held = _held(docs)
    return type(held) is list or type(_held(held)) is list


def _held(docs: Any) -> Any:
    """The value under the key of a query's list; None where there is no such key."""
    if not isinstance(docs, Mapping) or len(docs) > names.WIDEST or _HOLDERS.isdisjoint(map(type, docs.values())):
        return None
    keys = _keys(docs)
    return None if keys is None else docs[keys.docs]


def _keys(docs: Mapping[Any, Any]) -> Lists | None:
    named = set(map(type, docs)) == {str}
    return list_keys(("query_id", *docs), (*names.ANSWERS, *names.RESPONSES), (*SCORE, *RANK)) if named else None


def answers(query: Any, docs: Any, scores: Any, name: str, line: int | None = None) -> Iterator[Ranked]:
    """One query's list, or its lists, one per call."""
    if scores is None and is_answer(docs) and (keys := _keys(docs)):
        yield from ranked(query, docs, keys, name, line)
        return
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


def ranked(query: Any, record: Mapping[str, Any], keys: Lists, name: str, line: int | None) -> Iterator[Ranked]:
    """What a record says was returned for a query, which may be an object with an id, as RankLLM writes it."""
    if isinstance(query, Mapping) and (place := names.find_query(list(query))) is not None:
        query = list(query.values())[place]
    elif names.folded(keys.query) in names.ASKED:
        query = _query_in(record[keys.docs]) or query
    query = checked_ids([query], name, line)[0]
    docs, *beside = (
        list_in(record[keys.docs], name, line),
        *(_listed(record, key, name, line) for key in (keys.scores, keys.distances, keys.ranks)),
    )
    if names.folded(keys.docs) == "ids":  # Chroma has a list of lists, one per question, even for one question
        docs, *beside = map(_only, (docs, *beside))
    place = next((place for place, values in enumerate(beside) if values is not None), 0)
    values = beside[place]
    if keys.call is None:
        found = answers(query, docs, values, name, line)
    else:
        given = np.array(checked_numbers([record[keys.call]], name, line), np.float64)
        call = int(whole_calls(given, name, lines=[line or 0])[0])
        found = iter([answer(query, docs, values, name, line)._replace(call=call)])
    yield from found if place == 0 else ((_by_distance, _by_rank)[place - 1](each, name) for each in found)


def _query_in(docs: Any) -> Any:
    """The query id that each document names, as RankGPT's hits do where the query is a text; else None."""
    keys = first_keys(docs)
    place = names.find(keys, names.QUERY_OF_DOC)
    if place is None:
        return None
    query = docs[0][keys[place]]
    return query if all(isinstance(doc, dict) and doc.get(keys[place]) == query for doc in docs) else None


def _listed(record: Mapping[str, Any], key: str | None, name: str, line: int | None) -> Any:
    """The list that stands beside a list of documents; None for a single value, which is about all of them."""
    values = None if key is None else list_in(record[key], name, line)
    is_many = key is not None and names.folded(key) in (*names.SCORES, *names.DISTANCES)
    return values if is_many or isinstance(values, LISTS) else None


def _only(values: Any) -> Any:
    """The only element of a list of one list; anything else as it is."""
    is_nested = isinstance(values, list) and len(values) == 1 and isinstance(values[0], list)
    return values[0] if is_nested else values


def _by_distance(found: Ranked, name: str) -> Ranked:
    """The list with its distances, which rise along it; if they fall, they are none, and the order counts."""
    distances = found.scores or []
    steps = list(itertools.pairwise(distances))
    if all(a <= b for a, b in steps):
        return found._replace(scores=[-each for each in distances], are_distances=True)
    if all(a >= b for a, b in steps):
        return found._replace(scores=None)
    raise InputError(
        "the distances of query {query} neither rise nor fall along its documents: leave them out where the order "
        "decides, or give scores, of which the highest is best",
        name,
        found.line,
        query=truncated(as_bytes(found.query)),
    )


def _by_rank(found: Ranked, name: str) -> Ranked:
    """The list with its ranks in place of scores."""
    return found._replace(scores=[-each for each in found.scores or []], are_ranks=True)


def list_in(cell: Any, name: str, line: int | None) -> Any:
    """The list in a text, as JSON or Python writes it; anything that does not begin with a bracket as it is.

    >>> list_in('["a", "b"]', "", None), list_in("['a', 'b']", "", None), list_in("a", "", None)
    (['a', 'b'], ['a', 'b'], 'a')
    """
    if not isinstance(cell, str) or not cell.lstrip().startswith("["):
        return cell
    import orjson

    with suppress(orjson.JSONDecodeError):
        listed = orjson.loads(cell)
        if "{" in cell:
            from truerank.formats.repeats import refuse_repeats  # not needed at every start

            refuse_repeats(listed, cell.encode(), name, line)
        return listed
    with suppress(ValueError, SyntaxError):
        if re.fullmatch(_LIST, cell):
            return ast.literal_eval(cell.strip())
    raise InputError("this is no list as JSON or Python writes it: {value}", name, line, value=quoted(cell))


def are_lists(docs: Any) -> bool:
    """Whether these are lists of documents, one per call, and not pairs (id, score)."""
    if not isinstance(docs, list | tuple) or not docs or not all(isinstance(each, LISTS) for each in docs):
        return False
    return not all(len(each) == 2 and isinstance(each[1], NUMBERS) for each in docs)


def answer(query: Any, docs: Any, scores: Any, name: str, line: int | None = None) -> Ranked:
    """One query's documents, with scores that stand beside or among them."""
    if scores is None:
        given = _best_first(_of_nodes(docs, name, line), name, line)
        docs, scores = split(given, SCORE, name, line)
        if are_none(given, scores):  # as where Elasticsearch sorts by a field
            scores = None
        elif scores is None and _has_distances(given):
            _, distances = split(given, DISTANCE, name, line)
            if not are_none(given, distances):
                return _by_distance(answer(query, docs, distances, name, line), name)
    if not isinstance(docs, list) or not isinstance(scores, list | None):
        raise no_list(scores if isinstance(docs, list) else docs, name, line)
    if scores is not None and len(docs) != len(scores):
        raise InputError(
            "there are {n} documents, but {numbers} scores, distances or ranks beside them",
            name,
            line,
            n=len(docs),
            numbers=len(scores),
        )
    return Ranked(
        query, checked_ids(docs, name, line), None if scores is None else checked_numbers(scores, name, line), line
    )


def no_list(value: Any, name: str, line: int | None) -> InputError:
    """The error for a value in place of a list, such as ids with blanks or commas between them."""
    return InputError(
        'a list of documents should stand here, not {value}: write ids as ["d1", "d2"]',
        name,
        line,
        value=quoted(value),
    )


def are_none(docs: Any, values: list[Any] | None) -> bool:
    """Whether a list of documents has a place for values, but all are missing."""
    return isinstance(docs, list) and bool(values) and all(each is None for each in values or ())


def first_keys(docs: Any) -> tuple[str, ...]:
    """The keys of the first document, if documents are objects; else none."""
    return tuple(docs[0]) if isinstance(docs, list) and docs and isinstance(docs[0], dict) else ()


def _has_distances(docs: Any) -> bool:
    """Whether these are objects with distances and without ranks, which come first where there are both."""
    keys = first_keys(docs)
    return bool(keys) and names.find(keys, DISTANCE) is not None and names.find(keys, RANK) is None


def _of_nodes(docs: Any, name: str, line: int | None) -> Any:
    """The ids and scores of documents that are wrapped in an object each; other documents as they are."""
    if not (keys := first_keys(docs)):
        return docs
    place, value = names.find(keys, ("node", *LISTED_DOC)), names.find(keys, SCORE)
    if place is None or not isinstance(docs[0][keys[place]], dict):
        return docs
    key = keys[place]
    held = [each[key] for each in docs if isinstance(each, dict) and isinstance(each.get(key), dict)]
    if len(held) < len(docs):
        raise _unlike(name, line)
    scores = (None if value is None else each.get(keys[value]) for each in docs)
    return [(_id_in(doc, name, line), score) for doc, score in zip(held, scores, strict=True)]


def _id_in(doc: dict[str, Any], name: str, line: int | None) -> Any:
    keys = tuple(doc)
    place = names.find(keys, ("id", "nodeid", *LISTED_DOC))
    if place is None:
        raise _without_ids(keys, name, line)
    return doc[keys[place]]


def _best_first(docs: Any, name: str, line: int | None) -> Any:
    """The documents of a query; objects that have a rank and no score are put in the order of the ranks."""
    keys = first_keys(docs)
    rank = names.find(keys, RANK) if keys else None
    if rank is None or names.find(keys, SCORE) is not None:
        return docs
    if not all(isinstance(item, dict) and keys[rank] in item for item in docs):
        raise _unlike(name, line)
    ranks = checked_numbers([item[keys[rank]] for item in docs], name, line)
    if not all(map(math.isfinite, ranks)):
        raise InputError("a number should stand here, not {value}", name, line, value=quoted(ranks))
    return [docs[place] for place in sorted(range(len(docs)), key=ranks.__getitem__)]


def _unlike(name: str, line: int | None) -> InputError:
    return InputError("the documents of this query are not all written in one way", name, line)


def _without_ids(keys: tuple[str, ...], name: str, line: int | None) -> InputError:
    return InputError("no key holds the document ids; name it doc_id, not {keys}", name, line, keys=quoted(keys))


def split(docs: Any, value_names: tuple[str, ...], name: str, line: int | None) -> tuple[Any, list[Any] | None]:
    """Ids and values from {id: value}, [[id, value], …], [{"id": id, "score": value}, …] or [id, …].

    A map of Arrow arrives as a list of pairs (id, value).
    """
    if isinstance(docs, dict):
        return list(docs), list(docs.values())
    if not isinstance(docs, list) or not docs or not isinstance(docs[0], dict | list | tuple):
        return docs, None
    try:
        if isinstance(docs[0], list | tuple):
            return [doc for doc, _ in docs], [value for _, value in docs]
        keys = tuple(docs[0])
        doc, value = names.find(keys, LISTED_DOC), names.find(keys, value_names)
        if doc is None:
            raise _without_ids(keys, name, line)
        return [item[keys[doc]] for item in docs], None if value is None else [item[keys[value]] for item in docs]
    except (KeyError, TypeError, ValueError):
        raise _unlike(name, line) from None
