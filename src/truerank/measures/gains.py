"""What a grade is worth, and the best ranking by that worth."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from truerank.core.errors import MeasureError
from truerank.core.hits import Hits
from truerank.measures.parameters import Gain
from truerank.measures.sums import Floats, by_value

STEEPEST = 1000
"""The highest grade that gain='exp' can weigh: a sum of larger powers of 2 could overflow."""

HEAVIEST = 2.0**STEEPEST
"""The largest gain: a sum of larger ones could overflow."""


def gains(grade: Floats, gain: Gain, start: float = 0) -> Floats:
    """The gain of each grade; nothing below `start` or grade 0 gains.

    Raises:
        MeasureError: a gain is so large that a sum of such could overflow.
    """
    worth = _gains(grade if start <= 0 else np.where(grade >= start, grade, -1.0), gain)
    if np.count_nonzero(worth > HEAVIEST):
        raise MeasureError(
            "a gain of {gain:g} is too large to be summed; use gain='binary' or a mapping", gain=worth.max()
        )
    return worth


def _gains(grade: Floats, gain: Gain) -> Floats:
    if gain == "linear":
        return np.maximum(grade, 0.0)
    if gain == "binary":
        return (grade > 0).astype(np.float64)
    return by_value(lambda value: _worth(value, gain), grade)


def _worth(grade: float, gain: Gain) -> float:
    if grade < 0:
        return 0.0
    if isinstance(gain, Mapping):
        return float(gain.get(grade, grade))
    if grade > STEEPEST:
        raise MeasureError(
            "gain='exp' cannot weigh a grade of {grade:g}; use gain='linear' or a mapping", grade=grade
        )
    return float(2.0**grade - 1)


def from_grade_on(table: Mapping[float, float], grade: Floats, below: float) -> Floats:
    """What a table says of each grade, or of the next lower one in it; of those below all of them, `below`."""
    known = sorted(table)
    return np.array([below, *(table[each] for each in known)])[np.searchsorted(known, grade, side="right")]


def ideal_ranking(hits: Hits, gain: Gain, start: float = 0) -> Hits:
    """The best possible ranking by gain, without the documents that gain nothing."""
    if isinstance(gain, Mapping):  # which is no key
        return _gaining(hits, gain, start)
    return hits.once(("ideal", gain, start), lambda: _gaining(hits, gain, start))


def _gaining(hits: Hits, gain: Gain, start: float) -> Hits:
    return best_first(hits, gains(hits.judgements.grade, gain, start), by_grade=not isinstance(gain, Mapping))


def best_first(hits: Hits, worth: Floats, *, by_grade: bool) -> Hits:
    """The best possible ranking by a worth of each judged document, without those that have none.

    Args:
        worth: (judgements,)
        by_grade: whether a better grade is never worth less.
    """
    query, grade = hits.judgements
    rows = (worth > 0).nonzero()[0]
    if not by_grade:
        rows = rows[np.lexsort((-worth[rows], query[rows]))]
    return hits.listed(query[rows], rows, grade[rows])
