"""Every query, to sort, filter and open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import starmap
from typing import Any

import numpy as np

from truerank.core.errors import brief, shown
from truerank.formats.texts import SNIPPET, Snippets, look_up
from truerank.measures import Measure
from truerank.present.answers import Answers, Wanted, answers
from truerank.present.document import Block, Prose, Queries
from truerank.present.material import Material, Readable, Runs
from truerank.present.table import Table
from truerank.present.texts import Texts

VALUES = 300_000
"""Numbers in the table of queries at most."""

LISTED = 3_600_000
"""Letters and digits in all lists at most, before they are packed."""

SCORE = 8
"""Letters and digits that a result takes beside its document's id."""

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


def blocks(material: Material, texts: Texts) -> Iterator[Block]:
    """What can be clicked, and a short table for where nothing can."""
    if material.runs is None:
        return
    yield Prose((texts("per query lead"),), is_for_page=True)
    yield made(material.runs, material.results, texts, material.readable)


def made(runs: Runs, depth: int, texts: Texts, readable: Readable = Readable()) -> Queries:  # noqa: B008
    """As many queries, measures and results as make a page of a few megabytes."""
    everything = runs.comparison.queries
    order = most_differing(runs)
    kept = sorted(order[: VALUES // len(runs.systems)])
    queries = [everything[q] for q in kept]
    measures = dict(list(runs.called.items())[: max(1, VALUES // (len(kept) * len(runs.systems)))])
    values = {name: runs.values(measure)[kept] for name, measure in measures.items()}
    found, notes = (None, [texts("left lines")] if runs.counted == "lines" else [])
    if depth and runs.counted == "queries":
        found, notes = _answers(runs, depth, order, queries, measures, texts)
    if len(kept) < len(everything):
        notes.insert(0, texts("left queries", kept=len(kept), all=len(everything)))
    if len(measures) < len(runs.measures):
        size = texts("queries", n=len(kept))
        notes.insert(0, texts("left measures", kept=len(measures), all=len(runs.measures), queries=size))
    said = _query_texts(everything, order, readable, texts)
    found, told = _with_texts(found, readable, texts)
    return Queries(
        texts("all queries"),
        tuple(map(shown, queries)),
        tuple(map(shown, runs.names)),
        runs.reference,
        values,
        found,
        differing(runs, order, texts, said.queries),
        (*notes, *map(texts.said, said.notes), *told),
        tuple(said.queries.get(query, "") for query in queries) if said.queries else (),
        runs.digits,
    )


def _query_texts(queries: Sequence[str], order: Sequence[int], readable: Readable, texts: Texts) -> Snippets:
    """The texts of as many queries as there is room for, those first that differ most."""
    length = max(SHORT, min(SNIPPET, QUERY_TEXTS // max(1, len(order))))
    wanted = [queries[q] for q in order[: QUERY_TEXTS // length]]
    return look_up(readable.queries, None, wanted, [], length)


def _with_texts(found: Answers | None, readable: Readable, texts: Texts) -> tuple[Answers | None, list[str]]:
    """The answers with as many texts of documents as there is room for, and what is said of that."""
    if found is None or readable.docs is None:
        return found, []
    length = max(SHORT, min(SNIPPET, DOC_TEXTS // max(1, len(found.ids))))
    wanted = [found.ids[place] for place in found.shown_first()[: DOC_TEXTS // length]]
    read = look_up(None, readable.docs, [], wanted, length)
    notes = [texts.said(note) for note in read.notes]
    if len(wanted) < len(found.ids):
        notes.append(texts("left texts", kept=len(wanted), all=len(found.ids)))
    return replace(found, texts=tuple(read.docs.get(doc, "") for doc in found.ids) if read.docs else ()), notes


def most_differing(runs: Runs) -> list[int]:
    """The queries, those first on which the first measure differs most; of one system the worst first."""
    values = runs.values(runs.first)
    apart = values.max(axis=1) - values.min(axis=1) if values.shape[1] > 1 else -values[:, 0]
    order: list[int] = np.argsort(-apart, kind="stable").tolist()
    return order


def differing(runs: Runs, order: Sequence[int], texts: Texts, read: Mapping[str, str]) -> Table:
    """The first of these queries by the first measure."""
    values = runs.values(runs.first)
    spread = len(runs.systems) > 1
    rows = []
    for q in order[:DIFFERING]:
        row, query = values[q].tolist(), runs.comparison.queries[q]
        text = [brief(read.get(query, ""))] if read else []
        rows.append((shown(query), *text, *row, *([max(row) - min(row)] if spread else [])))
    columns = ("query", *(["text"] if read else []), *map(shown, runs.names), *(["spread"] if spread else []))
    title = texts("differing" if spread else "worst", measure=runs.leading)
    return texts.table(Table(columns, tuple(rows), title=title, digits=runs.digits))


def _told(worked: Mapping[str, Any], texts: Texts) -> dict[str, Any]:
    """The arithmetic with the words in it in the language of the page."""

    def term(rank: int, doc: str, how: str, value: float) -> list[Any]:
        return [rank, doc, texts.said(how) if ", as " in how else how, value]

    def line(name: str, how: str, value: float) -> list[Any]:
        return [texts.said(name), texts.said(how), value]

    def told(steps: Any) -> Any:
        return steps and [list(starmap(term, steps[0])), list(starmap(line, steps[1]))]

    return {name: [list(map(told, column)) for column in systems] for name, systems in worked.items()}


def _answers(
    runs: Runs,
    depth: int,
    order: Sequence[int],
    queries: Sequence[str],
    measures: Mapping[str, Measure],
    texts: Texts,
) -> tuple[Answers, list[str]]:
    """What is shown of each query when it is opened, and what is not."""
    all_queries, systems = runs.comparison.queries, len(runs.systems)
    room = int(LISTED / (SCORE + len(runs.qrels.text) / max(1, len(runs.qrels.grades))))
    k = max(min(depth, room // (len(queries) * systems)), min(depth, SHORTEST))
    listed = [all_queries[q] for q in order[: room // (k * systems)]]
    worked = [all_queries[q] for q in order[: WORKED // (len(measures) * systems)]]
    kept = {query: place for place, query in enumerate(all_queries)}
    rows = [kept[query] for query in queries]
    values = {name: runs.fractions(measure)[rows] for name, measure in measures.items()}
    wanted = Wanted(k, frozenset(listed), frozenset(worked))
    found = answers(runs.qrels, runs.systems, values, queries, measures, runs.rules, wanted)
    found = replace(found, worked=_told(found.worked, texts))
    notes = [texts("left depth", k=k)]
    if len(listed) < len(all_queries):
        notes.append(texts("left lists", kept=len(listed), all=len(all_queries)))
    if len(worked) < len(all_queries):
        notes.append(texts("left worked", kept=len(worked), all=len(all_queries)))
    return found, notes
