"""Scores as rows of cells."""

from __future__ import annotations

from truerank.errors import shown
from truerank.measures import Measure
from truerank.report.table import Cell
from truerank.scores import Scores


def means(scores: Scores) -> tuple[Cell, ...]:
    """The mean of each measure."""
    return tuple(_cell(measure, scores.mean[str(measure)]) for measure in scores.measures)


def per_query(scores: Scores) -> list[tuple[Cell, ...]]:
    """A row a query: its id as it can be printed, then its values."""
    columns = [[_cell(measure, value) for value in scores[measure].tolist()] for measure in scores.measures]
    return list(zip(map(shown, scores.queries), *columns, strict=True))


def _cell(measure: Measure, value: float) -> Cell:
    """Counts are whole numbers, and drawn as such."""
    return int(value) if measure.definition.average == "sum" and value.is_integer() else value
