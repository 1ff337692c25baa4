"""Measures of NTCIR: the blended ratio of what was found to what could have been, where a reader stops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from truerank.core.hits import Bools, Hits
from truerank.core.messages import message
from truerank.measures.gains import gains, ideal_ranking
from truerank.measures.parameters import Amount, Gain, Share
from truerank.measures.registry import measure
from truerank.measures.sums import Floats, Ints, powers
from truerank.measures.terms import Quantity, Terms, Words, relevant, smaller, whole

BLENDED = "BR(i) = (N_i + β G_i) / (i + β G*_i): relevant by rank i and their gain, and that of the best list"

ONE = "Sakai, On the properties of evaluation metrics for finding one highly relevant document, IPSJ TOD 2007"

MANY = "Sakai and Robertson, Modelling a user population for designing information retrieval metrics, EVIA 2008"


@dataclass(frozen=True, eq=False)
class Blend:
    """Relevant documents that were returned, each with its blended ratio.

    Attributes:
        rows: the documents.
        n, got: (rows,) how many there are down to each, and what they gain.
        most: (rows,) what the best possible list gains down to its rank.
        beta: how much gains weigh beside counts.
    """

    rows: Hits
    n: Ints
    got: Floats
    most: Floats
    beta: float

    @classmethod
    def of(cls, hits: Hits, beta: float, gain: Gain, level: float) -> Blend:
        """The blend of all relevant documents that were returned."""
        rows, ideal = hits.relevant(level), ideal_ranking(hits, gain, level)
        best = ideal.running_sum(gains(ideal.grade, gain))
        most = ideal.running_at(best, rows.query, rows.rank)
        return cls(rows, rows.ordinal, rows.running_sum(gains(rows.grade, gain)), most, beta)

    def where(self, keep: Bools) -> Blend:
        """These rows alone, each with its ratio as it was."""
        return Blend(self.rows.where(keep), self.n[keep], self.got[keep], self.most[keep], self.beta)

    @property
    def ratio(self) -> Floats:
        """(rows,) the blended ratio."""
        return (self.n + self.beta * self.got) / (self.rows.rank + self.beta * self.most)

    def mean(self, over: Ints, divisor: Quantity, lost_from: float | None = None) -> Terms:
        """The sum of the ratios, divided by one number per query."""

        def words() -> Words:
            of = message("blended ratio")
            return Words(of, self._how, divisor, "Σ", lost_from=lost_from)

        return Terms(self.rows, self.ratio, over, words)

    def weighted(self, weight: Floats, total: Floats, lost_from: float) -> Terms:
        """The sum of the ratios, each times a weight, divided by the sum of the weights."""

        def how(row: int) -> tuple[str, tuple[float, ...]]:
            text, numbers = self._how(row)
            return f"{{}} × {text}", (whole(weight[row]), *numbers)

        def words() -> Words:
            of = message("weight × blended ratio")
            every = Quantity("W", message("the weights of all relevant documents, found or not"), total)
            return Words(of, how, every, "Σ", lost_from=lost_from)

        return Terms(self.rows, weight * self.ratio, total, words)

    def _how(self, row: int) -> tuple[str, tuple[float, ...]]:
        text = f"({{}} + {self.beta} × {{}}) / ({{}} + {self.beta} × {{}})"
        return text, (self.n[row], whole(self.got[row]), self.rows.rank[row], whole(self.most[row]))


@measure(
    "Q",
    "Q-measure",
    "QMeasure",
    formula=f"Σ over relevant at i ≤ k of BR(i) / min(R, k); {BLENDED}",
    source="Sakai and Song, Evaluating diversified search results using per-intent graded relevance, SIGIR 2011",
    divides_by="relevant",
    monotone="ordered",
    sees_judged=False,
)
def q_measure(
    hits: Hits, *, k: int | None = None, beta: Amount = 1, gain: Gain = "linear", level: float = 1
) -> Terms:
    """Average precision for graded relevance: the blended ratio, of counts and gains, at each relevant document.

    With `beta=0` it is AP. `gain` is as in nDCG; NTCIREVAL's -g 1:3 is gain={1: 1, 2: 3}.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 3}}, {"q": ["a", "x", "b"]}, "Q Q(beta=0)").mean
    {'Q': 0.6785714285714286, 'Q(beta=0)': 0.8333333333333333}
    """
    total = hits.relevant_total(level)
    blend = Blend.of(hits.top(k), beta, gain, level)
    if k is None:
        return blend.mean(total, relevant(total), level)
    return blend.mean(np.minimum(total, k), smaller(relevant(total), k), level)


@measure(
    "O",
    "O-measure",
    "OMeasure",
    formula=f"BR(i) at the first relevant; {BLENDED}",
    source=ONE,
    divides_by="relevant",
    monotone="no",
    sees_judged=False,
)
def o_measure(hits: Hits, *, beta: Amount = 1, gain: Gain = "linear", level: float = 1) -> Terms:
    """The blended ratio, of counts and gains, at the first relevant document.

    `gain` is as in Q.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 3}}, {"q": ["x", "a", "b"]}, "O").mean
    {'O': 0.3333333333333333}
    """
    blend = Blend.of(hits, beta, gain, level)
    return _at_stop(blend, blend.n == 1)


def _best(blend: Blend) -> Ints:
    """(queries,) the rank of the first of the best documents that were returned; 0 without any."""
    rows = blend.rows
    highest = np.full(len(rows.queries), -np.inf)
    np.maximum.at(highest, rows.query, rows.grade)
    best = rows.where(rows.grade == highest[rows.query])
    first = best.where(best.ordinal == 1)
    return first.last_value(first.rank).astype(np.int64)


def _at_stop(blend: Blend, keep: Bools) -> Terms:
    """The mean of the ratios of these rows."""
    kept = blend.where(keep)
    n = kept.rows.count
    return kept.mean(n, Quantity("N", message("relevant documents where a reader could stop"), n))


@measure(
    "PMeasure",
    "P-measure",
    formula=f"BR(i) at the first document of the best grade that was returned; {BLENDED}",
    source=ONE,
    divides_by="relevant",
    monotone="no",
    sees_judged=False,
)
def p_measure(hits: Hits, *, beta: Amount = 1, gain: Gain = "linear", level: float = 1) -> Terms:
    """The blended ratio, of counts and gains, at the first of the best documents that were returned.

    `gain` is as in Q.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 3}}, {"q": ["x", "a", "b"]}, "PMeasure").mean
    {'PMeasure': 0.8571428571428571}
    """
    blend = Blend.of(hits, beta, gain, level)
    return _at_stop(blend, blend.rows.rank == _best(blend)[blend.rows.query])


@measure(
    "Pplus",
    "P+",
    "P-plus",
    "PPlusMeasure",
    formula=f"mean of BR(i) at the relevant down to the first of the best grade that was returned; {BLENDED}",
    source=ONE,
    divides_by="relevant",
    monotone="no",
    sees_judged=False,
)
def p_plus(hits: Hits, *, beta: Amount = 1, gain: Gain = "linear", level: float = 1) -> Terms:
    """P+: the mean blended ratio, of counts and gains, at relevant documents down to the best one returned.

    `gain` is as in Q.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 3}}, {"q": ["x", "a", "b"]}, "P+").mean
    {'Pplus': 0.5952380952380952}
    """
    blend = Blend.of(hits, beta, gain, level)
    return _at_stop(blend, blend.rows.rank <= _best(blend)[blend.rows.query])


@measure(
    "NCU",
    NCUguBR={},
    NCUguP={"beta": 0},
    NCUrbBR={"stop": "rank-biased"},
    NCUrbP={"stop": "rank-biased", "beta": 0},
    formula=f"Σ over relevant at i of s_i BR(i) / Σ s; s: by grade, or γ^(N_i − 1); {BLENDED}",
    source=MANY,
    meanings={
        "stop=rank-biased": "The expected blended ratio where readers stop: at early relevant documents more often."
    },
    divides_by="relevant",
    monotone="no",
    sees_judged=False,
)
def normalised_cumulative_utility(
    hits: Hits,
    *,
    stop: Literal["graded", "rank-biased"] = "graded",
    beta: Amount = 1,
    gamma: Share = 0.95,
    gain: Gain = "linear",
    stops: Gain | None = None,
    level: float = 1,
) -> Terms:
    """The expected blended ratio where readers stop: at relevant documents, at better ones more often.

    `stop` says how likely they stop there: as `stops` weighs the grade, which is by `gain` unless given, or by
    `gamma` less at each. `beta=0` is precision. NTCIREVAL's NCUgu,P, NCUgu,BR, NCUrb,P and NCUrb,BR.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 3}}, {"q": ["x", "b"]}, "NCUguP NCUrbP(gamma=0.5)").mean
    {'NCU(beta=0)': 0.375, "NCU(stop='rank-biased', beta=0, gamma=0.5)": 0.3333333333333333}
    """
    blend = Blend.of(hits, beta, gain, level)
    if stop == "graded":
        scale = gain if stops is None else stops
        judged = hits.ideal.relevant(level)
        return blend.weighted(gains(blend.rows.grade, scale), judged.sum(gains(judged.grade, scale)), level)
    total = hits.relevant_total(level)
    below = np.add.accumulate(np.concatenate([[0.0], powers(gamma, np.arange(total.max(initial=0)))]))
    return blend.weighted(powers(gamma, blend.n - 1), below[total], level)
