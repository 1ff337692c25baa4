"""Systems over several collections against SciPy, statsmodels and textbook loops."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats as peer
from statsmodels.regression.mixed_linear_model import MixedLM
from statsmodels.stats.multitest import multipletests

from truerank import stats
from truerank.stats.mixed import Variances
from truerank.stats.ranks import indistinct, surely_better


def drawn(seed, sizes, m, *, apart=0.05, between=0.1):
    """Scores of systems on queries within collections, all different in variance and size."""
    rng = np.random.default_rng(seed)
    ability = apart * np.arange(m)
    return [
        np.round(0.4 + ability + between * rng.standard_normal(m) + rng.normal(0, 0.3, (n, m)), 3) for n in sizes
    ]


@pytest.mark.parametrize("seed", range(20))
def test_votes_are_those_of_ranks_with_ties_shared(seed):
    means = np.random.default_rng(seed).integers(0, 4, (5, 7)) / 4
    votes = sum(7 - peer.rankdata(-row, "average") for row in means)
    assert stats.borda(means).tolist() == votes.tolist()


@pytest.mark.parametrize("seed", range(10))
def test_the_fixed_mean_of_two_collections_is_welchs(seed):
    one, other = drawn(seed, (7, 20), 2)
    found = stats.nested([one, other], resamples=10).overall
    for at, interval in enumerate(found):
        theirs = peer.ttest_ind(one[:, at], -other[:, at], equal_var=False).confidence_interval()
        assert np.allclose([2 * interval.low, 2 * interval.high], theirs, atol=1e-12)


@pytest.mark.parametrize("sizes", [(7, 12, 9), (3,) * 9])
def test_two_systems_on_fixed_collections_are_in_order_where_welchs_test_says_so(sizes):
    """Resamples decide nearly as the test of the two does: p from 0.04 to 0.065 are left out."""
    decided = []
    for seed in range(60):
        values = drawn(seed, sizes, 2, apart=0.15)
        apart = [each[:, 1] - each[:, 0] for each in values]
        errors, free = (
            np.array(of) for of in zip(*((d.var(ddof=1) / len(d), len(d) - 1) for d in apart), strict=True)
        )
        t = np.mean([d.mean() for d in apart]) / (errors.sum() ** 0.5 / len(sizes))
        p = 2 * peer.t.sf(abs(t), errors.sum() ** 2 / (errors**2 / free).sum())
        if not 0.04 <= p <= 0.065:
            found = stats.nested(values, resamples=2000).better
            assert found[1, 0] == (p < 0.05 and t > 0), p
            assert found[0, 1] == (p < 0.05 and t < 0), p
            decided.append(p)
    assert sum(0.065 < p < 0.2 for p in decided) >= 5
    assert sum(0.01 < p < 0.04 for p in decided) >= 5


@pytest.mark.parametrize("sizes", [(1, 1, 2), (5, 9, 30, 4, 4, 8), (3,) * 15])
def test_the_mean_over_random_collections_is_students(sizes):
    values = drawn(1, sizes, 3)
    found = stats.nested(values, collections="random", resamples=10).overall
    means = np.array([each.mean(axis=0) for each in values])
    theirs = peer.ttest_1samp(means, 0).confidence_interval()
    assert np.allclose([each.low for each in found], theirs.low, atol=1e-12)
    assert np.allclose([each.high for each in found], theirs.high, atol=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_few_random_collections_are_compared_by_t_with_holm(seed):
    values = drawn(seed, (40,) * 5, 5, apart=0.2)
    found = stats.nested(values, collections="random", resamples=10)
    means = np.array([each.mean(axis=0) for each in values])
    pairs = list(itertools.combinations(range(5), 2))
    p = [peer.ttest_rel(means[:, i], means[:, j]).pvalue for i, j in pairs]
    for (i, j), is_sure in zip(pairs, multipletests(p, 0.05, "holm")[0], strict=True):
        up = means[:, i].mean() > means[:, j].mean()
        assert (found.better[i, j], found.better[j, i]) == (is_sure and up, is_sure and not up)


def by_hand(resamples, spread, observed, alpha, *, exact):
    """The step-down over all orders, each statistic by itself."""
    m = len(spread)
    open_orders = set(itertools.permutations(range(m), 2))
    better = np.zeros((m, m), bool)
    while open_orders:
        largest = [max((row[i] - row[j]) / spread[i, j] for i, j in open_orders) for row in resamples]
        decided = set()
        for i, j in open_orders:
            hits = sum(each >= observed[i, j] * (1 - 1e-9) for each in largest)
            p = hits / len(largest) if exact else (hits + 1) / (len(largest) + 1)
            decided |= {(i, j)} if p <= alpha else set()
        if not decided:
            break
        open_orders -= decided
        better[tuple(zip(*decided, strict=True))] = True
    return better


@pytest.mark.parametrize(("m", "seed"), [*((4, seed) for seed in range(30)), *((5, seed) for seed in range(12))])
def test_orders_are_those_of_a_textbook_step_down(m, seed):
    rng = np.random.default_rng(seed)
    exact = seed % 2 == 0
    scale = 0.5 + rng.random((m, m))
    spread = scale + scale.T
    spread[0, 1] = spread[1, 0] = np.inf
    ability = np.arange(m) * rng.uniform(2, 4)
    observed = (ability[:, None] - ability) / spread
    resamples = rng.standard_normal((199, m))
    found = surely_better(resamples, spread, observed, 0.1, exact=exact)
    assert (found == by_hand(resamples, spread, observed, 0.1, exact=exact)).all()
    assert found.any()


@pytest.mark.parametrize(("samples", "exact"), [(39, False), (40, True)])
def test_an_order_is_sure_where_its_p_is_just_alpha(samples, exact):
    """Of 39 samples 3 are as far, or of all 40 there are 4: p is 0.1; with one more it is above that."""
    resamples = np.column_stack([np.arange(1.0, samples + 1), np.zeros(samples)])
    spread = np.array([[np.inf, 1], [1, np.inf]])
    for observed, is_sure in ((36.5, True), (35.5, False)):
        found = surely_better(resamples, spread, np.array([[0, observed], [-observed, 0]]), 0.1, exact=exact)
        assert found.tolist() == [[False, is_sure], [False, False]]


@pytest.mark.parametrize("n", [6, 8, 10])
def test_random_collections_are_flipped_in_every_way(n):
    values = drawn(n, (20,) * n, 4, apart=0.15)
    found = stats.nested(values, collections="random")
    means = np.array([each.mean(axis=0) for each in values])
    signs = np.array(list(itertools.product([1, -1], repeat=n)))
    apart = means[:, :, None] - means[:, None]
    spread = np.sqrt((apart**2).sum(axis=0))
    np.fill_diagonal(spread, np.inf)
    expected = by_hand(signs @ means, spread, apart.sum(axis=0) / spread, 0.05, exact=True)
    assert (found.better == expected).all()
    assert found.better.any()


def test_ranks_leave_room_for_all_that_cannot_be_told_apart():
    better = np.zeros((4, 4), bool)
    better[0, 2] = better[0, 3] = better[1, 3] = True
    assert stats.rank_intervals(better).tolist() == [[1, 2], [1, 3], [2, 4], [3, 4]]
    assert indistinct(better, [4, 3, 2, 1]) == ((0, 1), (1, 2), (2, 3))
    assert indistinct(np.zeros((2, 2)), [0, 1]) == ((1, 0),)


@pytest.mark.filterwarnings("ignore:The MLE may be on the boundary")
@pytest.mark.parametrize("sizes", [(6,) * 8, (3, 5, 9, 4, 12, 7, 2, 6)])
@pytest.mark.parametrize("seed", range(4))
def test_components_are_those_of_statsmodels_mixed_model(seed, sizes):
    rng = np.random.default_rng([seed, 1])
    values = [
        rng.normal(0, 0.3, (1, 1))
        + rng.normal(0, 0.2, (1, 3))
        + rng.normal(0, 0.4, (n, 1))
        + rng.normal(0, 0.3, (n, 3))
        for n in sizes
    ]
    found = stats.mixed_model(values)
    contrasts = np.linalg.qr(np.column_stack([np.ones(3), [1, -1, 0], [1, 1, -2]]))[0][:, 1:]
    between, within = reml([each @ contrasts for each in values])
    assert (found.systems, found.rest) == (pytest.approx(between, abs=1e-5), pytest.approx(within, rel=1e-3))
    between, within = reml([each.mean(axis=1, keepdims=True) for each in values])
    assert found.collections == pytest.approx(max(0, between - found.systems / 3), abs=1e-4)
    assert found.queries == pytest.approx(within - found.rest / 3, rel=1e-3)


def reml(values):
    """A random intercept of each collection in each column, and a mean of each column, by statsmodels."""
    rows = [(v, k, c) for k, part in enumerate(values) for c, column in enumerate(part.T) for v in column]
    y, group, column = map(np.array, zip(*rows, strict=True))
    fit = MixedLM(y, np.eye(column.max() + 1)[column], groups=group * 10 + column).fit(reml=True, method="powell")
    return float(fit.cov_re[0, 0]), float(fit.scale)


@pytest.mark.parametrize("kind", ["fixed", "random"])
def test_the_model_agrees_with_the_sample_where_collections_are_of_one_size(kind):
    found = stats.nested(drawn(3, (25,) * 9, 4, between=0.3), collections=kind, resamples=10)
    assert found.error == pytest.approx(found.model_error, rel=1e-6)


def test_errors_are_those_of_a_hierarchical_bootstrap():
    """Collections drawn again with their queries: the variance is that of the sample by (K − 1) / K."""
    values = drawn(5, (30,) * 12, 2)
    means = np.array([each.mean(axis=0) for each in values])
    rng = np.random.default_rng(1)
    again = means[rng.integers(12, size=(40_000, 12))].mean(axis=1)
    spread = (again[:, 0] - again[:, 1]).std() * np.sqrt(12 / 11)
    assert stats.nested(values, collections="random", resamples=10).error == pytest.approx(spread, rel=0.02)


def test_errors_of_fixed_collections_are_those_of_drawing_their_queries_again():
    values = drawn(6, (30, 50, 40), 2)
    rng = np.random.default_rng(1)
    again = sum(each[rng.integers(len(each), size=(40_000, len(each)))].mean(axis=1) for each in values) / 3
    spread = (again[:, 0] - again[:, 1]).std()
    assert stats.nested(values, resamples=10).error == pytest.approx(spread, rel=0.03)


@pytest.mark.parametrize("kind", ["fixed", "random"])
def test_less_is_better_turns_the_ranks_alone(kind):
    values = drawn(7, (20,) * 8, 4, apart=0.2)
    plain, turned = (stats.nested(values, collections=kind, lower_is_better=less) for less in (False, True))
    assert turned.overall == plain.overall
    assert (turned.better == plain.better.T).all()
    assert plain.better.any()
    assert turned.ranks.tolist() == (5 - plain.ranks[:, ::-1]).tolist()
    assert turned.borda.tolist() == (8 * 3 - plain.borda).tolist()


@pytest.mark.parametrize("kind", ["fixed", "random"])
def test_the_same_seed_gives_the_same_orders_and_identical_systems_never_differ(kind):
    values = [np.column_stack([each, each[:, 0]]) for each in drawn(8, (20,) * 14, 3, apart=0.2)]
    one, again = (stats.nested(values, collections=kind, resamples=500, seed=3) for _ in range(2))
    assert (one.better == again.better).all()
    assert not one.better[0, 3]
    assert not one.better[3, 0]
    assert one.better.any()


def test_a_collection_of_one_query_leaves_fixed_means_without_an_interval():
    values = drawn(9, (1, 30, 30), 3)
    fixed, random = (stats.nested(values, collections=kind) for kind in ("fixed", "random"))
    assert {each.method for each in fixed.overall} == {"none"}
    assert fixed.ranks.tolist() == [[1, 3]] * 3
    assert fixed.error is None
    assert {each.method for each in random.overall} == {"t"}


def test_one_system_or_one_collection_is_no_order():
    values = drawn(1, (20, 20, 20), 1, between=0.5)
    alone = stats.nested(values)
    assert alone.ranks.tolist() == [[1, 1]]
    assert alone.groups == ((0,),)
    assert alone.error is None
    within = np.mean([each.var(ddof=1) for each in values])
    between = np.var([each.mean() for each in values], ddof=1) - within / 20
    assert alone.variances == Variances(pytest.approx(between), pytest.approx(within), 0, 0)
    single = stats.nested(drawn(1, (20,), 2), collections="random")
    assert single.overall[0].method == "none"
    assert single.variances is None


def test_a_difference_without_spread_is_judged_by_its_sign():
    flat = [np.column_stack([np.arange(20) / 20, np.arange(20) / 20 + 0.5])] * 3
    found = stats.nested(flat)
    assert found.better.tolist() == [[False, False], [True, False]]


def test_systems_that_find_nothing_at_all_are_not_told_apart():
    found = stats.nested([np.zeros((10, 2))] * 3)
    assert not found.better.any()
    assert {(each.method, each.low, each.high) for each in found.overall} == {("constant", 0, 0)}


def test_many_differences_without_spread_are_corrected_for_their_number():
    few = [np.arange(4)[:, None] / 8 + np.arange(20) / 40] * 2
    assert not stats.nested(few).better.any()


@pytest.mark.parametrize(
    ("values", "how", "words"),
    [
        ([], {}, "no collection"),
        ([[[1, 2]], [[1]]], {}, "different numbers of systems"),
        ([[[1, np.nan]]], {}, "finite"),
        ([[[1, 2]]], {"collections": "some"}, "fixed or random"),
        ([[[1, 2]]], {"confidence": 1}, "confidence"),
        ([[[1, 2]]], {"resamples": 0}, "resamples"),
    ],
)
def test_wrong_input_is_named(values, how, words):
    with pytest.raises(ValueError, match=words):
        stats.nested(values, **how)
