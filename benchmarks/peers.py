"""A worker: imports one library, warms it up, and does its work each time that a line comes in.

    python benchmarks/peers.py file LIBRARY QRELS RUN           from the files to the numbers
    python benchmarks/peers.py readers LIBRARY QRELS RUN        the same, measures of C/W/L
    python benchmarks/peers.py aspects LIBRARY QRELS RUN        the same, judgements of aspects
    python benchmarks/peers.py fused LIBRARY RUN...             from files to a fused run
    python benchmarks/peers.py fused-dicts LIBRARY RUN...       the same from dicts of dicts
    python benchmarks/peers.py dicts LIBRARY QUERIES ROWS       from dicts of dicts to every query's numbers
    python benchmarks/peers.py judged LIBRARY QUERIES JUDGEMENTS ROWS    the same, with the judgements read anew
    python benchmarks/peers.py pipeline NAME BY QUERIES ROWS     what is built on others; see pipelines.py

It answers with one JSON object a line: {"ready": seconds} or {"missing": package}, then seconds, means.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipelines import pipeline

Means = dict[str, float]
Judged = dict[str, dict[str, int]]
Answered = dict[str, dict[str, float]]


@dataclass(frozen=True)
class Work:
    """Something to time, and how its result becomes means, which is not timed."""

    do: Callable[[], Any]
    means: Callable[[Any], Means] = lambda result: result


MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@100")
TREC = ("ndcg_cut_10", "map", "recip_rank", "P_10", "recall_100")


def truerank_file(qrels: str, run: str) -> Means:
    import truerank

    return truerank.evaluate(qrels, run, MEASURES).mean


def pytrec_eval_file(qrels: str, run: str) -> Means:
    import pytrec_eval

    with open(qrels) as file:
        judged = pytrec_eval.parse_qrel(file)
    with open(run) as file:
        answered = pytrec_eval.parse_run(file)
    values = pytrec_eval.RelevanceEvaluator(judged, _trec_names()).evaluate(answered)
    return _means(values)


def ir_measures_file(qrels: str, run: str) -> Means:
    import ir_measures

    wanted = [ir_measures.parse_measure(name) for name in MEASURES]
    found = ir_measures.calc_aggregate(wanted, ir_measures.read_trec_qrels(qrels), ir_measures.read_trec_run(run))
    return {str(measure): float(value) for measure, value in found.items()}


def ranx_file(qrels: str, run: str) -> Means:
    import ranx

    names = ("ndcg@10", "map", "mrr", "precision@10", "recall@100")
    judged, answered = ranx.Qrels.from_file(qrels, kind="trec"), ranx.Run.from_file(run, kind="trec")
    found = ranx.evaluate(judged, answered, list(names))
    return {ours: float(found[theirs]) for ours, theirs in zip(MEASURES, names, strict=True)}


READERS = {
    "P@10": ("PrecisionCWLMetric", 10),
    "RBP": ("RBPCWLMetric", 0.8),
    "INST(T=2)@1000": ("INSTCWLMetric", 2),
    "INSQ(T=2)@1000": ("INSQCWLMetric", 2),
    "BPM@5": ("BPMCWLMetric", 1, 5),
}


def truerank_readers(qrels: str, run: str) -> Means:
    import truerank

    return truerank.evaluate(qrels, run, list(READERS)).mean


def cwl_readers(qrels: str, run: str) -> Means:
    """As its command does it, without a log and without printing."""
    import logging

    logging.disable()
    from cwl.ruler import cwl_ruler, ranking
    from cwl.seeker.trec_qrel_handler import TrecQrelHandler

    metrics = [getattr(cwl_ruler, name)(*given) for name, *given in READERS.values()]
    judged, values, made, last = TrecQrelHandler(qrels), [], None, ""
    with open(run) as file:
        for line in file:
            query, kind, doc, _, _, _ = line.split()
            if query != last:
                values += [[m.measure(made.get_ranking()) for m in metrics]] if made else []
                made, last = ranking.RankingMaker(query, judged), query
            made.add(doc, kind)
    values += [[m.measure(made.get_ranking()) for m in metrics]] if made else []
    return {ours: float(sum(row[i] for row in values)) / len(values) for i, ours in enumerate(READERS)}


def truerank_dicts(judged: Judged, answered: Answered) -> Work:
    import truerank

    return Work(lambda: truerank.evaluate(judged, answered, MEASURES), lambda scores: scores.mean)


def pytrec_eval_dicts(judged: Judged, answered: Answered) -> Work:
    """The evaluator is made beforehand: only `evaluate` is timed."""
    import pytrec_eval

    evaluator = pytrec_eval.RelevanceEvaluator(judged, _trec_names())
    return Work(lambda: evaluator.evaluate(answered), _means)


def pytrec_eval_judged(judged: Judged, answered: Answered) -> Work:
    """The evaluator is made each time: its judgements are read then."""
    import pytrec_eval

    return Work(lambda: pytrec_eval.RelevanceEvaluator(judged, _trec_names()).evaluate(answered), _means)


def installed_judged(judged: Judged, answered: Answered) -> Work:
    """The same script, with truerank in the place of the package."""
    from truerank.interop.pytrec_eval import install

    install()
    return pytrec_eval_judged(judged, answered)


DIVERSITY = {
    f"{ours}@{k}": f"{theirs}@{k}"
    for ours, theirs in (("alpha_nDCG", "alpha-nDCG"), ("ERR_IA", "ERR-IA"), ("StRecall", "strec"))
    for k in (5, 10, 20)
}


def truerank_aspects(qrels: str, run: str) -> Means:
    import truerank

    scores = truerank.evaluate(qrels, run, list(DIVERSITY), rules="ndeval")
    return dict(zip(DIVERSITY, scores.mean.values(), strict=True))


def pyndeval_aspects(qrels: str, run: str) -> Means:
    """As its users call it: the lines of the files as tuples."""
    import pyndeval

    with open(qrels) as file:
        judged = [(q, aspect, doc, int(grade)) for q, aspect, doc, grade in map(str.split, file)]
    with open(run) as file:
        answered = [(q, doc, float(score)) for q, _, doc, _, score, _ in map(str.split, file)]
    found = pyndeval.RelevanceEvaluator(judged, list(DIVERSITY.values())).evaluate(answered)
    return {ours: sum(row[theirs] for row in found.values()) / len(found) for ours, theirs in DIVERSITY.items()}


def many_judgements(queries: int, size: int, rows: int) -> tuple[Judged, Answered]:
    """This many judgements of each query, most of them not relevant; half of what is returned is judged."""
    rng = random.Random(0)
    answered, judged = {}, {}
    for q in map(str, range(queries)):
        docs = [str(number) for number in rng.sample(range(8_841_823), size + rows)]
        judged[q] = {doc: rng.choice((0, 0, 0, 1, 2)) for doc in docs[:size]}
        found = rng.sample(docs[:size], rows // 2) + docs[size : size + rows - rows // 2]
        scores = sorted((rng.gammavariate(2, 2) + 5 for _ in found), reverse=True)
        answered[q] = dict(zip(rng.sample(found, rows), scores, strict=True))
    return judged, answered


def dicts(queries: int, rows: int) -> tuple[Judged, Answered]:
    """Answers of this many rows, best first, as a search returns them; one document or two are relevant."""
    rng = random.Random(0)
    answered, judged = {}, {}
    for q in range(queries):
        docs = [str(number) for number in rng.sample(range(8_841_823), rows)]
        scores = sorted((rng.gammavariate(2, 2) + 5 for _ in docs), reverse=True)
        answered[str(q)] = dict(zip(docs, scores, strict=True))
        judged[str(q)] = dict.fromkeys(rng.sample(docs, 1 + (rng.random() < 0.07)), 1)
    return judged, answered


def _trec_names() -> set[str]:
    return {"ndcg_cut.10", "map", "recip_rank", "P.10", "recall.100"}


def _means(values: dict[str, Means]) -> Means:
    return {
        ours: sum(query[theirs] for query in values.values()) / len(values)
        for ours, theirs in zip(MEASURES, TREC, strict=True)
    }


FILES = {
    "truerank": truerank_file,
    "pytrec_eval": pytrec_eval_file,
    "ir_measures": ir_measures_file,
    "ranx": ranx_file,
}
READER_FILES = {"truerank": truerank_readers, "cwl": cwl_readers}
DICTS = {
    "truerank": truerank_dicts,
    "pytrec_eval": pytrec_eval_dicts,
    "script": pytrec_eval_judged,
    "installed": installed_judged,
}


def file_work(library: str, qrels: str, run: str) -> Work:
    """Read and evaluate the files; warmed up on three lines: nothing is compiled while it is timed."""
    return _warmed_up(FILES[library], qrels, run)


def readers_work(library: str, qrels: str, run: str) -> Work:
    """The same of measures of C/W/L."""
    return _warmed_up(READER_FILES[library], qrels, run)


def _warmed_up(measured: Callable[[str, str], Means], qrels: str, run: str) -> Work:
    with tempfile.TemporaryDirectory() as folder:
        small_qrels, small_run = Path(folder) / "qrels", Path(folder) / "run"
        small_qrels.write_text("q1 0 a 1\nq2 0 b 1\n")
        small_run.write_text("q1 Q0 a 1 2.0 t\nq1 Q0 b 2 1.0 t\nq2 Q0 a 1 1.0 t\n")
        measured(str(small_qrels), str(small_run))
    return Work(lambda: measured(qrels, run))


def aspects_work(library: str, qrels: str, run: str) -> Work:
    """Read and evaluate judgements of aspects, warmed up on three lines."""
    evaluate = {"truerank": truerank_aspects, "pyndeval": pyndeval_aspects}[library]
    with tempfile.TemporaryDirectory() as folder:
        small_qrels, small_run = Path(folder) / "qrels", Path(folder) / "run"
        small_qrels.write_text("q 1 a 1\nq 2 a 1\nq 2 b 1\n")
        small_run.write_text("q Q0 a 1 2.0 t\n")
        evaluate(str(small_qrels), str(small_run))
    return Work(lambda: evaluate(qrels, run))


def dicts_work(library: str, queries: str, rows: str) -> Work:
    """Evaluate objects in memory; warmed up by doing so once."""
    work = DICTS[library](*dicts(int(queries), int(rows)))
    work.do()
    return work


def judged_work(library: str, queries: str, size: str, rows: str) -> Work:
    """The same with many judgements."""
    makers = {"truerank": truerank_dicts, "pytrec_eval": pytrec_eval_judged}
    work = makers[library](*many_judgements(int(queries), int(size), int(rows)))
    work.do()
    return work


def pipeline_work(name: str, by: str, queries: str, rows: str) -> Work:
    """Evaluate objects in memory by a package above others; warmed up by doing so once."""
    work = Work(pipeline(name, by, *dicts(int(queries), int(rows))))
    work.do()
    return work


def fused_work(library: str, *runs: str) -> Work:
    """Read the files and fuse them; warmed up on two short ones."""
    with tempfile.TemporaryDirectory() as folder:
        small = [Path(folder) / name for name in ("a", "b")]
        for path in small:
            path.write_text("q Q0 a 1 2.0 t\nq Q0 b 2 1.0 t\n")
        FUSED[library](*map(str, small))
    return Work(lambda: FUSED[library](*runs), lambda total: {"sum": total})


def fused_dicts_work(library: str, *runs: str) -> Work:
    """The same from memory."""
    given = [_dict_of(run) for run in runs]
    FUSED_DICTS[library]([{"q": {"a": 2.0, "b": 1.0}}] * 2)
    return Work(lambda: FUSED_DICTS[library](given), lambda total: {"sum": total})


def _dict_of(run: str) -> Answered:
    found: Answered = {}
    with open(run) as file:
        for line in file:
            query, _, doc, _, score, _ = line.split()
            found.setdefault(query, {})[doc] = float(score)
    return found


def truerank_fused(*runs: str) -> float:
    return truerank_fused_dicts(list(runs))


def truerank_fused_dicts(runs: list[Any]) -> float:
    """The sum of all fused scores, min-max normalised and added; every list is sorted."""
    import truerank

    return float(sum(part.scores.sum() for part in truerank.fuse(runs, "sum", norm="min-max").batches()))


def ranx_fused(*runs: str) -> float:
    from ranx import Run

    return _ranx_sum([Run.from_file(run, kind="trec") for run in runs])


def ranx_fused_dicts(runs: list[Answered]) -> float:
    from ranx import Run

    return _ranx_sum([Run(run) for run in runs])


def _ranx_sum(runs: list[Any]) -> float:
    """A fused run; the sum of its scores is for whoever asks: a loop over it would take most of the time."""
    from ranx import fuse

    fused = fuse(runs, norm="min-max", method="sum")
    return float(len(fused))


FUSED = {"truerank": truerank_fused, "ranx": ranx_fused}
FUSED_DICTS = {"truerank": truerank_fused_dicts, "ranx": ranx_fused_dicts}


def repeated(work: Work) -> tuple[float, Means]:
    """The seconds of one call; of a short one, the mean of as many as fill half a second: processors must wake."""
    calls, start = 0, time.perf_counter()
    while not calls or time.perf_counter() - start < 0.5:
        result = work.do()
        calls += 1
    return (time.perf_counter() - start) / calls, work.means(result)


def answer(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def main() -> None:
    kind, *arguments = sys.argv[1:]
    start = time.perf_counter()
    kinds = {
        "file": file_work,
        "readers": readers_work,
        "aspects": aspects_work,
        "dicts": dicts_work,
        "fused": fused_work,
        "fused-dicts": fused_dicts_work,
        "judged": judged_work,
        "pipeline": pipeline_work,
    }
    try:
        work = kinds[kind](*arguments)
    except ModuleNotFoundError as error:
        answer({"missing": error.name})
        return
    answer({"ready": time.perf_counter() - start})
    for _ in sys.stdin:
        seconds, means = repeated(work)
        answer({"seconds": seconds, "mean": means})


if __name__ == "__main__":
    main()
