"""Every measure again, as a slow loop over a ranked list, written from the definitions and not from the code.

An oracle is given the `Answer` to one query and the parameters of the measure, under their names there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import accumulate
from typing import Any


@dataclass(frozen=True)
class Keeping:
    """Keeps what was made of it, for many measures to take."""

    _known: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """What is made under this key the first time, and kept."""
        if key not in self._known:
            self._known[key] = make()
        return self._known[key]


@dataclass(frozen=True)
class Answer(Keeping):
    """One query's list.

    Attributes:
        ranked: the grade of each document that was returned, best rank first; None: not in the qrels.
        judged: every grade in the qrels of the query, in any order; below 0: pooled, not judged.
        max_grade: the highest grade of all queries, or 0.
        scores: the score of each document that was returned, best rank first.
        answers: {aspect: grade} of each document that was returned, best rank first.
        aspects: {aspect: grade} of each judged document, in any order.
        weights: {aspect: weight}; those that are not in it have 1.
        lists: of several lists, one a call, each document and its grade, best rank first.
        docs: the id of each judged document, in the order of `aspects`.
    """

    ranked: list[float | None]
    judged: list[float]
    max_grade: float
    scores: list[float]
    answers: list[dict[str, float]] = field(default_factory=list)
    aspects: list[dict[str, float]] = field(default_factory=list)
    weights: dict[str, float] = field(default_factory=dict)
    lists: tuple[tuple[tuple[str, float | None], ...], ...] = ()
    docs: list[str] = field(default_factory=list)

    def of_aspect(self, aspect: str) -> Answer:
        """The same for a reader who is after one aspect alone."""
        ranked = [answers.get(aspect) for answers in self.answers]
        judged = [answers[aspect] for answers in self.aspects if aspect in answers]
        highest = max([0.0, *(grade for answers in self.aspects for grade in answers.values())])
        return Answer(ranked, judged, highest, self.scores)

    def by_aspect(self, level: float, value: Callable[[Answer], float]) -> float:
        """The mean of a value over the aspects that have a relevant document, by their weights."""
        names = sorted({name for answers in self.aspects for name in answers})
        parts = [(self.weights.get(name, 1.0), self.of_aspect(name)) for name in names]
        parts = [(weight, part) for weight, part in parts if part.relevant(level)]
        return over(sum(weight * value(part) for weight, part in parts), sum(weight for weight, _ in parts))

    def relevant(self, level: float) -> int:
        """How many relevant documents there are."""
        return sum(1 for grade in self.judged if grade >= level)

    def is_relevant(self, level: float) -> list[bool]:
        """Of each document that was returned, whether it is relevant."""
        return [grade is not None and grade >= level for grade in self.ranked]

    def group(self, rank: int) -> list[int]:
        """The ranks of the documents with the same score as the one at this rank, itself among them."""
        return [other for other, score in enumerate(self.scores, 1) if score == self.scores[rank - 1]]

    def ranks(self, level: float, k: int | None = None) -> list[int]:
        """The ranks of the relevant documents, within the first k."""
        found = [rank for rank, hit in enumerate(self.is_relevant(level), 1) if hit]
        return [rank for rank in found if k is None or rank <= k]


Oracle = Callable[..., float]

ORACLES: dict[str, Oracle] = {}


OF_JUDGEMENTS: set[str] = set()
"""Measures of what was judged: they see it as it is, whatever grade rules give to what is unjudged, and whatever
they say where nothing is relevant."""

TAKES_UNJUDGED_GRADES: set[str] = set()
"""Measures that can be had where unjudged documents are given a grade: of the list and the ideal one alone."""

NOT_RULED: set[str] = set()
"""Measures whose value no rule sets where nothing is relevant: sums, and what is about judgements."""

KNOWS_NO_LEVEL = {"ERR", "PFound", "iRBU", "NuggetRecall"}
"""Measures of grades alone, which divide by nothing."""

GAINS_BY_GRADE = {"INSQ", "INST", "SDCG", "BPM", "TBG", "U", "NERR8", "NERR9", "NERR10", "NERR11"}
"""Measures that know a level and gain by the grade, unless they are told otherwise."""

DIVIDES_BY: dict[str, str] = {}
"""Measures that have no value without "relevant" documents, or without a "gain"."""


def oracle(
    name: str,
    *,
    unit: bool = True,
    of_judgements: bool = False,
    takes_unjudged_grades: bool = False,
    divides_by: str = "",
) -> Callable[[Oracle], Oracle]:
    """Register a loop as the oracle of a measure, with what else there is to know of it under rules.

    `unit`, `takes_unjudged_grades` and `divides_by` are what the measure itself declares, which a law sees to.
    """

    def register(function: Oracle) -> Oracle:
        ORACLES[name] = function
        NOT_RULED.update({name} if of_judgements or not unit else ())
        OF_JUDGEMENTS.update({name} if of_judgements else ())
        TAKES_UNJUDGED_GRADES.update({name} if takes_unjudged_grades else ())
        DIVIDES_BY[name] = divides_by
        return function

    return register


def over(numerator: float, denominator: float) -> float:
    """A quotient of which nothing is made of nothing."""
    return float(numerator / denominator) if denominator else 0.0


@oracle("SetP", takes_unjudged_grades=True)
def set_precision(answer: Answer, level: float = 1) -> float:
    return over(len(answer.ranks(level)), len(answer.ranked))


@oracle("SetR", divides_by="relevant")
def set_recall(answer: Answer, level: float = 1) -> float:
    return over(len(answer.ranks(level)), answer.relevant(level))


@oracle("SetSuccess", takes_unjudged_grades=True)
def set_success(answer: Answer, level: float = 1) -> float:
    return 1.0 if any(answer.is_relevant(level)) else 0.0


@oracle("SetF", divides_by="relevant")
def set_f(
    answer: Answer,
    level: float = 1,
    beta: float = 1,
    alpha: float | None = None,
    beta_squared: float | None = None,
) -> float:
    """van Rijsbergen's own form: one over the weighted mean of 1/P and 1/R."""
    p, r = set_precision(answer, level), set_recall(answer, level)
    if alpha is None:
        alpha = 1 / ((beta**2 if beta_squared is None else beta_squared) + 1)
    if p == 0 or r == 0:
        return 0.0
    return 1 / (alpha / p + (1 - alpha) / r)


