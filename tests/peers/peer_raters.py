"""Coefficients of agreement by the packages that people use for them: run by an interpreter that has them.

    python peer_raters.py PACKAGE

Each line of standard input is a JSON list of tables, a row an item and a column a rater, null where there is no
grade; each line printed a list of {coefficient: value}, null where the package has none.
"""

from __future__ import annotations

import json
import math
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

Table = list[list[float | None]]


def sklearn(table: Table) -> dict[str, float]:
    from sklearn.metrics import cohen_kappa_score

    complete = [row for row in table if None not in row]
    a, b = zip(*complete, strict=True)
    scale = range(min(*a, *b), max(*a, *b) + 1)  # its weights are of places, which then are the grades
    ways = {"kappa": None, "kappa_linear": "linear", "kappa_quadratic": "quadratic"}
    return {name: cohen_kappa_score(a, b, labels=list(scale), weights=way) for name, way in ways.items()}


def krippendorff(table: Table) -> dict[str, float]:
    import krippendorff as package

    data = np.array(table, float).T
    levels = {"alpha": "nominal", "alpha_ordinal": "ordinal", "alpha_interval": "interval"}
    return {name: package.alpha(data, level_of_measurement=level) for name, level in levels.items()}


def irrcac(table: Table) -> dict[str, float]:
    import pandas as pd
    from irrCAC.raw import CAC

    frame = pd.DataFrame(np.array(table, float))
    ways = {"ac1": "identity", "ac2_linear": "linear", "ac2_quadratic": "quadratic"}
    found = {name: CAC(frame, weights=way, digits=15).gwet() for name, way in ways.items()}
    return {name: one["est"]["coefficient_value"] for name, one in found.items()}


PACKAGES: dict[str, Callable[[Table], dict[str, float]]] = {
    "sklearn": sklearn,
    "krippendorff": krippendorff,
    "irrCAC": irrcac,
}


def answer(of: Callable[[Table], dict[str, float]], table: Table) -> dict[str, Any]:
    values = of(table)
    return {name: None if math.isnan(value) else float(value) for name, value in values.items()}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        found = [answer(PACKAGES[sys.argv[1]], table) for table in json.loads(line)]
        sys.stdout.write(json.dumps(found) + "\n")
        sys.stdout.flush()
