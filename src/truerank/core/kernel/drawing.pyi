"""Types of the compiled draws."""

import numpy as np
from numpy.typing import NDArray

class Draws:
    def __init__(self, seed: int) -> None: ...
    def count(self, times: NDArray[np.float64]) -> None: ...