@oracle("SetAP", divides_by="relevant")
def set_average_precision(answer: Answer, level: float = 1) -> float:
    return set_precision(answer, level) * set_recall(answer, level)


@oracle("SetRelP", divides_by="relevant")
def set_relative_precision(answer: Answer, level: float = 1) -> float:
    return max(set_precision(answer, level), set_recall(answer, level))


@oracle("Utility", unit=False)
def utility(
    answer: Answer,
    level: float = 1,
    a: float = 1,
    b: float = -1,
    c: float = 0,
    d: float = 0,
    docs: int | None = None,
) -> float:
    right = len(answer.ranks(level))
    wrong = len(answer.ranked) - right
    missed = answer.relevant(level) - right
    return a * right + b * wrong + c * missed + d * ((docs or 0) - right - wrong - missed)


@oracle("P", takes_unjudged_grades=True)
def precision(answer: Answer, k: int, level: float = 1, divisor: str = "k") -> float:
    return over(len(answer.ranks(level, k)), min(k, len(answer.ranked)) if divisor == "returned" else k)


@oracle("R", divides_by="relevant")
def recall(answer: Answer, k: int, level: float = 1, capped: bool = False) -> float:
    possible = answer.relevant(level)
    return over(len(answer.ranks(level, k)), min(possible, k) if capped else possible)


@oracle("Success", takes_unjudged_grades=True)
def success(answer: Answer, k: int, level: float = 1) -> float:
    return 1.0 if any(answer.is_relevant(level)[:k]) else 0.0


@oracle("RR", takes_unjudged_grades=True)
def reciprocal_rank(answer: Answer, k: int | None = None, level: float = 1) -> float:
    for rank, hit in enumerate(answer.is_relevant(level)[:k], 1):
        if hit:
            return 1 / rank
    return 0.0


