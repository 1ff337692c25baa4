"""Tests of two systems: against SciPy where it has them, against every sign pattern one by one, and by laws."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from truerank import stats
from truerank.stats import bootstrap, flips, paired

tenths = st.integers(0, 10).map(lambda i: i / 10)
pairs = st.lists(st.tuples(tenths, tenths), min_size=1, max_size=9)


def exact_tenths(between: list[tuple[float, float]]) -> list[Fraction]:
    return [Fraction(round(10 * a) - round(10 * b), 10) for a, b in between]


def by_enumeration(between: list[Fraction]) -> Fraction:
    """The share of all sign patterns with a sum as far from 0, in fractions."""
    observed = abs(sum(between))
    patterns = itertools.product((1, -1), repeat=len(between))
    sums = [abs(sum(s * d for s, d in zip(pattern, between, strict=True))) for pattern in patterns]
    return Fraction(sum(each >= observed for each in sums), len(sums))


def scores(n: int, seed: int = 0, ahead: float = 0.05) -> tuple[np.ndarray, np.ndarray]:
    """Two systems without ties or equal sizes of differences."""
    rng = np.random.default_rng([n, seed])
    b = rng.beta(0.6, 1.5, n)
    return b + rng.normal(ahead, 0.2, n), b


@given(pairs)
@settings(max_examples=100)
def test_few_queries_are_counted_pattern_by_pattern(both):
    a, b = zip(*both, strict=True)
    found = stats.randomization(a, b)
    assert found.exact
    assert found.p == float(by_enumeration(exact_tenths(both)))


def test_up_to_32_differences_are_counted_in_two_halves():
    a, b = scores(18)
    grid = np.rint((a - b) * 1000)
    sums = flips.all_flipped_sums(grid[:, None])[:, 0]
    least = abs(grid.sum())
    assert flips.share_at_least(grid, least) == (np.abs(sums) >= least).mean()
    assert stats.randomization(*scores(32)).exact
    assert not stats.randomization(*scores(33)).exact


def test_many_queries_are_sampled_near_the_exact_p():
    a, b = scores(32, ahead=0.03)
    counted = stats.randomization(a, b).p
    far = np.abs((a - b).sum())
    sampled = np.concatenate(list(flips.flipped_sums((a - b)[:, None], 100_000, 1)))[:, 0]
    assert (np.abs(sampled) >= far).mean() == pytest.approx(counted, abs=0.005)


def test_sampled_p_is_hits_and_one_among_samples_and_one():
    a, b = scores(100, ahead=0.01)
    grid = (a - b)[:, None]
    words = np.random.default_rng(7).integers(0, 1 << 64, (999, 2), dtype=np.uint64)
    bits = np.array([[int(row[q // 64]) >> (q % 64) & 1 for q in range(100)] for row in words])
    hits = (np.abs((2 * bits - 1) @ grid) >= abs(grid.sum())).sum()
    assert 100 < hits < 900
    assert stats.randomization(a, b, samples=999, seed=7).p == (hits + 1) / 1000


def test_a_sampled_p_is_never_0():
    a = np.linspace(0.5, 1, 100)
    assert stats.randomization(a, a / 2, samples=99).p == 1 / 100


def test_the_size_of_blocks_changes_no_p(monkeypatch):
    a, b = scores(100)
    before = stats.randomization(a, b, samples=500)
    monkeypatch.setattr(bootstrap, "BLOCK", 150)
    monkeypatch.setattr(bootstrap, "LARGEST", 1)
    assert stats.randomization(a, b, samples=500) == before


def test_columns_have_the_p_that_they_have_alone():
    a, b = np.stack([np.column_stack(scores(60, seed)) for seed in range(4)], axis=2).transpose(1, 0, 2)
    a, b = a * [1, 1e9, 1e-9, 1], b * [1, 1e9, 1e-9, 1]
    together = stats.randomizations(a, b, samples=300, seed=4)
    assert together == [stats.randomization(x, y, samples=300, seed=4) for x, y in zip(a.T, b.T, strict=True)]


@pytest.mark.parametrize("n", [2, 3, 10, 50, 500])
def test_the_t_test_is_that_of_scipy(n):
    a, b = scores(n)
    found = stats.paired_t(a, b)
    assert found.p == pytest.approx(scipy_stats.ttest_rel(a, b).pvalue, rel=1e-12, abs=0)
    assert found.difference == pytest.approx((a - b).mean(), abs=1e-15)


@pytest.mark.parametrize("n", [1, 2, 5, 20, 50, 100])
def test_the_exact_wilcoxon_test_is_that_of_scipy(n):
    a, b = scores(n)
    theirs = scipy_stats.wilcoxon(a, b, method="exact").pvalue
    assert stats.wilcoxon(a, b).p == pytest.approx(theirs, rel=1e-12, abs=0)


@pytest.mark.parametrize("n", [101, 300])
def test_the_approximate_wilcoxon_test_is_that_of_scipy_with_ties_and_without_zeros(n):
    a, b = scores(n)
    a[:20] = b[:20]
    a, b = (np.round(np.concatenate([each] * 2), 1) for each in (a, b))
    found = stats.wilcoxon(a, b)
    assert not found.exact
    between = np.round(a - b, 1)  # SciPy takes 0.3 − 0.2 and 0.2 − 0.1 for two sizes
    theirs = scipy_stats.wilcoxon(between, zero_method="wilcox", correction=False, method="asymptotic").pvalue
    assert found.p == pytest.approx(theirs, rel=1e-12, abs=0)


@given(pairs)
@settings(max_examples=60)
def test_wilcoxon_counts_equal_sizes_exactly(both):
    a, b = zip(*both, strict=True)
    between = [d for d in exact_tenths(both) if d]
    sizes = [abs(d) for d in between]
    ranks = [Fraction(2 * sum(s < size for s in sizes) + sizes.count(size) + 1, 2) for size in sizes]
    seen = min(
        sum(rank for rank, d in zip(ranks, between, strict=True) if d > 0),
        sum(rank for rank, d in zip(ranks, between, strict=True) if d < 0),
    )
    chosen = itertools.product((0, 1), repeat=len(ranks))
    sums = [sum(rank for rank, is_in in zip(ranks, ins, strict=True) if is_in) for ins in chosen]
    expected = min(Fraction(1), 2 * Fraction(sum(each <= seen for each in sums), len(sums)))
    assert stats.wilcoxon(a, b).p == float(expected)


@pytest.mark.parametrize(("wins", "losses"), [(0, 1), (3, 3), (9, 1), (40, 20), (600, 500)])
def test_the_sign_test_is_scipys_binomial_test(wins, losses):
    between = np.array([0.2] * wins + [-0.1] * losses + [0.0] * 5)
    found = stats.sign(0.5 + between, np.full(len(between), 0.5))
    assert found.p == pytest.approx(scipy_stats.binomtest(wins, wins + losses).pvalue, rel=1e-12)


@pytest.mark.parametrize("large", [1.0, 1e6, 1e12])
def test_one_large_value_hides_no_difference(large):
    a, b = np.array([large] + [0.1000002] * 10), np.array([0.0] + [0.1] * 10)
    assert stats.sign(a, b).p == pytest.approx(scipy_stats.binomtest(11, 11).pvalue, rel=1e-12)
    assert stats.wilcoxon(a, b).p == pytest.approx(2.0**-10, rel=1e-12)
    assert stats.sign(a + 1e6, np.append(0, a[1:]) + 1e6).p == 1


@pytest.mark.parametrize("by", [2.0**500, 2.0**1000])
def test_the_largest_numbers_have_the_p_and_the_effect_that_they_have_divided(by):
    a, b = scores(12)
    for test in stats.TESTS.values():
        assert test(a * by, b * by).p == test(a, b).p
    assert stats.effect(a * by, b * by) == stats.effect(a, b)
    assert stats.pair_effects(np.column_stack([a, b]) * by, [(0, 1)]).tolist() == [stats.effect(a, b)]
    same, large = stats.tost(a, b, 0.1), stats.tost(a * by, b * by, 0.1 * by)
    assert (large.p, large.high) == (same.p, same.high * by)


@given(pairs)
@settings(max_examples=60)
def test_every_p_is_above_0_and_at_most_1_and_the_same_the_other_way_round(both):
    a, b = zip(*both, strict=True)
    for name, test in stats.TESTS.items():
        one, other = test(a, b), test(b, a)
        assert 0 < one.p <= 1
        assert (one.p, one.difference) == (other.p, -other.difference)
        assert (one.method, one.n) == (name, len(both))


@pytest.mark.parametrize("test", stats.TESTS.values(), ids=stats.TESTS)
def test_identical_systems_do_not_differ(test):
    a, _ = scores(40)
    assert (test(a, a).p, test(a, a).difference) == (1, 0)
    noisy = a + np.spacing(a)  # sums in another order
    assert test(noisy, a).p == 1


@pytest.mark.parametrize("test", stats.TESTS.values(), ids=stats.TESTS)
def test_one_query_shows_nothing(test):
    assert test([0.9], [0.1]).p == 1


def test_the_same_difference_everywhere_is_counted_by_all_and_t_says_so():
    a, b = np.array([0.3, 0.4, 0.8, 0.6]), np.array([0.2, 0.3, 0.7, 0.5])
    assert {test(a, b).p for test in stats.TESTS.values()} == {1 / 8}
    assert [test(a, b).constant for test in stats.TESTS.values()] == [False, True, False, False]


def test_sums_that_are_equal_but_for_rounding_are_ties():
    between = [0.1, 0.2, -0.3, 0.1, 0.2, -0.3 + 1e-16]
    assert stats.randomization(between, [0] * 6).p == 1


@pytest.mark.parametrize("test", stats.TESTS.values(), ids=stats.TESTS)
@pytest.mark.parametrize(
    ("a", "b", "says"),
    [
        ([0.1, math.nan], [0.1, 0.2], "a is nan at row 1"),
        ([0.1, 0.2], [0.1], "not pairs: they have 2 and 1"),
        ([], [], "a has no numbers"),
    ],
)
def test_what_cannot_be_tested_is_said(test, a, b, says):
    with pytest.raises(ValueError, match=says):
        test(a, b)


def test_samples_are_at_least_one():
    with pytest.raises(ValueError, match="samples is a whole number"):
        stats.randomization([0.1], [0.2], samples=0)


def test_exactness_is_said():
    assert [test(*scores(200)).exact for test in stats.TESTS.values()] == [False, True, False, True]
    assert paired.EXACT_UP_TO == 32


@pytest.mark.parametrize("test", stats.TESTS.values(), ids=stats.TESTS)
@pytest.mark.parametrize("spread", [0.0, 0.1])
def test_no_p_is_0_however_many_queries_go_one_way(test, spread):
    a = 1 + spread * np.arange(5000) / 5000
    assert 0 < test(a, np.zeros(5000)).p < 0.001
    assert 0 < stats.tost(a, a + 0.01, 0.1).p < 1e-300
    assert 0 < stats.tukey_hsd(np.column_stack([a, np.zeros(5000)])).p[0, 1] < 1e-300


@pytest.mark.parametrize("part", [0.1, 0.7])  # which 1000000.1 - 1000000 and 1000000.7 - 1000000 are not quite
def test_sizes_that_rounding_alone_sets_apart_share_their_rank(part: float) -> None:
    a, b = [1e6 + part] * 4 + [0.0] * 2, [1e6] * 4 + [part] * 2
    assert stats.wilcoxon(a, b).p == pytest.approx(stats.sign(a, b).p)


@pytest.mark.parametrize("test", [stats.sign, stats.wilcoxon])
@pytest.mark.parametrize(
    ("differences", "is_against"),
    [
        ([0.1, 0.2, 0.3, -0.9], True),
        ([0.1, 0.2, 0.3, -0.6], True),
        ([0.1, 0.2, 0.3, -0.2], False),
        ([-0.1, -0.2, -0.3, 0.9], True),
        ([-0.1, -0.2, -0.3, 0.2], False),
        ([0.0, 0.0], False),
    ],
)
def test_it_is_said_when_most_go_against_the_mean(test, differences, is_against) -> None:
    assert test(np.array(differences), np.zeros(len(differences))).against_mean is is_against
