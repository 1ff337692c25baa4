"""What a set of queries can show, and how many queries are needed, by the paired t-test."""

from __future__ import annotations

import math

import numpy as np

from truerank.stats.distributions import t_quantile, t_shifted_beyond
from truerank.stats.halving import enough, enough_whole
from truerank.stats.values import count, share

MOST = 10**9
"""More queries than this are never judged."""


def power(sd: float, n: int, difference: float, *, alpha: float = 0.05) -> float:
    """How often a real difference is found with n queries; never with one.

    Args:
        sd: the standard deviation of the differences from query to query.
        difference: the real mean difference; its sign does not matter.
        alpha: the level of the two-sided paired t-test.

    >>> round(power(0.25, 50, 0.1), 3)
    0.792
    """
    share(alpha, "alpha")
    freedom = count(n, "n") - 1
    size = _ratio(difference, sd)
    if not freedom:
        return 0.0
    if not size:
        return alpha
    if np.isinf(size):
        return 1.0
    least = -t_quantile(alpha / 2, freedom)
    return min(1.0, t_shifted_beyond(least, freedom, size * n**0.5))


def smallest_detectable(sd: float, n: int, *, alpha: float = 0.05, power: float = 0.8) -> float:
    """The smallest real difference that n queries find with this power; inf for one query.

    >>> round(smallest_detectable(0.25, 50), 4)
    0.101
    """
    reached = _checked_power(alpha, power)
    if count(n, "n") == 1:
        return np.inf if sd else 0.0
    return _spread(sd) * enough(lambda size: _power(1.0, n, size, alpha=alpha) < reached)


def shift_detected(freedom: float, *, alpha: float = 0.05, power: float = 0.8) -> float:
    """How many standard errors a true difference must be for a t-test to find it with this power.

    >>> round(shift_detected(49), 3)
    2.858
    """
    reached, least = _checked_power(alpha, power), -t_quantile(alpha / 2, freedom)
    return enough(lambda shift: t_shifted_beyond(least, freedom, shift) < reached)


def queries_needed(sd: float, difference: float, *, alpha: float = 0.05, power: float = 0.8) -> int:
    """How many queries find a real difference with this power.

    Raises:
        ValueError: the difference is 0, or a thousand million queries are not enough.

    >>> queries_needed(0.25, 0.1)
    52
    """
    reached = _checked_power(alpha, power)
    if not difference:
        raise ValueError("a difference of 0 is not found by any number of queries")
    needed = enough_whole(lambda n: _power(sd, n, difference, alpha=alpha) < reached, MOST)
    if needed is None:
        raise ValueError(f"{MOST:,} queries are not enough to find a difference of {difference!r}")
    return needed


def critical_difference(sd: float, n: int, *, alpha: float = 0.05) -> float:
    """The smallest mean difference that the two-sided paired t-test of n queries calls significant; inf for one.

    Real differences of this size are found half of the time: see `smallest_detectable` for four times of five.

    >>> round(critical_difference(0.25, 50), 4)
    0.071
    """
    share(alpha, "alpha")
    if count(n, "n") == 1:
        return np.inf
    return -_spread(sd) * t_quantile(alpha / 2, n - 1) / math.sqrt(n)


def critical_sd(difference: float, n: int, *, alpha: float = 0.05) -> float:
    """The largest standard deviation of differences with which a mean difference is significant; 0 for one query.

    >>> round(critical_sd(0.071, 50), 2)
    0.25
    """
    if not np.isfinite(difference):
        raise ValueError(f"difference is a finite number, not {difference!r}")
    return abs(difference) / critical_difference(1.0, n, alpha=alpha)


_power = power  # the name that an argument hides


def _checked_power(alpha: float, power: float) -> float:
    share(alpha, "alpha")
    if share(power, "power") <= alpha:
        raise ValueError(f"power must be above alpha, but {power!r} is not above {alpha!r}")
    return power


def _spread(sd: float) -> float:
    if not 0 <= sd < np.inf:
        raise ValueError(f"sd is a number from 0 up, not {sd!r}")
    return float(sd)


def _ratio(difference: float, sd: float) -> float:
    if not np.isfinite(difference):
        raise ValueError(f"difference is a finite number, not {difference!r}")
    return abs(difference) / sd if _spread(sd) else (np.inf if difference else 0.0)
