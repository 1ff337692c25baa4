"""Ranking: pairs and scores in; out comes the table that the kernel makes of a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank.qrels import Ints
from truerank.run import Scan
from truerank.vectors.blocks import Scorer, Source
from truerank.vectors.counting import find
from truerank.vectors.pairs import Pairs

Look = Callable[[Ints, Any, Ints, Ints], None]
"""Told each block: the rows of its queries, their scores without what is ignored, and its pairs (row, column)."""

ROW = np.dtype([*((name, np.int64) for name in ("query", "doc", "rank", "first", "last")), ("score", np.float64)])


def scan(pairs: Pairs, source: Source, score: Scorer, width: int, look: Look) -> Scan:
    """Where the judged entries stand among the `width` ones that the scorer is over."""
    returned = np.full(len(pairs.row), -1, np.int64)
    tables = [np.empty(0, ROW)]
    for queries in _blocks(pairs, max(1, source.most // (width * source.size))):
        judged, place, ignored = _judged(pairs, queries)
        rows = pairs.row[queries]
        block = score(rows)
        found = find(block, place, pairs.column[judged], ignored)
        look(rows, block, place, pairs.column[judged])
        table = np.empty(len(judged), ROW)
        table["query"], table["doc"] = pairs.qrels.query[judged], judged
        table["first"], table["last"] = found.better + 1, found.better + found.tied
        table["rank"], table["score"] = found.better + found.before + 1, source.final(found.score, rows[place])
        tables.append(table[np.lexsort((table["rank"], place))])
        returned[queries] = width - np.bincount(ignored[0], minlength=len(queries))
    return Scan(np.concatenate(tables), returned, pairs.extra, int(returned[returned > 0].sum()), 0)


def _blocks(pairs: Pairs, most: int) -> list[NDArray[np.int64]]:
    """The queries that have scores, at most so many together, and about as many each time."""
    queries = np.flatnonzero(pairs.row >= 0)
    return np.array_split(queries, -(-len(queries) // most)) if len(queries) else []


def _judged(pairs: Pairs, queries: Ints) -> tuple[Ints, Ints, tuple[Ints, Ints]]:
    """The judgements of these queries that can be found, the row of each in the block, and the pairs to ignore."""
    start = pairs.qrels.start
    judged = np.arange(start[queries[0]], start[queries[-1] + 1])
    query, column = pairs.qrels.query[judged], pairs.column[judged]
    place = np.searchsorted(queries, query)
    is_there = (column >= 0) & (queries[place] == query)
    is_ignored = pairs.ignored[judged]
    gone, kept = is_there & is_ignored, is_there & ~is_ignored
    return judged[kept], place[kept], (place[gone], column[gone])
