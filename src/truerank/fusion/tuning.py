"""Parameters of fusion, tuned on other queries than those whose values are reported."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np

from truerank.core.equal import are_equal
from truerank.core.errors import InputError
from truerank.core.evaluate import evaluate
from truerank.core.kernel.scanning import as_text
from truerank.core.messages import message
from truerank.core.qrels import Qrels
from truerank.core.run import Batch, Run
from truerank.core.schema import ANYTHING, Kind, is_number, list_of, plain
from truerank.core.scores import Scores
from truerank.fusion.fusing import Way
from truerank.fusion.learning import Places
from truerank.fusion.pooled import Bools, Floats, Ints, Pooled, ranked
from truerank.fusion.registry import Method
from truerank.measures import Measure

MOST = 2000
"""Settings that are tried at most."""

BRIEF = 10**12
"""More settings than this are named by their power of 10."""

STRAY = 1e-9
"""So much may a number of steps miss 1."""

STEP = Kind(message("a number from 0.0005 to 1"), lambda value: is_number(value) and 1 / MOST <= value <= 1, plain)
GRID = Kind(
    message("a dict with a list of values to try for each parameter"),
    lambda value: (
        isinstance(value, Mapping)
        and all(isinstance(key, str) for key in value)
        and all(map(list_of(ANYTHING, "").allows, value.values()))
    ),
)

Params = Mapping[str, Any]


def settings(
    method: Method, fixed: Params, runs: int, step: float, grid: Mapping[str, Sequence[Any]]
) -> list[Params]:
    """All values that are tried of the parameters that are not fixed; of weights the most even first.

    Raises:
        InputError: there is nothing to tune, or too much; a step or a grid that cannot be.
    """
    own, step = GRID.checked("grid", grid, InputError), STEP.checked("step", step, InputError)
    for key in own:
        if key in fixed:
            raise InputError("{key} is given, and values of it to try, too: leave one out", key=key)
    tried = {key: tuple(values) for key, values in {**method.grid, **own}.items() if key not in fixed}
    by_step = "weights" in method.kinds and "weights" not in {*fixed, *own}
    if not tried and not by_step and not method.learns:
        raise _nothing(method, fixed)
    many = math.prod(map(len, tried.values()))
    if by_step:
        many *= math.comb(_steps(step) + runs - 1, runs - 1)
    if not 0 < many <= MOST:
        raise InputError(
            "{n} settings of {runs} runs are to be tried, of {most:,} at most: take a larger step, or a grid",
            n=f"{many:,}" if many < BRIEF else f"10^{int(math.log10(many))}",
            runs=runs,
            most=MOST,
        )
    if by_step:
        tried["weights"] = tuple(shares(runs, step))
    return [dict(zip(tried, values, strict=True)) for values in product(*tried.values())]


def _nothing(method: Method, fixed: Params) -> InputError:
    """What is said where no parameter is left to tune."""
    taken = [key for key in method.kinds if key in fixed]
    if taken:
        return InputError(
            "{method} has nothing left to tune, as {keys} is given: leave that out, or fuse without tuning",
            method=method.name,
            keys=", ".join(taken),
        )
    return InputError(
        "{method} has nothing to tune: take tr.fuse(runs, {method!r}), or tune wsum, rrf, gmnz, …",
        method=method.name,
    )


def _steps(step: float) -> int:
    """How many steps make 1."""
    whole = round(1 / step)
    if abs(whole * step - 1) > STRAY:
        fewer = int(1 / step)
        raise InputError(
            "step {step} does not divide 1: take {less:.10g}, or {more:.10g}",
            step=step,
            less=1 / (fewer + 1),
            more=1 / fewer,
        )
    return whole


def shares(runs: int, step: float) -> list[tuple[float, ...]]:
    """All weights in such steps whose sum is 1, the most even first.

    >>> shares(2, 0.5)
    [(0.5, 0.5), (0.0, 1.0), (1.0, 0.0)]
    """
    whole = _steps(step)
    cuts = combinations_with_replacement(range(whole + 1), runs - 1)
    splits = (np.diff([0, *cut, whole]).tolist() for cut in cuts)
    even = sorted(splits, key=lambda parts: (sum(part**2 for part in parts), parts))
    return [tuple(part / whole for part in parts) for parts in even]


@dataclass(frozen=True, eq=False)
class Trials:
    """What settings score on the judged queries, whose lists are in memory.

    Attributes:
        fold: (queries,) which fold each judged query is in, in the order of the qrels.
        settings: what is tried.
        fixed: parameters that are not.
        places: of each run, for methods that learn.
        known: what was tried already, by the folds that nothing was learnt from.
    """

    way: Way
    qrels: Qrels
    measure: Measure
    pools: Sequence[Pooled]
    fold: Ints
    settings: Sequence[Params]
    fixed: Params
    places: Sequence[Places]
    known: dict[frozenset[int], Floats] = field(default_factory=dict)

    def params(self, setting: int, without: frozenset[int]) -> Params:
        """The parameters of a setting, learnt from the queries of the other folds."""
        given, method = {**self.fixed, **self.settings[setting]}, self.way.method
        own = {
            key: kind.checked(f"{method.name}: {key}", given.pop(key), InputError)
            for key, kind in method.of_learning.items()
            if key in given
        }
        some: Bools = ~np.isin(self.fold, list(without))
        for key, table in method.learns.items():
            if key not in given:
                given[key] = tuple(table(one.of(some), int(some.sum()), **own) for one in self.places)
        return method.checked(given, self.pools[0].runs)

    def values(self, params: Params) -> Floats:
        """(queries,) what these parameters score on each; NaN where a query is not in the mean."""
        return self.scored(lambda pool: self.way.fused(pool, params))

    def scored(self, fused: Callable[[Pooled], Floats]) -> Floats:
        """(queries,) what these fused scores of documents make of each; NaN where a query is not in the mean."""

        def batches() -> Iterator[Batch]:
            for pool in self.pools:
                yield from ranked(pool, fused(pool), self.way.rules.ties, self.way.depth)

        scores = evaluate(self.qrels, Run("fusion", batches), self.measure, rules=self.way.rules)
        return self.by_query(scores)

    def by_query(self, scores: Scores) -> Floats:
        """(queries,) the values of each; NaN where a query is not in the mean."""
        values = np.full(len(self.qrels), np.nan)
        values[[self.place[query] for query in scores.queries]] = scores[self.measure]
        return values

    @property
    def folds(self) -> int:
        """How many folds there are."""
        return int(self.fold.max()) + 1

    @cached_property
    def place(self) -> dict[str, int]:
        """Where each judged query stands."""
        return {as_text(query): i for i, query in enumerate(self.qrels.queries)}

    def tried(self, without: frozenset[int], report: Callable[[], None]) -> Floats:
        """(settings, queries) what each setting scores, if nothing is learnt from these folds."""
        key = without if self.way.method.learns else frozenset()
        if key not in self.known:
            rows = []
            for setting in range(len(self.settings)):
                rows.append(self.values(self.params(setting, key)))
                report()
            self.known[key] = np.array(rows)
        return self.known[key]

    def best(self, held: int | None, report: Callable[[], None]) -> int:
        """The setting that scores best over all folds but one; for each fold, what is learnt comes from the others.

        Args:
            held: the fold whose queries have no part in it; None: all have.
        """
        if len(self.settings) == 1:
            return 0
        values = np.full((len(self.settings), len(self.fold)), np.nan)
        for fold in range(self.folds):
            if fold != held:
                without = frozenset({fold} if held is None else {fold, held})
                some = self.fold == fold
                values[:, some] = self.tried(without, report)[:, some]
        numbers = np.array([self.measure.mean(row) for row in values])
        most = numbers.min() if self.measure.definition.lower_is_better else numbers.max()
        return int(np.argmax(are_equal(numbers, most)))  # the first of those that are equal

    @property
    def times(self) -> int:
        """How many fusions there are to try."""
        if len(self.settings) == 1:
            return 0
        sets = self.folds * (self.folds + 1) // 2 if self.way.method.learns else 1
        return sets * len(self.settings)
