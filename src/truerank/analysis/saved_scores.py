"""Scores that `truerank eval`, `bench` or `geo` saved as JSON, read again."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from truerank.core.errors import InputError, MeasureError, quoted
from truerank.core.hits import Hits
from truerank.core.ledger import Ledger
from truerank.core.messages import listed
from truerank.core.rules import Rules
from truerank.core.scores import Scores
from truerank.core.vocabulary import under
from truerank.formats.lines import json_or_lines
from truerank.formats.source import as_source
from truerank.measures import Definition, Measure, parse_measure
from truerank.measures.sums import PerQuery

_JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*[\[{]")
_SAVED = re.compile(rb'(?:\xef\xbb\xbf)?\s*\[?\s*\{\s*"(?:(?:rules|format)"\s*:|\w+"\s*:\s*\{\s*"mean"\s*:\s*\{)')

_OF_PLACES = re.compile(r"(?:SDM|MA)@")
"""What `geo` tells of how far off results are, from 0 to 1 for each query."""


@dataclass(frozen=True, eq=False)
class SavedScores:
    """What was saved of the scores of a run.

    Attributes:
        name: what was scored.
        mean: {measure: its mean}.
        queries: the ids of the values; empty if only means were saved.
        values: {measure: (queries,)}.
        rules: under which it was scored; None where another program wrote nothing of it.
        ledger: what the means hide; None likewise.
        asked: {a measure as it was asked for: what it became under the rules}.
        runs: of how many runs the values are means.
    """

    name: str
    mean: Mapping[str, float]
    queries: tuple[str, ...]
    values: Mapping[str, PerQuery]
    rules: Rules | None
    ledger: Ledger | None
    asked: Mapping[str, str]
    runs: int

    def scores(self, file: str) -> Scores:
        """The same as `evaluate` makes them; measures of the whole run are named alone.

        Raises:
            InputError: something that this needs was not saved.
        """
        if not self.queries:
            raise InputError("only the means were saved: `truerank eval --per-query` saves what they are of", file)
        if self.rules is None or self.ledger is None:
            raise InputError(
                "it lacks the rules or the ledger that `truerank eval` saves beside the means: save it anew, by "
                "`truerank eval --per-query --format json`",
                file,
            )
        if self.runs > 1:
            raise InputError("of {n} runs only means were saved: name the runs", file, n=self.runs)
        named = {name: measure_saved_as(name, self.rules) for name in self.mean}
        measures = tuple(one for name, one in named.items() if name in self.values or one.definition.is_of_run)
        known = self.rules, self.ledger, self.name
        return Scores(self.queries, measures, dict(self.values), *known, asked=self.asked)


def is_saved(path: str | os.PathLike[str]) -> bool:
    """Whether a file holds saved scores or a benchmark, rather than a run."""
    source = as_source(path)
    return not source.is_folder and bool(_SAVED.match(source.head))


def read_saved(path: str | os.PathLike[str]) -> list[SavedScores]:
    """What `truerank eval --format json`, `truerank bench` or `truerank geo` saved, of each run.

    Raises:
        InputError: the file holds something else.
    """
    source = as_source(path)
    if source.is_folder or not _JSON.match(source.head):
        raise _no_scores(source.name)
    value = json_or_lines(source.read(), source.name)
    return [_of_one(each, source.name) for each in (value if isinstance(value, list) else [value])]


def with_saved(runs: Iterable[Any]) -> list[Any]:
    """The runs, files as sources; in place of a file with saved scores, those."""
    return [one for run in runs for one in _with_saved(run)]


def one_with_saved(run: Any) -> Any:
    """The run; in place of the path of a file with saved scores, these, which are of one run."""
    found = with_saved([run])
    if len(found) > 1:
        raise InputError("it holds the scores of {n} runs, where one is needed", run, n=len(found))
    return found[0]


def _with_saved(run: Any) -> list[Any]:
    if not isinstance(run, str | os.PathLike):
        return [run]
    source = as_source(run)
    return [one.scores(source.name) for one in read_saved(source)] if is_saved(source) else [source]


def _of_one(value: Any, name: str) -> SavedScores:
    if isinstance(value, Mapping) and "format" in value:
        value = value.get("scores") or {}
    if isinstance(value, Mapping) and (views := [view for view in value if _is_view(value[view])]):
        return _of_view(value, views, name)
    if not isinstance(value, Mapping) or "mean" not in value:
        raise _no_scores(name)
    return saved_scores(value, name)


def _no_scores(name: str) -> InputError:
    return InputError(
        "these are no saved scores; `truerank eval --per-query --format json` writes them; "
        "with a run name its qrels; the name of a file of gates ends in .toml",
        name,
    )


def _is_view(value: Any) -> bool:
    return isinstance(value, Mapping) and {"mean", "distance", "truth"} <= value.keys()


def _of_view(places: Mapping[str, Any], views: list[str], name: str) -> SavedScores:
    """The scores of places, and of what tells how far off the first results are."""
    if len(views) > 1:
        raise InputError(
            "it holds what is right by several distances, {views}: write one, "
            "`truerank geo --metric xy -o FILE.json`",
            name,
            views=listed(views),
        )
    view = places[views[0]]
    off = {**(view.get("sdm") or {}), **(view.get("ma") or {})}
    off.pop("steepness", None)
    return saved_scores({**view, "mean": {**view["mean"], **off}}, name)


def saved_scores(value: Mapping[str, Any], name: str) -> SavedScores:
    """What an object says that `Scores.to_dict` made."""
    written = numbers(value["mean"], name)
    asked = value.get("asked") or {}
    if not isinstance(asked, Mapping):
        raise InputError("asked is what each measure was called, not {asked}", name, asked=quoted(asked))
    became = {m: str(asked.get(m, m)) for m in written}
    means = {became[m]: mean for m, mean in written.items()}
    rules = Rules.from_dict(dict(value["rules"])) if isinstance(value.get("rules"), Mapping) else None
    queries = value.get("queries") or {}
    try:
        is_known = bool(queries) or _is_of_none(value)
        known = [m for m in written if is_known and not measure_saved_as(became[m]).definition.is_of_run]
        columns = {became[m]: [row[m] for row in queries.values()] for m in known}
        values = {m: np.array(column, np.float64) for m, column in columns.items()}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(
            "the values of the queries are damaged: {kind} {error}", name, kind=type(error).__name__, error=error
        ) from None
    names = {str(word): str(name) for word, name in asked.items()}
    names |= {m: name for m, name in became.items() if name not in names.values()}
    own = str(value.get("run", name)), means, tuple(queries), values, rules, _ledger(value)
    return SavedScores(*own, names, len(value.get("runs") or [()]))


def measure_saved_as(name: str, rules: Rules | None = None) -> Measure:
    """The measure, as its column is called under the rules; one that is not registered here is a plain mean."""
    try:
        return parse_measure(name) if rules is None else under(name, rules)
    except MeasureError:
        return Measure(Definition(name, _unregistered, unit=bool(_OF_PLACES.match(name))), name)


def _unregistered(hits: Hits) -> PerQuery:
    raise MeasureError("it is not registered here, so that there is nothing but its saved values")


def numbers(means: Any, name: str) -> dict[str, float]:
    """{measure: mean}"""
    try:
        return {str(measure): math.nan if mean is None else float(mean) for measure, mean in means.items()}
    except (AttributeError, TypeError, ValueError):
        raise InputError("the means are no numbers by measure", name) from None


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
