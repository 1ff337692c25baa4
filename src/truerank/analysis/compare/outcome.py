"""One measure's values on systems and queries: means, differences, tests, and who is better than whom."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import NamedTuple, cast

import numpy as np

from truerank import stats
from truerank.analysis.compare.result import Outcome, Pair, Procedure
from truerank.analysis.drawing import check_word, checked_drawing
from truerank.core.equal import difference
from truerank.core.errors import InputError
from truerank.core.messages import message
from truerank.core.scores import averaged, intervals_and_differences
from truerank.measures import Measure
from truerank.measures.sums import Floats, Ints, PerQuery
from truerank.stats import Interval
from truerank.stats.resampling import resamples_needed

TUKEY = "tukey"
MAX_T = "max-t"
TESTS = (*stats.TESTS, TUKEY)
CORRECTIONS = ("holm", "bonferroni", "bh", "none", MAX_T)

MOST_RESAMPLES = 1_000
"""Of a measure of the whole run, which is worked out from all rows for each, where no more are needed."""

COLUMNS = 256
"""How many systems or pairs of several measures are drawn for together, where one measure has no more."""

Places = list[tuple[int, int]]
"""Pairs of columns: a system, and the one that it is compared to."""


def checked(procedure: Procedure) -> Procedure:
    """The procedure, with what follows from its test.

    Raises:
        InputError: no such test or correction, or they do not go together.
    """
    check_word(message("test"), procedure.test, TESTS)
    check_word(message("correction"), procedure.correction, (*CORRECTIONS, TUKEY))
    confidence, samples, seed = checked_drawing(procedure.confidence, procedure.samples, procedure.seed)
    procedure = replace(procedure, confidence=confidence, samples=samples, seed=seed)
    if procedure.test == TUKEY:  # its p are for all pairs together already
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


def outcomes(
    measures: Sequence[Measure], tables: Sequence[PerQuery], names: Sequence[str], procedure: Procedure
) -> Iterator[Outcome]:
    """The outcome of each measure; random numbers are drawn once for several measures.

    Args:
        tables: (queries, systems) of each measure; queries on which a value is not a finite number are left out.
    """
    kept = [np.isfinite(values).all(axis=1) for values in tables]
    places = pairs_of(names, procedure)
    at_once = max(1, COLUMNS // max(len(names), len(places)))
    for _, group in itertools.groupby(range(len(measures)), lambda at: kept[at].tobytes()):
        alike = list(group)
        for part in (alike[start : start + at_once] for start in range(0, len(alike), at_once)):
            rows = [np.ascontiguousarray(tables[at][kept[at]]) for at in part]
            left_out = int((~kept[part[0]]).sum())
            yield from _together([measures[at] for at in part], rows, left_out, names, places, procedure)


def _together(
    measures: Sequence[Measure],
    tables: Sequence[PerQuery],
    left_out: int,
    names: Sequence[str],
    places: Places,
    procedure: Procedure,
) -> Iterator[Outcome]:
    """The outcomes of measures that have values for the same queries."""
    n = len(tables[0])
    if not n:
        unknown = Interval.unknown(math.nan, procedure.confidence)
        beaten_by: dict[str, tuple[str, ...]] = dict.fromkeys(names, ())
        yield from (Outcome(each, 0, left_out, dict.fromkeys(names, unknown), (), beaten_by) for each in measures)
        return
    width = len(names)
    begins = range(0, width * len(measures), width)
    means, apart = intervals_and_differences(
        [measure for measure in measures for _ in names],
        np.hstack(tables),
        [] if procedure.test == TUKEY else [(i + at, j + at) for at in begins for i, j in places],
        confidence=procedure.confidence,
        samples=procedure.samples,
        seed=procedure.seed,
    )
    values = [averaged(measure, rows) for measure, rows in zip(measures, tables, strict=True)]
    tested = _tested(values, places, procedure, apart) if places else (_Tested(np.empty(0), ()) for _ in measures)
    for at, (measure, of_pairs) in enumerate(zip(measures, tested, strict=True)):
        own = dict(zip(names, means[begins[at] :], strict=False))
        pairs = _Pairs(measure, values[at], names, procedure, places).compared(of_pairs) if places else ()
        yield concluded(measure, n, left_out, own, pairs, procedure)


def resamples_of_run(procedure: Procedure, pairs: int, queries: int) -> int:
    """How many resamples a measure of the whole run takes: as many as this many pairs need, if that is feasible.

    >>> [resamples_of_run(Procedure(samples=samples), 36, 50) for samples in (10_000, 1_200)]
    [3246, 1000]
    """
    usual, needed = min(procedure.samples, MOST_RESAMPLES), least_resamples(procedure, pairs, queries)
    return max(usual, needed) if needed and needed <= procedure.samples else usual


def least_resamples(procedure: Procedure, pairs: int, queries: int) -> int | None:
    """With how many resamples the clearest of this many pairs can be significant; None: never."""
    return resamples_needed(procedure.level(max(1, pairs)), queries)


def correction_of_run(procedure: Procedure) -> str:
    """How p of a measure of the whole run are corrected: by Holm where the correction asked for needs values."""
    return procedure.correction if procedure.correction in CORRECTIONS[:-1] else CORRECTIONS[0]


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
    places = pairs_of(names, procedure)
    samples = resamples_of_run(procedure, len(places), n)
    values = at(np.ones(n, np.int64))
    drawn = stats.resampled(at, n, resamples=samples, seed=procedure.seed)
    interval = partial(stats.percentile_interval, n=n, confidence=procedure.confidence)
    means = [interval(float(value), drawn[:, i]) for i, value in enumerate(values)]
    between = np.column_stack([difference(drawn[:, i], drawn[:, j]) for i, j in places]) if places else drawn[:, :0]
    p = np.array([stats.p_of(column, n) for column in between.T])
    how = correction_of_run(procedure)
    adjusted = stats.adjust(p, cast("stats.Correction", how)) if places else p
    pairs = []
    for row, (i, j) in enumerate(places):
        apart = interval(float(difference(values[i], values[j])), between[:, row])
        of_pair = float(p[row]), float(adjusted[row])
        pairs.append(Pair(names[i], names[j], apart, *of_pair, math.nan, 0, 0, 0, math.nan))
    return concluded(measure, n, 0, dict(zip(names, means, strict=True)), pairs, procedure)


def outcome_not_drawn(
    measure: Measure,
    at: Callable[[Ints], Floats],
    n: int,
    names: Sequence[str],
    procedure: Procedure,
) -> Outcome:
    """Only the numbers of the whole run, where resamples do not show how sure they are; arguments as above."""
    values = at(np.ones(n, np.int64)).tolist()
    means = {name: Interval.unknown(value, procedure.confidence) for name, value in zip(names, values, strict=True)}
    pairs = []
    for i, j in pairs_of(names, procedure):
        apart = Interval.unknown(float(difference(values[i], values[j])), procedure.confidence)
        pairs.append(Pair(names[i], names[j], apart, math.nan, math.nan, math.nan, 0, 0, 0, math.nan))
    return Outcome(measure, n, 0, means, tuple(pairs), dict.fromkeys(names, ()))


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
    """For each system the ones that it is significantly better than."""
    better = set()
    for pair in pairs:
        gain = pair.difference.estimate * direction(measure)
        if pair.adjusted <= procedure.alpha and gain and not pair.against_mean:
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


class _Tested(NamedTuple):
    """For each pair by one measure: p, the mean difference's interval, and whether p speaks against the means."""

    p: Floats
    apart: Sequence[Interval]
    against_mean: Sequence[bool] = ()


