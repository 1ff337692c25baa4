"""NTCIR's measures again, as sums over the ranks of a list."""

from __future__ import annotations

from typing import Any

from oracles import Answer, expected_reciprocal_rank, gain_of, oracle, over, satisfaction


def blended(answer: Answer, rank: int, beta: float, gain: Any, level: float) -> float:
    """What was found by a rank, of what could have been, in number and in gain together."""
    top = [grade for grade in answer.ranked[:rank] if grade is not None and grade >= level]
    best = sorted((gain_of(grade, gain) for grade in answer.judged if grade >= level), reverse=True)
    got = sum(gain_of(grade, gain) for grade in top)
    return (len(top) + beta * got) / (rank + beta * sum(best[:rank]))


@oracle("Q", divides_by="relevant")
def q(answer: Answer, k: int | None = None, beta: float = 1, gain: Any = "linear", level: float = 1) -> float:
    possible = answer.relevant(level) if k is None else min(answer.relevant(level), k)
    ratios = [blended(answer, rank, beta, gain, level) for rank in answer.ranks(level, k)]
    return over(sum(ratios), possible)


@oracle("O", divides_by="relevant")
def o(answer: Answer, beta: float = 1, gain: Any = "linear", level: float = 1) -> float:
    ranks = answer.ranks(level)
    return blended(answer, ranks[0], beta, gain, level) if ranks else 0.0


def best_rank(answer: Answer, level: float) -> int:
    """Where the first document of the highest grade of the list stands."""
    ranks = answer.ranks(level)
    return max(ranks, key=lambda rank: (answer.ranked[rank - 1], -rank)) if ranks else 0


@oracle("PMeasure", divides_by="relevant")
def p(answer: Answer, beta: float = 1, gain: Any = "linear", level: float = 1) -> float:
    rank = best_rank(answer, level)
    return blended(answer, rank, beta, gain, level) if rank else 0.0


@oracle("Pplus", divides_by="relevant")
def p_plus(answer: Answer, beta: float = 1, gain: Any = "linear", level: float = 1) -> float:
    ranks = [rank for rank in answer.ranks(level) if rank <= best_rank(answer, level)]
    return sum(blended(answer, rank, beta, gain, level) for rank in ranks) / len(ranks) if ranks else 0.0


@oracle("NCU", divides_by="relevant")
def ncu(
    answer: Answer,
    stop: str = "graded",
    beta: float = 1,
    gamma: float = 0.95,
    gain: Any = "linear",
    stops: Any = None,
    level: float = 1,
) -> float:
    ranks, scale = answer.ranks(level), gain if stops is None else stops
    if stop == "graded":
        weights = [gain_of(answer.ranked[rank - 1], scale) for rank in ranks]
        every = sum(gain_of(grade, scale) for grade in answer.judged if grade >= level)
    else:
        weights = [gamma**nth for nth in range(len(ranks))]
        every = sum(gamma**nth for nth in range(answer.relevant(level)))
    pairs = zip(weights, ranks, strict=True)
    total = sum(weight * blended(answer, rank, beta, gain, level) for weight, rank in pairs)
    return over(total, every)


@oracle("nERR", takes_unjudged_grades=True, divides_by="gain")
def n_err(answer: Answer, k: int | None = None, max_grade: float | None = None, gain: Any = "exp") -> float:
    highest = answer.max_grade if max_grade is None else max_grade
    ideal = sorted(answer.judged, key=lambda grade: satisfaction(grade, highest, gain), reverse=True)
    best = Answer(list(ideal), answer.judged, answer.max_grade, [])
    most = expected_reciprocal_rank(best, k, max_grade, gain)
    return over(expected_reciprocal_rank(answer, k, max_grade, gain), most)


@oracle("iRBU", takes_unjudged_grades=True)
def i_rbu(
    answer: Answer, k: int | None = None, p: float = 0.99, max_grade: float | None = None, gain: Any = "exp"
) -> float:
    """The recursion: who is not satisfied goes on, and a little of their patience is gone."""
    highest = answer.max_grade if max_grade is None else max_grade

    def at(rank: int) -> float:
        if rank > len(answer.ranked) or (k is not None and rank > k):
            return 0.0
        grade = answer.ranked[rank - 1]
        chance = 0.0 if grade is None else satisfaction(grade, highest, gain)
        return p * (chance + (1 - chance) * at(rank + 1))

    return at(1)


NTCIR_VARIANTS: dict[str, list[str]] = {
    "Q": ["Q(beta=0)", "Q(beta=10)@4", "Q(gain='exp')", "Q(gain={1: 3, 2: 4.5})@5"],
    "O": ["O(beta=0.5)", "O(gain='exp')"],
    "PMeasure": ["PMeasure(beta=0.5)", "PMeasure(gain='exp')"],
    "Pplus": ["Pplus(beta=0.5)", "Pplus(gain='exp')"],
    "NCU": [
        *("NCU(beta=0)", "NCU(gain='exp')", "NCU(stops={1: 2, 2: 3})", "NCU(stop='rank-biased')"),
        *("NCU(stop='rank-biased', gamma=0)", "NCU(stop='rank-biased', beta=0, gamma=1)"),
    ],
    "nERR": [
        "nERR(gain='linear')",
        "nERR(max_grade=4)@2",
        "nERR(gain={1: 3, 2: 4.5})@5",
        "nERR(max_grade=2, gain={1: 3, 2: 1})@2",
    ],
    "iRBU": ["iRBU(p=0.5)@4", "iRBU(max_grade=2)", "iRBU(gain='linear', p=1)"],
}
