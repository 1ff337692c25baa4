"""Types of the compiled draws."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

def count_draws(generator: Any, times: NDArray[np.float64]) -> None: ...
