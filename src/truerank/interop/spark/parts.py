"""Parts: what tasks found in their rows, on the way to the driver, and the scan of the whole run that they make."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from truerank.core._kernel import HIT
from truerank.core.ids import joined
from truerank.core.qrels import Ints, Qrels
from truerank.core.scan import Scan


@dataclass(frozen=True, eq=False)
class Part:
    """What was found in some of a run's rows.

    Attributes:
        answered: the numbers, among all judged queries, of those that the rows answer; they rise.
        found: whose `returned` is of these queries alone.
    """

    answered: Ints
    found: Scan

    @classmethod
    def of(cls, found: Scan) -> Part:
        """The same without the queries that the rows do not answer."""
        answered = np.flatnonzero(found.returned >= 0)
        return cls(answered, replace(found, returned=found.returned[answered]))

    def without(self, queries: Collection[bytes], qrels: Qrels) -> Part:
        """The same without what was found for some queries."""
        gone = np.array([qrels.queries[i] in queries for i in self.answered.tolist()], bool)
        found = self.found
        kept = ~np.isin(found.table["query"], self.answered[gone])
        extra = tuple(name for name in found.extra if name not in queries)
        return Part(
            self.answered[~gone],
            replace(found, table=found.table[kept], returned=found.returned[~gone], extra=extra),
        )


def split_queries(parts: Sequence[Part], qrels: Qrels) -> set[bytes]:
    """The queries, judged or not, whose rows are in several parts."""
    times = np.zeros(len(qrels), np.int64)
    for part in parts:
        times[part.answered] += 1
    extra = Counter(name for part in parts for name in part.found.extra)
    several = {name for name, n in extra.items() if n > 1}
    return several | {qrels.queries[i] for i in np.flatnonzero(times > 1).tolist()}


def whole(parts: Sequence[Part], qrels: Qrels) -> Scan:
    """What was found in a run whose queries are each in one part."""
    returned = np.full(len(qrels), -1, np.int64)
    for part in parts:
        returned[part.answered] = part.found.returned
    found = [part.found for part in parts]
    return Scan(
        _table(found, len(qrels.grades)),
        returned,
        tuple(sorted({name for each in found for name in each.extra})),
        sum(each.rows for each in found),
        sum(each.repeated for each in found),
        any(each.interleaved for each in found),
        joined([each.unjudged for each in found]),
    )


def _table(found: Sequence[Scan], judged: int) -> np.ndarray:
    """The rows of all, by query; unjudged documents are numbered on."""
    tables, before = [np.empty(0, HIT)], 0
    for each in found:
        table = each.table.copy() if before else each.table
        if before:
            table["doc"] += before * (table["doc"] >= judged)
        before += len(each.unjudged)
        tables.append(table)
    table = np.concatenate(tables)
    return table[np.argsort(table["query"], kind="stable")]
