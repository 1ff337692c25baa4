"""An interleaving experiment as tables: the credit of each system, and which one of every two is preferred."""

from __future__ import annotations

import math

from truerank.analysis.clicks import Interleaving, Preference
from truerank.core.errors import printable
from truerank.core.messages import Message, listed, message, plural, warned
from truerank.present import charts, few
from truerank.present.comparison_cells import between, interval_heading
from truerank.present.document import Document, Figure
from truerank.present.table import Cell, Table, drawn_digits, fixed, p_cell

FLAT = ("system", "against", "wins", "ties", "losses", "delta", "low", "high", "p", "adjusted")

CLUSTERS = {"user": message("users"), "query": message("queries"), "impression": message("impressions")}


def document_of(interleaving: Interleaving, digits: int | None = None) -> Document:
    """One row per system, and one row per pair."""
    drawn = drawn_digits(digits)
    means = interleaving.credits.mean(axis=0).tolist()
    systems = tuple((printable(name), mean) for name, mean in zip(interleaving.systems, means, strict=True))
    credited = Table((message("system"), message("credit per impression")), systems, digits=drawn)
    columns = (
        message("system"),
        message("against"),
        message("wins"),
        message("ties"),
        message("losses"),
        "Δ",
        interval_heading(interleaving.confidence),
        "p",
    )
    rows = tuple(_row(pair, drawn, 1 - interleaving.confidence) for pair in interleaving.pairs)
    notes = (*_notes(interleaving), *remarks_of(interleaving))
    flat = Table(FLAT, tuple(map(_flat, interleaving.pairs)), digits=digits)
    plain = {**interleaving.to_dict(), "remarks": remarks_of(interleaving)}
    tables = [credited, Table(columns, rows, notes=notes, digits=drawn)]
    return Document([*tables, *figures(interleaving, drawn)], flat, plain, remarks_of(interleaving))


def figures(interleaving: Interleaving, digits: int = 4) -> list[Figure]:
    """Each preference on its interval, beside no preference; none where no interval is known."""
    rows = [
        {
            "who": f"{printable(pair.system)} – {printable(pair.against)}",
            "delta": pair.delta.estimate,
            "low": pair.delta.low,
            "high": pair.delta.high,
            "p": pair.adjusted,
        }
        for pair in interleaving.pairs
        if math.isfinite(pair.delta.low)
    ]
    if not rows:
        return []
    hints: charts.Hints = {"who": message("system"), "delta": ("Δ", f"+.{digits}f"), "p": ("p", ".4f")}
    for end, title in {"low": message("from"), "high": message("to")}.items():
        hints[end] = (title, f"+.{digits}f")
    alt = message("One line per pair of systems: Δ on its interval; right of 0 the first one is preferred.")
    spec = charts.on_intervals(rows, hints)
    return [Figure("preferences", message("Which system users prefer"), alt, spec)]


def _row(pair: Preference, digits: int, alpha: float) -> tuple[Cell, ...]:
    counts = (f"{pair.wins:,}", f"{pair.ties:,}", f"{pair.losses:,}")
    return (
        printable(pair.system),
        printable(pair.against),
        *counts,
        fixed(pair.delta.estimate, digits, "+"),
        between(pair.delta, digits),
        p_cell(pair.adjusted, alpha),
    )


def _flat(pair: Preference) -> tuple[Cell, ...]:
    plain = {**pair.to_dict(), "system": printable(pair.system), "against": printable(pair.against)}
    return tuple(plain[name] for name in FLAT)


def _notes(interleaving: Interleaving) -> list[str]:
    return [
        message("Δ = (wins + ties / 2) / (wins + ties + losses) − 1/2: above 0 where the system is preferred."),
        counted(interleaving.impressions, interleaving.clusters, interleaving.cluster),
        _test(interleaving),
    ]


def counted(impressions: int, clusters: int, cluster: str) -> Message:
    """How many impressions there are, and what intervals resample."""
    return plural(
        "{n:,} impression; intervals draw {what} again, of which there are {clusters:,}.",
        "{n:,} impressions; intervals draw {what} again, of which there are {clusters:,}.",
        n=impressions,
        clusters=clusters,
        what=CLUSTERS[cluster],
    )


def _test(interleaving: Interleaving) -> Message:
    how = {
        "sign": message("sign test"),
        "randomization": message("randomization test of whole {what}", what=CLUSTERS[interleaving.cluster]),
        "t": message("t-test of whole {what}", what=CLUSTERS[interleaving.cluster]),
    }[interleaving.test]
    if len(interleaving.pairs) == 1:
        return message("{method} interleaving; p: {test}.", method=interleaving.method, test=how)
    if interleaving.correction == "none":
        return message("{method} multileaving; p: {test}, not corrected.", method=interleaving.method, test=how)
    return message(
        "{method} multileaving; p: {test}, corrected for {n} pairs ({correction}).",
        method=interleaving.method,
        test=how,
        n=len(interleaving.pairs),
        correction=interleaving.correction,
    )


def remarks_of(interleaving: Interleaving) -> list[str]:
    """What was left out, and how far the numbers can be trusted."""
    said = few.resampled(interleaving.samples, interleaving.confidence)
    counted = interleaving.impressions - interleaving.without_clicks
    if counted < few.ENOUGH:
        said.append(
            warned(
                plural(
                    "{n:,} impression with clicks is too few to rely on.",
                    "{n:,} impressions with clicks are too few to rely on.",
                    n=counted,
                )
            )
        )
    if interleaving.without_clicks:
        said.append(
            plural(
                "{n:,} impression without clicks is in no count.",
                "{n:,} impressions without clicks are in no count.",
                n=interleaving.without_clicks,
            )
        )
    flat = [f"{pair.system} – {pair.against}" for pair in interleaving.pairs if pair.delta.method == "constant"]
    if flat:
        said.append(
            message(
                "{pairs}: all {what} agree, so that the interval has no width; it says nothing about others.",
                pairs=listed(list(map(printable, flat)), 5),
                what=CLUSTERS[interleaving.cluster],
            )
        )
    if interleaving.method == "balanced":
        said.append(
            message(
                "Balanced interleaving can prefer one of two systems under clicks at random "
                "(Radlinski et al. 2008); team draft does not."
            )
        )
    return said
