"""Hits as a table: where the judged documents were returned."""

from __future__ import annotations

import numpy as np

from truerank.core.errors import counted, shown
from truerank.core.hits import Hits
from truerank.present.document import Document
from truerank.present.table import Cell, Table

ROWS = 20
"""Hits that people are shown; programs get all."""

COLUMNS = ("query", "rank", "grade", "score", "first", "last")


def document_of(hits: Hits, digits: int | None = None) -> Document:
    """A row a hit; for people the first ones."""
    flat = Table(COLUMNS, _rows(hits, len(hits)), digits=digits)
    more = [f"{len(hits) - ROWS:,} more rows."] if len(hits) > ROWS else []
    notes = (*more, f"{hits._summary()}.", *remarks_of(hits))
    table = Table(COLUMNS, _rows(hits, ROWS), notes=notes, digits=4 if digits is None else digits)
    return Document([table], flat, [dict(zip(COLUMNS, row, strict=True)) for row in flat.rows], remarks_of(hits))


def remarks_of(hits: Hits) -> list[str]:
    """Queries for which nothing was returned, and those whose lists hold no judged document."""
    empty = int((hits.returned == 0).sum())
    bare = int(((hits.returned > 0) & (np.bincount(hits.query, minlength=len(hits.queries)) == 0)).sum())
    told = [f"Nothing was returned for {counted(empty, 'query', 'queries')}."] if empty else []
    return told + ([f"No returned document is judged for {counted(bare, 'query', 'queries')}."] if bare else [])


def _rows(hits: Hits, most: int) -> tuple[tuple[Cell, ...], ...]:
    names = [shown(hits.queries[place]) for place in hits.query[:most].tolist()]
    columns = (getattr(hits, name)[:most].tolist() for name in COLUMNS[1:])
    return tuple(zip(names, *columns, strict=True))
