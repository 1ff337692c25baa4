"""Many tests at once: p values raised so that chance finds are as rare as promised."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from truerank.stats.values import Floats, column, one_of

Correction = Literal["holm", "bonferroni", "bh", "none"]


def adjust(p: ArrayLike, method: Correction = "holm") -> Floats:
    """The p values of several tests, as they are to be read together; in the same order.

    "holm" and "bonferroni" keep the chance of any false find below the level, Holm's never less sharply;
    "bh" keeps the share of false finds among all finds below it. Holm (1979); Benjamini and Hochberg (1995).

    Raises:
        ValueError: a p that is not from 0 to 1, or no such method.

    >>> adjust([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    one_of(method, get_args(Correction), "a correction")
    checked = column(p, "p") if np.size(p) else np.empty(0)
    if ((checked < 0) | (checked > 1)).any():
        raise ValueError("a p value is a number from 0 to 1")
    order = np.argsort(checked)
    adjusted = np.empty(len(checked))
    adjusted[order] = np.minimum(_ORDERED[method](checked[order]), 1.0)
    return adjusted


def _holm(p: Floats) -> Floats:
    return np.maximum.accumulate(p * np.arange(len(p), 0, -1))


def _bonferroni(p: Floats) -> Floats:
    return p * len(p)


def _benjamini_hochberg(p: Floats) -> Floats:
    shares = np.arange(1, len(p) + 1) / len(p)
    return np.minimum.accumulate((p / shares)[::-1])[::-1]


_ORDERED: dict[str, Callable[[Floats], Floats]] = {
    "holm": _holm,
    "bonferroni": _bonferroni,
    "bh": _benjamini_hochberg,
    "none": np.positive,
}
