"""Other tools asked for their numbers: a function a tool, run as a program by an interpreter that has the tool.

    python peer_oracle.py TOOL [INTEROP]

With INTEROP, truerank.interop.INTEROP is installed first, so that the tool computes by truerank.
Each line of standard input is a JSON list of cases; each line printed is the list of the answers to them. A case is
{"qrels": {query: {doc: grade}}, "run": {query: [[doc, score], … best first]}}; an answer {"mean": {measure: value},
"values": {measure: {query: value}}} by truerank's names of the measures, or {"error": …}.
Packages whose `__init__` asks for PyTorch and the like are loaded without it: what runs is their own metric code.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
import types
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

Case = dict[str, Any]
Answer = dict[str, Any]

KS = [1, 3, 5, 10, 100]

TOOLS: dict[str, Callable[[Case], Answer]] = {}


def tool(name: str) -> Callable[[Callable[[Case], Answer]], Callable[[Case], Answer]]:
    def register(function: Callable[[Case], Answer]) -> Callable[[Case], Answer]:
        TOOLS[name] = function
        return function

    return register


def mean(values: Iterable[float]) -> float:
    numbers = [float(value) for value in values]
    return sum(numbers) / len(numbers) if numbers else 0.0


def answer(values: dict[str, dict[str, float]]) -> Answer:
    """The answer of a tool that has only values: their mean is what its users take."""
    plain = {name: {query: float(v) for query, v in column.items()} for name, column in values.items()}
    return {"mean": {name: mean(column.values()) for name, column in plain.items()}, "values": plain}


def scored(case: Case) -> dict[str, dict[str, float]]:
    """The run as most tools take it."""
    return {query: dict(map(tuple, docs)) for query, docs in case["run"].items()}


def docs_of(case: Case, query: str) -> list[str]:
    return [doc for doc, _ in case["run"].get(query, [])]


def relevant_of(case: Case, query: str) -> list[str]:
    return [doc for doc, grade in case["qrels"][query].items() if grade >= 1]


def bare(*names: str) -> None:
    """Packages whose modules can be imported without running their own `__init__`."""
    for name in names:
        spec = importlib.util.find_spec(name)
        assert spec is not None, name
        module = types.ModuleType(name)
        module.__path__ = list(spec.submodule_search_locations or [])
        sys.modules[name] = module


def stand_in(name: str, **contents: Any) -> types.ModuleType:
    """A module that metric code imports and does not use."""
    module = types.ModuleType(name)
    vars(module).update(contents)
    sys.modules[name] = module
    return module


NDEVAL = {
    "ERR_IA": "ERR-IA", "nERR_IA": "nERR-IA", "alpha_DCG": "alpha-DCG", "alpha_nDCG": "alpha-nDCG",
    "P_IA": "P-IA", "StRecall": "strec",
}  # fmt: skip


@tool("ndeval")
def by_ndeval(case: Case) -> Answer:
    """Its judgements are {query: {doc: {subtopic: grade}}}."""
    import pyndeval

    names = {f"{ours}@{k}": f"{theirs}@{k}" for ours, theirs in NDEVAL.items() for k in case["ks"]}
    names |= {"NRBP": "NRBP", "nNRBP": "nNRBP", "AP_IA": "MAP-IA"}
    qrels = [
        (query, subtopic, doc, grade)
        for query, docs in case["qrels"].items()
        for doc, answered in docs.items()
        for subtopic, grade in answered.items()
    ]
    run = [(query, doc, score) for query, docs in case["run"].items() for doc, score in docs]
    options = {"relevance_level": case["level"], "alpha": case["alpha"], "beta": case["beta"]}
    found = pyndeval.RelevanceEvaluator(qrels, list(names.values()), **options).evaluate(run)
    return answer({ours: {query: row[theirs] for query, row in found.items()} for ours, theirs in names.items()})


RANX = {
    "nDCG@10": "ndcg@10", "AP@100": "map@100", "RR@10": "mrr@10", "P@10": "precision@10", "R@100": "recall@100",
    "Success@10": "hit_rate@10", "Rprec": "r-precision", "Hits@5": "hits@5", "F@5": "f1@5", "SetF": "f1",
    "DCG@10": "dcg@10", "DCG": "dcg",
}  # fmt: skip


@tool("ranx")
def by_ranx(case: Case) -> Answer:
    import ranx

    run = ranx.Run(scored(case))
    means = ranx.evaluate(ranx.Qrels(case["qrels"]), run, list(RANX.values()), make_comparable=True)
    values = {name: dict(run.scores[theirs]) for name, theirs in RANX.items()}
    return {**answer(values), "mean": {name: float(means[theirs]) for name, theirs in RANX.items()}}


@tool("beir")
def by_beir(case: Case) -> Answer:
    from beir.retrieval.evaluation import EvaluateRetrieval

    tables = EvaluateRetrieval.evaluate(case["qrels"], scored(case), KS)
    names = zip(("nDCG", "AP", "R", "P"), ("NDCG", "MAP", "Recall", "P"), tables, strict=True)
    return {"mean": {f"{ours}@{k}": table[f"{theirs}@{k}"] for ours, theirs, table in names for k in KS}}


@tool("beir-custom")
def by_beir_custom(case: Case) -> Answer:
    from beir.retrieval import custom_metrics as custom

    run = scored(case)
    names = {"RR@": "MRR@", "R(capped=True)@": "R_cap@", "Success@": "Accuracy@"}
    tables = (custom.mrr, custom.recall_cap, custom.top_k_accuracy)
    found = {key: value for table in tables for key, value in table(case["qrels"], run, KS).items()}
    return {"mean": {f"{ours}{k}": found[f"{theirs}{k}"] for ours, theirs in names.items() for k in KS}}


@tool("mteb")
def by_mteb(case: Case) -> Answer:
    if "mteb.types" not in sys.modules:
        bare("mteb", "mteb._evaluators", "mteb.types")
        result = importlib.import_module("mteb.types._result")
        sys.modules["mteb.types"].RetrievalEvaluationResult = result.RetrievalEvaluationResult  # type: ignore
    from mteb._evaluators.retrieval_metrics import calculate_retrieval_scores

    found = calculate_retrieval_scores(scored(case), case["qrels"], KS)
    tables = {"nDCG": found.ndcg, "AP": found.map, "R": found.recall, "P": found.precision}
    theirs = dict(zip(tables, ("NDCG", "MAP", "Recall", "P"), strict=True))
    means = {f"{ours}@{k}": table[f"{theirs[ours]}@{k}"] for ours, table in tables.items() for k in KS}
    more = {"RR": (found.mrr, "MRR"), "Success": (found.hit_rate, "HitRate")}
    sure = {
        f"nAUC(of='{ours}@{k}', confidence='{how}')": found.naucs[f"nAUC_{theirs[ours]}@{k}_{how}"]
        for ours in tables
        for k in KS
        for how in ("max", "std", "diff1")
    }
    means |= {f"{ours}@{k}": t[f"{name}@{k}"] for ours, (t, name) in more.items() for k in KS}
    return {"mean": means, "abstention": sure}


@tool("sentence-transformers")
def by_sentence_transformers(case: Case) -> Answer:
    if "torch" not in sys.modules and importlib.util.find_spec("torch") is None:
        stand_in("torch", Tensor=object)
    package = "sentence_transformers"
    if package not in sys.modules:
        deeper = ("base", "base.evaluation", "sentence_transformer", "sentence_transformer.evaluation", "util")
        bare(package, *(f"{package}.{name}" for name in deeper))
        stand_in(f"{package}.util.similarity", SimilarityFunction=str)
    from sentence_transformers.sentence_transformer.evaluation.information_retrieval import (
        InformationRetrievalEvaluator,
    )

    queries = {query: query for query in case["qrels"]}
    corpus = {doc: doc for docs in case["run"].values() for doc, _ in docs}
    relevant = {query: set(relevant_of(case, query)) for query in queries}
    cuts = {f"{name}_at_k": KS for name in ("mrr", "ndcg", "accuracy", "precision_recall", "map")}
    evaluator = InformationRetrievalEvaluator(queries, corpus, relevant, **cuts)
    lists = [
        [{"corpus_id": doc, "score": score} for doc, score in case["run"].get(query, [])]
        for query in evaluator.queries_ids
    ]
    found = evaluator.compute_metrics(lists)
    names = {
        "R@{}": "recall@k", "P@{}": "precision@k", "AP(divisor='capped')@{}": "map@k", "RR@{}": "mrr@k",
        "nDCG(gain='binary')@{}": "ndcg@k", "Success@{}": "accuracy@k",
    }  # fmt: skip
    means = {ours.format(k): float(found[theirs][k]) for ours, theirs in names.items() for k in KS}
    return {"mean": means}


def dense(case: Case, query: str, cut: int) -> tuple[list[float], list[float]]:
    """Grades and scores of a query's documents as a matrix has them: what was not returned scores below a cut."""
    grades = case["qrels"][query]
    returned = dict(map(tuple, case["run"].get(query, [])))
    lowest = min(returned.values(), default=0.0)
    between = [lowest - 1.0] * (cut + 2 if set(grades) - set(returned) or len(returned) < 2 else 0)
    rest = [lowest - 2.0] * len(set(grades) - set(returned))
    labels = [max(0, grades.get(doc, 0)) for doc in returned] + [0] * len(between)
    labels += [max(0, grades[doc]) for doc in grades if doc not in returned]
    return labels, [*returned.values(), *between, *rest]


