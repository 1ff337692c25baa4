"""Measures that know that not everything was judged."""

from __future__ import annotations

from collections.abc import Iterator

from truerank.analysis.explain.worked.binary import counted, divided_sum, relevant_total
from truerank.analysis.explain.worked.case import Case, Hit
from truerank.analysis.explain.worked.form import Line, Step, Worked, added, divided, quotient
from truerank.analysis.explain.worked.registry import works
from truerank.core.messages import message
from truerank.measures.incomplete import EPSILON


@works("Bpref", "GMBpref")
def binary_preference(case: Case, *, level: float) -> Worked:
    """How seldom documents judged wrong stand before relevant ones."""
    total = case.total(level)
    wrong = sum(0 <= hit.grade < level for hit in case.judged)
    steps = _preferences(case, level, total, min(wrong, total))
    preferred = added("Σ", message("1 − wrong before it, at most R / min(NR, R)"), steps, case.lost(level))
    lines = (
        relevant_total(total),
        Line("NR", message("documents judged and not relevant"), wrong),
        Line("min(NR, R)", message("the smaller of {a} and {b}"), min(wrong, total), (wrong, total)),
    )
    return divided_sum(case, preferred, total, *lines)


def _preferences(case: Case, level: float, total: int, most: int) -> Iterator[Step]:
    before = 0
    for hit in case.hits:
        if hit.grade >= level:
            shown = min(before, total)
            how, numbers = ("1 − {} / {}", (shown, most)) if most else (message("1, as none is judged wrong"), ())
            yield Step(hit, how, numbers, 1.0 - quotient(shown, most))
        elif hit.grade >= 0:
            before += 1


@works("infAP")
def inferred_average_precision(case: Case, *, level: float) -> Worked:
    """Average precision as estimated from a sample of the pool."""
    total = case.total(level)
    estimates = added(
        "Σ", message("1/i + (i−1)/i × pooled/(i−1) × relevant"), _estimates(case, level), case.lost(level)
    )
    return divided_sum(case, estimates, total, relevant_total(total))


def _estimates(case: Case, level: float) -> Iterator[Step]:
    relevant = wrong = pooled = 0
    for hit in case.hits:
        if hit.grade >= level:
            yield _estimate(hit, relevant, wrong, pooled)
            relevant += 1
        elif hit.grade >= 0:
            wrong += 1
        pooled += hit.grade < 0


def _estimate(hit: Hit, relevant: int, wrong: int, pooled: int) -> Step:
    rank, above = hit.rank, max(hit.rank - 1, 1)
    known = relevant + wrong + pooled
    chance = (relevant + EPSILON) / (relevant + wrong + 2 * EPSILON)
    value = 1.0 / rank + (rank - 1.0) / rank * (known / above) * chance
    if rank == 1:
        return Step(hit, "1 / 1", (), value)
    how = "1/{} + {}/{} × {}/{} × {}"
    return Step(hit, how, (rank, rank - 1, rank, known, above, chance), value)


@works("Judged")
def judged(case: Case, *, k: int | None) -> Worked:
    """The share of the first k that anybody judged."""
    known = [hit for hit in case.top(k) if hit.grade >= 0]
    returned = case.returned if k is None else min(case.returned, k)
    looked = Line("min(k, n)", message("the smaller of {a} and {b}"), returned, (k, case.returned)) if k else None
    lines = (
        Line(
            message("judged"),
            message("of the first {a}") if k else message("of all that came back"),
            len(known),
            (k,) if k else (),
        ),
        looked or Line("n", message("documents came back"), returned),
        divided(case.measure, len(known), returned),
    )
    return Worked((counted(known, returned),), lines)


@works("Unjudged")
def unjudged(case: Case, *, k: int) -> Worked:
    """The share of the first k ranks with a result that nobody judged."""
    known = len([hit for hit in case.top(k) if hit.grade >= 0])
    returned = min(case.returned, k)
    lines = (
        Line("min(k, n)", message("the smaller of {a} and {b}"), returned, (k, case.returned)),
        Line(message("judged"), message("of the first {a}"), known, (k,)),
        Line(message("unjudged"), "{} − {}", returned - known, (returned, known)),
        divided(case.measure, returned - known, k),
    )
    return Worked((), lines)
