"""What wheels for every Python would cost: the kernel built against the limited API (abi3), beside the plain build.

    python benchmarks/abi3.py [--runs 41]

Both are built from copies of the source in a temporary folder. A process of each does every work in turn with the
other's; what counts is processor time, and of the pairs' ratios the median. Needs what setup.py needs.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import make_big

HERE = Path(__file__).parent.parent
SIZE = 1000
MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@100")
WORKS = ("a text file", "dicts", "lists")
"""A million rows each."""

BUILDS = {
    "plain": "",
    # The limited API does not have PyUnicode_IS_ASCII: text is ASCII if it has as many bytes as characters.
    "limited": '-DPy_LIMITED_API=0x030B0000 "-DPyUnicode_IS_ASCII(text)=({Py_ssize_t n = -1;'
    ' PyUnicode_AsUTF8AndSize(text, &n) && n == PyUnicode_GetLength(text);})"',
}


def built(where: Path, flags: str) -> Path:
    """The folder that has the package, built with these flags of the compiler."""
    left = shutil.ignore_patterns("*.so", "_*.c", "__pycache__", "*.egg-info")
    shutil.copytree(HERE / "src", where / "src", ignore=left)
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(HERE / name, where)
    subprocess.run(
        [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"],
        cwd=where,
        env={**os.environ, "CFLAGS": flags},
        check=True,
        capture_output=True,
    )
    return where / "src"


class Asked:
    """A process that has imported one build, and does the work that it is asked for."""

    def __init__(self, source: Path, data: Path):
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--answer", data],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(source)},
            text=True,
        )

    def __call__(self, work: str) -> float:
        """The seconds of processor time that it took."""
        assert self.process.stdin
        assert self.process.stdout
        print(work, file=self.process.stdin, flush=True)
        return float(self.process.stdout.readline())


def answer(data: Path) -> None:
    """Do each work that comes in, a line each."""
    import truerank as tr

    qrels, path = tr.read_qrels(data / "big.qrels"), data / "big.run"
    dicts: dict[str, dict[str, float]] = {}
    with path.open() as file:
        for query, _, doc, _, score, _ in map(str.split, file):
            dicts.setdefault(query, {})[doc] = float(score)
    runs = dict(zip(WORKS, (path, dicts, {query: list(docs) for query, docs in dicts.items()}), strict=True))
    for line in sys.stdin:
        start = time.process_time()
        tr.evaluate(qrels, runs[line.rstrip("\n")], MEASURES)
        print(time.process_time() - start, flush=True)


def median(work: str, runs: int, plain: Callable[[str], float], limited: Callable[[str], float]) -> float:
    """How many times as long the limited build takes."""
    plain(work), limited(work)
    ratios = []
    for number in range(runs):
        first, second = (plain, limited) if number % 2 else (limited, plain)
        taken = {first: first(work), second: second(work)}
        ratios.append(taken[limited] / taken[plain])
    return statistics.median(ratios)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=41, help="how often each work is done by each build (41)")
    parser.add_argument("--answer", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.answer:
        answer(asked.answer)
        return
    with tempfile.TemporaryDirectory() as name:
        here = Path(name)
        make_big.write(here, SIZE, SIZE, 0)
        builds = [Asked(built(here / build, flags), here) for build, flags in BUILDS.items()]
        for work in WORKS:
            print(f"{work}: {median(work, asked.runs, *builds) - 1:+.1%} with the limited API", flush=True)
        for build in builds:
            build.process.communicate()


if __name__ == "__main__":
    main()
