"""The values of a column: one a topic, by truerank's measures."""

from __future__ import annotations

import numpy as np

from truerank.hits import Hits
from truerank.measures import parse_measure
from truerank.qrels import Floats
from truerank.trec.columns import Column
from truerank.trec.options import Options
from truerank.trec.reading import Answers

FLOOR = 1e-5
"""The least value that enters a geometric mean."""

NOTHING = {"num_ret", "relstring", "utility", "rbp_resid"}
"""What trec_eval 10 sets to 0 for a topic that is not answered; it does not under a name with parameters."""


def values(column: Column, answers: Answers, options: Options) -> Floats:
    """(topics,) the values of a column."""
    measure = parse_measure(_spelled(column, answers.hits, options))
    rules = options.rules
    found = measure.values(answers.hits, level=rules.level, rounding=rules.recall_points)
    if column.name in NOTHING or column.name.startswith("unj"):
        found = np.where(answers.missing, 0.0, found)
    return found


def _spelled(column: Column, hits: Hits, options: Options) -> str:
    """The measure as truerank writes it."""
    return column.listed.ours.format(*column.params)


def relstrings(column: Column, answers: Answers) -> list[str]:
    """(topics,) the grades of the first documents: a digit, > above 9, . pooled but not judged, - neither."""
    depth = max(0, int(column.params[0]))
    hits = answers.hits.top(depth)
    shown = [["-"] * min(depth, n) for n in answers.hits.returned.tolist()]
    for topic, rank, grade in zip(hits.query.tolist(), hits.rank.tolist(), hits.grade.tolist(), strict=True):
        shown[topic][rank - 1] = "." if grade < 0 else ">" if grade >= 10 else str(int(grade))
    for topic in np.flatnonzero(answers.missing) if column.name in NOTHING else ():
        shown[topic] = []
    return [f"'{''.join(text)}'" for text in shown]
