"""On paper: measures of everything that was returned, whatever its order; and counts."""

from __future__ import annotations

from truerank.analysis.explain.worked.binary import counted, relevant_total
from truerank.analysis.explain.worked.case import Case
from truerank.analysis.explain.worked.form import Line, Worked, divided, quotient, whole
from truerank.analysis.explain.worked.registry import works
from truerank.core.messages import message
from truerank.measures.sets import squared_beta


def returned(case: Case) -> Line:
    """The line that says how much was returned."""
    return Line("n", message("documents were returned"), case.returned)


def found(number: int) -> Line:
    """The line that says how much of it is relevant."""
    return Line("N", message("relevant documents among them"), number)


@works("SetSuccess")
def set_success(case: Case, *, level: float) -> Worked:
    """Whether anything relevant was returned."""
    n = len(case.relevant(level))
    why = message("something relevant was returned") if n else message("nothing relevant was returned")
    return Worked((), (returned(case), found(n), Line(case.measure, why, float(n > 0))))


@works("SetF")
def set_f(case: Case, *, level: float, beta: float, alpha: float | None, beta_squared: float | None) -> Worked:
    """Precision and recall of all that was returned, as one number."""
    n, total = len(case.relevant(level)), case.total(level)
    p, r = quotient(n, case.returned), quotient(n, total)
    counts = (relevant_total(total), returned(case), found(n))
    both = divided(message("precision"), n, case.returned), divided(message("recall"), n, total)
    weight = squared_beta(beta, alpha, beta_squared)
    if weight is None:
        return Worked((), (*counts, *both, Line(case.measure, message("recall alone, as alpha is 0"), r)))
    above, below = (weight + 1.0) * p * r, weight * p + r
    steps = (
        Line("β²", message("how much more recall weighs than precision"), whole(weight)),
        Line(message("above"), "(β² + 1) × {} × {}", above, (p, r)),
        Line(message("below"), "β² × {} + {}", below, (p, r)),
    )
    return Worked((), (*counts, *both, *steps, divided(case.measure, above, below)))


@works("SetAP")
def set_average_precision(case: Case, *, level: float) -> Worked:
    """Precision times recall."""
    n, total = len(case.relevant(level)), case.total(level)
    top, bottom = n * n, case.returned * total
    how = "{} × {} / ({} × {})" if bottom else message("0, as there is nothing to divide by")
    numbers = (n, n, case.returned, total) if bottom else ()
    result = Line(case.measure, how, quotient(top, bottom), numbers)
    return Worked((), (relevant_total(total), returned(case), found(n), result))


@works("Utility")
def utility(case: Case, *, level: float, a: float, b: float, c: float, d: float, docs: int | None) -> Worked:
    """A price for each document."""
    n, total = len(case.relevant(level)), case.total(level)
    wrong, missed, left_out = case.returned - n, total - n, (docs or 0) + n - case.returned - total
    lines = [
        Line(message("found"), message("relevant documents that were returned"), n),
        Line(message("wrong"), message("others that were returned"), wrong),
        Line(message("missed"), message("relevant documents that were not returned"), missed),
    ]
    priced = [(a, n), (b, wrong), (c, missed), (d, left_out)] if d else [(a, n), (b, wrong), (c, missed)]
    if d:
        lines.append(Line(message("left out"), message("other documents of the collection"), left_out))
    how = " + ".join("{} × {}" for _ in priced)
    value = float(a * n + b * wrong + c * missed + d * left_out)
    return Worked((), (*lines, Line(case.measure, how, value, tuple(x for pair in priced for x in pair))))


@works("NumQ")
def queries(case: Case) -> Worked:
    """One for each query."""
    return Worked((), (Line(case.measure, message("one for each query"), 1),))


@works("NumRet")
def number_returned(case: Case, *, rel: float | None) -> Worked:
    """How many documents were returned."""
    if rel is None:
        return Worked((), (Line(case.measure, message("documents were returned"), case.returned),))
    hits = case.relevant(rel)
    return Worked(
        (counted(hits, 1),),
        (Line(case.measure, message("was returned with a grade of at least {a}"), len(hits), (rel,)),),
    )


@works("NumRel")
def number_relevant(case: Case, *, level: float) -> Worked:
    """How many relevant documents there are."""
    return Worked((), (Line(case.measure, message("relevant documents, found or not"), case.total(level)),))
