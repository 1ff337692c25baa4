"""Elasticsearch's and OpenSearch's rank_eval: the ratings of a request, and the hits of its response."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from truerank.core.errors import InputError, quoted, truncated

RESPONSE = re.compile(rb'\s*\{\s*(?:"metric_score"\s*:\s*[-+.\w"]+\s*,\s*)?"(?:details|failures)"\s*:\s*\{')
"""How a response begins, whose queries all stand in one of its keys."""

_RATINGS = re.compile(rb'"ratings"\s*:\s*\[')
_HITS = re.compile(rb'"hits"\s*:\s*\[')


def side(head: bytes) -> str | None:
    """Whether a file of rank_eval that begins like this has ratings ("qrels") or hits ("run"); None for others."""
    if RESPONSE.match(head):
        return "run" if _HITS.search(head) else None
    return "qrels" if b'"requests"' in head and _RATINGS.search(head) else None


def queries_of(whole: Mapping[Any, Any], what: str, name: str) -> Callable[[], Iterator[dict[str, Any]]] | None:
    """One record per query, of its ratings or of its hits; None for other mappings.

    Args:
        what: "qrels" or "run".
        name: for errors.
    """
    if what == "qrels":
        requests: Any = whole.get("requests")
        return partial(_rated, requests, name) if requests and _are_objects(requests, "ratings") else None
    details = whole.get("details")
    if "metric_score" not in whole or not isinstance(details, Mapping):
        return None
    return partial(_returned, details, name) if _are_objects(list(details.values()), "hits") else None


def _are_objects(values: Any, key: str) -> bool:
    """Whether these are objects that each have a list under this key."""
    are_listed = isinstance(values, list)
    return are_listed and all(isinstance(each, Mapping) and isinstance(each.get(key), list) for each in values)


def _rated(requests: Sequence[Mapping[str, Any]], name: str) -> Iterator[dict[str, Any]]:
    """The documents of each query with their grades."""
    for request in requests:
        ratings, query = request["ratings"], request.get("id")
        graded = [(doc, each.get("rating")) for doc, each in zip(_ids(query, ratings, name), ratings, strict=True)]
        yield {"query_id": query, "relevant": graded}


def _returned(details: Mapping[str, Mapping[str, Any]], name: str) -> Iterator[dict[str, Any]]:
    """The documents of each query as returned, with their scores where these fall along the list."""
    for query, detail in details.items():
        hits: list[Any] = [each.get("hit") if isinstance(each, Mapping) else None for each in detail["hits"]]
        docs, scores = _ids(query, hits, name), [hit.get("_score") for hit in hits]
        is_sorted = set(map(type, scores)) <= {int, float} and all(a >= b for a, b in pairwise(scores))
        yield {"query_id": query, "docs": docs, "scores": scores if is_sorted else None}


def _ids(query: Any, entries: Sequence[Any], name: str) -> list[Any]:
    """The ids of some documents of a query.

    Raises:
        InputError: an entry has none; two indices have a document of one id.
    """
    if not all(isinstance(each, Mapping) and type(each.get("_id")) in (str, int) for each in entries):
        raise InputError("query {query} has a document without _id", name, query=truncated(str(query)))
    index: dict[Any, Any] = {}
    for each in entries:
        if index.setdefault(each["_id"], each.get("_index")) != each.get("_index"):
            raise InputError(
                "query {query} has document {doc} of two indices, {one} and {other}: ids have to differ",
                name,
                query=truncated(str(query)),
                doc=truncated(str(each["_id"])),
                one=quoted(index[each["_id"]]),
                other=quoted(each.get("_index")),
            )
    return [each["_id"] for each in entries]
