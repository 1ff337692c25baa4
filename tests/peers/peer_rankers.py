"""Tools that learn to rank, asked as the tools of peer_oracle.py are: what a case measures is {our name: theirs}.

They know rows with a label and a score each: every judged document has both, and what is unjudged has label 0.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

import numpy as np
from peer_oracle import Answer, Case, answer, bare, tool

BINARY = ("map", "pre", "MAP", "RecallAt", "PrecisionAt", "MRR")
"""Of relevant or not; the others take grades."""


def rows(case: Case) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """(rows,) the labels and the scores of all queries, one after another, and how many rows each query has."""
    lists = {query: dict(map(tuple, case["run"][query])) for query in case["qrels"]}
    labels = [max(0, case["qrels"][query].get(doc, 0)) for query, docs in lists.items() for doc in docs]
    scores = [score for docs in lists.values() for score in docs.values()]
    return np.array(labels, float), np.array(scores, float), [len(docs) for docs in lists.values()]


def labelled(name: str, labels: np.ndarray, case: Case) -> np.ndarray:
    """The labels as they are where the case says so, else yes or no to what knows no grades."""
    is_binary = name.startswith(BINARY) and not case.get("as they are")
    return (labels >= 1).astype(float) if is_binary else labels


@tool("xgboost")
def by_xgboost(case: Case) -> Answer:
    """The scores are the margins of a model without trees."""
    import xgboost

    labels, scores, sizes = rows(case)
    means = {}
    for ours, theirs in case["measures"].items():
        matrix = xgboost.DMatrix(
            np.zeros((len(labels), 1)), label=labelled(theirs, labels, case), base_margin=scores
        )
        matrix.set_group(sizes)
        how = {"objective": "rank:ndcg", "base_score": 0.0, "eval_metric": theirs, "disable_default_eval_metric": 1}
        how |= {"ndcg_exp_gain": case.get("exp", True)}
        found = xgboost.train(how, matrix, num_boost_round=0).eval(matrix)
        means[ours] = float(found.rpartition(":")[2])
    return {"mean": means}


@tool("lightgbm")
def by_lightgbm(case: Case) -> Answer:
    """The scores are where a model begins that learns nothing."""
    import lightgbm

    labels, scores, sizes = rows(case)
    means = {}
    for ours, theirs in case["measures"].items():
        name, _, k = theirs.partition("@")
        silent = {"verbosity": -1, "min_data_in_bin": 1, "feature_pre_filter": False}
        given = {"label": labels, "group": sizes, "init_score": scores}
        train = lightgbm.Dataset(np.zeros((len(labels), 1)), params=silent, **{**given, "label": 0 * labels})
        seen: dict[str, Any] = {}
        how = {"objective": "lambdarank", "metric": name, "eval_at": [int(k)], "verbosity": -1}
        valid = train.create_valid(np.zeros((len(labels), 1)), **given)
        lightgbm.train(how, train, 1, valid_sets=[valid], callbacks=[lightgbm.record_evaluation(seen)])
        means[ours] = float(seen["valid_0"][theirs][0])
    return {"mean": means}


@tool("catboost")
def by_catboost(case: Case) -> Answer:
    from catboost.utils import eval_metric

    labels, scores, sizes = rows(case)
    groups = np.repeat(np.arange(len(sizes)), sizes)
    means = {}
    for ours, theirs in case["measures"].items():
        given = labels / case["best"] if theirs.startswith("PFound") else labelled(theirs, labels, case)
        means[ours] = float(eval_metric(given, scores, theirs, group_id=groups)[0])
    return {"mean": means}


@tool("tf-ranking")
def by_tf_ranking(case: Case) -> Answer:
    """Each query by itself, without weights."""
    import tensorflow as tf

    if "tensorflow_ranking" not in sys.modules:
        bare("tensorflow_ranking", "tensorflow_ranking.python")  # what else it has needs an older TensorFlow
    metrics = importlib.import_module("tensorflow_ranking.python.metrics_impl")
    labels, scores, sizes = (tf.constant(part, tf.float32) for part in (*rows(case)[:2], rows(case)[2]))
    ends = np.cumsum(sizes).astype(int)
    values: dict[str, dict[str, float]] = {}
    for ours, theirs in case["measures"].items():
        name, _, k = theirs.partition("@")
        metric = getattr(metrics, f"{name}Metric")(ours, topn=int(k))
        for query, first, last in zip(case["qrels"], [0, *ends], ends, strict=False):
            found, _ = metric.compute(labels[None, first:last], scores[None, first:last], None)
            values.setdefault(ours, {})[query] = float(found[0, 0])
    return answer(values)


@tool("pytorch-metric-learning")
def by_pytorch_metric_learning(case: Case) -> Answer:
    """The identities of the queries and of the ranking of all others that each has, by its own calculator."""
    import torch
    from pytorch_metric_learning.utils.accuracy_calculator import AccuracyCalculator

    order = torch.tensor(case["rankings"])
    asked, there = (torch.tensor(case["labels"][side]) for side in ("queries", "references"))
    names = case["measures"]
    ranked = lambda query, k, reference, own: (None, order[:, :k])  # noqa: E731
    calculator = AccuracyCalculator(include=tuple(names.values()), k=order.shape[1], knn_func=ranked)
    empty = [torch.zeros(len(side), 1) for side in (asked, there)]
    found = calculator.get_accuracy(empty[0], asked, empty[1], there)
    return {"mean": {ours: float(found[theirs]) for ours, theirs in names.items()}}
