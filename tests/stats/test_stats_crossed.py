"""Several runs of a system: components against statsmodels' ANOVA, REML and loops; and what follows of them."""

from __future__ import annotations

import itertools
import math
import statistics
import warnings

import numpy as np
import pandas
import pytest
import statsmodels.formula.api as smf
from scipy import stats as scipy_stats
from statsmodels.stats.anova import anova_lm

from truerank import stats
from truerank.stats.crossed import GUARD, Components, Spread
from truerank.stats.power import shift_detected

SIZES = list(itertools.product((2, 3, 7, 40), (2, 3, 6)))


def values(n: int, runs: int, seed: int, between: float = 0.1, digits: int = 1) -> np.ndarray:
    """Values between 0 and 1, rounded so that many are equal."""
    rng = np.random.default_rng([n, runs, seed])
    found = rng.beta(0.7, 1.2, (n, 1)) + between * rng.normal(size=(1, runs)) + rng.normal(0, 0.15, (n, runs))
    return np.round(found, digits)


def frame(table: np.ndarray) -> pandas.DataFrame:
    n, runs = table.shape
    places = itertools.product(range(n), range(runs))
    return pandas.DataFrame([(f"q{q}", f"r{r}", table[q, r]) for q, r in places], columns=["query", "run", "value"])


def by_anova(table: np.ndarray) -> tuple[float, float, float]:
    """Variances between queries and runs, and the rest, of the mean squares that statsmodels has."""
    n, runs = table.shape
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # division by a rest of 0
        found = anova_lm(smf.ols("value ~ C(query) + C(run)", frame(table)).fit())
    squares = found["mean_sq"] if "mean_sq" in found else found["sum_sq"] / found["df"]
    queries, of_runs, rest = (float(squares[name]) for name in ("C(query)", "C(run)", "Residual"))
    return (queries - rest) / runs, (of_runs - rest) / n, rest


def by_loops(table: list[list[float]]) -> tuple[float, float, float]:
    """The same as textbooks have it."""
    n, runs = len(table), len(table[0])
    grand = statistics.fmean(value for row in table for value in row)
    rows = [statistics.fmean(row) for row in table]
    columns = [statistics.fmean(row[r] for row in table) for r in range(runs)]
    queries = runs * sum((mean - grand) ** 2 for mean in rows) / (n - 1)
    of_runs = n * sum((mean - grand) ** 2 for mean in columns) / (runs - 1)
    left = sum((table[q][r] - rows[q] - columns[r] + grand) ** 2 for q in range(n) for r in range(runs))
    rest = left / ((n - 1) * (runs - 1))
    return (queries - rest) / runs, (of_runs - rest) / n, rest


@pytest.mark.parametrize(("n", "runs"), SIZES)
@pytest.mark.parametrize("oracle", [by_anova, by_loops])
def test_components_are_those_of_the_analysis_of_variance(oracle, n, runs):
    for seed in range(8):
        table = values(n, runs, seed, between=0.1 * (seed % 3))
        found = stats.components(table)
        queries, of_runs, rest = oracle(table if oracle is by_anova else table.tolist())
        assert found.mean == pytest.approx(table.mean())
        assert found.between_queries == pytest.approx(max(queries, 0), abs=1e-12)
        assert found.between_runs == pytest.approx(max(of_runs, 0), abs=1e-12)
        assert found.rest == pytest.approx(rest, abs=1e-12)
        if abs(of_runs) > 1e-12:  # else its sign is rounding
            assert ("between_runs" in found.negative) == (of_runs < 0 and found.between_runs == 0)


