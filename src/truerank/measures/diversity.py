"""Measures of lists that serve readers with different intents: what is read again is worth less each time."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

import numpy as np

from truerank.core.hits import UNJUDGED, Hits
from truerank.core.messages import message
from truerank.measures.aspects import is_answered, is_asked, weight_asked
from truerank.measures.discounts import discounted_terms, weights
from truerank.measures.gains import gains
from truerank.measures.novelty import asked, best_by, greedy, novelty
from truerank.measures.parameters import Share, Short, Worth
from truerank.measures.registry import measure
from truerank.measures.sums import Floats, PerQuery, powers, ratio, total
from truerank.measures.terms import Quantity, Terms, Words, called, whole

CASCADE = "Clarke et al., A comparative analysis of cascade measures for novelty and diversity, WSDM 2011; ndeval"

Best = Literal["possible", "ndeval", "intents", "none"]
"""What a sum is divided by: that of documents which answer every aspect; the same, but nothing where k is 1; the
weight of the aspects; nothing."""

NOVEL = partial(discounted_terms, name=message("novelty"))
"""What each document adds, with the discount of its rank."""

Cascade = Literal["log2", "reciprocal"]


def _normalised(
    hits: Hits, k: int | None, level: float, alpha: float, weighed: Callable[[Hits, Floats], Terms], name: str
) -> Terms:
    """What the documents of the list add, weighed by rank, divided by what those of the greedy ranking add."""
    rows = hits.top(k), greedy(hits, level, alpha, k)
    got, best = (weighed(each, novelty(each, level, alpha)) for each in rows)
    words = message("the sum over the list that adds most at each rank")
    return called(got, called(best, name=f"I{name}", words=words, is_ideal=True), name=name)


def _independent(hits: Hits, k: int, level: float, alpha: float, discount: Cascade, best: Best) -> Terms:
    """What the documents of the list add, divided by a number that the collection's documents do not change."""
    top = hits.top(k)
    got = NOVEL(top, novelty(top, level, alpha), discount=discount)
    if best == "none":
        return got
    weight = asked(hits, level)
    ranks = np.arange(1, k + 1)
    added = powers(1 - alpha, ranks - 1) * weights(ranks, discount, 2)
    most = {"possible": total(added), "ndeval": total(added) if k > 1 else 0.0, "intents": 1.0}[best]
    if not most:
        return called(got, name="Σ")
    divisor = weight * most

    def words() -> Words:
        of = weight_asked(weight)
        most_words = message("{a} × {b}, of perfect documents")
        by = of if best == "intents" else Quantity("best", most_words, divisor, (weight, most), (of,))
        return got.read._replace(name="Σ", divisor=by)

    return Terms(top, got.values, divisor, words)


@measure(
    "alpha_DCG",
    unit=False,
    formula="Σ_{i≤k} n_i / log2(i + 1) / best, n_i = Σ_a w_a [i is relevant to a] (1 − α)^(such documents above i)",
    source=f"Clarke et al., Novelty and diversity in information retrieval evaluation, SIGIR 2008; {CASCADE}",
    meanings={
        "best=intents": "The novelty of the list to a reader who grows tired, divided by the aspects' weight.",
        "best=none": "The novelty of the list to a reader who grows tired, added over the aspects.",
    },
    divides_by="relevant",
    monotone="no",
    sees_judged=False,
    needs="aspects",
)
def alpha_dcg(hits: Hits, *, k: Short, alpha: Share = 0.5, level: float = 1, best: Best = "possible") -> Terms:
    """The novelty of the list to a reader who grows tired, divided by that of documents that answer every aspect.

    A document adds the weights of the aspects that it answers, each times 1 − alpha for every one above that does.
    `best`: "none" divides by nothing, "intents" by the aspects' weight, "ndeval" as "possible", but not at k=1.

    >>> import truerank as tr
    >>> judged, run = {"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}}}, {"q": ["a", "b"]}
    >>> tr.evaluate(judged, run, "alpha_DCG@1 alpha_DCG(best='none')@1").mean
    {'alpha_DCG@1': 0.5, "alpha_DCG(best='none')@1": 1.0}
    """
    return _independent(hits, k, level, alpha, "log2", best)


