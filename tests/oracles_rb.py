"""The oracle of likeness to an ideal list: rank-biased overlap with sets, depth by depth."""

from __future__ import annotations

from oracles import Answer, oracle, over


@oracle("Compat", divides_by="gain")
def compatibility(answer: Answer, p: float = 0.95, normalize: bool = True) -> float:
    """The ideal list has equal grades as they were returned, and those that were not behind them."""
    ideal: list[object] = []
    for grade in sorted({grade for grade in answer.judged if grade > 0}, reverse=True):
        returned = [rank for rank, found in enumerate(answer.ranked, 1) if found == grade]
        lost = answer.judged.count(grade) - len(returned)
        ideal += [*returned, *((grade, number) for number in range(lost))]
    ranked: list[object] = list(range(1, len(answer.ranked) + 1))
    depth = max(len(ranked), len(ideal))
    best = overlap(ideal, ideal, p, depth) if normalize else sum(p**d for d in range(depth))
    return over(overlap(ranked, ideal, p, depth), best)


def overlap(one: list[object], other: list[object], p: float, depth: int) -> float:
    """What both have in common down to each depth, by that depth, each p times as much as the one before."""
    return sum(p ** (d - 1) * len(set(one[:d]) & set(other[:d])) / d for d in range(1, depth + 1))
