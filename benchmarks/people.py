"""People seen by cameras: the counting against sorting, the whole against the bare product, and the memory.

    python benchmarks/people.py [--runs 3] [--only market|hard|memory|crowd|crowd-hard|crowd-many]

The vectors are drawn, as many and as long as those of Market-1501, and of 60,000 that look for one another.
Work is done in processes of its own: nothing large is imported here.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from timing import TRUERANK, FailedError, Skipped, Times, process

MEASURES = "cmc@1 cmc@5 mAP mINP"

QUERIES, GALLERY, NUMBERS = 3368, 19732, 512
"""Market-1501, with vectors of 512 numbers."""

PEOPLE, DISTRACTORS, CAMERAS = 750, 2798, 6

CROWD, CROWD_NUMBERS = 60_000, 128

ROWS = 256
"""Rows of a product, where it is made for its own sake."""

SPREAD = {"market": 1.0, "hard": 8.0}
"""How far pictures lie from their person: a good model, and one that can hardly tell people apart."""

CROWDS = {"crowd": (11_000, 1.0), "crowd-hard": (11_000, 8.0), "crowd-many": (600, 8.0)}
"""How many people are in it, and how far their pictures lie from them: the fewer, the more are right for each."""


def market(runs: int, spread: str = "market") -> tuple[Times, Times, float]:
    """Rank-k, mAP and mINP from ready scores: truerank, sorting, and by how much their numbers differ."""
    told = child(__file__, "sorting", str(runs), str(SPREAD[spread]))
    return Times(told["ours"]), Times(told["sorting"]), told["difference"]


def crowd(runs: int, kind: str = "crowd") -> tuple[Times, Times, float]:
    """60,000 vectors from vectors to numbers: truerank, the bare product, and the peak of memory in MB."""
    told = child(__file__, "product", str(runs), *map(str, CROWDS[kind]))
    return Times(told["ours"]), Times(told["product"]), told["peak"]


def memory(directory: Path) -> float:
    """The most memory, in MB, of `truerank vectors` on files of Market-1501's size."""
    child(__file__, "write", str(directory))
    names = [str(directory / f"{name}.npy") for name in ("query_vectors", "gallery_vectors")]
    for kind in ("labels", "cameras"):
        for side in ("query", "gallery"):
            names += [f"--{kind}", str(directory / f"{side}_{kind}.npy")]
    return process(TRUERANK, "vectors", *names, "-m", MEASURES).peak / (1 << 20)


