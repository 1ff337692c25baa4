"""Hits in which each query occurs several times, once for each way in which things could be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from truerank.core.evaluate import valued
from truerank.core.hits import Hits, Judgements
from truerank.core.ids import stretches
from truerank.core.rules import Rules
from truerank.core.run import Progress
from truerank.measures import Measure
from truerank.measures.sums import Ints, PerQuery

LIMIT = 720
"""A query that could be in at most this many ways is tried in all of them."""

ROWS = 100_000
"""About as many rows are looked at together."""


@dataclass(frozen=True, eq=False)
class Repeated:
    """Hits with each query several times in a row.

    Attributes:
        hits: the table; a way is a query of it.
        times: (queries,) how many ways each query has; at least one.
        row: (hits,) the row that each was copied from.
    """

    hits: Hits
    times: Ints
    row: Ints

    @classmethod
    def of(cls, hits: Hits, times: Ints) -> Repeated:
        """This many copies of each query."""
        query = np.repeat(np.arange(len(times)), times)
        of_each = [hits.query, hits.judgements.query, *([] if hits.calls is None else [hits.calls.query])]
        counts = (np.bincount(each, minlength=len(times)) for each in of_each)
        (rows, way), (judged, judged_way), *calls = (stretches((np.cumsum(n) - n)[query], n[query]) for n in counts)
        table = replace(
            hits.where(rows),
            queries=tuple(hits.queries[q] for q in query.tolist()),
            returned=hits.returned[query],
            judgements=Judgements(judged_way, hits.judgements.grade[judged]),
            query=way,
            calls=None if hits.calls is None else hits.calls.chosen(*calls[0]),
        )
        return cls(table, times, rows)

    @cached_property
    def _start(self) -> Ints:
        return np.cumsum(self.times) - self.times

    def lowest(self, values: PerQuery) -> PerQuery:
        """(queries,) the lowest of one value per way."""
        low: PerQuery = np.minimum.reduceat(values, self._start)
        return low

    def highest(self, values: PerQuery) -> PerQuery:
        """(queries,) the highest of one value per way."""
        high: PerQuery = np.maximum.reduceat(values, self._start)
        return high

    def mean(self, values: PerQuery) -> PerQuery:
        """(queries,) the mean of one value per way, all equally likely."""
        total: PerQuery = np.add.reduceat(values, self._start)
        return total / self.times


def values_of(measures: tuple[Measure, ...], hits: Hits, rules: Rules) -> dict[str, PerQuery]:
    """The values of each measure for hits to which no rule was applied yet."""
    final = hits.under(rules)
    return {str(measure): valued(measure, final, rules) for measure in measures}


def is_declared(measure: Measure) -> bool:
    """Whether a measure declares how it follows its documents; if not, it may read anything and nothing is sure."""
    return measure.monotone is not None


def parts(queries: int, looks: int, progress: Progress) -> Iterator[Progress]:
    """A progress for each of several passes over all queries, each of which reports its share of the work."""

    def part(number: int) -> Progress:
        return lambda done, total: progress(number * queries + done * queries // max(total, 1), looks * queries)

    return map(part, range(looks))
