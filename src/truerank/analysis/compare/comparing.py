"""Qrels, runs and measures in; who is better, and how sure that is, out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank.analysis.compare.naming import resolved
from truerank.analysis.compare.outcome import checked, outcome_not_drawn, outcome_of_run, outcomes
from truerank.analysis.compare.over_predictions import outcome_predicted, predictions, under_prediction
from truerank.analysis.compare.over_runs import over_runs, with_runs
from truerank.analysis.compare.prediction_powered import Predicted
from truerank.analysis.compare.result import OVER_RUNS, Comparison, Outcome, Procedure
from truerank.analysis.compare.slices import UNNAMED, Attribute, attribute_of, cut
from truerank.analysis.compare.systems import Measures, Systems, align, are_drawn, common_measures, read, scored
from truerank.core.errors import needs
from truerank.core.messages import message
from truerank.core.qrels import QrelsLike
from truerank.core.rules import RulesLike
from truerank.core.run import Progress, unreported
from truerank.measures import Measure


def compare(
    qrels: QrelsLike | None,
    runs: Any,
    measures: Measures = None,
    baseline: str | int | None = None,
    test: str = "randomization",
    correction: str = "holm",
    seed: int = 0,
    *,
    rules: RulesLike | None = None,
    confidence: float = 0.95,
    samples: int = 10_000,
    all_pairs: bool | None = None,
    by: Attribute | str | None = None,
    by_name: str = UNNAMED,
    threads: int | None = None,
    items: Any = None,
    as_written: bool = False,
    progress: Progress = unreported,
) -> Comparison:
    """Which system is better, by how much, how sure that is, and which cannot be told apart.

    Args:
        qrels, measures, rules, threads, items, as_written: as for `evaluate`. qrels may be None where
            all runs are `Scores` or `Reading`s.
        runs: {name: run}, or a list of runs; each a path, anything else that `evaluate` takes, `Scores` or a
            file that `eval --per-query -o FILE.json` saved, a `Reading`, or what `predicted` made of people's
            and a model's judgements, all of them. A list of runs is one system with several, such as those of
            other seeds: then intervals and p count runs too.
        baseline: the system that all others are compared to, by its name or its place from 0; without one every
            two are compared.
        test: "randomization", "t", "wilcoxon" or "sign", of paired values; or "tukey", of all systems together.
        correction: of p for the number of pairs of each measure: "holm", "bonferroni", "bh", "none", or
            "max-t", which needs the randomization test; "tukey" needs none.
        seed: of all random numbers: the same seed gives the same result, to the last bit.
        confidence: of the intervals; a difference is significant where its adjusted p is at most 1 less this.
        samples: resamples of the intervals and of the randomization test.
        all_pairs: compare every two, baseline or not.
        by: {query: value}, a Series by query, or FILE:COLUMN of a table with a column query_id, for the same
            comparison on the queries of each value; `by_name` is what it is called.
        progress: called with how many parts of the work are done, and of how many.

    Raises:
        TruerankError: wrong input; no query that all systems have; no such test. The message says what now.

    >>> import truerank as tr
    >>> qrels = {f"q{n}": {"a": 1} for n in range(8)}
    >>> old, new = {q: ["x", "a"] for q in qrels}, {q: ["a"] for q in qrels}
    >>> pair = tr.compare(qrels, {"old": old, "new": new}, "RR")["RR"].pairs[0]
    >>> pair.difference.estimate, pair.p
    (0.5, 0.0078125)
    """
    by, by_name = attribute_of(by, by_name)
    runs = read(list(runs) if isinstance(runs, Iterator) else runs)
    estimated = predictions(runs)
    people = {name: one.people for name, one in estimated.items()}
    scores = scored(qrels, people or runs, measures, rules, threads, items=items, as_written=as_written)
    wanted = common_measures(scores, measures, drawn=False)
    systems = align(scores)
    base = resolved(baseline, list(scores))
    every = base is None if all_pairs is None else all_pairs or base is None
    procedure = checked(Procedure(test, correction, confidence, seed, samples, base, every))
    if estimated:
        procedure = under_prediction(procedure, is_sliced=by is not None)
    else:
        procedure = with_runs(procedure, systems.varying)
    work = _Work(systems, wanted, procedure, progress, estimated)
    with needs(message("compare"), "stats", "scipy"):
        return work.done(None if by is None else cut(systems.queries, by), by_name)


@dataclass(frozen=True, eq=False)
class _Work:
    """What there is to compare, and how."""

    systems: Systems
    measures: tuple[Measure, ...]
    procedure: Procedure
    progress: Progress
    predictions: Mapping[str, Predicted]

    def done(self, slices: Mapping[str, list[int]] | None, by: str) -> Comparison:
        """The comparison on all queries, and on those of each slice."""
        of = (1 + len(slices or ())) * len(self.measures)
        everywhere = list(range(len(self.systems.queries)))
        parts = {
            value: self._on(places, number * len(self.measures), of)
            for number, (value, places) in enumerate((slices or {}).items(), 1)
        }
        whole = self._on(everywhere, 0, of)
        if slices is None:
            return self._comparison(everywhere, whole)
        return self._comparison(
            everywhere,
            whole,
            by=by,
            slices={value: self._comparison(slices[value], part) for value, part in parts.items()},
            unsliced=len(everywhere) - sum(map(len, slices.values())),
        )

    def _on(self, places: Sequence[int], done: int, of: int) -> tuple[Outcome, ...]:
        first = next(iter(self.systems.scores.values()))
        found: dict[Measure, Outcome] = {}
        for one in self._outcomes(np.array(places, np.intp)):
            found[one.measure] = replace(one, heading=first.heading(one.measure))
            self.progress(done + len(found), of)
        return tuple(found[measure] for measure in self.measures)

    def _outcomes(self, chosen: NDArray[np.intp]) -> Iterator[Outcome]:
        """What each measure says, in any order."""
        if self.predictions:
            yield from (outcome_predicted(each, self.predictions, self.procedure) for each in self.measures)
            return
        names, systems, how = list(self.systems.scores), self.systems, self.procedure
        for measure in (each for each in self.measures if each.definition.is_of_run):
            of_measure = outcome_of_run if are_drawn(systems.scores, measure) else outcome_not_drawn
            yield of_measure(measure, partial(systems.numbers, measure, chosen), len(chosen), names, how)
        of_queries = [each for each in self.measures if not each.definition.is_of_run]
        tables = [systems.values(each)[chosen] for each in of_queries]
        if how.test != OVER_RUNS:
            yield from outcomes(of_queries, tables, names, how)
            return
        for one, table in zip(outcomes(of_queries, tables, names, replace(how, test="t")), tables, strict=True):
            runs = {name: values[chosen] for name, values in systems.runs(one.measure).items()}
            yield over_runs(one, table, runs, how)

    def _comparison(self, places: Sequence[int], outcomes: tuple[Outcome, ...], **sliced: Any) -> Comparison:
        return Comparison(
            tuple(self.systems.scores),
            tuple(self.systems.queries[i] for i in places),
            self.systems.dropped,
            outcomes,
            self.systems.scores,
            self.procedure,
            predictions=self.predictions,
            **sliced,
        )
