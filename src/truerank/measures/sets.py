"""Measures of everything that was returned, whatever its order."""

from __future__ import annotations

import numpy as np

from truerank.core.errors import MeasureError
from truerank.core.hits import Hits
from truerank.core.messages import message
from truerank.measures.parameters import Amount, Share
from truerank.measures.registry import measure
from truerank.measures.sums import PerQuery, ratio
from truerank.measures.terms import Quantity, Terms, Words, count_of, relevant, smaller

TREC = "trec_eval, Buckley, NIST"

AMONG = message("relevant documents among them")


@measure(
    "SetP",
    "set_P",
    "context_precision",
    "id_based_context_precision",
    formula="N / n",
    source="Cleverdon, 1967; trec_eval set_P; RAGAS' id-based context precision",
    takes_unjudged_grades=True,
    monotone="rising",
)
def set_precision(hits: Hits, *, level: float = 1) -> Terms:
    """The share of all that was returned that is relevant.

    RAGAS' context precision that is not by ids, but judged by a model, is AP(divisor='hits').

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 1}}, {"q": ["a", "x", "y", "z"]}, "SetP").mean
    {'SetP': 0.25}
    """
    return Terms(
        hits.relevant(level), None, hits.returned, lambda: count_of(AMONG, divisor=(n := _n(hits)), given=(n,))
    )


def _n(hits: Hits) -> Quantity:
    return Quantity("n", message("documents were returned"), hits.returned)


@measure(
    "SetR",
    "set_recall",
    "context_recall",
    "id_based_context_recall",
    formula="N / R",
    source="Cleverdon, 1967; trec_eval set_recall; RAGAS' id-based context recall",
    divides_by="relevant",
    monotone="stepped",
)
def set_recall(hits: Hits, *, level: float = 1) -> Terms:
    """The share of the relevant documents that were returned at all.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 1}}, {"q": ["a", "x", "y", "z"]}, "SetR").mean
    {'SetR': 0.5}
    """
    total = hits.relevant_total(level)

    def words() -> Words:
        r = relevant(total)
        return count_of(AMONG, divisor=r, given=(r, _n(hits)), lost_from=level)

    return Terms(hits.relevant(level), None, total, words)


@measure(
    "SetSuccess",
    formula="1 if N > 0, else 0",
    source="Haystack DocumentRecallEvaluator, single_hit",
    takes_unjudged_grades=True,
    monotone="rising",
)
def set_success(hits: Hits, *, level: float = 1) -> PerQuery:
    """Whether anything relevant was returned at all: 1 or 0.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1}, "r": {"b": 1}}, {"q": ["x", "a"], "r": ["x"]}, "SetSuccess").mean
    {'SetSuccess': 0.5}
    """
    return (hits.relevant(level).count > 0).astype(np.float64)


@measure(
    "SetF",
    "f1",
    set_F={"beta_squared": ...},
    formula="(β² + 1) P R / (β² P + R), with β² = (1 − α) / α; P = N / n, R = N / R",
    source="van Rijsbergen, Information Retrieval, 1979; trec_eval set_F",
    divides_by="relevant",
    monotone="stepped",
)
def set_f(
    hits: Hits,
    *,
    level: float = 1,
    beta: Amount = 1,
    alpha: Share | None = None,
    beta_squared: Amount | None = None,
) -> PerQuery:
    """One number for precision and recall of all that was returned: their weighted harmonic mean, F1 by default.

    `beta` weighs recall beta times as much as precision; or `alpha` is the weight of precision; or
    `beta_squared` is β² itself, as in trec_eval's set_F.x.

    >>> import truerank as tr
    >>> scores = tr.evaluate({"q": {"a": 1}}, {"q": ["a", "x"]}, "F1 SetF(beta=2) set_F_2")
    >>> [round(value, 4) for value in scores.mean.values()]
    [0.6667, 0.8333, 0.75]
    """
    p, r = set_precision(hits, level=level).result, set_recall(hits, level=level).result
    weight = squared_beta(beta, alpha, beta_squared)
    if weight is None:  # alpha = 0: all the weight is on recall
        return r
    return ratio((weight + 1.0) * p * r, weight * p + r)


def squared_beta(beta: float, alpha: float | None, beta_squared: float | None) -> float | None:
    """β² by any of its three names; None for infinity."""
    if (beta != 1) + (alpha is not None) + (beta_squared is not None) > 1:
        raise MeasureError("SetF takes one of beta, alpha and beta_squared; they say the same in three ways")
    if alpha is not None:
        return (1 - alpha) / alpha if alpha > 1e-100 else None
    return beta * beta if beta_squared is None else beta_squared


@measure(
    "SetAP",
    "set_map",
    formula="N² / (n R), which is P R",
    source=f"{TREC}, set_map",
    divides_by="relevant",
    monotone="stepped",
)
def set_average_precision(hits: Hits, *, level: float = 1) -> PerQuery:
    """The average precision to expect when the order of what was returned is random: precision times recall.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 1}}, {"q": ["a", "x", "y", "z"]}, "SetAP").mean
    {'SetAP': 0.125}
    """
    tp = hits.relevant(level).count.astype(np.float64)
    return ratio(tp * tp, hits.returned.astype(np.float64) * hits.relevant_total(level))


@measure(
    "SetRelP",
    "set_relative_P",
    formula="N / min(n, R)",
    source=f"{TREC}, set_relative_P",
    divides_by="relevant",
    monotone="stepped",
)
def set_relative_precision(hits: Hits, *, level: float = 1) -> Terms:
    """The share of relevant documents in all that was returned, of those that could have been there.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 1}}, {"q": ["a", "x", "y", "z"]}, "SetRelP").mean
    {'SetRelP': 0.5}
    """
    total = hits.relevant_total(level)

    def words() -> Words:
        r, n = relevant(total), _n(hits)
        return count_of(AMONG, divisor=smaller(n, total, "R"), given=(r, n))

    return Terms(hits.relevant(level), None, np.minimum(hits.returned, total), words)


@measure(
    "Utility",
    unit=False,
    formula="a N + b (n − N) + c (R − N) + d (D + N − n − R), D = docs",
    source="Lewis, TREC-4 filtering track, 1995; trec_eval utility",
    monotone="stepped",
)
def utility(
    hits: Hits,
    *,
    level: float = 1,
    a: float = 1,
    b: float = -1,
    c: float = 0,
    d: float = 0,
    docs: int | None = None,
) -> PerQuery:
    """What the answer is worth: a price for each document found, wrongly returned, missed, rightly left out.

    `docs` is the size of the collection; only `d` needs it.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 1}}, {"q": ["a", "x", "y"]}, "Utility Utility(a=3,b=-2)").mean
    {'Utility': -1.0, 'Utility(a=3, b=-2)': -1.0}
    """
    if d and docs is None:
        raise MeasureError("Utility with d needs the size of the collection: Utility(d={d:g}, docs=10000)", d=d)
    tp, returned, total = hits.relevant(level).count, hits.returned, hits.relevant_total(level)
    left_out = (docs or 0) + tp - returned - total
    return np.asarray(a * tp + b * (returned - tp) + c * (total - tp) + d * left_out, np.float64)
