"""Retrieval of open-domain question answering: a question's contexts, and whether each has the answer.

DPR's way, which Contriever and FiD have too, is a list of objects with `ctxs`; Pyserini's is {query: object with
`contexts`}. One file is a run, and the judgements of what it returned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from truerank.core.errors import InputError, quoted, truncated
from truerank.formats.names import CONTEXTS, DOC, find, find_query

HAS_ANSWER = ("has_answer", "hasanswer")
"""How DPR and Pyserini call it, and how Contriever and FiD do."""


def questions_of(whole: Mapping[Any, Any]) -> Callable[[], Iterator[dict[str, Any]]] | None:
    """One record per question from Pyserini's mapping; None for other mappings."""
    first = next(iter(whole.values()), None)
    if not isinstance(first, Mapping) or "question" not in first or not _are_objects(first.get("contexts")):
        return None
    return partial(_records, whole)


def _records(whole: Mapping[Any, Any]) -> Iterator[dict[str, Any]]:
    return ({"query_id": query, CONTEXTS: each.get("contexts")} for query, each in whole.items())


def returned(record: Mapping[str, Any], name: str, line: int | None) -> tuple[Any, list[Any], list[Any] | None]:
    """A question's id (or its text, if it has none), its contexts, and their scores, if there are any."""
    query, docs, contexts = _parts(record, name, line)
    scores = [each.get("score") for each in contexts]
    if all(score is None for score in scores):
        return query, docs, None
    try:  # DPR writes them as text
        return query, docs, [float(score) if isinstance(score, str) else score for score in scores]
    except ValueError:
        raise InputError("a number should stand here, not {value}", name, line, value=quoted(scores)) from None


def judged(record: Mapping[str, Any], name: str, line: int | None) -> tuple[Any, list[tuple[Any, int]]]:
    """A question's id, and its contexts, each with 1 where it has the answer and else 0."""
    query, docs, contexts = _parts(record, name, line)
    grades: list[Any] = [next((each[key] for key in HAS_ANSWER if key in each), None) for each in contexts]
    if not set(map(type, grades)) <= {bool, int}:
        raise InputError(
            "of the contexts of query {query} it is not said whether each has the answer: has_answer is true or "
            "false in judgements",
            name,
            line,
            query=truncated(str(query)),
        )
    return query, list(zip(docs, map(int, grades), strict=True))


def _parts(
    record: Mapping[str, Any], name: str, line: int | None
) -> tuple[Any, list[Any], list[Mapping[str, Any]]]:
    keys, contexts = list(record), record[CONTEXTS]
    query = find_query(keys)
    if query is None or not _are_objects(contexts):
        raise InputError(
            "a question with a list of contexts should stand here, not {value}", name, line, value=quoted(record)
        )
    ids = [find(list(each), DOC) for each in contexts]
    if None in ids:
        known = quoted(tuple(contexts[ids.index(None)]))
        raise InputError("no key holds the document ids; name it doc_id, not {keys}", name, line, keys=known)
    docs = [list(each.values())[place] for each, place in zip(contexts, ids, strict=True) if place is not None]
    return record[keys[query]], docs, contexts


def _are_objects(contexts: Any) -> bool:
    return isinstance(contexts, list) and all(isinstance(each, Mapping) for each in contexts)
