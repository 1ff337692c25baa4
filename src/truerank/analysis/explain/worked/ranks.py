"""On paper: measures that are ranks."""

from __future__ import annotations

from truerank.analysis.explain.worked.binary import relevant_total
from truerank.analysis.explain.worked.case import Case, once_each
from truerank.analysis.explain.worked.form import Line, Step, Worked, added, whole
from truerank.analysis.explain.worked.registry import works
from truerank.core.messages import message


def nothing(case: Case, k: int) -> Line:
    """The line of a query without anything to find among the first k."""
    return Line(case.measure, message("{a} + 1, as nothing relevant is among the first {b}"), k + 1.0, (k, k))


@works("FirstRank")
def first_rank(case: Case, *, k: int, level: float) -> Worked:
    """The rank of the first relevant document."""
    found = case.relevant(level, k)[:1]
    first = [Line(case.measure, message("of the first relevant document"), float(hit.rank)) for hit in found]
    return Worked((), tuple(first) or (nothing(case, k),))


@works("MeanRank")
def mean_rank(case: Case, *, k: int, level: float) -> Worked:
    """The mean rank of the relevant documents."""
    total = case.total(level)
    if not total:
        return Worked((), (relevant_total(total), nothing(case, k)))
    found = once_each(case.relevant(level, k))
    ranks = added("Σ", message("rank"), (Step(hit, "{}", (hit.rank,), float(hit.rank)) for hit in found))
    missed = total - len(found)
    whole_sum = ranks.value + missed * (k + 1.0)
    lines = (
        relevant_total(total),
        Line(message("missed"), message("relevant documents that are not among the first {a}"), missed, (k,)),
        Line("Σ", "{} + {} × ({} + 1)", whole_sum, (whole(ranks.value), missed, k)),
        Line(case.measure, "{} / {}", whole_sum / total, (whole(whole_sum), total)),
    )
    return Worked((ranks,), lines)


@works("ARP")
def average_relevance_position(case: Case, *, k: int) -> Worked:
    """The mean rank of the judged documents, weighted by grade."""
    weight = 0.0
    for hit in case.judged:
        weight += max(hit.grade, 0.0)
    grades = Line(message("grades"), message("of all that is judged"), whole(weight))
    if not weight:
        return Worked((), (grades, nothing(case, k)))
    there = [hit for hit in once_each(case.top(k)) if hit.grade > 0]
    steps = (Step(hit, "{} × {}", (whole(hit.grade), hit.rank), hit.grade * hit.rank) for hit in there)
    ranks, found = added("Σ", message("grade × rank"), steps), 0.0
    for hit in there:
        found += hit.grade
    missed = max(weight - found, 0.0)
    whole_sum = ranks.value + missed * (k + 1.0)
    lines = (
        grades,
        Line(message("missed"), message("grades of what is not among the first {a}"), whole(missed), (k,)),
        Line("Σ", "{} + {} × ({} + 1)", whole_sum, (whole(ranks.value), whole(missed), k)),
        Line(case.measure, "{} / {}", whole_sum / weight, (whole(whole_sum), whole(weight))),
    )
    return Worked((ranks,), lines)
