"""Checks that need ranks: ties that matter, and how much of what counts is judged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from truerank.analysis.lint.checks import Case, on_hits
from truerank.analysis.lint.findings import Severity
from truerank.core.equal import are_equal
from truerank.core.evaluate import valued
from truerank.core.hits import Hits
from truerank.core.messages import message
from truerank.core.swapped import are_swapped
from truerank.measures import Measure

TOP = 10
"""How many results a person looks at."""

LOW = 0.7
"""Below this share of judged results at the top, systems are compared by luck."""


@on_hits
def ties(case: Case, hits: Hits, measures: Sequence[Measure]) -> None:
    """Queries on which some measure depends on the order of equal scores."""
    rules = case.rules
    if rules.ties == "input":
        return
    ends = [hits.reordered(best).under(rules) for best in (True, False)]
    matter, ranges = np.zeros(len(hits.queries), bool), []
    for measure in measures:
        best, worst = (valued(measure, end, rules) for end in ends)
        if (differ := ~are_equal(best, worst)).any():
            matter |= differ
            ranges.append(f"{measure} {_range(measure.mean(best), measure.mean(worst))}")
    if names := [hits.queries[i] for i in np.flatnonzero(matter).tolist()]:
        fault = message(
            "the order of equal scores decides on {n:,} of {queries:,} queries (best … worst: {ranges})",
            n=len(names),
            queries=len(hits.queries),
            ranges=", ".join(ranges),
        )
        case.log.once("warning", "ties", fault, examples=names)


def _range(best: float, worst: float) -> str:
    """Both with as many digits, four or more, as it takes to see the difference."""
    for digits in range(4, 17):
        texts = f"{best:.{digits}f}", f"{worst:.{digits}f}"
        if texts[0] != texts[1]:
            break
    return " … ".join(texts)


@on_hits
def swapped(case: Case, hits: Hits, measures: Sequence[Measure]) -> None:
    """Qrels and run in each other's place, where their formats do not tell."""
    if are_swapped(hits):
        fault = message(
            "the grades look like scores (most are fractions) and these scores like grades (small whole numbers): "
            "are the two files swapped?"
        )
        case.log.once("warning", "looks-swapped", fault)


@on_hits
def judged_at_top(case: Case, hits: Hits, measures: Sequence[Measure]) -> None:
    """Results at the top that are unjudged."""
    top, answered = hits.top(TOP), np.flatnonzero(hits.returned > 0)
    listed, graded = np.minimum(hits.returned[answered], TOP), top.where(top.grade >= 0).count[answered]
    if not len(answered) or (share := float(graded.sum() / listed.sum())) == 1:
        return
    only_relevant = hits.judgements.grade.min(initial=case.rules.level) >= case.rules.level
    severity: Severity = "warning" if share < LOW and not only_relevant else "note"
    left = {
        "removed": message("they are left out"),
        "not-relevant": message("they count as not relevant"),
        "graded": message("they count as of grade {grade:g}", grade=case.rules.unjudged_grade),
    }[case.rules.unjudged]
    fault = message(
        "{share:.1%} of the results that were returned among the first {k:,} are unjudged; {why}; worst queries",
        share=1 - share,
        k=TOP,
        why=message("the qrels name only relevant documents") if only_relevant else left,
    )
    order = answered[np.argsort(graded / listed, kind="stable")][: int((graded < listed).sum())]
    names = [hits.queries[i] for i in order]
    case.log.once(severity, "unjudged", fault, examples=names)
