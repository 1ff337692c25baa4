"""The agreement of many runs: a matrix for the eye, a heat map, and one row per pair for programs."""

from __future__ import annotations

from typing import Any

import numpy as np

from truerank.analysis.agreement import Agreements
from truerank.analysis.agreement.pair import variant
from truerank.analysis.agreement.several import COEFFICIENTS, Coefficient
from truerank.analysis.compare.result import letter
from truerank.core.errors import InputError, printable, quoted
from truerank.core.messages import alternatives, joined, message, plural, warned
from truerank.present import charts, ledger
from truerank.present.agreement import compared
from truerank.present.document import Document, Figure
from truerank.present.names import MOST, shortened
from truerank.present.table import Cell, Table, drawn_digits

IN_NUMBERS = 12
"""Runs whose coefficients stand side by side in 80 columns; more have a digit each."""

MOST_ROWS = 60
"""Runs whose digits do."""

EXTREMES = 5
"""Pairs at either end that are told where no matrix fits."""


def document_of(agreements: Agreements, digits: int | None = None, *, coefficient: Coefficient = "rbo") -> Document:
    """The matrix of one coefficient, most alike runs together; for programs all coefficients of each pair."""
    if coefficient not in COEFFICIENTS:
        raise InputError(
            "a coefficient is {known}, not {coefficient}",
            known=alternatives(COEFFICIENTS),
            coefficient=quoted(coefficient),
        )
    rows = [list(row.values()) for row in agreements.rows()]
    cells = tuple((printable(a), printable(b), *rest) for a, b, *rest in rows)
    flat = Table(("run_a", "run_b", "queries", *COEFFICIENTS), cells, digits=digits)
    alt = message("A square per two runs, the brighter the more they agree; runs that agree stand together.")
    figure = Figure("agreement", _title(agreements, coefficient), alt, _chart(agreements, coefficient))
    remarks = remarks_of(agreements)
    return Document(
        [_drawn(agreements, coefficient, digits), figure],
        flat,
        {**agreements.to_dict(), "remarks": remarks},
        remarks,
    )


def remarks_of(agreements: Agreements) -> list[str]:
    """The runs that do not answer all queries, so that pairs are means over different queries."""
    i, j = np.triu_indices(len(agreements.systems), 1)
    pairs = agreements.queries[i, j]
    if (pairs == pairs[0]).all() and (agreements.answered == pairs[0]).all():
        return []
    said = message(
        "Each pair is over the queries that both answer: {low:,} to {high:,}; a run answers {least:,} to {most:,}.",
        low=int(pairs.min()),
        high=int(pairs.max()),
        least=int(agreements.answered.min()),
        most=int(agreements.answered.max()),
    )
    apart = np.flatnonzero(pairs == 0).tolist()
    if not apart:
        return [said]
    names = [printable(name) for name in agreements.systems]
    shown = [message("{one} and {other}", one=names[i[at]], other=names[j[at]]) for at in apart]
    none = plural(
        "{n:,} pair of runs has no query in common: {names}.",
        "{n:,} pairs of runs have no query in common: {names}.",
        n=len(apart),
        names=joined("; ", shown[:EXTREMES]) if len(apart) <= EXTREMES else joined("; ", [*shown[:EXTREMES], "…"]),
    )
    return [said, warned(none)]


def _title(agreements: Agreements, coefficient: Coefficient) -> str:
    return {
        "rbo": f"{variant(agreements.ties, agreements.unseen)} (p = {agreements.p:g})",
        "tau": message("Kendall's tau"),
        "tau_ap": message("tau-AP"),
        "overlap": message("overlap@{k}", k=agreements.k),
    }[coefficient]


def _drawn(agreements: Agreements, coefficient: Coefficient, digits: int | None) -> Table:
    """The matrix as numbers or as digits, or only the most and the least alike pairs, depending on the room."""
    m = len(agreements.systems)
    many = plural("{n:,} run", "{n:,} runs", n=m)
    queries = ledger.queries(int(agreements.queries[np.triu_indices(m, 1)].max()))
    over = message("{many}, {queries}; {depth}.", many=many, queries=queries, depth=compared(agreements.depth))
    notes = (over, *_reading(m), *remarks_of(agreements))
    draw = _in_numbers if m <= IN_NUMBERS else _in_digits if m <= MOST_ROWS else _at_the_ends
    return draw(agreements, coefficient, digits, _title(agreements, coefficient), notes)


