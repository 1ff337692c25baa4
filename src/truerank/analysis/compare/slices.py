"""Queries by an attribute: read from a table, cut into slices."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from truerank.core.errors import InputError, quoted
from truerank.core.messages import message
from truerank.core.schema import is_missing
from truerank.core.scores import Scores
from truerank.formats import names
from truerank.formats.source import as_source
from truerank.measures.of_run import OfRun
from truerank.measures.sums import Ints

MOST = 50
"""More slices than this are no slices: the attribute is a number or a text."""

UNNAMED = "slice"
"""What an attribute is called of which nothing else is said."""


class Attribute(Protocol):
    """Pairs (query, value): a mapping, or a Series of pandas by query."""

    def items(self) -> Iterable[tuple[Any, Any]]:
        """The pairs."""


def attribute_of(by: Attribute | str | None, name: str) -> tuple[Attribute | None, str]:
    """The attribute that queries are cut by, and its name; FILE:COLUMN is read."""
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
    """{query: value} from a table; queries without a value are left out.

    Args:
        path: CSV, TSV, JSON lines, JSON or Parquet, with a column query_id (or qid, query, topic, …, id).
        column: the name of the attribute.

    Raises:
        InputError: no such file or column, or a query that has two values.
    """
    from truerank.truth.tabular import read_table  # imports all rules of truth, which are rarely needed

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
    """Whether a value is missing: None, only blanks, or NaN."""
    return is_missing(value) or (isinstance(value, str) and not value.strip())


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


def sliced(scores: Sequence[Scores], by: Attribute) -> dict[str, list[Scores]]:
    """{value: the scores of each run on the queries that have it}.

    Raises:
        InputError: as for `cut`.

    >>> from truerank.core.evaluate import evaluate
    >>> scores = evaluate({"q1": ["a"], "q2": ["a"], "q3": ["a"]}, {"q1": ["a"], "q2": ["x", "a"]}, "RR")
    >>> found = sliced([scores], {"q1": "en", "q2": "de", "q3": "de"})
    >>> {value: each[0].mean for value, each in found.items()}
    {'de': {'RR': 0.25}, 'en': {'RR': 1.0}}
    """
    every = list(dict.fromkeys(query for one in scores for query in one.queries))
    values = {value: {every[place] for place in places} for value, places in cut(every, by).items()}
    return {
        value: [some(one, [place for place, query in enumerate(one.queries) if query in queries]) for one in scores]
        for value, queries in values.items()
    }


def some(scores: Scores, places: list[int]) -> Scores:
    """The scores of some queries, by their places; the ledger stays that of all queries."""
    return replace(
        scores,
        queries=[scores.queries[place] for place in places],
        columns={name: column[np.array(places, np.intp)] for name, column in scores.columns.items()},
        of_run={name: _OfSome(len(places), whole, places) for name, whole in scores.of_run.items()},
        runs=(),
    )


@dataclass(frozen=True, eq=False)
class _OfSome(OfRun):
    """A number of the whole run, for some of its queries.

    Attributes:
        whole: the number for all queries.
        places: the places of these queries among all.
    """

    whole: OfRun
    places: list[int]

    @property
    def is_drawn(self) -> bool:  # type: ignore[override]
        """Whether resamples of the queries show how sure it is."""
        return self.whole.is_drawn

    def at(self, times: Ints) -> float:
        """The number with each of the queries taken this many times."""
        of_all = np.zeros(self.whole.queries, np.int64)
        of_all[self.places] = times
        return self.whole.at(of_all)


def _order(value: str) -> tuple[int, float, str]:
    try:
        return 0, float(value), value
    except ValueError:
        return 1, 0.0, value
