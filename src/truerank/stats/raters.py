"""How much raters agree on the grades of the same items, beyond what chance would have them agree.

All coefficients are made of sums over items, so that clusters of items (those of one query) are drawn anew by
adding up the clusters' own sums.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from truerank.stats.bootstrap import drawn
from truerank.stats.intervals import Interval
from truerank.stats.resampling import percentile_interval
from truerank.stats.values import Floats, Ints, count, on_grid, one_of, scale, share

Weights = Literal["unweighted", "linear", "quadratic"]
"""What parts two grades: whether they differ, by how much, or the square of that."""

Scale = Literal["nominal", "ordinal", "interval"]
"""What grades are: names, an order, or numbers with distances."""

MOST_GRADES = 30
"""Each pair of grades is counted by itself: more of them are no scale that anybody judges by."""

BLOCK = 1 << 21
"""How many sums a block of resamples has at most, where there is more than one resample in it."""

DEFINED = 0.99
"""The share of resamples that must have a value, for an interval between their tails."""


def cohen_kappa(a: ArrayLike, b: ArrayLike, weights: Weights = "unweighted") -> float:
    """How much two raters agree beyond chance, where chance has each of them grade as often as they did.

    1 is full agreement, 0 that of chance; below 0 they agree less. Cohen (1960), weighted: Cohen (1968), by the
    distance of the grades themselves.

    Args:
        a, b: (n,) grades; items without a grade of both (NaN) count for nothing.

    Raises:
        ValueError: both give one and the same grade to all, which chance does too; or no item has both.

    >>> one, other = [0, 0, 1, 1, 2], [0, 1, 1, 1, 2]
    >>> round(cohen_kappa(one, other), 4), round(cohen_kappa(one, other, "linear"), 4)
    (0.6875, 0.7368)
    """
    if np.shape(a) != np.shape(b):
        raise ValueError(f"a and b are not pairs: they have {np.size(a)} and {np.size(b)} grades")
    one_of(weights, get_args(Weights), "weights")
    return _told(kappa_of(_tallied(np.column_stack([a, b])), weights))


def krippendorff_alpha(grades: ArrayLike, scale: Scale = "nominal") -> float:
    """How much raters agree beyond chance, where chance deals out all their grades anew.

    Of any number of raters, with gaps; an item that fewer than two have graded counts for nothing. Krippendorff
    (2004), chapter 11.

    Args:
        grades: (n, raters) NaN where one is missing.
        scale: "nominal" (equal or not), "ordinal" (how many grades lie between) or "interval" (squared distance).

    Raises:
        ValueError: all grades are equal, or no item has two.

    >>> round(krippendorff_alpha([[0, 0], [1, 1], [1, 2], [2, 2]], "ordinal"), 4)
    0.79
    """
    one_of(scale, get_args(Scale), "scale")
    return _told(alpha_of(_tallied(grades), scale))


def gwet_ac(grades: ArrayLike, weights: Weights = "unweighted", *, scale: ArrayLike | None = None) -> float:
    """How much raters agree beyond chance, where chance is at work on items that are hard to grade alone.

    It stays high where nearly all items have one grade and raters agree, which brings kappa down. AC1 where
    unweighted, else AC2, by the distance of the grades. Gwet (2008); with gaps: Gwet (2014).

    Args:
        grades: (n, raters) NaN where one is missing; items with one grade say how common it is.
        scale: all grades that could be given; by default those that are.

    Raises:
        ValueError: there is one grade alone, or no item has two grades.

    >>> round(gwet_ac([[1, 1]] * 9 + [[1, 0]]), 4), round(cohen_kappa([1] * 10, [1] * 9 + [0]), 4)
    (0.8895, 0.0)
    """
    one_of(weights, get_args(Weights), "weights")
    return _told(ac_of(_tallied(grades, scale), weights))


def _tallied(grades: ArrayLike, scale: ArrayLike | None = None) -> Tallies:
    checked = np.asarray(grades, np.float64)
    if checked.ndim != 2:
        raise ValueError(f"grades are a table with a column a rater, not an array of {checked.ndim} dimensions")
    for stray in checked[np.isinf(checked)][:1].tolist():
        raise ValueError(f"a grade is a finite number, or NaN where it is missing, not {stray}")
    return Tallies.of(checked, scale=scale).whole


def _told(value: Floats) -> float:
    if not np.isfinite(value):
        raise ValueError("there are no two different grades, or no item has two: nothing to tell from chance")
    return float(value)


@dataclass(frozen=True, eq=False)
class Tallies:
    """What coefficients are made of, for each cluster of items or of all together.

    Attributes:
        scale: (k,) the grades, rising.
        confusion: (…, k, k) of two raters: how many items the first gave the one grade and the second the other.
        pairs: (…, k, k) pairs of grades of different raters, where each item counts 1.
        coincidences: (…, k, k) the same pairs, where each item counts as often as it has grades.
        shares: (…, k) the share of each grade among the grades of an item, added up over items.
    """

    scale: Floats
    confusion: Floats
    pairs: Floats
    coincidences: Floats
    shares: Floats

    @classmethod
    def of(
        cls,
        grades: Floats,
        cluster: Ints | None = None,
        clusters: int = 1,
        scale: ArrayLike | None = None,
    ) -> Tallies:
        """The tallies of each cluster.

        Args:
            grades: (n, raters) NaN where one is missing.
            cluster: (n,) the number of each item's; by default all are one.
            scale: all grades that could be given; by default those that are.
        """
        given = np.isfinite(grades)
        known = np.unique(grades[given] if scale is None else np.asarray(scale, np.float64))
        if not np.isfinite(known).all():
            raise ValueError(f"a scale has finite grades, not {known[~np.isfinite(known)][0]}")
        for stray in grades[given & ~np.isin(grades, known)][:1].tolist():
            raise ValueError(f"the grade {stray:g} is not on the scale {', '.join(f'{one:g}' for one in known)}")
        if len(known) > MOST_GRADES:
            raise ValueError(f"there are {len(known)} different grades; at most {MOST_GRADES} are a scale")
        k, raters = max(len(known), 1), grades.shape[1]
        of = np.zeros(len(grades), np.int64) if cluster is None else cluster
        place = np.searchsorted(known, grades)
        n = given.sum(axis=1)
        confusion, pairs, coincidences = (np.zeros(clusters * k * k) for _ in range(3))
        shares = np.zeros(clusters * k)
        for i in range(raters):
            own = given[:, i]
            shares += np.bincount(of[own] * k + place[own, i], 1 / n[own], clusters * k)
            for j in range(raters):
                both = own & given[:, j]
                if i == j or not both.any():
                    continue
                cell = (of[both] * k + place[both, i]) * k + place[both, j]
                pairs += np.bincount(cell, 1 / (n[both] * (n[both] - 1)), len(pairs))
                coincidences += np.bincount(cell, 1 / (n[both] - 1), len(pairs))
                if (i, j) == (0, 1):
                    confusion += np.bincount(cell, minlength=len(confusion))
        shape = (clusters, k, k)
        square = [each.reshape(shape) for each in (confusion, pairs, coincidences)]
        return cls(known, square[0], square[1], square[2], shares.reshape(clusters, k))

    @property
    def whole(self) -> Tallies:
        """The tallies of all clusters together."""
        return self._with([each.sum(axis=0) for each in self._parts])

    @property
    def _parts(self) -> list[Floats]:
        return [self.confusion, self.pairs, self.coincidences, self.shares]

    def _with(self, parts: list[Floats]) -> Tallies:
        return Tallies(self.scale, *parts)

    def resampled(self, resamples: int, seed: int) -> Iterator[Tallies]:
        """The sums of as many draws of the clusters with replacement, by blocks."""
        n = len(self.shares)
        columns = np.concatenate([part.reshape(n, -1) for part in self._parts], axis=1)
        grid, unit = on_grid(columns, scale(columns))
        ends = np.cumsum([part[0].size for part in self._parts])[:-1]
        for times in drawn(n, resamples, seed, max(1, BLOCK // max(n, columns.shape[1]))):
            sums = np.split(times @ grid * unit, ends, axis=1)
            yield self._with([s.reshape(-1, *part.shape[1:]) for s, part in zip(sums, self._parts, strict=True)])


def equal_of(tallies: Tallies) -> Floats:
    """(…,) the share of pairs of grades that are equal; NaN where there is none."""
    return _ratio(np.trace(tallies.pairs, axis1=-2, axis2=-1), tallies.pairs.sum(axis=(-2, -1)))


def kappa_of(tallies: Tallies, weights: Weights = "unweighted") -> Floats:
    """(…,) Cohen's kappa."""
    counts, apart = tallies.confusion, distances(tallies.scale, weights)
    by_chance = np.einsum("...i,ij,...j->...", counts.sum(axis=-1), apart, counts.sum(axis=-2))
    return 1 - _ratio((counts * apart).sum(axis=(-2, -1)) * counts.sum(axis=(-2, -1)), by_chance)


