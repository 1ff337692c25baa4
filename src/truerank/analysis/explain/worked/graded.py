"""Measures that know how relevant a document is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from truerank.analysis.explain.worked.case import Case, Hit
from truerank.analysis.explain.worked.discounts import Discounting
from truerank.analysis.explain.worked.form import Line, Step, Sum, Worked, added, divided, whole
from truerank.analysis.explain.worked.registry import works
from truerank.measures.gains import gains


def worth(grade: float, gain: Any, start: float = 0) -> float:
    """The gain of a grade."""
    return float(gains(np.array([grade], np.float64), gain, start)[0])


def best_list(case: Case, gain: Any, ideal: str = "full", start: float = 0) -> list[Hit]:
    """The best possible ranking: every judged document with a gain, the best gain first."""
    ranked = sorted(case.judged, key=lambda hit: -worth(hit.grade, gain, start))
    best = [hit._replace(rank=rank) for rank, hit in enumerate(ranked, 1) if worth(hit.grade, gain, start) > 0]
    return best[: case.returned] if ideal == "returned" else best


def discounted(
    name: str, hits: Sequence[Hit], k: int | None, gain: Any, discount: Discounting, start: float
) -> Sum:
    """The gains of the first k results, each with the discount of its rank."""
    worths = ((hit, worth(hit.grade, gain, start)) for hit in hits if k is None or hit.rank <= k)
    steps = (discount.step(hit, value) for hit, value in worths if value > 0)
    return added(name, f"{_gain(gain)} {discount.words}", steps)


def _gain(gain: Any) -> str:
    return {"linear": "grade", "exp": "(2^grade − 1)"}.get(gain, "gain") if isinstance(gain, str) else "gain"


def _gained(name: str, case: Case, k: int | None, gain: Any, discount: Discounting, ties: str, start: float) -> Sum:
    """The discounted gains of what came back."""
    if ties != "averaged":
        return discounted(name, case.hits, k, gain, discount, start)
    hits, limit = (*case.hits, *case.beyond), case.limit(k)
    lowest = max((hit.last for hit in hits), default=0)
    deepest = lowest if limit is None else min(limit, lowest)
    below = [0.0, *_running(discount.weight(rank) for rank in range(1, deepest + 1))]
    steps = (_averaged(hit, worth(hit.grade, gain, start), below, discount) for hit in hits)
    return added(name, f"{_gain(gain)} × mean discount of its equals", (step for step in steps if step.value > 0))


def _averaged(hit: Hit, gain: float, below: list[float], discount: Discounting) -> Step:
    """A gain times what the ranks of its group weigh on average; `below` sums the weights down to each rank."""
    deepest, size = len(below) - 1, hit.last - hit.first + 1
    if size == 1:
        step = discount.step(hit, gain)
        return step if hit.rank <= deepest else step._replace(value=0.0)
    shared = below[min(hit.last, deepest)] - below[min(hit.first - 1, deepest)]
    return Step(hit, "{} × {} / {}", (whole(gain), shared, size), gain * shared / size)


@works("DCG")
def dcg(
    case: Case, *, k: int | None, gain: Any, gain_from: float, discount: Any, log_base: float, ties: str
) -> Worked:
    """The sum of the discounted gains."""
    got = _gained(case.measure, case, k, gain, Discounting(discount, log_base), ties, gain_from).over(1)
    return Worked((got,), (Line(case.measure, "the sum", got.value),))


@works("IDCG")
def ideal_dcg(
    case: Case, *, k: int | None, gain: Any, gain_from: float, discount: Any, log_base: float, ideal: str
) -> Worked:
    """The sum of the discounted gains of the best possible list."""
    listed = best_list(case, gain, ideal, gain_from)
    best = discounted(case.measure, listed, k, gain, Discounting(discount, log_base), gain_from)
    return Worked((best,), (Line(case.measure, "the sum, over the best possible list", best.value),))


@works("nDCG")
def ndcg(
    case: Case,
    *,
    k: int | None,
    gain: Any,
    gain_from: float,
    discount: Any,
    log_base: float,
    ideal: str,
    ties: str,
) -> Worked:
    """The discounted gains over those of the best possible list."""
    by = Discounting(discount, log_base)
    got = _gained("DCG", case, k, gain, by, ties, gain_from)
    best = discounted("IDCG", best_list(case, gain, ideal, gain_from), k, gain, by, gain_from)
    lines = (
        Line("DCG", "the sum over what came back", got.value),
        Line("IDCG", "the sum over the best possible list", best.value),
        divided(case.measure, got.value, best.value),
    )
    return Worked((got.over(best.value), best), lines)


@works("G")
def normalised_g(case: Case, *, gain: Any) -> Worked:
    """The gains, each discounted by the gain missed before it."""
    best = [worth(hit.grade, gain) for hit in best_list(case, gain)]
    costs = list(_running(max(value, 1.0) for value in best))
    steps, got = [], 0.0
    for hit in case.hits:
        value = worth(hit.grade, gain)
        got += value
        cost = (costs[min(hit.rank, len(costs)) - 1] if costs else 0.0) + max(hit.rank - len(best), 0)
        numbers = (whole(value), whole(cost), whole(got))
        steps.append(Step(hit, "{} / log2(2 + {} − {})", numbers, value / math.log2(2 + cost - got)))
    most = [0.0, *_running(best)][-1]
    gained = added("Σ", "gain / log2(2 + cost − gained)", (step for step in steps if step.numbers[0] > 0)).over(
        most
    )
    lines = (
        Line("Σ", "the sum", gained.value),
        Line("gains", "of all that is judged", whole(most)),
        divided(case.measure, gained.value, most),
    )
    return Worked((gained,), lines)


def _running(values: Iterable[float]) -> Iterator[float]:
    total = 0.0
    for value in values:
        total += value
        yield total
