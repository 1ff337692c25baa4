"""On paper: measures of several lists per query."""

from __future__ import annotations

from dataclasses import replace

from truerank.analysis.explain.worked.binary import relevant_total
from truerank.analysis.explain.worked.case import Case, once_each
from truerank.analysis.explain.worked.derived import hits_of
from truerank.analysis.explain.worked.form import Line, Step, Worked, added
from truerank.analysis.explain.worked.registry import works
from truerank.core.messages import message


@works("FirstComplete")
def first_complete(case: Case, *, calls: int, level: float) -> Worked:
    """The call after which everything is found."""
    call_of = dict(zip(case.hits, hits_of(case).call.tolist(), strict=True))
    within = [(hit, call_of[hit]) for hit in once_each(case.relevant(level)) if call_of[hit] <= calls]
    total = case.total(level)
    steps = (Step(hit, "{}", (call,), float(call)) for hit, call in within)
    lost = [hit for hit in case.judged if hit.grade >= level and hit.doc not in {hit.doc for hit, _ in within}]
    each = replace(
        added(message("calls"), message("the call that returned it"), steps, lost).over(1), is_added=False
    )
    if not total:
        why = message("{a} + 1, as nothing is relevant")
        return Worked((), (relevant_total(total), Line(case.measure, why, calls + 1.0, (calls,))))
    if lost:
        why = message("{a} + 1, as {b} of {c} relevant documents are not found by then")
        last = Line(case.measure, why, calls + 1.0, (calls, len(lost), total))
        return Worked((each,), (relevant_total(total), last))
    final = max(call for _, call in within)
    return Worked(
        (each,), (relevant_total(total), Line(case.measure, message("the last of these calls"), float(final)))
    )
