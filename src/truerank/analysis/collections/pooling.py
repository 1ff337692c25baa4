"""Collections with their runs in; how systems stand over all of them out."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, get_args

import numpy as np

from truerank import stats
from truerank.analysis.collections.files import named, read_collections
from truerank.analysis.collections.result import Collections, Standings
from truerank.analysis.compare.systems import Measures, align, common_measures, scored
from truerank.analysis.drawing import checked_drawing
from truerank.core.errors import InputError, MeasureError, needs, printable
from truerank.core.messages import alternatives, listed, message
from truerank.core.rules import Rules, RulesLike
from truerank.core.scores import Scores
from truerank.measures import Measure
from truerank.measures.sums import Floats
from truerank.stats.nested import Drawn

ScoresOf = Mapping[str, Mapping[str, Scores]]
"""{collection: {system: its scores}}."""

NAMED = 5
"""Names in a message, of which there may be many."""


def collections(
    several: str | os.PathLike[str] | Mapping[str, Any],
    measures: Measures = None,
    *,
    drawn: Drawn = "fixed",
    confidence: float = 0.95,
    samples: int = 10_000,
    seed: int = 0,
    partial: bool = False,
    rules: RulesLike | None = None,
    threads: int | None = None,
) -> Collections:
    """Which system is better over several collections, and which ranks each may have.

    Each collection counts alike, however many queries it has. Systems are matched by their names.

    Args:
        several: {collection: (qrels, runs)}, runs as for `compare`; {collection: {system: `Scores` or `Reading`}};
            or the path of a file of collections. Systems of files are called as these, without the ending.
        measures, rules, threads: as for `evaluate`; measures that are means over queries.
        drawn: "fixed": these collections are what matters, and only their queries could have been others;
            "random": the collections are a sample too, of all that there might be.
        confidence: of the intervals; with it all true ranks lie in the rank intervals, at once.
        samples, seed: of the resampling; the same seed gives the same result.
        partial: also give systems without a run on some collection the mean over those that they have.

    Raises:
        TruerankError: wrong input; no system that has a run on every collection. The message says what now.
    """
    confidence, samples, seed = checked_drawing(confidence, samples, seed)
    if drawn not in get_args(Drawn):
        known = alternatives(get_args(Drawn))
        raise InputError("collections are {known}, not {drawn!r}", known=known, drawn=drawn)
    scores = _scored(several, measures, rules, threads)
    if drawn == "random" and len(scores) < 2:
        raise InputError(
            "{name} is one collection, which shows nothing of others: take more, or fixed collections",
            name=printable(next(iter(scores))),
        )
    systems = tuple(dict.fromkeys(system for of in scores.values() for system in of))
    missing = {
        name: where for name in systems if (where := tuple(one for one, of in scores.items() if name not in of))
    }
    if len(missing) == len(systems):
        raise _nowhere(missing, len(scores))
    aligned = {name: align(of) for name, of in scores.items()}
    common = _in_all({name: common_measures(of, measures) for name, of in scores.items()})
    wanted = _averaged(common, is_asked=measures is not None)
    with needs(message("collections"), "stats", "scipy"):
        standings = tuple(
            _standings(
                measure,
                {name: of.values(measure) for name, of in aligned.items()},
                scores,
                systems,
                missing,
                partial=partial,
                how={"collections": drawn, "confidence": confidence, "resamples": samples, "seed": seed},
            )
            for measure in wanted
        )
    dropped = {name: of.dropped for name, of in aligned.items() if of.dropped}
    return Collections(
        tuple(scores), systems, standings, missing, dropped, drawn, confidence, samples, seed, scores
    )


def _scored(
    several: str | os.PathLike[str] | Mapping[str, Any],
    measures: Measures,
    rules: RulesLike | None,
    threads: int | None,
) -> dict[str, dict[str, Scores]]:
    """The scores of each system on each collection, all under the same rules."""
    given = read_collections(several) if isinstance(several, str | os.PathLike) else several
    if not isinstance(given, Mapping) or not given:
        raise InputError("collections are names with their (qrels, runs), or the path of a file that has them")
    scores: dict[str, dict[str, Scores]] = {}
    under = None if rules is None else Rules.of(rules)
    for name, thing in given.items():
        is_pair = isinstance(thing, tuple) and len(thing) == 2
        qrels, runs = thing if is_pair else (None, thing)
        if not isinstance(runs, Mapping | list) and not is_pair:
            raise InputError(
                "{name} is no collection: it has (qrels, runs), or {{system: Scores}}", name=printable(str(name))
            )
        if isinstance(runs, list | tuple) and all(isinstance(run, str | os.PathLike) for run in runs):
            runs = named([os.fspath(run) for run in runs], str(name))
        own = scored(qrels, runs, measures, under, threads)
        under = under or next(iter(own.values())).rules
        scores[str(name)] = own
    return scores


def _nowhere(missing: Mapping[str, tuple[str, ...]], of: int) -> InputError:
    system = min(missing, key=lambda name: len(missing[name]))
    return InputError(
        "no system has a run on all {n} collections: {system}, which has the most, lacks {names}; systems are "
        "matched by name, so name them alike, or leave collections out",
        n=of,
        system=system,
        names=listed(missing[system], NAMED),
    )


def _in_all(measures: Mapping[str, tuple[Measure, ...]]) -> tuple[Measure, ...]:
    """The measures that every collection has, in the order of the first."""
    first, *rest = [{str(measure): measure for measure in own} for own in measures.values()]
    common = tuple(measure for name, measure in first.items() if all(name in own for own in rest))
    if not common:
        own = "; ".join(f"{name}: {', '.join(map(str, of))}" for name, of in measures.items())
        raise MeasureError("the collections have no measure in common; there is {own}", own=own)
    return common


def _averaged(measures: tuple[Measure, ...], *, is_asked: bool) -> tuple[Measure, ...]:
    """The measures that are means over queries; for others, queries cannot be resampled within a collection."""
    means = tuple(one for one in measures if one.definition.average == "mean" and not one.definition.is_of_run)
    others = [one for one in measures if one not in means]
    if others and (is_asked or not means):
        raise MeasureError(
            "{measure} is no mean over queries: over several collections take measures that are, e.g. nDCG@10",
            measure=others[0],
        )
    return means


def _standings(
    measure: Measure,
    values: Mapping[str, Floats],
    scores: ScoresOf,
    systems: tuple[str, ...],
    missing: Mapping[str, tuple[str, ...]],
    *,
    partial: bool,
    how: dict[str, Any],
) -> Standings:
    """The standings by one measure; queries on which a system's value is not a finite number are left out."""
    known = {name: of[np.isfinite(of).all(axis=1)] for name, of in values.items()}
    if empty := [name for name, of in known.items() if not len(of)]:
        raise InputError(
            "{measure} has a value of every system for no query of {name}",
            measure=measure,
            name=printable(empty[0]),
        )
    means = np.full((len(systems), len(scores)), np.nan)
    place = {name: at for at, name in enumerate(systems)}
    for at, (name, of) in enumerate(known.items()):
        means[[place[system] for system in scores[name]], at] = of.mean(axis=0)
    is_less = measure.definition.lower_is_better
    complete = sorted(
        (name for name in systems if name not in missing),
        key=lambda name: (1 if is_less else -1) * means[place[name]].mean(),
    )
    columns = [of[:, [list(scores[name]).index(system) for system in complete]] for name, of in known.items()]
    one = next(iter(next(iter(scores.values())).values()))
    return Standings(
        measure,
        one.heading(measure),
        means,
        tuple(map(len, known.values())),
        tuple(complete),
        stats.nested(columns, lower_is_better=is_less, **how),
        {name: float(np.nanmean(means[place[name]])) for name in missing} if partial else {},
    )
