"""What a report is made of: runs evaluated and compared, curves, benchmarks, places, and what was read."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from truerank.analysis.compare import Comparison, compare
from truerank.analysis.compare.outcome import direction
from truerank.analysis.compare.systems import align
from truerank.analysis.curve import Curve, precision_recall
from truerank.analysis.judges import Judges
from truerank.contest import judge
from truerank.core.errors import InputError
from truerank.core.evaluate import ranked, read_catalogue, rules_of, run_reading, score, seen_rows
from truerank.core.messages import Message, plural
from truerank.core.qrels import Qrels, QrelsLike
from truerank.core.reading import Keep, Reading
from truerank.core.rules import Rules, RulesLike
from truerank.core.run import Progress, unreported
from truerank.core.scores import Scores
from truerank.core.vocabulary import asked_for, of_judged
from truerank.formats import open_run, read_qrels
from truerank.formats.files import listed
from truerank.formats.objects import is_one_run
from truerank.formats.source import as_source
from truerank.geo import Places
from truerank.live.result import Bench
from truerank.measures import Measure
from truerank.present.answers import SystemAnswers
from truerank.present.percent import DIGITS, HUNDRED, in_percent, is_share, named
from truerank.truth import Items

RESULTS = 10
"""How many results of each list a report shows."""


@dataclass(frozen=True)
class Input:
    """A file that was read.

    Attributes:
        name: as much of its path as tells it apart from the others.
        bytes: how many there are; None of a pipe, which is gone once it was read.
        digest: SHA-256 of them.
    """

    name: str
    bytes: int | None
    digest: str | None


@dataclass(frozen=True, eq=False)
class Runs:
    """Systems that answered the same queries.

    Attributes:
        qrels: as the rules have them.
        systems: what each found.
        comparison: how they stand to each other.
        curves: precision against recall, of each; none where the rules do not allow it.
        is_complete: whether the qrels leave nothing unjudged: a contest's list, a rule that decides.
        percent: whether shares are shown as percentages; the comparison and the scores have fractions.
    """

    qrels: Qrels
    systems: tuple[SystemAnswers, ...]
    comparison: Comparison
    curves: tuple[Curve, ...]
    is_complete: bool = False
    percent: bool = False

    @property
    def scores(self) -> list[Scores]:
        """Of each system."""
        return list(self.comparison.scores.values())

    @property
    def rules(self) -> Rules:
        """Under whose rules."""
        return self.scores[0].rules

    @property
    def is_by_line(self) -> bool:
        """Whether the means are over the lines of submissions, not over queries."""
        return self.rules.unit == "line"

    def counted(self, n: int) -> Message:
        """This many of what the means are over."""
        if self.is_by_line:
            return plural("{n:,} submitted line", "{n:,} submitted lines", n=n)
        return plural("{n:,} query", "{n:,} queries", n=n)

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

    @cached_property
    def shown(self) -> Comparison:
        """The comparison as people read it."""
        return in_percent(self.comparison) if self.percent else self.comparison

    @property
    def digits(self) -> int:
        """After the point, of what is shown."""
        return DIGITS[self.percent]

    @property
    def called(self) -> dict[str, Measure]:
        """The measures by what they are called."""
        return named(self.comparison.outcomes)

    @property
    def of_queries(self) -> dict[str, Measure]:
        """Those that have a value for each query."""
        return {name: measure for name, measure in self.called.items() if not measure.definition.is_of_run}

    @property
    def leading(self) -> str:
        """What the measure that decides is called."""
        return self.comparison.outcomes[0].name

    def scale(self, measure: Measure) -> int:
        """What its fractions are multiplied by where they are shown."""
        return HUNDRED if self.percent and is_share(measure) else 1

    @property
    def reference(self) -> int:
        """The place of the system that others are compared to: the baseline, or else the best."""
        if self.comparison.reference:
            return self.names.index(self.comparison.reference)
        means = [self.comparison.outcomes[0].means[name].estimate for name in self.names]
        return int(np.argmax(np.array(means) * (direction(self.first) or 1)))

    def values(self, measure: Measure) -> Any:
        """(queries, systems) as they are shown, on the queries that all have, in the order of the comparison."""
        return self.fractions(measure) * self.scale(measure)

    def fractions(self, measure: Measure) -> Any:
        """The same as they were computed."""
        return align(self.comparison.scores).values(measure)


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
class Readable:
    """Where the texts of queries and documents are, of which only those that are shown are read.

    Attributes:
        queries, docs: files or {id: text}, as `formats.texts.locate` takes them; None for none.
    """

    queries: Any = None
    docs: Any = None

    @property
    def files(self) -> list[str]:
        """Those of them that are files."""
        return [os.fspath(one) for one in (self.queries, self.docs) if isinstance(one, str | os.PathLike)]


@dataclass(frozen=True, eq=False)
class ReportData:
    """Everything that sections are made of; what there is not is left out.

    Attributes:
        runs: evaluated and compared.
        benches: how fast retrievers are.
        located: places recognised in pictures.
        judges: the qrels against those of other judges.
        predicted: the runs by people's judgements of some queries, which the qrels then are, and a model's of all.
        inputs: what was read.
        command: what makes the report again.
        results: how many results of each list to show.
        versions: of what computed it.
        readable: where the texts of queries and documents are.
    """

    runs: Runs | None = None
    benches: tuple[Bench, ...] = ()
    located: Located | None = None
    judges: Judges | None = None
    predicted: Comparison | None = None
    inputs: tuple[Input, ...] = ()
    command: str = ""
    results: int = RESULTS
    versions: Mapping[str, str] = field(default_factory=dict)
    readable: Readable = Readable()


def evaluated(
    qrels: QrelsLike | None,
    runs: Iterable[Any],
    measures: str | Iterable[str | Measure] | None = None,
    *,
    rules: RulesLike | None = None,
    baseline: str | int | None = None,
    format: str | None = None,
    is_complete: bool = False,
    results: int = RESULTS,
    as_written: bool = False,
    percent: bool = False,
    items: Any = None,
    progress: Progress = unreported,
) -> Runs:
    """The runs evaluated and compared; under a contest's rules also audited.

    Args:
        qrels, measures, rules, items: as for `evaluate`.
        runs: what `evaluate` takes, or {name: run}; of `Reading`s of as many first ranks as results are shown
            there need be no qrels.
        baseline, progress: as for `compare`.
        format: of the runs' files, instead of the one that each looks like.
        is_complete: whether the qrels leave nothing unjudged.
        results: how many results of each list may be shown.
        as_written: measures are called as they were asked for.
        percent: shares are shown as percentages.

    Raises:
        TruerankError: wrong input, or a package is missing.
    """
    given = named_runs(runs)
    under = rules_of(given[0][1], rules)
    judged = None if qrels is None else read_qrels(qrels)
    asked = asked_for(measures, under)
    chosen = list(dict.fromkeys(asked.values()))
    of_judged(chosen[:1], lists=True)  # the first decides, query by query
    known = None if items is None else read_catalogue(items)
    became = {word: str(measure) for word, measure in asked.items()}
    is_contest = under.unit == "line"
    opened = [run if isinstance(run, Reading) else open_run(run, format, name) for name, run in given]
    submitted = [run for _, run in given if is_contest]
    audited: list[Scores] = [judge(judged, run, chosen, rules=under, format=format) for run in submitted]
    readings = [run_reading(judged, run, under, keep=_kept(chosen, results)) for run in opened]
    scores = audited or [score(reading, chosen, known) for reading in readings]
    names = told_apart([run.name for run in opened])
    called = [name or short for (name, _), short in zip(given, names, strict=True)]
    pairs = zip(scores, called, strict=True)
    scores = [replace(one, run=name, asked=became, as_written=as_written) for one, name in pairs]
    comparison = compare(None, scores, chosen, baseline, progress=progress)
    named_readings = zip(comparison.systems, readings, strict=True)
    systems = tuple(SystemAnswers(name, reading, ranked(reading)) for name, reading in named_readings)
    has_calls = under.calls == "error" and any(reading.hits.calls is not None for reading in readings)
    drawn = [] if is_contest or has_calls else zip(readings, called, strict=True)
    curves = tuple(replace(precision_recall(reading), run=name) for reading, name in drawn)
    return Runs(readings[0].qrels, systems, comparison, curves, is_complete or is_contest, percent)


def _kept(measures: Sequence[Measure], results: int) -> Keep:
    """The rows that these measures see, and those that are shown."""
    seen = seen_rows(measures)
    return max(seen, results) if isinstance(seen, int) else seen if seen == "all" else results or seen


def named_runs(runs: Iterable[Any]) -> list[tuple[str | None, Any]]:
    """Each run with the name that it was given, if it was given one."""
    given: list[tuple[str | None, Any]]
    if isinstance(runs, Mapping) and not is_one_run(runs):
        given = [(str(name), run) for name, run in runs.items()]
    else:
        given = [(None, run) for run in ([runs] if is_one_run(runs) else runs)]
    if not given:
        raise InputError("there is no run to report on")
    return given


def told_apart(paths: Sequence[str]) -> list[str]:
    """For each path as few of its last parts as tell it apart from the others.

    >>> told_apart(["runs/a/one.run", "runs/b/one.run", "two.run", "-"])
    ['a/one.run', 'b/one.run', 'two.run', '-']
    """
    parts = {path: _parts(path) for path in paths}
    return [_least(parts[path], [other for other in parts.values() if other != parts[path]]) for path in paths]


def _parts(path: str) -> list[str]:
    """The parts of a path; standard input and a URL stay whole."""
    if path == "-" or "://" in path:
        return [path]
    return [part for part in os.path.abspath(path).split(os.sep) if part]


def _least(parts: list[str], others: list[list[str]]) -> str:
    counts = range(1, len(parts) + 1)
    enough = (n for n in counts if all(other[-n:] != parts[-n:] for other in others))
    return "/".join(parts[-next(enough, len(parts)) :])


def inputs(paths: Iterable[str | os.PathLike[str]]) -> tuple[Input, ...]:
    """The files with their SHA-256; of a folder that of its files' names and hashes, by name."""
    files = list(dict.fromkeys(os.fspath(path) for path in paths))
    return tuple(_input(path, name) for path, name in zip(files, told_apart(files), strict=True))


def _input(path: str, name: str) -> Input:
    if os.path.exists(path) and stat.S_ISFIFO(os.stat(path).st_mode):
        return Input(name, None, None)
    source = as_source(path)
    if not source.is_folder:
        size, digest = _digest(path)
        return Input(name, size, digest)
    is_directory = os.path.isdir(path)
    files = Path(path).rglob("*") if is_directory else (Path(each.name) for each in listed(source))
    whole, total = hashlib.sha256(), 0
    for file in sorted(part for part in files if part.is_file()):
        size, digest = _digest(os.fspath(file))
        total += size
        called = file.relative_to(path) if is_directory else file
        whole.update(f"{digest}  {called.as_posix()}\n".encode("utf-8", "surrogateescape"))
    return Input(name + "/" if is_directory else name, total, whole.hexdigest())


def _digest(path: str) -> tuple[int, str]:
    state, size = hashlib.sha256(), 0
    with as_source(path).raw() as file:
        while chunk := file.read(1 << 20):
            state.update(chunk)
            size += len(chunk)
    return size, state.hexdigest()
