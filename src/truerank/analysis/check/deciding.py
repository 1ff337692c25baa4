"""Scores and gates in, a verdict for each gate out."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from truerank import stats
from truerank.analysis.check import predicting
from truerank.analysis.check.baselines import comparable, compared, is_plain, pairs
from truerank.analysis.check.figures import Figures
from truerank.analysis.check.gates import FIGURES, Gates, Limit, failures
from truerank.analysis.check.result import Check, Outcome, Verdict
from truerank.analysis.check.slices import Part, sliced
from truerank.analysis.check.watching import FEW, UNKNOWN, Seen, Watch
from truerank.analysis.compare.over_runs import widened
from truerank.analysis.compare.slices import UNNAMED, Attribute, attribute_of
from truerank.analysis.drawing import checked_drawing
from truerank.analysis.saved_scores import measure_saved_as
from truerank.core.equal import are_equal, difference, is_equal
from truerank.core.errors import InputError, MissingPackage, needs
from truerank.core.messages import joined, message
from truerank.core.schema import is_number
from truerank.core.scores import averaged, intervals
from truerank.measures import MeasuresLike, parse_measures
from truerank.measures.sums import PerQuery
from truerank.stats import Interval

if TYPE_CHECKING:
    from truerank.live import Bench

Limits = Mapping[str, Any] | None

TURNS = message("not measured, because it took turns with another retriever")

OF_RUN = message("it is one number of the whole run, without values of queries")
UNSAVED = message("only the mean was saved (save with --per-query)")

CENSORED = message("one that failed counts as endless, another as at least as long as it was waited for")

WAITED = message("calls that waited together are alike, and the interval is too narrow")

SAME = message("no query's value changed, so that nothing got worse")

UNJUDGED = message("none of the returned documents is judged, so that it cannot pass")

SKIPPED = message("the rules skip what a run does not answer, so that it cannot pass")


def check(
    scores: Any = None,
    *,
    min: Limits = None,
    max: Limits = None,
    no_worse_than: Any = None,
    margin: float | Mapping[str, float] = 0.0,
    measures: MeasuresLike | None = None,
    bench: Bench | str | os.PathLike[str] | None = None,
    sure: bool = False,
    confidence: float = 0.95,
    samples: int = 10_000,
    seed: int = 0,
    percentiles: str | None = None,
    watch: Watch | None = None,
    by: Attribute | str | None = None,
    by_name: str = UNNAMED,
    slices: Mapping[str, Mapping[str, Any]] | None = None,
) -> Check:
    """Whether scores and latencies are what they have to be: pass, fail or undecided.

    A limit is decided by the value itself, unless `sure`: then the interval must lie on one side of it. A baseline
    is always decided by the interval of the paired difference: worse by more than the margin fails only if all
    of the interval says so, and passes only if none of it does.

    Args:
        scores: `Scores`, the path of what `truerank eval --per-query --format json` saved, or {measure: mean}; a
            `Reading`, which is evaluated by the measures that gates name, or by the baseline's; or what `predicted`
            made of people's and a model's judgements, as the baseline then is too.
        min, max: {measure: limit}; also of a benchmark: {"p95": "200ms", "throughput": 50, "errors": 0}.
        no_worse_than: the baseline's scores, as `scores`.
        margin: how much worse is not worse: one for all measures, or {measure: margin}.
        measures: what is compared to the baseline; by default what has a limit or a margin of its own, and where
            nothing has, all that both have. Counts and geometric means are not.
        bench: a `Bench`, or the path of a saved one.
        confidence: of the intervals.
        samples, seed: of the bootstrap.
        percentiles: of the benchmark, "nearest-rank" or "linear"; if not given, those that it was made with.
        watch: earlier looks, with whose confidence intervals then decide; the result's `watch` has this one too.
        by: {query: value}, a Series by query, or FILE:COLUMN of a table with a column query_id: the gates are
            asked of the queries of each value too, with intervals of their own; latencies and measures of the
            whole run have no slices. `by_name` is what it is called.
        slices: {value: {"min": …, "max": …, "margin": …}}: gates of single slices, beside those of all, or in the
            place of the one on the same measure.

    Raises:
        TruerankError: no gate; no such measure; scores under different rules, or with no query in common.

    >>> import truerank as tr
    >>> scores = tr.evaluate({f"q{n}": {"a": 1} for n in range(40)}, {f"q{n}": ["a"] for n in range(36)}, "RR")
    >>> tr.check(scores, min={"RR": 0.85}).outcome, tr.check(scores, min={"RR": 0.85}, sure=True).outcome
    ('pass', 'undecided')
    """
    confidence, samples, seed = checked_drawing(confidence, samples, seed)
    if watch is not None and not isinstance(watch, Watch):
        raise InputError("what watches is a Watch, e.g. Watch('new'); not {watch!r}", watch=watch)
    by, by_name = attribute_of(by, by_name)
    timed = _benchmark(bench, percentiles)
    scored = scores if scores is not None else timed.scores if timed else None
    compared_by = None if measures is None else [measure.written for measure in parse_measures(measures)]
    gates = Gates({} if min is None else min, {} if max is None else max, margin)
    single = Gates.of_slices(slices or {}, gates)
    if no_worse_than is None:
        _refuse_uncompared((gates, *single.values()), compared_by)
    named = named_by_gates(*gates.with_all(single.values()), no_worse_than is not None, margin, compared_by)
    baseline = None if no_worse_than is None else Figures.of(no_worse_than, named)
    figures = None if scored is None else Figures.of(scored, named or (list(baseline.mean) if baseline else None))
    seen = None if watch is None else watch.seeing(figures, baseline)
    if seen:
        figures, baseline, sure, confidence = seen.figures, seen.baseline, True, seen.watch.confidence
    judge = _Judge(figures, timed, sure, confidence, samples, seed, seen)
    parts = list(sliced(figures, baseline, by, by_name, gates, single, is_watched=seen is not None))
    verdicts = [*judge.all(gates, baseline, compared_by), *judge.of_slices(parts, compared_by)]
    if not verdicts:
        raise InputError("there is no gate; name a min, a max, or a baseline that it may not be worse than")
    rules = figures.rules.name if figures and figures.rules else ""
    name = figures.name if figures else timed.name if timed else ""
    looks = seen.watch.with_gates([verdict.to_dict() for verdict in verdicts]) if seen else None
    unsliced = len(figures.queries) - sum(len(part.figures.queries) for part in parts) if figures and parts else 0
    return Check(
        tuple(verdicts),
        name,
        confidence,
        samples,
        rules,
        by_name if parts else "",
        unsliced,
        looks,
        figures.predicted if figures else None,
        tuple(counted for one in (figures, baseline) if one and (counted := one.counted)),
        tuple((one.name, one.system) for one in (figures, baseline) if one),
        _ended(timed) if timed else "",
    )


def _refuse_uncompared(gates: Iterable[Gates], measures: Iterable[str] | None) -> None:
    """Raise for what is said of a baseline where there is none."""
    if any(one.margin for one in gates):
        raise InputError("a margin is of a baseline: say what it is not to be worse than (no_worse_than)")
    if measures:
        raise InputError(
            "measures are those that are compared to a baseline: say what they are not to be worse than "
            "(no_worse_than), or give each its own limit (min, max)"
        )


def named_by_gates(
    min: Limits,
    max: Limits,
    is_compared: bool,
    margin: float | Mapping[str, float],
    measures: Iterable[str] | None,
) -> list[str] | None:
    """The measures that some gate names; None where none does: those of the baseline, or else the usual, count."""
    limited = [name for name in (*(min or {}), *(max or {})) if name not in FIGURES]
    margins = list(margin) if isinstance(margin, Mapping) else []
    others = (list(measures) if measures else margins) or (limited if is_compared else [])
    return [*limited, *others] or None


@dataclass(frozen=True, eq=False)
class _Judge:
    """What is checked, and how."""

    figures: Figures | None
    bench: Bench | None
    sure: bool
    confidence: float
    samples: int
    seed: int
    seen: Seen | None = None

    def all(self, gates: Gates, baseline: Figures | None, measures: Iterable[str] | None) -> list[Verdict]:
        """A verdict for each gate."""
        limited = [name for name in (*gates.min, *gates.max) if name not in FIGURES]
        return [
            *map(self.limited, gates.limits()),
            *(self.against(baseline, gates.margin, measures, limited) if baseline else ()),
        ]

    def of_slices(self, parts: Sequence[Part], measures: Iterable[str] | None) -> Iterator[Verdict]:
        """A verdict for each gate of each slice, by its own values and interval.

        The more slices there are, the likelier one of them fails by chance. So each interval is one of
        1 − (1 − c) / k for k slices (Bonferroni), and all hold together as often as one interval alone.
        """
        for part in parts:
            confidence = 1 - (1 - self.confidence) / len(parts)
            one = replace(self, figures=part.figures, bench=None, confidence=confidence)
            yield from (replace(each, slice=part.value) for each in one.all(part.gates, part.baseline, measures))

    def limited(self, limit: Limit) -> Verdict:
        """A limit on a value."""
        if limit.name in FIGURES:
            return self._timed(limit)
        if self.figures is None:
            raise InputError("{limit} is a measure: scores are needed, or a benchmark with qrels", limit=limit.name)
        name = self.figures.resolve(limit.name)
        value, values = self.figures.mean[name], self.figures.values.get(name)
        interval, note = self._of_mean(name, value, values)
        verdict = self._verdict(replace(limit, name=name), value, interval, note)
        count = None if values is None else int(np.isfinite(values).sum())
        return replace(verdict, queries=count, outcome=verdict.outcome if count != 0 else "undecided")

    def against(
        self,
        baseline: Figures,
        margin: float | Mapping[str, float],
        measures: Iterable[str] | None,
        limited: Iterable[str],
    ) -> Iterator[Verdict]:
        """A gate for each measure that is compared to the baseline; `limited` are those that have a limit."""
        if self.figures is None:
            raise InputError("scores are needed to compare with a baseline")
        if self.figures.rules and baseline.rules:
            self.figures.rules.refuse_unlike(self.figures.name, baseline.rules, baseline.name)
        margins = margin if isinstance(margin, Mapping) else {}
        plain = (name for name in filter(is_plain, limited) if self.figures.is_known(self.figures.resolve(name)))
        wanted = [*measures] if measures is not None else [*plain, *margins]
        names = dict.fromkeys(map(self.figures.resolve, wanted)) or comparable(self.figures, baseline)
        by_name = {self.figures.resolve(name): value for name, value in margins.items()}
        for name in names:
            allowed = by_name.get(name, 0.0 if isinstance(margin, Mapping) else margin)
            yield self._paired(name, baseline, _positive(allowed, name))

    def _paired(self, name: str, baseline: Figures, margin: float) -> Verdict:
        assert self.figures is not None
        less = compared(name).lower_is_better
        verdict = Verdict(
            name=name,
            kind="no worse than",
            outcome="undecided",
            value=float(difference(self.figures.mean[name], baseline.mean[baseline.resolve(name)])),
            limit=margin if less else 0 - margin,  # of 0 no −0
            is_upper=less,
            interval=None,
            decider="interval",
            against=baseline.name,
            note=message("{why}, so that no interval can be made", why=UNSAVED),
        )
        is_paired = name in self.figures.values and baseline.resolve(name) in baseline.values
        return self._query_by_query(verdict, baseline) if is_paired else verdict

    def _query_by_query(self, blank: Verdict, baseline: Figures) -> Verdict:
        """The verdict on the queries that both have."""
        assert self.figures is not None
        if powered := predicting.of_difference(blank, self.figures, baseline, self.confidence):
            return replace(powered, outcome=_by_interval(powered.interval, blank.limit, blank.is_upper))
        a, b, dropped, notes = pairs(blank.name, self.figures, baseline)
        interval = self._of_difference(blank.name, a, b) if len(a) else None
        measure = measure_saved_as(blank.name)
        known = (*self.figures.components(measure), *baseline.components(measure))
        if interval and known:
            interval = stats.spread(difference(a, b), *known).widened(interval)
        outcome = _by_interval(interval, blank.limit, blank.is_upper)
        is_same = len(a) > 0 and bool(are_equal(a, b).all())
        rules = self.figures.rules
        if dropped and rules and rules.missing == "skip" and (is_same or outcome == "pass"):
            outcome, notes = "undecided", [*notes, SKIPPED]
        elif self.figures.finds_nothing_judged and outcome != "fail":
            outcome, notes = "undecided", [*notes, UNJUDGED]
        elif is_same:
            outcome, notes = "pass", [*notes, SAME]
        elif interval and interval.method in UNKNOWN:
            notes = [*notes, UNKNOWN[interval.method]]
        value = float(np.mean(difference(a, b))) if len(a) else math.nan
        return replace(
            blank, outcome=outcome, value=value, interval=interval, queries=len(a), note=joined("; ", notes)
        )

    def _timed(self, limit: Limit) -> Verdict:
        if self.seen:
            raise InputError("{limit} cannot be watched, only measures can: check it by itself", limit=limit.name)
        if self.bench is None:
            raise InputError(
                "{limit} is a figure of a benchmark: give one that `truerank bench` wrote as --bench (bench=…)",
                limit=limit.name,
            )
        if limit.name == "throughput":
            rate = self.bench.throughput
            note = TURNS if rate is None else failures(self.bench, message("only answers are counted"))
            return self._verdict(limit, math.nan if rate is None else rate, None, note, "/s")
        if limit.name == "errors":
            return self._verdict(limit, float(self.bench.failed), None, "")
        return self._of_latency(self.bench, limit)

    def _of_latency(self, bench: Bench, limit: Limit) -> Verdict:
        """A limit on a latency over all calls; one without an answer took at least as long as it was waited for."""
        try:
            bounded = bench.of_all_calls(self.confidence)[limit.name]
            why = message("an extreme has no interval") if limit.name in ("min", "max") else FEW
            note = "" if bounded.interval and bounded.interval.method != "none" else why
        except MissingPackage:
            bounded, note = bench.of_all_calls(None)[limit.name], self._without_scipy()
        verdict = self._verdict(limit, bounded.low, bounded.interval, note, "ms")
        waited = WAITED if not note and bench.outcomes["late"] else ""
        notes = joined("; ", filter(None, [note, waited, failures(bench, CENSORED)]))
        outcome = verdict.outcome
        if not self.sure:  # the value is only known up to here
            known = Interval(bounded.low, bounded.low, bounded.high, 1.0, "none")
            outcome = "undecided" if math.isnan(bounded.low) else _by_interval(known, limit.value, limit.is_upper)
        return replace(verdict, outcome=outcome, note=notes, is_least=bounded.low < bounded.high)

    def _verdict(self, limit: Limit, value: float, interval: Interval | None, note: str, unit: str = "") -> Verdict:
        by_interval = self.sure and limit.name not in ("throughput", "errors")  # counted, not estimated
        asked = limit.value, limit.is_upper
        return Verdict(
            name=limit.name,
            kind="max" if limit.is_upper else "min",
            outcome=_by_interval(interval, *asked) if by_interval else _by_value(value, *asked),
            value=value,
            limit=limit.value,
            is_upper=limit.is_upper,
            interval=interval,
            decider="interval" if by_interval else "value",
            unit=unit,
            note=note,
        )

    def _of_mean(self, name: str, mean: float, values: PerQuery | None) -> tuple[Interval | None, str]:
        """The interval of a mean (for counts, of the sum), or the reason why there is none."""
        if self.figures and (told := predicting.of_mean(self.figures, name, self.confidence)):
            return told
        measure = measure_saved_as(name)
        if values is None:
            return None, OF_RUN if measure.definition.is_of_run else UNSAVED
        kept = values[np.isfinite(values)]
        if not len(kept):
            return None, message("there are no queries")
        if self.seen:
            watched = self.seen.mean(measure, kept)
            return watched, UNKNOWN.get(watched.method, "")
        try:
            interval, *_ = intervals(
                [measure], kept[:, None], confidence=self.confidence, samples=self.samples, seed=self.seed
            )
        except ModuleNotFoundError:
            return None, self._without_scipy()
        if self.figures and (known := self.figures.components(measure)):
            interval = widened(measure, interval, stats.spread(averaged(measure, kept), *known))
        return replace(interval, estimate=mean), UNKNOWN.get(interval.method, "")

    def _of_difference(self, name: str, a: PerQuery, b: PerQuery) -> Interval:
        if self.seen:
            return self.seen.difference(measure_saved_as(name), difference(a, b))
        with needs(message("a comparison with a baseline"), "stats"):
            return stats.difference_interval(
                a, b, confidence=self.confidence, resamples=self.samples, seed=self.seed
            )

    def _without_scipy(self) -> str:
        """Why there is no interval; raise if one has to decide."""
        missing = MissingPackage(message("an interval"), "stats")
        if self.sure:
            raise missing
        return missing.said


def _benchmark(bench: Bench | str | os.PathLike[str] | None, percentiles: str | None) -> Bench | None:
    """A benchmark, read from its file if it is a path, with percentiles of that kind."""
    if isinstance(bench, str | os.PathLike):
        from truerank.live import Bench

        bench = Bench.read(bench)
    if bench is not None and not hasattr(bench, "latency"):
        raise InputError("bench is a Bench, or the path of a saved one, not {bench!r}", bench=bench)
    return bench if bench is None or percentiles is None else replace(bench, percentiles=percentiles)


def _ended(bench: Bench) -> str:
    """A sentence that a benchmark ended early, and why; empty if it did not."""
    if not bench.stopped:
        return ""
    return message(
        "The benchmark ended early ({why}); {n:,} of {all:,} queries were never asked.",
        why=bench.stopped,
        n=len(bench.queries) - len(bench.asked),
        all=len(bench.queries),
    )


def _by_value(value: float, limit: float, is_upper: bool) -> Outcome:
    """Whether the value keeps to the limit; reaching it, up to rounding, is enough."""
    if math.isnan(value):
        return "undecided"
    keeps = is_equal(value, limit) or (value <= limit if is_upper else value >= limit)
    return "pass" if keeps else "fail"


def _by_interval(interval: Interval | None, limit: float, is_upper: bool) -> Outcome:
    """pass where all of the interval keeps to the limit, fail where none of it does, else undecided."""
    if interval is None:
        return "undecided"
    nearest, farthest = (interval.low, interval.high) if is_upper else (interval.high, interval.low)
    if _by_value(farthest, limit, is_upper) == "pass":
        return "pass"
    return "fail" if _by_value(nearest, limit, is_upper) == "fail" else "undecided"


def _positive(margin: Any, name: str) -> float:
    if not is_number(margin) or margin < 0:
        raise InputError(
            "the margin of {name} is a number from 0 on, e.g. 0.01; not {margin!r}", name=name, margin=margin
        )
    return float(margin)
