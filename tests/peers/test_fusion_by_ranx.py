"""Every norm and method of fusion is ranx', and so is what is learnt from judgements."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from peer_asking import answered, interpreter

import truerank as tr
from truerank.fusion import methods
from truerank.fusion.norms import NORMS

SCRIPT = Path(__file__).parent / "peer_fusion.py"
RUNS, QUERIES, DOCS = 3, 7, 24
RANDOM = random.Random(6)


def run(longest: int = 15) -> dict[str, dict[str, float]]:
    """Scores without ties: of equal ones, ranx' order is that of its sorting."""
    docs = [f"d{i}" for i in range(DOCS)]
    chosen = {f"q{q}": RANDOM.sample(docs, RANDOM.randint(1, longest)) for q in range(QUERIES)}
    return {query: {doc: RANDOM.random() * 20 + 0.01 for doc in some} for query, some in chosen.items()}


TABLES = [[RANDOM.random() for _ in range(DOCS)] for _ in range(RUNS)]
WEIGHTS = [0.2, 0.5, 0.3]
PARAMS: dict[str, dict[str, Any]] = {
    "gmnz": {"gamma": 0.7},
    "rrf": {"k": 11},
    "rbc": {"phi": 0.8},
    "logn_isr": {"sigma": 0.3},
    **{method: {"weights": WEIGHTS} for method in ("wsum", "wmnz", "mixed", "w_bordafuse")},
    "bayesfuse": {"log_odds": TABLES},
    "mapfuse": {"map_scores": [0.3, 0.1, 0.25]},
    "posfuse": {"probs": TABLES},
    "probfuse": {"probs": [table[:4] for table in TABLES]},
    "segfuse": {"probs": [table[:10] for table in TABLES]},
    "slidefuse": {"probs": TABLES, "w": 3},
}
BY_MAJORITY = {"condorcet", "w_condorcet"}
"""Of which ranx' order depends on the hashes of ids, unless the majority orders all documents: see below."""

OTHERS = {"w_rrf", "geometric_mean", "harmonic_mean", "min-max-opensearch", "dbsf", "l2"}
"""Methods and norms that ranx does not have."""

CALLS = [
    [method, norm, PARAMS.get(method, {})]
    for method, known in methods().items()
    for norm in (None, *(name for name in NORMS if name not in OTHERS))
    if method not in BY_MAJORITY | OTHERS
    and not (norm == "borda" and (known.reads == "ranks" or method == "segfuse"))
]
"""ranx' borda leaves documents in the order of their hashes, so that ranks say nothing after it."""

TRAIN = [
    ["bayesfuse", {}],
    ["mapfuse", {}],
    ["posfuse", {}],
    ["probfuse", {"n_segments": 4}],
    ["segfuse", {}],
    ["slidefuse", {}],
]


def asked(runs: list[Any], qrels: Any, calls: list[Any], train: list[Any]) -> dict[str, Any]:
    """What ranx answers."""
    case = {"runs": runs, "qrels": qrels, "calls": calls, "train": train}
    return answered([interpreter("ranx"), str(SCRIPT)], case)


@pytest.fixture(scope="module", name="world")
def fixture_world() -> dict[str, Any]:
    runs = [run() for _ in range(RUNS)]
    qrels = {f"q{q}": {f"d{RANDOM.randrange(DOCS)}": 1 for _ in range(6)} for q in range(QUERIES)}
    return {"runs": runs, "qrels": qrels, "answer": asked(runs, qrels, CALLS, TRAIN)}


@pytest.mark.parametrize("number", range(len(CALLS)), ids=lambda i: f"{CALLS[i][0]}-{CALLS[i][1]}")
def test_a_fused_run_is_that_of_ranx(world: dict[str, Any], number: int) -> None:
    method, norm, params = CALLS[number]
    ours = tr.fuse(world["runs"], method, norm=norm, **params).to_dict()
    for query, theirs in world["answer"]["fused"][number].items():
        assert ours[query] == pytest.approx(theirs, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("number", range(len(TRAIN)), ids=lambda i: TRAIN[i][0])
def test_what_is_learnt_is_what_ranx_learns(world: dict[str, Any], number: int) -> None:
    method, _ = TRAIN[number]
    fixed = {"probfuse": {"segments": 4}, "slidefuse": {"w": 3}}.get(method, {})
    tuned = tr.tune_fusion(world["qrels"], world["runs"], method, folds=2, **fixed)
    (key,) = methods()[method].learns
    for one, theirs in zip(tuned.params[key], world["answer"]["trained"][number], strict=True):
        assert one == pytest.approx(theirs, rel=1e-12, abs=1e-15)


def test_a_condorcet_order_is_that_of_ranx_where_there_is_one() -> None:
    docs = [f"d{i}" for i in range(9)]
    order = RANDOM.sample(docs, len(docs))
    most = {"q": {doc: -float(place) for place, doc in enumerate(order)}}
    other = {"q": {doc: RANDOM.random() for doc in docs}}
    runs = [most, other, most]  # two of three agree on all
    weighted = {"weights": [0.2, 0.3, 0.4]}
    calls = [["condorcet", None, {}], ["w_condorcet", None, weighted]]
    theirs = asked(runs, {"q": {"d1": 1}}, calls, [])["fused"]
    assert tr.fuse(runs, "condorcet").to_dict() == theirs[0]
    assert tr.fuse(runs, "w_condorcet", **weighted).to_dict() == theirs[1]
