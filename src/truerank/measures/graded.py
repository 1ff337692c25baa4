"""Measures that know how relevant a document is."""

from __future__ import annotations

from typing import Literal

import numpy as np

from truerank.core.hits import Bools, Hits
from truerank.core.messages import Message, joined, message
from truerank.measures.discounts import check_base, discounted, discounted_terms, shown, weights
from truerank.measures.gains import gains, ideal_ranking
from truerank.measures.parameters import Amount, Base, Discount, Gain
from truerank.measures.registry import measure
from truerank.measures.sums import Floats, PerQuery, log2, ratio
from truerank.measures.terms import Quantity, Terms, Words, called, per_row, whole, wholes

CUMULATED = 'Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", TOIS 2002'
LOGARITHM = "log2(i + 1) and gain='exp': Burges et al., ICML 2005"


Ties = Literal["ordered", "averaged"]
"""Equal scores: by the tie rule, or the mean over all their orders."""

Ideal = Literal["full", "returned"]
"""How long the ideal list is: as there are judged documents, or no longer than the answer."""


GRADE, EXPONENTIAL, OWN = message("grade"), message("(2^grade − 1)"), message("gain")


def _named(gain: Gain) -> Message:
    """What a gain is called in the steps."""
    return {"linear": GRADE, "exp": EXPONENTIAL}.get(gain, OWN) if isinstance(gain, str) else OWN


def _averaged(hits: Hits, k: int | None, worth: Floats, gain: Gain, discount: Discount, log_base: float) -> Terms:
    """Each gain times what the ranks of its group of equal scores weigh on average within the first k."""
    lowest = int(hits.last.max(initial=0))
    deepest = lowest if k is None else min(k, lowest)
    weight = weights(np.arange(1, deepest + 1), discount, log_base)
    below = np.add.accumulate(np.concatenate([[0.0], weight]))
    shared = below[np.minimum(hits.last, deepest)] - below[np.minimum(hits.first - 1, deepest)]
    tied = worth * shared / (hits.last - hits.first + 1)
    alone = discounted(hits, worth, discount, log_base)

    def words() -> Words:
        by_itself = shown(hits, worth, discount, log_base)[1]

        def how(row: int) -> tuple[str, tuple[float, ...]]:
            size = hits.last[row] - hits.first[row] + 1
            return by_itself(row) if size == 1 else ("{} × {} / {}", (whole(worth[row]), shared[row], size))

        return Words(joined(" ", [_named(gain), message("× mean discount of its equals")]), how)

    values = np.where(hits.tied, tied, np.where(hits.rank <= deepest, alone, 0.0))
    return Terms(hits, values, words=words)


@measure(
    "DCG",
    unit=False,
    dcg_burges={"gain": "exp"},
    CG={"discount": "none"},
    formula="Σ_{i≤k} g(r_i) / log_b(i + 1); jk: / max(log_b i, 1); reciprocal: / i; none: / 1; "
    "list: times the weight of i",
    meanings={"discount=none": "The worth of the list: the sum of the gains, wherever they stand."},
    source=f"{CUMULATED}, whose own is discount='jk'; {LOGARITHM}",
    takes_unjudged_grades=True,
    monotone="rising",
)
def dcg(
    hits: Hits,
    *,
    k: int | None = None,
    gain: Gain = "linear",
    gain_from: Amount = 0,
    discount: Discount = "log2",
    log_base: Base = 2,
    ties: Ties = "ordered",
) -> Terms:
    """The worth of the list to a reader who grows tired: the sum of the gains, each discounted by its rank.

    `discount="jk"` is Järvelin and Kekäläinen's own, 1 up to rank b, as LensKit has it. Grades below
    `gain_from` gain nothing (ranx' -l). `ties="averaged"`: over all orders of ties (McSherry and Najork, 2008).

    >>> import truerank as tr
    >>> asked = ["DCG(gain='exp')@2", "DCG(log_base=10)", "DCG(discount='jk', log_base=10)"]
    >>> [round(value, 2) for value in tr.evaluate({"q": {"a": 1}}, {"q": ["a"]}, asked).mean.values()]
    [1.0, 3.32, 1.0]
    """
    check_base(discount, log_base)
    if ties == "averaged":
        every = hits.with_beyond  # a document that the depth cuts off is above it in other orders
        worth = gains(every.grade, gain, gain_from)
        return _averaged(every, hits.limit(k), worth, gain, discount, log_base)
    top = hits.top(k)
    return discounted_terms(top, gains(top.grade, gain, gain_from), _named(gain), discount, log_base)


@measure(
    "IDCG",
    "ideal_dcg",
    unit=False,
    formula="DCG@k of all that is judged, best first",
    source=CUMULATED,
    takes_unjudged_grades=True,
    monotone="rising",
)
def ideal_dcg(
    hits: Hits,
    *,
    k: int | None = None,
    gain: Gain = "linear",
    gain_from: Amount = 0,
    discount: Discount = "log2",
    log_base: Base = 2,
    ideal: Ideal = "full",
) -> Terms:
    """The largest DCG that any list could have; with `ideal="returned"`, that any list of this length could have.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 3}}, {"q": ["x"]}, "IDCG IDCG@1").mean
    {'IDCG': 3.6309297535714578, 'IDCG@1': 3.0}
    """
    check_base(discount, log_base)
    best = ideal_ranking(hits, gain, gain_from).top(k)
    if ideal == "returned":
        best = best.where(best.rank <= hits.returned[best.query])
    terms = discounted_terms(best, gains(best.grade, gain), _named(gain), discount, log_base)
    return called(terms, words=message("the sum, over the best possible list"), is_ideal=True)


