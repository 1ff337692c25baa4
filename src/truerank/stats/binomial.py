"""Successes of n: what the share may be, and whether there are more of one kind than of the other."""

from __future__ import annotations

from truerank.stats.distributions import beta_quantile, binomial_up_to
from truerank.stats.values import TINY, count, share


def clopper_pearson(successes: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """The exact interval of a share: low and high. Clopper and Pearson (1934).

    Outside of it, this many successes or more extreme ones would be rarer than (1 − confidence) / 2. It contains
    the truth at least as often as promised, whatever the truth is.

    Raises:
        ValueError: n is not a whole number from 1 on, or successes is not one from 0 to n.

    >>> [round(limit, 4) for limit in clopper_pearson(0, 10)]
    [0.0, 0.3085]
    """
    tail = _tail(successes, n, confidence)
    low = beta_quantile(tail, successes, n - successes + 1) if successes else 0.0
    high = beta_quantile(1 - tail, successes + 1, n - successes) if successes < n else 1.0
    return low, high


def mid_p(successes: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """The interval with half of the observed count's probability: shorter, right as often as promised on average.

    For some shares it contains the truth less often than promised. Lancaster (1961); Berry and Armitage (1995).

    >>> mid_p(0, 10)[1] < clopper_pearson(0, 10)[1]
    True
    """
    tail = _tail(successes, n, confidence)
    low = _share_with(1 - tail, successes, n) if successes else 0.0
    high = _share_with(tail, successes, n) if successes < n else 1.0
    return low, high


def _tail(successes: int, n: int, confidence: float) -> float:
    """The probability left on either side; raise where the counts are impossible."""
    count(n, "n")
    if successes != int(successes) or not 0 <= successes <= n:
        raise ValueError(f"successes is a whole number from 0 to n = {n}, not {successes!r}")
    return (1 - share(confidence, "confidence")) / 2


def _share_with(below: float, successes: int, n: int) -> float:
    """The share under which P(fewer successes) + P(this many) / 2 is `below`."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        fewer = binomial_up_to(successes - 1, n, middle) if successes else 0.0
        is_low = (fewer + binomial_up_to(successes, n, middle)) / 2 > below
        low, high = (middle, high) if is_low else (low, middle)
    return (low + high) / 2


def unanimous_p(n: int) -> float:
    """The two-sided probability that n queries all go the same way if both ways are equally likely; never 0."""
    return max(min(1.0, 2 * 0.5**n), TINY)


def sign_p(wins: int, losses: int) -> float:
    """The two-sided probability of a split at least as uneven if both sides are equally likely; never 0.

    >>> sign_p(4, 0), sign_p(5000, 0) > 0
    (0.125, True)
    """
    n = wins + losses
    return max(min(1.0, 2 * float(binomial_up_to(min(wins, losses), n, 0.5))), TINY) if n else 1.0
