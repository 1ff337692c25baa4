"""Precision against recall: a query's raw sawtooth, the interpolated curve, its eleven points, the area below."""

from __future__ import annotations

import functools
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from truerank.core.errors import InputError, no_such_query
from truerank.core.evaluate import opened_under, ranked, score
from truerank.core.hits import Hits
from truerank.core.kernel.scanning import as_bytes, as_text
from truerank.core.ledger import Ledger
from truerank.core.messages import message
from truerank.core.presented import Presented
from truerank.core.qrels import QrelsLike
from truerank.core.reading import Reading, reading_of
from truerank.core.rules import Rules, RulesLike
from truerank.core.run import RunLike
from truerank.core.scores import Scores
from truerank.measures import curves, parse_measures
from truerank.measures.curves import ELEVEN
from truerank.measures.sums import mean, ratio

BY_DEFINITION = Rules.of(Rules(recall_points="definition"))
"""The default rules, but precision at recall r as textbooks define it: the highest at any recall of at least r."""

Area = Literal["step", "trapezoid", "interpolated"]


@dataclass(frozen=True)
class Sawtooth:
    """One query's curve as it is: a value after each of its results.

    Attributes:
        relevant: whether the result is relevant.
        recall, precision: of the results so far.
        interpolated: the highest precision at this recall or any higher one.
    """

    relevant: tuple[bool, ...]
    recall: tuple[float, ...]
    precision: tuple[float, ...]
    interpolated: tuple[float, ...]


@dataclass(frozen=True, repr=False)
class Curve(Presented):
    """Interpolated precision against recall, of one query or as the mean over all.

    Attributes:
        run: the name of the run.
        query: whose curve it is; None for the mean.
        queries: how many queries it is the mean of.
        recalls: in rising order.
        precision: at each recall, the mean over queries.
        mean: the mean height of the curve at these recalls; at the usual eleven it is AP11 under the same rules.
        areas: the area below (AUPRC): in steps (which is AP), by trapezoids, below the interpolated curve.
        rules: under whose rules.
        ledger: what the means hide; of the whole run, also where one query was asked for.
        sawtooth: the raw curve, of one query.
    """

    built_by = "curves"

    run: str
    query: str | None
    queries: int
    recalls: tuple[float, ...]
    precision: tuple[float, ...]
    mean: float
    areas: Mapping[Area, float]
    rules: Rules
    ledger: Ledger
    sawtooth: Sawtooth | None = None

    def _summary(self) -> str:
        of = f"{self.queries:,} queries" if self.query is None else f"query {self.query!r}"
        area = f"AUPRC {self.areas['step']:.4f}"
        return f"Curve({self.run!r}, rules {self.rules.name!r}, {of}, mean {self.mean:.4f}, {area})"

    @property
    def points(self) -> str:
        """How precision at a recall was read: the rules' `recall_points`."""
        return self.rules.recall_points

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        raw = None if self.sawtooth is None else {name: list(each) for name, each in vars(self.sawtooth).items()}
        return {
            "rules": self.rules.to_dict(),
            "run": self.run,
            "query": self.query,
            "queries": self.queries,
            "points": self.points,
            "recall": list(self.recalls),
            "precision": list(self.precision),
            "mean": self.mean,
            "auprc": dict(self.areas),
            "ledger": self.ledger.to_dict(),
            **({"raw": raw} if raw else {}),
        }


def precision_recall(
    qrels: QrelsLike | Reading,
    run: RunLike | Reading | None = None,
    query: str | int | bytes | None = None,
    *,
    recalls: Sequence[float] = ELEVEN,
    rules: RulesLike | None = None,
    threads: int | None = None,
) -> Curve:
    """The precision-recall curve of a run: the mean over all queries, or that of one.

    Args:
        qrels, run, threads: as for `evaluate`.
        query: the id of the one query, whose raw sawtooth comes too.
        recalls: where precision is read, from 0 to 1.
        rules: as for `evaluate`, but `BY_DEFINITION` where none are given and a Reading has no others than the
            default. Their `recall_points` decide what precision at a recall is.

    Raises:
        TruerankError: wrong input, or no such query.

    >>> found = precision_recall({"q": {"a": 1, "b": 1}}, {"q": ["a", "x", "y", "b"]}, recalls=(0, 0.5, 1))
    >>> found.precision, found.areas["trapezoid"]
    ((1.0, 1.0, 0.5), 0.7083333333333333)
    """
    run, read_under = opened_under(qrels, run, rules)
    under = BY_DEFINITION if rules is None and read_under.is_like(Rules()) else read_under
    under = under.by_query(message("a curve is of judged queries"))
    at = _checked(recalls)
    points = [f"IPrec@{recall!r}" for recall in at]
    areas: dict[Area, str] = {area: f"AUPRC(area={area!r})" for area in get_args(Area)}
    reading = reading_of(qrels, run, under, threads=threads)
    whole = under.replace(without_relevant="skip") if under.without_relevant == "undefined" else under
    scores = score(replace(reading, rules=whole.nameless), parse_measures([*points, *areas.values()]))
    one = None if query is None else _place(scores, as_text(as_bytes(query)))
    chosen = slice(None) if one is None else slice(one, one + 1)
    heights = [scores[point][chosen] for point in points]
    return Curve(
        run=reading.name,
        query=None if one is None else scores.queries[one],
        queries=len(heights[0]),
        recalls=tuple(at),
        precision=tuple(map(mean, heights)),
        mean=mean(functools.reduce(operator.add, heights[::-1]) / len(heights)),  # query by query, like AP11
        areas={area: mean(scores[name][chosen]) for area, name in areas.items()},
        rules=under,
        ledger=scores.ledger,
        sawtooth=None if one is None else _sawtooth(ranked(reading), one, under.level),
    )


def _checked(recalls: Sequence[float]) -> list[float]:
    ordered = sorted(float(recall) for recall in recalls)
    if not ordered or not all(0 <= recall <= 1 for recall in ordered):
        raise InputError("recalls are numbers from 0 to 1, not {recalls!r}", recalls=list(recalls))
    return ordered


def _place(scores: Scores, query: str) -> int:
    """The place of a query among those that were evaluated."""
    if query not in scores.queries:
        raise no_such_query(query, scores.queries, scores.run)
    return scores.queries.index(query)


def _sawtooth(hits: Hits, query: int, level: float) -> Sawtooth:
    recall, precision = curves.sawtooth(hits, query, level=level)
    to_come = np.maximum.accumulate(precision[::-1])[::-1]
    first = np.searchsorted(recall, recall)  # the first result at the same recall has the highest precision
    relevant = np.diff(recall, prepend=0.0) > 0
    interpolated = to_come[first] if len(recall) else ratio(recall, 1)
    return Sawtooth(*(tuple(column.tolist()) for column in (relevant, recall, precision, interpolated)))
