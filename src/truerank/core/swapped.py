"""Whether qrels and run stand in each other's place, where no format tells: as dicts or in JSON they look alike."""

from __future__ import annotations

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

    Fractional grades alone are nothing odd, nor are whole scores: where a list has none, its ranks are counted
    down, to 1 or from 0. So all must hold: most grades are fractions and hardly any comes twice in its query; every
    score of a judged document is a small whole number; and the scores are more than such ranks.
    """
    grades = hits.judgements.grade
    if len(grades) < FEWEST or not len(hits) or _fractions(grades) <= FRACTIONS * len(grades):
        return False
    if _fractions(hits.score) or np.abs(hits.score).max() > HIGHEST:
        return False
    ranks = hits.returned[hits.query] - hits.rank + 1, 1 - hits.rank
    return _share_distinct(hits) >= DISTINCT and all((hits.score != ranked).any() for ranked in ranks)


def _fractions(numbers: Floats) -> int:
    """How many are not whole; a remainder takes ten times as long."""
    return int(np.count_nonzero(numbers != np.floor(numbers)))


def _share_distinct(hits: Hits) -> float:
    """The share of the judgements whose grade is the first of its kind in its query."""
    judged = np.column_stack([hits.judgements.query, hits.judgements.grade])
    return len(np.unique(judged, axis=0)) / len(judged)
