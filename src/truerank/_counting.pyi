"""Types of the compiled counting."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

def count_better(block: NDArray[Any], start: Ints, own: NDArray[Any]) -> tuple[Ints, Ints]: ...
