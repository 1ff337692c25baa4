"""Oracles of the estimates from samples of strata, which stand where aspects do."""

from __future__ import annotations

import math

from oracles import Answer, oracle, over
from worlds import ASPECTS

EPSILON = 1e-5

Pool = list[tuple[str, float]]
"""The stratum and the grade of each document of a pool."""


def placed(answers: dict[str, float]) -> tuple[str, float] | None:
    """The stratum of a document, of several the first, and its best grade."""
    names = [name for name in ASPECTS if name in answers]
    return (names[0], max(answers.values())) if names else None


def pool_of(answer: Answer) -> Pool:
    return [place for answers in answer.aspects if (place := placed(answers))]


def returned(answer: Answer, k: int | None) -> list[tuple[str, float] | None]:
    return [
        None if grade is None else placed(answers)
        for grade, answers in zip(answer.ranked[:k], answer.answers[:k], strict=True)
    ]


def counted(pool: Pool, stratum: str, least: float) -> int:
    return sum(1 for name, grade in pool if name == stratum and grade >= least)


def stands_for(pool: Pool, stratum: str) -> float:
    """How many documents of the pool a judged one of a stratum stands for."""
    return over(counted(pool, stratum, -math.inf), counted(pool, stratum, 0))


def estimated(some: Pool, level: float) -> float:
    """How many of some documents of a pool are relevant, by the judged ones of each stratum."""
    return sum(
        counted(some, name, -math.inf)
        * (counted(some, name, level) + EPSILON)
        / (counted(some, name, 0) + 3 * EPSILON)
        for name in ASPECTS
    )


@oracle("xinfAP", unit=False, divides_by="relevant")
def average_precision(answer: Answer, k: int | None = None, level: float = 1) -> float:
    pool, top = pool_of(answer), returned(answer, k)
    total = 0.0
    for rank, place in enumerate(top, 1):
        if place and place[1] >= level:
            above = [each for each in top[: rank - 1] if each]
            total += stands_for(pool, place[0]) * (
                1 / rank + (rank - 1) / rank * over(estimated(above, level), rank - 1)
            )
    relevant = sum(stands_for(pool, name) for name, grade in pool if grade >= level)
    return over(total, relevant if k is None else min(relevant, k))


@oracle("infNDCG", unit=False, divides_by="relevant")
def normalised_gain(answer: Answer, k: int | None = None, level: float = 1) -> float:
    pool, top = pool_of(answer), returned(answer, k)
    there = [each for each in top if each]
    total = 0.0
    for rank, place in enumerate(top, 1):
        if place and place[1] >= level:
            total += stands_for(there, place[0]) * place[1] / math.log2(rank + 1)
    best, end = 0.0, 0.0
    for grade in sorted({grade for _, grade in pool if grade >= level}, reverse=True):
        begin = end
        end += sum(
            over(
                sum(1 for each in pool if each == (name, grade)) * counted(pool, name, -math.inf),
                counted(pool, name, 0),
            )
            for name in ASPECTS
        )
        rank = begin + 1
        while rank <= end and (k is None or rank < k + 1):
            best += grade / math.log2(rank + 1)
            rank += 1
    return over(total, best)


@oracle("infP")
def precision(answer: Answer, k: int, level: float = 1) -> float:
    return estimated([each for each in returned(answer, k) if each], level) / k
