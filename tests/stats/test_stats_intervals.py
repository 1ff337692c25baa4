"""Intervals: against SciPy and statsmodels, on the same resamples; quantiles by the binomial distribution."""

from __future__ import annotations

import math
import warnings
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from scipy.stats._resampling import BootstrapResult
from statsmodels.stats.proportion import proportion_confint

from truerank import stats
from truerank.stats import bootstrap

RESAMPLES = 2000

dyadic = st.lists(st.integers(0, 64).map(lambda i: i / 64), min_size=6, max_size=40)


def skewed(n: int, columns: int = 1) -> np.ndarray:
    """Scores with many zeros and some ones."""
    rng = np.random.default_rng(n)
    scores = rng.beta(0.6, 1.5, (n, columns))
    scores[rng.random((n, columns)) < 0.2] = 0
    scores[rng.random((n, columns)) < 0.1] = 1
    return scores


def resampled_by_hand(values: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    drawn = np.random.default_rng(seed).integers(len(values), size=(resamples, len(values)))
    return np.array([math.fsum(values[row]) / len(values) for row in drawn])


def scipy_limits(values: np.ndarray, means: np.ndarray, confidence: float, method: str) -> tuple[float, float]:
    """SciPy's own interval, of resampled means that it is given, at the level that small samples need."""
    n = len(values)
    reach = scipy_stats.t.ppf((1 + confidence) / 2, n - 1) * math.sqrt(n / (n - 1))
    found = scipy_stats.bootstrap(
        (values,),
        np.mean,
        n_resamples=0,
        confidence_level=1 - 2 * scipy_stats.norm.sf(reach),
        method=method,
        bootstrap_result=BootstrapResult(confidence_interval=None, bootstrap_distribution=means, standard_error=0),
    ).confidence_interval
    return found.low, found.high


@pytest.mark.parametrize("n", [6, 50, 200])
@pytest.mark.parametrize(("method", "theirs"), [("bca", "BCa"), ("percentile", "percentile")])
def test_bootstrap_intervals_are_those_of_scipy_on_the_same_resamples(n, method, theirs):
    values = skewed(n)[:, 0]
    means = resampled_by_hand(values, RESAMPLES, seed=3)
    found = stats.mean_interval(values, method=method, resamples=RESAMPLES, seed=3)
    low, high = scipy_limits(values, means, 0.95, theirs)
    assert found.low == pytest.approx(low, abs=1e-12)
    assert found.high == pytest.approx(high, abs=1e-12)
    assert found.estimate == pytest.approx(values.mean(), abs=1e-15)


def test_the_limits_of_many_values_are_the_textbooks():
    assert bootstrap.reach(0.95, 10**6) == pytest.approx(scipy_stats.norm.ppf(0.975), abs=1e-5)


def test_resampled_means_are_those_of_the_rows_that_the_generator_draws():
    values = skewed(37, 3)
    found = bootstrap.resampled_means(values, 200, seed=9)
    for column, means in zip(values.T, found.T, strict=True):
        assert means == pytest.approx(resampled_by_hand(column, 200, seed=9), abs=1e-12)


def test_the_size_of_blocks_changes_no_bit(monkeypatch):
    values = skewed(50, 4)
    before = bootstrap.resampled_means(values, 300, seed=1)
    monkeypatch.setattr(bootstrap, "BLOCK", 130)
    monkeypatch.setattr(bootstrap, "LARGEST", 1)
    assert (bootstrap.resampled_means(values, 300, seed=1) == before).all()


def test_a_column_alone_has_the_interval_that_it_has_among_others():
    values = np.column_stack([skewed(60, 3), np.arange(60) % 2, np.full(60, 0.3), 1e9 * skewed(60, 1)])
    assert stats.mean_intervals(values, resamples=500, seed=5) == [
        stats.mean_interval(column, resamples=500, seed=5) for column in values.T
    ]


def test_the_seed_decides():
    values = skewed(30)[:, 0]
    assert stats.mean_interval(values, seed=1) == stats.mean_interval(values, seed=1)
    assert stats.mean_interval(values, seed=1) != stats.mean_interval(values, seed=2)


@pytest.mark.parametrize(("ones", "n"), [(0, 7), (7, 7), (3, 10), (41, 50), (999, 1000)])
@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.999])
def test_the_exact_binomial_interval_is_that_of_statsmodels_and_scipy(ones, n, confidence):
    found = stats.mean_interval(np.arange(n) < ones, confidence=confidence)
    assert found.method == "binomial"
    theirs = proportion_confint(ones, n, alpha=1 - confidence, method="beta")
    assert (found.low, found.high) == pytest.approx(theirs, abs=1e-12)
    solved = scipy_stats.binomtest(ones, n).proportion_ci(confidence, method="exact")
    assert (found.low, found.high) == pytest.approx((solved.low, solved.high), abs=1e-11)  # their root finder's


