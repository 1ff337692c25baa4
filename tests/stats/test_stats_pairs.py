"""All pairs from what is drawn of each system: the numbers of each pair by itself."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

from truerank import stats


def systems(seed: int, n: int = 60, m: int = 7) -> np.ndarray:
    """Rounded, with ties; two systems alike, one better by the same at every query, one seldom different."""
    rng = np.random.default_rng([seed, n, m])
    values = np.round(rng.beta(0.6, 1.2, (n, 1)) + rng.normal(0, 0.2, (n, m)), 1)
    values[:, 1] = values[:, 0]
    values[:, 2] = values[:, 0] + 0.25
    values[:, 3] = values[:, 0] + np.where(np.arange(n) < 4, 0.3, 0)
    return values


def apart(values: np.ndarray, pairs: list[tuple[int, int]], **drawn: int) -> list[stats.Interval]:
    return stats.mean_and_pair_intervals(values, pairs, **drawn)[1]


def every(m: int) -> list[tuple[int, int]]:
    return list(itertools.permutations(range(m), 2))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n", [5, 9, 60, 333])
def test_intervals_are_those_of_each_pairs_differences(seed: int, n: int) -> None:
    values = systems(seed, n)
    for (i, j), found in zip(every(7), apart(values, every(7), resamples=400, seed=seed), strict=True):
        alone = stats.difference_interval(values[:, i], values[:, j], resamples=400, seed=seed)
        assert (found.method, found.differing, found.estimate) == (alone.method, alone.differing, alone.estimate)
        assert (found.low, found.high) == pytest.approx((alone.low, alone.high), abs=1e-10)


@pytest.mark.parametrize("pairs", [every(7), [(6, 0), (5, 0), (4, 0), (3, 2)]])
def test_measures_side_by_side_have_the_numbers_that_each_has_alone(pairs: list[tuple[int, int]]) -> None:
    tables = [systems(0), 1e9 * systems(1), 1e-9 * systems(2)]
    drawn = {"resamples": 200, "seed": 3}, {"samples": 200, "seed": 3}
    beside = [(i + 7 * at, j + 7 * at) for at in range(3) for i, j in pairs]
    intervals = apart(np.hstack(tables), beside, **drawn[0])
    assert intervals == [one for table in tables for one in apart(table, pairs, **drawn[0])]
    p = stats.pair_randomizations(np.hstack(tables), beside, **drawn[1])
    assert p.tolist() == [one for table in tables for one in stats.pair_randomizations(table, pairs, **drawn[1])]


@pytest.mark.parametrize("resamples", [1, 2, 3, 50])
def test_few_resamples_have_quantiles_too(resamples: int) -> None:
    values = systems(0, 20)
    (found,) = apart(values, [(5, 6)], resamples=resamples)
    alone = stats.difference_interval(values[:, 5], values[:, 6], resamples=resamples)
    assert (found.low, found.high) == pytest.approx((alone.low, alone.high), abs=1e-10)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n", [5, 40, 200])
def test_p_is_that_of_each_pairs_own_test(seed: int, n: int) -> None:
    values = systems(seed, n)
    p = stats.pair_randomizations(values, every(7), samples=500, seed=seed)
    assert p.tolist() == [
        stats.randomization(values[:, i], values[:, j], samples=500, seed=seed).p for i, j in every(7)
    ]


@pytest.mark.parametrize("n", [2, 60])
def test_effects_are_those_of_each_pair_to_the_bit(n: int) -> None:
    values = systems(1, n)
    assert stats.pair_effects(values, every(7)).tolist() == [
        stats.effect(values[:, i], values[:, j]) for i, j in every(7)
    ]


def test_pairs_in_a_chain_of_scales_have_the_numbers_of_each_alone() -> None:
    values = np.random.default_rng(5).normal(0.2, 1, (60, 5)) * 4.0 ** np.arange(5)
    pairs = [(0, 1), (1, 2), (2, 3), (3, 4)]
    p = stats.pair_randomizations(values, pairs, samples=500)
    for (i, j), found, own in zip(pairs, apart(values, pairs, resamples=400), p.tolist(), strict=True):
        alone = stats.difference_interval(values[:, i], values[:, j], resamples=400)
        assert (found.low, found.high) == pytest.approx((alone.low, alone.high), abs=1e-8)
        assert own == stats.randomization(values[:, i], values[:, j], samples=500).p


def test_the_same_difference_but_for_rounding_has_no_spread_whichever_is_the_larger() -> None:
    values = np.random.default_rng(5).random((60, 2)) * [1, 0]
    values[:, 1] = values[:, 0] + 1e6
    assert stats.pair_effects(values, [(0, 1), (1, 0)]).tolist() == [-np.inf, np.inf]


@pytest.mark.parametrize("pair", [(0, 7), (-1, 0)])
def test_a_pair_of_no_such_columns_is_said(pair: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match=re.escape(f"no pair {pair} among 7 systems")):
        apart(systems(0), [pair])


def test_a_test_without_samples_is_refused() -> None:
    with pytest.raises(ValueError, match="samples"):
        stats.pair_randomizations(systems(0), [(0, 5)], samples=0)
    with pytest.raises(ValueError, match="samples"):
        stats.max_t(systems(0), samples=0)
