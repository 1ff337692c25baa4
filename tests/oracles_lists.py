"""Measures of image retrieval, and those that see whole lists, again as slow loops from their definitions.

An oracle of lists is given the lists of all queries; one of a whole run gives a number, the others one a query.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from oracles import ORACLES, Answer, oracle, over, rank_weight


@oracle("APatR", divides_by="relevant")
def average_precision_at_r(answer: Answer, level: float = 1) -> float:
    r = answer.relevant(level)
    ranks = [rank for rank in answer.ranks(level) if rank <= r]
    return over(sum(Fraction(n, rank) for n, rank in enumerate(ranks, 1)), r)


@oracle("Pkq")
def precision_to_last(answer: Answer, k: int, level: float = 1) -> float:
    ranks = answer.ranks(level)
    if not ranks:
        return 0.0
    kq = min(max(ranks), k)
    return over(sum(1 for rank in ranks if rank <= kq), kq)


@dataclass(frozen=True)
class Listed:
    """One query's list, with the documents' ids.

    Attributes:
        rows: (document, score, grade or None) best rank first.
        judged: {document: grade}.
    """

    rows: list[tuple[str, float, float | None]]
    judged: dict[str, float]

    def relevant(self, level: float) -> int:
        """How many relevant documents there are."""
        return sum(1 for grade in self.judged.values() if grade >= level)


LISTS: dict[str, Callable[..., Any]] = {}


def lists(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a loop as the oracle of a measure of lists."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        LISTS[name] = function
        return function

    return register


@lists("GAP")
def global_average_precision(
    answers: list[Listed],
    known: Known,
    *,
    k: int = 1,
    level: float = 1,
    divisor: str = "capped",
    ties: str = "together",
) -> float:
    totals = [answer.relevant(level) for answer in answers]
    return pooled(answers, k, level, sum(min(n, k) if divisor == "capped" else n for n in totals), ties)


@lists("microAP")
def micro_average_precision(
    answers: list[Listed], known: Known, *, k: int | None = None, level: float = 1, ties: str = "together"
) -> float:
    return pooled(answers, k, level, sum(answer.relevant(level) for answer in answers), ties)


def pooled(answers: list[Listed], k: int | None, level: float, total: int, ties: str) -> float:
    """The sum of the precision at each right pair, by what is given."""
    pairs = [
        (score, grade is not None and grade >= level) for answer in answers for _, score, grade in answer.rows[:k]
    ]
    pairs.sort(key=lambda pair: (-pair[0], pair[1]))
    found = Fraction(0)
    for place, (score, right) in enumerate(pairs, 1):
        if right:
            above = pairs[:place] if ties == "worst" else [pair for pair in pairs if pair[0] >= score]
            found += Fraction(sum(1 for _, each in above if each), len(above))
    return over(found, total)


@lists("TPIR")
def identification_rate(
    answers: list[Listed], known: Known, *, k: int = 1, fpir: float = 0.01, level: float = 1
) -> float:
    mated = [answer for answer in answers if answer.relevant(level)]
    alarms = [answer.rows[0][1] for answer in answers if not answer.relevant(level) and answer.rows]
    first = ([s for _, s, grade in one.rows[:k] if grade is not None and grade >= level] for one in mated)
    return passing([max(found) for found in first if found], alarms, fpir * (len(answers) - len(mated)), len(mated))


@lists("TPR")
def true_positive_rate(
    answers: list[Listed], known: Known, *, fpr: float = 0.001, level: float = 1, docs: int | None = None
) -> float:
    rows = [row for answer in answers for row in answer.rows]
    right = [score for _, score, grade in rows if grade is not None and grade >= level]
    wrong = [score for _, score, grade in rows if grade is None or grade < level]
    relevant = sum(answer.relevant(level) for answer in answers)
    return passing(right, wrong, fpr * (len(wrong) if docs is None else docs * len(answers) - relevant), relevant)


def passing(right: list[float], wrong: list[float], allowed: float, total: int) -> float:
    """The largest share of right scores from any threshold on that few enough wrong ones reach."""
    thresholds = [*right, *wrong, -math.inf, math.inf]
    good = [t for t in thresholds if sum(1 for score in wrong if score >= t) <= allowed + 1e-9]
    return max(over(sum(1 for score in right if score >= t), total) for t in good)


@lists("nAUC")
def abstention(
    answers: list[Listed],
    known: Known,
    *,
    of: str = "nDCG@10",
    confidence: str = "max",
    level: float = 1,
    depth: int | None = None,
) -> float:
    name, _, k = of.partition("@")
    shown = [replace(answer, rows=answer.rows[:depth]) for answer in answers]
    values = [value_of(answer, name, level, **({"k": int(k)} if k else {})) for answer in shown]
    if max(values) - min(values) < 1e-12:
        return 0.0
    sure, best = area(list(map(HOW_SURE[confidence], shown)), values), area(values, values)
    always = 0.9 * sum(values) / len(values)
    return (sure - always) / (best - always)


HOW_SURE: dict[str, Callable[[Listed], float]] = {
    "max": lambda answer: max((score for _, score, _ in answer.rows), default=-math.inf),
    "std": lambda answer: statistics.pstdev(s for _, s, _ in answer.rows) if answer.rows else -math.inf,
    "diff1": lambda answer: (
        -math.inf
        if not answer.rows
        else sum(one[1] - other[1] for one, other in itertools.pairwise(answer.rows[:2]))
    ),
}


def area(keys: list[float], values: list[float]) -> float:
    """Under the mean value of what is left when the lowest keys go first; equal keys share their values."""
    of_key = {key: [v for k, v in zip(keys, values, strict=True) if k == key] for key in keys}
    left = [sum(of_key[key]) / len(of_key[key]) for key in sorted(keys)]
    gone = [min(round(rate * len(left)), len(left) - 1) for rate in np.linspace(0, 1, 11)[:-1]]
    means = [sum(left[n:]) / len(left[n:]) for n in gone]
    return sum(one + other for one, other in itertools.pairwise(means)) / 20


def value_of(answer: Listed, name: str, level: float, **cut: int) -> float:
    """What a list is worth by a measure of ranks."""
    ranked, scores = [grade for _, _, grade in answer.rows], [score for _, score, _ in answer.rows]
    given = {} if name == "nDCG" else {"level": level}
    return ORACLES[name](Answer(ranked, [*answer.judged.values()], 0, scores), **given, **cut)


@dataclass(frozen=True)
class Known:
    """What is known of the documents that could be listed.

    Attributes:
        popularity: {document: how many have used it}; the keys are the catalogue.
        groups, vectors: of some of them.
    """

    popularity: dict[str, int]
    groups: dict[str, tuple[str, ...]]
    vectors: dict[str, tuple[int, ...]]


def tops(answers: list[Listed], k: int | None) -> list[list[str]]:
    """The first documents of each list."""
    return [[doc for doc, _, _ in answer.rows[:k]] for answer in answers]


@lists("Coverage")
def coverage(answers: list[Listed], known: Known, *, k: int | None = None, docs: int | None = None) -> float:
    listed = {doc for top in tops(answers, k) for doc in top}
    return len(listed) / docs if docs else len(listed & set(known.popularity)) / len(known.popularity)


@lists("Gini")
def gini(answers: list[Listed], known: Known, *, k: int | None = None, docs: int | None = None) -> float:
    """Half the mean difference of two documents, by the mean."""
    listed = [doc for top in tops(answers, k) for doc in top]
    names = set(listed) if docs else set(known.popularity)
    counts = [listed.count(doc) for doc in names] + [0] * ((docs or len(names)) - len(names))
    differences = sum(abs(one - other) for one in counts for other in counts)
    return over(differences, 2 * len(counts) * sum(counts))


@lists("Novelty")
def novelty(answers: list[Listed], known: Known, *, k: int | None = None, users: int | None = None) -> list[float]:
    every = users or max(1, sum(known.popularity.values()))
    values = [
        [max(0.0, -math.log2(max(1, known.popularity.get(doc, 0)) / every)) for doc in t] for t in tops(answers, k)
    ]
    return [sum(each) / len(each) if each else 0.0 for each in values]


@lists("Popularity")
def popularity(answers: list[Listed], known: Known, *, k: int | None = None) -> list[float]:
    uses = [[known.popularity.get(doc, 0) for doc in top] for top in tops(answers, k)]
    return [over(sum(each), len(each)) for each in uses]


@lists("Serendipity")
def serendipity(answers: list[Listed], known: Known, *, k: int | None = None, level: float = 1) -> list[float]:
    """The difference of two probabilities, each the higher the better the rank is."""
    n, levels = len(known.popularity), sorted({uses for uses in known.popularity.values() if uses}, reverse=True)
    values = []
    for answer in answers:
        gains = [Fraction(0)]
        for rank, (doc, _, grade) in enumerate(answer.rows[:k], 1):
            uses = known.popularity.get(doc, 0)
            shown = Fraction(n + 1 - (levels.index(uses) + 1), n) if uses else Fraction(0)
            gains.append(
                max(Fraction(0), Fraction(n + 1 - rank, n) - shown) * (grade is not None and grade >= level)
            )
        values.append(over(sum(gains), len(answer.rows[:k])))
    return values


@lists("Entropy")
def entropy_of_places(answers: list[Listed], known: Known, *, k: int | None = None) -> float:
    listed = Counter(doc for top in tops(answers, k) for doc in top if doc in known.popularity)
    return entropy({doc: n / sum(listed.values()) for doc, n in listed.items()}) / math.log(2)


@lists("ILD")
def intra_list_diversity(
    answers: list[Listed], known: Known, *, k: int | None = None, distance: str = "cosine"
) -> list[float]:
    table: dict[str, Any] = dict(known.groups if distance == "jaccard" else known.vectors)
    found = []
    for top in tops(answers, k):
        pairs = list(itertools.combinations([table[doc] for doc in top if table.get(doc)], 2))
        found.append(sum(apart(one, other, distance) for one, other in pairs) / len(pairs) if pairs else 0.0)
    return found


def apart(one: Any, other: Any, distance: str) -> float:
    if distance == "hamming":
        return sum(1 for a, b in zip(one, other, strict=True) if a != b)
    if distance == "jaccard":
        return 1 - len(set(one) & set(other)) / len(set(one) | set(other))
    length = math.hypot(*one) * math.hypot(*other)
    return 1 - sum(a * b for a, b in zip(one, other, strict=True)) / length if length else 1.0


@lists("AWRF")
def rank_fairness(
    answers: list[Listed],
    known: Known,
    *,
    k: int | None = None,
    level: float = 1,
    target: Any = "catalogue",
    relevant: float = 0.5,
    attention: Any = "jk",
    bits: bool = False,
) -> list[float]:
    def counted(docs: Any) -> Counter[str]:
        return Counter(group for doc in docs for group in known.groups.get(doc, ()))

    groups = counted(known.groups)
    rest = {"catalogue": groups, "equal": dict.fromkeys(groups, 1)}[target] if isinstance(target, str) else target
    values = []
    for answer, top in zip(answers, tops(answers, k), strict=True):
        got: Counter[str] = Counter()
        for rank, doc in enumerate(top, 1):
            for group in known.groups.get(doc, ()):
                got[group] += rank_weight(rank, attention, 2)
        own = counted(doc for doc, grade in answer.judged.items() if grade >= level)
        share = relevant if own else 0
        wanted = Counter({g: share * n / sum(own.values()) for g, n in own.items()})
        for group, n in rest.items():
            wanted[group] += (1 - relevant) * n / sum(rest.values())
        value = (
            1 - divergence(got, wanted) / (math.log(2) if bits else 1)
            if sum(got.values()) and sum(wanted.values())
            else 0
        )
        values.append(max(0.0, value))
    return values


@lists("PSP")
def propensity_scored_precision(
    answers: list[Listed],
    known: Known,
    *,
    k: int | None = None,
    level: float = 1,
    **propensity: Any,
) -> float:
    worth = inverse_propensity(known, **propensity)
    rights = [[doc for doc, grade in answer.judged.items() if grade >= level] for answer in answers]
    got = [[worth(doc) for doc in top if doc in own] for top, own in zip(tops(answers, k), rights, strict=True)]
    most = sum(sum(sorted(map(worth, own), reverse=True)[:k]) for own in rights)
    return over(sum(map(sum, got)), most)


@lists("PSnDCG")
def propensity_scored_ndcg(
    answers: list[Listed],
    known: Known,
    *,
    k: int | None = None,
    level: float = 1,
    **propensity: Any,
) -> float:
    worth = inverse_propensity(known, **propensity)
    got = most = 0.0
    for answer, top in zip(answers, tops(answers, k), strict=True):
        own = [doc for doc, grade in answer.judged.items() if grade >= level]
        ideal = sum(1 / math.log2(rank + 1) for rank in range(1, len(own[:k]) + 1))
        got += over(sum(worth(doc) / math.log2(rank + 1) for rank, doc in enumerate(top, 1) if doc in own), ideal)
        best = sorted(map(worth, own), reverse=True)[:k]
        most += over(sum(each / math.log2(rank + 1) for rank, each in enumerate(best, 1)), ideal)
    return over(got, most)


def inverse_propensity(
    known: Known, users: int | None = None, a: float = 0.55, b: float = 1.5
) -> Callable[[str], float]:
    """What a document is worth."""
    n = sum(known.popularity.values()) if users is None else users
    c = max(math.log(max(n, 1)) - 1, 0) * (b + 1) ** a
    return lambda doc: 1 + c / (known.popularity.get(doc, 0) + b) ** a


@lists("Exposure")
def exposure(
    answers: list[Listed],
    known: Known,
    *,
    k: int | None = None,
    level: float = 1,
    merit: str = "documents",
    attention: Any = "log2",
) -> float:
    got: Counter[str] = Counter()
    for top in tops(answers, k):
        for rank, doc in enumerate(top, 1):
            for group in known.groups.get(doc, ()):
                got[group] += rank_weight(rank, attention, 2)
    relevant = [doc for answer in answers for doc, grade in answer.judged.items() if grade >= level]
    deserving = known.groups if merit == "documents" else relevant
    merits = Counter(group for doc in deserving for group in known.groups.get(doc, ()))
    of_each = [got[group] / n for group, n in merits.items()]
    return min(of_each) / max(of_each) if any(of_each) else 0.0


def divergence(one: Counter[str], other: Counter[str]) -> float:
    """Jensen and Shannon's, as entropies."""
    p, q = ({group: n / sum(each.values()) for group, n in each.items()} for each in (one, other))
    middle = {group: (p.get(group, 0) + q.get(group, 0)) / 2 for group in {*p, *q}}
    return entropy(middle) - (entropy(p) + entropy(q)) / 2


def entropy(shares: dict[str, float]) -> float:
    return -sum(share * math.log(share) for share in shares.values() if share > 0)
