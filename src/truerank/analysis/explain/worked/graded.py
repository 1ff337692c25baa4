"""Measures that know how relevant a document is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from truerank.analysis.explain.worked.case import Case, Hit
from truerank.analysis.explain.worked.form import Line, Step, Worked, added, divided, whole
from truerank.analysis.explain.worked.registry import works
from truerank.core.messages import message
from truerank.measures.gains import gains


def worth(grade: float, gain: Any, start: float = 0) -> float:
    """The gain of a grade."""
    return float(gains(np.array([grade], np.float64), gain, start)[0])


def best_list(case: Case, gain: Any, ideal: str = "full", start: float = 0) -> list[Hit]:
    """The best possible ranking: every judged document with a gain, the best gain first."""
    ranked = sorted(case.judged, key=lambda hit: -worth(hit.grade, gain, start))
    best = [hit._replace(rank=rank) for rank, hit in enumerate(ranked, 1) if worth(hit.grade, gain, start) > 0]
    return best[: case.returned] if ideal == "returned" else best


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
    gained = added(
        "Σ", message("gain / log2(2 + cost − gained)"), (step for step in steps if step.numbers[0] > 0)
    ).over(most)
    lines = (
        Line("Σ", message("the sum"), gained.value),
        Line(message("gains"), message("of all that is judged"), whole(most)),
        divided(case.measure, gained.value, most),
    )
    return Worked((gained,), lines)


def _running(values: Iterable[float]) -> Iterator[float]:
    total = 0.0
    for value in values:
        total += value
        yield total