def test_where_all_are_positive_components_are_those_of_restricted_maximum_likelihood():
    table = values(12, 4, 1, between=0.3, digits=3)
    data = frame(table).assign(all="all")
    parts = {"query": "0 + C(query)", "run": "0 + C(run)"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = smf.mixedlm("value ~ 1", data, groups="all", vc_formula=parts).fit(reml=True)
    found, (queries, of_runs) = stats.components(table), fitted.vcomp
    assert not found.negative
    assert [found.between_queries, found.between_runs, found.rest] == pytest.approx(
        [queries, of_runs, fitted.scale], rel=2e-3
    )


def test_where_hardly_any_is_cut_at_0_variances_are_unbiased():
    rng = np.random.default_rng(3)
    shape = (4000, 10, 3)
    tables = rng.normal(0, 2, (4000, 10, 1)) + rng.normal(0, 1, (4000, 1, 3)) + rng.normal(0, 0.5, shape)
    found = [(one.between_queries, one.between_runs, one.rest) for one in map(stats.components, tables)]
    assert np.mean(found, axis=0) == pytest.approx([4, 1, 0.25], rel=0.06)


def freedom(table: np.ndarray) -> float:
    """Satterthwaite's, with the variance between runs as large as it may be (textbook, by SciPy)."""
    n, runs = table.shape
    queries = table.mean(axis=1).var(ddof=1) / n
    of_runs = max(by_loops(table.tolist())[1], 0) / runs * (runs - 1) / scipy_stats.chi2.ppf(GUARD, runs - 1)
    return (queries + of_runs) ** 2 / (queries**2 / (n - 1) + of_runs**2 / (runs - 1))


@pytest.mark.parametrize(("n", "runs"), [(30, 2), (30, 5), (60, 3)])
def test_an_interval_of_a_mean_contains_both(n, runs):
    table = values(n, runs, 5, between=0.4, digits=4)
    found = stats.mean_over_runs(table, seed=2)
    of_queries = stats.mean_interval(table.mean(axis=1), seed=2)
    assert found.spread.freedom == pytest.approx(freedom(table))
    between = by_loops(table.tolist())[1] / runs
    reach = [scipy_stats.t.ppf(0.975, nu) for nu in (freedom(table), n - 1)]
    for end in ("low", "high"):
        away = (getattr(of_queries, end) - of_queries.estimate) / reach[1]
        half = reach[0] * math.sqrt(away**2 + between)
        assert abs(getattr(found.interval, end) - found.interval.estimate) == pytest.approx(half)
    assert found.interval.low < of_queries.low < of_queries.high < found.interval.high
    whole = table.mean(axis=1).var(ddof=1) / n + between
    assert found.spread.error == pytest.approx(whole**0.5)
    assert found.spread.share_of_runs == pytest.approx(between / whole)


def test_a_difference_has_the_variance_of_each_system_s_runs():
    a, b = values(50, 3, 1, between=0.3, digits=4), values(50, 5, 2, between=0.2, digits=4)
    found = stats.difference_over_runs(a, b)
    apart = a.mean(axis=1) - b.mean(axis=1)
    parts = [apart.var(ddof=1) / 50, by_loops(a.tolist())[1] / 3, by_loops(b.tolist())[1] / 5]
    assert found.spread.error == pytest.approx(sum(parts) ** 0.5)
    guarded = [
        parts[0],
        *(part * f / scipy_stats.chi2.ppf(GUARD, f) for part, f in zip(parts[1:], (2, 4), strict=True)),
    ]
    nu = sum(guarded) ** 2 / sum(part**2 / f for part, f in zip(guarded, (49, 2, 4), strict=True))
    assert found.p == pytest.approx(2 * scipy_stats.t.sf(abs(apart.mean()) / sum(parts) ** 0.5, nu))
    turned = stats.difference_over_runs(b, a)
    assert (turned.p, turned.interval.estimate) == pytest.approx((found.p, -found.interval.estimate))


def test_with_runs_that_are_the_same_nothing_is_added():
    a, b = values(30, 1, 1), values(30, 1, 2)
    found = stats.difference_over_runs(np.repeat(a, 3, axis=1), np.repeat(b, 4, axis=1), seed=3)
    assert found.spread.of_runs == 0
    assert not any(one.between_runs or one.rest for one in found.spread.systems)
    assert [one.between_queries for one in found.spread.systems] == pytest.approx([a.var(ddof=1), b.var(ddof=1)])
    assert found.interval == stats.difference_interval(a[:, 0], b[:, 0], seed=3)
    assert (
        found.p
        == stats.paired_t(a[:, 0], b[:, 0]).p
        == pytest.approx(scipy_stats.ttest_rel(a[:, 0], b[:, 0]).pvalue)
    )


def test_one_run_each_is_the_paired_t_test():
    a, b = values(30, 1, 1), values(30, 1, 2)
    found = stats.difference_over_runs(a, b)
    assert (found.spread.systems, found.p) == ((), stats.paired_t(a[:, 0], b[:, 0]).p)
    assert found.spread.enough_runs == 1


def test_a_negative_estimate_is_set_to_0_and_said():
    table = [[0.1, 0.9], [0.9, 0.1], [0.4, 0.6], [0.6, 0.4]]
    found = stats.components(table)
    assert (found.between_runs, found.between_queries) == (0, 0)
    assert found.negative == ("between_queries", "between_runs")


def test_where_queries_do_not_differ_only_runs_help():
    table = np.tile([0.2, 0.4, 0.6], (20, 1))
    found = stats.mean_over_runs(table)
    assert (found.interval.method, found.spread.enough_runs) == ("t", None)
    assert found.spread.freedom == pytest.approx(2)
    half = scipy_stats.t.ppf(0.975, 2) * np.std([0.2, 0.4, 0.6], ddof=1) / 3**0.5
    assert found.interval.high - 0.4 == pytest.approx(half)


def test_without_any_spread_the_freedom_is_that_of_the_queries():
    spread = stats.mean_over_runs(np.full((20, 3), 0.4)).spread
    assert (spread.freedom, spread.p(0.1)) == (19, 1)


def test_a_mean_is_as_sure_as_is_asked():
    table = values(50, 3, 1, digits=4)
    usual, surer = (stats.mean_over_runs(table, confidence=level).interval for level in (0.95, 0.99))
    assert (usual.confidence, surer.confidence) == (0.95, 0.99)
    assert surer.low < usual.low < usual.high < surer.high


@pytest.mark.parametrize("seed", range(6))
def test_enough_runs_is_where_twice_the_queries_begin_to_help_more(seed):
    table = values(60, 4, seed, between=0.15, digits=4)
    found = stats.mean_over_runs(table).spread

    def half(queries: int, runs: int) -> float:
        return found.at(queries, runs).half_width()

    helps = [half(120, runs) <= half(60, 2 * runs) for runs in range(2, 300)]
    assert found.enough_runs == helps.index(True) + 2
    assert all(helps[helps.index(True) :])


def test_at_the_numbers_at_hand_the_plan_is_what_was_found():
    for found in (
        stats.mean_over_runs(values(40, 3, 1, digits=4)).spread,
        stats.difference_over_runs(values(40, 3, 1, digits=4), values(40, 3, 2, digits=4)).spread,
    ):
        same = found.at(40, 3)
        assert (same.error, same.freedom) == pytest.approx((found.error, found.freedom))
        sizes = ((40, 3), (80, 3), (80, 6), (80, 7), (10**6, 1000))
        errors = [found.at(*size).error for size in sizes]
        assert errors == sorted(errors, reverse=True)
        assert found.at(10**6, 1000).half_width() < 0.02


def test_twice_the_queries_or_the_runs_halve_their_part_whatever_each_system_has():
    found = stats.difference_over_runs(values(40, 5, 1, digits=4), values(40, 3, 2, digits=4)).spread
    queries, runs = found.times(2, 1), found.times(1, 2)
    assert (queries.of_queries, queries.of_runs) == pytest.approx((found.of_queries / 2, found.of_runs))
    assert runs.of_runs == pytest.approx(found.of_runs / 2)
    assert [one.runs for one in (*queries.systems, *runs.systems)] == [5, 3, 10, 6]
    freed = sum(one.rest / one.runs for one in found.systems) / 2 / 40
    assert runs.of_queries == pytest.approx(found.of_queries - freed)


def test_the_detectable_difference_is_found_four_times_of_five():
    found = stats.difference_over_runs(values(50, 3, 1, between=0.3), values(50, 3, 2, between=0.3)).spread
    nu, shift = found.freedom, found.detectable() / found.error
    least = scipy_stats.t.ppf(0.975, nu)
    assert scipy_stats.nct.sf(least, nu, shift) + scipy_stats.nct.cdf(-least, nu, shift) == pytest.approx(
        0.8, abs=1e-6
    )
    sharper = found.detectable(alpha=0.01) / found.error
    least = scipy_stats.t.ppf(0.995, nu)
    assert scipy_stats.nct.sf(least, nu, sharper) == pytest.approx(0.8, abs=1e-6)
    assert shift_detected(49) * 0.25 / 50**0.5 == pytest.approx(stats.smallest_detectable(0.25, 50))


@pytest.mark.parametrize("wrong", [[[0.1, 0.2]], [[0.1], [0.2]], [[0.1, math.nan], [0.2, 0.3]], [0.1, 0.2], []])
def test_what_has_no_components_is_refused(wrong):
    with pytest.raises(ValueError, match=r"two queries and two runs|only finite|must be a table|has no numbers"):
        stats.components(wrong)


def test_pairs_of_other_queries_are_refused():
    with pytest.raises(ValueError, match="not pairs"):
        stats.difference_over_runs(values(10, 2, 1), values(9, 2, 1))


def test_too_few_queries_have_no_interval():
    found = stats.mean_over_runs(values(4, 3, 1, between=0.4))
    assert (found.interval.method, found.interval.low) == ("none", -math.inf)


def test_sums_are_rounded_once_so_that_every_python_has_the_same_digits() -> None:
    systems = tuple(Components(9, 2, 0.5, 0.0, between_runs=2 * part, rest=0.1) for part in (0.1, 0.2, 0.3))
    parts = [one.of_runs for one in systems]
    assert [*itertools.accumulate(parts)][-1] != math.fsum(parts), "what sum() had before Python 3.12"
    assert Spread(9, 0.0, systems).of_runs == math.fsum(parts)
