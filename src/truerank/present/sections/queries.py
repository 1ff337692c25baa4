"""Every query, to sort, filter and open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from truerank.analysis.compare.outcome import direction
from truerank.core.equal import as_one
from truerank.core.errors import printable, truncated
from truerank.core.messages import message
from truerank.formats.texts import SNIPPET, Snippets, locate
from truerank.measures import Measure
from truerank.present import ledger
from truerank.present.answers import ShownAnswers, Wanted, answers
from truerank.present.data import Readable, ReportData, Runs
from truerank.present.document import Block, Heading, Prose, Queries
from truerank.present.sections import differences
from truerank.present.table import Table, number

VALUES = 300_000
"""Numbers in the table of queries at most."""

LISTED = 3_600_000
"""Letters and digits in all lists at most, before they are packed."""

BETWEEN = 2
"""Letters and digits that a result takes beside its score and its document's id."""

SCORES = 1_000
"""Scores of a system by which it is told how long they are."""

SHORTEST = 5
"""A list is cut to this before whole lists are left out."""

QUERY_TEXTS, DOC_TEXTS = 300_000, 1_000_000
"""Letters of the texts of queries and of documents at most."""

SHORT = 60
"""A text is cut to this before whole ones are left out."""

WORKED = 4_000
"""How often a measure is worked out."""

DIFFERING = 20
"""Queries in a table that cannot be paged."""


CLICK = Prose(
    (
        message(
            "Click a query to see what each system returned, which documents are relevant, and how "
            "its score is computed."
        ),
    ),
    is_for_page=True,
)


def blocks(data: ReportData) -> Iterator[Block]:
    """The picture of the differences, the interactive table, and a short one for formats without interaction."""
    if data.runs is None:
        return
    yield Heading(message("Per-query results"), "queries")
    if len(data.runs.systems) > 1 and data.runs.comparison.outcomes[0].queries:
        yield differences.figure(data.runs)
    queries = made(data.runs, data.results, data.readable)
    if queries.answers is not None:
        yield CLICK
    yield queries


