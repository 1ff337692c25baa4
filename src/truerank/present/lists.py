"""The beginnings of ranked lists, judged or not, in the engine's own order."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from truerank.analysis.explain.query import lenient
from truerank.core.everything import ranked_rows, scan_all, with_all
from truerank.core.qrels import Qrels
from truerank.core.rankings import rankings
from truerank.core.rules import Rules
from truerank.core.run import Ranked, Run

Judged = Mapping[bytes, Mapping[bytes, float]]

ROWS = 200_000
"""Rows of lists that are ranked at once."""

SPARE = 64
"""How many results more than are shown are looked at, before the rules leave some out."""


@dataclass(frozen=True)
class Listed:
    """The beginning of one list.

    Attributes:
        docs: as they are ranked: the first one has rank 1.
        scores: the system's.
    """

    docs: tuple[bytes, ...]
    scores: tuple[float, ...]


def beginnings(run: Run, qrels: Qrels, rules: Rules, k: int, wanted: Collection[bytes]) -> dict[bytes, Listed]:
    """The first k results of each wanted query in the engine's own order.

    Args:
        qrels: as the rules have them.
    """
    judged = qrels.to_dict()
    parts = {part.query: part for part in _whole(run) if part.query in wanted}
    found: dict[bytes, Listed] = {}
    for chunk in _chunks(_cut(part, judged.get(part.query, {}), rules, k) for part in parts.values()):
        found |= _ranked(chunk, judged, rules, k)
    return found


def _whole(run: Run) -> Iterator[Ranked]:
    """Each query's results together, even where they are scattered over the run."""
    parts: dict[bytes, Ranked] = {}
    for part in rankings(run.batches(), run.name):
        before = parts.get(part.query)
        parts[part.query] = part if before is None else _joined(before, part)
    yield from parts.values()


def _joined(first: Ranked, second: Ranked) -> Ranked:
    return Ranked(first.query, [*first.docs, *second.docs], [*first.numbers(), *second.numbers()])


def _cut(part: Ranked, judged: Mapping[bytes, float], rules: Rules, k: int) -> Ranked:
    """The results that can be among the first k: those at the top, and all that are tied with the last of them.

    Repeated documents and unjudged ones that leave the list are rare enough to take lists with them whole.
    """
    enough = k + SPARE + len(judged)
    if len(part.docs) <= enough or rules.unjudged == "removed" or len(set(part.docs)) < len(part.docs):
        return part
    scores = np.array(part.numbers())
    compared = scores.astype(np.float32) if rules.score_precision == "single" else scores
    rows = np.flatnonzero(compared >= np.partition(compared, -enough)[-enough]).tolist()
    return Ranked(part.query, [part.docs[row] for row in rows], scores[rows].tolist())


def _chunks(parts: Iterator[Ranked]) -> Iterator[list[Ranked]]:
    chunk: list[Ranked] = []
    size = 0
    for part in parts:
        chunk.append(part)
        size += len(part.docs)
        if size >= ROWS:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _ranked(parts: Sequence[Ranked], judged: Judged, rules: Rules, k: int) -> dict[bytes, Listed]:
    everything = with_all({part.query: judged.get(part.query, {}) for part in parts}, parts)
    found = scan_all(Run("lists", lambda: iter(parts)), everything, rules)
    hits, rows = ranked_rows(everything, found, lenient(rules), "lists")
    docs = list(map(everything.doc, rows[hits.rank <= k].tolist()))
    top = hits.top(k)
    scores, ends = top.score.tolist(), np.cumsum(top.count).tolist()
    return {
        query: Listed(tuple(docs[begin:end]), tuple(scores[begin:end]))
        for query, begin, end in zip(top.queries, [0, *ends], ends, strict=False)
    }
