"""What is built on pytrec_eval and ir_measures, as it is and with truerank below it; `peers.py` times it.

Packages whose `__init__` asks for PyTorch are loaded without it: what runs is their own evaluation.
"""

from __future__ import annotations

import importlib
import importlib.util
import logging
import sys
import types
from collections.abc import Callable
from typing import Any

Means = dict[str, float]
Judged = dict[str, dict[str, int]]
Answered = dict[str, dict[str, float]]

KS = [1, 3, 5, 10, 100, 1000]

MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@100")


def ir_measures(judged: Any, answered: Any) -> Callable[[], Means]:
    import ir_measures

    wanted = list(map(ir_measures.parse_measure, MEASURES))

    def do() -> Means:
        found = ir_measures.calc_aggregate(wanted, judged, answered)
        return {str(measure): float(value) for measure, value in found.items()}

    return do


def scored_docs(judged: Judged, answered: Answered) -> Callable[[], Means]:
    """The same of its own named tuples."""
    from ir_measures import Qrel, ScoredDoc

    qrels = [Qrel(query, doc, grade) for query, docs in judged.items() for doc, grade in docs.items()]
    run = [ScoredDoc(query, doc, score) for query, docs in answered.items() for doc, score in docs.items()]
    return ir_measures(qrels, run)


def beir(judged: Judged, answered: Answered) -> Callable[[], Means]:
    from beir.retrieval.evaluation import EvaluateRetrieval

    def do() -> Means:
        tables = EvaluateRetrieval.evaluate(judged, answered, KS)
        return {name: value for table in tables for name, value in table.items()}

    return do


def mteb(judged: Judged, answered: Answered) -> Callable[[], Means]:
    _bare("mteb", "mteb._evaluators", "mteb.types")
    result = importlib.import_module("mteb.types._result")
    sys.modules["mteb.types"].RetrievalEvaluationResult = result.RetrievalEvaluationResult  # type: ignore[attr-defined]
    from mteb._evaluators.retrieval_metrics import calculate_retrieval_scores

    def do() -> Means:
        found = calculate_retrieval_scores(answered, judged, KS)
        return {**found.ndcg, **found.map, **found.recall, **found.precision, **found.mrr, **found.hit_rate}

    return do


def pyterrier(judged: Judged, answered: Answered) -> Callable[[], Means]:
    """An Experiment with the run as its system: the evaluation, which needs no Java."""
    import pandas as pd
    import pyterrier as pt
    from ir_measures import parse_measure

    rows = ((query, doc, score) for query, docs in answered.items() for doc, score in docs.items())
    run = pd.DataFrame(rows, columns=["qid", "docno", "score"])
    run["rank"] = run.groupby("qid").cumcount()
    grades = ((query, doc, grade) for query, docs in judged.items() for doc, grade in docs.items())
    qrels = pd.DataFrame(grades, columns=["qid", "docno", "label"])
    topics = pd.DataFrame([(query, query) for query in judged], columns=["qid", "query"])
    system, measures = pt.Transformer.from_df(run), list(map(parse_measure, MEASURES))

    def do() -> Means:
        table = pt.Experiment([system], topics, qrels, measures, names=["run"])
        return {name: float(table[name].iloc[0]) for name in MEASURES}

    return do


def _bare(*names: str) -> None:
    """Packages whose modules can be imported without running their own `__init__`."""
    for name in names:
        spec = importlib.util.find_spec(name)
        if spec is None:
            raise ModuleNotFoundError(f"no module named {name}", name=name.partition(".")[0])
        module = types.ModuleType(name)
        module.__path__ = list(spec.submodule_search_locations or [])
        sys.modules[name] = module


PIPELINES: dict[str, Callable[[Judged, Answered], Callable[[], Means]]] = {
    "ir_measures": ir_measures,
    "scored-docs": scored_docs,
    "beir": beir,
    "mteb": mteb,
    "pyterrier": pyterrier,
}


ON_PYTREC_EVAL = {"beir", "mteb"}


def pipeline(name: str, by: str, judged: Judged, answered: Answered) -> Callable[[], Means]:
    """What does the work, by "truerank", which is installed before anything else is imported, or "alone"."""
    logging.disable()
    if by == "truerank":
        interop = "pytrec_eval" if name in ON_PYTREC_EVAL else "ir_measures"
        importlib.import_module(f"truerank.interop.{interop}").install()
    return PIPELINES[name](judged, answered)
