"""A ratio of two sums over clusters, such as users, and where it may lie; how much weighted values weigh."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from truerank.stats.bootstrap import bca_limits, percentile_limits, reach, resampled_means
from truerank.stats.intervals import Interval, is_too_few
from truerank.stats.values import Floats, column, count, is_constant, scale, share

LARGE = 10_000
"""With more clusters than these, drawing them again says what the normal distribution says."""


def ratio_interval(
    top: ArrayLike,
    bottom: ArrayLike,
    *,
    confidence: float = 0.95,
    method: Literal["bca", "percentile"] = "percentile",
    resamples: int = 10_000,
    seed: int = 0,
) -> Interval:
    """Where Σ top / Σ bottom may lie; clusters are drawn again as wholes, with what is in them.

    With bottom = how many values a cluster has, it is the mean of values that are alike within clusters. Where
    fewer clusters have a bottom above 0 than an interval needs (`is_too_few`), there is none; of more than 10,000
    the interval is that of the ratio's linear part, which is then normal. Cochran (1977, chapter 6); Davison and
    Hinkley (1997, section 3.8).

    Args:
        top, bottom: (clusters,) the sums of each; bottom is nowhere below 0.
        method: of the bootstrap.

    Raises:
        ValueError: not as many of one as of the other, or a bottom below 0, or all of 0.

    >>> ratio = ratio_interval([1, 0, 3, 2, 2, 1, 0, 3], [2, 1, 3, 2, 4, 2, 1, 3])
    >>> round(ratio.estimate, 4), ratio.low < ratio.estimate < ratio.high
    (0.6667, True)
    """
    over, under = column(top, "top"), column(bottom, "bottom")
    share(confidence, "confidence")
    count(resamples, "resamples")
    if len(over) != len(under) or (under < 0).any() or not under.any():
        raise ValueError("top and bottom are as many numbers, and bottom none below 0 and some above")
    estimate, filled = float(over.sum() / under.sum()), int(np.count_nonzero(under))
    if is_too_few(filled, confidence):
        return Interval.unknown(estimate, confidence)
    influence = (over - estimate * under) / under.mean()
    if is_constant(influence, scale(over, under) / under.mean()):
        return Interval.constant(estimate, confidence)
    if filled > LARGE:
        error = reach(confidence, filled) * float(np.sqrt((influence**2).sum())) / len(under)
        return Interval(estimate, estimate - error, estimate + error, confidence, "normal")
    sums = resampled_means(np.column_stack([over, under]), resamples, seed)
    drawn = np.divide(sums[:, 0], sums[:, 1], out=np.full(resamples, estimate), where=sums[:, 1] > 0)
    far = reach(confidence, filled)
    limits = bca_limits(drawn, far, estimate + influence) if method == "bca" else percentile_limits(drawn, far)
    return Interval(estimate, *limits, confidence, method)


def effective_size(weights: ArrayLike) -> float:
    """How many values of equal weight tell as much as these: (Σ w)² / Σ w². Kish (1965).

    Raises:
        ValueError: a weight is not finite.

    >>> effective_size([1, 1, 1, 1]), round(effective_size([10, 1, 1, 1]), 3)
    (4.0, 1.641)
    """
    known: Floats = np.asarray(weights, np.float64)
    if not np.isfinite(known).all():
        raise ValueError(f"weights are finite numbers, not {known[~np.isfinite(known)][0]}")
    if not known.any():
        return 0.0
    known = known / np.abs(known).max()  # squares of the largest numbers overflow, those of the smallest vanish
    return float(known.sum() ** 2 / (known**2).sum())
