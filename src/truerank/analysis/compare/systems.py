"""Runs as scores under the same rules, on the same queries."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank.analysis.compare.naming import by_name, is_one, opened
from truerank.analysis.compare.several import are_several, is_deterministic, several, values_of
from truerank.analysis.saved_scores import one_with_saved, with_saved
from truerank.core.errors import InputError, MeasureError
from truerank.core.evaluate import evaluate, made_under, read_catalogue
from truerank.core.messages import message, plural
from truerank.core.qrels import QrelsLike
from truerank.core.reading import Reading, refuse_others
from truerank.core.rules import Rules, RulesLike, common
from truerank.core.scores import Scores, distinct
from truerank.core.vocabulary import asked_for
from truerank.formats import open_run, read_qrels
from truerank.formats.source import Source
from truerank.measures import Measure, MeasuresLike
from truerank.measures.sums import Ints, PerQuery

Measures = MeasuresLike | None


@dataclass(frozen=True, eq=False)
class Systems:
    """Scores of several systems, aligned on the queries that all of them have.

    Attributes:
        scores: {name: scores}.
        queries: those that all have, in the order of the first system's scores.
        places: for each system, the rows of these queries in its scores.
        dropped: how many queries only some of them have.
    """

    scores: Mapping[str, Scores]
    queries: tuple[str, ...]
    places: tuple[NDArray[np.intp], ...]
    dropped: int

    @cached_property
    def varying(self) -> tuple[str, ...]:
        """The systems with several runs that are not all the same."""
        return tuple(name for name, one in self.scores.items() if one.runs and not is_deterministic(one))

    def runs(self, measure: Measure) -> dict[str, PerQuery]:
        """(queries, runs) what each query scores in each run of a system, where these vary."""
        where = dict(zip(self.scores, self.places, strict=True))
        return {name: values_of(self.scores[name], measure)[where[name]] for name in self.varying}

    def values(self, measure: Measure) -> PerQuery:
        """(queries, systems) what each query scores in each system."""
        columns = [s[measure][at] for s, at in zip(self.scores.values(), self.places, strict=True)]
        return np.column_stack(columns)

    def numbers(self, measure: Measure, chosen: NDArray[np.intp], times: Ints) -> PerQuery:
        """(systems,) a measure of the whole run with the chosen queries taken this many times."""
        values = []
        for scores, at in zip(self.scores.values(), self.places, strict=True):
            of_all = np.zeros(len(scores.queries), np.int64)
            of_all[at[chosen]] = times
            values.append(scores.of_run[str(measure)].at(of_all))
        return np.array(values)


def scored(
    qrels: QrelsLike | None,
    runs: Any,
    measures: Measures,
    rules: RulesLike | None = None,
    threads: int | None = None,
    *,
    items: Any = None,
    as_written: bool = False,
) -> dict[str, Scores]:
    """The scores of each system by its name; what is scored already is taken as it is.

    Raises:
        TruerankError: no system; scores made under different rules, or readings with different judgements;
            whatever `evaluate` raises.
    """
    named = by_name(runs)
    things = [one for thing in named.values() for one in (thing if are_several(thing) else [thing])]
    made = [thing for thing in things if isinstance(thing, Scores)]
    under = (common(_made_under(named)) if rules is None else None) or Rules.of(rules)
    if measures is None and made:
        measures = made[0].measures
    judged = read_qrels(qrels) if len(made) < len(things) and qrels is not None else None
    if under.unit != "line":  # its judgements are those of its lines
        refuse_others(judged, things)
    known = read_catalogue(items)
    how: dict[str, Any] = {"rules": under, "threads": threads, "items": known, "as_written": as_written}

    def of_one(name: str, thing: Any) -> Scores:
        if isinstance(thing, Scores):
            thing.rules.refuse_unlike(name, under, message("others"))
            return replace(thing, as_written=True) if as_written else thing
        if isinstance(thing, Reading):
            return evaluate(thing, measures=measures, **how)
        if judged is None:
            raise InputError("qrels are needed where a system is not scored yet", name)
        return evaluate(judged, opened(thing, name), measures, **how)

    return {
        name: several(name, [replace(of_one(own, run), run=own) for own, run in by_name(thing).items()])
        if are_several(thing)
        else of_one(name, thing)
        for name, thing in named.items()
    }


def _made_under(named: Mapping[str, Any]) -> Iterator[tuple[str, Rules]]:
    """The rules of the systems that were read or scored already, which files may hold."""
    for name, thing in named.items():
        for one in thing if are_several(thing) else [thing]:
            is_file = isinstance(one, str | os.PathLike | Source)
            own = one.rules if isinstance(one, Scores) else made_under(open_run(one) if is_file else one)
            if own:
                yield name, own


def read(runs: Any) -> Any:
    """The runs; those that are files of saved scores are read, and other files opened."""
    if isinstance(runs, Mapping) and not is_one(runs):
        return {name: with_saved(one) if are_several(one) else one_with_saved(one) for name, one in runs.items()}
    if isinstance(runs, str | os.PathLike):
        return with_saved([runs])
    if isinstance(runs, list | tuple) and not is_one(runs):
        each = ([with_saved(one)] if are_several(one) else with_saved([one]) for one in runs)
        return [run for several_or_one in each for run in several_or_one]
    return runs


def common_measures(scores: Mapping[str, Scores], measures: Measures, *, drawn: bool = True) -> tuple[Measure, ...]:
    """The measures that are asked for, or that the first system has; all systems must have them.

    Args:
        drawn: refuse a measure of the whole run of which resamples do not show how sure it is.
    """
    first = next(iter(scores.values()))
    asked = None if measures is None else asked_for(measures, first.rules).values()
    wanted = first.measures if asked is None else tuple(dict.fromkeys(asked))
    for name, one in scores.items():
        for measure in wanted:
            if str(measure) not in {**one.columns, **one.of_run}:
                raise MeasureError(
                    "{name} has no scores for {measure}; it has {columns}",
                    name=name,
                    measure=measure,
                    columns=", ".join([*one.columns, *one.of_run]),
                )
            if drawn and not one.is_drawn(measure):
                raise MeasureError(
                    "{measure} has no interval: a query that is drawn twice lists nothing new, so that no "
                    "resample shows how sure its number is; `truerank eval` and `compare` have it",
                    measure=measure,
                )
    if not wanted:
        raise MeasureError("no measure is named; name some: nDCG@10 AP")
    return wanted


def are_drawn(scores: Mapping[str, Scores], measure: Measure) -> bool:
    """Whether resamples of the queries show how sure the numbers of all systems are."""
    return all(one.is_drawn(measure) for one in scores.values())


def align(scores: Mapping[str, Scores]) -> Systems:
    """The systems on the queries that all of them have; of submitted lines those that all answer by as many.

    Raises:
        InputError: there are no such queries; or not the same everywhere, where the rules make that an error.
    """
    keys = [tuple(distinct(one.queries)) for one in scores.values()]
    of_runs = [tuple(distinct(run.queries)) for one in scores.values() for run in one.runs]
    if len({*keys, *of_runs}) == 1:
        rows_of_each = (np.arange(len(keys[0])),) * len(keys)
        return _some(Systems(scores, keys[0], rows_of_each, 0))
    places = [{query: i for i, query in enumerate(names)} for names in keys]
    times = [Counter(one.queries) for one in scores.values()]  # a query may have several submitted lines
    everywhere = {query for query, n in times[0].items() if all(each[query] == n for each in times)}
    first = zip(keys[0], next(iter(scores.values())).queries, strict=True)
    shared = tuple(name for name, query in first if query in everywhere and all(name in where for where in places))
    dropped = len(set().union(*keys, *of_runs)) - len(shared)
    if dropped and next(iter(scores.values())).rules.missing == "error":
        raise InputError(
            plural(
                "{n} query is not in the scores of every system; missing = error refuses that",
                "{n} queries are not in the scores of every system; missing = error refuses that",
                n=dropped,
            )
        )
    rows = tuple(np.array([where[query] for query in shared], np.intp) for where in places)
    return _some(Systems(scores, shared, rows, dropped))


def _some(systems: Systems) -> Systems:
    if not systems.queries:
        raise InputError(
            "no query is in the scores of all of {names}: are their query ids of one collection?",
            names=", ".join(systems.scores),
        )
    return systems
