"""Calls inside a process: one query again and again, arrays as a training loop has them, lint a row."""

from __future__ import annotations

import cProfile
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import data
import numpy as np
from subjects import QUERIES_OF_ALL, Bench, Subject, counted, difference, faster
from tables import Line
from timing import Skipped

CALLS = 500
"""Of a single query, which take too little time to be measured alone."""

VALIDATION = (8000, 40)
"""Queries, and candidates of each, that a ranker in training is tried on."""

CATALOGUE = (500, 20_000, 1_000)
"""Users, the items that all have a score for each, and how many are right."""

ROW = 0.3e-6
"""The seconds that lint may take for a row."""


def timed(work: Callable[[], Any], calls: int = 1) -> Callable[[], float]:
    """The seconds of one call."""

    def seconds() -> float:
        start = time.perf_counter()
        for _ in range(calls):
            work()
        return (time.perf_counter() - start) / calls

    work()
    return seconds


def one_query(bench: Bench) -> Line:
    """nDCG and AP of 10 documents in dicts, against the nDCG alone of scikit-learn, which takes arrays."""
    try:
        from sklearn.metrics import ndcg_score
    except ModuleNotFoundError:
        raise Skipped("scikit-learn is not installed") from None
    import truerank as tr

    rng = np.random.default_rng(0)
    grades, scores = rng.integers(0, 3, 10).tolist(), rng.random(10).tolist()
    qrels, run = ({"q": {f"d{i}": each for i, each in enumerate(values)}} for values in (grades, scores))

    def evaluated() -> None:
        tr.evaluate(qrels, run, ["nDCG@10", "AP"])

    times = bench.turns(timed(evaluated, CALLS), timed(lambda: ndcg_score([grades], [scores], k=10), CALLS))
    return faster("ndcg_score", times, 3, functions(evaluated))


def functions(work: Callable[[], object]) -> str:
    """How many functions a call runs."""
    profile = cProfile.Profile()
    profile.runcall(work)
    profile.create_stats()
    compiled, python = (
        sum(n for (file, *_), (_, n, *_) in profile.stats.items() if (file == "~") is built)
        for built in (True, False)
    )
    return f"a call runs {python} functions of Python and {compiled} compiled ones"


def validation(bench: Bench) -> Line:
    """nDCG, RR and AP of a tensor of scores, its qrels read before, against torchmetrics."""
    try:
        import torch
        from torchmetrics import retrieval
    except ModuleNotFoundError as error:
        raise Skipped(f"{error.name} is not installed") from None
    import truerank as tr

    queries, candidates = VALIDATION
    torch.manual_seed(0)
    scores, target = torch.randn(VALIDATION), torch.rand(VALIDATION) < 0.1
    indexes = torch.arange(queries).repeat_interleave(candidates)
    ids = torch.arange(candidates).expand(VALIDATION)
    qrels = tr.read_qrels(
        {q: {d: int(right) for d, right in enumerate(row)} for q, row in enumerate(target.tolist())}
    )
    measures = [retrieval.RetrievalNormalizedDCG(), retrieval.RetrievalMRR(), retrieval.RetrievalMAP()]
    theirs = timed(lambda: [m(scores.flatten(), target.flatten(), indexes=indexes) for m in measures])
    ours = timed(lambda: tr.evaluate(qrels, (ids, scores), "nDCG RR AP"))
    times = bench.turns(ours, theirs)
    line = faster("torchmetrics", times, 10, "under 10 ms is wanted")
    return replace(line, is_met=bool(line.is_met) and times[0].median < 0.01)


def catalogue(bench: Bench) -> Line:
    """nDCG, AP and R of scores of a whole catalogue, in no order, against sorting them."""
    import truerank as tr

    users, items, right = CATALOGUE
    rng = np.random.default_rng(0)
    scores = rng.standard_normal((users, items))
    chosen = rng.permuted(np.broadcast_to(np.arange(items), (users, items)), axis=1)[:, :right]
    qrels = tr.read_qrels({user: dict.fromkeys(row, 1) for user, row in enumerate(chosen.tolist())})
    is_right = np.zeros((users, items), np.bool_)
    np.put_along_axis(is_right, chosen, True, axis=1)
    run = np.broadcast_to(np.arange(items), (users, items)), scores

    def evaluated() -> dict[str, float]:
        return dict(tr.evaluate(qrels, run, "nDCG@10 AP R@100").mean)

    def by_sorting() -> dict[str, float]:
        gain = np.take_along_axis(is_right, np.argsort(-scores, axis=1), axis=1)
        discount = 1 / np.log2(np.arange(10) + 2)
        precision = gain.cumsum(axis=1) / np.arange(1, items + 1)
        ndcg, ap = gain[:, :10] @ discount / discount.sum(), (precision * gain).sum(axis=1) / right
        return {"nDCG@10": ndcg.mean(), "AP": ap.mean(), "R@100": gain[:, :100].sum(axis=1).mean() / right}

    times = bench.turns(timed(evaluated), timed(by_sorting))
    return faster("argsort", times, 1, difference(evaluated(), by_sorting()))


def linted(bench: Bench) -> Line:
    """All checks of a run and its qrels, in TREC text."""
    from truerank.analysis.lint import lint

    directory = bench.directory / "all"
    directory.mkdir(exist_ok=True)
    data.big(directory, QUERIES_OF_ALL)
    files = directory / "big.qrels", directory / "big.run"
    (times,) = bench.turns(timed(lambda: lint(*files)))
    row = times.median / (QUERIES_OF_ALL * 1000)
    value = f"{row * 1e6:.2f} µs a row"
    return Line(value, "", value, f"at most {ROW * 1e6:g} µs a row", row <= ROW, counted(times))


SUBJECTS = (
    Subject("one-query", "1 query × 10 documents in dicts, again and again, against scikit-learn", one_query),
    Subject("validation", "tensors of 8,000 × 40: nDCG, RR, AP, against torchmetrics", validation),
    Subject("catalogue", "500 × 20,000 scores in no order, 1,000 right ones each, against sorting", catalogue),
    Subject("lint", "lint of 700,000 rows", linted),
)
