"""Checks of the qrels."""

from __future__ import annotations

from truerank.analysis.lint.checks import Case, Judgement, Watch, each_judgement
from truerank.analysis.lint.findings import Severity

LARGEST = 1000
"""A grade above this is rather something else; 2^grade, a gain of nDCG, overflows at 1024."""

SELF_SHARE = 0.05
"""From this share of the queries on, it is no accident that a query and a document have the same id."""


@each_judgement
def duplicate_judgement(case: Case) -> Watch:
    """A document is judged twice for a query."""
    lines: dict[tuple[bytes, bytes], int | None] = {}
    text = "document {} of query {} is judged twice, first in line {}: grades {:g} and {:g}"
    while (row := (yield)) is not None:
        if (before := case.judged.get(row.query, {}).get(row.doc)) is None:
            lines[row.query, row.doc] = row.line
        else:
            args = row.doc, row.query, str(lines[row.query, row.doc]), before, row.grade
            case.log.add("error", "duplicate-judgement", row.line, text, *args)


@each_judgement
def grades(case: Case) -> Watch:
    """A grade is negative, fractional or enormous."""
    log, who = case.log, "document {} of query {} has grade {:g}, "
    while (row := (yield)) is not None:
        if row.grade != row.grade:  # ignored
            continue
        args = row.doc, row.query, row.grade
        if row.grade < 0:
            text = who + "pooled but not judged: neither relevant nor nonrelevant"
            log.add("note", "negative-grade", row.line, text, *args)
        if row.grade != int(row.grade):
            text = who + "a fraction, which is kept here but cut to {} by trec_eval"
            log.add("warning", "fractional-grade", row.line, text, *args, int(row.grade))
        if row.grade > LARGEST:
            text = who + "far from any scale of relevance: is this the right column?"
            log.add("warning", "large-grade", row.line, text, *args)


@each_judgement
def judged_self(case: Case) -> Watch:
    """A query's own id is a judged document."""
    rows: list[Judgement] = []
    while (row := (yield)) is not None:
        if row.query == row.doc and row.grade == row.grade:  # not ignored
            rows.append(row)
    if rows and case.rules.self_match == "keep":
        note_self(case, len(rows), len(case.judged), rows[0].query, rows[0].line, "is judged for")


@each_judgement
def relevant(case: Case) -> Watch:
    """Nothing is relevant: to a query, or at all."""
    while (yield) is not None:
        pass
    judged = {query: [grade for grade in docs.values() if grade == grade] for query, docs in case.judged.items()}
    best = {query: max(grades, default=0) for query, grades in judged.items()}
    highest, level = max(best.values(), default=0), case.rules.level
    if not best:
        return
    if highest <= 0:
        text = "no grade is above 0: nothing is relevant, and every measure is 0"
        case.log.once("error", "no-relevant-grade", text)
    elif highest < level:
        text = "the highest grade is {:g}, but only grades from {:g} on count as relevant: nothing is"
        case.log.once("error", "level-unreached", text, highest, float(level))
    elif barren := [query for query, grade in best.items() if grade < level]:
        text = "{} of {} queries without a relevant document ({})"
        why = _barren_means(case)
        case.log.once("warning", "no-relevant-document", text, len(barren), len(best), why, examples=barren)


def _barren_means(case: Case) -> str:
    out, right = "left out of the mean", "only an empty answer is right"
    stops = "under these rules eval stops there"
    means = {"zero": "scored 0", "skip": out, "empty-is-right": right, "one": "scored 1", "error": stops}
    means["undefined"] = "left out of the means of measures that divide by the relevant documents"
    return means[case.rules.without_relevant]


def note_self(case: Case, count: int, queries: int, query: bytes, line: int | None, verb: str) -> None:
    """Say that queries meet documents with their own ids: likely meant, or likely by accident."""
    likely = count >= SELF_SHARE * queries
    why = "self_match = 'remove' ignores it" if likely else "perhaps by accident"
    text = "query {} {} the document with its own id, as {} of {} queries do: {}"
    severity: Severity = "warning" if likely else "note"
    case.log.once(severity, "self-match", text, query, verb, count, queries, why, line=line, count=count)