@pytest.mark.parametrize(("ones", "n"), [(0, 7), (7, 7), (3, 10), (41, 50)])
def test_the_limits_of_mid_p_leave_half_of_what_was_seen_in_either_tail(ones, n):
    low, high = stats.mid_p(ones, n, 0.9)
    if ones:
        assert scipy_stats.binom.sf(ones, n, low) + scipy_stats.binom.pmf(ones, n, low) / 2 == pytest.approx(0.05)
    if ones < n:
        tail = scipy_stats.binom.cdf(ones - 1, n, high) + scipy_stats.binom.pmf(ones, n, high) / 2
        assert tail == pytest.approx(0.05)
    wide = stats.clopper_pearson(ones, n, 0.9)
    assert wide[0] <= low <= ones / n <= high <= wide[1]


@given(values=dyadic, seed=st.integers(0, 5))
@settings(max_examples=50)
def test_bootstrap_limits_are_in_order_and_within_the_values(values, seed):
    for method in ("bca", "percentile"):
        found = stats.mean_interval(values, method=method, resamples=200, seed=seed)
        assert min(values) <= found.low <= found.high <= max(values)


@given(values=dyadic)
@settings(max_examples=30)
def test_more_confidence_makes_a_percentile_interval_no_shorter(values):
    narrow, wide = (
        stats.mean_interval(values, method="percentile", resamples=300, confidence=confidence)
        for confidence in (0.8, 0.99)
    )
    assert wide.low <= narrow.low
    assert narrow.high <= wide.high


def test_one_value_says_nothing_of_the_mean_unless_it_is_a_success_or_a_failure():
    assert stats.mean_interval([0.3]) == stats.Interval(0.3, -math.inf, math.inf, 0.95, "none")
    assert stats.mean_interval([1.0]).low == pytest.approx(0.025)


@pytest.mark.parametrize(("confidence", "most"), [(0.5, 1), (0.8, 3), (0.9, 4), (0.95, 5), (0.99, 7)])
@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_too_few_values_have_no_resampled_interval(confidence, most, method):
    values = skewed(20)[:, 0]
    for n in range(1, most + 3):
        found = stats.mean_interval(values[:n], confidence=confidence, method=method, resamples=100)
        assert (found.method == "none") == (n <= most) == stats.is_too_few(n, confidence)
        assert (n > most) == (math.isfinite(found.low) and math.isfinite(found.high))
        assert found.estimate == pytest.approx(values[:n].mean(), abs=1e-15)


def test_too_few_are_those_whose_range_leaves_out_the_median_more_often_than_allowed():
    for n in range(1, 15):
        outside = scipy_stats.binom.pmf(0, n, 0.5) + scipy_stats.binom.pmf(n, n, 0.5) if n > 1 else 1
        assert stats.is_too_few(n) == (outside > 0.05)


def test_few_successes_have_an_exact_interval_and_few_equal_values_none():
    assert stats.mean_interval([1, 0, 1]).method == "binomial"
    assert stats.mean_interval([0.5] * 5).method == "none"
    assert stats.difference_interval([0.3, 0.9], [0.3, 0.9]) == stats.Interval(0, -math.inf, math.inf, 0.95, "none")


def test_limits_never_leave_the_range_of_the_values():
    rng = np.random.default_rng(0)
    for n in range(6, 60):
        values = np.where(rng.random(n) < 0.8, 1 / 3, rng.random(n) / 3)  # means of thirds may round up
        for method in ("bca", "percentile"):
            found = stats.mean_interval(values, method=method, resamples=200)
            assert values.min() <= found.low <= found.high <= values.max()


def test_equal_values_have_an_interval_without_length_that_says_so():
    assert stats.mean_interval([0.1] * 6) == stats.Interval(0.1, 0.1, 0.1, 0.95, "constant")
    assert stats.difference_interval([0.3, 0.4] * 3, [0.2, 0.3] * 3).method == "constant"  # but for rounding
    same = stats.difference_interval([0.3, 0.9] * 3, [0.3, 0.9] * 3)
    assert (same.low, same.estimate, same.high) == (0, 0, 0)


