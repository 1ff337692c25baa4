"""Writes the big file: a run and qrels the size of MS MARCO dev (6,980 queries × 1,000 rows, about 260 MB).

    python benchmarks/make_big.py DIRECTORY [--queries 6980] [--rows 1000] [--seed 0]

Ids are numbers below 8,841,823 like the collection's, scores fall from about 20 with seven decimals, and each
query has 1.07 relevant documents on average, nine in ten of which the run returns somewhere.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

PASSAGES = 8_841_823


def write(directory: Path, queries: int, rows: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    directory.mkdir(parents=True, exist_ok=True)
    names = np.sort(rng.choice(1_102_000, queries, replace=False))
    rng.shuffle(names)
    with (directory / "big.run").open("w") as run, (directory / "big.qrels").open("w") as qrels:
        for name in names:
            docs = np.unique(rng.integers(0, PASSAGES, rows + rows // 50 + 20))
            rng.shuffle(docs)
            docs = docs[:rows]
            scores = np.sort(rng.gamma(2.0, 2.0, rows) + 5)[::-1]
            run.writelines(
                f"{name} Q0 {doc} {rank} {score:.6f} dense\n"
                for rank, (doc, score) in enumerate(zip(docs.tolist(), scores.tolist(), strict=True), 1)
            )
            relevant = {
                docs[min(int(rng.exponential(rows / 20)), rows - 1)] if rng.random() < 0.9 else PASSAGES + 1
                for _ in range(1 + (rng.random() < 0.07))
            }
            qrels.writelines(f"{name} 0 {doc} 1\n" for doc in sorted(relevant))


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the big file: big.run and big.qrels.")
    parser.add_argument("directory", type=Path)
    parser.add_argument("--queries", type=int, default=6980)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    write(options.directory, options.queries, options.rows, options.seed)


if __name__ == "__main__":
    main()