@tool("sklearn")
def by_sklearn(case: Case) -> Answer:
    from sklearn.metrics import average_precision_score, dcg_score, ndcg_score

    values: dict[str, dict[str, float]] = {name: {} for name in case["measures"]}
    for query in case["qrels"]:
        labels, scores = dense(case, query, 10)
        binary = [int(label >= 1) for label in labels]
        found = {
            "nDCG(ties='averaged')@10": ndcg_score([labels], [scores], k=10),
            "nDCG(ties='averaged')": ndcg_score([labels], [scores]),
            "AP(ties='together')": average_precision_score(binary, scores),
            "DCG(ties='averaged')@10": dcg_score([labels], [scores], k=10),
            "DCG(ties='averaged')": dcg_score([labels], [scores]),
        }
        for name in values:
            values[name][query] = found[name]
    return answer(values)


@tool("torchmetrics")
def by_torchmetrics(case: Case) -> Answer:
    import torch
    from torchmetrics import retrieval as metrics

    k = 10
    named = {
        f"R@{k}": metrics.RetrievalRecall(top_k=k),
        f"P@{k}": metrics.RetrievalPrecision(top_k=k),
        f"AP(divisor='hits')@{k}": metrics.RetrievalMAP(top_k=k),
        f"RR@{k}": metrics.RetrievalMRR(top_k=k),
        f"Success@{k}": metrics.RetrievalHitRate(top_k=k),
        "Rprec": metrics.RetrievalRPrecision(),
        f"nDCG(ties='averaged')@{k}": metrics.RetrievalNormalizedDCG(top_k=k),
    }
    queries = list(case["qrels"])
    rows = [(i, doc, score) for i, query in enumerate(queries) for doc, score in case["run"].get(query, [])]
    index = torch.tensor([i for i, _, _ in rows])
    scores = torch.tensor([float(score) for _, _, score in rows], dtype=torch.float32)
    grades = torch.tensor([max(0, case["qrels"][queries[i]].get(doc, 0)) for i, doc, _ in rows])
    means = {}
    for name, metric in named.items():
        target = grades if name.startswith("nDCG") else (grades >= 1).long()
        means[name] = float(metric(scores, target, indexes=index))
    return {"mean": means}


