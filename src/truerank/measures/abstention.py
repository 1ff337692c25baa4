"""Whether a system knows when it is wrong: what would be gained if it said nothing where it is least sure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from truerank.core.hits import UNJUDGED, Hits
from truerank.core.messages import message
from truerank.core.schema import Kind
from truerank.measures.of_run import OfRun
from truerank.measures.parsing import parse_measure
from truerank.measures.registry import measure
from truerank.measures.sums import Floats, Ints

Confidence = Literal["max", "std", "diff1"]
"""How sure a list is: its best score, the standard deviation of its scores, or how far the second is below."""

ROUNDING = 1e-12
"""Numbers that are no further apart, as a share of the larger, are equal."""

RATES = np.linspace(0, 1, 11)[:-1]
"""Which shares of the queries are left without an answer."""


def _is_of_queries(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    known = parse_measure(value).definition
    return known.average == "mean" and not known.needs and not known.lower_is_better


Of = Annotated[
    str,
    Kind(
        message("a measure whose mean is higher for better lists, written as text, such as 'nDCG@10'"),
        _is_of_queries,
    ),
]


@dataclass(frozen=True, eq=False)
class Abstention(OfRun):
    """How good and how sure the answer to each query is.

    Attributes:
        values, confidence: (queries,)
    """

    values: Floats
    confidence: Floats

    def at(self, times: Ints) -> float:
        """The gain of the confidence over always answering, divided by that of knowing the values; 0 for none."""
        there = times > 0
        values, sure, times = self.values[there], self.confidence[there], times[there]
        if not len(times) or np.ptp(values) <= ROUNDING * np.abs(values).max():
            return 0.0
        curves = [_means(values, key, times) for key in (sure, values)]
        gained, most = (
            math.fsum(means) - (means[0] + means[-1]) / 2 - (len(RATES) - 1) * curves[1][0] for means in curves
        )
        return gained / most if most > 0 else 0.0


def _means(values: Floats, key: Floats, times: Ints) -> list[float]:
    """The mean value of the queries that are left at each rate, when those with the lowest key go first.

    Keys that are equal but for rounding go in any order, so each of their queries has the mean of all of them.
    """
    order = np.argsort(key, kind="stable")
    key, values, times = key[order], values[order], times[order]
    with np.errstate(invalid="ignore"):  # of empty lists
        same = (key[1:] == key[:-1]) | (key[1:] - key[:-1] < ROUNDING * np.abs(key[1:]))
    start = np.flatnonzero(np.append(True, ~same))
    shared = np.add.reduceat(values * times, start) / np.add.reduceat(times, start)
    left = np.repeat(np.repeat(shared, np.diff(start, append=len(key))), times)
    return [float(left[min(round(rate * len(left)), len(left) - 1) :].mean()) for rate in RATES]


@measure(
    "nAUC",
    average="run",
    needs="scores",
    unit=False,
    monotone="no",
    sees_judged=True,
    formula="(A − F) / (O − F): areas under the mean where 0, 0.1 … 0.9 of the queries are left out, A of the "
    "least sure, O of the worst, F of any",
    source="Gisserot-Boukhlef et al., Towards trustworthy reranking: a simple yet effective abstention mechanism, "
    "TMLR 2024; MTEB nauc_ndcg_at_10_max",
)
def abstention(hits: Hits, *, of: Of = "nDCG@10", confidence: Confidence = "max", level: float = 1) -> Abstention:
    """Whether the lists that a system is least sure of are its worst: 1 if they are, 0 if it cannot tell.

    One number of the run. A list is as sure as its best score ("max"), the standard deviation of its scores
    ("std") or the distance of its first two ("diff1"); an empty one is the least sure. Lists that are equally sure
    share the mean of their values. Below 0 the sure ones are worse; it is 0 where `of` is the same for all queries.

    >>> import truerank as tr
    >>> qrels, run = {"q": {"a": 1}, "r": {"a": 1}, "s": {}}, {"q": {"a": 0.9}, "r": {"a": 0.5}, "s": {"a": 0.7}}
    >>> {name: round(value, 4) for name, value in tr.evaluate(qrels, run, "nAUC nDCG@10").mean.items()}
    {'nAUC': 0.4, 'nDCG@10': 0.6667}
    """
    judged = hits.where(hits.grade > UNJUDGED)
    values = parse_measure(of).values(judged, level=level)
    return Abstention(len(hits.queries), values, _confidence(hits, confidence))


def _confidence(hits: Hits, how: Confidence) -> Floats:
    """(queries,) how sure each list is; of no documents: less than all others."""
    best = np.full(len(hits.queries), -math.inf)
    np.maximum.at(best, hits.query, hits.score)
    if how == "max":
        return best
    n = np.maximum(hits.count, 1)
    with np.errstate(invalid="ignore", over="ignore"):
        if how == "std":
            off = hits.score - (hits.sum(hits.score) / n)[hits.query]
            off[np.abs(off) <= ROUNDING * np.abs(hits.score)] = 0.0  # the mean of equal scores is rounded
            found = np.sqrt(hits.sum(off * off) / n)
        else:
            second = hits.where(hits.ordinal == 2)
            found = np.zeros(len(hits.queries))
            found[second.query] = best[second.query] - second.score
    return np.where(hits.count > 0, np.nan_to_num(found, nan=0.0, posinf=math.inf), -math.inf)
