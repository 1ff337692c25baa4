"""Resamples that are counted while they are drawn: the draws of NumPy's own generator, and its state afterwards."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerank.core.kernel.drawing import count_draws

KINDS = [np.random.PCG64, np.random.PCG64DXSM, np.random.MT19937, np.random.Philox, np.random.SFC64]


@given(st.integers(0, 300), st.integers(0, 5), st.integers(0, 2**32), st.sampled_from(KINDS))
def test_draws_are_counted_as_numpy_draws_them(n, rows, seed, kind):
    ours, theirs = (np.random.Generator(kind(seed)) for _ in range(2))
    for _ in range(2):  # the second goes on where the first ended, also within 64 bits
        times = np.full((rows, n), 7.0)
        count_draws(ours.bit_generator, times)
        drawn = theirs.integers(n, size=(rows, n)) if n else np.zeros((rows, 0), np.int64)
        assert times.tolist() == [np.bincount(row, minlength=n).tolist() for row in drawn]
    assert ours.integers(2**62) == theirs.integers(2**62)


@pytest.mark.parametrize("n", [3 * 2**20 + 1, 2**22])
def test_numbers_that_would_come_too_often_are_drawn_anew(n):
    times = np.zeros((1, n))
    count_draws(np.random.default_rng(5).bit_generator, times)
    drawn = np.random.default_rng(5).integers(n, size=n)
    assert (times[0] == np.bincount(drawn, minlength=n)).all()


@pytest.mark.parametrize("generator", [np.random.default_rng(0), None, object()])
def test_what_is_no_bit_generator_is_refused(generator):
    with pytest.raises((AttributeError, ValueError)):
        count_draws(generator, np.zeros((1, 3)))