@tool("llama-index")
def by_llama_index(case: Case) -> Answer:
    from llama_index.core.evaluation.retrieval.metrics import METRIC_REGISTRY

    names = {
        "SetR": "recall", "SetP": "precision", "AP": "ap", "RR": "mrr", "nDCG(gain='binary')": "ndcg",
        "SetSuccess": "hit_rate",
    }  # fmt: skip
    values: dict[str, dict[str, float]] = {name: {} for name in names}
    for query in case["qrels"]:
        for ours, theirs in names.items():
            metric = METRIC_REGISTRY[theirs]()
            found = metric.compute(expected_ids=relevant_of(case, query), retrieved_ids=docs_of(case, query))
            values[ours][query] = found.score
    return answer(values)


def by_haystack(case: Case, precision: str) -> Answer:
    from haystack import Document
    from haystack.components import evaluators

    queries = list(case["qrels"])
    graded = [[(doc, grade) for doc, grade in case["qrels"][query].items() if grade > 0] for query in queries]
    truth = [[Document(id=doc, score=float(grade)) for doc, grade in docs] for docs in graded]
    found = [[Document(id=doc) for doc in docs_of(case, query)] for query in queries]
    by = {"document_comparison_field": "id"}
    named = {
        "SetSuccess": evaluators.DocumentRecallEvaluator(**by),
        "SetR": evaluators.DocumentRecallEvaluator(mode="multi_hit", **by),
        precision: evaluators.DocumentMAPEvaluator(**by),
        "RR": evaluators.DocumentMRREvaluator(**by),
        "nDCG": evaluators.DocumentNDCGEvaluator(**by),
    }
    results = {
        name: evaluator.run(ground_truth_documents=truth, retrieved_documents=found)
        for name, evaluator in named.items()
    }
    values = {name: dict(zip(queries, r["individual_scores"], strict=True)) for name, r in results.items()}
    return {**answer(values), "mean": {name: float(r["score"]) for name, r in results.items()}}


@tool("haystack")
def by_haystack_now(case: Case) -> Answer:
    return by_haystack(case, "AP")


@tool("haystack-2026-07")
def by_haystack_before(case: Case) -> Answer:
    return by_haystack(case, "AP(divisor='hits')")


