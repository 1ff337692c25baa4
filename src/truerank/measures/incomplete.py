"""Measures that know that not everything was judged."""

from __future__ import annotations

import numpy as np

from truerank.core.hits import Hits
from truerank.core.messages import message
from truerank.measures.binary import returned_within
from truerank.measures.parameters import Share
from truerank.measures.registry import measure
from truerank.measures.sums import Ints, PerQuery, powers, ratio
from truerank.measures.terms import Terms, Words, relevant, whole

EPSILON = 1e-5


def _nonrelevant_total(hits: Hits, level: float) -> Ints:
    """(queries,) how many documents are judged and not relevant; below grade 0 none is judged."""
    return hits.ideal.where((hits.ideal.grade >= 0) & (hits.ideal.grade < level)).count


@measure(
    "Bpref",
    formula="Σ over relevant found of (1 − min(nonrelevant before, R) / min(NR, R)) / R",
    source="Buckley and Voorhees, Retrieval evaluation with incomplete information, SIGIR 2004",
    divides_by="relevant",
    sees_judged=True,
    monotone="ordered",
)
def binary_preference(hits: Hits, *, level: float = 1) -> PerQuery:
    """How seldom documents judged wrong stand before relevant ones; unjudged documents do not count.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 1, "c": 0, "d": 0}}, {"q": ["a", "c", "x", "b"]}, "Bpref").mean
    {'Bpref': 0.75}
    """
    total, nonrelevant = hits.relevant_total(level), _nonrelevant_total(hits, level)
    before = hits.before((hits.grade >= 0) & (hits.grade < level))
    missed = ratio(np.minimum(before, total[hits.query]), np.minimum(nonrelevant, total)[hits.query])
    return ratio(hits.sum(np.where(hits.grade >= level, 1.0 - missed, 0.0)), total)


@measure(
    "GMBpref",
    "gm_bpref",
    average="geometric",
    formula="Bpref; the mean over queries is exp(mean of log max(Bpref, 0.00001))",
    source="trec_eval gm_bpref",
    divides_by="relevant",
    sees_judged=True,
    monotone="ordered",
)
def geometric_binary_preference(hits: Hits, *, level: float = 1) -> PerQuery:
    """Bpref whose mean over queries is geometric, so that the worst queries weigh most.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 0}}, {"q": ["a", "b"]}, "GMBpref").mean
    {'GMBpref': 1.0}
    """
    return binary_preference(hits, level=level)


@measure(
    "infAP",
    formula="Σ over relevant at i of (1/i + pooled/i · (rel + ε)/(rel + nonrel + 2ε)) / R; counts before i",
    source="Yilmaz and Aslam, Estimating average precision with incomplete judgments, CIKM 2006",
    divides_by="relevant",
    sees_judged=True,
    monotone="no",
)
def inferred_average_precision(hits: Hits, *, level: float = 1) -> Terms:
    """Average precision as estimated when only a random part of the pool was judged.

    A grade below 0 means: in the pool, but not judged. A document without a grade was not in the pool. This is
    trec_eval's; where strata were judged at rates of their own, `xinfAP` is sample_eval.pl's.

    >>> import truerank as tr
    >>> scores = tr.evaluate({"q": {"a": 1, "b": 0, "c": 1}}, {"q": ["a", "b", "c"]}, "infAP")
    >>> round(scores.mean["infAP"], 4)
    0.8333
    """
    is_relevant = hits.grade >= level
    total = hits.relevant_total(level)
    right, nonrelevant = hits.before(is_relevant), hits.before((hits.grade >= 0) & ~is_relevant)
    unjudged = hits.before(hits.grade < 0)
    above = np.maximum(hits.rank - 1.0, 1.0)
    chance = (right + EPSILON) / (right + nonrelevant + 2 * EPSILON)
    known = right + nonrelevant + unjudged
    estimate = 1.0 / hits.rank + (hits.rank - 1.0) / hits.rank * (known / above) * chance

    def how(row: int) -> tuple[str, tuple[float, ...]]:
        if (i := hits.rank[row]) == 1:
            return "1 / 1", ()
        return "1/{} + {}/{} × {}/{} × {}", (i, i - 1, i, whole(known[row]), i - 1, chance[row])

    def words() -> Words:
        return Words(message("1/i + (i−1)/i × pooled/(i−1) × relevant"), how, relevant(total), lost_from=level)

    return Terms(hits, np.where(is_relevant, estimate, 0.0), total, words)


@measure(
    "Judged",
    formula="judged in the first k / min(k, n)",
    source="ir_measures Judged",
    sees_judged=True,
    monotone="ordered",
)
def judged(hits: Hits, *, k: int | None = None) -> PerQuery:
    """The share of the first k results that anybody judged.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 0}}, {"q": ["a", "x", "b"]}, "Judged@2 Judged").mean["Judged@2"]
    0.5
    """
    return ratio(hits.top(k).relevant(0).count, returned_within(hits, k))


@measure(
    "Unjudged",
    "unj",
    "hole",
    formula="(min(k, n) − judged in the first k) / k",
    source="trec_eval 10 unj; BEIR hole, to which a document is judged that is for any query",
    sees_judged=True,
    monotone="ordered",
    lower_is_better=True,
)
def unjudged(hits: Hits, *, k: int) -> PerQuery:
    """The share of the first k ranks with a result that is unjudged; less is better.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 0}}, {"q": ["a", "x", "b"]}, "Unjudged@2 unj_5").mean
    {'Unjudged@2': 0.5, 'Unjudged@5': 0.2}
    """
    return ratio(returned_within(hits, k) - hits.top(k).relevant(0).count, k)


@measure(
    "RBPResidual",
    "rbp_resid",
    "residual",
    formula="1 − (1 − p) Σ over judged, i ≤ k, of p^(i−1): what the unjudged and all below the end could add",
    source="Moffat and Zobel, Rank-biased precision for measurement of retrieval effectiveness, TOIS 2008",
    sees_judged=True,
    monotone="ordered",
    lower_is_better=True,
)
def rank_biased_residual(hits: Hits, *, k: int | None = None, p: Share = 0.8) -> PerQuery:
    """How much RBP could rise if all that is not judged or not returned turned out relevant; less is better.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1}}, {"q": ["a", "x"]}, "RBPResidual(p=0.5)").mean
    {'RBPResidual(p=0.5)': 0.5}
    """
    seen = hits.top(k).relevant(0)
    return np.maximum(1.0 - (1.0 - p) * seen.sum(powers(p, seen.rank - 1)), 0.0)