def made(runs: Runs, depth: int, readable: Readable = Readable()) -> Queries:  # noqa: B008
    """The queries, with as many of them, of measures and of results as fit a page of a few megabytes."""
    everything = runs.comparison.queries
    order = most_differing(runs)
    kept = sorted(order[: VALUES // len(runs.systems)])
    queries = [everything[q] for q in kept]
    measures = dict(list(runs.of_queries.items())[: max(1, VALUES // (len(kept) * len(runs.systems)))])
    values = {name: runs.values(measure)[kept] for name, measure in measures.items()}
    answers: ShownAnswers | None = None
    notes: list[str] = []
    if runs.is_by_line:
        notes = [message("Under these rules the mean is over submitted lines; result lists are not shown.")]
    elif depth:
        answers, notes = _answers(runs, depth, _most_results(runs, readable), order, queries, measures)
    if len(kept) < len(everything):
        notes.insert(
            0,
            message(
                "The table shows the {kept:,} of {all:,} queries that differ most; more would make this "
                "page too large.",
                kept=len(kept),
                all=len(everything),
            ),
        )
    if len(measures) < len(runs.of_queries):
        size = ledger.queries(len(kept))
        notes.insert(
            0,
            message(
                "The table shows {kept} of {all} measures: with {queries}, more would make this page too large.",
                kept=len(measures),
                all=len(runs.of_queries),
                queries=size,
            ),
        )
    said = _query_texts(everything, order, readable)
    answers, sentences = _with_texts(answers, readable)
    return Queries(
        message("All queries"),
        tuple(map(printable, queries)),
        tuple(map(printable, runs.names)),
        runs.reference,
        values,
        {name: direction(measure) for name, measure in measures.items()},
        answers,
        differing(runs, order, said.queries),
        (*notes, *said.notes, *sentences),
        tuple(said.queries.get(query, "") for query in queries) if said.queries else (),
        runs.digits,
    )


def _query_texts(queries: Sequence[str], order: Sequence[int], readable: Readable) -> Snippets:
    """The texts of as many queries as there is room for, starting with those that differ most."""
    length = max(SHORT, min(SNIPPET, QUERY_TEXTS // max(1, len(order))))
    wanted = [queries[q] for q in order[: QUERY_TEXTS // length]]
    return locate(readable.queries, None, wanted, [], length)


def _with_texts(answers: ShownAnswers | None, readable: Readable) -> tuple[ShownAnswers | None, list[str]]:
    """The answers with as many texts of documents as there is room for, and notes on that."""
    if answers is None or readable.docs is None:
        return answers, []
    length = max(SHORT, min(SNIPPET, DOC_TEXTS // max(1, len(answers.ids))))
    wanted = [answers.ids[place] for place in answers.shown_first()[: DOC_TEXTS // length]]
    read = locate(None, readable.docs, [], wanted, length)
    notes = list(read.notes)
    if len(wanted) < len(answers.ids):
        notes.append(
            message(
                "Texts of {kept:,} of the {all:,} documents are on this page, those first that stand "
                "high in a list.",
                kept=len(wanted),
                all=len(answers.ids),
            )
        )
    return replace(answers, texts=tuple(read.docs.get(doc, "") for doc in answers.ids) if read.docs else ()), notes


def most_differing(runs: Runs) -> list[int]:
    """The queries, first those on which the first measure differs most; for one system the worst first."""
    values = runs.values(runs.first)
    worst = values[:, 0] * -(direction(runs.first) or 1)
    apart = values.max(axis=1) - values.min(axis=1) if values.shape[1] > 1 else worst
    order: list[int] = np.argsort(-as_one(apart), kind="stable").tolist()
    return order


def differing(runs: Runs, order: Sequence[int], read: Mapping[str, str]) -> Table:
    """The first of these queries by the first measure."""
    values = runs.values(runs.first)
    spread, is_count = len(runs.systems) > 1, not direction(runs.first)
    rows = []
    for q in order[:DIFFERING]:
        row, query = values[q], runs.comparison.queries[q]
        text = [truncated(read.get(query, ""))] if read else []
        shown = [*row.tolist(), *([float(np.ptp(row))] if spread else [])]
        rows.append((printable(query), *text, *(number(value, is_count=is_count) for value in shown)))
    columns = (
        message("query"),
        *([message("text")] if read else []),
        *map(printable, runs.names),
        *([message("spread")] if spread else []),
    )
    return Table(columns, tuple(rows), title=_worst(runs, spread), digits=runs.digits)


def _worst(runs: Runs, spread: bool) -> str:
    """The description of the first queries in that order."""
    if spread:
        return message("Queries where {measure} differs most", measure=runs.leading)
    if direction(runs.first) < 0:
        return message("Queries where {measure} is highest", measure=runs.leading)
    return message("Queries where {measure} is lowest", measure=runs.leading)


def _most_results(runs: Runs, readable: Readable) -> int:
    """How many results all lists may have together; less where texts, which compress to half, take up room too."""
    some = [score for system in runs.systems for score in system.reading.rows.score[:SCORES].tolist()]
    score = sum(len(repr(each)) for each in some) / max(1, len(some))
    doc = len(runs.qrels.text) / max(1, len(runs.qrels.grades))
    texts = QUERY_TEXTS * (readable.queries is not None) + DOC_TEXTS * (readable.docs is not None)
    return int((LISTED - texts / 2) / (BETWEEN + score + doc))


def _answers(
    runs: Runs,
    depth: int,
    most: int,
    order: Sequence[int],
    queries: Sequence[str],
    measures: Mapping[str, Measure],
) -> tuple[ShownAnswers, list[str]]:
    """What is shown of each query when it is opened, and notes on what is left out.

    Args:
        depth: the most results of a list.
        most: the most results of all lists together.
    """
    all_queries, systems = runs.comparison.queries, len(runs.systems)
    k = max(min(depth, most // (len(queries) * systems)), min(depth, SHORTEST))
    listed = [all_queries[q] for q in order[: most // (k * systems)]]
    worked = [all_queries[q] for q in order[: WORKED // (len(measures) * systems)]]
    kept = {query: place for place, query in enumerate(all_queries)}
    rows = [kept[query] for query in queries]
    values = {name: runs.fractions(measure)[rows] for name, measure in measures.items()}
    wanted = Wanted(k, frozenset(listed), frozenset(worked))
    shown = answers(runs.qrels, runs.systems, values, queries, measures, runs.rules, wanted)
    notes: list[str] = [message("This page includes the first {k} results of each list.", k=k)]
    if len(listed) < len(all_queries):
        notes.append(
            message(
                "Result lists are included for the {kept:,} of {all:,} queries that differ most.",
                kept=len(listed),
                all=len(all_queries),
            )
        )
    if len(worked) < len(all_queries):
        notes.append(
            message(
                "The computation is included for the {kept:,} of {all:,} queries that differ most; for "
                "any other: truerank explain.",
                kept=len(worked),
                all=len(all_queries),
            )
        )
    return shown, notes
