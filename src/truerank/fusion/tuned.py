"""Fusion with parameters that are tuned on other queries than those that are reported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from truerank.core.errors import InputError
from truerank.core.evaluate import evaluate
from truerank.core.faults import Interleaved
from truerank.core.messages import message
from truerank.core.presented import Presented
from truerank.core.qrels import Qrels, QrelsLike
from truerank.core.rules import RulesLike
from truerank.core.run import Progress, Run, RunLike, unreported
from truerank.core.schema import POSITIVE, whole
from truerank.core.scores import Scores, distinct
from truerank.core.vocabulary import asked_for
from truerank.formats import read_qrels
from truerank.fusion.fusing import Way, alone, fused_run, opened, side_by_side, way_of
from truerank.fusion.learning import places
from truerank.fusion.pooled import Bools, Floats, Ints, Pooled, pooled
from truerank.fusion.registry import given
from truerank.fusion.tuning import Params, Trials, settings

SEED = whole(message("a whole number from 0 on"), 0)


@dataclass(frozen=True)
class Fold:
    """Queries that were held out together.

    Attributes:
        queries: their ids.
        params: what they were fused with, tuned on all other queries.
        tuned: the measure's number (its mean, sum or geometric mean) over those other queries.
        held_out: the measure's number over these held-out queries.
        counted: how many of these are in the mean by the rules.
    """

    queries: tuple[str, ...]
    params: Params
    tuned: float
    held_out: float
    counted: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {**vars(self), "queries": list(self.queries), "params": _plain(self.params)}


@dataclass(frozen=True, eq=False, repr=False)
class TunedFusion(Presented):
    """A fused run of which no query had a part in its own parameters, and what it scores.

    Attributes:
        method, norm, measure: how runs were fused, and what was maximised (minimised, where less is better).
        runs: their names; equal ones are numbered.
        run: the fused run; a query that is not judged has `params`.
        scores: of it: each value is of a query that was held out.
        folds: which queries were held out together, and their parameters.
        params: tuned on all judged queries, for queries to come.
        flattered: what `params` score on the queries that they were tuned on: too much.
        scores_alone: {run: the scores of it by itself, at the depth of the fused lists}.
        tried: how many settings were.
        seed: of the folds.
    """

    built_by = "fusion"

    method: str
    norm: str | None
    measure: str
    runs: tuple[str, ...]
    run: Run = field(repr=False)
    scores: Scores
    folds: tuple[Fold, ...]
    params: Params
    flattered: float
    scores_alone: Mapping[str, Scores] = field(repr=False)
    tried: int
    seed: int

    @property
    def mean(self) -> float:
        """The mean over the held-out queries, or what the measure has in its place."""
        return float(self.scores.mean[self.measure])

    @property
    def alone(self) -> dict[str, float]:
        """{run: what it scores by itself}: of the measure's number."""
        return {name: float(one.mean[self.measure]) for name, one in self.scores_alone.items()}

    def _summary(self) -> str:
        return f"TunedFusion({self.method}, {len(self.folds)} folds; held out {self.measure}: {self.mean:.4f})"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        left = ("run", "scores", "folds", "scores_alone")
        return {
            **{key: value for key, value in vars(self).items() if key not in left},
            "runs": list(self.runs),
            "params": _plain(self.params),
            "alone": self.alone,
            "mean": self.mean,
            "folds": [fold.to_dict() for fold in self.folds],
            "scores": self.scores.to_dict(),
        }


def _plain(params: Params) -> dict[str, Any]:
    return {key: [*value] if isinstance(value, tuple) else value for key, value in params.items()}


def tune_fusion(
    qrels: QrelsLike,
    runs: Sequence[RunLike],
    method: str = "wsum",
    measure: str = "nDCG@10",
    *,
    norm: str | None = "min-max",
    folds: int = 5,
    step: float = 0.1,
    grid: Mapping[str, Sequence[Any]] | None = None,
    depth: int | None = None,
    rules: RulesLike | None = None,
    seed: int = 0,
    progress: Progress = unreported,
    **params: Any,
) -> TunedFusion:
    """Fuse runs with parameters (weights, k, learnt probabilities) tuned by nested cross-validation.

    The judged queries are dealt into folds. Each fold is fused with the setting that is best on the queries of the
    others; what a method learns from judgements is learnt there too, for the choice of a setting from the others of
    these. So no query has a part in what it is fused with, and the scores are what new queries would see.

    Args:
        qrels, runs: as for `evaluate`. The lists of the judged queries are held in memory.
        method: one with parameters to tune or to learn, such as "wsum", "rrf", "gmnz", "probfuse".
        measure: what to maximise.
        norm, depth, rules: as for `fuse`; rules as for `evaluate` too.
        folds: how many, each with a query at least that counts in the mean by the rules.
        step: between the weights that are tried, whose sum is 1: a part of it, such as 0.25. 2,000 settings are
            tried at most.
        grid: {parameter: values to try}, in place of the method's own.
        seed: of the folds.
        progress: called with how many settings were tried, and of how many.
        params: parameters that are not to be tuned.

    Raises:
        TruerankError: as for `fuse` and `evaluate`; too few queries for the folds; nothing to tune.

    >>> import truerank as tr
    >>> qrels = {f"q{i}": {"a": 1} for i in range(6)}
    >>> good, bad = ({q: run for q in qrels} for run in ({"a": 2.0, "b": 1.0}, {"b": 2.0, "c": 1.0, "a": 0.5}))
    >>> tuned = tr.tune_fusion(qrels, [good, bad], "wsum", "RR", folds=3, step=0.5)
    >>> tuned.mean, tuned.params, len(tuned.folds)
    (1.0, {'weights': (1.0, 0.0)}, 3)
    """
    chosen, fixed = given(method, params)
    sources, known = opened(runs), read_qrels(qrels)
    way = way_of(chosen, norm, rules, depth)
    folds, seed = POSITIVE.checked("folds", folds, InputError), SEED.checked("seed", seed, InputError)
    asked = asked_for(measure, way.rules)
    if len(asked) != 1:
        raise InputError("fusion is tuned for one measure, not for {n}", n=len(asked))
    (wanted,) = asked.values()
    tried = settings(chosen, fixed, len(sources), step, {} if grid is None else grid)
    trials = Trials(
        way,
        known,
        wanted,
        _judged(sources, known, way),
        np.zeros(len(known), np.int64),
        tried,
        fixed,
        [places(known, alone(source, way), way.rules) for source in sources] if chosen.learns else [],
    )
    counts = ~np.isnan(trials.scored(lambda pool: np.zeros(len(pool.query))))
    trials = replace(trials, fold=_dealt(counts, folds, seed))
    if chosen.learns and trials.folds == 2 and len(trials.settings) > 1:
        raise InputError(
            "{method} both learns and is tuned, which takes at least 3 folds; or give {keys}",
            method=chosen.name,
            keys=", ".join(trials.settings[0]),
        )
    return _tuned(trials, sources, seed, progress)


