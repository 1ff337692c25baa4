"""ir_measures and PyTerrier, asked as the tools of peer_oracle.py are; and truerank below what is asked."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

from peer_oracle import Answer, Case, answer, scored, tool

SOURCE = Path(__file__).parents[2] / "src"


def put_below(interop: str) -> None:
    """Let what is imported from now on use truerank, by `truerank.interop.{interop}.install`."""
    sys.path.insert(0, str(SOURCE))
    importlib.import_module(f"truerank.interop.{interop}").install()


@tool("ir_measures")
def by_ir_measures(case: Case) -> Answer:
    """Its judgements may be {query: {doc: {subtopic: grade}}}; measures are asked alone, as their order matters."""
    import ir_measures
    import numpy as np

    np.set_printoptions(threshold=0, edgeitems=0)  # cwl makes messages of every vector, which nobody reads
    qrels, run = _judged(ir_measures, case), _answered(ir_measures, case)
    values: dict[str, dict[str, float]] = {}
    means: dict[str, float] = {}
    for measure in map(ir_measures.parse_measure, case["measures"]):
        aggregated, metrics = ir_measures.calc([measure], qrels, run)
        values[str(measure)] = {row.query_id: float(row.value) for row in metrics}
        means[str(measure)] = float(aggregated[measure])
    return {**answer(values), "mean": means}


def _judged(ir_measures: Any, case: Case) -> list[Any]:
    return [
        ir_measures.Qrel(query, doc, worth, aspect)
        for query, docs in case["qrels"].items()
        for doc, grade in docs.items()
        for aspect, worth in (grade.items() if isinstance(grade, dict) else [("0", grade)])
    ]


def _answered(ir_measures: Any, case: Case) -> list[Any]:
    return [ir_measures.ScoredDoc(query, doc, score) for query, docs in case["run"].items() for doc, score in docs]


@tool("ir_measures-command")
def by_command(case: Case) -> Answer:
    """What its command prints of files, with all digits; `provider` is what it is told beside."""
    import contextlib
    import io
    import tempfile

    main = importlib.import_module("ir_measures.__main__").main_cli
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as out:
        qrels, run = Path(folder) / "qrels", Path(folder) / "run"
        judged = ((query, doc, grade) for query, docs in case["qrels"].items() for doc, grade in docs.items())
        found = ((query, doc, score) for query, docs in case["run"].items() for doc, score in docs)
        qrels.write_text("".join(f"{query} 0 {doc} {grade}\n" for query, doc, grade in judged))
        run.write_text("".join(f"{query} Q0 {doc} 0 {score!r} run\n" for query, doc, score in found))
        sys.argv[1:] = [str(qrels), str(run), *case["measures"], "-p", "-1", *case.get("provider", [])]
        main()
    return {"mean": {name: float(value) for name, value in map(str.split, out.getvalue().splitlines())}}


@tool("pyterrier")
def by_pyterrier(case: Case) -> Answer:
    """An Experiment with the run as its system: nothing of it needs Java."""
    import pandas as pd
    import pyterrier as pt
    from ir_measures import parse_measure

    rows = [(query, doc, score) for query, docs in scored(case).items() for doc, score in docs.items()]
    run = pd.DataFrame(rows, columns=["qid", "docno", "score"])
    run["rank"] = run.groupby("qid")["score"].rank(ascending=False, method="first").astype(int) - 1
    judged = [(query, doc, grade) for query, docs in case["qrels"].items() for doc, grade in docs.items()]
    qrels = pd.DataFrame(judged, columns=["qid", "docno", "label"])
    topics = pd.DataFrame([(query, query) for query in case["qrels"]], columns=["qid", "query"])
    system, measures = pt.Transformer.from_df(run), list(map(parse_measure, case["measures"]))
    means = pt.Experiment([system], topics, qrels, measures, names=["run"])
    table = pt.Experiment([system], topics, qrels, measures, names=["run"], perquery=True)
    values: dict[str, dict[str, float]] = {}
    for row in table.itertuples():
        values.setdefault(str(row.measure), {})[row.qid] = row.value
    assert not pt.java.started()
    return {**answer(values), "mean": {str(m): float(means[str(m)].iloc[0]) for m in measures}}
