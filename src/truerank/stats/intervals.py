"""How far a mean, or a difference of means, can be trusted: its confidence interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from truerank.core.presented import finite
from truerank.stats.binomial import clopper_pearson, mid_p, unanimous_p
from truerank.stats.bootstrap import bca_limits, percentile_limits, reach, resampled_sums
from truerank.stats.sparse import gamma_limits, is_one_sided
from truerank.stats.values import (
    Floats,
    column,
    count,
    differences,
    is_constant,
    mean,
    on_grid,
    one_of,
    scale,
    share,
    table,
)

Method = Literal["bca", "percentile", "gamma", "binomial", "mid-p"]

BINOMIAL = {"binomial": clopper_pearson, "mid-p": mid_p}
"""Exact intervals of a share."""


FEWEST = 10
"""With fewer values than these that differ from all the others, a bootstrap knows too little of their tail."""

HUGE = 2.0**960
"""Larger values are divided by a power of two, so that sums of them stay numbers."""

SCARCE = 3
"""Fewer values than these show next to nothing of how much those that differ may differ."""


@dataclass(frozen=True)
class Interval:
    """An estimate, and where the truth may lie.

    Attributes:
        estimate: the number itself, such as the mean.
        low, high: the limits of the interval, both included.
        confidence: how often such intervals contain the truth.
        method: bca, percentile, gamma, binomial, mid-p, order statistics, prediction-powered; "t" where runs differ
            and queries do not; "constant" when all values are equal and the sample shows no spread; "none" when
            there are too few values to say: from −inf to inf.
        differing: how many values differ from the commonest one, where they are less than half and so few that the
            interval contains the truth less often than promised: fewer than 10 (`FEWEST`) for a bootstrap or
            Student's t, fewer than 3 (`SCARCE`) for gamma. None where the interval can be trusted.
    """

    estimate: float
    low: float
    high: float
    confidence: float
    method: str
    differing: int | None = field(default=None, repr=False)

    @classmethod
    def unknown(cls, estimate: float, confidence: float) -> Interval:
        """The interval from −inf to inf, where nothing is known of the truth."""
        return cls(estimate, -np.inf, np.inf, confidence, "none")

    @classmethod
    def constant(cls, value: float, confidence: float) -> Interval:
        """The interval of values that are all the same."""
        return cls(value, value, value, confidence, "constant")

    def times(self, factor: float) -> Interval:
        """The interval of the quantity times a factor above 0."""
        return replace(self, estimate=self.estimate * factor, low=self.low * factor, high=self.high * factor)

    def within(self, low: float, high: float) -> Interval:
        """The interval cut to the range of the values; an unknown one stays unknown.

        >>> Interval(0.9, 0.7, 1.1, 0.95, "t").within(0.0, 1.0)
        Interval(estimate=0.9, low=0.7, high=1.0, confidence=0.95, method='t')
        """
        if self.method == "none":
            return self
        return replace(self, low=min(max(self.low, low), high), high=min(max(self.high, low), high))

    def limits(self, called: str = "estimate") -> dict[str, Any]:
        """The estimate, under this name, and the limits as plain values; None for what is not finite."""
        return {
            key: finite(value) for key, value in {called: self.estimate, "low": self.low, "high": self.high}.items()
        }

    def to_dict(self, called: str = "estimate") -> dict[str, Any]:
        """The limits, and the method as "interval"."""
        return {**self.limits(called), "interval": self.method}


def is_too_few(n: int, confidence: float = 0.95) -> bool:
    """Whether n values are too few for a bootstrap interval of their mean: up to 5 at 95 %.

    No mean of a resample lies outside the range of the values. All n values lie on the same side of their
    distribution's median with probability 2 / 2ⁿ, and then no interval within their range contains it. Where that
    alone is likelier than an interval may be wrong, there is none.

    >>> [n for n in range(1, 9) if is_too_few(n)], is_too_few(7, 0.99)
    ([1, 2, 3, 4, 5], True)
    """
    return unanimous_p(n) > 1 - confidence


def mean_interval(
    values: ArrayLike,
    *,
    confidence: float = 0.95,
    method: Method | None = None,
    resamples: int = 10_000,
    seed: int = 0,
) -> Interval:
    """Where the mean over all queries of this kind may lie, judged by those at hand.

    Args:
        values: (n,) one value per query.
        confidence: how often such intervals should contain the truth.
        method: "binomial" (exact: Clopper and Pearson's) or "mid-p" for values that are 0 or 1, "bca" or
            "percentile" (bootstrap) for any. None takes "binomial" where all values are 0 or 1; "gamma" (Fay and
            Feuer's) where fewer than 10 differ from the commonest one, as where nearly all are 0, and all to the
            same side; else "bca". Of too few values (`is_too_few`) there is no bootstrap: the interval is "none".
        resamples: of the bootstrap.
        seed: of the bootstrap; the same seed gives the same bits.

    Raises:
        ValueError: no values, values that are not finite, or a binomial method where there are others than 0 and 1.

    >>> interval = mean_interval([0, 1, 1, 1, 0, 1, 1, 1, 1, 1])
    >>> interval.estimate, interval.method
    (0.8, 'binomial')
    """
    row = column(values)[:, None]
    return mean_intervals(row, confidence=confidence, method=method, resamples=resamples, seed=seed)[0]


def mean_intervals(
    values: ArrayLike,
    *,
    confidence: float = 0.95,
    method: Method | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    shares: bool | Sequence[bool] = True,
) -> list[Interval]:
    """The interval of the mean of each column of (n, c) values; one resampling of the queries serves them all.

    Args:
        shares: whether values that are all 0 or 1 are those of a share, and not counts that happen to be so small;
            of all columns, or of each.
    """
    means = Means.of(values, confidence, method, shares)
    (sums,) = resampled_sums([means.grid], count(resamples, "resamples"), seed)
    return means.intervals(sums)


@dataclass(frozen=True, eq=False)
class Means:
    """The means of columns, and how the interval of each is found.

    Attributes:
        values: (n, c) divided by `shrinking`, so that sums of them stay numbers.
        shrinking: (c,) powers of two.
        ways: the method of each column.
        few: what `differing` says of each column.
        drawn: the columns that are resampled.
    """

    values: Floats
    shrinking: Floats
    ways: list[str]
    few: list[int | None]
    drawn: list[int]
    confidence: float

    @classmethod
    def of(
        cls, values: ArrayLike, confidence: float, method: Method | None, shares: bool | Sequence[bool]
    ) -> Means:
        """The means of (n, c) values; the arguments are those of `mean_intervals`."""
        checked = table(values)
        shrinking = np.where(scale(checked) > HUGE, 2.0**64, 1.0)
        checked = checked / shrinking
        share(confidence, "confidence")
        few = differing(checked)
        kinds = np.broadcast_to(shares, len(few)).tolist()
        ways = [
            _way(each, n, method, confidence, kind) for each, n, kind in zip(checked.T, few, kinds, strict=True)
        ]
        drawn = [i for i, way in enumerate(ways) if way in ("bca", "percentile")]
        return cls(checked, shrinking, ways, few, drawn, confidence)

    @cached_property
    def _grid(self) -> tuple[Floats, Floats]:
        drawn = self.values[:, self.drawn]
        return on_grid(drawn, scale(drawn))

    @property
    def grid(self) -> Floats:
        """(n, drawn) the columns to be resampled, in whole units."""
        return self._grid[0]

    def intervals(self, sums: Floats) -> list[Interval]:
        """The interval of each column's mean.

        Args:
            sums: (resamples, drawn) the sums of resampled rows of the grid.
        """
        means = sums * self._grid[1] / len(self.values)
        limits = {
            i: _limits(means[:, at], self.values[:, i], self.ways[i], self.confidence)
            for at, i in enumerate(self.drawn)
        }
        return [
            _interval(each, way, self.confidence, limits.get(i), self.few[i]).times(by)
            for i, (each, way, by) in enumerate(zip(self.values.T, self.ways, self.shrinking.tolist(), strict=True))
        ]


def difference_interval(
    a: ArrayLike,
    b: ArrayLike,
    *,
    confidence: float = 0.95,
    method: Literal["bca", "percentile"] | None = None,
    resamples: int = 10_000,
    seed: int = 0,
) -> Interval:
    """Where the mean of a − b may lie, query by query; queries are resampled, never systems.

    The method is "percentile" unless asked otherwise: differences are seldom skewed, and where there is little
    skewness BCa corrects by noise (docs/calibration.md shows both).

    >>> difference_interval([0.5, 0.25, 1.0], [0.25, 0.0, 0.5])
    Interval(estimate=0.3333333333333333, low=-inf, high=inf, confidence=0.95, method='none')
    """
    first, second = column(a, "a")[:, None], column(b, "b")[:, None]
    return difference_intervals(
        first, second, confidence=confidence, method=method, resamples=resamples, seed=seed
    )[0]


def difference_intervals(
    a: ArrayLike,
    b: ArrayLike,
    *,
    confidence: float = 0.95,
    method: Literal["bca", "percentile"] | None = None,
    resamples: int = 10_000,
    seed: int = 0,
) -> list[Interval]:
    """`difference_interval` of each column of (n, c) values; one resampling of the queries serves them all."""
    between = differences(table(a, "a"), table(b, "b"))
    way: Method = method or "percentile"
    if way in BINOMIAL:
        raise ValueError(f"a difference has no {way!r} interval; method is bca or percentile")
    return mean_intervals(between, confidence=confidence, method=way, resamples=resamples, seed=seed)


def _way(values: Floats, few: int | None, method: str | None, confidence: float, shares: bool) -> str:
    """The method for the interval of these values; `few` is what `differing` says of them."""
    if method is not None:
        one_of(method, get_args(Method), "method")
    is_binary = (method in BINOMIAL or (shares and method is None)) and bool(np.isin(values, (0.0, 1.0)).all())
    if method in BINOMIAL and not is_binary:
        raise ValueError(f"the method {method!r} is for values that are all 0 or 1")
    if is_binary:
        return method or "binomial"
    if is_too_few(len(values), confidence):
        return "none"
    if is_constant(values, scale(values)):
        return "constant"
    if method == "gamma" and not is_one_sided(values):
        raise ValueError("the method 'gamma' is for values that all lie on one side of the commonest one")
    return method or ("gamma" if few is not None and is_one_sided(values) else "bca")


def _limits(means: Floats, values: Floats, way: str, confidence: float) -> tuple[float, float]:
    far = reach(confidence, len(values))
    limits = bca_limits(means, far, values) if way == "bca" else percentile_limits(means, far)
    least, most = float(values.min()), float(values.max())  # a mean of rounded values may lie slightly outside
    return max(limits[0], least), min(limits[1], most)


def _interval(
    values: Floats, way: str, confidence: float, limits: tuple[float, float] | None, few: int | None
) -> Interval:
    estimate, doubted = float(mean(values)), None
    if way in BINOMIAL:
        limits = BINOMIAL[way](int(values.sum()), len(values), confidence)
    elif way == "constant":
        estimate = float(values[0])  # the mean of equal values may be off in the last digit
        limits = (estimate, estimate)
    elif way == "gamma":
        limits, doubted = gamma_limits(values, confidence), few if few is not None and few < SCARCE else None
    elif limits is None:
        limits = (-np.inf, np.inf)
    else:
        doubted = few
    return Interval(estimate, *limits, confidence, way, doubted)


def differing(values: Floats) -> list[int | None]:
    """How many values of each column differ from the commonest one; None where they are enough for a bootstrap.

    A value that more than half of the values have is their median.
    """
    others = np.count_nonzero(values != np.sort(values, axis=0)[len(values) // 2], axis=0)
    return [n if n < FEWEST and 2 * n < len(values) else None for n in others.tolist()]