def precision_at(answer: Answer, rank: int, level: float) -> float:
    """Precision after this many results; before the first it is 1, as those who take trapezoids have it."""
    return len(answer.ranks(level, rank)) / rank if rank else 1.0


@oracle("AP", divides_by="relevant")
def average_precision(
    answer: Answer,
    k: int | None = None,
    level: float = 1,
    divisor: str = "relevant",
    area: str = "step",
    ties: str = "ordered",
) -> float:
    total = 0.0
    for rank in answer.ranks(level, k):
        if ties == "together":
            rank = max(other for other in answer.group(rank) if k is None or other <= k)
        height = precision_at(answer, rank, level)
        if area == "trapezoid":
            height = (height + precision_at(answer, rank - 1, level)) / 2
        total += height
    possible = answer.relevant(level)
    divisors = {
        "relevant": possible,
        "capped": possible if k is None else min(possible, k),
        "returned": min(possible, len(answer.ranked[:k])),
        "hits": len(answer.ranks(level, k)),
        "k": k or 0,
    }
    return over(total, divisors[divisor])


@oracle("GMAP", divides_by="relevant")
def geometric_average_precision(answer: Answer, level: float = 1) -> float:
    return average_precision(answer, level=level)


@oracle("YAAP", unit=False)
def yet_another_average_precision(answer: Answer, level: float = 1) -> float:
    possible = answer.relevant(level)
    s = min(average_precision(answer, level=level) * possible, possible)
    return math.log(1 + s) - math.log(1 + possible - s)


@oracle("Rprec", divides_by="relevant")
def r_precision(answer: Answer, level: float = 1) -> float:
    possible = answer.relevant(level)
    return precision(answer, possible, level) if possible else 0.0


@oracle("RprecMult", divides_by="relevant")
def r_precision_multiple(answer: Answer, x: float, level: float = 1) -> float:
    cut = int(x * answer.relevant(level) + 0.9)
    return precision(answer, cut, level) if cut else 0.0


@oracle("binG", divides_by="relevant")
def binary_g(answer: Answer, level: float = 1) -> float:
    wrong, total = 0, 0.0
    for hit in answer.is_relevant(level):
        if hit:
            total += math.log(2) / math.log(2 + wrong)
        else:
            wrong += 1
    possible = answer.relevant(level)
    return over(total, possible)


@oracle("Accuracy")
def pairwise_accuracy(answer: Answer, level: float = 1) -> float:
    hits = answer.is_relevant(level)
    pairs = [(i, j) for i, one in enumerate(hits) for j, two in enumerate(hits) if one and not two]
    if not pairs:
        return 1.0 if any(hits) else 0.0
    return sum(1 for i, j in pairs if i < j) / len(pairs)


def gain_of(grade: float | None, gain: Any, gain_from: float = 0) -> float:
    """What a document of this grade is worth."""
    if grade is None or grade < 0 or grade < gain_from:
        return 0.0
    if gain == "exp":
        return 2.0**grade - 1
    if gain == "binary":
        return 1.0 if grade > 0 else 0.0
    return grade if gain == "linear" else gain.get(grade, grade)


def rank_weight(rank: int, discount: Any, log_base: float) -> float:
    """What a gain of 1 is worth at a rank."""
    if discount == "jk":
        return 1.0 if rank < log_base else math.log(log_base) / math.log(rank)
    if discount == "reciprocal":
        return 1 / rank
    if discount == "none":
        return 1.0
    if discount == "log2":
        return math.log(log_base) / math.log(rank + 1)
    return dict(enumerate(discount, 1)).get(rank, 0.0)


def cumulated(worths: list[float], k: int | None, log_base: float = 2, discount: Any = "log2") -> float:
    """The discounted sum of the first k."""
    return sum(worth * rank_weight(rank, discount, log_base) for rank, worth in enumerate(worths[:k], 1))


