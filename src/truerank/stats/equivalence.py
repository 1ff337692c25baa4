"""Is the difference small enough not to matter? That none was found does not show it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from truerank.core.equal import is_equal
from truerank.stats.distributions import t_above, t_quantile
from truerank.stats.intervals import is_too_few
from truerank.stats.values import TINY, column, deviation, differences, mean, scale, share


@dataclass(frozen=True)
class Equivalence:
    """Whether the mean difference lies within a margin.

    Attributes:
        p: the chance to say so when it does not.
        equivalent: p is below the level: within the margin (or no worse than it, one-sided).
        low, high: where the mean of a − b lies with confidence 1 − 2 alpha; one-sided from low to inf.
        constant: all differences are the same: there is no spread to judge them by, and p is that of the sign test.
    """

    p: float
    equivalent: bool
    low: float
    high: float
    constant: bool = field(default=False, repr=False)


def tost(a: ArrayLike, b: ArrayLike, margin: float, *, alpha: float = 0.05) -> Equivalence:
    """Are a and b the same but for a margin? Two one-sided paired t-tests.

    One query alone shows nothing: p = 1; nor do too few (`is_too_few`) whose differences are all the same, and
    so have no spread to judge them by. A difference that is the margin itself is not within it. Schuirmann (1987).

    Args:
        margin: above 0, in the unit of the measure.

    >>> tost([0.5, 0.25, 0.75, 1.0], [0.5, 0.26, 0.74, 1.0], margin=0.1).equivalent
    True
    """
    middle, error, n = _mean_and_error(a, b, margin, alpha)
    p = max(_p(middle + margin, error, n), _p(margin - middle, error, n))
    reach = _reach(error, n, alpha)
    return Equivalence(p, p <= alpha, middle - reach, middle + reach, _is_flat(error))


def non_inferiority(a: ArrayLike, b: ArrayLike, margin: float, *, alpha: float = 0.05) -> Equivalence:
    """Is a no worse than b by more than a margin? A one-sided paired t-test; higher values are better.

    >>> non_inferiority([0.5, 0.25, 0.75, 1.0], [0.5, 0.26, 0.74, 0.9], margin=0.1).equivalent
    True
    """
    middle, error, n = _mean_and_error(a, b, margin, alpha)
    p = _p(middle + margin, error, n)
    return Equivalence(p, p <= alpha, middle - _reach(error, n, alpha), np.inf, _is_flat(error))


def _mean_and_error(a: ArrayLike, b: ArrayLike, margin: float, alpha: float) -> tuple[float, float, int]:
    """The mean difference, its standard error (inf where that is unknown), and the number of differences."""
    share(alpha, "alpha")
    if not 0 < margin < np.inf:
        raise ValueError(f"margin is a number above 0, not {margin!r}")
    between = differences(column(a, "a"), column(b, "b"))
    middle, n = float(mean(between)), len(between)
    if spread := float(deviation(between, scale(a, b))):
        return middle, spread / n**0.5, n
    return middle, np.inf if is_too_few(n, 1 - alpha) else 0.0, n


def _p(inside: float, error: float, n: int) -> float:
    """The one-sided p of a mean difference that lies this far inside a limit."""
    if error == 0:
        return max(0.5**n, TINY) if inside > 0 and not is_equal(inside, 0.0) else 1.0
    return 1.0 if error == np.inf else t_above(inside / error, n - 1)


def _is_flat(error: float) -> bool:
    """Whether the differences have no spread."""
    return not 0 < error < np.inf


def _reach(error: float, n: int, alpha: float) -> float:
    return error if _is_flat(error) else t_quantile(1 - alpha, n - 1) * error
