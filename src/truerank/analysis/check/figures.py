"""What can be checked: scores, in memory or saved, with values of the queries or without."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from truerank import stats
from truerank.analysis.compare.several import values_of
from truerank.core.errors import InputError, MeasureError, quoted
from truerank.core.evaluate import evaluate
from truerank.core.hits import Hits
from truerank.core.ledger import Ledger
from truerank.core.messages import did_you_mean, message
from truerank.core.reading import Reading
from truerank.core.rules import Rules
from truerank.core.scores import Scores, averaged, distinct
from truerank.core.vocabulary import under
from truerank.formats.records import parsed
from truerank.formats.source import as_source
from truerank.measures import Definition, Measure, parse_measure
from truerank.measures.sums import PerQuery

if TYPE_CHECKING:
    from truerank.analysis.compare.prediction_powered import Predicted

_SAVED = re.compile(rb'(?:\xef\xbb\xbf)?\s*\[?\s*\{\s*"(?:rules|format)"\s*:')


class Counted(NamedTuple):
    """What was scored under which rules, and what the means hide."""

    name: str
    rules: Rules
    ledger: Ledger


@dataclass(frozen=True, eq=False)
class Figures:
    """Means, and the values that they are of where these are known.

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
        return Counted(self.name, self.rules, self.ledger) if self.rules and self.ledger else None

    @property
    def finds_nothing_judged(self) -> bool:
        """Whether all that was returned is unjudged, as where its ids are spelled otherwise."""
        return self.ledger is not None and 0 < self.ledger.returned == self.ledger.unjudged

    @classmethod
    def of(cls, thing: Any, measures: Sequence[str] | None = None) -> Figures:
        """Figures from `Scores`, what `eval --format json` saved (a path or the object), or {measure: mean}.

        Args:
            thing: or a `Reading`, which is evaluated; or a `Predicted`.
            measures: of a reading.

        Raises:
            InputError: it is nothing of that kind.
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
            return _saved(thing, "scores") if "mean" in thing else _means(thing)
        raise InputError(
            "scores are Scores, a saved file, or {{measure: mean}}; not {kind}", kind=type(thing).__name__
        )

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Figures:
        """What `truerank eval --format json` or `truerank bench` saved.

        Raises:
            InputError: the file holds something else, or the scores of several runs.
        """
        source = as_source(path)
        value = parsed(source.read(), source.name)
        if isinstance(value, list):
            if len(value) != 1:
                raise InputError(
                    "it holds the scores of {n} runs; one can be checked at a time", source.name, n=len(value)
                )
            value = value[0]
        if isinstance(value, Mapping) and "format" in value:
            value = value.get("scores") or {}
        if not isinstance(value, Mapping) or "mean" not in value:
            raise InputError(
                "these are no saved scores; `truerank eval --per-query --format json` writes them", source.name
            )
        return _saved(value, source.name)

    def components(self, measure: Measure) -> tuple[stats.Components, ...]:
        """What differs between the runs of a system with several; nothing of a single run."""
        if self.system is None:
            return ()
        table = averaged(measure, values_of(self.system, measure))
        kept = table[np.isfinite(table).all(axis=1)]
        return (stats.components(kept),) if len(kept) > 1 else ()

    def at(self, places: Sequence[int]) -> Figures:
        """The same on some of the queries; what has no values of queries is left out."""
        values = {name: column[np.array(places, np.intp)] for name, column in self.values.items()}
        means = {name: _mean(name, column) for name, column in values.items()}
        queries = tuple(self.queries[i] for i in places)
        system = self.system and replace(self.system, queries=tuple(self.system.queries[i] for i in places))
        return replace(self, mean=means, queries=queries, values=values, system=system)

    def resolve(self, measure: str | Measure) -> str:
        """The measure as it is called here, however it is spelled.

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


def measure_named(name: str) -> Measure:
    """The measure; one that is not registered here is taken for a plain mean of any numbers."""
    try:
        return parse_measure(name)
    except MeasureError:
        return Measure(Definition(name, _unregistered, unit=False), name)


def _unregistered(hits: Hits) -> PerQuery:
    raise MeasureError("it is not registered here, so that there is nothing but its saved values")


def _mean(name: str, values: PerQuery) -> float:
    """Of the values that there are; NaN of none."""
    kept = values[np.isfinite(values)]
    return measure_named(name).mean(kept) if len(kept) else math.nan


def is_saved(path: str | os.PathLike[str]) -> bool:
    """Whether a file holds saved scores or a benchmark, rather than a run."""
    return bool(_SAVED.match(as_source(path).head))


def _means(means: Mapping[Any, Any]) -> Figures:
    numbers = _numbers(means, "scores")
    for measure, mean in numbers.items():
        if not math.isfinite(mean):
            raise InputError("{measure} is {mean}: a mean is a finite number", measure=measure, mean=mean)
    return Figures("scores", numbers, (), {}, None)


def _saved(value: Mapping[str, Any], name: str) -> Figures:
    written = _numbers(value["mean"], name)
    asked = value.get("asked") or {}
    if not isinstance(asked, Mapping):
        raise InputError("asked is what each measure was called, not {asked}", name, asked=quoted(asked))
    became = {m: str(asked.get(m, m)) for m in written}
    means = {became[m]: mean for m, mean in written.items()}
    rules = Rules.from_dict(dict(value["rules"])) if isinstance(value.get("rules"), Mapping) else None
    queries = value.get("queries") or {}
    try:
        is_known = bool(queries) or _is_of_none(value)
        known = [m for m in written if is_known and not measure_named(became[m]).definition.is_of_run]
        columns = {became[m]: [row[m] for row in queries.values()] for m in known}
        values = {m: np.array(column, np.float64) for m, column in columns.items()}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(
            "the values of the queries are damaged: {kind} {error}", name, kind=type(error).__name__, error=error
        ) from None
    return Figures(str(value.get("run", name)), means, tuple(queries), values, rules, ledger=_ledger(value))


def _ledger(saved: Mapping[str, Any]) -> Ledger | None:
    """What the saved means hide, unless another program wrote something else there."""
    try:
        return Ledger.from_dict(saved["ledger"])
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _is_of_none(value: Mapping[str, Any]) -> bool:
    """Whether saved scores without values of queries are of no query at all."""
    ledger = value.get("ledger")
    return value.get("queries") == {} or (isinstance(ledger, Mapping) and ledger.get("evaluated") == 0)


def _numbers(means: Any, name: str) -> dict[str, float]:
    """{measure: mean}"""
    try:
        return {str(measure): math.nan if mean is None else float(mean) for measure, mean in means.items()}
    except (AttributeError, TypeError, ValueError):
        raise InputError("the means are no numbers by measure", name) from None
