"""A mean over many queries, of which people judged a few and a model all: prediction-powered inference."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truerank.core.equal import is_equal
from truerank.stats.binomial import unanimous_p
from truerank.stats.bootstrap import resampled_means
from truerank.stats.distributions import normal_below, normal_quantile, t_above, t_quantile
from truerank.stats.halving import enough_whole
from truerank.stats.intervals import Interval, differing, is_too_few
from truerank.stats.values import Floats, count, mean, one_of, rounding, scale, share, table

Ints = NDArray[np.intp]

Method = Literal["skewed-t", "t", "normal", "percentile"]

POWERED = "prediction-powered"
"""What the intervals are called, and the test of differences."""

FEWEST = 20
"""With fewer judged queries nothing is promised: calibration begins there."""

STRATUM = 5
"""Queries of the same probability are a stratum where so many are judged in each."""


@dataclass(frozen=True)
class PredictedMean:
    """A mean over all queries by what people judged, made sharper by what a model predicted.

    Attributes:
        interval: the estimate, and where the truth may lie whatever the model's bias.
        judged: the estimate, with its interval, by the judged queries alone.
        predicted: the mean of all predictions, as if they were the truth.
        weight: how far the model is relied on: the tuned lambda of PPI++, 0 not at all, 1 fully.
        n, of: how many queries are judged, and how many there are.
        error, freedom: the standard error of the estimate, and its degrees of freedom.
        parts: variances that fall with the number of judged queries, and with the number of all.
        alone: the variance of one judged query, without the model.
        tuned: how many numbers were estimated before the error was.
    """

    interval: Interval
    judged: Interval
    predicted: float
    weight: float
    n: int
    of: int
    error: float
    freedom: float
    parts: tuple[float, float]
    alone: float
    tuned: int

    @property
    def p(self) -> float:
        """How often chance would take the estimate as far from 0, by Student's t; 1 where that cannot be said.

        Without a spread it is that of a sign test of the judged queries; where these are too few for an interval it
        is not below that: a model that is right on three queries need not be on others.
        """
        if is_equal(self.interval.estimate, 0.0) or (self.error and self.freedom <= 0):
            return 1.0
        by_t = 2 * t_above(abs(self.interval.estimate) / self.error, self.freedom) if self.error else 0.0
        is_counted = not self.error or self.interval.method == "none"
        return min(1.0, max(by_t, unanimous_p(self.n) if is_counted else 0.0))

    @property
    def worth(self) -> float:
        """How many judged queries would say as much without the model."""
        return self.alone / self.error**2 if self.error else float(self.of)

    def within(self, low: float, high: float) -> PredictedMean:
        """The mean of values that lie between two limits: estimates and intervals are cut to them."""
        interval, judged = (
            replace(one.within(low, high), estimate=min(max(one.estimate, low), high))
            for one in (self.interval, self.judged)
        )
        return replace(self, interval=interval, judged=judged)

    def needed(self, width: float, *, alone: bool = False) -> int | None:
        """How many judged queries, `FEWEST` or more, make the interval no wider; None where not even all would.

        Args:
            width: from the lower to the upper limit.
            alone: without the model; with it as many are enough, as it need not be relied on.

        Raises:
            ValueError: the width is not positive, or the judged queries are too few to tell.
        """
        if not width > 0:
            raise ValueError(f"width is a number above 0, not {width!r}")
        if self.freedom <= 0:
            raise ValueError(f"{self.n} judged queries are too few to tell how many are needed")
        least = 1 if alone else self.tuned
        falling, staying = (self.alone, 0.0) if alone else self.parts
        level = (1 + self.interval.confidence) / 2

        def is_wide(n: int) -> bool:
            if n <= least:
                return True
            return bool(2 * t_quantile(level, n - least) * np.sqrt(falling / n + staying / self.of) > width)

        if is_wide(self.of) or (found := enough_whole(is_wide)) is None:
            return None if alone else self.needed(width, alone=True)
        enough = min(max(found, FEWEST), self.of)
        return enough if alone else min(enough, self.needed(width, alone=True) or enough)


def _marked(interval: Interval, differing: int | None) -> Interval:
    """The interval with `differing` set, if it is a prediction-powered one."""
    return replace(interval, differing=differing) if interval.method == POWERED else interval


def predicted_means(
    judged: ArrayLike,
    predicted: ArrayLike,
    places: ArrayLike,
    *,
    probability: ArrayLike | None = None,
    weight: float | None = None,
    method: Method = "skewed-t",
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> list[PredictedMean]:
    """Where the mean of each column over all queries of this kind may lie, where people judged some of them.

    The mean of the judged, corrected by how the predictions of the judged differ from those of all, times a weight
    that makes the variance least (PPI++; Angelopoulos, Duchi and Zrnic 2023). With unequal probabilities judged
    queries weigh 1 / probability (Horvitz and Thompson 1952, normalised as Hájek 1971), or are estimated stratum by
    stratum where those of the same probability make strata of 5 judged ones or more.

    Args:
        judged: (n, c) what people's judgements make of each judged query.
        predicted: (all, c) what the model's make of every query.
        places: (n,) which rows of `predicted` are judged.
        probability: (all,) how likely each query was to be judged; None: the judged ones were drawn at random.
        weight: of the model; None: the one that is tuned.
        method: "skewed-t", Student's t and beyond it where skewness asks for more (Hall 1992); "t", enough for
            differences, which have little of it; both count the tuning, as the regression estimator of two-phase
            samples does (Cochran 1977, section 12.6). "normal" is the paper's own, too short where few are judged.
            "percentile" draws judged and other queries anew (Efron 1979).
        resamples, seed: of "percentile".

    Raises:
        ValueError: shapes that do not fit, a place that is named twice, a probability that is none.

    >>> first = predicted_means([[1.0], [0.0], [1.0]], [[0.9], [0.2], [0.8], [0.7]], [0, 1, 2], method="normal")[0]
    >>> round(first.interval.estimate, 4), round(first.weight, 4), round(first.interval.low, 4)
    (0.6916, 0.3736, 0.2873)
    """
    people, model = table(judged, "judged"), table(predicted, "predicted")
    share(confidence, "confidence")
    if weight is not None and not np.isfinite(weight):
        raise ValueError(f"weight is a finite number, such as 0 or 1, not {weight!r}")
    one_of(method, get_args(Method), "method")
    if people.shape[1] != model.shape[1]:
        raise ValueError(f"judged has {people.shape[1]} columns and predicted {model.shape[1]}")
    sample = _Sample.of(len(model), np.asarray(places, np.intp), probability)
    if len(sample.places) != len(people):
        raise ValueError(f"there are {len(people)} judged rows and {len(sample.places)} places")
    powered = _Powered.of(people, model, sample, weight)
    alone = _Powered.of(people, np.zeros_like(model), sample, 0.0)
    draws = (count(resamples, "resamples"), seed) if method == "percentile" else None
    plainly = "t" if method == "t" else "skewed-t"
    intervals, bare = powered.intervals(method, confidence, draws), alone.intervals(plainly, confidence, None)
    errors, freedom = powered.errors
    falling, staying = powered.parts
    one = alone.errors[0] ** 2 * len(people)
    few = differing(people)
    errors_of = people - model[sample.places] if len(sample.others) else people
    scarce = [_scarcest(y, off) for y, off in zip(people.T, errors_of.T, strict=True)]
    return [
        PredictedMean(
            interval=_marked(Interval(*intervals[i], confidence, powered.method(i, confidence)), scarce[i]),
            judged=_marked(Interval(*bare[i], confidence, alone.method(i, confidence)), few[i]),
            predicted=float(mean(model[:, i])),
            weight=float(powered.weight[i]),
            n=len(people),
            of=len(model),
            error=float(errors[i]),
            freedom=float(freedom[i]),
            parts=(float(falling[i]), float(staying[i])),
            alone=float(one[i]),
            tuned=int(powered.tuned[i]),
        )
        for i in range(people.shape[1])
    ]


def selection(values: ArrayLike, places: ArrayLike, probability: ArrayLike | None = None) -> Floats:
    """(c,) how often a sample as it was drawn would differ as much from the rest in each column of (all, c) values.

    Mann and Whitney's test (1947) of judged against other queries, by the normal distribution; with probabilities
    of the weighted mean rank of the judged, or of that of each stratum. The values of all queries are known, and so
    is its variance over all samples.

    >>> float(selection([[1.0], [2.0], [3.0], [4.0]], [0, 1]).round(4)[0])
    0.1213
    """
    from scipy.stats import rankdata  # type: ignore[import-untyped]

    ranks = np.asarray(rankdata(table(values), axis=0), np.float64)
    sample = _Sample.of(len(ranks), np.asarray(places, np.intp), probability)
    around = ranks - sample.means(ranks, sample.stratum, np.ones(len(ranks)))[sample.stratum]
    apart, spread = sample.share @ around[sample.places], sample.variance @ around**2
    z = np.divide(np.abs(apart), np.sqrt(spread), out=np.zeros_like(apart), where=spread > 0)
    return 2 * normal_below(-z)


@dataclass(frozen=True, eq=False)
class _Sample:
    """Which queries are judged, and what each stands for.

    Attributes:
        places, others: the judged queries, and those that are not.
        share: (judged,) what each weighs; all together 1.
        variance: (all,) of the weighted mean of the judged, for each squared distance of a query from its stratum's
            mean: of queries drawn without replacement within strata, or each by itself.
        stratum: (all,) that each query is in.
        strata: how many there are.
    """

    places: Ints
    others: Ints
    share: Floats
    variance: Floats
    stratum: Ints
    strata: int

    @classmethod
    def of(cls, size: int, places: Ints, probability: ArrayLike | None) -> _Sample:
        if (
            not len(places)
            or not 0 <= places.min() <= places.max() < size
            or len(set(places.tolist())) < len(places)
        ):
            raise ValueError("places are those of one judged query or more among all, each once")
        others = np.setdiff1d(np.arange(size), places)
        level = np.ones(size) if probability is None else np.asarray(probability, np.float64)
        if level.shape != (size,) or not ((level > 0) & (level <= 1)).all():
            raise ValueError("probability is a number above 0 and up to 1 for each query, judged or not")
        distinct, stratum = np.unique(level, return_inverse=True)
        judged, there = (np.bincount(each, minlength=len(distinct)) for each in (stratum[places], stratum))
        if judged.min() >= STRATUM or len(distinct) == 1:
            share = (there / judged / size)[stratum[places]]
            variance = (there / size) ** 2 * (1 / judged - 1 / there) / np.maximum(there - 1, 1)
            return cls(places, others, share, variance[stratum], stratum, len(distinct))
        weights = 1 / level[places]
        variance = (1 / level - 1) / size**2
        return cls(places, others, weights / weights.sum(), variance, np.zeros(size, np.intp), 1)

    @property
    def effective(self) -> float:
        """How many equally weighing queries say as much (Kish 1965)."""
        return float(1 / (self.share**2).sum())

    def means(self, values: Floats, stratum: Ints, weights: Floats) -> Floats:
        """(strata, c) the weighted mean of each stratum."""
        each = [np.flatnonzero(stratum == number) for number in range(self.strata)]
        return np.array([_sum(weights[at, None] * values[at]) / weights[at].sum() for at in each])


@dataclass(frozen=True, eq=False)
class _Powered:
    """The estimate of each column as the sum of the means of two independent samples.

    Attributes:
        sample: who was judged.
        of_judged, of_others: (judged, c) and (others, c) what each query contributes.
        residual: (judged, c) what the model does not explain, around its mean in the stratum.
        weight: (c,) lambda.
        tuned: (c,) how many numbers were estimated before.
        leverage: (c,) what tuning adds to the variance where the judged have other predictions than all.
    """

    sample: _Sample
    of_judged: Floats
    of_others: Floats
    residual: Floats
    weight: Floats
    tuned: Ints
    leverage: Floats

    @classmethod
    def of(cls, people: Floats, model: Floats, sample: _Sample, weight: float | None) -> _Powered:
        at, stratum, size = sample.places, sample.stratum, len(model)
        own, many = stratum[at], size / max(len(sample.others), 1)
        of_all = sample.means(model, stratum, np.ones(size))
        of_judged, truth = (sample.means(values, own, sample.share) for values in (model[at], people))
        around = model[at] - of_judged[own]
        spread = _sum((model - of_all[stratum]) ** 2) / max(size - sample.strata, 1)
        varies = spread > rounding(1.0) ** 2 * scale(model) ** 2
        if weight is None:
            together = _sum(sample.share[:, None] * around * (people - truth[own]))
            slope = np.divide(together, spread, out=np.zeros_like(spread), where=varies)
            tuned = np.clip(slope / many, 0, 1) if len(sample.others) else np.zeros_like(slope)
        else:
            tuned = np.full(len(spread), float(weight))
        slope = tuned * many
        left = people - slope * model[at]
        middle = sample.means(left, own, sample.share)
        residual = left - middle[own]
        gap = _sum(np.bincount(stratum, minlength=sample.strata)[:, None] / size * (of_all - of_judged))
        seen = gap**2 * _sum(sample.share[:, None] * around**2)
        used = varies & (tuned > 0) & (spread**2 > 0) & (weight is None)  # squares of what is very small vanish
        reach = np.divide(seen, spread**2, out=np.zeros_like(seen), where=used)
        n, others = len(at), len(sample.others)
        return cls(
            sample,
            n * sample.share[:, None] * residual + n / size * (slope * model[at] + middle[own]),
            others / size * (slope * model[sample.others] + middle[stratum[sample.others]]),
            residual,
            tuned,
            sample.strata + (tuned > 0) * (weight is None),
            1 + reach,
        )

    @property
    def estimate(self) -> Floats:
        return self._total([mean(part) for part in self._samples])

    @property
    def _samples(self) -> list[Floats]:
        return [part for part in (self.of_judged, self.of_others) if len(part)]

    def _total(self, parts: list[Floats]) -> Floats:
        return np.asarray(sum(parts), np.float64)

    @property
    def plain(self) -> Floats:
        """(c,) the variance of the estimate, as the paper has it."""
        return self._total([_variance(part) / len(part) for part in self._samples])

    @property
    def _spared(self) -> Floats:
        """(c,) degrees of freedom of the judged."""
        return np.asarray(np.maximum(self.sample.effective - self.tuned, 0.0), np.float64)

    @property
    def _inflated(self) -> Floats:
        """(c,) the factor by which tuning makes the variance of the judged larger than it seems."""
        spared = self._spared
        return np.divide(self.sample.effective, spared, out=np.ones_like(spared), where=spared > 0)

    @property
    def errors(self) -> tuple[Floats, Floats]:
        """(c,) standard errors that count what was estimated, and their degrees of freedom (Welch 1947)."""
        spared, others = self._spared, len(self.of_others)
        judged = _variance(self.of_judged) / len(self.of_judged) * self._inflated * self.leverage
        rest = _variance(self.of_others) / (others - 1) if others > 1 else np.zeros_like(judged)
        judged, rest = (np.where(self.is_flat, 0.0, part) for part in (judged, rest))
        total = judged + rest
        below = np.divide(judged**2, spared, out=np.zeros_like(judged), where=spared > 0)
        below += rest**2 / max(others - 1, 1)
        freedom = np.divide(total**2, below, out=spared.copy(), where=(below > 0) & (spared > 0))
        return np.asarray(np.sqrt(total), np.float64), np.asarray(freedom, np.float64)

    @property
    def parts(self) -> tuple[Floats, Floats]:
        """(c,) the parts of the variance that fall with the judged and with all queries, times their numbers."""
        n, inflated = len(self.of_judged), self._inflated
        falling = n * _sum(self.sample.share[:, None] ** 2 * self.residual**2) * inflated
        size = n + len(self.of_others)
        return falling, np.maximum(self.plain - falling / inflated / n, 0.0) * size

    @property
    def skewness(self) -> Floats:
        """(c,) the skewness of the estimate."""
        third = [mean((part - mean(part)) ** 3) / len(part) ** 2 for part in self._samples]
        plain = self.plain
        return np.divide(self._total(third), plain**1.5, out=np.zeros_like(plain), where=plain > 0)

    @property
    def is_flat(self) -> NDArray[np.bool_]:
        """(c,) whether values vary by rounding alone, so that there is no spread to judge by."""
        flat = [np.ptp(part, axis=0) <= np.abs(part).max(axis=0) * rounding(1.0) for part in self._samples]
        return np.asarray(np.all(flat, axis=0))

    def method(self, i: int, confidence: float) -> str:
        """The method of a column's interval."""
        if is_too_few(len(self.of_judged), confidence) or self._spared[i] < 1:
            return "none"
        return "constant" if self.is_flat[i] else POWERED

    def intervals(
        self, method: str, confidence: float, draws: tuple[int, int] | None
    ) -> list[tuple[float, float, float]]:
        """(estimate, low, high) of each column."""
        estimate, level = self.estimate, (1 + confidence) / 2
        errors, freedom = self.errors
        if method == "normal":
            half = float(normal_quantile(level)) * np.sqrt(self.plain)
            return list(zip(*(each.tolist() for each in (estimate, estimate - half, estimate + half)), strict=True))
        drawn = None
        if draws:
            many, seed = draws
            drawn = self._total([resampled_means(part, many, seed + i) for i, part in enumerate(self._samples)])
        intervals, skewness, plain = [], self.skewness, np.sqrt(self.plain)
        for i, middle in enumerate(estimate.tolist()):
            kind = self.method(i, confidence)
            if kind != POWERED:
                far = np.inf if kind == "none" else 0.0
                intervals.append((middle, middle - far, middle + far))
                continue
            reach = t_quantile(level, freedom[i])
            if drawn is not None:
                low, high = np.quantile(drawn[:, i], normal_below(np.array([-1, 1]) * reach * errors[i] / plain[i]))
            else:
                both = _unskewed(reach, skewness[i] if method == "skewed-t" else 0.0)
                low, high = (middle - each * errors[i] for each in both)
            intervals.append((middle, float(low), float(high)))
        return intervals


def _sum(values: Floats) -> Floats:
    """(c,) the sums, added from first to last: a column has the same bits whatever columns stand beside it."""
    return np.asarray(np.add.accumulate(values, axis=0)[-1], np.float64)


def _variance(values: Floats) -> Floats:
    """(c,) the variances around the mean, divided by the number of values."""
    return mean((values - mean(values)) ** 2)


def _unskewed(reach: float, skewness: float) -> tuple[float, float]:
    """How many standard errors the estimate may lie above the truth, and below it: the inverse of Hall's cubic.

    The side that it would shorten stays as it is: few queries show too little of their skewness to promise more.
    """
    if abs(skewness) < 1e-9:
        return reach, -reach
    above, below = (3 / skewness * (np.cbrt(1 + skewness * (side * reach - skewness / 6)) - 1) for side in (1, -1))
    return max(float(above), reach), min(float(below), -reach)


def _scarcest(people: Floats, off: Floats) -> int | None:
    """How many queries decide the estimate, where only few differ from most, or from what the model predicts."""
    known = [scarce for scarce in differing(np.column_stack([people, off])) if scarce is not None]
    return min(known, default=None)
