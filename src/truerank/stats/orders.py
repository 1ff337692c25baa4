"""Do two judges put systems in the same order? The agreement of two rankings, with its interval."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from truerank.stats.agreement import kendall_tau, tau_ap
from truerank.stats.bootstrap import percentile_limits, reach
from truerank.stats.intervals import Interval, is_too_few
from truerank.stats.values import Floats, share, unit_of

LEAST = 3
"""Fewer systems than these have no order to speak of."""

FLOOR = 0.05
"""What systems differ by at least, as a share of the noise: no direction is taken for noise altogether."""

ROUNDING = 1e-12
"""Means that are as near as this are the same but for rounding."""

BLOCK = 1 << 20
"""How many pairs of systems are held at a time."""


def order_intervals(
    first: Floats, second: Floats, drawn: Floats, n: int, *, confidence: float = 0.95, seed: int = 0
) -> tuple[Interval, Interval]:
    """Kendall's tau and tau-AP of the systems' means by two judges, with intervals for all queries of this kind.

    Both judges' means are of the same queries, whose noise moves systems alike under both, so that the two orders
    agree more closely than those of all queries would: the tails of resamples alone contain the truth too seldom.
    So each resample is taken for what the systems' own means, drawn from a population of systems like these, may
    have looked like, and is turned into a draw of those means: empirical Bayes, with the spread of the population
    drawn too. Morris (1983); Laird and Louis (1987).

    Args:
        first, second: (systems,) the means by each judge; the first is right to tau-AP. Three systems or more.
        drawn: (resamples, 2, systems) the means by each judge over resampled queries.
        n: how many queries there are.

    Returns:
        Both with the method "empirical Bayes"; "none" of too few queries, "constant" where both have the same means
        in every resample.
    """
    share(confidence, "confidence")
    estimates = kendall_tau(first, second), tau_ap(first, second)
    if is_too_few(n, confidence) or len(first) < LEAST:
        one, other = (Interval.unknown(each, confidence) for each in estimates)
        return one, other
    unit = np.maximum(1.0, unit_of(np.abs(drawn).max(), 1))  # squares of the largest numbers overflow
    first, second, drawn = first / unit, second / unit, drawn / unit
    apart = np.abs(_centred(drawn - np.stack([first, second]))).max() > ROUNDING  # a shared shift changes no order
    if not apart or (drawn[:, 0] == drawn[:, 1]).all():
        one, other = (Interval.constant(each, confidence) for each in estimates)
        return one, other
    means = _likely(np.stack([first, second]), drawn, np.sqrt(n / (n - 1)), np.random.default_rng(seed))
    columns = [of(means[:, 0], means[:, 1]) for of in (kendall_taus, tau_aps)]
    far = reach(confidence, n)
    one, other = (
        Interval(each, *percentile_limits(column, far), confidence, "empirical Bayes")
        for each, column in zip(estimates, columns, strict=True)
    )
    return one, other


def _likely(seen: Floats, drawn: Floats, wider: float, rng: np.random.Generator) -> Floats:
    """(resamples, 2, systems) means that the systems may have, those seen and their noise given.

    With u a draw of the population and e one of the noise, u + K (seen − u − e) is a draw given what is seen, where
    K weighs the population against the noise.
    """
    resamples, _, systems = drawn.shape
    noise = wider * _centred(drawn - seen)
    error = np.einsum("das,dbs->ab", noise, noise) / resamples / (systems - 1)
    error += 1e-9 * np.trace(error) * np.eye(2)
    root = np.linalg.cholesky(error)
    there = np.linalg.solve(root, _centred(seen))  # in units of the noise, which then is a unit matrix
    spread, axes = np.linalg.eigh(_spreads(there @ there.T / (systems - 1), systems - 1, resamples, rng))
    more = np.maximum(spread - 1, FLOOR)
    turn = root @ axes
    weigh = np.einsum("dab,db,dcb->dac", turn, more / (more + 1), axes) @ np.linalg.inv(root)
    normal = rng.normal(size=(resamples, 2, systems))
    population = _centred(np.einsum("dab,db,dbs->das", turn, np.sqrt(more), normal))
    return np.asarray(population + weigh @ (_centred(seen) - population - noise))


def _spreads(seen: Floats, freedom: int, resamples: int, rng: np.random.Generator) -> Floats:
    """(resamples, 2, 2) covariances that may be behind this one: inverse Wishart, by Bartlett's (1933) factors."""
    factor = np.zeros((resamples, 2, 2))
    factor[:, 0, 0] = np.sqrt(rng.chisquare(freedom, resamples))
    factor[:, 1, 1] = np.sqrt(rng.chisquare(freedom - 1, resamples))
    factor[:, 1, 0] = rng.normal(size=resamples)
    root = np.linalg.cholesky(seen + 1e-9 * (np.trace(seen) + 1) * np.eye(2))
    half = root @ np.linalg.inv(factor).transpose(0, 2, 1)
    return np.asarray(freedom * half @ half.transpose(0, 2, 1))


def _centred(means: Floats) -> Floats:
    return np.asarray(means - means.mean(axis=-1, keepdims=True))


def kendall_taus(x: Floats, y: Floats) -> Floats:
    """(n,) `kendall_tau` of each row of x with the same row of y; both are (n, systems) scores.

    >>> kendall_taus(np.array([[1.0, 2, 3], [1, 2, 3]]), np.array([[1.0, 2, 3], [3, 2, 1]])).tolist()
    [1.0, -1.0]
    """
    return _by_blocks(_taus, x, y)


def tau_aps(truth: Floats, estimate: Floats) -> Floats:
    """(n,) `tau_ap` of each row of `estimate` against the same row of `truth`; both are (n, systems) scores.

    >>> tau_aps(np.array([[4.0, 3, 2, 1]]), np.array([[3.0, 4, 2, 1]])).round(4).tolist()
    [0.3333]
    """
    return _by_blocks(_tau_aps, truth, estimate)


def _by_blocks(of: Callable[[Floats, Floats], Floats], x: Floats, y: Floats) -> Floats:
    rows = max(1, BLOCK // x.shape[1] ** 2)
    starts = range(0, len(x), rows)
    return np.concatenate([of(x[start : start + rows], y[start : start + rows]) for start in starts])


def _taus(x: Floats, y: Floats) -> Floats:
    first, second = np.sign(x[:, :, None] - x[:, None]), np.sign(y[:, :, None] - y[:, None])
    untied = np.count_nonzero(first, axis=(1, 2)) * np.count_nonzero(second, axis=(1, 2))
    alike = np.einsum("nij,nij->n", first, second)
    return np.asarray(np.divide(alike, np.sqrt(untied), out=np.zeros(len(x)), where=untied > 0))


def _tau_aps(truth: Floats, estimate: Floats) -> Floats:
    """`tau_aps`; each system counts its share of its tied group, whose sums over ranks are harmonic numbers."""
    systems = truth.shape[1]
    harmonic = np.append(0, np.cumsum(1 / np.arange(1, systems + 1)))
    above = estimate[:, None] > estimate[:, :, None]
    right = (np.sign(truth[:, None] - truth[:, :, None]) + 1) / 2
    correct = np.einsum("nij,nij->ni", above, right)
    ahead = above.sum(axis=2)
    tied = (estimate[:, None] == estimate[:, :, None]).sum(axis=2)
    inverse = harmonic[ahead + tied - 1] - harmonic[np.maximum(ahead - 1, 0)]
    total = correct * inverse + (tied - (ahead == 0) - ahead * inverse) / 2
    return np.asarray(2 * (total / tied).sum(axis=1) / (systems - 1) - 1)
