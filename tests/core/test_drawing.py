"""Resamples that are counted while they are drawn: the draws of NumPy's own generator."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerank.core.kernel.drawing import Draws


@given(st.integers(0, 300), st.integers(0, 5), st.integers(0, 2**32))
def test_draws_are_counted_as_numpy_draws_them(n, rows, seed):
    ours, theirs = Draws(seed), np.random.default_rng(seed)
    for _ in range(3):  # each goes on where the one before ended, also within 64 bits
        times = np.full((rows, n), 7.0)
        ours.count(times)
        drawn = theirs.integers(n, size=(rows, n)) if n else np.zeros((rows, 0), np.int64)
        assert times.tolist() == [np.bincount(row, minlength=n).tolist() for row in drawn]


@pytest.mark.parametrize("n", [3 * 2**20 + 1, 2**22])
def test_numbers_that_would_come_too_often_are_drawn_anew(n):
    times = np.zeros((1, n))
    Draws(5).count(times)
    drawn = np.random.default_rng(5).integers(n, size=n)
    assert (times[0] == np.bincount(drawn, minlength=n)).all()


@pytest.mark.parametrize("seed", [-1, "a seed", 0.5])
def test_what_is_no_seed_is_refused(seed):
    with pytest.raises((TypeError, ValueError)):
        Draws(seed)
