"""The distributions that tests need: the one place that knows SciPy, which is loaded when first asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from truerank.stats.values import TINY, Floats

STEP = 0.25
"""The step of the grid of estimates, in their standard deviations."""

DEEP = 100.0
"""The logarithm of how much rarer an estimate may be than the likeliest one."""

SHARP = 1e3
"""Where a shift is so many times the root of the degrees of freedom, the estimate of the spread alone decides."""


def _special() -> Any:
    try:
        from scipy import special  # type: ignore[import-untyped]
    except ModuleNotFoundError:
        raise ModuleNotFoundError('statistics needs: pip install "truerank[stats]"', name="scipy") from None
    return special


def normal_below(z: ArrayLike) -> Floats:
    """The probability of a value below z."""
    return np.asarray(_special().ndtr(z), np.float64)


def normal_quantile(level: ArrayLike) -> Floats:
    """The z below which a normal variable lies with probability `level`."""
    return np.asarray(_special().ndtri(level), np.float64)


def gamma_quantile(shape: float, level: float) -> float:
    """The value below which a gamma variable of this shape and scale 1 lies with probability `level`."""
    return float(_special().gammaincinv(shape, level))


def gamma_quantile_above(shape: float, level: float) -> float:
    """The value above which such a gamma variable lies with probability `level`."""
    return float(_special().gammainccinv(shape, level))


def t_above(t: float, freedom: float) -> float:
    """The probability that Student's t lies above this value; never 0."""
    return max(float(_special().stdtr(freedom, -t)), TINY)


def t_beyond(t: ArrayLike, freedom: ArrayLike) -> Floats:
    """The probability that Student's t lies at least this far from 0."""
    return np.asarray(2 * _special().stdtr(freedom, -np.abs(t)), np.float64)


def t_quantile(level: float, freedom: float) -> float:
    """The t below which Student's t lies with probability `level`."""
    return float(_special().stdtrit(freedom, level))


def chi2_quantile(level: float, freedom: float) -> float:
    """The value below which chi-square lies with probability `level`."""
    return float(2 * _special().gammaincinv(freedom / 2, level))


def t_shifted_beyond(t: float, freedom: float, shift: float) -> float:
    """The probability that a t with this non-centrality lies outside of −t … t."""
    if abs(shift) > SHARP * max(1.0, freedom**0.5):  # the grid would be endlessly fine
        return float(_special().gammainc(freedom / 2, freedom / 2 * min(abs(shift) / t, 1e9) ** 2)) if t else 1.0
    spread, weights = estimated_spread(freedom, STEP / max(1.0, abs(shift)))
    outside = normal_below(shift - t * spread) + normal_below(-shift - t * spread)
    return float(np.sum(outside * weights))  # no product of vectors: its last bits follow the number of threads


def estimated_spread(freedom: float, widest: float = STEP) -> tuple[Floats, Floats]:
    """Values that an estimate of a standard deviation of 1 may take, and the probability of each.

    The logarithms are evenly spaced; sums over such a grid are as exact as floating point for what is smooth.

    Args:
        widest: the grid's step is no wider, for what changes faster than the likelihood does.
    """
    right = np.sqrt(DEEP / freedom)
    few = STEP * min(1, freedom / 4) / np.sqrt(2 * freedom)  # few degrees of freedom lean far to one side
    step = min(few, widest)
    logarithm = np.arange(-right - DEEP / freedom, right, step)
    height = freedom * (logarithm - np.expm1(2 * logarithm) / 2)
    with np.errstate(under="ignore"):  # far from the top, where nothing is added
        weights = np.exp(height - height.max())
    return np.exp(logarithm), weights / weights.sum()


def binomial_up_to(successes: ArrayLike, n: int, chance: ArrayLike) -> Floats:
    """The probability of this many successes of n or fewer."""
    return np.asarray(_special().bdtr(successes, n, chance), np.float64)


def beta_quantile(level: float, a: float, b: float) -> float:
    """The share below which a beta variable lies with probability `level`."""
    return float(_special().betaincinv(a, b, level))