def test_very_small_and_very_large_values_have_intervals():
    values = skewed(30)[:, 0]
    small, one, large = (stats.mean_interval(size * values, method="bca") for size in (2.0**-600, 1, 2.0**600))
    assert (small.low, small.high) == (2.0**-600 * one.low, 2.0**-600 * one.high)
    assert (large.low, large.high) == (2.0**600 * one.low, 2.0**600 * one.high)


def test_a_difference_is_resampled_by_queries():
    a, b = skewed(40, 2).T
    found = stats.difference_interval(a, b, resamples=500, seed=2)
    assert found == stats.mean_interval(a - b, method="percentile", resamples=500, seed=2)
    assert stats.difference_intervals(a[:, None], b[:, None], resamples=500, seed=2) == [found]


def test_differences_of_successes_are_no_successes():
    assert stats.difference_interval([1, 1, 0] * 2, [0, 1, 0] * 2).method == "percentile"
    with pytest.raises(ValueError, match="difference has no 'binomial' interval"):
        stats.difference_interval([1, 1, 0], [0, 1, 0], method="binomial")


@pytest.mark.parametrize(
    ("values", "options", "says"),
    [
        ([0.5, math.nan], {}, "nan at row 1"),
        ([0.5, math.inf], {}, "inf at row 1"),
        ([], {}, "no numbers"),
        ([[0.5]], {}, "must be one row"),
        ([0.5, 0.6], {"method": "bcaa"}, "method is one of bca, percentile, gamma, binomial, mid-p"),
        ([0.5, 0.6], {"method": "binomial"}, "all 0 or 1"),
        ([0.0, 0.5, 0.5, 0.5, 0.5, 0.5, 1.0], {"method": "gamma"}, "on one side of the commonest"),
        ([0.5, 0.6], {"confidence": 95}, "confidence is a number between 0 and 1"),
        ([0.5, 0.6], {"resamples": 0}, "resamples is a whole number of 1 or more"),
    ],
)
def test_what_cannot_be_used_is_said(values, options, says):
    with pytest.raises(ValueError, match=says):
        stats.mean_interval(values, **options)


def test_results_are_frozen_and_arguments_stay_as_they_were():
    values = skewed(20)[:, 0]
    kept = values.copy()
    found = stats.mean_interval(values)
    assert (values == kept).all()
    with pytest.raises(FrozenInstanceError):
        found.low = 0


@pytest.mark.parametrize(("q", "least"), [(0.5, 6), (0.9, 36), (0.95, 72), (0.99, 368), (0.999, 3688)])
def test_a_percentile_is_resolved_from_so_many_values_on(q, least):
    assert stats.quantile_interval(np.arange(least - 1), q) is None
    assert stats.quantile_interval(np.arange(least), q) is not None


@pytest.mark.parametrize("n", [6, 37, 100, 501])
@pytest.mark.parametrize("q", [0.5, 0.75, 0.9])
def test_either_limit_of_a_percentile_is_the_sharpest_that_is_seldom_wrong(n, q):
    found = stats.quantile_interval(np.arange(1, n + 1), q)
    if found is None:
        return
    low, high = int(found.low), int(found.high)
    below = scipy_stats.binom(n, q)  # how many values lie below the true quantile
    assert below.cdf(low - 1) <= 0.025 < below.cdf(low)
    assert below.sf(high - 1) <= 0.025 < below.sf(high - 2)


def test_limits_of_a_percentile_that_are_wrong_just_as_often_as_they_may_be_are_taken():
    found = stats.quantile_interval([1, 2, 3, 4, 5], 0.5, confidence=1 - 2 / 2**5)
    assert (found.low, found.high) == (1, 5)


def test_the_estimate_is_a_value_at_a_rank():
    assert stats.quantile_interval(range(1, 101), 0.9).estimate == 90
    assert stats.quantile_interval(range(1, 1001), 0.07).estimate == 70  # 0.07 · 1000 is a little above 70
    assert stats.quantile_interval(range(1, 101), 0.801).estimate == 81


@pytest.mark.parametrize("q", [0.5, 0.9, 0.95])
def test_values_that_are_equal_within_groups_say_what_one_of_each_says(q):
    values = np.random.default_rng(2).random(100)
    often, groups = np.repeat(values, 7), np.repeat(np.arange(100), 7)
    assert stats.quantile_interval(often, q, groups=groups) == stats.quantile_interval(values, q)
    assert stats.quantile_interval(values, q, groups=np.arange(100)) == stats.quantile_interval(values, q)


