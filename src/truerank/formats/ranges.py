"""All documents within a radius, any number per query: FAISS's (lims, D, I), big-ann's ground truths.

Those of query q are the numbers lims[q] to lims[q + 1], not included.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank.core.errors import InputError
from truerank.core.qrels import Floats, Ints, Qrels
from truerank.core.run import Columns
from truerank.formats.matrices import compressed_rows
from truerank.formats.rows import is_id, qrels_of_lists

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Ranges:
    """The documents within the radius of each query; the arrays are named like those of a CSR matrix.

    Attributes:
        indptr: (queries + 1,) where the documents of each query begin.
        indices: (documents,) their ids.
        data: (documents,) the higher the nearer; None where they stand best first.
        are_distances: whether `data` holds negated distances.
        name: where they came from.
    """

    indptr: Ints
    indices: Array
    data: Floats | None
    are_distances: bool
    name: str

    def batches(self) -> Iterator[Columns]:
        """The lists as a run; a query with nothing in its radius has no answer."""
        falling = np.repeat(self.indptr[:-1], np.diff(self.indptr)) - np.arange(float(len(self.indices)))
        rows = replace(self, data=falling) if self.data is None else self
        for part in compressed_rows(rows, 0, len(self.indptr) - 1, self.name):
            yield part._replace(are_distances=self.are_distances, are_ranks=self.data is None)

    def qrels(self) -> Qrels:
        """The lists as judgements of grade 1; a query with nothing in its radius has no relevant document."""
        queries = [b"%d" % query for query in range(len(self.indptr) - 1)]
        return qrels_of_lists(queries, np.diff(self.indptr), self.indices, np.ones(len(self.indices)), self.name)


def ranges_of(lims: Array, ids: Array | None, numbers: Array | None, *, are_far: bool, name: str) -> Ranges:
    """The documents of each query, checked.

    Args:
        numbers: what orders them, if anything does.
        are_far: whether these are distances.

    Raises:
        InputError: the arrays do not fit together, or an id is not one of a document.
    """
    if ids is None or ids.ndim != 1 or ids.dtype.kind not in "iu" or lims.ndim != 1 or lims.dtype.kind not in "iu":
        raise InputError(
            "lims says where the ids of each query begin, but there is no single list of ids, which are whole "
            "numbers",
            name,
        )
    shapes = {ids.shape, ids.shape if numbers is None else numbers.shape}
    if not len(lims) or lims[0] != 0 or (lims[1:] < lims[:-1]).any() or shapes != {(int(lims[-1]),)}:
        raise InputError(
            "lims rises from 0 to the number of ids, {n:,}, and there are as many distances or scores",
            name,
            n=len(ids),
        )
    if not (there := is_id(ids)).all():
        fill = int(ids[~there][0])
        raise InputError(
            "there is the id {id}, which fills up short rows; lists that lims cuts are never "
            "filled up: leave it out",
            name,
            id=fill,
        )
    data = None if numbers is None else numbers.astype(np.float64) * (-1 if are_far else 1)
    return Ranges(lims.astype(np.int64), ids, data, are_far and data is not None, name)
