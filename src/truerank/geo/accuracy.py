"""Numbers that look at metres, not at a list of right answers: surfaces, error curves, SDM."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from truerank.core.errors import RulesError
from truerank.core.schema import POSITIVE, is_number, plain, several_of
from truerank.measures.sums import mean
from truerank.truth.items import Floats

STEEPNESS = 0.001
"""By the metre: what one metre costs in SDM, as GTA-UAV has it."""


def recall_within(errors: Floats, k: int, metres: float) -> float:
    """How likely one of the first k results lies within this many metres (inclusive) of the query.

    Args:
        errors: (queries, ranks) metres from the query to each result, best result first.

    >>> recall_within(np.array([[30.0, 10.0], [np.inf, np.inf]]), 2, 10)
    0.5
    """
    return _mean((errors[:, :k] <= metres).any(axis=1))


def surface(errors: Floats, ks: Sequence[int], metres: Sequence[float]) -> dict[str, dict[str, float]]:
    """`recall_within` for each k and each distance: {"R@1": {"10": 0.4, "25": 0.7}}."""
    return {f"R@{k}": {spelled(t): recall_within(errors, k, t) for t in metres} for k in ks}


def share_within(error: Floats, metres: float) -> float:
    """The share of queries whose first result lies within this many metres: the error's distribution, MA@t.

    DenseUAV's MA (Dai et al., 2023) counts less than this many metres; here it is at most, as everywhere.
    """
    return _mean(error <= metres)


def area(error: Floats, metres: float) -> float:
    """The area under the distribution of the error from 0 to this many metres, as a share: 1 if there is no error.

    >>> area(np.array([0.0, 5.0, 100.0]), 10)
    0.5
    """
    return _mean(np.maximum(0.0, metres - error) / metres)


def quantile(error: Floats, share: float) -> float:
    """The error that so large a share of the queries does not exceed: an order statistic, never in between.

    >>> quantile(np.array([3.0, 1.0, 2.0, np.inf]), 0.5)
    2.0
    """
    if not len(error):
        return math.inf
    return float(np.sort(error)[max(0, math.ceil(share * len(error)) - 1)])


def median(error: Floats) -> float:
    """The middle error, of an even number of queries the mean of the two in the middle.

    >>> median(np.array([3.0, 1.0])), median(np.array([3.0, 1.0, np.inf]))
    (2.0, 3.0)
    """
    return float(np.median(error)) if len(error) else math.inf


def sdm(errors: Floats, k: int, steepness: float = STEEPNESS) -> float:
    """The mean over queries of `nearness`.

    >>> round(sdm(np.array([[0.0, 1000.0]]), 2), 4)
    0.7893
    """
    return _mean(nearness(errors, k, steepness))


def nearness(errors: Floats, k: int, steepness: float = STEEPNESS) -> Floats:
    """(queries,) how near the first k results are, the first weighing most: the mean of exp(-steepness x metres).

    The spatial distance metric of DenseUAV (Dai et al., 2023), by the metre as in GTA-UAV (Ji et al., 2025). The
    weights are k, k - 1, ... 1; a result that is not there counts 0. DenseUAV's own numbers are those of 5000 by
    the degree, where degrees are x and y.
    """
    first = errors[:, :k]
    weight = k - np.arange(first.shape[1], dtype=np.float64)
    return np.asarray((np.exp(-steepness * first) @ weight) / (k * (k + 1) / 2), np.float64)


def percent_cut(references: int) -> int:
    """How many results 1 % of the references are by University-1652's count (Zheng et al., 2020).

    >>> percent_cut(951), percent_cut(10)
    (11, 1)
    """
    return round(references * 0.01) + 1


def distances(metres: Sequence[float] | float) -> tuple[float, ...]:
    """The distances in order, without repeats.

    Raises:
        RulesError: one is not a positive number.
    """
    for number in (several := several_of(metres)):
        if not is_number(number) or number <= 0:
            raise RulesError("a distance is a positive number of metres, not {value!r}", value=number)
    return tuple(sorted(set(map(plain, several))))


def cutoffs(k: Sequence[int] | int) -> tuple[int, ...]:
    """The cutoffs in order, without repeats.

    Raises:
        RulesError: one is not a positive whole number, or there is none.
    """
    for cut in (several := several_of(k)):
        if not POSITIVE.allows(cut):
            raise RulesError("k takes positive whole numbers, not {value!r}", value=cut)
    if not several:
        raise RulesError("k takes at least one positive whole number")
    return tuple(sorted(set(map(plain, several))))


def checked_steepness(steepness: float) -> float:
    """The steepness of SDM.

    Raises:
        RulesError: it is no positive number.
    """
    if not is_number(steepness) or steepness <= 0:
        raise RulesError("the steepness of SDM is a positive number, not {value!r}", value=steepness)
    return float(steepness)


def spelled(metres: float) -> str:
    """A distance as a key: 25, not 25.0; two distances are never one.

    >>> spelled(25.0), spelled(2.5), spelled(12345.67), spelled(2.5e6)
    ('25', '2.5', '12345.67', '2500000')
    """
    return repr(metres).removesuffix(".0")


def _mean(values: Any) -> float:
    """The mean, summed from left to right; 0 where there is nothing."""
    return mean(np.asarray(values, np.float64))
