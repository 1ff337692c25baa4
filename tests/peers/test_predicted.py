"""Prediction-powered means are equal to ppi_py's."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from peer_asking import interpreter

from truerank import stats

PROGRAM = Path(__file__).parent / "peer_predicted.py"

CASES = 400


def case(seed: int) -> dict[str, Any]:
    """A judge that is good, useless or contrary; ties; sometimes nothing varies but what people say."""
    rng = np.random.default_rng(seed)
    n, others, digits = (int(rng.integers(*each)) for each in ((2, 60), (1, 300), (0, 6)))
    model = rng.random(n + others).round(digits) * 2.0 ** int(rng.integers(-2, 3))
    people = (model[:n] * rng.choice([1, 0.5, -1, 0]) + rng.normal(0, 0.2, n)).round(digits)
    if np.ptp(model) == 0:
        model[0] += 0.5  # ppi_py divides by the variance
    return {"people": people.tolist(), "model": model.tolist(), "alpha": float(rng.choice([0.05, 0.1, 0.01]))}


def test_point_interval_and_tuned_weight_are_those_of_ppi_py() -> None:
    cases = [case(seed) for seed in range(CASES)]
    command = [interpreter("ppi_py"), str(PROGRAM)]
    done = subprocess.run(command, input=json.dumps(cases), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    for one, theirs in zip(cases, json.loads(done.stdout.splitlines()[-1]), strict=True):
        people, model = (np.array(one[key])[:, None] for key in ("people", "model"))
        how: dict[str, Any] = {"method": "normal", "confidence": 1 - one["alpha"]}
        found = stats.predicted_means(people, model, range(len(people)), **how)[0]
        ours = [found.interval.estimate, found.interval.low, found.interval.high, found.weight]
        assert ours == pytest.approx(theirs, rel=1e-11, abs=1e-12), one
