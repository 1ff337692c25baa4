"""Confidence sequences: intervals that hold at all looks together, however often and whenever one looks.

An interval for a fixed number of values is wrong in 5 % of the cases at each look; looked at every day, nearly
every one is wrong some day. A sequence is wrong at any of its looks, without end, in 5 % of the cases. It asks for
values within known limits, with the same mean whatever came before, in an order that does not depend on them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from truerank.stats.intervals import Interval
from truerank.stats.values import Floats, column, count, differences, one_of, share

Sequential = Literal["betting", "bernstein"]

MOST_OF_IT = 0.5
"""How much of the capital a bet may lose: the c of Waudby-Smith and Ramdas."""

HALVINGS = 50
"""A limit is then known to 1e-15 of the range."""


def mean_sequence(
    values: ArrayLike,
    *,
    confidence: float = 0.95,
    method: Sequential = "betting",
    limits: tuple[float, float] = (0.0, 1.0),
    at: Iterable[int] | None = None,
) -> list[Interval]:
    """Where the mean may lie, at each look; all of these intervals contain it together as often as promised.

    "betting" is the hedged capital process, "bernstein" the empirical Bernstein sequence, both with predictable
    plug-in bets and the intersection of all intervals so far: Waudby-Smith and Ramdas (2024), theorems 3 and 2.
    Where no single mean fits all that was seen, low is above high.

    Args:
        values: (n,) in the order in which they arrived.
        limits: what no value can lie outside of.
        at: after how many values to look, rising; by default after all of them only.

    Raises:
        ValueError: a value outside of the limits, or a look at more values than there are.

    >>> looks = mean_sequence([0.25, 0.5, 0.75, 0.5] * 50, at=[20, 200])
    >>> [(look.estimate, round(look.low, 2), round(look.high, 2)) for look in looks]
    [(0.5, 0.34, 0.66), (0.5, 0.46, 0.54)]
    """
    low, high = limits
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError(f"limits are two finite numbers, the lower one first, not {limits!r}")
    given = column(values)
    if outside := given[(given < low) | (given > high)].tolist():
        raise ValueError(f"a value is {outside[0]!r}, outside of the limits {low!r} and {high!r}")
    one_of(method, get_args(Sequential), "method")
    looks = [count(look, "a look") for look in ([len(given)] if at is None else at)]
    if looks != sorted(looks) or (looks and looks[-1] > len(given)):
        raise ValueError(f"looks rise and end at {len(given)}, the number of values, not {looks!r}")
    alpha = 1 - share(confidence, "confidence")
    scaled = (given - low) / (high - low)
    ends = _betting(scaled, alpha, looks) if method == "betting" else _bernstein(scaled, alpha, looks)
    means = np.cumsum(given) / np.arange(1, len(given) + 1)
    return [
        Interval(float(means[look - 1]), low + (high - low) * a, low + (high - low) * b, confidence, method)
        for look, (a, b) in zip(looks, ends, strict=True)
    ]


def difference_sequence(
    a: ArrayLike,
    b: ArrayLike,
    *,
    confidence: float = 0.95,
    method: Sequential = "betting",
    limits: tuple[float, float] = (0.0, 1.0),
    at: Iterable[int] | None = None,
) -> list[Interval]:
    """`mean_sequence` for the mean of a − b, query by query; `limits` are those of a and of b.

    >>> [look.low > 0 for look in difference_sequence([0.75, 1.0] * 50, [0.5, 0.75] * 50, at=[10, 100])]
    [False, True]
    """
    wide = limits[1] - limits[0]
    return mean_sequence(
        differences(column(a, "a"), column(b, "b")),
        confidence=confidence,
        method=method,
        limits=(-wide, wide),
        at=at,
    )


def confidence_of_look(confidence: float, look: int) -> float:
    """The confidence of the interval of one look, such that those of all looks hold together with `confidence`.

    Look k may be wrong with the probability α / (k (k + 1)), which sum to α: a union bound, for looks that depend
    on one another in any way, such as those at the same queries.

    >>> confidence_of_look(0.95, 1), round(confidence_of_look(0.95, 4), 4)
    (0.975, 0.9975)
    """
    count(look, "a look")
    return 1 - (1 - share(confidence, "confidence")) / (look * (look + 1))


def _betting(values: Floats, alpha: float, looks: list[int]) -> list[tuple[float, float]]:
    """Both limits of the betting sequence at each look."""
    bets = _bets(values, alpha)
    lows = [_rejected_below(values[:look], bets[:look], alpha) for look in looks]
    highs = [1 - _rejected_below(1 - values[:look], bets[:look], alpha) for look in looks]
    return list(zip(lows, highs, strict=True))


def _rejected_below(values: Floats, bets: Floats, alpha: float) -> float:
    """The highest mean that is rejected: one who bets on a higher mean reached a capital of 2 / α at some time.

    The capital falls as the mean rises, whatever the values are, so that halving finds the end.
    """
    low, high, needed = 0.0, 1.0, math.log(2 / alpha)
    if _most_capital(values, bets, low) < needed:
        return low
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        is_low = _most_capital(values, bets, middle) >= needed
        low, high = (middle, high) if is_low else (low, middle)
    return low


def _most_capital(values: Floats, bets: Floats, mean: float) -> float:
    """The logarithm of the highest capital at any time, which begins at 1."""
    staked = np.minimum(bets, MOST_OF_IT / mean) if mean else bets
    return float(np.cumsum(np.log1p(staked * (values - mean))).max())


def _bernstein(values: Floats, alpha: float, looks: list[int]) -> list[tuple[float, float]]:
    bets = np.minimum(_bets(values, alpha), MOST_OF_IT)
    missed = (values - _means_before(values)) ** 2
    staked = np.cumsum(bets)
    middle = np.cumsum(bets * values) / staked
    far = (math.log(2 / alpha) + np.cumsum(missed * (-np.log1p(-bets) - bets))) / staked
    lows = np.maximum.accumulate(np.maximum(middle - far, 0.0))
    highs = np.minimum.accumulate(np.minimum(middle + far, 1.0))
    return [(float(lows[look - 1]), float(highs[look - 1])) for look in looks]


def _bets(values: Floats, alpha: float) -> Floats:
    """How much is staked on each value, by the mean and the spread of those before it."""
    seen = np.arange(1, len(values) + 1)
    means = (0.5 + np.cumsum(values)) / (seen + 1)
    spread = (0.25 + np.cumsum((values - means) ** 2)) / (seen + 1)
    before = np.concatenate(([0.25], spread[:-1]))
    bets: Floats = np.sqrt(2 * math.log(2 / alpha) / (before * seen * np.log(seen + 1)))
    return bets


def _means_before(values: Floats) -> Floats:
    """The mean of the values before each, as if one of 0.5 had come first."""
    means: Floats = (0.5 + np.concatenate(([0.0], np.cumsum(values)[:-1]))) / np.arange(1, len(values) + 1)
    return means
