"""Precision against recall: a query's raw sawtooth, the interpolated curve, its eleven points, the area below."""

from __future__ import annotations

import functools
import operator
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from truerank._kernel import as_bytes, as_text
from truerank.errors import InputError, RulesError, did_you_mean, shown
from truerank.evaluate import rank
from truerank.formats import open_run
from truerank.hits import Hits
from truerank.measures import curves
from truerank.measures.curves import ELEVEN
from truerank.measures.sums import Floats, mean, ratio
from truerank.rules import Rules

Points = Literal["definition", "round", "up"]
"""definition: the highest precision at any recall of at least r; round, up: the rules' readings of it."""

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


@dataclass(frozen=True)
class Curve:
    """Interpolated precision against recall, of one query or as the mean over all.

    Attributes:
        run: the name of the run.
        query: whose curve it is; None for the mean.
        queries: how many queries it is the mean of.
        recalls: in rising order.
        precision: at each recall, the mean over queries.
        mean: the mean height of the curve at these recalls; at eleven points, AP11.
        areas: the area below (AUPRC): in steps (which is AP), by trapezoids, below the interpolated curve.
        points: how precision at a recall was read.
        rules: under whose rules.
        sawtooth: the raw curve, of one query.
    """

    run: str
    query: str | None
    queries: int
    recalls: tuple[float, ...]
    precision: tuple[float, ...]
    mean: float
    areas: Mapping[Area, float]
    points: Points
    rules: Rules
    sawtooth: Sawtooth | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        raw = self.sawtooth
        lists = {} if raw is None else {name: list(getattr(raw, name)) for name in Sawtooth.__dataclass_fields__}
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
            **({"raw": lists} if lists else {}),
        }


def precision_recall(
    qrels: Any,
    run: Any,
    query: str | int | bytes | None = None,
    *,
    recalls: Sequence[float] = ELEVEN,
    points: Points = "definition",
    rules: Rules | str | os.PathLike[str] | dict[str, Any] | None = None,
    threads: int | None = None,
) -> Curve:
    """The precision-recall curve of a run: the mean over all queries, or that of one.

    Args:
        qrels, run, rules, threads: as for `evaluate`.
        query: the id of the one query, whose raw sawtooth comes too.
        recalls: where precision is read, from 0 to 1.
        points: "definition" takes the highest precision at any recall of at least r; "round" and "up" take that
            from relevant document round(r R) or floor(r R + 0.9) on, as trec_eval 10 and 9 do.

    Raises:
        TruerankError: wrong input, or no such query.

    >>> found = precision_recall({"q": {"a": 1, "b": 1}}, {"q": ["a", "x", "y", "b"]}, recalls=(0, 0.5, 1))
    >>> found.precision, found.areas["trapezoid"]
    ((1.0, 1.0, 0.5), 0.7083333333333333)
    """
    under = Rules.of(rules)
    if under.missing == "lines":
        raise RulesError("a curve is of judged queries; under these rules the mean is over submitted lines")
    source = open_run(run)
    hits = rank(qrels, source, rules=under, threads=threads)
    hits = hits if query is None else _only(hits, as_bytes(query), source.name)
    at = _heights(hits, _checked(recalls), points, under.level)
    return Curve(
        run=source.name,
        query=None if query is None else as_text(as_bytes(query)),
        queries=len(hits.queries),
        recalls=tuple(_checked(recalls)),
        precision=tuple(mean(row) for row in at),
        mean=mean(functools.reduce(operator.add, at[::-1]) / len(at)),  # query by query, as AP11 is
        areas={area: mean(curves.area_under_curve(hits, level=under.level, area=area)) for area in get_args(Area)},
        points=points,
        rules=under,
        sawtooth=None if query is None else _sawtooth(hits, under.level),
    )


def _checked(recalls: Sequence[float]) -> list[float]:
    ordered = sorted(float(recall) for recall in recalls)
    if not ordered or not all(0 <= recall <= 1 for recall in ordered):
        raise InputError(f"recalls are numbers from 0 to 1, not {list(recalls)!r}")
    return ordered


def _only(hits: Hits, query: bytes, name: str) -> Hits:
    if query not in hits.queries:
        near = did_you_mean(shown(query), map(shown, hits.queries))
        raise InputError(f"there is no query {shown(query)} among those that are judged.{near}", name)
    return hits.select(np.array([other == query for other in hits.queries]))


def _heights(hits: Hits, recalls: Sequence[float], points: Points, level: float) -> Floats:
    """(recalls, queries) the interpolated precision."""
    if points not in get_args(Points):
        raise RulesError(f"points is one of {', '.join(get_args(Points))}, not {points!r}")
    if points != "definition":
        return curves.interpolated(hits, recalls, level=level, rounding=points)
    found = hits.relevant(level)
    recall, precision = found.ordinal / hits.relevant_total(level)[found.query], found.ordinal / found.rank
    heights = np.zeros((len(recalls), len(hits.queries)))
    for row, at in zip(heights, recalls, strict=True):
        reached = recall >= at
        np.maximum.at(row, found.query[reached], precision[reached])
    return heights


def _sawtooth(hits: Hits, level: float) -> Sawtooth:
    recall, precision = curves.sawtooth(hits, 0, level=level)
    to_come = np.maximum.accumulate(precision[::-1])[::-1]
    first = np.searchsorted(recall, recall)  # the first result at the same recall has the highest precision
    relevant = np.diff(recall, prepend=0.0) > 0
    interpolated = to_come[first] if len(recall) else ratio(recall, 1)
    return Sawtooth(*(tuple(column.tolist()) for column in (relevant, recall, precision, interpolated)))