def _dealt(counts: Bools, folds: int, seed: int) -> Ints:
    """(queries,) the fold of each: as many in each as can be, of those that count in the mean, and of all."""
    if not 2 <= folds <= counts.sum():
        raise InputError(
            "{counted} judged queries that count cannot be dealt into {folds} folds: take at least 2, and no more "
            "than there are such queries",
            counted=int(counts.sum()),
            folds=folds,
        )
    order = np.random.default_rng(seed).permutation(len(counts))
    fold = np.empty(len(counts), np.int64)
    fold[np.concatenate([order[counts[order]], order[~counts[order]]])] = np.arange(len(counts)) % folds
    return fold


def _judged(sources: Sequence[Run], qrels: Qrels, way: Way) -> list[Pooled]:
    """The lists of the judged queries."""

    def judged(together: bool) -> list[Pooled]:
        lists = side_by_side(sources, way, together)
        return list(pooled((query, each) for query, each in lists if query in known))

    known = set(qrels.queries)
    try:
        pools = judged(together=False)
    except Interleaved:
        pools = judged(together=True)
    if not pools:
        raise InputError("the runs answer no judged query: are runs and qrels of one collection?", qrels.name)
    return pools


def _tuned(trials: Trials, sources: Sequence[Run], seed: int, progress: Progress) -> TunedFusion:
    done = 0

    def report() -> None:
        nonlocal done
        done += 1
        progress(done, trials.times)

    chosen = [trials.best(fold, report) for fold in range(trials.folds)]
    params = [trials.params(setting, frozenset({fold})) for fold, setting in enumerate(chosen)]
    final = trials.params(trials.best(None, report), frozenset())
    run = _held_out(trials, sources, [*params, final])
    scores = evaluate(trials.qrels, run, trials.measure, rules=trials.way.rules)
    values = trials.by_query(scores)
    names = tuple(trials.place)
    folds = tuple(
        Fold(
            tuple(name for name, of in zip(names, trials.fold.tolist(), strict=True) if of == fold),
            params[fold],
            trials.measure.mean(trials.values(params[fold])[trials.fold != fold]),
            trials.measure.mean(values[trials.fold == fold]),
            int((~np.isnan(values[trials.fold == fold])).sum()),
        )
        for fold in range(trials.folds)
    )
    by_run = _alone(trials, sources)
    return TunedFusion(
        trials.way.method.name,
        trials.way.norm if trials.way.method.reads == "scores" else None,
        str(trials.measure),
        tuple(by_run),
        run,
        scores,
        folds,
        final,
        trials.measure.mean(trials.values(final)),
        by_run,
        len(trials.settings),
        seed,
    )


def _alone(trials: Trials, sources: Sequence[Run]) -> dict[str, Scores]:
    """{run: the scores of it by itself, at the depth of the fused lists}."""
    way = trials.way
    names = distinct([source.name for source in sources])
    runs = (alone(source, way, way.depth) for source in sources)
    scores = (evaluate(trials.qrels, run, trials.measure, rules=way.rules) for run in runs)
    return dict(zip(names, scores, strict=True))


def _held_out(trials: Trials, sources: Sequence[Run], params: Sequence[Params]) -> Run:
    """The fused run: each query with the parameters of its fold, those that are not judged with the last ones."""
    fold_of = dict(zip(trials.qrels.queries, trials.fold.tolist(), strict=True))
    fused = partial(_by_fold, trials.way, fold_of, params)
    return fused_run(f"{trials.way.method.name} (tuned)", sources, trials.way, fused)


def _by_fold(way: Way, fold_of: Mapping[bytes, int], params: Sequence[Params], pool: Pooled) -> Floats:
    """The score of each document, with the parameters of its query's fold."""
    fold = np.array([fold_of.get(query, len(params) - 1) for query in pool.queries])
    scores = np.empty(len(pool.query))
    for number in np.unique(fold).tolist():
        some = fold == number
        scores[some[pool.query]] = way.fused(pool.only(some), params[number])
    return scores
