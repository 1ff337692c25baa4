"""Does an experiment that was made again come to the same? Breuer and others, SIGIR 2020."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from truerank.core.equal import is_equal
from truerank.stats.values import column, differences, mean


def root_mean_square_error(original: ArrayLike, reproduced: ArrayLike) -> float:
    """How far the values of a reproduced run are from those of the original, query by query; 0: they are the same.

    >>> root_mean_square_error([0.5, 0.75, 1.0, 0.25], [0.5, 0.25, 0.5, 0.75])
    0.4330127018922193
    """
    apart = differences(column(original, "original"), column(reproduced, "reproduced"))
    return math.hypot(*apart.tolist()) / math.sqrt(len(apart))


def effect_ratio(
    advanced: ArrayLike, baseline: ArrayLike, reproduced_advanced: ArrayLike, reproduced_baseline: ArrayLike
) -> float:
    """How much of the gain over a baseline was reproduced: 1 all of it, 0 none, above 1 more, below 0 a loss.

    The mean improvement of the reproduced runs over that of the original ones.

    Args:
        advanced, baseline: (n,) the values of the original runs, one value per query.
        reproduced_advanced, reproduced_baseline: (m,) those of the reproduced ones: on the same queries, or, where
            the experiment was replicated on another collection, on others.

    Raises:
        ValueError: the original runs have the same mean, so that there is no gain to reproduce.

    >>> effect_ratio([0.5, 0.75, 1.0], [0.25, 0.5, 0.75], [0.5, 0.5, 0.875], [0.25, 0.5, 0.75])
    0.5
    """
    gain = _gain(advanced, baseline)
    if is_equal(gain, 0.0):
        raise ValueError("the original runs have the same mean: there is no gain to reproduce")
    return _gain(reproduced_advanced, reproduced_baseline) / gain


def delta_relative_improvement(
    advanced: ArrayLike, baseline: ArrayLike, reproduced_advanced: ArrayLike, reproduced_baseline: ArrayLike
) -> float:
    """How much of the gain, as a share of the baseline's mean, was not reproduced: 0 the same, above 0 less.

    Arguments as for `effect_ratio`.

    Raises:
        ValueError: a baseline has the mean 0, of which no gain is a part.

    >>> delta_relative_improvement([0.5, 0.75, 1.0], [0.25, 0.5, 0.75], [0.5, 0.5, 0.875], [0.25, 0.5, 0.75])
    0.25
    """
    return _relative(advanced, baseline) - _relative(reproduced_advanced, reproduced_baseline)


def _gain(advanced: ArrayLike, baseline: ArrayLike) -> float:
    return float(mean(differences(column(advanced, "advanced"), column(baseline, "baseline"))))


def _relative(advanced: ArrayLike, baseline: ArrayLike) -> float:
    of_baseline = float(mean(column(baseline, "baseline")))
    if is_equal(of_baseline, 0.0):
        raise ValueError("a baseline has the mean 0: no gain is a part of it")
    return _gain(advanced, baseline) / of_baseline
