"""Parts: what tasks found in their rows, as sent to the driver, and the scan of the whole run made of them.

A part has only the queries that its rows answer: with many queries and many tasks, a `Reading` of all queries from
each task would not fit into the driver.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truerank.core.ids import NO_IDS, joined
from truerank.core.kernel.scanning import HIT
from truerank.core.qrels import Ints, Qrels
from truerank.core.reading import Reading
from truerank.core.scan import NO_LISTS, Scan, number_on


@dataclass(frozen=True, eq=False)
class Part:
    """What was found in some of a run's rows.

    Attributes:
        answered: the numbers, among all judged queries, of those that the rows answer, in ascending order.
        found: the scan; its `returned` and `repeats` are only of these queries.
    """

    answered: Ints
    found: Scan

    @classmethod
    def of(cls, scan: Scan) -> Part:
        """The part of a scan, without the queries that the rows do not answer."""
        answered = np.flatnonzero(scan.returned >= 0)
        return cls(answered, _of_queries(scan, answered))

    @classmethod
    def of_some(cls, reading: Reading, queries: Ints, qrels: Qrels) -> Part:
        """The part of a reading of some queries, numbered as among all queries."""
        rows = reading.rows
        table = np.empty(len(rows), HIT)
        for name in HIT.names or ():
            table[name] = getattr(rows, name)
        _renumber(table, rows.query, queries[rows.query], reading.qrels, qrels)
        scan = Scan([table], rows.returned, (), len(rows), False, reading.unjudged, reading.repeats)
        answered = np.flatnonzero(rows.returned >= 0)
        return cls(queries[answered], _of_queries(scan, answered))

    def without(self, queries: Ints) -> Part:
        """The part without some queries."""
        kept = ~np.isin(self.answered, queries)
        scan = self.found
        table = scan.table[~np.isin(scan.table["query"], queries)]
        rest = _of_queries(scan, np.flatnonzero(kept))._replace(tables=[table])
        return Part(self.answered[kept], rest)

    def among(self, queries: Ints, qrels: Qrels, some: Qrels) -> Scan:
        """The scan of some queries, numbered as if there were no others.

        Args:
            some: the judgements of these queries.
        """
        scan = self.found
        table = scan.table[np.isin(scan.table["query"], queries)]
        old = table["query"].copy()
        _renumber(table, old, np.searchsorted(queries, old), qrels, some)
        kept = np.isin(self.answered, queries)
        place = np.searchsorted(queries, self.answered[kept])
        returned, repeats = np.full(len(queries), -1, np.int64), np.zeros(len(queries), np.int64)
        returned[place] = scan.returned[kept]
        if scan.repeats is not None:
            repeats[place] = scan.repeats[kept]
        return Scan([table], returned, (), len(table), False, scan.unjudged, repeats)


def _of_queries(scan: Scan, places: Ints) -> Scan:
    repeats = None if scan.repeats is None else scan.repeats[places]
    return scan._replace(returned=scan.returned[places], repeats=repeats)


def _renumber(table: NDArray[np.void], old: Ints, new: Ints, before: Qrels, after: Qrels) -> None:
    """Renumber queries and documents, in place, from one set of judgements to another.

    Args:
        old, new: (rows,) the query of each row in both.
    """
    is_judged = table["doc"] < len(before.grades)
    shift = after.start[new] - before.start[old]
    table["doc"] += np.where(is_judged, shift, len(after.grades) - len(before.grades))
    table["query"] = new


def split_queries(parts: Sequence[Part], queries: int) -> Ints:
    """The numbers of the queries that several parts answer."""
    times = np.zeros(queries, np.int64)
    for part in parts:
        times[part.answered] += 1
    return np.flatnonzero(times > 1)


def whole(parts: Sequence[Part], qrels: Qrels) -> Scan:
    """The scan of a run whose queries are each in one part."""
    returned, repeats = np.full(len(qrels), -1, np.int64), np.zeros(len(qrels), np.int64)
    for part in parts:
        returned[part.answered] = part.found.returned
        if part.found.repeats is not None:
            repeats[part.answered] = part.found.repeats
    scans = [part.found for part in parts]
    unjudged = [each.unjudged for each in scans]
    tables = [each.table.copy() for each in scans]
    number_on(tables, unjudged, len(qrels.grades))
    return Scan(
        tables,
        returned,
        tuple(sorted({name for each in scans for name in each.extra})),
        sum(each.rows for each in scans),
        any(each.interleaved for each in scans),
        joined([NO_IDS, *unjudged]),  # without a partition there is nothing
        repeats if repeats.any() else None,
        scoring=sum((each.scoring for each in scans), NO_LISTS),
    )
