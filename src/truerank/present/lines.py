"""Scores as rows of cells, as trec_eval's lines with one value each, or as JSON lines per run or query."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from truerank.core.errors import TruerankError, printable
from truerank.core.plugins import remembered
from truerank.core.scores import Scores
from truerank.measures import Measure, parse_measure
from truerank.present.percent import HUNDRED, is_share
from truerank.present.table import Cell, as_text, number


def trec(scores: Sequence[Scores], per_query: bool, digits: int) -> str:
    """Three columns with tabs between: measure, query or all, value; each run begins with its name and rules."""
    lines = (line for one in scores for line in _lines(one, per_query))
    return "".join(f"{name}\t{query}\t{as_text(cell, digits)}\n" for name, query, cell in lines)


def _lines(scores: Scores, per_query: bool) -> Iterable[tuple[str, Cell, Cell]]:
    yield "runid", "all", printable(scores.run)
    yield "rules", "all", printable(scores.rules.name)
    names = list(scores.headings)
    for query, *row in [*(query_rows(scores) if per_query else ()), ("all", *means(scores))]:
        yield from ((name, query, cell) for name, cell in zip(names, row, strict=True) if cell is not None)


def jsonl(scores: Sequence[Scores], per_query: bool) -> str:
    """One line per run with its means, or one line per run and query."""
    from truerank.present.renderers.json import dumps

    if not per_query:
        return "".join(dumps(one.to_dict()) for one in scores)
    return "".join(dumps(line) for one in scores for line in _query_lines(one))


def _query_lines(scores: Scores) -> list[dict[str, Any]]:
    names = list(scores)
    rows = zip(scores.queries, *(scores[name].tolist() for name in names), strict=True)
    who = {"run": scores.run, "rules": scores.rules.name}
    return [{**who, "query": query, "values": dict(zip(names, row, strict=True))} for query, *row in rows]


def means(scores: Scores, percent: bool = False) -> tuple[Cell, ...]:
    """The mean of each measure.

    Args:
        percent: whether shares are shown as percentages.
    """
    return tuple(_cell(measure, scores.mean[name], percent) for name, measure in scores.headings.items())


def query_rows(scores: Scores, percent: bool = False) -> list[tuple[Cell, ...]]:
    """One row per query: its id as it can be printed, then its values."""
    measures = scores.headings.values()
    nothing = [math.nan] * len(scores.queries)  # a measure of the whole run
    values = [(m, scores.columns[str(m)].tolist() if str(m) in scores.columns else nothing) for m in measures]
    columns = [[_cell(m, value, percent) for value in each] for m, each in values]
    return list(zip(map(printable, scores.queries), *columns, strict=True))


def named_cell(measure: str, value: float) -> Cell:
    """The cell for a measure's value, by the measure's name; the value as it is where the name is not known.

    >>> named_cell("NumRet", 160.0), named_cell("AP", 1.0), named_cell("unknown here", 2.0)
    (160, 1.0, 2.0)
    """
    return number(value, is_count=_is_count(measure))


@remembered
def _is_count(measure: str) -> bool:
    """Whether a measure's values are counts; cached, as a page asks for each value."""
    try:
        return parse_measure(measure).definition.average == "sum"
    except TruerankError:
        return False


def _cell(measure: Measure, value: float, percent: bool) -> Cell:
    times = HUNDRED if percent and is_share(measure) else 1
    return number(value * times, is_count=measure.definition.average == "sum")
