"""Scores of one or several runs as a table, and as text in every format that there is."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from truerank.errors import shown
from truerank.report import audit, csv, json, ledger, tables, trec, values
from truerank.report.table import Cell, Table
from truerank.report.tables import FORMATS as TABLES
from truerank.scores import Scores

FORMATS = {
    "table": TABLES["table"],
    "json": TABLES["json"],
    "jsonl": (".jsonl", ".ndjson"),
    **TABLES,
    "trec": (".eval",),
}
"""The formats by name, and the file endings that suggest them."""

WIDE = 10
"""With more measures than this, and than runs, they are listed down the page."""


def render(
    scores: Sequence[Scores],
    format: str = "table",
    *,
    per_query: bool = False,
    digits: int | None = None,
    styled: bool = False,
) -> str:
    """The scores as text.

    Args:
        format: one of `FORMATS`.
        per_query: every query's values too.
        digits: after the point; by default 4 in what people read and in trec, all in csv. JSON has all.
        styled: the table with bold and lines, for a terminal.
    """
    if format in ("json", "jsonl"):
        return (json.render if format == "json" else json.lines)(scores, per_query)
    if format == "csv":
        return csv.render(flat_table(scores, per_query=per_query, digits=digits))
    digits = 4 if digits is None else digits
    if format == "trec":
        return trec.render(scores, per_query, digits)
    return tables.drawn([score_table(scores, per_query=per_query, digits=digits)], format, styled=styled)


def score_table(scores: Sequence[Scores], *, per_query: bool = False, digits: int = 4) -> Table:
    """For people: a row a run or query, a column a measure, the best run of each marked, the ledger below."""
    names = labels(scores)
    notes = tuple(ledger.notes(scores, names))
    measures = tuple(map(str, scores[0].measures))
    if per_query:
        rows = tuple(row for one, name in zip(scores, names, strict=True) for row in _query_rows(one, name))
        table = Table(("run", "query", *measures), rows, notes=notes, digits=digits)
        return table if len(scores) > 1 else table.without_first_column()
    rows = tuple((name, *values.means(one)) for one, name in zip(scores, names, strict=True))
    best = _best(scores)
    table = Table(("run", *measures), rows, notes=notes, best=best, across="measure", digits=digits)
    return table.turned() if len(measures) > max(WIDE, len(scores)) else table


def flat_table(scores: Sequence[Scores], *, per_query: bool = False, digits: int | None = None) -> Table:
    """For programs: a row a run, or a run and query, that names the run and the rules itself; strict ones too."""
    head = ("run", "rules", "query") if per_query else ("run", "rules")
    rows: list[tuple[Cell, ...]] = []
    for one in itertools.chain.from_iterable(map(audit.with_strict, scores)):
        who = (shown(one.run), shown(one.rules.name))
        rows += [(*who, *row) for row in (values.per_query(one) if per_query else [values.means(one)])]
    return Table((*head, *map(str, scores[0].measures)), tuple(rows), digits=digits)


def labels(scores: Sequence[Scores]) -> list[str]:
    """What to call the runs in a table: their files' names where these differ, else as they were given."""
    return tables.labels([one.run for one in scores])


def _query_rows(scores: Scores, name: str) -> list[tuple[Cell, ...]]:
    return [(name, *row) for row in [*values.per_query(scores), ("all", *values.means(scores))]]


def _best(scores: Sequence[Scores]) -> frozenset[tuple[int, int]]:
    """Where the best mean of several runs stands; counts are not for winning."""
    found = set()
    for column, measure in enumerate(scores[0].measures, 1):
        means = [one.mean[str(measure)] for one in scores]
        best = min(means) if measure.definition.is_less_better else max(means)
        if min(means) < max(means) and measure.definition.average != "sum":
            found |= {(row, column) for row, mean in enumerate(means) if mean == best}
    return frozenset(found)
