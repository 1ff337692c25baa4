"""What a set of queries can show, as a table, and what that is based on."""

from __future__ import annotations

from truerank.analysis.claims import Power
from truerank.core.messages import joined, message
from truerank.present import ledger
from truerank.present.document import Document
from truerank.present.table import Cell, Table, drawn_digits

SPREADS = {
    "given": message("given"),
    "lowest": message("lowest"),
    "middle": message("median"),
    "highest": message("highest"),
}

ENDLESS = message("too many")


def document_of(power: Power, digits: int | None = None) -> Document:
    """One row per measure and standard deviation; columns for what was asked."""
    heads, rows = _columns(power)
    table = Table(tuple(heads), rows, notes=tuple(remarks_of(power)), digits=drawn_digits(digits))
    plain = power.to_dict()
    names = ("measure", "spread", "sd", "power", "critical", "detectable", "needed")
    flat = Table(names, tuple(tuple(row[name] for name in names) for row in plain["rows"]), digits=digits)
    return Document([table], flat, {**plain, "remarks": remarks_of(power)}, remarks_of(power))


def _columns(power: Power) -> tuple[list[str], tuple[tuple[Cell, ...], ...]]:
    """The headings and the rows, without columns for what was not given."""
    is_named = any(row.measure for row in power.rows)
    wanted = f"{power.wanted * 100:g}"
    heads: list[str] = [message("measure"), message("spread")] if is_named else []
    heads.append(message("sd"))
    if power.queries is not None and power.difference is not None:
        heads.append(message("power"))
    if power.queries is not None:
        heads += [message("significant from"), message("detected ({power} %)", power=wanted)]
    if power.difference is not None:
        heads.append(message("queries needed"))
    rows: list[tuple[Cell, ...]] = []
    for row in power.rows:
        cells: list[Cell] = [row.measure, SPREADS[row.spread]] if is_named else []
        cells.append(row.sd)
        if power.queries is not None and power.difference is not None:
            cells.append(row.power)
        if power.queries is not None:
            cells += [row.critical, row.detectable]
        if power.difference is not None:
            cells.append(ENDLESS if row.needed is None else row.needed)
        rows.append(tuple(cells))
    return heads, tuple(rows)


def remarks_of(power: Power) -> list[str]:
    """The question, the test, and where the standard deviations are from."""
    asked = []
    if power.queries is not None:
        asked.append(ledger.queries(power.queries))
    if power.difference is not None:
        asked.append(message("a real difference of {difference:g}", difference=power.difference))
    test = message("two-sided paired t-test at {alpha:g} %", alpha=power.alpha * 100)
    if power.systems > 2:
        test = message(
            "{test} over the {pairs} pairs of {n} systems (each at {level:.3g} %)",
            test=test,
            pairs=power.pairs,
            n=power.systems,
            level=power.alpha * 100 / power.pairs,
        )
    sentences: list[str] = [
        message("{asked}; {test}.", asked=joined(", ", asked), test=test),
        message("sd: of the differences from query to query; {source}.", source=power.source),
    ]
    if power.queries is not None:
        sentences.append(
            message(
                "Significant from: smaller differences of means are not. Detected: real differences that are found "
                "in {power:g} % of the samples.",
                power=power.wanted * 100,
            )
        )
    return sentences
