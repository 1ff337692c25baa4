"""Measures that know only relevant and not relevant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from truerank.core.errors import MeasureError
from truerank.core.hits import Hits
from truerank.core.messages import message
from truerank.measures.parameters import Amount
from truerank.measures.registry import measure
from truerank.measures.sums import Ints, PerQuery, log2, logarithm, ratio
from truerank.measures.terms import Numbers, PerRow, Quantity, Terms, Words, count_of, per_row, relevant, smaller

FIRST = message("relevant among the first {a}")


@measure(
    "P",
    "precision",
    formula="Σ_{i≤k} rel_i / k; returned: / min(k, n)",
    source="Cleverdon, 1967; trec_eval P",
    meanings={"divisor=returned": "The share of the first k results, or of those there are, that is relevant."},
    takes_unjudged_grades=True,
    monotone="rising",
)
def precision(hits: Hits, *, k: int, level: float = 1, divisor: Literal["k", "returned"] = "k") -> Terms:
    """The share of the first k results that is relevant; a short list is not excused.

    `divisor="returned"` excuses it: it divides by the results there are.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1}}, {"q": {"a": 3.0, "x": 2.0}}, "P@5")["P@5"].tolist()
    [0.2]
    """
    rows = hits.top(k).relevant(level)
    if divisor == "k":
        return Terms(rows, None, k, lambda: count_of(FIRST, k))
    least = returned_within(hits, k)

    def words() -> Words:
        return count_of(
            FIRST,
            k,
            divisor=Quantity("min(k, n)", message("the smaller of {a} and {b}"), least, (k, hits.returned)),
        )

    return Terms(rows, None, least, words)


def returned_within(hits: Hits, k: int | None) -> Ints:
    """(queries,) how many results there are among the first k; all of them for None."""
    return hits.returned if k is None else np.minimum(hits.returned, k)


@measure(
    "R",
    "recall",
    relative_P={"capped": True},
    recall_cap={"capped": True},
    R_cap={"capped": True},
    formula="Σ_{i≤k} rel_i / R; capped: / min(R, k)",
    source="Cleverdon, 1967; trec_eval recall, relative_P; BEIR R_cap",
    meanings={"capped=True": "How many relevant documents k results find, of as many as they could hold."},
    divides_by="relevant",
    monotone="stepped",
)
def recall(hits: Hits, *, k: int, level: float = 1, capped: bool = False) -> Terms:
    """The share of the relevant documents that is among the first k results.

    `capped` divides by min(R, k), so that k results can reach 1.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 1}}, {"q": {"a": 3.0, "x": 2.0}}, "R@1 R(capped=True)@1").mean
    {'R@1': 0.5, 'R(capped=True)@1': 1.0}
    """
    total = hits.relevant_total(level)

    def words() -> Words:
        r = relevant(total)
        return count_of(FIRST, k, divisor=smaller(r, k) if capped else r, given=(r,), lost_from=level)

    return Terms(hits.top(k).relevant(level), None, np.minimum(total, k) if capped else total, words)


@measure(
    "F",
    "f1@",
    "F1Beta",
    formula="(β² + 1) P R / (β² P + R), with P = P@k and R = R@k",
    source="van Rijsbergen, Information Retrieval, 1979; ranx f1@k",
    divides_by="relevant",
    monotone="stepped",
)
def f_measure(hits: Hits, *, k: int, level: float = 1, beta: Amount = 1) -> PerQuery:
    """One number for precision and recall of the first k results: their weighted harmonic mean, F1 by default.

    Precision divides by k, also for a shorter list. `beta` weighs recall beta times as much as precision.

    >>> import truerank as tr
    >>> scores = tr.evaluate({"q": {"a": 1}}, {"q": ["a", "x"]}, "F@5 SetF")
    >>> [round(value, 4) for value in scores.mean.values()]
    [0.3333, 0.6667]
    """
    p, r = precision(hits, k=k, level=level).result, recall(hits, k=k, level=level).result
    return ratio((beta * beta + 1.0) * p * r, beta * beta * p + r)


@measure(
    "Hits", unit=False, formula="Σ_{i≤k} rel_i", source="ranx hits", takes_unjudged_grades=True, monotone="rising"
)
def found_within(hits: Hits, *, k: int | None = None, level: float = 1) -> Terms:
    """How many relevant documents are among the first k results; the mean over queries, not the sum.

    What knowledge graph completion calls Hits@k is Success@k, the same where a query has one relevant document.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 1}}, {"q": ["a", "x", "b"]}, "Hits@2 Hits").mean
    {'Hits@2': 1.0, 'Hits': 2.0}
    """
    return Terms(hits.top(k).relevant(level), words=lambda: _counted_to(k, level))


def _counted_to(k: int | None, level: float) -> Words:
    words, cut = (FIRST, (k,)) if k else (message("relevant documents were returned"), ())
    return count_of(words, *cut, lost_from=level)


@measure(
    "Success",
    "hit",
    "hit_rate",
    "HitRate",
    "hit_ratio",
    "HitRatio",
    "HR",
    "rank",
    "cmc",
    "accuracy@",
    formula="1 if any rel_i, i ≤ k, else 0",
    source="trec_eval success; rank-k and CMC of re-identification; accuracy@k of BEIR",
    takes_unjudged_grades=True,
    monotone="rising",
)
def success(hits: Hits, *, k: int, level: float = 1) -> PerQuery:
    """Whether anything relevant is among the first k results: 1 or 0.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1}}, {"q": ["x", "a"]}, "Success@1 hit@5").mean
    {'Success@1': 0.0, 'Success@5': 1.0}
    """
    return (hits.top(k).relevant(level).count > 0).astype(np.float64)


@measure(
    "RR",
    "mrr",
    "recip_rank",
    "RecipRank",
    "mean_reciprocal_rank",
    "reciprocal_rank",
    formula="1 / rank of the first relevant document",
    source="Kantor and Voorhees, The TREC-5 confusion track, 1996; trec_eval recip_rank",
    takes_unjudged_grades=True,
    monotone="rising",
)
def reciprocal_rank(hits: Hits, *, k: int | None = None, level: float = 1) -> PerQuery:
    """How soon the first relevant document comes: 1 at rank 1, 1/2 at rank 2, 0 when none comes.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1}}, {"q": {"x": 3.0, "a": 2.0}}, "RR")["RR"].tolist()
    [0.5]
    """
    found = hits.top(k).relevant(level)
    return found.sum(np.where(found.ordinal == 1, 1 / found.rank, 0.0))


@measure(
    "NCRR",
    formula="Σ_{i≤k} rel_i / i / Σ_{i≤min(R, k)} 1 / i",
    source="Cornac NCRR, Normalised Cumulative Reciprocal Rank",
    divides_by="relevant",
    monotone="stepped",
)
def cumulative_reciprocal_rank(hits: Hits, *, k: int | None = None, level: float = 1) -> Terms:
    """How soon the relevant documents come: the sum of 1 / rank over them, divided by the largest there could be.

    It is nDCG(gain='binary', discount='reciprocal') of documents of this level.

    >>> import truerank as tr
    >>> round(tr.evaluate({"q": {"a": 1, "b": 1}}, {"q": ["x", "a", "b"]}, "NCRR").mean["NCRR"], 4)
    0.5556
    """
    found, ideal = hits.top(k).relevant(level), hits.ideal.relevant(level).top(k)
    best = ideal.sum(1 / ideal.rank)

    def words() -> Words:
        most = Quantity(message("ideal"), message("1 / rank of the first {a} ranks"), best, (ideal.count,))
        given = (relevant(hits.relevant_total(level)),)
        return Words(message("1 / rank"), per_row("1 / {}", found.rank), most, given=given, lost_from=level)

    return Terms(found, 1 / found.rank, best, words)


@measure(
    "AP",
    "map",
    "map_cut",
    "mean_average_precision",
    formula="Σ precision at each relevant rank / R; capped: / min(R, k); returned: / min(R, k, n); "
    "hits: / hits found; k: / k",
    source="Harman, TREC-1, 1992; Buckley and Voorhees, SIGIR 2000; trec_eval map, map_cut",
    meanings={
        "divisor=hits": "The mean of the precision at each relevant document found; one never found is left out.",
        "divisor=capped": "The summed precision at relevant documents, divided by as many as k results can hold.",
        "divisor=returned": "The summed precision at relevant documents, divided by as many as the list can hold.",
        "divisor=k": "The summed precision at relevant documents, divided by the cutoff.",
        "area=trapezoid": "The mean of the precision just before and at each relevant document; unfound are 0.",
        "ties=together": "The mean of the precision at each relevant document, after all of the same score.",
    },
    divides_by="relevant",
    monotone="stepped",
    monotone_with={"divisor=hits": "no", "ties=together": "no"},
)
def average_precision(
    hits: Hits,
    *,
    k: int | None = None,
    level: float = 1,
    divisor: Literal["relevant", "capped", "returned", "hits", "k"] = "relevant",
    area: Literal["step", "trapezoid"] = "step",
    ties: Literal["ordered", "together"] = "ordered",
) -> Terms:
    """The mean of the precision at each relevant document; one never found counts 0.

    `area="trapezoid"` is the mean of the precision just before and at each hit: Oxford5k, Market-1501.
    `ties="together"` takes the precision after all documents of the same score, as scikit-learn does.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 1}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}, "AP")["AP"].tolist()
    [0.8333333333333333]
    """
    found = hits.relevant(level).top(k)
    rank, ordinal = found.rank, found.ordinal
    if ties == "together":
        ordinal = found.running_at(found.ordinal.astype(np.float64), found.query, found.last).astype(np.int64)
        limit = hits.limit(k)
        rank = found.last if limit is None else np.minimum(found.last, limit)
    values = ordinal / rank
    if area == "trapezoid":
        before = np.where(rank == 1, 1.0, (ordinal - 1) / np.maximum(rank - 1, 1))
        values = (before + values) / 2
    over, shown = _divisor(hits, found, k, level, divisor)

    def words() -> Words:
        where = message("after its equals") if ties == "together" else message("at its rank")
        of, how = message("precision {at}", at=where), per_row("{} / {}", ordinal, rank)
        if area == "trapezoid":
            of, how = message("mean of precision before and {at}", at=where), _trapezoid(ordinal, rank)
        return Words(of, how, shown(), lost_from=level)

    return Terms(found, values, over, words)


def _trapezoid(ordinal: Ints, rank: Ints) -> PerRow:
    def how(row: int) -> tuple[str, tuple[float, ...]]:
        n, at = ordinal[row], rank[row]
        return ("(1 + {} / {}) / 2", (n, at)) if at == 1 else ("({} / {} + {} / {}) / 2", (n - 1, at - 1, n, at))

    return how


def _divisor(
    hits: Hits, found: Hits, k: int | None, level: float, divisor: str
) -> tuple[Numbers, Callable[[], Quantity]]:
    """What the sum is divided by, and how an explanation says it."""
    if divisor == "hits":
        return found.count, lambda: Quantity("N", message("relevant documents found"), found.count)
    if divisor == "k":
        if k is None:
            raise MeasureError("AP(divisor='k') divides by the cutoff; write AP(divisor='k')@10")
        return k, lambda: Quantity("k", message("the cutoff"), k)
    total = hits.relevant_total(level)
    if divisor == "returned":
        there, name = returned_within(hits, k), "n" if k is None else "k, n"
        return np.minimum(total, there), lambda: smaller(relevant(total), there, name)
    if divisor == "capped" and k is not None:
        return np.minimum(total, k), lambda: smaller(relevant(total), k)
    return total, lambda: relevant(total)


@measure(
    "GMAP",
    "gm_map",
    average="geometric",
    formula="AP; the mean over queries is exp(mean of log max(AP, 0.00001))",
    source="Robertson, On GMAP and other transformations, CIKM 2006; trec_eval gm_map",
    divides_by="relevant",
    monotone="stepped",
)
def geometric_average_precision(hits: Hits, *, level: float = 1) -> Terms:
    """Average precision whose mean over queries is geometric, so that the worst queries weigh most.

    >>> import truerank as tr
    >>> scores = tr.evaluate({"q": {"a": 1}, "r": {"b": 1}}, {"q": ["a"], "r": ["x", "b"]}, "GMAP")
    >>> round(scores.mean["GMAP"], 4)
    0.7071
    """
    return average_precision(hits, level=level)


@measure(
    "YAAP",
    unit=False,
    formula="log((1 + S) / (1 + R − S)), S = Σ precision at each relevant rank",
    source="Robertson, On GMAP and other transformations, CIKM 2006; trec_eval yaap",
    monotone="stepped",
)
def yet_another_average_precision(hits: Hits, *, level: float = 1) -> PerQuery:
    """Average precision as log odds, which are spread more evenly over queries; below 0 for poor answers.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1}}, {"q": ["x", "a"]}, "YAAP").mean
    {'YAAP': 0.0}
    """
    found, total = hits.relevant(level), hits.relevant_total(level)
    s = np.minimum(found.sum(found.ordinal / found.rank), total)  # repeats that count can be more than the relevant
    return logarithm((1.0 + s) / (1.0 + total - s))


@measure(
    "Rprec",
    "r_precision",
    "r_prec",
    "p_at_r",
    "precision_at_r",
    "recall_at_r",
    formula="Σ_{i≤R} rel_i / R",
    source="Buckley and Voorhees, SIGIR 2000; trec_eval Rprec",
    divides_by="relevant",
    monotone="stepped",
)
def r_precision(hits: Hits, *, level: float = 1) -> Terms:
    """Precision after as many results as there are relevant documents, where precision and recall are equal.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 1}}, {"q": ["a", "x", "b"]}, "Rprec").mean
    {'Rprec': 0.5}
    """
    total = hits.relevant_total(level)
    rows = hits.relevant(level)
    first = rows.where(rows.rank <= total[rows.query])

    def words() -> Words:
        r = relevant(total)
        return count_of(FIRST, total, divisor=r, given=(r,), lost_from=level)

    return Terms(first, None, total, words)


@measure(
    "RprecMult",
    "Rprec_mult",
    at="x",
    formula="Σ_{i≤c} rel_i / c, c = ⌊x R + 0.9⌋",
    source="trec_eval Rprec_mult",
    divides_by="relevant",
    monotone="stepped",
)
def r_precision_multiple(hits: Hits, *, x: Amount, level: float = 1) -> PerQuery:
    """Precision after x times as many results as there are relevant documents.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 1}}, {"q": ["a", "x", "b"]}, "RprecMult@0.5 RprecMult@2").mean
    {'RprecMult@0.5': 1.0, 'RprecMult@2': 0.5}
    """
    cut = np.floor(x * hits.relevant_total(level) + 0.9)
    rows = hits.relevant(level)
    return ratio(rows.where(rows.rank <= cut[rows.query]).count, cut)


@measure(
    "binG",
    formula="Σ over relevant of 1 / log2(2 + nonrelevant before) / R",
    source="trec_eval binG",
    divides_by="relevant",
    monotone="stepped",
)
def binary_g(hits: Hits, *, level: float = 1) -> Terms:
    """How few wrong documents stand before each relevant one, on a logarithmic scale; one never found counts 0.

    It is G for binary grades.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 1}}, {"q": ["a", "x", "y", "b"]}, "binG").mean
    {'binG': 0.75}
    """
    found = hits.relevant(level)
    before = found.rank - found.ordinal
    total = hits.relevant_total(level)

    def words() -> Words:
        how = per_row("1 / log2(2 + {})", before)
        return Words(message("1 / log2(2 + others before)"), how, relevant(total), lost_from=level)

    return Terms(found, 1.0 / log2(2 + before), total, words)


@measure(
    "Accuracy",
    "pairwise",
    formula="pairs (relevant, not relevant) of returned documents in order / all such; only relevant: 1; none: 0",
    source="ir_measures Accuracy; AUROC is the same with equal scores as halves",
    monotone="stepped",
)
def pairwise_accuracy(hits: Hits, *, level: float = 1) -> PerQuery:
    """The chance that a relevant document stands before one that is not, among those that were returned.

    It is 1 where only relevant documents were returned, and 0 where no relevant one was.
    With a cutoff (accuracy@k) the name means Success@k.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 1}}, {"q": ["a", "x", "y", "b"]}, "Accuracy").mean
    {'Accuracy': 0.5}
    """
    found = hits.relevant(level)
    wrong = hits.returned - found.count
    in_order = found.sum(wrong[found.query] - (found.rank - found.ordinal))
    return np.where(wrong > 0, ratio(in_order, found.count * wrong), found.count > 0)
