"""On paper: which aspects of a query were answered, at which rank, and how much of the evidence was returned."""

from __future__ import annotations

from truerank.analysis.explain.worked.case import Case
from truerank.analysis.explain.worked.derived import hits_of
from truerank.analysis.explain.worked.form import Line, Worked, divided, whole
from truerank.analysis.explain.worked.registry import works
from truerank.core.hits import Hits
from truerank.core.kernel.scanning import as_text
from truerank.core.messages import message
from truerank.measures import aspects
from truerank.measures.evidence import Segments


def answered(hits: Hits, k: int | None, level: float) -> list[Line]:
    """Of each aspect that has a relevant document, whether one of the first k is, and at which rank it comes."""
    by_aspect = hits.top(k).by_aspect
    found, total = by_aspect.hits.relevant(level), by_aspect.hits.relevant_total(level)
    first = dict(reversed(list(zip(found.query.tolist(), found.rank.tolist(), strict=True))))
    lines = []
    for number, name in enumerate(by_aspect.hits.queries):
        if total[number] and number in first:
            lines.append(Line(as_text(name), message("answered at rank {a}"), 1, (first[number],)))
        elif total[number]:
            lines.append(Line(as_text(name), message("no relevant document returned"), 0))
    return lines


@works("Complete")
def complete(case: Case, *, k: int | None, level: float) -> Worked:
    """Every aspect, and whether all are answered."""
    hits = hits_of(case)
    value = float(aspects.complete(hits, k=k, level=level)[0])
    last = Line(case.measure, message("1 if all are answered, else 0"), value)
    return Worked((), (*answered(hits, k, level), last))


@works("Chain")
def chain(case: Case, *, k: int | None, level: float) -> Worked:
    """The aspects in their order, and the share of those before the first that is not answered."""
    hits = hits_of(case)
    lines, value = answered(hits, k, level), float(aspects.chain(hits, k=k, level=level)[0])
    reached = next((place for place, line in enumerate(lines) if not line.value), len(lines))
    how = "{} / {}" if lines else message("no aspect has a relevant document")
    share = Line(case.measure, how, value, (reached, len(lines)) if lines else ())
    before = Line("N", message("answered before the first that is not"), reached)
    return Worked((), (*lines, *([before] if lines else []), share))


@works("NuggetRecall")
def nugget_recall(case: Case, *, k: int | None, vital: bool, strict: bool) -> Worked:
    """The support of every nugget that counts, and their mean."""
    hits = hits_of(case)
    nuggets = aspects.Nuggets.of(hits, k, vital, strict)
    rows = zip(nuggets.by_aspect.hits.queries, nuggets.support.tolist(), nuggets.is_asked.tolist(), strict=True)
    lines = [Line(as_text(name), message("its best support"), whole(one)) for name, one, counts in rows if counts]
    value = float(aspects.nugget_recall(hits, k=k, vital=vital, strict=strict)[0])
    if not lines:
        return Worked((), (Line(case.measure, message("no nugget counts"), value),))
    total = sum(line.value for line in lines)
    ends = Line("Σ", message("the sum"), total), Line(case.measure, "{} / {}", value, (total, len(lines)))
    return Worked((), (*lines, *ends))


def _evidence(case: Case, k: int | None, level: float, over: str) -> Worked:
    """The weight of the evidence found, divided by that of all evidence, of all that was returned, or of both."""
    segments = Segments(hits_of(case), k, level)
    of = {
        "evidence": (segments.is_evidence, message("the weight of the evidence")),
        "returned": (segments.is_returned, message("the weight of what was returned")),
        "either": (segments.is_evidence | segments.is_returned, message("the weight of what either has")),
    }
    some, words = of[over]
    found, total = (float(segments.weight_of(rows)[0]) for rows in (segments.is_found, some))
    last = divided(case.measure, whole(found), whole(total))
    lines = Line("F", message("the weight of the evidence found"), whole(found)), Line("W", words, whole(total))
    return Worked((), (*lines, last))


@works("EvidenceRecall")
def evidence_recall(case: Case, *, k: int | None, level: float) -> Worked:
    """What was found of the evidence."""
    return _evidence(case, k, level, "evidence")


@works("EvidencePrecision")
def evidence_precision(case: Case, *, k: int | None, level: float) -> Worked:
    """What of the returned is evidence."""
    return _evidence(case, k, level, "returned")


@works("EvidenceIoU")
def evidence_iou(case: Case, *, k: int | None, level: float) -> Worked:
    """What both have."""
    return _evidence(case, k, level, "either")
