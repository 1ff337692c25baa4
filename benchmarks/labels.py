"""Many labels: as many rows and labels as the largest public collection of titles has, the first 100 of each row.

    python benchmarks/labels.py [--rows 970000]

pyxclib, which is not on PyPI, looks up whether each is right in a sparse matrix of SciPy, for each measure anew and
for all cutoffs up to its own. That is done here in the same way, for labels that stand best first already, so that
it need not sort them.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from calls import timed
from numpy.typing import NDArray
from subjects import Bench, Subject, difference, faster
from tables import Line

import truerank as tr

ROWS, LABELS = 970_000, 1_300_000
RIGHT, FOUND, DEPTH = 22, 10, 100
"""How many labels a row has, how many of them are among its first 100."""

APART = 37
"""The numbers of a row's labels are so far apart."""

MEASURES = "P@1 P@3 P@5 nDCG@1 nDCG@3 nDCG@5 R@100"


class Data(NamedTuple):
    """What is right, as a sparse matrix and as qrels; and what was found, best first."""

    labels: Any
    ids: NDArray[np.int32]
    scores: NDArray[np.float32]


def drawn(rows: int) -> Data:
    """Labels, and as many right ones among those found for each row, at any rank."""
    from scipy import sparse

    rng = np.random.default_rng(13)
    first = rng.integers(0, LABELS - APART * (RIGHT + DEPTH), (rows, 1), np.int32)
    right = first + APART * np.arange(RIGHT, dtype=np.int32)
    places = np.r_[:FOUND, RIGHT : RIGHT + DEPTH - FOUND].astype(np.int32)
    ids = first + APART * rng.permuted(np.broadcast_to(places, (rows, DEPTH)), axis=1)
    scores = np.broadcast_to(np.linspace(1, 0, DEPTH, dtype=np.float32), ids.shape).copy()
    ends = np.arange(0, right.size + 1, RIGHT)
    return Data(sparse.csr_matrix((np.ones(right.size), right.ravel(), ends), (rows, LABELS)), ids, scores)


def are_right(data: Data, k: int) -> NDArray[np.float64]:
    """(rows, k) 1 for each of the first labels that is right."""
    rows = np.repeat(np.arange(len(data.ids)), k)
    return np.asarray(data.labels[rows, data.ids[:, :k].ravel()]).reshape(-1, k)


def by_look_ups(data: Data) -> dict[str, float]:
    """Precision and nDCG at 1 to 5, recall at 1 to 100; as pyxclib, each looks the labels up for itself."""
    total = np.asarray(data.labels.sum(axis=1)).ravel()
    precision = (np.cumsum(are_right(data, 5), axis=1) / np.arange(1, 6)).mean(axis=0)
    gains = 1 / np.log2(np.arange(2, DEPTH + 2))
    ideal = np.cumsum(gains)[np.minimum(total[:, None], np.arange(1, 6)).astype(int) - 1]
    ndcg = (np.cumsum(are_right(data, 5) * gains[:5], axis=1) / ideal).mean(axis=0)
    recall = (np.cumsum(are_right(data, DEPTH), axis=1) / total[:, None]).mean(axis=0)
    values = {f"P@{k}": precision[k - 1] for k in (1, 3, 5)} | {f"nDCG@{k}": ndcg[k - 1] for k in (1, 3, 5)}
    return {name: float(value) for name, value in (values | {f"R@{DEPTH}": recall[-1]}).items()}


def against_look_ups(bench: Bench, rows: int = ROWS) -> Line:
    """The qrels are read before, as the sparse matrix is made before."""
    data = drawn(rows)
    start = time.perf_counter()
    qrels = tr.read_qrels(data.labels)
    reading = time.perf_counter() - start

    def evaluated() -> dict[str, float]:
        return tr.evaluate(qrels, (data.ids, data.scores), MEASURES).mean

    same = difference(evaluated(), by_look_ups(data))
    times = bench.turns(timed(evaluated), timed(lambda: by_look_ups(data)))
    remark = f"{same}; reading the qrels before took {reading:.1f} s"
    return faster("look-ups", times, 10, remark)


SUBJECTS = (
    Subject(
        "labels",
        "970,000 × 100 of 1.3 million labels: P and nDCG to 5, R@100, against pyxclib's way",
        against_look_ups,
    ),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--runs", type=int, default=2)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        line = against_look_ups(Bench(Path(directory), 0, chosen.runs, full=False), chosen.rows)
    print(f"{line.ours}; {line.theirs}; {line.ratio}; {line.target}; {line.remark}")


if __name__ == "__main__":
    main()
