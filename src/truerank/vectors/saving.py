"""Saving: the first results of each query, kept while they are ranked, as a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from truerank.core.errors import RulesError
from truerank.core.kernel.scanning import as_text
from truerank.core.qrels import Floats, Ints
from truerank.core.run import Ranked, Run
from truerank.vectors.sides import Side

DEPTH = 1000
"""Results of a query that are saved when nothing else is said."""


class FirstResults:
    """The first results of the queries that were ranked.

    Attributes:
        depth: how many of each.
    """

    def __init__(self, depth: int = DEPTH):
        if isinstance(depth, bool) or not isinstance(depth, int) or depth < 1:
            raise RulesError("save_depth is a positive whole number, not {depth!r}", depth=depth)
        self.depth = depth
        self._kept: dict[int, tuple[Ints, Floats]] = {}

    def look(self, rows: Ints, block: Any, final: Callable[[Any, Ints], Floats]) -> None:
        """Keep the best entries of these rows of queries; what is ignored has no finite score."""
        for row, scores in zip(rows.tolist(), block, strict=True):
            best = _best(scores, self.depth)
            self._kept[row] = best, final(scores[best], np.full(len(best), row))

    def run(self, queries: Side, gallery: Side, name: str) -> Run:
        """The first results as a run, the queries in their order."""

        def ranked() -> Iterator[Ranked]:
            for row, (best, scores) in sorted(self._kept.items(), key=lambda kept: kept[0]):
                docs = [as_text(gallery.ids[place]) for place in best.tolist()]
                yield Ranked(as_text(queries.ids[row]), docs, scores.tolist())

        return Run(name, ranked)


def _best(scores: Any, most: int) -> Ints:
    """The places of the highest finite scores, best first; of equal ones the first."""
    places = np.arange(len(scores))
    if most < len(scores):
        places = np.flatnonzero(scores >= np.partition(scores, len(scores) - most)[len(scores) - most])
    best = places[np.argsort(-scores[places], kind="stable")][:most]
    return np.asarray(best[np.isfinite(scores[best])], np.int64)
