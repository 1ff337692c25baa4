"""Tools of recommenders, asked as the tools of peer_oracle.py are: what a case measures is {our name: theirs}."""

from __future__ import annotations

import importlib
import importlib.util
import logging
import os
import sys
from functools import cache
from typing import Any

from peer_oracle import Answer, Case, answer, bare, docs_of, relevant_of, stand_in, tool


@tool("spark")
def by_spark(case: Case) -> Answer:
    """By RankingMetrics, or by the `evaluator` where the case says so: one virtual machine, as it starts slowly."""
    return _by_evaluator(case) if case.get("evaluator") else _by_metrics(case)


def _by_metrics(case: Case) -> Answer:
    """RankingMetrics; where a case is `graded` it has the grades too, best first."""
    from pyspark.mllib.evaluation import RankingMetrics

    rows: list[tuple[Any, ...]] = []
    for query, judged in case["qrels"].items():
        labels = sorted(relevant_of(case, query), key=lambda doc: -judged[doc])
        row = [_numbers(docs_of(case, query)), _numbers(labels)]
        rows.append((*row, [float(judged[doc]) for doc in labels]) if case.get("graded") else tuple(row))
    metrics = RankingMetrics(spark().sparkContext.parallelize(rows, 1))
    means = {}
    for ours, theirs in case["measures"].items():
        name, _, k = theirs.partition(" ")
        found = getattr(metrics, name)
        means[ours] = float(found(int(k)) if k else found)
    return {"mean": means}


def _by_evaluator(case: Case) -> Answer:
    """RankingEvaluator, whose predictions and labels are columns of one table."""
    from pyspark.ml.evaluation import RankingEvaluator

    rows = [(_numbers(docs_of(case, q)), _numbers(relevant_of(case, q))) for q in case["qrels"]]
    table = spark().createDataFrame(rows, "prediction array<double>, label array<double>")
    means = {}
    for ours, theirs in case["measures"].items():
        name, _, k = theirs.partition(" ")
        evaluator = RankingEvaluator(metricName=name, **({"k": int(k)} if k else {}))
        means[ours] = float(evaluator.evaluate(table))
    return {"mean": means}


@cache
def spark() -> Any:
    from pyspark.sql import SparkSession

    os.environ.update(SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable)
    quiet = {"spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1", "spark.sql.shuffle.partitions": "1"}
    quiet["spark.sql.codegen.wholeStage"] = "false"  # compiling takes longer than these few rows
    quiet["spark.driver.extraJavaOptions"] = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # it starts fast
    builder = SparkSession.builder.master("local[1]")
    for name, value in quiet.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def _numbers(docs: list[str]) -> list[float]:
    """Ids as Spark takes them from Python."""
    return [float(int.from_bytes(doc.encode(), "big")) for doc in docs]


def rated_of(case: Case, query: str) -> list[str]:
    """The rows of a table of ratings."""
    return [doc for doc, grade in case["qrels"][query].items() if grade > 0]


@tool("lenskit")
def by_lenskit(case: Case) -> Answer:
    import numpy as np
    from lenskit.data import ItemList, ItemListCollection
    from lenskit.metrics import RunAnalysis, ranking

    found: Any = ItemListCollection(["user_id"])
    truth: Any = ItemListCollection(["user_id"])
    for query, docs in case["run"].items():
        scores = np.array([score for _, score in docs], float)
        found.add(ItemList(np.array([doc for doc, _ in docs], object), scores=scores, ordered=True), user_id=query)
    for query in case["qrels"]:
        docs = rated_of(case, query)
        grades = np.array([case["qrels"][query][doc] for doc in docs], float)
        truth.add(ItemList(np.array(docs, object), rating=grades), user_id=query)
    asked = {ours: eval(theirs, vars(ranking)) for ours, theirs in case["measures"].items()}
    analysis = RunAnalysis()
    for ours, metric in asked.items():
        analysis.add_metric(metric, label=ours)
    logging.disable()
    result = analysis.measure(found, truth)
    means = result.list_summary()["mean"]
    values = result.list_metrics(fill_missing=True)
    columns = {ours: {str(user): float(value) for user, value in values[ours].items()} for ours in asked}
    return {"mean": {ours: float(means[ours]) for ours in asked}, "values": columns}


@tool("replay")
def by_replay(case: Case) -> Answer:
    """Its metrics of a pandas table: scores that are equal are ordered by item, descending."""
    import pandas
    from replay import metrics

    rows = [(query, doc, float(score)) for query, docs in case["run"].items() for doc, score in docs]
    found = pandas.DataFrame(rows, columns=["query_id", "item_id", "rating"])
    rows = [(query, doc, 1.0) for query in case["qrels"] for doc in rated_of(case, query)]
    truth = pandas.DataFrame(rows, columns=["query_id", "item_id", "rating"])
    asked = {ours: theirs.split(" ") for ours, theirs in case["measures"].items()}
    columns: dict[str, dict[str, float]] = {}
    for name in dict.fromkeys(name for name, _ in asked.values()):
        ks = [int(k) for each, k in asked.values() if each == name]
        columns |= getattr(metrics, name)(ks, mode=metrics.PerUser())(found, truth)
    return answer({ours: columns[f"{name}-PerUser@{k}"] for ours, (name, k) in asked.items()})