@measure(
    "nDCG",
    "ndcg_cut",
    ndcg_burges={"gain": "exp"},
    NCG={"discount": "none"},
    formula="DCG@k / IDCG@k; 0 where IDCG is 0",
    source=f"{CUMULATED}, whose own is discount='jk'; {LOGARITHM}; trec_eval ndcg, ndcg_cut",
    meanings={
        "discount=none": "How much of the gain that the list could have it has, wherever it stands.",
        "ideal=returned": "How close the list comes to the best possible one of its length, the top counting most.",
        "gain=binary": "How close the list comes to the best one, the top counting most; grades are yes or no.",
        "ties=averaged": "How close the list comes to the best one, on average over all orders of equal scores.",
    },
    divides_by="gain",
    takes_unjudged_grades=True,
    monotone="ordered",
    sees_judged=False,
)
def ndcg(
    hits: Hits,
    *,
    k: int | None = None,
    gain: Gain = "linear",
    gain_from: Amount = 0,
    discount: Discount = "log2",
    log_base: Base = 2,
    ideal: Ideal = "full",
    ties: Ties = "ordered",
) -> Terms:
    """How close the list comes to the best possible one, the top counting most and better grades more.

    `gain` is "linear" (the grade), "exp" (2^grade − 1), "binary" (1 from `gain_from` on, else from the level of the
    rules; of measures without `gain_from` above 0) or a mapping {grade: gain}, where a grade that is not in it
    gains itself; `ideal="returned"` compares with the best list of the same length; the others are as in DCG.

    >>> import truerank as tr
    >>> scores = tr.evaluate({"q": {"a": 1, "b": 2}}, {"q": {"a": 3.0, "b": 2.0}}, "nDCG@10")
    >>> scores["nDCG@10"].round(4).tolist()
    [0.8597]
    """
    got = dcg(hits, k=k, gain=gain, gain_from=gain_from, discount=discount, log_base=log_base, ties=ties)
    best = ideal_dcg(hits, k=k, gain=gain, gain_from=gain_from, discount=discount, log_base=log_base, ideal=ideal)
    best = called(best, name="IDCG", words=message("the sum over the best possible list"))
    return called(got, best, name="DCG", words=message("the sum over what was returned"))


def cumulated(hits: Hits, gain: Gain) -> tuple[Hits, Floats, Floats]:
    """The ideal ranking; (hits,) the DCG down to each hit; (ideal,) the same of the ideal ranking."""
    ideal = ideal_ranking(hits, gain)
    got = hits.running_sum(discounted(hits, gains(hits.grade, gain)))
    return ideal, got, ideal.running_sum(discounted(ideal, gains(ideal.grade, gain)))


def is_last_of_gain(ideal: Hits, gain: Gain) -> Bools:
    """(ideal,) whether the next document of the ideal ranking gains less, or there is none."""
    worth = gains(ideal.grade, gain)
    is_last: Bools = (np.diff(worth, append=0) != 0) | (np.diff(ideal.query, append=-1) != 0)
    return is_last


@measure(
    "nDCGrel",
    "ndcg_rel",
    formula="mean over documents with a gain of nDCG at their rank; for one not found, of the whole list",
    source="trec_eval ndcg_rel",
    divides_by="gain",
    monotone="ordered",
    sees_judged=False,
)
def ndcg_at_relevant(hits: Hits, *, gain: Gain = "linear") -> PerQuery:
    """nDCG averaged over the ranks at which the documents with a gain were returned.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1}}, {"q": ["x", "y", "a"]}, "nDCGrel").mean
    {'nDCGrel': 0.5}
    """
    ideal, got, best = cumulated(hits, gain)
    gained = gains(hits.grade, gain) > 0
    at = np.where(gained, ratio(got, ideal.running_at(best, hits.query, hits.rank)), 0.0)
    missed = ideal.count - hits.where(gained).count
    rest = ratio(missed * hits.last_value(got), ideal.last_value(best))
    return ratio(np.maximum(hits.sum(at) + rest, 0.0), ideal.count)


@measure(
    "Rndcg",
    formula="mean of nDCG at the ranks where the ideal gain falls, and at the end of a list over one longer",
    source="trec_eval Rndcg",
    divides_by="relevant",
    monotone="ordered",
    sees_judged=False,
)
def r_ndcg(hits: Hits, *, level: float = 1, gain: Gain = "linear") -> PerQuery:
    """nDCG averaged over the ranks at which an ideal list runs out of one grade and goes on to the next.

    >>> import truerank as tr
    >>> round(tr.evaluate({"q": {"a": 2, "b": 1}}, {"q": ["a", "x"]}, "Rndcg").mean["Rndcg"], 4)
    0.8801
    """
    ideal, got, best = cumulated(hits, gain)
    falls = is_last_of_gain(ideal, gain)
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
    divides_by="gain",
    monotone="no",
    sees_judged=False,
)
def normalised_g(hits: Hits, *, gain: Gain = "linear") -> Terms:
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
    missed = np.maximum(cost - got, 0.0)  # repeats that count can gain more than there is
    most = ideal.sum(best)

    def words() -> Words:
        divisor = Quantity(message("gains"), message("of all that is judged"), np.array(wholes(most)))
        how = per_row("{} / log2(2 + {} − {})", wholes(worth), wholes(cost), wholes(got))
        return Words(message("gain / log2(2 + cost − gained)"), how, divisor, listed=worth)

    return Terms(hits, worth / log2(2 + missed), most, words)