def list_worths(answer: Answer, gain: Any, ties: str = "ordered", gain_from: float = 0) -> list[float]:
    """What each rank is worth: its document, or on average over the orders of equal scores any of its group."""
    worths = [gain_of(grade, gain, gain_from) for grade in answer.ranked]
    if ties == "ordered":
        return worths
    groups = [answer.group(rank) for rank in range(1, len(worths) + 1)]
    return [sum(worths[rank - 1] for rank in group) / len(group) for group in groups]


def ideal_worths(answer: Answer, gain: Any, gain_from: float = 0) -> list[float]:
    worths = (gain_of(grade, gain, gain_from) for grade in answer.judged)
    return sorted((worth for worth in worths if worth > 0), reverse=True)


@oracle("DCG", unit=False, takes_unjudged_grades=True)
def dcg(
    answer: Answer,
    k: int | None = None,
    gain: Any = "linear",
    gain_from: float = 0,
    discount: Any = "log2",
    log_base: float = 2,
    ties: str = "ordered",
) -> float:
    return cumulated(list_worths(answer, gain, ties, gain_from), k, log_base, discount)


@oracle("IDCG", unit=False, takes_unjudged_grades=True)
def ideal_dcg(
    answer: Answer,
    k: int | None = None,
    gain: Any = "linear",
    gain_from: float = 0,
    discount: Any = "log2",
    log_base: float = 2,
    ideal: str = "full",
) -> float:
    worths = ideal_worths(answer, gain, gain_from)
    return cumulated(worths[: len(answer.ranked)] if ideal == "returned" else worths, k, log_base, discount)


@oracle("nDCG", takes_unjudged_grades=True, divides_by="gain")
def ndcg(
    answer: Answer,
    k: int | None = None,
    gain: Any = "linear",
    gain_from: float = 0,
    discount: Any = "log2",
    log_base: float = 2,
    ideal: str = "full",
    ties: str = "ordered",
) -> float:
    best = ideal_dcg(answer, k, gain, gain_from, discount, log_base, ideal)
    return over(dcg(answer, k, gain, gain_from, discount, log_base, ties), best)


@oracle("nDCGrel", divides_by="gain")
def ndcg_at_relevant(answer: Answer, gain: Any = "linear") -> float:
    """nDCG@rank at each document with a gain, and nDCG of the whole list for each that was not returned."""
    worths, ideal = list_worths(answer, gain), ideal_worths(answer, gain)
    if not ideal:
        return 0.0
    ranks = [rank for rank, worth in enumerate(worths, 1) if worth > 0]
    points = [ndcg(answer, rank, gain) for rank in ranks]
    points += [ndcg(answer, None, gain)] * (len(ideal) - len(ranks))
    return sum(points) / len(ideal)


@oracle("Rndcg", divides_by="relevant")
def r_ndcg(answer: Answer, level: float = 1, gain: Any = "linear") -> float:
    """nDCG@c for each c at which the ideal list ends a gain, and of a list that is over one longer."""
    ideal = ideal_worths(answer, gain)
    if not ideal or not answer.relevant(level):
        return 0.0
    cuts = [c for c in range(1, len(ideal) + 1) if c == len(ideal) or ideal[c] != ideal[c - 1]]
    if len(answer.ranked) > len(ideal) + 1:
        cuts.append(len(answer.ranked))
    return sum(ndcg(answer, c, gain) for c in cuts) / len(cuts)


@oracle("G", divides_by="gain")
def normalised_g(answer: Answer, gain: Any = "linear") -> float:
    ideal = ideal_worths(answer, gain)
    total = cost = got = 0.0
    for place, worth in enumerate(list_worths(answer, gain)):
        cost += max(1.0, ideal[place]) if place < len(ideal) else 1.0
        got += worth
        total += worth / math.log2(2 + max(0.0, cost - got))
    return total / sum(ideal) if ideal else 0.0


