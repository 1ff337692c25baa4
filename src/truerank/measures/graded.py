"""Measures that know how relevant a document is."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from truerank.hits import Hits
from truerank.measures.gains import gains, ideal_ranking
from truerank.measures.parameters import Base, Gain
from truerank.measures.registry import measure
from truerank.measures.sums import Floats, PerQuery, log2, ratio

CUMULATED = 'Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", TOIS 2002'
EXPONENTIAL = 'gain="exp": Burges et al., ICML 2005'


Ties = Literal["ordered", "averaged"]
"""Equal scores: by the tie rule, or the mean over all their orders."""

Ideal = Literal["full", "returned"]
"""How long the ideal list is: as there are judged documents, or no longer than the answer."""


def _discounted(hits: Hits, gain: Gain, log_base: Base = 2) -> Floats:
    """(hits,) each gain, divided by the logarithm of its rank + 1."""
    discount = hits.discount if log_base == 2 else hits.discount / math.log2(log_base)
    return gains(hits.grade, gain) / discount


def _averaged(hits: Hits, k: int | None, gain: Gain, log_base: Base) -> Floats:
    """(hits,) each gain times what the ranks of its group of equal scores weigh on average within the first k."""
    lowest = int(hits.last.max(initial=0))
    deepest = lowest if k is None else min(k, lowest)
    below = np.add.accumulate(np.concatenate([[0.0], math.log2(log_base) / log2(np.arange(2, deepest + 2))]))
    shared = below[np.minimum(hits.last, deepest)] - below[np.minimum(hits.first - 1, deepest)]
    tied = gains(hits.grade, gain) * shared / (hits.last - hits.first + 1)
    return np.where(hits.tied, tied, np.where(hits.rank <= deepest, _discounted(hits, gain, log_base), 0.0))


@measure("DCG", unit=False, formula="Σ_{i≤k} g(r_i) / log2(i + 1)", source=f"{CUMULATED}; {EXPONENTIAL}")
def dcg(
    hits: Hits, *, k: int | None = None, gain: Gain = "linear", log_base: Base = 2, ties: Ties = "ordered"
) -> PerQuery:
    """The worth of the list to a reader who grows tired: the sum of the gains, each discounted by its rank.

    `ties="averaged"` is the mean over all orders of equal scores (McSherry and Najork, ECIR 2008).

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 3, "b": 1}}, {"q": ["a", "x", "b"]}, "DCG DCG(gain='exp')@2").mean
    {'DCG': 3.5, "DCG(gain='exp')@2": 7.0}
    """
    if ties == "averaged":
        return hits.sum(_averaged(hits, k, gain, log_base))
    top = hits.top(k)
    return top.sum(_discounted(top, gain, log_base))


@measure("IDCG", "ideal_dcg", unit=False, formula="DCG@k of all that is judged, best first", source=CUMULATED)
def ideal_dcg(
    hits: Hits, *, k: int | None = None, gain: Gain = "linear", log_base: Base = 2, ideal: Ideal = "full"
) -> PerQuery:
    """The largest DCG that any list could have; with `ideal="returned"`, that any list of this length could have.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 3}}, {"q": ["x"]}, "IDCG IDCG@1").mean
    {'IDCG': 3.6309297535714578, 'IDCG@1': 3.0}
    """
    best = ideal_ranking(hits, gain).top(k)
    if ideal == "returned":
        best = best.where(best.rank <= hits.returned[best.query])
    return best.sum(_discounted(best, gain, log_base))


@measure(
    "nDCG",
    "ndcg_cut",
    formula="DCG@k / IDCG@k; 0 where IDCG is 0",
    source=f"{CUMULATED}; {EXPONENTIAL}; trec_eval ndcg, ndcg_cut",
)
def ndcg(
    hits: Hits,
    *,
    k: int | None = None,
    gain: Gain = "linear",
    log_base: Base = 2,
    ideal: Ideal = "full",
    ties: Ties = "ordered",
) -> PerQuery:
    """How close the list comes to the best possible one, the top counting most and better grades more.

    `gain` is "linear" (the grade), "exp" (2^grade − 1), "binary" (1 above 0) or a mapping {grade: gain};
    `ideal="returned"` compares with the best list of the same length; `ties="averaged"` is as in DCG.

    >>> import truerank as tr
    >>> scores = tr.evaluate({"q": {"a": 1, "b": 2}}, {"q": {"a": 3.0, "b": 2.0}}, "nDCG@10")
    >>> scores["nDCG@10"].round(4).tolist()
    [0.8597]
    """
    return ratio(
        dcg(hits, k=k, gain=gain, log_base=log_base, ties=ties),
        ideal_dcg(hits, k=k, gain=gain, log_base=log_base, ideal=ideal),
    )


@measure(
    "nDCGrel",
    "ndcg_rel",
    formula="mean over documents with a gain of nDCG at their rank; for one not found, of the whole list",
    source="trec_eval ndcg_rel",
)
def ndcg_at_relevant(hits: Hits, *, gain: Gain = "linear") -> PerQuery:
    """nDCG averaged over the ranks at which the documents with a gain came back.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1}}, {"q": ["x", "y", "a"]}, "nDCGrel").mean
    {'nDCGrel': 0.5}
    """
    ideal = ideal_ranking(hits, gain)
    got = hits.running_sum(_discounted(hits, gain))
    best = ideal.running_sum(_discounted(ideal, gain))
    gained = gains(hits.grade, gain) > 0
    at = np.where(gained, ratio(got, ideal.running_at(best, hits.query, hits.rank)), 0.0)
    missed = ideal.count - hits.where(gained).count
    rest = ratio(missed * hits.last_value(got), ideal.last_value(best))
    return ratio(np.maximum(hits.sum(at) + rest, 0.0), ideal.count)


@measure(
    "Rndcg",
    formula="mean of nDCG at the ranks where the ideal gain falls, and at the end of a list over one longer",
    source="trec_eval Rndcg",
)
def r_ndcg(hits: Hits, *, level: float = 1, gain: Gain = "linear") -> PerQuery:
    """nDCG averaged over the ranks at which an ideal list runs out of one grade and goes on to the next.

    >>> import truerank as tr
    >>> round(tr.evaluate({"q": {"a": 2, "b": 1}}, {"q": ["a", "x"]}, "Rndcg").mean["Rndcg"], 4)
    0.8801
    """
    ideal = ideal_ranking(hits, gain)
    got, best = hits.running_sum(_discounted(hits, gain)), ideal.running_sum(_discounted(ideal, gain))
    worth = gains(ideal.grade, gain)
    falls = (np.diff(worth, append=0) != 0) | (np.diff(ideal.query, append=-1) != 0)
    levels = ideal.where(falls)
    at_falls = ratio(hits.running_at(got, levels.query, levels.rank), best[falls])
    beyond = hits.returned > ideal.count + 1
    at_end = np.where(beyond, ratio(hits.last_value(got), ideal.last_value(best)), 0.0)
    points = np.where(ideal.count > 0, levels.count + beyond, 0)
    return np.where(hits.relevant_total(level) > 0, ratio(levels.sum(at_falls) + at_end, points), 0.0)


@measure(
    "G",
    formula="Σ g_i / log2(2 + cost_i − got_i) / Σ ideal; cost = running sum of max(ideal, 1), got = of g",
    source="trec_eval G",
)
def normalised_g(hits: Hits, *, gain: Gain = "linear") -> PerQuery:
    """The gain of the list, each document discounted by the gain missed before it rather than by its rank.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 1}}, {"q": ["a", "x", "y", "b"]}, "G").mean
    {'G': 0.75}
    """
    ideal = ideal_ranking(hits, gain)
    worth, best = gains(hits.grade, gain), gains(ideal.grade, gain)
    cost = ideal.running_at(ideal.running_sum(np.maximum(best, 1.0)), hits.query, hits.rank)
    cost += np.maximum(hits.rank - ideal.count[hits.query], 0)
    got = hits.running_sum(worth)
    return ratio(hits.sum(worth / log2(2 + cost - got)), ideal.sum(best))
