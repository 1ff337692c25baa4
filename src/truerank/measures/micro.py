"""Measures of all answers as one list: every pair of a query and a document, by score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from truerank.core.hits import Bools, Hits
from truerank.measures.of_run import OfRun
from truerank.measures.registry import measure
from truerank.measures.sums import Floats, Ints, total

Ties = Literal["together", "worst"]


@dataclass(frozen=True, eq=False)
class OneList(OfRun):
    """The pairs of all queries, best score first; of equal scores the wrong ones first.

    Attributes:
        query: (pairs,) whose answer it is.
        score: (pairs,)
        is_right: (pairs,)
        relevant: (queries,) what the sum is divided by, as far as it is the query's.
        ties: "together": the precision of a pair is that after all of its score; "worst": that at its own place.
    """

    query: Ints
    score: Floats
    is_right: Bools
    relevant: Ints
    ties: Ties

    @classmethod
    def of(cls, hits: Hits, level: float, relevant: Ints, ties: Ties) -> OneList:
        """Those of a table that has the rows of unjudged documents too."""
        is_right = hits.grade >= level
        order = np.lexsort((is_right, -hits.score))
        return cls(len(hits.queries), hits.query[order], hits.score[order], is_right[order], relevant, ties)

    def at(self, times: Ints) -> float:
        """The sum of the precision at each right pair, by the number of relevant documents."""
        rows = np.repeat(np.arange(len(self.query)), times[self.query])
        there = int((self.relevant * times).sum())
        if not there or not len(rows):
            return 0.0
        right = np.cumsum(self.is_right[rows])
        precision = right / np.arange(1, len(rows) + 1)
        if self.ties == "worst":
            return total(precision[self.is_right[rows]]) / there
        score = self.score[rows]
        last = np.flatnonzero(np.append(score[1:] != score[:-1], True))
        return total(np.diff(right[last], prepend=0) * precision[last]) / there


@measure(
    "GAP",
    "global_average_precision",
    average="run",
    needs="scores",
    monotone="no",
    sees_judged=False,
    formula="Σ over the pairs by score of precision · rel / M, M = Σ over queries of min(R, k); relevant: ΣR",
    source="Perronnin et al., A family of contextual measures of similarity, CVPR 2009; Weyand et al., Google "
    "Landmarks Dataset v2, CVPR 2020",
    meanings={"divisor=relevant": "The precision of the first answers in one list by score, by all relevant ones."},
)
def global_average_precision(
    hits: Hits,
    *,
    k: int = 1,
    level: float = 1,
    divisor: Literal["capped", "relevant"] = "capped",
    ties: Ties = "together",
) -> OneList:
    """Whether the answers a system is surest of are right: the first, or k, of each query in one list by score.

    One number of the run. M is how many queries have something to find; with k above 1, what k answers could hold.
    Answers to queries that are judged and have no relevant document are wrong. Equal scores count together, or with
    `ties="worst"` the wrong ones first. A run without scores has none.

    >>> import truerank as tr
    >>> qrels, run = {"q": {"a": 1}, "r": {"b": 1}, "s": {}}, {"q": {"a": 0.9}, "r": {"b": 0.5}, "s": {"x": 0.7}}
    >>> tr.evaluate(qrels, run, "GAP P@1").mean
    {'GAP': 0.8333333333333333, 'P@1': 0.6666666666666666}
    """
    relevant = hits.relevant_total(level)
    capped = np.minimum(relevant, k) if divisor == "capped" else relevant
    return OneList.of(hits.top(k), level, capped, ties)


@measure(
    "microAP",
    "uAP",
    "micro_average_precision",
    average="run",
    needs="scores",
    monotone="no",
    sees_judged=False,
    formula="Σ over the pairs by score of precision at the pair · rel / ΣR",
    source="Douze et al., The 2021 image similarity dataset and challenge, 2021; its code has ties='worst'",
)
def micro_average_precision(
    hits: Hits, *, k: int | None = None, level: float = 1, ties: Ties = "together"
) -> OneList:
    """How well one threshold parts right answers from wrong: average precision of all pairs in one list by score.

    One number of the run, for scores that mean the same in every query. Equal scores count together, or with
    `ties="worst"` the wrong ones first. Queries that are not judged at all are left out, as everywhere. A run
    without scores has none.

    >>> import truerank as tr
    >>> qrels, run = {"q": {"a": 1, "b": 1}, "r": {}}, {"q": {"a": 0.9, "b": 0.5}, "r": {"x": 0.7}}
    >>> tr.evaluate(qrels, run, "µAP AP").mean
    {'microAP': 0.8333333333333333, 'AP': 0.5}
    """
    return OneList.of(hits.top(k), level, hits.relevant_total(level), ties)
