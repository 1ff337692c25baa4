"""Measures of re-identification: finding every picture of the same thing."""

from __future__ import annotations

import numpy as np

from truerank.core.hits import Hits
from truerank.measures.registry import measure
from truerank.measures.sums import PerQuery, ratio
from truerank.measures.terms import once_each


@measure(
    "mINP",
    "INP",
    formula="R / rank of the last relevant document; 0 if one was not returned",
    source="Ye et al., Deep learning for person re-identification: a survey and outlook, TPAMI 2022",
    divides_by="relevant",
    monotone="stepped",
)
def inverse_negative_penalty(hits: Hits, *, level: float = 1) -> PerQuery:
    """How far one must read to find every relevant document, the hardest included: 1 when all come first.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 1}}, {"q": ["a", "x", "y", "b"]}, "mINP").mean
    {'mINP': 0.5}
    """
    relevant, total = once_each(hits.relevant(level)), hits.relevant_total(level)
    return np.where(relevant.count == total, ratio(total, relevant.last_value(relevant.rank)), 0.0)
