"""Effects, equivalence, power and agreement: against SciPy and statsmodels, textbook loops, and laws."""

from __future__ import annotations

import itertools
import math
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.stats.power import TTestPower
from statsmodels.stats.weightstats import DescrStatsW, ttost_paired

from truerank import stats
from truerank.stats.distributions import t_shifted_beyond

few = st.lists(st.integers(0, 4).map(float), min_size=2, max_size=6)
letters = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8)
persistence = st.floats(0.05, 0.99)


def pair(n: int, ahead: float = 0.01) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    b = rng.beta(0.6, 1.5, n)
    return b + rng.normal(ahead, 0.1, n), b


def test_the_effect_is_the_mean_difference_by_its_spread():
    a, b = pair(40, ahead=0.1)
    assert stats.effect(a, b) == pytest.approx((a - b).mean() / (a - b).std(ddof=1), rel=1e-12)
    assert stats.effect(a, b) * math.sqrt(40) == pytest.approx(scipy_stats.ttest_rel(a, b).statistic, rel=1e-12)


def test_effects_without_spread_are_infinite_or_none():
    assert stats.effect([0.3, 0.4], [0.2, 0.3]) == math.inf
    assert stats.effect([0.2], [0.3]) == -math.inf
    assert stats.effect([0.2, 0.9], [0.2, 0.9]) == 0


@pytest.mark.parametrize("n", [2, 10, 60])
@pytest.mark.parametrize("margin", [0.01, 0.05, 0.3])
def test_equivalence_is_that_of_statsmodels(n, margin):
    a, b = pair(n)
    found = stats.tost(a, b, margin)
    assert found.p == pytest.approx(ttost_paired(a, b, -margin, margin)[0], rel=1e-11, abs=0)
    limits = DescrStatsW(a - b).tconfint_mean(alpha=0.1)
    assert (found.low, found.high) == pytest.approx(limits, abs=1e-12)
    assert found.equivalent == (-margin < found.low and found.high < margin)


@pytest.mark.parametrize("margin", [0.01, 0.05, 0.3])
def test_non_inferiority_is_a_one_sided_t_test(margin):
    a, b = pair(30, ahead=-0.01)
    found = stats.non_inferiority(a, b, margin)
    theirs = scipy_stats.ttest_1samp(a - b, -margin, alternative="greater").pvalue
    assert found.p == pytest.approx(theirs, rel=1e-12, abs=0)
    assert found.equivalent == (found.low > -margin)
    assert found.high == math.inf


def test_equivalence_of_the_same_and_of_one_query_is_defined():
    same = stats.tost([0.2, 0.5] * 3, [0.2, 0.5] * 3, 0.1)
    assert (same.equivalent, same.low, same.high) == (True, 0, 0)
    one = stats.tost([0.2], [0.2], 0.1)
    assert (one.p, one.equivalent, one.low, one.high) == (1, False, -math.inf, math.inf)
    apart = stats.tost([0.5, 0.75] * 3, [0.25, 0.5] * 3, 0.1)
    assert (apart.p, apart.equivalent) == (1, False)


@pytest.mark.parametrize("n", range(1, 6))
def test_so_few_equal_differences_show_no_equivalence(n):
    for a in ([0.2] * n, [0.25] * n):
        found = stats.tost(a, [0.2] * n, 0.1)
        assert (found.p, found.equivalent, found.low, found.high) == (1, False, -math.inf, math.inf)
        one_sided = stats.non_inferiority(a, [0.2] * n, 0.1)
        assert (one_sided.p, one_sided.equivalent, one_sided.low) == (1, False, -math.inf)


@pytest.mark.parametrize("margin", [0, -0.1, math.nan, math.inf])
def test_a_margin_is_above_0(margin):
    with pytest.raises(ValueError, match="margin is a number above 0"):
        stats.tost([0.1, 0.2], [0.1, 0.3], margin)


