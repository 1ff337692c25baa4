"""Several runs of one system, such as those of other seeds: one system's scores, the mean over its runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank.core.equal import are_equal, is_equal
from truerank.core.errors import InputError
from truerank.core.ledger import Ledger
from truerank.core.reading import Reading
from truerank.core.scores import Scores, averaged, distinct, shared
from truerank.formats.objects import is_one_run
from truerank.measures import Measure
from truerank.measures.of_run import OfRun
from truerank.measures.sums import Ints, PerQuery
from truerank.stats.values import mean


def are_several(thing: Any) -> bool:
    """Whether a system is given as a list of runs: paths, dicts, DataFrames, ranx's `Run`s, `Scores`, `Reading`s.

    >>> are_several(["a.run", "b.run"]), are_several([{"query": "q1", "doc": "a", "score": 1.0}])
    (True, False)
    """
    return isinstance(thing, list) and bool(thing) and all(map(_is_run, thing))


def _is_run(thing: Any) -> bool:
    """Whether this is a run, and not a row of one."""
    if isinstance(thing, Mapping):
        return not any(isinstance(answer, str) or not hasattr(answer, "__len__") for answer in thing.values())
    return isinstance(thing, Reading | Scores) or is_one_run(thing)


def several(name: str, runs: Sequence[Scores]) -> Scores:
    """The scores of a system: each query's value is the mean over its runs, and `Scores.runs` has each of them.

    Only queries that all runs have are in it. In its ledger each count, and the queries named beside it, are those
    of the run where it is largest, of `evaluated` and `answered` the smallest.

    Raises:
        InputError: no query is in all of the runs.
    """
    if len(runs) == 1:
        return replace(runs[0], run=name)
    queries = [tuple(distinct(one.queries)) for one in runs]
    common = set(queries[0]).intersection(*queries[1:])
    kept = tuple(query for query in queries[0] if query in common)
    if not kept:
        raise InputError(
            "no query is in the scores of all runs of {name}: are their query ids of one collection?", name=name
        )
    named = zip(runs, queries, distinct([one.run for one in runs]), strict=True)
    whole = replace(
        runs[0],
        run=name,
        queries=kept,
        ledger=_ledger([one.ledger for one in runs], len(kept)),
        runs=tuple(replace(one, run=own, queries=kept if ids == kept else ids) for one, ids, own in named),
    )
    measures = {str(measure): measure for measure in whole.measures}
    return replace(
        whole,
        columns={key: _over_runs(measures[key], values_of(whole, measures[key])) for key in whole.columns},
        of_run={key: _MeanOfRuns.of(whole, key) for key in whole.of_run},
    )


def values_of(scores: Scores, measure: Measure) -> PerQuery:
    """(queries, runs) what each run scores on each query of the system; a single run is one column."""
    runs = scores.runs or (scores,)
    return np.column_stack([one[measure][at] for one, at in zip(runs, _places(scores), strict=True)])


def _places(scores: Scores) -> list[NDArray[np.intp]]:
    """The places of the system's queries in each run."""
    queries, every = scores.queries, np.arange(len(scores.queries))
    runs = scores.runs or (scores,)
    return [every if one.queries is queries else shared(queries, one.queries)[1] for one in runs]


def alike(scores: Scores) -> list[tuple[str, str]]:
    """The runs of a system that score the same on every query, each with the first run that it equals."""
    pairs = []
    for at, other in enumerate(scores.runs):
        same = next((one for one in scores.runs[:at] if _same(one, other)), None)
        pairs += [(same.run, other.run)] if same else []
    return pairs


def is_deterministic(scores: Scores) -> bool:
    """Whether all runs of a system score the same on every query: nothing is random in it."""
    return len(alike(scores)) == len(scores.runs) - 1


def _same(one: Scores, other: Scores) -> bool:
    return (
        list(one.queries) == list(other.queries)
        and all(are_equal(column, other.columns[name]).all() for name, column in one.columns.items())
        and all(is_equal(whole.value, other.of_run[name].value) for name, whole in one.of_run.items())
    )


def _over_runs(measure: Measure, values: PerQuery) -> PerQuery:
    """(queries,) the mean over runs; for a geometric mean, the mean of logarithms."""
    if measure.definition.average == "geometric":
        middle = np.exp(mean(averaged(measure, values).T))
    else:
        middle = mean(values.T)
    return np.where(are_equal(values, values[:, :1]).all(axis=1), values[:, 0], middle)


def _ledger(ledgers: Sequence[Ledger], evaluated: int) -> Ledger:
    """What the means of all runs hide."""
    fields: dict[str, Any] = {}
    for name, value in vars(ledgers[0]).items():
        each = [getattr(one, name) for one in ledgers]
        if isinstance(value, int):
            fields[name] = max(each)
        elif isinstance(value, tuple):
            fields[name] = tuple(dict.fromkeys(item for one in each for item in one))
    keys = sorted({key for one in ledgers for key in one.examples})
    fields["examples"] = {key: max(ledgers, key=attrgetter(key)).examples.get(key, ()) for key in keys}
    lacking = {name for one in ledgers for name in one.undefined}
    fields["undefined"] = {name: max(one.undefined.get(name, 0) for one in ledgers) for name in sorted(lacking)}
    return Ledger(**fields | {"answered": min(one.answered for one in ledgers), "evaluated": evaluated})


@dataclass(frozen=True, eq=False)
class _MeanOfRuns(OfRun):
    """The mean over the runs of a measure of the whole run.

    Attributes:
        runs: the number of each run.
        places: the places of the system's queries in each run.
    """

    runs: tuple[OfRun, ...]
    places: tuple[NDArray[np.intp], ...]

    @classmethod
    def of(cls, scores: Scores, measure: str) -> _MeanOfRuns:
        """The mean over the runs of a system."""
        return cls(len(scores.queries), tuple(one.of_run[measure] for one in scores.runs), tuple(_places(scores)))

    @property
    def is_drawn(self) -> bool:  # type: ignore[override]
        """Whether resamples of the queries show how sure each is."""
        return all(one.is_drawn for one in self.runs)

    def at(self, times: Ints) -> float:
        """The mean of the runs' numbers, with the queries taken this many times."""
        values = []
        for one, places in zip(self.runs, self.places, strict=True):
            of_all = np.zeros(one.queries, np.int64)
            of_all[places] = times
            values.append(one.at(of_all))
        return float(mean(np.array(values)))
