"""On paper: nDCG at more ranks than one."""

from __future__ import annotations

import numpy as np

from truerank.analysis.explain.worked.binary import relevant_total
from truerank.analysis.explain.worked.case import Case
from truerank.analysis.explain.worked.derived import hits_of
from truerank.analysis.explain.worked.form import Line, Step, Worked, added, divided, quotient
from truerank.analysis.explain.worked.registry import works
from truerank.core.messages import message
from truerank.measures.gains import gains
from truerank.measures.graded import cumulated, is_last_of_gain
from truerank.measures.parameters import Gain


@works("nDCGrel")
def ndcg_at_relevant(case: Case, *, gain: Gain) -> Worked:
    """nDCG at the rank of each document with a gain; of one that was not returned, that of the whole list."""
    hits = hits_of(case)
    ideal, got, best = cumulated(hits, gain)
    at = ideal.running_at(best, hits.query, hits.rank).tolist()
    rows = zip(case.hits, got.tolist(), at, (gains(hits.grade, gain) > 0).tolist(), strict=True)
    steps = [Step(hit, "{} / {}", (dcg, idcg), quotient(dcg, idcg)) for hit, dcg, idcg, gained in rows if gained]
    total = added("Σ", message("DCG / IDCG down to its rank"), steps)
    n = len(ideal)
    missed, end, idcg = n - len(steps), float(hits.last_value(got)[0]), float(ideal.last_value(best)[0])
    rest = quotient(missed * end, idcg)
    value = quotient(max(total.value + rest, 0.0), n)
    lines = (
        Line("Σ", message("the sum"), total.value),
        Line("DCG", message("of the whole list"), end),
        Line("IDCG", message("the sum over the best possible list"), idcg),
        Line(message("rest"), message("{a} not returned, each {b} / {c}"), rest, (missed, end, idcg)),
        Line("n", message("documents with a gain, returned or not"), n),
        Line(case.measure, message("({a} + {b}) / {c}, but not below 0"), value, (total.value, rest, n)),
    )
    return Worked((total,), lines)


@works("Rndcg")
def r_ndcg(case: Case, *, level: float, gain: Gain) -> Worked:
    """nDCG at each rank after which the best possible list gains less, and at the end of a longer list."""
    hits = hits_of(case)
    ideal, got, best = cumulated(hits, gain)
    falls = is_last_of_gain(ideal, gain)
    at = ideal.where(falls)
    ranks = at.rank.tolist()
    pairs = list(zip(hits.running_at(got, at.query, at.rank).tolist(), best[falls].tolist(), strict=True))
    if ideal.count[0] and case.returned > ideal.count[0] + 1:
        ranks.append(case.returned)
        pairs.append((float(hits.last_value(got)[0]), float(ideal.last_value(best)[0])))
    lines = [divided(f"nDCG@{rank}", *pair) for rank, pair in zip(ranks, pairs, strict=True)]
    relevant = relevant_total(case.total(level))
    if not relevant.value:
        return Worked((), (relevant, divided(case.measure, 0, 0)))
    total = float(np.add.accumulate([line.value for line in lines])[-1]) if lines else 0.0
    mean = (Line("Σ", message("the sum of these"), total), divided(case.measure, total, len(lines)))
    return Worked((), (relevant, *lines, *mean))
