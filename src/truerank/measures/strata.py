"""Estimates from samples of the pool: each stratum was judged at a rate of its own.

The strata stand where aspects do. A grade below 0 means: in the pool, but not drawn to be judged. The preset
sample_eval has the cutoff and the names of TREC's and TRECVID's program.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from truerank.core.aspects import Aspects
from truerank.core.hits import UNJUDGED, Bools, Hits
from truerank.core.messages import message
from truerank.measures.registry import measure
from truerank.measures.sums import Floats, Ints, PerQuery, log2, log2_of_whole, ratio, total
from truerank.measures.terms import Quantity, Terms, Words

EPSILON = 1e-5
"""What is added to the relevant documents that were drawn; three times as much to all that were."""

SOURCE = "Yilmaz, Kanoulas and Aslam, A simple and efficient sampling method for estimating AP and NDCG, SIGIR 2008"


@dataclass(frozen=True, eq=False)
class Strata:
    """The strata of the pool of each query, and which of them each hit is from.

    Attributes:
        hits: the documents that are looked at.
        aspects: which are the strata.
        grade: (judgements,) of each document of the pool.
        of_doc: (judgements,) its stratum; of several the first.
        of_hit: (hits,) the same; -1 where a document is not in the pool.
        level: relevant from here on.
    """

    hits: Hits
    aspects: Aspects
    grade: Floats
    of_doc: Ints
    of_hit: Ints
    level: float

    @classmethod
    def of(cls, hits: Hits, level: float) -> Strata:
        """The strata of the pools that these hits are judged by."""
        aspects = Aspects.none(len(hits.queries)) if hits.aspects is None else hits.aspects
        start, has = aspects.start[:-1], np.diff(aspects.start) > 0
        stratum = np.full(len(start) + 1, -1)  # the last is that of a document outside the pool
        stratum[:-1][has] = aspects.aspect[start[has]]
        grade = np.full(len(start), UNJUDGED)
        grade[has] = np.maximum.reduceat(aspects.grade, start[has]) if has.any() else 0
        doc = np.where((hits.grade > UNJUDGED) & (hits.doc < len(start)), hits.doc, len(start))
        return cls(hits, aspects, grade, stratum[:-1], stratum[doc], level)

    def counted(self, stratum: Ints, values: Bools | Floats) -> Floats:
        """(strata,) the sum of a value of some documents, by the stratum of each."""
        there = stratum >= 0
        weights = np.asarray(values, np.float64)[there]
        sums: Floats = np.bincount(stratum[there], weights, len(self.aspects.names))  # type: ignore[assignment]
        return sums

    def summed(self, values: Floats) -> PerQuery:
        """(queries,) the sum of a value that each stratum has."""
        of = self.aspects
        sums: PerQuery = np.bincount(of.query, values[of.number], len(self.hits.queries))  # type: ignore[assignment]
        return sums

    def pooled(self, judged: Bools) -> Floats:
        """(strata,) how many documents of the pool these judged ones stand for; 0 where none was judged.

        Args:
            judged: (judgements,) which.
        """
        return ratio(self.counted(self.of_doc, judged) * self.size, self.drawn)

    @cached_property
    def size(self) -> Floats:
        """(strata,) how many documents the pool has of each."""
        return self.counted(self.of_doc, self.of_doc >= 0)

    @cached_property
    def drawn(self) -> Floats:
        """(strata,) how many documents of each were judged."""
        return self.counted(self.of_doc, self.grade >= 0)

    @property
    def relevant(self) -> PerQuery:
        """(queries,) how many relevant documents the pool has, as estimated."""
        return self.summed(self.pooled(self.grade >= self.level))

    @property
    def above(self) -> Floats:
        """(hits,) how many relevant documents stand before each, as estimated."""
        hits, found = self.hits, np.zeros(len(self.of_hit))
        place = self.of_hit - self.aspects.begin[hits.query]
        for number in range(int((self.aspects.end - self.aspects.begin).max(initial=0))):
            here = (self.of_hit >= 0) & (place == number)
            drawn, right = (hits.before(here & (hits.grade >= least)) for least in (0, self.level))
            found += hits.before(here) * share(right, drawn)
        return found


def share(relevant: Floats, judged: Floats) -> Floats:
    """Which part of some documents is relevant, out of those of them that were judged; a third where none was."""
    return (relevant + EPSILON) / (judged + 3 * EPSILON)


@measure(
    "xinfAP",
    unit=False,
    formula="Σ over relevant at i of rate · (1 + Σ_s pooled_s · (rel_s + ε)/(judged_s + 3ε)) / i / min(R, k)",
    source=SOURCE,
    divides_by="relevant",
    sees_judged=True,
    monotone="no",
    needs="strata",
)
def stratified_average_precision(hits: Hits, *, k: int | None = None, level: float = 1) -> Terms:
    """Average precision as estimated when of each stratum of the pool a random part was judged.

    `rate` is how many documents of its stratum a judged one stands for, R how many relevant ones there are by that.
    What sample_eval.pl calls infAP is `xinfAP@1000`, over the queries that are answered (`missing = "skip"`).

    >>> import truerank as tr
    >>> pool = {"q": {"a": {"top": 1}, "b": {"top": 0}, "c": {"rest": 1}, "d": {"rest": -1}}}
    >>> scores = tr.evaluate(pool, {"q": ["a", "b", "c", "d"]}, "xinfAP")
    >>> round(scores.mean["xinfAP"], 4)
    0.7778
    """
    strata = Strata.of(hits.top(k), level)
    top, relevant = strata.hits, strata.relevant
    rate = np.append(ratio(strata.size, strata.drawn), 0)  # the last is that of a document outside the pool
    stands_for = np.where(top.grade >= level, rate[strata.of_hit], 0.0)
    above = strata.above
    divisor = relevant if k is None else np.minimum(relevant, k)
    estimate = stands_for * (1.0 / top.rank + above / top.rank)

    def how(row: int) -> tuple[str, tuple[float, ...]]:
        return "{} × (1 + {}) / {}", (stands_for[row], above[row], top.rank[row])

    def words() -> Words:
        of = message("rate × (1 + relevant before) / rank")
        return Words(of, how, Quantity("R", message("relevant documents in the pool, as estimated"), divisor))

    return Terms(top, estimate, divisor, words)


@measure(
    "infNDCG",
    "xinfNDCG",
    unit=False,
    formula="Σ_s pooled_s / judged_s · Σ over relevant of grade / log2(i + 1) to rank k / that of the ideal list",
    source=SOURCE,
    divides_by="relevant",
    sees_judged=True,
    monotone="no",
    needs="strata",
)
def stratified_ndcg(hits: Hits, *, k: int | None = None, level: float = 1) -> PerQuery:
    """nDCG as estimated when of each stratum of the pool a random part was judged.

    What was returned of a stratum is weighed by how much of it was judged. The ideal list has as many documents of
    each grade as the pool is estimated to have.

    >>> import truerank as tr
    >>> pool = {"q": {"a": {"top": 1}, "b": {"top": 0}, "c": {"rest": 1}, "d": {"rest": -1}}}
    >>> scores = tr.evaluate(pool, {"q": ["a", "b", "c", "d"]}, "infNDCG")
    >>> round(scores.mean["infNDCG"], 4)
    0.9386
    """
    strata = Strata.of(hits.top(k), level)
    top = strata.hits
    gain = np.where(top.grade >= level, top.grade / log2_of_whole(top.rank + 1), 0.0)
    pooled, judged, gained = (strata.counted(strata.of_hit, each) for each in (top.rank > 0, top.grade >= 0, gain))
    return ratio(strata.summed(ratio(pooled * gained, judged)), _ideal(strata, k))


def _ideal(strata: Strata, k: int | None) -> PerQuery:
    """(queries,) the gain of a list that has all relevant documents of the pool, as estimated, the best first."""
    ideal, before = np.zeros(len(strata.hits.queries)), np.zeros(len(strata.hits.queries))
    for grade in np.unique(strata.grade[strata.grade >= strata.level])[::-1].tolist():
        after = before + strata.summed(strata.pooled(strata.grade == grade))
        for query in np.flatnonzero(after > before).tolist():
            steps = np.ones(int(after[query] - before[query]) + 1)
            steps[0] += before[query]
            rank = np.add.accumulate(steps)  # a part of a document shifts those after it
            rank = rank[(rank <= after[query]) & (rank < (np.inf if k is None else k + 1))]
            ideal[query] += total(grade / log2(rank + 1))
        before = after
    return ideal


@measure(
    "infP",
    "iP",
    formula="Σ_s pooled_s · (rel_s + ε)/(judged_s + 3ε) / k; counts to rank k",
    source=SOURCE,
    sees_judged=True,
    monotone="no",
    needs="strata",
)
def stratified_precision(hits: Hits, *, k: int, level: float = 1) -> PerQuery:
    """Precision as estimated when of each stratum of the pool a random part was judged.

    >>> import truerank as tr
    >>> pool = {"q": {"a": {"top": 1}, "b": {"top": 0}, "c": {"rest": 1}, "d": {"rest": -1}}}
    >>> scores = tr.evaluate(pool, {"q": ["a", "b", "c", "d"]}, "infP@4")
    >>> round(scores.mean["infP@4"], 4)
    0.75
    """
    strata = Strata.of(hits.top(k), level)
    top = strata.hits
    pooled, judged, right = (
        strata.counted(strata.of_hit, each) for each in (top.rank > 0, top.grade >= 0, top.grade >= level)
    )
    return ratio(strata.summed(pooled * share(right, judged)), k)
