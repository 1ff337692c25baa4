"""A check as a table, and as JUnit XML for continuous integration."""

from __future__ import annotations

import math
from collections.abc import Sequence
from xml.etree import ElementTree

from truerank.analysis.check import Check, Verdict
from truerank.core.errors import printable
from truerank.core.languages import SOURCE
from truerank.core.messages import Message, joined, listed, message, plural, warned
from truerank.core.presented import significant
from truerank.present import few, watching
from truerank.present.comparison_cells import between, interval_heading
from truerank.present.document import Document
from truerank.present.ledger import named_remarks
from truerank.present.names import labels
from truerank.present.renderers import FORMATS as TABLES
from truerank.present.table import Cell, Table, as_text, drawn_digits, fixed

JUNIT = "junit"
FORMATS = {**TABLES, JUNIT: (".xml",)}
"""The formats by name, and the file endings that suggest them."""

SIGNIFICANT = 4
"""Digits of times and rates."""

SAID = {"pass": message("pass"), "fail": message("FAIL"), "undecided": message("undecided")}


def render(
    check: Check, format: str = "table", *, digits: int | None = None, styled: bool = False, language: str = SOURCE
) -> str:
    """The text in one of `FORMATS`."""
    if format == JUNIT:
        return junit(check)
    return document_of(check, digits).render(format, styled=styled, language=language)


def document_of(check: Check, digits: int | None = None) -> Document:
    """One row per gate, and below what a reader should know."""
    drawn = drawn_digits(digits)
    rows = [_row(one, drawn) for one in check.verdicts if not one.slice]
    columns = _columns(check.confidence)
    verdict = SAID[check.outcome]
    title = joined(": ", [labels([check.run])[0], verdict]) if check.run else verdict
    table = Table(columns, tuple(rows), title, tuple(notes(check)), digits=drawn)
    names = (*(("slice",) if check.by else ()), *FLAT)
    flat = tuple(_flat(one, names) for one in check.verdicts)
    plain = {**check.to_dict(), "remarks": remarks_of(check)}
    blocks = [table, *_slices(check, drawn), *watching.blocks(check.watch, drawn)]
    return Document(blocks, Table(names, flat, digits=digits), plain, remarks_of(check))


def _slices(check: Check, digits: int) -> list[Table]:
    """The gates of all slices: one row per slice and gate."""
    sliced = [verdict for verdict in check.verdicts if verdict.slice]
    if not sliced:
        return []
    rows = tuple((printable(one.slice), *_row(one, digits), one.queries) for one in sliced)
    known = (one.interval.confidence for one in sliced if one.interval)
    columns = (printable(check.by), *_columns(next(known, check.confidence)), message("queries"))
    return [
        Table(columns, rows, message("each {by}", by=printable(check.by)), tuple(_sliced(check)), digits=digits)
    ]


def _columns(confidence: float) -> tuple[str, ...]:
    return message("gate"), message("value"), interval_heading(confidence), message("verdict")


def _sliced(check: Check) -> list[str]:
    """How reliable slices are, and how many queries are in none."""
    sized = {verdict.slice: verdict.queries or 0 for verdict in check.verdicts if verdict.slice}
    few_in = [value for value, queries in sized.items() if queries < few.ENOUGH]
    said: list[str] = [
        plural(
            "The interval of {n} slice holds at least as often as one of {confidence:g} % (Bonferroni).",
            "The intervals of {n} slices hold at once at least as often as one of {confidence:g} % (Bonferroni).",
            n=len(sized),
            confidence=check.confidence * 100,
        )
    ]
    if few_in:
        said.append(
            warned(
                message(
                    "fewer than {enough} queries, too few to rely on: {names}.",
                    enough=few.ENOUGH,
                    names=listed(list(map(printable, few_in)), 5),
                )
            )
        )
    if check.unsliced:
        said.append(few.unsliced(check.unsliced, check.by))
    return said


