"""Measures of several lists a query, as slow loops over the lists."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

from oracles import Answer, gain_of, oracle, over, rank_weight


def fresh(answer: Answer) -> list[list[float]]:
    """Of each call, the grades of the documents that no earlier call returned; an unjudged one has 0."""
    seen: set[str] = set()
    calls = []
    for docs in answer.lists:
        calls.append([grade or 0.0 for doc, grade in docs if doc not in seen])
        seen |= {doc for doc, _ in docs}
    return calls


@oracle("CallRecall", divides_by="relevant")
def call_recall(answer: Answer, calls: int, level: float = 1) -> float:
    found = {doc for docs in answer.lists[:calls] for doc, grade in docs if grade is not None and grade >= level}
    return over(len(found), answer.relevant(level))


@oracle("FirstComplete", unit=False, divides_by="relevant")
def first_complete(answer: Answer, calls: int, level: float = 1) -> float:
    for call in range(1, calls + 1):
        if answer.relevant(level) and call_recall(answer, call, level) == 1:
            return call
    return calls + 1


def weight(rank: int, call: int, discount: Any, log_base: float, bq: float) -> float:
    return rank_weight(rank, discount, log_base) / (1 + math.log(call, bq))


@oracle("SessionDCG", unit=False)
def session_dcg(
    answer: Answer,
    k: int = 99,
    calls: int = 99,
    bq: float = 4,
    gain: Any = "linear",
    gain_from: float = 0,
    discount: Any = "log2",
    log_base: float = 2,
) -> float:
    total = 0.0
    for call, grades in enumerate(fresh(answer)[:calls], 1):
        for rank, grade in enumerate(grades[:k], 1):
            total += gain_of(grade, gain, gain_from) * weight(rank, call, discount, log_base, bq)
    return total


@oracle("nSessionDCG", divides_by="gain")
def normalized_session_dcg(answer: Answer, k: int = 99, calls: int = 99, **params: Any) -> float:
    """By all places of a session that is large enough, the heaviest first."""
    gain, gain_from = params.pop("gain", "linear"), params.pop("gain_from", 0)
    shape = {"discount": "log2", "log_base": 2, "bq": 4, **params}
    n = len(answer.judged)
    places = product(range(1, min(k, n) + 1), range(1, min(calls, n) + 1))
    weights = sorted((weight(rank, call, **shape) for rank, call in places), reverse=True)
    best = sorted((gain_of(grade, gain, gain_from) for grade in answer.judged), reverse=True)
    ideal = sum(one * other for one, other in zip(best, weights, strict=False))
    got = session_dcg(answer, k, calls, gain=gain, gain_from=gain_from, **shape)
    return over(got, ideal)
