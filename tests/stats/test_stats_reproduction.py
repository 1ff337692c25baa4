"""What is left of an experiment that was made again: by hand, and by laws."""

from __future__ import annotations

import math

import numpy as np
import pytest

from truerank import stats


@pytest.mark.parametrize("seed", range(20))
def test_the_measures_are_those_of_the_paper(seed: int) -> None:
    rng = np.random.default_rng(seed)
    advanced, baseline, again, before = rng.random((4, 30)).round(2)
    error = math.sqrt(sum((x - y) ** 2 for x, y in zip(advanced, again, strict=True)) / 30)
    assert stats.root_mean_square_error(advanced, again) == pytest.approx(error, rel=1e-12)
    gain, gain_again = sum(advanced - baseline) / 30, sum(again - before) / 30
    ratio = stats.effect_ratio(advanced, baseline, again, before)
    assert ratio == pytest.approx(gain_again / gain, rel=1e-9)
    fallen = gain / (sum(baseline) / 30) - gain_again / (sum(before) / 30)
    delta = stats.delta_relative_improvement(advanced, baseline, again, before)
    assert delta == pytest.approx(fallen, rel=1e-9)


def test_the_same_scores_are_a_perfect_reproduction() -> None:
    advanced, baseline = [0.5, 0.7, 0.9], [0.4, 0.7, 0.8]
    assert stats.root_mean_square_error(advanced, advanced) == 0
    assert stats.effect_ratio(advanced, baseline, advanced, baseline) == 1
    assert stats.delta_relative_improvement(advanced, baseline, advanced, baseline) == 0


def test_a_replication_has_other_queries_and_may_be_a_loss() -> None:
    assert stats.effect_ratio([0.5, 0.75], [0.25, 0.5], [0.5], [0.75]) == -1
    assert stats.delta_relative_improvement([0.5, 0.5], [0.25, 0.25], [0.5], [0.5]) == 1


@pytest.mark.parametrize(
    ("work", "says"),
    [
        (lambda: stats.effect_ratio([0.3, 0.1], [0.2, 0.2], [0.5], [0.25]), "there is no gain to reproduce"),
        (lambda: stats.delta_relative_improvement([0.5], [0.25], [0.5], [0]), "a baseline has the mean 0"),
        (lambda: stats.root_mean_square_error([0.5], [0.25, 0.5]), "not pairs: they have 1 and 2 values"),
        (lambda: stats.effect_ratio([math.nan], [0.5], [0.5], [0.5]), "advanced is nan at row 0"),
        (lambda: stats.root_mean_square_error([], []), "original has no numbers"),
    ],
)
def test_what_cannot_be_told_is_said(work, says):
    with pytest.raises(ValueError, match=says):
        work()