@oracle("RBP", takes_unjudged_grades=True)
def rank_biased_precision(
    answer: Answer,
    k: int | None = None,
    p: float = 0.8,
    level: float = 1,
    gain: str = "binary",
    max_grade: float | None = None,
) -> float:
    most = answer.max_grade if max_grade is None else max_grade
    highest = {"binary": 1.0, "graded": most, "scaled": max(1.0, *answer.judged, 1.0)}[gain]
    total, still_reading = 0.0, 1.0
    for grade in answer.ranked[:k]:
        worth = min(max(grade or 0.0, 0.0), highest) / highest if highest else 0.0
        if gain == "binary":
            worth = 1.0 if grade is not None and grade >= level else 0.0
        total += (1 - p) * worth * still_reading
        still_reading *= p
    return total


def satisfaction(grade: float | None, highest: float, gain: Any) -> float:
    """How likely a document of this grade is all that a reader wants."""
    grade = min(max(grade or 0.0, 0.0), highest) if grade is None or grade >= 0 or gain == "exp" else -1.0
    if gain == "exp":
        return (2.0**grade - 1) / 2.0**highest
    could_be = [highest, *(each for each in gain if each <= highest)] if isinstance(gain, dict) else [highest]
    return min(gain_of(grade, gain) / (max(gain_of(each, gain) for each in could_be) + 1), 1.0)


@oracle("ERR", takes_unjudged_grades=True)
def expected_reciprocal_rank(
    answer: Answer, k: int | None = None, max_grade: float | None = None, gain: Any = "exp"
) -> float:
    highest = answer.max_grade if max_grade is None else max_grade
    total, still_reading = 0.0, 1.0
    for rank, grade in enumerate(answer.ranked[:k], 1):
        satisfied = 0.0 if grade is None else satisfaction(grade, highest, gain)
        total += still_reading * satisfied / rank
        still_reading *= 1 - satisfied
    return total


@oracle("IPrec", divides_by="relevant")
def interpolated_precision(answer: Answer, recall: float, level: float = 1, rounding: str = "round") -> float:
    """The highest precision at any rank by which this many of the relevant documents are found."""
    exact = recall * answer.relevant(level)
    needed = int(exact + 0.9) if rounding == "up" else int(exact) + (exact - int(exact) >= 0.5)
    if rounding == "definition":
        needed = math.ceil(Fraction(str(recall)) * answer.relevant(level))
    found = accumulate(answer.is_relevant(level))
    return max((over(hits, rank) for rank, hits in enumerate(found, 1) if hits >= needed), default=0.0)


@oracle("AP11", divides_by="relevant")
def eleven_point_precision(
    answer: Answer,
    level: float = 1,
    recalls: tuple[float, ...] = (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1),
    rounding: str = "round",
) -> float:
    return sum(interpolated_precision(answer, x, level, rounding) for x in recalls) / len(recalls)


@oracle("AUPRC", divides_by="relevant")
def area_under_curve(answer: Answer, level: float = 1, area: str = "step") -> float:
    if area != "interpolated":
        return average_precision(answer, level=level, area=area)
    possible = answer.relevant(level)
    heights = []
    for nth in range(1, possible + 1):
        ranks = [r for r in range(1, len(answer.ranked) + 1) if len(answer.ranks(level, r)) >= nth]
        heights.append(max((precision_at(answer, rank, level) for rank in ranks), default=0.0))
    return over(sum(heights), possible)


@oracle("Bpref", divides_by="relevant")
def binary_preference(answer: Answer, level: float = 1) -> float:
    possible = answer.relevant(level)
    wrong = sum(1 for grade in answer.judged if 0 <= grade < level)
    total, above = 0.0, 0
    for grade in answer.ranked:
        if grade is None or grade < 0:
            continue
        if grade < level:
            above += 1
        elif above == 0:
            total += 1
        else:
            total += 1 - min(above, possible) / min(wrong, possible)
    return over(total, possible)


@oracle("GMBpref", divides_by="relevant")
def geometric_binary_preference(answer: Answer, level: float = 1) -> float:
    return binary_preference(answer, level)


