"""Resampling: many systems and measures at once, and one pair of systems against other packages' tests.

    python benchmarks/significance.py [--runs 3]

Scores are drawn, like those of 1,000 queries. Each function returns the seconds that its work took.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from places import timed
from subjects import Bench, Subject, faster, under
from tables import Line
from timing import TRUERANK, Skipped, process

from truerank import stats

Scores = np.ndarray

QUERIES, COLUMNS = 1000, 60
PREDICTED = 7000
SAMPLES = 10_000
LISTED, COLLECTIONS, PER_COLLECTION = 200, 50, 100

SYSTEMS, OF_EACH = 100, 250
"""Runs of which all pairs are compared, and the queries of each."""

USERS, LISTED_ITEMS, ITEMS = 100_000, 10, 2000
"""As a recommender's: the users, how many items each is shown, and of how many."""


def scores() -> Scores:
    """(1,000 queries, 60 columns) a column a system and a measure."""
    rng = np.random.default_rng(60)
    difficulty = rng.beta(0.6, 1.2, (QUERIES, 1))
    return np.clip(difficulty + rng.normal(0, 0.15, (QUERIES, COLUMNS)), 0, 1)


def resampling(bench: Bench) -> Line:
    """An interval of each column's mean, and a randomization test of each column against the first."""
    values = scores()
    baseline = np.repeat(values[:, :1], COLUMNS - 1, axis=1)
    stats.mean_interval(values[:, 0], resamples=1)  # SciPy is loaded

    def work() -> None:
        stats.mean_intervals(values, resamples=SAMPLES)
        stats.randomizations(values[:, 1:], baseline, samples=SAMPLES)

    return under(bench.turns(lambda: timed(work))[0], 3)


def predicted(bench: Bench) -> Line:
    """Prediction-powered means of each column, where people judged 300 queries and a model all."""
    rng = np.random.default_rng(7)
    model = np.clip(rng.beta(0.6, 1.2, (PREDICTED, 1)) + rng.normal(0, 0.15, (PREDICTED, COLUMNS)), 0, 1)
    people = np.clip(model[:300] + rng.normal(0, 0.1, (300, COLUMNS)), 0, 1)
    stats.mean_interval(model[:, 0], resamples=1)  # SciPy is loaded

    def work() -> None:
        stats.predicted_means(people, model, range(300), method="percentile", resamples=SAMPLES)

    return under(bench.turns(lambda: timed(work))[0], 2)


def against_scipy(bench: Bench) -> Line:
    """SciPy's test of pairs, vectorized, with as many samples."""
    a, b = scores()[:, :2].T
    from scipy.stats import permutation_test

    def difference(x: Scores, y: Scores, axis: int) -> Scores:
        return np.mean(x - y, axis=axis)

    def theirs() -> float:
        found = permutation_test(
            (a, b), difference, permutation_type="samples", n_resamples=SAMPLES, vectorized=True, batch=1000, rng=1
        )
        return float(found.pvalue)

    return against("scipy.stats.permutation_test", theirs, bench)


def against_ranx(bench: Bench) -> Line:
    """ranx's test, compiled before."""
    try:
        from ranx.statistical_tests import fisher_randomization_test
    except ModuleNotFoundError:
        raise Skipped("ranx is not installed") from None
    a, b = (np.ascontiguousarray(each) for each in scores()[:, :2].T)

    def theirs() -> float:
        return float(fisher_randomization_test(a, b, n_permutations=SAMPLES)[0])

    return against("ranx", theirs, bench)


def against(peer: str, theirs: Callable[[], float], bench: Bench) -> Line:
    """A test of the first two columns, in turns; both once before, so that nothing is compiled or loaded."""
    a, b = scores()[:, :2].T

    def ours() -> float:
        return stats.randomization(a, b, samples=SAMPLES).p

    remark = f"p is {ours():.4f}, by {peer} {theirs():.4f}"
    return faster(peer, bench.turns(lambda: timed(ours), lambda: timed(theirs)), 20, remark)


def over_collections(bench: Bench) -> Line:
    """Rank intervals, means, Borda and the mixed model, like a leaderboard's."""
    rng = np.random.default_rng(3)
    ability = np.linspace(0, 0.15, LISTED)
    values = [
        np.clip(
            rng.beta(0.6, 1.2, (PER_COLLECTION, 1))
            + ability
            + rng.normal(0, 0.05, LISTED)
            + rng.normal(0, 0.15, (PER_COLLECTION, LISTED)),
            0,
            1,
        )
        for _ in range(COLLECTIONS)
    ]
    stats.nested([each[:, :2] for each in values], resamples=1)  # SciPy is loaded

    def work() -> None:
        for collections in ("fixed", "random"):
            stats.nested(values, collections=collections, resamples=SAMPLES)

    return under(bench.turns(lambda: timed(work))[0], 10)


