"""Confidence sequences: against textbook loops, at ties, at the edges, and over whole trajectories."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from truerank import stats


def samples() -> list[np.ndarray]:
    """Skewed, tied, binary, constant and short ones."""
    rng = np.random.default_rng(5)
    drawn = [rng.beta(0.7, 1.6, n) for n in (1, 2, 3, 17, 120)]
    tied = [rng.integers(0, 3, n) / 2 for n in (5, 60)]
    binary = [(rng.random(n) < share).astype(float) for n, share in ((8, 0.5), (90, 0.05), (90, 1.0))]
    return [*drawn, *tied, *binary, np.zeros(40), np.full(40, 0.25)]


def bets_of(values, alpha):
    """λ of Waudby-Smith and Ramdas (2024), equation 15, one by one."""
    bets, total, squares, spread = [], 0.0, 0.0, 0.25
    for t, x in enumerate(values, 1):
        bets.append(math.sqrt(2 * math.log(2 / alpha) / (spread * t * math.log(t + 1))))
        total += x
        mean = (0.5 + total) / (t + 1)
        squares += (x - mean) ** 2
        spread = (0.25 + squares) / (t + 1)
    return bets


def capital(values, bets, m):
    """The hedged capital after each value, for a mean of m."""
    up = down = 1.0
    out = []
    for x, bet in zip(values, bets, strict=True):
        up *= 1 + min(bet, 0.5 / m if m else math.inf) * (x - m)
        down *= 1 - min(bet, 0.5 / (1 - m) if m < 1 else math.inf) * (x - m)
        out.append(max(up, down) / 2)
    return out


def bernstein(values, alpha):
    """Theorem 2, one by one."""
    low, high, staked, won, spent, total = 0.0, 1.0, 0.0, 0.0, 0.0, 0.0
    for t, (x, bet) in enumerate(zip(values, bets_of(values, alpha), strict=True), 1):
        bet, before = min(bet, 0.5), (0.5 + total) / t
        staked, won, total = staked + bet, won + bet * x, total + x
        spent += 4 * (x - before) ** 2 * (-math.log(1 - bet) - bet) / 4
        far = (math.log(2 / alpha) + spent) / staked
        low, high = max(low, won / staked - far), min(high, won / staked + far)
    return low, high


@pytest.mark.parametrize("values", samples(), ids=lambda values: f"{len(values)} values of {values.mean():.2f}")
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
def test_betting_keeps_the_means_that_no_bettor_beat(values, confidence):
    alpha = 1 - confidence
    found = stats.mean_sequence(values, confidence=confidence)[0]
    bets = bets_of(values, alpha)
    for m in np.linspace(0, 1, 401):
        is_beaten = max(capital(values, bets, m)) >= 1 / alpha
        if min(abs(m - found.low), abs(m - found.high)) > 1e-9:
            assert is_beaten == (not found.low < m < found.high), m


@pytest.mark.parametrize("values", samples(), ids=lambda values: f"{len(values)} values of {values.mean():.2f}")
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
def test_the_bernstein_sequence_is_the_textbooks(values, confidence):
    found = stats.mean_sequence(values, confidence=confidence, method="bernstein")[0]
    assert (found.low, found.high) == pytest.approx(bernstein(values, 1 - confidence), abs=1e-12)


@pytest.mark.parametrize("method", ["betting", "bernstein"])
def test_a_look_does_not_depend_on_what_comes_later_and_only_narrows(method):
    values = np.random.default_rng(1).beta(0.6, 2.0, 150)
    looks = [1, 2, 10, 50, 149, 150]
    found = stats.mean_sequence(values, method=method, at=looks)
    for look, each in zip(looks, found, strict=True):
        assert each == stats.mean_sequence(values[:look], method=method)[0]
    assert all(a.low <= b.low and a.high >= b.high for a, b in itertools.pairwise(found))


@pytest.mark.parametrize("method", ["betting", "bernstein"])
def test_a_wider_range_and_a_mirror_change_the_scale_only(method):
    values = np.random.default_rng(2).beta(0.6, 2.0, 80)
    one = stats.mean_sequence(values, method=method)[0]
    scaled = stats.mean_sequence(10 * values - 3, method=method, limits=(-3, 7))[0]
    assert (scaled.low, scaled.high) == pytest.approx((10 * one.low - 3, 10 * one.high - 3), abs=1e-9)
    mirrored = stats.mean_sequence(1 - values, method=method)[0]
    assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx((one.low, one.high), abs=1e-9)


def test_a_difference_is_the_mean_of_differences_between_minus_1_and_1():
    rng = np.random.default_rng(3)
    a, b = rng.random(60), rng.random(60)
    assert stats.difference_sequence(a, b) == stats.mean_sequence(a - b, limits=(-1, 1))


def test_the_levels_of_looks_at_the_same_queries_add_up_to_what_is_allowed():
    spent = sum(1 - stats.confidence_of_look(0.9, look) for look in range(1, 5000))
    assert 0.0999 < spent < 0.1


@pytest.mark.parametrize("seed", range(3))
def test_where_the_mean_moves_the_sequence_says_that_no_mean_fits(seed):
    rng = np.random.default_rng(seed)
    found = stats.mean_sequence(np.concatenate([rng.beta(2, 8, 300), rng.beta(8, 2, 900)]))[0]
    assert found.low > found.high


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"values": [0.5, 1.5]}, "outside of the limits"),
        ({"values": [0.5, -0.1]}, "-0.1"),
        ({"values": []}, "no numbers"),
        ({"values": [0.5, math.nan]}, "finite"),
        ({"values": [0.5], "limits": (1, 0)}, "the lower one first"),
        ({"values": [0.5], "limits": (0, math.inf)}, "finite"),
        ({"values": [0.5], "at": [2]}, "looks rise and end at 1"),
        ({"values": [0.5, 0.5], "at": [2, 1]}, "looks rise"),
        ({"values": [0.5], "method": "hoeffding"}, "betting, bernstein"),
        ({"values": [0.5], "confidence": 1.0}, "confidence"),
    ],
)
def test_wrong_input_is_a_value_error_that_says_what(how, words):
    with pytest.raises(ValueError, match=words):
        stats.mean_sequence(**how)
