"""Measures of a reader who walks down the list and stops."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

import numpy as np

from truerank.core.errors import MeasureError
from truerank.core.hits import Hits
from truerank.core.messages import message
from truerank.measures.gains import best_first, from_grade_on, gains, ideal_ranking
from truerank.measures.parameters import Amount, Chances, Gain, Share
from truerank.measures.registry import measure
from truerank.measures.sums import Floats, Ints, PerQuery, by_value, powers, ratio
from truerank.measures.terms import PerRow, Quantity, Terms, Words, called, per_row, whole


@measure(
    "RBP",
    formula="(1 − p) Σ_{i≤k} g_i p^(i−1)",
    source="Moffat and Zobel, Rank-biased precision for measurement of retrieval effectiveness, TOIS 2008",
    takes_unjudged_grades=True,
    monotone="rising",
    monotone_with={"gain=scaled": "ordered"},
)
def rank_biased_precision(
    hits: Hits,
    *,
    k: int | None = None,
    p: Share = 0.8,
    level: float = 1,
    gain: Literal["binary", "graded", "scaled"] = "binary",
    max_grade: Amount | None = None,
) -> PerQuery:
    """The expected gain per document read, when each next one is read with probability p.

    `gain` is "binary" (1 from `level` on), "graded" (the grade by `max_grade`, or the collection's highest), or
    "scaled" (the grade by the query's highest where that is above 1, as trec_eval 10 means to).

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 2}}, {"q": ["a", "b"]}, "RBP(p=0.5) RBP(p=0.5, gain='graded')").mean
    {'RBP(p=0.5)': 0.75, "RBP(p=0.5, gain='graded')": 0.5}
    """
    top = hits.top(k)
    return (1.0 - p) * top.sum(unit_gain(top, gain, level, max_grade) * powers(p, top.rank - 1))


def unit_gain(hits: Hits, gain: str, level: float, max_grade: float | None) -> Floats:
    """(hits,) the gain of each document, between 0 and 1."""
    if gain == "binary":
        return (hits.grade >= level).astype(np.float64)
    if gain == "graded":
        highest: float | Floats = hits.max_grade if max_grade is None else max_grade
    else:
        best = hits.ideal.top(1)
        highest = np.maximum(best.sum(best.grade), 1.0)[hits.query]
    return ratio(np.clip(hits.grade, 0.0, highest), highest)


CHAPELLE = "Chapelle, Metzler, Zhang and Grinspan, Expected reciprocal rank for graded relevance, CIKM 2009"


@measure(
    "ERR",
    "expected_reciprocal_rank",
    formula="Σ_{i≤k} 1/i · R_i Π_{j<i} (1 − R_j), R = (2^g − 1) / 2^max; by another gain: gain / (highest + 1)",
    source=CHAPELLE,
    takes_unjudged_grades=True,
    monotone="rising",
)
def expected_reciprocal_rank(
    hits: Hits, *, k: int | None = None, max_grade: Amount | None = None, gain: Gain = "exp"
) -> Terms:
    """The reciprocal rank at which a reader is satisfied, when a better grade satisfies more often.

    `max_grade` is the highest grade that could be given; the highest in the qrels unless said otherwise.
    A `gain` of "linear", "binary" or a mapping {grade: gain} is that of NTCIREVAL.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 2}}, {"q": ["a", "b"]}, "ERR ERR(max_grade=4)@1").mean
    {'ERR': 0.53125, 'ERR(max_grade=4)@1': 0.0625}
    """
    top = hits.top(k)
    satisfied, reaching = stopping(top, max_grade, gain)

    def words() -> Words:
        how = per_row("{} × {} / {}", satisfied, reaching, top.rank)
        return _stops(hits, max_grade, gain, message("R × (nobody stopped before) / rank"), how, satisfied)

    return Terms(top, satisfied * reaching / top.rank, words=words)


@measure(
    "nERR",
    formula="ERR@k / ERR@k of all that is judged, best first",
    source=f"{CHAPELLE}; NTCIREVAL nERR",
    divides_by="gain",
    takes_unjudged_grades=True,
    monotone="no",
    sees_judged=False,
)
def normalised_reciprocal_rank(
    hits: Hits, *, k: int | None = None, max_grade: Amount | None = None, gain: Gain = "exp"
) -> Terms:
    """The reciprocal rank at which a reader is satisfied, divided by that of the best possible list.

    It is ERR by that of all that is judged, best first; the parameters are those of ERR.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 2}}, {"q": ["a", "x"]}, "nERR@2").mean
    {'nERR@2': 0.32}
    """
    got = expected_reciprocal_rank(hits, k=k, max_grade=max_grade, gain=gain)
    best = expected_reciprocal_rank(_most_satisfying(hits, max_grade, gain), k=k, max_grade=max_grade, gain=gain)
    words = message("the sum over the best possible list")
    return called(got, called(best, name="IERR", words=words, is_ideal=True, given=()), name="ERR")


@measure(
    "iRBU",
    formula="Σ_{i≤k} p^i · R_i Π_{j<i} (1 − R_j), R as in ERR",
    source="Sakai and Zeng, Which diversity evaluation measures are good?, SIGIR 2019; Amigó et al., SIGIR 2018",
    takes_unjudged_grades=True,
    monotone="rising",
)
def rank_biased_utility(
    hits: Hits, *, k: int | None = None, p: Share = 0.99, max_grade: Amount | None = None, gain: Gain = "exp"
) -> Terms:
    """The expected patience left to a reader when a document satisfies them: each rank leaves p of it.

    `max_grade` and `gain` are as in ERR.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 2}}, {"q": ["a", "b"]}, "iRBU(p=0.5)").mean
    {'iRBU(p=0.5)': 0.265625}
    """
    top = hits.top(k)
    satisfied, reaching = stopping(top, max_grade, gain)
    left = powers(p, top.rank)

    def words() -> Words:
        def how(row: int) -> tuple[str, tuple[float, ...]]:
            return f"{{}} × {{}} × {p}^{top.rank[row]}", (satisfied[row], reaching[row])

        return _stops(hits, max_grade, gain, message("R × (nobody stopped before) × p^rank"), how, satisfied)

    return Terms(top, satisfied * reaching * left, words=words)


def _most_satisfying(hits: Hits, max_grade: float | None, gain: Gain) -> Hits:
    """The best possible ranking by how likely documents satisfy: of a mapping, what is better may gain less."""
    if not isinstance(gain, Mapping):
        return ideal_ranking(hits, gain)
    highest = hits.max_grade if max_grade is None else max_grade
    return best_first(hits, _satisfaction(hits.judgements.grade, highest, gain), by_grade=False)


def stopping(top: Hits, max_grade: float | None, gain: Gain) -> tuple[Floats, Floats]:
    """(hits,) how likely each document satisfies its reader, and how likely the reader has not stopped before."""
    satisfied = _satisfaction(top.grade, top.max_grade if max_grade is None else max_grade, gain)
    return satisfied, _reaching(top, satisfied)


def _reaching(top: Hits, stops: Floats) -> Floats:
    """(hits,) how likely a reader has not stopped before, whom each document stops with a probability."""
    one_above = np.where(top.ordinal == 1, 0.0, np.roll(stops, 1))
    return top.running_product(1.0 - one_above)


def _satisfaction(grade: Floats, highest: float, gain: Gain) -> Floats:
    """(2^g − 1) / 2^highest, which stays below 1; or another gain by one more than the highest there could be.

    Raises:
        MeasureError: a grade that a mapping does not have, and gains itself, gains more than there could be.
    """
    if gain == "exp":
        return by_value(lambda g: 2.0 ** (g - highest) - 2.0**-highest, np.clip(grade, 0.0, highest))
    known, most = np.minimum(grade, highest), _most(highest, gain)
    worth = gains(known, gain)
    if (above := known[worth > most]).size:
        raise MeasureError(
            "grade {grade:g} is not in the mapping of gains and gains itself, more than the highest grade, "
            "{highest:g}, does: say in the mapping what it gains",
            grade=above.max(),
            highest=highest,
        )
    return worth / (most + 1.0)


def _most(highest: float, gain: Gain) -> float:
    """The highest gain there could be: that of the highest grade, or what a mapping says of a lower one."""
    could_be = [highest, *(each for each in gain if each <= highest)] if isinstance(gain, Mapping) else [highest]
    return float(gains(np.array(could_be, np.float64), gain).max())


def _stops(hits: Hits, max_grade: float | None, gain: Gain, of: str, how: PerRow, satisfied: Floats) -> Words:
    """How a sum over where readers stop is read."""
    best = whole(hits.max_grade if max_grade is None else max_grade)
    most = Quantity(message("max"), message("the highest grade there could be"), best)
    if gain == "exp":
        chance = _satisfaction(np.array([best], np.float64), best, gain)
        r = Quantity("R", message("(2^grade − 1) / 2^{a}, at most"), chance, (best,))
    else:
        chance = np.array([(gained := _most(best, gain)) / (gained + 1.0)])
        r = Quantity("R", message("gain / (highest gain + 1), at most"), chance)
    return Words(of, how, name="Σ", given=(most, r), listed=satisfied)


@measure(
    "PFound",
    formula="Σ_{i≤k} c_i decay^(i−1) Π_{j<i} (1 − c_j), c = grade / max(highest, 1)",
    source="Gulin, Karpovich, Raskovalov and Segalovich, Yandex at ROMIP'2009, ROMIP 2009; CatBoost PFound",
    takes_unjudged_grades=True,
    monotone="rising",
)
def probability_found(
    hits: Hits,
    *,
    k: int | None = None,
    decay: Share = 0.85,
    chance: Chances | None = None,
    max_grade: Amount | None = None,
) -> Terms:
    """The probability that a reader finds what is wanted before giving up, as happens after any document.

    c is how likely a document satisfies: its grade by the highest of the collection (or `max_grade`), if that is
    above 1; or by `chance`, from each grade on, such as Yandex' {4: 0.61, 3: 0.41, 2: 0.14, 1: 0.07}.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 2}}, {"q": ["a", "b"]}, "PFound PFound(chance={2: 0.5})@2").mean
    {'PFound': 0.925, 'PFound(chance={2: 0.5})@2': 0.425}
    """
    top = hits.top(k)
    highest = hits.max_grade if max_grade is None else max_grade
    chances = _chances(top.grade, chance, highest)
    reaching = _reaching(top, chances)

    def how(row: int) -> tuple[str, tuple[float, ...]]:
        return f"{{}} × {{}} × {decay}^{top.rank[row] - 1}", (whole(chances[row]), reaching[row])

    def words() -> Words:
        going = Quantity(message("decay"), message("the chance that the reader goes on"), decay)
        best = () if chance is not None else (whole(max(float(highest), 1.0)),)
        grade, given = message("grade / {a}, at most 1"), message("the chance that is given for its grade")
        c = Quantity("c", grade if best else given, 1.0, best)
        of = message("c × (nobody stopped before) × decay^(rank − 1)")
        return Words(of, how, name="Σ", given=(going, c), listed=chances)

    return Terms(top, chances * reaching * powers(decay, top.rank - 1), words=words)


def _chances(grade: Floats, chance: Chances | None, highest: float) -> Floats:
    """(hits,) how likely each document satisfies the reader."""
    if chance is None:
        return np.clip(grade / max(highest, 1.0), 0.0, 1.0)
    return from_grade_on(chance, grade, 0.0)


PREFERRED = math.ulp(0.0)
"""The lowest grade that is above 0: the documents that the ideal list has."""

OF = message("Σ p^(d − 1) / d of the depths d with both")


@measure(
    "Compat",
    "compatibility",
    formula="Σ_{d≤D} p^(d−1) X_d / d by that of the ideal list with itself, or by Σ p^(d−1); D = max(n, R)",
    source="Clarke, Vtyurina and Smucker, Assessing top-k preferences, TOIS 2021; ir_measures Compat",
    meanings={
        "normalize=False": "How much the list overlaps with the ideal one, the top counting most.",
    },
    divides_by="gain",
    monotone="ordered",
    sees_judged=False,
)
def compatibility(hits: Hits, *, p: Share = 0.95, normalize: bool = True) -> Terms:
    """How much the list overlaps with the ideal one, the top counting most, divided by the largest possible.

    Rank-biased overlap, X_d in common at depth d. The ideal list has all documents above grade 0, higher grades
    first; which of equal ones comes first is free, so it is the list most like this one. Grades are preferences.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 2, "b": 1, "c": 1}}, {"q": ["c", "a"]}, "Compat(p=0.5) Compat(p=0)").mean
    {'Compat(p=0.5)': 0.38095238095238093, 'Compat(p=0)': 0.0}
    """
    ideal = ideal_ranking(hits, "linear")
    rows = hits.where(hits.grade > 0)
    rank = _ideal_ranks(rows, ideal)
    met, deepest = np.maximum(rows.rank, rank), np.maximum(hits.returned, ideal.count)
    below = _running(p, deepest, by_depth=True)
    values = np.where(rank > 0, below[deepest[rows.query]] - below[met - 1], 0.0)
    over: Terms | Floats = _running(p, deepest, by_depth=False)[deepest]
    if normalize:
        best = below[deepest[ideal.query]] - below[ideal.rank - 1]
        over = Terms(ideal, best, words=lambda: _words_of_ideal(ideal))

    def words() -> Words:
        how = per_row(message("rank {a}; {b} in the ideal list"), rows.rank, rank)
        length = Quantity("D", message("the larger of {a} and {b}"), deepest, (hits.returned, ideal.count))
        given = (Quantity("p", message("the chance that the reader goes on"), p), length)
        weight = None if isinstance(over, Terms) else Quantity("W", message("Σ p^(d − 1) of d from 1 to D"), over)
        return Words(OF, how, weight, "Σ", given=given, lost_from=PREFERRED, listed=rank.astype(np.float64))

    return Terms(rows, values, over, words)


def _words_of_ideal(ideal: Hits) -> Words:
    how = per_row(message("from depth {a} on"), ideal.rank)
    return Words(OF, how, name="best", words=message("the same of the ideal list with itself"), is_ideal=True)


def _ideal_ranks(rows: Hits, ideal: Hits) -> Ints:
    """(hits,) the rank of each in the ideal list that has equal grades as they were returned.

    Of documents that count twice there are more than the ideal list has: 0 for what is beyond it.
    """
    grades = np.unique(ideal.grade)
    there, asked = (
        (len(grades) + 1) * each.query + len(grades) - np.searchsorted(grades, each.grade) for each in (ideal, rows)
    )
    order = np.argsort(asked, kind="stable")
    ordinal = np.empty(len(order), np.int64)
    ordinal[order] = np.arange(len(order)) - np.searchsorted(asked[order], asked[order])
    first, end = (np.searchsorted(there, asked, side=side) for side in ("left", "right"))
    before = (np.cumsum(ideal.count) - ideal.count)[rows.query]
    ranks: Ints = np.where(first + ordinal < end, first + ordinal - before + 1, 0)
    return ranks


def _running(p: float, deepest: Ints, *, by_depth: bool) -> Floats:
    """The sum of p^(d − 1), each by its depth d if that is asked, down to each depth from 0 on."""
    depth = np.arange(1, int(deepest.max(initial=0)) + 1)
    weight = powers(p, depth - 1)
    sums: Floats = np.add.accumulate(np.concatenate([[0.0], weight / depth if by_depth else weight]))
    return sums
