"""Checks of one answer at a time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from truerank.analysis.lint.checks import Answer, Case, Watch, each_answer, each_list
from truerank.analysis.lint.findings import Severity, printed
from truerank.analysis.lint.judgements import note_self
from truerank.core.kernel.rows import Rows
from truerank.core.messages import Message, message
from truerank.core.scan import LISTS_THAT_TELL

RISING_SHARE = 0.9
"""From this share of the queries on, scores that rise with the rank are distances."""


@each_list
def duplicate_document(case: Case) -> Watch:
    """A document is returned twice for a query."""
    severity: Severity = "error" if case.rules.duplicates == "error" else "warning"
    while (answer := (yield)) is not None:
        if not answer.has_repeated():
            continue
        first: dict[bytes, int] = {}
        for i, (doc, line) in enumerate(zip(answer.docs, answer.lines, strict=True)):
            if (before := first.setdefault(doc, i)) != i:
                args = case, doc, answer.query, answer.lines[before]
                case.log.add(severity, "duplicate-document", line, _repeated, *args)


def _repeated(case: Case, doc: bytes, query: bytes, first: int) -> Message:
    who = message("document {doc} is returned twice for query {query}", doc=printed(doc), query=printed(query))
    if case.log.numbering == "line":
        return message("{fault}, first in line {line}", fault=who, line=first)
    return message("{fault}, first in row {row}", fault=who, row=first)


@each_list
def rank_against_score(case: Case) -> Watch:
    """The rank column says another order than the scores, or the very opposite one."""
    rising, ordered, are_ranked = [], 0, False
    while (answer := (yield)) is not None:
        if answer.is_in_order():
            ordered += answer.size > 2 and not answer.is_tied()
            continue
        if answer.scores is None:
            continue
        rows, ranks = _by_rank(answer, case)
        scores = list(answer.scores) if isinstance(rows, range) else [answer.scores[i] for i in rows]
        falling = sorted(scores, reverse=True)
        ordered += len(scores) > 2 and falling[0] != falling[-1]
        if scores == falling:
            continue
        if scores == falling[::-1] and len(set(scores)) > 2:
            rising.append(answer.lines[0])
            are_ranked = are_ranked or bool(ranks)
        if ranks:
            _note_contradiction(case, answer, rows, ranks)
    if rising and len(rising) >= RISING_SHARE * ordered:
        case.log.drop("rank-order")
        tells = are_ranked or len(rising) >= LISTS_THAT_TELL
        _note_rising(case, rising, ordered, "error" if tells else "warning")


def _by_rank(answer: Answer | Rows, case: Case) -> tuple[Sequence[int], list[int]]:
    """The rows in the order of their ranks, and the rank of each row; no ranks where there are none."""
    rows, scores, texts = range(answer.size), answer.scores, answer.ranks
    if texts is None or scores is None:
        return rows, []
    try:
        ranks = list(map(int, texts))
    except ValueError:
        case.log.add("note", "rank-no-number", answer.lines[0], _not_whole, answer.query, unit="query")
        return rows, []
    if ranks == sorted(ranks) and len(set(ranks)) == len(ranks):
        return rows, ranks
    return sorted(rows, key=lambda i: (ranks[i], -scores[i])), ranks


def _not_whole(query: bytes) -> Message:
    return message("the ranks of query {query} are no whole numbers; nothing reads them", query=printed(query))


def _note_contradiction(case: Case, answer: Answer | Rows, rows: Sequence[int], ranks: list[int]) -> None:
    scores = answer.scores
    assert scores is not None
    worse = [(answer.lines[b], a, b) for a, b in pairwise(rows) if scores[b] > scores[a]]
    line, a, b = min(worse)
    case.log.add("warning", "rank-order", line, _contradicted, ranks, scores, a, b, unit="query")


def _contradicted(ranks: Sequence[int], scores: Sequence[float], a: int, b: int) -> Message:
    return message(
        "rank {better:,} has the score {higher!r}, better than {lower!r} at rank {worse:,}: "
        "the scores decide, not the rank column",
        better=ranks[b],
        higher=scores[b],
        lower=scores[a],
        worse=ranks[a],
    )


def _note_rising(case: Case, rising: list[int], ordered: int, severity: Severity) -> None:
    fault = message(
        "scores rise (or ranks fall) from the first to the last result in {n:,} of {queries:,} queries, so that "
        "the last counts as best: if the scores are distances, negate them; if the ranks are scores, name their "
        "column score",
        n=len(rising),
        queries=ordered,
    )
    case.log.once(severity, "rising-scores", fault, rising[0], len(rising))


@each_list
def equal_scores(case: Case) -> Watch:
    """All documents of a query have one and the same score, and only their ids order them."""
    while (answer := (yield)) is not None:
        if case.rules.ties != "input" and answer.is_tied():
            args = answer.size, answer.query, answer.scores[0]
            case.log.add("warning", "equal-scores", answer.lines[0], _equal, *args, unit="query")


def _equal(n: int, query: bytes, score: float) -> Message:
    return message(
        "all {n:,} documents of query {query} have the score {score!r}: their order says nothing",
        n=n,
        query=printed(query),
        score=score,
    )


@each_answer
def returned_self(case: Case) -> Watch:
    """A query is returned as its own result."""
    found, queries = [], 0
    while (answer := (yield)) is not None:
        queries += 1
        if (row := answer.find(answer.query)) >= 0:
            found.append((answer.query, answer.lines[row]))
    if found and case.rules.self_match == "keep":
        note_self(case, len(found), queries, *found[0], message("returns"))


@each_answer
def tags(case: Case) -> Watch:
    """The lines of one run carry different tags."""
    first: bytes | None = None
    while (answer := (yield)) is not None:
        if first is None and answer.tags is not None:
            first = answer.tags[0]
        if first is not None and (row := answer.other_tag(first)) >= 0:
            case.log.add("warning", "tags", answer.lines[row], _two_tags, answer.tags[row], first, unit="query")


def _two_tags(tag: bytes, before: bytes) -> Message:
    return message(
        "the tag is {tag}, but {before} before: are these two runs in one file?",
        tag=printed(tag),
        before=printed(before),
    )
