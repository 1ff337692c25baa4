"""The agreement of two runs as tables: the means, and a row a query for programs."""

from __future__ import annotations

import math

import numpy as np

from truerank.analysis.compare.agreement import Agreement
from truerank.core.errors import printable, truncated
from truerank.core.messages import message, plural
from truerank.present import ledger
from truerank.present.document import Document
from truerank.present.table import Cell, Table

NAMED = 5
"""Queries that a remark names."""


def document_of(found: Agreement, digits: int | None = None) -> Document:
    """The means of both coefficients; for programs each query's."""
    means: tuple[tuple[Cell, ...], ...] = (
        (f"{found.coefficient} (p = {found.p:g})", found.mean_rbo),
        ("Kendall's tau", _known(found.mean_tau)),
        (message("tau-AP"), _known(found.mean_tau_ap)),
        (message("overlap@{k}", k=found.k), found.mean_overlap),
    )
    whole, first = message("whole lists"), message("the first {n:,} documents of each list", n=found.depth or 0)
    over = message(
        "{queries} that both runs answer; {depth}.",
        queries=ledger.queries(len(found.queries)),
        depth=whole if found.depth is None else first,
    )
    notes = (over, *remarks_of(found))
    table = Table(
        (message("coefficient"), message("mean")), means, notes=notes, digits=4 if digits is None else digits
    )
    return Document(
        [table], _flat(found, digits), {**found.to_dict(), "remarks": remarks_of(found)}, remarks_of(found)
    )


def remarks_of(found: Agreement) -> list[str]:
    """Queries that are in no mean, and those in one mean only."""
    sentences: list[str] = [
        message(
            "{queries} only in {run}, and in no mean: {names}.",
            queries=ledger.queries(len(names)),
            run=which,
            names=_listed(names),
        )
        for which, names in ((message("the first run"), found.only_a), (message("the second run"), found.only_b))
        if names
    ]
    if unknown := int(np.isnan(found.tau).sum()):
        said = plural(
            "{n:,} query has fewer than two documents in common: without Kendall's tau.",
            "{n:,} queries have fewer than two documents in common: without Kendall's tau.",
            n=unknown,
        )
        sentences.append(said)
    return sentences


def _listed(names: tuple[str, ...]) -> str:
    first = ", ".join(map(truncated, names[:NAMED]))
    more = len(names) - NAMED
    return message("{names} and {n:,} more", names=first, n=more) if more > 0 else first


def _flat(found: Agreement, digits: int | None) -> Table:
    columns = found.columns
    rows = tuple(zip(map(printable, found.queries), *columns.values(), strict=True))
    return Table(("query", *columns), rows, digits=digits)


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
