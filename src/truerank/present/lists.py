"""The beginnings of ranked lists, judged or not, in the engine's own order."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from truerank.analysis.explain.query import lenient
from truerank.core.evaluate import in_mean
from truerank.core.reading import Reading


@dataclass(frozen=True)
class ListedRun:
    """The beginning of one list.

    Attributes:
        docs: as they are ranked: the first one has rank 1.
        scores: the system's.
    """

    docs: tuple[bytes, ...]
    scores: tuple[float, ...]


def beginnings(reading: Reading, k: int, wanted: Collection[bytes]) -> dict[bytes, ListedRun]:
    """The first k results of each wanted query in the engine's own order.

    Args:
        reading: with the unjudged documents of the first k ranks.
    """
    rules, answered = lenient(reading.rules), reading.rows.returned >= 0
    asked = np.array([query in wanted for query in reading.rows.queries], bool)
    is_left_out = rules.duplicates == "once" and rules.unjudged == "removed"  # else repeats take up ranks
    some = (reading.hits if is_left_out else reading.rows).select(answered & asked)
    top = in_mean(some, rules, reading.name).under(rules).top(k)
    docs, scores, ends = reading.docs(top.doc), top.score.tolist(), np.cumsum(top.count).tolist()
    return {
        query: ListedRun(tuple(docs[begin:end]), tuple(scores[begin:end]))
        for query, begin, end in zip(top.queries, [0, *ends], ends, strict=False)
    }
