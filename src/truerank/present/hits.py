"""Hits as a table: where the judged documents were returned."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from truerank.core.errors import printable
from truerank.core.hits import Hits
from truerank.core.messages import message, plural
from truerank.present.document import Document
from truerank.present.table import Cell, Table, drawn_digits

ROWS = 20
"""Hits that people are shown; programs get all."""

HEADINGS = {
    "query": message("query"),
    "rank": message("rank"),
    "grade": message("grade"),
    "score": message("score"),
    "first": message("first"),
    "last": message("last"),
    "call": message("call"),
}
"""What people read in place of a program's name; calls are there where queries have several lists."""


def document_of(hits: Hits, digits: int | None = None) -> Document:
    """One row per hit; for people the first ones."""
    names = tuple(name for name in HEADINGS if name != "call" or hits.calls is not None)
    flat = Table(names, _rows(hits, len(hits), names), digits=digits)
    more = [plural("{n:,} more row.", "{n:,} more rows.", n=len(hits) - ROWS)] if len(hits) > ROWS else []
    notes = (*more, f"{hits._summary()}.", *remarks_of(hits))
    headings = tuple(map(HEADINGS.__getitem__, names))
    table = Table(headings, _rows(hits, ROWS, names), notes=notes, digits=drawn_digits(digits))
    return Document([table], flat, [dict(zip(names, row, strict=True)) for row in flat.rows], remarks_of(hits))


def remarks_of(hits: Hits) -> list[str]:
    """How many queries have no list, and how many a list without a judged document."""
    empty = int((hits.returned == 0).sum())
    bare = int(((hits.returned > 0) & (np.bincount(hits.query, minlength=len(hits.queries)) == 0)).sum())
    sentences: list[str] = []
    if empty:
        sentences.append(
            plural("Nothing was returned for {n:,} query.", "Nothing was returned for {n:,} queries.", n=empty)
        )
    if bare:
        sentences.append(
            plural(
                "No returned document is judged for {n:,} query.",
                "No returned document is judged for {n:,} queries.",
                n=bare,
            )
        )
    return sentences


def _rows(hits: Hits, most: int, columns: Sequence[str]) -> tuple[tuple[Cell, ...], ...]:
    names = [printable(hits.queries[place]) for place in hits.query[:most].tolist()]
    values = (getattr(hits, name)[:most].tolist() for name in columns[1:])
    return tuple(zip(names, *values, strict=True))
