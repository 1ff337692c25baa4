"""Checks of what is asked of a claim: how many queries, which spread, which level."""

from __future__ import annotations

import math
from typing import Any

from truerank.core.errors import InputError
from truerank.core.schema import is_real, is_whole
from truerank.stats.power import MOST

LEAST = 1e-15
"""Of a level; below it there is no telling how far from 0 a t may be."""


def check_queries(queries: Any) -> None:
    """
    Raises:
        InputError: it is no whole number from 2 to a thousand million.
    """
    if not is_whole(queries) or queries > MOST:
        raise InputError("queries are a whole number from 2 to {most:,}, not {given!r}", most=MOST, given=queries)
    if queries < 2:
        raise InputError("one query shows nothing of a spread: there must be 2 queries or more")


def check_sd(sd: Any) -> None:
    """
    Raises:
        InputError: it is no finite number above 0.
    """
    if not is_real(sd) or not 0 < sd < math.inf:
        raise InputError("the standard deviation is a number above 0, e.g. 0.2; not {given!r}", given=sd)


def check_level(alpha: float, pairs: int) -> None:
    """
    Raises:
        InputError: what is left of alpha for each pair is too little to test at.
    """
    if pairs > alpha / LEAST:
        raise InputError(
            "each of {pairs:,} pairs is left with a level below {least:g}, at which nothing can be tested: take "
            "fewer systems, or a larger alpha",
            pairs=pairs,
            least=LEAST,
        )
