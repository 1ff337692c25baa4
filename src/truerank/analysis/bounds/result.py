"""The result: a range for each query and measure, and its mean."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from truerank.core.equal import are_equal
from truerank.core.errors import pluralize
from truerank.core.hits import Bools
from truerank.core.presented import Presented
from truerank.core.rules import Rules
from truerank.measures import Measure
from truerank.measures.definition import MEANS
from truerank.measures.sums import FLOOR, Floats, PerQuery


@dataclass(frozen=True, eq=False)
class Range:
    """How far a measure could be off.

    Attributes:
        measure: the measure.
        values: (queries,) the values as they are.
        low, high: (queries,) the least and the most that they could be.
        sure: (queries,) whether these are the true extremes; else they are the farthest values that a search found.
        expected, error: (queries,) the mean over all orders of equal scores, and the standard error of that where
            orders were drawn at random (0 where all were counted); None for unjudged documents.
    """

    measure: Measure
    values: PerQuery
    low: PerQuery
    high: PerQuery
    sure: Bools = field(repr=False)
    expected: PerQuery | None = None
    error: PerQuery | None = None

    @property
    def mean(self) -> float:
        """The mean as it is."""
        return self.measure.mean(self.values)

    @property
    def lowest(self) -> float:
        """The least that the mean could be."""
        return self.measure.mean(self.low)

    @property
    def highest(self) -> float:
        """The most that the mean could be."""
        return self.measure.mean(self.high)

    @property
    def less_is_better(self) -> bool:
        """Whether the lowest value is the best one."""
        return self.measure.definition.lower_is_better

    @property
    def best(self) -> float:
        """The best that the mean could be."""
        return self.lowest if self.less_is_better else self.highest

    @property
    def worst(self) -> float:
        """The worst that the mean could be."""
        return self.highest if self.less_is_better else self.lowest

    @property
    def expected_mean(self) -> float | None:
        """The mean of the expected values; a geometric one where the measure's mean is."""
        return None if self.expected is None else self.measure.mean(self.expected)

    @property
    def expected_error(self) -> float | None:
        """The standard error of that; 0 where every order was counted."""
        if self.expected is None or self.error is None or self.measure.definition.average not in MEANS:
            return None
        weights = {"sum": 1.0, "mean": 1.0 / max(len(self.error), 1)}
        if self.measure.definition.average == "geometric":
            return _geometric_error(self.expected, self.error, self.expected_mean or 0.0)
        return math.sqrt(float((self.error**2).sum())) * weights[self.measure.definition.average]

    @property
    def searched(self) -> int:
        """How many queries have limits from a search, so that the extremes may lie farther out."""
        return int((~self.sure).sum())

    @property
    def is_moved(self) -> Bools:
        """(queries,) whether it could have another value."""
        return ~are_equal(self.low, self.high)

    @property
    def moved(self) -> int:
        """How many queries could have another value."""
        return int(self.is_moved.sum())

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        values: dict[str, float | None] = {
            "mean": self.mean,
            "low": self.lowest,
            "high": self.highest,
            "worst": self.worst,
            "best": self.best,
        }
        if self.expected is not None:
            values |= {"expected": self.expected_mean, "expected_error": self.expected_error}
        return {**values, "moved": self.moved, "searched": self.searched}


def _geometric_error(expected: Floats, error: Floats, mean: float) -> float:
    """The error of a geometric mean to first order, from relative errors; values at its floor have none."""
    relative = np.where(expected > FLOOR, error / np.maximum(expected, FLOOR), 0.0)
    return mean * math.sqrt(float((relative**2).sum())) / max(len(error), 1)


@dataclass(frozen=True, eq=False, repr=False)
class Bounds(Presented):
    """How far the scores of a run could be off.

    Attributes:
        run: its name.
        queries: the query ids, in the order of the arrays.
        rules: under whose rules.
        ties: {measure: its range over the orders of equal scores}; empty if not asked for.
        unjudged: {measure: its range over what unjudged documents could be}; empty if not asked for.
        open: how many documents were returned that are unjudged; None if not asked for.
        grades: what each of those could be given.
        samples, seed: of the random orders.
        rerank: how many first results of each query counted as tied; None: only equal scores are ties.

    >>> import truerank as tr
    >>> found = tr.bounds({"q": {"a": 1}}, {"q": {"a": 1.0, "x": 1.0}}, "RR")
    >>> found
    Bounds('run', 1 query; RR 0.5000, by ties 0.5000 to 1.0000, by unjudged 0.5000 to 1.0000)
      1 query depends on the order of equal scores.
      1 returned document is unjudged.
    >>> found.ties["RR"].expected_mean
    0.75
    """

    built_by = "bounds"

    run: str
    queries: tuple[str, ...]
    measures: tuple[Measure, ...]
    rules: Rules
    ties: Mapping[str, Range]
    unjudged: Mapping[str, Range]
    open: int | None
    grades: tuple[float, ...]
    samples: int
    seed: int
    rerank: int | None = None

    def _summary(self) -> str:
        lines = []
        for name in map(str, self.measures):
            ranges = [(why, by_measure[name]) for why, by_measure in self._asked]
            limits = (f", by {why} {r.lowest:.4f} to {r.highest:.4f}" for why, r in ranges)
            lines.append(f"{name} {ranges[0][1].mean:.4f}{''.join(limits)}")
        queries = pluralize(len(self.queries), "query", "queries")
        return f"Bounds({self.run!r}, {queries}; {'; '.join(lines)})"

    @property
    def tied(self) -> int:
        """How many queries have some value that depends on the order of equal scores."""
        return int(np.any([each.is_moved for each in self.ties.values()], axis=0).sum())

    @cached_property
    def _asked(self) -> tuple[tuple[str, Mapping[str, Range]], ...]:
        return tuple((why, ranges) for why, ranges in (("ties", self.ties), ("unjudged", self.unjudged)) if ranges)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "rules": self.rules.to_dict(),
            "run": self.run,
            "query_count": len(self.queries),
            "samples": self.samples,
            "seed": self.seed,
            **({} if self.rerank is None else {"rerank": self.rerank}),
            **{why: {name: range.to_dict() for name, range in ranges.items()} for why, ranges in self._asked},
            **({} if self.open is None else {"open": self.open, "grades": list(self.grades)}),
        }
