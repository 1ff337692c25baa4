"""Means of slices of the queries: one row per slice and run, one column per measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from truerank.core.errors import printable
from truerank.core.messages import message
from truerank.core.scores import Scores
from truerank.present import lines
from truerank.present.table import Cell, Table


class Slices(NamedTuple):
    """The scores of runs on slices of the queries.

    Attributes:
        by: what the slices are made by.
        parts: {value: the scores of each run on its queries}.
        unsliced: how many queries are in no slice.
    """

    by: str
    parts: Mapping[str, Sequence[Scores]]
    unsliced: int

    def table(self, names: Sequence[str], *, digits: int, percent: bool) -> Table:
        """The table for people, with the names of the runs if there are several."""
        rows = [
            (printable(value), len(one.queries), *([name] if len(names) > 1 else []), *_means(one, percent))
            for value, each in self.parts.items()
            for one, name in zip(each, names, strict=True)
        ]
        who = (printable(self.by), message("queries"), *([message("run")] if len(names) > 1 else []))
        from truerank.present import few  # imports statistics, which plain scores do not need

        notes = (few.unsliced(self.unsliced, self.by),) if self.unsliced else ()
        title = message("each {by}", by=printable(self.by))
        return Table((*who, *self._first.headings), tuple(rows), title, notes, digits=digits)

    def rows(self) -> list[tuple[Cell, ...]]:
        """The rows for programs: the run, the rules, the slice and the means."""
        return [
            (printable(one.run), printable(one.rules.name), printable(value), *_means(one))
            for value, each in self.parts.items()
            for one in each
        ]

    def to_dict(self, place: int) -> dict[str, Any]:
        """Plain values of one of the runs, by its place."""
        parts = {value: each[place] for value, each in self.parts.items()}
        means = {value: dict(zip(one.headings, _means(one), strict=True)) for value, one in parts.items()}
        found = {v: {"query_count": len(one.queries), "mean": means[v]} for v, one in parts.items()}
        return {"by": self.by, "slices": found, "unsliced": self.unsliced}

    @property
    def _first(self) -> Scores:
        return next(iter(self.parts.values()))[0]


def _means(scores: Scores, percent: bool = False) -> tuple[Cell, ...]:
    """The mean of each measure; empty where the rules leave out all queries of the slice."""
    return lines.means(scores, percent) if scores.queries else (None,) * len(scores.headings)