@oracle("infAP", divides_by="relevant")
def inferred_average_precision(answer: Answer, level: float = 1) -> float:
    """At each relevant document: 1/i for itself, and for one from above it, the chance that it was pooled
    times the chance that a judged one of those is relevant."""
    possible, total = answer.relevant(level), 0.0
    for rank, hit in enumerate(answer.is_relevant(level), 1):
        if not hit:
            continue
        above = [grade for grade in answer.ranked[: rank - 1] if grade is not None]
        relevant = sum(1 for grade in above if grade >= level)
        wrong = sum(1 for grade in above if 0 <= grade < level)
        expected = 1 / rank
        if rank > 1:
            pooled = len(above) / (rank - 1)
            expected += (rank - 1) / rank * pooled * (relevant + 1e-5) / (relevant + wrong + 2e-5)
        total += expected
    return over(total, possible)


def is_judged(grade: float | None) -> bool:
    return grade is not None and grade >= 0


@oracle("Judged", of_judgements=True)
def judged(answer: Answer, k: int | None = None) -> float:
    top = answer.ranked[:k]
    return over(sum(map(is_judged, top)), len(top))


@oracle("Unjudged", of_judgements=True)
def unjudged(answer: Answer, k: int) -> float:
    return sum(not is_judged(grade) for grade in answer.ranked[:k]) / k


@oracle("RBPResidual", of_judgements=True)
def rank_biased_residual(answer: Answer, k: int | None = None, p: float = 0.8) -> float:
    """The weight of each unjudged rank, and that of all ranks below the end."""
    top = answer.ranked[:k]
    weights = [(1 - p) * p**place for place, grade in enumerate(top) if not is_judged(grade)]
    return sum(weights) + p ** len(top)


@oracle("mINP", divides_by="relevant")
def inverse_negative_penalty(answer: Answer, level: float = 1) -> float:
    ranks, possible = answer.ranks(level), answer.relevant(level)
    return possible / ranks[-1] if ranks and len(ranks) == possible else 0.0


@oracle("NumQ", unit=False, takes_unjudged_grades=True)
def queries(answer: Answer) -> float:
    return 1.0


@oracle("NumRet", unit=False, takes_unjudged_grades=True)
def returned(answer: Answer, rel: float | None = None) -> float:
    return len(answer.ranked) if rel is None else len(answer.ranks(rel))


@oracle("NumRel", unit=False, takes_unjudged_grades=True)
def relevant(answer: Answer, level: float = 1) -> float:
    return answer.relevant(level)


@oracle("NumRelRet", unit=False, takes_unjudged_grades=True)
def relevant_returned(answer: Answer, level: float = 1) -> float:
    return len(answer.ranks(level))


@oracle("NumNonrelJudgedRet", of_judgements=True)
def nonrelevant_judged_returned(answer: Answer, level: float = 1) -> float:
    return sum(is_judged(grade) for grade in answer.ranked) - len(answer.ranks(level))


@oracle("F", divides_by="relevant")
def f_measure(answer: Answer, k: int, level: float = 1, beta: float = 1) -> float:
    """The form by counts: (1 + β²) TP / ((1 + β²) TP + β² FN + FP), where ranks without a result are FP."""
    tp = len(answer.ranks(level, k))
    return over((1 + beta**2) * tp, beta**2 * answer.relevant(level) + k)


@oracle("Hits", unit=False, takes_unjudged_grades=True)
def hits_within(answer: Answer, k: int | None = None, level: float = 1) -> float:
    return sum(answer.is_relevant(level)[:k])


@oracle("NCRR", divides_by="relevant")
def cumulative_reciprocal_rank(answer: Answer, k: int | None = None, level: float = 1) -> float:
    ideal = list(range(1, answer.relevant(level) + 1))[:k]
    return over(sum(Fraction(1, rank) for rank in answer.ranks(level, k)), sum(Fraction(1, rank) for rank in ideal))