FLAT = ("name", "kind", "limit", "value", "low", "high", "unit", "against", "queries", "verdict", "note")


def notes(check: Check) -> list[str]:
    """How it was decided, and what is remarkable."""
    sentences: list[str] = [message("Rules: {rules}.", rules=printable(check.rules))] if check.rules else []
    deciders = {verdict.decider for verdict in check.verdicts if verdict.kind != "no worse than"}
    if deciders == {"value"}:
        sentences.append(message("min and max are decided by the value, which may reach the limit."))
    elif deciders:
        sentences.append(message("min and max are decided by the interval: undecided where the limit lies inside."))
    if any(verdict.kind == "no worse than" for verdict in check.verdicts):
        sentences.append(
            message(
                "No worse than: by the interval of the difference, query by query; the value is that difference."
            )
        )
    return [*sentences, *watching.notes(check), *remarks_of(check)]


def remarks_of(check: Check) -> list[str]:
    """Whether there are enough queries, and why a gate has no interval."""
    counts = [verdict.queries for verdict in check.verdicts if verdict.queries and not verdict.slice]
    ended = [warned(check.ended)] if check.ended else []
    sentences = [*ended, *_hidden(check), *_of_sample(check), *(few.remarks(min(counts)) if counts else [])]
    sentences += [*_resampled(check), *_of_runs(check)]
    by_note: dict[str, list[str]] = {}
    for verdict in check.verdicts:
        if verdict.note:
            by_note.setdefault(verdict.note, []).append(_named(verdict))
    sentences += [
        message("{gates}: {note}.", gates=", ".join(map(printable, dict.fromkeys(names))), note=note)
        for note, names in by_note.items()
    ]
    shows = [verdict for verdict in check.verdicts if not verdict.against or verdict.value]
    return [*sentences, *few.doubts((printable(_named(one)), one.interval) for one in shows)]


def _resampled(check: Check) -> list[str]:
    """Whether there are enough resamples for the highest confidence asked for, such as that of slices."""
    drawn = (one.interval for one in check.verdicts if one.interval and not one.unit)
    sure = [interval.confidence for interval in drawn if interval.method in ("bca", "percentile")]
    return few.resampled(check.samples, max(sure)) if sure else []


def _of_runs(check: Check) -> list[str]:
    """Remarks on systems with several runs; imports what compares them only if there are such systems."""
    if not any(one for _, one in check.systems):
        return []
    from truerank.present.runs import of_systems

    names, several = zip(*check.systems, strict=True)
    return of_systems(list(zip(labels(names), several, strict=True)))


def _named(verdict: Verdict) -> Message:
    """The name of what is checked, after that of its slice."""
    return joined(" ", [*([printable(verdict.slice)] if verdict.slice else []), verdict.name])


def _hidden(check: Check) -> list[str]:
    """What the means of the run and of the baseline hide."""
    said = named_remarks(check.scored, labels([one.name for one in check.scored]))
    return list(dict.fromkeys(said))  # a run may be its own baseline


def _of_sample(check: Check) -> list[str]:
    """Remarks on the queries that people judged; imports the estimates only if there are any."""
    if check.predicted is None:
        return []
    from truerank.present.predicted import remarks_of_systems

    return remarks_of_systems({check.run: check.predicted})


def sentence(verdict: Verdict) -> str:
    """One gate in words.

    >>> sentence(Verdict("AP", "min", "fail", 0.31, 0.4, False, None, "value"))
    'AP >= 0.4: FAIL, it is 0.3100'
    """
    interval = _interval(verdict, 4)
    note = f" ({verdict.note})" if verdict.note else ""
    value = _value(verdict, 4)
    what = "the difference is" if verdict.against else "it is"
    shown = f"{value} {interval}" if interval else value
    return f"{printable(verdict.gate)}: {SAID[verdict.outcome]}, {what} {shown}{note}"


