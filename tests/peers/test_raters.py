"""Coefficients of agreement are those of scikit-learn, krippendorff and irrCAC, gaps and rare grades included."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from peer_asking import answered, interpreter

from truerank import stats
from truerank.stats.raters import OF_TWO, Tallies

PROGRAM = Path(__file__).parent / "peer_raters.py"

CASES = 300


def ask(package: str, tables: list[Any]) -> list[dict[str, float | None]]:
    """What the package answers to each table; the test is skipped where it is not installed."""
    return answered([interpreter(package), str(PROGRAM), package], tables)


def table(seed: int, raters: int, missing: float) -> np.ndarray:
    """Grades that agree more or less, on a scale of two to five that may have holes."""
    rng = np.random.default_rng(seed)
    items, scale = int(rng.integers(4, 40)), np.sort(rng.choice(7, int(rng.integers(2, 6)), replace=False))
    true = rng.choice(len(scale), items, p=rng.dirichlet(np.ones(len(scale))))
    noise = rng.random((items, raters)) < rng.random()
    grades = scale[np.where(noise, rng.integers(len(scale), size=noise.shape), true[:, None])].astype(float)
    grades[rng.random(grades.shape) < missing] = np.nan
    grades[:2, :2] = [[scale[0], scale[0]], [scale[-1], scale[0]]]  # something is there to agree on
    return grades


def listed(grades: np.ndarray) -> list[Any]:
    return [[None if value != value else int(value) for value in row] for row in grades.tolist()]


@pytest.mark.parametrize(
    ("package", "raters", "missing"),
    [
        ("sklearn", 2, 0.0),
        ("sklearn", 2, 0.2),
        *((package, raters, missing) for package in ("krippendorff", "irrCAC") for raters, missing in
          ((2, 0.0), (2, 0.3), (3, 0.0), (5, 0.4))),
    ],
)  # fmt: skip
def test_it_is_that_of_the_package(package: str, raters: int, missing: float) -> None:
    tables = [table(seed, raters, missing) for seed in range(CASES)]
    for grades, theirs in zip(tables, ask(package, list(map(listed, tables))), strict=True):
        whole = Tallies.of(grades).whole
        for name, value in theirs.items():
            ours = float(OF_TWO[name](whole))
            assert ours == pytest.approx(np.nan if value is None else value, abs=1e-12, nan_ok=True), (name, grades)


def test_the_public_functions_are_the_same() -> None:
    grades = table(1, 2, 0.0)
    whole = Tallies.of(grades).whole
    assert stats.cohen_kappa(grades[:, 0], grades[:, 1], "linear") == OF_TWO["kappa_linear"](whole)
    assert stats.krippendorff_alpha(grades, "ordinal") == OF_TWO["alpha_ordinal"](whole)
    assert stats.gwet_ac(grades, "quadratic") == OF_TWO["ac2_quadratic"](whole)