def alpha_of(tallies: Tallies, scale: Scale = "nominal") -> Floats:
    """(…,) Krippendorff's alpha."""
    counts = tallies.coincidences
    of_each = counts.sum(axis=-1)
    if scale == "ordinal":
        middle = np.cumsum(of_each, axis=-1) - of_each / 2
        apart = (middle[..., :, None] - middle[..., None, :]) ** 2
    else:
        apart = distances(tallies.scale, "unweighted" if scale == "nominal" else "quadratic")
    by_chance = (of_each[..., :, None] * of_each[..., None, :] * apart).sum(axis=(-2, -1))
    return 1 - _ratio((counts * apart).sum(axis=(-2, -1)) * (of_each.sum(axis=-1) - 1), by_chance)


def ac_of(tallies: Tallies, weights: Weights = "unweighted") -> Floats:
    """(…,) Gwet's AC1, or with weights AC2."""
    k = len(tallies.scale)
    alike = 1 - distances(tallies.scale, weights)
    agreed = _ratio((tallies.pairs * alike).sum(axis=(-2, -1)), tallies.pairs.sum(axis=(-2, -1)))
    common = _ratio(tallies.shares, tallies.shares.sum(axis=-1, keepdims=True))
    if k < 2:
        return np.full(agreed.shape, np.nan)
    by_chance = alike.sum() / (k * (k - 1)) * (common * (1 - common)).sum(axis=-1)
    return np.asarray((agreed - by_chance) / (1 - by_chance))


