"""Many systems: max-T pattern by pattern, Tukey's test against SciPy's and statsmodels' parts, groups by search."""

from __future__ import annotations

import itertools
import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.stats.multitest import multipletests

from truerank import stats
from truerank.stats import bootstrap
from truerank.stats.ranges import range_above, range_quantile

METHODS = {"holm": "holm", "bonferroni": "bonferroni", "bh": "fdr_bh"}
some_p = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def systems(n: int, m: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng([n, m, seed])
    return rng.beta(0.6, 1.5, (n, 1)) + rng.normal(0, 0.2, (n, m)) + 0.05 * np.arange(m)


def max_t_by_hand(values: np.ndarray, signs: np.ndarray) -> list[float]:
    """Step-down max-T of Student's |t| itself, over the patterns given."""
    pairs = list(itertools.combinations(range(values.shape[1]), 2))
    between = np.array([values[:, i] - values[:, j] for i, j in pairs])

    def t(rows: np.ndarray) -> np.ndarray:
        return np.abs(rows.mean(axis=1)) / rows.std(axis=1, ddof=1)

    observed = t(between)
    flipped = np.array([t(between * pattern) for pattern in signs])
    adjusted, worst = [0.0] * len(pairs), 0.0
    for at in sorted(range(len(pairs)), key=lambda i: -observed[i]):
        rest = [i for i in range(len(pairs)) if observed[i] <= observed[at]]
        hits = (flipped[:, rest].max(axis=1) >= observed[at] * (1 - 1e-9)).mean()
        worst = adjusted[at] = max(worst, hits)
    return adjusted


@pytest.mark.parametrize("seed", range(5))
def test_max_t_counts_the_largest_t_over_all_sign_patterns(seed):
    values = systems(8, 4, seed)
    signs = np.array(list(itertools.product((1, -1), repeat=8)))
    assert stats.max_t(values).tolist() == max_t_by_hand(values, signs)


def test_max_t_samples_where_there_are_too_many_patterns():
    values = systems(40, 3)
    words = np.random.default_rng(5).integers(0, 1 << 64, (500, 1), dtype=np.uint64)[:, 0]
    signs = np.array([[2 * (int(word) >> q & 1) - 1 for q in range(40)] for word in words])
    expected = [(500 * p + 1) / 501 for p in max_t_by_hand(values, signs)]
    assert stats.max_t(values, samples=500, seed=5).tolist() == pytest.approx(expected, abs=1e-15)


def test_max_t_of_one_pair_is_the_randomization_test():
    values = systems(60, 2)
    one = stats.randomization(*values.T, samples=2000, seed=3)
    assert stats.max_t(values, samples=2000, seed=3).tolist() == [one.p]


@pytest.mark.parametrize("n", [9, 200])
def test_max_t_is_the_same_to_the_bit_however_many_differences_are_held_at_once(n, monkeypatch):
    values = systems(n, 14)
    whole = stats.max_t(values, samples=300)
    for held in (1, 3 * n, 50 * n):
        monkeypatch.setattr("truerank.stats.pairs.AT_ONCE", held)
        assert np.array_equal(stats.max_t(values, samples=300), whole)


def test_max_t_of_many_systems_and_queries_takes_little_memory():
    values = systems(5000, 120)
    tracemalloc.start()
    try:
        stats.max_t(values, samples=1)
        assert tracemalloc.get_traced_memory()[1] < 120 << 20
    finally:
        tracemalloc.stop()


def test_max_t_is_never_less_than_the_test_of_one_pair_and_mostly_below_bonferroni():
    values = systems(60, 5)
    pairs = list(itertools.combinations(range(5), 2))
    alone = np.array([stats.randomization(values[:, i], values[:, j], samples=2000).p for i, j in pairs])
    adjusted = stats.max_t(values, samples=2000)
    assert (adjusted >= alone).all()
    assert adjusted.sum() < stats.adjust(alone, "bonferroni").sum()


def test_fewer_pairs_are_adjusted_less():
    values = systems(50, 6)
    baseline = [(0, j) for j in range(1, 6)]
    every = dict(zip(itertools.combinations(range(6), 2), stats.max_t(values, samples=999), strict=True))
    some = stats.max_t(values, pairs=baseline, samples=999)
    assert all(p <= every[pair] for pair, p in zip(baseline, some, strict=True))


def test_the_size_of_blocks_changes_no_p(monkeypatch):
    values = systems(50, 4)
    before = stats.max_t(values, samples=300)
    monkeypatch.setattr(bootstrap, "BLOCK", 70)
    monkeypatch.setattr(bootstrap, "LARGEST", 1)
    assert (stats.max_t(values, samples=300) == before).all()


def test_identical_systems_are_never_told_apart_and_disturb_nobody():
    values = systems(30, 2)
    doubled = values[:, [0, 0, 1]]
    assert stats.max_t(doubled).tolist() == [1.0, *[stats.max_t(values)[0]] * 2]
    assert stats.tukey_hsd(doubled).p[0, 1] == 1


def test_a_pair_that_is_not_there_is_named():
    with pytest.raises(ValueError, match=r"no pair \(0, 3\) among 3 systems"):
        stats.max_t(systems(10, 3), pairs=[(0, 3)])


def two_way_error(values: np.ndarray) -> tuple[float, int]:
    """The mean square of the residuals and its degrees of freedom, by regression on queries and systems."""
    n, m = values.shape
    query, system = np.repeat(np.arange(n), m), np.tile(np.arange(m), n)
    design = np.column_stack([query[:, None] == np.arange(n), system[:, None] == np.arange(m)]).astype(float)
    _, squares, rank, _ = np.linalg.lstsq(np.delete(design, -1, axis=1), values.ravel(), rcond=None)
    return squares[0] / (n * m - rank), n * m - rank


@pytest.mark.parametrize(("n", "m"), [(10, 3), (30, 5)])
def test_tukeys_test_takes_the_noise_from_the_two_way_model(n, m):
    values = systems(n, m)
    square, freedom = two_way_error(values)
    found, means = stats.tukey_hsd(values), values.mean(axis=0)
    error = math.sqrt(square / n)
    assert found.half_width == pytest.approx(scipy_stats.studentized_range.ppf(0.95, m, freedom) * error, rel=1e-9)
    for i, j in itertools.combinations(range(m), 2):
        theirs = scipy_stats.studentized_range.sf(abs(means[i] - means[j]) / error, m, freedom)
        assert found.p[i, j] == found.p[j, i] == pytest.approx(theirs, abs=1e-11)


@pytest.mark.parametrize("by", [2.0**500, 2.0**1000])
def test_the_largest_numbers_have_the_tukeys_test_that_they_have_divided(by):
    values = systems(12, 4)
    found, large = stats.tukey_hsd(values), stats.tukey_hsd(values * by)
    assert large.p.tolist() == found.p.tolist()
    assert (large.half_width, large.groups) == (found.half_width * by, found.groups)


def test_tukeys_test_of_two_systems_is_the_paired_t_test():
    values = systems(25, 2)
    assert stats.tukey_hsd(values).p[0, 1] == pytest.approx(stats.paired_t(*values.T).p, rel=1e-12)


def test_means_differ_when_they_are_further_apart_than_the_half_width():
    values = systems(40, 6)
    found, means = stats.tukey_hsd(values), values.mean(axis=0)
    assert ((found.p <= 0.05) == (np.abs(means[:, None] - means) >= found.half_width)).all()
    assert found.groups == stats.groups(found.p, means, 0.05)


@pytest.mark.parametrize("freedom", [3, 10, 49, 1000])
def test_the_range_of_two_is_students_t_to_its_far_tail(freedom):
    ranges = np.array([0.001, 0.5, 2, 4, 8, 12.0])
    theirs = 2 * scipy_stats.t.sf(ranges / math.sqrt(2), freedom)
    assert range_above(ranges, 2, freedom) == pytest.approx(theirs, rel=1e-12)


@pytest.mark.parametrize(("systems", "freedom"), [(3, 4), (3, 98), (6, 250), (20, 931), (100, 4851)])
def test_the_studentized_range_is_scipys(systems, freedom):
    ranges = np.array([0.5, 1.5, 3, 4, 6])
    theirs = scipy_stats.studentized_range.sf(ranges, systems, freedom)
    assert range_above(ranges, systems, freedom) == pytest.approx(theirs, abs=2e-11)  # what theirs is exact to
    quantile = range_quantile(0.95, systems, freedom)
    assert range_above(np.array([quantile]), systems, freedom)[0] == pytest.approx(0.05, rel=1e-12)


@pytest.mark.parametrize("values", [[[0.1, 0.2, 0.3]], [[0.1], [0.2]]])
def test_one_query_or_one_system_leaves_nothing_to_tell_apart(values):
    found = stats.tukey_hsd(values)
    assert (found.p == 1).all()
    assert found.half_width == math.inf
    assert found.groups == (tuple(range(len(values[0]))),)


def test_without_noise_the_queries_are_counted_and_it_is_said():
    found = stats.tukey_hsd([[0.1, 0.2, 0.1], [0.3, 0.4, 0.3]])
    assert (found.half_width, found.constant, found.p[0, 1]) == (math.inf, True, 1)
    found = stats.tukey_hsd([[0.1, 0.2, 0.1], [0.3, 0.4, 0.3]] * 5)
    assert (found.half_width, found.constant, found.groups) == (0, True, ((1,), (0, 2)))
    assert (found.p[0, 1], found.p[0, 2]) == (3 * 2 * 0.5**10, 1)


def test_systems_that_find_nothing_at_all_are_not_told_apart():
    found = stats.tukey_hsd(np.zeros((10, 3)))
    assert ((found.p == 1).all(), found.constant, found.groups) == (True, True, ((0, 1, 2),))


@given(st.integers(1, 7), st.integers(0, 1000))
@settings(max_examples=80)
def test_groups_are_all_the_largest_sets_without_a_difference(m, seed):
    rng = np.random.default_rng(seed)
    p = np.triu(rng.random((m, m)), 1)
    p = p + p.T + np.eye(m)
    means = rng.random(m)
    together = [
        set(chosen)
        for size in range(1, m + 1)
        for chosen in itertools.combinations(range(m), size)
        if all(p[i, j] > 0.4 for i, j in itertools.combinations(chosen, 2))
    ]
    largest = [group for group in together if not any(group < other for other in together)]
    found = stats.groups(p, means, 0.4)
    assert sorted(map(sorted, found)) == sorted(map(sorted, largest))
    for group in found:
        assert [means[i] for i in group] == sorted((means[i] for i in group), reverse=True)
    assert list(found) == sorted(found, key=lambda group: [-means[i] for i in group])


@given(st.integers(1, 9), st.integers(1, 5), st.integers(0, 1000))
@settings(max_examples=80)
def test_where_there_would_be_more_groups_they_are_those_of_fewer_systems(m, most, seed):
    rng = np.random.default_rng(seed)
    p = np.triu(rng.random((m, m)), 1)
    p = p + p.T + np.eye(m)
    means = -np.arange(m)
    of_first = [stats.groups(p[:k, :k], means[:k], 0.6) for k in range(1, m + 1)]
    assert stats.groups(p, means, 0.6, most=most) == [found for found in of_first if len(found) <= most][-1]


@given(some_p)
@settings(max_examples=15)  # statsmodels collects garbage each time
@pytest.mark.parametrize(("ours", "theirs"), METHODS.items())
def test_corrections_are_those_of_statsmodels(ours, theirs, p):
    assert stats.adjust(p, ours) == pytest.approx(multipletests(p, method=theirs)[1], abs=1e-12)


@given(some_p)
def test_corrections_raise_p_and_keep_its_order_and_are_sharper_in_turn(p):
    bh, holm, bonferroni = (stats.adjust(p, method) for method in ("bh", "holm", "bonferroni"))
    assert (np.asarray(p) <= bh * (1 + 1e-15)).all()
    assert (bh <= holm * (1 + 1e-15)).all()
    assert (holm <= bonferroni).all()
    assert (bonferroni <= 1).all()
    order = np.argsort(p, kind="stable")
    for adjusted in (bh, holm, bonferroni):
        assert (np.diff(adjusted[order]) >= 0).all()


def test_no_correction_and_nothing_to_correct():
    assert stats.adjust([0.2, 0.1], "none").tolist() == [0.2, 0.1]
    assert stats.adjust([]).tolist() == []


@pytest.mark.parametrize(
    ("p", "method", "says"),
    [
        ([1.5], "holm", "from 0 to 1"),
        ([-0.1], "holm", "from 0 to 1"),
        ([math.nan], "holm", "p is nan at row 0"),
        ([0.5], "sidak", "a correction is one of holm"),
    ],
)
def test_what_cannot_be_corrected_is_said(p, method, says):
    with pytest.raises(ValueError, match=says):
        stats.adjust(p, method)
