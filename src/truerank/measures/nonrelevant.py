"""Measures that count what is not relevant: of what was returned, or of a collection of `docs` documents.

A document that is unjudged is not relevant here. Unless `docs` says how large the collection is, there is nothing
in it but what was returned and the relevant documents that were not.
"""

from __future__ import annotations

import numpy as np

from truerank.core.errors import MeasureError
from truerank.core.hits import Hits
from truerank.measures.binary import returned_within
from truerank.measures.registry import measure
from truerank.measures.sums import Floats, PerQuery, ratio
from truerank.measures.terms import once_each


def nonrelevant_total(hits: Hits, found: Hits, level: float, docs: int | None) -> Floats:
    """(queries,) how many documents are not relevant: in the collection where its size is given, else in the list.

    Args:
        found: the rows of `hits` that are relevant.
    """
    others = hits.returned - found.count
    if docs is None:
        return others.astype(np.float64)
    total = hits.relevant_total(level)
    if (docs < others + total).any():
        raise MeasureError(
            "docs={docs} is too small: there are {n} relevant or returned documents of a query",
            docs=docs,
            n=int((others + total).max()),
        )
    return docs - total.astype(np.float64)


@measure(
    "FallOut",
    "fall_out",
    formula="(min(k, n) − Σ_{i≤k} rel_i) / (n − N); with docs: / (docs − R)",
    source="van Rijsbergen, Information Retrieval, 1979; torchmetrics retrieval_fall_out",
    monotone="stepped",
    lower_is_better=True,
)
def fall_out(hits: Hits, *, k: int | None = None, level: float = 1, docs: int | None = None) -> PerQuery:
    """The share of what is not relevant that is among the first k results; less is better.

    `docs` is the size of the collection; without it, only what was returned is counted, as torchmetrics does.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1}}, {"q": ["x", "a", "y"]}, "FallOut@2 FallOut(docs=101)@2").mean
    {'FallOut@2': 0.5, 'FallOut(docs=101)@2': 0.01}
    """
    found = hits.relevant(level)
    wrong = returned_within(hits, k) - found.top(k).count
    return ratio(wrong, nonrelevant_total(hits, found, level, docs))


@measure(
    "MCC",
    unit=False,
    formula="(TP TN − FP FN) / √((TP + FP) (TP + FN) (TN + FP) (TN + FN)); 0 where that is 0",
    source="Matthews, Biochimica et Biophysica Acta, 1975; scikit-learn matthews_corrcoef",
    monotone="stepped",
)
def matthews_correlation(
    hits: Hits, *, k: int | None = None, level: float = 1, docs: int | None = None
) -> PerQuery:
    """The correlation between being among the first k results and being relevant, from −1 to 1.

    TP: relevant in the first k; FP: others there; FN: relevant elsewhere; TN: others elsewhere.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1}}, {"q": ["a", "x", "y"]}, "MCC@1 MCC(docs=11)@2").mean
    {'MCC@1': 1.0, 'MCC(docs=11)@2': 0.6708203932499369}
    """
    found = once_each(hits.relevant(level))
    tp = found.top(k).count.astype(np.float64)
    fp = returned_within(hits, k) - tp
    fn = hits.relevant_total(level) - tp
    tn = nonrelevant_total(hits, found, level, docs) - fp
    scale = np.sqrt((tp + fp) * (tp + fn)) * np.sqrt((tn + fp) * (tn + fn))
    return ratio(tp * tn - fp * fn, scale)


@measure(
    "AUROC",
    "AUC",
    "GAUC",
    "RocAuc",
    formula="pairs (relevant, not) of the first k in order, equal scores as halves / all such pairs; 0 without any",
    source="Hanley and McNeil, Radiology, 1982; torchmetrics retrieval_auroc; scikit-learn roc_auc_score",
    monotone="no",
    sees_judged=False,
)
def area_under_roc(hits: Hits, *, k: int | None = None, level: float = 1) -> PerQuery:
    """The chance that a relevant document has a higher score than one that is not, among the first k results.

    What was not returned is not in it. The mean over queries is GAUC in which each query weighs the same; with
    weights by impressions (Zhou et al., KDD 2018) it is another number.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1}}, {"q": {"x": 3.0, "a": 2.0, "y": 2.0, "z": 1.0}}, "AUROC GAUC@2").mean
    {'AUROC': 0.5, 'AUROC@2': 0.0}
    """
    relevant, limit = hits.top(k).relevant(level), hits.limit(k)
    end = relevant.last if limit is None else np.minimum(relevant.last, limit)
    so_far = relevant.ordinal.astype(np.float64)
    above = relevant.first - 1 - relevant.running_at(so_far, relevant.query, relevant.first - 1)
    equal = end - relevant.running_at(so_far, relevant.query, end) - above
    wrong = returned_within(hits, k) - relevant.count
    in_order = relevant.sum(wrong[relevant.query] - above - equal / 2)
    return ratio(in_order, relevant.count * wrong)