def test_values_that_are_not_alike_within_groups_say_nearly_what_they_say_alone():
    values, groups = np.random.default_rng(2).random(4000), np.repeat(np.arange(400), 10)
    alone, grouped, few = (
        stats.quantile_interval(values[:n], 0.9, groups=of) for n, of in ((4000, None), (4000, groups), (400, None))
    )
    widths = [each.high - each.low for each in (alone, grouped, few)]
    assert widths[0] <= widths[1] == pytest.approx(widths[0], rel=0.25)
    assert widths[1] < widths[2] / 2


@pytest.mark.parametrize("q", [0.3, 0.5, 0.8])
@pytest.mark.parametrize("seed", range(8))
def test_values_of_groups_count_as_korn_and_graubard_have_it(seed, q):
    """By loops: the variance of the share below as a ratio of totals, and what its few groups take off."""
    rng = np.random.default_rng(seed)
    groups = rng.permutation(np.r_[np.arange(40), rng.integers(0, 40, 360)])
    values = rng.random(40)[groups] + rng.random(400)
    ordered = sorted(values.tolist())
    below = values <= ordered[math.ceil(q * 400 - 1e-9) - 1]
    share = below.mean()
    totals = [sum(below[groups == group] - share) for group in range(40)]
    variance = sum(each**2 for each in totals) * 40 / 39 / 400**2
    few = (scipy_stats.t.ppf(0.975, 399) / scipy_stats.t.ppf(0.975, 39)) ** 2
    size = int(min(max(share * (1 - share) / variance * few, 40), 400))
    of = scipy_stats.binom(size, q)
    low = max(rank for rank in range(1, size) if of.cdf(rank - 1) <= 0.025)
    high = min(rank for rank in range(1, size) if of.cdf(rank - 1) >= 0.975)
    found = stats.quantile_interval(values, q, groups=groups)
    assert 40 < size < 400
    assert found.low == ordered[math.floor((low - 1) * 400 / size)]
    assert found.high == ordered[math.ceil(high * 400 / size) - 1]


def test_groups_must_be_enough_for_a_percentile_whatever_there_is_of_each():
    values = np.random.default_rng(2).random(5000)
    assert stats.quantile_interval(values, 0.99, groups=np.repeat(np.arange(50), 100)) is None
    assert stats.quantile_interval(values, 0.99, groups=np.repeat(np.arange(500), 10)) is not None
    with pytest.raises(ValueError, match="5000 values"):
        stats.quantile_interval(values, 0.99, groups=[0, 1])


def test_groups_whose_values_are_capped_count_once_each():
    capped = np.minimum(np.repeat(np.random.default_rng(2).random(100), 3), 0.8)
    assert stats.quantile_interval(capped, 0.9, groups=np.repeat(np.arange(100), 3)) == stats.quantile_interval(
        capped[::3], 0.9
    )


def test_quantiles_do_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stats.quantile_interval(np.arange(5000.0), 0.999)


@pytest.mark.parametrize("by", [10, 3, 7])
@pytest.mark.parametrize("seed", range(5))
def test_means_that_rounding_alone_moves_count_as_equal(seed, by):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 4, int(rng.integers(12, 40))).astype(float)
    one, other = (stats.mean_interval(each, method="bca", resamples=1000) for each in (values, values / by))
    assert (other.low * by, other.high * by) == pytest.approx((one.low, one.high), rel=1e-9)


LARGE = [[1e308] * 6 + [-1e308] * 6, [1e308, 1.5e308] * 6, [1e308, 0.0, 0.0, 0.0] * 4, [1e308] + [0.0] * 29]


@pytest.mark.parametrize("method", [None, "bca", "percentile"])
@pytest.mark.parametrize("values", LARGE)
def test_the_largest_numbers_have_the_interval_of_smaller_ones(values, method):
    small = np.array(values) * 2.0**-900
    large, usual = (stats.mean_interval(each, method=method, resamples=500) for each in (values, small))
    told = (large.estimate * 2.0**-900, large.low * 2.0**-900, large.high * 2.0**-900, large.method)
    assert told == (usual.estimate, usual.low, usual.high, usual.method)
    both = np.column_stack([values, np.arange(len(values))])
    alone = stats.mean_interval(np.arange(len(values)), method="percentile", resamples=500)
    assert stats.mean_intervals(both, method="percentile", resamples=500)[1] == alone


def test_a_difference_that_is_no_number_is_refused():
    with pytest.raises(ValueError, match=r"a − b at row 1 \(from 0\) is too large for a number"):
        stats.difference_interval([1.0, 1e308, 2.0], [1.0, -1e308, 2.0])
    large = stats.difference_interval([1e308, 0.5e308] * 5, [0.0] * 10, resamples=500)
    assert 0.5e308 <= large.low <= 0.75e308 <= large.high <= 1e308
