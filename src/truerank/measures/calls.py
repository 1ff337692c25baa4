"""Measures of several lists per query: what each call of an agent, or each query of a session, adds."""

from __future__ import annotations

import math

import numpy as np

from truerank.core.hits import Hits
from truerank.core.messages import message
from truerank.measures.discounts import check_base, weights
from truerank.measures.gains import gains, ideal_ranking
from truerank.measures.parameters import Amount, Base, Discount, Gain
from truerank.measures.registry import measure
from truerank.measures.sums import Floats, Ints, PerQuery, log2
from truerank.measures.terms import Terms, Words, count_of, once_each, per_row, relevant, wholes

SESSION = "Järvelin, Price, Delcambre and Nielsen, Discounted cumulated gain of multiple-query sessions, ECIR 2008"


def _rank(hits: Hits) -> Ints:
    """(hits,) the rank of each within its call."""
    calls = hits.calls
    assert calls is not None  # what `needs` says
    return hits.rank - calls.before(calls.of(hits.query, hits.rank))


@measure(
    "CallRecall",
    "call_recall",
    at="calls",
    formula="relevant documents that the first c calls returned / R",
    source="recall over the union of several lists; Järvelin et al., ECIR 2008, for sessions",
    divides_by="relevant",
    monotone="stepped",
    needs="calls",
)
def call_recall(hits: Hits, *, calls: int, level: float = 1) -> Terms:
    """The share of the relevant documents that a system has found after so many calls.

    >>> import truerank as tr
    >>> run = {"q": [["x", "a"], ["a", "b"]]}
    >>> tr.evaluate({"q": {"a": 1, "b": 1}}, run, "CallRecall@1 CallRecall@2").mean
    {'CallRecall@1': 0.5, 'CallRecall@2': 1.0}
    """
    once, total = once_each(hits.relevant(level)), hits.relevant_total(level)

    def words() -> Words:
        r = relevant(total)
        within = message("relevant documents that the first {a} calls returned")
        return count_of(within, calls, divisor=r, given=(r,), lost_from=level)

    return Terms(once.where(once.call <= calls), None, total, words)


@measure(
    "FirstComplete",
    "first_complete",
    at="calls",
    unit=False,
    formula="the first call after which all R relevant documents are found; c + 1 if c calls do not find them all",
    source="the rank of the last relevant document (mINP: Ye et al., TPAMI 2022), in calls",
    divides_by="relevant",
    monotone="stepped",
    needs="calls",
    lower_is_better=True,
)
def first_complete(hits: Hits, *, calls: int, level: float = 1) -> PerQuery:
    """After which call all evidence is found, c + 1 if not after the first c calls; less is better.

    >>> import truerank as tr
    >>> run = {"q": [["x", "a"], ["b"]], "r": [["x"], ["y"], ["z"]]}
    >>> tr.evaluate({"q": {"a": 1, "b": 1}, "r": {"c": 1}}, run, "FirstComplete@5")["FirstComplete@5"].tolist()
    [2.0, 6.0]
    """
    once, total = once_each(hits.relevant(level)), hits.relevant_total(level)
    within = once.where(once.call <= calls)
    is_complete = (total > 0) & (within.count == total)
    return np.where(is_complete, within.last_value(within.call), calls + 1.0)


