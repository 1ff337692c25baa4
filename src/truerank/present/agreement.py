"""The agreement of two runs as tables: the means, and a row a query for programs."""

from __future__ import annotations

import math

import numpy as np

from truerank.analysis.compare.agreement import Agreement
from truerank.core.errors import brief, counted, shown
from truerank.present.document import Document
from truerank.present.table import Cell, Table

NAMED = 5
"""Queries that a remark names."""


def document_of(found: Agreement, digits: int | None = None) -> Document:
    """The means of both coefficients; for programs each query's."""
    means: tuple[tuple[Cell, ...], ...] = (
        (f"RBO (p = {found.p:g})", found.mean_rbo),
        ("Kendall's tau", _known(found.mean_tau)),
    )
    depth = "whole lists" if found.depth is None else f"the first {found.depth:,} documents of each list"
    over = f"{counted(len(found.queries), 'query', 'queries')} that both runs answer; {depth}."
    notes = (over, *remarks_of(found))
    table = Table(("coefficient", "mean"), means, notes=notes, digits=4 if digits is None else digits)
    return Document(
        [table], _flat(found, digits), {**found.to_dict(), "remarks": remarks_of(found)}, remarks_of(found)
    )


def remarks_of(found: Agreement) -> list[str]:
    """Queries that are in no mean, and those in one mean only."""
    told = [
        f"{counted(len(names), 'query', 'queries')} only in {which}, and in no mean: {_listed(names)}."
        for which, names in (("the first run", found.only_a), ("the second run", found.only_b))
        if names
    ]
    if unknown := int(np.isnan(found.tau).sum()):
        few = counted(unknown, "query has", "queries have")
        told.append(f"{few} fewer than two documents in common: without Kendall's tau.")
    return told


def _listed(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return ", ".join(map(brief, names[:NAMED])) + more


def _flat(found: Agreement, digits: int | None) -> Table:
    columns = found.rbo.tolist(), map(_known, found.tau.tolist()), found.shared.tolist()
    rows = tuple(zip(map(shown, found.queries), *columns, strict=True))
    return Table(("query", "rbo", "tau", "shared"), rows, digits=digits)


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
