"""Checks of a whole run: which queries it answers, and with how many documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from truerank.analysis.lint.checks import Case, Watch, each_answer, first_line
from truerank.analysis.lint.findings import Severity, printed
from truerank.core.messages import Message, message
from truerank.core.reading import Reading

USUAL = 0.5
"""A number of results is expected of all queries when more than this share of them have it."""


@each_answer
def queries(case: Case) -> Watch:
    """Judged queries that are not answered, and answered ones that are not judged."""
    unanswered = dict.fromkeys(case.judged)
    extra = []
    while (answer := (yield)) is not None:
        if answer.size or case.rules.empty == "answered":
            unanswered.pop(answer.query, None)
        if answer.query not in case.judged:
            extra.append(answer.query)
    note_queries(case, list(unanswered), extra)


def note_queries(case: Case, unanswered: Sequence[bytes], extra: Sequence[bytes]) -> None:
    """The judged queries that are not answered, and the answered ones that are not judged."""
    log = case.log
    if not case.judged:
        return
    if len(unanswered) == len(case.judged) and extra:
        other = printed(unanswered[0])
        fault = message(
            "no query of the run is judged: it answers {query}, but {other} is judged",
            query=printed(extra[0]),
            other=other,
        )
        log.once("error", "no-judged-query", fault, count=len(extra))
        return
    if unanswered:
        fault = message(
            "{n:,} of {queries:,} judged queries not answered ({effect})",
            n=len(unanswered),
            queries=len(case.judged),
            effect=MISSING[case.rules.missing],
        )
        severity: Severity = "error" if case.rules.missing == "error" else "warning"
        log.once(severity, "missing-queries", fault, examples=unanswered)
    if extra:
        fault = message(
            "{n:,} of the answered queries not judged ({effect})", n=len(extra), effect=EXTRA[case.rules.extra]
        )
        log.once("error" if case.rules.extra == "error" else "note", "extra-queries", fault, examples=extra)


MISSING = {
    "zero": message("scored 0"),
    "skip": message("left out of the mean"),
    "error": message("refused"),
}
"""What becomes of judged queries that are not answered."""

EXTRA = {"skip": message("left out"), "error": message("refused")}
"""What becomes of answered queries that are not judged."""


@each_answer
def depth(case: Case) -> Watch:
    """Queries with fewer, or more, results than the others."""
    counts: Counter[int] = Counter()
    first: dict[int, tuple[bytes, int | None]] = {}
    while (answer := (yield)) is not None:
        size = answer.size
        if not size and case.rules.empty == "missing":
            continue
        counts[size] += 1
        if counts[size] == 1:
            first[size] = answer.query, first_line(answer)
    note_depths(case, counts, first)


def note_depths(case: Case, counts: Counter[int], first: Mapping[int, tuple[bytes, int | None]]) -> None:
    """How many queries have fewer, or more, results than is usual.

    Args:
        counts: of each number of results, how many queries have it.
        first: the first query that has it, and its line.
    """
    usual, queries = max(counts.items(), key=lambda item: (item[1], item[0]), default=(0, 0))
    if queries <= USUAL * counts.total():
        return
    fewer = {size: count for size, count in counts.items() if size < usual}
    more = {size: count for size, count in counts.items() if size > usual}
    for kind, sizes, extreme in (("shallow", fewer, min), ("deep", more, max)):
        if sizes:
            size = extreme(sizes)
            query, line = first[size]
            n, amounts = sum(sizes.values()), {"usual": usual, "query": printed(query), "size": size}
            case.log.once("note", kind, DEPTHS[kind](n, counts.total(), amounts), line, n)


def of_reading(case: Case, reading: Reading) -> None:
    """`queries` and `depth` for a run that was read before: the lengths of unjudged queries' lists are unknown."""
    rows = reading.rows
    answered = {query: size for query, size in zip(rows.queries, rows.returned.tolist(), strict=True) if size >= 0}
    note_queries(case, [query for query in case.judged if query not in answered], reading.extra)
    first: dict[int, tuple[bytes, int | None]] = {}
    for query, size in answered.items():
        first.setdefault(size, (query, None))
    note_depths(case, Counter(answered.values()), first)


DEPTHS: dict[str, Callable[[int, int, dict[str, Any]], Message]] = {
    "shallow": lambda n, queries, values: message(
        "{n:,} of {queries:,} queries have fewer results than the usual {usual:,}; {query} has {size:,}",
        n=n,
        queries=queries,
        **values,
    ),
    "deep": lambda n, queries, values: message(
        "{n:,} of {queries:,} queries have more results than the usual {usual:,}; {query} has {size:,}",
        n=n,
        queries=queries,
        **values,
    ),
}