@oracle("PFound", takes_unjudged_grades=True)
def probability_found(
    answer: Answer,
    k: int | None = None,
    decay: float = 0.85,
    chance: dict[float, float] | None = None,
    max_grade: float | None = None,
) -> float:
    """The recursion of the paper: pLook is what is left of the reader at each rank."""
    highest = max(1.0, answer.max_grade if max_grade is None else max_grade)
    total, look = 0.0, 1.0
    for grade in answer.ranked[:k]:
        relevance = 0.0 if grade is None else min(max(grade / highest, 0.0), 1.0)
        if chance is not None:
            given = [chance[known] for known in sorted(chance) if grade is not None and known <= grade]
            relevance = given[-1] if given else 0.0
        total += look * relevance
        look *= (1 - relevance) * decay
    return total


@oracle("FirstRank", unit=False, takes_unjudged_grades=True)
def first_rank(answer: Answer, k: int, level: float = 1) -> float:
    return min(answer.ranks(level, k), default=k + 1)


@oracle("MeanRank", unit=False, divides_by="relevant")
def mean_rank(answer: Answer, k: int, level: float = 1) -> float:
    ranks = answer.ranks(level, k)
    ranks += [k + 1] * (answer.relevant(level) - len(ranks))
    return sum(ranks) / len(ranks) if ranks else k + 1


@oracle("ARP", unit=False, divides_by="gain")
def average_relevance_position(answer: Answer, k: int) -> float:
    """Every judged document at its rank or at k + 1, each as often as its grade says."""
    weight = sum(Fraction(grade) for grade in answer.judged if grade > 0)
    top = [(rank, Fraction(max(grade or 0, 0))) for rank, grade in enumerate(answer.ranked[:k], 1)]
    missed = weight - sum(grade for _, grade in top)
    return float((sum(rank * grade for rank, grade in top) + missed * (k + 1)) / weight) if weight else k + 1


def confusion(answer: Answer, k: int | None, level: float, docs: int | None) -> tuple[int, int, int, int]:
    """TP, FP, FN and TN, a document at a time: what was returned, the relevant that did not, and the others."""
    hits = answer.is_relevant(level)
    cut = len(hits) if k is None else k
    kinds = [(place < cut, hit) for place, hit in enumerate(hits)]
    kinds += [(False, True)] * (answer.relevant(level) - sum(hits))
    if docs is not None:
        kinds += [(False, False)] * (docs - len(kinds))
    counts = [kinds.count(kind) for kind in ((True, True), (True, False), (False, True), (False, False))]
    return counts[0], counts[1], counts[2], counts[3]


@oracle("FallOut")
def fall_out(answer: Answer, k: int | None = None, level: float = 1, docs: int | None = None) -> float:
    _, fp, _, tn = confusion(answer, k, level, docs)
    return over(fp, fp + tn)


@oracle("MCC", unit=False)
def matthews_correlation(answer: Answer, k: int | None = None, level: float = 1, docs: int | None = None) -> float:
    """Pearson's correlation of two columns of 0 and 1."""
    tp, fp, fn, tn = confusion(answer, k, level, docs)
    rows = [(1, 1)] * tp + [(1, 0)] * fp + [(0, 1)] * fn + [(0, 0)] * tn
    if not rows:
        return 0.0
    x, y = (sum(row[side] for row in rows) / len(rows) for side in (0, 1))
    both = sum((a - x) * (b - y) for a, b in rows)
    spread = sum((a - x) ** 2 for a, _ in rows) * sum((b - y) ** 2 for _, b in rows)
    return both / math.sqrt(spread) if 0 < tp + fp < len(rows) and 0 < tp + fn < len(rows) else 0.0


@oracle("AUROC")
def area_under_roc(answer: Answer, k: int | None = None, level: float = 1) -> float:
    hits, scores = answer.is_relevant(level)[:k], answer.scores[:k]
    pairs = [(i, j) for i, one in enumerate(hits) for j, two in enumerate(hits) if one and not two]
    won = sum(Fraction(1 + (scores[i] > scores[j]) - (scores[i] < scores[j]), 2) for i, j in pairs)
    return over(won, len(pairs))


