"""cwl-eval and pyNTCIREVAL, asked as the tools of peer_oracle.py are."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

import numpy as np
from peer_oracle import Answer, Case, answer, tool

COLUMNS = ("EU", "ETU", "EC", "ETC", "ED")


@tool("cwl")
def by_cwl(case: Case) -> Answer:
    """Of each measure all columns and their residuals, by what they are called here."""
    logging.basicConfig(level=logging.ERROR)  # or it writes a file
    logging.disable()
    from cwl.ruler import cwl_ruler as cwl

    np.set_printoptions(threshold=0, edgeitems=0)  # it makes messages of every vector, which nobody reads
    values: dict[str, dict[str, float]] = {}
    for ours, (name, *arguments) in case["measures"].items():
        metric = getattr(cwl, name)(*arguments)
        for query in case["run"]:
            ranking = _ranking(cwl, case, query)
            worst, best = (_columns(metric, ranking, is_worst) for is_worst in (True, False))
            for column, low, high in zip(COLUMNS, worst, best, strict=True):
                for what, value in ((column, low), (f"Res{column}", high - low)):
                    values.setdefault(_called(what, ours, case), {})[query] = value
    return answer(values)


def _called(column: str, measure: str, case: Case) -> str:
    cost = f", cost={ {int(g): c for g, c in case['costs'].items()} }" if column.endswith("C") else ""
    return measure if column == "EU" else f"{column}(of={measure!r}{cost})"


def _ranking(cwl: Any, case: Case, query: str) -> Any:
    grades = [case["qrels"][query].get(doc) for doc, _ in case["run"][query]]
    costs = {int(grade): cost for grade, cost in case["costs"].items()}
    highest, lowest = costs[0], costs[max(costs)]
    gains = [np.nan if grade is None else grade / case["best"] for grade in grades]
    taken = [np.nan if grade is None else costs[grade] for grade in grades]
    return cwl.Ranking(query, gains, taken, max_cost=highest, min_cost=lowest, max_n=case["n"])


def _columns(metric: Any, ranking: Any, is_worst: bool) -> Iterable[float]:
    """As it prints them, and in ETU and ETC what it leaves out: who reads on where it ends the list at n."""
    eu, etu, ec, etc, ed = metric._do_score(ranking, is_worst)
    beyond = float(np.prod(metric.c_vector(ranking, is_worst)))
    etu += beyond * float(ranking.get_gain_vector(is_worst).sum())
    etc += beyond * float(ranking.get_cost_vector(is_worst).sum())
    return eu, etu, ec, etc, ed


@tool("ntcireval")
def by_ntcireval(case: Case) -> Answer:
    """What its `compute` prints, unrounded."""
    from pyNTCIREVAL import Labeler, metrics

    values: dict[str, dict[str, float]] = {}
    for query, judged in case["qrels"].items():
        labeler = Labeler(judged)
        known = labeler.compute_per_level_doc_num(len(case["gains"]) + 1)
        if not sum(known[1:]):
            continue  # it divides by 0
        found = labeler.label([doc for doc, _ in case["run"].get(query, [])])
        for ours, (name, arguments) in case["measures"].items():
            levels = () if name == "RR" else (known, case["gains"])
            metric = getattr(metrics, name)(*levels, **arguments)
            values.setdefault(ours, {})[query] = metric.compute(found) if found else 0.0
    return answer(values)
