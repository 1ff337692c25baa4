"""One measure's values on systems and queries: means, differences, tests, and who is better than whom."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import cast

import numpy as np

from truerank import stats
from truerank.analysis.compare.result import Outcome, Pair, Procedure
from truerank.analysis.drawing import check_drawing, check_word
from truerank.core.equal import are_equal, difference
from truerank.core.errors import InputError
from truerank.core.messages import message
from truerank.core.scores import averaged, intervals
from truerank.measures import Measure
from truerank.measures.sums import Floats, Ints, PerQuery
from truerank.stats import Interval

TUKEY = "tukey"
MAX_T = "max-t"
TESTS = (*stats.TESTS, TUKEY)
CORRECTIONS = ("holm", "bonferroni", "bh", "none", MAX_T)

MOST_RESAMPLES = 1_000
"""Of a measure of the whole run, which is worked out from all rows for each."""

Places = list[tuple[int, int]]
"""Pairs of columns: a system, and the one that it is compared to."""


def checked(procedure: Procedure) -> Procedure:
    """The procedure, with what follows from its test.

    Raises:
        InputError: no such test or correction, or they do not go together.
    """
    check_word(message("test"), procedure.test, TESTS)
    check_word(message("correction"), procedure.correction, (*CORRECTIONS, TUKEY))
    check_drawing(procedure.confidence, procedure.samples, procedure.seed)
    if procedure.test == TUKEY:  # its p are those of all pairs together: there is nothing left to correct
        if procedure.correction not in (CORRECTIONS[0], TUKEY):
            raise InputError(
                "tukey tests all pairs together, {correction} has nothing to correct",
                correction=procedure.correction,
            )
        return replace(procedure, correction=TUKEY)
    if procedure.correction == MAX_T and procedure.test != "randomization":
        raise InputError("max-t corrects the randomization test; with {test} take holm", test=procedure.test)
    if procedure.correction == TUKEY:
        raise InputError("tukey is a test that needs no correction: test = tukey")
    return procedure


def pairs_of(names: Sequence[str], procedure: Procedure) -> Places:
    """Which columns are compared; the baseline, or else the system that was given earlier, comes second."""
    order = list(range(len(names)))
    if procedure.baseline is not None:
        order.sort(key=lambda i: names[i] != procedure.baseline)
    pairs = [(system, against) for i, against in enumerate(order) for system in order[i + 1 :]]
    return pairs if procedure.all_pairs else pairs[: len(names) - 1]


def direction(measure: Measure) -> int:
    """1 where more is better, -1 where less is, 0 for counts, of which neither is better."""
    if measure.definition.average == "sum":
        return 0
    return -1 if measure.definition.lower_is_better else 1


def outcome(measure: Measure, values: PerQuery, names: Sequence[str], procedure: Procedure) -> Outcome:
    """What a measure says of the systems.

    Args:
        values: (queries, systems); queries on which one of them is no finite number are left out.
    """
    kept = np.isfinite(values).all(axis=1)
    rows = np.ascontiguousarray(values[kept])
    left_out = int((~kept).sum())
    if not len(rows):
        unknown = Interval.unknown(math.nan, procedure.confidence)
        beaten_by: dict[str, tuple[str, ...]] = dict.fromkeys(names, ())
        return Outcome(measure, 0, left_out, dict.fromkeys(names, unknown), (), beaten_by)
    means = intervals(
        [measure] * len(names),
        rows,
        confidence=procedure.confidence,
        samples=procedure.samples,
        seed=procedure.seed,
    )
    places = pairs_of(names, procedure)
    pairs = _Pairs(measure, averaged(measure, rows), names, procedure, places).compared() if places else ()
    return concluded(measure, len(rows), left_out, dict(zip(names, means, strict=True)), pairs, procedure)


def outcome_of_run(
    measure: Measure,
    at: Callable[[Ints], Floats],
    n: int,
    names: Sequence[str],
    procedure: Procedure,
) -> Outcome:
    """What a measure of the whole run says: no query has a value, so queries are drawn anew, for all systems alike.

    Args:
        at: (systems,) the numbers where each of the n queries is there so many times.
    """
    samples = min(procedure.samples, MOST_RESAMPLES)
    values = at(np.ones(n, np.int64))
    drawn = stats.resampled(at, n, resamples=samples, seed=procedure.seed)
    interval = partial(stats.percentile_interval, n=n, confidence=procedure.confidence)
    means = [interval(float(value), drawn[:, i]) for i, value in enumerate(values)]
    places = pairs_of(names, procedure)
    between = np.column_stack([difference(drawn[:, i], drawn[:, j]) for i, j in places]) if places else drawn[:, :0]
    p = np.array([stats.p_of(column) for column in between.T])
    how = procedure.correction if procedure.correction in CORRECTIONS[:-1] else CORRECTIONS[0]
    adjusted = stats.adjust(p, cast("stats.Correction", how)) if places else p
    pairs = []
    for row, (i, j) in enumerate(places):
        apart = interval(float(difference(values[i], values[j])), between[:, row])
        of_pair = float(p[row]), float(adjusted[row])
        pairs.append(Pair(names[i], names[j], apart, *of_pair, math.nan, 0, 0, 0, math.nan))
    return concluded(measure, n, 0, dict(zip(names, means, strict=True)), pairs, procedure)


def concluded(
    measure: Measure,
    queries: int,
    left_out: int,
    means: Mapping[str, Interval],
    pairs: Sequence[Pair],
    procedure: Procedure,
) -> Outcome:
    """The means and the pairs, and what follows from them: who is better than whom, who cannot be told apart."""
    beaten, groups = _beaten(means, pairs, measure, procedure), _groups(means, pairs, measure, procedure)
    return Outcome(measure, queries, left_out, means, tuple(pairs), beaten, groups)


def _beaten(
    means: Mapping[str, Interval], pairs: Sequence[Pair], measure: Measure, procedure: Procedure
) -> dict[str, tuple[str, ...]]:
    """For each system those that it is significantly better than."""
    better = set()
    for pair in pairs:
        gain = pair.difference.estimate * direction(measure)
        if pair.adjusted <= procedure.alpha and gain:
            better.add((pair.system, pair.against) if gain > 0 else (pair.against, pair.system))
    return {name: tuple(other for other in means if (name, other) in better) for name in means}


def _groups(
    means: Mapping[str, Interval], pairs: Sequence[Pair], measure: Measure, procedure: Procedure
) -> tuple[tuple[str, ...], ...]:
    """Systems that cannot be told apart; known only where every two were compared."""
    if not procedure.all_pairs or len(means) < 2:
        return ()
    names = list(means)
    place = {name: i for i, name in enumerate(names)}
    p = np.ones((len(names), len(names)))
    for pair in pairs:
        i, j = place[pair.system], place[pair.against]
        p[i, j] = p[j, i] = pair.adjusted
    heights = np.array([mean.estimate for mean in means.values()]) * (direction(measure) or 1)
    groups = stats.groups(p, heights, procedure.alpha)
    return tuple(tuple(names[i] for i in group) for group in groups)


@dataclass(frozen=True, eq=False)
class _Pairs:
    """The pairs of systems by one measure.

    Attributes:
        values: (queries, systems) what is averaged.
        places: the two columns of each pair.
    """

    measure: Measure
    values: PerQuery
    names: Sequence[str]
    procedure: Procedure
    places: Places

    @cached_property
    def differences(self) -> PerQuery:
        """(queries, pairs) exactly 0 where two values are equal."""
        return stats.paired_differences(self.values, self.places)

    def compared(self) -> tuple[Pair, ...]:
        p, adjusted = self._p()
        sizes = stats.pair_effects(self.values, self.places) if len(self.values) > 1 else np.full(len(p), math.nan)
        gained = self.differences * (direction(self.measure) or 1)
        counts = (np.count_nonzero(each, axis=0) for each in (gained > 0, gained == 0, gained < 0))
        columns = (p, adjusted, sizes, *counts, self._detectable())
        rows = zip(self.places, self._intervals(), *(column.tolist() for column in columns), strict=True)
        return tuple(Pair(self.names[i], self.names[j], *numbers) for (i, j), *numbers in rows)

    def _p(self) -> tuple[Floats, Floats]:
        """p of each pair, and corrected for the number of pairs."""
        how, values, places = self.procedure, self.values, self.places
        if how.test == TUKEY:
            p = np.array([self._tukey.p[i, j] for i, j in places])
            return p, p
        columns = [(values[:, i], values[:, j]) for i, j in places]
        random = {"samples": how.samples, "seed": how.seed}
        if how.test == "randomization":
            p = stats.pair_randomizations(values, places, **random)
        else:
            p = np.array([stats.TESTS[how.test](a, b).p for a, b in columns])
        if how.correction == MAX_T:
            return p, stats.max_t(values, pairs=places, **random)
        return p, stats.adjust(p, cast("stats.Correction", how.correction))

    def _intervals(self) -> list[Interval]:
        """Of each pair's difference: its own, or under Tukey that of all pairs together."""
        how = self.procedure
        if how.test == TUKEY:
            half = self._tukey.half_width
            means = self.differences.mean(axis=0).tolist()
            intervals = [Interval(mean, mean - half, mean + half, how.confidence, TUKEY) for mean in means]
        else:
            drawn = {"resamples": how.samples, "seed": how.seed}
            intervals = stats.pair_intervals(self.values, self.places, confidence=how.confidence, **drawn)
        return [interval.times(self._many) for interval in intervals]

    @cached_property
    def _tukey(self) -> stats.Tukey:
        return stats.tukey_hsd(self.values, confidence=self.procedure.confidence)

    @property
    def _many(self) -> int:
        """A sum differs by this many mean differences."""
        return len(self.values) if self.measure.definition.average == "sum" else 1

    def _detectable(self) -> Floats:
        """Of each pair, at the level that is left to one of them."""
        n, spread = len(self.values), self.differences.std(axis=0, ddof=1 if len(self.values) > 1 else 0)
        level = self.procedure.level(len(self.places))
        of_one = stats.smallest_detectable(1.0, n, alpha=level) if spread.any() else math.nan
        return np.where(~are_equal(spread, 0.0), spread * of_one * self._many, math.nan)
