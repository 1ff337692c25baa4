"""Oracles of the measures of diversity, as loops over ranked lists of the aspects that documents answer."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from oracles import Answer, gain_of, ndcg, oracle, over

Discount = Callable[[int], float]

Answered = list[dict[str, float]]


def log2(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def reciprocal(rank: int) -> float:
    return 1 / rank


def novel(docs: Answered, answer: Answer, level: float, alpha: float) -> list[float]:
    """What each document of a list adds to those above it."""
    seen: dict[str, int] = {}
    added = []
    for aspects in docs:
        own = [name for name, grade in aspects.items() if grade >= level]
        added.append(sum(answer.weights.get(name, 1.0) * (1 - alpha) ** seen.get(name, 0) for name in own))
        seen.update({name: seen.get(name, 0) + 1 for name in own})
    return added


def greedy(answer: Answer, level: float, alpha: float) -> Answered:
    """The judged documents, each time the one that adds most, of equal ones that with the last id."""
    return answer.once(("greedy", level, alpha), lambda: _greedy(answer, level, alpha))


def _greedy(answer: Answer, level: float, alpha: float) -> Answered:
    left = [
        aspects for _, aspects in sorted(zip(answer.docs, answer.aspects, strict=True), key=lambda pair: pair[0])
    ]
    ideal: Answered = []
    while left:
        worth = [round(novel([*ideal, aspects], answer, level, alpha)[-1], 12) for aspects in left]
        last = max(place for place, value in enumerate(worth) if value == max(worth))
        ideal.append(left.pop(last))
    return ideal


def discounted(added: Iterable[float], discount: Discount, k: int | None) -> float:
    return sum(worth * discount(rank) for rank, worth in enumerate(list(added)[:k], 1))


def weight(answer: Answer, level: float) -> float:
    """That of the aspects that some document is relevant to."""
    names = {name for aspects in answer.aspects for name, grade in aspects.items() if grade >= level}
    return sum(answer.weights.get(name, 1.0) for name in sorted(names))


def cascade(answer: Answer, discount: Discount, k: int, alpha: float, level: float, best: str) -> float:
    got = discounted(novel(answer.answers, answer, level, alpha), discount, k)
    if best == "none" or (best == "ndeval" and k == 1):
        return got
    perfect = [(1 - alpha) ** above for above in range(k)]
    return over(got, weight(answer, level) * (1 if best == "intents" else discounted(perfect, discount, k)))


def normalised(answer: Answer, discount: Discount, k: int | None, alpha: float, level: float) -> float:
    got, ideal = (novel(docs, answer, level, alpha) for docs in (answer.answers, greedy(answer, level, alpha)))
    return over(discounted(got, discount, k), discounted(ideal, discount, k))


@oracle("alpha_DCG", unit=False, divides_by="relevant")
def alpha_dcg(answer: Answer, k: int, alpha: float = 0.5, level: float = 1, best: str = "possible") -> float:
    return cascade(answer, log2, k, alpha, level, best)


@oracle("alpha_nDCG", unit=False, divides_by="relevant")
def alpha_ndcg(answer: Answer, k: int | None = None, alpha: float = 0.5, level: float = 1) -> float:
    return normalised(answer, log2, k, alpha, level)


@oracle("ERR_IA", unit=False, divides_by="relevant")
def intent_aware_err(answer: Answer, k: int, alpha: float = 0.5, level: float = 1, best: str = "possible") -> float:
    return cascade(answer, reciprocal, k, alpha, level, best)


@oracle("nERR_IA", unit=False, divides_by="relevant")
def normalised_err(answer: Answer, k: int | None = None, alpha: float = 0.5, level: float = 1) -> float:
    return normalised(answer, reciprocal, k, alpha, level)


@oracle("NRBP", divides_by="relevant")
def novelty_biased(
    answer: Answer, k: int | None = None, alpha: float = 0.5, beta: float = 0.5, level: float = 1
) -> float:
    got = discounted(novel(answer.answers, answer, level, alpha), lambda rank: beta ** (rank - 1), k)
    return over((1 - (1 - alpha) * beta) * got, weight(answer, level))


@oracle("nNRBP", unit=False, divides_by="relevant")
def normalised_novelty_biased(
    answer: Answer, k: int | None = None, alpha: float = 0.5, beta: float = 0.5, level: float = 1
) -> float:
    return normalised(answer, lambda rank: beta ** (rank - 1), k, alpha, level)


@oracle("nDCG_IA", divides_by="gain")
def intent_aware_ndcg(answer: Answer, k: int | None = None, gain: str = "linear") -> float:
    names = {name for aspects in answer.aspects for name, grade in aspects.items() if gain_of(grade, gain)}
    weights = [answer.weights.get(name, 1.0) for name in sorted(names)]
    parts = [ndcg(answer.of_aspect(name), k, gain) for name in sorted(names)]
    return over(sum(part * weight for part, weight in zip(parts, weights, strict=True)), sum(weights))


def global_gain(answer: Answer, aspects: dict[str, float], gain: str) -> float:
    return sum(answer.weights.get(name, 1.0) * gain_of(grade, gain) for name, grade in aspects.items())


@oracle("D_nDCG", divides_by="gain")
def global_ndcg(answer: Answer, k: int | None = None, gain: str = "linear") -> float:
    got, judged = ([global_gain(answer, each, gain) for each in docs] for docs in (answer.answers, answer.aspects))
    return over(discounted(got, log2, k), discounted(sorted(judged, reverse=True), log2, k))


@oracle("Dsharp_nDCG", divides_by="relevant")
def sharp_ndcg(
    answer: Answer, k: int | None = None, gamma: float = 0.5, gain: str = "linear", level: float = 1
) -> float:
    asked, served = (
        {name for aspects in docs for name, grade in aspects.items() if grade >= level}
        for docs in (answer.aspects, answer.answers[:k])
    )
    return gamma * over(len(served), len(asked)) + (1 - gamma) * global_ndcg(answer, k, gain)
