"""A run in parts, each read and counted by a process of its own: the same bits as in one piece.

python examples/parts.py
"""

from __future__ import annotations

import random
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import truerank as tr

FILES = Path(__file__).parent / "compare"
PARTS = 4


def cut(run: Path, folder: Path) -> list[Path]:
    """The lines of a run, each in a part that was drawn for it: no query stays whole."""
    drawn = random.Random(7)
    lines: list[list[str]] = [[] for _ in range(PARTS)]
    for line in run.read_text("utf-8").splitlines(keepends=True):
        drawn.choice(lines).append(line)
    parts = [folder / f"part-{number}.run" for number in range(PARTS)]
    for part, some in zip(parts, lines, strict=True):
        part.write_text("".join(some), "utf-8")
    return parts


def main() -> None:
    qrels, run = tr.read_qrels(FILES / "qrels.txt"), FILES / "hybrid.run"
    with TemporaryDirectory() as folder, ProcessPoolExecutor(2) as processes:
        files = cut(run, Path(folder))
        parts = list(processes.map(partial(tr.read, qrels), files))
        found = tr.scattered(parts)
        counts = list(processes.map(partial(tr.count_ranks, found), files))
    whole = tr.merge(parts, counts, name="hybrid")
    print(f"{len(whole)} queries in {PARTS} parts, {len(found)} of them scattered")
    merged, alone = tr.evaluate(whole, measures="nDCG@10 AP"), tr.evaluate(qrels, run, "nDCG@10 AP")
    same = all(merged[measure].tobytes() == alone[measure].tobytes() for measure in alone)
    means = ", ".join(f"{measure} {mean:.4f}" for measure, mean in merged.mean.items())
    print(f"{means}: {'the same bits as in one piece' if same else 'not the same'}")


if __name__ == "__main__":
    main()
