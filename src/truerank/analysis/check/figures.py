"""What can be checked: scores, in memory or saved, with or without the values of queries."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from truerank import stats
from truerank.analysis.compare.several import values_of
from truerank.analysis.saved_scores import SavedScores, measure_saved_as, numbers, read_saved, saved_scores
from truerank.core.errors import InputError, MeasureError
from truerank.core.evaluate import evaluate
from truerank.core.ledger import Ledger
from truerank.core.messages import did_you_mean, message
from truerank.core.reading import Reading
from truerank.core.rules import Rules
from truerank.core.scores import Scores, averaged, distinct
from truerank.core.vocabulary import under
from truerank.measures import Measure
from truerank.measures.sums import PerQuery

if TYPE_CHECKING:
    from truerank.analysis.compare.prediction_powered import Predicted


@dataclass(frozen=True)
class Counted:
    """A ledger with the rules and, where they are known, the values of queries."""

    name: str
    rules: Rules
    ledger: Ledger
    queries: Sequence[str] = field(compare=False)
    columns: Mapping[str, PerQuery] = field(compare=False)


@dataclass(frozen=True, eq=False)
class Figures:
    """Means, with the values of queries where these are known.

    Attributes:
        name: what was scored.
        mean: {measure: its mean}.
        queries: the ids of the values; empty if only means are known.
        values: {measure: (queries,)}.
        rules: under which it was scored; None where that is unknown.
        system: the scores of a system with several runs, whose means these are.
        predicted: where people judged some queries and a model all: the estimate, whose values are people's.
        ledger: what the means hide; None where that is unknown.
    """

    name: str
    mean: Mapping[str, float]
    queries: tuple[str, ...]
    values: Mapping[str, PerQuery]
    rules: Rules | None
    system: Scores | None = None
    predicted: Predicted | None = None
    ledger: Ledger | None = None

    @property
    def counted(self) -> Counted | None:
        """What the means hide, under which rules; None where that is unknown."""
        if not self.rules or not self.ledger:
            return None
        known = {name: values for name, values in self.values.items() if self.is_known(name)}
        return Counted(self.name, self.rules, self.ledger, self.queries, known)

    @property
    def finds_nothing_judged(self) -> bool:
        """Whether everything returned is unjudged, for instance because ids are spelled differently."""
        return self.ledger is not None and 0 < self.ledger.returned == self.ledger.unjudged

    @classmethod
    def of(cls, thing: Any, measures: Sequence[str] | None = None) -> Figures:
        """Figures from `Scores`, what `eval --format json` saved (a path or the object), or {measure: mean}.

        Args:
            thing: or a `Reading`, which is evaluated; or a `Predicted`.
            measures: of a reading.

        Raises:
            InputError: it is none of these.
        """
        if isinstance(thing, Figures):
            return thing
        if isinstance(thing, Reading):
            thing = evaluate(thing, measures=measures)
        if hasattr(thing, "people"):
            people, means = thing.people, {name: predicted.interval.estimate for name, predicted in thing.items()}
            called = {people.called(name): mean for name, mean in means.items()}
            return cls(thing.run, called, tuple(people.queries), people.columns, thing.rules, predicted=thing)
        if isinstance(thing, Scores):
            means = {str(m): thing.number(m) for m in thing.measures}
            own = tuple(distinct(thing.queries)), thing.columns, thing.rules
            return cls(thing.run, means, *own, thing if thing.runs else None, ledger=thing.ledger)
        if isinstance(thing, str | os.PathLike):
            return cls.read(thing)
        if isinstance(thing, Mapping):
            return _saved(saved_scores(thing, "scores")) if "mean" in thing else _means(thing)
        raise InputError(
            "scores are Scores, a saved file, or {{measure: mean}}; not {kind}", kind=type(thing).__name__
        )

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Figures:
        """What `truerank eval --format json` or `truerank bench` saved.

        Raises:
            InputError: the file holds something else, or the scores of several runs.
        """
        found = read_saved(path)
        if len(found) != 1:
            raise InputError(
                "it holds the scores of {n} runs; one can be checked at a time", os.fspath(path), n=len(found)
            )
        return _saved(found[0])

    def is_known(self, name: str) -> bool:
        """Whether there are values of queries for a measure, if there are any values at all."""
        return not self.values or name in self.values

    def components(self, measure: Measure) -> tuple[stats.Components, ...]:
        """The variance components of a system with several runs; none for a single run."""
        if self.system is None:
            return ()
        table = averaged(measure, values_of(self.system, measure))
        kept = table[np.isfinite(table).all(axis=1)]
        return (stats.components(kept),) if len(kept) > 1 else ()

    def at(self, places: Sequence[int]) -> Figures:
        """The figures on some of the queries, without measures that have no values of queries."""
        values = {name: column[np.array(places, np.intp)] for name, column in self.values.items()}
        means = {name: _mean(name, column) for name, column in values.items()}
        queries = tuple(self.queries[i] for i in places)
        system = self.system and replace(self.system, queries=tuple(self.system.queries[i] for i in places))
        return replace(self, mean=means, queries=queries, values=values, system=system)

    def resolve(self, measure: str | Measure) -> str:
        """The name of a measure here, however it is spelled.

        Raises:
            MeasureError: there are no scores of it.
        """
        name = str(measure)
        if name not in self.mean:
            name = str(under(measure, self.rules or Rules()))
        if name not in self.mean:
            raise MeasureError(
                "{name} has no {measure}.{hint} It has {known}",
                name=self.name,
                measure=name,
                hint=did_you_mean(name, self.mean),
                known=", ".join(self.mean) or message("nothing"),
            )
        return name


def _mean(name: str, values: PerQuery) -> float:
    """The mean of the values that are numbers; NaN without any."""
    kept = values[np.isfinite(values)]
    return measure_saved_as(name).mean(kept) if len(kept) else math.nan


def _means(means: Mapping[Any, Any]) -> Figures:
    known = numbers(means, "scores")
    for measure, mean in known.items():
        if not math.isfinite(mean):
            raise InputError("{measure} is {mean}: a mean is a finite number", measure=measure, mean=mean)
    return Figures("scores", known, (), {}, None)


def _saved(saved: SavedScores) -> Figures:
    own = saved.name, saved.mean, saved.queries, saved.values, saved.rules
    return Figures(*own, ledger=saved.ledger)
