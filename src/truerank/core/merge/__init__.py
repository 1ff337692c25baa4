"""Merging: readings of parts of a run as the reading of the whole, in any order, to the same bits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import overload

import numpy as np

from truerank.core.calls import Calls
from truerank.core.errors import InputError, truncated
from truerank.core.hits import Bools
from truerank.core.ids import joined
from truerank.core.merge.counts import RankCounts, added, ranked, uncounted
from truerank.core.merge.parts import Parts
from truerank.core.merge.scattered import scattered
from truerank.core.messages import plural
from truerank.core.reading import Reading
from truerank.core.scan import EVERY_RANK, NO_LISTS, Scan

Again = Reading | RankCounts | Iterable[RankCounts]
"""What was found out of scattered queries."""


@overload
def merge(readings: Iterable[Reading], again: Again | None = None, *, name: str | None = None) -> Reading: ...


@overload
def merge(readings: Iterable[RankCounts]) -> RankCounts: ...


def merge(
    readings: Iterable[Reading] | Iterable[RankCounts], again: Again | None = None, *, name: str | None = None
) -> Reading | RankCounts:
    """The reading of a whole run from those of its parts, in any order: the same bits as if it were read at once.

    Parts may have been read against all judgements, or against those of their own queries. Rank counts of parts are
    merged likewise.

    Args:
        again: for queries whose rows are in several parts (see `scattered`): their reading by `read_together`, or
            the counts of all parts by `count_ranks`.
        name: what to call the run; by default the name of a part that comes first in the alphabet.

    Raises:
        InputError: two parts answer the same query, and `again` does not have it; two parts judge a query
            differently; there is no part.
        RulesError: parts were read under different rules.

    >>> import truerank as tr
    >>> qrels, run = {"q": {"a": 1}, "r": {"b": 1}}, {"q": ["x", "a"], "r": ["b"]}
    >>> parts = [tr.read(qrels, {query: run[query]}) for query in ("r", "q")]
    >>> tr.merge(parts).hits.rank.tolist()
    [2, 1]
    """
    given = list(readings)
    if given and all(isinstance(part, RankCounts) for part in given):
        return added([part for part in given if isinstance(part, RankCounts)])
    parts = Parts.of([part for part in given if isinstance(part, Reading)])
    if len(parts.readings) == 1:  # nothing is added up: submitted lines answer a query several times
        return replace(parts.readings[0], name=name or parts.name)
    several = parts.times > 1
    if not several.any():
        return _merged(parts, [~several] * len(given), name)
    if any(part.rows.calls is not None for part in parts.readings):
        query = truncated(_names(parts, several)[0])
        raise InputError("the lists of query {query} are in several parts: read them together", name, query=query)
    rest = _again(parts, several, again)
    whole = Parts.of([*parts.readings, rest])
    merged = _merged(whole, [*[~several] * len(given), several], name)
    return replace(merged, interleaved=True)


def _again(parts: Parts, several: Bools, again: Again | None) -> Reading:
    """The reading of the scattered queries."""
    if isinstance(again, Reading):
        known = set(again.rows.queries)
        lacking = [query for query in _names(parts, several) if query not in known]
        if lacking:
            raise InputError(_unread(lacking), parts.name)
        return again
    if again is None and parts.readings[0].kept < EVERY_RANK:
        raise InputError(_unread(_names(parts, several)), parts.name)
    some = scattered(parts)
    counts = [uncounted(some)] if again is None else [again] if isinstance(again, RankCounts) else again
    return ranked(some, counts)


def _names(parts: Parts, several: Bools) -> list[bytes]:
    return [parts.qrels.queries[place] for place in np.flatnonzero(several).tolist()]


def _unread(queries: Sequence[bytes]) -> str:
    return plural(
        "query {query} is answered in two parts: read its rows together (scattered, read_together; for a command: "
        "--again RUN), or count ranks (count_ranks)",
        "{n:,} queries are answered in several parts, such as {query}: read their rows together (scattered, "
        "read_together; for a command: --again RUN), or count ranks (count_ranks)",
        n=len(queries),
        query=truncated(queries[0]),
    )


def _calls(parts: Parts) -> Calls | None:
    """The calls of all parts; None where queries have one list.

    Raises:
        InputError: only some parts have several lists per query.
    """
    calls = [
        part.rows.calls.moved(place)
        for part, place in zip(parts.readings, parts.places, strict=True)
        if part.rows.calls is not None
    ]
    without = [part for part in parts.readings if part.rows.calls is None and (part.rows.returned > 0).any()]
    if calls and without:
        raise InputError("queries have one list here, and several in other parts", without[0].name)
    return Calls.joined(calls) if calls else None


def _merged(parts: Parts, keep: Sequence[Bools], name: str | None) -> Reading:
    """The parts as one reading; `keep` says for each part which queries are taken from it."""
    tables, returned, before = [], np.full(len(parts.qrels), -1, np.int64), 0
    repeats = np.zeros(len(parts.qrels), np.int64)
    for number, (part, place, kept) in enumerate(zip(parts.readings, parts.places, keep, strict=True)):
        tables.append(parts.table(number, kept, before))
        before += len(part.unjudged)
        mine = kept[place] & (part.rows.returned >= 0)
        returned[place[mine]] = part.rows.returned[mine]
        if part.repeats is not None:  # also of answers without a document, which rules may count as not answered
            repeats[place] += np.where(kept[place], part.repeats, 0)
    first = parts.readings[0]
    scan = Scan(
        tables,
        returned,
        tuple(sorted({query for part in parts.readings for query in part.extra} - set(parts.qrels.queries))),
        sum(map(len, tables)),
        any(part.interleaved for part in parts.readings),
        joined([part.unjudged for part in parts.readings]),
        repeats if repeats.any() else None,
        _calls(parts),
        sum((part.scoring for part in parts.readings), NO_LISTS),
    )
    return Reading.of(parts.qrels, scan, first.rules, name or parts.name, first.kept)
