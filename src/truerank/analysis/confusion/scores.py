"""The scores of all results, judged or not: hits know only those of the judged ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from truerank.analysis.confusion.table import is_finite
from truerank.core.errors import InputError, quoted
from truerank.core.hits import Hits
from truerank.core.ids import is_later
from truerank.core.qrels import Floats
from truerank.core.reading import Reading, reading_of
from truerank.core.rules import Rules


def checked(threshold: float) -> float:
    """A threshold, if it is finite."""
    if not is_finite(threshold):
        raise InputError("a threshold is a finite number, not {threshold}", threshold=quoted(threshold))
    return float(threshold)


def scored(qrels: Any, run: Any, rules: Rules, is_asked: bool, threads: int | None) -> Reading:
    """The reading of a run under the rules, whose rows are those of all results if their scores are asked for.

    Raises:
        InputError: a query is answered without scores.
    """
    if not is_asked:
        return reading_of(qrels, run, rules, threads=threads)
    reading = reading_of(qrels, run, rules, keep=rules.depth or "all", threads=threads)
    if reading.scoring.are_ranks:
        raise InputError(
            "this run has no scores to compare with a threshold; say by k what is retrieved", reading.name
        )
    return reading


def returned(reading: Reading, hits: Hits) -> list[Floats]:
    """For each query of the hits the scores of the results that count as returned, the lowest first."""
    rules, rows = reading.rules, reading.rows
    if rules.unjudged == "removed":
        return [np.sort(hits.score[hits.query == query]) for query in range(len(hits.queries))]
    rows = rows.where(~is_later(rows.doc)) if reading.repeated else rows
    ends = np.cumsum(rows.count)
    place = {query: number for number, query in enumerate(rows.queries)}
    parts = (rows.score[ends[q] - rows.count[q] : ends[q]] for q in map(place.__getitem__, hits.queries))
    return [np.sort(scores)[-rules.depth :] if rules.depth else np.sort(scores) for scores in parts]
