"""Many systems at once: which differ, when all pairs are looked at."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from numpy.typing import ArrayLike

from truerank.core.equal import difference
from truerank.stats.binomial import unanimous_p
from truerank.stats.ranges import range_above, range_quantile
from truerank.stats.values import TINY, Floats, column, rounding, scale, share, table, unit_of

Groups = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Tukey:
    """Tukey's honestly significant differences.

    Attributes:
        p: (m, m) of each pair; 1 on the diagonal.
        half_width: means that are further apart than this differ, at the confidence asked for; inf where no
            distance would, as with few queries and no noise.
        groups: of systems that cannot be told apart, as columns, the best first.
        constant: every query parts the systems alike: no noise to judge them by, and p is that of sign tests,
            corrected for the number of pairs.
    """

    p: Floats
    half_width: float
    groups: Groups
    constant: bool = field(default=False, repr=False)


def tukey_hsd(values: ArrayLike, *, confidence: float = 0.95) -> Tukey:
    """Which systems differ, by an analysis of variance that takes out how hard each query is.

    Two-way, without interaction: the residuals after query and system means are the noise. Tukey (1953);
    Carterette, Multiple testing in statistical analysis of systems-based IR experiments (2012).

    Args:
        values: (n, m) one row per query, one column per system.
    """
    checked = table(values)
    n, m = checked.shape
    share(confidence, "confidence")
    means = checked.mean(axis=0)
    if n < 2 or m < 2:
        return Tukey(np.ones((m, m)), np.inf, (tuple(range(m)),))
    noise = checked - checked.mean(axis=1, keepdims=True) - means + checked.mean()
    freedom = (n - 1) * (m - 1)
    unit = unit_of(np.abs(noise).max(), 1)  # squares of the largest numbers overflow
    error = float(np.sqrt(((noise / unit) ** 2).sum() / freedom / n) * unit)
    least = rounding(scale(checked))
    apart = np.abs(difference(*np.broadcast_arrays(means[:, None], means)))
    p = _range_p(apart, error, m, freedom) if error > least else _flat_p(apart, least, n)
    half_width = range_quantile(confidence, m, freedom) * error if error > least else _flat_width(n, m, confidence)
    return Tukey(p, half_width, groups(p, means, 1 - confidence), error <= least)


def groups(p: ArrayLike, means: ArrayLike, alpha: float = 0.05, *, most: int | None = None) -> Groups:
    """The largest groups of systems of which no two differ; every system is in one, some are in several.

    Args:
        p: (m, m), symmetric.
        means: (m,); groups and systems are told from the highest mean down.
        most: groups; where there are more, the systems of the lowest means are left out until there are not.

    Returns:
        Columns.

    >>> groups([[1, 0.2, 0.01], [0.2, 1, 0.3], [0.01, 0.3, 1]], [0.5, 0.4, 0.3])
    ((0, 1), (1, 2))
    >>> groups([[1, 0.2, 0.01], [0.2, 1, 0.3], [0.01, 0.3, 1]], [0.5, 0.4, 0.3], most=1)
    ((0, 1),)
    """
    systems = np.argsort(-column(means, "means"), kind="stable")
    different = np.triu(table(p, "p") <= alpha, 1)
    alike = ~(different | different.T)[np.ix_(systems, systems)]
    np.fill_diagonal(alike, False)
    bits = [int.from_bytes(np.packbits(row, bitorder="little").tobytes(), "little") for row in alike]

    def among(first: int) -> list[int]:
        """The groups of the `first` systems with the highest means; no more than `most` + 1 are looked for."""
        few = [others & (1 << first) - 1 for others in bits[:first]]
        return [*islice(_cliques(few), None if most is None else most + 1)]

    first = len(bits)
    if most is not None:
        first = bisect_right(range(1, first + 1), most, key=lambda first: len(among(first)))
    ranked = sorted([*_places(group)] for group in among(first))
    return tuple(tuple(systems[group].tolist()) for group in ranked)


def _cliques(alike: Sequence[int]) -> Iterator[int]:
    """The maximal sets of systems that are all alike: Bron and Kerbosch (1973), with pivots.

    Args:
        alike: for each system the others that are like it, as bits; the sets are bits too.
    """
    left = [(0, (1 << len(alike)) - 1, 0)]
    while left:
        group, more, known = left.pop()
        if not more:
            if not known:
                yield group
            continue
        pivot = max(_places(more | known), key=lambda one: (alike[one] & more).bit_count())
        for one in _places(more & ~alike[pivot]):
            left.append((group | 1 << one, more & alike[one], known & alike[one]))
            more, known = more & ~(1 << one), known | 1 << one


def _places(bits: int) -> Iterator[int]:
    """The places of the bits that are set, the lowest first."""
    while bits:
        yield (bits & -bits).bit_length() - 1
        bits &= bits - 1


def _flat_p(apart: Floats, least: float, n: int) -> Floats:
    """(m, m) the p of each distance where every query shows the same distance."""
    return np.where(apart > least, _unanimous(n, len(apart)), 1.0)


def _flat_width(n: int, m: int, confidence: float) -> float:
    """How far apart means must be for `_flat_p` to be significant: 0 for any distance, inf for none."""
    return 0.0 if _unanimous(n, m) <= 1 - confidence else np.inf


def _unanimous(n: int, m: int) -> float:
    """The p of a sign test that n queries decide, corrected for the number of pairs of m systems."""
    return min(1.0, m * (m - 1) // 2 * unanimous_p(n))


def _range_p(apart: Floats, error: float, m: int, freedom: int) -> Floats:
    """(m, m) the p of each distance."""
    ranges, inverse = np.unique(apart / error, return_inverse=True)
    p = np.clip(range_above(ranges, m, freedom), TINY, 1.0)
    p[ranges == 0] = 1.0
    return p[inverse].reshape(apart.shape)
