"""Checks of one answer at a time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from truerank.analysis.lint.checks import Answer, Case, Watch, each_answer, each_list
from truerank.analysis.lint.findings import Severity
from truerank.analysis.lint.judgements import note_self

RISING_SHARE = 0.9
"""From this share of the queries on, scores that rise with the rank are distances."""


@each_list
def duplicate_document(case: Case) -> Watch:
    """A document comes back twice for a query."""
    severity: Severity = "error" if case.rules.duplicates == "error" else "warning"
    text = f"document {{}} comes back twice for query {{}}, first in {case.log.numbering} {{}}"
    while (answer := (yield)) is not None:
        if len(set(answer.docs)) == len(answer.docs):
            continue
        first: dict[bytes, int] = {}
        for i, (doc, line) in enumerate(zip(answer.docs, answer.lines, strict=True)):
            if (before := first.setdefault(doc, i)) != i:
                where = str(answer.lines[before])
                case.log.add(severity, "duplicate-document", line, text, doc, answer.query, where)


@each_list
def rank_against_score(case: Case) -> Watch:
    """The rank column says another order than the scores, or the very opposite one."""
    rising, ordered = [], 0
    while (answer := (yield)) is not None:
        if answer.scores is None:
            continue
        rows, ranks = _by_rank(answer, case)
        scores = [answer.scores[i] for i in rows]
        falling = sorted(scores, reverse=True)
        ordered += len(scores) > 2 and falling[0] != falling[-1]
        if scores == falling:
            continue
        if scores == falling[::-1] and len(set(scores)) > 2:
            rising.append(answer.lines[0])
        if ranks:
            _note_contradiction(case, answer, rows, ranks)
    if rising and len(rising) >= RISING_SHARE * ordered:
        case.log.drop("rank-order")
        _note_rising(case, rising, ordered)


def _by_rank(answer: Answer, case: Case) -> tuple[Sequence[int], list[int]]:
    """The rows in the order of their ranks, and the rank of each row; no ranks where there are none."""
    rows, scores = range(len(answer.docs)), answer.scores
    if answer.ranks is None or scores is None:
        return rows, []
    try:
        ranks = list(map(int, answer.ranks))
    except ValueError:
        text = "the ranks of query {} are no whole numbers; nothing reads them"
        case.log.add("note", "rank-no-number", answer.lines[0], text, answer.query, unit="queries")
        return rows, []
    if ranks == sorted(ranks) and len(set(ranks)) == len(ranks):
        return rows, ranks
    return sorted(rows, key=lambda i: (ranks[i], -scores[i])), ranks


def _note_contradiction(case: Case, answer: Answer, rows: Sequence[int], ranks: list[int]) -> None:
    scores = answer.scores
    assert scores is not None
    worse = [(answer.lines[b], a, b) for a, b in pairwise(rows) if scores[b] > scores[a]]
    line, a, b = min(worse)
    text = "rank {} has the score {}, better than {} at rank {}: the scores decide, not the rank column"
    args = ranks[b], repr(scores[b]), repr(scores[a]), ranks[a]
    case.log.add("warning", "rank-order", line, text, *args, unit="queries")


def _note_rising(case: Case, rising: list[int], ordered: int) -> None:
    text = "scores rise from the first to the last result in {} of {} queries; the highest counts as best: {}"
    why = "if these are distances, negate them"
    count = len(rising)
    case.log.once("error", "rising-scores", text, count, ordered, why, line=rising[0], count=count)


@each_list
def equal_scores(case: Case) -> Watch:
    """All documents of a query have one and the same score, and only their ids order them."""
    text = "all {} documents of query {} have the score {}: their order says nothing"
    while (answer := (yield)) is not None:
        scores = None if case.rules.ties == "input" else answer.scores
        if scores and scores[0] == scores[-1] and len(set(scores)) == 1:
            args = len(scores), answer.query, repr(scores[0])
            case.log.add("warning", "equal-scores", answer.lines[0], text, *args, unit="queries")


@each_answer
def returned_self(case: Case) -> Watch:
    """A query comes back as its own result."""
    found, queries = [], 0
    while (answer := (yield)) is not None:
        queries += 1
        if answer.query in answer.docs:
            found.append((answer.query, answer.lines[answer.docs.index(answer.query)]))
    if found and case.rules.self_match == "keep":
        note_self(case, len(found), queries, *found[0], "returns")


@each_answer
def tags(case: Case) -> Watch:
    """The lines of one run carry different tags."""
    first: bytes | None = None
    text = "the tag is {}, but {} before: are these two runs in one file?"
    while (answer := (yield)) is not None:
        if answer.tags is None:
            continue
        first = first or answer.tags[0]
        if answer.tags.count(first) < len(answer.tags):
            line, tag = next(pair for pair in zip(answer.lines, answer.tags, strict=True) if pair[1] != first)
            case.log.add("warning", "tags", line, text, tag, first, unit="queries")
