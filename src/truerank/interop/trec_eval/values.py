"""The values of a column, one per topic, by truerank's measures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from truerank.core.errors import InputError
from truerank.core.hits import Hits
from truerank.core.messages import joined
from truerank.core.qrels import Floats
from truerank.interop.trec_eval import preferences
from truerank.interop.trec_eval.columns import Column
from truerank.interop.trec_eval.options import Options
from truerank.interop.trec_eval.reading import Answers, judged_alone
from truerank.interop.trec_eval.status import CALCULATION, TrecEvalError
from truerank.measures import Measure
from truerank.measures.sums import FLOOR, logarithm, powers

NOTHING = {"num_ret", "relstring", "utility", "rbp_resid"}
"""What trec_eval 10 sets to 0 for a topic that is not answered; it does not under a name with parameters."""


def per_topic(column: Column, answers: Answers, options: Options) -> Floats:
    """(topics,) the values of a column whose measure is of single judgements, not of groups."""
    assert column.measure is not None
    rules, hits = options.rules, answers.hits
    if column.listed.name == "rbp_resid":
        values = _residual(hits, column.measure)
    else:
        own = {"level": rules.level, "rounding": rules.recall_points, "docs": options.collection}
        values = column.measure.values(hits, **own)
    if column.name in NOTHING or column.listed.name == "unj":
        values = np.where(answers.missing, 0.0, values)
    return values


def shown(column: Column, values: Floats) -> Floats:
    """(topics,) the values as they enter the mean over topics: for a geometric mean their logarithms."""
    return logarithm(np.maximum(values, FLOOR)) if column.listed.kind == "logarithm" else values


def all_values(columns: Sequence[Column], answers: Answers, options: Options) -> dict[Column, Floats]:
    """(topics,) the values of each column that has any.

    Raises:
        TrecEvalError: a group contradicts itself.
    """
    groups = answers.groups
    if groups is None:
        return {column: per_topic(column, answers, options) for column in columns if column.measure}
    if options.holds == "prefs":
        wanted = [column for column in columns if column.listed.of == "prefs"]
        try:
            by_name = preferences.values(groups, answers.hits) if wanted else {}
        except InputError as error:
            raise TrecEvalError(joined("", [error.where, error.said]), CALCULATION) from None
        return {column: by_name[column.name] for column in wanted}
    hits = groups.hits(answers.hits).under(judged_alone(options))
    level = options.rules.level
    return {column: groups.mean(column.measure.values(hits, level=level)) for column in columns if column.measure}


def _residual(hits: Hits, measure: Measure) -> Floats:
    """RBPResidual to the reference's last bit: it adds up unjudged weights, and without any it omits the tail."""
    p = float(dict(measure.params).get("p", measure.definition.parameters["p"].default))
    judged = hits.relevant(0)
    order = np.argsort(judged.rank, kind="stable")
    topic = judged.query[order]
    deepest = int(hits.returned.max(initial=0))
    bounds = np.searchsorted(judged.rank[order], np.arange(1, deepest + 2)).tolist()
    missing = np.zeros(len(hits.queries))
    for rank, weight in enumerate(powers(p, np.arange(deepest)).tolist(), 1):
        more = np.where(hits.returned >= rank, weight, 0.0)
        more[topic[bounds[rank - 1] : bounds[rank]]] = 0.0
        missing += more
    return np.where(judged.count < hits.returned, powers(p, hits.returned) + (1.0 - p) * missing, 0.0)


def relstrings(column: Column, answers: Answers) -> list[str]:
    """(topics,) the grades of the first documents: a digit, > above 9, . pooled but not judged, or -."""
    hits = answers.hits.top(column.depth)
    shown = [["-"] * min(column.depth, n) for n in answers.hits.returned.tolist()]
    for topic, rank, grade in zip(hits.query.tolist(), hits.rank.tolist(), hits.grade.tolist(), strict=True):
        shown[topic][rank - 1] = "." if grade < 0 else ">" if grade >= 10 else str(int(grade))
    for topic in np.flatnonzero(answers.missing) if column.name in NOTHING else ():
        shown[topic] = []
    return [f"'{''.join(text)}'" for text in shown]
