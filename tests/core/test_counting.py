"""Ranks without sorting: the compiled counting against comparing with every score, on scores of every kind."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerank.core.kernel.counting import concordance, count_before
from truerank.core.kernel.counting import count_better as count_block
from truerank.vectors import placed


def drawn(rng: np.random.Generator, kind: str, shape: tuple[int, int]) -> np.ndarray:
    real = rng.standard_normal(shape)
    with np.errstate(over="ignore"):
        made = {
            "real": real,
            "tied": rng.integers(0, 5, shape),
            "coarse": np.round(real * 40),
            "equal": np.zeros(shape),
            "apart": real * 10.0 ** rng.integers(-30, 30, shape),
            "extreme": np.where(rng.random(shape) < 0.5, 3e38, -3e38) * rng.random(shape),
            "denormal": real * 1e-43,
            "outlier": np.where(rng.random(shape) < 0.02, -1e30, real),
            "ignored": np.where(rng.random(shape) < 0.1, -np.inf, real),
            "infinite": np.where(rng.random(shape) < 0.1, np.inf, real),
            "nan": np.where(rng.random(shape) < 0.1, np.nan, real),
        }
    return made[kind]


KINDS = (
    "real", "tied", "coarse", "equal", "apart", "extreme", "denormal", "outlier", "ignored", "infinite", "nan",
)  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@given(
    real=st.sampled_from([np.float32, np.float64]),
    seed=st.integers(0, 2**32 - 1),
    rows=st.integers(1, 4),
    width=st.one_of(st.integers(1, 40), st.integers(1000, 3000)),
    pairs=st.one_of(st.integers(0, 120), st.integers(120, 600)),
)
def test_counts_are_those_of_comparing_with_every_score(kind, real, seed, rows, width, pairs):
    rng = np.random.default_rng(seed)
    with np.errstate(over="ignore"):
        block = drawn(rng, kind, (rows, width)).astype(real)
    row, column = np.sort(rng.integers(0, rows, pairs)), rng.integers(0, width, pairs)
    score = block[row, column]
    better, tied = placed.count_better(block, np.searchsorted(row, np.arange(rows + 1)), score)
    assert better.tolist() == [int((block[r] > s).sum()) for r, s in zip(row, score, strict=True)]
    assert tied.tolist() == [int((block[r] == s).sum()) for r, s in zip(row, score, strict=True)]


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(KINDS),
    st.integers(1, 150),
    st.sampled_from([np.float32, np.float64]),
)
def test_own_in_no_order_are_miscounted_but_harm_nothing(seed, kind, pairs, real):
    rng = np.random.default_rng(seed)
    with np.errstate(over="ignore"):
        block, own = drawn(rng, kind, (2, 1500)).astype(real), drawn(rng, kind, (1, 2 * pairs)).astype(real)[0]
    better, equal = count_block(block, np.array([0, pairs, 2 * pairs]), own)
    assert len(better) == len(equal) == 2 * pairs


@pytest.mark.parametrize("start", [[0, 3], [0, 1, 2], [1, 2, 3], [0, 4, 3], [0, -1, 3], [0, 1, 2, 3], [0, 1, 4]])
def test_a_start_that_does_not_cut_own_into_rows_is_refused(start):
    with pytest.raises(ValueError, match="start does not cut own into the rows of the block"):
        count_block(np.zeros((2, 5)), np.array(start), np.zeros(3))


def test_a_block_without_rows_or_columns_has_nothing_to_count():
    for shape in ((0, 5), (3, 0)):
        better, tied = placed.count_better(np.zeros(shape), np.zeros(shape[0] + 1, np.int64), np.zeros(0))
        assert (better.tolist(), tied.tolist()) == ([], [])


@pytest.mark.parametrize("longest", [3, 40])
def test_concordance_is_that_of_a_loop_over_what_both_lists_hold(longest: int) -> None:
    chance = np.random.default_rng(longest)
    for _ in range(30):
        sizes = chance.integers(0, longest, chance.integers(0, 6))
        start = np.append(0, np.cumsum(sizes)).astype(np.int64)
        lists = [chance.permutation(longest)[:size] - chance.integers(0, longest) for size in sizes]
        places = np.concatenate([np.zeros(0, np.int64), *lists])
        before = places.copy()
        found = concordance(places, start)
        assert (places == before).all()
        for each, shared, total, by_first, by_second in zip(lists, *found, strict=True):
            both = [place for place in each.tolist() if place >= 0]
            above = [sum(x < y for x in both[:i]) for i, y in enumerate(both)]
            ranks = [sum(x < y for x in both) for y in both]
            assert (shared, total) == (len(both), sum(above))
            assert by_first == pytest.approx(sum(c / i for i, c in enumerate(above) if i))
            assert by_second == pytest.approx(sum(c / r for r, c in zip(ranks, above, strict=True) if r))


@pytest.mark.parametrize("start", [[], [0], [1, 3], [0, 2], [0, 4], [0, 5, 3]])
def test_starts_that_do_not_cut_the_places_into_lists_are_refused(start: list[int]) -> None:
    with pytest.raises(ValueError, match="does not cut"):
        concordance(np.arange(3), np.array(start, np.int64))


def test_repeated_places_are_counted_somehow_and_stay_inside() -> None:
    chance = np.random.default_rng(1)
    for _ in range(50):
        places = chance.integers(-2, 5, 30)
        shared, *_ = concordance(places, np.array([0, 10, 10, 30]))
        assert shared.tolist() == [int((part >= 0).sum()) for part in (places[:10], places[:0], places[10:])]


@given(st.integers(0, 2**32 - 1), st.sampled_from([np.float32, np.float64]), st.integers(0, 40))
def test_equal_scores_further_left_are_counted(seed, real, pairs):
    rng = np.random.default_rng(seed)
    block = rng.integers(0, 4, (3, 50)).astype(real)
    row, column = rng.integers(0, 3, pairs), rng.integers(0, 50, pairs)
    expected = [int((block[r, :c] == block[r, c]).sum()) for r, c in zip(row, column, strict=True)]
    assert count_before(block, row, column).tolist() == expected


@pytest.mark.parametrize(("row", "column"), [([3], [0]), ([-1], [0]), ([0], [5]), ([0], [-1]), ([0, 1], [0])])
def test_an_entry_outside_of_the_block_is_refused(row, column):
    with pytest.raises(IndexError):
        count_before(np.zeros((2, 5)), np.array(row), np.array(column))
