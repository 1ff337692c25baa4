"""Oracles of the measures over aspects."""

from __future__ import annotations

import itertools

from oracles import Answer, average_precision, oracle, over, precision
from worlds import ASPECTS


@oracle("StRecall", divides_by="relevant")
def subtopic_recall(answer: Answer, k: int | None = None, level: float = 1) -> float:
    return answer.by_aspect(level, lambda part: float(bool(part.ranks(level, k))))


def asked(answer: Answer, level: float) -> list[Answer]:
    """What each aspect that has a relevant document is answered with, in the order of the worlds' names."""
    parts = [answer.of_aspect(name) for name in ASPECTS]
    return [part for part in parts if part.relevant(level)]


@oracle("Complete")
def complete(answer: Answer, k: int | None = None, level: float = 1) -> float:
    parts = asked(answer, level)
    return float(bool(parts) and all(part.ranks(level, k) for part in parts))


@oracle("Chain", divides_by="relevant")
def chain(answer: Answer, k: int | None = None, level: float = 1) -> float:
    parts = asked(answer, level)
    unbroken = list(itertools.takewhile(lambda part: part.ranks(level, k), parts))
    return over(len(unbroken), len(parts))


@oracle("NuggetRecall")
def nugget_recall(answer: Answer, k: int | None = None, vital: bool = False, strict: bool = False) -> float:
    nuggets = {name for answers in answer.aspects for name in answers}
    nuggets = {name for name in nuggets if not vital or answer.weights.get(name, 1.0) >= 1}
    support = [
        max([0.0, *(min(grade, 1.0) for grade in answer.of_aspect(name).ranked[:k] if grade is not None)])
        for name in sorted(nuggets)
    ]
    return over(sum(float(part >= 1) if strict else part for part in support), len(nuggets))


@oracle("P_IA")
def intent_aware_precision(answer: Answer, k: int, level: float = 1) -> float:
    return answer.by_aspect(level, lambda part: precision(part, k=k, level=level))


@oracle("AP_IA", divides_by="relevant")
def intent_aware_ap(answer: Answer, k: int | None = None, level: float = 1) -> float:
    return answer.by_aspect(level, lambda part: average_precision(part, k=k, level=level))
