"""Whether qrels and run were swapped, where no format tells: as dicts or in JSON they look alike."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from truerank.core.hits import Hits
from truerank.core.qrels import Floats

FEWEST = 4
"""Fewer grades than this say nothing."""

FRACTIONS = 0.5
"""The share of fractions that scores exceed."""

DISTINCT = 0.9
"""From this share on, the grades of a query differ as scores do; averaged grades often repeat."""

HIGHEST = 10
"""No scale of grades that people judge by goes further."""


def are_swapped(hits: Hits) -> bool:
    """Whether the grades look like scores and the scores of the run like grades.

    Fractional grades alone are nothing odd, nor are whole scores: lists without scores get their ranks, counted
    down to 1 or from 0. So all of this must hold: most grades are fractions and hardly any comes twice in its
    query; every score of a judged document is a small whole number; and the scores are not just such ranks.
    """
    grades = hits.judgements.grade
    return _fractions(grades) > FRACTIONS * len(grades) and Signs.of(hits).are_swapped  # mostly no more is counted


class Signs(NamedTuple):
    """What is counted of some queries to detect it; the counts of several parts add up.

    Attributes:
        grades, fractions, distinct: how many grades there are, how many are not whole, and how many do not occur
            earlier in their query.
        hits, odd: how many hits there are, and whether some score is not a small whole number; nothing more is
            counted then.
        from_one, from_zero: whether some score is not a rank counted down to 1, or from 0.
    """

    grades: int = 0
    fractions: int = 0
    distinct: int = 0
    hits: int = 0
    odd: bool = False
    from_one: bool = False
    from_zero: bool = False

    @classmethod
    def of(cls, hits: Hits) -> Signs:
        """The signs in all queries."""
        grades, score = hits.judgements.grade, hits.score
        if _fractions(score) or np.abs(score).max(initial=0) > HIGHEST:
            return cls(odd=True)
        ranks = hits.returned[hits.query] - hits.rank + 1, 1 - hits.rank
        unlike = (bool((score != ranked).any()) for ranked in ranks)
        return cls(len(grades), _fractions(grades), _distinct(hits), len(hits), False, *unlike)

    def __add__(self, other: Signs) -> Signs:  # type: ignore[override]
        pairs: Iterable[Any] = zip(self, other, strict=True)
        return Signs(*(a or b if isinstance(a, bool) else a + b for a, b in pairs))

    @property
    def are_swapped(self) -> bool:
        """Whether the signs say that qrels and run were swapped."""
        if self.odd or not self.hits or self.grades < FEWEST or self.fractions <= FRACTIONS * self.grades:
            return False
        return self.distinct / self.grades >= DISTINCT and self.from_one and self.from_zero


def _fractions(numbers: Floats) -> int:
    """How many are not whole numbers; computing remainders takes ten times as long."""
    return int(np.count_nonzero(numbers != np.floor(numbers)))


def _distinct(hits: Hits) -> int:
    """How many grades do not occur earlier in their query."""
    return len(np.unique(np.column_stack([hits.judgements.query, hits.judgements.grade]), axis=0))
