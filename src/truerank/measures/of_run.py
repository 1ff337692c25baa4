"""What a measure of a whole run returns: not one value per query, but one number of any choice of its queries.

A mean is a weighted sum of values that the queries have by themselves. Where all answers stand in one list, or are
counted together, there are no such values: the number of other queries is worked out anew from all of their rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from truerank.measures.sums import Ints


@dataclass(frozen=True, eq=False)
class OfRun:
    """One number of a run, and of each run that some of its queries would make.

    Attributes:
        queries: how many there are.
        is_drawn: whether resamples of the queries show how sure it is. A query that is drawn twice lists nothing
            new, so that what counts different documents comes out lower in them, and has no interval.
    """

    is_drawn: ClassVar[bool] = True

    queries: int

    def at(self, times: Ints) -> float:
        """The number of a run in which each query occurs so many times.

        Args:
            times: (queries,) 1 for all: the run itself; 0 or 1: some queries alone; a resample has any.
        """
        raise NotImplementedError

    @property
    def value(self) -> float:
        """The number of the run itself."""
        return self.at(np.ones(self.queries, np.int64))
