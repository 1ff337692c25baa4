"""ranx asked to fuse runs: run by an interpreter that has it.

    python peer_fusion.py

A line of standard input is a JSON object: "qrels", "runs", and "calls", [method, norm, params] each; a line printed
has the fused runs, one for each call. "train" asks for what ranx learns: [method, params] each.
"""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any

import numpy as np


def trained(qrels: Any, runs: Any, method: str, params: dict[str, Any]) -> Any:
    """What a method learns, as lists."""
    from ranx import fusion

    found = getattr(fusion, f"{method}_train")(qrels, runs, **params)
    return [np.asarray(one).tolist() for one in found]


def answer(case: dict[str, Any]) -> dict[str, Any]:
    from ranx import Qrels, Run, fuse

    runs = [Run(run) for run in case["runs"]]
    fused = [
        {query: dict(docs) for query, docs in fuse(runs, norm, method, given(params)).to_dict().items()}
        for method, norm, params in case["calls"]
    ]
    qrels = Qrels(case["qrels"])
    return {"fused": fused, "trained": [trained(qrels, runs, *call) for call in case["train"]]}


def given(params: dict[str, Any]) -> dict[str, Any]:
    """The parameters as ranx takes them: what was learnt as arrays."""
    return {
        key: [np.array(one, float) for one in value] if key in ("probs", "log_odds") else value
        for key, value in params.items()
    }


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        sys.stdout.write(json.dumps(answer(json.loads(line))) + "\n")
        sys.stdout.flush()
