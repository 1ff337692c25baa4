"""Means: one number per measure, its rules, and what it hides; measures are found however they are spelled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, TypeVar

from truerank.core.errors import MeasureError
from truerank.core.ledger import Ledger
from truerank.core.messages import Message, did_you_mean, message
from truerank.core.presented import Presented, finite
from truerank.core.rules import Rules
from truerank.core.vocabulary import under
from truerank.measures import Measure
from truerank.measures.of_run import OfRun
from truerank.measures.parsing import spelled

Value = TypeVar("Value")
Each = TypeVar("Each")


class Headings(NamedTuple):
    """The heading of a measure's column, however the measure is spelled.

    Attributes:
        columns: the names of the measures that have a value for each query.
        asked: {a name as it was asked for: what it became under the rules}.
        rules: how plain names are read.
        first: the first heading of each measure's name.
    """

    columns: frozenset[str]
    asked: Mapping[str, str]
    rules: Rules
    first: Mapping[str, str]

    def called(self, measure: str | Measure) -> str:
        """The name of a measure's column."""
        name = measure.written if isinstance(measure, Measure) else spelled(measure)
        if isinstance(name, str) and name in self.columns:
            return name
        return (isinstance(name, str) and self.asked.get(name)) or str(under(measure, self.rules))

    def __call__(self, measure: str | Measure) -> str:
        """The heading of its column."""
        name = self.called(measure)
        return self.first.get(name, name)


class AnySpelling(dict[str, Value]):
    """One value per measure, by the heading of its column; other spellings of the measure find it too."""

    __slots__ = ("heading",)
    heading: Headings

    def __missing__(self, name: str | Measure) -> Value:
        heading = self.heading(name)
        if dict.__contains__(self, heading):
            return self[heading]
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return self.get(name, self) is not self  # type: ignore[arg-type]

    def get(self, name: str | Measure, default: Any = None) -> Any:
        """The value of a measure, however it is spelled."""
        try:
            return self[name]  # type: ignore[index]
        except (KeyError, MeasureError):
            return default


class ByMeasure(Mapping[str, Value]):
    """A mapping from the names of measures: a measure is found however it is spelled."""

    done: ClassVar[Message]
    """What was done with the measures: in errors."""

    @property
    def _named(self) -> Mapping[str, Value]:
        raise NotImplementedError

    def __getitem__(self, measure: str | Measure) -> Value:
        """The value of a measure, however it is spelled; a plain name as the rules read it."""
        named, name = self._named, self.heading(measure)
        if name not in named:
            raise MeasureError(
                "{name} was not {done}.{hint} There is {known}",
                name=name,
                done=self.done,
                hint=did_you_mean(name, named),
                known=", ".join(named),
            )
        return named[name]

    def heading(self, measure: str | Measure) -> str:
        """The key of a measure, however it is spelled."""
        raise NotImplementedError

    def __contains__(self, measure: object) -> bool:
        return self.get(measure) is not None  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[str]:
        return iter(self._named)

    def __len__(self) -> int:
        """The number of measures."""
        return len(self._named)

    def get(self, measure: str | Measure, default: Any = None) -> Any:
        """The value of a measure, or the default where the measure is not there."""
        try:
            return self[measure]
        except MeasureError:
            return default

    __eq__ = object.__eq__  # arrays are not compared as a whole
    __hash__ = object.__hash__


class Means(Presented, ByMeasure[Value]):
    """What a run scores, by measure: the means, under whose rules they were made, and what they hide."""

    built_by = "scores"
    done = message("evaluated")

    measures: tuple[Measure, ...]
    rules: Rules
    ledger: Ledger
    run: str
    asked: Mapping[str, str]
    as_written: bool
    of_run: Mapping[str, OfRun]
    runs: tuple[Means[Any], ...]

    @property
    def evaluated(self) -> int:
        """How many queries have values."""
        return self.ledger.evaluated

    def number(self, measure: Measure) -> float:
        """The one number of a measure that was evaluated."""
        raise NotImplementedError

    def _summary(self) -> str:
        means = ", ".join(f"{name}: {mean:.4f}" for name, mean in self.mean.items())
        of = f"{self.run!r}, rules {self.rules.name!r}, {self.evaluated:,} queries"
        return f"{type(self).__name__}({of}, {means})"

    def called(self, measure: str | Measure) -> str:
        """The name of a measure's column, however it is spelled; a plain name as the rules read it."""
        return self._headings.called(measure)

    @property
    def _columns(self) -> Iterable[str]:
        """The names of the measures that have a value for each query."""
        raise NotImplementedError

    @cached_property
    def headings(self) -> dict[str, Measure]:
        """The measures by the headings of their columns."""
        own = {str(measure): measure for measure in self.measures}
        if not self.as_written:
            return own
        return {asked: own[name] for asked, name in self.asked.items() if name in own} or own

    def heading(self, measure: str | Measure) -> str:
        """The heading of a measure's column, however it is spelled."""
        return self._headings(measure)

    @cached_property
    def _headings(self) -> Headings:
        first = {str(measure): heading for heading, measure in reversed(self.headings.items())}
        return Headings(frozenset(self._columns), self.asked, self.rules, first)

    @property
    def mean(self) -> dict[str, float]:
        """One number per measure: the mean over queries (the sum for counts), or that of the whole run.

        A dict of its own each time, which may be written into.
        """
        return self._by_heading(self._numbers.items())

    @cached_property
    def _numbers(self) -> dict[str, float]:
        return {name: self.number(measure) for name, measure in self.headings.items()}

    def _by_heading(self, pairs: Iterable[tuple[str, Each]]) -> dict[str, Each]:
        row: AnySpelling[Each] = AnySpelling(pairs)
        row.heading = self._headings
        return row

    def to_dict(self, per_query: bool = False) -> dict[str, Any]:
        """Plain values, for JSON: rules, run, mean, ledger and, if asked, queries.

        Where a name became another under the rules, `asked` says which: {as it was asked for: what it became}.
        """
        out = {
            "rules": self.rules.to_dict(),
            "run": self.run,
            **({"asked": became} if (became := self._became()) else {}),
            "mean": finite(self.mean),
            **({"runs": {one.run: finite(one.mean) for one in self.runs}} if self.runs else {}),
            "ledger": self.ledger.to_dict(),
        }
        return {**out, "queries": self._plain()} if per_query else out

    def _plain(self) -> dict[str, dict[str, float | None]]:
        """The values of each query as JSON has them: None where there is none."""
        raise NotImplementedError

    def _became(self) -> dict[str, str]:
        """The names whose columns have another name, and what they became."""
        return {asked: name for asked, name in self.asked.items() if asked != name}