@measure(
    "SessionDCG",
    unit=False,
    formula="Σ over calls c and ranks i ≤ k of g(r_ci) / log_b(i + 1) / (1 + log_bq c)",
    source=SESSION,
    monotone="rising",
    needs="calls",
)
def session_dcg(
    hits: Hits,
    *,
    k: int | None = None,
    calls: int | None = None,
    bq: Base = 4,
    gain: Gain = "linear",
    gain_from: Amount = 0,
    discount: Discount = "log2",
    log_base: Base = 2,
) -> Terms:
    """The worth of a session: the DCG of the first k documents of each call, discounted by the call's number.

    A document gains where it came first; under duplicates = "once" its repeats keep their ranks, under "count" they
    gain again, as in the paper. `bq` is the base of the calls' discount; `discount` is as for DCG.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 1}}, {"q": [["a"], ["b"]]}, "SessionDCG@10 SessionDCG(bq=2)").mean
    {'SessionDCG@10': 1.6666666666666665, 'SessionDCG(bq=2)': 1.5}
    """
    check_base(discount, log_base)
    rank = _rank(hits)
    rows = np.flatnonzero((rank <= _most(k)) & (hits.call <= _most(calls)))
    read = hits.where(rows)
    worth = gains(read.grade, gain, gain_from)
    weight = _weights(rank[rows], read.call, discount, log_base, bq)

    def words() -> Words:
        of_rank, of_call = weights(rank[rows], discount, log_base), _tired(read.call, bq)
        how = per_row("{} × {} / {}", wholes(worth), of_rank, of_call)
        of = message("gain × weight of its rank / (1 + log{bq} of its call)", bq=f"{bq:g}")
        return Words(of, how, listed=worth)

    return Terms(read, worth * weight, words=words)


def _most(number: int | None) -> float:
    return math.inf if number is None else number


def _weights(rank: Ints, call: Ints, discount: Discount, log_base: float, bq: float) -> Floats:
    """(ranks,) what a gain of 1 is worth at a rank of a call."""
    return weights(rank, discount, log_base) / _tired(call, bq)


def _tired(call: Ints, bq: float) -> Floats:
    """(calls,) what a gain is divided by in each."""
    return 1.0 + log2(call) / math.log2(bq)


@measure(
    "nSessionDCG",
    "nsDCG",
    formula="SessionDCG@k / that of the best session: best grades first, where rank and call weigh most",
    source=f"{SESSION}; Kanoulas, Carterette, Clough and Sanderson, Evaluating multi-query sessions, SIGIR 2011",
    divides_by="gain",
    monotone="ordered",
    sees_judged=False,
    needs="calls",
)
def normalized_session_dcg(
    hits: Hits,
    *,
    k: int | None = None,
    calls: int | None = None,
    bq: Base = 4,
    gain: Gain = "linear",
    gain_from: Amount = 0,
    discount: Discount = "log2",
    log_base: Base = 2,
) -> Terms:
    """How near a session comes to the best one: its SessionDCG divided by the largest with k documents per call.

    The best session makes as many calls as help it, up to `calls`; it is the same for all systems.

    >>> import truerank as tr
    >>> run = {"q": [["b"], ["a"]]}
    >>> scores = tr.evaluate({"q": {"a": 2, "b": 1}}, run, "nSessionDCG@1 nSessionDCG(calls=1)@1")
    >>> [round(value, 4) for value in scores.mean.values()]
    [0.875, 0.5]
    """
    got = session_dcg(
        hits, k=k, calls=calls, bq=bq, gain=gain, gain_from=gain_from, discount=discount, log_base=log_base
    )
    ideal = ideal_ranking(hits, gain, gain_from)
    worth = gains(ideal.grade, gain, gain_from)
    best = np.append(_best(int(ideal.count.max(initial=0)), k, calls, discount, log_base, bq), 0.0)
    weight = best[np.minimum(ideal.ordinal, len(best)) - 1]

    def words() -> Words:
        how = per_row("{} × {}", wholes(worth), weight)
        return Words(
            message("gain × next best weight"),
            how,
            name=message("ideal"),
            words=message("the best session"),
            is_ideal=True,
        )

    return got._replace(divisor=Terms(ideal, worth * weight, words=words))


def _best(n: int, k: int | None, calls: int | None, discount: Discount, log_base: float, bq: float) -> Floats:
    """The n largest weights that ranks and calls have; of those that k and calls leave, where these are fewer.

    Rank r of call c has r × c − 1 others before it that weigh as much or more, so that most need not be looked at.
    """
    pairs = [
        (r, c) for c in range(1, int(min(n, _most(calls))) + 1) for r in range(1, int(min(n // c, _most(k))) + 1)
    ]
    rank, call = np.array(pairs, np.int64).reshape(-1, 2).T
    return np.sort(_weights(rank, call, discount, log_base, bq))[::-1][:n]
