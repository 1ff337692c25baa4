"""A line of the page: how often something came true, and how often it should."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from truerank import stats

QUERIES = (50, 200)
LEVEL = 0.05

BATCH = 250
"""Collections that share one resampling: each is a column."""


@dataclass(frozen=True)
class Line:
    """How often something came true.

    Attributes:
        what, n: the values, and how many queries.
        shares: of collections, a column each.
        bands: what each share must lie in; None where it is told only.
    """

    what: str
    n: int
    shares: dict[str, float]
    bands: dict[str, tuple[float, float]]

    @property
    def is_met(self) -> bool:
        return all(low <= self.shares[name] <= high for name, (low, high) in self.bands.items())


@dataclass(frozen=True)
class Section:
    """A part of the page: a table, and what is said of it.

    Attributes:
        title: its heading, by which `--only` knows it.
        before, after: Markdown around the table.
        works: what makes each line, given how many collections are drawn.
    """

    title: str
    before: str
    works: tuple[Callable[[int], Line], ...]
    after: str

    def markdown(self, lines: Sequence[Line]) -> str:
        return "\n\n".join(part for part in (f"## {self.title}", self.before, markdown(lines), self.after) if part)


COVERS = (0.93, 0.97)
HOLDS = (0.04, 0.06)
NO_MORE = (0.0, 0.06)


def contained(found: Sequence[stats.Interval], truth: float) -> int:
    return sum(each.low <= truth <= each.high for each in found)


def batches(collections: int) -> Iterator[tuple[int, int]]:
    """(seed, how many) until there are this many collections."""
    for seed, start in enumerate(range(0, collections, BATCH)):
        yield seed, min(BATCH, collections - start)


def rng_of(name: str, n: int, seed: int) -> np.random.Generator:
    return np.random.default_rng([*name.encode(), n, seed])


def markdown(lines: Sequence[Line]) -> str:
    """One table; a share outside of its band in bold."""
    names = list(lines[0].shares)
    head = ["values", "queries", *names]
    rows = [[line.what, str(line.n), *(cell(line, name) for name in names)] for line in lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows))


def cell(line: Line, name: str) -> str:
    low, high = line.bands.get(name, (0, 1))
    text = f"{100 * line.shares[name]:.1f}"
    return text if low <= line.shares[name] <= high else f"**{text}**"
