"""On paper: measures that know only relevant and not relevant."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

from truerank.analysis.explain.worked.case import Case, Hit, once_each
from truerank.analysis.explain.worked.form import Line, Step, Sum, Worked, added, divided, quotient, whole
from truerank.analysis.explain.worked.registry import works
from truerank.core.messages import message


def relevant_total(total: int) -> Line:
    """The line that says how much there is to find."""
    return Line("R", message("relevant documents, found or not"), total)


def each(hits: Iterable[Hit]) -> Iterator[Step]:
    """Every document counts one."""
    return (Step(hit, "1", (), 1.0) for hit in hits)


def counted(found: list[Hit], divisor: float, lost: Iterable[Hit] = ()) -> Sum:
    """Relevant documents, counted for a measure that divides their number."""
    return added("N", message("counts"), each(found), lost).over(divisor)


@works("F")
def f_measure(case: Case, *, k: int, level: float, beta: float) -> Worked:
    """Precision and recall of the first k, as one number."""
    n, total = len(case.relevant(level, k)), case.total(level)
    p, r = n / k, quotient(n, total)
    above, below = (beta * beta + 1.0) * p * r, beta * beta * p + r
    lines = (
        relevant_total(total),
        Line("N", message("relevant among the first {a}"), n, (k,)),
        Line(message("precision"), "{} / {}", p, (n, k)),
        divided(message("recall"), n, total),
        Line("β²", message("how much more recall weighs than precision"), whole(beta * beta)),
        Line(message("above"), "(β² + 1) × {} × {}", above, (p, r)),
        Line(message("below"), "β² × {} + {}", below, (p, r)),
    )
    return Worked((), (*lines, divided(case.measure, above, below)))


@works("Success")
def success(case: Case, *, k: int, level: float) -> Worked:
    """Whether anything relevant is among the first k."""
    found = case.relevant(level, k)
    why = message("there is one at rank {a}") if found else message("there is none")
    lines = (
        Line("N", message("relevant among the first {a}"), len(found), (k,)),
        Line(case.measure, why, float(bool(found)), tuple(hit.rank for hit in found[:1])),
    )
    return Worked((), lines)


@works("RR")
def reciprocal_rank(case: Case, *, k: int | None, level: float) -> Worked:
    """One over the rank of the first relevant document."""
    found = case.relevant(level, k)[:1]
    if not found:
        nowhere = message("0, as nothing relevant is in the list")
        why = message("0, as nothing relevant is among the first {a}") if k else nowhere
        return Worked((), (Line(case.measure, why, 0.0, (k,) if k else ()),))
    rank = found[0].rank
    first = added(
        message("the first relevant document"), message("1 / rank"), [Step(found[0], "1 / {}", (rank,), 1 / rank)]
    )
    lines = (
        Line(message("rank"), message("of the first relevant document"), rank),
        Line(case.measure, "1 / {}", 1 / rank, (rank,)),
    )
    return Worked((replace(first.over(1), is_added=False),), lines)


Point = tuple[Hit, int, int]
"""A relevant document, how many are found with it, and among how many results."""


def precisions(points: Iterable[Point], lost: Iterable[Hit]) -> Sum:
    """The precision at each relevant document."""
    return added("Σ", message("precision {at}", at=message("at its rank")), map(_precision, points), lost)


def ranks(found: list[Hit]) -> list[Point]:
    """Each relevant document where it stands."""
    return [(hit, n, hit.rank) for n, hit in enumerate(found, 1)]


def _precision(point: Point) -> Step:
    hit, n, rank = point
    return Step(hit, "{} / {}", (n, rank), n / rank)


def divided_sum(case: Case, total: Sum, divisor: int, *lines: Line) -> Worked:
    """A sum over a number of documents."""
    line = divided(case.measure, total.value, divisor)
    return Worked((total.over(divisor),), (Line(total.name, message("the sum"), total.value), *lines, line))


@works("YAAP")
def yet_another_average_precision(case: Case, *, level: float) -> Worked:
    """Average precision as log odds."""
    at, total = precisions(ranks(case.relevant(level)), case.lost(level)), case.total(level)
    s = min(at.value, total)  # repeats that count can be more than the relevant
    value = math.log((1.0 + s) / (1.0 + total - s))
    how = "log((1 + {}) / (1 + {} − {}))"
    lines = (
        Line("S", message("the sum, at most R") if s < at.value else message("the sum"), s),
        relevant_total(total),
        Line(case.measure, how, value, (s, total, s)),
    )
    return Worked((at,), lines)


@works("RprecMult")
def r_precision_multiple(case: Case, *, x: float, level: float) -> Worked:
    """Precision after x times R results."""
    total = case.total(level)
    cut = math.floor(x * total + 0.9)
    found = case.relevant(level, cut)
    lines = (
        relevant_total(total),
        Line("c", message("{a} × {b} + 0.9, rounded down"), cut, (x, total)),
        Line("N", message("relevant among the first {a}"), len(found), (cut,)),
        divided(case.measure, len(found), cut),
    )
    return Worked((counted(found, cut, case.lost(level, cut)),), lines)


@works("Accuracy")
def pairwise_accuracy(case: Case, *, level: float) -> Worked:
    """The share of pairs in order."""
    found = case.relevant(level)
    wrong = case.returned - len(found)
    steps = (
        Step(hit, "{} − {}", (wrong, hit.rank - n), float(wrong - (hit.rank - n))) for n, hit in enumerate(found, 1)
    )
    pairs = added(message("in order"), message("others − others before it"), steps).over(len(found) * wrong)
    numbers = (
        Line("N", message("relevant documents that were returned"), len(found)),
        Line(message("others"), message("documents that were returned beside them"), wrong),
    )
    if not wrong:
        only, none = message("1, as only relevant documents were returned"), message("0, as nothing was returned")
        why = only if found else none
        return Worked((), (*numbers, Line(case.measure, why, float(bool(found)))))
    count = Line(message("pairs"), "{} × {}", len(found) * wrong, (len(found), wrong))
    in_order = Line(message("in order"), message("the sum"), int(pairs.value))
    line = divided(case.measure, int(pairs.value), len(found) * wrong)
    return Worked((pairs,), (*numbers, count, in_order, line))


@works("mINP")
def inverse_negative_penalty(case: Case, *, level: float) -> Worked:
    """How far one must read to find everything."""
    found, total = once_each(case.relevant(level)), case.total(level)
    if len(found) < total:
        why = message("0, as {a} of {b} relevant documents were not returned")
        last = Line(case.measure, why, 0.0, (total - len(found), total))
        return Worked((), (relevant_total(total), last))
    rank = found[-1].rank if found else 0
    lines = (relevant_total(total), Line(message("rank"), message("of the last relevant document"), rank))
    return Worked((), (*lines, divided(case.measure, total, rank)))
