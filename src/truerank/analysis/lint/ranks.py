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
from truerank.core.presented import told_apart
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
    sees_judged = any(measure.definition.sees_judged for measure in measures)
    others = [hits.judged_together(first).under(rules) for first in (True, False)] if sees_judged else []
    matter, ranges = np.zeros(len(hits.queries), bool), []
    for measure in measures:
        orders = [*ends, *others] if measure.definition.sees_judged else ends
        values = np.stack([valued(measure, order, rules) for order in orders])
        low, high = values.min(axis=0), values.max(axis=0)
        if (differ := ~are_equal(low, high)).any():
            matter |= differ
            worst, best = (high, low) if measure.definition.lower_is_better else (low, high)
            ranges.append(f"{measure} {' … '.join(told_apart(measure.mean(best), measure.mean(worst)))}")
    if names := [hits.queries[i] for i in np.flatnonzero(matter).tolist()]:
        fault = message(
            "the order of equal scores decides on {n:,} of {queries:,} queries (best … worst: {ranges})",
            n=len(names),
            queries=len(hits.queries),
            ranges=", ".join(ranges),
        )
        case.log.once("warning", "ties", fault, examples=names)


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