@dataclass(frozen=True)
class Listing(Keeping):
    """A query, its judgements by document, and its list by document, best first: what rules are applied to.

    Attributes:
        grades: {document: grade}.
        docs: the documents that were returned, best first.
        scores: one each.
        max_grade: the highest grade of all queries, or 0.
        aspects: {document: {aspect: grade}}.
    """

    query: str
    grades: dict[str, float]
    docs: list[str]
    scores: list[float]
    max_grade: float
    aspects: dict[str, dict[str, float]] = field(default_factory=dict)


def valued(name: str, listing: Listing, rules: dict[str, Any], params: dict[str, Any]) -> float | None:
    """What a measure is under rules; None where it has no value.

    Raises:
        LookupError: the measure cannot be had under these rules.
    """
    graded = rules.get("unjudged") == "graded" and name not in OF_JUDGEMENTS
    if graded and name not in TAKES_UNJUDGED_GRADES:
        raise LookupError(name)
    grade = rules["unjudged_grade"] if graded else None
    key = (grade, *(rules.get(rule) for rule in ("self_match", "depth", "depth_of", "unjudged")))
    whole, answer, depth = listing.once(key, lambda: _answers(listing, rules, grade))
    k = params.get("k")
    finds = something_to_find(name, answer, params)
    policy = rules.get("without_relevant", "zero")
    if policy == "undefined" and DIVIDES_BY[name] and not finds:
        return None
    if not finds and name not in NOT_RULED and policy in ("one", "empty-is-right"):
        return float((policy == "one" or not answer.ranked) != (name == "FallOut"))
    if depth is not None and params.get("ties") == "averaged":  # the list is cut, in every order; the ideal is not
        cut = {"k": depth if k is None else min(k, depth)}
        best = ideal_dcg(answer, **{key: params[key] for key in params if key != "ties"}) if name == "nDCG" else 1.0
        return over(dcg(whole, **{key: value for key, value in {**params, **cut}.items() if key != "ideal"}), best)
    return ORACLES[name](answer, **params)


def something_to_find(name: str, answer: Answer, params: dict[str, Any]) -> bool:
    """Whether there is a document that is relevant to the measure, or that gains where it knows no level."""
    if params.get("gain", "graded" if name in GAINS_BY_GRADE else "") in ("graded", "scaled"):
        return max(answer.judged, default=0) > 0
    if DIVIDES_BY[name] != "gain" and name not in KNOWS_NO_LEVEL:
        return answer.relevant(params.get("level", 1)) > 0
    return bool(ideal_worths(answer, params.get("gain", "linear"), params.get("gain_from", 0)))


def _answers(listing: Listing, rules: dict[str, Any], grade: float | None) -> tuple[Answer, Answer, int | None]:
    """The answer under these rules, whole and as the depth cuts it, and the depth where it does."""
    whole, depth = _listed(listing, rules, grade)
    if depth is None:
        return whole, whole, None
    cut = {name: getattr(whole, name)[:depth] for name in ("ranked", "scores", "answers")}
    return whole, replace(whole, **cut), depth


def _listed(listing: Listing, rules: dict[str, Any], grade: float | None) -> tuple[Answer, int | None]:
    """The answer under the rules for self-match and unjudged documents, and the depth left to be applied."""
    self_match, depth = rules.get("self_match", "keep"), rules.get("depth")
    grades = {d: g for d, g in listing.grades.items() if d != listing.query or self_match != "remove"}
    aspects = {d: a for d, a in listing.aspects.items() if d in grades}
    rows = [
        (listing.grades.get(d), s, aspects.get(d, {}))
        for d, s in zip(listing.docs, listing.scores, strict=True)
        if d != listing.query or self_match == "keep"
    ]
    if rules.get("unjudged") == "removed":
        if rules.get("depth_of") == "returned":
            rows, depth = rows[:depth], None
        rows = [(g, s, a) for g, s, a in rows if g is not None and g >= 0]
    if grade is not None:
        rows = [(grade if g is None or g < 0 else g, s, a) for g, s, a in rows]
    ranked, scores, answers = ([row[column] for row in rows] for column in range(3))
    judged = list(grades.values())
    found = Answer(ranked, judged, listing.max_grade, scores, answers, list(aspects.values()), docs=list(aspects))
    return found, depth
