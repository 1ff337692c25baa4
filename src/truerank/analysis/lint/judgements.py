"""Checks of the qrels."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from truerank.analysis.lint.checks import Case, Judgement, Judgements, Watch, each_judgement
from truerank.analysis.lint.findings import Log, printed
from truerank.core.messages import Message, joined, message, plural
from truerank.measures.parameters import canonical

LARGEST = 1000
"""A grade above this is rather something else; 2^grade, a gain of nDCG, overflows at 1024."""

SELF_SHARE = 0.05
"""From this share of the queries on, it is no accident that a query and a document have the same id."""


@each_judgement
def duplicate_judgement(case: Case) -> Watch:
    """A document is judged twice for a query."""
    once: dict[bytes, Judgements] = {}  # of each query, of which most have no others
    first: dict[bytes, dict[Any, Judgement]] = {}
    by_aspect = case.rules.iteration == "aspect"
    key = attrgetter("doc", "aspect") if by_aspect else attrgetter("doc")
    while (some := (yield)) is not None:
        pairs = zip(some.docs, some.aspects, strict=True) if by_aspect else some.docs
        if some.query not in once and len(set(pairs)) == len(some.docs):
            once[some.query] = some
            continue
        if some.query not in first:
            before = once.setdefault(some.query, some)
            first[some.query] = {} if before is some else {key(row): row for row in before.rows()}
        seen = first[some.query]
        for row in some.rows():
            if (other := seen.setdefault(key(row), row)) is not row:
                case.log.add("error", "duplicate-judgement", row.line, _judged_twice, row, other, by_aspect)


def _judged_twice(row: Judgement, before: Judgement, by_aspect: bool) -> Message:
    said = _judged_again(row, before.grade, before.line)
    if by_aspect or row.aspect == before.aspect:
        return said
    hint = message("; the second columns differ: if they name aspects, say --set iteration=aspect")
    return joined("", [said, hint])


@each_judgement
def second_column(case: Case) -> Watch:
    """The second column of TREC's lines differs, and is not used; or it is, and is the same throughout."""
    seen: set[bytes | None] = set()
    while (some := (yield)) is not None:
        seen.update(some.aspects)
    if case.rules.iteration == "ignore" and len(seen) > 1:
        fault = message(
            "the second column has {n:,} different values, which are not used; if they name aspects, say --set "
            "iteration=aspect",
            n=len(seen),
        )
        case.log.once("note", "second-column", fault)
    elif case.rules.iteration == "aspect" and len(seen) == 1 and seen != {None}:
        fault = message("the second column, which is to name aspects, has the same value throughout")
        case.log.once("warning", "second-column", fault)


@each_judgement
def unanswered_aspect(case: Case) -> Watch:
    """An aspect has no relevant document: measures leave it out."""
    best: dict[tuple[bytes, bytes], float] = {}
    is_used = case.rules.iteration == "aspect"
    while (some := (yield)) is not None:
        for row in some.rows() if is_used else ():
            if row.aspect is not None:
                key = row.query, row.aspect
                best[key] = max(row.grade, best.get(key, row.grade))
    without_relevant = [b" ".join(key) for key, grade in best.items() if grade < case.rules.level]
    if without_relevant:
        fault = message(
            "{n:,} of {aspects:,} aspects without a relevant document (measures of aspects leave them out)",
            n=len(without_relevant),
            aspects=len(best),
        )
        case.log.once("warning", "no-relevant-document", fault, examples=without_relevant)


def _judged_again(row: Judgement, before: float, first: int | None) -> Message:
    return message(
        "document {doc} of query {query} is judged twice, first in line {line}: grades {before:g} and {grade:g}",
        doc=printed(row.doc),
        query=printed(row.query),
        line=first,
        before=before,
        grade=row.grade,
    )


@each_judgement
def grades(case: Case) -> Watch:
    """A grade is negative, fractional or enormous; or there is none, so that the document leaves the list."""
    ignored = 0
    while (some := (yield)) is not None:
        if all(0 <= grade <= LARGEST and grade.is_integer() for grade in set(some.grades)):
            continue
        for row in some.rows():
            if row.grade == row.grade:
                _note_grade(case.log, row)
            else:
                ignored += 1
    if ignored:
        fault = plural(
            "{n:,} judgement is null: its document leaves the list, as junk does; where null says that nobody "
            "judged it, leave it out",
            "{n:,} judgements are null: their documents leave the lists, as junk does; where null says that "
            "nobody judged them, leave them out",
            n=ignored,
        )
        case.log.once("note", "ignored-judgement", fault, count=ignored)


