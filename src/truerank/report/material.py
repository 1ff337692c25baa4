"""What a report is made of: runs evaluated and compared, curves, benchmarks, places, and what was read."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from truerank.bench.result import Bench
from truerank.compare import Comparison, compare
from truerank.compare.outcome import direction
from truerank.curve import Curve, precision_recall
from truerank.errors import InputError
from truerank.evaluate import DEFAULT, look_up, ranked, score
from truerank.formats import open_run, read_qrels
from truerank.formats.source import as_source
from truerank.geo import Places
from truerank.measures import Measure, parse_measures
from truerank.qrels import Qrels
from truerank.report.answers import System, numbered
from truerank.rules import Rules
from truerank.run import Run
from truerank.scores import Scores
from truerank.truth import Items

RESULTS = 10
"""How many results of each list a report shows."""

Say = Callable[[str], None]


@dataclass(frozen=True)
class Input:
    """A file that was read.

    Attributes:
        name: without its folder.
        bytes: how many there are.
        digest: SHA-256 of them.
    """

    name: str
    bytes: int
    digest: str


@dataclass(frozen=True, eq=False)
class Runs:
    """Systems that answered the same queries.

    Attributes:
        qrels: as the rules have them.
        systems: what each found.
        comparison: how they stand to each other.
        curves: precision against recall, of each; none where the rules do not allow it.
    """

    qrels: Qrels
    systems: tuple[System, ...]
    comparison: Comparison
    curves: tuple[Curve, ...]

    @property
    def scores(self) -> list[Scores]:
        """Of each system."""
        return list(self.comparison.scores.values())

    @property
    def rules(self) -> Rules:
        """Under whose rules."""
        return self.scores[0].rules

    @property
    def names(self) -> list[str]:
        """What the systems are called."""
        return list(self.comparison.systems)

    @property
    def measures(self) -> list[Measure]:
        """Those that were compared."""
        return [outcome.measure for outcome in self.comparison.outcomes]

    @property
    def first(self) -> Measure:
        """The measure that decides: the first one."""
        return self.measures[0]

    @property
    def reference(self) -> int:
        """The place of the system that others are compared to: the baseline, or else the best."""
        if self.comparison.reference:
            return self.names.index(self.comparison.reference)
        means = [self.comparison.outcomes[0].means[name].estimate for name in self.names]
        return int(np.argmax(np.array(means) * (direction(self.first) or 1)))

    def values(self, measure: Measure) -> Any:
        """(queries, systems) on the queries that all have, in the order of the comparison."""
        return np.column_stack([_aligned(s, measure, self.comparison.queries) for s in self.scores])


def _aligned(scores: Scores, measure: Measure, queries: Sequence[str]) -> Any:
    if tuple(scores.queries) == tuple(queries):
        return scores[measure]
    table = scores.per_query()
    return np.array([table[query][str(measure)] for query in queries], np.float64)


@dataclass(frozen=True, eq=False)
class Located:
    """Places recognised in pictures.

    Attributes:
        places: what was evaluated.
        queries: where they were taken.
    """

    places: Places
    queries: Items


@dataclass(frozen=True, eq=False)
class Material:
    """Everything that sections are made of; what there is not is left out.

    Attributes:
        runs: evaluated and compared.
        benches: how fast retrievers are.
        located: places recognised in pictures.
        inputs: what was read.
        command: what makes the report again.
        results: how many results of each list to show.
        versions: of what computed it.
    """

    runs: Runs | None = None
    benches: tuple[Bench, ...] = ()
    located: Located | None = None
    inputs: tuple[Input, ...] = ()
    command: str = ""
    results: int = RESULTS
    versions: Mapping[str, str] = field(default_factory=dict)


def evaluated(
    qrels: Any,
    runs: Iterable[Any],
    measures: str | Iterable[str | Measure] | None = None,
    *,
    rules: Any = None,
    baseline: str | int | None = None,
    watch: Callable[[int, int], object] = lambda done, of: None,
) -> Runs:
    """The runs evaluated and compared.

    Args:
        qrels, measures, rules: as for `evaluate`.
        runs: what `evaluate` takes; or {name: run}.
        baseline, watch: as for `compare`.

    Raises:
        TruerankError: wrong input, or a package is missing.
    """
    under, judged = Rules.of(rules), read_qrels(qrels)
    chosen = parse_measures(measures if measures is not None else under.measures or DEFAULT)
    opened = _opened(runs)
    found = [_found(judged, run, chosen, under) for run in opened]
    scores = [scores for _, scores, _, _ in found]
    comparison = compare(None, scores, chosen, baseline, watch=watch)
    systems = tuple(
        System(name, run, hits, docs)
        for name, run, (_, _, hits, docs) in zip(comparison.systems, opened, found, strict=True)
    )
    curves = () if under.missing == "lines" else tuple(precision_recall(judged, run, rules=under) for run in opened)
    return Runs(found[0][0], systems, comparison, curves)


def _opened(runs: Iterable[Any]) -> list[Run]:
    if isinstance(runs, Mapping):
        return [open_run(run, name=str(name)) for name, run in runs.items()]
    opened = list(map(open_run, runs))
    if not opened:
        raise InputError("there is no run to report on")
    return opened


def _found(qrels: Qrels, run: Run, measures: list[Measure], rules: Rules) -> tuple[Qrels, Scores, Any, Any]:
    """The qrels as the rules have them, the scores, the hits, and which judgement each hit is."""
    ruled, source, found = look_up(qrels, run, rules)
    hits = ranked(ruled, found, rules, source.name)
    rows = ranked(ruled, numbered(found), rules, source.name).score.astype(np.int64)
    return ruled, score(ruled, found, measures, rules, source.name), hits, found.table["doc"][rows]


# --- what was read ------------------------------------------------------------------------------------


def inputs(paths: Iterable[str | os.PathLike[str]]) -> tuple[Input, ...]:
    """The files with their SHA-256; of a folder that of its files' names and hashes, by name."""
    return tuple(_input(os.fspath(path)) for path in dict.fromkeys(paths))


def _input(path: str) -> Input:
    name = os.path.basename(path.rstrip(os.sep)) or path
    if not os.path.isdir(path):
        size, digest = _digest(path)
        return Input(name, size, digest)
    whole, total = hashlib.sha256(), 0
    for file in sorted(part for part in Path(path).rglob("*") if part.is_file()):
        size, digest = _digest(os.fspath(file))
        total += size
        whole.update(f"{digest}  {file.relative_to(path).as_posix()}\n".encode("utf-8", "surrogateescape"))
    return Input(name + "/", total, whole.hexdigest())


def _digest(path: str) -> tuple[int, str]:
    found, size = hashlib.sha256(), 0
    with as_source(path).raw() as file:
        while chunk := file.read(1 << 20):
            found.update(chunk)
            size += len(chunk)
    return size, found.hexdigest()