def distances(grades: Floats, weights: Weights) -> Floats:
    """(k, k) how far apart two grades are: 0 for the same, 1 for the furthest."""
    if weights == "unweighted":
        return 1 - np.eye(len(grades))
    apart = np.abs(grades[:, None] - grades) / (np.ptp(grades) or 1.0)
    return apart if weights == "linear" else apart**2


OF_ALL: Mapping[str, Callable[[Tallies], Floats]] = {
    "equal": equal_of,
    "alpha": alpha_of,
    "alpha_ordinal": partial(alpha_of, scale="ordinal"),
    "alpha_interval": partial(alpha_of, scale="interval"),
    "ac1": ac_of,
    "ac2_linear": partial(ac_of, weights="linear"),
    "ac2_quadratic": partial(ac_of, weights="quadratic"),
}
"""Coefficients of any number of raters."""

OF_TWO: Mapping[str, Callable[[Tallies], Floats]] = {
    "equal": equal_of,
    "kappa": kappa_of,
    "kappa_linear": partial(kappa_of, weights="linear"),
    "kappa_quadratic": partial(kappa_of, weights="quadratic"),
    **OF_ALL,
}
"""Coefficients of two raters."""


def coefficient_intervals(
    tallies: Tallies,
    coefficients: Mapping[str, Callable[[Tallies], Floats]],
    *,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> dict[str, Interval]:
    """Each coefficient with its interval; clusters are drawn anew, as items of one cluster are alike.

    Percentile intervals, Field and Welsh (2007), with the tails of Student's t. Unknown ("none") of too few
    clusters, and where a coefficient has no value in more than one resample of a hundred; its estimate is NaN where
    it has none of all items.

    Args:
        tallies: of each cluster.
    """
    share(confidence, "confidence")
    count(resamples, "resamples")
    whole = tallies.whole
    blocks = [[of(block) for of in coefficients.values()] for block in tallies.resampled(resamples, seed)]
    intervals = {}
    for (name, of), *drawn_values in zip(coefficients.items(), *blocks, strict=True):
        intervals[name] = _interval(float(of(whole)), np.concatenate(drawn_values), len(tallies.shares), confidence)
    return intervals


def _interval(estimate: float, values: Floats, n: int, confidence: float) -> Interval:
    known = values[np.isfinite(values)]
    if not np.isfinite(estimate) or len(known) < DEFINED * len(values):
        return Interval.unknown(estimate, confidence)
    return percentile_interval(estimate, known, n, confidence=confidence)


def _ratio(above: Floats, below: Floats) -> Floats:
    """NaN where there is nothing to divide by."""
    unknown = np.full(np.broadcast(above, below).shape, np.nan)
    return np.asarray(np.divide(above, below, out=unknown, where=below != 0))