@measure(
    "alpha_nDCG",
    unit=False,
    formula="α-DCG@k / α-DCG@k of the list that adds most at each rank; 0 where that is 0",
    source=f"Clarke et al., Novelty and diversity in information retrieval evaluation, SIGIR 2008; {CASCADE}",
    divides_by="relevant",
    monotone="no",
    sees_judged=False,
    needs="aspects",
)
def alpha_ndcg(hits: Hits, *, k: int | None = None, alpha: Share = 0.5, level: float = 1) -> Terms:
    """How close the list comes to one that adds as much that is new as it can at each rank, the top counting most.

    That list is made greedily, with the last id of documents that add as much, as by ndeval. A list that gives up a
    little at the top for more below can score a little above 1.

    >>> import truerank as tr
    >>> judged, run = {"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}}}, {"q": ["a", "b"]}
    >>> tr.evaluate(judged, run, "alpha_nDCG@1 alpha_nDCG(alpha=1)@2").mean
    {'alpha_nDCG@1': 0.5, 'alpha_nDCG(alpha=1)@2': 0.8154648767857288}
    """
    return _normalised(hits, k, level, alpha, NOVEL, "α-DCG")


@measure(
    "ERR_IA",
    unit=False,
    formula="Σ_{i≤k} n_i / i / best, n_i as of alpha_DCG",
    source=f"Chapelle et al., Expected reciprocal rank for graded relevance, CIKM 2009; {CASCADE}",
    meanings={
        "best=intents": "How early a reader with one aspect in mind is satisfied, on average over aspects.",
        "best=none": "How early readers of all intents are satisfied, added over the intents.",
    },
    divides_by="relevant",
    monotone="no",
    sees_judged=False,
    needs="aspects",
)
def intent_aware_err(
    hits: Hits, *, k: Short, alpha: Share = 0.5, level: float = 1, best: Best = "possible"
) -> Terms:
    """How early readers of all intents are satisfied, divided by the same for documents that answer every aspect.

    A relevant document satisfies with the probability alpha. `best` as of alpha_DCG; times alpha,
    `best="intents"` is the expected reciprocal rank itself.

    >>> import truerank as tr
    >>> judged, run = {"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}}}, {"q": ["a", "b"]}
    >>> tr.evaluate(judged, run, "ERR_IA@2 ERR_IA(best='intents')@2").mean
    {'ERR_IA@2': 0.7, "ERR_IA(best='intents')@2": 0.875}
    """
    return _independent(hits, k, level, alpha, "reciprocal", best)


@measure(
    "nERR_IA",
    unit=False,
    formula="Σ_{i≤k} n_i / i / that of the list that adds most at each rank; 0 where that is 0",
    source=CASCADE,
    divides_by="relevant",
    monotone="no",
    sees_judged=False,
    needs="aspects",
)
def normalised_intent_aware_err(hits: Hits, *, k: int | None = None, alpha: Share = 0.5, level: float = 1) -> Terms:
    """How early readers of all intents are satisfied, divided by the same for the list that adds most at each rank.

    >>> import truerank as tr
    >>> judged, run = {"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}}}, {"q": ["a", "b"]}
    >>> tr.evaluate(judged, run, "nERR_IA@1 nERR_IA@2").mean
    {'nERR_IA@1': 0.5, 'nERR_IA@2': 0.7777777777777778}
    """
    return _normalised(hits, k, level, alpha, partial(NOVEL, discount="reciprocal"), "ERR-IA")


@measure(
    "NRBP",
    formula="(1 − (1 − α) β) Σ_i n_i β^(i−1) / Σ_a w_a, n_i as of alpha_DCG",
    source="Clarke, Kolla and Vechtomova, An effectiveness measure for ambiguous … queries, ICTIR 2009; ndeval",
    divides_by="relevant",
    monotone="no",
    sees_judged=False,
    needs="aspects",
)
def novelty_biased_precision(
    hits: Hits, *, k: int | None = None, alpha: Share = 0.5, beta: Share = 0.5, level: float = 1
) -> Terms:
    """The novelty that a reader of one intent finds per document read, if the next is read with probability beta.

    >>> import truerank as tr
    >>> judged, run = {"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}}}, {"q": ["a", "b"]}
    >>> tr.evaluate(judged, run, "NRBP NRBP(alpha=1, beta=0)").mean
    {'NRBP': 0.65625, 'NRBP(alpha=1, beta=0)': 0.5}
    """
    top, weight, share = hits.top(k), asked(hits, level), 1 - (1 - alpha) * beta
    added = novelty(top, level, alpha)

    def words() -> Words:
        return Words(
            message("novelty × c × β^(rank − 1)"),
            lambda row: (f"{{}} × {{}} × {beta}^{top.rank[row] - 1}", (whole(added[row]), share)),
            weight_asked(weight),
            "Σ",
            given=(_going_on(beta), Quantity("c", message("1 − (1 − α) β"), share)),
            listed=added,
        )

    return Terms(top, added * share * powers(beta, top.rank - 1), weight, words)


def _going_on(beta: float) -> Quantity:
    return Quantity("β", message("the chance that the reader goes on"), beta)


