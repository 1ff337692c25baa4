"""Plain values as answers: ids, (id, score) pairs, {id: score}, dicts and documents, (D, I) arrays."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import compress
from typing import Any
from uuid import UUID

import numpy as np

from truerank.core.errors import InputError
from truerank.core.mappings import are_labelled_numbers
from truerank.core.messages import message
from truerank.formats.rows import is_id
from truerank.live.adapters.answers import NUMBERS, answer
from truerank.live.adapters.ids import IdKind, IdReader
from truerank.live.retriever import Answer

OWN = ("id", "_id", "id_", "doc_id", "docid", "docno")
TEXTS = ("page_content", "content", "text")
SHAPES = message(
    "a list of ids, of (id, score) pairs, or of dicts with an id; {id: score}; (distances, ids) arrays; or a "
    "list of such lists, one per call",
)


def field(result: Any, path: str) -> Any:
    """What stands at a path of keys, attributes and positions; None where there is nothing.

    >>> field({"data": {"hits": [{"_id": "a"}]}}, "data.hits[0]._id")
    'a'
    """
    if isinstance(result, Mapping) and path in result:
        return result[path]
    for step in re.findall(r"[^.\[\]]+", path):
        result = _step(result, step)
    return result


def _step(result: Any, step: str) -> Any:
    if isinstance(result, Mapping):
        return result.get(step)
    if isinstance(result, list | tuple):
        at = int(step) if step.isdigit() else len(result)
        return result[at] if at < len(result) else None
    return getattr(result, step, None)


def _first(result: Any, names: Iterable[str]) -> Any:
    return next((value for name in names if (value := field(result, name)) is not None), None)


def _own(result: Any) -> object:
    return result if isinstance(result, str | bytes | int | float | np.generic | UUID) else _first(result, OWN)


def _metadata(result: Any) -> Mapping[str, object]:
    metadata = _first(result, ("metadata", "meta"))
    return metadata if isinstance(metadata, Mapping) else {}


PLAIN = IdKind(message("a plain value"), _own, field, _metadata, lambda result: _first(result, TEXTS))


def read_plain(raw: Any, ids: IdReader, score: str = "score", scores: Iterable[object] | None = None) -> Answer:
    """The answer that a plain value is.

    Args:
        raw: what a function returned, or what JSON held.
        score: where a dict or document keeps its score.
        scores: one a result, where they come apart from the results.

    Raises:
        InputError: it has another shape, a result without an id, or a score that is no finite number.

    >>> read_plain({"a": 0.5, "b": 2}, IdReader())
    Answer(docs=('b', 'a'), scores=(2.0, 0.5))
    >>> read_plain([{"id": 7}, {"id": 8}], IdReader()).docs
    ('7', '8')
    >>> [one.docs for one in read_plain([["a", "b"], ["c"]], IdReader()).lists]
    [('a', 'b'), ('c',)]
    """
    if scores is None and are_lists(raw):
        return Answer.joined([read_plain(each, ids, score) for each in raw])
    if scores is not None:
        results, paired = list(raw), list(scores)
        if len(results) != len(paired):
            raise InputError("there are {n} results and {others} scores", n=len(results), others=len(paired))
    elif isinstance(raw, Mapping):
        results, paired = _ranked(raw)
    elif neighbours := _neighbours(raw):
        results, paired = neighbours
    else:
        results, paired = _listed(raw, score)
    return answer(results, paired, ids, PLAIN)


def are_lists(raw: Any) -> bool:
    """Whether these are lists of results, one per call, not results or pairs (id, score), which may be tuples."""
    if not isinstance(raw, list | tuple) or not raw or not all(isinstance(each, list) for each in raw):
        return False
    return not all(len(each) == 2 and (each[1] is None or isinstance(each[1], NUMBERS)) for each in raw)


def _ranked(raw: Mapping[Any, Any]) -> tuple[list[Any], list[Any]]:
    """{id: score}, the highest first; equal scores in the order of the dict."""
    for doc, score in raw.items():
        if not isinstance(score, NUMBERS):
            raise InputError(
                "a dict is read as {{id: score}}, but {doc!r} has {kind}: {shapes}",
                doc=doc,
                kind=type(score).__name__,
                shapes=SHAPES,
            )
    order = sorted(raw, key=lambda doc: -raw[doc])
    return order, [raw[doc] for doc in order]


def _neighbours(raw: Any) -> tuple[list[Any], list[Any]] | None:
    """Arrays of one query, as FAISS gives them: (D, I), told apart by their types, -1 where nothing was found."""
    if are_labelled_numbers(raw):
        raise InputError(
            "the answer is a Series of numbers: its to_dict() is {id: score} where its index holds the ids, its "
            "tolist() the ids where they are these numbers"
        )
    if hasattr(raw, "columns"):
        return None
    if hasattr(raw, "__array__"):
        ids = _row(raw)
        distances = [None] * len(ids)
    elif isinstance(raw, tuple | list) and len(raw) == 2 and all(map(_is_array, raw)):
        first, second = _row(raw[0]), _row(raw[1])
        ids, values = (first, second) if second.dtype.kind == "f" else (second, first)
        if len(ids) != len(values):
            raise InputError("there are {n} ids and {others} distances", n=len(ids), others=len(values))
        distances = values.tolist()
    else:
        return None
    there = is_id(ids)
    return ids[there].tolist(), list(compress(distances, there.tolist()))


def _is_array(part: Any) -> bool:
    """Whether this is an array, and not a single value of NumPy's, which may be an id."""
    return hasattr(part, "__array__") and getattr(part, "ndim", 1) > 0


def _row(array: Any) -> np.ndarray[Any, Any]:
    row = np.asarray(array)
    if row.ndim > 2 or (row.ndim == 2 and len(row) != 1):
        raise InputError(
            "an array of shape {shape} is not the answer to one query: (k,) or (1, k)", shape=row.shape
        )
    return row.reshape(-1)


def _listed(raw: Any, score: str) -> tuple[list[Any], list[Any]]:
    if isinstance(raw, str | bytes) or not isinstance(raw, Iterable) or hasattr(raw, "columns"):
        raise InputError(
            "the answer is {kind}, not {shapes}{hint}", kind=type(raw).__name__, shapes=SHAPES, hint=_hint(raw)
        )
    if isinstance(raw, set | frozenset):
        raise InputError(
            "the answer is a {kind}, which has no order: {shapes}", kind=type(raw).__name__, shapes=SHAPES
        )
    pairs = [_pair(item, score) for item in raw]
    return [doc for doc, _ in pairs], [value for _, value in pairs]


def _hint(raw: Any) -> str:
    """What to do about an answer that is none yet."""
    if hasattr(raw, "__await__"):
        return message(". It is a coroutine: asynchronous=True awaits it")
    if hasattr(raw, "__aiter__"):
        return message(". It is iterated over asynchronously: asynchronous=True does so")
    if hasattr(raw, "columns"):
        return message(". Its rows are dicts by to_dict('records'), of polars by to_dicts()")
    if hasattr(raw, "search") or hasattr(raw, "knn_query"):
        return message(
            ". It is an index: give it itself, or sweep a parameter of the function that returns it, by another "
            "name than k, concurrency and rate, which are of the load"
        )
    return ""


def _pair(item: Any, score: str) -> tuple[Any, Any]:
    if isinstance(item, tuple | list):
        if len(item) != 2 or isinstance(item[1], str):
            raise InputError("a result is {item}, not (id, score): {shapes}", item=repr(item)[:80], shapes=SHAPES)
        return item[0], item[1]
    return item, None if isinstance(item, str | bytes | int | np.generic) else field(item, score)
