"""Merging: readings of parts of a run as the reading of the whole, in any order, to the same bits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from truerank.core._kernel import HIT
from truerank.core.errors import InputError, RulesError, printable
from truerank.core.ids import joined
from truerank.core.qrels import IGNORED, Ints, Qrels
from truerank.core.reading import Reading
from truerank.core.scan import Scan


def merge(readings: Iterable[Reading]) -> Reading:
    """The reading of a whole run from those of its parts, in any order: the same bits as if it were read at once.

    A part has all rows of the queries that it answers. Parts may have been read against all judgements, or against
    those of their own queries.

    Raises:
        InputError: two parts answer the same query, or judge it differently; there is no part.
        RulesError: parts were read under different rules.

    >>> import truerank as tr
    >>> qrels, run = {"q": {"a": 1}, "r": {"b": 1}}, {"q": ["x", "a"], "r": ["b"]}
    >>> parts = [tr.read(qrels, {query: run[query]}) for query in ("r", "q")]
    >>> tr.merge(parts).hits.rank.tolist()
    [2, 1]
    """
    parts = list(readings)
    if not parts:
        raise InputError("there is no reading to merge")
    first = parts[0]
    for part in parts[1:]:
        if part.rules != first.rules or part.kept != first.kept:
            raise RulesError(
                "{name} and {other} were read under different rules, or keep other rows",
                name=part.name,
                other=first.name,
            )
    qrels = _judgements(parts)
    place = {query: number for number, query in enumerate(qrels.queries)}
    queries = [np.array([place[name] for name in part.rows.queries], np.int64) for part in parts]
    table = np.concatenate(list(_tables(parts, queries, qrels)))
    found = Scan(
        table[np.argsort(table["query"], kind="stable")],
        _returned(parts, queries, qrels),
        tuple(sorted({name for part in parts for name in part.extra} - set(place))),
        len(table),
        sum(part.repeated for part in parts),
        any(part.interleaved for part in parts),
        joined([part.unjudged for part in parts]),
    )
    return Reading.of(qrels, found, first.rules, first.name, first.kept)


def _returned(parts: Sequence[Reading], queries: Sequence[Ints], qrels: Qrels) -> Ints:
    """How many documents each query returned, in whichever part answers it."""
    returned = np.full(len(qrels), -1, np.int64)
    for part, query in zip(parts, queries, strict=True):
        answered = part.rows.returned >= 0
        again = answered & (returned[query] >= 0)
        if again.any():
            twice = printable(part.rows.queries[int(np.argmax(again))])
            raise InputError(
                "query {query} is answered in two parts: read its rows together", part.name, query=twice
            )
        returned[query[answered]] = part.rows.returned[answered]
    return returned


def _tables(parts: Sequence[Reading], queries: Sequence[Ints], qrels: Qrels) -> Iterator[NDArray[np.void]]:
    """The rows of each part, its queries and documents numbered as in the whole."""
    judged, before = len(qrels.grades), 0
    for part, query in zip(parts, queries, strict=True):
        rows, known = part.rows, len(part.qrels.grades)
        table = np.empty(len(rows), HIT)
        for name in ("rank", "first", "last", "score"):
            table[name] = getattr(rows, name)
        table["query"] = query[rows.query]
        is_judged = rows.doc < known
        shift = (qrels.start[query] - part.qrels.start[:-1])[rows.query]
        table["doc"] = rows.doc + np.where(is_judged, shift, judged + before - known)
        before += len(part.unjudged)
        yield table


def _judgements(parts: Sequence[Reading]) -> Qrels:
    """The judgements of all parts."""
    distinct = list({id(part.qrels): part.qrels for part in parts}.values())
    if len(distinct) == 1:
        return distinct[0]
    owner: dict[bytes, tuple[Qrels, int]] = {}
    for qrels in distinct:
        for number, query in enumerate(qrels.queries):
            other, at = owner.setdefault(query, (qrels, number))
            if other is not qrels and _of(other, at) != _of(qrels, number):
                raise InputError(
                    "query {query} is judged differently, or in another order", qrels.name, query=printable(query)
                )
    names = sorted(owner)
    judged = [_of(*owner[name]) for name in names]
    numbers = np.repeat(np.arange(len(names)), list(map(len, judged)))
    docs = [doc for each in judged for doc, _ in each]
    grades = [grade for each in judged for _, grade in each]
    merged = Qrels.from_rows(names, numbers, docs, grades, name=distinct[0].name)
    return replace(merged, apart={query: grade for qrels in distinct for query, grade in qrels.apart.items()})


def _of(qrels: Qrels, query: int) -> list[tuple[bytes, float]]:
    """The judgements of a query, in order; ignored ones as `IGNORED` itself, which lists compare equal."""
    rows = range(int(qrels.start[query]), int(qrels.start[query + 1]))
    grades = (float(qrels.grades[row]) for row in rows)
    return [(qrels.doc(row), IGNORED if grade != grade else grade) for row, grade in zip(rows, grades, strict=True)]
