"""Queries by an attribute: read from a table, cut into slices."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from truerank.core.errors import InputError, quoted
from truerank.core.messages import message
from truerank.core.schema import is_missing
from truerank.formats import names
from truerank.formats.source import as_source

MOST = 50
"""More slices than this are no slices: the attribute is a number or a text."""

UNNAMED = "slice"
"""What an attribute is called of which nothing else is said."""


class Attribute(Protocol):
    """Pairs (query, value): a mapping, or a Series of pandas by query."""

    def items(self) -> Iterable[tuple[Any, Any]]:
        """The pairs."""


def attribute_of(by: Attribute | str | None, name: str) -> tuple[Attribute | None, str]:
    """What the queries are cut by, and what it is called: where it is FILE:COLUMN, that column, read."""
    if not isinstance(by, str):
        return by, name
    path, column = file_and_column(by)
    return read_attribute(path, column), column if name == UNNAMED else name


def file_and_column(by: str) -> tuple[str, str]:
    """The file and the column; a path may have colons of its own.

    >>> file_and_column("topics.csv:language")
    ('topics.csv', 'language')
    """
    path, _, column = by.rpartition(":")
    if not (path and column):
        raise InputError("queries are cut by FILE:COLUMN, e.g. topics.csv:language; not {by!r}", by=by)
    return path, column


def read_attribute(path: str | os.PathLike[str], column: str) -> dict[str, str]:
    """What a table says of each query: {query: value}; queries without a value are left out.

    Args:
        path: CSV, TSV, JSON lines, JSON or Parquet, with a column query_id (or qid, query, topic, …, id).
        column: the name of the attribute.

    Raises:
        InputError: no such file or column, or a query that has two values.
    """
    from truerank.truth.tabular import read_table  # with all rules of truth, which few comparisons need

    table = read_table(as_source(path))
    values = table.columns[table.named(column)]
    queries = table.find(names.QUERY_OR_ID, but=column)
    if queries is None:
        raise InputError("no column holds the query ids; name it query_id", table.name)
    return _by_query(table.columns[queries], values, table.name)


def _by_query(queries: Sequence[Any], values: Sequence[Any], name: str | None = None) -> dict[str, str]:
    slices: dict[str, str] = {}
    for query, value in zip(queries, values, strict=True):
        if query is None or _is_blank(value):
            continue
        first = slices.setdefault(str(query), str(value))
        if first != str(value):
            raise InputError(
                "query {query} has two values, {first} and {second}", name, query=query, first=first, second=value
            )
    return slices


def _is_blank(value: Any) -> bool:
    """Nothing, an empty text, or NaN."""
    return is_missing(value) or value == ""


def cut(queries: Sequence[str], by: Attribute) -> dict[str, list[int]]:
    """{value: the places of the queries that have it}, the values in order, numbers by their size.

    Raises:
        InputError: no query has a value, or one has two; or there are too many different ones.

    >>> cut(["q1", "q2", "q3"], {"q1": "en", "q2": "de", "q3": "en"})
    {'de': [1], 'en': [0, 2]}
    """
    if not hasattr(by, "items") or getattr(by, "ndim", 1) != 1:
        raise InputError("an attribute is {{query: value}} or FILE:COLUMN, not {by}", by=quoted(by))
    pairs = list(by.items())
    value_of = _by_query([query for query, _ in pairs], [value for _, value in pairs])
    slices: dict[str, list[int]] = {}
    for place, query in enumerate(queries):
        if query in value_of:
            slices.setdefault(value_of[query], []).append(place)
    if not slices:
        example = next(iter(value_of), None)
        hint = (
            message(
                ": it has values for queries like {example!r}, these are like {query!r}",
                example=example,
                query=queries[0],
            )
            if example
            else ""
        )
        raise InputError("the attribute has a value for none of the queries{hint}", hint=hint)
    if len(slices) > MOST:
        raise InputError(
            "the attribute has {n} different values, the most frequent for {largest} queries: too many "
            "for slices (at most {most}); group them first",
            n=len(slices),
            largest=max(map(len, slices.values())),
            most=MOST,
        )
    return dict(sorted(slices.items(), key=lambda item: _order(item[0])))


def _order(value: str) -> tuple[int, float, str]:
    try:
        return 0, float(value), value
    except ValueError:
        return 1, 0.0, value
