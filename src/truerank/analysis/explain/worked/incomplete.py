"""On paper: measures that know that not everything was judged."""

from __future__ import annotations

from collections.abc import Iterator

from truerank.analysis.explain.worked.binary import counted, divided_sum, relevant_total
from truerank.analysis.explain.worked.case import Case
from truerank.analysis.explain.worked.form import Line, Step, Worked, added, divided, quotient
from truerank.analysis.explain.worked.registry import works
from truerank.core.messages import message


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


@works("Judged")
def judged(case: Case, *, k: int | None) -> Worked:
    """The share of the first k that anybody judged."""
    known = [hit for hit in case.top(k) if hit.grade >= 0]
    returned = case.looked_at(k)
    looked = Line("min(k, n)", message("the smaller of {a} and {b}"), returned, (k, case.returned)) if k else None
    lines = (
        Line(
            message("judged"),
            message("of the first {a}") if k else message("of all that was returned"),
            len(known),
            (k,) if k else (),
        ),
        looked or Line("n", message("documents were returned"), returned),
        divided(case.measure, len(known), returned),
    )
    return Worked((counted(known, returned),), lines)


@works("Unjudged")
def unjudged(case: Case, *, k: int) -> Worked:
    """The share of the first k ranks with a result that is unjudged."""
    known = len([hit for hit in case.top(k) if hit.grade >= 0])
    returned = case.looked_at(k)
    lines = (
        Line("min(k, n)", message("the smaller of {a} and {b}"), returned, (k, case.returned)),
        Line(message("judged"), message("of the first {a}"), known, (k,)),
        Line(message("unjudged"), "{} − {}", returned - known, (returned, known)),
        divided(case.measure, returned - known, k),
    )
    return Worked((), lines)