@tool("recbole")
def by_recbole(case: Case) -> Answer:
    """Its metrics of a matrix of hits, a row a user, padded with misses: lists are never short there."""
    import numpy as np

    if not hasattr(np, "float"):
        np.float = float  # type: ignore[attr-defined]  # it was written for NumPy before 1.24
    users = list(case["qrels"])
    width = max(1, *(len(docs_of(case, user)) for user in users), case["width"])
    hits = np.zeros((len(users), width), bool)
    for row, user in enumerate(users):
        relevant = set(rated_of(case, user))
        docs = docs_of(case, user)
        hits[row, : len(docs)] = [doc in relevant for doc in docs]
    total = np.array([len(rated_of(case, user)) for user in users])
    values: dict[str, dict[str, float]] = {}
    for ours, theirs in case["measures"].items():
        name, _, k = theirs.partition(" ")
        metric = getattr(recbole(), name)({"topk": [int(k)], "metric_decimal_place": 15})
        given = (hits, total) if name in ("MAP", "Recall", "NDCG") else (hits,)
        values[ours] = dict(zip(users, metric.metric_info(*given)[:, int(k) - 1].tolist(), strict=True))
    return answer(values)


@cache
def recbole() -> Any:
    """Its metrics, without the PyTorch that their classes import."""
    if importlib.util.find_spec("torch") is None:
        stand_in("torch", Tensor=type("Tensor", (), {}))  # which SciPy looks for
    bare("recbole", "recbole.evaluator")
    kinds = type("EvaluatorType", (), {"RANKING": 1, "VALUE": 2})
    stand_in("recbole.utils", EvaluatorType=kinds)
    return importlib.import_module("recbole.evaluator.metrics")


@tool("cornac")
def by_cornac(case: Case) -> Answer:
    """Its metrics, user by user, of lists that have every item; what is relevant to it is rated 1 or more."""
    import numpy as np

    values: dict[str, dict[str, float]] = {}
    for ours, written in case["measures"].items():
        name, _, k = written.partition(" ")
        metric = getattr(cornac(), name)(**({"k": int(k)} if k else {}))
        for user in case["qrels"]:
            relevant, docs = set(relevant_of(case, user)), docs_of(case, user)
            items, scores = np.arange(len(docs)), np.array([score for _, score in case["run"][user]])
            found = np.array([place for place, doc in enumerate(docs) if doc in relevant])
            value = metric.compute(gt_pos=found, pd_rank=items, pd_scores=scores, item_indices=items)
            values.setdefault(ours, {})[user] = float(value)
    return answer(values)


@cache
def cornac() -> Any:
    """Its metrics, without its models."""
    bare("cornac")
    return importlib.import_module("cornac.metrics")


class Recommended:
    """A model that has its recommendations ready: of each user so many, by numbers of items."""

    def __init__(self, lists: Any) -> None:
        self.lists = lists

    def recommend(self, users: Any, _: Any, N: int = 10) -> tuple[Any, None]:
        return self.lists[users, :N], None


@tool("implicit")
def by_implicit(case: Case) -> Answer:
    """Its metrics of a matrix of what each user liked; lists are filled up with items that nobody likes."""
    import numpy as np
    from implicit.evaluation import ranking_metrics_at_k
    from scipy.sparse import csr_matrix

    users, width = list(case["qrels"]), case["width"]
    items = sorted({doc for user in users for doc in (*docs_of(case, user), *rated_of(case, user))})
    number = {doc: place for place, doc in enumerate(items)}
    lists = np.full((len(users), width), len(items), np.int32)
    liked = np.zeros((len(users), len(items) + 1))
    for row, user in enumerate(users):
        docs = docs_of(case, user)
        lists[row, : len(docs)] = [number[doc] for doc in docs]
        for doc in rated_of(case, user):
            liked[row, number[doc]] = case["qrels"][user][doc]
    means = {}
    for ours, theirs in case["measures"].items():
        name, _, k = theirs.partition(" ")
        tables = csr_matrix(0 * liked), csr_matrix(liked)
        found = ranking_metrics_at_k(Recommended(lists), *tables, K=int(k), show_progress=False)
        means[ours] = float(found[name])
    return {"mean": means}


def asked_of(case: Case) -> dict[str, str]:
    """What a case measures, by what it is called here; a list has their names alone."""
    asked = case["measures"]
    return asked if isinstance(asked, dict) else {name: name for name in asked}


def ratings(case: Case, judged: bool, **names: str) -> Any:
    """The judgements, or the answers, as a table with a row a query and document."""
    import pandas

    rows = [
        (query, doc, float(value), float(place))
        for query in case["qrels"]
        for place, (doc, value) in enumerate(
            ((doc, grade) for doc, grade in case["qrels"][query].items() if grade > 0)
            if judged
            else case["run"].get(query, []),
            1,
        )
    ]
    table = pandas.DataFrame(rows, columns=[names["query"], names["doc"], names["value"], "rank"])
    return table.drop(columns=[] if "rank" in names else "rank")


@tool("recommenders")
def by_recommenders(case: Case) -> Answer:
    from recommenders.evaluation import python_evaluation

    names = {"query": "userID", "doc": "itemID"}
    truth = ratings(case, True, **names, value="rating")
    found = ratings(case, False, **names, value="prediction")
    means = {}
    for ours, name in asked_of(case).items():
        word, _, rest = name.partition("(")
        given = dict(part.strip().split("=") for part in rest.rstrip(")").split(",") if part)
        how = {key: int(value) if value.isdigit() else value.strip("'") for key, value in given.items()}
        means[ours] = float(getattr(python_evaluation, word)(truth, found, **how))
    return {"mean": means}


@tool("rectools")
def by_rectools(case: Case) -> Answer:
    from rectools import metrics

    names = {"query": "user_id", "doc": "item_id", "value": "value", "rank": "rank"}
    truth, found = (ratings(case, judged, **names) for judged in (True, False))
    values: dict[str, dict[str, float]] = {}
    for ours, name in asked_of(case).items():
        metric = eval(name, vars(metrics))
        more = {"catalog": case["catalog"]} if name.startswith("MCC") else {}
        values[ours] = metric.calc_per_user(found, truth, **more).to_dict()
    return answer(values)