@tool("autorag")
def by_autorag(case: Case) -> Answer:
    if "autorag" not in sys.modules:
        bare("autorag", "autorag.evaluation", "autorag.evaluation.metric", "autorag.schema", "autorag.utils")
        stand_in("autorag.utils.util", convert_inputs_to_list=lambda function: function)
    from autorag.evaluation.metric import retrieval
    from autorag.schema.metricinput import MetricInput

    names = {
        "SetSuccess": retrieval.retrieval_recall, "SetP": retrieval.retrieval_precision,
        "AP(divisor='hits')": retrieval.retrieval_map, "RR": retrieval.retrieval_mrr,
        "nDCG(gain='binary', ideal='returned')": retrieval.retrieval_ndcg,
    }  # fmt: skip
    queries = list(case["qrels"])
    inputs = [MetricInput(retrieval_gt=_groups(case, q), retrieved_ids=docs_of(case, q)) for q in queries]
    columns = {name: dict(zip(queries, metric(inputs), strict=True)) for name, metric in names.items()}
    return answer({name: {q: v for q, v in column.items() if v is not None} for name, column in columns.items()})


def _groups(case: Case, query: str) -> list[list[str]]:
    """The relevant documents as alternatives, one group; or, if the case says so, as all needed."""
    docs = relevant_of(case, query)
    return [[doc] for doc in docs] if case.get("all_needed") else [docs] if docs else []


@tool("mlflow")
def by_mlflow(case: Case) -> Answer:
    import pandas
    from mlflow.metrics import metric_definitions as definitions

    k = 3
    names = {
        f"R@{k}": definitions._recall_at_k_eval_fn(k),
        f"P(divisor='returned')@{k}": definitions._precision_at_k_eval_fn(k),
        f"nDCG(gain='binary', ideal='returned')@{k}": definitions._ndcg_at_k_eval_fn(k),
    }
    queries = list(case["qrels"])
    found = pandas.Series([docs_of(case, query) for query in queries])
    truth = pandas.Series([relevant_of(case, query) for query in queries])
    results = {name: metric(found, truth) for name, metric in names.items()}
    values = {name: dict(zip(queries, r.scores, strict=True)) for name, r in results.items()}
    return {**answer(values), "mean": {name: float(r.aggregate_results["mean"]) for name, r in results.items()}}


@tool("ragas")
def by_ragas(case: Case) -> Answer:
    """Its metrics by ids, query by query, and the means of those that have a value."""
    import asyncio
    import math

    from ragas import SingleTurnSample
    from ragas.metrics import IDBasedContextPrecision, IDBasedContextRecall

    values: dict[str, dict[str, float]] = {}
    for name, metric in (("SetP", IDBasedContextPrecision()), ("SetR", IDBasedContextRecall())):
        for query in case["qrels"]:
            ids = {"retrieved_context_ids": docs_of(case, query), "reference_context_ids": relevant_of(case, query)}
            found = asyncio.run(metric.single_turn_ascore(SingleTurnSample(**ids)))
            if not math.isnan(found):
                values.setdefault(name, {})[query] = float(found)
    return answer(values)


@tool("deepeval")
def by_deepeval(case: Case) -> Answer:
    """Its contextual precision, of verdicts that are the judgements."""
    from types import SimpleNamespace

    from deepeval.metrics import ContextualPrecisionMetric

    metric = ContextualPrecisionMetric.__new__(ContextualPrecisionMetric)  # else it asks for a model
    metric.strict_mode = False
    values: dict[str, float] = {}
    for query in case["qrels"]:
        relevant = set(relevant_of(case, query))
        says = ("yes" if doc in relevant else "no" for doc in docs_of(case, query))
        metric.verdicts = [SimpleNamespace(verdict=verdict) for verdict in says]
        values[query] = float(metric._calculate_score())
    return answer({"AP(divisor='hits')": values})


def asked(name: str, case: Case) -> Answer:
    try:
        return TOOLS[name](case)
    except Exception as error:  # what the tool does with bad input is an answer too
        return {"error": f"{type(error).__name__}: {error}"}


def main() -> None:
    """Answer the cases of standard input."""
    warnings.simplefilter("ignore")
    sys.modules["peer_oracle"] = sys.modules[__name__]
    for file in sorted(Path(__file__).parent.glob("peer_*.py")):
        if "\n@tool(" in file.read_text("utf-8"):
            importlib.import_module(file.stem)
    name, *interop = sys.argv[1:]
    for package in interop:
        importlib.import_module("peer_installed").put_below(package)
    out, sys.stdout = sys.stdout, sys.stderr  # some tools print
    for line in sys.stdin:
        print(json.dumps([asked(name, case) for case in json.loads(line)]), file=out, flush=True)


if __name__ == "__main__":
    main()
