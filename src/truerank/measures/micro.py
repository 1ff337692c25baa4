"""Measures of all answers as one list: every pair of a query and a document, by score."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from truerank.core.hits import Bools, Hits
from truerank.measures.nonrelevant import nonrelevant_total
from truerank.measures.of_run import OfRun
from truerank.measures.parameters import Share
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
        """The results of all queries as one list, from a table that has the rows of unjudged documents too."""
        is_right = hits.grade >= level
        order = np.lexsort((is_right, -hits.score))
        return cls(len(hits.queries), hits.query[order], hits.score[order], is_right[order], relevant, ties)

    def at(self, times: Ints) -> float:
        """The sum of the precision at each right pair, divided by the number of relevant documents."""
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
    meanings={
        "divisor=relevant": "The summed precision at the right answers in one list by score, "
        "divided by all relevant ones."
    },
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


@dataclass(frozen=True, eq=False)
class Accepted(OfRun):
    """The scores that one threshold has to let pass, and those that it has to hold back.

    Attributes:
        right, wrong: the rows of both.
        rights, wrongs: (queries,) how many there are, those too that were not returned.
        share: how many of the wrong ones may pass.
    """

    right: Hits
    wrong: Hits
    rights: Ints
    wrongs: Ints | Floats
    share: float

    def at(self, times: Ints) -> float:
        """The share of the right scores that pass the lowest threshold allowed; 0 where there are none."""
        there, above = int((self.rights * times).sum()), int((self.wrongs * times).sum())
        allowed = math.floor(self.share * above * (1 + 1e-12))
        order = np.argsort(-self.wrong.score, kind="stable")
        held = np.cumsum(times[self.wrong.query[order]]) > allowed
        threshold = self.wrong.score[order[np.argmax(held)]] if held.any() else -math.inf
        passed = times[self.right.query[self.right.score > threshold]].sum()
        return float(passed) / there if there else 0.0


@measure(
    "TPIR",
    "DIR",
    average="run",
    needs="scores",
    monotone="no",
    sees_judged=False,
    formula="queries with a relevant document among the first k above t / queries with any; t: the lowest with at "
    "most fpir of the queries without any above it",
    source="Phillips, Grother and Micheals, Evaluation methods in face recognition, 2011; ISO/IEC 19795-1; "
    "NIST FRVT 1:N, whose FNIR is 1 − TPIR",
)
def identification_rate(hits: Hits, *, k: int = 1, fpir: Share = 0.01, level: float = 1) -> Accepted:
    """How many queries find what there is, at a threshold that few queries pass for which there is nothing.

    One number of the run: open-set identification, or questions of which some have no answer. A query for which
    nothing is relevant (judged by `{}` or a grade 0) is a false alarm if its best score is above the threshold.
    Without such queries, as where the rules leave them out (market1501 does), it is Success@k.

    >>> import truerank as tr
    >>> qrels, run = {"q": {"a": 1}, "r": {"b": 1}, "s": {}}, {"q": {"a": 0.9}, "r": {"b": 0.5}, "s": {"x": 0.7}}
    >>> tr.evaluate(qrels, run, "TPIR TPIR(fpir=1)").mean
    {'TPIR': 0.5, 'TPIR(fpir=1)': 1.0}
    """
    first = hits.where(hits.ordinal == 1)
    found = hits.relevant(level).top(k)
    mated = hits.relevant_total(level) > 0
    right, wrong = found.where(found.ordinal == 1), first.where(~mated[first.query])
    return Accepted(len(hits.queries), right, wrong, mated.astype(np.int64), (~mated).astype(np.int64), fpir)


@measure(
    "TPR",
    "TAR",
    average="run",
    needs="scores",
    monotone="no",
    sees_judged=False,
    formula="relevant pairs above t / ΣR; t: the lowest with at most fpr of the other pairs above it",
    source="scikit-learn roc_curve, at the largest false positive rate up to fpr; NIST FRVT 1:1 (TAR at a FAR)",
)
def true_positive_rate(hits: Hits, *, fpr: Share = 0.001, level: float = 1, docs: int | None = None) -> Accepted:
    """How many right pairs pass a threshold that few wrong ones pass: verification, the pairs in one list by score.

    One number of the run, a point of its ROC curve. The wrong pairs are those that were returned; of `docs`
    documents in the collection, all others too.

    >>> import truerank as tr
    >>> qrels, run = {"q": {"a": 1}, "r": {"b": 1}}, {"q": {"a": 0.9, "x": 0.8}, "r": {"b": 0.5, "x": 0.4}}
    >>> tr.evaluate(qrels, run, "TPR TPR(fpr=0.5)").mean
    {'TPR': 0.5, 'TPR(fpr=0.5)': 1.0}
    """
    right, wrong = hits.relevant(level), hits.where(hits.grade < level)
    wrongs = nonrelevant_total(hits, right, level, docs)
    return Accepted(len(hits.queries), right, wrong, hits.relevant_total(level), wrongs, fpr)
