"""On paper: the means over aspects, and what intent recall and D-nDCG come to."""

from __future__ import annotations

from collections.abc import Callable

from truerank.analysis.explain.worked.case import Case
from truerank.analysis.explain.worked.derived import hits_of
from truerank.analysis.explain.worked.form import Line, Worked, whole
from truerank.analysis.explain.worked.registry import works
from truerank.core.hits import Bools, Hits
from truerank.core.kernel.scanning import as_text
from truerank.core.messages import message
from truerank.measures.binary import average_precision, precision
from truerank.measures.diversity import global_ndcg, intent_recall
from truerank.measures.gains import ideal_ranking
from truerank.measures.graded import ndcg
from truerank.measures.parameters import Worth
from truerank.measures.sums import PerQuery
from truerank.measures.terms import Terms


def over_aspects(case: Case, value: Callable[[Hits], PerQuery | Terms], counts: Callable[[Hits], Bools]) -> Worked:
    """The mean by the aspects' weights; those that do not count have no line."""
    by_aspect = hits_of(case).by_aspect
    found, is_asked = value(by_aspect.hits), counts(by_aspect.hits)
    values = found.result if isinstance(found, Terms) else found
    rows = zip(by_aspect.hits.queries, values.tolist(), by_aspect.weight.tolist(), is_asked.tolist(), strict=True)
    lines = [
        Line(as_text(name), message("for this aspect, of the weight {a}"), one, (whole(weight),))
        for name, one, weight, is_one in rows
        if is_one
    ]
    mean = float(by_aspect.over(values, is_asked)[0])
    return Worked((), (*lines, Line(case.measure, message("the mean over the aspects, by their weights"), mean)))


@works("P_IA")
def intent_aware_precision(case: Case, *, k: int, level: float) -> Worked:
    """The precision for each aspect."""
    return over_aspects(
        case, lambda hits: precision(hits, k=k, level=level), lambda hits: hits.relevant_total(level) > 0
    )


@works("AP_IA")
def intent_aware_ap(case: Case, *, k: int | None, level: float) -> Worked:
    """The average precision for each aspect."""
    return over_aspects(
        case, lambda hits: average_precision(hits, k=k, level=level), lambda hits: hits.relevant_total(level) > 0
    )


@works("nDCG_IA")
def intent_aware_ndcg(case: Case, *, k: int | None, gain: Worth) -> Worked:
    """nDCG for each aspect."""
    return over_aspects(
        case, lambda hits: ndcg(hits, k=k, gain=gain), lambda hits: ideal_ranking(hits, gain).count > 0
    )


@works("Dsharp_nDCG")
def sharp_ndcg(case: Case, *, k: int | None, gamma: float, gain: Worth, level: float) -> Worked:
    """Intent recall and D-nDCG, a share of each."""
    hits = hits_of(case)
    served, close = float(intent_recall(hits, k, level)[0]), float(global_ndcg(hits, k=k, gain=gain).result[0])
    lines = (
        Line("I-rec", message("the share of the aspects that are answered"), served),
        Line("D-nDCG", message("its global gains, by those of the best list"), close),
        Line(
            case.measure,
            "{} × {} + {} × {}",
            gamma * served + (1 - gamma) * close,
            (gamma, served, 1 - gamma, close),
        ),
    )
    return Worked((), lines)
