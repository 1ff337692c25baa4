"""The Poisson bootstrap: the same bits for any cut of the queries, and intervals that hold what they promise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truerank.stats import mean_interval, percentile_interval
from truerank.stats.poisson import BLOCK, Drawn, times

SEEDS = st.integers(0, 2**32)


def keys(seed: int, n: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2**64, n, np.uint64, endpoint=False)


@settings(max_examples=30, deadline=None)
@given(SEEDS, st.lists(st.integers(0, 50), max_size=4))
def test_any_cut_in_any_order_gives_the_same_bits(seed, cuts):
    rng = np.random.default_rng(seed)
    values = rng.random((50, 2)) * [1, 1e-9]
    values[rng.random((50, 2)) < 0.2] = np.nan
    ids, largest = keys(seed, 50), np.nanmax(np.abs(values), axis=0)
    whole = Drawn.of(ids, values, largest, 30)
    order = rng.permutation(50)
    total = Drawn(np.zeros((30, 2), np.int64), np.zeros((30, 2), np.int64))
    for some in np.split(order, sorted(cuts)):
        total += Drawn.of(ids[some], values[some], largest, 30)
    assert (total.sums == whole.sums).all()
    assert (total.times == whole.times).all()


def test_means_are_of_what_was_drawn():
    values, ids = np.array([[0.25], [np.nan], [-4.0]] * BLOCK), keys(1, 3 * BLOCK)
    drawn, often = Drawn.of(ids, values, np.array([4.0]), 5), times(ids, 5)
    kept = often[~np.isnan(values[:, 0])]
    wanted = (kept.T @ values[~np.isnan(values)]) / kept.sum(axis=0)
    assert drawn.means(np.array([4.0]))[:, 0] == pytest.approx(wanted, rel=1e-8)


def test_times_are_poisson_and_of_no_query_like_those_of_another():
    often = times(keys(2, 4000), 1000)
    shares = [float((often == k).mean()) for k in range(4)]
    assert shares == pytest.approx([0.36788, 0.36788, 0.18394, 0.06131], abs=0.001)
    together = np.corrcoef(often[:200])
    assert np.abs(together - np.eye(200)).max() < 0.16  # 5 standard deviations
    assert np.abs(np.corrcoef(often[:, :200].T) - np.eye(200)).max() < 0.08


def test_intervals_hold_the_truth_as_often_as_they_say():
    rng, held, usual, repetitions, n = np.random.default_rng(3), 0, 0, 400, 200
    for repetition in range(repetitions):
        values = rng.beta(0.5, 1.0, n)  # its mean is a third
        drawn = Drawn.of(keys(repetition, n), values[:, None], values[:, None].max(axis=0), 500)
        means = drawn.means(values[:, None].max(axis=0))[:, 0]
        one = percentile_interval(float(values.mean()), means, n)
        two = mean_interval(values, method="percentile", resamples=500, seed=repetition)
        held += one.low <= 1 / 3 <= one.high
        usual += two.low <= 1 / 3 <= two.high
    assert abs(held / repetitions - 0.95) < 0.033  # 3 standard deviations
    assert abs(held - usual) <= 0.02 * repetitions
