"""Rank-biased overlap of many lists: that of each two, and an order that puts like ones side by side."""

from __future__ import annotations

import numpy as np
import pytest

from truerank import stats


def lists(seed: int, same: bool) -> list[list[int]]:
    """Some lists of the same things, in part; as long as one another, or of any length."""
    rng = np.random.default_rng(seed)
    return [rng.permutation(15)[: 8 if same else rng.integers(0, 13)].tolist() for _ in range(6)]


@pytest.mark.parametrize("unseen", ["ext", "min", "max", "res"])
@pytest.mark.parametrize("p", [0.1, 0.8, 0.99])
@pytest.mark.parametrize("same", [True, False])
def test_it_is_that_of_each_two_lists(unseen: str, p: float, same: bool) -> None:
    for seed in range(20):
        many = lists(seed, same)
        ranks = np.full((len(many), 15), -1)
        for row, own in zip(ranks, many, strict=True):
            row[own] = np.arange(len(own))
        found = stats.rbo_of_ranks(ranks, np.array(list(map(len, many))), p, unseen)
        expected = [[stats.rbo(one, other, p, unseen=unseen) for other in many] for one in many]
        assert found == pytest.approx(np.array(expected), abs=1e-12)


def test_like_things_stand_side_by_side() -> None:
    rng = np.random.default_rng(1)
    kind = rng.permutation(np.repeat([0, 1, 2], 5))
    likeness = np.where(kind[:, None] == kind, 0.8, 0.2) + rng.uniform(-0.05, 0.05, (15, 15))
    order = stats.alike_together((likeness + likeness.T) / 2)
    assert sorted(order.tolist()) == list(range(15))
    assert np.count_nonzero(np.diff(kind[order])) == 2
    line = np.exp(-np.abs(np.subtract.outer(np.arange(9), np.arange(9))) / 3)
    mixed = rng.permutation(9)
    placed = mixed[stats.alike_together(line[np.ix_(mixed, mixed)])]
    assert placed.tolist() in (list(range(9)), list(range(9))[::-1])
    assert stats.alike_together(np.ones((2, 2))).tolist() == [0, 1]
