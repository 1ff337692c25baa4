"""The data of a report: runs as they are shown, benchmarks, places, and what was read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from truerank.analysis.compare import Comparison
from truerank.analysis.judges import Judges
from truerank.analysis.report import RESULTS, Evaluated
from truerank.core.messages import Message, plural
from truerank.formats.digests import Input
from truerank.geo import Places
from truerank.live.result import Bench
from truerank.measures import Measure
from truerank.present import ledger
from truerank.present.percent import DIGITS, HUNDRED, in_percent, is_share, named
from truerank.truth import Items


@dataclass(frozen=True, eq=False)
class Runs(Evaluated):
    """The runs as people read of them.

    Attributes:
        percent: whether shares are shown as percentages; the comparison and the scores have fractions.
    """

    percent: bool = False

    @classmethod
    def of(cls, found: Evaluated, *, percent: bool = False) -> Runs:
        """The runs, from what was found by evaluating them."""
        return cls(**vars(found), percent=percent)

    @property
    def is_by_line(self) -> bool:
        """Whether the means are over the lines of submissions, not over queries."""
        return self.rules.unit == "line"

    def counted(self, n: int) -> Message:
        """This many of what the means are over: queries or lines."""
        if self.is_by_line:
            return plural("{n:,} submitted line", "{n:,} submitted lines", n=n)
        return ledger.queries(n)

    @cached_property
    def shown(self) -> Comparison:
        """The comparison as people read it."""
        return in_percent(self.comparison) if self.percent else self.comparison

    @property
    def digits(self) -> int:
        """The digits after the point that are shown."""
        return DIGITS[self.percent]

    @property
    def called(self) -> dict[str, Measure]:
        """The measures by the names that they are shown under."""
        return named(self.comparison.outcomes)

    @property
    def of_queries(self) -> dict[str, Measure]:
        """The measures that have a value for each query."""
        return {name: measure for name, measure in self.called.items() if not measure.definition.is_of_run}

    @property
    def leading(self) -> str:
        """The name of the first measure, which decides."""
        return self.comparison.outcomes[0].name

    def scale(self, measure: Measure) -> int:
        """The factor by which a measure's fractions are multiplied where they are shown."""
        return HUNDRED if self.percent and is_share(measure) else 1

    def values(self, measure: Measure) -> Any:
        """The values of all queries as they are shown."""
        return self.fractions(measure) * self.scale(measure)


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
    """Where the texts of queries and documents are; only the ones that are shown are read.

    Attributes:
        queries, docs: files or {id: text}, as `formats.texts.locate` takes them; None for none.
    """

    queries: Any = None
    docs: Any = None

    @property
    def files(self) -> list[str]:
        """The sources that are files."""
        return [os.fspath(one) for one in (self.queries, self.docs) if isinstance(one, str | os.PathLike)]


@dataclass(frozen=True, eq=False)
class ReportData:
    """Everything that sections are made of; each section leaves out what is missing.

    Attributes:
        runs: evaluated and compared.
        benches: how fast retrievers are.
        located: places recognised in pictures.
        judges: the qrels against those of other judges.
        predicted: the runs by people's judgements of some queries (then the qrels), and a model's of all queries.
        inputs: the files that were read.
        command: the command that makes the report again.
        results: how many results of each list to show.
        versions: of the software that computed it.
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