def child(script: str, *arguments: str) -> Any:
    """What a script of these says when it works alone.

    Raises:
        Skipped: it lacks something.
        FailedError: it did not come to its end.
    """
    command = [sys.executable, script, "--child", *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    if done.returncode:
        raise FailedError(f"{Path(script).name} {' '.join(arguments)} ended with {done.returncode}")
    told = json.loads(done.stdout)
    if "skipped" in told:
        raise Skipped(told["skipped"])
    return told


def pictures(spread: float) -> dict[str, Any]:
    """Both sides of a gallery of Market-1501's size, each person's pictures around a point."""
    import numpy as np

    rng = np.random.default_rng(1501)
    centres = rng.standard_normal((PEOPLE + 1, NUMBERS), dtype=np.float32)
    labels = {
        "query": rng.integers(1, PEOPLE + 1, QUERIES),
        "gallery": rng.permutation(
            np.r_[np.zeros(DISTRACTORS, int), rng.integers(1, PEOPLE + 1, GALLERY - DISTRACTORS)]
        ),
    }
    sides: dict[str, Any] = {}
    for side, people in labels.items():
        noise = rng.standard_normal((len(people), NUMBERS), dtype=np.float32)
        sides[f"{side}_vectors"] = centres[people] + np.float32(spread) * noise
        sides[f"{side}_labels"] = people
        sides[f"{side}_cameras"] = rng.integers(1, CAMERAS + 1, len(people))
    return sides


def against_sorting(runs: int, spread: float) -> dict[str, Any]:
    """Both on the same scores, in turns."""
    from truerank.vectors import evaluate_matrix

    sides = pictures(spread)
    scores = _unit(sides.pop("query_vectors")) @ _unit(sides.pop("gallery_vectors")).T
    taken: dict[str, Any] = {"ours": [], "sorting": []}
    means: dict[str, Any] = {}
    for _ in range(runs):
        for name, work in (
            (
                "ours",
                lambda: list(
                    evaluate_matrix(scores, **sides, holds="similarities", measures=MEASURES).mean.values()
                ),
            ),
            ("sorting", lambda: by_sorting(scores, **sides)),
        ):
            seconds, means[name] = _timed(work)
            taken[name].append(seconds)
    difference = max(abs(one - two) for one, two in zip(means["ours"], means["sorting"], strict=True))
    return {**taken, "difference": difference}


def by_sorting(
    scores: Any, query_labels: Any, gallery_labels: Any, query_cameras: Any, gallery_cameras: Any
) -> list[float]:
    """Rank 1, rank 5, mAP and mINP as evaluation scripts have them: sort everything, then loop over the queries."""
    import numpy as np

    order = np.argsort(-scores, axis=1)
    found = []
    for q, places in enumerate(order):
        is_same = gallery_labels[places] == query_labels[q]
        right = is_same[~(is_same & (gallery_cameras[places] == query_cameras[q]))]
        if right.any():
            so_far = right.cumsum()
            precision = (so_far / np.arange(1, len(right) + 1))[right].mean()
            found.append(
                (right[:1].any(), right[:5].any(), precision, so_far[-1] / (np.flatnonzero(right)[-1] + 1))
            )
    return [float(mean) for mean in np.mean(found, axis=0)]


def against_product(runs: int, people: int, spread: float) -> dict[str, Any]:
    """From vectors to numbers, and the same product for its own sake, in turns."""
    import resource

    import numpy as np

    from truerank.vectors import evaluate_vectors

    rng = np.random.default_rng(60)
    labels = rng.integers(1, people + 1, CROWD)
    vectors = rng.standard_normal((people + 1, CROWD_NUMBERS), dtype=np.float32)[labels]
    vectors += np.float32(spread) * rng.standard_normal((CROWD, CROWD_NUMBERS), dtype=np.float32)
    taken: dict[str, Any] = {"ours": [], "product": []}
    for _ in range(runs):
        taken["ours"].append(_timed(lambda: evaluate_vectors(vectors, None, labels, measures=MEASURES))[0])
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        taken["product"].append(_timed(lambda: products(vectors))[0])
    return {**taken, "peak": peak}


def products(vectors: Any) -> None:
    """All products, a block at a time, each over the one before."""
    import numpy as np

    unit = _unit(vectors)
    block = np.empty((ROWS, len(unit)), np.float32)
    for start in range(0, len(unit), ROWS):
        rows = unit[start : start + ROWS]
        np.matmul(rows, unit.T, out=block[: len(rows)])


def write(directory: Path) -> dict[str, Any]:
    """The arrays as files."""
    import numpy as np

    for name, values in pictures(SPREAD["market"]).items():
        np.save(directory / f"{name}.npy", values)
    return {}


def _unit(vectors: Any) -> Any:
    import numpy as np

    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """The seconds of one call; of a short one, the mean of as many as fill half a second: processors must wake."""
    calls, start = 0, time.perf_counter()
    while not calls or time.perf_counter() - start < 0.5:
        result = work()
        calls += 1
    return (time.perf_counter() - start) / calls, result


def alone(work: str, runs: str, *more: str) -> dict[str, Any]:
    """Do one work and tell what it took."""
    if work == "sorting":
        return against_sorting(int(runs), float(more[0]))
    if work == "product":
        return against_product(int(runs), int(more[0]), float(more[1]))
    return write(Path(runs))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", choices=[*SPREAD, "memory", *CROWDS])
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.child:
        print(json.dumps(alone(*chosen.child)))
        return
    for spread in SPREAD:
        if chosen.only in (None, spread):
            ours, sorting, difference = market(chosen.runs, spread)
            times = sorting.median / ours.median
            print(f"{spread}: {ours}, sorting {sorting}: {times:.1f} times as fast; differ by {difference:.1g}")
    if chosen.only in (None, "memory"):
        with tempfile.TemporaryDirectory() as directory:
            print(f"memory: {memory(Path(directory)):.0f} MB")
    for kind in CROWDS:
        if chosen.only in (None, kind):
            ours, product, peak = crowd(chosen.runs, kind)
            times = ours.median / product.median
            print(f"{kind}: {ours}, product {product}: {times:.2f} times; peak {peak:.0f} MB")


if __name__ == "__main__":
    main()
