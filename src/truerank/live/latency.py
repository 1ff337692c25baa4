"""Latencies as people read them: the mean, the extremes and percentiles in milliseconds, and how sure they are."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from truerank.core.errors import InputError, needs
from truerank.core.messages import alternatives, did_you_mean, message
from truerank.core.qrels import Floats
from truerank.live.samples import Ints
from truerank.stats import Interval
from truerank.stats.quantiles import KINDS, LINEAR, NEAREST, nearest_rank

PERCENTILES: Mapping[str, float] = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p99.9": 0.999}

NEEDED: Mapping[str, int] = {"p50": 6, "p90": 36, "p95": 72, "p99": 368, "p99.9": 3_688}
"""Queries that resolve a percentile: with fewer, its two-sided interval of 95 % has no upper limit."""

FIGURES = ("mean", "min", "max", *PERCENTILES)

MILLION = 1_000_000
"""Nanoseconds in a millisecond."""

DRAWS = 50_000_000
"""Numbers that a bootstrap draws at most."""


def summary(times: Ints, kind: str = NEAREST) -> dict[str, float]:
    """The mean, the extremes and the percentiles in milliseconds; NaN where there are no times.

    Args:
        times: (n,) nanoseconds.
        kind: of the percentiles, one of `KINDS`.

    >>> figures = summary(np.arange(1, 101) * MILLION)
    >>> figures["mean"], figures["p50"], figures["p99"]
    (50.5, 50.0, 99.0)
    """
    if not len(times):
        return dict.fromkeys(FIGURES, math.nan)
    ordered = np.sort(times)
    mean, ends = int(times.sum()) / len(times), (float(ordered[0]), float(ordered[-1]))
    ends_and_mean = dict(zip(("mean", "min", "max"), (each / MILLION for each in (mean, *ends)), strict=True))
    return {**ends_and_mean, **percentiles(ordered / MILLION, kind)}


def percentiles(ordered: Floats, kind: str = NEAREST) -> dict[str, float]:
    """Each percentile of values in rising order, of which the last may be infinite.

    Args:
        kind: "nearest-rank": the value at rank ceil(q n), one that was measured; "linear": between the two values
            around q (n - 1), as NumPy's `percentile` has it.

    >>> ten = np.array([1.0, 2, 3, 4, 5, 6, 7, 8, 9, 100])
    >>> [percentiles(ten)[name] for name in ("p50", "p95", "p99")]
    [5.0, 100.0, 100.0]
    >>> [round(percentiles(ten, "linear")[name], 9) for name in ("p50", "p95", "p99")]
    [5.5, 59.05, 91.81]
    """
    at = _between if kind == LINEAR else _nearest
    return {name: at(ordered, q) for name, q in PERCENTILES.items()}


def _nearest(ordered: Floats, q: float) -> float:
    return float(ordered[nearest_rank(len(ordered), q) - 1])


def _between(ordered: Floats, q: float) -> float:
    place = round(q * (len(ordered) - 1), 9)
    above = float(ordered[math.ceil(place)])
    return above if place.is_integer() or math.isinf(above) else float(np.percentile(ordered, round(100 * q, 9)))


def checked(kind: str) -> str:
    """The kind of percentiles.

    Raises:
        InputError: there is no such kind.
    """
    if kind not in KINDS:
        raise InputError(
            "percentiles are {kinds}, not {kind!r}.{hint}",
            kinds=alternatives(KINDS),
            kind=kind,
            hint=did_you_mean(str(kind), KINDS),
        )
    return kind


def intervals(times: Ints, query: Ints, confidence: float = 0.95) -> dict[str, Interval | None]:
    """Where the mean and the percentiles may lie, in milliseconds; None where there are too few queries to say.

    Calls of the same query resemble each other. Where queries were asked more than once, queries are resampled
    with all their calls for the mean, and for percentiles calls count as far as they are not alike.

    Args:
        times: (n,) nanoseconds.
        query: (n,) whose they are.

    Raises:
        MissingPackage: SciPy is not installed.
    """
    return value_intervals(times / MILLION, query, confidence)


def value_intervals(values: Floats, query: Ints, confidence: float) -> dict[str, Interval | None]:
    """`intervals` for values that are in milliseconds already."""
    if not len(values):
        return dict.fromkeys(("mean", *PERCENTILES))
    with needs(message("an interval"), "stats"):
        if len(np.unique(query)) == len(query):
            return _of_single(values, confidence)
        return _of_several(values, query, confidence)


def _of_single(values: Floats, confidence: float) -> dict[str, Interval | None]:
    from truerank.stats import mean_intervals, quantile_interval

    resamples = _resamples(len(values))
    mean, *_ = mean_intervals(values[:, None], confidence=confidence, resamples=resamples, shares=False)
    intervals = {name: quantile_interval(values, q, confidence=confidence) for name, q in PERCENTILES.items()}
    return {"mean": mean, **intervals}


def _of_several(values: Floats, query: Ints, confidence: float) -> dict[str, Interval | None]:
    """The intervals where some queries were asked more than once."""
    from truerank.stats import quantile_interval, ratio_interval

    _, group, counts = np.unique(query, return_inverse=True, return_counts=True)
    mean = ratio_interval(
        np.bincount(group, values),
        counts,
        confidence=confidence,
        method="bca",
        resamples=_resamples(len(counts)),
    )
    intervals = {
        name: quantile_interval(values, q, confidence=confidence, groups=group) for name, q in PERCENTILES.items()
    }
    return {"mean": mean, **intervals}


def _resamples(n: int) -> int:
    return max(200, min(10_000, DRAWS // n))
