"""Checks of a whole run: which queries it answers, and with how many documents."""

from __future__ import annotations

from collections import Counter

from truerank.analysis.lint.checks import Case, Watch, each_answer

USUAL = 0.5
"""A number of results is expected of all queries when more than this share of them have it."""


@each_answer
def queries(case: Case) -> Watch:
    """Judged queries that are not answered, and answered ones that are not judged."""
    log, unanswered = case.log, dict.fromkeys(case.judged)
    extra = []
    while (answer := (yield)) is not None:
        unanswered.pop(answer.query, None)
        if answer.query not in case.judged:
            extra.append(answer.query)
    if not case.judged:
        return
    if len(unanswered) == len(case.judged):
        text = "no query of the run is judged: it answers {}, but {} is judged"
        log.once("error", "no-judged-query", text, extra[0], next(iter(unanswered)), count=len(extra))
        return
    if unanswered:
        text = "{} of {} judged queries not answered ({})"
        args = len(unanswered), len(case.judged), _missing_means(case)
        log.once(
            "error" if case.rules.missing == "error" else "warning",
            "missing-queries",
            text,
            *args,
            examples=list(unanswered),
        )
    if extra:
        text = "{} of the answered queries not judged ({})"
        log.once(
            "error" if case.rules.extra == "error" else "note",
            "extra-queries",
            text,
            len(extra),
            _extra_means(case),
            examples=extra,
        )


def _missing_means(case: Case) -> str:
    out = "left out of the mean"
    means = {"zero": "scored 0", "skip": out, "error": "refused"}
    return means[case.rules.missing]


def _extra_means(case: Case) -> str:
    return {"skip": "left out", "error": "refused"}[case.rules.extra]


@each_answer
def depth(case: Case) -> Watch:
    """Queries with fewer, or more, results than the others."""
    counts: Counter[int] = Counter()
    first: dict[int, tuple[bytes, int]] = {}
    while (answer := (yield)) is not None:
        size = len(answer.docs)
        counts[size] += 1
        if counts[size] == 1:
            first[size] = answer.query, answer.lines[0]
    usual, queries = max(counts.items(), key=lambda item: (item[1], item[0]), default=(0, 0))
    if queries <= USUAL * counts.total():
        return
    fewer = {size: count for size, count in counts.items() if size < usual}
    more = {size: count for size, count in counts.items() if size > usual}
    for kind, word, sizes, extreme in (("shallow", "fewer", fewer, min), ("deep", "more", more, max)):
        if sizes:
            size = extreme(sizes)
            query, line = first[size]
            text = "{} of {} queries have {} results than the usual {}; {} has {}"
            args = sum(sizes.values()), counts.total(), word, usual, query, size
            case.log.once("note", kind, text, *args, line=line, count=args[0])
