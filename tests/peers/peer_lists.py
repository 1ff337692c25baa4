"""Tools of recommenders and of metric learning asked for their numbers: run by an interpreter that has them.

    python peer_lists.py TOOL

Standard input is one JSON list of cases, standard output one of the answers, {measure: value}. A case has "uses"
([user, item] pairs before), "right" (those after), "features" ({item: numbers}), "lists" ({user: items}); or
"rankings" and "labels".
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
import types
import warnings
from typing import Any

Case = dict[str, Any]

KS = (1, 3, 5)


def frames(case: Case, names: tuple[str, str]) -> tuple[Any, Any]:
    """What was used before, and what is listed, with ranks, as tables."""
    import pandas as pd

    user, item = names
    rows = [(who, doc, rank) for who, docs in case["lists"].items() for rank, doc in enumerate(docs, 1)]
    return pd.DataFrame(case["uses"], columns=[user, item]), pd.DataFrame(rows, columns=[user, item, "rank"])


def rectools(case: Case) -> dict[str, float]:
    import pandas as pd
    from rectools import metrics as theirs
    from rectools.metrics.distances import PairwiseHammingDistanceCalculator

    uses, lists = frames(case, ("user_id", "item_id"))
    features = pd.DataFrame.from_dict(case["features"], orient="index")
    apart, asked = PairwiseHammingDistanceCalculator(features), {}
    for k in KS:
        asked[f"Novelty@{k}"] = theirs.MeanInvUserFreq(k=k)
        asked[f"ILD(distance='hamming')@{k}"] = theirs.IntraListDiversity(k=k, distance_calculator=apart)
        asked[f"Coverage@{k}"] = theirs.CatalogCoverage(k=k, normalize=True)
        asked[f"Popularity@{k}"] = theirs.AvgRecPopularity(k=k)
        asked[f"Serendipity@{k}"] = theirs.Serendipity(k=k)
    right = pd.DataFrame(case["right"], columns=["user_id", "item_id"])
    return theirs.calc_metrics(asked, lists, right, uses, list(case["features"]))


def recommenders(case: Case) -> dict[str, float]:
    import numpy as np
    import pandas as pd
    from recommenders.evaluation import python_evaluation as theirs

    uses, lists = frames(case, ("userID", "itemID"))
    features = pd.DataFrame(
        {
            "itemID": list(case["features"]),
            "features": [np.array(row, float) for row in case["features"].values()],
        }
    )
    similar = theirs.diversity(uses, lists, features, "item_feature_vector")
    return {
        "Coverage": theirs.catalog_coverage(uses, lists),
        "Novelty": theirs.novelty(uses, lists),
        "Entropy": theirs.distributional_coverage(uses, lists),
        "ILD": similar,
    }


def recmetrics(case: Case) -> dict[str, float]:
    import pandas as pd

    if "recmetrics" not in sys.modules:
        spec = importlib.util.find_spec("recmetrics")
        assert spec is not None
        package = types.ModuleType("recmetrics")  # its __init__ draws
        package.__path__ = list(spec.submodule_search_locations or [])
        sys.modules["recmetrics"] = package
        for name in ("matplotlib", "matplotlib.pyplot"):  # imported by its metrics, and not used by these
            sys.modules.setdefault(name, types.ModuleType(name))
    theirs = importlib.import_module("recmetrics.metrics")
    lists = list(case["lists"].values())
    features = pd.DataFrame.from_dict(case["features"], orient="index")
    return {
        "Coverage": theirs.prediction_coverage(lists, list(case["features"])) / 100,
        "ILD": 1 - theirs.intra_list_similarity(lists, features),
    }


def pytorch_metric_learning(case: Case) -> dict[str, float]:
    import torch
    from pytorch_metric_learning.utils.accuracy_calculator import AccuracyCalculator

    order = torch.tensor(case["rankings"])
    ranked = AccuracyCalculator(
        include=("mean_average_precision_at_r",), knn_func=lambda query, k, reference, own: (None, order[:, :k])
    )
    asked, there = (torch.tensor(case["labels"][side]) for side in ("queries", "references"))
    empty = [torch.zeros(len(side), 1) for side in (asked, there)]
    found = ranked.get_accuracy(empty[0], asked, empty[1], there)
    return {"APatR": found["mean_average_precision_at_r"]}


TOOLS = {each.__name__: each for each in (rectools, recommenders, recmetrics, pytorch_metric_learning)}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    asked = TOOLS[sys.argv[1]]
    json.dump(
        [{name: float(value) for name, value in asked(case).items()} for case in json.load(sys.stdin)], sys.stdout
    )
