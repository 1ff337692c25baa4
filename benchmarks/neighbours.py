"""Recall against exact neighbours, from files to numbers: against a loop that intersects a set a query.

    python benchmarks/neighbours.py [--runs 5]

The ground truth is a file as those of big-ann are; the answers are ids and distances, as FAISS returns them.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np
from places import timed
from subjects import Bench, Subject, agreed, at_most
from tables import Line

import truerank as tr

QUERIES, DEPTH, DOCS = 10_000, 100, 1_000_000


def files(directory: Path) -> tuple[Path, Path]:
    """The exact neighbours, and answers of which about half are right; written anew, which takes no time."""
    directory.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(100)
    first = rng.integers(0, DOCS - 7 * 2 * DEPTH, (QUERIES, 1))
    exact = first + 7 * rng.permuted(np.tile(np.arange(DEPTH), (QUERIES, 1)), axis=1)
    answers = rng.permuted(exact, axis=1) + np.where(rng.random((QUERIES, DEPTH)) < 0.5, 7 * DEPTH, 0)
    distances = np.sort(rng.random((QUERIES, DEPTH), np.float32), axis=1)
    truth, found = directory / "exact.bin", directory / "found.npz"
    shape = np.array([QUERIES, DEPTH], np.uint32).tobytes()
    truth.write_bytes(shape + exact.astype(np.int32).tobytes() + distances.tobytes())
    np.savez(found, I=answers, D=distances)
    return truth, found


def by_truerank(truth: Path, found: Path) -> float:
    """Recall with ties, under big-ann's rules."""
    right = tr.read_qrels(truth, f"ibin(k={DEPTH}, tie=1e-6)")
    return tr.evaluate(right, found, f"P@{DEPTH}", rules="big-ann").mean[f"P@{DEPTH}"]


def by_sets(truth: Path, found: Path) -> float:
    """Recall without ties."""
    ids = np.fromfile(truth, np.int32, QUERIES * DEPTH, offset=8).reshape(QUERIES, DEPTH)
    answers = np.load(found)["I"]
    hits = [len(set(right) & set(answer)) for right, answer in zip(ids, answers, strict=True)]
    return float(np.mean(hits)) / DEPTH


def against_sets(bench: Bench) -> Line:
    """Both from the same files."""
    paths = files(bench.directory / "neighbours")
    apart = abs(by_truerank(*paths) - by_sets(*paths))
    ours, theirs = bench.turns(lambda: timed(lambda: by_truerank(*paths)), lambda: timed(lambda: by_sets(*paths)))
    return at_most(ours, theirs, 2, "loop", agreed(apart))


SUBJECTS = (
    Subject("neighbours", "recall of 10,000 × 100 answers, from files, against a set a query", against_sets),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    with tempfile.TemporaryDirectory() as directory:
        line = against_sets(Bench(Path(directory), 0, parser.parse_args().runs, full=False))
    print(f"{line.ours}; {line.theirs}; {line.ratio}; {line.target}; {line.remark}")


if __name__ == "__main__":
    main()