def _tested(
    values: Sequence[PerQuery], places: Places, procedure: Procedure, apart: Sequence[Interval]
) -> Iterator[_Tested]:
    """The results of the test, for each measure's (queries, systems) values.

    Args:
        apart: the intervals of the differences from resamples, measure by measure.
    """
    if procedure.test == TUKEY:
        yield from (_by_tukey(each, places, procedure.confidence) for each in values)
        return
    table, width, many = np.hstack(values), values[0].shape[1], len(places)
    pairs = [(i + at * width, j + at * width) for at in range(len(values)) for i, j in places]
    if procedure.test == "randomization":
        p = stats.pair_randomizations(table, pairs, samples=procedure.samples, seed=procedure.seed)
        against_mean = [False] * len(pairs)
    else:
        found = [stats.TESTS[procedure.test](table[:, i], table[:, j]) for i, j in pairs]
        p, against_mean = np.array([each.p for each in found]), [each.against_mean for each in found]
    for part in (slice(start, start + many) for start in range(0, len(pairs), many)):
        yield _Tested(p[part], apart[part], against_mean[part])


def _by_tukey(values: PerQuery, places: Places, confidence: float) -> _Tested:
    """The results of Tukey's test of all pairs together, whose intervals are all equally wide."""
    tukey = stats.tukey_hsd(values, confidence=confidence)
    means, half = stats.paired_differences(values, places).mean(axis=0).tolist(), tukey.half_width
    intervals = [Interval(mean, mean - half, mean + half, confidence, TUKEY) for mean in means]
    return _Tested(np.array([tukey.p[i, j] for i, j in places]), intervals, [False] * len(places))


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

    def compared(self, tested: _Tested) -> tuple[Pair, ...]:
        """All pairs, with the results of the test."""
        p, apart, against_mean = tested
        sizes = stats.pair_effects(self.values, self.places) if len(self.values) > 1 else np.full(len(p), math.nan)
        gained = self.differences * (direction(self.measure) or 1)
        counts = (np.count_nonzero(each, axis=0) for each in (gained > 0, gained == 0, gained < 0))
        columns = (p, self._adjusted(p), sizes, *counts, self._detectable())
        intervals = [interval.times(self._many) for interval in apart]
        rows = zip(self.places, intervals, *(column.tolist() for column in columns), against_mean, strict=True)
        return tuple(Pair(self.names[i], self.names[j], *numbers) for (i, j), *numbers in rows)

    def _adjusted(self, p: Floats) -> Floats:
        """p corrected for the number of pairs."""
        how = self.procedure
        if how.correction == MAX_T:
            of_all = stats.max_t(self.values, pairs=self.places, samples=how.samples, seed=how.seed)
            return np.maximum(p, of_all)  # p from all patterns may be above one from samples
        return p if how.test == TUKEY else stats.adjust(p, cast("stats.Correction", how.correction))

    @property
    def _many(self) -> int:
        """The factor from mean differences to what is shown: for a sum the number of queries, else 1."""
        return len(self.values) if self.measure.definition.average == "sum" else 1

    def _detectable(self) -> Floats:
        """The detectable difference of each pair, at the level left to a single pair."""
        n, spread = len(self.values), stats.pair_deviations(self.differences, self.values, self.places)
        level = self.procedure.level(len(self.places))
        of_one = stats.smallest_detectable(1.0, n, alpha=level) if spread.any() else math.nan
        return np.where(spread > 0, spread * of_one * self._many, math.nan)
