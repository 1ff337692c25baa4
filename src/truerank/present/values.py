"""Scores as rows of cells."""

from __future__ import annotations

from truerank.core.errors import printable
from truerank.core.scores import Scores
from truerank.measures import Measure
from truerank.present.percent import HUNDRED, is_share
from truerank.present.table import Cell


def means(scores: Scores, percent: bool = False) -> tuple[Cell, ...]:
    """The mean of each measure.

    Args:
        percent: shares as percentages.
    """
    return tuple(_cell(measure, scores.mean[name], percent) for name, measure in scores.headings.items())


def per_query(scores: Scores, percent: bool = False) -> list[tuple[Cell, ...]]:
    """A row a query: its id as it can be printed, then its values."""
    measures = scores.headings.values()
    columns = [[_cell(m, value, percent) for value in scores.columns[str(m)].tolist()] for m in measures]
    return list(zip(map(printable, scores.queries), *columns, strict=True))


def _cell(measure: Measure, value: float, percent: bool) -> Cell:
    """Counts are whole numbers, and drawn as such; nothing where there is no value."""
    if value != value:
        return None
    if percent and is_share(measure):
        return value * HUNDRED
    return int(value) if measure.definition.average == "sum" and value.is_integer() else value