def all_pairs(bench: Bench) -> Line:
    """The whole command: files, measures, resampled intervals, randomization tests and max-T of 4,950 pairs."""
    qrels, runs = systems(bench.directory)
    command = (TRUERANK, "compare", qrels, *runs, "-m", "nDCG@10 AP R@100", "--correction", "max-t")
    return under(bench.turns(lambda: process(*command).seconds)[0], 5)


def many_queries(bench: Bench) -> Line:
    """The whole command, of two runs with a list a user."""
    qrels, runs = users(bench.directory)
    command = (TRUERANK, "compare", qrels, *runs, "-m", "nDCG@10 AP RR")
    return under(bench.turns(lambda: process(*command).seconds)[0], 10)


def users(directory: Path) -> tuple[Path, list[Path]]:
    """Three relevant items a user, and two runs of ten items that know nothing of them."""
    home = directory / "users"
    qrels, runs = home / "qrels.txt", [home / f"{name}.run" for name in ("one", "other")]
    if all(path.exists() for path in (qrels, *runs)):
        return qrels, runs
    home.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(10)
    steps = rng.integers(1, ITEMS // 3, (USERS, 3)).cumsum(axis=1).tolist()
    qrels.write_text("".join(f"u{u} 0 i{item} 1\n" for u, row in enumerate(steps) for item in row))
    for path in runs:
        first, step = rng.integers(0, ITEMS, USERS).tolist(), rng.integers(1, ITEMS // LISTED_ITEMS, USERS).tolist()
        path.write_text(
            "".join(
                f"u{u} Q0 i{(first[u] + rank * step[u]) % ITEMS} {rank + 1} {1 / (1 + rank):.4f} {path.stem}\n"
                for u in range(USERS)
                for rank in range(LISTED_ITEMS)
            )
        )
    return qrels, runs


def systems(directory: Path) -> tuple[Path, list[Path]]:
    """Judgements and 100 runs of 250 queries, 100 documents each, every one noisier than the one before."""
    home = directory / "systems"
    qrels, runs = home / "qrels.txt", [home / f"{system:03}.run" for system in range(SYSTEMS)]
    if all(path.exists() for path in (qrels, *runs)):
        return qrels, runs
    home.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(100)
    grades = rng.integers(0, 3, (OF_EACH, 20)).tolist()
    judged = (f"q{q} 0 d{d} {grade}\n" for q, row in enumerate(grades) for d, grade in enumerate(row))
    qrels.write_text("".join(judged))
    relevance = rng.normal(0, 1, (OF_EACH, 200)) + np.where(np.arange(200) < 20, 0.8, 0)
    for system, path in enumerate(runs):
        scores = relevance + rng.normal(0, 0.4 + 0.02 * system, relevance.shape)
        best = np.argsort(-scores, axis=1)[:, :100]
        rows = (f"q{q} Q0 d{d} 0 {scores[q, d]:.5f} {system}\n" for q in range(OF_EACH) for d in best[q].tolist())
        path.write_text("".join(rows))
    return qrels, runs


SUBJECTS = (
    Subject("all-pairs", "`truerank compare` of 100 runs × 250 queries × 3 measures, all pairs, max-T", all_pairs),
    Subject("many-queries", "`truerank compare` of 2 runs × 100,000 queries × 10 × 3 measures", many_queries),
    Subject("resampling", "10,000 resamples and 10,000 sign flips of 1,000 queries × 60 columns", resampling),
    Subject(
        "collections",
        "rank intervals of 200 systems × 50 collections × 100 queries, fixed and random, 10,000 resamples each",
        over_collections,
    ),
    Subject("predicted", "10,000 resamples of prediction-powered means: 7,000 queries × 60 columns", predicted),
    Subject("randomization-scipy", "randomization test of 1,000 pairs, 10,000 times, against SciPy", against_scipy),
    Subject("randomization-ranx", "randomization test of 1,000 pairs, 10,000 times, against ranx", against_ranx),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    bench = Bench(Path(tempfile.gettempdir()), 0, parser.parse_args().runs, full=False)
    for subject in SUBJECTS:
        line = subject.measure(bench)
        print(f"{subject.work}: {line.ours}; {line.theirs}; {line.ratio}; {line.target}; {line.remark}")


if __name__ == "__main__":
    main()
