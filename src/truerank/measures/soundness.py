"""What a measure's function may give: one finite number per query."""

from __future__ import annotations

from typing import Any

import numpy as np

from truerank.core.errors import MeasureError, printable
from truerank.core.hits import Hits
from truerank.core.messages import message
from truerank.measures.sums import PerQuery


def sound(measure: object, hits: Hits, given: Any) -> PerQuery:
    """What a measure's function gave, if that is a finite number per query."""
    try:
        values: PerQuery = np.asarray(given, dtype=np.float64)
        if type(given) is not np.ndarray and isinstance(given, np.ma.MaskedArray):  # np.ma takes long to load
            values = np.where(given.mask, np.nan, values)
    except (TypeError, ValueError):
        raise MeasureError(
            "{measure} gives a {kind}, not one number per query", measure=measure, kind=type(given).__name__
        ) from None
    if values.shape != (len(hits.queries),):
        kind, size = type(given).__name__, values.size
        raise MeasureError(
            "{measure} gives {what} for {n} queries; it gives one number per query, as hits.sum(…) makes it "
            "from one per hit",
            measure=measure,
            what=message("{n} values", n=size)
            if values.ndim == 1
            else message("a {kind} of shape {shape}", kind=kind, shape=values.shape),
            n=len(hits.queries),
        )
    is_finite = np.isfinite(values)
    if np.count_nonzero(is_finite) < len(values):
        worst = int(np.argmin(is_finite))
        raise MeasureError(
            "{measure} gives {value} for query {query}; a value is a finite number",
            measure=measure,
            value=values[worst],
            query=printable(hits.queries[worst]),
        )
    return values
