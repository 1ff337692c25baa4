"""Oracles of the measures over aspects."""

from __future__ import annotations

from oracles import Answer, average_precision, oracle, precision


@oracle("StRecall")
def subtopic_recall(answer: Answer, k: int | None = None, level: float = 1) -> float:
    return answer.by_aspect(level, lambda part: float(bool(part.ranks(level, k))))


@oracle("P_IA")
def intent_aware_precision(answer: Answer, k: int, level: float = 1) -> float:
    return answer.by_aspect(level, lambda part: precision(part, k=k, level=level))


@oracle("AP_IA")
def intent_aware_ap(answer: Answer, k: int | None = None, level: float = 1) -> float:
    return answer.by_aspect(level, lambda part: average_precision(part, k=k, level=level))
