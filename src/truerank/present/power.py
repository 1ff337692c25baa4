"""What a set of queries can show, as a table, and what it is based on."""

from __future__ import annotations

from truerank.analysis.claims import Power
from truerank.core.messages import joined, message, plural
from truerank.present.document import Document
from truerank.present.table import Cell, Table

SPREADS = {
    "given": message("given"),
    "lowest": message("lowest"),
    "middle": message("median"),
    "highest": message("highest"),
}

ENDLESS = message("too many")


def document_of(found: Power, digits: int | None = None) -> Document:
    """A row a measure and standard deviation; columns for what was asked."""
    heads, rows = _columns(found)
    table = Table(tuple(heads), rows, notes=tuple(remarks_of(found)), digits=4 if digits is None else digits)
    plain = found.to_dict()
    names = ("measure", "spread", "sd", "power", "critical", "detectable", "needed")
    flat = Table(names, tuple(tuple(row[name] for name in names) for row in plain["rows"]), digits=digits)
    return Document([table], flat, {**plain, "remarks": remarks_of(found)}, remarks_of(found))


def _columns(found: Power) -> tuple[list[str], tuple[tuple[Cell, ...], ...]]:
    """The headings, and the rows; without those of what was not given."""
    is_named = any(row.measure for row in found.rows)
    wanted = f"{found.wanted * 100:g}"
    heads: list[str] = [message("measure"), message("spread")] if is_named else []
    heads.append(message("sd"))
    if found.queries is not None and found.difference is not None:
        heads.append(message("power"))
    if found.queries is not None:
        heads += [message("significant from"), message("detected ({power} %)", power=wanted)]
    if found.difference is not None:
        heads.append(message("queries needed"))
    rows: list[tuple[Cell, ...]] = []
    for row in found.rows:
        cells: list[Cell] = [row.measure, SPREADS[row.spread]] if is_named else []
        cells.append(row.sd)
        if found.queries is not None and found.difference is not None:
            cells.append(row.power)
        if found.queries is not None:
            cells += [row.critical, row.detectable]
        if found.difference is not None:
            cells.append(ENDLESS if row.needed is None else row.needed)
        rows.append(tuple(cells))
    return heads, tuple(rows)


def remarks_of(found: Power) -> list[str]:
    """The question, the test, and where the standard deviations are from."""
    asked = []
    if found.queries is not None:
        asked.append(plural("{n:,} query", "{n:,} queries", n=found.queries))
    if found.difference is not None:
        asked.append(message("a real difference of {difference:g}", difference=found.difference))
    test = message("two-sided paired t-test at {alpha:g} %", alpha=found.alpha * 100)
    if found.systems > 2:
        test = message(
            "{test} over the {pairs} pairs of {n} systems (each at {level:.3g} %)",
            test=test,
            pairs=found.pairs,
            n=found.systems,
            level=found.alpha * 100 / found.pairs,
        )
    sentences: list[str] = [
        message("{asked}; {test}.", asked=joined(", ", asked), test=test),
        message("sd: of the differences from query to query; {source}.", source=found.source),
    ]
    if found.queries is not None:
        sentences.append(
            message(
                "Significant from: smaller differences of means are not. Detected: real differences that are found "
                "in {power:g} % of the samples.",
                power=found.wanted * 100,
            )
        )
    return sentences
