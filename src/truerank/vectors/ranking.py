"""Ranking: pairs and scores in; out comes the table that the kernel makes of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank.core.kernel.scanning import HIT
from truerank.core.qrels import Ints
from truerank.core.scan import Scan
from truerank.vectors.pairs import JudgedPairs
from truerank.vectors.placed import Placed, find
from truerank.vectors.source import READY, BlockSource, Scorer

Look = Callable[[Ints, Any, Ints, Ints], None]
"""Told each block, by any thread: the rows of its queries, their scores without what is ignored, and its pairs
(row, column)."""

Ranked = tuple[NDArray[Any], Ints]
"""The rows of a block's judged entries, and (queries,) how many were ignored."""


def scan(pairs: JudgedPairs, source: BlockSource, score: Scorer, width: int, look: Look) -> Scan:
    """Where the judged entries stand among the `width` ones that `score` is over."""
    blocks = _blocks(pairs, source, width)
    ranked = _each(lambda queries: _ranked(pairs, source, score, queries, look), blocks, source)
    returned = np.full(len(pairs.row), -1, np.int64)
    for queries, (_, ignored) in zip(blocks, ranked, strict=True):
        returned[queries] = width - ignored
    return Scan([table for table, _ in ranked], returned, pairs.extra, int(returned[returned > 0].sum()))


def _each(work: Callable[[Ints], Ranked], blocks: Sequence[Ints], source: BlockSource) -> list[Ranked]:
    """The work done on each block, in their order."""
    threads = min(source.threads, len(blocks))
    if threads < 2:
        return [work(block) for block in blocks]
    with source.together, ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, blocks))


def _ranked(pairs: JudgedPairs, source: BlockSource, score: Scorer, queries: Ints, look: Look) -> Ranked:
    judged, place, ignored = _judged(pairs, queries)
    rows = pairs.row[queries]
    block = score(rows)
    placed = _find(block, place, pairs.column[judged], ignored)
    look(rows, block, place, pairs.column[judged])
    table = np.empty(len(judged), HIT)
    table["query"], table["doc"] = pairs.qrels.query[judged], judged
    table["first"], table["last"] = placed.better + 1, placed.better + placed.tied
    table["rank"], table["score"] = placed.better + placed.before + 1, source.final(placed.score, rows[place])
    order = np.argsort(place * (block.shape[1] + 1) + table["rank"])  # no two of a query have one rank
    return table[order], np.bincount(ignored[0], minlength=len(queries))


def _find(block: Any, row: Ints, column: Ints, ignored: tuple[Ints, Ints]) -> Placed:
    """Where the entries of a block stand, counted where the block is: by the kernel, or on the device."""
    if isinstance(block, np.ndarray):
        return find(block, row, column, ignored)
    from truerank.vectors import tensors

    return tensors.find(block, row, column, ignored)


def _blocks(pairs: JudgedPairs, source: BlockSource, width: int) -> list[NDArray[np.int64]]:
    """The queries that have scores, in blocks of about as many; at least one a thread that is worth beginning."""
    queries = np.flatnonzero(pairs.row >= 0)
    size = len(queries) * width * source.size
    rows = max(1, source.most // (width * source.size))
    count = max(-(-len(queries) // rows), min(source.threads, size // READY, len(queries)))
    return np.array_split(queries, count) if count else []


def _judged(pairs: JudgedPairs, queries: Ints) -> tuple[Ints, Ints, tuple[Ints, Ints]]:
    """The judgements of these queries that can be found, the row of each in the block, and the pairs to ignore."""
    start = pairs.qrels.start
    judged = np.arange(start[queries[0]], start[queries[-1] + 1])
    query, column = pairs.qrels.query[judged], pairs.column[judged]
    place = np.searchsorted(queries, query)
    is_there = (column >= 0) & (queries[place] == query)
    is_ignored = pairs.ignored[judged]
    gone, kept = is_there & is_ignored, is_there & ~is_ignored
    return judged[kept], place[kept], (place[gone], column[gone])