def junit(check: Check) -> str:
    """The check as JUnit XML: a gate is a test case, one that is undecided is skipped.

    >>> import truerank as tr
    >>> junit(tr.check({"AP": 0.3}, min={"AP": 0.4})).split("\\n")[1]
    '<testsuites name="truerank check" tests="1" failures="1" errors="0" skipped="0">'
    """
    outcomes = [verdict.outcome for verdict in check.verdicts]
    counts = {
        "tests": str(len(outcomes)),
        "failures": str(outcomes.count("fail")),
        "errors": "0",
        "skipped": str(outcomes.count("undecided")),
    }
    root = ElementTree.Element("testsuites", {"name": "truerank check", **counts})
    suite = ElementTree.SubElement(root, "testsuite", {"name": printable(check.run) or "truerank", **counts})
    for verdict in check.verdicts:
        case = ElementTree.SubElement(suite, "testcase", classname="truerank.check", name=printable(verdict.gate))
        text = sentence(verdict)
        if verdict.outcome == "fail":
            ElementTree.SubElement(case, "failure", message=text).text = text
        elif verdict.outcome == "undecided":
            ElementTree.SubElement(case, "skipped", message=text)
        else:
            ElementTree.SubElement(case, "system-out").text = text
    if said := remarks_of(check):
        ElementTree.SubElement(suite, "system-err").text = "\n".join(printable(str(each)) for each in said)
    ElementTree.indent(root)
    drawn: bytes = ElementTree.tostring(root, "utf-8", xml_declaration=True)
    return drawn.decode() + "\n"


def _row(verdict: Verdict, digits: int) -> tuple[Cell, ...]:
    value = _value(verdict, digits)
    return printable(verdict.asked), value, _interval(verdict, digits), SAID[verdict.outcome]


def _flat(verdict: Verdict, names: Sequence[str]) -> tuple[Cell, ...]:
    plain = {"slice": verdict.slice} | verdict.to_dict() | {"verdict": verdict.outcome}
    return tuple(plain[name] for name in names)


def _value(verdict: Verdict, digits: int) -> str:
    """The value, with more digits where it takes these to tell it from a limit that it misses."""
    least = SIGNIFICANT if verdict.unit else digits
    shown = _number(verdict, verdict.value, least)
    if verdict.outcome != "fail" or verdict.decider != "value" or verdict.against:
        return shown
    pairs = ([_number(verdict, each, n) for each in (verdict.value, verdict.limit)] for n in range(least, 18))
    return next((value for value, limit in pairs if value != limit), shown)


def _number(verdict: Verdict, value: float, digits: int) -> str:
    if math.isinf(value) and verdict.unit:
        return message("endless")
    if not math.isfinite(value):
        return "-"
    if verdict.against:
        return fixed(value, digits, "+")
    if verdict.name == "errors" and value.is_integer():
        return str(int(value))
    if verdict.unit:
        least = "≥ " if verdict.is_least else ""
        return f"{least}{significant(value, digits)}" + (
            f" {verdict.unit}" if verdict.unit.isalpha() else verdict.unit
        )
    return as_text(value, digits)


def _interval(verdict: Verdict, digits: int) -> str:
    interval = verdict.interval
    if interval is None or not math.isfinite(interval.low):
        return ""
    if interval.method != "none" and math.isinf(interval.high):
        return f"[{significant(interval.low, SIGNIFICANT)}, ∞)"
    if not math.isfinite(interval.high):
        return ""
    if verdict.unit:
        low, high = (significant(end, SIGNIFICANT) for end in (interval.low, interval.high))
        return f"[{low}, {high}]"
    return between(interval, digits)


def failures(check: Check) -> Sequence[str]:
    """A sentence for each gate that failed, then for each that is undecided."""
    ordered = sorted(check.verdicts, key=lambda verdict: verdict.outcome != "fail")
    return [sentence(verdict) for verdict in ordered if verdict.outcome != "pass"]
