"""The agreement of two runs as tables: the means, and one row per query for programs."""

from __future__ import annotations

import numpy as np

from truerank.analysis.agreement import Agreement
from truerank.core.errors import printable, some
from truerank.core.messages import Message, message, plural
from truerank.core.presented import finite
from truerank.present import ledger
from truerank.present.document import Document
from truerank.present.table import Cell, Table, drawn_digits

NAMED = 5
"""Queries that a remark names."""


def document_of(agreement: Agreement, digits: int | None = None) -> Document:
    """The means of both coefficients; for programs each query's."""
    means: tuple[tuple[Cell, ...], ...] = (
        (f"{agreement.coefficient} (p = {agreement.p:g})", agreement.mean_rbo),
        ("Kendall's tau", finite(agreement.mean_tau)),
        (message("tau-AP"), finite(agreement.mean_tau_ap)),
        (message("overlap@{k}", k=agreement.k), agreement.mean_overlap),
    )
    over = message(
        "{queries} that both runs answer; {depth}.",
        queries=ledger.queries(len(agreement.queries)),
        depth=compared(agreement.depth),
    )
    notes = (over, *remarks_of(agreement))
    table = Table((message("coefficient"), message("mean")), means, notes=notes, digits=drawn_digits(digits))
    return Document(
        [table],
        _flat(agreement, digits),
        {**agreement.to_dict(), "remarks": remarks_of(agreement)},
        remarks_of(agreement),
    )


def compared(depth: int | None) -> Message:
    """How much of each list is compared."""
    if depth is None:
        return message("whole lists")
    return message("the first {n:,} documents of each list", n=depth)


def remarks_of(agreement: Agreement) -> list[str]:
    """How many queries are in no mean, and how many in only one of them."""
    sentences: list[str] = [
        message(
            "{queries} only in {run}, and in no mean: {names}.",
            queries=ledger.queries(len(names)),
            run=which,
            names=some(names, NAMED),
        )
        for which, names in (
            (message("the first run"), agreement.only_a),
            (message("the second run"), agreement.only_b),
        )
        if names
    ]
    if unknown := int(np.isnan(agreement.tau).sum()):
        said = plural(
            "{n:,} query has fewer than two documents in common: without Kendall's tau.",
            "{n:,} queries have fewer than two documents in common: without Kendall's tau.",
            n=unknown,
        )
        sentences.append(said)
    return sentences


def _flat(agreement: Agreement, digits: int | None) -> Table:
    columns = agreement.columns
    rows = tuple(zip(map(printable, agreement.queries), *columns.values(), strict=True))
    return Table(("query", *columns), rows, digits=digits)