def _biased(hits: Hits, added: Floats, beta: float) -> Terms:
    """What each document adds, times the probability that it is read."""

    def words() -> Words:
        return Words(
            message("novelty × β^(rank − 1)"),
            lambda row: (f"{{}} × {beta}^{hits.rank[row] - 1}", (whole(added[row]),)),
            name="Σ",
            given=(_going_on(beta),),
            listed=added,
        )

    return Terms(hits, added * powers(beta, hits.rank - 1), words=words)


@measure(
    "nNRBP",
    unit=False,
    formula="NRBP / NRBP of the list that adds most at each rank; 0 where that is 0",
    source=CASCADE,
    divides_by="relevant",
    monotone="no",
    sees_judged=False,
    needs="aspects",
)
def normalised_novelty_biased_precision(
    hits: Hits, *, k: int | None = None, alpha: Share = 0.5, beta: Share = 0.5, level: float = 1
) -> Terms:
    """How close the list comes, for readers of one intent each, to one that adds most that is new at each rank.

    >>> import truerank as tr
    >>> judged, run = {"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}}}, {"q": ["a", "b"]}
    >>> tr.evaluate(judged, run, "nNRBP").mean
    {'nNRBP': 0.7777777777777778}
    """
    return _normalised(hits, k, level, alpha, partial(_biased, beta=beta), "NRBP")


SAKAI = "Sakai and Song, Evaluating diversified search results using per-intent graded relevance, SIGIR 2011"


@measure(
    "D_nDCG",
    formula="Σ_{i≤k} G_i / log2(i + 1) / that of the list best by G, G_i = Σ_a w_a g(grade of i for a)",
    source=SAKAI,
    divides_by="gain",
    monotone="no",
    sees_judged=False,
    needs="aspects",
)
def global_ndcg(hits: Hits, *, k: int | None = None, gain: Worth = "linear") -> Terms:
    """How close the list comes to the best one, if a document gains what it is worth to readers of all intents.

    That is its global gain: its gain for each aspect, times the aspect's weight, such as how likely that intent is.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}}}, {"q": ["a", "b"]}, "D_nDCG@1 D_nDCG@2").mean
    {'D_nDCG@1': 0.5, 'D_nDCG@2': 0.8597186998521972}
    """
    top, worth = hits.top(k), _global_gains(hits, gain)
    best = best_by(hits, worth).top(k)
    name, words = message("global gain"), message("the sum over the list of the highest gains")
    ideal = called(discounted_terms(best, worth[best.doc], name), name="ID-DCG", words=words, is_ideal=True)
    known = np.where(top.grade > UNJUDGED, top.doc, len(worth) - 1)
    return called(discounted_terms(top, worth[known], name), ideal, name="D-DCG")


def _global_gains(hits: Hits, gain: Worth) -> Floats:
    """(judgements + 1,) what each document gains; the last: an unjudged one."""
    aspects = hits.aspects
    if aspects is None:
        return np.zeros(1)
    worth = gains(aspects.grade, gain) * aspects.weight[aspects.aspect]
    return np.bincount(aspects.of, worth, len(aspects.start)).astype(np.float64)


@measure(
    "Dsharp_nDCG",
    "D#_nDCG",
    "D♯_nDCG",
    formula="γ I-rec@k + (1 − γ) D-nDCG@k, I-rec = the share of the aspects that are answered",
    source=SAKAI,
    divides_by="relevant",
    monotone="no",
    sees_judged=False,
    needs="aspects",
)
def sharp_ndcg(
    hits: Hits, *, k: int | None = None, gamma: Share = 0.5, gain: Worth = "linear", level: float = 1
) -> PerQuery:
    """How many intents the list serves, and how well: the mean of intent recall and D-nDCG, gamma of it the first.

    In intent recall all aspects with a relevant document count alike, as in the paper, whatever their weights.

    >>> import truerank as tr
    >>> judged, run = {"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}}}, {"q": ["a", "b"]}
    >>> tr.evaluate(judged, run, "D#-nDCG@1 D#-nDCG(gamma=1)@2").mean
    {'Dsharp_nDCG@1': 0.5, 'Dsharp_nDCG(gamma=1)@2': 1.0}
    """
    return gamma * intent_recall(hits, k, level) + (1 - gamma) * global_ndcg(hits, k=k, gain=gain).result


def intent_recall(hits: Hits, k: int | None, level: float) -> PerQuery:
    """The share of the aspects with a relevant document that have one among the first k, whatever their weights."""
    by_aspect = hits.top(k).by_aspect
    return ratio(by_aspect.sum(is_answered(by_aspect, level)), by_aspect.sum(is_asked(by_aspect, level)))