@pytest.mark.parametrize("freedom", [1, 4, 30])
@pytest.mark.parametrize("shift", [-3.0, 40.0, 900.0, 1e5])
def test_t_of_any_shift_is_beyond_a_limit_as_often_as_for_each_spread_that_is_estimated(freedom, shift):
    """The mean over evenly spaced quantiles of the estimated spread, of how often a normal deviate is beyond."""
    levels = (np.arange(100_000) + 0.5) / 100_000
    spread = np.sqrt(scipy_stats.chi2.ppf(levels, freedom) / freedom)
    for t in abs(shift) * np.array([0.5, 1.0, 1.5]):
        above, below = scipy_stats.norm.sf(t * spread - shift), scipy_stats.norm.cdf(-t * spread - shift)
        assert t_shifted_beyond(t, freedom, shift) == pytest.approx((above + below).mean(), abs=1e-5)
    assert t_shifted_beyond(0.0, freedom, shift) == pytest.approx(1)


@pytest.mark.parametrize("n", [2, 10, 50, 1000])
@pytest.mark.parametrize("size", [0.05, 0.2, 0.5, 1.5])
@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_power_is_that_of_statsmodels(n, size, alpha):
    theirs = TTestPower().power(size, n, alpha)
    if math.isnan(theirs):  # SciPy's non-central t gives up on a tail that is next to nothing
        theirs = scipy_stats.nct.sf(scipy_stats.t.isf(alpha / 2, n - 1), n - 1, size * math.sqrt(n))
    assert stats.power(0.3, n, 0.3 * size, alpha=alpha) == pytest.approx(theirs, abs=1e-12)
    assert stats.power(0.3, n, -0.3 * size, alpha=alpha) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("alpha", [0.05, 0.01])
@pytest.mark.parametrize("n", [2, 10, 50, 1000])
def test_the_smallest_detectable_difference_is_detected_just_so_often(n, alpha):
    least = stats.smallest_detectable(0.25, n, alpha=alpha, power=0.9)
    assert stats.power(0.25, n, least, alpha=alpha) == pytest.approx(0.9, abs=1e-12)
    if n > 2:
        assert least == pytest.approx(0.25 * TTestPower().solve_power(nobs=n, alpha=alpha, power=0.9), rel=1e-4)


@pytest.mark.parametrize("difference", [0.01, 0.1, 0.5, 3])
def test_the_queries_needed_are_the_fewest(difference):
    n = stats.queries_needed(0.25, difference)
    assert stats.power(0.25, n, difference) >= 0.8
    assert n == 2 or stats.power(0.25, n - 1, difference) < 0.8


def test_power_without_spread_without_difference_and_with_one_query_is_defined():
    assert stats.power(0, 10, 0.1) == 1
    assert (stats.power(0.2, 10, 0), stats.power(0.2, 1, 5)) == (0.05, 0)  # one query has p = 1
    assert stats.queries_needed(0, 0.1) == 2
    assert stats.smallest_detectable(0, 10) == 0
    assert stats.smallest_detectable(0.2, 1) == math.inf


@pytest.mark.parametrize(
    ("work", "says"),
    [
        (lambda: stats.queries_needed(0.2, 0), "difference of 0"),
        (lambda: stats.queries_needed(0.2, 1e-9), "not enough"),
        (lambda: stats.power(-1, 10, 0.1), "sd is a number from 0 up"),
        (lambda: stats.power(math.nan, 10, 0.1), "sd is a number from 0 up"),
        (lambda: stats.power(0.1, 10, math.nan), "difference is a finite number"),
        (lambda: stats.power(0.1, 0, 0.1), "n is a whole number"),
        (lambda: stats.smallest_detectable(0.1, 10, power=0.01), "power must be above alpha"),
        (lambda: stats.mean_over_runs([[0, 1], [1, 1]] * 9).spread.detectable(alpha=0), "alpha is a number"),
        (lambda: stats.critical_sd(math.nan, 10), "difference is a finite number"),
        (lambda: stats.tost([0.1, 0.2], [0.1, 0.3], 0.1, alpha=0), "alpha is a number"),
    ],
)
def test_what_has_no_power_is_said(work, says):
    with pytest.raises(ValueError, match=says):
        work()


def tau_ap_of_a_list(truth: list[float], order: tuple[int, ...]) -> float:
    """Yilmaz, Aslam and Robertson, equation 5, a pair that is tied in truth counting half."""
    total = 0.0
    for i in range(1, len(order)):
        above = [truth[j] - truth[order[i]] for j in order[:i]]
        total += sum(1.0 if d > 0 else 0.5 if d == 0 else 0.0 for d in above) / i
    return 2 * total / (len(order) - 1) - 1


