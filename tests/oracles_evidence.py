"""Oracles of the measures of evidence: sums over segments, each looked up in every document of the list."""

from __future__ import annotations

from oracles import Answer, oracle, over


def weights(answer: Answer, k: int | None, level: float) -> tuple[float, float, float, float]:
    """The weight of what was found, of all that is evidence, and of all that was returned; and of either."""
    found = evidence = returned = either = 0.0
    for name in sorted({name for answers in answer.aspects for name in answers}):
        weight = answer.weights.get(name, 1.0)
        grades = [answers[name] for answers in answer.answers[:k] if name in answers]
        is_evidence = any(answers.get(name, -1.0) >= level for answers in answer.aspects)
        is_returned = any(grade >= 0 for grade in grades)
        found += weight * any(grade >= level for grade in grades)
        evidence += weight * is_evidence
        returned += weight * is_returned
        either += weight * (is_evidence or is_returned)
    return found, evidence, returned, either


@oracle("EvidenceRecall", divides_by="relevant")
def evidence_recall(answer: Answer, k: int | None = None, level: float = 1) -> float:
    found, evidence, _, _ = weights(answer, k, level)
    return over(found, evidence)


@oracle("EvidencePrecision")
def evidence_precision(answer: Answer, k: int | None = None, level: float = 1) -> float:
    found, _, returned, _ = weights(answer, k, level)
    return over(found, returned)


@oracle("EvidenceIoU")
def evidence_iou(answer: Answer, k: int | None = None, level: float = 1) -> float:
    found, _, _, either = weights(answer, k, level)
    return over(found, either)
