"""What methods of fusion learn of runs from the judgements of some queries: a function of one run each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from truerank.core.evaluate import score
from truerank.core.kernel.scanning import as_bytes
from truerank.core.qrels import Qrels
from truerank.core.reading import read
from truerank.core.rules import Rules
from truerank.core.run import Run
from truerank.fusion.pooled import Bools, Floats, Ints
from truerank.fusion.registry import Count
from truerank.measures import parse_measure


@dataclass(frozen=True, eq=False)
class Places:
    """Where one run has relevant documents.

    Attributes:
        query, rank: (found,) of each relevant document that the run returns.
        returned: (queries,) the length of each list, in the order of the judged queries.
        precision: (queries,) the average precision of each.
    """

    query: Ints
    rank: Ints
    returned: Ints
    precision: Floats

    def of(self, some: Bools) -> Places:
        """The places of some of the queries alone."""
        is_in = some[self.query]
        return Places(self.query[is_in], self.rank[is_in], np.where(some, self.returned, 0), self.precision[some])


def places(qrels: Qrels, run: Run, rules: Rules) -> Places:
    """Where a run has what is relevant by the rules."""
    reading = read(qrels, run, rules=rules)
    relevant = reading.hits.relevant(rules.level)
    precision = dict.fromkeys(reading.hits.queries, 0.0)
    scores = score(reading, [parse_measure("AP")])
    names = (as_bytes(query) for query in scores.queries)
    precision.update(zip(names, scores["AP"].tolist(), strict=True))
    values = np.array([precision[query] for query in reading.hits.queries])
    return Places(relevant.query, relevant.rank, np.maximum(reading.hits.returned, 0), values)


BAYES = (0, 5, 10, 15, 20, 30, 100, 200, 500, 1000)
"""Between which ranks BayesFuse learns one number."""

SEGMENTS = (0, *(10 * 2**k - 5 for k in range(10)))
"""Between which ranks SegFuse learns one number."""


def mean_precision(one: Places, queries: int) -> float:
    """The mean average precision."""
    return float(one.precision.mean())


def by_rank(one: Places, queries: int) -> Floats:
    """(ranks,) of the lists that are long enough, the share with a relevant document at that rank."""
    deepest = int(one.returned.max(initial=0))
    shorter = np.searchsorted(np.sort(one.returned), np.arange(1, deepest + 1))
    return np.bincount(one.rank - 1, minlength=deepest) / (len(one.returned) - shorter)


def by_doubling(one: Places, queries: int) -> Floats:
    """The share of documents that are relevant, between the ranks of `SEGMENTS`."""
    return _between(SEGMENTS, one, queries)


def odds(one: Places, queries: int) -> Floats:
    """The log odds of relevance between the ranks of `BAYES`; none is certain."""
    share = _between(BAYES, one, queries)
    share = np.where(share == 0, 0.001, share)
    return np.repeat(np.log(share / np.where(share == 1, 0.001, 1 - share)), np.diff(BAYES))


def _between(edges: Sequence[int], one: Places, queries: int) -> Floats:
    """The mean precision between each two ranks, over all queries."""
    sums = np.bincount(np.searchsorted(edges, one.rank - 1, side="right") - 1, minlength=len(edges))
    return sums[: len(edges) - 1] / np.diff(edges) / queries


def by_share(one: Places, queries: int, *, segments: Count) -> Floats:
    """The mean precision of the first, second, … part of lists that are cut into so many parts."""
    size = np.maximum(-(-one.returned // segments), 1)
    part = (one.rank - 1) // size[one.query]
    length = np.minimum(size[one.query], one.returned[one.query] - part * size[one.query])
    return np.bincount(part, 1 / length, segments)[:segments] / queries
