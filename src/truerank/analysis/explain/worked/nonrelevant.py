"""On paper: measures that count what is not relevant."""

from __future__ import annotations

import math
from collections.abc import Iterator

from truerank.analysis.explain.worked.binary import relevant_total
from truerank.analysis.explain.worked.case import Case, Hit, once_each
from truerank.analysis.explain.worked.form import Line, Step, Worked, added, divided, quotient, whole
from truerank.analysis.explain.worked.registry import works
from truerank.core.messages import message


def others(case: Case, found: int, level: float, docs: int | None) -> Line:
    """The line that says how many documents are not relevant, of which so many were found that are."""
    if docs is None:
        return Line(
            message("others"), message("{a} − {b} that was returned"), case.returned - found, (case.returned, found)
        )
    total = case.total(level)
    return Line(message("others"), message("{a} − {b} of the collection"), docs - total, (docs, total))


@works("FallOut")
def fall_out(case: Case, *, k: int | None, level: float, docs: int | None) -> Worked:
    """The share of what is not relevant that is among the first k."""
    first, found = case.looked_at(k), len(case.relevant(level, k))
    universe = others(case, len(case.relevant(level)), level, docs)
    lines = (
        Line(message("wrong"), message("{a} − {b} of the first results"), first - found, (first, found)),
        universe,
        divided(case.measure, first - found, universe.value),
    )
    return Worked((), lines)


@works("MCC")
def matthews_correlation(case: Case, *, k: int | None, level: float, docs: int | None) -> Worked:
    """The correlation of being among the first k and being relevant."""
    tp, found = float(len(once_each(case.relevant(level, k)))), len(once_each(case.relevant(level)))
    fp, fn = case.looked_at(k) - tp, case.total(level) - tp
    universe = others(case, found, level, docs)
    tn = universe.value - fp
    scale = math.sqrt((tp + fp) * (tp + fn)) * math.sqrt((tn + fp) * (tn + fn))
    counts = {
        "TP": (message("relevant among the first results"), tp),
        "FP": (message("others among the first results"), fp),
        "FN": (message("relevant elsewhere or not found"), fn),
        "TN": (message("others elsewhere"), tn),
    }
    lines = [universe, *(Line(name, how, whole(value)) for name, (how, value) in counts.items())]
    above = Line(message("above"), "{} × {} − {} × {}", tp * tn - fp * fn, tuple(map(whole, (tp, tn, fp, fn))))
    below = Line(message("below"), "√((TP + FP) (TP + FN) (TN + FP) (TN + FN))", scale)
    return Worked((), (*lines, above, below, divided(case.measure, above.value, scale)))


@works("AUROC")
def area_under_roc(case: Case, *, k: int | None, level: float) -> Worked:
    """The share of pairs in order, equal scores counting half."""
    found = case.relevant(level, k)
    deepest = case.looked_at(k)
    wrong = deepest - len(found)
    pairs = added(message("in order"), message("others − above it − equal / 2"), _pairs(found, wrong, deepest))
    pairs = pairs.over(len(found) * wrong)
    lines = (
        relevant_total(case.total(level)),
        Line("N", message("relevant among the first results"), len(found)),
        Line(message("others"), message("others among the first results"), wrong),
        Line(message("in order"), message("the sum"), whole(pairs.value)),
        Line(message("pairs"), "{} × {}", len(found) * wrong, (len(found), wrong)),
        Line(case.measure, message("in order / pairs"), quotient(pairs.value, len(found) * wrong)),
    )
    return Worked((pairs,), lines)


def _pairs(found: list[Hit], wrong: int, deepest: int) -> Iterator[Step]:
    for hit in found:
        end = min(hit.last, deepest)
        above = hit.first - 1 - sum(other.rank < hit.first for other in found)
        equal = end - sum(other.rank <= end for other in found) - above
        yield Step(hit, "{} − {} − {} / 2", (wrong, above, equal), wrong - above - equal / 2)
