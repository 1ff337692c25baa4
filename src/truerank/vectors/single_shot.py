"""Single shot: rank-k accuracy over random galleries that hold one entry of each identity, as CUHK03 has it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from truerank.core.scores import Scores
from truerank.measures import Measure
from truerank.measures.sums import Ints, PerQuery, ratio
from truerank.vectors.placed import Block

NEVER = np.iinfo(np.int64).max
"""The rank of what is not in the gallery."""


class SingleShot:
    """Ranks of the right entry in random galleries.

    For the query in row q, `default_rng([seed, q]).random((galleries, identities + 1))` decides, a gallery a row:
    number i times the entries of the i-th identity, rounded down, is the place of the one that stands for it; the
    last number likewise chooses among the entries that are right for the query.

    Attributes:
        ranks: (queries, galleries), `NEVER` where nothing is right.
    """

    def __init__(self, labels: Ints, queries: int, galleries: int, seed: int):
        self._seed = seed
        self._order = np.argsort(labels, kind="stable")
        self._labels, self._start, self._size = np.unique(
            labels[self._order], return_index=True, return_counts=True
        )
        self.ranks: NDArray[np.int64] = np.full((queries, galleries), NEVER)

    def look(self, rows: Ints, labels: Ints, block: Block, pair_row: Ints, pair_column: Ints) -> None:
        """Find the ranks for these rows of queries.

        Args:
            labels: the labels of these queries.
            pair_row, pair_column: the right entries in the block.
        """
        start = np.searchsorted(pair_row, np.arange(len(rows) + 1))
        for i, (row, label) in enumerate(zip(rows.tolist(), labels.tolist(), strict=True)):
            right = pair_column[start[i] : start[i + 1]]
            if len(right):
                self.ranks[row] = self._drawn(row, label, block[i], np.sort(right))

    def _drawn(self, row: int, label: int, scores: Block, right: Ints) -> Ints:
        chance = np.random.default_rng([self._seed, row]).random((self.ranks.shape[1], len(self._labels) + 1))
        column = self._order[self._start + (chance[:, :-1] * self._size).astype(np.int64)]
        chosen = right[(chance[:, -1] * len(right)).astype(np.int64)][:, None]
        others, own = scores[column], scores[chosen]
        ahead = (others > own) | ((others == own) & (column < chosen))
        ahead[:, np.searchsorted(self._labels, label)] = False
        return np.asarray(1 + ahead.sum(axis=1), np.int64)


def with_ranks(scores: Scores, ranks: dict[str, Ints]) -> Scores:
    """The scores with Success@k taken from the ranks in random galleries, {query: (galleries,) ranks}."""
    drawn = np.array([ranks[query] for query in scores.queries] or np.empty((0, 1)), np.int64)
    values = {str(m): _share(drawn, m) for m in scores.measures if m.name == "Success"}
    return replace(scores, columns={**scores.columns, **values})


def _share(ranks: NDArray[np.int64], measure: Measure) -> PerQuery:
    return ratio((ranks <= dict(measure.params)["k"]).sum(axis=1), ranks.shape[1])
