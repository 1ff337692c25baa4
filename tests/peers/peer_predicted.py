"""What ppi_py makes of cases on standard input: point, interval and tuned weight, as JSON."""

from __future__ import annotations

import json
import sys

import numpy as np


def found(people: list[float], model: list[float], alpha: float) -> list[float]:
    from ppi_py import ppi_mean_ci, ppi_mean_pointestimate
    from ppi_py.ppi import _calc_lam_glm

    n, known = len(people), np.array(people)
    of_judged, others = np.array(model[:n]), np.array(model[n:])
    low, high = ppi_mean_ci(known, of_judged, others, alpha=alpha)
    point = ppi_mean_pointestimate(known, of_judged, others)
    gradients = (each[:, None] - point for each in (known, of_judged, others))
    weight = _calc_lam_glm(*gradients, np.eye(1), clip=True)
    return [float(np.ravel(each)[0]) for each in (point, low, high, weight)]


if __name__ == "__main__":
    sys.stdout.write(json.dumps([found(**case) for case in json.load(sys.stdin)]) + "\n")
