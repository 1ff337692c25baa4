"""Means of values that are nearly all the same: exact Poisson limits of equal ones, gamma quantiles of others."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2, norm, t
from statsmodels.stats.rates import confint_poisson

from truerank import stats


@pytest.mark.parametrize("rare", range(1, 10))
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_of_equal_values_the_low_end_is_the_exact_one_of_a_poisson_count(rare: int, confidence: float) -> None:
    values = np.where(np.arange(200) < rare, 0.25, 0.0)
    found = stats.mean_interval(values, confidence=confidence)
    low, high = confint_poisson(rare, 200, method="exact-c", alpha=1 - confidence)
    far = 2 * norm.cdf(-t.ppf((1 + confidence) / 2, rare))
    _, higher = confint_poisson(rare, 200, method="exact-c", alpha=far)
    assert found.method == "gamma"
    assert (found.low, found.high) == pytest.approx((0.25 * low, 0.25 * min(1, higher)), rel=1e-10)
    assert found.high > 0.25 * high


@pytest.mark.parametrize("seed", range(20))
def test_of_others_it_is_fay_and_feuers(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, rare = int(rng.integers(25, 300)), int(rng.integers(1, 10))
    weights = rng.beta(0.6, 2, rare)
    found = stats.mean_interval(np.append(weights, np.zeros(n - rare)))
    y, v, w = weights.sum(), (weights**2).sum(), weights.max()  # the paper's formulas, with chi-squared
    low = v / (2 * y) * chi2.ppf(0.025, 2 * y**2 / v) / n
    far = norm.cdf(-t.ppf(0.975, rare))
    high = (v + w**2) / (2 * (y + w)) * chi2.isf(far, 2 * (y + w) ** 2 / (v + w**2)) / n
    assert (found.low, found.high) == pytest.approx((low, min(high, w)), rel=1e-9)
    assert found.differing == (rare if rare < 3 else None)


@pytest.mark.parametrize("most", [43, 8])
def test_ones_among_which_few_fail_are_the_mirror_image(most: int) -> None:
    values = np.append(np.zeros(most), [0.5, 1.0, 0.3, 0.2, 0.5, 1.0, 0.1])
    found, turned = stats.mean_interval(values), stats.mean_interval(1 - values)
    assert (turned.low, turned.high) == pytest.approx((1 - found.high, 1 - found.low), abs=1e-15)
    tiny = stats.mean_interval(values * 2.0**-600)
    assert (tiny.low, tiny.high) == (found.low * 2.0**-600, found.high * 2.0**-600)


def test_it_is_taken_only_where_few_differ_and_all_to_one_side() -> None:
    rng = np.random.default_rng(0)
    ways = {n: stats.mean_interval(np.append(rng.random(n), np.zeros(50 - n))).method for n in (1, 9, 10, 50)}
    assert ways == {1: "gamma", 9: "gamma", 10: "bca", 50: "bca"}
    assert stats.mean_interval([*[0.5] * 44, 0.1, 0.2, 0.9, 1.0, 0.3, 0.0]).method == "bca"
    assert stats.mean_interval([*[0.5] * 6, 0.1, 0.2, 0.3, 0.4, 0.0, 0.6, 0.7]).method == "bca"
    assert stats.mean_interval([0.0] * 49 + [1.0]).method == "binomial"
    assert stats.mean_intervals(np.eye(50)[:, :1], shares=False)[0].method == "gamma"
    both = stats.mean_intervals(np.eye(50)[:, :2], shares=[False, True])
    assert [one.method for one in both] == ["gamma", "binomial"]


def test_a_comparison_says_which_intervals_are_such() -> None:
    import truerank as tr

    qrels = {f"q{n}": {"a": 1} for n in range(50)}
    run = {q: ["x", "a"] if n < 3 else ["a", "x"] if n < 7 else ["x"] for n, q in enumerate(qrels)}
    found = tr.compare(qrels, [run], "RR NumRelRet")
    assert [found[m].means["run"].method for m in ("RR", "NumRelRet")] == ["gamma", "gamma"]
    text = found.to_text(layout="long")
    assert "BCa bootstrap, gamma where fewer than 10 values differ from all the others" in text
    assert "too short" not in text
