"""A contest's own reading of a submission: each line counts, however often its query is answered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from truerank.core.ids import starts_of, stretches
from truerank.core.qrels import Ints, Qrels
from truerank.core.rankings import rankings
from truerank.core.rules import Rules
from truerank.core.run import Batch, Ranked, Run
from truerank.core.scan import Scan, scan


def scan_lines(qrels: Qrels, run: Run, rules: Rules, threads: int | None, keep: int) -> tuple[Qrels, Scan]:
    """The judgements of each line of a run whose query is judged, in the run's order, and what the kernel found.

    The arguments are those of `scan`. In the qrels that are returned a query stands once for each of its lines.
    """
    lines = list(rankings(run.whole().batches()))
    place = {query: number for number, query in enumerate(qrels.queries)}
    judged = [number for number, line in enumerate(lines) if line.query in place]
    of_lines = _selected(qrels, [place[lines[number].query] for number in judged])
    # the kernel takes a query that is answered again for one that is scattered; a line's number is its own
    numbered = replace(of_lines, queries=[_key(number) for number in judged])
    scanned = scan(_numbered(run, lines), numbered.judged, rules, threads, keep)
    owner = {_key(number): line.query for number, line in enumerate(lines)}
    return of_lines, scanned._replace(extra=tuple(owner[key] for key in scanned.extra))


def _key(number: int) -> bytes:
    return b"line %d" % (number + 1)


def _numbered(run: Run, lines: Sequence[Ranked]) -> Run:
    """The run with a query of its own for each line."""

    def batches() -> Iterator[Batch]:
        for number, line in enumerate(lines):
            yield line._replace(query=_key(number))

    return Run(run.name, batches)


def _selected(qrels: Qrels, queries: Sequence[int]) -> Qrels:
    """The judgements of these queries, one of which may stand there several times.

    The highest grade stays that of all, whichever queries were answered.
    """
    chosen = np.array(queries, np.int64)
    rows, start = _rows(qrels.start, chosen)
    names = [qrels.queries[query] for query in queries]
    apart = {name: qrels.apart[name] for name in names if name in qrels.apart}
    place = np.repeat(np.arange(len(chosen)), np.diff(start))
    aspects = None if qrels.aspects is None else qrels.aspects.take(chosen, rows, place)
    judged = qrels.begin[rows], qrels.end[rows], qrels.text, qrels.grades[rows]
    kept: dict[str, Any] = {"highest": qrels.max_grade, "self_match": qrels.self_match}
    return Qrels(names, start, *judged, qrels.name, apart=apart, aspects=aspects, **kept)


def _rows(start: Ints, queries: Ints) -> tuple[Ints, Ints]:
    """The rows of each query's judgements, one query after another, and where each begins among them."""
    counts = start[queries + 1] - start[queries]
    return stretches(start[queries], counts)[0], starts_of(counts)
