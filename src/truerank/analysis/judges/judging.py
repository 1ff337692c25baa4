"""Qrels of several judges in, with runs or without; how much they agree, and what that does to systems, out."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank import stats
from truerank.analysis.compare.outcome import checked
from truerank.analysis.compare.result import Procedure
from truerank.analysis.compare.systems import Measures
from truerank.analysis.judges.judgements import Judgements, at_levels, read_judges, refuse_unshared
from truerank.analysis.judges.result import Judges, TwoJudges
from truerank.analysis.judges.standing import standings
from truerank.core.errors import needs
from truerank.core.evaluate import rules_of
from truerank.core.found import as_ruled
from truerank.core.hits import Bools
from truerank.core.kernel.scanning import as_text
from truerank.core.messages import message
from truerank.core.rules import RulesLike
from truerank.core.run import Progress, unreported
from truerank.stats import Interval, Tallies
from truerank.stats.raters import equal_of, kappa_of


def judges(
    qrels: Any,
    runs: Any = None,
    measures: Measures = None,
    *,
    rules: RulesLike | None = None,
    binary: Any = None,
    common: bool = False,
    confidence: float = 0.95,
    samples: int = 10_000,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress = unreported,
) -> Judges:
    """How much do judges agree, and do systems keep their order whoever judges?

    Agreement is of grades: shares, Cohen's kappa, Krippendorff's alpha, Gwet's AC1 and AC2; where all judges judged
    aspects, such as nuggets, each aspect of a document counts as a document. Judgements of one query are alike, so
    that all intervals draw queries anew, with all their documents, and the same ones for all judges.

    Args:
        qrels: {judge: qrels}, or a list of qrels; two or more, each as for `evaluate`.
        runs, measures, rules, threads: as for `compare`; each run is read once a judge, so that it must be one that
            can be read again: no `Reading`, no `Scores`.
        binary: compare relevance alone, also where systems are scored: the level from which on a grade is 1, and
            below 0; one for all judges, one each, or {judge: level}.
        common: score systems with the documents alone that all judges have judged.
        confidence: of the intervals; a difference of systems is significant where its p, corrected by Holm, is at
            most 1 less this.
        samples, seed: of the random numbers: the same seed gives the same result, to the last bit.
        progress: called with how many parts of the work are done, and of how many.

    Raises:
        TruerankError: one judge alone; nothing that two have judged, or with runs no query that all have.

    >>> import truerank as tr
    >>> ours, theirs = {"q": {"a": 1, "b": 0, "c": 2}}, {"q": {"a": 1, "b": 1, "c": 2}}
    >>> found = tr.judges({"we": ours, "crowd": theirs}).pair("we", "crowd")
    >>> found.confusion, found.coefficients["kappa"].estimate
    (((0, 1, 0), (0, 1, 0), (0, 0, 1)), 0.5)
    """
    procedure = checked(Procedure(confidence=confidence, samples=samples, seed=seed))
    under = rules_of(rules)
    kept = under.replace(self_match="keep")  # a run may return it; what was judged was judged
    read = {name: as_ruled(one, kept) for name, one in read_judges(qrels).items()}
    judgements = Judgements.of(read if binary is None else at_levels(read, binary))
    refuse_unshared(judgements, has_runs=runs is not None)
    with needs(message("judges"), "stats", "scipy"):
        if runs is None:
            return _judges(judgements, procedure)
        systems, made, dropped = standings(
            judgements, runs, measures, under, procedure, common=common, threads=threads, progress=progress
        )
        found = _judges(judgements, procedure)
    return replace(found, systems=systems, standings=made, dropped=dropped, rules=under, is_common=common)


def _judges(judgements: Judgements, how: Procedure) -> Judges:
    several = np.asarray(np.isfinite(judgements.grades).sum(axis=1) > 1)
    pairs = itertools.combinations(range(len(judgements.names)), 2)
    is_pair = len(judgements.names) == 2
    return Judges(
        names=judgements.names,
        judgements=judgements,
        judged=dict(zip(judgements.names, np.isfinite(judgements.grades).sum(axis=0).tolist(), strict=True)),
        grades={
            name: tuple(np.unique(own[np.isfinite(own)]).tolist())
            for name, own in zip(judgements.names, judgements.grades.T, strict=True)
        },
        scale=tuple(judgements.scale.tolist()),
        pairs=tuple(_pair(judgements, i, j, how) for i, j in pairs),
        together={} if is_pair else _coefficients(_tallied(judgements, several)[0], stats.OF_ALL, how),
        together_on=int(several.sum()),
        queries=len(np.unique(judgements.query[several])),
        is_by_aspect=judgements.is_by_aspect,
        confidence=how.confidence,
        samples=how.samples,
        seed=how.seed,
    )


def _tallied(judgements: Judgements, kept: Bools, of: Any = slice(None)) -> tuple[Tallies, NDArray[np.intp]]:
    """What coefficients of some documents are made of, for each query that has one; and these queries."""
    queries, place = np.unique(judgements.query[kept], return_inverse=True)
    return Tallies.of(judgements.grades[kept][:, of], place, len(queries), scale=judgements.scale), queries


def _coefficients(tallies: Tallies, of: Any, how: Procedure) -> dict[str, Interval]:
    if not len(tallies.shares):
        return {name: Interval.unknown(np.nan, how.confidence) for name in of}
    return stats.coefficient_intervals(tallies, of, confidence=how.confidence, resamples=how.samples, seed=how.seed)


def _pair(judgements: Judgements, i: int, j: int, how: Procedure) -> TwoJudges:
    given = np.isfinite(judgements.grades[:, [i, j]])
    both = np.asarray(given.all(axis=1))
    tallies, queries = _tallied(judgements, both, [i, j])
    shared = tallies.confusion.sum(axis=(1, 2))
    first, second = (tallies.confusion.sum(axis=axis) @ tallies.scale / shared for axis in (2, 1))
    return TwoJudges(
        judgements.names[i],
        judgements.names[j],
        both=int(both.sum()),
        only_first=int((given[:, 0] & ~both).sum()),
        only_second=int((given[:, 1] & ~both).sum()),
        confusion=tuple(tuple(map(int, row)) for row in tallies.confusion.sum(axis=0).tolist()),
        coefficients=_coefficients(tallies, stats.OF_TWO, how),
        queries=tuple(as_text(judgements.queries[q]) for q in queries.tolist()),
        shared=shared.astype(np.int64),
        equal=equal_of(tallies),
        kappa=kappa_of(tallies),
        mean_first=first,
        mean_second=second,
    )