def _note_grade(log: Log, row: Judgement) -> None:
    if row.grade < 0:
        log.add("note", "negative-grade", row.line, _graded, row, POOLED)
    if row.grade != int(row.grade):
        log.add("warning", "fractional-grade", row.line, _fractional, row)
    if row.grade > LARGEST:
        log.add("warning", "large-grade", row.line, _graded, row, FAR)


POOLED = message("pooled but not judged: neither relevant nor nonrelevant")
FAR = message("far from any scale of relevance: is this the right column?")


def _fractional(row: Judgement) -> Message:
    whole = int(row.grade)
    return _graded(row, message("a fraction, which is kept here but cut to {whole:,} by trec_eval", whole=whole))


def _graded(row: Judgement, why: Message) -> Message:
    return message(
        "document {doc} of query {query} has grade {grade:g}, {why}",
        doc=printed(row.doc),
        query=printed(row.query),
        grade=row.grade,
        why=why,
    )


@each_judgement
def judged_self(case: Case) -> Watch:
    """A query's own id is a judged document."""
    rows: list[Judgement] = []
    while (some := (yield)) is not None:
        if some.query in some.docs:
            rows += (row for row in some.rows() if row.query == row.doc and row.grade == row.grade)  # not ignored
    if rows and case.rules.self_match == "keep":
        verb = message("is judged for")
        note_self(case, len(rows), len(case.judged), rows[0].query, rows[0].line, verb)
    lost = [row for row in rows if row.grade >= case.rules.level]
    if lost and case.rules.self_match == "remove-from-answers":
        fault = message(
            "the document with the id of query {query} is judged relevant to it, as in {n:,} of {queries:,} "
            "queries, but leaves the answers alone, so that it is never found: self_match = 'remove' ignores it in "
            "both",
            query=printed(lost[0].query),
            n=len(lost),
            queries=len(case.judged),
        )
        case.log.once("warning", "self-match", fault, lost[0].line, len(lost))


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
    if highest <= 0 < level:
        effect = EFFECTS[case.rules.without_relevant]
        fault = message("no grade is above 0: nothing is relevant to any query ({effect})", effect=effect)
        case.log.once("error", "no-relevant-grade", fault)
    elif highest < level:
        fault = message(
            "the highest grade is {highest}, but only grades from {level} on count as relevant: nothing is",
            highest=canonical(highest),
            level=canonical(level),
        )
        case.log.once("error", "level-unreached", fault)
    elif without_relevant := [query for query, grade in best.items() if grade < level]:
        fault = message(
            "{n:,} of {queries:,} queries without a relevant document ({effect})",
            n=len(without_relevant),
            queries=len(best),
            effect=EFFECTS[case.rules.without_relevant],
        )
        case.log.once("warning", "no-relevant-document", fault, examples=without_relevant)


EFFECTS = {
    "zero": message("scored 0"),
    "one": message("scored 1"),
    "skip": message("left out of the mean"),
    "empty-is-right": message("only an empty answer is right"),
    "error": message("under these rules eval stops there"),
    "undefined": message("left out of the means of measures that divide by the relevant documents"),
}
"""What becomes of queries without a relevant document."""


def note_self(case: Case, count: int, queries: int, query: bytes, line: int | None, verb: Message) -> None:
    """Say that queries meet documents with their own ids: likely meant, or likely by accident."""
    likely = count >= SELF_SHARE * queries
    meant, accident = message("self_match = 'remove' ignores it"), message("perhaps by accident")
    fault = message(
        "query {query} {verb} the document with its own id, as {n:,} of {queries:,} queries do: {why}",
        query=printed(query),
        verb=verb,
        n=count,
        queries=queries,
        why=meant if likely else accident,
    )
    case.log.once("warning" if likely else "note", "self-match", fault, line, count)
