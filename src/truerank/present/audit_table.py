"""What a published table could ever have shown: one row per measure, then its pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from truerank.analysis.claims import Claim, TableAudit, Told
from truerank.core.errors import printable
from truerank.core.messages import Message, listed, message, plural, warned
from truerank.present.comparison_cells import span
from truerank.present.document import Document
from truerank.present.table import Cell, Table, drawn_digits

MOST_PAIRS = 15
"""Where every two systems make more pairs than this, the table has those of the best one; JSON and CSV have all."""

NAMED = 6

VERDICTS = {"yes": message("yes"), "depends": message("depends"), "no": message("no")}

HEADS = (
    message("measure"),
    message("pairs"),
    *VERDICTS.values(),
    message("sd"),
    message("significant"),
    message("detected"),
)


def document_of(audit: TableAudit, digits: int | None = None) -> Document:
    """The measures, then a table of pairs each; for programs one row per pair."""
    drawn = drawn_digits(digits)
    summary = Table(HEADS, tuple(_row(audit, one) for one in audit.measures), _title(audit), digits=drawn)
    pairs = [_pairs(audit, one, drawn) for one in audit.measures if audit.of(one.measure)]
    tables = [summary, *pairs]
    tables[-1] = replace(tables[-1], notes=(*notes(audit), *remarks_of(audit)))
    flat = Table(FLAT, tuple(tuple(vars(claim)[name] for name in FLAT) for claim in audit.claims), digits=digits)
    plain = {**audit.to_dict(), "remarks": remarks_of(audit)}
    return Document(tables, flat, plain, remarks_of(audit))


FLAT = (
    *("measure", "better", "worse", "difference", "low", "high"),
    *("critical_sd", "best_p", "worst_p", "told"),
)


def _title(audit: TableAudit) -> Message:
    return plural(
        "{name}: what {n:,} query could have shown",
        "{name}: what {n:,} queries could have shown",
        name=printable(audit.name),
        n=audit.queries,
    )


def _row(audit: TableAudit, one: Told) -> tuple[Cell, ...]:
    claims = audit.of(one.measure)
    counts = [sum(claim.told == told for claim in claims) for told in VERDICTS]
    spans = (_span(*ends) for ends in ((one.low, one.high), one.critical, one.detectable))
    return one.measure, len(claims), *counts, *spans


def _span(low: float, high: float) -> str:
    return span(f"{low:.2g}", f"{high:.2g}")


def _pairs(audit: TableAudit, one: Told, digits: int) -> Table:
    """The pairs of one measure; if all pairs of many systems were asked for, only those of the best one."""
    claims = audit.of(one.measure)
    shown = claims if audit.baseline is not None or len(claims) <= MOST_PAIRS else _of_best(claims)
    is_signed = any(claim.best_p is not None for claim in shown)
    title = message("Pairs by {measure}", measure=one.measure)
    if len(shown) < len(claims):
        title = message("Pairs of the best system by {measure}", measure=one.measure)
    columns = (message("better"), message("worse"), message("difference"))
    last = (message("p, best to worst"),) if is_signed else (message("significant if sd <="),)
    rows = tuple(_pair(claim, is_signed) for claim in shown)
    return Table((*columns, *last, message("told apart")), rows, title, digits=digits)


def _of_best(claims: Sequence[Claim]) -> list[Claim]:
    """The pairs of the best system, which has the widest difference."""
    best = claims[0].better
    return [claim for claim in claims if claim.better == best]


def _pair(claim: Claim, is_signed: bool) -> tuple[Cell, ...]:
    limits: Cell = f"{claim.critical_sd:.3g}"
    if is_signed and claim.best_p is not None and claim.worst_p is not None:
        limits = _span(claim.best_p, claim.worst_p)
    names = printable(claim.better), printable(claim.worse)
    return *names, claim.difference, limits, VERDICTS[claim.told]


def notes(audit: TableAudit) -> Iterator[str]:
    """Sentences on how the table was computed."""
    level = audit.alpha * 100
    yield message(
        "Told apart: significant by the paired t-test at {level:g} %, divided by the number of pairs of a measure, "
        "under every sd that is considered (yes), under some (depends), or under none (no). Significant, detected: "
        "from which difference on, and which real difference four of five samples find.",
        level=level,
    )
    if not audit.is_given:
        yield message(
            "sd: of the differences from query to query, which a table of means does not show; 10 % to 90 % of "
            "the pairs of systems measured in docs/claims.md. Give your own with --sd."
        )
    if any(one.is_binary for one in audit.measures) and not audit.is_given:
        names = [one.measure for one in audit.measures if one.is_binary]
        yield message(
            "{measures}: 0 or 1 at each query; p of the exact sign test (McNemar) where two systems disagree on as "
            "few and on as many queries as their means allow.",
            measures=listed(names),
        )
    yield message("Published digits are rounded: yes holds for all that they can stand for, no for all of it too.")


def remarks_of(audit: TableAudit) -> list[str]:
    """What the table does not say, and what in it is impossible."""
    sentences: list[str] = [
        warned(
            message(
                "{systems}: no {measure} of {n:,} queries that are 0 or 1 rounds to what is published.",
                systems=_names(one.impossible),
                measure=one.measure,
                n=audit.queries,
            )
        )
        for one in audit.measures
        if one.impossible
    ]
    sentences += [
        message("No {measure} is given of {systems}.", measure=one.measure, systems=_names(one.missing))
        for one in audit.measures
        if one.missing
    ]
    if audit.left_out:
        sentences.append(
            message(
                "Left out, not all being means from 0 to 1 or percentages: {columns}.",
                columns=listed(audit.left_out),
            )
        )
    percent = [one.measure for one in audit.measures if one.is_percent]
    if percent:
        sentences.append(message("Read as percentages: {measures}.", measures=listed(percent)))
    nothing = [one.measure for one in audit.measures if not any(c.told == "yes" for c in audit.of(one.measure))]
    if audit.claims and nothing:
        sentences.append(
            message("By these means alone no pair can be called different in {measures}.", measures=listed(nothing))
        )
    return sentences


def _names(systems: Sequence[str]) -> Message:
    return listed(list(map(printable, systems)), NAMED)
