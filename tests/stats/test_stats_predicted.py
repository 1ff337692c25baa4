"""Prediction-powered means: the textbook's loops, what they reduce to, what they refuse, how they are drawn."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats

from truerank import stats
from truerank.stats.predicted import predicted_means, selection


def textbook(y, f, unlabelled, confidence):
    """PPI++ for a mean, by the formulas of the paper (sections 2, 3 and 6), one number after another."""
    n, others = len(y), len(unlabelled)
    both = [*f, *unlabelled]
    middle_y, middle_f, middle = sum(y) / n, sum(f) / n, sum(both) / len(both)
    together = sum((a - middle_y) * (b - middle_f) for a, b in zip(y, f, strict=True)) / n
    spread = sum((b - middle) ** 2 for b in both) / (len(both) - 1)
    weight = min(1.0, max(0.0, together / ((1 + n / others) * spread))) if spread > 1e-20 else 0.0
    left = [a - weight * b for a, b in zip(y, f, strict=True)]
    rest = [weight * b for b in unlabelled]
    estimate = sum(left) / n + sum(rest) / others

    def variance(values):
        mean = sum(values) / len(values)
        return sum((v - mean) ** 2 for v in values) / len(values) ** 2

    half = scipy.stats.norm.ppf((1 + confidence) / 2) * math.sqrt(variance(left) + variance(rest))
    return estimate, estimate - half, estimate + half, weight


def cases(count=200):
    rng = np.random.default_rng(23)
    for _ in range(count):
        n, others, digits = (int(rng.integers(*each)) for each in ((2, 40), (1, 120), (0, 5)))
        model = rng.random(n + others).round(digits)
        people = (model[:n] * rng.choice([1, 0.5, -1, 0]) + rng.normal(0, 0.2, n)).clip(0, 1).round(digits)
        yield people, model


def test_as_published_it_is_the_formula_of_the_paper():
    for people, model in cases():
        n = len(people)
        found = predicted_means(people[:, None], model[:, None], range(n), method="normal", confidence=0.9)[0]
        known = (found.interval.estimate, found.interval.low, found.interval.high, found.weight)
        assert known == pytest.approx(
            textbook(people.tolist(), model[:n].tolist(), model[n:].tolist(), 0.9), abs=1e-12
        )


def test_the_places_of_the_judged_do_not_matter_nor_do_other_columns():
    rng = np.random.default_rng(3)
    people, model = rng.random((12, 3)), rng.random((50, 3))
    places = rng.permutation(50)[:12]
    turned = np.concatenate([model[places], np.delete(model, places, axis=0)])
    apart = [predicted_means(people[:, [i]], turned[:, [i]], range(12))[0] for i in range(3)]
    for one, other in zip(predicted_means(people, model, places), apart, strict=True):
        assert one.interval.estimate == pytest.approx(other.interval.estimate, abs=1e-12)
        assert one.interval.low == pytest.approx(other.interval.low, abs=1e-12)


def test_without_the_model_it_is_students_interval():
    people = np.random.default_rng(1).random(20)
    for model in (np.full(60, 0.5), np.random.default_rng(2).random(60)):
        found = predicted_means(people[:, None], model[:, None], range(20), method="t", weight=0.0)[0]
        low, high = scipy.stats.t.interval(0.95, 19, people.mean(), scipy.stats.sem(people))
        assert (found.interval.low, found.interval.high) == pytest.approx((low, high), abs=1e-12)
        assert found.p == pytest.approx(scipy.stats.ttest_1samp(people, 0).pvalue, abs=1e-15)
        assert found.worth == pytest.approx(20)


def test_where_people_judged_all_it_is_their_mean():
    people, model = np.random.default_rng(5).random((2, 30, 1))
    found = predicted_means(people, model, range(30), method="t")[0]
    assert found.weight == 0
    assert found.interval == found.judged
    assert found.interval.estimate == pytest.approx(people.mean())


def test_a_tuned_weight_is_the_regression_estimator_of_two_phase_samples():
    """Cochran, section 12.6: where the slope in the judged is that over all, with n − 2 degrees of freedom."""
    x = np.tile(np.linspace(0.1, 0.9, 8), 6)
    y = (0.3 + 0.5 * x[:8] + np.tile([0.05, -0.05], 4))[:, None]
    found = predicted_means(y, x[:, None], range(8), method="t")[0]
    ours = scipy.stats.linregress(x[:8], y[:, 0])
    slope = found.weight * 48 / 40
    assert slope == pytest.approx(ours.slope * np.var(x[:8]) / np.var(x, ddof=1), rel=1e-12)
    left = y[:, 0] - slope * x[:8]
    assert found.parts[0] == pytest.approx(((left - left.mean()) ** 2).sum() / (8 - 2), rel=1e-12)


def test_the_error_counts_what_the_slope_adds_where_the_judged_have_other_predictions_than_all():
    """Cochran, section 12.6: (1 + gap² / variance) / n; here the judged are two deviations above the others."""
    rng = np.random.default_rng(7)
    usual = np.linspace(-1, 1, 12) / np.linspace(-1, 1, 12).std()
    model = 0.1 * np.r_[usual + 2, np.tile(usual, 200)][:, None]
    found = [
        predicted_means(0.5 * model[:12] + rng.normal(0, 0.02, (12, 1)), model, range(12), method="t")[0]
        for _ in range(200)
    ]
    spread = np.std([each.interval.estimate for each in found])
    assert np.mean([each.error**2 for each in found]) ** 0.5 == pytest.approx(spread, rel=0.1)


def test_probabilities_that_are_all_equal_are_a_random_sample():
    people, model = np.random.default_rng(6).random((2, 40, 1))
    one, other = (
        predicted_means(people[:9], model, range(9), probability=p)[0] for p in (None, np.full(40, 0.225))
    )
    assert one == other


def test_strata_are_estimated_one_by_one():
    rng = np.random.default_rng(8)
    model = rng.random((90, 1))
    probability = np.repeat([0.5, 0.1], [30, 60])
    places = np.r_[0:15, 30:36]
    people = rng.random((21, 1))
    found = predicted_means(people, model, places, probability=probability, weight=0.0)[0]
    assert found.interval.estimate == pytest.approx((people[:15].mean() * 30 + people[15:].mean() * 60) / 90)


def test_other_probabilities_weigh_as_horvitz_and_thompson_have_it():
    rng = np.random.default_rng(9)
    model, probability = rng.random((80, 1)), rng.uniform(0.1, 0.6, 80)
    places = np.flatnonzero(rng.random(80) < probability)
    people = rng.random((len(places), 1))
    found = predicted_means(people, model, places, probability=probability)[0]
    weights = 1 / probability[places] / (1 / probability[places]).sum()
    slope = found.weight * 80 / (80 - len(places))
    by_hand = slope * model.mean() + weights @ (people[:, 0] - slope * model[places, 0])
    assert found.interval.estimate == pytest.approx(by_hand, abs=1e-12)


def test_over_all_samples_of_a_small_collection_it_is_right_on_average():
    """Every sample of 3 of 8 queries, with a fixed weight: the mean of the estimates is the truth."""
    from itertools import combinations

    truth, model = np.random.default_rng(10).random((2, 8, 1))
    found = [
        predicted_means(truth[list(at)], model + 0.3, list(at), weight=0.6)[0].interval.estimate
        for at in combinations(range(8), 3)
    ]
    assert np.mean(found) == pytest.approx(truth.mean(), abs=1e-12)


def test_resamples_say_much_the_same_and_always_the_same():
    rng = np.random.default_rng(11)
    model = rng.random((200, 1))
    people = (model[:60] + rng.normal(0, 0.1, (60, 1))).clip(0, 1)
    drawn, again = (predicted_means(people, model, range(60), method="percentile", seed=4)[0] for _ in range(2))
    plain = predicted_means(people, model, range(60), method="t")[0]
    assert drawn == again
    assert (drawn.interval.low, drawn.interval.high) == pytest.approx(
        (plain.interval.low, plain.interval.high), abs=0.005
    )


def test_skewness_takes_the_interval_further_on_its_side_and_never_makes_it_shorter():
    model = np.linspace(0, 1, 100)[:, None]
    people = np.r_[np.zeros(20), 0.2, 0.9, 0.9, 1.0][:, None]
    plain, skewed = (predicted_means(people, model, range(24), method=how)[0] for how in ("t", "skewed-t"))
    assert skewed.interval.high > plain.interval.high
    assert skewed.interval.low == pytest.approx(plain.interval.low)


def test_needed_queries_make_the_interval_as_narrow_as_wanted_and_one_fewer_does_not():
    rng = np.random.default_rng(12)
    model = rng.random((500, 1))
    people = (model[:40] + rng.normal(0, 0.1, (40, 1))).clip(0, 1)
    found = predicted_means(people, model, range(40), method="t")[0]
    falling, staying = found.parts

    def width(n):
        return 2 * scipy.stats.t.ppf(0.975, n - 2) * math.sqrt(falling / n + staying / 500)

    for wanted in (0.06, 0.07, 0.08):
        n = found.needed(wanted)
        assert width(n) <= wanted < width(n - 1)
        assert found.needed(wanted, alone=True) > n
    assert found.needed(0.01) is None
    assert found.needed(0.9) == 20, "fewer promise nothing"
    assert width(40) == pytest.approx(found.interval.high - found.interval.low, rel=0.15)


def test_without_the_model_as_many_queries_are_needed_as_for_students_interval():
    rng = np.random.default_rng(1)
    people = rng.random(40)
    found = predicted_means(people[:, None], rng.random((2000, 1)), range(40))[0]
    error = people.std(ddof=1) / np.sqrt(np.arange(1, 2001))
    for wanted in np.linspace(0.1, 0.25, 30):
        fits = 2 * scipy.stats.t.ppf(0.975, np.arange(20, 2000) - 1) * error[19:1999] <= wanted
        assert found.needed(wanted, alone=True) == 20 + fits.argmax()


@pytest.mark.parametrize("people", [[0.5], [0.5, 0.7], [0.1, 0.2, 0.3, 0.4, 0.9]])
def test_too_few_judged_queries_have_no_interval(people):
    found = predicted_means(np.array(people)[:, None], np.linspace(0, 1, 30)[:, None], range(len(people)))[0]
    assert found.interval.method == "none"
    assert (found.interval.low, found.interval.high) == (-np.inf, np.inf)
    assert math.isfinite(found.interval.estimate)


def test_the_p_of_too_few_judged_queries_is_not_below_that_of_a_sign_test():
    for people in ([0.5, 0.9], [0.5, 0.5], [0.2, 0.3, 0.25, 0.4]):
        found = predicted_means(np.array(people)[:, None], np.zeros((30, 1)), range(len(people)), weight=0.0)[0]
        assert found.p == 2 * 0.5 ** len(people)
    unsure = predicted_means(np.array([[-0.1], [0.9], [0.5]]), np.zeros((30, 1)), range(3), weight=0.0)[0]
    assert unsure.p == pytest.approx(scipy.stats.ttest_1samp([-0.1, 0.9, 0.5], 0).pvalue)


def test_constant_values_are_said_to_be_constant():
    found = predicted_means(np.full((20, 1), 0.3), np.full((90, 1), 0.8), range(20))[0]
    assert (found.interval.method, found.interval.estimate, found.weight) == ("constant", pytest.approx(0.3), 0)


def test_predictions_that_vary_by_rounding_alone_are_constant():
    model = np.ones((60, 1)) - np.random.default_rng(1).random((60, 1)) * 1e-15
    people = np.random.default_rng(2).random((30, 1))
    found = predicted_means(people, model, range(30))[0]
    assert found.weight == 0
    assert found.interval == found.judged


def test_a_model_that_is_mostly_right_leaves_few_queries_that_decide():
    model = np.random.default_rng(3).random((200, 1))
    people = model[:40].copy()
    people[:3] = 0
    assert predicted_means(people, model, range(40))[0].interval.differing == 3


def test_a_model_never_makes_more_judgements_needed_than_none():
    rng = np.random.default_rng(8)
    for spread in (0.0, 0.1, 1.0, 10.0):
        people = rng.beta(1, 3, (30, 1))
        model = np.concatenate([people + spread * rng.random((30, 1)), 3 * rng.random((70, 1))])
        found = predicted_means(people, model, range(30))[0]
        narrowest = 2 * scipy.stats.t.ppf(0.975, 99) * math.sqrt(found.alone / 100) * (1 + 1e-9)  # all, judged
        for width in (narrowest, 0.07, 0.09, 0.1, 0.12, 0.2):
            alone = found.needed(width, alone=True)
            assert alone is None or (found.needed(width) or 101) <= alone


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"places": [0, 0, 1]}, "each once"),
        ({"places": [0, 1, 9]}, "each once"),
        ({"places": [0, 1]}, "3 judged rows and 2 places"),
        ({"probability": [0.5, 0.5, 0.5, 0.0, 0.5]}, "above 0"),
        ({"probability": [0.5]}, "for each query"),
        ({"method": "bca"}, "method is one of"),
        ({"confidence": 1.0}, "confidence"),
        ({"weight": float("nan")}, "weight is a finite number"),
    ],
)
def test_what_cannot_be_is_refused(how, said):
    given = {"places": [0, 1, 2], **how}
    with pytest.raises(ValueError, match=said):
        predicted_means(np.zeros((3, 1)), np.zeros((5, 1)), given.pop("places"), **given)
    with pytest.raises(ValueError, match="columns"):
        predicted_means(np.zeros((3, 2)), np.zeros((5, 1)), [0, 1, 2])
    with pytest.raises(ValueError, match="above 0"):
        predicted_means(np.random.default_rng(0).random((9, 1)), np.zeros((9, 1)), range(9))[0].needed(0)


def test_selection_is_mann_and_whitneys_test():
    rng = np.random.default_rng(4)
    for digits in (0, 1, 5):
        values = rng.random((60, 2)).round(digits)
        places = rng.permutation(60)[:17]
        rest = np.delete(values, places, axis=0)
        theirs = scipy.stats.mannwhitneyu(values[places], rest, method="asymptotic", use_continuity=False).pvalue
        assert selection(values, places) == pytest.approx(theirs, rel=1e-9)


def test_selection_by_score_is_seen_and_explained_by_its_probabilities():
    rng = np.random.default_rng(5)
    values = rng.random((400, 1))
    likely = 0.05 + 0.6 * values[:, 0]
    places = np.flatnonzero(rng.random(400) < likely)
    assert selection(values, places)[0] < 1e-6
    assert selection(values, places, likely)[0] > 0.01


@pytest.mark.parametrize("likely", [lambda v: 0.1 + 0.8 * v, lambda v: np.where(v > 0.5, 0.5, 0.2)])
def test_samples_drawn_with_these_probabilities_differ_as_often_as_is_said(likely):
    """Also where values decide the probabilities: each query by its own, or by those of its stratum."""
    rng = np.random.default_rng(6)
    values = rng.random((150, 1))
    chance = likely(values[:, 0])
    p = [selection(values, np.flatnonzero(rng.random(150) < chance), chance)[0] for _ in range(500)]
    for level in (0.01, 0.05, 0.2, 0.5):
        assert np.mean(np.array(p) < level) == pytest.approx(level, abs=3 * math.sqrt(level * (1 - level) / 500))


def test_a_constant_column_shows_nothing_of_the_selection():
    assert selection(np.ones((9, 1)), [0, 1])[0] == 1


def test_it_is_public():
    assert stats.predicted_means is predicted_means
    assert stats.selection is selection


@pytest.mark.parametrize("scale", [1.0, 1e-60, 1e-100, 1e-300])
def test_values_may_be_as_small_as_numbers_are(scale):
    rng = np.random.default_rng(4)
    model = rng.random((13, 1)) * scale
    found = predicted_means(model[:6] / 2, model, range(6))[0]
    assert math.isfinite(found.error)
    assert 0 < found.p <= 1
    assert found.interval.low <= found.interval.estimate <= found.interval.high