@given(few, st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_tau_ap_is_the_textbooks_mean_over_all_ways_to_break_ties(estimate, random):
    truth = [float(random.randint(0, 4)) for _ in estimate]
    n = range(len(estimate))
    orders = [
        order
        for order in itertools.permutations(n)
        if all(estimate[order[i]] >= estimate[order[i + 1]] for i in n[:-1])
    ]
    expected = sum(tau_ap_of_a_list(truth, order) for order in orders) / len(orders)
    assert stats.tau_ap(truth, estimate) == pytest.approx(expected, abs=1e-12)


def test_tau_ap_ends_at_1_and_minus_1_and_minds_the_top_more():
    assert stats.tau_ap([3, 2, 1], [30, 20, 10]) == 1
    assert stats.tau_ap([3, 2, 1], [10, 20, 30]) == -1
    assert stats.tau_ap([4, 3, 2, 1], [3, 4, 2, 1]) < stats.tau_ap([4, 3, 2, 1], [4, 3, 1, 2])


@given(few, st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_kendalls_tau_is_scipys_and_0_where_all_are_tied(x, random):
    y = [float(random.randint(0, 4)) for _ in x]
    theirs = scipy_stats.kendalltau(x, y).statistic
    assert stats.kendall_tau(x, y) == pytest.approx(0 if math.isnan(theirs) else theirs, abs=1e-12)
    assert stats.kendall_tau(x, y) == stats.kendall_tau(y, x)


def rbo_by_loops(a: list[str], b: list[str], p: float) -> float:
    """Webber, Moffat and Zobel, equation 32, as it stands."""
    short, long = sorted((a, b), key=len)
    s, l = len(short), len(long)  # noqa: E741
    x = {d: len(set(short[:d]) & set(long[:d])) for d in range(1, l + 1)}
    seen = sum(x[d] / d * p**d for d in range(1, l + 1))
    assumed = sum(x[s] * (d - s) / (s * d) * p**d for d in range(s + 1, l + 1))
    return (1 - p) / p * (seen + assumed) + ((x[l] - x[s]) / l + x[s] / s) * p**l


@given(letters, letters, persistence)
def test_rbo_is_the_textbooks(a, b, p):
    found = stats.rbo(a, b, p)
    assert found == (pytest.approx(rbo_by_loops(a, b, p), abs=1e-12) if a and b else float(a == b))
    assert 0 <= found <= 1
    assert found == stats.rbo(b, a, p)


@given(letters, persistence)
def test_rbo_of_a_list_with_itself_is_1(a, p):
    assert stats.rbo(a, a, p) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    ("work", "says"),
    [
        (lambda: stats.rbo("aa", "ab"), "holds each thing once"),
        (lambda: stats.rbo("ab", "ab", 1), "p is a number between 0 and 1"),
        (lambda: stats.kendall_tau([1], [1]), "at least two systems"),
        (lambda: stats.tau_ap([1, 2], [1, 2, 3]), "2 and 3 systems"),
        (lambda: stats.kendall_tau([1, math.nan], [1, 2]), "the first ranking is nan"),
    ],
)
def test_what_has_no_order_is_said(work, says):
    with pytest.raises(ValueError, match=says):
        work()


def test_a_missing_scipy_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(ModuleNotFoundError, match=r'pip install "truerank\[stats\]"'):
        stats.paired_t([0.1, 0.5, 0.2], [0.2, 0.1, 0.6])


def test_scipy_is_not_loaded_before_it_is_needed():
    program = "import sys, truerank.stats; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_the_number_of_threads_changes_no_bit():
    code = "from truerank import stats; print(repr(stats.smallest_detectable(0.3, 3, alpha=1e-4)))"
    command = [sys.executable, "-c", code]
    found = {
        subprocess.run(
            command, env={**os.environ, "OPENBLAS_NUM_THREADS": n}, capture_output=True, text=True, check=True
        ).stdout
        for n in "12"
    }
    assert len(found) == 1
