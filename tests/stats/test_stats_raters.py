"""Coefficients of agreement against textbook loops, their intervals, and the agreement of orders."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.stats import invwishart

from truerank import stats
from truerank.stats import orders
from truerank.stats.raters import OF_ALL, OF_TWO, Tallies

DISTANCES = {
    "unweighted": lambda c, k: float(c != k),
    "linear": lambda c, k: abs(c - k),
    "quadratic": lambda c, k: (c - k) ** 2,
}


def grades_of(seed: int, raters: int = 2, missing: float = 0.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    true = rng.integers(4, size=rng.integers(6, 30))
    noise = rng.random((len(true), raters)) < 0.4
    grades = np.where(noise, rng.integers(4, size=noise.shape), true[:, None]).astype(float)
    grades[rng.random(grades.shape) < missing] = np.nan
    grades[0, :2] = 0, 3
    return grades


def kappa(a: list[float], b: list[float], weights: str) -> float:
    """Mean distance of the pairs against that of every grade of one with every grade of the other."""
    apart = DISTANCES[weights]
    seen = sum(apart(x, y) for x, y in zip(a, b, strict=True)) / len(a)
    return 1 - seen / (sum(apart(x, y) for x in a for y in b) / len(a) ** 2)


def alpha(rows: list[list[float]], scale: str) -> float:
    """Mean distance of pairs within items against that of all pairs of grades (Krippendorff 2004, 11.3)."""
    rows = [row for row in rows if len(row) > 1]
    everything = [grade for row in rows for grade in row]

    def apart(c: float, k: float) -> float:
        if scale != "ordinal":
            return DISTANCES["unweighted" if scale == "nominal" else "quadratic"](c, k)
        low, high = min(c, k), max(c, k)
        between = sum(low <= grade <= high for grade in everything)
        return 0 if c == k else (between - (everything.count(c) + everything.count(k)) / 2) ** 2

    n = len(everything)
    seen = sum(apart(*pair) / (len(row) - 1) for row in rows for pair in itertools.permutations(row, 2)) / n
    return 1 - seen / (sum(apart(*pair) for pair in itertools.permutations(everything, 2)) / (n * (n - 1)))


def ac(rows: list[list[float]], weights: str) -> float:
    """Gwet (2014), 4.3 and 5.4: chance agreement from how evenly the grades are spread."""
    scale = sorted({grade for row in rows for grade in row})
    most = max(DISTANCES[weights](c, k) for c in scale for k in scale)
    alike = {(c, k): 1 - DISTANCES[weights](c, k) / most for c in scale for k in scale}
    several = [row for row in rows if len(row) > 1]
    agreed = sum(
        sum(alike[pair] for pair in itertools.permutations(row, 2)) / (len(row) * (len(row) - 1)) for row in several
    ) / len(several)
    graded = [row for row in rows if row]
    common = [sum(row.count(k) / len(row) for row in graded) / len(graded) for k in scale]
    chance = sum(alike.values()) / (len(scale) * (len(scale) - 1)) * sum(p * (1 - p) for p in common)
    return (agreed - chance) / (1 - chance)


def rows_of(grades: np.ndarray) -> list[list[float]]:
    return [[grade for grade in row if grade == grade] for row in grades.tolist()]


@pytest.mark.parametrize("seed", range(60))
def test_coefficients_are_those_of_the_textbooks(seed: int) -> None:
    two = grades_of(seed)
    for weights in DISTANCES:
        a, b = two.T.tolist()
        assert stats.cohen_kappa(a, b, weights) == pytest.approx(kappa(a, b, weights), abs=1e-12)
    for grades in (two, grades_of(seed, 4, 0.4)):
        for scale in ("nominal", "ordinal", "interval"):
            expected = alpha(rows_of(grades), scale)
            assert stats.krippendorff_alpha(grades, scale) == pytest.approx(expected, abs=1e-12)
        for weights in DISTANCES:
            assert stats.gwet_ac(grades, weights) == pytest.approx(ac(rows_of(grades), weights), abs=1e-12)


def test_items_that_one_of_two_left_out_are_not_in_kappa() -> None:
    a, b = [0, 1, 1, math.nan, 2], [0, 1, 2, 2, math.nan]
    assert stats.cohen_kappa(a, b) == stats.cohen_kappa(a[:3], b[:3])


@pytest.mark.parametrize(
    "ask",
    [
        lambda: stats.cohen_kappa([1, 1], [1, 1]),
        lambda: stats.krippendorff_alpha([[1, 1], [1, 1]]),
        lambda: stats.gwet_ac([[1, 1], [1, 1]]),
        lambda: stats.krippendorff_alpha([[1, math.nan], [math.nan, 2]]),
        lambda: stats.cohen_kappa([1, 2], [1, 2, 3]),
        lambda: stats.cohen_kappa([1, 2], [1, 2], "cubic"),
        lambda: stats.krippendorff_alpha([[1, 2], [2, 2]], "cubic"),
        lambda: stats.gwet_ac([1, 2]),
        lambda: stats.cohen_kappa(range(40), range(40)),
    ],
)
def test_what_has_no_coefficient_is_refused(ask) -> None:
    with pytest.raises(ValueError, match=r"different grades|not pairs|not 'cubic'|table"):
        ask()


@pytest.mark.parametrize("stray", [math.inf, -math.inf])
@pytest.mark.parametrize(
    "of", [stats.krippendorff_alpha, stats.gwet_ac, lambda rows: stats.cohen_kappa(*np.transpose(rows))]
)
def test_a_grade_that_is_not_finite_is_refused(of, stray: float) -> None:
    with pytest.raises(ValueError, match=r"a grade is a finite number, or NaN where it is missing, not -?inf"):
        of([[0, 0], [0, 1], [1, 1], [stray, 3]])


@pytest.mark.parametrize(
    ("scale", "said"),
    [
        ([0, 2], "the grade 1 is not on the scale 0, 2"),
        ([0, 1], "the grade 2 is not on the scale 0, 1"),
        ([1, 2], "the grade 0 is not on the scale 1, 2"),
        ([], "is not on the scale"),
        ([0, 1, 2, math.nan], "a scale has finite grades, not nan"),
    ],
)
def test_a_grade_that_is_not_on_the_scale_is_refused(scale: list[float], said: str) -> None:
    grades = [[1, 1], [0, 2], [2, 2], [1, 0]]
    with pytest.raises(ValueError, match=said):
        stats.gwet_ac(grades, scale=scale)
    with pytest.raises(ValueError, match=said):
        Tallies.of(np.array(grades, float), scale=scale)


def test_a_wider_scale_holds_the_grades_that_nobody_gave() -> None:
    grades = [[1, 1], [0, 2], [2, math.nan], [1, 0]]
    assert Tallies.of(np.array(grades), scale=[3, 2, 1, 0]).shares.shape == (1, 4)


def test_the_sums_of_clusters_are_those_of_all_items() -> None:
    grades, cluster = grades_of(3, 3, 0.2), np.arange(len(grades_of(3, 3, 0.2))) % 5
    whole, parts = Tallies.of(grades).whole, Tallies.of(grades, cluster, 5).whole
    for of in OF_TWO.values():
        assert of(parts) == pytest.approx(of(whole), abs=1e-12, nan_ok=True)


def test_intervals_draw_whole_clusters_and_are_the_same_for_a_seed() -> None:
    rng = np.random.default_rng(1)
    grades = np.repeat(rng.integers(3, size=(40, 2)), 25, axis=0).astype(float)
    cluster = np.repeat(np.arange(40), 25)
    of_queries = stats.coefficient_intervals(Tallies.of(grades, cluster, 40), OF_TWO, resamples=500)
    of_items = stats.coefficient_intervals(Tallies.of(grades, np.arange(1000), 1000), OF_TWO, resamples=500)
    for name, found in of_queries.items():
        assert found.estimate == pytest.approx(of_items[name].estimate, abs=1e-12)
        assert found.high - found.low > 3 * (of_items[name].high - of_items[name].low)  # 5 times, but for chance
    again = stats.coefficient_intervals(Tallies.of(grades, cluster, 40), OF_TWO, resamples=500)
    assert again == of_queries


def test_an_interval_is_none_of_few_clusters_and_where_resamples_have_no_value() -> None:
    few = Tallies.of(grades_of(1), np.arange(len(grades_of(1))) % 4, 4)
    assert {found.method for found in stats.coefficient_intervals(few, OF_ALL, resamples=50).values()} == {"none"}
    rare = np.ones((30, 2))
    rare[0] = 0, 0
    found = stats.coefficient_intervals(Tallies.of(rare, np.arange(30), 30), OF_TWO, resamples=200)
    assert (found["kappa"].estimate, found["kappa"].method) == (1.0, "none")
    assert found["equal"].method == "constant"


@pytest.mark.parametrize("systems", [2, 3, 5, 9])
def test_many_taus_are_those_of_each_row(systems: int) -> None:
    rng = np.random.default_rng(systems)
    x, y = (rng.integers(top, size=(300, systems)).astype(float) for top in (3, 6))
    for one, other in ((x, y), (y, x), (x, x), (rng.random(x.shape), rng.random(x.shape))):
        taus = [stats.kendall_tau(*row) for row in zip(one, other, strict=True)]
        by_top = [stats.tau_ap(*row) for row in zip(one, other, strict=True)]
        assert stats.kendall_taus(one, other) == pytest.approx(np.array(taus), abs=1e-12)
        assert stats.tau_aps(one, other) == pytest.approx(np.array(by_top), abs=1e-12)


def means_and_draws(n: int, systems: int, seed: int, spread: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    own = spread * rng.normal(size=systems)
    values = own + rng.normal(size=(n, 1, 1)) + rng.normal(size=(n, 2, systems))
    times = rng.multinomial(n, np.ones(n) / n, 400)
    return values.mean(axis=0), np.einsum("rn,njs->rjs", times, values) / n


def test_the_interval_of_an_order_is_narrow_where_systems_are_far_apart_and_wide_where_they_are_close() -> None:
    widths = []
    for spread in (10.0, 0.3):
        (a, b), drawn = means_and_draws(50, 12, 4, spread)
        tau, by_top = stats.order_intervals(a, b, drawn, 50)
        assert (tau.estimate, by_top.estimate) == (stats.kendall_tau(a, b), stats.tau_ap(a, b))
        assert tau.method == by_top.method == "empirical Bayes"
        assert (tau, by_top) == stats.order_intervals(a, b, drawn, 50)
        widths.append(tau.high - tau.low)
    assert 2 * widths[0] < widths[1]


def test_an_order_of_the_largest_means_has_the_interval_that_it_has_divided() -> None:
    (a, b), drawn = means_and_draws(50, 12, 4, 10.0)
    huge = 2.0**1000
    assert stats.order_intervals(a * huge, b * huge, drawn * huge, 50) == stats.order_intervals(a, b, drawn, 50)


def test_an_order_of_few_queries_or_systems_has_no_interval_and_one_judge_with_himself_has_no_width() -> None:
    (a, b), drawn = means_and_draws(50, 4, 1, 1.0)
    assert {each.method for each in stats.order_intervals(a, b, drawn, 5)} == {"none"}
    assert {each.method for each in stats.order_intervals(a[:2], b[:2], drawn[:, :, :2], 50)} == {"none"}
    same = np.repeat(drawn[:, :1], 2, axis=1)
    tau, _ = stats.order_intervals(a, a, same, 50)
    assert (tau.low, tau.high, tau.method) == (1.0, 1.0, "constant")


def test_means_that_systems_may_have_are_those_of_the_model_drawn_directly() -> None:
    """Covariances from SciPy's inverse Wishart, means from their normal distribution given what is seen."""
    rng, resamples, systems, wider = np.random.default_rng(1), 40_000, 5, 1.1
    within = np.array([[1.0, 0.4], [0.4, 0.5]])
    seen = np.array([[0.0, 1, 2, 3, 5], [1.0, 0, 2, 4, 3]])
    drawn = seen + np.einsum("ab,dbs->das", np.linalg.cholesky(within), rng.normal(size=(resamples, 2, systems)))
    there, noise = seen - seen.mean(axis=1, keepdims=True), wider * np.linalg.cholesky(within)
    unit = np.linalg.inv(noise) @ there
    total = invwishart.rvs(systems - 1, unit @ unit.T, size=resamples, random_state=2)
    spread, axes = np.linalg.eigh(total)
    share = np.maximum(spread - 1, orders.FLOOR) / (np.maximum(spread - 1, orders.FLOOR) + 1)
    free = np.sqrt(share)[:, :, None] * rng.normal(size=(resamples, 2, systems))
    mean = share[:, :, None] * (axes.transpose(0, 2, 1) @ unit)
    expected = noise @ axes @ (mean + free - free.mean(axis=2, keepdims=True))
    found = orders._likely(seen, drawn, wider, np.random.default_rng(3))
    assert found.mean(axis=0) == pytest.approx(expected.mean(axis=0), abs=0.03)
    for at in range(systems):
        assert np.cov(found[:, :, at].T) == pytest.approx(np.cov(expected[:, :, at].T), abs=0.03)


def test_a_judge_of_twice_the_first_ones_grades_puts_systems_in_the_same_order() -> None:
    a = np.random.default_rng(2).random(6)
    drawn = a + np.random.default_rng(3).normal(0, 0.02, (300, 6))
    tau, _ = stats.order_intervals(a, 2 * a, np.stack([drawn, 2 * drawn], axis=1), 50)
    assert (tau.estimate, tau.high) == (1, 1)
    assert tau.low > 0.99
