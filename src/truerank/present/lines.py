"""Scores as trec_eval prints them: measure, query or all, value; a block a run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from truerank.core.errors import shown
from truerank.core.scores import Scores
from truerank.present import values
from truerank.present.table import Cell, as_text


def render(scores: Sequence[Scores], per_query: bool = False, digits: int = 4) -> str:
    """Lines of three columns with tabs between; each run begins with its name and its rules."""
    lines = (line for one in scores for line in _lines(one, per_query))
    return "".join(f"{name}\t{query}\t{as_text(cell, digits)}\n" for name, query, cell in lines)


def _lines(scores: Scores, per_query: bool) -> Iterable[tuple[str, Cell, Cell]]:
    yield "runid", "all", shown(scores.run)
    yield "rules", "all", shown(scores.rules.name)
    names = list(scores.headings)
    for query, *row in [*(values.per_query(scores) if per_query else ()), ("all", *values.means(scores))]:
        yield from ((name, query, cell) for name, cell in zip(names, row, strict=True) if cell is not None)