def _reading(m: int) -> list[str]:
    if m <= IN_NUMBERS:
        return [message("Runs that agree stand together; a column is the run of its letter.")]
    if m <= MOST_ROWS:
        return [
            message(
                "Runs that agree stand together; a column is the run of its number, by its last digit. "
                "9: 0.9 or more, 8: 0.8 or more, …; −: below 0; a blank is not known."
            )
        ]
    return [message("The pairs that agree least and most; an html file has the picture, csv and json all pairs.")]


def _in_numbers(
    agreements: Agreements, coefficient: Coefficient, digits: int | None, title: str, notes: tuple[str, ...]
) -> Table:
    values, names = _ordered(agreements, coefficient)
    letters = [letter(i) for i in range(len(names))]
    rows: list[tuple[Cell, ...]] = [
        (mark, name, *(None if np.isnan(value) else float(value) for value in row))
        for mark, name, row in zip(letters, names, values, strict=True)
    ]
    return Table(("", message("run"), *letters), tuple(rows), title, notes, digits=drawn_digits(digits, 2))


def _in_digits(
    agreements: Agreements, coefficient: Coefficient, digits: int | None, title: str, notes: tuple[str, ...]
) -> Table:
    values, names = _ordered(agreements, coefficient)
    heads = "".join(str(number % 10) for number in range(1, len(names) + 1))
    rows = [
        (str(n), name, "".join(map(_digit, row)))
        for n, (name, row) in enumerate(zip(names, values, strict=True), 1)
    ]
    return Table(("", message("run"), heads), tuple(rows), title, notes)


def _at_the_ends(
    agreements: Agreements, coefficient: Coefficient, digits: int | None, title: str, notes: tuple[str, ...]
) -> Table:
    values, names = getattr(agreements, coefficient), list(map(printable, agreements.systems))
    pairs = agreements.extremes(coefficient)
    rows = [
        (names[i], names[j], float(values[i, j]))
        for i, j in [*pairs[:EXTREMES], *pairs[max(EXTREMES, len(pairs) - EXTREMES) :]]
    ]
    columns = (message("run"), message("run"), title)
    return Table(columns, tuple(rows), title, notes, digits=drawn_digits(digits))


def _ordered(agreements: Agreements, coefficient: Coefficient) -> tuple[np.ndarray[Any, Any], list[str]]:
    """The matrix and the names, with runs that agree side by side."""
    at = agreements.places
    names = shortened(
        [printable(agreements.systems[i]) for i in at], MOST if len(at) <= IN_NUMBERS // 2 else MOST // 2
    )
    return getattr(agreements, coefficient)[np.ix_(at, at)], names


def _digit(value: float) -> str:
    """A coefficient as one digit.

    >>> [_digit(value) for value in (1.0, 0.5, 0.049, -0.2, float("nan"))]
    ['9', '5', '0', '−', ' ']
    """
    if np.isnan(value):
        return " "
    return "−" if value < 0 else str(min(9, int(10 * value + 1e-9)))


def _chart(agreements: Agreements, coefficient: Coefficient) -> charts.Spec:
    """A heat map, its colours from the least to the most."""
    names = list(map(printable, agreements.order))
    values, _ = _ordered(agreements, coefficient)
    rows = [
        {"one": names[i], "other": names[j], "value": float(values[i, j])}
        for i, j in np.argwhere(~np.isnan(values)).tolist()
    ]
    few = len(names) <= MOST_ROWS
    look = {"title": None, "labelLimit": 160, "labelOverlap": True, "labels": few, "ticks": few, "domain": False}
    side = {"type": "nominal", "sort": names, "axis": look}
    scale = {"scheme": "viridis", "zero": False, "nice": True}
    key = {"title": None, "orient": "right", "type": "symbol", "symbolType": "square", **charts.NUMBER}
    hints: charts.Hints = {
        "one": message("run"),
        "other": message("run"),
        "value": (_title(agreements, coefficient), ".4f"),
    }
    return {
        **charts.canvas(max(120, min(charts.HEIGHT * 2, 40 * len(names)))),
        "data": {"values": rows},
        "mark": {"type": "rect"},
        "encoding": {
            "x": {**side, "field": "other", "axis": {**look, "labelAngle": -60}},
            "y": {**side, "field": "one"},
            "color": {"field": "value", "type": "quantitative", "scale": scale, "legend": key},
            "tooltip": charts.tooltip(hints),
        },
    }
