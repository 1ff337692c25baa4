"""What systems score by each judge, and whether they keep their order."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from truerank import stats
from truerank.analysis.compare.naming import by_name
from truerank.analysis.compare.outcome import MOST_RESAMPLES, direction, outcome_of_run, outcomes
from truerank.analysis.compare.result import Outcome, Pair, Procedure
from truerank.analysis.compare.systems import Measures, Systems, align, common_measures, scored
from truerank.analysis.judges.judgements import Judgements
from truerank.analysis.judges.result import Flip, Order, Standing
from truerank.core.equal import difference
from truerank.core.errors import InputError
from truerank.core.reading import Reading
from truerank.core.rules import Rules
from truerank.core.run import Progress
from truerank.core.scores import Scores, averaged, distinct
from truerank.measures import Measure
from truerank.measures.sums import Floats, Ints
from truerank.stats.bootstrap import resampled_means
from truerank.stats.orders import LEAST

DRAWS = 2_000
"""Resamples that an interval of an order takes at most: its ends are no finer."""


def standings(
    judgements: Judgements,
    runs: Any,
    measures: Measures,
    rules: Rules,
    procedure: Procedure,
    *,
    common: bool,
    threads: int | None,
    progress: Progress,
) -> tuple[tuple[str, ...], tuple[Standing, ...], int]:
    """The systems, their standings by each measure, and how many queries not all judges and systems have."""
    runs = by_name(runs)
    _refuse_read(runs.values())
    shared = _shared(judgements, common)
    qrels = judgements.of_all() if common else judgements.qrels
    scores: list[tuple[str, Scores]] = []
    names: list[str] = []
    for number, (judge, one) in enumerate(qrels.items(), 1):
        own = scored(one.only(shared), runs, measures, rules, threads)
        wanted = common_measures(own, measures)
        names = list(own)
        scores += [(f"{name} ({judge})", each) for name, each in own.items()]
        progress(number, len(qrels) + 1)
    called, scored_by_each = zip(*scores, strict=True)
    systems = align(dict(zip(distinct(called), scored_by_each, strict=True)))
    work = _Work(systems, judgements.names, names, procedure)
    made = tuple(work.standing(measure) for measure in wanted)
    progress(len(qrels) + 1, len(qrels) + 1)
    return tuple(names), made, len(judgements.queries) - len(systems.queries)


def _shared(judgements: Judgements, common: bool) -> set[bytes]:
    """The queries of which every judge has judged a document, the same one where only such count."""
    names = ", ".join(judgements.names)
    if not judgements.shared.any():
        raise InputError("no query is judged by all of {names}", names=names)
    if not common:
        return set(itertools.compress(judgements.queries, judgements.shared.tolist()))
    if not judgements.whole.any():
        raise InputError("no document is judged by all of {names}: score systems without --common", names=names)
    return {query for query, *_ in itertools.compress(judgements.ids, judgements.whole.tolist())}


def _refuse_read(runs: Collection[Any]) -> None:
    if any(isinstance(run, Scores | Reading) for run in runs):
        raise InputError("a run is read anew for each judge: give its file, not what was read of it for one judge")
    if any(isinstance(run, Iterator) for run in runs):
        raise InputError(
            "a run is read anew for each judge: give a file, a list or a frame, not what ends when read"
        )


@dataclass(frozen=True, eq=False)
class _Work:
    """Systems by every judge: a column each, judge by judge.

    Attributes:
        systems: the scores, on the queries that all have.
        judges, names: of the judges, and of the systems.
    """

    systems: Systems
    judges: tuple[str, ...]
    names: list[str]
    procedure: Procedure

    def standing(self, measure: Measure) -> Standing:
        """How the systems stand by one measure."""
        heading = next(iter(self.systems.scores.values())).heading(measure)
        if measure.definition.is_of_run:
            n = len(self.systems.queries)
            of_judges, means, drawn = self._of_run(measure, n)
        else:
            of_judges, means, drawn, n = self._of_queries(measure)
        orders: tuple[Order, ...] = ()
        if direction(measure) and len(self.names) > 1 and n:
            pairs = itertools.combinations(range(len(self.judges)), 2)
            orders = tuple(self._order(of_judges, means, drawn, pair, n, direction(measure)) for pair in pairs)
        return Standing(heading, n, dict(zip(self.judges, of_judges, strict=True)), orders)

    def _blocks(self) -> list[slice]:
        """The columns of each judge."""
        many = len(self.names)
        return [slice(at * many, (at + 1) * many) for at in range(len(self.judges))]

    def _of_queries(self, measure: Measure) -> tuple[list[Outcome], Floats, Floats, int]:
        values = self.systems.values(measure)
        values = np.ascontiguousarray(values[np.isfinite(values).all(axis=1)])
        blocks = self._blocks()
        tables = [values[:, block] for block in blocks]
        of_judges = list(outcomes([measure] * len(blocks), tables, self.names, self.procedure))
        if not len(values):
            return of_judges, values, values, 0
        plain = averaged(measure, values)
        drawn = resampled_means(plain, min(self.procedure.samples, DRAWS), self.procedure.seed)
        return of_judges, plain.mean(axis=0), drawn, len(values)

    def _of_run(self, measure: Measure, n: int) -> tuple[list[Outcome], Floats, Floats]:
        at = partial(self.systems.numbers, measure, np.arange(n))
        resamples = min(self.procedure.samples, MOST_RESAMPLES)
        drawn = stats.resampled(at, n, resamples=resamples, seed=self.procedure.seed)
        own = [partial(_of_block, at, block) for block in self._blocks()]
        of_judges = [outcome_of_run(measure, each, n, self.names, self.procedure) for each in own]
        return of_judges, at(np.ones(n, np.int64)), drawn

    def _order(
        self, of_judges: list[Outcome], means: Floats, drawn: Floats, pair: tuple[int, int], n: int, sign: int
    ) -> Order:
        blocks = [self._blocks()[at] for at in pair]
        one, other = (of_judges[at] for at in pair)
        tau = by_top = None
        if len(self.names) >= LEAST:
            resamples = sign * np.stack([drawn[:, block] for block in blocks], axis=1)
            first, second = (sign * means[block] for block in blocks)
            confidence, seed = self.procedure.confidence, self.procedure.seed
            tau, by_top = stats.order_intervals(first, second, resamples, n, confidence=confidence, seed=seed)
        alpha = self.procedure.alpha
        clear = [_is_clear(pair, alpha) for pair in one.pairs]
        kept = [
            _is_clear(a, alpha) and _is_clear(b, alpha) and _gain(a) * _gain(b) > 0
            for a, b in zip(one.pairs, other.pairs, strict=True)
        ]
        return Order(
            self.judges[pair[0]],
            self.judges[pair[1]],
            tau,
            by_top,
            len(one.pairs),
            sum(clear),
            sum(kept),
            _flips(one, other, alpha, sign),
        )


def _of_block(at: Callable[[Ints], Floats], block: slice, times: Ints) -> Floats:
    return at(times)[block]


def _is_clear(pair: Pair, alpha: float) -> bool:
    return pair.adjusted <= alpha and _gain(pair) != 0


def _gain(pair: Pair) -> float:
    """The difference, and exactly 0 where rounding alone parts the means."""
    return float(difference(pair.difference.estimate, 0.0))


def _flips(one: Outcome, other: Outcome, alpha: float, sign: int) -> tuple[Flip, ...]:
    """Pairs that differ in opposite directions, turned so that the first judge prefers the first system."""
    flips = []
    for a, b in zip(one.pairs, other.pairs, strict=True):
        if _gain(a) * _gain(b) < 0:
            is_turned = sign * a.difference.estimate < 0
            flips.append(Flip(a.turned() if is_turned else a, b.turned() if is_turned else b, alpha))
    return tuple(sorted(flips, key=lambda flip: (flip.by_first.adjusted, flip.by_second.adjusted)))
