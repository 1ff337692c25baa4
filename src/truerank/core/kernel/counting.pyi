"""Types of the compiled counting."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

def count_better(block: NDArray[Any], start: Ints, own: NDArray[Any]) -> tuple[Ints, Ints]: ...
def count_before(block: NDArray[Any], row: Ints, column: Ints) -> Ints: ...
def running_sum(values: Floats, query: Ints) -> Floats: ...
def running_product(values: Floats, query: Ints) -> Floats: ...
def running_max(values: Floats, query: Ints) -> Floats: ...
def concordance(place: Ints, start: Ints) -> tuple[Ints, Ints, Floats, Floats]: ...
def answered(aspect: Ints, grade: Floats, level: float, aspects: int) -> NDArray[np.bool_]: ...
def novelty(
    doc: Ints, start: Ints, aspect: Ints, grade: Floats, level: float, alpha: float, weight: Floats
) -> Floats: ...

class Greedy:
    def __init__(
        self,
        start: Ints,
        aspect: Ints,
        grade: Floats,
        weight: Floats,
        level: float,
        alpha: float,
        begin: Ints,
        end: Ints,
        text: bytes,
    ) -> None: ...
    def order(self, owner: Ints, k: int) -> tuple[Ints, Ints]: ...
