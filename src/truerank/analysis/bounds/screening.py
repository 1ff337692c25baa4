"""Screening: which assignments of grades come near the extremes of a measure, estimated from running sums.

A query with a thousand unjudged documents has hundreds of assignments to try ("ways"). For a measure that is a sum
over a divisor, the value of each follows, up to rounding, from sums over all ranks above and below a cut. Only the
ways with about the lowest or the highest value are then evaluated, so that the measure's own values are reported.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeVar

import numpy as np

from truerank.analysis.bounds.settled import Settled, Ways
from truerank.core.evaluate import is_ruled
from truerank.core.hits import Bools
from truerank.core.rules import Rules
from truerank.measures import Measure
from truerank.measures.discounts import log2_discount
from truerank.measures.gains import gains
from truerank.measures.sums import Floats, Ints, log2, ratio

T = TypeVar("T")

Pair = tuple[float, float]


class Split(NamedTuple):
    """(ways,) the sums of one value per row above each cut, and below it."""

    above: Floats
    below: Floats

    @property
    def whole(self) -> Floats:
        """(ways,) the sums over all rows of the query."""
        return self.above + self.below

    def side(self, is_first: bool) -> Floats:
        """(ways,) the sums above the cut, or else below it."""
        return self.above if is_first else self.below


@dataclass(frozen=True, eq=False)
class Cuts:
    """Lists cut in two parts; the open documents of one part get a grade.

    Attributes:
        settled: the lists.
        of: (ways,) the query of each way.
        count: (ways,) how many open documents stand above the cut.
        reach: the last rank that counts; None for all.
    """

    settled: Settled
    of: Ints
    count: Ints
    reach: int | None
    _made: dict[object, Any] = field(default_factory=dict, init=False, repr=False)

    def once(self, key: object, make: Callable[[], T]) -> T:
        """The cached value of this key, for what does not depend on which side of the cut gets a grade."""
        if key not in self._made:
            self._made[key] = make()
        made: T = self._made[key]
        return made

    @cached_property
    def is_open(self) -> Bools:
        """(rows,) whether each is unjudged."""
        return self.settled.place >= 0

    @cached_property
    def is_near(self) -> Bools:
        """(rows,) whether each is at a rank that the measure looks at."""
        rank = self.settled.hits.rank
        return np.ones(len(rank), bool) if self.reach is None else rank <= self.reach

    @cached_property
    def begin(self) -> Ints:
        """(ways,) where the rows of the query begin."""
        return self.settled.start[self.of]

    @cached_property
    def end(self) -> Ints:
        """(ways,) where they end."""
        return self.settled.start[self.of + 1]

    @property
    def size(self) -> Ints:
        """(ways,) how many open documents the query has."""
        return self.settled.size[self.of]

    @cached_property
    def at(self) -> Ints:
        """(ways,) the first row below the cut."""
        rows = np.flatnonzero(self.is_open)
        first = np.searchsorted(rows, self.begin)
        there = np.minimum(first + self.count, max(len(rows) - 1, 0))
        return np.where(self.count < self.settled.near[self.of], rows[there] if len(rows) else 0, self.end)

    def split(self, values: Floats | Bools) -> Split:
        """The sums of one value per row above the cuts, and below them."""
        running = _running(values)
        at = running[self.at]
        return Split(at - running[self.begin], running[self.end] - at)

    def ordinal(self, rows: Bools) -> Floats:
        """(rows,) how many of `rows` there are in the query, up to and including each row."""
        running, start = _running(rows), self.settled.start
        return running[1:] - running[start[:-1]][self.settled.hits.query]

    def relevant(self, level: float) -> Floats:
        """(ways,) how many documents are judged with at least this grade."""
        hits = self.settled.hits
        return hits.relevant_total(level)[self.of].astype(np.float64)


def _running(values: Floats | Bools) -> Floats:
    """(rows + 1,) the sum of the values before each row."""
    return np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])


Nearly = Callable[[Cuts, float, bool], Floats]
"""(ways,) about what a measure is when the open documents above the cut, or else those below it, get a grade."""


@dataclass(frozen=True, eq=False)
class Screen:
    """How the value of a measure is estimated.

    Attributes:
        nearly: computes about the value.
        reach: the last rank that counts; None for all.
    """

    nearly: Nearly
    reach: int | None

    def nearest(self, settled: Settled, of: Ints, count: Ints, pairs: Sequence[Pair]) -> Ways:
        """For each query the ways with about the lowest and about the highest value.

        Ways with equal values give the same bits, whichever is taken.
        """
        cuts, n = Cuts(settled, of, count, self.reach), len(of)
        value = np.stack([self.nearly(cuts, *_side(*pair)) for pair in pairs])
        start = np.flatnonzero(np.diff(of, prepend=-1))
        query = np.repeat(np.arange(len(start)), np.diff(start, append=n))
        least = np.flatnonzero(value == np.minimum.reduceat(value.min(axis=0), start)[query])[::-1]
        most = np.flatnonzero(value == np.maximum.reduceat(value.max(axis=0), start)[query])
        ends = np.empty((len(start), 2), np.int64)  # of several the one that is written last
        ends[query[least % n], 0], ends[query[most % n], 1] = least, most
        chosen = ends.ravel()[np.diff(ends.ravel(), prepend=-1) != 0]
        above, below = (np.array(grades)[chosen // n] for grades in zip(*pairs, strict=True))
        return Ways.cuts(of[chosen % n], count[chosen % n], above, below)


def _side(above: float, below: float) -> tuple[float, bool]:
    """The grade that is given, and whether it goes to documents above the cut."""
    return (below, False) if np.isnan(above) else (above, True)


def screen_of(measure: Measure, rules: Rules) -> Screen | None:
    """The screen of a measure that does not see judgements; None where every way must be evaluated."""
    given = {"k": None, "level": rules.level, **dict(measure.params)}
    make = SCREENS.get(measure.name)
    if make is None or rules.unreturned == "ignore" or is_ruled(measure, rules) or not _is_plain(measure):
        return None
    known = {name: value for name, value in given.items() if name in KNOWN}
    depths = [each for each in (measure.cutoff, rules.depth) if each is not None]
    return Screen(partial(make, **known), min(depths, default=None))


KNOWN = ("k", "level", "divisor", "capped", "gain")


def _is_plain(measure: Measure) -> bool:
    """Whether a measure with these parameters can be estimated."""
    params = dict(measure.params)
    is_foretold = set(params) <= {*KNOWN, "depth"} and params.get("divisor") != "hits"
    return is_foretold and isinstance(params.get("gain", ""), str)


def _average_precision(
    cuts: Cuts, grade: float, is_first: bool, *, k: int | None, level: float, divisor: str = "relevant"
) -> Floats:
    given = grade >= level
    opened, judged, both, alone, together = cuts.once((given, level), lambda: _precisions(cuts, given, level))
    if is_first:
        summed = together.above + alone.below + opened.above * judged.below
    else:
        summed = alone.above + together.below - opened.above * both.below
    return ratio(summed, _divisor(cuts, given, is_first, k, level, divisor))


def _precisions(cuts: Cuts, given: bool, level: float) -> tuple[Split, ...]:
    """Open documents that are relevant; 1 / rank of relevant ones that are judged, and of both; both as precisions.

    Args:
        given: whether open documents are relevant.
    """
    judged = cuts.is_near & ~cuts.is_open & (cuts.settled.hits.grade >= level)
    opened = cuts.is_near & cuts.is_open & given
    by_rank = 1.0 / cuts.settled.hits.rank
    alone, both = judged * by_rank, (judged | opened) * by_rank
    values = opened, alone, both, alone * cuts.ordinal(judged), both * cuts.ordinal(judged | opened)
    return tuple(cuts.split(each) for each in values)


def _recall(
    cuts: Cuts, grade: float, is_first: bool, *, k: int | None, level: float, capped: bool = False
) -> Floats:
    hits, given = cuts.settled.hits, grade >= level
    judged = cuts.is_near & ~cuts.is_open & (hits.grade >= level)
    opened = cuts.is_near & cuts.is_open & given
    retrieved = cuts.split(judged).whole + cuts.split(opened).side(is_first)
    return ratio(retrieved, _divisor(cuts, given, is_first, k, level, "capped" if capped else "relevant"))


def _divisor(cuts: Cuts, given: bool, is_first: bool, k: int | None, level: float, divisor: str) -> Floats:
    if divisor == "k" and k is not None:
        return np.full(len(cuts.of), float(k))
    total = cuts.relevant(level) + given * (cuts.count if is_first else cuts.size - cuts.count)
    return np.minimum(total, k) if divisor == "capped" and k is not None else total


def _ndcg(cuts: Cuts, grade: float, is_first: bool, *, k: int | None, level: float, gain: Any = "linear") -> Floats:
    start = level if gain == "binary" else 0.0
    hits, worth = cuts.settled.hits, float(gains(np.array([grade]), gain, start)[0])
    discount = cuts.is_near / log2_discount(hits)
    judged = np.where(cuts.is_open, 0.0, gains(hits.grade, gain, start) * discount)
    opened = cuts.is_open * worth * discount
    got = cuts.split(judged).whole + cuts.split(opened).side(is_first)
    gained = gains(hits.judgements.grade, gain, start)
    return ratio(got, _ideal(cuts, worth, cuts.count if is_first else cuts.size - cuts.count, k, gained))


def _ideal(cuts: Cuts, worth: float, more: Ints, k: int | None, gained: Floats) -> Floats:
    """(ways,) the ideal DCG with `more` further documents of gain `worth`; `gained`: (judgements,) the gains."""
    known = cuts.settled.hits.judgements
    count = np.bincount(known.query, minlength=len(cuts.settled.hits.queries))
    begin = np.cumsum(count) - count
    better = np.bincount(known.query, gained >= worth, minlength=len(count)).astype(np.int64)
    most = int(count.max(initial=0) + more.max(initial=0))
    weight = 1.0 / log2(np.arange(2, most + 2))
    weight[most if k is None else min(k, most) :] = 0.0
    running = _running(weight)
    place = np.arange(len(known.query)) - begin[known.query]
    above = np.bincount(known.query, gained * weight[place] * (place < better[known.query]), minlength=len(count))
    best: Floats = above[cuts.of] + worth * (running[better[cuts.of] + more] - running[better[cuts.of]])
    rest = (count - better)[cuts.of]
    for number in range(int(rest.max(initial=0))):  # judgements of lower gain move down
        ways = np.flatnonzero(rest > number)
        of = cuts.of[ways]
        entry = better[of] + number
        best[ways] += gained[begin[of] + entry] * weight[entry + more[ways]]
    return best


SCREENS: dict[str, Callable[..., Floats]] = {
    "AP": _average_precision,
    "GMAP": _average_precision,
    "R": _recall,
    "nDCG": _ndcg,
}
"""Measures that are foretold."""
